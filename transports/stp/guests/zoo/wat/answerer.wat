;; Answers whatever comes, answers too, with a segment that no policer holds. Two of it would answer each other for ever.
(module
  (import "tng" "timer_reset" (func $reset (param i32 i32) (result i64)))
  (import "tng" "net_send" (func $send (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_sendack" (func $answer (param i32 i32) (result i64)))
  (import "tng" "net_budget" (func $budget (result i64)))
  (func $more
    (drop (call $reset (i32.const 0) (i32.const 1)))
    (if (i64.ge_u (call $budget) (i64.const 1000))
      (then (drop (call $send (i32.const 20000) (i32.const 1000) (i64.const 0) (i64.const 0))))))
  (func (export "connect") (call $more))
  (func (export "accept") (call $more))
  (func (export "timer") (param i32) (call $more))
  (func (export "input") (param $first i32) (param $count i32)
    (loop $each
      (drop (call $answer (i32.const 20000) (i32.const 1000)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $each (i32.gt_s (local.get $count) (i32.const 0)))))
)
