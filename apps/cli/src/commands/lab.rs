//! `tng lab`: figures and tables of the papers, and our own, measured by name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng_experiments::lab::{
    self, Experiment, GROUPS, Group, Params, Progress, Ran, Record, RunError, Seeds, SeedsError, Sweep, Verdict,
    Worlds, experiments,
};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::machine;
use crate::output;
use crate::signals::{stopped, stopped_failure};
use crate::talk::Talk;

/// Shown before everything else in `tng lab --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng lab list                                every experiment, and what can be set of it
  tng lab run sst/fig9                        one of them: what is claimed, what was measured, whether it holds
  tng lab run sst/fig9 --seed 7 --set delay=50ms --json
                                              other lots, another link; one JSON object
  tng lab run tng/eight-channels --seeds 1..40
                                              with each of 40 seeds, on all cores: on how many each check holds
  tng lab run sst/fig9 --report fig9.html     with plots, for a browser
  tng lab all tng                             a group, like sst, tng or soak
  tng lab all --report lab.html               everything, on one page
  tng lab all --results docs/results          the same as Markdown
docs/lab.md says how to read them.";

/// What a folder of results begins with.
const CONTENTS: &str = "README.md";

/// Arguments of `tng lab`.
#[derive(Args, Debug)]
pub struct LabArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Every experiment: where it runs, what that needs, and what can be set
    List,
    /// Run one experiment. Exit code 0: every check holds; 1: one does not
    Run(RunArgs),
    /// Run every experiment, or every one of a group. Exit code 0: every check holds; 1: one does not
    All(AllArgs),
}

#[derive(Args, Debug)]
struct RunArgs {
    /// Which; `tng lab list` has them
    #[arg(value_name = "NAME", value_parser = experiment)]
    experiment: &'static Experiment,
    /// Decides every lot: one run, with this seed
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    /// Run with each of these seeds, like 1..40 or 1,5,9..12, spread over the cores; if neither this nor --seed is
    /// given, with those that a verdict of the experiment is of
    #[arg(long, value_name = "LIST", conflicts_with = "seed", allow_hyphen_values = true, value_parser = seeds)]
    seeds: Option<Seeds>,
    /// Another value than the default, like rate=10mbit; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// On real sockets or kernels, where the experiment can; some need root
    #[arg(long)]
    real: bool,
    /// Write what came of it as a page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write what came of it to this folder, as Markdown, and what is there to its README.md
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct AllArgs {
    /// Only those whose names begin with it, like tng of tng/fig5
    #[arg(value_name = "GROUP", value_parser = group)]
    group: Option<&'static Group>,
    /// Decides every lot: one run of each, with this seed; if it is not given, with those that its verdict is of
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    /// Run each with each of these seeds, like 1..40 or 1,5,9..12, spread over the cores
    #[arg(long, value_name = "LIST", conflicts_with = "seed", allow_hyphen_values = true, value_parser = seeds)]
    seeds: Option<Seeds>,
    /// Those that can on real sockets or kernels, instead of everything in virtual time
    #[arg(long)]
    real: bool,
    /// Write what came of all of them as one page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write what came of it to this folder, as Markdown, and what is there to its README.md
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
}

fn group(name: &str) -> Result<&'static Group, String> {
    match GROUPS.iter().find(|group| group.name == name) {
        Some(group) => Ok(group),
        None => {
            let names = GROUPS.iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
            Err(format!("there is no such group; there are {names}; tng lab list has all experiments"))
        }
    }
}

fn seed(text: &str) -> Result<u64, String> {
    match text.parse::<Seeds>().map_err(|error| error.to_string())?.all() {
        [seed] => Ok(*seed),
        _ => Err("these are several; --seeds takes them".to_owned()),
    }
}

fn seeds(text: &str) -> Result<Seeds, SeedsError> {
    text.parse()
}

fn experiment(name: &str) -> Result<&'static Experiment, String> {
    lab::find(name).map_err(|nearest| match nearest {
        Some(nearest) => format!("there is no such experiment; did you mean {nearest:?}?"),
        None if GROUPS.iter().any(|group| group.name == name) => {
            format!("it is a group of experiments; tng lab all {name} runs all of it, tng lab list has their names")
        }
        None => "there is no such experiment; tng lab list has all".to_owned(),
    })
}

