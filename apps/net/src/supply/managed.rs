//! A manager's policy, asked in the path of packets.

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tng_base::{CodeHash, Eid};
use tng_stack::structured::Role;
use tng_stack::{Asked, TransportAnswer, TransportOffer};
use tng_stp_host::{Cap, Fault, Quotas, Signal};
use tng_stp_manager::{Answer, Level, Limits, Manager, Outcome, Purpose, Question, Trust, Violation};

use super::hosts::{Wish, Wishes};
use super::{Application, now_unix_s};
use crate::repertoire::{Confinement, Terms, TransportPolicy};

/// Code that peers were asked for and that has not come: the service that needed it is remembered.
pub const ASKED_REMEMBERED: usize = 256;
/// Hosts that this one connects to: their ports are remembered.
pub const PORTS_REMEMBERED: usize = 256;

/// The manager's policy, for one application.
#[derive(Clone)]
pub(super) struct Managed {
    pub(super) manager: Arc<Manager>,
    application: Arc<Application>,
    ports: Arc<Ports>,
    /// Peers that were asked for code, with the service that needed it; the newest last.
    asked: Arc<Mutex<VecDeque<(Eid, CodeHash, String)>>>,
    /// Where wishes go: code that hosts should be asked for.
    pub(super) wishes: Arc<OnceLock<Wishes>>,
}

/// Ports, as rules see them.
#[derive(Debug, Default)]
struct Ports {
    /// Where this host accepts.
    own: OnceLock<u16>,
    /// Where hosts are asked that this one connects to; the newest last.
    of_hosts: Mutex<VecDeque<(Eid, u16)>>,
}

impl Ports {
    fn note_host(&self, host: Eid, port: u16) {
        let mut hosts = self.of_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.retain(|(of, _)| *of != host);
        if hosts.len() == PORTS_REMEMBERED {
            hosts.pop_front();
        }
        hosts.push_back((host, port));
    }

    fn of_host(&self, host: Eid) -> Option<u16> {
        let hosts = self.of_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().find(|(of, _)| *of == host).map(|(_, port)| *port)
    }
}

impl fmt::Debug for Managed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Managed").field(&self.application).finish()
    }
}

impl Managed {
    pub(super) fn new(manager: Arc<Manager>, application: Application) -> Managed {
        let (ports, asked, wishes) = (Arc::default(), Arc::default(), Arc::default());
        Managed { manager, application: Arc::new(application), ports, asked, wishes }
    }

    pub(super) fn note_own_port(&self, port: u16) {
        let _ = self.ports.own.set(port);
    }

    pub(super) fn note_host_port(&self, host: Eid, port: u16) {
        self.ports.note_host(host, port);
    }

    fn note_asked(&self, peer: Eid, code: CodeHash, service: &str) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|(of, hash, _)| (*of, *hash) != (peer, code));
        if asked.len() == ASKED_REMEMBERED {
            asked.pop_front();
        }
        asked.push_back((peer, code, service.to_owned()));
    }

    /// For which service a peer was asked for code.
    pub(super) fn asked_for(&self, peer: Eid, code: &CodeHash) -> Option<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().find(|(of, hash, _)| (*of, *hash) == (peer, *code)).map(|(.., service)| service.clone())
    }

    /// A connection with a peer, as rules see it, at this host's port if it accepts and at the peer's if it opens.
    pub(super) fn question_of<'a>(&'a self, role: Role, peer: Eid, service: &'a str) -> Question<'a> {
        let port = match role {
            Role::Initiator => self.ports.of_host(peer),
            Role::Responder => self.ports.own.get().copied(),
        };
        Question { port, ..self.question(Some(peer), service) }
    }

    /// The same where nobody says who opens it: this host does if it has connected to that peer.
    pub(super) fn question<'a>(&'a self, peer: Option<Eid>, service: &'a str) -> Question<'a> {
        let Application { name, no_foreign } = &*self.application;
        let port = peer.and_then(|peer| self.ports.of_host(peer)).or_else(|| self.ports.own.get().copied());
        let purpose = Purpose::Carry;
        Question { purpose, application: Some(name), no_foreign: *no_foreign, peer, service, port }
    }

    /// Where code that is here may run.
    pub(super) fn place(&self, hash: &CodeHash) -> Confinement {
        place(self.manager.level(hash))
    }

    /// Has hosts asked for code that is missing. Without a way to them, or room, it is wished for another time.
    fn wish(&self, peer: Eid, code: CodeHash, service: &str) {
        if let Some(wishes) = self.wishes.get() {
            let _ = wishes.try_send(Wish { peer, code, service: service.to_owned() });
        }
    }
}

/// Has quotas be those of a verdict; answers what holds the guest's rate.
pub(super) fn allow(limits: &Limits, quotas: &mut Quotas) -> Cap {
    (quotas.memory, quotas.fuel) = (limits.memory, limits.fuel);
    // As many callbacks' worth a second as usual.
    quotas.fuel_per_sec = quotas.fuel_per_sec.max(limits.fuel.saturating_mul(5));
    match limits.cap {
        tng_stp_manager::Cap::Equation => Cap::Equation,
        tng_stp_manager::Cap::Modern => Cap::EquationOrCubic,
    }
}

/// Where code of a level may run.
pub(super) fn place(level: Level) -> Confinement {
    if level == Level::Any { Confinement::Apart } else { Confinement::Here }
}

