//! Reading scenario files, and the worlds that come of them.

use core::time::Duration;

use tng_base::{Input, Instant, PathChange};
use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig, ThresholdConfig};
use tng_sim::{
    DeliveryTrace, DropCause, Loss, NatConfig, NatFilter, NatMapping, NatPorts, Node, Outbox, Patterns, Reorder,
    topology,
};

use super::*;

const MS: Duration = Duration::from_millis(1);

/// A file with two hosts, `a` and `b`, and more.
fn two(more: &str) -> String {
    format!("[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[link]]\nbetween = [\"a\", \"b\"]\n{more}")
}

/// What such a file needs, if nothing else flows in it.
const FLOW: &str = "\n[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\n";

fn link(more: &str) -> Link {
    let scenario = Scenario::parse(&two(&format!("{more}{FLOW}"))).unwrap_or_else(|error| panic!("{more}: {error}"));
    assert_eq!(scenario.links[0].forth, scenario.links[0].back);
    scenario.links[0].forth.clone()
}

fn stream(name: &str, amount: Amount, start: Duration) -> StreamSpec {
    StreamSpec::new(name.into(), amount, start)
}

#[test]
fn a_file_says_everything_there_is_to_say() {
    let scenario = Scenario::parse(
        r#"
        [world]
        seed = 9
        duration = "2min"

        [[node]]
        name = "phone"
        addresses = ["192.0.2.1", "2001:db8::1"]
        [[node]]
        name = "mast"
        kind = "router"
        [[node]]
        name = "server"
        keep_alive = "5s"

        [[link]]
        between = ["phone", "mast"]
        rate = "20mbit"
        delay = "10ms"
        corrupt = "1%"
        checked = true
        notices = true
        back = { rate = "80mbit", queue = "codel" }
        [[link]]
        name = "backbone"
        between = ["mast", "server"]

        [[flow]]
        from = "phone"
        to = "server"
        bytes = "3MB"
        start = "1s"
        controller = "newreno"
        [[flow]]
        from = "phone"
        to = "server"
        duration = "10s"

        [[event]]
        at = "9s"
        kind = "restart"
        node = "server"
        after = "500ms"
        [[event]]
        at = "5s"
        kind = "outage"
        link = "phone-mast"
        lasts = "1s"
        [[event]]
        at = "6s"
        kind = "link"
        link = "backbone"
        direction = "back"
        delay = "50ms"
        "#,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((scenario.seed, scenario.duration), (9, Duration::from_secs(120)));
    let addresses = vec!["192.0.2.1".parse().unwrap(), "2001:db8::1".parse().unwrap()];
    assert_eq!(scenario.nodes[0].kind, NodeKind::Host { addresses, tng: TngSpec::default() });
    assert_eq!(scenario.nodes[1].kind, NodeKind::Router);
    let addresses = vec![topology::ipv4(1), topology::ipv6(1)];
    let tng = TngSpec { keep_alive: Some(5000 * MS), ..TngSpec::default() };
    assert_eq!(scenario.nodes[2].kind, NodeKind::Host { addresses, tng });
    let up = Link { corrupt: 0.01, checked: true, notices: true, ..Link::new().rate(20_000_000).delay(10 * MS) };
    let down = up.clone().rate(80_000_000).queue(QueueConfig::CoDel(CoDelConfig::default()));
    let air = LinkSpec { name: "phone-mast".into(), a: 0, b: 1, addresses: Vec::new(), forth: up, back: down };
    assert_eq!(scenario.links[0], air);
    assert_eq!(scenario.links[1].name, "backbone");
    let flow = FlowSpec {
        group: "tng".into(),
        web: Vec::new(),
        name: "phone->server".into(),
        from: 0,
        to: 2,
        protocol: FlowProtocol::TNG,
        via: Vec::new(),
        controller: Some("newreno".into()),
        policed: None,
        streams: vec![stream("phone->server", Amount::Bytes(3_000_000), 1000 * MS)],
        datagrams: Vec::new(),
    };
    assert_eq!(scenario.flows[0], flow);
    let timed = stream("phone->server 2", Amount::For(10_000 * MS), Duration::ZERO);
    assert_eq!((&*scenario.flows[1].name, &scenario.flows[1].streams), ("phone->server 2", &vec![timed]));
    let patch = Box::new(LinkPatch { delay: Some(50 * MS), ..LinkPatch::default() });
    let expected = [
        (5, EventKind::Outage { link: 0, lasts: 1000 * MS, holds: false }),
        (6, EventKind::Link { link: 1, lanes: [false, true], patch }),
        (9, EventKind::Restart { node: 2, after: 500 * MS }),
    ];
    assert_eq!(scenario.events, expected.map(|(s, kind)| EventSpec { at: Duration::from_secs(s), kind }));
}

#[test]
fn links_are_described_in_the_words_of_netem() {
    let more = "rate = '1.5 gbit'\njitter = '3ms'\njitter_reorders = true\nmtu = 9000\nduplicate = 0.25\ncost = 3\n\
                reorder = { share = '2%', by = '10ms' }\necn_bleach = 1\necn_mark = '0.5%'\ncorrupt = '0%'";
    let expected = Link {
        reorder: Some(Reorder::Late { probability: 0.02, extra: 10 * MS }),
        ..Link::new().rate(1_500_000_000).jitter_reordering(3 * MS).mtu(9000).duplicate(0.25).cost(3).ecn_bleach(1.0)
    };
    assert_eq!(link(more), expected.ecn_mark(0.005));
    assert_eq!(link("rate = 'unlimited'"), Link::new());
}

#[test]
fn bursts_are_reordered_by_a_model_or_a_file() {
    let of = |text: &str| link(&format!("reorder = {text}")).reorder;
    let burst = |patterns, hold, lost| Some(Reorder::Burst { patterns, hold, lost });
    let model = || Patterns::bursts(0.005, 10, 0.5);
    assert_eq!(of("{ bursts = '0.5%' }"), burst(model(), 10 * MS, false));
    assert_eq!(
        of("{ bursts = '0.5%', length = 10, decay = 0.5, hold = '10ms', lost = false }"),
        of("{ bursts = 0.005 }")
    );
    let other = Patterns::bursts(0.01, 4, 0.9);
    assert_eq!(of("{ bursts = '1%', length = 4, decay = 0.9, hold = '1ms', lost = true }"), burst(other, MS, true));

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("patterns.txt");
    std::fs::write(&file, "# seen\n0.1% 1 3 2\n").expect("it can be written");
    let seen = Patterns::parse("0.1% 1 3 2").expect("a pattern");
    assert_eq!(of(&format!("{{ file = '{}', lost = true }}", file.display())), burst(seen, 10 * MS, true));

    let wrong = |text: &str| fault(&two(&format!("reorder = {text}{FLOW}")));
    for (text, words) in [
        ("{ }", "one of share, bursts and file"),
        ("{ bursts = '1%', share = '1%' }", "one of share, bursts and file"),
        ("{ bursts = '1%', by = '1ms' }", "by"),
        ("{ share = '1%', by = '1ms', lost = true }", "lost"),
        ("{ bursts = '1%', length = 65 }", "from 2 to 64"),
        ("{ file = '/no/such/file' }", "cannot be read"),
    ] {
        assert!(wrong(text).contains(words), "{text}: {}", wrong(text));
    }
    std::fs::write(&file, "0.1% 1 3").expect("it can be written");
    assert!(wrong(&format!("{{ file = '{}' }}", file.display())).contains("line 1 is no order of arrival"));
}

#[test]
fn a_link_follows_the_trace_of_a_file_in_place_of_a_rate_and_each_direction_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        format!("trace = '{}'", path.display())
    };
    let trace = |times: &[u32]| DeliveryTrace::new(times.to_vec()).expect("a trace");
    let (one, other) = (file("one", "1\n1\n5\n"), file("other", "7\n"));
    assert_eq!(link(&one), Link::new().trace(trace(&[1, 1, 5])));

    let lanes = |text: &str| {
        let scenario =
            Scenario::parse(&two(&format!("{text}{FLOW}"))).unwrap_or_else(|error| panic!("{text}: {error}"));
        [scenario.links[0].forth.clone(), scenario.links[0].back.clone()]
    };
    let (slow, first) = (Link::new().rate(1_000_000), Link::new().trace(trace(&[1, 1, 5])));
    assert_eq!(lanes(&format!("rate = '1mbit'\nforth = {{ {one} }}")), [first.clone(), slow.clone()]);
    assert_eq!(lanes(&format!("{one}\nback = {{ rate = '1mbit' }}")), [first.clone(), slow.clone()]);
    assert_eq!(lanes(&format!("{one}\nback = {{ {other} }}")), [first, Link::new().trace(trace(&[7]))]);

    let change = format!("{one}{FLOW}[[event]]\nat = '1s'\nkind = 'link'\nlink = 'a-b'\n");
    let changed = |text: &str| {
        let scenario = Scenario::parse(&two(&format!("{change}{text}"))).unwrap_or_else(|error| panic!("{error}"));
        let EventKind::Link { patch, .. } = &scenario.events[0].kind else { panic!("an event of a link") };
        patch.applied(&scenario.links[0].forth)
    };
    assert_eq!(changed(&other), Link::new().trace(trace(&[7])));
    assert_eq!(changed("rate = '1mbit'"), slow);
    assert_eq!(changed("delay = '1ms'"), Link::new().trace(trace(&[1, 1, 5])).delay(MS));

    let wrong = |text: &str| fault(&two(&format!("{text}{FLOW}")));
    for (text, words) in [
        (format!("{one}\nrate = '1mbit'"), "a link that follows a trace has no rate; take one of them out"),
        (format!("{one}\nnetem = 'rate 1mbit'"), "has no rate"),
        ("trace = '/no/such/file'".to_owned(), "cannot be read"),
        ("trace = 7".to_owned(), "write a text in quotes"),
        (file("odd", "1\nx\n"), "line 2 is no time; write a whole number of milliseconds"),
        (file("back", "5\n4\n"), "line 2 is before the one above it"),
        (file("none", ""), "write a line for each 1,500 bytes"),
        (file("zero", "0\n"), "takes no time"),
        (file("long", &"1\n".repeat(2_000_001)), "more than 2000000 lines; end the trace there"),
        (file("large", &"1".repeat((20 << 20) + 1)), "more than 20971520 bytes; end the trace earlier"),
    ] {
        assert!(wrong(&text).contains(words), "{text}: {}", wrong(&text));
    }
    assert!(link(&format!("{one}\nnetem = 'delay 1ms'")).trace.is_some());
}

