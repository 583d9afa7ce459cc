//! Measures tng beside its peers: the same work, in one run, interleaved. See docs/performance.md.
#![allow(clippy::disallowed_methods, reason = "it measures: real time, of real processes")]

mod client;
mod conduct;
mod continuations;
mod payload;
mod peer;
mod plot;
mod process;
mod programs;
mod registry;
mod report;
mod role;
mod server;
mod system;
mod variants;
mod work;

use std::path::PathBuf;
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
                   tng-bench rr --size 32 --concurrency 64\n  tng-bench relay --flows 10\n  \
                   tng-bench stateless\n  tng-bench stateless --size 1k\n  \
                   tng-bench programs --rounds 20 --program c=\"./files FOLDER 127.0.0.1:0 key epochs\" \
                   --program rust=\"./stateless_files FOLDER 127.0.0.1:0 STATE\"\n  \
                   tng-bench --json idle --connections 1000 | jq .ratios"
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
    /// Every work, in the sizes of docs/performance.md; with --json an array
    All {
        /// In sizes that say nothing about speed, to see that everything works
        #[arg(long)]
        small: bool,
    },
    /// The floor in all its variants, where the machine has them: a table of their processor time
    Floors {
        /// In sizes that say nothing about speed, to see that everything works
        #[arg(long)]
        small: bool,
    },
    /// Continuations of Trickles, each verified and renewed, by one process: how many in a second of its processor
    Continuations {
        /// How long a round takes, in seconds of processor time
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
    },
    /// Servers of files without state, each a program of its own: processor time of each for a byte, and the ratio
    Programs {
        /// A name, and the command of a server that prints its ticket first. The word FOLDER stands for the folder
        /// that it serves, STATE for one of its own
        #[arg(long = "program", value_name = "NAME=COMMAND", required = true)]
        programs: Vec<programs::Program>,
        /// How much all clients fetch from each in a round: a number of bytes, or with k, M, G
        #[arg(long, default_value = "512M", value_parser = work::bytes)]
        bytes: u64,
    },
    /// A registry on one processor with many hosts, over each store: what renewals and look-ups cost, and how long
    /// look-ups take beside renewals
    Registry(registry::Asked),
    /// A registry that is measured, started by the bench itself
    #[command(hide = true)]
    RegistryServer {
        /// Where it keeps hosts
        #[arg(long)]
        store: tng_cli::registry::store::StorePlace,
        /// How many it has
        #[arg(long)]
        hosts: u64,
        /// The processor to stay on
        #[arg(long)]
        cpu: Option<usize>,
    },
    /// Draw what --json has printed
    Plot {
        /// Files with a work's object, or an array of such
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The picture, an SVG file
        #[arg(long)]
        out: PathBuf,
    },
    /// One process of a measurement, started by the bench itself
    #[command(hide = true)]
    Role {
        /// Which
        #[arg(value_enum)]
        role: role::Role,
        /// The peer under measurement
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
        Command::All { small } => all(small, &cli.peers, cli.rounds, cli.json),
        Command::Floors { small } => variants::run(small, cli.rounds, cli.json),
        Command::Continuations { seconds } => continuations::run(seconds, cli.rounds, cli.json),
        Command::Programs { programs, bytes } => programs::run(&programs, bytes, cli.rounds, cli.json),
        Command::Registry(asked) => registry::run(&asked, cli.json),
        Command::RegistryServer { store, hosts, cpu } => registry::serve(&store, hosts, cpu),
        Command::Plot { files, out } => plot::draw(&files, &out),
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

/// Those of `peers` that have what the work is about; the usual ones, if nobody is named.
fn who(work: &Work, peers: &[PeerName]) -> Vec<PeerName> {
    let usual: Vec<PeerName> = PeerName::USUAL.into_iter().filter(|peer| peer.is_usual(work)).collect();
    let named = !peers.is_empty();
    let mut peers = if named { peers.to_vec() } else { usual };
    peers.sort_unstable();
    peers.dedup();
    peers.retain(|peer| peer.can(work));
    if !named
        && peers.contains(&PeerName::Split)
        && let Some(obstacle) = peer::between::split::obstacle(work)
    {
        eprintln!("tng-bench: `split` is left out: {obstacle}");
        peers.retain(|peer| *peer != PeerName::Split);
    }
    peers
}

fn run(work: Work, peers: Vec<PeerName>, rounds: u32, json: bool) -> Result<(), Failure> {
    let peers = who(&work, &peers);
    if peers.is_empty() {
        return Err("none of these peers has what this work is about; leave --peers out".into());
    }
    let report = conduct::run(work, &peers, rounds)?;
    if json { report.print_json() } else { report.print_table() }
}

fn all(small: bool, peers: &[PeerName], rounds: u32, json: bool) -> Result<(), Failure> {
    let mut objects = Vec::new();
    for work in Work::all(small) {
        let peers = who(&work, peers);
        if peers.is_empty() {
            continue;
        }
        let report = conduct::run(work, &peers, rounds)?;
        match json {
            true => objects.push(report.json()?),
            false => report.print_table()?,
        }
    }
    if json {
        println!("{}", serde_json::Value::from(objects));
    }
    Ok(())
}
