//! A channel in use, as the host sees it.

use core::time::Duration;

use crate::semantics::Semantics;
use tng_base::{Eid, Instant, PathCondition, Transmit};
use tng_channel::Channel;
use tng_flow::{Arrival, Capability, Ended, Origin, Section};
use tng_isolation::Cipher;

use crate::ConnectionStats;
use crate::codes::NO_ERROR;
use crate::helped::{Alternative, Carried, EndToEndChannel, Filling, HELPED_IDLE_TIMES, HELPED_STALLED_PROBES, Helped};
use crate::host_wide::{Flows, HostWide, section_settings};
use crate::names::Owner;

/// After so long a silence a link without streams rests: it keeps nothing that can be made anew at the next packet.
pub const RESTS_AFTER: Duration = Duration::from_millis(50);

/// Why a link ends.
#[derive(Debug)]
pub(crate) enum Severed {
    /// The channel between the two ends has ended.
    EndToEnd(Ended),
    /// The section with the first neighbour of a helped path has: the two ends have had no part in it.
    Section(Ended),
}

/// A channel in use: direct, one armored section; or helped, a channel above the section with the first helper.
#[derive(Debug)]
pub(crate) struct Link {
    pub section: Section<Owner>,
    /// The end-to-end channel of a helped path.
    pub over: Option<Box<EndToEndChannel>>,
    /// The condition of a helped path, to be told.
    condition: Option<PathCondition>,
    pub cipher: Cipher,
    /// Since when it has been awake; `None` while it rests.
    awake_since: Option<Instant>,
}

/// Calls `f` with what stands above the section.
macro_rules! above {
    ($over:expr, $semantics:expr, |$above:ident| $call:expr) => {
        match $over {
            None => {
                let $above = $semantics;
                $call
            }
            Some(over) => {
                let $above = &mut Carried { over, semantics: $semantics };
                $call
            }
        }
    };
}

impl Link {
    pub(crate) fn new(
        now: Instant,
        mut section: Section<Owner>,
        over: Option<EndToEndChannel>,
        cipher: Cipher,
    ) -> Link {
        if over.is_some() {
            section.channel.set_stalled_probes(HELPED_STALLED_PROBES);
        }
        Link { section, over: over.map(Box::new), condition: None, cipher, awake_since: Some(now) }
    }

    /// When it rests, if nothing happens until then.
    pub(crate) fn rests_at(&self) -> Option<Instant> {
        let since = self.awake_since?;
        let at_rest = self.section.channel.is_at_rest() && self.channel().is_at_rest();
        at_rest.then(|| since.max(self.section.quiet_since()) + RESTS_AFTER)
    }

    /// Rests, if it is time; answers whether.
    pub(crate) fn shrink(&mut self, now: Instant) -> bool {
        let rests = self.rests_at().is_some_and(|at| at <= now);
        if rests {
            self.awake_since = None;
            self.section.channel.shrink();
            self.channel_mut().shrink();
        }
        rests
    }

    /// It is closed: nothing is sealed or opened any more.
    pub(crate) fn rest_keys(&mut self) {
        self.section.channel.rest_keys();
        self.channel_mut().rest_keys();
    }

    /// Whether it leads through helpers.
    pub(crate) fn is_helped(&self) -> bool {
        self.over.is_some()
    }

    /// The helpers that it leads through, in order.
    pub(crate) fn helpers(&self) -> &[Eid] {
        self.over.as_ref().map_or(&[], |over| over.helpers())
    }

    /// Whether it is not in doubt where it leads.
    pub(crate) fn is_there(&self) -> bool {
        self.is_helped() || self.section.path().is_proven()
    }

    /// Whether the other end has been heard of on it. A helper is not the other end.
    pub(crate) fn is_heard(&self) -> bool {
        self.over.as_ref().is_none_or(|over| over.channel.stats().packets_received > 0)
    }

    /// The channel between the two ends.
    pub(crate) fn channel(&self) -> &Channel {
        self.over.as_ref().map_or(&self.section.channel, |over| &over.channel)
    }

    /// The same, to change.
    pub(crate) fn channel_mut(&mut self) -> &mut Channel {
        self.over.as_mut().map_or(&mut self.section.channel, |over| &mut over.channel)
    }