/// Lists or runs experiments. With `json` each is one object on stdout, in a line of its own.
///
/// # Errors
/// If the parameters make no sense, something is missing here, an experiment did not come to an end, a file cannot be
/// written, or a check does not hold.
pub async fn run(args: LabArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    match args.action {
        Action::List => {
            list(json);
            Ok(())
        }
        Action::Run(args) => {
            let began = clock::now();
            let what = format!("running {}", args.experiment.name);
            let params = args.experiment.params(&args.set).map_err(|error| {
                Failure::usage(&what, error).or_try("tng lab list, which has every parameter with its default")
            })?;
            try_places(args.report.as_deref(), args.results.as_deref())?;
            let which = Which::of(args.experiment, args.seed, args.seeds, args.real);
            let ran = run_with(args.experiment, which, params, args.real, talk).await?;
            ran.show(json);
            let made = machine::made(began.elapsed());
            if let Some(folder) = &args.results {
                write_result(folder, ran.as_ran(), &made, talk)?;
            }
            write_page(args.report.as_deref(), &[ran.as_ran()], &made, talk)?;
            judge(&[ran.as_ran()], talk)
        }
        Action::All(args) => all(&args, json, talk).await,
    }
}

/// Runs everything that can run there. One that fails does not stop the others.
async fn all(args: &AllArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    let began = clock::now();
    try_places(args.report.as_deref(), args.results.as_deref())?;
    let (mut records, mut failed) = (Vec::new(), None);
    let of_group = || GROUPS.iter().filter(|group| args.group.is_none_or(|asked| asked.name == group.name));
    let asked = || of_group().flat_map(|group| group.experiments).copied();
    for experiment in asked().filter(|experiment| experiment.runs(args.real)) {
        let since = clock::now();
        let params = experiment.params(&[]).map_err(|error| Failure::new(Exit::Read, experiment.name, error))?;
        let which = Which::of(experiment, args.seed, args.seeds.clone(), args.real);
        let ran = match run_with(experiment, which, params, args.real, talk).await {
            Ok(ran) => ran,
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => {
                talk.warn(&failure);
                failed.get_or_insert(failure);
                continue;
            }
        };
        ran.show(json);
        if let Some(folder) = &args.results {
            write_result(folder, ran.as_ran(), &machine::made(since.elapsed()), talk)?;
        }
        records.push(ran);
    }
    let skipped: Vec<&str> = asked().filter(|one| !one.runs(args.real)).map(|one| one.name).collect();
    if !skipped.is_empty() {
        let how = if args.real { "without" } else { "with" };
        talk.say(format_args!("not run, since they need to be run {how} --real: {}", skipped.join(", ")));
    }
    let records: Vec<&dyn Ran> = records.iter().map(Done::as_ran).collect();
    let made = machine::made(began.elapsed());
    talk.say(format_args!("{} experiments: {made}", records.len()));
    write_page(args.report.as_deref(), &records, &made, talk)?;
    judge(&records, talk)?;
    failed.map_or(Ok(()), Err)
}

/// Runs one, and says on a terminal how far it is.
///
/// # Errors
/// If it cannot run there or with these parameters, did not come to an end, or Ctrl-C stops it.
pub async fn measure(
    experiment: &'static Experiment,
    seed: u64,
    params: Params,
    real: bool,
    talk: Talk,
) -> Result<Record, Failure> {
    let what = format!("running {}", experiment.name);
    check_world(experiment, real, &what)?;
    let steps = talk.steps(None, experiment.name);
    let (teller, began) = (steps.teller(), clock::now());
    let running = tokio::task::spawn_blocking(move || {
        experiment.measure(seed, params, real, &|words| teller.doing(format!("{}: {words}", experiment.name)))
    });
    let ended = tokio::select! {
        ended = running => ended,
        () = stopped() => return Err(stopped_failure()),
    };
    drop(steps);
    let record =
        ended.map_err(|error| Failure::new(Exit::Read, &what, error))?.map_err(|error| failure(&what, error))?;
    talk.say(format_args!("{} took {:.1} s", experiment.name, began.elapsed().as_secs_f64()));
    Ok(record)
}

/// Whether it can run there.
fn check_world(experiment: &Experiment, real: bool, what: &str) -> Result<(), Failure> {
    let (why, remedy) = match experiment.worlds {
        _ if experiment.runs(real) => return Ok(()),
        Worlds::Real(_) => ("it measures real sockets or kernels", "--real"),
        _ => ("it runs in virtual time alone", "without --real"),
    };
    Err(Failure::usage(what, why).or_try(remedy))
}

