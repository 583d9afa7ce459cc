//! Flows over what is not tng, by themselves and beside it, and workloads of every kind.

use tng_experiments::settings::Settings;
use tng_experiments::{Run, Scenario};

use super::{run, two};

#[test]
fn every_protocol_flows_between_the_same_two_hosts() {
    let flows = "[[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\ncontroller='newreno'\nbytes='2MB'\n\
                 [[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\ncontroller='eln:reno'\nbytes='2MB'\n\
                 [[flow]]\nfrom='b'\nto='a'\nprotocol='tcp'\nbytes='2MB'\n\
                 [[flow]]\nfrom='a'\nto='b'\nbytes='2MB'";
    let text = two("rate='20mbit'\ndelay='10ms'\nloss='0.2%'\nqueue={packets=60}", flows);
    let report = run(&text);
    for (flow, expected) in
        report.flows.iter().zip([("quic", "newreno"), ("tcp", "eln:reno"), ("tcp", "cubic"), ("tng", "cubic")])
    {
        assert_eq!((flow.protocol, flow.controller.as_deref()), (expected.0, Some(expected.1)));
        assert_eq!((flow.bytes, &flow.failure), (2_000_000, &None), "{report}");
        assert!(flow.completion_s.is_some(), "{report}");
        let rtt = flow.rtt_min_s.expect("measured");
        assert!((0.020..0.026).contains(&rtt) && flow.rtt_smoothed_s.is_some_and(|smoothed| smoothed >= rtt), "{rtt}");
    }
    assert_eq!(run(&text).digest, report.digest, "the same seed gives the same run");
    assert_ne!(run(&format!("{text}\n[world]\nseed=1")).digest, report.digest);
}

#[test]
fn requests_and_half_closed_connections_work_over_every_protocol() {
    // Round trips until the first answer comes: a handshake, and a request with its answer.
    for (protocol, first_s) in [("tcp", 0.040..0.045), ("quic", 0.020..0.045)] {
        requests(protocol, first_s);
    }
}

fn requests(protocol: &str, first_s: std::ops::Range<f64>) {
    let report = run(&two(
        "rate='20mbit'\ndelay='10ms'",
        &format!(
            "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='{protocol}'\n\
         [[flow.stream]]\nname='pages'\ncount=20\nevery='50ms'\nrequest='200B'\nbytes='30kB'\n\
         [[flow.stream]]\nname='steady'\ndirection='back'\nduration='1s'\nchunk=1000\ninterval='10ms'\nmessage=1000"
        ),
    ));
    let [pages, steady] = &report.flows[0].streams[..] else { panic!("{report}") };
    assert_eq!((pages.completed, pages.bytes), (20, 600_000), "{report}");
    assert!(pages.first_byte_s.is_some_and(|first| first_s.contains(&first.min)), "{report}");
    assert_eq!((steady.completed, steady.bytes), (1, 100_000), "{report}");
    assert!(steady.message_s.is_some_and(|took| took.p50 < 0.012), "{report}");
}

#[test]
fn a_connection_that_is_made_before_its_stream_starts_has_its_handshake_behind_it() {
    let first_s = |more: &str| {
        let stream = format!("name='s'\nbytes='30kB'\nmessage='10kB'\nstart='1s'\n{more}");
        let flow = format!("[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='tcp'\n[[flow.stream]]\n{stream}");
        let report = run(&two("rate='100mbit'\ndelay='10ms'", &flow));
        let stream = report.stream("s").expect("there");
        assert_eq!((stream.start_s, stream.bytes, stream.completed), (Some(1.0), 30_000, 1), "{report}");
        assert!(stream.message_s.is_some_and(|took| took.min >= 0.010), "no message before it was written: {report}");
        stream.first_byte_s.expect("came").min
    };
    let (cold, warm) = (first_s(""), first_s("connect='0s'"));
    assert!((0.030..0.032).contains(&cold) && (0.010..0.012).contains(&warm), "{cold} s and {warm} s");
}