    /// Gives the helper number `at` on the way a fresh capability. Answers whether there is one, it is this end that
    /// chose it, and it was sent.
    pub(crate) fn renew(&mut self, at: usize, capability: &Capability) -> bool {
        let key = self.over.as_ref().and_then(|over| over.helper_keys.get(at));
        let hops = u8::try_from(at).ok();
        let renewal = key.zip(hops).and_then(|(key, hops)| tng_flow::renewal(capability, key, hops));
        renewal.is_some_and(|renewal| self.section.renew(renewal))
    }

    /// The worse of what the two ends and the first two neighbours find.
    pub(crate) fn condition(&self) -> PathCondition {
        let (section, channel) = (self.section.channel.condition(), self.channel().condition());
        if section == PathCondition::Good { channel } else { section }
    }

    /// The path's condition, if it changed.
    pub(crate) fn take_condition(&mut self) -> Option<PathCondition> {
        let (section, over) = (self.section.take_condition(), self.condition.take());
        section.or(over).map(|_| self.condition())
    }

    /// Takes one datagram whose channel id is one of ours.
    pub(crate) fn handle_datagram(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        semantics: &mut Semantics,
        wide: &mut HostWide,
    ) -> Result<Arrival, Severed> {
        self.awake_since.get_or_insert(now);
        let Link { section, over, .. } = self;
        let patience = wide.config.path_failed_after * HELPED_IDLE_TIMES;
        let arrival = wide.with_section(|around| {
            above!(over, semantics, |above| section.handle_datagram(now, origin, packet, above, around))
        });
        // It has just said so: code that looks only when a timer is due may find that it is long ago.
        if let Some(over) = over
            && section.channel.held_at() == Some(now)
        {
            over.handle_blocked(now, patience);
        }
        self.conclude(arrival)
    }

    /// What a call of the section has come to, and what the channel above it has to say first: the last packet of a
    /// section may carry the peer's own farewell.
    fn conclude<T>(&mut self, section: Result<T, Ended>) -> Result<T, Severed> {
        let Some(over) = &mut self.over else { return section.map_err(Severed::EndToEnd) };
        if let Some(condition) = over.poll_events().map_err(Severed::EndToEnd)? {
            self.condition = Some(condition);
        }
        section.map_err(Severed::Section)
    }