/// With which seeds.
enum Which {
    /// One run.
    One(u64),
    /// A run with each of these.
    Many(Seeds),
}

impl Which {
    /// Those that are asked for, or those that a verdict of the experiment is of.
    fn of(experiment: &Experiment, seed: Option<u64>, seeds: Option<Seeds>, real: bool) -> Which {
        match (seed, seeds, experiment.seeds_of_verdict(real)) {
            (Some(seed), ..) => Which::One(seed),
            (None, Some(seeds), _) => Which::Many(seeds),
            (None, None, count @ 2..) => Which::Many(Seeds::first(count)),
            (None, None, _) => Which::One(1),
        }
    }
}

/// An experiment that has run.
enum Done {
    /// With one seed.
    One(Box<Record>),
    /// With many.
    Many(Box<Sweep>),
}

impl Done {
    fn as_ran(&self) -> &dyn Ran {
        match self {
            Done::One(record) => &**record,
            Done::Many(sweep) => &**sweep,
        }
    }

    /// Says on stdout what came of it.
    fn show(&self, json: bool) {
        match (self, json) {
            (Done::One(record), true) => line(json!(record)),
            (Done::Many(sweep), true) => line(json!(sweep)),
            (Done::One(record), false) => line(record),
            (Done::Many(sweep), false) => line(sweep),
        }
    }
}

async fn run_with(
    experiment: &'static Experiment,
    which: Which,
    params: Params,
    real: bool,
    talk: Talk,
) -> Result<Done, Failure> {
    match which {
        Which::One(seed) => measure(experiment, seed, params, real, talk).await.map(|one| Done::One(Box::new(one))),
        Which::Many(seeds) => sweep(experiment, seeds, params, real, talk).await.map(|many| Done::Many(Box::new(many))),
    }
}

/// Runs one with each of some seeds, and says on a terminal how far it is. In virtual time all cores have a part in it;
/// in real time there is one run at a time, since they would disturb each other.
async fn sweep(
    experiment: &'static Experiment,
    seeds: Seeds,
    params: Params,
    real: bool,
    talk: Talk,
) -> Result<Sweep, Failure> {
    let what = format!("running {}", experiment.name);
    check_world(experiment, real, &what)?;
    let jobs = if real { 1 } else { std::thread::available_parallelism().map_or(1, Into::into) };
    let count = seeds.all().len();
    let steps = talk.steps(Some(count as u64), experiment.name);
    let (teller, began) = (steps.teller(), clock::now());
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    let running = tokio::task::spawn_blocking(move || {
        let tell = |progress: Progress| teller.done(progress.done as u64);
        experiment.sweep(seeds, &params, real, jobs, &stopping, &tell)
    });
    let ended = tokio::select! {
        ended = running => ended,
        () = stopped() => {
            stop.store(true, Ordering::Relaxed);
            return Err(stopped_failure());
        }
    };
    drop(steps);
    let sweep =
        ended.map_err(|error| Failure::new(Exit::Read, &what, error))?.map_err(|error| failure(&what, error))?;
    talk.say(format_args!(
        "{} took {:.1} s with {count} seed{}",
        experiment.name,
        began.elapsed().as_secs_f64(),
        if count == 1 { "" } else { "s" }
    ));
    sweep.ok_or_else(stopped_failure)
}

fn failure(what: &str, error: RunError) -> Failure {
    match error {
        RunError::Params(why) => Failure::usage(what, why),
        RunError::Environment { problem, remedy } => Failure::new(Exit::Read, what, problem).or_try(remedy),
        RunError::Denied(why) => match why.split_once("; ") {
            Some((why, remedy)) => Failure::new(Exit::Denied, what, why).or_try(remedy),
            None => Failure::new(Exit::Denied, what, why),
        },
        RunError::Broken(why) => Failure::new(Exit::Partial, what, why),
    }
}

fn line(words: impl std::fmt::Display) {
    // A reader that went away is no reason to stop the work.
    let _ = writeln!(std::io::stdout().lock(), "{words}");
}

/// What cannot be written in the end is told before anything runs.
fn try_places(report: Option<&Path>, results: Option<&Path>) -> Result<(), Failure> {
    report.map_or(Ok(()), output::try_file)?;
    results.map_or(Ok(()), |folder| output::try_folder(folder, CONTENTS))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::write(format!("writing {}", path.display()), &error))
}

