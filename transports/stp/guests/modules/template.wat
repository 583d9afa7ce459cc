(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func (param i32) (result i64)))
  (type (;7;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;8;) (func (param i64) (result i64)))
  (type (;9;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;10;) (func (param i32 i32 i32) (result i64)))
  (type (;11;) (func (param i32)))
  (type (;12;) (func (param i32 i32 i32)))
  (type (;13;) (func (param i32 i32 i32 i32)))
  (type (;14;) (func (result i64)))
  (type (;15;) (func (param i32 i32)))
  (type (;16;) (func (param i32 i64)))
  (type (;17;) (func (param i32 i32 i32 i32) (result i32)))
  (type (;18;) (func (param i32 i32 i32 i32 i32) (result i32)))
  (type (;19;) (func (param i32 i32 i32 i32 i64 i64 i64)))
  (type (;20;) (func (param i32) (result i32)))
  (type (;21;) (func (param i32 i64 i64 i64 i32) (result i32)))
  (type (;22;) (func (param i32 i64) (result i32)))
  (type (;23;) (func (param i32 i32 i32 i32 i64 i64)))
  (type (;24;) (func (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "tng" "net_resend" (func (;0;) (type 2) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "proto_done" (func (;1;) (type 3)))
  (import "tng" "net_sendack" (func (;2;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func (;3;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "so_connected" (func (;4;) (type 3)))
  (import "tng" "so_isdisconnecting" (func (;5;) (type 5) (result i32)))
  (import "tng" "log" (func (;6;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "route" (func (;7;) (type 6) (param i32) (result i64)))
  (import "tng" "ack_sum" (func (;8;) (type 7) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "so_drop" (func (;9;) (type 8) (param i64) (result i64)))
  (import "tng" "net_send" (func (;10;) (type 9) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "so_append" (func (;11;) (type 10) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;12;) (type 3)))
  (table (;0;) 2 2 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 45728)
  (global (;2;) i32 i32.const 45720)
  (export "memory" (memory 0))
  (export "abi" (func 18))
  (export "abort" (func 19))
  (export "accept" (func 20))
  (export "area" (func 21))
  (export "attach" (func 22))
  (export "call" (func 23))
  (export "input" (func 24))
  (export "path_changed" (func 25))
  (export "ring" (func 26))
  (export "shutdown" (func 27))
  (export "timer" (func 28))
  (export "usrreq" (func 29))
  (export "connect" (func 20))
  (export "__heap_base" (global 1))
  (export "__data_end" (global 2))
  (elem (;0;) (i32.const 1) func 60)
  (func (;13;) (type 11) (param i32)
    (local i32 i32 i32 i64 i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 1
    global.set 0
    i32.const 0
    i32.load offset=33308
    local.set 2
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load offset=33264
          br_if 0 (;@3;)
          local.get 2
          i32.eqz
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              loop ;; label = @6
                block ;; label = @7
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
                  i32.const 3
                  i32.shl
                  i32.add
                  i64.load
                  local.tee 4
                  i32.const 0
                  i64.load offset=33312
                  i64.sub
                  i64.const 2
                  i64.add
                  local.get 0
                  i32.const 0
                  call 46
                  i64.gt_u
                  br_if 0 (;@7;)
                  local.get 1
                  i32.const 1
                  i32.store8 offset=14
                  local.get 1
                  i32.const 0
                  i32.load8_u offset=33320
                  i32.store8 offset=15
                  i32.const 0
                  i32.load offset=33280
                  i32.eqz
                  br_if 2 (;@5;)
                  local.get 1
                  i32.const 16
                  i32.add
                  local.get 0
                  local.get 1
                  i32.const 14
                  i32.add
                  i32.const 2
                  i32.const 0
                  i64.load offset=33312
                  local.get 4
                  i32.const 0
                  i64.load offset=33288
                  call 39
                  br 3 (;@4;)
                end
                local.get 0
                i32.const 32768
                i32.const 50
                call 45
                drop
                i32.const 0
                i32.load offset=33308
                local.tee 2
                i32.eqz
                br_if 4 (;@2;)
                i32.const 0
                local.get 2
                i32.const -1
                i32.add
                i32.store offset=33308
                i32.const 0
                i32.const 0
                i32.load offset=33304
                local.tee 2
                i32.const 1
                i32.add
                local.tee 3
                i32.const 0
                i32.const 0
                i32.load offset=33296
                local.tee 5
                local.get 3
                local.get 5
                i32.lt_u
                select
                i32.sub
                i32.store offset=33304
                i32.const 0
                i32.const 0
                i32.load offset=33300
                local.get 2
                i32.const 3
                i32.shl
                i32.add
                i64.load
                local.tee 4
                i64.store offset=33312
                i32.const 0
                i64.const 0
                i64.store offset=33264
                i32.const 0
                i64.const 0
                i64.store offset=33280
                local.get 0
                local.get 4
                call 48
                drop
                i32.const 0
                i32.load offset=33308
                local.set 2
                i32.const 0
                i32.load offset=33264
                br_if 3 (;@3;)
                local.get 2
                br_if 0 (;@6;)
                br 3 (;@3;)
              end
            end
            local.get 1
            i32.const 16
            i32.add
            local.get 0
            local.get 1
            i32.const 14
            i32.add
            i32.const 2
            i32.const 0
            i64.load offset=33312
            local.get 4
            call 49
          end
          block ;; label = @4
            block ;; label = @5
              local.get 1
              i32.load8_u offset=16
              i32.const 1
              i32.ne
              br_if 0 (;@5;)
              local.get 1
              i32.load8_u offset=17
              br_if 1 (;@4;)
              br 4 (;@1;)
            end
            i32.const 0
            local.get 1
            i64.load offset=24
            i64.store offset=33272
            i32.const 0
            i64.const 1
            i64.store offset=33264
          end
          local.get 0
          i32.const 0
          i32.const 400
          call 42
          drop
          i32.const 0
          i32.load offset=33308
          local.set 2
        end
        local.get 2
        br_if 1 (;@1;)
      end
      local.get 0
      call 44
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      call 40
    end
    local.get 1
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;14;) (type 11) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 1
    local.get 0
    call 15
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
          i32.const 3
          i32.shl
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.load offset=4
          local.tee 5
          local.get 1
          i32.const 3
          i32.shl
          i32.add
          local.get 5
          local.get 2
          i32.const 3
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
      i32.const 3
      i32.shl
      local.tee 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.tee 0
      local.get 1
      i32.const 3
      i32.shl
      i32.add
      local.get 0
      local.get 2
      memory.copy
    end
  )
  (func (;15;) (type 11) (param i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    local.get 1
    i32.const 8
    i32.add
    local.get 0
    local.get 0
    i32.load
    call 16
    block ;; label = @1
      local.get 1
      i32.load offset=8
      local.tee 0
      i32.const -2147483647
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.load offset=12
      call 52
      unreachable
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;16;) (type 12) (param i32 i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 3
    global.set 0
    local.get 3
    i32.const 4
    i32.add
    local.get 1
    i32.load
    local.tee 4
    local.get 1
    i32.load offset=4
    local.get 2
    i32.const 1
    i32.add
    local.tee 2
    local.get 4
    i32.const 1
    i32.shl
    local.tee 4
    local.get 2
    local.get 4
    i32.gt_u
    select
    local.tee 2
    i32.const 4
    local.get 2
    i32.const 4
    i32.gt_u
    select
    local.tee 2
    call 17
    block ;; label = @1
      block ;; label = @2
        local.get 3
        i32.load offset=4
        i32.eqz
        br_if 0 (;@2;)
        local.get 3
        i32.load offset=12
        local.set 1
        local.get 3
        i32.load offset=8
        local.set 2
        br 1 (;@1;)
      end
      local.get 3
      i32.load offset=8
      local.set 4
      local.get 1
      local.get 2
      i32.store
      local.get 1
      local.get 4
      i32.store offset=4
      i32.const -2147483647
      local.set 2
    end
    local.get 0
    local.get 1
    i32.store offset=4
    local.get 0
    local.get 2
    i32.store
    local.get 3
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;17;) (type 13) (param i32 i32 i32 i32)
    block ;; label = @1
      local.get 3
      i32.const 536870911
      i32.gt_u
      br_if 0 (;@1;)
      local.get 3
      i32.const 3
      i32.shl
      local.tee 3
      i32.const 2147483640
      i32.gt_u
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          local.get 2
          local.get 1
          i32.const 3
          i32.shl
          i32.const 8
          local.get 3
          call 34
          local.set 1
          br 1 (;@2;)
        end
        call 31
        local.get 3
        i32.const 8
        call 32
        local.set 1
      end
      block ;; label = @2
        local.get 1
        br_if 0 (;@2;)
        local.get 0
        local.get 3
        i32.store offset=8
        local.get 0
        i32.const 8
        i32.store offset=4
        local.get 0
        i32.const 1
        i32.store
        return
      end
      local.get 0
      local.get 3
      i32.store offset=8
      local.get 0
      local.get 1
      i32.store offset=4
      local.get 0
      i32.const 0
      i32.store
      return
    end
    local.get 0
    i32.const 0
    i32.store offset=4
    local.get 0
    i32.const 1
    i32.store
  )
  (func (;18;) (type 14) (result i64)
    i64.const 258
  )
  (func (;19;) (type 3)
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
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
  (func (;20;) (type 3)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 0
      i32.const 15
      i32.add
      call 43
      local.get 0
      i32.const 15
      i32.add
      call 13
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;21;) (type 5) (result i32)
    i32.const 33328
  )
  (func (;22;) (type 3)
    (local i32)
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33296
      local.tee 0
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33300
      local.get 0
      i32.const 3
      i32.shl
      i32.const 8
      call 33
    end
    i32.const 0
    i64.const 0
    i64.store offset=33304
    i32.const 0
    i64.const 34359738368
    i64.store offset=33296
    i32.const 0
    i64.const 0
    i64.store offset=33280
    i32.const 0
    i64.const 0
    i64.store offset=33264
    i32.const 0
    i64.const 0
    i64.store offset=33312
    i32.const 0
    i32.const 0
    i32.store16 offset=33320
  )
  (func (;23;) (type 4) (param i32 i32) (result i64)
    i64.const -4
    i64.const -5
    i32.const 0
    i64.load offset=33264
    i64.const 2
    i64.eq
    select
  )
  (func (;24;) (type 15) (param i32 i32)
    (local i32 i32 i32 i64 i64 i32)
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
          local.set 3
          local.get 1
          i32.const 64
          local.get 1
          i32.const 64
          i32.lt_u
          select
          i32.const 7
          i32.shl
          local.tee 4
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
            i32.const 37424
            i32.add
            call 37
            local.get 3
            local.get 2
            i32.const 8216
            i32.add
            i32.const 128
            memory.copy
            local.get 0
            i32.const 1
            i32.add
            local.set 0
            local.get 3
            i32.const 128
            i32.add
            local.set 3
            local.get 1
            i32.const -128
            i32.add
            local.tee 1
            br_if 0 (;@4;)
          end
          i32.const 0
          i64.load offset=33264
          i64.const 2
          i64.eq
          br_if 2 (;@1;)
          i32.const 0
          local.set 0
          loop ;; label = @4
            local.get 2
            i32.const 16
            i32.add
            local.get 2
            i32.const 24
            i32.add
            local.get 0
            i32.add
            local.tee 3
            call 38
            block ;; label = @5
              local.get 2
              i32.load offset=20
              i32.const 1
              i32.le_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  i32.load offset=16
                  i32.load8_u
                  i32.const -1
                  i32.add
                  br_table 0 (;@7;) 1 (;@6;) 2 (;@5;)
                end
                local.get 3
                i64.load
                i64.const 1
                i64.ne
                br_if 1 (;@5;)
                local.get 3
                i32.const 16
                i32.add
                i64.load
                local.set 5
                local.get 3
                i32.const 8
                i32.add
                i64.load
                local.set 6
                block ;; label = @7
                  local.get 3
                  i32.const 25
                  i32.add
                  i32.load8_u
                  local.tee 1
                  i32.const 0
                  i32.load8_u offset=33321
                  i32.ne
                  br_if 0 (;@7;)
                  local.get 2
                  i32.const 8351
                  i32.add
                  local.get 3
                  i32.const 120
                  i32.add
                  i32.load
                  i32.const 2
                  local.get 3
                  i32.const 124
                  i32.add
                  i32.load
                  call 50
                  i32.const 255
                  i32.and
                  i32.const 7
                  i32.ne
                  br_if 2 (;@5;)
                  local.get 2
                  i32.const 8351
                  i32.add
                  call 51
                  i32.const 0
                  i32.const 0
                  i32.load8_u offset=33321
                  i32.const 1
                  i32.add
                  i32.store8 offset=33321
                end
                local.get 2
                local.get 5
                i64.store offset=8226 align=1
                local.get 2
                local.get 6
                i64.store offset=8218 align=1
                local.get 2
                local.get 1
                i32.store8 offset=8217
                local.get 2
                i32.const 2
                i32.store8 offset=8216
                local.get 2
                i32.const 8351
                i32.add
                local.get 2
                i32.const 8216
                i32.add
                i32.const 18
                call 41
                drop
                br 1 (;@5;)
              end
              local.get 2
              i32.const 8
              i32.add
              local.get 3
              call 38
              local.get 2
              i32.load offset=12
              i32.const 18
              i32.lt_u
              br_if 0 (;@5;)
              local.get 2
              i32.load offset=8
              local.set 3
              block ;; label = @6
                i32.const 0
                i64.load offset=33264
                local.tee 5
                i64.const 1
                i64.ne
                br_if 0 (;@6;)
                local.get 3
                i64.load offset=2 align=1
                local.tee 6
                i32.const 0
                i64.load offset=33272
                i64.gt_u
                br_if 0 (;@6;)
                local.get 2
                i32.const 8351
                i32.add
                local.get 6
                i64.const -1
                local.get 6
                i64.const 1
                i64.add
                local.tee 5
                local.get 5
                i64.eqz
                select
                local.get 3
                i64.load offset=10 align=1
                i32.const 0
                call 47
                drop
                i32.const 0
                i64.load offset=33264
                local.set 5
              end
              local.get 5
              i64.eqz
              br_if 0 (;@5;)
              local.get 3
              i32.load8_u offset=1
              local.tee 3
              i32.const 0
              i32.load8_u offset=33320
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              local.get 3
              i32.const 1
              i32.add
              i32.store8 offset=33320
              i32.const 0
              i32.load offset=33308
              local.tee 3
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.get 3
              i32.const -1
              i32.add
              i32.store offset=33308
              i32.const 0
              i32.const 0
              i32.load offset=33304
              local.tee 3
              i32.const 1
              i32.add
              local.tee 1
              i32.const 0
              i32.const 0
              i32.load offset=33296
              local.tee 7
              local.get 1
              local.get 7
              i32.lt_u
              select
              i32.sub
              i32.store offset=33304
              i32.const 0
              i32.const 0
              i32.load offset=33300
              local.get 3
              i32.const 3
              i32.shl
              i32.add
              i64.load
              local.tee 5
              i64.store offset=33312
              i32.const 0
              i64.const 0
              i64.store offset=33264
              i32.const 0
              i64.const 0
              i64.store offset=33280
              local.get 2
              i32.const 8351
              i32.add
              local.get 5
              call 48
              drop
            end
            local.get 4
            local.get 0
            i32.const 128
            i32.add
            local.tee 0
            i32.ne
            br_if 0 (;@4;)
            br 2 (;@2;)
          end
        end
        i32.const 0
        i64.load offset=33264
        i64.const 2
        i64.eq
        br_if 1 (;@1;)
      end
      local.get 2
      i32.const 8351
      i32.add
      call 13
    end
    local.get 2
    i32.const 8352
    i32.add
    global.set 0
  )
  (func (;25;) (type 3)
    (local i32 i64 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      local.tee 1
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 33272
      i32.const 33288
      local.get 1
      i32.wrap_i64
      i32.const 1
      i32.and
      local.tee 2
      select
      i64.load
      local.set 1
      i32.const 0
      i64.const 0
      i64.store offset=33264
      i32.const 0
      i64.const 1
      i32.const 0
      i64.load offset=33280
      local.get 2
      select
      i64.store offset=33280
      i32.const 0
      local.get 1
      i64.store offset=33288
      local.get 0
      i32.const 15
      i32.add
      call 13
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;26;) (type 5) (result i32)
    i32.const 37424
  )
  (func (;27;) (type 11) (param i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 1
      i32.const 15
      i32.add
      call 40
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;28;) (type 11) (param i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33264
      local.tee 2
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          local.get 0
          i32.const 1
          i32.add
          br_table 1 (;@2;) 0 (;@3;) 2 (;@1;)
        end
        i32.const 33272
        i32.const 33288
        local.get 2
        i32.wrap_i64
        i32.const 1
        i32.and
        local.tee 0
        select
        i64.load
        local.set 2
        i32.const 0
        i64.const 0
        i64.store offset=33264
        i32.const 0
        i64.const 1
        i32.const 0
        i64.load offset=33280
        local.get 0
        select
        i64.store offset=33280
        i32.const 0
        local.get 2
        i64.store offset=33288
      end
      local.get 1
      i32.const 15
      i32.add
      call 13
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;29;) (type 16) (param i32 i64)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            br_table 0 (;@4;) 1 (;@3;) 1 (;@3;) 3 (;@1;)
          end
          i32.const 0
          i64.load offset=33264
          i64.const 2
          i64.eq
          br_if 2 (;@1;)
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load offset=33308
              local.tee 0
              i32.const 256
              i32.ge_u
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 0
                i32.const 0
                i32.load offset=33296
                local.tee 3
                i32.ne
                br_if 0 (;@6;)
                i32.const 33296
                call 14
                i32.const 0
                i32.load offset=33296
                local.set 3
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
              i32.load offset=33304
              local.get 0
              i32.add
              local.tee 0
              i32.const 0
              local.get 3
              local.get 0
              local.get 3
              i32.lt_u
              select
              i32.sub
              local.set 0
              br 1 (;@4;)
            end
            local.get 0
            i32.const 0
            i32.load offset=33304
            i32.add
            i32.const -1
            i32.add
            local.tee 0
            i32.const 0
            i32.const 0
            i32.load offset=33296
            local.tee 3
            local.get 0
            local.get 3
            i32.lt_u
            select
            i32.sub
            local.set 0
          end
          i32.const 0
          i32.load offset=33300
          local.get 0
          i32.const 3
          i32.shl
          i32.add
          local.get 1
          i64.store
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=33264
        i64.const 2
        i64.eq
        br_if 1 (;@1;)
      end
      local.get 2
      i32.const 15
      i32.add
      call 13
    end
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;30;) (type 15) (param i32 i32)
    local.get 0
    local.get 1
    call 53
    return
  )
  (func (;31;) (type 3)
    return
  )
  (func (;32;) (type 0) (param i32 i32) (result i32)
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
        i32.load offset=45616
        local.tee 2
        br_if 0 (;@2;)
        i32.const 16
        local.get 3
        i32.shl
        local.set 2
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=45716
            local.tee 1
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=45712
            local.set 3
            br 1 (;@3;)
          end
          memory.size
          local.set 1
          i32.const 45728
          local.set 3
          i32.const 0
          i32.const 45728
          i32.store offset=45712
          i32.const 0
          local.get 1
          i32.const 16
          i32.shl
          local.tee 1
          i32.store offset=45716
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
          i32.store offset=45712
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
        i32.store offset=45716
        i32.const 0
        local.get 0
        i32.store offset=45712
        local.get 3
        return
      end
      local.get 1
      i32.const 45616
      i32.add
      local.get 2
      i32.load
      i32.store
    end
    local.get 2
  )
  (func (;33;) (type 12) (param i32 i32 i32)
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
      i32.load offset=45616
      i32.store
      local.get 1
      local.get 0
      i32.store offset=45616
    end
  )
  (func (;34;) (type 17) (param i32 i32 i32 i32) (result i32)
    i32.const 45616
    local.get 0
    local.get 2
    local.get 1
    local.get 3
    call 35
  )
  (func (;35;) (type 18) (param i32 i32 i32 i32 i32) (result i32)
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
          i32.const 45728
          local.set 7
          local.get 0
          i32.const 45728
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
  (func (;36;) (type 11) (param i32)
    unreachable
  )
  (func (;37;) (type 15) (param i32 i32)
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
  (func (;38;) (type 15) (param i32 i32)
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
  (func (;39;) (type 19) (param i32 i32 i32 i32 i64 i64 i64)
    block ;; label = @1
      local.get 2
      local.get 3
      local.get 4
      local.get 5
      local.get 6
      call 0
      local.tee 6
      i64.const -1
      i64.gt_s
      br_if 0 (;@1;)
      local.get 0
      i32.const 3
      local.get 6
      i32.wrap_i64
      i32.const -1
      i32.xor
      i32.const 7
      local.get 6
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
    local.get 6
    i64.store offset=8
    local.get 0
    i32.const 0
    i32.store8
  )
  (func (;40;) (type 11) (param i32)
    call 1
  )
  (func (;41;) (type 1) (param i32 i32 i32) (result i32)
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
  (func (;42;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 2
      call 3
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
  (func (;43;) (type 11) (param i32)
    call 4
  )
  (func (;44;) (type 20) (param i32) (result i32)
    call 5
    i32.const 0
    i32.ne
  )
  (func (;45;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 2
      call 6
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
  (func (;46;) (type 4) (param i32 i32) (result i64)
    local.get 1
    call 7
  )
  (func (;47;) (type 21) (param i32 i64 i64 i64 i32) (result i32)
    (local i32)
    i32.const 7
    local.set 5
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      local.get 4
      call 8
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
  (func (;48;) (type 22) (param i32 i64) (result i32)
    (local i32)
    i32.const 7
    local.set 2
    block ;; label = @1
      local.get 1
      call 9
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
  (func (;49;) (type 23) (param i32 i32 i32 i32 i64 i64)
    block ;; label = @1
      local.get 2
      local.get 3
      local.get 4
      local.get 5
      call 10
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
  (func (;50;) (type 17) (param i32 i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 4
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      call 11
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
  (func (;51;) (type 11) (param i32)
    call 12
  )
  (func (;52;) (type 15) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      call 54
      unreachable
    end
    call 55
    unreachable
  )
  (func (;53;) (type 15) (param i32 i32)
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
    i32.const 32974
    local.get 2
    i32.const 8
    i32.add
    i32.const 0
    i32.const 33012
    call 61
    unreachable
  )
  (func (;54;) (type 15) (param i32 i32)
    local.get 1
    local.get 0
    call 30
    unreachable
  )
  (func (;55;) (type 3)
    i32.const 33028
    i32.const 35
    i32.const 33048
    call 56
    unreachable
  )
  (func (;56;) (type 12) (param i32 i32 i32)
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
    call 36
    unreachable
  )
  (func (;57;) (type 24) (param i32 i32 i32 i32 i32 i32) (result i32)
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
          call 58
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
            call 59
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
          call 59
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
      call 59
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
  (func (;58;) (type 0) (param i32 i32) (result i32)
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
  (func (;59;) (type 18) (param i32 i32 i32 i32 i32) (result i32)
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
  (func (;60;) (type 0) (param i32 i32) (result i32)
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
        i32.load16_u offset=33064 align=1
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
        i32.load16_u offset=33064 align=1
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
      i32.load16_u offset=33064 align=1
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
      i32.load8_u offset=33065
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
    call 57
    local.set 3
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 3
  )
  (func (;61;) (type 13) (param i32 i32 i32 i32)
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
    call 36
    unreachable
  )
  (data (;0;) (i32.const 32768) "a message is larger than a segment, and is dropped/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/alloc.rs\00\15memory allocation of \c0\0d bytes failed\00\83\80\00\00J\00\00\00)\02\00\00\09\00\00\00capacity overflow\00\00\002\80\00\00P\00\00\00\1c\00\00\00\05\00\00\0000010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899")
  (data (;1;) (i32.const 33264) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
