//! `tng lab` as a process.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

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
    let (groups, rows): (Vec<&str>, Vec<&str>) =
        rows.into_iter().partition(|row| row.split_whitespace().next().is_some_and(|word| word.ends_with(':')));
    assert_eq!(rows.len(), json.len() + 1, "{rows:#?}");
    let is_wide = |line: &&str| line.chars().count() > 80 && line.split_whitespace().count() > 1;
    let wide: Vec<&str> = text(&list.stdout).lines().filter(is_wide).collect();
    assert!(wide.is_empty(), "they fit 80 columns: {wide:#?}");
    assert!(rows.iter().any(|row| row.starts_with("tcp/kernel ") && row.ends_with("  root, 12 min")), "{rows:#?}");
    assert_eq!((&fig9["seeds"], groups.len()), (&20.into(), 7), "{groups:#?}");
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
fn with_known_misses_exit_code_1_is_news_a_miss_that_is_not_known_or_a_known_one_that_holds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("known");
    let expecting = |lines: &str, args: &[&str]| {
        std::fs::write(&file, lines).expect("written");
        lab(&[args, &["--expect", file.to_str().expect("UTF-8")]].concat())
    };
    let args = ["run", "ours/head-of-line", "--set", "losses=0%", "--set", "runs=1"];
    let [object] = &objects(&lab(&[&args[..], &["--json"]].concat()))[..] else { panic!("one object") };
    let missed = |check: &&Value| check["holds"] == false;
    let names = object["checks"].as_array().expect("checks").iter().filter(missed);
    let lines: String =
        names.map(|check| format!("ours/head-of-line: {}\n", check["name"].as_str().expect("a name"))).collect();
    assert!(!lines.is_empty(), "{object}");
    let out = expecting(&lines, &args);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("does not hold: ") && text(&out.stdout).contains("NO, known"), "{out:?}");
    assert_eq!(expecting("", &args).status.code(), Some(1), "nothing is known");

    let args = ["run", "ours/move", "--seed", "3", "--set", "loss=1%"];
    let of_another = expecting(&lines, &args);
    assert_eq!(of_another.status.code(), Some(0), "control: another experiment's: {}", text(&of_another.stderr));
    let [object] = &objects(&lab(&[&args[..], &["--json"]].concat()))[..] else { panic!("one object") };
    let holds = format!("ours/move: {}\n", object["checks"][0]["name"].as_str().expect("a name"));
    let out = expecting(&holds, &args);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    let said = text(&out.stderr);
    assert!(said.contains("not as expected") && said.contains("it holds, and is known as a miss"), "{said}");

    let out = expecting("ours/mvoe: x\n", &args);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("did you mean \"ours/move\"?") && out.stdout.is_empty(), "{out:?}");
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
        (&["run", "sst/fig9", "--seeds", "40..1"], 2, "40..1 ends before it begins; write 1..40"),
        (&["run", "sst/fig9", "--seeds", "1,,2"], 2, "like 1..40 or 1,5,9..12"),
        (&["run", "sst/fig9", "--seeds", "1.."], 2, "\"1..\" lacks an end"),
        (&["run", "sst/fig9", "--seeds", "1,5,,"], 2, "a seed is missing"),
        (&["run", "sst/fig9", "--seeds", "-1"], 2, "\"-1\" is no seed"),
        (&["run", "sst/fig9", "--seed", "-1"], 2, "\"-1\" is no seed"),
        (&["run", "sst/fig9", "--seed", "1..3"], 2, "--seeds takes them"),
        (&["all", "sst", "--seeds", "-1"], 2, "\"-1\" is no seed"),
        (&["run", "tng/eight-channels", "--set", "duration=0s"], 2, "duration: \"0s\" is no time in which"),
        (&["run", "tcp/mathis", "--set", "time=0s"], 2, "time: \"0s\" is no time in which"),
        (&["run", "sst/fig9", "--seeds", "1..3,2"], 2, "seed 2 stands there twice"),
        (&["run", "sst/fig9", "--seeds", "0..99999"], 2, "more than 10000 seeds"),
        (&["run", "sst/fig9", "--seeds", "1..2", "--seed", "1"], 2, "--seed"),
        (&["run", "tcp/mathis", "--seeds", "1..2", "--set", "losses=0%"], 2, "write losses=0.1% or more"),
        (&["all", "weather"], 2, "there are sst, tng, trickles, stp, tcp, ours, soak"),
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
fn with_several_seeds_each_check_tells_on_which_it_held_and_the_same_seeds_tell_the_same() {
    let args = |seeds| ["run", "tcp/mathis", "--seeds", seeds, "--set", "losses=1%", "--set", "time=20s", "--json"];
    let out = lab(&args("1,3..5"));
    let [object] = &objects(&out)[..] else { panic!("{}", text(&out.stdout)) };
    assert_eq!((&object["seeds"], &object["enough"]), (&serde_json::json!([1, 3, 4, 5]), &false.into()));
    let check = &object["checks"][0];
    let values = check["values"].as_array().expect("values");
    assert_eq!((values.len(), &check["share"]), (4, &0.9.into()), "{check}");
    for key in ["name", "unit", "goal", "paper", "held", "median", "worst", "failed", "holds"] {
        assert!(check.get(key).is_some(), "{key} in {check}");
    }
    assert_eq!((out.status.code(), &object["holds"]), (Some(0), &Value::Null), "{}", text(&out.stderr));
    assert_eq!(objects(&lab(&args("1,3..5"))), objects(&out));
    // One of them alone is what it was among the others.
    let alone = lab(&["run", "tcp/mathis", "--seed", "4", "--set", "losses=1%", "--set", "time=20s", "--json"]);
    assert_eq!(objects(&alone)[0]["checks"][0]["value"], values[2]);
}

