//! Measures tng beside its peers: the same work, in one run, interleaved. See docs/performance.md.
#![forbid(unsafe_code)]

mod client;
mod conduct;
mod payload;
mod peer;
mod process;
mod report;
mod role;
mod server;
mod work;

use std::process::ExitCode;

use clap::Parser;

use crate::work::{PeerName, Work};

/// What went wrong. The text is all that anybody needs of it.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measure tng beside its peers, on the same work in one run.
///
/// Every round runs every peer once, server and client each in a process of its own, pinned to a processor of its own
/// where there are two. Figures are medians over the rounds; trust the ratios, not the figures.
#[derive(Debug, Parser)]
#[command(
    version,
    before_help = "Examples:\n  tng-bench bulk\n  tng-bench bulk --bytes 2G --mtu best --peers tng,quinn\n  \
                   tng-bench rr --size 32 --concurrency 64\n  tng-bench --json idle --connections 1000 | jq .ratios"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How often each peer does the work
    #[arg(long, global = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// Who does it
    #[arg(long, global = true, value_enum, value_delimiter = ',')]
    peers: Vec<PeerName>,
    /// Print one JSON object and no table
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    #[command(flatten)]
    Work(Work),
    /// One process of a measurement, started by the bench itself
    #[command(hide = true)]
    Role {
        /// Which
        #[arg(value_enum)]
        role: role::Role,
        /// Of which peer
        #[arg(value_enum)]
        peer: PeerName,
        /// At which work, in JSON
        work: String,
        /// The processor to stay on
        #[arg(long)]
        cpu: Option<usize>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Work(work) => run(work, cli.peers, cli.rounds, cli.json),
        Command::Role { role, peer, work, cpu } => role::play(role, peer, &work, cpu),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tng-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(work: Work, peers: Vec<PeerName>, rounds: u32, json: bool) -> Result<(), Failure> {
    let mut peers = if peers.is_empty() { PeerName::ALL.to_vec() } else { peers };
    peers.sort_unstable();
    peers.dedup();
    peers.retain(|peer| peer.can(&work));
    if peers.is_empty() {
        return Err("none of these peers has what this work is about; leave --peers out".into());
    }
    let report = conduct::run(work, &peers, rounds)?;
    if json { report.print_json() } else { report.print_table() }
}
