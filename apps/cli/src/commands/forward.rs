//! `tng forward`: TCP ports through a peer, and the peer's side of it.

use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tng::{Builder, FirstData, ServiceOptions};
use tng_services::forward::{Allowed, Destination, NoDestination, PROTOCOL, Request, SERVICE};
use tokio::task::JoinSet;

use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::forward::configure;
use crate::forward::gate::{Gate, LOOPBACK, PEERS_MAX};
use crate::forward::link::Link;
use crate::forward::local::{Purpose, listen, take};
use crate::forward::remote::Remote;
use crate::forward::room::RoomArgs;
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{RunArgs, has_guests, run_by, serve_code};
use crate::host::{DoorArgs, attend_until_stopped, client_of, listens_at};
use crate::location::{Location, LocationParser};
use crate::pings;
use crate::talk::{Talk, merged};
use crate::via::ViaArgs;
use crate::visitors::Visitors;

/// Shown before everything else in `tng forward --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng forward --serve --to intranet:80 --to localhost:5432
                                   let ticket holders reach these two, and
                                   nothing else
  tng forward --serve --to any     the whole Internet, but not this host or
                                   private networks
  tng forward -L 8080:intranet:80 TICKET
                                   then: curl http://localhost:8080/
  tng forward --serve --open 9000  let ticket holders listen on port 9000 of
                                   this host
  tng forward -R 9000:localhost:22 TICKET
                                   and forward it to their own port 22
  tng forward --via HELPER -L 8080:intranet:80 TICKET
                                   through a relay

It runs until SIGINT (Ctrl-C), SIGTERM or SIGHUP ends it.";

/// Most routes in one command.
pub const ROUTES_MAX: usize = 64;

/// Arguments of `tng forward`.
#[derive(Args, Debug)]
#[command(mut_arg("connect_timeout", |arg| arg.conflicts_with("serve")))]
pub struct ForwardArgs {
    /// Listen here, and forward connections to HOST:PORT as the peer sees it
    #[arg(short = 'L', value_name = "[BIND:]PORT:HOST:PORT", conflicts_with = "serve")]
    local: Vec<Route>,
    /// Listen at the peer, and forward connections to HOST:PORT as seen from here
    #[arg(short = 'R', value_name = "[BIND:]PORT:HOST:PORT", conflicts_with = "serve")]
    remote: Vec<Route>,
    /// The peer: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    #[arg(required_unless_present = "serve", conflicts_with = "serve")]
    target: Option<Location>,
    /// If nobody answers at TARGET, connect from here over plain TCP, without encryption
    #[arg(long, conflicts_with = "serve")]
    fallback_tcp: bool,
    /// Serve: let ticket holders forward (-L, -R) and proxy through this host
    #[arg(long)]
    serve: bool,
    /// Allow this destination. `any`: everything but this host, private networks and cloud metadata addresses
    #[arg(long, value_name = "HOST:PORT", requires = "serve")]
    to: Vec<To>,
    /// Allow -R to listen on this port, at the loopback address unless another is given
    #[arg(long, value_name = "[IP:]PORT", requires = "serve", value_parser = open_address)]
    open: Vec<Destination>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    runs: RunArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// A destination that may be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
enum To {
    Any,
    Named(Destination),
}

impl FromStr for To {
    type Err = NoDestination;

    fn from_str(text: &str) -> Result<To, NoDestination> {
        if text == "any" { Ok(To::Any) } else { text.parse().map(To::Named) }
    }
}

fn open_address(text: &str) -> Result<Destination, NoDestination> {
    match text.parse() {
        Ok(port) => Destination::new(LOOPBACK, port),
        Err(_) => text.parse(),
    }
}

/// A socket to listen on, and where its connections go.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Route {
    bind: String,
    /// 0 for a free one.
    port: u16,
    to: Destination,
}

impl FromStr for Route {
    type Err = NoDestination;

