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
pub mod help;
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
  tng serve photos                     serve a folder; prints what to run
                                       elsewhere
  tng get -r -o photos TICKET          fetch it
  tng put FILE TICKET                  add a file, if it runs with --writable
  tng listen                           wait for a connection; prints what to run
  tng connect TICKET                   join stdin and stdout to it
  tng forward -L 8080:intranet:80 TICKET
                                       reach a TCP port of a peer's network
  tng proxy TICKET                     SOCKS5 and HTTP proxy through a peer
  tng ping TICKET                      measure round trips
  tng perf -s                          measure throughput, as iperf3
  tng ticket new --name alice          make a ticket for one person
  tng id                               print this host's public key (EID)
  tng doctor                           check this machine and network, with a
                                       remedy for each problem
  tng trickles serve photos            serve without client state: restart it at
                                       any moment, downloads go on
  tng relay run --config relay.toml    pass on others' flows, faster than they
                                       would go alone
  tng registry run                     a registry, which finds hosts by their
                                       public key
  tng stp list                         list guests: transport code in a sandbox
  tng demo                             see it work
  tng lab list                         list the experiments of the papers
  tng sim run scenarios/transfer.toml  run a scenario in virtual time
  sudo tng link up scenarios/transfer.toml
                                       emulate its links, for any program
  tng attack list                      list attacks to try on hosts of your own

`tng COMMAND --help` has more of them.";

/// What the environment says.
const ENVIRONMENT: &str = "\
Environment:
  TNG_KEY=FILE      this host's key, in place of ~/.config/tng/identity
  TNG_REGISTRY=REGISTRY
                    registries to look hosts up in, as --registry
  TNG_STORE=DIR     the store of guests, in place of ~/.local/share/tng/stp
  TNG_POLICY=FILE   the policy for guests, in place of ~/.config/tng/stp.toml
  TNG_TRACE=DIR     write qlog traces of every channel to this folder, for qvis
  TNG_KEYS=FILE     write the keys of every channel, to decrypt captures; anyone
                    who has them can read everything. Trickles has no channels:
                    nothing of it is in there
  TNG_PCAPNG=FILE   capture all packets, with the keys, for Wireshark
  RUST_LOG=FILTER   what is logged, such as debug
  NO_COLOR=1        logs without colours

docs/observing.md explains traces and captures; `tng sim run` has options for
them.
";

/// Threads that read and write disks, look up names for the user, and make listings. With many more they get in each
/// other's way.
pub const DISK_THREADS_MAX: usize = 32;

