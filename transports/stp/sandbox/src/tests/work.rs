use tng_stp_abi::{Arrived, CALL_MAX, HEAD_MAX, RING_ENTRIES, Refused, Sample, UserRequest};

use super::*;
use tng_stp_host::{Advised, Advisor, Beside};

fn arrived(segment: u32) -> Arrived {
    Arrived { segment, len: 1_200, numbered: Some((segment.into(), 7)), head: [segment as u8; HEAD_MAX] }
}

/// Adds up the numbers of segments that arrive, wherever in the ring they stand; `call` answers the sum.
fn counting() -> Wat {
    Wat::transport()
        .field("(global $sum (mut i64) (i64.const 0)) (global $at (mut i32) (i32.const 0))")
        .body("ring", "i32.const 16384")
        .body(
            "input",
            "(global.set $at (local.get $first))
             (block $done (loop $l
               (br_if $done (i32.eqz (local.get $count)))
               (global.set $sum (i64.add (global.get $sum) (i64.load32_u offset=16384
                 (i32.mul (i32.rem_u (global.get $at) (i32.const 64)) (i32.const 128)))))
               (global.set $at (i32.add (global.get $at) (i32.const 1)))
               (local.set $count (i32.sub (local.get $count) (i32.const 1)))
               (br $l)))",
        )
        .body("call", "(i64.store (i32.const 8192) (global.get $sum)) (i64.const 8)")
}

fn sum(instance: &mut Sandboxed) -> u64 {
    assert_eq!(instance.call(Callback::Call { number: 0 }), Ok(8));
    u64::from_le_bytes(instance.shim_mut().area()[..8].try_into().unwrap())
}

#[test]
fn segments_stand_in_the_ring_in_a_circle() {
    let mut instance = counting().start(Quotas::default());
    let (mut next, mut expected) = (0, 0);
    for count in [1, 5, 0, RING_ENTRIES, 33, 33, 33, RING_ENTRIES, 63] {
        let batch: Vec<Arrived> = (0..count as u32).map(|i| arrived(next + i)).collect();
        next += count as u32;
        expected += batch.iter().map(|arrived| u64::from(arrived.segment)).sum::<u64>();
        assert_eq!(instance.tell(&batch), Ok(0));
        assert_eq!(sum(&mut instance), expected);
    }
}

#[test]
fn a_segment_is_written_as_the_border_has_it() {
    let mut instance = Wat::transport()
        .body("call", "(memory.copy (i32.const 8192) (i32.const 0) (i32.const 256)) (i64.const 256)")
        .start(Quotas::default());
    let told = [arrived(3), Arrived { numbered: None, ..arrived(4) }];
    instance.tell(&told).unwrap();
    assert_eq!(instance.call(Callback::Call { number: 0 }), Ok(256));
    let area = instance.shim_mut().area();
    let read: Vec<Arrived> = area.chunks(128).map(|entry| Arrived::from_bytes(entry.try_into().unwrap())).collect();
    assert_eq!(read, told);
}

#[test]
fn a_call_of_the_protocols_own_has_words_and_an_answer() {
    // Answers the words backwards, and refuses call 9.
    let guest = Wat::transport().field("(global $i (mut i32) (i32.const 0))").body(
        "call",
        "(if (i32.eq (local.get $number) (i32.const 9)) (then (return (i64.const -5))))
         (global.set $i (i32.const 0))
         (block $done (loop $l
           (br_if $done (i32.ge_u (global.get $i) (local.get $len)))
           (i32.store8 offset=32768 (i32.sub (local.get $len) (i32.add (global.get $i) (i32.const 1)))
             (i32.load8_u offset=8192 (global.get $i)))
           (global.set $i (i32.add (global.get $i) (i32.const 1)))
           (br $l)))
         (memory.copy (i32.const 8192) (i32.const 32768) (local.get $len))
         (i64.extend_i32_u (local.get $len))",
    );
    let mut instance = guest.start(Quotas::default());
    for words in [&b""[..], b"a", b"hello", &[7; CALL_MAX]] {
        *instance.shim_mut().area() = words.to_vec();
        assert_eq!(instance.call(Callback::Call { number: 1 }), Ok(words.len() as i64));
        let backwards: Vec<u8> = words.iter().rev().copied().collect();
        assert_eq!(*instance.shim_mut().area(), backwards);
    }
    *instance.shim_mut().area() = b"hello".to_vec();
    assert_eq!(instance.call(Callback::Call { number: 9 }), Ok(Refused::NotThere.number()));
    assert_eq!(*instance.shim_mut().area(), b"", "who is refused is told nothing");
}

