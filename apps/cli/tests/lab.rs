//! `tng lab` as a process.

use std::process::{Command, Output};

use serde_json::Value;

fn lab(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
    command.arg("lab").args(args).env_clear().output().expect("the tool runs")
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).expect("UTF-8")
}

fn objects(out: &Output) -> Vec<Value> {
    text(&out.stdout).lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn the_list_has_every_experiment_with_its_source_and_parameters() {
    let list = lab(&["list"]);
    let json = objects(&lab(&["list", "--json"]));
    assert!(list.status.success() && json.len() > 2, "{json:?}");
    for one in &json {
        let name = one["name"].as_str().expect("a name");
        assert!(text(&list.stdout).contains(name), "{name}");
    }
    let fig9 = json.iter().find(|one| one["name"] == "sst/fig9").expect("Figure 9");
    assert_eq!(fig9["params"][0]["default"], "1.5mbit");
    assert_eq!((&fig9["virtual"], &fig9["real"]), (&true.into(), &Value::Null));
    let kernel = json.iter().find(|one| one["name"] == "ours/kernel").expect("the kernel");
    assert_eq!((&kernel["virtual"], &kernel["real"]["root"]), (&false.into(), &true.into()));
    let rows: Vec<&str> = text(&list.stdout).lines().filter(|line| !line.starts_with(' ')).collect();
    let column = rows[0].find("what, and").expect("a head");
    assert!(rows.len() == json.len() + 1 && rows.iter().all(|row| row.find(" - ") < Some(column)), "{rows:#?}");
    assert!(rows.iter().any(|row| row.starts_with("tcp/kernel ") && row.contains("  root, 12 min  ")), "{rows:#?}");
}

#[test]
fn a_run_whose_checks_hold_ends_with_0_and_is_one_object_for_programs() {
    let out = lab(&["run", "ours/move", "--seed", "3", "--set", "loss=1%", "--json"]);
    let [object] = &objects(&out)[..] else { panic!("{}", text(&out.stdout)) };
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!((&object["seed"], &object["params"]["loss"]), (&3.into(), &"1%".into()));
    let check = &object["checks"][0];
    for key in ["name", "value", "unit", "goal", "paper", "holds"] {
        assert!(check.get(key).is_some(), "{key} in {check}");
    }
    assert_eq!(objects(&lab(&["run", "ours/move", "--seed", "3", "--set", "loss=1%", "--json"])), objects(&out));
}

#[test]
fn a_run_of_which_a_check_does_not_hold_ends_with_1_and_says_which_on_stderr_alone() {
    let args = ["run", "ours/head-of-line", "--set", "losses=0%", "--set", "runs=1"];
    let out = lab(&args);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("does not hold: "), "{}", text(&out.stdout));
    assert!(text(&out.stderr).contains("at least 1.5"), "{}", text(&out.stderr));
    let out = lab(&[&args[..], &["--json"]].concat());
    assert_eq!((out.status.code(), objects(&out).len()), (Some(1), 1), "{}", text(&out.stdout));
}

#[test]
fn what_nobody_knows_is_told_with_what_was_probably_meant() {
    for (args, code, words) in [
        (&["run", "sst/fgi9"][..], 2, "did you mean \"sst/fig9\"?"),
        (&["run", "fig9"], 2, "did you mean \"sst/fig9\"?"),
        (&["run", "weather"], 2, "tng lab list"),
        (&["run", "sst/fig9", "--set", "rato=1mbit"], 2, "did you mean \"rate\"?"),
        (&["run", "sst/fig9", "--set", "rate=fast"], 2, "like \"100mbit\""),
        (&["run", "sst/fig9", "--set", "rate"], 2, "like rate=10mbit"),
        (&["run", "sst/fig9", "--real"], 2, "virtual time alone"),
        (&["run", "sst/fig9", "--seed", "x"], 2, "--seed"),
        (&["run", "ours/move", "--report", "/nowhere/at/all.html"], 23, "make the folder"),
        (&["all", "--results", "/dev/null/results"], 23, "/dev/null/results"),
        (&["run", "ours/day-offline", "--set", "offline=1000h"], 2, "from 10min to 720h"),
    ] {
        let out = lab(args);
        assert_eq!(out.status.code(), Some(code), "{args:?}: {}", text(&out.stderr));
        assert!(text(&out.stderr).contains(words), "{args:?}: {}", text(&out.stderr));
        assert!(out.stdout.is_empty(), "{args:?} did not run: {}", text(&out.stdout));
    }
}

#[test]
fn a_page_has_what_was_measured_and_its_plots() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("fig9.html");
    let out = lab(&["run", "sst/fig9", "--report", page.to_str().expect("UTF-8"), "--json"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let html = std::fs::read_to_string(&page).expect("the page");
    for words in ["SST 5.6, Figure 9", "holds: 5 of 5 checks", "class=\"plot\"", "rate=1.5mbit"] {
        assert!(html.contains(words), "{words}");
    }
}