#[test]
fn what_is_done_to_a_stream_is_done_to_it_over_every_protocol() {
    ["tcp", "quic"].into_iter().for_each(changes);
}

fn changes(protocol: &str) {
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
        &format!("[[flow]]\nfrom='a'\nto='b'\nprotocol='{protocol}'\n{streams}{}", events.concat()),
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
        "[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\nbytes='10MB'\n[[flow]]\nfrom='a'\nto='b'\nprotocol='tcp'\n\
         bytes='1MB'\nstart='6s'\n[[event]]\nat='2s'\nkind='restart'\nnode='b'\nafter='1s'",
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
            "line 14: priority: a flow over tcp cannot have this: its streams have no priorities",
        ),
        (
            "protocol='tcp'\n[[flow.stream]]\nname='x'\nbytes=1\n[[flow.stream]]\nbytes=1\nparent='x'",
            "line 17: parent: a flow over tcp cannot have this: its streams have no children",
        ),
        (
            "protocol='tcp'\n[[flow.datagrams]]\nsize=100\ninterval='1s'",
            "line 12: datagrams: a flow over tcp cannot have this: it has no datagrams",
        ),
        (
            "protocol='tcp'\nbytes=1\n[[event]]\nat='1s'\nkind='priority'\nstream='a->b'\npriority=1",
            "line 13: the priority of a stream over tcp cannot change",
        ),
        (
            "protocol='quic'\ncontroller='reno'\nbytes=1",
            "line 12: controller: there is no \"reno\" over quic; over quic there is cubic, newreno, bbr",
        ),
        (
            "protocol='quic'\ncontroller='newreno'\nbytes=1\n[[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\n\
             controller='cubic'\nbytes=1",
            "line 14: \"a\" sends with \"newreno\" already, and quic has one congestion controller at a host",
        ),
        (
            "protocol='quic'\n[[flow.stream]]\nbytes=1\npriority=1",
            "line 14: priority: a flow over quic cannot have this: its streams have no priorities",
        ),
        ("[[flow.web]]\npages=0", "line 12: pages: write a whole number from 1"),
        ("[[flow.web]]\npages=2000", "line 8: a scenario has at most 100000 streams"),
        ("protocol='udp'\n[[flow.web]]\npages=1", "line 12: web: a flow over udp cannot have this"),
        ("protocol='udp'\nbytes=1", "line 12: bytes: a flow over udp cannot have this: it has no streams"),
        (
            "protocol='udp'\ncontroller='reno'\n[[flow.datagrams]]\nsize=8\ninterval='1s'",
            "line 12: controller: a flow over udp cannot have this: nothing controls its rate",
        ),
        (
            "protocol='udp'\n[[flow.datagrams]]\nsize=8\ninterval='1s'\nlifetime='1s'",
            "line 15: lifetime: a flow over udp cannot have this: its datagrams leave at once",
        ),
        (
            "protocol='udp'\n[[flow.datagrams]]\nsize='1MB'\ninterval='1s'",
            "line 13: size: a datagram over udp has at most 65507 bytes",
        ),
        ("[[flow.stream]]\nbytes=1\non='1s'", "line 11: [[flow.stream]] needs off, beside on"),
        ("[[flow.stream]]\nbytes=1\non='1s'\noff='1us'", "line 14: off: write a time of at least 1 ms"),
        (
            "[[flow.stream]]\nbytes={mean='1kB',distribution='paretto',shape=1.2}",
            "line 12: there is no distribution \"paretto\"; did you mean \"pareto\"?",
        ),
        ("[[flow.stream]]\nbytes={mean='1kB',distribution='pareto',shape=1}", "line 12: shape: write a number above 1"),
        ("[[flow.stream]]\nbytes={mean='1kB',distribution='fixed',max='1B'}", "line 12: the largest value is less"),
    ] {
        let text = two("delay='1ms'", &format!("[[flow]]\nfrom='a'\nto='b'\n{more}"));
        let message = Scenario::parse(&text).expect_err(more).to_string();
        assert!(message.starts_with(expected), "{more:?}\n gives    {message}\n expected {expected}");
    }
}

