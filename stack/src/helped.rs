//! Helped paths: the channel above their sections, how they are judged, left and tried again, and how channels give way
//! (docs/splitting.md).
//!
//! Values all: a connection shows them what its channels do, and does what they answer.

mod bidding;
mod judge;
mod opening;
mod over;
mod standing;

pub(crate) use bidding::Bidding;
pub use bidding::{OFFERS_COLLECTED_MAX, OFFERS_COLLECTED_MIN, OFFERS_FOR, OFFERS_MAX, OFFERS_TRIED_MAX};
pub(crate) use judge::{Alternative, Helped, Verdict};
pub use judge::{
    BAD_PERIODS, BLOCKED_FOR, DELAY_MORE, DELAY_PERIOD, DELAY_SAMPLES, DOUBTED_EVERY, LOSS_ASSUMED_OVER,
    LOSS_PERCENT_ASSUMED, LOSS_PERCENT_BORNE, LOSS_PERCENT_LEFT, LOSS_SCORE, LOSS_SCORE_ROUND, LOSS_TIMES,
    PathMonitorConfig, QUIET_LEFT, RETURN_FIRST, RETURN_MAX, RETURN_SOON, SAMPLED_EVERY, SILENT_BY_CHANCE, SILENT_PTOS,
    SILENT_TRIALS_FEW, SILENT_TRIALS_MAX, SILENT_TRIALS_MIN, STANDS_BY_AFTER, TRIAL_APART,
};
pub use over::{CARRIED_MAX, GUARD_FLOOR, HELPED_IDLE_TIMES, HELPED_STALLED_PROBES};
pub(crate) use over::{Carried, EndToEndChannel, Joining, THIN_ACKS};
pub use standing::{CARRIED_RETIRES_MAX, RETIRES_MAX};
pub(crate) use standing::{Filling, Leaves, Overlap, Retires, Share, Standing};

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{ChannelKey, Instant};
use tng_isolation::wire::Purpose;

use self::judge::{PathMonitor, Return};
use self::opening::Opening;
use crate::gap::Gap;

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
    /// By no carrier: through helpers if a carrier leads to them, otherwise direct.
    Uncarried,
    /// Through helpers, or direct if they do not help.
    Helped,
    /// Through helpers or not at all.
    HelpedOnly,
}

/// What a connection has, as far as it matters to helpers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Channels {
    /// One through helpers carries the streams.
    pub helped: bool,
    /// One stands by.
    pub spare: bool,
    /// One is being asked for that is to replace the others.
    pub replacing: bool,
    /// Nothing is open, or no channel is in good order, or one is being asked for.
    pub at_rest: bool,
}

/// What a connection knows of the helpers on its way.
#[derive(Debug)]
pub(crate) struct Helping {
    config: Option<PathMonitorConfig>,
    /// This end asked for the helpers, and knows the way: it sets up alternatives, and tries helpers again.
    knows_way: bool,
    /// Judges the channel that carries the streams, if it is helped.
    judge: Option<(ChannelKey, Box<PathMonitor>)>,
    /// When to set up an alternative.
    stand_by_at: Option<Instant>,
    /// The helpers are there only to reach the peer: they are left for a direct way as soon as there is one.
    opening: Option<Opening>,
    returns: Return,
    /// This host has another address, and its helped path does not lead there yet.
    moved_to: Option<Option<IpAddr>>,
    shown: Shown,
    /// Helpers were asked for the channel that is to carry the streams, and nothing has come of it yet.
    asked: bool,
    /// How long nothing came when a path was lost, whatever path that was.
    pub(crate) gap: Gap,
}

/// What helpers have made of the capabilities that they were shown last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    /// Nothing is said against them.
    Good,
    /// One of them is good no more.
    Declined,
    /// There is another in its place, which was not shown yet.
    Renewed,
}

impl Helping {
    pub(crate) fn new(config: Option<PathMonitorConfig>, knows_way: bool) -> Helping {
        let returns = Return::new(&config.unwrap_or_default());
        Helping {
            config,
            knows_way,
            judge: None,
            stand_by_at: None,
            opening: None,
            returns,
            moved_to: None,
            shown: Shown::Good,
            asked: knows_way,
            gap: Gap::default(),
        }
    }

