//! Who asks to come in: peers, and their streams.

use std::net::SocketAddr;
use std::sync::Arc;

use tng_base::Eid;

use crate::connection::Connection;
use crate::error::AcceptError;
use crate::hub::{Asking, Hub};
use crate::lock::Shared;
use crate::stream::Stream;

/// A peer with access that asks to connect: [accept](Incoming::accept) it, [refuse](Incoming::refuse) it, or have it
/// [come again](Incoming::retry). Dropping it refuses. One that was let in for a [service](crate::Endpoint::serve)
/// before anybody accepted has a connection already, which is closed if it is refused.
#[derive(Debug)]
pub struct Incoming {
    shared: Arc<Shared<Hub>>,
    asking: Asking,
    answered: bool,
}

impl Incoming {
    pub(crate) fn new(shared: &Arc<Shared<Hub>>, asking: Asking) -> Incoming {
        Incoming { shared: Arc::clone(shared), asking, answered: false }
    }

    /// Who asks. It has proven nothing but that it knows the key; that it is not a replay shows on the connection.
    pub fn eid(&self) -> Eid {
        self.asking.eid
    }

    /// Where it asks from. See [`is_validated`](Incoming::is_validated).
    pub fn remote_address(&self) -> SocketAddr {
        self.asking.remote
    }

    /// What it wants to speak, by its name on the wire: `structured`, or a [registered](crate::Builder::register)
    /// protocol. `None` if it no longer waits.
    pub fn protocol(&self) -> Option<String> {
        self.shared.lock().protocol_name(self.asking.id)
    }

    /// Whether it has shown that it receives where it asks from. If not, an attacker that copies packets of others may
    /// ask in their name: that is what [`retry`](Incoming::retry) is for, or waiting until something arrives on the
    /// connection.
    pub fn is_validated(&self) -> bool {
        self.asking.validated
    }

    /// Accepts. The connection can be used at once; that the peer is no replay shows when something arrives on it, and
    /// if that does not happen in time the connection ends.
    ///
    /// # Errors
    /// If that came too late, or the endpoint is closing.
    pub async fn accept(mut self) -> Result<Connection, AcceptError> {
        self.answered = true;
        let mut hub = self.shared.lock();
        let now = hub.now();
        let signals = hub.admit(now, self.asking).ok_or(AcceptError::Gone)?;
        hub.wake_driver();
        drop(hub);
        Ok(Connection::new(&self.shared, self.asking.id, self.asking.eid, signals))
    }

    /// Refuses. The peer is shown the reason, at most 255 bytes of it.
    pub fn refuse(mut self, reason: &str) {
        self.answer_no(reason);
    }

    /// Makes the peer show that it receives where it asks from. It costs it a round trip and this host no memory: when
    /// it comes back, it asks again and is [validated](Incoming::is_validated). Already validated, it is asked once
    /// more.
    pub fn retry(mut self) {
        self.answered = true;
        let mut hub = self.shared.lock();
        let now = hub.now();
        hub.retry(now, self.asking);
        hub.wake_driver();
    }

    fn answer_no(&mut self, reason: &str) {
        if !core::mem::replace(&mut self.answered, true) {
            let mut hub = self.shared.lock();
            let now = hub.now();
            hub.turn_away(now, self.asking, reason);
            hub.wake_driver();
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.answer_no("");
    }
}

/// A top-level stream that the peer opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct IncomingStream {
    /// The service that it is for.
    pub service: Arc<str>,
    /// The protocol that its opener wants to speak.
    pub protocol: Arc<str>,
    /// It came in the first packet of a peer that had not yet proven that it is not a replay: act only on what is safe
    /// to do twice. Only services that take [unproven](crate::FirstData::Unproven) first data see such streams.
    pub early: bool,
    /// The stream.
    pub stream: Stream,
}

impl IncomingStream {
    /// Refuses the stream; the peer is told the code (docs/wire.md, section 5, "REFUSE codes") and the reason.
    pub fn refuse(self, code: u64, reason: &str) {
        self.stream.refuse(code, reason);
    }
}
