//! Real transfers over real links, where there may be any. What they reach is for commands to tell, on a quiet machine;
//! here they only have to work.

use std::time::Duration;

use tng_emulator::transfer::{Amount, Span, Transfer, TransferFigures};
use tng_emulator::{Names, Network, Topology, hindrance};
use tng_experiments::real::{self, Real, RealError};
use tng_experiments::{Scenario, lab};
use tng_sim::Link;

const MS: Duration = Duration::from_millis(1);

/// Whether this machine lets tests make networks; says so if not, and fails if `TNG_NEED_LINK` is set.
fn stands() -> bool {
    let hindered = hindrance();
    let why = hindered.as_ref().err();
    assert!(why.is_none() || std::env::var_os("TNG_NEED_LINK").is_none(), "there are no networks: {why:?}");
    hindered.inspect_err(|why| eprintln!("skipped: {why}")).is_ok()
}

fn link() -> Link {
    Link::new().rate(50_000_000).delay(2 * MS)
}

/// A transfer that takes all it can get, alone on a network of its own, for so long.
fn endless(real: Real, controller: &str, limit: Duration) -> Result<TransferFigures, RealError> {
    let network = Network::start(&Topology::pair(3, &link()), &Names::Private)?;
    let controller = Some(controller.to_owned());
    let transfer = Transfer { from: 0, to: 1, controller, start: Duration::ZERO, amount: Amount::Forever };
    let figures = real::run(&network, &[(real, transfer)], Span { limit, interval: 100 * MS })?;
    Ok(figures.into_iter().next().expect("one transfer has figures"))
}

#[test]
fn tcp_and_tng_share_a_link_in_real_time() {
    if !stands() {
        return;
    }
    let network = Network::start(&Topology::pair(1, &link()), &Names::Private).expect("a network");
    let transfer = |from: usize, amount| {
        let controller = Some("reno".to_owned());
        Transfer { from, to: 1 - from, controller, start: 10 * MS, amount }
    };
    let transfers = [
        (Real::TNG, transfer(0, Amount::Bytes(300_000))),
        (Real::KERNEL_TCP, transfer(0, Amount::Bytes(200_000))),
        (Real::TNG, transfer(1, Amount::Bytes(100_000))),
        (Real::TNG, transfer(0, Amount::Bytes(50_000))),
        (Real::TNG_WEAK, transfer(0, Amount::Bytes(150_000))),
    ];
    let span = Span { limit: Duration::from_secs(20), interval: 100 * MS };
    let figures = real::run(&network, &transfers, span).expect("it runs");
    for (one, bytes) in figures.iter().zip([300_000, 200_000, 100_000, 50_000, 150_000]) {
        assert_eq!((one.bytes, &one.failure, &one.controller[..]), (bytes, &None, "reno"), "{figures:?}");
        assert!(one.completion_s.is_some_and(|s| s > 0.004), "{figures:?}");
        assert!(one.rtt_min_us.is_some_and(|us| us >= 4_000.0), "{figures:?}");
    }
}

#[test]
fn an_endless_transfer_is_measured_until_the_time_is_over() {
    if !stands() {
        return;
    }
    for real in Real::ALL.iter().copied() {
        let figures = endless(real, "cubic", 500 * MS).expect("it runs");
        assert!(figures.bytes > 0 && figures.completion_s.is_none() && figures.failure.is_none(), "{figures:?}");
        assert!(figures.goodput_bps < 50e6 && figures.bytes_per_interval.len() <= 5, "{figures:?}");
    }
}

