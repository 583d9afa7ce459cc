//! Flows of one stream, and what happens to their paths and hosts.

use tng_congestion::{Controllers, Fixed, Share};
use tng_experiments::{Run, Scenario};
use tng_trace::Memory;

use super::{run, two};

#[test]
fn a_flow_of_bytes_ends_when_they_have_arrived() {
    let report = run(&two("rate='20mbit'\ndelay='10ms'", "[[flow]]\nfrom='a'\nto='b'\nbytes='2MB'\nstart='1s'"));
    let flow = &report.flows[0];
    assert_eq!((flow.bytes, flow.failure.as_deref(), flow.start_s), (2_000_000, None, Some(1.0)));
    let completion = flow.completion_s.expect("it ended");
    assert!((0.8..1.5).contains(&completion), "{completion}");
    assert!((completion * flow.goodput_bps - 16e6).abs() < 1.0);
    assert!(report.time_s < 3.0, "the run ends with its last flow");
    let first = flow.first_byte_s.expect("a first byte");
    assert!((0.010..0.040).contains(&first), "the first packet carries data: {first}");
    assert!(flow.rtt_min_s.is_some_and(|rtt| (0.020..0.023).contains(&rtt)), "{:?}", flow.rtt_min_s);
    assert!(report.links[0].forth.utilisation.is_some_and(|used| used > 0.1));
}

#[test]
fn the_round_trip_times_of_a_flow_are_those_from_its_start_to_its_end() {
    let flows = "[[flow]]\nfrom='a'\nto='b'\nbytes='20kB'\n[[flow]]\nfrom='a'\nto='b'\nbytes='2MB'\nstart='2s'";
    let report = run(&two("rate='5mbit'\ndelay='10ms'\nqueue={packets=100}", flows));
    let [short, long] = [0, 1].map(|flow| report.flows[flow].rtt_s.expect("measured"));
    assert!(short.count <= 2 && short.max < 0.060, "{short:?}");
    assert!(long.count > 20 && long.mean > 0.060 && (long.mean..=long.max).contains(&long.p95), "{long:?}");
    let (text, last_s) = (report.to_string(), report.flows[1].rtt_smoothed_s.expect("still connected"));
    assert!(text.contains(&format!("{:.1} ms", long.mean * 1e3)) && last_s != long.mean, "{text}");
}

#[test]
fn a_flow_of_time_sends_as_much_as_the_path_takes() {
    let report =
        run(&two("rate='10mbit'\ndelay='5ms'\nqueue={packets=50}", "[[flow]]\nfrom='a'\nto='b'\nduration='5s'"));
    let flow = &report.flows[0];
    assert!(flow.completion_s.is_some_and(|s| (5.0..5.5).contains(&s)), "{flow:?}");
    assert!(flow.goodput_bps > 8.5e6, "{flow:?}");
}

#[test]
fn flows_both_ways_and_several_at_once_share_fairly_and_all_end() {
    let flows = "[[flow]]\nfrom='a'\nto='b'\nbytes='500kB'\n[[flow]]\nfrom='a'\nto='b'\nbytes='500kB'\n\
                 [[flow]]\nfrom='b'\nto='a'\nbytes='500kB'\nstart='100ms'";
    let report = run(&two("rate='10mbit'\ndelay='5ms'\nloss='0.5%'", flows));
    assert!(report.flows.iter().all(|flow| flow.bytes == 500_000 && flow.failure.is_none()), "{report}");
    let [one, two, _] = &report.flows[..] else { panic!("{report}") };
    let (one, two) = (one.completion_s.expect("ended"), two.completion_s.expect("ended"));
    assert!((one / two - 1.0).abs() < 0.1, "equal streams end together: {one} {two}");
}

#[test]
fn a_flow_survives_what_happens_to_its_path() {
    let events = "[[flow]]\nfrom='a'\nto='b'\nbytes='4MB'\n\
                  [[event]]\nat='500ms'\nkind='outage'\nlink='a-b'\nlasts='300ms'\n\
                  [[event]]\nat='1500ms'\nkind='rebind'\nnode='a'\nseen='203.0.113.7:40001'\n\
                  [[event]]\nat='2s'\nkind='link'\nlink='a-b'\nloss='2%'\nreorder={share='5%',by='10ms'}";
    let report = run(&two("rate='10mbit'\ndelay='10ms'", events));
    assert_eq!((report.flows[0].bytes, report.flows[0].failure.as_deref()), (4_000_000, None), "{report}");
    assert!(report.links[0].forth.dropped.iter().any(|(cause, _)| *cause == "outage"), "{report}");
}

