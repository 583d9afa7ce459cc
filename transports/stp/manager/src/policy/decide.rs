//! How a policy decides.

use tng_base::CodeHash;
use tng_stp_abi::{ABI_VERSION, Kind};

use super::{
    Acceptance, CLOCK_MIN, Level, LevelLimits, Limits, Outcome, Policy, Publisher, Purpose, Question, Reason, Rule,
    Source, Verdict,
};
use crate::{Entry, Knowledge, Origin, PublisherKey, SignedManifest, Wants};

/// Code that is here, or has just come.
struct Candidate<'a> {
    kind: Kind,
    foreign: bool,
    manifest: Option<&'a SignedManifest>,
}

impl Policy {
    /// What becomes of code in a connection. A rule's acceptance is the last thing that is asked: what is taken back,
    /// flagged or out is so wherever it comes from.
    pub fn decide(&self, known: &Knowledge, question: &Question<'_>, hash: &CodeHash, now_unix_s: u64) -> Verdict {
        let candidate = match (known.built_in(hash), known.index.module(hash)) {
            (Some(guest), _) => Some(Candidate { kind: guest.kind, foreign: false, manifest: None }),
            (None, Some(entry)) => Some(Candidate::of(entry)),
            (None, None) => None,
        };
        self.weigh(known, question, hash, candidate, now_unix_s)
    }

    /// The same of code that has come, as if it were here; and it may come from where it came from.
    pub(crate) fn decide_arrived(
        &self,
        known: &Knowledge,
        question: &Question<'_>,
        (hash, entry): (&CodeHash, &Entry),
        now_unix_s: u64,
    ) -> Verdict {
        let mut verdict = self.weigh(known, question, hash, Some(Candidate::of(entry)), now_unix_s);
        if let Some(reason) = comes_from_elsewhere(self.rule(question), &entry.origin) {
            verdict.outcome = Outcome::Refuse(reason);
        }
        verdict
    }

    /// Why code may not be here at all, by anybody's hand: it was taken back, has ended, or goes back behind
    /// what was here; or it comes from a file, and nothing does.
    pub(crate) fn forbids(
        &self,
        known: &Knowledge,
        (hash, entry): (&CodeHash, &Entry),
        now_unix_s: u64,
    ) -> Option<Reason> {
        let manifest = entry.manifest.as_ref();
        if let Some(reason) = comes_from_elsewhere(&self.default, &entry.origin).filter(|_| !entry.origin.is_foreign())
        {
            return Some(reason);
        }
        if self.has_revoked(known, hash) {
            return Some(Reason::Revoked);
        }
        match manifest.filter(|_| !self.is_pinned(known, hash)) {
            Some(signed) => self.timely(signed, now_unix_s).or_else(|| self.step_back(known, signed)),
            None => None,
        }
    }

    /// Why code has trust.
    pub fn level(&self, known: &Knowledge, hash: &CodeHash, manifest: Option<&SignedManifest>) -> Level {
        match () {
            () if known.built_in(hash).is_some() => Level::BuiltIn,
            () if self.is_pinned(known, hash) => Level::Pinned,
            () if manifest.is_some_and(|signed| self.signer(known, signed).is_ok()) => Level::Signed,
            () => Level::Any,
        }
    }

    fn is_pinned(&self, known: &Knowledge, hash: &CodeHash) -> bool {
        self.pins.contains(hash) || known.index.is_pinned(hash)
    }

    fn weigh(
        &self,
        known: &Knowledge,
        question: &Question<'_>,
        hash: &CodeHash,
        candidate: Option<Candidate<'_>>,
        now_unix_s: u64,
    ) -> Verdict {
        let rule = self.rule(question);
        let level = self.level(known, hash, candidate.as_ref().and_then(|candidate| candidate.manifest));
        let outcome = match self.notorious(known, hash, now_unix_s) {
            _ if rule.accept == Acceptance::None => Outcome::Refuse(Reason::AcceptsNone),
            Some(reason) => Outcome::Refuse(reason),
            None => match &candidate {
                Some(candidate) => match self.unfit(known, rule, question, candidate, level, now_unix_s) {
                    Some(reason) => Outcome::Refuse(reason),
                    None => Outcome::Run(self.limits.of(level, candidate.manifest)),
                },
                None => may_fetch(rule, question, level).map_or(Outcome::Fetch, Outcome::Refuse),
            },
        };
        Verdict { rule: rule.name.clone(), level, outcome }
    }

