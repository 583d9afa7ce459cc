use super::super::echoes::Repair;
use super::super::{Family, lots};
use super::*;

/// What is found of so many worlds, changed by hand, in which something is broken.
fn found(seeds: u64, defect: Defect, change: impl Fn(&mut Plan)) -> Vec<String> {
    let see = |seed| {
        let mut rng = lots(Family::Helpers, seed);
        let mut plan = Plan::draw(&mut rng);
        change(&mut plan);
        Ride::new(seed, &plan, rng, defect).run().err()
    };
    (0..seeds).filter_map(see).collect()
}

/// That something is broken shows in so many worlds at least, in these words and in no others.
fn shows(found: &[String], worlds: usize, words: &[&str]) {
    assert!(found.len() >= worlds, "control: {} worlds: {found:#?}", found.len());
    let other = found.iter().find(|wrong| !words.iter().any(|words| wrong.contains(words)));
    assert_eq!(other, None, "control");
}

#[test]
fn connections_end_where_no_path_is_left() {
    let found = found(8, Defect::Cut, |plan| {
        plan.configs.iter_mut().for_each(|config| {
            config.keep.time = Some(Duration::from_secs(60));
        })
    });
    // In some all has been said before.
    shows(&found, 4, &["cut off"]);
}

#[test]
fn a_helper_that_gives_what_nobody_offers_is_seen() {
    shows(&found(40, Defect::GrantsAll, |_| ()), 4, &["was asked for"]);
}

#[test]
fn a_helper_that_helps_beyond_a_capability_is_seen() {
    shows(&found(40, Defect::OutlivesTerms, |_| ()), 4, &["until"]);
}

#[test]
fn a_helper_that_says_more_than_three_bytes_for_one_is_seen() {
    shows(&found(60, Defect::Shouts, |_| ()), 2, &["a helper sends"]);
}

#[test]
fn a_tunnel_that_nobody_closes_is_seen() {
    shows(&found(20, Defect::Keeps, |_| ()), 3, &["in the end", "never idle"]);
}

#[test]
fn what_a_tunnel_brings_twice_is_seen() {
    shows(&found(40, Defect::Doubles, |_| ()), 2, &["twice"]);
}

#[test]
fn numbers_that_are_not_repaired_by_way_of_helpers_are_missed() {
    let found = found(20, Defect::Nothing, |plan| (plan.echoes, plan.repair) = (true, Repair::Off));
    shows(&found, 3, &["not done", "cut off", "numbers were asked"]);
}