#[test]
fn cross_traffic_takes_its_rate_and_comes_by_periods() {
    let text = |link: &str| {
        two(
            link,
            "[[flow]]\nfrom='a'\nto='b'\nprotocol='udp'\n\
             [[flow.datagrams]]\nname='steady'\nsize=1000\nrate='1mbit'\nduration='10s'\n\
             [[flow.datagrams]]\nname='by periods'\nsize=1000\nrate='4mbit'\ncount=2500\non='500ms'\noff='1500ms'\n\
             [[flow.datagrams]]\nname='by lot'\nsize=1000\nrate='1mbit'\ncount=500\n\
             on={mean='200ms',distribution='exponential'}\noff={mean='300ms',distribution='pareto',shape=1.5,max='2s'}",
        )
    };
    let report = run(&text("rate='10mbit'\ndelay='10ms'"));
    let group = |name: &str| report.datagrams(name).expect("there");
    assert_eq!((group("steady").sent, group("steady").received, group("steady").missing), (1250, 1250, 0), "{report}");
    let mut seconds = group("by periods").bytes_per_interval.chunks(5).map(|half| half.iter().sum::<u64>());
    // 500 ms of 4 Mbit/s, and one datagram more or less where a period ends.
    for _ in 0..9 {
        let of_period: Vec<u64> = seconds.by_ref().take(4).collect();
        assert!((248_000..=250_000).contains(&(of_period[0] + of_period[1])), "{of_period:?}");
        assert_eq!(of_period[2..], [0, 0]);
    }
    assert_eq!(group("by lot").received, 500);
    assert_eq!(run(&text("rate='10mbit'\ndelay='10ms'")).digest, report.digest);
    let lossy = run(&text("rate='10mbit'\ndelay='10ms'\nloss='10%'"));
    let steady = lossy.datagrams("steady").expect("there");
    assert!(steady.missing > 80 && steady.missing < 170 && steady.failure.is_none(), "{lossy}");
}

#[test]
fn transfers_of_every_protocol_arrive_and_are_sized_by_the_same_lots() {
    let flow = |protocol: &str| {
        format!(
            "[[flow]]\nname='{protocol}'\nfrom='a'\nto='b'\nprotocol='{protocol}'\n\
             [[flow.stream]]\ncount=200\nevery={{mean='20ms',distribution='exponential'}}\n\
             bytes={{mean='20kB',distribution='pareto',shape=1.5,max='1MB'}}\n"
        )
    };
    let sizes = |protocol: &str| {
        let report = run(&two("rate='100mbit'\ndelay='5ms'", &flow(protocol)));
        let stream = &report.flows[0].streams[0];
        assert_eq!((stream.completed, &stream.failure), (200, &None), "{report}");
        let last = stream.each.last().and_then(|one| one.start_s).expect("started");
        assert!((3.0..5.0).contains(&last), "200 arrivals, one every 20 ms: {last}");
        stream.each.iter().map(|one| one.bytes).collect::<Vec<_>>()
    };
    let by_tng = sizes("tng");
    let mean = by_tng.iter().sum::<u64>() / 200;
    assert!(
        (10_000..30_000).contains(&mean) && by_tng.iter().all(|bytes| (6_666..=1_000_000).contains(bytes)),
        "{mean}"
    );
    for protocol in ["tcp", "quic"] {
        assert_eq!(by_tng, sizes(protocol), "{protocol}");
    }
}

