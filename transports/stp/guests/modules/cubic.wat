(module
  (type (;0;) (func (param i32 i32)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i32)))
  (type (;3;) (func (param i64 i64)))
  (type (;4;) (func (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func))
  (type (;7;) (func (param i32 i32 i32)))
  (type (;8;) (func (param i32 i32 i32 i32) (result i32)))
  (type (;9;) (func (param i32 i64 i64)))
  (type (;10;) (func (param i32 i32 i64 i32 i32)))
  (type (;11;) (func (param i32 i64 i64 i32 i64 i32 i64 i32 i64 i32)))
  (type (;12;) (func (param i32 i64 i32 i64 i64 i32 i64 i64) (result i64)))
  (type (;13;) (func (param i32 i64 i32 i64 i64 i32 i32) (result i64)))
  (type (;14;) (func (param i32 i64) (result i64)))
  (type (;15;) (func (param i32 i32 i32 i32 i32)))
  (type (;16;) (func (param i32)))
  (type (;17;) (func (param i32 i32 i32 i32 i32 i32)))
  (type (;18;) (func (param i32) (result i32)))
  (type (;19;) (func (param i32 i32 i32 i32 i32 i32) (result i32)))
  (type (;20;) (func (param i32 i32 i32 i32 i32) (result i32)))
  (type (;21;) (func (param i32 i64 i64 i64 i64)))
  (type (;22;) (func (param i32 i64 i64 i32)))
  (import "tng" "net_window" (func (;0;) (type 3) (param i64 i64)))
  (table (;0;) 19 19 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 34673)
  (global (;2;) i32 i32.const 34688)
  (export "memory" (memory 0))
  (export "abi" (func 2))
  (export "area" (func 3))
  (export "sample" (func 4))
  (export "__data_end" (global 1))
  (export "__heap_base" (global 2))
  (elem (;0;) (i32.const 1) func 1 27 19 51 50 55 49 48 46 47 20 45 53 52 54 44 43 63)
  (func (;1;) (type 2) (param i32 i32) (result i32)
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
        call 62
        return
      end
      local.get 0
      local.get 1
      call 73
      return
    end
    local.get 0
    local.get 1
    call 72
  )
  (func (;2;) (type 4) (result i64)
    i64.const 257
  )
  (func (;3;) (type 5) (result i32)
    i32.const 34000
  )
  (func (;4;) (type 6)
    (local i32 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i32 i32 i32)
    global.get 0
    i32.const 480
    i32.sub
    local.tee 0
    global.set 0
    i32.const 0
    i64.load offset=34000
    local.set 1
    i32.const 0
    i64.load offset=34008
    local.set 2
    i32.const 0
    i64.load offset=34016
    local.set 3
    i32.const 0
    i64.load offset=34024
    local.set 4
    i32.const 0
    i64.load offset=34032
    local.set 5
    i32.const 0
    i64.load offset=34040
    local.set 6
    i32.const 0
    i64.load offset=34048
    local.set 7
    i32.const 0
    i64.load offset=34056
    local.set 8
    i32.const 0
    i64.load offset=34064
    local.set 9
    i32.const 0
    i64.load offset=34072
    local.set 10
    i32.const 0
    i64.load offset=34080
    local.set 11
    i32.const 0
    i64.load offset=34088
    local.set 12
    i32.const 0
    i64.load offset=34096
    local.set 13
    i32.const 0
    i64.load offset=34104
    local.set 14
    i32.const 0
    i64.load offset=34112
    local.set 15
    i32.const 0
    i64.load offset=34120
    local.set 16
    i32.const 0
    i64.load offset=34128
    local.set 17
    i32.const 0
    i64.load offset=34136
    local.set 18
    i32.const 0
    i64.load offset=34144
    local.set 19
    i32.const 0
    i64.load offset=34152
    local.set 20
    i32.const 0
    i64.load offset=34160
    local.set 21
    i32.const 0
    i64.load offset=34168
    local.set 22
    i32.const 0
    i64.load offset=34176
    local.set 23
    local.get 0
    i32.const 0
    i64.load offset=34184
    i64.store offset=184
    local.get 0
    local.get 23
    i64.store offset=176
    local.get 0
    local.get 22
    i64.store offset=168
    local.get 0
    local.get 21
    i64.store offset=160
    local.get 0
    local.get 20
    i64.store offset=152
    local.get 0
    local.get 19
    i64.store offset=144
    local.get 0
    local.get 18
    i64.store offset=136
    local.get 0
    local.get 17
    i64.store offset=128
    local.get 0
    local.get 16
    i64.store offset=120
    local.get 0
    local.get 15
    i64.store offset=112
    local.get 0
    local.get 14
    i64.store offset=104
    local.get 0
    local.get 13
    i64.store offset=96
    local.get 0
    local.get 12
    i64.store offset=88
    local.get 0
    local.get 11
    i64.store offset=80
    local.get 0
    local.get 10
    i64.store offset=72
    local.get 0
    local.get 9
    i64.store offset=64
    local.get 0
    local.get 8
    i64.store offset=56
    local.get 0
    local.get 7
    i64.store offset=48
    local.get 0
    local.get 6
    i64.store offset=40
    local.get 0
    local.get 5
    i64.store offset=32
    local.get 0
    local.get 4
    i64.store offset=24
    local.get 0
    local.get 3
    i64.store offset=16
    local.get 0
    local.get 2
    i64.store offset=8
    local.get 0
    local.get 1
    i64.store
    block ;; label = @1
      i32.const 0
      i64.load offset=33768
      i64.const 2
      i64.ne
      br_if 0 (;@1;)
      local.get 3
      i32.wrap_i64
      local.tee 24
      i32.const 65535
      local.get 24
      i32.const 65535
      i32.lt_u
      select
      local.set 25
      block ;; label = @2
        block ;; label = @3
          local.get 24
          br_if 0 (;@3;)
          i64.const 10
          local.set 13
          br 1 (;@2;)
        end
        local.get 25
        i64.extend_i32_u
        local.tee 13
        i64.const 10
        i64.mul
        local.tee 14
        local.get 13
        i64.const 1
        i64.shl
        local.tee 13
        i64.const 14720
        local.get 13
        i64.const 14720
        i64.gt_u
        select
        local.tee 13
        local.get 14
        local.get 13
        i64.lt_u
        select
        local.set 13
      end
      i32.const 0
      i64.const 0
      i64.store offset=33768
      i32.const 0
      local.get 0
      i64.load offset=192
      i64.store offset=33776
      i32.const 0
      i64.const 0
      i64.store offset=33784
      i32.const 0
      i64.const 0
      i64.store offset=33792
      i32.const 0
      local.get 25
      i32.store16 offset=33976
      i32.const 0
      i32.const 1000000000
      i32.store offset=33952
      i32.const 0
      i32.const 1000000000
      i32.store offset=33936
      i32.const 0
      i32.const 1000000000
      i32.store offset=33920
      i32.const 0
      i64.const 0
      i64.store offset=33896
      i32.const 0
      i64.const 0
      i64.store offset=33872
      i32.const 0
      local.get 13
      i64.store offset=33864
      i32.const 0
      i32.const 1000000000
      i32.store offset=33856
      local.get 0
      i64.const 0
      i64.store offset=208
      local.get 0
      i64.const 0
      i64.store offset=200
      local.get 0
      i64.const 0
      i64.store offset=374 align=2
      local.get 0
      i64.const 0
      i64.store offset=382 align=2
      i32.const 0
      i32.const 0
      i32.store offset=33968
      i32.const 0
      local.get 0
      i64.load offset=382 align=2
      i64.store offset=33992 align=2
      i32.const 0
      local.get 0
      i64.load offset=376 align=2
      i64.store offset=33986 align=2
      i32.const 0
      local.get 0
      i64.load offset=368 align=2
      i64.store offset=33978 align=2
    end
    block ;; label = @1
      block ;; label = @2
        local.get 1
        i64.const 5
        i64.gt_u
        br_if 0 (;@2;)
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
                            local.get 1
                            i32.wrap_i64
                            br_table 0 (;@12;) 1 (;@11;) 2 (;@10;) 3 (;@9;) 4 (;@8;) 5 (;@7;) 0 (;@12;)
                          end
                          local.get 0
                          local.get 10
                          i64.store offset=416
                          local.get 0
                          local.get 9
                          i64.store offset=408
                          local.get 0
                          local.get 8
                          i64.store offset=400
                          local.get 0
                          local.get 7
                          i64.store offset=392
                          local.get 0
                          local.get 6
                          i64.store offset=384
                          local.get 0
                          local.get 5
                          i64.store offset=376
                          local.get 0
                          local.get 3
                          i64.store offset=368
                          local.get 0
                          i32.const 1000000000
                          i32.const 0
                          local.get 12
                          i64.eqz
                          select
                          i32.store offset=456
                          local.get 0
                          i64.const 0
                          i64.store offset=448
                          local.get 0
                          local.get 11
                          i64.const 0
                          i64.ne
                          i32.store8 offset=424
                          local.get 0
                          local.get 12
                          i64.const 1000000000
                          i64.div_u
                          local.tee 1
                          i64.store offset=432
                          local.get 0
                          local.get 12
                          local.get 1
                          i64.const 1000000000
                          i64.mul
                          i64.sub
                          i64.store32 offset=440
                          local.get 0
                          i32.const 192
                          i32.add
                          local.get 0
                          call 9
                          local.get 0
                          i32.load8_u offset=328
                          i32.const 1
                          i32.ne
                          br_if 9 (;@2;)
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=33872
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 5
                            i32.const 0
                            i64.load offset=33880
                            i64.le_u
                            br_if 10 (;@2;)
                          end
                          i64.const -1
                          i32.const 0
                          i64.load offset=33864
                          local.tee 1
                          local.get 3
                          i64.add
                          local.tee 12
                          local.get 12
                          local.get 1
                          i64.lt_u
                          select
                          local.tee 12
                          i64.const 4611686018427387904
                          local.get 12
                          i64.const 4611686018427387904
                          i64.lt_u
                          select
                          local.set 12
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=33768
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 12
                            i32.const 0
                            i64.load offset=33776
                            local.tee 4
                            i64.le_u
                            br_if 6 (;@6;)
                            i32.const 33784
                            local.get 4
                            local.get 1
                            local.get 4
                            local.get 1
                            i64.gt_u
                            select
                            local.tee 1
                            i32.const 0
                            i32.load16_u offset=33976
                            local.get 12
                            local.get 1
                            i64.sub
                            local.get 2
                            local.get 0
                            i32.const 368
                            i32.add
                            local.get 0
                            i32.const 192
                            i32.add
                            call 14
                            local.set 3
                            i32.const 0
                            i64.load offset=33864
                            local.set 1
                            br 9 (;@3;)
                          end
                          local.get 0
                          i32.const 352
                          i32.add
                          i32.const 33896
                          local.get 2
                          local.get 0
                          i32.const 368
                          i32.add
                          i32.const 0
                          i32.load16_u offset=33976
                          call 11
                          i64.const -1
                          i32.const 0
                          i64.load offset=33864
                          local.tee 1
                          local.get 0
                          i64.load offset=352
                          i64.add
                          local.tee 3
                          local.get 3
                          local.get 1
                          i64.lt_u
                          select
                          local.set 3
                          local.get 0
                          i32.load8_u offset=360
                          i32.const 1
                          i32.ne
                          br_if 8 (;@3;)
                          i32.const 0
                          local.get 3
                          i64.store offset=33776
                          i32.const 0
                          i64.const 1
                          i64.store offset=33768
                          br 8 (;@3;)
                        end
                        local.get 4
                        i64.const 4
                        i64.lt_u
                        local.tee 26
                        local.get 4
                        i64.const 0
                        i64.ne
                        i32.and
                        local.set 25
                        local.get 0
                        i32.const 192
                        i32.add
                        local.get 0
                        call 9
                        i32.const 0
                        local.set 24
                        block ;; label = @11
                          block ;; label = @12
                            i32.const 0
                            i64.load offset=33872
                            local.tee 1
                            i64.const 1
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 5
                            i32.const 0
                            i64.load offset=33880
                            local.tee 12
                            i64.le_u
                            br_if 1 (;@11;)
                          end
                          block ;; label = @12
                            local.get 25
                            br_if 0 (;@12;)
                            local.get 0
                            i32.const 368
                            i32.add
                            i32.const 33768
                            i32.const 104
                            memory.copy
                            call 8
                            i32.const 128
                            i32.const 8
                            call 5
                            local.tee 24
                            i32.eqz
                            br_if 7 (;@5;)
                            local.get 24
                            local.get 0
                            i32.const 368
                            i32.add
                            i32.const 104
                            memory.copy
                            local.get 24
                            local.get 3
                            i64.store offset=120
                            local.get 24
                            local.get 12
                            i64.store offset=112
                            local.get 24
                            local.get 1
                            i64.store offset=104
                            i32.const 0
                            i64.load offset=33872
                            local.set 1
                          end
                          block ;; label = @12
                            local.get 1
                            i64.eqz
                            br_if 0 (;@12;)
                            i32.const 0
                            i32.load offset=33888
                            local.tee 25
                            i32.eqz
                            br_if 0 (;@12;)
                            local.get 25
                            i32.const 128
                            i32.const 8
                            call 6
                          end
                          i32.const 0
                          local.get 24
                          i32.store offset=33888
                          i32.const 0
                          local.get 2
                          i64.store offset=33880
                          i32.const 0
                          i64.const 1
                          i64.store offset=33872
                          i32.const 33784
                          i32.const 0
                          i64.load offset=33864
                          call 15
                          local.set 1
                          i32.const 0
                          i64.const 1
                          i64.store offset=33768
                          i32.const 0
                          i64.const 2
                          i32.const 0
                          i64.load16_u offset=33976
                          local.tee 3
                          i64.const 1
                          i64.shl
                          local.get 3
                          i64.eqz
                          select
                          local.tee 3
                          local.get 1
                          local.get 3
                          local.get 1
                          i64.gt_u
                          select
                          local.tee 1
                          i64.store offset=33864
                          i32.const 0
                          local.get 1
                          i64.store offset=33776
                          br 7 (;@4;)
                        end
                        block ;; label = @11
                          local.get 25
                          i32.const 1
                          i32.xor
                          i32.const 0
                          i32.load offset=33888
                          local.tee 24
                          i32.eqz
                          i32.or
                          br_if 0 (;@11;)
                          i32.const 0
                          i32.const 0
                          i32.store offset=33888
                          local.get 24
                          i32.const 128
                          i32.const 8
                          call 6
                          i32.const 0
                          i32.load offset=33888
                          local.set 24
                        end
                        local.get 24
                        i32.eqz
                        br_if 6 (;@4;)
                        local.get 24
                        i64.const -1
                        local.get 24
                        i64.load offset=120
                        local.tee 1
                        local.get 3
                        i64.add
                        local.tee 3
                        local.get 3
                        local.get 1
                        i64.lt_u
                        select
                        i64.store offset=120
                        br 6 (;@4;)
                      end
                      i32.const 0
                      i64.load offset=33872
                      i64.const 1
                      i64.ne
                      br_if 7 (;@2;)
                      i32.const 0
                      i32.load offset=33888
                      local.tee 24
                      i32.eqz
                      br_if 7 (;@2;)
                      local.get 5
                      i32.const 0
                      i64.load offset=33880
                      i64.gt_u
                      br_if 7 (;@2;)
                      block ;; label = @10
                        local.get 24
                        i64.load offset=104
                        i64.const 1
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 5
                        local.get 24
                        i64.load offset=112
                        i64.le_u
                        br_if 8 (;@2;)
                      end
                      i64.const 0
                      local.set 12
                      local.get 24
                      i64.const 0
                      local.get 24
                      i64.load offset=120
                      local.tee 1
                      local.get 3
                      i64.sub
                      local.tee 3
                      local.get 3
                      local.get 1
                      i64.gt_u
                      select
                      i64.store offset=120
                      i32.const 0
                      i32.load offset=33888
                      local.tee 24
                      i64.load offset=120
                      i64.const 0
                      i64.ne
                      br_if 7 (;@2;)
                      local.get 24
                      i64.load
                      local.set 1
                      i32.const 0
                      local.get 24
                      i64.load offset=8
                      i64.store offset=33776
                      i32.const 0
                      local.get 1
                      i64.store offset=33768
                      i32.const 0
                      i64.load offset=33864
                      local.set 1
                      local.get 24
                      i64.load offset=96
                      local.set 3
                      i32.const 33784
                      local.get 24
                      i32.const 16
                      i32.add
                      i32.const 80
                      memory.copy
                      i32.const 0
                      local.get 1
                      local.get 3
                      local.get 1
                      local.get 3
                      i64.gt_u
                      select
                      i64.store offset=33864
                      block ;; label = @10
                        local.get 24
                        i64.load offset=104
                        i64.const 1
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 24
                        i64.load offset=112
                        local.set 1
                        i64.const 1
                        local.set 12
                      end
                      local.get 24
                      i32.const 128
                      i32.const 8
                      call 6
                      i32.const 0
                      local.get 1
                      i64.store offset=33880
                      i32.const 0
                      local.get 12
                      i64.store offset=33872
                      i32.const 0
                      i32.const 0
                      i32.store offset=33888
                      br 7 (;@2;)
                    end
                    i32.const 0
                    i64.load offset=33776
                    local.set 12
                    i32.const 0
                    i64.load offset=33864
                    local.set 1
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i64.load16_u offset=33976
                        local.tee 4
                        i64.eqz
                        i32.eqz
                        br_if 0 (;@10;)
                        i64.const 10
                        local.set 4
                        br 1 (;@9;)
                      end
                      local.get 4
                      i64.const 10
                      i64.mul
                      local.tee 5
                      local.get 4
                      i64.const 1
                      i64.shl
                      local.tee 4
                      i64.const 14720
                      local.get 4
                      i64.const 14720
                      i64.gt_u
                      select
                      local.tee 4
                      local.get 5
                      local.get 4
                      i64.lt_u
                      select
                      local.set 4
                    end
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33856
                    i32.const 0
                    local.get 1
                    local.get 3
                    i64.shr_u
                    i64.const 0
                    local.get 3
                    i64.const 64
                    i64.lt_u
                    select
                    local.tee 3
                    local.get 1
                    local.get 4
                    local.get 1
                    local.get 4
                    i64.lt_u
                    select
                    local.get 4
                    local.get 3
                    i64.lt_u
                    select
                    local.tee 3
                    i64.store offset=33864
                    i32.const 0
                    local.get 1
                    i64.const 2
                    i64.shr_u
                    i64.const 3
                    i64.mul
                    local.tee 4
                    local.get 12
                    local.get 4
                    local.get 12
                    i64.gt_u
                    select
                    local.get 12
                    local.get 3
                    local.get 1
                    i64.lt_u
                    select
                    i64.store offset=33776
                    br 6 (;@2;)
                  end
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33896
                    i64.const 1
                    i64.gt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33952
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33936
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33920
                    i32.const 0
                    i64.const 0
                    i64.store offset=33896
                    i32.const 0
                    i32.const 0
                    i32.store offset=33968
                  end
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load16_u offset=33976
                      local.tee 24
                      br_if 0 (;@9;)
                      i64.const 10
                      local.set 1
                      br 1 (;@8;)
                    end
                    local.get 24
                    i64.extend_i32_u
                    local.tee 1
                    i64.const 10
                    i64.mul
                    local.tee 3
                    local.get 1
                    i64.const 1
                    i64.shl
                    local.tee 1
                    i64.const 14720
                    local.get 1
                    i64.const 14720
                    i64.gt_u
                    select
                    local.tee 1
                    local.get 3
                    local.get 1
                    i64.lt_u
                    select
                    local.set 1
                  end
                  local.get 0
                  i64.const 0
                  i64.store offset=384
                  local.get 0
                  i64.const 0
                  i64.store offset=376
                  local.get 0
                  i32.const 208
                  i32.add
                  i32.const 33896
                  i32.const 80
                  memory.copy
                  block ;; label = @8
                    i32.const 0
                    i64.load offset=33872
                    i64.eqz
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.load offset=33888
                    local.tee 25
                    i32.eqz
                    br_if 0 (;@8;)
                    local.get 25
                    i32.const 128
                    i32.const 8
                    call 6
                  end
                  i32.const 0
                  i64.const 0
                  i64.store offset=33768
                  i32.const 0
                  local.get 0
                  i64.load offset=368
                  i64.store offset=33776
                  i32.const 0
                  local.get 0
                  i64.load offset=376
                  i64.store offset=33784
                  i32.const 0
                  local.get 0
                  i64.load offset=384
                  i64.store offset=33792
                  i32.const 0
                  i64.const 0
                  i64.store offset=33872
                  i32.const 0
                  local.get 1
                  i64.store offset=33864
                  i32.const 0
                  i32.const 1000000000
                  i32.store offset=33856
                  i32.const 33880
                  local.get 0
                  i32.const 192
                  i32.add
                  i32.const 96
                  memory.copy
                  i32.const 0
                  local.get 24
                  i32.store16 offset=33976
                  br 5 (;@2;)
                end
                i32.const 0
                i32.const 1000000000
                i32.store offset=33856
                i32.const 0
                local.get 3
                i64.const 65535
                local.get 3
                i64.const 65535
                i64.lt_u
                select
                local.tee 1
                i64.store16 offset=33976
                i32.const 0
                i64.const 2
                local.get 1
                i64.const 1
                i64.shl
                local.get 3
                i64.eqz
                select
                local.tee 1
                i32.const 0
                i64.load offset=33864
                local.tee 3
                local.get 1
                local.get 3
                i64.gt_u
                select
                i64.store offset=33864
                br 4 (;@2;)
              end
              i64.const -1
              local.get 1
              i32.const 0
              i64.load16_u offset=33976
              i64.const 1
              i64.shl
              local.tee 4
              local.get 3
              local.get 4
              local.get 3
              i64.lt_u
              select
              local.get 3
              i32.const 0
              i64.load offset=33896
              i64.const 3
              i64.eq
              select
              i64.add
              local.tee 3
              local.get 3
              local.get 1
              i64.lt_u
              select
              local.set 3
              br 2 (;@3;)
            end
            i32.const 8
            i32.const 128
            call 58
            unreachable
          end
          local.get 26
          local.get 4
          i64.const 2
          i64.eq
          i32.and
          i32.eqz
          br_if 1 (;@2;)
          block ;; label = @4
            i32.const 0
            i64.load offset=33872
            i64.eqz
            br_if 0 (;@4;)
            i32.const 0
            i32.load offset=33888
            local.tee 24
            i32.eqz
            br_if 0 (;@4;)
            local.get 24
            i32.const 128
            i32.const 8
            call 6
          end
          i32.const 0
          local.get 2
          i64.store offset=33880
          i32.const 0
          i64.const 1
          i64.store offset=33872
          i32.const 0
          i32.const 1000000000
          i32.store offset=33856
          i32.const 0
          i64.const 0
          i64.store offset=33784
          i32.const 0
          i64.const 2
          i32.const 0
          i64.load16_u offset=33976
          local.tee 1
          i64.const 1
          i64.shl
          local.get 1
          i64.eqz
          select
          i64.store offset=33864
          i32.const 0
          i32.const 0
          i32.store offset=33888
          br 1 (;@2;)
        end
        local.get 1
        local.get 12
        i64.gt_u
        br_if 1 (;@1;)
        i32.const 0
        local.get 1
        local.get 3
        local.get 12
        local.get 3
        local.get 12
        i64.lt_u
        select
        local.get 3
        local.get 1
        i64.lt_u
        select
        i64.store offset=33864
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33984
          i32.const 0
          i64.load offset=33864
          local.tee 1
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.load offset=33992
          i64.eqz
          br_if 1 (;@2;)
        end
        i32.const 0
        i64.const 0
        i64.store offset=33992
        i32.const 0
        local.get 1
        i64.store offset=33984
        local.get 0
        i32.const 479
        i32.add
        local.get 1
        i64.const 0
        call 10
      end
      local.get 0
      i32.const 480
      i32.add
      global.set 0
      return
    end
    local.get 0
    local.get 1
    i64.store offset=336
    local.get 0
    local.get 12
    i64.store offset=344
    local.get 0
    i32.const 1
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.tee 1
    local.get 0
    i32.const 344
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=360
    local.get 0
    local.get 1
    local.get 0
    i32.const 336
    i32.add
    i64.extend_i32_u
    i64.or
    i64.store offset=352
    i32.const 32768
    local.get 0
    i32.const 352
    i32.add
    i32.const 33072
    call 61
    unreachable
  )
  (func (;5;) (type 2) (param i32 i32) (result i32)
    local.get 0
    local.get 1
    call 29
    return
  )
  (func (;6;) (type 7) (param i32 i32 i32)
    local.get 0
    local.get 1
    local.get 2
    call 33
    return
  )
  (func (;7;) (type 8) (param i32 i32 i32 i32) (result i32)
    local.get 0
    local.get 1
    local.get 2
    local.get 3
    call 35
    return
  )
  (func (;8;) (type 6)
    return
  )
  (func (;9;) (type 0) (param i32 i32)
    (local i32 i64 i64 i64 i64 i64 i64 i64 i64)
    global.get 0
    i32.const 64
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      block ;; label = @2
        local.get 1
        i64.load offset=96
        local.tee 3
        i64.const 0
        i64.ne
        br_if 0 (;@2;)
        local.get 2
        i64.const -1
        i64.store offset=56
        local.get 2
        i64.const 333000000
        i64.store offset=48
        local.get 2
        i64.const 166500000
        i64.store offset=40
        local.get 2
        i64.const 333000000
        i64.store offset=32
        local.get 2
        i64.const 333000000
        i64.store offset=24
        local.get 2
        i64.const 333000000
        i64.store offset=16
        local.get 2
        i64.const 0
        i64.store
        br 1 (;@1;)
      end
      local.get 2
      local.get 1
      i64.load offset=8
      local.get 1
      i64.load offset=120
      local.tee 4
      i64.const 1000000000
      i64.div_u
      local.tee 5
      local.get 4
      local.get 5
      i64.const 1000000000
      i64.mul
      i64.sub
      i32.wrap_i64
      local.get 3
      i64.const 1000000000
      i64.div_u
      local.tee 4
      local.get 3
      local.get 4
      i64.const 1000000000
      i64.mul
      i64.sub
      i32.wrap_i64
      local.get 1
      i64.load offset=104
      local.tee 3
      i64.const 1000000000
      i64.div_u
      local.tee 4
      local.get 3
      local.get 4
      i64.const 1000000000
      i64.mul
      i64.sub
      i32.wrap_i64
      local.get 1
      i64.load offset=112
      local.tee 3
      i64.const 1000000000
      i64.div_u
      local.tee 4
      local.get 3
      local.get 4
      i64.const 1000000000
      i64.mul
      i64.sub
      i32.wrap_i64
      call 12
    end
    local.get 0
    local.get 2
    i64.load
    i64.store
    local.get 0
    local.get 2
    i64.load offset=8
    i64.store offset=8
    local.get 0
    local.get 2
    i64.load offset=16
    i64.store offset=16
    local.get 0
    local.get 2
    i64.load offset=24
    i64.store offset=24
    local.get 0
    local.get 2
    i64.load offset=32
    i64.store offset=32
    local.get 0
    local.get 2
    i64.load offset=40
    i64.store offset=40
    local.get 0
    local.get 2
    i64.load offset=48
    i64.store offset=48
    local.get 0
    local.get 2
    i64.load offset=56
    i64.store offset=56
    local.get 1
    i64.load offset=80
    local.set 4
    local.get 1
    i64.load offset=176
    local.set 5
    local.get 1
    i64.load offset=168
    local.set 3
    local.get 1
    i64.load offset=160
    local.set 6
    local.get 1
    i64.load offset=128
    local.set 7
    local.get 1
    i64.load offset=136
    local.set 8
    local.get 1
    i64.load offset=144
    local.set 9
    local.get 1
    i64.load offset=152
    local.set 10
    local.get 0
    local.get 1
    i64.load offset=32
    i64.store offset=128
    local.get 0
    local.get 10
    i64.store offset=120
    local.get 0
    local.get 9
    i64.store offset=112
    local.get 0
    local.get 8
    i64.store offset=104
    local.get 0
    local.get 7
    i64.store offset=96
    local.get 0
    local.get 6
    i64.store offset=80
    local.get 0
    local.get 3
    i64.const 1000000000
    i64.div_u
    local.tee 6
    i64.store offset=64
    local.get 0
    local.get 5
    i64.const 0
    i64.ne
    i32.store8 offset=136
    local.get 0
    local.get 4
    i64.const 0
    i64.ne
    i32.store8 offset=88
    local.get 0
    i32.const 1000000000
    local.get 3
    local.get 6
    i64.const 1000000000
    i64.mul
    i64.sub
    i32.wrap_i64
    local.get 3
    i64.eqz
    select
    i32.store offset=72
    local.get 2
    i32.const 64
    i32.add
    global.set 0
  )
  (func (;10;) (type 9) (param i32 i64 i64)
    local.get 1
    local.get 2
    call 0
  )
  (func (;11;) (type 10) (param i32 i32 i64 i32 i32)
    (local i64 i64 i32 i32 i64 i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 1
          i64.load
          local.tee 5
          i64.const 2
          i64.lt_u
          br_if 0 (;@3;)
          local.get 4
          i64.extend_i32_u
          i64.const 65535
          i64.and
          i64.const 1
          i64.shl
          local.tee 6
          local.get 3
          i64.load
          local.tee 2
          local.get 6
          local.get 2
          i64.lt_u
          select
          local.get 2
          local.get 5
          i64.const 3
          i64.eq
          select
          local.set 5
          br 1 (;@2;)
        end
        block ;; label = @3
          block ;; label = @4
            local.get 5
            i64.const 1
            i64.ne
            br_if 0 (;@4;)
            local.get 3
            i64.load offset=8
            local.get 1
            i64.load offset=8
            i64.lt_u
            br_if 1 (;@3;)
          end
          local.get 1
          local.get 2
          i64.store offset=8
          local.get 1
          i64.const 1
          i64.store
          local.get 1
          i32.const 0
          i32.store offset=72
          local.get 1
          i32.load offset=40
          local.set 4
          local.get 1
          i32.const 1000000000
          i32.store offset=40
          local.get 1
          local.get 4
          i32.store offset=24
          local.get 1
          local.get 1
          i64.load offset=32
          i64.store offset=16
          local.get 1
          i32.load offset=56
          i32.const 1000000000
          i32.eq
          br_if 0 (;@3;)
          local.get 1
          local.get 1
          i32.load offset=64
          i32.const -1
          i32.add
          local.tee 4
          i32.store offset=64
          local.get 4
          br_if 0 (;@3;)
          i32.const 1
          local.set 1
          i64.const 0
          local.set 5
          br 2 (;@1;)
        end
        block ;; label = @3
          local.get 3
          i32.load offset=88
          i32.const 1000000000
          i32.eq
          br_if 0 (;@3;)
          local.get 3
          i32.load offset=72
          local.set 4
          local.get 3
          i64.load offset=64
          local.set 5
          block ;; label = @4
            local.get 1
            i32.load offset=40
            local.tee 7
            i32.const 1000000000
            i32.eq
            br_if 0 (;@4;)
            local.get 4
            local.get 7
            local.get 4
            local.get 7
            i32.lt_u
            local.get 5
            local.get 1
            i64.load offset=32
            local.tee 2
            i64.lt_u
            local.get 5
            local.get 2
            i64.eq
            select
            local.tee 8
            select
            local.set 4
            local.get 5
            local.get 2
            local.get 8
            select
            local.set 5
          end
          local.get 1
          local.get 4
          i32.store offset=40
          local.get 1
          local.get 5
          i64.store offset=32
          local.get 1
          local.get 1
          i32.load offset=72
          i32.const 1
          i32.add
          local.tee 7
          i32.store offset=72
          local.get 7
          i32.const 8
          i32.lt_u
          br_if 0 (;@3;)
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 1
                i32.load offset=56
                local.tee 7
                i32.const 1000000000
                i32.eq
                br_if 0 (;@6;)
                local.get 4
                local.get 7
                i32.lt_u
                local.get 5
                local.get 1
                i64.load offset=48
                local.tee 2
                i64.lt_u
                local.get 5
                local.get 2
                i64.eq
                select
                br_if 1 (;@5;)
                br 3 (;@3;)
              end
              local.get 1
              i32.load offset=24
              local.tee 7
              i32.const 1000000000
              i32.eq
              br_if 2 (;@3;)
              local.get 1
              i64.load offset=16
              local.tee 2
              i32.wrap_i64
              i32.const 7
              i32.and
              i32.const 125000000
              i32.mul
              local.get 7
              i32.const 3
              i32.shr_u
              i32.add
              local.set 8
              i64.const 0
              local.set 6
              block ;; label = @6
                block ;; label = @7
                  local.get 2
                  i64.const 3
                  i64.shr_u
                  local.tee 9
                  i64.const 0
                  i64.ne
                  br_if 0 (;@7;)
                  i32.const 4000000
                  local.set 10
                  local.get 8
                  i32.const 4000000
                  i32.lt_u
                  br_if 1 (;@6;)
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
              local.get 6
              local.get 2
              i64.add
              local.tee 2
              local.get 6
              i64.lt_u
              br_if 1 (;@4;)
              block ;; label = @6
                local.get 10
                local.get 7
                i32.add
                local.tee 7
                i32.const 1000000000
                i32.lt_u
                br_if 0 (;@6;)
                local.get 2
                i64.const -1
                i64.eq
                br_if 2 (;@4;)
                local.get 7
                i32.const -1000000000
                i32.add
                local.set 7
                local.get 2
                i64.const 1
                i64.add
                local.set 2
              end
              local.get 4
              local.get 7
              i32.ge_u
              local.get 5
              local.get 2
              i64.ge_u
              local.get 5
              local.get 2
              i64.eq
              select
              i32.eqz
              br_if 2 (;@3;)
              local.get 1
              i32.const 5
              i32.store offset=64
              local.get 1
              local.get 4
              i32.store offset=56
              local.get 1
              local.get 5
              i64.store offset=48
              br 2 (;@3;)
            end
            local.get 1
            i32.const 1000000000
            i32.store offset=56
            br 1 (;@3;)
          end
          i32.const 33088
          i32.const 30
          i32.const 33120
          call 70
          unreachable
        end
        local.get 3
        i64.load
        i64.const 0
        i64.const 2
        local.get 1
        i32.load offset=56
        i32.const 1000000000
        i32.eq
        select
        i64.shr_u
        local.set 5
      end
      i32.const 0
      local.set 1
    end
    local.get 0
    local.get 1
    i32.store8 offset=8
    local.get 0
    local.get 5
    i64.store
  )
  (func (;12;) (type 11) (param i32 i64 i64 i32 i64 i32 i64 i32 i64 i32)
    (local i32 i64)
    global.get 0
    i32.const 64
    i32.sub
    local.tee 10
    global.set 0
    local.get 10
    i32.const 16
    i32.add
    local.get 4
    i64.const 0
    i64.const 1000000000
    i64.const 0
    call 74
    local.get 0
    local.get 1
    i64.store offset=8
    local.get 0
    i64.const 1
    i64.store
    local.get 0
    i64.const 4611686018427387904
    local.get 10
    i64.load offset=16
    local.tee 1
    local.get 5
    i64.extend_i32_u
    i64.add
    local.tee 4
    i64.const 1
    local.get 4
    i64.const 1
    i64.gt_u
    select
    local.tee 11
    i64.const 4611686018427387904
    local.get 11
    i64.const 4611686018427387904
    i64.lt_u
    select
    local.get 10
    i64.load offset=24
    local.get 4
    local.get 1
    i64.lt_u
    i64.extend_i32_u
    i64.add
    i64.const 0
    i64.ne
    select
    local.tee 4
    i64.store offset=32
    local.get 0
    local.get 4
    i64.store offset=16
    local.get 10
    local.get 2
    i64.const 0
    i64.const 1000000000
    i64.const 0
    call 74
    local.get 10
    i32.const 32
    i32.add
    local.get 6
    i64.const 0
    i64.const 1000000000
    i64.const 0
    call 74
    local.get 10
    i32.const 48
    i32.add
    local.get 8
    i64.const 0
    i64.const 1000000000
    i64.const 0
    call 74
    local.get 0
    i64.const 4611686018427387904
    local.get 10
    i64.load offset=48
    local.tee 1
    local.get 9
    i64.extend_i32_u
    i64.add
    local.tee 4
    i64.const 1
    local.get 4
    i64.const 1
    i64.gt_u
    select
    local.tee 2
    i64.const 4611686018427387904
    local.get 2
    i64.const 4611686018427387904
    i64.lt_u
    select
    local.get 10
    i64.load offset=56
    local.get 4
    local.get 1
    i64.lt_u
    i64.extend_i32_u
    i64.add
    i64.const 0
    i64.ne
    select
    local.tee 4
    i64.store offset=56
    local.get 0
    local.get 4
    i64.store offset=48
    local.get 0
    i64.const 4611686018427387904
    local.get 10
    i64.load offset=32
    local.tee 1
    local.get 7
    i64.extend_i32_u
    i64.add
    local.tee 4
    i64.const 4611686018427387904
    local.get 4
    i64.const 4611686018427387904
    i64.lt_u
    select
    local.get 10
    i64.load offset=40
    local.get 4
    local.get 1
    i64.lt_u
    i64.extend_i32_u
    i64.add
    i64.const 0
    i64.ne
    select
    i64.store offset=40
    local.get 0
    i64.const 4611686018427387904
    local.get 10
    i64.load
    local.tee 1
    local.get 3
    i64.extend_i32_u
    i64.add
    local.tee 4
    i64.const 1
    local.get 4
    i64.const 1
    i64.gt_u
    select
    local.tee 2
    i64.const 4611686018427387904
    local.get 2
    i64.const 4611686018427387904
    i64.lt_u
    select
    local.get 10
    i64.load offset=8
    local.get 4
    local.get 1
    i64.lt_u
    i64.extend_i32_u
    i64.add
    i64.const 0
    i64.ne
    select
    i64.store offset=24
    local.get 10
    i32.const 64
    i32.add
    global.set 0
  )
  (func (;13;) (type 12) (param i32 i64 i32 i64 i64 i32 i64 i64) (result i64)
    (local i32 i32 i32 i64 i64 i64 i64 i64 i64 i64 i64 i32 i64)
    global.get 0
    i32.const 432
    i32.sub
    local.tee 8
    global.set 0
    block ;; label = @1
      block ;; label = @2
        local.get 0
        i32.load offset=72
        local.tee 9
        i32.const 1000000000
        i32.eq
        br_if 0 (;@2;)
        local.get 0
        i32.load offset=76
        local.set 10
        local.get 0
        i64.load offset=16
        local.set 11
        local.get 0
        i64.load offset=24
        local.set 12
        local.get 0
        i64.load offset=32
        local.set 13
        local.get 0
        i64.load offset=40
        local.set 14
        local.get 0
        i64.load offset=48
        local.set 15
        local.get 0
        i64.load offset=56
        local.set 16
        local.get 0
        i64.load offset=64
        local.set 17
        br 1 (;@1;)
      end
      local.get 8
      i32.const 416
      i32.add
      local.get 1
      local.get 0
      i64.load
      local.tee 12
      local.get 1
      local.get 12
      i64.gt_u
      select
      local.tee 11
      local.get 1
      i64.sub
      i64.const 0
      i64.const 5764607523034234880
      i64.const 0
      call 74
      local.get 8
      i32.const 400
      i32.add
      local.get 8
      i64.load offset=416
      local.get 8
      i64.load offset=424
      local.get 2
      i32.const 65535
      i32.and
      local.tee 9
      i32.const 1
      local.get 9
      i32.const 1
      i32.gt_u
      select
      i64.extend_i32_u
      i64.const 1
      i64.shl
      i64.const 0
      call 76
      i32.const 44
      local.set 10
      i32.const 126
      local.set 9
      local.get 8
      i64.load offset=408
      local.set 13
      local.get 8
      i64.load offset=400
      local.set 15
      i64.const 0
      local.set 12
      i64.const 0
      local.set 18
      loop ;; label = @2
        local.get 8
        i32.const 384
        i32.add
        local.get 12
        local.get 18
        local.get 12
        i64.const 1
        i64.shl
        local.tee 14
        i64.const 1
        i64.or
        local.tee 17
        local.get 18
        i64.const 1
        i64.shl
        local.get 12
        i64.const 63
        i64.shr_u
        i64.or
        local.tee 16
        call 74
        local.get 8
        i32.const 368
        i32.add
        local.get 8
        i64.load offset=384
        local.get 8
        i64.load offset=392
        i64.const 6
        i64.const 0
        call 74
        local.get 8
        i32.const 336
        i32.add
        local.get 15
        local.get 13
        local.get 9
        call 77
        local.get 8
        i32.const 352
        i32.add
        local.get 8
        i64.load offset=368
        local.tee 18
        i64.const -1
        i64.xor
        local.get 8
        i64.load offset=376
        local.tee 12
        i64.const -1
        i64.xor
        local.get 9
        call 78
        local.get 8
        i64.load offset=360
        i64.const 0
        local.get 8
        i64.load offset=336
        local.get 18
        i64.gt_u
        local.get 8
        i64.load offset=344
        local.tee 18
        local.get 12
        i64.gt_u
        local.get 18
        local.get 12
        i64.eq
        select
        local.tee 19
        select
        local.get 13
        i64.add
        local.get 8
        i64.load offset=352
        i64.const 0
        local.get 19
        select
        local.tee 12
        local.get 15
        i64.add
        local.tee 15
        local.get 12
        i64.lt_u
        i64.extend_i32_u
        i64.add
        local.set 13
        local.get 17
        local.get 14
        local.get 19
        select
        local.set 12
        local.get 9
        i32.const -3
        i32.add
        local.set 9
        local.get 16
        local.set 18
        local.get 10
        i32.const -1
        i32.add
        local.tee 10
        i32.const 1
        i32.gt_u
        br_if 0 (;@2;)
      end
      i64.const 0
      local.set 14
      i32.const 0
      local.set 9
      i64.const 0
      local.set 17
      i64.const 0
      local.set 16
      local.get 1
      local.set 15
      local.get 4
      local.set 13
    end
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          i64.const 0
          local.get 4
          local.get 6
          local.get 13
          local.get 6
          local.get 13
          i64.gt_u
          select
          i64.sub
          local.tee 13
          local.get 13
          local.get 4
          i64.gt_u
          select
          local.tee 6
          i64.const 1000000000
          i64.div_u
          local.tee 18
          local.get 17
          i64.add
          local.tee 13
          local.get 18
          i64.lt_u
          br_if 0 (;@3;)
          block ;; label = @4
            local.get 9
            local.get 6
            local.get 18
            i64.const 1000000000
            i64.mul
            i64.sub
            i32.wrap_i64
            i32.add
            local.tee 9
            i32.const 1000000000
            i32.lt_u
            br_if 0 (;@4;)
            local.get 13
            i64.const -1
            i64.eq
            br_if 1 (;@3;)
            local.get 9
            i32.const -1000000000
            i32.add
            local.tee 9
            i32.const 1000000000
            i32.eq
            br_if 1 (;@3;)
            local.get 13
            i64.const 1
            i64.add
            local.set 13
          end
          local.get 8
          i32.const 320
          i32.add
          local.get 1
          i64.const 0
          i64.const 17
          i64.const 0
          call 74
          i64.const 9
          i64.const 9
          i64.const 17
          local.get 15
          local.get 0
          i64.load offset=8
          i64.lt_u
          select
          local.get 5
          select
          local.get 2
          i64.extend_i32_u
          i64.const 65535
          i64.and
          i64.mul
          local.set 6
          local.get 8
          i64.load offset=328
          i64.const 0
          i64.ne
          br_if 1 (;@2;)
          local.get 8
          i64.load offset=320
          local.set 18
          br 2 (;@1;)
        end
        i32.const 33088
        i32.const 30
        i32.const 33120
        call 70
        unreachable
      end
      i64.const -1
      local.set 18
    end
    local.get 8
    i32.const 304
    i32.add
    local.get 6
    i64.const 0
    local.get 3
    i64.const 0
    call 74
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 8
            i64.load offset=312
            i64.const 0
            i64.ne
            br_if 0 (;@4;)
            local.get 8
            i64.load offset=304
            local.tee 20
            local.get 16
            i64.add
            local.tee 17
            local.get 20
            i64.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 18
              i64.eqz
              br_if 0 (;@5;)
              local.get 17
              local.get 17
              local.get 18
              i64.div_u
              local.tee 16
              local.get 18
              i64.mul
              i64.sub
              local.set 17
              br 2 (;@3;)
            end
            i32.const 33136
            call 71
            unreachable
          end
          local.get 18
          i64.eqz
          br_if 1 (;@2;)
          local.get 8
          i32.const 288
          i32.add
          local.get 6
          i64.const 0
          local.get 3
          i64.const 0
          call 74
          local.get 8
          i32.const 272
          i32.add
          local.get 8
          i64.load offset=288
          local.tee 6
          local.get 16
          i64.add
          local.tee 17
          local.get 8
          i64.load offset=296
          local.get 17
          local.get 6
          i64.lt_u
          i64.extend_i32_u
          i64.add
          local.get 18
          i64.const 0
          call 76
          local.get 8
          i32.const 256
          i32.add
          local.get 8
          i64.load offset=272
          local.tee 16
          local.get 8
          i64.load offset=280
          local.tee 6
          local.get 18
          i64.const 0
          call 74
          local.get 16
          i64.const -1
          local.get 6
          i64.eqz
          select
          local.set 16
          local.get 17
          local.get 8
          i64.load offset=256
          i64.sub
          local.set 17
        end
        i64.const -1
        local.get 15
        local.get 16
        i64.add
        local.tee 18
        local.get 18
        local.get 15
        i64.lt_u
        select
        local.set 15
        local.get 2
        i32.const 65535
        i32.and
        i32.const 1
        i32.shl
        local.set 19
        block ;; label = @3
          block ;; label = @4
            local.get 9
            i64.extend_i32_u
            i64.const 20
            i64.shl
            i64.const 1000000000
            i64.div_u
            local.get 13
            i64.const 20
            i64.shl
            i64.or
            local.tee 18
            local.get 12
            i64.lt_u
            br_if 0 (;@4;)
            local.get 8
            i32.const 240
            i32.add
            local.get 18
            local.get 12
            i64.sub
            local.tee 18
            i64.const 1099511627776
            local.get 18
            i64.const 1099511627776
            i64.lt_u
            select
            local.tee 18
            i64.const 0
            local.get 18
            i64.const 0
            call 74
            local.get 8
            i32.const 224
            i32.add
            local.get 8
            i64.load offset=240
            local.get 8
            i64.load offset=248
            local.get 18
            i64.const 0
            call 74
            local.get 8
            i32.const 208
            i32.add
            local.get 8
            i64.load offset=224
            i64.const 20
            i64.shr_u
            local.get 8
            i64.load offset=232
            local.tee 18
            i64.const 44
            i64.shl
            i64.or
            local.get 18
            i64.const 20
            i64.shr_u
            local.get 19
            i64.extend_i32_u
            i64.const 0
            call 74
            i64.const 3689348814741910323
            local.set 18
            block ;; label = @5
              local.get 8
              i64.load offset=216
              local.tee 16
              i64.const 1099511627775
              i64.gt_u
              br_if 0 (;@5;)
              local.get 8
              i64.load offset=208
              i64.const 40
              i64.shr_u
              local.get 16
              i64.const 24
              i64.shl
              i64.or
              i64.const 5
              i64.div_u
              local.set 18
            end
            i64.const -1
            local.get 11
            local.get 18
            i64.add
            local.tee 18
            local.get 18
            local.get 11
            i64.lt_u
            select
            local.set 18
            br 1 (;@3;)
          end
          local.get 8
          i32.const 192
          i32.add
          local.get 12
          local.get 18
          i64.sub
          local.tee 18
          i64.const 1099511627776
          local.get 18
          i64.const 1099511627776
          i64.lt_u
          select
          local.tee 18
          i64.const 0
          local.get 18
          i64.const 0
          call 74
          local.get 8
          i32.const 176
          i32.add
          local.get 8
          i64.load offset=192
          local.get 8
          i64.load offset=200
          local.get 18
          i64.const 0
          call 74
          local.get 8
          i32.const 160
          i32.add
          local.get 8
          i64.load offset=176
          i64.const 20
          i64.shr_u
          local.get 8
          i64.load offset=184
          local.tee 18
          i64.const 44
          i64.shl
          i64.or
          local.get 18
          i64.const 20
          i64.shr_u
          local.get 19
          i64.extend_i32_u
          i64.const 0
          call 74
          i64.const 3689348814741910323
          local.set 18
          block ;; label = @4
            local.get 8
            i64.load offset=168
            local.tee 16
            i64.const 1099511627775
            i64.gt_u
            br_if 0 (;@4;)
            local.get 8
            i64.load offset=160
            i64.const 40
            i64.shr_u
            local.get 16
            i64.const 24
            i64.shl
            i64.or
            i64.const 5
            i64.div_u
            local.set 18
          end
          i64.const 0
          local.get 11
          local.get 18
          i64.sub
          local.tee 18
          local.get 18
          local.get 11
          i64.gt_u
          select
          local.set 18
        end
        block ;; label = @3
          block ;; label = @4
            local.get 18
            local.get 15
            i64.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              block ;; label = @6
                local.get 13
                local.get 7
                i64.const 1000000000
                i64.div_u
                local.tee 16
                i64.add
                local.tee 18
                local.get 13
                i64.ge_u
                br_if 0 (;@6;)
                i32.const 1000000000
                local.set 2
                br 1 (;@5;)
              end
              i32.const 1000000000
              local.set 2
              block ;; label = @6
                local.get 9
                local.get 7
                local.get 16
                i64.const 1000000000
                i64.mul
                i64.sub
                i32.wrap_i64
                i32.add
                local.tee 5
                i32.const 1000000000
                i32.ge_u
                br_if 0 (;@6;)
                local.get 5
                local.set 2
                br 1 (;@5;)
              end
              block ;; label = @6
                local.get 18
                i64.const -1
                i64.ne
                br_if 0 (;@6;)
                br 1 (;@5;)
              end
              local.get 5
              i32.const -1000000000
              i32.add
              local.set 2
              local.get 18
              i64.const 1
              i64.add
              local.set 18
            end
            block ;; label = @5
              block ;; label = @6
                i32.const 999999999
                local.get 2
                local.get 2
                i32.const 1000000000
                i32.eq
                local.tee 5
                select
                i64.extend_i32_u
                i64.const 20
                i64.shl
                i64.const 1000000000
                i64.div_u
                i64.const -1048576
                local.get 18
                i64.const 20
                i64.shl
                local.get 5
                select
                i64.or
                local.tee 18
                local.get 12
                i64.lt_u
                br_if 0 (;@6;)
                local.get 8
                i32.const 144
                i32.add
                local.get 18
                local.get 12
                i64.sub
                local.tee 18
                i64.const 1099511627776
                local.get 18
                i64.const 1099511627776
                i64.lt_u
                select
                local.tee 18
                i64.const 0
                local.get 18
                i64.const 0
                call 74
                local.get 8
                i32.const 128
                i32.add
                local.get 8
                i64.load offset=144
                local.get 8
                i64.load offset=152
                local.get 18
                i64.const 0
                call 74
                local.get 8
                i32.const 112
                i32.add
                local.get 8
                i64.load offset=128
                i64.const 20
                i64.shr_u
                local.get 8
                i64.load offset=136
                local.tee 18
                i64.const 44
                i64.shl
                i64.or
                local.get 18
                i64.const 20
                i64.shr_u
                local.get 19
                i64.extend_i32_u
                i64.const 0
                call 74
                i64.const 3689348814741910323
                local.set 18
                block ;; label = @7
                  local.get 8
                  i64.load offset=120
                  local.tee 16
                  i64.const 1099511627775
                  i64.gt_u
                  br_if 0 (;@7;)
                  local.get 8
                  i64.load offset=112
                  i64.const 40
                  i64.shr_u
                  local.get 16
                  i64.const 24
                  i64.shl
                  i64.or
                  i64.const 5
                  i64.div_u
                  local.set 18
                end
                i64.const -1
                local.get 11
                local.get 18
                i64.add
                local.tee 18
                local.get 18
                local.get 11
                i64.lt_u
                select
                local.set 18
                br 1 (;@5;)
              end
              local.get 8
              i32.const 96
              i32.add
              local.get 12
              local.get 18
              i64.sub
              local.tee 18
              i64.const 1099511627776
              local.get 18
              i64.const 1099511627776
              i64.lt_u
              select
              local.tee 18
              i64.const 0
              local.get 18
              i64.const 0
              call 74
              local.get 8
              i32.const 80
              i32.add
              local.get 8
              i64.load offset=96
              local.get 8
              i64.load offset=104
              local.get 18
              i64.const 0
              call 74
              local.get 8
              i32.const 64
              i32.add
              local.get 8
              i64.load offset=80
              i64.const 20
              i64.shr_u
              local.get 8
              i64.load offset=88
              local.tee 18
              i64.const 44
              i64.shl
              i64.or
              local.get 18
              i64.const 20
              i64.shr_u
              local.get 19
              i64.extend_i32_u
              i64.const 0
              call 74
              i64.const 3689348814741910323
              local.set 18
              block ;; label = @6
                local.get 8
                i64.load offset=72
                local.tee 16
                i64.const 1099511627775
                i64.gt_u
                br_if 0 (;@6;)
                local.get 8
                i64.load offset=64
                i64.const 40
                i64.shr_u
                local.get 16
                i64.const 24
                i64.shl
                i64.or
                i64.const 5
                i64.div_u
                local.set 18
              end
              i64.const 0
              local.get 11
              local.get 18
              i64.sub
              local.tee 18
              local.get 18
              local.get 11
              i64.gt_u
              select
              local.set 18
            end
            local.get 8
            i32.const 48
            i32.add
            i64.const 0
            local.get 18
            i64.const -1
            local.get 1
            local.get 1
            i64.const 1
            i64.shr_u
            i64.add
            local.tee 16
            local.get 16
            local.get 1
            i64.lt_u
            select
            local.tee 16
            local.get 18
            local.get 16
            i64.lt_u
            select
            local.get 1
            i64.sub
            local.get 18
            local.get 1
            i64.lt_u
            select
            local.tee 6
            i64.const 0
            local.get 3
            i64.const 0
            call 74
            block ;; label = @5
              block ;; label = @6
                local.get 8
                i64.load offset=56
                i64.const 0
                i64.ne
                br_if 0 (;@6;)
                local.get 8
                i64.load offset=48
                local.tee 16
                local.get 14
                i64.add
                local.tee 18
                local.get 16
                i64.lt_u
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 1
                  i64.eqz
                  br_if 0 (;@7;)
                  local.get 18
                  local.get 18
                  local.get 1
                  i64.div_u
                  local.tee 16
                  local.get 1
                  i64.mul
                  i64.sub
                  local.set 14
                  br 2 (;@5;)
                end
                i32.const 33136
                call 71
                unreachable
              end
              local.get 1
              i64.eqz
              br_if 4 (;@1;)
              local.get 8
              i32.const 32
              i32.add
              local.get 6
              i64.const 0
              local.get 3
              i64.const 0
              call 74
              local.get 8
              i32.const 16
              i32.add
              local.get 8
              i64.load offset=32
              local.tee 16
              local.get 14
              i64.add
              local.tee 18
              local.get 8
              i64.load offset=40
              local.get 18
              local.get 16
              i64.lt_u
              i64.extend_i32_u
              i64.add
              local.get 1
              i64.const 0
              call 76
              local.get 8
              local.get 8
              i64.load offset=16
              local.tee 14
              local.get 8
              i64.load offset=24
              local.tee 16
              local.get 1
              i64.const 0
              call 74
              local.get 14
              i64.const -1
              local.get 16
              i64.eqz
              select
              local.set 16
              local.get 18
              local.get 8
              i64.load
              i64.sub
              local.set 14
            end
            i64.const -1
            local.get 1
            local.get 16
            i64.add
            local.tee 18
            local.get 18
            local.get 1
            i64.lt_u
            select
            local.set 18
            br 1 (;@3;)
          end
          local.get 1
          local.get 15
          local.get 1
          local.get 15
          i64.gt_u
          select
          local.set 18
        end
        local.get 0
        local.get 10
        i32.store offset=76
        local.get 0
        local.get 9
        i32.store offset=72
        local.get 0
        local.get 13
        i64.store offset=64
        local.get 0
        local.get 17
        i64.store offset=56
        local.get 0
        local.get 15
        i64.store offset=48
        local.get 0
        local.get 14
        i64.store offset=40
        local.get 0
        local.get 4
        i64.store offset=32
        local.get 0
        local.get 12
        i64.store offset=24
        local.get 0
        local.get 11
        i64.store offset=16
        local.get 8
        i32.const 432
        i32.add
        global.set 0
        local.get 18
        return
      end
      i32.const 33152
      call 71
      unreachable
    end
    i32.const 33152
    call 71
    unreachable
  )
  (func (;14;) (type 13) (param i32 i64 i32 i64 i64 i32 i32) (result i64)
    local.get 0
    local.get 1
    local.get 2
    local.get 3
    local.get 4
    i32.const 0
    local.get 5
    i64.load offset=16
    local.get 6
    i64.load offset=32
    call 13
  )
  (func (;15;) (type 14) (param i32 i64) (result i64)
    (local i32 i64)
    global.get 0
    i32.const 96
    i32.sub
    local.tee 2
    global.set 0
    local.get 0
    local.get 1
    i64.store offset=8
    local.get 1
    local.set 3
    block ;; label = @1
      local.get 1
      local.get 0
      i64.load
      i64.ge_u
      br_if 0 (;@1;)
      local.get 2
      i32.const 80
      i32.add
      local.get 1
      i64.const 0
      i64.const 17
      i64.const 0
      call 74
      block ;; label = @2
        local.get 2
        i64.load offset=88
        i64.const 0
        i64.ne
        br_if 0 (;@2;)
        local.get 2
        i64.load offset=80
        i64.const 20
        i64.div_u
        local.set 3
        br 1 (;@1;)
      end
      local.get 2
      i32.const 64
      i32.add
      local.get 1
      i64.const 0
      i64.const 17
      i64.const 0
      call 74
      local.get 2
      i32.const 48
      i32.add
      local.get 2
      i64.load offset=64
      local.get 2
      i64.load offset=72
      i64.const 20
      i64.const 0
      call 76
      local.get 2
      i64.load offset=48
      local.set 3
    end
    local.get 0
    i32.const 1000000000
    i32.store offset=72
    local.get 0
    local.get 3
    i64.store
    local.get 2
    i32.const 32
    i32.add
    local.get 1
    i64.const 0
    i64.const 7
    i64.const 0
    call 74
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i64.load offset=40
        i64.const 0
        i64.ne
        br_if 0 (;@2;)
        local.get 2
        i64.load offset=32
        i64.const 10
        i64.div_u
        local.set 1
        br 1 (;@1;)
      end
      local.get 2
      i32.const 16
      i32.add
      local.get 1
      i64.const 0
      i64.const 7
      i64.const 0
      call 74
      local.get 2
      local.get 2
      i64.load offset=16
      local.get 2
      i64.load offset=24
      i64.const 10
      i64.const 0
      call 76
      local.get 2
      i64.load
      local.set 1
    end
    local.get 2
    i32.const 96
    i32.add
    global.set 0
    local.get 1
  )
  (func (;16;) (type 2) (param i32 i32) (result i32)
    call 32
    unreachable
  )
  (func (;17;) (type 15) (param i32 i32 i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 5
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
    local.get 5
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
    i32.const 4
    local.get 4
    i32.const 1
    i32.eq
    select
    local.tee 1
    local.get 2
    local.get 1
    i32.gt_u
    select
    local.tee 2
    local.get 3
    local.get 4
    call 25
    block ;; label = @1
      local.get 5
      i32.load offset=4
      i32.const 1
      i32.ne
      br_if 0 (;@1;)
      local.get 5
      i32.load offset=8
      local.get 5
      i32.load offset=12
      call 57
      unreachable
    end
    local.get 5
    i32.load offset=8
    local.set 4
    local.get 0
    local.get 2
    i32.store
    local.get 0
    local.get 4
    i32.store offset=4
    local.get 5
    i32.const 16
    i32.add
    global.set 0
  )
  (func (;18;) (type 0) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.const -2147483648
      i32.or
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      i32.const 1
      call 6
    end
  )
  (func (;19;) (type 16) (param i32)
    (local i32)
    block ;; label = @1
      local.get 0
      i32.load
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.get 1
      i32.const 1
      call 6
    end
  )
  (func (;20;) (type 16) (param i32)
    (local i32)
    block ;; label = @1
      local.get 0
      i32.load
      local.tee 1
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.get 1
      i32.const 1
      call 6
    end
  )
  (func (;21;) (type 16) (param i32)
    local.get 0
    call 22
    unreachable
  )
  (func (;22;) (type 16) (param i32)
    local.get 0
    i32.load
    local.get 0
    i32.load offset=4
    i32.const 0
    i32.load offset=34200
    local.tee 0
    i32.const 2
    local.get 0
    select
    call_indirect (type 0)
    unreachable
  )
  (func (;23;) (type 16) (param i32)
    local.get 0
    call 24
    unreachable
  )
  (func (;24;) (type 16) (param i32)
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
      i32.const 33192
      local.get 0
      i32.load offset=4
      local.get 0
      i32.load offset=8
      local.tee 0
      i32.load8_u offset=8
      local.get 0
      i32.load8_u offset=9
      call 26
      unreachable
    end
    local.get 1
    i32.const -2147483648
    i32.store
    local.get 1
    local.get 0
    i32.store offset=12
    local.get 1
    i32.const 33220
    local.get 0
    i32.load offset=4
    local.get 0
    i32.load offset=8
    local.tee 0
    i32.load8_u offset=8
    local.get 0
    i32.load8_u offset=9
    call 26
    unreachable
  )
  (func (;25;) (type 17) (param i32 i32 i32 i32 i32 i32)
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
              call 7
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
            call 8
            local.get 3
            local.get 4
            call 5
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
  (func (;26;) (type 15) (param i32 i32 i32 i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 5
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              i32.const 1
              call 42
              i32.const 255
              i32.and
              br_table 4 (;@1;) 1 (;@4;) 0 (;@5;) 1 (;@4;)
            end
            i32.const 0
            i32.load offset=34204
            local.tee 6
            i32.const -1
            i32.le_s
            br_if 3 (;@1;)
            i32.const 0
            local.get 6
            i32.const 1
            i32.add
            i32.store offset=34204
            i32.const 0
            i32.load offset=34208
            i32.eqz
            br_if 1 (;@3;)
            local.get 5
            i32.const 8
            i32.add
            local.get 0
            local.get 1
            i32.load offset=20
            call_indirect (type 0)
            local.get 5
            local.get 4
            i32.store8 offset=29
            local.get 5
            local.get 3
            i32.store8 offset=28
            local.get 5
            local.get 2
            i32.store offset=24
            local.get 5
            local.get 5
            i64.load offset=8
            i64.store offset=16 align=4
            i32.const 0
            i32.load offset=34208
            local.get 5
            i32.const 16
            i32.add
            i32.const 0
            i32.load offset=34212
            i32.load offset=20
            call_indirect (type 0)
            br 2 (;@2;)
          end
          local.get 5
          local.get 0
          local.get 1
          i32.load offset=24
          call_indirect (type 0)
          br 2 (;@1;)
        end
        i32.const -2147483648
        local.get 5
        call 18
      end
      i32.const 0
      i32.const 0
      i32.load offset=34204
      i32.const -1
      i32.add
      i32.store offset=34204
      i32.const 0
      i32.const 0
      i32.store8 offset=34196
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      call 28
      unreachable
    end
    unreachable
  )
  (func (;27;) (type 0) (param i32 i32)
    i32.const 0
    i32.const 1
    i32.store8 offset=34672
  )
  (func (;28;) (type 0) (param i32 i32)
    local.get 0
    local.get 1
    call 16
    drop
    unreachable
  )
  (func (;29;) (type 2) (param i32 i32) (result i32)
    block ;; label = @1
      local.get 1
      i32.const 9
      i32.lt_u
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      call 30
      return
    end
    local.get 0
    call 31
  )
  (func (;30;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    local.set 2
    block ;; label = @1
      local.get 1
      i32.const -65587
      local.get 0
      i32.const 16
      local.get 0
      i32.const 16
      i32.gt_u
      select
      local.tee 0
      i32.sub
      i32.ge_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 16
      local.get 1
      i32.const 11
      i32.add
      i32.const -8
      i32.and
      local.get 1
      i32.const 11
      i32.lt_u
      select
      local.tee 3
      i32.add
      i32.const 12
      i32.add
      call 31
      local.tee 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      i32.const -8
      i32.add
      local.set 2
      block ;; label = @2
        block ;; label = @3
          local.get 0
          i32.const -1
          i32.add
          local.tee 4
          local.get 1
          i32.and
          br_if 0 (;@3;)
          local.get 2
          local.set 0
          br 1 (;@2;)
        end
        local.get 1
        i32.const -4
        i32.add
        local.tee 5
        i32.load
        local.tee 6
        i32.const -8
        i32.and
        local.get 4
        local.get 1
        i32.add
        i32.const 0
        local.get 0
        i32.sub
        i32.and
        i32.const -8
        i32.add
        local.tee 1
        i32.const 0
        local.get 0
        local.get 1
        local.get 2
        i32.sub
        i32.const 16
        i32.gt_u
        select
        i32.add
        local.tee 0
        local.get 2
        i32.sub
        local.tee 1
        i32.sub
        local.set 4
        block ;; label = @3
          local.get 6
          i32.const 3
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          local.get 4
          local.get 0
          i32.load offset=4
          i32.const 1
          i32.and
          i32.or
          i32.const 2
          i32.or
          i32.store offset=4
          local.get 0
          local.get 4
          i32.add
          local.tee 4
          local.get 4
          i32.load offset=4
          i32.const 1
          i32.or
          i32.store offset=4
          local.get 5
          local.get 1
          local.get 5
          i32.load
          i32.const 1
          i32.and
          i32.or
          i32.const 2
          i32.or
          i32.store
          local.get 2
          local.get 1
          i32.add
          local.tee 4
          local.get 4
          i32.load offset=4
          i32.const 1
          i32.or
          i32.store offset=4
          local.get 2
          local.get 1
          call 37
          br 1 (;@2;)
        end
        local.get 2
        i32.load
        local.set 2
        local.get 0
        local.get 4
        i32.store offset=4
        local.get 0
        local.get 2
        local.get 1
        i32.add
        i32.store
      end
      block ;; label = @2
        local.get 0
        i32.load offset=4
        local.tee 1
        i32.const 3
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const -8
        i32.and
        local.tee 2
        local.get 3
        i32.const 16
        i32.add
        i32.le_u
        br_if 0 (;@2;)
        local.get 0
        local.get 3
        local.get 1
        i32.const 1
        i32.and
        i32.or
        i32.const 2
        i32.or
        i32.store offset=4
        local.get 0
        local.get 3
        i32.add
        local.tee 1
        local.get 2
        local.get 3
        i32.sub
        local.tee 3
        i32.const 3
        i32.or
        i32.store offset=4
        local.get 0
        local.get 2
        i32.add
        local.tee 2
        local.get 2
        i32.load offset=4
        i32.const 1
        i32.or
        i32.store offset=4
        local.get 1
        local.get 3
        call 37
      end
      local.get 0
      i32.const 8
      i32.add
      local.set 2
    end
    local.get 2
  )
  (func (;31;) (type 18) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 1
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            local.get 0
            i32.const 245
            i32.lt_u
            br_if 0 (;@4;)
            block ;; label = @5
              local.get 0
              i32.const -65588
              i32.le_u
              br_if 0 (;@5;)
              i32.const 0
              local.set 0
              br 4 (;@1;)
            end
            local.get 0
            i32.const 11
            i32.add
            local.tee 2
            i32.const -8
            i32.and
            local.set 3
            i32.const 0
            i32.load offset=34632
            local.tee 4
            i32.eqz
            br_if 2 (;@2;)
            i32.const 31
            local.set 5
            local.get 0
            i32.const 16777205
            i32.ge_u
            br_if 1 (;@3;)
            local.get 3
            i32.const 38
            local.get 2
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
            br 1 (;@3;)
          end
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=34628
                      local.tee 6
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
                      local.tee 3
                      i32.const 3
                      i32.shr_u
                      local.tee 2
                      i32.shr_u
                      local.tee 0
                      i32.const 3
                      i32.and
                      i32.eqz
                      br_if 0 (;@9;)
                      local.get 0
                      i32.const -1
                      i32.xor
                      i32.const 1
                      i32.and
                      local.get 2
                      i32.add
                      local.tee 7
                      i32.const 3
                      i32.shl
                      local.tee 3
                      i32.const 34364
                      i32.add
                      local.tee 0
                      local.get 3
                      i32.const 34372
                      i32.add
                      i32.load
                      local.tee 2
                      i32.load offset=8
                      local.tee 8
                      i32.eq
                      br_if 1 (;@8;)
                      local.get 8
                      local.get 0
                      i32.store offset=12
                      local.get 0
                      local.get 8
                      i32.store offset=8
                      br 2 (;@7;)
                    end
                    local.get 3
                    i32.const 0
                    i32.load offset=34636
                    i32.le_u
                    br_if 6 (;@2;)
                    local.get 0
                    br_if 2 (;@6;)
                    i32.const 0
                    i32.load offset=34632
                    local.tee 0
                    i32.eqz
                    br_if 6 (;@2;)
                    local.get 0
                    i32.ctz
                    i32.const 2
                    i32.shl
                    i32.const 34220
                    i32.add
                    i32.load
                    local.tee 8
                    i32.load offset=4
                    i32.const -8
                    i32.and
                    local.get 3
                    i32.sub
                    local.set 2
                    local.get 8
                    local.set 6
                    loop ;; label = @9
                      block ;; label = @10
                        local.get 8
                        i32.load offset=16
                        local.tee 0
                        br_if 0 (;@10;)
                        local.get 8
                        i32.load offset=20
                        local.tee 0
                        br_if 0 (;@10;)
                        local.get 6
                        i32.load offset=24
                        local.set 5
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              local.get 6
                              i32.load offset=12
                              local.tee 0
                              local.get 6
                              i32.ne
                              br_if 0 (;@13;)
                              local.get 6
                              i32.const 20
                              i32.const 16
                              local.get 6
                              i32.load offset=20
                              local.tee 0
                              select
                              i32.add
                              i32.load
                              local.tee 8
                              br_if 1 (;@12;)
                              i32.const 0
                              local.set 0
                              br 2 (;@11;)
                            end
                            local.get 6
                            i32.load offset=8
                            local.tee 8
                            local.get 0
                            i32.store offset=12
                            local.get 0
                            local.get 8
                            i32.store offset=8
                            br 1 (;@11;)
                          end
                          local.get 6
                          i32.const 20
                          i32.add
                          local.get 6
                          i32.const 16
                          i32.add
                          local.get 0
                          select
                          local.set 7
                          loop ;; label = @12
                            local.get 7
                            local.set 9
                            local.get 8
                            local.tee 0
                            i32.const 20
                            i32.add
                            local.get 0
                            i32.const 16
                            i32.add
                            local.get 0
                            i32.load offset=20
                            local.tee 8
                            select
                            local.set 7
                            local.get 0
                            i32.const 20
                            i32.const 16
                            local.get 8
                            select
                            i32.add
                            i32.load
                            local.tee 8
                            br_if 0 (;@12;)
                          end
                          local.get 9
                          i32.const 0
                          i32.store
                        end
                        local.get 5
                        i32.eqz
                        br_if 6 (;@4;)
                        block ;; label = @11
                          block ;; label = @12
                            local.get 6
                            local.get 6
                            i32.load offset=28
                            i32.const 2
                            i32.shl
                            i32.const 34220
                            i32.add
                            local.tee 8
                            i32.load
                            i32.eq
                            br_if 0 (;@12;)
                            block ;; label = @13
                              local.get 5
                              i32.load offset=16
                              local.get 6
                              i32.eq
                              br_if 0 (;@13;)
                              local.get 5
                              local.get 0
                              i32.store offset=20
                              local.get 0
                              br_if 2 (;@11;)
                              br 9 (;@4;)
                            end
                            local.get 5
                            local.get 0
                            i32.store offset=16
                            local.get 0
                            br_if 1 (;@11;)
                            br 8 (;@4;)
                          end
                          local.get 8
                          local.get 0
                          i32.store
                          local.get 0
                          i32.eqz
                          br_if 6 (;@5;)
                        end
                        local.get 0
                        local.get 5
                        i32.store offset=24
                        block ;; label = @11
                          local.get 6
                          i32.load offset=16
                          local.tee 8
                          i32.eqz
                          br_if 0 (;@11;)
                          local.get 0
                          local.get 8
                          i32.store offset=16
                          local.get 8
                          local.get 0
                          i32.store offset=24
                        end
                        local.get 6
                        i32.load offset=20
                        local.tee 8
                        i32.eqz
                        br_if 6 (;@4;)
                        local.get 0
                        local.get 8
                        i32.store offset=20
                        local.get 8
                        local.get 0
                        i32.store offset=24
                        br 6 (;@4;)
                      end
                      local.get 0
                      i32.load offset=4
                      i32.const -8
                      i32.and
                      local.get 3
                      i32.sub
                      local.tee 8
                      local.get 2
                      local.get 8
                      local.get 2
                      i32.lt_u
                      local.tee 8
                      select
                      local.set 2
                      local.get 0
                      local.get 6
                      local.get 8
                      select
                      local.set 6
                      local.get 0
                      local.set 8
                      br 0 (;@9;)
                    end
                  end
                  i32.const 0
                  local.get 6
                  i32.const -2
                  local.get 7
                  i32.rotl
                  i32.and
                  i32.store offset=34628
                end
                local.get 2
                i32.const 8
                i32.add
                local.set 0
                local.get 2
                local.get 3
                i32.const 3
                i32.or
                i32.store offset=4
                local.get 2
                local.get 3
                i32.add
                local.tee 3
                local.get 3
                i32.load offset=4
                i32.const 1
                i32.or
                i32.store offset=4
                br 5 (;@1;)
              end
              block ;; label = @6
                block ;; label = @7
                  local.get 0
                  local.get 2
                  i32.shl
                  i32.const 2
                  local.get 2
                  i32.shl
                  local.tee 0
                  i32.const 0
                  local.get 0
                  i32.sub
                  i32.or
                  i32.and
                  i32.ctz
                  local.tee 9
                  i32.const 3
                  i32.shl
                  local.tee 2
                  i32.const 34364
                  i32.add
                  local.tee 8
                  local.get 2
                  i32.const 34372
                  i32.add
                  i32.load
                  local.tee 0
                  i32.load offset=8
                  local.tee 7
                  i32.eq
                  br_if 0 (;@7;)
                  local.get 7
                  local.get 8
                  i32.store offset=12
                  local.get 8
                  local.get 7
                  i32.store offset=8
                  br 1 (;@6;)
                end
                i32.const 0
                local.get 6
                i32.const -2
                local.get 9
                i32.rotl
                i32.and
                i32.store offset=34628
              end
              local.get 0
              local.get 3
              i32.const 3
              i32.or
              i32.store offset=4
              local.get 0
              local.get 3
              i32.add
              local.tee 6
              local.get 2
              local.get 3
              i32.sub
              local.tee 8
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 0
              local.get 2
              i32.add
              local.get 8
              i32.store
              block ;; label = @6
                i32.const 0
                i32.load offset=34636
                local.tee 2
                i32.eqz
                br_if 0 (;@6;)
                i32.const 0
                i32.load offset=34644
                local.set 3
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34628
                    local.tee 7
                    i32.const 1
                    local.get 2
                    i32.const 3
                    i32.shr_u
                    i32.shl
                    local.tee 9
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 7
                    local.get 9
                    i32.or
                    i32.store offset=34628
                    local.get 2
                    i32.const -8
                    i32.and
                    i32.const 34364
                    i32.add
                    local.tee 2
                    local.set 7
                    br 1 (;@7;)
                  end
                  local.get 2
                  i32.const -8
                  i32.and
                  local.tee 2
                  i32.const 34364
                  i32.add
                  local.set 7
                  local.get 2
                  i32.const 34372
                  i32.add
                  i32.load
                  local.set 2
                end
                local.get 7
                local.get 3
                i32.store offset=8
                local.get 2
                local.get 3
                i32.store offset=12
                local.get 3
                local.get 7
                i32.store offset=12
                local.get 3
                local.get 2
                i32.store offset=8
              end
              local.get 0
              i32.const 8
              i32.add
              local.set 0
              i32.const 0
              local.get 6
              i32.store offset=34644
              i32.const 0
              local.get 8
              i32.store offset=34636
              br 4 (;@1;)
            end
            i32.const 0
            i32.const 0
            i32.load offset=34632
            i32.const -2
            local.get 6
            i32.load offset=28
            i32.rotl
            i32.and
            i32.store offset=34632
          end
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 2
                i32.const 16
                i32.lt_u
                br_if 0 (;@6;)
                local.get 6
                local.get 3
                i32.const 3
                i32.or
                i32.store offset=4
                local.get 6
                local.get 3
                i32.add
                local.tee 8
                local.get 2
                i32.const 1
                i32.or
                i32.store offset=4
                local.get 8
                local.get 2
                i32.add
                local.get 2
                i32.store
                i32.const 0
                i32.load offset=34636
                local.tee 7
                i32.eqz
                br_if 1 (;@5;)
                i32.const 0
                i32.load offset=34644
                local.set 0
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34628
                    local.tee 9
                    i32.const 1
                    local.get 7
                    i32.const 3
                    i32.shr_u
                    i32.shl
                    local.tee 5
                    i32.and
                    br_if 0 (;@8;)
                    i32.const 0
                    local.get 9
                    local.get 5
                    i32.or
                    i32.store offset=34628
                    local.get 7
                    i32.const -8
                    i32.and
                    i32.const 34364
                    i32.add
                    local.tee 7
                    local.set 9
                    br 1 (;@7;)
                  end
                  local.get 7
                  i32.const -8
                  i32.and
                  local.tee 7
                  i32.const 34364
                  i32.add
                  local.set 9
                  local.get 7
                  i32.const 34372
                  i32.add
                  i32.load
                  local.set 7
                end
                local.get 9
                local.get 0
                i32.store offset=8
                local.get 7
                local.get 0
                i32.store offset=12
                local.get 0
                local.get 9
                i32.store offset=12
                local.get 0
                local.get 7
                i32.store offset=8
                br 1 (;@5;)
              end
              local.get 6
              local.get 2
              local.get 3
              i32.add
              local.tee 0
              i32.const 3
              i32.or
              i32.store offset=4
              local.get 6
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
            local.get 8
            i32.store offset=34644
            i32.const 0
            local.get 2
            i32.store offset=34636
          end
          local.get 6
          i32.const 8
          i32.add
          local.tee 0
          i32.eqz
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        i32.const 0
        local.get 3
        i32.sub
        local.set 2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                local.get 5
                i32.const 2
                i32.shl
                i32.const 34220
                i32.add
                i32.load
                local.tee 6
                br_if 0 (;@6;)
                i32.const 0
                local.set 8
                i32.const 0
                local.set 0
                br 1 (;@5;)
              end
              i32.const 0
              local.set 8
              local.get 3
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
              local.set 7
              i32.const 0
              local.set 0
              loop ;; label = @6
                block ;; label = @7
                  local.get 6
                  local.tee 6
                  i32.load offset=4
                  i32.const -8
                  i32.and
                  local.tee 9
                  local.get 3
                  i32.lt_u
                  br_if 0 (;@7;)
                  local.get 9
                  local.get 3
                  i32.sub
                  local.tee 9
                  local.get 2
                  i32.ge_u
                  br_if 0 (;@7;)
                  local.get 6
                  local.set 8
                  local.get 9
                  local.set 2
                  local.get 9
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 2
                  local.get 6
                  local.set 0
                  local.get 6
                  local.set 8
                  br 3 (;@4;)
                end
                local.get 6
                i32.load offset=20
                local.tee 9
                local.get 0
                local.get 9
                local.get 6
                local.get 7
                i32.const 29
                i32.shr_u
                i32.const 4
                i32.and
                i32.add
                i32.load offset=16
                local.tee 6
                i32.ne
                select
                local.get 0
                local.get 9
                select
                local.set 0
                local.get 7
                i32.const 1
                i32.shl
                local.set 7
                local.get 6
                br_if 0 (;@6;)
              end
            end
            block ;; label = @5
              local.get 0
              local.get 8
              i32.or
              br_if 0 (;@5;)
              i32.const 0
              local.set 8
              i32.const 2
              local.get 5
              i32.shl
              local.tee 0
              i32.const 0
              local.get 0
              i32.sub
              i32.or
              local.get 4
              i32.and
              local.tee 0
              i32.eqz
              br_if 3 (;@2;)
              local.get 0
              i32.ctz
              i32.const 2
              i32.shl
              i32.const 34220
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
            local.tee 6
            local.get 3
            i32.sub
            local.tee 7
            local.get 2
            local.get 7
            local.get 2
            i32.lt_u
            local.tee 9
            select
            local.set 5
            local.get 6
            local.get 3
            i32.lt_u
            local.set 7
            local.get 0
            local.get 8
            local.get 9
            select
            local.set 9
            block ;; label = @5
              local.get 0
              i32.load offset=16
              local.tee 6
              br_if 0 (;@5;)
              local.get 0
              i32.load offset=20
              local.set 6
            end
            local.get 2
            local.get 5
            local.get 7
            select
            local.set 2
            local.get 8
            local.get 9
            local.get 7
            select
            local.set 8
            local.get 6
            local.set 0
            local.get 6
            br_if 0 (;@4;)
          end
        end
        local.get 8
        i32.eqz
        br_if 0 (;@2;)
        block ;; label = @3
          i32.const 0
          i32.load offset=34636
          local.tee 0
          local.get 3
          i32.lt_u
          br_if 0 (;@3;)
          local.get 2
          local.get 0
          local.get 3
          i32.sub
          i32.ge_u
          br_if 1 (;@2;)
        end
        local.get 8
        i32.load offset=24
        local.set 5
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 8
              i32.load offset=12
              local.tee 0
              local.get 8
              i32.ne
              br_if 0 (;@5;)
              local.get 8
              i32.const 20
              i32.const 16
              local.get 8
              i32.load offset=20
              local.tee 0
              select
              i32.add
              i32.load
              local.tee 6
              br_if 1 (;@4;)
              i32.const 0
              local.set 0
              br 2 (;@3;)
            end
            local.get 8
            i32.load offset=8
            local.tee 6
            local.get 0
            i32.store offset=12
            local.get 0
            local.get 6
            i32.store offset=8
            br 1 (;@3;)
          end
          local.get 8
          i32.const 20
          i32.add
          local.get 8
          i32.const 16
          i32.add
          local.get 0
          select
          local.set 7
          loop ;; label = @4
            local.get 7
            local.set 9
            local.get 6
            local.tee 0
            i32.const 20
            i32.add
            local.get 0
            i32.const 16
            i32.add
            local.get 0
            i32.load offset=20
            local.tee 6
            select
            local.set 7
            local.get 0
            i32.const 20
            i32.const 16
            local.get 6
            select
            i32.add
            i32.load
            local.tee 6
            br_if 0 (;@4;)
          end
          local.get 9
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
                local.get 8
                local.get 8
                i32.load offset=28
                i32.const 2
                i32.shl
                i32.const 34220
                i32.add
                local.tee 6
                i32.load
                i32.eq
                br_if 0 (;@6;)
                block ;; label = @7
                  local.get 5
                  i32.load offset=16
                  local.get 8
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
              local.get 6
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
              local.get 8
              i32.load offset=16
              local.tee 6
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              local.get 6
              i32.store offset=16
              local.get 6
              local.get 0
              i32.store offset=24
            end
            local.get 8
            i32.load offset=20
            local.tee 6
            i32.eqz
            br_if 1 (;@3;)
            local.get 0
            local.get 6
            i32.store offset=20
            local.get 6
            local.get 0
            i32.store offset=24
            br 1 (;@3;)
          end
          i32.const 0
          i32.const 0
          i32.load offset=34632
          i32.const -2
          local.get 8
          i32.load offset=28
          i32.rotl
          i32.and
          i32.store offset=34632
        end
        block ;; label = @3
          block ;; label = @4
            local.get 2
            i32.const 16
            i32.lt_u
            br_if 0 (;@4;)
            local.get 8
            local.get 3
            i32.const 3
            i32.or
            i32.store offset=4
            local.get 8
            local.get 3
            i32.add
            local.tee 0
            local.get 2
            i32.const 1
            i32.or
            i32.store offset=4
            local.get 0
            local.get 2
            i32.add
            local.get 2
            i32.store
            block ;; label = @5
              local.get 2
              i32.const 256
              i32.lt_u
              br_if 0 (;@5;)
              local.get 0
              local.get 2
              call 41
              br 2 (;@3;)
            end
            block ;; label = @5
              block ;; label = @6
                i32.const 0
                i32.load offset=34628
                local.tee 6
                i32.const 1
                local.get 2
                i32.const 3
                i32.shr_u
                i32.shl
                local.tee 7
                i32.and
                br_if 0 (;@6;)
                i32.const 0
                local.get 6
                local.get 7
                i32.or
                i32.store offset=34628
                local.get 2
                i32.const 248
                i32.and
                i32.const 34364
                i32.add
                local.tee 2
                local.set 6
                br 1 (;@5;)
              end
              local.get 2
              i32.const 248
              i32.and
              local.tee 2
              i32.const 34364
              i32.add
              local.set 6
              local.get 2
              i32.const 34372
              i32.add
              i32.load
              local.set 2
            end
            local.get 6
            local.get 0
            i32.store offset=8
            local.get 2
            local.get 0
            i32.store offset=12
            local.get 0
            local.get 6
            i32.store offset=12
            local.get 0
            local.get 2
            i32.store offset=8
            br 1 (;@3;)
          end
          local.get 8
          local.get 2
          local.get 3
          i32.add
          local.tee 0
          i32.const 3
          i32.or
          i32.store offset=4
          local.get 8
          local.get 0
          i32.add
          local.tee 0
          local.get 0
          i32.load offset=4
          i32.const 1
          i32.or
          i32.store offset=4
        end
        local.get 8
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
                  i32.load offset=34636
                  local.tee 0
                  local.get 3
                  i32.ge_u
                  br_if 0 (;@7;)
                  block ;; label = @8
                    i32.const 0
                    i32.load offset=34640
                    local.tee 0
                    local.get 3
                    i32.gt_u
                    br_if 0 (;@8;)
                    local.get 1
                    i32.const 4
                    i32.add
                    i32.const 34672
                    local.get 3
                    i32.const 65583
                    i32.add
                    i32.const -65536
                    i32.and
                    call 56
                    block ;; label = @9
                      local.get 1
                      i32.load offset=4
                      local.tee 6
                      br_if 0 (;@9;)
                      i32.const 0
                      local.set 0
                      br 8 (;@1;)
                    end
                    local.get 1
                    i32.load offset=12
                    local.set 5
                    i32.const 0
                    i32.const 0
                    i32.load offset=34652
                    local.get 1
                    i32.load offset=8
                    local.tee 9
                    i32.add
                    local.tee 0
                    i32.store offset=34652
                    i32.const 0
                    local.get 0
                    i32.const 0
                    i32.load offset=34656
                    local.tee 2
                    local.get 0
                    local.get 2
                    i32.gt_u
                    select
                    i32.store offset=34656
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i32.load offset=34648
                          local.tee 2
                          i32.eqz
                          br_if 0 (;@11;)
                          i32.const 34348
                          local.set 0
                          loop ;; label = @12
                            local.get 6
                            local.get 0
                            i32.load
                            local.tee 8
                            local.get 0
                            i32.load offset=4
                            local.tee 7
                            i32.add
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
                            i32.load offset=34664
                            local.tee 0
                            i32.eqz
                            br_if 0 (;@12;)
                            local.get 6
                            local.get 0
                            i32.ge_u
                            br_if 1 (;@11;)
                          end
                          i32.const 0
                          local.get 6
                          i32.store offset=34664
                        end
                        i32.const 0
                        i32.const 4095
                        i32.store offset=34668
                        i32.const 0
                        local.get 5
                        i32.store offset=34360
                        i32.const 0
                        local.get 9
                        i32.store offset=34352
                        i32.const 0
                        local.get 6
                        i32.store offset=34348
                        i32.const 0
                        i32.const 34364
                        i32.store offset=34376
                        i32.const 0
                        i32.const 34372
                        i32.store offset=34384
                        i32.const 0
                        i32.const 34364
                        i32.store offset=34372
                        i32.const 0
                        i32.const 34380
                        i32.store offset=34392
                        i32.const 0
                        i32.const 34372
                        i32.store offset=34380
                        i32.const 0
                        i32.const 34388
                        i32.store offset=34400
                        i32.const 0
                        i32.const 34380
                        i32.store offset=34388
                        i32.const 0
                        i32.const 34396
                        i32.store offset=34408
                        i32.const 0
                        i32.const 34388
                        i32.store offset=34396
                        i32.const 0
                        i32.const 34404
                        i32.store offset=34416
                        i32.const 0
                        i32.const 34396
                        i32.store offset=34404
                        i32.const 0
                        i32.const 34412
                        i32.store offset=34424
                        i32.const 0
                        i32.const 34404
                        i32.store offset=34412
                        i32.const 0
                        i32.const 34420
                        i32.store offset=34432
                        i32.const 0
                        i32.const 34412
                        i32.store offset=34420
                        i32.const 0
                        i32.const 34428
                        i32.store offset=34440
                        i32.const 0
                        i32.const 34420
                        i32.store offset=34428
                        i32.const 0
                        i32.const 34428
                        i32.store offset=34436
                        i32.const 0
                        i32.const 34436
                        i32.store offset=34448
                        i32.const 0
                        i32.const 34436
                        i32.store offset=34444
                        i32.const 0
                        i32.const 34444
                        i32.store offset=34456
                        i32.const 0
                        i32.const 34444
                        i32.store offset=34452
                        i32.const 0
                        i32.const 34452
                        i32.store offset=34464
                        i32.const 0
                        i32.const 34452
                        i32.store offset=34460
                        i32.const 0
                        i32.const 34460
                        i32.store offset=34472
                        i32.const 0
                        i32.const 34460
                        i32.store offset=34468
                        i32.const 0
                        i32.const 34468
                        i32.store offset=34480
                        i32.const 0
                        i32.const 34468
                        i32.store offset=34476
                        i32.const 0
                        i32.const 34476
                        i32.store offset=34488
                        i32.const 0
                        i32.const 34476
                        i32.store offset=34484
                        i32.const 0
                        i32.const 34484
                        i32.store offset=34496
                        i32.const 0
                        i32.const 34484
                        i32.store offset=34492
                        i32.const 0
                        i32.const 34492
                        i32.store offset=34504
                        i32.const 0
                        i32.const 34500
                        i32.store offset=34512
                        i32.const 0
                        i32.const 34492
                        i32.store offset=34500
                        i32.const 0
                        i32.const 34508
                        i32.store offset=34520
                        i32.const 0
                        i32.const 34500
                        i32.store offset=34508
                        i32.const 0
                        i32.const 34516
                        i32.store offset=34528
                        i32.const 0
                        i32.const 34508
                        i32.store offset=34516
                        i32.const 0
                        i32.const 34524
                        i32.store offset=34536
                        i32.const 0
                        i32.const 34516
                        i32.store offset=34524
                        i32.const 0
                        i32.const 34532
                        i32.store offset=34544
                        i32.const 0
                        i32.const 34524
                        i32.store offset=34532
                        i32.const 0
                        i32.const 34540
                        i32.store offset=34552
                        i32.const 0
                        i32.const 34532
                        i32.store offset=34540
                        i32.const 0
                        i32.const 34548
                        i32.store offset=34560
                        i32.const 0
                        i32.const 34540
                        i32.store offset=34548
                        i32.const 0
                        i32.const 34556
                        i32.store offset=34568
                        i32.const 0
                        i32.const 34548
                        i32.store offset=34556
                        i32.const 0
                        i32.const 34564
                        i32.store offset=34576
                        i32.const 0
                        i32.const 34556
                        i32.store offset=34564
                        i32.const 0
                        i32.const 34572
                        i32.store offset=34584
                        i32.const 0
                        i32.const 34564
                        i32.store offset=34572
                        i32.const 0
                        i32.const 34580
                        i32.store offset=34592
                        i32.const 0
                        i32.const 34572
                        i32.store offset=34580
                        i32.const 0
                        i32.const 34588
                        i32.store offset=34600
                        i32.const 0
                        i32.const 34580
                        i32.store offset=34588
                        i32.const 0
                        i32.const 34596
                        i32.store offset=34608
                        i32.const 0
                        i32.const 34588
                        i32.store offset=34596
                        i32.const 0
                        i32.const 34604
                        i32.store offset=34616
                        i32.const 0
                        i32.const 34596
                        i32.store offset=34604
                        i32.const 0
                        i32.const 34612
                        i32.store offset=34624
                        i32.const 0
                        i32.const 34604
                        i32.store offset=34612
                        i32.const 0
                        local.get 6
                        i32.const 15
                        i32.add
                        i32.const -8
                        i32.and
                        local.tee 0
                        i32.const -8
                        i32.add
                        local.tee 2
                        i32.store offset=34648
                        i32.const 0
                        i32.const 34612
                        i32.store offset=34620
                        i32.const 0
                        local.get 6
                        local.get 0
                        i32.sub
                        local.get 9
                        i32.const -40
                        i32.add
                        local.tee 0
                        i32.add
                        i32.const 8
                        i32.add
                        local.tee 8
                        i32.store offset=34640
                        local.get 2
                        local.get 8
                        i32.const 1
                        i32.or
                        i32.store offset=4
                        local.get 6
                        local.get 0
                        i32.add
                        i32.const 40
                        i32.store offset=4
                        i32.const 0
                        i32.const 2097152
                        i32.store offset=34660
                        br 8 (;@2;)
                      end
                      local.get 2
                      local.get 6
                      i32.ge_u
                      br_if 0 (;@9;)
                      local.get 8
                      local.get 2
                      i32.gt_u
                      br_if 0 (;@9;)
                      local.get 0
                      i32.load offset=12
                      local.tee 8
                      i32.const 1
                      i32.and
                      br_if 0 (;@9;)
                      local.get 8
                      i32.const 1
                      i32.shr_u
                      local.get 5
                      i32.eq
                      br_if 3 (;@6;)
                    end
                    i32.const 0
                    i32.const 0
                    i32.load offset=34664
                    local.tee 0
                    local.get 6
                    local.get 0
                    local.get 6
                    i32.lt_u
                    select
                    i32.store offset=34664
                    local.get 6
                    local.get 9
                    i32.add
                    local.set 8
                    i32.const 34348
                    local.set 0
                    block ;; label = @9
                      block ;; label = @10
                        block ;; label = @11
                          loop ;; label = @12
                            local.get 0
                            i32.load
                            local.tee 7
                            local.get 8
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
                        local.tee 8
                        i32.const 1
                        i32.and
                        br_if 0 (;@10;)
                        local.get 8
                        i32.const 1
                        i32.shr_u
                        local.get 5
                        i32.eq
                        br_if 1 (;@9;)
                      end
                      i32.const 34348
                      local.set 0
                      block ;; label = @10
                        loop ;; label = @11
                          block ;; label = @12
                            local.get 0
                            i32.load
                            local.tee 8
                            local.get 2
                            i32.gt_u
                            br_if 0 (;@12;)
                            local.get 2
                            local.get 8
                            local.get 0
                            i32.load offset=4
                            i32.add
                            local.tee 8
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
                      local.get 6
                      i32.const 15
                      i32.add
                      i32.const -8
                      i32.and
                      local.tee 0
                      i32.const -8
                      i32.add
                      local.tee 7
                      i32.store offset=34648
                      i32.const 0
                      local.get 6
                      local.get 0
                      i32.sub
                      local.get 9
                      i32.const -40
                      i32.add
                      local.tee 0
                      i32.add
                      i32.const 8
                      i32.add
                      local.tee 4
                      i32.store offset=34640
                      local.get 7
                      local.get 4
                      i32.const 1
                      i32.or
                      i32.store offset=4
                      local.get 6
                      local.get 0
                      i32.add
                      i32.const 40
                      i32.store offset=4
                      i32.const 0
                      i32.const 2097152
                      i32.store offset=34660
                      local.get 2
                      local.get 8
                      i32.const -32
                      i32.add
                      i32.const -8
                      i32.and
                      i32.const -8
                      i32.add
                      local.tee 0
                      local.get 0
                      local.get 2
                      i32.const 16
                      i32.add
                      i32.lt_u
                      select
                      local.tee 7
                      i32.const 27
                      i32.store offset=4
                      i32.const 0
                      i64.load offset=34348 align=4
                      local.set 10
                      local.get 7
                      i32.const 16
                      i32.add
                      i32.const 0
                      i64.load offset=34356 align=4
                      i64.store align=4
                      local.get 7
                      i32.const 8
                      i32.add
                      local.tee 0
                      local.get 10
                      i64.store align=4
                      i32.const 0
                      local.get 5
                      i32.store offset=34360
                      i32.const 0
                      local.get 9
                      i32.store offset=34352
                      i32.const 0
                      local.get 6
                      i32.store offset=34348
                      i32.const 0
                      local.get 0
                      i32.store offset=34356
                      local.get 7
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
                        local.get 8
                        i32.lt_u
                        br_if 0 (;@10;)
                      end
                      local.get 7
                      local.get 2
                      i32.eq
                      br_if 7 (;@2;)
                      local.get 7
                      local.get 7
                      i32.load offset=4
                      i32.const -2
                      i32.and
                      i32.store offset=4
                      local.get 2
                      local.get 7
                      local.get 2
                      i32.sub
                      local.tee 0
                      i32.const 1
                      i32.or
                      i32.store offset=4
                      local.get 7
                      local.get 0
                      i32.store
                      block ;; label = @10
                        local.get 0
                        i32.const 256
                        i32.lt_u
                        br_if 0 (;@10;)
                        local.get 2
                        local.get 0
                        call 41
                        br 8 (;@2;)
                      end
                      block ;; label = @10
                        block ;; label = @11
                          i32.const 0
                          i32.load offset=34628
                          local.tee 8
                          i32.const 1
                          local.get 0
                          i32.const 3
                          i32.shr_u
                          i32.shl
                          local.tee 6
                          i32.and
                          br_if 0 (;@11;)
                          i32.const 0
                          local.get 8
                          local.get 6
                          i32.or
                          i32.store offset=34628
                          local.get 0
                          i32.const 248
                          i32.and
                          i32.const 34364
                          i32.add
                          local.tee 0
                          local.set 8
                          br 1 (;@10;)
                        end
                        local.get 0
                        i32.const 248
                        i32.and
                        local.tee 0
                        i32.const 34364
                        i32.add
                        local.set 8
                        local.get 0
                        i32.const 34372
                        i32.add
                        i32.load
                        local.set 0
                      end
                      local.get 8
                      local.get 2
                      i32.store offset=8
                      local.get 0
                      local.get 2
                      i32.store offset=12
                      local.get 2
                      local.get 8
                      i32.store offset=12
                      local.get 2
                      local.get 0
                      i32.store offset=8
                      br 7 (;@2;)
                    end
                    local.get 0
                    local.get 6
                    i32.store
                    local.get 0
                    local.get 0
                    i32.load offset=4
                    local.get 9
                    i32.add
                    i32.store offset=4
                    local.get 6
                    i32.const 15
                    i32.add
                    i32.const -8
                    i32.and
                    i32.const -8
                    i32.add
                    local.tee 8
                    local.get 3
                    i32.const 3
                    i32.or
                    i32.store offset=4
                    local.get 7
                    i32.const 15
                    i32.add
                    i32.const -8
                    i32.and
                    i32.const -8
                    i32.add
                    local.tee 2
                    local.get 8
                    local.get 3
                    i32.add
                    local.tee 0
                    i32.sub
                    local.set 3
                    local.get 2
                    i32.const 0
                    i32.load offset=34648
                    i32.eq
                    br_if 3 (;@5;)
                    local.get 2
                    i32.const 0
                    i32.load offset=34644
                    i32.eq
                    br_if 4 (;@4;)
                    block ;; label = @9
                      local.get 2
                      i32.load offset=4
                      local.tee 6
                      i32.const 3
                      i32.and
                      i32.const 1
                      i32.ne
                      br_if 0 (;@9;)
                      local.get 2
                      local.get 6
                      i32.const -8
                      i32.and
                      local.tee 6
                      call 36
                      local.get 6
                      local.get 3
                      i32.add
                      local.set 3
                      local.get 2
                      local.get 6
                      i32.add
                      local.tee 2
                      i32.load offset=4
                      local.set 6
                    end
                    local.get 2
                    local.get 6
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
                      call 41
                      br 6 (;@3;)
                    end
                    block ;; label = @9
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=34628
                        local.tee 2
                        i32.const 1
                        local.get 3
                        i32.const 3
                        i32.shr_u
                        i32.shl
                        local.tee 6
                        i32.and
                        br_if 0 (;@10;)
                        i32.const 0
                        local.get 2
                        local.get 6
                        i32.or
                        i32.store offset=34628
                        local.get 3
                        i32.const 248
                        i32.and
                        i32.const 34364
                        i32.add
                        local.tee 3
                        local.set 2
                        br 1 (;@9;)
                      end
                      local.get 3
                      i32.const 248
                      i32.and
                      local.tee 3
                      i32.const 34364
                      i32.add
                      local.set 2
                      local.get 3
                      i32.const 34372
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
                  local.get 3
                  i32.sub
                  local.tee 2
                  i32.store offset=34640
                  i32.const 0
                  i32.const 0
                  i32.load offset=34648
                  local.tee 0
                  local.get 3
                  i32.add
                  local.tee 8
                  i32.store offset=34648
                  local.get 8
                  local.get 2
                  i32.const 1
                  i32.or
                  i32.store offset=4
                  local.get 0
                  local.get 3
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
                i32.load offset=34644
                local.set 2
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    local.get 3
                    i32.sub
                    local.tee 8
                    i32.const 15
                    i32.gt_u
                    br_if 0 (;@8;)
                    i32.const 0
                    i32.const 0
                    i32.store offset=34644
                    i32.const 0
                    i32.const 0
                    i32.store offset=34636
                    local.get 2
                    local.get 0
                    i32.const 3
                    i32.or
                    i32.store offset=4
                    local.get 2
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
                  local.get 8
                  i32.store offset=34636
                  i32.const 0
                  local.get 2
                  local.get 3
                  i32.add
                  local.tee 6
                  i32.store offset=34644
                  local.get 6
                  local.get 8
                  i32.const 1
                  i32.or
                  i32.store offset=4
                  local.get 2
                  local.get 0
                  i32.add
                  local.get 8
                  i32.store
                  local.get 2
                  local.get 3
                  i32.const 3
                  i32.or
                  i32.store offset=4
                end
                local.get 2
                i32.const 8
                i32.add
                local.set 0
                br 5 (;@1;)
              end
              local.get 0
              local.get 7
              local.get 9
              i32.add
              i32.store offset=4
              i32.const 0
              i32.const 0
              i32.load offset=34648
              local.tee 0
              i32.const 15
              i32.add
              i32.const -8
              i32.and
              local.tee 2
              i32.const -8
              i32.add
              local.tee 8
              i32.store offset=34648
              i32.const 0
              local.get 0
              local.get 2
              i32.sub
              i32.const 0
              i32.load offset=34640
              local.get 9
              i32.add
              local.tee 2
              i32.add
              i32.const 8
              i32.add
              local.tee 6
              i32.store offset=34640
              local.get 8
              local.get 6
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 0
              local.get 2
              i32.add
              i32.const 40
              i32.store offset=4
              i32.const 0
              i32.const 2097152
              i32.store offset=34660
              br 3 (;@2;)
            end
            i32.const 0
            local.get 0
            i32.store offset=34648
            i32.const 0
            i32.const 0
            i32.load offset=34640
            local.get 3
            i32.add
            local.tee 3
            i32.store offset=34640
            local.get 0
            local.get 3
            i32.const 1
            i32.or
            i32.store offset=4
            br 1 (;@3;)
          end
          i32.const 0
          local.get 0
          i32.store offset=34644
          i32.const 0
          i32.const 0
          i32.load offset=34636
          local.get 3
          i32.add
          local.tee 3
          i32.store offset=34636
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
        local.get 8
        i32.const 8
        i32.add
        local.set 0
        br 1 (;@1;)
      end
      i32.const 0
      local.set 0
      i32.const 0
      i32.load offset=34640
      local.tee 2
      local.get 3
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 2
      local.get 3
      i32.sub
      local.tee 2
      i32.store offset=34640
      i32.const 0
      i32.const 0
      i32.load offset=34648
      local.tee 0
      local.get 3
      i32.add
      local.tee 8
      i32.store offset=34648
      local.get 8
      local.get 2
      i32.const 1
      i32.or
      i32.store offset=4
      local.get 0
      local.get 3
      i32.const 3
      i32.or
      i32.store offset=4
      local.get 0
      i32.const 8
      i32.add
      local.set 0
    end
    local.get 1
    i32.const 16
    i32.add
    global.set 0
    local.get 0
  )
  (func (;32;) (type 6)
    unreachable
  )
  (func (;33;) (type 7) (param i32 i32 i32)
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
        call 34
        return
      end
      i32.const 33280
      i32.const 46
      i32.const 33328
      call 60
      unreachable
    end
    i32.const 33344
    i32.const 46
    i32.const 33392
    call 60
    unreachable
  )
  (func (;34;) (type 16) (param i32)
    (local i32 i32 i32 i32)
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
          i32.load offset=34644
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
          i32.store offset=34636
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
        call 36
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
                      i32.load offset=34648
                      i32.eq
                      br_if 2 (;@7;)
                      local.get 3
                      i32.const 0
                      i32.load offset=34644
                      i32.eq
                      br_if 3 (;@6;)
                      local.get 3
                      local.get 2
                      i32.const -8
                      i32.and
                      local.tee 2
                      call 36
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
                      i32.load offset=34644
                      i32.ne
                      br_if 1 (;@8;)
                      i32.const 0
                      local.get 0
                      i32.store offset=34636
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
                  br_if 4 (;@3;)
                  local.get 1
                  local.get 0
                  call 41
                  i32.const 0
                  i32.const 0
                  i32.load offset=34668
                  i32.const -1
                  i32.add
                  local.tee 1
                  i32.store offset=34668
                  local.get 1
                  br_if 6 (;@1;)
                  i32.const 0
                  i32.load offset=34356
                  local.tee 0
                  br_if 2 (;@5;)
                  i32.const 4095
                  local.set 1
                  br 3 (;@4;)
                end
                i32.const 0
                local.get 1
                i32.store offset=34648
                i32.const 0
                i32.const 0
                i32.load offset=34640
                local.get 0
                i32.add
                local.tee 0
                i32.store offset=34640
                local.get 1
                local.get 0
                i32.const 1
                i32.or
                i32.store offset=4
                block ;; label = @7
                  local.get 1
                  i32.const 0
                  i32.load offset=34644
                  i32.ne
                  br_if 0 (;@7;)
                  i32.const 0
                  i32.const 0
                  i32.store offset=34636
                  i32.const 0
                  i32.const 0
                  i32.store offset=34644
                end
                local.get 0
                i32.const 0
                i32.load offset=34660
                local.tee 2
                i32.le_u
                br_if 5 (;@1;)
                i32.const 0
                i32.load offset=34648
                local.tee 0
                i32.eqz
                br_if 5 (;@1;)
                i32.const 0
                i32.load offset=34640
                local.tee 4
                i32.const 41
                i32.lt_u
                br_if 4 (;@2;)
                i32.const 34348
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
                    br_if 6 (;@2;)
                  end
                  local.get 1
                  i32.load offset=8
                  local.set 1
                  br 0 (;@7;)
                end
              end
              i32.const 0
              local.get 1
              i32.store offset=34644
              i32.const 0
              i32.const 0
              i32.load offset=34636
              local.get 0
              i32.add
              local.tee 0
              i32.store offset=34636
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
            i32.const 0
            local.set 1
            loop ;; label = @5
              local.get 1
              i32.const 1
              i32.add
              local.set 1
              local.get 0
              i32.load offset=8
              local.tee 0
              br_if 0 (;@5;)
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
          i32.store offset=34668
          return
        end
        block ;; label = @3
          block ;; label = @4
            i32.const 0
            i32.load offset=34628
            local.tee 3
            i32.const 1
            local.get 0
            i32.const 3
            i32.shr_u
            i32.shl
            local.tee 2
            i32.and
            br_if 0 (;@4;)
            i32.const 0
            local.get 3
            local.get 2
            i32.or
            i32.store offset=34628
            local.get 0
            i32.const 248
            i32.and
            i32.const 34364
            i32.add
            local.tee 0
            local.set 3
            br 1 (;@3;)
          end
          local.get 0
          i32.const 248
          i32.and
          local.tee 0
          i32.const 34364
          i32.add
          local.set 3
          local.get 0
          i32.const 34372
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
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load offset=34356
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
      i32.store offset=34668
      local.get 4
      local.get 2
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const -1
      i32.store offset=34660
    end
  )
  (func (;35;) (type 8) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    local.get 0
                    i32.const -4
                    i32.add
                    local.tee 4
                    i32.load
                    local.tee 5
                    i32.const -8
                    i32.and
                    local.tee 6
                    i32.const 4
                    i32.const 8
                    local.get 5
                    i32.const 3
                    i32.and
                    local.tee 7
                    select
                    local.get 1
                    i32.add
                    i32.lt_u
                    br_if 0 (;@8;)
                    local.get 1
                    i32.const 39
                    i32.add
                    local.set 8
                    block ;; label = @9
                      local.get 7
                      i32.eqz
                      br_if 0 (;@9;)
                      local.get 6
                      local.get 8
                      i32.gt_u
                      br_if 2 (;@7;)
                    end
                    block ;; label = @9
                      block ;; label = @10
                        local.get 2
                        i32.const 9
                        i32.lt_u
                        br_if 0 (;@10;)
                        local.get 2
                        local.get 3
                        call 30
                        local.tee 2
                        br_if 1 (;@9;)
                        i32.const 0
                        return
                      end
                      i32.const 0
                      local.set 2
                      local.get 3
                      i32.const -65588
                      i32.gt_u
                      br_if 8 (;@1;)
                      i32.const 16
                      local.get 3
                      i32.const 11
                      i32.add
                      i32.const -8
                      i32.and
                      local.get 3
                      i32.const 11
                      i32.lt_u
                      select
                      local.set 1
                      local.get 0
                      i32.const -8
                      i32.add
                      local.set 8
                      block ;; label = @10
                        local.get 7
                        br_if 0 (;@10;)
                        local.get 1
                        i32.const 256
                        i32.lt_u
                        br_if 7 (;@3;)
                        local.get 8
                        i32.eqz
                        br_if 7 (;@3;)
                        local.get 6
                        local.get 1
                        i32.le_u
                        br_if 7 (;@3;)
                        local.get 6
                        local.get 1
                        i32.sub
                        i32.const 131072
                        i32.gt_u
                        br_if 7 (;@3;)
                        local.get 0
                        return
                      end
                      local.get 8
                      local.get 6
                      i32.add
                      local.set 7
                      block ;; label = @10
                        block ;; label = @11
                          local.get 6
                          local.get 1
                          i32.ge_u
                          br_if 0 (;@11;)
                          local.get 7
                          i32.const 0
                          i32.load offset=34648
                          i32.eq
                          br_if 1 (;@10;)
                          block ;; label = @12
                            local.get 7
                            i32.const 0
                            i32.load offset=34644
                            i32.eq
                            br_if 0 (;@12;)
                            local.get 7
                            i32.load offset=4
                            local.tee 5
                            i32.const 2
                            i32.and
                            br_if 9 (;@3;)
                            local.get 5
                            i32.const -8
                            i32.and
                            local.tee 9
                            local.get 6
                            i32.add
                            local.tee 5
                            local.get 1
                            i32.lt_u
                            br_if 9 (;@3;)
                            local.get 7
                            local.get 9
                            call 36
                            block ;; label = @13
                              local.get 5
                              local.get 1
                              i32.sub
                              local.tee 7
                              i32.const 16
                              i32.lt_u
                              br_if 0 (;@13;)
                              local.get 4
                              local.get 1
                              local.get 4
                              i32.load
                              i32.const 1
                              i32.and
                              i32.or
                              i32.const 2
                              i32.or
                              i32.store
                              local.get 8
                              local.get 1
                              i32.add
                              local.tee 1
                              local.get 7
                              i32.const 3
                              i32.or
                              i32.store offset=4
                              local.get 8
                              local.get 5
                              i32.add
                              local.tee 5
                              local.get 5
                              i32.load offset=4
                              i32.const 1
                              i32.or
                              i32.store offset=4
                              local.get 1
                              local.get 7
                              call 37
                              br 9 (;@4;)
                            end
                            local.get 4
                            local.get 5
                            local.get 4
                            i32.load
                            i32.const 1
                            i32.and
                            i32.or
                            i32.const 2
                            i32.or
                            i32.store
                            local.get 8
                            local.get 5
                            i32.add
                            local.tee 1
                            local.get 1
                            i32.load offset=4
                            i32.const 1
                            i32.or
                            i32.store offset=4
                            br 8 (;@4;)
                          end
                          i32.const 0
                          i32.load offset=34636
                          local.get 6
                          i32.add
                          local.tee 7
                          local.get 1
                          i32.lt_u
                          br_if 8 (;@3;)
                          block ;; label = @12
                            block ;; label = @13
                              local.get 7
                              local.get 1
                              i32.sub
                              local.tee 6
                              i32.const 15
                              i32.gt_u
                              br_if 0 (;@13;)
                              local.get 4
                              local.get 5
                              i32.const 1
                              i32.and
                              local.get 7
                              i32.or
                              i32.const 2
                              i32.or
                              i32.store
                              local.get 8
                              local.get 7
                              i32.add
                              local.tee 1
                              local.get 1
                              i32.load offset=4
                              i32.const 1
                              i32.or
                              i32.store offset=4
                              i32.const 0
                              local.set 6
                              i32.const 0
                              local.set 1
                              br 1 (;@12;)
                            end
                            local.get 4
                            local.get 1
                            local.get 5
                            i32.const 1
                            i32.and
                            i32.or
                            i32.const 2
                            i32.or
                            i32.store
                            local.get 8
                            local.get 1
                            i32.add
                            local.tee 1
                            local.get 6
                            i32.const 1
                            i32.or
                            i32.store offset=4
                            local.get 8
                            local.get 7
                            i32.add
                            local.tee 7
                            local.get 6
                            i32.store
                            local.get 7
                            local.get 7
                            i32.load offset=4
                            i32.const -2
                            i32.and
                            i32.store offset=4
                          end
                          i32.const 0
                          local.get 1
                          i32.store offset=34644
                          i32.const 0
                          local.get 6
                          i32.store offset=34636
                          br 7 (;@4;)
                        end
                        local.get 6
                        local.get 1
                        i32.sub
                        local.tee 6
                        i32.const 15
                        i32.le_u
                        br_if 6 (;@4;)
                        local.get 4
                        local.get 1
                        local.get 5
                        i32.const 1
                        i32.and
                        i32.or
                        i32.const 2
                        i32.or
                        i32.store
                        local.get 8
                        local.get 1
                        i32.add
                        local.tee 1
                        local.get 6
                        i32.const 3
                        i32.or
                        i32.store offset=4
                        local.get 7
                        local.get 7
                        i32.load offset=4
                        i32.const 1
                        i32.or
                        i32.store offset=4
                        local.get 1
                        local.get 6
                        call 37
                        br 6 (;@4;)
                      end
                      i32.const 0
                      i32.load offset=34640
                      local.get 6
                      i32.add
                      local.tee 7
                      local.get 1
                      i32.gt_u
                      br_if 4 (;@5;)
                      br 6 (;@3;)
                    end
                    block ;; label = @9
                      local.get 3
                      local.get 1
                      local.get 3
                      local.get 1
                      i32.lt_u
                      select
                      local.tee 3
                      i32.eqz
                      br_if 0 (;@9;)
                      local.get 2
                      local.get 0
                      local.get 3
                      memory.copy
                    end
                    local.get 4
                    i32.load
                    local.tee 3
                    i32.const -8
                    i32.and
                    local.tee 7
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
                    br_if 2 (;@6;)
                    local.get 3
                    i32.eqz
                    br_if 6 (;@2;)
                    local.get 7
                    local.get 8
                    i32.le_u
                    br_if 6 (;@2;)
                    i32.const 33344
                    i32.const 46
                    i32.const 33392
                    call 60
                    unreachable
                  end
                  i32.const 33280
                  i32.const 46
                  i32.const 33328
                  call 60
                  unreachable
                end
                i32.const 33344
                i32.const 46
                i32.const 33392
                call 60
                unreachable
              end
              i32.const 33280
              i32.const 46
              i32.const 33328
              call 60
              unreachable
            end
            local.get 4
            local.get 1
            local.get 5
            i32.const 1
            i32.and
            i32.or
            i32.const 2
            i32.or
            i32.store
            local.get 8
            local.get 1
            i32.add
            local.tee 5
            local.get 7
            local.get 1
            i32.sub
            local.tee 1
            i32.const 1
            i32.or
            i32.store offset=4
            i32.const 0
            local.get 1
            i32.store offset=34640
            i32.const 0
            local.get 5
            i32.store offset=34648
          end
          local.get 8
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          return
        end
        local.get 3
        call 31
        local.tee 1
        i32.eqz
        br_if 1 (;@1;)
        block ;; label = @3
          local.get 3
          i32.const -4
          i32.const -8
          local.get 4
          i32.load
          local.tee 2
          i32.const 3
          i32.and
          select
          local.get 2
          i32.const -8
          i32.and
          i32.add
          local.tee 2
          local.get 3
          local.get 2
          i32.lt_u
          select
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 1
          local.get 0
          local.get 3
          memory.copy
        end
        local.get 1
        local.set 2
      end
      local.get 0
      call 34
    end
    local.get 2
  )
  (func (;36;) (type 0) (param i32 i32)
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
                i32.const 34220
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
          i32.load offset=34628
          i32.const -2
          local.get 1
          i32.const 3
          i32.shr_u
          i32.rotl
          i32.and
          i32.store offset=34628
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
    i32.load offset=34632
    i32.const -2
    local.get 0
    i32.load offset=28
    i32.rotl
    i32.and
    i32.store offset=34632
  )
  (func (;37;) (type 0) (param i32 i32)
    (local i32 i32)
    local.get 0
    local.get 1
    i32.add
    local.set 2
    block ;; label = @1
      block ;; label = @2
        local.get 0
        i32.load offset=4
        local.tee 3
        i32.const 1
        i32.and
        br_if 0 (;@2;)
        local.get 3
        i32.const 2
        i32.and
        i32.eqz
        br_if 1 (;@1;)
        local.get 0
        i32.load
        local.tee 3
        local.get 1
        i32.add
        local.set 1
        block ;; label = @3
          local.get 0
          local.get 3
          i32.sub
          local.tee 0
          i32.const 0
          i32.load offset=34644
          i32.ne
          br_if 0 (;@3;)
          local.get 2
          i32.load offset=4
          i32.const 3
          i32.and
          i32.const 3
          i32.ne
          br_if 1 (;@2;)
          i32.const 0
          local.get 1
          i32.store offset=34636
          local.get 2
          local.get 2
          i32.load offset=4
          i32.const -2
          i32.and
          i32.store offset=4
          local.get 0
          local.get 1
          i32.const 1
          i32.or
          i32.store offset=4
          local.get 2
          local.get 1
          i32.store
          br 2 (;@1;)
        end
        local.get 0
        local.get 3
        call 36
      end
      block ;; label = @2
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              local.get 2
              i32.load offset=4
              local.tee 3
              i32.const 2
              i32.and
              br_if 0 (;@5;)
              local.get 2
              i32.const 0
              i32.load offset=34648
              i32.eq
              br_if 2 (;@3;)
              local.get 2
              i32.const 0
              i32.load offset=34644
              i32.eq
              br_if 3 (;@2;)
              local.get 2
              local.get 3
              i32.const -8
              i32.and
              local.tee 3
              call 36
              local.get 0
              local.get 3
              local.get 1
              i32.add
              local.tee 1
              i32.const 1
              i32.or
              i32.store offset=4
              local.get 0
              local.get 1
              i32.add
              local.get 1
              i32.store
              local.get 0
              i32.const 0
              i32.load offset=34644
              i32.ne
              br_if 1 (;@4;)
              i32.const 0
              local.get 1
              i32.store offset=34636
              return
            end
            local.get 2
            local.get 3
            i32.const -2
            i32.and
            i32.store offset=4
            local.get 0
            local.get 1
            i32.const 1
            i32.or
            i32.store offset=4
            local.get 0
            local.get 1
            i32.add
            local.get 1
            i32.store
          end
          block ;; label = @4
            local.get 1
            i32.const 256
            i32.lt_u
            br_if 0 (;@4;)
            local.get 0
            local.get 1
            call 41
            return
          end
          block ;; label = @4
            block ;; label = @5
              i32.const 0
              i32.load offset=34628
              local.tee 2
              i32.const 1
              local.get 1
              i32.const 3
              i32.shr_u
              i32.shl
              local.tee 3
              i32.and
              br_if 0 (;@5;)
              i32.const 0
              local.get 2
              local.get 3
              i32.or
              i32.store offset=34628
              local.get 1
              i32.const 248
              i32.and
              i32.const 34364
              i32.add
              local.tee 1
              local.set 2
              br 1 (;@4;)
            end
            local.get 1
            i32.const 248
            i32.and
            local.tee 1
            i32.const 34364
            i32.add
            local.set 2
            local.get 1
            i32.const 34372
            i32.add
            i32.load
            local.set 1
          end
          local.get 2
          local.get 0
          i32.store offset=8
          local.get 1
          local.get 0
          i32.store offset=12
          local.get 0
          local.get 2
          i32.store offset=12
          local.get 0
          local.get 1
          i32.store offset=8
          return
        end
        i32.const 0
        local.get 0
        i32.store offset=34648
        i32.const 0
        i32.const 0
        i32.load offset=34640
        local.get 1
        i32.add
        local.tee 1
        i32.store offset=34640
        local.get 0
        local.get 1
        i32.const 1
        i32.or
        i32.store offset=4
        local.get 0
        i32.const 0
        i32.load offset=34644
        i32.ne
        br_if 1 (;@1;)
        i32.const 0
        i32.const 0
        i32.store offset=34636
        i32.const 0
        i32.const 0
        i32.store offset=34644
        return
      end
      i32.const 0
      local.get 0
      i32.store offset=34644
      i32.const 0
      i32.const 0
      i32.load offset=34636
      local.get 1
      i32.add
      local.tee 1
      i32.store offset=34636
      local.get 0
      local.get 1
      i32.const 1
      i32.or
      i32.store offset=4
      local.get 0
      local.get 1
      i32.add
      local.get 1
      i32.store
      return
    end
  )
  (func (;38;) (type 16) (param i32)
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
    call 23
    unreachable
  )
  (func (;39;) (type 0) (param i32 i32)
    local.get 1
    local.get 0
    call 40
    unreachable
  )
  (func (;40;) (type 0) (param i32 i32)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    local.get 1
    i32.store offset=12
    local.get 2
    local.get 0
    i32.store offset=8
    local.get 2
    i32.const 8
    i32.add
    call 21
    unreachable
  )
  (func (;41;) (type 0) (param i32 i32)
    (local i32 i32 i32 i32)
    i32.const 0
    local.set 2
    block ;; label = @1
      local.get 1
      i32.const 8
      i32.shr_u
      local.tee 3
      i32.eqz
      br_if 0 (;@1;)
      i32.const 31
      local.set 2
      local.get 1
      i32.const 16777216
      i32.ge_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 38
      local.get 3
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
    i32.const 34220
    i32.add
    local.set 3
    block ;; label = @1
      i32.const 0
      i32.load offset=34632
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
      i32.load offset=34632
      local.get 4
      i32.or
      i32.store offset=34632
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
  (func (;42;) (type 18) (param i32) (result i32)
    (local i32 i32)
    i32.const 0
    local.set 1
    i32.const 0
    i32.const 0
    i32.load offset=34216
    local.tee 2
    i32.const 1
    i32.add
    i32.store offset=34216
    block ;; label = @1
      local.get 2
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 1
      local.set 1
      i32.const 0
      i32.load8_u offset=34196
      br_if 0 (;@1;)
      i32.const 0
      local.get 0
      i32.store8 offset=34196
      i32.const 0
      i32.const 0
      i32.load offset=34192
      i32.const 1
      i32.add
      i32.store offset=34192
      i32.const 2
      local.set 1
    end
    local.get 1
  )
  (func (;43;) (type 0) (param i32 i32)
    local.get 0
    i32.const 0
    i64.load offset=33272 align=4
    i64.store offset=8 align=4
    local.get 0
    i32.const 0
    i64.load offset=33264 align=4
    i64.store align=4
  )
  (func (;44;) (type 0) (param i32 i32)
    local.get 0
    i32.const 0
    i64.load offset=33256 align=4
    i64.store offset=8 align=4
    local.get 0
    i32.const 0
    i64.load offset=33248 align=4
    i64.store align=4
  )
  (func (;45;) (type 2) (param i32 i32) (result i32)
    block ;; label = @1
      local.get 0
      i32.load
      i32.const -2147483648
      i32.eq
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      i32.load offset=4
      local.get 0
      i32.load offset=8
      call 69
      return
    end
    local.get 1
    i32.load
    local.get 1
    i32.load offset=4
    local.get 0
    i32.load offset=12
    i32.load
    local.tee 0
    i32.load
    local.get 0
    i32.load offset=4
    call 64
  )
  (func (;46;) (type 0) (param i32 i32)
    local.get 0
    i32.const 33408
    i32.store offset=4
    local.get 0
    local.get 1
    i32.store
  )
  (func (;47;) (type 0) (param i32 i32)
    local.get 0
    local.get 1
    i64.load align=4
    i64.store
  )
  (func (;48;) (type 0) (param i32 i32)
    (local i32 i32)
    local.get 1
    i32.load offset=4
    local.set 2
    local.get 1
    i32.load
    local.set 3
    call 8
    block ;; label = @1
      i32.const 8
      i32.const 4
      call 5
      local.tee 1
      br_if 0 (;@1;)
      i32.const 4
      i32.const 8
      call 58
      unreachable
    end
    local.get 1
    local.get 2
    i32.store offset=4
    local.get 1
    local.get 3
    i32.store
    local.get 0
    i32.const 33408
    i32.store offset=4
    local.get 0
    local.get 1
    i32.store
  )
  (func (;49;) (type 2) (param i32 i32) (result i32)
    local.get 1
    local.get 0
    i32.load
    local.get 0
    i32.load offset=4
    call 69
  )
  (func (;50;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    local.get 0
    i32.load offset=8
    local.set 2
    block ;; label = @1
      block ;; label = @2
        local.get 1
        i32.const 128
        i32.ge_u
        br_if 0 (;@2;)
        i32.const 1
        local.set 3
        br 1 (;@1;)
      end
      block ;; label = @2
        local.get 1
        i32.const 2048
        i32.ge_u
        br_if 0 (;@2;)
        i32.const 2
        local.set 3
        br 1 (;@1;)
      end
      i32.const 3
      i32.const 4
      local.get 1
      i32.const 65536
      i32.lt_u
      select
      local.set 3
    end
    local.get 2
    local.set 4
    block ;; label = @1
      local.get 3
      local.get 0
      i32.load
      local.get 2
      i32.sub
      i32.le_u
      br_if 0 (;@1;)
      local.get 0
      local.get 2
      local.get 3
      i32.const 1
      i32.const 1
      call 17
      local.get 0
      i32.load offset=8
      local.set 4
    end
    local.get 0
    i32.load offset=4
    local.get 4
    i32.add
    local.set 4
    block ;; label = @1
      block ;; label = @2
        local.get 1
        i32.const 128
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 63
        i32.and
        i32.const -128
        i32.or
        local.set 5
        local.get 1
        i32.const 6
        i32.shr_u
        local.set 6
        block ;; label = @3
          local.get 1
          i32.const 2048
          i32.ge_u
          br_if 0 (;@3;)
          local.get 4
          local.get 5
          i32.store8 offset=1
          local.get 4
          local.get 6
          i32.const 192
          i32.or
          i32.store8
          br 2 (;@1;)
        end
        local.get 1
        i32.const 12
        i32.shr_u
        local.set 7
        local.get 6
        i32.const 63
        i32.and
        i32.const -128
        i32.or
        local.set 6
        block ;; label = @3
          local.get 1
          i32.const 65535
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          local.get 5
          i32.store8 offset=2
          local.get 4
          local.get 6
          i32.store8 offset=1
          local.get 4
          local.get 7
          i32.const 224
          i32.or
          i32.store8
          br 2 (;@1;)
        end
        local.get 4
        local.get 5
        i32.store8 offset=3
        local.get 4
        local.get 6
        i32.store8 offset=2
        local.get 4
        local.get 7
        i32.const 63
        i32.and
        i32.const -128
        i32.or
        i32.store8 offset=1
        local.get 4
        local.get 1
        i32.const 18
        i32.shr_u
        i32.const -16
        i32.or
        i32.store8
        br 1 (;@1;)
      end
      local.get 4
      local.get 1
      i32.store8
    end
    local.get 0
    local.get 3
    local.get 2
    i32.add
    i32.store offset=8
    i32.const 0
  )
  (func (;51;) (type 1) (param i32 i32 i32) (result i32)
    (local i32)
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 2
          local.get 0
          i32.load
          local.get 0
          i32.load offset=8
          local.tee 3
          i32.sub
          i32.le_u
          br_if 0 (;@3;)
          local.get 0
          local.get 3
          local.get 2
          i32.const 1
          i32.const 1
          call 17
          local.get 0
          i32.load offset=8
          local.set 3
          br 1 (;@2;)
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.load offset=4
      local.get 3
      i32.add
      local.get 1
      local.get 2
      memory.copy
    end
    local.get 0
    local.get 3
    local.get 2
    i32.add
    i32.store offset=8
    i32.const 0
  )
  (func (;52;) (type 0) (param i32 i32)
    (local i32 i32 i64)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      local.get 1
      i32.load
      i32.const -2147483648
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i32.load offset=12
      local.set 3
      local.get 2
      i32.const 0
      i32.store offset=28
      local.get 2
      i64.const 4294967296
      i64.store offset=20 align=4
      local.get 2
      i32.const 20
      i32.add
      i32.const 33168
      local.get 3
      i32.load
      local.tee 3
      i32.load
      local.get 3
      i32.load offset=4
      call 64
      drop
      local.get 2
      local.get 2
      i32.load offset=28
      local.tee 3
      i32.store offset=16
      local.get 2
      local.get 2
      i64.load offset=20 align=4
      local.tee 4
      i64.store offset=8
      local.get 1
      local.get 3
      i32.store offset=8
      local.get 1
      local.get 4
      i64.store align=4
    end
    local.get 0
    i32.const 33424
    i32.store offset=4
    local.get 0
    local.get 1
    i32.store
    local.get 2
    i32.const 32
    i32.add
    global.set 0
  )
  (func (;53;) (type 0) (param i32 i32)
    (local i32 i32 i64)
    global.get 0
    i32.const 48
    i32.sub
    local.tee 2
    global.set 0
    block ;; label = @1
      local.get 1
      i32.load
      i32.const -2147483648
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i32.load offset=12
      local.set 3
      local.get 2
      i32.const 0
      i32.store offset=44
      local.get 2
      i64.const 4294967296
      i64.store offset=36 align=4
      local.get 2
      i32.const 36
      i32.add
      i32.const 33168
      local.get 3
      i32.load
      local.tee 3
      i32.load
      local.get 3
      i32.load offset=4
      call 64
      drop
      local.get 2
      local.get 2
      i32.load offset=44
      local.tee 3
      i32.store offset=32
      local.get 2
      local.get 2
      i64.load offset=36 align=4
      local.tee 4
      i64.store offset=24
      local.get 1
      local.get 3
      i32.store offset=8
      local.get 1
      local.get 4
      i64.store align=4
    end
    local.get 1
    i32.load offset=8
    local.set 3
    local.get 1
    i32.const 0
    i32.store offset=8
    local.get 1
    i64.load align=4
    local.set 4
    local.get 1
    i64.const 4294967296
    i64.store align=4
    local.get 2
    local.get 3
    i32.store offset=16
    local.get 2
    local.get 4
    i64.store offset=8
    call 8
    block ;; label = @1
      i32.const 12
      i32.const 4
      call 5
      local.tee 1
      br_if 0 (;@1;)
      i32.const 4
      i32.const 12
      call 58
      unreachable
    end
    local.get 1
    local.get 2
    i32.load offset=16
    i32.store offset=8
    local.get 1
    local.get 2
    i64.load offset=8
    i64.store align=4
    local.get 0
    i32.const 33424
    i32.store offset=4
    local.get 0
    local.get 1
    i32.store
    local.get 2
    i32.const 48
    i32.add
    global.set 0
  )
  (func (;54;) (type 0) (param i32 i32)
    local.get 0
    i32.const 0
    i32.store
  )
  (func (;55;) (type 1) (param i32 i32 i32) (result i32)
    local.get 0
    i32.const 33168
    local.get 1
    local.get 2
    call 64
  )
  (func (;56;) (type 7) (param i32 i32 i32)
    (local i32 i32)
    block ;; label = @1
      block ;; label = @2
        local.get 2
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
        local.tee 3
        i32.const -1
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.set 2
        i32.const 0
        local.set 4
        br 1 (;@1;)
      end
      local.get 2
      i32.const 16
      i32.shl
      local.tee 4
      i32.const -16
      i32.add
      local.get 4
      local.get 3
      i32.const 16
      i32.shl
      local.tee 2
      i32.const 0
      local.get 4
      i32.sub
      i32.eq
      select
      local.set 4
    end
    local.get 0
    i32.const 0
    i32.store offset=8
    local.get 0
    local.get 4
    i32.store offset=4
    local.get 0
    local.get 2
    i32.store
  )
  (func (;57;) (type 0) (param i32 i32)
    block ;; label = @1
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      call 58
      unreachable
    end
    call 59
    unreachable
  )
  (func (;58;) (type 0) (param i32 i32)
    local.get 1
    local.get 0
    call 39
    unreachable
  )
  (func (;59;) (type 6)
    i32.const 33440
    i32.const 35
    i32.const 33460
    call 61
    unreachable
  )
  (func (;60;) (type 7) (param i32 i32 i32)
    local.get 0
    local.get 1
    i32.const 1
    i32.shl
    i32.const 1
    i32.or
    local.get 2
    call 61
    unreachable
  )
  (func (;61;) (type 7) (param i32 i32 i32)
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
  (func (;62;) (type 2) (param i32 i32) (result i32)
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
        i32.load16_u offset=33492 align=1
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
        i32.load16_u offset=33492 align=1
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
      i32.load16_u offset=33492 align=1
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
      i32.load8_u offset=33493
      i32.store8
    end
    local.get 1
    i32.const 1
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
    call 65
    local.set 3
    local.get 2
    i32.const 32
    i32.add
    global.set 0
    local.get 3
  )
  (func (;63;) (type 2) (param i32 i32) (result i32)
    local.get 1
    local.get 0
    i32.load
    local.get 0
    i32.load offset=4
    call 68
  )
  (func (;64;) (type 8) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 4
    global.set 0
    block ;; label = @1
      block ;; label = @2
        block ;; label = @3
          local.get 3
          i32.const 1
          i32.and
          br_if 0 (;@3;)
          local.get 2
          i32.load8_u
          local.tee 5
          br_if 1 (;@2;)
          i32.const 0
          local.set 5
          br 2 (;@1;)
        end
        local.get 0
        local.get 2
        local.get 3
        i32.const 1
        i32.shr_u
        local.get 1
        i32.load offset=12
        call_indirect (type 1)
        local.set 5
        br 1 (;@1;)
      end
      local.get 1
      i32.load offset=12
      local.set 6
      i32.const 0
      local.set 7
      loop ;; label = @2
        local.get 2
        i32.const 1
        i32.add
        local.set 8
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  local.get 5
                  i32.extend8_s
                  i32.const -1
                  i32.gt_s
                  br_if 0 (;@7;)
                  local.get 5
                  i32.const 255
                  i32.and
                  local.tee 9
                  i32.const 128
                  i32.eq
                  br_if 1 (;@6;)
                  local.get 9
                  i32.const 192
                  i32.ne
                  br_if 3 (;@4;)
                  local.get 4
                  local.get 1
                  i32.store offset=4
                  local.get 4
                  local.get 0
                  i32.store
                  local.get 4
                  i64.const 1610612768
                  i64.store offset=8 align=4
                  local.get 3
                  local.get 7
                  i32.const 3
                  i32.shl
                  i32.add
                  local.tee 5
                  i32.load
                  local.get 4
                  local.get 5
                  i32.load offset=4
                  call_indirect (type 2)
                  i32.eqz
                  br_if 2 (;@5;)
                  i32.const 1
                  local.set 5
                  br 6 (;@1;)
                end
                block ;; label = @7
                  local.get 0
                  local.get 8
                  local.get 5
                  i32.const 255
                  i32.and
                  local.tee 5
                  local.get 6
                  call_indirect (type 1)
                  br_if 0 (;@7;)
                  local.get 8
                  local.get 5
                  i32.add
                  local.set 2
                  br 4 (;@3;)
                end
                i32.const 1
                local.set 5
                br 5 (;@1;)
              end
              block ;; label = @6
                local.get 0
                local.get 2
                i32.const 3
                i32.add
                local.tee 5
                local.get 2
                i32.load16_u offset=1 align=1
                local.tee 2
                local.get 6
                call_indirect (type 1)
                br_if 0 (;@6;)
                local.get 5
                local.get 2
                i32.add
                local.set 2
                br 3 (;@3;)
              end
              i32.const 1
              local.set 5
              br 4 (;@1;)
            end
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            local.get 8
            local.set 2
            br 1 (;@3;)
          end
          i32.const 1610612768
          local.set 10
          block ;; label = @4
            local.get 5
            i32.const 1
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 2
            i32.const 5
            i32.add
            local.set 8
            local.get 2
            i32.load offset=1 align=1
            local.set 10
          end
          i32.const 0
          local.set 9
          block ;; label = @4
            block ;; label = @5
              local.get 5
              i32.const 2
              i32.and
              br_if 0 (;@5;)
              i32.const 0
              local.set 11
              local.get 8
              local.set 2
              br 1 (;@4;)
            end
            local.get 8
            i32.const 2
            i32.add
            local.set 2
            local.get 8
            i32.load16_u align=1
            local.set 11
          end
          block ;; label = @4
            block ;; label = @5
              local.get 5
              i32.const 4
              i32.and
              br_if 0 (;@5;)
              local.get 2
              local.set 8
              br 1 (;@4;)
            end
            local.get 2
            i32.const 2
            i32.add
            local.set 8
            local.get 2
            i32.load16_u align=1
            local.set 9
          end
          block ;; label = @4
            block ;; label = @5
              local.get 5
              i32.const 8
              i32.and
              br_if 0 (;@5;)
              local.get 8
              local.set 2
              br 1 (;@4;)
            end
            local.get 8
            i32.const 2
            i32.add
            local.set 2
            local.get 8
            i32.load16_u align=1
            local.set 7
          end
          block ;; label = @4
            local.get 5
            i32.const 16
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 3
            local.get 11
            i32.const 65535
            i32.and
            i32.const 3
            i32.shl
            i32.add
            i32.load16_u offset=4
            local.set 11
          end
          block ;; label = @4
            local.get 5
            i32.const 32
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 3
            local.get 9
            i32.const 65535
            i32.and
            i32.const 3
            i32.shl
            i32.add
            i32.load16_u offset=4
            local.set 9
          end
          local.get 4
          local.get 9
          i32.store16 offset=14
          local.get 4
          local.get 11
          i32.store16 offset=12
          local.get 4
          local.get 10
          i32.store offset=8
          local.get 4
          local.get 1
          i32.store offset=4
          local.get 4
          local.get 0
          i32.store
          block ;; label = @4
            local.get 3
            local.get 7
            i32.const 3
            i32.shl
            i32.add
            local.tee 5
            i32.load
            local.get 4
            local.get 5
            i32.load offset=4
            call_indirect (type 2)
            i32.eqz
            br_if 0 (;@4;)
            i32.const 1
            local.set 5
            br 3 (;@1;)
          end
          local.get 7
          i32.const 1
          i32.add
          local.set 7
        end
        local.get 2
        i32.load8_u
        local.tee 5
        br_if 0 (;@2;)
      end
      i32.const 0
      local.set 5
    end
    local.get 4
    i32.const 16
    i32.add
    global.set 0
    local.get 5
  )
  (func (;65;) (type 19) (param i32 i32 i32 i32 i32 i32) (result i32)
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
          call 66
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
                call_indirect (type 2)
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
            call 67
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
              call_indirect (type 2)
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
          call 67
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
            call_indirect (type 2)
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
      call 67
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
  (func (;66;) (type 2) (param i32 i32) (result i32)
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
  (func (;67;) (type 20) (param i32 i32 i32 i32 i32) (result i32)
    block ;; label = @1
      local.get 2
      i32.const 1114112
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      local.get 2
      local.get 1
      i32.load offset=16
      call_indirect (type 2)
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
  (func (;68;) (type 1) (param i32 i32 i32) (result i32)
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
                  call 66
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
            call_indirect (type 2)
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
          call_indirect (type 2)
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
  (func (;69;) (type 1) (param i32 i32 i32) (result i32)
    local.get 0
    i32.load
    local.get 1
    local.get 2
    local.get 0
    i32.load offset=4
    i32.load offset=12
    call_indirect (type 1)
  )
  (func (;70;) (type 7) (param i32 i32 i32)
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
    i32.const 18
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 3
    i64.extend_i32_u
    i64.or
    i64.store offset=8
    i32.const 32796
    local.get 3
    i32.const 8
    i32.add
    local.get 2
    call 61
    unreachable
  )
  (func (;71;) (type 16) (param i32)
    i32.const 33692
    i32.const 115
    local.get 0
    call 61
    unreachable
  )
  (func (;72;) (type 2) (param i32 i32) (result i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 0
    i64.load
    local.set 3
    i32.const 0
    local.set 0
    loop ;; label = @1
      local.get 2
      local.get 0
      i32.add
      i32.const 15
      i32.add
      local.get 3
      i32.wrap_i64
      i32.const 15
      i32.and
      i32.load8_u offset=33476
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
    i32.const 1
    i32.const 33749
    i32.const 2
    local.get 2
    local.get 0
    i32.add
    i32.const 16
    i32.add
    i32.const 0
    local.get 0
    i32.sub
    call 65
    local.set 0
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 0
  )
  (func (;73;) (type 2) (param i32 i32) (result i32)
    (local i32 i64)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 2
    global.set 0
    local.get 0
    i64.load
    local.set 3
    i32.const 0
    local.set 0
    loop ;; label = @1
      local.get 2
      local.get 0
      i32.add
      i32.const 15
      i32.add
      local.get 3
      i32.wrap_i64
      i32.const 15
      i32.and
      i32.load8_u offset=33751
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
    i32.const 1
    i32.const 33749
    i32.const 2
    local.get 2
    local.get 0
    i32.add
    i32.const 16
    i32.add
    i32.const 0
    local.get 0
    i32.sub
    call 65
    local.set 0
    local.get 2
    i32.const 16
    i32.add
    global.set 0
    local.get 0
  )
  (func (;74;) (type 21) (param i32 i64 i64 i64 i64)
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
  (func (;75;) (type 21) (param i32 i64 i64 i64 i64)
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
                    call 77
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
            call 77
            local.get 5
            i32.const 32
            i32.add
            local.get 3
            local.get 4
            local.get 8
            call 77
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
            call 74
            local.get 5
            i32.const 16
            i32.add
            local.get 4
            i64.const 0
            local.get 12
            i64.const 0
            call 74
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
                call 77
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
                  call 77
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
                  call 74
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
                call 78
                local.get 5
                i32.const 112
                i32.add
                local.get 3
                local.get 4
                local.get 12
                i64.const 0
                call 74
                local.get 5
                i32.const 96
                i32.add
                local.get 5
                i64.load offset=112
                local.get 5
                i64.load offset=120
                local.get 8
                call 78
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
  (func (;76;) (type 21) (param i32 i64 i64 i64 i64)
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
    call 75
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
  (func (;77;) (type 22) (param i32 i64 i64 i32)
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
  (func (;78;) (type 22) (param i32 i64 i64 i32)
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
  (data (;0;) (i32.const 32768) "\11min > max. min = \c0\08, max = \c0\00/tng/parts/congestion/src/window.rs\00/tng/parts/congestion/src/integers.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/time.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/raw_vec/mod.rs\00/rust/deps/dlmalloc-0.2.11/src/dlmalloc.rs\00\00\00\00\1e\80\00\00#\00\00\00\85\00\00\00\0a\00\00\00overflow when adding durations\00\00h\80\00\00H\00\00\00\9d\04\00\00\1f\00\00\00B\80\00\00%\00\00\00\1d\00\00\00\1e\00\00\00B\80\00\00%\00\00\00!\00\00\00\1a\00\00\00\03\00\00\00\0c\00\00\00\04\00\00\00\04\00\00\00\05\00\00\00\06\00\00\00\00\00\00\00\08\00\00\00\04\00\00\00\07\00\00\00\08\00\00\00\09\00\00\00\0a\00\00\00\0b\00\00\00\10\00\00\00\04\00\00\00\0c\00\00\00\0d\00\00\00\0e\00\00\00\0f\00\00\00m]\cb\d6,P\ebcxA\a6Wq\1b\8b\b9\15\a2\5cU4U\07\d4Sx\ad\81Q\f0\a3\f7assertion failed: psize >= size + min_overhead\00\00\02\81\00\00*\00\00\00\b1\04\00\00\09\00\00\00assertion failed: psize <= size + max_overhead\00\00\02\81\00\00*\00\00\00\b7\04\00\00\0d\00\00\00\00\00\00\00\08\00\00\00\04\00\00\00\10\00\00\00\03\00\00\00\0c\00\00\00\04\00\00\00\11\00\00\00capacity overflow\00\00\00\b1\80\00\00P\00\00\00\1c\00\00\00\05\00\00\000123456789abcdef00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899attempt to calculate the remainder with a divisor of zero0x0123456789ABCDEF")
  (data (;1;) (i32.const 33768) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
