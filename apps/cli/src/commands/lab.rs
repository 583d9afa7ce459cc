//! `tng lab`: figures and tables of the papers, and our own, measured by name.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Value, json};
use tng_experiments::lab::{self, EXPERIMENTS, Experiment, Params, Record, RunError, Worlds};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{stopped, stopped_failure};
use crate::machine;
use crate::output;
use crate::talk::Talk;

/// Shown before everything else in `tng lab --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng lab list                                every experiment, and what can be set of it
  tng lab run sst/fig9                        one of them: what is claimed, what was measured, whether it holds
  tng lab run sst/fig9 --seed 7 --set delay=50ms --json
                                              other lots, another link; one JSON object
  tng lab run sst/fig9 --report fig9.html     with plots, for a browser
  tng lab all tng                             a group: sst, tng, tcp or ours
  tng lab all --report lab.html               everything, on one page
  tng lab all --results docs/results          the same as Markdown
docs/lab.md says how to read them.";

/// Exclusive upper bound of seeds: a run of several has a seed made of this and its number.
pub const SEED_MAX: u64 = 1 << 52;

/// What a folder of results begins with.
const CONTENTS: &str = "README.md";

/// How often the spinner turns.
const SPIN: Duration = Duration::from_millis(100);

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
    /// Decides every lot
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..SEED_MAX))]
    seed: u64,
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
    group: Option<String>,
    /// Decides every lot
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..SEED_MAX))]
    seed: u64,
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

fn is_of(experiment: &Experiment, group: &str) -> bool {
    experiment.name.split_once('/').is_some_and(|(of, _)| of == group)
}

fn group(name: &str) -> Result<String, String> {
    let found = EXPERIMENTS.iter().any(|experiment| is_of(experiment, name));
    found.then(|| name.to_owned()).ok_or_else(|| "there is no such group; tng lab list has all experiments".to_owned())
}

fn experiment(name: &str) -> Result<&'static Experiment, String> {
    lab::find(name).map_err(|nearest| match nearest {
        Some(nearest) => format!("there is no such experiment; did you mean {nearest:?}?"),
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
            let record = measure(args.experiment, args.seed, params, args.real, talk).await?;
            show(&record, json);
            let made = machine::made(began.elapsed());
            if let Some(folder) = &args.results {
                write_result(folder, &record, &made, talk)?;
            }
            write_page(args.report.as_deref(), &[&record], &made, talk)?;
            judge(&[&record])
        }
        Action::All(args) => all(&args, json, talk).await,
    }
}

/// Runs everything that can run there. One that fails does not stop the others.
async fn all(args: &AllArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    let began = clock::now();
    try_places(args.report.as_deref(), args.results.as_deref())?;
    let (mut records, mut failed) = (Vec::new(), None);
    let of_group = |experiment: &&&Experiment| args.group.as_deref().is_none_or(|group| is_of(experiment, group));
    for experiment in EXPERIMENTS.iter().filter(of_group).filter(|experiment| experiment.runs(args.real)) {
        let since = clock::now();
        let params = experiment.params(&[]).map_err(|error| Failure::new(Exit::Read, experiment.name, error))?;
        let record = match measure(experiment, args.seed, params, args.real, talk).await {
            Ok(record) => record,
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => {
                talk.warn(&failure);
                failed.get_or_insert(failure);
                continue;
            }
        };
        show(&record, json);
        if let Some(folder) = &args.results {
            write_result(folder, &record, &machine::made(since.elapsed()), talk)?;
        }
        records.push(record);
    }
    let skipped: Vec<&str> =
        EXPERIMENTS.iter().filter(of_group).filter(|one| !one.runs(args.real)).map(|one| one.name).collect();
    if !skipped.is_empty() {
        let how = if args.real { "without" } else { "with" };
        talk.say(format_args!("not run, since they need to be run {how} --real: {}", skipped.join(", ")));
    }
    let records: Vec<&Record> = records.iter().collect();
    let made = machine::made(began.elapsed());
    talk.say(format_args!("{} experiments: {made}", records.len()));
    write_page(args.report.as_deref(), &records, &made, talk)?;
    judge(&records)?;
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
    if !experiment.runs(real) {
        let (why, remedy) = match experiment.worlds {
            Worlds::Real(_) => ("it measures real sockets or kernels", "--real"),
            _ => ("it runs in virtual time alone", "without --real"),
        };
        return Err(Failure::usage(what, why).or_try(remedy));
    }
    let shown = !talk.quiet && !talk.no_progress && std::io::stderr().is_terminal();
    let bar =
        if shown { ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()) } else { ProgressBar::hidden() };
    bar.enable_steady_tick(SPIN);
    bar.set_message(experiment.name);
    let telling = bar.clone();
    let began = clock::now();
    let running = tokio::task::spawn_blocking(move || {
        experiment.measure(seed, params, real, &|words| telling.set_message(format!("{}: {words}", experiment.name)))
    });
    let ended = tokio::select! {
        ended = running => ended,
        () = stopped() => return Err(stopped_failure()),
    };
    bar.finish_and_clear();
    let record =
        ended.map_err(|error| Failure::new(Exit::Read, &what, error))?.map_err(|error| failure(&what, error))?;
    talk.say(format_args!("{} took {:.1} s", experiment.name, began.elapsed().as_secs_f64()));
    Ok(record)
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

