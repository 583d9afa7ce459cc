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
  tng trickles proxy @FILE             programs of this host fetch with the ticket in FILE:
  curl -O http://127.0.0.1:8080/a.jpg
  curl -C - -O http://127.0.0.1:8080/movie.mkv
                                       go on with a file that has begun to come
  curl --parallel -O 'http://127.0.0.1:8080/[1-9].jpg'
  wget -r -np http://127.0.0.1:8080/
  tng trickles proxy photos=@FILE films=@OTHER
                                       servers by names, for programs that have it as their proxy:
  curl -x 127.0.0.1:8080 -O http://photos/a.jpg
  curl --socks5-hostname 127.0.0.1:8080 -O http://films/movie.mkv
The servers may be killed and started again meanwhile: a download pauses, and goes on. A file that
is another than before has another ETag; one that changes while it comes is cut off, and curl ends
with 18 or 56. Where no server answers, structured streams are tried.";

/// Shown before everything else in `tng trickles gateway --help`.
pub const GATEWAY_EXAMPLES: &str = "\
Examples:
  tng trickles gateway --listen :80 @FILE
                                       hand out over HTTP, to everybody, what that ticket opens
  tng trickles gateway tng://EID@one:4860,two:4860/ --pick spray
                                       of a fleet, request by request from another server
  tng trickles gateway --listen :80 photos.example=@FILE films.example=@OTHER
                                       by the name that is asked for
  tng trickles gateway --tcp :9000=/movie.mkv @FILE
                                       and that file to who comes to port 9000, without a word:
  nc HOST 9000 > movie.mkv
  tng trickles gateway --fallback-tcp http://mirror/films @FILE
                                       and from a web server, without protection, if all else fails
  tng trickles gateway --config /etc/tng/gateway.toml
                                       as a file says, like the unit in contrib/; SIGHUP has it read
                                       that file and the tickets in it again
  tng trickles gateway --control gateway.sock @FILE
  tng trickles status --control gateway.sock
                                       by which way it fetches, and what was fetched
The servers keep nothing of a client; the gateway does, since TCP must: its end ends the downloads
that go by way of it, and curl -C - goes on with them. Clients reach it over plain TCP: who is on
that path can read and change what comes.";

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
    /// The servers: a ticket, EID@host:port, or @FILE, and a path below which everything is. Several need names, as
    /// NAME=TARGET; one may be without
    #[arg(value_name = "[NAME=]TARGET", required = true, value_parser = NamedParser)]
    targets: Vec<Named<Location>>,
    /// Address to listen on. There are no passwords: who reaches it may use it
    #[arg(long, value_name = "IP:PORT")]
    #[arg(default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), HTTP_PORT_DEFAULT))]
    listen: SocketAddr,
    #[command(flatten)]
    web: WebArgs,
}

/// What lines of a gateway's access log are of.
const LINES: &str = "A line of JSON for each answer to this file, or to stdout (-)";

/// Arguments of `tng trickles gateway`.
#[derive(Args, Debug)]
#[command(mut_arg("access_log", |arg| arg.help(LINES)))]
pub struct GatewayArgs {
    /// The servers: a ticket, EID@host:port, or @FILE, and a path below which everything is. Several need names, as
    /// NAME=TARGET; one may be without
    #[arg(value_name = "[NAME=]TARGET", required_unless_present = "config", value_parser = NamedParser)]
    targets: Vec<Named<Location>>,
    /// Address to listen on: IP:PORT, IP, or :PORT
    #[arg(long, value_name = "ADDR", value_parser = bind_address, default_value = ":8080")]
    listen: SocketAddr,
    /// A further address, where who comes gets this file and no HTTP is spoken: of the servers without a name, or of
    /// the first
    #[arg(long, value_name = "ADDR=/PATH")]
    tcp: Vec<Outlet>,
    /// File that says everything else: docs/trickles.md has its keys
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
