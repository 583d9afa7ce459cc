//! The `tng` tool, as a library so that its parts can be tested without a process around them.
//!
//! One file per subcommand in [`commands`]; what they share beside it: the exit codes, errors that say what to try, the
//! key file, locations, and what is said where.
#![forbid(unsafe_code)]

mod allowance;
pub mod attack;
#[cfg(feature = "carrier")]
pub mod carrier;
pub mod clock;
pub mod commands;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod etcd;
pub mod exit;
pub mod failure;
pub mod files;
pub mod forward;
pub mod guests;
mod hex;
pub mod host;
pub mod http;
pub mod key;
pub mod leash;
pub mod link;
pub mod location;
pub mod machine;
pub mod notes;
pub mod output;
pub mod path;
pub mod peer;
pub mod perf;
pub mod pings;
pub mod policed;
pub mod registry;
pub mod relay;
pub mod route;
pub mod scope;
mod secret;
pub mod signals;
pub mod streams;
pub mod talk;
pub mod tickets;
pub mod trickles;
pub mod via;
pub mod visitors;
pub mod waits;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Parser, Subcommand};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;

const EXAMPLES: &str = "\
Examples:
  tng serve photos                     hand out a folder; prints what to paste at the other end
  tng get -r -o photos TICKET          fetch it
  tng put FILE TICKET                  add to it, if it runs with --writable
  tng listen                           wait for a pipe; prints what to paste at the other end
  tng connect TICKET                   join stdin and stdout to it
  tng forward -L 8080:intranet:80 TICKET
                                       a TCP port of a peer's network, here
  tng proxy TICKET                     SOCKS5 and HTTP on 127.0.0.1:1080, out through a peer
  tng ping TICKET                      how far away it is
  tng trickles serve photos            hand it out, and keep nothing of who fetches: restart it at any moment
  tng ticket new --name alice --expires 7d
                                       a ticket of her own, to what is served
  tng perf -s                          measure what a path carries, as iperf3 does: this side first
  tng sim run scenarios/transfer.toml  a scenario in virtual time
  tng lab list                         what the papers claim, to be measured
  sudo tng link up scenarios/transfer.toml
                                       the same links in real time, for any program
  tng doctor                           what of this machine stands in the way, and what to do
  tng demo                             see it work
  tng attack list                      what a hostile peer may try, on hosts nearby
  tng relay run --config relay.toml    pass on flows of others, faster than they would go alone
  tng registry run                     hosts that are found by their keys, wherever they are
  tng stp list                         transports that are guests, in a sandbox
  tng id                               who this host is

`tng SUBCOMMAND --help` has more of them.";

/// What the environment says.
const ENVIRONMENT: &str = "\
Environment:
  TNG_KEY=FILE     the key of this host, in place of ~/.config/tng/identity
  TNG_REGISTRY=REGISTRY
                   the registry that says where hosts are, as --registry names it
  TNG_STORE=DIR    the store of transports, in place of ~/.local/share/tng/stp
  TNG_POLICY=FILE  what may run of them, in place of ~/.config/tng/stp.toml
  TNG_TRACE=DIR    what each channel of a real host did, for qvis, to this folder
  TNG_KEYS=FILE    the keys of its channels, for captures of others; anyone who has them can read everything.
                   Trickles has no channels: nothing of it is in there
  TNG_PCAPNG=FILE  a capture of its packets, keys included, for Wireshark
  RUST_LOG=FILTER  what is logged, such as debug
  NO_COLOR=1       logs without colours
docs/observing.md says how to read traces and captures; `tng sim run` has options for them.
";

/// Threads that read and write disks, look up names for the user, and make listings. With many more they get in each
/// other's way.
pub const DISK_THREADS_MAX: usize = 32;

