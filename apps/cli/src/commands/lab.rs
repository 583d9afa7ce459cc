//! `tng lab`: figures and tables of the papers, and our own, measured by name.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng_experiments::lab::{
    self, Asked, Done, Experiment, GROUPS, Group, Head, KNOWN_LEN_MAX, Known, Line, Params, Progress, Ran, Record,
    RunError, SHARD_LEN_MAX, Seeds, SeedsError, Shard, Sweep, VARIED_SEEDS, Varied, Verdict, Which, Worlds,
    experiments,
};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::machine;
use crate::output;
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, folded, hung};

/// Shown before everything else in `tng lab --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng lab list                        list the experiments and their parameters
  tng lab run sst/fig9                run one: what is claimed, what was
                                      measured, and whether it holds
  tng lab run sst/fig9 --seed 7 --set delay=50ms --json
                                      with another seed and link; one JSON
                                      object
  tng lab run tng/eight-channels --seeds 1..40
                                      with each of 40 seeds, on all cores; for
                                      how many each check holds
  tng lab run sst/fig9 --report fig9.html
                                      with plots, for a browser
  tng lab run sst/fig9 --vary delay=5ms,25ms,100ms,300ms
                                      also with each of these: where the claim
                                      ends
  tng lab all tng                     run a group: sst, tng, soak
  tng lab all --report lab.html       run everything; results on one page
  tng lab all --results docs/results  the same as Markdown
  tng lab all --expect docs/results/known-misses.txt
                                      exit code 1 only for what that file does
                                      not expect
  tng lab all --seeds 1..40 --shard 3/8 > 3
                                      the third of eight parts (shards)
  tng lab merge 1 2 3 4 5 6 7 8       merge the output of all eight

docs/lab.md explains the results.";

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
    /// List the experiments: where they run, what they need, and their parameters
    List,
    /// Run one experiment. Exit code 0 if every check holds, else 1; with --expect, 1 for what is unexpected
    Run(RunArgs),
    /// Run every experiment, or those of a group. The exit codes are those of `run`
    All(AllArgs),
    /// Merge the output of all shards into the result of a single run
    Merge(MergeArgs),
}

#[derive(Args, Debug)]
struct ExpectArgs {
    /// A file of known misses: exit code 1 if a check does not hold that is not in it, or one holds that is
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(mut_arg("expect", |arg| arg.conflicts_with("shard")))]
struct RunArgs {
    /// Name of the experiment, as in `tng lab list`
    #[arg(value_name = "NAME", value_parser = experiment)]
    experiment: &'static Experiment,
    /// Seed of all random choices: one run
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    /// Run with each of these seeds, such as 1..40 or 1,5,9..12, on all cores [default: the seeds that the verdict is
    /// about]
    #[arg(long, value_name = "LIST", conflicts_with = "seed", allow_hyphen_values = true, value_parser = seeds)]
    seeds: Option<Seeds>,
    /// Run only the I-th of N parts, and write a line per run to stdout for `tng lab merge`
    #[arg(long, value_name = "I/N", conflicts_with_all = ["report", "results"])]
    shard: Option<Shard>,
    /// Override a default, such as rate=10mbit. May be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also run with each of these values of one parameter, and report for which the checks hold [default: values that
    /// the experiment names]. Five seeds each, or those of --seeds
    #[arg(long, value_name = "KEY=VALUE,VALUE", num_args = 0.., conflicts_with_all = ["real", "shard"])]
    #[arg(value_parser = lab::vary::read)]
    vary: Option<Vec<(String, Vec<String>)>>,
    /// Run on real sockets or kernels, if the experiment supports it; some need root
    #[arg(long)]
    real: bool,
    /// Write the results as an HTML page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the results to this folder as Markdown, with an index in its README.md
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    #[command(flatten)]
    expect: ExpectArgs,
}

