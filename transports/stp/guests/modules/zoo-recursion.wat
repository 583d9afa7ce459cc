(module
  (type (;0;) (func (param i64) (result i64)))
  (type (;1;) (func (param i32 i32)))
  (type (;2;) (func (param i32 i64)))
  (type (;3;) (func (result i64)))
  (type (;4;) (func (result i32)))
  (type (;5;) (func))
  (type (;6;) (func (param i32)))
  (type (;7;) (func (param i32 i32) (result i64)))
  (memory (;0;) 1)
  (export "input" (func 1))
  (export "usrreq" (func 2))
  (export "abi" (func 3))
  (export "ring" (func 4))
  (export "area" (func 5))
  (export "attach" (func 6))
  (export "connect" (func 7))
  (export "accept" (func 8))
  (export "abort" (func 9))
  (export "timer" (func 10))
  (export "shutdown" (func 11))
  (export "path_changed" (func 12))
  (export "call" (func 13))
  (export "memory" (memory 0))
  (func $deeper (;0;) (type 0) (param i64) (result i64)
    local.get 0
    i64.const 1
    i64.add
    call $deeper
    local.get 0
    i64.add
  )
  (func (;1;) (type 1) (param i32 i32)
    i64.const 0
    call $deeper
    drop
  )
  (func (;2;) (type 2) (param i32 i64)
    local.get 1
    call $deeper
    drop
  )
  (func (;3;) (type 3) (result i64)
    i64.const 258
  )
  (func (;4;) (type 4) (result i32)
    i32.const 1024
  )
  (func (;5;) (type 4) (result i32)
    i32.const 16384
  )
  (func (;6;) (type 5))
  (func (;7;) (type 5))
  (func (;8;) (type 5))
  (func (;9;) (type 5))
  (func (;10;) (type 6) (param i32))
  (func (;11;) (type 6) (param i32))
  (func (;12;) (type 5))
  (func (;13;) (type 7) (param i32 i32) (result i64)
    i64.const -5
  )
)
