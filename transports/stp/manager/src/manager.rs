//! The policy manager of an endpoint (STP 3.2.2).

use core::fmt;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tng_base::{CodeHash, Eid};
use tng_crypto::{Secret32, code_hash};
use tng_stp_abi::Kind;
use tng_wire::Repr;

use crate::revocation::RevocationError;
use crate::store::STORED_MODULE_MAX;
use crate::{
    Answer, BuiltIn, Entry, Knowledge, Level, ManifestError, Note, Origin, Policy, Purpose, Question, Reason,
    SignedManifest, SignedRevocations, Store, StoreError, Verdict, Verified, Violation, answer_offer, offer,
    settle_use,
};

/// Code that has come for connections with a peer and was refused, which is not asked for again for this peer while
/// that is remembered.
pub const REFUSED_REMEMBERED: usize = 256;
/// Violations that wait to be written down.
pub const VIOLATIONS_WAITING_MAX: usize = 1_024;

/// A policy with what it decides on, for the threads of an endpoint. What it answers it answers from memory; what
/// changes the store says so.
#[derive(Debug)]
pub struct Manager {
    store: Store,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    policy: Policy,
    known: Knowledge,
    /// Code that was refused, each with the peer for whose connections it had come: why may be what was said of it, and
    /// others may say something else.
    refused: BTreeSet<(Option<Eid>, CodeHash)>,
    /// Uses that are not written down yet.
    used: BTreeMap<CodeHash, u64>,
    /// Violations that are not.
    violations: Vec<(CodeHash, u64, Violation)>,
}

/// Code that has come.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a> {
    /// The module.
    pub bytes: &'a [u8],
    /// What the engine found it to be, whatever is said of it.
    pub kind: Kind,
    /// What is said of it.
    pub manifest: Option<&'a [u8]>,
    /// Where it came from.
    pub origin: &'a Origin,
}

/// What a user's own hand adds to code that it installs: it comes together with the code, or nothing does.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByHand<'a> {
    /// It is pinned, too.
    pub pin: bool,
    /// The tag of an engine, and what that engine has compiled the module into.
    pub compiled: Option<(&'a str, &'a [u8])>,
}