#[test]
fn a_flow_whose_end_restarts_fails_and_says_why() {
    let restart = |node: &str| {
        let more = format!(
            "[world]\nduration='60s'\n[[flow]]\nfrom='a'\nto='b'\nbytes='100MB'\n\
             [[flow]]\nfrom='a'\nto='b'\nbytes='10kB'\nstart='5s'\n\
             [[event]]\nat='1s'\nkind='restart'\nnode='{node}'\nafter='100ms'"
        );
        run(&two("rate='10mbit'\ndelay='10ms'", &more))
    };
    for node in ["a", "b"] {
        let report = restart(node);
        let [broken, later] = &report.flows[..] else { panic!("{report}") };
        assert!(broken.failure.as_deref().is_some_and(|reason| reason.contains("restarted")), "{node}: {report}");
        assert_eq!((later.bytes, later.failure.as_deref()), (10_000, None), "{node}: {report}");
    }
}

#[test]
fn a_flow_to_nobody_fails_in_time() {
    let report = run(&two("", "[[flow]]\nfrom='a'\nto='b'\nbytes='1MB'\n[[event]]\nat='0s'\nkind='stop'\nnode='b'"));
    assert!(report.flows[0].failure.as_deref().is_some_and(|reason| reason.contains("no answer")), "{report}");
    assert_eq!(report.flows[0].bytes, 0);
}

#[test]
fn the_same_scenario_gives_the_same_report_and_another_seed_another_digest() {
    let text = |seed: u64| {
        two(
            "rate='10mbit'\ndelay='10ms'\njitter='2ms'\nloss='1%'\nduplicate='1%'\ncorrupt='0.5%'\nqueue='codel'",
            &format!("[world]\nseed={seed}\n[[flow]]\nfrom='a'\nto='b'\nbytes='1MB'"),
        )
    };
    let (one, again, other) = (run(&text(1)), run(&text(1)), run(&text(2)));
    assert_eq!(one, again);
    assert_ne!(one.digest, other.digest);
    assert_eq!(one.flows[0].bytes, 1_000_000);
    let json = serde_json::to_value(&one).expect("plain values");
    assert_eq!(json["flows"][0]["bytes"], 1_000_000);
    assert_eq!(json["digest"].as_str().map(str::len), Some(64));
}

#[test]
fn a_run_can_be_captured() {
    let text = two("delay='1ms'", "[[flow]]\nfrom='a'\nto='b'\nbytes='10kB'");
    let mut run = Run::new(Scenario::parse(&text).expect("a scenario"));
    let file = Memory::default();
    run.capture(Box::new(file.clone())).expect("memory");
    run.finish().expect("memory");
    let file = file.bytes();
    assert_eq!(file[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    assert!(file.len() > 20_000, "both ends see the data: {}", file.len());
}

#[test]
fn a_flow_is_governed_by_a_controller_that_the_program_has_registered() {
    let mut controllers = Controllers::default();
    let share = Share { rate: 250_000, window: Some(50_000) };
    controllers.register("slow", "a window of its own", move |mtu| Box::new(Fixed::new(mtu, Some(share)))).unwrap();
    for protocol in ["tng", "tcp"] {
        let flow = format!("[[flow]]\nfrom='a'\nto='b'\nbytes='1MB'\ncontroller='slow'\nprotocol='{protocol}'");
        let text = two("rate='100mbit'\ndelay='100ms'", &flow);
        let unknown = Scenario::parse(&text).unwrap_err().to_string();
        assert!(unknown.contains("there is no congestion controller \"slow\""), "{unknown}");
        let scenario = Scenario::parse_under::<&str>(&text, &[], &controllers).expect("a scenario");
        let report = Run::new(scenario).finish().expect("no capture that could fail");
        let flow = &report.flows[0];
        assert_eq!((flow.controller.as_deref(), flow.bytes), (Some("slow"), 1_000_000));
        let seconds = flow.completion_s.expect("it is complete");
        assert!((3.9..5.0).contains(&seconds), "{protocol}: {seconds} s for 1 MB at 2 Mbit/s");
    }
}
