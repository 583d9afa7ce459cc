//! `tng link`: links in real time between network namespaces of this machine.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::link;
use crate::talk::Talk;

/// Shown before everything else in `tng link --help`.
pub const EXAMPLES: &str = "\
Examples:
  sudo tng link up scenarios/transfer.toml
                                     create its nodes and links, in real time
  sudo tng link exec client -- ping server
                                     run a program on a node; nodes know each
                                     other by name
  sudo tng link exec server -- bash  or a shell
  sudo tng link change client-server 'loss 1% rate 20mbit'
                                     change a link, in netem's words, while
                                     programs run
  sudo tng link status               what the links have carried, and how
                                     punctually
  sudo tng link down                 remove all of it, also after a crash
  sudo tng link run scenarios/transfer.toml
                                     also run its flows, as `tng sim run` does
                                     in virtual time
  sudo tng link check                measure rate, delay, jitter, loss,
                                     reordering and duplication

Links are as [[link]] of a scenario file describes them (docs/scenarios.md):
rate, delay, jitter, loss, reordering, queues. It needs root, /dev/net/tun and
iproute2.";

/// What a network is called that is given no name.
pub const NAME_DEFAULT: &str = "tng";

/// Arguments of `tng link`.
#[derive(Args, Debug)]
pub struct LinkArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Create the nodes and links of a scenario file
    Up(UpArgs),
    /// Run a program on a node; exits with its code
    Exec(ExecArgs),
    /// Change a link
    Change(ChangeArgs),
    /// Show the counters of the links
    Status(NameArgs),
    /// Remove a network that `up` made, and nothing else; refused while programs run on its nodes
    Down(DownArgs),
    /// Run a scenario file in real time: its flows, over real tng hosts, the kernel's TCP and QUIC, and its events
    Run(RunArgs),
    /// Measure whether links have the rate, delay, jitter, loss, reordering and duplication asked for
    Check(CheckArgs),
    /// What `up` starts
    #[command(hide = true)]
    Carry(UpArgs),
}

/// Which network.
#[derive(Args, Debug)]
pub struct NameArgs {
    /// Name of the network, if there are several
    #[arg(long, value_name = "NAME", default_value = NAME_DEFAULT)]
    pub name: String,
}

/// What stands.
#[derive(Args, Debug)]
pub struct UpArgs {
    /// Scenario with the nodes and links; its flows and events are ignored
    #[arg(value_name = "TOPOLOGY.toml")]
    pub file: PathBuf,
    /// In which network
    #[command(flatten)]
    pub network: NameArgs,
    /// Override a value of the file, such as link.rate=10mbit. May be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// What runs where.
#[derive(Args, Debug)]
pub struct ExecArgs {
    /// In which network
    #[command(flatten)]
    pub network: NameArgs,
    /// The node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub command: Vec<OsString>,
}

/// What changes.
#[derive(Args, Debug)]
pub struct ChangeArgs {
    /// In which network
    #[command(flatten)]
    pub network: NameArgs,
    /// The link
    #[arg(value_name = "LINK")]
    pub link: String,
    /// Settings as netem writes them, such as 'delay 50ms loss 1% rate 20mbit'; others stay as they are
    #[arg(value_name = "WORDS", required = true, num_args = 1..)]
    pub words: Vec<String>,
    /// Change only the direction from the first node to the second
    #[arg(long, conflicts_with = "back")]
    pub forth: bool,
    /// Change only the direction from the second node to the first
    #[arg(long)]
    pub back: bool,
}

/// What goes away.
#[derive(Args, Debug)]
pub struct DownArgs {
    /// In which network
    #[command(flatten)]
    pub network: NameArgs,
    /// Kill the programs that still run on its nodes
    #[arg(long)]
    pub kill: bool,
}

/// What runs.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The scenario
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Seed, in place of the file's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Override a value of the file, such as link.rate=10mbit, flow.2.bytes=1MB or link.queue={packets=100}. May be
    /// given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Write the results as an HTML page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// What is measured.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Seed of the losses
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write the results to emulator.md in this folder
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
}

/// Does what is asked. Call it while the process has one thread: `exec` becomes the program.
///
/// # Errors
/// No root, a topology that makes no sense, nothing of that name, the system refuses.
pub fn run(args: &LinkArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::Up(args) => link::up::up(args, talk),
        Action::Carry(args) => link::carry::carry(args),
        Action::Exec(args) => link::exec::exec(args),
        Action::Change(args) => link::change(args, talk),
        Action::Status(args) => link::status(args, talk),
        Action::Down(args) => link::down::down(args, talk),
        Action::Run(args) => link::run::run(args, talk),
        Action::Check(args) => link::check::check(args, talk),
    }
}