    fn from_str(text: &str) -> Result<Route, NoDestination> {
        let fields = fields(text).ok_or(NoDestination::Form)?;
        let (bind, port, host, to_port) = match fields.as_slice() {
            [port, host, to_port] => (LOOPBACK, *port, *host, *to_port),
            ["*", port, host, to_port] => ("::", *port, *host, *to_port),
            [bind, port, host, to_port] => (*bind, *port, *host, *to_port),
            _ => return Err(NoDestination::Form),
        };
        let number = |text: &str| text.parse().map_err(|_| NoDestination::Port);
        // For its checks alone.
        Destination::new(bind, 1)?;
        Ok(Route { bind: bind.to_owned(), port: number(port)?, to: Destination::new(host, number(to_port)?)? })
    }
}

/// What stands between colons, those in brackets aside.
fn fields(text: &str) -> Option<Vec<&str>> {
    let (mut found, mut rest) = (Vec::new(), Some(text));
    while let Some(text) = rest {
        let (field, after) = match text.strip_prefix('[') {
            Some(bracketed) => {
                let (field, after) = bracketed.split_once(']')?;
                (field, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
            }
            None => text.split_once(':').map_or((text, None), |(field, after)| (field, Some(after))),
        };
        found.push(field);
        rest = after;
    }
    Some(found)
}

/// Forwards, or serves, until a signal ends it, which is its usual end.
///
/// # Errors
/// If an address is not to be had, there is no connection, or the peer does not let us.
pub async fn run(args: &ForwardArgs, talk: Talk) -> Result<(), Failure> {
    match &args.target {
        Some(target) => forward(args, target, talk).await,
        None => {
            args.via.refuse("serving", "the end that connects chooses the helpers")?;
            serve(args, talk).await
        }
    }
}

async fn forward(args: &ForwardArgs, target: &Location, talk: Talk) -> Result<(), Failure> {
    if args.door.bind.is_some() || args.door.public || !args.door.allow.is_empty() {
        return Err(Failure::usage("forwarding", "--bind, --public and --allow are for --serve"));
    }
    match args.local.len() + args.remote.len() {
        0 => return Err(Failure::usage("forwarding", "nothing to forward").or_try("-L 8080:HOST:80")),
        1..=ROUTES_MAX => {}
        _ => return Err(Failure::usage("forwarding", format_args!("more than {ROUTES_MAX} routes"))),
    }
    let mut sockets = Vec::new();
    for route in &args.local {
        sockets.push((listen(&route.bind, route.port).await?, route.to.clone()));
    }
    let connections = args.room.connections();
    args.room.open_descriptors(talk);
    let (offered, regulator) = (args.runs.offered("forward", talk).await?, args.runs.regulator("forward", talk)?);
    let change = |builder: Builder| {
        let builder = builder.configure(|config| configure(config, connections));
        run_by(regulated(builder, regulator.as_ref()), offered.as_ref())
    };
    let endpoint = client_of(args.door.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "forward");
    let link = Link::new(endpoint.clone(), args.via.to(target)?, args.fallback_tcp, talk);
    let link = Arc::new(link.offering(offered));
    let work = async {
        args.time.connecting(link.prepare()).await?;
        let (room, mut tasks) = (args.room.room(), JoinSet::new());
        for ((listener, address), to) in sockets {
            talk.say(format_args!("listening on TCP {address}, for {to} through {}", target.eid));
            talk.event("listening", &json!({ "address": address.to_string(), "to": to.to_string() }));
            let taking = take(listener, Purpose::Fixed(to), Arc::clone(&link), room.clone(), talk);
            tasks.spawn(async move {
                taking.await;
                Ok(())
            });
        }
        for route in &args.remote {
            let bind = Request::Bind { host: route.bind.clone(), port: route.port };
            let (remote, link, room) = (Remote { bind, to: route.to.clone() }, Arc::clone(&link), room.clone());
            tasks.spawn(async move { remote.take(&link, &room, talk).await });
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|error| Failure::new(Exit::Receive, "forwarding", error))??;
        }
        Ok(())
    };
    attend_until_stopped(&endpoint, talk, args.time.whole(work)).await
}

