//! Channels that come to a connection.

use core::net::SocketAddr;

use tng_base::{ChannelKey, Instant, PathCondition, Protocol};
use tng_isolation::wire::Attach;
use tng_semantic::structured::Role;

use super::{CHANNELS_MAX, Connection, Life, Session};
use crate::attachment::Attachment;
use crate::codes;
use crate::link::Surroundings;
use crate::{CloseCause, EventKind, PathId};

impl Connection {
    /// Whether the first exchange is done and the end not reached.
    pub(crate) fn is_settled(&self) -> bool {
        self.session.is_some() && !matches!(self.life, Life::Over)
    }

    /// The peer may be found there.
    pub(crate) fn look_at(&mut self, now: Instant, addresses: Vec<SocketAddr>) {
        self.reach.set_addresses(addresses);
        if self.is_settled() && !self.has_good_channel() {
            self.reach.hurry(now);
        }
    }

    /// The first exchange is done.
    pub(crate) fn begin(&mut self, session: Session) {
        self.session = Some(session);
        self.life = Life::Attached;
    }

    /// A channel is there and proven: the streams may use it.
    pub(crate) fn attached(&mut self, now: Instant, key: ChannelKey, around: &mut Surroundings<'_>) {
        let Some(attachment) = self.attachment(key) else { return };
        let Some(path) = attachment.link().map(|link| link.path()) else { return };
        let (attach, remote, proven) = (attachment.attach, path.remote, path.is_proven());
        if proven {
            self.reach.note_seen(remote);
        }
        self.streams.handle_attach(now, key);
        let Some(attach) = attach else { return };
        let began = self.session.as_ref().is_some_and(|session| session.role == Role::Initiator);
        let back = matches!(self.life, Life::Detached { .. });
        self.life = Life::Attached;
        self.push_event(EventKind::PathAdded { path: PathId(key.0), remote });
        if back {
            self.push_event(EventKind::Back);
        }
        // Of two channels that both ends may have asked for at the same time, the end that began the session keeps one.
        let others: Vec<ChannelKey> = self.attachments.iter().map(|other| other.key).filter(|it| *it != key).collect();
        for other in others {
            let Some(attachment) = self.attachment(other) else { continue };
            let unwell = attachment.link().is_none_or(|link| link.channel.condition() != PathCondition::Good);
            let was_up = attachment.link().is_some();
            let superfluous = attachment.is_dialing() && attachment.attach.is_some_and(|attach| attach.replaces);
            if attach.replaces || began && (superfluous || was_up && unwell) {
                match began && was_up && !attach.replaces {
                    true => attachment.close(now, codes::CHANNEL_ENDS, "", around),
                    false => attachment.drain(now, around),
                }
                self.streams.handle_detach(now, other);
                if was_up {
                    self.push_event(EventKind::PathLost { path: PathId(other.0), cause: CloseCause::Replaced });
                }
            }
        }
        self.reach.satisfied();
    }

    /// The peer asks that a further channel carry these streams; answers whether it may.
    pub(crate) fn admits(&mut self, attach: &Attach) -> bool {
        let live = self.attachments.iter().filter(|attachment| attachment.is_live()).count();
        let Some(session) = &mut self.session else { return false };
        let fresh = attach.count >= session.heard && live < CHANNELS_MAX && !matches!(self.life, Life::Over);
        if fresh {
            session.heard = attach.count;
        }
        fresh
    }

    /// What to say in the next INIT for these streams.
    pub(crate) fn next_attach(&mut self, replaces: bool) -> Option<Attach> {
        let live = self.attachments.iter().filter(|attachment| attachment.is_live()).count();
        let session = self.session.as_mut().filter(|_| live < CHANNELS_MAX)?;
        session.asked += 1;
        let replaces = replaces && session.role == Role::Initiator;
        Some(Attach { session: session.id, count: session.asked, replaces })
    }

    /// Whether a channel is to be asked for now.
    pub(crate) fn wants_channel(&mut self, now: Instant) -> bool {
        if matches!(self.life, Life::Detached { .. }) && !self.streams.is_idle() {
            self.reach.want(now);
        }
        let due = self.reach.next_at().is_some_and(|at| at <= now);
        due && self.is_settled() && !self.has_good_channel() && !self.attachments.iter().any(Attachment::is_dialing)
    }

    pub(super) fn has_good_channel(&self) -> bool {
        let good = |attachment: &Attachment| {
            attachment.link().is_some_and(|link| link.channel.condition() == PathCondition::Good)
        };
        self.attachments.iter().any(|attachment| attachment.is_confirmed() && good(attachment))
    }
}
