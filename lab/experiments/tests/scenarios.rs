//! The scenario files that we ship: all can be read, and those that show something show it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tng_experiments::engine::report::{Report, StreamReport};
use tng_experiments::{Run, Scenario};
use tng_sim::{DeliveryTrace, Radio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    // Names of files in a scenario begin at the working directory, which people who run them are in.
    std::env::set_current_dir(root()).expect("the repository is there");
    let path = root().join("scenarios").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs one, with values of ours.
fn run(name: &str, values: &[&str]) -> Report {
    let scenario = Scenario::parse_with(&text(name), values).unwrap_or_else(|error| panic!("{name}: {error}"));
    let report = Run::new(scenario).finish().expect("no capture that could fail");
    assert!(report.flows.iter().all(|flow| flow.failure.is_none()), "{name}: {report}");
    report
}

fn stream<'a>(report: &'a Report, name: &str) -> &'a StreamReport {
    let stream = report.stream(name).unwrap_or_else(|| panic!("no stream {name}: {report}"));
    assert_eq!(stream.completed, stream.count, "{name}: {report}");
    stream
}

#[test]
fn every_scenario_file_is_right() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("scenarios")).expect("the directory of scenarios") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if name.ends_with(".toml") {
            Scenario::parse(&text(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            count += 1;
        }
    }
    assert!(count > 0);
}

/// `TNG_WRITE=1 cargo test -p tng-experiments --test scenarios traces` writes them anew.
#[test]
fn the_traces_beside_them_are_what_the_models_make() {
    for radio in Radio::ALL {
        let path = root().join("scenarios/traces").join(radio.name());
        let made = radio.trace(1, Duration::from_secs(60)).expect("a minute");
        if std::env::var_os("TNG_WRITE").is_some() {
            std::fs::write(&path, made.to_string()).expect("the trace can be written");
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(DeliveryTrace::parse(&text) == Ok(made), "{}; TNG_WRITE=1 writes it anew", path.display());
    }
}

#[test]
fn a_phone_by_a_cell_takes_its_file_and_its_pages_at_the_pace_of_the_trace() {
    let report = run("trace.toml", &[]);
    let file = stream(&report, "file").completion_s.expect("ended").max;
    let cell = Radio::Cellular.trace(1, Duration::from_secs(60)).expect("a minute");
    let could = cell.bytes_by(Duration::from_secs_f64(file)) as f64;
    assert!((0.5..0.99).contains(&(5e6 / could)), "{} of what the link could carry: {report}", 5e6 / could);
    assert_eq!(report.flows[1].web[0].completed, 5, "{report}");
}

/// Figure 9 of the SST paper, phase by phase. Between a change and its effect lie a round trip, and what waits in the
/// queue.
#[test]
fn priorities_follow_every_change_of_the_client() {
    let report = run("priorities.toml", &[]);
    let ends = ["request 1", "request 2", "request 3"].map(|name| {
        let stream = stream(&report, name);
        stream.start_s.zip(stream.completion_s).map(|(start, spread)| start + spread.max).expect("ended")
    });
    // The share of what came between two times that was each request's.
    let shares = |from_s: f64, to_s: f64| {
        let at = |time_s: f64| (time_s / report.interval_s).round() as usize;
        let sums = ["request 1", "request 2", "request 3"].map(|name| {
            let series = &stream(&report, name).bytes_per_interval;
            series.iter().take(at(to_s)).skip(at(from_s)).sum::<u64>() as f64
        });
        let all: f64 = sums.iter().sum();
        assert!(all * 8.0 > 1.3e6 * (to_s - from_s), "the link is full all the time: {report}");
        sums.map(|sum| sum / all)
    };
    let near = |shares: [f64; 3], expected: [f64; 3]| {
        assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 0.05), "{shares:?}");
    };
    near(shares(1.0, 5.0), [0.5, 0.5, 0.0]);
    near(shares(5.5, 10.0), [0.0, 0.0, 1.0]);
    near(shares(10.5, ends[0] - 0.5), [1.0, 0.0, 0.0]);
    near(shares(ends[0] + 0.5, ends[2] - 0.5), [0.0, 0.5, 0.5]);
    assert!(ends[0] < ends[2] && ends[2] < ends[1], "{ends:?}");
}

