//! `tng relay`: run a helper, and look after it.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng_crypto::sha256;

use crate::daemon::control::{self, Socket};
use crate::daemon::told::{self, Origin, Places, Told};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::guests::controllers::Controllers;
use crate::guests::place::PlaceArgs;
use crate::hex::hex;
use crate::location::HostAddress;
use crate::relay::{RELAY, daemon, remarks, status, ticket};
use crate::talk::Talk;

/// Shown before everything else in `tng relay --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng relay run --config relay.toml    pass on flows of the clients that the
                                       file lists
  tng relay check --config relay.toml  check a configuration before a relay
                                       reads it
  tng relay dump --config relay.toml   every value, and where it comes from
  tng relay status                     what the relay on this host does, flow by
                                       flow
  tng relay reload                     reload its configuration; a bad one
                                       changes nothing
  tng relay token                      a token for a client, and its line for
                                       the file
  tng relay nft --config relay.toml | sudo nft -f -
                                       on the path: divert passing handshakes to
                                       it, as [in_path] says
  tng relay ticket --config relay.toml > attic.ticket
                                       its key and address for clients: --via
                                       @attic.ticket

docs/relay.md leads from installation to status, and lists every key of the
file.";

/// Arguments of `tng relay`.
#[derive(Args, Debug)]
pub struct RelayArgs {
    #[command(subcommand)]
    command: RelayCommand,
}

#[derive(Subcommand, Debug)]
enum RelayCommand {
    /// Run a relay until SIGTERM or SIGINT ends it: the first one tells the neighbours, a second does not wait. SIGHUP
    /// reloads the configuration
    Run(GuestsArgs),
    /// Check a configuration
    Check(GuestsArgs),
    /// Print every value of a configuration, with its origin
    Dump(ConfigArgs),
    /// Print nft rules and routes that divert passing packets to a relay on the path
    Nft(ConfigArgs),
    /// Show the flows and counters of a relay
    Status(ControlArgs),
    /// Reload a relay's configuration
    Reload(ControlArgs),
    /// Make a token for a client
    Token,
    /// Print the ticket of a relay, from its configuration and key; it is not secret
    Ticket(TicketArgs),
}

#[derive(Args, Debug)]
struct TicketArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Address where clients find it. May be given more than once [default: relay.own, else relay.listen]
    #[arg(long = "address", value_name = "HOST:PORT")]
    addresses: Vec<HostAddress>,
    /// Its key [default: where the configuration has it, then /var/lib/tng-relay/relay-identity]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct ConfigArgs {
    /// The configuration
    #[arg(long, value_name = "FILE", env = "TNG_RELAY_CONFIG")]
    config: PathBuf,
}

/// Of what looks after the guests that govern sections.
#[derive(Args, Debug)]
struct GuestsArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    guests: PlaceArgs,
}

#[derive(Args, Debug)]
struct ControlArgs {
    /// The relay's control socket [default: that of a relay of this user, else /run/tng-relay/tng-relay.sock]
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
    /// The relay's configuration, which names its control socket
    #[arg(long, value_name = "FILE", conflicts_with = "control", env = "TNG_RELAY_CONFIG")]
    config: Option<PathBuf>,
}

impl TicketArgs {
    /// The addresses that are given, names looked up.
    fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        let mut addresses = Vec::new();
        for place in &self.addresses {
            match place {
                HostAddress::Address(address) => addresses.push(*address),
                HostAddress::Name(name, port) => {
                    let found = (name.as_str(), *port).to_socket_addrs().map_err(|error| {
                        Failure::new(Exit::Resolve, format!("looking up {place}"), reason(&error))
                            .or_try("check the name, or write the address itself")
                    })?;
                    addresses.extend(found);
                }
            }
        }
        Ok(addresses)
    }
}

impl ControlArgs {
    fn socket(&self) -> Result<Socket, Failure> {
        if let Some(path) = &self.control {
            return Ok(Socket::named(path.clone(), "--control"));
        }
        let places = Places::of_environment();
        let usual = Socket::usual(RELAY, &places.runtime);
        let Some(path) = &self.config else { return Ok(usual) };
        let config = daemon::read(path, &places)?;
        let said = |told: &&Told| told.key == "relay.control" && matches!(told.origin, Origin::File(_));
        // What the file leaves out is elsewhere for a relay under systemd.
        Ok(match config.told.iter().find(said) {
            Some(Told { origin, .. }) => Socket::named(config.fixed.control, format!("{}, {origin}", path.display())),
            None => usual,
        })
    }