/// The command line.
#[derive(Parser, Debug)]
#[command(name = "tng", version, before_help = EXAMPLES, after_long_help = format!("{ENVIRONMENT}\n{}", Exit::table()))]
#[command(about = "Files and streams over an encrypted transport that the network can speed up")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// For programs, on stdout: events as NDJSON; of `lab` an object a line for each experiment; of `perf` what iperf3
    /// prints
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// No progress bars, even on a terminal
    #[arg(long, global = true)]
    no_progress: bool,
    /// Threads that drive the endpoint of a command that has one, up to 8; more help a server of many connections
    /// [default: 1]
    #[arg(long, global = true, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=tng::THREADS_MAX as i64))]
    threads: Option<u8>,
    /// Stay awake for so long after each packet, such as 50us: the next one is found earlier, and a processor is busy
    #[arg(long, global = true, value_name = "TIME", value_parser = host::short_time)]
    busy_poll: Option<std::time::Duration>,
    /// A registry to ask where a host is whose EID alone is given: its ticket, EID@host:port, @FILE, or a name from
    /// ~/.config/tng/config.toml; again for more
    #[arg(long, global = true, value_name = "REGISTRY", env = "TNG_REGISTRY", hide_env_values = true)]
    #[arg(value_delimiter = ' ')]
    registry: Vec<String>,
    /// What to show to registries, where a host lets those alone find it who have its token: @FILE with it, or the word
    /// itself, which everybody sees who lists processes [default: registry_token in ~/.config/tng/config.toml]
    #[arg(long, global = true, value_name = "TOKEN")]
    registry_token: Option<registry::token::NamedToken>,
    /// Where UDP does not pass, go inside TLS over TCP. Who connects: auto, off, or only, perhaps as only=HOST:PORT
    /// [default: auto, port 443]. Who listens: the port of TCP, such as :443 [default: none]
    #[cfg(feature = "carrier")]
    #[arg(long, global = true, value_name = "WHAT")]
    carrier: Option<carrier::Carrier>,
    /// Whose offers to take of helpers in the path that nobody named [default: helpers_in_path of config.toml, else
    /// allow]
    #[arg(long, global = true, value_name = "WHOSE", value_enum)]
    helpers_in_path: Option<config::InPath>,
    /// Log more; twice for everything. RUST_LOG overrides
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Hand out a folder or a file
    #[command(before_help = commands::serve::EXAMPLES)]
    Serve(commands::serve::ServeArgs),
    /// Fetch files and folders
    #[command(before_help = commands::get::EXAMPLES)]
    Get(commands::get::OfferingGetArgs),
    /// Send files and folders to a server that takes them
    #[command(before_help = commands::put::EXAMPLES)]
    Put(commands::put::PutArgs),
    /// List what a server hands out
    #[command(before_help = commands::ls::EXAMPLES)]
    Ls(commands::ls::LsArgs),
    /// Wait for a pipe and join stdin and stdout to it
    #[command(before_help = commands::listen::EXAMPLES)]
    Listen(commands::listen::ListenArgs),
    /// Join stdin and stdout to a `tng listen` elsewhere
    #[command(before_help = commands::connect::EXAMPLES)]
    Connect(commands::connect::ConnectArgs),
    /// Carry TCP ports through a peer, or for peers
    #[command(before_help = commands::forward::EXAMPLES)]
    Forward(Box<commands::forward::ForwardArgs>),
    /// A SOCKS5 and HTTP proxy on this host whose connections leave from a peer
    #[command(before_help = commands::proxy::EXAMPLES)]
    Proxy(commands::proxy::ProxyArgs),
    /// Measure round trips to a host that serves or listens
    #[command(before_help = commands::ping::EXAMPLES)]
    Ping(commands::ping::PingArgs),
    /// Measure what the path to a host carries: iperf3's flags, tables and JSON
    #[command(before_help = commands::perf::EXAMPLES)]
    Perf(Box<commands::perf::PerfArgs>),
    /// Run scenarios in virtual time
    #[command(before_help = commands::sim::EXAMPLES)]
    Sim(commands::sim::SimArgs),
    /// Run the experiments of the papers, and our own
    #[command(before_help = commands::lab::EXAMPLES)]
    Lab(commands::lab::LabArgs),
    /// The links of a scenario in real time, for any program
    #[command(before_help = commands::link::EXAMPLES)]
    Link(commands::link::LinkArgs),
    /// Show that it works: real files between two processes, and a bad path in virtual time
    #[command(before_help = commands::demo::EXAMPLES)]
    Demo(commands::demo::DemoArgs),
    /// Look at this machine, its network and the way to hosts: what is missing, and what to try
    #[command(before_help = commands::doctor::EXAMPLES)]
    Doctor(commands::doctor::DoctorArgs),
    /// Misbehave towards a host nearby, and see whether it holds
    #[command(before_help = commands::attack::EXAMPLES)]
    Attack(commands::attack::AttackArgs),
    /// Hand out a folder, or fetch from one, while the server keeps nothing of its clients
    #[command(before_help = commands::trickles::EXAMPLES)]
    Trickles(commands::trickles::TricklesArgs),
    /// Transports that are guests, in a sandbox and policed
    #[cfg(feature = "guests")]
    #[command(before_help = commands::stp::EXAMPLES)]
    Stp(commands::stp::StpArgs),
    /// Run a guest for the tool, which starts this: not for people
    #[cfg(feature = "guests")]
    #[command(hide = true)]
    GuestProcess,
    /// Pass on flows of others: a helper in the path
    #[command(before_help = commands::relay::EXAMPLES)]
    Relay(commands::relay::RelayArgs),
    /// Find hosts by their keys, and be a place where they are found
    #[command(before_help = commands::registry::EXAMPLES)]
    Registry(commands::registry::RegistryArgs),
    /// Make, list and revoke tickets to what this host serves
    #[command(before_help = commands::ticket::EXAMPLES)]
    Ticket(commands::ticket::TicketArgs),
    /// Who this host is
    #[command(before_help = commands::id::EXAMPLES)]
    Id(commands::id::IdArgs),
}