#[derive(Args, Debug)]
#[command(mut_arg("expect", |arg| arg.conflicts_with("shard")))]
struct AllArgs {
    /// Only experiments whose names begin with it, as tng/fig5 with tng
    #[arg(value_name = "GROUP", value_parser = group)]
    group: Option<&'static Group>,
    /// Seed of all random choices: one run of each [default: the seeds that the verdict is about]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    /// Run each with each of these seeds, such as 1..40 or 1,5,9..12, on all cores
    #[arg(long, value_name = "LIST", conflicts_with = "seed", allow_hyphen_values = true, value_parser = seeds)]
    seeds: Option<Seeds>,
    /// Run only the I-th of N parts, and write a line per run to stdout for `tng lab merge`
    #[arg(long, value_name = "I/N", conflicts_with_all = ["report", "results"])]
    shard: Option<Shard>,
    /// Run those that support it on real sockets or kernels, instead of all in virtual time
    #[arg(long)]
    real: bool,
    /// Write all results as one HTML page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the results to this folder as Markdown, with an index in its README.md
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    #[command(flatten)]
    expect: ExpectArgs,
}

#[derive(Args, Debug)]
struct MergeArgs {
    /// Output of the shards
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the results as an HTML page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the results to this folder as Markdown, with an index in its README.md
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    #[command(flatten)]
    expect: ExpectArgs,
}

impl ExpectArgs {
    /// The misses that are known.
    ///
    /// # Errors
    /// If the file cannot be read, or names what there is not.
    fn known(&self) -> Result<Known, Failure> {
        let Some(path) = &self.expect else { return Ok(Known::default()) };
        let what = format!("reading {}", path.display());
        let text = read_at_most(path, KNOWN_LEN_MAX, "a file of known misses")?;
        text.parse().map_err(|error| Failure::new(Exit::Usage, what, error).or_try("docs/lab.md, \"Known misses\""))
    }
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
            let known = args.expect.known()?;
            try_places(args.report.as_deref(), args.results.as_deref())?;
            let chosen = args.seed.is_some() || args.seeds.is_some();
            let which = Which::of(args.experiment, args.seed, args.seeds, args.real);
            let asked = Asked { experiment: args.experiment, params, which, real: args.real };
            if let Some(shard) = args.shard {
                return run_shard(shard, vec![asked], talk).await;
            }
            let varied = args.vary.map(|values| to_vary(args.experiment, values)).transpose()?.unwrap_or_default();
            let few = || Seeds::first(VARIED_SEEDS.min(asked.experiment.seeds));
            let seeds = if chosen { asked.which.seeds() } else { few() };
            let mut ran = run_with(asked.clone(), talk).await?.knowing(&known);
            for (key, values) in varied {
                let varied = vary(asked.experiment, seeds.clone(), args.set.clone(), (key, values), talk).await?;
                match &mut ran {
                    Done::One(record) => record.varied.push(varied),
                    Done::Many(sweep) => sweep.varied.push(varied),
                }
            }
            show(&ran, json);
            let made = machine::made(began.elapsed());
            if let Some(folder) = &args.results {
                write_result(folder, ran.as_ran(), &made, talk)?;
            }
            write_page(args.report.as_deref(), &[ran.as_ran()], &made, talk)?;
            judge(&[ran.as_ran()], &args.expect, talk)
        }
        Action::All(args) => all(&args, json, talk).await,
        Action::Merge(args) => merge(&args, json, talk),
    }
}

