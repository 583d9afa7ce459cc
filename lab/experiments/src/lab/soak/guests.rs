//! A host to which guests come and go.

use core::time::Duration;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tng::CodeHash;
use tng::stp::manager::{Arrived, ByHand, Manager, Origin, Policy, Question, default_folder};
use tng::stp::process::PROCESSES_MAX;
use tng_base::Rng;
use tng_stp_abi::Kind;

use super::crowd::{Serving, told};
use super::relay::{SERVER, crowd, settled_from, stand};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Worlds};
use crate::peers::guests::modules::somebody_elses;

/// A host with guests for long.
pub static GUESTS: Experiment = Experiment {
    name: "soak/guests",
    title: "A host to which guests come and go",
    source: "ours",
    claim: "a host that runs whatever transports its clients bring needs no more memory than at first, however many \
            come and are collected, and no client loses a byte",
    about: "Clients and `tng serve`, each in a network namespace of its own; all are processes of the tool. The host \
            accepts whatever comes. So many clients at once fetch a file by a transport of their own, one in five is \
            killed on the way, and another one comes for each that has ended. One in some is a stranger whose \
            transport nobody has met: the host asks for it, compiles it and keeps it; the others come again with \
            theirs, and it runs. What was not used for longest is collected again and again, so soon that as much is \
            there from the first minute on. The memory of the host's own process is looked at every second, and its \
            growth is the slope of the line that lies nearest; the first third does not count, nor what comes before \
            a client that was killed is forgotten for the first time. Processes of guests come and go with modules \
            and connections; they are counted, with what they do not share with the program. For two hours: tng lab \
            run soak/guests --real --set time=2h.",
    params: &[
        Param::span("time", "180s", "clients come"),
        Param::count("clients", "4", (1, 100), "at once"),
        Param::time("pause", "300ms", "until another one comes for one that has ended"),
        Param::size("size", "300kB", "of the file"),
        Param::count("strangers", "6", (1, 1_000), "one client in so many is one"),
        Param::span("every", "10s", "code is collected"),
        Param::size("keep", "400kB", "of code that are left then, at most"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run,
};

/// A host that takes everything.
const POLICY: &str = "accept = \"any\"\n";
const SOME: Goal = Goal::AtLeast(1.0);
/// As many as may run.
const PROCESSES: Goal = Goal::AtMost(PROCESSES_MAX as f64);

/// Makes a client one that nobody knows, with a transport that nobody has met; answers its hash.
fn stranger(home: &Path, number: u64) -> Result<CodeHash, RunError> {
    if home.exists() {
        fs::remove_dir_all(home).map_err(RunError::broken)?;
    }
    let module = somebody_elses(&format!("soak-{number}"));
    let hash = tng::stp::code_hash(&module);
    let folder = default_folder(None, Some(home.into())).map_err(RunError::broken)?;
    let fresh = tng::random_seed().map_err(RunError::broken)?;
    let (manager, _) = Manager::open(&folder, Policy::default(), Vec::new(), fresh).map_err(RunError::broken)?;
    let arrived =
        Arrived { bytes: &module, kind: Kind::Transport, manifest: None, origin: &Origin::File(String::new()) };
    manager.install_by_hand(&arrived, ByHand::default(), &Question::default(), 1).map_err(RunError::broken)?;
    manager.pin(hash, true).map_err(RunError::broken)?;
    fs::write(home.join("transport"), hash.to_string()).map_err(RunError::broken)?;
    Ok(hash)
}

/// Collects what was not used for longest in the host's store; answers how many modules are left.
fn modules_left(serving: &Serving, keep: &[&str]) -> Result<u64, RunError> {
    let mut command = serving.command()?;
    let said = command.args(["stp", "collect", "--json"]).args(keep).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Output { stdout, stderr, .. } = said.output().map_err(RunError::broken)?;
    let event: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    event["modules"].as_u64().ok_or_else(|| {
        let why = String::from_utf8_lossy(&stderr).into_owned();
        RunError::broken(format_args!("tng stp collect does not tell what is left: {why}"))
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (network, mut rng) = (stand(context)?, Rng::from_u64(context.seed));
    let serving = Serving::start_by(&network, SERVER, context.size("size"), Some(POLICY), &mut rng)?;
    let (one_in, every, keep) = (context.count("strangers"), context.time("every"), context.size("keep"));
    let says = move |home: &Path, number: u64| {
        let known = fs::read_to_string(home.join("transport")).ok();
        let hash = match known {
            Some(hash) if !number.is_multiple_of(one_in) => hash,
            _ => stranger(home, number)?.to_string(),
        };
        Ok(vec!["--json".to_owned(), "--transport".to_owned(), hash])
    };
    let crowd = crowd(context, &network, &says);
    let (mut next, mut collected, mut modules_max) = (every, 0_u64, 0_u64);
    let visits = crowd.run(&serving, &mut rng, serving.pid(), |now: Duration| {
        if now >= next {
            next = now + every;
            // Without a size, all that a store may hold is left: so many there are.
            let before = modules_left(&serving, &[])?;
            collected += before.saturating_sub(modules_left(&serving, &["--keep", &format!("{keep}B")])?);
            modules_max = modules_max.max(before);
        }
        Ok(())
    })?;
    let processes = visits.started.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
    let count = |word: &str| visits.settled.get(word).copied().unwrap_or(0);
    let (runs, came) = (count("runs"), count("sendme"));
    let results = json!({
        "ran": runs, "asked_for": came, "collected": collected, "modules_max": modules_max,
        "settled": visits.settled,
    });
    let outcome = told("the host", &visits, settled_from(context.time("time")), results);
    Ok(outcome
        .check(Check::new("clients whose transport ran", runs as f64, "", SOME).ours())
        .check(Check::new("clients whose transport was asked for", came as f64, "", SOME).ours())
        .check(Check::new("processes beside the host, at most", processes as f64, "", PROCESSES))
        .check(Check::new("modules that were collected", collected as f64, "", SOME).ours())
        .note(format!(
            "{collected} modules were collected, and at most {modules_max} were there. What is compiled is held as \
             long as its module is there, and as a connection runs it."
        )))
}
