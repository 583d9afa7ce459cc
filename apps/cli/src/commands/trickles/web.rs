//! `tng trickles proxy` and `tng trickles gateway`: programs that know nothing of Trickles before servers that keep
//! nothing.

use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Args, Command};
use serde_json::json;
use tng_services::files::SafePath;

use super::Pick;
use crate::failure::Failure;
use crate::forward::local::listen;
use crate::host::bind_address;
use crate::key::KeyArgs;
use crate::location::{Location, location};
use crate::signals::stopped;
use crate::talk::Talk;
use crate::trickles::PlainUrl;
use crate::trickles::web::{Doors, Fixed, NAME_DEFAULT, Named, Names, Role, Source, run};

/// The port unless another is said: that of a second web server of a host.
pub const HTTP_PORT_DEFAULT: u16 = 8080;

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
                                       servers by names, as programs find them that take it for their proxy:
  curl -x 127.0.0.1:8080 -O http://photos/a.jpg
  curl --socks5-hostname 127.0.0.1:8080 -O http://films/movie.mkv
The servers may be killed and started again meanwhile: a download pauses, and goes on. A file that is another than
before has another ETag; one that changes while it comes is cut off, and curl ends with 18. Where no server answers,
structured streams are tried.";

/// Shown before everything else in `tng trickles gateway --help`.
pub const GATEWAY_EXAMPLES: &str = "\
Examples:
  tng trickles gateway --listen :80 @FILE
                                       hand out over HTTP, to everybody, what the ticket in FILE opens
  tng trickles gateway tng://EID@one:4860,two:4860/ --policy spray
                                       of a fleet, request by request from another server
  tng trickles gateway --listen :80 photos.example=@FILE films.example=@OTHER
                                       by the name that is asked for
  tng trickles gateway --tcp :9000=/movie.mkv @FILE
                                       and to who comes to port 9000 that file, without a word: nc HOST 9000 > movie.mkv
  tng trickles gateway --fallback-tcp http://mirror/films @FILE
                                       and from a web server, without protection, where nothing else answers
The servers keep nothing of a client; the gateway does, since TCP must: its end ends the downloads that go by way of it,
and curl -C - goes on with them. Clients reach it over plain TCP: who is on that path can read and change what comes.";

/// Arguments that both have.
#[derive(Args, Debug)]
struct WebArgs {
    /// The servers: a ticket, EID@host:port, or @FILE, and a path below which everything is. Several need names, as
    /// NAME=TARGET; one may be without
    #[arg(value_name = "[NAME=]TARGET", required = true, value_parser = NamedParser)]
    targets: Vec<Named<Location>>,
    /// If nobody answers, by Trickles or structured streams, fetch from below this place of a web server over plain
    /// TCP, without protection: whoever is on the path can read and change what comes
    #[arg(long, value_name = "http://HOST/PATH")]
    fallback_tcp: Option<PlainUrl>,
    /// Which of the servers to ask, if a target has several addresses: all must have the same keys
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = Pick::Stay)]
    policy: Pick,
    #[command(flatten)]
    key: KeyArgs,
}

/// Arguments of `tng trickles proxy`.
#[derive(Args, Debug)]
pub struct ProxyArgs {
    /// Address to listen on. There are no passwords: who reaches it may use it
    #[arg(long, value_name = "IP:PORT")]
    #[arg(default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), HTTP_PORT_DEFAULT))]
    listen: SocketAddr,
    #[command(flatten)]
    web: WebArgs,
}

/// Arguments of `tng trickles gateway`.
#[derive(Args, Debug)]
pub struct GatewayArgs {
    /// Address to listen on: IP:PORT, IP, or :PORT
    #[arg(long, value_name = "ADDR", value_parser = bind_address, default_value = ":8080")]
    listen: SocketAddr,
    /// A further address, where who comes gets this file and no HTTP is spoken: of the servers without a name, or of
    /// the first
    #[arg(long, value_name = "ADDR=/PATH")]
    tcp: Vec<Outlet>,
    #[command(flatten)]
    web: WebArgs,
}

/// Where one file is given away.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Outlet {
    at: SocketAddr,
    path: SafePath,
}

