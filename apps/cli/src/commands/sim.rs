//! `tng sim`: scenarios in virtual time.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tng_experiments::{Report, Run, Scenario, page};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{stopped, stopped_failure};
use crate::talk::Talk;

/// Shown before everything else in `tng sim --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng sim run scenarios/transfer.toml                            100 MB over a lossy path, in virtual time
  tng sim run scenarios/moving-phone.toml --seed 3               the same phone, other luck
  tng sim run scenarios/transfer.toml --set link.loss=2%         the same file with another value
  tng sim run scenarios/priorities.toml --report priorities.html tables and curves, for a browser
  tng sim run scenarios/transfer.toml --pcapng all.pcapng        every datagram, for Wireshark
docs/scenarios.md says what a scenario file may hold.";

/// Longest scenario file that is read, in bytes.
pub const SCENARIO_MAX: u64 = 1 << 20;

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
}

#[derive(Args, Debug)]
struct RunArgs {
    /// The scenario
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Another seed than the file's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Another value than the file's, like link.rate=10mbit or flow.2.bytes=1MB; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write what came of it as a page with tables and curves
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Capture every datagram at both ends of every link
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
}

/// Runs a scenario and prints what came of it.
///
/// # Errors
/// If the scenario makes no sense, a file cannot be read or written, or a flow failed.
pub async fn run(args: SimArgs, talk: Talk) -> Result<(), Failure> {
    let Action::Run(args) = args.action;
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
    talk.say(format_args!("{:.1} s of virtual time took {wall_s:.2} s", report.time_s));
    if let Some(path) = page {
        talk.say(format_args!("the page is in {}", path.display()));
    }
    talk.event("report", &json!({ "report": report, "wall_s": wall_s }));
    match report.flows.iter().find_map(|flow| Some((&flow.name, flow.failure.as_ref()?))) {
        Some((name, why)) => Err(Failure::new(Exit::Partial, format!("flow {name}"), why)),
        None => Ok(()),
    }
}

fn simulate(args: &RunArgs) -> Result<Report, Failure> {
    let mut scenario = read(&args.file, &args.set)?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    let mut run = Run::new(scenario);
    let writing = |path: &Path, error| Failure::write(format!("writing {}", path.display()), &error);
    if let Some(path) = &args.pcapng {
        let file = File::create(path).map_err(|error| writing(path, error))?;
        run.capture(Box::new(BufWriter::new(file))).map_err(|error| writing(path, error))?;
    }
    // Without a capture nothing is written that could fail.
    let report =
        run.finish().map_err(|error| writing(args.pcapng.as_deref().unwrap_or(Path::new("the capture")), error))?;
    if let Some(path) = &args.report {
        std::fs::write(path, page::of_report(&report)).map_err(|error| writing(path, error))?;
    }
    Ok(report)
}

fn read(path: &Path, values: &[String]) -> Result<Scenario, Failure> {
    let what = || format!("reading {}", path.display());
    let size = std::fs::metadata(path).map_err(|error| Failure::read(what(), &error))?.len();
    if size > SCENARIO_MAX {
        return Err(Failure::new(Exit::Read, what(), format!("a scenario has at most {SCENARIO_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| Failure::read(what(), &error))?;
    Scenario::parse_with(&text, values).map_err(|error| Failure::usage(what(), error))
}
