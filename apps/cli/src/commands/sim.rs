//! `tng sim`: scenarios in virtual time, and whole swarms of them.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use tng_experiments::lab::{Seeds, SeedsError, Shard};
use tng_experiments::swarm::{self, Family, Figures, Part, Swept};
use tng_experiments::{Report, Run, Scenario, page};
use tng_settings::units;
use tng_sim::{RADIO_TIME_MAX, Radio};

use crate::clock;
use crate::commands::lab::{read_shards, until_stopped};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::machine;
use crate::output;
use crate::signals::{stopped, stopped_failure};
use crate::talk::Talk;

/// Shown before everything else in `tng sim --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng sim run scenarios/transfer.toml  100 MB over a lossy path, in virtual time
  tng sim run scenarios/moving-phone.toml --seed 3
                                       with another seed
  tng sim run scenarios/transfer.toml --set link.loss=2%
                                       with another value
  tng sim run scenarios/transfer.toml --set link.queue={packets=100}
                                       with queues of 100 packets, not 1,000
  tng sim run scenarios/priorities.toml --report priorities.html
                                       tables and plots, for a browser
  tng sim run scenarios/transfer.toml --pcapng all.pcapng
                                       capture every datagram, for Wireshark
                                       (docs/observing.md)
  tng sim run scenarios/transfer.toml --trace traces
                                       qlog traces of both ends, for qvis
  tng sim swarm --seeds 0..999         random scenarios, 1000 of each of 13
                                       families
  tng sim swarm --family moves --seeds 17
                                       one of them again
  tng sim swarm --seeds 0..99999 --shard 3/8 > 3
                                       the third of eight parts (shards)
  tng sim merge 1 2 3 4 5 6 7 8        merge the output of all eight
  tng sim radio cellular --seed 7 > cell.trace
                                       a trace for a link: trace = \"cell.trace\"

docs/scenarios.md describes scenario files.";

/// Longest scenario file that is read, in bytes.
pub const SCENARIO_MAX: u64 = 1 << 20;

/// Seeds of a swarm, at most: days of it.
pub const SWARM_SEEDS_MAX: usize = 1_000_000;

/// Arguments of `tng sim`.
#[derive(Args, Debug)]
pub struct SimArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Run a scenario file
    Run(RunArgs),
    /// Run randomly generated scenarios, and report those in which a property fails
    Swarm(SwarmArgs),
    /// Merge the output of all shards of a swarm into the result of a single run
    Merge(MergeArgs),
    /// Generate a trace of a radio link in Mahimahi's format, from a model, to stdout
    Radio(RadioArgs),
}

#[derive(Args, Debug)]
struct RadioArgs {
    /// The model: cellular, wifi or satellite
    #[arg(value_name = "MODEL")]
    model: Radio,
    /// Seed of the trace
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64))]
    seed: u64,
    /// Length, such as 60s or 10min; then it repeats
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::time)]
    duration: Duration,
}

