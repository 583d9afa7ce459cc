(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (type (;2;) (func))
  (type (;3;) (func (param i32 i32) (result i64)))
  (type (;4;) (func (param i32) (result i64)))
  (type (;5;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;6;) (func (result i64)))
  (type (;7;) (func (param i64) (result i64)))
  (type (;8;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;9;) (func (param i32 i32 i32) (result i64)))
  (type (;10;) (func (param i32 i64)))
  (type (;11;) (func (param i32 i32 i32)))
  (type (;12;) (func (param i32)))
  (type (;13;) (func (param i32 i32 i32 i32 i32 i32)))
  (type (;14;) (func (result i32)))
  (type (;15;) (func (param i32 i32)))
  (type (;16;) (func (param i32 i32 i32 i32) (result i32)))
  (type (;17;) (func (param i32 i32 i32 i32 i32) (result i32)))
  (type (;18;) (func (param i32 i64 i64) (result i32)))
  (type (;19;) (func (param i32 i64 i64 i64 i32) (result i32)))
  (type (;20;) (func (param i32 i64) (result i32)))
  (type (;21;) (func (param i32 i32 i32 i32 i64 i64)))
  (type (;22;) (func (param i32 i32 i32 i32)))
  (type (;23;) (func (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "tng" "proto_done" (func (;0;) (type 2)))
  (import "tng" "net_sendack" (func (;1;) (type 3) (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func (;2;) (type 3) (param i32 i32) (result i64)))
  (import "tng" "so_connected" (func (;3;) (type 2)))
  (import "tng" "log" (func (;4;) (type 3) (param i32 i32) (result i64)))
  (import "tng" "route" (func (;5;) (type 4) (param i32) (result i64)))
  (import "tng" "ack_sum" (func (;6;) (type 5) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "gettick" (func (;7;) (type 6) (result i64)))
  (import "tng" "so_drop" (func (;8;) (type 7) (param i64) (result i64)))
  (import "tng" "net_send" (func (;9;) (type 8) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "so_append" (func (;10;) (type 9) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;11;) (type 2)))
  (table (;0;) 2 2 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 46960)
  (global (;2;) i32 i32.const 46960)
  (export "memory" (memory 0))
  (export "abi" (func 20))
  (export "abort" (func 21))
  (export "accept" (func 22))
  (export "area" (func 23))
  (export "attach" (func 24))
  (export "call" (func 25))
  (export "input" (func 26))
  (export "path_changed" (func 27))
  (export "ring" (func 28))
  (export "shutdown" (func 29))
  (export "timer" (func 30))
  (export "usrreq" (func 31))
  (export "connect" (func 22))
  (export "__heap_base" (global 1))
  (export "__data_end" (global 2))
  (elem (;0;) (i32.const 1) func 66)
  (func (;12;) (type 10) (param i32 i64)
    (local i32 i64 i32 i32 i32 i32 i64 i32)
    global.get 0
    i32.const 96
    i32.sub
    local.tee 2
    global.set 0
    i32.const 0
    i64.load offset=34512
    local.set 3
    local.get 2
    i64.const 0
    i64.store offset=56 align=2
    local.get 2
    i64.const 0
    i64.store offset=48 align=2
    local.get 2
    i64.const 0
    i64.store offset=40 align=2
    local.get 2
    i64.const 0
    i64.store offset=32 align=2
    local.get 2
    i64.const 0
    i64.store offset=24 align=2
    local.get 2
    i64.const 0
    i64.store offset=16 align=2
    local.get 2
    i64.const 0
    local.get 1
    local.get 3
    i64.sub
    local.tee 3
    local.get 3
    local.get 1
    i64.gt_u
    select
    local.tee 3
    local.get 3
    i64.const 0
    i64.ne
    i64.extend_i32_u
    i64.sub
    local.tee 3
    i64.const 25
    local.get 3
    i64.const 25
    i64.lt_u
    select
    i32.wrap_i64
    i32.const 8
    i32.shl
    i32.const 3
    i32.or
    i32.store16 offset=14
    local.get 2
    i32.const 33736
    call 43
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 2
          i32.load
          local.tee 4
          local.get 2
          i32.load offset=4
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
          i32.const 2
          local.set 6
          br 1 (;@2;)
        end
        local.get 5
        i32.const -24
        i32.add
        local.set 5
        i32.const 2
        local.set 7
        block ;; label = @3
          loop ;; label = @4
            local.get 5
            i32.const 16
            i32.add
            i64.load
            local.set 3
            local.get 5
            i64.load
            local.set 8
            local.get 2
            local.get 5
            i32.const 8
            i32.add
            i64.load
            i64.store32 offset=92
            local.get 2
            local.get 8
            i64.store32 offset=88
            local.get 2
            local.get 3
            i64.store offset=80
            local.get 2
            i32.const 64
            i32.add
            local.get 2
            i32.const 80
            i32.add
            call 40
            local.get 2
            i32.const 14
            i32.add
            local.get 7
            i32.add
            local.tee 6
            local.get 2
            i64.load offset=72 align=1
            i64.store offset=8 align=1
            local.get 6
            local.get 2
            i64.load offset=64 align=1
            i64.store align=1
            local.get 7
            i32.const 16
            i32.add
            local.set 6
            local.get 5
            local.get 4
            i32.eq
            br_if 1 (;@3;)
            local.get 5
            i32.const -24
            i32.add
            local.set 5
            local.get 7
            i32.const 34
            i32.ne
            local.set 9
            local.get 6
            local.set 7
            local.get 9
            br_if 0 (;@4;)
          end
        end
        local.get 6
        i32.const -16
        i32.add
        i32.const 35
        i32.ge_u
        br_if 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          local.get 0
          local.get 2
          i32.const 14
          i32.add
          local.get 6
          call 46
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=34520
          i32.const 0
          i32.const 0
          i32.store offset=34560
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=34520
        i64.const -1
        i64.ne
        br_if 0 (;@2;)
        i32.const 0
        i64.const -1
        local.get 1
        i64.const 25
        i64.add
        local.tee 3
        local.get 3
        local.get 1
        i64.lt_u
        select
        local.tee 3
        i64.store offset=34520
        local.get 3
        i32.const 0
        i64.load offset=34528
        i64.ge_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 0
        i32.load offset=34536
        i64.const 0
        local.get 3
        local.get 1
        i64.sub
        local.tee 8
        local.get 8
        local.get 3
        i64.gt_u
        select
        local.tee 8
        i64.const 4294967295
        local.get 8
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 47
        i32.const 255
        i32.and
        i32.const 7
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.get 3
        i64.store offset=34528
      end
      local.get 2
      i32.const 96
      i32.add
      global.set 0
      return
    end
    i32.const 0
    local.get 6
    i32.const 50
    i32.const 33256
    call 61
    unreachable
  )
  (func (;13;) (type 11) (param i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 3
    global.set 0
    block ;; label = @1
      local.get 2
      local.get 1
      i32.add
      local.tee 1
      local.get 2
      i32.ge_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      call 57
      unreachable
    end
    local.get 3
    i32.const 4
    i32.add
    local.get 0
    i32.load
    local.tee 2
    local.get 0
    i32.load offset=4
    local.get 1
    local.get 2
    i32.const 1
    i32.shl
    local.tee 2
    local.get 1
    local.get 2
    i32.gt_u
    select
    local.tee 2
    i32.const 8
    local.get 2
    i32.const 8
    i32.gt_u
    select
    local.tee 2
    i32.const 1
    i32.const 1
    call 19
    block ;; label = @1
      local.get 3
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 3
      i32.load offset=8
      local.get 3
      i32.load offset=12
      call 57
      unreachable
    end
    local.get 3
    i32.load offset=8
    local.set 1
    local.get 0
    local.get 2
    i32.store
    local.get 0
    local.get 1
    i32.store offset=4
    local.get 3
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;14;) (type 10) (param i32 i64)
    (local i32 i64 i32 i32 i32 i32 i64)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34567
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const -1
        local.get 0
        i32.const 0
        call 50
        local.tee 3
        i32.wrap_i64
        i32.const 2
        local.get 3
        i64.const 2
        i64.gt_u
        select
        local.get 3
        i64.const 4294967295
        i64.gt_u
        select
        local.tee 4
        i32.const 0
        i32.load offset=34556
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        local.get 4
        i32.store offset=34556
        block ;; label = @3
          local.get 4
          i32.const 0
          i32.const 0
          i32.load8_u offset=34566
          select
          local.tee 4
          i32.const 0
          i32.load offset=34552
          local.tee 5
          i32.le_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 4
            local.get 5
            i32.sub
            local.tee 6
            i32.const 0
            i32.load offset=34544
            local.get 5
            i32.sub
            i32.le_u
            br_if 0 (;@4;)
            i32.const 34544
            local.get 5
            local.get 6
            call 13
            i32.const 0
            i32.load offset=34552
            local.set 5
          end
          i32.const 0
          i32.load offset=34548
          local.tee 7
          local.get 5
          i32.add
          local.set 4
          block ;; label = @4
            local.get 6
            i32.const 2
            i32.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 6
              i32.const -1
              i32.add
              local.tee 6
              i32.eqz
              br_if 0 (;@5;)
              local.get 4
              i32.const 0
              local.get 6
              memory.fill
            end
            local.get 7
            local.get 5
            local.get 6
            i32.add
            local.tee 5
            i32.add
            local.set 4
          end
          local.get 4
          i32.const 0
          i32.store8
          local.get 5
          i32.const 1
          i32.add
          local.set 4
        end
        i32.const 0
        local.get 4
        i32.store offset=34552
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34548
        i32.const 2
        i32.store8
      end
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34564
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33676
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          loop ;; label = @4
            block ;; label = @5
              block ;; label = @6
                i32.const 0
                i32.load offset=33668
                i32.const 0
                i32.load offset=33672
                local.tee 4
                i32.const 0
                i32.const 0
                i32.load offset=33664
                local.tee 5
                local.get 4
                local.get 5
                i32.lt_u
                select
                i32.sub
                i32.const 4
                i32.shl
                i32.add
                local.tee 4
                i64.load offset=8
                local.tee 3
                local.get 4
                i64.load
                local.tee 8
                i64.sub
                i32.const 0
                i32.load offset=34556
                i32.const -2
                i32.add
                i64.extend_i32_u
                i64.gt_u
                br_if 0 (;@6;)
                local.get 2
                local.get 0
                i32.const 33251
                i32.const 2
                local.get 8
                local.get 3
                call 54
                block ;; label = @7
                  local.get 2
                  i32.load8_u
                  i32.eqz
                  br_if 0 (;@7;)
                  block ;; label = @8
                    local.get 2
                    i32.load8_u offset=1
                    i32.eqz
                    br_if 0 (;@8;)
                    local.get 0
                    i32.const 0
                    i32.const 100
                    call 47
                    i32.const 255
                    i32.and
                    i32.const 7
                    i32.eq
                    local.set 4
                    br 5 (;@3;)
                  end
                  i32.const 1
                  local.set 4
                  br 4 (;@3;)
                end
                i32.const 0
                local.get 2
                i64.load offset=8
                i64.const 1
                i64.add
                i64.store offset=33728
                br 1 (;@5;)
              end
              local.get 0
              i32.const 33272
              i32.const 50
              call 49
              drop
            end
            block ;; label = @5
              i32.const 0
              i32.load offset=33676
              local.tee 4
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.get 4
              i32.const -1
              i32.add
              i32.store offset=33676
              i32.const 0
              i32.const 0
              i32.load offset=33672
              i32.const 1
              i32.add
              local.tee 4
              i32.const 0
              i32.const 0
              i32.load offset=33664
              local.tee 5
              local.get 4
              local.get 5
              i32.lt_u
              select
              i32.sub
              i32.store offset=33672
            end
            i32.const 0
            i64.load offset=33728
            local.set 8
            block ;; label = @5
              i32.const 0
              i32.load offset=33692
              local.tee 4
              i32.const 0
              i32.load offset=33680
              local.tee 5
              i32.ne
              br_if 0 (;@5;)
              i32.const 33680
              call 15
              i32.const 0
              i32.load offset=33680
              local.set 5
              i32.const 0
              i32.load offset=33692
              local.set 4
            end
            i32.const 0
            local.get 4
            i32.const 1
            i32.add
            i32.store offset=33692
            i32.const 0
            i32.load offset=33684
            i32.const 0
            i32.load offset=33688
            local.get 4
            i32.add
            local.tee 4
            i32.const 0
            local.get 5
            local.get 4
            local.get 5
            i32.lt_u
            select
            i32.sub
            i32.const 24
            i32.mul
            i32.add
            local.tee 4
            local.get 1
            i64.store offset=16
            local.get 4
            local.get 3
            i64.store offset=8
            local.get 4
            local.get 8
            i64.store
            i32.const 0
            i32.load8_u offset=34564
            br_if 2 (;@2;)
            i32.const 0
            i32.load offset=33676
            br_if 0 (;@4;)
            br 2 (;@2;)
          end
        end
        i32.const 0
        local.get 4
        i32.store8 offset=34564
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33692
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i64.load offset=33704
        i64.const -1
        i64.ne
        br_if 0 (;@2;)
        i32.const 0
        i64.const -1
        local.get 1
        i64.const 1000
        i64.add
        local.tee 3
        local.get 3
        local.get 1
        i64.lt_u
        select
        local.tee 3
        i64.store offset=33704
        local.get 3
        i32.const 0
        i64.load offset=33712
        i64.ge_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 0
        i32.load offset=33720
        i64.const 0
        local.get 3
        local.get 1
        i64.sub
        local.tee 8
        local.get 8
        local.get 3
        i64.gt_u
        select
        local.tee 8
        i64.const 4294967295
        local.get 8
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 47
        i32.const 255
        i32.and
        i32.const 7
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.get 3
        i64.store offset=33712
      end
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34566
        i32.const 1
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33676
        br_if 0 (;@2;)
        i32.const 0
        i32.load8_u offset=34564
        i32.const 1
        i32.and
        br_if 0 (;@2;)
        loop ;; label = @3
          local.get 2
          i32.const 16
          i32.add
          local.get 0
          i32.const 0
          i32.load offset=34548
          i32.const 0
          i32.load offset=34552
          i64.const 0
          i64.const 0
          call 54
          block ;; label = @4
            local.get 2
            i32.load8_u offset=16
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
            block ;; label = @5
              block ;; label = @6
                local.get 2
                i32.load8_u offset=17
                br_if 0 (;@6;)
                i32.const 1
                local.set 4
                br 1 (;@5;)
              end
              local.get 0
              i32.const 0
              i32.const 100
              call 47
              i32.const 255
              i32.and
              i32.const 7
              i32.eq
              local.set 4
            end
            i32.const 0
            local.get 4
            i32.store8 offset=34564
            br 2 (;@2;)
          end
          i32.const 0
          local.get 2
          i64.load offset=24
          i64.const 1
          i64.add
          i64.store offset=33728
          i32.const 0
          i32.load8_u offset=34566
          i32.const 1
          i32.ne
          br_if 1 (;@2;)
          i32.const 0
          i32.load offset=33676
          br_if 1 (;@2;)
          i32.const 0
          i32.load8_u offset=34564
          i32.const 1
          i32.and
          i32.eqz
          br_if 0 (;@3;)
        end
      end
      i32.const 0
      i32.load8_u offset=34565
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33676
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33692
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=34566
      i32.const 1
      i32.and
      br_if 0 (;@1;)
      local.get 0
      call 45
    end
    local.get 2
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;15;) (type 12) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 1
    local.get 0
    call 18
    block ;; label = @1
      local.get 0
      i32.load offset=8
      local.tee 2
      local.get 1
      local.get 0
      i32.load offset=12
      local.tee 3
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      local.get 0
      i32.load
      local.set 4
      block ;; label = @2
        block ;; label = @3
          local.get 1
          local.get 2
          i32.sub
          local.tee 5
          local.get 3
          local.get 5
          i32.sub
          local.tee 3
          i32.le_u
          br_if 0 (;@3;)
          local.get 4
          local.get 1
          i32.sub
          local.get 3
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 4
        local.get 5
        i32.sub
        local.set 1
        block ;; label = @3
          local.get 5
          i32.const 24
          i32.mul
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.load offset=4
          local.tee 5
          local.get 1
          i32.const 24
          i32.mul
          i32.add
          local.get 5
          local.get 2
          i32.const 24
          i32.mul
          i32.add
          local.get 3
          memory.copy
        end
        local.get 0
        local.get 1
        i32.store offset=8
        return
      end
      local.get 3
      i32.const 24
      i32.mul
      local.tee 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.tee 0
      local.get 1
      i32.const 24
      i32.mul
      i32.add
      local.get 0
      local.get 2
      memory.copy
    end
  )
  (func (;16;) (type 12) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 1
    local.get 0
    call 17
    block ;; label = @1
      local.get 0
      i32.load offset=8
      local.tee 2
      local.get 1
      local.get 0
      i32.load offset=12
      local.tee 3
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      local.get 0
      i32.load
      local.set 4
      block ;; label = @2
        block ;; label = @3
          local.get 1
          local.get 2
          i32.sub
          local.tee 5
          local.get 3
          local.get 5
          i32.sub
          local.tee 3
          i32.le_u
          br_if 0 (;@3;)
          local.get 4
          local.get 1
          i32.sub
          local.get 3
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 4
        local.get 5
        i32.sub
        local.set 1
        block ;; label = @3
          local.get 5
          i32.const 4
          i32.shl
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.load offset=4
          local.tee 5
          local.get 1
          i32.const 4
          i32.shl
          i32.add
          local.get 5
          local.get 2
          i32.const 4
          i32.shl
          i32.add
          local.get 3
          memory.copy
        end
        local.get 0
        local.get 1
        i32.store offset=8
        return
      end
      local.get 3
      i32.const 4
      i32.shl
      local.tee 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.tee 0
      local.get 1
      i32.const 4
      i32.shl
      i32.add
      local.get 0
      local.get 2
      memory.copy
    end
  )
  (func (;17;) (type 12) (param i32)
    (local i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    local.get 1
    i32.const 4
    i32.add
    local.get 0
    i32.load
    local.tee 2
    local.get 0
    i32.load offset=4
    local.get 2
    i32.const 1
    i32.shl
    local.tee 2
    i32.const 4
    local.get 2
    i32.const 4
    i32.gt_u
    select
    local.tee 2
    i32.const 8
    i32.const 16
    call 19
    block ;; label = @1
      local.get 1
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i32.load offset=8
      local.get 1
      i32.load offset=12
      call 57
      unreachable
    end
    local.get 1
    i32.load offset=8
    local.set 3
    local.get 0
    local.get 2
    i32.store
    local.get 0
    local.get 3
    i32.store offset=4
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;18;) (type 12) (param i32)
    (local i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    local.get 1
    i32.const 4
    i32.add
    local.get 0
    i32.load
    local.tee 2
    local.get 0
    i32.load offset=4
    local.get 2
    i32.const 1
    i32.shl
    local.tee 2
    i32.const 4
    local.get 2
    i32.const 4
    i32.gt_u
    select
    local.tee 2
    i32.const 8
    i32.const 24
    call 19
    block ;; label = @1
      local.get 1
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i32.load offset=8
      local.get 1
      i32.load offset=12
      call 57
      unreachable
    end
    local.get 1
    i32.load offset=8
    local.set 3
    local.get 0
    local.get 2
    i32.store
    local.get 0
    local.get 3
    i32.store offset=4
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;19;) (type 13) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i64)
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
              local.get 1
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              local.get 5
              local.get 1
              i32.mul
              local.get 4
              local.get 3
              call 36
              local.set 7
              br 1 (;@4;)
            end
            block ;; label = @5
              local.get 3
              br_if 0 (;@5;)
              local.get 4
              local.set 7
              br 2 (;@3;)
            end
            call 33
            local.get 3
            local.get 4
            call 34
            local.set 7
          end
          local.get 7
          br_if 0 (;@3;)
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
  (func (;20;) (type 6) (result i64)
    i64.const 258
  )
  (func (;21;) (type 2)
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.store8 offset=34566
      block ;; label = @2
        i32.const 0
        i32.load offset=33676
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.store offset=33676
      end
      i32.const 0
      i32.const 0
      i32.store offset=33672
    end
  )
  (func (;22;) (type 2)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 1
      i32.store8 offset=34567
      local.get 0
      i32.const 15
      i32.add
      call 48
      local.get 0
      i32.const 15
      i32.add
      local.get 0
      i32.const 15
      i32.add
      call 52
      call 14
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;23;) (type 14) (result i32)
    i32.const 34568
  )
  (func (;24;) (type 2)
    (local i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      local.tee 0
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      block ;; label = @2
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33668
        local.get 0
        i32.const 4
        i32.shl
        i32.const 8
        call 35
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33680
        local.tee 0
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33684
        local.get 0
        i32.const 24
        i32.mul
        i32.const 8
        call 35
      end
      i32.const 0
      i32.load offset=34544
      local.tee 0
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34548
      local.get 0
      i32.const 1
      call 35
    end
    i32.const 0
    i64.const 0
    i64.store offset=33688
    i32.const 0
    i64.const 34359738368
    i64.store offset=33680
    i32.const 0
    i64.const 0
    i64.store offset=33672
    i32.const 0
    i64.const 34359738368
    i64.store offset=33664
    i32.const 0
    i64.const 0
    i64.store offset=33696
    i32.const 0
    i64.const -1
    i64.store offset=33704
    i32.const 0
    i64.const -1
    i64.store offset=33712
    i32.const 0
    i64.const 0
    i64.store offset=34512
    i32.const 0
    i32.const 2
    i32.store offset=33720
    i32.const 33728
    i32.const 0
    i32.const 780
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=34528
    i32.const 0
    i64.const -1
    i64.store offset=34520
    i32.const 0
    i64.const 0
    i64.store offset=34552
    i32.const 0
    i64.const 4294967296
    i64.store offset=34544
    i32.const 0
    i32.const 1
    i32.store offset=34536
    i32.const 0
    i64.const 0
    i64.store offset=34560
  )
  (func (;25;) (type 3) (param i32 i32) (result i64)
    (local i32 i64 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    i64.const -4
    local.set 3
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i64.const -5
      local.set 3
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
            i32.load8_u offset=34568
            br_table 0 (;@4;) 1 (;@3;) 3 (;@1;)
          end
          i32.const 0
          i32.const 0
          i32.store offset=34552
          i32.const 0
          i32.const 0
          i32.store8 offset=34566
          br 1 (;@2;)
        end
        i32.const 0
        i32.const 1
        i32.store8 offset=34566
        block ;; label = @3
          i32.const 0
          i32.load offset=34556
          local.tee 0
          i32.const 0
          i32.load offset=34552
          local.tee 1
          i32.le_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 0
            local.get 1
            i32.sub
            local.tee 4
            i32.const 0
            i32.load offset=34544
            local.get 1
            i32.sub
            i32.le_u
            br_if 0 (;@4;)
            i32.const 34544
            local.get 1
            local.get 4
            call 13
            i32.const 0
            i32.load offset=34552
            local.set 1
          end
          i32.const 0
          i32.load offset=34548
          local.tee 5
          local.get 1
          i32.add
          local.set 0
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
              local.get 0
              i32.const 0
              local.get 4
              memory.fill
            end
            local.get 5
            local.get 1
            local.get 4
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
        i32.store offset=34552
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34548
        i32.const 2
        i32.store8
      end
      local.get 2
      i32.const 15
      i32.add
      local.get 2
      i32.const 15
      i32.add
      call 52
      call 14
      i64.const 0
      local.set 3
    end
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 3
  )
  (func (;26;) (type 15) (param i32 i32)
    (local i32 i32 i32 i64 i64 i64 i32 i32 i32 i32 i32 i32 i64 i64 i64 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 8352
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 24
    i32.add
    i32.const 0
    i32.const 8192
    memory.fill
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          local.get 2
          i32.const 24
          i32.add
          local.get 1
          i32.const 64
          local.get 1
          i32.const 64
          i32.lt_u
          select
          i32.const 7
          i32.shl
          local.tee 3
          i32.add
          local.set 4
          local.get 2
          i32.const 24
          i32.add
          local.set 1
          loop ;; label = @4
            local.get 2
            i32.const 8216
            i32.add
            local.get 0
            i32.const 63
            i32.and
            i32.const 7
            i32.shl
            i32.const 38664
            i32.add
            call 41
            local.get 1
            local.get 2
            i32.const 8216
            i32.add
            i32.const 128
            memory.copy
            local.get 0
            i32.const 1
            i32.add
            local.set 0
            local.get 1
            i32.const 128
            i32.add
            local.set 1
            local.get 3
            i32.const -128
            i32.add
            local.tee 3
            br_if 0 (;@4;)
          end
          i32.const 0
          i32.load offset=33664
          i32.const -2147483648
          i32.eq
          br_if 2 (;@1;)
          i64.const 0
          i64.const -1
          local.get 2
          i32.const 8351
          i32.add
          call 52
          local.tee 5
          i64.const 25
          i64.add
          local.tee 6
          local.get 6
          local.get 5
          i64.lt_u
          select
          local.tee 7
          local.get 5
          i64.sub
          local.tee 6
          local.get 6
          local.get 7
          i64.gt_u
          select
          local.tee 6
          i64.const 4294967295
          local.get 6
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          local.set 8
          local.get 2
          i32.const 24
          i32.add
          local.set 1
          i32.const 0
          local.set 9
          loop ;; label = @4
            local.get 2
            i32.const 16
            i32.add
            local.get 1
            call 42
            block ;; label = @5
              local.get 2
              i32.load offset=20
              i32.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            local.get 2
                            i32.load offset=16
                            i32.load8_u
                            i32.const -1
                            i32.add
                            br_table 0 (;@12;) 1 (;@11;) 3 (;@9;) 7 (;@5;)
                          end
                          local.get 1
                          i32.load offset=124
                          local.tee 0
                          i32.const 1
                          i32.gt_u
                          br_if 1 (;@10;)
                          br 6 (;@5;)
                        end
                        local.get 1
                        i32.load offset=124
                        local.tee 0
                        i32.const 1
                        i32.le_u
                        br_if 5 (;@5;)
                      end
                      i32.const 0
                      local.set 3
                      local.get 1
                      i32.load
                      i32.const 1
                      i32.and
                      i32.eqz
                      br_if 3 (;@6;)
                      i32.const 33736
                      local.get 1
                      i64.load offset=8
                      local.get 1
                      i64.load offset=16
                      call 44
                      i32.eqz
                      br_if 3 (;@6;)
                      i32.const 0
                      local.get 5
                      i64.store offset=34512
                      i32.const 0
                      i32.const 0
                      i32.load offset=34560
                      i32.const 1
                      i32.add
                      local.tee 10
                      i32.store offset=34560
                      local.get 10
                      i32.const 1
                      i32.gt_u
                      br_if 1 (;@8;)
                      i32.const 0
                      i64.load offset=34520
                      i64.const -1
                      i64.ne
                      br_if 2 (;@7;)
                      i32.const 0
                      local.get 7
                      i64.store offset=34520
                      local.get 7
                      i32.const 0
                      i64.load offset=34528
                      i64.ge_u
                      br_if 2 (;@7;)
                      local.get 2
                      i32.const 8351
                      i32.add
                      i32.const 0
                      i32.load offset=34536
                      local.get 8
                      call 47
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 2 (;@7;)
                      i32.const 0
                      local.get 7
                      i64.store offset=34528
                      br 2 (;@7;)
                    end
                    local.get 2
                    i32.const 8
                    i32.add
                    local.get 1
                    call 42
                    local.get 2
                    i32.load offset=12
                    local.tee 0
                    i32.const 2
                    i32.lt_u
                    br_if 3 (;@5;)
                    local.get 2
                    i32.load offset=8
                    local.tee 3
                    i32.const 2
                    i32.add
                    local.tee 11
                    local.get 0
                    i32.const -2
                    i32.add
                    i32.const -16
                    i32.and
                    i32.add
                    local.set 10
                    local.get 3
                    i32.load8_u offset=1
                    local.tee 0
                    i32.const 25
                    local.get 0
                    i32.const 25
                    i32.lt_u
                    select
                    i32.const 1000
                    i32.mul
                    local.set 12
                    i32.const 3
                    local.set 0
                    loop ;; label = @9
                      i32.const 0
                      local.get 10
                      local.get 11
                      i32.sub
                      i32.const 4
                      i32.shr_u
                      local.tee 3
                      local.get 0
                      i32.sub
                      local.tee 13
                      local.get 13
                      local.get 3
                      i32.gt_u
                      select
                      local.tee 13
                      local.get 3
                      i32.ge_u
                      br_if 4 (;@5;)
                      local.get 10
                      local.get 13
                      i32.const 4
                      i32.shl
                      i32.sub
                      i32.const -16
                      i32.add
                      local.tee 10
                      i32.eqz
                      br_if 4 (;@5;)
                      local.get 13
                      local.get 3
                      i32.lt_u
                      local.set 3
                      local.get 0
                      i32.const -1
                      i32.add
                      local.set 0
                      local.get 2
                      i32.const 8216
                      i32.add
                      local.get 10
                      call 39
                      local.get 2
                      i64.load32_u offset=8224
                      local.set 14
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i64.load offset=33728
                          local.tee 15
                          i64.const -4294967296
                          i64.and
                          local.get 2
                          i64.load32_u offset=8228
                          i64.or
                          local.tee 6
                          local.get 15
                          i64.le_u
                          br_if 0 (;@11;)
                          local.get 15
                          i64.const 4294967296
                          i64.lt_u
                          br_if 1 (;@10;)
                          local.get 6
                          i64.const -4294967296
                          i64.add
                          local.set 6
                        end
                        local.get 6
                        i64.eqz
                        br_if 0 (;@10;)
                        block ;; label = @11
                          local.get 6
                          i64.const -1
                          i64.add
                          local.tee 16
                          i64.const -4294967296
                          i64.and
                          local.get 14
                          i64.or
                          local.tee 15
                          local.get 16
                          i64.le_u
                          br_if 0 (;@11;)
                          local.get 6
                          i64.const 4294967297
                          i64.lt_u
                          br_if 1 (;@10;)
                          local.get 15
                          i64.const -4294967296
                          i64.add
                          local.set 15
                        end
                        local.get 2
                        i32.const 8351
                        i32.add
                        local.get 15
                        local.get 6
                        local.get 2
                        i64.load offset=8216
                        i32.const 0
                        local.get 12
                        local.get 0
                        local.get 10
                        local.get 11
                        i32.sub
                        i32.const 4
                        i32.shr_u
                        local.tee 13
                        local.get 0
                        local.get 13
                        i32.lt_u
                        select
                        select
                        call 51
                        i32.const 255
                        i32.and
                        i32.const 7
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=33692
                        local.tee 17
                        i32.eqz
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=33684
                        local.tee 18
                        i32.const 0
                        i32.load offset=33688
                        local.tee 19
                        i32.const 0
                        i32.const 0
                        i32.load offset=33680
                        local.tee 13
                        local.get 19
                        local.get 13
                        i32.lt_u
                        select
                        i32.sub
                        i32.const 24
                        i32.mul
                        i32.add
                        i64.load
                        local.get 6
                        i64.gt_u
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 17
                        i32.const -1
                        i32.add
                        local.tee 20
                        i32.store offset=33692
                        i32.const 0
                        local.get 19
                        i32.const 1
                        i32.add
                        local.tee 21
                        i32.const 0
                        local.get 13
                        local.get 21
                        local.get 13
                        i32.lt_u
                        select
                        i32.sub
                        local.tee 21
                        i32.store offset=33688
                        local.get 18
                        local.get 19
                        i32.const 24
                        i32.mul
                        i32.add
                        i64.load offset=8
                        local.set 15
                        block ;; label = @11
                          local.get 20
                          i32.eqz
                          br_if 0 (;@11;)
                          local.get 18
                          local.get 21
                          i32.const 0
                          local.get 13
                          local.get 21
                          local.get 13
                          i32.lt_u
                          select
                          i32.sub
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 6
                          i64.gt_u
                          br_if 0 (;@11;)
                          local.get 17
                          i32.const -2
                          i32.add
                          local.set 19
                          block ;; label = @12
                            loop ;; label = @13
                              i32.const 0
                              local.get 19
                              i32.store offset=33692
                              i32.const 0
                              local.get 21
                              local.tee 17
                              i32.const 1
                              i32.add
                              local.tee 21
                              i32.const 0
                              local.get 13
                              local.get 21
                              local.get 13
                              i32.lt_u
                              select
                              i32.sub
                              local.tee 21
                              i32.store offset=33688
                              local.get 19
                              i32.eqz
                              br_if 1 (;@12;)
                              local.get 19
                              i32.const -1
                              i32.add
                              local.set 19
                              local.get 18
                              local.get 21
                              i32.const 0
                              local.get 13
                              local.get 21
                              local.get 13
                              i32.lt_u
                              select
                              i32.sub
                              i32.const 24
                              i32.mul
                              i32.add
                              i64.load
                              local.get 6
                              i64.le_u
                              br_if 0 (;@13;)
                            end
                          end
                          local.get 18
                          local.get 17
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load offset=8
                          local.set 15
                        end
                        local.get 2
                        i32.const 8351
                        i32.add
                        local.get 15
                        call 53
                        drop
                      end
                      local.get 10
                      local.get 11
                      local.get 3
                      select
                      local.set 10
                      local.get 0
                      br_if 0 (;@9;)
                      br 4 (;@5;)
                    end
                  end
                  local.get 2
                  i32.const 8351
                  i32.add
                  local.get 5
                  call 12
                end
                local.get 1
                i32.load8_u offset=24
                i32.const 1
                i32.ne
                br_if 0 (;@6;)
                local.get 2
                i32.const 8351
                i32.add
                local.get 1
                i32.load offset=120
                i32.const 2
                local.get 0
                call 55
                i32.const 255
                i32.and
                i32.const 7
                i32.eq
                local.set 3
              end
              local.get 9
              local.get 3
              i32.or
              local.set 9
            end
            local.get 1
            i32.const 128
            i32.add
            local.tee 1
            local.get 4
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 9
          i32.const 1
          i32.and
          i32.eqz
          br_if 1 (;@2;)
          local.get 2
          i32.const 8351
          i32.add
          call 56
          br 1 (;@2;)
        end
        i32.const 0
        i32.load offset=33664
        i32.const -2147483648
        i32.eq
        br_if 1 (;@1;)
        local.get 2
        i32.const 8351
        i32.add
        call 52
        local.set 5
      end
      local.get 2
      i32.const 8351
      i32.add
      local.get 5
      call 14
    end
    local.get 2
    i32.const 8352
    i32.add
    global.set 0
  )
  (func (;27;) (type 2)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      i32.const 15
      i32.add
      call 52
      local.set 1
      i32.const 0
      i32.const 0
      i32.store8 offset=34564
      local.get 0
      i32.const 15
      i32.add
      local.get 1
      call 14
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;28;) (type 14) (result i32)
    i32.const 38664
  )
  (func (;29;) (type 12) (param i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.store8 offset=34566
      block ;; label = @2
        i32.const 0
        i32.load offset=33676
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.store offset=33676
      end
      i32.const 0
      i32.const 0
      i32.store offset=33672
      local.get 1
      i32.const 15
      i32.add
      call 45
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;30;) (type 12) (param i32)
    (local i32 i64 i64 i64 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      local.get 1
      i32.const 15
      i32.add
      call 52
      local.set 2
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
            i32.store8 offset=34564
            br 2 (;@2;)
          end
          i32.const 0
          i64.const -1
          i64.store offset=34528
          block ;; label = @4
            local.get 2
            i32.const 0
            i64.load offset=34520
            local.tee 3
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i64.const -1
            i64.store offset=34520
            i32.const 0
            i32.load offset=34560
            i32.eqz
            br_if 2 (;@2;)
            local.get 1
            i32.const 15
            i32.add
            local.get 2
            call 12
            br 2 (;@2;)
          end
          local.get 3
          i64.const -1
          i64.eq
          br_if 1 (;@2;)
          local.get 1
          i32.const 15
          i32.add
          i32.const 0
          i32.load offset=34536
          i64.const 0
          local.get 3
          local.get 2
          i64.sub
          local.tee 4
          local.get 4
          local.get 3
          i64.gt_u
          select
          local.tee 4
          i64.const 4294967295
          local.get 4
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 47
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 1 (;@2;)
          i32.const 0
          local.get 3
          i64.store offset=34528
          br 1 (;@2;)
        end
        i32.const 0
        i64.const -1
        i64.store offset=33712
        block ;; label = @3
          local.get 2
          i32.const 0
          i64.load offset=33704
          local.tee 3
          i64.lt_u
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=33704
          i32.const 0
          i32.load offset=33692
          local.tee 5
          i32.eqz
          br_if 1 (;@2;)
          i32.const 0
          i32.load offset=33684
          local.tee 6
          i32.const 0
          i32.load offset=33688
          local.tee 7
          i32.const 0
          i32.const 0
          i32.load offset=33680
          local.tee 0
          local.get 7
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
          local.get 2
          i64.gt_u
          br_if 1 (;@2;)
          i32.const 0
          local.get 5
          i32.const -1
          i32.add
          local.tee 8
          i32.store offset=33692
          i32.const 0
          local.get 7
          i32.const 1
          i32.add
          local.tee 9
          i32.const 0
          local.get 0
          local.get 9
          local.get 0
          i32.lt_u
          select
          i32.sub
          local.tee 9
          i32.store offset=33688
          local.get 6
          local.get 7
          i32.const 24
          i32.mul
          i32.add
          i64.load offset=8
          local.set 3
          block ;; label = @4
            local.get 8
            i32.eqz
            br_if 0 (;@4;)
            local.get 6
            local.get 9
            i32.const 0
            local.get 0
            local.get 9
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
            local.get 2
            i64.gt_u
            br_if 0 (;@4;)
            local.get 5
            i32.const -2
            i32.add
            local.set 7
            block ;; label = @5
              loop ;; label = @6
                i32.const 0
                local.get 7
                i32.store offset=33692
                i32.const 0
                local.get 9
                local.tee 5
                i32.const 1
                i32.add
                local.tee 9
                i32.const 0
                local.get 0
                local.get 9
                local.get 0
                i32.lt_u
                select
                i32.sub
                local.tee 9
                i32.store offset=33688
                local.get 7
                i32.eqz
                br_if 1 (;@5;)
                local.get 7
                i32.const -1
                i32.add
                local.set 7
                local.get 6
                local.get 9
                i32.const 0
                local.get 0
                local.get 9
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
                local.get 2
                i64.le_u
                br_if 0 (;@6;)
              end
            end
            local.get 6
            local.get 5
            i32.const 24
            i32.mul
            i32.add
            i64.load offset=8
            local.set 3
          end
          local.get 1
          i32.const 15
          i32.add
          local.get 3
          call 53
          drop
          br 1 (;@2;)
        end
        local.get 3
        i64.const -1
        i64.eq
        br_if 0 (;@2;)
        local.get 1
        i32.const 15
        i32.add
        i32.const 0
        i32.load offset=33720
        i64.const 0
        local.get 3
        local.get 2
        i64.sub
        local.tee 4
        local.get 4
        local.get 3
        i64.gt_u
        select
        local.tee 4
        i64.const 4294967295
        local.get 4
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 47
        i32.const 255
        i32.and
        i32.const 7
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.get 3
        i64.store offset=33712
      end
      local.get 1
      i32.const 15
      i32.add
      local.get 2
      call 14
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;31;) (type 10) (param i32 i64)
    (local i32 i64 i64 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      local.get 0
      i32.const 2
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33664
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      local.get 2
      i32.const 15
      i32.add
      call 52
      local.set 3
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            br_table 1 (;@3;) 2 (;@2;) 0 (;@4;) 1 (;@3;)
          end
          i32.const 0
          i32.const 1
          i32.store8 offset=34565
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=33696
        local.set 4
        i32.const 0
        local.get 1
        i64.store offset=33696
        i32.const 0
        i32.load offset=33676
        local.tee 0
        i32.const 1024
        i32.ge_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 0
          i32.const 0
          i32.load offset=33664
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
          i32.const 33664
          call 16
          i32.const 0
          i32.load offset=33664
          local.set 5
          i32.const 0
          i32.load offset=33676
          local.set 0
        end
        i32.const 0
        local.get 0
        i32.const 1
        i32.add
        i32.store offset=33676
        i32.const 0
        i32.load offset=33668
        i32.const 0
        i32.load offset=33672
        local.get 0
        i32.add
        local.tee 0
        i32.const 0
        local.get 5
        local.get 0
        local.get 5
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
        local.get 4
        i64.store
      end
      local.get 2
      i32.const 15
      i32.add
      local.get 3
      call 14
    end
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;32;) (type 15) (param i32 i32)
    local.get 0
    local.get 1
    call 58
    return
  )
  (func (;33;) (type 2)
    return
  )
  (func (;34;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 0
    local.set 2
    block ;; label = @1
      local.get 1
      local.get 0
      local.get 1
      local.get 0
      i32.gt_u
      select
      local.tee 0
      i32.const 134217728
      i32.gt_u
      br_if 0 (;@1;)
      block ;; label = @2
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
        local.tee 3
        i32.const 2
        i32.shl
        local.tee 1
        i32.load offset=46856
        local.tee 2
        br_if 0 (;@2;)
        i32.const 16
        local.get 3
        i32.shl
        local.set 2
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=46956
            local.tee 1
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=46952
            local.set 3
            br 1 (;@3;)
          end
          memory.size
          local.set 1
          i32.const 46960
          local.set 3
          i32.const 0
          i32.const 46960
          i32.store offset=46952
          i32.const 0
          local.get 1
          i32.const 16
          i32.shl
          local.tee 1
          i32.store offset=46956
        end
        block ;; label = @3
          i32.const 65536
          local.get 2
          local.get 0
          i32.const 65536
          i32.gt_u
          select
          local.tee 0
          local.get 3
          local.get 0
          i32.const -1
          i32.add
          i32.and
          local.tee 0
          i32.sub
          i32.const 0
          local.get 0
          select
          local.get 3
          i32.add
          local.tee 3
          local.get 2
          i32.add
          local.tee 0
          local.get 1
          i32.gt_u
          br_if 0 (;@3;)
          i32.const 0
          local.get 0
          i32.store offset=46952
          local.get 3
          return
        end
        block ;; label = @3
          local.get 0
          local.get 1
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
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          return
        end
        i32.const 0
        local.get 2
        i32.const 16
        i32.shl
        local.get 1
        i32.add
        i32.store offset=46956
        i32.const 0
        local.get 0
        i32.store offset=46952
        local.get 3
        return
      end
      local.get 1
      i32.const 46856
      i32.add
      local.get 2
      i32.load
      i32.store
    end
    local.get 2
  )
  (func (;35;) (type 11) (param i32 i32 i32)
    block ;; label = @1
      local.get 2
      local.get 1
      local.get 2
      local.get 1
      i32.gt_u
      select
      local.tee 1
      i32.const 134217728
      i32.gt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 28
      local.get 1
      i32.const 16
      local.get 1
      i32.const 16
      i32.gt_u
      select
      i32.const -1
      i32.add
      i32.clz
      i32.sub
      i32.const 2
      i32.shl
      local.tee 1
      i32.load offset=46856
      i32.store
      local.get 1
      local.get 0
      i32.store offset=46856
    end
  )
  (func (;36;) (type 16) (param i32 i32 i32 i32) (result i32)
    i32.const 46856
    local.get 0
    local.get 2
    local.get 1
    local.get 3
    call 37
  )
  (func (;37;) (type 17) (param i32 i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      local.get 2
      local.get 3
      local.get 2
      local.get 3
      i32.gt_u
      select
      local.tee 5
      i32.const 16
      local.get 5
      i32.const 16
      i32.gt_u
      select
      i32.const -1
      i32.add
      i32.clz
      local.tee 6
      local.get 2
      local.get 4
      local.get 2
      local.get 4
      i32.gt_u
      select
      local.tee 2
      i32.const 16
      local.get 2
      i32.const 16
      i32.gt_u
      select
      i32.const -1
      i32.add
      i32.clz
      local.tee 7
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      return
    end
    i32.const 0
    local.set 8
    block ;; label = @1
      local.get 2
      i32.const 134217728
      i32.gt_u
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 0
              i32.const 28
              local.get 7
              i32.sub
              local.tee 9
              i32.const 2
              i32.shl
              i32.add
              local.tee 8
              i32.load
              local.tee 7
              br_if 0 (;@5;)
              i32.const 16
              local.get 9
              i32.shl
              local.set 8
              local.get 0
              i32.load offset=100
              local.tee 9
              i32.eqz
              br_if 1 (;@4;)
              local.get 0
              i32.load offset=96
              local.set 7
              br 2 (;@3;)
            end
            local.get 8
            local.get 7
            i32.load
            i32.store
            br 2 (;@2;)
          end
          memory.size
          local.set 9
          i32.const 46960
          local.set 7
          local.get 0
          i32.const 46960
          i32.store offset=96
          local.get 0
          local.get 9
          i32.const 16
          i32.shl
          local.tee 9
          i32.store offset=100
        end
        block ;; label = @3
          i32.const 65536
          local.get 8
          local.get 2
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
          local.get 8
          i32.add
          local.tee 2
          local.get 9
          i32.le_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 8
          local.get 2
          local.get 9
          i32.sub
          local.tee 10
          i32.const 16
          i32.shr_u
          local.get 10
          i32.const 65535
          i32.and
          i32.const 0
          i32.ne
          i32.add
          local.tee 10
          memory.grow
          i32.const -1
          i32.eq
          br_if 2 (;@1;)
          local.get 0
          local.get 10
          i32.const 16
          i32.shl
          local.get 9
          i32.add
          i32.store offset=100
        end
        local.get 0
        local.get 2
        i32.store offset=96
        i32.const 0
        local.set 8
        local.get 7
        i32.eqz
        br_if 1 (;@1;)
      end
      block ;; label = @2
        local.get 3
        local.get 4
        local.get 3
        local.get 4
        i32.lt_u
        select
        local.tee 2
        i32.eqz
        br_if 0 (;@2;)
        local.get 7
        local.get 1
        local.get 2
        memory.copy
      end
      block ;; label = @2
        local.get 5
        i32.const 134217728
        i32.gt_u
        br_if 0 (;@2;)
        local.get 1
        local.get 0
        i32.const 28
        local.get 6
        i32.sub
        i32.const 2
        i32.shl
        i32.add
        local.tee 2
        i32.load
        i32.store
        local.get 2
        local.get 1
        i32.store
      end
      local.get 7
      local.set 8
    end
    local.get 8
  )
  (func (;38;) (type 12) (param i32)
    unreachable
  )
  (func (;39;) (type 15) (param i32 i32)
    local.get 0
    local.get 1
    i64.load align=1
    i64.store offset=8
    local.get 0
    local.get 1
    i64.load offset=8 align=1
    i64.store
  )
  (func (;40;) (type 15) (param i32 i32)
    local.get 0
    local.get 1
    i64.load
    i64.store offset=8 align=1
    local.get 0
    local.get 1
    i64.load offset=8
    i64.store align=1
  )
  (func (;41;) (type 15) (param i32 i32)
    local.get 0
    i32.const 24
    i32.add
    local.get 1
    i32.const 32
    i32.add
    i32.const 96
    memory.copy
    local.get 0
    local.get 1
    i64.load align=1
    i64.store offset=120
    local.get 0
    local.get 1
    i64.load offset=16 align=1
    i64.store offset=16
    local.get 0
    local.get 1
    i64.load offset=8 align=1
    i64.store offset=8
    local.get 0
    local.get 1
    i32.load8_u offset=24
    i32.const 1
    i32.eq
    i64.extend_i32_u
    i64.store
  )
  (func (;42;) (type 15) (param i32 i32)
    local.get 0
    local.get 1
    i32.const 24
    i32.add
    i32.store
    local.get 0
    local.get 1
    i32.load offset=124
    local.tee 1
    i32.const 96
    local.get 1
    i32.const 96
    i32.lt_u
    select
    i32.store offset=4
  )
  (func (;43;) (type 15) (param i32 i32)
    (local i32)
    block ;; label = @1
      local.get 1
      i32.load offset=768
      local.tee 2
      i32.const 33
      i32.lt_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 2
      i32.const 32
      i32.const 33340
      call 61
      unreachable
    end
    local.get 0
    local.get 1
    i32.store
    local.get 0
    local.get 1
    local.get 2
    i32.const 24
    i32.mul
    i32.add
    i32.store offset=4
  )
  (func (;44;) (type 18) (param i32 i64 i64) (result i32)
    (local i64 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64)
    block ;; label = @1
      local.get 1
      i64.const 1
      i64.add
      local.tee 3
      i64.eqz
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 0
                i32.load offset=768
                local.tee 4
                i32.const 33
                i32.ge_u
                br_if 0 (;@6;)
                local.get 4
                i32.const -24
                i32.mul
                local.set 5
                local.get 0
                local.get 4
                i32.const 24
                i32.mul
                i32.add
                local.set 6
                i32.const -1
                local.set 7
                i32.const 0
                local.set 8
                i32.const 0
                local.set 9
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              loop ;; label = @14
                                local.get 5
                                local.get 9
                                i32.eq
                                br_if 1 (;@13;)
                                local.get 8
                                i32.const 1
                                i32.add
                                local.set 8
                                local.get 7
                                i32.const 1
                                i32.add
                                local.set 7
                                local.get 9
                                i32.const -24
                                i32.add
                                local.tee 9
                                local.get 6
                                i32.add
                                local.tee 10
                                i64.load
                                local.get 1
                                i64.gt_u
                                br_if 0 (;@14;)
                              end
                              i32.const 0
                              local.set 5
                              local.get 1
                              local.get 10
                              i32.const 8
                              i32.add
                              i64.load
                              local.tee 11
                              i64.lt_u
                              br_if 10 (;@3;)
                              local.get 4
                              local.get 8
                              i32.sub
                              local.set 12
                              local.get 4
                              local.get 7
                              i32.sub
                              local.tee 8
                              local.get 4
                              i32.lt_u
                              br_if 1 (;@12;)
                              local.get 11
                              local.get 1
                              i64.eq
                              br_if 5 (;@8;)
                              br 8 (;@5;)
                            end
                            i32.const 1
                            local.set 8
                            block ;; label = @13
                              local.get 4
                              br_if 0 (;@13;)
                              i32.const 0
                              local.set 4
                              i32.const 0
                              local.set 5
                              br 9 (;@4;)
                            end
                            local.get 0
                            i64.load
                            local.get 3
                            i64.ne
                            br_if 2 (;@10;)
                            local.get 0
                            local.set 6
                            br 1 (;@11;)
                          end
                          local.get 10
                          i32.const 24
                          i32.add
                          local.tee 6
                          i64.load
                          local.set 13
                          local.get 11
                          local.get 1
                          i64.eq
                          br_if 2 (;@9;)
                          local.get 13
                          local.get 3
                          i64.ne
                          br_if 6 (;@5;)
                        end
                        local.get 6
                        local.get 1
                        i64.store
                        local.get 6
                        local.get 6
                        i64.load offset=16
                        local.get 2
                        i64.xor
                        i64.store offset=16
                        i32.const 1
                        return
                      end
                      i32.const 0
                      local.set 5
                      local.get 4
                      i32.const 32
                      i32.ne
                      br_if 5 (;@4;)
                      br 6 (;@3;)
                    end
                    local.get 13
                    local.get 3
                    i64.eq
                    br_if 1 (;@7;)
                  end
                  local.get 0
                  local.get 12
                  i32.const 24
                  i32.mul
                  i32.add
                  local.tee 9
                  local.get 3
                  i64.store offset=8
                  local.get 9
                  local.get 9
                  i64.load offset=16
                  local.get 2
                  i64.xor
                  i64.store offset=16
                  i32.const 1
                  return
                end
                local.get 10
                i32.const 40
                i32.add
                i64.load
                local.set 1
                local.get 0
                local.get 12
                i32.const 24
                i32.mul
                i32.add
                local.tee 7
                local.get 10
                i32.const 32
                i32.add
                i64.load
                i64.store offset=8
                local.get 7
                local.get 1
                local.get 7
                i64.load offset=16
                i64.xor
                local.get 2
                i64.xor
                i64.store offset=16
                block ;; label = @7
                  i32.const -48
                  local.get 9
                  i32.sub
                  local.tee 9
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 6
                  local.get 10
                  i32.const 48
                  i32.add
                  local.get 9
                  memory.copy
                end
                local.get 0
                local.get 0
                i32.load offset=768
                i32.const -1
                i32.add
                i32.store offset=768
                i32.const 1
                return
              end
              i32.const 0
              local.get 4
              i32.const 32
              i32.const 33372
              call 61
              unreachable
            end
            block ;; label = @5
              local.get 4
              i32.const 32
              i32.ne
              br_if 0 (;@5;)
              local.get 4
              local.get 7
              i32.eq
              br_if 2 (;@3;)
              local.get 0
              local.get 0
              i32.const 24
              i32.add
              i32.const 744
              memory.copy
              i32.const 31
              local.set 4
              local.get 0
              i32.const 31
              i32.store offset=768
              local.get 12
              local.set 5
              br 1 (;@4;)
            end
            local.get 8
            local.get 4
            i32.gt_u
            br_if 2 (;@2;)
            local.get 8
            local.set 5
            local.get 12
            i32.const 2
            i32.add
            local.set 8
          end
          local.get 8
          i32.const 32
          local.get 4
          local.get 5
          i32.sub
          local.tee 7
          i32.sub
          i32.gt_u
          br_if 2 (;@1;)
          local.get 0
          local.get 5
          i32.const 24
          i32.mul
          i32.add
          local.set 9
          block ;; label = @4
            local.get 7
            i32.const 24
            i32.mul
            local.tee 7
            i32.eqz
            br_if 0 (;@4;)
            local.get 0
            local.get 8
            i32.const 24
            i32.mul
            i32.add
            local.get 9
            local.get 7
            memory.copy
          end
          local.get 9
          local.get 1
          i64.store
          local.get 9
          local.get 2
          i64.store offset=16
          local.get 9
          local.get 3
          i64.store offset=8
          local.get 0
          local.get 0
          i32.load offset=768
          i32.const 1
          i32.add
          i32.store offset=768
          i32.const 1
          return
        end
        local.get 5
        return
      end
      local.get 8
      local.get 4
      i32.const 32
      i32.const 33324
      call 61
      unreachable
    end
    i32.const 33388
    i32.const 43
    i32.const 33356
    call 62
    unreachable
  )
  (func (;45;) (type 12) (param i32)
    call 0
  )
  (func (;46;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 2
      call 1
      local.tee 4
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 4
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 4
      i64.const -8
      i64.gt_u
      select
      local.tee 3
      local.get 3
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 3
    end
    local.get 3
  )
  (func (;47;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 2
      call 2
      local.tee 4
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 4
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 4
      i64.const -8
      i64.gt_u
      select
      local.tee 3
      local.get 3
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 3
    end
    local.get 3
  )
  (func (;48;) (type 12) (param i32)
    call 3
  )
  (func (;49;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 2
      call 4
      local.tee 4
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 4
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 4
      i64.const -8
      i64.gt_u
      select
      local.tee 3
      local.get 3
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 3
    end
    local.get 3
  )
  (func (;50;) (type 3) (param i32 i32) (result i64)
    local.get 1
    call 5
  )
  (func (;51;) (type 19) (param i32 i64 i64 i64 i32) (result i32)
    (local i32)
    i32.const 7
    local.set 5
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      local.get 4
      call 6
      local.tee 3
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 3
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 3
      i64.const -8
      i64.gt_u
      select
      local.tee 5
      local.get 5
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 5
    end
    local.get 5
  )
  (func (;52;) (type 4) (param i32) (result i64)
    call 7
  )
  (func (;53;) (type 20) (param i32 i64) (result i32)
    (local i32)
    i32.const 7
    local.set 2
    block ;; label = @1
      local.get 1
      call 8
      local.tee 1
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 1
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 1
      i64.const -8
      i64.gt_u
      select
      local.tee 2
      local.get 2
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 2
    end
    local.get 2
  )
  (func (;54;) (type 21) (param i32 i32 i32 i32 i64 i64)
    block ;; label = @1
      local.get 2
      local.get 3
      local.get 4
      local.get 5
      call 9
      local.tee 5
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      local.get 0
      i32.const 3
      local.get 5
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 5
      i64.const -8
      i64.gt_u
      select
      local.tee 3
      local.get 3
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      i32.store8 offset=1
      local.get 0
      i32.const 1
      i32.store8
      return
    end
    local.get 0
    local.get 5
    i64.store offset=8
    local.get 0
    i32.const 0
    i32.store8
  )
  (func (;55;) (type 16) (param i32 i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 4
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      call 10
      local.tee 5
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      i32.const 3
      local.get 5
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 5
      i64.const -8
      i64.gt_u
      select
      local.tee 4
      local.get 4
      i32.const 255
      i32.and
      i32.const 7
      i32.eq
      select
      local.set 4
    end
    local.get 4
  )
  (func (;56;) (type 12) (param i32)
    call 11
  )
  (func (;57;) (type 15) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      call 59
      unreachable
    end
    call 60
    unreachable
  )
  (func (;58;) (type 15) (param i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    local.get 0
    i32.store offset=4
    local.get 2
    i32.const 1
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 2
    i32.const 4
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=8
    i32.const 33213
    local.get 2
    i32.const 8
    i32.add
    i32.const 0
    i32.const 33412
    call 67
    unreachable
  )
  (func (;59;) (type 15) (param i32 i32)
    local.get 1
    local.get 0
    call 32
    unreachable
  )
  (func (;60;) (type 2)
    i32.const 33428
    i32.const 35
    i32.const 33448
    call 62
    unreachable
  )
  (func (;61;) (type 22) (param i32 i32 i32 i32)
    (local i32 i64)
    global.get 0
    i32.const 32
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
          i32.const 1
          i64.extend_i32_u
          i64.const 32
          i64.shl
          local.set 5
          local.get 0
          local.get 1
          i32.le_u
          br_if 2 (;@1;)
          local.get 4
          local.get 0
          i32.store offset=8
          local.get 4
          local.get 1
          i32.store offset=12
          local.get 4
          local.get 5
          local.get 4
          i32.const 12
          i32.add
          i64.extend_i32_u
          i64.or
          i64.store offset=24
          local.get 4
          local.get 5
          local.get 4
          i32.const 8
          i32.add
          i64.extend_i32_u
          i64.or
          i64.store offset=16
          i32.const 32768
          local.get 4
          i32.const 16
          i32.add
          local.get 3
          call 62
          unreachable
        end
        local.get 4
        local.get 0
        i32.store offset=8
        local.get 4
        local.get 2
        i32.store offset=12
        local.get 4
        i32.const 1
        i64.extend_i32_u
        i64.const 32
        i64.shl
        local.tee 5
        local.get 4
        i32.const 12
        i32.add
        i64.extend_i32_u
        i64.or
        i64.store offset=24
        local.get 4
        local.get 5
        local.get 4
        i32.const 8
        i32.add
        i64.extend_i32_u
        i64.or
        i64.store offset=16
        i32.const 32808
        local.get 4
        i32.const 16
        i32.add
        local.get 3
        call 62
        unreachable
      end
      local.get 4
      local.get 1
      i32.store offset=8
      local.get 4
      local.get 2
      i32.store offset=12
      local.get 4
      i32.const 1
      i64.extend_i32_u
      i64.const 32
      i64.shl
      local.tee 5
      local.get 4
      i32.const 12
      i32.add
      i64.extend_i32_u
      i64.or
      i64.store offset=24
      local.get 4
      local.get 5
      local.get 4
      i32.const 8
      i32.add
      i64.extend_i32_u
      i64.or
      i64.store offset=16
      i32.const 32865
      local.get 4
      i32.const 16
      i32.add
      local.get 3
      call 62
      unreachable
    end
    local.get 4
    local.get 1
    i32.store offset=8
    local.get 4
    local.get 2
    i32.store offset=12
    local.get 4
    local.get 5
    local.get 4
    i32.const 12
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=24
    local.get 4
    local.get 5
    local.get 4
    i32.const 8
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=16
    i32.const 32865
    local.get 4
    i32.const 16
    i32.add
    local.get 3
    call 62
    unreachable
  )
  (func (;62;) (type 11) (param i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 3
    global.set 0
    local.get 3
    local.get 1
    i32.store offset=16
    local.get 3
    local.get 0
    i32.store offset=12
    local.get 3
    i32.const 1
    i32.store16 offset=28
    local.get 3
    local.get 2
    i32.store offset=24
    local.get 3
    local.get 3
    i32.const 12
    i32.add
    i32.store offset=20
    local.get 3
    i32.const 20
    i32.add
    call 38
    unreachable
  )
  (func (;63;) (type 23) (param i32 i32 i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i64)
    i32.const 43
    i32.const 1114112
    local.get 0
    i32.load offset=8
    local.tee 6
    i32.const 2097152
    i32.and
    local.tee 7
    select
    local.set 8
    local.get 7
    i32.const 21
    i32.shr_u
    i32.const 1
    local.get 1
    select
    local.get 5
    i32.add
    local.set 9
    block ;; label = @1
      block ;; label = @2
        local.get 6
        i32.const 8388608
        i32.and
        br_if 0 (;@2;)
        i32.const 0
        local.set 2
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          local.get 3
          i32.const 16
          i32.lt_u
          br_if 0 (;@3;)
          local.get 2
          local.get 3
          call 64
          local.set 7
          br 1 (;@2;)
        end
        block ;; label = @3
          local.get 3
          br_if 0 (;@3;)
          i32.const 0
          local.set 7
          br 1 (;@2;)
        end
        local.get 3
        i32.const 3
        i32.and
        local.set 10
        i32.const 0
        local.set 11
        i32.const 0
        local.set 7
        block ;; label = @3
          local.get 3
          i32.const 4
          i32.lt_u
          br_if 0 (;@3;)
          local.get 3
          i32.const 12
          i32.and
          local.set 12
          i32.const 0
          local.set 11
          i32.const 0
          local.set 7
          loop ;; label = @4
            local.get 7
            local.get 2
            local.get 11
            i32.add
            local.tee 13
            i32.load8_s
            i32.const -65
            i32.gt_s
            i32.add
            local.get 13
            i32.const 1
            i32.add
            i32.load8_s
            i32.const -65
            i32.gt_s
            i32.add
            local.get 13
            i32.const 2
            i32.add
            i32.load8_s
            i32.const -65
            i32.gt_s
            i32.add
            local.get 13
            i32.const 3
            i32.add
            i32.load8_s
            i32.const -65
            i32.gt_s
            i32.add
            local.set 7
            local.get 12
            local.get 11
            i32.const 4
            i32.add
            local.tee 11
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 10
          i32.eqz
          br_if 1 (;@2;)
        end
        local.get 2
        local.get 11
        i32.add
        local.set 13
        loop ;; label = @3
          local.get 7
          local.get 13
          i32.load8_s
          i32.const -65
          i32.gt_s
          i32.add
          local.set 7
          local.get 13
          i32.const 1
          i32.add
          local.set 13
          local.get 10
          i32.const -1
          i32.add
          local.tee 10
          br_if 0 (;@3;)
        end
      end
      local.get 7
      local.get 9
      i32.add
      local.set 9
    end
    local.get 8
    i32.const 45
    local.get 1
    select
    local.set 12
    block ;; label = @1
      block ;; label = @2
        local.get 9
        local.get 0
        i32.load16_u offset=12
        local.tee 1
        i32.ge_u
        br_if 0 (;@2;)
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 6
              i32.const 16777216
              i32.and
              br_if 0 (;@5;)
              local.get 1
              local.get 9
              i32.sub
              local.set 8
              i32.const 0
              local.set 7
              i32.const 0
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 6
                    i32.const 29
                    i32.shr_u
                    i32.const 3
                    i32.and
                    br_table 2 (;@6;) 0 (;@8;) 1 (;@7;) 0 (;@8;) 2 (;@6;)
                  end
                  local.get 8
                  local.set 1
                  br 1 (;@6;)
                end
                local.get 8
                i32.const 65534
                i32.and
                i32.const 1
                i32.shr_u
                local.set 1
              end
              local.get 6
              i32.const 2097151
              i32.and
              local.set 9
              local.get 0
              i32.load offset=4
              local.set 11
              local.get 0
              i32.load
              local.set 10
              loop ;; label = @6
                local.get 7
                i32.const 65535
                i32.and
                local.get 1
                i32.const 65535
                i32.and
                i32.ge_u
                br_if 2 (;@4;)
                i32.const 1
                local.set 13
                local.get 7
                i32.const 1
                i32.add
                local.set 7
                local.get 10
                local.get 9
                local.get 11
                i32.load offset=16
                call_indirect (type 0)
                i32.eqz
                br_if 0 (;@6;)
                br 5 (;@1;)
              end
            end
            local.get 0
            local.get 0
            i64.load offset=8 align=4
            local.tee 14
            i32.wrap_i64
            i32.const -1612709888
            i32.and
            i32.const 536870960
            i32.or
            i32.store offset=8
            i32.const 1
            local.set 13
            local.get 0
            i32.load
            local.tee 10
            local.get 0
            i32.load offset=4
            local.tee 11
            local.get 12
            local.get 2
            local.get 3
            call 65
            br_if 3 (;@1;)
            i32.const 0
            local.set 7
            local.get 1
            local.get 9
            i32.sub
            i32.const 65535
            i32.and
            local.set 2
            loop ;; label = @5
              local.get 7
              i32.const 65535
              i32.and
              local.get 2
              i32.ge_u
              br_if 2 (;@3;)
              i32.const 1
              local.set 13
              local.get 7
              i32.const 1
              i32.add
              local.set 7
              local.get 10
              i32.const 48
              local.get 11
              i32.load offset=16
              call_indirect (type 0)
              i32.eqz
              br_if 0 (;@5;)
              br 4 (;@1;)
            end
          end
          i32.const 1
          local.set 13
          local.get 10
          local.get 11
          local.get 12
          local.get 2
          local.get 3
          call 65
          br_if 2 (;@1;)
          local.get 10
          local.get 4
          local.get 5
          local.get 11
          i32.load offset=12
          call_indirect (type 1)
          br_if 2 (;@1;)
          i32.const 0
          local.set 7
          local.get 8
          local.get 1
          i32.sub
          i32.const 65535
          i32.and
          local.set 0
          loop ;; label = @4
            local.get 7
            i32.const 65535
            i32.and
            local.tee 2
            local.get 0
            i32.lt_u
            local.set 13
            local.get 2
            local.get 0
            i32.ge_u
            br_if 3 (;@1;)
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            local.get 10
            local.get 9
            local.get 11
            i32.load offset=16
            call_indirect (type 0)
            i32.eqz
            br_if 0 (;@4;)
            br 3 (;@1;)
          end
        end
        i32.const 1
        local.set 13
        local.get 10
        local.get 4
        local.get 5
        local.get 11
        i32.load offset=12
        call_indirect (type 1)
        br_if 1 (;@1;)
        local.get 0
        local.get 14
        i64.store offset=8 align=4
        i32.const 0
        return
      end
      i32.const 1
      local.set 13
      local.get 0
      i32.load
      local.tee 7
      local.get 0
      i32.load offset=4
      local.tee 10
      local.get 12
      local.get 2
      local.get 3
      call 65
      br_if 0 (;@1;)
      local.get 7
      local.get 4
      local.get 5
      local.get 10
      i32.load offset=12
      call_indirect (type 1)
      local.set 13
    end
    local.get 13
  )
  (func (;64;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        local.get 1
        local.get 0
        i32.const 3
        i32.add
        i32.const -4
        i32.and
        local.tee 2
        local.get 0
        i32.sub
        local.tee 3
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        local.get 3
        i32.sub
        local.tee 4
        i32.const 2
        i32.shr_u
        local.tee 5
        i32.eqz
        br_if 0 (;@2;)
        local.get 4
        i32.const 3
        i32.and
        local.set 6
        i32.const 0
        local.set 7
        i32.const 0
        local.set 1
        block ;; label = @3
          local.get 2
          local.get 0
          i32.eq
          br_if 0 (;@3;)
          i32.const 0
          local.set 8
          i32.const 0
          local.set 1
          block ;; label = @4
            local.get 0
            local.get 2
            i32.sub
            local.tee 9
            i32.const -4
            i32.gt_u
            br_if 0 (;@4;)
            i32.const 0
            local.set 8
            i32.const 0
            local.set 1
            loop ;; label = @5
              local.get 1
              local.get 0
              local.get 8
              i32.add
              local.tee 2
              i32.load8_s
              i32.const -65
              i32.gt_s
              i32.add
              local.get 2
              i32.const 1
              i32.add
              i32.load8_s
              i32.const -65
              i32.gt_s
              i32.add
              local.get 2
              i32.const 2
              i32.add
              i32.load8_s
              i32.const -65
              i32.gt_s
              i32.add
              local.get 2
              i32.const 3
              i32.add
              i32.load8_s
              i32.const -65
              i32.gt_s
              i32.add
              local.set 1
              local.get 8
              i32.const 4
              i32.add
              local.tee 8
              br_if 0 (;@5;)
            end
          end
          local.get 0
          local.get 8
          i32.add
          local.set 2
          loop ;; label = @4
            local.get 1
            local.get 2
            i32.load8_s
            i32.const -65
            i32.gt_s
            i32.add
            local.set 1
            local.get 2
            i32.const 1
            i32.add
            local.set 2
            local.get 9
            i32.const 1
            i32.add
            local.tee 9
            br_if 0 (;@4;)
          end
        end
        local.get 0
        local.get 3
        i32.add
        local.set 9
        block ;; label = @3
          local.get 6
          i32.eqz
          br_if 0 (;@3;)
          local.get 9
          local.get 4
          i32.const 2147483644
          i32.and
          i32.add
          local.tee 2
          i32.load8_s
          i32.const -65
          i32.gt_s
          local.set 7
          local.get 6
          i32.const 1
          i32.eq
          br_if 0 (;@3;)
          local.get 7
          local.get 2
          i32.load8_s offset=1
          i32.const -65
          i32.gt_s
          i32.add
          local.set 7
          local.get 6
          i32.const 2
          i32.eq
          br_if 0 (;@3;)
          local.get 7
          local.get 2
          i32.load8_s offset=2
          i32.const -65
          i32.gt_s
          i32.add
          local.set 7
        end
        local.get 7
        local.get 1
        i32.add
        local.set 8
        loop ;; label = @3
          local.get 9
          local.set 3
          local.get 5
          i32.eqz
          br_if 2 (;@1;)
          local.get 5
          i32.const 192
          local.get 5
          i32.const 192
          i32.lt_u
          select
          local.tee 7
          i32.const 3
          i32.and
          local.set 6
          block ;; label = @4
            block ;; label = @5
              local.get 7
              i32.const 2
              i32.shl
              local.tee 4
              i32.const 1008
              i32.and
              local.tee 1
              br_if 0 (;@5;)
              i32.const 0
              local.set 2
              br 1 (;@4;)
            end
            local.get 3
            local.get 1
            i32.add
            local.set 0
            i32.const 0
            local.set 2
            local.get 3
            local.set 1
            loop ;; label = @5
              local.get 1
              i32.const 12
              i32.add
              i32.load
              local.tee 9
              i32.const -1
              i32.xor
              i32.const 7
              i32.shr_u
              local.get 9
              i32.const 6
              i32.shr_u
              i32.or
              i32.const 16843009
              i32.and
              local.get 1
              i32.const 8
              i32.add
              i32.load
              local.tee 9
              i32.const -1
              i32.xor
              i32.const 7
              i32.shr_u
              local.get 9
              i32.const 6
              i32.shr_u
              i32.or
              i32.const 16843009
              i32.and
              local.get 1
              i32.const 4
              i32.add
              i32.load
              local.tee 9
              i32.const -1
              i32.xor
              i32.const 7
              i32.shr_u
              local.get 9
              i32.const 6
              i32.shr_u
              i32.or
              i32.const 16843009
              i32.and
              local.get 1
              i32.load
              local.tee 9
              i32.const -1
              i32.xor
              i32.const 7
              i32.shr_u
              local.get 9
              i32.const 6
              i32.shr_u
              i32.or
              i32.const 16843009
              i32.and
              local.get 2
              i32.add
              i32.add
              i32.add
              i32.add
              local.set 2
              local.get 1
              i32.const 16
              i32.add
              local.tee 1
              local.get 0
              i32.ne
              br_if 0 (;@5;)
            end
          end
          local.get 5
          local.get 7
          i32.sub
          local.set 5
          local.get 3
          local.get 4
          i32.add
          local.set 9
          local.get 2
          i32.const 8
          i32.shr_u
          i32.const 16711935
          i32.and
          local.get 2
          i32.const 16711935
          i32.and
          i32.add
          i32.const 65537
          i32.mul
          i32.const 16
          i32.shr_u
          local.get 8
          i32.add
          local.set 8
          local.get 6
          i32.eqz
          br_if 0 (;@3;)
        end
        local.get 3
        local.get 7
        i32.const 252
        i32.and
        i32.const 2
        i32.shl
        i32.add
        local.tee 2
        i32.load
        local.tee 1
        i32.const -1
        i32.xor
        i32.const 7
        i32.shr_u
        local.get 1
        i32.const 6
        i32.shr_u
        i32.or
        i32.const 16843009
        i32.and
        local.set 1
        block ;; label = @3
          local.get 6
          i32.const 1
          i32.eq
          br_if 0 (;@3;)
          local.get 2
          i32.load offset=4
          local.tee 9
          i32.const -1
          i32.xor
          i32.const 7
          i32.shr_u
          local.get 9
          i32.const 6
          i32.shr_u
          i32.or
          i32.const 16843009
          i32.and
          local.get 1
          i32.add
          local.set 1
          local.get 6
          i32.const 2
          i32.eq
          br_if 0 (;@3;)
          local.get 2
          i32.load offset=8
          local.tee 2
          i32.const -1
          i32.xor
          i32.const 7
          i32.shr_u
          local.get 2
          i32.const 6
          i32.shr_u
          i32.or
          i32.const 16843009
          i32.and
          local.get 1
          i32.add
          local.set 1
        end
        local.get 1
        i32.const 8
        i32.shr_u
        i32.const 459007
        i32.and
        local.get 1
        i32.const 16711935
        i32.and
        i32.add
        i32.const 65537
        i32.mul
        i32.const 16
        i32.shr_u
        local.get 8
        i32.add
        local.set 8
        br 1 (;@1;)
      end
      block ;; label = @2
        local.get 1
        br_if 0 (;@2;)
        i32.const 0
        return
      end
      local.get 1
      i32.const 3
      i32.and
      local.set 2
      i32.const 0
      local.set 9
      i32.const 0
      local.set 8
      block ;; label = @2
        local.get 1
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -4
        i32.and
        local.set 5
        i32.const 0
        local.set 8
        i32.const 0
        local.set 9
        loop ;; label = @3
          local.get 8
          local.get 0
          local.get 9
          i32.add
          local.tee 1
          i32.load8_s
          i32.const -65
          i32.gt_s
          i32.add
          local.get 1
          i32.const 1
          i32.add
          i32.load8_s
          i32.const -65
          i32.gt_s
          i32.add
          local.get 1
          i32.const 2
          i32.add
          i32.load8_s
          i32.const -65
          i32.gt_s
          i32.add
          local.get 1
          i32.const 3
          i32.add
          i32.load8_s
          i32.const -65
          i32.gt_s
          i32.add
          local.set 8
          local.get 5
          local.get 9
          i32.const 4
          i32.add
          local.tee 9
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 9
      i32.add
      local.set 1
      loop ;; label = @2
        local.get 8
        local.get 1
        i32.load8_s
        i32.const -65
        i32.gt_s
        i32.add
        local.set 8
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
    local.get 8
  )
  (func (;65;) (type 17) (param i32 i32 i32 i32 i32) (result i32)
    block ;; label = @1
      local.get 2
      i32.const 1114112
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      local.get 2
      local.get 1
      i32.load offset=16
      call_indirect (type 0)
      i32.eqz
      br_if 0 (;@1;)
      i32.const 1
      return
    end
    block ;; label = @1
      local.get 3
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 0
    local.get 3
    local.get 4
    local.get 1
    i32.load offset=12
    call_indirect (type 1)
  )
  (func (;66;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    i32.const 10
    local.set 3
    local.get 0
    i32.load
    local.tee 4
    local.set 5
    block ;; label = @1
      local.get 4
      i32.const 1000
      i32.lt_u
      br_if 0 (;@1;)
      i32.const 10
      local.set 3
      local.get 4
      local.set 5
      loop ;; label = @2
        local.get 2
        i32.const 6
        i32.add
        local.get 3
        i32.add
        local.tee 6
        i32.const -4
        i32.add
        local.get 5
        local.tee 0
        local.get 0
        i32.const 10000
        i32.div_u
        local.tee 5
        i32.const 10000
        i32.mul
        i32.sub
        local.tee 7
        i32.const 65535
        i32.and
        i32.const 100
        i32.div_u
        local.tee 8
        i32.const 1
        i32.shl
        i32.load16_u offset=33464 align=1
        i32.store16 align=1
        local.get 6
        i32.const -2
        i32.add
        local.get 7
        local.get 8
        i32.const 100
        i32.mul
        i32.sub
        i32.const 65535
        i32.and
        i32.const 1
        i32.shl
        i32.load16_u offset=33464 align=1
        i32.store16 align=1
        local.get 3
        i32.const -4
        i32.add
        local.set 3
        local.get 0
        i32.const 9999999
        i32.gt_u
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      block ;; label = @2
        local.get 5
        i32.const 9
        i32.gt_u
        br_if 0 (;@2;)
        local.get 5
        local.set 0
        br 1 (;@1;)
      end
      local.get 2
      i32.const 6
      i32.add
      local.get 3
      i32.const -2
      i32.add
      local.tee 3
      i32.add
      local.get 5
      local.get 5
      i32.const 65535
      i32.and
      i32.const 100
      i32.div_u
      local.tee 0
      i32.const 100
      i32.mul
      i32.sub
      i32.const 65535
      i32.and
      i32.const 1
      i32.shl
      i32.load16_u offset=33464 align=1
      i32.store16 align=1
    end
    block ;; label = @1
      block ;; label = @2
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        local.get 0
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 2
      i32.const 6
      i32.add
      local.get 3
      i32.const -1
      i32.add
      local.tee 3
      i32.add
      local.get 0
      i32.const 1
      i32.shl
      i32.load8_u offset=33465
      i32.store8
    end
    local.get 1
    i32.const 1
    i32.const 1
    i32.const 0
    local.get 2
    i32.const 6
    i32.add
    local.get 3
    i32.add
    i32.const 10
    local.get 3
    i32.sub
    call 63
    local.set 3
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 3
  )
  (func (;67;) (type 22) (param i32 i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 4
    global.set 0
    local.get 4
    local.get 1
    i32.store offset=16
    local.get 4
    local.get 0
    i32.store offset=12
    local.get 4
    local.get 2
    i32.store8 offset=29
    local.get 4
    i32.const 0
    i32.store8 offset=28
    local.get 4
    local.get 3
    i32.store offset=24
    local.get 4
    local.get 4
    i32.const 12
    i32.add
    i32.store offset=20
    local.get 4
    i32.const 20
    i32.add
    call 38
    unreachable
  )
  (data (;0;) (i32.const 32768) "\16slice index starts at \c0\0d but ends at \c0\00\12range start index \c0\22 out of range for slice of length \c0\00\10range end index \c0\22 out of range for slice of length \c0\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs\00/tng/transports/stp/abi/src/receipts.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/alloc.rs\00flood/src/lib.rs\00\15memory allocation of \c0\0d bytes failed\00\01\00\00\00\00\ac\81\00\00\10\00\00\00\94\00\00\00#\00\00\00a message is larger than a segment, and is dropped\00\00\98\80\00\00O\00\00\00\07\04\00\007\00\00\00\e8\80\00\00'\00\00\00G\00\00\00\14\00\00\00\e8\80\00\00'\00\00\00?\00\00\00\15\00\00\00\e8\80\00\00'\00\00\00\1a\00\00\00 \00\00\00dest is out of bounds\00\00\00a\81\00\00J\00\00\00)\02\00\00\09\00\00\00capacity overflow\00\00\00\10\81\00\00P\00\00\00\1c\00\00\00\05\00\00\0000010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899")
  (data (;1;) (i32.const 33664) "\00\00\00\80\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
