//! `tng proxy`: a SOCKS5 and HTTP proxy whose connections leave from a peer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tng::Builder;

use crate::allowance::TimeArgs;
use crate::failure::Failure;
use crate::forward::configure;
use crate::forward::link::Link;
use crate::forward::local::{Purpose, listen, take};
use crate::forward::room::RoomArgs;
use crate::guests;
use crate::guests::congestion::regulated;
use crate::guests::offer::{OfferArgs, has_guests, run_by};
use crate::host::{attend_until_stopped, client_of};
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::talk::Talk;
use crate::via::ViaArgs;

/// The port of SOCKS (RFC 1928).
pub const PORT_DEFAULT: u16 = 1080;

/// Shown before everything else in `tng proxy --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng proxy TICKET               there: tng forward --serve --to any
  tng proxy --via HELPER TICKET  through a relay
  curl -x socks5h://127.0.0.1:1080 https://example.org/
  https_proxy=http://127.0.0.1:1080 git clone https://example.org/a.git

It runs until SIGINT (Ctrl-C), SIGTERM or SIGHUP ends it.";

/// Arguments of `tng proxy`.
#[derive(Args, Debug)]
pub struct ProxyArgs {
    /// The peer: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(value_name = "TARGET", value_parser = LocationParser)]
    target: Location,
    /// Address to listen on. There are no passwords: anyone who reaches it may use it
    #[arg(long, value_name = "IP:PORT")]
    #[arg(default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT_DEFAULT))]
    listen: SocketAddr,
    /// If nobody answers at TARGET, connect from here over plain TCP, without encryption
    #[arg(long)]
    fallback_tcp: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    offer: OfferArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// Runs the proxy until a signal ends it, which is its usual end.
///
/// # Errors
/// If the address is not to be had or the peer is not there.
pub async fn run(args: &ProxyArgs, talk: Talk) -> Result<(), Failure> {
    let (listener, address) = listen(&args.listen.ip().to_string(), args.listen.port()).await?;
    let (offered, regulator) = (args.offer.chosen("proxy", talk).await?, args.offer.regulator("proxy", talk)?);
    let connections = args.room.connections();
    args.room.open_descriptors(talk);
    let change = |builder: Builder| {
        let builder = builder.configure(|config| configure(config, connections));
        run_by(regulated(builder, regulator.as_ref()), offered.as_ref())
    };
    let endpoint = client_of(args.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "proxy");
    let link = Link::new(endpoint.clone(), args.via.to(&args.target)?, args.fallback_tcp, talk);
    let link = Arc::new(link.offering(offered));
    let work = async {
        args.time.connecting(link.prepare()).await?;
        talk.say(format_args!("SOCKS5 and HTTP proxy on {address}, out through {}", args.target.eid));
        if !address.ip().is_loopback() {
            talk.say("anyone who reaches that address may use it");
        }
        talk.event("listening", &json!({ "address": address.to_string() }));
        take(listener, Purpose::Proxy, Arc::clone(&link), args.room.room(), talk).await;
        Ok(())
    };
    attend_until_stopped(&endpoint, talk, args.time.whole(work)).await
}