#[test]
fn a_source_that_is_on_and_off_writes_by_periods_over_every_protocol() {
    for protocol in ["tng", "tcp", "quic"] {
        let report = run(&two(
            "rate='100mbit'\ndelay='5ms'",
            &format!(
                "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='{protocol}'\n\
                 [[flow.stream]]\nname='steady'\nduration='8s'\nchunk=1000\nrate='1mbit'\non='1s'\noff='1s'\n\
                 [[flow.stream]]\nname='greedy'\nduration='3s'\non='100ms'\noff='900ms'"
            ),
        ));
        let series = |name: &str| {
            let series = &report.stream(name).expect("there").bytes_per_interval;
            series.chunks(10).map(|second| second.iter().sum::<u64>()).collect::<Vec<_>>()
        };
        let steady = series("steady");
        for (second, bytes) in steady.iter().enumerate().take(8) {
            let expected = if second % 2 == 0 { 120_000..=126_000 } else { 0..=2_000 };
            assert!(expected.contains(bytes), "{protocol}: {steady:?}");
        }
        let greedy = series("greedy");
        assert!(greedy.len() >= 3 && greedy[..3].iter().all(|bytes| *bytes > 100_000), "{protocol}: {greedy:?}");
        let idle =
            report.stream("greedy").expect("there").bytes_per_interval.iter().filter(|bytes| **bytes == 0).count();
        assert!(idle > 5, "{protocol}: {greedy:?}");
    }
}

#[test]
fn a_report_tells_queues_round_trips_and_shares_over_time() {
    let report = run(&two(
        "rate='10mbit'\ndelay='20ms'\nqueue={packets=60}\n[world]\nduration='10s'",
        "[[flow]]\nname='one'\nfrom='a'\nto='b'\nprotocol='tcp'\nbytes='forever'\n\
         [[flow]]\nname='other'\nfrom='a'\nto='b'\nprotocol='tcp'\nbytes='forever'\ncontroller='reno'\n\
         [[flow]]\nname='noise'\nfrom='a'\nto='b'\nprotocol='udp'\n\
         [[flow.datagrams]]\nsize=1000\nrate='2mbit'\nstart='5s'",
    ));
    let lane = &report.links[0].forth;
    let counts = [&lane.queue_bytes_per_interval, &lane.queue_bytes_max_per_interval, &lane.dropped_per_interval];
    assert_eq!(counts.map(Vec::len), [100; 3]);
    assert_eq!(lane.queue_bytes_max_per_interval.iter().max(), Some(&lane.queue_bytes_max));
    assert!((80_000..=90_000).contains(&lane.queue_bytes_max), "60 packets: {}", lane.queue_bytes_max);
    assert!(lane.queue_bytes_per_interval.iter().zip(&lane.queue_bytes_max_per_interval).all(|(now, max)| now <= max));
    let dropped: u64 = lane.dropped.iter().map(|(_, count)| count).sum();
    assert!(dropped > 0 && lane.dropped_per_interval.iter().sum::<u64>() == dropped, "{report}");
    for flow in &report.flows[..2] {
        let rtts: Vec<f64> = flow.rtt_per_interval_s.iter().flatten().copied().collect();
        assert!(rtts.len() >= 99 && rtts.iter().all(|rtt| (0.040..0.120).contains(rtt)), "{rtts:?}");
        assert_eq!(flow.bytes_per_interval.iter().sum::<u64>(), flow.bytes);
    }
    let noise = &report.flows[2];
    assert_eq!((noise.rtt_min_s, noise.controller.as_deref()), (None, None));
    assert!(noise.bytes_per_interval[..50].iter().all(|bytes| *bytes == 0));
    let [tcp, udp] = &report.groups[..] else { panic!("{report}") };
    assert_eq!((&*tcp.name, tcp.flows, &*udp.name, udp.flows), ("tcp", 2, "udp", 1));
    assert_eq!(udp.fairness, Some(1.0), "one flow is always fair to itself");
    assert!(tcp.fairness.is_some_and(|index| index > 0.8 && index < 1.0), "{report}");
    assert!((tcp.share.unwrap_or(0.0) + udp.share.unwrap_or(0.0) - 1.0).abs() < 1e-9);
    let (text, page) = (report.to_string(), tng_experiments::page::of_report(&report));
    for said in ["tcp", "Jain"] {
        assert!(text.contains(said) && page.contains(said), "{text}");
    }
    assert!(page.contains("Queues: most that waited") && page.contains("Smoothed round-trip time"));
}