    fn ask(&self, word: &str) -> Result<Value, Failure> {
        control::asked(RELAY, &self.socket()?, word)
    }
}

/// Does what is asked. To be called while the process has one thread. `threads` are those that were asked for on the
/// command line.
///
/// # Errors
/// If it cannot be done.
pub fn run(args: &RelayArgs, threads: Option<u8>, json: bool, talk: Talk) -> Result<(), Failure> {
    // A document, and not events.
    let document = |value: Value| Talk { json: false, ..talk }.payload(value);
    match &args.command {
        RelayCommand::Run(args) => match threads {
            Some(threads) => {
                Err(Failure::usage("running a relay", "its file says on how many threads, and not --threads")
                    .or_try(format!("threads = {threads} under [relay] in {}", args.config.config.display())))
            }
            None => daemon::run(&args.config.config, &args.guests, Places::of_environment(), talk),
        },
        RelayCommand::Check(GuestsArgs { config: ConfigArgs { config: path }, guests }) => {
            let controllers = Controllers::open(RELAY.name, guests, talk)?;
            let config = daemon::read_with_guests(path, &Places::of_environment(), &controllers)?;
            daemon::helper(&config, &controllers)?;
            config.tokens().try_for_each(|token| token.read().map(drop))?;
            let remarks = remarks::of(&config);
            remarks.iter().filter(|_| !talk.quiet).for_each(|remark| talk.warn(remark));
            talk.say(format_args!("{} is good", path.display()));
            talk.event("good", &json!({ "remarks": remarks }));
            Ok(())
        }
        RelayCommand::Dump(args) => {
            let config = daemon::read(&args.config, &Places::of_environment())?;
            if json {
                document(json!({ "values": told::dump(&config.told) }));
                return Ok(());
            }
            told::print(&config.told, talk);
            Ok(())
        }
        RelayCommand::Nft(args) => {
            let what = || format!("reading {}", args.config.display());
            let config = daemon::read(&args.config, &Places::of_environment())?;
            let in_path = config.in_path.ok_or_else(|| {
                Failure::usage(what(), "it has no [in_path]").or_try("docs/relay.md, \"In the path\", has one")
            })?;
            talk.payload(in_path.rules().trim_end());
            talk.event("rules", &json!({ "nft": in_path.rules() }));
            Ok(())
        }
        RelayCommand::Status(args) => {
            let answer = args.ask("status")?;
            match json {
                true => document(answer),
                false => talk.payload(status::table(&answer).trim_end()),
            }
            Ok(())
        }
        RelayCommand::Reload(args) => {
            args.ask("reload")?;
            talk.say("reloaded");
            talk.event("reloaded", &json!({}));
            Ok(())
        }
        RelayCommand::Token => {
            let seed = tng::random_seed().map_err(|why| Failure::read("drawing random numbers", &why))?;
            let token = hex(&seed.expose()[..16]);
            let hash = hex(&sha256(&[token.as_bytes()]));
            if json {
                document(json!({ "token": token, "token_sha256": hash }));
                return Ok(());
            }
            talk.payload(&token);
            talk.say(format_args!(
                "for the client's eyes alone, in its config.toml; in the relay's file:\n[[client]]\nname = \"alice\"\n\
                 token_sha256 = \"{hash}\""
            ));
            Ok(())
        }
        RelayCommand::Ticket(args) => {
            let config = daemon::read(&args.config.config, &Places::of_environment())?;
            let made = ticket::ticket(&config, args.key.as_deref(), &args.addresses()?)?;
            let addresses: Vec<String> = made.addresses().iter().map(ToString::to_string).collect();
            talk.payload(&made);
            talk.say(format_args!("relay {} at {}", made.eid(), addresses.join(", ")));
            let (eid, ticket) = (made.eid().to_string(), made.to_string());
            talk.event("ticket", &json!({ "eid": eid, "addresses": addresses, "ticket": ticket }));
            Ok(())
        }
    }
}
