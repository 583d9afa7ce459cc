//! What stands in the middle: helpers and NATs.

use tng_experiments::Report;
use tng_experiments::engine::report::LaneReport;

use super::run;

/// A phone and a laptop behind a NAT, a server, and a helper beside the router between them.
fn home(nat: &str, more: &str) -> String {
    format!(
        r#"
        [world]
        duration = "60s"
        [[node]]
        name = "phone"
        [[node]]
        name = "laptop"
        [[node]]
        name = "home"
        kind = "nat"
        addresses = ["192.0.2.1"]
        inside = ["phone", "laptop"]
        {nat}
        [[node]]
        name = "core"
        kind = "router"
        [[node]]
        name = "helper"
        kind = "helper"
        addresses = ["198.51.100.1"]
        [[node]]
        name = "server"
        addresses = ["203.0.113.1"]
        [[link]]
        between = ["phone", "home"]
        delay = "2ms"
        [[link]]
        between = ["laptop", "home"]
        delay = "2ms"
        [[link]]
        between = ["home", "core"]
        rate = "20mbit"
        delay = "10ms"
        queue = {{ time = "50ms" }}
        [[link]]
        between = ["helper", "core"]
        [[link]]
        between = ["core", "server"]
        rate = "50mbit"
        delay = "10ms"
        {more}
        "#
    )
}

fn lane<'a>(report: &'a Report, name: &str) -> [&'a LaneReport; 2] {
    let link = report.links.iter().find(|link| link.name == name).expect("there is such a link");
    [&link.forth, &link.back]
}

fn completed(report: &Report, flow: usize) -> bool {
    report.flows[flow].completion_s.is_some() && report.flows[flow].failure.is_none()
}

fn upload(protocol: &str, from: &str, more: &str) -> String {
    format!("[[flow]]\nfrom = '{from}'\nto = 'server'\nprotocol = '{protocol}'\nbytes = '2MB'\n{more}\n")
}

#[test]
fn a_flow_goes_through_the_helpers_that_it_names_and_back() {
    for flow in [
        upload("tng", "phone", "via = ['helper']"),
        // What is asked for comes by the same way, begun by who asks.
        "[[flow]]\nfrom = 'server'\nto = 'phone'\nvia = ['helper']\n[[flow.stream]]\nbytes = '2MB'\nrequest = 100\n"
            .into(),
    ] {
        let report = run(&home("", &flow));
        assert!(completed(&report, 0), "{:?}", report.flows[0].failure);
        let [from_helper, to_helper] = lane(&report, "helper-core");
        assert!(from_helper.delivered_bytes > 2_000_000 && to_helper.delivered_bytes > 2_000_000, "{flow}");
    }
    // Control: what names no helper passes none.
    let report = run(&home("", &upload("tng", "phone", "")));
    assert!(completed(&report, 0));
    assert_eq!(lane(&report, "helper-core").map(|lane| lane.offered), [0, 0]);
}

#[test]
fn what_waits_in_a_helper_waits_as_long_as_its_discipline_lets_it() {
    let download =
        "[[flow]]\nfrom = 'server'\nto = 'phone'\nvia = ['helper']\n[[flow.stream]]\nbytes = '10MB'\nrequest = 100\n";
    let mean_s = |queue: &str| {
        let helper = format!("kind = \"helper\"\n{queue}\n");
        let report = run(&home("", download).replacen("kind = \"helper\"\n", &helper, 1));
        assert!(completed(&report, 0), "{queue}: {report}");
        report.flows[0].rtt_s.expect("it is under way").mean
    };
    let (by_default, codel) = (mean_s(""), mean_s("queue = { kind = 'codel', ecn = true }"));
    let (short, long) =
        (mean_s("queue = 'droptail'\nqueue_time = '20ms'"), mean_s("queue = 'droptail'\nqueue_time = '500ms'"));
    assert!((by_default / codel - 1.0).abs() < 0.05, "the controller is cubic: {by_default} s, {codel} s");
    assert!(long > 1.25 * by_default && long > 1.25 * short, "{by_default} s, {short} s, {long} s");
}

