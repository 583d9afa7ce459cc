;; Takes all memory that it can have, writes to every page of it, and goes on asking.
(module
  (func $hog (local $page i32)
    (loop $more
      (local.set $page (memory.grow (i32.const 1)))
      (if (i32.ge_s (local.get $page) (i32.const 0))
        (then
          (i32.store (i32.mul (local.get $page) (i32.const 65536)) (local.get $page))
          (br $more))))
    (drop (memory.grow (i32.const 65000))))
  (func (export "input") (param i32 i32) (call $hog))
  (func (export "timer") (param i32) (call $hog))
  (func (export "usrreq") (param i32 i64) (call $hog))
)
