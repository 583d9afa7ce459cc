(module
  (type (;0;) (func))
  (type (;1;) (func (param i32) (result i64)))
  (type (;2;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;3;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i64) (result i64)))
  (type (;6;) (func (result i32)))
  (type (;7;) (func (param i32 i32 i32) (result i64)))
  (type (;8;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;9;) (func (result i64)))
  (type (;10;) (func (param i32 i32)))
  (type (;11;) (func (param i32)))
  (type (;12;) (func (param i32 i64)))
  (import "tng" "so_connected" (func (;0;) (type 0)))
  (import "tng" "route" (func (;1;) (type 1) (param i32) (result i64)))
  (import "tng" "net_send" (func (;2;) (type 2) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_resend" (func (;3;) (type 3) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "timer_reset" (func (;4;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "log" (func (;5;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "so_drop" (func (;6;) (type 5) (param i64) (result i64)))
  (import "tng" "so_isdisconnecting" (func (;7;) (type 6) (result i32)))
  (import "tng" "proto_done" (func (;8;) (type 0)))
  (import "tng" "so_append" (func (;9;) (type 7) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;10;) (type 0)))
  (import "tng" "net_sendack" (func (;11;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "ack_sum" (func (;12;) (type 8) (param i64 i64 i64 i32) (result i64)))
  (table (;0;) 1 1 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 8192)
  (export "memory" (memory 0))
  (export "abi" (func 13))
  (export "ring" (func 14))
  (export "area" (func 15))
  (export "attach" (func 16))
  (export "connect" (func 17))
  (export "accept" (func 19))
  (export "abort" (func 20))
  (export "input" (func 21))
  (export "timer" (func 22))
  (export "usrreq" (func 23))
  (export "shutdown" (func 24))
  (export "path_changed" (func 25))
  (export "call" (func 26))
  (func (;13;) (type 9) (result i64)
    i64.const 258
  )
  (func (;14;) (type 6) (result i32)
    i32.const 8272
  )
  (func (;15;) (type 6) (result i32)
    i32.const 16464
  )
  (func (;16;) (type 0))
  (func (;17;) (type 0)
    call 0
    call 18
  )
  (func (;18;) (type 0)
    (local i32 i32 i64 i64 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    i32.const 0
    i32.load offset=20560
    local.set 1
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i64.load offset=8248
        i64.const -1
        i64.ne
        br_if 0 (;@2;)
        local.get 1
        i32.eqz
        br_if 0 (;@2;)
        loop ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=22624
            i32.const 3
            i32.shl
            i32.const 20576
            i32.add
            i64.load
            local.tee 2
            i32.const 0
            i64.load offset=22632
            i64.sub
            i64.const 2
            i64.add
            i32.const 0
            call 1
            i64.gt_u
            br_if 0 (;@4;)
            local.get 0
            i32.const 1
            i32.store8 offset=14
            local.get 0
            i32.const 0
            i32.load8_u offset=22640
            i32.store8 offset=15
            i32.const 0
            i64.load offset=22632
            local.set 3
            block ;; label = @5
              block ;; label = @6
                i32.const 0
                i64.load offset=8256
                local.tee 4
                i64.const -1
                i64.ne
                br_if 0 (;@6;)
                local.get 0
                i32.const 14
                i32.add
                i32.const 2
                local.get 3
                local.get 2
                call 2
                local.set 2
                br 1 (;@5;)
              end
              local.get 0
              i32.const 14
              i32.add
              i32.const 2
              local.get 3
              local.get 2
              local.get 4
              call 3
              local.set 2
            end
            local.get 2
            i64.const -1
            i64.eq
            br_if 3 (;@1;)
            block ;; label = @5
              local.get 2
              i64.const 0
              i64.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.get 2
              i64.store offset=8248
            end
            i32.const 0
            i32.const 400
            call 4
            drop
            br 3 (;@1;)
          end
          i32.const 8192
          i32.const 50
          call 5
          drop
          i32.const 0
          i64.const -1
          i64.store offset=8256
          i32.const 0
          i64.const -1
          i64.store offset=8248
          i32.const 0
          i32.const 0
          i32.load offset=20560
          i32.const -1
          i32.add
          i32.store offset=20560
          i32.const 0
          i32.const 0
          i32.load offset=22624
          local.tee 1
          i32.const 1
          i32.add
          i32.const 255
          i32.and
          i32.store offset=22624
          i32.const 0
          local.get 1
          i32.const 3
          i32.shl
          i32.const 20576
          i32.add
          i64.load
          local.tee 2
          i64.store offset=22632
          local.get 2
          call 6
          drop
          i32.const 0
          i32.load offset=20560
          local.set 1
          i32.const 0
          i64.load offset=8248
          i64.const -1
          i64.ne
          br_if 1 (;@2;)
          local.get 1
          br_if 0 (;@3;)
        end
      end
      local.get 1
      br_if 0 (;@1;)
      call 7
      i32.eqz
      br_if 0 (;@1;)
      call 8
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;19;) (type 0)
    call 0
    call 18
  )
  (func (;20;) (type 0)
    i32.const 0
    i32.const 0
    i32.store offset=20560
  )
  (func (;21;) (type 10) (param i32 i32)
    (local i32 i32 i32 i32 i64 i64)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      loop ;; label = @2
        block ;; label = @3
          local.get 0
          i32.const 63
          i32.and
          i32.const 7
          i32.shl
          local.tee 3
          i32.const 8276
          i32.add
          i32.load
          local.tee 4
          i32.const 2
          i32.lt_u
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              local.get 3
              i32.const 8304
              i32.add
              i32.load8_u
              i32.const -1
              i32.add
              br_table 0 (;@5;) 1 (;@4;) 2 (;@3;)
            end
            local.get 3
            i32.const 8296
            i32.add
            i32.load
            i32.eqz
            br_if 1 (;@3;)
            block ;; label = @5
              local.get 3
              i32.const 8305
              i32.add
              i32.load8_u
              local.tee 5
              i32.const 0
              i32.load8_u offset=22641
              i32.ne
              br_if 0 (;@5;)
              local.get 3
              i32.const 8272
              i32.add
              i32.load
              i32.const 2
              local.get 4
              call 9
              i64.const 0
              i64.lt_s
              br_if 2 (;@3;)
              call 10
              i32.const 0
              i32.const 0
              i32.load8_u offset=22641
              i32.const 1
              i32.add
              i32.store8 offset=22641
            end
            local.get 2
            local.get 5
            i32.store8 offset=1
            local.get 2
            i32.const 2
            i32.store8
            local.get 2
            local.get 3
            i32.const 8280
            i32.add
            i64.load
            i64.store offset=2 align=2
            local.get 2
            local.get 3
            i32.const 8288
            i32.add
            i64.load
            i64.store offset=10 align=2
            local.get 2
            i32.const 18
            call 11
            drop
            br 1 (;@3;)
          end
          local.get 4
          i32.const 18
          i32.lt_u
          br_if 0 (;@3;)
          i32.const 0
          i64.load offset=8248
          local.tee 6
          i64.const -1
          i64.eq
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 3
            i32.const 8306
            i32.add
            i64.load align=2
            local.tee 7
            local.get 6
            i64.gt_u
            br_if 0 (;@4;)
            local.get 7
            local.get 7
            i64.const 1
            i64.add
            local.get 3
            i32.const 8314
            i32.add
            i64.load align=2
            i32.const 0
            call 12
            drop
          end
          local.get 3
          i32.const 8305
          i32.add
          i32.load8_u
          local.tee 3
          i32.const 0
          i32.load8_u offset=22640
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=8256
          i32.const 0
          i64.const -1
          i64.store offset=8248
          i32.const 0
          local.get 3
          i32.const 1
          i32.add
          i32.store8 offset=22640
          i32.const 0
          i32.const 0
          i32.load offset=20560
          i32.const -1
          i32.add
          i32.store offset=20560
          i32.const 0
          i32.const 0
          i32.load offset=22624
          local.tee 3
          i32.const 1
          i32.add
          i32.const 255
          i32.and
          i32.store offset=22624
          i32.const 0
          local.get 3
          i32.const 3
          i32.shl
          i32.const 20576
          i32.add
          i64.load
          local.tee 6
          i64.store offset=22632
          local.get 6
          call 6
          drop
        end
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 1
        i32.const -1
        i32.add
        local.tee 1
        br_if 0 (;@2;)
      end
    end
    call 18
    local.get 2
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;22;) (type 11) (param i32)
    (local i64)
    block ;; label = @1
      local.get 0
      br_if 0 (;@1;)
      i32.const 0
      i64.load offset=8248
      local.tee 1
      i64.const -1
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i64.const -1
      i64.store offset=8248
      i32.const 0
      local.get 1
      i64.store offset=8256
    end
    call 18
  )
  (func (;23;) (type 12) (param i32 i64)
    (local i32)
    i32.const 0
    i32.load offset=20560
    local.set 2
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 0
          br_if 0 (;@3;)
          local.get 2
          i32.const 255
          i32.gt_u
          br_if 0 (;@3;)
          i32.const 0
          local.get 2
          i32.const 1
          i32.add
          i32.store offset=20560
          i32.const 0
          i32.load offset=22624
          local.get 2
          i32.add
          local.set 2
          br 1 (;@2;)
        end
        local.get 0
        br_if 1 (;@1;)
        local.get 2
        i32.const 0
        i32.load offset=22624
        i32.add
        i32.const 255
        i32.add
        local.set 2
      end
      local.get 2
      i32.const 255
      i32.and
      i32.const 3
      i32.shl
      i32.const 20576
      i32.add
      local.get 1
      i64.store
    end
    call 18
  )
  (func (;24;) (type 11) (param i32)
    call 8
  )
  (func (;25;) (type 0)
    (local i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=8248
      local.tee 0
      i64.const -1
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i64.const -1
      i64.store offset=8248
      i32.const 0
      local.get 0
      i64.store offset=8256
    end
    call 18
  )
  (func (;26;) (type 4) (param i32 i32) (result i64)
    i64.const -5
  )
  (data (;0;) (i32.const 8192) "a message is larger than a segment, and is dropped\00")
  (data (;1;) (i32.const 8248) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff")
)