#[derive(Args, Debug)]
struct MergeArgs {
    /// Output of the shards
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct SwarmArgs {
    /// Run a scenario of each family with each of these seeds, such as 0..999 or 1,5,9..12; both ends of a range are
    /// included
    #[arg(long, value_name = "LIST", default_value = "0..199", allow_hyphen_values = true, value_parser = seeds)]
    seeds: Seeds,
    /// Only this family: roads, sizes, moves, outages, paths, restarts, keys, floods, trees, credit, crossed, clocks,
    /// siblings or trickles. May be given more than once
    #[arg(long, value_name = "NAME")]
    family: Vec<Family>,
    /// Run only the I-th of N parts, and write the results to stdout for `tng sim merge`
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

#[derive(Args, Debug)]
struct RunArgs {
    /// The scenario
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Seed, in place of the file's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Override a value of the file, such as link.rate=10mbit, flow.2.bytes=1MB or link.queue={packets=100}. May be
    /// given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write the results as an HTML page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Capture every datagram at both ends of every link (twice if it arrives), keys included (docs/observing.md)
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
    /// Write qlog traces (streaming form) of both ends of every channel to this folder
    #[arg(long, value_name = "DIR")]
    trace: Option<PathBuf>,
    /// Write the keys of every channel, to decrypt captures
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

/// Runs a scenario and prints what came of it.
///
/// # Errors
/// If the scenario makes no sense, a file cannot be read or written, or a flow failed.
pub async fn run(args: SimArgs, talk: Talk) -> Result<(), Failure> {
    let args = match args.action {
        Action::Run(args) => args,
        Action::Swarm(args) => return swarm(args, talk).await,
        Action::Merge(args) => return merge(&args, talk),
        Action::Radio(args) => return radio(&args, talk),
    };
    let page = args.report.clone();
    let began = clock::now();
    let report = tokio::select! {
        ended = tokio::task::spawn_blocking(move || simulate(&args)) => {
            ended.map_err(|error| Failure::new(Exit::Read, "simulating", error))??
        }
        () = stopped() => return Err(stopped_failure()),
    };
    let wall_s = began.elapsed().as_secs_f64();
    talk.payload(format_args!("{report}"));
    let carried: u64 = report.links.iter().map(|link| link.forth.delivered + link.back.delivered).sum();
    let per_s = carried as f64 / wall_s;
    talk.say(format_args!("{:.1} s of virtual time took {wall_s:.2} s: {per_s:.0} packets a second", report.time_s));
    if let Some(path) = page {
        talk.say(format_args!("the page is in {}", path.display()));
    }
    talk.event("report", &json!({ "report": report, "wall_s": wall_s }));
    match report.flows.iter().find_map(|flow| Some((&flow.name, flow.failure.as_ref()?))) {
        Some((name, why)) => Err(Failure::new(Exit::Partial, format!("flow {name}"), why)),
        None => Ok(()),
    }
}

fn seeds(text: &str) -> Result<Seeds, SeedsError> {
    Seeds::read(text, SWARM_SEEDS_MAX)
}

/// Runs worlds drawn by lot.
async fn swarm(args: SwarmArgs, talk: Talk) -> Result<(), Failure> {
    let families = if args.family.is_empty() { Family::ALL.to_vec() } else { args.family };
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let (began, heard) = (clock::now(), talk);
    let (seeds, shard) = (args.seeds.to_string(), args.shard.unwrap_or(Shard::WHOLE));
    let swept = until_stopped("simulating", move |stop| {
        let tell = |failure: &swarm::Failure| {
            heard.warn(failure);
            heard.event("failure", &json!({ "failure": failure }));
        };
        Ok(swarm::sweep(&families, args.seeds.all(), shard, jobs, stop, &tell))
    })
    .await?;
    let wall_s = began.elapsed().as_secs_f64();
    if args.shard.is_some() {
        let (failed, runs) = (swept.failed, swept.runs());
        let part = Part { shard, version: machine::build(), seeds, swept };
        Talk { json: false, ..talk }.payload(json!(part));
        talk.say(format_args!("shard {shard}: {runs} runs took {wall_s:.1} s, {failed} of them failed"));
        return Ok(());
    }
    talk.say(format_args!("{} runs took {wall_s:.1} s", swept.runs()));
    tell(&swept, talk)
}

/// Makes one of what all shards of a swarm have written.
fn merge(args: &MergeArgs, talk: Talk) -> Result<(), Failure> {
    let swept = swarm::merge(&read_shards(&args.files)?);
    let swept = swept.map_err(|error| Failure::new(Exit::Read, "merging", error))?;
    for failure in &swept.failures {
        talk.warn(failure);
        talk.event("failure", &json!({ "failure": failure }));
    }
    tell(&swept, talk)
}

/// Makes a trace.
fn radio(args: &RadioArgs, talk: Talk) -> Result<(), Failure> {
    let (model, seed) = (args.model, args.seed);
    let words = || format!("write a time from 1ms to {RADIO_TIME_MAX:?}: a link repeats its trace");
    let trace = model.trace(seed, args.duration).ok_or_else(|| Failure::usage("--duration", words()))?;
    talk.payload(trace.to_string().trim_end());
    talk.say(format_args!("{model}, seed {seed}: {trace:?}"));
    let (length_s, mean_bps) = (trace.length().as_secs_f64(), trace.mean_bps());
    let fields = json!({ "model": model.name(), "seed": seed, "length_s": length_s, "mean_bps": mean_bps,
                         "times_ms": trace.times() });
    talk.event("radio", &fields);
    Ok(())
}

/// What a swarm came to.
fn tell(swept: &Swept, talk: Talk) -> Result<(), Failure> {
    let row = |name: &str, it: &Figures| {
        let virtual_h = it.virtual_ns as f64 / 3.6e12;
        let (halves, datagrams, echoes) = (it.halves, it.datagrams, it.echoes);
        talk.payload(format_args!(
            "{name:<10} {:>8} {:>14} {halves:>9} {datagrams:>9} {echoes:>9} {:>10} {virtual_h:>9.1}",
            it.runs, it.bytes, it.packets
        ));
    };
    talk.payload(format_args!(
        "{:<10} {:>8} {:>14} {:>9} {:>9} {:>9} {:>10} {:>9}",
        "family", "held", "bytes", "halves", "datagrams", "echoes", "packets", "virtual h"
    ));
    let mut sum = Figures::default();
    for (family, figures) in &swept.families {
        row(family.name(), figures);
        sum.add(figures);
    }
    row("all", &sum);
    talk.event("swarm", &json!({ "swarm": swept }));
    match swept.failures.first() {
        Some(first) => Err(Failure::new(Exit::Partial, format!("{} runs", swept.failed), first)),
        None => Ok(()),
    }
}

fn simulate(args: &RunArgs) -> Result<Report, Failure> {
    let mut scenario = read(&args.file, &args.set)?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    args.report.as_deref().map_or(Ok(()), output::try_file)?;
    let mut run = Run::new(scenario);
    let writing = |path: &Path, error| Failure::write(format!("writing {}", path.display()), &error);
    if let Some(path) = &args.pcapng {
        let file = output::open_private(path, OpenOptions::new().truncate(true))?;
        run.capture(Box::new(BufWriter::new(file))).map_err(|error| writing(path, error))?;
    }
    if let Some(path) = &args.keys {
        let file = output::open_private(path, OpenOptions::new().truncate(true))?;
        run.log_keys(Box::new(BufWriter::new(file)));
    }
    if let Some(folder) = args.trace.clone() {
        std::fs::create_dir_all(&folder).map_err(|error| writing(&folder, error))?;
        run.trace(move |name| Ok(Box::new(BufWriter::new(File::create(folder.join(name))?))));
    }
    let written = [&args.pcapng, &args.trace, &args.keys].into_iter().flatten().map(|path| path.display().to_string());
    let written = written.collect::<Vec<_>>().join(", ");
    let report = run.finish().map_err(|error| Failure::write(format!("writing {written}"), &error))?;
    if let Some(path) = &args.report {
        std::fs::write(path, page::of_report(&report)).map_err(|error| writing(path, error))?;
    }
    Ok(report)
}

fn read(path: &Path, values: &[String]) -> Result<Scenario, Failure> {
    let text = read_text(path)?;
    Scenario::parse_with(&text, values).map_err(|error| Failure::usage(format!("reading {}", path.display()), error))
}

/// The text of a scenario file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let what = || format!("reading {}", path.display());
    let size = std::fs::metadata(path).map_err(|error| Failure::read(what(), &error))?.len();
    if size > SCENARIO_MAX {
        return Err(Failure::new(Exit::Read, what(), format!("a scenario has at most {SCENARIO_MAX} bytes")));
    }
    std::fs::read_to_string(path).map_err(|error| Failure::read(what(), &error))
}
