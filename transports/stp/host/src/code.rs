//! Transport code by name, and what makes connections of it.

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::{Rng, Semantic};
use tng_crypto::Secret32;
use tng_nonce::NonceKey;
use tng_stp_abi::{Guest, Role, SocketKind};

use crate::{Cap, Fault, Instance, Native, PROTOCOL_PREFIX, Quotas, Shim, ShimConfig, Signal, Transport};

/// Makes an instance for a connection that begins.
pub type Maker = dyn Fn(Box<Shim>) -> Result<Box<dyn Instance>, Fault> + Send + Sync;

/// Code that a host has: a guest that is compiled in, or a module. Cheap to clone.
#[derive(Clone)]
pub struct Code {
    name: Arc<str>,
    socket: SocketKind,
    make: Arc<Maker>,
    ready: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("name", &self.name).field("socket", &self.socket).finish_non_exhaustive()
    }
}

impl Code {
    /// Code of any kind.
    pub fn new(
        name: &str,
        socket: SocketKind,
        make: impl Fn(Box<Shim>) -> Result<Box<dyn Instance>, Fault> + Send + Sync + 'static,
    ) -> Code {
        Code { name: name.into(), socket, make: Arc::new(make), ready: None }
    }

    /// The same code; it gives an instance when this says so, and not always.
    #[must_use]
    pub fn ready_when(self, ready: impl Fn() -> bool + Send + Sync + 'static) -> Code {
        Code { ready: Some(Arc::new(ready)), ..self }
    }

    /// Whether an instance can be had now, as far as it knows.
    pub fn is_ready(&self) -> bool {
        self.ready.as_ref().is_none_or(|ready| ready())
    }

    /// A guest that is compiled into this program. Nothing but the policer holds it.
    pub fn native<G: Guest + Send + 'static>(name: &str) -> Code {
        Code::new(name, G::SOCKET, |shim| Ok(Box::new(Native::<G>::new(shim))))
    }

    /// The same code, whose instances are put into others: to watch them, or to count.
    #[must_use]
    pub fn within<I: Instance + 'static>(self, put: impl Fn(Box<dyn Instance>) -> I + Send + Sync + 'static) -> Code {
        let make = Arc::clone(&self.make);
        Code { make: Arc::new(move |shim| Ok(Box::new(put(make(shim)?)))), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What connections that speak it say that they speak.
    pub fn protocol(&self) -> String {
        format!("{PROTOCOL_PREFIX}{}", self.name)
    }

    /// What the application has at each end.
    pub fn socket(&self) -> SocketKind {
        self.socket
    }
}

/// Why a peer is not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnswerError {
    /// Peer: its set-up is not that of a guest's connection, or of another version of the border.
    NotUnderstood,
    /// Environment, or guest: there is no instance.
    Fault(Fault),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotUnderstood => f.write_str("the peer's set-up is not understood; update one of the two"),
            AnswerError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl core::error::Error for AnswerError {}

/// What a host makes its ends of guests' connections with.
pub struct Workshop {
    nonces: Arc<NonceKey>,
    /// Each connection has a generator of its own. It is taken for a moment, at the beginning of a connection.
    rng: Mutex<Rng>,
    /// What guests may use.
    pub quotas: Quotas,
    /// What holds their rate.
    pub cap: Cap,
    /// What counts as congestion for that.
    pub signal: Signal,
    policed: bool,
    acks_bounded: bool,
}

impl fmt::Debug for Workshop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Workshop { quotas, cap, policed, acks_bounded, .. } = self;
        let mut shown = f.debug_struct("Workshop");
        shown.field("quotas", quotas).field("cap", cap).field("policed", policed);
        shown.field("acks_bounded", acks_bounded).finish_non_exhaustive()
    }
}

impl Workshop {
    /// One of a host, which has these secrets: nonces are made of the first, and names of connections of the other.
    pub fn new(nonces: &Secret32, seed: [u8; 32]) -> Workshop {
        Workshop {
            nonces: Arc::new(NonceKey::derive(nonces)),
            rng: Mutex::new(Rng::from_seed(seed)),
            quotas: Quotas::default(),
            cap: Cap::default(),
            signal: Signal::default(),
            policed: true,
            acks_bounded: true,
        }
    }

    /// The control of every test: nothing holds the rate of its guests.
    #[doc(hidden)]
    pub fn without_policer(self) -> Workshop {
        Workshop { policed: false, ..self }
    }

    /// The control of tests of what guests send for what came: nothing bounds that.
    #[doc(hidden)]
    pub fn without_ack_bound(self) -> Workshop {
        Workshop { acks_bounded: false, ..self }
    }

    /// The end that answers a peer, of what its set-up says, with so many bytes of memory.
    ///
    /// # Errors
    /// See [`AnswerError`].
    pub fn answer(&self, code: &Code, set_up_item: Option<&[u8]>, memory: u64) -> Result<Transport, AnswerError> {
        let mut transport = self.transport(code, Role::Responder).map_err(AnswerError::Fault)?;
        transport.handle_set_up_item(set_up_item).map_err(|_| AnswerError::NotUnderstood)?;
        transport.set_memory(memory);
        Ok(transport)
    }

    /// One end of a connection.
    ///
    /// # Errors
    /// [`Fault::NoRoom`], and whatever keeps an instance from being made.
    pub fn transport(&self, code: &Code, role: Role) -> Result<Transport, Fault> {
        self.transport_within(code, role, self.quotas, (self.cap, self.signal))
    }

    /// The same, within other quotas, and held by another cap, by what counts as congestion there.
    ///
    /// # Errors
    /// As [`transport`](Workshop::transport).
    pub fn transport_within(
        &self,
        code: &Code,
        role: Role,
        quotas: Quotas,
        (cap, signal): (Cap, Signal),
    ) -> Result<Transport, Fault> {
        let rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner).fork();
        let shim = Shim::new(ShimConfig {
            role,
            socket: code.socket,
            quotas,
            cap,
            signal,
            policed: self.policed,
            acks_bounded: self.acks_bounded,
            nonces: Arc::clone(&self.nonces),
            rng,
        });
        Ok(Transport::new((code.make)(Box::new(shim))?))
    }
}

#[cfg(test)]
mod tests {
    use tng_base::{Footing, Instant, Protocol};

    use super::*;

    #[test]
    fn what_a_peer_says_of_marks_counts_where_it_is_trusted_as_long_as_they_reach_it() {
        let code = Code::native::<stp_guest_newreno::NewReno>("newreno");
        let signal_under = |signal, marks: Option<u64>| {
            let mut workshop = Workshop::new(&Secret32::from_bytes([7; 32]), [1; 32]);
            workshop.signal = signal;
            let mut transport = workshop.transport(&code, Role::Initiator).expect("room");
            assert_eq!(transport.heeds_marks(), signal == Signal::Marks, "routers may mark what it sends");
            transport.handle_footing(Instant::from_secs(1), Footing { parties: 1, ipv6: false, marks });
            transport.shim().policer().signal()
        };
        assert_eq!(signal_under(Signal::Marks, Some(0)), Signal::Marks);
        assert_eq!(signal_under(Signal::Marks, None), Signal::Losses, "they are not known to reach it");
        for marks in [None, Some(0), Some(9)] {
            assert_eq!(signal_under(Signal::Losses, marks), Signal::Losses, "whatever a peer says that nobody trusts");
        }
    }
}
