;; Calls its own callbacks in each other, and sends in each of them: what the host would do if it called a guest while
;; it runs.
(module
  (import "tng" "net_send" (func $net_send (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_sendack" (func $net_sendack (param i32 i32) (result i64)))
  (import "tng" "proto_done" (func $proto_done))
  (func $input (export "input") (param i32 i32)
    (drop (call $net_send (i32.const 0) (i32.const 64) (i64.const 0) (i64.const 0)))
    (call $usrreq (i32.const 0) (i64.const 0)))
  (func $usrreq (export "usrreq") (param i32 i64)
    (drop (call $net_sendack (i32.const 0) (i32.const 64)))
    (call $timer (i32.const 0)))
  (func $timer (export "timer") (param i32)
    (call $proto_done)
    (call $input (i32.const 0) (i32.const 64)))
)
