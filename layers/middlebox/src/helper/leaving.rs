//! Flows that are helped no more.

use tng_base::Instant;
use tng_flow::{End, Ended};

use super::{
    ANSWERS_WAITING_MAX, AroundRelay, CAPABILITY_ENDED, HELPED_NO_MORE, Helper, HelperEvent, LeftBecause,
    NEIGHBOUR_GONE, fingerprint,
};
use crate::SharedQueue;
use crate::ending::Ending;
use crate::relay::{Far, Relay, RelayId};

/// Why a flow ends when a section does.
pub(super) fn because(ended: &Ended) -> LeftBecause {
    match ended {
        Ended::Idle | Ended::Unacknowledged => LeftBecause::Silent,
        Ended::Peer { .. } | Ended::Violation(_) | Ended::KeysUsedUp => LeftBecause::Closed,
    }
}

impl Helper {
    /// The neighbour toward `gone` has gone. What it sent still leaves toward the other, who is told then.
    pub(super) fn part(&mut self, now: Instant, id: RelayId, gone: End, because: LeftBecause) {
        if self.endings.contains_key(&id) {
            return self.remove_ending(id);
        }
        let Some(relay) = self.forget(id) else { return };
        let served = relay.served();
        let Relay { grant, limits, near, far, outward, homeward, place, .. } = relay;
        let (kept, left, mut queue, over) = match (gone, far) {
            (End::Near, Far::Open(far)) => (far, Some(near), outward, homeward),
            (End::Far, Far::Open(far)) => (near, Some(far), homeward, outward),
            // Nothing has come from beyond yet.
            (End::Far, Far::Asked { id, .. }) => {
                self.demux.remove_id(id);
                (near, None, homeward, outward)
            }
            (End::Near, Far::Asked { id: asked, .. }) => {
                self.demux.remove_id(asked);
                self.release(near);
                self.schedule.remove(id, place);
                self.settle_counts([&outward, &homeward]);
                return self.events.push_back(HelperEvent::Left { relay: id, because, served: Some(served) });
            }
        };
        if let Some(left) = left {
            self.release(left);
        }
        self.settle_counts([&over]);
        // What came with the CLOSE may say that all is over.
        queue.recall(now, &mut self.spares);
        let client = grant.client;
        let ending = Ending::new(now, (served, limits), (because, NEIGHBOUR_GONE), kept, queue, place);
        self.endings.insert(id, Box::new(ending));
        // One that opens and closes without end has no more of them than flows.
        if let Some(oldest) = self.clients.begin_ending(client, id, grant.flows_max.into()) {
            self.remove_ending(oldest);
        }
        if self.endings.len() > self.config.relays_max
            && let Some(oldest) = self.clients.oldest_ending()
        {
            self.remove_ending(oldest);
        }
        self.count(id);
        self.wake(id);
    }

    /// What queues that are no more have dropped and marked.
    fn settle_counts<const N: usize>(&mut self, queues: [&SharedQueue; N]) {
        for queue in queues {
            self.stats.dropped += queue.dropped();
            self.stats.marked += queue.marks();
        }
    }

    /// A flow or a tunnel ends, and its neighbours are told so at once.
    pub(super) fn dismiss(&mut self, now: Instant, id: RelayId, because: LeftBecause) {
        let code = match because {
            LeftBecause::CapabilityEnded => CAPABILITY_ENDED,
            _ => HELPED_NO_MORE,
        };
        let Some(relay) = self.relays.get_mut(&id) else { return self.end_tunnel(now, id, code, because) };
        for toward in [End::Near, End::Far] {
            if let Some(section) = relay.section(toward)
                && let Some((bytes, transmit)) = section.close_packet(now, code, "")
                && self.answers.len() < ANSWERS_WAITING_MAX
            {
                self.answers.push_back((transmit.remote, bytes));
            }
        }
        self.remove(id, because);
    }

    /// A flow ends without a word to anybody.
    pub(super) fn remove(&mut self, id: RelayId, because: LeftBecause) {
        let Some(relay) = self.forget(id) else { return };
        let served = Some(relay.served());
        self.settle_counts([&relay.outward, &relay.homeward]);
        self.release(relay.near);
        match relay.far {
            Far::Open(far) => self.release(far),
            Far::Asked { id, .. } => self.demux.remove_id(id),
        }
        self.schedule.remove(id, relay.place);
        self.events.push_back(HelperEvent::Left { relay: id, because, served });
    }

    /// The last word is said, and was heard or not.
    pub(super) fn remove_ending(&mut self, id: RelayId) {
        let Some(ending) = self.endings.remove(&id) else { return };
        self.settle_counts([&ending.queue]);
        if let Some(next) = self.clients.leave_round(ending.served.client, id, ending.turn) {
            self.wake(next);
        }
        self.clients.end(ending.served.client, id, ending.held);
        self.release(ending.section);
        self.schedule.remove(id, ending.place);
        self.events.push_back(HelperEvent::Left { relay: id, because: ending.because, served: Some(ending.served) });
    }

    /// Takes a relay out of the tables, so that its client may begin another. Its sections are the caller's to release,
    /// and its queues to count.
    fn forget(&mut self, id: RelayId) -> Option<Relay> {
        let relay = *self.relays.remove(&id)?;
        self.known.remove(&fingerprint(&self.reset_key, &relay.near_key));
        self.clients.hear(relay.grant.client, id);
        if let Some(next) = self.clients.leave_round(relay.grant.client, id, relay.turn) {
            self.wake(next);
        }
        self.clients.leave(relay.grant.client, id, relay.held);
        Some(relay)
    }

    pub(super) fn release(&mut self, mut section: Box<tng_flow::Section<crate::relay::Owner>>) {
        let Helper { config, demux, flows, rng, reset_key, spares, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        section.leave(around.flows);
        around.with(section.path().remote.ip(), |around, _| section.release(around));
    }
}
