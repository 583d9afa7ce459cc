//! What a host of a simulated world has of transports that travel, and what it lets run (STP 3.3.1).

use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_base::{CodeHash, Eid, Semantic};
use tng_stack::structured::Role;
use tng_stack::{Asked, FactoryError, TransportAnswer, TransportOffer, Transports};
use tng_stp_host::{Code, Workshop};

/// Which transports may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Those of these hashes.
    These(Vec<CodeHash>),
    /// Whatever comes.
    Any,
}

impl Acceptance {
    /// Whether one may run.
    pub fn allows(&self, code: &CodeHash) -> bool {
        match self {
            Acceptance::These(codes) => codes.contains(code),
            Acceptance::Any => true,
        }
    }
}

/// The transports of a host. It may come to have more of them while its world runs.
#[derive(Debug)]
pub struct Repertoire {
    accepts: Acceptance,
    workshop: Workshop,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    codes: Vec<(CodeHash, Code)>,
    prefers: Option<CodeHash>,
}

impl Repertoire {
    /// Nothing yet.
    pub fn new(accepts: Acceptance, workshop: Workshop) -> Repertoire {
        Repertoire { accepts, workshop, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Code that can run from now on.
    pub fn add(&self, hash: CodeHash, code: Code) {
        let mut held = self.held();
        held.codes.retain(|(of, _)| *of != hash);
        held.codes.push((hash, code));
    }

    /// This host would rather run this one than what it is offered.
    pub fn prefer(&self, hash: CodeHash) {
        self.held().prefers = Some(hash);
    }

    /// Whether code can run.
    pub fn has(&self, hash: &CodeHash) -> bool {
        self.get(hash).is_some()
    }

    /// Which code may run.
    pub fn accepts(&self) -> &Acceptance {
        &self.accepts
    }

    fn get(&self, hash: &CodeHash) -> Option<Code> {
        self.held().codes.iter().find(|(of, _)| of == hash).map(|(_, code)| code.clone())
    }
}

impl Transports for Repertoire {
    fn answer(&self, _: Eid, offer: &TransportOffer) -> TransportAnswer {
        if let Some(rather) = self.held().prefers {
            return match offer.codes.contains(&rather) {
                true => TransportAnswer::Ok(rather),
                false => TransportAnswer::Use(rather),
            };
        }
        let mut allowed = offer.codes.iter().filter(|code| self.accepts.allows(code));
        match allowed.clone().find(|code| self.has(code)) {
            Some(code) => TransportAnswer::Ok(*code),
            None => allowed.next().map_or(TransportAnswer::No, |code| TransportAnswer::SendMe(*code)),
        }
    }

    fn follows(&self, _: Eid, _: &TransportOffer, code: CodeHash) -> bool {
        self.accepts.allows(&code) && self.has(&code)
    }

    fn make(&self, asked: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError> {
        let code = self.get(&asked.code).ok_or(FactoryError::Busy)?;
        let role = match asked.role {
            Role::Initiator => tng_stp_abi::Role::Initiator,
            Role::Responder => tng_stp_abi::Role::Responder,
        };
        let mut transport = self.workshop.transport(&code, role).map_err(|_| FactoryError::Busy)?;
        transport.set_memory(asked.memory);
        Ok(Box::new(transport))
    }
}
