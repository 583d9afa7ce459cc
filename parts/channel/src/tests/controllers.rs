//! Every controller over a whole channel: acknowledgments in pairs or late, losses found by time.

use super::world::{MTU, Pipe, World, at, ms, regulation};

/// Percent of a link of 20 Mbit/s and 40 ms that `name` uses from 5 to 15 s on, with a queue of a round trip.
fn used(name: &str, loss: f64, tells: bool, seed: u64) -> u64 {
    let there = Pipe { rate: Some(20_000_000), queue: 84, loss, tells, ..Pipe::perfect(ms(20)) };
    let mut world = World::with(seed, [there, Pipe::perfect(ms(20))], |_, _| {}, 4);
    world.ends[0].regulation = regulation(name);
    world.ends[0].toy.send(0..40_000);
    world.run(at(5_000));
    let before = world.ends[1].toy.inbox.len();
    world.run(at(15_000));
    let arrived = (world.ends[1].toy.inbox.len() - before) as u64;
    arrived * MTU as u64 * 8 * 100 / 200_000_000
}

#[test]
fn each_fills_a_link_that_loses_nothing() {
    for name in ["newreno", "cubic", "vegas", "bbr", "equation", "eln", "fixed:20mbit"] {
        let used = used(name, 0.0, false, 1);
        assert!(used >= 95, "{name}: {used} %");
    }
}

#[test]
fn bbr_takes_one_percent_of_losses_for_chance() {
    for seed in 1..=3 {
        let [bbr, newreno] = ["bbr", "newreno"].map(|name| used(name, 0.01, false, seed));
        assert!(bbr >= 85 && newreno < 20, "seed {seed}: {bbr} %, newreno {newreno} %");
    }
}

#[test]
fn eln_fills_a_link_that_tells_of_its_losses() {
    for seed in 1..=3 {
        for (name, without) in [("eln", 12), ("eln:bbr", 80)] {
            let [told, untold] = [true, false].map(|tells| used(name, 0.03, tells, seed));
            assert!(told >= 92 && untold < without, "seed {seed}, {name}: {told} %, untold {untold} %");
        }
    }
}

#[test]
fn fixed_has_its_rate_less_what_is_lost() {
    for (name, percent) in [("fixed:20mbit", 100), ("fixed:10mbit", 50), ("fixed:5mbit,200kB", 25)] {
        for loss in [0, 3, 10] {
            let (used, arrives) = (used(name, loss as f64 / 100.0, false, 1), percent * (100 - loss) / 100);
            assert!(used.abs_diff(arrives) <= 2, "{name} at {loss} %: {used} %, not {arrives} %");
        }
    }
}

#[test]
fn equation_is_about_as_fast_as_newreno() {
    for loss in [0.003, 0.01, 0.03] {
        let [equation, newreno] = ["equation", "newreno"].map(|name| used(name, loss, false, 1));
        assert!(equation * 2 >= newreno && equation <= newreno * 2, "{loss}: {equation} %, newreno {newreno} %");
    }
}
