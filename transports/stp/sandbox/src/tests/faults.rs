use std::time::Duration;

use super::*;

fn trapped(result: Result<i64, Fault>) -> String {
    match result {
        Err(Fault::Trapped(what)) => what,
        other => panic!("{other:?}"),
    }
}

/// A body for an export, whose result, if it has one, follows.
fn ending(callback: Callback, body: &str) -> String {
    let result = if let Callback::Call { .. } = callback { "i64.const 0" } else { "" };
    format!("{body} {result}")
}

#[test]
fn a_crash_in_any_callback_ends_the_instance_and_it_is_not_called_again() {
    for callback in CALLBACKS {
        let guest = Wat::transport().body(callback.name(), "unreachable");
        let mut instance = guest.start(Quotas::default());
        let fault = instance.call(callback);
        assert!(trapped(fault.clone()).contains("unreachable"));
        let usage = instance.usage();
        for again in CALLBACKS {
            assert_eq!(instance.call(again), fault, "{again:?} after {callback:?}");
        }
        assert_eq!(instance.usage(), usage, "nothing ran");
    }
}

#[test]
fn an_endless_loop_is_stopped_by_fuel_in_any_callback() {
    for callback in CALLBACKS {
        let guest = Wat::transport().body(callback.name(), ending(callback, "(loop $l br $l)"));
        let mut instance = guest.start(Quotas::default());
        assert_eq!(instance.call(callback), Err(Fault::Cpu));
        let fuel = Quotas::default().fuel;
        assert!((fuel..=fuel + 100).contains(&instance.usage().fuel), "{:?}", instance.usage());
    }
}

