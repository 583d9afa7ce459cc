//! What holds for every experiment, and what their tests share.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::check::with_unit;
use super::markdown::setting;
use super::*;
use crate::settings::Settings;

/// Measures an experiment in virtual time, silently.
pub(super) fn measured(experiment: &'static Experiment, seed: u64, set: &[&str]) -> Record {
    let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
    let params = experiment.params(&set).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
    let record = experiment.measure(seed, params, false, &|_| ());
    record.unwrap_or_else(|error| panic!("{}, seed {seed}, {set:?}: {error}", experiment.name))
}

/// The same with several seeds.
pub(super) fn swept(experiment: &'static Experiment, seeds: &str, set: &[&str]) -> Sweep {
    let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
    let params = experiment.params(&set).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
    let (seeds, never) = (seeds.parse().expect("seeds"), AtomicBool::new(false));
    let swept = experiment.sweep(seeds, &params, false, 2, &never, &|_| ());
    let swept = swept.unwrap_or_else(|error| panic!("{}, {set:?}: {error}", experiment.name));
    swept.expect("nobody stops it")
}

/// Names of the checks that do not hold.
pub(super) fn unmet(outcome: &Outcome) -> Vec<&str> {
    outcome.checks.iter().filter(|check| !check.holds()).map(|check| check.name.as_str()).collect()
}

#[test]
fn every_experiment_has_a_name_of_its_own_in_a_group_and_defaults_of_their_kinds() {
    let grouped = || GROUPS.iter().flat_map(|group| group.experiments.iter().map(move |one| (group.name, *one)));
    for (place, (group, experiment)) in grouped().enumerate() {
        let name = experiment.name;
        assert!(experiments().take(place).all(|other| other.name != name), "{name} twice");
        let (of, word) = name.split_once('/').expect(name);
        assert!(of == group && !word.is_empty(), "{name} in the group {group}");
        assert!(matches!(experiment.seeds, 1 | SEEDS_MIN..=SEEDS_MAX), "{name}: {} seeds", experiment.seeds);
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
    let mut expected =
        ["name", "seed", "params", "settings", "results", "checks", "varied", "enough", "known_misses", "holds"];
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

/// Experiments that take longer than a second, and settings with which they take less. The notes, and of the checks the
/// names, the goals and what the paper has, do not depend on these settings; of what comes out of such a run only that
/// is compared.
const LONG: [(&str, &[&str]); 52] = [
    ("stp/table1", &["worlds=1"]),
    ("stp/table5", &["worlds=1", "conformance=none"]),
    ("stp/spread", &["hosts=20", "meetings=90", "many=2000"]),
    ("stp/fig4", &["settle=1s", "time=2s"]),
    ("stp/fig6", &["settle=1s", "time=2s"]),
    ("stp/cap", &["settle=1s", "time=2s"]),
    ("stp/gain", &["settle=1s", "time=1s"]),
    ("stp/fig5", &["settle=1s", "time=2s"]),
    ("stp/fig7", &["settle=1s", "time=2s"]),
    ("stp/table4", &["time=8s"]),
    ("sst/friendliness", &["length=0.5%"]),
    ("sst/datagrams", &["size=1kB,8kB"]),
    ("sst/fig8", &["pages=20"]),
    ("tng/fig5", &["step=20s", "flows=1"]),
    ("tng/fig6", &["step=20s", "flows=1"]),
    ("tng/fig7a", &["step=20s", "losses=0%,3%"]),
    ("tng/fig7b", &["step=20s", "losses=0%,3%"]),
    ("tng/fig10", &["step=2s", "losses=1%", "bytes=1MB"]),
    ("tng/fig11", &["notice=1s"]),
    ("tng/loops", &["duration=1s"]),
    ("tng/eight-channels", &["duration=2s"]),
    ("tng/killed", &["bytes=2MB"]),
    ("tng/five-helpers", &["duration=1s"]),
    ("tng/bypass", &["flows=1", "rate=2mbit"]),
    ("tng/false-bypass", &["flows=3", "lasts=2s"]),
    ("tng/satellite", &["duration=10s"]),
    ("tng/tunnel", &["step=30s", "rate=2mbit"]),
    ("tng/vegas-domain", &["step=30s", "domain=2mbit", "behind=3mbit"]),
    ("trickles/fig16", &["time=400ms"]),
    ("trickles/fig17", &["objects=1"]),
    ("trickles/fig18", &["time=200ms"]),
    ("trickles/fig19", &["size=500kB"]),
    ("trickles/fig20", &["size=500kB"]),
    ("trickles/fig21", &["size=500kB"]),
    ("trickles/fig22", &["size=500kB"]),
    ("trickles/fig23", &["bytes=250kB"]),
    (
        "trickles/fig25",
        &["settle=2s", "time=200ms", "runs=1", "settle_many=2s", "time_many=200ms", "runs_many=1", "runs_shakes=1"],
    ),
    ("trickles/fig26", &["settle=2s", "time=200ms", "runs=1"]),
    ("trickles/fig27", &["paths=1"]),
    ("trickles/fig28", &["time=200ms"]),
    ("trickles/fig29", &["rate=2mbit"]),
    ("trickles/fig30", &["settle=200ms", "time=200ms"]),
    ("trickles/delta", &["object=500kB"]),
    ("tcp/mathis", &["time=1s"]),
    ("soak/swarm", &["rounds=4", "family=roads"]),
    ("ours/bbr", &["settle=0s", "time=1s"]),
    ("ours/forget", &["size=4MB"]),
    ("ours/head-of-line", &["runs=1", "losses=4%"]),
    ("ours/head-of-line-controlled", &["losses=0.5%", "pages=1", "replies=50"]),
    ("ours/streams-10k", &["streams=100"]),
    ("ours/traces", &["size=500kB", "pages=2"]),
    ("ours/controllers", &["paths=DSL", "controllers=cubic,vegas", "settle=2s", "time=2s"]),
];

/// Experiments whose figures are not the same bit for bit wherever they run: these count the code that there is now.
const DRIFTING: [&str; 3] = ["sst/table2", "tng/table1", "stp/table6"];

/// What of a page's notes and checks has to be as it is now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// Notes, and names, goals and the paper's part of the checks.
    Words,
    /// The same of the checks and whether they hold, but not what was measured. Notes may tell of it, too.
    Verdicts,
    /// Everything.
    Figures,
}

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
    for name in experiments().map(|experiment| experiment.name) {
        assert!(
            written.contains(name),
            "docs/results/README.md lacks {name}; tng lab run {name} --results docs/results"
        );
    }
    assert_eq!(written, expected, "docs/results/README.md is not what its pages say");
}

