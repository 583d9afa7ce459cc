;; Has all of its timers go off at once, and again whenever one does; and some that there are not.
(module
  (import "tng" "timer_reset" (func $reset (param i32 i32) (result i64)))
  (func $all (local $id i32)
    (loop $next
      (drop (call $reset (local.get $id) (i32.const 0)))
      (local.set $id (i32.add (local.get $id) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $id) (i32.const 16))))
    (drop (call $reset (i32.const -1) (i32.const 0))))
  (func (export "connect") (call $all))
  (func (export "accept") (call $all))
  (func (export "timer") (param i32) (call $all))
)
