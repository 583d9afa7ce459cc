//! What holds for every experiment, and what their tests share.

use super::*;

/// Measures an experiment in virtual time, silently.
pub(super) fn measured(experiment: &'static Experiment, seed: u64, set: &[&str]) -> Record {
    let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
    let params = experiment.params(&set).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
    let record = experiment.measure(seed, params, false, &|_| ());
    record.unwrap_or_else(|error| panic!("{}, seed {seed}, {set:?}: {error}", experiment.name))
}

/// Names of the checks that do not hold.
pub(super) fn unmet(outcome: &Outcome) -> Vec<&str> {
    outcome.checks.iter().filter(|check| !check.holds()).map(|check| check.name.as_str()).collect()
}

#[test]
fn every_experiment_has_a_name_of_its_own_in_a_group_and_defaults_of_their_kinds() {
    for (place, experiment) in EXPERIMENTS.iter().enumerate() {
        let name = experiment.name;
        assert!(EXPERIMENTS[..place].iter().all(|other| other.name != name), "{name} twice");
        let (group, word) = name.split_once('/').expect(name);
        assert!(["sst", "tcp", "ours"].contains(&group) && !word.is_empty(), "{name}");
        experiment.params(&[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        for words in [experiment.title, experiment.source, experiment.claim, experiment.about] {
            assert!(!words.is_empty() && !words.contains("  "), "{name}: {words:?}");
        }
        for (at, param) in experiment.params.iter().enumerate() {
            assert!(experiment.params[..at].iter().all(|other| other.key != param.key), "{name}: {} twice", param.key);
        }
    }
}

#[test]
fn an_experiment_is_found_by_its_name_and_who_mistypes_it_is_told_of_the_nearest() {
    assert_eq!(find("sst/fig9").map(|found| found.name), Ok("sst/fig9"));
    for typed in ["sst/fgi9", "fig9", "SST/fig9"] {
        assert_eq!(find(typed).map(|found| found.name), Err(Some("sst/fig9")), "{typed}");
    }
    assert_eq!(find("weather").map(|found| found.name), Err(None));
}

#[test]
fn a_record_is_one_object_with_everything_that_is_needed_to_have_it_again() {
    let record = measured(&sst::fig9::FIG9, 7, &["delay=30ms"]);
    let json = serde_json::to_value(&record).expect("JSON");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    let mut expected = ["name", "seed", "params", "results", "checks"];
    expected.sort_unstable();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(json["params"]["delay"], "30ms");
    assert_eq!(json["params"]["rate"], "1.5mbit");
    assert!(
        json["checks"].as_array().is_some_and(|checks| checks.iter().all(|check| check["holds"] == true)),
        "{json}"
    );
    let text = record.to_string();
    for words in ["seed     7", "delay=30ms", "claim", "paper", "holds: 5 of 5 checks", "█"] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

/// Experiments that take longer than a second: of what their pages say only the headings are compared.
const LONG: [&str; 5] = ["sst/friendliness", "sst/fig8", "tcp/mathis", "ours/head-of-line", "ours/streams-10k"];

fn results() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results")
}

fn page(file: &str) -> Option<String> {
    std::fs::read_to_string(results().join(file)).ok()
}

/// `TNG_WRITE=1 cargo test -p tng-experiments --lib docs_results` writes the contents anew.
#[test]
fn docs_results_names_every_experiment_and_says_of_each_what_its_page_says() {
    let (index, expected) = (results().join("README.md"), contents(page));
    if std::env::var_os("TNG_WRITE").is_some() {
        std::fs::write(&index, &expected).expect("docs/results can be written");
    }
    let written = std::fs::read_to_string(&index).unwrap_or_default();
    for experiment in EXPERIMENTS {
        let name = experiment.name;
        assert!(
            written.contains(name),
            "docs/results/README.md lacks {name}; tng lab run {name} --results docs/results"
        );
        for page in [false, true].into_iter().filter_map(|real| page(&file_name(name, real))) {
            assert!(page.starts_with(&format!("# {name}: {}\n", experiment.title)), "docs/results is not of {name}");
        }
    }
    assert_eq!(written, expected, "docs/results/README.md is not what its pages say");
}

/// What is wrong with the page of an experiment that runs in virtual time: it is to be of a release build, with every default. `checks`:
/// those that there are now, if they are known.
fn faults(experiment: &'static Experiment, page: Option<&str>, checks: Option<&Table>) -> Option<String> {
    let Some(page) = page else { return Some("there is none".to_owned()) };
    let params = experiment.params(&[]).expect("defaults are of their kinds");
    let outcome = Outcome::new(serde_json::json!({}));
    let bare = markdown(&Record { experiment, seed: 1, params, real: false, outcome }, "a release build of tng ");
    let (heading, _) = bare.split_once("\n\n**Verdict**").expect("a page has a verdict");
    if !page.starts_with(heading) {
        return Some(format!("it does not begin with\n{heading}"));
    }
    let checks = checks?;
    let table = page.split("Checks:\n\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let rows: Vec<Vec<&str>> =
        table.lines().skip(2).map(|row| row.trim_matches(['|', ' ']).split(" | ").collect()).collect();
    let same = |row: &Vec<&str>, check: &Vec<String>| {
        // What was measured may change with the code; what it must be, and whether it is, is to be what the page says.
        row.len() == check.len()
            && row.iter().zip(check).enumerate().all(|(column, (one, other))| column == 1 || one == other)
    };
    let alike =
        rows.len() == checks.rows().len() && rows.iter().zip(checks.rows()).all(|(row, check)| same(row, check));
    (!alike).then(|| format!("its checks are not\n{checks}"))
}

#[test]
fn docs_results_has_a_page_of_a_release_build_for_everything_in_virtual_time() {
    let of = |experiment: &'static Experiment| {
        let checks = (!LONG.contains(&experiment.name)).then(|| measured(experiment, 1, &[]).checks());
        let fault = faults(experiment, page(&file_name(experiment.name, false)).as_deref(), checks.as_ref())?;
        Some(format!("{0}: the page is out of date; tng lab run {0} --results docs/results\n{fault}", experiment.name))
    };
    let faults: Vec<String> = EXPERIMENTS.iter().filter(|one| one.runs(false)).filter_map(|one| of(one)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_page_of_other_settings_or_of_a_debug_build_is_found_out() {
    let made = "a release build of tng 0, 0.1 s";
    let record = measured(&sst::fig9::FIG9, 1, &[]);
    let (good, checks) = (markdown(&record, made), record.checks());
    let fault = |page: Option<&str>| faults(&sst::fig9::FIG9, page, Some(&checks));
    assert_eq!(fault(Some(&good)), None);
    let other = |seed, set: &[&str]| markdown(&measured(&sst::fig9::FIG9, seed, set), made);
    let bad = [
        markdown(&record, "a debug build of tng 0, 0.1 s"),
        other(2, &[]),
        other(1, &["delay=30ms"]),
        good.replacen("at least 95", "at least 90", 1),
        good.replacen("3 is new and urgent: ", "", 1),
        good.replacen("| yes |", "| NO |", 1),
        good.replacen("claim: ", "claim: once ", 1),
    ];
    for page in bad {
        assert_ne!(page, good);
        assert!(fault(Some(&page)).is_some(), "{page}");
    }
    assert!(fault(None).is_some());
}