#[test]
fn a_check_that_fails_on_too_many_seeds_ends_with_1_and_names_them_and_fewer_than_twenty_are_no_verdict() {
    let run =
        |seeds: [&str; 2]| lab(&["run", "tcp/mathis", seeds[0], seeds[1], "--set", "losses=20%", "--set", "time=20s"]);
    let out = run(["--seeds", "1..20"]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("of 20 seeds, not on 90 %"), "{}", text(&out.stderr));
    // One seed is one, however it is asked for.
    for one in [["--seed", "2"], ["--seeds", "2"], ["--seeds", "2..2"]] {
        let out = run(one);
        assert_eq!(out.status.code(), Some(0), "{one:?}: {}", text(&out.stderr));
        let words =
            "tcp/mathis: nothing was judged; verdict: none yet, of 1 seed where it takes 20; so far it does not";
        assert!(text(&out.stderr).contains(words), "{one:?}: {}", text(&out.stderr));
        assert!(text(&out.stdout).contains("none yet, of 1 seed"), "{one:?}: {}", text(&out.stdout));
    }
    let out = run(["--seeds", "2,7"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("0.85 to 1.15 on 0 of 2 seeds, not on 90 %"), "{}", text(&out.stderr));
    for words in
        ["none yet, of 2 seeds where it takes 20", "0 of 2", "2, 7", "Settings of the 2 worlds", "reference TCP"]
    {
        assert!(text(&out.stdout).contains(words), "{words}: {}", text(&out.stdout));
    }
}

#[test]
fn a_page_of_several_seeds_has_the_shares_and_what_the_worlds_were_made_of() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = |loss: &str| {
        let (html, results) = (folder.path().join("page.html"), folder.path().join("results"));
        let (set, report) = (format!("losses={loss}"), html.to_str().expect("UTF-8"));
        let results = results.to_str().expect("UTF-8");
        let args = ["run", "tcp/mathis", "--seeds", "1..2", "--set", &set, "--set", "time=5s"];
        let out = lab(&[&args[..], &["--report", report, "--results", results]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let words = |path: PathBuf| std::fs::read_to_string(path).expect("it is there");
        let read = |path: PathBuf| words(path).split_whitespace().collect::<Vec<_>>().join(" ");
        [read(html.clone()), read(folder.path().join("results/tcp-mathis.md"))]
    };
    let (one, other) = (page("1%"), page("3%"));
    for (one, other) in one.iter().zip(&other) {
        for words in ["held on", "must on", "seed 1 alone", "controller: reno", "receive_buffer: 6291456"] {
            assert!(one.contains(words), "{words}: {one}");
        }
        assert!(one.contains("loss: Independent(0.01)") && other.contains("loss: Independent(0.03)"), "{other}");
    }
}

#[test]
fn a_run_with_many_seeds_is_ended_by_a_signal_at_once_and_says_nothing_on_stdout() {
    for (signal, bit) in [("INT", 1), ("TERM", 14)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let results = folder.path().join("a/folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        let command =
            command.args(["lab", "run", "tcp/mathis", "--seeds", "1..10000", "--results"]).arg(&results).env_clear();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool runs");
        // There are hours of it. Whatever comes first, the signal or the moment in which it simulates, it stops.
        let mut catches = || {
            assert!(child.try_wait().expect("a state").is_none(), "it ended by itself");
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
            caught.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask >> bit & 1 == 1)
        };
        while !catches() {
            std::thread::yield_now();
        }
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.expect("there is a kill").success());
        let out = child.wait_with_output().expect("it ends");
        assert_eq!((out.status.code(), text(&out.stdout)), (Some(130), ""), "{signal}: {}", text(&out.stderr));
        assert!(text(&out.stderr).contains("stopped"), "{signal}: {}", text(&out.stderr));
        assert!(!folder.path().join("a").exists(), "nothing was written, so no folder is left");
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

/// What each shard of a run writes, in files.
fn shards(folder: &std::path::Path, args: &[&str], count: usize) -> Vec<String> {
    let one = |index: usize| {
        let out = lab(&[args, &["--shard", &format!("{index}/{count}")]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        let file = folder.join(format!("{index}.jsonl"));
        std::fs::write(&file, &out.stdout).expect("written");
        file.display().to_string()
    };
    (1..=count).map(one).collect()
}

#[test]
fn what_shards_come_to_is_merged_byte_for_byte_into_what_one_machine_comes_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["run", "tcp/mathis", "--seeds", "1..5,9", "--set", "losses=1%", "--set", "time=5s"];
    let files = shards(folder.path(), &args, 3);
    for json in [&[][..], &["--json"]] {
        let one = lab(&[&args, json].concat());
        // In whatever order.
        let names: Vec<&str> = files.iter().rev().map(String::as_str).collect();
        let merged = lab(&[&["merge"], &names[..], json].concat());
        assert_eq!((text(&merged.stdout), merged.status.code()), (text(&one.stdout), one.status.code()));
        assert!(merged.stdout.len() > 500);
    }
    // More shards than runs: some have nothing to do.
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["run", "ours/move", "--seed", "3"];
    let files = shards(folder.path(), &args, 2);
    let page = folder.path().join("results").display().to_string();
    let merged = lab(&["merge", &files[0], &files[1], "--results", &page]);
    assert_eq!(text(&merged.stdout), text(&lab(&args).stdout));
    let page = std::fs::read_to_string(folder.path().join("results/ours-move.md")).expect("a page");
    assert!(page.contains("merged of 2 shards"), "{page}");
}

#[test]
fn shards_that_are_not_all_of_one_run_are_not_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = |seeds| ["run", "tcp/mathis", "--seeds", seeds, "--set", "losses=1%", "--set", "time=2s"];
    let files = shards(folder.path(), &args("1..4"), 2);
    let another = tempfile::tempdir().expect("a folder");
    let others = shards(another.path(), &args("1..5"), 2);
    let other = folder.path().join("other");
    std::fs::copy(&others[1], &other).expect("copied");
    let whole = std::fs::read_to_string(&files[1]).expect("there");
    let (cut, half) = (folder.path().join("cut"), folder.path().join("half"));
    std::fs::write(&cut, &whole[..whole.len() - 40]).expect("written");
    std::fs::write(&half, whole.lines().take(2).collect::<Vec<_>>().join("\n")).expect("written");
    let [other, cut, half] = [other, cut, half].map(|path| path.display().to_string());
    for (files, words) in [
        (vec![&files[0]], "shard 2/2 is missing"),
        (vec![&files[0], &files[1], &files[0]], "are both shard 1/2"),
        (vec![&files[0], &other], "are not of one job"),
        (vec![&files[0], &cut], "run that shard again"),
        (vec![&files[0], &half], "did not come to its end"),
    ] {
        let names: Vec<&str> = files.into_iter().map(String::as_str).collect();
        let out = lab(&[&["merge"], &names[..]].concat());
        assert!(text(&out.stderr).contains(words), "{words}: {}", text(&out.stderr));
        assert_eq!((out.status.code(), out.stdout.len()), (Some(26), 0), "{words}");
    }
    let out = lab(&["run", "sst/fig9", "--shard", "0/4"]);
    assert!(out.status.code() == Some(2) && text(&out.stderr).contains("like 3/8"), "{}", text(&out.stderr));
}

/// The command of docs/lab.md, "Many machines". Without GNU parallel nothing is tried, unless `TNG_NEED_PARALLEL` is
/// set.
#[test]
fn gnu_parallel_runs_the_parts_and_they_are_merged() {
    let there = Command::new("parallel").arg("--version").output().is_ok_and(|out| out.status.success());
    if !there {
        assert!(std::env::var_os("TNG_NEED_PARALLEL").is_none(), "parallel is missing");
        println!("not tried: there is no GNU parallel; apt install parallel");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let tool = env!("CARGO_BIN_EXE_tng");
    let args = "tcp/mathis --seeds 1..6 --set losses=1% --set time=2s";
    let run = format!("parallel '{tool} lab run {args} --shard {{}}/3 > {{}}.jsonl' ::: 1 2 3");
    let out = Command::new("bash").args(["-c", &run]).current_dir(&folder).output().expect("it runs");
    assert!(out.status.success(), "{}", text(&out.stderr));
    let merge = format!("{tool} lab merge {{1..3}}.jsonl");
    let merged = Command::new("bash").args(["-c", &merge]).current_dir(&folder).output().expect("it runs");
    let args: Vec<&str> = ["run"].into_iter().chain(args.split(' ')).collect();
    assert_eq!(text(&merged.stdout), text(&lab(&args).stdout));
}

/// A run in real time, with processes and network namespaces of its own, of few seconds. What it reaches is for quiet
/// machines: no rate of a moment is judged here, and none is held against another; everything has to work. `None` where
/// there can be no networks, or a program is missing, unless `TNG_NEED_LINK` is set.
fn real(name: &str, set: &[&str]) -> Option<Value> {
    let needed = std::env::var_os("TNG_NEED_LINK").is_some();
    if let Err(why) = tng_emulator::hindrance() {
        assert!(!needed, "there are no networks: {why}");
        println!("skipped: {why}");
        return None;
    }
    let pairs: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
    command.args(["lab", "run", name, "--real", "--json"]).args(pairs);
    let out = command.output().expect("the tool runs");
    if out.status.code() == Some(26) && !needed {
        println!("skipped: {}", text(&out.stderr));
        return None;
    }
    assert!(matches!(out.status.code(), Some(0 | 1)), "{name}: {}", text(&out.stderr));
    let [object] = &objects(&out)[..] else { panic!("{}", text(&out.stdout)) };
    assert!(object["settings"]["worlds"].as_u64() > Some(0), "{name} tells what its worlds are made of");
    Some(object.clone())
}

/// Whether a check of a run holds, of those whose names begin so.
fn holds(object: &Value, name: &str) -> bool {
    let mut checks = object["checks"].as_array().expect("checks").iter();
    let begins = |check: &&Value| check["name"].as_str().is_some_and(|known| known.starts_with(name));
    checks.find(begins).unwrap_or_else(|| panic!("no check {name:?} in {object}"))["holds"] == true
}

#[test]
fn flows_by_way_of_two_relays_are_measured_beside_tcp_quic_and_haproxy_and_outlive_their_relays() {
    let set = ["losses=1%", "step=1s", "bytes=1MB", "rate=10mbit", "delay=10ms"];
    let Some(run) = real("tng/fig10", &set) else { return };
    let transfers = run["results"]["transfers"].as_array().expect("a list");
    let split = transfers.iter().find(|one| one["name"] == "split").expect("it is first");
    assert_eq!(split["helped_percent"], 100.0, "{run}");
    for name in ["split", "kernel reno", "kernel cubic", "QUIC cubic", "haproxy cubic"] {
        let one = transfers.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name} in {run}"));
        assert!(one["mbits"][0].as_f64() > Some(0.0), "{one}");
    }
    assert!(holds(&run, "both relays killed at 1 % loss: transfers whole"), "{run}");
}

#[test]
fn a_relay_that_is_killed_again_and_again_costs_no_byte() {
    let set = ["bytes=3MB", "every=500ms", "once=1", "rate=10mbit"];
    let Some(run) = real("tng/killed", &set) else { return };
    assert!(holds(&run, "killed: transfers whole, every byte right"), "{run}");
    assert!(run["results"]["hits"].as_u64() > Some(0), "{run}");
}

#[test]
fn relays_repair_what_a_satellite_loses() {
    let Some(run) = real("tng/satellite", &["settle=1s", "duration=2s", "rate=10mbit", "delay=50ms"]) else { return };
    let ways = run["results"]["ways"].as_array().expect("a list");
    assert!(ways[0]["repaired"].as_u64() > Some(0) && ways[1]["repaired"] == 0, "{run}");
    assert!(ways.iter().all(|way| way["mbits"].as_f64() > Some(0.0)), "{run}");
}

#[test]
fn a_sender_by_way_of_relays_changes_its_address() {
    let Some(run) = real("tng/fig11", &["before=2s", "notice=1s"]) else { return };
    let cases = run["results"]["cases"].as_array().expect("a list");
    assert!(cases.len() == 6 && cases.iter().all(|case| case["stall_s"].as_f64() < Some(3.0)), "{run}");
}

#[test]
fn a_program_that_knows_of_no_tunnel_sends_through_one_between_relays() {
    let set = ["long-settle=1s", "long-time=2s", "long-delay=50ms", "long-rate=10mbit"];
    let Some(run) = real("tng/tunnel", &set) else { return };
    let rows = run["results"]["rows"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["mbits"].as_f64() > Some(0.0)), "{run}");
    assert!(holds(&run, "ends of the tunnel that are up"), "{run}");
}

#[test]
fn what_a_relay_carries_is_measured_beside_haproxy() {
    let Some(run) = real("tng/capacity", &["flows=1,20", "settle=100ms", "time=500ms"]) else { return };
    for (name, places) in [("relay", 2), ("haproxy", 2)] {
        let rows = run["results"][name].as_array().expect("a list");
        assert!(rows.len() == places && rows.iter().all(|row| row["mbits"].as_f64() > Some(0.0)), "{run}");
    }
    // A path whose relay shares its processor with all else may be left for that; before that they are on it.
    assert!(run["results"]["relay"][1]["joined"].as_f64() > Some(0.0), "{run}");
}

#[test]
fn clients_come_and_go_and_lose_no_byte_though_a_relay_is_killed() {
    for (name, set) in [("soak/relay", &["time=6s", "every=2s"][..]), ("soak/host", &["time=3s"])] {
        let Some(run) = real(name, set) else { return };
        assert!(holds(&run, "clients that failed") && holds(&run, "clients that have the whole file"), "{run}");
        assert!(name == "soak/host" || holds(&run, "kills of the first relay"), "{run}");
    }
}

#[test]
fn hosts_come_to_a_registry_move_ask_leave_and_vanish_and_who_is_there_is_found() {
    let Some(run) = real("soak/registry", &["time=6s", "hosts=8", "stay=2s", "pause=100ms"]) else { return };
    for name in ["what failed of hosts that were there", "hosts that came", "moves", "hosts found, which answered"] {
        assert!(holds(&run, name), "{name}: {run}");
    }
    for name in ["introductions", "hosts watched"] {
        assert!(holds(&run, name), "{name}: {run}");
    }
}

/// `TNG_SEEDS=40` makes as many moves as the experiment by itself. How long a stall lasts is up to how busy the machine
/// is: that the stream goes on at all, which it does not without the registry, is not.
#[test]
fn a_sender_that_moves_behind_a_firewall_is_found_through_a_registry() {
    let moves = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse::<u32>().ok()).unwrap_or(2);
    let Some(run) = real("tng/fig11-registry", &[&format!("moves={moves}")]) else { return };
    let (made, lost) = (run["results"]["moves"].as_array().expect("a list"), &run["results"]["lost"]["stall_s"]);
    assert_eq!(made.len(), moves as usize, "{run}");
    assert!(made.iter().all(|made| made["stall_s"].as_f64() < lost.as_f64()), "{run}");
    assert!(holds(&run, "without the registry"), "control: {run}");
    assert!(moves < 40 || holds(&run, "moves that stall no longer"), "{run}");
}

#[test]
fn guests_come_to_a_host_run_there_and_are_collected_and_no_client_loses_a_byte() {
    let Some(run) = real("soak/guests", &["time=12s", "every=3s", "keep=100kB", "strangers=2"]) else { return };
    for name in ["clients that failed", "clients that have the whole file"] {
        assert!(holds(&run, name), "{run}");
    }
    for name in ["clients whose transport ran", "clients whose transport was asked for", "modules that were collected"]
    {
        assert!(holds(&run, name), "{run}");
    }
}

#[test]
fn a_transport_comes_from_one_process_to_another_and_from_there_to_a_third() {
    let Some(run) = real("stp/fig2", &[]) else { return };
    for name in ["connections that settled what they should", "connections whose file is there"] {
        assert!(holds(&run, name), "{run}");
    }
}

#[test]
fn downloads_outlive_servers_that_are_killed_over_their_connections() {
    let few = ["kills=6", "bytes=8MiB", "undisturbed=1"];
    let Some(run) = real("trickles/kills", &few) else { return };
    for kind in ["by turns, two servers", "drawn, two servers", "drawn, one server"] {
        assert!(holds(&run, &format!("{kind}: files whole, every byte right")), "{run}");
    }
    assert!(holds(&run, "by turns, two servers: connections beyond the first"), "{run}");
}

#[test]
fn downloads_outlive_a_fleet_that_is_restarted_one_by_one() {
    let Some(run) = real("trickles/rolling", &["rounds=1", "every=2s", "undisturbed=1", "bytes=16MiB"]) else { return };
    for policy in ["stay", "spray"] {
        for check in ["files whole, every byte right", "connections beyond the first", "requests refused for their age"]
        {
            assert!(holds(&run, &format!("{policy}: {check}")), "{run}");
        }
    }
}

#[test]
fn clients_that_spray_share_what_two_servers_carry() {
    let Some(run) = real("trickles/sprayed", &["connections=4", "rate=10mbit", "settle=2s", "time=3s"]) else { return };
    let runs = run["results"]["runs"].as_array().expect("a list");
    assert!(runs.len() == 3 && runs.iter().all(|one| one["sum_bps"].as_f64() > Some(1e6)), "{run}");
}

#[test]
fn what_a_server_holds_is_measured_beside_what_the_kernel_holds_for_tcp() {
    let set = ["real-clients=10,40", "real-time=1s", "silent=50,300", "silent-tcp=300"];
    let Some(run) = real("trickles/fig16", &set) else { return };
    assert!(holds(&run, "Trickles: the server's memory with all silent clients"), "{run}");
    assert!(holds(&run, "Trickles: silent clients that had the file whole"), "{run}");
    let silent = run["results"]["silent"].as_array().expect("a list");
    let tcp = silent.iter().find(|one| one["clients"] == 300 && one["over"] == "the kernel's TCP").expect("measured");
    let kept = silent.iter().find(|one| one["clients"] == 300 && one["over"] == "Trickles").expect("measured");
    // They leave their sockets to those who begin after them, fifty at once; those of TCP cannot.
    assert!(kept["open_files"].as_u64() < Some(200) && tcp["open_files"].as_u64() > Some(300), "{kept} {tcp}");
    // What each has in the middle of its file waits in the kernel.
    assert!(tcp["connections"].as_u64() >= Some(300) && tcp["tcp_bytes"].as_f64() > Some(300.0 * 10_000.0), "{tcp}");
    let loads = run["results"]["loads"].as_array().expect("a list");
    assert!(loads.len() == 4 && loads.iter().all(|one| one["aggregate_bps"].as_f64() > Some(1e6)), "{run}");
}

#[test]
fn objects_of_many_sizes_come_from_a_server_that_keeps_nothing_and_from_nginx() {
    let Some(run) = real("trickles/fig17", &["sizes=1kB,100kB", "real-objects=5"]) else { return };
    let networks = run["results"]["networks"].as_array().expect("a list");
    let rates = |network: &Value| network["rates_bps"].as_array().expect("a list").clone();
    let all = networks.iter().flat_map(rates).flat_map(|one| one.as_array().expect("a list").clone());
    assert!(networks.len() == 2 && all.map(|rate| rate.as_f64().expect("a rate")).all(|rate| rate > 0.0), "{run}");
}

#[test]
fn a_server_that_is_killed_costs_its_client_no_connection_and_one_of_tcp_costs_one() {
    let set = ["downs=50ms", "after=1s", "real-kill=1s", "real-rate=20mbit"];
    let Some(run) = real("trickles/fig29", &set) else { return };
    assert!(holds(&run, "down for 50ms: connections lost over Trickles"), "{run}");
    let runs = run["results"]["runs"].as_array().expect("a list");
    let losses: Vec<u64> = runs.iter().map(|one| one["losses"].as_u64().expect("a count")).collect();
    assert!(losses[0] == 0 && losses[1] > 0 && losses[2] == 0, "{run}");
}

#[test]
fn connections_to_two_servers_are_served_by_turns_and_by_the_one_with_the_fewest() {
    let set = ["real-connections=10", "real-rate=10mbit", "real-time=1s", "settle=300ms"];
    let Some(run) = real("trickles/fig30", &set) else { return };
    let runs = run["results"]["runs"].as_array().expect("a list");
    let rates = |one: &Value| one["rates_bps"].as_array().expect("a list").clone();
    let served = |one: &Value| rates(one).iter().filter(|rate| rate.as_f64() > Some(0.0)).count();
    assert!(runs.len() == 3 && runs.iter().all(|one| rates(one).len() == 10 && served(one) >= 2), "{run}");
    assert!(runs.iter().all(|one| one["jain"].as_f64() > Some(0.0)), "{run}");
}

#[test]
fn what_a_servers_processor_does_is_told_by_what_its_functions_are_there_for() {
    let set = ["clients=2", "rate=20mbit", "size=1MB", "settle=300ms", "time=800ms"];
    let Some(run) = real("trickles/fig24", &set) else { return };
    for server in run["results"]["servers"].as_array().expect("a list") {
        let spent = ["process_s_per_mb", "incoming_s_per_mb"].map(|key| server[key].as_f64().expect("a time"));
        assert!(spent.iter().all(|seconds| *seconds > 0.0), "{server}");
    }
    let Some(run) = real("trickles/echo", &["clients=4", "size=1MB", "settle=200ms", "time=800ms"]) else { return };
    assert!(run["results"]["granted"].as_f64() >= Some(1.0), "{run}");
    assert!(
        ["echo_bytes_per_s", "trickles_bytes_per_s"].iter().all(|key| run["results"][key].as_f64() > Some(0.0)),
        "{run}"
    );
}

#[test]
fn clients_of_a_server_that_keeps_nothing_come_go_and_vanish_and_lose_no_byte() {
    let Some(run) = real("soak/trickles", &["time=2s", "clients=100", "pace=400kbit"]) else { return };
    assert!(holds(&run, "clients that failed") && holds(&run, "clients that have the whole file"), "{run}");
    assert!(holds(&run, "memory of the server grows"), "{run}");
}
