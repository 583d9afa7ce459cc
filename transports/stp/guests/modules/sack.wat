(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32 i32) (result i64)))
  (type (;5;) (func (param i32) (result i64)))
  (type (;6;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;7;) (func (result i64)))
  (type (;8;) (func (param i64) (result i64)))
  (type (;9;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;10;) (func (param i32)))
  (type (;11;) (func (param i32 i32 i32) (result i64)))
  (type (;12;) (func (param i32 i64)))
  (type (;13;) (func (param i32 i32 i64)))
  (type (;14;) (func (param i32 i64 i32)))
  (type (;15;) (func (param i32 i32 i32)))
  (type (;16;) (func (param i32 i32 i32 i32 i32)))
  (type (;17;) (func (result i32)))
  (type (;18;) (func (param i32 i32)))
  (type (;19;) (func (param i32 i32 i32 i32) (result i32)))
  (type (;20;) (func (param i32 i32 i32 i32 i32) (result i32)))
  (type (;21;) (func (param i32 i64) (result i32)))
  (type (;22;) (func (param i32 i64 i64) (result i64)))
  (type (;23;) (func (param i32) (result i32)))
  (type (;24;) (func (param i32 i64 i64 i32)))
  (type (;25;) (func (param i32 i32 i64 i64)))
  (type (;26;) (func (param i32 i32 i32 i64)))
  (type (;27;) (func (param i32 i32 i32 i32)))
  (type (;28;) (func (param i32 i64 i64) (result i32)))
  (type (;29;) (func (param i32 i32 i32 i32 i64 i64 i64)))
  (type (;30;) (func (param i32 i64 i64 i64 i32) (result i32)))
  (type (;31;) (func (param i32 i32 i32 i32 i64 i64)))
  (type (;32;) (func (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "tng" "net_resend" (func (;0;) (type 2) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "proto_done" (func (;1;) (type 3)))
  (import "tng" "net_sendack" (func (;2;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "timer_reset" (func (;3;) (type 4) (param i32 i32) (result i64)))
  (import "tng" "so_connected" (func (;4;) (type 3)))
  (import "tng" "route" (func (;5;) (type 5) (param i32) (result i64)))
  (import "tng" "so_end" (func (;6;) (type 3)))
  (import "tng" "ack_sum" (func (;7;) (type 6) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "gettick" (func (;8;) (type 7) (result i64)))
  (import "tng" "so_drop" (func (;9;) (type 8) (param i64) (result i64)))
  (import "tng" "so_room" (func (;10;) (type 7) (result i64)))
  (import "tng" "so_sent" (func (;11;) (type 7) (result i64)))
  (import "tng" "net_send" (func (;12;) (type 9) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "seg_free" (func (;13;) (type 5) (param i32) (result i64)))
  (import "tng" "seg_keep" (func (;14;) (type 5) (param i32) (result i64)))
  (import "tng" "so_error" (func (;15;) (type 10) (param i32)))
  (import "tng" "so_append" (func (;16;) (type 11) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;17;) (type 3)))
  (table (;0;) 3 3 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 47568)
  (global (;2;) i32 i32.const 47560)
  (export "memory" (memory 0))
  (export "abi" (func 28))
  (export "abort" (func 29))
  (export "accept" (func 30))
  (export "area" (func 31))
  (export "attach" (func 32))
  (export "call" (func 33))
  (export "input" (func 34))
  (export "path_changed" (func 35))
  (export "ring" (func 36))
  (export "shutdown" (func 37))
  (export "timer" (func 38))
  (export "usrreq" (func 39))
  (export "connect" (func 30))
  (export "__heap_base" (global 1))
  (export "__data_end" (global 2))
  (elem (;0;) (i32.const 1) func 99 94)
  (func (;18;) (type 10) (param i32)
    (local i64 i64 i32 i32 i64)
    local.get 0
    call 78
    local.set 1
    local.get 0
    i32.const 0
    call 75
    local.set 2
    i32.const 0
    i64.const 0
    i64.store offset=34976
    i32.const 0
    i64.const 0
    i64.store offset=34984
    i32.const 0
    i64.const 0
    i64.store offset=34944
    i32.const 0
    i64.const -1
    i64.store offset=34936
    i32.const 0
    local.get 2
    i64.const 65536
    local.get 2
    i64.const 65536
    i64.lt_u
    select
    i32.wrap_i64
    local.tee 3
    i32.store offset=35120
    i32.const 0
    i32.const 0
    local.get 3
    i32.const -24
    i32.add
    local.tee 4
    local.get 4
    local.get 3
    i32.gt_u
    select
    local.tee 3
    i32.const 1
    local.get 3
    i32.const 1
    i32.gt_u
    select
    i64.extend_i32_u
    local.tee 2
    i64.store offset=34920
    i32.const 0
    local.get 2
    i64.const 1
    i64.shl
    local.tee 5
    i64.const 14600
    local.get 5
    i64.const 14600
    i64.gt_u
    select
    local.tee 5
    local.get 2
    i64.const 10
    i64.mul
    local.tee 2
    local.get 5
    local.get 2
    i64.lt_u
    select
    i64.store offset=34928
    i32.const 0
    i32.const 0
    i32.store8 offset=35130
    i32.const 0
    i32.const 0
    i32.store offset=34992
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i64.load offset=34880
        i32.const 0
        i64.load offset=34872
        i64.ne
        br_if 0 (;@2;)
        i32.const 0
        i64.const -1
        i64.store offset=35000
        br 1 (;@1;)
      end
      i32.const 0
      i64.const -1
      local.get 1
      i64.const 1025
      i64.add
      local.tee 2
      local.get 2
      local.get 1
      i64.lt_u
      select
      local.tee 2
      i64.store offset=35000
      local.get 2
      i32.const 0
      i64.load offset=35008
      i64.ge_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      i32.load offset=35016
      i64.const 0
      local.get 2
      local.get 1
      i64.sub
      local.tee 5
      local.get 5
      local.get 2
      i64.gt_u
      select
      local.tee 5
      i64.const 4294967295
      local.get 5
      i64.const 4294967295
      i64.lt_u
      select
      i32.wrap_i64
      call 73
      i32.const 255
      i32.and
      i32.const 7
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      local.get 2
      i64.store offset=35008
    end
    i32.const 0
    local.get 0
    call 81
    local.tee 2
    i32.const 0
    i64.load offset=35024
    local.tee 5
    local.get 2
    local.get 5
    i64.gt_u
    select
    i64.store offset=35024
    local.get 0
    call 74
    local.get 0
    local.get 1
    call 19
  )
  (func (;19;) (type 12) (param i32 i64)
    (local i32 i32 i32 i64 i64 i32 i32 i32 i32 i32 i32 i64 i32 i32 i64 i64 i64 i64 i64 i32)
    global.get 0
    i32.const 320
    i32.sub
    local.tee 2
    global.set 0
    i32.const 0
    i32.load8_u offset=35129
    local.set 3
    block ;; label = @1
      i32.const 0
      i32.load offset=35120
      i32.eqz
      br_if 0 (;@1;)
      i32.const 1
      local.set 4
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=35130
        br_if 0 (;@2;)
        i64.const 0
        i64.const -1
        local.get 1
        i64.const 5
        i64.add
        local.tee 5
        local.get 5
        local.get 1
        i64.lt_u
        select
        local.tee 6
        local.get 1
        i64.sub
        local.tee 5
        local.get 5
        local.get 6
        i64.gt_u
        select
        local.tee 5
        i64.const 4294967295
        local.get 5
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        local.set 7
        local.get 1
        i32.wrap_i64
        local.set 8
        local.get 2
        i32.const 16
        i32.add
        i32.const 72
        i32.add
        local.set 9
        local.get 2
        i32.const 160
        i32.add
        i32.const 72
        i32.add
        local.set 10
        local.get 2
        i32.const 16
        i32.add
        i32.const 16
        i32.add
        local.set 11
        local.get 2
        i32.const 160
        i32.add
        i32.const 16
        i32.add
        local.set 12
        loop ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i64.load offset=34896
              i64.eqz
              i32.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                i32.const 0
                i64.load offset=34880
                local.tee 5
                i32.const 0
                i64.load offset=35024
                local.tee 13
                i64.lt_u
                local.tee 14
                br_if 0 (;@6;)
                i32.const 0
                local.set 15
                i32.const 0
                i32.load8_u offset=35128
                i32.const 1
                i32.ne
                br_if 2 (;@4;)
                i32.const 0
                i32.load8_u offset=35129
                i32.const 1
                i32.and
                br_if 2 (;@4;)
              end
              i64.const 0
              i32.const 0
              i64.load offset=35032
              local.tee 16
              local.get 5
              i64.sub
              local.tee 17
              local.get 17
              local.get 16
              i64.gt_u
              select
              local.tee 18
              i64.const 0
              local.get 13
              local.get 5
              i64.sub
              local.tee 16
              local.get 16
              local.get 13
              i64.gt_u
              select
              local.tee 16
              local.get 18
              local.get 16
              i64.lt_u
              select
              local.set 19
              i32.const 0
              i64.load offset=34872
              local.set 20
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 18
                      local.get 16
                      i32.const 0
                      i32.const 0
                      i32.load offset=35120
                      local.tee 15
                      i32.const -24
                      i32.add
                      local.tee 4
                      local.get 4
                      local.get 15
                      i32.gt_u
                      select
                      local.tee 15
                      i32.const 1
                      local.get 15
                      i32.const 1
                      i32.gt_u
                      select
                      i64.extend_i32_u
                      local.tee 17
                      local.get 16
                      local.get 17
                      i64.lt_u
                      select
                      i64.ge_u
                      br_if 0 (;@9;)
                      local.get 5
                      local.get 20
                      i64.ne
                      br_if 1 (;@8;)
                    end
                    block ;; label = @9
                      local.get 19
                      local.get 17
                      i64.ge_u
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load8_u offset=35128
                      i32.const 1
                      i32.and
                      i32.eqz
                      br_if 2 (;@7;)
                    end
                    local.get 5
                    local.get 13
                    i64.ge_u
                    br_if 2 (;@6;)
                    local.get 19
                    i64.eqz
                    i32.eqz
                    br_if 2 (;@6;)
                    i32.const 0
                    local.set 15
                    br 4 (;@4;)
                  end
                  local.get 14
                  i32.eqz
                  br_if 1 (;@6;)
                  i32.const 0
                  local.set 15
                  br 3 (;@4;)
                end
                local.get 5
                local.get 13
                i64.ge_u
                br_if 0 (;@6;)
                i32.const 0
                local.set 15
                local.get 19
                i64.eqz
                i32.const 0
                i32.load offset=34868
                i32.const 63
                i32.gt_u
                i32.or
                br_if 2 (;@4;)
              end
              local.get 19
              local.get 17
              local.get 19
              local.get 17
              i64.lt_u
              select
              local.set 16
              i32.const 0
              local.set 15
              block ;; label = @6
                local.get 5
                local.get 20
                i32.const 0
                i64.load offset=34888
                i64.add
                i64.sub
                local.tee 13
                i32.const 0
                i64.load offset=34952
                local.tee 17
                i64.le_u
                br_if 0 (;@6;)
                i64.const 0
                local.get 13
                local.get 17
                i64.sub
                local.tee 17
                local.get 17
                local.get 13
                i64.gt_u
                select
                local.get 16
                i64.add
                i32.const 0
                i64.load offset=34928
                i64.gt_u
                br_if 2 (;@4;)
              end
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=34844
                  br_if 0 (;@7;)
                  local.get 2
                  i32.const 160
                  i32.add
                  i32.const 33944
                  call 58
                  br 1 (;@6;)
                end
                local.get 2
                i32.const 160
                i32.add
                local.get 0
                local.get 1
                call 20
              end
              local.get 2
              local.get 5
              i64.store offset=160
              local.get 2
              i32.const 0
              i32.load8_u offset=35128
              i64.const 0
              i32.const 0
              i64.load32_u offset=35120
              local.tee 13
              local.get 2
              i32.load offset=224
              i32.const 3
              i32.shl
              local.get 2
              i32.load offset=280
              i32.const 4
              i32.shl
              i32.add
              i32.const 24
              i32.add
              i64.extend_i32_u
              i64.sub
              local.tee 17
              local.get 17
              local.get 13
              i64.gt_u
              select
              local.tee 13
              i64.const 1
              local.get 13
              i64.const 1
              i64.gt_u
              select
              local.tee 13
              local.get 16
              local.get 13
              local.get 16
              i64.lt_u
              select
              local.tee 13
              local.get 5
              i64.add
              local.tee 16
              i32.const 0
              i64.load offset=35024
              i64.eq
              i32.and
              local.tee 15
              i32.store8 offset=294
              local.get 2
              i32.const 16
              i32.add
              i32.const 0
              i32.const 96
              memory.fill
              local.get 2
              local.get 2
              i32.const 160
              i32.add
              local.get 2
              i32.const 16
              i32.add
              call 57
              local.get 2
              i32.const 304
              i32.add
              local.get 0
              local.get 2
              i32.load
              local.get 2
              i32.load offset=4
              local.get 5
              local.get 16
              call 82
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  i32.load8_u offset=304
                  local.tee 4
                  i32.const 1
                  i32.ne
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.const 1
                  i32.store8 offset=35130
                  local.get 2
                  i32.load8_u offset=305
                  i32.eqz
                  br_if 1 (;@6;)
                  i32.const 0
                  local.get 6
                  i64.store offset=35040
                  local.get 6
                  i32.const 0
                  i64.load offset=35048
                  i64.ge_u
                  br_if 1 (;@6;)
                  local.get 0
                  i32.const 0
                  i32.load offset=35056
                  local.get 7
                  call 73
                  i32.const 255
                  i32.and
                  i32.const 7
                  i32.ne
                  br_if 1 (;@6;)
                  i32.const 0
                  local.get 6
                  i64.store offset=35048
                  local.get 4
                  i32.const 1
                  i32.xor
                  local.set 15
                  br 3 (;@4;)
                end
                i32.const 0
                i64.const -1
                i64.store offset=34808
                i32.const 0
                local.get 2
                i64.load offset=312
                local.tee 16
                i64.const 1
                i64.add
                i64.store offset=35064
                i32.const 0
                local.get 15
                i32.const 0
                i32.load8_u offset=35129
                i32.or
                i32.store8 offset=35129
                i32.const 0
                i32.const 0
                i32.store offset=34844
                local.get 2
                local.get 15
                i32.store8 offset=42
                local.get 2
                i32.const 0
                i32.store16 offset=40
                local.get 2
                local.get 8
                i32.store offset=36
                local.get 2
                local.get 15
                local.get 13
                i32.wrap_i64
                i32.add
                i32.store offset=32
                local.get 2
                local.get 16
                i64.store offset=24
                local.get 2
                local.get 5
                i64.store offset=16
                i32.const 34856
                local.get 2
                i32.const 16
                i32.add
                call 52
              end
              local.get 4
              i32.const 1
              i32.xor
              local.set 15
              br 1 (;@4;)
            end
            local.get 2
            i32.const 160
            i32.add
            i32.const 34856
            i32.const 0
            i32.const 0
            i32.load offset=35120
            local.tee 15
            i32.const -24
            i32.add
            local.tee 4
            local.get 4
            local.get 15
            i32.gt_u
            select
            local.tee 15
            i32.const 1
            local.get 15
            i32.const 1
            i32.gt_u
            select
            call 47
            block ;; label = @5
              local.get 2
              i32.load8_u offset=186
              local.tee 4
              i32.const 2
              i32.eq
              br_if 0 (;@5;)
              local.get 2
              i64.load32_u offset=176
              local.set 16
              local.get 2
              i64.load offset=168
              local.set 13
              local.get 2
              i64.load offset=160
              local.set 5
              block ;; label = @6
                i32.const 0
                i32.load8_u offset=34974
                br_if 0 (;@6;)
                i32.const 0
                local.set 15
                i32.const 0
                i64.load offset=34880
                i32.const 0
                i64.load offset=34872
                i32.const 0
                i64.load offset=34888
                i64.add
                i32.const 0
                i64.load offset=34896
                i64.add
                i64.sub
                local.tee 17
                i32.const 0
                i64.load offset=34952
                local.tee 18
                i64.le_u
                br_if 0 (;@6;)
                i64.const 0
                local.get 17
                local.get 18
                i64.sub
                local.tee 18
                local.get 18
                local.get 17
                i64.gt_u
                select
                local.get 16
                i64.add
                i32.const 0
                i64.load offset=34928
                i64.gt_u
                br_if 2 (;@4;)
              end
              local.get 2
              i32.const 160
              i32.add
              i32.const 33944
              call 58
              local.get 11
              local.get 12
              i64.load
              i64.store
              local.get 11
              local.get 12
              i64.load offset=8
              i64.store offset=8
              local.get 11
              local.get 12
              i64.load offset=16
              i64.store offset=16
              local.get 11
              local.get 12
              i64.load offset=24
              i64.store offset=24
              local.get 11
              local.get 12
              i64.load offset=32
              i64.store offset=32
              local.get 11
              local.get 12
              i64.load offset=40
              i64.store offset=40
              local.get 11
              local.get 12
              i64.load offset=48
              i64.store offset=48
              local.get 2
              local.get 5
              i64.store offset=16
              local.get 2
              local.get 4
              i32.store8 offset=150
              local.get 2
              local.get 2
              i64.load offset=168
              i64.store offset=24
              local.get 2
              local.get 2
              i32.load offset=288
              i32.store offset=144
              local.get 2
              local.get 2
              i32.load16_u offset=292
              i32.store16 offset=148
              local.get 2
              local.get 2
              i32.load16_u offset=295 align=1
              i32.store16 offset=151 align=1
              local.get 9
              local.get 10
              i64.load offset=48
              i64.store offset=48
              local.get 9
              local.get 10
              i64.load offset=40
              i64.store offset=40
              local.get 9
              local.get 10
              i64.load offset=32
              i64.store offset=32
              local.get 9
              local.get 10
              i64.load offset=24
              i64.store offset=24
              local.get 9
              local.get 10
              i64.load offset=16
              i64.store offset=16
              local.get 9
              local.get 10
              i64.load offset=8
              i64.store offset=8
              local.get 9
              local.get 10
              i64.load
              i64.store
              local.get 2
              i32.const 160
              i32.add
              i32.const 0
              i32.const 96
              memory.fill
              local.get 2
              i32.const 8
              i32.add
              local.get 2
              i32.const 16
              i32.add
              local.get 2
              i32.const 160
              i32.add
              call 57
              local.get 2
              i32.const 304
              i32.add
              local.get 0
              local.get 2
              i32.load offset=8
              local.tee 14
              local.get 2
              i32.load offset=12
              local.tee 21
              local.get 5
              local.get 5
              local.get 4
              i64.extend_i32_u
              i64.sub
              local.get 16
              i64.add
              local.tee 16
              local.get 13
              call 70
              local.get 2
              i32.load8_u offset=305
              local.set 15
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 2
                    i32.load8_u offset=304
                    local.tee 4
                    i32.const 1
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 15
                    i32.const 255
                    i32.and
                    i32.const 4
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 2
                    i32.const 304
                    i32.add
                    local.get 0
                    local.get 14
                    local.get 21
                    local.get 5
                    local.get 16
                    call 82
                    local.get 2
                    i32.load8_u offset=304
                    i32.eqz
                    br_if 1 (;@7;)
                    local.get 2
                    i32.load8_u offset=305
                    local.set 15
                    br 2 (;@6;)
                  end
                  local.get 4
                  br_if 1 (;@6;)
                end
                i32.const 0
                local.get 2
                i64.load offset=312
                local.tee 16
                i64.const 1
                i64.add
                i64.store offset=35064
                i32.const 34856
                local.get 5
                local.get 16
                local.get 8
                call 55
                i32.const 0
                i32.const 0
                i32.store8 offset=34974
                i32.const 1
                local.set 15
                br 2 (;@4;)
              end
              i32.const 0
              i32.const 1
              i32.store8 offset=35130
              local.get 15
              i32.const 255
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.get 6
              i64.store offset=35040
              local.get 6
              i32.const 0
              i64.load offset=35048
              i64.ge_u
              br_if 0 (;@5;)
              local.get 0
              i32.const 0
              i32.load offset=35056
              local.get 7
              call 73
              i32.const 255
              i32.and
              i32.const 7
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              local.get 6
              i64.store offset=35048
            end
            i32.const 0
            local.set 15
          end
          i32.const 0
          i32.load8_u offset=35130
          local.set 4
          local.get 15
          i32.eqz
          br_if 1 (;@2;)
          local.get 4
          i32.const 1
          i32.and
          i32.eqz
          br_if 0 (;@3;)
        end
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34880
          local.tee 5
          i32.const 0
          i64.load offset=34872
          i64.ne
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 5
            i32.const 0
            i64.load offset=35024
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load8_u offset=35128
            i32.const 1
            i32.ne
            br_if 3 (;@1;)
            i32.const 0
            i32.load8_u offset=35129
            i32.const 1
            i32.and
            br_if 3 (;@1;)
          end
          local.get 4
          i32.const 0
          i64.load offset=35000
          i64.const -1
          i64.ne
          i32.or
          i32.const 1
          i32.and
          br_if 2 (;@1;)
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=35000
        i64.const -1
        i64.ne
        br_if 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34976
          local.tee 5
          i64.eqz
          i32.eqz
          br_if 0 (;@3;)
          i64.const 1000
          local.set 5
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=34984
        local.tee 16
        i64.const 1
        local.get 16
        i64.const 1
        i64.gt_u
        select
        local.get 5
        i64.const 3
        i64.shr_u
        i64.add
        local.tee 5
        i64.const 200
        local.get 5
        i64.const 200
        i64.gt_u
        select
        local.set 5
      end
      i32.const 0
      i64.const -1
      local.get 5
      i32.const 0
      i32.load offset=34992
      local.tee 15
      i32.const 16
      local.get 15
      i32.const 16
      i32.lt_u
      select
      i64.extend_i32_u
      i64.shl
      local.tee 5
      i64.const 60000
      local.get 5
      i64.const 60000
      i64.lt_u
      select
      local.get 1
      i64.add
      i64.const 25
      i64.add
      local.tee 5
      local.get 5
      local.get 1
      i64.lt_u
      select
      local.tee 5
      i64.store offset=35000
      local.get 5
      i32.const 0
      i64.load offset=35008
      i64.ge_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      i32.load offset=35016
      i64.const 0
      local.get 5
      local.get 1
      i64.sub
      local.tee 16
      local.get 16
      local.get 5
      i64.gt_u
      select
      local.tee 16
      i64.const 4294967295
      local.get 16
      i64.const 4294967295
      i64.lt_u
      select
      i32.wrap_i64
      call 73
      i32.const 255
      i32.and
      i32.const 7
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      local.get 5
      i64.store offset=35008
    end
    block ;; label = @1
      local.get 3
      i32.const 1
      i32.and
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=35129
      i32.const 1
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.load8_u offset=34848
      i32.store8 offset=35160
    end
    i32.const 0
    local.set 15
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=35128
      local.tee 4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      local.set 15
      i32.const 0
      i64.load offset=34872
      i32.const 0
      i64.load offset=35024
      i64.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=34848
      local.set 15
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load8_u offset=35161
              br_table 1 (;@4;) 0 (;@5;) 4 (;@1;) 1 (;@4;)
            end
            i32.const 0
            i64.load offset=34872
            i32.const 0
            i64.load offset=35024
            local.get 4
            i64.extend_i32_u
            i64.add
            i64.ge_u
            br_if 1 (;@3;)
          end
          local.get 15
          i32.const 0
          i32.load8_u offset=35160
          i32.and
          i32.const 1
          i32.and
          br_if 1 (;@2;)
          local.get 15
          i32.const 0
          i64.load offset=35136
          i64.const -1
          i64.eq
          i32.and
          i32.eqz
          br_if 2 (;@1;)
          i32.const 0
          i64.const -1
          local.get 1
          i64.const 2000
          i64.add
          local.tee 5
          local.get 5
          local.get 1
          i64.lt_u
          select
          local.tee 5
          i64.store offset=35136
          local.get 5
          i32.const 0
          i64.load offset=35144
          i64.ge_u
          br_if 2 (;@1;)
          local.get 0
          i32.const 0
          i32.load offset=35152
          i64.const 0
          local.get 5
          local.get 1
          i64.sub
          local.tee 16
          local.get 16
          local.get 5
          i64.gt_u
          select
          local.tee 16
          i64.const 4294967295
          local.get 16
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 73
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 2 (;@1;)
          i32.const 0
          local.get 5
          i64.store offset=35144
          br 2 (;@1;)
        end
        i32.const 0
        i32.const 2
        i32.store8 offset=35161
        local.get 0
        call 71
        br 1 (;@1;)
      end
      i32.const 0
      i32.const 2
      i32.store8 offset=35161
      local.get 0
      call 71
    end
    local.get 2
    i32.const 320
    i32.add
    global.set 0
  )
  (func (;20;) (type 13) (param i32 i32 i64)
    (local i32 i32 i64 i64 i64 i32 i32 i32 i32 i32 i64 i64)
    global.get 0
    i32.const 160
    i32.sub
    local.tee 3
    global.set 0
    i32.const 0
    local.set 4
    i32.const 0
    i64.load offset=33984
    local.set 5
    i32.const 0
    i64.const -1
    i32.const 0
    i64.load offset=33976
    local.tee 6
    local.get 1
    call 80
    i64.add
    local.tee 7
    local.get 7
    local.get 6
    i64.lt_u
    select
    local.tee 6
    local.get 5
    local.get 6
    local.get 5
    i64.gt_u
    select
    i64.store offset=33984
    local.get 3
    i32.const 16
    i32.add
    i32.const 33944
    call 58
    local.get 3
    i64.const 0
    local.get 2
    i32.const 0
    i64.load offset=34800
    i64.sub
    local.tee 5
    local.get 5
    local.get 2
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
    i32.const 1000
    i32.mul
    i32.store16 offset=148
    local.get 3
    i32.const 8
    i32.add
    i32.const 34024
    call 68
    block ;; label = @1
      local.get 3
      i32.load offset=8
      local.tee 8
      local.get 3
      i32.load offset=12
      local.tee 1
      i32.eq
      br_if 0 (;@1;)
      local.get 3
      i32.const 88
      i32.add
      local.set 9
      local.get 1
      i32.const -24
      i32.add
      local.set 10
      block ;; label = @2
        local.get 3
        i32.load offset=136
        local.tee 11
        i32.const 2
        i32.gt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -16
        i32.add
        i64.load
        local.set 2
        local.get 10
        i64.load
        local.set 5
        local.get 9
        local.get 11
        i32.const 4
        i32.shl
        i32.add
        local.tee 4
        local.get 1
        i32.const -8
        i32.add
        i64.load
        i64.store
        local.get 4
        local.get 2
        i64.store32 offset=12
        local.get 4
        local.get 5
        i64.store32 offset=8
        i32.const 1
        local.set 4
        local.get 3
        i32.load offset=136
        local.set 11
      end
      local.get 3
      local.get 11
      local.get 4
      i32.add
      local.tee 4
      i32.store offset=136
      local.get 8
      local.get 10
      i32.eq
      br_if 0 (;@1;)
      local.get 1
      i32.const -48
      i32.add
      local.set 11
      i32.const 0
      local.set 10
      block ;; label = @2
        local.get 4
        i32.const 2
        i32.gt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -40
        i32.add
        i64.load
        local.set 2
        local.get 11
        i64.load
        local.set 5
        local.get 9
        local.get 4
        i32.const 4
        i32.shl
        i32.add
        local.tee 4
        local.get 1
        i32.const -32
        i32.add
        i64.load
        i64.store
        local.get 4
        local.get 2
        i64.store32 offset=12
        local.get 4
        local.get 5
        i64.store32 offset=8
        i32.const 1
        local.set 10
        local.get 3
        i32.load offset=136
        local.set 4
      end
      local.get 3
      local.get 4
      local.get 10
      i32.add
      local.tee 4
      i32.store offset=136
      local.get 8
      local.get 11
      i32.eq
      br_if 0 (;@1;)
      i32.const 0
      local.set 8
      block ;; label = @2
        local.get 4
        i32.const 2
        i32.gt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -72
        i32.add
        i64.load
        local.set 2
        local.get 1
        i32.const -64
        i32.add
        i64.load
        local.set 5
        local.get 9
        local.get 4
        i32.const 4
        i32.shl
        i32.add
        local.tee 8
        local.get 1
        i32.const -56
        i32.add
        i64.load
        i64.store
        local.get 8
        local.get 5
        i64.store32 offset=12
        local.get 8
        local.get 2
        i64.store32 offset=8
        i32.const 1
        local.set 8
        local.get 3
        i32.load offset=136
        local.set 4
      end
      local.get 3
      local.get 4
      local.get 8
      i32.add
      i32.store offset=136
    end
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34850
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34840
      local.tee 9
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      i32.const 32
      i32.add
      local.set 12
      i32.const 0
      local.set 8
      i32.const 0
      i32.load offset=34836
      local.set 1
      i32.const 0
      i64.load offset=34016
      local.set 6
      i32.const 0
      i64.load offset=34008
      local.set 5
      i32.const 0
      i64.load offset=34000
      local.set 2
      local.get 3
      i64.load offset=24
      local.set 7
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 9
                      i32.const 1
                      i32.eq
                      br_if 0 (;@9;)
                      local.get 9
                      local.set 4
                      loop ;; label = @10
                        local.get 8
                        local.get 4
                        i32.const 1
                        i32.shr_u
                        local.tee 11
                        local.get 8
                        i32.add
                        local.tee 10
                        local.get 1
                        local.get 10
                        i32.const 4
                        i32.shl
                        i32.add
                        i32.const 8
                        i32.add
                        i64.load
                        local.get 2
                        i64.gt_u
                        select
                        local.set 8
                        local.get 4
                        local.get 11
                        i32.sub
                        local.tee 4
                        i32.const 1
                        i32.gt_u
                        br_if 0 (;@10;)
                      end
                      local.get 8
                      local.get 1
                      local.get 8
                      i32.const 4
                      i32.shl
                      i32.add
                      i32.const 8
                      i32.add
                      i64.load
                      local.get 2
                      i64.le_u
                      i32.add
                      local.tee 8
                      local.get 9
                      i32.ge_u
                      br_if 3 (;@6;)
                      local.get 1
                      local.get 8
                      i32.const 4
                      i32.shl
                      i32.add
                      local.tee 4
                      i64.load
                      local.tee 13
                      local.get 2
                      i64.gt_u
                      br_if 3 (;@6;)
                      local.get 13
                      local.get 7
                      i64.le_u
                      br_if 3 (;@6;)
                      local.get 3
                      i32.load offset=80
                      local.tee 8
                      i32.const 4
                      i32.ge_u
                      br_if 4 (;@5;)
                      local.get 4
                      i64.load offset=8
                      local.set 2
                      local.get 8
                      i32.eqz
                      br_if 1 (;@8;)
                      block ;; label = @10
                        local.get 3
                        i64.load offset=32
                        local.get 13
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 3
                        i64.load offset=40
                        local.get 2
                        i64.eq
                        br_if 4 (;@6;)
                      end
                      local.get 8
                      i32.const 1
                      i32.eq
                      br_if 1 (;@8;)
                      block ;; label = @10
                        local.get 3
                        i64.load offset=48
                        local.get 13
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 3
                        i64.load offset=56
                        local.get 2
                        i64.eq
                        br_if 4 (;@6;)
                      end
                      local.get 8
                      i32.const 2
                      i32.eq
                      br_if 1 (;@8;)
                      local.get 3
                      i64.load offset=64
                      local.get 13
                      i64.eq
                      local.get 3
                      i64.load offset=72
                      local.get 2
                      i64.eq
                      i32.and
                      br_if 3 (;@6;)
                      i32.const 3
                      local.set 4
                      local.get 8
                      i32.const 3
                      i32.eq
                      br_if 2 (;@7;)
                      br 3 (;@6;)
                    end
                    block ;; label = @9
                      local.get 1
                      i32.const 8
                      i32.add
                      i64.load
                      local.tee 13
                      local.get 2
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 1
                      i64.load
                      local.tee 14
                      local.get 2
                      i64.gt_u
                      br_if 0 (;@9;)
                      local.get 14
                      local.get 7
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 3
                      i32.load offset=80
                      local.tee 8
                      i32.const 3
                      i32.gt_u
                      br_if 4 (;@5;)
                      local.get 1
                      i64.load offset=8
                      local.set 2
                      block ;; label = @10
                        block ;; label = @11
                          local.get 8
                          i32.eqz
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 3
                            i64.load offset=32
                            local.get 14
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 3
                            i64.load offset=40
                            local.get 2
                            i64.eq
                            br_if 3 (;@9;)
                          end
                          local.get 8
                          i32.const 1
                          i32.eq
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 3
                            i64.load offset=48
                            local.get 14
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 3
                            i64.load offset=56
                            local.get 2
                            i64.eq
                            br_if 3 (;@9;)
                          end
                          local.get 8
                          i32.const 2
                          i32.eq
                          br_if 0 (;@11;)
                          local.get 3
                          i64.load offset=64
                          local.get 14
                          i64.eq
                          local.get 3
                          i64.load offset=72
                          local.get 2
                          i64.eq
                          i32.and
                          br_if 2 (;@9;)
                          i32.const 3
                          local.set 4
                          local.get 8
                          i32.const 3
                          i32.eq
                          br_if 1 (;@10;)
                          br 2 (;@9;)
                        end
                        local.get 12
                        local.get 8
                        i32.const 4
                        i32.shl
                        i32.add
                        local.tee 8
                        local.get 14
                        i64.store
                        local.get 8
                        local.get 2
                        i64.store offset=8
                        local.get 3
                        i32.load offset=80
                        i32.const 1
                        i32.add
                        local.set 4
                      end
                      local.get 3
                      local.get 4
                      i32.store offset=80
                    end
                    block ;; label = @9
                      local.get 13
                      local.get 5
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 1
                      i64.load
                      local.tee 2
                      local.get 5
                      i64.gt_u
                      br_if 0 (;@9;)
                      local.get 2
                      local.get 7
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 3
                      i32.load offset=80
                      local.tee 8
                      i32.const 3
                      i32.gt_u
                      br_if 4 (;@5;)
                      local.get 1
                      i64.load offset=8
                      local.set 5
                      block ;; label = @10
                        block ;; label = @11
                          local.get 8
                          i32.eqz
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 3
                            i64.load offset=32
                            local.get 2
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 3
                            i64.load offset=40
                            local.get 5
                            i64.eq
                            br_if 3 (;@9;)
                          end
                          local.get 8
                          i32.const 1
                          i32.eq
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 3
                            i64.load offset=48
                            local.get 2
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 3
                            i64.load offset=56
                            local.get 5
                            i64.eq
                            br_if 3 (;@9;)
                          end
                          local.get 8
                          i32.const 2
                          i32.eq
                          br_if 0 (;@11;)
                          local.get 3
                          i64.load offset=64
                          local.get 2
                          i64.eq
                          local.get 3
                          i64.load offset=72
                          local.get 5
                          i64.eq
                          i32.and
                          br_if 2 (;@9;)
                          i32.const 3
                          local.set 4
                          local.get 8
                          i32.const 3
                          i32.eq
                          br_if 1 (;@10;)
                          br 2 (;@9;)
                        end
                        local.get 12
                        local.get 8
                        i32.const 4
                        i32.shl
                        i32.add
                        local.tee 8
                        local.get 2
                        i64.store
                        local.get 8
                        local.get 5
                        i64.store offset=8
                        local.get 3
                        i32.load offset=80
                        i32.const 1
                        i32.add
                        local.set 4
                      end
                      local.get 3
                      local.get 4
                      i32.store offset=80
                    end
                    local.get 13
                    local.get 6
                    i64.le_u
                    br_if 7 (;@1;)
                    local.get 1
                    i64.load
                    local.tee 2
                    local.get 6
                    i64.gt_u
                    br_if 7 (;@1;)
                    local.get 2
                    local.get 7
                    i64.le_u
                    br_if 7 (;@1;)
                    local.get 3
                    i32.load offset=80
                    local.tee 8
                    i32.const 3
                    i32.gt_u
                    br_if 3 (;@5;)
                    local.get 1
                    i64.load offset=8
                    local.set 5
                    local.get 8
                    i32.eqz
                    br_if 4 (;@4;)
                    block ;; label = @9
                      local.get 3
                      i64.load offset=32
                      local.get 2
                      i64.ne
                      br_if 0 (;@9;)
                      local.get 3
                      i64.load offset=40
                      local.get 5
                      i64.eq
                      br_if 8 (;@1;)
                    end
                    local.get 8
                    i32.const 1
                    i32.eq
                    br_if 4 (;@4;)
                    block ;; label = @9
                      local.get 3
                      i64.load offset=48
                      local.get 2
                      i64.ne
                      br_if 0 (;@9;)
                      local.get 3
                      i64.load offset=56
                      local.get 5
                      i64.eq
                      br_if 8 (;@1;)
                    end
                    local.get 8
                    i32.const 2
                    i32.eq
                    br_if 4 (;@4;)
                    local.get 3
                    i64.load offset=64
                    local.get 2
                    i64.eq
                    local.get 3
                    i64.load offset=72
                    local.get 5
                    i64.eq
                    i32.and
                    br_if 7 (;@1;)
                    local.get 8
                    i32.const 3
                    i32.ne
                    br_if 7 (;@1;)
                    i32.const 3
                    local.set 1
                    br 6 (;@2;)
                  end
                  local.get 12
                  local.get 8
                  i32.const 4
                  i32.shl
                  i32.add
                  local.tee 8
                  local.get 13
                  i64.store
                  local.get 8
                  local.get 2
                  i64.store offset=8
                  local.get 3
                  i32.load offset=80
                  i32.const 1
                  i32.add
                  local.set 4
                end
                local.get 3
                local.get 4
                i32.store offset=80
              end
              i32.const 0
              local.set 8
              local.get 9
              local.set 4
              loop ;; label = @6
                local.get 8
                local.get 4
                i32.const 1
                i32.shr_u
                local.tee 11
                local.get 8
                i32.add
                local.tee 10
                local.get 1
                local.get 10
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 5
                i64.gt_u
                select
                local.set 8
                local.get 4
                local.get 11
                i32.sub
                local.tee 4
                i32.const 1
                i32.gt_u
                br_if 0 (;@6;)
              end
              block ;; label = @6
                local.get 8
                local.get 1
                local.get 8
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 5
                i64.le_u
                i32.add
                local.tee 8
                local.get 9
                i32.ge_u
                br_if 0 (;@6;)
                local.get 1
                local.get 8
                i32.const 4
                i32.shl
                i32.add
                local.tee 4
                i64.load
                local.tee 2
                local.get 5
                i64.gt_u
                br_if 0 (;@6;)
                local.get 2
                local.get 7
                i64.le_u
                br_if 0 (;@6;)
                local.get 3
                i32.load offset=80
                local.tee 8
                i32.const 3
                i32.gt_u
                br_if 1 (;@5;)
                local.get 4
                i64.load offset=8
                local.set 5
                block ;; label = @7
                  block ;; label = @8
                    local.get 8
                    i32.eqz
                    br_if 0 (;@8;)
                    block ;; label = @9
                      local.get 3
                      i64.load offset=32
                      local.get 2
                      i64.ne
                      br_if 0 (;@9;)
                      local.get 3
                      i64.load offset=40
                      local.get 5
                      i64.eq
                      br_if 3 (;@6;)
                    end
                    local.get 8
                    i32.const 1
                    i32.eq
                    br_if 0 (;@8;)
                    block ;; label = @9
                      local.get 3
                      i64.load offset=48
                      local.get 2
                      i64.ne
                      br_if 0 (;@9;)
                      local.get 3
                      i64.load offset=56
                      local.get 5
                      i64.eq
                      br_if 3 (;@6;)
                    end
                    local.get 8
                    i32.const 2
                    i32.eq
                    br_if 0 (;@8;)
                    local.get 3
                    i64.load offset=64
                    local.get 2
                    i64.eq
                    local.get 3
                    i64.load offset=72
                    local.get 5
                    i64.eq
                    i32.and
                    br_if 2 (;@6;)
                    i32.const 3
                    local.set 4
                    local.get 8
                    i32.const 3
                    i32.eq
                    br_if 1 (;@7;)
                    br 2 (;@6;)
                  end
                  local.get 12
                  local.get 8
                  i32.const 4
                  i32.shl
                  i32.add
                  local.tee 8
                  local.get 2
                  i64.store
                  local.get 8
                  local.get 5
                  i64.store offset=8
                  local.get 3
                  i32.load offset=80
                  i32.const 1
                  i32.add
                  local.set 4
                end
                local.get 3
                local.get 4
                i32.store offset=80
              end
              i32.const 0
              local.set 8
              local.get 9
              local.set 4
              loop ;; label = @6
                local.get 8
                local.get 4
                i32.const 1
                i32.shr_u
                local.tee 11
                local.get 8
                i32.add
                local.tee 10
                local.get 1
                local.get 10
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 6
                i64.gt_u
                select
                local.set 8
                local.get 4
                local.get 11
                i32.sub
                local.tee 4
                i32.const 1
                i32.gt_u
                br_if 0 (;@6;)
              end
              local.get 8
              local.get 1
              local.get 8
              i32.const 4
              i32.shl
              i32.add
              i32.const 8
              i32.add
              i64.load
              local.get 6
              i64.le_u
              i32.add
              local.tee 8
              local.get 9
              i32.ge_u
              br_if 4 (;@1;)
              local.get 1
              local.get 8
              i32.const 4
              i32.shl
              i32.add
              local.tee 1
              i64.load
              local.tee 2
              local.get 6
              i64.gt_u
              br_if 4 (;@1;)
              local.get 2
              local.get 7
              i64.le_u
              br_if 4 (;@1;)
              local.get 3
              i32.load offset=80
              local.tee 8
              i32.const 3
              i32.gt_u
              br_if 0 (;@5;)
              local.get 1
              i64.load offset=8
              local.set 5
              block ;; label = @6
                local.get 8
                i32.eqz
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 3
                  i64.load offset=32
                  local.get 2
                  i64.ne
                  br_if 0 (;@7;)
                  local.get 3
                  i64.load offset=40
                  local.get 5
                  i64.eq
                  br_if 6 (;@1;)
                end
                local.get 8
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 3
                  i64.load offset=48
                  local.get 2
                  i64.ne
                  br_if 0 (;@7;)
                  local.get 3
                  i64.load offset=56
                  local.get 5
                  i64.eq
                  br_if 6 (;@1;)
                end
                local.get 8
                i32.const 2
                i32.eq
                br_if 0 (;@6;)
                local.get 3
                i64.load offset=64
                local.get 2
                i64.eq
                local.get 3
                i64.load offset=72
                local.get 5
                i64.eq
                i32.and
                br_if 5 (;@1;)
                local.get 8
                i32.const 3
                i32.ne
                br_if 5 (;@1;)
                i32.const 3
                local.set 1
                br 4 (;@2;)
              end
              local.get 12
              local.get 8
              i32.const 4
              i32.shl
              i32.add
              local.get 2
              i64.store
              br 2 (;@3;)
            end
            i32.const 0
            local.get 8
            i32.const 3
            i32.const 33408
            call 92
            unreachable
          end
          local.get 12
          local.get 8
          i32.const 4
          i32.shl
          i32.add
          local.get 2
          i64.store
        end
        local.get 12
        local.get 8
        i32.const 4
        i32.shl
        i32.add
        local.get 5
        i64.store offset=8
        local.get 3
        i32.load offset=80
        i32.const 1
        i32.add
        local.set 1
      end
      local.get 3
      local.get 1
      i32.store offset=80
    end
    local.get 0
    local.get 3
    i32.const 16
    i32.add
    i32.const 144
    memory.copy
    local.get 3
    i32.const 160
    i32.add
    global.set 0
  )
  (func (;21;) (type 14) (param i32 i64 i32)
    (local i32 i64)
    global.get 0
    i32.const 304
    i32.sub
    local.tee 3
    global.set 0
    local.get 3
    i32.const 160
    i32.add
    local.get 0
    local.get 1
    call 20
    local.get 3
    local.get 2
    i32.store8 offset=152
    local.get 3
    local.get 3
    i64.load offset=160
    i64.store offset=16
    local.get 3
    local.get 3
    i64.load offset=168
    i64.store offset=24
    local.get 3
    local.get 3
    i64.load offset=288
    i64.store offset=144
    local.get 3
    local.get 3
    i64.load offset=176
    i64.store offset=32
    local.get 3
    local.get 3
    i64.load offset=184
    i64.store offset=40
    local.get 3
    local.get 3
    i64.load offset=192
    i64.store offset=48
    local.get 3
    local.get 3
    i64.load offset=200
    i64.store offset=56
    local.get 3
    local.get 3
    i64.load offset=208
    i64.store offset=64
    local.get 3
    local.get 3
    i64.load offset=216
    i64.store offset=72
    local.get 3
    local.get 3
    i64.load offset=224
    i64.store offset=80
    local.get 3
    local.get 3
    i64.load offset=280
    i64.store offset=136
    local.get 3
    local.get 3
    i64.load offset=272
    i64.store offset=128
    local.get 3
    local.get 3
    i64.load offset=264
    i64.store offset=120
    local.get 3
    local.get 3
    i64.load offset=256
    i64.store offset=112
    local.get 3
    local.get 3
    i64.load offset=248
    i64.store offset=104
    local.get 3
    local.get 3
    i64.load offset=240
    i64.store offset=96
    local.get 3
    local.get 3
    i64.load offset=232
    i64.store offset=88
    local.get 3
    i32.const 160
    i32.add
    i32.const 0
    i32.const 96
    memory.fill
    local.get 3
    i32.const 8
    i32.add
    local.get 3
    i32.const 16
    i32.add
    local.get 3
    i32.const 160
    i32.add
    call 57
    block ;; label = @1
      block ;; label = @2
        local.get 0
        local.get 3
        i32.load offset=8
        local.get 3
        i32.load offset=12
        call 72
        i32.const 255
        i32.and
        i32.const 7
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.load offset=34844
        local.tee 2
        i32.const 1
        local.get 2
        i32.const 1
        i32.gt_u
        select
        i32.store offset=34844
        i32.const 0
        i64.load offset=34808
        i64.const -1
        i64.ne
        br_if 1 (;@1;)
        i32.const 0
        i64.const -1
        local.get 1
        i64.const 25
        i64.add
        local.tee 4
        local.get 4
        local.get 1
        i64.lt_u
        select
        local.tee 4
        i64.store offset=34808
        local.get 4
        i32.const 0
        i64.load offset=34816
        i64.ge_u
        br_if 1 (;@1;)
        local.get 0
        i32.const 0
        i32.load offset=34824
        i64.const 0
        local.get 4
        local.get 1
        i64.sub
        local.tee 1
        local.get 1
        local.get 4
        i64.gt_u
        select
        local.tee 1
        i64.const 4294967295
        local.get 1
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 73
        i32.const 255
        i32.and
        i32.const 7
        i32.ne
        br_if 1 (;@1;)
        i32.const 0
        local.get 4
        i64.store offset=34816
        br 1 (;@1;)
      end
      i32.const 0
      i64.const -1
      i64.store offset=34808
      i32.const 0
      i32.const 0
      i32.store offset=34844
    end
    local.get 3
    i32.const 304
    i32.add
    global.set 0
  )
  (func (;22;) (type 10) (param i32)
    (local i64 i32 i32 i64 i64 i32 i32 i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33972
      i32.eqz
      br_if 0 (;@1;)
      loop ;; label = @2
        i32.const 0
        i64.load offset=33976
        local.tee 1
        i32.const 0
        i32.load offset=33964
        i32.const 0
        i32.load offset=33968
        local.tee 2
        i32.const 0
        i32.const 0
        i32.load offset=33960
        local.tee 3
        local.get 2
        local.get 3
        i32.lt_u
        select
        i32.sub
        i32.const 24
        i32.mul
        i32.add
        local.tee 2
        i64.load
        local.tee 4
        i64.lt_u
        br_if 1 (;@1;)
        local.get 2
        i32.load offset=16
        local.set 3
        block ;; label = @3
          local.get 2
          i64.load offset=8
          local.tee 5
          local.get 1
          i64.le_u
          br_if 0 (;@3;)
          local.get 0
          local.get 3
          local.get 2
          i32.load offset=20
          local.tee 2
          local.get 1
          local.get 4
          i64.sub
          i32.wrap_i64
          i32.add
          local.get 2
          local.get 5
          local.get 4
          i64.sub
          i32.wrap_i64
          i32.add
          call 86
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 2 (;@1;)
          i32.const 0
          i32.const 1
          i32.store8 offset=34849
          i32.const 0
          local.get 5
          i64.store offset=33976
        end
        local.get 0
        local.get 3
        call 83
        drop
        i32.const 0
        i32.load offset=33972
        local.tee 2
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        i32.store offset=33972
        i32.const 0
        i32.const 0
        i32.load offset=33968
        i32.const 1
        i32.add
        local.tee 3
        i32.const 0
        i32.const 0
        i32.load offset=33960
        local.tee 6
        local.get 3
        local.get 6
        i32.lt_u
        select
        i32.sub
        i32.store offset=33968
        local.get 2
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      i32.const 0
      i32.load offset=34840
      local.tee 7
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34836
      local.set 6
      local.get 7
      i32.const 4
      i32.shl
      local.tee 0
      i32.const -16
      i32.add
      i32.const 4
      i32.shr_u
      i32.const 1
      i32.add
      local.set 8
      i32.const 0
      local.set 3
      i32.const 0
      i64.load offset=33976
      local.set 1
      i32.const 0
      local.set 2
      block ;; label = @2
        loop ;; label = @3
          local.get 6
          local.get 2
          i32.add
          i32.const 8
          i32.add
          i64.load
          local.get 1
          i64.gt_u
          br_if 1 (;@2;)
          local.get 3
          i32.const 1
          i32.add
          local.set 3
          local.get 0
          local.get 2
          i32.const 16
          i32.add
          local.tee 2
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 8
        local.set 3
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 7
            local.get 3
            i32.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.const 0
            i32.store offset=34840
            local.get 7
            local.get 3
            i32.sub
            local.set 2
            local.get 3
            i32.eqz
            br_if 1 (;@3;)
            local.get 7
            local.get 3
            i32.eq
            br_if 3 (;@1;)
            local.get 2
            i32.const 4
            i32.shl
            local.tee 0
            i32.eqz
            br_if 2 (;@2;)
            local.get 6
            local.get 6
            local.get 3
            i32.const 4
            i32.shl
            i32.add
            local.get 0
            memory.copy
            br 2 (;@2;)
          end
          i32.const 0
          local.get 3
          local.get 7
          i32.const 33392
          call 92
          unreachable
        end
        local.get 7
        local.get 3
        i32.eq
        br_if 1 (;@1;)
      end
      i32.const 0
      local.get 2
      i32.store offset=34840
    end
  )
  (func (;23;) (type 10) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 1
    local.get 0
    call 24
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
  (func (;24;) (type 10) (param i32)
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
    i32.const 24
    call 26
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
      call 88
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
  (func (;25;) (type 15) (param i32 i32 i32)
    (local i32 i32 i32 i32)
    block ;; label = @1
      local.get 1
      local.get 0
      i32.eq
      br_if 0 (;@1;)
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33960
      local.tee 3
      local.get 1
      local.get 0
      i32.sub
      local.tee 4
      i32.add
      local.tee 5
      local.get 4
      local.get 5
      local.get 3
      i32.lt_u
      select
      local.set 5
      local.get 3
      local.get 1
      i32.sub
      local.set 4
      block ;; label = @2
        local.get 2
        local.get 3
        local.get 0
        i32.sub
        local.tee 3
        i32.gt_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 2
          local.get 4
          i32.gt_u
          br_if 0 (;@3;)
          local.get 2
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=33964
          local.tee 3
          local.get 1
          i32.const 24
          i32.mul
          i32.add
          local.get 3
          local.get 0
          i32.const 24
          i32.mul
          i32.add
          local.get 2
          memory.copy
          br 2 (;@1;)
        end
        block ;; label = @3
          local.get 5
          local.get 2
          i32.lt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const 24
          i32.mul
          local.set 0
          block ;; label = @4
            local.get 4
            i32.const 24
            i32.mul
            local.tee 3
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=33964
            local.tee 5
            local.get 1
            i32.const 24
            i32.mul
            i32.add
            local.get 5
            local.get 0
            i32.add
            local.get 3
            memory.copy
          end
          local.get 2
          local.get 4
          i32.sub
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=33964
          local.tee 1
          local.get 1
          local.get 0
          i32.add
          local.get 3
          i32.add
          local.get 2
          memory.copy
          return
        end
        local.get 4
        i32.const 24
        i32.mul
        local.set 3
        local.get 0
        i32.const 24
        i32.mul
        local.set 0
        block ;; label = @3
          local.get 2
          local.get 4
          i32.sub
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33964
          local.tee 4
          local.get 4
          local.get 0
          i32.add
          local.get 3
          i32.add
          local.get 2
          memory.copy
        end
        local.get 3
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        i32.load offset=33964
        local.tee 2
        local.get 1
        i32.const 24
        i32.mul
        i32.add
        local.get 2
        local.get 0
        i32.add
        local.get 3
        memory.copy
        return
      end
      block ;; label = @2
        local.get 5
        local.get 2
        i32.lt_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 2
          local.get 4
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 24
          i32.mul
          local.set 1
          block ;; label = @4
            local.get 3
            i32.const 24
            i32.mul
            local.tee 4
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=33964
            local.tee 5
            local.get 1
            i32.add
            local.get 5
            local.get 0
            i32.const 24
            i32.mul
            i32.add
            local.get 4
            memory.copy
          end
          local.get 2
          local.get 3
          i32.sub
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=33964
          local.tee 0
          local.get 1
          i32.add
          local.get 4
          i32.add
          local.get 0
          local.get 2
          memory.copy
          return
        end
        local.get 1
        i32.const 24
        i32.mul
        local.set 1
        block ;; label = @3
          local.get 3
          i32.const 24
          i32.mul
          local.tee 5
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33964
          local.tee 6
          local.get 1
          i32.add
          local.get 6
          local.get 0
          i32.const 24
          i32.mul
          i32.add
          local.get 5
          memory.copy
        end
        block ;; label = @3
          local.get 4
          local.get 3
          i32.sub
          i32.const 24
          i32.mul
          local.tee 0
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33964
          local.tee 3
          local.get 1
          i32.add
          local.get 5
          i32.add
          local.get 3
          local.get 0
          memory.copy
        end
        local.get 2
        local.get 4
        i32.sub
        i32.const 24
        i32.mul
        local.tee 2
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        i32.load offset=33964
        local.tee 1
        local.get 1
        local.get 0
        i32.add
        local.get 2
        memory.copy
        return
      end
      block ;; label = @2
        local.get 2
        local.get 4
        i32.gt_u
        br_if 0 (;@2;)
        local.get 3
        i32.const 24
        i32.mul
        local.set 4
        local.get 1
        i32.const 24
        i32.mul
        local.set 1
        block ;; label = @3
          local.get 2
          local.get 3
          i32.sub
          i32.const 24
          i32.mul
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33964
          local.tee 3
          local.get 1
          i32.add
          local.get 4
          i32.add
          local.get 3
          local.get 2
          memory.copy
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        i32.load offset=33964
        local.tee 2
        local.get 1
        i32.add
        local.get 2
        local.get 0
        i32.const 24
        i32.mul
        i32.add
        local.get 4
        memory.copy
        return
      end
      local.get 3
      local.get 4
      i32.sub
      local.tee 6
      i32.const 24
      i32.mul
      local.set 5
      block ;; label = @2
        local.get 2
        local.get 3
        i32.sub
        i32.const 24
        i32.mul
        local.tee 2
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33964
        local.tee 3
        local.get 5
        i32.add
        local.get 3
        local.get 2
        memory.copy
      end
      block ;; label = @2
        local.get 5
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33964
        local.tee 2
        local.get 2
        i32.const 0
        i32.load offset=33960
        local.get 6
        i32.sub
        i32.const 24
        i32.mul
        i32.add
        local.get 5
        memory.copy
      end
      local.get 4
      i32.const 24
      i32.mul
      local.tee 2
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33964
      local.tee 3
      local.get 1
      i32.const 24
      i32.mul
      i32.add
      local.get 3
      local.get 0
      i32.const 24
      i32.mul
      i32.add
      local.get 2
      memory.copy
      return
    end
  )
  (func (;26;) (type 16) (param i32 i32 i32 i32 i32)
    (local i32 i32 i64)
    i32.const 1
    local.set 5
    i32.const 4
    local.set 6
    block ;; label = @1
      block ;; label = @2
        local.get 4
        i64.extend_i32_u
        local.get 3
        i64.extend_i32_u
        i64.mul
        local.tee 7
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
        local.get 7
        i32.wrap_i64
        local.tee 3
        i32.const 2147483640
        i32.le_u
        br_if 0 (;@2;)
        i32.const 0
        local.set 3
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 1
            i32.eqz
            br_if 0 (;@4;)
            local.get 2
            local.get 4
            local.get 1
            i32.mul
            i32.const 8
            local.get 3
            call 44
            local.set 6
            br 1 (;@3;)
          end
          block ;; label = @4
            local.get 3
            br_if 0 (;@4;)
            i32.const 8
            local.set 6
            br 2 (;@2;)
          end
          call 41
          local.get 3
          i32.const 8
          call 42
          local.set 6
        end
        local.get 6
        br_if 0 (;@2;)
        i32.const 8
        local.set 6
        local.get 0
        i32.const 8
        i32.store offset=4
        br 1 (;@1;)
      end
      local.get 0
      local.get 6
      i32.store offset=4
      i32.const 0
      local.set 5
      i32.const 8
      local.set 6
    end
    local.get 0
    local.get 6
    i32.add
    local.get 3
    i32.store
    local.get 0
    local.get 5
    i32.store
  )
  (func (;27;) (type 15) (param i32 i32 i32)
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
      call 88
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
    i32.const 4
    local.get 2
    i32.const 4
    i32.gt_u
    select
    local.tee 2
    i32.const 16
    call 26
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
      call 88
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
  (func (;28;) (type 7) (result i64)
    i64.const 258
  )
  (func (;29;) (type 3)
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 2
      i32.store8 offset=35161
    end
  )
  (func (;30;) (type 3)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 0
      i32.const 15
      i32.add
      call 18
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;31;) (type 17) (result i32)
    i32.const 35168
  )
  (func (;32;) (type 3)
    (local i32 i32)
    global.get 0
    i32.const 80
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i64.const 0
    i64.store offset=60 align=1
    local.get 0
    i64.const 0
    i64.store offset=68 align=1
    local.get 0
    i64.const -1
    i64.store offset=40 align=4
    local.get 0
    i64.const -1
    i64.store offset=48 align=4
    local.get 0
    i64.const -1
    i64.store offset=20 align=1
    local.get 0
    i64.const -1
    i64.store offset=28 align=1
    local.get 0
    i32.const 0
    i32.store offset=76 align=1
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const 0
        i32.load offset=34856
        local.tee 1
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34860
        local.get 1
        i32.const 5
        i32.shl
        i32.const 8
        call 43
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33960
        local.tee 1
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33964
        local.get 1
        i32.const 24
        i32.mul
        i32.const 8
        call 43
      end
      i32.const 0
      i32.load offset=34832
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34836
      local.get 1
      i32.const 4
      i32.shl
      i32.const 8
      call 43
    end
    i32.const 0
    i64.const 0
    i64.store offset=34800
    i32.const 0
    i64.const 34359738368
    i64.store offset=33960
    i32.const 0
    i64.const 0
    i64.store offset=33944
    i32.const 33968
    i32.const 0
    i32.const 828
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=34816
    i32.const 0
    i64.const -1
    i64.store offset=34808
    i32.const 0
    i64.const 0
    i64.store offset=34840
    i32.const 0
    i64.const 34359738368
    i64.store offset=34832
    i32.const 0
    i32.const 1
    i32.store offset=34824
    i32.const 0
    i64.const 0
    i64.store offset=34864
    i32.const 0
    i64.const 34359738368
    i64.store offset=34856
    i32.const 0
    i32.const 1
    i32.store8 offset=34850
    i32.const 0
    i64.const 0
    i64.store offset=34872
    i32.const 0
    i64.const 0
    i64.store offset=34880
    i32.const 0
    i64.const 0
    i64.store offset=34888
    i32.const 0
    i64.const 0
    i64.store offset=34896
    i32.const 0
    i64.const 0
    i64.store offset=34904
    i32.const 0
    i64.const 0
    i64.store offset=34912
    i32.const 0
    i64.const 1
    i64.store offset=34920
    i32.const 0
    i64.const 0
    i64.store offset=34928
    i32.const 0
    i64.const -1
    i64.store offset=34936
    i32.const 0
    i32.const 0
    i32.store16 offset=34848
    i32.const 0
    i64.const 0
    i64.store offset=34965 align=1
    i32.const 0
    i64.const 0
    i64.store offset=34960
    i32.const 0
    i64.const 0
    i64.store offset=34952
    i32.const 0
    i64.const 0
    i64.store offset=34944
    i32.const 0
    i32.const 1
    i32.store16 offset=34973 align=1
    i32.const 0
    i64.const 65536
    i64.store offset=35032
    i32.const 0
    i64.const 0
    i64.store offset=35024
    i32.const 0
    local.get 0
    i64.load offset=59 align=1
    i64.store offset=34975 align=1
    i32.const 0
    local.get 0
    i64.load offset=67 align=1
    i64.store offset=34983 align=1
    i32.const 0
    local.get 0
    i64.load offset=72 align=1
    i64.store offset=34988 align=1
    i32.const 0
    local.get 0
    i64.load offset=36 align=4
    i64.store offset=34996 align=4
    i32.const 0
    local.get 0
    i64.load offset=44 align=4
    i64.store offset=35004 align=4
    i32.const 0
    local.get 0
    i32.load offset=52
    i32.store offset=35012
    i32.const 0
    i32.const 0
    i32.store offset=35016
    i32.const 0
    i64.const -1
    i64.store offset=35048
    i32.const 0
    i64.const -1
    i64.store offset=35040
    i32.const 0
    i32.const 3
    i32.store offset=35056
    i32.const 35064
    i32.const 0
    i32.const 67
    memory.fill
    i32.const 0
    i32.const 2
    i32.store offset=35152
    i32.const 0
    local.get 0
    i64.load offset=28 align=1
    i64.store offset=35144 align=1
    i32.const 0
    local.get 0
    i64.load offset=23 align=1
    i64.store offset=35139 align=1
    i32.const 0
    local.get 0
    i64.load offset=15 align=1
    i64.store offset=35131 align=1
    i32.const 0
    i32.const 0
    i32.store16 offset=35160
    local.get 0
    i32.const 80
    i32.add
    global.set 0
  )
  (func (;33;) (type 4) (param i32 i32) (result i64)
    i64.const -4
    i64.const -5
    i32.const 0
    i64.load offset=33944
    i64.const 2
    i64.eq
    select
  )
  (func (;34;) (type 18) (param i32 i32)
    (local i32 i32 i32 i32 i64 i64 i32 i64 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i32 i64 i64 i64 i64 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 8496
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 8
    i32.add
    i32.const 0
    i32.const 8192
    memory.fill
    local.get 1
    i32.const 64
    local.get 1
    i32.const 64
    i32.lt_u
    select
    i32.const 7
    i32.shl
    local.set 3
    block ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 8
      i32.add
      local.set 4
      local.get 3
      local.set 5
      loop ;; label = @2
        local.get 2
        i32.const 8344
        i32.add
        local.get 0
        i32.const 63
        i32.and
        i32.const 7
        i32.shl
        i32.const 39264
        i32.add
        call 66
        local.get 4
        local.get 2
        i32.const 8344
        i32.add
        i32.const 128
        memory.copy
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 4
        i32.const 128
        i32.add
        local.set 4
        local.get 5
        i32.const -128
        i32.add
        local.tee 5
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 2
      i32.const 8495
      i32.add
      call 78
      local.set 6
      i32.const 0
      local.get 2
      i32.const 8495
      i32.add
      i32.const 0
      call 75
      local.tee 7
      i64.const 65536
      local.get 7
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 0
      i32.store offset=35120
      i32.const 0
      i32.const 0
      local.get 0
      i32.const -24
      i32.add
      local.tee 4
      local.get 4
      local.get 0
      i32.gt_u
      select
      local.tee 0
      i32.const 1
      local.get 0
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      i64.store offset=34920
      block ;; label = @2
        local.get 1
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        i32.const 8
        i32.add
        local.get 3
        i32.add
        local.set 8
        i64.const 0
        i64.const -1
        local.get 6
        i64.const 25
        i64.add
        local.tee 7
        local.get 7
        local.get 6
        i64.lt_u
        select
        local.tee 9
        local.get 6
        i64.sub
        local.tee 7
        local.get 7
        local.get 9
        i64.gt_u
        select
        local.tee 7
        i64.const 4294967295
        local.get 7
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        local.set 10
        local.get 6
        i32.wrap_i64
        local.set 11
        local.get 2
        i32.const 8200
        i32.add
        i32.const 16
        i32.add
        local.set 12
        local.get 2
        i32.const 8304
        i32.add
        local.set 13
        local.get 2
        i32.const 8288
        i32.add
        local.set 14
        local.get 2
        i32.const 8272
        i32.add
        local.set 15
        local.get 2
        i32.const 8
        i32.add
        local.set 16
        loop ;; label = @3
          local.get 2
          local.get 16
          call 67
          local.get 2
          i32.const 8344
          i32.add
          local.get 2
          i32.load
          local.get 2
          i32.load offset=4
          call 56
          block ;; label = @4
            local.get 2
            i32.load8_u offset=8480
            i32.const 2
            i32.eq
            br_if 0 (;@4;)
            local.get 2
            i32.const 8200
            i32.add
            local.get 2
            i32.const 8344
            i32.add
            i32.const 144
            memory.copy
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 2
                      i64.load offset=8208
                      local.tee 17
                      i32.const 0
                      i64.load offset=34880
                      i64.gt_u
                      br_if 0 (;@9;)
                      local.get 2
                      i32.load offset=8320
                      local.tee 18
                      i32.const 4
                      i32.ge_u
                      br_if 1 (;@8;)
                      block ;; label = @10
                        local.get 18
                        i32.eqz
                        br_if 0 (;@10;)
                        local.get 18
                        i32.const 4
                        i32.shl
                        local.set 0
                        i32.const 0
                        i64.load offset=35072
                        local.set 19
                        i32.const 0
                        i32.load offset=35084
                        local.set 3
                        i32.const 0
                        i32.load offset=35080
                        local.set 1
                        local.get 2
                        i32.load16_u offset=8332
                        local.set 20
                        loop ;; label = @11
                          local.get 2
                          i32.const 8200
                          i32.add
                          local.get 0
                          i32.add
                          local.tee 4
                          i32.const 56
                          i32.add
                          i64.load
                          local.set 7
                          local.get 4
                          i32.const 68
                          i32.add
                          i32.load
                          local.set 5
                          block ;; label = @12
                            block ;; label = @13
                              local.get 1
                              local.get 4
                              i32.const 64
                              i32.add
                              i32.load
                              local.tee 4
                              i32.ne
                              br_if 0 (;@13;)
                              local.get 3
                              local.get 5
                              i32.ne
                              br_if 0 (;@13;)
                              local.get 19
                              local.get 7
                              i64.eq
                              br_if 1 (;@12;)
                            end
                            block ;; label = @13
                              i32.const 0
                              i32.load offset=35096
                              local.get 4
                              i32.ne
                              br_if 0 (;@13;)
                              i32.const 0
                              i32.load offset=35100
                              local.get 5
                              i32.ne
                              br_if 0 (;@13;)
                              i32.const 0
                              i64.load offset=35088
                              local.get 7
                              i64.eq
                              br_if 1 (;@12;)
                            end
                            block ;; label = @13
                              i32.const 0
                              i32.load offset=35112
                              local.get 4
                              i32.ne
                              br_if 0 (;@13;)
                              i32.const 0
                              i32.load offset=35116
                              local.get 5
                              i32.ne
                              br_if 0 (;@13;)
                              i32.const 0
                              i64.load offset=35104
                              local.get 7
                              i64.eq
                              br_if 1 (;@12;)
                            end
                            block ;; label = @13
                              i32.const 0
                              i64.load offset=35064
                              local.tee 21
                              i64.const -4294967296
                              i64.and
                              local.get 5
                              i64.extend_i32_u
                              i64.or
                              local.tee 22
                              local.get 21
                              i64.le_u
                              br_if 0 (;@13;)
                              local.get 21
                              i64.const 4294967296
                              i64.lt_u
                              br_if 1 (;@12;)
                              local.get 22
                              i64.const -4294967296
                              i64.add
                              local.set 22
                            end
                            local.get 22
                            i64.eqz
                            br_if 0 (;@12;)
                            block ;; label = @13
                              local.get 22
                              i64.const -1
                              i64.add
                              local.tee 23
                              i64.const -4294967296
                              i64.and
                              local.get 4
                              i64.extend_i32_u
                              i64.or
                              local.tee 21
                              local.get 23
                              i64.le_u
                              br_if 0 (;@13;)
                              local.get 22
                              i64.const 4294967297
                              i64.lt_u
                              br_if 1 (;@12;)
                              local.get 21
                              i64.const -4294967296
                              i64.add
                              local.set 21
                            end
                            local.get 2
                            i32.const 8495
                            i32.add
                            local.get 21
                            local.get 22
                            local.get 7
                            local.get 20
                            i32.const 0
                            local.get 0
                            i32.const 16
                            i32.eq
                            select
                            call 77
                            drop
                            i32.const 0
                            i64.load offset=35072
                            local.set 19
                            i32.const 0
                            i32.load offset=35084
                            local.set 3
                            i32.const 0
                            i32.load offset=35080
                            local.set 1
                          end
                          local.get 0
                          i32.const -16
                          i32.add
                          local.tee 0
                          br_if 0 (;@11;)
                        end
                        i32.const 0
                        local.get 15
                        i64.load offset=8
                        i64.store offset=35080
                        i32.const 0
                        local.get 15
                        i64.load
                        i64.store offset=35072
                        local.get 18
                        i32.const 1
                        i32.eq
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 14
                        i64.load offset=8
                        i64.store offset=35096
                        i32.const 0
                        local.get 14
                        i64.load
                        i64.store offset=35088
                        local.get 18
                        i32.const 2
                        i32.eq
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 13
                        i64.load offset=8
                        i64.store offset=35112
                        i32.const 0
                        local.get 13
                        i64.load
                        i64.store offset=35104
                      end
                      block ;; label = @10
                        local.get 17
                        local.get 2
                        i64.load32_u offset=8328
                        i64.add
                        local.tee 7
                        i32.const 0
                        i64.load offset=35032
                        i64.le_u
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 7
                        i64.store offset=35032
                        i32.const 0
                        i32.const 0
                        i32.store offset=34992
                      end
                      i32.const 0
                      i32.const 0
                      i32.store offset=35124
                      local.get 2
                      i32.load offset=8264
                      local.tee 0
                      i32.const 4
                      i32.ge_u
                      br_if 2 (;@7;)
                      i32.const 0
                      i64.load offset=34872
                      local.set 19
                      i32.const 0
                      i64.load offset=34880
                      local.set 22
                      block ;; label = @10
                        block ;; label = @11
                          local.get 0
                          br_if 0 (;@11;)
                          i64.const 0
                          local.set 7
                          br 1 (;@10;)
                        end
                        local.get 12
                        local.get 0
                        i32.const 4
                        i32.shl
                        i32.add
                        local.set 4
                        i64.const 0
                        local.set 7
                        local.get 12
                        local.set 0
                        loop ;; label = @11
                          i32.const 34856
                          local.get 0
                          i64.load
                          local.get 0
                          i32.const 8
                          i32.add
                          i64.load
                          call 53
                          local.get 7
                          i64.add
                          local.set 7
                          local.get 0
                          i32.const 16
                          i32.add
                          local.tee 0
                          local.get 4
                          i32.ne
                          br_if 0 (;@11;)
                        end
                      end
                      block ;; label = @10
                        local.get 17
                        local.get 19
                        i64.gt_u
                        br_if 0 (;@10;)
                        local.get 17
                        local.get 19
                        i64.ne
                        br_if 1 (;@9;)
                        local.get 22
                        local.get 19
                        i64.eq
                        br_if 1 (;@9;)
                        i32.const 34920
                        i32.const 34856
                        local.get 2
                        i32.load8_u offset=8336
                        local.get 7
                        call 62
                        br 1 (;@9;)
                      end
                      local.get 22
                      local.get 19
                      i64.sub
                      local.set 22
                      local.get 2
                      i32.const 8344
                      i32.add
                      i32.const 34856
                      local.get 17
                      call 51
                      block ;; label = @10
                        local.get 2
                        i32.load8_u offset=8370
                        i32.const 2
                        i32.eq
                        br_if 0 (;@10;)
                        i64.const 0
                        local.get 11
                        local.get 2
                        i32.load offset=8364
                        i32.sub
                        i64.extend_i32_u
                        local.tee 7
                        local.get 2
                        i32.load16_u offset=8332
                        i32.const 1000
                        i32.div_u
                        i64.extend_i32_u
                        i64.sub
                        local.tee 21
                        local.get 21
                        local.get 7
                        i64.gt_u
                        select
                        local.tee 7
                        i64.const 1
                        local.get 7
                        i64.const 1
                        i64.gt_u
                        select
                        local.set 7
                        block ;; label = @11
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=34976
                            local.tee 23
                            i64.const 0
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 7
                            i64.const 1
                            i64.shl
                            local.set 24
                            local.get 7
                            i64.const 3
                            i64.shl
                            local.set 7
                            br 1 (;@11;)
                          end
                          i32.const 0
                          i64.load offset=34984
                          local.tee 24
                          local.get 23
                          i64.const 3
                          i64.shr_u
                          local.tee 21
                          local.get 7
                          i64.sub
                          local.get 7
                          local.get 21
                          i64.sub
                          local.get 21
                          local.get 7
                          i64.gt_u
                          select
                          i64.add
                          local.get 24
                          i64.const 2
                          i64.shr_u
                          i64.sub
                          local.set 24
                          local.get 23
                          local.get 21
                          i64.sub
                          local.get 7
                          i64.add
                          local.set 7
                        end
                        i32.const 0
                        local.get 24
                        i64.store offset=34984
                        i32.const 0
                        local.get 7
                        i64.store offset=34976
                      end
                      i32.const 0
                      i32.const 0
                      i32.store offset=34992
                      i32.const 34920
                      i32.const 34856
                      local.get 17
                      local.get 19
                      i64.sub
                      local.get 22
                      call 60
                      local.get 2
                      i32.const 8495
                      i32.add
                      i32.const 0
                      i64.load offset=35024
                      local.tee 7
                      local.get 17
                      local.get 7
                      local.get 17
                      i64.lt_u
                      select
                      call 79
                      drop
                      block ;; label = @10
                        i32.const 0
                        i64.load offset=34880
                        i32.const 0
                        i64.load offset=34872
                        i64.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.const -1
                        i64.store offset=35000
                        br 1 (;@9;)
                      end
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i64.load offset=34976
                          local.tee 7
                          i64.eqz
                          i32.eqz
                          br_if 0 (;@11;)
                          i64.const 1000
                          local.set 7
                          br 1 (;@10;)
                        end
                        i32.const 0
                        i64.load offset=34984
                        local.tee 19
                        i64.const 1
                        local.get 19
                        i64.const 1
                        i64.gt_u
                        select
                        local.get 7
                        i64.const 3
                        i64.shr_u
                        i64.add
                        local.tee 7
                        i64.const 200
                        local.get 7
                        i64.const 200
                        i64.gt_u
                        select
                        local.set 7
                      end
                      i32.const 0
                      i64.const -1
                      local.get 7
                      i32.const 0
                      i32.load offset=34992
                      local.tee 0
                      i32.const 16
                      local.get 0
                      i32.const 16
                      i32.lt_u
                      select
                      i64.extend_i32_u
                      i64.shl
                      local.tee 7
                      i64.const 60000
                      local.get 7
                      i64.const 60000
                      i64.lt_u
                      select
                      local.get 6
                      i64.add
                      i64.const 25
                      i64.add
                      local.tee 7
                      local.get 7
                      local.get 6
                      i64.lt_u
                      select
                      local.tee 7
                      i64.store offset=35000
                      local.get 7
                      i32.const 0
                      i64.load offset=35008
                      i64.ge_u
                      br_if 0 (;@9;)
                      local.get 2
                      i32.const 8495
                      i32.add
                      i32.const 0
                      i32.load offset=35016
                      i64.const 0
                      local.get 7
                      local.get 6
                      i64.sub
                      local.tee 19
                      local.get 19
                      local.get 7
                      i64.gt_u
                      select
                      local.tee 19
                      i64.const 4294967295
                      local.get 19
                      i64.const 4294967295
                      i64.lt_u
                      select
                      i32.wrap_i64
                      call 73
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 7
                      i64.store offset=35008
                    end
                    local.get 16
                    i64.load
                    i64.const 1
                    i64.ne
                    br_if 3 (;@5;)
                    i32.const 34024
                    local.get 16
                    i64.load offset=8
                    local.get 16
                    i64.load offset=16
                    call 69
                    br_if 2 (;@6;)
                    br 3 (;@5;)
                  end
                  i32.const 0
                  local.get 18
                  i32.const 3
                  i32.const 33408
                  call 92
                  unreachable
                end
                i32.const 0
                local.get 0
                i32.const 3
                i32.const 33408
                call 92
                unreachable
              end
              i32.const 0
              local.get 6
              i64.store offset=34800
            end
            local.get 2
            i32.load8_u offset=8334
            local.set 0
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 16
                          i32.load offset=124
                          local.tee 4
                          local.get 2
                          i32.load offset=8264
                          i32.const 3
                          i32.shl
                          local.get 2
                          i32.load offset=8320
                          i32.const 4
                          i32.shl
                          i32.add
                          i32.const 24
                          i32.add
                          local.tee 3
                          i32.gt_u
                          br_if 0 (;@11;)
                          local.get 0
                          i32.const 1
                          i32.and
                          i32.eqz
                          br_if 1 (;@10;)
                        end
                        local.get 2
                        i64.load offset=8200
                        local.tee 19
                        i32.const 0
                        local.get 4
                        local.get 3
                        i32.sub
                        local.tee 5
                        local.get 5
                        local.get 4
                        i32.gt_u
                        select
                        local.tee 5
                        i64.extend_i32_u
                        i64.add
                        local.set 7
                        local.get 0
                        i32.const 1
                        i32.and
                        br_if 1 (;@9;)
                        local.get 19
                        i32.const 0
                        i64.load offset=33976
                        local.tee 22
                        i64.gt_u
                        local.set 0
                        local.get 7
                        local.get 22
                        i64.gt_u
                        br_if 2 (;@8;)
                        br 3 (;@7;)
                      end
                      local.get 2
                      i32.load8_u offset=8335
                      i32.const 1
                      i32.ne
                      br_if 5 (;@4;)
                      local.get 2
                      i32.const 8495
                      i32.add
                      local.get 6
                      i32.const 0
                      call 21
                      br 5 (;@4;)
                    end
                    i32.const 0
                    i64.load offset=33976
                    local.set 22
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=33944
                      br_if 0 (;@9;)
                      local.get 7
                      local.get 22
                      i64.lt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 7
                      i64.store offset=33952
                      i32.const 0
                      i64.const 1
                      i64.store offset=33944
                    end
                    local.get 19
                    local.get 22
                    i64.gt_u
                    local.set 0
                    local.get 7
                    local.get 22
                    i64.lt_u
                    br_if 1 (;@7;)
                  end
                  local.get 0
                  br_if 1 (;@6;)
                  i32.const 0
                  local.set 20
                  i32.const 0
                  i32.load8_u offset=34848
                  br_if 2 (;@5;)
                  i32.const 1
                  local.set 4
                  block ;; label = @8
                    local.get 22
                    local.get 19
                    i64.lt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=33972
                    local.set 0
                    block ;; label = @9
                      local.get 7
                      local.get 22
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 2
                      i32.const 8495
                      i32.add
                      local.get 16
                      i32.load offset=120
                      local.get 3
                      local.get 22
                      local.get 19
                      i64.sub
                      i32.wrap_i64
                      i32.add
                      local.get 5
                      local.get 3
                      i32.add
                      call 86
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 1 (;@8;)
                      i32.const 0
                      i32.const 1
                      i32.store8 offset=34849
                      i32.const 0
                      local.get 7
                      i64.store offset=33976
                    end
                    local.get 0
                    i32.const 0
                    i32.ne
                    local.set 4
                  end
                  local.get 2
                  i32.const 8495
                  i32.add
                  call 22
                  i32.const 0
                  i32.load8_u offset=34848
                  local.set 0
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33944
                    i64.const 1
                    i64.ne
                    br_if 0 (;@8;)
                    i32.const 0
                    i64.load offset=33952
                    i32.const 0
                    i64.load offset=33976
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 0
                    i32.const 1
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 257
                    i32.store16 offset=34848
                    local.get 2
                    i32.const 8495
                    i32.add
                    call 76
                    i32.const 0
                    i32.load8_u offset=34848
                    local.set 0
                  end
                  i32.const 0
                  local.set 20
                  i32.const 0
                  i32.const 0
                  i32.load offset=34844
                  i32.const 1
                  i32.add
                  local.tee 5
                  i32.store offset=34844
                  local.get 4
                  local.get 0
                  i32.or
                  i32.const 1
                  i32.and
                  br_if 2 (;@5;)
                  local.get 5
                  i32.const 1
                  i32.gt_u
                  br_if 2 (;@5;)
                  i32.const 0
                  i64.load offset=34808
                  i64.const -1
                  i64.ne
                  br_if 3 (;@4;)
                  i32.const 0
                  local.get 9
                  i64.store offset=34808
                  local.get 9
                  i32.const 0
                  i64.load offset=34816
                  i64.ge_u
                  br_if 3 (;@4;)
                  local.get 2
                  i32.const 8495
                  i32.add
                  i32.const 0
                  i32.load offset=34824
                  local.get 10
                  call 73
                  i32.const 255
                  i32.and
                  i32.const 7
                  i32.ne
                  br_if 3 (;@4;)
                  i32.const 0
                  local.get 9
                  i64.store offset=34816
                  br 3 (;@4;)
                end
                i32.const 0
                local.set 20
                local.get 0
                i32.eqz
                br_if 1 (;@5;)
              end
              i32.const 1
              local.set 20
              local.get 4
              local.get 3
              i32.le_u
              br_if 0 (;@5;)
              local.get 7
              local.get 22
              i64.sub
              i64.const 4294967295
              i64.gt_u
              br_if 0 (;@5;)
              i32.const 0
              local.set 0
              i32.const 0
              i32.load offset=34836
              local.set 18
              i32.const 0
              i32.load offset=34840
              local.tee 25
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 25
                    br_table 2 (;@6;) 1 (;@7;) 0 (;@8;)
                  end
                  i32.const 0
                  local.set 0
                  local.get 25
                  local.set 4
                  loop ;; label = @8
                    local.get 4
                    i32.const 1
                    i32.shr_u
                    local.tee 5
                    local.get 0
                    i32.add
                    local.tee 1
                    local.get 0
                    local.get 18
                    local.get 1
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 8
                    i32.add
                    i64.load
                    local.get 19
                    i64.lt_u
                    select
                    local.set 0
                    local.get 4
                    local.get 5
                    i32.sub
                    local.tee 4
                    i32.const 1
                    i32.gt_u
                    br_if 0 (;@8;)
                  end
                end
                local.get 0
                local.get 18
                local.get 0
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 19
                i64.lt_u
                i32.add
                local.set 1
              end
              local.get 18
              local.get 1
              i32.const 4
              i32.shl
              local.tee 26
              i32.add
              local.set 18
              i32.const 0
              local.set 4
              block ;; label = @6
                local.get 1
                local.get 25
                i32.eq
                br_if 0 (;@6;)
                local.get 25
                i32.const 4
                i32.shl
                local.get 26
                i32.sub
                local.set 5
                i32.const 0
                local.set 4
                local.get 18
                local.set 0
                loop ;; label = @7
                  local.get 0
                  i64.load
                  local.get 7
                  i64.gt_u
                  br_if 1 (;@6;)
                  local.get 4
                  i32.const 1
                  i32.add
                  local.set 4
                  local.get 0
                  i32.const 16
                  i32.add
                  local.set 0
                  local.get 5
                  i32.const -16
                  i32.add
                  local.tee 5
                  br_if 0 (;@7;)
                end
              end
              local.get 16
              i32.load offset=120
              local.set 27
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 1
                    local.get 25
                    i32.ge_u
                    br_if 0 (;@8;)
                    local.get 18
                    i64.load
                    local.get 19
                    i64.le_u
                    br_if 1 (;@7;)
                  end
                  i32.const 0
                  i32.load offset=33972
                  i32.const 1024
                  i32.eq
                  br_if 2 (;@5;)
                  local.get 4
                  br_if 1 (;@6;)
                  local.get 25
                  i32.const 64
                  i32.ne
                  br_if 1 (;@6;)
                  br 2 (;@5;)
                end
                i32.const 0
                i32.load offset=33972
                i32.const 1024
                i32.eq
                br_if 1 (;@5;)
                local.get 18
                i64.load offset=8
                local.set 22
                block ;; label = @7
                  local.get 4
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 7
                  local.get 22
                  i64.gt_u
                  br_if 1 (;@6;)
                  br 2 (;@5;)
                end
                local.get 25
                i32.const 64
                i32.eq
                br_if 1 (;@5;)
                local.get 7
                local.get 22
                i64.le_u
                br_if 1 (;@5;)
              end
              local.get 2
              i32.const 8495
              i32.add
              local.get 27
              call 84
              i32.const 255
              i32.and
              i32.const 7
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              local.set 0
              i32.const 0
              local.set 5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                i32.const 0
                                i32.load offset=33972
                                local.tee 28
                                i32.eqz
                                br_if 0 (;@14;)
                                local.get 28
                                i32.const 0
                                i32.load offset=33960
                                local.tee 0
                                i32.const 0
                                i32.load offset=33968
                                local.tee 5
                                i32.const 0
                                local.get 0
                                local.get 5
                                local.get 0
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 5
                                i32.sub
                                local.tee 0
                                i32.gt_u
                                br_if 1 (;@13;)
                                local.get 5
                                local.get 28
                                i32.add
                                local.set 0
                              end
                              local.get 0
                              local.get 5
                              i32.sub
                              local.set 0
                              i32.const 0
                              i32.load offset=33964
                              local.get 5
                              i32.const 24
                              i32.mul
                              i32.add
                              local.set 29
                              br 1 (;@12;)
                            end
                            i32.const 0
                            i32.load offset=33964
                            local.tee 30
                            i64.load
                            local.get 19
                            i64.lt_u
                            br_if 1 (;@11;)
                            local.get 30
                            local.get 5
                            i32.const 24
                            i32.mul
                            i32.add
                            local.set 29
                          end
                          i32.const 0
                          local.set 5
                          block ;; label = @12
                            block ;; label = @13
                              local.get 0
                              br_table 4 (;@9;) 1 (;@12;) 0 (;@13;)
                            end
                            i32.const 0
                            local.set 5
                            loop ;; label = @13
                              local.get 0
                              i32.const 1
                              i32.shr_u
                              local.tee 18
                              local.get 5
                              i32.add
                              local.tee 25
                              local.get 5
                              local.get 29
                              local.get 25
                              i32.const 24
                              i32.mul
                              i32.add
                              i64.load
                              local.get 19
                              i64.lt_u
                              select
                              local.set 5
                              local.get 0
                              local.get 18
                              i32.sub
                              local.tee 0
                              i32.const 1
                              i32.gt_u
                              br_if 0 (;@13;)
                            end
                          end
                          local.get 5
                          local.get 29
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 19
                          i64.lt_u
                          i32.add
                          local.set 0
                          br 1 (;@10;)
                        end
                        i32.const 1
                        local.set 5
                        block ;; label = @11
                          local.get 28
                          local.get 0
                          i32.sub
                          local.tee 18
                          i32.const 1
                          i32.eq
                          br_if 0 (;@11;)
                          i32.const 0
                          local.set 5
                          loop ;; label = @12
                            local.get 18
                            i32.const 1
                            i32.shr_u
                            local.tee 25
                            local.get 5
                            i32.add
                            local.tee 29
                            local.get 5
                            local.get 30
                            local.get 29
                            i32.const 24
                            i32.mul
                            i32.add
                            i64.load
                            local.get 19
                            i64.lt_u
                            select
                            local.set 5
                            local.get 18
                            local.get 25
                            i32.sub
                            local.tee 18
                            i32.const 1
                            i32.gt_u
                            br_if 0 (;@12;)
                          end
                          local.get 5
                          local.get 30
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 19
                          i64.lt_u
                          i32.add
                          local.set 5
                        end
                        local.get 5
                        local.get 0
                        i32.add
                        local.set 0
                      end
                      local.get 0
                      local.get 28
                      i32.gt_u
                      br_if 1 (;@8;)
                    end
                    local.get 28
                    i32.const 0
                    i32.load offset=33960
                    local.tee 5
                    i32.eq
                    br_if 1 (;@7;)
                    br 2 (;@6;)
                  end
                  i32.const 33440
                  i32.const 39
                  i32.const 33460
                  call 93
                  unreachable
                end
                i32.const 33960
                call 23
                i32.const 0
                i32.load offset=33960
                local.set 5
                i32.const 0
                i32.load offset=33972
                local.set 28
              end
              i32.const 0
              i32.load offset=33968
              local.set 18
              block ;; label = @6
                block ;; label = @7
                  local.get 28
                  local.get 0
                  i32.sub
                  local.tee 25
                  local.get 0
                  i32.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  local.get 18
                  i32.const -1
                  i32.add
                  local.tee 25
                  local.get 5
                  i32.add
                  local.tee 5
                  local.get 25
                  local.get 5
                  local.get 25
                  i32.lt_u
                  select
                  local.tee 5
                  i32.store offset=33968
                  local.get 18
                  local.get 5
                  local.get 0
                  call 25
                  br 1 (;@6;)
                end
                local.get 18
                local.get 0
                i32.add
                local.tee 18
                i32.const 0
                local.get 5
                local.get 18
                local.get 5
                i32.lt_u
                select
                i32.sub
                local.get 18
                i32.const 1
                i32.add
                local.tee 18
                i32.const 0
                local.get 5
                local.get 18
                local.get 5
                i32.lt_u
                select
                i32.sub
                local.get 25
                call 25
              end
              i32.const 0
              i32.const 0
              i32.load offset=33972
              i32.const 1
              i32.add
              i32.store offset=33972
              i32.const 0
              i32.load offset=33964
              i32.const 0
              i32.load offset=33968
              local.get 0
              i32.add
              local.tee 0
              i32.const 0
              i32.const 0
              i32.load offset=33960
              local.tee 5
              local.get 0
              local.get 5
              i32.lt_u
              select
              i32.sub
              i32.const 24
              i32.mul
              i32.add
              local.tee 0
              local.get 3
              i32.store offset=20
              local.get 0
              local.get 27
              i32.store offset=16
              local.get 0
              local.get 7
              i64.store offset=8
              local.get 0
              local.get 19
              i64.store
              i32.const 0
              i32.load offset=34840
              local.set 18
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              local.get 4
                              local.get 1
                              i32.add
                              local.tee 3
                              local.get 4
                              i32.lt_u
                              br_if 0 (;@13;)
                              local.get 18
                              local.get 3
                              i32.lt_u
                              br_if 0 (;@13;)
                              i32.const 0
                              i32.load offset=34836
                              local.set 25
                              block ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    block ;; label = @17
                                      local.get 4
                                      i32.eqz
                                      br_if 0 (;@17;)
                                      local.get 25
                                      local.get 26
                                      i32.add
                                      local.set 27
                                      i32.const 0
                                      local.set 5
                                      block ;; label = @18
                                        block ;; label = @19
                                          block ;; label = @20
                                            local.get 4
                                            i32.const 1
                                            i32.ne
                                            br_if 0 (;@20;)
                                            local.get 19
                                            local.set 22
                                            br 1 (;@19;)
                                          end
                                          local.get 4
                                          i32.const 1
                                          i32.and
                                          local.set 29
                                          local.get 4
                                          i32.const -2
                                          i32.and
                                          local.set 4
                                          i32.const 0
                                          local.set 5
                                          local.get 27
                                          local.set 0
                                          local.get 19
                                          local.set 22
                                          loop ;; label = @20
                                            local.get 0
                                            i32.const 24
                                            i32.add
                                            i64.load
                                            local.tee 17
                                            local.get 0
                                            i32.const 8
                                            i32.add
                                            i64.load
                                            local.tee 21
                                            local.get 7
                                            local.get 21
                                            local.get 7
                                            i64.gt_u
                                            select
                                            local.tee 7
                                            local.get 17
                                            local.get 7
                                            i64.gt_u
                                            select
                                            local.set 7
                                            local.get 0
                                            i32.const 16
                                            i32.add
                                            i64.load
                                            local.tee 17
                                            local.get 0
                                            i64.load
                                            local.tee 21
                                            local.get 22
                                            local.get 21
                                            local.get 22
                                            i64.lt_u
                                            select
                                            local.tee 22
                                            local.get 17
                                            local.get 22
                                            i64.lt_u
                                            select
                                            local.set 22
                                            local.get 0
                                            i32.const 32
                                            i32.add
                                            local.set 0
                                            local.get 4
                                            local.get 5
                                            i32.const 2
                                            i32.add
                                            local.tee 5
                                            i32.ne
                                            br_if 0 (;@20;)
                                          end
                                          local.get 29
                                          i32.eqz
                                          br_if 1 (;@18;)
                                        end
                                        local.get 27
                                        local.get 5
                                        i32.const 4
                                        i32.shl
                                        i32.add
                                        local.tee 0
                                        i64.load
                                        local.tee 17
                                        local.get 22
                                        local.get 17
                                        local.get 22
                                        i64.lt_u
                                        select
                                        local.set 22
                                        local.get 0
                                        i32.const 8
                                        i32.add
                                        i64.load
                                        local.tee 17
                                        local.get 7
                                        local.get 17
                                        local.get 7
                                        i64.gt_u
                                        select
                                        local.set 7
                                      end
                                      i32.const 0
                                      local.get 1
                                      i32.store offset=34840
                                      local.get 18
                                      local.get 3
                                      i32.eq
                                      br_if 1 (;@16;)
                                      local.get 25
                                      local.get 26
                                      i32.add
                                      local.tee 0
                                      local.get 7
                                      i64.store offset=8
                                      local.get 0
                                      local.get 22
                                      i64.store
                                      i32.const 0
                                      local.set 25
                                      i32.const 1
                                      local.set 1
                                      i32.const 0
                                      i32.const 0
                                      i32.load offset=34840
                                      i32.const 1
                                      i32.add
                                      i32.store offset=34840
                                      local.get 18
                                      local.get 3
                                      i32.sub
                                      local.set 4
                                      local.get 26
                                      i32.const 16
                                      i32.add
                                      local.get 3
                                      i32.const 4
                                      i32.shl
                                      i32.eq
                                      br_if 2 (;@15;)
                                      local.get 3
                                      local.set 0
                                      br 10 (;@7;)
                                    end
                                    i32.const 0
                                    local.get 1
                                    i32.store offset=34840
                                    local.get 18
                                    local.get 3
                                    i32.ne
                                    br_if 2 (;@14;)
                                    local.get 19
                                    local.set 22
                                  end
                                  block ;; label = @16
                                    i32.const 0
                                    i32.load offset=34832
                                    local.get 1
                                    i32.ne
                                    br_if 0 (;@16;)
                                    i32.const 34832
                                    local.get 1
                                    i32.const 1
                                    call 27
                                    i32.const 0
                                    i32.load offset=34836
                                    local.set 25
                                    i32.const 0
                                    i32.load offset=34840
                                    local.set 1
                                  end
                                  local.get 25
                                  local.get 1
                                  i32.const 4
                                  i32.shl
                                  i32.add
                                  local.tee 0
                                  local.get 7
                                  i64.store offset=8
                                  local.get 0
                                  local.get 22
                                  i64.store
                                  local.get 1
                                  i32.const 1
                                  i32.add
                                  local.set 0
                                  br 9 (;@6;)
                                end
                                i32.const 8
                                local.set 5
                                i32.const 0
                                local.set 18
                                br 4 (;@10;)
                              end
                              local.get 18
                              local.get 3
                              i32.sub
                              local.set 4
                              block ;; label = @14
                                i32.const 0
                                i32.load offset=34832
                                local.get 18
                                i32.ne
                                br_if 0 (;@14;)
                                i32.const 34832
                                local.get 18
                                i32.const 1
                                call 27
                                i32.const 0
                                i32.load offset=34836
                                local.set 25
                              end
                              local.get 3
                              i32.const 1
                              i32.add
                              local.tee 0
                              i32.const 4
                              i32.shl
                              local.set 5
                              block ;; label = @14
                                local.get 4
                                i32.const 4
                                i32.shl
                                local.tee 1
                                i32.eqz
                                br_if 0 (;@14;)
                                local.get 25
                                local.get 5
                                i32.add
                                local.get 25
                                local.get 3
                                i32.const 4
                                i32.shl
                                i32.add
                                local.get 1
                                memory.copy
                              end
                              i32.const 0
                              i32.load offset=34840
                              local.tee 1
                              local.get 0
                              i32.eq
                              br_if 1 (;@12;)
                              i32.const 0
                              local.set 18
                              i32.const 0
                              i32.load offset=34836
                              local.get 1
                              i32.const 4
                              i32.shl
                              local.tee 3
                              i32.add
                              local.tee 1
                              local.get 7
                              i64.store offset=8
                              local.get 1
                              local.get 19
                              i64.store
                              i32.const 1
                              local.set 1
                              i32.const 0
                              i32.const 0
                              i32.load offset=34840
                              i32.const 1
                              i32.add
                              i32.store offset=34840
                              local.get 3
                              i32.const 16
                              i32.add
                              local.get 5
                              i32.ne
                              br_if 6 (;@7;)
                              i32.const 8
                              local.set 5
                              i32.const 0
                              local.set 25
                              br 2 (;@11;)
                            end
                            local.get 1
                            local.get 3
                            local.get 18
                            i32.const 33424
                            call 92
                            unreachable
                          end
                          call 41
                          i32.const 16
                          i32.const 8
                          call 42
                          local.tee 5
                          i32.eqz
                          br_if 2 (;@9;)
                          local.get 5
                          local.get 7
                          i64.store offset=8
                          local.get 5
                          local.get 19
                          i64.store
                          i32.const 16
                          local.set 18
                          i32.const 1
                          local.set 25
                          i32.const 0
                          local.set 1
                        end
                        local.get 0
                        local.set 3
                      end
                      block ;; label = @10
                        local.get 5
                        local.get 18
                        i32.add
                        local.tee 0
                        local.get 5
                        i32.ne
                        br_if 0 (;@10;)
                        local.get 3
                        local.set 0
                        br 2 (;@8;)
                      end
                      block ;; label = @10
                        local.get 0
                        local.get 5
                        i32.sub
                        i32.const 4
                        i32.shr_u
                        local.tee 0
                        i32.const 0
                        i32.load offset=34832
                        local.get 3
                        local.get 4
                        i32.add
                        local.tee 18
                        i32.sub
                        i32.le_u
                        br_if 0 (;@10;)
                        i32.const 34832
                        local.get 18
                        local.get 0
                        call 27
                      end
                      local.get 0
                      local.get 3
                      i32.add
                      local.tee 0
                      i32.const 4
                      i32.shl
                      local.set 18
                      block ;; label = @10
                        local.get 4
                        i32.const 4
                        i32.shl
                        local.tee 26
                        i32.eqz
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=34836
                        local.tee 27
                        local.get 18
                        i32.add
                        local.get 27
                        local.get 3
                        i32.const 4
                        i32.shl
                        i32.add
                        local.get 26
                        memory.copy
                      end
                      i32.const 0
                      i32.load offset=34840
                      local.tee 3
                      local.get 0
                      i32.eq
                      br_if 1 (;@8;)
                      local.get 1
                      br_if 1 (;@8;)
                      local.get 5
                      i64.load
                      local.set 7
                      i32.const 0
                      i32.load offset=34836
                      local.get 3
                      i32.const 4
                      i32.shl
                      local.tee 26
                      i32.add
                      local.tee 3
                      local.get 5
                      i64.load offset=8
                      i64.store offset=8
                      local.get 3
                      local.get 7
                      i64.store
                      i32.const 0
                      i32.const 0
                      i32.load offset=34840
                      i32.const 1
                      i32.add
                      i32.store offset=34840
                      local.get 26
                      i32.const 16
                      i32.add
                      local.get 18
                      i32.eq
                      local.get 25
                      i32.or
                      br_if 1 (;@8;)
                      local.get 5
                      i64.load offset=16
                      local.set 7
                      local.get 3
                      local.get 5
                      i64.load offset=24
                      i64.store offset=24
                      local.get 3
                      local.get 7
                      i64.store offset=16
                      i32.const 0
                      i32.const 0
                      i32.load offset=34840
                      i32.const 1
                      i32.add
                      i32.store offset=34840
                      br 1 (;@8;)
                    end
                    i32.const 8
                    i32.const 16
                    call 88
                    unreachable
                  end
                  local.get 1
                  br_if 0 (;@7;)
                  local.get 5
                  i32.const 16
                  i32.const 8
                  call 43
                end
                block ;; label = @7
                  local.get 0
                  i32.const 0
                  i32.load offset=34840
                  local.tee 5
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 4
                  i32.const 4
                  i32.shl
                  local.tee 1
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=34836
                  local.tee 3
                  local.get 5
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 3
                  local.get 0
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 1
                  memory.copy
                end
                local.get 5
                local.get 4
                i32.add
                local.set 0
              end
              i32.const 0
              local.get 0
              i32.store offset=34840
              i32.const 0
              i64.load offset=34000
              local.set 7
              i32.const 0
              local.get 19
              i64.store offset=34000
              i32.const 0
              i64.load offset=34008
              local.set 19
              i32.const 0
              local.get 7
              i64.store offset=34008
              i32.const 0
              local.get 19
              i64.store offset=34016
            end
            local.get 2
            i32.const 8495
            i32.add
            local.get 6
            local.get 20
            call 21
          end
          local.get 16
          i32.const 128
          i32.add
          local.tee 16
          local.get 8
          i32.ne
          br_if 0 (;@3;)
        end
      end
      i32.const 0
      i32.load8_u offset=34849
      local.set 0
      i32.const 0
      i32.const 0
      i32.store8 offset=34849
      block ;; label = @2
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        i32.const 8495
        i32.add
        call 87
      end
      local.get 2
      i32.const 8495
      i32.add
      local.get 6
      call 19
    end
    local.get 2
    i32.const 8496
    i32.add
    global.set 0
  )
  (func (;35;) (type 3)
    (local i32 i64 i64 i32 i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 0
      i32.const 15
      i32.add
      call 78
      local.set 1
      local.get 0
      i32.const 15
      i32.add
      i32.const 0
      call 75
      local.set 2
      i32.const 0
      i64.const 0
      i64.store offset=34976
      i32.const 0
      i64.const 0
      i64.store offset=34984
      i32.const 0
      i64.const 0
      i64.store offset=34944
      i32.const 0
      i64.const -1
      i64.store offset=34936
      i32.const 0
      local.get 2
      i64.const 65536
      local.get 2
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 3
      i32.store offset=35120
      i32.const 0
      i32.const 0
      local.get 3
      i32.const -24
      i32.add
      local.tee 4
      local.get 4
      local.get 3
      i32.gt_u
      select
      local.tee 3
      i32.const 1
      local.get 3
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      local.tee 2
      i64.store offset=34920
      i32.const 0
      local.get 2
      i64.const 1
      i64.shl
      local.tee 5
      i64.const 14600
      local.get 5
      i64.const 14600
      i64.gt_u
      select
      local.tee 5
      local.get 2
      i64.const 10
      i64.mul
      local.tee 2
      local.get 5
      local.get 2
      i64.lt_u
      select
      i64.store offset=34928
      i32.const 0
      i32.const 0
      i32.store8 offset=35130
      i32.const 0
      i32.const 0
      i32.store offset=34992
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34880
          i32.const 0
          i64.load offset=34872
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=35000
          br 1 (;@2;)
        end
        i32.const 0
        i64.const -1
        local.get 1
        i64.const 1025
        i64.add
        local.tee 2
        local.get 2
        local.get 1
        i64.lt_u
        select
        local.tee 2
        i64.store offset=35000
        local.get 2
        i32.const 0
        i64.load offset=35008
        i64.ge_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 15
        i32.add
        i32.const 0
        i32.load offset=35016
        i64.const 0
        local.get 2
        local.get 1
        i64.sub
        local.tee 5
        local.get 5
        local.get 2
        i64.gt_u
        select
        local.tee 5
        i64.const 4294967295
        local.get 5
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 73
        i32.const 255
        i32.and
        i32.const 7
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.get 2
        i64.store offset=35008
      end
      local.get 0
      i32.const 15
      i32.add
      local.get 1
      call 19
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;36;) (type 17) (result i32)
    i32.const 39264
  )
  (func (;37;) (type 10) (param i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 1
      i32.const 15
      i32.add
      call 78
      local.set 2
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=35161
        br_if 0 (;@2;)
        i32.const 0
        i32.const 1
        i32.store8 offset=35161
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=34844
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const 15
        i32.add
        local.get 2
        i32.const 0
        call 21
      end
      local.get 1
      i32.const 15
      i32.add
      local.get 2
      call 19
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;38;) (type 10) (param i32)
    (local i32 i64 i64 i32 i32 i64)
    global.get 0
    i32.const 304
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 1
      i32.const 303
      i32.add
      call 78
      local.set 2
      i32.const 0
      local.get 1
      i32.const 303
      i32.add
      i32.const 0
      call 75
      local.tee 3
      i64.const 65536
      local.get 3
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 4
      i32.store offset=35120
      i32.const 0
      i32.const 0
      local.get 4
      i32.const -24
      i32.add
      local.tee 5
      local.get 5
      local.get 4
      i32.gt_u
      select
      local.tee 4
      i32.const 1
      local.get 4
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      i64.store offset=34920
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    i32.const 1
                    i32.add
                    br_table 2 (;@6;) 0 (;@8;) 1 (;@7;) 4 (;@4;) 3 (;@5;) 7 (;@1;)
                  end
                  i32.const 0
                  i64.const -1
                  i64.store offset=35008
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        local.get 2
                        i32.const 0
                        i64.load offset=35000
                        local.tee 3
                        i64.lt_u
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.const -1
                        i64.store offset=35000
                        block ;; label = @11
                          i32.const 0
                          i32.load8_u offset=35130
                          i32.const 1
                          i32.ne
                          br_if 0 (;@11;)
                          i32.const 0
                          i64.load offset=34896
                          i64.const 0
                          i64.ne
                          br_if 8 (;@3;)
                        end
                        i32.const 0
                        i64.load offset=34880
                        local.tee 3
                        i32.const 0
                        i64.load offset=34872
                        i64.ne
                        br_if 1 (;@9;)
                        local.get 1
                        i32.const 152
                        i32.add
                        i32.const 33944
                        call 58
                        local.get 1
                        local.get 3
                        i64.store offset=8
                        local.get 1
                        i32.const 1
                        i32.store8 offset=143
                        local.get 1
                        local.get 1
                        i64.load offset=160
                        i64.store offset=16
                        local.get 1
                        local.get 1
                        i32.load offset=280
                        i32.store offset=136
                        local.get 1
                        local.get 1
                        i32.load16_u offset=284
                        i32.store16 offset=140
                        local.get 1
                        local.get 1
                        i32.load8_u offset=286
                        i32.store8 offset=142
                        local.get 1
                        local.get 1
                        i32.load8_u offset=288
                        i32.store8 offset=144
                        local.get 1
                        local.get 1
                        i64.load offset=168
                        i64.store offset=24
                        local.get 1
                        local.get 1
                        i64.load offset=176
                        i64.store offset=32
                        local.get 1
                        local.get 1
                        i64.load offset=184
                        i64.store offset=40
                        local.get 1
                        local.get 1
                        i64.load offset=192
                        i64.store offset=48
                        local.get 1
                        local.get 1
                        i64.load offset=200
                        i64.store offset=56
                        local.get 1
                        local.get 1
                        i64.load offset=208
                        i64.store offset=64
                        local.get 1
                        local.get 1
                        i64.load offset=216
                        i64.store offset=72
                        local.get 1
                        local.get 1
                        i64.load offset=272
                        i64.store offset=128
                        local.get 1
                        local.get 1
                        i64.load offset=264
                        i64.store offset=120
                        local.get 1
                        local.get 1
                        i64.load offset=256
                        i64.store offset=112
                        local.get 1
                        local.get 1
                        i64.load offset=248
                        i64.store offset=104
                        local.get 1
                        local.get 1
                        i64.load offset=240
                        i64.store offset=96
                        local.get 1
                        local.get 1
                        i64.load offset=232
                        i64.store offset=88
                        local.get 1
                        local.get 1
                        i64.load offset=224
                        i64.store offset=80
                        local.get 1
                        i32.const 152
                        i32.add
                        i32.const 0
                        i32.const 96
                        memory.fill
                        local.get 1
                        local.get 1
                        i32.const 8
                        i32.add
                        local.get 1
                        i32.const 152
                        i32.add
                        call 57
                        local.get 1
                        i32.const 303
                        i32.add
                        local.get 1
                        i32.load
                        local.get 1
                        i32.load offset=4
                        call 72
                        drop
                        br 2 (;@8;)
                      end
                      local.get 3
                      i64.const -1
                      i64.eq
                      br_if 7 (;@2;)
                      local.get 1
                      i32.const 303
                      i32.add
                      i32.const 0
                      i32.load offset=35016
                      i64.const 0
                      local.get 3
                      local.get 2
                      i64.sub
                      local.tee 6
                      local.get 6
                      local.get 3
                      i64.gt_u
                      select
                      local.tee 6
                      i64.const 4294967295
                      local.get 6
                      i64.const 4294967295
                      i64.lt_u
                      select
                      i32.wrap_i64
                      call 73
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 7 (;@2;)
                      i32.const 0
                      local.get 3
                      i64.store offset=35008
                      br 7 (;@2;)
                    end
                    i32.const 34920
                    i32.const 34856
                    i32.const 0
                    i32.load offset=34992
                    i32.eqz
                    call 59
                  end
                  i32.const 0
                  i32.const 0
                  i32.load offset=34992
                  i32.const 1
                  i32.add
                  i32.store offset=34992
                  i32.const 0
                  i32.const 0
                  i32.load offset=35124
                  i32.const 1
                  i32.add
                  i32.store offset=35124
                  br 4 (;@3;)
                end
                i32.const 0
                i64.const -1
                i64.store offset=34816
                block ;; label = @7
                  local.get 2
                  i32.const 0
                  i64.load offset=34808
                  local.tee 3
                  i64.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  i64.const -1
                  i64.store offset=34808
                  i32.const 0
                  i32.load offset=34844
                  i32.eqz
                  br_if 5 (;@2;)
                  local.get 1
                  i32.const 303
                  i32.add
                  local.get 2
                  i32.const 0
                  call 21
                  br 5 (;@2;)
                end
                local.get 3
                i64.const -1
                i64.eq
                br_if 4 (;@2;)
                local.get 1
                i32.const 303
                i32.add
                i32.const 0
                i32.load offset=34824
                i64.const 0
                local.get 3
                local.get 2
                i64.sub
                local.tee 6
                local.get 6
                local.get 3
                i64.gt_u
                select
                local.tee 6
                i64.const 4294967295
                local.get 6
                i64.const 4294967295
                i64.lt_u
                select
                i32.wrap_i64
                call 73
                i32.const 255
                i32.and
                i32.const 7
                i32.ne
                br_if 4 (;@2;)
                i32.const 0
                local.get 3
                i64.store offset=34816
                br 4 (;@2;)
              end
              i32.const 0
              i32.const 0
              i32.store8 offset=35130
              br 3 (;@2;)
            end
            i32.const 0
            i64.const -1
            i64.store offset=35048
            block ;; label = @5
              block ;; label = @6
                local.get 2
                i32.const 0
                i64.load offset=35040
                local.tee 3
                i64.lt_u
                local.tee 0
                br_if 0 (;@6;)
                i32.const 0
                i64.const -1
                i64.store offset=35040
                br 1 (;@5;)
              end
              local.get 3
              i64.const -1
              i64.eq
              br_if 0 (;@5;)
              local.get 1
              i32.const 303
              i32.add
              i32.const 0
              i32.load offset=35056
              i64.const 0
              local.get 3
              local.get 2
              i64.sub
              local.tee 6
              local.get 6
              local.get 3
              i64.gt_u
              select
              local.tee 6
              i64.const 4294967295
              local.get 6
              i64.const 4294967295
              i64.lt_u
              select
              i32.wrap_i64
              call 73
              i32.const 255
              i32.and
              i32.const 7
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              local.get 3
              i64.store offset=35048
            end
            i32.const 0
            local.get 0
            i32.const 0
            i32.load8_u offset=35130
            i32.and
            i32.store8 offset=35130
            br 2 (;@2;)
          end
          i32.const 0
          i64.const -1
          i64.store offset=35144
          block ;; label = @4
            local.get 2
            i32.const 0
            i64.load offset=35136
            local.tee 3
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2
            i32.store8 offset=35161
            i32.const 0
            i64.const -1
            i64.store offset=35136
            local.get 1
            i32.const 303
            i32.add
            call 71
            br 3 (;@1;)
          end
          local.get 3
          i64.const -1
          i64.eq
          br_if 2 (;@1;)
          local.get 1
          i32.const 303
          i32.add
          i32.const 0
          i32.load offset=35152
          i64.const 0
          local.get 3
          local.get 2
          i64.sub
          local.tee 2
          local.get 2
          local.get 3
          i64.gt_u
          select
          local.tee 2
          i64.const 4294967295
          local.get 2
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 73
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 2 (;@1;)
          i32.const 0
          local.get 3
          i64.store offset=35144
          br 2 (;@1;)
        end
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i64.load offset=34976
            local.tee 3
            i64.eqz
            i32.eqz
            br_if 0 (;@4;)
            i64.const 1000
            local.set 3
            br 1 (;@3;)
          end
          i32.const 0
          i64.load offset=34984
          local.tee 6
          i64.const 1
          local.get 6
          i64.const 1
          i64.gt_u
          select
          local.get 3
          i64.const 3
          i64.shr_u
          i64.add
          local.tee 3
          i64.const 200
          local.get 3
          i64.const 200
          i64.gt_u
          select
          local.set 3
        end
        i32.const 0
        i64.const -1
        local.get 3
        i32.const 0
        i32.load offset=34992
        local.tee 0
        i32.const 16
        local.get 0
        i32.const 16
        i32.lt_u
        select
        i64.extend_i32_u
        i64.shl
        local.tee 3
        i64.const 60000
        local.get 3
        i64.const 60000
        i64.lt_u
        select
        local.get 2
        i64.add
        i64.const 25
        i64.add
        local.tee 3
        local.get 3
        local.get 2
        i64.lt_u
        select
        local.tee 3
        i64.store offset=35000
        block ;; label = @3
          local.get 3
          i32.const 0
          i64.load offset=35008
          i64.ge_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 303
          i32.add
          i32.const 0
          i32.load offset=35016
          i64.const 0
          local.get 3
          local.get 2
          i64.sub
          local.tee 6
          local.get 6
          local.get 3
          i64.gt_u
          select
          local.tee 6
          i64.const 4294967295
          local.get 6
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 73
          i32.const 255
          i32.and
          i32.const 7
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          local.get 3
          i64.store offset=35008
        end
        i32.const 0
        i32.load offset=35124
        i32.const 12
        i32.le_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 303
        i32.add
        i32.const 1
        call 85
        i32.const 0
        i32.const 2
        i32.store8 offset=35161
        local.get 1
        i32.const 303
        i32.add
        call 71
        br 1 (;@1;)
      end
      local.get 1
      i32.const 303
      i32.add
      local.get 2
      call 19
    end
    local.get 1
    i32.const 304
    i32.add
    global.set 0
  )
  (func (;39;) (type 12) (param i32 i64)
    (local i32 i64 i64 i64 i64 i64 i32)
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
      i64.load offset=33944
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      local.get 2
      i32.const 15
      i32.add
      call 78
      local.set 3
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 0
                br_table 0 (;@6;) 1 (;@5;) 2 (;@4;) 0 (;@6;)
              end
              i32.const 0
              local.get 1
              i32.const 0
              i64.load offset=35024
              local.tee 4
              local.get 1
              local.get 4
              i64.gt_u
              select
              i64.store offset=35024
              br 3 (;@2;)
            end
            i32.const 0
            i32.load offset=35120
            local.set 0
            local.get 2
            i32.const 15
            i32.add
            call 22
            i32.const 0
            i64.load offset=33944
            i64.const 1
            i64.ne
            br_if 1 (;@3;)
            i32.const 0
            i64.load offset=33952
            i32.const 0
            i64.load offset=33976
            i64.ne
            br_if 1 (;@3;)
            i32.const 0
            i32.load8_u offset=34848
            i32.const 1
            i32.and
            br_if 1 (;@3;)
            i32.const 0
            i32.const 257
            i32.store16 offset=34848
            local.get 2
            i32.const 15
            i32.add
            call 76
            br 1 (;@3;)
          end
          local.get 2
          i32.const 15
          i32.add
          call 81
          local.set 1
          i32.const 0
          i32.const 1
          i32.store8 offset=35128
          i32.const 0
          local.get 1
          i32.const 0
          i64.load offset=35024
          local.tee 4
          local.get 1
          local.get 4
          i64.gt_u
          select
          i64.store offset=35024
          br 1 (;@2;)
        end
        i32.const 0
        local.get 2
        i32.const 15
        i32.add
        call 80
        local.tee 4
        i32.const 0
        i64.load offset=33992
        local.tee 1
        local.get 4
        local.get 1
        i64.gt_u
        select
        local.tee 5
        i64.store offset=33992
        block ;; label = @3
          i64.const 0
          i32.const 0
          i64.load offset=33984
          local.tee 1
          i32.const 0
          i64.load offset=33976
          local.tee 6
          i64.sub
          local.tee 7
          local.get 7
          local.get 1
          i64.gt_u
          select
          local.get 5
          i64.const 1
          i64.shr_u
          i64.ge_u
          br_if 0 (;@3;)
          i32.const 0
          i32.load8_u offset=34848
          i32.const 1
          i32.and
          br_if 0 (;@3;)
          i64.const -1
          local.get 6
          local.get 4
          i64.add
          local.tee 4
          local.get 4
          local.get 6
          i64.lt_u
          select
          i64.const -1
          local.get 1
          i32.const 0
          local.get 0
          i32.const -24
          i32.add
          local.tee 8
          local.get 8
          local.get 0
          i32.gt_u
          select
          local.tee 0
          i32.const 1
          local.get 0
          i32.const 1
          i32.gt_u
          select
          i64.extend_i32_u
          i64.const 1
          i64.shl
          i64.add
          local.tee 4
          local.get 4
          local.get 1
          i64.lt_u
          select
          i64.lt_u
          br_if 0 (;@3;)
          local.get 2
          i32.const 15
          i32.add
          local.get 3
          i32.const 0
          call 21
        end
        i32.const 0
        i32.load8_u offset=34849
        local.set 0
        i32.const 0
        i32.const 0
        i32.store8 offset=34849
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        i32.const 15
        i32.add
        call 87
      end
      local.get 2
      i32.const 15
      i32.add
      local.get 3
      call 19
    end
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;40;) (type 18) (param i32 i32)
    local.get 0
    local.get 1
    call 89
    return
  )
  (func (;41;) (type 3)
    return
  )
  (func (;42;) (type 0) (param i32 i32) (result i32)
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
        i32.load offset=47456
        local.tee 2
        br_if 0 (;@2;)
        i32.const 16
        local.get 3
        i32.shl
        local.set 2
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=47556
            local.tee 1
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=47552
            local.set 3
            br 1 (;@3;)
          end
          memory.size
          local.set 1
          i32.const 47568
          local.set 3
          i32.const 0
          i32.const 47568
          i32.store offset=47552
          i32.const 0
          local.get 1
          i32.const 16
          i32.shl
          local.tee 1
          i32.store offset=47556
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
          i32.store offset=47552
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
        i32.store offset=47556
        i32.const 0
        local.get 0
        i32.store offset=47552
        local.get 3
        return
      end
      local.get 1
      i32.const 47456
      i32.add
      local.get 2
      i32.load
      i32.store
    end
    local.get 2
  )
  (func (;43;) (type 15) (param i32 i32 i32)
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
      i32.load offset=47456
      i32.store
      local.get 1
      local.get 0
      i32.store offset=47456
    end
  )
  (func (;44;) (type 19) (param i32 i32 i32 i32) (result i32)
    i32.const 47456
    local.get 0
    local.get 2
    local.get 1
    local.get 3
    call 45
  )
  (func (;45;) (type 20) (param i32 i32 i32 i32 i32) (result i32)
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
          i32.const 47568
          local.set 7
          local.get 0
          i32.const 47568
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
  (func (;46;) (type 10) (param i32)
    unreachable
  )
  (func (;47;) (type 15) (param i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i32 i64)
    local.get 1
    local.get 1
    i64.load offset=48
    call 48
    local.set 3
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 1
              i32.load offset=12
              local.tee 4
              local.get 3
              i32.lt_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  local.get 4
                  local.get 3
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 1
                  i32.load offset=4
                  local.set 5
                  i32.const 0
                  local.set 6
                  block ;; label = @8
                    local.get 1
                    i32.load offset=8
                    local.tee 7
                    local.get 3
                    i32.add
                    local.tee 8
                    i32.const 0
                    local.get 1
                    i32.load
                    local.tee 9
                    local.get 8
                    local.get 9
                    i32.lt_u
                    select
                    i32.sub
                    local.tee 8
                    local.get 9
                    local.get 8
                    local.get 4
                    local.get 3
                    i32.sub
                    local.tee 10
                    i32.add
                    local.get 10
                    local.get 9
                    local.get 8
                    i32.sub
                    local.tee 11
                    i32.gt_u
                    local.tee 12
                    select
                    i32.eq
                    br_if 0 (;@8;)
                    local.get 11
                    local.get 10
                    local.get 11
                    local.get 10
                    i32.lt_u
                    select
                    i32.const 5
                    i32.shl
                    local.set 13
                    local.get 8
                    i32.const 5
                    i32.shl
                    local.get 5
                    i32.add
                    i32.const 24
                    i32.add
                    local.set 8
                    i32.const 0
                    local.set 6
                    loop ;; label = @9
                      local.get 8
                      i32.load8_u
                      i32.const 2
                      i32.eq
                      br_if 3 (;@6;)
                      local.get 8
                      i32.const 32
                      i32.add
                      local.set 8
                      local.get 6
                      i32.const 1
                      i32.add
                      local.set 6
                      local.get 13
                      i32.const -32
                      i32.add
                      local.tee 13
                      br_if 0 (;@9;)
                    end
                  end
                  local.get 10
                  local.get 11
                  i32.sub
                  i32.const 5
                  i32.shl
                  i32.const 0
                  local.get 12
                  select
                  local.tee 13
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 5
                  i32.const 24
                  i32.add
                  local.set 8
                  loop ;; label = @8
                    local.get 8
                    i32.load8_u
                    i32.const 2
                    i32.eq
                    br_if 2 (;@6;)
                    local.get 8
                    i32.const 32
                    i32.add
                    local.set 8
                    local.get 6
                    i32.const 1
                    i32.add
                    local.set 6
                    local.get 13
                    i32.const -32
                    i32.add
                    local.tee 13
                    br_if 0 (;@8;)
                  end
                end
                local.get 0
                i32.const 2
                i32.store8 offset=26
                return
              end
              local.get 6
              local.get 3
              i32.add
              local.tee 8
              local.get 4
              i32.ge_u
              br_if 1 (;@4;)
              local.get 1
              local.get 5
              local.get 8
              local.get 7
              i32.add
              local.tee 6
              i32.const 0
              local.get 9
              local.get 6
              local.get 9
              i32.lt_u
              select
              i32.sub
              i32.const 5
              i32.shl
              i32.add
              local.tee 6
              i64.load
              local.tee 14
              i64.store offset=48
              block ;; label = @6
                local.get 6
                i32.load offset=16
                local.tee 13
                local.get 2
                local.get 6
                i32.load8_u offset=26
                local.tee 10
                i32.add
                i32.gt_u
                br_if 0 (;@6;)
                local.get 7
                local.set 13
                br 5 (;@1;)
              end
              local.get 6
              i32.const 0
              i32.store8 offset=26
              local.get 6
              local.get 2
              i32.store offset=16
              local.get 8
              i32.const 1
              i32.add
              local.set 3
              local.get 2
              i64.extend_i32_u
              local.set 15
              local.get 6
              i32.load8_u offset=25
              local.set 11
              local.get 6
              i32.load8_u offset=24
              local.set 12
              local.get 6
              i32.load offset=20
              local.set 16
              local.get 6
              i64.load offset=8
              local.set 17
              local.get 4
              local.get 9
              i32.eq
              br_if 2 (;@3;)
              br 3 (;@2;)
            end
            local.get 3
            local.get 4
            local.get 4
            i32.const 33476
            call 92
            unreachable
          end
          i32.const 33492
          i32.const 20
          i32.const 33512
          call 100
          unreachable
        end
        local.get 1
        call 49
        local.get 1
        i32.load
        local.set 9
        local.get 1
        i32.load offset=8
        local.set 7
        local.get 1
        i32.load offset=12
        local.set 4
      end
      local.get 13
      local.get 2
      i32.sub
      local.set 2
      local.get 14
      local.get 15
      i64.add
      local.set 14
      block ;; label = @2
        block ;; label = @3
          local.get 4
          local.get 3
          i32.sub
          local.tee 6
          local.get 8
          i32.le_u
          br_if 0 (;@3;)
          local.get 1
          local.get 7
          i32.const -1
          i32.add
          local.tee 6
          local.get 9
          i32.add
          local.tee 13
          local.get 6
          local.get 13
          local.get 6
          i32.lt_u
          select
          local.tee 13
          i32.store offset=8
          local.get 9
          local.get 1
          i32.load offset=4
          local.tee 5
          local.get 7
          local.get 13
          local.get 3
          call 50
          local.get 5
          local.get 13
          local.get 3
          i32.add
          local.tee 6
          i32.const 0
          local.get 9
          local.get 6
          local.get 9
          i32.lt_u
          select
          i32.sub
          i32.const 5
          i32.shl
          i32.add
          local.set 6
          br 1 (;@2;)
        end
        local.get 9
        local.get 1
        i32.load offset=4
        local.tee 5
        local.get 7
        local.get 3
        i32.add
        local.tee 13
        i32.const 0
        local.get 9
        local.get 13
        local.get 9
        i32.lt_u
        select
        i32.sub
        local.tee 13
        local.get 8
        local.get 7
        i32.add
        i32.const 2
        i32.add
        local.tee 3
        i32.const 0
        local.get 9
        local.get 3
        local.get 9
        i32.lt_u
        select
        i32.sub
        local.get 6
        call 50
        local.get 5
        local.get 13
        i32.const 5
        i32.shl
        i32.add
        local.set 6
        local.get 7
        local.set 13
      end
      local.get 6
      local.get 10
      i32.store8 offset=26
      local.get 6
      local.get 11
      i32.store8 offset=25
      local.get 6
      local.get 12
      i32.store8 offset=24
      local.get 6
      local.get 16
      i32.store offset=20
      local.get 6
      local.get 2
      i32.store offset=16
      local.get 6
      local.get 17
      i64.store offset=8
      local.get 6
      local.get 14
      i64.store
      local.get 1
      local.get 4
      i32.const 1
      i32.add
      local.tee 6
      i32.store offset=12
      local.get 8
      local.get 6
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 2
      i32.store8 offset=26
      return
    end
    local.get 5
    local.get 13
    local.get 8
    i32.add
    local.tee 6
    i32.const 0
    local.get 9
    local.get 6
    local.get 9
    i32.lt_u
    select
    i32.sub
    i32.const 5
    i32.shl
    i32.add
    local.tee 6
    i64.load
    local.set 14
    local.get 6
    i64.load offset=8
    local.set 15
    local.get 6
    i64.load offset=16
    local.set 17
    local.get 0
    local.get 6
    i64.load offset=24
    i64.store offset=24
    local.get 0
    local.get 17
    i64.store offset=16
    local.get 0
    local.get 15
    i64.store offset=8
    local.get 0
    local.get 14
    i64.store
  )
  (func (;48;) (type 21) (param i32 i64) (result i32)
    (local i32 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 0
                i32.load offset=12
                local.tee 2
                br_if 0 (;@6;)
                i32.const 0
                local.set 3
                i32.const 0
                local.set 4
                br 1 (;@5;)
              end
              local.get 2
              local.get 0
              i32.load
              local.tee 3
              local.get 0
              i32.load offset=8
              local.tee 4
              i32.const 0
              local.get 3
              local.get 4
              local.get 3
              i32.lt_u
              select
              i32.sub
              local.tee 4
              i32.sub
              local.tee 3
              i32.gt_u
              br_if 1 (;@4;)
              local.get 4
              local.get 2
              i32.add
              local.set 3
            end
            local.get 3
            local.get 4
            i32.sub
            local.set 3
            local.get 0
            i32.load offset=4
            local.get 4
            i32.const 5
            i32.shl
            i32.add
            local.set 5
            br 1 (;@3;)
          end
          local.get 0
          i32.load offset=4
          local.tee 6
          i64.load
          local.get 6
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.get 1
          i64.le_u
          br_if 1 (;@2;)
          local.get 6
          local.get 4
          i32.const 5
          i32.shl
          i32.add
          local.set 5
        end
        i32.const 0
        local.set 0
        block ;; label = @3
          block ;; label = @4
            local.get 3
            br_table 3 (;@1;) 1 (;@3;) 0 (;@4;)
          end
          i32.const 0
          local.set 0
          loop ;; label = @4
            local.get 0
            local.get 3
            i32.const 1
            i32.shr_u
            local.tee 4
            local.get 0
            i32.add
            local.tee 2
            local.get 5
            local.get 2
            i32.const 5
            i32.shl
            i32.add
            local.tee 2
            i64.load
            local.get 2
            i32.const 16
            i32.add
            i64.load32_u
            i64.add
            local.get 1
            i64.gt_u
            select
            local.set 0
            local.get 3
            local.get 4
            i32.sub
            local.tee 3
            i32.const 1
            i32.gt_u
            br_if 0 (;@4;)
          end
        end
        local.get 0
        local.get 5
        local.get 0
        i32.const 5
        i32.shl
        i32.add
        local.tee 3
        i64.load
        local.get 3
        i32.const 16
        i32.add
        i64.load32_u
        i64.add
        local.get 1
        i64.le_u
        i32.add
        return
      end
      i32.const 1
      local.set 0
      block ;; label = @2
        local.get 2
        local.get 3
        i32.sub
        local.tee 4
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        local.set 0
        loop ;; label = @3
          local.get 0
          local.get 4
          i32.const 1
          i32.shr_u
          local.tee 2
          local.get 0
          i32.add
          local.tee 5
          local.get 6
          local.get 5
          i32.const 5
          i32.shl
          i32.add
          local.tee 5
          i64.load
          local.get 5
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.get 1
          i64.gt_u
          select
          local.set 0
          local.get 4
          local.get 2
          i32.sub
          local.tee 4
          i32.const 1
          i32.gt_u
          br_if 0 (;@3;)
        end
        local.get 0
        local.get 6
        local.get 0
        i32.const 5
        i32.shl
        i32.add
        local.tee 4
        i64.load
        local.get 4
        i32.const 16
        i32.add
        i64.load32_u
        i64.add
        local.get 1
        i64.le_u
        i32.add
        local.set 0
      end
      local.get 0
      local.get 3
      i32.add
      local.set 3
    end
    local.get 3
  )
  (func (;49;) (type 10) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.load
    local.set 1
    local.get 0
    call 63
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
          i32.const 5
          i32.shl
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.load offset=4
          local.tee 5
          local.get 1
          i32.const 5
          i32.shl
          i32.add
          local.get 5
          local.get 2
          i32.const 5
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
      i32.const 5
      i32.shl
      local.tee 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.tee 0
      local.get 1
      i32.const 5
      i32.shl
      i32.add
      local.get 0
      local.get 2
      memory.copy
    end
  )
  (func (;50;) (type 16) (param i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32)
    block ;; label = @1
      local.get 3
      local.get 2
      i32.eq
      br_if 0 (;@1;)
      local.get 4
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      local.get 2
      i32.sub
      local.tee 5
      local.get 0
      i32.add
      local.tee 6
      local.get 5
      local.get 6
      local.get 5
      i32.lt_u
      select
      local.set 7
      local.get 0
      local.get 3
      i32.sub
      local.set 5
      block ;; label = @2
        local.get 4
        local.get 0
        local.get 2
        i32.sub
        local.tee 6
        i32.gt_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 4
          local.get 5
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const 5
          i32.shl
          local.tee 4
          i32.eqz
          br_if 2 (;@1;)
          local.get 1
          local.get 3
          i32.const 5
          i32.shl
          i32.add
          local.get 1
          local.get 2
          i32.const 5
          i32.shl
          i32.add
          local.get 4
          memory.copy
          br 2 (;@1;)
        end
        block ;; label = @3
          local.get 7
          local.get 4
          i32.lt_u
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          i32.const 5
          i32.shl
          i32.add
          local.set 2
          block ;; label = @4
            local.get 5
            i32.const 5
            i32.shl
            local.tee 0
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            local.get 3
            i32.const 5
            i32.shl
            i32.add
            local.get 2
            local.get 0
            memory.copy
          end
          local.get 4
          local.get 5
          i32.sub
          i32.const 5
          i32.shl
          local.tee 4
          i32.eqz
          br_if 2 (;@1;)
          local.get 1
          local.get 2
          local.get 0
          i32.add
          local.get 4
          memory.copy
          return
        end
        local.get 5
        i32.const 5
        i32.shl
        local.set 0
        local.get 1
        local.get 2
        i32.const 5
        i32.shl
        i32.add
        local.set 2
        block ;; label = @3
          local.get 4
          local.get 5
          i32.sub
          i32.const 5
          i32.shl
          local.tee 4
          i32.eqz
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          local.get 0
          i32.add
          local.get 4
          memory.copy
        end
        local.get 0
        i32.eqz
        br_if 1 (;@1;)
        local.get 1
        local.get 3
        i32.const 5
        i32.shl
        i32.add
        local.get 2
        local.get 0
        memory.copy
        return
      end
      block ;; label = @2
        local.get 7
        local.get 4
        i32.lt_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 4
          local.get 5
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          local.get 3
          i32.const 5
          i32.shl
          i32.add
          local.set 3
          block ;; label = @4
            local.get 6
            i32.const 5
            i32.shl
            local.tee 0
            i32.eqz
            br_if 0 (;@4;)
            local.get 3
            local.get 1
            local.get 2
            i32.const 5
            i32.shl
            i32.add
            local.get 0
            memory.copy
          end
          local.get 4
          local.get 6
          i32.sub
          i32.const 5
          i32.shl
          local.tee 4
          i32.eqz
          br_if 2 (;@1;)
          local.get 3
          local.get 0
          i32.add
          local.get 1
          local.get 4
          memory.copy
          return
        end
        local.get 1
        local.get 3
        i32.const 5
        i32.shl
        i32.add
        local.set 3
        block ;; label = @3
          local.get 6
          i32.const 5
          i32.shl
          local.tee 0
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          local.get 1
          local.get 2
          i32.const 5
          i32.shl
          i32.add
          local.get 0
          memory.copy
        end
        block ;; label = @3
          local.get 5
          local.get 6
          i32.sub
          i32.const 5
          i32.shl
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          i32.add
          local.get 1
          local.get 2
          memory.copy
        end
        local.get 4
        local.get 5
        i32.sub
        i32.const 5
        i32.shl
        local.tee 4
        i32.eqz
        br_if 1 (;@1;)
        local.get 1
        local.get 1
        local.get 2
        i32.add
        local.get 4
        memory.copy
        return
      end
      block ;; label = @2
        local.get 4
        local.get 5
        i32.gt_u
        br_if 0 (;@2;)
        local.get 6
        i32.const 5
        i32.shl
        local.set 0
        local.get 1
        local.get 3
        i32.const 5
        i32.shl
        i32.add
        local.set 3
        block ;; label = @3
          local.get 4
          local.get 6
          i32.sub
          i32.const 5
          i32.shl
          local.tee 4
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          i32.add
          local.get 1
          local.get 4
          memory.copy
        end
        local.get 0
        i32.eqz
        br_if 1 (;@1;)
        local.get 3
        local.get 1
        local.get 2
        i32.const 5
        i32.shl
        i32.add
        local.get 0
        memory.copy
        return
      end
      local.get 6
      local.get 5
      i32.sub
      local.tee 8
      i32.const 5
      i32.shl
      local.set 7
      block ;; label = @2
        local.get 4
        local.get 6
        i32.sub
        i32.const 5
        i32.shl
        local.tee 4
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        local.get 7
        i32.add
        local.get 1
        local.get 4
        memory.copy
      end
      block ;; label = @2
        local.get 7
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        local.get 1
        local.get 0
        local.get 8
        i32.sub
        i32.const 5
        i32.shl
        i32.add
        local.get 7
        memory.copy
      end
      local.get 5
      i32.const 5
      i32.shl
      local.tee 4
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      local.get 3
      i32.const 5
      i32.shl
      i32.add
      local.get 1
      local.get 2
      i32.const 5
      i32.shl
      i32.add
      local.get 4
      memory.copy
      return
    end
  )
  (func (;51;) (type 13) (param i32 i32 i64)
    (local i32 i64 i32 i64 i64 i32 i32 i32 i32 i64 i32 i64 i64 i32)
    local.get 0
    i32.const 2
    i32.store8 offset=26
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.load offset=12
          local.tee 3
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          local.get 1
          i64.load offset=16
          local.tee 4
          local.get 2
          local.get 4
          i64.gt_u
          select
          i64.store offset=16
          br 1 (;@2;)
        end
        local.get 3
        i32.const -1
        i32.add
        local.set 5
        local.get 1
        i64.load offset=32
        local.set 6
        local.get 1
        i64.load offset=40
        local.set 7
        local.get 1
        i32.load offset=8
        local.set 8
        local.get 1
        i32.load offset=4
        local.set 9
        local.get 1
        i32.load
        local.set 10
        i32.const 1
        local.set 11
        block ;; label = @3
          loop ;; label = @4
            i64.const 0
            local.get 2
            local.get 9
            local.get 8
            i32.const 0
            local.get 10
            local.get 8
            local.get 10
            i32.lt_u
            select
            i32.sub
            i32.const 5
            i32.shl
            i32.add
            local.tee 3
            i64.load
            local.tee 12
            local.get 3
            i32.load offset=16
            local.tee 13
            i64.extend_i32_u
            i64.add
            local.tee 4
            local.get 2
            local.get 4
            i64.lt_u
            select
            local.tee 14
            local.get 12
            i64.sub
            local.tee 15
            local.get 15
            local.get 14
            i64.gt_u
            select
            local.set 14
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  local.get 3
                  i32.load8_u offset=24
                  local.tee 16
                  br_table 2 (;@5;) 0 (;@7;) 1 (;@6;) 2 (;@5;)
                end
                local.get 1
                local.get 6
                local.get 14
                i64.sub
                local.tee 6
                i64.store offset=32
                br 1 (;@5;)
              end
              local.get 1
              local.get 7
              local.get 14
              i64.sub
              local.tee 7
              i64.store offset=40
            end
            block ;; label = @5
              local.get 4
              local.get 2
              i64.gt_u
              br_if 0 (;@5;)
              local.get 1
              local.get 5
              i32.store offset=12
              local.get 0
              local.get 3
              i64.load
              i64.store
              local.get 0
              local.get 3
              i64.load offset=8
              i64.store offset=8
              local.get 0
              local.get 3
              i64.load offset=16
              i64.store offset=16
              local.get 0
              local.get 3
              i64.load offset=24
              i64.store offset=24
              local.get 1
              local.get 8
              i32.const 1
              i32.add
              local.tee 8
              i32.const 0
              local.get 10
              local.get 8
              local.get 10
              i32.lt_u
              select
              i32.sub
              local.tee 8
              i32.store offset=8
              local.get 11
              local.get 16
              i32.eqz
              local.get 3
              i32.load8_u offset=25
              i32.const 1
              i32.xor
              i32.and
              i32.and
              local.set 11
              local.get 5
              i32.const -1
              i32.add
              local.tee 5
              i32.const -1
              i32.ne
              br_if 1 (;@4;)
              br 2 (;@3;)
            end
          end
          local.get 3
          local.get 14
          local.get 12
          i64.add
          i64.store
          local.get 3
          local.get 13
          local.get 14
          i32.wrap_i64
          i32.sub
          i32.store offset=16
        end
        local.get 1
        local.get 2
        local.get 1
        i64.load offset=16
        local.tee 4
        local.get 2
        local.get 4
        i64.gt_u
        select
        i64.store offset=16
        local.get 0
        i32.load8_u offset=26
        i32.const 2
        i32.eq
        br_if 0 (;@2;)
        local.get 11
        i32.const 1
        i32.and
        br_if 1 (;@1;)
      end
      local.get 0
      i32.const 2
      i32.store8 offset=26
    end
  )
  (func (;52;) (type 18) (param i32 i32)
    (local i32 i32)
    local.get 0
    local.get 1
    i64.load
    local.get 1
    i64.load32_u offset=16
    i64.add
    i64.store offset=24
    block ;; label = @1
      local.get 0
      i32.load offset=12
      local.tee 2
      local.get 0
      i32.load
      local.tee 3
      i32.ne
      br_if 0 (;@1;)
      local.get 0
      call 49
      local.get 0
      i32.load
      local.set 3
      local.get 0
      i32.load offset=12
      local.set 2
    end
    local.get 0
    local.get 2
    i32.const 1
    i32.add
    i32.store offset=12
    local.get 0
    i32.load offset=4
    local.get 0
    i32.load offset=8
    local.get 2
    i32.add
    local.tee 0
    i32.const 0
    local.get 3
    local.get 0
    local.get 3
    i32.lt_u
    select
    i32.sub
    i32.const 5
    i32.shl
    i32.add
    local.tee 0
    local.get 1
    i64.load
    i64.store
    local.get 0
    local.get 1
    i64.load offset=8
    i64.store offset=8
    local.get 0
    local.get 1
    i64.load offset=16
    i64.store offset=16
    local.get 0
    local.get 1
    i64.load offset=24
    i64.store offset=24
  )
  (func (;53;) (type 22) (param i32 i64 i64) (result i64)
    (local i32 i32 i32 i32 i32 i32 i64 i64 i64)
    local.get 0
    local.get 1
    call 48
    local.set 3
    block ;; label = @1
      block ;; label = @2
        local.get 0
        i32.load offset=12
        local.tee 4
        local.get 3
        i32.lt_u
        br_if 0 (;@2;)
        i32.const 0
        local.set 5
        i32.const 0
        local.set 6
        i32.const 0
        local.set 7
        block ;; label = @3
          local.get 4
          local.get 3
          i32.eq
          br_if 0 (;@3;)
          i32.const 0
          local.set 7
          block ;; label = @4
            local.get 4
            local.get 3
            i32.sub
            local.tee 4
            local.get 0
            i32.load
            local.tee 6
            local.get 0
            i32.load offset=8
            local.get 3
            i32.add
            local.tee 3
            i32.const 0
            local.get 6
            local.get 3
            local.get 6
            i32.lt_u
            select
            i32.sub
            local.tee 5
            i32.sub
            local.tee 3
            i32.le_u
            br_if 0 (;@4;)
            local.get 4
            local.get 3
            i32.sub
            local.set 7
            br 1 (;@3;)
          end
          local.get 5
          local.get 4
          i32.add
          local.set 6
        end
        local.get 0
        i32.load offset=4
        local.tee 4
        local.get 7
        i32.const 5
        i32.shl
        i32.add
        local.set 8
        local.get 4
        local.get 6
        i32.const 5
        i32.shl
        i32.add
        local.set 7
        local.get 4
        local.get 5
        i32.const 5
        i32.shl
        i32.add
        local.set 6
        i64.const 0
        local.set 9
        loop ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 6
              local.get 7
              i32.eq
              br_if 0 (;@5;)
              local.get 6
              local.set 3
              br 1 (;@4;)
            end
            local.get 4
            local.get 8
            i32.eq
            local.set 5
            local.get 4
            local.set 3
            local.get 8
            local.set 7
            local.get 6
            local.set 8
            local.get 6
            local.set 4
            local.get 5
            br_if 3 (;@1;)
          end
          local.get 3
          i64.load
          local.tee 10
          local.get 3
          i64.load32_u offset=16
          local.tee 11
          i64.add
          local.get 2
          i64.gt_u
          br_if 2 (;@1;)
          local.get 3
          i32.const 32
          i32.add
          local.set 6
          local.get 10
          local.get 1
          i64.lt_u
          br_if 0 (;@3;)
          local.get 3
          i32.load8_u offset=24
          local.tee 5
          i32.const 1
          i32.eq
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 5
            i32.const 2
            i32.ne
            br_if 0 (;@4;)
            local.get 0
            local.get 0
            i64.load offset=40
            local.get 11
            i64.sub
            i64.store offset=40
            local.get 3
            i64.load32_u offset=16
            local.set 11
          end
          local.get 3
          i32.const 1
          i32.store8 offset=24
          local.get 0
          local.get 0
          i64.load offset=32
          local.get 11
          i64.add
          i64.store offset=32
          local.get 9
          local.get 3
          i64.load32_u offset=16
          i64.add
          local.set 9
          br 0 (;@3;)
        end
      end
      local.get 3
      local.get 4
      local.get 4
      i32.const 33476
      call 92
      unreachable
    end
    local.get 9
  )
  (func (;54;) (type 23) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i64 i64)
    block ;; label = @1
      local.get 0
      i64.load offset=32
      i64.eqz
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 0
    i32.load
    local.set 1
    i32.const 0
    local.set 2
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    i32.const 0
    local.set 5
    block ;; label = @1
      local.get 0
      i32.load offset=12
      local.tee 6
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 5
      block ;; label = @2
        local.get 6
        local.get 1
        local.get 0
        i32.load offset=8
        local.tee 7
        i32.const 0
        local.get 1
        local.get 7
        local.get 1
        i32.lt_u
        select
        i32.sub
        local.tee 3
        i32.sub
        local.tee 7
        i32.le_u
        br_if 0 (;@2;)
        local.get 6
        local.get 7
        i32.sub
        local.set 5
        local.get 1
        local.set 4
        br 1 (;@1;)
      end
      local.get 3
      local.get 6
      i32.add
      local.set 4
    end
    local.get 3
    i32.const 5
    i32.shl
    local.set 8
    i32.const 0
    local.get 5
    i32.const 5
    i32.shl
    local.tee 9
    i32.sub
    local.set 7
    local.get 4
    local.get 3
    i32.sub
    local.get 5
    i32.add
    local.set 5
    local.get 0
    i32.load offset=4
    local.tee 10
    local.get 9
    i32.add
    local.set 3
    local.get 10
    local.get 4
    i32.const 5
    i32.shl
    local.tee 11
    i32.add
    local.set 9
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          loop ;; label = @4
            block ;; label = @5
              local.get 7
              br_if 0 (;@5;)
              local.get 8
              local.get 11
              i32.sub
              local.set 7
              i32.const 0
              local.set 8
              i32.const 0
              local.set 3
              loop ;; label = @6
                local.get 7
                i32.eqz
                br_if 4 (;@2;)
                local.get 3
                i32.const 1
                i32.add
                local.set 3
                local.get 7
                i32.const 32
                i32.add
                local.set 7
                local.get 9
                i32.const -8
                i32.add
                local.set 4
                local.get 9
                i32.const -32
                i32.add
                local.set 9
                local.get 2
                local.get 4
                i32.load8_u
                i32.const 1
                i32.eq
                i32.add
                local.tee 2
                i32.const 3
                i32.ne
                br_if 0 (;@6;)
              end
              local.get 5
              local.get 3
              i32.sub
              local.set 5
              br 2 (;@3;)
            end
            local.get 7
            i32.const 32
            i32.add
            local.set 7
            local.get 5
            i32.const -1
            i32.add
            local.set 5
            local.get 3
            i32.const -8
            i32.add
            local.set 4
            local.get 3
            i32.const -32
            i32.add
            local.set 3
            local.get 2
            local.get 4
            i32.load8_u
            i32.const 1
            i32.eq
            i32.add
            local.tee 2
            i32.const 3
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 0
        local.get 0
        i64.load offset=56
        local.tee 12
        call 48
        local.set 7
        local.get 5
        local.get 6
        i32.ge_u
        br_if 1 (;@1;)
        i32.const 0
        local.set 8
        local.get 0
        local.get 10
        local.get 0
        i32.load offset=8
        local.tee 4
        local.get 5
        i32.add
        local.tee 2
        i32.const 0
        local.get 1
        local.get 2
        local.get 1
        i32.lt_u
        select
        i32.sub
        i32.const 5
        i32.shl
        i32.add
        i64.load
        local.tee 13
        local.get 12
        local.get 13
        local.get 12
        i64.gt_u
        select
        i64.store offset=56
        local.get 5
        local.get 7
        i32.le_u
        br_if 0 (;@2;)
        local.get 5
        local.get 7
        i32.sub
        local.set 3
        local.get 10
        local.get 7
        local.get 4
        i32.add
        local.tee 7
        i32.const 5
        i32.shl
        i32.add
        local.set 2
        local.get 0
        i64.load offset=48
        local.set 12
        local.get 0
        i64.load offset=40
        local.tee 14
        local.set 13
        loop ;; label = @3
          block ;; label = @4
            local.get 2
            i32.const 0
            local.get 1
            local.get 7
            local.get 1
            i32.lt_u
            select
            i32.const 5
            i32.shl
            i32.sub
            local.tee 5
            i32.const 25
            i32.add
            i32.load8_u
            br_if 0 (;@4;)
            local.get 5
            i32.const 24
            i32.add
            local.tee 4
            i32.load8_u
            br_if 0 (;@4;)
            local.get 4
            i32.const 2
            i32.store8
            local.get 0
            local.get 5
            i64.load
            local.tee 15
            local.get 12
            local.get 15
            local.get 12
            i64.lt_u
            select
            local.tee 12
            i64.store offset=48
            local.get 0
            local.get 13
            local.get 5
            i32.const 16
            i32.add
            i64.load32_u
            i64.add
            local.tee 13
            i64.store offset=40
          end
          local.get 7
          i32.const 1
          i32.add
          local.set 7
          local.get 2
          i32.const 32
          i32.add
          local.set 2
          local.get 3
          i32.const -1
          i32.add
          local.tee 3
          br_if 0 (;@3;)
        end
        local.get 13
        local.get 14
        i64.gt_u
        local.set 8
      end
      local.get 8
      return
    end
    i32.const 33492
    i32.const 20
    i32.const 33528
    call 100
    unreachable
  )
  (func (;55;) (type 24) (param i32 i64 i64 i32)
    (local i32 i32)
    block ;; label = @1
      local.get 0
      local.get 1
      call 48
      local.tee 4
      local.get 0
      i32.load offset=12
      i32.ge_u
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.get 0
      i32.load offset=8
      local.get 4
      i32.add
      local.tee 4
      i32.const 0
      local.get 0
      i32.load
      local.tee 5
      local.get 4
      local.get 5
      i32.lt_u
      select
      i32.sub
      i32.const 5
      i32.shl
      i32.add
      local.tee 4
      i32.load8_u offset=24
      i32.const 2
      i32.ne
      br_if 0 (;@1;)
      local.get 4
      local.get 3
      i32.store offset=20
      local.get 4
      local.get 2
      i64.store offset=8
      local.get 4
      i32.const 256
      i32.store16 offset=24
      local.get 0
      local.get 0
      i64.load offset=40
      local.get 4
      i64.load32_u offset=16
      local.tee 1
      i64.sub
      i64.store offset=40
      local.get 0
      local.get 1
      local.get 4
      i64.load
      i64.add
      i64.store offset=48
    end
  )
  (func (;56;) (type 15) (param i32 i32 i32)
    (local i32 i32 i32 i32 i64 i64 i32 i32 i32 i64 i32)
    global.get 0
    i32.const 144
    i32.sub
    local.tee 3
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 2
              i32.const 24
              i32.lt_u
              br_if 0 (;@5;)
              local.get 1
              i32.load8_s offset=1
              local.tee 4
              i32.const 0
              i32.lt_s
              br_if 2 (;@3;)
              local.get 1
              i32.load8_u
              i32.const 255
              i32.and
              i32.const 1
              i32.ne
              br_if 2 (;@3;)
              local.get 2
              local.get 4
              i32.const 3
              i32.shl
              i32.const 24
              i32.and
              local.tee 5
              local.get 4
              i32.const 2
              i32.shr_u
              i32.const 3
              i32.and
              local.tee 6
              i32.const 4
              i32.shl
              i32.add
              i32.const 24
              i32.add
              i32.lt_u
              br_if 2 (;@3;)
              local.get 1
              i64.load align=1
              local.set 7
              local.get 3
              i64.const 0
              i64.store offset=16
              local.get 3
              i64.const 0
              i64.store offset=24
              local.get 3
              i64.const 0
              i64.store offset=32
              local.get 3
              i64.const 0
              i64.store offset=40
              local.get 3
              i64.const 0
              i64.store offset=48
              local.get 3
              i64.const 0
              i64.store offset=56
              local.get 3
              i64.const 0
              i64.store offset=72
              local.get 3
              i64.const 0
              i64.store offset=80
              local.get 3
              i64.const 0
              i64.store offset=88
              local.get 3
              i64.const 0
              i64.store offset=96
              local.get 3
              i64.const 0
              i64.store offset=104
              local.get 3
              i64.const 0
              i64.store offset=112
              local.get 3
              local.get 4
              i32.const 63
              i32.gt_u
              i32.store8 offset=136
              local.get 3
              local.get 4
              i32.const 5
              i32.shr_u
              i32.const 1
              i32.and
              i32.store8 offset=135
              local.get 3
              local.get 4
              i32.const 4
              i32.shr_u
              i32.const 1
              i32.and
              i32.store8 offset=134
              local.get 3
              local.get 7
              i64.const 16
              i64.shr_u
              i64.store16 offset=132
              local.get 3
              local.get 7
              i64.const 32
              i64.shr_u
              i64.store32 offset=128
              local.get 3
              local.get 1
              i64.load offset=16 align=1
              local.tee 8
              i64.store offset=8
              local.get 3
              local.get 1
              i64.load offset=8 align=1
              local.tee 7
              i64.store
              local.get 3
              i32.const 0
              i32.store offset=120
              local.get 3
              i32.const 0
              i32.store offset=64
              local.get 7
              i64.const 4611686018427387904
              i64.gt_u
              br_if 1 (;@4;)
              local.get 8
              i64.const 4611686018427387904
              i64.gt_u
              br_if 1 (;@4;)
              local.get 1
              i32.const 24
              i32.add
              local.set 9
              block ;; label = @6
                local.get 5
                i32.eqz
                br_if 0 (;@6;)
                local.get 3
                i32.const 16
                i32.add
                local.set 10
                i32.const 0
                local.set 1
                i32.const 0
                local.get 4
                i32.const 3
                i32.and
                i32.const 3
                i32.shl
                i32.sub
                local.set 11
                local.get 9
                local.set 4
                loop ;; label = @7
                  local.get 4
                  i64.load align=1
                  local.tee 7
                  i64.const 4294967295
                  i64.and
                  local.tee 12
                  local.get 7
                  i64.const 32
                  i64.shr_u
                  local.tee 7
                  i64.ge_u
                  br_if 3 (;@4;)
                  i32.const 0
                  local.set 13
                  block ;; label = @8
                    local.get 1
                    i32.const 2
                    i32.gt_u
                    br_if 0 (;@8;)
                    local.get 10
                    local.get 1
                    i32.const 4
                    i32.shl
                    i32.add
                    local.tee 1
                    local.get 12
                    local.get 8
                    i64.add
                    i64.store
                    local.get 1
                    local.get 7
                    local.get 8
                    i64.add
                    i64.store offset=8
                    i32.const 1
                    local.set 13
                    local.get 3
                    i32.load offset=64
                    local.set 1
                  end
                  local.get 4
                  i32.const 8
                  i32.add
                  local.set 4
                  local.get 3
                  local.get 1
                  local.get 13
                  i32.add
                  local.tee 1
                  i32.store offset=64
                  local.get 11
                  i32.const 8
                  i32.add
                  local.tee 11
                  br_if 0 (;@7;)
                end
              end
              local.get 6
              i32.eqz
              br_if 3 (;@2;)
              local.get 2
              local.get 5
              i32.sub
              i32.const -24
              i32.add
              i32.const -16
              i32.and
              local.tee 4
              i32.eqz
              br_if 3 (;@2;)
              local.get 3
              i32.const 72
              i32.add
              local.set 11
              local.get 9
              local.get 5
              i32.add
              local.set 2
              i32.const 0
              local.set 13
              block ;; label = @6
                local.get 3
                i32.load offset=120
                local.tee 1
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 1
                i32.const 4
                i32.shl
                i32.add
                local.tee 1
                local.get 2
                i64.load offset=8 align=1
                i64.store
                local.get 1
                local.get 2
                i64.load align=1
                i64.store offset=8
                i32.const 1
                local.set 13
                local.get 3
                i32.load offset=120
                local.set 1
              end
              local.get 3
              local.get 1
              local.get 13
              i32.add
              i32.store offset=120
              local.get 6
              i32.const 1
              i32.eq
              br_if 3 (;@2;)
              local.get 4
              i32.const 16
              i32.eq
              br_if 3 (;@2;)
              i32.const 0
              local.set 13
              block ;; label = @6
                local.get 3
                i32.load offset=120
                local.tee 1
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 1
                i32.const 4
                i32.shl
                i32.add
                local.tee 1
                local.get 2
                i64.load offset=24 align=1
                i64.store
                local.get 1
                local.get 2
                i64.load offset=16 align=1
                i64.store offset=8
                i32.const 1
                local.set 13
                local.get 3
                i32.load offset=120
                local.set 1
              end
              local.get 3
              local.get 1
              local.get 13
              i32.add
              i32.store offset=120
              local.get 6
              i32.const 2
              i32.eq
              br_if 3 (;@2;)
              local.get 4
              i32.const 32
              i32.eq
              br_if 3 (;@2;)
              i32.const 0
              local.set 4
              block ;; label = @6
                local.get 3
                i32.load offset=120
                local.tee 1
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 1
                i32.const 4
                i32.shl
                i32.add
                local.tee 1
                local.get 2
                i64.load offset=40 align=1
                i64.store
                local.get 1
                local.get 2
                i64.load offset=32 align=1
                i64.store offset=8
                i32.const 1
                local.set 4
                local.get 3
                i32.load offset=120
                local.set 1
              end
              local.get 3
              local.get 1
              local.get 4
              i32.add
              i32.store offset=120
              br 3 (;@2;)
            end
            local.get 0
            i32.const 2
            i32.store8 offset=136
            br 3 (;@1;)
          end
          local.get 0
          i32.const 2
          i32.store8 offset=136
          br 2 (;@1;)
        end
        local.get 0
        i32.const 2
        i32.store8 offset=136
        br 1 (;@1;)
      end
      local.get 0
      local.get 3
      i32.const 144
      memory.copy
    end
    local.get 3
    i32.const 144
    i32.add
    global.set 0
  )
  (func (;57;) (type 15) (param i32 i32 i32)
    (local i64 i32 i32 i32 i32)
    local.get 2
    i32.const 1
    i32.store8
    local.get 2
    local.get 1
    i32.load16_u offset=132
    i32.store16 offset=2 align=1
    local.get 2
    local.get 1
    i32.load offset=128
    i32.store offset=4 align=1
    local.get 2
    local.get 1
    i64.load
    i64.store offset=8 align=1
    local.get 2
    local.get 1
    i64.load offset=8
    local.tee 3
    i64.store offset=16 align=1
    local.get 2
    local.get 1
    i32.load offset=120
    local.tee 4
    i32.const 2
    i32.shl
    local.get 1
    i32.load offset=64
    local.tee 5
    i32.or
    local.get 1
    i32.load8_u offset=134
    i32.const 4
    i32.shl
    i32.or
    local.get 1
    i32.load8_u offset=135
    i32.const 5
    i32.shl
    i32.or
    local.get 1
    i32.load8_u offset=136
    i32.const 6
    i32.shl
    i32.or
    i32.store8 offset=1
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 5
          i32.const 3
          i32.shl
          local.tee 6
          i32.const 73
          i32.ge_u
          br_if 0 (;@3;)
          local.get 5
          i32.const 4
          i32.ge_u
          br_if 1 (;@2;)
          local.get 5
          i32.eqz
          br_if 2 (;@1;)
          local.get 2
          local.get 1
          i64.load offset=16
          local.get 3
          i64.sub
          i64.store32 offset=24 align=1
          local.get 2
          local.get 1
          i64.load offset=24
          local.get 3
          i64.sub
          i64.store32 offset=28 align=1
          local.get 5
          i32.const 1
          i32.eq
          br_if 2 (;@1;)
          local.get 2
          local.get 1
          i64.load offset=32
          local.get 3
          i64.sub
          i64.store32 offset=32 align=1
          local.get 2
          local.get 1
          i64.load offset=40
          local.get 3
          i64.sub
          i64.store32 offset=36 align=1
          local.get 5
          i32.const 2
          i32.eq
          br_if 2 (;@1;)
          local.get 2
          local.get 1
          i64.load offset=48
          local.get 3
          i64.sub
          i64.store32 offset=40 align=1
          local.get 2
          local.get 1
          i64.load offset=56
          local.get 3
          i64.sub
          i64.store32 offset=44 align=1
          br 2 (;@1;)
        end
        i32.const 33592
        i32.const 19
        i32.const 33560
        call 93
        unreachable
      end
      i32.const 0
      local.get 5
      i32.const 3
      i32.const 33544
      call 92
      unreachable
    end
    block ;; label = @1
      block ;; label = @2
        local.get 4
        i32.const 4
        i32.ge_u
        br_if 0 (;@2;)
        block ;; label = @3
          i32.const 72
          local.get 6
          i32.sub
          i32.const 4
          i32.shr_u
          local.tee 5
          local.get 4
          local.get 5
          local.get 4
          i32.lt_u
          select
          local.tee 7
          i32.eqz
          br_if 0 (;@3;)
          local.get 2
          i32.const 24
          i32.add
          local.get 6
          i32.add
          local.tee 5
          local.get 1
          i64.load offset=72
          i64.store offset=8 align=1
          local.get 5
          local.get 1
          i64.load offset=80
          i64.store align=1
          local.get 7
          i32.const 1
          i32.eq
          br_if 0 (;@3;)
          local.get 5
          local.get 1
          i64.load offset=88
          i64.store offset=24 align=1
          local.get 5
          local.get 1
          i64.load offset=96
          i64.store offset=16 align=1
          local.get 7
          i32.const 2
          i32.eq
          br_if 0 (;@3;)
          local.get 5
          local.get 1
          i64.load offset=104
          i64.store offset=40 align=1
          local.get 5
          local.get 1
          i64.load offset=112
          i64.store offset=32 align=1
        end
        local.get 6
        local.get 4
        i32.const 4
        i32.shl
        i32.add
        i32.const 24
        i32.add
        local.tee 1
        i32.const 97
        i32.ge_u
        br_if 1 (;@1;)
        local.get 0
        local.get 1
        i32.store offset=4
        local.get 0
        local.get 2
        i32.store
        return
      end
      i32.const 0
      local.get 4
      i32.const 3
      i32.const 33544
      call 92
      unreachable
    end
    i32.const 0
    local.get 1
    i32.const 96
    i32.const 33576
    call 92
    unreachable
  )
  (func (;58;) (type 18) (param i32 i32)
    (local i64 i64)
    local.get 0
    i64.const 0
    i64.store offset=16
    local.get 0
    i64.const 0
    i64.store offset=24
    local.get 0
    i64.const 0
    i64.store offset=32
    local.get 0
    i64.const 0
    i64.store offset=40
    local.get 0
    i64.const 0
    i64.store offset=48
    local.get 0
    i64.const 0
    i64.store offset=56
    local.get 0
    i64.const 0
    i64.store offset=72
    local.get 0
    i64.const 0
    i64.store offset=80
    local.get 0
    i64.const 0
    i64.store offset=88
    local.get 0
    i64.const 0
    i64.store offset=96
    local.get 0
    i64.const 0
    i64.store offset=104
    local.get 0
    i64.const 0
    i64.store offset=112
    local.get 0
    i64.const 0
    i64.store
    local.get 0
    local.get 1
    i64.load offset=32
    local.tee 2
    local.get 1
    i64.load8_u offset=904
    i64.add
    i64.store offset=8
    local.get 0
    i64.const 0
    local.get 1
    i64.load offset=40
    local.tee 3
    local.get 2
    i64.sub
    local.tee 2
    local.get 2
    local.get 3
    i64.gt_u
    select
    local.tee 2
    i64.const 4294967295
    local.get 2
    i64.const 4294967295
    i64.lt_u
    select
    i64.store32 offset=128
    local.get 0
    i32.const 0
    i32.store8 offset=136
    local.get 0
    i32.const 0
    i32.store offset=132
    local.get 0
    i32.const 0
    i32.store offset=64
    local.get 0
    i32.const 0
    i32.store offset=120
  )
  (func (;59;) (type 15) (param i32 i32 i32)
    (local i64 i64 i32 i32 i32 i32 i32 i64)
    block ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i64.const 0
      i64.store offset=24
      local.get 0
      local.get 0
      i64.load
      i64.const 1
      i64.shl
      local.tee 3
      local.get 1
      i64.load offset=24
      local.get 1
      i64.load offset=16
      i64.sub
      i64.const 1
      i64.shr_u
      local.tee 4
      local.get 3
      local.get 4
      i64.gt_u
      select
      i64.store offset=16
    end
    block ;; label = @1
      local.get 1
      i32.load offset=12
      local.tee 5
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      i32.load offset=4
      local.get 1
      i32.load offset=8
      local.tee 2
      i32.const 5
      i32.shl
      i32.add
      local.set 6
      local.get 1
      i64.load offset=48
      local.set 3
      local.get 1
      i64.load offset=40
      local.set 4
      local.get 1
      i32.load
      local.set 7
      loop ;; label = @2
        block ;; label = @3
          local.get 6
          i32.const 0
          local.get 7
          local.get 2
          local.get 7
          i32.lt_u
          select
          i32.const 5
          i32.shl
          i32.sub
          local.tee 8
          i32.const 24
          i32.add
          local.tee 9
          i32.load8_u
          br_if 0 (;@3;)
          local.get 9
          i32.const 2
          i32.store8
          local.get 1
          local.get 8
          i64.load
          local.tee 10
          local.get 3
          local.get 10
          local.get 3
          i64.lt_u
          select
          local.tee 3
          i64.store offset=48
          local.get 1
          local.get 4
          local.get 8
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.tee 4
          i64.store offset=40
        end
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        local.get 6
        i32.const 32
        i32.add
        local.set 6
        local.get 5
        i32.const -1
        i32.add
        local.tee 5
        br_if 0 (;@2;)
      end
    end
    local.get 0
    i32.const 2
    i32.store8 offset=52
    local.get 0
    i32.const 0
    i32.store offset=48
    local.get 0
    i32.const 0
    i32.store8 offset=54
    local.get 0
    i64.const 0
    i64.store offset=32
    local.get 0
    local.get 1
    i64.load offset=24
    local.tee 3
    i64.store offset=40
    local.get 0
    local.get 0
    i64.load
    i64.store offset=8
    local.get 1
    local.get 3
    local.get 1
    i64.load offset=56
    local.tee 4
    local.get 3
    local.get 4
    i64.gt_u
    select
    i64.store offset=56
  )
  (func (;60;) (type 25) (param i32 i32 i64 i64)
    (local i32 i64 i32)
    local.get 0
    i32.const 0
    i32.store offset=48
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    i32.load8_u offset=52
                    local.tee 4
                    i32.eqz
                    br_if 0 (;@8;)
                    local.get 1
                    i64.load offset=16
                    local.tee 5
                    local.get 0
                    i64.load offset=40
                    i64.lt_u
                    br_if 1 (;@7;)
                    block ;; label = @9
                      local.get 4
                      i32.const 1
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 0
                      local.get 0
                      i64.load
                      local.tee 2
                      i64.const 1
                      i64.shl
                      local.tee 3
                      local.get 2
                      local.get 1
                      i64.load offset=24
                      local.get 5
                      i64.sub
                      local.tee 5
                      local.get 2
                      local.get 5
                      i64.gt_u
                      select
                      local.get 2
                      i64.add
                      local.tee 2
                      local.get 0
                      i64.load offset=16
                      local.tee 5
                      local.get 2
                      local.get 5
                      i64.lt_u
                      select
                      local.tee 2
                      local.get 3
                      local.get 2
                      i64.gt_u
                      select
                      i64.store offset=8
                    end
                    local.get 0
                    i32.const 0
                    i32.store8 offset=54
                    local.get 0
                    i64.const 0
                    i64.store offset=32
                    local.get 0
                    i32.const 0
                    i32.store8 offset=52
                    return
                  end
                  local.get 0
                  i64.const 0
                  i64.store offset=32
                  local.get 3
                  i64.const 1
                  i64.shl
                  local.get 0
                  i64.load offset=8
                  local.tee 3
                  i64.lt_u
                  br_if 6 (;@1;)
                  local.get 0
                  i64.load
                  local.set 5
                  local.get 3
                  local.get 0
                  i64.load offset=16
                  i64.lt_u
                  br_if 1 (;@6;)
                  local.get 0
                  local.get 0
                  i64.load offset=24
                  local.get 2
                  i64.add
                  local.tee 2
                  i64.store offset=24
                  local.get 2
                  local.get 3
                  i64.lt_u
                  br_if 6 (;@1;)
                  local.get 0
                  local.get 2
                  local.get 3
                  i64.sub
                  i64.store offset=24
                  local.get 3
                  local.get 5
                  i64.add
                  local.set 2
                  br 5 (;@2;)
                end
                block ;; label = @7
                  block ;; label = @8
                    local.get 4
                    i32.const 2
                    i32.eq
                    br_if 0 (;@8;)
                    local.get 0
                    i32.load8_u offset=53
                    i32.eqz
                    br_if 1 (;@7;)
                    local.get 1
                    call 54
                    drop
                    return
                  end
                  local.get 3
                  i64.const 1
                  i64.shl
                  local.get 0
                  i64.load offset=8
                  local.tee 3
                  i64.lt_u
                  br_if 4 (;@3;)
                  local.get 0
                  i64.load
                  local.set 5
                  local.get 3
                  local.get 0
                  i64.load offset=16
                  i64.lt_u
                  br_if 2 (;@5;)
                  local.get 0
                  local.get 0
                  i64.load offset=24
                  local.get 2
                  i64.add
                  local.tee 2
                  i64.store offset=24
                  local.get 2
                  local.get 3
                  i64.lt_u
                  br_if 4 (;@3;)
                  local.get 0
                  local.get 2
                  local.get 3
                  i64.sub
                  i64.store offset=24
                  br 3 (;@4;)
                end
                local.get 0
                i64.const 0
                local.get 0
                i64.load offset=32
                local.tee 3
                local.get 2
                i64.sub
                local.tee 5
                local.get 5
                local.get 3
                i64.gt_u
                select
                local.tee 3
                i64.store offset=32
                block ;; label = @7
                  local.get 2
                  local.get 0
                  i64.load
                  local.tee 5
                  i64.lt_u
                  br_if 0 (;@7;)
                  local.get 0
                  local.get 5
                  local.get 3
                  i64.add
                  i64.store offset=32
                end
                block ;; label = @7
                  local.get 1
                  i32.load offset=12
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 1
                  i32.load offset=4
                  local.get 1
                  i32.load offset=8
                  local.tee 4
                  i32.const 0
                  local.get 1
                  i32.load
                  local.tee 6
                  local.get 4
                  local.get 6
                  i32.lt_u
                  select
                  i32.sub
                  i32.const 5
                  i32.shl
                  i32.add
                  local.tee 4
                  i32.load8_u offset=24
                  br_if 0 (;@7;)
                  local.get 4
                  i32.const 2
                  i32.store8 offset=24
                  local.get 1
                  local.get 1
                  i64.load offset=40
                  local.get 4
                  i64.load32_u offset=16
                  i64.add
                  i64.store offset=40
                  local.get 1
                  local.get 4
                  i64.load
                  local.tee 2
                  local.get 1
                  i64.load offset=48
                  local.tee 3
                  local.get 2
                  local.get 3
                  i64.lt_u
                  select
                  i64.store offset=48
                end
                local.get 0
                i32.const 1
                i32.store8 offset=54
                return
              end
              local.get 5
              i64.const 1
              i64.shl
              local.tee 5
              local.get 2
              local.get 5
              local.get 2
              i64.lt_u
              select
              local.get 3
              i64.add
              local.set 2
              br 3 (;@2;)
            end
            local.get 5
            local.get 2
            local.get 5
            local.get 2
            i64.lt_u
            select
            local.set 5
          end
          local.get 0
          local.get 3
          local.get 5
          i64.add
          i64.store offset=8
        end
        return
      end
      local.get 0
      local.get 2
      i64.store offset=8
    end
    local.get 0
    local.get 1
    call 61
  )
  (func (;61;) (type 18) (param i32 i32)
    (local i32 i64 i64 i32 i64 i64)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            i32.load8_u offset=53
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
            local.get 1
            call 54
            local.set 2
            local.get 0
            i32.load8_u offset=52
            br_if 3 (;@1;)
            local.get 1
            i64.load offset=16
            local.tee 3
            local.get 0
            i64.load offset=40
            i64.lt_u
            br_if 3 (;@1;)
            local.get 1
            i64.load offset=24
            local.tee 4
            local.get 3
            i64.eq
            br_if 3 (;@1;)
            local.get 2
            br_if 2 (;@2;)
            br 1 (;@3;)
          end
          local.get 0
          i32.load8_u offset=52
          br_if 2 (;@1;)
          local.get 1
          i64.load offset=16
          local.tee 3
          local.get 0
          i64.load offset=40
          i64.lt_u
          br_if 2 (;@1;)
          local.get 1
          i64.load offset=24
          local.tee 4
          local.get 3
          i64.eq
          br_if 2 (;@1;)
        end
        local.get 0
        i32.load offset=48
        i32.const 3
        i32.lt_u
        br_if 1 (;@1;)
      end
      block ;; label = @2
        local.get 1
        i32.load offset=12
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.load offset=4
        local.get 1
        i32.load offset=8
        local.tee 2
        i32.const 0
        local.get 1
        i32.load
        local.tee 5
        local.get 2
        local.get 5
        i32.lt_u
        select
        i32.sub
        i32.const 5
        i32.shl
        i32.add
        local.tee 2
        i32.load8_u offset=24
        br_if 0 (;@2;)
        local.get 2
        i32.const 2
        i32.store8 offset=24
        local.get 1
        local.get 1
        i64.load offset=40
        local.get 2
        i64.load32_u offset=16
        i64.add
        i64.store offset=40
        local.get 1
        local.get 2
        i64.load
        local.tee 6
        local.get 1
        i64.load offset=48
        local.tee 7
        local.get 6
        local.get 7
        i64.lt_u
        select
        i64.store offset=48
      end
      local.get 0
      local.get 4
      i64.store offset=40
      local.get 0
      i64.const 0
      i64.store offset=24
      local.get 0
      i32.const 1
      i32.store8 offset=54
      local.get 0
      i32.const 1
      i32.store8 offset=52
      local.get 0
      local.get 0
      i64.load
      i64.const 1
      i64.shl
      local.tee 6
      local.get 4
      local.get 3
      i64.sub
      i64.const 1
      i64.shr_u
      local.tee 3
      local.get 6
      local.get 3
      i64.gt_u
      select
      local.tee 3
      i64.store offset=16
      local.get 0
      local.get 3
      i64.store offset=8
      return
    end
  )
  (func (;62;) (type 26) (param i32 i32 i32 i64)
    (local i64)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 0
          i32.load8_u offset=53
          i32.const 1
          i32.ne
          br_if 0 (;@3;)
          local.get 3
          i64.eqz
          br_if 2 (;@1;)
          local.get 0
          local.get 0
          i32.load offset=48
          i32.const 1
          i32.add
          i32.store offset=48
          br 1 (;@2;)
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
        local.get 0
        local.get 0
        i32.load offset=48
        i32.const 1
        i32.add
        i32.store offset=48
        local.get 0
        i32.load8_u offset=52
        i32.const 2
        i32.eq
        br_if 0 (;@2;)
        local.get 0
        local.get 1
        i64.load offset=24
        local.get 1
        i64.load offset=16
        i64.sub
        local.tee 3
        local.get 0
        i64.load
        local.get 0
        i64.load offset=32
        i64.add
        local.tee 4
        local.get 3
        local.get 4
        i64.lt_u
        select
        i64.store offset=32
      end
      local.get 0
      local.get 1
      call 61
    end
  )
  (func (;63;) (type 10) (param i32)
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
    call 64
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
      call 88
      unreachable
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;64;) (type 15) (param i32 i32 i32)
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
    call 65
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
  (func (;65;) (type 27) (param i32 i32 i32 i32)
    block ;; label = @1
      local.get 3
      i32.const 134217727
      i32.gt_u
      br_if 0 (;@1;)
      local.get 3
      i32.const 5
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
          i32.const 5
          i32.shl
          i32.const 8
          local.get 3
          call 44
          local.set 1
          br 1 (;@2;)
        end
        call 41
        local.get 3
        i32.const 8
        call 42
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
  (func (;66;) (type 18) (param i32 i32)
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
  (func (;67;) (type 18) (param i32 i32)
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
  (func (;68;) (type 18) (param i32 i32)
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
      i32.const 33620
      call 92
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
  (func (;69;) (type 28) (param i32 i64 i64) (result i32)
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
              i32.const 33652
              call 92
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
      i32.const 33604
      call 92
      unreachable
    end
    i32.const 33668
    i32.const 43
    i32.const 33636
    call 93
    unreachable
  )
  (func (;70;) (type 29) (param i32 i32 i32 i32 i64 i64 i64)
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
  (func (;71;) (type 10) (param i32)
    call 1
  )
  (func (;72;) (type 1) (param i32 i32 i32) (result i32)
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
  (func (;73;) (type 1) (param i32 i32 i32) (result i32)
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
  (func (;74;) (type 10) (param i32)
    call 4
  )
  (func (;75;) (type 4) (param i32 i32) (result i64)
    local.get 1
    call 5
  )
  (func (;76;) (type 10) (param i32)
    call 6
  )
  (func (;77;) (type 30) (param i32 i64 i64 i64 i32) (result i32)
    (local i32)
    i32.const 7
    local.set 5
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      local.get 4
      call 7
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
  (func (;78;) (type 5) (param i32) (result i64)
    call 8
  )
  (func (;79;) (type 21) (param i32 i64) (result i32)
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
  (func (;80;) (type 5) (param i32) (result i64)
    call 10
  )
  (func (;81;) (type 5) (param i32) (result i64)
    call 11
  )
  (func (;82;) (type 31) (param i32 i32 i32 i32 i64 i64)
    block ;; label = @1
      local.get 2
      local.get 3
      local.get 4
      local.get 5
      call 12
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
  (func (;83;) (type 0) (param i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 2
    block ;; label = @1
      local.get 1
      call 13
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
  (func (;84;) (type 0) (param i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 2
    block ;; label = @1
      local.get 1
      call 14
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
  (func (;85;) (type 18) (param i32 i32)
    local.get 1
    call 15
  )
  (func (;86;) (type 19) (param i32 i32 i32 i32) (result i32)
    (local i32 i64)
    i32.const 7
    local.set 4
    block ;; label = @1
      local.get 1
      local.get 2
      local.get 3
      call 16
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
  (func (;87;) (type 10) (param i32)
    call 17
  )
  (func (;88;) (type 18) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      call 90
      unreachable
    end
    call 91
    unreachable
  )
  (func (;89;) (type 18) (param i32 i32)
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
    i32.const 33352
    local.get 2
    i32.const 8
    i32.add
    i32.const 0
    i32.const 33692
    call 101
    unreachable
  )
  (func (;90;) (type 18) (param i32 i32)
    local.get 1
    local.get 0
    call 40
    unreachable
  )
  (func (;91;) (type 3)
    i32.const 33708
    i32.const 35
    i32.const 33728
    call 93
    unreachable
  )
  (func (;92;) (type 27) (param i32 i32 i32 i32)
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
          call 93
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
        call 93
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
      call 93
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
    call 93
    unreachable
  )
  (func (;93;) (type 15) (param i32 i32 i32)
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
    call 46
    unreachable
  )
  (func (;94;) (type 0) (param i32 i32) (result i32)
    local.get 1
    local.get 0
    i32.load
    local.get 0
    i32.load offset=4
    call 98
  )
  (func (;95;) (type 32) (param i32 i32 i32 i32 i32 i32) (result i32)
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
          call 96
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
            call 97
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
          call 97
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
      call 97
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
  (func (;96;) (type 0) (param i32 i32) (result i32)
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
  (func (;97;) (type 20) (param i32 i32 i32 i32 i32) (result i32)
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
  (func (;98;) (type 1) (param i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        local.get 0
        i32.load offset=8
        local.tee 3
        i32.const 402653184
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  local.get 3
                  i32.const 268435456
                  i32.and
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 0
                  i32.load16_u offset=14
                  local.tee 4
                  br_if 1 (;@6;)
                  i32.const 0
                  local.set 2
                  br 2 (;@5;)
                end
                block ;; label = @7
                  local.get 2
                  i32.const 16
                  i32.lt_u
                  br_if 0 (;@7;)
                  local.get 1
                  local.get 2
                  call 96
                  local.set 5
                  br 4 (;@3;)
                end
                block ;; label = @7
                  local.get 2
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 5
                  br 4 (;@3;)
                end
                local.get 2
                i32.const 3
                i32.and
                local.set 6
                i32.const 0
                local.set 7
                i32.const 0
                local.set 5
                block ;; label = @7
                  local.get 2
                  i32.const 4
                  i32.lt_u
                  br_if 0 (;@7;)
                  local.get 2
                  i32.const 12
                  i32.and
                  local.set 4
                  i32.const 0
                  local.set 5
                  i32.const 0
                  local.set 7
                  loop ;; label = @8
                    local.get 5
                    local.get 1
                    local.get 7
                    i32.add
                    local.tee 8
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 8
                    i32.const 1
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 8
                    i32.const 2
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 8
                    i32.const 3
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.set 5
                    local.get 4
                    local.get 7
                    i32.const 4
                    i32.add
                    local.tee 7
                    i32.ne
                    br_if 0 (;@8;)
                  end
                  local.get 6
                  i32.eqz
                  br_if 4 (;@3;)
                end
                local.get 1
                local.get 7
                i32.add
                local.set 8
                loop ;; label = @7
                  local.get 5
                  local.get 8
                  i32.load8_s
                  i32.const -65
                  i32.gt_s
                  i32.add
                  local.set 5
                  local.get 8
                  i32.const 1
                  i32.add
                  local.set 8
                  local.get 6
                  i32.const -1
                  i32.add
                  local.tee 6
                  br_if 0 (;@7;)
                  br 4 (;@3;)
                end
              end
              local.get 1
              local.get 2
              i32.add
              local.set 7
              i32.const 0
              local.set 2
              local.get 1
              local.set 8
              local.get 4
              local.set 6
              loop ;; label = @6
                local.get 8
                local.tee 5
                local.get 7
                i32.eq
                br_if 2 (;@4;)
                block ;; label = @7
                  block ;; label = @8
                    local.get 5
                    i32.load8_s
                    local.tee 8
                    i32.const -1
                    i32.le_s
                    br_if 0 (;@8;)
                    local.get 5
                    i32.const 1
                    i32.add
                    local.set 8
                    br 1 (;@7;)
                  end
                  block ;; label = @8
                    local.get 8
                    i32.const -32
                    i32.ge_u
                    br_if 0 (;@8;)
                    local.get 5
                    i32.const 2
                    i32.add
                    local.set 8
                    br 1 (;@7;)
                  end
                  local.get 5
                  i32.const 4
                  i32.const 3
                  local.get 8
                  i32.const -17
                  i32.gt_u
                  select
                  i32.add
                  local.set 8
                end
                local.get 8
                local.get 5
                i32.sub
                local.get 2
                i32.add
                local.set 2
                local.get 6
                i32.const -1
                i32.add
                local.tee 6
                br_if 0 (;@6;)
              end
            end
            i32.const 0
            local.set 6
          end
          local.get 4
          local.get 6
          i32.sub
          local.set 5
        end
        local.get 5
        local.get 0
        i32.load16_u offset=12
        local.tee 8
        i32.ge_u
        br_if 0 (;@2;)
        local.get 8
        local.get 5
        i32.sub
        local.set 9
        i32.const 0
        local.set 5
        i32.const 0
        local.set 4
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 3
              i32.const 29
              i32.shr_u
              i32.const 3
              i32.and
              br_table 2 (;@3;) 0 (;@5;) 1 (;@4;) 2 (;@3;) 2 (;@3;)
            end
            local.get 9
            local.set 4
            br 1 (;@3;)
          end
          local.get 9
          i32.const 65534
          i32.and
          i32.const 1
          i32.shr_u
          local.set 4
        end
        local.get 3
        i32.const 2097151
        i32.and
        local.set 7
        local.get 0
        i32.load offset=4
        local.set 6
        local.get 0
        i32.load
        local.set 0
        block ;; label = @3
          loop ;; label = @4
            local.get 5
            i32.const 65535
            i32.and
            local.get 4
            i32.const 65535
            i32.and
            i32.ge_u
            br_if 1 (;@3;)
            i32.const 1
            local.set 8
            local.get 5
            i32.const 1
            i32.add
            local.set 5
            local.get 0
            local.get 7
            local.get 6
            i32.load offset=16
            call_indirect (type 0)
            br_if 3 (;@1;)
            br 0 (;@4;)
          end
        end
        i32.const 1
        local.set 8
        local.get 0
        local.get 1
        local.get 2
        local.get 6
        i32.load offset=12
        call_indirect (type 1)
        br_if 1 (;@1;)
        i32.const 0
        local.set 5
        local.get 9
        local.get 4
        i32.sub
        i32.const 65535
        i32.and
        local.set 2
        loop ;; label = @3
          local.get 5
          i32.const 65535
          i32.and
          local.tee 4
          local.get 2
          i32.lt_u
          local.set 8
          local.get 4
          local.get 2
          i32.ge_u
          br_if 2 (;@1;)
          local.get 5
          i32.const 1
          i32.add
          local.set 5
          local.get 0
          local.get 7
          local.get 6
          i32.load offset=16
          call_indirect (type 0)
          br_if 2 (;@1;)
          br 0 (;@3;)
        end
      end
      local.get 0
      i32.load
      local.get 1
      local.get 2
      local.get 0
      i32.load offset=4
      i32.load offset=12
      call_indirect (type 1)
      local.set 8
    end
    local.get 8
  )
  (func (;99;) (type 0) (param i32 i32) (result i32)
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
        i32.load16_u offset=33744 align=1
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
        i32.load16_u offset=33744 align=1
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
      i32.load16_u offset=33744 align=1
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
      i32.load8_u offset=33745
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
    call 95
    local.set 3
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 3
  )
  (func (;100;) (type 15) (param i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 3
    global.set 0
    local.get 3
    local.get 1
    i32.store offset=4
    local.get 3
    local.get 0
    i32.store
    local.get 3
    i32.const 2
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 3
    i64.extend_i32_u
    i64.or
    i64.store offset=8
    i32.const 32918
    local.get 3
    i32.const 8
    i32.add
    local.get 2
    call 93
    unreachable
  )
  (func (;101;) (type 27) (param i32 i32 i32 i32)
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
    call 46
    unreachable
  )
  (data (;0;) (i32.const 32768) "\16slice index starts at \c0\0d but ends at \c0\00\12range start index \c0\22 out of range for slice of length \c0\00\10range end index \c0\22 out of range for slice of length \c0\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs\00tcp/src/segment.rs\00/tng/transports/stp/abi/src/receipts.rs\00tcp/src/receiver.rs\00tcp/src/scoreboard.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/collections/vec_deque/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/alloc.rs\00\15memory allocation of \c0\0d bytes failed\00\00\00\98\80\00\00O\00\00\00\fc\03\00\003\00\00\00\e8\80\00\00\12\00\00\00*\00\00\00\14\00\00\00#\81\00\00\13\00\00\00\ab\00\00\00#\00\00\00index out of bounds\00M\81\00\00^\00\00\00\7f\09\00\00\09\00\00\00\98\80\00\00O\00\00\00\07\04\00\007\00\00\00Out of bounds access7\81\00\00\15\00\00\00\c3\00\00\00\22\00\00\007\81\00\00\15\00\00\00\9d\00\00\000\00\00\00\e8\80\00\00\12\00\00\00*\00\00\00\14\00\00\00\e8\80\00\00\12\00\00\00\93\00\00\00.\00\00\00\e8\80\00\00\12\00\00\00\9b\00\00\00\0e\00\00\00mid > len\00\00\00\98\80\00\00O\00\00\00\07\04\00\007\00\00\00\fb\80\00\00'\00\00\00G\00\00\00\14\00\00\00\fb\80\00\00'\00\00\00?\00\00\00\15\00\00\00\fb\80\00\00'\00\00\00\1a\00\00\00 \00\00\00dest is out of bounds\00\00\00\fd\81\00\00J\00\00\00)\02\00\00\09\00\00\00capacity overflow\00\00\00\ac\81\00\00P\00\00\00\1c\00\00\00\05\00\00\0000010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899")
  (data (;1;) (i32.const 33944) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