    /// What this end knows that asks for helpers.
    pub(crate) fn asked(config: Option<PathMonitorConfig>, only_to_reach: bool) -> Helping {
        let helping = Helping::new(config, true);
        if only_to_reach { helping.only_to_reach() } else { helping }
    }

    /// The helpers are there only to reach the peer.
    pub(crate) fn only_to_reach(self) -> Helping {
        Helping { opening: Some(Opening::new()), ..self }
    }

    /// The direct way that is to take their place, if they are there only to reach the peer.
    pub(crate) fn opening(&self) -> Option<&Opening> {
        self.opening.as_ref()
    }

    /// The direct way was asked for in vain, and that is meant or not. Answers whether it is for that way that they are
    /// there.
    pub(crate) fn note_not_opened(&mut self, now: Instant, is_meant: bool) -> bool {
        self.opening.as_mut().map(|opening| opening.note_failed(now, is_meant)).is_some()
    }

    /// There is a reason to believe that a direct way opens now; `learned` tells whether the peer was heard of where
    /// nobody had said that it is.
    pub(crate) fn note_chance(&mut self, now: Instant, learned: bool) {
        if let Some(opening) = &mut self.opening {
            opening.note_chance(now, learned);
        }
    }

    /// Helped paths are judged like this, if nothing was said.
    pub(crate) fn judge_by(&mut self, config: PathMonitorConfig) {
        self.config.get_or_insert(config);
    }

    /// A channel through helpers carries the streams from now on.
    pub(crate) fn note_helped(&mut self, now: Instant) {
        (self.moved_to, self.judge, self.asked) = (None, None, false);
        if let Some(opening) = &mut self.opening {
            return opening.note_helped(now);
        }
        if let (Some(config), true) = (self.config, self.knows_way) {
            self.stand_by_at = Some(now + config.stands_by_after);
        }
    }

    /// A direct channel carries the streams from now on, and none through helpers does: there is a time at which they
    /// are asked, again if they were asked for this.
    pub(crate) fn note_direct(&mut self, now: Instant) {
        let asked = core::mem::take(&mut self.asked);
        if let Some(opening) = &mut self.opening {
            return opening.note_direct(now);
        }
        if self.knows_way && (asked || self.returns.at().is_none()) {
            self.returns.note_left(now, Duration::ZERO, asked);
        }
    }

    /// An alternative is there whose path was never out of order.
    pub(crate) fn note_good_alternative(&mut self) {
        if let Some((_, judge)) = &mut self.judge {
            judge.note_good_alternative();
        }
    }

    /// The alternative is gone, or could not be had.
    pub(crate) fn note_no_alternative(&mut self, now: Instant) {
        if let (Some(config), true) = (self.config, self.knows_way) {
            self.stand_by_at = Some(now + config.return_first);
        }
    }

    /// A helper has declined a capability.
    pub(crate) fn note_capability_declined(&mut self) {
        self.shown = Shown::Declined;
    }

    /// There is a fresh capability: if it was missing, helpers are asked again as soon as there is something to send.
    pub(crate) fn note_renewed(&mut self) {
        if self.shown == Shown::Declined {
            self.shown = Shown::Renewed;
        }
    }

    /// Helpers in the path have offered themselves: they are asked as soon as there is something to send, unless this
    /// end has left them and tries them later.
    pub(crate) fn note_offered(&mut self) {
        if core::mem::replace(&mut self.knows_way, true) {
            self.note_renewed();
        } else {
            self.shown = Shown::Renewed;
        }
    }

    /// Others are asked in the place of those that declined, at once.
    pub(crate) fn ask_others(&mut self) {
        self.shown = Shown::Renewed;
    }

    /// There are no helpers to ask any more.
    pub(crate) fn forget_way(&mut self) {
        (self.knows_way, self.stand_by_at, self.moved_to) = (false, None, None);
    }

    /// Whether this end asked for the helpers, and knows the way.
    pub(crate) fn knows_way(&self) -> bool {
        self.knows_way
    }

