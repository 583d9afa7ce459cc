//! Flows over Trickles: the receiver asks, and the sender keeps nothing.

use tng_experiments::{Scenario, real};

use super::{run, two};

const LINK: &str = "rate='20mbit'\ndelay='10ms'\nqueue={packets=60}";

#[test]
fn it_fills_a_link_and_its_receiver_measures_the_round_trip() {
    let text = two(LINK, "[[flow]]\nfrom='a'\nto='b'\nprotocol='trickles'\nbytes='5MB'");
    let report = run(&text);
    let flow = &report.flows[0];
    assert_eq!((flow.protocol, flow.bytes, &flow.failure), ("trickles", 5_000_000, &None), "{report}");
    assert!(flow.goodput_bps > 0.85 * 20e6, "{report}");
    assert!(flow.rtt_min_s.is_some_and(|rtt| (0.020..0.026).contains(&rtt)), "{report}");
    assert_eq!(flow.controller, None);
    assert_eq!(run(&text).digest, report.digest, "the same seed gives the same run");
    assert_ne!(run(&format!("{text}\n[world]\nseed=1")).digest, report.digest);
}

#[test]
fn streams_go_both_ways_with_requests_and_without_and_some_for_a_time() {
    let report = run(&two(
        "rate='20mbit'\ndelay='10ms'\nloss='0.5%'\nmtu=1400",
        "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='trickles'\n\
         [[flow.stream]]\nname='pages'\ncount=300\nrequest='3kB'\nbytes='5kB'\nstart='1s'\n\
         [[flow.stream]]\nname='back'\ndirection='back'\nbytes='500kB'\nmessage='100kB'\n\
         [[flow.stream]]\nname='nothing'\nbytes='0B'\n\
         [[flow.stream]]\nname='timed'\nduration='2s'\nstart='5s'\n\
         [[flow.web]]\nname='web'\npages=3\nthink='100ms'",
    ));
    let [pages, back, nothing, timed] = &report.flows[0].streams[..] else { panic!("{report}") };
    assert_eq!((pages.completed, pages.bytes), (300, 1_500_000), "{report}");
    assert_eq!((back.completed, back.bytes, nothing.completed), (1, 500_000, 1), "{report}");
    assert!(back.message_s.as_ref().is_some_and(|took| took.max < 3.0), "{report}");
    assert!(timed.completed == 1 && timed.bytes > 1_000_000, "{report}");
    assert!(timed.completion_s.is_some_and(|took| (took.max - 2.0).abs() < 1e-6), "{report}");
    assert_eq!((report.flows[0].web[0].completed, &report.flows[0].failure), (3, &None), "{report}");
}

#[test]
fn a_stream_that_is_not_read_holds_its_server_up_and_one_that_is_stopped_ends() {
    let events = "[[event]]\nat='1s'\nkind='pause'\nstream='s'\n\
                  [[event]]\nat='11s'\nkind='resume'\nstream='s'\n\
                  [[event]]\nat='2s'\nkind='stop'\nstream='t'";
    let report = run(&two(
        LINK,
        &format!(
            "[[flow]]\nfrom='a'\nto='b'\nprotocol='trickles'\n\
             [[flow.stream]]\nname='s'\nbytes='15MB'\n[[flow.stream]]\nname='t'\nbytes='50MB'\n{events}"
        ),
    ));
    let [paused, stopped] = ["s", "t"].map(|name| report.stream(name).expect("there"));
    // It takes 6 s alone: half a second of that passes before the pause, and its buffer of 4 MB comes meanwhile.
    let took = paused.completion_s.expect("it is whole").max;
    assert!(paused.completed == 1 && (14.0..17.0).contains(&took), "{report}");
    assert!(stopped.completed == 0 && stopped.failure.is_none() && stopped.bytes < 5_000_000, "{report}");
}

#[test]
fn a_server_that_is_restarted_is_a_pause_and_a_client_that_is_has_lost_its_streams() {
    let flow = |protocol: &str, node: &str| {
        let event = format!("[[event]]\nat='1s'\nkind='restart'\nnode='{node}'\nafter='100ms'");
        let flow = format!("[[flow]]\nfrom='a'\nto='b'\nprotocol='{protocol}'\nbytes='5MB'\n{event}");
        run(&two(LINK, &flow)).flows.remove(0)
    };
    let server = flow("trickles", "a");
    assert_eq!((server.bytes, &server.failure), (5_000_000, &None), "{server:?}");
    assert!(server.completion_s.is_some_and(|took| took < 2.2 + 1.0), "{server:?}");
    assert_eq!(flow("trickles", "b").failure.as_deref(), Some("its receiver was restarted"));
    // Control: of a server that keeps something all is lost.
    assert!(flow("tcp", "a").failure.is_some());
}

#[test]
fn a_client_that_moves_goes_on() {
    let text = two(
        LINK,
        "[[flow]]\nfrom='a'\nto='b'\nprotocol='trickles'\nbytes='5MB'\n\
         [[event]]\nat='1s'\nkind='address'\nnode='b'\nfrom='10.0.0.1'\nto='10.0.9.9'",
    );
    let text = text.replace("name='a'", "name='a'\naddresses=['10.0.0.2']");
    let flow = run(&text.replace("name='b'", "name='b'\naddresses=['10.0.0.1']")).flows.remove(0);
    assert_eq!((flow.bytes, &flow.failure), (5_000_000, &None), "{flow:?}");
}

#[test]
fn what_a_server_that_keeps_nothing_cannot_do_is_refused_by_name() {
    for (keys, why) in [
        ("bytes=1\nvia=[]", "via"),
        ("bytes=1\ncontroller='cubic'", "its window is part of the protocol, and reno's"),
        ("[[flow.datagrams]]\nsize=100\nrate='1mbit'", "it has no datagrams"),
        ("[[flow.stream]]\nbytes=1\npriority=1", "its streams have no priorities"),
        ("[[flow.stream]]\nbytes=1\nconnect='0s'", "which is there from the first on"),
        ("[[flow.stream]]\nbytes=1\nchunk=1\ninterval='1s'", "sends what is asked for, when it is"),
        ("[[flow.stream]]\nbytes=1\non='1s'\noff='1s'", "sends what is asked for, when it is"),
        (
            "bytes=1\nname='f'\n[[event]]\nat='1s'\nkind='finish'\nstream='f'",
            "nobody can finish a stream over trickles",
        ),
        ("bytes=1\nname='f'\n[[event]]\nat='1s'\nkind='reset'\nstream='f'", "its sender knows of no stream"),
    ] {
        let text = two(LINK, &format!("[[flow]]\nfrom='a'\nto='b'\nprotocol='trickles'\n{keys}"));
        let fault = Scenario::parse(&text).map(drop).expect_err(keys).to_string();
        assert!(fault.contains(why), "{keys}: {fault}");
    }
}

#[test]
fn in_real_time_it_is_refused_by_name() {
    let text = two(LINK, "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='trickles'\nbytes=1");
    let error = real::check(&Scenario::parse(&text).expect("a scenario")).expect_err("it is not there").to_string();
    let words = "the flow \"f\": its protocol is \"trickles\", and in real time that is not there; `tng sim run` runs";
    assert!(error.starts_with(words), "{error}");
}