/// The command line.
#[derive(Parser, Debug)]
#[command(name = "tng", version, before_help = EXAMPLES, after_long_help = format!("{ENVIRONMENT}\n{}", Exit::table()))]
#[command(about = "Files and streams over an encrypted transport that the network can speed up")]
#[command(max_term_width = talk::COLUMNS, next_help_heading = help::GLOBAL_OPTIONS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print JSON for programs on stdout: one event per line (`lab`: one experiment per line; `perf`: what iperf3 -J
    /// prints)
    #[arg(long, global = true)]
    json: bool,
    /// Print errors only
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Show no progress bars, even on a terminal
    #[arg(long, global = true)]
    no_progress: bool,
    /// Network threads, 1 to 8. More than one helps a server with many connections [default: 1]
    #[arg(long, global = true, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=tng::THREADS_MAX as i64))]
    threads: Option<u8>,
    /// Busy-poll for this long after each packet, such as 50us: shorter round trips, and a core at 100 %
    #[arg(long, global = true, value_name = "TIME", value_parser = host::short_time)]
    busy_poll: Option<std::time::Duration>,
    /// Registry to look hosts up in when only an EID (a host's public key) is given: a ticket, EID@host:port, @FILE, or
    /// a name from ~/.config/tng/config.toml. May be given more than once
    #[arg(long, global = true, value_name = "REGISTRY", env = "TNG_REGISTRY", hide_env_values = true)]
    #[arg(value_delimiter = ' ')]
    registry: Vec<String>,
    /// Token to show to registries, for hosts that only holders of a token may find: @FILE, or the token itself
    /// (visible to everybody who lists processes) [default: registry_token in ~/.config/tng/config.toml]
    #[arg(long, global = true, value_name = "TOKEN")]
    registry_token: Option<registry::token::NamedToken>,
    /// Use TLS over TCP where UDP is blocked. Client: auto, off, only, or only=HOST:PORT [default: auto, port 443].
    /// Server: the TCP port to accept it on, such as :443 [default: none]
    #[cfg(feature = "carrier")]
    #[arg(long, global = true, value_name = "WHAT")]
    carrier: Option<carrier::Carrier>,
    /// Whether to accept help from relays on the path that you did not name [default: helpers_in_path in config.toml,
    /// else allow]
    #[arg(long, global = true, value_name = "WHOSE", value_enum)]
    helpers_in_path: Option<config::InPath>,
    /// Log more: -v for info, -vv for debug, -vvv for trace. RUST_LOG overrides it
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve a folder or a file
    #[command(before_help = commands::serve::EXAMPLES)]
    Serve(commands::serve::ServeArgs),
    /// Fetch files and folders
    #[command(before_help = commands::get::EXAMPLES)]
    Get(commands::get::OfferingGetArgs),
    /// Send files and folders to a server that accepts them
    #[command(before_help = commands::put::EXAMPLES)]
    Put(commands::put::PutArgs),
    /// List the files of a server
    #[command(before_help = commands::ls::EXAMPLES)]
    Ls(commands::ls::LsArgs),
    /// Wait for one connection, and join stdin and stdout to it
    #[command(before_help = commands::listen::EXAMPLES)]
    Listen(commands::listen::ListenArgs),
    /// Join stdin and stdout to a `tng listen` elsewhere
    #[command(before_help = commands::connect::EXAMPLES)]
    Connect(commands::connect::ConnectArgs),
    /// Forward TCP ports through a peer, or for peers
    #[command(before_help = commands::forward::EXAMPLES)]
    Forward(Box<commands::forward::ForwardArgs>),
    /// Run a local SOCKS5 and HTTP proxy whose connections leave from a peer
    #[command(before_help = commands::proxy::EXAMPLES)]
    Proxy(commands::proxy::ProxyArgs),
    /// Measure round trips to a host that runs `tng serve` or `tng listen`
    #[command(before_help = commands::ping::EXAMPLES)]
    Ping(commands::ping::PingArgs),
    /// Measure the throughput of a path, with iperf3's flags, tables and JSON
    #[command(before_help = commands::perf::EXAMPLES)]
    Perf(Box<commands::perf::PerfArgs>),
    /// Run scenarios in virtual time
    #[command(before_help = commands::sim::EXAMPLES)]
    Sim(commands::sim::SimArgs),
    /// Run the experiments of the papers, and our own
    #[command(before_help = commands::lab::EXAMPLES)]
    Lab(commands::lab::LabArgs),
    /// Emulate the links of a scenario in real time, for any program
    #[command(before_help = commands::link::EXAMPLES)]
    Link(commands::link::LinkArgs),
    /// Show that it works: real transfers, and bad paths in virtual time
    #[command(before_help = commands::demo::EXAMPLES)]
    Demo(commands::demo::DemoArgs),
    /// Check this machine, its network and the path to hosts
    #[command(before_help = commands::doctor::EXAMPLES)]
    Doctor(commands::doctor::DoctorArgs),
    /// Attack a host of your own, by name of the attack, and report whether it holds
    #[command(before_help = commands::attack::EXAMPLES)]
    Attack(commands::attack::AttackArgs),
    /// Serve files without keeping any client state, and fetch from such servers
    #[command(before_help = commands::trickles::EXAMPLES)]
    Trickles(commands::trickles::TricklesArgs),
    /// Manage guests: transport code that runs in a sandbox, at TCP's rate at most
    #[cfg(feature = "guests")]
    #[command(before_help = commands::stp::EXAMPLES)]
    Stp(commands::stp::StpArgs),
    /// Run a guest for the tool, which starts this: not for people
    #[cfg(feature = "guests")]
    #[command(hide = true)]
    GuestProcess,
    /// Run a relay: pass on others' encrypted flows, with congestion control of its own on each side
    #[command(before_help = commands::relay::EXAMPLES)]
    Relay(commands::relay::RelayArgs),
    /// Run or query a registry, which finds hosts by their public key
    #[command(before_help = commands::registry::EXAMPLES)]
    Registry(commands::registry::RegistryArgs),
    /// Make, list and revoke tickets to what this host serves
    #[command(before_help = commands::ticket::EXAMPLES)]
    Ticket(commands::ticket::TicketArgs),
    /// Show, make, rotate or revoke this host's key
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
        let (before, after) = around(error);
        // Nobody to tell if that fails.
        let _ = std::io::stdout().lock().write_all(before.as_bytes());
        let _ = error.print();
        let _ = std::io::stdout().lock().write_all(after.as_bytes());
        return Exit::Done.into();
    }
    // What was typed may hold a ticket in the wrong place.
    let words = location::without_tickets(&error.render().to_string());
    let _ = std::io::stderr().lock().write_all(words.as_bytes());
    Talk { json, ..Talk::default() }.event("error", &misunderstanding(error, &words));
    Exit::Usage.into()
}