#[test]
fn loss_is_a_share_or_a_model() {
    for (text, loss) in [
        ("'0.1%'", Loss::Independent(0.001)),
        ("0.5", Loss::Independent(0.5)),
        ("{ model = 'independent', share = '100%' }", Loss::Independent(1.0)),
        ("{ model = 'bursty', share = '1%' }", Loss::bursts(0.01, 2..=4)),
        ("{ model = 'bursty', share = '1%', min = 3, max = 3 }", Loss::bursts(0.01, 3..=3)),
        ("{ model = 'gilbert', share = '2%', run = 5 }", Loss::gilbert(0.02, 5.0)),
        (
            "{ model = 'gilbert-elliott', to_bad = '1%', to_good = '20%', loss_bad = 0.5 }",
            Loss::GilbertElliott { to_bad: 0.01, to_good: 0.2, loss_good: 0.0, loss_bad: 0.5 },
        ),
    ] {
        assert_eq!(link(&format!("loss = {text}")).loss, loss, "{text}");
    }
}

#[test]
fn queues_are_named_or_described() {
    let red = RedConfig { min_packets: 10.0, max_packets: 30.0, ecn: true, ..RedConfig::default() };
    for (text, queue) in [
        ("'droptail'", QueueConfig::default()),
        ("'red'", QueueConfig::Red(RedConfig::default())),
        ("'codel'", QueueConfig::CoDel(CoDelConfig::default())),
        ("'threshold'", QueueConfig::Threshold(ThresholdConfig::default())),
        ("{ packets = 25 }", QueueConfig::DropTail(Limit::Packets(25))),
        ("{ kind = 'droptail', bytes = '64KiB' }", QueueConfig::DropTail(Limit::Bytes(65_536))),
        ("{ time = '50ms' }", QueueConfig::DropTail(Limit::Time(50 * MS))),
        ("{ kind = 'red', min = 10, max = 30, ecn = true }", QueueConfig::Red(red)),
        (
            "{ kind = 'codel', target = '10ms', ecn = true }",
            QueueConfig::CoDel(CoDelConfig { target: 10 * MS, ecn: true, ..CoDelConfig::default() }),
        ),
        (
            "{ kind = 'threshold', mark = 65, packets = 200 }",
            QueueConfig::Threshold(ThresholdConfig { mark_packets: 65, limit_packets: 200 }),
        ),
    ] {
        assert_eq!(link(&format!("queue = {text}")).queue, queue, "{text}");
    }
}

