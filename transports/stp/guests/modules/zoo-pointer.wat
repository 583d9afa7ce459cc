(module
  (type (;0;) (func (param i64 i32 i32) (result i64)))
  (type (;1;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i32 i32 i32 i32) (result i64)))
  (type (;4;) (func))
  (type (;5;) (func (param i32 i64)))
  (type (;6;) (func (param i32 i32)))
  (type (;7;) (func (result i64)))
  (type (;8;) (func (result i32)))
  (type (;9;) (func (param i32)))
  (import "tng" "so_read" (func $so_read (;0;) (type 0) (param i64 i32 i32) (result i64)))
  (import "tng" "net_send" (func $net_send (;1;) (type 1) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_sendack" (func $net_sendack (;2;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "log" (func $log (;3;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "seg_read" (func $seg_read (;4;) (type 3) (param i32 i32 i32 i32) (result i64)))
  (memory (;0;) 1)
  (export "connect" (func 5))
  (export "accept" (func 6))
  (export "usrreq" (func 7))
  (export "input" (func 8))
  (export "abi" (func 9))
  (export "ring" (func 10))
  (export "area" (func 11))
  (export "attach" (func 12))
  (export "abort" (func 13))
  (export "timer" (func 14))
  (export "shutdown" (func 15))
  (export "path_changed" (func 16))
  (export "call" (func 17))
  (export "memory" (memory 0))
  (func (;5;) (type 4)
    i32.const 65535
    i32.const 2
    call $log
    drop
  )
  (func (;6;) (type 4)
    i32.const -1
    i32.const -1
    call $net_sendack
    drop
  )
  (func (;7;) (type 5) (param i32 i64)
    i32.const -16
    i32.const 32
    i64.const 0
    local.get 1
    call $net_send
    drop
    i64.const 0
    i32.const 65536
    i32.const 1
    call $so_read
    drop
  )
  (func (;8;) (type 6) (param i32 i32)
    i32.const 0
    i32.const 0
    i32.const 65530
    i32.const 7
    call $seg_read
    drop
  )
  (func (;9;) (type 7) (result i64)
    i64.const 258
  )
  (func (;10;) (type 8) (result i32)
    i32.const 1024
  )
  (func (;11;) (type 8) (result i32)
    i32.const 16384
  )
  (func (;12;) (type 4))
  (func (;13;) (type 4))
  (func (;14;) (type 9) (param i32))
  (func (;15;) (type 9) (param i32))
  (func (;16;) (type 4))
  (func (;17;) (type 2) (param i32 i32) (result i64)
    i64.const -5
  )
)
