//! What a connection makes of an introduction to its peer: the helpers that are there only to reach it are left for a
//! direct way (docs/splitting.md, "Introduced").

use core::net::SocketAddr;

use tng_base::{Instant, Protocol};
use tng_endpoint::{Mapping, Reached};
use tng_isolation::Purpose;

use super::Connection;
use crate::attachment::State;
use crate::helped::{Wanted, WayWanted};
use crate::host_wide::HostWide;
use crate::{EventKind, Relayed, Target};

impl Connection {
    /// Whom to ask, that way.
    pub(crate) fn target_for(&self, way: WayWanted) -> Target {
        match way {
            WayWanted::Uncarried if !self.seeks_helpers() => self.reach.target(),
            WayWanted::Direct => self.reach.target(),
            WayWanted::Uncarried | WayWanted::Helped | WayWanted::HelpedOnly => self.reach.helped_target(),
        }
    }

    /// Whether it is the helpers that are sought by UDP, where a carrier leads to them.
    pub(crate) fn seeks_helpers(&self) -> bool {
        self.reach.is_helped() && self.is_carried_by_helpers()
    }

    /// Whether what is wanted is the direct channel that takes the place of one through helpers.
    pub(crate) fn opens(&self, wanted: &Wanted) -> bool {
        let opening = self.helping.as_ref().is_some_and(|helping| helping.opening().is_some());
        opening
            && self.is_carried_by_helpers()
            && matches!(wanted, Wanted { purpose: Purpose::Replaces, way: WayWanted::Direct, .. })
    }

    /// The two ends were introduced to each other: the peer was seen at these addresses.
    pub(crate) fn handle_introduced(&mut self, now: Instant, addresses: &[SocketAddr], wide: &mut HostWide) {
        if self.reach.is_only_reached() && !addresses.is_empty() {
            // A relay asks where it was told to: another is asked for, of where the peer is now.
            if self.reach.helped_target().addresses.first() != addresses.first() {
                self.give_up_attempts(now, true, wide);
            }
            self.look_at(now, addresses.to_vec());
        }
        if let Some(helping) = &mut self.helping {
            helping.note_chance(now, false);
        }
    }

    /// Somebody says where the peer can be reached now. If that is by way of helpers alone, they are asked at once, in
    /// the place of what asks directly.
    pub(crate) fn handle_found(&mut self, now: Instant, addresses: Vec<SocketAddr>, wide: &mut HostWide) {
        if self.reach.is_only_reached() && !self.has_good_channel() {
            self.give_up_attempts(now, false, wide);
        }
        self.look_at(now, addresses);
    }

    /// Attempts by way of helpers, or else those without, for a session that there is, come to nothing.
    fn give_up_attempts(&mut self, now: Instant, helped: bool, wide: &mut HostWide) {
        for attachment in &mut self.attachments {
            let is_meant = matches!(&attachment.state, State::Dialing(dial) if dial.is_helped() == helped);
            if is_meant && attachment.attach.is_some() {
                attachment.drain(now, wide);
                self.semantics.handle_detach(now, attachment.key);
            }
        }
    }

    /// The peer was heard of directly: an INIT that is under way goes there at once.
    pub(crate) fn handle_reached(&mut self, now: Instant, reached: &Reached) {
        if reached.learned {
            self.reach.note_further_remote(reached.remote);
        }
        if let Some(helping) = &mut self.helping {
            helping.note_chance(now, reached.learned);
        }
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state {
                dial.ask_at(now, reached.remote);
            }
        }
    }

    /// The direct way was asked for in vain. While the helpers are silent as well that says nothing of what stands
    /// before the two.
    pub(crate) fn note_not_opened(&mut self, now: Instant, own: Mapping) {
        // Who is dead answers by no way.
        let is_meant = self.has_good_channel();
        if self.helping.as_mut().is_some_and(|helping| helping.note_not_opened(now, is_meant))
            && is_meant
            && let Some(why) = self.relayed(own)
        {
            self.push_event(EventKind::StaysRelayed { why });
        }
    }

    /// Why it goes by way of helpers, if it does.
    pub(crate) fn relayed(&self, own: Mapping) -> Option<Relayed> {
        if !self.is_carried_by_helpers() {
            return None;
        }
        let helping = self.helping.as_ref().filter(|helping| helping.knows_way());
        let Some(helping) = helping else { return Some(Relayed::ByPeer) };
        let Some(opening) = helping.opening() else { return Some(Relayed::Chosen) };
        Some(match own {
            _ if !opening.has_failed() => Relayed::Opening,
            Mapping::Each => Relayed::OwnPorts,
            _ if opening.has_learned() => Relayed::PeersPorts,
            _ => Relayed::Unanswered,
        })
    }
}
