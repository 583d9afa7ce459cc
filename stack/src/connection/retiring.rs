//! Channels that give way to others (docs/splitting.md, "Judged by use").

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{ChannelKey, Instant, Protocol};

use super::Connection;
use crate::attachment::{Attachment, Overlap, Standing};
use crate::codes;
use crate::link::{Flows, Link, Surroundings};
use crate::{CloseCause, EventKind, PathId};

/// Longest time for which a channel that has given way to another is used on, and then for which it is heard.
pub const RETIRES_MAX: Duration = Duration::from_secs(3);

/// Probe timeouts after which nothing more is expected on it.
const HEARD_PTOS: u32 = 3;

/// How a channel gives way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaves {
    /// It is used on until this one, which takes its place, has found its pace.
    Overlapped(ChannelKey),
    /// It gets nothing new, and what is on its way may still arrive.
    Drained,
    /// What is on its way goes by others.
    AtOnce,
}

/// Of the flow that a channel is in: its window, and what of it is in use.
fn window(link: &Link, flows: &Flows) -> (u64, u64) {
    let regulation = link.section.regulation(flows);
    (regulation.window(), regulation.in_flight())
}

impl Connection {
    /// Another channel takes the place of this one.
    pub(super) fn give_way(
        &mut self,
        now: Instant,
        key: ChannelKey,
        how: Leaves,
        cause: CloseCause,
        around: &mut Surroundings<'_>,
    ) {
        let Some((attachment, semantics)) = self.split(key) else { return };
        let Some(link) = attachment.link() else { return };
        let was_helped = link.is_helped();
        if how == Leaves::AtOnce {
            attachment.close(now, codes::CHANNEL_ENDS, "", around);
            semantics.handle_detach(now, key);
            self.push_event(EventKind::PathLost { path: PathId(key.0), cause });
        } else {
            let overlap = match how {
                Leaves::Overlapped(by) => {
                    Some(Overlap { by, window: window(link, around.flows).0, until: now + RETIRES_MAX })
                }
                _ => None,
            };
            semantics.set_retired(key, overlap.is_none());
            attachment.standing = Standing::Retires { overlap, since: now, cause };
        }
        if was_helped {
            self.note_helpers_left(now, key);
        }
    }

    /// Channels that give way send as much less as those in their place send more: what takes a place begins slowly,
    /// and the two together are to fill the path as before, and not to fill it twice.
    pub(super) fn hand_over(&mut self, now: Instant, around: &Surroundings<'_>) {
        for at in 0..self.attachments.len() {
            let Standing::Retires { overlap: Some(overlap), .. } = &self.attachments[at].standing else { continue };
            let Overlap { by, window: whole, until } = *overlap;
            let by = self.attachments.iter().find(|it| it.key == by).and_then(Attachment::link);
            let attachment = &self.attachments[at];
            let (key, Some(link)) = (attachment.key, attachment.link()) else { continue };
            // It may be gone again, or share the flow.
            let (grown, theirs) = by.map_or((0, 0), |by| window(by, around.flows));
            let over = until <= now || grown >= whole;
            let retired = over || theirs + window(link, around.flows).1 >= whole;
            self.semantics.set_retired(key, retired);
            if over && let Standing::Retires { overlap, .. } = &mut self.attachments[at].standing {
                *overlap = None;
            }
        }
    }

    /// Ends what has been heard long enough since it gave way.
    pub(super) fn end_retired(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        for at in 0..self.attachments.len() {
            let attachment = &mut self.attachments[at];
            let (key, up) = (attachment.key, attachment.link().is_some());
            let Standing::Retires { overlap: None, cause, .. } = &attachment.standing else { continue };
            if up && retires_until(attachment, around.flows).is_some_and(|until| until <= now) {
                let cause = cause.clone();
                attachment.close(now, codes::CHANNEL_ENDS, "", around);
                // It may have been the last: what took its place may be gone already.
                self.detached(now, key, true, cause, around);
            }
        }
    }

    /// The `old` address of this host is gone: what gives way from there is not taken along.
    pub(super) fn end_retiring_from(&mut self, now: Instant, old: IpAddr, around: &mut Surroundings<'_>) {
        for at in 0..self.attachments.len() {
            let attachment = &mut self.attachments[at];
            let Standing::Retires { cause, .. } = &attachment.standing else { continue };
            if attachment.link().is_some_and(|link| link.section.path().local.is_some_and(|local| local.ip() == old)) {
                let (key, cause) = (attachment.key, cause.clone());
                attachment.close(now, codes::CHANNEL_ENDS, "", around);
                self.detached(now, key, true, cause, around);
            }
        }
    }

    /// When to look at channels that give way.
    pub(super) fn retiring_timeout(&self, flows: &Flows) -> Option<Instant> {
        self.attachments.iter().filter_map(|it| retires_until(it, flows)).min()
    }
}

/// When a channel that gives way has sent enough, or else has been heard long enough: what is on its way may still
/// arrive, and the other end may not have found its pace.
fn retires_until(attachment: &Attachment, flows: &Flows) -> Option<Instant> {
    let (Standing::Retires { overlap, since, .. }, Some(link)) = (&attachment.standing, attachment.link()) else {
        return None;
    };
    let heard_until = link.channel().last_received().max(*since) + link.stats(flows).pto * HEARD_PTOS;
    Some(overlap.as_ref().map_or(heard_until.min(*since + RETIRES_MAX * 2), |overlap| overlap.until))
}
