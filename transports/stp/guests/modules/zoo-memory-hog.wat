(module
  (type (;0;) (func))
  (type (;1;) (func (param i32 i32)))
  (type (;2;) (func (param i32)))
  (type (;3;) (func (param i32 i64)))
  (type (;4;) (func (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func (param i32 i32) (result i64)))
  (memory (;0;) 1)
  (export "input" (func 1))
  (export "timer" (func 2))
  (export "usrreq" (func 3))
  (export "abi" (func 4))
  (export "ring" (func 5))
  (export "area" (func 6))
  (export "attach" (func 7))
  (export "connect" (func 8))
  (export "accept" (func 9))
  (export "abort" (func 10))
  (export "shutdown" (func 11))
  (export "path_changed" (func 12))
  (export "call" (func 13))
  (export "memory" (memory 0))
  (func $hog (;0;) (type 0)
    (local $page i32)
    loop $more
      i32.const 1
      memory.grow
      local.set $page
      local.get $page
      i32.const 0
      i32.ge_s
      if ;; label = @2
        local.get $page
        i32.const 65536
        i32.mul
        local.get $page
        i32.store
        br $more
      end
    end
    i32.const 65000
    memory.grow
    drop
  )
  (func (;1;) (type 1) (param i32 i32)
    call $hog
  )
  (func (;2;) (type 2) (param i32)
    call $hog
  )
  (func (;3;) (type 3) (param i32 i64)
    call $hog
  )
  (func (;4;) (type 4) (result i64)
    i64.const 258
  )
  (func (;5;) (type 5) (result i32)
    i32.const 1024
  )
  (func (;6;) (type 5) (result i32)
    i32.const 16384
  )
  (func (;7;) (type 0))
  (func (;8;) (type 0))
  (func (;9;) (type 0))
  (func (;10;) (type 0))
  (func (;11;) (type 2) (param i32))
  (func (;12;) (type 0))
  (func (;13;) (type 6) (param i32 i32) (result i64)
    i64.const -5
  )
)
