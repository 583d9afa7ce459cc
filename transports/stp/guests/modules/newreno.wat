(module
  (type (;0;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;1;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32 i32 i32) (result i64)))
  (type (;5;) (func (param i32) (result i64)))
  (type (;6;) (func (result i64)))
  (type (;7;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;8;) (func (param i64) (result i64)))
  (type (;9;) (func (param i32)))
  (type (;10;) (func (param i64)))
  (type (;11;) (func (param i64) (result i32)))
  (type (;12;) (func (param i32 i32 i32 i32)))
  (type (;13;) (func (param i32 i32 i32 i32 i32)))
  (type (;14;) (func (param i32 i32 i32)))
  (type (;15;) (func (param i32 i64)))
  (type (;16;) (func (param i64 i32)))
  (type (;17;) (func (param i32 i32)))
  (type (;18;) (func (param i32 i32 i32) (result i32)))
  (type (;19;) (func (result i32)))
  (type (;20;) (func (param i32) (result i32)))
  (import "tng" "net_resend" (func (;0;) (type 0) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "net_send" (func (;1;) (type 1) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "timer_reset" (func (;2;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "proto_done" (func (;3;) (type 3)))
  (import "tng" "net_sendack" (func (;4;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "so_append" (func (;5;) (type 4) (param i32 i32 i32) (result i64)))
  (import "tng" "seg_free" (func (;6;) (type 5) (param i32) (result i64)))
  (import "tng" "so_room" (func (;7;) (type 6) (result i64)))
  (import "tng" "gettick" (func (;8;) (type 6) (result i64)))
  (import "tng" "route" (func (;9;) (type 5) (param i32) (result i64)))
  (import "tng" "so_sent" (func (;10;) (type 6) (result i64)))
  (import "tng" "so_connected" (func (;11;) (type 3)))
  (import "tng" "ack_sum" (func (;12;) (type 7) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "so_drop" (func (;13;) (type 8) (param i64) (result i64)))
  (import "tng" "so_end" (func (;14;) (type 3)))
  (import "tng" "seg_keep" (func (;15;) (type 5) (param i32) (result i64)))
  (import "tng" "so_wakeup" (func (;16;) (type 3)))
  (import "tng" "so_error" (func (;17;) (type 9) (param i32)))
  (table (;0;) 1 1 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 55680)
  (global (;2;) i32 i32.const 55672)
  (export "memory" (memory 0))
  (export "__heap_base" (global 1))
  (export "abi" (func 35))
  (export "abort" (func 36))
  (export "accept" (func 37))
  (export "area" (func 38))
  (export "attach" (func 39))
  (export "call" (func 40))
  (export "input" (func 41))
  (export "path_changed" (func 45))
  (export "ring" (func 46))
  (export "shutdown" (func 47))
  (export "timer" (func 48))
  (export "usrreq" (func 50))
  (export "connect" (func 37))
  (export "__data_end" (global 2))
  (func (;18;) (type 10) (param i64)
    (local i32 i32 i32 i64 i64 i32 i32 i32 i32 i32 i64 i32 i64 i64 i64 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 288
    i32.sub
    local.tee 1
    global.set 0
    i32.const 0
    i32.load8_u offset=34113
    local.set 2
    block ;; label = @1
      i32.const 0
      i32.load offset=34104
      i32.eqz
      br_if 0 (;@1;)
      i32.const 1
      local.set 3
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34114
        br_if 0 (;@2;)
        i64.const 0
        i64.const -1
        local.get 0
        i64.const 5
        i64.add
        local.tee 4
        local.get 4
        local.get 0
        i64.lt_u
        select
        local.tee 5
        local.get 0
        i64.sub
        local.tee 4
        local.get 4
        local.get 5
        i64.gt_u
        select
        local.tee 4
        i64.const 4294967295
        local.get 4
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        local.set 6
        local.get 1
        i32.const 184
        i32.add
        local.set 7
        local.get 1
        i32.const 16
        i32.add
        i32.const 96
        i32.add
        local.set 8
        local.get 1
        i32.const 56
        i32.add
        local.set 9
        local.get 0
        i32.wrap_i64
        local.set 10
        loop ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              i32.const 0
                              i64.load offset=33936
                              i64.eqz
                              i32.eqz
                              br_if 0 (;@13;)
                              block ;; label = @14
                                i32.const 0
                                i64.load offset=33920
                                local.tee 4
                                i32.const 0
                                i64.load offset=34008
                                local.tee 11
                                i64.lt_u
                                local.tee 12
                                br_if 0 (;@14;)
                                i32.const 0
                                i32.load8_u offset=34112
                                i32.const 1
                                i32.ne
                                br_if 9 (;@5;)
                                i32.const 0
                                i32.load8_u offset=34113
                                i32.const 1
                                i32.and
                                br_if 9 (;@5;)
                              end
                              i64.const 0
                              i32.const 0
                              i64.load offset=34016
                              local.tee 13
                              local.get 4
                              i64.sub
                              local.tee 14
                              local.get 14
                              local.get 13
                              i64.gt_u
                              select
                              local.tee 15
                              i64.const 0
                              local.get 11
                              local.get 4
                              i64.sub
                              local.tee 13
                              local.get 13
                              local.get 11
                              i64.gt_u
                              select
                              local.tee 14
                              local.get 15
                              local.get 14
                              i64.lt_u
                              select
                              local.set 16
                              i32.const 0
                              i64.load offset=33912
                              local.set 17
                              block ;; label = @14
                                local.get 15
                                local.get 14
                                i32.const 0
                                i32.const 0
                                i32.load offset=34104
                                local.tee 3
                                i32.const -24
                                i32.add
                                local.tee 18
                                local.get 18
                                local.get 3
                                i32.gt_u
                                select
                                local.tee 18
                                i32.const 1
                                local.get 18
                                i32.const 1
                                i32.gt_u
                                select
                                i64.extend_i32_u
                                local.tee 13
                                local.get 14
                                local.get 13
                                i64.lt_u
                                select
                                i64.ge_u
                                br_if 0 (;@14;)
                                local.get 4
                                local.get 17
                                i64.ne
                                br_if 2 (;@12;)
                              end
                              block ;; label = @14
                                block ;; label = @15
                                  local.get 16
                                  local.get 13
                                  i64.ge_u
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  i32.load8_u offset=34112
                                  i32.const 1
                                  i32.and
                                  i32.eqz
                                  br_if 1 (;@14;)
                                end
                                local.get 4
                                local.get 11
                                i64.ge_u
                                br_if 8 (;@6;)
                                local.get 16
                                i64.eqz
                                i32.eqz
                                br_if 8 (;@6;)
                                br 9 (;@5;)
                              end
                              local.get 4
                              local.get 11
                              i64.ge_u
                              br_if 7 (;@6;)
                              local.get 16
                              i64.eqz
                              i32.const 0
                              i32.load offset=33908
                              i32.const 63
                              i32.gt_u
                              i32.or
                              br_if 8 (;@5;)
                              br 7 (;@6;)
                            end
                            i32.const 0
                            i32.load offset=34104
                            local.set 19
                            i32.const 0
                            i64.load offset=33944
                            call 19
                            local.set 20
                            i32.const 0
                            i32.load offset=33908
                            local.tee 21
                            local.get 20
                            i32.lt_u
                            br_if 1 (;@11;)
                            local.get 21
                            local.get 20
                            i32.eq
                            br_if 7 (;@5;)
                            i32.const 0
                            i32.load offset=33900
                            local.set 22
                            i32.const 0
                            local.set 3
                            block ;; label = @13
                              block ;; label = @14
                                i32.const 0
                                i32.load offset=33904
                                local.tee 23
                                local.get 20
                                i32.add
                                local.tee 18
                                i32.const 0
                                i32.const 0
                                i32.load offset=33896
                                local.tee 24
                                local.get 18
                                local.get 24
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 18
                                local.get 24
                                local.get 18
                                local.get 21
                                local.get 20
                                i32.sub
                                local.tee 25
                                i32.add
                                local.get 25
                                local.get 24
                                local.get 18
                                i32.sub
                                local.tee 26
                                i32.gt_u
                                local.tee 27
                                select
                                i32.eq
                                br_if 0 (;@14;)
                                local.get 22
                                local.get 18
                                i32.const 5
                                i32.shl
                                i32.add
                                i32.const 24
                                i32.add
                                local.set 18
                                local.get 26
                                local.get 25
                                local.get 26
                                local.get 25
                                i32.lt_u
                                select
                                i32.const 5
                                i32.shl
                                local.set 12
                                i32.const 0
                                local.set 3
                                loop ;; label = @15
                                  local.get 18
                                  i32.load8_u
                                  i32.const 2
                                  i32.eq
                                  br_if 2 (;@13;)
                                  local.get 18
                                  i32.const 32
                                  i32.add
                                  local.set 18
                                  local.get 3
                                  i32.const 1
                                  i32.add
                                  local.set 3
                                  local.get 12
                                  i32.const -32
                                  i32.add
                                  local.tee 12
                                  br_if 0 (;@15;)
                                end
                              end
                              local.get 25
                              local.get 26
                              i32.sub
                              i32.const 5
                              i32.shl
                              i32.const 0
                              local.get 27
                              select
                              local.tee 12
                              i32.eqz
                              br_if 8 (;@5;)
                              local.get 22
                              i32.const 24
                              i32.add
                              local.set 18
                              loop ;; label = @14
                                local.get 18
                                i32.load8_u
                                i32.const 2
                                i32.eq
                                br_if 1 (;@13;)
                                local.get 18
                                i32.const 32
                                i32.add
                                local.set 18
                                local.get 3
                                i32.const 1
                                i32.add
                                local.set 3
                                local.get 12
                                i32.const -32
                                i32.add
                                local.tee 12
                                br_if 0 (;@14;)
                                br 9 (;@5;)
                              end
                            end
                            local.get 3
                            local.get 20
                            i32.add
                            local.tee 12
                            local.get 21
                            i32.ge_u
                            br_if 2 (;@10;)
                            i32.const 0
                            local.get 22
                            local.get 12
                            local.get 23
                            i32.add
                            local.tee 18
                            i32.const 0
                            local.get 24
                            local.get 18
                            local.get 24
                            i32.lt_u
                            select
                            i32.sub
                            i32.const 5
                            i32.shl
                            i32.add
                            local.tee 3
                            i64.load
                            local.tee 4
                            i64.store offset=33944
                            local.get 3
                            i32.load offset=16
                            local.tee 25
                            i32.const 0
                            local.get 19
                            i32.const -24
                            i32.add
                            local.tee 20
                            local.get 20
                            local.get 19
                            i32.gt_u
                            select
                            local.tee 20
                            i32.const 1
                            local.get 20
                            i32.const 1
                            i32.gt_u
                            select
                            local.tee 20
                            local.get 3
                            i32.load8_u offset=26
                            local.tee 26
                            i32.add
                            i32.le_u
                            br_if 5 (;@7;)
                            local.get 3
                            i32.const 0
                            i32.store8 offset=26
                            local.get 3
                            local.get 20
                            i32.store offset=16
                            local.get 12
                            i32.const 1
                            i32.add
                            local.set 18
                            local.get 20
                            i64.extend_i32_u
                            local.set 11
                            local.get 3
                            i32.load8_u offset=25
                            local.set 19
                            local.get 3
                            i32.load8_u offset=24
                            local.set 27
                            local.get 3
                            i32.load offset=20
                            local.set 28
                            local.get 3
                            i64.load offset=8
                            local.set 13
                            local.get 21
                            local.get 24
                            i32.eq
                            br_if 3 (;@9;)
                            br 4 (;@8;)
                          end
                          local.get 12
                          i32.eqz
                          br_if 5 (;@6;)
                          br 6 (;@5;)
                        end
                        local.get 20
                        local.get 21
                        local.get 21
                        i32.const 33548
                        call 20
                        unreachable
                      end
                      call 21
                      unreachable
                    end
                    call 22
                    i32.const 0
                    i32.load offset=33896
                    local.set 24
                    i32.const 0
                    i32.load offset=33904
                    local.set 23
                    i32.const 0
                    i32.load offset=33908
                    local.set 21
                  end
                  local.get 25
                  local.get 20
                  i32.sub
                  local.set 25
                  local.get 4
                  local.get 11
                  i64.add
                  local.set 4
                  block ;; label = @8
                    block ;; label = @9
                      local.get 21
                      local.get 18
                      i32.sub
                      local.tee 3
                      local.get 12
                      i32.le_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 23
                      i32.const -1
                      i32.add
                      local.tee 3
                      local.get 24
                      i32.add
                      local.tee 20
                      local.get 3
                      local.get 20
                      local.get 3
                      i32.lt_u
                      select
                      local.tee 20
                      i32.store offset=33904
                      local.get 24
                      i32.const 0
                      i32.load offset=33900
                      local.tee 22
                      local.get 23
                      local.get 20
                      local.get 18
                      call 23
                      local.get 22
                      local.get 20
                      local.get 18
                      i32.add
                      local.tee 3
                      i32.const 0
                      local.get 24
                      local.get 3
                      local.get 24
                      i32.lt_u
                      select
                      i32.sub
                      i32.const 5
                      i32.shl
                      i32.add
                      local.set 3
                      br 1 (;@8;)
                    end
                    local.get 24
                    i32.const 0
                    i32.load offset=33900
                    local.tee 22
                    local.get 23
                    local.get 18
                    i32.add
                    local.tee 18
                    i32.const 0
                    local.get 24
                    local.get 18
                    local.get 24
                    i32.lt_u
                    select
                    i32.sub
                    local.tee 18
                    local.get 12
                    local.get 23
                    i32.add
                    i32.const 2
                    i32.add
                    local.tee 20
                    i32.const 0
                    local.get 24
                    local.get 20
                    local.get 24
                    i32.lt_u
                    select
                    i32.sub
                    local.get 3
                    call 23
                    local.get 22
                    local.get 18
                    i32.const 5
                    i32.shl
                    i32.add
                    local.set 3
                    local.get 23
                    local.set 20
                  end
                  local.get 3
                  local.get 26
                  i32.store8 offset=26
                  local.get 3
                  local.get 19
                  i32.store8 offset=25
                  local.get 3
                  local.get 27
                  i32.store8 offset=24
                  local.get 3
                  local.get 28
                  i32.store offset=20
                  local.get 3
                  local.get 25
                  i32.store offset=16
                  local.get 3
                  local.get 13
                  i64.store offset=8
                  local.get 3
                  local.get 4
                  i64.store
                  i32.const 0
                  local.get 21
                  i32.const 1
                  i32.add
                  local.tee 3
                  i32.store offset=33908
                  local.get 12
                  local.get 3
                  i32.ge_u
                  br_if 2 (;@5;)
                  local.get 20
                  local.get 12
                  i32.add
                  local.set 18
                end
                local.get 22
                local.get 18
                i32.const 0
                local.get 24
                local.get 18
                local.get 24
                i32.lt_u
                select
                i32.sub
                i32.const 5
                i32.shl
                i32.add
                local.tee 3
                i32.load8_u offset=26
                local.tee 18
                i32.const 2
                i32.eq
                br_if 1 (;@5;)
                local.get 3
                i64.load offset=8
                local.set 13
                local.get 3
                i64.load
                local.set 4
                local.get 3
                i64.load32_u offset=16
                local.set 11
                block ;; label = @7
                  i32.const 0
                  i32.load8_u offset=33888
                  br_if 0 (;@7;)
                  i32.const 0
                  i64.load offset=33920
                  i32.const 0
                  i64.load offset=33912
                  i32.const 0
                  i64.load offset=33928
                  i64.add
                  i32.const 0
                  i64.load offset=33936
                  i64.add
                  i64.sub
                  local.tee 14
                  i32.const 0
                  i64.load offset=33728
                  local.tee 16
                  i64.le_u
                  br_if 0 (;@7;)
                  i64.const 0
                  local.get 14
                  local.get 16
                  i64.sub
                  local.tee 16
                  local.get 16
                  local.get 14
                  i64.gt_u
                  select
                  local.get 11
                  i64.add
                  i32.const 0
                  i64.load offset=33696
                  i64.gt_u
                  br_if 2 (;@5;)
                end
                local.get 9
                i64.const 0
                i64.store
                local.get 9
                i64.const 0
                i64.store offset=8
                local.get 9
                i64.const 0
                i64.store offset=16
                local.get 9
                i64.const 0
                i64.store offset=24
                local.get 9
                i64.const 0
                i64.store offset=32
                local.get 9
                i64.const 0
                i64.store offset=40
                local.get 8
                i64.const 0
                i64.store
                local.get 8
                i64.const 0
                i64.store offset=8
                local.get 8
                i64.const 0
                i64.store offset=16
                local.get 8
                i64.const 0
                i64.store offset=24
                local.get 8
                i64.const 0
                i64.store offset=32
                local.get 8
                i64.const 0
                i64.store offset=40
                local.get 1
                i32.const 0
                i32.store16 offset=187 align=1
                local.get 1
                local.get 18
                i32.store8 offset=186
                local.get 1
                i32.const 0
                i32.store16 offset=184
                local.get 1
                local.get 4
                i64.store offset=40
                local.get 1
                i32.const 0
                i64.load offset=34176
                local.tee 14
                i32.const 0
                i64.load8_u offset=35052
                i64.add
                i64.store offset=48
                local.get 1
                i64.const 0
                i32.const 0
                i64.load offset=34184
                local.tee 16
                local.get 14
                i64.sub
                local.tee 14
                local.get 14
                local.get 16
                i64.gt_u
                select
                local.tee 14
                i64.const 4294967295
                local.get 14
                i64.const 4294967295
                i64.lt_u
                select
                i64.store32 offset=180
                local.get 1
                i32.const 0
                i32.load offset=35048
                i32.store offset=176
                local.get 1
                local.get 10
                i32.store offset=172
                local.get 1
                i32.const 0
                i32.store offset=168
                local.get 1
                i64.const 0
                i64.store offset=16
                local.get 1
                i32.const 0
                i32.store offset=104
                local.get 1
                i32.const 0
                i32.store offset=160
                local.get 1
                i32.const 192
                i32.add
                i32.const 0
                i32.const 96
                memory.fill
                local.get 1
                i32.const 8
                i32.add
                local.get 1
                i32.const 16
                i32.add
                local.get 1
                i32.const 192
                i32.add
                call 24
                block ;; label = @7
                  local.get 1
                  i32.load offset=8
                  local.tee 3
                  local.get 1
                  i32.load offset=12
                  local.tee 12
                  local.get 4
                  local.get 4
                  local.get 18
                  i64.extend_i32_u
                  i64.sub
                  local.get 11
                  i64.add
                  local.tee 14
                  local.get 13
                  call 0
                  local.tee 11
                  i64.const -1
                  i64.gt_s
                  br_if 0 (;@7;)
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 3
                      local.get 11
                      i32.wrap_i64
                      i32.const -1
                      i32.xor
                      i32.const 7
                      local.get 11
                      i64.const -8
                      i64.gt_u
                      select
                      local.tee 18
                      local.get 18
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.eq
                      select
                      local.tee 24
                      i32.const 255
                      i32.and
                      i32.const 4
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 3
                      local.get 12
                      local.get 4
                      local.get 14
                      call 1
                      local.tee 11
                      i64.const -1
                      i64.gt_s
                      br_if 2 (;@7;)
                      local.get 11
                      i32.wrap_i64
                      i32.const -1
                      i32.xor
                      i32.const 7
                      local.get 11
                      i64.const -8
                      i64.gt_u
                      select
                      local.tee 24
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.const 1
                      i32.store8 offset=34114
                      br 1 (;@8;)
                    end
                    i32.const 0
                    local.set 18
                    i32.const 0
                    i32.const 1
                    i32.store8 offset=34114
                    local.get 24
                    i32.const 255
                    i32.and
                    i32.eqz
                    br_if 4 (;@4;)
                  end
                  i32.const 0
                  local.set 18
                  i32.const 0
                  local.get 5
                  i64.store offset=34024
                  local.get 5
                  i32.const 0
                  i64.load offset=34032
                  i64.ge_u
                  br_if 3 (;@4;)
                  i32.const 0
                  local.set 18
                  i32.const 0
                  i32.load offset=34040
                  local.get 6
                  call 2
                  i64.const 0
                  i64.lt_s
                  br_if 3 (;@4;)
                  i32.const 0
                  local.set 18
                  i32.const 0
                  local.get 5
                  i64.store offset=34032
                  br 3 (;@4;)
                end
                i32.const 0
                local.get 11
                i64.const 1
                i64.add
                i64.store offset=34048
                block ;; label = @7
                  local.get 4
                  call 19
                  local.tee 3
                  i32.const 0
                  i32.load offset=33908
                  i32.ge_u
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=33900
                  i32.const 0
                  i32.load offset=33904
                  local.get 3
                  i32.add
                  local.tee 3
                  i32.const 0
                  i32.const 0
                  i32.load offset=33896
                  local.tee 18
                  local.get 3
                  local.get 18
                  i32.lt_u
                  select
                  i32.sub
                  i32.const 5
                  i32.shl
                  i32.add
                  local.tee 3
                  i32.load8_u offset=24
                  i32.const 2
                  i32.ne
                  br_if 0 (;@7;)
                  local.get 3
                  local.get 10
                  i32.store offset=20
                  local.get 3
                  local.get 11
                  i64.store offset=8
                  local.get 3
                  i32.const 256
                  i32.store16 offset=24
                  i32.const 0
                  i32.const 0
                  i64.load offset=33936
                  local.get 3
                  i64.load32_u offset=16
                  local.tee 4
                  i64.sub
                  i64.store offset=33936
                  i32.const 0
                  local.get 4
                  local.get 3
                  i64.load
                  i64.add
                  i64.store offset=33944
                end
                i32.const 1
                local.set 18
                i32.const 0
                i32.const 0
                i32.load offset=33688
                i32.const 1
                i32.add
                i32.store offset=33688
                i32.const 0
                i32.const 0
                i32.store8 offset=33888
                i32.const 0
                i32.load offset=33664
                br_if 2 (;@4;)
                i32.const 0
                local.get 0
                i64.store offset=33672
                i32.const 0
                i64.const 1
                i64.store offset=33664
                br 2 (;@4;)
              end
              local.get 16
              local.get 13
              local.get 16
              local.get 13
              i64.lt_u
              select
              local.set 13
              block ;; label = @6
                local.get 4
                local.get 17
                i32.const 0
                i64.load offset=33928
                i64.add
                i64.sub
                local.tee 14
                i32.const 0
                i64.load offset=33728
                local.tee 16
                i64.le_u
                br_if 0 (;@6;)
                i64.const 0
                local.get 14
                local.get 16
                i64.sub
                local.tee 16
                local.get 16
                local.get 14
                i64.gt_u
                select
                local.get 13
                i64.add
                i32.const 0
                i64.load offset=33696
                i64.gt_u
                br_if 1 (;@5;)
              end
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=35044
                  br_if 0 (;@7;)
                  local.get 9
                  i64.const 0
                  i64.store
                  local.get 9
                  i64.const 0
                  i64.store offset=8
                  local.get 9
                  i64.const 0
                  i64.store offset=16
                  local.get 9
                  i64.const 0
                  i64.store offset=24
                  local.get 9
                  i64.const 0
                  i64.store offset=32
                  local.get 9
                  i64.const 0
                  i64.store offset=40
                  local.get 8
                  i64.const 0
                  i64.store
                  local.get 8
                  i64.const 0
                  i64.store offset=8
                  local.get 8
                  i64.const 0
                  i64.store offset=16
                  local.get 8
                  i64.const 0
                  i64.store offset=24
                  local.get 8
                  i64.const 0
                  i64.store offset=32
                  local.get 8
                  i64.const 0
                  i64.store offset=40
                  local.get 1
                  i32.const 0
                  i64.load offset=34176
                  local.tee 14
                  i32.const 0
                  i64.load8_u offset=35052
                  i64.add
                  i64.store offset=48
                  local.get 1
                  i64.const 0
                  i32.const 0
                  i64.load offset=34184
                  local.tee 16
                  local.get 14
                  i64.sub
                  local.tee 14
                  local.get 14
                  local.get 16
                  i64.gt_u
                  select
                  local.tee 14
                  i64.const 4294967295
                  local.get 14
                  i64.const 4294967295
                  i64.lt_u
                  select
                  i64.store32 offset=180
                  i32.const 0
                  i32.load offset=35048
                  local.set 18
                  local.get 7
                  i32.const 0
                  i32.store
                  local.get 7
                  i32.const 0
                  i32.store8 offset=4
                  local.get 1
                  i32.const 0
                  i32.store offset=168
                  local.get 1
                  local.get 10
                  i32.store offset=172
                  local.get 1
                  local.get 18
                  i32.store offset=176
                  local.get 1
                  i64.const 0
                  i64.store offset=16
                  local.get 1
                  i32.const 0
                  i32.store offset=104
                  local.get 1
                  i32.const 0
                  i32.store offset=160
                  i64.const 24
                  local.set 14
                  br 1 (;@6;)
                end
                local.get 1
                i32.const 16
                i32.add
                local.get 0
                call 25
                local.get 1
                i32.load offset=160
                i32.const 4
                i32.shl
                i32.const 32
                i32.const 24
                local.get 1
                i32.load offset=168
                select
                i32.add
                local.get 1
                i32.load offset=104
                local.get 1
                i32.load offset=16
                i32.add
                i32.const 3
                i32.shl
                i32.add
                i64.extend_i32_u
                local.set 14
                i32.const 0
                i64.load offset=34008
                local.set 11
                i32.const 0
                i32.load offset=34104
                local.set 3
              end
              local.get 1
              local.get 4
              i64.store offset=40
              local.get 1
              i32.const 0
              i32.load8_u offset=34112
              i64.const 0
              local.get 3
              i64.extend_i32_u
              local.tee 16
              local.get 14
              i64.sub
              local.tee 14
              local.get 14
              local.get 16
              i64.gt_u
              select
              local.tee 14
              i64.const 1
              local.get 14
              i64.const 1
              i64.gt_u
              select
              local.tee 14
              local.get 13
              local.get 14
              local.get 13
              i64.lt_u
              select
              local.tee 14
              local.get 4
              i64.add
              local.tee 13
              local.get 11
              i64.eq
              i32.and
              local.tee 12
              i32.store8 offset=186
              local.get 1
              i32.const 192
              i32.add
              i32.const 0
              i32.const 96
              memory.fill
              local.get 1
              local.get 1
              i32.const 16
              i32.add
              local.get 1
              i32.const 192
              i32.add
              call 24
              block ;; label = @6
                local.get 1
                i32.load
                local.get 1
                i32.load offset=4
                local.get 4
                local.get 13
                call 1
                local.tee 11
                i64.const -1
                i64.gt_s
                local.tee 18
                br_if 0 (;@6;)
                i32.const 0
                i32.const 1
                i32.store8 offset=34114
                local.get 11
                i64.const -1
                i64.eq
                br_if 2 (;@4;)
                i32.const 0
                local.get 5
                i64.store offset=34024
                local.get 5
                i32.const 0
                i64.load offset=34032
                i64.ge_u
                br_if 2 (;@4;)
                i32.const 0
                i32.load offset=34040
                local.get 6
                call 2
                i64.const 0
                i64.lt_s
                br_if 2 (;@4;)
                i32.const 0
                local.get 5
                i64.store offset=34032
                br 2 (;@4;)
              end
              i32.const 0
              i64.const -1
              i64.store offset=35008
              i32.const 0
              local.get 11
              i64.const 1
              i64.add
              i64.store offset=34048
              i32.const 0
              local.get 12
              i32.const 0
              i32.load8_u offset=34113
              i32.or
              i32.store8 offset=34113
              i32.const 0
              local.get 4
              local.get 12
              local.get 14
              i32.wrap_i64
              i32.add
              local.tee 20
              i64.extend_i32_u
              i64.add
              i64.store offset=33920
              i32.const 0
              i32.const 0
              i32.store offset=35044
              block ;; label = @6
                i32.const 0
                i32.load offset=33908
                local.tee 3
                i32.const 0
                i32.load offset=33896
                local.tee 24
                i32.ne
                br_if 0 (;@6;)
                call 22
                i32.const 0
                i32.load offset=33896
                local.set 24
                i32.const 0
                i32.load offset=33908
                local.set 3
              end
              i32.const 0
              local.get 3
              i32.const 1
              i32.add
              i32.store offset=33908
              i32.const 0
              i32.load offset=33900
              i32.const 0
              i32.load offset=33904
              local.get 3
              i32.add
              local.tee 3
              i32.const 0
              local.get 24
              local.get 3
              local.get 24
              i32.lt_u
              select
              i32.sub
              i32.const 5
              i32.shl
              i32.add
              local.tee 3
              local.get 12
              i32.store8 offset=26
              local.get 3
              i32.const 0
              i32.store16 offset=24
              local.get 3
              local.get 10
              i32.store offset=20
              local.get 3
              local.get 20
              i32.store offset=16
              local.get 3
              local.get 11
              i64.store offset=8
              local.get 3
              local.get 4
              i64.store
              br 1 (;@4;)
            end
            i32.const 0
            i32.load8_u offset=34114
            local.set 3
            br 2 (;@2;)
          end
          i32.const 0
          i32.load8_u offset=34114
          local.set 3
          local.get 18
          i32.eqz
          br_if 1 (;@2;)
          local.get 3
          i32.const 1
          i32.and
          i32.eqz
          br_if 0 (;@3;)
        end
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33920
          local.tee 4
          i32.const 0
          i64.load offset=33912
          i64.ne
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 4
            i32.const 0
            i64.load offset=34008
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load8_u offset=34112
            i32.const 1
            i32.ne
            br_if 3 (;@1;)
            i32.const 0
            i32.load8_u offset=34113
            i32.const 1
            i32.and
            br_if 3 (;@1;)
          end
          local.get 3
          i32.const 0
          i64.load offset=33984
          i64.const -1
          i64.ne
          i32.or
          i32.const 1
          i32.and
          br_if 2 (;@1;)
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=33984
        i64.const -1
        i64.ne
        br_if 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33960
          local.tee 4
          i64.eqz
          i32.eqz
          br_if 0 (;@3;)
          i64.const 1000
          local.set 4
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=33968
        local.tee 11
        i64.const 1
        local.get 11
        i64.const 1
        i64.gt_u
        select
        local.get 4
        i64.const 3
        i64.shr_u
        i64.add
        local.tee 4
        i64.const 200
        local.get 4
        i64.const 200
        i64.gt_u
        select
        local.set 4
      end
      i32.const 0
      i64.const -1
      local.get 4
      i32.const 0
      i32.load offset=33976
      local.tee 3
      i32.const 16
      local.get 3
      i32.const 16
      i32.lt_u
      select
      i64.extend_i32_u
      i64.shl
      local.tee 4
      i64.const 60000
      local.get 4
      i64.const 60000
      i64.lt_u
      select
      local.get 0
      i64.add
      i64.const 25
      i64.add
      local.tee 4
      local.get 4
      local.get 0
      i64.lt_u
      select
      local.tee 4
      i64.store offset=33984
      local.get 4
      i32.const 0
      i64.load offset=33992
      i64.ge_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34000
      i64.const 0
      local.get 4
      local.get 0
      i64.sub
      local.tee 11
      local.get 11
      local.get 4
      i64.gt_u
      select
      local.tee 11
      i64.const 4294967295
      local.get 11
      i64.const 4294967295
      i64.lt_u
      select
      i32.wrap_i64
      call 2
      i64.const 0
      i64.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.get 4
      i64.store offset=33992
    end
    block ;; label = @1
      local.get 2
      i32.const 1
      i32.and
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=34113
      i32.const 1
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.load8_u offset=35052
      i32.store8 offset=35080
    end
    i32.const 0
    local.set 3
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34112
      local.tee 18
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      local.set 3
      i32.const 0
      i64.load offset=33912
      i32.const 0
      i64.load offset=34008
      i64.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=35052
      local.set 3
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load8_u offset=35081
              br_table 1 (;@4;) 0 (;@5;) 4 (;@1;) 1 (;@4;)
            end
            i32.const 0
            i64.load offset=33912
            i32.const 0
            i64.load offset=34008
            local.get 18
            i64.extend_i32_u
            i64.add
            i64.ge_u
            br_if 1 (;@3;)
          end
          local.get 3
          i32.const 0
          i32.load8_u offset=35080
          i32.and
          i32.const 1
          i32.and
          br_if 1 (;@2;)
          local.get 3
          i32.const 0
          i64.load offset=35056
          i64.const -1
          i64.eq
          i32.and
          i32.eqz
          br_if 2 (;@1;)
          i32.const 0
          i64.const -1
          local.get 0
          i64.const 2000
          i64.add
          local.tee 4
          local.get 4
          local.get 0
          i64.lt_u
          select
          local.tee 4
          i64.store offset=35056
          local.get 4
          i32.const 0
          i64.load offset=35064
          i64.ge_u
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=35072
          i64.const 0
          local.get 4
          local.get 0
          i64.sub
          local.tee 0
          local.get 0
          local.get 4
          i64.gt_u
          select
          local.tee 0
          i64.const 4294967295
          local.get 0
          i64.const 4294967295
          i64.lt_u
          select
          i32.wrap_i64
          call 2
          i64.const 0
          i64.lt_s
          br_if 2 (;@1;)
          i32.const 0
          local.get 4
          i64.store offset=35064
          br 2 (;@1;)
        end
        i32.const 0
        i32.const 2
        i32.store8 offset=35081
        call 3
        br 1 (;@1;)
      end
      i32.const 0
      i32.const 2
      i32.store8 offset=35081
      call 3
    end
    local.get 1
    i32.const 288
    i32.add
    global.set 0
  )
  (func (;19;) (type 11) (param i64) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    i32.const 0
    local.set 1
    i32.const 0
    local.set 2
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load offset=33908
              local.tee 3
              i32.eqz
              br_if 0 (;@5;)
              local.get 3
              i32.const 0
              i32.load offset=33896
              local.tee 1
              i32.const 0
              i32.load offset=33904
              local.tee 2
              i32.const 0
              local.get 1
              local.get 2
              local.get 1
              i32.lt_u
              select
              i32.sub
              local.tee 2
              i32.sub
              local.tee 1
              i32.gt_u
              br_if 1 (;@4;)
              local.get 2
              local.get 3
              i32.add
              local.set 1
            end
            local.get 1
            local.get 2
            i32.sub
            local.set 1
            i32.const 0
            i32.load offset=33900
            local.get 2
            i32.const 5
            i32.shl
            i32.add
            local.set 4
            br 1 (;@3;)
          end
          i32.const 0
          i32.load offset=33900
          local.tee 5
          i64.load
          local.get 5
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.get 0
          i64.le_u
          br_if 1 (;@2;)
          local.get 5
          local.get 2
          i32.const 5
          i32.shl
          i32.add
          local.set 4
        end
        i32.const 0
        local.set 2
        block ;; label = @3
          block ;; label = @4
            local.get 1
            br_table 3 (;@1;) 1 (;@3;) 0 (;@4;)
          end
          i32.const 0
          local.set 2
          loop ;; label = @4
            local.get 2
            local.get 1
            i32.const 1
            i32.shr_u
            local.tee 3
            local.get 2
            i32.add
            local.tee 6
            local.get 4
            local.get 6
            i32.const 5
            i32.shl
            i32.add
            local.tee 6
            i64.load
            local.get 6
            i32.const 16
            i32.add
            i64.load32_u
            i64.add
            local.get 0
            i64.gt_u
            select
            local.set 2
            local.get 1
            local.get 3
            i32.sub
            local.tee 1
            i32.const 1
            i32.gt_u
            br_if 0 (;@4;)
          end
        end
        local.get 2
        local.get 4
        local.get 2
        i32.const 5
        i32.shl
        i32.add
        local.tee 1
        i64.load
        local.get 1
        i32.const 16
        i32.add
        i64.load32_u
        i64.add
        local.get 0
        i64.le_u
        i32.add
        return
      end
      i32.const 1
      local.set 2
      block ;; label = @2
        local.get 3
        local.get 1
        i32.sub
        local.tee 3
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        local.set 2
        loop ;; label = @3
          local.get 2
          local.get 3
          i32.const 1
          i32.shr_u
          local.tee 6
          local.get 2
          i32.add
          local.tee 4
          local.get 5
          local.get 4
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
          local.get 0
          i64.gt_u
          select
          local.set 2
          local.get 3
          local.get 6
          i32.sub
          local.tee 3
          i32.const 1
          i32.gt_u
          br_if 0 (;@3;)
        end
        local.get 2
        local.get 5
        local.get 2
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
        local.get 0
        i64.le_u
        i32.add
        local.set 2
      end
      local.get 2
      local.get 1
      i32.add
      local.set 1
    end
    local.get 1
  )
  (func (;20;) (type 12) (param i32 i32 i32 i32)
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
          i32.const 32784
          local.get 4
          local.get 3
          call 43
          unreachable
        end
        i32.const 32879
        local.get 4
        local.get 3
        call 43
        unreachable
      end
      i32.const 32936
      local.get 4
      local.get 3
      call 43
      unreachable
    end
    i32.const 32936
    local.get 4
    local.get 3
    call 43
    unreachable
  )
  (func (;21;) (type 3)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    i32.const 32989
    local.get 0
    i32.const 8
    i32.add
    i32.const 33472
    call 43
    unreachable
  )
  (func (;22;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=33896
    local.set 0
    call 56
    block ;; label = @1
      i32.const 0
      i32.load offset=33904
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=33908
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33896
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
          i32.const 5
          i32.shl
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=33900
          local.tee 4
          local.get 0
          i32.const 5
          i32.shl
          i32.add
          local.get 4
          local.get 1
          i32.const 5
          i32.shl
          i32.add
          local.get 2
          memory.copy
        end
        i32.const 0
        local.get 0
        i32.store offset=33904
        return
      end
      local.get 2
      i32.const 5
      i32.shl
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33900
      local.tee 2
      local.get 0
      i32.const 5
      i32.shl
      i32.add
      local.get 2
      local.get 1
      memory.copy
    end
  )
  (func (;23;) (type 13) (param i32 i32 i32 i32 i32)
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
  (func (;24;) (type 14) (param i32 i32 i32)
    (local i64 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i64)
    local.get 2
    local.get 1
    i32.load16_u offset=168
    i32.store16 offset=2 align=1
    local.get 2
    local.get 1
    i32.load offset=164
    i32.store offset=4 align=1
    local.get 2
    local.get 1
    i64.load offset=24
    i64.store offset=8 align=1
    local.get 2
    local.get 1
    i64.load offset=32
    local.tee 3
    i64.store offset=16 align=1
    local.get 2
    i32.const 17
    i32.const 1
    local.get 1
    i32.load offset=152
    local.tee 4
    select
    i32.const 0
    i32.const 32
    local.get 1
    i64.load
    local.tee 5
    i64.eqz
    select
    i32.or
    i32.store8
    local.get 2
    local.get 1
    i32.load offset=144
    local.tee 6
    i32.const 2
    i32.shl
    local.get 1
    i32.load offset=88
    local.tee 7
    local.get 5
    i32.wrap_i64
    local.tee 8
    i32.add
    local.tee 9
    i32.or
    local.get 1
    i32.load8_u offset=170
    i32.const 4
    i32.shl
    i32.or
    local.get 1
    i32.load8_u offset=171
    i32.const 5
    i32.shl
    i32.or
    local.get 1
    i32.load8_u offset=172
    i32.const 6
    i32.shl
    i32.or
    i32.store8 offset=1
    block ;; label = @1
      local.get 7
      i32.const 4
      i32.ge_u
      br_if 0 (;@1;)
      i32.const 24
      local.set 10
      block ;; label = @2
        i32.const 32
        i32.const 24
        local.get 4
        select
        local.tee 11
        local.get 9
        i32.const 3
        i32.shl
        local.tee 12
        i32.add
        local.tee 13
        i32.const -24
        i32.add
        i32.const 73
        i32.ge_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 8
        i32.add
        i32.const 0
        local.get 8
        select
        local.set 9
        local.get 4
        i64.extend_i32_u
        local.set 5
        local.get 1
        i64.load offset=156 align=4
        local.set 14
        local.get 12
        local.get 6
        i32.const 4
        i32.shl
        i32.add
        local.get 11
        i32.add
        local.set 15
        local.get 1
        i32.const 40
        i32.add
        local.tee 4
        local.get 7
        i32.const 4
        i32.shl
        i32.add
        local.set 12
        i32.const 96
        local.get 13
        i32.sub
        local.set 16
        local.get 2
        local.get 13
        i32.add
        local.set 17
        i32.const 1
        local.set 11
        block ;; label = @3
          loop ;; label = @4
            i64.const 2
            local.set 18
            block ;; label = @5
              block ;; label = @6
                local.get 5
                i64.const 2
                i64.eq
                br_if 0 (;@6;)
                i64.const 2
                i64.const 0
                local.get 5
                i64.eqz
                select
                local.set 18
                local.get 5
                i32.wrap_i64
                i32.const 1
                i32.and
                i32.eqz
                br_if 0 (;@6;)
                local.get 9
                local.set 7
                local.get 4
                local.set 8
                local.get 14
                local.set 5
                br 1 (;@5;)
              end
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 11
                    br_if 0 (;@8;)
                    local.get 9
                    local.set 7
                    br 1 (;@7;)
                  end
                  i32.const 1
                  local.set 11
                  i32.const 0
                  local.set 7
                  local.get 9
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 4
                  local.set 8
                  local.get 9
                  local.set 4
                  br 1 (;@6;)
                end
                local.get 4
                local.get 12
                i32.eq
                br_if 3 (;@3;)
                local.get 4
                i32.const 16
                i32.add
                local.set 8
                i32.const 0
                local.set 11
              end
              local.get 4
              i32.const 8
              i32.add
              i64.load
              local.get 3
              i64.sub
              i64.const 32
              i64.shl
              local.get 4
              i64.load
              local.get 3
              i64.sub
              i64.const 4294967295
              i64.and
              i64.or
              local.set 5
            end
            local.get 13
            local.get 10
            i32.eq
            br_if 1 (;@3;)
            local.get 2
            local.get 10
            i32.add
            local.get 5
            i64.store align=1
            local.get 10
            i32.const 8
            i32.add
            local.set 10
            local.get 18
            local.set 5
            local.get 7
            local.set 9
            local.get 8
            local.set 4
            br 0 (;@4;)
          end
        end
        block ;; label = @3
          block ;; label = @4
            local.get 6
            i32.const 4
            i32.ge_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 16
              i32.const 4
              i32.shr_u
              local.tee 4
              local.get 6
              local.get 4
              local.get 6
              i32.lt_u
              select
              local.tee 4
              i32.eqz
              br_if 0 (;@5;)
              local.get 17
              local.get 1
              i64.load offset=96
              i64.store offset=8 align=1
              local.get 17
              local.get 1
              i64.load offset=104
              i64.store align=1
              local.get 4
              i32.const 1
              i32.eq
              br_if 0 (;@5;)
              local.get 17
              local.get 1
              i64.load offset=112
              i64.store offset=24 align=1
              local.get 17
              local.get 1
              i64.load offset=120
              i64.store offset=16 align=1
              local.get 4
              i32.const 2
              i32.eq
              br_if 0 (;@5;)
              local.get 17
              local.get 1
              i64.load offset=128
              i64.store offset=40 align=1
              local.get 17
              local.get 1
              i64.load offset=136
              i64.store offset=32 align=1
            end
            local.get 15
            i32.const 97
            i32.ge_u
            br_if 1 (;@3;)
            local.get 0
            local.get 15
            i32.store offset=4
            local.get 0
            local.get 2
            i32.store
            return
          end
          i32.const 0
          local.get 6
          i32.const 3
          i32.const 33488
          call 20
          unreachable
        end
        i32.const 0
        local.get 15
        i32.const 96
        i32.const 33520
        call 20
        unreachable
      end
      i32.const 33536
      i32.const 19
      i32.const 33504
      call 43
      unreachable
    end
    i32.const 0
    local.get 7
    i32.const 3
    i32.const 33488
    call 20
    unreachable
  )
  (func (;25;) (type 15) (param i32 i64)
    (local i32 i32 i64 i64 i64 i32 i64 i32 i64 i32 i32 i32 i64 i32 i32 i64 i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    i32.const 0
    local.set 3
    i32.const 0
    i64.load offset=34184
    local.set 4
    i32.const 0
    i64.const -1
    i32.const 0
    i64.load offset=34176
    local.tee 5
    call 7
    i64.add
    local.tee 6
    local.get 6
    local.get 5
    i64.lt_u
    select
    local.tee 5
    local.get 4
    local.get 5
    local.get 4
    i64.gt_u
    select
    local.tee 4
    i64.store offset=34184
    i32.const 0
    i64.load offset=34136
    local.set 5
    i64.const 0
    local.set 6
    i32.const 0
    i64.const 0
    i64.store offset=34136
    local.get 2
    local.get 5
    i64.store offset=8
    local.get 2
    i32.const 0
    i64.load offset=34144
    i64.store offset=16
    local.get 2
    i32.const 0
    i64.load offset=34152
    i64.store offset=24
    block ;; label = @1
      i32.const 0
      i32.load offset=34992
      local.tee 7
      i32.const 33
      i32.ge_u
      br_if 0 (;@1;)
      i32.const 0
      i64.load offset=35000
      local.set 8
      i32.const 0
      i32.load offset=35048
      local.set 9
      i32.const 0
      i64.load8_u offset=35052
      local.set 10
      i32.const 0
      i64.load offset=34176
      local.set 5
      block ;; label = @2
        block ;; label = @3
          local.get 7
          br_if 0 (;@3;)
          i32.const 0
          local.set 7
          i32.const 0
          local.set 11
          i32.const 0
          local.set 12
          i32.const 0
          local.set 13
          i64.const 0
          local.set 14
          i32.const 0
          local.set 15
          i32.const 0
          local.set 16
          i64.const 0
          local.set 17
          br 1 (;@2;)
        end
        i32.const 1
        local.set 13
        local.get 7
        i32.const 24
        i32.mul
        local.tee 18
        i32.const 34216
        i32.add
        i64.load
        local.set 17
        local.get 18
        i32.const 34200
        i32.add
        i32.load
        local.set 16
        local.get 18
        i32.const 34208
        i32.add
        i32.load
        local.set 15
        block ;; label = @3
          local.get 7
          i32.const 1
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          local.set 7
          i32.const 0
          local.set 11
          i32.const 0
          local.set 12
          i64.const 0
          local.set 14
          br 1 (;@2;)
        end
        i32.const 2
        local.set 13
        local.get 18
        i32.const 34192
        i32.add
        i64.load
        local.set 14
        local.get 18
        i32.const 34176
        i32.add
        i32.load
        local.set 12
        local.get 18
        i32.const 34184
        i32.add
        i32.load
        local.set 11
        block ;; label = @3
          local.get 7
          i32.const 2
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          local.set 7
          br 1 (;@2;)
        end
        local.get 18
        i32.const 34168
        i32.add
        i64.load
        local.set 6
        local.get 18
        i32.const 34152
        i32.add
        i32.load
        local.set 7
        local.get 18
        i32.const 34160
        i32.add
        i32.load
        local.set 3
        i32.const 3
        local.set 13
      end
      local.get 0
      local.get 2
      i64.load offset=24
      i64.store offset=16
      local.get 0
      local.get 2
      i64.load offset=16
      i64.store offset=8
      local.get 0
      local.get 2
      i64.load offset=8
      i64.store
      local.get 0
      i64.const 0
      i64.store offset=40
      local.get 0
      i64.const 0
      i64.store offset=24
      local.get 0
      i64.const 0
      i64.store offset=48
      local.get 0
      i64.const 0
      i64.store offset=56
      local.get 0
      i64.const 0
      i64.store offset=64
      local.get 0
      i64.const 0
      i64.store offset=72
      local.get 0
      i64.const 0
      i64.store offset=80
      local.get 0
      i32.const 0
      i32.store offset=88
      local.get 0
      local.get 9
      i32.store offset=160
      local.get 0
      local.get 1
      i64.store32 offset=156
      local.get 0
      i32.const 0
      i32.store offset=152
      local.get 0
      local.get 13
      i32.store offset=144
      local.get 0
      local.get 3
      i32.store offset=140
      local.get 0
      local.get 7
      i32.store offset=136
      local.get 0
      local.get 6
      i64.store offset=128
      local.get 0
      local.get 11
      i32.store offset=124
      local.get 0
      local.get 12
      i32.store offset=120
      local.get 0
      local.get 14
      i64.store offset=112
      local.get 0
      local.get 15
      i32.store offset=108
      local.get 0
      local.get 16
      i32.store offset=104
      local.get 0
      local.get 17
      i64.store offset=96
      local.get 0
      local.get 5
      local.get 10
      i64.add
      i64.store offset=32
      local.get 0
      i64.const 0
      local.get 4
      local.get 5
      i64.sub
      local.tee 5
      local.get 5
      local.get 4
      i64.gt_u
      select
      local.tee 4
      i64.const 4294967295
      local.get 4
      i64.const 4294967295
      i64.lt_u
      select
      i64.store32 offset=164
      local.get 0
      i64.const 0
      local.get 1
      local.get 8
      i64.sub
      local.tee 4
      local.get 4
      local.get 1
      i64.gt_u
      select
      local.tee 1
      local.get 1
      i64.const 0
      i64.ne
      i64.extend_i32_u
      i64.sub
      local.tee 1
      i64.const 25
      local.get 1
      i64.const 25
      i64.lt_u
      select
      i32.wrap_i64
      i32.const 1000
      i32.mul
      i32.store16 offset=168
      local.get 0
      i32.const 0
      i32.store8 offset=172
      local.get 0
      i32.const 0
      i32.store16 offset=170
      local.get 2
      i32.const 32
      i32.add
      global.set 0
      return
    end
    i32.const 0
    local.get 7
    i32.const 32
    i32.const 33564
    call 20
    unreachable
  )
  (func (;26;) (type 16) (param i64 i32)
    (local i32 i64)
    global.get 0
    i32.const 368
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 192
    i32.add
    local.get 0
    call 25
    local.get 2
    local.get 1
    i32.store8 offset=188
    local.get 2
    local.get 2
    i64.load offset=216
    i64.store offset=40
    local.get 2
    local.get 2
    i64.load offset=224
    i64.store offset=48
    local.get 2
    local.get 2
    i32.load offset=360
    i32.store offset=184
    local.get 2
    local.get 2
    i64.load offset=344
    i64.store offset=168
    local.get 2
    local.get 2
    i64.load offset=352
    i64.store offset=176
    local.get 2
    local.get 2
    i64.load offset=192
    i64.store offset=16
    local.get 2
    local.get 2
    i64.load offset=200
    i64.store offset=24
    local.get 2
    local.get 2
    i64.load offset=208
    i64.store offset=32
    local.get 2
    local.get 2
    i64.load offset=280
    i64.store offset=104
    local.get 2
    local.get 2
    i64.load offset=272
    i64.store offset=96
    local.get 2
    local.get 2
    i64.load offset=264
    i64.store offset=88
    local.get 2
    local.get 2
    i64.load offset=256
    i64.store offset=80
    local.get 2
    local.get 2
    i64.load offset=248
    i64.store offset=72
    local.get 2
    local.get 2
    i64.load offset=240
    i64.store offset=64
    local.get 2
    local.get 2
    i64.load offset=232
    i64.store offset=56
    local.get 2
    local.get 2
    i64.load offset=336
    i64.store offset=160
    local.get 2
    local.get 2
    i64.load offset=328
    i64.store offset=152
    local.get 2
    local.get 2
    i64.load offset=320
    i64.store offset=144
    local.get 2
    local.get 2
    i64.load offset=312
    i64.store offset=136
    local.get 2
    local.get 2
    i64.load offset=304
    i64.store offset=128
    local.get 2
    local.get 2
    i64.load offset=296
    i64.store offset=120
    local.get 2
    local.get 2
    i64.load offset=288
    i64.store offset=112
    local.get 2
    i32.const 192
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
    i32.const 192
    i32.add
    call 24
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i32.load offset=8
        local.get 2
        i32.load offset=12
        call 4
        i64.const -1
        i64.gt_s
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.load offset=35044
        local.tee 1
        i32.const 1
        local.get 1
        i32.const 1
        i32.gt_u
        select
        i32.store offset=35044
        i32.const 0
        i64.load offset=35008
        i64.const -1
        i64.ne
        br_if 1 (;@1;)
        i32.const 0
        i64.const -1
        local.get 0
        i64.const 25
        i64.add
        local.tee 3
        local.get 3
        local.get 0
        i64.lt_u
        select
        local.tee 3
        i64.store offset=35008
        local.get 3
        i32.const 0
        i64.load offset=35016
        i64.ge_u
        br_if 1 (;@1;)
        i32.const 0
        i32.load offset=35024
        i64.const 0
        local.get 3
        local.get 0
        i64.sub
        local.tee 0
        local.get 0
        local.get 3
        i64.gt_u
        select
        local.tee 0
        i64.const 4294967295
        local.get 0
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 2
        i64.const 0
        i64.lt_s
        br_if 1 (;@1;)
        i32.const 0
        local.get 3
        i64.store offset=35016
        br 1 (;@1;)
      end
      i32.const 0
      i64.const -1
      i64.store offset=35008
      i32.const 0
      i32.const 0
      i32.store offset=35044
    end
    local.get 2
    i32.const 368
    i32.add
    global.set 0
  )
  (func (;27;) (type 3)
    (local i32 i32 i64 i64 i64 i32 i32 i32 i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=34172
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34160
      local.set 0
      i32.const 0
      i32.load offset=34168
      local.set 1
      loop ;; label = @2
        i32.const 0
        i64.load offset=34176
        local.tee 2
        i32.const 0
        i32.load offset=34164
        local.get 1
        i32.const 0
        local.get 0
        local.get 1
        local.get 0
        i32.lt_u
        select
        i32.sub
        i32.const 24
        i32.mul
        i32.add
        local.tee 0
        i64.load
        local.tee 3
        i64.lt_u
        br_if 1 (;@1;)
        local.get 0
        i32.load offset=16
        local.set 1
        block ;; label = @3
          local.get 0
          i64.load offset=8
          local.tee 4
          local.get 2
          i64.le_u
          br_if 0 (;@3;)
          local.get 1
          local.get 0
          i32.load offset=20
          local.tee 0
          local.get 2
          local.get 3
          i64.sub
          i32.wrap_i64
          i32.add
          local.get 0
          local.get 4
          local.get 3
          i64.sub
          i32.wrap_i64
          i32.add
          call 5
          i64.const 0
          i64.lt_s
          br_if 2 (;@1;)
          i32.const 0
          i32.const 1
          i32.store8 offset=35053
          i32.const 0
          local.get 4
          i64.store offset=34176
        end
        local.get 1
        call 6
        drop
        i32.const 0
        i32.load offset=34172
        local.tee 0
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        local.get 0
        i32.const -1
        i32.add
        local.tee 5
        i32.store offset=34172
        i32.const 0
        i32.const 0
        i32.load offset=34168
        i32.const 1
        i32.add
        local.tee 1
        i32.const 0
        i32.const 0
        i32.load offset=34160
        local.tee 0
        local.get 1
        local.get 0
        i32.lt_u
        select
        i32.sub
        local.tee 1
        i32.store offset=34168
        local.get 5
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i32.load offset=35040
        local.tee 6
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=35036
        local.set 5
        local.get 6
        i32.const 4
        i32.shl
        local.tee 7
        i32.const -16
        i32.add
        i32.const 4
        i32.shr_u
        i32.const 1
        i32.add
        local.set 8
        i32.const 0
        local.set 1
        i32.const 0
        i64.load offset=34176
        local.set 2
        i32.const 0
        local.set 0
        block ;; label = @3
          loop ;; label = @4
            local.get 5
            local.get 0
            i32.add
            i32.const 8
            i32.add
            i64.load
            local.get 2
            i64.gt_u
            br_if 1 (;@3;)
            local.get 1
            i32.const 1
            i32.add
            local.set 1
            local.get 7
            local.get 0
            i32.const 16
            i32.add
            local.tee 0
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 8
          local.set 1
        end
        local.get 6
        local.get 1
        i32.lt_u
        br_if 1 (;@1;)
        i32.const 0
        i32.const 0
        i32.store offset=35040
        local.get 6
        local.get 1
        i32.sub
        local.set 0
        block ;; label = @3
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          local.get 6
          local.get 1
          i32.eq
          br_if 1 (;@2;)
          local.get 0
          i32.const 4
          i32.shl
          local.tee 7
          i32.eqz
          br_if 0 (;@3;)
          local.get 5
          local.get 5
          local.get 1
          i32.const 4
          i32.shl
          i32.add
          local.get 7
          memory.copy
        end
        i32.const 0
        local.get 0
        i32.store offset=35040
      end
      return
    end
    i32.const 0
    local.get 1
    local.get 6
    i32.const 32768
    call 20
    unreachable
  )
  (func (;28;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=34160
    local.set 0
    call 29
    block ;; label = @1
      i32.const 0
      i32.load offset=34168
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=34172
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34160
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
          i32.load offset=34164
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
        i32.store offset=34168
        return
      end
      local.get 2
      i32.const 24
      i32.mul
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34164
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
  (func (;29;) (type 3)
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
    i32.load offset=34160
    local.tee 1
    i32.const 0
    i32.load offset=34164
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
    i32.const 24
    call 31
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
      call 32
      unreachable
    end
    i32.const 0
    local.get 0
    i32.load offset=8
    i32.store offset=34164
    i32.const 0
    local.get 1
    i32.store offset=34160
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;30;) (type 14) (param i32 i32 i32)
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
      i32.load offset=34160
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
          i32.load offset=34164
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
            i32.load offset=34164
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
          i32.load offset=34164
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
          i32.load offset=34164
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
        i32.load offset=34164
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
            i32.load offset=34164
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
          i32.load offset=34164
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
          i32.load offset=34164
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
          i32.load offset=34164
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
        i32.load offset=34164
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
          i32.load offset=34164
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
        i32.load offset=34164
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
        i32.load offset=34164
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
        i32.load offset=34164
        local.tee 2
        local.get 2
        i32.const 0
        i32.load offset=34160
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
      i32.load offset=34164
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
  (func (;31;) (type 13) (param i32 i32 i32 i32 i32)
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
            block ;; label = @5
              local.get 1
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              local.get 4
              local.get 1
              i32.mul
              local.get 3
              call 33
              local.set 6
              br 1 (;@4;)
            end
            block ;; label = @5
              local.get 3
              br_if 0 (;@5;)
              i32.const 8
              local.set 6
              br 3 (;@2;)
            end
            local.get 3
            i32.const 134217728
            i32.gt_u
            br_if 1 (;@3;)
            block ;; label = @5
              i32.const 28
              local.get 3
              i32.const 16
              local.get 3
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
              local.tee 4
              i32.load offset=55568
              local.tee 6
              br_if 0 (;@5;)
              i32.const 16
              local.get 1
              i32.shl
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=55668
                  local.tee 4
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=55664
                  local.set 6
                  br 1 (;@6;)
                end
                memory.size
                local.set 4
                i32.const 55680
                local.set 6
                i32.const 0
                i32.const 55680
                i32.store offset=55664
                i32.const 0
                local.get 4
                i32.const 16
                i32.shl
                local.tee 4
                i32.store offset=55668
              end
              block ;; label = @6
                i32.const 65536
                local.get 1
                local.get 3
                i32.const 65536
                i32.gt_u
                select
                local.tee 2
                local.get 6
                local.get 2
                i32.const -1
                i32.add
                i32.and
                local.tee 2
                i32.sub
                i32.const 0
                local.get 2
                select
                local.get 6
                i32.add
                local.tee 6
                local.get 1
                i32.add
                local.tee 1
                local.get 4
                i32.gt_u
                br_if 0 (;@6;)
                i32.const 0
                local.get 1
                i32.store offset=55664
                br 2 (;@4;)
              end
              local.get 1
              local.get 4
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
              br_if 2 (;@3;)
              i32.const 0
              local.get 2
              i32.const 16
              i32.shl
              local.get 4
              i32.add
              i32.store offset=55668
              i32.const 0
              local.get 1
              i32.store offset=55664
              br 1 (;@4;)
            end
            local.get 4
            i32.const 55568
            i32.add
            local.get 6
            i32.load
            i32.store
            br 2 (;@2;)
          end
          local.get 6
          br_if 1 (;@2;)
        end
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
  (func (;32;) (type 17) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      call 53
      unreachable
    end
    call 54
    unreachable
  )
  (func (;33;) (type 18) (param i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      local.get 1
      i32.const -1
      i32.add
      i32.clz
      local.tee 3
      local.get 2
      i32.const -1
      i32.add
      i32.clz
      local.tee 4
      i32.ne
      br_if 0 (;@1;)
      local.get 0
      return
    end
    i32.const 0
    local.set 5
    block ;; label = @1
      local.get 2
      i32.const 134217728
      i32.gt_u
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 28
              local.get 4
              i32.sub
              local.tee 6
              i32.const 2
              i32.shl
              local.tee 5
              i32.load offset=55568
              local.tee 4
              br_if 0 (;@5;)
              i32.const 16
              local.get 6
              i32.shl
              local.set 5
              i32.const 0
              i32.load offset=55668
              local.tee 6
              i32.eqz
              br_if 1 (;@4;)
              i32.const 0
              i32.load offset=55664
              local.set 4
              br 2 (;@3;)
            end
            local.get 5
            i32.const 55568
            i32.add
            local.get 4
            i32.load
            i32.store
            br 2 (;@2;)
          end
          memory.size
          local.set 6
          i32.const 55680
          local.set 4
          i32.const 0
          i32.const 55680
          i32.store offset=55664
          i32.const 0
          local.get 6
          i32.const 16
          i32.shl
          local.tee 6
          i32.store offset=55668
        end
        block ;; label = @3
          i32.const 65536
          local.get 5
          local.get 2
          i32.const 65536
          i32.gt_u
          select
          local.tee 7
          local.get 4
          local.get 7
          i32.const -1
          i32.add
          i32.and
          local.tee 7
          i32.sub
          i32.const 0
          local.get 7
          select
          local.get 4
          i32.add
          local.tee 4
          local.get 5
          i32.add
          local.tee 7
          local.get 6
          i32.le_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 5
          local.get 7
          local.get 6
          i32.sub
          local.tee 8
          i32.const 16
          i32.shr_u
          local.get 8
          i32.const 65535
          i32.and
          i32.const 0
          i32.ne
          i32.add
          local.tee 8
          memory.grow
          i32.const -1
          i32.eq
          br_if 2 (;@1;)
          i32.const 0
          local.get 8
          i32.const 16
          i32.shl
          local.get 6
          i32.add
          i32.store offset=55668
        end
        i32.const 0
        local.get 7
        i32.store offset=55664
        i32.const 0
        local.set 5
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      block ;; label = @2
        local.get 1
        local.get 2
        local.get 1
        local.get 2
        i32.lt_u
        select
        local.tee 2
        i32.eqz
        br_if 0 (;@2;)
        local.get 4
        local.get 0
        local.get 2
        memory.copy
      end
      block ;; label = @2
        local.get 1
        i32.const 134217728
        i32.gt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 28
        local.get 3
        i32.sub
        i32.const 2
        i32.shl
        local.tee 2
        i32.load offset=55568
        i32.store
        local.get 2
        local.get 0
        i32.store offset=55568
      end
      local.get 4
      local.set 5
    end
    local.get 5
  )
  (func (;34;) (type 17) (param i32 i32)
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
      call 32
      unreachable
    end
    local.get 2
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=35032
    local.tee 1
    i32.const 0
    i32.load offset=35036
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
    i32.const 4
    local.get 1
    i32.const 4
    i32.gt_u
    select
    local.tee 1
    i32.const 16
    call 31
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
      call 32
      unreachable
    end
    i32.const 0
    local.get 2
    i32.load offset=8
    i32.store offset=35036
    i32.const 0
    local.get 1
    i32.store offset=35032
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;35;) (type 6) (result i64)
    i64.const 258
  )
  (func (;36;) (type 3)
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 2
      i32.store8 offset=35081
    end
  )
  (func (;37;) (type 3)
    (local i64 i64 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 0
      i32.const 0
      call 9
      local.set 1
      i32.const 0
      i64.const 0
      i64.store offset=33960
      i32.const 0
      i64.const 0
      i64.store offset=33968
      i32.const 0
      i64.const 0
      i64.store offset=33720
      i32.const 0
      i64.const -1
      i64.store offset=33704
      i32.const 0
      local.get 1
      i64.const 65536
      local.get 1
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 2
      i32.store offset=34104
      i32.const 0
      i32.const 0
      local.get 2
      i32.const -24
      i32.add
      local.tee 3
      local.get 3
      local.get 2
      i32.gt_u
      select
      local.tee 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      local.tee 1
      i64.store offset=33712
      i32.const 0
      local.get 1
      i64.const 1
      i64.shl
      local.tee 4
      i64.const 14600
      local.get 4
      i64.const 14600
      i64.gt_u
      select
      local.tee 4
      local.get 1
      i64.const 10
      i64.mul
      local.tee 1
      local.get 4
      local.get 1
      i64.lt_u
      select
      i64.store offset=33696
      i32.const 0
      i32.const 0
      i32.store8 offset=34114
      i32.const 0
      i32.const 0
      i32.store offset=33976
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33920
          i32.const 0
          i64.load offset=33912
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=33984
          br 1 (;@2;)
        end
        i32.const 0
        i64.const -1
        local.get 0
        i64.const 1025
        i64.add
        local.tee 1
        local.get 1
        local.get 0
        i64.lt_u
        select
        local.tee 1
        i64.store offset=33984
        local.get 1
        i32.const 0
        i64.load offset=33992
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34000
        i64.const 0
        local.get 1
        local.get 0
        i64.sub
        local.tee 4
        local.get 4
        local.get 1
        i64.gt_u
        select
        local.tee 4
        i64.const 4294967295
        local.get 4
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 2
        i64.const 0
        i64.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 1
        i64.store offset=33992
      end
      i32.const 0
      call 10
      local.tee 1
      i32.const 0
      i64.load offset=34008
      local.tee 4
      local.get 1
      local.get 4
      i64.gt_u
      select
      i64.store offset=34008
      call 11
      local.get 0
      call 18
    end
  )
  (func (;38;) (type 19) (result i32)
    i32.const 35088
  )
  (func (;39;) (type 3)
    (local i32 i32 i32)
    global.get 0
    i32.const 80
    i32.sub
    local.tee 0
    i64.const 0
    i64.store offset=56
    local.get 0
    i64.const 0
    i64.store offset=64
    local.get 0
    i64.const 0
    i64.store offset=72
    local.get 0
    i64.const -1
    i64.store offset=32 align=4
    local.get 0
    i64.const -1
    i64.store offset=40 align=4
    local.get 0
    i64.const -1
    i64.store offset=12 align=2
    local.get 0
    i64.const -1
    i64.store offset=20 align=2
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const 0
        i32.load offset=33896
        local.tee 1
        i32.const -1
        i32.add
        i32.const 4194303
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33900
        local.tee 2
        i32.const 28
        local.get 1
        i32.const 5
        i32.shl
        i32.const -1
        i32.add
        i32.clz
        i32.sub
        i32.const 2
        i32.shl
        local.tee 1
        i32.load offset=55568
        i32.store
        local.get 1
        local.get 2
        i32.store offset=55568
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=34160
        local.tee 1
        i32.const -1
        i32.add
        i32.const 5592404
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34164
        local.tee 2
        i32.const 28
        local.get 1
        i32.const 24
        i32.mul
        i32.const -1
        i32.add
        i32.clz
        i32.sub
        i32.const 2
        i32.shl
        local.tee 1
        i32.load offset=55568
        i32.store
        local.get 1
        local.get 2
        i32.store offset=55568
      end
      i32.const 0
      i32.load offset=35032
      local.tee 1
      i32.const -1
      i32.add
      i32.const 8388607
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=35036
      local.tee 2
      i32.const 28
      local.get 1
      i32.const 4
      i32.shl
      i32.const -1
      i32.add
      i32.clz
      i32.sub
      i32.const 2
      i32.shl
      local.tee 1
      i32.load offset=55568
      i32.store
      local.get 1
      local.get 2
      i32.store offset=55568
    end
    i32.const 0
    i64.const 0
    i64.store offset=33664
    i32.const 0
    i64.const 0
    i64.store offset=33640
    i32.const 0
    local.get 0
    i64.load offset=48
    i64.store offset=33672
    i32.const 0
    local.get 0
    i64.load offset=56
    i64.store offset=33680
    i32.const 0
    local.get 0
    i64.load offset=64
    i64.store offset=33688
    i32.const 0
    local.get 0
    i64.load offset=72
    i64.store offset=33696
    i32.const 0
    i64.const 0
    i64.store offset=33720
    i32.const 0
    i64.const 1
    i64.store offset=33712
    i32.const 0
    i64.const -1
    i64.store offset=33704
    i32.const 0
    i64.const 0
    i64.store offset=33728
    i32.const 0
    i64.const 0
    i64.store offset=33736
    i32.const 0
    i64.const 0
    i64.store offset=33744
    i32.const 0
    i32.const 95
    i32.store offset=33752
    i32.const 33756
    i32.const 0
    i32.const 130
    memory.fill
    i32.const 0
    i64.const 34359738368
    i64.store offset=33896
    i32.const 0
    i32.const 0
    i32.store16 offset=33888
    i32.const 33904
    i32.const 0
    i32.const 76
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=34024
    i32.const 0
    i64.const 65536
    i64.store offset=34016
    i32.const 0
    i64.const 0
    i64.store offset=34008
    i32.const 0
    i64.const -1
    i64.store offset=34032
    i32.const 0
    i64.const 0
    i64.store offset=34136
    i32.const 0
    i64.const 0
    i64.store offset=34120
    i32.const 0
    i32.const 3
    i32.store offset=34040
    i32.const 0
    local.get 0
    i32.load offset=44
    i32.store offset=33996
    i32.const 0
    local.get 0
    i64.load offset=36 align=4
    i64.store offset=33988 align=4
    i32.const 0
    local.get 0
    i64.load offset=28 align=4
    i64.store offset=33980 align=4
    i32.const 0
    i32.const 0
    i32.store offset=34000
    i32.const 0
    i32.const 0
    i32.store offset=34160
    i32.const 34048
    i32.const 0
    i32.const 67
    memory.fill
    i32.const 0
    i64.const 0
    i64.store offset=35000
    i32.const 0
    i32.const 8
    i32.store offset=34164
    i32.const 34168
    i32.const 0
    i32.const 828
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=35016
    i32.const 0
    i64.const -1
    i64.store offset=35008
    i32.const 0
    i64.const 0
    i64.store offset=35040
    i32.const 0
    i64.const 34359738368
    i64.store offset=35032
    i32.const 0
    i32.const 1
    i32.store offset=35024
    i32.const 0
    i64.const 0
    i64.store offset=35046 align=2
    i32.const 0
    i32.const 2
    i32.store offset=35072
    i32.const 0
    local.get 0
    i64.load offset=10 align=2
    i64.store offset=35054 align=2
    i32.const 0
    local.get 0
    i64.load offset=18 align=2
    i64.store offset=35062 align=2
    i32.const 0
    local.get 0
    i32.load16_u offset=26
    i32.store16 offset=35070
    i32.const 0
    i32.const 0
    i32.store16 offset=35080
  )
  (func (;40;) (type 2) (param i32 i32) (result i64)
    i64.const -4
    i64.const -5
    i32.const 0
    i64.load offset=33640
    i64.const 2
    i64.eq
    select
  )
  (func (;41;) (type 17) (param i32 i32)
    (local i32 i32 i32 i32 i64 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i64 i64 i64 i64 i64 i64 i64 i32 i32 i32 i32)
    global.get 0
    i32.const 352
    i32.sub
    local.tee 2
    global.set 0
    i32.const 47376
    local.set 3
    local.get 1
    i32.const 64
    local.get 1
    i32.const 64
    i32.lt_u
    select
    i32.const 7
    i32.shl
    i32.const 47376
    i32.add
    local.set 4
    block ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      loop ;; label = @2
        local.get 3
        i32.const 16
        i32.add
        local.get 0
        i32.const 7
        i32.shl
        i32.const 8064
        i32.and
        local.tee 5
        i64.load offset=39200 align=1
        i64.store
        local.get 3
        i32.const 8
        i32.add
        local.get 5
        i64.load offset=39192 align=1
        i64.store
        local.get 3
        local.get 5
        i32.load8_u offset=39208
        i32.const 1
        i32.eq
        i64.extend_i32_u
        i64.store
        local.get 5
        i64.load offset=39184 align=1
        local.set 6
        local.get 3
        i32.const 24
        i32.add
        local.get 5
        i32.const 39216
        i32.add
        i32.const 96
        memory.copy
        local.get 3
        i32.const 120
        i32.add
        local.get 6
        i64.store
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 3
        i32.const 128
        i32.add
        local.tee 3
        local.get 4
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 7
      i32.const 0
      i32.const 0
      call 9
      local.tee 6
      i64.const 65536
      local.get 6
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 3
      i32.store offset=34104
      i32.const 0
      i32.const 0
      local.get 3
      i32.const -24
      i32.add
      local.tee 5
      local.get 5
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
      i64.store offset=33712
      block ;; label = @2
        local.get 1
        i32.eqz
        br_if 0 (;@2;)
        i64.const 0
        i64.const -1
        local.get 7
        i64.const 25
        i64.add
        local.tee 6
        local.get 6
        local.get 7
        i64.lt_u
        select
        local.tee 8
        local.get 7
        i64.sub
        local.tee 6
        local.get 6
        local.get 8
        i64.gt_u
        select
        local.tee 6
        i64.const 4294967295
        local.get 6
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        local.set 9
        local.get 2
        i32.const 176
        i32.add
        i32.const 8
        i32.add
        local.set 10
        local.get 2
        i32.const 176
        i32.add
        i32.const 96
        i32.add
        local.set 11
        local.get 2
        i32.const 176
        i32.add
        i32.const 40
        i32.add
        local.set 12
        local.get 7
        i32.wrap_i64
        local.set 13
        local.get 2
        i32.const 176
        i32.add
        i32.const 128
        i32.add
        local.set 14
        local.get 2
        i32.const 176
        i32.add
        i32.const 112
        i32.add
        local.set 15
        i32.const 47376
        local.set 16
        loop ;; label = @3
          block ;; label = @4
            local.get 16
            i32.load offset=124
            local.tee 3
            i32.const 24
            i32.lt_u
            br_if 0 (;@4;)
            local.get 16
            i32.load8_u offset=24
            local.tee 5
            i32.const 207
            i32.and
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
            local.get 16
            i32.load8_u offset=25
            local.tee 0
            i32.extend8_s
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
            local.get 5
            i32.const 32
            i32.and
            local.tee 17
            i32.const 0
            i32.ne
            local.get 0
            i32.const 3
            i32.and
            local.tee 1
            i32.eqz
            i32.and
            br_if 0 (;@4;)
            local.get 5
            i32.const 16
            i32.and
            local.tee 18
            i32.const 4
            i32.shr_u
            local.get 1
            i32.add
            i32.const 3
            i32.shl
            local.tee 19
            local.get 0
            i32.const 2
            i32.shr_u
            i32.const 3
            i32.and
            local.tee 20
            i32.const 4
            i32.shl
            i32.add
            i32.const 24
            i32.add
            local.get 3
            i32.const 96
            local.get 3
            i32.const 96
            i32.lt_u
            select
            local.tee 21
            i32.gt_u
            br_if 0 (;@4;)
            local.get 16
            i64.load offset=24 align=1
            local.set 6
            local.get 12
            i64.const 0
            i64.store
            local.get 12
            i64.const 0
            i64.store offset=8
            local.get 12
            i64.const 0
            i64.store offset=16
            local.get 12
            i64.const 0
            i64.store offset=24
            local.get 12
            i64.const 0
            i64.store offset=32
            local.get 12
            i64.const 0
            i64.store offset=40
            local.get 11
            i64.const 0
            i64.store
            local.get 11
            i64.const 0
            i64.store offset=8
            local.get 11
            i64.const 0
            i64.store offset=16
            local.get 11
            i64.const 0
            i64.store offset=24
            local.get 11
            i64.const 0
            i64.store offset=32
            local.get 11
            i64.const 0
            i64.store offset=40
            local.get 2
            local.get 0
            i32.const 63
            i32.gt_u
            i32.store8 offset=348
            local.get 2
            local.get 0
            i32.const 5
            i32.shr_u
            i32.const 1
            i32.and
            i32.store8 offset=347
            local.get 2
            local.get 0
            i32.const 4
            i32.shr_u
            i32.const 1
            i32.and
            i32.store8 offset=346
            local.get 2
            local.get 6
            i64.const 16
            i64.shr_u
            i64.store16 offset=344
            local.get 2
            local.get 6
            i64.const 32
            i64.shr_u
            i64.store32 offset=340
            local.get 2
            local.get 16
            i64.load offset=40 align=1
            local.tee 22
            i64.store offset=208
            local.get 2
            local.get 16
            i64.load offset=32 align=1
            local.tee 6
            i64.store offset=200
            local.get 2
            i32.const 0
            i32.store offset=264
            local.get 2
            i32.const 0
            i32.store offset=328
            local.get 2
            i32.const 0
            i32.store offset=320
            local.get 6
            i64.const 4611686018427387904
            i64.gt_u
            br_if 0 (;@4;)
            local.get 22
            i64.const 4611686018427387904
            i64.gt_u
            br_if 0 (;@4;)
            local.get 19
            local.set 0
            local.get 16
            i32.const 48
            i32.add
            local.tee 23
            local.set 5
            block ;; label = @5
              local.get 18
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              i32.const 1
              i32.store offset=328
              local.get 2
              local.get 16
              i64.load offset=48 align=1
              i64.store offset=332 align=4
              local.get 19
              i32.const -8
              i32.add
              local.set 0
              local.get 16
              i32.const 56
              i32.add
              local.set 5
            end
            i64.const 0
            local.set 24
            block ;; label = @5
              local.get 17
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              i32.const 8
              i32.lt_u
              br_if 1 (;@4;)
              local.get 5
              i64.load align=1
              local.tee 25
              i64.extend32_s
              local.tee 6
              i64.const 0
              i64.lt_s
              local.get 6
              local.get 22
              i64.add
              local.tee 26
              local.get 6
              i64.lt_u
              i32.xor
              br_if 1 (;@4;)
              local.get 25
              i64.const 32
              i64.shr_s
              local.tee 6
              i64.const 0
              i64.lt_s
              local.get 6
              local.get 22
              i64.add
              local.tee 25
              local.get 6
              i64.lt_u
              i32.xor
              br_if 1 (;@4;)
              local.get 0
              i32.const -8
              i32.add
              local.set 0
              local.get 5
              i32.const 8
              i32.add
              local.set 5
              local.get 2
              local.get 25
              i64.store offset=192
              local.get 2
              local.get 26
              i64.store offset=184
              i64.const 1
              local.set 24
              local.get 2
              i64.const 1
              i64.store offset=176
            end
            block ;; label = @5
              local.get 0
              i32.const 8
              i32.lt_u
              br_if 0 (;@5;)
              i32.const 0
              local.set 3
              loop ;; label = @6
                local.get 5
                i64.load align=1
                local.tee 6
                i64.const 4294967295
                i64.and
                local.tee 25
                local.get 6
                i64.const 32
                i64.shr_u
                local.tee 6
                i64.ge_u
                br_if 2 (;@4;)
                i32.const 0
                local.set 1
                block ;; label = @7
                  local.get 3
                  i32.const 2
                  i32.gt_u
                  br_if 0 (;@7;)
                  local.get 12
                  local.get 3
                  i32.const 4
                  i32.shl
                  i32.add
                  local.tee 3
                  local.get 25
                  local.get 22
                  i64.add
                  i64.store
                  local.get 3
                  local.get 6
                  local.get 22
                  i64.add
                  i64.store offset=8
                  i32.const 1
                  local.set 1
                  local.get 2
                  i32.load offset=264
                  local.set 3
                end
                local.get 5
                i32.const 8
                i32.add
                local.set 5
                local.get 2
                local.get 3
                local.get 1
                i32.add
                local.tee 3
                i32.store offset=264
                local.get 0
                i32.const -8
                i32.add
                local.tee 0
                i32.const 8
                i32.ge_u
                br_if 0 (;@6;)
              end
            end
            block ;; label = @5
              local.get 20
              i32.eqz
              br_if 0 (;@5;)
              local.get 21
              local.get 19
              i32.sub
              i32.const -24
              i32.add
              i32.const -16
              i32.and
              local.tee 0
              i32.eqz
              br_if 0 (;@5;)
              local.get 23
              local.get 19
              i32.add
              local.set 5
              i32.const 0
              local.set 1
              block ;; label = @6
                local.get 2
                i32.load offset=320
                local.tee 3
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 3
                i32.const 4
                i32.shl
                i32.add
                local.tee 3
                local.get 5
                i64.load offset=8 align=1
                i64.store
                local.get 3
                local.get 5
                i64.load align=1
                i64.store offset=8
                i32.const 1
                local.set 1
                local.get 2
                i32.load offset=320
                local.set 3
              end
              local.get 2
              local.get 3
              local.get 1
              i32.add
              i32.store offset=320
              local.get 20
              i32.const 1
              i32.eq
              br_if 0 (;@5;)
              local.get 0
              i32.const 16
              i32.eq
              br_if 0 (;@5;)
              i32.const 0
              local.set 1
              block ;; label = @6
                local.get 2
                i32.load offset=320
                local.tee 3
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 3
                i32.const 4
                i32.shl
                i32.add
                local.tee 3
                local.get 5
                i64.load offset=24 align=1
                i64.store
                local.get 3
                local.get 5
                i64.load offset=16 align=1
                i64.store offset=8
                i32.const 1
                local.set 1
                local.get 2
                i32.load offset=320
                local.set 3
              end
              local.get 2
              local.get 3
              local.get 1
              i32.add
              i32.store offset=320
              local.get 20
              i32.const 2
              i32.eq
              br_if 0 (;@5;)
              local.get 0
              i32.const 32
              i32.eq
              br_if 0 (;@5;)
              i32.const 0
              local.set 0
              block ;; label = @6
                local.get 2
                i32.load offset=320
                local.tee 3
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 3
                i32.const 4
                i32.shl
                i32.add
                local.tee 3
                local.get 5
                i64.load offset=40 align=1
                i64.store
                local.get 3
                local.get 5
                i64.load offset=32 align=1
                i64.store offset=8
                i32.const 1
                local.set 0
                local.get 2
                i32.load offset=320
                local.set 3
              end
              local.get 2
              local.get 3
              local.get 0
              i32.add
              i32.store offset=320
            end
            local.get 2
            i32.const 8
            i32.add
            local.get 10
            i32.const 168
            memory.copy
            local.get 2
            local.get 24
            i64.store offset=176
            local.get 10
            local.get 2
            i32.const 8
            i32.add
            i32.const 168
            memory.copy
            block ;; label = @5
              local.get 2
              i64.load offset=208
              local.tee 27
              i32.const 0
              i64.load offset=33920
              i64.gt_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  i32.load offset=320
                  local.tee 3
                  i32.const 4
                  i32.ge_u
                  br_if 0 (;@7;)
                  local.get 3
                  i32.eqz
                  br_if 1 (;@6;)
                  local.get 3
                  i32.const 4
                  i32.shl
                  local.tee 3
                  i32.const 96
                  i32.add
                  local.set 19
                  i32.const 0
                  i64.load offset=34056
                  local.set 22
                  i32.const 0
                  i32.load offset=34068
                  local.set 17
                  i32.const 0
                  i32.load offset=34064
                  local.set 1
                  local.get 2
                  i32.load16_u offset=344
                  local.set 18
                  loop ;; label = @8
                    local.get 2
                    i32.const 176
                    i32.add
                    local.get 3
                    i32.add
                    local.tee 5
                    i32.const 80
                    i32.add
                    i64.load
                    local.set 6
                    local.get 5
                    i32.const 92
                    i32.add
                    i32.load
                    local.set 0
                    block ;; label = @9
                      block ;; label = @10
                        local.get 1
                        local.get 5
                        i32.const 88
                        i32.add
                        i32.load
                        local.tee 5
                        i32.ne
                        br_if 0 (;@10;)
                        local.get 17
                        local.get 0
                        i32.ne
                        br_if 0 (;@10;)
                        local.get 22
                        local.get 6
                        i64.eq
                        br_if 1 (;@9;)
                      end
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34080
                        local.get 5
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=34084
                        local.get 0
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.load offset=34072
                        local.get 6
                        i64.eq
                        br_if 1 (;@9;)
                      end
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34096
                        local.get 5
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=34100
                        local.get 0
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.load offset=34088
                        local.get 6
                        i64.eq
                        br_if 1 (;@9;)
                      end
                      block ;; label = @10
                        i32.const 0
                        i64.load offset=34048
                        local.tee 26
                        i64.const -4294967296
                        i64.and
                        local.get 0
                        i64.extend_i32_u
                        i64.or
                        local.tee 25
                        local.get 26
                        i64.le_u
                        br_if 0 (;@10;)
                        local.get 26
                        i64.const 4294967296
                        i64.lt_u
                        br_if 1 (;@9;)
                        local.get 25
                        i64.const -4294967296
                        i64.add
                        local.set 25
                      end
                      local.get 25
                      i64.eqz
                      br_if 0 (;@9;)
                      block ;; label = @10
                        local.get 25
                        i64.const -1
                        i64.add
                        local.tee 28
                        i64.const -4294967296
                        i64.and
                        local.get 5
                        i64.extend_i32_u
                        i64.or
                        local.tee 26
                        local.get 28
                        i64.le_u
                        br_if 0 (;@10;)
                        local.get 25
                        i64.const 4294967297
                        i64.lt_u
                        br_if 1 (;@9;)
                        local.get 26
                        i64.const -4294967296
                        i64.add
                        local.set 26
                      end
                      local.get 26
                      local.get 25
                      local.get 6
                      local.get 18
                      i32.const 0
                      local.get 3
                      i32.const 16
                      i32.eq
                      select
                      call 12
                      drop
                      i32.const 0
                      i64.load offset=34056
                      local.set 22
                      i32.const 0
                      i32.load offset=34068
                      local.set 17
                      i32.const 0
                      i32.load offset=34064
                      local.set 1
                    end
                    local.get 3
                    i32.const -16
                    i32.add
                    local.tee 3
                    br_if 0 (;@8;)
                  end
                  i32.const 0
                  local.get 11
                  i64.load offset=8
                  i64.store offset=34064
                  i32.const 0
                  local.get 11
                  i64.load
                  i64.store offset=34056
                  local.get 19
                  i32.const 112
                  i32.eq
                  br_if 1 (;@6;)
                  i32.const 0
                  local.get 15
                  i64.load offset=8
                  i64.store offset=34080
                  i32.const 0
                  local.get 15
                  i64.load
                  i64.store offset=34072
                  local.get 19
                  i32.const 128
                  i32.eq
                  br_if 1 (;@6;)
                  i32.const 0
                  local.get 14
                  i64.load offset=8
                  i64.store offset=34096
                  i32.const 0
                  local.get 14
                  i64.load
                  i64.store offset=34088
                  local.get 19
                  i32.const 144
                  i32.eq
                  br_if 1 (;@6;)
                  call 42
                  unreachable
                end
                i32.const 0
                local.get 3
                i32.const 3
                i32.const 33488
                call 20
                unreachable
              end
              block ;; label = @6
                local.get 27
                local.get 2
                i64.load32_u offset=340
                i64.add
                local.tee 6
                i32.const 0
                i64.load offset=34016
                i64.le_u
                br_if 0 (;@6;)
                i32.const 0
                local.get 6
                i64.store offset=34016
                i32.const 0
                i32.const 0
                i32.store offset=33976
              end
              i32.const 0
              i32.const 0
              i32.store offset=34108
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        local.get 2
                        i32.load offset=264
                        local.tee 3
                        i32.const 4
                        i32.ge_u
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.load offset=33912
                        local.set 28
                        i32.const 0
                        i64.load offset=33920
                        local.set 29
                        block ;; label = @11
                          local.get 3
                          i32.eqz
                          br_if 0 (;@11;)
                          local.get 12
                          local.get 3
                          i32.const 4
                          i32.shl
                          i32.add
                          local.set 20
                          local.get 12
                          local.set 18
                          loop ;; label = @12
                            local.get 18
                            i64.load offset=8
                            local.set 25
                            local.get 18
                            i64.load
                            local.tee 26
                            call 19
                            local.set 3
                            i32.const 0
                            i32.load offset=33908
                            local.tee 5
                            local.get 3
                            i32.lt_u
                            br_if 3 (;@9;)
                            i32.const 0
                            local.set 0
                            block ;; label = @13
                              block ;; label = @14
                                local.get 5
                                local.get 3
                                i32.ne
                                br_if 0 (;@14;)
                                i32.const 0
                                local.set 3
                                i32.const 0
                                local.set 5
                                br 1 (;@13;)
                              end
                              block ;; label = @14
                                local.get 5
                                local.get 3
                                i32.sub
                                local.tee 1
                                i32.const 0
                                i32.load offset=33896
                                local.tee 5
                                i32.const 0
                                i32.load offset=33904
                                local.get 3
                                i32.add
                                local.tee 3
                                i32.const 0
                                local.get 5
                                local.get 3
                                local.get 5
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 3
                                i32.sub
                                local.tee 17
                                i32.le_u
                                br_if 0 (;@14;)
                                local.get 1
                                local.get 17
                                i32.sub
                                local.set 0
                                br 1 (;@13;)
                              end
                              local.get 3
                              local.get 1
                              i32.add
                              local.set 5
                            end
                            local.get 18
                            i32.const 16
                            i32.add
                            local.set 18
                            i32.const 0
                            i32.load offset=33900
                            local.tee 1
                            local.get 0
                            i32.const 5
                            i32.shl
                            i32.add
                            local.set 17
                            local.get 1
                            local.get 5
                            i32.const 5
                            i32.shl
                            i32.add
                            local.set 0
                            local.get 1
                            local.get 3
                            i32.const 5
                            i32.shl
                            i32.add
                            local.set 5
                            block ;; label = @13
                              loop ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    local.get 5
                                    local.get 0
                                    i32.eq
                                    br_if 0 (;@16;)
                                    local.get 5
                                    local.set 3
                                    br 1 (;@15;)
                                  end
                                  local.get 1
                                  local.get 17
                                  i32.eq
                                  local.set 19
                                  local.get 1
                                  local.set 3
                                  local.get 17
                                  local.set 0
                                  local.get 5
                                  local.set 17
                                  local.get 5
                                  local.set 1
                                  local.get 19
                                  br_if 2 (;@13;)
                                end
                                local.get 3
                                i64.load
                                local.tee 6
                                local.get 3
                                i64.load32_u offset=16
                                local.tee 22
                                i64.add
                                local.get 25
                                i64.gt_u
                                br_if 1 (;@13;)
                                local.get 3
                                i32.const 32
                                i32.add
                                local.set 5
                                local.get 6
                                local.get 26
                                i64.lt_u
                                br_if 0 (;@14;)
                                block ;; label = @15
                                  block ;; label = @16
                                    local.get 3
                                    i32.load8_u offset=24
                                    i32.const -1
                                    i32.add
                                    br_table 2 (;@14;) 0 (;@16;) 1 (;@15;)
                                  end
                                  i32.const 0
                                  i32.const 0
                                  i64.load offset=33936
                                  local.get 22
                                  i64.sub
                                  i64.store offset=33936
                                  local.get 3
                                  i64.load32_u offset=16
                                  local.set 22
                                end
                                local.get 3
                                i32.const 1
                                i32.store8 offset=24
                                i32.const 0
                                i32.const 0
                                i64.load offset=33928
                                local.get 22
                                i64.add
                                i64.store offset=33928
                                br 0 (;@14;)
                              end
                            end
                            local.get 18
                            local.get 20
                            i32.ne
                            br_if 0 (;@12;)
                          end
                        end
                        block ;; label = @11
                          local.get 27
                          local.get 28
                          i64.gt_u
                          br_if 0 (;@11;)
                          local.get 27
                          local.get 28
                          i64.ne
                          br_if 6 (;@5;)
                          local.get 29
                          local.get 28
                          i64.eq
                          br_if 6 (;@5;)
                          local.get 2
                          i32.load8_u offset=348
                          i32.const 1
                          i32.and
                          i32.eqz
                          br_if 6 (;@5;)
                          i32.const 0
                          i32.const 0
                          i32.load offset=33744
                          i32.const 1
                          i32.add
                          local.tee 5
                          i32.store offset=33744
                          i32.const 0
                          i32.load8_u offset=33889
                          local.tee 3
                          i32.const 2
                          i32.eq
                          br_if 6 (;@5;)
                          i32.const 0
                          i32.const 0
                          i64.load offset=33920
                          local.tee 26
                          i32.const 0
                          i64.load offset=33912
                          local.tee 25
                          i64.sub
                          local.tee 6
                          i32.const 0
                          i64.load offset=33728
                          i32.const 0
                          i64.load offset=33712
                          local.tee 27
                          i64.add
                          local.tee 22
                          local.get 6
                          local.get 22
                          i64.lt_u
                          select
                          i64.store offset=33728
                          local.get 3
                          br_if 6 (;@5;)
                          local.get 5
                          i32.const 3
                          i32.lt_u
                          br_if 6 (;@5;)
                          local.get 26
                          local.get 25
                          i64.eq
                          br_if 6 (;@5;)
                          local.get 25
                          i32.const 0
                          i64.load offset=33736
                          i64.lt_u
                          br_if 6 (;@5;)
                          block ;; label = @12
                            i32.const 0
                            i32.load offset=33908
                            i32.eqz
                            br_if 0 (;@12;)
                            i32.const 0
                            i32.load offset=33900
                            i32.const 0
                            i32.load offset=33904
                            local.tee 3
                            i32.const 0
                            i32.const 0
                            i32.load offset=33896
                            local.tee 0
                            local.get 3
                            local.get 0
                            i32.lt_u
                            select
                            i32.sub
                            i32.const 5
                            i32.shl
                            i32.add
                            local.tee 3
                            i32.load8_u offset=24
                            br_if 0 (;@12;)
                            local.get 3
                            i32.const 2
                            i32.store8 offset=24
                            i32.const 0
                            i32.const 0
                            i64.load offset=33936
                            local.get 3
                            i64.load32_u offset=16
                            i64.add
                            i64.store offset=33936
                            i32.const 0
                            local.get 3
                            i64.load
                            local.tee 6
                            i32.const 0
                            i64.load offset=33944
                            local.tee 22
                            local.get 6
                            local.get 22
                            i64.lt_u
                            select
                            i64.store offset=33944
                            i32.const 0
                            i64.load offset=33920
                            local.tee 26
                            i32.const 0
                            i64.load offset=33912
                            local.tee 25
                            i64.sub
                            local.set 6
                            i32.const 0
                            i64.load offset=33712
                            local.set 27
                          end
                          i32.const 0
                          local.get 26
                          i64.store offset=33736
                          i32.const 0
                          local.get 5
                          i32.store offset=33692
                          i32.const 0
                          local.get 25
                          i64.store offset=33680
                          i32.const 0
                          i64.const 0
                          i64.store offset=33664
                          i32.const 0
                          i64.const 1
                          i64.store offset=33640
                          i32.const 0
                          i64.const 0
                          i64.store offset=33720
                          i32.const 0
                          i32.const 257
                          i32.store16 offset=33888
                          i32.const 0
                          i32.const 0
                          i64.load offset=33704
                          i64.store offset=33656
                          i32.const 0
                          i32.const 0
                          i64.load offset=33696
                          i64.store offset=33648
                          i32.const 0
                          local.get 27
                          i64.const 1
                          i64.shl
                          local.tee 22
                          local.get 6
                          i64.const 1
                          i64.shr_u
                          local.tee 6
                          local.get 22
                          local.get 6
                          i64.gt_u
                          select
                          local.tee 6
                          i64.store offset=33704
                          i32.const 0
                          local.get 6
                          i64.store offset=33696
                          i32.const 0
                          i32.const 0
                          i32.store offset=33688
                          br 6 (;@5;)
                        end
                        block ;; label = @11
                          i32.const 0
                          i32.load offset=33908
                          local.tee 3
                          br_if 0 (;@11;)
                          i32.const 0
                          local.get 27
                          i32.const 0
                          i64.load offset=33912
                          local.tee 6
                          local.get 27
                          local.get 6
                          i64.gt_u
                          select
                          local.tee 6
                          i64.store offset=33912
                          br 5 (;@6;)
                        end
                        local.get 3
                        i32.const -1
                        i32.add
                        local.set 1
                        i32.const 0
                        i64.load offset=33928
                        local.set 30
                        i32.const 0
                        i64.load offset=33936
                        local.set 31
                        i32.const 0
                        i32.load offset=33904
                        local.set 5
                        i32.const 0
                        i32.load offset=33900
                        local.set 20
                        i32.const 0
                        i32.load offset=33896
                        local.set 0
                        i32.const 2
                        local.set 18
                        i32.const 1
                        local.set 17
                        loop ;; label = @11
                          i64.const 0
                          local.get 27
                          local.get 20
                          local.get 5
                          i32.const 0
                          local.get 0
                          local.get 5
                          local.get 0
                          i32.lt_u
                          select
                          i32.sub
                          i32.const 5
                          i32.shl
                          i32.add
                          local.tee 3
                          i64.load
                          local.tee 22
                          local.get 3
                          i32.load offset=16
                          local.tee 21
                          i64.extend_i32_u
                          i64.add
                          local.tee 6
                          local.get 27
                          local.get 6
                          i64.lt_u
                          select
                          local.tee 25
                          local.get 22
                          i64.sub
                          local.tee 26
                          local.get 26
                          local.get 25
                          i64.gt_u
                          select
                          local.set 25
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                local.get 3
                                i32.load8_u offset=24
                                local.tee 19
                                br_table 2 (;@12;) 0 (;@14;) 1 (;@13;) 2 (;@12;)
                              end
                              i32.const 0
                              local.get 30
                              local.get 25
                              i64.sub
                              local.tee 30
                              i64.store offset=33928
                              br 1 (;@12;)
                            end
                            i32.const 0
                            local.get 31
                            local.get 25
                            i64.sub
                            local.tee 31
                            i64.store offset=33936
                          end
                          local.get 6
                          local.get 27
                          i64.gt_u
                          br_if 3 (;@8;)
                          local.get 3
                          i32.load8_u offset=26
                          local.set 18
                          local.get 3
                          i32.load offset=20
                          local.set 32
                          local.get 3
                          i32.load8_u offset=25
                          local.set 3
                          i32.const 0
                          local.get 1
                          i32.store offset=33908
                          i32.const 0
                          local.get 5
                          i32.const 1
                          i32.add
                          local.tee 5
                          i32.const 0
                          local.get 0
                          local.get 5
                          local.get 0
                          i32.lt_u
                          select
                          i32.sub
                          local.tee 5
                          i32.store offset=33904
                          local.get 17
                          local.get 19
                          i32.eqz
                          local.get 3
                          i32.const 1
                          i32.xor
                          i32.and
                          i32.and
                          local.set 17
                          local.get 1
                          i32.const -1
                          i32.add
                          local.tee 1
                          i32.const -1
                          i32.ne
                          br_if 0 (;@11;)
                          br 4 (;@7;)
                        end
                      end
                      i32.const 0
                      local.get 3
                      i32.const 3
                      i32.const 33488
                      call 20
                      unreachable
                    end
                    local.get 3
                    local.get 5
                    local.get 5
                    i32.const 33548
                    call 20
                    unreachable
                  end
                  local.get 3
                  local.get 25
                  local.get 22
                  i64.add
                  i64.store
                  local.get 3
                  local.get 21
                  local.get 25
                  i32.wrap_i64
                  i32.sub
                  i32.store offset=16
                end
                i32.const 0
                local.get 27
                i32.const 0
                i64.load offset=33912
                local.tee 6
                local.get 27
                local.get 6
                i64.gt_u
                select
                local.tee 6
                i64.store offset=33912
                local.get 18
                i32.const 255
                i32.and
                i32.const 2
                i32.eq
                br_if 0 (;@6;)
                local.get 17
                i32.const 1
                i32.and
                i32.eqz
                br_if 0 (;@6;)
                i64.const 0
                local.get 13
                local.get 32
                i32.sub
                i64.extend_i32_u
                local.tee 22
                local.get 2
                i32.load16_u offset=344
                i32.const 1000
                i32.div_u
                i64.extend_i32_u
                i64.sub
                local.tee 25
                local.get 25
                local.get 22
                i64.gt_u
                select
                local.tee 22
                i64.const 1
                local.get 22
                i64.const 1
                i64.gt_u
                select
                local.set 22
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33960
                    local.tee 26
                    i64.const 0
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 22
                    i64.const 1
                    i64.shl
                    local.set 30
                    local.get 22
                    i64.const 3
                    i64.shl
                    local.set 22
                    br 1 (;@7;)
                  end
                  i32.const 0
                  i64.load offset=33968
                  local.tee 30
                  local.get 26
                  i64.const 3
                  i64.shr_u
                  local.tee 25
                  local.get 22
                  i64.sub
                  local.get 22
                  local.get 25
                  i64.sub
                  local.get 25
                  local.get 22
                  i64.gt_u
                  select
                  i64.add
                  local.get 30
                  i64.const 2
                  i64.shr_u
                  i64.sub
                  local.set 30
                  local.get 26
                  local.get 25
                  i64.sub
                  local.get 22
                  i64.add
                  local.set 22
                end
                i32.const 0
                local.get 30
                i64.store offset=33968
                i32.const 0
                local.get 22
                i64.store offset=33960
              end
              local.get 29
              local.get 28
              i64.sub
              local.set 25
              i32.const 0
              i32.const 0
              i32.load offset=33744
              local.tee 3
              i32.const 0
              i32.load offset=33692
              local.tee 5
              local.get 3
              local.get 5
              i32.gt_u
              select
              i32.store offset=33692
              i32.const 0
              i32.const 0
              i32.store offset=33976
              i32.const 0
              i32.const 0
              i32.store offset=33744
              local.get 27
              local.get 28
              i64.sub
              local.set 22
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load8_u offset=33889
                        local.tee 3
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.const 0
                        i64.store offset=33728
                        local.get 25
                        i64.const 1
                        i64.shl
                        i32.const 0
                        i64.load offset=33696
                        local.tee 6
                        i64.lt_u
                        br_if 4 (;@6;)
                        i32.const 0
                        i64.load offset=33712
                        local.set 25
                        local.get 6
                        i32.const 0
                        i64.load offset=33704
                        i64.lt_u
                        br_if 1 (;@9;)
                        i32.const 0
                        i32.const 0
                        i64.load offset=33720
                        local.get 22
                        i64.add
                        local.tee 22
                        i64.store offset=33720
                        local.get 22
                        local.get 6
                        i64.lt_u
                        br_if 4 (;@6;)
                        i32.const 0
                        local.get 22
                        local.get 6
                        i64.sub
                        i64.store offset=33720
                        br 3 (;@7;)
                      end
                      local.get 6
                      i32.const 0
                      i64.load offset=33736
                      i64.lt_u
                      br_if 1 (;@8;)
                      block ;; label = @10
                        local.get 3
                        i32.const 1
                        i32.ne
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.const 0
                        i64.load offset=33712
                        local.tee 22
                        i64.const 1
                        i64.shl
                        local.tee 25
                        local.get 22
                        i32.const 0
                        i64.load offset=33920
                        local.get 6
                        i64.sub
                        local.tee 6
                        local.get 22
                        local.get 6
                        i64.gt_u
                        select
                        local.get 22
                        i64.add
                        local.tee 6
                        i32.const 0
                        i64.load offset=33704
                        local.tee 22
                        local.get 6
                        local.get 22
                        i64.lt_u
                        select
                        local.tee 6
                        local.get 25
                        local.get 6
                        i64.gt_u
                        select
                        i64.store offset=33696
                      end
                      i32.const 0
                      i64.const 0
                      i64.store offset=33728
                      i32.const 0
                      i32.const 0
                      i32.store16 offset=33888
                      br 3 (;@6;)
                    end
                    local.get 25
                    i64.const 1
                    i64.shl
                    local.tee 25
                    local.get 22
                    local.get 25
                    local.get 22
                    i64.lt_u
                    select
                    local.set 25
                    br 1 (;@7;)
                  end
                  i32.const 0
                  i64.load offset=33712
                  local.set 6
                  block ;; label = @8
                    local.get 3
                    i32.const 2
                    i32.eq
                    br_if 0 (;@8;)
                    i32.const 0
                    i64.const 0
                    i32.const 0
                    i64.load offset=33728
                    local.tee 25
                    local.get 22
                    i64.sub
                    local.tee 26
                    local.get 26
                    local.get 25
                    i64.gt_u
                    select
                    i64.const 0
                    local.get 6
                    local.get 22
                    local.get 6
                    i64.lt_u
                    select
                    i64.add
                    i64.store offset=33728
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=33908
                      i32.eqz
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load offset=33900
                      i32.const 0
                      i32.load offset=33904
                      local.tee 3
                      i32.const 0
                      i32.const 0
                      i32.load offset=33896
                      local.tee 5
                      local.get 3
                      local.get 5
                      i32.lt_u
                      select
                      i32.sub
                      i32.const 5
                      i32.shl
                      i32.add
                      local.tee 3
                      i32.load8_u offset=24
                      br_if 0 (;@9;)
                      local.get 3
                      i32.const 2
                      i32.store8 offset=24
                      i32.const 0
                      i32.const 0
                      i64.load offset=33936
                      local.get 3
                      i64.load32_u offset=16
                      i64.add
                      i64.store offset=33936
                      i32.const 0
                      local.get 3
                      i64.load
                      local.tee 6
                      i32.const 0
                      i64.load offset=33944
                      local.tee 22
                      local.get 6
                      local.get 22
                      i64.lt_u
                      select
                      i64.store offset=33944
                    end
                    i32.const 0
                    i32.const 1
                    i32.store8 offset=33888
                    br 2 (;@6;)
                  end
                  local.get 25
                  i64.const 1
                  i64.shl
                  i32.const 0
                  i64.load offset=33696
                  local.tee 25
                  i64.lt_u
                  br_if 1 (;@6;)
                  block ;; label = @8
                    block ;; label = @9
                      local.get 25
                      i32.const 0
                      i64.load offset=33704
                      i64.lt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.const 0
                      i64.load offset=33720
                      local.get 22
                      i64.add
                      local.tee 22
                      i64.store offset=33720
                      local.get 22
                      local.get 25
                      i64.lt_u
                      br_if 3 (;@6;)
                      i32.const 0
                      local.get 22
                      local.get 25
                      i64.sub
                      i64.store offset=33720
                      br 1 (;@8;)
                    end
                    local.get 6
                    local.get 22
                    local.get 6
                    local.get 22
                    i64.lt_u
                    select
                    local.set 6
                  end
                  i32.const 0
                  local.get 6
                  local.get 25
                  i64.add
                  i64.store offset=33696
                  br 1 (;@6;)
                end
                i32.const 0
                local.get 25
                local.get 6
                i64.add
                i64.store offset=33696
              end
              i32.const 0
              i64.load offset=34008
              local.tee 6
              local.get 27
              local.get 6
              local.get 27
              i64.lt_u
              select
              call 13
              drop
              block ;; label = @6
                i32.const 0
                i64.load offset=33920
                i32.const 0
                i64.load offset=33912
                i64.ne
                br_if 0 (;@6;)
                i32.const 0
                i64.const -1
                i64.store offset=33984
                br 1 (;@5;)
              end
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i64.load offset=33960
                  local.tee 6
                  i64.eqz
                  i32.eqz
                  br_if 0 (;@7;)
                  i64.const 1000
                  local.set 6
                  br 1 (;@6;)
                end
                i32.const 0
                i64.load offset=33968
                local.tee 22
                i64.const 1
                local.get 22
                i64.const 1
                i64.gt_u
                select
                local.get 6
                i64.const 3
                i64.shr_u
                i64.add
                local.tee 6
                i64.const 200
                local.get 6
                i64.const 200
                i64.gt_u
                select
                local.set 6
              end
              i32.const 0
              i64.const -1
              local.get 6
              i32.const 0
              i32.load offset=33976
              local.tee 3
              i32.const 16
              local.get 3
              i32.const 16
              i32.lt_u
              select
              i64.extend_i32_u
              i64.shl
              local.tee 6
              i64.const 60000
              local.get 6
              i64.const 60000
              i64.lt_u
              select
              local.get 7
              i64.add
              i64.const 25
              i64.add
              local.tee 6
              local.get 6
              local.get 7
              i64.lt_u
              select
              local.tee 6
              i64.store offset=33984
              local.get 6
              i32.const 0
              i64.load offset=33992
              i64.ge_u
              br_if 0 (;@5;)
              i32.const 0
              i32.load offset=34000
              i64.const 0
              local.get 6
              local.get 7
              i64.sub
              local.tee 22
              local.get 22
              local.get 6
              i64.gt_u
              select
              local.tee 22
              i64.const 4294967295
              local.get 22
              i64.const 4294967295
              i64.lt_u
              select
              i32.wrap_i64
              call 2
              i64.const 0
              i64.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.get 6
              i64.store offset=33992
            end
            block ;; label = @5
              local.get 16
              i64.load
              i64.const 1
              i64.ne
              br_if 0 (;@5;)
              local.get 16
              i64.load offset=8
              local.tee 6
              i64.const 1
              i64.add
              local.tee 22
              i64.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34992
                        local.tee 17
                        i32.const 33
                        i32.ge_u
                        br_if 0 (;@10;)
                        local.get 16
                        i64.load offset=16
                        local.set 25
                        local.get 17
                        i32.const 24
                        i32.mul
                        local.set 3
                        local.get 17
                        local.set 5
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    loop ;; label = @17
                                      local.get 5
                                      local.set 0
                                      local.get 3
                                      i32.eqz
                                      br_if 1 (;@16;)
                                      local.get 0
                                      i32.const -1
                                      i32.add
                                      local.set 5
                                      local.get 3
                                      i32.const 34200
                                      i32.add
                                      local.set 1
                                      local.get 3
                                      i32.const -24
                                      i32.add
                                      local.set 3
                                      local.get 1
                                      i64.load
                                      local.get 6
                                      i64.gt_u
                                      br_if 0 (;@17;)
                                    end
                                    local.get 6
                                    local.get 5
                                    i32.const 24
                                    i32.mul
                                    local.tee 1
                                    i64.load offset=34232
                                    local.tee 26
                                    i64.lt_u
                                    br_if 11 (;@5;)
                                    local.get 0
                                    local.get 17
                                    i32.lt_u
                                    br_if 1 (;@15;)
                                    local.get 26
                                    local.get 6
                                    i64.eq
                                    br_if 4 (;@12;)
                                    br 7 (;@9;)
                                  end
                                  i32.const 1
                                  local.set 0
                                  i32.const 0
                                  local.set 5
                                  block ;; label = @16
                                    local.get 17
                                    br_if 0 (;@16;)
                                    i32.const 0
                                    local.set 17
                                    br 8 (;@8;)
                                  end
                                  i32.const 34224
                                  local.set 3
                                  i32.const 0
                                  i64.load offset=34224
                                  local.get 22
                                  i64.eq
                                  br_if 1 (;@14;)
                                  local.get 17
                                  i32.const 32
                                  i32.ne
                                  br_if 7 (;@8;)
                                  br 10 (;@5;)
                                end
                                local.get 0
                                i32.const 24
                                i32.mul
                                local.tee 19
                                i32.const 34224
                                i32.add
                                local.set 3
                                local.get 19
                                i64.load offset=34224
                                local.set 27
                                local.get 26
                                local.get 6
                                i64.eq
                                br_if 1 (;@13;)
                                local.get 27
                                local.get 22
                                i64.ne
                                br_if 5 (;@9;)
                              end
                              local.get 3
                              local.get 6
                              i64.store
                              local.get 3
                              local.get 3
                              i64.load offset=16
                              local.get 25
                              i64.xor
                              i64.store offset=16
                              i32.const 0
                              local.get 7
                              i64.store offset=35000
                              br 8 (;@5;)
                            end
                            local.get 27
                            local.get 22
                            i64.eq
                            br_if 1 (;@11;)
                          end
                          local.get 1
                          local.get 22
                          i64.store offset=34232
                          local.get 1
                          local.get 1
                          i64.load offset=34240
                          local.get 25
                          i64.xor
                          i64.store offset=34240
                          i32.const 0
                          local.get 7
                          i64.store offset=35000
                          br 6 (;@5;)
                        end
                        local.get 3
                        i64.load offset=16
                        local.set 6
                        local.get 1
                        local.get 3
                        i64.load offset=8
                        i64.store offset=34232
                        local.get 1
                        local.get 6
                        local.get 1
                        i64.load offset=34240
                        i64.xor
                        local.get 25
                        i64.xor
                        i64.store offset=34240
                        block ;; label = @11
                          local.get 17
                          local.get 0
                          i32.const 1
                          i32.add
                          local.tee 5
                          i32.sub
                          i32.const 24
                          i32.mul
                          local.tee 0
                          i32.eqz
                          br_if 0 (;@11;)
                          local.get 3
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.const 34224
                          i32.add
                          local.get 0
                          memory.copy
                        end
                        i32.const 0
                        i32.const 0
                        i32.load offset=34992
                        i32.const -1
                        i32.add
                        i32.store offset=34992
                        i32.const 0
                        local.get 7
                        i64.store offset=35000
                        br 5 (;@5;)
                      end
                      i32.const 0
                      local.get 17
                      i32.const 32
                      i32.const 33596
                      call 20
                      unreachable
                    end
                    block ;; label = @9
                      local.get 17
                      i32.const 32
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 0
                      i32.eqz
                      br_if 4 (;@5;)
                      i32.const 34224
                      i32.const 34248
                      i32.const 744
                      memory.copy
                      i32.const 31
                      local.set 17
                      i32.const 0
                      i32.const 31
                      i32.store offset=34992
                      br 1 (;@8;)
                    end
                    local.get 0
                    local.get 17
                    i32.gt_u
                    br_if 1 (;@7;)
                    local.get 0
                    local.set 5
                    local.get 0
                    i32.const 1
                    i32.add
                    local.set 0
                  end
                  local.get 0
                  i32.const 32
                  local.get 17
                  local.get 5
                  i32.sub
                  local.tee 1
                  i32.sub
                  i32.gt_u
                  br_if 1 (;@6;)
                  local.get 5
                  i32.const 24
                  i32.mul
                  local.set 3
                  block ;; label = @8
                    local.get 1
                    i32.const 24
                    i32.mul
                    local.tee 5
                    i32.eqz
                    br_if 0 (;@8;)
                    local.get 0
                    i32.const 24
                    i32.mul
                    i32.const 34224
                    i32.add
                    local.get 3
                    i32.const 34224
                    i32.add
                    local.get 5
                    memory.copy
                  end
                  local.get 3
                  local.get 6
                  i64.store offset=34224
                  local.get 3
                  local.get 25
                  i64.store offset=34240
                  local.get 3
                  local.get 22
                  i64.store offset=34232
                  i32.const 0
                  i32.const 0
                  i32.load offset=34992
                  i32.const 1
                  i32.add
                  i32.store offset=34992
                  i32.const 0
                  local.get 7
                  i64.store offset=35000
                  br 2 (;@5;)
                end
                local.get 0
                local.get 17
                i32.const 32
                i32.const 33548
                call 20
                unreachable
              end
              i32.const 33612
              i32.const 43
              i32.const 33580
              call 43
              unreachable
            end
            local.get 2
            i32.load8_u offset=346
            local.set 3
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 16
                          i32.load offset=124
                          local.tee 5
                          local.get 2
                          i32.load offset=320
                          i32.const 4
                          i32.shl
                          i32.const 32
                          i32.const 24
                          local.get 2
                          i32.load offset=328
                          select
                          i32.add
                          local.get 2
                          i32.load offset=264
                          local.get 24
                          i32.wrap_i64
                          i32.add
                          i32.const 3
                          i32.shl
                          i32.add
                          local.tee 18
                          i32.gt_u
                          br_if 0 (;@11;)
                          local.get 3
                          i32.const 1
                          i32.and
                          i32.eqz
                          br_if 1 (;@10;)
                        end
                        local.get 2
                        i64.load offset=200
                        local.tee 6
                        i32.const 0
                        local.get 5
                        local.get 18
                        i32.sub
                        local.tee 0
                        local.get 0
                        local.get 5
                        i32.gt_u
                        select
                        local.tee 0
                        i64.extend_i32_u
                        i64.add
                        local.set 22
                        local.get 3
                        i32.const 1
                        i32.and
                        br_if 1 (;@9;)
                        local.get 6
                        i32.const 0
                        i64.load offset=34176
                        local.tee 25
                        i64.gt_u
                        local.set 3
                        local.get 22
                        local.get 25
                        i64.le_u
                        br_if 2 (;@8;)
                        br 3 (;@7;)
                      end
                      local.get 2
                      i32.load8_u offset=347
                      i32.const 1
                      i32.ne
                      br_if 5 (;@4;)
                      local.get 7
                      i32.const 0
                      call 26
                      br 5 (;@4;)
                    end
                    i32.const 0
                    i64.load offset=34176
                    local.set 25
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=34120
                      br_if 0 (;@9;)
                      local.get 22
                      local.get 25
                      i64.lt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 22
                      i64.store offset=34128
                      i32.const 0
                      i64.const 1
                      i64.store offset=34120
                    end
                    local.get 6
                    local.get 25
                    i64.gt_u
                    local.set 3
                    local.get 22
                    local.get 25
                    i64.ge_u
                    br_if 1 (;@7;)
                  end
                  local.get 3
                  br_if 1 (;@6;)
                  local.get 7
                  i32.const 0
                  call 26
                  br 3 (;@4;)
                end
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load8_u offset=35052
                    br_if 0 (;@8;)
                    local.get 3
                    i32.eqz
                    br_if 1 (;@7;)
                    i32.const 0
                    i32.load offset=35040
                    local.tee 3
                    i32.const 2
                    i32.lt_u
                    br_if 2 (;@6;)
                    i32.const 0
                    i32.load offset=35036
                    local.set 19
                    i32.const 0
                    local.set 0
                    loop ;; label = @9
                      local.get 3
                      i32.const 1
                      i32.shr_u
                      local.tee 1
                      local.get 0
                      i32.add
                      local.tee 17
                      local.get 0
                      local.get 19
                      local.get 17
                      i32.const 4
                      i32.shl
                      i32.add
                      i32.const 8
                      i32.add
                      i64.load
                      local.get 6
                      i64.lt_u
                      select
                      local.set 0
                      local.get 3
                      local.get 1
                      i32.sub
                      local.tee 3
                      i32.const 1
                      i32.gt_u
                      br_if 0 (;@9;)
                      br 3 (;@6;)
                    end
                  end
                  local.get 3
                  br_if 1 (;@6;)
                  local.get 7
                  i32.const 0
                  call 26
                  br 3 (;@4;)
                end
                i32.const 1
                local.set 5
                block ;; label = @7
                  local.get 25
                  local.get 6
                  i64.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=34172
                  local.set 3
                  block ;; label = @8
                    local.get 22
                    local.get 25
                    i64.le_u
                    br_if 0 (;@8;)
                    local.get 16
                    i32.load offset=120
                    local.get 18
                    local.get 25
                    local.get 6
                    i64.sub
                    i32.wrap_i64
                    i32.add
                    local.get 0
                    local.get 18
                    i32.add
                    call 5
                    i64.const 0
                    i64.lt_s
                    br_if 1 (;@7;)
                    i32.const 0
                    i32.const 1
                    i32.store8 offset=35053
                    i32.const 0
                    local.get 22
                    i64.store offset=34176
                  end
                  local.get 3
                  i32.const 0
                  i32.ne
                  local.set 5
                end
                call 27
                i32.const 0
                i32.load8_u offset=35052
                local.set 3
                block ;; label = @7
                  i32.const 0
                  i64.load offset=34120
                  i64.const 1
                  i64.ne
                  br_if 0 (;@7;)
                  i32.const 0
                  i64.load offset=34128
                  i32.const 0
                  i64.load offset=34176
                  i64.ne
                  br_if 0 (;@7;)
                  local.get 3
                  i32.const 1
                  i32.and
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.const 257
                  i32.store16 offset=35052
                  call 14
                  i32.const 0
                  i32.load8_u offset=35052
                  local.set 3
                end
                i32.const 0
                local.set 21
                i32.const 0
                i32.const 0
                i32.load offset=35044
                i32.const 1
                i32.add
                local.tee 0
                i32.store offset=35044
                local.get 5
                local.get 3
                i32.or
                i32.const 1
                i32.and
                br_if 1 (;@5;)
                local.get 0
                i32.const 1
                i32.gt_u
                br_if 1 (;@5;)
                i32.const 0
                i64.load offset=35008
                i64.const -1
                i64.ne
                br_if 2 (;@4;)
                i32.const 0
                local.get 8
                i64.store offset=35008
                local.get 8
                i32.const 0
                i64.load offset=35016
                i64.ge_u
                br_if 2 (;@4;)
                i32.const 0
                i32.load offset=35024
                local.get 9
                call 2
                i64.const 0
                i64.lt_s
                br_if 2 (;@4;)
                i32.const 0
                local.get 8
                i64.store offset=35016
                br 2 (;@4;)
              end
              i32.const 1
              local.set 21
              local.get 5
              local.get 18
              i32.le_u
              br_if 0 (;@5;)
              local.get 22
              local.get 25
              i64.sub
              i64.const 4294967295
              i64.gt_u
              br_if 0 (;@5;)
              i32.const 0
              local.set 5
              i32.const 0
              i32.load offset=35036
              local.set 1
              i32.const 0
              i32.load offset=35040
              local.tee 20
              local.tee 3
              local.set 23
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 20
                    br_table 2 (;@6;) 1 (;@7;) 0 (;@8;)
                  end
                  i32.const 0
                  local.set 5
                  local.get 3
                  local.set 0
                  loop ;; label = @8
                    local.get 0
                    i32.const 1
                    i32.shr_u
                    local.tee 17
                    local.get 5
                    i32.add
                    local.tee 19
                    local.get 5
                    local.get 1
                    local.get 19
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 8
                    i32.add
                    i64.load
                    local.get 6
                    i64.lt_u
                    select
                    local.set 5
                    local.get 0
                    local.get 17
                    i32.sub
                    local.tee 0
                    i32.const 1
                    i32.gt_u
                    br_if 0 (;@8;)
                  end
                end
                local.get 5
                local.get 1
                local.get 5
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 6
                i64.lt_u
                i32.add
                local.set 23
              end
              i32.const 0
              local.set 5
              i32.const 0
              local.set 17
              block ;; label = @6
                local.get 23
                local.get 20
                i32.eq
                br_if 0 (;@6;)
                local.get 20
                i32.const 4
                i32.shl
                local.get 23
                i32.const 4
                i32.shl
                local.tee 0
                i32.sub
                local.set 19
                local.get 1
                local.get 0
                i32.add
                local.set 0
                i32.const 0
                local.set 17
                loop ;; label = @7
                  local.get 0
                  i64.load
                  local.get 22
                  i64.gt_u
                  br_if 1 (;@6;)
                  local.get 17
                  i32.const 1
                  i32.add
                  local.set 17
                  local.get 0
                  i32.const 16
                  i32.add
                  local.set 0
                  local.get 19
                  i32.const -16
                  i32.add
                  local.tee 19
                  br_if 0 (;@7;)
                end
              end
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 20
                    br_table 2 (;@6;) 1 (;@7;) 0 (;@8;)
                  end
                  i32.const 0
                  local.set 5
                  loop ;; label = @8
                    local.get 3
                    i32.const 1
                    i32.shr_u
                    local.tee 0
                    local.get 5
                    i32.add
                    local.tee 19
                    local.get 5
                    local.get 1
                    local.get 19
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 8
                    i32.add
                    i64.load
                    local.get 6
                    i64.lt_u
                    select
                    local.set 5
                    local.get 3
                    local.get 0
                    i32.sub
                    local.tee 3
                    i32.const 1
                    i32.gt_u
                    br_if 0 (;@8;)
                  end
                end
                local.get 5
                local.get 1
                local.get 5
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 6
                i64.lt_u
                i32.add
                local.set 3
              end
              i32.const 0
              local.set 5
              block ;; label = @6
                local.get 3
                local.get 20
                i32.ge_u
                br_if 0 (;@6;)
                local.get 1
                local.get 3
                i32.const 4
                i32.shl
                i32.add
                local.tee 3
                i64.load
                local.get 6
                i64.gt_u
                br_if 0 (;@6;)
                local.get 22
                local.get 3
                i64.load offset=8
                i64.le_u
                local.set 5
              end
              i32.const 0
              i32.load offset=34172
              i32.const 1024
              i32.eq
              br_if 0 (;@5;)
              local.get 16
              i32.load offset=120
              local.set 33
              block ;; label = @6
                block ;; label = @7
                  local.get 17
                  br_if 0 (;@7;)
                  local.get 20
                  i32.const 64
                  i32.eq
                  local.get 5
                  i32.or
                  i32.eqz
                  br_if 1 (;@6;)
                  br 2 (;@5;)
                end
                local.get 5
                br_if 1 (;@5;)
              end
              local.get 33
              call 15
              i64.const 0
              i64.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.set 3
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
                                i32.load offset=34172
                                local.tee 20
                                i32.eqz
                                br_if 0 (;@14;)
                                local.get 20
                                i32.const 0
                                i32.load offset=34160
                                local.tee 3
                                i32.const 0
                                i32.load offset=34168
                                local.tee 5
                                i32.const 0
                                local.get 3
                                local.get 5
                                local.get 3
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 5
                                i32.sub
                                local.tee 3
                                i32.gt_u
                                br_if 1 (;@13;)
                                local.get 5
                                local.get 20
                                i32.add
                                local.set 3
                              end
                              local.get 3
                              local.get 5
                              i32.sub
                              local.set 3
                              i32.const 0
                              i32.load offset=34164
                              local.get 5
                              i32.const 24
                              i32.mul
                              i32.add
                              local.set 19
                              br 1 (;@12;)
                            end
                            i32.const 0
                            i32.load offset=34164
                            local.tee 34
                            i64.load
                            local.get 6
                            i64.lt_u
                            br_if 1 (;@11;)
                            local.get 34
                            local.get 5
                            i32.const 24
                            i32.mul
                            i32.add
                            local.set 19
                          end
                          i32.const 0
                          local.set 5
                          block ;; label = @12
                            block ;; label = @13
                              local.get 3
                              br_table 4 (;@9;) 1 (;@12;) 0 (;@13;)
                            end
                            i32.const 0
                            local.set 5
                            loop ;; label = @13
                              local.get 3
                              i32.const 1
                              i32.shr_u
                              local.tee 0
                              local.get 5
                              i32.add
                              local.tee 1
                              local.get 5
                              local.get 19
                              local.get 1
                              i32.const 24
                              i32.mul
                              i32.add
                              i64.load
                              local.get 6
                              i64.lt_u
                              select
                              local.set 5
                              local.get 3
                              local.get 0
                              i32.sub
                              local.tee 3
                              i32.const 1
                              i32.gt_u
                              br_if 0 (;@13;)
                            end
                          end
                          local.get 5
                          local.get 19
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 6
                          i64.lt_u
                          i32.add
                          local.set 3
                          br 1 (;@10;)
                        end
                        i32.const 1
                        local.set 5
                        block ;; label = @11
                          local.get 20
                          local.get 3
                          i32.sub
                          local.tee 0
                          i32.const 1
                          i32.eq
                          br_if 0 (;@11;)
                          i32.const 0
                          local.set 5
                          loop ;; label = @12
                            local.get 0
                            i32.const 1
                            i32.shr_u
                            local.tee 1
                            local.get 5
                            i32.add
                            local.tee 19
                            local.get 5
                            local.get 34
                            local.get 19
                            i32.const 24
                            i32.mul
                            i32.add
                            i64.load
                            local.get 6
                            i64.lt_u
                            select
                            local.set 5
                            local.get 0
                            local.get 1
                            i32.sub
                            local.tee 0
                            i32.const 1
                            i32.gt_u
                            br_if 0 (;@12;)
                          end
                          local.get 5
                          local.get 34
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 6
                          i64.lt_u
                          i32.add
                          local.set 5
                        end
                        local.get 5
                        local.get 3
                        i32.add
                        local.set 3
                      end
                      local.get 3
                      local.get 20
                      i32.gt_u
                      br_if 1 (;@8;)
                    end
                    local.get 20
                    i32.const 0
                    i32.load offset=34160
                    local.tee 5
                    i32.eq
                    br_if 1 (;@7;)
                    br 2 (;@6;)
                  end
                  i32.const 33400
                  i32.const 39
                  i32.const 33420
                  call 43
                  unreachable
                end
                call 28
                i32.const 0
                i32.load offset=34160
                local.set 5
                i32.const 0
                i32.load offset=34172
                local.set 20
              end
              i32.const 0
              i32.load offset=34168
              local.set 0
              block ;; label = @6
                block ;; label = @7
                  local.get 20
                  local.get 3
                  i32.sub
                  local.tee 1
                  local.get 3
                  i32.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  local.get 0
                  i32.const -1
                  i32.add
                  local.tee 1
                  local.get 5
                  i32.add
                  local.tee 5
                  local.get 1
                  local.get 5
                  local.get 1
                  i32.lt_u
                  select
                  local.tee 5
                  i32.store offset=34168
                  local.get 0
                  local.get 5
                  local.get 3
                  call 30
                  br 1 (;@6;)
                end
                local.get 0
                local.get 3
                i32.add
                local.tee 0
                i32.const 0
                local.get 5
                local.get 0
                local.get 5
                i32.lt_u
                select
                i32.sub
                local.get 0
                i32.const 1
                i32.add
                local.tee 0
                i32.const 0
                local.get 5
                local.get 0
                local.get 5
                i32.lt_u
                select
                i32.sub
                local.get 1
                call 30
              end
              i32.const 0
              i32.const 0
              i32.load offset=34172
              i32.const 1
              i32.add
              i32.store offset=34172
              i32.const 0
              i32.load offset=34164
              i32.const 0
              i32.load offset=34168
              local.get 3
              i32.add
              local.tee 3
              i32.const 0
              i32.const 0
              i32.load offset=34160
              local.tee 5
              local.get 3
              local.get 5
              i32.lt_u
              select
              i32.sub
              i32.const 24
              i32.mul
              i32.add
              local.tee 3
              local.get 18
              i32.store offset=20
              local.get 3
              local.get 33
              i32.store offset=16
              local.get 3
              local.get 22
              i64.store offset=8
              local.get 3
              local.get 6
              i64.store
              i32.const 0
              i32.load offset=35040
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                local.get 17
                                local.get 23
                                i32.add
                                local.tee 0
                                local.get 17
                                i32.lt_u
                                br_if 0 (;@14;)
                                local.get 1
                                local.get 0
                                i32.lt_u
                                br_if 0 (;@14;)
                                i32.const 0
                                i32.load offset=35036
                                local.set 19
                                block ;; label = @15
                                  block ;; label = @16
                                    block ;; label = @17
                                      block ;; label = @18
                                        local.get 17
                                        i32.eqz
                                        br_if 0 (;@18;)
                                        local.get 19
                                        local.get 23
                                        i32.const 4
                                        i32.shl
                                        local.tee 20
                                        i32.add
                                        local.set 18
                                        i32.const 0
                                        local.set 3
                                        block ;; label = @19
                                          block ;; label = @20
                                            block ;; label = @21
                                              local.get 17
                                              i32.const 1
                                              i32.ne
                                              br_if 0 (;@21;)
                                              local.get 6
                                              local.set 25
                                              br 1 (;@20;)
                                            end
                                            local.get 17
                                            i32.const 1
                                            i32.and
                                            local.set 33
                                            block ;; label = @21
                                              block ;; label = @22
                                                block ;; label = @23
                                                  local.get 17
                                                  i32.const -2
                                                  i32.add
                                                  i32.const 1
                                                  i32.shr_u
                                                  local.tee 3
                                                  br_if 0 (;@23;)
                                                  i32.const 0
                                                  local.set 34
                                                  local.get 6
                                                  local.set 25
                                                  br 1 (;@22;)
                                                end
                                                local.get 3
                                                i32.const 1
                                                i32.add
                                                local.tee 3
                                                i32.const 1
                                                i32.and
                                                local.set 35
                                                local.get 3
                                                i32.const 2147483646
                                                i32.and
                                                local.tee 5
                                                i32.const 1
                                                i32.shl
                                                local.set 34
                                                local.get 18
                                                local.set 3
                                                local.get 6
                                                local.set 25
                                                loop ;; label = @23
                                                  local.get 3
                                                  i32.const 56
                                                  i32.add
                                                  i64.load
                                                  local.tee 26
                                                  local.get 3
                                                  i32.const 40
                                                  i32.add
                                                  i64.load
                                                  local.tee 27
                                                  local.get 3
                                                  i32.const 24
                                                  i32.add
                                                  i64.load
                                                  local.tee 24
                                                  local.get 3
                                                  i32.const 8
                                                  i32.add
                                                  i64.load
                                                  local.tee 28
                                                  local.get 22
                                                  local.get 28
                                                  local.get 22
                                                  i64.gt_u
                                                  select
                                                  local.tee 22
                                                  local.get 24
                                                  local.get 22
                                                  i64.gt_u
                                                  select
                                                  local.tee 22
                                                  local.get 27
                                                  local.get 22
                                                  i64.gt_u
                                                  select
                                                  local.tee 22
                                                  local.get 26
                                                  local.get 22
                                                  i64.gt_u
                                                  select
                                                  local.set 22
                                                  local.get 3
                                                  i32.const 48
                                                  i32.add
                                                  i64.load
                                                  local.tee 26
                                                  local.get 3
                                                  i32.const 32
                                                  i32.add
                                                  i64.load
                                                  local.tee 27
                                                  local.get 3
                                                  i32.const 16
                                                  i32.add
                                                  i64.load
                                                  local.tee 24
                                                  local.get 3
                                                  i64.load
                                                  local.tee 28
                                                  local.get 25
                                                  local.get 28
                                                  local.get 25
                                                  i64.lt_u
                                                  select
                                                  local.tee 25
                                                  local.get 24
                                                  local.get 25
                                                  i64.lt_u
                                                  select
                                                  local.tee 25
                                                  local.get 27
                                                  local.get 25
                                                  i64.lt_u
                                                  select
                                                  local.tee 25
                                                  local.get 26
                                                  local.get 25
                                                  i64.lt_u
                                                  select
                                                  local.set 25
                                                  local.get 3
                                                  i32.const 64
                                                  i32.add
                                                  local.set 3
                                                  local.get 5
                                                  i32.const -2
                                                  i32.add
                                                  local.tee 5
                                                  br_if 0 (;@23;)
                                                end
                                                local.get 35
                                                i32.eqz
                                                br_if 1 (;@21;)
                                              end
                                              local.get 18
                                              local.get 34
                                              i32.const 4
                                              i32.shl
                                              i32.add
                                              local.tee 3
                                              i64.load offset=16
                                              local.tee 26
                                              local.get 3
                                              i64.load
                                              local.tee 27
                                              local.get 25
                                              local.get 27
                                              local.get 25
                                              i64.lt_u
                                              select
                                              local.tee 25
                                              local.get 26
                                              local.get 25
                                              i64.lt_u
                                              select
                                              local.set 25
                                              local.get 3
                                              i32.const 24
                                              i32.add
                                              i64.load
                                              local.tee 26
                                              local.get 3
                                              i32.const 8
                                              i32.add
                                              i64.load
                                              local.tee 27
                                              local.get 22
                                              local.get 27
                                              local.get 22
                                              i64.gt_u
                                              select
                                              local.tee 22
                                              local.get 26
                                              local.get 22
                                              i64.gt_u
                                              select
                                              local.set 22
                                            end
                                            local.get 33
                                            i32.eqz
                                            br_if 1 (;@19;)
                                            local.get 17
                                            i32.const -2
                                            i32.and
                                            local.set 3
                                          end
                                          local.get 18
                                          local.get 3
                                          i32.const 4
                                          i32.shl
                                          i32.add
                                          local.tee 3
                                          i64.load
                                          local.tee 26
                                          local.get 25
                                          local.get 26
                                          local.get 25
                                          i64.lt_u
                                          select
                                          local.set 25
                                          local.get 3
                                          i32.const 8
                                          i32.add
                                          i64.load
                                          local.tee 26
                                          local.get 22
                                          local.get 26
                                          local.get 22
                                          i64.gt_u
                                          select
                                          local.set 22
                                        end
                                        i32.const 0
                                        local.get 23
                                        i32.store offset=35040
                                        local.get 1
                                        local.get 0
                                        i32.eq
                                        br_if 1 (;@17;)
                                        local.get 19
                                        local.get 20
                                        i32.add
                                        local.tee 3
                                        local.get 22
                                        i64.store offset=8
                                        local.get 3
                                        local.get 25
                                        i64.store
                                        i32.const 0
                                        local.set 18
                                        i32.const 1
                                        local.set 17
                                        i32.const 0
                                        i32.const 0
                                        i32.load offset=35040
                                        i32.const 1
                                        i32.add
                                        i32.store offset=35040
                                        local.get 1
                                        local.get 0
                                        i32.sub
                                        local.set 5
                                        local.get 20
                                        i32.const 16
                                        i32.add
                                        local.get 0
                                        i32.const 4
                                        i32.shl
                                        i32.eq
                                        br_if 2 (;@16;)
                                        local.get 0
                                        local.set 3
                                        br 11 (;@7;)
                                      end
                                      i32.const 0
                                      local.get 23
                                      i32.store offset=35040
                                      local.get 1
                                      local.get 0
                                      i32.ne
                                      br_if 2 (;@15;)
                                      local.get 6
                                      local.set 25
                                    end
                                    block ;; label = @17
                                      i32.const 0
                                      i32.load offset=35032
                                      local.get 23
                                      i32.ne
                                      br_if 0 (;@17;)
                                      local.get 23
                                      i32.const 1
                                      call 34
                                      i32.const 0
                                      i32.load offset=35036
                                      local.set 19
                                      i32.const 0
                                      i32.load offset=35040
                                      local.set 23
                                    end
                                    local.get 19
                                    local.get 23
                                    i32.const 4
                                    i32.shl
                                    i32.add
                                    local.tee 3
                                    local.get 22
                                    i64.store offset=8
                                    local.get 3
                                    local.get 25
                                    i64.store
                                    local.get 23
                                    i32.const 1
                                    i32.add
                                    local.set 3
                                    br 10 (;@6;)
                                  end
                                  i32.const 8
                                  local.set 1
                                  i32.const 0
                                  local.set 19
                                  br 4 (;@11;)
                                end
                                local.get 1
                                local.get 0
                                i32.sub
                                local.set 5
                                block ;; label = @15
                                  i32.const 0
                                  i32.load offset=35032
                                  local.get 1
                                  i32.ne
                                  br_if 0 (;@15;)
                                  local.get 1
                                  i32.const 1
                                  call 34
                                  i32.const 0
                                  i32.load offset=35036
                                  local.set 19
                                end
                                local.get 0
                                i32.const 1
                                i32.add
                                local.tee 3
                                i32.const 4
                                i32.shl
                                local.set 1
                                block ;; label = @15
                                  local.get 5
                                  i32.const 4
                                  i32.shl
                                  local.tee 17
                                  i32.eqz
                                  br_if 0 (;@15;)
                                  local.get 19
                                  local.get 1
                                  i32.add
                                  local.get 19
                                  local.get 0
                                  i32.const 4
                                  i32.shl
                                  i32.add
                                  local.get 17
                                  memory.copy
                                end
                                i32.const 0
                                i32.load offset=35040
                                local.tee 0
                                local.get 3
                                i32.eq
                                br_if 1 (;@13;)
                                i32.const 0
                                local.set 19
                                i32.const 0
                                i32.load offset=35036
                                local.get 0
                                i32.const 4
                                i32.shl
                                local.tee 0
                                i32.add
                                local.tee 17
                                local.get 22
                                i64.store offset=8
                                local.get 17
                                local.get 6
                                i64.store
                                i32.const 1
                                local.set 17
                                i32.const 0
                                i32.const 0
                                i32.load offset=35040
                                i32.const 1
                                i32.add
                                i32.store offset=35040
                                local.get 0
                                i32.const 16
                                i32.add
                                local.get 1
                                i32.ne
                                br_if 7 (;@7;)
                                i32.const 8
                                local.set 1
                                i32.const 0
                                local.set 18
                                br 2 (;@12;)
                              end
                              local.get 23
                              local.get 0
                              local.get 1
                              i32.const 33384
                              call 20
                              unreachable
                            end
                            i32.const 16
                            call 44
                            local.tee 1
                            i32.eqz
                            br_if 2 (;@10;)
                            local.get 1
                            local.get 22
                            i64.store offset=8
                            local.get 1
                            local.get 6
                            i64.store
                            i32.const 16
                            local.set 19
                            i32.const 1
                            local.set 18
                            i32.const 0
                            local.set 17
                          end
                          local.get 3
                          local.set 0
                        end
                        block ;; label = @11
                          local.get 1
                          local.get 19
                          i32.add
                          local.tee 3
                          local.get 1
                          i32.ne
                          br_if 0 (;@11;)
                          local.get 0
                          local.set 3
                          br 2 (;@9;)
                        end
                        block ;; label = @11
                          local.get 3
                          local.get 1
                          i32.sub
                          i32.const 4
                          i32.shr_u
                          local.tee 3
                          i32.const 0
                          i32.load offset=35032
                          local.get 0
                          local.get 5
                          i32.add
                          local.tee 19
                          i32.sub
                          i32.le_u
                          br_if 0 (;@11;)
                          local.get 19
                          local.get 3
                          call 34
                        end
                        local.get 3
                        local.get 0
                        i32.add
                        local.tee 3
                        i32.const 4
                        i32.shl
                        local.set 19
                        block ;; label = @11
                          local.get 5
                          i32.const 4
                          i32.shl
                          local.tee 20
                          i32.eqz
                          br_if 0 (;@11;)
                          i32.const 0
                          i32.load offset=35036
                          local.tee 23
                          local.get 19
                          i32.add
                          local.get 23
                          local.get 0
                          i32.const 4
                          i32.shl
                          i32.add
                          local.get 20
                          memory.copy
                        end
                        i32.const 0
                        i32.load offset=35040
                        local.tee 0
                        local.get 3
                        i32.eq
                        br_if 1 (;@9;)
                        local.get 17
                        br_if 3 (;@7;)
                        local.get 1
                        i64.load
                        local.set 22
                        i32.const 0
                        i32.load offset=35036
                        local.get 0
                        i32.const 4
                        i32.shl
                        local.tee 17
                        i32.add
                        local.tee 0
                        local.get 1
                        i64.load offset=8
                        i64.store offset=8
                        local.get 0
                        local.get 22
                        i64.store
                        i32.const 0
                        i32.const 0
                        i32.load offset=35040
                        i32.const 1
                        i32.add
                        i32.store offset=35040
                        local.get 17
                        i32.const 16
                        i32.add
                        local.get 19
                        i32.eq
                        local.get 18
                        i32.or
                        br_if 2 (;@8;)
                        local.get 1
                        i64.load offset=16
                        local.set 22
                        local.get 0
                        local.get 1
                        i64.load offset=24
                        i64.store offset=24
                        local.get 0
                        local.get 22
                        i64.store offset=16
                        i32.const 0
                        i32.const 0
                        i32.load offset=35040
                        i32.const 1
                        i32.add
                        i32.store offset=35040
                        br 2 (;@8;)
                      end
                      i32.const 8
                      i32.const 16
                      call 32
                      unreachable
                    end
                    local.get 17
                    br_if 1 (;@7;)
                  end
                  local.get 1
                  i32.const 0
                  i32.load offset=55568
                  i32.store
                  i32.const 0
                  local.get 1
                  i32.store offset=55568
                end
                block ;; label = @7
                  local.get 3
                  i32.const 0
                  i32.load offset=35040
                  local.tee 0
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 5
                  i32.const 4
                  i32.shl
                  local.tee 1
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=35036
                  local.tee 17
                  local.get 0
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 17
                  local.get 3
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 1
                  memory.copy
                end
                local.get 0
                local.get 5
                i32.add
                local.set 3
              end
              i32.const 0
              local.get 3
              i32.store offset=35040
              i32.const 0
              i64.load offset=34200
              local.set 22
              i32.const 0
              local.get 6
              i64.store offset=34200
              i32.const 0
              i64.load offset=34208
              local.set 6
              i32.const 0
              local.get 22
              i64.store offset=34208
              i32.const 0
              local.get 6
              i64.store offset=34216
            end
            local.get 7
            local.get 21
            call 26
          end
          local.get 16
          i32.const 128
          i32.add
          local.tee 16
          local.get 4
          i32.ne
          br_if 0 (;@3;)
        end
      end
      i32.const 0
      i32.load8_u offset=35053
      local.set 3
      i32.const 0
      i32.const 0
      i32.store8 offset=35053
      block ;; label = @2
        local.get 3
        i32.eqz
        br_if 0 (;@2;)
        call 16
      end
      local.get 7
      call 18
    end
    local.get 2
    i32.const 352
    i32.add
    global.set 0
  )
  (func (;42;) (type 3)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    i32.const 32824
    local.get 0
    i32.const 33368
    call 43
    unreachable
  )
  (func (;43;) (type 14) (param i32 i32 i32)
    unreachable
  )
  (func (;44;) (type 20) (param i32) (result i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 1
    block ;; label = @1
      local.get 0
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
        local.tee 2
        i32.const 2
        i32.shl
        local.tee 3
        i32.load offset=55568
        local.tee 1
        br_if 0 (;@2;)
        i32.const 16
        local.get 2
        i32.shl
        local.set 3
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=55668
            local.tee 1
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=55664
            local.set 2
            br 1 (;@3;)
          end
          memory.size
          local.set 1
          i32.const 55680
          local.set 2
          i32.const 0
          i32.const 55680
          i32.store offset=55664
          i32.const 0
          local.get 1
          i32.const 16
          i32.shl
          local.tee 1
          i32.store offset=55668
        end
        block ;; label = @3
          i32.const 65536
          local.get 3
          local.get 0
          i32.const 65536
          i32.gt_u
          select
          local.tee 0
          local.get 2
          local.get 0
          i32.const -1
          i32.add
          i32.and
          local.tee 0
          i32.sub
          i32.const 0
          local.get 0
          select
          local.get 2
          i32.add
          local.tee 2
          local.get 3
          i32.add
          local.tee 0
          local.get 1
          i32.gt_u
          br_if 0 (;@3;)
          i32.const 0
          local.get 0
          i32.store offset=55664
          local.get 2
          return
        end
        block ;; label = @3
          local.get 0
          local.get 1
          i32.sub
          local.tee 3
          i32.const 16
          i32.shr_u
          local.get 3
          i32.const 65535
          i32.and
          i32.const 0
          i32.ne
          i32.add
          local.tee 3
          memory.grow
          i32.const -1
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          return
        end
        i32.const 0
        local.get 3
        i32.const 16
        i32.shl
        local.get 1
        i32.add
        i32.store offset=55668
        i32.const 0
        local.get 0
        i32.store offset=55664
        local.get 2
        return
      end
      local.get 3
      i32.const 55568
      i32.add
      local.get 1
      i32.load
      i32.store
    end
    local.get 1
  )
  (func (;45;) (type 3)
    (local i64 i64 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 0
      i32.const 0
      call 9
      local.set 1
      i32.const 0
      i64.const 0
      i64.store offset=33960
      i32.const 0
      i64.const 0
      i64.store offset=33968
      i32.const 0
      i64.const 0
      i64.store offset=33720
      i32.const 0
      i64.const -1
      i64.store offset=33704
      i32.const 0
      local.get 1
      i64.const 65536
      local.get 1
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 2
      i32.store offset=34104
      i32.const 0
      i32.const 0
      local.get 2
      i32.const -24
      i32.add
      local.tee 3
      local.get 3
      local.get 2
      i32.gt_u
      select
      local.tee 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      local.tee 1
      i64.store offset=33712
      i32.const 0
      local.get 1
      i64.const 1
      i64.shl
      local.tee 4
      i64.const 14600
      local.get 4
      i64.const 14600
      i64.gt_u
      select
      local.tee 4
      local.get 1
      i64.const 10
      i64.mul
      local.tee 1
      local.get 4
      local.get 1
      i64.lt_u
      select
      i64.store offset=33696
      i32.const 0
      i32.const 0
      i32.store8 offset=34114
      i32.const 0
      i32.const 0
      i32.store offset=33976
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33920
          i32.const 0
          i64.load offset=33912
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=33984
          br 1 (;@2;)
        end
        i32.const 0
        i64.const -1
        local.get 0
        i64.const 1025
        i64.add
        local.tee 1
        local.get 1
        local.get 0
        i64.lt_u
        select
        local.tee 1
        i64.store offset=33984
        local.get 1
        i32.const 0
        i64.load offset=33992
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34000
        i64.const 0
        local.get 1
        local.get 0
        i64.sub
        local.tee 4
        local.get 4
        local.get 1
        i64.gt_u
        select
        local.tee 4
        i64.const 4294967295
        local.get 4
        i64.const 4294967295
        i64.lt_u
        select
        i32.wrap_i64
        call 2
        i64.const 0
        i64.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 1
        i64.store offset=33992
      end
      local.get 0
      call 18
    end
  )
  (func (;46;) (type 19) (result i32)
    i32.const 39184
  )
  (func (;47;) (type 9) (param i32)
    (local i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 1
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=35081
        br_if 0 (;@2;)
        i32.const 0
        i32.const 1
        i32.store8 offset=35081
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=35044
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const 0
        call 26
      end
      local.get 1
      call 18
    end
  )
  (func (;48;) (type 9) (param i32)
    (local i32 i64 i64 i32 i32 i64 i64)
    global.get 0
    i32.const 288
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 2
      i32.const 0
      i32.const 0
      call 9
      local.tee 3
      i64.const 65536
      local.get 3
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 4
      i32.store offset=34104
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
      local.tee 3
      i64.store offset=33712
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
                  i64.store offset=33992
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        local.get 2
                        i32.const 0
                        i64.load offset=33984
                        local.tee 6
                        i64.lt_u
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.const -1
                        i64.store offset=33984
                        block ;; label = @11
                          i32.const 0
                          i32.load8_u offset=34114
                          i32.const 1
                          i32.ne
                          br_if 0 (;@11;)
                          i32.const 0
                          i64.load offset=33936
                          i64.const 0
                          i64.ne
                          br_if 8 (;@3;)
                        end
                        i32.const 0
                        i64.load offset=33920
                        local.tee 6
                        i32.const 0
                        i64.load offset=33912
                        local.tee 7
                        i64.ne
                        br_if 1 (;@9;)
                        local.get 1
                        i64.const 0
                        i64.store offset=56
                        local.get 1
                        i64.const 0
                        i64.store offset=64
                        local.get 1
                        i64.const 0
                        i64.store offset=72
                        local.get 1
                        i64.const 0
                        i64.store offset=80
                        local.get 1
                        i64.const 0
                        i64.store offset=88
                        local.get 1
                        i64.const 0
                        i64.store offset=96
                        local.get 1
                        i64.const 0
                        i64.store offset=112
                        local.get 1
                        i64.const 0
                        i64.store offset=120
                        local.get 1
                        i64.const 0
                        i64.store offset=128
                        local.get 1
                        i64.const 0
                        i64.store offset=136
                        local.get 1
                        i64.const 0
                        i64.store offset=144
                        local.get 1
                        i64.const 0
                        i64.store offset=152
                        local.get 1
                        i32.const 0
                        i32.store8 offset=188
                        local.get 1
                        i32.const 16777216
                        i32.store offset=184
                        local.get 1
                        local.get 6
                        i64.store offset=40
                        local.get 1
                        i32.const 0
                        i64.load offset=34176
                        local.tee 3
                        i32.const 0
                        i64.load8_u offset=35052
                        i64.add
                        i64.store offset=48
                        local.get 1
                        i64.const 0
                        i32.const 0
                        i64.load offset=34184
                        local.tee 6
                        local.get 3
                        i64.sub
                        local.tee 3
                        local.get 3
                        local.get 6
                        i64.gt_u
                        select
                        local.tee 3
                        i64.const 4294967295
                        local.get 3
                        i64.const 4294967295
                        i64.lt_u
                        select
                        i64.store32 offset=180
                        local.get 1
                        i32.const 0
                        i32.load offset=35048
                        i32.store offset=176
                        local.get 1
                        local.get 2
                        i64.store32 offset=172
                        local.get 1
                        i32.const 0
                        i32.store offset=168
                        local.get 1
                        i64.const 0
                        i64.store offset=16
                        local.get 1
                        i32.const 0
                        i32.store offset=104
                        local.get 1
                        i32.const 0
                        i32.store offset=160
                        local.get 1
                        i32.const 192
                        i32.add
                        i32.const 0
                        i32.const 96
                        memory.fill
                        local.get 1
                        i32.const 8
                        i32.add
                        local.get 1
                        i32.const 16
                        i32.add
                        local.get 1
                        i32.const 192
                        i32.add
                        call 24
                        local.get 1
                        i32.load offset=8
                        local.get 1
                        i32.load offset=12
                        call 4
                        drop
                        br 2 (;@8;)
                      end
                      local.get 6
                      i64.const -1
                      i64.eq
                      br_if 7 (;@2;)
                      i32.const 0
                      i32.load offset=34000
                      i64.const 0
                      local.get 6
                      local.get 2
                      i64.sub
                      local.tee 3
                      local.get 3
                      local.get 6
                      i64.gt_u
                      select
                      local.tee 3
                      i64.const 4294967295
                      local.get 3
                      i64.const 4294967295
                      i64.lt_u
                      select
                      i32.wrap_i64
                      call 2
                      i64.const 0
                      i64.lt_s
                      br_if 7 (;@2;)
                      i32.const 0
                      local.get 6
                      i64.store offset=33992
                      local.get 2
                      call 18
                      br 8 (;@1;)
                    end
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=33976
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 6
                      i64.store offset=33736
                      i32.const 0
                      local.get 7
                      i64.store offset=33680
                      i32.const 0
                      i64.const 0
                      i64.store offset=33664
                      i32.const 0
                      i64.const 1
                      i64.store offset=33640
                      i32.const 0
                      i64.const 0
                      i64.store offset=33720
                      i32.const 0
                      i32.const 0
                      i32.load offset=33744
                      i32.store offset=33692
                      i32.const 0
                      i32.const 0
                      i64.load offset=33704
                      i64.store offset=33656
                      i32.const 0
                      i32.const 0
                      i64.load offset=33696
                      i64.store offset=33648
                      i32.const 0
                      local.get 3
                      i64.const 1
                      i64.shl
                      local.tee 3
                      local.get 6
                      local.get 7
                      i64.sub
                      i64.const 1
                      i64.shr_u
                      local.tee 6
                      local.get 3
                      local.get 6
                      i64.gt_u
                      select
                      i64.store offset=33704
                      i32.const 0
                      i32.const 0
                      i32.store offset=33688
                    end
                    call 49
                    i32.const 0
                    i32.const 512
                    i32.store16 offset=33888
                    i32.const 0
                    i64.const 0
                    i64.store offset=33728
                    i32.const 0
                    i32.const 0
                    i64.load offset=33920
                    i64.store offset=33736
                    i32.const 0
                    i32.const 0
                    i64.load offset=33712
                    i64.store offset=33696
                    i32.const 0
                    i32.const 0
                    i32.store offset=33744
                  end
                  i32.const 0
                  i32.const 0
                  i32.load offset=33976
                  i32.const 1
                  i32.add
                  i32.store offset=33976
                  i32.const 0
                  i32.const 0
                  i32.load offset=34108
                  i32.const 1
                  i32.add
                  i32.store offset=34108
                  br 4 (;@3;)
                end
                i32.const 0
                i64.const -1
                i64.store offset=35016
                block ;; label = @7
                  local.get 2
                  i32.const 0
                  i64.load offset=35008
                  local.tee 3
                  i64.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  i64.const -1
                  i64.store offset=35008
                  i32.const 0
                  i32.load offset=35044
                  i32.eqz
                  br_if 5 (;@2;)
                  local.get 2
                  i32.const 0
                  call 26
                  local.get 2
                  call 18
                  br 6 (;@1;)
                end
                local.get 3
                i64.const -1
                i64.eq
                br_if 4 (;@2;)
                i32.const 0
                i32.load offset=35024
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
                call 2
                i64.const 0
                i64.lt_s
                br_if 4 (;@2;)
                i32.const 0
                local.get 3
                i64.store offset=35016
                local.get 2
                call 18
                br 5 (;@1;)
              end
              i32.const 0
              i32.const 0
              i32.store8 offset=34114
              br 3 (;@2;)
            end
            i32.const 0
            i64.const -1
            i64.store offset=34032
            block ;; label = @5
              block ;; label = @6
                local.get 2
                i32.const 0
                i64.load offset=34024
                local.tee 3
                i64.lt_u
                local.tee 0
                br_if 0 (;@6;)
                i32.const 0
                i64.const -1
                i64.store offset=34024
                br 1 (;@5;)
              end
              local.get 3
              i64.const -1
              i64.eq
              br_if 0 (;@5;)
              i32.const 0
              i32.load offset=34040
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
              call 2
              i64.const 0
              i64.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.get 3
              i64.store offset=34032
            end
            i32.const 0
            local.get 0
            i32.const 0
            i32.load8_u offset=34114
            i32.and
            i32.store8 offset=34114
            local.get 2
            call 18
            br 3 (;@1;)
          end
          i32.const 0
          i64.const -1
          i64.store offset=35064
          block ;; label = @4
            local.get 2
            i32.const 0
            i64.load offset=35056
            local.tee 3
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2
            i32.store8 offset=35081
            i32.const 0
            i64.const -1
            i64.store offset=35056
            call 3
            br 3 (;@1;)
          end
          local.get 3
          i64.const -1
          i64.eq
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=35072
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
          call 2
          i64.const 0
          i64.lt_s
          br_if 2 (;@1;)
          i32.const 0
          local.get 3
          i64.store offset=35064
          br 2 (;@1;)
        end
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i64.load offset=33960
            local.tee 3
            i64.eqz
            i32.eqz
            br_if 0 (;@4;)
            i64.const 1000
            local.set 3
            br 1 (;@3;)
          end
          i32.const 0
          i64.load offset=33968
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
        i32.load offset=33976
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
        i64.store offset=33984
        block ;; label = @3
          local.get 3
          i32.const 0
          i64.load offset=33992
          i64.ge_u
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=34000
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
          call 2
          i64.const 0
          i64.lt_s
          br_if 0 (;@3;)
          i32.const 0
          local.get 3
          i64.store offset=33992
        end
        i32.const 0
        i32.load offset=34108
        i32.const 12
        i32.le_u
        br_if 0 (;@2;)
        i32.const 1
        call 17
        i32.const 0
        i32.const 2
        i32.store8 offset=35081
        call 3
        br 1 (;@1;)
      end
      local.get 2
      call 18
    end
    local.get 1
    i32.const 288
    i32.add
    global.set 0
  )
  (func (;49;) (type 3)
    (local i32 i32 i32 i64 i64 i32 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i32.load offset=33908
      local.tee 0
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33900
      i32.const 0
      i32.load offset=33904
      local.tee 1
      i32.const 5
      i32.shl
      i32.add
      local.set 2
      i32.const 0
      i64.load offset=33944
      local.set 3
      i32.const 0
      i64.load offset=33936
      local.set 4
      i32.const 0
      i32.load offset=33896
      local.set 5
      loop ;; label = @2
        block ;; label = @3
          local.get 2
          i32.const 0
          local.get 5
          local.get 1
          local.get 5
          i32.lt_u
          select
          i32.const 5
          i32.shl
          i32.sub
          local.tee 6
          i32.const 24
          i32.add
          local.tee 7
          i32.load8_u
          br_if 0 (;@3;)
          local.get 7
          i32.const 2
          i32.store8
          i32.const 0
          local.get 6
          i64.load
          local.tee 8
          local.get 3
          local.get 8
          local.get 3
          i64.lt_u
          select
          local.tee 3
          i64.store offset=33944
          i32.const 0
          local.get 4
          local.get 6
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.tee 4
          i64.store offset=33936
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const 32
        i32.add
        local.set 2
        local.get 0
        i32.const -1
        i32.add
        local.tee 0
        br_if 0 (;@2;)
      end
    end
    i32.const 0
    i32.const 0
    i64.load offset=33920
    local.tee 3
    i32.const 0
    i64.load offset=33952
    local.tee 4
    local.get 3
    local.get 4
    i64.gt_u
    select
    i64.store offset=33952
  )
  (func (;50;) (type 15) (param i32 i64)
    (local i64 i64 i64 i64 i64 i32)
    block ;; label = @1
      local.get 0
      i32.const 2
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i64.load offset=33640
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      local.set 2
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 0
              br_table 0 (;@5;) 1 (;@4;) 2 (;@3;) 0 (;@5;)
            end
            i32.const 0
            local.get 1
            i32.const 0
            i64.load offset=34008
            local.tee 3
            local.get 1
            local.get 3
            i64.gt_u
            select
            i64.store offset=34008
            br 2 (;@2;)
          end
          i32.const 0
          i32.load offset=34104
          local.set 0
          call 27
          block ;; label = @4
            i32.const 0
            i64.load offset=34120
            i64.const 1
            i64.ne
            br_if 0 (;@4;)
            i32.const 0
            i64.load offset=34128
            i32.const 0
            i64.load offset=34176
            i64.ne
            br_if 0 (;@4;)
            i32.const 0
            i32.load8_u offset=35052
            i32.const 1
            i32.and
            br_if 0 (;@4;)
            i32.const 0
            i32.const 257
            i32.store16 offset=35052
            call 14
          end
          i32.const 0
          call 7
          local.tee 3
          i32.const 0
          i64.load offset=34192
          local.tee 1
          local.get 3
          local.get 1
          i64.gt_u
          select
          local.tee 4
          i64.store offset=34192
          block ;; label = @4
            i64.const 0
            i32.const 0
            i64.load offset=34184
            local.tee 1
            i32.const 0
            i64.load offset=34176
            local.tee 5
            i64.sub
            local.tee 6
            local.get 6
            local.get 1
            i64.gt_u
            select
            local.get 4
            i64.const 1
            i64.shr_u
            i64.ge_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load8_u offset=35052
            i32.const 1
            i32.and
            br_if 0 (;@4;)
            i64.const -1
            local.get 5
            local.get 3
            i64.add
            local.tee 3
            local.get 3
            local.get 5
            i64.lt_u
            select
            i64.const -1
            local.get 1
            i32.const 0
            local.get 0
            i32.const -24
            i32.add
            local.tee 7
            local.get 7
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
            local.tee 3
            local.get 3
            local.get 1
            i64.lt_u
            select
            i64.lt_u
            br_if 0 (;@4;)
            local.get 2
            i32.const 0
            call 26
          end
          i32.const 0
          i32.load8_u offset=35053
          local.set 0
          i32.const 0
          i32.const 0
          i32.store8 offset=35053
          local.get 0
          i32.eqz
          br_if 1 (;@2;)
          call 16
          br 1 (;@2;)
        end
        call 10
        local.set 1
        i32.const 0
        i32.const 1
        i32.store8 offset=34112
        i32.const 0
        local.get 1
        i32.const 0
        i64.load offset=34008
        local.tee 3
        local.get 1
        local.get 3
        i64.gt_u
        select
        i64.store offset=34008
      end
      local.get 2
      call 18
    end
  )
  (func (;51;) (type 9) (param i32)
    call 52
    unreachable
  )
  (func (;52;) (type 3)
    unreachable
  )
  (func (;53;) (type 9) (param i32)
    local.get 0
    call 55
    unreachable
  )
  (func (;54;) (type 3)
    i32.const 33436
    i32.const 35
    i32.const 33456
    call 43
    unreachable
  )
  (func (;55;) (type 9) (param i32)
    local.get 0
    call 51
    unreachable
  )
  (func (;56;) (type 3)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 8
    i32.add
    i32.const 0
    i32.load offset=33896
    call 57
    block ;; label = @1
      local.get 0
      i32.load offset=8
      local.tee 1
      i32.const -2147483647
      i32.eq
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      i32.load offset=12
      call 32
      unreachable
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;57;) (type 17) (param i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=33896
    local.tee 3
    i32.const 0
    i32.load offset=33900
    local.get 1
    i32.const 1
    i32.add
    local.tee 1
    local.get 3
    i32.const 1
    i32.shl
    local.tee 3
    local.get 1
    local.get 3
    i32.gt_u
    select
    local.tee 1
    i32.const 4
    local.get 1
    i32.const 4
    i32.gt_u
    select
    local.tee 1
    call 58
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i32.load offset=4
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        i32.load offset=12
        local.set 1
        local.get 2
        i32.load offset=8
        local.set 3
        br 1 (;@1;)
      end
      i32.const 0
      local.get 2
      i32.load offset=8
      i32.store offset=33900
      i32.const 0
      local.get 1
      i32.store offset=33896
      i32.const -2147483647
      local.set 3
    end
    local.get 0
    local.get 1
    i32.store offset=4
    local.get 0
    local.get 3
    i32.store
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;58;) (type 12) (param i32 i32 i32 i32)
    (local i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 3
            i32.const 134217727
            i32.gt_u
            br_if 0 (;@4;)
            local.get 3
            i32.const 5
            i32.shl
            local.tee 3
            i32.const 2147483640
            i32.gt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 1
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              local.get 1
              i32.const 5
              i32.shl
              local.get 3
              call 33
              local.set 1
              br 2 (;@3;)
            end
            block ;; label = @5
              block ;; label = @6
                local.get 3
                i32.const 134217728
                i32.gt_u
                br_if 0 (;@6;)
                i32.const 28
                local.get 3
                i32.const 16
                local.get 3
                i32.const 16
                i32.gt_u
                select
                i32.const -1
                i32.add
                i32.clz
                i32.sub
                local.tee 4
                i32.const 2
                i32.shl
                local.tee 2
                i32.load offset=55568
                local.tee 1
                br_if 1 (;@5;)
                i32.const 16
                local.get 4
                i32.shl
                local.set 4
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=55668
                    local.tee 2
                    i32.eqz
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=55664
                    local.set 1
                    br 1 (;@7;)
                  end
                  memory.size
                  local.set 2
                  i32.const 55680
                  local.set 1
                  i32.const 0
                  i32.const 55680
                  i32.store offset=55664
                  i32.const 0
                  local.get 2
                  i32.const 16
                  i32.shl
                  local.tee 2
                  i32.store offset=55668
                end
                block ;; label = @7
                  i32.const 65536
                  local.get 4
                  local.get 3
                  i32.const 65536
                  i32.gt_u
                  select
                  local.tee 5
                  local.get 1
                  local.get 5
                  i32.const -1
                  i32.add
                  i32.and
                  local.tee 5
                  i32.sub
                  i32.const 0
                  local.get 5
                  select
                  local.get 1
                  i32.add
                  local.tee 1
                  local.get 4
                  i32.add
                  local.tee 4
                  local.get 2
                  i32.gt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  local.get 4
                  i32.store offset=55664
                  br 4 (;@3;)
                end
                local.get 4
                local.get 2
                i32.sub
                local.tee 5
                i32.const 16
                i32.shr_u
                local.get 5
                i32.const 65535
                i32.and
                i32.const 0
                i32.ne
                i32.add
                local.tee 5
                memory.grow
                i32.const -1
                i32.eq
                br_if 0 (;@6;)
                i32.const 0
                local.get 5
                i32.const 16
                i32.shl
                local.get 2
                i32.add
                i32.store offset=55668
                i32.const 0
                local.get 4
                i32.store offset=55664
                br 3 (;@3;)
              end
              local.get 0
              i32.const 8
              i32.add
              local.set 2
              local.get 0
              i32.const 4
              i32.add
              local.set 4
              br 3 (;@2;)
            end
            local.get 2
            i32.const 55568
            i32.add
            local.get 1
            i32.load
            i32.store
            local.get 0
            i32.const 8
            i32.add
            local.set 2
            local.get 0
            i32.const 4
            i32.add
            local.set 4
            br 3 (;@1;)
          end
          local.get 0
          i32.const 0
          i32.store offset=4
          local.get 0
          i32.const 1
          i32.store
          return
        end
        local.get 0
        i32.const 8
        i32.add
        local.set 2
        local.get 0
        i32.const 4
        i32.add
        local.set 4
        local.get 1
        br_if 1 (;@1;)
      end
      local.get 2
      local.get 3
      i32.store
      local.get 4
      i32.const 8
      i32.store
      local.get 0
      i32.const 1
      i32.store
      return
    end
    local.get 2
    local.get 3
    i32.store
    local.get 4
    local.get 1
    i32.store
    local.get 0
    i32.const 0
    i32.store
  )
  (data (;0;) (i32.const 32768) "\df\80\00\00O\00\00\00\fc\03\00\003\00\00\00\16slice index starts at \c0\0d but ends at \c0\00 index out of bounds: the len is \c0\12 but the index is \c0\00\12range start index \c0\22 out of range for slice of length \c0\00\10range end index \c0\22 out of range for slice of length \c0\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs\00tcp/src/segment.rs\00/tng/transports/stp/abi/src/receipts.rs\00tcp/src/receiver.rs\00tcp/src/sender.rs\00tcp/src/scoreboard.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/collections/vec_deque/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00\00\00~\81\00\00\11\00\00\00\d3\00\00\00\0d\00\00\00j\81\00\00\13\00\00\00\e6\00\00\00#\00\00\00index out of bounds\00\a6\81\00\00^\00\00\00\7f\09\00\00\09\00\00\00capacity overflow\00\00\00\05\82\00\00P\00\00\00\1c\00\00\00\05\00\00\00\90\81\00\00\15\00\00\00\d0\00\00\00\22\00\00\00/\81\00\00\12\00\00\000\00\00\00\14\00\00\00/\81\00\00\12\00\00\00\b4\00\00\00)\00\00\00/\81\00\00\12\00\00\00\bb\00\00\00\0e\00\00\00mid > len\00\00\00\df\80\00\00O\00\00\00\07\04\00\007\00\00\00B\81\00\00'\00\00\00G\00\00\00\14\00\00\00B\81\00\00'\00\00\00?\00\00\00\15\00\00\00B\81\00\00'\00\00\00\1a\00\00\00 \00\00\00dest is out of bounds")
  (data (;1;) (i32.const 33640) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