/// Why code is not installed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// Peer: these are other bytes than those that were asked for.
    WrongHash {
        /// What they hash to.
        found: CodeHash,
    },
    /// Peer: more bytes than a module has.
    TooLarge {
        /// Bytes.
        bytes: usize,
    },
    /// Peer, or publisher: what is said of it is not taken.
    Manifest(ManifestError),
    /// Policy: it may not run.
    Refused(Verdict),
    /// Policy: it may not be here at all, by anybody's hand.
    Forbidden(Reason),
    /// Environment: the store does not take it.
    Store(StoreError),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstallError::WrongHash { found } => {
                write!(f, "these are other bytes than those that were asked for: {}; ask another host", found.short())
            }
            InstallError::TooLarge { bytes } => {
                write!(f, "a module has at most {STORED_MODULE_MAX} bytes, and this has {bytes}; strip it")
            }
            InstallError::Manifest(error) => error.fmt(f),
            InstallError::Refused(verdict) => match verdict.refused() {
                Some(reason) => write!(f, "by {:?} of the policy: {reason}", &*verdict.rule),
                None => write!(f, "by {:?} of the policy", &*verdict.rule),
            },
            InstallError::Forbidden(reason) => reason.fmt(f),
            InstallError::Store(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for InstallError {}

impl From<StoreError> for InstallError {
    fn from(error: StoreError) -> InstallError {
        InstallError::Store(error)
    }
}

impl From<ManifestError> for InstallError {
    fn from(error: ManifestError) -> InstallError {
        InstallError::Manifest(error)
    }
}

impl Manager {
    /// Opens the store in this folder under a policy, for a program that comes with these guests. `fresh` are 32 random
    /// bytes, for the key of a store that has none.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open(
        folder: &Path,
        policy: Policy,
        built_in: Vec<BuiltIn>,
        fresh: Secret32,
    ) -> Result<(Manager, Vec<Note>), StoreError> {
        let (store, contents, notes) = Store::open(folder, fresh)?;
        Ok((Manager::of(store, contents, policy, built_in), notes))
    }

    /// The same of a store that is open.
    pub fn of(store: Store, contents: crate::Contents, policy: Policy, built_in: Vec<BuiltIn>) -> Manager {
        let crate::Contents { index, history, revocations } = contents;
        let known = Knowledge { index, history, revocations, built_in };
        let state = State { policy, known, refused: BTreeSet::new(), used: BTreeMap::new(), violations: Vec::new() };
        Manager { store, state: RwLock::new(state) }
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What becomes of code in a connection.
    pub fn decide(&self, question: &Question<'_>, hash: &CodeHash, now_unix_s: u64) -> Verdict {
        self.state().decide(question, hash, now_unix_s)
    }

    /// Why code that is here has trust.
    pub fn level(&self, hash: &CodeHash) -> Level {
        let State { policy, known, .. } = &*self.state();
        policy.level(known, hash, known.index.module(hash).and_then(|entry| entry.manifest.as_ref()))
    }

    /// The same of code that has come with this manifest.
    pub fn level_of(&self, hash: &CodeHash, manifest: Option<&[u8]>) -> Level {
        let manifest = manifest.and_then(|bytes| SignedManifest::read(bytes).ok());
        let manifest = manifest.filter(|signed| signed.manifest.hash == *hash);
        let State { policy, known, .. } = &*self.state();
        policy.level(known, hash, manifest.as_ref())
    }

    /// What an initiator offers, the best first. Nothing is said if it is nothing.
    pub fn offer(&self, question: &Question<'_>, now_unix_s: u64) -> Vec<CodeHash> {
        let state = self.state();
        offer(&state.policy, &state.known, question, now_unix_s)
    }

    /// What a responder answers to an offer. What this peer has sent before and was refused is not asked for again.
    pub fn answer_offer(&self, question: &Question<'_>, offered: &[CodeHash], now_unix_s: u64) -> Answer {
        let state = self.state();
        let offered = &offered[..offered.len().min(crate::OFFERED_MAX)];
        let is_refused = |hash: &&CodeHash| state.refused.contains(&(question.peer, **hash));
        let offered: Vec<CodeHash> = offered.iter().filter(|hash| !is_refused(hash)).copied().collect();
        answer_offer(&state.policy, &state.known, question, &offered, now_unix_s)
    }

    /// Whether an initiator takes what the responder would rather use.
    pub fn settle_use(&self, question: &Question<'_>, hash: &CodeHash, now_unix_s: u64) -> bool {
        let state = self.state();
        settle_use(&state.policy, &state.known, question, hash, now_unix_s)
    }

    /// Looks at the policy and at what is known.
    pub fn look<T>(&self, look: impl FnOnce(&Policy, &Knowledge) -> T) -> T {
        let state = self.state();
        look(&state.policy, &state.known)
    }

    /// A module. Of one that does not come with the program this reads the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn module(&self, hash: &CodeHash) -> Result<Vec<u8>, StoreError> {
        let built_in = self.state().known.built_in(hash).map(|guest| guest.bytes);
        if let Some(bytes) = built_in {
            return Ok(bytes.to_vec());
        }
        let read = self.store.module(hash);
        if let Err(StoreError::Damaged(_) | StoreError::NotHere(_)) = &read {
            self.state_mut().known.index.modules.remove(hash);
        }
        read
    }

    /// What is said of a module, as bytes.
    pub fn manifest(&self, hash: &CodeHash) -> Option<Vec<u8>> {
        let state = self.state();
        state.known.index.module(hash).and_then(|entry| entry.manifest.as_ref()).map(Repr::to_vec)
    }

    /// The store, for what is compiled.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Installs code that was asked for by its hash, or sent unasked, for a connection. It is kept if it may run there,
    /// and the verdict says with what. Writes to the disk.
    ///
    /// # Errors
    /// See [`InstallError`]. Nothing of it is kept then.
    pub fn install(
        &self,
        asked: &CodeHash,
        arrived: &Arrived<'_>,
        question: &Question<'_>,
        now_unix_s: u64,
    ) -> Result<Verdict, InstallError> {
        let found = code_hash(arrived.bytes);
        if found != *asked {
            // Another host that has it may send it still.
            return Err(InstallError::WrongHash { found });
        }
        let installed = self.install_for(found, arrived, ByHand::default(), Some(question), now_unix_s);
        self.note_refused((question.peer, found), installed)
    }

    /// Whether code that has come would be installed, before anybody has compiled it to see what it is: `arrived` has
    /// what it is said to be.
    ///
    /// # Errors
    /// As [`install`](Manager::install).
    pub fn foresee(
        &self,
        hash: CodeHash,
        arrived: &Arrived<'_>,
        question: &Question<'_>,
        now_unix_s: u64,
    ) -> Result<Verdict, InstallError> {
        let weighed = self.weigh(hash, arrived, false, Some(question), now_unix_s);
        self.note_refused((question.peer, hash), weighed.map(|(verdict, _)| verdict))
    }

    /// What was refused is not asked for again, for this peer.
    fn note_refused(
        &self,
        refused: (Option<Eid>, CodeHash),
        said: Result<Verdict, InstallError>,
    ) -> Result<Verdict, InstallError> {
        if let Err(InstallError::Refused(_) | InstallError::Forbidden(_)) = &said {
            let mut state = self.state_mut();
            if state.refused.len() == REFUSED_REMEMBERED {
                state.refused.pop_first();
            }
            state.refused.insert(refused);
        }
        said
    }

    /// Installs code by this user's own hand, whether or not a rule lets it run: only what was taken back, has ended,
    /// or goes back behind what was here is refused. What the policy makes of it for this question is answered.
    ///
    /// # Errors
    /// See [`InstallError`]. Nothing of it is kept then.
    pub fn install_by_hand(
        &self,
        arrived: &Arrived<'_>,
        by_hand: ByHand<'_>,
        question: &Question<'_>,
        now_unix_s: u64,
    ) -> Result<Verdict, InstallError> {
        let hash = code_hash(arrived.bytes);
        self.install_for(hash, arrived, by_hand, None, now_unix_s)?;
        Ok(self.decide(question, &hash, now_unix_s))
    }

    fn install_for(
        &self,
        hash: CodeHash,
        arrived: &Arrived<'_>,
        by_hand: ByHand<'_>,
        question: Option<&Question<'_>>,
        now_unix_s: u64,
    ) -> Result<Verdict, InstallError> {
        let (verdict, entry) = self.weigh(hash, arrived, by_hand.pin, question, now_unix_s)?;
        let keys: BTreeSet<_> = self
            .look(|policy, _| policy.publishers.iter().flat_map(|publisher| publisher.keys.iter().copied()).collect());
        let index = self.store.install(arrived.bytes, (hash, entry), by_hand, |key| keys.contains(key))?;
        let mut state = self.state_mut();
        state.known.index = index;
        state.refused.retain(|(_, refused)| *refused != hash);
        Ok(verdict)
    }

    /// What the policy makes of code that has come, and is pinned if that is so, and what would be noted of it.
    fn weigh(
        &self,
        hash: CodeHash,
        arrived: &Arrived<'_>,
        is_pinned: bool,
        question: Option<&Question<'_>>,
        now_unix_s: u64,
    ) -> Result<(Verdict, Entry), InstallError> {
        let Arrived { bytes, kind, manifest, origin } = *arrived;
        let len = bytes.len();
        let manifest = match manifest {
            Some(bytes) => Some(SignedManifest::read_of(bytes, &hash, kind)?),
            // What was said of it before holds still.
            None => self.state().known.index.module(&hash).and_then(|entry| entry.manifest.clone()),
        };
        let entry_bytes = u32::try_from(len).ok().filter(|_| len <= STORED_MODULE_MAX);
        let entry = Entry {
            bytes: entry_bytes.ok_or(InstallError::TooLarge { bytes: len })?,
            kind,
            origin: origin.clone(),
            installed_unix_s: now_unix_s,
            used_unix_s: now_unix_s,
            manifest,
        };
        let state = self.state();
        let mut known = Cow::Borrowed(&state.known);
        if is_pinned {
            known.to_mut().index.pins.insert(hash);
        }
        if let Some(reason) = state.policy.forbids(&known, (&hash, &entry), now_unix_s) {
            return Err(InstallError::Forbidden(reason));
        }
        let anybody = question.unwrap_or(&ANYBODY);
        let verdict = state.policy.decide_arrived(&known, anybody, (&hash, &entry), now_unix_s);
        match question {
            Some(_) if verdict.limits().is_none() => Err(InstallError::Refused(verdict)),
            _ => Ok((verdict, entry)),
        }
    }

    /// Takes a revocation list in, of a key that a publisher of the policy has. Writes to the disk.
    ///
    /// # Errors
    /// [`StoreError::Revocation`], and what the disk says.
    pub fn revoke(&self, list: SignedRevocations) -> Result<(), StoreError> {
        if self.state().policy.publisher_of(&list.list.issuer).is_none() {
            return Err(RevocationError::Stranger(list.list.issuer).into());
        }
        let revocations = self.store.accept(list)?;
        self.state_mut().known.revocations = revocations;
        Ok(())
    }

    /// Code has gone wrong. It counts at once, and is written down by [`save`](Self::save).
    pub fn record(&self, hash: &CodeHash, violation: Violation, now_unix_s: u64) {
        let mut state = self.state_mut();
        state.known.history.add(*hash, violation, now_unix_s);
        if state.violations.len() < VIOLATIONS_WAITING_MAX {
            state.violations.push((*hash, now_unix_s, violation));
        }
    }

    /// Code is used. It is written down by [`save`](Self::save).
    pub fn used(&self, hash: &CodeHash, now_unix_s: u64) {
        let mut state = self.state_mut();
        if let Some(entry) = state.known.index.modules.get_mut(hash) {
            entry.used_unix_s = entry.used_unix_s.max(now_unix_s);
            state.used.insert(*hash, now_unix_s);
        }
    }

    /// Writes down what was used and what went wrong, if there is anything. Not for the path of packets.
    ///
    /// # Errors
    /// See [`StoreError`]. It is kept, and written the next time.
    pub fn save(&self) -> Result<(), StoreError> {
        let (used, violations) = {
            let mut state = self.state_mut();
            (core::mem::take(&mut state.used), core::mem::take(&mut state.violations))
        };
        if !violations.is_empty() {
            match self.store.add_violations(&violations) {
                Ok(history) => self.state_mut().known.history = history,
                Err(error) => {
                    let mut state = self.state_mut();
                    state.violations.splice(0..0, violations);
                    state.used.extend(used);
                    return Err(error);
                }
            }
        }
        if !used.is_empty() {
            let index = self.store.used(&used).inspect_err(|_| self.state_mut().used.extend(used))?;
            self.state_mut().known.index = index;
        }
        Ok(())
    }

    /// Pins code, which need not be here, or takes the pin away. Writes to the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn pin(&self, hash: CodeHash, pinned: bool) -> Result<(), StoreError> {
        let index = self.store.pin(hash, pinned)?;
        let mut state = self.state_mut();
        state.known.index = index;
        state.refused.retain(|(_, refused)| *refused != hash);
        Ok(())
    }

    /// Flags code as buggy, which need not be here. Writes to the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn flag(&self, hash: CodeHash, note: &str) -> Result<(), StoreError> {
        let index = self.store.flag(hash, Some(note))?;
        self.state_mut().known.index = index;
        Ok(())
    }

    /// Takes the flag away, and forgives what the code has done. Writes to the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn unflag(&self, hash: CodeHash) -> Result<(), StoreError> {
        let index = self.store.flag(hash, None)?;
        let history = self.store.change_history(|history| {
            history.forgive(&hash);
        })?;
        let mut state = self.state_mut();
        state.known.index = index;
        state.known.history = history;
        state.violations.retain(|(of, ..)| *of != hash);
        state.refused.retain(|(_, refused)| *refused != hash);
        Ok(())
    }

    /// Takes a module out of the store. Writes to the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn remove(&self, hash: &CodeHash) -> Result<(), StoreError> {
        let index = self.store.remove(hash)?;
        self.state_mut().known.index = index;
        Ok(())
    }

    /// Removes what was not used for longest, until no more than so many bytes are there. Writes to the disk.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn collect(&self, most: u64) -> Result<(), StoreError> {
        let index = self.store.collect(most)?;
        self.state_mut().known.index = index;
        Ok(())
    }

    /// Reads everything, and sets aside what is wrong.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn verify(&self) -> Result<Verified, StoreError> {
        let verified = self.store.verify()?;
        self.reload()?;
        Ok(verified)
    }

    /// Takes another policy. What was refused may be asked for again.
    pub fn set_policy(&self, policy: Policy) {
        let mut state = self.state_mut();
        state.policy = policy;
        state.refused.clear();
    }

    /// Reads the store again, as another process may have changed it. With what is new, what was refused may be asked
    /// for again.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn reload(&self) -> Result<(), StoreError> {
        let crate::Contents { index, history, revocations } = self.store.contents()?;
        let mut state = self.state_mut();
        let mut known = Knowledge { index, history, revocations, built_in: state.known.built_in.clone() };
        // What is not written down yet counts still.
        state.violations.iter().for_each(|(hash, at, what)| known.history.add(*hash, *what, *at));
        // What this manager has written itself is nothing new.
        if state.known != known {
            state.known = known;
            state.refused.clear();
        }
        Ok(())
    }
}

impl State {
    fn decide(&self, question: &Question<'_>, hash: &CodeHash, now_unix_s: u64) -> Verdict {
        let mut verdict = self.policy.decide(&self.known, question, hash, now_unix_s);
        if verdict.outcome == crate::Outcome::Fetch && self.refused.contains(&(question.peer, *hash)) {
            verdict.outcome = crate::Outcome::Refuse(Reason::RefusedBefore);
        }
        verdict
    }
}

/// What is asked of what comes by hand: nothing but what may be here at all.
const ANYBODY: Question<'static> =
    Question { purpose: Purpose::Carry, application: None, no_foreign: false, peer: None, service: "", port: None };
