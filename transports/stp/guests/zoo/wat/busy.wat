;; Has all of its timers go off at once, again and again, and works in each call for as long as one may.
(module
  (import "tng" "timer_reset" (func $reset (param i32 i32) (result i64)))
  (func $all (local $n i32)
    (loop $next
      (drop (call $reset (local.get $n) (i32.const 0)))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $n) (i32.const 8))))
    (loop $work
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $work (i32.lt_u (local.get $n) (i32.const 200000)))))
  (func (export "connect") (call $all))
  (func (export "accept") (call $all))
  (func (export "timer") (param i32) (call $all))
)
