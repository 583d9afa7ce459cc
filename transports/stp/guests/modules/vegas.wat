(module
  (type (;0;) (func (param i32 i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32)))
  (type (;3;) (func (param i64 i64)))
  (type (;4;) (func (result i64)))
  (type (;5;) (func (result i32)))
  (type (;6;) (func))
  (type (;7;) (func (param i32)))
  (type (;8;) (func (param i32 i32 i32)))
  (type (;9;) (func (param i32 i32 i32 i32)))
  (type (;10;) (func (param i32 i64 i64 i64 i64)))
  (type (;11;) (func (param i32 i64 i64 i32)))
  (import "tng" "net_window" (func (;0;) (type 3) (param i64 i64)))
  (table (;0;) 4 4 funcref)
  (memory (;0;) 1)
  (global (;0;) (mut i32) i32.const 32768)
  (global (;1;) i32 i32.const 33336)
  (global (;2;) i32 i32.const 33344)
  (export "memory" (memory 0))
  (export "abi" (func 1))
  (export "area" (func 2))
  (export "sample" (func 3))
  (export "__data_end" (global 1))
  (export "__heap_base" (global 2))
  (elem (;0;) (i32.const 1) func 6 14 9)
  (func (;1;) (type 4) (result i64)
    i64.const 257
  )
  (func (;2;) (type 5) (result i32)
    i32.const 33128
  )
  (func (;3;) (type 6)
    (local i32 i64 i64 i64 i32 i32 i64 i64 i64 i32 i64 i64 i64 i64)
    global.get 0
    i32.const 176
    i32.sub
    local.tee 0
    global.set 0
    i32.const 0
    i64.load offset=33144
    local.set 1
    i32.const 0
    i64.load offset=33128
    local.set 2
    block ;; label = @1
      i32.const 0
      i64.load offset=33016
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
      i32.const 0
      local.get 5
      i32.store16 offset=33104
      i64.const 0
      local.set 3
      i32.const 0
      i64.const 0
      i64.store offset=33096
      i32.const 0
      local.get 6
      i64.store offset=33088
      i32.const 0
      i64.const 0
      i64.store offset=33072
      i32.const 0
      i32.const 1000000000
      i32.store offset=33056
      i32.const 0
      i64.const 0
      i64.store offset=33032
      i32.const 0
      i64.const 0
      i64.store offset=33016
      i32.const 0
      i64.const 0
      i64.store offset=33120 align=1
      local.get 0
      i64.const 0
      i64.store offset=160 align=1
      i32.const 0
      local.get 0
      i64.load offset=155 align=1
      i64.store offset=33107 align=1
      local.get 0
      i64.const 0
      i64.store offset=168 align=1
      i32.const 0
      local.get 0
      i64.load offset=163 align=1
      i64.store offset=33115 align=1
      i32.const 0
      i32.const 0
      i32.store8 offset=33106
      i32.const 0
      i32.const 0
      i32.store offset=33064
    end
    block ;; label = @1
      block ;; label = @2
        local.get 2
        i64.const 5
        i64.gt_u
        br_if 0 (;@2;)
        i32.const 0
        i64.load offset=33160
        local.set 6
        i32.const 0
        i64.load offset=33136
        local.set 7
        block ;; label = @3
          block ;; label = @4
            block ;; label = @5
              block ;; label = @6
                block ;; label = @7
                  block ;; label = @8
                    block ;; label = @9
                      local.get 2
                      i32.wrap_i64
                      br_table 0 (;@9;) 1 (;@8;) 7 (;@2;) 2 (;@7;) 3 (;@6;) 4 (;@5;) 0 (;@9;)
                    end
                    i32.const 0
                    i64.load offset=33216
                    local.tee 8
                    i64.const 1000000000
                    i64.div_u
                    local.set 2
                    block ;; label = @9
                      local.get 8
                      i64.eqz
                      br_if 0 (;@9;)
                      local.get 2
                      i64.const 3294967296
                      i64.mul
                      local.get 8
                      i64.add
                      i32.wrap_i64
                      local.set 4
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=33056
                        local.tee 5
                        i32.const 1000000000
                        i32.eq
                        br_if 0 (;@10;)
                        local.get 4
                        local.get 5
                        local.get 5
                        local.get 4
                        i32.gt_u
                        local.get 2
                        i32.const 0
                        i64.load offset=33048
                        local.tee 8
                        i64.lt_u
                        local.get 2
                        local.get 8
                        i64.eq
                        select
                        local.tee 9
                        select
                        local.set 4
                        local.get 2
                        local.get 8
                        local.get 9
                        select
                        local.set 2
                      end
                      i32.const 0
                      local.get 4
                      i32.store offset=33056
                      i32.const 0
                      local.get 2
                      i64.store offset=33048
                      i32.const 0
                      i32.const 0
                      i32.load offset=33064
                      i32.const 1
                      i32.add
                      i32.store offset=33064
                    end
                    i32.const 0
                    i64.load offset=33304
                    local.set 2
                    block ;; label = @9
                      i32.const 0
                      i32.load offset=33032
                      i32.eqz
                      br_if 0 (;@9;)
                      local.get 6
                      i32.const 0
                      i64.load offset=33040
                      i64.lt_u
                      br_if 6 (;@3;)
                      i32.const 0
                      i64.load offset=33240
                      local.set 8
                      i32.const 0
                      i64.load offset=33224
                      local.set 10
                      i32.const 0
                      local.set 4
                      block ;; label = @10
                        i32.const 0
                        i64.load offset=33072
                        i64.const 1
                        i64.ne
                        br_if 0 (;@10;)
                        local.get 6
                        i32.const 0
                        i64.load offset=33080
                        i64.le_u
                        br_if 1 (;@9;)
                      end
                      i64.const 333000000
                      local.get 8
                      i64.const 1
                      local.get 8
                      i64.const 1
                      i64.gt_u
                      select
                      local.tee 8
                      i64.const 4611686018427387904
                      local.get 8
                      i64.const 4611686018427387904
                      i64.lt_u
                      select
                      local.get 10
                      i64.eqz
                      select
                      local.tee 11
                      i64.const 1000000000
                      i64.div_u
                      local.set 8
                      block ;; label = @10
                        i32.const 0
                        i32.load offset=33056
                        local.tee 5
                        i32.const 1000000000
                        i32.eq
                        br_if 0 (;@10;)
                        i32.const 0
                        i32.load offset=33064
                        i32.const 3
                        i32.lt_u
                        br_if 0 (;@10;)
                        i32.const 0
                        i64.load offset=33088
                        local.set 10
                        i32.const 1000000000
                        local.set 4
                        block ;; label = @11
                          i32.const 0
                          i64.load offset=33048
                          local.tee 12
                          local.get 8
                          i64.lt_u
                          br_if 0 (;@11;)
                          local.get 12
                          local.get 8
                          i64.sub
                          local.set 13
                          block ;; label = @12
                            block ;; label = @13
                              local.get 5
                              local.get 11
                              local.get 8
                              i64.const 1000000000
                              i64.mul
                              i64.sub
                              i32.wrap_i64
                              local.tee 4
                              i32.lt_u
                              br_if 0 (;@13;)
                              local.get 5
                              local.set 9
                              br 1 (;@12;)
                            end
                            block ;; label = @13
                              local.get 13
                              i64.eqz
                              i32.eqz
                              br_if 0 (;@13;)
                              i32.const 1000000000
                              local.set 4
                              br 2 (;@11;)
                            end
                            local.get 5
                            i32.const 1000000000
                            i32.add
                            local.set 9
                            local.get 13
                            i64.const -1
                            i64.add
                            local.set 13
                          end
                          local.get 9
                          local.get 4
                          i32.sub
                          local.tee 4
                          i32.const 1000000000
                          i32.lt_u
                          br_if 0 (;@11;)
                          local.get 13
                          i64.const -1
                          i64.eq
                          br_if 7 (;@4;)
                          local.get 4
                          i32.const -1000000000
                          i32.add
                          local.set 4
                          local.get 13
                          i64.const 1
                          i64.add
                          local.set 13
                        end
                        local.get 0
                        i32.const 128
                        i32.add
                        local.get 13
                        i64.const 0
                        i64.const 1000000000
                        i64.const 0
                        call 15
                        local.get 0
                        i32.const 112
                        i32.add
                        local.get 12
                        i64.const 0
                        i64.const 1000000000
                        i64.const 0
                        call 15
                        local.get 0
                        i32.const 96
                        i32.add
                        local.get 10
                        i64.const 0
                        i64.const 0
                        local.get 0
                        i64.load offset=128
                        local.get 4
                        i32.const 1000000000
                        i32.eq
                        local.tee 9
                        select
                        local.tee 8
                        i32.const 0
                        local.get 4
                        local.get 9
                        select
                        i64.extend_i32_u
                        i64.add
                        local.tee 13
                        i64.const -1
                        i64.const 0
                        local.get 0
                        i64.load offset=136
                        local.get 9
                        select
                        local.get 13
                        local.get 8
                        i64.lt_u
                        i64.extend_i32_u
                        i64.add
                        i64.eqz
                        select
                        local.tee 11
                        i64.const 0
                        call 15
                        i64.const -1
                        local.get 0
                        i64.load offset=112
                        local.tee 13
                        local.get 5
                        i64.extend_i32_u
                        i64.add
                        local.tee 8
                        i64.const 1
                        local.get 8
                        i64.const 1
                        i64.gt_u
                        select
                        local.get 0
                        i64.load offset=120
                        local.get 8
                        local.get 13
                        i64.lt_u
                        i64.extend_i32_u
                        i64.add
                        i64.const 0
                        i64.ne
                        select
                        local.set 8
                        block ;; label = @11
                          block ;; label = @12
                            local.get 0
                            i64.load offset=104
                            i64.const 0
                            i64.ne
                            br_if 0 (;@12;)
                            local.get 0
                            i64.load offset=96
                            local.get 8
                            i64.div_u
                            local.set 13
                            br 1 (;@11;)
                          end
                          local.get 0
                          i32.const 80
                          i32.add
                          local.get 11
                          i64.const 0
                          local.get 10
                          i64.const 0
                          call 15
                          local.get 0
                          i32.const 64
                          i32.add
                          local.get 0
                          i64.load offset=80
                          local.get 0
                          i64.load offset=88
                          local.get 8
                          i64.const 0
                          call 17
                          local.get 0
                          i64.load offset=64
                          i64.const -1
                          local.get 0
                          i64.load offset=72
                          i64.eqz
                          select
                          local.set 13
                        end
                        i32.const 0
                        i32.load16_u offset=33104
                        local.tee 4
                        i64.extend_i32_u
                        i64.const 65535
                        i64.and
                        local.set 8
                        block ;; label = @11
                          block ;; label = @12
                            block ;; label = @13
                              block ;; label = @14
                                local.get 3
                                i64.const 1
                                i64.ne
                                br_if 0 (;@14;)
                                local.get 10
                                i32.const 0
                                i64.load offset=33024
                                local.tee 11
                                i64.ge_u
                                br_if 1 (;@13;)
                              end
                              local.get 13
                              local.get 8
                              i64.gt_u
                              br_if 1 (;@12;)
                              i32.const 0
                              i32.load8_u offset=33106
                              i32.const 1
                              i32.xor
                              local.set 4
                              br 3 (;@10;)
                            end
                            block ;; label = @13
                              local.get 13
                              local.get 8
                              i64.const 2
                              i64.shl
                              i64.gt_u
                              br_if 0 (;@13;)
                              i64.const 1
                              local.set 3
                              local.get 13
                              local.get 8
                              i64.const 1
                              i64.shl
                              i64.ge_u
                              local.set 4
                              br 3 (;@10;)
                            end
                            i64.const 1
                            local.set 3
                            i32.const 0
                            i64.const 1
                            i64.store offset=33016
                            i32.const 0
                            local.get 8
                            i64.const 1
                            i64.shl
                            i64.const 2
                            local.get 4
                            i32.const 65535
                            i32.and
                            select
                            local.tee 13
                            i64.const 0
                            local.get 10
                            local.get 8
                            i64.sub
                            local.tee 8
                            local.get 8
                            local.get 10
                            i64.gt_u
                            select
                            local.tee 8
                            local.get 13
                            local.get 8
                            i64.gt_u
                            select
                            local.tee 8
                            i64.store offset=33088
                            i32.const 0
                            local.get 8
                            local.get 11
                            local.get 8
                            local.get 11
                            i64.lt_u
                            select
                            i64.store offset=33024
                            br 1 (;@11;)
                          end
                          i64.const 1
                          local.set 3
                          i32.const 0
                          i64.const 1
                          i64.store offset=33016
                          i32.const 0
                          local.get 8
                          i64.const 1
                          i64.shl
                          i64.const 2
                          local.get 4
                          i32.const 65535
                          i32.and
                          select
                          local.tee 11
                          i64.const -1
                          local.get 10
                          local.get 13
                          i64.sub
                          local.tee 13
                          local.get 8
                          i64.add
                          local.tee 8
                          local.get 8
                          local.get 13
                          i64.lt_u
                          select
                          local.tee 8
                          local.get 10
                          local.get 8
                          local.get 10
                          i64.lt_u
                          select
                          local.tee 8
                          local.get 11
                          local.get 8
                          i64.gt_u
                          select
                          local.tee 8
                          i64.store offset=33024
                          i32.const 0
                          local.get 8
                          i64.store offset=33088
                        end
                        i32.const 1
                        local.set 4
                      end
                      i32.const 0
                      local.get 4
                      i32.store8 offset=33106
                    end
                    i32.const 0
                    i32.const 1000000000
                    i32.store offset=33056
                    i32.const 0
                    local.get 7
                    i64.store offset=33040
                    i32.const 0
                    i64.const 1
                    i64.store offset=33032
                    i32.const 0
                    i32.const 0
                    i32.store offset=33064
                    br 5 (;@3;)
                  end
                  i32.const 0
                  i64.load offset=33152
                  local.set 2
                  block ;; label = @8
                    block ;; label = @9
                      i32.const 0
                      i64.load offset=33072
                      i64.const 1
                      i64.ne
                      br_if 0 (;@9;)
                      local.get 6
                      i32.const 0
                      i64.load offset=33080
                      i64.le_u
                      br_if 1 (;@8;)
                    end
                    i32.const 0
                    i64.const 0
                    i64.store offset=33096
                    i32.const 0
                    local.get 7
                    i64.store offset=33080
                    i32.const 0
                    i64.const 1
                    i64.store offset=33072
                    i32.const 0
                    i64.const 1
                    i64.store offset=33016
                    i32.const 0
                    i64.const 2
                    i32.const 0
                    i64.load16_u offset=33104
                    local.tee 1
                    i64.const 1
                    i64.shl
                    local.get 1
                    i64.eqz
                    select
                    local.tee 1
                    i32.const 0
                    i64.load offset=33088
                    i64.const 1
                    i64.shr_u
                    local.tee 3
                    local.get 1
                    local.get 3
                    i64.gt_u
                    select
                    local.tee 1
                    i64.store offset=33088
                    i32.const 0
                    local.get 1
                    i64.store offset=33024
                    i32.const 0
                    i32.const 0
                    i32.store8 offset=33106
                  end
                  local.get 2
                  i64.const 2
                  i64.ne
                  br_if 5 (;@2;)
                  i32.const 0
                  local.get 7
                  i64.store offset=33080
                  i32.const 0
                  i64.const 1
                  i64.store offset=33072
                  i32.const 0
                  i64.const 2
                  i32.const 0
                  i64.load16_u offset=33104
                  local.tee 2
                  i64.const 1
                  i64.shl
                  local.get 2
                  i64.eqz
                  select
                  i64.store offset=33088
                  i32.const 0
                  i32.const 0
                  i32.store8 offset=33106
                  br 5 (;@2;)
                end
                local.get 1
                i64.const 4294967295
                local.get 1
                i64.const 4294967295
                i64.lt_u
                select
                local.set 7
                i32.const 0
                i64.load offset=33024
                local.set 3
                i32.const 0
                i64.load offset=33088
                local.set 2
                block ;; label = @7
                  block ;; label = @8
                    i32.const 0
                    i64.load16_u offset=33104
                    local.tee 6
                    i64.eqz
                    i32.eqz
                    br_if 0 (;@8;)
                    i64.const 10
                    local.set 6
                    br 1 (;@7;)
                  end
                  local.get 6
                  i64.const 10
                  i64.mul
                  local.tee 8
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
                  local.get 8
                  local.get 6
                  i64.lt_u
                  select
                  local.set 6
                end
                i32.const 0
                i32.const 1000000000
                i32.store offset=33056
                i32.const 0
                i64.const 0
                i64.store offset=33032
                i32.const 0
                local.get 2
                local.get 7
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
                i64.store offset=33088
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
                i64.store offset=33024
                i32.const 0
                i32.const 0
                i32.store offset=33064
                br 4 (;@2;)
              end
              i32.const 0
              i64.const 0
              i64.store offset=33096
              i32.const 0
              i64.const 0
              i64.store offset=33072
              i32.const 0
              i32.const 1000000000
              i32.store offset=33056
              i32.const 0
              i64.const 0
              i64.store offset=33032
              i32.const 0
              i64.const 0
              i64.store offset=33016
              i32.const 0
              i64.const 10
              i32.const 0
              i64.load16_u offset=33104
              local.tee 2
              i64.const 10
              i64.mul
              local.tee 1
              local.get 2
              i64.const 1
              i64.shl
              local.tee 3
              i64.const 14720
              local.get 3
              i64.const 14720
              i64.gt_u
              select
              local.tee 3
              local.get 1
              local.get 3
              i64.lt_u
              select
              local.get 2
              i64.eqz
              select
              i64.store offset=33088
              i32.const 0
              i32.const 0
              i32.store8 offset=33106
              i32.const 0
              i32.const 0
              i32.store offset=33064
              br 3 (;@2;)
            end
            i32.const 0
            local.get 1
            i64.const 65535
            local.get 1
            i64.const 65535
            i64.lt_u
            select
            local.tee 2
            i64.store16 offset=33104
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
            i64.load offset=33088
            local.tee 1
            local.get 2
            local.get 1
            i64.gt_u
            select
            i64.store offset=33088
            br 2 (;@2;)
          end
          call 4
          unreachable
        end
        i32.const 0
        i32.load8_u offset=33106
        br_if 0 (;@2;)
        local.get 2
        i64.const 0
        i64.eq
        br_if 0 (;@2;)
        block ;; label = @3
          i32.const 0
          i64.load offset=33072
          i64.const 1
          i64.ne
          br_if 0 (;@3;)
          local.get 6
          i32.const 0
          i64.load offset=33080
          i64.le_u
          br_if 1 (;@2;)
        end
        block ;; label = @3
          block ;; label = @4
            local.get 3
            i32.wrap_i64
            i32.const 1
            i32.and
            br_if 0 (;@4;)
            i32.const 0
            i64.load offset=33088
            local.set 2
            br 1 (;@3;)
          end
          i32.const 0
          i64.load offset=33088
          local.tee 2
          i32.const 0
          i64.load offset=33024
          i64.lt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const 48
          i32.add
          i32.const 0
          i32.load16_u offset=33104
          i64.extend_i32_u
          local.tee 7
          i64.const 65535
          i64.and
          i64.const 0
          local.get 1
          i64.const 0
          call 15
          block ;; label = @4
            block ;; label = @5
              local.get 0
              i64.load offset=56
              i64.const 0
              i64.ne
              br_if 0 (;@5;)
              i32.const 0
              i64.load offset=33096
              local.tee 3
              local.get 0
              i64.load offset=48
              i64.add
              local.tee 6
              local.get 3
              i64.lt_u
              br_if 0 (;@5;)
              block ;; label = @6
                local.get 2
                i64.eqz
                br_if 0 (;@6;)
                i32.const 0
                local.get 6
                local.get 6
                local.get 2
                i64.div_u
                local.tee 3
                local.get 2
                i64.mul
                i64.sub
                i64.store offset=33096
                br 2 (;@4;)
              end
              i32.const 32980
              call 5
              unreachable
            end
            local.get 2
            i64.eqz
            br_if 3 (;@1;)
            local.get 0
            i32.const 32
            i32.add
            local.get 1
            i64.const 0
            local.get 7
            i64.const 65535
            i64.and
            i64.const 0
            call 15
            local.get 0
            i32.const 16
            i32.add
            local.get 0
            i64.load offset=32
            local.tee 6
            i32.const 0
            i64.load offset=33096
            i64.add
            local.tee 3
            local.get 0
            i64.load offset=40
            local.get 3
            local.get 6
            i64.lt_u
            i64.extend_i32_u
            i64.add
            local.get 2
            i64.const 0
            call 17
            local.get 0
            local.get 0
            i64.load offset=16
            local.tee 6
            local.get 0
            i64.load offset=24
            local.tee 7
            local.get 2
            i64.const 0
            call 15
            i32.const 0
            local.get 3
            local.get 0
            i64.load
            i64.sub
            i64.store offset=33096
            local.get 6
            i64.const -1
            local.get 7
            i64.eqz
            select
            local.set 3
          end
          local.get 1
          local.get 3
          local.get 1
          local.get 3
          i64.lt_u
          select
          local.set 1
        end
        i32.const 0
        local.get 2
        i64.const -1
        local.get 2
        local.get 1
        i64.add
        local.tee 1
        local.get 1
        local.get 2
        i64.lt_u
        select
        local.tee 1
        i64.const 4611686018427387904
        local.get 1
        i64.const 4611686018427387904
        i64.lt_u
        select
        local.tee 1
        local.get 2
        local.get 1
        i64.gt_u
        select
        i64.store offset=33088
      end
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i64.load offset=33112
          i32.const 0
          i64.load offset=33088
          local.tee 2
          i64.ne
          br_if 0 (;@3;)
          i32.const 0
          i64.load offset=33120
          i64.eqz
          br_if 1 (;@2;)
        end
        i32.const 0
        i64.const 0
        i64.store offset=33120
        i32.const 0
        local.get 2
        i64.store offset=33112
        local.get 2
        i64.const 0
        call 0
      end
      local.get 0
      i32.const 176
      i32.add
      global.set 0
      return
    end
    i32.const 32996
    call 5
    unreachable
  )
  (func (;4;) (type 6)
    (local i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 25
    i32.store offset=4
    local.get 0
    i32.const 32938
    i32.store
    local.get 0
    i32.const 1
    i64.extend_i32_u
    i64.const 32
    i64.shl
    local.get 0
    i64.extend_i32_u
    i64.or
    i64.store offset=8
    i32.const 32768
    local.get 0
    i32.const 8
    i32.add
    i32.const 32964
    call 7
    unreachable
  )
  (func (;5;) (type 7) (param i32)
    i32.const 32881
    i32.const 115
    local.get 0
    call 7
    unreachable
  )
  (func (;6;) (type 1) (param i32 i32) (result i32)
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
  (func (;7;) (type 8) (param i32 i32 i32)
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
    call 8
    unreachable
  )
  (func (;8;) (type 7) (param i32)
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
    call 12
    unreachable
  )
  (func (;9;) (type 2) (param i32 i32)
    local.get 0
    i32.const 0
    i32.store
  )
  (func (;10;) (type 9) (param i32 i32 i32 i32)
    (local i32 i32)
    global.get 0
    i32.const 16
    i32.sub
    local.tee 4
    global.set 0
    i32.const 0
    i32.const 0
    i32.load offset=33332
    local.tee 5
    i32.const 1
    i32.add
    i32.store offset=33332
    block ;; label = @1
      local.get 5
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      block ;; label = @2
        block ;; label = @3
          i32.const 0
          i32.load8_u offset=33324
          br_if 0 (;@3;)
          i32.const 0
          i32.const 0
          i32.load offset=33320
          i32.const 1
          i32.add
          i32.store offset=33320
          i32.const 0
          i32.load offset=33328
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
      i32.store8 offset=33324
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      call 11
      unreachable
    end
    unreachable
  )
  (func (;11;) (type 6)
    unreachable
  )
  (func (;12;) (type 7) (param i32)
    local.get 0
    call 13
    unreachable
  )
  (func (;13;) (type 7) (param i32)
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
      i32.const 2
      local.get 0
      i32.load offset=8
      local.tee 0
      i32.load8_u offset=8
      local.get 0
      i32.load8_u offset=9
      call 10
      unreachable
    end
    local.get 1
    i32.const -2147483648
    i32.store
    local.get 1
    local.get 0
    i32.store offset=12
    local.get 1
    i32.const 3
    local.get 0
    i32.load offset=8
    local.tee 0
    i32.load8_u offset=8
    local.get 0
    i32.load8_u offset=9
    call 10
    unreachable
  )
  (func (;14;) (type 2) (param i32 i32)
    local.get 0
    local.get 1
    i64.load align=4
    i64.store
  )
  (func (;15;) (type 10) (param i32 i64 i64 i64 i64)
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
  (func (;16;) (type 10) (param i32 i64 i64 i64 i64)
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
                    call 18
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
            call 18
            local.get 5
            i32.const 32
            i32.add
            local.get 3
            local.get 4
            local.get 8
            call 18
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
            call 15
            local.get 5
            i32.const 16
            i32.add
            local.get 4
            i64.const 0
            local.get 12
            i64.const 0
            call 15
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
                call 18
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
                  call 18
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
                  call 15
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
                call 19
                local.get 5
                i32.const 112
                i32.add
                local.get 3
                local.get 4
                local.get 12
                i64.const 0
                call 15
                local.get 5
                i32.const 96
                i32.add
                local.get 5
                i64.load offset=112
                local.get 5
                i64.load offset=120
                local.get 8
                call 19
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
  (func (;17;) (type 10) (param i32 i64 i64 i64 i64)
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
    call 16
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
  (func (;18;) (type 11) (param i32 i64 i64 i32)
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
  (func (;19;) (type 11) (param i32 i64 i64 i32)
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
  (data (;0;) (i32.const 32768) "\c0\00/tng/parts/congestion/src/integers.rs\00/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/time.rs\00attempt to calculate the remainder with a divisor of zerooverflow in Duration::new\00(\80\00\00H\00\00\00\c9\00\00\00\12\00\00\00\02\80\00\00%\00\00\00\22\00\00\00\1e\00\00\00\02\80\00\00%\00\00\00&\00\00\00\1a\00\00\00")
  (data (;1;) (i32.const 33016) "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
)
