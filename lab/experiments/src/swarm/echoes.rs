//! What a party says on connections that speak numbered echoes, beside those with streams.

use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_echoes::{Echoes, NAME, Tally};
use tng_stack::{ConnectionId, FactoryError, Host, Semantic, Target};

use super::ledger::Ledger;

/// How far ahead either end may ask.
const WINDOW: u64 = 40;

/// Most numbers asked at a tick, on each connection.
const AT_ONCE_MAX: u64 = 30;

/// Whether a connection repairs what it loses: without, a run must fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repair {
    On,
    #[cfg(test)]
    Off,
}

/// One end of a connection.
fn end(repair: Repair, echoes: Echoes) -> Box<dyn Semantic> {
    Box::new(match repair {
        Repair::On => echoes,
        #[cfg(test)]
        Repair::Off => echoes.without_repair(),
    })
}

/// Has a host answer those who want to speak numbered echoes, `early` if a copy of a first packet may begin one.
pub(super) fn register(host: &mut Host, repair: Repair, early: bool) {
    let made = host.register(NAME, move |proposal| match Echoes::answering(WINDOW, proposal.set_up_item) {
        Some(echoes) if early => Ok(end(repair, echoes)),
        Some(echoes) => Ok(end(repair, echoes.proven_only())),
        None => Err(FactoryError::NotUnderstood),
    });
    made.expect("a new host has no other protocol");
}

/// One connection, as its application sees it.
#[derive(Debug)]
struct Talk {
    tally: Tally,
    /// Numbers to ask in all.
    most: u64,
}

/// A party's connections that speak numbered echoes.
#[derive(Debug)]
pub(super) struct Talks {
    repair: Repair,
    /// Numbers to ask on each.
    most: u64,
    talks: BTreeMap<ConnectionId, Talk>,
    /// Numbers heard on those that are over.
    heard: u64,
}

impl Talks {
    pub fn new(most: u64, repair: Repair) -> Talks {
        Talks { repair, most, talks: BTreeMap::new(), heard: 0 }
    }

    /// Connects, and asks before anybody has answered.
    pub fn dial(&mut self, now: Instant, host: &mut Host, target: Target, rng: &mut Rng) -> Result<(), String> {
        let protocol = end(self.repair, Echoes::new(WINDOW));
        let id = host.connect_speaking(now, target, NAME, protocol).map_err(|error| format!("connect: {error}"))?;
        self.enter(id);
        self.act(host, id, rng);
        Ok(())
    }

    fn enter(&mut self, id: ConnectionId) {
        self.talks.entry(id).or_insert_with(|| Talk { tally: Tally::new(id.0), most: self.most });
    }

    /// Whether a connection is one of these; it is from now on if it speaks numbered echoes.
    pub fn has(&mut self, host: &Host, id: ConnectionId) -> bool {
        if host.protocol_name(id) == Some(NAME) {
            self.enter(id);
        }
        self.talks.contains_key(&id)
    }

    /// Takes what has come on a connection, and asks some more.
    pub fn act(&mut self, host: &mut Host, id: ConnectionId, rng: &mut Rng) {
        let (Some(talk), Some(echoes)) = (self.talks.get_mut(&id), host.protocol_as::<Echoes>(id)) else { return };
        talk.tally.hear(echoes);
        let due = talk.tally.asked() + rng.below(AT_ONCE_MAX);
        talk.tally.ask(echoes, talk.most.min(due));
    }

    /// The same on each, at a tick.
    pub fn act_on_all(&mut self, host: &mut Host, rng: &mut Rng) {
        for id in self.talks.keys().copied().collect::<Vec<_>>() {
            self.act(host, id, rng);
        }
    }

    /// A connection has ended.
    pub fn end(&mut self, id: ConnectionId) {
        self.heard += self.talks.remove(&id).map_or(0, |talk| talk.tally.heard());
    }

    /// So many numbers more on each.
    pub fn ask_more(&mut self, more: u64) {
        self.talks.values_mut().for_each(|talk| talk.most += more);
    }

    /// Whether there is something to ask at the next tick.
    pub fn wants_tick(&self) -> bool {
        self.talks.values().any(|talk| talk.tally.asked() < talk.most)
    }

    pub fn is_done(&self) -> bool {
        self.talks.values().all(|talk| talk.tally.asked() == talk.most && talk.tally.is_done())
    }

    pub fn count(&self) -> usize {
        self.talks.len()
    }

    /// Numbers that were echoed, on connections that are there and on those that are over.
    pub fn heard(&self) -> u64 {
        self.heard + self.talks.values().map(|talk| talk.tally.heard()).sum::<u64>()
    }

    /// Tells the ledger what has gone wrong.
    pub fn report(&self, party: usize, ledger: &mut Ledger) {
        for (id, talk) in &self.talks {
            if let Some(fault) = talk.tally.fault() {
                ledger.wrong(|| format!("party {party}, connection {}: number {fault}", id.0));
            }
        }
    }

    /// Numbers asked here, and numbers of others' answered here, each once.
    pub fn asked_and_answered(&self, host: &mut Host) -> (u64, u64) {
        let ends = self.talks.keys().filter_map(|id| Some(host.protocol_as::<Echoes>(*id)?.stats()));
        ends.fold((0, 0), |sum, stats| (sum.0 + stats.asked, sum.1 + stats.answered))
    }

    /// What it still has to do.
    pub fn describe(&self) -> String {
        let talks = self.talks.iter().filter(|(_, talk)| talk.tally.asked() < talk.most || !talk.tally.is_done());
        let lines = talks.map(|(id, talk)| format!("{}: {} of {}", id.0, talk.tally.heard(), talk.most));
        lines.collect::<Vec<_>>().join("; ")
    }
}