#[test]
fn what_an_experiment_varies_are_parameters_of_it_and_values_that_they_may_have() {
    for experiment in experiments() {
        for (key, values) in experiment.vary {
            let default = experiment.params.iter().find(|param| param.key == *key).map(|param| param.default);
            assert!(
                values.len() >= 5 && values.iter().any(|value| Some(*value) == default),
                "{} {key}",
                experiment.name
            );
            for value in *values {
                experiment.params(&[format!("{key}={value}")]).expect(experiment.name);
            }
        }
    }
}

/// What a page begins with, up to how it was made: a page in docs/results is of a release build, with every default,
/// and of the seeds that a verdict of the experiment is of.
fn heading(experiment: &'static Experiment, real: bool) -> String {
    let params = experiment.params(&[]).expect("defaults are of their kinds");
    let (settings, made) = (Settings::default(), "a release build of tng ");
    let bare = match experiment.seeds_of_verdict(real) {
        count @ 2.. => markdown(&Sweep::new(experiment, Seeds::first(count), params, real), made),
        _ => {
            let outcome = Outcome::new(serde_json::json!({}));
            markdown(
                &Record { experiment, seed: 1, params, real, settings, outcome, varied: Vec::new(), known: Vec::new() },
                made,
            )
        }
    };
    bare.split_once("\n\n**Verdict**").expect("a page has a verdict").0.to_owned()
}

