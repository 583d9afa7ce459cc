//! The swarm: 15 families of worlds drawn by lot, 200 seeds of each, of siblings 40. `TNG_SEEDS=5000 cargo test
//! --release -p tng-experiments --test families` runs more, and so does `tng sim swarm`.

use std::sync::atomic::AtomicBool;

use tng_experiments::lab::Shard;
use tng_experiments::swarm::{FAILURES_MAX, Family, TWICE_EACH, plan, ride, sweep};

/// Runs a family: everything held, and it was something.
fn holds(family: Family) {
    // Whole downloads take their time.
    let usual = if family == Family::Siblings { 40 } else { 200 };
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let swept =
        sweep(&[family], &(0..seeds).collect::<Vec<_>>(), Shard::WHOLE, 1, &AtomicBool::new(false), &|failure| {
            println!("{failure}")
        });
    let figures = swept.families[0].1;
    println!("{family}: {figures:?}");
    let lines: Vec<String> = swept.failures.iter().map(|failure| format!("{failure}\n    {}", failure.plan)).collect();
    assert!(swept.failed == 0, "{} of {seeds}, {FAILURES_MAX} at most here:\n{}", swept.failed, lines.join("\n"));
    let enough = figures.bytes > 3_000 * seeds && figures.halves > 5 * seeds && figures.packets > 20 * seeds;
    assert!(enough, "{family} did next to nothing: {figures:?}");
    // Three runs of ten have connections of another protocol.
    let echoes = if matches!(family, Family::Siblings | Family::Trickles) { 0 } else { 10 * seeds };
    assert!(figures.echoes >= echoes, "{family}: next to nothing was echoed: {figures:?}");
    // Most of the time something befalls them.
    let relayed = if family == Family::Helpers { figures.bytes / 4 } else { 0 };
    assert!(figures.relayed >= relayed, "{family}: next to nothing went by way of helpers: {figures:?}");
}

#[test]
fn roads_of_every_kind_carry_every_byte() {
    holds(Family::Roads);
}

#[test]
fn packets_may_become_too_large_at_any_time() {
    holds(Family::Sizes);
}

#[test]
fn hosts_may_move_and_nats_forget() {
    holds(Family::Moves);
}

#[test]
fn outages_cost_time_and_nothing_else() {
    holds(Family::Outages);
}

#[test]
fn channels_come_and_go_under_streams() {
    holds(Family::Paths);
}

#[test]
fn a_process_that_begins_anew_is_told_from_the_one_before() {
    holds(Family::Restarts);
}

#[test]
fn keys_may_be_renewed_after_any_packet() {
    holds(Family::Keys);
}

#[test]
fn strangers_cost_little_and_take_nothing() {
    holds(Family::Floods);
}

#[test]
fn trees_of_streams_and_datagrams_arrive() {
    holds(Family::Trees);
}

#[test]
fn little_credit_and_cut_streams_hold_nobody_up() {
    holds(Family::Credit);
}

#[test]
fn both_may_dial_at_once_and_more_than_once() {
    holds(Family::Crossed);
}

#[test]
fn clocks_may_be_wrong_and_timers_late() {
    holds(Family::Clocks);
}

#[test]
fn processes_that_die_or_stand_still_hold_up_no_other_of_their_key() {
    holds(Family::Siblings);
}

#[test]
fn servers_that_keep_nothing_may_be_killed_at_any_time() {
    holds(Family::Trickles);
}

#[test]
fn helpers_may_be_killed_and_changed_under_flows() {
    holds(Family::Helpers);
}

#[test]
fn a_seed_is_a_run_and_another_seed_is_another() {
    let digest = |seed| ride(Family::Moves, seed).map(|figures| figures.digest).expect("it holds");
    assert_eq!(digest(3), digest(3));
    assert_ne!(digest(3), digest(4));
    assert_ne!(plan(Family::Roads, TWICE_EACH), plan(Family::Sizes, TWICE_EACH));
}

#[test]
fn a_family_is_known_by_its_name() {
    for family in Family::ALL {
        assert_eq!(family.name().parse(), Ok(family));
    }
    assert!("road".parse::<Family>().expect_err("none").contains("roads"));
}
