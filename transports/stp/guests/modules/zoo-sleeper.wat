(module
  (type (;0;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;1;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func))
  (type (;4;) (func (param i32 i32 i32) (result i64)))
  (type (;5;) (func (param i32) (result i64)))
  (type (;6;) (func (result i64)))
  (type (;7;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;8;) (func (param i64) (result i64)))
  (type (;9;) (func (param i32)))
  (type (;10;) (func (param i64)))
  (type (;11;) (func (param i32 i64)))
  (type (;12;) (func (param i32 i32 i32)))
  (type (;13;) (func (param i64) (result i32)))
  (type (;14;) (func (param i32 i32 i32 i32)))
  (type (;15;) (func (param i32 i32 i32 i32 i32)))
  (type (;16;) (func (param i64 i32)))
  (type (;17;) (func (param i32 i32)))
  (type (;18;) (func (param i32 i32 i32) (result i32)))
  (type (;19;) (func (result i32)))
  (type (;20;) (func (param i32) (result i32)))
  (import "tng" "net_send" (func (;0;) (type 0) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "net_resend" (func (;1;) (type 1) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "timer_reset" (func (;2;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "proto_done" (func (;3;) (type 3)))
  (import "tng" "net_sendack" (func (;4;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "so_append" (func (;5;) (type 4) (param i32 i32 i32) (result i64)))
  (import "tng" "seg_free" (func (;6;) (type 5) (param i32) (result i64)))
  (import "tng" "so_room" (func (;7;) (type 6) (result i64)))
  (import "tng" "random" (func (;8;) (type 6) (result i64)))
  (import "tng" "ack_sum" (func (;9;) (type 7) (param i64 i64 i64 i32) (result i64)))
  (import "tng" "gettick" (func (;10;) (type 6) (result i64)))
  (import "tng" "route" (func (;11;) (type 5) (param i32) (result i64)))
  (import "tng" "so_sent" (func (;12;) (type 6) (result i64)))
  (import "tng" "so_connected" (func (;13;) (type 3)))
  (import "tng" "so_drop" (func (;14;) (type 8) (param i64) (result i64)))
  (import "tng" "so_end" (func (;15;) (type 3)))
  (import "tng" "seg_keep" (func (;16;) (type 5) (param i32) (result i64)))
  (import "tng" "so_wakeup" (func (;17;) (type 3)))
  (import "tng" "so_error" (func (;18;) (type 9) (param i32)))
  (table (;0;) 1 1 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 47296)
  (global (;2;) i32 i32.const 47288)
  (export "memory" (memory 0))
  (export "__heap_base" (global 1))
  (export "abi" (func 37))
  (export "abort" (func 38))
  (export "accept" (func 39))
  (export "area" (func 40))
  (export "attach" (func 41))
  (export "call" (func 42))
  (export "input" (func 43))
  (export "path_changed" (func 48))
  (export "ring" (func 49))
  (export "shutdown" (func 50))
  (export "timer" (func 51))
  (export "usrreq" (func 53))
  (export "connect" (func 39))
  (export "__data_end" (global 2))
  (func (;19;) (type 10) (param i64)
    (local i32 i32 i32 i64 i64 i32 i32 i32 i32 i32 i32 i64 i64 i32 i64 i64 i64 i64 i64 i32 i32 i32 i32 i32 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i32 i32 i64)
    global.get 0
    i32.const 256
    i32.sub
    local.tee 1
    global.set 0
    i32.const 0
    i32.load8_u offset=34849
    local.set 2
    block ;; label = @1
      i32.const 0
      i32.load offset=34840
      i32.eqz
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load8_u offset=34850
          i32.eqz
          br_if 0 (;@3;)
          i32.const 1
          local.set 3
          br 1 (;@2;)
        end
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
        i32.const 160
        i32.add
        i32.const 24
        i32.add
        local.set 7
        local.get 1
        i32.const 148
        i32.add
        local.set 8
        local.get 1
        i32.const 16
        i32.add
        i32.const 72
        i32.add
        local.set 9
        local.get 1
        i32.const 32
        i32.add
        local.set 10
        local.get 0
        i32.wrap_i64
        local.set 11
        loop ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i64.load offset=34616
                  i64.eqz
                  i32.eqz
                  br_if 0 (;@7;)
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=34600
                    local.tee 12
                    i32.const 0
                    i64.load offset=34744
                    local.tee 13
                    i64.lt_u
                    local.tee 14
                    br_if 0 (;@8;)
                    i32.const 0
                    local.set 3
                    i32.const 0
                    i32.load8_u offset=34848
                    i32.const 1
                    i32.ne
                    br_if 6 (;@2;)
                    i32.const 0
                    i32.load8_u offset=34849
                    i32.const 1
                    i32.and
                    br_if 6 (;@2;)
                  end
                  i64.const 0
                  i32.const 0
                  i64.load offset=34752
                  local.tee 15
                  local.get 12
                  i64.sub
                  local.tee 16
                  local.get 16
                  local.get 15
                  i64.gt_u
                  select
                  local.tee 17
                  i64.const 0
                  local.get 13
                  local.get 12
                  i64.sub
                  local.tee 15
                  local.get 15
                  local.get 13
                  i64.gt_u
                  select
                  local.tee 16
                  local.get 17
                  local.get 16
                  i64.lt_u
                  select
                  local.set 18
                  i32.const 0
                  i64.load offset=34592
                  local.set 19
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 17
                          local.get 16
                          i32.const 0
                          i32.const 0
                          i32.load offset=34840
                          local.tee 20
                          i32.const -24
                          i32.add
                          local.tee 3
                          local.get 3
                          local.get 20
                          i32.gt_u
                          select
                          local.tee 3
                          i32.const 1
                          local.get 3
                          i32.const 1
                          i32.gt_u
                          select
                          i64.extend_i32_u
                          local.tee 15
                          local.get 16
                          local.get 15
                          i64.lt_u
                          select
                          i64.ge_u
                          br_if 0 (;@11;)
                          local.get 12
                          local.get 19
                          i64.ne
                          br_if 1 (;@10;)
                        end
                        block ;; label = @11
                          local.get 18
                          local.get 15
                          i64.ge_u
                          br_if 0 (;@11;)
                          i32.const 0
                          i32.load8_u offset=34848
                          i32.const 1
                          i32.and
                          i32.eqz
                          br_if 2 (;@9;)
                        end
                        local.get 12
                        local.get 13
                        i64.ge_u
                        br_if 2 (;@8;)
                        local.get 18
                        i64.eqz
                        i32.eqz
                        br_if 2 (;@8;)
                        i32.const 0
                        local.set 3
                        br 8 (;@2;)
                      end
                      local.get 14
                      i32.eqz
                      br_if 1 (;@8;)
                      i32.const 0
                      local.set 3
                      br 7 (;@2;)
                    end
                    local.get 12
                    local.get 13
                    i64.ge_u
                    br_if 0 (;@8;)
                    i32.const 0
                    local.set 3
                    local.get 18
                    i64.eqz
                    i32.const 0
                    i32.load offset=34588
                    i32.const 63
                    i32.gt_u
                    i32.or
                    br_if 6 (;@2;)
                  end
                  local.get 18
                  local.get 15
                  local.get 18
                  local.get 15
                  i64.lt_u
                  select
                  local.set 15
                  i32.const 0
                  local.set 3
                  block ;; label = @8
                    local.get 12
                    local.get 19
                    i32.const 0
                    i64.load offset=34608
                    i64.add
                    i64.sub
                    local.tee 16
                    i32.const 0
                    i64.load offset=34672
                    local.tee 18
                    i64.le_u
                    br_if 0 (;@8;)
                    i64.const 0
                    local.get 16
                    local.get 18
                    i64.sub
                    local.tee 18
                    local.get 18
                    local.get 16
                    i64.gt_u
                    select
                    local.get 15
                    i64.add
                    i32.const 0
                    i64.load offset=34648
                    i64.gt_u
                    br_if 6 (;@2;)
                  end
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=34564
                      br_if 0 (;@9;)
                      local.get 10
                      i64.const 0
                      i64.store
                      local.get 10
                      i64.const 0
                      i64.store offset=8
                      local.get 10
                      i64.const 0
                      i64.store offset=16
                      local.get 10
                      i64.const 0
                      i64.store offset=24
                      local.get 10
                      i64.const 0
                      i64.store offset=32
                      local.get 10
                      i64.const 0
                      i64.store offset=40
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
                      local.get 1
                      i32.const 0
                      i64.load offset=33696
                      local.tee 16
                      i32.const 0
                      i64.load8_u offset=34568
                      i64.add
                      i64.store offset=24
                      local.get 1
                      i64.const 0
                      i32.const 0
                      i64.load offset=33704
                      local.tee 18
                      local.get 16
                      i64.sub
                      local.tee 16
                      local.get 16
                      local.get 18
                      i64.gt_u
                      select
                      local.tee 16
                      i64.const 4294967295
                      local.get 16
                      i64.const 4294967295
                      i64.lt_u
                      select
                      i64.store32 offset=144
                      local.get 8
                      i32.const 0
                      i32.store8 offset=4
                      local.get 8
                      i32.const 0
                      i32.store
                      local.get 1
                      i32.const 0
                      i32.store offset=80
                      local.get 1
                      i32.const 0
                      i32.store offset=136
                      i64.const 24
                      local.set 16
                      br 1 (;@8;)
                    end
                    local.get 1
                    i32.const 16
                    i32.add
                    local.get 0
                    call 20
                    local.get 1
                    i32.load offset=80
                    i32.const 3
                    i32.shl
                    local.get 1
                    i32.load offset=136
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 24
                    i32.add
                    i64.extend_i32_u
                    local.set 16
                    i32.const 0
                    i64.load offset=34744
                    local.set 13
                    i32.const 0
                    i32.load offset=34840
                    local.set 20
                  end
                  local.get 1
                  local.get 12
                  i64.store offset=16
                  local.get 1
                  i32.const 0
                  i32.load8_u offset=34848
                  i64.const 0
                  local.get 20
                  i64.extend_i32_u
                  local.tee 18
                  local.get 16
                  i64.sub
                  local.tee 16
                  local.get 16
                  local.get 18
                  i64.gt_u
                  select
                  local.tee 16
                  i64.const 1
                  local.get 16
                  i64.const 1
                  i64.gt_u
                  select
                  local.tee 16
                  local.get 15
                  local.get 16
                  local.get 15
                  i64.lt_u
                  select
                  local.tee 18
                  local.get 12
                  i64.add
                  local.tee 15
                  local.get 13
                  i64.eq
                  i32.and
                  local.tee 21
                  i32.store8 offset=150
                  local.get 7
                  i32.const 0
                  i32.const 72
                  memory.fill
                  local.get 1
                  local.get 1
                  i32.const 16
                  i32.add
                  local.get 1
                  i32.const 160
                  i32.add
                  call 21
                  i32.const 0
                  i64.load offset=34888
                  local.set 16
                  local.get 1
                  i32.load
                  local.tee 22
                  local.get 1
                  i32.load offset=4
                  local.tee 23
                  local.get 12
                  local.get 15
                  call 0
                  local.set 13
                  block ;; label = @8
                    block ;; label = @9
                      local.get 16
                      i64.const 1000
                      i64.gt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.set 20
                      block ;; label = @10
                        local.get 13
                        i64.const -1
                        i64.le_s
                        br_if 0 (;@10;)
                        local.get 24
                        local.set 3
                        br 2 (;@8;)
                      end
                      i32.const 1
                      local.set 20
                      local.get 13
                      i32.wrap_i64
                      i32.const -1
                      i32.xor
                      i32.const 7
                      local.get 13
                      i64.const -8
                      i64.gt_u
                      select
                      local.tee 3
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.ne
                      br_if 3 (;@6;)
                      i32.const 1
                      local.set 20
                      i32.const 0
                      i32.const 1
                      i32.store8 offset=34850
                      br 4 (;@5;)
                    end
                    i32.const 0
                    local.set 20
                    block ;; label = @9
                      block ;; label = @10
                        local.get 13
                        i64.const -1
                        i64.le_s
                        br_if 0 (;@10;)
                        local.get 13
                        local.set 25
                        local.get 24
                        local.set 3
                        br 1 (;@9;)
                      end
                      i32.const 3
                      local.get 13
                      i32.wrap_i64
                      i32.const -1
                      i32.xor
                      i32.const 7
                      local.get 13
                      i64.const -8
                      i64.gt_u
                      select
                      local.tee 20
                      local.get 20
                      i32.const 255
                      i32.and
                      i32.const 7
                      i32.eq
                      select
                      local.set 3
                      i32.const 1
                      local.set 20
                    end
                    i32.const 1000
                    local.set 14
                    block ;; label = @9
                      loop ;; label = @10
                        local.get 20
                        i32.const 255
                        i32.and
                        i32.eqz
                        br_if 1 (;@9;)
                        local.get 3
                        i32.const 255
                        i32.and
                        br_if 1 (;@9;)
                        i32.const 0
                        local.set 20
                        block ;; label = @11
                          block ;; label = @12
                            local.get 22
                            local.get 23
                            local.get 12
                            local.get 15
                            call 0
                            local.tee 13
                            i64.const -1
                            i64.le_s
                            br_if 0 (;@12;)
                            local.get 13
                            local.set 26
                            br 1 (;@11;)
                          end
                          i32.const 3
                          local.get 13
                          i32.wrap_i64
                          i32.const -1
                          i32.xor
                          i32.const 7
                          local.get 13
                          i64.const -8
                          i64.gt_u
                          select
                          local.tee 20
                          local.get 20
                          i32.const 255
                          i32.and
                          i32.const 7
                          i32.eq
                          select
                          local.set 27
                          i32.const 1
                          local.set 20
                        end
                        local.get 26
                        local.set 25
                        local.get 27
                        local.set 3
                        local.get 14
                        i32.const -1
                        i32.add
                        local.tee 14
                        br_if 0 (;@10;)
                      end
                      local.get 27
                      local.set 3
                      local.get 27
                      local.set 24
                      local.get 26
                      local.set 25
                      local.get 26
                      local.set 13
                      local.get 20
                      i32.eqz
                      br_if 1 (;@8;)
                      br 3 (;@6;)
                    end
                    local.get 3
                    local.set 24
                    local.get 25
                    local.set 13
                    local.get 20
                    i32.const 1
                    i32.and
                    br_if 2 (;@6;)
                  end
                  i32.const 0
                  local.get 13
                  i64.const 1
                  i64.add
                  local.tee 15
                  i64.store offset=34888
                  i32.const 0
                  i64.const -1
                  i64.store offset=34528
                  i32.const 0
                  local.get 15
                  i64.store offset=34784
                  i32.const 0
                  local.get 21
                  i32.const 0
                  i32.load8_u offset=34849
                  i32.or
                  i32.store8 offset=34849
                  i32.const 0
                  local.get 12
                  local.get 21
                  local.get 18
                  i32.wrap_i64
                  i32.add
                  local.tee 23
                  i64.extend_i32_u
                  i64.add
                  i64.store offset=34600
                  i32.const 0
                  i32.const 0
                  i32.store offset=34564
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34588
                    local.tee 14
                    i32.const 0
                    i32.load offset=34576
                    local.tee 22
                    i32.ne
                    br_if 0 (;@8;)
                    call 22
                    i32.const 0
                    i32.load offset=34576
                    local.set 22
                    i32.const 0
                    i32.load offset=34588
                    local.set 14
                  end
                  i32.const 0
                  local.get 14
                  i32.const 1
                  i32.add
                  i32.store offset=34588
                  i32.const 0
                  i32.load offset=34580
                  i32.const 0
                  i32.load offset=34584
                  local.get 14
                  i32.add
                  local.tee 14
                  i32.const 0
                  local.get 22
                  local.get 14
                  local.get 22
                  i32.lt_u
                  select
                  i32.sub
                  i32.const 5
                  i32.shl
                  i32.add
                  local.tee 14
                  local.get 21
                  i32.store8 offset=26
                  local.get 14
                  i32.const 0
                  i32.store16 offset=24
                  local.get 14
                  local.get 11
                  i32.store offset=20
                  local.get 14
                  local.get 23
                  i32.store offset=16
                  local.get 14
                  local.get 13
                  i64.store offset=8
                  local.get 14
                  local.get 12
                  i64.store
                  local.get 3
                  local.set 24
                  br 3 (;@4;)
                end
                i32.const 0
                i32.load offset=34840
                local.set 28
                i32.const 0
                i64.load offset=34624
                call 23
                local.set 23
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            i32.const 0
                            i32.load offset=34588
                            local.tee 21
                            local.get 23
                            i32.lt_u
                            br_if 0 (;@12;)
                            local.get 21
                            local.get 23
                            i32.eq
                            br_if 5 (;@7;)
                            i32.const 0
                            i32.load offset=34580
                            local.set 29
                            i32.const 0
                            local.set 20
                            block ;; label = @13
                              block ;; label = @14
                                i32.const 0
                                i32.load offset=34584
                                local.tee 30
                                local.get 23
                                i32.add
                                local.tee 3
                                i32.const 0
                                i32.const 0
                                i32.load offset=34576
                                local.tee 22
                                local.get 3
                                local.get 22
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 3
                                local.get 22
                                local.get 3
                                local.get 21
                                local.get 23
                                i32.sub
                                local.tee 31
                                i32.add
                                local.get 31
                                local.get 22
                                local.get 3
                                i32.sub
                                local.tee 32
                                i32.gt_u
                                local.tee 33
                                select
                                i32.eq
                                br_if 0 (;@14;)
                                local.get 29
                                local.get 3
                                i32.const 5
                                i32.shl
                                i32.add
                                i32.const 24
                                i32.add
                                local.set 3
                                local.get 32
                                local.get 31
                                local.get 32
                                local.get 31
                                i32.lt_u
                                select
                                i32.const 5
                                i32.shl
                                local.set 14
                                i32.const 0
                                local.set 20
                                loop ;; label = @15
                                  local.get 3
                                  i32.load8_u
                                  i32.const 2
                                  i32.eq
                                  br_if 2 (;@13;)
                                  local.get 3
                                  i32.const 32
                                  i32.add
                                  local.set 3
                                  local.get 20
                                  i32.const 1
                                  i32.add
                                  local.set 20
                                  local.get 14
                                  i32.const -32
                                  i32.add
                                  local.tee 14
                                  br_if 0 (;@15;)
                                end
                              end
                              local.get 31
                              local.get 32
                              i32.sub
                              i32.const 5
                              i32.shl
                              i32.const 0
                              local.get 33
                              select
                              local.tee 14
                              i32.eqz
                              br_if 6 (;@7;)
                              local.get 29
                              i32.const 24
                              i32.add
                              local.set 3
                              loop ;; label = @14
                                local.get 3
                                i32.load8_u
                                i32.const 2
                                i32.eq
                                br_if 1 (;@13;)
                                local.get 3
                                i32.const 32
                                i32.add
                                local.set 3
                                local.get 20
                                i32.const 1
                                i32.add
                                local.set 20
                                local.get 14
                                i32.const -32
                                i32.add
                                local.tee 14
                                br_if 0 (;@14;)
                                br 7 (;@7;)
                              end
                            end
                            local.get 20
                            local.get 23
                            i32.add
                            local.tee 14
                            local.get 21
                            i32.ge_u
                            br_if 1 (;@11;)
                            i32.const 0
                            local.get 29
                            local.get 14
                            local.get 30
                            i32.add
                            local.tee 3
                            i32.const 0
                            local.get 22
                            local.get 3
                            local.get 22
                            i32.lt_u
                            select
                            i32.sub
                            i32.const 5
                            i32.shl
                            i32.add
                            local.tee 20
                            i64.load
                            local.tee 13
                            i64.store offset=34624
                            local.get 20
                            i32.load offset=16
                            local.tee 31
                            i32.const 0
                            local.get 28
                            i32.const -24
                            i32.add
                            local.tee 23
                            local.get 23
                            local.get 28
                            i32.gt_u
                            select
                            local.tee 23
                            i32.const 1
                            local.get 23
                            i32.const 1
                            i32.gt_u
                            select
                            local.tee 23
                            local.get 20
                            i32.load8_u offset=26
                            local.tee 32
                            i32.add
                            i32.le_u
                            br_if 4 (;@8;)
                            local.get 20
                            i32.const 0
                            i32.store8 offset=26
                            local.get 20
                            local.get 23
                            i32.store offset=16
                            local.get 14
                            i32.const 1
                            i32.add
                            local.set 3
                            local.get 23
                            i64.extend_i32_u
                            local.set 12
                            local.get 20
                            i32.load8_u offset=25
                            local.set 28
                            local.get 20
                            i32.load8_u offset=24
                            local.set 33
                            local.get 20
                            i32.load offset=20
                            local.set 34
                            local.get 20
                            i64.load offset=8
                            local.set 15
                            local.get 21
                            local.get 22
                            i32.eq
                            br_if 2 (;@10;)
                            br 3 (;@9;)
                          end
                          local.get 23
                          local.get 21
                          local.get 21
                          i32.const 33572
                          call 24
                          unreachable
                        end
                        i32.const 33480
                        call 25
                        unreachable
                      end
                      call 22
                      i32.const 0
                      i32.load offset=34576
                      local.set 22
                      i32.const 0
                      i32.load offset=34584
                      local.set 30
                      i32.const 0
                      i32.load offset=34588
                      local.set 21
                    end
                    local.get 31
                    local.get 23
                    i32.sub
                    local.set 31
                    local.get 13
                    local.get 12
                    i64.add
                    local.set 13
                    block ;; label = @9
                      block ;; label = @10
                        local.get 21
                        local.get 3
                        i32.sub
                        local.tee 20
                        local.get 14
                        i32.le_u
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 30
                        i32.const -1
                        i32.add
                        local.tee 20
                        local.get 22
                        i32.add
                        local.tee 23
                        local.get 20
                        local.get 23
                        local.get 20
                        i32.lt_u
                        select
                        local.tee 23
                        i32.store offset=34584
                        local.get 22
                        i32.const 0
                        i32.load offset=34580
                        local.tee 29
                        local.get 30
                        local.get 23
                        local.get 3
                        call 26
                        local.get 29
                        local.get 23
                        local.get 3
                        i32.add
                        local.tee 20
                        i32.const 0
                        local.get 22
                        local.get 20
                        local.get 22
                        i32.lt_u
                        select
                        i32.sub
                        i32.const 5
                        i32.shl
                        i32.add
                        local.set 20
                        br 1 (;@9;)
                      end
                      local.get 22
                      i32.const 0
                      i32.load offset=34580
                      local.tee 29
                      local.get 30
                      local.get 3
                      i32.add
                      local.tee 3
                      i32.const 0
                      local.get 22
                      local.get 3
                      local.get 22
                      i32.lt_u
                      select
                      i32.sub
                      local.tee 3
                      local.get 14
                      local.get 30
                      i32.add
                      i32.const 2
                      i32.add
                      local.tee 23
                      i32.const 0
                      local.get 22
                      local.get 23
                      local.get 22
                      i32.lt_u
                      select
                      i32.sub
                      local.get 20
                      call 26
                      local.get 29
                      local.get 3
                      i32.const 5
                      i32.shl
                      i32.add
                      local.set 20
                      local.get 30
                      local.set 23
                    end
                    local.get 20
                    local.get 32
                    i32.store8 offset=26
                    local.get 20
                    local.get 28
                    i32.store8 offset=25
                    local.get 20
                    local.get 33
                    i32.store8 offset=24
                    local.get 20
                    local.get 34
                    i32.store offset=20
                    local.get 20
                    local.get 31
                    i32.store offset=16
                    local.get 20
                    local.get 15
                    i64.store offset=8
                    local.get 20
                    local.get 13
                    i64.store
                    i32.const 0
                    local.get 21
                    i32.const 1
                    i32.add
                    local.tee 20
                    i32.store offset=34588
                    local.get 14
                    local.get 20
                    i32.ge_u
                    br_if 1 (;@7;)
                    local.get 23
                    local.get 14
                    i32.add
                    local.set 3
                  end
                  local.get 29
                  local.get 3
                  i32.const 0
                  local.get 22
                  local.get 3
                  local.get 22
                  i32.lt_u
                  select
                  i32.sub
                  i32.const 5
                  i32.shl
                  i32.add
                  local.tee 20
                  i32.load8_u offset=26
                  local.tee 3
                  i32.const 2
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 20
                  i64.load offset=8
                  local.set 18
                  local.get 20
                  i64.load
                  local.set 13
                  local.get 20
                  i64.load32_u offset=16
                  local.set 12
                  block ;; label = @8
                    i32.const 0
                    i32.load8_u offset=34694
                    br_if 0 (;@8;)
                    i32.const 0
                    i64.load offset=34600
                    i32.const 0
                    i64.load offset=34592
                    i32.const 0
                    i64.load offset=34608
                    i64.add
                    i32.const 0
                    i64.load offset=34616
                    i64.add
                    i64.sub
                    local.tee 15
                    i32.const 0
                    i64.load offset=34672
                    local.tee 16
                    i64.le_u
                    br_if 0 (;@8;)
                    i64.const 0
                    local.get 15
                    local.get 16
                    i64.sub
                    local.tee 16
                    local.get 16
                    local.get 15
                    i64.gt_u
                    select
                    local.get 12
                    i64.add
                    i32.const 0
                    i64.load offset=34648
                    i64.gt_u
                    br_if 1 (;@7;)
                  end
                  local.get 10
                  i64.const 0
                  i64.store
                  local.get 10
                  i64.const 0
                  i64.store offset=8
                  local.get 10
                  i64.const 0
                  i64.store offset=16
                  local.get 10
                  i64.const 0
                  i64.store offset=24
                  local.get 10
                  i64.const 0
                  i64.store offset=32
                  local.get 10
                  i64.const 0
                  i64.store offset=40
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
                  local.get 9
                  i32.const 0
                  i32.store offset=48
                  local.get 1
                  i32.const 0
                  i32.store16 offset=151 align=1
                  local.get 1
                  local.get 3
                  i32.store8 offset=150
                  local.get 1
                  i32.const 0
                  i32.store16 offset=148
                  local.get 1
                  i32.const 0
                  i32.store offset=80
                  local.get 1
                  i32.const 0
                  i64.load offset=33696
                  local.tee 15
                  i32.const 0
                  i64.load8_u offset=34568
                  i64.add
                  i64.store offset=24
                  local.get 1
                  i64.const 0
                  i32.const 0
                  i64.load offset=33704
                  local.tee 16
                  local.get 15
                  i64.sub
                  local.tee 15
                  local.get 15
                  local.get 16
                  i64.gt_u
                  select
                  local.tee 15
                  i64.const 4294967295
                  local.get 15
                  i64.const 4294967295
                  i64.lt_u
                  select
                  i64.store32 offset=144
                  local.get 1
                  local.get 13
                  i64.store offset=16
                  local.get 7
                  i32.const 0
                  i32.const 72
                  memory.fill
                  local.get 13
                  local.get 3
                  i64.extend_i32_u
                  i64.sub
                  local.get 12
                  i64.add
                  local.set 12
                  local.get 1
                  i32.const 8
                  i32.add
                  local.get 1
                  i32.const 16
                  i32.add
                  local.get 1
                  i32.const 160
                  i32.add
                  call 21
                  local.get 1
                  i32.load offset=12
                  local.set 22
                  local.get 1
                  i32.load offset=8
                  local.set 23
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    i32.const 0
                                    i64.load offset=34888
                                    i64.const 1001
                                    i64.lt_u
                                    br_if 0 (;@16;)
                                    i32.const 0
                                    local.set 20
                                    block ;; label = @17
                                      block ;; label = @18
                                        local.get 23
                                        local.get 22
                                        local.get 13
                                        local.get 12
                                        call 0
                                        local.tee 15
                                        i64.const -1
                                        i64.le_s
                                        br_if 0 (;@18;)
                                        local.get 35
                                        local.set 3
                                        local.get 15
                                        local.set 4
                                        br 1 (;@17;)
                                      end
                                      i32.const 3
                                      local.get 15
                                      i32.wrap_i64
                                      i32.const -1
                                      i32.xor
                                      i32.const 7
                                      local.get 15
                                      i64.const -8
                                      i64.gt_u
                                      select
                                      local.tee 20
                                      local.get 20
                                      i32.const 255
                                      i32.and
                                      i32.const 7
                                      i32.eq
                                      select
                                      local.set 3
                                      i32.const 1
                                      local.set 20
                                    end
                                    i32.const 1000
                                    local.set 14
                                    loop ;; label = @17
                                      local.get 20
                                      i32.const 255
                                      i32.and
                                      i32.eqz
                                      br_if 2 (;@15;)
                                      local.get 3
                                      i32.const 255
                                      i32.and
                                      br_if 2 (;@15;)
                                      i32.const 0
                                      local.set 20
                                      block ;; label = @18
                                        block ;; label = @19
                                          local.get 23
                                          local.get 22
                                          local.get 13
                                          local.get 12
                                          call 0
                                          local.tee 4
                                          i64.const -1
                                          i64.le_s
                                          br_if 0 (;@19;)
                                          local.get 36
                                          local.set 3
                                          local.get 4
                                          local.set 37
                                          br 1 (;@18;)
                                        end
                                        local.get 4
                                        i64.const -8
                                        i64.gt_u
                                        local.set 3
                                        local.get 4
                                        i32.wrap_i64
                                        local.set 36
                                        i32.const 1
                                        local.set 20
                                        local.get 37
                                        local.set 4
                                        i32.const 3
                                        local.get 36
                                        i32.const -1
                                        i32.xor
                                        i32.const 7
                                        local.get 3
                                        select
                                        local.tee 3
                                        local.get 3
                                        i32.const 255
                                        i32.and
                                        i32.const 7
                                        i32.eq
                                        select
                                        local.tee 3
                                        local.set 36
                                      end
                                      local.get 14
                                      i32.const -1
                                      i32.add
                                      local.tee 14
                                      br_if 0 (;@17;)
                                    end
                                    local.get 3
                                    local.set 36
                                    local.get 4
                                    local.set 37
                                    local.get 20
                                    br_if 2 (;@14;)
                                    br 7 (;@9;)
                                  end
                                  local.get 23
                                  local.get 22
                                  local.get 13
                                  local.get 12
                                  local.get 18
                                  call 1
                                  local.tee 15
                                  i64.const -1
                                  i64.gt_s
                                  br_if 2 (;@13;)
                                  i32.const 3
                                  local.get 15
                                  i32.wrap_i64
                                  i32.const -1
                                  i32.xor
                                  i32.const 7
                                  local.get 15
                                  i64.const -8
                                  i64.gt_u
                                  select
                                  local.tee 20
                                  local.get 20
                                  i32.const 255
                                  i32.and
                                  i32.const 7
                                  i32.eq
                                  select
                                  local.tee 3
                                  i32.const 255
                                  i32.and
                                  i32.const 4
                                  i32.ne
                                  br_if 4 (;@11;)
                                  br 3 (;@12;)
                                end
                                local.get 20
                                i32.const 1
                                i32.and
                                i32.eqz
                                br_if 5 (;@9;)
                              end
                              i32.const 4
                              local.set 35
                              local.get 3
                              i32.const 255
                              i32.and
                              i32.const 4
                              i32.eq
                              br_if 1 (;@12;)
                              local.get 3
                              local.set 35
                              br 2 (;@11;)
                            end
                            local.get 15
                            i64.const 1
                            i64.add
                            local.set 12
                            br 4 (;@8;)
                          end
                          i32.const 0
                          i64.load offset=34888
                          local.set 16
                          local.get 23
                          local.get 22
                          local.get 13
                          local.get 12
                          call 0
                          local.set 15
                          block ;; label = @12
                            local.get 16
                            i64.const 1000
                            i64.gt_u
                            br_if 0 (;@12;)
                            local.get 15
                            i64.const -1
                            i64.gt_s
                            br_if 2 (;@10;)
                            i32.const 3
                            local.get 15
                            i32.wrap_i64
                            i32.const -1
                            i32.xor
                            i32.const 7
                            local.get 15
                            i64.const -8
                            i64.gt_u
                            select
                            local.tee 20
                            local.get 20
                            i32.const 255
                            i32.and
                            i32.const 7
                            i32.eq
                            select
                            local.set 3
                            br 1 (;@11;)
                          end
                          i32.const 0
                          local.set 20
                          block ;; label = @12
                            block ;; label = @13
                              local.get 15
                              i64.const -1
                              i64.le_s
                              br_if 0 (;@13;)
                              local.get 15
                              local.set 38
                              br 1 (;@12;)
                            end
                            i32.const 3
                            local.get 15
                            i32.wrap_i64
                            i32.const -1
                            i32.xor
                            i32.const 7
                            local.get 15
                            i64.const -8
                            i64.gt_u
                            select
                            local.tee 20
                            local.get 20
                            i32.const 255
                            i32.and
                            i32.const 7
                            i32.eq
                            select
                            local.set 39
                            i32.const 1
                            local.set 20
                          end
                          i32.const 1000
                          local.set 3
                          block ;; label = @12
                            block ;; label = @13
                              loop ;; label = @14
                                local.get 20
                                i32.const 255
                                i32.and
                                i32.eqz
                                br_if 1 (;@13;)
                                local.get 39
                                i32.const 255
                                i32.and
                                br_if 1 (;@13;)
                                i32.const 0
                                local.set 20
                                block ;; label = @15
                                  block ;; label = @16
                                    local.get 23
                                    local.get 22
                                    local.get 13
                                    local.get 12
                                    call 0
                                    local.tee 38
                                    i64.const -1
                                    i64.le_s
                                    br_if 0 (;@16;)
                                    local.get 40
                                    local.set 39
                                    local.get 38
                                    local.set 41
                                    br 1 (;@15;)
                                  end
                                  local.get 38
                                  i64.const -8
                                  i64.gt_u
                                  local.set 14
                                  local.get 38
                                  i32.wrap_i64
                                  local.set 21
                                  i32.const 1
                                  local.set 20
                                  local.get 41
                                  local.set 38
                                  i32.const 3
                                  local.get 21
                                  i32.const -1
                                  i32.xor
                                  i32.const 7
                                  local.get 14
                                  select
                                  local.tee 14
                                  local.get 14
                                  i32.const 255
                                  i32.and
                                  i32.const 7
                                  i32.eq
                                  select
                                  local.tee 39
                                  local.set 40
                                end
                                local.get 3
                                i32.const -1
                                i32.add
                                local.tee 3
                                br_if 0 (;@14;)
                              end
                              local.get 38
                              local.set 41
                              local.get 39
                              local.set 40
                              local.get 38
                              local.set 15
                              local.get 20
                              i32.eqz
                              br_if 3 (;@10;)
                              local.get 39
                              local.set 40
                              local.get 38
                              local.set 41
                              br 1 (;@12;)
                            end
                            local.get 38
                            local.set 15
                            local.get 20
                            i32.const 1
                            i32.and
                            i32.eqz
                            br_if 2 (;@10;)
                          end
                          local.get 39
                          local.set 3
                        end
                        i32.const 1
                        local.set 20
                        i32.const 0
                        i32.const 1
                        i32.store8 offset=34850
                        local.get 3
                        i32.const 255
                        i32.and
                        i32.eqz
                        br_if 6 (;@4;)
                        i32.const 0
                        local.get 5
                        i64.store offset=34760
                        local.get 5
                        i32.const 0
                        i64.load offset=34768
                        i64.ge_u
                        br_if 6 (;@4;)
                        i32.const 0
                        i32.load offset=34776
                        local.get 6
                        call 2
                        i64.const 0
                        i64.lt_s
                        br_if 6 (;@4;)
                        i32.const 0
                        local.get 5
                        i64.store offset=34768
                        br 6 (;@4;)
                      end
                      i32.const 0
                      local.get 15
                      i64.const 1
                      i64.add
                      local.tee 12
                      i64.store offset=34888
                      br 1 (;@8;)
                    end
                    i32.const 0
                    local.get 4
                    i64.const 1
                    i64.add
                    local.tee 12
                    i64.store offset=34888
                    local.get 3
                    local.set 35
                    local.get 4
                    local.set 15
                  end
                  i32.const 0
                  local.get 12
                  i64.store offset=34784
                  block ;; label = @8
                    local.get 13
                    call 23
                    local.tee 20
                    i32.const 0
                    i32.load offset=34588
                    i32.ge_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=34580
                    i32.const 0
                    i32.load offset=34584
                    local.get 20
                    i32.add
                    local.tee 20
                    i32.const 0
                    i32.const 0
                    i32.load offset=34576
                    local.tee 3
                    local.get 20
                    local.get 3
                    i32.lt_u
                    select
                    i32.sub
                    i32.const 5
                    i32.shl
                    i32.add
                    local.tee 20
                    i32.load8_u offset=24
                    i32.const 2
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 20
                    local.get 11
                    i32.store offset=20
                    local.get 20
                    local.get 15
                    i64.store offset=8
                    local.get 20
                    i32.const 256
                    i32.store16 offset=24
                    i32.const 0
                    i32.const 0
                    i64.load offset=34616
                    local.get 20
                    i64.load32_u offset=16
                    local.tee 13
                    i64.sub
                    i64.store offset=34616
                    i32.const 0
                    local.get 13
                    local.get 20
                    i64.load
                    i64.add
                    i64.store offset=34624
                  end
                  i32.const 0
                  local.set 20
                  i32.const 0
                  i32.const 0
                  i32.store8 offset=34694
                  br 3 (;@4;)
                end
                i32.const 0
                i32.load8_u offset=34850
                local.set 3
                br 4 (;@2;)
              end
              i32.const 0
              i32.const 1
              i32.store8 offset=34850
              local.get 3
              i32.const 255
              i32.and
              i32.eqz
              br_if 1 (;@4;)
            end
            i32.const 0
            local.get 5
            i64.store offset=34760
            local.get 5
            i32.const 0
            i64.load offset=34768
            i64.ge_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=34776
            local.get 6
            call 2
            i64.const 0
            i64.lt_s
            br_if 0 (;@4;)
            i32.const 0
            local.get 5
            i64.store offset=34768
          end
          i32.const 0
          i32.load8_u offset=34850
          local.set 3
          local.get 20
          i32.const 1
          i32.and
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
          i64.load offset=34600
          local.tee 4
          i32.const 0
          i64.load offset=34592
          i64.ne
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 4
            i32.const 0
            i64.load offset=34744
            i64.lt_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load8_u offset=34848
            i32.const 1
            i32.ne
            br_if 3 (;@1;)
            i32.const 0
            i32.load8_u offset=34849
            i32.const 1
            i32.and
            br_if 3 (;@1;)
          end
          local.get 3
          i32.const 0
          i64.load offset=34720
          i64.const -1
          i64.ne
          i32.or
          i32.const 1
          i32.and
          i32.eqz
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        i32.const 0
        i64.load offset=34720
        i64.const -1
        i64.ne
        br_if 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34696
          local.tee 4
          i64.eqz
          i32.eqz
          br_if 0 (;@3;)
          i64.const 1000
          local.set 4
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=34704
        local.tee 13
        i64.const 1
        local.get 13
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
      i32.load offset=34712
      local.tee 20
      i32.const 16
      local.get 20
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
      i64.store offset=34720
      local.get 4
      i32.const 0
      i64.load offset=34728
      i64.ge_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34736
      i64.const 0
      local.get 4
      local.get 0
      i64.sub
      local.tee 13
      local.get 13
      local.get 4
      i64.gt_u
      select
      local.tee 13
      i64.const 4294967295
      local.get 13
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
      i64.store offset=34728
    end
    block ;; label = @1
      local.get 2
      i32.const 1
      i32.and
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=34849
      i32.const 1
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.load8_u offset=34568
      i32.store8 offset=34880
    end
    i32.const 0
    local.set 20
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34848
      local.tee 3
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      i32.const 0
      local.set 20
      i32.const 0
      i64.load offset=34592
      i32.const 0
      i64.load offset=34744
      i64.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load8_u offset=34568
      local.set 20
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load8_u offset=34881
              br_table 1 (;@4;) 0 (;@5;) 4 (;@1;) 1 (;@4;)
            end
            i32.const 0
            i64.load offset=34592
            i32.const 0
            i64.load offset=34744
            local.get 3
            i64.extend_i32_u
            i64.add
            i64.ge_u
            br_if 1 (;@3;)
          end
          local.get 20
          i32.const 0
          i32.load8_u offset=34880
          i32.and
          i32.const 1
          i32.and
          br_if 1 (;@2;)
          local.get 20
          i32.const 0
          i64.load offset=34856
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
          i64.store offset=34856
          local.get 4
          i32.const 0
          i64.load offset=34864
          i64.ge_u
          br_if 2 (;@1;)
          i32.const 0
          i32.load offset=34872
          i64.const 0
          local.get 4
          local.get 0
          i64.sub
          local.tee 13
          local.get 13
          local.get 4
          i64.gt_u
          select
          local.tee 13
          i64.const 4294967295
          local.get 13
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
          i64.store offset=34864
          br 2 (;@1;)
        end
        i32.const 0
        i32.const 2
        i32.store8 offset=34881
        call 3
        br 1 (;@1;)
      end
      i32.const 0
      i32.const 2
      i32.store8 offset=34881
      call 3
    end
    local.get 1
    i32.const 256
    i32.add
    global.set 0
  )
  (func (;20;) (type 11) (param i32 i64)
    (local i32 i64 i64 i64 i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i64 i64)
    global.get 0
    i32.const 144
    i32.sub
    local.tee 2
    global.set 0
    i32.const 0
    i64.load offset=33704
    local.set 3
    i32.const 0
    i64.const -1
    i32.const 0
    i64.load offset=33696
    local.tee 4
    call 7
    i64.add
    local.tee 5
    local.get 5
    local.get 4
    i64.lt_u
    select
    local.tee 4
    local.get 3
    local.get 4
    local.get 3
    i64.gt_u
    select
    local.tee 3
    i64.store offset=33704
    local.get 2
    i64.const 0
    i64.store offset=16
    local.get 2
    i64.const 0
    i64.store offset=24
    local.get 2
    i64.const 0
    i64.store offset=32
    local.get 2
    i64.const 0
    i64.store offset=40
    local.get 2
    i64.const 0
    i64.store offset=48
    local.get 2
    i64.const 0
    i64.store offset=56
    local.get 2
    i64.const 0
    i64.store offset=72
    local.get 2
    i64.const 0
    i64.store offset=80
    local.get 2
    i64.const 0
    i64.store offset=88
    local.get 2
    i64.const 0
    i64.store offset=96
    local.get 2
    i64.const 0
    i64.store offset=104
    local.get 2
    i64.const 0
    i64.store offset=112
    local.get 2
    i32.const 0
    i64.load offset=33696
    local.tee 4
    i32.const 0
    i64.load8_u offset=34568
    i64.add
    local.tee 5
    i64.store offset=8
    local.get 2
    i64.const 0
    i64.store
    local.get 2
    i32.const 0
    i32.store8 offset=136
    local.get 2
    i32.const 0
    i32.store offset=132
    local.get 2
    i64.const 0
    local.get 3
    local.get 4
    i64.sub
    local.tee 4
    local.get 4
    local.get 3
    i64.gt_u
    select
    local.tee 3
    i64.const 4294967295
    local.get 3
    i64.const 4294967295
    i64.lt_u
    select
    i64.store32 offset=128
    local.get 2
    i32.const 0
    i32.store offset=120
    local.get 2
    i32.const 0
    i32.store offset=64
    local.get 2
    i64.const 0
    local.get 1
    i32.const 0
    i64.load offset=34520
    i64.sub
    local.tee 3
    local.get 3
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
    i32.store16 offset=132
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i32.load offset=34512
        local.tee 6
        i32.const 33
        i32.ge_u
        br_if 0 (;@2;)
        local.get 6
        i32.eqz
        br_if 1 (;@1;)
        local.get 2
        local.get 6
        i32.const 24
        i32.mul
        local.tee 7
        i32.const 33728
        i32.add
        i64.load
        i64.store32 offset=84
        local.get 2
        local.get 7
        i32.const 33720
        i32.add
        i64.load
        i64.store32 offset=80
        local.get 2
        local.get 7
        i32.const 33736
        i32.add
        i64.load
        i64.store offset=72
        local.get 2
        i32.const 1
        i32.store offset=120
        local.get 6
        i32.const 1
        i32.eq
        br_if 1 (;@1;)
        local.get 2
        local.get 7
        i32.const 33704
        i32.add
        i64.load
        i64.store32 offset=100
        local.get 2
        local.get 7
        i32.const 33696
        i32.add
        i64.load
        i64.store32 offset=96
        local.get 2
        local.get 7
        i32.const 33712
        i32.add
        i64.load
        i64.store offset=88
        local.get 2
        i32.const 2
        i32.store offset=120
        local.get 6
        i32.const 2
        i32.eq
        br_if 1 (;@1;)
        local.get 2
        i32.const 3
        i32.store offset=120
        local.get 2
        local.get 7
        i32.const 33680
        i32.add
        i64.load
        i64.store32 offset=116
        local.get 2
        local.get 7
        i32.const 33672
        i32.add
        i64.load
        i64.store32 offset=112
        local.get 2
        local.get 7
        i32.const 33688
        i32.add
        i64.load
        i64.store offset=104
        br 1 (;@1;)
      end
      i32.const 0
      local.get 6
      i32.const 32
      i32.const 33588
      call 24
      unreachable
    end
    block ;; label = @1
      i32.const 0
      i32.load8_u offset=34570
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34560
      local.tee 8
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 16
      i32.add
      local.set 9
      i32.const 1
      local.set 10
      i32.const 0
      local.set 7
      i32.const 0
      i32.load offset=34556
      local.set 6
      i32.const 0
      i64.load offset=33736
      local.set 1
      i32.const 0
      i64.load offset=33728
      local.set 3
      i32.const 0
      i64.load offset=33720
      local.set 4
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  local.get 8
                  i32.const 1
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 8
                  local.set 10
                  loop ;; label = @8
                    local.get 7
                    local.get 10
                    i32.const 1
                    i32.shr_u
                    local.tee 11
                    local.get 7
                    i32.add
                    local.tee 12
                    local.get 6
                    local.get 12
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 8
                    i32.add
                    i64.load
                    local.get 4
                    i64.gt_u
                    select
                    local.set 7
                    local.get 10
                    local.get 11
                    i32.sub
                    local.tee 10
                    i32.const 1
                    i32.gt_u
                    br_if 0 (;@8;)
                  end
                  i32.const 0
                  local.set 10
                  i64.const 0
                  local.set 13
                  local.get 7
                  local.get 6
                  local.get 7
                  i32.const 4
                  i32.shl
                  i32.add
                  i32.const 8
                  i32.add
                  i64.load
                  local.get 4
                  i64.le_u
                  i32.add
                  local.tee 7
                  local.get 8
                  i32.lt_u
                  br_if 1 (;@6;)
                  i64.const 0
                  local.set 4
                  i32.const 1
                  local.set 14
                  i32.const 0
                  local.set 15
                  br 2 (;@5;)
                end
                i32.const 0
                local.set 7
                i64.const 0
                local.set 16
                block ;; label = @7
                  block ;; label = @8
                    local.get 6
                    i32.const 8
                    i32.add
                    i64.load
                    local.tee 17
                    local.get 4
                    i64.gt_u
                    br_if 0 (;@8;)
                    i64.const 0
                    local.set 4
                    br 1 (;@7;)
                  end
                  i32.const 0
                  local.set 7
                  block ;; label = @8
                    local.get 6
                    i64.load
                    local.tee 13
                    local.get 4
                    i64.le_u
                    br_if 0 (;@8;)
                    i64.const 0
                    local.set 4
                    br 1 (;@7;)
                  end
                  i64.const 0
                  local.set 4
                  local.get 13
                  local.get 5
                  i64.le_u
                  br_if 0 (;@7;)
                  i32.const 1
                  local.set 7
                  local.get 2
                  i32.const 1
                  i32.store offset=64
                  local.get 2
                  local.get 17
                  i64.store offset=24
                  local.get 2
                  local.get 13
                  i64.store offset=16
                  i32.const 0
                  local.set 10
                  local.get 17
                  local.set 16
                  local.get 13
                  local.set 4
                end
                block ;; label = @7
                  block ;; label = @8
                    local.get 17
                    local.get 3
                    i64.gt_u
                    br_if 0 (;@8;)
                    local.get 7
                    local.set 14
                    br 1 (;@7;)
                  end
                  block ;; label = @8
                    local.get 6
                    i64.load
                    local.tee 13
                    local.get 3
                    i64.le_u
                    br_if 0 (;@8;)
                    local.get 7
                    local.set 14
                    br 1 (;@7;)
                  end
                  block ;; label = @8
                    local.get 13
                    local.get 5
                    i64.gt_u
                    br_if 0 (;@8;)
                    local.get 7
                    local.set 14
                    br 1 (;@7;)
                  end
                  local.get 6
                  i32.const 8
                  i32.add
                  i64.load
                  local.set 3
                  block ;; label = @8
                    block ;; label = @9
                      local.get 10
                      br_if 0 (;@9;)
                      block ;; label = @10
                        local.get 4
                        local.get 13
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 16
                        local.get 3
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 7
                        local.set 14
                        br 3 (;@7;)
                      end
                      i32.const 3
                      local.set 14
                      local.get 7
                      i32.eqz
                      br_if 1 (;@8;)
                    end
                    local.get 9
                    local.get 7
                    i32.const 4
                    i32.shl
                    i32.add
                    local.tee 10
                    local.get 3
                    i64.store offset=8
                    local.get 10
                    local.get 13
                    i64.store
                    local.get 7
                    i32.const 1
                    i32.add
                    local.set 14
                  end
                  local.get 2
                  local.get 14
                  i32.store offset=64
                end
                local.get 17
                local.get 1
                i64.le_u
                br_if 5 (;@1;)
                local.get 6
                i64.load
                local.tee 3
                local.get 1
                i64.gt_u
                br_if 5 (;@1;)
                local.get 3
                local.get 5
                i64.le_u
                br_if 5 (;@1;)
                local.get 6
                i32.const 8
                i32.add
                i64.load
                local.set 1
                local.get 14
                i32.eqz
                br_if 2 (;@4;)
                block ;; label = @7
                  local.get 2
                  i64.load offset=16
                  local.get 3
                  i64.ne
                  br_if 0 (;@7;)
                  local.get 2
                  i64.load offset=24
                  local.get 1
                  i64.eq
                  br_if 6 (;@1;)
                end
                local.get 14
                i32.const 1
                i32.eq
                br_if 2 (;@4;)
                block ;; label = @7
                  local.get 2
                  i64.load offset=32
                  local.get 3
                  i64.ne
                  br_if 0 (;@7;)
                  local.get 2
                  i64.load offset=40
                  local.get 1
                  i64.eq
                  br_if 6 (;@1;)
                end
                local.get 14
                i32.const 2
                i32.eq
                br_if 2 (;@4;)
                i32.const 3
                local.set 6
                br 4 (;@2;)
              end
              i32.const 0
              local.set 15
              block ;; label = @6
                local.get 6
                local.get 7
                i32.const 4
                i32.shl
                i32.add
                local.tee 7
                i64.load
                local.tee 17
                local.get 4
                i64.le_u
                br_if 0 (;@6;)
                i64.const 0
                local.set 4
                i32.const 1
                local.set 14
                br 1 (;@5;)
              end
              i64.const 0
              local.set 4
              i32.const 1
              local.set 14
              local.get 17
              local.get 5
              i64.le_u
              br_if 0 (;@5;)
              i32.const 1
              local.set 15
              local.get 2
              i32.const 1
              i32.store offset=64
              local.get 2
              local.get 17
              i64.store offset=16
              local.get 2
              local.get 7
              i64.load offset=8
              local.tee 13
              i64.store offset=24
              i32.const 0
              local.set 14
              local.get 17
              local.set 4
            end
            local.get 8
            local.set 7
            loop ;; label = @5
              local.get 10
              local.get 7
              i32.const 1
              i32.shr_u
              local.tee 11
              local.get 10
              i32.add
              local.tee 12
              local.get 6
              local.get 12
              i32.const 4
              i32.shl
              i32.add
              i32.const 8
              i32.add
              i64.load
              local.get 3
              i64.gt_u
              select
              local.set 10
              local.get 7
              local.get 11
              i32.sub
              local.tee 7
              i32.const 1
              i32.gt_u
              br_if 0 (;@5;)
            end
            block ;; label = @5
              block ;; label = @6
                local.get 10
                local.get 6
                local.get 10
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 3
                i64.le_u
                i32.add
                local.tee 7
                local.get 8
                i32.lt_u
                br_if 0 (;@6;)
                local.get 15
                local.set 14
                br 1 (;@5;)
              end
              block ;; label = @6
                local.get 6
                local.get 7
                i32.const 4
                i32.shl
                i32.add
                local.tee 7
                i64.load
                local.tee 17
                local.get 3
                i64.le_u
                br_if 0 (;@6;)
                local.get 15
                local.set 14
                br 1 (;@5;)
              end
              block ;; label = @6
                local.get 17
                local.get 5
                i64.gt_u
                br_if 0 (;@6;)
                local.get 15
                local.set 14
                br 1 (;@5;)
              end
              local.get 7
              i64.load offset=8
              local.set 3
              block ;; label = @6
                block ;; label = @7
                  local.get 14
                  br_if 0 (;@7;)
                  block ;; label = @8
                    local.get 4
                    local.get 17
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 13
                    local.get 3
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 15
                    local.set 14
                    br 3 (;@5;)
                  end
                  i32.const 3
                  local.set 14
                  local.get 15
                  i32.eqz
                  br_if 1 (;@6;)
                end
                local.get 9
                local.get 15
                i32.const 4
                i32.shl
                i32.add
                local.tee 7
                local.get 3
                i64.store offset=8
                local.get 7
                local.get 17
                i64.store
                local.get 15
                i32.const 1
                i32.add
                local.set 14
              end
              local.get 2
              local.get 14
              i32.store offset=64
            end
            i32.const 0
            local.set 7
            local.get 8
            local.set 10
            loop ;; label = @5
              local.get 7
              local.get 10
              i32.const 1
              i32.shr_u
              local.tee 11
              local.get 7
              i32.add
              local.tee 12
              local.get 6
              local.get 12
              i32.const 4
              i32.shl
              i32.add
              i32.const 8
              i32.add
              i64.load
              local.get 1
              i64.gt_u
              select
              local.set 7
              local.get 10
              local.get 11
              i32.sub
              local.tee 10
              i32.const 1
              i32.gt_u
              br_if 0 (;@5;)
            end
            local.get 7
            local.get 6
            local.get 7
            i32.const 4
            i32.shl
            i32.add
            i32.const 8
            i32.add
            i64.load
            local.get 1
            i64.le_u
            i32.add
            local.tee 7
            local.get 8
            i32.ge_u
            br_if 3 (;@1;)
            local.get 6
            local.get 7
            i32.const 4
            i32.shl
            i32.add
            local.tee 6
            i64.load
            local.tee 3
            local.get 1
            i64.gt_u
            br_if 3 (;@1;)
            local.get 3
            local.get 5
            i64.le_u
            br_if 3 (;@1;)
            local.get 6
            i64.load offset=8
            local.set 1
            block ;; label = @5
              local.get 14
              i32.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 2
                i64.load offset=16
                local.get 3
                i64.ne
                br_if 0 (;@6;)
                local.get 2
                i64.load offset=24
                local.get 1
                i64.eq
                br_if 5 (;@1;)
              end
              local.get 14
              i32.const 1
              i32.eq
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 2
                i64.load offset=32
                local.get 3
                i64.ne
                br_if 0 (;@6;)
                local.get 2
                i64.load offset=40
                local.get 1
                i64.eq
                br_if 5 (;@1;)
              end
              local.get 14
              i32.const 2
              i32.eq
              br_if 0 (;@5;)
              i32.const 3
              local.set 6
              br 3 (;@2;)
            end
            local.get 9
            local.get 14
            i32.const 4
            i32.shl
            i32.add
            local.get 3
            i64.store
            br 1 (;@3;)
          end
          local.get 9
          local.get 14
          i32.const 4
          i32.shl
          i32.add
          local.get 3
          i64.store
        end
        local.get 9
        local.get 14
        i32.const 4
        i32.shl
        i32.add
        local.get 1
        i64.store offset=8
        local.get 2
        i32.load offset=64
        i32.const 1
        i32.add
        local.set 6
      end
      local.get 2
      local.get 6
      i32.store offset=64
    end
    local.get 0
    local.get 2
    i32.const 144
    memory.copy
    local.get 2
    i32.const 144
    i32.add
    global.set 0
  )
  (func (;21;) (type 12) (param i32 i32 i32)
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
        i32.const 33560
        i32.const 19
        i32.const 33528
        call 46
        unreachable
      end
      i32.const 0
      local.get 5
      i32.const 3
      i32.const 33512
      call 24
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
      i32.const 33512
      call 24
      unreachable
    end
    i32.const 0
    local.get 1
    i32.const 96
    i32.const 33544
    call 24
    unreachable
  )
  (func (;22;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=34576
    local.set 0
    call 59
    block ;; label = @1
      i32.const 0
      i32.load offset=34584
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=34588
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34576
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
          i32.load offset=34580
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
        i32.store offset=34584
        return
      end
      local.get 2
      i32.const 5
      i32.shl
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34580
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
  (func (;23;) (type 13) (param i64) (result i32)
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
              i32.load offset=34588
              local.tee 3
              i32.eqz
              br_if 0 (;@5;)
              local.get 3
              i32.const 0
              i32.load offset=34576
              local.tee 1
              i32.const 0
              i32.load offset=34584
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
            i32.load offset=34580
            local.get 2
            i32.const 5
            i32.shl
            i32.add
            local.set 4
            br 1 (;@3;)
          end
          i32.const 0
          i32.load offset=34580
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
  (func (;24;) (type 14) (param i32 i32 i32 i32)
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
          call 46
          unreachable
        end
        i32.const 32824
        local.get 4
        local.get 3
        call 46
        unreachable
      end
      i32.const 32881
      local.get 4
      local.get 3
      call 46
      unreachable
    end
    i32.const 32881
    local.get 4
    local.get 3
    call 46
    unreachable
  )
  (func (;25;) (type 9) (param i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    i32.const 32934
    local.get 1
    i32.const 8
    i32.add
    local.get 0
    call 46
    unreachable
  )
  (func (;26;) (type 15) (param i32 i32 i32 i32 i32)
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
  (func (;27;) (type 16) (param i64 i32)
    (local i32 i64)
    global.get 0
    i32.const 304
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 160
    i32.add
    local.get 0
    call 20
    local.get 2
    local.get 1
    i32.store8 offset=152
    local.get 2
    local.get 2
    i64.load offset=160
    i64.store offset=16
    local.get 2
    local.get 2
    i64.load offset=168
    i64.store offset=24
    local.get 2
    local.get 2
    i64.load offset=288
    i64.store offset=144
    local.get 2
    local.get 2
    i64.load offset=176
    i64.store offset=32
    local.get 2
    local.get 2
    i64.load offset=184
    i64.store offset=40
    local.get 2
    local.get 2
    i64.load offset=192
    i64.store offset=48
    local.get 2
    local.get 2
    i64.load offset=200
    i64.store offset=56
    local.get 2
    local.get 2
    i64.load offset=208
    i64.store offset=64
    local.get 2
    local.get 2
    i64.load offset=216
    i64.store offset=72
    local.get 2
    local.get 2
    i64.load offset=224
    i64.store offset=80
    local.get 2
    local.get 2
    i64.load offset=280
    i64.store offset=136
    local.get 2
    local.get 2
    i64.load offset=272
    i64.store offset=128
    local.get 2
    local.get 2
    i64.load offset=264
    i64.store offset=120
    local.get 2
    local.get 2
    i64.load offset=256
    i64.store offset=112
    local.get 2
    local.get 2
    i64.load offset=248
    i64.store offset=104
    local.get 2
    local.get 2
    i64.load offset=240
    i64.store offset=96
    local.get 2
    local.get 2
    i64.load offset=232
    i64.store offset=88
    local.get 2
    i32.const 184
    i32.add
    i32.const 0
    i32.const 72
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
    call 21
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
        i32.load offset=34564
        local.tee 1
        i32.const 1
        local.get 1
        i32.const 1
        i32.gt_u
        select
        i32.store offset=34564
        i32.const 0
        i64.load offset=34528
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
        i64.store offset=34528
        local.get 3
        i32.const 0
        i64.load offset=34536
        i64.ge_u
        br_if 1 (;@1;)
        i32.const 0
        i32.load offset=34544
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
        i64.store offset=34536
        br 1 (;@1;)
      end
      i32.const 0
      i64.const -1
      i64.store offset=34528
      i32.const 0
      i32.const 0
      i32.store offset=34564
    end
    local.get 2
    i32.const 304
    i32.add
    global.set 0
  )
  (func (;28;) (type 3)
    (local i32 i32 i64 i64 i64 i32 i32 i32 i32)
    block ;; label = @1
      i32.const 0
      i32.load offset=33692
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33680
      local.set 0
      i32.const 0
      i32.load offset=33688
      local.set 1
      loop ;; label = @2
        i32.const 0
        i64.load offset=33696
        local.tee 2
        i32.const 0
        i32.load offset=33684
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
          i32.store8 offset=34569
          i32.const 0
          local.get 4
          i64.store offset=33696
        end
        local.get 1
        call 6
        drop
        i32.const 0
        i32.load offset=33692
        local.tee 0
        i32.eqz
        br_if 1 (;@1;)
        i32.const 0
        local.get 0
        i32.const -1
        i32.add
        local.tee 5
        i32.store offset=33692
        i32.const 0
        i32.const 0
        i32.load offset=33688
        i32.const 1
        i32.add
        local.tee 1
        i32.const 0
        i32.const 0
        i32.load offset=33680
        local.tee 0
        local.get 1
        local.get 0
        i32.lt_u
        select
        i32.sub
        local.tee 1
        i32.store offset=33688
        local.get 5
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i32.load offset=34560
        local.tee 6
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34556
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
        i64.load offset=33696
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
        i32.store offset=34560
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
        i32.store offset=34560
      end
      return
    end
    i32.const 0
    local.get 1
    local.get 6
    i32.const 32768
    call 24
    unreachable
  )
  (func (;29;) (type 3)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=33680
    local.set 0
    call 30
    block ;; label = @1
      i32.const 0
      i32.load offset=33688
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=33692
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33680
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
          i32.load offset=33684
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
        i32.store offset=33688
        return
      end
      local.get 2
      i32.const 24
      i32.mul
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=33684
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
  (func (;30;) (type 3)
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
    i32.load offset=33680
    local.tee 1
    i32.const 0
    i32.load offset=33684
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
    call 32
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
      call 33
      unreachable
    end
    i32.const 0
    local.get 0
    i32.load offset=8
    i32.store offset=33684
    i32.const 0
    local.get 1
    i32.store offset=33680
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;31;) (type 12) (param i32 i32 i32)
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
      i32.load offset=33680
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
          i32.load offset=33684
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
            i32.load offset=33684
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
          i32.load offset=33684
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
          i32.load offset=33684
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
        i32.load offset=33684
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
            i32.load offset=33684
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
          i32.load offset=33684
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
          i32.load offset=33684
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
          i32.load offset=33684
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
        i32.load offset=33684
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
          i32.load offset=33684
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
        i32.load offset=33684
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
        i32.load offset=33684
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
        i32.load offset=33684
        local.tee 2
        local.get 2
        i32.const 0
        i32.load offset=33680
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
      i32.load offset=33684
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
  (func (;32;) (type 15) (param i32 i32 i32 i32 i32)
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
              call 34
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
              i32.load offset=47184
              local.tee 6
              br_if 0 (;@5;)
              i32.const 16
              local.get 1
              i32.shl
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=47284
                  local.tee 4
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.load offset=47280
                  local.set 6
                  br 1 (;@6;)
                end
                memory.size
                local.set 4
                i32.const 47296
                local.set 6
                i32.const 0
                i32.const 47296
                i32.store offset=47280
                i32.const 0
                local.get 4
                i32.const 16
                i32.shl
                local.tee 4
                i32.store offset=47284
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
                i32.store offset=47280
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
              i32.store offset=47284
              i32.const 0
              local.get 1
              i32.store offset=47280
              br 1 (;@4;)
            end
            local.get 4
            i32.const 47184
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
  (func (;33;) (type 17) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      call 57
      unreachable
    end
    call 58
    unreachable
  )
  (func (;34;) (type 18) (param i32 i32 i32) (result i32)
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
              i32.load offset=47184
              local.tee 4
              br_if 0 (;@5;)
              i32.const 16
              local.get 6
              i32.shl
              local.set 5
              i32.const 0
              i32.load offset=47284
              local.tee 6
              i32.eqz
              br_if 1 (;@4;)
              i32.const 0
              i32.load offset=47280
              local.set 4
              br 2 (;@3;)
            end
            local.get 5
            i32.const 47184
            i32.add
            local.get 4
            i32.load
            i32.store
            br 2 (;@2;)
          end
          memory.size
          local.set 6
          i32.const 47296
          local.set 4
          i32.const 0
          i32.const 47296
          i32.store offset=47280
          i32.const 0
          local.get 6
          i32.const 16
          i32.shl
          local.tee 6
          i32.store offset=47284
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
          i32.store offset=47284
        end
        i32.const 0
        local.get 7
        i32.store offset=47280
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
        i32.load offset=47184
        i32.store
        local.get 2
        local.get 0
        i32.store offset=47184
      end
      local.get 4
      local.set 5
    end
    local.get 5
  )
  (func (;35;) (type 17) (param i32 i32)
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
      call 33
      unreachable
    end
    local.get 2
    i32.const 4
    i32.add
    i32.const 0
    i32.load offset=34552
    local.tee 1
    i32.const 0
    i32.load offset=34556
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
    call 32
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
      call 33
      unreachable
    end
    i32.const 0
    local.get 2
    i32.load offset=8
    i32.store offset=34556
    i32.const 0
    local.get 1
    i32.store offset=34552
    local.get 2
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;36;) (type 3)
    (local i32 i32 i64 i64 i32 i32 i64 i32)
    block ;; label = @1
      i32.const 0
      i64.load offset=34888
      i64.const 1001
      i64.lt_u
      br_if 0 (;@1;)
      i32.const 0
      local.set 0
      loop ;; label = @2
        i32.const 0
        local.set 1
        block ;; label = @3
          block ;; label = @4
            i32.const 33348
            i32.const 96
            i64.const 0
            i64.const 0
            call 0
            local.tee 2
            i64.const -1
            i64.le_s
            br_if 0 (;@4;)
            local.get 2
            local.set 3
            br 1 (;@3;)
          end
          i32.const 3
          local.get 2
          i32.wrap_i64
          i32.const -1
          i32.xor
          i32.const 7
          local.get 2
          i64.const -8
          i64.gt_u
          select
          local.tee 1
          local.get 1
          i32.const 255
          i32.and
          i32.const 7
          i32.eq
          select
          local.set 4
          i32.const 1
          local.set 1
        end
        i32.const 1000
        local.set 5
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              loop ;; label = @6
                local.get 1
                i32.const 255
                i32.and
                i32.eqz
                br_if 1 (;@5;)
                local.get 4
                i32.const 255
                i32.and
                br_if 1 (;@5;)
                i32.const 0
                local.set 1
                block ;; label = @7
                  block ;; label = @8
                    i32.const 33348
                    i32.const 96
                    i64.const 0
                    i64.const 0
                    call 0
                    local.tee 3
                    i64.const -1
                    i64.le_s
                    br_if 0 (;@8;)
                    local.get 3
                    local.set 6
                    br 1 (;@7;)
                  end
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
                  local.tee 1
                  local.get 1
                  i32.const 255
                  i32.and
                  i32.const 7
                  i32.eq
                  select
                  local.set 7
                  i32.const 1
                  local.set 1
                end
                local.get 6
                local.set 3
                local.get 7
                local.set 4
                local.get 5
                i32.const -1
                i32.add
                local.tee 5
                br_if 0 (;@6;)
              end
              local.get 6
              local.set 3
              local.get 7
              local.set 4
              local.get 1
              i32.eqz
              br_if 1 (;@4;)
              br 2 (;@3;)
            end
            local.get 1
            i32.const 1
            i32.and
            br_if 1 (;@3;)
          end
          i32.const 0
          local.get 3
          i64.const 1
          i64.add
          i64.store offset=34888
          local.get 0
          i32.const 1
          i32.add
          local.tee 0
          i32.const 1000
          i32.ne
          br_if 1 (;@2;)
        end
      end
      call 8
      local.set 3
      i64.const 0
      i32.const 0
      i64.load offset=34888
      local.get 3
      i32.const 0
      call 9
      drop
    end
  )
  (func (;37;) (type 6) (result i64)
    i64.const 258
  )
  (func (;38;) (type 3)
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.const 2
      i32.store8 offset=34881
    end
  )
  (func (;39;) (type 3)
    (local i64 i64 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 0
      i32.const 0
      call 11
      local.set 1
      i32.const 0
      i64.const 0
      i64.store offset=34696
      i32.const 0
      i64.const 0
      i64.store offset=34704
      i32.const 0
      i64.const 0
      i64.store offset=34664
      i32.const 0
      i64.const -1
      i64.store offset=34656
      i32.const 0
      local.get 1
      i64.const 65536
      local.get 1
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 2
      i32.store offset=34840
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
      i64.store offset=34640
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
      i64.store offset=34648
      i32.const 0
      i32.const 0
      i32.store8 offset=34850
      i32.const 0
      i32.const 0
      i32.store offset=34712
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34600
          i32.const 0
          i64.load offset=34592
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=34720
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
        i64.store offset=34720
        local.get 1
        i32.const 0
        i64.load offset=34728
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34736
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
        i64.store offset=34728
      end
      i32.const 0
      call 12
      local.tee 1
      i32.const 0
      i64.load offset=34744
      local.tee 4
      local.get 1
      local.get 4
      i64.gt_u
      select
      i64.store offset=34744
      call 13
      local.get 0
      call 19
      call 36
    end
  )
  (func (;40;) (type 19) (result i32)
    i32.const 34896
  )
  (func (;41;) (type 3)
    (local i32 i32 i32)
    global.get 0
    i32.const 80
    i32.sub
    local.tee 0
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
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const 0
        i32.load offset=34576
        local.tee 1
        i32.const -1
        i32.add
        i32.const 4194303
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34580
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
        i32.load offset=47184
        i32.store
        local.get 1
        local.get 2
        i32.store offset=47184
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=33680
        local.tee 1
        i32.const -1
        i32.add
        i32.const 5592404
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33684
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
        i32.load offset=47184
        i32.store
        local.get 1
        local.get 2
        i32.store offset=47184
      end
      i32.const 0
      i32.load offset=34552
      local.tee 1
      i32.const -1
      i32.add
      i32.const 8388607
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34556
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
      i32.load offset=47184
      i32.store
      local.get 1
      local.get 2
      i32.store offset=47184
    end
    i32.const 0
    i64.const 0
    i64.store offset=34520
    i32.const 0
    i64.const 34359738368
    i64.store offset=33680
    i32.const 0
    i64.const 0
    i64.store offset=33664
    i32.const 33688
    i32.const 0
    i32.const 828
    memory.fill
    i32.const 0
    i64.const -1
    i64.store offset=34536
    i32.const 0
    i64.const -1
    i64.store offset=34528
    i32.const 0
    i64.const 0
    i64.store offset=34560
    i32.const 0
    i64.const 34359738368
    i64.store offset=34552
    i32.const 0
    i32.const 1
    i32.store offset=34544
    i32.const 0
    i64.const 0
    i64.store offset=34584
    i32.const 0
    i64.const 34359738368
    i64.store offset=34576
    i32.const 0
    i64.const 0
    i64.store offset=34592
    i32.const 0
    i64.const 0
    i64.store offset=34600
    i32.const 0
    i64.const 0
    i64.store offset=34608
    i32.const 0
    i64.const 0
    i64.store offset=34616
    i32.const 0
    i64.const 0
    i64.store offset=34624
    i32.const 0
    i64.const 0
    i64.store offset=34632
    i32.const 0
    i64.const -1
    i64.store offset=34656
    i32.const 0
    i64.const 0
    i64.store offset=34648
    i32.const 0
    i64.const 1
    i64.store offset=34640
    i32.const 0
    i32.const 0
    i32.store offset=34567 align=1
    i32.const 0
    i64.const 0
    i64.store offset=34687 align=1
    i32.const 0
    i64.const 0
    i64.store offset=34680
    i32.const 0
    i64.const 0
    i64.store offset=34672
    i32.const 0
    i64.const 0
    i64.store offset=34664
    i32.const 0
    i64.const 65536
    i64.store offset=34752
    i32.const 0
    i64.const 0
    i64.store offset=34744
    i32.const 0
    local.get 0
    i64.load offset=72 align=1
    i64.store offset=34708 align=1
    i32.const 0
    local.get 0
    i64.load offset=67 align=1
    i64.store offset=34703 align=1
    i32.const 0
    local.get 0
    i64.load offset=59 align=1
    i64.store offset=34695 align=1
    i32.const 0
    local.get 0
    i32.load offset=52
    i32.store offset=34732
    i32.const 0
    local.get 0
    i64.load offset=44 align=4
    i64.store offset=34724 align=4
    i32.const 0
    local.get 0
    i64.load offset=36 align=4
    i64.store offset=34716 align=4
    i32.const 0
    i32.const 0
    i32.store offset=34736
    i32.const 0
    i64.const -1
    i64.store offset=34768
    i32.const 0
    i64.const -1
    i64.store offset=34760
    i32.const 0
    i32.const 3
    i32.store offset=34776
    i32.const 34784
    i32.const 0
    i32.const 67
    memory.fill
    i32.const 0
    i64.const 0
    i64.store offset=34888
    i32.const 0
    i32.const 2
    i32.store offset=34872
    i32.const 0
    local.get 0
    i64.load offset=28 align=1
    i64.store offset=34864 align=1
    i32.const 0
    local.get 0
    i64.load offset=23 align=1
    i64.store offset=34859 align=1
    i32.const 0
    local.get 0
    i64.load offset=15 align=1
    i64.store offset=34851 align=1
    i32.const 0
    i32.const 0
    i32.store16 offset=34880
  )
  (func (;42;) (type 2) (param i32 i32) (result i64)
    i64.const -4
    i64.const -5
    i32.const 0
    i64.load offset=33664
    i64.const 2
    i64.eq
    select
  )
  (func (;43;) (type 17) (param i32 i32)
    (local i32 i32 i32 i32 i64 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i64 i32 i64 i64 i64 i64 i32 i64 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 8480
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 0
    i32.const 8192
    memory.fill
    local.get 2
    local.get 1
    i32.const 64
    local.get 1
    i32.const 64
    i32.lt_u
    select
    i32.const 7
    i32.shl
    i32.add
    local.set 3
    block ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      local.set 4
      loop ;; label = @2
        local.get 4
        i32.const 16
        i32.add
        local.get 0
        i32.const 7
        i32.shl
        i32.const 8064
        i32.and
        local.tee 5
        i64.load offset=39008 align=1
        i64.store
        local.get 4
        i32.const 8
        i32.add
        local.get 5
        i64.load offset=39000 align=1
        i64.store
        local.get 4
        local.get 5
        i32.load8_u offset=39016
        i32.const 1
        i32.eq
        i64.extend_i32_u
        i64.store
        local.get 5
        i64.load offset=38992 align=1
        local.set 6
        local.get 4
        i32.const 24
        i32.add
        local.get 5
        i32.const 39024
        i32.add
        i32.const 96
        memory.copy
        local.get 4
        i32.const 120
        i32.add
        local.get 6
        i64.store
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 4
        i32.const 128
        i32.add
        local.tee 4
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 7
      i32.const 0
      i32.const 0
      call 11
      local.tee 6
      i64.const 65536
      local.get 6
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 4
      i32.store offset=34840
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
      i64.store offset=34640
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
        i32.const 8473
        i32.add
        local.set 10
        local.get 2
        i32.const 8408
        i32.add
        local.set 11
        local.get 2
        i32.const 8336
        i32.add
        i32.const 16
        i32.add
        local.set 12
        local.get 7
        i32.wrap_i64
        local.set 13
        local.get 2
        i32.const 8440
        i32.add
        local.set 14
        local.get 2
        i32.const 8424
        i32.add
        local.set 15
        local.get 2
        local.set 16
        loop ;; label = @3
          block ;; label = @4
            local.get 16
            i32.load offset=124
            local.tee 4
            i32.const 24
            i32.lt_u
            br_if 0 (;@4;)
            local.get 16
            i32.load8_s offset=25
            local.tee 5
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
            local.get 16
            i32.load8_u offset=24
            i32.const 255
            i32.and
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
            local.get 4
            i32.const 96
            local.get 4
            i32.const 96
            i32.lt_u
            select
            local.tee 17
            local.get 5
            i32.const 3
            i32.shl
            i32.const 24
            i32.and
            local.tee 1
            local.get 5
            i32.const 2
            i32.shr_u
            i32.const 3
            i32.and
            local.tee 18
            i32.const 4
            i32.shl
            i32.add
            i32.const 24
            i32.add
            i32.lt_u
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
            local.get 5
            i32.const 63
            i32.gt_u
            i32.store8 offset=8472
            local.get 2
            local.get 5
            i32.const 5
            i32.shr_u
            i32.const 1
            i32.and
            i32.store8 offset=8471
            local.get 2
            local.get 5
            i32.const 4
            i32.shr_u
            i32.const 1
            i32.and
            i32.store8 offset=8470
            local.get 2
            local.get 6
            i64.const 16
            i64.shr_u
            i64.store16 offset=8468
            local.get 2
            local.get 6
            i64.const 32
            i64.shr_u
            i64.store32 offset=8464
            local.get 2
            local.get 16
            i64.load offset=40 align=1
            local.tee 19
            i64.store offset=8344
            local.get 2
            local.get 16
            i64.load offset=32 align=1
            local.tee 6
            i64.store offset=8336
            local.get 2
            i32.const 0
            i32.store offset=8456
            local.get 2
            i32.const 0
            i32.store offset=8400
            local.get 6
            i64.const 4611686018427387904
            i64.gt_u
            br_if 0 (;@4;)
            local.get 19
            i64.const 4611686018427387904
            i64.gt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 1
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.set 5
              i32.const 0
              local.set 4
              loop ;; label = @6
                local.get 16
                local.get 5
                i32.add
                i32.const 48
                i32.add
                i64.load align=1
                local.tee 6
                i64.const 4294967295
                i64.and
                local.tee 20
                local.get 6
                i64.const 32
                i64.shr_u
                local.tee 6
                i64.ge_u
                br_if 2 (;@4;)
                i32.const 0
                local.set 0
                block ;; label = @7
                  local.get 4
                  i32.const 2
                  i32.gt_u
                  br_if 0 (;@7;)
                  local.get 12
                  local.get 4
                  i32.const 4
                  i32.shl
                  i32.add
                  local.tee 4
                  local.get 20
                  local.get 19
                  i64.add
                  i64.store
                  local.get 4
                  local.get 6
                  local.get 19
                  i64.add
                  i64.store offset=8
                  i32.const 1
                  local.set 0
                  local.get 2
                  i32.load offset=8400
                  local.set 4
                end
                local.get 2
                local.get 4
                local.get 0
                i32.add
                local.tee 4
                i32.store offset=8400
                local.get 1
                local.get 5
                i32.const 8
                i32.add
                local.tee 5
                i32.ne
                br_if 0 (;@6;)
              end
            end
            block ;; label = @5
              local.get 18
              i32.eqz
              br_if 0 (;@5;)
              local.get 17
              local.get 1
              i32.sub
              i32.const -24
              i32.add
              i32.const -16
              i32.and
              local.tee 0
              i32.eqz
              br_if 0 (;@5;)
              local.get 16
              local.get 1
              i32.add
              i32.const 48
              i32.add
              local.set 5
              i32.const 0
              local.set 1
              block ;; label = @6
                local.get 2
                i32.load offset=8456
                local.tee 4
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 4
                i32.const 4
                i32.shl
                i32.add
                local.tee 4
                local.get 5
                i64.load offset=8 align=1
                i64.store
                local.get 4
                local.get 5
                i64.load align=1
                i64.store offset=8
                i32.const 1
                local.set 1
                local.get 2
                i32.load offset=8456
                local.set 4
              end
              local.get 2
              local.get 4
              local.get 1
              i32.add
              i32.store offset=8456
              local.get 18
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
                i32.load offset=8456
                local.tee 4
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 4
                i32.const 4
                i32.shl
                i32.add
                local.tee 4
                local.get 5
                i64.load offset=24 align=1
                i64.store
                local.get 4
                local.get 5
                i64.load offset=16 align=1
                i64.store offset=8
                i32.const 1
                local.set 1
                local.get 2
                i32.load offset=8456
                local.set 4
              end
              local.get 2
              local.get 4
              local.get 1
              i32.add
              i32.store offset=8456
              local.get 18
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
                i32.load offset=8456
                local.tee 4
                i32.const 2
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 4
                i32.const 4
                i32.shl
                i32.add
                local.tee 4
                local.get 5
                i64.load offset=40 align=1
                i64.store
                local.get 4
                local.get 5
                i64.load offset=32 align=1
                i64.store offset=8
                i32.const 1
                local.set 0
                local.get 2
                i32.load offset=8456
                local.set 4
              end
              local.get 2
              local.get 4
              local.get 0
              i32.add
              i32.store offset=8456
            end
            local.get 2
            i32.const 8200
            i32.add
            local.get 2
            i32.const 8336
            i32.add
            i32.const 136
            memory.copy
            local.get 2
            local.get 10
            i32.load align=1
            i32.store offset=8192
            local.get 2
            local.get 10
            i32.load offset=3 align=1
            i32.store offset=8195 align=1
            local.get 2
            i32.load8_u offset=8472
            local.tee 4
            i32.const 2
            i32.eq
            br_if 0 (;@4;)
            local.get 2
            i32.const 8336
            i32.add
            local.get 2
            i32.const 8200
            i32.add
            i32.const 136
            memory.copy
            local.get 10
            local.get 2
            i32.load offset=8192
            i32.store align=1
            local.get 10
            local.get 2
            i32.load offset=8195 align=1
            i32.store offset=3 align=1
            local.get 2
            local.get 4
            i32.store8 offset=8472
            block ;; label = @5
              local.get 2
              i64.load offset=8344
              local.tee 21
              i32.const 0
              i64.load offset=34600
              i64.gt_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 2
                          i32.load offset=8456
                          local.tee 17
                          i32.const 4
                          i32.ge_u
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 17
                            i32.eqz
                            br_if 0 (;@12;)
                            local.get 17
                            i32.const 4
                            i32.shl
                            local.set 4
                            i32.const 0
                            i64.load offset=34792
                            local.set 20
                            i32.const 0
                            i32.load offset=34804
                            local.set 18
                            i32.const 0
                            i32.load offset=34800
                            local.set 1
                            local.get 2
                            i32.load16_u offset=8468
                            local.set 22
                            loop ;; label = @13
                              local.get 2
                              i32.const 8336
                              i32.add
                              local.get 4
                              i32.add
                              local.tee 5
                              i32.const 56
                              i32.add
                              i64.load
                              local.set 6
                              local.get 5
                              i32.const 68
                              i32.add
                              i32.load
                              local.set 0
                              block ;; label = @14
                                block ;; label = @15
                                  local.get 1
                                  local.get 5
                                  i32.const 64
                                  i32.add
                                  i32.load
                                  local.tee 5
                                  i32.ne
                                  br_if 0 (;@15;)
                                  local.get 18
                                  local.get 0
                                  i32.ne
                                  br_if 0 (;@15;)
                                  local.get 20
                                  local.get 6
                                  i64.eq
                                  br_if 1 (;@14;)
                                end
                                block ;; label = @15
                                  i32.const 0
                                  i32.load offset=34816
                                  local.get 5
                                  i32.ne
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  i32.load offset=34820
                                  local.get 0
                                  i32.ne
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  i64.load offset=34808
                                  local.get 6
                                  i64.eq
                                  br_if 1 (;@14;)
                                end
                                block ;; label = @15
                                  i32.const 0
                                  i32.load offset=34832
                                  local.get 5
                                  i32.ne
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  i32.load offset=34836
                                  local.get 0
                                  i32.ne
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  i64.load offset=34824
                                  local.get 6
                                  i64.eq
                                  br_if 1 (;@14;)
                                end
                                block ;; label = @15
                                  i32.const 0
                                  i64.load offset=34784
                                  local.tee 23
                                  i64.const -4294967296
                                  i64.and
                                  local.get 0
                                  i64.extend_i32_u
                                  i64.or
                                  local.tee 19
                                  local.get 23
                                  i64.le_u
                                  br_if 0 (;@15;)
                                  local.get 23
                                  i64.const 4294967296
                                  i64.lt_u
                                  br_if 1 (;@14;)
                                  local.get 19
                                  i64.const -4294967296
                                  i64.add
                                  local.set 19
                                end
                                local.get 19
                                i64.eqz
                                br_if 0 (;@14;)
                                block ;; label = @15
                                  local.get 19
                                  i64.const -1
                                  i64.add
                                  local.tee 24
                                  i64.const -4294967296
                                  i64.and
                                  local.get 5
                                  i64.extend_i32_u
                                  i64.or
                                  local.tee 23
                                  local.get 24
                                  i64.le_u
                                  br_if 0 (;@15;)
                                  local.get 19
                                  i64.const 4294967297
                                  i64.lt_u
                                  br_if 1 (;@14;)
                                  local.get 23
                                  i64.const -4294967296
                                  i64.add
                                  local.set 23
                                end
                                local.get 23
                                local.get 19
                                local.get 6
                                local.get 22
                                i32.const 0
                                local.get 4
                                i32.const 16
                                i32.eq
                                select
                                call 9
                                drop
                                i32.const 0
                                i64.load offset=34792
                                local.set 20
                                i32.const 0
                                i32.load offset=34804
                                local.set 18
                                i32.const 0
                                i32.load offset=34800
                                local.set 1
                              end
                              local.get 4
                              i32.const -16
                              i32.add
                              local.tee 4
                              br_if 0 (;@13;)
                            end
                            i32.const 0
                            local.get 11
                            i64.load offset=8
                            i64.store offset=34800
                            i32.const 0
                            local.get 11
                            i64.load
                            i64.store offset=34792
                            local.get 17
                            i32.const 1
                            i32.eq
                            br_if 0 (;@12;)
                            i32.const 0
                            local.get 15
                            i64.load offset=8
                            i64.store offset=34816
                            i32.const 0
                            local.get 15
                            i64.load
                            i64.store offset=34808
                            local.get 17
                            i32.const 2
                            i32.eq
                            br_if 0 (;@12;)
                            i32.const 0
                            local.get 14
                            i64.load offset=8
                            i64.store offset=34832
                            i32.const 0
                            local.get 14
                            i64.load
                            i64.store offset=34824
                          end
                          block ;; label = @12
                            local.get 21
                            local.get 2
                            i64.load32_u offset=8464
                            i64.add
                            local.tee 6
                            i32.const 0
                            i64.load offset=34752
                            i64.le_u
                            br_if 0 (;@12;)
                            i32.const 0
                            local.get 6
                            i64.store offset=34752
                            i32.const 0
                            i32.const 0
                            i32.store offset=34712
                          end
                          i32.const 0
                          i32.const 0
                          i32.store offset=34844
                          local.get 2
                          i32.load offset=8400
                          local.tee 4
                          i32.const 4
                          i32.ge_u
                          br_if 1 (;@10;)
                          i32.const 0
                          i64.load offset=34592
                          local.set 25
                          i32.const 0
                          i64.load offset=34600
                          local.set 26
                          block ;; label = @12
                            block ;; label = @13
                              local.get 4
                              br_if 0 (;@13;)
                              i32.const 1
                              local.set 4
                              br 1 (;@12;)
                            end
                            local.get 12
                            local.get 4
                            i32.const 4
                            i32.shl
                            i32.add
                            local.set 27
                            i64.const 0
                            local.set 28
                            local.get 12
                            local.set 22
                            loop ;; label = @13
                              local.get 22
                              i64.load offset=8
                              local.set 19
                              local.get 22
                              i64.load
                              local.tee 23
                              call 23
                              local.set 4
                              i32.const 0
                              i32.load offset=34588
                              local.tee 5
                              local.get 4
                              i32.lt_u
                              br_if 4 (;@9;)
                              i32.const 0
                              local.set 0
                              block ;; label = @14
                                block ;; label = @15
                                  local.get 5
                                  local.get 4
                                  i32.ne
                                  br_if 0 (;@15;)
                                  i32.const 0
                                  local.set 4
                                  i32.const 0
                                  local.set 5
                                  br 1 (;@14;)
                                end
                                block ;; label = @15
                                  local.get 5
                                  local.get 4
                                  i32.sub
                                  local.tee 1
                                  i32.const 0
                                  i32.load offset=34576
                                  local.tee 5
                                  i32.const 0
                                  i32.load offset=34584
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
                                  local.tee 4
                                  i32.sub
                                  local.tee 18
                                  i32.le_u
                                  br_if 0 (;@15;)
                                  local.get 1
                                  local.get 18
                                  i32.sub
                                  local.set 0
                                  br 1 (;@14;)
                                end
                                local.get 4
                                local.get 1
                                i32.add
                                local.set 5
                              end
                              local.get 22
                              i32.const 16
                              i32.add
                              local.set 22
                              i32.const 0
                              i32.load offset=34580
                              local.tee 1
                              local.get 0
                              i32.const 5
                              i32.shl
                              i32.add
                              local.set 18
                              local.get 1
                              local.get 5
                              i32.const 5
                              i32.shl
                              i32.add
                              local.set 0
                              local.get 1
                              local.get 4
                              i32.const 5
                              i32.shl
                              i32.add
                              local.set 5
                              i64.const 0
                              local.set 24
                              block ;; label = @14
                                loop ;; label = @15
                                  block ;; label = @16
                                    block ;; label = @17
                                      local.get 5
                                      local.get 0
                                      i32.eq
                                      br_if 0 (;@17;)
                                      local.get 5
                                      local.set 4
                                      br 1 (;@16;)
                                    end
                                    local.get 1
                                    local.get 18
                                    i32.eq
                                    local.set 17
                                    local.get 1
                                    local.set 4
                                    local.get 18
                                    local.set 0
                                    local.get 5
                                    local.set 18
                                    local.get 5
                                    local.set 1
                                    local.get 17
                                    br_if 2 (;@14;)
                                  end
                                  local.get 4
                                  i64.load
                                  local.tee 6
                                  local.get 4
                                  i64.load32_u offset=16
                                  local.tee 20
                                  i64.add
                                  local.get 19
                                  i64.gt_u
                                  br_if 1 (;@14;)
                                  local.get 4
                                  i32.const 32
                                  i32.add
                                  local.set 5
                                  local.get 6
                                  local.get 23
                                  i64.lt_u
                                  br_if 0 (;@15;)
                                  local.get 4
                                  i32.load8_u offset=24
                                  local.tee 17
                                  i32.const 1
                                  i32.eq
                                  br_if 0 (;@15;)
                                  block ;; label = @16
                                    local.get 17
                                    i32.const 2
                                    i32.ne
                                    br_if 0 (;@16;)
                                    i32.const 0
                                    i32.const 0
                                    i64.load offset=34616
                                    local.get 20
                                    i64.sub
                                    i64.store offset=34616
                                    local.get 4
                                    i64.load32_u offset=16
                                    local.set 20
                                  end
                                  local.get 4
                                  i32.const 1
                                  i32.store8 offset=24
                                  i32.const 0
                                  i32.const 0
                                  i64.load offset=34608
                                  local.get 20
                                  i64.add
                                  i64.store offset=34608
                                  local.get 24
                                  local.get 4
                                  i64.load32_u offset=16
                                  i64.add
                                  local.set 24
                                  br 0 (;@15;)
                                end
                              end
                              local.get 24
                              local.get 28
                              i64.add
                              local.set 28
                              local.get 22
                              local.get 27
                              i32.ne
                              br_if 0 (;@13;)
                            end
                            local.get 28
                            i64.eqz
                            local.set 4
                          end
                          block ;; label = @12
                            block ;; label = @13
                              local.get 21
                              local.get 25
                              i64.gt_u
                              br_if 0 (;@13;)
                              local.get 21
                              local.get 25
                              i64.ne
                              br_if 8 (;@5;)
                              local.get 26
                              local.get 25
                              i64.eq
                              br_if 8 (;@5;)
                              i32.const 0
                              i32.load8_u offset=34693
                              i32.const 1
                              i32.ne
                              br_if 1 (;@12;)
                              local.get 4
                              br_if 8 (;@5;)
                              i32.const 0
                              i32.const 0
                              i32.load offset=34688
                              i32.const 1
                              i32.add
                              i32.store offset=34688
                              call 44
                              br 8 (;@5;)
                            end
                            block ;; label = @13
                              i32.const 0
                              i32.load offset=34588
                              local.tee 4
                              br_if 0 (;@13;)
                              i32.const 0
                              local.get 21
                              i32.const 0
                              i64.load offset=34592
                              local.tee 6
                              local.get 21
                              local.get 6
                              i64.gt_u
                              select
                              local.tee 6
                              i64.store offset=34592
                              br 7 (;@6;)
                            end
                            local.get 4
                            i32.const -1
                            i32.add
                            local.set 1
                            i32.const 0
                            i64.load offset=34608
                            local.set 24
                            i32.const 0
                            i64.load offset=34616
                            local.set 28
                            i32.const 0
                            i32.load offset=34584
                            local.set 0
                            i32.const 0
                            i32.load offset=34580
                            local.set 27
                            i32.const 0
                            i32.load offset=34576
                            local.set 5
                            i32.const 1
                            local.set 18
                            i32.const 2
                            local.set 22
                            loop ;; label = @13
                              i64.const 0
                              local.get 21
                              local.get 27
                              local.get 0
                              i32.const 0
                              local.get 5
                              local.get 0
                              local.get 5
                              i32.lt_u
                              select
                              i32.sub
                              i32.const 5
                              i32.shl
                              i32.add
                              local.tee 4
                              i64.load
                              local.tee 20
                              local.get 4
                              i32.load offset=16
                              local.tee 29
                              i64.extend_i32_u
                              i64.add
                              local.tee 6
                              local.get 21
                              local.get 6
                              i64.lt_u
                              select
                              local.tee 19
                              local.get 20
                              i64.sub
                              local.tee 23
                              local.get 23
                              local.get 19
                              i64.gt_u
                              select
                              local.set 19
                              block ;; label = @14
                                block ;; label = @15
                                  block ;; label = @16
                                    local.get 4
                                    i32.load8_u offset=24
                                    local.tee 17
                                    br_table 2 (;@14;) 0 (;@16;) 1 (;@15;) 2 (;@14;)
                                  end
                                  i32.const 0
                                  local.get 24
                                  local.get 19
                                  i64.sub
                                  local.tee 24
                                  i64.store offset=34608
                                  br 1 (;@14;)
                                end
                                i32.const 0
                                local.get 28
                                local.get 19
                                i64.sub
                                local.tee 28
                                i64.store offset=34616
                              end
                              local.get 6
                              local.get 21
                              i64.gt_u
                              br_if 5 (;@8;)
                              local.get 4
                              i32.load8_u offset=26
                              local.set 22
                              local.get 4
                              i32.load offset=20
                              local.set 30
                              local.get 4
                              i32.load8_u offset=25
                              local.set 4
                              i32.const 0
                              local.get 1
                              i32.store offset=34588
                              i32.const 0
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
                              local.tee 0
                              i32.store offset=34584
                              local.get 18
                              local.get 17
                              i32.eqz
                              local.get 4
                              i32.const 1
                              i32.xor
                              i32.and
                              i32.and
                              local.set 18
                              local.get 1
                              i32.const -1
                              i32.add
                              local.tee 1
                              i32.const -1
                              i32.ne
                              br_if 0 (;@13;)
                              br 6 (;@7;)
                            end
                          end
                          local.get 2
                          i32.load8_u offset=8472
                          i32.const 1
                          i32.ne
                          br_if 6 (;@5;)
                          i32.const 0
                          i32.const 0
                          i32.load offset=34688
                          i32.const 1
                          i32.add
                          i32.store offset=34688
                          block ;; label = @12
                            i32.const 0
                            i32.load8_u offset=34692
                            i32.const 2
                            i32.ne
                            br_if 0 (;@12;)
                            call 44
                            br 7 (;@5;)
                          end
                          i32.const 0
                          i32.const 0
                          i64.load offset=34600
                          i32.const 0
                          i64.load offset=34592
                          i64.sub
                          local.tee 6
                          i32.const 0
                          i64.load offset=34640
                          i32.const 0
                          i64.load offset=34672
                          i64.add
                          local.tee 20
                          local.get 6
                          local.get 20
                          i64.lt_u
                          select
                          i64.store offset=34672
                          call 44
                          br 6 (;@5;)
                        end
                        i32.const 0
                        local.get 17
                        i32.const 3
                        i32.const 33512
                        call 24
                        unreachable
                      end
                      i32.const 0
                      local.get 4
                      i32.const 3
                      i32.const 33512
                      call 24
                      unreachable
                    end
                    local.get 4
                    local.get 5
                    local.get 5
                    i32.const 33572
                    call 24
                    unreachable
                  end
                  local.get 4
                  local.get 19
                  local.get 20
                  i64.add
                  i64.store
                  local.get 4
                  local.get 29
                  local.get 19
                  i32.wrap_i64
                  i32.sub
                  i32.store offset=16
                end
                i32.const 0
                local.get 21
                i32.const 0
                i64.load offset=34592
                local.tee 6
                local.get 21
                local.get 6
                i64.gt_u
                select
                local.tee 6
                i64.store offset=34592
                local.get 22
                i32.const 255
                i32.and
                i32.const 2
                i32.eq
                br_if 0 (;@6;)
                local.get 18
                i32.const 1
                i32.and
                i32.eqz
                br_if 0 (;@6;)
                i64.const 0
                local.get 13
                local.get 30
                i32.sub
                i64.extend_i32_u
                local.tee 20
                local.get 2
                i32.load16_u offset=8468
                i32.const 1000
                i32.div_u
                i64.extend_i32_u
                i64.sub
                local.tee 19
                local.get 19
                local.get 20
                i64.gt_u
                select
                local.tee 20
                i64.const 1
                local.get 20
                i64.const 1
                i64.gt_u
                select
                local.set 20
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=34696
                    local.tee 23
                    i64.const 0
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 20
                    i64.const 1
                    i64.shl
                    local.set 24
                    local.get 20
                    i64.const 3
                    i64.shl
                    local.set 20
                    br 1 (;@7;)
                  end
                  i32.const 0
                  i64.load offset=34704
                  local.tee 24
                  local.get 23
                  i64.const 3
                  i64.shr_u
                  local.tee 19
                  local.get 20
                  i64.sub
                  local.get 20
                  local.get 19
                  i64.sub
                  local.get 19
                  local.get 20
                  i64.gt_u
                  select
                  i64.add
                  local.get 24
                  i64.const 2
                  i64.shr_u
                  i64.sub
                  local.set 24
                  local.get 23
                  local.get 19
                  i64.sub
                  local.get 20
                  i64.add
                  local.set 20
                end
                i32.const 0
                local.get 24
                i64.store offset=34704
                i32.const 0
                local.get 20
                i64.store offset=34696
              end
              local.get 26
              local.get 25
              i64.sub
              local.set 19
              i32.const 0
              i32.const 0
              i32.store offset=34688
              i32.const 0
              i32.const 0
              i32.store offset=34712
              local.get 21
              local.get 25
              i64.sub
              local.set 20
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              i32.const 0
                              i32.load8_u offset=34692
                              local.tee 4
                              i32.eqz
                              br_if 0 (;@13;)
                              local.get 6
                              i32.const 0
                              i64.load offset=34680
                              i64.lt_u
                              br_if 1 (;@12;)
                              block ;; label = @14
                                local.get 4
                                i32.const 1
                                i32.ne
                                br_if 0 (;@14;)
                                i32.const 0
                                i32.const 0
                                i64.load offset=34640
                                local.tee 20
                                i64.const 1
                                i64.shl
                                local.tee 19
                                local.get 20
                                i32.const 0
                                i64.load offset=34600
                                local.get 6
                                i64.sub
                                local.tee 6
                                local.get 20
                                local.get 6
                                i64.gt_u
                                select
                                local.get 20
                                i64.add
                                local.tee 6
                                i32.const 0
                                i64.load offset=34656
                                local.tee 20
                                local.get 6
                                local.get 20
                                i64.lt_u
                                select
                                local.tee 6
                                local.get 19
                                local.get 6
                                i64.gt_u
                                select
                                i64.store offset=34648
                              end
                              i32.const 0
                              i64.const 0
                              i64.store offset=34672
                              i32.const 0
                              i32.const 0
                              i32.store8 offset=34694
                              i32.const 0
                              i32.const 0
                              i32.store8 offset=34692
                              br 7 (;@6;)
                            end
                            i32.const 0
                            i64.const 0
                            i64.store offset=34672
                            local.get 19
                            i64.const 1
                            i64.shl
                            i32.const 0
                            i64.load offset=34648
                            local.tee 6
                            i64.lt_u
                            br_if 5 (;@7;)
                            i32.const 0
                            i64.load offset=34640
                            local.set 19
                            local.get 6
                            i32.const 0
                            i64.load offset=34656
                            i64.lt_u
                            br_if 1 (;@11;)
                            i32.const 0
                            i32.const 0
                            i64.load offset=34664
                            local.get 20
                            i64.add
                            local.tee 20
                            i64.store offset=34664
                            local.get 20
                            local.get 6
                            i64.lt_u
                            br_if 5 (;@7;)
                            i32.const 0
                            local.get 20
                            local.get 6
                            i64.sub
                            i64.store offset=34664
                            local.get 6
                            local.get 19
                            i64.add
                            local.set 6
                            br 4 (;@8;)
                          end
                          block ;; label = @12
                            block ;; label = @13
                              local.get 4
                              i32.const 2
                              i32.eq
                              br_if 0 (;@13;)
                              i32.const 0
                              i32.load8_u offset=34693
                              i32.eqz
                              br_if 1 (;@12;)
                              call 45
                              drop
                              br 7 (;@6;)
                            end
                            local.get 19
                            i64.const 1
                            i64.shl
                            i32.const 0
                            i64.load offset=34648
                            local.tee 6
                            i64.lt_u
                            br_if 6 (;@6;)
                            i32.const 0
                            i64.load offset=34640
                            local.set 19
                            local.get 6
                            i32.const 0
                            i64.load offset=34656
                            i64.lt_u
                            br_if 2 (;@10;)
                            i32.const 0
                            i32.const 0
                            i64.load offset=34664
                            local.get 20
                            i64.add
                            local.tee 20
                            i64.store offset=34664
                            local.get 20
                            local.get 6
                            i64.lt_u
                            br_if 6 (;@6;)
                            i32.const 0
                            local.get 20
                            local.get 6
                            i64.sub
                            i64.store offset=34664
                            br 3 (;@9;)
                          end
                          i32.const 0
                          i64.const 0
                          i32.const 0
                          i64.load offset=34672
                          local.tee 6
                          local.get 20
                          i64.sub
                          local.tee 19
                          local.get 19
                          local.get 6
                          i64.gt_u
                          select
                          local.tee 6
                          i64.store offset=34672
                          block ;; label = @12
                            local.get 20
                            i32.const 0
                            i64.load offset=34640
                            local.tee 19
                            i64.lt_u
                            br_if 0 (;@12;)
                            i32.const 0
                            local.get 19
                            local.get 6
                            i64.add
                            i64.store offset=34672
                          end
                          block ;; label = @12
                            i32.const 0
                            i32.load offset=34588
                            i32.eqz
                            br_if 0 (;@12;)
                            i32.const 0
                            i32.load offset=34580
                            i32.const 0
                            i32.load offset=34584
                            local.tee 4
                            i32.const 0
                            i32.const 0
                            i32.load offset=34576
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
                            br_if 0 (;@12;)
                            local.get 4
                            i32.const 2
                            i32.store8 offset=24
                            i32.const 0
                            i32.const 0
                            i64.load offset=34616
                            local.get 4
                            i64.load32_u offset=16
                            i64.add
                            i64.store offset=34616
                            i32.const 0
                            local.get 4
                            i64.load
                            local.tee 6
                            i32.const 0
                            i64.load offset=34624
                            local.tee 20
                            local.get 6
                            local.get 20
                            i64.lt_u
                            select
                            i64.store offset=34624
                          end
                          i32.const 0
                          i32.const 1
                          i32.store8 offset=34694
                          br 5 (;@6;)
                        end
                        local.get 19
                        i64.const 1
                        i64.shl
                        local.tee 19
                        local.get 20
                        local.get 19
                        local.get 20
                        i64.lt_u
                        select
                        local.get 6
                        i64.add
                        local.set 6
                        br 2 (;@8;)
                      end
                      local.get 19
                      local.get 20
                      local.get 19
                      local.get 20
                      i64.lt_u
                      select
                      local.set 19
                    end
                    i32.const 0
                    local.get 6
                    local.get 19
                    i64.add
                    i64.store offset=34648
                    br 2 (;@6;)
                  end
                  i32.const 0
                  local.get 6
                  i64.store offset=34648
                end
                call 44
              end
              i32.const 0
              i64.load offset=34744
              local.tee 6
              local.get 21
              local.get 6
              local.get 21
              i64.lt_u
              select
              call 14
              drop
              block ;; label = @6
                i32.const 0
                i64.load offset=34600
                i32.const 0
                i64.load offset=34592
                i64.ne
                br_if 0 (;@6;)
                i32.const 0
                i64.const -1
                i64.store offset=34720
                br 1 (;@5;)
              end
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i64.load offset=34696
                  local.tee 6
                  i64.eqz
                  i32.eqz
                  br_if 0 (;@7;)
                  i64.const 1000
                  local.set 6
                  br 1 (;@6;)
                end
                i32.const 0
                i64.load offset=34704
                local.tee 20
                i64.const 1
                local.get 20
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
              i32.load offset=34712
              local.tee 4
              i32.const 16
              local.get 4
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
              i64.store offset=34720
              local.get 6
              i32.const 0
              i64.load offset=34728
              i64.ge_u
              br_if 0 (;@5;)
              i32.const 0
              i32.load offset=34736
              i64.const 0
              local.get 6
              local.get 7
              i64.sub
              local.tee 20
              local.get 20
              local.get 6
              i64.gt_u
              select
              local.tee 20
              i64.const 4294967295
              local.get 20
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
              i64.store offset=34728
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
              local.tee 20
              i64.eqz
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34512
                        local.tee 18
                        i32.const 33
                        i32.ge_u
                        br_if 0 (;@10;)
                        local.get 16
                        i64.load offset=16
                        local.set 19
                        local.get 18
                        i32.const 24
                        i32.mul
                        local.set 4
                        local.get 18
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
                                      local.get 4
                                      i32.eqz
                                      br_if 1 (;@16;)
                                      local.get 0
                                      i32.const -1
                                      i32.add
                                      local.set 5
                                      local.get 4
                                      i32.const 33720
                                      i32.add
                                      local.set 1
                                      local.get 4
                                      i32.const -24
                                      i32.add
                                      local.set 4
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
                                    i64.load offset=33752
                                    local.tee 23
                                    i64.lt_u
                                    br_if 11 (;@5;)
                                    local.get 0
                                    local.get 18
                                    i32.lt_u
                                    br_if 1 (;@15;)
                                    local.get 23
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
                                    local.get 18
                                    br_if 0 (;@16;)
                                    i32.const 0
                                    local.set 18
                                    br 8 (;@8;)
                                  end
                                  i32.const 33744
                                  local.set 4
                                  i32.const 0
                                  i64.load offset=33744
                                  local.get 20
                                  i64.eq
                                  br_if 1 (;@14;)
                                  local.get 18
                                  i32.const 32
                                  i32.ne
                                  br_if 7 (;@8;)
                                  br 10 (;@5;)
                                end
                                local.get 0
                                i32.const 24
                                i32.mul
                                local.tee 17
                                i32.const 33744
                                i32.add
                                local.set 4
                                local.get 17
                                i64.load offset=33744
                                local.set 24
                                local.get 23
                                local.get 6
                                i64.eq
                                br_if 1 (;@13;)
                                local.get 24
                                local.get 20
                                i64.ne
                                br_if 5 (;@9;)
                              end
                              local.get 4
                              local.get 6
                              i64.store
                              local.get 4
                              local.get 4
                              i64.load offset=16
                              local.get 19
                              i64.xor
                              i64.store offset=16
                              i32.const 0
                              local.get 7
                              i64.store offset=34520
                              br 8 (;@5;)
                            end
                            local.get 24
                            local.get 20
                            i64.eq
                            br_if 1 (;@11;)
                          end
                          local.get 1
                          local.get 20
                          i64.store offset=33752
                          local.get 1
                          local.get 1
                          i64.load offset=33760
                          local.get 19
                          i64.xor
                          i64.store offset=33760
                          i32.const 0
                          local.get 7
                          i64.store offset=34520
                          br 6 (;@5;)
                        end
                        local.get 4
                        i64.load offset=16
                        local.set 6
                        local.get 1
                        local.get 4
                        i64.load offset=8
                        i64.store offset=33752
                        local.get 1
                        local.get 6
                        local.get 1
                        i64.load offset=33760
                        i64.xor
                        local.get 19
                        i64.xor
                        i64.store offset=33760
                        block ;; label = @11
                          local.get 18
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
                          local.get 4
                          local.get 5
                          i32.const 24
                          i32.mul
                          i32.const 33744
                          i32.add
                          local.get 0
                          memory.copy
                        end
                        i32.const 0
                        i32.const 0
                        i32.load offset=34512
                        i32.const -1
                        i32.add
                        i32.store offset=34512
                        i32.const 0
                        local.get 7
                        i64.store offset=34520
                        br 5 (;@5;)
                      end
                      i32.const 0
                      local.get 18
                      i32.const 32
                      i32.const 33620
                      call 24
                      unreachable
                    end
                    block ;; label = @9
                      local.get 18
                      i32.const 32
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 0
                      i32.eqz
                      br_if 4 (;@5;)
                      i32.const 33744
                      i32.const 33768
                      i32.const 744
                      memory.copy
                      i32.const 31
                      local.set 18
                      i32.const 0
                      i32.const 31
                      i32.store offset=34512
                      br 1 (;@8;)
                    end
                    local.get 0
                    local.get 18
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
                  local.get 18
                  local.get 5
                  i32.sub
                  local.tee 1
                  i32.sub
                  i32.gt_u
                  br_if 1 (;@6;)
                  local.get 5
                  i32.const 24
                  i32.mul
                  local.set 4
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
                    i32.const 33744
                    i32.add
                    local.get 4
                    i32.const 33744
                    i32.add
                    local.get 5
                    memory.copy
                  end
                  local.get 4
                  local.get 6
                  i64.store offset=33744
                  local.get 4
                  local.get 19
                  i64.store offset=33760
                  local.get 4
                  local.get 20
                  i64.store offset=33752
                  i32.const 0
                  i32.const 0
                  i32.load offset=34512
                  i32.const 1
                  i32.add
                  i32.store offset=34512
                  i32.const 0
                  local.get 7
                  i64.store offset=34520
                  br 2 (;@5;)
                end
                local.get 0
                local.get 18
                i32.const 32
                i32.const 33572
                call 24
                unreachable
              end
              i32.const 33636
              i32.const 43
              i32.const 33604
              call 46
              unreachable
            end
            local.get 2
            i32.load8_u offset=8470
            local.set 4
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
                          i32.load offset=8400
                          i32.const 3
                          i32.shl
                          local.get 2
                          i32.load offset=8456
                          i32.const 4
                          i32.shl
                          i32.add
                          i32.const 24
                          i32.add
                          local.tee 18
                          i32.gt_u
                          br_if 0 (;@11;)
                          local.get 4
                          i32.const 1
                          i32.and
                          i32.eqz
                          br_if 1 (;@10;)
                        end
                        local.get 2
                        i64.load offset=8336
                        local.tee 20
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
                        local.set 6
                        local.get 4
                        i32.const 1
                        i32.and
                        br_if 1 (;@9;)
                        local.get 20
                        i32.const 0
                        i64.load offset=33696
                        local.tee 19
                        i64.gt_u
                        local.set 4
                        local.get 6
                        local.get 19
                        i64.gt_u
                        br_if 2 (;@8;)
                        br 3 (;@7;)
                      end
                      local.get 2
                      i32.load8_u offset=8471
                      i32.const 1
                      i32.ne
                      br_if 5 (;@4;)
                      local.get 7
                      i32.const 0
                      call 27
                      br 5 (;@4;)
                    end
                    i32.const 0
                    i64.load offset=33696
                    local.set 19
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=33664
                      br_if 0 (;@9;)
                      local.get 6
                      local.get 19
                      i64.lt_u
                      br_if 0 (;@9;)
                      i32.const 0
                      local.get 6
                      i64.store offset=33672
                      i32.const 0
                      i64.const 1
                      i64.store offset=33664
                    end
                    local.get 20
                    local.get 19
                    i64.gt_u
                    local.set 4
                    local.get 6
                    local.get 19
                    i64.lt_u
                    br_if 1 (;@7;)
                  end
                  local.get 4
                  br_if 1 (;@6;)
                  i32.const 0
                  local.set 22
                  i32.const 0
                  i32.load8_u offset=34568
                  br_if 2 (;@5;)
                  i32.const 1
                  local.set 5
                  block ;; label = @8
                    local.get 19
                    local.get 20
                    i64.lt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=33692
                    local.set 4
                    block ;; label = @9
                      local.get 6
                      local.get 19
                      i64.le_u
                      br_if 0 (;@9;)
                      local.get 16
                      i32.load offset=120
                      local.get 18
                      local.get 19
                      local.get 20
                      i64.sub
                      i32.wrap_i64
                      i32.add
                      local.get 0
                      local.get 18
                      i32.add
                      call 5
                      i64.const 0
                      i64.lt_s
                      br_if 1 (;@8;)
                      i32.const 0
                      i32.const 1
                      i32.store8 offset=34569
                      i32.const 0
                      local.get 6
                      i64.store offset=33696
                    end
                    local.get 4
                    i32.const 0
                    i32.ne
                    local.set 5
                  end
                  call 28
                  i32.const 0
                  i32.load8_u offset=34568
                  local.set 4
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33664
                    i64.const 1
                    i64.ne
                    br_if 0 (;@8;)
                    i32.const 0
                    i64.load offset=33672
                    i32.const 0
                    i64.load offset=33696
                    i64.ne
                    br_if 0 (;@8;)
                    local.get 4
                    i32.const 1
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 257
                    i32.store16 offset=34568
                    call 15
                    i32.const 0
                    i32.load8_u offset=34568
                    local.set 4
                  end
                  i32.const 0
                  local.set 22
                  i32.const 0
                  i32.const 0
                  i32.load offset=34564
                  i32.const 1
                  i32.add
                  local.tee 0
                  i32.store offset=34564
                  local.get 5
                  local.get 4
                  i32.or
                  i32.const 1
                  i32.and
                  br_if 2 (;@5;)
                  local.get 0
                  i32.const 1
                  i32.gt_u
                  br_if 2 (;@5;)
                  i32.const 0
                  i64.load offset=34528
                  i64.const -1
                  i64.ne
                  br_if 3 (;@4;)
                  i32.const 0
                  local.get 8
                  i64.store offset=34528
                  local.get 8
                  i32.const 0
                  i64.load offset=34536
                  i64.ge_u
                  br_if 3 (;@4;)
                  i32.const 0
                  i32.load offset=34544
                  local.get 9
                  call 2
                  i64.const 0
                  i64.lt_s
                  br_if 3 (;@4;)
                  i32.const 0
                  local.get 8
                  i64.store offset=34536
                  br 3 (;@4;)
                end
                i32.const 0
                local.set 22
                local.get 4
                i32.eqz
                br_if 1 (;@5;)
              end
              i32.const 1
              local.set 22
              local.get 5
              local.get 18
              i32.le_u
              br_if 0 (;@5;)
              local.get 6
              local.get 19
              i64.sub
              i64.const 4294967295
              i64.gt_u
              br_if 0 (;@5;)
              i32.const 0
              local.set 4
              i32.const 0
              i32.load offset=34556
              local.set 17
              i32.const 0
              i32.load offset=34560
              local.tee 27
              local.set 1
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 27
                    br_table 2 (;@6;) 1 (;@7;) 0 (;@8;)
                  end
                  i32.const 0
                  local.set 4
                  local.get 27
                  local.set 5
                  loop ;; label = @8
                    local.get 5
                    i32.const 1
                    i32.shr_u
                    local.tee 0
                    local.get 4
                    i32.add
                    local.tee 1
                    local.get 4
                    local.get 17
                    local.get 1
                    i32.const 4
                    i32.shl
                    i32.add
                    i32.const 8
                    i32.add
                    i64.load
                    local.get 20
                    i64.lt_u
                    select
                    local.set 4
                    local.get 5
                    local.get 0
                    i32.sub
                    local.tee 5
                    i32.const 1
                    i32.gt_u
                    br_if 0 (;@8;)
                  end
                end
                local.get 4
                local.get 17
                local.get 4
                i32.const 4
                i32.shl
                i32.add
                i32.const 8
                i32.add
                i64.load
                local.get 20
                i64.lt_u
                i32.add
                local.set 1
              end
              local.get 17
              local.get 1
              i32.const 4
              i32.shl
              local.tee 31
              i32.add
              local.set 17
              i32.const 0
              local.set 5
              block ;; label = @6
                local.get 1
                local.get 27
                i32.eq
                br_if 0 (;@6;)
                local.get 27
                i32.const 4
                i32.shl
                local.get 31
                i32.sub
                local.set 0
                i32.const 0
                local.set 5
                local.get 17
                local.set 4
                loop ;; label = @7
                  local.get 4
                  i64.load
                  local.get 6
                  i64.gt_u
                  br_if 1 (;@6;)
                  local.get 5
                  i32.const 1
                  i32.add
                  local.set 5
                  local.get 4
                  i32.const 16
                  i32.add
                  local.set 4
                  local.get 0
                  i32.const -16
                  i32.add
                  local.tee 0
                  br_if 0 (;@7;)
                end
              end
              local.get 16
              i32.load offset=120
              local.set 32
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 1
                    local.get 27
                    i32.ge_u
                    br_if 0 (;@8;)
                    local.get 17
                    i64.load
                    local.get 20
                    i64.le_u
                    br_if 1 (;@7;)
                  end
                  i32.const 0
                  i32.load offset=33692
                  i32.const 1024
                  i32.eq
                  br_if 2 (;@5;)
                  local.get 5
                  br_if 1 (;@6;)
                  local.get 27
                  i32.const 64
                  i32.ne
                  br_if 1 (;@6;)
                  br 2 (;@5;)
                end
                i32.const 0
                i32.load offset=33692
                i32.const 1024
                i32.eq
                br_if 1 (;@5;)
                local.get 17
                i64.load offset=8
                local.set 19
                block ;; label = @7
                  local.get 5
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 6
                  local.get 19
                  i64.gt_u
                  br_if 1 (;@6;)
                  br 2 (;@5;)
                end
                local.get 27
                i32.const 64
                i32.eq
                br_if 1 (;@5;)
                local.get 6
                local.get 19
                i64.le_u
                br_if 1 (;@5;)
              end
              local.get 32
              call 16
              i64.const 0
              i64.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.set 4
              i32.const 0
              local.set 0
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
                                i32.load offset=33692
                                local.tee 33
                                i32.eqz
                                br_if 0 (;@14;)
                                local.get 33
                                i32.const 0
                                i32.load offset=33680
                                local.tee 4
                                i32.const 0
                                i32.load offset=33688
                                local.tee 0
                                i32.const 0
                                local.get 4
                                local.get 0
                                local.get 4
                                i32.lt_u
                                select
                                i32.sub
                                local.tee 0
                                i32.sub
                                local.tee 4
                                i32.gt_u
                                br_if 1 (;@13;)
                                local.get 0
                                local.get 33
                                i32.add
                                local.set 4
                              end
                              local.get 4
                              local.get 0
                              i32.sub
                              local.set 4
                              i32.const 0
                              i32.load offset=33684
                              local.get 0
                              i32.const 24
                              i32.mul
                              i32.add
                              local.set 29
                              br 1 (;@12;)
                            end
                            i32.const 0
                            i32.load offset=33684
                            local.tee 34
                            i64.load
                            local.get 20
                            i64.lt_u
                            br_if 1 (;@11;)
                            local.get 34
                            local.get 0
                            i32.const 24
                            i32.mul
                            i32.add
                            local.set 29
                          end
                          i32.const 0
                          local.set 0
                          block ;; label = @12
                            block ;; label = @13
                              local.get 4
                              br_table 4 (;@9;) 1 (;@12;) 0 (;@13;)
                            end
                            i32.const 0
                            local.set 0
                            loop ;; label = @13
                              local.get 4
                              i32.const 1
                              i32.shr_u
                              local.tee 17
                              local.get 0
                              i32.add
                              local.tee 27
                              local.get 0
                              local.get 29
                              local.get 27
                              i32.const 24
                              i32.mul
                              i32.add
                              i64.load
                              local.get 20
                              i64.lt_u
                              select
                              local.set 0
                              local.get 4
                              local.get 17
                              i32.sub
                              local.tee 4
                              i32.const 1
                              i32.gt_u
                              br_if 0 (;@13;)
                            end
                          end
                          local.get 0
                          local.get 29
                          local.get 0
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 20
                          i64.lt_u
                          i32.add
                          local.set 4
                          br 1 (;@10;)
                        end
                        i32.const 1
                        local.set 0
                        block ;; label = @11
                          local.get 33
                          local.get 4
                          i32.sub
                          local.tee 17
                          i32.const 1
                          i32.eq
                          br_if 0 (;@11;)
                          i32.const 0
                          local.set 0
                          loop ;; label = @12
                            local.get 17
                            i32.const 1
                            i32.shr_u
                            local.tee 27
                            local.get 0
                            i32.add
                            local.tee 29
                            local.get 0
                            local.get 34
                            local.get 29
                            i32.const 24
                            i32.mul
                            i32.add
                            i64.load
                            local.get 20
                            i64.lt_u
                            select
                            local.set 0
                            local.get 17
                            local.get 27
                            i32.sub
                            local.tee 17
                            i32.const 1
                            i32.gt_u
                            br_if 0 (;@12;)
                          end
                          local.get 0
                          local.get 34
                          local.get 0
                          i32.const 24
                          i32.mul
                          i32.add
                          i64.load
                          local.get 20
                          i64.lt_u
                          i32.add
                          local.set 0
                        end
                        local.get 0
                        local.get 4
                        i32.add
                        local.set 4
                      end
                      local.get 4
                      local.get 33
                      i32.gt_u
                      br_if 1 (;@8;)
                    end
                    local.get 33
                    i32.const 0
                    i32.load offset=33680
                    local.tee 0
                    i32.eq
                    br_if 1 (;@7;)
                    br 2 (;@6;)
                  end
                  i32.const 33312
                  i32.const 39
                  i32.const 33332
                  call 46
                  unreachable
                end
                call 29
                i32.const 0
                i32.load offset=33680
                local.set 0
                i32.const 0
                i32.load offset=33692
                local.set 33
              end
              i32.const 0
              i32.load offset=33688
              local.set 17
              block ;; label = @6
                block ;; label = @7
                  local.get 33
                  local.get 4
                  i32.sub
                  local.tee 27
                  local.get 4
                  i32.lt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  local.get 17
                  i32.const -1
                  i32.add
                  local.tee 27
                  local.get 0
                  i32.add
                  local.tee 0
                  local.get 27
                  local.get 0
                  local.get 27
                  i32.lt_u
                  select
                  local.tee 0
                  i32.store offset=33688
                  local.get 17
                  local.get 0
                  local.get 4
                  call 31
                  br 1 (;@6;)
                end
                local.get 17
                local.get 4
                i32.add
                local.tee 17
                i32.const 0
                local.get 0
                local.get 17
                local.get 0
                i32.lt_u
                select
                i32.sub
                local.get 17
                i32.const 1
                i32.add
                local.tee 17
                i32.const 0
                local.get 0
                local.get 17
                local.get 0
                i32.lt_u
                select
                i32.sub
                local.get 27
                call 31
              end
              i32.const 0
              i32.const 0
              i32.load offset=33692
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
              i32.const 0
              i32.load offset=33680
              local.tee 0
              local.get 4
              local.get 0
              i32.lt_u
              select
              i32.sub
              i32.const 24
              i32.mul
              i32.add
              local.tee 4
              local.get 18
              i32.store offset=20
              local.get 4
              local.get 32
              i32.store offset=16
              local.get 4
              local.get 6
              i64.store offset=8
              local.get 4
              local.get 20
              i64.store
              i32.const 0
              i32.load offset=34560
              local.set 17
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                local.get 5
                                local.get 1
                                i32.add
                                local.tee 18
                                local.get 5
                                i32.lt_u
                                br_if 0 (;@14;)
                                local.get 17
                                local.get 18
                                i32.lt_u
                                br_if 0 (;@14;)
                                i32.const 0
                                i32.load offset=34556
                                local.set 27
                                block ;; label = @15
                                  block ;; label = @16
                                    block ;; label = @17
                                      block ;; label = @18
                                        local.get 5
                                        i32.eqz
                                        br_if 0 (;@18;)
                                        local.get 27
                                        local.get 31
                                        i32.add
                                        local.set 29
                                        i32.const 0
                                        local.set 4
                                        block ;; label = @19
                                          block ;; label = @20
                                            block ;; label = @21
                                              local.get 5
                                              i32.const 1
                                              i32.ne
                                              br_if 0 (;@21;)
                                              local.get 20
                                              local.set 19
                                              br 1 (;@20;)
                                            end
                                            local.get 5
                                            i32.const 1
                                            i32.and
                                            local.set 32
                                            block ;; label = @21
                                              block ;; label = @22
                                                block ;; label = @23
                                                  local.get 5
                                                  i32.const -2
                                                  i32.add
                                                  i32.const 1
                                                  i32.shr_u
                                                  local.tee 4
                                                  br_if 0 (;@23;)
                                                  i32.const 0
                                                  local.set 33
                                                  local.get 20
                                                  local.set 19
                                                  br 1 (;@22;)
                                                end
                                                local.get 4
                                                i32.const 1
                                                i32.add
                                                local.tee 4
                                                i32.const 1
                                                i32.and
                                                local.set 34
                                                local.get 4
                                                i32.const 2147483646
                                                i32.and
                                                local.tee 0
                                                i32.const 1
                                                i32.shl
                                                local.set 33
                                                local.get 29
                                                local.set 4
                                                local.get 20
                                                local.set 19
                                                loop ;; label = @23
                                                  local.get 4
                                                  i32.const 56
                                                  i32.add
                                                  i64.load
                                                  local.tee 23
                                                  local.get 4
                                                  i32.const 40
                                                  i32.add
                                                  i64.load
                                                  local.tee 24
                                                  local.get 4
                                                  i32.const 24
                                                  i32.add
                                                  i64.load
                                                  local.tee 28
                                                  local.get 4
                                                  i32.const 8
                                                  i32.add
                                                  i64.load
                                                  local.tee 21
                                                  local.get 6
                                                  local.get 21
                                                  local.get 6
                                                  i64.gt_u
                                                  select
                                                  local.tee 6
                                                  local.get 28
                                                  local.get 6
                                                  i64.gt_u
                                                  select
                                                  local.tee 6
                                                  local.get 24
                                                  local.get 6
                                                  i64.gt_u
                                                  select
                                                  local.tee 6
                                                  local.get 23
                                                  local.get 6
                                                  i64.gt_u
                                                  select
                                                  local.set 6
                                                  local.get 4
                                                  i32.const 48
                                                  i32.add
                                                  i64.load
                                                  local.tee 23
                                                  local.get 4
                                                  i32.const 32
                                                  i32.add
                                                  i64.load
                                                  local.tee 24
                                                  local.get 4
                                                  i32.const 16
                                                  i32.add
                                                  i64.load
                                                  local.tee 28
                                                  local.get 4
                                                  i64.load
                                                  local.tee 21
                                                  local.get 19
                                                  local.get 21
                                                  local.get 19
                                                  i64.lt_u
                                                  select
                                                  local.tee 19
                                                  local.get 28
                                                  local.get 19
                                                  i64.lt_u
                                                  select
                                                  local.tee 19
                                                  local.get 24
                                                  local.get 19
                                                  i64.lt_u
                                                  select
                                                  local.tee 19
                                                  local.get 23
                                                  local.get 19
                                                  i64.lt_u
                                                  select
                                                  local.set 19
                                                  local.get 4
                                                  i32.const 64
                                                  i32.add
                                                  local.set 4
                                                  local.get 0
                                                  i32.const -2
                                                  i32.add
                                                  local.tee 0
                                                  br_if 0 (;@23;)
                                                end
                                                local.get 34
                                                i32.eqz
                                                br_if 1 (;@21;)
                                              end
                                              local.get 29
                                              local.get 33
                                              i32.const 4
                                              i32.shl
                                              i32.add
                                              local.tee 4
                                              i64.load offset=16
                                              local.tee 23
                                              local.get 4
                                              i64.load
                                              local.tee 24
                                              local.get 19
                                              local.get 24
                                              local.get 19
                                              i64.lt_u
                                              select
                                              local.tee 19
                                              local.get 23
                                              local.get 19
                                              i64.lt_u
                                              select
                                              local.set 19
                                              local.get 4
                                              i32.const 24
                                              i32.add
                                              i64.load
                                              local.tee 23
                                              local.get 4
                                              i32.const 8
                                              i32.add
                                              i64.load
                                              local.tee 24
                                              local.get 6
                                              local.get 24
                                              local.get 6
                                              i64.gt_u
                                              select
                                              local.tee 6
                                              local.get 23
                                              local.get 6
                                              i64.gt_u
                                              select
                                              local.set 6
                                            end
                                            local.get 32
                                            i32.eqz
                                            br_if 1 (;@19;)
                                            local.get 5
                                            i32.const -2
                                            i32.and
                                            local.set 4
                                          end
                                          local.get 29
                                          local.get 4
                                          i32.const 4
                                          i32.shl
                                          i32.add
                                          local.tee 4
                                          i64.load
                                          local.tee 23
                                          local.get 19
                                          local.get 23
                                          local.get 19
                                          i64.lt_u
                                          select
                                          local.set 19
                                          local.get 4
                                          i32.const 8
                                          i32.add
                                          i64.load
                                          local.tee 23
                                          local.get 6
                                          local.get 23
                                          local.get 6
                                          i64.gt_u
                                          select
                                          local.set 6
                                        end
                                        i32.const 0
                                        local.get 1
                                        i32.store offset=34560
                                        local.get 17
                                        local.get 18
                                        i32.eq
                                        br_if 1 (;@17;)
                                        local.get 27
                                        local.get 31
                                        i32.add
                                        local.tee 4
                                        local.get 6
                                        i64.store offset=8
                                        local.get 4
                                        local.get 19
                                        i64.store
                                        i32.const 0
                                        local.set 27
                                        i32.const 1
                                        local.set 1
                                        i32.const 0
                                        i32.const 0
                                        i32.load offset=34560
                                        i32.const 1
                                        i32.add
                                        i32.store offset=34560
                                        local.get 17
                                        local.get 18
                                        i32.sub
                                        local.set 5
                                        local.get 31
                                        i32.const 16
                                        i32.add
                                        local.get 18
                                        i32.const 4
                                        i32.shl
                                        i32.eq
                                        br_if 2 (;@16;)
                                        local.get 18
                                        local.set 4
                                        br 11 (;@7;)
                                      end
                                      i32.const 0
                                      local.get 1
                                      i32.store offset=34560
                                      local.get 17
                                      local.get 18
                                      i32.ne
                                      br_if 2 (;@15;)
                                      local.get 20
                                      local.set 19
                                    end
                                    block ;; label = @17
                                      i32.const 0
                                      i32.load offset=34552
                                      local.get 1
                                      i32.ne
                                      br_if 0 (;@17;)
                                      local.get 1
                                      i32.const 1
                                      call 35
                                      i32.const 0
                                      i32.load offset=34556
                                      local.set 27
                                      i32.const 0
                                      i32.load offset=34560
                                      local.set 1
                                    end
                                    local.get 27
                                    local.get 1
                                    i32.const 4
                                    i32.shl
                                    i32.add
                                    local.tee 4
                                    local.get 6
                                    i64.store offset=8
                                    local.get 4
                                    local.get 19
                                    i64.store
                                    local.get 1
                                    i32.const 1
                                    i32.add
                                    local.set 4
                                    br 10 (;@6;)
                                  end
                                  i32.const 8
                                  local.set 0
                                  i32.const 0
                                  local.set 17
                                  br 4 (;@11;)
                                end
                                local.get 17
                                local.get 18
                                i32.sub
                                local.set 5
                                block ;; label = @15
                                  i32.const 0
                                  i32.load offset=34552
                                  local.get 17
                                  i32.ne
                                  br_if 0 (;@15;)
                                  local.get 17
                                  i32.const 1
                                  call 35
                                  i32.const 0
                                  i32.load offset=34556
                                  local.set 27
                                end
                                local.get 18
                                i32.const 1
                                i32.add
                                local.tee 4
                                i32.const 4
                                i32.shl
                                local.set 0
                                block ;; label = @15
                                  local.get 5
                                  i32.const 4
                                  i32.shl
                                  local.tee 1
                                  i32.eqz
                                  br_if 0 (;@15;)
                                  local.get 27
                                  local.get 0
                                  i32.add
                                  local.get 27
                                  local.get 18
                                  i32.const 4
                                  i32.shl
                                  i32.add
                                  local.get 1
                                  memory.copy
                                end
                                i32.const 0
                                i32.load offset=34560
                                local.tee 1
                                local.get 4
                                i32.eq
                                br_if 1 (;@13;)
                                i32.const 0
                                local.set 17
                                i32.const 0
                                i32.load offset=34556
                                local.get 1
                                i32.const 4
                                i32.shl
                                local.tee 18
                                i32.add
                                local.tee 1
                                local.get 6
                                i64.store offset=8
                                local.get 1
                                local.get 20
                                i64.store
                                i32.const 1
                                local.set 1
                                i32.const 0
                                i32.const 0
                                i32.load offset=34560
                                i32.const 1
                                i32.add
                                i32.store offset=34560
                                local.get 18
                                i32.const 16
                                i32.add
                                local.get 0
                                i32.ne
                                br_if 7 (;@7;)
                                i32.const 8
                                local.set 0
                                i32.const 0
                                local.set 27
                                br 2 (;@12;)
                              end
                              local.get 1
                              local.get 18
                              local.get 17
                              i32.const 33296
                              call 24
                              unreachable
                            end
                            i32.const 16
                            call 47
                            local.tee 0
                            i32.eqz
                            br_if 2 (;@10;)
                            local.get 0
                            local.get 6
                            i64.store offset=8
                            local.get 0
                            local.get 20
                            i64.store
                            i32.const 16
                            local.set 17
                            i32.const 1
                            local.set 27
                            i32.const 0
                            local.set 1
                          end
                          local.get 4
                          local.set 18
                        end
                        block ;; label = @11
                          local.get 0
                          local.get 17
                          i32.add
                          local.tee 4
                          local.get 0
                          i32.ne
                          br_if 0 (;@11;)
                          local.get 18
                          local.set 4
                          br 2 (;@9;)
                        end
                        block ;; label = @11
                          local.get 4
                          local.get 0
                          i32.sub
                          i32.const 4
                          i32.shr_u
                          local.tee 4
                          i32.const 0
                          i32.load offset=34552
                          local.get 18
                          local.get 5
                          i32.add
                          local.tee 17
                          i32.sub
                          i32.le_u
                          br_if 0 (;@11;)
                          local.get 17
                          local.get 4
                          call 35
                        end
                        local.get 4
                        local.get 18
                        i32.add
                        local.tee 4
                        i32.const 4
                        i32.shl
                        local.set 17
                        block ;; label = @11
                          local.get 5
                          i32.const 4
                          i32.shl
                          local.tee 29
                          i32.eqz
                          br_if 0 (;@11;)
                          i32.const 0
                          i32.load offset=34556
                          local.tee 31
                          local.get 17
                          i32.add
                          local.get 31
                          local.get 18
                          i32.const 4
                          i32.shl
                          i32.add
                          local.get 29
                          memory.copy
                        end
                        i32.const 0
                        i32.load offset=34560
                        local.tee 18
                        local.get 4
                        i32.eq
                        br_if 1 (;@9;)
                        local.get 1
                        br_if 3 (;@7;)
                        local.get 0
                        i64.load
                        local.set 6
                        i32.const 0
                        i32.load offset=34556
                        local.get 18
                        i32.const 4
                        i32.shl
                        local.tee 18
                        i32.add
                        local.tee 1
                        local.get 0
                        i64.load offset=8
                        i64.store offset=8
                        local.get 1
                        local.get 6
                        i64.store
                        i32.const 0
                        i32.const 0
                        i32.load offset=34560
                        i32.const 1
                        i32.add
                        i32.store offset=34560
                        local.get 18
                        i32.const 16
                        i32.add
                        local.get 17
                        i32.eq
                        local.get 27
                        i32.or
                        br_if 2 (;@8;)
                        local.get 0
                        i64.load offset=16
                        local.set 6
                        local.get 1
                        local.get 0
                        i64.load offset=24
                        i64.store offset=24
                        local.get 1
                        local.get 6
                        i64.store offset=16
                        i32.const 0
                        i32.const 0
                        i32.load offset=34560
                        i32.const 1
                        i32.add
                        i32.store offset=34560
                        br 2 (;@8;)
                      end
                      i32.const 8
                      i32.const 16
                      call 33
                      unreachable
                    end
                    local.get 1
                    br_if 1 (;@7;)
                  end
                  local.get 0
                  i32.const 0
                  i32.load offset=47184
                  i32.store
                  i32.const 0
                  local.get 0
                  i32.store offset=47184
                end
                block ;; label = @7
                  local.get 4
                  i32.const 0
                  i32.load offset=34560
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
                  i32.load offset=34556
                  local.tee 18
                  local.get 0
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 18
                  local.get 4
                  i32.const 4
                  i32.shl
                  i32.add
                  local.get 1
                  memory.copy
                end
                local.get 0
                local.get 5
                i32.add
                local.set 4
              end
              i32.const 0
              local.get 4
              i32.store offset=34560
              i32.const 0
              i64.load offset=33720
              local.set 6
              i32.const 0
              local.get 20
              i64.store offset=33720
              i32.const 0
              i64.load offset=33728
              local.set 20
              i32.const 0
              local.get 6
              i64.store offset=33728
              i32.const 0
              local.get 20
              i64.store offset=33736
            end
            local.get 7
            local.get 22
            call 27
          end
          local.get 16
          i32.const 128
          i32.add
          local.tee 16
          local.get 3
          i32.ne
          br_if 0 (;@3;)
        end
      end
      i32.const 0
      i32.load8_u offset=34569
      local.set 4
      i32.const 0
      i32.const 0
      i32.store8 offset=34569
      block ;; label = @2
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        call 17
      end
      local.get 7
      call 19
      call 36
    end
    local.get 2
    i32.const 8480
    i32.add
    global.set 0
  )
  (func (;44;) (type 3)
    (local i32 i64 i64 i32 i64 i64)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load8_u offset=34693
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
            call 45
            local.set 0
            i32.const 0
            i32.load8_u offset=34692
            br_if 3 (;@1;)
            i32.const 0
            i64.load offset=34592
            local.tee 1
            i32.const 0
            i64.load offset=34680
            i64.lt_u
            br_if 3 (;@1;)
            i32.const 0
            i64.load offset=34600
            local.tee 2
            local.get 1
            i64.eq
            br_if 3 (;@1;)
            local.get 0
            br_if 2 (;@2;)
            br 1 (;@3;)
          end
          i32.const 0
          i32.load8_u offset=34692
          br_if 2 (;@1;)
          i32.const 0
          i64.load offset=34592
          local.tee 1
          i32.const 0
          i64.load offset=34680
          i64.lt_u
          br_if 2 (;@1;)
          i32.const 0
          i64.load offset=34600
          local.tee 2
          local.get 1
          i64.eq
          br_if 2 (;@1;)
        end
        i32.const 0
        i32.load offset=34688
        i32.const 3
        i32.lt_u
        br_if 1 (;@1;)
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=34588
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34580
        i32.const 0
        i32.load offset=34584
        local.tee 0
        i32.const 0
        i32.const 0
        i32.load offset=34576
        local.tee 3
        local.get 0
        local.get 3
        i32.lt_u
        select
        i32.sub
        i32.const 5
        i32.shl
        i32.add
        local.tee 0
        i32.load8_u offset=24
        br_if 0 (;@2;)
        local.get 0
        i32.const 2
        i32.store8 offset=24
        i32.const 0
        i32.const 0
        i64.load offset=34616
        local.get 0
        i64.load32_u offset=16
        i64.add
        i64.store offset=34616
        i32.const 0
        local.get 0
        i64.load
        local.tee 4
        i32.const 0
        i64.load offset=34624
        local.tee 5
        local.get 4
        local.get 5
        i64.lt_u
        select
        i64.store offset=34624
      end
      i32.const 0
      local.get 2
      i64.store offset=34680
      i32.const 0
      i64.const 0
      i64.store offset=34664
      i32.const 0
      i32.const 1
      i32.store8 offset=34694
      i32.const 0
      i32.const 1
      i32.store8 offset=34692
      i32.const 0
      i32.const 0
      i64.load offset=34640
      i64.const 1
      i64.shl
      local.tee 4
      local.get 2
      local.get 1
      i64.sub
      i64.const 1
      i64.shr_u
      local.tee 1
      local.get 4
      local.get 1
      i64.gt_u
      select
      local.tee 1
      i64.store offset=34656
      i32.const 0
      local.get 1
      i64.store offset=34648
      return
    end
  )
  (func (;45;) (type 19) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i64 i64)
    i32.const 0
    local.set 0
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i64.load offset=34608
        i64.eqz
        br_if 0 (;@2;)
        i32.const 0
        local.set 1
        i32.const 0
        i32.load offset=34576
        local.set 2
        i32.const 0
        local.set 3
        i32.const 0
        local.set 4
        i32.const 0
        local.set 5
        block ;; label = @3
          i32.const 0
          i32.load offset=34588
          local.tee 6
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          local.set 5
          block ;; label = @4
            local.get 6
            local.get 2
            i32.const 0
            i32.load offset=34584
            local.tee 7
            i32.const 0
            local.get 2
            local.get 7
            local.get 2
            i32.lt_u
            select
            i32.sub
            local.tee 3
            i32.sub
            local.tee 7
            i32.le_u
            br_if 0 (;@4;)
            local.get 6
            local.get 7
            i32.sub
            local.set 5
            local.get 2
            local.set 4
            br 1 (;@3;)
          end
          local.get 3
          local.get 6
          i32.add
          local.set 4
        end
        local.get 3
        i32.const 5
        i32.shl
        local.set 0
        i32.const 0
        local.get 5
        i32.const 5
        i32.shl
        local.tee 8
        i32.sub
        local.set 7
        local.get 4
        local.get 3
        i32.sub
        local.get 5
        i32.add
        local.set 5
        i32.const 0
        i32.load offset=34580
        local.tee 9
        local.get 8
        i32.add
        local.set 3
        local.get 9
        local.get 4
        i32.const 5
        i32.shl
        local.tee 10
        i32.add
        local.set 8
        block ;; label = @3
          loop ;; label = @4
            block ;; label = @5
              local.get 7
              br_if 0 (;@5;)
              local.get 0
              local.get 10
              i32.sub
              local.set 7
              i32.const 0
              local.set 0
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
                local.get 8
                i32.const -8
                i32.add
                local.set 4
                local.get 8
                i32.const -32
                i32.add
                local.set 8
                local.get 1
                local.get 4
                i32.load8_u
                i32.const 1
                i32.eq
                i32.add
                local.tee 1
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
            local.get 1
            local.get 4
            i32.load8_u
            i32.const 1
            i32.eq
            i32.add
            local.tee 1
            i32.const 3
            i32.ne
            br_if 0 (;@4;)
          end
        end
        i32.const 0
        local.set 0
        i32.const 0
        i64.load offset=34632
        local.tee 11
        call 23
        local.set 7
        local.get 5
        local.get 6
        i32.ge_u
        br_if 1 (;@1;)
        i32.const 0
        local.get 9
        i32.const 0
        i32.load offset=34584
        local.tee 4
        local.get 5
        i32.add
        local.tee 1
        i32.const 0
        local.get 2
        local.get 1
        local.get 2
        i32.lt_u
        select
        i32.sub
        i32.const 5
        i32.shl
        i32.add
        i64.load
        local.tee 12
        local.get 11
        local.get 12
        local.get 11
        i64.gt_u
        select
        i64.store offset=34632
        local.get 5
        local.get 7
        i32.le_u
        br_if 0 (;@2;)
        local.get 5
        local.get 7
        i32.sub
        local.set 3
        local.get 9
        local.get 7
        local.get 4
        i32.add
        local.tee 7
        i32.const 5
        i32.shl
        i32.add
        local.set 1
        i32.const 0
        i64.load offset=34624
        local.set 11
        i32.const 0
        i64.load offset=34616
        local.tee 13
        local.set 12
        loop ;; label = @3
          block ;; label = @4
            local.get 1
            i32.const 0
            local.get 2
            local.get 7
            local.get 2
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
            i32.const 0
            local.get 5
            i64.load
            local.tee 14
            local.get 11
            local.get 14
            local.get 11
            i64.lt_u
            select
            local.tee 11
            i64.store offset=34624
            i32.const 0
            local.get 12
            local.get 5
            i32.const 16
            i32.add
            i64.load32_u
            i64.add
            local.tee 12
            i64.store offset=34616
          end
          local.get 7
          i32.const 1
          i32.add
          local.set 7
          local.get 1
          i32.const 32
          i32.add
          local.set 1
          local.get 3
          i32.const -1
          i32.add
          local.tee 3
          br_if 0 (;@3;)
        end
        local.get 12
        local.get 13
        i64.gt_u
        local.set 0
      end
      local.get 0
      return
    end
    i32.const 33496
    call 25
    unreachable
  )
  (func (;46;) (type 12) (param i32 i32 i32)
    unreachable
  )
  (func (;47;) (type 20) (param i32) (result i32)
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
        i32.load offset=47184
        local.tee 1
        br_if 0 (;@2;)
        i32.const 16
        local.get 2
        i32.shl
        local.set 3
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=47284
            local.tee 1
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=47280
            local.set 2
            br 1 (;@3;)
          end
          memory.size
          local.set 1
          i32.const 47296
          local.set 2
          i32.const 0
          i32.const 47296
          i32.store offset=47280
          i32.const 0
          local.get 1
          i32.const 16
          i32.shl
          local.tee 1
          i32.store offset=47284
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
          i32.store offset=47280
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
        i32.store offset=47284
        i32.const 0
        local.get 0
        i32.store offset=47280
        local.get 2
        return
      end
      local.get 3
      i32.const 47184
      i32.add
      local.get 1
      i32.load
      i32.store
    end
    local.get 1
  )
  (func (;48;) (type 3)
    (local i64 i64 i32 i32 i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 0
      i32.const 0
      call 11
      local.set 1
      i32.const 0
      i64.const 0
      i64.store offset=34696
      i32.const 0
      i64.const 0
      i64.store offset=34704
      i32.const 0
      i64.const 0
      i64.store offset=34664
      i32.const 0
      i64.const -1
      i64.store offset=34656
      i32.const 0
      local.get 1
      i64.const 65536
      local.get 1
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 2
      i32.store offset=34840
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
      i64.store offset=34640
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
      i64.store offset=34648
      i32.const 0
      i32.const 0
      i32.store8 offset=34850
      i32.const 0
      i32.const 0
      i32.store offset=34712
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=34600
          i32.const 0
          i64.load offset=34592
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.const -1
          i64.store offset=34720
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
        i64.store offset=34720
        local.get 1
        i32.const 0
        i64.load offset=34728
        i64.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=34736
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
        i64.store offset=34728
      end
      local.get 0
      call 19
      call 36
    end
  )
  (func (;49;) (type 19) (result i32)
    i32.const 38992
  )
  (func (;50;) (type 9) (param i32)
    (local i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 1
      block ;; label = @2
        i32.const 0
        i32.load8_u offset=34881
        br_if 0 (;@2;)
        i32.const 0
        i32.const 1
        i32.store8 offset=34881
      end
      block ;; label = @2
        i32.const 0
        i32.load offset=34564
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const 0
        call 27
      end
      local.get 1
      call 19
      call 36
    end
  )
  (func (;51;) (type 9) (param i32)
    (local i32 i64 i64 i32 i32 i64)
    global.get 0
    i32.const 256
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 2
      i32.const 0
      i32.const 0
      call 11
      local.tee 3
      i64.const 65536
      local.get 3
      i64.const 65536
      i64.lt_u
      select
      i32.wrap_i64
      local.tee 4
      i32.store offset=34840
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
      i64.store offset=34640
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 0
                      i32.const 1
                      i32.add
                      br_table 2 (;@7;) 0 (;@9;) 1 (;@8;) 4 (;@5;) 3 (;@6;) 7 (;@2;)
                    end
                    i32.const 0
                    i64.const -1
                    i64.store offset=34728
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          local.get 2
                          i32.const 0
                          i64.load offset=34720
                          local.tee 3
                          i64.lt_u
                          br_if 0 (;@11;)
                          i32.const 0
                          i64.const -1
                          i64.store offset=34720
                          block ;; label = @12
                            i32.const 0
                            i32.load8_u offset=34850
                            i32.const 1
                            i32.ne
                            br_if 0 (;@12;)
                            i32.const 0
                            i64.load offset=34616
                            i64.const 0
                            i64.ne
                            br_if 8 (;@4;)
                          end
                          i32.const 0
                          i64.load offset=34600
                          local.tee 3
                          i32.const 0
                          i64.load offset=34592
                          i64.ne
                          br_if 1 (;@10;)
                          local.get 1
                          i64.const 0
                          i64.store offset=32
                          local.get 1
                          i64.const 0
                          i64.store offset=40
                          local.get 1
                          i64.const 0
                          i64.store offset=48
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
                          i32.const 0
                          i32.store8 offset=152
                          local.get 1
                          i32.const 16777216
                          i32.store offset=148
                          local.get 1
                          local.get 3
                          i64.store offset=16
                          local.get 1
                          i64.const 0
                          i64.store offset=88
                          local.get 1
                          i32.const 0
                          i32.store offset=80
                          local.get 1
                          i64.const 0
                          i64.store offset=96
                          local.get 1
                          i64.const 0
                          i64.store offset=104
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
                          i32.const 0
                          i32.store offset=136
                          local.get 1
                          i32.const 0
                          i64.load offset=33696
                          local.tee 3
                          i32.const 0
                          i64.load8_u offset=34568
                          i64.add
                          i64.store offset=24
                          local.get 1
                          i64.const 0
                          i32.const 0
                          i64.load offset=33704
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
                          i64.store32 offset=144
                          local.get 1
                          i32.const 184
                          i32.add
                          i32.const 0
                          i32.const 72
                          memory.fill
                          local.get 1
                          i32.const 8
                          i32.add
                          local.get 1
                          i32.const 16
                          i32.add
                          local.get 1
                          i32.const 160
                          i32.add
                          call 21
                          local.get 1
                          i32.load offset=8
                          local.get 1
                          i32.load offset=12
                          call 4
                          drop
                          br 2 (;@9;)
                        end
                        local.get 3
                        i64.const -1
                        i64.eq
                        br_if 7 (;@3;)
                        i32.const 0
                        i32.load offset=34736
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
                        br_if 7 (;@3;)
                        i32.const 0
                        local.get 3
                        i64.store offset=34728
                        local.get 2
                        call 19
                        br 8 (;@2;)
                      end
                      i32.const 0
                      i32.load offset=34712
                      i32.eqz
                      call 52
                    end
                    i32.const 0
                    i32.const 0
                    i32.load offset=34712
                    i32.const 1
                    i32.add
                    i32.store offset=34712
                    i32.const 0
                    i32.const 0
                    i32.load offset=34844
                    i32.const 1
                    i32.add
                    i32.store offset=34844
                    br 4 (;@4;)
                  end
                  i32.const 0
                  i64.const -1
                  i64.store offset=34536
                  block ;; label = @8
                    local.get 2
                    i32.const 0
                    i64.load offset=34528
                    local.tee 3
                    i64.lt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i64.const -1
                    i64.store offset=34528
                    i32.const 0
                    i32.load offset=34564
                    i32.eqz
                    br_if 5 (;@3;)
                    local.get 2
                    i32.const 0
                    call 27
                    local.get 2
                    call 19
                    br 6 (;@2;)
                  end
                  local.get 3
                  i64.const -1
                  i64.eq
                  br_if 4 (;@3;)
                  i32.const 0
                  i32.load offset=34544
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
                  br_if 4 (;@3;)
                  i32.const 0
                  local.get 3
                  i64.store offset=34536
                  local.get 2
                  call 19
                  br 5 (;@2;)
                end
                i32.const 0
                i32.const 0
                i32.store8 offset=34850
                br 3 (;@3;)
              end
              i32.const 0
              i64.const -1
              i64.store offset=34768
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  i32.const 0
                  i64.load offset=34760
                  local.tee 3
                  i64.lt_u
                  local.tee 0
                  br_if 0 (;@7;)
                  i32.const 0
                  i64.const -1
                  i64.store offset=34760
                  br 1 (;@6;)
                end
                local.get 3
                i64.const -1
                i64.eq
                br_if 0 (;@6;)
                i32.const 0
                i32.load offset=34776
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
                br_if 0 (;@6;)
                i32.const 0
                local.get 3
                i64.store offset=34768
              end
              i32.const 0
              local.get 0
              i32.const 0
              i32.load8_u offset=34850
              i32.and
              i32.store8 offset=34850
              local.get 2
              call 19
              br 3 (;@2;)
            end
            i32.const 0
            i64.const -1
            i64.store offset=34864
            block ;; label = @5
              local.get 2
              i32.const 0
              i64.load offset=34856
              local.tee 3
              i64.lt_u
              br_if 0 (;@5;)
              i32.const 0
              i32.const 2
              i32.store8 offset=34881
              i32.const 0
              i64.const -1
              i64.store offset=34856
              call 3
              br 3 (;@2;)
            end
            local.get 3
            i64.const -1
            i64.eq
            br_if 2 (;@2;)
            i32.const 0
            i32.load offset=34872
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
            br_if 2 (;@2;)
            i32.const 0
            local.get 3
            i64.store offset=34864
            br 2 (;@2;)
          end
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i64.load offset=34696
              local.tee 3
              i64.eqz
              i32.eqz
              br_if 0 (;@5;)
              i64.const 1000
              local.set 3
              br 1 (;@4;)
            end
            i32.const 0
            i64.load offset=34704
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
          i32.load offset=34712
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
          i64.store offset=34720
          block ;; label = @4
            local.get 3
            i32.const 0
            i64.load offset=34728
            i64.ge_u
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=34736
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
            br_if 0 (;@4;)
            i32.const 0
            local.get 3
            i64.store offset=34728
          end
          i32.const 0
          i32.load offset=34844
          i32.const 12
          i32.le_u
          br_if 0 (;@3;)
          i32.const 1
          call 18
          i32.const 0
          i32.const 2
          i32.store8 offset=34881
          call 3
          br 1 (;@2;)
        end
        local.get 2
        call 19
      end
      call 36
    end
    local.get 1
    i32.const 256
    i32.add
    global.set 0
  )
  (func (;52;) (type 9) (param i32)
    (local i64 i64 i32 i32 i32 i32 i32 i64)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i64.const 0
      i64.store offset=34664
      i32.const 0
      i32.const 0
      i64.load offset=34640
      i64.const 1
      i64.shl
      local.tee 1
      i32.const 0
      i64.load offset=34600
      i32.const 0
      i64.load offset=34592
      i64.sub
      i64.const 1
      i64.shr_u
      local.tee 2
      local.get 1
      local.get 2
      i64.gt_u
      select
      i64.store offset=34656
    end
    block ;; label = @1
      i32.const 0
      i32.load offset=34588
      local.tee 3
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=34580
      i32.const 0
      i32.load offset=34584
      local.tee 0
      i32.const 5
      i32.shl
      i32.add
      local.set 4
      i32.const 0
      i64.load offset=34624
      local.set 1
      i32.const 0
      i64.load offset=34616
      local.set 2
      i32.const 0
      i32.load offset=34576
      local.set 5
      loop ;; label = @2
        block ;; label = @3
          local.get 4
          i32.const 0
          local.get 5
          local.get 0
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
          local.get 1
          local.get 8
          local.get 1
          i64.lt_u
          select
          local.tee 1
          i64.store offset=34624
          i32.const 0
          local.get 2
          local.get 6
          i32.const 16
          i32.add
          i64.load32_u
          i64.add
          local.tee 2
          i64.store offset=34616
        end
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 4
        i32.const 32
        i32.add
        local.set 4
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    i32.const 0
    i32.const 2
    i32.store8 offset=34692
    i32.const 0
    i64.const 0
    i64.store offset=34672
    i32.const 0
    i32.const 0
    i64.load offset=34600
    local.tee 1
    i64.store offset=34680
    i32.const 0
    i32.const 0
    i64.load offset=34640
    i64.store offset=34648
    i32.const 0
    local.get 1
    i32.const 0
    i64.load offset=34632
    local.tee 2
    local.get 1
    local.get 2
    i64.gt_u
    select
    i64.store offset=34632
    i32.const 0
    i32.const 0
    i32.store offset=34688
    i32.const 0
    i32.const 0
    i32.store8 offset=34694
  )
  (func (;53;) (type 11) (param i32 i64)
    (local i64 i64 i64 i64 i64 i32)
    block ;; label = @1
      local.get 0
      i32.const 2
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i64.load offset=33664
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 10
      local.set 2
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
              i64.load offset=34744
              local.tee 3
              local.get 1
              local.get 3
              i64.gt_u
              select
              i64.store offset=34744
              br 3 (;@2;)
            end
            i32.const 0
            i32.load offset=34840
            local.set 0
            call 28
            i32.const 0
            i64.load offset=33664
            i64.const 1
            i64.ne
            br_if 1 (;@3;)
            i32.const 0
            i64.load offset=33672
            i32.const 0
            i64.load offset=33696
            i64.ne
            br_if 1 (;@3;)
            i32.const 0
            i32.load8_u offset=34568
            i32.const 1
            i32.and
            br_if 1 (;@3;)
            i32.const 0
            i32.const 257
            i32.store16 offset=34568
            call 15
            br 1 (;@3;)
          end
          call 12
          local.set 1
          i32.const 0
          i32.const 1
          i32.store8 offset=34848
          i32.const 0
          local.get 1
          i32.const 0
          i64.load offset=34744
          local.tee 3
          local.get 1
          local.get 3
          i64.gt_u
          select
          i64.store offset=34744
          br 1 (;@2;)
        end
        i32.const 0
        call 7
        local.tee 3
        i32.const 0
        i64.load offset=33712
        local.tee 1
        local.get 3
        local.get 1
        i64.gt_u
        select
        local.tee 4
        i64.store offset=33712
        block ;; label = @3
          i64.const 0
          i32.const 0
          i64.load offset=33704
          local.tee 1
          i32.const 0
          i64.load offset=33696
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
          br_if 0 (;@3;)
          i32.const 0
          i32.load8_u offset=34568
          i32.const 1
          i32.and
          br_if 0 (;@3;)
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
          br_if 0 (;@3;)
          local.get 2
          i32.const 0
          call 27
        end
        i32.const 0
        i32.load8_u offset=34569
        local.set 0
        i32.const 0
        i32.const 0
        i32.store8 offset=34569
        local.get 0
        i32.eqz
        br_if 0 (;@2;)
        call 17
      end
      local.get 2
      call 19
      call 36
    end
  )
  (func (;54;) (type 9) (param i32)
    local.get 0
    call 55
    unreachable
  )
  (func (;55;) (type 9) (param i32)
    call 56
    unreachable
  )
  (func (;56;) (type 3)
    unreachable
  )
  (func (;57;) (type 9) (param i32)
    local.get 0
    call 54
    unreachable
  )
  (func (;58;) (type 3)
    i32.const 33444
    i32.const 35
    i32.const 33464
    call 46
    unreachable
  )
  (func (;59;) (type 3)
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
    i32.load offset=34576
    call 60
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
      call 33
      unreachable
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;60;) (type 17) (param i32 i32)
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
    i32.load offset=34576
    local.tee 3
    i32.const 0
    i32.load offset=34580
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
    call 61
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
      i32.store offset=34580
      i32.const 0
      local.get 1
      i32.store offset=34576
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
  (func (;61;) (type 14) (param i32 i32 i32 i32)
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
              call 34
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
                i32.load offset=47184
                local.tee 1
                br_if 1 (;@5;)
                i32.const 16
                local.get 4
                i32.shl
                local.set 4
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=47284
                    local.tee 2
                    i32.eqz
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=47280
                    local.set 1
                    br 1 (;@7;)
                  end
                  memory.size
                  local.set 2
                  i32.const 47296
                  local.set 1
                  i32.const 0
                  i32.const 47296
                  i32.store offset=47280
                  i32.const 0
                  local.get 2
                  i32.const 16
                  i32.shl
                  local.tee 2
                  i32.store offset=47284
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
                  i32.store offset=47280
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
                i32.store offset=47284
                i32.const 0
                local.get 4
                i32.store offset=47280
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
            i32.const 47184
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
  (data (;0;) (i32.const 32768) "\a8\80\00\00O\00\00\00\fc\03\00\003\00\00\00\16slice index starts at \c0\0d but ends at \c0\00\12range start index \c0\22 out of range for slice of length \c0\00\10range end index \c0\22 out of range for slice of length \c0\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs\00tcp/src/segment.rs\00/tng/transports/stp/abi/src/receipts.rs\00tcp/src/receiver.rs\00tcp/src/scoreboard.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/collections/vec_deque/mod.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00\00\00\003\81\00\00\13\00\00\00\ab\00\00\00#\00\00\00index out of bounds\00]\81\00\00^\00\00\00\7f\09\00\00\09\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00capacity overflow\00\00\00\bc\81\00\00P\00\00\00\1c\00\00\00\05\00\00\00G\81\00\00\15\00\00\00\c3\00\00\00\22\00\00\00G\81\00\00\15\00\00\00\9d\00\00\000\00\00\00\f8\80\00\00\12\00\00\00*\00\00\00\14\00\00\00\f8\80\00\00\12\00\00\00\93\00\00\00.\00\00\00\f8\80\00\00\12\00\00\00\9b\00\00\00\0e\00\00\00mid > len\00\00\00\a8\80\00\00O\00\00\00\07\04\00\007\00\00\00\0b\81\00\00'\00\00\00G\00\00\00\14\00\00\00\0b\81\00\00'\00\00\00?\00\00\00\15\00\00\00\0b\81\00\00'\00\00\00\1a\00\00\00 \00\00\00dest is out of bounds")
  (data (;1;) (i32.const 33664) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
