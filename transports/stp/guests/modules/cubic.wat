(module
  (type (;0;) (func (param i32 i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32)))
  (type (;3;) (func (param i64 i64)))
  (type (;4;) (func (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func))
  (type (;7;) (func (param i64 i32 i64 i64 i64 i64) (result i64)))
  (type (;8;) (func (param i32 i64 i32 i32)))
  (type (;9;) (func (param i32 i32 i32)))
  (type (;10;) (func (param i32)))
  (type (;11;) (func (param i32 i32 i32 i32 i32) (result i32)))
  (type (;12;) (func (param i32 i32 i32 i32)))
  (type (;13;) (func (param i32) (result i32)))
  (type (;14;) (func (param i32 i64 i64 i64 i64)))
  (type (;15;) (func (param i32 i64 i64 i32)))
  (import "tng" "net_window" (func (;0;) (type 3) (param i64 i64)))
  (table (;0;) 5 5 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 34397)
  (global (;2;) i32 i32.const 34400)
  (export "memory" (memory 0))
  (export "abi" (func 5))
  (export "area" (func 6))
  (export "sample" (func 7))
  (export "__data_end" (global 1))
  (export "__heap_base" (global 2))
  (elem (;0;) (i32.const 1) func 1 15 28 22)
  (func (;1;) (type 1) (param i32 i32) (result i32)
    (local i32)
    block ;; label = @1
      local.get 1
      i32.load offset=8
      local.tee 2
      i32.const 33554432
      i32.and
      br_if 0 (;@1;)
      block ;; label = @2
        local.get 2
        i32.const 67108864
        i32.and
        br_if 0 (;@2;)
        local.get 0
        local.get 1
        call 2
        return
      end
      local.get 0
      local.get 1
      call 3
      return
    end
    local.get 0
    local.get 1
    call 4
  )
  (func (;2;) (type 1) (param i32 i32) (result i32)
    (local i32 i32 i64 i64 i64 i32 i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    i32.const 20
    local.set 3
    local.get 0
    i64.load
    local.tee 4
    local.set 5
    block ;; label = @1
      local.get 4
      i64.const 1000
      i64.lt_u
      br_if 0 (;@1;)
      i32.const 20
      local.set 3
      local.get 4
      local.set 5
      loop ;; label = @2
        local.get 2
        i32.const 12
        i32.add
        local.get 3
        i32.add
        local.tee 0
        i32.const -4
        i32.add
        local.get 5
        local.tee 6
        local.get 6
        i64.const 10000
        i64.div_u
        local.tee 5
        i64.const 10000
        i64.mul
        i64.sub
        i32.wrap_i64
        local.tee 7
        i32.const 65535
        i32.and
        i32.const 100
        i32.div_u
        local.tee 8
        i32.const 1
        i32.shl
        i32.load16_u offset=33020 align=1
        i32.store16 align=1
        local.get 0
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
        i32.load16_u offset=33020 align=1
        i32.store16 align=1
        local.get 3
        i32.const -4
        i32.add
        local.set 3
        local.get 6
        i64.const 9999999
        i64.gt_u
        br_if 0 (;@2;)
      end
    end
    block ;; label = @1
      local.get 5
      i64.const 9
      i64.le_u
      br_if 0 (;@1;)
      local.get 2
      i32.const 12
      i32.add
      local.get 3
      i32.const -2
      i32.add
      local.tee 3
      i32.add
      local.get 5
      i32.wrap_i64
      local.tee 0
      local.get 0
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
      i32.load16_u offset=33020 align=1
      i32.store16 align=1
      local.get 0
      i64.extend_i32_u
      local.set 5
    end
    block ;; label = @1
      block ;; label = @2
        local.get 4
        i64.eqz
        br_if 0 (;@2;)
        local.get 5
        i64.eqz
        br_if 1 (;@1;)
      end
      local.get 2
      i32.const 12
      i32.add
      local.get 3
      i32.const -1
      i32.add
      local.tee 3
      i32.add
      local.get 5
      i32.wrap_i64
      i32.const 1
      i32.shl
      i32.load8_u offset=33021
      i32.store8
    end
    local.get 1
    i32.const 1
    i32.const 0
    local.get 2
    i32.const 12
    i32.add
    local.get 3
    i32.add
    i32.const 20
    local.get 3
    i32.sub
    call 17
    local.set 3
    local.get 2
    i32.const 32
    i32.add
    global.set 0
    local.get 3
  )
  (func (;3;) (type 1) (param i32 i32) (result i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 0
    i64.load
    local.set 3
    i32.const 17
    local.set 0
    loop ;; label = @1
      local.get 2
      local.get 0
      i32.add
      i32.const -2
      i32.add
      local.get 3
      i32.wrap_i64
      i32.const 15
      i32.and
      i32.load8_u offset=33279
      i32.store8
      local.get 0
      i32.const -1
      i32.add
      local.set 0
      local.get 3
      i64.const 4
      i64.shr_u
      local.tee 3
      i64.const 0
      i64.ne
      br_if 0 (;@1;)
    end
    local.get 1
    i32.const 33277
    i32.const 2
    local.get 2
    local.get 0
    i32.add
    i32.const -1
    i32.add
    i32.const 17
    local.get 0
    i32.sub
    call 17
    local.set 0
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 0
  )
  (func (;4;) (type 1) (param i32 i32) (result i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 0
    i64.load
    local.set 3
    i32.const 17
    local.set 0
    loop ;; label = @1
      local.get 2
      local.get 0
      i32.add
      i32.const -2
      i32.add
      local.get 3
      i32.wrap_i64
      i32.const 15
      i32.and
      i32.load8_u offset=33004
      i32.store8
      local.get 0
      i32.const -1
      i32.add
      local.set 0
      local.get 3
      i64.const 4
      i64.shr_u
      local.tee 3
      i64.const 0
      i64.ne
      br_if 0 (;@1;)
    end
    local.get 1
    i32.const 33277
    i32.const 2
    local.get 2
    local.get 0
    i32.add
    i32.const -1
    i32.add
    i32.const 17
    local.get 0
    i32.sub
    call 17
    local.set 0
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 0
  )
  (func (;5;) (type 4) (result i64)
    i64.const 257
  )
  (func (;6;) (type 5) (result i32)
    i32.const 33736
  )
  (func (;7;) (type 6)
    (local i32 i64 i64 i64 i32 i32 i64 i64 i64 i64 i64 i64 i64 i64 i64)
    global.get 0
    i32.const 240
    i32.sub
    local.tee 0
    global.set 0
    i32.const 0
    i64.load offset=33752
    local.set 1
    i32.const 0
    i64.load offset=33736
    local.set 2
    block ;; label = @1
      i32.const 0
      i64.load offset=33504
      local.tee 3
      i64.const 2
      i64.ne
      br_if 0 (;@1;)
      local.get 1
      i32.wrap_i64
      local.tee 4
      i32.const 65535
      local.get 4
      i32.const 65535
      i32.lt_u
      select
      local.set 5
      block ;; label = @2
        block ;; label = @3
          local.get 4
          br_if 0 (;@3;)
          i64.const 10
          local.set 6
          br 1 (;@2;)
        end
        local.get 5
        i64.extend_i32_u
        local.tee 3
        i64.const 10
        i64.mul
        local.tee 6
        local.get 3
        i64.const 1
        i64.shl
        local.tee 3
        i64.const 14720
        local.get 3
        i64.const 14720
        i64.gt_u
        select
        local.tee 3
        local.get 6
        local.get 3
        i64.lt_u
        select
        local.set 6
      end
      i64.const 0
      local.set 3
      i32.const 0
      i64.const 0
      i64.store offset=33504
      i32.const 0
      local.get 0
      i64.load offset=112
      i64.store offset=33512
      i32.const 0
      i64.const 0
      i64.store offset=33520
      i32.const 0
      i64.const 0
      i64.store offset=33528
      i32.const 0
      local.get 5
      i32.store16 offset=33712
      i32.const 0
      i32.const 1000000000
      i32.store offset=33688
      i32.const 0
      i32.const 1000000000
      i32.store offset=33672
      i32.const 0
      i32.const 1000000000
      i32.store offset=33656
      i32.const 0
      i64.const 0
      i64.store offset=33632
      i32.const 0
      i64.const 0
      i64.store offset=33608
      i32.const 0
      local.get 6
      i64.store offset=33600
      i32.const 0
      i32.const 1000000000
      i32.store offset=33592
      local.get 0
      i64.const 0
      i64.store offset=128
      local.get 0
      i64.const 0
      i64.store offset=120
      local.get 0
      i64.const 0
      i64.store offset=222 align=2
      local.get 0
      i64.const 0
      i64.store offset=230 align=2
      i32.const 0
      i32.const 0
      i32.store offset=33704
      i32.const 0
      local.get 0
      i64.load offset=230 align=2
      i64.store offset=33728 align=2
      i32.const 0
      local.get 0
      i64.load offset=224 align=2
      i64.store offset=33722 align=2
      i32.const 0
      local.get 0
      i64.load offset=216 align=2
      i64.store offset=33714 align=2
    end
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i64.const 5
        i64.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i64.load offset=33768
        local.set 6
        i32.const 0
        i64.load offset=33744
        local.set 7
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            local.get 2
                            i32.wrap_i64
                            br_table 0 (;@12;) 1 (;@11;) 2 (;@10;) 3 (;@9;) 4 (;@8;) 5 (;@7;) 0 (;@12;)
                          end
                          i32.const 0
                          i64.load offset=33912
                          local.set 8
                          i32.const 0
                          i64.load offset=33832
                          local.set 9
                          i32.const 0
                          i64.load offset=33824
                          local.set 2
                          i32.const 0
                          i64.load offset=33816
                          local.set 10
                          i32.const 0
                          i64.load offset=33800
                          local.set 11
                          i32.const 0
                          i64.load offset=33792
                          local.set 12
                          i32.const 0
                          i64.load offset=33784
                          local.set 13
                          i32.const 0
                          i64.load offset=33776
                          local.set 14
                          local.get 0
                          i32.const 0
                          i64.load offset=33808
                          i64.store offset=160
                          local.get 0
                          local.get 11
                          i64.store offset=152
                          local.get 0
                          local.get 12
                          i64.store offset=144
                          local.get 0
                          local.get 13
                          i64.store offset=136
                          local.get 0
                          local.get 14
                          i64.store offset=128
                          local.get 0
                          local.get 6
                          i64.store offset=120
                          local.get 0
                          local.get 1
                          i64.store offset=112
                          local.get 0
                          i32.const 1000000000
                          i32.const 0
                          local.get 2
                          i64.eqz
                          select
                          i32.store offset=200
                          local.get 0
                          i64.const 0
                          i64.store offset=192
                          local.get 0
                          local.get 10
                          i64.const 0
                          i64.ne
                          i32.store8 offset=168
                          local.get 0
                          local.get 2
                          i64.const 1000000000
                          i64.div_u
                          local.tee 10
                          i64.store offset=176
                          local.get 0
                          local.get 2
                          local.get 10
                          i64.const 3294967296
                          i64.mul
                          i64.add
                          i64.store32 offset=184
                          local.get 8
                          i64.eqz
                          br_if 9 (;@2;)
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=33608
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 6
                            i32.const 0
                            i64.load offset=33616
                            i64.le_u
                            br_if 10 (;@2;)
                          end
                          i64.const -1
                          i32.const 0
                          i64.load offset=33600
                          local.tee 2
                          local.get 1
                          i64.add
                          local.tee 6
                          local.get 6
                          local.get 2
                          i64.lt_u
                          select
                          local.tee 6
                          i64.const 4611686018427387904
                          local.get 6
                          i64.const 4611686018427387904
                          i64.lt_u
                          select
                          local.set 6
                          block ;; label = @12
                            local.get 3
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 6
                            i32.const 0
                            i64.load offset=33512
                            local.tee 3
                            i64.le_u
                            br_if 6 (;@6;)
                            local.get 3
                            local.get 2
                            local.get 3
                            local.get 2
                            i64.gt_u
                            select
                            local.tee 2
                            i32.const 0
                            i32.load16_u offset=33712
                            local.get 6
                            local.get 2
                            i64.sub
                            local.get 7
                            local.get 14
                            i64.const 333000000
                            local.get 9
                            i64.const 4611686018427387904
                            local.get 9
                            i64.const 4611686018427387904
                            i64.lt_u
                            select
                            local.get 9
                            i64.eqz
                            select
                            call 8
                            local.set 1
                            i32.const 0
                            i64.load offset=33600
                            local.set 2
                            br 9 (;@3;)
                          end
                          local.get 0
                          i32.const 216
                          i32.add
                          local.get 7
                          local.get 0
                          i32.const 112
                          i32.add
                          i32.const 0
                          i32.load16_u offset=33712
                          call 9
                          i64.const -1
                          i32.const 0
                          i64.load offset=33600
                          local.tee 2
                          local.get 0
                          i64.load offset=216
                          i64.add
                          local.tee 1
                          local.get 1
                          local.get 2
                          i64.lt_u
                          select
                          local.set 1
                          local.get 0
                          i32.load8_u offset=224
                          i32.const 1
                          i32.ne
                          br_if 8 (;@3;)
                          i32.const 0
                          local.get 1
                          i64.store offset=33512
                          i32.const 0
                          i64.const 1
                          i64.store offset=33504
                          br 8 (;@3;)
                        end
                        i32.const 0
                        i64.load offset=33760
                        local.tee 14
                        i64.const -1
                        i64.add
                        local.set 3
                        i32.const 0
                        local.set 4
                        block ;; label = @11
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=33608
                            local.tee 2
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 6
                            i32.const 0
                            i64.load offset=33616
                            local.tee 8
                            i64.le_u
                            br_if 1 (;@11;)
                          end
                          block ;; label = @12
                            local.get 3
                            i64.const 3
                            i64.lt_u
                            br_if 0 (;@12;)
                            local.get 0
                            i32.const 112
                            i32.add
                            i32.const 33504
                            i32.const 104
                            memory.copy
                            i32.const 128
                            i32.const 8
                            call 10
                            local.tee 4
                            i32.eqz
                            br_if 7 (;@5;)
                            local.get 4
                            local.get 0
                            i32.const 112
                            i32.add
                            i32.const 104
                            memory.copy
                            local.get 4
                            local.get 1
                            i64.store offset=120
                            local.get 4
                            local.get 8
                            i64.store offset=112
                            local.get 4
                            local.get 2
                            i64.store offset=104
                            i32.const 0
                            i64.load offset=33608
                            local.set 2
                          end
                          block ;; label = @12
                            local.get 2
                            i64.eqz
                            br_if 0 (;@12;)
                            i32.const 0
                            i32.load offset=33624
                            local.tee 5
                            i32.eqz
                            br_if 0 (;@12;)
                            local.get 5
                            i32.const 128
                            i32.const 8
                            call 11
                          end
                          i32.const 0
                          local.get 4
                          i32.store offset=33624
                          i32.const 0
                          local.get 7
                          i64.store offset=33616
                          i32.const 0
                          i64.const 1
                          i64.store offset=33608
                          i32.const 0
                          i32.const 0
                          i64.load offset=33600
                          local.tee 2
                          i64.store offset=33528
                          local.get 2
                          local.set 1
                          block ;; label = @12
                            local.get 2
                            i32.const 0
                            i64.load offset=33520
                            i64.ge_u
                            br_if 0 (;@12;)
                            local.get 0
                            i32.const 80
                            i32.add
                            local.get 2
                            i64.const 0
                            i64.const 17
                            i64.const 0
                            call 34
                            block ;; label = @13
                              local.get 0
                              i64.load offset=88
                              i64.const 0
                              i64.ne
                              br_if 0 (;@13;)
                              local.get 0
                              i64.load offset=80
                              i64.const 20
                              i64.div_u
                              local.set 1
                              br 1 (;@12;)
                            end
                            local.get 0
                            i32.const 64
                            i32.add
                            local.get 2
                            i64.const 0
                            i64.const 17
                            i64.const 0
                            call 34
                            local.get 0
                            i32.const 48
                            i32.add
                            local.get 0
                            i64.load offset=64
                            local.get 0
                            i64.load offset=72
                            i64.const 20
                            i64.const 0
                            call 36
                            local.get 0
                            i64.load offset=48
                            local.set 1
                          end
                          i32.const 0
                          i32.const 1000000000
                          i32.store offset=33592
                          i32.const 0
                          local.get 1
                          i64.store offset=33520
                          local.get 0
                          i32.const 32
                          i32.add
                          local.get 2
                          i64.const 0
                          i64.const 7
                          i64.const 0
                          call 34
                          block ;; label = @12
                            block ;; label = @13
                              local.get 0
                              i64.load offset=40
                              i64.const 0
                              i64.ne
                              br_if 0 (;@13;)
                              local.get 0
                              i64.load offset=32
                              i64.const 10
                              i64.div_u
                              local.set 2
                              br 1 (;@12;)
                            end
                            local.get 0
                            i32.const 16
                            i32.add
                            local.get 2
                            i64.const 0
                            i64.const 7
                            i64.const 0
                            call 34
                            local.get 0
                            local.get 0
                            i64.load offset=16
                            local.get 0
                            i64.load offset=24
                            i64.const 10
                            i64.const 0
                            call 36
                            local.get 0
                            i64.load
                            local.set 2
                          end
                          i32.const 0
                          i64.const 1
                          i64.store offset=33504
                          i32.const 0
                          i64.const 2
                          i32.const 0
                          i64.load16_u offset=33712
                          local.tee 1
                          i64.const 1
                          i64.shl
                          local.get 1
                          i64.eqz
                          select
                          local.tee 1
                          local.get 2
                          local.get 1
                          local.get 2
                          i64.gt_u
                          select
                          local.tee 2
                          i64.store offset=33600
                          i32.const 0
                          local.get 2
                          i64.store offset=33512
                          br 7 (;@4;)
                        end
                        i32.const 0
                        i32.load offset=33624
                        local.set 4
                        block ;; label = @11
                          local.get 3
                          i64.const 2
                          i64.gt_u
                          br_if 0 (;@11;)
                          local.get 4
                          i32.eqz
                          br_if 0 (;@11;)
                          i32.const 0
                          i32.const 0
                          i32.store offset=33624
                          local.get 4
                          i32.const 128
                          i32.const 8
                          call 11
                          i32.const 0
                          i32.load offset=33624
                          local.set 4
                        end
                        block ;; label = @11
                          local.get 4
                          br_if 0 (;@11;)
                          i32.const 0
                          local.set 4
                          br 7 (;@4;)
                        end
                        local.get 4
                        i64.const -1
                        local.get 4
                        i64.load offset=120
                        local.tee 2
                        local.get 1
                        i64.add
                        local.tee 1
                        local.get 1
                        local.get 2
                        i64.lt_u
                        select
                        i64.store offset=120
                        br 6 (;@4;)
                      end
                      i32.const 0
                      i64.load offset=33608
                      i64.const 1
                      i64.ne
                      br_if 7 (;@2;)
                      i32.const 0
                      i32.load offset=33624
                      local.tee 4
                      i32.eqz
                      br_if 7 (;@2;)
                      local.get 6
                      i32.const 0
                      i64.load offset=33616
                      i64.gt_u
                      br_if 7 (;@2;)
                      block ;; label = @10
                        local.get 4
                        i64.load offset=104
                        local.tee 7
                        i64.const 1
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 6
                        local.get 4
                        i64.load offset=112
                        i64.le_u
                        br_if 8 (;@2;)
                      end
                      i64.const 0
                      local.set 6
                      local.get 4
                      i64.const 0
                      local.get 4
                      i64.load offset=120
                      local.tee 2
                      local.get 1
                      i64.sub
                      local.tee 3
                      local.get 3
                      local.get 2
                      i64.gt_u
                      select
                      i64.store offset=120
                      local.get 2
                      local.get 1
                      i64.gt_u
                      br_if 7 (;@2;)
                      local.get 4
                      i64.load
                      local.set 2
                      i32.const 0
                      local.get 4
                      i64.load offset=8
                      i64.store offset=33512
                      i32.const 0
                      local.get 2
                      i64.store offset=33504
                      i32.const 0
                      i64.load offset=33600
                      local.set 2
                      local.get 4
                      i64.load offset=96
                      local.set 1
                      i32.const 33520
                      local.get 4
                      i32.const 16
                      i32.add
                      i32.const 80
                      memory.copy
                      i32.const 0
                      local.get 2
                      local.get 1
                      local.get 2
                      local.get 1
                      i64.gt_u
                      select
                      i64.store offset=33600
                      block ;; label = @10
                        local.get 7
                        i32.wrap_i64
                        i32.eqz
                        br_if 0 (;@10;)
                        local.get 4
                        i64.load offset=112
                        local.set 2
                        i64.const 1
                        local.set 6
                      end
                      local.get 4
                      i32.const 128
                      i32.const 8
                      call 11
                      i32.const 0
                      local.get 2
                      i64.store offset=33616
                      i32.const 0
                      local.get 6
                      i64.store offset=33608
                      i32.const 0
                      i32.const 0
                      i32.store offset=33624
                      br 7 (;@2;)
                    end
                    i32.const 0
                    i64.load offset=33512
                    local.set 3
                    i32.const 0
                    i64.load offset=33600
                    local.set 2
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i64.load16_u offset=33712
                        local.tee 6
                        i64.eqz
                        i32.eqz
                        br_if 0 (;@10;)
                        i64.const 10
                        local.set 6
                        br 1 (;@9;)
                      end
                      local.get 6
                      i64.const 10
                      i64.mul
                      local.tee 7
                      local.get 6
                      i64.const 1
                      i64.shl
                      local.tee 6
                      i64.const 14720
                      local.get 6
                      i64.const 14720
                      i64.gt_u
                      select
                      local.tee 6
                      local.get 7
                      local.get 6
                      i64.lt_u
                      select
                      local.set 6
                    end
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33592
                    i32.const 0
                    local.get 2
                    local.get 1
                    i64.shr_u
                    i64.const 0
                    local.get 1
                    i64.const 64
                    i64.lt_u
                    select
                    local.tee 1
                    local.get 2
                    local.get 6
                    local.get 2
                    local.get 6
                    i64.lt_u
                    select
                    local.get 6
                    local.get 1
                    i64.lt_u
                    select
                    local.tee 1
                    i64.store offset=33600
                    i32.const 0
                    local.get 2
                    i64.const 2
                    i64.shr_u
                    i64.const 3
                    i64.mul
                    local.tee 6
                    local.get 3
                    local.get 6
                    local.get 3
                    i64.gt_u
                    select
                    local.get 3
                    local.get 1
                    local.get 2
                    i64.lt_u
                    select
                    i64.store offset=33512
                    br 6 (;@2;)
                  end
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33632
                    i64.const 1
                    i64.gt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33688
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33672
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33656
                    i32.const 0
                    i64.const 0
                    i64.store offset=33632
                    i32.const 0
                    i32.const 0
                    i32.store offset=33704
                  end
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load16_u offset=33712
                      local.tee 4
                      br_if 0 (;@9;)
                      i64.const 10
                      local.set 2
                      br 1 (;@8;)
                    end
                    local.get 4
                    i64.extend_i32_u
                    local.tee 2
                    i64.const 10
                    i64.mul
                    local.tee 1
                    local.get 2
                    i64.const 1
                    i64.shl
                    local.tee 2
                    i64.const 14720
                    local.get 2
                    i64.const 14720
                    i64.gt_u
                    select
                    local.tee 2
                    local.get 1
                    local.get 2
                    i64.lt_u
                    select
                    local.set 2
                  end
                  local.get 0
                  i64.const 0
                  i64.store offset=232
                  local.get 0
                  i64.const 0
                  i64.store offset=224
                  local.get 0
                  i32.const 128
                  i32.add
                  i32.const 33632
                  i32.const 80
                  memory.copy
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33608
                    i64.eqz
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=33624
                    local.tee 5
                    i32.eqz
                    br_if 0 (;@8;)
                    local.get 5
                    i32.const 128
                    i32.const 8
                    call 11
                  end
                  i32.const 0
                  i64.const 0
                  i64.store offset=33504
                  i32.const 0
                  local.get 0
                  i64.load offset=216
                  i64.store offset=33512
                  i32.const 0
                  local.get 0
                  i64.load offset=224
                  i64.store offset=33520
                  i32.const 0
                  local.get 0
                  i64.load offset=232
                  i64.store offset=33528
                  i32.const 0
                  i64.const 0
                  i64.store offset=33608
                  i32.const 0
                  local.get 2
                  i64.store offset=33600
                  i32.const 0
                  i32.const 1000000000
                  i32.store offset=33592
                  i32.const 33616
                  local.get 0
                  i32.const 112
                  i32.add
                  i32.const 96
                  memory.copy
                  i32.const 0
                  local.get 4
                  i32.store16 offset=33712
                  br 5 (;@2;)
                end
                i32.const 0
                i32.const 1000000000
                i32.store offset=33592
                i32.const 0
                local.get 1
                i64.const 65535
                local.get 1
                i64.const 65535
                i64.lt_u
                select
                local.tee 2
                i64.store16 offset=33712
                i32.const 0
                i64.const 2
                local.get 2
                i64.const 1
                i64.shl
                local.get 1
                i64.eqz
                select
                local.tee 2
                i32.const 0
                i64.load offset=33600
                local.tee 1
                local.get 2
                local.get 1
                i64.gt_u
                select
                i64.store offset=33600
                br 4 (;@2;)
              end
              i64.const -1
              local.get 2
              i32.const 0
              i64.load16_u offset=33712
              i64.const 1
              i64.shl
              local.tee 3
              local.get 1
              local.get 3
              local.get 1
              i64.lt_u
              select
              local.get 1
              i32.const 0
              i64.load offset=33632
              i64.const 3
              i64.eq
              select
              i64.add
              local.tee 1
              local.get 1
              local.get 2
              i64.lt_u
              select
              local.set 1
              br 2 (;@3;)
            end
            i32.const 8
            i32.const 128
            call 12
            unreachable
          end
          local.get 14
          i64.const 2
          i64.ne
          br_if 1 (;@2;)
          block ;; label = @4
            i32.const 0
            i64.load offset=33608
            i64.eqz
            br_if 0 (;@4;)
            local.get 4
            i32.eqz
            br_if 0 (;@4;)
            local.get 4
            i32.const 128
            i32.const 8
            call 11
          end
          i32.const 0
          local.get 7
          i64.store offset=33616
          i32.const 0
          i64.const 1
          i64.store offset=33608
          i32.const 0
          i32.const 1000000000
          i32.store offset=33592
          i32.const 0
          i64.const 0
          i64.store offset=33520
          i32.const 0
          i64.const 2
          i32.const 0
          i64.load16_u offset=33712
          local.tee 2
          i64.const 1
          i64.shl
          local.get 2
          i64.eqz
          select
          i64.store offset=33600
          i32.const 0
          i32.const 0
          i32.store offset=33624
          br 1 (;@2;)
        end
        local.get 2
        local.get 6
        i64.gt_u
        br_if 1 (;@1;)
        i32.const 0
        local.get 2
        local.get 1
        local.get 6
        local.get 1
        local.get 6
        i64.lt_u
        select
        local.get 1
        local.get 2
        i64.lt_u
        select
        i64.store offset=33600
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33720
          i32.const 0
          i64.load offset=33600
          local.tee 2
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.load offset=33728
          i64.eqz
          br_if 1 (;@2;)
        end
        i32.const 0
        i64.const 0
        i64.store offset=33728
        i32.const 0
        local.get 2
        i64.store offset=33720
        local.get 2
        i64.const 0
        call 0
      end
      local.get 0
      i32.const 240
      i32.add
      global.set 0
      return
    end
    local.get 0
    local.get 2
    i64.store offset=96
    local.get 0
    local.get 6
    i64.store offset=104
    local.get 0
    i32.const 1
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.tee 2
    local.get 0
    i32.const 104
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=224
    local.get 0
    local.get 2
    local.get 0
    i32.const 96
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=216
    i32.const 32768
    local.get 0
    i32.const 216
    i32.add
    i32.const 32988
    call 13
    unreachable
  )
  (func (;8;) (type 7) (param i64 i32 i64 i64 i64 i64) (result i64)
    (local i32 i32 i32 i64 i64 i64 i64 i64 i64 i64 i64 i32 i64 i32)
    global.get 0
    i32.const 432
    i32.sub
    local.tee 6
    global.set 0
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i32.load offset=33592
        local.tee 7
        i32.const 1000000000
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        i32.load offset=33596
        local.set 8
        i32.const 0
        i64.load offset=33536
        local.set 9
        i32.const 0
        i64.load offset=33544
        local.set 10
        i32.const 0
        i64.load offset=33552
        local.set 11
        i32.const 0
        i64.load offset=33560
        local.set 12
        i32.const 0
        i64.load offset=33568
        local.set 13
        i32.const 0
        i64.load offset=33576
        local.set 14
        i32.const 0
        i64.load offset=33584
        local.set 15
        br 1 (;@1;)
      end
      local.get 6
      i32.const 416
      i32.add
      local.get 0
      i32.const 0
      i64.load offset=33520
      local.tee 10
      local.get 0
      local.get 10
      i64.gt_u
      select
      local.tee 9
      local.get 0
      i64.sub
      i64.const 0
      i64.const 5764607523034234880
      i64.const 0
      call 34
      local.get 6
      i32.const 400
      i32.add
      local.get 6
      i64.load offset=416
      local.get 6
      i64.load offset=424
      local.get 1
      i32.const 65535
      i32.and
      local.tee 7
      i32.const 1
      local.get 7
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      i64.const 1
      i64.shl
      i64.const 0
      call 36
      i32.const 44
      local.set 8
      i32.const 126
      local.set 7
      local.get 6
      i64.load offset=408
      local.set 11
      local.get 6
      i64.load offset=400
      local.set 13
      i64.const 0
      local.set 10
      i64.const 0
      local.set 16
      loop ;; label = @2
        local.get 6
        i32.const 384
        i32.add
        local.get 10
        local.get 16
        local.get 10
        i64.const 1
        i64.shl
        local.tee 12
        i64.const 1
        i64.or
        local.tee 15
        local.get 16
        i64.const 1
        i64.shl
        local.get 10
        i64.const 63
        i64.shr_u
        i64.or
        local.tee 14
        call 34
        local.get 6
        i32.const 368
        i32.add
        local.get 6
        i64.load offset=384
        local.get 6
        i64.load offset=392
        i64.const 6
        i64.const 0
        call 34
        local.get 6
        i32.const 336
        i32.add
        local.get 13
        local.get 11
        local.get 7
        call 37
        local.get 6
        i32.const 352
        i32.add
        local.get 6
        i64.load offset=368
        local.tee 16
        i64.const -1
        i64.xor
        local.get 6
        i64.load offset=376
        local.tee 10
        i64.const -1
        i64.xor
        local.get 7
        call 38
        local.get 6
        i64.load offset=360
        i64.const 0
        local.get 6
        i64.load offset=336
        local.get 16
        i64.gt_u
        local.get 6
        i64.load offset=344
        local.tee 16
        local.get 10
        i64.gt_u
        local.get 16
        local.get 10
        i64.eq
        select
        local.tee 17
        select
        local.get 11
        i64.add
        local.get 6
        i64.load offset=352
        i64.const 0
        local.get 17
        select
        local.tee 10
        local.get 13
        i64.add
        local.tee 13
        local.get 10
        i64.lt_u
        i64.extend_i32_u
        i64.add
        local.set 11
        local.get 15
        local.get 12
        local.get 17
        select
        local.set 10
        local.get 7
        i32.const -3
        i32.add
        local.set 7
        local.get 14
        local.set 16
        local.get 8
        i32.const -1
        i32.add
        local.tee 8
        i32.const 1
        i32.gt_u
        br_if 0 (;@2;)
      end
      i64.const 0
      local.set 12
      i32.const 0
      local.set 7
      i64.const 0
      local.set 15
      i64.const 0
      local.set 14
      local.get 0
      local.set 13
      local.get 3
      local.set 11
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          i64.const 0
          local.get 3
          local.get 4
          local.get 11
          local.get 4
          local.get 11
          i64.gt_u
          select
          i64.sub
          local.tee 11
          local.get 11
          local.get 3
          i64.gt_u
          select
          local.tee 4
          i64.const 1000000000
          i64.div_u
          local.tee 16
          local.get 15
          i64.add
          local.tee 11
          local.get 16
          i64.lt_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 7
            local.get 4
            local.get 16
            i64.const 1000000000
            i64.mul
            i64.sub
            i32.wrap_i64
            i32.add
            local.tee 7
            i32.const 1000000000
            i32.lt_u
            br_if 0 (;@4;)
            local.get 11
            i64.const -1
            i64.eq
            br_if 1 (;@3;)
            local.get 7
            i32.const -1000000000
            i32.add
            local.tee 7
            i32.const 1000000000
            i32.eq
            br_if 1 (;@3;)
            local.get 11
            i64.const 1
            i64.add
            local.set 11
          end
          local.get 6
          i32.const 320
          i32.add
          local.get 0
          i64.const 0
          i64.const 17
          i64.const 0
          call 34
          i64.const 9
          i64.const 17
          local.get 13
          i32.const 0
          i64.load offset=33528
          i64.lt_u
          select
          local.get 1
          i64.extend_i32_u
          i64.const 65535
          i64.and
          i64.mul
          local.set 4
          local.get 6
          i64.load offset=328
          i64.const 0
          i64.ne
          br_if 1 (;@2;)
          local.get 6
          i64.load offset=320
          local.set 16
          br 2 (;@1;)
        end
        call 20
        unreachable
      end
      i64.const -1
      local.set 16
    end
    local.get 6
    i32.const 304
    i32.add
    local.get 4
    i64.const 0
    local.get 2
    i64.const 0
    call 34
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 6
            i64.load offset=312
            i64.const 0
            i64.ne
            br_if 0 (;@4;)
            local.get 6
            i64.load offset=304
            local.tee 18
            local.get 14
            i64.add
            local.tee 15
            local.get 18
            i64.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 16
              i64.eqz
              br_if 0 (;@5;)
              local.get 15
              local.get 15
              local.get 16
              i64.div_u
              local.tee 14
              local.get 16
              i64.mul
              i64.sub
              local.set 15
              br 2 (;@3;)
            end
            i32.const 33472
            call 21
            unreachable
          end
          local.get 16
          i64.eqz
          br_if 1 (;@2;)
          local.get 6
          i32.const 288
          i32.add
          local.get 4
          i64.const 0
          local.get 2
          i64.const 0
          call 34
          local.get 6
          i32.const 272
          i32.add
          local.get 6
          i64.load offset=288
          local.tee 4
          local.get 14
          i64.add
          local.tee 15
          local.get 6
          i64.load offset=296
          local.get 15
          local.get 4
          i64.lt_u
          i64.extend_i32_u
          i64.add
          local.get 16
          i64.const 0
          call 36
          local.get 6
          i32.const 256
          i32.add
          local.get 6
          i64.load offset=272
          local.tee 14
          local.get 6
          i64.load offset=280
          local.tee 4
          local.get 16
          i64.const 0
          call 34
          local.get 14
          i64.const -1
          local.get 4
          i64.eqz
          select
          local.set 14
          local.get 15
          local.get 6
          i64.load offset=256
          i64.sub
          local.set 15
        end
        i64.const -1
        local.get 13
        local.get 14
        i64.add
        local.tee 16
        local.get 16
        local.get 13
        i64.lt_u
        select
        local.set 13
        local.get 1
        i32.const 65535
        i32.and
        i32.const 1
        i32.shl
        local.set 17
        block ;; label = @3
          block ;; label = @4
            local.get 7
            i64.extend_i32_u
            i64.const 20
            i64.shl
            i64.const 1000000000
            i64.div_u
            local.get 11
            i64.const 20
            i64.shl
            i64.or
            local.tee 16
            local.get 10
            i64.lt_u
            br_if 0 (;@4;)
            local.get 6
            i32.const 240
            i32.add
            local.get 16
            local.get 10
            i64.sub
            local.tee 16
            i64.const 1099511627776
            local.get 16
            i64.const 1099511627776
            i64.lt_u
            select
            local.tee 16
            i64.const 0
            local.get 16
            i64.const 0
            call 34
            local.get 6
            i32.const 224
            i32.add
            local.get 6
            i64.load offset=240
            local.get 6
            i64.load offset=248
            local.get 16
            i64.const 0
            call 34
            local.get 6
            i32.const 208
            i32.add
            local.get 6
            i64.load offset=224
            i64.const 20
            i64.shr_u
            local.get 6
            i64.load offset=232
            local.tee 16
            i64.const 44
            i64.shl
            i64.or
            local.get 16
            i64.const 20
            i64.shr_u
            local.get 17
            i64.extend_i32_u
            i64.const 0
            call 34
            i64.const 3689348814741910323
            local.set 16
            block ;; label = @5
              local.get 6
              i64.load offset=216
              local.tee 14
              i64.const 1099511627775
              i64.gt_u
              br_if 0 (;@5;)
              local.get 6
              i64.load offset=208
              i64.const 40
              i64.shr_u
              local.get 14
              i64.const 24
              i64.shl
              i64.or
              i64.const 5
              i64.div_u
              local.set 16
            end
            i64.const -1
            local.get 9
            local.get 16
            i64.add
            local.tee 16
            local.get 16
            local.get 9
            i64.lt_u
            select
            local.set 16
            br 1 (;@3;)
          end
          local.get 6
          i32.const 192
          i32.add
          local.get 10
          local.get 16
          i64.sub
          local.tee 16
          i64.const 1099511627776
          local.get 16
          i64.const 1099511627776
          i64.lt_u
          select
          local.tee 16
          i64.const 0
          local.get 16
          i64.const 0
          call 34
          local.get 6
          i32.const 176
          i32.add
          local.get 6
          i64.load offset=192
          local.get 6
          i64.load offset=200
          local.get 16
          i64.const 0
          call 34
          local.get 6
          i32.const 160
          i32.add
          local.get 6
          i64.load offset=176
          i64.const 20
          i64.shr_u
          local.get 6
          i64.load offset=184
          local.tee 16
          i64.const 44
          i64.shl
          i64.or
          local.get 16
          i64.const 20
          i64.shr_u
          local.get 17
          i64.extend_i32_u
          i64.const 0
          call 34
          i64.const 3689348814741910323
          local.set 16
          block ;; label = @4
            local.get 6
            i64.load offset=168
            local.tee 14
            i64.const 1099511627775
            i64.gt_u
            br_if 0 (;@4;)
            local.get 6
            i64.load offset=160
            i64.const 40
            i64.shr_u
            local.get 14
            i64.const 24
            i64.shl
            i64.or
            i64.const 5
            i64.div_u
            local.set 16
          end
          i64.const 0
          local.get 9
          local.get 16
          i64.sub
          local.tee 16
          local.get 16
          local.get 9
          i64.gt_u
          select
          local.set 16
        end
        block ;; label = @3
          block ;; label = @4
            local.get 16
            local.get 13
            i64.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              block ;; label = @6
                local.get 11
                local.get 5
                i64.const 1000000000
                i64.div_u
                local.tee 14
                i64.add
                local.tee 16
                local.get 11
                i64.ge_u
                br_if 0 (;@6;)
                i32.const 1000000000
                local.set 1
                br 1 (;@5;)
              end
              i32.const 1000000000
              local.set 1
              block ;; label = @6
                local.get 7
                local.get 5
                local.get 14
                i64.const 1000000000
                i64.mul
                i64.sub
                i32.wrap_i64
                i32.add
                local.tee 19
                i32.const 1000000000
                i32.ge_u
                br_if 0 (;@6;)
                local.get 19
                local.set 1
                br 1 (;@5;)
              end
              block ;; label = @6
                local.get 16
                i64.const -1
                i64.ne
                br_if 0 (;@6;)
                br 1 (;@5;)
              end
              local.get 19
              i32.const -1000000000
              i32.add
              local.set 1
              local.get 16
              i64.const 1
              i64.add
              local.set 16
            end
            block ;; label = @5
              block ;; label = @6
                i32.const 999999999
                local.get 1
                local.get 1
                i32.const 1000000000
                i32.eq
                local.tee 19
                select
                i64.extend_i32_u
                i64.const 20
                i64.shl
                i64.const 1000000000
                i64.div_u
                i64.const -1048576
                local.get 16
                i64.const 20
                i64.shl
                local.get 19
                select
                i64.or
                local.tee 16
                local.get 10
                i64.lt_u
                br_if 0 (;@6;)
                local.get 6
                i32.const 144
                i32.add
                local.get 16
                local.get 10
                i64.sub
                local.tee 16
                i64.const 1099511627776
                local.get 16
                i64.const 1099511627776
                i64.lt_u
                select
                local.tee 16
                i64.const 0
                local.get 16
                i64.const 0
                call 34
                local.get 6
                i32.const 128
                i32.add
                local.get 6
                i64.load offset=144
                local.get 6
                i64.load offset=152
                local.get 16
                i64.const 0
                call 34
                local.get 6
                i32.const 112
                i32.add
                local.get 6
                i64.load offset=128
                i64.const 20
                i64.shr_u
                local.get 6
                i64.load offset=136
                local.tee 16
                i64.const 44
                i64.shl
                i64.or
                local.get 16
                i64.const 20
                i64.shr_u
                local.get 17
                i64.extend_i32_u
                i64.const 0
                call 34
                i64.const 3689348814741910323
                local.set 16
                block ;; label = @7
                  local.get 6
                  i64.load offset=120
                  local.tee 14
                  i64.const 1099511627775
                  i64.gt_u
                  br_if 0 (;@7;)
                  local.get 6
                  i64.load offset=112
                  i64.const 40
                  i64.shr_u
                  local.get 14
                  i64.const 24
                  i64.shl
                  i64.or
                  i64.const 5
                  i64.div_u
                  local.set 16
                end
                i64.const -1
                local.get 9
                local.get 16
                i64.add
                local.tee 16
                local.get 16
                local.get 9
                i64.lt_u
                select
                local.set 16
                br 1 (;@5;)
              end
              local.get 6
              i32.const 96
              i32.add
              local.get 10
              local.get 16
              i64.sub
              local.tee 16
              i64.const 1099511627776
              local.get 16
              i64.const 1099511627776
              i64.lt_u
              select
              local.tee 16
              i64.const 0
              local.get 16
              i64.const 0
              call 34
              local.get 6
              i32.const 80
              i32.add
              local.get 6
              i64.load offset=96
              local.get 6
              i64.load offset=104
              local.get 16
              i64.const 0
              call 34
              local.get 6
              i32.const 64
              i32.add
              local.get 6
              i64.load offset=80
              i64.const 20
              i64.shr_u
              local.get 6
              i64.load offset=88
              local.tee 16
              i64.const 44
              i64.shl
              i64.or
              local.get 16
              i64.const 20
              i64.shr_u
              local.get 17
              i64.extend_i32_u
              i64.const 0
              call 34
              i64.const 3689348814741910323
              local.set 16
              block ;; label = @6
                local.get 6
                i64.load offset=72
                local.tee 14
                i64.const 1099511627775
                i64.gt_u
                br_if 0 (;@6;)
                local.get 6
                i64.load offset=64
                i64.const 40
                i64.shr_u
                local.get 14
                i64.const 24
                i64.shl
                i64.or
                i64.const 5
                i64.div_u
                local.set 16
              end
              i64.const 0
              local.get 9
              local.get 16
              i64.sub
              local.tee 16
              local.get 16
              local.get 9
              i64.gt_u
              select
              local.set 16
            end
            local.get 6
            i32.const 48
            i32.add
            i64.const 0
            local.get 16
            i64.const -1
            local.get 0
            local.get 0
            i64.const 1
            i64.shr_u
            i64.add
            local.tee 14
            local.get 14
            local.get 0
            i64.lt_u
            select
            local.tee 14
            local.get 16
            local.get 14
            i64.lt_u
            select
            local.get 0
            i64.sub
            local.get 16
            local.get 0
            i64.lt_u
            select
            local.tee 4
            i64.const 0
            local.get 2
            i64.const 0
            call 34
            block ;; label = @5
              block ;; label = @6
                local.get 6
                i64.load offset=56
                i64.const 0
                i64.ne
                br_if 0 (;@6;)
                local.get 6
                i64.load offset=48
                local.tee 14
                local.get 12
                i64.add
                local.tee 16
                local.get 14
                i64.lt_u
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 0
                  i64.eqz
                  br_if 0 (;@7;)
                  local.get 16
                  local.get 16
                  local.get 0
                  i64.div_u
                  local.tee 14
                  local.get 0
                  i64.mul
                  i64.sub
                  local.set 12
                  br 2 (;@5;)
                end
                i32.const 33472
                call 21
                unreachable
              end
              local.get 0
              i64.eqz
              br_if 4 (;@1;)
              local.get 6
              i32.const 32
              i32.add
              local.get 4
              i64.const 0
              local.get 2
              i64.const 0
              call 34
              local.get 6
              i32.const 16
              i32.add
              local.get 6
              i64.load offset=32
              local.tee 14
              local.get 12
              i64.add
              local.tee 16
              local.get 6
              i64.load offset=40
              local.get 16
              local.get 14
              i64.lt_u
              i64.extend_i32_u
              i64.add
              local.get 0
              i64.const 0
              call 36
              local.get 6
              local.get 6
              i64.load offset=16
              local.tee 12
              local.get 6
              i64.load offset=24
              local.tee 14
              local.get 0
              i64.const 0
              call 34
              local.get 12
              i64.const -1
              local.get 14
              i64.eqz
              select
              local.set 14
              local.get 16
              local.get 6
              i64.load
              i64.sub
              local.set 12
            end
            i64.const -1
            local.get 0
            local.get 14
            i64.add
            local.tee 16
            local.get 16
            local.get 0
            i64.lt_u
            select
            local.set 16
            br 1 (;@3;)
          end
          local.get 0
          local.get 13
          local.get 0
          local.get 13
          i64.gt_u
          select
          local.set 16
        end
        i32.const 0
        local.get 8
        i32.store offset=33596
        i32.const 0
        local.get 7
        i32.store offset=33592
        i32.const 0
        local.get 11
        i64.store offset=33584
        i32.const 0
        local.get 15
        i64.store offset=33576
        i32.const 0
        local.get 13
        i64.store offset=33568
        i32.const 0
        local.get 12
        i64.store offset=33560
        i32.const 0
        local.get 3
        i64.store offset=33552
        i32.const 0
        local.get 10
        i64.store offset=33544
        i32.const 0
        local.get 9
        i64.store offset=33536
        local.get 6
        i32.const 432
        i32.add
        global.set 0
        local.get 16
        return
      end
      i32.const 33488
      call 21
      unreachable
    end
    i32.const 33488
    call 21
    unreachable
  )
  (func (;9;) (type 8) (param i32 i64 i32 i32)
    (local i32 i64 i64 i32 i32 i64 i32 i32)
    i32.const 0
    local.set 4
    block ;; label = @1
      block ;; label = @2
        i32.const 0
        i64.load offset=33632
        local.tee 5
        i64.const 2
        i64.lt_u
        br_if 0 (;@2;)
        local.get 3
        i64.extend_i32_u
        i64.const 65535
        i64.and
        i64.const 1
        i64.shl
        local.tee 6
        local.get 2
        i64.load
        local.tee 1
        local.get 6
        local.get 1
        i64.lt_u
        select
        local.get 1
        local.get 5
        i64.const 3
        i64.eq
        select
        local.set 5
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          local.get 5
          i64.const 1
          i64.ne
          br_if 0 (;@3;)
          local.get 2
          i64.load offset=8
          i32.const 0
          i64.load offset=33640
          i64.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.get 1
        i64.store offset=33640
        i32.const 0
        i64.const 1
        i64.store offset=33632
        i32.const 0
        i32.load offset=33672
        local.set 3
        i32.const 0
        i32.const 1000000000
        i32.store offset=33672
        i32.const 0
        local.get 3
        i32.store offset=33656
        i32.const 0
        i32.const 0
        i64.load offset=33664
        i64.store offset=33648
        i32.const 0
        i32.const 0
        i32.store offset=33704
        i32.const 0
        i32.load offset=33688
        i32.const 1000000000
        i32.eq
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        i32.load offset=33696
        i32.const -1
        i32.add
        local.tee 3
        i32.store offset=33696
        local.get 3
        br_if 0 (;@2;)
        i32.const 1
        local.set 4
        i64.const 0
        local.set 5
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 2
              i32.load offset=88
              i32.const 1000000000
              i32.ne
              br_if 0 (;@5;)
              i32.const 0
              i32.load offset=33688
              local.set 3
              br 1 (;@4;)
            end
            local.get 2
            i32.load offset=72
            local.set 7
            local.get 2
            i64.load offset=64
            local.set 5
            block ;; label = @5
              i32.const 0
              i32.load offset=33672
              local.tee 3
              i32.const 1000000000
              i32.eq
              br_if 0 (;@5;)
              local.get 7
              local.get 3
              local.get 7
              local.get 3
              i32.lt_u
              local.get 5
              i32.const 0
              i64.load offset=33664
              local.tee 1
              i64.lt_u
              local.get 5
              local.get 1
              i64.eq
              select
              local.tee 8
              select
              local.set 7
              local.get 5
              local.get 1
              local.get 8
              select
              local.set 5
            end
            i32.const 0
            local.get 7
            i32.store offset=33672
            i32.const 0
            local.get 5
            i64.store offset=33664
            i32.const 0
            i32.const 0
            i32.load offset=33704
            i32.const 1
            i32.add
            local.tee 8
            i32.store offset=33704
            i32.const 0
            i32.load offset=33688
            local.set 3
            local.get 8
            i32.const 8
            i32.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 3
              i32.const 1000000000
              i32.eq
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 7
                local.get 3
                i32.lt_u
                local.get 5
                i32.const 0
                i64.load offset=33680
                local.tee 1
                i64.lt_u
                local.get 5
                local.get 1
                i64.eq
                select
                i32.eqz
                br_if 0 (;@6;)
                i32.const 0
                i32.const 1000000000
                i32.store offset=33688
                br 3 (;@3;)
              end
              i64.const 2
              local.set 5
              br 3 (;@2;)
            end
            i32.const 0
            i32.load offset=33656
            local.tee 3
            i32.const 1000000000
            i32.eq
            br_if 1 (;@3;)
            i32.const 0
            i64.load offset=33648
            local.tee 1
            i32.wrap_i64
            i32.const 7
            i32.and
            i32.const 125000000
            i32.mul
            local.get 3
            i32.const 3
            i32.shr_u
            i32.add
            local.set 8
            i64.const 0
            local.set 6
            block ;; label = @5
              block ;; label = @6
                local.get 1
                i64.const 3
                i64.shr_u
                local.tee 9
                i64.const 0
                i64.ne
                br_if 0 (;@6;)
                i32.const 4000000
                local.set 10
                local.get 8
                i32.const 4000000
                i32.lt_u
                br_if 1 (;@5;)
              end
              i32.const 16000000
              local.get 8
              local.get 8
              i32.const 16000000
              i32.gt_u
              local.get 9
              i64.const 0
              i64.ne
              local.get 9
              i64.eqz
              select
              local.tee 11
              select
              local.set 10
              i64.const 0
              local.get 9
              local.get 11
              select
              local.set 6
            end
            block ;; label = @5
              local.get 6
              local.get 1
              i64.add
              local.tee 1
              local.get 6
              i64.lt_u
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 10
                local.get 3
                i32.add
                local.tee 3
                i32.const 1000000000
                i32.lt_u
                br_if 0 (;@6;)
                local.get 1
                i64.const -1
                i64.eq
                br_if 1 (;@5;)
                local.get 3
                i32.const -1000000000
                i32.add
                local.set 3
                local.get 1
                i64.const 1
                i64.add
                local.set 1
              end
              local.get 7
              local.get 3
              i32.ge_u
              local.get 5
              local.get 1
              i64.ge_u
              local.get 5
              local.get 1
              i64.eq
              select
              i32.eqz
              br_if 2 (;@3;)
              i32.const 0
              i32.const 5
              i32.store offset=33696
              i32.const 0
              local.get 7
              i32.store offset=33688
              i32.const 0
              local.get 5
              i64.store offset=33680
              i64.const 2
              local.set 5
              br 3 (;@2;)
            end
            call 20
            unreachable
          end
          local.get 3
          i32.const 1000000000
          i32.eq
          br_if 0 (;@3;)
          i64.const 2
          local.set 5
          br 1 (;@2;)
        end
        i64.const 0
        local.set 5
      end
      local.get 2
      i64.load
      local.get 5
      i64.shr_u
      local.set 5
    end
    local.get 0
    local.get 4
    i32.store8 offset=8
    local.get 0
    local.get 5
    i64.store
  )
  (func (;10;) (type 1) (param i32 i32) (result i32)
    local.get 0
    call 29
  )
  (func (;11;) (type 9) (param i32 i32 i32)
    (local i32 i32)
    block ;; label = @1
      block ;; label = @2
        local.get 0
        i32.const -4
        i32.add
        i32.load
        local.tee 3
        i32.const -8
        i32.and
        local.tee 4
        i32.const 4
        i32.const 8
        local.get 3
        i32.const 3
        i32.and
        local.tee 3
        select
        local.get 1
        i32.add
        i32.lt_u
        br_if 0 (;@2;)
        block ;; label = @3
          local.get 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 4
          local.get 1
          i32.const 39
          i32.add
          i32.gt_u
          br_if 2 (;@1;)
        end
        local.get 0
        call 32
        return
      end
      i32.const 33295
      i32.const 33344
      call 19
      unreachable
    end
    i32.const 33360
    i32.const 33408
    call 19
    unreachable
  )
  (func (;12;) (type 2) (param i32 i32)
    local.get 1
    local.get 0
    call 14
    unreachable
  )
  (func (;13;) (type 9) (param i32 i32 i32)
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
    call 16
    unreachable
  )
  (func (;14;) (type 2) (param i32 i32)
    local.get 1
    local.get 0
    call 33
    unreachable
  )
  (func (;15;) (type 1) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    local.get 0
    i32.load offset=4
    local.set 2
    local.get 0
    i32.load
    local.set 3
    block ;; label = @1
      block ;; label = @2
        local.get 1
        i32.load offset=8
        local.tee 4
        i32.const 402653184
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          block ;; label = @4
            local.get 4
            i32.const 268435456
            i32.and
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 2
              i32.const 16
              i32.lt_u
              br_if 0 (;@5;)
              local.get 2
              local.get 3
              local.get 3
              i32.const 3
              i32.add
              i32.const -4
              i32.and
              local.tee 5
              i32.sub
              local.tee 6
              i32.add
              local.tee 7
              i32.const 3
              i32.and
              local.set 8
              i32.const 0
              local.set 9
              i32.const 0
              local.set 0
              block ;; label = @6
                local.get 3
                local.get 5
                i32.eq
                br_if 0 (;@6;)
                i32.const 0
                local.set 10
                i32.const 0
                local.set 0
                block ;; label = @7
                  local.get 6
                  i32.const -4
                  i32.gt_u
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 10
                  i32.const 0
                  local.set 0
                  loop ;; label = @8
                    local.get 0
                    local.get 3
                    local.get 10
                    i32.add
                    local.tee 11
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 11
                    i32.const 1
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 11
                    i32.const 2
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.get 11
                    i32.const 3
                    i32.add
                    i32.load8_s
                    i32.const -65
                    i32.gt_s
                    i32.add
                    local.set 0
                    local.get 10
                    i32.const 4
                    i32.add
                    local.tee 10
                    br_if 0 (;@8;)
                  end
                end
                local.get 3
                local.get 10
                i32.add
                local.set 11
                loop ;; label = @7
                  local.get 0
                  local.get 11
                  i32.load8_s
                  i32.const -65
                  i32.gt_s
                  i32.add
                  local.set 0
                  local.get 11
                  i32.const 1
                  i32.add
                  local.set 11
                  local.get 6
                  i32.const 1
                  i32.add
                  local.tee 6
                  br_if 0 (;@7;)
                end
              end
              block ;; label = @6
                local.get 8
                i32.eqz
                br_if 0 (;@6;)
                local.get 5
                local.get 7
                i32.const 2147483644
                i32.and
                i32.add
                local.tee 11
                i32.load8_s
                i32.const -65
                i32.gt_s
                local.set 9
                local.get 8
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                local.get 9
                local.get 11
                i32.load8_s offset=1
                i32.const -65
                i32.gt_s
                i32.add
                local.set 9
                local.get 8
                i32.const 2
                i32.eq
                br_if 0 (;@6;)
                local.get 9
                local.get 11
                i32.load8_s offset=2
                i32.const -65
                i32.gt_s
                i32.add
                local.set 9
              end
              local.get 7
              i32.const 2
              i32.shr_u
              local.set 8
              local.get 9
              local.get 0
              i32.add
              local.set 10
              loop ;; label = @6
                local.get 5
                local.set 9
                local.get 8
                i32.eqz
                br_if 3 (;@3;)
                local.get 8
                i32.const 192
                local.get 8
                i32.const 192
                i32.lt_u
                select
                local.tee 7
                i32.const 3
                i32.and
                local.set 12
                block ;; label = @7
                  block ;; label = @8
                    local.get 7
                    i32.const 2
                    i32.shl
                    local.tee 13
                    i32.const 1008
                    i32.and
                    local.tee 0
                    br_if 0 (;@8;)
                    i32.const 0
                    local.set 11
                    br 1 (;@7;)
                  end
                  local.get 9
                  local.get 0
                  i32.add
                  local.set 6
                  i32.const 0
                  local.set 11
                  local.get 9
                  local.set 0
                  loop ;; label = @8
                    local.get 0
                    i32.const 12
                    i32.add
                    i32.load
                    local.tee 5
                    i32.const -1
                    i32.xor
                    i32.const 7
                    i32.shr_u
                    local.get 5
                    i32.const 6
                    i32.shr_u
                    i32.or
                    i32.const 16843009
                    i32.and
                    local.get 0
                    i32.const 8
                    i32.add
                    i32.load
                    local.tee 5
                    i32.const -1
                    i32.xor
                    i32.const 7
                    i32.shr_u
                    local.get 5
                    i32.const 6
                    i32.shr_u
                    i32.or
                    i32.const 16843009
                    i32.and
                    local.get 0
                    i32.const 4
                    i32.add
                    i32.load
                    local.tee 5
                    i32.const -1
                    i32.xor
                    i32.const 7
                    i32.shr_u
                    local.get 5
                    i32.const 6
                    i32.shr_u
                    i32.or
                    i32.const 16843009
                    i32.and
                    local.get 0
                    i32.load
                    local.tee 5
                    i32.const -1
                    i32.xor
                    i32.const 7
                    i32.shr_u
                    local.get 5
                    i32.const 6
                    i32.shr_u
                    i32.or
                    i32.const 16843009
                    i32.and
                    local.get 11
                    i32.add
                    i32.add
                    i32.add
                    i32.add
                    local.set 11
                    local.get 0
                    i32.const 16
                    i32.add
                    local.tee 0
                    local.get 6
                    i32.ne
                    br_if 0 (;@8;)
                  end
                end
                local.get 8
                local.get 7
                i32.sub
                local.set 8
                local.get 9
                local.get 13
                i32.add
                local.set 5
                local.get 11
                i32.const 8
                i32.shr_u
                i32.const 16711935
                i32.and
                local.get 11
                i32.const 16711935
                i32.and
                i32.add
                i32.const 65537
                i32.mul
                i32.const 16
                i32.shr_u
                local.get 10
                i32.add
                local.set 10
                local.get 12
                i32.eqz
                br_if 0 (;@6;)
              end
              local.get 9
              local.get 7
              i32.const 252
              i32.and
              i32.const 2
              i32.shl
              i32.add
              local.tee 11
              i32.load
              local.tee 0
              i32.const -1
              i32.xor
              i32.const 7
              i32.shr_u
              local.get 0
              i32.const 6
              i32.shr_u
              i32.or
              i32.const 16843009
              i32.and
              local.set 0
              block ;; label = @6
                local.get 12
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                local.get 11
                i32.load offset=4
                local.tee 5
                i32.const -1
                i32.xor
                i32.const 7
                i32.shr_u
                local.get 5
                i32.const 6
                i32.shr_u
                i32.or
                i32.const 16843009
                i32.and
                local.get 0
                i32.add
                local.set 0
                local.get 12
                i32.const 2
                i32.eq
                br_if 0 (;@6;)
                local.get 11
                i32.load offset=8
                local.tee 11
                i32.const -1
                i32.xor
                i32.const 7
                i32.shr_u
                local.get 11
                i32.const 6
                i32.shr_u
                i32.or
                i32.const 16843009
                i32.and
                local.get 0
                i32.add
                local.set 0
              end
              local.get 0
              i32.const 8
              i32.shr_u
              i32.const 459007
              i32.and
              local.get 0
              i32.const 16711935
              i32.and
              i32.add
              i32.const 65537
              i32.mul
              i32.const 16
              i32.shr_u
              local.get 10
              i32.add
              local.set 10
              br 2 (;@3;)
            end
            block ;; label = @5
              local.get 2
              br_if 0 (;@5;)
              i32.const 0
              local.set 10
              br 2 (;@3;)
            end
            local.get 2
            i32.const 3
            i32.and
            local.set 11
            i32.const 0
            local.set 5
            i32.const 0
            local.set 10
            block ;; label = @5
              local.get 2
              i32.const 4
              i32.lt_u
              br_if 0 (;@5;)
              local.get 2
              i32.const 12
              i32.and
              local.set 6
              i32.const 0
              local.set 10
              i32.const 0
              local.set 5
              loop ;; label = @6
                local.get 10
                local.get 3
                local.get 5
                i32.add
                local.tee 0
                i32.load8_s
                i32.const -65
                i32.gt_s
                i32.add
                local.get 0
                i32.const 1
                i32.add
                i32.load8_s
                i32.const -65
                i32.gt_s
                i32.add
                local.get 0
                i32.const 2
                i32.add
                i32.load8_s
                i32.const -65
                i32.gt_s
                i32.add
                local.get 0
                i32.const 3
                i32.add
                i32.load8_s
                i32.const -65
                i32.gt_s
                i32.add
                local.set 10
                local.get 6
                local.get 5
                i32.const 4
                i32.add
                local.tee 5
                i32.ne
                br_if 0 (;@6;)
              end
              local.get 11
              i32.eqz
              br_if 2 (;@3;)
            end
            local.get 3
            local.get 5
            i32.add
            local.set 0
            loop ;; label = @5
              local.get 10
              local.get 0
              i32.load8_s
              i32.const -65
              i32.gt_s
              i32.add
              local.set 10
              local.get 0
              i32.const 1
              i32.add
              local.set 0
              local.get 11
              i32.const -1
              i32.add
              local.tee 11
              br_if 0 (;@5;)
              br 2 (;@3;)
            end
          end
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 1
                i32.load16_u offset=14
                local.tee 10
                br_if 0 (;@6;)
                i32.const 0
                local.set 2
                br 1 (;@5;)
              end
              local.get 3
              local.get 2
              i32.add
              local.set 6
              i32.const 0
              local.set 2
              local.get 3
              local.set 11
              local.get 10
              local.set 5
              loop ;; label = @6
                local.get 11
                local.tee 0
                local.get 6
                i32.eq
                br_if 2 (;@4;)
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    i32.load8_s
                    local.tee 11
                    i32.const -1
                    i32.le_s
                    br_if 0 (;@8;)
                    local.get 0
                    i32.const 1
                    i32.add
                    local.set 11
                    br 1 (;@7;)
                  end
                  block ;; label = @8
                    local.get 11
                    i32.const -32
                    i32.ge_u
                    br_if 0 (;@8;)
                    local.get 0
                    i32.const 2
                    i32.add
                    local.set 11
                    br 1 (;@7;)
                  end
                  local.get 0
                  i32.const 4
                  i32.const 3
                  local.get 11
                  i32.const -17
                  i32.gt_u
                  select
                  i32.add
                  local.set 11
                end
                local.get 11
                local.get 0
                i32.sub
                local.get 2
                i32.add
                local.set 2
                local.get 5
                i32.const -1
                i32.add
                local.tee 5
                br_if 0 (;@6;)
              end
            end
            i32.const 0
            local.set 5
          end
          local.get 10
          local.get 5
          i32.sub
          local.set 10
        end
        local.get 10
        local.get 1
        i32.load16_u offset=12
        local.tee 0
        i32.lt_u
        br_if 1 (;@1;)
      end
      local.get 1
      i32.load
      local.get 3
      local.get 2
      local.get 1
      i32.load offset=4
      i32.load offset=12
      call_indirect (type 0)
      return
    end
    local.get 0
    local.get 10
    i32.sub
    local.set 9
    i32.const 0
    local.set 0
    i32.const 0
    local.set 8
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 4
          i32.const 29
          i32.shr_u
          i32.const 3
          i32.and
          br_table 2 (;@1;) 0 (;@3;) 1 (;@2;) 2 (;@1;) 2 (;@1;)
        end
        local.get 9
        local.set 8
        br 1 (;@1;)
      end
      local.get 9
      i32.const 65534
      i32.and
      i32.const 1
      i32.shr_u
      local.set 8
    end
    local.get 4
    i32.const 2097151
    i32.and
    local.set 10
    local.get 1
    i32.load offset=4
    local.set 11
    local.get 1
    i32.load
    local.set 5
    block ;; label = @1
      block ;; label = @2
        loop ;; label = @3
          local.get 0
          i32.const 65535
          i32.and
          local.get 8
          i32.const 65535
          i32.and
          i32.ge_u
          br_if 1 (;@2;)
          i32.const 1
          local.set 6
          local.get 0
          i32.const 1
          i32.add
          local.set 0
          local.get 5
          local.get 10
          local.get 11
          i32.load offset=16
          call_indirect (type 1)
          i32.eqz
          br_if 0 (;@3;)
          br 2 (;@1;)
        end
      end
      i32.const 1
      local.set 6
      local.get 5
      local.get 3
      local.get 2
      local.get 11
      i32.load offset=12
      call_indirect (type 0)
      br_if 0 (;@1;)
      local.get 9
      local.get 8
      i32.sub
      i32.const 65535
      i32.and
      local.set 8
      i32.const 0
      local.set 0
      loop ;; label = @2
        block ;; label = @3
          local.get 0
          i32.const 65535
          i32.and
          local.get 8
          i32.lt_u
          br_if 0 (;@3;)
          i32.const 0
          return
        end
        i32.const 1
        local.set 6
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 5
        local.get 10
        local.get 11
        i32.load offset=16
        call_indirect (type 1)
        i32.eqz
        br_if 0 (;@2;)
      end
    end
    local.get 6
  )
  (func (;16;) (type 10) (param i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    local.get 0
    i64.load align=4
    local.set 2
    local.get 1
    local.get 0
    i32.store offset=12
    local.get 1
    local.get 2
    i64.store offset=4 align=4
    local.get 1
    i32.const 4
    i32.add
    call 26
    unreachable
  )
  (func (;17;) (type 11) (param i32 i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i64)
    local.get 0
    i32.load offset=8
    local.tee 5
    i32.const 2097152
    i32.and
    local.tee 6
    i32.const 21
    i32.shr_u
    local.get 4
    i32.add
    local.set 7
    block ;; label = @1
      block ;; label = @2
        local.get 5
        i32.const 8388608
        i32.and
        br_if 0 (;@2;)
        i32.const 0
        local.set 1
        br 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          local.get 2
          br_if 0 (;@3;)
          i32.const 0
          local.set 8
          br 1 (;@2;)
        end
        local.get 1
        i32.load8_s
        i32.const -65
        i32.gt_s
        local.set 8
        local.get 2
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        local.get 8
        local.get 1
        i32.load8_s offset=1
        i32.const -65
        i32.gt_s
        i32.add
        local.set 8
      end
      local.get 8
      local.get 7
      i32.add
      local.set 7
    end
    i32.const 43
    i32.const 1114112
    local.get 6
    select
    local.set 9
    block ;; label = @1
      block ;; label = @2
        local.get 7
        local.get 0
        i32.load16_u offset=12
        local.tee 10
        i32.ge_u
        br_if 0 (;@2;)
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 5
              i32.const 16777216
              i32.and
              br_if 0 (;@5;)
              local.get 10
              local.get 7
              i32.sub
              local.set 10
              i32.const 0
              local.set 6
              i32.const 0
              local.set 11
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 5
                    i32.const 29
                    i32.shr_u
                    i32.const 3
                    i32.and
                    br_table 2 (;@6;) 0 (;@8;) 1 (;@7;) 0 (;@8;) 2 (;@6;)
                  end
                  local.get 10
                  local.set 11
                  br 1 (;@6;)
                end
                local.get 10
                i32.const 65534
                i32.and
                i32.const 1
                i32.shr_u
                local.set 11
              end
              local.get 5
              i32.const 2097151
              i32.and
              local.set 8
              local.get 0
              i32.load offset=4
              local.set 7
              local.get 0
              i32.load
              local.set 0
              loop ;; label = @6
                local.get 6
                i32.const 65535
                i32.and
                local.get 11
                i32.const 65535
                i32.and
                i32.ge_u
                br_if 2 (;@4;)
                i32.const 1
                local.set 5
                local.get 6
                i32.const 1
                i32.add
                local.set 6
                local.get 0
                local.get 8
                local.get 7
                i32.load offset=16
                call_indirect (type 1)
                i32.eqz
                br_if 0 (;@6;)
                br 5 (;@1;)
              end
            end
            local.get 0
            local.get 0
            i64.load offset=8 align=4
            local.tee 12
            i32.wrap_i64
            i32.const -1612709888
            i32.and
            i32.const 536870960
            i32.or
            i32.store offset=8
            i32.const 1
            local.set 5
            local.get 0
            i32.load
            local.tee 8
            local.get 0
            i32.load offset=4
            local.tee 11
            local.get 9
            local.get 1
            local.get 2
            call 18
            br_if 3 (;@1;)
            i32.const 0
            local.set 6
            local.get 10
            local.get 7
            i32.sub
            i32.const 65535
            i32.and
            local.set 7
            loop ;; label = @5
              local.get 6
              i32.const 65535
              i32.and
              local.get 7
              i32.ge_u
              br_if 2 (;@3;)
              i32.const 1
              local.set 5
              local.get 6
              i32.const 1
              i32.add
              local.set 6
              local.get 8
              i32.const 48
              local.get 11
              i32.load offset=16
              call_indirect (type 1)
              i32.eqz
              br_if 0 (;@5;)
              br 4 (;@1;)
            end
          end
          i32.const 1
          local.set 5
          local.get 0
          local.get 7
          local.get 9
          local.get 1
          local.get 2
          call 18
          br_if 2 (;@1;)
          local.get 0
          local.get 3
          local.get 4
          local.get 7
          i32.load offset=12
          call_indirect (type 0)
          br_if 2 (;@1;)
          local.get 10
          local.get 11
          i32.sub
          i32.const 65535
          i32.and
          local.set 11
          i32.const 0
          local.set 6
          loop ;; label = @4
            block ;; label = @5
              local.get 6
              i32.const 65535
              i32.and
              local.get 11
              i32.lt_u
              br_if 0 (;@5;)
              i32.const 0
              return
            end
            i32.const 1
            local.set 5
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            local.get 0
            local.get 8
            local.get 7
            i32.load offset=16
            call_indirect (type 1)
            i32.eqz
            br_if 0 (;@4;)
            br 3 (;@1;)
          end
        end
        i32.const 1
        local.set 5
        local.get 8
        local.get 3
        local.get 4
        local.get 11
        i32.load offset=12
        call_indirect (type 0)
        br_if 1 (;@1;)
        local.get 0
        local.get 12
        i64.store offset=8 align=4
        i32.const 0
        return
      end
      i32.const 1
      local.set 5
      local.get 0
      i32.load
      local.tee 6
      local.get 0
      i32.load offset=4
      local.tee 0
      local.get 9
      local.get 1
      local.get 2
      call 18
      br_if 0 (;@1;)
      local.get 6
      local.get 3
      local.get 4
      local.get 0
      i32.load offset=12
      call_indirect (type 0)
      local.set 5
    end
    local.get 5
  )
  (func (;18;) (type 11) (param i32 i32 i32 i32 i32) (result i32)
    block ;; label = @1
      local.get 2
      i32.const 1114112
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      local.get 2
      local.get 1
      i32.load offset=16
      call_indirect (type 1)
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
    call_indirect (type 0)
  )
  (func (;19;) (type 2) (param i32 i32)
    local.get 0
    i32.const 93
    local.get 1
    call 13
    unreachable
  )
  (func (;20;) (type 6)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 30
    i32.store offset=4
    local.get 0
    i32.const 33424
    i32.store
    local.get 0
    i32.const 2
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 0
    i64.extend_i32_u
    i64.or
    i64.store offset=8
    i32.const 32796
    local.get 0
    i32.const 8
    i32.add
    i32.const 33456
    call 13
    unreachable
  )
  (func (;21;) (type 10) (param i32)
    i32.const 33220
    i32.const 115
    local.get 0
    call 13
    unreachable
  )
  (func (;22;) (type 2) (param i32 i32)
    local.get 0
    i32.const 0
    i32.store
  )
  (func (;23;) (type 12) (param i32 i32 i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 4
    global.set 0
    i32.const 0
    i32.const 0
    i32.load offset=33940
    local.tee 5
    i32.const 1
    i32.add
    i32.store offset=33940
    block ;; label = @1
      local.get 5
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load8_u offset=33932
          br_if 0 (;@3;)
          i32.const 0
          i32.const 0
          i32.load offset=33928
          i32.const 1
          i32.add
          i32.store offset=33928
          i32.const 0
          i32.load offset=33936
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        local.get 4
        i32.const 8
        i32.add
        local.get 0
        local.get 1
        call_indirect (type 2)
        unreachable
      end
      i32.const 0
      i32.const 0
      i32.store8 offset=33932
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      call 24
      unreachable
    end
    unreachable
  )
  (func (;24;) (type 6)
    unreachable
  )
  (func (;25;) (type 2) (param i32 i32)
    i32.const 0
    i32.const 1
    i32.store8 offset=34396
    unreachable
  )
  (func (;26;) (type 10) (param i32)
    local.get 0
    call 27
    unreachable
  )
  (func (;27;) (type 10) (param i32)
    (local i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      local.get 0
      i32.load
      local.tee 2
      i32.load offset=4
      local.tee 3
      i32.const 1
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.load
      local.set 2
      local.get 1
      local.get 3
      i32.const 1
      i32.shr_u
      i32.store offset=4
      local.get 1
      local.get 2
      i32.store
      local.get 1
      i32.const 3
      local.get 0
      i32.load offset=8
      local.tee 0
      i32.load8_u offset=8
      local.get 0
      i32.load8_u offset=9
      call 23
      unreachable
    end
    local.get 1
    i32.const -2147483648
    i32.store
    local.get 1
    local.get 0
    i32.store offset=12
    local.get 1
    i32.const 4
    local.get 0
    i32.load offset=8
    local.tee 0
    i32.load8_u offset=8
    local.get 0
    i32.load8_u offset=9
    call 23
    unreachable
  )
  (func (;28;) (type 2) (param i32 i32)
    local.get 0
    local.get 1
    i64.load align=4
    i64.store
  )
  (func (;29;) (type 13) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i64)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 0
          i32.const 244
          i32.gt_u
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=34352
                  local.tee 1
                  i32.const 16
                  local.get 0
                  i32.const 11
                  i32.add
                  i32.const 504
                  i32.and
                  local.get 0
                  i32.const 11
                  i32.lt_u
                  select
                  local.tee 2
                  i32.const 3
                  i32.shr_u
                  local.tee 3
                  i32.shr_u
                  local.tee 0
                  i32.const 3
                  i32.and
                  br_if 0 (;@7;)
                  local.get 2
                  i32.const 0
                  i32.load offset=34360
                  i32.le_u
                  br_if 5 (;@2;)
                  local.get 0
                  br_if 1 (;@6;)
                  i32.const 0
                  i32.load offset=34356
                  local.tee 0
                  i32.eqz
                  br_if 5 (;@2;)
                  local.get 0
                  i32.ctz
                  i32.const 2
                  i32.shl
                  i32.const 33944
                  i32.add
                  i32.load
                  local.tee 4
                  i32.load offset=4
                  i32.const -8
                  i32.and
                  local.get 2
                  i32.sub
                  local.set 3
                  local.get 4
                  local.set 1
                  loop ;; label = @8
                    block ;; label = @9
                      local.get 4
                      i32.load offset=16
                      local.tee 0
                      br_if 0 (;@9;)
                      local.get 4
                      i32.load offset=20
                      local.tee 0
                      br_if 0 (;@9;)
                      local.get 1
                      i32.load offset=24
                      local.set 5
                      block ;; label = @10
                        block ;; label = @11
                          block ;; label = @12
                            local.get 1
                            i32.load offset=12
                            local.tee 0
                            local.get 1
                            i32.ne
                            br_if 0 (;@12;)
                            local.get 1
                            i32.const 20
                            i32.const 16
                            local.get 1
                            i32.load offset=20
                            local.tee 0
                            select
                            i32.add
                            i32.load
                            local.tee 4
                            br_if 1 (;@11;)
                            i32.const 0
                            local.set 0
                            br 2 (;@10;)
                          end
                          local.get 1
                          i32.load offset=8
                          local.tee 4
                          local.get 0
                          i32.store offset=12
                          local.get 0
                          local.get 4
                          i32.store offset=8
                          br 1 (;@10;)
                        end
                        local.get 1
                        i32.const 20
                        i32.add
                        local.get 1
                        i32.const 16
                        i32.add
                        local.get 0
                        select
                        local.set 6
                        loop ;; label = @11
                          local.get 6
                          local.set 7
                          local.get 4
                          local.tee 0
                          i32.const 20
                          i32.add
                          local.get 0
                          i32.const 16
                          i32.add
                          local.get 0
                          i32.load offset=20
                          local.tee 4
                          select
                          local.set 6
                          local.get 0
                          i32.const 20
                          i32.const 16
                          local.get 4
                          select
                          i32.add
                          i32.load
                          local.tee 4
                          br_if 0 (;@11;)
                        end
                        local.get 7
                        i32.const 0
                        i32.store
                      end
                      local.get 5
                      i32.eqz
                      br_if 5 (;@4;)
                      block ;; label = @10
                        block ;; label = @11
                          local.get 1
                          local.get 1
                          i32.load offset=28
                          i32.const 2
                          i32.shl
                          i32.const 33944
                          i32.add
                          local.tee 4
                          i32.load
                          i32.eq
                          br_if 0 (;@11;)
                          block ;; label = @12
                            local.get 5
                            i32.load offset=16
                            local.get 1
                            i32.eq
                            br_if 0 (;@12;)
                            local.get 5
                            local.get 0
                            i32.store offset=20
                            local.get 0
                            br_if 2 (;@10;)
                            br 8 (;@4;)
                          end
                          local.get 5
                          local.get 0
                          i32.store offset=16
                          local.get 0
                          br_if 1 (;@10;)
                          br 7 (;@4;)
                        end
                        local.get 4
                        local.get 0
                        i32.store
                        local.get 0
                        i32.eqz
                        br_if 5 (;@5;)
                      end
                      local.get 0
                      local.get 5
                      i32.store offset=24
                      block ;; label = @10
                        local.get 1
                        i32.load offset=16
                        local.tee 4
                        i32.eqz
                        br_if 0 (;@10;)
                        local.get 0
                        local.get 4
                        i32.store offset=16
                        local.get 4
                        local.get 0
                        i32.store offset=24
                      end
                      local.get 1
                      i32.load offset=20
                      local.tee 4
                      i32.eqz
                      br_if 5 (;@4;)
                      local.get 0
                      local.get 4
                      i32.store offset=20
                      local.get 4
                      local.get 0
                      i32.store offset=24
                      br 5 (;@4;)
                    end
                    local.get 0
                    i32.load offset=4
                    i32.const -8
                    i32.and
                    local.get 2
                    i32.sub
                    local.tee 4
                    local.get 3
                    local.get 4
                    local.get 3
                    i32.lt_u
                    local.tee 4
                    select
                    local.set 3
                    local.get 0
                    local.get 1
                    local.get 4
                    select
                    local.set 1
                    local.get 0
                    local.set 4
                    br 0 (;@8;)
                  end
                end
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    i32.const -1
                    i32.xor
                    i32.const 1
                    i32.and
                    local.get 3
                    i32.add
                    local.tee 6
                    i32.const 3
                    i32.shl
                    local.tee 0
                    i32.const 34088
                    i32.add
                    local.tee 2
                    local.get 0
                    i32.const 34096
                    i32.add
                    i32.load
                    local.tee 3
                    i32.load offset=8
                    local.tee 4
                    i32.eq
                    br_if 0 (;@8;)
                    local.get 4
                    local.get 2
                    i32.store offset=12
                    local.get 2
                    local.get 4
                    i32.store offset=8
                    br 1 (;@7;)
                  end
                  i32.const 0
                  local.get 1
                  i32.const -2
                  local.get 6
                  i32.rotl
                  i32.and
                  i32.store offset=34352
                end
                local.get 3
                local.get 0
                i32.const 3
                i32.or
                i32.store offset=4
                local.get 3
                local.get 0
                i32.add
                local.tee 0
                local.get 0
                i32.load offset=4
                i32.const 1
                i32.or
                i32.store offset=4
                local.get 3
                i32.const 8
                i32.add
                return
              end
              block ;; label = @6
                block ;; label = @7
                  local.get 0
                  local.get 3
                  i32.shl
                  i32.const 2
                  local.get 3
                  i32.shl
                  local.tee 0
                  i32.const 0
                  local.get 0
                  i32.sub
                  i32.or
                  i32.and
                  i32.ctz
                  local.tee 7
                  i32.const 3
                  i32.shl
                  local.tee 3
                  i32.const 34088
                  i32.add
                  local.tee 4
                  local.get 3
                  i32.const 34096
                  i32.add
                  i32.load
                  local.tee 0
                  i32.load offset=8
                  local.tee 6
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 6
                  local.get 4
                  i32.store offset=12
                  local.get 4
                  local.get 6
                  i32.store offset=8
                  br 1 (;@6;)
                end
                i32.const 0
                local.get 1
                i32.const -2
                local.get 7
                i32.rotl
                i32.and
                i32.store offset=34352
              end
              local.get 0
              local.get 2
              i32.const 3
              i32.or
              i32.store offset=4
              local.get 0
              local.get 2
              i32.add
              local.tee 1
              local.get 3
              local.get 2
              i32.sub
              local.tee 2
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 0
              local.get 3
              i32.add
              local.get 2
              i32.store
              block ;; label = @6
                i32.const 0
                i32.load offset=34360
                local.tee 4
                i32.eqz
                br_if 0 (;@6;)
                i32.const 0
                i32.load offset=34368
                local.set 3
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34352
                    local.tee 6
                    i32.const 1
                    local.get 4
                    i32.const 3
                    i32.shr_u
                    i32.shl
                    local.tee 7
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 6
                    local.get 7
                    i32.or
                    i32.store offset=34352
                    local.get 4
                    i32.const -8
                    i32.and
                    i32.const 34088
                    i32.add
                    local.tee 4
                    local.set 6
                    br 1 (;@7;)
                  end
                  local.get 4
                  i32.const -8
                  i32.and
                  local.tee 4
                  i32.const 34088
                  i32.add
                  local.set 6
                  local.get 4
                  i32.const 34096
                  i32.add
                  i32.load
                  local.set 4
                end
                local.get 6
                local.get 3
                i32.store offset=8
                local.get 4
                local.get 3
                i32.store offset=12
                local.get 3
                local.get 6
                i32.store offset=12
                local.get 3
                local.get 4
                i32.store offset=8
              end
              i32.const 0
              local.get 1
              i32.store offset=34368
              i32.const 0
              local.get 2
              i32.store offset=34360
              local.get 0
              i32.const 8
              i32.add
              return
            end
            i32.const 0
            i32.const 0
            i32.load offset=34356
            i32.const -2
            local.get 1
            i32.load offset=28
            i32.rotl
            i32.and
            i32.store offset=34356
          end
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 3
                i32.const 16
                i32.lt_u
                br_if 0 (;@6;)
                local.get 1
                local.get 2
                i32.const 3
                i32.or
                i32.store offset=4
                local.get 1
                local.get 2
                i32.add
                local.tee 4
                local.get 3
                i32.const 1
                i32.or
                i32.store offset=4
                local.get 4
                local.get 3
                i32.add
                local.get 3
                i32.store
                i32.const 0
                i32.load offset=34360
                local.tee 6
                i32.eqz
                br_if 1 (;@5;)
                i32.const 0
                i32.load offset=34368
                local.set 0
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34352
                    local.tee 7
                    i32.const 1
                    local.get 6
                    i32.const 3
                    i32.shr_u
                    i32.shl
                    local.tee 5
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 7
                    local.get 5
                    i32.or
                    i32.store offset=34352
                    local.get 6
                    i32.const -8
                    i32.and
                    i32.const 34088
                    i32.add
                    local.tee 6
                    local.set 7
                    br 1 (;@7;)
                  end
                  local.get 6
                  i32.const -8
                  i32.and
                  local.tee 6
                  i32.const 34088
                  i32.add
                  local.set 7
                  local.get 6
                  i32.const 34096
                  i32.add
                  i32.load
                  local.set 6
                end
                local.get 7
                local.get 0
                i32.store offset=8
                local.get 6
                local.get 0
                i32.store offset=12
                local.get 0
                local.get 7
                i32.store offset=12
                local.get 0
                local.get 6
                i32.store offset=8
                br 1 (;@5;)
              end
              local.get 1
              local.get 3
              local.get 2
              i32.add
              local.tee 0
              i32.const 3
              i32.or
              i32.store offset=4
              local.get 1
              local.get 0
              i32.add
              local.tee 0
              local.get 0
              i32.load offset=4
              i32.const 1
              i32.or
              i32.store offset=4
              br 1 (;@4;)
            end
            i32.const 0
            local.get 4
            i32.store offset=34368
            i32.const 0
            local.get 3
            i32.store offset=34360
          end
          local.get 1
          i32.const 8
          i32.add
          local.tee 0
          i32.eqz
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        local.get 0
        i32.const 11
        i32.add
        local.tee 3
        i32.const -8
        i32.and
        local.set 2
        i32.const 0
        i32.load offset=34356
        local.tee 8
        i32.eqz
        br_if 0 (;@2;)
        i32.const 31
        local.set 5
        block ;; label = @3
          local.get 0
          i32.const 16777205
          i32.ge_u
          br_if 0 (;@3;)
          local.get 2
          i32.const 38
          local.get 3
          i32.const 8
          i32.shr_u
          i32.clz
          local.tee 0
          i32.sub
          i32.shr_u
          i32.const 1
          i32.and
          local.get 0
          i32.const 1
          i32.shl
          i32.sub
          i32.const 62
          i32.add
          local.set 5
        end
        i32.const 0
        local.get 2
        i32.sub
        local.set 3
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 5
                i32.const 2
                i32.shl
                i32.const 33944
                i32.add
                i32.load
                local.tee 1
                br_if 0 (;@6;)
                i32.const 0
                local.set 4
                i32.const 0
                local.set 0
                br 1 (;@5;)
              end
              i32.const 0
              local.set 4
              local.get 2
              i32.const 0
              i32.const 25
              local.get 5
              i32.const 1
              i32.shr_u
              i32.sub
              local.get 5
              i32.const 31
              i32.eq
              select
              i32.shl
              local.set 6
              i32.const 0
              local.set 0
              loop ;; label = @6
                block ;; label = @7
                  local.get 1
                  local.tee 1
                  i32.load offset=4
                  i32.const -8
                  i32.and
                  local.tee 7
                  local.get 2
                  i32.lt_u
                  br_if 0 (;@7;)
                  local.get 7
                  local.get 2
                  i32.sub
                  local.tee 7
                  local.get 3
                  i32.ge_u
                  br_if 0 (;@7;)
                  local.get 1
                  local.set 4
                  local.get 7
                  local.set 3
                  local.get 7
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 3
                  local.get 1
                  local.set 0
                  local.get 1
                  local.set 4
                  br 3 (;@4;)
                end
                local.get 1
                i32.load offset=20
                local.tee 7
                local.get 0
                local.get 7
                local.get 1
                local.get 6
                i32.const 29
                i32.shr_u
                i32.const 4
                i32.and
                i32.add
                i32.load offset=16
                local.tee 1
                i32.ne
                select
                local.get 0
                local.get 7
                select
                local.set 0
                local.get 6
                i32.const 1
                i32.shl
                local.set 6
                local.get 1
                br_if 0 (;@6;)
              end
            end
            block ;; label = @5
              local.get 0
              local.get 4
              i32.or
              br_if 0 (;@5;)
              i32.const 0
              local.set 4
              i32.const 2
              local.get 5
              i32.shl
              local.tee 0
              i32.const 0
              local.get 0
              i32.sub
              i32.or
              local.get 8
              i32.and
              local.tee 0
              i32.eqz
              br_if 3 (;@2;)
              local.get 0
              i32.ctz
              i32.const 2
              i32.shl
              i32.const 33944
              i32.add
              i32.load
              local.set 0
            end
            local.get 0
            i32.eqz
            br_if 1 (;@3;)
          end
          loop ;; label = @4
            local.get 0
            i32.load offset=4
            i32.const -8
            i32.and
            local.tee 1
            local.get 2
            i32.sub
            local.tee 6
            local.get 3
            local.get 6
            local.get 3
            i32.lt_u
            local.tee 7
            select
            local.set 5
            local.get 1
            local.get 2
            i32.lt_u
            local.set 6
            local.get 0
            local.get 4
            local.get 7
            select
            local.set 7
            block ;; label = @5
              local.get 0
              i32.load offset=16
              local.tee 1
              br_if 0 (;@5;)
              local.get 0
              i32.load offset=20
              local.set 1
            end
            local.get 3
            local.get 5
            local.get 6
            select
            local.set 3
            local.get 4
            local.get 7
            local.get 6
            select
            local.set 4
            local.get 1
            local.set 0
            local.get 1
            br_if 0 (;@4;)
          end
        end
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          i32.const 0
          i32.load offset=34360
          local.tee 0
          local.get 2
          i32.lt_u
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          local.get 2
          i32.sub
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 4
        i32.load offset=24
        local.set 5
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 4
              i32.load offset=12
              local.tee 0
              local.get 4
              i32.ne
              br_if 0 (;@5;)
              local.get 4
              i32.const 20
              i32.const 16
              local.get 4
              i32.load offset=20
              local.tee 0
              select
              i32.add
              i32.load
              local.tee 1
              br_if 1 (;@4;)
              i32.const 0
              local.set 0
              br 2 (;@3;)
            end
            local.get 4
            i32.load offset=8
            local.tee 1
            local.get 0
            i32.store offset=12
            local.get 0
            local.get 1
            i32.store offset=8
            br 1 (;@3;)
          end
          local.get 4
          i32.const 20
          i32.add
          local.get 4
          i32.const 16
          i32.add
          local.get 0
          select
          local.set 6
          loop ;; label = @4
            local.get 6
            local.set 7
            local.get 1
            local.tee 0
            i32.const 20
            i32.add
            local.get 0
            i32.const 16
            i32.add
            local.get 0
            i32.load offset=20
            local.tee 1
            select
            local.set 6
            local.get 0
            i32.const 20
            i32.const 16
            local.get 1
            select
            i32.add
            i32.load
            local.tee 1
            br_if 0 (;@4;)
          end
          local.get 7
          i32.const 0
          i32.store
        end
        block ;; label = @3
          local.get 5
          i32.eqz
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 4
                local.get 4
                i32.load offset=28
                i32.const 2
                i32.shl
                i32.const 33944
                i32.add
                local.tee 1
                i32.load
                i32.eq
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 5
                  i32.load offset=16
                  local.get 4
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 5
                  local.get 0
                  i32.store offset=20
                  local.get 0
                  br_if 2 (;@5;)
                  br 4 (;@3;)
                end
                local.get 5
                local.get 0
                i32.store offset=16
                local.get 0
                br_if 1 (;@5;)
                br 3 (;@3;)
              end
              local.get 1
              local.get 0
              i32.store
              local.get 0
              i32.eqz
              br_if 1 (;@4;)
            end
            local.get 0
            local.get 5
            i32.store offset=24
            block ;; label = @5
              local.get 4
              i32.load offset=16
              local.tee 1
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              local.get 1
              i32.store offset=16
              local.get 1
              local.get 0
              i32.store offset=24
            end
            local.get 4
            i32.load offset=20
            local.tee 1
            i32.eqz
            br_if 1 (;@3;)
            local.get 0
            local.get 1
            i32.store offset=20
            local.get 1
            local.get 0
            i32.store offset=24
            br 1 (;@3;)
          end
          i32.const 0
          i32.const 0
          i32.load offset=34356
          i32.const -2
          local.get 4
          i32.load offset=28
          i32.rotl
          i32.and
          i32.store offset=34356
        end
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 3
                i32.const 16
                i32.lt_u
                br_if 0 (;@6;)
                local.get 4
                local.get 2
                i32.const 3
                i32.or
                i32.store offset=4
                local.get 4
                local.get 2
                i32.add
                local.tee 1
                local.get 3
                i32.const 1
                i32.or
                i32.store offset=4
                local.get 1
                local.get 3
                i32.add
                local.get 3
                i32.store
                block ;; label = @7
                  local.get 3
                  i32.const 256
                  i32.lt_u
                  br_if 0 (;@7;)
                  i32.const 31
                  local.set 0
                  local.get 3
                  i32.const 16777216
                  i32.lt_u
                  br_if 2 (;@5;)
                  br 3 (;@4;)
                end
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34352
                    local.tee 0
                    i32.const 1
                    local.get 3
                    i32.const 3
                    i32.shr_u
                    i32.shl
                    local.tee 6
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 0
                    local.get 6
                    i32.or
                    i32.store offset=34352
                    local.get 3
                    i32.const 248
                    i32.and
                    i32.const 34088
                    i32.add
                    local.tee 0
                    local.set 3
                    br 1 (;@7;)
                  end
                  local.get 3
                  i32.const 248
                  i32.and
                  local.tee 0
                  i32.const 34088
                  i32.add
                  local.set 3
                  local.get 0
                  i32.const 34096
                  i32.add
                  i32.load
                  local.set 0
                end
                local.get 3
                local.get 1
                i32.store offset=8
                local.get 0
                local.get 1
                i32.store offset=12
                local.get 1
                local.get 3
                i32.store offset=12
                local.get 1
                local.get 0
                i32.store offset=8
                br 3 (;@3;)
              end
              local.get 4
              local.get 3
              local.get 2
              i32.add
              local.tee 0
              i32.const 3
              i32.or
              i32.store offset=4
              local.get 4
              local.get 0
              i32.add
              local.tee 0
              local.get 0
              i32.load offset=4
              i32.const 1
              i32.or
              i32.store offset=4
              br 2 (;@3;)
            end
            local.get 3
            i32.const 38
            local.get 3
            i32.const 8
            i32.shr_u
            i32.clz
            local.tee 0
            i32.sub
            i32.shr_u
            i32.const 1
            i32.and
            local.get 0
            i32.const 1
            i32.shl
            i32.or
            i32.const 62
            i32.xor
            local.set 0
          end
          local.get 1
          i64.const 0
          i64.store offset=16 align=4
          local.get 1
          local.get 0
          i32.store offset=28
          local.get 0
          i32.const 2
          i32.shl
          i32.const 33944
          i32.add
          local.set 6
          block ;; label = @4
            i32.const 0
            i32.load offset=34356
            i32.const 1
            local.get 0
            i32.shl
            local.tee 7
            i32.and
            br_if 0 (;@4;)
            local.get 6
            local.get 1
            i32.store
            local.get 1
            local.get 6
            i32.store offset=24
            local.get 1
            local.get 1
            i32.store offset=12
            local.get 1
            local.get 1
            i32.store offset=8
            i32.const 0
            i32.const 0
            i32.load offset=34356
            local.get 7
            i32.or
            i32.store offset=34356
            br 1 (;@3;)
          end
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 6
                i32.load
                local.tee 7
                i32.load offset=4
                i32.const -8
                i32.and
                local.get 3
                i32.ne
                br_if 0 (;@6;)
                local.get 7
                local.set 0
                br 1 (;@5;)
              end
              local.get 3
              i32.const 0
              i32.const 25
              local.get 0
              i32.const 1
              i32.shr_u
              i32.sub
              local.get 0
              i32.const 31
              i32.eq
              select
              i32.shl
              local.set 6
              loop ;; label = @6
                local.get 7
                local.get 6
                i32.const 29
                i32.shr_u
                i32.const 4
                i32.and
                i32.add
                local.tee 5
                i32.load offset=16
                local.tee 0
                i32.eqz
                br_if 2 (;@4;)
                local.get 6
                i32.const 1
                i32.shl
                local.set 6
                local.get 0
                local.set 7
                local.get 0
                i32.load offset=4
                i32.const -8
                i32.and
                local.get 3
                i32.ne
                br_if 0 (;@6;)
              end
            end
            local.get 0
            i32.load offset=8
            local.tee 3
            local.get 1
            i32.store offset=12
            local.get 0
            local.get 1
            i32.store offset=8
            local.get 1
            i32.const 0
            i32.store offset=24
            local.get 1
            local.get 0
            i32.store offset=12
            local.get 1
            local.get 3
            i32.store offset=8
            br 1 (;@3;)
          end
          local.get 5
          i32.const 16
          i32.add
          local.get 1
          i32.store
          local.get 1
          local.get 7
          i32.store offset=24
          local.get 1
          local.get 1
          i32.store offset=12
          local.get 1
          local.get 1
          i32.store offset=8
        end
        local.get 4
        i32.const 8
        i32.add
        local.tee 0
        br_if 1 (;@1;)
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  i32.const 0
                  i32.load offset=34360
                  local.tee 0
                  local.get 2
                  i32.ge_u
                  br_if 0 (;@7;)
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34364
                    local.tee 0
                    local.get 2
                    i32.gt_u
                    br_if 0 (;@8;)
                    block ;; label = @9
                      local.get 2
                      i32.const 65583
                      i32.add
                      local.tee 4
                      i32.const 16
                      i32.shr_u
                      memory.grow
                      local.tee 3
                      i32.const -1
                      i32.ne
                      br_if 0 (;@9;)
                      i32.const 0
                      return
                    end
                    i32.const 0
                    local.set 0
                    local.get 3
                    i32.const 16
                    i32.shl
                    local.tee 1
                    i32.eqz
                    br_if 7 (;@1;)
                    i32.const 0
                    i32.const 0
                    i32.load offset=34376
                    local.get 4
                    i32.const -65536
                    i32.and
                    local.tee 0
                    i32.const -16
                    i32.add
                    local.get 0
                    local.get 1
                    i32.const 0
                    local.get 0
                    i32.sub
                    i32.eq
                    select
                    local.tee 7
                    i32.add
                    local.tee 0
                    i32.store offset=34376
                    i32.const 0
                    local.get 0
                    i32.const 0
                    i32.load offset=34380
                    local.tee 3
                    local.get 0
                    local.get 3
                    i32.gt_u
                    select
                    i32.store offset=34380
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i32.load offset=34372
                          local.tee 3
                          i32.eqz
                          br_if 0 (;@11;)
                          i32.const 34072
                          local.set 0
                          loop ;; label = @12
                            local.get 0
                            i32.load
                            local.tee 4
                            local.get 0
                            i32.load offset=4
                            local.tee 6
                            i32.add
                            local.get 1
                            i32.eq
                            br_if 2 (;@10;)
                            local.get 0
                            i32.load offset=8
                            local.tee 0
                            br_if 0 (;@12;)
                            br 3 (;@9;)
                          end
                        end
                        block ;; label = @11
                          block ;; label = @12
                            i32.const 0
                            i32.load offset=34388
                            local.tee 0
                            i32.eqz
                            br_if 0 (;@12;)
                            local.get 0
                            local.get 1
                            i32.le_u
                            br_if 1 (;@11;)
                          end
                          i32.const 0
                          local.get 1
                          i32.store offset=34388
                        end
                        i32.const 0
                        i32.const 4095
                        i32.store offset=34392
                        i32.const 0
                        local.get 7
                        i32.store offset=34076
                        i32.const 0
                        local.get 1
                        i32.store offset=34072
                        i32.const 0
                        i32.const 34088
                        i32.store offset=34100
                        i32.const 0
                        i32.const 34096
                        i32.store offset=34108
                        i32.const 0
                        i32.const 34088
                        i32.store offset=34096
                        i32.const 0
                        i32.const 34104
                        i32.store offset=34116
                        i32.const 0
                        i32.const 34096
                        i32.store offset=34104
                        i32.const 0
                        i32.const 34112
                        i32.store offset=34124
                        i32.const 0
                        i32.const 34104
                        i32.store offset=34112
                        i32.const 0
                        i32.const 34120
                        i32.store offset=34132
                        i32.const 0
                        i32.const 34112
                        i32.store offset=34120
                        i32.const 0
                        i32.const 34128
                        i32.store offset=34140
                        i32.const 0
                        i32.const 34120
                        i32.store offset=34128
                        i32.const 0
                        i32.const 34136
                        i32.store offset=34148
                        i32.const 0
                        i32.const 34128
                        i32.store offset=34136
                        i32.const 0
                        i32.const 34144
                        i32.store offset=34156
                        i32.const 0
                        i32.const 34136
                        i32.store offset=34144
                        i32.const 0
                        i32.const 0
                        i32.store offset=34084
                        i32.const 0
                        i32.const 34152
                        i32.store offset=34164
                        i32.const 0
                        i32.const 34144
                        i32.store offset=34152
                        i32.const 0
                        i32.const 34152
                        i32.store offset=34160
                        i32.const 0
                        i32.const 34160
                        i32.store offset=34172
                        i32.const 0
                        i32.const 34160
                        i32.store offset=34168
                        i32.const 0
                        i32.const 34168
                        i32.store offset=34180
                        i32.const 0
                        i32.const 34168
                        i32.store offset=34176
                        i32.const 0
                        i32.const 34176
                        i32.store offset=34188
                        i32.const 0
                        i32.const 34176
                        i32.store offset=34184
                        i32.const 0
                        i32.const 34184
                        i32.store offset=34196
                        i32.const 0
                        i32.const 34184
                        i32.store offset=34192
                        i32.const 0
                        i32.const 34192
                        i32.store offset=34204
                        i32.const 0
                        i32.const 34192
                        i32.store offset=34200
                        i32.const 0
                        i32.const 34200
                        i32.store offset=34212
                        i32.const 0
                        i32.const 34200
                        i32.store offset=34208
                        i32.const 0
                        i32.const 34208
                        i32.store offset=34220
                        i32.const 0
                        i32.const 34208
                        i32.store offset=34216
                        i32.const 0
                        i32.const 34216
                        i32.store offset=34228
                        i32.const 0
                        i32.const 34224
                        i32.store offset=34236
                        i32.const 0
                        i32.const 34216
                        i32.store offset=34224
                        i32.const 0
                        i32.const 34232
                        i32.store offset=34244
                        i32.const 0
                        i32.const 34224
                        i32.store offset=34232
                        i32.const 0
                        i32.const 34240
                        i32.store offset=34252
                        i32.const 0
                        i32.const 34232
                        i32.store offset=34240
                        i32.const 0
                        i32.const 34248
                        i32.store offset=34260
                        i32.const 0
                        i32.const 34240
                        i32.store offset=34248
                        i32.const 0
                        i32.const 34256
                        i32.store offset=34268
                        i32.const 0
                        i32.const 34248
                        i32.store offset=34256
                        i32.const 0
                        i32.const 34264
                        i32.store offset=34276
                        i32.const 0
                        i32.const 34256
                        i32.store offset=34264
                        i32.const 0
                        i32.const 34272
                        i32.store offset=34284
                        i32.const 0
                        i32.const 34264
                        i32.store offset=34272
                        i32.const 0
                        i32.const 34280
                        i32.store offset=34292
                        i32.const 0
                        i32.const 34272
                        i32.store offset=34280
                        i32.const 0
                        i32.const 34288
                        i32.store offset=34300
                        i32.const 0
                        i32.const 34280
                        i32.store offset=34288
                        i32.const 0
                        i32.const 34296
                        i32.store offset=34308
                        i32.const 0
                        i32.const 34288
                        i32.store offset=34296
                        i32.const 0
                        i32.const 34304
                        i32.store offset=34316
                        i32.const 0
                        i32.const 34296
                        i32.store offset=34304
                        i32.const 0
                        i32.const 34312
                        i32.store offset=34324
                        i32.const 0
                        i32.const 34304
                        i32.store offset=34312
                        i32.const 0
                        i32.const 34320
                        i32.store offset=34332
                        i32.const 0
                        i32.const 34312
                        i32.store offset=34320
                        i32.const 0
                        i32.const 34328
                        i32.store offset=34340
                        i32.const 0
                        i32.const 34320
                        i32.store offset=34328
                        i32.const 0
                        i32.const 34336
                        i32.store offset=34348
                        i32.const 0
                        i32.const 34328
                        i32.store offset=34336
                        i32.const 0
                        local.get 1
                        i32.store offset=34372
                        i32.const 0
                        i32.const 34336
                        i32.store offset=34344
                        i32.const 0
                        local.get 7
                        i32.const -40
                        i32.add
                        local.tee 0
                        i32.store offset=34364
                        local.get 1
                        local.get 0
                        i32.const 1
                        i32.or
                        i32.store offset=4
                        local.get 1
                        local.get 0
                        i32.add
                        i32.const 40
                        i32.store offset=4
                        i32.const 0
                        i32.const 2097152
                        i32.store offset=34384
                        br 8 (;@2;)
                      end
                      local.get 3
                      local.get 1
                      i32.ge_u
                      br_if 0 (;@9;)
                      local.get 4
                      local.get 3
                      i32.gt_u
                      br_if 0 (;@9;)
                      local.get 0
                      i32.load offset=12
                      i32.eqz
                      br_if 3 (;@6;)
                    end
                    i32.const 0
                    i32.const 0
                    i32.load offset=34388
                    local.tee 0
                    local.get 1
                    local.get 0
                    local.get 1
                    i32.lt_u
                    select
                    i32.store offset=34388
                    local.get 1
                    local.get 7
                    i32.add
                    local.set 4
                    i32.const 34072
                    local.set 0
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          loop ;; label = @12
                            local.get 0
                            i32.load
                            local.tee 6
                            local.get 4
                            i32.eq
                            br_if 1 (;@11;)
                            local.get 0
                            i32.load offset=8
                            local.tee 0
                            br_if 0 (;@12;)
                            br 2 (;@10;)
                          end
                        end
                        local.get 0
                        i32.load offset=12
                        i32.eqz
                        br_if 1 (;@9;)
                      end
                      i32.const 34072
                      local.set 0
                      block ;; label = @10
                        loop ;; label = @11
                          block ;; label = @12
                            local.get 0
                            i32.load
                            local.tee 4
                            local.get 3
                            i32.gt_u
                            br_if 0 (;@12;)
                            local.get 3
                            local.get 4
                            local.get 0
                            i32.load offset=4
                            i32.add
                            local.tee 4
                            i32.lt_u
                            br_if 2 (;@10;)
                          end
                          local.get 0
                          i32.load offset=8
                          local.set 0
                          br 0 (;@11;)
                        end
                      end
                      i32.const 0
                      local.get 1
                      i32.store offset=34372
                      i32.const 0
                      local.get 7
                      i32.const -40
                      i32.add
                      local.tee 0
                      i32.store offset=34364
                      local.get 1
                      local.get 0
                      i32.const 1
                      i32.or
                      i32.store offset=4
                      local.get 1
                      local.get 0
                      i32.add
                      i32.const 40
                      i32.store offset=4
                      i32.const 0
                      i32.const 2097152
                      i32.store offset=34384
                      local.get 3
                      local.get 4
                      i32.const -32
                      i32.add
                      i32.const -8
                      i32.and
                      i32.const -8
                      i32.add
                      local.tee 0
                      local.get 0
                      local.get 3
                      i32.const 16
                      i32.add
                      i32.lt_u
                      select
                      local.tee 6
                      i32.const 27
                      i32.store offset=4
                      i32.const 0
                      i64.load offset=34072 align=4
                      local.set 9
                      local.get 6
                      i32.const 16
                      i32.add
                      i32.const 0
                      i64.load offset=34080 align=4
                      i64.store align=4
                      local.get 6
                      i32.const 8
                      i32.add
                      local.tee 0
                      local.get 9
                      i64.store align=4
                      i32.const 0
                      local.get 7
                      i32.store offset=34076
                      i32.const 0
                      local.get 1
                      i32.store offset=34072
                      i32.const 0
                      local.get 0
                      i32.store offset=34080
                      i32.const 0
                      i32.const 0
                      i32.store offset=34084
                      local.get 6
                      i32.const 28
                      i32.add
                      local.set 0
                      loop ;; label = @10
                        local.get 0
                        i32.const 7
                        i32.store
                        local.get 0
                        i32.const 4
                        i32.add
                        local.tee 0
                        local.get 4
                        i32.lt_u
                        br_if 0 (;@10;)
                      end
                      local.get 6
                      local.get 3
                      i32.eq
                      br_if 7 (;@2;)
                      local.get 6
                      local.get 6
                      i32.load offset=4
                      i32.const -2
                      i32.and
                      i32.store offset=4
                      local.get 3
                      local.get 6
                      local.get 3
                      i32.sub
                      local.tee 0
                      i32.const 1
                      i32.or
                      i32.store offset=4
                      local.get 6
                      local.get 0
                      i32.store
                      block ;; label = @10
                        local.get 0
                        i32.const 256
                        i32.lt_u
                        br_if 0 (;@10;)
                        local.get 3
                        local.get 0
                        call 30
                        br 8 (;@2;)
                      end
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i32.load offset=34352
                          local.tee 4
                          i32.const 1
                          local.get 0
                          i32.const 3
                          i32.shr_u
                          i32.shl
                          local.tee 1
                          i32.and
                          br_if 0 (;@11;)
                          i32.const 0
                          local.get 4
                          local.get 1
                          i32.or
                          i32.store offset=34352
                          local.get 0
                          i32.const 248
                          i32.and
                          i32.const 34088
                          i32.add
                          local.tee 0
                          local.set 4
                          br 1 (;@10;)
                        end
                        local.get 0
                        i32.const 248
                        i32.and
                        local.tee 0
                        i32.const 34088
                        i32.add
                        local.set 4
                        local.get 0
                        i32.const 34096
                        i32.add
                        i32.load
                        local.set 0
                      end
                      local.get 4
                      local.get 3
                      i32.store offset=8
                      local.get 0
                      local.get 3
                      i32.store offset=12
                      local.get 3
                      local.get 4
                      i32.store offset=12
                      local.get 3
                      local.get 0
                      i32.store offset=8
                      br 7 (;@2;)
                    end
                    local.get 0
                    local.get 1
                    i32.store
                    local.get 0
                    local.get 0
                    i32.load offset=4
                    local.get 7
                    i32.add
                    i32.store offset=4
                    local.get 1
                    local.get 2
                    i32.const 3
                    i32.or
                    i32.store offset=4
                    local.get 6
                    i32.const 15
                    i32.add
                    i32.const -8
                    i32.and
                    i32.const -8
                    i32.add
                    local.tee 4
                    local.get 1
                    local.get 2
                    i32.add
                    local.tee 0
                    i32.sub
                    local.set 3
                    local.get 4
                    i32.const 0
                    i32.load offset=34372
                    i32.eq
                    br_if 3 (;@5;)
                    local.get 4
                    i32.const 0
                    i32.load offset=34368
                    i32.eq
                    br_if 4 (;@4;)
                    block ;; label = @9
                      local.get 4
                      i32.load offset=4
                      local.tee 2
                      i32.const 3
                      i32.and
                      i32.const 1
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 4
                      local.get 2
                      i32.const -8
                      i32.and
                      local.tee 2
                      call 31
                      local.get 2
                      local.get 3
                      i32.add
                      local.set 3
                      local.get 4
                      local.get 2
                      i32.add
                      local.tee 4
                      i32.load offset=4
                      local.set 2
                    end
                    local.get 4
                    local.get 2
                    i32.const -2
                    i32.and
                    i32.store offset=4
                    local.get 0
                    local.get 3
                    i32.const 1
                    i32.or
                    i32.store offset=4
                    local.get 0
                    local.get 3
                    i32.add
                    local.get 3
                    i32.store
                    block ;; label = @9
                      local.get 3
                      i32.const 256
                      i32.lt_u
                      br_if 0 (;@9;)
                      local.get 0
                      local.get 3
                      call 30
                      br 6 (;@3;)
                    end
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34352
                        local.tee 2
                        i32.const 1
                        local.get 3
                        i32.const 3
                        i32.shr_u
                        i32.shl
                        local.tee 4
                        i32.and
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 2
                        local.get 4
                        i32.or
                        i32.store offset=34352
                        local.get 3
                        i32.const 248
                        i32.and
                        i32.const 34088
                        i32.add
                        local.tee 3
                        local.set 2
                        br 1 (;@9;)
                      end
                      local.get 3
                      i32.const 248
                      i32.and
                      local.tee 3
                      i32.const 34088
                      i32.add
                      local.set 2
                      local.get 3
                      i32.const 34096
                      i32.add
                      i32.load
                      local.set 3
                    end
                    local.get 2
                    local.get 0
                    i32.store offset=8
                    local.get 3
                    local.get 0
                    i32.store offset=12
                    local.get 0
                    local.get 2
                    i32.store offset=12
                    local.get 0
                    local.get 3
                    i32.store offset=8
                    br 5 (;@3;)
                  end
                  i32.const 0
                  local.get 0
                  local.get 2
                  i32.sub
                  local.tee 3
                  i32.store offset=34364
                  i32.const 0
                  i32.const 0
                  i32.load offset=34372
                  local.tee 0
                  local.get 2
                  i32.add
                  local.tee 4
                  i32.store offset=34372
                  local.get 4
                  local.get 3
                  i32.const 1
                  i32.or
                  i32.store offset=4
                  local.get 0
                  local.get 2
                  i32.const 3
                  i32.or
                  i32.store offset=4
                  local.get 0
                  i32.const 8
                  i32.add
                  local.set 0
                  br 6 (;@1;)
                end
                i32.const 0
                i32.load offset=34368
                local.set 3
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    local.get 2
                    i32.sub
                    local.tee 4
                    i32.const 15
                    i32.gt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 0
                    i32.store offset=34368
                    i32.const 0
                    i32.const 0
                    i32.store offset=34360
                    local.get 3
                    local.get 0
                    i32.const 3
                    i32.or
                    i32.store offset=4
                    local.get 3
                    local.get 0
                    i32.add
                    local.tee 0
                    local.get 0
                    i32.load offset=4
                    i32.const 1
                    i32.or
                    i32.store offset=4
                    br 1 (;@7;)
                  end
                  i32.const 0
                  local.get 4
                  i32.store offset=34360
                  i32.const 0
                  local.get 3
                  local.get 2
                  i32.add
                  local.tee 1
                  i32.store offset=34368
                  local.get 1
                  local.get 4
                  i32.const 1
                  i32.or
                  i32.store offset=4
                  local.get 3
                  local.get 0
                  i32.add
                  local.get 4
                  i32.store
                  local.get 3
                  local.get 2
                  i32.const 3
                  i32.or
                  i32.store offset=4
                end
                local.get 3
                i32.const 8
                i32.add
                return
              end
              local.get 0
              local.get 6
              local.get 7
              i32.add
              i32.store offset=4
              i32.const 0
              i32.const 0
              i32.load offset=34372
              local.tee 0
              i32.const 15
              i32.add
              i32.const -8
              i32.and
              local.tee 3
              i32.const -8
              i32.add
              local.tee 4
              i32.store offset=34372
              i32.const 0
              local.get 0
              local.get 3
              i32.sub
              i32.const 0
              i32.load offset=34364
              local.get 7
              i32.add
              local.tee 3
              i32.add
              i32.const 8
              i32.add
              local.tee 1
              i32.store offset=34364
              local.get 4
              local.get 1
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 0
              local.get 3
              i32.add
              i32.const 40
              i32.store offset=4
              i32.const 0
              i32.const 2097152
              i32.store offset=34384
              br 3 (;@2;)
            end
            i32.const 0
            local.get 0
            i32.store offset=34372
            i32.const 0
            i32.const 0
            i32.load offset=34364
            local.get 3
            i32.add
            local.tee 3
            i32.store offset=34364
            local.get 0
            local.get 3
            i32.const 1
            i32.or
            i32.store offset=4
            br 1 (;@3;)
          end
          i32.const 0
          local.get 0
          i32.store offset=34368
          i32.const 0
          i32.const 0
          i32.load offset=34360
          local.get 3
          i32.add
          local.tee 3
          i32.store offset=34360
          local.get 0
          local.get 3
          i32.const 1
          i32.or
          i32.store offset=4
          local.get 0
          local.get 3
          i32.add
          local.get 3
          i32.store
        end
        local.get 1
        i32.const 8
        i32.add
        return
      end
      i32.const 0
      local.set 0
      i32.const 0
      i32.load offset=34364
      local.tee 3
      local.get 2
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 3
      local.get 2
      i32.sub
      local.tee 3
      i32.store offset=34364
      i32.const 0
      i32.const 0
      i32.load offset=34372
      local.tee 0
      local.get 2
      i32.add
      local.tee 4
      i32.store offset=34372
      local.get 4
      local.get 3
      i32.const 1
      i32.or
      i32.store offset=4
      local.get 0
      local.get 2
      i32.const 3
      i32.or
      i32.store offset=4
      local.get 0
      i32.const 8
      i32.add
      return
    end
    local.get 0
  )
  (func (;30;) (type 2) (param i32 i32)
    (local i32 i32 i32 i32)
    i32.const 31
    local.set 2
    block ;; label = @1
      local.get 1
      i32.const 16777216
      i32.ge_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 38
      local.get 1
      i32.const 8
      i32.shr_u
      i32.clz
      local.tee 2
      i32.sub
      i32.shr_u
      i32.const 1
      i32.and
      local.get 2
      i32.const 1
      i32.shl
      i32.or
      i32.const 62
      i32.xor
      local.set 2
    end
    local.get 0
    i64.const 0
    i64.store offset=16 align=4
    local.get 0
    local.get 2
    i32.store offset=28
    local.get 2
    i32.const 2
    i32.shl
    i32.const 33944
    i32.add
    local.set 3
    block ;; label = @1
      i32.const 0
      i32.load offset=34356
      i32.const 1
      local.get 2
      i32.shl
      local.tee 4
      i32.and
      br_if 0 (;@1;)
      local.get 3
      local.get 0
      i32.store
      local.get 0
      local.get 3
      i32.store offset=24
      local.get 0
      local.get 0
      i32.store offset=12
      local.get 0
      local.get 0
      i32.store offset=8
      i32.const 0
      i32.const 0
      i32.load offset=34356
      local.get 4
      i32.or
      i32.store offset=34356
      return
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 3
          i32.load
          local.tee 4
          i32.load offset=4
          i32.const -8
          i32.and
          local.get 1
          i32.ne
          br_if 0 (;@3;)
          local.get 4
          local.set 2
          br 1 (;@2;)
        end
        local.get 1
        i32.const 0
        i32.const 25
        local.get 2
        i32.const 1
        i32.shr_u
        i32.sub
        local.get 2
        i32.const 31
        i32.eq
        select
        i32.shl
        local.set 3
        loop ;; label = @3
          local.get 4
          local.get 3
          i32.const 29
          i32.shr_u
          i32.const 4
          i32.and
          i32.add
          local.tee 5
          i32.load offset=16
          local.tee 2
          i32.eqz
          br_if 2 (;@1;)
          local.get 3
          i32.const 1
          i32.shl
          local.set 3
          local.get 2
          local.set 4
          local.get 2
          i32.load offset=4
          i32.const -8
          i32.and
          local.get 1
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.load offset=8
      local.tee 3
      local.get 0
      i32.store offset=12
      local.get 2
      local.get 0
      i32.store offset=8
      local.get 0
      i32.const 0
      i32.store offset=24
      local.get 0
      local.get 2
      i32.store offset=12
      local.get 0
      local.get 3
      i32.store offset=8
      return
    end
    local.get 5
    i32.const 16
    i32.add
    local.get 0
    i32.store
    local.get 0
    local.get 4
    i32.store offset=24
    local.get 0
    local.get 0
    i32.store offset=12
    local.get 0
    local.get 0
    i32.store offset=8
  )
  (func (;31;) (type 2) (param i32 i32)
    (local i32 i32 i32 i32)
    local.get 0
    i32.load offset=12
    local.set 2
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 1
            i32.const 256
            i32.lt_u
            br_if 0 (;@4;)
            local.get 0
            i32.load offset=24
            local.set 3
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  local.get 0
                  i32.ne
                  br_if 0 (;@7;)
                  local.get 0
                  i32.const 20
                  i32.const 16
                  local.get 0
                  i32.load offset=20
                  local.tee 2
                  select
                  i32.add
                  i32.load
                  local.tee 1
                  br_if 1 (;@6;)
                  i32.const 0
                  local.set 2
                  br 2 (;@5;)
                end
                local.get 0
                i32.load offset=8
                local.tee 1
                local.get 2
                i32.store offset=12
                local.get 2
                local.get 1
                i32.store offset=8
                br 1 (;@5;)
              end
              local.get 0
              i32.const 20
              i32.add
              local.get 0
              i32.const 16
              i32.add
              local.get 2
              select
              local.set 4
              loop ;; label = @6
                local.get 4
                local.set 5
                local.get 1
                local.tee 2
                i32.const 20
                i32.add
                local.get 2
                i32.const 16
                i32.add
                local.get 2
                i32.load offset=20
                local.tee 1
                select
                local.set 4
                local.get 2
                i32.const 20
                i32.const 16
                local.get 1
                select
                i32.add
                i32.load
                local.tee 1
                br_if 0 (;@6;)
              end
              local.get 5
              i32.const 0
              i32.store
            end
            local.get 3
            i32.eqz
            br_if 2 (;@2;)
            block ;; label = @5
              block ;; label = @6
                local.get 0
                local.get 0
                i32.load offset=28
                i32.const 2
                i32.shl
                i32.const 33944
                i32.add
                local.tee 1
                i32.load
                i32.eq
                br_if 0 (;@6;)
                local.get 3
                i32.load offset=16
                local.get 0
                i32.eq
                br_if 1 (;@5;)
                local.get 3
                local.get 2
                i32.store offset=20
                local.get 2
                br_if 3 (;@3;)
                br 4 (;@2;)
              end
              local.get 1
              local.get 2
              i32.store
              local.get 2
              i32.eqz
              br_if 4 (;@1;)
              br 2 (;@3;)
            end
            local.get 3
            local.get 2
            i32.store offset=16
            local.get 2
            br_if 1 (;@3;)
            br 2 (;@2;)
          end
          block ;; label = @4
            local.get 2
            local.get 0
            i32.load offset=8
            local.tee 4
            i32.eq
            br_if 0 (;@4;)
            local.get 4
            local.get 2
            i32.store offset=12
            local.get 2
            local.get 4
            i32.store offset=8
            return
          end
          i32.const 0
          i32.const 0
          i32.load offset=34352
          i32.const -2
          local.get 1
          i32.const 3
          i32.shr_u
          i32.rotl
          i32.and
          i32.store offset=34352
          return
        end
        local.get 2
        local.get 3
        i32.store offset=24
        block ;; label = @3
          local.get 0
          i32.load offset=16
          local.tee 1
          i32.eqz
          br_if 0 (;@3;)
          local.get 2
          local.get 1
          i32.store offset=16
          local.get 1
          local.get 2
          i32.store offset=24
        end
        local.get 0
        i32.load offset=20
        local.tee 1
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        local.get 1
        i32.store offset=20
        local.get 1
        local.get 2
        i32.store offset=24
        return
      end
      return
    end
    i32.const 0
    i32.const 0
    i32.load offset=34356
    i32.const -2
    local.get 0
    i32.load offset=28
    i32.rotl
    i32.and
    i32.store offset=34356
  )
  (func (;32;) (type 10) (param i32)
    (local i32 i32 i32 i32 i32)
    local.get 0
    i32.const -8
    i32.add
    local.tee 1
    local.get 0
    i32.const -4
    i32.add
    i32.load
    local.tee 2
    i32.const -8
    i32.and
    local.tee 0
    i32.add
    local.set 3
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i32.const 1
        i32.and
        br_if 0 (;@2;)
        local.get 2
        i32.const 2
        i32.and
        i32.eqz
        br_if 1 (;@1;)
        local.get 1
        i32.load
        local.tee 2
        local.get 0
        i32.add
        local.set 0
        block ;; label = @3
          local.get 1
          local.get 2
          i32.sub
          local.tee 1
          i32.const 0
          i32.load offset=34368
          i32.ne
          br_if 0 (;@3;)
          local.get 3
          i32.load offset=4
          i32.const 3
          i32.and
          i32.const 3
          i32.ne
          br_if 1 (;@2;)
          i32.const 0
          local.get 0
          i32.store offset=34360
          local.get 3
          local.get 3
          i32.load offset=4
          i32.const -2
          i32.and
          i32.store offset=4
          local.get 1
          local.get 0
          i32.const 1
          i32.or
          i32.store offset=4
          local.get 3
          local.get 0
          i32.store
          return
        end
        local.get 1
        local.get 2
        call 31
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 3
                      i32.load offset=4
                      local.tee 2
                      i32.const 2
                      i32.and
                      br_if 0 (;@9;)
                      local.get 3
                      i32.const 0
                      i32.load offset=34372
                      i32.eq
                      br_if 2 (;@7;)
                      local.get 3
                      i32.const 0
                      i32.load offset=34368
                      i32.eq
                      br_if 3 (;@6;)
                      local.get 3
                      local.get 2
                      i32.const -8
                      i32.and
                      local.tee 2
                      call 31
                      local.get 1
                      local.get 2
                      local.get 0
                      i32.add
                      local.tee 0
                      i32.const 1
                      i32.or
                      i32.store offset=4
                      local.get 1
                      local.get 0
                      i32.add
                      local.get 0
                      i32.store
                      local.get 1
                      i32.const 0
                      i32.load offset=34368
                      i32.ne
                      br_if 1 (;@8;)
                      i32.const 0
                      local.get 0
                      i32.store offset=34360
                      return
                    end
                    local.get 3
                    local.get 2
                    i32.const -2
                    i32.and
                    i32.store offset=4
                    local.get 1
                    local.get 0
                    i32.const 1
                    i32.or
                    i32.store offset=4
                    local.get 1
                    local.get 0
                    i32.add
                    local.get 0
                    i32.store
                  end
                  local.get 0
                  i32.const 256
                  i32.lt_u
                  br_if 2 (;@5;)
                  i32.const 31
                  local.set 3
                  local.get 0
                  i32.const 16777216
                  i32.lt_u
                  br_if 3 (;@4;)
                  br 5 (;@2;)
                end
                i32.const 0
                local.get 1
                i32.store offset=34372
                i32.const 0
                i32.const 0
                i32.load offset=34364
                local.get 0
                i32.add
                local.tee 0
                i32.store offset=34364
                local.get 1
                local.get 0
                i32.const 1
                i32.or
                i32.store offset=4
                block ;; label = @7
                  local.get 1
                  i32.const 0
                  i32.load offset=34368
                  i32.ne
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.const 0
                  i32.store offset=34360
                  i32.const 0
                  i32.const 0
                  i32.store offset=34368
                end
                local.get 0
                i32.const 0
                i32.load offset=34384
                local.tee 2
                i32.le_u
                br_if 5 (;@1;)
                i32.const 0
                i32.load offset=34372
                local.tee 0
                i32.eqz
                br_if 5 (;@1;)
                i32.const 0
                i32.load offset=34364
                local.tee 4
                i32.const 41
                i32.lt_u
                br_if 3 (;@3;)
                i32.const 34072
                local.set 1
                loop ;; label = @7
                  block ;; label = @8
                    local.get 1
                    i32.load
                    local.tee 3
                    local.get 0
                    i32.gt_u
                    br_if 0 (;@8;)
                    local.get 0
                    local.get 3
                    local.get 1
                    i32.load offset=4
                    i32.add
                    i32.lt_u
                    br_if 5 (;@3;)
                  end
                  local.get 1
                  i32.load offset=8
                  local.set 1
                  br 0 (;@7;)
                end
              end
              i32.const 0
              local.get 1
              i32.store offset=34368
              i32.const 0
              i32.const 0
              i32.load offset=34360
              local.get 0
              i32.add
              local.tee 0
              i32.store offset=34360
              local.get 1
              local.get 0
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 1
              local.get 0
              i32.add
              local.get 0
              i32.store
              return
            end
            block ;; label = @5
              block ;; label = @6
                i32.const 0
                i32.load offset=34352
                local.tee 3
                i32.const 1
                local.get 0
                i32.const 3
                i32.shr_u
                i32.shl
                local.tee 2
                i32.and
                br_if 0 (;@6;)
                i32.const 0
                local.get 3
                local.get 2
                i32.or
                i32.store offset=34352
                local.get 0
                i32.const 248
                i32.and
                i32.const 34088
                i32.add
                local.tee 0
                local.set 3
                br 1 (;@5;)
              end
              local.get 0
              i32.const 248
              i32.and
              local.tee 0
              i32.const 34088
              i32.add
              local.set 3
              local.get 0
              i32.const 34096
              i32.add
              i32.load
              local.set 0
            end
            local.get 3
            local.get 1
            i32.store offset=8
            local.get 0
            local.get 1
            i32.store offset=12
            local.get 1
            local.get 3
            i32.store offset=12
            local.get 1
            local.get 0
            i32.store offset=8
            return
          end
          local.get 0
          i32.const 38
          local.get 0
          i32.const 8
          i32.shr_u
          i32.clz
          local.tee 3
          i32.sub
          i32.shr_u
          i32.const 1
          i32.and
          local.get 3
          i32.const 1
          i32.shl
          i32.or
          i32.const 62
          i32.xor
          local.set 3
          br 1 (;@2;)
        end
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=34080
            local.tee 0
            br_if 0 (;@4;)
            i32.const 4095
            local.set 1
            br 1 (;@3;)
          end
          i32.const 0
          local.set 1
          loop ;; label = @4
            local.get 1
            i32.const 1
            i32.add
            local.set 1
            local.get 0
            i32.load offset=8
            local.tee 0
            br_if 0 (;@4;)
          end
          local.get 1
          i32.const 4095
          local.get 1
          i32.const 4095
          i32.gt_u
          select
          local.set 1
        end
        i32.const 0
        local.get 1
        i32.store offset=34392
        local.get 4
        local.get 2
        i32.le_u
        br_if 1 (;@1;)
        i32.const 0
        i32.const -1
        i32.store offset=34384
        br 1 (;@1;)
      end
      local.get 1
      i64.const 0
      i64.store offset=16 align=4
      local.get 1
      local.get 3
      i32.store offset=28
      local.get 3
      i32.const 2
      i32.shl
      i32.const 33944
      i32.add
      local.set 2
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load offset=34356
          i32.const 1
          local.get 3
          i32.shl
          local.tee 4
          i32.and
          br_if 0 (;@3;)
          local.get 2
          local.get 1
          i32.store
          local.get 1
          local.get 2
          i32.store offset=24
          local.get 1
          local.get 1
          i32.store offset=12
          local.get 1
          local.get 1
          i32.store offset=8
          i32.const 0
          i32.const 0
          i32.load offset=34356
          local.get 4
          i32.or
          i32.store offset=34356
          br 1 (;@2;)
        end
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 2
              i32.load
              local.tee 4
              i32.load offset=4
              i32.const -8
              i32.and
              local.get 0
              i32.ne
              br_if 0 (;@5;)
              local.get 4
              local.set 3
              br 1 (;@4;)
            end
            local.get 0
            i32.const 0
            i32.const 25
            local.get 3
            i32.const 1
            i32.shr_u
            i32.sub
            local.get 3
            i32.const 31
            i32.eq
            select
            i32.shl
            local.set 2
            loop ;; label = @5
              local.get 4
              local.get 2
              i32.const 29
              i32.shr_u
              i32.const 4
              i32.and
              i32.add
              local.tee 5
              i32.load offset=16
              local.tee 3
              i32.eqz
              br_if 2 (;@3;)
              local.get 2
              i32.const 1
              i32.shl
              local.set 2
              local.get 3
              local.set 4
              local.get 3
              i32.load offset=4
              i32.const -8
              i32.and
              local.get 0
              i32.ne
              br_if 0 (;@5;)
            end
          end
          local.get 3
          i32.load offset=8
          local.tee 0
          local.get 1
          i32.store offset=12
          local.get 3
          local.get 1
          i32.store offset=8
          local.get 1
          i32.const 0
          i32.store offset=24
          local.get 1
          local.get 3
          i32.store offset=12
          local.get 1
          local.get 0
          i32.store offset=8
          br 1 (;@2;)
        end
        local.get 5
        i32.const 16
        i32.add
        local.get 1
        i32.store
        local.get 1
        local.get 4
        i32.store offset=24
        local.get 1
        local.get 1
        i32.store offset=12
        local.get 1
        local.get 1
        i32.store offset=8
      end
      i32.const 0
      i32.const 0
      i32.load offset=34392
      i32.const -1
      i32.add
      local.tee 1
      i32.store offset=34392
      local.get 1
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load offset=34080
          local.tee 0
          br_if 0 (;@3;)
          i32.const 4095
          local.set 1
          br 1 (;@2;)
        end
        i32.const 0
        local.set 1
        loop ;; label = @3
          local.get 1
          i32.const 1
          i32.add
          local.set 1
          local.get 0
          i32.load offset=8
          local.tee 0
          br_if 0 (;@3;)
        end
        local.get 1
        i32.const 4095
        local.get 1
        i32.const 4095
        i32.gt_u
        select
        local.set 1
      end
      i32.const 0
      local.get 1
      i32.store offset=34392
      return
    end
  )
  (func (;33;) (type 2) (param i32 i32)
    local.get 0
    local.get 1
    call 25
    unreachable
  )
  (func (;34;) (type 14) (param i32 i64 i64 i64 i64)
    (local i64 i64 i64 i64 i64 i64)
    local.get 0
    local.get 3
    i64.const 4294967295
    i64.and
    local.tee 5
    local.get 1
    i64.const 4294967295
    i64.and
    local.tee 6
    i64.mul
    local.tee 7
    local.get 3
    i64.const 32
    i64.shr_u
    local.tee 8
    local.get 6
    i64.mul
    local.tee 6
    local.get 5
    local.get 1
    i64.const 32
    i64.shr_u
    local.tee 9
    i64.mul
    i64.add
    local.tee 5
    i64.const 32
    i64.shl
    i64.add
    local.tee 10
    i64.store
    local.get 0
    local.get 8
    local.get 9
    i64.mul
    local.get 5
    local.get 6
    i64.lt_u
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 5
    i64.const 32
    i64.shr_u
    i64.or
    i64.add
    local.get 10
    local.get 7
    i64.lt_u
    i64.extend_i32_u
    i64.add
    local.get 4
    local.get 1
    i64.mul
    local.get 3
    local.get 2
    i64.mul
    i64.add
    i64.add
    i64.store offset=8
  )
  (func (;35;) (type 14) (param i32 i64 i64 i64 i64)
    (local i32 i64 i32 i32 i32 i64 i64 i64 i64)
    global.get 0
    i32.const 176
    i32.sub
    local.tee 5
    global.set 0
    i64.const 0
    local.set 6
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 4
                    i64.clz
                    local.get 3
                    i64.clz
                    i64.const 64
                    i64.add
                    local.get 4
                    i64.const 0
                    i64.ne
                    select
                    i32.wrap_i64
                    local.tee 7
                    local.get 2
                    i64.clz
                    local.get 1
                    i64.clz
                    i64.const 64
                    i64.add
                    local.get 2
                    i64.const 0
                    i64.ne
                    select
                    i32.wrap_i64
                    local.tee 8
                    i32.le_u
                    br_if 0 (;@8;)
                    local.get 8
                    i32.const 63
                    i32.gt_u
                    br_if 1 (;@7;)
                    local.get 7
                    i32.const 95
                    i32.gt_u
                    br_if 2 (;@6;)
                    local.get 7
                    local.get 8
                    i32.sub
                    i32.const 32
                    i32.lt_u
                    br_if 3 (;@5;)
                    local.get 5
                    i32.const 160
                    i32.add
                    local.get 3
                    local.get 4
                    i32.const 96
                    local.get 7
                    i32.sub
                    local.tee 9
                    call 37
                    local.get 5
                    i64.load32_u offset=160
                    i64.const 1
                    i64.add
                    local.set 10
                    i64.const 0
                    local.set 11
                    i64.const 0
                    local.set 6
                    br 4 (;@4;)
                  end
                  local.get 1
                  local.get 3
                  i64.lt_u
                  local.tee 8
                  local.get 2
                  local.get 4
                  i64.lt_u
                  local.get 2
                  local.get 4
                  i64.eq
                  select
                  i32.eqz
                  br_if 5 (;@2;)
                  i64.const 0
                  local.set 12
                  br 6 (;@1;)
                end
                local.get 1
                local.get 1
                local.get 3
                i64.div_u
                local.tee 12
                local.get 3
                i64.mul
                i64.sub
                local.set 1
                i64.const 0
                local.set 6
                i64.const 0
                local.set 2
                br 5 (;@1;)
              end
              local.get 2
              local.get 2
              local.get 3
              i64.const 4294967295
              i64.and
              local.tee 4
              i64.div_u
              local.tee 6
              local.get 3
              i64.mul
              i64.sub
              i64.const 32
              i64.shl
              local.get 1
              i64.const 32
              i64.shr_u
              local.tee 12
              i64.or
              local.get 4
              i64.div_u
              local.tee 2
              i64.const 32
              i64.shl
              local.get 12
              local.get 2
              local.get 3
              i64.mul
              i64.sub
              i64.const 32
              i64.shl
              local.get 1
              i64.const 4294967295
              i64.and
              i64.or
              local.tee 1
              local.get 4
              i64.div_u
              local.tee 3
              i64.or
              local.set 12
              local.get 1
              local.get 3
              local.get 4
              i64.mul
              i64.sub
              local.set 1
              local.get 2
              i64.const 32
              i64.shr_u
              local.get 6
              i64.or
              local.set 6
              i64.const 0
              local.set 2
              br 4 (;@1;)
            end
            local.get 5
            i32.const 48
            i32.add
            local.get 1
            local.get 2
            i32.const 64
            local.get 8
            i32.sub
            local.tee 8
            call 37
            local.get 5
            i32.const 32
            i32.add
            local.get 3
            local.get 4
            local.get 8
            call 37
            i64.const 0
            local.set 6
            local.get 5
            local.get 3
            i64.const 0
            local.get 5
            i64.load offset=48
            local.get 5
            i64.load offset=32
            i64.div_u
            local.tee 12
            i64.const 0
            call 34
            local.get 5
            i32.const 16
            i32.add
            local.get 4
            i64.const 0
            local.get 12
            i64.const 0
            call 34
            local.get 5
            i64.load
            local.set 10
            block ;; label = @5
              local.get 5
              i64.load offset=24
              local.get 5
              i64.load offset=8
              local.tee 13
              local.get 5
              i64.load offset=16
              i64.add
              local.tee 11
              local.get 13
              i64.lt_u
              i64.extend_i32_u
              i64.add
              i64.const 0
              i64.ne
              br_if 0 (;@5;)
              local.get 1
              local.get 10
              i64.lt_u
              local.tee 8
              local.get 2
              local.get 11
              i64.lt_u
              local.get 2
              local.get 11
              i64.eq
              select
              i32.eqz
              br_if 2 (;@3;)
            end
            local.get 4
            local.get 2
            i64.add
            local.get 3
            local.get 1
            i64.add
            local.tee 1
            local.get 3
            i64.lt_u
            i64.extend_i32_u
            i64.add
            local.get 11
            i64.sub
            local.get 1
            local.get 10
            i64.lt_u
            i64.extend_i32_u
            i64.sub
            local.set 2
            local.get 12
            i64.const -1
            i64.add
            local.set 12
            local.get 1
            local.get 10
            i64.sub
            local.set 1
            br 3 (;@1;)
          end
          block ;; label = @4
            block ;; label = @5
              loop ;; label = @6
                local.get 5
                i32.const 144
                i32.add
                local.get 1
                local.get 2
                i32.const 64
                local.get 8
                i32.sub
                local.tee 8
                call 37
                local.get 5
                i64.load offset=144
                local.set 12
                block ;; label = @7
                  local.get 8
                  local.get 9
                  i32.ge_u
                  br_if 0 (;@7;)
                  local.get 5
                  i32.const 80
                  i32.add
                  local.get 3
                  local.get 4
                  local.get 8
                  call 37
                  local.get 5
                  i32.const 64
                  i32.add
                  local.get 3
                  local.get 4
                  local.get 12
                  local.get 5
                  i64.load offset=80
                  i64.div_u
                  local.tee 13
                  i64.const 0
                  call 34
                  block ;; label = @8
                    local.get 1
                    local.get 5
                    i64.load offset=64
                    local.tee 10
                    i64.lt_u
                    local.tee 8
                    local.get 2
                    local.get 5
                    i64.load offset=72
                    local.tee 12
                    i64.lt_u
                    local.get 2
                    local.get 12
                    i64.eq
                    select
                    br_if 0 (;@8;)
                    local.get 2
                    local.get 12
                    i64.sub
                    local.get 8
                    i64.extend_i32_u
                    i64.sub
                    local.set 2
                    local.get 1
                    local.get 10
                    i64.sub
                    local.set 1
                    local.get 6
                    local.get 11
                    local.get 13
                    i64.add
                    local.tee 12
                    local.get 11
                    i64.lt_u
                    i64.extend_i32_u
                    i64.add
                    local.set 6
                    br 7 (;@1;)
                  end
                  local.get 2
                  local.get 4
                  i64.add
                  local.get 1
                  local.get 3
                  i64.add
                  local.tee 4
                  local.get 1
                  i64.lt_u
                  i64.extend_i32_u
                  i64.add
                  local.get 12
                  i64.sub
                  local.get 4
                  local.get 10
                  i64.lt_u
                  i64.extend_i32_u
                  i64.sub
                  local.set 2
                  local.get 4
                  local.get 10
                  i64.sub
                  local.set 1
                  local.get 6
                  local.get 13
                  local.get 11
                  i64.add
                  i64.const -1
                  i64.add
                  local.tee 12
                  local.get 11
                  i64.lt_u
                  i64.extend_i32_u
                  i64.add
                  local.set 6
                  br 6 (;@1;)
                end
                local.get 5
                i32.const 128
                i32.add
                local.get 12
                local.get 10
                i64.div_u
                local.tee 12
                i64.const 0
                local.get 8
                local.get 9
                i32.sub
                local.tee 8
                call 38
                local.get 5
                i32.const 112
                i32.add
                local.get 3
                local.get 4
                local.get 12
                i64.const 0
                call 34
                local.get 5
                i32.const 96
                i32.add
                local.get 5
                i64.load offset=112
                local.get 5
                i64.load offset=120
                local.get 8
                call 38
                local.get 5
                i64.load offset=136
                local.get 6
                i64.add
                local.get 5
                i64.load offset=128
                local.tee 6
                local.get 11
                i64.add
                local.tee 11
                local.get 6
                i64.lt_u
                i64.extend_i32_u
                i64.add
                local.set 6
                block ;; label = @7
                  local.get 7
                  local.get 2
                  local.get 5
                  i64.load offset=104
                  i64.sub
                  local.get 1
                  local.get 5
                  i64.load offset=96
                  local.tee 12
                  i64.lt_u
                  i64.extend_i32_u
                  i64.sub
                  local.tee 2
                  i64.clz
                  local.get 1
                  local.get 12
                  i64.sub
                  local.tee 1
                  i64.clz
                  i64.const 64
                  i64.add
                  local.get 2
                  i64.const 0
                  i64.ne
                  select
                  i32.wrap_i64
                  local.tee 8
                  i32.le_u
                  br_if 0 (;@7;)
                  local.get 8
                  i32.const 63
                  i32.gt_u
                  br_if 2 (;@5;)
                  br 1 (;@6;)
                end
              end
              local.get 1
              local.get 3
              i64.lt_u
              local.tee 8
              local.get 2
              local.get 4
              i64.lt_u
              local.get 2
              local.get 4
              i64.eq
              select
              i32.eqz
              br_if 1 (;@4;)
              local.get 11
              local.set 12
              br 4 (;@1;)
            end
            local.get 1
            local.get 1
            local.get 3
            i64.div_u
            local.tee 2
            local.get 3
            i64.mul
            i64.sub
            local.set 1
            local.get 6
            local.get 11
            local.get 2
            i64.add
            local.tee 12
            local.get 11
            i64.lt_u
            i64.extend_i32_u
            i64.add
            local.set 6
            i64.const 0
            local.set 2
            br 3 (;@1;)
          end
          local.get 2
          local.get 4
          i64.sub
          local.get 8
          i64.extend_i32_u
          i64.sub
          local.set 2
          local.get 1
          local.get 3
          i64.sub
          local.set 1
          local.get 6
          local.get 11
          i64.const 1
          i64.add
          local.tee 12
          i64.eqz
          i64.extend_i32_u
          i64.add
          local.set 6
          br 2 (;@1;)
        end
        local.get 2
        local.get 11
        i64.sub
        local.get 8
        i64.extend_i32_u
        i64.sub
        local.set 2
        local.get 1
        local.get 10
        i64.sub
        local.set 1
        i64.const 0
        local.set 6
        br 1 (;@1;)
      end
      local.get 2
      local.get 4
      i64.sub
      local.get 8
      i64.extend_i32_u
      i64.sub
      local.set 2
      local.get 1
      local.get 3
      i64.sub
      local.set 1
      i64.const 1
      local.set 12
    end
    local.get 0
    local.get 1
    i64.store offset=16
    local.get 0
    local.get 12
    i64.store
    local.get 0
    local.get 2
    i64.store offset=24
    local.get 0
    local.get 6
    i64.store offset=8
    local.get 5
    i32.const 176
    i32.add
    global.set 0
  )
  (func (;36;) (type 14) (param i32 i64 i64 i64 i64)
    (local i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 5
    global.set 0
    local.get 5
    local.get 1
    local.get 2
    local.get 3
    local.get 4
    call 35
    local.get 5
    i64.load
    local.set 4
    local.get 0
    local.get 5
    i64.load offset=8
    i64.store offset=8
    local.get 0
    local.get 4
    i64.store
    local.get 5
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;37;) (type 15) (param i32 i64 i64 i32)
    (local i64)
    block ;; label = @1
      block ;; label = @2
        local.get 3
        i32.const 64
        i32.and
        br_if 0 (;@2;)
        local.get 3
        i32.eqz
        br_if 1 (;@1;)
        local.get 2
        i32.const 0
        local.get 3
        i32.sub
        i64.extend_i32_u
        i64.shl
        local.get 1
        local.get 3
        i64.extend_i32_u
        local.tee 4
        i64.shr_u
        i64.or
        local.set 1
        local.get 2
        local.get 4
        i64.shr_u
        local.set 2
        br 1 (;@1;)
      end
      local.get 2
      local.get 3
      i64.extend_i32_u
      i64.shr_u
      local.set 1
      i64.const 0
      local.set 2
    end
    local.get 0
    local.get 1
    i64.store
    local.get 0
    local.get 2
    i64.store offset=8
  )
  (func (;38;) (type 15) (param i32 i64 i64 i32)
    (local i64)
    block ;; label = @1
      block ;; label = @2
        local.get 3
        i32.const 64
        i32.and
        br_if 0 (;@2;)
        local.get 3
        i32.eqz
        br_if 1 (;@1;)
        local.get 2
        local.get 3
        i64.extend_i32_u
        local.tee 4
        i64.shl
        local.get 1
        i32.const 0
        local.get 3
        i32.sub
        i64.extend_i32_u
        i64.shr_u
        i64.or
        local.set 2
        local.get 1
        local.get 4
        i64.shl
        local.set 1
        br 1 (;@1;)
      end
      local.get 1
      local.get 3
      i64.extend_i32_u
      i64.shl
      local.set 2
      i64.const 0
      local.set 1
    end
    local.get 0
    local.get 1
    i64.store
    local.get 0
    local.get 2
    i64.store offset=8
  )
  (data (;0;) (i32.const 32768) "\11min > max. min = \c0\08, max = \c0\00/tng/parts/congestion/src/window.rs\00/tng/parts/congestion/src/integers.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/time.rs\00/rust/deps/dlmalloc-0.2.11/src/dlmalloc.rs\00\1e\80\00\00#\00\00\00\85\00\00\00\0a\00\00\000123456789abcdef00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899attempt to calculate the remainder with a divisor of zero0x0123456789ABCDEFassertion failed: psize >= size + min_overhead\00\00\00\b1\80\00\00*\00\00\00\b1\04\00\00\09\00\00\00assertion failed: psize <= size + max_overhead\00\00\b1\80\00\00*\00\00\00\b7\04\00\00\0d\00\00\00overflow when adding durations\00\00h\80\00\00H\00\00\00\9d\04\00\00\1f\00\00\00B\80\00\00%\00\00\00\22\00\00\00\1e\00\00\00B\80\00\00%\00\00\00&\00\00\00\1a\00\00\00")
  (data (;1;) (i32.const 33504) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
