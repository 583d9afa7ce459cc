//! What the operator has shared queues do with what stands in them.

use core::time::Duration;

use tng_middlebox::{HelperStats, Neighbourhood, Network, discipline_for};
use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig};
use tng_sim::topology::{A, B};

use crate::world::Setting;

/// An upload from a fast section to a slow one, with this for the queue between them.
fn upload(set: impl FnOnce(&mut Setting)) -> HelperStats {
    let mut setting = Setting::new(5, 1);
    setting.links[1] = setting.links[1].clone().rate(5_000_000).queue(QueueConfig::DropTail(Limit::Packets(20)));
    setting.len = 3_000_000;
    set(&mut setting);
    let mut run = setting.start();
    run.finish(Duration::from_secs(30));
    run.helper(0).stats()
}

fn under(discipline: Option<QueueConfig>) -> HelperStats {
    upload(|setting| setting.helpers[0].elsewhere.discipline = discipline)
}

fn codel(ecn: bool) -> Option<QueueConfig> {
    Some(QueueConfig::CoDel(CoDelConfig { ecn, ..CoDelConfig::default() }))
}

fn red(ecn: bool) -> Option<QueueConfig> {
    Some(QueueConfig::Red(RedConfig { ecn, weight: 0.02, ..RedConfig::default() }))
}

#[test]
fn a_queue_marks_under_a_discipline_with_ecn_and_drops_under_one_without() {
    for (name, with, without) in [("codel", codel(true), codel(false)), ("red", red(true), red(false))] {
        let (with, without) = (under(with), under(without));
        assert!(with.marked > 0, "{name}: {with:?}");
        assert!(without.marked == 0 && without.dropped > 0, "{name}: {without:?}");
    }
}

#[test]
fn drop_tail_drops_what_has_no_room_and_marks_nothing() {
    let bounded = |packets, time_ms| {
        upload(|setting| {
            let elsewhere = &mut setting.helpers[0].elsewhere;
            elsewhere.discipline = Some(QueueConfig::DropTail(Limit::Packets(packets)));
            elsewhere.queue_time = Duration::from_millis(time_ms);
        })
    };
    let [small, large, short] = [(10, 1_000), (1_000, 1_000), (1_000, 5)].map(|(packets, ms)| bounded(packets, ms));
    assert!(small.marked == 0 && small.dropped > 0, "{small:?}");
    assert!(large.marked == 0 && large.dropped < small.dropped, "{large:?}, {small:?}");
    assert!(short.dropped > large.dropped, "the bound in time counts as well: {short:?}, {large:?}");
}

#[test]
fn without_a_word_of_the_operator_a_queue_does_what_its_controller_expects() {
    let controller = Setting::new(5, 1).client.controller;
    let (by_default, same) = (under(None), under(Some(discipline_for(&controller))));
    assert!(by_default.marked > 0 && (by_default.marked, by_default.dropped) == (same.marked, same.dropped));
}

#[test]
fn the_discipline_is_that_of_the_neighbours_who_feed_the_queue() {
    let toward = |neighbour| {
        upload(|setting| {
            let config = &mut setting.helpers[0];
            let neighbourhood = Neighbourhood { discipline: codel(false), ..config.elsewhere.clone() };
            config.neighbourhoods.push((Network::only(neighbour), neighbourhood));
        })
    };
    let (sender, receiver) = (toward(A), toward(B));
    assert!(sender.marked == 0 && sender.dropped > 0, "{sender:?}");
    assert!(receiver.marked > 0, "{receiver:?}");
}
