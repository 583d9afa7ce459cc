//! How attempts, channels and connections end.

use tng_base::{ChannelKey, Instant, Protocol, Violation};
use tng_isolation::{Purpose, RefusalCode};

use super::{Connection, Life};
use crate::attachment::{Attachment, State};
use crate::codes;
use crate::helped::Standing;
use crate::host_wide::HostWide;
use crate::link::Severed;
use crate::watch;
use crate::{CloseCause, ConnectError, EventKind, PathId, Sign};
use tng_flow::Ended;

impl Connection {
    /// The first exchange has failed.
    pub(crate) fn fail(&mut self, error: ConnectError) {
        self.attachments.iter_mut().for_each(|attachment| attachment.state = State::Ended);
        self.tell_failed(error);
    }

    /// What answers the first exchange is rejected by what this end speaks: there is no connection, and the peer is
    /// told why.
    pub(crate) fn reject_answer(&mut self, now: Instant, violation: Violation, wide: &mut HostWide) {
        let (code, reason) = (violation.code, violation.reason);
        let error = self.semantics.fault().map_or(ConnectError::Rejected(violation), ConnectError::ProtocolFailed);
        self.close_channels(now, code, reason, wide);
        self.tell_failed(error);
    }

    fn tell_failed(&mut self, error: ConnectError) {
        self.life = Life::Finished;
        self.told = false;
        self.semantics.handle_closed();
        self.push_event(EventKind::ConnectFailed(error));
    }

    /// A REPLY ended an attempt of ours.
    pub(crate) fn handle_dial_failed(
        &mut self,
        now: Instant,
        key: ChannelKey,
        error: ConnectError,
        wide: &mut HostWide,
    ) {
        let Some(attachment) = self.attachment(key) else { return };
        attachment.drain(now, wide);
        match &self.session {
            None => self.fail(error),
            Some(_) => self.handle_attach_failed(now, key, error, wide),
        }
    }

    /// Our attempt at a further channel has failed, and is cleared away.
    pub(super) fn handle_attach_failed(
        &mut self,
        now: Instant,
        key: ChannelKey,
        error: ConnectError,
        wide: &mut HostWide,
    ) {
        self.semantics.handle_detach(now, key);
        if let ConnectError::Refused { code, .. } = &error
            && *code == RefusalCode::UnknownSession.code()
        {
            // Sealed by the peer itself, so it is beyond doubt.
            return self.end(now, CloseCause::Reset, wide);
        }
        if let Some(attempt) = self.attachment(key).filter(|it| it.unasked) {
            // It is nobody's news: the application has not asked for it, and there is another channel.
            if attempt.attach.is_some_and(|attach| attach.purpose == Purpose::StandsBy) {
                self.note_no_alternative(now);
            }
            self.note_not_opened(now, wide.sightings.mapping());
            return;
        }
        self.reach.handle_failure(now);
        self.push_event(EventKind::AttachFailed { path: PathId(key.0), error });
    }

    /// A link is cut. What a helper says ends no connection.
    pub(super) fn handle_severed(&mut self, now: Instant, key: ChannelKey, severed: Severed, wide: &mut HostWide) {
        match severed {
            Severed::EndToEnd(ended) => self.handle_ended(now, key, ended, wide),
            Severed::Section(ended) => {
                let Some(attachment) = self.attachment(key) else { return };
                if attachment.is_half_open() {
                    // What a helper says ends nothing: a peer that has not been heard of yet may come by another way,
                    // while the entry is there. Of a section that has ended by itself nothing can come.
                    if !matches!(ended, Ended::Peer { .. }) {
                        attachment.forget(wide);
                        self.handle_unanswered(now, key, wide);
                    }
                    return;
                }
                if let Some(channel) = attachment.channel_mut() {
                    watch::note_ended(now, channel, &ended);
                }
                let cause = match ended {
                    Ended::Idle => CloseCause::Idle,
                    _ => CloseCause::Left(Sign::Gone),
                };
                self.lose(now, key, cause, wide);
            }
        }
    }

    pub(super) fn handle_ended(&mut self, now: Instant, key: ChannelKey, ended: Ended, wide: &mut HostWide) {
        if let Some(channel) = self.attachment(key).and_then(Attachment::channel_mut) {
            watch::note_ended(now, channel, &ended);
        }
        match ended {
            Ended::Peer { code: codes::CHANNEL_ENDS, .. } => self.lose(now, key, CloseCause::Replaced, wide),
            Ended::Peer { code, reason } => self.end(now, CloseCause::Peer { code, reason }, wide),
            Ended::Idle => self.lose(now, key, CloseCause::Idle, wide),
            Ended::Unacknowledged => self.lose(now, key, CloseCause::Unacknowledged, wide),
            // Nothing more can be sealed, so there is no farewell.
            Ended::KeysUsedUp => self.lose(now, key, CloseCause::KeysUsedUp, wide),
            Ended::Violation(violation) => self.reject(now, violation, wide),
        }
    }

    /// Ends the connection for what the peer said, or for what this end's protocol made of it.
    pub(crate) fn reject(&mut self, now: Instant, violation: Violation, wide: &mut HostWide) {
        let (code, reason) = (violation.code, violation.reason);
        let cause = self.semantics.fault().map_or(CloseCause::Violation(violation), CloseCause::ProtocolFailed);
        self.close(now, code, reason, cause, wide);
    }

    /// Whether what the connection speaks has failed, and it is to end for that now. Of a peer that has not been heard
    /// of again it ends then: before, it could not read why.
    #[inline]
    pub(super) fn has_failed(&self) -> bool {
        self.semantics.fault().is_some() && self.is_to_fail()
    }