/// The message for a file that is wrong.
fn fault(text: &str) -> String {
    match Scenario::parse(text) {
        Ok(scenario) => panic!("read {text:?} as {scenario:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_wrong_key_or_value_is_told_with_its_line_and_what_should_stand_there() {
    // Lines 1 to 6 are the nodes and the link.
    for (more, expected) in [
        ("dealy = '5ms'", "line 7: [[link]] has no key \"dealy\"; did you mean \"delay\"?"),
        ("\n\ncolour = 'red'", "line 9: [[link]] has no key \"colour\"; it has rate, trace, delay, jitter"),
        ("rate = '100mbits'", "line 7: rate: \"100mbits\" is not a rate; write a number and bit, kbit, mbit or gbit"),
        (
            "rate = 100",
            "line 7: rate: \"100\" is not a rate; write a number and bit, kbit, mbit or gbit, like \"100mbit\"",
        ),
        ("queue = 100", "line 7: queue: write a table with its limit, like { packets = 100 } or { time = \"50ms\" }"),
        ("delay = '5'", "line 7: delay: \"5\" is not a time"),
        ("loss = '101%'", "line 7: loss: \"101%\" is not a share"),
        ("loss = 1.5", "line 7: loss: write percent, like \"0.1%\", or a number from 0 to 1"),
        (
            "loss = { model = 'brusty', share = '1%' }",
            "line 7: there is no loss model \"brusty\"; did you mean \"bursty\"?",
        ),
        ("loss = { model = 'gilbert', share = '1%' }", "line 7: loss needs run"),
        ("loss = { model = 'bursty', share = '1%', min = 5 }", "line 7: a burst of at least 5 and at most 4 packets"),
        ("queue = 'codle'", "line 7: there is no queue discipline \"codle\"; did you mean \"codel\"?"),
        (
            "queue = { kind = 'codel', bytes = '1kB' }",
            "line 7: a codel queue has no key \"bytes\"; it has kind, target",
        ),
        ("queue = { bytes = '1kB', packets = 3 }", "line 7: a droptail queue has one limit"),
        ("queue = { kind = 'red', min = 20 }", "line 7: the thresholds of a red queue: min 20 is not below max 15"),
        ("queue = { packets = 0 }", "line 7: packets: write a whole number from 1 to 262144"),
        ("mtu = 20", "line 7: mtu: write a whole number from 28 to 65535"),
        (
            "rate = '1mbit'\nnetem = 'rate 2mbit'",
            "line 8: netem: it names another rate than the key rate (line 7); say it once",
        ),
        ("netem = 'reorder 5%'", "line 5: reorder sends packets without the delay"),
        (
            "mtu = 1000\n[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1",
            "line 5: the link \"a-b\" has an mtu of 1000, and tng needs 1228 at least, for the flow \"a->b\"",
        ),
        (
            "[[node]]\nname = 'c'\naddresses = ['fd01::1']\n[[link]]\nbetween = ['b', 'c']\nmtu = 1279\n\
             [[flow]]\nfrom = 'b'\nto = 'c'\nbytes = 1",
            "line 10: the link \"b-c\" has an mtu of 1279, and IPv6 needs 1280 at least",
        ),
        (
            "[[node]]\nname = 'c'\naddresses = ['fd01::1']\n[[node]]\nname = 'd'\naddresses = ['192.0.2.1']\n\
             [[link]]\nbetween = ['c', 'd']\n[[link]]\nbetween = ['a', 'c']\n[[flow]]\nfrom = 'c'\nto = 'd'\nbytes = 1",
            "line 17: \"c\" and \"d\" have no addresses of the same IP version",
        ),
        ("notices = 'yes'", "line 7: notices: write true or false, not a string"),
        ("rate = '1mbit'\nrate = '2mbit'", "line 8: duplicate key"),
        ("rate = ", "line 7: "),
        ("back = { between = ['a'] }", "line 7: back has no key \"between\""),
        ("[[links]]", "line 7: the file has no key \"links\"; did you mean \"link\"?"),
        ("[flow]\nfrom = 'a'", "line 7: flow: write [[flow]], with double brackets"),
        ("[[flow]]\nfrom = 'a'\nbytes = '1MB'", "line 7: [[flow]] needs to"),
        ("[[flow]]\nfrom = 'a'\nto = 'b'", "line 7: [[flow]] needs bytes or duration"),
        ("[[flow]]\nfrom = 'a'\nto = 'a'\nbytes = 1", "line 7: a flow is between two different hosts"),
        ("[[flow]]\nfrom = 'a'\nto = 'c'\nbytes = 1", "line 9: there is no node \"c\"; there is a, b"),
        ("[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\nduration = '1s'", "line 7: write bytes or a duration, not both"),
        (
            "[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\ncontroller = 'cubik'",
            "line 11: there is no congestion controller \"cubik\"; did you mean \"cubic\"?",
        ),
        (
            "[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\ncontroller = 'eln:vgas'",
            "line 11: there is no congestion controller \"eln:vgas\"; did you mean \"eln:vegas\"?",
        ),
        (
            "[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\ncontroller = 'fixed:fast'",
            "line 11: controller: the congestion controller fixed does not understand \"fast\"; write \
             fixed[:RATE[,WINDOW]]",
        ),
        (
            "[[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\nprotocol = 'quic'\ncontroller = 'eln:cubic'",
            "line 12: controller: there is no \"eln:cubic\" over quic; over quic there is cubic, newreno, bbr",
        ),
        (
            "[[flow]]\nfrom='a'\nto='b'\nbytes=1\ncontroller='cubic'\n[[flow]]\nfrom='a'\nto='b'\nbytes=1\n\
             controller='newreno'",
            "line 12: \"a\" sends with \"cubic\" already",
        ),
        ("[[event]]\nat = '1s'", "line 7: [[event]] needs kind"),
        ("[[event]]\nkind = 'outrage'", "line 8: there is no kind of event \"outrage\"; did you mean \"outage\"?"),
        (
            "[[event]]\nkind = 'outage'\nat = '1s'\nafter = '1s'",
            "line 10: an [[event]] of kind \"outage\" has no key \"after\"",
        ),
        (
            "[[event]]\nkind = 'outage'\nat = '1s'\nlink = 'a_b'\nlasts = '1s'",
            "line 10: there is no link \"a_b\"; did you mean \"a-b\"?",
        ),
        (
            "[[event]]\nkind = 'link'\nat = '1s'\nlink = 'a-b'",
            "line 7: an [[event]] of kind \"link\" needs a parameter",
        ),
        ("[[event]]\nkind = 'stop'\nat = 1\nnode = 'a'", "line 9: at: \"1\" is not a time"),
        (
            "[[event]]\nkind = 'rebind'\nat = '1s'\nnode = 'a'\nseen = '1.2.3.4'",
            "line 11: seen: \"1.2.3.4\" is not an address and port",
        ),
        ("[[link]]\nbetween = ['a', 'b']", "line 7: there are two links \"a-b\"; give one another name"),
        ("[[link]]\nbetween = ['a', 'a']", "line 8: between: a link is between two different nodes"),
        ("[[link]]\nbetween = ['a', 'b', 'a']", "line 8: between: write the names of two nodes"),
        ("[[node]]\nname = 'a'", "line 7: there are two nodes \"a\""),
        ("[[node]]\nname = 'c'\naddresses = ['10.0.0.1']", "line 7: 10.0.0.1 is also an address of \"a\""),
        (
            "[[node]]\nname = 'c'\naddresses = ['10.0.0']",
            "line 9: addresses: \"10.0.0\" is not an IPv4 or IPv6 address",
        ),
        (
            "[[node]]\nname = 'c'\naddresses = ['224.0.0.1']",
            "line 9: addresses: 224.0.0.1 is a multicast address, and no node's own; write a unicast address",
        ),
        (
            "[[node]]\nname = 'c'\nkind = 'helper'\naddresses = ['ff02::1']",
            "line 10: addresses: ff02::1 is a multicast address, and no node's own; write a unicast address",
        ),
        (
            "[[node]]\nname = 'c'\naddresses = ['::']",
            "line 9: addresses: :: is the unspecified address, and no node's own; write a unicast address",
        ),
        (
            "[[node]]\nname = 'c'\nkind = 'nat'\ninside = ['a']\naddresses = ['255.255.255.255']",
            "line 11: addresses: 255.255.255.255 is the broadcast address, and no node's own; write a unicast address",
        ),
        (
            "[[event]]\nkind = 'address'\nat = '1s'\nnode = 'a'\nto = '0.0.0.0'",
            "line 11: to: 0.0.0.0 is the unspecified address, and no node's own; write a unicast address",
        ),
        (
            "[[node]]\nname = 'c'\nkind = 'helper'\ncolour = 'red'",
            "line 10: a [[node]] of kind \"helper\" has no key \"colour\"; it has name, kind, addresses",
        ),
        (
            "[[node]]\nname = 'c'\nkeep_aliv = '5s'",
            "line 9: a [[node]] of kind \"host\" has no key \"keep_aliv\"; did you mean \"keep_alive\"?",
        ),
        ("[[node]]\nname = 'c'\nkind = 'router'\naddresses = []", "line 7: \"c\" is a router, and routers have no"),
        (
            "[[node]]\nname = 'c'\n[[flow]]\nfrom='a'\nto='c'\nbytes=1",
            "line 7: no link leads to the node \"c\"; add a [[link]]",
        ),
        (
            "[[node]]\nname='c'\n[[node]]\nname='d'\n[[link]]\nbetween=['c','d']\n[[flow]]\nfrom='a'\nto='c'\nbytes=1",
            "line 13: no links lead from \"a\" to \"c\"",
        ),
        ("[[link]]\nbetween = 'a'", "line 8: between: write the names of two nodes"),
        (
            "[[flow]]\nfrom='a'\nto='b'\nprotocol='quic'\nbytes=1\ncontroller='vegas'",
            "line 12: controller: there is no \"vegas\" over quic; over quic there is cubic, newreno, bbr",
        ),
        ("[world]\nseed = -1", "line 8: seed: write a whole number from 0"),
        ("[world]\ninterval = '0s'", "line 8: interval: write a time above zero"),
        ("[world]\ninterval = '1us'", "line 7: the duration has more than 100000 intervals"),
        ("", "line 1: nothing flows here: add a [[flow]] with from, to and bytes"),
    ] {
        let message = fault(&two(more));
        assert!(message.starts_with(expected), "{more:?}\n gives    {message}\n expected {expected}");
    }
}

#[test]
fn flows_have_streams_and_datagrams() {
    let scenario = Scenario::parse(&two(r#"
        [[flow]]
        name = "call"
        from = "a"
        to = "b"
        start = "2s"
        [[flow.stream]]
        bytes = "forever"
        priority = -3
        [[flow.stream]]
        name = "pages"
        count = 3
        every = "10ms"
        parent = "call 1"
        direction = "back"
        request = "100B"
        bytes = "64KiB"
        message = "8KiB"
        interleave = "1kB"
        priority = { level = 1, weight = 200 }
        start = "3s"
        [[flow.stream]]
        name = "log"
        duration = "1min"
        chunk = 100
        rate = "8kbit"
        priority = { weight = 1 }
        [[flow.datagrams]]
        name = "voice"
        size = 160
        interval = "20ms"
        duration = "1s"
        lifetime = "100ms"
        parent = "log"
        [[flow.datagrams]]
        size = "1kB"
        rate = "1mbit"
        direction = "back"
        [[event]]
        at = "5s"
        kind = "priority"
        stream = "pages"
        by = "receiver"
        priority = 2
        [[event]]
        at = "6s"
        kind = "stop"
        stream = "log"
        code = 7
        "#))
    .unwrap_or_else(|error| panic!("{error}"));
    let flow = &scenario.flows[0];
    let weight = tng_semantic::structured::WEIGHT;
    let [first, pages, log] = &flow.streams[..] else { panic!("{flow:?}") };
    let forever = stream("call 1", Amount::Forever, 2000 * MS);
    assert_eq!(*first, StreamSpec { priority: Some(Priority { level: Some(-3), weight }), ..forever });
    let expected = StreamSpec {
        count: 3,
        every: Draw::fixed(10 * MS),
        parent: Some(0),
        direction: Direction::Back,
        request: Some(100),
        messages: Some(Messages { size: 8192, piece: Some(1000) }),
        priority: Some(Priority { level: Some(1), weight: 200 }),
        ..stream("pages", Amount::Bytes(65_536), 3000 * MS)
    };
    assert_eq!(*pages, expected);
    let expected = StreamSpec {
        pace: Some(Pace { chunk: 100, interval: 100 * MS }),
        priority: Some(Priority { level: None, weight: 1 }),
        ..stream("log", Amount::For(60_000 * MS), 2000 * MS)
    };
    assert_eq!(*log, expected);
    let voice = DatagramSpec {
        name: "voice".into(),
        direction: Direction::Forth,
        size: 160,
        interval: 20 * MS,
        count: Some(50),
        start: 2000 * MS,
        on_off: None,
        lifetime: Some(100 * MS),
        parent: Some(2),
    };
    let back = DatagramSpec {
        name: "call datagrams 2".into(),
        direction: Direction::Back,
        size: 1000,
        interval: 8 * MS,
        count: None,
        lifetime: None,
        parent: None,
        ..voice.clone()
    };
    assert_eq!(flow.datagrams, [voice, back]);
    let priority = Priority { level: Some(2), weight };
    let pages = EventKind::Stream {
        stream: StreamRef { flow: 0, stream: 1 },
        action: StreamAction::Priority { by: End::Receiver, priority },
    };
    let log = EventKind::Stream { stream: StreamRef { flow: 0, stream: 2 }, action: StreamAction::Stop { code: 7 } };
    let expected = [(5, pages), (6, log)].map(|(s, kind)| EventSpec { at: Duration::from_secs(s), kind });
    assert_eq!(scenario.events, expected);
}

#[test]
fn a_wrong_stream_or_datagram_is_told_with_its_line() {
    // Lines 7 to 9 are the flow.
    for (more, expected) in [
        ("[[flow.stream]]\nname='s'", "line 10: [[flow.stream]] needs bytes (a size or \"forever\") or duration"),
        (
            "[[flow.stream]]\nbytes=1\nprioritty=1",
            "line 12: [[flow.stream]] has no key \"prioritty\"; did you mean \"priority\"?",
        ),
        ("[[flow.stream]]\nbytes='foreever'", "line 11: bytes: \"foreever\" is not a size"),
        ("bytes=1\n[[flow.stream]]\nbytes=1", "line 7: a flow has bytes or a duration of its own, or [[flow.stream]]"),
        ("[flow.stream]\nbytes=1", "line 10: stream: write [[flow.stream]], with double brackets"),
        ("[[flow.stream]]\nbytes=1\ncount=0", "line 12: count: write a whole number from 1 to 100000"),
        ("[[flow.stream]]\nbytes=1\ncount=100000\n[[flow.stream]]\nbytes=1", "line 7: a scenario has at most 100000"),
        ("[[flow.stream]]\nbytes=1\npriority={level=200}", "line 12: level: write a whole number from -128 to 127"),
        ("[[flow.stream]]\nbytes=1\npriority={weight=0}", "line 12: weight: write a whole number from 1 to 255"),
        ("[[flow.stream]]\nbytes=1\ninterval='1s'", "line 10: [[flow.stream]] needs chunk"),
        ("[[flow.stream]]\nbytes=1\nchunk=1", "line 10: [[flow.stream]] needs interval or rate, beside chunk"),
        ("[[flow.stream]]\nbytes=1\nchunk=0\ninterval='1s'", "line 12: chunk: write a size above zero"),
        (
            "[[flow.stream]]\nbytes=1\nchunk=1\ninterval='1s'\nrate='1mbit'",
            "line 10: write an interval or a rate, not both",
        ),
        ("[[flow.stream]]\nbytes=10\nmessage=3\ninterleave=1", "line 13: interleave: interleaved messages all have"),
        ("[[flow.stream]]\nbytes=10\ninterleave=1", "line 10: [[flow.stream]] needs message"),
        (
            "[[flow.stream]]\nbytes=1\nstart='1s'\nconnect='0s'",
            "line 13: connect: a flow over tng cannot have this: its streams share a connection, which is there from \
             the first on",
        ),
        (
            "protocol='tcp'\n[[flow.stream]]\nbytes=1\nstart='1s'\nconnect='2s'",
            "line 14: connect: a stream starts on a connection that is there: write its start or earlier",
        ),
        (
            "protocol='tcp'\n[[flow.stream]]\nbytes=1\nstart='1s'\nconnect='0s'\nrequest=1",
            "line 11: connect is for streams without a request",
        ),
        (
            "[[flow.stream]]\nname='one'\nbytes=1\n[[flow.stream]]\nbytes=1\nparent='on'",
            "line 15: there is no stream in this flow \"on\"; did you mean \"one\"?",
        ),
        ("[[flow.stream]]\nname='x'\nparent='x'\nbytes=1", "line 12: parent: \"x\" would be its own ancestor"),
        (
            "[[flow.stream]]\nname='x'\nparent='y'\nbytes=1\n[[flow.stream]]\nname='y'\nparent='x'\nbytes=1",
            "line 16: parent: \"y\" would be its own ancestor",
        ),
        (
            "[[flow.stream]]\nname='x'\ncount=2\nbytes=1\n[[flow.stream]]\nname='y'\ncount=3\nparent='x'\nbytes=1",
            "line 17: parent: \"x\" is 2 streams and \"y\" 3; write one parent, or as many as children",
        ),
        (
            "[[flow.stream]]\nname='x'\nbytes=1\n[[flow.stream]]\nname='x'\nbytes=1",
            "line 13: there are two streams \"x\"",
        ),
        ("[[flow.datagrams]]\nsize=7\ninterval='1s'", "line 11: size: a datagram has at least 8 bytes"),
        ("[[flow.datagrams]]\nsize=8", "line 10: [[flow.datagrams]] needs interval or rate"),
        ("[[flow.datagrams]]\nsize=8\ninterval='0s'", "line 12: interval: write a time above zero"),
        ("[[flow.datagrams]]\nsize=8\ninterval='1ms'\ncount=1\nduration='1s'", "line 10: datagrams have a count or a"),
        ("[[flow.datagrams]]\nsize=8\ninterval='1ns'\nduration='1s'", "line 13: duration: give time for 1 to 1000000"),
        ("[[flow.datagrams]]\nsize=8\ninterval='1s'\nparent='x'", "line 13: there is no stream in this flow \"x\""),
        ("bytes=1\n[[event]]\nkind='pause'\nat='1s'", "line 11: an [[event]] of kind \"pause\" needs stream"),
        (
            "bytes=1\n[[event]]\nkind='reset'\nat='1s'\nstream='a-b'",
            "line 14: there is no stream \"a-b\"; did you mean \"a->b\"?",
        ),
        (
            "bytes=1\n[[event]]\nkind='pause'\nat='1s'\nstream='a->b'\ncode=1",
            "line 15: an [[event]] of kind \"pause\" has no",
        ),
        (
            "bytes=1\n[[event]]\nkind='priority'\nat='1s'\nstream='a->b'\npriority=1\nby='reader'",
            "line 16: there is no end of",
        ),
    ] {
        let message = fault(&two(&format!("[[flow]]\nfrom='a'\nto='b'\n{more}")));
        assert!(message.starts_with(expected), "{more:?}\n gives    {message}\n expected {expected}");
    }
}

#[test]
fn values_beside_the_file_take_the_place_of_its_own() {
    let text =
        two("rate = '1mbit'\n[[flow]]\nfrom = 'a'\nto = 'b'\nname = 'x'\n[[flow.stream]]\nname = 's 1'\nbytes = 1\n\
                    [[flow.stream]]\nbytes = 2\n[[flow]]\nfrom = 'b'\nto = 'a'\nbytes = 3");
    let read = |values: &[&str]| Scenario::parse_with(&text, values);
    let with = |values: &[&str]| read(values).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(with(&[]), Scenario::parse(&text).expect("right"));
    let set = with(&["world.seed = 5", "world.duration=10s", "link.rate=2mbit", "link.a-b.back.delay=3ms"]);
    assert_eq!((set.seed, set.duration), (5, Duration::from_secs(10)));
    assert_eq!((set.links[0].forth.rate_bps, set.links[0].back.delay), (Some(2_000_000), 3 * MS));
    let amounts = |values: &[&str]| {
        let flows = with(values).flows;
        flows.iter().flat_map(|flow| flow.streams.iter().map(|stream| stream.amount)).collect::<Vec<_>>()
    };
    assert_eq!(amounts(&[]), [1, 2, 3].map(Amount::Bytes));
    assert_eq!(amounts(&["flow.x.stream.bytes=9"]), [9, 9, 3].map(Amount::Bytes));
    assert_eq!(amounts(&["flow.1.stream.s 1.bytes=9kB", "flow.b->a.bytes=8"]), [9000, 2, 8].map(Amount::Bytes));
    assert_eq!(amounts(&["flow.2.bytes=forever"])[2], Amount::Forever);
    // What only some have is put there.
    assert_eq!(amounts(&["flow.stream.s 1.bytes=7"]), [7, 2, 3].map(Amount::Bytes));
    // A value that was a word, and has keys now.
    let queued = &with(&["link.queue=red", "link.queue.kind=droptail", "link.queue.packets=9"]).links[0].forth.queue;
    assert_eq!(*queued, QueueConfig::DropTail(Limit::Packets(9)));
    for (value, expected) in [
        ("link.rate=2mbits", "with link.rate=2mbits: rate: \"2mbits\" is not a rate"),
        ("link.raet=2mbit", "with link.raet=2mbit: [[link]] has no key \"raet\"; did you mean \"rate\"?"),
        ("lnik.rate=2mbit", "with lnik.rate=2mbit: the file has no key \"lnik\"; did you mean \"link\"?"),
        ("rate", "with rate: write a key, an equals sign and a value"),
        ("link..rate=1", "with link..rate=1: a key is a path of words"),
        ("link.rate.x=1", "with link.rate.x=1: rate: write a text in quotes"),
        ("rate=2mbit", "with rate=2mbit: a key is a path of words with dots between them, its section first"),
        ("link.rate=2", "with link.rate=2: rate: \"2\" is not a rate; write a number and bit, kbit"),
        ("link.queue=100", "with link.queue=100: queue: write a table with its limit, like { packets = 100 }"),
        ("link.b-a.rate=2mbit", "with link.b-a.rate=2mbit: there is no link \"b-a\"; did you mean \"a-b\"?"),
        (
            "flow.z.bytes=1",
            "with flow.z.bytes=1: there is no flow \"z\"; there is \"x\", \"b->a\"; or write a number from 1 to 2",
        ),
        ("flow.3.bytes=1", "with flow.3.bytes=1: there is no flow \"3\"; there is \"x\""),
        ("flow.x.stream.s.bytes=1", "with flow.x.stream.s.bytes=1: there is no stream \"s\"; did you mean \"s 1\"?"),
        ("flow.x.web.pages=1", "with flow.x.web.pages=1: the file has no [[flow.web]]"),
        ("event.1.at=2s", "with event.1.at=2s: the file has no [[event]]"),
    ] {
        let message = read(&[value]).expect_err(value).to_string();
        assert!(message.starts_with(expected), "{value:?}\n gives    {message}\n expected {expected}");
    }
}

#[test]
fn any_change_of_a_few_bytes_gives_a_scenario_or_an_error_that_names_a_line_of_the_file() {
    let text = two("rate = '1mbit'\nqueue = { kind = 'red', min = 3 }\n[[flow]]\nfrom = 'a'\nto = 'b'\n\
                    [[flow.stream]]\nname = 's'\nbytes = 3\nmessage = 1\n[[flow.datagrams]]\nsize = 8\nrate = '1mbit'\n\
                    parent = 's'\n[[event]]\nat = '1s'\nkind = 'pause'\nstream = 's'\n");
    let mut rng = tng_base::Rng::from_u64(1);
    for _ in 0..3_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => bytes[at] = b" \n\"'[]{}=.-_abzAZ019%\xff"[rng.below(22) as usize],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b'\n'),
            }
        }
        let changed = String::from_utf8_lossy(&bytes);
        if let Err(error) = Scenario::parse(&changed) {
            let within = |line| (1..=changed.lines().count() + 1).contains(&line);
            assert!(
                matches!(error.place, tng_settings::FaultLocation::Line(line) if within(line)),
                "{error} in {changed}"
            );
        }
    }
}

