(module
  (type (;0;) (func (param i32 i32) (result i64)))
  (type (;1;) (func))
  (type (;2;) (func (param i32)))
  (type (;3;) (func (result i64)))
  (type (;4;) (func (result i32)))
  (type (;5;) (func (param i32 i32)))
  (type (;6;) (func (param i32 i64)))
  (import "tng" "timer_reset" (func $reset (;0;) (type 0) (param i32 i32) (result i64)))
  (memory (;0;) 1)
  (export "connect" (func 2))
  (export "accept" (func 3))
  (export "timer" (func 4))
  (export "abi" (func 5))
  (export "ring" (func 6))
  (export "area" (func 7))
  (export "attach" (func 8))
  (export "abort" (func 9))
  (export "input" (func 10))
  (export "usrreq" (func 11))
  (export "shutdown" (func 12))
  (export "path_changed" (func 13))
  (export "call" (func 14))
  (export "memory" (memory 0))
  (func $all (;1;) (type 1)
    (local $n i32)
    loop $next
      local.get $n
      i32.const 0
      call $reset
      drop
      local.get $n
      i32.const 1
      i32.add
      local.set $n
      local.get $n
      i32.const 8
      i32.lt_u
      br_if $next
    end
    loop $work
      local.get $n
      i32.const 1
      i32.add
      local.set $n
      local.get $n
      i32.const 200000
      i32.lt_u
      br_if $work
    end
  )
  (func (;2;) (type 1)
    call $all
  )
  (func (;3;) (type 1)
    call $all
  )
  (func (;4;) (type 2) (param i32)
    call $all
  )
  (func (;5;) (type 3) (result i64)
    i64.const 258
  )
  (func (;6;) (type 4) (result i32)
    i32.const 1024
  )
  (func (;7;) (type 4) (result i32)
    i32.const 16384
  )
  (func (;8;) (type 1))
  (func (;9;) (type 1))
  (func (;10;) (type 5) (param i32 i32))
  (func (;11;) (type 6) (param i32 i64))
  (func (;12;) (type 2) (param i32))
  (func (;13;) (type 1))
  (func (;14;) (type 0) (param i32 i32) (result i64)
    i64.const -5
  )
)