/// Runs the tool with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misunderstood(&error),
    };
    // It has nothing yet, and gives everything up.
    #[cfg(feature = "guests")]
    if let Command::GuestProcess = cli.command {
        // The allocator would ask for its thread again and again where none may be started.
        #[cfg(target_os = "linux")]
        let _ = tikv_jemalloc_ctl::background_thread::write(false);
        return tng::stp::process::serve();
    }
    // These have JSON of their own.
    let json = cli.json && !matches!(cli.command, Command::Perf(_) | Command::Lab(_));
    let talk = Talk { json, quiet: cli.quiet, no_progress: cli.no_progress };
    log(cli.verbose);
    let threads = cli.threads.unwrap_or(1).into();
    let (busy_poll, in_path) = (cli.busy_poll.unwrap_or_default(), cli.helpers_in_path);
    let drive = host::Drive { threads, busy_poll, in_path };
    registry::known::set(cli.registry.clone(), cli.registry_token.clone());
    // Has to be done while there is one thread.
    if let Command::Trickles(args) = &cli.command
        && let Some(result) = args.run_alone(drive, talk)
    {
        return ended(result, talk);
    }
    drive.set();
    #[cfg(feature = "carrier")]
    if let Some(carrier) = cli.carrier.clone() {
        carrier.set();
    }
    match &cli.command {
        Command::Link(args) => return ended(commands::link::run(args, talk), talk),
        Command::Relay(args) => return ended(commands::relay::run(args, cli.threads, cli.json, talk), talk),
        Command::Registry(args) => {
            if let Some(result) = args.run_alone(talk) {
                return ended(result, talk);
            }
        }
        _ => {}
    }
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let built = leash::heed().and_then(|()| builder.enable_all().max_blocking_threads(DISK_THREADS_MAX).build());
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => {
            talk.failure(&Failure::read("starting", &error));
            return Exit::Read.into();
        }
    };
    let heeded = {
        let _in_runtime = runtime.enter();
        signals::heed()
    };
    if let Err(error) = heeded {
        talk.failure(&Failure::read("starting", &error));
        return Exit::Read.into();
    }
    let result = runtime.block_on(run(cli.command, cli.json, talk));
    #[cfg(feature = "guests")]
    guests::supply::write_down();
    // A thread that waits for a disk or a terminal must not keep the process.
    runtime.shutdown_background();
    ended(result, talk)
}

fn ended(result: Result<(), Failure>, talk: Talk) -> ExitCode {
    match result {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            talk.failure(&failure);
            failure.exit.into()
        }
    }
}

/// Reads a command line, the name of the program first, and does nothing of what it says. A place to read a location
/// from (`@FILE`, `-`) is read.
///
/// # Errors
/// What is wrong with it, or what it asks to be told, as people read it.
pub fn understands<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    Cli::try_parse_from(arguments).map(drop).map_err(|error| error.to_string())
}

/// Ends with what clap has to say: help, or what is wrong with the command line. Programs that asked for NDJSON get
/// that.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if !error.use_stderr() {
        // Nobody to tell if that fails.
        let _ = error.print();
        return Exit::Done.into();
    }
    // What was typed may hold a ticket in the wrong place.
    let words = location::without_tickets(&error.render().to_string());
    let _ = std::io::stderr().lock().write_all(words.as_bytes());
    Talk { json, ..Talk::default() }.event("error", &misunderstanding(error, &words));
    Exit::Usage.into()
}

