//! Channels that come to a connection.

use core::net::{IpAddr, SocketAddr};

use tng_base::{ChannelKey, Instant, Protocol};
use tng_endpoint::Path;
use tng_isolation::wire::{Attach, Purpose};
use tng_semantic::structured::Role;

use super::{CHANNELS_MAX, Connection, LINGERING_MAX, Life, Session};
use crate::attachment::{Attachment, State};
use crate::codes;
use crate::helped::{Helping, Leaves, Standing};
use crate::host_wide::HostWide;
use crate::link::Link;
use crate::{CloseCause, EventKind, PathId, Sign};

impl Connection {
    /// Whether there has been a channel, and the end is not reached.
    pub(crate) fn is_settled(&self) -> bool {
        matches!(self.life, Life::Attached | Life::Detached { .. })
    }

    /// Whether the peer asked for it, and not this host.
    pub(crate) fn was_begun_by_peer(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.role == Role::Responder)
    }

    /// When the peer was last heard of on a channel that is up, if there is one.
    pub(crate) fn last_heard(&self) -> Option<Instant> {
        self.attachments.iter().filter_map(|attachment| Some(attachment.link()?.channel().last_received())).max()
    }

    /// The paths that carried the streams are lost: the `new` channel carries them from now on, or none does. Whether
    /// something was awaited this end knows of what it sent itself. Of what the peer sent it does not, which has it
    /// count from the last packet on, `by_peer`: where it was the peer that missed something.
    pub(super) fn note_path_lost(&mut self, new: Option<ChannelKey>, by_peer: bool) {
        let before = self.attachments.iter().filter(|it| Some(it.key) != new && it.standing != Standing::StandsBy);
        let channels = before.filter_map(|it| Some(it.remembered_link()?.channel()));
        let Some(channel) = channels.max_by_key(|channel| channel.last_received()) else { return };
        let heard = channel.last_received();
        let awaited = channel.waiting_since().map(|since| since.max(heard));
        if let Some(since) = awaited.or_else(|| by_peer.then_some(heard)) {
            self.helping.get_or_insert_with(|| Box::new(Helping::new(None, false))).gap.open(since);
        }
    }

    /// The peer is heard of on a channel that carries the streams.
    #[inline]
    pub(super) fn gap_closes(&mut self, now: Instant) {
        if let Some(helping) = &mut self.helping {
            helping.gap.close(now);
        }
    }

    /// Whether the connection is over, even if a channel of it is still remembered.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.life, Life::Finished)
    }

    /// The peer may be found there.
    pub(super) fn look_at(&mut self, now: Instant, addresses: Vec<SocketAddr>) {
        self.reach.set_addresses(addresses);
        self.redirect(now);
        self.hurry(now);
    }

    /// An attempt that is under way goes on where the peer can be found now: while there is one, there is no other.
    pub(super) fn redirect(&mut self, now: Instant) {
        let addresses = self.reach.target().addresses;
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state {
                dial.look_at(now, &addresses);
            }
        }
    }

    /// The peer's whereabouts, or this host's, have changed: a connection without a good channel asks for one at once.
    pub(super) fn hurry(&mut self, now: Instant) {
        if self.is_settled() && !self.has_good_channel() {
            self.reach.hurry(now);
        }
    }

    /// The first exchange is done, as far as this end can tell.
    pub(crate) fn begin(&mut self, session: Session) {
        self.session = Some(session);
    }

    /// A channel is there and proven: the streams may use it.
    pub(crate) fn attached(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        let Some(attachment) = self.attachment(key) else { return };
        let (attach, helped) = (attachment.attach, attachment.is_helped());
        let Some(path) = attachment.link().map(|link| link.section.path()) else { return };
        let (remote, proven) = (path.remote, path.is_proven());
        if let Some(Attach { purpose: Purpose::StandsBy, .. }) = attach {
            let needless = self.attachments.iter().any(|it| it.key != key && it.carries());
            if let Some(attachment) = self.attachment(key) {
                attachment.standing = Standing::StandsBy;
            }
            if !needless {
                self.fall_back(now);
            }
            return;
        }
        // Where a helper is says nothing of where the peer is.
        if proven && !helped {
            self.reach.note_seen(remote);
        }
        self.semantics.handle_attach(now, key);
        if helped {
            self.note_helped(now);
        }
        let before = core::mem::replace(&mut self.life, Life::Attached);
        // The first is told in other words.
        if !matches!(before, Life::Beginning) {
            // A change without a loss costs nothing.
            let others = |it: &Attachment| it.key != key && it.carries() && it.is_good();
            if matches!(before, Life::Attached) && !self.attachments.iter().any(others) {
                self.note_path_lost(Some(key), false);
            }
            self.gap_closes(now);
            self.push_event(EventKind::PathAdded { path: PathId(key.0), remote, helped });
            let helpers = self.attachment(key).and_then(|it| it.link()).map(|link| link.helpers().to_vec());
            if let Some(helpers) = helpers.filter(|helpers| !helpers.is_empty()) {
                self.push_event(EventKind::Helped { path: PathId(key.0), helpers });
            }
        }
        if matches!(before, Life::Detached { .. }) {
            self.push_event(EventKind::Back);
        }
        if let Some(attach) = attach {
            self.relieve(now, (key, helped), attach.purpose == Purpose::Replaces, wide);
        }
        if !helped {
            self.note_direct(now);
        }
        self.reach.satisfied();
    }

    /// A new channel carries the streams, through helpers or not: what it replaces gives way, and what is of no more
    /// use ends.
    fn relieve(&mut self, now: Instant, (key, helped): (ChannelKey, bool), replaces: bool, wide: &mut HostWide) {
        let began = self.session.as_ref().is_some_and(|session| session.role == Role::Initiator);
        // Of two channels that both ends may have asked for at the same time, the end that began the session keeps one.
        let others: Vec<ChannelKey> = self.attachments.iter().map(|other| other.key).filter(|it| *it != key).collect();
        for other in others {
            let Some(attachment) = self.attachment(other) else { continue };
            let was_up = attachment.is_confirmed();
            let (good, spare) = (attachment.is_good(), attachment.standing == Standing::StandsBy);
            let left = !helped && attachment.is_helped() && attachment.carries();
            let purpose = |it: &Attachment| it.attach.map(|attach| attach.purpose);
            let superfluous = attachment.is_dialing() && purpose(attachment) == Some(Purpose::Replaces);
            // Beside helpers there is still something to stand by.
            if spare && helped || matches!(attachment.standing, Standing::Retires(_)) {
                continue;
            }
            let drains = good && attachment.link().is_some_and(Link::is_there);
            if replaces && drains && attachment.carries() {
                self.give_way(now, other, Leaves::Overlapped(key), CloseCause::Replaced, wide);
            } else if replaces || began && (superfluous || was_up && !good) {
                match began && was_up && !replaces {
                    true => attachment.close(now, codes::CHANNEL_ENDS, "", wide),
                    false => attachment.drain(now, wide),
                }
                self.semantics.handle_detach(now, other);
                if was_up && !spare {
                    let cause = if left { CloseCause::Left(Sign::Silent) } else { CloseCause::Replaced };
                    self.push_event(EventKind::PathLost { path: PathId(other.0), cause });
                }
                if left {
                    self.note_helpers_left(now, other, false);
                }
            }
        }
    }

    /// The peer asks that a further channel carry these streams; answers whether it may.
    pub(crate) fn admits(&mut self, now: Instant, attach: &Attach, wide: &mut HostWide) -> bool {
        let fresh = self.session.as_ref().is_some_and(|session| session.heard.is_fresh(attach.count));
        if !fresh || self.has_ended() {
            return false;
        }
        if !self.has_room(attach.purpose) {
            // Anybody can send copies of an INIT from anywhere, so what they brought gives way, unless it was asked for
            // later.
            let unconfirmed = self.attachments.iter_mut().filter(|it| it.is_half_open());
            let asked = unconfirmed.filter_map(|it| Some((it.attach?.count, it)));
            let oldest = asked.filter(|(count, _)| *count <= attach.count).min_by_key(|(count, _)| *count);
            let Some((_, oldest)) = oldest else { return false };
            oldest.forget(wide);
            let key = oldest.key;
            self.semantics.handle_detach(now, key);
        }
        self.forget_lingering(wide);
        true
    }

    /// The peer's request has brought a channel, so other copies of it will bring none.
    pub(super) fn note_brought(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        let Some(attach) = self.attachment(key).and_then(|attachment| attachment.attach) else { return };
        let Some(session) = &mut self.session else { return };
        session.heard.note_used(attach.count);
        for copy in self.attachments.iter_mut().filter(|it| it.is_half_open() && it.attach == Some(attach)) {
            copy.forget(wide);
            self.semantics.handle_detach(now, copy.key);
        }
    }

    fn has_room(&self, purpose: Purpose) -> bool {
        let live = self.attachments.iter().filter(|attachment| attachment.is_live()).count();
        live < CHANNELS_MAX + usize::from(purpose == Purpose::Replaces)
    }

    /// A peer that takes channels and drops them again is not to fill this host's memory with them.
    fn forget_lingering(&mut self, wide: &mut HostWide) {
        let lingering = self.attachments.iter().filter(|it| it.is_lingering()).count();
        let oldest = self.attachments.iter_mut().filter(|it| it.is_lingering());
        oldest.take(lingering.saturating_sub(LINGERING_MAX)).for_each(|attachment| attachment.forget(wide));
    }

    /// What to say in the next INIT for these streams.
    pub(crate) fn next_attach(&mut self, purpose: Purpose, wide: &mut HostWide) -> Option<Attach> {
        let room = self.has_room(purpose);
        self.forget_lingering(wide);
        let session = self.session.as_mut().filter(|_| room)?;
        session.asked += 1;
        let purpose = match (purpose, session.role) {
            (Purpose::Replaces, Role::Responder) => Purpose::Beside,
            (purpose, _) => purpose,
        };
        Some(Attach { session: session.id, count: session.asked, purpose })
    }

    /// Whether to ask for a channel now.
    pub(crate) fn wants_channel(&mut self, now: Instant) -> bool {
        if matches!(self.life, Life::Detached { .. }) && !self.semantics.is_idle() {
            self.reach.want(now);
        }
        self.attempt_at().is_some_and(|at| at <= now)
    }

    /// When to ask for a channel, if one is wanted.
    pub(super) fn attempt_at(&self) -> Option<Instant> {
        let at = self.reach.next_at()?;
        let busy = self.has_good_channel() || self.attachments.iter().any(Attachment::is_dialing);
        (self.is_settled() && !busy).then_some(at)
    }

    /// Whether this end is to ask now whether UDP reaches a peer that a carrier is used to.
    pub(super) fn seeks_at(&self) -> Option<Instant> {
        if self.was_begun_by_peer() || self.semantics.is_empty() || !self.is_settled() {
            return None;
        }
        let mut working = self.attachments.iter().filter(|it| it.carries() && it.is_good()).peekable();
        let carried = working.peek().is_some() && working.all(Attachment::is_carried);
        let dialing = self.attachments.iter().any(Attachment::is_dialing);
        (carried && !dialing && self.reach.has_uncarried()).then(|| self.reach.sought_next())
    }

    /// When to ask a silent peer for a sign of life, where a carrier could stand in for UDP.
    pub(super) fn doubts_at(&self) -> Option<Instant> {
        if self.was_begun_by_peer() || !self.reach.has_carried() || !self.is_settled() || self.semantics.is_empty() {
            return None;
        }
        let working = self.attachments.iter().filter(|it| it.carries() && it.is_good() && !it.is_carried());
        let heard = working.filter_map(|it| Some(it.link()?.channel().last_received())).max()?;
        self.reach.doubts_at(heard)
    }

    /// No channel works any more: what only asked whether UDP reaches the peer asks by carriers as well.
    pub(super) fn ask_anywhere(&mut self, now: Instant) {
        let addresses = self.reach.target().addresses;
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state {
                dial.ask_anywhere(now, &addresses);
            }
        }
    }

    /// The carrier to this address is gone: asks for a sign of life on the channels by it. Answers whether there are
    /// any, or attempts.
    pub(crate) fn ask_by(&mut self, now: Instant, remote: IpAddr) -> bool {
        let mut asked = false;
        for attachment in &mut self.attachments {
            if let State::Dialing(dial) = &mut attachment.state {
                dial.handle_carrier_broken(remote);
                asked = true;
            }
            if let State::Open(open) = &mut attachment.state
                && open.link.section.path().remote.ip() == remote
            {
                open.link.section.ask_whether_there(now);
                asked = true;
            }
        }
        asked
    }

    /// Whether a channel works, as far as is known: one whose path is in doubt does not if the peer is said to be
    /// elsewhere.
    pub(crate) fn has_good_channel(&self) -> bool {
        self.attachments.iter().any(|attachment| {
            let leads = |path: &Path| path.is_proven() || !self.reach.denies(path.remote);
            attachment.carries()
                && attachment.is_good()
                && attachment.link().is_some_and(|link| link.is_helped() || leads(link.section.path()))
        })
    }
}