    /// What is known of a hash alone.
    fn notorious(&self, known: &Knowledge, hash: &CodeHash, now_unix_s: u64) -> Option<Reason> {
        if let Some(note) = known.index.flag(hash) {
            return Some(Reason::Flagged { note: note.to_owned() });
        }
        if self.has_revoked(known, hash) {
            return Some(Reason::Revoked);
        }
        let record = known.history.of(hash)?;
        let (violations, last) = (record.within(self.offenders.within_s, now_unix_s), record.last_unix_s()?);
        // So many within a span that ended with the last of them, however long ago that is.
        let then = record.within(self.offenders.within_s, last).max(violations);
        let until_unix_s = last.saturating_add(self.offenders.out_s);
        (then >= self.offenders.most && now_unix_s < until_unix_s)
            .then_some(Reason::Offender { violations: then, until_unix_s })
    }

    fn has_revoked(&self, known: &Knowledge, hash: &CodeHash) -> bool {
        self.publishers.iter().any(|publisher| known.revocations.takes_back(hash, &publisher.keys))
    }

    /// What keeps code that is here from running.
    fn unfit(
        &self,
        known: &Knowledge,
        rule: &Rule,
        question: &Question<'_>,
        candidate: &Candidate<'_>,
        level: Level,
        now_unix_s: u64,
    ) -> Option<Reason> {
        match (question.purpose, candidate.kind) {
            (Purpose::Carry, Kind::Controller | Kind::Messages) => return Some(Reason::NoTransport(candidate.kind)),
            (Purpose::Regulate, Kind::Transport | Kind::Messages) => {
                return Some(Reason::NoController(candidate.kind));
            }
            (Purpose::Carry, Kind::Transport) | (Purpose::Regulate, Kind::Controller) => {}
        }
        if let Some(found) = candidate.manifest.map(|it| it.manifest.abi).filter(|abi| *abi != ABI_VERSION) {
            return Some(Reason::Version { found });
        }
        if candidate.foreign
            && level > Level::BuiltIn
            && let Some(reason) = forbids_foreign(rule, question)
        {
            return Some(reason);
        }
        // Whom this user has named by its hash needs no publisher.
        if level <= Level::Pinned {
            return None;
        }
        if let Some(signed) = candidate.manifest {
            let known_signer = signed.signers().any(|key| self.publisher_of(key).is_some());
            let stale = || self.timely(signed, now_unix_s).or_else(|| self.step_back(known, signed));
            if let Some(reason) = known_signer.then(stale).flatten() {
                return Some(reason);
            }
        }
        match rule.accept {
            Acceptance::None => Some(Reason::AcceptsNone),
            Acceptance::Pinned => Some(Reason::NotPinned),
            Acceptance::Signed if level == Level::Signed => None,
            Acceptance::Signed => Some(self.unsigned(known, candidate.manifest)),
            Acceptance::Any if question.purpose == Purpose::Regulate && level == Level::Any => {
                Some(Reason::NobodyVouches)
            }
            Acceptance::Any => None,
        }
    }

    fn unsigned(&self, known: &Knowledge, manifest: Option<&SignedManifest>) -> Reason {
        let threshold = self.publishers.iter().map(|publisher| publisher.threshold).min().unwrap_or(1);
        let nobody = Reason::NotSigned { signatures: 0, threshold };
        manifest.map_or(nobody.clone(), |signed| self.signer(known, signed).err().unwrap_or(nobody))
    }

    /// The publisher that has signed with as many keys as it takes.
    fn signer(&self, known: &Knowledge, signed: &SignedManifest) -> Result<&Publisher, Reason> {
        let (mut most, mut revoked) = ((0, 1), None);
        for publisher in &self.publishers {
            let own = signed.signers().filter(|key| publisher.keys.contains(key));
            let (bad, good): (Vec<&PublisherKey>, Vec<_>) =
                own.partition(|key| known.revocations.takes_back_key(key, &publisher.keys));
            if good.len() >= publisher.threshold {
                return Ok(publisher);
            }
            if good.len() + bad.len() >= publisher.threshold {
                revoked = bad.first().map(|key| **key);
            }
            if good.len() >= most.0 {
                most = (good.len(), publisher.threshold);
            }
        }
        Err(revoked.map_or(Reason::NotSigned { signatures: most.0, threshold: most.1 }, Reason::KeyRevoked))
    }

