//! A set-up with the one server.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SecretRng;
use tng_isolation::{Identity, InitiateError};
use tng_trickles::set_up::{Call, Dial, DialError, Heard, Welcomed};

/// The INIT goes out again after so long, and after twice as long each time, up to so many doublings.
const AGAIN: Duration = Duration::from_secs(1);
const DOUBLINGS_MAX: u32 = 3;

/// A set-up under way.
#[derive(Debug)]
pub(crate) struct Dialing {
    /// When it is given up.
    pub(crate) until: Instant,
    /// It begins no earlier.
    since: Instant,
    /// None until there is entropy for it.
    dial: Option<Dial>,
    tries: u32,
    /// When the INIT is due.
    due: Instant,
}

/// What a datagram comes to.
#[derive(Debug)]
pub(crate) enum Came {
    Nothing,
    Welcomed(Box<Welcomed>),
    Failed(DialError),
}

impl Dialing {
    /// One that begins at `since`, and has `patience` from then on.
    pub(crate) fn new(since: Instant, patience: Duration) -> Dialing {
        Dialing { until: since + patience, since, dial: None, tries: 0, due: since }
    }

    pub(crate) fn handle(&mut self, now: Instant, datagram: &[u8]) -> Came {
        let Some(dial) = self.dial.take() else { return Came::Nothing };
        match dial.handle(datagram) {
            Heard::Waiting(dial) => self.dial = Some(dial),
            Heard::Asked(dial) => (self.dial, self.due) = (Some(dial), now),
            Heard::Failed(error) => return Came::Failed(error),
            Heard::Welcomed(welcomed) => return Came::Welcomed(welcomed),
        }
        Came::Nothing
    }

    /// Why nothing came of it.
    pub(crate) fn give_up(&mut self) -> DialError {
        self.dial.take().map_or(DialError::Silence, Dial::give_up)
    }

    /// Whether it is time for an INIT: `rng` may be asked for it.
    pub(crate) fn wants_dial(&mut self, now: Instant) -> bool {
        if now >= self.due && self.dial.as_ref().is_some_and(|dial| !dial.takes_cookies()) {
            // A server that asks for cookies does not know this INIT again.
            self.dial = None;
        }
        self.dial.is_none() && now >= self.since
    }

    pub(crate) fn dial(&mut self, identity: &Identity, call: &Call, rng: &mut SecretRng) -> Result<(), InitiateError> {
        self.dial = Some(Dial::new(identity, call, rng)?);
        Ok(())
    }

    /// The INIT, if it is due.
    pub(crate) fn transmit(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        let init = self.dial.as_ref().filter(|_| now >= self.due)?.datagram();
        buf[..init.len()].copy_from_slice(init);
        self.due = now + AGAIN * (1 << self.tries.min(DOUBLINGS_MAX));
        self.tries += 1;
        Some(init.len())
    }

    pub(crate) fn deadline(&self) -> Instant {
        // Without an INIT it waits for entropy, which comes as an input.
        let due = if self.dial.is_some() { self.due } else { self.since.max(self.due) };
        due.min(self.until)
    }
}
