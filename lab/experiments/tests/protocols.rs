//! Flows over what is not tng: TCP.

use tng_experiments::{Report, Run, Scenario};

/// Two hosts on a link, and more.
fn two(link: &str, more: &str) -> String {
    format!("[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\n{link}\n{more}")
}

fn run(text: &str) -> Report {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Run::new(scenario).finish().expect("no capture that could fail")
}

#[test]
fn tcp_and_tng_flow_between_the_same_two_hosts() {
    let flows = "[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\ncontroller='reno'\nbytes='2MB'\n\
                 [[flow]]\nfrom='b'\nto='a'\nprotocol='tcp'\nbytes='2MB'\n\
                 [[flow]]\nfrom='a'\nto='b'\nbytes='2MB'";
    let text = two("rate='20mbit'\ndelay='10ms'\nloss='0.2%'\nqueue={packets=60}", flows);
    let report = run(&text);
    for (flow, expected) in report.flows.iter().zip([("tcp", "reno"), ("tcp", "cubic"), ("tng", "cubic")]) {
        assert_eq!((flow.protocol, &*flow.controller), expected);
        assert_eq!((flow.bytes, &flow.failure), (2_000_000, &None), "{report}");
        assert!(flow.completion_s.is_some(), "{report}");
        let rtt = flow.rtt_min_s.expect("measured");
        assert!((0.020..0.026).contains(&rtt) && flow.rtt_smoothed_s.is_some_and(|smoothed| smoothed >= rtt), "{rtt}");
    }
    assert_eq!(run(&text).digest, report.digest, "the same seed gives the same run");
    assert_ne!(run(&format!("{text}\n[world]\nseed=1")).digest, report.digest);
}

#[test]
fn requests_and_half_closed_connections_work_over_tcp() {
    let report = run(&two(
        "rate='20mbit'\ndelay='10ms'",
        "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='tcp'\n\
         [[flow.stream]]\nname='pages'\ncount=20\nevery='50ms'\nrequest='200B'\nbytes='30kB'\n\
         [[flow.stream]]\nname='steady'\ndirection='back'\nduration='1s'\nchunk=1000\ninterval='10ms'\nmessage=1000",
    ));
    let [pages, steady] = &report.flows[0].streams[..] else { panic!("{report}") };
    assert_eq!((pages.completed, pages.bytes), (20, 600_000), "{report}");
    // A handshake, and a request with its answer.
    assert!(pages.first_byte_s.is_some_and(|first| (0.040..0.045).contains(&first.min)), "{report}");
    assert_eq!((steady.completed, steady.bytes), (1, 100_000), "{report}");
    assert!(steady.message_s.is_some_and(|took| took.p50 < 0.012), "{report}");
}

#[test]
fn what_is_done_to_a_stream_is_done_to_its_connection() {
    let event =
        |at: &str, kind: &str, stream: &str| format!("[[event]]\nat='{at}'\nkind='{kind}'\nstream='{stream}'\n");
    let streams: String = ["held", "cut", "given up", "unwanted"]
        .map(|name| format!("[[flow.stream]]\nname='{name}'\nbytes='6MB'\n"))
        .concat();
    let events = [
        event("100ms", "pause", "held"),
        event("20s", "resume", "held"),
        event("1s", "finish", "cut"),
        event("1s", "reset", "given up"),
        event("1s", "stop", "unwanted"),
    ];
    let report = run(&two(
        "rate='10mbit'\ndelay='10ms'",
        &format!("[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\n{streams}{}", events.concat()),
    ));
    let only = |name: &str| report.stream(name).expect("there").each[0].clone();
    assert_eq!(only("held").bytes, 6_000_000);
    assert!(only("held").completion_s.is_some_and(|s| s > 19.9), "{report}");
    for (name, how) in
        [("cut", "finished early by the sender"), ("given up", "reset"), ("unwanted", "stopped by the receiver")]
    {
        let one = only(name);
        assert!(
            one.failure.is_none() && one.bytes < 6_000_000 && one.cut.is_some_and(|cut| cut.contains(how)),
            "{report}"
        );
    }
    assert!(report.flows[0].failure.is_none(), "{report}");
}

#[test]
fn a_host_that_restarts_loses_its_connections() {
    let report = run(&two(
        "rate='10mbit'\ndelay='10ms'\n[world]\nduration='20s'",
        "[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\nbytes='10MB'\n[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\nbytes='1MB'\nstart='6s'\n\
         [[event]]\nat='2s'\nkind='restart'\nnode='b'\nafter='1s'",
    ));
    let [before, after] = &report.flows[..] else { panic!("{report}") };
    assert!(before.failure.as_ref().is_some_and(|why| why.contains("the peer reset the connection")), "{report}");
    assert_eq!((after.bytes, &after.failure), (1_000_000, &None), "{report}");
}

#[test]
fn what_a_protocol_cannot_do_is_refused_with_the_key() {
    for (more, expected) in [
        ("protocol='tpc'\nbytes=1", "line 11: there is no protocol \"tpc\"; did you mean \"tcp\"?"),
        (
            "protocol='tcp'\n[[flow.stream]]\nbytes=1\npriority=1",
            "line 14: priority: a flow over tcp cannot have this, since its streams have no priorities",
        ),
        (
            "protocol='tcp'\n[[flow.stream]]\nname='x'\nbytes=1\n[[flow.stream]]\nbytes=1\nparent='x'",
            "line 17: parent: a flow over tcp cannot have this, since its streams have no children",
        ),
        (
            "protocol='tcp'\n[[flow.datagrams]]\nsize=100\ninterval='1s'",
            "line 12: datagrams: a flow over tcp cannot have this, since it has no datagrams",
        ),
        (
            "protocol='tcp'\nbytes=1\n[[event]]\nat='1s'\nkind='priority'\nstream='a->b'\npriority=1",
            "line 13: the priority of a stream over tcp cannot change",
        ),
    ] {
        let text = two("delay='1ms'", &format!("[[flow]]\nfrom='a'\nto='b'\n{more}"));
        let message = Scenario::parse(&text).expect_err(more).to_string();
        assert!(message.starts_with(expected), "{more:?}\n gives    {message}\n expected {expected}");
    }
}
