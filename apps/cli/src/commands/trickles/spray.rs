//! `tng trickles spray`: a sprayer of datagrams in front of a fleet.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng::relay::Network;

use super::watch::ConfinedArgs;
use crate::failure::Failure;
use crate::host::bind_address;
use crate::relay::config::parse_network;
use crate::talk::{Talk, merged};
use crate::trickles::spray::daemon::{self, ProcessConfig, Running, Shows};
use crate::trickles::spray::engine::SprayConfig;
use crate::trickles::spray::status;
use crate::trickles::spray::table::{CLIENTS_DEFAULT, CLIENTS_MAX};
use crate::trickles::spray::turns::REPLICAS_MAX;

/// Shown before everything else in `tng trickles spray --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles spray --listen :4860 --to 10.0.0.1:4860 --to 10.0.0.2:4860
        one address for two servers of a fleet: each datagram of a client goes
        to the next of them, and answers come back from here
  tng trickles spray --listen :4860 --to 10.0.0.1:4860 --control spray.sock
  tng trickles status --control spray.sock
        which of them answer, and what each was sent

Clients name the sprayer as their server: tng trickles get
tng://EID@sprayer:4860/a.jpg. It decrypts nothing and has no key. A server that
refuses, or does not answer for 250 ms, is skipped until it answers a ping; a
client that a restarted server denies is sent to the others. The sprayer itself
may be killed: clients go on as soon as another is at its address.

SIGINT and SIGTERM end it; SIGHUP opens its access log anew.";

/// What lines of its access log are of.
const LINES: &str = "Log a line of JSON for each client that starts or ends to this file, or to stdout (-)";

/// Arguments of `tng trickles spray`.
#[derive(Args, Debug)]
#[command(mut_arg("access_log", |arg| arg.help(LINES)))]
pub struct SprayArgs {
    /// Address that clients use: IP:PORT, IP, or :PORT
    #[arg(long, value_name = "ADDR", value_parser = bind_address)]
    listen: SocketAddr,
    /// A server of the fleet. Repeat for the others, at most 16
    #[arg(long, value_name = "IP:PORT", required = true, value_parser = replica)]
    to: Vec<SocketAddr>,
    /// Most clients (addresses and ports) at the same time, each with a file descriptor. When full, a client without an
    /// answer for a second makes room, or one that is idle for 15 s
    #[arg(long, value_name = "N", default_value_t = CLIENTS_DEFAULT as u32)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=CLIENTS_MAX as i64))]
    clients: u32,
    /// Forget a client after this many seconds of silence
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    idle: u32,
    /// Serve only clients in these networks, such as 10.0.0.0/8 [default: all]
    #[arg(long, value_name = "NETWORK", num_args = 1.., value_delimiter = ',', value_parser = parse_network)]
    allow: Vec<Network>,
    #[command(flatten)]
    confined: ConfinedArgs,
}

/// The address of a replica.
fn replica(text: &str) -> Result<SocketAddr, String> {
    let address = bind_address(text)?;
    match address.ip().is_unspecified() || address.port() == 0 {
        true => Err("write the address and the port of a server".to_owned()),
        false => Ok(address),
    }
}

/// Whether what is sent to that server would come back to the sprayer, and be sent again, without end.
fn leads_back(listen: SocketAddr, to: SocketAddr) -> bool {
    let here = listen.ip() == to.ip() || listen.ip().is_unspecified() && to.ip().is_loopback();
    here && listen.port() == to.port()
}

/// Sprays until a signal ends it, which is its usual end. To be called while the process has one thread.
///
/// # Errors
/// If there is no way to listen.
pub fn run(args: &SprayArgs, talk: Talk) -> Result<(), Failure> {
    let mut to = args.to.clone();
    to.dedup();
    if to.len() > REPLICAS_MAX {
        return Err(Failure::usage("spraying", format_args!("there are {} servers; {REPLICAS_MAX} may be", to.len())));
    }
    if let Some(own) = to.iter().find(|to| leads_back(args.listen, **to)) {
        return Err(Failure::usage("spraying", format_args!("--to {own} is where the sprayer itself listens")));
    }
    let config = SprayConfig {
        listen: args.listen,
        to,
        clients: args.clients as usize,
        idle: Duration::from_secs(args.idle.into()),
        allow: args.allow.clone(),
    };
    let (watch, sandbox) = (&args.confined.watch, args.confined.sandbox());
    let process =
        ProcessConfig { control: watch.control.clone(), http: watch.http, access_log: watch.access_log(), sandbox };
    daemon::run(config, process, talk, Shows { announce, tell })
}

/// Says where it listens.
fn announce(running: &Running, more: Value, talk: Talk) {
    let to: Vec<String> = running.config.to.iter().map(ToString::to_string).collect();
    talk.say(format_args!("spraying what comes to {} over {}", running.address, to.join(", ")));
    let event = json!({ "addresses": [running.address.to_string()], "to": to });
    talk.event("spraying", &merged([event, more]));
}

/// Says in the end what was done.
fn tell(running: &Running, talk: Talk) {
    let status = status::of(running);
    talk.say(status::table(&status).trim_end());
    talk.event("sprayed", &status);
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn a_sprayer_needs_servers_that_can_be_reached_and_a_table_that_the_system_has_descriptors_for() {
        let parsed = |args: &[&str]| {
            let matches =
                SprayArgs::augment_args(Command::new("spray")).try_get_matches_from([&["x"], args].concat())?;
            SprayArgs::from_arg_matches(&matches)
        };
        let listen = ["--listen", ":4860"];
        let good = parsed(&[&listen[..], &["--to", "10.0.0.1:1", "--to", "[::1]", "--allow", "10.0.0.0/8"]].concat());
        let good = good.expect("parsed");
        assert_eq!((good.to.len(), good.to[1].port(), good.allow.len(), good.clients), (2, 4_860, 1, 4_096));
        for bad in [&["--to", "0.0.0.0:1"][..], &["--to", "10.0.0.1:0"], &[], &["--to", "a", "--clients", "0"]] {
            assert!(parsed(&[&listen[..], bad].concat()).is_err(), "{bad:?}");
        }
    }
}