#[test]
fn the_round_trips_of_a_helped_flow_are_those_of_the_whole_path_and_its_first_section_is_told_beside_them() {
    let report = run(&home("", &upload("tng", "phone", "via = ['helper']")));
    let flow = &report.flows[0];
    // 2 ms, 10 ms and 10 ms each way; the helper is beside the router before the last of them.
    assert!(flow.rtt_min_s.is_some_and(|s| (0.044..0.060).contains(&s)), "{:?}", flow.rtt_min_s);
    assert!(flow.rtt_s.is_some_and(|rtt| rtt.mean > 0.044), "{:?}", flow.rtt_s);
    let helped = flow.helped.as_ref().expect("it names a helper");
    assert!(helped.used && helped.in_use && helped.via == ["helper"], "{helped:?}");
    assert_eq!((helped.left, helped.returned), (0, 0));
    assert!(helped.section_rtt_min_s.is_some_and(|s| (0.024..0.030).contains(&s)), "{helped:?}");
    let text = report.to_string();
    assert!(text.contains("\n  via helper: in use at the end, first section "), "{text}");
    // Control: what names no helper says nothing of one, and has the same path.
    let report = run(&home("", &upload("tng", "phone", "")));
    assert!(report.flows[0].helped.is_none() && !report.to_string().contains("via "), "{report}");
    assert!(report.flows[0].rtt_min_s.is_some_and(|s| (0.044..0.060).contains(&s)));
}

#[test]
fn what_a_nat_did_not_let_pass_is_counted_by_why() {
    let knock = "[[flow]]\nfrom = 'server'\nto = 'phone'\nprotocol = 'udp'\n\
                 [[flow.datagrams]]\nsize = 100\ninterval = '1s'\ncount = 5\n";
    let report = run(&home("", knock));
    assert_eq!(report.nats[0].name, "home");
    assert_eq!(report.nats[0].dropped, [("not its address", 5)]);
    assert!(report.to_string().contains(&format!("{:24} {:>10}  5 not its address", "home", 5)), "{report}");
    // Control: nothing is dropped of what goes out.
    assert_eq!(run(&home("", &upload("tng", "phone", ""))).nats[0].dropped, []);
}

#[test]
fn two_runs_of_a_helped_flow_are_the_same() {
    let text = home("", &upload("tng", "phone", "via = ['helper']"));
    assert_eq!(run(&text).digest, run(&text).digest);
}

#[test]
fn a_flow_whose_helper_stops_goes_on_without() {
    for event in ["kind = 'stop'\n", "kind = 'restart'\nafter = '1s'\n"] {
        let event = format!("[[event]]\nat = '400ms'\nnode = 'helper'\n{event}");
        let report = run(&home("", &(upload("tng", "phone", "via = ['helper']") + &event)));
        assert!(completed(&report, 0), "{event}: {:?}", report.flows[0].failure);
        let [from_helper, _] = lane(&report, "helper-core");
        assert!((1..2_000_000).contains(&from_helper.delivered_bytes), "{event}: {}", from_helper.delivered_bytes);
        let helped = report.flows[0].helped.as_ref().expect("it names a helper");
        assert!(helped.used && helped.left == 1, "{event}: {helped:?}");
    }
}

#[test]
fn flows_of_every_protocol_leave_a_nat_beside_each_other() {
    for nat in ["", "ports = 'random'", "filter = 'none'", "filter = 'address'\nports = 'random'"] {
        let flows: String = ["phone", "laptop"]
            .iter()
            .flat_map(|from| ["tng", "tcp", "quic"].map(|protocol| upload(protocol, from, "")))
            .collect();
        let report = run(&home(nat, &flows));
        for (number, flow) in report.flows.iter().enumerate() {
            assert!(completed(&report, number), "{nat}: {}: {:?}", flow.name, flow.failure);
        }
    }
}

#[test]
fn nobody_begins_from_outside_what_is_behind_a_nat_even_at_its_own_address() {
    let inward = "[[flow]]\nfrom = 'server'\nto = 'phone'\nbytes = '100kB'\n";
    let report = run(&home("filter = 'none'", inward));
    assert!(!completed(&report, 0) && report.flows[0].bytes == 0);
    // Control: the same asked for from behind it.
    let asked = "[[flow]]\nfrom = 'server'\nto = 'phone'\n[[flow.stream]]\nbytes = '100kB'\nrequest = 100\n";
    assert!(completed(&run(&home("filter = 'port'", asked)), 0));
}

#[test]
fn a_nat_that_forgets_lets_nothing_in_until_something_goes_out_again() {
    let late = |forgets: &str| {
        let asked = "[[flow]]\nfrom = 'server'\nto = 'phone'\n[[flow.stream]]\nbytes = '1kB'\nrequest = 100\n\
                     [[flow.stream]]\nname = 'late'\nbytes = '1kB'\nstart = '20s'\n";
        run(&home(&format!("forgets = '{forgets}'"), asked))
    };
    let (short, long) = (late("1s"), late("40s"));
    assert!(completed(&long, 0), "{:?}", long.flows[0].failure);
    let took = |report: &Report| report.flows[0].streams[1].completion_s.as_ref().map(|spread| spread.max);
    assert!(took(&short).is_none_or(|time| time > 1.0) && took(&long).is_some_and(|time| time < 1.0));
}
