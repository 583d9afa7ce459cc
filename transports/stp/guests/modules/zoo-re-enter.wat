(module
  (type (;0;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;1;) (func (param i32 i32) (result i64)))
  (type (;2;) (func))
  (type (;3;) (func (param i32 i32)))
  (type (;4;) (func (param i32 i64)))
  (type (;5;) (func (param i32)))
  (type (;6;) (func (result i64)))
  (type (;7;) (func (result i32)))
  (import "tng" "net_send" (func $net_send (;0;) (type 0) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_sendack" (func $net_sendack (;1;) (type 1) (param i32 i32) (result i64)))
  (import "tng" "proto_done" (func $proto_done (;2;) (type 2)))
  (memory (;0;) 1)
  (export "input" (func $input))
  (export "usrreq" (func $usrreq))
  (export "timer" (func $timer))
  (export "abi" (func 6))
  (export "ring" (func 7))
  (export "area" (func 8))
  (export "attach" (func 9))
  (export "connect" (func 10))
  (export "accept" (func 11))
  (export "abort" (func 12))
  (export "shutdown" (func 13))
  (export "path_changed" (func 14))
  (export "call" (func 15))
  (export "memory" (memory 0))
  (func $input (;3;) (type 3) (param i32 i32)
    i32.const 0
    i32.const 64
    i64.const 0
    i64.const 0
    call $net_send
    drop
    i32.const 0
    i64.const 0
    call $usrreq
  )
  (func $usrreq (;4;) (type 4) (param i32 i64)
    i32.const 0
    i32.const 64
    call $net_sendack
    drop
    i32.const 0
    call $timer
  )
  (func $timer (;5;) (type 5) (param i32)
    call $proto_done
    i32.const 0
    i32.const 64
    call $input
  )
  (func (;6;) (type 6) (result i64)
    i64.const 258
  )
  (func (;7;) (type 7) (result i32)
    i32.const 1024
  )
  (func (;8;) (type 7) (result i32)
    i32.const 16384
  )
  (func (;9;) (type 2))
  (func (;10;) (type 2))
  (func (;11;) (type 2))
  (func (;12;) (type 2))
  (func (;13;) (type 5) (param i32))
  (func (;14;) (type 2))
  (func (;15;) (type 1) (param i32 i32) (result i64)
    i64.const -5
  )
)
