//! `tng trickles proxy` and `tng trickles gateway`: programs that know nothing of Trickles before servers that keep
//! nothing.

use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Args, Command};
use serde_json::{Value, json};

use super::WayArgs;
use super::watch::ConfinedArgs;
use crate::daemon::told::{self, Places};
use crate::failure::Failure;
use crate::host::{Drive, bind_address};
use crate::key::KeyArgs;
use crate::location::{Location, location};
use crate::talk::{Talk, merged};
use crate::trickles::web::config::{self, HTTP_PORT_DEFAULT, Outlet, WebConfig};
use crate::trickles::web::daemon::{self, Running, Shows};
use crate::trickles::web::{NAME_DEFAULT, Named, Role, Settings, check_names, status};

/// Shown before everything else in `tng trickles proxy --help`.
pub const PROXY_EXAMPLES: &str = "\
Examples:
  tng trickles proxy @FILE  let local programs fetch from the server whose
                            ticket is in FILE:
  curl -O http://127.0.0.1:8080/a.jpg
  curl -C - -O http://127.0.0.1:8080/movie.mkv
                            resume a download
  curl --parallel -O 'http://127.0.0.1:8080/[1-9].jpg'
  wget -r -np http://127.0.0.1:8080/
  tng trickles proxy photos=@FILE films=@OTHER
                            servers by name, for programs that use it as their
                            proxy:
  curl -x 127.0.0.1:8080 -O http://photos/a.jpg
  curl --socks5-hostname 127.0.0.1:8080 -O http://films/movie.mkv

The servers may be killed and restarted meanwhile: a download pauses, and goes
on. A file that has changed has another ETag; if it changes during a download,
that is cut off, and curl ends with 18 or 56. Where no Trickles server answers,
structured streams are tried. SIGINT (Ctrl-C), SIGTERM or SIGHUP ends the proxy.";

/// Shown before everything else in `tng trickles gateway --help`.
pub const GATEWAY_EXAMPLES: &str = "\
Examples:
  tng trickles gateway --listen :80 @FILE
        serve what that ticket opens over HTTP, to everybody
  tng trickles gateway tng://EID@one:4860,two:4860/ --pick spray
        from a fleet, each request from another server
  tng trickles gateway --listen :80 photos.example=@FILE films.example=@OTHER
        by host name
  tng trickles gateway --tcp :9000=/movie.mkv @FILE
        and send that file to every client of port 9000:
  nc HOST 9000 > movie.mkv
  tng trickles gateway --fallback-tcp http://mirror/films @FILE
        and from a web server, without encryption, if all else fails
  tng trickles gateway --config /etc/tng/gateway.toml
        as a configuration says, like the unit in contrib/
  tng trickles gateway --control gateway.sock @FILE
  tng trickles status --control gateway.sock
        how it fetches, and what was fetched

The servers keep no client state; the gateway does, since TCP must: when it
ends, so do the downloads through it, and curl -C - resumes them. Clients reach
it over plain TCP: anyone on that path can read and change the data.

SIGINT and SIGTERM end it. SIGHUP reloads the file of --config and the tickets
in it; without --config it ends the gateway too.";

/// Arguments that both have.
#[derive(Args, Debug)]
struct WebArgs {
    #[command(flatten)]
    way: WayArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// Arguments of `tng trickles proxy`.
#[derive(Args, Debug)]
pub struct ProxyArgs {
    /// The servers: a ticket, EID@host:port, or @FILE, with a path if only what is below it is meant. Several need
    /// names: NAME=TARGET; one may go without
    #[arg(value_name = "[NAME=]TARGET", required = true, value_parser = NamedParser)]
    targets: Vec<Named<Location>>,
    /// Address to listen on. There are no passwords: anyone who reaches it may use it
    #[arg(long, value_name = "IP:PORT")]
    #[arg(default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), HTTP_PORT_DEFAULT))]
    listen: SocketAddr,
    #[command(flatten)]
    web: WebArgs,
}

/// What lines of a gateway's access log are of.
const LINES: &str = "Log a line of JSON for each answer to this file, or to stdout (-)";

/// Arguments of `tng trickles gateway`.
#[derive(Args, Debug)]
#[command(mut_arg("access_log", |arg| arg.help(LINES)))]
pub struct GatewayArgs {
    /// The servers: a ticket, EID@host:port, or @FILE, with a path if only what is below it is meant. Several need
    /// names: NAME=TARGET; one may go without
    #[arg(value_name = "[NAME=]TARGET", required_unless_present = "config", value_parser = NamedParser)]
    targets: Vec<Named<Location>>,
    /// Address to listen on: IP:PORT, IP, or :PORT
    #[arg(long, value_name = "ADDR", value_parser = bind_address, default_value = ":8080")]
    listen: SocketAddr,
    /// Another address that sends this file to every TCP client, without HTTP: from the servers without a name, or the
    /// first ones
    #[arg(long, value_name = "ADDR=/PATH")]
    tcp: Vec<Outlet>,
    /// Configuration file, in place of the other options: docs/trickles.md has its keys
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["targets", "listen", "tcp", "fallback_tcp", "pick", "danger_plain"])]
    #[arg(conflicts_with_all = ["control", "http", "access_log", "no_sandbox"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    confined: ConfinedArgs,
    #[command(flatten)]
    web: WebArgs,
}