/// Of the time in which half of the replies have come: one ordered stream by separate ones.
fn head_of_line(values: &[&str]) -> f64 {
    let report = run("head-of-line.toml", values);
    let separate = stream(&report, "replies").completion_s.expect("ended");
    let ordered = stream(&report, "ordered replies").message_s.expect("came");
    assert_eq!((separate.count, ordered.count), (100, 100));
    ordered.p50 / separate.p50
}

#[test]
fn replies_on_streams_of_their_own_do_not_wait_for_what_others_lost() {
    let mut ratios: Vec<f64> = (1..=5).map(|seed| head_of_line(&[&format!("world.seed={seed}")])).collect();
    println!("ordered by separate, seeds 1 to 5: {ratios:.2?}");
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[2] >= 1.5, "the median of {ratios:?}");
    let control = head_of_line(&["link.loss=0%"]);
    assert!((0.95..1.05).contains(&control), "without loss both take as long: {control}");
}

#[test]
fn voice_goes_on_at_its_pace_beside_a_transfer_that_takes_the_rest() {
    let report = run("datagrams.toml", &[]);
    for name in ["voice", "voice back"] {
        let voice = report.datagrams(name).expect("there");
        let delay = voice.delay_s.expect("came");
        // One in a hundred meets the queue with which the transfer's slow start ends.
        assert!(voice.sent == 500 && voice.received > 480 && delay.p90 < 0.050 && delay.p99 < 0.120, "{report}");
    }
    let picture = report.datagrams("picture").expect("there");
    assert!(picture.sent == 8 && picture.received >= 6, "{report}");
    let file = report.stream("file").expect("there");
    assert!(file.goodput_bps > 1.5e6 && file.completed == 0, "{report}");
}

#[test]
fn a_stream_that_nobody_reads_holds_up_no_other_of_its_tree() {
    let report = run("substreams.toml", &[]);
    for (name, bytes) in [("document", 3_000), ("part", 6_000_000), ("index", 200_000), ("unread", 1_000_000)] {
        assert_eq!(stream(&report, name).bytes, bytes, "{name}: {report}");
    }
    let completion = |name| stream(&report, name).completion_s.expect("ended");
    assert!(completion("part").max < 7.5 && completion("unread").min > 7.7, "{report}");
    assert!(completion("index").max < 0.5, "the urgent one passes the others by: {report}");
    let parts = completion("part");
    assert!(parts.max / parts.min < 1.2, "equals end together: {report}");
}

#[test]
fn a_phone_that_moves_loses_no_byte() {
    let report = run("moving-phone.toml", &[]);
    assert_eq!(report.flows[0].bytes, 20_000_000, "{report}");
    assert!(report.time_s > 20.0 && report.events.len() == 4, "it moved on the way: {report}");
}

