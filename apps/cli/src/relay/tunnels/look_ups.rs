//! Names in `to` and `peer`, looked up at the start alone: afterwards the process may open no files that the system
//! needs for it. At the start of a host its names may not be known yet, so that it is tried for a while.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use serde_json::json;

use super::config::{EndConfig, Side, TunnelConfig};
use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::location::HostAddress;
use crate::talk::Talk;

/// For how long names that have no address are looked up again, all of them together.
pub const LOOK_UPS_WITHIN: Duration = Duration::from_secs(60);

/// The pause before a name is looked up again; doubles.
pub const LOOK_UP_AGAIN_FIRST: Duration = Duration::from_secs(1);

/// The longest such pause.
pub const LOOK_UP_AGAIN_MAX: Duration = Duration::from_secs(8);

/// The addresses of a tunnel's names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// Of the relay that is asked.
    pub to: Vec<SocketAddr>,
    /// Of the program at the port.
    pub peer: Vec<SocketAddr>,
}

/// The addresses of all names of some tunnels, in their order.
///
/// # Errors
/// If a name has none for [`LOOK_UPS_WITHIN`].
pub fn look_up(tunnels: &[TunnelConfig], talk: Talk) -> Result<Vec<Addresses>, Failure> {
    let (began, mut patience) = (clock::now(), Patience::default());
    let mut find = |tunnel: &str, name: &str| loop {
        let why = match name.to_socket_addrs().map(Iterator::collect::<Vec<_>>) {
            Ok(found) if !found.is_empty() => return Ok(found),
            Ok(_) => "it has no address".to_owned(),
            Err(error) => words(&error),
        };
        let what = format!("tunnel {tunnel:?}: looking up {name}");
        let Some(pause) = patience.next(began.elapsed()) else {
            return Err(Failure::new(Exit::Resolve, what, why).or_try("check the name, or write the address itself"));
        };
        talk.say(format_args!("{what}: {why}; again in {:.0} s", pause.as_secs_f64()));
        let again_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        talk.event("look_up_failed", &json!({ "tunnel": tunnel, "name": name, "why": why, "again_ms": again_ms }));
        clock::rest(pause);
    };
    let mut all = Vec::new();
    for TunnelConfig { name, side, end } in tunnels {
        let mut found = Addresses::default();
        if let Side::To(there) = side {
            for place in &there.location.places {
                match place {
                    HostAddress::Address(address) => found.to.push(*address),
                    HostAddress::Name(..) => found.to.extend(find(name, &place.to_string())?),
                }
            }
        }
        if let EndConfig::Port { peer: Some(peer), .. } = end {
            found.peer = find(name, peer)?;
        }
        all.push(found);
    }
    Ok(all)
}

/// Why a name has no address: what the system's resolver says.
fn words(error: &io::Error) -> String {
    let why = reason(error);
    why.strip_prefix("failed to lookup address information: ").map_or(why.clone(), str::to_lowercase)
}

/// When something is tried again that has failed.
#[derive(Debug)]
struct Patience {
    pause: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { pause: LOOK_UP_AGAIN_FIRST }
    }
}

impl Patience {
    /// The pause before it is tried again that long after the beginning; none if it is not.
    fn next(&mut self, elapsed: Duration) -> Option<Duration> {
        let left = LOOK_UPS_WITHIN.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        let pause = self.pause.min(left);
        self.pause = (self.pause * 2).min(LOOK_UP_AGAIN_MAX);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_address_is_looked_up_again_for_a_minute_ever_more_seldom() {
        let (mut patience, mut elapsed, mut tries) = (Patience::default(), Duration::ZERO, 0);
        while let Some(pause) = patience.next(elapsed) {
            assert!(pause <= LOOK_UP_AGAIN_MAX);
            elapsed += pause;
            tries += 1;
        }
        assert_eq!((elapsed, tries), (LOOK_UPS_WITHIN, 10));
        assert_eq!(Patience::default().next(LOOK_UPS_WITHIN * 2), None);
    }
}
