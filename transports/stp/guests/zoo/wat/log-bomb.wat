;; Writes all of its memory for people to read, a thousand times a call.
(module
  (import "tng" "log" (func $log (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func $reset (param i32 i32) (result i64)))
  (func $lines (local $left i32)
    (local.set $left (i32.const 1000))
    (loop $next
      (drop (call $log (i32.const 0) (i32.const 65536)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $next (local.get $left)))
    (drop (call $reset (i32.const 0) (i32.const 1))))
  (func (export "connect") (call $lines))
  (func (export "accept") (call $lines))
  (func (export "timer") (param i32) (call $lines))
)
