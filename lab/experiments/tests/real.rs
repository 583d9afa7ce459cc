//! Real transfers over real links, where there may be any. What they reach is for commands to tell, on a quiet machine; here they
//! only have to work.

use std::time::Duration;

use tng_emulator::transfer::{Amount, Span, Transfer};
use tng_emulator::{Names, Network, Topology, hindrance};
use tng_experiments::real::{self, Bulk, Real, RealError};
use tng_sim::Link;

const MS: Duration = Duration::from_millis(1);

fn stands() -> bool {
    hindrance().inspect_err(|why| eprintln!("skipped: {why}")).is_ok()
}

fn link() -> Link {
    Link::new().rate(50_000_000).delay(2 * MS)
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
        (Real::Tng, transfer(0, Amount::Bytes(300_000))),
        (Real::KernelTcp, transfer(0, Amount::Bytes(200_000))),
        (Real::Tng, transfer(1, Amount::Bytes(100_000))),
        (Real::Tng, transfer(0, Amount::Bytes(50_000))),
    ];
    let span = Span { limit: Duration::from_secs(20), interval: 100 * MS };
    let figures = real::run(&network, &transfers, span).expect("it runs");
    for (one, bytes) in figures.iter().zip([300_000, 200_000, 100_000, 50_000]) {
        assert_eq!((one.bytes, &one.failure, &one.controller[..]), (bytes, &None, "reno"), "{figures:?}");
        assert!(one.completion_s.is_some_and(|s| s > 0.004), "{figures:?}");
        assert!(one.rtt_min_us.is_some_and(|us| us >= 4_000.0), "{figures:?}");
    }
}

#[test]
fn a_bulk_transfer_is_measured_until_its_time_is_over() {
    if !stands() {
        return;
    }
    for real in [Real::KernelTcp, Real::Tng] {
        let bulk = Bulk { real, controller: "cubic".to_owned(), time: 500 * MS };
        let figures = real::bulk(3, &link(), &bulk).expect("it runs");
        assert!(figures.bytes > 0 && figures.completion_s.is_none() && figures.failure.is_none(), "{figures:?}");
        assert!(figures.goodput_bps < 50e6 && figures.bytes_per_interval.len() <= 5, "{figures:?}");
    }
}

#[test]
fn an_unknown_controller_is_named_whoever_should_use_it() {
    if !stands() {
        return;
    }
    for (real, known) in [(Real::KernelTcp, "cubic"), (Real::Tng, "cubic")] {
        let bulk = Bulk { real, controller: "cubik".to_owned(), time: 100 * MS };
        match real::bulk(3, &link(), &bulk) {
            Err(RealError::Host(why)) => assert!(why.contains(known), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}
