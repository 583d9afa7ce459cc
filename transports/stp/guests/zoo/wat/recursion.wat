;; Calls itself until there is no stack.
(module
  (func $deeper (param i64) (result i64)
    (i64.add (call $deeper (i64.add (local.get 0) (i64.const 1))) (local.get 0)))
  (func (export "input") (param i32 i32) (drop (call $deeper (i64.const 0))))
  (func (export "usrreq") (param i32 i64) (drop (call $deeper (local.get 1))))
)