#[test]
fn an_answer_longer_than_the_area_ends_the_guest() {
    for answer in [4_097, 65_536, i64::MAX] {
        let guest = Wat::transport().body("call", format!("i64.const {answer}"));
        assert_eq!(guest.call(Callback::Call { number: 0 }), Err(Fault::Pointer));
    }
    for answer in [-1, i64::MIN] {
        let guest = Wat::transport().body("call", format!("i64.const {answer}"));
        assert_eq!(guest.call(Callback::Call { number: 0 }), Ok(answer));
    }
}

#[test]
fn callbacks_are_handed_what_the_host_says() {
    let expect = |name: &'static str, check: &str| {
        Wat::transport().body(name, format!("(if (i32.eqz {check}) (then unreachable))"))
    };
    let timer = expect("timer", "(i32.eq (local.get $id) (i32.const -1))");
    assert_eq!(timer.call(Callback::Timer(tng_stp_abi::TIMER_SEND)), Ok(0));
    let shutdown = expect("shutdown", "(i32.eq (local.get $deadline_ms) (i32.const 2000))");
    assert_eq!(shutdown.call(Callback::Shutdown { deadline_ms: 2_000 }), Ok(0));
    let request = expect(
        "usrreq",
        "(i32.and (i32.eq (local.get $request) (i32.const 1)) (i64.eq (local.get $until) (i64.const 5000000000)))",
    );
    let taken = UserRequest::Received { until: 5_000_000_000 };
    assert_eq!(request.call(Callback::UserRequest(taken)), Ok(0));
    assert!(request.call(Callback::UserRequest(UserRequest::Disconnect)).is_err());
}

#[test]
fn the_same_calls_have_the_same_results_and_the_same_fuel() {
    let run = || {
        let guest = counting().import("random").body("timer", "(global.set $sum (call $random))");
        let mut instance = guest.start(Quotas::default());
        let mut results = Vec::new();
        for turn in 0..50 {
            results.push(instance.call(CALLBACKS[turn % CALLBACKS.len()]));
            results.push(instance.tell(&[arrived(turn as u32)]));
            results.push(Ok(sum(&mut instance) as i64));
        }
        (results, instance.usage())
    };
    assert_eq!(run(), run());
}

#[test]
fn what_is_used_is_told() {
    let mut instance = counting().start(Quotas::default());
    assert_eq!(instance.usage(), tng_stp_host::Usage { memory: 65_536, ..Default::default() });
    instance.call(Callback::Connect).unwrap();
    let first = instance.usage();
    assert!(first.calls == 1 && first.fuel < 5, "{first:?}");
    instance.tell(&[arrived(1); 10]).unwrap();
    assert!(instance.usage().fuel > first.fuel + 100);
}

#[test]
fn a_controller_hears_samples_and_answers_window_and_rate() {
    // The window is what was acknowledged, twice; the rate is the last field but one.
    let controller = Wat::controller().import("net_window").body(
        "sample",
        "(if (i64.ne (i64.load (i32.const 8192)) (i64.const 3)) (then
           (call $net_window
             (i64.mul (i64.load offset=16 (i32.const 8192)) (i64.const 2))
             (i64.load offset=176 (i32.const 8192)))))",
    );
    let mut controller = controller.start_controller();
    let sample = Sample { bytes: 1_200, window_limited: 1, ..Sample::default() };
    assert_eq!(controller.handle(&sample), Ok(Some((2_400, 1))));
    assert_eq!(controller.handle(&Sample { event: 3, ..sample }), Ok(None), "it said nothing");
    assert_eq!(controller.handle(&sample), Ok(Some((2_400, 1))));
    assert_eq!(controller.usage().calls, 3);
}

