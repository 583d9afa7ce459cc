use super::*;
use crate::lab::tcp::mathis::MATHIS;
use crate::lab::tests::{measured, swept};
use crate::lab::{Context, Param, SEEDS_MIN, Verdict, Worlds};
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
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// The same, which says that chance decides nothing.
static NO_LOTS: Experiment = Experiment { name: "ours/no-lots", seeds: 1, ..LOTS };

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
        .check(Check::new("the seed", value, "", goal).on(context.share("share")).because(format!("it is {value}")))
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
fn a_check_of_the_median_asks_nothing_of_single_seeds() {
    let check = Check::new("the seed", 1.0, "", Goal::Within(3.0, 4.0)).by_median();
    let of = |values: &[f64]| {
        let values = values.iter().enumerate().map(|(seed, value)| (seed as u64, *value)).collect();
        Distribution { check: check.clone(), values, why: None }
    };
    assert!(of(&[1.0, 2.0, 3.5, 9.0, 9.0]).holds() && of(&[3.0, 4.0]).holds());
    assert!(!of(&[3.5, 3.5, 5.0, 5.0, 5.0]).holds() && !of(&[f64::NAN]).holds());
    assert!(!check.is_strict(), "one seed decides nothing");
    assert_eq!(check.goal_words(), "3 to 4, in the median of seeds");
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
    let so_far = "holds: 2 of 2 checks, on 6 seeds";
    assert_eq!(few.verdict_words(), format!("none yet, of 6 seeds where it takes 20; so far it {so_far}"));
    let many = swept(&LOTS, "1..12,14..21", &["most=30"]);
    assert_eq!((many.verdict(), many.verdict_words()), (Verdict::Holds, "holds: 2 of 2 checks, on 20 seeds".into()));
    assert_eq!(swept(&LOTS, "1..12,14..20", &["most=30"]).verdict(), Verdict::Open, "one less");
    let json = serde_json::to_value(&few).expect("JSON");
    assert_eq!((&json["enough"], &json["holds"]), (&false.into(), &serde_json::Value::Null));
    let html = crate::lab::page_of(&[&few, &many], "here");
    assert!(html.contains("none yet"), "{html}");
}

#[test]
fn one_seed_is_no_verdict_where_chance_decides_though_it_never_differs_from_itself() {
    let one = measured(&LOTS, 5, &[]);
    assert!(one.to_string().contains("5 alone (where chance decides, a verdict takes 20: --seeds 1..20)"), "{one}");
    let words = "none yet, of 1 seed where it takes 20; so far it holds: 2 of 2 checks";
    assert_eq!((one.verdict(), one.verdict_words()), (Verdict::Open, words.to_owned()));
    let list = swept(&LOTS, "5", &[]);
    assert_eq!((list.verdict(), list.verdict_words()), (Verdict::Open, format!("{words}, on 1 seed")));
    for json in [serde_json::to_value(&one), serde_json::to_value(&list)] {
        let json = json.expect("JSON");
        assert_eq!((&json["enough"], &json["holds"]), (&false.into(), &serde_json::Value::Null));
    }
    // The control: where the experiment says that chance decides nothing, one is enough; but not for a check that may
    // fail on some seeds, and not of several that differ.
    assert_eq!(
        (measured(&NO_LOTS, 5, &[]).verdict(), swept(&NO_LOTS, "5", &[]).verdict()),
        (Verdict::Holds, Verdict::Holds)
    );
    assert_eq!(measured(&NO_LOTS, 5, &["share=90%"]).verdict(), Verdict::Open);
    assert_eq!(swept(&NO_LOTS, "5", &["share=90%"]).verdict(), Verdict::Open);
    assert_eq!(swept(&NO_LOTS, "5,6", &[]).verdict(), Verdict::Open);
}

#[test]
fn runs_in_real_time_are_a_verdict_however_they_differ_and_in_virtual_time_chance_has_no_part_in_one() {
    for (real, verdict) in [(true, Verdict::Holds), (false, Verdict::Open)] {
        let few = Sweep { real, ..swept(&NO_LOTS, "1..5", &[]) };
        assert!(few.checks.iter().any(Distribution::varies));
        assert_eq!(few.verdict(), verdict, "{few}");
    }
    // Where a check need not hold on each seed it takes twenty of them in real time, too.
    let strays = Sweep { real: true, ..swept(&NO_LOTS, "1..5", &["share=90%"]) };
    assert_eq!(strays.verdict(), Verdict::Open);
}

#[test]
fn of_a_check_that_must_hold_on_every_seed_one_on_which_it_does_not_is_enough_and_says_why() {
    let (one, few) = (measured(&LOTS, 8, &[]), swept(&LOTS, "5..9", &[]));
    assert_eq!((one.verdict(), few.verdict()), (Verdict::Fails, Verdict::Fails));
    assert_eq!(one.unmet()[0].words, "the seed: 8, not at most 6: it is 8");
    assert_eq!(few.reasons(), ["Why not with seed 7: the seed: it is 7"]);
    assert!(few.unmet()[0].words.ends_with("failed with 7, 8, 9; with 7: it is 7"), "{:?}", few.unmet());
    for page in [few.to_string(), crate::lab::markdown(&few, "here"), crate::lab::page_of(&[&few], "here")] {
        assert!(page.contains("with seed 7: the seed: it is 7"), "{page}");
    }
    let json = serde_json::to_value(&few).expect("JSON");
    assert_eq!(json["checks"][0]["why"], serde_json::json!({ "seed": 7, "why": "it is 7" }));
    // One that may fail on some tells nothing yet.
    assert_eq!(swept(&LOTS, "5..9", &["share=90%"]).verdict(), Verdict::Open);
}

#[test]
fn two_checks_of_one_name_are_two_with_one_seed_and_with_many() {
    let set = ["losses=1%,1%", "time=1s"];
    assert_eq!(measured(&MATHIS, 1, &set).outcome.checks.len(), 2);
    let sweep = swept(&MATHIS, "1..2", &set);
    assert_eq!(sweep.checks.len(), 2);
    assert!(sweep.checks.iter().all(|one| one.values.iter().all(|(_, value)| value.is_finite())), "{sweep}");
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