    /// Whether its signatures have ended.
    fn timely(&self, signed: &SignedManifest, now_unix_s: u64) -> Option<Reason> {
        let at_unix_s = signed.manifest.expires_unix_s?;
        match () {
            () if now_unix_s < CLOCK_MIN => Some(Reason::Clock),
            () if at_unix_s <= now_unix_s => Some(Reason::Expired { at_unix_s }),
            () => None,
        }
    }

    /// Whether its publisher has signed something later, or other code as the same. A key that was taken back says
    /// nothing: who stole it would sign version 4294967295.
    fn step_back(&self, known: &Knowledge, signed: &SignedManifest) -> Option<Reason> {
        let manifest = &signed.manifest;
        let of_signers = self.publishers.iter().filter(|publisher| {
            let good = |key: &&PublisherKey| !known.revocations.takes_back_key(key, &publisher.keys);
            signed.signers().filter(good).any(|key| publisher.keys.contains(key))
        });
        for publisher in of_signers {
            let good = |key: &&PublisherKey| !known.revocations.takes_back_key(key, &publisher.keys);
            for key in publisher.keys.iter().filter(good) {
                match known.index.mark(&manifest.name, key) {
                    Some(mark) if mark.version > manifest.version => {
                        return Some(Reason::Downgrade { has: mark.version });
                    }
                    Some(mark) if mark.version == manifest.version && mark.hash != manifest.hash => {
                        return Some(Reason::Substituted { by: mark.hash });
                    }
                    Some(_) | None => {}
                }
                let newest = known.index.newest_signed(&manifest.name, key);
                if let Some(has) = newest.filter(|newest| *newest > manifest.version) {
                    return Some(Reason::Downgrade { has });
                }
            }
        }
        None
    }
}

impl<'a> Candidate<'a> {
    fn of(entry: &'a Entry) -> Candidate<'a> {
        let Entry { kind, origin, manifest, .. } = entry;
        Candidate { kind: *kind, foreign: Origin::is_foreign(origin), manifest: manifest.as_ref() }
    }
}

fn forbids_foreign(rule: &Rule, question: &Question<'_>) -> Option<Reason> {
    match () {
        () if question.no_foreign => Some(Reason::ForeignToApplication),
        () if !rule.foreign => Some(Reason::ForeignToRule),
        () => None,
    }
}

/// Why code that has come from there is not taken.
fn comes_from_elsewhere(rule: &Rule, origin: &Origin) -> Option<Reason> {
    let has = |source: &Source| rule.sources.contains(source);
    match origin {
        Origin::Peer(_) => (!has(&Source::Peer)).then_some(Reason::NotFromPeers),
        Origin::File(_) => (!has(&Source::File)).then_some(Reason::NotFromFiles),
        Origin::Host(host) => (!has(&Source::Host(host.clone()))).then(|| Reason::NotFromHost(host.clone())),
        Origin::Unknown => None,
    }
}

/// Why code that is not here is not asked for. What it is signed with shows when it has come.
fn may_fetch(rule: &Rule, question: &Question<'_>, level: Level) -> Option<Reason> {
    match rule.accept {
        _ if forbids_foreign(rule, question).is_some() => forbids_foreign(rule, question),
        Acceptance::None => Some(Reason::AcceptsNone),
        Acceptance::Pinned if level > Level::Pinned => Some(Reason::NotPinned),
        _ if !rule.takes_from_peers() && rule.hosts().next().is_none() => Some(Reason::NotFromPeers),
        Acceptance::Pinned | Acceptance::Signed | Acceptance::Any => None,
    }
}

impl LevelLimits {
    /// What code has: what it wants, or what its level may have if that is less.
    fn of(&self, level: Level, manifest: Option<&SignedManifest>) -> Limits {
        let most = match level {
            Level::BuiltIn | Level::Pinned => self.pinned,
            Level::Signed => self.signed,
            Level::Any => self.any,
        };
        let wants = manifest.map(|signed| signed.manifest.wants).unwrap_or_default();
        let Wants { cap, memory, fuel } = wants;
        Limits { memory: memory.min(most.memory), fuel: fuel.min(most.fuel), cap: cap.min(most.cap) }
    }
}
