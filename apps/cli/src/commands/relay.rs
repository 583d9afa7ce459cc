//! `tng relay`: run a helper, and look after it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tng_crypto::sha256;

use crate::daemon::control;
use crate::daemon::told::{self, Origin, Places, Told};
use crate::failure::Failure;
use crate::host::bind_address;
use crate::key::{KeyArgs, folder_of};
use crate::relay::config::RelayConfig;
use crate::relay::{RELAY, daemon, status, ticket};
use crate::talk::Talk;

/// Shown before everything else in `tng relay --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng relay run --config relay.toml      pass on flows of those whom the file lists
  tng relay check --config relay.toml    whether a file is good, before a relay reads it
  tng relay dump --config relay.toml     every value, and where it comes from
  tng relay status                       what the relay on this host does, flow by flow
  tng relay reload                       have it read its file again; a bad one changes nothing
  tng relay token                        a token for a client, and what the file has of it
  tng relay ticket --config relay.toml > attic.ticket
                                         who it is and where, for clients: --via @attic.ticket
docs/relay.md leads from installation to status, and has every key.";

/// Arguments of `tng relay`.
#[derive(Args, Debug)]
pub struct RelayArgs {
    #[command(subcommand)]
    command: RelayCommand,
}

#[derive(Subcommand, Debug)]
enum RelayCommand {
    /// Pass on flows of others, until a signal ends it: the first lets the neighbours know, a second does not wait
    Run(ConfigArgs),
    /// Say whether a configuration is good
    Check(ConfigArgs),
    /// Print every value of a configuration, and where it comes from
    Dump(ConfigArgs),
    /// Show what a relay does, flow by flow
    Status(ControlArgs),
    /// Have a relay read its configuration again
    Reload(ControlArgs),
    /// Draw a token for a client
    Token,
    /// Print a ticket of a relay, from its configuration and its key; it opens nothing, and is no secret
    Ticket(TicketArgs),
}

#[derive(Args, Debug)]
struct TicketArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Where clients find it, again for more [default: relay.own, else relay.listen]
    #[arg(long = "address", value_name = "IP:PORT", value_parser = bind_address)]
    addresses: Vec<SocketAddr>,
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

#[derive(Args, Debug)]
struct ControlArgs {
    /// The relay's socket [default: that of a relay of this user, else /run/tng-relay/tng-relay.sock]
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
    /// The relay's configuration, which names its socket
    #[arg(long, value_name = "FILE", conflicts_with = "control", env = "TNG_RELAY_CONFIG")]
    config: Option<PathBuf>,
}

fn places() -> Result<Places, Failure> {
    let key = KeyArgs::default().path();
    // A relay of the system need not have a home.
    let folder = key.map_or_else(|_| PathBuf::from("/"), |key| folder_of(&key).to_owned());
    Ok(Places::of_environment(&folder))
}

impl ControlArgs {
    fn socket(&self) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.control {
            return Ok(path.clone());
        }
        let places = places()?;
        let usual = control::usual_socket(RELAY, &places.runtime.0);
        let Some(config) = &self.config else { return Ok(usual) };
        let config = daemon::read(config, &places)?;
        let said = |told: &Told| told.key == "relay.control" && matches!(told.origin, Origin::File(_));
        // What the file leaves out is elsewhere for a relay under systemd.
        Ok(if config.told.iter().any(said) { config.fixed.control } else { usual })
    }

    fn ask(&self, word: &str) -> Result<Value, Failure> {
        control::asked(RELAY, &self.socket()?, word)
    }
}

/// Does what is asked. To be called while the process has one thread.
///
/// # Errors
/// If it cannot be done.
pub fn run(args: &RelayArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    // A document, and not events.
    let document = |value: Value| Talk { json: false, ..talk }.payload(value);
    match &args.command {
        RelayCommand::Run(args) => daemon::run(&args.config, places()?, talk),
        RelayCommand::Check(args) => {
            let config = daemon::read(&args.config, &places()?)?;
            remarks(&config, talk);
            talk.say(format_args!("{} is good", args.config.display()));
            talk.event("good", &json!({}));
            Ok(())
        }
        RelayCommand::Dump(args) => {
            let config = daemon::read(&args.config, &places()?)?;
            if json {
                document(json!({ "values": told::dump(&config.told) }));
                return Ok(());
            }
            told::print(&config.told, talk);
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
            let token: String = seed.expose()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
            let hash: String = sha256(&[token.as_bytes()]).iter().map(|byte| format!("{byte:02x}")).collect();
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
            let config = daemon::read(&args.config.config, &places()?)?;
            let made = ticket::ticket(&config, args.key.as_deref(), &args.addresses)?;
            let addresses: Vec<String> = made.addresses().iter().map(ToString::to_string).collect();
            talk.payload(&made);
            talk.say(format_args!("relay {} at {}", made.eid(), addresses.join(", ")));
            let (eid, ticket) = (made.eid().to_string(), made.to_string());
            talk.event("ticket", &json!({ "eid": eid, "addresses": addresses, "ticket": ticket }));
            Ok(())
        }
    }
}

/// Clients that a remark names, at most.
const NAMED_MAX: usize = 8;

/// What is good, and perhaps not meant.
fn remarks(config: &RelayConfig, talk: Talk) {
    if config.clients.count() == (0, false) && config.tunnels.is_empty() {
        talk.warn("no client is listed, so that nobody is helped: add a [[client]], or anyone = true under [terms]");
    }
    let (flows_max, greedy) = (config.helper.relays_max, config.clients.takes_all(config.helper.relays_max));
    if !greedy.is_empty() {
        let mut named: Vec<String> =
            greedy.iter().take(NAMED_MAX).map(|(name, flows)| format!("{name} ({flows})")).collect();
        named.extend(greedy.len().checked_sub(NAMED_MAX + 1).map(|more| format!("and {} more", more + 1)));
        talk.warn(format_args!(
            "each of these clients may have all of the {flows_max} flows of relay.flows_max, so that nobody else is \
             helped: {}; give them fewer flows",
            named.join(", ")
        ));
    }
    let onward = config.told.iter().find(|told| told.key == "relay.own");
    if onward.is_some_and(|told| told.origin == Origin::Default) {
        talk.warn(
            "relay.own names no address of this relay: behind a NAT it would pass flows on to itself once before \
             they end",
        );
    }
}