/// Says on stdout what came of it.
fn show(record: &Record, json: bool) {
    if json {
        line(json!(record));
    } else {
        line(record);
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

fn write_page(path: Option<&Path>, records: &[&Record], made: &str, talk: Talk) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    write(path, &lab::page_of(records, made))?;
    talk.say(format_args!("the page with the plots is {}", path.display()));
    Ok(())
}

/// Writes the Markdown of one, and of the contents of the folder.
fn write_result(folder: &Path, record: &Record, made: &str, talk: Talk) -> Result<(), Failure> {
    let path = folder.join(lab::file_name(record.experiment.name, record.real));
    write(&path, &lab::markdown(record, made))?;
    write(&folder.join(CONTENTS), &lab::contents(|file| std::fs::read_to_string(folder.join(file)).ok()))?;
    talk.say(format_args!("the figures are in {}", path.display()));
    Ok(())
}

/// Every check must hold.
fn judge(records: &[&Record]) -> Result<(), Failure> {
    let unmet = records.iter().flat_map(|record| record.unmet().map(|check| (record.experiment.name, check)));
    let unmet: Vec<String> = unmet.map(|(name, check)| format!("{name}: {check}")).collect();
    match unmet.len() {
        0 => Ok(()),
        1 => Err(Failure::new(Exit::Unmet, "a check does not hold", &unmet[0])),
        count => Err(Failure::new(Exit::Unmet, format!("{count} checks do not hold"), unmet.join("\n  "))),
    }
}

fn list(json: bool) {
    if json {
        return EXPERIMENTS.iter().for_each(|experiment| line(described(experiment)));
    }
    let params = || EXPERIMENTS.iter().flat_map(|experiment| experiment.params);
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
    let names = widest(&mut EXPERIMENTS.iter().map(|experiment| experiment.name.len()));
    let keys = widest(&mut params().map(|param| param.key.len()));
    let defaults = widest(&mut params().map(|param| param.default.len()));
    line(format_args!("{:names$}  {:<7}  {:<12}  what, and what can be set", "experiment", "virtual", "--real"));
    for experiment in EXPERIMENTS {
        let Experiment { name, title, source, worlds, .. } = experiment;
        let simulated = if experiment.runs(false) { "seconds" } else { "-" };
        let real = worlds
            .real()
            .map_or("-".to_owned(), |needs| format!("{}{} min", if needs.root { "root, " } else { "" }, needs.minutes));
        line(format_args!("{name:names$}  {simulated:<7}  {real:<12}  {title} ({source})"));
        for param in experiment.params {
            line(format_args!("  {:keys$}  {:defaults$}  {}", param.key, param.default, param.about));
        }
    }
}

/// An experiment for programs.
fn described(experiment: &Experiment) -> Value {
    let Experiment { name, title, source, claim, about, params, worlds, .. } = experiment;
    let params: Vec<_> = params
        .iter()
        .map(|param| json!({ "key": param.key, "default": param.default, "about": param.about }))
        .collect();
    let real = worlds.real().map(|needs| json!({ "root": needs.root, "minutes": needs.minutes }));
    json!({
        "name": name, "title": title, "source": source, "claim": claim, "about": about,
        "virtual": experiment.runs(false), "real": real, "params": params,
    })
}
