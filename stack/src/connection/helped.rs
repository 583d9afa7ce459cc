//! What a connection does about its helped paths: shows them to [`Helping`](crate::helped::Helping), leaves them, tries
//! them again, and takes them along when this host moves (docs/splitting.md).

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{ChannelKey, Eid, Instant, PathCondition, Protocol};
use tng_crypto::Secret32;
use tng_endpoint::is_carried;
use tng_flow::wire::Refusal;
use tng_isolation::wire::Purpose;

use super::{Connection, Life};
use crate::attachment::{Attachment, State};
use crate::dial::{JOIN_REPEAT_MIN, REPEAT_FIRST, REPEAT_MIN, REPEAT_PTOS};
use crate::helped::{
    Alternative, Bidding, Channels, Helping, Leaves, QUIET_LEFT, Standing, Verdict, Wanted, WayWanted,
};
use crate::host_wide::{Flows, HostWide};
use crate::{CloseCause, EventKind, HelpersInPath, PathId, Sign, Via};

impl Connection {
    fn key_where(&self, is: impl Fn(&Attachment) -> bool) -> Option<ChannelKey> {
        self.attachments.iter().find(|it| is(it)).map(|it| it.key)
    }

    /// Whether a channel through helpers carries the streams.
    pub(super) fn is_carried_by_helpers(&self) -> bool {
        self.attachments.iter().any(|it| it.is_helped() && it.carries())
    }

    /// A direct exchange of ours has brought a channel: helpers in its path may offer themselves now, unless the
    /// application has named others.
    pub(crate) fn listen_for_offers(&mut self, now: Instant, key: ChannelKey, init: Secret32, wide: &HostWide) {
        let Some(link) = self.attachment(key).and_then(|it| it.link()).filter(|link| !link.is_helped()) else { return };
        let (peer, rtt) = (link.section.path().remote, link.stats(&wide.flows).rtt);
        // Inside a carrier nobody sees an INIT pass but who breaks it open.
        if is_carried(peer.ip()) {
            return;
        }
        let named = self.reach.is_helped() && !self.reach.is_offered();
        if wide.config.in_path != HelpersInPath::Forbidden && !named {
            self.bidding = Some(Box::new(Bidding::new(now, (key, peer), init, rtt, wide.config.judge)));
        }
    }

    /// Takes up the offers that have been collected, if it is time: the way leads through those helpers.
    fn take_offers(&mut self, now: Instant) {
        let due = |bidding: &mut Box<Bidding>| bidding.due().is_some_and(|at| at <= now);
        let Some(bidding) = self.bidding.take_if(due) else { return };
        let (offered, judge) = bidding.into_offered();
        if !self.is_carried_by_helpers() {
            self.reach.offer(offered);
            self.helping.get_or_insert_with(|| Box::new(Helping::new(judge, false))).note_offered();
            return;
        }
        // What stands by has passed them, too: what they granted is good for longer.
        for Via { eid, stop, .. } in offered {
            let Some(at) = self.reach.renew(eid, &stop.capability) else { continue };
            for attachment in &mut self.attachments {
                if let State::Open(open) = &mut attachment.state {
                    open.link.renew(at, &stop.capability);
                }
            }
        }
    }

    /// One of the helpers that were asked has declined. Of several that offered themselves the nearest may help without
    /// the others.
    pub(crate) fn note_declined(&mut self, helpers: Vec<Eid>, refusal: Refusal) {
        if self.reach.shorten()
            && let Some(helping) = &mut self.helping
        {
            helping.ask_others();
        } else if matches!(refusal, Refusal::UnknownCapability | Refusal::Expired)
            && let Some(helping) = &mut self.helping
        {
            helping.note_capability_declined();
        }
        self.push_event(EventKind::Declined { helpers, refusal });
    }

    /// A channel through helpers carries the streams from now on.
    pub(super) fn note_helped(&mut self, now: Instant) {
        if let Some(helping) = &mut self.helping {
            helping.note_helped(now);
        }
    }

    /// A direct channel carries the streams from now on.
    pub(super) fn note_direct(&mut self, now: Instant) {
        let carried = self.is_carried_by_helpers();
        if let Some(helping) = self.helping.as_mut().filter(|_| !carried) {
            helping.note_direct(now);
        }
    }

    /// The alternative is gone, or could not be had.
    pub(super) fn note_no_alternative(&mut self, now: Instant) {
        if let Some(helping) = &mut self.helping {
            helping.note_no_alternative(now);
        }
    }