/// The notes of a page and the rows of its checks.
fn notes_and_checks(page: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let behind = page.split_once("**Verdict**").map_or("", |(_, behind)| behind);
    let (notes, checks) = behind.split_once("Checks:\n\n").unwrap_or_default();
    let table = checks.split("\n\n").next().unwrap_or_default();
    let cells = |row| str::trim_matches(row, ['|', ' ']).split(" | ").collect();
    let notes = notes.split("\n\n").skip(1).filter(|note| !note.is_empty());
    (notes.collect(), table.lines().skip(2).map(cells).collect())
}

/// What is wrong with a page. `now`: what the experiment gives now, and how much of that the page has to say.
fn fault(page: Option<&str>, heading: &str, now: Option<(&dyn Ran, Extent)>) -> Option<String> {
    let Some(page) = page else { return Some("there is none".to_owned()) };
    if !page.starts_with(heading) {
        return Some(format!("it does not begin with\n{heading}"));
    }
    let (ran, extent) = now?;
    let fresh = markdown(ran, "now");
    let ((old_notes, old_checks), (notes, checks)) = (notes_and_checks(page), notes_and_checks(&fresh));
    let measured: &[&str] = match extent {
        Extent::Words => &["measured", "held on", "median", "spread", "failed with seeds", "holds"],
        Extent::Verdicts => &["measured", "held on", "median", "spread", "failed with seeds"],
        Extent::Figures => &[],
    };
    let table = ran.checks();
    let columns: Vec<usize> =
        (0..table.head().len()).filter(|column| !measured.contains(&table.head()[*column].as_str())).collect();
    let same = |old: &Vec<&str>, new: &Vec<&str>| columns.iter().all(|column| old.get(*column) == new.get(*column));
    if extent != Extent::Verdicts && old_notes != notes {
        return Some(format!("its notes are not\n{}", notes.join("\n")));
    }
    // Not of what is so by default: of a setting that is new, whose default changes nothing, no page has to tell.
    let mut parts = ran.settings().parts().map(|part| setting(&part));
    let untold = parts.find(|part| extent == Extent::Figures && !page.contains(part.as_str()));
    if let Some(part) = untold {
        return Some(format!("it does not tell what its worlds are made of:\n{part}"));
    }
    // Of the others what is set, where a part of the experiment has other values.
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let unnamed = ran.settings().parts().find_map(|[name, settings]| {
        let keys = settings.split("; ").filter_map(|one| one.split_once(": ")).map(|(key, _)| format!(" {key}: "));
        [format!("- {name}: ")].into_iter().chain(keys).find(|word| !flat.contains(word.as_str()))
    });
    if let Some(word) = unnamed {
        return Some(format!("of what its worlds are made of it does not tell\n{word}"));
    }
    let alike = old_checks.len() == checks.len() && old_checks.iter().zip(&checks).all(|(old, new)| same(old, new));
    (!alike).then(|| format!("its checks are not\n{table}"))
}

/// Experiments in virtual time that make no world.
const WORLDLESS: [&str; 4] = ["sst/table2", "stp/table6", "trickles/replay", "trickles/sizes"];

/// What is wrong with the page of an experiment that runs in virtual time.
fn fault_of(experiment: &'static Experiment) -> Option<String> {
    let (name, heading) = (experiment.name, heading(experiment, false));
    let (set, extent) = match LONG.iter().find(|(long, _)| *long == name) {
        Some((_, set)) => (*set, Extent::Words),
        None if experiment.seeds > 1 => (&[][..], Extent::Words),
        None if DRIFTING.contains(&name) => (&[][..], Extent::Verdicts),
        None => (&[][..], Extent::Figures),
    };
    // Those of all its seeds would take as long as the page did.
    let ran: Box<dyn Ran> = match experiment.seeds {
        1 => Box::new(measured(experiment, 1, set)),
        _ => Box::new(swept(experiment, "1,2", set)),
    };
    let worldless = WORLDLESS.contains(&name);
    assert_eq!(ran.settings().is_empty(), worldless, "{name} does not tell what its worlds are made of");
    let fault = fault(page(&file_name(name, false)).as_deref(), &heading, Some((&*ran, extent)))?;
    Some(format!("{name}: the page is out of date; tng lab run {name} --results docs/results\n{fault}"))
}

