//! Helped paths of a connection: judged, left, tried again, and taken along when this host moves (docs/splitting.md).

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{ChannelKey, Instant, PathCondition, Protocol};
use tng_channel::Channel;
use tng_isolation::wire::Purpose;

use super::retiring::Leaves;
use super::{Connection, Life};
use crate::attachment::{Attachment, Standing, State};
use crate::judge::{Alternative, Helped, Judge, Return, Verdict};
use crate::link::{Flows, Link, Surroundings};
use crate::over::Over;
use crate::{CloseCause, EventKind, HostConfig, JudgeConfig, PathId, Sign};

/// A channel to ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub purpose: Purpose,
    pub way: WayWanted,
    /// The address to send from, if that matters.
    pub local: Option<IpAddr>,
}

/// Which way a channel is to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WayWanted {
    Direct,
    /// Through helpers, or direct if they do not help.
    Helped,
    /// Through helpers or not at all.
    HelpedOnly,
}

/// What a connection knows of the helpers on its way.
#[derive(Debug)]
pub(crate) struct Helping {
    config: Option<JudgeConfig>,
    /// Judges the channel that carries the streams, if it is helped.
    judge: Option<(ChannelKey, Judge)>,
    /// When an alternative is to be set up.
    stand_by_at: Option<Instant>,
    pub returns: Return,
    /// This host has another address, and its helped path does not lead there yet.
    moved_to: Option<Option<IpAddr>>,
}

impl Helping {
    pub(crate) fn new(config: &HostConfig) -> Helping {
        let returns = Return::new(&config.judge.unwrap_or_default());
        Helping { config: config.judge, judge: None, stand_by_at: None, returns, moved_to: None }
    }
}

/// Packets that asked for acknowledgment.
fn asked(channel: &Channel) -> u64 {
    let stats = channel.stats();
    stats.packets_sent - stats.acks_alone
}

fn lost(channel: &Channel) -> u64 {
    let stats = channel.stats();
    stats.lost.saturating_sub(stats.spurious)
}

fn helped(now: Instant, link: &Link, over: &Over, around: &Surroundings<'_>) -> Helped {
    let channel = &over.channel;
    Helped {
        acked: channel.stats().bytes_acked,
        asked: asked(channel),
        outstanding: channel.outstanding(),
        lost: lost(channel),
        rtt: over.rtt().latest(),
        pto: over.pto(),
        waiting_since: channel.waiting_since(),
        held: link.is_held(now, around.flows),
    }
}

fn alternative(link: &Link, around: &Surroundings<'_>) -> Alternative {
    let (channel, regulation) = (&link.section.channel, link.section.regulation(around.flows));
    Alternative {
        answered_at: channel.last_received(),
        waiting_since: channel.waiting_since(),
        pto: channel.pto(Some(regulation)),
        rtt: regulation.rtt().smoothed(),
        asked: asked(channel),
        lost: lost(channel),
    }
}

impl Connection {
    fn key_where(&self, is: impl Fn(&Attachment) -> bool) -> Option<ChannelKey> {
        self.attachments.iter().find(|it| is(it)).map(|it| it.key)
    }

    fn is_busy_dialing(&self) -> bool {
        self.attachments.iter().any(Attachment::is_dialing)
    }

    /// This host asked for the helpers, and knows the way.
    fn knows_helpers(&self) -> bool {
        self.reach.is_helped()
    }

    /// A channel through helpers carries the streams from now on.
    pub(super) fn note_helped(&mut self, now: Instant, key: ChannelKey) {
        self.helping.moved_to = None;
        self.helping.judge = None;
        if let (Some(config), true) = (self.helping.config, self.knows_helpers()) {
            self.helping.stand_by_at = Some(now + config.stands_by_after);
        }
        debug_assert!(self.attachment(key).is_some_and(|it| it.is_helped()));
    }

    /// A direct channel carries the streams from now on, whatever was asked for.
    pub(super) fn note_direct(&mut self, now: Instant) {
        let helped = self.attachments.iter().any(|it| it.is_helped() && it.carries());
        if self.knows_helpers() && !helped && self.helping.returns.permits(now) {
            self.helping.returns.note_left(now, Duration::ZERO);
        }
    }