    /// No channel through helpers carries the streams.
    pub(crate) fn note_none(&mut self) {
        self.judge = None;
    }

    /// Looks at the helped path that carries the streams, after everything that may have changed it, and at what stands
    /// by, if anything does. An alternative that owes an answer need not be asked again.
    pub(crate) fn look(
        &mut self,
        now: Instant,
        key: ChannelKey,
        helped: &Helped,
        alternative: Option<&Alternative>,
    ) -> Verdict {
        let Some(config) = self.config else { return Verdict::Stay };
        let judge = match &mut self.judge {
            Some((judged, judge)) if *judged == key => judge,
            other => &mut other.insert((key, Box::new(PathMonitor::new(now, &config, helped)))).1,
        };
        let verdict = judge.look(now, helped, alternative);
        if verdict == Verdict::Ask && alternative.is_none() {
            // In doubt there is no time to lose, unless there was none to be had.
            let doubted = helped.waiting_since.is_some_and(|since| since + helped.pto <= now) || helped.held;
            if doubted
                && let Some(at) = &mut self.stand_by_at
                && *at <= now + config.stands_by_after
            {
                *at = now;
            }
        }
        verdict
    }

    /// A helped path serves no more; `harmed` tells whether it did harm, `others` whether another carries the streams.
    pub(crate) fn note_left(&mut self, now: Instant, key: ChannelKey, harmed: bool, others: bool) {
        let judge = self.judge.take_if(|(judged, _)| *judged == key);
        let harmed = harmed || judge.as_ref().is_none_or(|(_, judge)| !judge.has_served());
        let served = judge.map_or(Duration::ZERO, |(_, judge)| now.since(judge.began()));
        if self.knows_way && !others {
            self.returns.note_left(now, served, harmed);
        }
    }

    /// The helped path that was left last, since the peer had left it, has brought nothing since.
    pub(crate) fn note_silent(&mut self, now: Instant) {
        if self.knows_way {
            self.returns.note_unharmed(now);
        }
    }

    /// This host has another address than the one that its helped path is bound to.
    pub(crate) fn note_moved(&mut self, to: Option<IpAddr>) {
        if self.knows_way {
            self.moved_to = Some(to);
        }
    }

    /// The channel to ask for now, if one is wanted for the sake of helpers.
    pub(crate) fn poll_wanted(&mut self, now: Instant, channels: Channels) -> Option<Wanted> {
        if !channels.replacing
            && let Some(local) = self.moved_to.take()
        {
            self.asked = true;
            return Some(Wanted { purpose: Purpose::Replaces, way: WayWanted::Helped, local });
        }
        let wanted = self.wanted_at(channels).filter(|(at, _)| *at <= now)?.1;
        match wanted.purpose {
            Purpose::StandsBy => self.stand_by_at = None,
            _ if self.opening.is_some() => self.opening.iter_mut().for_each(Opening::note_asked),
            _ => {
                self.shown = Shown::Good;
                self.returns.note_tried(now);
            }
        }
        Some(wanted)
    }

    /// When to ask for the next channel for the sake of helpers, and which.
    pub(crate) fn wanted_at(&self, channels: Channels) -> Option<(Instant, Wanted)> {
        if channels.at_rest || !self.knows_way {
            return None;
        }
        let wanted = |purpose, way| Wanted { purpose, way, local: None };
        if let Some(opening) = &self.opening {
            let at = opening.at().filter(|_| channels.helped);
            return at.map(|at| (at, wanted(Purpose::Replaces, WayWanted::Direct)));
        }
        self.config?;
        match channels {
            Channels { helped: true, spare: true, .. } => None,
            Channels { helped: true, .. } => {
                self.stand_by_at.map(|at| (at, wanted(Purpose::StandsBy, WayWanted::Direct)))
            }
            Channels { helped: false, .. } if self.shown == Shown::Renewed => {
                Some((Instant::ZERO, wanted(Purpose::Replaces, WayWanted::HelpedOnly)))
            }
            Channels { helped: false, .. } => {
                self.returns.at().map(|at| (at, wanted(Purpose::Replaces, WayWanted::HelpedOnly)))
            }
        }
    }