/// Reads [`Named`] on the command line. What is wrong with it is told without it: it may be most of a ticket.
#[derive(Clone, Copy, Debug)]
struct NamedParser;

impl TypedValueParser for NamedParser {
    type Value = Named<Location>;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Named<Location>, clap::Error> {
        let text = value.to_str().ok_or_else(|| "a location is text".to_owned());
        let parsed = text.and_then(|text| Named::parse(text, location));
        parsed.map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n")).with_cmd(command))
    }
}

/// Serves programs of this host until a signal ends it, which is its usual end. To be called while the process has one
/// thread.
///
/// # Errors
/// If the address is not to be had, or there are no servers.
pub fn proxy(args: &ProxyArgs, drive: Drive, talk: Talk) -> Result<(), Failure> {
    let config = args.web.config(Role::Proxy, args.listen, &args.targets)?;
    daemon::run(config, None, drive, talk, Shows { announce, tell })
}

/// Serves other hosts until a signal ends it, which is its usual end. To be called while the process has one thread.
///
/// # Errors
/// As [`proxy`], and if a configuration is none.
pub fn gateway(args: &GatewayArgs, drive: Drive, talk: Talk) -> Result<(), Failure> {
    let shows = Shows { announce, tell };
    if let Some(path) = &args.config {
        let places = Places::of_environment();
        let config = config::read(path, &places)?;
        told::check_home("starting a gateway", &config.told)?;
        return daemon::run(config, Some((path.clone(), places)), drive, talk, shows);
    }
    let watch = &args.confined.watch;
    let config = WebConfig {
        outlets: args.tcp.clone(),
        control: watch.control.clone(),
        http: watch.http,
        access_log: watch.access_log(),
        sandbox: args.confined.sandbox(),
        ..args.web.config(Role::Gateway, args.listen, &args.targets)?
    };
    daemon::run(config, None, drive, talk, shows)
}

impl WebArgs {
    fn config(&self, role: Role, listen: SocketAddr, targets: &[Named<Location>]) -> Result<WebConfig, Failure> {
        check_names(targets).map_err(|why| {
            Failure::usage("finding servers by name", why).or_try("NAME=TARGET, each with a name of its own")
        })?;
        let WayArgs { fallback_tcp: plain, pick, seals } = self.way.clone();
        Ok(WebConfig {
            role,
            targets: targets.to_vec(),
            settings: Settings { plain, policy: pick.into(), danger_plain: seals.danger_plain },
            listen,
            outlets: Vec::new(),
            key: self.key.clone(),
            control: None,
            http: None,
            access_log: None,
            sandbox: false,
            tickets: Vec::new(),
            told: Vec::new(),
        })
    }
}

/// Says where it listens.
fn announce(running: &Running, role: Role, more: Value, talk: Talk) {
    let (names, address) = (running.doors.names(), running.address);
    for Outlet { at, path } in &running.outlets {
        talk.say(format_args!("{path} to who comes to {at}"));
        talk.event("pouring", &json!({ "address": at.to_string(), "path": path.as_str() }));
    }
    let all: Vec<&str> = names.all().collect();
    let listed = all.iter().map(|name| format!("http://{name}/")).collect::<Vec<_>>().join(" ");
    match role {
        Role::Proxy => {
            talk.say(format_args!("http://{address}/, and SOCKS5 and HTTP proxy for: {listed}"));
            if !address.ip().is_loopback() {
                talk.say("anyone who reaches that address may use it");
            }
        }
        Role::Gateway => {
            talk.say(format_args!("http://{address}/, for everybody: {listed}"));
            talk.say("the servers behind keep nothing of a client; this gateway does, and its end ends downloads");
        }
    }
    let event = json!({ "address": address.to_string(), "names": all, "default": NAME_DEFAULT });
    talk.event("listening", &merged([event, more]));
}

/// Says in the end what was done, where others than the programs of one user had it done.
fn tell(running: &Running, role: Role, talk: Talk) {
    if role == Role::Gateway {
        let status = status::of(running);
        talk.say(status::table(&status).trim_end());
        talk.event("passed_on", &status);
    }
}