fn page() -> String {
    let path = root().join("docs/scenarios.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_example_of_the_reference_runs() {
    let page = page();
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let scenario = Scenario::parse(example).unwrap_or_else(|error| panic!("{error}"));
    let report = Run::new(scenario).finish().expect("no capture that could fail");
    assert_eq!((stream(&report, "picture").bytes, stream(&report, "text").bytes), (2_000_000, 20_000), "{report}");
}

#[test]
fn the_reference_has_every_key() {
    let page = page();
    let base = "[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\n";
    let flow = "[[flow]]\nfrom='a'\nto='b'\n";
    for (section, text) in [
        ("world", "[world]\nqqqqqqqq=1".to_owned()),
        ("node", "[[node]]\nqqqqqqqq=1".to_owned()),
        ("link", "qqqqqqqq=1".to_owned()),
        ("flow", format!("{flow}qqqqqqqq=1")),
        ("stream", format!("{flow}[[flow.stream]]\nqqqqqqqq=1")),
        ("datagrams", format!("{flow}[[flow.datagrams]]\nqqqqqqqq=1")),
        ("event", "[[event]]\nqqqqqqqq=1".to_owned()),
    ] {
        let Err(error) = Scenario::parse(&format!("{base}{text}")) else { panic!("{section} has a key qqqqqqqq") };
        let tng_settings::Fault::UnknownKey { known, .. } = error.fault else { panic!("{section}: {error}") };
        for key in known {
            let named = page.contains(&format!("`{key}`")) || page.contains(&format!("[[flow.{key}]]"));
            assert!(named || page.contains(&format!("`{key} =")), "{section}: {key}");
        }
    }
}

#[test]
fn everybody_gets_through_one_bottleneck_and_keeps_it_full() {
    let report = run("versus.toml", &["world.duration=20s"]);
    assert_eq!(report.groups.iter().map(|group| &*group.name).collect::<Vec<_>>(), ["tng", "tcp", "quic"]);
    let total: f64 = report.groups.iter().map(|group| group.goodput_bps).sum();
    assert!(total > 17e6, "of 20 Mbit/s: {report}");
    assert!(report.groups.iter().all(|group| group.share.is_some_and(|share| share > 0.1)), "{report}");
    let bottleneck = &report.links[0].forth;
    assert!(bottleneck.queue_bytes_max_per_interval.len() == 40 && bottleneck.queue_bytes_max > 60_000, "{report}");
}

#[test]
fn transfers_beside_bursts_all_arrive_and_take_longer_than_without_them() {
    let with = run("cross-traffic.toml", &[]);
    let transfers = |report: &Report| stream(report, "transfer").completion_s.expect("ended").p99;
    let calls = with.datagrams("call").expect("there");
    assert!(calls.sent > 500 && calls.missing == 0, "{with}");
    let without = run("cross-traffic.toml", &["flow.bursts.datagrams.rate=8kbit"]);
    assert!(transfers(&with) > 1.2 * transfers(&without), "{with}\n{without}");
}

#[test]
fn a_sender_without_congestion_control_that_is_policed_leaves_tcp_its_part() {
    let goodputs = |values: &[&str]| {
        let report = run("policed.toml", &[&["world.duration=15s"], values].concat());
        report.flows.iter().map(|flow| flow.goodput_bps).collect::<Vec<_>>()
    };
    let (held, free) = (goodputs(&[]), goodputs(&["flow.held.policed=false"]));
    assert!(held.iter().all(|bps| *bps > 2.5e6), "of 10 Mbit/s: {held:?}");
    assert!(free[1] < 1e6, "control: {free:?}");
}

/// In order it takes 0.8 s.
#[test]
fn a_transfer_whose_packets_come_two_round_trips_late_takes_two_more_seconds_at_most() {
    for controller in ["cubic", "bbr"] {
        let report = run("reordered.toml", &[&format!("flow.controller={controller}")]);
        let took = report.flows[0].completion_s.expect("it is whole");
        assert!(took < 2.8, "{report}");
    }
}

/// What the file promises: a restart is a pause and a window that is halved, and TCP does not survive one.
#[test]
fn a_download_outlives_the_server_that_it_began_with() {
    let report = run("killed-server.toml", &[]);
    let took = report.flows[0].completion_s.expect("it is whole");
    // 4.9 s of data and 1.05 s down, if windows were not halved.
    assert!((5.9..12.0).contains(&took), "{report}");
    let text = text("killed-server.toml");
    let tcp = Scenario::parse_with(&text, &["flow.protocol=tcp"]).expect("a scenario");
    let tcp = Run::new(tcp).finish().expect("no capture that could fail");
    assert!(tcp.flows[0].failure.is_some() && tcp.flows[0].bytes < 8_000_000, "{tcp}");
}