#[test]
fn rates_that_are_no_numbers_come_out_of_a_controller_as_some_number_or_a_fault() {
    let answer = |rate: &str| {
        let body = format!("(call $net_window (i64.const 0) {rate})");
        Wat::controller().import("net_window").body("sample", body).start_controller().handle(&Sample::default())
    };
    assert_eq!(answer("(i64.trunc_sat_f64_u (f64.const nan))"), Ok(Some((0, 0))));
    assert_eq!(answer("(i64.trunc_sat_f64_u (f64.const inf))"), Ok(Some((0, u64::MAX))));
    assert_eq!(answer("(i64.trunc_sat_f64_u (f64.const -5))"), Ok(Some((0, 0))));
    for rate in ["nan", "inf", "-5"] {
        let trapped = answer(&format!("(i64.trunc_f64_u (f64.const {rate}))"));
        assert!(matches!(trapped, Err(Fault::Trapped(_))), "{trapped:?}");
    }
}

#[test]
fn a_controller_has_quotas_as_a_transport_has() {
    let faults = [
        ("(loop $l br $l)", Fault::Cpu),
        ("(call $sample)", Fault::Stack),
        ("unreachable", Fault::Trapped("wasm trap: wasm `unreachable` instruction executed".to_owned())),
    ];
    for (body, fault) in faults {
        let mut controller = Wat::controller().body("sample", body).start_controller();
        for _ in 0..3 {
            assert_eq!(controller.handle(&Sample::default()), Err(fault.clone()));
        }
        assert_eq!(controller.usage().calls, 1);
    }
    let grows = Wat::controller().body("sample", "(drop (memory.grow (i32.const 1000)))").load().unwrap();
    let quotas = Quotas { denials: 3, ..Quotas::default() };
    let mut controller = SandboxedController::new(&grows, quotas).unwrap();
    let results: Vec<_> = (0..5).map(|_| controller.handle(&Sample::default())).collect();
    assert_eq!(results, [Ok(None), Ok(None), Ok(None), Err(Fault::Denied), Err(Fault::Denied)]);
}

#[test]
fn built_in_controllers_decide_as_the_native_ones_that_they_are_made_of() {
    use tng_congestion::battery::{Round, windows};
    let script =
        [[Round::Full; 4].as_slice(), &[Round::Lose(1)], &[Round::Full; 9], &[Round::Lose(2)], &[Round::Full; 9]];
    for name in ["cubic", "vegas"] {
        let module = Module::new(&engine(), crate::built_in(name).unwrap().bytes).unwrap();
        let guest = Box::new(Advised::new(module.advisor(Quotas::default()), 1_200));
        let native = name.parse::<tng_congestion::Choice>().unwrap().make(1_200);
        let decided = windows(guest, &script.concat());
        assert_eq!(decided, windows(native, &script.concat()), "{name}");
        assert!(decided.windows(2).any(|two| two[1] > two[0]) && decided.windows(2).any(|two| two[1] < two[0]));
        assert_eq!(module.instances(), 0);
        let transport = Module::new(&engine(), crate::built_in("newreno").unwrap().bytes).unwrap();
        assert!(matches!(transport.advisor(Quotas::default()), Err(Fault::Trapped(_))));
    }
}

#[test]
fn a_controller_that_is_stopped_is_replaced_by_newreno() {
    use tng_congestion::{Choice, Controller, battery};
    let endless = Wat::controller().import("net_window").body("sample", "(loop $ever (br $ever))").load().unwrap();
    let advised = Advised::new(endless.advisor(Quotas::default()), 1_200);
    assert_eq!(advised.fault(), Some(&Fault::Cpu));
    let native = "newreno".parse::<Choice>().unwrap().make(1_200);
    assert_eq!(advised.window(), native.window());
    let rounds = [battery::Round::Full; 5];
    assert_eq!(battery::windows(Box::new(advised), &rounds), battery::windows(native, &rounds));
}
