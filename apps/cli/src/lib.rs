//! The `tng` tool, as a library so that its parts can be tested without a process around them.
//!
//! One file per subcommand in [`commands`]; what they share beside it: the exit codes, errors that say what to try, the
//! key file, locations, and what is said where.
#![forbid(unsafe_code)]

pub mod addresses;
pub mod clock;
pub mod commands;
pub mod demo;
pub mod exit;
pub mod failure;
pub mod files;
pub mod key;
pub mod location;
pub mod streams;
pub mod talk;

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;

const EXAMPLES: &str = "\
Examples:
  tng id                                     who this host is";

/// The command line.
#[derive(Parser, Debug)]
#[command(name = "tng", version, before_help = EXAMPLES, after_long_help = Exit::table())]
#[command(about = "Files and streams over an encrypted transport that the network can speed up")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Events as NDJSON on stdout
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// No progress bars, even on a terminal
    #[arg(long, global = true)]
    no_progress: bool,
    /// Log more; twice for everything. RUST_LOG overrides
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Who this host is
    #[command(before_help = commands::id::EXAMPLES)]
    Id(commands::id::IdArgs),
}

/// Runs the tool with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let talk = Talk { json: cli.json, quiet: cli.quiet, no_progress: cli.no_progress };
    log(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            talk.failure(&Failure::read("starting", &error));
            return Exit::Read.into();
        }
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = run(cli.command, talk) => ended,
            _ = tokio::signal::ctrl_c() => Err(Failure::new(Exit::Interrupted, "stopped", "Ctrl-C")),
        }
    });
    // A thread that waits for a disk or a terminal must not keep the process.
    runtime.shutdown_background();
    match ended {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            talk.failure(&failure);
            failure.exit.into()
        }
    }
}

async fn run(command: Command, talk: Talk) -> Result<(), Failure> {
    match command {
        Command::Id(args) => commands::id::run(&args, talk),
    }
}

fn log(verbose: u8) {
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| level.into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    debug_assert!(log.is_ok(), "the log is set up once");
}
