(module
  (type (;0;) (func (param i32 i32) (result i64)))
  (type (;1;) (func))
  (type (;2;) (func (param i32)))
  (type (;3;) (func (result i64)))
  (type (;4;) (func (result i32)))
  (type (;5;) (func (param i32 i32)))
  (type (;6;) (func (param i32 i64)))
  (import "tng" "log" (func $log (;0;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func $reset (;1;) (type 0) (param i32 i32) (result i64)))
  (memory (;0;) 1)
  (export "connect" (func 3))
  (export "accept" (func 4))
  (export "timer" (func 5))
  (export "abi" (func 6))
  (export "ring" (func 7))
  (export "area" (func 8))
  (export "attach" (func 9))
  (export "abort" (func 10))
  (export "input" (func 11))
  (export "usrreq" (func 12))
  (export "shutdown" (func 13))
  (export "path_changed" (func 14))
  (export "call" (func 15))
  (export "memory" (memory 0))
  (func $lines (;2;) (type 1)
    (local $left i32)
    i32.const 1000
    local.set $left
    loop $next
      i32.const 0
      i32.const 65536
      call $log
      drop
      local.get $left
      i32.const 1
      i32.sub
      local.set $left
      local.get $left
      br_if $next
    end
    i32.const 0
    i32.const 1
    call $reset
    drop
  )
  (func (;3;) (type 1)
    call $lines
  )
  (func (;4;) (type 1)
    call $lines
  )
  (func (;5;) (type 2) (param i32)
    call $lines
  )
  (func (;6;) (type 3) (result i64)
    i64.const 258
  )
  (func (;7;) (type 4) (result i32)
    i32.const 1024
  )
  (func (;8;) (type 4) (result i32)
    i32.const 16384
  )
  (func (;9;) (type 1))
  (func (;10;) (type 1))
  (func (;11;) (type 5) (param i32 i32))
  (func (;12;) (type 6) (param i32 i64))
  (func (;13;) (type 2) (param i32))
  (func (;14;) (type 1))
  (func (;15;) (type 0) (param i32 i32) (result i64)
    i64.const -5
  )
)