/// Signals that a process brings upon itself: 4 (ILL), 5 (TRAP), 6 (ABRT), 7 (BUS), 8 (FPE), 11 (SEGV), 31 (SYS).
const OF_ITS_OWN: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];

impl TransportPolicy for Managed {
    fn answer(
        &self,
        peer: Eid,
        offer: &TransportOffer,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> TransportAnswer {
        let question = self.question_of(Role::Responder, peer, &offer.service);
        let runs = |hash: &CodeHash| runs(hash, self.place(hash));
        match self.manager.answer_offer(&question, &offer.codes, now_unix_s()) {
            Answer::Ok(hash) if runs(&hash) => TransportAnswer::Ok(hash),
            Answer::Use(hash) if runs(&hash) => TransportAnswer::Use(hash),
            // It is here, and not compiled yet, or no process is ready for it.
            Answer::Ok(_) | Answer::Use(_) | Answer::No => TransportAnswer::No,
            Answer::SendMe(hash) => {
                self.note_asked(peer, hash, &offer.service);
                self.wish(peer, hash, &offer.service);
                TransportAnswer::SendMe(hash)
            }
            Answer::Seek(hash) => {
                self.wish(peer, hash, &offer.service);
                TransportAnswer::No
            }
        }
    }

    fn follows(
        &self,
        peer: Eid,
        offer: &TransportOffer,
        code: CodeHash,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> bool {
        let question = self.question_of(Role::Initiator, peer, &offer.service);
        runs(&code, self.place(&code)) && self.manager.settle_use(&question, &code, now_unix_s())
    }

    fn limits(&self, asked: &Asked<'_>, quotas: &mut Quotas) -> Option<Terms> {
        let question = self.question_of(asked.role, asked.peer, asked.service);
        let verdict = self.manager.decide(&question, &asked.code, now_unix_s());
        let Outcome::Run(limits) = verdict.outcome else { return None };
        self.manager.used(&asked.code, now_unix_s());
        let signal = match self.manager.look(|policy, _| policy.rule(&question).trusts) {
            Trust::Nothing => Signal::Losses,
            Trust::Marks => Signal::Marks,
        };
        Some(Terms { cap: allow(&limits, quotas), signal, place: place(verdict.level) })
    }

    fn note_fault(&self, code: CodeHash, fault: &Fault) {
        let violation = match fault {
            Fault::Cpu | Fault::Busy | Fault::ProcessSlow { .. } => Violation::Cpu,
            Fault::Stack => Violation::Stack,
            Fault::Denied => Violation::Denied,
            Fault::Pushing => Violation::Pushing,
            Fault::Pointer => Violation::Pointer,
            // Who runs the host has ended it, or the system that lacks memory.
            Fault::ProcessGone { signal: Some(signal) } if !OF_ITS_OWN.contains(signal) => return,
            Fault::Trapped(_) | Fault::ProcessStrange | Fault::ProcessGone { .. } => Violation::Trapped,
            // The peer may have made them up, and want of room is nobody's fault.
            Fault::Unproven | Fault::NoRoom => return,
            // The peer may have caused it, or want of processor: a guest that waits for the peer's first word is silent
            // as long as that does not come.
            Fault::Silent => return,
            // What this does not know of yet is no guest's fault.
            _ => return,
        };
        self.manager.record(&code, violation, now_unix_s());
    }

    fn note_late(&self, code: CodeHash) {
        self.manager.record(&code, Violation::Unload, now_unix_s());
    }
}

#[cfg(test)]
mod tests {
    use tng_crypto::{Secret32, code_hash};
    use tng_stp_manager::Policy;

    use super::*;

    #[test]
    fn what_a_peer_or_the_host_may_have_caused_is_not_held_against_a_guest() {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = Manager::open(folder.path(), Policy::default(), Vec::new(), Secret32::from_bytes([7; 32]));
        let (manager, _) = opened.expect("a store");
        let (managed, code) = (Managed::new(Arc::new(manager), Application::default()), code_hash(b"it"));
        let recorded = || managed.manager.look(|_, known| known.history.of(&code).map_or(0, |record| record.total));
        for fault in [Fault::Silent, Fault::Unproven, Fault::NoRoom, Fault::ProcessGone { signal: Some(9) }] {
            managed.note_fault(code, &fault);
            assert_eq!(recorded(), 0, "{fault}");
        }
        managed.note_fault(code, &Fault::ProcessStrange);
        assert_eq!(recorded(), 1);
    }

    #[test]
    fn a_port_is_that_of_its_host_and_few_are_remembered() {
        let ports = Ports::default();
        let eid = |n: u16| Eid::from_bytes([(n >> 8) as u8, n as u8].repeat(16).try_into().expect("32 bytes"));
        ports.note_host(eid(1), 4_860);
        ports.note_host(eid(2), 4_861);
        assert_eq!([1, 2, 3].map(|n| ports.of_host(eid(n))), [Some(4_860), Some(4_861), None]);
        ports.note_host(eid(1), 9_000);
        assert_eq!(ports.of_host(eid(1)), Some(9_000), "where it was asked last");
        (10..10 + PORTS_REMEMBERED as u16).for_each(|n| ports.note_host(eid(n), n));
        assert_eq!(ports.of_host(eid(1)), None);
        assert_eq!(ports.of_host(eid(12)), Some(12));
    }
}