/// What a page of help has before and behind what clap has written.
fn around(error: &clap::Error) -> (String, String) {
    if error.kind() != ErrorKind::DisplayHelp {
        return Default::default();
    }
    let page = error.render().to_string();
    let examples = help::examples(&<Cli as clap::CommandFactory>::command(), &page);
    let terms = help::terms(&format!("{examples}{page}"));
    (examples, terms)
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

    /// The help of a command as it is printed.
    fn page(path: &[&str]) -> String {
        let args = [&["tng"], path, &["--help"]].concat();
        let error = Cli::try_parse_from(args).expect_err("help");
        let (before, after) = around(&error);
        format!("{before}{}{after}", error.render())
    }

    /// Every command that is shown, by its names.
    fn commands() -> Vec<Vec<String>> {
        fn walk(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
            all.push(path.to_vec());
            for one in command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help") {
                walk(one, &[path, &[one.get_name().to_owned()]].concat(), all);
            }
        }
        let mut all = Vec::new();
        walk(&<Cli as clap::CommandFactory>::command(), &[], &mut all);
        all
    }

    fn pages() -> Vec<(String, String)> {
        let pages: Vec<_> = commands()
            .iter()
            .map(|path| (path.join(" "), page(&path.iter().map(String::as_str).collect::<Vec<_>>())))
            .collect();
        assert!(pages.len() > 60, "control: {} pages", pages.len());
        pages
    }

    #[test]
    fn every_line_of_every_help_fits_eighty_columns() {
        let is_wide = |line: &&str| line.chars().count() > talk::COLUMNS;
        let wide: Vec<String> = pages()
            .iter()
            .flat_map(|(name, page)| page.lines().filter(is_wide).map(move |line| format!("{name}: {line}")))
            .collect();
        assert!(wide.is_empty(), "{}", wide.join("\n"));
    }

    #[test]
    fn every_help_begins_with_examples_of_its_command() {
        for (name, page) in pages() {
            assert!(page.starts_with("Examples:\n"), "{name}: {page}");
            let examples = page.split("\n\n").next().unwrap_or_default();
            assert!(examples.contains(&format!("tng {name}")) || examples.contains("tng --json"), "{name}: {examples}");
        }
    }

    #[test]
    fn every_help_says_what_its_terms_mean() {
        let mut explained = 0;
        for (name, page) in pages() {
            let own = page.split("\nGlobal options:").next().unwrap_or_default();
            let terms = page.rsplit_once("\nTerms:\n").map(|(_, terms)| terms).unwrap_or_default();
            for term in ["EID", "guest", "section", "fleet", "ticket"] {
                if own.split(|c: char| !c.is_alphanumeric()).any(|word| word == term) {
                    assert!(
                        terms.contains(&format!("\n  {term} ")) || terms.starts_with(&format!("  {term} ")),
                        "{name}: {term}"
                    );
                    explained += 1;
                }
            }
        }
        assert!(explained > 40, "control: {explained}");
        let words = "Options:\n  --to X\n\nGlobal options:\n  --registry an EID\n";
        assert_eq!(help::terms(words), "", "what every page has is explained where it stands");
    }

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