#[test]
fn datagrams_over_quic_fit_a_packet_or_fail_with_the_reason() {
    let report = run(&two(
        "rate='10mbit'\ndelay='10ms'\nloss='2%'",
        "[[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\n\
         [[flow.datagrams]]\nname='voice'\nsize=160\ninterval='20ms'\nduration='10s'\n\
         [[flow.datagrams]]\nname='picture'\nsize='10kB'\ninterval='1s'\ncount=3",
    ));
    let [voice, picture] = &report.flows[0].datagrams[..] else { panic!("{report}") };
    assert_eq!((voice.sent, &voice.failure), (500, &None));
    assert!((480..500).contains(&voice.received) && voice.delay_s.is_some_and(|delay| delay.p50 < 0.012), "{report}");
    assert!(picture.failure.as_ref().is_some_and(|why| why.contains("larger than the")), "{report}");
}

#[test]
fn more_streams_than_quic_admits_at_once_wait_their_turn() {
    let report = run(&two(
        "rate='50mbit'\ndelay='5ms'",
        "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='quic'\n[[flow.stream]]\ncount=350\nbytes='5kB'\n\
         [[flow]]\nname='g'\nfrom='b'\nto='a'\nprotocol='quic'\n[[flow.stream]]\ncount=150\nbytes='5kB'\nrequest=10",
    ));
    for (flow, count) in report.flows.iter().zip([350, 150]) {
        assert_eq!((flow.streams[0].completed, &flow.failure), (count, &None), "{report}");
    }
}

#[test]
fn a_quic_connection_whose_peer_is_gone_fails_its_streams_and_groups() {
    let report = run(&two(
        "rate='10mbit'\ndelay='10ms'\n[world]\nduration='120s'",
        "[[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\nbytes='50MB'\n\
         [[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\n\
         [[flow.stream]]\nname='late'\nbytes=1\nstart='50s'\n\
         [[event]]\nat='2s'\nkind='stop'\nnode='b'",
    ));
    for flow in &report.flows {
        assert!(flow.failure.as_ref().is_some_and(|why| why.contains("did not answer")), "{report}");
    }
    assert!(report.time_s < 100.0, "{report}");
}

#[test]
fn pages_load_over_every_protocol_one_after_the_other() {
    let run = |protocol: &str, parallel: &str| {
        run(&two(
            "rate='5mbit'\ndelay='25ms'",
            &format!(
                "[[flow]]\nname='f'\nfrom='a'\nto='b'\nprotocol='{protocol}'\n\
                 [[flow.web]]\nname='pages'\npages=15\nthink='500ms'{parallel}"
            ),
        ))
    };
    let all: Vec<(u64, f64)> = ["tng", "tcp", "quic"]
        .map(|protocol| {
            let report = run(protocol, "");
            let web = report.web("pages").expect("there");
            let load_s = web.load_s.expect("loaded");
            assert_eq!(
                (web.completed, load_s.count, web.each_load_s.len(), &web.failure),
                (15, 15, 15, &None),
                "{report}"
            );
            assert!(web.objects > 20 && web.object_s.is_some_and(|object| object.min > 0.050), "{report}");
            // Pages follow each other: they take their times, and half a second is between each two.
            let looked_s = web.each_load_s.iter().sum::<f64>() + 14.0 * 0.5;
            assert!((report.time_s - looked_s).abs() < 0.2, "{} s, pages {looked_s} s: {report}", report.time_s);
            assert_eq!(web.bytes_per_interval.iter().sum::<u64>(), report.flows[0].bytes);
            assert!(
                report.to_string().contains("15/15") && tng_experiments::page::of_report(&report).contains("15 of 15")
            );
            (web.bytes, load_s.mean)
        })
        .into();
    assert!(all.iter().all(|(bytes, _)| *bytes == all[0].0), "the same pages: {all:?}");
    assert!(all[0].1 < all[1].1, "a stream costs no handshake, a connection does: {all:?}");
    let one_by_one = run("tng", "\nparallel=1");
    let slow_s = one_by_one.web("pages").and_then(|web| web.load_s).expect("loaded").mean;
    assert!(slow_s > 1.2 * all[0].1, "{slow_s} and {all:?}");
}