/// Runs everything that can run there. One that fails does not stop the others.
async fn all(args: &AllArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    let began = clock::now();
    let known = args.expect.known()?;
    try_places(args.report.as_deref(), args.results.as_deref())?;
    let (mut records, mut failed) = (Vec::new(), None);
    let of_group = || GROUPS.iter().filter(|group| args.group.is_none_or(|asked| asked.name == group.name));
    let asked = || of_group().flat_map(|group| group.experiments).copied();
    let runs = asked().filter(|experiment| experiment.runs(args.real)).map(|experiment| {
        let params = experiment.params(&[]).map_err(|error| Failure::new(Exit::Read, experiment.name, error))?;
        let which = Which::of(experiment, args.seed, args.seeds.clone(), args.real);
        Ok(Asked { experiment, params, which, real: args.real })
    });
    let runs = runs.collect::<Result<Vec<_>, Failure>>()?;
    if let Some(shard) = args.shard {
        return run_shard(shard, runs, talk).await;
    }
    for one in runs {
        let since = clock::now();
        let ran = match run_with(one, talk).await {
            Ok(ran) => ran.knowing(&known),
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => {
                talk.warn(&failure);
                failed.get_or_insert(failure);
                continue;
            }
        };
        show(&ran, json);
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
    judge(&records, &args.expect, talk)?;
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
    let (teller, began, running) = (steps.teller(), clock::now(), what.clone());
    let record = until_stopped(&what, move |_| {
        let tell = |words: &str| teller.doing(format!("{}: {words}", experiment.name));
        experiment.measure(seed, params, real, &tell).map_err(|error| failure(&running, error))
    })
    .await?;
    drop(steps);
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

/// Says on stdout what came of one.
fn show(done: &Done, json: bool) {
    match (done, json) {
        (Done::One(record), true) => line(json!(record)),
        (Done::Many(sweep), true) => line(json!(sweep)),
        (Done::One(record), false) => line(record),
        (Done::Many(sweep), false) => line(sweep),
    }
}

async fn run_with(asked: Asked, talk: Talk) -> Result<Done, Failure> {
    let Asked { experiment, params, which, real } = asked;
    match which {
        Which::One(seed) => measure(experiment, seed, params, real, talk).await.map(|one| Done::One(Box::new(one))),
        Which::Many(seeds) => sweep(experiment, seeds, params, real, talk).await.map(|many| Done::Many(Box::new(many))),
    }
}

/// The parameters to vary, with their values: these, or those that the experiment names.
fn to_vary(experiment: &Experiment, values: Vec<(String, Vec<String>)>) -> Result<Vec<(String, Vec<String>)>, Failure> {
    if !values.is_empty() {
        return Ok(values);
    }
    let own = experiment
        .vary
        .iter()
        .map(|(key, values)| ((*key).to_owned(), values.iter().map(|value| (*value).to_owned()).collect()));
    let own: Vec<_> = own.collect();
    match own.is_empty() {
        true => {
            let what = format!("varying {}", experiment.name);
            Err(Failure::usage(what, "it names no parameters for that").or_try("--vary KEY=VALUE,VALUE"))
        }
        false => Ok(own),
    }
}

/// Runs one with each of some values of a parameter.
async fn vary(
    experiment: &'static Experiment,
    seeds: Seeds,
    set: Vec<String>,
    (key, values): (String, Vec<String>),
    talk: Talk,
) -> Result<Varied, Failure> {
    let what = format!("running {}", experiment.name);
    let steps = talk.steps(None, experiment.name);
    let (teller, running) = (steps.teller(), what.clone());
    until_stopped(&what, move |stop| {
        let tell = |value: &str| teller.doing(format!("{}: {key}={value}", experiment.name));
        let varied = experiment.vary((&key, &values), &set, &seeds, jobs(false), stop, &tell);
        varied.map_err(|error| failure(&running, error))?.ok_or_else(stopped_failure)
    })
    .await
}

/// Runs what can be told to stop, apart from this thread; a signal tells it so, and nothing of it is waited for.
///
/// # Errors
/// What it fails with, or that a signal stopped it.
pub async fn until_stopped<T: Send + 'static>(
    what: &str,
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    let running = tokio::task::spawn_blocking(move || work(&stopping));
    tokio::select! {
        ended = running => ended.map_err(|error| Failure::new(Exit::Read, what, error))?,
        () = stopped() => {
            stop.store(true, Ordering::Relaxed);
            Err(stopped_failure())
        }
    }
}

/// Threads that run seeds. In virtual time all cores have a part in it; in real time there is one run at a time, since
/// they would disturb each other.
fn jobs(real: bool) -> usize {
    if real { 1 } else { std::thread::available_parallelism().map_or(1, Into::into) }
}

/// Runs a part of what is asked for, and writes what came of each run to stdout.
async fn run_shard(shard: Shard, asked: Vec<Asked>, talk: Talk) -> Result<(), Failure> {
    for one in &asked {
        check_world(one.experiment, one.real, &format!("running {}", one.experiment.name))?;
    }
    line(json!(Head::new(shard, &machine::build(), &asked)));
    let all: usize = asked.iter().map(|one| one.which.all().len()).sum();
    let own = (0..all).filter(|run| shard.has(*run)).count();
    let steps = talk.steps(Some(own as u64), "the shard");
    let (teller, began) = (steps.teller(), clock::now());
    until_stopped("running a shard", move |stop| {
        let (mut from, mut done) = (0, 0);
        for one in asked {
            let tell = |progress: Progress| teller.done((done + progress.done) as u64);
            let mut written = 0;
            let mut write = |came: Line| {
                written += 1;
                line(json!(came));
            };
            let ran = one.run_shard((shard, from), jobs(one.real), stop, &tell, &mut write);
            if !ran.map_err(|error| failure(&format!("running {}", one.experiment.name), error))? {
                return Err(stopped_failure());
            }
            (from, done) = (from + one.which.all().len(), done + written);
        }
        Ok(())
    })
    .await?;
    drop(steps);
    talk.say(format_args!("shard {shard}: {own} of {all} runs took {:.1} s", began.elapsed().as_secs_f64()));
    Ok(())
}

/// Makes one of what all shards have written.
fn merge(args: &MergeArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    let known = args.expect.known()?;
    try_places(args.report.as_deref(), args.results.as_deref())?;
    let written = read_shards(&args.files)?;
    let merged = lab::merge(&written).map_err(|error| Failure::new(Exit::Read, "merging", error))?;
    let made = machine::merged(written.len());
    let (mut records, mut failed) = (Vec::new(), None);
    for (asked, done) in merged {
        let done = match done {
            Ok(done) => done.knowing(&known),
            Err(why) => {
                let failure = Failure::new(Exit::Partial, format!("running {}", asked.experiment.name), why);
                talk.warn(&failure);
                failed.get_or_insert(failure);
                continue;
            }
        };
        show(&done, json);
        if let Some(folder) = &args.results {
            write_result(folder, done.as_ran(), &made, talk)?;
        }
        records.push(done);
    }
    let records: Vec<&dyn Ran> = records.iter().map(Done::as_ran).collect();
    write_page(args.report.as_deref(), &records, &made, talk)?;
    judge(&records, &args.expect, talk)?;
    failed.map_or(Ok(()), Err)
}

/// What shards have written, by the names of their files.
///
/// # Errors
/// If one cannot be read, or is too long to be one.
pub fn read_shards(files: &[PathBuf]) -> Result<Vec<(String, String)>, Failure> {
    let read =
        |path: &PathBuf| Ok((path.display().to_string(), read_at_most(path, SHARD_LEN_MAX, "what a shard writes")?));
    files.iter().map(read).collect()
}

/// The text of a file that is `kind`, which has so many bytes at most.
fn read_at_most(path: &Path, most: u64, kind: &str) -> Result<String, Failure> {
    let what = || format!("reading {}", path.display());
    let failed = |error: std::io::Error| Failure::read(what(), &error);
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    match text.len() as u64 > most {
        true => Err(Failure::new(Exit::Read, what(), format!("{kind} has at most {most} bytes"))),
        false => Ok(text),
    }
}

/// Runs one with each of some seeds, and says on a terminal how far it is.
async fn sweep(
    experiment: &'static Experiment,
    seeds: Seeds,
    params: Params,
    real: bool,
    talk: Talk,
) -> Result<Sweep, Failure> {
    let what = format!("running {}", experiment.name);
    check_world(experiment, real, &what)?;
    let (jobs, count) = (jobs(real), seeds.all().len());
    let steps = talk.steps(Some(count as u64), experiment.name);
    let (teller, began, running) = (steps.teller(), clock::now(), what.clone());
    let sweep = until_stopped(&what, move |stop| {
        let tell = |progress: Progress| teller.done(progress.done as u64);
        let swept = experiment.sweep(seeds, &params, real, jobs, stop, &tell);
        swept.map_err(|error| failure(&running, error))?.ok_or_else(stopped_failure)
    })
    .await?;
    drop(steps);
    talk.say(format_args!(
        "{} took {:.1} s with {count} seed{}",
        experiment.name,
        began.elapsed().as_secs_f64(),
        if count == 1 { "" } else { "s" }
    ));
    Ok(sweep)
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

/// Every check must hold; of many seeds, on the share of them that it states. What `expect` names must not: then all
/// else is news. A seed that came to no outcome is what a run is that did not come to its end. Of too few seeds nothing
/// is judged; people are told so.
fn judge(ran: &[&dyn Ran], expect: &ExpectArgs, talk: Talk) -> Result<(), Failure> {
    let (open, judged): (Vec<&dyn Ran>, Vec<&dyn Ran>) = ran.iter().partition(|ran| ran.verdict() == Verdict::Open);
    for ran in open {
        let (name, words) = (ran.experiment().name, ran.verdict_words());
        let unmet: String = ran.unmet().iter().map(|unmet| format!("\n  {}", unmet.words)).collect();
        talk.warn(format_args!("{name}: nothing was judged; verdict: {words}{unmet}"));
    }
    let named = |ran: &&dyn Ran| {
        let name = ran.experiment().name;
        ran.news().into_iter().map(|news| format!("{name}: {news}")).collect::<Vec<_>>()
    };
    let news: Vec<String> = judged.iter().flat_map(named).collect();
    let exit = if judged.iter().any(|ran| ran.is_broken()) { Exit::Partial } else { Exit::Unmet };
    let [one_is_not, are_not] = match expect.expect {
        None => ["a check does not hold", "checks do not hold"],
        Some(_) => ["a check is not as expected", "checks are not as expected"],
    };
    match &news[..] {
        [] => Ok(()),
        [one] => Err(Failure::new(exit, one_is_not, one)),
        more => Err(Failure::new(exit, format!("{} {are_not}", more.len()), more.join("\n  "))),
    }
}

fn list(json: bool) {
    if json {
        return experiments().for_each(|experiment| line(described(experiment)));
    }
    let names = experiments().map(|experiment| experiment.name.len()).max().unwrap_or_default();
    line(format_args!("{:names$}  {:<7}  {:<5}  --real", "experiment", "virtual", "seeds"));
    line("    what, and below what can be set of it");
    for Group { name, title, experiments } in GROUPS {
        line(folded(&format!("{name}: {title}")));
        experiments.iter().for_each(|experiment| list_one(experiment, names));
    }
}

/// Columns of what can be set, and its default; a longer one has a line of its own.
const SET_COLUMNS: usize = 24;

fn list_one(experiment: &Experiment, names: usize) {
    let Experiment { name, title, source, worlds, seeds, .. } = experiment;
    let simulated = if experiment.runs(false) { "seconds" } else { "-" };
    let real = worlds
        .real()
        .map_or("-".to_owned(), |needs| format!("{}{} min", if needs.root { "root, " } else { "" }, needs.minutes));
    line(format_args!("{name:names$}  {simulated:<7}  {seeds:<5}  {real}"));
    line(hung("    ", &format!("{title} ({source})")));
    for param in experiment.params {
        let set = format!("{}={}", param.key, param.default);
        if set.len() > SET_COLUMNS {
            line(format_args!("      {set}"));
            line(hung(&" ".repeat(SET_COLUMNS + 8), param.about));
        } else {
            line(hung(&format!("      {set:SET_COLUMNS$}  "), param.about));
        }
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