/// What is wrong with a command line, for programs: the same words as people read, and the names in them.
fn misunderstanding(error: &clap::Error, words: &str) -> Value {
    let (mut why, mut usage, mut tip) = (Vec::new(), None, None);
    let is_about = |line: &&str| !line.starts_with("For more information");
    for line in words.lines().map(str::trim).filter(|line| !line.is_empty()).take_while(is_about) {
        match (line.strip_prefix("Usage: "), line.strip_prefix("tip: ")) {
            (Some(line), _) => usage = Some(line),
            (_, Some(line)) => tip = tip.or(Some(line)),
            // The rest of the usage.
            _ if usage.is_some() => {}
            _ => why.push(line.trim_start_matches("error: ")),
        }
    }
    let command = |usage: &str| {
        let words = usage.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
        words.take_while(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ")
    };
    let command = usage.map_or_else(|| "tng".to_owned(), command);
    let remedy = tip.map_or_else(|| format!("{command} --help"), str::to_owned);
    // Where a command is missing people read the help.
    let is_missing = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_missing {
        why = vec!["a command or an argument is missing"];
    }
    let failure = Failure::usage("reading the command line", why.join(" ")).or_try(remedy);
    let named = |kind: ContextKind| -> Vec<String> {
        let names = match error.get(kind) {
            Some(ContextValue::String(name)) => vec![name.clone()],
            Some(ContextValue::Strings(names)) => names.clone(),
            _ => Vec::new(),
        };
        names.iter().map(|name| location::without_tickets(name)).collect()
    };
    // Of a command that is missing those that there are.
    let commands = match is_missing {
        true => commands_of(&command),
        false => named(ContextKind::InvalidSubcommand),
    };
    let names = json!({
        "arguments": named(ContextKind::InvalidArg),
        "commands": commands,
        "values": named(ContextKind::InvalidValue),
    });
    talk::merged([failure.to_json(), names])
}

/// The commands that a command has, which is named in words, such as `tng stp`.
fn commands_of(command: &str) -> Vec<String> {
    let all = <Cli as clap::CommandFactory>::command();
    let found = command.split(' ').skip(1).try_fold(all, |at, word| at.find_subcommand(word).cloned());
    let shown = found.iter().flat_map(clap::Command::get_subcommands).filter(|one| !one.is_hide_set());
    shown.map(|one| one.get_name().to_owned()).collect()
}

async fn run(command: Command, json: bool, talk: Talk) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => commands::serve::run(&args, talk).await,
        Command::Get(args) => commands::get::run(&args, talk).await,
        Command::Put(args) => commands::put::run(&args, talk).await,
        Command::Ls(args) => commands::ls::run(&args, talk).await,
        Command::Listen(args) => commands::listen::run(&args, talk).await,
        Command::Connect(args) => commands::connect::run(&args, talk).await,
        Command::Forward(args) => commands::forward::run(&args, talk).await,
        Command::Proxy(args) => commands::proxy::run(&args, talk).await,
        Command::Ping(args) => commands::ping::run(&args, talk).await,
        Command::Perf(args) => commands::perf::run(&args, json, talk).await,
        Command::Sim(args) => commands::sim::run(args, talk).await,
        Command::Link(args) => commands::link::run(&args, talk),
        Command::Lab(args) => commands::lab::run(args, json, talk).await,
        Command::Demo(args) => commands::demo::run(&args, talk).await,
        Command::Doctor(args) => commands::doctor::run(&args, talk).await,
        Command::Attack(args) => commands::attack::run(&args, talk).await,
        Command::Trickles(args) => commands::trickles::run(&args, talk).await,
        #[cfg(feature = "guests")]
        Command::Stp(args) => commands::stp::run(args, talk).await,
        #[cfg(feature = "guests")]
        Command::GuestProcess => Err(Failure::usage("serving as a guest's process", "it is too late for that")),
        Command::Relay(args) => commands::relay::run(&args, None, json, talk),
        Command::Registry(args) => commands::registry::run(&args, json, talk).await,
        Command::Ticket(args) => commands::ticket::run(&args, talk),
        Command::Id(args) => commands::id::run(&args, talk),
    }
}

fn log(verbose: u8) {
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| level.into());
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let log =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).try_init();
    debug_assert!(log.is_ok(), "the log is set up once");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_which_argument_command_or_value_is_wrong_and_what_to_try() {
        let told = |args: &[&str]| {
            let error = Cli::try_parse_from([&["tng"], args].concat()).expect_err("it makes no sense");
            misunderstanding(&error, &error.render().to_string())
        };
        let missing = told(&["get"]);
        assert_eq!(missing["arguments"], json!(["<URL>..."]), "{missing}");
        assert!(missing["why"].as_str().is_some_and(|why| why.ends_with("were not provided: <URL>...")), "{missing}");
        assert_eq!(missing["try"], "tng get --help");
        let unknown = told(&["gett"]);
        assert_eq!((&unknown["commands"], &unknown["exit"]), (&json!(["gett"]), &json!(2)), "{unknown}");
        assert!(unknown["try"].as_str().is_some_and(|tip| tip.contains("'get'")), "{unknown}");
        let value = told(&["get", "--retry", "often", "x"]);
        assert_eq!(value["arguments"], json!(["--retry <N>"]), "{value}");
        assert_eq!(value["values"], json!(["often"]), "{value}");
        let none = told(&["ticket"]);
        let commands = none["commands"].as_array().expect("names");
        assert!(commands.contains(&json!("new")) && commands.contains(&json!("revoke")), "{none}");
    }
}