impl FromStr for Outlet {
    type Err = String;

    fn from_str(text: &str) -> Result<Outlet, String> {
        let (at, path) = text.split_once("=/").ok_or("write ADDR=/PATH, such as :9000=/movie.mkv")?;
        let path = SafePath::parse(path).map_err(|error| error.to_string())?;
        Ok(Outlet { at: bind_address(at)?, path })
    }
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

/// Serves programs of this host until a signal ends it, which is its usual end.
///
/// # Errors
/// If the address is not to be had, or there are no servers.
pub async fn proxy(args: &ProxyArgs, talk: Talk) -> Result<(), Failure> {
    web(Role::Proxy, args.listen, &[], &args.web, talk).await
}

/// Serves other hosts until a signal ends it, which is its usual end.
///
/// # Errors
/// As [`proxy`].
pub async fn gateway(args: &GatewayArgs, talk: Talk) -> Result<(), Failure> {
    web(Role::Gateway, args.listen, &args.tcp, &args.web, talk).await
}

async fn web(role: Role, at: SocketAddr, outlets: &[Outlet], args: &WebArgs, talk: Talk) -> Result<(), Failure> {
    let identity = args.key.load_or_create()?;
    let (mut sources, mut seen) = (Vec::new(), Vec::new());
    for Named { name, of } in &args.targets {
        if seen.contains(&name) {
            let what = name
                .as_deref()
                .map_or_else(|| "two targets have no name".to_owned(), |name| format!("two targets are called {name}"));
            return Err(
                Failure::usage("finding servers by name", what).or_try("NAME=TARGET, each with a name of its own")
            );
        }
        seen.push(name);
        let (plain, policy) = (args.fallback_tcp.clone(), args.policy.into());
        let source = Arc::new(Source::new(of.clone(), identity.duplicate(), plain, policy, talk));
        sources.push(Named { name: name.clone(), of: source });
    }
    let (listener, address) = listen(&at.ip().to_string(), at.port()).await?;
    let first = sources.iter().find(|source| source.name.is_none()).or(sources.first());
    let source = Arc::clone(&first.expect("there is one").of);
    let mut fixed = Vec::new();
    for Outlet { at, path } in outlets {
        let (listener, address) = listen(&at.ip().to_string(), at.port()).await?;
        talk.say(format_args!("{path} to who comes to {address}"));
        talk.event("pouring", &json!({ "address": address.to_string(), "path": path.as_str() }));
        fixed.push(Fixed { listener, source: Arc::clone(&source), path: path.clone() });
    }
    let serving = async {
        for Named { of, .. } in &sources {
            of.prepare().await?;
        }
        let names = Names::new(role, sources);
        match role {
            Role::Proxy => {
                talk.say(format_args!("http://{address}/, and SOCKS5 and HTTP proxy for: {}", listed(&names)));
                if !address.ip().is_loopback() {
                    talk.say("anyone who reaches that address may use it");
                }
            }
            Role::Gateway => {
                talk.say(format_args!("http://{address}/, for everybody: {}", listed(&names)));
                talk.say("the servers behind keep nothing of a client; this gateway does, and its end ends downloads");
            }
        }
        let all: Vec<&str> = names.all().collect();
        talk.event("listening", &json!({ "address": address.to_string(), "names": all, "default": NAME_DEFAULT }));
        run(Doors::new(names), listener, fixed).await;
        Ok(())
    };
    tokio::select! {
        ended = serving => ended,
        () = stopped() => {
            talk.say("stopped");
            Ok(())
        }
    }
}

fn listed(names: &Names) -> String {
    let all: Vec<String> = names.all().map(|name| format!("http://{name}/")).collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlet_is_an_address_and_a_path() {
        let outlet: Outlet = ":9000=/a/b=c".parse().expect("fine");
        assert_eq!((outlet.at.port(), outlet.path.as_str()), (9000, "a/b=c"));
        for bad in [":9000", ":9000=a", "x=/a", ":9000=/../a"] {
            assert!(bad.parse::<Outlet>().is_err(), "{bad}");
        }
    }
}