#[test]
fn docs_results_has_a_page_of_a_release_build_for_everything_in_virtual_time() {
    // By all processors: most of these are measured once more, one after the other for minutes.
    let waiting = Mutex::new(experiments().filter(|one| one.runs(false)));
    let next = || waiting.lock().expect("nobody panics while it is held").next();
    let work = || std::iter::from_fn(next).filter_map(fault_of).collect::<Vec<String>>();
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let faults: Vec<String> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let own = work();
        own.into_iter().chain(others.into_iter().flat_map(|one| one.join().expect("no panic"))).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `TNG_WRITE=1 cargo test -p tng-experiments --lib known_misses` writes the file anew.
#[test]
fn docs_results_lists_as_known_misses_what_its_pages_say_does_not_hold() {
    let mut known = Known::default();
    for experiment in experiments() {
        for real in [false, true] {
            let Some(page) = page(&file_name(experiment.name, real)) else { continue };
            for row in notes_and_checks(&page).1.iter().filter(|row| row.last() == Some(&"NO")) {
                known = known.and(experiment.name, real, row[0].replace("\\|", "|"));
            }
        }
    }
    let file = results().join("known-misses.txt");
    let expected = format!("# What does not hold in the pages of this folder: tng lab all --expect FILE\n{known}");
    if std::env::var_os("TNG_WRITE").is_some() {
        std::fs::write(&file, &expected).expect("docs/results can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(written, expected, "docs/results/known-misses.txt is not what the pages say");
    assert_eq!(written.parse(), Ok(known));
}

#[test]
fn what_docs_results_has_of_runs_in_real_time_is_of_a_release_build_and_of_what_is_measured_now() {
    let of = |experiment: &'static Experiment| {
        let (name, page) = (experiment.name, page(&file_name(experiment.name, true))?);
        let fault = fault(Some(&page), &heading(experiment, true), None)?;
        Some(format!("{name}: the page is out of date; tng lab run {name} --real --results docs/results\n{fault}"))
    };
    let faults: Vec<String> = experiments().filter(|one| one.runs(true)).filter_map(of).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_page_of_other_settings_of_a_debug_build_or_of_other_figures_is_found_out() {
    /// As if its verdict were of one seed.
    static ONCE: Experiment = Experiment { seeds: 1, ..sst::fig9::FIG9 };
    let (made, heading) = ("a release build of tng 0, 0.1 s", heading(&ONCE, false));
    let record = measured(&ONCE, 1, &[]);
    let good = markdown(&record, made);
    let fault = |page: &str, extent| fault(Some(page), &heading, Some((&record, extent)));
    let all = [Extent::Words, Extent::Verdicts, Extent::Figures];
    let other = |seed, set: &[&str]| markdown(&measured(&ONCE, seed, set), made);
    let noted = |page: &str| page.replacen("Checks:", "A note.\n\nChecks:", 1);
    let figure = with_unit(record.outcome.checks[0].value, &record.outcome.checks[0].unit);
    // Each with those whom it is not a fault to.
    let pages = [
        (good.clone(), &all[..]),
        (markdown(&record, "a debug build of tng 0, 0.1 s"), &[]),
        (other(2, &[]), &[]),
        (other(1, &["delay=30ms"]), &[]),
        (good.replacen("claim: ", "claim: once ", 1), &[]),
        (good.replacen("at least 95", "at least 90", 1), &[]),
        (good.replacen("3 is new and urgent: ", "", 1), &[]),
        (noted(&good), &[Extent::Verdicts]),
        (good.replacen("| yes |", "| NO |", 1), &[Extent::Words]),
        (good.replacen(&format!("| {figure} |"), "| 12345 |", 1), &[Extent::Words, Extent::Verdicts]),
    ];
    for (place, (page, fine)) in pages.iter().enumerate() {
        assert!(place == 0 || *page != good, "{place} is no other page");
        for extent in all {
            assert_eq!(fault(page, extent).is_none(), fine.contains(&extent), "{place}, {extent:?}:\n{page}");
        }
    }
    assert!(self::fault(None, &heading, None).is_some());
}