    #[cold]
    fn is_to_fail(&self) -> bool {
        match self.life {
            Life::Beginning => self.session.is_none() && self.attachments.iter().any(Attachment::is_dialing),
            Life::Attached | Life::Detached { .. } => true,
            Life::Finished => false,
        }
    }

    /// Ends the connection, which [has failed](Connection::has_failed).
    #[cold]
    pub(super) fn end_failed(&mut self, now: Instant, wide: &mut HostWide) {
        let Some(fault) = self.semantics.fault() else { return };
        match self.attachments.iter().find(|it| it.is_dialing() && self.session.is_none()).map(|it| it.key) {
            Some(key) => self.handle_dial_failed(now, key, ConnectError::ProtocolFailed(fault), wide),
            None => self.reject(now, fault.violation(), wide),
        }
    }

    /// A channel is gone, without a farewell. The streams stay.
    pub(super) fn lose(&mut self, now: Instant, key: ChannelKey, cause: CloseCause, wide: &mut HostWide) {
        let Some(attachment) = self.attachment(key) else { return };
        let (was_up, was_helped) = (attachment.is_confirmed(), attachment.is_helped());
        let unproven = attachment.link().is_some_and(|link| !link.section.path().is_proven());
        // One that had given way is gone for what it gave way for, whichever side ends it first.
        attachment.drain(now, wide);
        let retired = self.cause_of_retired(now, key);
        if was_helped && retired.is_none() && !matches!(cause, CloseCause::Idle | CloseCause::Replaced) {
            self.note_helpers_left(now, key, false);
        }
        let cause = retired.unwrap_or(cause);
        self.detached(now, key, was_up, cause, wide);
        // Somebody has moved, and the other may not know where to: however little there is to say, this end asks.
        if unproven && was_up && !self.has_good_channel() {
            self.want_channel(now);
        }
    }

    /// A channel is given up: what was on its way counts as lost, and if it was the last the connection waits for
    /// another.
    pub(super) fn detached(
        &mut self,
        now: Instant,
        key: ChannelKey,
        was_up: bool,
        cause: CloseCause,
        wide: &mut HostWide,
    ) {
        self.semantics.handle_detach(now, key);
        let spare = self.attachment(key).is_some_and(|it| it.standing == Standing::StandsBy);
        if spare {
            self.note_no_alternative(now);
        }
        if was_up && !spare {
            if !self.attachments.iter().any(|it| it.key != key && it.carries()) {
                self.note_path_lost(None, false);
            }
            self.push_event(EventKind::PathLost { path: PathId(key.0), cause: cause.clone() });
        }
        match self.life {
            Life::Beginning if !self.attachments.iter().any(Attachment::is_live) => self.end(now, cause, wide),
            Life::Attached if self.is_confirmed() => {
                self.fall_back(now);
                if !self.has_good_channel() {
                    self.want_channel(now);
                }
            }
            Life::Attached => {
                match cause {
                    // A quiet end needs no haste: a side that has something to say will ask.
                    CloseCause::Idle | CloseCause::Replaced => {}
                    CloseCause::Local => self.reach.satisfied(),
                    _ => self.want_channel(now),
                }
                self.life = Life::Detached { since: now, cause: Box::new(cause) };
                self.push_event(EventKind::Away);
            }
            Life::Beginning | Life::Detached { .. } | Life::Finished => {}
        }
    }

    /// The other end of a channel, or the application here, never answered: it is cleared away, and nothing was
    /// promised to anybody.
    pub(super) fn handle_unanswered(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        self.detached(now, key, false, CloseCause::NotConnected(ConnectError::TimedOut), wide);
    }

    /// A half-open channel gives way to another peer.
    pub(crate) fn forsake(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
        if let Some(attachment) = self.attachment(key).filter(|it| it.is_half_open()) {
            attachment.forget(wide);
            self.handle_unanswered(now, key, wide);
        }
    }

    /// Remembers no channel any longer, now that all is over.
    pub(crate) fn forget_channels(&mut self, wide: &mut HostWide) {
        self.attachments.iter_mut().for_each(|attachment| attachment.forget(wide));
    }

    /// The connection is over, without a farewell.
    pub(super) fn end(&mut self, now: Instant, cause: CloseCause, wide: &mut HostWide) {
        self.attachments.iter_mut().for_each(|attachment| attachment.drain(now, wide));
        self.tell_closed(cause);
    }

    /// Gives up one channel, or all of them, at the application's wish, and tells the peer. The streams stay.
    pub(crate) fn detach(&mut self, now: Instant, only: Option<ChannelKey>, wide: &mut HostWide) {
        if matches!(self.life, Life::Beginning) {
            return;
        }
        let keys: Vec<ChannelKey> = self.attachments.iter().map(|attachment| attachment.key).collect();
        for key in keys.into_iter().filter(|key| only.is_none_or(|only| only == *key)) {
            let Some(attachment) = self.attachment(key) else { continue };
            let was_up = attachment.is_confirmed();
            attachment.close(now, codes::CHANNEL_ENDS, "", wide);
            self.detached(now, key, was_up, CloseCause::Local, wide);
        }
    }

    /// Ends the connection from this side.
    pub(crate) fn close(&mut self, now: Instant, code: u64, reason: &str, cause: CloseCause, wide: &mut HostWide) {
        if matches!(self.life, Life::Finished) {
            return;
        }
        self.close_channels(now, code, reason, wide);
        self.tell_closed(cause);
    }

    /// Tells the peer that this is the session's last word.
    fn close_channels(&mut self, now: Instant, code: u64, reason: &str, wide: &mut HostWide) {
        // It must not be taken for the end of one channel.
        let code = code.min(codes::CHANNEL_ENDS - 1);
        self.attachments.iter_mut().for_each(|attachment| attachment.close(now, code, reason, wide));
    }
}
