(module
  (type (;0;) (func (param i32 i32) (result i64)))
  (type (;1;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;2;) (func (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32)))
  (type (;5;) (func (param i32 i32)))
  (type (;6;) (func (result i32)))
  (type (;7;) (func (param i32 i64)))
  (import "tng" "timer_reset" (func $reset (;0;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "net_send" (func $send (;1;) (type 1) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_sendack" (func $answer (;2;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "net_budget" (func $budget (;3;) (type 2) (result i64)))
  (memory (;0;) 1)
  (export "connect" (func 5))
  (export "accept" (func 6))
  (export "timer" (func 7))
  (export "input" (func 8))
  (export "abi" (func 9))
  (export "ring" (func 10))
  (export "area" (func 11))
  (export "attach" (func 12))
  (export "abort" (func 13))
  (export "usrreq" (func 14))
  (export "shutdown" (func 15))
  (export "path_changed" (func 16))
  (export "call" (func 17))
  (export "memory" (memory 0))
  (func $more (;4;) (type 3)
    i32.const 0
    i32.const 1
    call $reset
    drop
    call $budget
    i64.const 1000
    i64.ge_u
    if ;; label = @1
      i32.const 20000
      i32.const 1000
      i64.const 0
      i64.const 0
      call $send
      drop
    end
  )
  (func (;5;) (type 3)
    call $more
  )
  (func (;6;) (type 3)
    call $more
  )
  (func (;7;) (type 4) (param i32)
    call $more
  )
  (func (;8;) (type 5) (param $first i32) (param $count i32)
    loop $each
      i32.const 20000
      i32.const 1000
      call $answer
      drop
      local.get $count
      i32.const 1
      i32.sub
      local.set $count
      local.get $count
      i32.const 0
      i32.gt_s
      br_if $each
    end
  )
  (func (;9;) (type 2) (result i64)
    i64.const 258
  )
  (func (;10;) (type 6) (result i32)
    i32.const 1024
  )
  (func (;11;) (type 6) (result i32)
    i32.const 16384
  )
  (func (;12;) (type 3))
  (func (;13;) (type 3))
  (func (;14;) (type 7) (param i32 i64))
  (func (;15;) (type 4) (param i32))
  (func (;16;) (type 3))
  (func (;17;) (type 0) (param i32 i32) (result i64)
    i64.const -5
  )
)