    /// The first INIT for a channel was answered: if it stands by, its path was never out of order.
    pub(crate) fn note_answered_at_once(&mut self, key: ChannelKey) {
        if self.attachment(key).is_some_and(|it| it.stands_by())
            && let Some(helping) = &mut self.helping
        {
            helping.note_good_alternative();
        }
    }

    /// Looks at the helped path, after everything that may have changed it.
    pub(super) fn judge(&mut self, now: Instant, wide: &mut HostWide) {
        let Some(config) = wide.config.judge else { return };
        let Some(judged) = self.attachments.iter().find(|it| it.is_helped() && it.carries()) else {
            if let Some(helping) = &mut self.helping {
                helping.note_none();
            }
            return;
        };
        let key = judged.key;
        let Some(helped) = judged.link().and_then(|link| link.helped(now, &wide.flows)) else { return };
        let spare = self.attachments.iter().find(|it| it.stands_by());
        let sampled = spare.and_then(|it| Some((it.key, it.link()?.alternative(&wide.flows))));
        let helping = self.helping.get_or_insert_with(|| Box::new(Helping::new(Some(config), false)));
        helping.judge_by(config);
        match helping.look(now, key, &helped, sampled.as_ref().map(|(_, alternative)| alternative)) {
            Verdict::Stay => {}
            Verdict::Leave(sign) => self.leave(now, key, sign, wide),
            Verdict::Ask => {
                if let Some((spare, Alternative { waiting_since: None, .. })) = sampled
                    && let Some(Attachment { state: State::Open(open), .. }) = self.attachment(spare)
                {
                    open.link.section.ask_whether_there(now);
                }
            }
        }
    }

    /// Leaves the helped path for the one that stands by.
    fn leave(&mut self, now: Instant, key: ChannelKey, sign: Sign, wide: &mut HostWide) {
        let Some(spare) = self.key_where(Attachment::stands_by) else { return };
        self.promote(now, spare, true);
        let how = if matches!(sign, Sign::Delay | Sign::Loss) { Leaves::Drained } else { Leaves::AtOnce };
        self.give_way(now, key, how, CloseCause::Left(sign), wide);
    }

    /// A channel that has stood by carries the streams from now on; `say` tells whether the peer is to know.
    fn promote(&mut self, now: Instant, key: ChannelKey, say: bool) {
        let Some((attachment, semantics)) = self.split(key) else { return };
        let State::Open(open) = &mut attachment.state else { return };
        attachment.standing = Standing::Carries;
        if say {
            open.link.section.say_carry();
        }
        let (remote, helped) = (open.link.section.path().remote, !open.link.helpers().is_empty());
        semantics.handle_attach(now, key);
        if open.link.condition() != PathCondition::Good {
            semantics.handle_path(now, key, open.link.condition());
        }
        self.reach.note_seen(remote);
        self.note_direct(now);
        self.note_path_lost(Some(key), !say);
        self.push_event(EventKind::PathAdded { path: PathId(key.0), remote, helped });
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
    pub(super) fn handle_carry(&mut self, now: Instant, key: ChannelKey, wide: &mut HostWide) {
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
            // Why the peer leaves it does not say. What it sends on a path that it leaves for delay or loss still
            // comes.
            let stuck = |it: &Attachment| {
                let over = it.link().and_then(|link| link.over.as_ref());
                over.is_none_or(|it| {
                    let waits = it.channel.waiting_since().is_some_and(|since| since + it.pto() <= now);
                    waits || it.channel.last_received() + QUIET_LEFT.max(it.rtt().smoothed() * 2) <= now
                })
            };
            let how = match self.attachment(other) {
                Some(it) if it.is_good() && !stuck(it) => Leaves::Drained,
                _ => Leaves::AtOnce,
            };
            self.give_way(now, other, how, CloseCause::Replaced, wide);
        }
    }

    /// A helped path serves no more: it did less well than the direct one (`harmed`), or nothing came by it.
    pub(super) fn note_helpers_left(&mut self, now: Instant, key: ChannelKey, harmed: bool) {
        let others = self.is_carried_by_helpers();
        if let Some(helping) = &mut self.helping {
            helping.note_left(now, key, harmed, others);
        }
    }

