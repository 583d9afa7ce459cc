//! Helpers that nobody named: they see a set-up pass, and offer themselves.

use core::time::Duration;

use tng_base::{Eid, Instant};
use tng_middlebox::{Network, Onward};
use tng_sim::topology::{A, ipv4};
use tng_stack::structured::FirstData;
use tng_stack::{EventKind, HelpersInPath};

use crate::world::{Run, Setting, helper_identity, in_path, watch};

const LIMIT: Duration = Duration::from_secs(20);

/// Round trip of a path with so many helpers.
fn round_trip(helpers: usize) -> Duration {
    Duration::from_millis(20) * (helpers as u32 + 1)
}

fn unnamed(seed: u64, helpers: usize) -> Setting {
    Setting { in_path: Some(None), ..Setting::new(seed, helpers) }
}

/// When the client was first helped, and by whom.
fn helped(run: &Run) -> Option<(Duration, Vec<Eid>)> {
    run.sender().app.events.iter().find_map(|(at, kind)| match kind {
        EventKind::Helped { helpers, .. } => Some((at.since(Instant::ZERO), helpers.clone())),
        _ => None,
    })
}

fn eids(helpers: core::ops::Range<usize>) -> Vec<Eid> {
    helpers.map(|at| helper_identity(at).eid()).collect()
}

#[test]
fn a_flow_leads_through_all_helpers_in_its_path_within_three_round_trips_though_nobody_named_them() {
    for helpers in 1..=3 {
        let mut run = unnamed(1, helpers).start();
        run.finish(LIMIT);
        let (at, by) = helped(&run).expect("helped");
        assert_eq!(by, eids(0..helpers), "the nearest first");
        assert!(at < round_trip(helpers) * 3, "{helpers} helpers: {at:?}");
        assert!((0..helpers).all(|at| run.helper(at).stats().joins == 1));
    }
}

#[test]
fn the_first_byte_comes_as_early_as_if_no_helper_stood_there() {
    let first_byte = |in_path: HelpersInPath, len| {
        let mut setting = unnamed(2, 2);
        (setting.len, setting.service.first_data, setting.client.in_path) = (len, FirstData::Unproven, in_path);
        let mut run = setting.start();
        run.finish(LIMIT);
        run.sender().app.first_byte_at.expect("an answer").since(Instant::ZERO)
    };
    for len in [100, 1_000_000] {
        let [with, without] = [HelpersInPath::Allowed, HelpersInPath::Forbidden].map(|it| first_byte(it, len));
        assert!(with < without + Duration::from_millis(1), "{len} B: {with:?} beside {without:?}");
    }
}

#[test]
fn a_client_that_forbids_it_or_lists_others_goes_directly() {
    for (policy, by) in [
        (HelpersInPath::Forbidden, None),
        (HelpersInPath::Listed(Vec::new()), None),
        (HelpersInPath::Listed(eids(1..2)), Some(eids(1..2))),
        (HelpersInPath::Allowed, Some(eids(0..2))),
    ] {
        let mut setting = unnamed(3, 2);
        setting.client.in_path = policy.clone();
        let mut run = setting.start();
        run.finish(LIMIT);
        assert_eq!(helped(&run).map(|(_, by)| by), by, "{policy:?}");
        let joins = (0..2).map(|at| run.helper(at).stats().joins).sum::<u64>();
        assert_eq!(joins, by.map_or(0, |by| by.len() as u64));
    }
}

#[test]
fn an_exchange_of_a_few_bytes_asks_no_helper() {
    let mut setting = unnamed(4, 1);
    (setting.len, setting.service.first_data) = (100, FirstData::Unproven);
    let mut run = setting.start();
    run.finish(LIMIT);
    run.world.run_until(Instant::from_secs(10));
    assert_eq!((helped(&run), run.helper(0).stats().joins), (None, 0));
}

#[test]
fn helpers_that_the_application_named_are_not_left_for_those_in_the_path() {
    let mut run = Setting::new(5, 2).start();
    // They stand in the path, too.
    for at in 0..2 {
        let (router, config) = (run.world.ends(run.links[at].forth()).1, run.setting.helpers[at].clone());
        watch(&mut run.world, router, in_path(&config, at, None));
    }
    run.finish(LIMIT);
    run.world.run_until(Instant::from_secs(5));
    assert!((0..2).all(|at| run.helper(at).stats().joins == 1), "once each, as it was asked for");
}

#[test]
fn where_the_nearest_passes_nothing_on_to_the_next_it_helps_alone() {
    let mut setting = unnamed(6, 2);
    // To the server, and not to the other helper; it offers itself for what leads to the server.
    let only_hosts = Onward::Listed(vec![Network { address: ipv4(0), bits: 26 }]);
    setting.helpers[0].onward = only_hosts;
    let mut run = setting.start();
    run.finish(LIMIT);
    assert_eq!(helped(&run).map(|(_, by)| by), Some(eids(0..1)), "{:?}", run.sender().app.events);
}

#[test]
fn an_offer_that_leads_nowhere_costs_nothing() {
    let took = |listens: bool| {
        let mut run = unnamed(7, 1).start();
        if !listens {
            run.world.stop(run.helpers[0]);
        }
        let took = run.finish(LIMIT);
        assert_eq!(helped(&run).is_some(), listens);
        took
    };
    let [with, without] = [true, false].map(took);
    assert!(without < with + round_trip(1) * 3, "{without:?} beside {with:?}");
}

#[test]
fn a_helper_in_the_path_that_dies_costs_a_stall_and_no_byte() {
    let mut setting = unnamed(8, 1);
    setting.len = 20_000_000;
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(2));
    assert!(helped(&run).is_some());
    run.world.stop(run.helpers[0]);
    run.finish(LIMIT);
}

#[test]
fn a_client_that_moves_leaves_the_helpers_of_the_path_where_it_was() {
    let mut setting = unnamed(9, 1);
    setting.len = 20_000_000;
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(2));
    assert!(helped(&run).is_some());
    let moved = ipv4(77);
    let a = run.a;
    run.world.change_address(a, A, Some(moved));
    run.finish(LIMIT);
    let sender = run.sender();
    let paths = sender.machine.paths(sender.app.connection.expect("connected"));
    let to: Vec<_> = paths.iter().map(|path| path.remote.ip()).collect();
    // It stands in the new path, too, and was asked anew.
    assert_eq!(run.helper(0).stats().joins, 2, "{to:?} {:?}", sender.app.events);
}

#[test]
fn what_a_helper_in_the_path_advises_governs_the_section_with_it_but_for_a_rate() {
    // What is not offered there governs the client's end alone, as if the application had asked for it.
    for (advised, governs) in [("vegas", "vegas"), ("fixed", "cubic"), ("newreno", "newreno")] {
        let mut setting = Setting { in_path: Some(Some(advised.to_owned())), ..Setting::new(10, 1) };
        setting.len = 20_000_000;
        setting.helpers[0].elsewhere.offers.controllers = vec!["vegas".parse().expect("a controller")];
        let mut run = setting.start();
        run.world.run_until(Instant::from_secs(1));
        assert!(helped(&run).is_some());
        let sender = run.sender();
        let stats = sender.machine.stats(sender.app.connection.expect("connected")).expect("a channel");
        assert_eq!(stats.regulation.controller, governs, "{advised}");
    }
}