/// Packets that a sender without congestion control offers to the line until another flow is done; the run's digest;
/// the flow's controller, and the settings.
fn unlimited(protocol: &str, policed: &str) -> (u64, String, String) {
    let text = two(
        "rate='10mbit'\ndelay='20ms'\nqueue={time='60ms'}",
        &format!(
            "[world]\nduration='5s'\n[[flow]]\nname='held'\nfrom='a'\nto='b'\nprotocol='{protocol}'\n\
             bytes='forever'\ncontroller='unlimited'\n{policed}\n\
             [[flow]]\nname='other'\nfrom='b'\nto='a'\nprotocol='tcp'\nbytes=1000"
        ),
    );
    let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let settings = format!("{:?}", Settings::of(&scenario).lines());
    let report = Run::new(scenario).finish().expect("no capture that could fail");
    let lanes = report.links.iter().flat_map(|link| [&link.forth, &link.back]);
    let lane = lanes.max_by_key(|lane| lane.offered).expect("there is a link");
    let controller = report.flows[0].controller.clone().expect("regulated");
    (lane.offered, report.digest, format!("{controller} {settings}"))
}

#[test]
fn a_flow_whose_controller_is_policed_runs_under_the_policer_and_its_settings_say_so() {
    for protocol in ["tng", "tcp"] {
        let [free, off, held] = ["", "policed=false", "policed=true"].map(|policed| unlimited(protocol, policed));
        assert!(held.2.starts_with("policed-unlimited ") && held.2.contains("policed: true"), "{}", held.2);
        assert!(free.2.starts_with("unlimited ") && !free.2.contains("policed"), "{}", free.2);
        assert!(off.1 == free.1 && held.1 != free.1, "{protocol}: what is off changes no packet");
        assert!(2 * held.0 < free.0, "{protocol}: {} packets leave, and {} without the policer", held.0, free.0);
    }
}

#[test]
fn policed_is_for_what_has_the_suites_controllers_and_the_same_for_all_flows_of_a_host_over_tng() {
    for (flow, words) in [
        ("protocol='quic'\npoliced=true\nbytes=1", "policed: a flow over quic cannot have this: its controllers are"),
        ("protocol='stp:sack'\npoliced=true\nbytes=1", "policed: a flow over stp:sack cannot have this: the policer"),
        ("protocol='trickles'\npoliced=true\nbytes=1", "policed: a flow over trickles cannot have this: its window"),
        ("policed=1\nbytes=1", "policed: write true or false"),
        (
            "policed=true\nbytes=1\n[[flow]]\nfrom='a'\nto='b'\npoliced=false\nbytes=1",
            "\"a\" sends over tng under a controller that is policed already, and has one for all",
        ),
    ] {
        let text = two("", &format!("[[flow]]\nfrom='a'\nto='b'\n{flow}"));
        let error = Scenario::parse(&text).expect_err(flow).to_string();
        assert!(error.contains(words), "{flow}: {error}");
    }
    // Those that say nothing go with the others; over TCP each has its own.
    let other = "[[flow]]\nfrom='a'\nto='b'\nbytes=1\n";
    for (protocol, expected) in [("tng", [true, true]), ("tcp", [true, false])] {
        let flow = format!("{other}protocol='{protocol}'\n");
        let scenario = Scenario::parse(&two("", &format!("{flow}policed=true\n{flow}"))).expect("a scenario");
        assert_eq!([0, 1].map(|flow| scenario.is_policed(&scenario.flows[flow])), expected, "{protocol}");
    }
}