#[test]
fn fuel_is_the_same_for_each_call_and_is_not_saved() {
    let quotas = Quotas { fuel: 1_000, ..Quotas::default() };
    let body = |turns: u32| {
        format!(
            "(local $i i32) (local.set $i (i32.const {turns}))
             (loop $l (br_if $l (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))"
        )
    };
    let mut instance = Wat::transport().body("connect", body(150)).start(quotas);
    for _ in 0..100 {
        assert_eq!(instance.call(Callback::Connect), Ok(0));
    }
    let mut instance = Wat::transport().body("connect", body(300)).start(quotas);
    assert_eq!(instance.call(Callback::Attach), Ok(0));
    assert_eq!(instance.call(Callback::Connect), Err(Fault::Cpu));
}

/// The control: what stops the loop above is fuel, and where there is too much of it, time.
#[test]
fn without_a_bound_on_fuel_an_endless_loop_is_stopped_by_time() {
    let quotas = Quotas { fuel: u64::MAX, ..Quotas::default() };
    let mut instance = Wat::transport().body("attach", "(loop $l br $l)").start(quotas);
    assert_eq!(instance.call(Callback::Attach), Err(Fault::Cpu));
    let turns =
        Wat::transport().body("timer", "(loop $l (br_if $l (local.tee $id (i32.sub (local.get $id) (i32.const 1)))))");
    let long = Callback::Timer(10_000_000);
    assert_eq!(turns.start(quotas).call(long), Ok(0), "fuel alone would have let it run");
    assert_eq!(turns.call(long), Err(Fault::Cpu));
}

#[test]
fn a_loop_of_calls_into_the_host_is_stopped_by_fuel_of_the_hosts() {
    for row in imports().filter(|row| row.name != "net_window") {
        let handed: String = row.parameters.iter().map(|(_, kind)| format!("{}.const 0 ", value(*kind))).collect();
        let drop = if row.result.is_some() { "drop" } else { "" };
        let turn = format!("(loop $l {handed} call ${} {drop} br $l)", row.name);
        let mut instance = Wat::transport().import(row.name).body("attach", turn).start(Quotas::default());
        assert_eq!(instance.call(Callback::Attach), Err(Fault::Cpu), "{}", row.name);
    }
}

#[test]
fn the_host_does_not_copy_for_nothing() {
    let fuel_of = |len: u32| {
        let body = format!("(drop (call $so_append_bytes (i32.const 0) (i32.const {len})))");
        let mut instance = Wat::transport().import("so_append_bytes").body("attach", body).start(Quotas::default());
        instance.call(Callback::Attach).unwrap();
        instance.usage().fuel
    };
    assert_eq!(fuel_of(1_000) - fuel_of(0), 1_000);
    let fuel_of_instructions = fuel_of(0) - crate::limits::HOST_CALL_FUEL;
    assert!((1..10).contains(&fuel_of_instructions), "{fuel_of_instructions}");
}

#[test]
fn bulk_instructions_burn_fuel_by_the_byte() {
    for body in [
        "(loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) br $l)",
        "(loop $l (memory.copy (i32.const 0) (i32.const 1) (i32.const 65535)) br $l)",
    ] {
        let mut instance = Wat::transport().body("attach", body).start(Quotas::default());
        assert_eq!(instance.call(Callback::Attach), Err(Fault::Cpu));
        assert!(instance.usage().fuel < Quotas::default().fuel + 70_000);
    }
}

#[test]
fn recursion_ends_at_the_stack_in_any_callback() {
    for callback in CALLBACKS {
        let deep = "(func $deep (param i64) (result i64) (i64.add (local.get 0) (call $deep (local.get 0))))";
        let body = ending(callback, "(drop (call $deep (i64.const 1)))");
        let guest = Wat::transport().field(deep).body(callback.name(), body);
        assert_eq!(guest.call(callback), Err(Fault::Stack));
    }
}

#[test]
fn a_small_stack_is_smaller() {
    let deep = "(func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))";
    let guest = Wat::transport().field(deep).body("timer", "(call $deep (local.get $id))");
    let small = Quotas { stack: 8 << 10, ..Quotas::default() };
    assert_eq!(guest.start(small).call(Callback::Timer(50)), Ok(0));
    assert_eq!(guest.start(small).call(Callback::Timer(500)), Err(Fault::Stack));
    assert_eq!(guest.start(Quotas::default()).call(Callback::Timer(500)), Ok(0));
}

#[test]
fn traps_say_which() {
    let cases = [
        ("(drop (i32.load (i32.const 65536)))", "out of bounds memory access"),
        ("(drop (i64.load offset=0xffffffff (i32.const -1)))", "out of bounds memory access"),
        ("(i64.store (i32.const -8) (i64.const 0))", "out of bounds memory access"),
        ("(memory.fill (i32.const 65535) (i32.const 0) (i32.const 2))", "out of bounds memory access"),
        ("(memory.copy (i32.const -1) (i32.const 0) (i32.const 1))", "out of bounds memory access"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "divide by zero"),
        ("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", "overflow"),
        ("(drop (i64.trunc_f64_u (f64.const nan)))", "invalid conversion to integer"),
        ("(drop (i64.trunc_f64_u (f64.const inf)))", "integer overflow"),
        ("(drop (i64.trunc_f64_u (f64.const -1)))", "integer overflow"),
        ("(drop (i32.trunc_f32_s (f32.const -nan:0x200000)))", "invalid conversion to integer"),
    ];
    for (body, what) in cases {
        let said = trapped(Wat::transport().body("attach", body).call(Callback::Attach));
        assert!(said.contains(what), "{body}: {said}");
    }
    let table = |index: &str, kind: &str| {
        Wat::transport()
            .field("(type $f (func)) (type $g (func (param i32))) (table 2 funcref) (elem (i32.const 0) $connect)")
            .body(
                "attach",
                format!(
                    "{} (call_indirect (type {kind}) (i32.const {index}))",
                    if kind == "$g" { "i32.const 0" } else { "" }
                ),
            )
            .call(Callback::Attach)
    };
    assert_eq!(table("0", "$f"), Ok(0));
    assert!(trapped(table("9", "$f")).contains("table"));
    assert!(trapped(table("1", "$f")).contains("uninitialized"));
    assert!(trapped(table("0", "$g")).contains("type mismatch"));
}

#[test]
fn numbers_that_are_none_are_the_same_bits_on_every_machine() {
    for body in [
        "(i64.reinterpret_f64 (f64.div (f64.const 0) (f64.const 0)))",
        "(i64.reinterpret_f64 (f64.sqrt (f64.const -1)))",
        "(i64.reinterpret_f64 (f64.add (f64.const nan:0x123) (f64.const 1)))",
        "(i64.reinterpret_f64 (f64.sub (f64.const inf) (f64.const inf)))",
    ] {
        let guest = Wat::transport().body("call", format!("(i64.shr_u {body} (i64.const 48))"));
        // Above `CALL_MAX` an answer is outside of the area, so the guest asks itself.
        let check = "(if (i64.ne (call $call (i32.const 0) (i32.const 0)) (i64.const 0x7ff8)) (then unreachable))";
        assert_eq!(guest.body("attach", check).call(Callback::Attach), Ok(0));
    }
}

#[test]
fn a_guest_that_calls_itself_through_the_host_finds_no_way() {
    // No import takes a function, and none calls the guest: an export that is called from within is its own call.
    let guest = Wat::transport().import("timer_reset").field("(global $depth (mut i32) (i32.const 0))").body(
        "timer",
        "(if (global.get $depth) (then unreachable))
             (global.set $depth (i32.const 1))
             (drop (call $timer_reset (i32.const 0) (i32.const 0)))
             (global.set $depth (i32.const 0))",
    );
    let mut instance = guest.start(Quotas::default());
    for _ in 0..3 {
        assert_eq!(instance.call(Callback::Timer(0)), Ok(0));
    }
    let itself = Wat::transport().body("input", "(call $input (local.get $first) (local.get $count))");
    assert_eq!(itself.call(Callback::Input), Err(Fault::Stack));
}

#[test]
fn one_instance_that_faults_leaves_others_of_its_module_alone() {
    let guest = Wat::transport()
        .field("(global $sum (mut i64) (i64.const 0))")
        .body("timer", "(if (i32.eqz (local.get $id)) (then unreachable)) (i32.store (i32.const 0) (local.get $id))")
        .body("call", "(i64.load32_u (i32.const 0))");
    let module = guest.load().unwrap();
    let mut both = [(); 2].map(|()| Sandboxed::new(&module, shim(Quotas::default())).unwrap());
    assert_eq!(both[0].call(Callback::Timer(7)), Ok(0));
    assert_eq!(both[1].call(Callback::Call { number: 0 }), Ok(0), "memory is its own");
    assert!(both[0].call(Callback::Timer(0)).is_err());
    assert_eq!(both[1].call(Callback::Timer(9)), Ok(0));
    assert_eq!(both[1].call(Callback::Call { number: 0 }), Ok(9));
}

#[test]
fn an_engine_whose_instances_are_gone_sleeps_and_ends() {
    let engine = engine();
    let module = Module::new(&engine, &Wat::transport().bytes()).unwrap();
    let instance = Sandboxed::new(&module, shim(Quotas::default())).unwrap();
    assert_eq!((engine.instances(), module.instances()), (1, 1));
    drop(instance);
    assert_eq!((engine.instances(), module.instances()), (0, 0));
    drop((engine, module));
    assert!(crate::limits::TICK * crate::limits::TICKS_MAX as u32 == Duration::from_secs(1));
}
