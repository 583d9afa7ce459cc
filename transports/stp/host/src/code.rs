//! Transport code by name, and what makes connections of it.

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::{Rng, Semantic};
use tng_crypto::Secret32;
use tng_nonce::NonceKey;
use tng_stp_abi::{Guest, Role, SocketKind};

use crate::{Cap, Fault, Instance, Native, PROTOCOL_PREFIX, Quotas, Shim, ShimConfig, Transport};

/// Makes an instance for a connection that begins.
pub type Maker = dyn Fn(Box<Shim>) -> Result<Box<dyn Instance>, Fault> + Send + Sync;

/// Code that a host has: a guest that is compiled in, or a module. Cheap to clone.
#[derive(Clone)]
pub struct Code {
    name: Arc<str>,
    socket: SocketKind,
    make: Arc<Maker>,
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
        Code { name: name.into(), socket, make: Arc::new(make) }
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
    policed: bool,
}

impl fmt::Debug for Workshop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Workshop { quotas, cap, policed, .. } = self;
        let mut shown = f.debug_struct("Workshop");
        shown.field("quotas", quotas).field("cap", cap).field("policed", policed).finish_non_exhaustive()
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
            policed: true,
        }
    }

    /// The control of every test: nothing holds the rate of its guests.
    #[doc(hidden)]
    pub fn without_policer(self) -> Workshop {
        Workshop { policed: false, ..self }
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
        let rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner).fork();
        let shim = Shim::new(ShimConfig {
            role,
            socket: code.socket,
            quotas: self.quotas,
            cap: self.cap,
            policed: self.policed,
            nonces: Arc::clone(&self.nonces),
            rng,
        });
        Ok(Transport::new((code.make)(Box::new(shim))?))
    }
}
