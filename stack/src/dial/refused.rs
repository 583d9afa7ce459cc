//! Addresses that the INIT does not arrive at, as ICMP says (decision 62).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Hindrance, Instant, Unreachable};
use tng_endpoint::is_carried;

use super::{Attempt, Dial, same_place};
use crate::ConnectError;

/// An address that is said not to be reached is asked once more after so long; said of it again, nobody waits for it
/// any more. Longer than a reordered answer is late, and short enough that a closed port is told within a second.
pub const CONFIRM_AFTER: Duration = Duration::from_millis(200);

/// Where an INIT and a JOIN have the channel id by which they are answered.
const ID_AT: core::ops::Range<usize> = 3..9;
/// Bytes of IP and UDP headers before what is sent: of IPv4 and IPv6.
const HEADERS: [u32; 2] = [28, 48];

/// What is said of an address that was asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused {
    why: Hindrance,
    /// Of two INITs: nobody waits for this address.
    confirmed: bool,
    /// An INIT has left since it was said.
    asked_again: bool,
}

impl Attempt {
    /// An INIT leaves for it.
    pub(super) fn note_asked(&mut self) {
        self.asked = true;
        if let Some(refused) = &mut self.refused {
            refused.asked_again = true;
        }
    }

    fn is_given_up(&self) -> bool {
        self.refused.is_some_and(|refused| refused.confirmed)
    }

    /// It is said not to be reached, for this reason.
    fn handle_refused(&mut self, now: Instant, why: Hindrance) {
        match &mut self.refused {
            Some(refused) => refused.confirmed |= core::mem::take(&mut refused.asked_again),
            None => {
                self.refused = Some(Refused { why, confirmed: false, asked_again: false });
                self.next_at = self.next_at.min(now + CONFIRM_AFTER);
            }
        }
    }
}

impl Dial {
    /// It is to last its time, whatever is said of the addresses: they may begin to answer meanwhile.
    pub(crate) fn be_patient(&mut self) {
        self.patient = true;
    }

    /// Somebody says that something does not arrive. Answers whether it is this INIT: only who has seen it can quote
    /// the name that answers will bear.
    pub(crate) fn handle_unreachable(&mut self, now: Instant, told: &Unreachable) -> bool {
        let Some(exchange) = &self.exchange else { return false };
        let (id, needed) = (self.local_id.to_bytes(), self.datagram_len(exchange));
        let is_quoted = told.quoted.get(ID_AT) == Some(&id[..]) || told.by_system && told.quoted.is_empty();
        // Of its own interfaces this system says it without a port.
        let is_at = |at: SocketAddr| match told.by_system && told.remote.port() == 0 {
            true => at.ip() == told.remote.ip(),
            false => same_place(at, told.remote),
        };
        let Some(attempt) = self.attempts.iter_mut().find(|it| it.asked && is_at(it.remote)) else { return false };
        let passes = matches!(told.why, Hindrance::TooBig { mtu } if mtu >= ip_len(told.remote, needed));
        if !is_quoted || passes {
            return false;
        }
        attempt.handle_refused(now, told.why);
        // The next need not wait for its turn (RFC 8305 section 5).
        if let Some(next) = self.attempts.iter_mut().filter(|it| !it.asked).min_by_key(|it| it.next_at) {
            next.next_at = next.next_at.min(now);
        }
        if self.is_refused()
            && let Some(way) = &mut self.way
        {
            way.until = way.until.min(now);
        }
        true
    }

    /// The carrier to this address did not come up, or has broken.
    pub(crate) fn handle_carrier_broken(&mut self, remote: IpAddr) {
        for attempt in self.attempts.iter_mut().filter(|it| it.asked && it.remote.ip() == remote) {
            attempt.refused = Some(Refused { why: Hindrance::Host, confirmed: true, asked_again: false });
        }
    }

    /// Somebody at this address answers.
    pub(super) fn note_answered(&mut self, remote: SocketAddr) {
        if let Some(attempt) = self.attempts.iter_mut().find(|attempt| same_place(attempt.remote, remote)) {
            attempt.refused = None;
        }
    }

    /// Whether nobody is waited for at any address. Of carriers alone there is other news.
    fn is_refused(&self) -> bool {
        let by_udp = self.attempts.iter().any(|it| !is_carried(it.remote.ip()));
        !self.patient && by_udp && self.attempts.iter().all(Attempt::is_given_up)
    }

    /// Why nobody is waited for at any address: what was said of the likeliest.
    pub(super) fn refusal(&self) -> Option<ConnectError> {
        // Somebody who is there, though another, or of another version, is worth waiting for.
        let is_answered = self.wrong_peer.is_some() || self.versions.is_some();
        if self.way.is_some() || is_answered || !self.is_refused() {
            return None;
        }
        self.said()
    }

    /// What was said of the likeliest address that something was said of.
    pub(super) fn said(&self) -> Option<ConnectError> {
        let exchange = self.exchange.as_ref()?;
        let (address, why) = self
            .attempts
            .iter()
            .filter(|it| !is_carried(it.remote.ip()))
            .find_map(|it| Some((it.remote, it.refused?.why)))?;
        let needed = ip_len(address, self.datagram_len(exchange));
        Some(ConnectError::Unreachable { address, why, needed })
    }
}

/// Bytes of the IP packet with so many of payload.
fn ip_len(remote: SocketAddr, payload: usize) -> u32 {
    HEADERS[usize::from(remote.is_ipv6())] + payload as u32
}