    /// Which way to look for a peer that has no good channel. While there is a helped one, others are asked for
    /// directly, unless the helpers are there only to reach the peer: then hardly any other way leads to it.
    pub(crate) fn way_back(&mut self, now: Instant, is_helped: bool) -> WayWanted {
        let permitted = self.opening.is_some() || !is_helped && self.returns.permits(now);
        self.asked = self.knows_way && permitted;
        if self.asked { WayWanted::Helped } else { WayWanted::Direct }
    }

    /// When to look at the helped path again, if nothing happens.
    pub(crate) fn look_at(&self) -> Option<Instant> {
        self.judge.as_ref().and_then(|(_, judge)| judge.look_at())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARRIED: Channels = Channels { helped: true, spare: false, replacing: false, at_rest: false };
    const DIRECT: Channels = Channels { helped: false, ..CARRIED };

    fn at_s(s: u64) -> Instant {
        Instant::from_secs(s)
    }

    fn wanted(purpose: Purpose, way: WayWanted) -> Option<Wanted> {
        Some(Wanted { purpose, way, local: None })
    }

    #[test]
    fn an_alternative_is_wanted_once_when_helpers_have_carried_for_a_second_and_not_while_all_is_at_rest() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        assert_eq!(helping.poll_wanted(at_s(9), CARRIED), None, "nothing has carried yet");
        helping.note_helped(at_s(10));
        assert_eq!(helping.poll_wanted(at_s(10), CARRIED), None);
        assert_eq!(helping.poll_wanted(at_s(11), Channels { at_rest: true, ..CARRIED }), None);
        assert_eq!(helping.poll_wanted(at_s(11), Channels { spare: true, ..CARRIED }), None, "there is one");
        assert_eq!(helping.poll_wanted(at_s(11), CARRIED), wanted(Purpose::StandsBy, WayWanted::Direct));
        assert_eq!(helping.poll_wanted(at_s(99), CARRIED), None);
        helping.note_no_alternative(at_s(100));
        assert_eq!(helping.poll_wanted(at_s(129), CARRIED), None);
        assert_eq!(helping.poll_wanted(at_s(130), CARRIED), wanted(Purpose::StandsBy, WayWanted::Direct));
    }

    #[test]
    fn while_a_helped_channel_is_silent_others_are_asked_directly_but_a_peer_that_only_helpers_reach() {
        let way_back = |mut helping: Helping| [true, false].map(|is_helped| helping.way_back(at_s(0), is_helped));
        let helping = || Helping::new(Some(PathMonitorConfig::default()), true);
        assert_eq!(way_back(helping()), [WayWanted::Direct, WayWanted::Helped]);
        assert_eq!(way_back(helping().only_to_reach()), [WayWanted::Helped; 2]);
    }

