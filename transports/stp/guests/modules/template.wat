(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32 i32 i64 i64 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result i64)))
  (type (;3;) (func (param i64) (result i64)))
  (type (;4;) (func (param i32 i32 i64 i64) (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func))
  (type (;7;) (func (param i32 i32 i32) (result i64)))
  (type (;8;) (func (param i64 i64 i64 i32) (result i64)))
  (type (;9;) (func (param i32 i32)))
  (type (;10;) (func (result i64)))
  (type (;11;) (func (param i32)))
  (type (;12;) (func (param i32 i64)))
  (import "tng" "route" (func (;0;) (type 0) (param i32) (result i64)))
  (import "tng" "net_resend" (func (;1;) (type 1) (param i32 i32 i64 i64 i64) (result i64)))
  (import "tng" "log" (func (;2;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "so_drop" (func (;3;) (type 3) (param i64) (result i64)))
  (import "tng" "net_send" (func (;4;) (type 4) (param i32 i32 i64 i64) (result i64)))
  (import "tng" "timer_reset" (func (;5;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "so_isdisconnecting" (func (;6;) (type 5) (result i32)))
  (import "tng" "proto_done" (func (;7;) (type 6)))
  (import "tng" "so_connected" (func (;8;) (type 6)))
  (import "tng" "so_append" (func (;9;) (type 7) (param i32 i32 i32) (result i64)))
  (import "tng" "so_wakeup" (func (;10;) (type 6)))
  (import "tng" "net_sendack" (func (;11;) (type 2) (param i32 i32) (result i64)))
  (import "tng" "ack_sum" (func (;12;) (type 8) (param i64 i64 i64 i32) (result i64)))
  (table (;0;) 1 1 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 53472)
  (global (;2;) i32 i32.const 53472)
  (export "memory" (memory 0))
  (export "__heap_base" (global 1))
  (export "abi" (func 19))
  (export "abort" (func 20))
  (export "accept" (func 21))
  (export "area" (func 22))
  (export "attach" (func 23))
  (export "call" (func 24))
  (export "input" (func 25))
  (export "path_changed" (func 26))
  (export "ring" (func 27))
  (export "shutdown" (func 28))
  (export "timer" (func 29))
  (export "usrreq" (func 30))
  (export "connect" (func 21))
  (export "__data_end" (global 2))
  (func (;13;) (type 6)
    (local i32 i32 i32 i64 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    i32.const 0
    i32.load offset=32868
    local.set 1
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load offset=32824
          br_if 0 (;@3;)
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  loop ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=32860
                      i32.const 0
                      i32.load offset=32864
                      local.tee 1
                      i32.const 0
                      i32.const 0
                      i32.load offset=32856
                      local.tee 2
                      local.get 1
                      local.get 2
                      i32.lt_u
                      select
                      i32.sub
                      i32.const 3
                      i32.shl
                      i32.add
                      i64.load
                      local.tee 3
                      i32.const 0
                      i64.load offset=32872
                      i64.sub
                      i64.const 2
                      i64.add
                      i32.const 0
                      call 0
                      i64.gt_u
                      br_if 0 (;@9;)
                      local.get 0
                      i32.const 1
                      i32.store8 offset=14
                      local.get 0
                      i32.const 0
                      i32.load8_u offset=32880
                      i32.store8 offset=15
                      i32.const 0
                      i32.load offset=32840
                      i32.eqz
                      br_if 2 (;@7;)
                      local.get 0
                      i32.const 14
                      i32.add
                      i32.const 2
                      i32.const 0
                      i64.load offset=32872
                      local.get 3
                      i32.const 0
                      i64.load offset=32848
                      call 1
                      local.tee 3
                      i64.const -1
                      i64.le_s
                      br_if 3 (;@6;)
                      br 4 (;@5;)
                    end
                    i32.const 32768
                    i32.const 50
                    call 2
                    drop
                    i32.const 0
                    i32.load offset=32868
                    local.tee 1
                    i32.eqz
                    br_if 6 (;@2;)
                    i32.const 0
                    local.get 1
                    i32.const -1
                    i32.add
                    i32.store offset=32868
                    i32.const 0
                    i32.const 0
                    i32.load offset=32864
                    local.tee 1
                    i32.const 1
                    i32.add
                    local.tee 2
                    i32.const 0
                    i32.const 0
                    i32.load offset=32856
                    local.tee 4
                    local.get 2
                    local.get 4
                    i32.lt_u
                    select
                    i32.sub
                    i32.store offset=32864
                    i32.const 0
                    i32.const 0
                    i32.load offset=32860
                    local.get 1
                    i32.const 3
                    i32.shl
                    i32.add
                    i64.load
                    local.tee 3
                    i64.store offset=32872
                    i32.const 0
                    i64.const 0
                    i64.store offset=32824
                    i32.const 0
                    i64.const 0
                    i64.store offset=32840
                    local.get 3
                    call 3
                    drop
                    i32.const 0
                    i32.load offset=32868
                    local.set 1
                    i32.const 0
                    i32.load offset=32824
                    br_if 5 (;@3;)
                    local.get 1
                    br_if 0 (;@8;)
                    br 5 (;@3;)
                  end
                end
                local.get 0
                i32.const 14
                i32.add
                i32.const 2
                i32.const 0
                i64.load offset=32872
                local.get 3
                call 4
                local.tee 3
                i64.const -1
                i64.gt_s
                br_if 1 (;@5;)
              end
              local.get 3
              i64.const -1
              i64.eq
              br_if 4 (;@1;)
              br 1 (;@4;)
            end
            i32.const 0
            local.get 3
            i64.store offset=32832
            i32.const 0
            i64.const 1
            i64.store offset=32824
          end
          i32.const 0
          i32.const 400
          call 5
          drop
          i32.const 0
          i32.load offset=32868
          local.set 1
        end
        local.get 1
        br_if 1 (;@1;)
      end
      call 6
      i32.eqz
      br_if 0 (;@1;)
      call 7
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;14;) (type 6)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    i32.load offset=32856
    local.set 0
    call 15
    block ;; label = @1
      i32.const 0
      i32.load offset=32864
      local.tee 1
      local.get 0
      i32.const 0
      i32.load offset=32868
      local.tee 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=32856
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
          i32.const 3
          i32.shl
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          i32.load offset=32860
          local.tee 4
          local.get 0
          i32.const 3
          i32.shl
          i32.add
          local.get 4
          local.get 1
          i32.const 3
          i32.shl
          i32.add
          local.get 2
          memory.copy
        end
        i32.const 0
        local.get 0
        i32.store offset=32864
        return
      end
      local.get 2
      i32.const 3
      i32.shl
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=32860
      local.tee 2
      local.get 0
      i32.const 3
      i32.shl
      i32.add
      local.get 2
      local.get 1
      memory.copy
    end
  )
  (func (;15;) (type 6)
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
    i32.load offset=32856
    call 16
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
      call 17
      unreachable
    end
    local.get 0
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;16;) (type 9) (param i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 4
    i32.add
    local.get 1
    i32.const 1
    i32.add
    local.tee 1
    i32.const 0
    i32.load offset=32856
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
    call 18
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
      i32.store offset=32860
      i32.const 0
      local.get 1
      i32.store offset=32856
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
  (func (;17;) (type 9) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      call 34
      unreachable
    end
    call 35
    unreachable
  )
  (func (;18;) (type 9) (param i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 1
              i32.const 536870911
              i32.gt_u
              br_if 0 (;@5;)
              local.get 1
              i32.const 3
              i32.shl
              local.tee 1
              i32.const 2147483640
              i32.gt_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=32856
                      local.tee 2
                      i32.eqz
                      br_if 0 (;@9;)
                      i32.const 0
                      i32.load offset=32860
                      local.set 3
                      block ;; label = @10
                        local.get 2
                        i32.const 3
                        i32.shl
                        local.tee 2
                        i32.const 16
                        local.get 2
                        i32.const 16
                        i32.gt_u
                        select
                        i32.const -1
                        i32.add
                        i32.clz
                        local.tee 4
                        local.get 1
                        i32.const 16
                        local.get 1
                        i32.const 16
                        i32.gt_u
                        select
                        i32.const -1
                        i32.add
                        i32.clz
                        local.tee 5
                        i32.ne
                        br_if 0 (;@10;)
                        local.get 3
                        local.set 5
                        br 4 (;@6;)
                      end
                      local.get 1
                      i32.const 134217728
                      i32.gt_u
                      br_if 1 (;@8;)
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              i32.const 28
                              local.get 5
                              i32.sub
                              local.tee 6
                              i32.const 2
                              i32.shl
                              local.tee 7
                              i32.load offset=53368
                              local.tee 5
                              br_if 0 (;@13;)
                              i32.const 16
                              local.get 6
                              i32.shl
                              local.set 6
                              i32.const 0
                              i32.load offset=53468
                              local.tee 7
                              i32.eqz
                              br_if 1 (;@12;)
                              i32.const 0
                              i32.load offset=53464
                              local.set 5
                              br 2 (;@11;)
                            end
                            local.get 7
                            i32.const 53368
                            i32.add
                            local.get 5
                            i32.load
                            i32.store
                            br 2 (;@10;)
                          end
                          memory.size
                          local.set 7
                          i32.const 53472
                          local.set 5
                          i32.const 0
                          i32.const 53472
                          i32.store offset=53464
                          i32.const 0
                          local.get 7
                          i32.const 16
                          i32.shl
                          local.tee 7
                          i32.store offset=53468
                        end
                        block ;; label = @11
                          i32.const 65536
                          local.get 6
                          local.get 1
                          i32.const 65536
                          i32.gt_u
                          select
                          local.tee 8
                          local.get 5
                          local.get 8
                          i32.const -1
                          i32.add
                          i32.and
                          local.tee 8
                          i32.sub
                          i32.const 0
                          local.get 8
                          select
                          local.get 5
                          i32.add
                          local.tee 5
                          local.get 6
                          i32.add
                          local.tee 6
                          local.get 7
                          i32.le_u
                          br_if 0 (;@11;)
                          local.get 6
                          local.get 7
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
                          br_if 3 (;@8;)
                          i32.const 0
                          local.get 8
                          i32.const 16
                          i32.shl
                          local.get 7
                          i32.add
                          i32.store offset=53468
                        end
                        i32.const 0
                        local.get 6
                        i32.store offset=53464
                        local.get 5
                        i32.eqz
                        br_if 2 (;@8;)
                      end
                      i32.const 28
                      local.get 4
                      i32.sub
                      local.set 4
                      block ;; label = @10
                        local.get 2
                        i32.eqz
                        br_if 0 (;@10;)
                        local.get 5
                        local.get 3
                        local.get 2
                        memory.copy
                      end
                      local.get 3
                      local.get 4
                      i32.const 2
                      i32.shl
                      local.tee 2
                      i32.load offset=53368
                      i32.store
                      local.get 2
                      local.get 3
                      i32.store offset=53368
                      br 6 (;@3;)
                    end
                    local.get 1
                    i32.const 134217728
                    i32.gt_u
                    br_if 0 (;@8;)
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
                    local.tee 3
                    i32.const 2
                    i32.shl
                    local.tee 2
                    i32.load offset=53368
                    local.tee 5
                    br_if 1 (;@7;)
                    i32.const 16
                    local.get 3
                    i32.shl
                    local.set 3
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=53468
                        local.tee 2
                        i32.eqz
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=53464
                        local.set 5
                        br 1 (;@9;)
                      end
                      memory.size
                      local.set 2
                      i32.const 53472
                      local.set 5
                      i32.const 0
                      i32.const 53472
                      i32.store offset=53464
                      i32.const 0
                      local.get 2
                      i32.const 16
                      i32.shl
                      local.tee 2
                      i32.store offset=53468
                    end
                    i32.const 65536
                    local.get 3
                    local.get 1
                    i32.const 65536
                    i32.gt_u
                    select
                    local.tee 4
                    local.get 5
                    local.get 4
                    i32.const -1
                    i32.add
                    i32.and
                    local.tee 4
                    i32.sub
                    i32.const 0
                    local.get 4
                    select
                    local.get 5
                    i32.add
                    local.tee 5
                    local.get 3
                    i32.add
                    local.tee 3
                    local.get 2
                    i32.le_u
                    br_if 4 (;@4;)
                    local.get 3
                    local.get 2
                    i32.sub
                    local.tee 4
                    i32.const 16
                    i32.shr_u
                    local.get 4
                    i32.const 65535
                    i32.and
                    i32.const 0
                    i32.ne
                    i32.add
                    local.tee 4
                    memory.grow
                    i32.const -1
                    i32.eq
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 4
                    i32.const 16
                    i32.shl
                    local.get 2
                    i32.add
                    i32.store offset=53468
                    br 4 (;@4;)
                  end
                  local.get 0
                  i32.const 8
                  i32.add
                  local.set 2
                  local.get 0
                  i32.const 4
                  i32.add
                  local.set 3
                  br 5 (;@2;)
                end
                local.get 2
                i32.const 53368
                i32.add
                local.get 5
                i32.load
                i32.store
              end
              local.get 0
              i32.const 8
              i32.add
              local.set 2
              local.get 0
              i32.const 4
              i32.add
              local.set 3
              br 4 (;@1;)
            end
            local.get 0
            i32.const 0
            i32.store offset=4
            local.get 0
            i32.const 1
            i32.store
            return
          end
          i32.const 0
          local.get 3
          i32.store offset=53464
        end
        local.get 0
        i32.const 8
        i32.add
        local.set 2
        local.get 0
        i32.const 4
        i32.add
        local.set 3
        local.get 5
        br_if 1 (;@1;)
      end
      local.get 2
      local.get 1
      i32.store
      local.get 3
      i32.const 8
      i32.store
      local.get 0
      i32.const 1
      i32.store
      return
    end
    local.get 2
    local.get 1
    i32.store
    local.get 3
    local.get 5
    i32.store
    local.get 0
    i32.const 0
    i32.store
  )
  (func (;19;) (type 10) (result i64)
    i64.const 259
  )
  (func (;20;) (type 6)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      block ;; label = @2
        i32.const 0
        i32.load offset=32868
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.store offset=32868
      end
      i32.const 0
      i32.const 0
      i32.store offset=32864
    end
  )
  (func (;21;) (type 6)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 8
      call 13
    end
  )
  (func (;22;) (type 5) (result i32)
    i32.const 32888
  )
  (func (;23;) (type 6)
    (local i32 i32)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=32856
      local.tee 0
      i32.const -1
      i32.add
      i32.const 16777215
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=32860
      local.tee 1
      i32.const 28
      local.get 0
      i32.const 3
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
      i32.load offset=53368
      i32.store
      local.get 0
      local.get 1
      i32.store offset=53368
    end
    i32.const 0
    i64.const 0
    i64.store offset=32864
    i32.const 0
    i64.const 34359738368
    i64.store offset=32856
    i32.const 0
    i64.const 0
    i64.store offset=32840
    i32.const 0
    i64.const 0
    i64.store offset=32824
    i32.const 0
    i64.const 0
    i64.store offset=32872
    i32.const 0
    i32.const 0
    i32.store16 offset=32880
  )
  (func (;24;) (type 2) (param i32 i32) (result i64)
    i64.const -4
    i64.const -5
    i32.const 0
    i64.load offset=32824
    i64.const 2
    i64.eq
    select
  )
  (func (;25;) (type 9) (param i32 i32)
    (local i32 i32 i32 i32 i64 i64)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i32.eqz
          br_if 0 (;@3;)
          i32.const 45176
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
          i32.const 45176
          i32.add
          local.set 5
          loop ;; label = @4
            local.get 3
            i32.const 16
            i32.add
            local.get 0
            i32.const 7
            i32.shl
            i32.const 8064
            i32.and
            local.tee 1
            i64.load offset=37000 align=1
            i64.store
            local.get 3
            i32.const 8
            i32.add
            local.get 1
            i64.load offset=36992 align=1
            i64.store
            local.get 3
            local.get 1
            i32.load8_u offset=37008
            i32.const 1
            i32.eq
            i64.extend_i32_u
            i64.store
            local.get 1
            i64.load offset=36984 align=1
            local.set 6
            local.get 3
            i32.const 24
            i32.add
            local.get 1
            i32.const 37016
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
            local.get 5
            i32.ne
            br_if 0 (;@4;)
          end
          i32.const 0
          i64.load offset=32824
          i64.const 2
          i64.eq
          br_if 2 (;@1;)
          i32.const 0
          local.set 3
          loop ;; label = @4
            block ;; label = @5
              local.get 3
              i32.const 45300
              i32.add
              i32.load
              local.tee 1
              i32.const 1
              i32.le_u
              br_if 0 (;@5;)
              block ;; label = @6
                block ;; label = @7
                  local.get 3
                  i32.const 45200
                  i32.add
                  i32.load8_u
                  i32.const -1
                  i32.add
                  br_table 0 (;@7;) 1 (;@6;) 2 (;@5;)
                end
                local.get 3
                i32.const 45176
                i32.add
                i64.load
                i64.const 1
                i64.ne
                br_if 1 (;@5;)
                local.get 3
                i32.const 45192
                i32.add
                i64.load
                local.set 6
                local.get 3
                i32.const 45184
                i32.add
                i64.load
                local.set 7
                block ;; label = @7
                  local.get 3
                  i32.const 45201
                  i32.add
                  i32.load8_u
                  local.tee 0
                  i32.const 0
                  i32.load8_u offset=32881
                  i32.ne
                  br_if 0 (;@7;)
                  local.get 3
                  i32.const 45296
                  i32.add
                  i32.load
                  i32.const 2
                  local.get 1
                  call 9
                  i64.const -1
                  i64.le_s
                  br_if 2 (;@5;)
                  call 10
                  i32.const 0
                  i32.const 0
                  i32.load8_u offset=32881
                  i32.const 1
                  i32.add
                  i32.store8 offset=32881
                end
                local.get 2
                local.get 6
                i64.store offset=24 align=1
                local.get 2
                local.get 7
                i64.store offset=16 align=1
                local.get 2
                local.get 0
                i32.store8 offset=15
                local.get 2
                i32.const 2
                i32.store8 offset=14
                local.get 2
                i32.const 14
                i32.add
                i32.const 18
                call 11
                drop
                br 1 (;@5;)
              end
              local.get 1
              i32.const 18
              i32.lt_u
              br_if 0 (;@5;)
              block ;; label = @6
                i32.const 0
                i64.load offset=32824
                local.tee 6
                i64.const 1
                i64.ne
                br_if 0 (;@6;)
                local.get 3
                i32.const 45202
                i32.add
                i64.load align=1
                local.tee 7
                i32.const 0
                i64.load offset=32832
                i64.gt_u
                br_if 0 (;@6;)
                local.get 7
                i64.const -1
                local.get 7
                i64.const 1
                i64.add
                local.tee 6
                local.get 6
                i64.eqz
                select
                local.get 3
                i32.const 45210
                i32.add
                i64.load align=1
                i32.const 0
                call 12
                drop
                i32.const 0
                i64.load offset=32824
                local.set 6
              end
              local.get 6
              i64.eqz
              br_if 0 (;@5;)
              local.get 3
              i32.const 45201
              i32.add
              i32.load8_u
              local.tee 1
              i32.const 0
              i32.load8_u offset=32880
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              local.get 1
              i32.const 1
              i32.add
              i32.store8 offset=32880
              i32.const 0
              i32.load offset=32868
              local.tee 1
              i32.eqz
              br_if 0 (;@5;)
              i32.const 0
              local.get 1
              i32.const -1
              i32.add
              i32.store offset=32868
              i32.const 0
              i32.const 0
              i32.load offset=32864
              local.tee 1
              i32.const 1
              i32.add
              local.tee 0
              i32.const 0
              i32.const 0
              i32.load offset=32856
              local.tee 5
              local.get 0
              local.get 5
              i32.lt_u
              select
              i32.sub
              i32.store offset=32864
              i32.const 0
              i32.const 0
              i32.load offset=32860
              local.get 1
              i32.const 3
              i32.shl
              i32.add
              i64.load
              local.tee 6
              i64.store offset=32872
              i32.const 0
              i64.const 0
              i64.store offset=32824
              i32.const 0
              i64.const 0
              i64.store offset=32840
              local.get 6
              call 3
              drop
            end
            local.get 4
            local.get 3
            i32.const 128
            i32.add
            local.tee 3
            i32.ne
            br_if 0 (;@4;)
            br 2 (;@2;)
          end
        end
        i32.const 0
        i64.load offset=32824
        i64.const 2
        i64.eq
        br_if 1 (;@1;)
      end
      call 13
    end
    local.get 2
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;26;) (type 6)
    (local i64 i32)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      local.tee 0
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      i32.const 32832
      i32.const 32848
      local.get 0
      i32.wrap_i64
      i32.const 1
      i32.and
      local.tee 1
      select
      i64.load
      local.set 0
      i32.const 0
      i64.const 0
      i64.store offset=32824
      i32.const 0
      i64.const 1
      i32.const 0
      i64.load offset=32840
      local.get 1
      select
      i64.store offset=32840
      i32.const 0
      local.get 0
      i64.store offset=32848
      call 13
    end
  )
  (func (;27;) (type 5) (result i32)
    i32.const 36984
  )
  (func (;28;) (type 11) (param i32)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      i64.const 2
      i64.eq
      br_if 0 (;@1;)
      call 7
    end
  )
  (func (;29;) (type 11) (param i32)
    (local i64)
    block ;; label = @1
      i32.const 0
      i64.load offset=32824
      local.tee 1
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
        i32.const 32832
        i32.const 32848
        local.get 1
        i32.wrap_i64
        i32.const 1
        i32.and
        local.tee 0
        select
        i64.load
        local.set 1
        i32.const 0
        i64.const 0
        i64.store offset=32824
        i32.const 0
        i64.const 1
        i32.const 0
        i64.load offset=32840
        local.get 0
        select
        i64.store offset=32840
        i32.const 0
        local.get 1
        i64.store offset=32848
      end
      call 13
    end
  )
  (func (;30;) (type 12) (param i32 i64)
    (local i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            br_table 0 (;@4;) 1 (;@3;) 1 (;@3;) 3 (;@1;)
          end
          i32.const 0
          i64.load offset=32824
          i64.const 2
          i64.eq
          br_if 2 (;@1;)
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load offset=32868
              local.tee 0
              i32.const 256
              i32.ge_u
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 0
                i32.const 0
                i32.load offset=32856
                local.tee 2
                i32.ne
                br_if 0 (;@6;)
                call 14
                i32.const 0
                i32.load offset=32856
                local.set 2
                i32.const 0
                i32.load offset=32868
                local.set 0
              end
              i32.const 0
              local.get 0
              i32.const 1
              i32.add
              i32.store offset=32868
              i32.const 0
              i32.load offset=32864
              local.get 0
              i32.add
              local.tee 0
              i32.const 0
              local.get 2
              local.get 0
              local.get 2
              i32.lt_u
              select
              i32.sub
              local.set 0
              br 1 (;@4;)
            end
            local.get 0
            i32.const 0
            i32.load offset=32864
            i32.add
            i32.const -1
            i32.add
            local.tee 0
            i32.const 0
            i32.const 0
            i32.load offset=32856
            local.tee 2
            local.get 0
            local.get 2
            i32.lt_u
            select
            i32.sub
            local.set 0
          end
          i32.const 0
          i32.load offset=32860
          local.get 0
          i32.const 3
          i32.shl
          i32.add
          local.get 1
          i64.store
          br 1 (;@2;)
        end
        i32.const 0
        i64.load offset=32824
        i64.const 2
        i64.eq
        br_if 1 (;@1;)
      end
      call 13
    end
  )
  (func (;31;) (type 11) (param i32)
    local.get 0
    call 32
    unreachable
  )
  (func (;32;) (type 11) (param i32)
    call 33
    unreachable
  )
  (func (;33;) (type 6)
    unreachable
  )
  (func (;34;) (type 11) (param i32)
    local.get 0
    call 31
    unreachable
  )
  (func (;35;) (type 6)
    call 33
    unreachable
  )
  (data (;0;) (i32.const 32768) "a message is larger than a segment, and is dropped")
  (data (;1;) (i32.const 32824) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