/// Sends a number every millisecond to wherever it should, and keeps what comes.
struct Counter {
    to: Option<SocketAddr>,
    start: u32,
    sent: u64,
    next: Instant,
    came: Vec<(Instant, u64, SocketAddr)>,
    moves: Vec<PathChange>,
}

impl Node for Counter {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(d) => {
                let number = u64::from_le_bytes(d.payload[..8].try_into().unwrap());
                self.came.push((now, number, d.remote));
            }
            Input::PathChange(change) => self.moves.push(change),
            Input::LinkLoss(_) | Input::Unreachable(_) | Input::Entropy(_) => {}
        }
    }
    fn handle_timeout(&mut self, _: Instant) {}
    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        let remote = self.to?;
        if self.next <= now {
            outbox.buffer()[..8].copy_from_slice(&self.sent.to_le_bytes());
            let (local, ecn) = (None, tng_base::Ecn::NotEct);
            outbox.send(tng_base::Transmit { remote, local, ecn, len: 8, segment_size: 8 });
            self.sent += 1;
            self.next = now + MS;
        }
        Some(self.next)
    }
}

#[test]
fn a_scenario_becomes_a_world_in_which_its_events_happen() {
    let text = two("delay = '10ms'\n[world]\nseed = 3\n\
         [[flow]]\nfrom = 'a'\nto = 'b'\nbytes = 1\n\
         [[event]]\nat = '99.5ms'\nkind = 'outage'\nlink = 'a-b'\nlasts = '10ms'\n\
         [[event]]\nat = '199.5ms'\nkind = 'link'\nlink = 'a-b'\ndirection = 'forth'\ndelay = '50ms'\n\
         [[event]]\nat = '299.5ms'\nkind = 'rebind'\nnode = 'a'\nseen = '203.0.113.9:77'\n\
         [[event]]\nat = '399.5ms'\nkind = 'address'\nnode = 'a'\nto = '10.9.9.9'\n\
         [[event]]\nat = '499.5ms'\nkind = 'address'\nnode = 'a'\nto = '10.9.9.10'\n\
         [[event]]\nat = '700.5ms'\nkind = 'restart'\nnode = 'b'\nafter = '20ms'\n\
         [[event]]\nat = '800.5ms'\nkind = 'stop'\nnode = 'a'\n");
    let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let seat = |_| vec![Seat { protocol: tng_sim::IpProtocol::Udp, port: tng_sim::PORT }];
    let mut built = scenario.build(seat, |place, _, start| Counter {
        to: (place == 0).then(|| (topology::B, tng_sim::PORT).into()),
        start,
        sent: 0,
        next: Instant::ZERO,
        came: Vec::new(),
        moves: Vec::new(),
    });
    let (a, b) = (built.nodes[0][0], built.nodes[1][0]);
    built.world.run_until(Instant::from_millis(700));
    let came = built.world.node(b).came.clone();
    let at = |number: u64| came.iter().find(|(_, n, _)| *n == number);
    assert_eq!(at(5).map(|(t, ..)| *t), Some(Instant::from_millis(15)));
    assert_eq!((100..110).filter(|n| at(*n).is_some()).count(), 0, "lost in the outage");
    assert_eq!(at(200).map(|(t, ..)| *t), Some(Instant::from_millis(250)));
    let seen = |number| at(number).map(|(_, _, remote)| remote.to_string());
    assert_eq!(seen(250).as_deref(), Some("10.0.0.1:4860"));
    assert_eq!(seen(350).as_deref(), Some("203.0.113.9:77"));
    assert_eq!(seen(450).as_deref(), Some("10.9.9.9:4860"));
    assert_eq!(seen(550).as_deref(), Some("10.9.9.10:4860"));
    let moved = |change: &PathChange| match change {
        PathChange::LocalAddress { new, .. } => new.unwrap().to_string(),
        PathChange::FurtherAddress(new) => format!("further {new}"),
        PathChange::Carrier { .. } => unreachable!("nobody is carried"),
    };
    let moves = built.world.node(a).moves.iter().map(moved);
    assert_eq!(moves.collect::<Vec<_>>(), ["10.9.9.9", "10.9.9.10"]);
    assert!(built.world.run_until_idle(Instant::from_secs(10)));
    assert_eq!(built.world.node(b).start, 1);
    let numbers: Vec<u64> = built.world.node(b).came.iter().map(|(_, n, _)| *n).collect();
    assert_eq!(numbers, (671..=800).collect::<Vec<_>>());
    assert_eq!(built.world.dropped_at_nodes(DropCause::Stopped), 20);
}