fn write_page(path: Option<&Path>, records: &[&dyn Ran], made: &str, talk: Talk) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    write(path, &lab::page_of(records, made))?;
    talk.say(format_args!("the page with the plots is {}", path.display()));
    Ok(())
}

/// Writes the Markdown of one, and of the contents of the folder.
fn write_result(folder: &Path, ran: &dyn Ran, made: &str, talk: Talk) -> Result<(), Failure> {
    output::make_folder(folder)?;
    let path = folder.join(lab::file_name(ran.experiment().name, ran.is_real()));
    write(&path, &lab::markdown(ran, made))?;
    write(&folder.join(CONTENTS), &lab::contents(|file| std::fs::read_to_string(folder.join(file)).ok()))?;
    talk.say(format_args!("the figures are in {}", path.display()));
    Ok(())
}

/// Every check must hold; of many seeds, on the share of them that it states. A seed that came to no outcome is what a
/// run is that did not come to its end. Of too few seeds nothing is judged; people are told so.
fn judge(ran: &[&dyn Ran], talk: Talk) -> Result<(), Failure> {
    let (open, judged): (Vec<&dyn Ran>, Vec<&dyn Ran>) = ran.iter().partition(|ran| ran.verdict() == Verdict::Open);
    for ran in open {
        let (name, words) = (ran.experiment().name, ran.verdict_words());
        let unmet: String = ran.unmet().iter().map(|unmet| format!("\n  {unmet}")).collect();
        talk.warn(format_args!("{name}: nothing was judged; verdict: {words}{unmet}"));
    }
    let named = |ran: &&dyn Ran| {
        let name = ran.experiment().name;
        ran.unmet().into_iter().map(|unmet| format!("{name}: {unmet}")).collect::<Vec<_>>()
    };
    let unmet: Vec<String> = judged.iter().flat_map(named).collect();
    let exit = if judged.iter().any(|ran| ran.is_broken()) { Exit::Partial } else { Exit::Unmet };
    match &unmet[..] {
        [] => Ok(()),
        [one] => Err(Failure::new(exit, "a check does not hold", one)),
        more => Err(Failure::new(exit, format!("{} checks do not hold", more.len()), more.join("\n  "))),
    }
}

fn list(json: bool) {
    if json {
        return experiments().for_each(|experiment| line(described(experiment)));
    }
    let params = || experiments().flat_map(|experiment| experiment.params);
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
    let names = widest(&mut experiments().map(|experiment| experiment.name.len()));
    let keys = widest(&mut params().map(|param| param.key.len()));
    let defaults = widest(&mut params().map(|param| param.default.len()));
    line(format_args!(
        "{:names$}  {:<7}  {:<5}  {:<12}  what, and what can be set",
        "experiment", "virtual", "seeds", "--real"
    ));
    for Group { name, title, experiments } in GROUPS {
        line(format_args!("{name}: {title}"));
        experiments.iter().for_each(|experiment| list_one(experiment, [names, keys, defaults]));
    }
}

fn list_one(experiment: &Experiment, [names, keys, defaults]: [usize; 3]) {
    let Experiment { name, title, source, worlds, seeds, .. } = experiment;
    let simulated = if experiment.runs(false) { "seconds" } else { "-" };
    let real = worlds
        .real()
        .map_or("-".to_owned(), |needs| format!("{}{} min", if needs.root { "root, " } else { "" }, needs.minutes));
    line(format_args!("{name:names$}  {simulated:<7}  {seeds:<5}  {real:<12}  {title} ({source})"));
    for param in experiment.params {
        line(format_args!("  {:keys$}  {:defaults$}  {}", param.key, param.default, param.about));
    }
}

/// An experiment for programs.
fn described(experiment: &Experiment) -> Value {
    let Experiment { name, title, source, claim, about, params, worlds, seeds, .. } = experiment;
    let params: Vec<_> = params
        .iter()
        .map(|param| json!({ "key": param.key, "default": param.default, "about": param.about }))
        .collect();
    let real = worlds.real().map(|needs| json!({ "root": needs.root, "minutes": needs.minutes }));
    json!({
        "name": name, "title": title, "source": source, "claim": claim, "about": about,
        "virtual": experiment.runs(false), "real": real, "seeds": seeds, "params": params,
    })
}
