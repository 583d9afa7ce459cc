//! `--carrier`: how the endpoints of this process reach peers that UDP does not reach, and whether they take such
//! carriers (docs/carrier.md).

use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::sync::OnceLock;

use tng::carrier::{CARRIER_PORT, CarrierDial, CarrierEvent, CarrierListen, CarrierListenError};
use tng::{Builder, Endpoint};

use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::location::HostAddress;

/// What `--carrier` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// No carriers.
    Off,
    /// For who connects: where UDP does not answer. At this place, or at port 443 of the peer's addresses.
    Auto(Option<HostAddress>),
    /// For who connects: nothing else.
    Only(Option<HostAddress>),
    /// For who listens: at this port of TCP.
    At(SocketAddr),
}

static CARRIER: OnceLock<Carrier> = OnceLock::new();

impl FromStr for Carrier {
    type Err = String;

    fn from_str(text: &str) -> Result<Carrier, String> {
        let place = |text: &str| match text.rsplit_once(':') {
            Some(_) => text.parse::<HostAddress>().map_err(|error| error.to_string()),
            None => format!("{text}:{CARRIER_PORT}").parse::<HostAddress>().map_err(|error| error.to_string()),
        };
        match text.split_once('=').map_or((text, None), |(word, place)| (word, Some(place))) {
            ("off", None) => Ok(Carrier::Off),
            ("auto", at) => Ok(Carrier::Auto(at.map(place).transpose()?)),
            ("only", at) => Ok(Carrier::Only(at.map(place).transpose()?)),
            _ => address(text).map(Carrier::At),
        }
    }
}

/// Reads where to listen: IP:PORT, IP or :PORT, of TCP.
fn address(text: &str) -> Result<SocketAddr, String> {
    let bad = || {
        "who connects writes auto, off or only, the last perhaps as only=HOST:PORT; who listens IP:PORT, IP or \
                  :PORT"
    };
    let has_port = text.parse::<SocketAddr>().is_ok() || text.starts_with(':');
    let address = crate::host::bind_address(text).map_err(|_| bad().to_owned())?;
    Ok(if has_port { address } else { SocketAddr::new(address.ip(), CARRIER_PORT) })
}

impl Carrier {
    /// Has it hold from now on; only the first time.
    pub fn set(self) {
        let _ = CARRIER.set(self);
    }
}

/// Whether carriers lead to a place of its own, wherever the peer is.
pub fn leads_elsewhere() -> bool {
    matches!(CARRIER.get(), Some(Carrier::Auto(Some(_)) | Carrier::Only(Some(_))))
}

/// Whether the command line says that nobody is asked by UDP.
pub fn is_only() -> bool {
    matches!(CARRIER.get(), Some(Carrier::Only(_)))
}

/// An endpoint that connects, as the command line says.
///
/// # Errors
/// If the command line says where to listen, or names a place that cannot be found.
pub fn dialing(builder: Builder) -> Result<Builder, Failure> {
    let dial = |only, at: &Option<HostAddress>| -> Result<CarrierDial, Failure> {
        let at = at.as_ref().map(found).transpose()?.unwrap_or_default();
        Ok(CarrierDial { only, at, ..CarrierDial::default() })
    };
    Ok(match CARRIER.get() {
        None => builder.carrier(CarrierDial::default()),
        Some(Carrier::Off) => builder,
        Some(Carrier::Auto(at)) => builder.carrier(dial(false, at)?),
        Some(Carrier::Only(at)) => builder.carrier(dial(true, at)?),
        Some(Carrier::At(_)) => {
            let what = "--carrier has an address, which is for who listens";
            return Err(Failure::usage("connecting", what).or_try("--carrier auto, off or only"));
        }
    })
}

/// An endpoint that listens, as the command line says; one that `registers` itself connects for that.
///
/// # Errors
/// If the port is not to be had, or the command line says how to connect, and it does not.
pub fn serving(builder: Builder, registers: bool) -> Result<Builder, Failure> {
    if registers && !matches!(CARRIER.get(), Some(Carrier::At(_))) {
        return dialing(builder);
    }
    let builder = if registers { builder.carrier(CarrierDial::default()) } else { builder };
    Ok(match listening()? {
        Some(listen) => builder.carrier_listen(listen),
        None => builder,
    })
}

/// The port at which an endpoint that listens takes carriers, if the command line names one.
///
/// # Errors
/// If it is not to be had.
pub fn listening() -> Result<Option<CarrierListen>, Failure> {
    match CARRIER.get() {
        Some(Carrier::At(addr)) => CarrierListen::bind(*addr).map(Some).map_err(|error| listen_failure(&error)),
        Some(Carrier::Off) | None => Ok(None),
        Some(Carrier::Auto(_) | Carrier::Only(_)) => {
            let what = "--carrier says how to connect, and this listens";
            Err(Failure::usage("listening for carriers", what).or_try("--carrier :443, or another port of TCP"))
        }
    }
}

fn listen_failure(error: &CarrierListenError) -> Failure {
    Failure::new(Exit::Connect, "listening for carriers", error).or_try("another port: --carrier :4443")
}

fn found(place: &HostAddress) -> Result<Vec<SocketAddr>, Failure> {
    match place {
        HostAddress::Address(address) => Ok(vec![*address]),
        HostAddress::Name(name, port) => {
            let found = (name.as_str(), *port).to_socket_addrs().map_err(|error| {
                Failure::new(Exit::Resolve, format!("looking up {place}"), reason(&error))
                    .or_try("check the name, or write the address itself")
            })?;
            Ok(found.collect())
        }
    }
}

/// Writes what becomes of the endpoint's carriers to the log, as long as there are any.
pub fn follow(endpoint: &Endpoint) {
    let Some(carriers) = endpoint.carriers() else { return };
    let mut events = carriers.events();
    tokio::spawn(async move {
        while let Ok(event) = events.recv().await {
            match event {
                CarrierEvent::Up { peer } => tracing::info!(%peer, "carried over TCP"),
                CarrierEvent::Over { peer, error } => tracing::info!(%peer, "carrier over: {error}"),
                _ => {}
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carrier_is_a_word_for_who_connects_and_an_address_for_who_listens() {
        let read = |text: &str| text.parse::<Carrier>().expect(text);
        let place = |text: &str| Some(text.parse::<HostAddress>().expect(text));
        assert_eq!(read("off"), Carrier::Off);
        assert_eq!(read("auto"), Carrier::Auto(None));
        assert_eq!(read("only"), Carrier::Only(None));
        assert_eq!(read("only=192.0.2.1:4443"), Carrier::Only(place("192.0.2.1:4443")));
        assert_eq!(read("auto=relay.example"), Carrier::Auto(place("relay.example:443")));
        assert_eq!(read("192.0.2.1"), Carrier::At("192.0.2.1:443".parse().expect("an address")));
        assert_eq!(read(":4443"), Carrier::At("[::]:4443".parse().expect("an address")));
        for bad in ["", "on", "off=here", "only=", "443"] {
            assert!(bad.parse::<Carrier>().is_err(), "{bad}");
        }
    }
}
