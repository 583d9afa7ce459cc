//! Channels that give way to others (docs/splitting.md, "Judged by use").

use core::net::IpAddr;

use tng_base::{ChannelKey, Instant, Protocol};

use super::Connection;
use crate::attachment::Attachment;
use crate::codes;
use crate::helped::{Leaves, Overlap, Retires, Share, Standing};
use crate::host_wide::{Flows, HostWide};
use crate::link::Link;
use crate::{CloseCause, EventKind, PathId, Sign};

impl Connection {
    /// Another channel takes the place of this one.
    pub(super) fn give_way(
        &mut self,
        now: Instant,
        key: ChannelKey,
        how: Leaves,
        cause: CloseCause,
        wide: &mut HostWide,
    ) {
        let Some((attachment, semantics)) = self.split(key) else { return };
        let is_carried = attachment.is_carried();
        let Some(link) = attachment.link() else { return };
        let was_helped = link.is_helped();
        // Who holds packets is there, and would hold the next ones, too.
        let harmed = how == Leaves::Drained || cause == CloseCause::Left(Sign::Blocked);
        if how == Leaves::AtOnce {
            attachment.close(now, codes::CHANNEL_ENDS, "", wide);
            semantics.handle_detach(now, key);
            self.push_event(EventKind::PathLost { path: PathId(key.0), cause });
        } else {
            let overlap = match how {
                Leaves::Overlapped(by) => {
                    let (own, rtt) = (link.filling(&wide.flows), link.stats(&wide.flows).rtt);
                    let overlap = Overlap::new(now, by, own, rtt);
                    Some(if is_carried { overlap.carried(now) } else { overlap })
                }
                _ => None,
            };
            semantics.set_retired(key, overlap.is_none());
            attachment.standing = Standing::Retires(Box::new(Retires { overlap, since: now, cause }));
        }
        if was_helped {
            self.note_helpers_left(now, key, harmed);
        }
    }

    /// Channels that give way send as much less as those in their place send more: what takes a place begins slowly,
    /// and the two together are to fill the path as before, and not to fill it twice.
    pub(super) fn hand_over(&mut self, now: Instant, wide: &HostWide) {
        for at in 0..self.attachments.len() {
            let attachment = &self.attachments[at];
            let Standing::Retires(retires) = &attachment.standing else { continue };
            let Some(overlap) = &retires.overlap else { continue };
            let (key, Some(link)) = (attachment.key, attachment.link()) else { continue };
            // It may be gone again, or share the flow.
            let by = self.attachments.iter().find(|it| it.key == overlap.by).and_then(Attachment::link);
            let by = by.map(|by| by.filling(&wide.flows)).unwrap_or_default();
            let share = overlap.share(now, by, link.filling(&wide.flows));
            self.semantics.set_retired(key, share != Share::Sends);
            if share == Share::Done
                && let Standing::Retires(retires) = &mut self.attachments[at].standing
            {
                retires.overlap = None;
            }
        }
    }

    /// Ends what has been heard long enough since it gave way.
    pub(super) fn end_retired(&mut self, now: Instant, wide: &mut HostWide) {
        for at in 0..self.attachments.len() {
            let attachment = &mut self.attachments[at];
            let (key, up) = (attachment.key, attachment.link().is_some());
            let Standing::Retires(retires) = &attachment.standing else { continue };
            if up
                && retires.overlap.is_none()
                && retires_until(attachment, &wide.flows).is_some_and(|until| until <= now)
            {
                attachment.close(now, codes::CHANNEL_ENDS, "", wide);
                let cause = self.cause_of_retired(now, key).unwrap_or(CloseCause::Replaced);
                // It may have been the last: what took its place may be gone already.
                self.detached(now, key, true, cause, wide);
            }
        }
    }

    /// For what a channel that has given way, and ends now, has done so; none if it has not. Why the peer left a helped
    /// one the peer has not said: what it leaves for harm still brings what is on its way, so one that brings nothing
    /// was silent.
    pub(super) fn cause_of_retired(&mut self, now: Instant, key: ChannelKey) -> Option<CloseCause> {
        let attachment = self.attachment(key)?;
        let Standing::Retires(retires) = &attachment.standing else { return None };
        let silent = |link: &Link| link.is_helped() && link.channel().last_received() <= retires.since;
        let left = retires.cause == CloseCause::Replaced && retires.overlap.is_none();
        if !left || !attachment.remembered_link().is_some_and(silent) {
            return Some(retires.cause.clone());
        }
        if let Some(helping) = &mut self.helping {
            helping.note_silent(now);
        }
        Some(CloseCause::Left(Sign::Silent))
    }

    /// The `old` address of this host is gone: what gives way from there is not taken along.
    pub(super) fn end_retiring_from(&mut self, now: Instant, old: IpAddr, wide: &mut HostWide) {
        for at in 0..self.attachments.len() {
            let attachment = &mut self.attachments[at];
            let Some(cause) = attachment.standing.gives_way_for() else { continue };
            if attachment.link().is_some_and(|link| link.section.path().local.is_some_and(|local| local.ip() == old)) {
                let (key, cause) = (attachment.key, cause.clone());
                attachment.close(now, codes::CHANNEL_ENDS, "", wide);
                self.detached(now, key, true, cause, wide);
            }
        }
    }

    /// When to look at channels that give way.
    pub(super) fn retiring_timeout(&self, flows: &Flows) -> Option<Instant> {
        self.attachments.iter().filter_map(|it| retires_until(it, flows)).min()
    }
}

/// When to look at a channel again, if it gives way.
fn retires_until(attachment: &Attachment, flows: &Flows) -> Option<Instant> {
    attachment.standing.gives_way_for()?;
    let link = attachment.link()?;
    attachment.standing.retires_until(link.channel().last_received(), link.stats(flows).pto)
}
