;; Runs into a trap when the application writes, when something arrives, and when it is to leave.
(module
  (func (export "input") (param i32 i32) unreachable)
  (func (export "usrreq") (param i32 i64) (drop (i64.div_u (i64.const 1) (i64.const 0))))
  (func (export "shutdown") (param i32) (drop (i32.load (i32.const -4))))
)
