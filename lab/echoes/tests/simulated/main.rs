//! Numbered echoes between hosts in virtual time: each number is echoed once, whatever happens to the connection.

mod bad;
mod early;
mod faults;
#[path = "../faulty/mod.rs"]
mod faulty;
mod world;

use core::time::Duration;

use tng_base::Instant;
use tng_echoes::{Echoes, NAME};
use tng_sim::topology::A;
use tng_sim::{Link, Loss};
use tng_stack::{EventKind, PROTOCOL};

use crate::world::{ELSEWHERE, Setting, WINDOW, answering};

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

fn at(seconds: u64) -> Instant {
    Instant::from_secs(seconds)
}

#[test]
fn every_number_is_echoed_once_over_a_path_that_loses_doubles_and_reorders() {
    for seed in 0..10 {
        let mut setting = Setting::new(seed);
        setting.links[0] =
            setting.links[0].clone().loss(Loss::Independent(0.05)).duplicate(0.02).reorder(0.02, 20 * MS);
        let mut run = setting.start();
        run.connect();
        run.finish(60 * SECOND);
        run.end();
    }
}

#[test]
fn what_is_asked_at_once_is_echoed_in_one_round_trip_with_the_set_up() {
    let mut run = Setting::new(1).start();
    let id = run.connect();
    run.finish(10 * SECOND);
    let heard_at = run.app(run.a).talks[&id].heard_at.expect("heard");
    assert!(heard_at.since(Instant::ZERO) < 55 * MS, "{heard_at:?}: the path takes 50 ms there and back");
}

#[test]
fn connections_of_several_protocols_between_two_hosts_are_one_flow() {
    let mut run = Setting::new(2).start();
    let (a, b) = (run.a, run.b);
    run.node(b).machine.register("other/1", |proposal| answering(proposal.set_up_item)).expect("a free name");
    let echoes = run.connect();
    let (now, target) = (run.world.now(), run.target.clone());
    let streams = run.node(a).machine.connect(now, target).expect("an address");
    let other = run.connect_speaking("other/1", Box::new(Echoes::new(WINDOW)));
    run.finish(10 * SECOND);
    for id in [a, b] {
        assert_eq!(run.host(id).accounting().flows, (1, 3), "three shares of one flow");
    }
    let host = run.host(a);
    let names = [echoes, streams, other].map(|id| host.protocol_name(id).expect("it is there").to_owned());
    assert_eq!(names, [NAME, PROTOCOL, "other/1"]);
    let node = run.node(a);
    assert!(node.machine.streams(streams).is_some() && node.machine.protocol(streams).is_none());
    assert!(node.machine.streams(echoes).is_none() && node.machine.protocol(echoes).is_some());
    run.end();
}

#[test]
fn helpers_on_the_path_carry_any_protocol() {
    for seed in 0..5 {
        for helpers in 1..3 {
            let mut setting = Setting::helped(seed, helpers);
            setting.asks = [(500, 5 * MS); 2];
            setting.client.judge = None;
            let mut run = setting.start();
            let id = run.connect();
            // An INIT that is lost may go directly.
            run.world.run_until(Instant::from_millis(300));
            for link in run.links.clone() {
                for lane in link.lanes() {
                    run.world.change(lane, |link| link.loss = Loss::Independent(0.03));
                }
            }
            run.finish(60 * SECOND);
            assert_eq!(run.host(run.a).stats(id).expect("up").helpers, helpers);
            run.end();
        }
    }
}

#[test]
fn a_host_that_moves_goes_on_asking_and_answering() {
    for seed in 0..5 {
        let mut setting = Setting::new(seed);
        setting.asks = [(2_000, 2 * MS); 2];
        let mut run = setting.start();
        run.connect();
        run.world.run_until(at(1));
        run.world.rebind(run.a, A, (A, 40_001).into());
        run.world.run_until(at(2));
        run.world.change_address(run.a, A, Some(ELSEWHERE));
        run.finish(60 * SECOND);
        assert!(run.app(run.b).has(|kind| matches!(kind, EventKind::Moved { .. })));
        run.end();
    }
}

#[test]
fn after_an_outage_longer_than_the_idle_timeout_a_further_channel_takes_up_what_was_under_way() {
    for seed in 0..5 {
        let mut setting = Setting::new(seed);
        setting.asks = [(1_000, 2 * MS); 2];
        let mut run = setting.start();
        run.connect();
        run.world.outage(run.links[0], at(1), at(46));
        let took = run.finish(200 * SECOND);
        assert!(took > 46 * SECOND && took < 60 * SECOND, "{took:?}");
        let app = run.app(run.a);
        assert!(app.has(|kind| *kind == EventKind::Away) && app.has(|kind| *kind == EventKind::Back));
        run.end();
    }
}

#[test]
fn a_connection_that_sleeps_is_woken_by_the_next_question_of_either_end() {
    for waker in 0..2 {
        let mut setting = Setting::new(6);
        setting.asks = [(1, Duration::ZERO); 2];
        let mut run = setting.start();
        run.connect();
        run.finish(10 * SECOND);
        // Nothing is open, so the channel ends by its idle timeout, and costs nothing meanwhile.
        run.world.run_until(at(50));
        assert_eq!(run.host(run.a).accounting().flows, (0, 0));
        let (now, id) = (run.world.now(), [run.a, run.b][waker]);
        let node = run.node(id);
        node.app.most = 2;
        let connection = node.machine.connections().next().expect("it is kept");
        node.app.advance(now, &mut node.machine, connection);
        run.finish(70 * SECOND);
        run.end();
    }
}

#[test]
fn when_one_of_two_paths_dies_what_was_on_it_goes_by_the_other() {
    let mut setting = Setting::new(7);
    setting.asks = [(3_000, MS); 2];
    let mut run = setting.start();
    let id = run.connect();
    let second = run.world.connect(run.a, run.b, &Link::new().rate(20_000_000).delay(10 * MS));
    run.world.add_address(run.a, ELSEWHERE, Some(second));
    run.world.run_until(at(1));
    let (now, a) = (run.world.now(), run.a);
    run.node(a).machine.attach(now, id, Some(ELSEWHERE), &[]).expect("room for a channel");
    run.world.run_until(at(2));
    assert_eq!(run.host(run.a).paths(id).len(), 2);
    run.world.outage(run.links[0], at(2), at(300));
    run.finish(100 * SECOND);
    run.end();
}
