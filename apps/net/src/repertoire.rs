//! Transports that travel: what an endpoint can run, and what may run (STP 3.2.2, 3.3.1).

use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use tng_base::{CodeHash, Eid, Semantic};
use tng_stack::structured::Role;
use tng_stack::{Asked, FactoryError, TransportAnswer, TransportOffer, Transports};
use tng_stp_abi::SocketKind;
use tng_stp_host::{Cap, Code, End, Fault, Life, Quotas, Signal, Transport};

use crate::guest::{GUESTS_OF_PEER_MAX, Metered, Offered};

/// Where a guest may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confinement {
    /// In the sandbox of this process, or anywhere.
    Here,
    /// In a process of its own alone.
    Apart,
}

/// How a guest runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// What holds its rate.
    pub cap: Cap,
    /// What counts as congestion for that.
    pub signal: Signal,
    /// Where it runs.
    pub place: Confinement,
}

/// Who decides which transports run. It is asked in the path of packets, so it answers out of memory.
pub trait TransportPolicy: fmt::Debug + Send + Sync {
    /// What to say to a peer that offers transports; `runs` tells whether this endpoint could run one now.
    fn answer(
        &self,
        peer: Eid,
        offer: &TransportOffer,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> TransportAnswer;

    /// Whether to run what the peer would rather run than what it was offered; `runs` is as in
    /// [`answer`](TransportPolicy::answer).
    fn follows(
        &self,
        peer: Eid,
        offer: &TransportOffer,
        code: CodeHash,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> bool;

    /// Changes what a guest may use on a connection that begins, from what the endpoint lets all use, and says how it
    /// is to run. `None`: it is not to run after all.
    fn limits(&self, asked: &Asked<'_>, quotas: &mut Quotas) -> Option<Terms>;

    /// A guest was stopped.
    fn note_fault(&self, _code: CodeHash, _fault: &Fault) {}

    /// A guest has not taken its leave in time.
    fn note_late(&self, _code: CodeHash) {}
}

/// Whatever is there may run, and nothing is asked for: what a program goes by that chooses its transports itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct WhatIsHere;

impl TransportPolicy for WhatIsHere {
    fn answer(&self, _: Eid, offer: &TransportOffer, runs: &dyn Fn(&CodeHash, Confinement) -> bool) -> TransportAnswer {
        let found = offer.codes.iter().find(|code| runs(code, Confinement::Here));
        found.map_or(TransportAnswer::No, |code| TransportAnswer::Ok(*code))
    }

    fn follows(
        &self,
        _: Eid,
        _: &TransportOffer,
        code: CodeHash,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> bool {
        runs(&code, Confinement::Here)
    }

    fn limits(&self, _: &Asked<'_>, _: &mut Quotas) -> Option<Terms> {
        Some(Terms { cap: Cap::default(), signal: Signal::default(), place: Confinement::Here })
    }
}

/// The ways in which an endpoint can run a transport.
#[derive(Debug, Default)]
struct Ways {
    here: Option<Code>,
    /// In processes of their own.
    apart: Option<Code>,
}

impl Ways {
    fn get(&self, place: Confinement) -> Option<&Code> {
        let here = self.here.as_ref().filter(|_| place == Confinement::Here);
        here.or(self.apart.as_ref())
    }
}

/// The transports that an endpoint can run, by the hash of their code, and who decides which of them run.
///
/// It changes while the endpoint runs: what is [added](Repertoire::add) can be negotiated from the next connection on.
#[derive(Debug)]
pub struct Repertoire {
    judge: Box<dyn TransportPolicy>,
    /// Read when a connection begins, written when code comes or goes.
    codes: RwLock<BTreeMap<CodeHash, Ways>>,
}

impl Default for Repertoire {
    fn default() -> Repertoire {
        Repertoire::new(WhatIsHere)
    }
}

impl Repertoire {
    /// Nothing yet.
    pub fn new(judge: impl TransportPolicy + 'static) -> Repertoire {
        Repertoire { judge: Box::new(judge), codes: RwLock::default() }
    }

    /// Code that can run from now on.
    pub fn add(&self, hash: CodeHash, code: Code) {
        let code = Some(code.within(Metered::new));
        self.codes.write().unwrap_or_else(PoisonError::into_inner).entry(hash).or_default().here = code;
    }

    /// The same of code whose instances run in processes of their own.
    pub fn add_apart(&self, hash: CodeHash, code: Code) {
        let code = Some(code.within(Metered::new));
        self.codes.write().unwrap_or_else(PoisonError::into_inner).entry(hash).or_default().apart = code;
    }

    /// Code that begins on no connection any more. Answers whether it was there.
    pub fn remove(&self, hash: &CodeHash) -> bool {
        self.codes.write().unwrap_or_else(PoisonError::into_inner).remove(hash).is_some()
    }

    /// Code that is not to be kept begins on no connection any more.
    pub fn retain(&self, mut keep: impl FnMut(&CodeHash) -> bool) {
        self.codes.write().unwrap_or_else(PoisonError::into_inner).retain(|hash, _| keep(hash));
    }

    /// Code that can run there.
    pub fn get(&self, hash: &CodeHash, place: Confinement) -> Option<Code> {
        self.codes.read().unwrap_or_else(PoisonError::into_inner).get(hash)?.get(place).cloned()
    }

    /// Whether it carries a stream, and an instance of it can be had there now.
    pub fn runs(&self, hash: &CodeHash, place: Confinement) -> bool {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        let code = codes.get(hash).and_then(|ways| ways.get(place));
        code.is_some_and(|code| code.socket() == SocketKind::Stream && code.is_ready())
    }

    /// How a guest has ended is noted, for those to come.
    pub(crate) fn note_end(&self, code: CodeHash, transport: &Transport) {
        match transport.life() {
            Life::Ended(End::Stopped(fault)) => self.judge.note_fault(code, fault),
            Life::Ended(End::Late) => self.judge.note_late(code),
            Life::Ended(End::Done | End::Failed(_)) | Life::Attached | Life::Running | Life::Leaving { .. } => {}
        }
    }

    /// Whether there is code for this very place.
    pub fn has(&self, hash: &CodeHash, place: Confinement) -> bool {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        codes.get(hash).is_some_and(|ways| match place {
            Confinement::Here => ways.here.is_some(),
            Confinement::Apart => ways.apart.is_some(),
        })
    }
}

/// What an endpoint's hosts negotiate by.
#[derive(Debug)]
pub(crate) struct Negotiator {
    pub(crate) repertoire: Arc<Repertoire>,
    pub(crate) guests: Arc<Offered>,
}

impl Transports for Negotiator {
    fn answer(&self, peer: Eid, offer: &TransportOffer) -> TransportAnswer {
        self.repertoire.judge.answer(peer, offer, &|code, place| self.repertoire.runs(code, place))
    }

    fn follows(&self, peer: Eid, offer: &TransportOffer, code: CodeHash) -> bool {
        self.repertoire.judge.follows(peer, offer, code, &|code, place| self.repertoire.runs(code, place))
    }

    fn make(&self, asked: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError> {
        // Instances are few, and one peer is not to have them all.
        if asked.role == Role::Responder && asked.connections >= GUESTS_OF_PEER_MAX {
            return Err(FactoryError::Busy);
        }
        let role = match asked.role {
            Role::Initiator => tng_stp_abi::Role::Initiator,
            Role::Responder => tng_stp_abi::Role::Responder,
        };
        let workshop = &self.guests.workshop;
        let mut quotas = workshop.quotas;
        let Terms { cap, signal, place } =
            self.repertoire.judge.limits(&asked, &mut quotas).ok_or(FactoryError::Busy)?;
        let code = self.repertoire.get(&asked.code, place).ok_or(FactoryError::Busy)?;
        let mut transport =
            workshop.transport_within(&code, role, quotas, (cap, signal)).map_err(|_| FactoryError::Busy)?;
        transport.set_memory(asked.memory);
        Ok(Box::new(transport))
    }
}