#[test]
fn an_unknown_controller_is_named_whoever_should_use_it() {
    if !stands() {
        return;
    }
    for real in Real::ALL.iter().copied() {
        match endless(real, "cubik", 100 * MS) {
            Err(RealError::Host(why)) => assert!(why.contains("cubic"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_experiments_beside_the_kernel_come_to_an_end_with_every_try_in_their_results() {
    if !stands() {
        return;
    }
    let measured = |name: &str, set: &[&str]| {
        let experiment = lab::find(name).expect(name);
        let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
        let record = experiment.measure(1, experiment.params(&set).expect(name), true, &|_| ());
        record.unwrap_or_else(|error| panic!("{name}: {error}")).outcome.results
    };
    let few = ["rates=5mbit", "rtts=20ms", "losses=1%", "controllers=cubic", "settle=100ms", "time=200ms"];
    let cells = &measured("tcp/kernel", &few)["cells"];
    let tries = cells[0]["tries"].as_array().expect("a list");
    let paces = tries.iter().filter_map(|one| one["kernel_bps"].as_f64());
    assert_eq!((paces.filter(|bps| *bps > 0.0).count(), &cells[0]["ratio"]), (3, &tries[1]["ratio"]), "{cells}");
    let paths = &measured("ours/kernel", &["runs=2", "settle=1", "time=100ms", "rounds=4"])["paths"];
    for path in paths.as_array().expect("a list") {
        assert_eq!(path["ratios"].as_array().map(Vec::len), Some(2), "{paths}");
    }
}

#[test]
fn a_helper_is_refused_in_real_time_by_name() {
    let text = "[[node]]\nname = 'a'\n[[node]]\nname = 'b'\n[[node]]\nname = 'core'\nkind = 'router'\n\
                [[node]]\nname = 'h'\nkind = 'helper'\n[[link]]\nbetween = ['a', 'core']\n[[link]]\n\
                between = ['b', 'core']\n[[link]]\nbetween = ['h', 'core']\n\
                [[flow]]\nfrom = 'a'\nto = 'b'\nvia = ['h']\nbytes = 1\n";
    let scenario = Scenario::parse(text).expect("a scenario");
    let refused = real::check(&scenario).expect_err("it needs the daemon").to_string();
    assert!(refused.contains("the node \"h\" is a helper") && refused.contains("tng sim run"), "{refused}");
    assert_eq!(scenario.topology().nodes.len(), 4, "its network stands all the same, for `tng link up`");
}

#[test]
fn flows_leave_a_nat_in_real_time() {
    if !stands() {
        return;
    }
    let text = "[world]\nduration = '20s'\n[[node]]\nname = 'a'\n[[node]]\nname = 'b'\n\
                [[node]]\nname = 'home'\nkind = 'nat'\naddresses = ['192.0.2.1']\ninside = ['a']\nports = 'random'\n\
                [[link]]\nbetween = ['a', 'home']\nrate = '50mbit'\n[[link]]\nbetween = ['b', 'home']\ndelay = '2ms'\n\
                [[flow]]\nfrom = 'a'\nto = 'b'\nbytes = '300kB'\n\
                [[flow]]\nfrom = 'a'\nto = 'b'\nprotocol = 'tcp'\nbytes = '200kB'\n";
    let report = real::run_scenario(&Scenario::parse(text).expect("a scenario")).expect("it runs").report;
    for (flow, bytes) in report.flows.iter().zip([300_000, 200_000]) {
        assert_eq!((flow.bytes, &flow.failure), (bytes, &None), "{}", flow.name);
    }
}

#[test]
fn quic_of_the_simulator_runs_on_real_sockets_beside_the_others() {
    if !stands() {
        return;
    }
    let network = Network::start(&Topology::pair(1, &link()), &Names::Private).expect("a network");
    let transfer = |from: usize, amount| {
        let controller = Some("cubic".to_owned());
        Transfer { from, to: 1 - from, controller, start: 10 * MS, amount }
    };
    let transfers = [
        (Real::QUIC, transfer(0, Amount::Bytes(300_000))),
        (Real::QUIC, transfer(0, Amount::Bytes(50_000))),
        (Real::QUIC, transfer(1, Amount::Bytes(100_000))),
        (Real::TNG, transfer(0, Amount::Bytes(100_000))),
        (Real::QUIC, transfer(1, Amount::For(300 * MS))),
    ];
    let span = Span { limit: Duration::from_secs(20), interval: 100 * MS };
    let figures = real::run(&network, &transfers, span).expect("it runs");
    for (one, bytes) in figures.iter().zip([300_000, 50_000, 100_000, 100_000, figures[4].bytes]) {
        assert_eq!((one.bytes, &one.failure, &one.controller[..]), (bytes, &None, "cubic"), "{figures:?}");
        assert!(one.completion_s.is_some_and(|s| s > 0.004), "{figures:?}");
        assert!(one.rtt_min_us.is_some_and(|us| us >= 4_000.0), "{figures:?}");
    }
    assert!(figures[4].bytes > 100_000 && figures[4].completion_s.is_some_and(|s| s >= 0.3), "{figures:?}");
    let unknown = Transfer { controller: Some("vegas".to_owned()), ..transfers[0].1.clone() };
    let refused = real::run(&network, &[(Real::QUIC, unknown)], span).expect_err("quinn has no vegas").to_string();
    assert!(refused.contains("cubic, newreno and bbr"), "{refused}");
}

#[test]
fn quic_without_anybody_at_the_other_end_tells_so() {
    if !stands() {
        return;
    }
    let network = Network::start(&Topology::pair(1, &link().loss(tng_sim::Loss::Independent(1.0))), &Names::Private);
    let transfer = Transfer { from: 0, to: 1, controller: None, start: Duration::ZERO, amount: Amount::Bytes(1) };
    let span = Span { limit: Duration::from_secs(2), interval: 100 * MS };
    let figures = real::run(&network.expect("a network"), &[(Real::QUIC, transfer)], span).expect("it runs");
    assert_eq!((figures[0].bytes, figures[0].completion_s), (0, None), "{figures:?}");
}

#[test]
fn a_scenario_compares_quic_with_tng_and_tcp_in_real_time() {
    if !stands() {
        return;
    }
    let flow = |protocol: &str| format!("[[flow]]\nfrom = 'a'\nto = 'b'\nprotocol = '{protocol}'\nbytes = '200kB'\n");
    let text = "[world]\nduration = '20s'\n[[node]]\nname = 'a'\n[[node]]\nname = 'b'\n\
                [[link]]\nbetween = ['a', 'b']\nrate = '20mbit'\ndelay = '2ms'\n"
        .to_owned();
    let text = ["tng", "tcp", "quic"].iter().fold(text, |text, protocol| text + &flow(protocol));
    let report = real::run_scenario(&Scenario::parse(&text).expect("a scenario")).expect("it runs").report;
    for flow in &report.flows {
        assert_eq!((flow.bytes, &flow.failure), (200_000, &None), "{}", flow.name);
        assert!(flow.rtt_min_s.is_some_and(|s| s >= 0.004), "{}", flow.name);
    }
}
