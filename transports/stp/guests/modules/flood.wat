(module
  (type (;0;) (func (param i32 i32) (result i64)))
  (type (;1;) (func (param i32) (result i64)))
  (type (;2;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (result i64)))
  (type (;5;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;6;) (func (param i64) (result i64)))
  (type (;7;) (func (param i32 i32 i32) (result i64)))
  (type (;8;) (func (param i64)))
  (type (;9;) (func (param i32 i32 i32 i32)))
  (type (;10;) (func (param i32 i32)))
  (type (;11;) (func (param i32 i32 i32 i32 i32 i32)))
  (type (;12;) (func (result i32)))
  (type (;13;) (func (param i32 i32 i32)))
  (type (;14;) (func (param i32)))
  (type (;15;) (func (param i32 i64)))
  (import "tng" "net_sendack" (func (;0;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func (;1;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "route" (func (;2;) (type 1) (param i32) (result i64)))
  (import "tng" "net_send" (func (;3;) (type 2) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "log" (func (;4;) (type 0) (param i32 i32) (result i64)))
  (import "tng" "proto_done" (func (;5;) (type 3)))
  (import "tng" "so_connected" (func (;6;) (type 3)))
  (import "tng" "gettick" (func (;7;) (type 4) (result i64)))
  (import "tng" "ack_sum" (func (;8;) (type 5) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "so_drop" (func (;9;) (type 6) (param i64) (result i64)))
  (import "tng" "so_append" (func (;10;) (type 7) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;11;) (type 3)))
  (table (;0;) 1 1 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 54784)
  (global (;2;) i32 i32.const 54784)
  (export "memory" (memory 0))
  (export "__heap_base" (global 1))
  (export "abi" (func 22))
  (export "abort" (func 23))
  (export "accept" (func 24))
  (export "area" (func 25))
  (export "attach" (func 26))
  (export "call" (func 27))
  (export "input" (func 28))
  (export "path_changed" (func 30))
  (export "ring" (func 31))
  (export "shutdown" (func 32))
  (export "timer" (func 33))
  (export "usrreq" (func 34))
  (export "connect" (func 24))
  (export "__data_end" (global 2))
  (func (;12;) (type 8) (param i64)
    (local i32 i64 i32 i32)
    global.get 0
    i32.const 64
    i32.sub
    local.tee 1
    global.set 0
    i32.const 0
    i64.load offset=34144
    local.set 2
    local.get 1
    i64.const 0
    i64.store offset=56 align=2
    local.get 1
    i64.const 0
    i64.store offset=48 align=2
    local.get 1
    i64.const 0
    i64.store offset=40 align=2
    local.get 1
    i64.const 0
    i64.store offset=32 align=2
    local.get 1
    i64.const 0
    i64.store offset=24 align=2
    local.get 1
    i64.const 0
    i64.store offset=16 align=2
    local.get 1
    i64.const 0
    local.get 0
    local.get 2
    i64.sub
    local.tee 2
    local.get 2
    local.get 0
    i64.gt_u
    select
    local.tee 2
    local.get 2
    i64.const 0
    i64.ne
    i64.extend_i32_u
    i64.sub
    local.tee 2
    i64.const 25
    local.get 2
    i64.const 25
    i64.lt_u
    select
    i32.wrap_i64
    i32.const 8
    i32.shl
    i32.const 3
    i32.or
    i32.store16 offset=14
    block ;; label = @1
      i32.const 0
      i32.load offset=34136
      local.tee 3
      i32.const 33
      i32.ge_u
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          local.get 3
          br_if 0 (;@3;)
          i32.const 2
          local.set 3
          br 1 (;@2;)
        end
        local.get 1
        local.get 3
        i32.const 24
        i32.mul
        local.tee 4
        i32.const 33360
        i32.add
        i64.load
        i64.store offset=24 align=2
        local.get 1
        local.get 4
        i32.const 33352
        i32.add
        i64.load
        i64.store32 offset=20 align=2
        local.get 1
        local.get 4
        i32.const 33344
        i32.add
        i64.load
        i64.store32 offset=16 align=2
        block ;; label = @3
          local.get 3
          i32.const 1
          i32.ne
          br_if 0 (;@3;)
          i32.const 18
          local.set 3
          br 1 (;@2;)
        end
        local.get 1
        local.get 4
        i32.const 33336
        i32.add
        i64.load
        i64.store offset=40 align=2
        local.get 1
        local.get 4
        i32.const 33328
        i32.add
        i64.load
        i64.store32 offset=36 align=2
        local.get 1
        local.get 4
        i32.const 33320
        i32.add
        i64.load
        i64.store32 offset=32 align=2
        block ;; label = @3
          local.get 3
          i32.const 2
          i32.ne
          br_if 0 (;@3;)
          i32.const 34
          local.set 3
          br 1 (;@2;)
        end
        local.get 1
        local.get 4
        i32.const 33312
        i32.add
        i64.load
        i64.store offset=56 align=2
        local.get 1
        local.get 4
        i32.const 33304
        i32.add
        i64.load
        i64.store32 offset=52 align=2
        local.get 1
        local.get 4
        i32.const 33296
        i32.add
        i64.load
        i64.store32 offset=48 align=2
        i32.const 50
        local.set 3
      end
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.const 14
          i32.add
          local.get 3
          call 0
          i64.const 0
          i64.lt_s
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=34152
          i32.const 0
          i32.const 0
          i32.store offset=34192
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=34152
        i64.const -1
        i64.ne
        br_if 0 (;@2;)
        i32.const 0
        i64.const -1
        local.get 0
        i64.const 25
        i64.add
        local.tee 2
        local.get 2
        local.get 0
        i64.lt_u
        select
        local.tee 2
        i64.store offset=34152
        local.get 2
        i32.const 0
        i64.load offset=34160
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34168
        i64.const 0
        local.get 2
        local.get 0
        i64.sub
        local.tee 0
        local.get 0
        local.get 2
        i64.gt_u
        select
        local.tee 0
        i64.const 4294967295
        local.get 0
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 1
        i64.const 0
        i64.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 2
        i64.store offset=34160
      end
      local.get 1
      i32.const 64
      i32.add
      global.set 0
      return
    end
    i32.const 0
    local.get 3
    i32.const 32
    i32.const 33224
    call 13
    unreachable
  )
  (func (;13;) (type 9) (param i32 i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 4
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 0
          local.get 2
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          i32.gt_u
          br_if 1 (;@2;)
          local.get 0
          local.get 1
          i32.le_u
          br_if 2 (;@1;)
          i32.const 32768
          local.get 4
          local.get 3
          call 29
          unreachable
        end
        i32.const 32808
        local.get 4
        local.get 3
        call 29
        unreachable
      end
      i32.const 32865
      local.get 4
      local.get 3
      call 29
      unreachable
    end
    i32.const 32865
    local.get 4
    local.get 3
    call 29
    unreachable
  )
  (func (;14;) (type 8) (param i64)
    (local i64 i32 i32 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34199
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const -1
        i32.const 0
        call 2
        local.tee 1
        i32.wrap_i64
        i32.const 2
        local.get 1
        i64.const 2
        i64.gt_u
        select
        local.get 1
        i64.const 4294967295
        i64.gt_u
        select
        local.tee 2
        i32.const 0
        i32.load offset=34188
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        local.get 2
        i32.store offset=34188
        block ;; label = @3
          local.get 2
          i32.const 0
          i32.const 0
          i32.load8_u offset=34198
          select
          local.tee 2
          i32.const 0
          i32.load offset=34184
          local.tee 3
          i32.le_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 2
            local.get 3
            i32.sub
            local.tee 4
            i32.const 0
            i32.load offset=34176
            local.get 3
            i32.sub
            i32.le_u
            br_if 0 (;@4;)
            local.get 3
            local.get 4
            call 15
            i32.const 0
            i32.load offset=34184
            local.set 3
          end
          i32.const 0
          i32.load offset=34180
          local.tee 5
          local.get 3
          i32.add
          local.set 2
          block ;; label = @4
            local.get 4
            i32.const 2
            i32.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 4
              i32.const -1
              i32.add
              local.tee 4
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              i32.const 0
              local.get 4
              memory.fill
            end
            local.get 5
            local.get 3
            local.get 4
            i32.add
            local.tee 3
            i32.add
            local.set 2
          end
          local.get 2
          i32.const 0
          i32.store8
          local.get 3
          i32.const 1
          i32.add
          local.set 2
        end
        i32.const 0
        local.get 2
        i32.store offset=34184
        local.get 2
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34180
        i32.const 2
        i32.store8
      end
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34196
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33308
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          loop ;; label = @4
            block ;; label = @5
              block ;; label = @6
                i32.const 0
                i32.load offset=33300
                i32.const 0
                i32.load offset=33304
                local.tee 2
                i32.const 0
                i32.const 0
                i32.load offset=33296
                local.tee 3
                local.get 2
                local.get 3
                i32.lt_u
                select
                i32.sub
                i32.const 4
                i32.shl
                i32.add
                local.tee 2
                i64.load offset=8
                local.tee 1
                local.get 2
                i64.load
                local.tee 6
                i64.sub
                i32.const 0
                i32.load offset=34188
                i32.const -2
                i32.add
                i64.extend_i32_u
                i64.gt_u
                br_if 0 (;@6;)
                block ;; label = @7
                  i32.const 33121
                  i32.const 2
                  local.get 6
                  local.get 1
                  call 3
                  local.tee 6
                  i64.const -1
                  i64.gt_s
                  br_if 0 (;@7;)
                  block ;; label = @8
                    local.get 6
                    i64.const -1
                    i64.eq
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 100
                    call 1
                    i64.const -1
                    i64.gt_s
                    local.set 2
                    br 5 (;@3;)
                  end
                  i32.const 1
                  local.set 2
                  br 4 (;@3;)
                end
                i32.const 0
                local.get 6
                i64.const 1
                i64.add
                i64.store offset=33360
                br 1 (;@5;)
              end
              i32.const 33123
              i32.const 50
              call 4
              drop
            end
            block ;; label = @5
              i32.const 0
              i32.load offset=33308
              local.tee 2
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.get 2
              i32.const -1
              i32.add
              i32.store offset=33308
              i32.const 0
              i32.const 0
              i32.load offset=33304
              i32.const 1
              i32.add
              local.tee 2
              i32.const 0
              i32.const 0
              i32.load offset=33296
              local.tee 3
              local.get 2
              local.get 3
              i32.lt_u
              select
              i32.sub
              i32.store offset=33304
            end
            i32.const 0
            i64.load offset=33360
            local.set 6
            block ;; label = @5
              i32.const 0
              i32.load offset=33324
              local.tee 2
              i32.const 0
              i32.load offset=33312
              local.tee 3
              i32.ne
              br_if 0 (;@5;)
              call 16
              i32.const 0
              i32.load offset=33312
              local.set 3
              i32.const 0
              i32.load offset=33324
              local.set 2
            end
            i32.const 0
            local.get 2
            i32.const 1
            i32.add
            i32.store offset=33324
            i32.const 0
            i32.load offset=33316
            i32.const 0
            i32.load offset=33320
            local.get 2
            i32.add
            local.tee 2
            i32.const 0
            local.get 3
            local.get 2
            local.get 3
            i32.lt_u
            select
            i32.sub
            i32.const 24
            i32.mul
            i32.add
            local.tee 2
            local.get 0
            i64.store offset=16
            local.get 2
            local.get 1
            i64.store offset=8
            local.get 2
            local.get 6
            i64.store
            i32.const 0
            i32.load8_u offset=34196
            br_if 2 (;@2;)
            i32.const 0
            i32.load offset=33308
            br_if 0 (;@4;)
            br 2 (;@2;)
          end
        end
        i32.const 0
        local.get 2
        i32.store8 offset=34196
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33324
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i64.load offset=33336
        i64.const -1
        i64.ne
        br_if 0 (;@2;)
        i32.const 0
        i64.const -1
        local.get 0
        i64.const 1000
        i64.add
        local.tee 1
        local.get 1
        local.get 0
        i64.lt_u
        select
        local.tee 1
        i64.store offset=33336
        local.get 1
        i32.const 0
        i64.load offset=33344
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33352
        i64.const 0
        local.get 1
        local.get 0
        i64.sub
        local.tee 6
        local.get 6
        local.get 1
        i64.gt_u
        select
        local.tee 6
        i64.const 4294967295
        local.get 6
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 1
        i64.const 0
        i64.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 1
        i64.store offset=33344
      end
      i32.const 0
      i32.load offset=33308
      local.set 2
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34198
        local.tee 3
        i32.const 1
        i32.ne
        br_if 0 (;@2;)
        local.get 2
        br_if 0 (;@2;)
        i32.const 0
        i32.load8_u offset=34196
        i32.const 1
        i32.and
        br_if 0 (;@2;)
        block ;; label = @3
          block ;; label = @4
            loop ;; label = @5
              block ;; label = @6
                i32.const 0
                i32.load offset=34180
                i32.const 0
                i32.load offset=34184
                i64.const 0
                i64.const 0
                call 3
                local.tee 1
                i64.const -1
                i64.gt_s
                br_if 0 (;@6;)
                local.get 1
                i64.const -1
                i64.ne
                br_if 2 (;@4;)
                i32.const 1
                local.set 2
                br 3 (;@3;)
              end
              i32.const 0
              local.get 1
              i64.const 1
              i64.add
              i64.store offset=33360
              i32.const 0
              i32.load offset=33308
              local.set 2
              i32.const 0
              i32.load8_u offset=34198
              local.tee 3
              i32.const 1
              i32.ne
              br_if 3 (;@2;)
              local.get 2
              br_if 3 (;@2;)
              i32.const 0
              i32.load8_u offset=34196
              i32.const 1
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              br 3 (;@2;)
            end
          end
          i32.const 0
          i32.const 100
          call 1
          i64.const -1
          i64.gt_s
          local.set 2
        end
        i32.const 0
        local.get 2
        i32.store8 offset=34196
        i32.const 0
        i32.load8_u offset=34198
        local.set 3
        i32.const 0
        i32.load offset=33308
        local.set 2
      end
      i32.const 0
      i32.load8_u offset=34197
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 2
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33324
      br_if 0 (;@1;)
      local.get 3
      i32.const 1
      i32.and
      br_if 0 (;@1;)
      call 5
    end
  )
  (func (;15;) (type 10) (param i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      local.get 1
      local.get 0
      i32.add
      local.tee 0
      local.get 1
      i32.ge_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      call 21
      unreachable
    end
    local.get 2
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=34176
    local.tee 1
    i32.const 0
    i32.load offset=34180
    local.get 0
    local.get 1
    i32.const 1
    i32.shl
    local.tee 1
    local.get 0
    local.get 1
    i32.gt_u
    select
    local.tee 1
    i32.const 8
    local.get 1
    i32.const 8
    i32.gt_u
    select
    local.tee 1
    i32.const 1
    i32.const 1
    call 20
    block ;; label = @1
      local.get 2
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 2
      i32.load offset=8
      local.get 2
      i32.load offset=12
      call 21
      unreachable
    end
    i32.const 0
    local.get 2
    i32.load offset=8
    i32.store offset=34180
    i32.const 0
    local.get 1
    i32.store offset=34176
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;16;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=33312
    local.set 0
    call 19
    block ;; label = @1
      i32.const 0
      i32.load offset=33320
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=33324
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33312
      local.set 3
      block ;; label = @2
        block ;; label = @3
          local.get 0
          local.get 1
          i32.sub
          local.tee 4
          local.get 2
          local.get 4
          i32.sub
          local.tee 2
          i32.le_u
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          i32.sub
          local.get 2
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 3
        local.get 4
        i32.sub
        local.set 0
        block ;; label = @3
          local.get 4
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33316
          local.tee 4
          local.get 0
          i32.const 24
          i32.mul
          i32.add
          local.get 4
          local.get 1
          i32.const 24
          i32.mul
          i32.add
          local.get 2
          memory.copy
        end
        i32.const 0
        local.get 0
        i32.store offset=33320
        return
      end
      local.get 2
      i32.const 24
      i32.mul
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33316
      local.tee 2
      local.get 0
      i32.const 24
      i32.mul
      i32.add
      local.get 2
      local.get 1
      memory.copy
    end
  )
  (func (;17;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=33296
    local.set 0
    call 18
    block ;; label = @1
      i32.const 0
      i32.load offset=33304
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=33308
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33296
      local.set 3
      block ;; label = @2
        block ;; label = @3
          local.get 0
          local.get 1
          i32.sub
          local.tee 4
          local.get 2
          local.get 4
          i32.sub
          local.tee 2
          i32.le_u
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          i32.sub
          local.get 2
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 3
        local.get 4
        i32.sub
        local.set 0
        block ;; label = @3
          local.get 4
          i32.const 4
          i32.shl
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33300
          local.tee 4
          local.get 0
          i32.const 4
          i32.shl
          i32.add
          local.get 4
          local.get 1
          i32.const 4
          i32.shl
          i32.add
          local.get 2
          memory.copy
        end
        i32.const 0
        local.get 0
        i32.store offset=33304
        return
      end
      local.get 2
      i32.const 4
      i32.shl
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33300
      local.tee 2
      local.get 0
      i32.const 4
      i32.shl
      i32.add
      local.get 2
      local.get 1
      memory.copy
    end
  )
  (func (;18;) (type 3)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=33296
    local.tee 1
    i32.const 0
    i32.load offset=33300
    local.get 1
    i32.const 1
    i32.shl
    local.tee 1
    i32.const 4
    local.get 1
    i32.const 4
    i32.gt_u
    select
    local.tee 1
    i32.const 8
    i32.const 16
    call 20
    block ;; label = @1
      local.get 0
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=8
      local.get 0
      i32.load offset=12
      call 21
      unreachable
    end
    i32.const 0
    local.get 0
    i32.load offset=8
    i32.store offset=33300
    i32.const 0
    local.get 1
    i32.store offset=33296
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;19;) (type 3)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=33312
    local.tee 1
    i32.const 0
    i32.load offset=33316
    local.get 1
    i32.const 1
    i32.shl
    local.tee 1
    i32.const 4
    local.get 1
    i32.const 4
    i32.gt_u
    select
    local.tee 1
    i32.const 8
    i32.const 24
    call 20
    block ;; label = @1
      local.get 0
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=8
      local.get 0
      i32.load offset=12
      call 21
      unreachable
    end
    i32.const 0
    local.get 0
    i32.load offset=8
    i32.store offset=33316
    i32.const 0
    local.get 1
    i32.store offset=33312
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;20;) (type 11) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i64 i32 i32 i32)
    i32.const 1
    local.set 6
    i32.const 4
    local.set 7
    block ;; label = @1
      block ;; label = @2
        local.get 5
        i64.extend_i32_u
        local.get 3
        i64.extend_i32_u
        i64.mul
        local.tee 8
        i64.const 32
        i64.shr_u
        i32.wrap_i64
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        local.set 3
        br 1 (;@1;)
      end
      block ;; label = @2
        local.get 8
        i32.wrap_i64
        local.tee 3
        i32.const -2147483648
        local.get 4
        i32.sub
        i32.le_u
        br_if 0 (;@2;)
        i32.const 0
        local.set 3
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 1
                i32.eqz
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 4
                  local.get 5
                  local.get 1
                  i32.mul
                  local.tee 5
                  local.get 4
                  local.get 5
                  i32.gt_u
                  select
                  local.tee 7
                  i32.const 16
                  local.get 7
                  i32.const 16
                  i32.gt_u
                  select
                  i32.const -1
                  i32.add
                  i32.clz
                  local.tee 1
                  local.get 4
                  local.get 3
                  local.get 4
                  local.get 3
                  i32.gt_u
                  select
                  local.tee 7
                  i32.const 16
                  local.get 7
                  i32.const 16
                  i32.gt_u
                  select
                  i32.const -1
                  i32.add
                  i32.clz
                  local.tee 7
                  i32.ne
                  br_if 0 (;@7;)
                  local.get 2
                  local.set 7
                  br 4 (;@3;)
                end
                local.get 3
                i32.const 134217728
                i32.gt_u
                br_if 2 (;@4;)
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 28
                        local.get 7
                        i32.sub
                        local.tee 9
                        i32.const 2
                        i32.shl
                        local.tee 10
                        i32.load offset=54680
                        local.tee 7
                        br_if 0 (;@10;)
                        i32.const 16
                        local.get 9
                        i32.shl
                        local.set 9
                        i32.const 0
                        i32.load offset=54780
                        local.tee 10
                        i32.eqz
                        br_if 1 (;@9;)
                        i32.const 0
                        i32.load offset=54776
                        local.set 7
                        br 2 (;@8;)
                      end
                      local.get 10
                      i32.const 54680
                      i32.add
                      local.get 7
                      i32.load
                      i32.store
                      br 2 (;@7;)
                    end
                    memory.size
                    local.set 10
                    i32.const 54784
                    local.set 7
                    i32.const 0
                    i32.const 54784
                    i32.store offset=54776
                    i32.const 0
                    local.get 10
                    i32.const 16
                    i32.shl
                    local.tee 10
                    i32.store offset=54780
                  end
                  block ;; label = @8
                    i32.const 65536
                    local.get 9
                    local.get 3
                    i32.const 65536
                    i32.gt_u
                    select
                    local.tee 11
                    local.get 7
                    local.get 11
                    i32.const -1
                    i32.add
                    i32.and
                    local.tee 11
                    i32.sub
                    i32.const 0
                    local.get 11
                    select
                    local.get 7
                    i32.add
                    local.tee 7
                    local.get 9
                    i32.add
                    local.tee 9
                    local.get 10
                    i32.le_u
                    br_if 0 (;@8;)
                    local.get 9
                    local.get 10
                    i32.sub
                    local.tee 11
                    i32.const 16
                    i32.shr_u
                    local.get 11
                    i32.const 65535
                    i32.and
                    i32.const 0
                    i32.ne
                    i32.add
                    local.tee 11
                    memory.grow
                    i32.const -1
                    i32.eq
                    br_if 4 (;@4;)
                    i32.const 0
                    local.get 11
                    i32.const 16
                    i32.shl
                    local.get 10
                    i32.add
                    i32.store offset=54780
                  end
                  i32.const 0
                  local.get 9
                  i32.store offset=54776
                  local.get 7
                  i32.eqz
                  br_if 3 (;@4;)
                end
                i32.const 28
                local.get 1
                i32.sub
                local.set 1
                block ;; label = @7
                  local.get 5
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 7
                  local.get 2
                  local.get 5
                  memory.copy
                end
                local.get 2
                local.get 1
                i32.const 2
                i32.shl
                local.tee 5
                i32.load offset=54680
                i32.store
                local.get 5
                local.get 2
                i32.store offset=54680
                br 1 (;@5;)
              end
              block ;; label = @6
                local.get 3
                br_if 0 (;@6;)
                local.get 4
                local.set 7
                br 3 (;@3;)
              end
              local.get 3
              i32.const 134217728
              i32.gt_u
              br_if 1 (;@4;)
              block ;; label = @6
                block ;; label = @7
                  i32.const 28
                  local.get 4
                  local.get 3
                  local.get 4
                  local.get 3
                  i32.gt_u
                  select
                  local.tee 7
                  i32.const 16
                  local.get 7
                  i32.const 16
                  i32.gt_u
                  select
                  i32.const -1
                  i32.add
                  i32.clz
                  i32.sub
                  local.tee 1
                  i32.const 2
                  i32.shl
                  local.tee 5
                  i32.load offset=54680
                  local.tee 7
                  br_if 0 (;@7;)
                  i32.const 16
                  local.get 1
                  i32.shl
                  local.set 1
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=54780
                      local.tee 5
                      i32.eqz
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load offset=54776
                      local.set 7
                      br 1 (;@8;)
                    end
                    memory.size
                    local.set 5
                    i32.const 54784
                    local.set 7
                    i32.const 0
                    i32.const 54784
                    i32.store offset=54776
                    i32.const 0
                    local.get 5
                    i32.const 16
                    i32.shl
                    local.tee 5
                    i32.store offset=54780
                  end
                  i32.const 65536
                  local.get 1
                  local.get 3
                  i32.const 65536
                  i32.gt_u
                  select
                  local.tee 2
                  local.get 7
                  local.get 2
                  i32.const -1
                  i32.add
                  i32.and
                  local.tee 2
                  i32.sub
                  i32.const 0
                  local.get 2
                  select
                  local.get 7
                  i32.add
                  local.tee 7
                  local.get 1
                  i32.add
                  local.tee 1
                  local.get 5
                  i32.le_u
                  br_if 1 (;@6;)
                  local.get 1
                  local.get 5
                  i32.sub
                  local.tee 2
                  i32.const 16
                  i32.shr_u
                  local.get 2
                  i32.const 65535
                  i32.and
                  i32.const 0
                  i32.ne
                  i32.add
                  local.tee 2
                  memory.grow
                  i32.const -1
                  i32.eq
                  br_if 3 (;@4;)
                  i32.const 0
                  local.get 2
                  i32.const 16
                  i32.shl
                  local.get 5
                  i32.add
                  i32.store offset=54780
                  br 1 (;@6;)
                end
                local.get 5
                i32.const 54680
                i32.add
                local.get 7
                i32.load
                i32.store
                br 3 (;@3;)
              end
              i32.const 0
              local.get 1
              i32.store offset=54776
            end
            local.get 7
            br_if 1 (;@3;)
          end
          local.get 0
          local.get 4
          i32.store offset=4
          br 1 (;@2;)
        end
        local.get 0
        local.get 7
        i32.store offset=4
        i32.const 0
        local.set 6
      end
      i32.const 8
      local.set 7
    end
    local.get 0
    local.get 7
    i32.add
    local.get 3
    i32.store
    local.get 0
    local.get 6
    i32.store
  )
  (func (;21;) (type 10) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      call 38
      unreachable
    end
    call 39
    unreachable
  )
  (func (;22;) (type 4) (result i64)
    i64.const 259
  )
  (func (;23;) (type 3)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.store8 offset=34198
      block ;; label = @2
        i32.const 0
        i32.load offset=33308
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.store offset=33308
      end
      i32.const 0
      i32.const 0
      i32.store offset=33304
    end
  )
  (func (;24;) (type 3)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 1
      i32.store8 offset=34199
      call 6
      call 7
      call 14
    end
  )
  (func (;25;) (type 12) (result i32)
    i32.const 34200
  )
  (func (;26;) (type 3)
    (local i32 i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      local.tee 0
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      block ;; label = @2
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        local.get 0
        i32.const 8388608
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33300
        local.tee 1
        i32.const 28
        local.get 0
        i32.const 4
        i32.shl
        local.tee 0
        i32.const 16
        local.get 0
        i32.const 16
        i32.gt_u
        select
        i32.const -1
        i32.add
        i32.clz
        i32.sub
        i32.const 2
        i32.shl
        local.tee 0
        i32.load offset=54680
        i32.store
        local.get 0
        local.get 1
        i32.store offset=54680
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33312
        local.tee 0
        i32.const -1
        i32.add
        i32.const 5592404
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33316
        local.tee 1
        i32.const 28
        local.get 0
        i32.const 24
        i32.mul
        i32.const -1
        i32.add
        i32.clz
        i32.sub
        i32.const 2
        i32.shl
        local.tee 0
        i32.load offset=54680
        i32.store
        local.get 0
        local.get 1
        i32.store offset=54680
      end
      i32.const 0
      i32.load offset=34176
      local.tee 0
      i32.const -1
      i32.add
      i32.const 134217727
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34180
      local.tee 1
      i32.const 28
      local.get 0
      i32.const 16
      local.get 0
      i32.const 16
      i32.gt_u
      select
      i32.const -1
      i32.add
      i32.clz
      i32.sub
      i32.const 2
      i32.shl
      local.tee 0
      i32.load offset=54680
      i32.store
      local.get 0
      local.get 1
      i32.store offset=54680
    end
    i32.const 0
    i64.const 0
    i64.store offset=33320
    i32.const 0
    i64.const 34359738368
    i64.store offset=33312
    i32.const 0
    i64.const 0
    i64.store offset=33304
    i32.const 0
    i64.const 34359738368
    i64.store offset=33296
    i32.const 0
    i64.const 0
    i64.store offset=33328
    i32.const 0
    i64.const -1
    i64.store offset=33336
    i32.const 0
    i64.const -1
    i64.store offset=33344
    i32.const 0
    i64.const 0
    i64.store offset=34144
    i32.const 0
    i32.const 2
    i32.store offset=33352
    i32.const 33360
    i32.const 0
    i32.const 780
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=34160
    i32.const 0
    i64.const -1
    i64.store offset=34152
    i32.const 0
    i64.const 0
    i64.store offset=34184
    i32.const 0
    i64.const 4294967296
    i64.store offset=34176
    i32.const 0
    i32.const 1
    i32.store offset=34168
    i32.const 0
    i64.const 0
    i64.store offset=34192
  )
  (func (;27;) (type 0) (param i32 i32) (result i64)
    (local i64 i32 i32)
    i64.const -4
    local.set 2
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i64.const -5
      local.set 2
      local.get 0
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load8_u offset=34200
            br_table 0 (;@4;) 1 (;@3;) 3 (;@1;)
          end
          i32.const 0
          i32.const 0
          i32.store offset=34184
          i32.const 0
          i32.const 0
          i32.store8 offset=34198
          br 1 (;@2;)
        end
        i32.const 0
        i32.const 1
        i32.store8 offset=34198
        block ;; label = @3
          i32.const 0
          i32.load offset=34188
          local.tee 0
          i32.const 0
          i32.load offset=34184
          local.tee 1
          i32.le_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 0
            local.get 1
            i32.sub
            local.tee 3
            i32.const 0
            i32.load offset=34176
            local.get 1
            i32.sub
            i32.le_u
            br_if 0 (;@4;)
            local.get 1
            local.get 3
            call 15
            i32.const 0
            i32.load offset=34184
            local.set 1
          end
          i32.const 0
          i32.load offset=34180
          local.tee 4
          local.get 1
          i32.add
          local.set 0
          block ;; label = @4
            local.get 3
            i32.const 2
            i32.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 3
              i32.const -1
              i32.add
              local.tee 3
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              i32.const 0
              local.get 3
              memory.fill
            end
            local.get 4
            local.get 1
            local.get 3
            i32.add
            local.tee 1
            i32.add
            local.set 0
          end
          local.get 0
          i32.const 0
          i32.store8
          local.get 1
          i32.const 1
          i32.add
          local.set 0
        end
        i32.const 0
        local.get 0
        i32.store offset=34184
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34180
        i32.const 2
        i32.store8
      end
      call 7
      call 14
      i64.const 0
      local.set 2
    end
    local.get 2
  )
  (func (;28;) (type 10) (param i32 i32)
    (local i32 i32 i64 i64 i64 i32 i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          i32.const 46488
          local.set 2
          local.get 1
          i32.const 64
          local.get 1
          i32.const 64
          i32.lt_u
          select
          i32.const 7
          i32.shl
          i32.const 46488
          i32.add
          local.set 3
          loop ;; label = @4
            local.get 2
            i32.const 16
            i32.add
            local.get 0
            i32.const 7
            i32.shl
            i32.const 8064
            i32.and
            local.tee 1
            i64.load offset=38312 align=1
            i64.store
            local.get 2
            i32.const 8
            i32.add
            local.get 1
            i64.load offset=38304 align=1
            i64.store
            local.get 2
            local.get 1
            i32.load8_u offset=38320
            i32.const 1
            i32.eq
            i64.extend_i32_u
            i64.store
            local.get 1
            i64.load offset=38296 align=1
            local.set 4
            local.get 2
            i32.const 24
            i32.add
            local.get 1
            i32.const 38328
            i32.add
            i32.const 96
            memory.copy
            local.get 2
            i32.const 120
            i32.add
            local.get 4
            i64.store
            local.get 0
            i32.const 1
            i32.add
            local.set 0
            local.get 2
            i32.const 128
            i32.add
            local.tee 2
            local.get 3
            i32.ne
            br_if 0 (;@4;)
          end
          i32.const 0
          i32.load offset=33296
          i32.const -2147483648
          i32.eq
          br_if 2 (;@1;)
          i64.const 0
          i64.const -1
          call 7
          local.tee 5
          i64.const 25
          i64.add
          local.tee 4
          local.get 4
          local.get 5
          i64.lt_u
          select
          local.tee 6
          local.get 5
          i64.sub
          local.tee 4
          local.get 4
          local.get 6
          i64.gt_u
          select
          local.tee 4
          i64.const 4294967295
          local.get 4
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          local.set 7
          i32.const 46488
          local.set 1
          i32.const 0
          local.set 8
          loop ;; label = @4
            block ;; label = @5
              local.get 1
              i32.load offset=124
              local.tee 9
              i32.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 1
                          i32.load8_u offset=24
                          i32.const -1
                          i32.add
                          br_table 0 (;@11;) 1 (;@10;) 3 (;@8;) 6 (;@5;)
                        end
                        local.get 9
                        i32.const 1
                        i32.ne
                        br_if 1 (;@9;)
                        br 5 (;@5;)
                      end
                      local.get 9
                      i32.const 1
                      i32.eq
                      br_if 4 (;@5;)
                    end
                    local.get 1
                    i32.load
                    i32.const 1
                    i32.and
                    br_if 1 (;@7;)
                    i32.const 0
                    local.set 0
                    br 2 (;@6;)
                  end
                  local.get 9
                  i32.const 1
                  i32.eq
                  br_if 2 (;@5;)
                  local.get 1
                  i32.const 26
                  i32.add
                  local.tee 10
                  local.get 9
                  i32.const 96
                  local.get 9
                  i32.const 96
                  i32.lt_u
                  select
                  i32.const -2
                  i32.add
                  i32.const -16
                  i32.and
                  i32.add
                  local.set 11
                  local.get 1
                  i32.load8_u offset=25
                  local.tee 2
                  i32.const 25
                  local.get 2
                  i32.const 25
                  i32.lt_u
                  select
                  i32.const 1000
                  i32.mul
                  local.set 12
                  i32.const 3
                  local.set 2
                  loop ;; label = @8
                    i32.const 0
                    local.get 11
                    local.get 10
                    i32.sub
                    i32.const 4
                    i32.shr_u
                    local.tee 0
                    local.get 2
                    i32.sub
                    local.tee 13
                    local.get 13
                    local.get 0
                    i32.gt_u
                    select
                    local.tee 13
                    local.get 0
                    i32.ge_u
                    br_if 3 (;@5;)
                    local.get 11
                    local.get 13
                    i32.const 4
                    i32.shl
                    i32.sub
                    local.tee 9
                    i32.const -16
                    i32.add
                    local.tee 11
                    i32.eqz
                    br_if 3 (;@5;)
                    local.get 13
                    local.get 0
                    i32.lt_u
                    local.set 0
                    local.get 2
                    i32.const -1
                    i32.add
                    local.set 2
                    local.get 9
                    i32.const -8
                    i32.add
                    i64.load align=1
                    local.set 14
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i64.load offset=33360
                        local.tee 15
                        i64.const -4294967296
                        i64.and
                        local.get 11
                        i64.load align=1
                        local.tee 16
                        i64.const 32
                        i64.shr_u
                        i64.or
                        local.tee 4
                        local.get 15
                        i64.le_u
                        br_if 0 (;@10;)
                        local.get 15
                        i64.const 4294967296
                        i64.lt_u
                        br_if 1 (;@9;)
                        local.get 4
                        i64.const -4294967296
                        i64.add
                        local.set 4
                      end
                      local.get 4
                      i64.eqz
                      br_if 0 (;@9;)
                      block ;; label = @10
                        local.get 4
                        i64.const -1
                        i64.add
                        local.tee 17
                        i64.const -4294967296
                        i64.and
                        local.get 16
                        i64.const 4294967295
                        i64.and
                        i64.or
                        local.tee 15
                        local.get 17
                        i64.le_u
                        br_if 0 (;@10;)
                        local.get 4
                        i64.const 4294967297
                        i64.lt_u
                        br_if 1 (;@9;)
                        local.get 15
                        i64.const -4294967296
                        i64.add
                        local.set 15
                      end
                      local.get 15
                      local.get 4
                      local.get 14
                      i32.const 0
                      local.get 12
                      local.get 2
                      local.get 11
                      local.get 10
                      i32.sub
                      i32.const 4
                      i32.shr_u
                      local.tee 13
                      local.get 2
                      local.get 13
                      i32.lt_u
                      select
                      select
                      call 8
                      i64.const 0
                      i64.lt_s
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load offset=33324
                      local.tee 18
                      i32.eqz
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load offset=33316
                      local.tee 19
                      i32.const 0
                      i32.load offset=33320
                      local.tee 20
                      i32.const 0
                      i32.const 0
                      i32.load offset=33312
                      local.tee 13
                      local.get 20
                      local.get 13
                      i32.lt_u
                      select
                      i32.sub
                      i32.const 24
                      i32.mul
                      i32.add
                      i64.load
                      local.get 4
                      i64.gt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 18
                      i32.const -1
                      i32.add
                      local.tee 21
                      i32.store offset=33324
                      i32.const 0
                      local.get 20
                      i32.const 1
                      i32.add
                      local.tee 9
                      i32.const 0
                      local.get 13
                      local.get 9
                      local.get 13
                      i32.lt_u
                      select
                      i32.sub
                      local.tee 9
                      i32.store offset=33320
                      local.get 19
                      local.get 20
                      i32.const 24
                      i32.mul
                      i32.add
                      i64.load offset=8
                      local.set 15
                      block ;; label = @10
                        local.get 21
                        i32.eqz
                        br_if 0 (;@10;)
                        local.get 19
                        local.get 9
                        i32.const 0
                        local.get 13
                        local.get 9
                        local.get 13
                        i32.lt_u
                        select
                        i32.sub
                        i32.const 24
                        i32.mul
                        i32.add
                        i64.load
                        local.get 4
                        i64.gt_u
                        br_if 0 (;@10;)
                        local.get 18
                        i32.const -2
                        i32.add
                        local.set 20
                        block ;; label = @11
                          loop ;; label = @12
                            i32.const 0
                            local.get 20
                            i32.store offset=33324
                            i32.const 0
                            local.get 9
                            local.tee 18
                            i32.const 1
                            i32.add
                            local.tee 9
                            i32.const 0
                            local.get 13
                            local.get 9
                            local.get 13
                            i32.lt_u
                            select
                            i32.sub
                            local.tee 9
                            i32.store offset=33320
                            local.get 20
                            i32.eqz
                            br_if 1 (;@11;)
                            local.get 20
                            i32.const -1
                            i32.add
                            local.set 20
                            local.get 19
                            local.get 9
                            i32.const 0
                            local.get 13
                            local.get 9
                            local.get 13
                            i32.lt_u
                            select
                            i32.sub
                            i32.const 24
                            i32.mul
                            i32.add
                            i64.load
                            local.get 4
                            i64.le_u
                            br_if 0 (;@12;)
                          end
                        end
                        local.get 19
                        local.get 18
                        i32.const 24
                        i32.mul
                        i32.add
                        i64.load offset=8
                        local.set 15
                      end
                      local.get 15
                      call 9
                      drop
                    end
                    local.get 11
                    local.get 10
                    local.get 0
                    select
                    local.set 11
                    local.get 2
                    br_if 0 (;@8;)
                    br 3 (;@5;)
                  end
                end
                block ;; label = @7
                  local.get 1
                  i64.load offset=8
                  local.tee 4
                  i64.const 1
                  i64.add
                  local.tee 15
                  i64.eqz
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 0
                  br 1 (;@6;)
                end
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              i32.const 0
                              i32.load offset=34136
                              local.tee 10
                              i32.const 33
                              i32.ge_u
                              br_if 0 (;@13;)
                              local.get 1
                              i64.load offset=16
                              local.set 16
                              local.get 10
                              i32.const 24
                              i32.mul
                              local.set 2
                              local.get 10
                              local.set 0
                              block ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    block ;; label = @17
                                      block ;; label = @18
                                        block ;; label = @19
                                          block ;; label = @20
                                            block ;; label = @21
                                              loop ;; label = @22
                                                local.get 0
                                                local.set 11
                                                local.get 2
                                                i32.eqz
                                                br_if 1 (;@21;)
                                                local.get 11
                                                i32.const -1
                                                i32.add
                                                local.set 0
                                                local.get 2
                                                i32.const 33344
                                                i32.add
                                                local.set 13
                                                local.get 2
                                                i32.const -24
                                                i32.add
                                                local.set 2
                                                local.get 13
                                                i64.load
                                                local.get 4
                                                i64.gt_u
                                                br_if 0 (;@22;)
                                              end
                                              local.get 4
                                              local.get 0
                                              i32.const 24
                                              i32.mul
                                              local.tee 13
                                              i64.load offset=33376
                                              local.tee 14
                                              i64.ge_u
                                              br_if 1 (;@20;)
                                              i32.const 0
                                              local.set 0
                                              br 15 (;@6;)
                                            end
                                            i32.const 1
                                            local.set 11
                                            local.get 10
                                            br_if 1 (;@19;)
                                            i32.const 0
                                            local.set 10
                                            i32.const 0
                                            local.set 0
                                            br 9 (;@11;)
                                          end
                                          local.get 11
                                          local.get 10
                                          i32.lt_u
                                          br_if 1 (;@18;)
                                          local.get 14
                                          local.get 4
                                          i64.eq
                                          br_if 4 (;@15;)
                                          br 7 (;@12;)
                                        end
                                        i32.const 33368
                                        local.set 2
                                        i32.const 0
                                        i64.load offset=33368
                                        local.get 15
                                        i64.eq
                                        br_if 1 (;@17;)
                                        i32.const 0
                                        local.set 0
                                        local.get 10
                                        i32.const 32
                                        i32.ne
                                        br_if 7 (;@11;)
                                        br 12 (;@6;)
                                      end
                                      local.get 11
                                      i32.const 24
                                      i32.mul
                                      local.tee 20
                                      i32.const 33368
                                      i32.add
                                      local.set 2
                                      local.get 20
                                      i64.load offset=33368
                                      local.set 17
                                      local.get 14
                                      local.get 4
                                      i64.eq
                                      br_if 1 (;@16;)
                                      local.get 17
                                      local.get 15
                                      i64.ne
                                      br_if 5 (;@12;)
                                    end
                                    local.get 2
                                    local.get 4
                                    i64.store
                                    local.get 2
                                    local.get 2
                                    i64.load offset=16
                                    local.get 16
                                    i64.xor
                                    i64.store offset=16
                                    br 6 (;@10;)
                                  end
                                  local.get 17
                                  local.get 15
                                  i64.eq
                                  br_if 1 (;@14;)
                                end
                                local.get 13
                                local.get 15
                                i64.store offset=33376
                                local.get 13
                                local.get 13
                                i64.load offset=33384
                                local.get 16
                                i64.xor
                                i64.store offset=33384
                                br 4 (;@10;)
                              end
                              local.get 2
                              i64.load offset=16
                              local.set 4
                              local.get 13
                              local.get 2
                              i64.load offset=8
                              i64.store offset=33376
                              local.get 13
                              local.get 4
                              local.get 13
                              i64.load offset=33384
                              i64.xor
                              local.get 16
                              i64.xor
                              i64.store offset=33384
                              block ;; label = @14
                                local.get 10
                                local.get 11
                                i32.const 1
                                i32.add
                                local.tee 0
                                i32.sub
                                i32.const 24
                                i32.mul
                                local.tee 11
                                i32.eqz
                                br_if 0 (;@14;)
                                local.get 2
                                local.get 0
                                i32.const 24
                                i32.mul
                                i32.const 33368
                                i32.add
                                local.get 11
                                memory.copy
                              end
                              i32.const 0
                              i32.const 0
                              i32.load offset=34136
                              i32.const -1
                              i32.add
                              i32.store offset=34136
                              br 3 (;@10;)
                            end
                            i32.const 0
                            local.get 10
                            i32.const 32
                            i32.const 33256
                            call 13
                            unreachable
                          end
                          block ;; label = @12
                            block ;; label = @13
                              local.get 10
                              i32.const 32
                              i32.ne
                              br_if 0 (;@13;)
                              local.get 11
                              br_if 1 (;@12;)
                              i32.const 0
                              local.set 0
                              br 7 (;@6;)
                            end
                            block ;; label = @13
                              local.get 11
                              local.get 10
                              i32.gt_u
                              br_if 0 (;@13;)
                              local.get 11
                              local.set 0
                              local.get 11
                              i32.const 1
                              i32.add
                              local.set 11
                              br 2 (;@11;)
                            end
                            local.get 11
                            local.get 10
                            i32.const 32
                            i32.const 33208
                            call 13
                            unreachable
                          end
                          i32.const 33368
                          i32.const 33392
                          i32.const 744
                          memory.copy
                          i32.const 31
                          local.set 10
                          i32.const 0
                          i32.const 31
                          i32.store offset=34136
                        end
                        local.get 11
                        i32.const 32
                        local.get 10
                        local.get 0
                        i32.sub
                        local.tee 13
                        i32.sub
                        i32.gt_u
                        br_if 1 (;@9;)
                        local.get 0
                        i32.const 24
                        i32.mul
                        local.set 2
                        block ;; label = @11
                          local.get 13
                          i32.const 24
                          i32.mul
                          local.tee 0
                          i32.eqz
                          br_if 0 (;@11;)
                          local.get 11
                          i32.const 24
                          i32.mul
                          i32.const 33368
                          i32.add
                          local.get 2
                          i32.const 33368
                          i32.add
                          local.get 0
                          memory.copy
                        end
                        local.get 2
                        local.get 4
                        i64.store offset=33368
                        local.get 2
                        local.get 16
                        i64.store offset=33384
                        local.get 2
                        local.get 15
                        i64.store offset=33376
                        i32.const 0
                        i32.const 0
                        i32.load offset=34136
                        i32.const 1
                        i32.add
                        i32.store offset=34136
                      end
                      i32.const 0
                      local.get 5
                      i64.store offset=34144
                      i32.const 0
                      i32.const 0
                      i32.load offset=34192
                      i32.const 1
                      i32.add
                      local.tee 2
                      i32.store offset=34192
                      local.get 2
                      i32.const 1
                      i32.gt_u
                      br_if 1 (;@8;)
                      i32.const 0
                      i64.load offset=34152
                      i64.const -1
                      i64.ne
                      br_if 2 (;@7;)
                      i32.const 0
                      local.get 6
                      i64.store offset=34152
                      local.get 6
                      i32.const 0
                      i64.load offset=34160
                      i64.ge_u
                      br_if 2 (;@7;)
                      i32.const 0
                      i32.load offset=34168
                      local.get 7
                      call 1
                      i64.const 0
                      i64.lt_s
                      br_if 2 (;@7;)
                      i32.const 0
                      local.get 6
                      i64.store offset=34160
                      br 2 (;@7;)
                    end
                    i32.const 33272
                    i32.const 43
                    i32.const 33240
                    call 29
                    unreachable
                  end
                  local.get 5
                  call 12
                end
                i32.const 0
                local.set 0
                local.get 1
                i32.load8_u offset=24
                i32.const 1
                i32.ne
                br_if 0 (;@6;)
                local.get 1
                i32.load offset=120
                i32.const 2
                local.get 9
                call 10
                i64.const -1
                i64.gt_s
                local.set 0
              end
              local.get 8
              local.get 0
              i32.or
              local.set 8
            end
            local.get 1
            i32.const 128
            i32.add
            local.tee 1
            local.get 3
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 8
          i32.const 1
          i32.and
          i32.eqz
          br_if 1 (;@2;)
          call 11
          br 1 (;@2;)
        end
        i32.const 0
        i32.load offset=33296
        i32.const -2147483648
        i32.eq
        br_if 1 (;@1;)
        call 7
        local.set 5
      end
      local.get 5
      call 14
    end
  )
  (func (;29;) (type 13) (param i32 i32 i32)
    unreachable
  )
  (func (;30;) (type 3)
    (local i64)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      call 7
      local.set 0
      i32.const 0
      i32.const 0
      i32.store8 offset=34196
      local.get 0
      call 14
    end
  )
  (func (;31;) (type 12) (result i32)
    i32.const 38296
  )
  (func (;32;) (type 14) (param i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.store8 offset=34198
      block ;; label = @2
        i32.const 0
        i32.load offset=33308
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.store offset=33308
      end
      i32.const 0
      i32.const 0
      i32.store offset=33304
      call 5
    end
  )
  (func (;33;) (type 14) (param i32)
    (local i64 i64 i64 i32 i32 i32 i32 i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      call 7
      local.set 1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 0
              i32.const 1
              i32.add
              br_table 0 (;@5;) 0 (;@5;) 1 (;@4;) 2 (;@3;) 3 (;@2;)
            end
            i32.const 0
            i32.const 0
            i32.store8 offset=34196
            br 2 (;@2;)
          end
          i32.const 0
          i64.const -1
          i64.store offset=34160
          block ;; label = @4
            local.get 1
            i32.const 0
            i64.load offset=34152
            local.tee 2
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i64.const -1
            i64.store offset=34152
            i32.const 0
            i32.load offset=34192
            i32.eqz
            br_if 2 (;@2;)
            local.get 1
            call 12
            br 2 (;@2;)
          end
          local.get 2
          i64.const -1
          i64.eq
          br_if 1 (;@2;)
          i32.const 0
          i32.load offset=34168
          i64.const 0
          local.get 2
          local.get 1
          i64.sub
          local.tee 3
          local.get 3
          local.get 2
          i64.gt_u
          select
          local.tee 3
          i64.const 4294967295
          local.get 3
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 1
          i64.const 0
          i64.lt_s
          br_if 1 (;@2;)
          i32.const 0
          local.get 2
          i64.store offset=34160
          br 1 (;@2;)
        end
        i32.const 0
        i64.const -1
        i64.store offset=33344
        block ;; label = @3
          local.get 1
          i32.const 0
          i64.load offset=33336
          local.tee 2
          i64.lt_u
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=33336
          i32.const 0
          i32.load offset=33324
          local.tee 4
          i32.eqz
          br_if 1 (;@2;)
          i32.const 0
          i32.load offset=33316
          local.tee 5
          i32.const 0
          i32.load offset=33320
          local.tee 6
          i32.const 0
          i32.const 0
          i32.load offset=33312
          local.tee 0
          local.get 6
          local.get 0
          i32.lt_u
          select
          i32.sub
          i32.const 24
          i32.mul
          i32.add
          i32.const 16
          i32.add
          i64.load
          i64.const 1000
          i64.add
          local.get 1
          i64.gt_u
          br_if 1 (;@2;)
          i32.const 0
          local.get 4
          i32.const -1
          i32.add
          local.tee 7
          i32.store offset=33324
          i32.const 0
          local.get 6
          i32.const 1
          i32.add
          local.tee 8
          i32.const 0
          local.get 0
          local.get 8
          local.get 0
          i32.lt_u
          select
          i32.sub
          local.tee 8
          i32.store offset=33320
          local.get 5
          local.get 6
          i32.const 24
          i32.mul
          i32.add
          i64.load offset=8
          local.set 2
          block ;; label = @4
            local.get 7
            i32.eqz
            br_if 0 (;@4;)
            local.get 5
            local.get 8
            i32.const 0
            local.get 0
            local.get 8
            local.get 0
            i32.lt_u
            select
            i32.sub
            i32.const 24
            i32.mul
            i32.add
            i32.const 16
            i32.add
            i64.load
            i64.const 1000
            i64.add
            local.get 1
            i64.gt_u
            br_if 0 (;@4;)
            local.get 4
            i32.const -2
            i32.add
            local.set 6
            block ;; label = @5
              loop ;; label = @6
                i32.const 0
                local.get 6
                i32.store offset=33324
                i32.const 0
                local.get 8
                local.tee 4
                i32.const 1
                i32.add
                local.tee 8
                i32.const 0
                local.get 0
                local.get 8
                local.get 0
                i32.lt_u
                select
                i32.sub
                local.tee 8
                i32.store offset=33320
                local.get 6
                i32.eqz
                br_if 1 (;@5;)
                local.get 6
                i32.const -1
                i32.add
                local.set 6
                local.get 5
                local.get 8
                i32.const 0
                local.get 0
                local.get 8
                local.get 0
                i32.lt_u
                select
                i32.sub
                i32.const 24
                i32.mul
                i32.add
                i32.const 16
                i32.add
                i64.load
                i64.const 1000
                i64.add
                local.get 1
                i64.le_u
                br_if 0 (;@6;)
              end
            end
            local.get 5
            local.get 4
            i32.const 24
            i32.mul
            i32.add
            i64.load offset=8
            local.set 2
          end
          local.get 2
          call 9
          drop
          br 1 (;@2;)
        end
        local.get 2
        i64.const -1
        i64.eq
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33352
        i64.const 0
        local.get 2
        local.get 1
        i64.sub
        local.tee 3
        local.get 3
        local.get 2
        i64.gt_u
        select
        local.tee 3
        i64.const 4294967295
        local.get 3
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 1
        i64.const 0
        i64.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 2
        i64.store offset=33344
      end
      local.get 1
      call 14
    end
  )
  (func (;34;) (type 15) (param i32 i64)
    (local i64 i64 i32)
    block ;; label = @1
      local.get 0
      i32.const 2
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33296
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      call 7
      local.set 2
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            br_table 1 (;@3;) 2 (;@2;) 0 (;@4;) 1 (;@3;)
          end
          i32.const 0
          i32.const 1
          i32.store8 offset=34197
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=33328
        local.set 3
        i32.const 0
        local.get 1
        i64.store offset=33328
        i32.const 0
        i32.load offset=33308
        local.tee 0
        i32.const 1024
        i32.ge_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 0
          i32.const 0
          i32.load offset=33296
          local.tee 4
          i32.ne
          br_if 0 (;@3;)
          call 17
          i32.const 0
          i32.load offset=33296
          local.set 4
          i32.const 0
          i32.load offset=33308
          local.set 0
        end
        i32.const 0
        local.get 0
        i32.const 1
        i32.add
        i32.store offset=33308
        i32.const 0
        i32.load offset=33300
        i32.const 0
        i32.load offset=33304
        local.get 0
        i32.add
        local.tee 0
        i32.const 0
        local.get 4
        local.get 0
        local.get 4
        i32.lt_u
        select
        i32.sub
        i32.const 4
        i32.shl
        i32.add
        local.tee 0
        local.get 1
        i64.store offset=8
        local.get 0
        local.get 3
        i64.store
      end
      local.get 2
      call 14
    end
  )
  (func (;35;) (type 14) (param i32)
    local.get 0
    call 36
    unreachable
  )
  (func (;36;) (type 14) (param i32)
    call 37
    unreachable
  )
  (func (;37;) (type 3)
    unreachable
  )
  (func (;38;) (type 14) (param i32)
    local.get 0
    call 35
    unreachable
  )
  (func (;39;) (type 3)
    i32.const 33173
    i32.const 35
    i32.const 33192
    call 29
    unreachable
  )
  (data (;0;) (i32.const 32768) "\16slice index starts at \c0\0d but ends at \c0\00\12range start index \c0\22 out of range for slice of length \c0\00\10range end index \c0\22 out of range for slice of length \c0\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs\00/tng/transports/stp/abi/src/receipts.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00\01\00a message is larger than a segment, and is droppedcapacity overflow\00\00\10\81\00\00P\00\00\00\1c\00\00\00\05\00\00\00\98\80\00\00O\00\00\00\07\04\00\007\00\00\00\e8\80\00\00'\00\00\00G\00\00\00\14\00\00\00\e8\80\00\00'\00\00\00?\00\00\00\15\00\00\00\e8\80\00\00'\00\00\00\1a\00\00\00 \00\00\00dest is out of bounds")
  (data (;1;) (i32.const 33296) "\00\00\00\80\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