    #[test]
    fn helpers_that_were_left_are_asked_again_after_thirty_seconds_and_then_after_twice_as_long() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        assert_eq!(helping.way_back(at_s(0), false), WayWanted::Helped, "nothing speaks against them");
        helping.note_left(at_s(0), ChannelKey(1), true, false);
        assert_eq!(helping.way_back(at_s(1), false), WayWanted::Direct);
        assert_eq!(helping.poll_wanted(at_s(29), DIRECT), None);
        let again = wanted(Purpose::Replaces, WayWanted::HelpedOnly);
        assert_eq!(helping.poll_wanted(at_s(30), DIRECT), again);
        assert_eq!(helping.poll_wanted(at_s(89), DIRECT), None);
        assert_eq!(helping.poll_wanted(at_s(90), DIRECT), again);
    }

    #[test]
    fn a_direct_channel_for_which_no_helper_was_asked_puts_them_off_no_longer_than_they_were() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        let again = wanted(Purpose::Replaces, WayWanted::HelpedOnly);
        helping.note_helped(at_s(0));
        helping.note_direct(at_s(50));
        assert_eq!(helping.poll_wanted(at_s(51), DIRECT), again, "the peer brought it");
        helping.note_helped(at_s(60));
        helping.note_left(at_s(100), ChannelKey(1), false, false);
        assert_eq!(helping.way_back(at_s(100), false), WayWanted::Direct);
        helping.note_direct(at_s(140));
        assert_eq!(helping.poll_wanted(at_s(140), DIRECT), again, "however long the peer took to answer");
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        helping.note_direct(at_s(0));
        assert_eq!(helping.poll_wanted(at_s(29), DIRECT), None, "control: they were asked, and did not help");
        assert_eq!(helping.poll_wanted(at_s(30), DIRECT), again);
    }

    #[test]
    fn helpers_that_declined_a_capability_are_asked_again_with_a_fresh_one_at_once_and_only_once() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        helping.note_renewed();
        helping.note_direct(at_s(0));
        assert_eq!(helping.poll_wanted(at_s(1), DIRECT), None, "control: nobody has declined any");
        helping.note_capability_declined();
        assert_eq!(helping.poll_wanted(at_s(1), DIRECT), None, "there is no other yet");
        helping.note_renewed();
        let again = wanted(Purpose::Replaces, WayWanted::HelpedOnly);
        assert_eq!(helping.poll_wanted(at_s(1), Channels { at_rest: true, ..DIRECT }), None);
        assert_eq!(helping.poll_wanted(at_s(1), DIRECT), again);
        assert_eq!(helping.poll_wanted(at_s(2), DIRECT), None);
    }

    #[test]
    fn a_host_that_moves_wants_its_helped_path_to_lead_there_even_while_nothing_is_open() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true);
        let to = Some(IpAddr::from([192, 0, 2, 7]));
        helping.note_moved(to);
        let at_rest = Channels { at_rest: true, ..CARRIED };
        assert_eq!(helping.poll_wanted(at_s(1), Channels { replacing: true, ..at_rest }), None, "it is asked for");
        let there = Wanted { purpose: Purpose::Replaces, way: WayWanted::Helped, local: to };
        assert_eq!(helping.poll_wanted(at_s(1), at_rest), Some(there));
        assert_eq!(helping.poll_wanted(at_s(1), at_rest), None);
    }

    #[test]
    fn helpers_that_are_there_only_to_reach_the_peer_are_left_for_a_direct_way_and_asked_again_when_it_is_lost() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), true).only_to_reach();
        assert_eq!(helping.poll_wanted(at_s(9), CARRIED), None, "nothing has carried yet");
        helping.note_helped(at_s(10));
        assert_eq!(helping.poll_wanted(at_s(10), Channels { at_rest: true, ..CARRIED }), None);
        let direct = wanted(Purpose::Replaces, WayWanted::Direct);
        assert_eq!(helping.poll_wanted(at_s(10), CARRIED), direct);
        assert_eq!(helping.poll_wanted(at_s(11), CARRIED), None, "once");
        assert!(helping.note_not_opened(at_s(20), true));
        assert_eq!(helping.poll_wanted(at_s(49), CARRIED), None);
        assert_eq!(helping.poll_wanted(at_s(50), CARRIED), direct);
        helping.note_direct(at_s(51));
        helping.note_left(at_s(51), ChannelKey(1), false, false);
        assert_eq!(helping.poll_wanted(at_s(9_999), DIRECT), None, "nobody comes back to them");
        assert_eq!(helping.way_back(at_s(9_999), false), WayWanted::Helped, "but when the direct way is lost");
    }

    #[test]
    fn an_end_that_did_not_ask_for_the_helpers_leaves_all_this_to_the_other() {
        let mut helping = Helping::new(Some(PathMonitorConfig::default()), false);
        helping.note_helped(at_s(0));
        helping.note_no_alternative(at_s(0));
        helping.note_left(at_s(0), ChannelKey(1), true, false);
        helping.note_moved(None);
        for channels in [CARRIED, DIRECT] {
            assert_eq!((helping.poll_wanted(at_s(9_999), channels), helping.wanted_at(channels)), (None, None));
        }
        assert_eq!(helping.way_back(at_s(9_999), false), WayWanted::Direct);
    }
}
