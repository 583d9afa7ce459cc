//! What ICMP says of where a peer is (decision 62): a hint, which has the peer asked at once, and shortens the silence
//! after which it counts as dead.

use core::net::SocketAddr;

use tng_base::{Hindrance, Instant, Unreachable};

use super::Connection;
use crate::CloseCause;
use crate::attachment::State;
use crate::host_wide::HostWide;

/// What is said of a peer that was not heard of since.
#[derive(Debug)]
pub(super) struct Refused {
    since: Instant,
    address: SocketAddr,
    why: Hindrance,
}

impl Connection {
    /// Somebody says that something does not arrive. Answers whether it is of this connection. Of helpers it says
    /// nothing of the peer, and of attempts that nobody waits for nothing that is not known.
    pub(crate) fn handle_unreachable(&mut self, now: Instant, told: &Unreachable) -> bool {
        let (mut is_ours, mut is_gone) = (false, false);
        for attachment in &mut self.attachments {
            let (carries, attaches) = (attachment.carries(), attachment.attach.is_some() && !attachment.unasked);
            match &mut attachment.state {
                State::Dialing(dial) => {
                    let is_quoted = dial.handle_unreachable(now, told);
                    is_ours |= is_quoted;
                    is_gone |= is_quoted && attaches && !dial.is_helped();
                }
                State::Open(open) if open.link.section.has_sent(told) => {
                    is_ours = true;
                    is_gone |= carries && !open.link.is_helped();
                    // What is under way has probes of its own.
                    if open.link.section.channel.waiting_since().is_none() {
                        open.link.section.ask_whether_there(now);
                    }
                }
                _ => {}
            }
        }
        // Too large is what was sent, not dead the peer.
        if is_gone && !matches!(told.why, Hindrance::TooBig { .. }) && self.refused.is_none() {
            self.refused = Some(Box::new(Refused { since: now, address: told.remote, why: told.why }));
            // It may be there by another way.
            self.ask_whether_there(now);
        }
        is_ours
    }

    /// The peer is heard of: whatever was said, it is there.
    #[inline]
    pub(super) fn note_heard(&mut self) {
        self.refused = None;
    }

    /// When the peer counts as dead if nothing is heard of it. An application that has chosen how long it is waited for
    /// knows better.
    pub(super) fn dead_at(&self, wide: &HostWide) -> Option<Instant> {
        let refused = self.refused.as_ref()?;
        if self.kept_by_choice || self.keep.is_none() || !self.is_settled() {
            return None;
        }
        Some(refused.since + wide.config.unreachable_after?)
    }

    /// It was silent for too long.
    pub(super) fn end_dead(&mut self, now: Instant, wide: &mut HostWide) {
        if let Some(refused) = self.refused.take() {
            let Refused { address, why, .. } = *refused;
            self.end(now, CloseCause::Unreachable { address, why }, wide);
        }
    }

    /// The peer may begin to answer where it does not yet: attempts to reach it last their time, whatever ICMP says.
    pub(crate) fn be_patient(&mut self) {
        self.patient = true;
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state {
                dial.be_patient();
            }
        }
    }
}