    /// This host has another address than the `old` one, or one more: helped paths are to lead there, unless they do
    /// not need the old one.
    pub(super) fn note_helped_move(&mut self, old: Option<IpAddr>, new: Option<IpAddr>) {
        let bound = |it: &Attachment| it.link().is_some_and(|link| link.section.path().is_bound_to(old));
        if self.reach.is_offered() {
            // They are where this host was. Others may be where it is: they see the INIT that asks for a direct one.
            self.bidding = None;
            self.reach.forget_offered();
            if let Some(helping) = &mut self.helping {
                helping.forget_way();
            }
            if let Some(new) = new
                && self.is_settled()
                && !self.semantics.is_empty()
            {
                self.reach.note_further(new);
            }
            return;
        }
        if self.attachments.iter().any(|it| it.is_helped() && it.carries() && bound(it))
            && let Some(helping) = &mut self.helping
        {
            helping.note_moved(new);
        }
    }

    /// What there is, for what helpers are wanted for.
    fn channels_for_helpers(&self) -> Channels {
        let replacing =
            |it: &Attachment| it.is_dialing() && it.attach.is_some_and(|attach| attach.purpose == Purpose::Replaces);
        let dialing = self.attachments.iter().any(Attachment::is_dialing);
        Channels {
            helped: self.is_carried_by_helpers(),
            spare: self.attachments.iter().any(Attachment::stands_by),
            replacing: self.attachments.iter().any(replacing),
            at_rest: self.semantics.is_empty() || dialing || !self.is_settled() || !self.has_good_channel(),
        }
    }

    /// The channel to ask for now beside those that there are, if one is wanted: from a further address of this host's,
    /// or for the sake of helpers.
    pub(crate) fn wants_beside(&mut self, now: Instant) -> Option<Wanted> {
        if !self.is_settled() {
            return None;
        }
        self.take_offers(now);
        if let Some(local) = self.reach.take_further() {
            return Some(Wanted { purpose: Purpose::Replaces, way: WayWanted::Direct, local: Some(local) });
        }
        if self.seeks_at().is_some_and(|at| at <= now) {
            self.reach.note_sought(now);
            return Some(Wanted { purpose: Purpose::Replaces, way: WayWanted::Uncarried, local: None });
        }
        if !self.knows_way() {
            return None;
        }
        let channels = self.channels_for_helpers();
        self.helping.as_mut()?.poll_wanted(now, channels)
    }

    /// Whether this end asked for helpers, and knows the way.
    fn knows_way(&self) -> bool {
        self.helping.as_ref().is_some_and(|helping| helping.knows_way())
    }

    /// After how long an INIT for a further channel is repeated first. One that asks helpers to join a flow that goes
    /// on without them is repeated before it can have been answered: for as long as it is on its way, the flow has
    /// less than it could have.
    pub(crate) fn repeat_first(&self, flows: &Flows, way: WayWanted) -> Duration {
        let links = self.attachments.iter().filter(|it| it.is_confirmed()).filter_map(Attachment::link);
        let (known, min) = match way {
            WayWanted::HelpedOnly => (links.map(|link| link.rtt(flows) / 2).min(), JOIN_REPEAT_MIN),
            _ => (links.map(|link| link.pto(flows) * REPEAT_PTOS).min(), REPEAT_MIN),
        };
        known.map_or(REPEAT_FIRST, |known| known.clamp(min, REPEAT_FIRST))
    }

    /// Which way to look for a peer that has no good channel.
    pub(crate) fn way_back(&mut self, now: Instant) -> WayWanted {
        // Helpers in the path offer themselves again, if they are still in it.
        if self.reach.is_offered() {
            return WayWanted::Direct;
        }
        let is_helped = self.attachments.iter().any(Attachment::is_helped);
        self.helping.as_mut().map_or(WayWanted::Direct, |helping| helping.way_back(now, is_helped))
    }

    /// When to look at helped paths, at channels that have given way, and for others.
    pub(super) fn helping_timeout(&self, flows: &Flows) -> Option<Instant> {
        let offered = self.bidding.as_ref().and_then(|bidding| bidding.due()).filter(|_| self.is_settled());
        let retiring = self.retiring_timeout(flows).into_iter().chain(offered).min();
        let Some(helping) = &self.helping else { return retiring };
        let wanted = helping.knows_way().then(|| helping.wanted_at(self.channels_for_helpers())).flatten();
        retiring.into_iter().chain(helping.look_at()).chain(wanted.map(|(at, _)| at)).min()
    }
}