    /// The next datagrams to send, if any may leave now.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        semantics: &mut Semantics,
        wide: &mut HostWide,
    ) -> Option<Transmit> {
        let Link { section, over, .. } = self;
        if let Some(over) = over {
            over.set_packet_max(section.largest_onward());
        }
        let transmit = wide
            .with_section(|around| above!(over, semantics, |above| section.poll_transmit(now, buf, above, around)))?;
        self.awake_since.get_or_insert(now);
        Some(transmit)
    }

    pub(crate) fn handle_timeout(
        &mut self,
        now: Instant,
        semantics: &mut Semantics,
        wide: &mut HostWide,
    ) -> Result<(), Severed> {
        let wanted = !semantics.is_empty();
        let held = self.is_held(now, &wide.flows);
        if let Some(over) = &mut self.over {
            if held {
                over.handle_blocked(now, wide.config.path_failed_after * HELPED_IDLE_TIMES);
            }
            over.handle_timeout(now, semantics);
        }
        let Link { section, over, .. } = self;
        let passed = wide
            .with_section(|around| above!(over, semantics, |above| section.handle_timeout(now, above, around, wanted)));
        self.conclude(passed)
    }

    /// Whether the first neighbour has said of late that it holds packets.
    pub(crate) fn is_held(&self, now: Instant, flows: &Flows) -> bool {
        let channel = &self.section.channel;
        let patience = channel.pto(Some(self.section.regulation(flows))) * 2;
        // Probes may be far apart by now, and each is answered.
        channel.held_at().is_some_and(|at| at + patience >= now || channel.unanswered_probes() == 0)
    }

    /// The smoothed round-trip time, from end to end.
    pub(crate) fn rtt(&self, flows: &Flows) -> Duration {
        let rtt = match &self.over {
            Some(over) => over.rtt(),
            None => self.section.channel.rtt(Some(self.section.regulation(flows))),
        };
        rtt.smoothed()
    }

    /// The probe timeout, from end to end.
    pub(crate) fn pto(&self, flows: &Flows) -> Duration {
        match &self.over {
            Some(over) => over.pto(),
            None => self.section.channel.pto(Some(self.section.regulation(flows))),
        }
    }

    pub(crate) fn poll_timeout(&mut self, now: Instant, wide: &HostWide, wanted: bool) -> Option<Instant> {
        let over = self.over.as_mut().and_then(|over| over.poll_timeout(now));
        let section = self.section.poll_timeout(now, (&section_settings(&wide.config), &wide.flows), wanted);
        // A connection with streams is likely to go on, and its path is asked for signs of life.
        let rests = if wanted { None } else { self.rests_at() };
        [over, section, rests].into_iter().flatten().min()
    }

    /// The datagram that says that this link is closed, if there may be one.
    pub(crate) fn close_packet(&mut self, now: Instant, code: u64, reason: &str) -> Option<(Vec<u8>, Transmit)> {
        match &mut self.over {
            None => self.section.close_packet(now, code, reason),
            Some(over) => {
                let packet = over.close_packet(now, code, reason)?;
                self.section.farewell(now, NO_ERROR, &packet)
            }
        }
    }

    /// Our packet number 0 left at `sent_at` in a set-up message of `len` bytes.
    pub(crate) fn note_set_up_sent(&mut self, sent_at: Instant, len: usize, flows: &mut Flows) {
        match &mut self.over {
            None => self.section.note_set_up_sent(sent_at, len, flows),
            Some(over) => over.note_set_up_sent(sent_at, len),
        }
    }

    /// The REPLY said that our packet number 0 was taken.
    pub(crate) fn acknowledge_set_up(&mut self, now: Instant, semantics: &mut Semantics, flows: &mut Flows) {
        match &mut self.over {
            None => self.section.acknowledge_set_up(now, semantics, flows),
            Some(over) => over.acknowledge_set_up(now, semantics),
        }
    }

    /// A helped path as it is now.
    pub(crate) fn helped(&self, now: Instant, flows: &Flows) -> Option<Helped> {
        let over = self.over.as_ref()?;
        let channel = &over.channel;
        Some(Helped {
            acked: channel.stats().bytes_acked,
            heard: channel.stats().packets_received,
            asked: asked(channel),
            outstanding: channel.outstanding(),
            lost: lost(channel),
            rtt: over.rtt().latest(),
            pto: over.pto(),
            waiting_since: channel.waiting_since(),
            held: self.is_held(now, flows),
        })
    }

    /// The direct path as it is now, beside a helped one.
    pub(crate) fn alternative(&self, flows: &Flows) -> Alternative {
        let (channel, regulation) = (&self.section.channel, self.section.regulation(flows));
        Alternative {
            answered_at: channel.last_received(),
            waiting_since: channel.waiting_since(),
            pto: channel.pto(Some(regulation)),
            rtt: regulation.rtt().smoothed(),
            asked: asked(channel),
            lost: lost(channel),
        }
    }

    /// How full the path is.
    pub(crate) fn filling(&self, flows: &Flows) -> Filling {
        let regulation = self.section.regulation(flows);
        let (under_way, in_flight) = (self.channel().outstanding(), regulation.in_flight());
        // Without a window it is filled by what there is.
        let window = if regulation.window() == u64::MAX { in_flight } else { regulation.window() };
        Filling { window, in_flight, under_way }
    }

    /// The figures of the channel and its path.
    pub(crate) fn stats(&self, flows: &Flows) -> ConnectionStats {
        let regulation = self.section.regulation(flows);
        let rtt = self.over.as_ref().map_or(regulation.rtt(), |over| over.rtt());
        ConnectionStats {
            channel: self.channel().stats(),
            regulation: regulation.stats(),
            rtt: rtt.smoothed(),
            rtt_min: rtt.min(),
            pto: self.over.as_ref().map_or_else(|| self.section.channel.pto(Some(regulation)), |over| over.pto()),
            condition: self.condition(),
            payload_max: self.over.as_ref().map_or(self.section.mtu(), |over| over.packet_max()),
            cipher: self.cipher,
            helpers: self.helpers().len(),
        }
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