async fn serve(args: &ForwardArgs, talk: Talk) -> Result<(), Failure> {
    if args.to.is_empty() && args.open.is_empty() {
        return Err(Failure::usage("serving", "peers may reach nothing yet")
            .or_try("--to HOST:PORT for each destination, or --to any for the whole Internet"));
    }
    let named = args.to.iter().filter_map(|to| match to {
        To::Named(destination) => Some(destination.clone()),
        To::Any => None,
    });
    let (named, any): (Vec<Destination>, bool) = (named.collect(), args.to.contains(&To::Any));
    let mut reachable: Vec<String> = named.iter().map(Destination::to_string).collect();
    reachable.extend(any.then(|| "the whole Internet".to_owned()));
    let open: Vec<String> = args.open.iter().map(Destination::to_string).collect();
    // Who may reach one thing with a ticket may not reach another with it that is served later.
    let name = format!("forward:{}:{}", reachable.join(","), open.join(","));
    // A connection made twice may do something twice.
    let once = ServiceOptions { first_data: FirstData::Proven, ..ServiceOptions::default() };
    let services = [(SERVICE, PROTOCOL, once)];
    let (runs, regulator) = (args.runs.chosen("forward", talk).await?, args.runs.regulator("forward", talk)?);
    let connections = args.room.connections();
    args.room.open_descriptors(talk);
    let change = |builder: Builder| {
        let builder = builder.configure(|config| configure(config, args.room.of_one_peer()));
        run_by(regulated(builder, regulator.as_ref()), runs.as_ref())
    };
    let door = args.door.open_with(name.as_bytes(), &services, PEERS_MAX, change).await?;
    // Who only wants to know how far away this host is needs no place for a TCP connection.
    let _desk = guests::tells_of(&door.endpoint, has_guests(runs.as_ref(), regulator.as_ref()), "forward");
    serve_code(&door.endpoint, runs.as_ref(), talk)?;
    pings::answer(&door.endpoint)?;
    let listed = |what: &[String]| if what.is_empty() { "nothing".to_owned() } else { what.join(", ") };
    talk.say(format_args!("serving {}, at {}", door.open_to, listens_at(&door.endpoint)));
    talk.say(format_args!("  to reach:     {}\n  to listen on: {}", listed(&reachable), listed(&open)));
    let target = door.target();
    talk.say(format_args!("\nuse it with:\n  tng proxy {target}\n  tng forward -L 8080:HOST:PORT {target}"));
    door.show(talk);
    talk.event("serving", &merged([door.to_json(), json!({ "to": reachable, "open": open })]));
    let (allowed, open, visitors) = (Allowed::new(named, any), args.open.clone(), Visitors::new(talk));
    let gate = Arc::new(Gate { allowed, open, connections, runs: runs.clone(), visitors, talk });
    let serving = async {
        gate.serve(&door.endpoint).await;
        Ok(())
    };
    attend_until_stopped(&door.endpoint, talk, args.time.whole(serving)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_written_as_for_ssh() {
        for (text, bind, port, to) in [
            ("8080:intranet:80", "127.0.0.1", 8080, "intranet:80"),
            ("0:[::1]:80", "127.0.0.1", 0, "[::1]:80"),
            ("*:8080:a:80", "::", 8080, "a:80"),
            ("[::1]:8080:a:80", "::1", 8080, "a:80"),
            ("10.0.0.1:8080:[2001:db8::1]:80", "10.0.0.1", 8080, "[2001:db8::1]:80"),
        ] {
            let route: Route = text.parse().expect(text);
            assert_eq!((route.bind.as_str(), route.port, route.to.to_string().as_str()), (bind, port, to));
        }
        for text in ["", "8080", "8080:a", "x:a:80", "8080:a:0", "8080::80", "[::1:8080:a:80", "1:2:3:4:5", ":1:a:80"] {
            assert!(text.parse::<Route>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_open_port_is_on_the_loopback_address_unless_another_is_named() {
        let open = |text| open_address(text).map(|open| open.to_string());
        assert_eq!(open("9000").as_deref(), Ok("127.0.0.1:9000"));
        assert_eq!(open("192.0.2.1:9000").as_deref(), Ok("192.0.2.1:9000"));
        assert!(open("0").is_err() && open("x").is_err());
    }
}
