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

/// `TNG_WRITE=1 cargo test -p tng-experiments --lib docs_results` writes the contents anew.
#[test]
fn docs_results_names_every_experiment_and_says_of_each_what_its_page_says() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let page = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let (index, expected) = (folder.join("README.md"), contents(page));
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
        if let Some(page) = page(&file_name(name, false)) {
            assert!(page.starts_with(&format!("# {name}: {}\n", experiment.title)), "docs/results is not of {name}");
        }
    }
    assert_eq!(written, expected, "docs/results/README.md is not what its pages say");
}