    /// The first INIT for a channel was answered: if it stands by, its path was never out of order.
    pub(crate) fn note_answered_at_once(&mut self, key: ChannelKey) {
        if self.attachment(key).is_some_and(|it| it.stands_by())
            && let Some((_, judge)) = &mut self.helping.judge
        {
            judge.note_good_alternative();
        }
    }

    /// The alternative is gone, or could not be had.
    pub(super) fn note_no_alternative(&mut self, now: Instant) {
        if let (Some(config), true) = (self.helping.config, self.knows_helpers()) {
            self.helping.stand_by_at = Some(now + config.return_first);
        }
    }

    /// Looks at the helped path, after everything that may have changed it.
    pub(super) fn judge(&mut self, now: Instant, around: &mut Surroundings<'_>) {
        let Some(config) = self.helping.config else { return };
        let Some(key) = self.key_where(|it| it.is_helped() && it.carries()) else {
            self.helping.judge = None;
            return;
        };
        let spare = self.attachments.iter().find(|it| it.stands_by());
        let sampled = spare.and_then(|it| Some((it.key, alternative(it.link()?, around))));
        let Some(link) = self.attachments.iter().find(|it| it.key == key).and_then(Attachment::link) else { return };
        let Some(over) = &link.over else { return };
        let look = helped(now, link, over, around);
        let judge = match &mut self.helping.judge {
            Some((judged, judge)) if *judged == key => judge,
            other => &mut other.insert((key, Judge::new(now, &config, &look))).1,
        };
        match judge.look(now, &look, sampled.as_ref().map(|(_, alternative)| alternative)) {
            Verdict::Stay => {}
            Verdict::Leave(sign) => self.leave(now, key, sign, around),
            Verdict::Ask => match sampled {
                Some((_, Alternative { waiting_since: Some(_), .. })) => {}
                Some((spare, _)) => {
                    if let Some(Attachment { state: State::Open(open), .. }) = self.attachment(spare) {
                        open.link.section.ask_whether_there(now);
                    }
                }
                None => {
                    // In doubt there is no time to lose, unless there was none to be had.
                    let doubted = look.waiting_since.is_some_and(|since| since + look.pto <= now) || look.held;
                    if doubted
                        && let Some(at) = &mut self.helping.stand_by_at
                        && *at <= now + config.stands_by_after
                    {
                        *at = now;
                    }
                }
            },
        }
    }

    /// Leaves the helped path for the one that stands by.
    fn leave(&mut self, now: Instant, key: ChannelKey, sign: Sign, around: &mut Surroundings<'_>) {
        let Some(spare) = self.key_where(Attachment::stands_by) else { return };
        self.promote(now, spare, true);
        let how = if matches!(sign, Sign::Delay | Sign::Loss) { Leaves::Drained } else { Leaves::AtOnce };
        self.give_way(now, key, how, CloseCause::Left(sign), around);
    }

