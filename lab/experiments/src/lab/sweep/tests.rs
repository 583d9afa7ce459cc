use super::*;
use crate::lab::tests::{measured, swept};
use crate::lab::{Context, Param, Worlds};
use crate::page::{Axis, Plot};

/// One whose value is its seed: it fails on seed 7, comes to no outcome on 13, and panics on 666.
static LOTS: Experiment = Experiment {
    name: "ours/lots",
    title: "Lots",
    source: "ours",
    claim: "a seed is small",
    about: "Nothing.",
    params: &[Param::count("most", "6", (0, 1_000), "that a seed is"), Param::share("share", "100%", "of seeds")],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    match context.seed {
        13 => return Err(RunError::broken("the world stands still")),
        666 => panic!("a number of the beast"),
        99 => return Err(RunError::Params("99 makes no sense".to_owned())),
        _ => {}
    }
    let value = context.seed as f64;
    let goal = Goal::AtMost(context.count("most") as f64);
    Ok(Outcome::new(serde_json::json!({}))
        .plot(Plot::new("none", Axis::new("x", ""), Axis::new("y", "")))
        .check(Check::new("the seed", value, "", goal).on(context.share("share")))
        .check(Check::new("a constant", 1.0, "", Goal::AtLeast(1.0))))
}

#[test]
fn of_each_check_the_share_of_seeds_the_median_the_worst_and_those_that_failed_are_told() {
    let sweep = swept(&LOTS, "1..20", &["share=30%"]);
    let [seed, constant] = &sweep.checks[..] else { panic!("{sweep}") };
    // Seed 13 came to no outcome: nothing is worse, and it is no value that holds.
    assert_eq!((seed.held(), seed.median()), (6, 10.0));
    assert!(seed.worst().is_nan());
    assert_eq!(swept(&LOTS, "1..12,14..20", &[]).checks[0].worst(), 20.0);
    assert!(seed.failed().contains(&13) && seed.failed().contains(&7) && !seed.failed().contains(&6));
    assert_eq!(constant.failed(), [13]);
    assert_eq!(sweep.broken, [(13, "the world stands still".to_owned())]);
    assert!(seed.holds() && !constant.holds() && !sweep.holds(), "6 of 20 are 30 %");
}

#[test]
fn a_check_must_hold_on_the_share_that_it_states_beforehand_and_on_all_if_it_states_none() {
    for (share, most, seeds, holds) in [
        ("100%", "20", "1..12", true),
        ("100%", "11", "1..12", false),
        ("95%", "24", "1..12,14..21", true),
        ("95%", "20", "1..12,14..21", true),
        ("95%", "19", "1..12,14..21", false),
    ] {
        let sweep = swept(&LOTS, seeds, &[&format!("share={share}"), &format!("most={most}")]);
        assert_eq!(sweep.holds(), holds, "{sweep}");
        assert_eq!(sweep.unmet().is_empty(), holds, "{sweep}");
    }
}

#[test]
fn fewer_than_twenty_seeds_are_no_verdict_where_chance_decides_and_are_told_so() {
    let few = swept(&LOTS, "1..6", &[]);
    assert!(few.holds() && !few.is_enough());
    assert_eq!(few.verdict(), "none yet, of 6 seeds where it takes 20; so far it holds: 2 of 2 checks, on 6 seeds");
    let many = swept(&LOTS, "1..12,14..21", &["most=30"]);
    assert_eq!(many.verdict(), "holds: 2 of 2 checks, on 20 seeds");
    // One seed draws no lots against itself.
    assert!(swept(&LOTS, "5", &[]).is_enough());
    let one = measured(&LOTS, 5, &[]).to_string();
    assert!(one.contains("5 alone (where chance decides, a verdict takes 20: --seeds 1..20)"), "{one}");
}

#[test]
fn the_same_seeds_come_to_the_same_whoever_ran_which() {
    let params = LOTS.params(&[]).expect("defaults");
    let never = AtomicBool::new(false);
    let by = |jobs| LOTS.sweep("1..12,14..98,100..400".parse().expect("seeds"), &params, false, jobs, &never, &|_| ());
    let alone = by(1).expect("it runs").expect("nobody stops it");
    assert_eq!(alone.checks[0].values[397], (400, 400.0));
    assert_eq!(Ok(Some(alone)), by(7));
}

#[test]
fn a_panic_is_no_outcome_of_its_seed_and_what_makes_no_sense_ends_the_sweep() {
    let sweep = swept(&LOTS, "1,666,2", &[]);
    assert_eq!(sweep.broken, [(666, "panic: a number of the beast".to_owned())]);
    assert_eq!(sweep.checks[0].values.len(), 3);
    let (params, never) = (LOTS.params(&[]).expect("defaults"), AtomicBool::new(false));
    let ended = LOTS.sweep("1,99,2".parse().expect("seeds"), &params, false, 2, &never, &|_| ());
    assert_eq!(ended, Err(RunError::Params("99 makes no sense".to_owned())));
}

#[test]
fn once_it_is_stopped_no_seed_begins() {
    let (params, stop) = (LOTS.params(&[]).expect("defaults"), AtomicBool::new(false));
    let stopping = |progress: Progress| stop.store(progress.done >= 3, Ordering::Relaxed);
    assert_eq!(LOTS.sweep("1..10000".parse().expect("seeds"), &params, false, 1, &stop, &stopping), Ok(None));
}

#[test]
fn as_json_a_sweep_is_one_object_and_a_table_names_few_of_many_seeds_that_failed() {
    let sweep = swept(&LOTS, "1..12,14..40", &["most=10"]);
    let json = serde_json::to_value(&sweep).expect("JSON");
    assert_eq!((&json["name"], &json["holds"], &json["enough"]), (&"ours/lots".into(), &false.into(), &true.into()));
    assert_eq!(json["seeds"].as_array().map(Vec::len), Some(39));
    let check = &json["checks"][0];
    assert_eq!((&check["worst"], &check["share"], &check["failed"][0]), (&40.0.into(), &1.0.into(), &11.into()));
    assert_eq!(check["values"].as_array().map(Vec::len), Some(39));
    assert!(sweep.to_string().contains("22, 23 and 17 others"), "{sweep}");
}