#[test]
fn a_link_has_addresses_of_its_own_and_hosts_deal_with_their_connections() {
    let text = r#"
        [[node]]
        name = "laptop"
        addresses = ["198.51.100.7", "203.0.113.9"]
        keep = "forever"
        streams_max = 5000
        weak = true
        [[node]]
        name = "server"
        addresses = ["192.0.2.1"]
        keep = "2h"
        [[link]]
        between = ["laptop", "server"]
        addresses = ["203.0.113.9"]
        [[flow]]
        from = "server"
        to = "laptop"
        bytes = 1
        [[event]]
        at = "1s"
        kind = "path"
        node = "laptop"
        peer = "server"
        local = "203.0.113.9"
        to = "192.0.2.1"
        [[event]]
        at = "2s"
        kind = "reach"
        node = "server"
        peer = "laptop"
        to = "203.0.113.10"
    "#;
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let tng = |place: usize| match scenario.nodes[place].kind {
        NodeKind::Host { tng, .. } => tng,
        _ => panic!("no host"),
    };
    let expected = TngSpec { keep: Some(Kept::Forever), streams_max: Some(5000), weak: true, ..TngSpec::default() };
    assert_eq!(tng(0), expected);
    assert_eq!(tng(1), TngSpec { keep: Some(Kept::For(7_200_000 * MS)), ..TngSpec::default() });
    let second: IpAddr = "203.0.113.9".parse().unwrap();
    assert_eq!(scenario.links[0].addresses, [second]);
    let path = PeerAction::Path { local: Some(second), to: "192.0.2.1".parse().unwrap() };
    let reach = PeerAction::Reach { to: "203.0.113.10".parse().unwrap() };
    let expected =
        [EventKind::Peer { node: 0, peer: 1, action: path }, EventKind::Peer { node: 1, peer: 0, action: reach }];
    assert!(scenario.events.iter().map(|event| &event.kind).eq(&expected), "{:?}", scenario.events);
    for (from, to, words) in [
        ("addresses = [\"203.0.113.9\"]", "addresses = [\"203.0.113.8\"]", "of one of the two hosts"),
        ("addresses = [\"203.0.113.9\"]", "addresses = [\"203.0.113.9\", \"203.0.113.9\"]", "named once"),
        ("keep = \"2h\"", "keep = \"0s\"", "keep"),
        ("streams_max = 5000", "streams_max = 15", "16"),
        ("peer = \"laptop\"", "peer = \"server\"", "no flow over tng"),
        ("to = \"203.0.113.10\"", "", "needs to"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = Scenario::parse(&text.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(error.contains(words), "{to}: {error}");
    }
}

/// A home behind a NAT, a server, and two helpers.
const HOME: &str = r#"
[[node]]
name = "phone"
[[node]]
name = "laptop"
[[node]]
name = "home"
kind = "nat"
addresses = ["192.0.2.1"]
inside = ["phone", "laptop"]
ports = "random"
mapping = "each"
filter = "address"
forgets = "30s"
hairpin = true
[[node]]
name = "core"
kind = "router"
[[node]]
name = "near"
kind = "helper"
[[node]]
name = "far"
kind = "helper"
addresses = ["198.51.100.9"]
[[node]]
name = "server"
[[link]]
between = ["phone", "home"]
[[link]]
between = ["laptop", "home"]
[[link]]
between = ["home", "core"]
[[link]]
between = ["near", "core"]
[[link]]
between = ["far", "core"]
[[link]]
between = ["server", "core"]
[[flow]]
from = "phone"
to = "server"
via = ["near", "far"]
bytes = "1MB"
[[flow]]
from = "server"
to = "phone"
via = ["far", "near"]
bytes = "1MB"
[[event]]
at = "1s"
kind = "restart"
node = "near"
"#;

#[test]
fn nats_and_helpers_stand_in_files() {
    let scenario = Scenario::parse(HOME).unwrap_or_else(|error| panic!("{error}"));
    let NodeKind::Nat { config, inside } = &scenario.nodes[2].kind else { panic!("a NAT") };
    let own = vec!["192.0.2.1".parse().expect("an address")];
    let expected = NatConfig {
        ports: NatPorts::Random,
        mapping: NatMapping::Each,
        filter: NatFilter::Address,
        forgets: Duration::from_secs(30),
        hairpin: true,
        ..NatConfig::new(own)
    };
    assert_eq!((config, &inside[..]), (&expected, &[0, 1][..]));
    // Addresses are given out in the order of those that have some.
    assert_eq!(
        scenario.nodes[4].kind,
        NodeKind::Helper { addresses: vec![topology::ipv4(3), topology::ipv6(3)], queue: HelperQueue::default() }
    );
    assert_eq!((&scenario.flows[0].via[..], &scenario.flows[1].via[..]), (&[4, 5][..], &[5, 4][..]));
    assert!(scenario.flows[0].legs().eq([(0, 4), (4, 5), (5, 6)]));
    assert_eq!(scenario.events[0].kind, EventKind::Restart { node: 4, after: Duration::ZERO });
}

#[test]
fn what_is_wrong_with_a_nat_or_a_helper_is_named_with_its_line_and_what_to_do() {
    let second_via = "via = [\"far\", \"near\"]";
    for (from, to, words) in [
        ("inside = [\"phone\", \"laptop\"]", "", "line 6: a [[node]] of kind \"nat\" needs inside"),
        ("inside = [\"phone\", \"laptop\"]", "inside = [\"phon\"]", "did you mean \"phone\""),
        (
            "inside = [\"phone\", \"laptop\"]",
            "inside = [\"server\"]",
            "no link is between the NAT \"home\" and \"server\"",
        ),
        ("inside = [\"phone\", \"laptop\"]", "inside = []", "needs a node inside"),
        (
            "inside = [\"phone\", \"laptop\"]",
            "inside = [\"phone\", \"laptop\", \"phone\"]",
            "line 10: inside: \"phone\" stands there twice; name it once",
        ),
        ("inside = [\"phone\", \"laptop\"]", "inside = [\"phone\", \"laptop\", \"core\"]", "a link to one that is not"),
        ("addresses = [\"192.0.2.1\"]", "addresses = []", "at least one address"),
        ("addresses = [\"192.0.2.1\"]", "addresses = [\"10.0.0.1\"]", "also an address of \"phone\""),
        ("name = \"phone\"\n", "name = \"phone\"\naddresses = [\"fd00::99\"]\n", "no address of an IP version"),
        ("ports = \"random\"", "ports = \"randm\"", "did you mean \"random\""),
        ("filter = \"address\"", "filter = \"adress\"", "did you mean \"address\""),
        ("forgets = \"30s\"", "forgets = \"0s\"", "line 14: forgets: write a time above zero"),
        ("forgets = \"30s\"", "weak = true", "weak"),
        ("kind = \"helper\"\n", "kind = \"helper\"\nports = \"random\"\n", "a [[node]] of kind \"helper\""),
        ("kind = \"helper\"\n", "kind = \"helpr\"\n", "did you mean \"helper\""),
        ("via = [\"near\", \"far\"]", "via = [\"core\"]", "\"core\" is a router; name a node of kind = \"helper\""),
        ("via = [\"near\", \"far\"]", "via = [\"near\", \"near\"]", "through each once"),
        (second_via, "via = [\"near\", \"far\"]", "give both the same via"),
        (second_via, "via = [\"far\", \"near\"]\nprotocol = \"quic\"", "helpers pass on tng alone"),
        (second_via, "via = [\"far\", \"near\"]\ncontroller = \"bbr\"", "\"bbr\" cannot govern sections"),
        ("from = \"phone\"", "from = \"near\"", "\"near\" is a helper; name a host"),
        ("node = \"near\"", "node = \"home\"", "node: \"home\" is a nat; name a host or a helper"),
        ("between = [\"far\", \"core\"]", "between = [\"far\", \"core\"]\nmtu = 1000", "\"far-core\" has an mtu"),
    ] {
        assert!(HOME.contains(from), "{from}");
        let error = Scenario::parse(&HOME.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(error.contains(words) && error.contains("line "), "{to}: {error}");
    }
}

#[test]
fn the_queues_of_a_helper_have_a_discipline_and_a_time_that_a_file_may_choose() {
    let helper = |more: &str| {
        let file = HOME.replacen("kind = \"helper\"\n", &format!("kind = \"helper\"\n{more}\n"), 1);
        Scenario::parse(&file).map(|scenario| {
            let queues = scenario.nodes.into_iter().find_map(|node| match node.kind {
                NodeKind::Helper { queue, .. } => Some(queue),
                _ => None,
            });
            queues.expect("a helper")
        })
    };
    let drop_tail = |limit| Some(QueueConfig::DropTail(limit));
    let red = Some(QueueConfig::Red(RedConfig { ecn: true, ..RedConfig::default() }));
    let codel = Some(QueueConfig::CoDel(CoDelConfig { ecn: false, ..CoDelConfig::default() }));
    for (text, discipline, time) in [
        ("", None, None),
        ("queue = \"droptail\"", drop_tail(Limit::default()), None),
        ("queue = { packets = 30 }\nqueue_time = \"20ms\"", drop_tail(Limit::Packets(30)), Some(20 * MS)),
        ("queue = { kind = \"red\", ecn = true }", red, None),
        ("queue = { kind = \"codel\", ecn = false }", codel, None),
    ] {
        assert_eq!(helper(text), Ok(HelperQueue { discipline, time }), "{text}");
    }
    for (text, words) in [
        ("queue = \"codle\"", "did you mean \"codel\""),
        ("queue_time = \"0s\"", "queue_time: write a time above zero"),
        ("queue = { kind = \"droptail\", ecn = true }", "a droptail queue has no key \"ecn\""),
    ] {
        let error = helper(text).expect_err(text).to_string();
        assert!(error.contains(words) && error.contains("line "), "{text}: {error}");
    }
    let host = HOME.replacen("name = \"phone\"\n", "name = \"phone\"\nqueue = \"codel\"\n", 1);
    assert!(Scenario::parse(&host).expect_err("a host has none").to_string().contains("queue"));
}

/// A phone on a router that leads to a gate of some kind, behind which are two servers.
fn gated(gate: &str, flow: &str) -> String {
    format!(
        r#"
        [[node]]
        name = "phone"
        [[node]]
        name = "street"
        kind = "router"
        [[node]]
        name = "gate"
        {gate}
        [[node]]
        name = "server"
        [[link]]
        between = ["phone", "street"]
        [[link]]
        between = ["street", "gate"]
        [[link]]
        between = ["gate", "server"]
        [[flow]]
        from = "phone"
        to = "server"
        bytes = 1
        {flow}
        "#
    )
}

/// With a fourth node on the gate, alone behind it.
fn past(inside: &str) -> String {
    let cellar = "[[node]]\nname = 'cellar'\n[[link]]\nbetween = ['cellar', 'gate']\n";
    gated(&format!("kind = \"nat\"\ninside = [{inside}]"), "") + cellar
}

#[test]
fn a_way_of_least_cost_through_a_nat_from_outside_to_outside_is_refused_and_nothing_would_pass_on_it() {
    let words = |from: &str, to: &str| {
        format!(
            "line 19: the way of least cost from {from:?} to {to:?} leads through the NAT \"gate\" from outside to \
             outside, and a NAT passes nothing between two nodes that are not behind it; name those behind it in its \
             inside, or lead a [[link]] past it that costs less"
        )
    };
    assert_eq!(fault(&past("'cellar'")), words("phone", "server"));
    let detour = |costs: &str| past("'cellar'") + "[[link]]\nbetween = ['street', 'server']\n" + costs;
    assert_eq!(fault(&detour("cost = 9")), words("phone", "server"), "a way past it that costs more is not taken");
    assert_eq!(fault(&detour("cost = 1\nback.cost = 9")), words("server", "phone"), "nor for the answer");
    // Control: behind it, or past it.
    let back = past("'server'").replace("bytes = 1", "[[flow.stream]]\nbytes = 1\ndirection = 'back'");
    for text in [past("'cellar', 'street'"), back, detour("cost = 1")] {
        let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(arrived(&scenario), 1, "{text}");
    }
    // On a way that is refused nothing arrives.
    let mut refused = Scenario::parse(&detour("cost = 1")).unwrap_or_else(|error| panic!("{error}"));
    let past = refused.links.last_mut().expect("the last is the way past it");
    (past.forth.cost, past.back.cost) = (9, 9);
    assert_eq!(arrived(&refused), 0);
    let past = refused.links.last_mut().expect("the same");
    past.forth.cost = 1;
    assert_eq!(arrived(&refused), 0);
}

/// Streams of a scenario's only flow that have arrived, after a while.
fn arrived(scenario: &Scenario) -> u32 {
    let scenario = Scenario { duration: Duration::from_secs(20), ..scenario.clone() };
    let report = crate::Run::new(scenario).finish().expect("no capture that could fail");
    report.flows.iter().flat_map(|flow| &flow.streams).map(|stream| stream.completed).sum()
}

#[test]
fn a_way_that_only_a_helper_or_a_host_would_be_is_refused() {
    for via in ["", "via = []"] {
        assert_eq!(
            fault(&gated("kind = \"helper\"", via)),
            "line 18: no links lead from \"phone\" to \"server\" but through a helper, which is no router: it passes \
             on what names it alone, with via = [\"gate\"]"
        );
    }
    Scenario::parse(&gated("kind = \"helper\"", "via = [\"gate\"]")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(fault(&gated("kind = \"host\"", "")), "line 18: no links lead from \"phone\" to \"server\"");
}

#[test]
fn a_nat_without_the_ip_version_that_a_flow_uses_is_refused() {
    let nat = |addresses: &str| format!("kind = 'nat'\ninside = ['street']\naddresses = [{addresses}]");
    for protocol in ["tcp", "quic", "udp"] {
        let flow = match protocol {
            "udp" => "protocol = 'udp'\n[[flow.datagrams]]\nsize = 100\ninterval = '1s'".to_owned(),
            _ => format!("protocol = '{protocol}'"),
        };
        let text = |addresses: &str| match protocol {
            "udp" => gated(&nat(addresses), &flow).replace("bytes = 1", ""),
            _ => gated(&nat(addresses), &flow),
        };
        assert_eq!(
            fault(&text("'2001:db8::1'")),
            format!(
                "line 20: a flow over {protocol} from \"phone\" to \"server\" uses IPv4, and a NAT on its way has no \
                 IPv4 address; give the NAT one, or \"server\" none"
            )
        );
        Scenario::parse(&text("'192.0.2.1'")).unwrap_or_else(|error| panic!("{protocol}: {error}"));
    }
    // tng tries every address.
    Scenario::parse(&gated(&nat("'2001:db8::1'"), "")).unwrap_or_else(|error| panic!("{error}"));
}