    /// A channel that has stood by carries the streams from now on; `say` tells whether the peer is to know.
    fn promote(&mut self, now: Instant, key: ChannelKey, say: bool) {
        let Some((attachment, semantics)) = self.split(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        attachment.standing = Standing::Carries;
        if say {
            open.link.section.say_carry();
        }
        let remote = open.link.section.path().remote;
        semantics.handle_attach(now, key);
        if open.link.condition() != PathCondition::Good {
            semantics.handle_path(now, key, open.link.condition());
        }
        self.reach.note_seen(remote);
        self.push_event(EventKind::PathAdded { path: PathId(key.0), remote });
        if matches!(core::mem::replace(&mut self.life, Life::Attached), Life::Detached { .. }) {
            self.push_event(EventKind::Back);
        }
        self.reach.satisfied();
    }

    /// If nothing carries the streams any more, what stands by does.
    pub(super) fn fall_back(&mut self, now: Instant) {
        if self.attachments.iter().all(|it| !it.carries())
            && let Some(spare) = self.key_where(Attachment::stands_by)
        {
            self.promote(now, spare, true);
        }
    }

    /// The peer says that the channel, which has stood by, carries the streams from now on.
    pub(super) fn handle_carry(&mut self, now: Instant, key: ChannelKey, around: &mut Surroundings<'_>) {
        if self.attachment(key).is_some_and(|it| it.stands_by()) {
            self.promote(now, key, false);
        }
        let others: Vec<ChannelKey> = self
            .attachments
            .iter()
            .filter(|it| it.key != key && it.carries() && it.is_helped())
            .map(|it| it.key)
            .collect();
        for other in others {
            let stuck = |it: &Attachment| {
                let over = it.link().and_then(|link| link.over.as_ref());
                over.is_none_or(|it| it.channel.waiting_since().is_some_and(|since| since + it.pto() <= now))
            };
            let how = match self.attachment(other) {
                Some(it) if it.is_good() && !stuck(it) => Leaves::Drained,
                _ => Leaves::AtOnce,
            };
            self.give_way(now, other, how, CloseCause::Replaced, around);
        }
    }

    /// A helped path serves no more.
    pub(super) fn note_helpers_left(&mut self, now: Instant, key: ChannelKey) {
        let judge = self.helping.judge.take_if(|(judged, _)| *judged == key);
        let served = judge.map_or(Duration::ZERO, |(_, judge)| now.since(judge.began()));
        if self.knows_helpers() && !self.attachments.iter().any(|it| it.is_helped() && it.carries()) {
            self.helping.returns.note_left(now, served);
        }
    }

    /// This host has another address than the `old` one, or one more: helped paths are to lead there, unless they do
    /// not need the old one.
    pub(super) fn note_helped_move(&mut self, old: Option<IpAddr>, new: Option<IpAddr>) {
        let bound = |it: &Attachment| it.link().is_some_and(|link| link.section.path().is_bound_to(old));
        if self.knows_helpers() && self.attachments.iter().any(|it| it.is_helped() && it.carries() && bound(it)) {
            self.helping.moved_to = Some(new);
        }
    }

    /// The channel to ask for now, if one is wanted for the sake of helpers.
    pub(crate) fn wants_for_helpers(&mut self, now: Instant) -> Option<Wanted> {
        if !self.knows_helpers() || !self.is_settled() {
            return None;
        }
        let replacing =
            |it: &Attachment| it.is_dialing() && it.attach.is_some_and(|attach| attach.purpose == Purpose::Replaces);
        if !self.attachments.iter().any(replacing)
            && let Some(local) = self.helping.moved_to.take()
        {
            return Some(Wanted { purpose: Purpose::Replaces, way: WayWanted::Helped, local });
        }
        let wanted = self.helpers_at().filter(|(at, _)| *at <= now)?.1;
        match wanted.purpose {
            Purpose::StandsBy => self.helping.stand_by_at = None,
            _ => self.helping.returns.note_tried(now),
        }
        Some(wanted)
    }

    /// When to ask for the next channel for the sake of helpers, and which.
    fn helpers_at(&self) -> Option<(Instant, Wanted)> {
        if !self.knows_helpers() || self.helping.config.is_none() {
            return None;
        }
        let wanted = |purpose, way| Wanted { purpose, way, local: None };
        let idle = self.semantics.is_empty() || self.is_busy_dialing();
        if idle || !self.is_settled() || !self.has_good_channel() {
            return None;
        }
        let helped = self.attachments.iter().any(|it| it.is_helped() && it.carries());
        match helped {
            true if self.attachments.iter().any(Attachment::stands_by) => None,
            true => self.helping.stand_by_at.map(|at| (at, wanted(Purpose::StandsBy, WayWanted::Direct))),
            false => self.helping.returns.at().map(|at| (at, wanted(Purpose::Replaces, WayWanted::HelpedOnly))),
        }
    }

    /// Which way to look for a peer that has no good channel.
    pub(crate) fn way_back(&self, now: Instant) -> WayWanted {
        let helped = self.attachments.iter().any(Attachment::is_helped);
        match !helped && self.knows_helpers() && self.helping.returns.permits(now) {
            true => WayWanted::Helped,
            false => WayWanted::Direct,
        }
    }

    /// When to look at helped paths, at channels that have given way, and for others.
    pub(super) fn helping_timeout(&self, flows: &Flows) -> Option<Instant> {
        let look = self.helping.judge.as_ref().and_then(|(_, judge)| judge.look_at());
        self.retiring_timeout(flows).into_iter().chain(look).chain(self.helpers_at().map(|(at, _)| at)).min()
    }
}
