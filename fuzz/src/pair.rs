//! Two ends of a semantic protocol, and a network between them that does what the script says.

use core::ops::Range;
use std::time::Duration;

use tng_base::{ChannelKey, Ecn, Fate, Instant, PathCondition, Protocol, Taken, Train};

use crate::bytes::Script;

/// Channels that carry the protocol at once, and that there are at most one after the other.
const CHANNELS: (usize, u64) = (2, 6);
/// The channel that there is at the end, if all others are gone.
const LAST: ChannelKey = ChannelKey(1001);

/// Bytes of a packet at most, and packets that leave together.
pub(crate) const PACKET_MAX: usize = 2624;
pub(crate) const TRAIN_MAX: usize = 3;

/// A channel's own packets have numbers, too: one for so many others.
const OWN_EACH: u64 = 11;

/// Conditions that a path may be in.
pub(crate) const CONDITIONS: [PathCondition; 3] = [PathCondition::Good, PathCondition::Stalled, PathCondition::Failed];

/// A packet under way.
#[derive(Debug)]
pub(crate) struct Flight {
    from: usize,
    channel: ChannelKey,
    number: u64,
    pub(crate) payload: Vec<u8>,
    taken: Option<Taken>,
    lost: bool,
}

/// What is true of one protocol, and not of all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Packets under way, at most.
    pub(crate) flights_max: usize,
    /// A packet so large holds whatever an end wants to send.
    pub(crate) packet_holds_all: usize,
}

/// The ends and the network.
#[derive(Debug)]
pub(crate) struct Pair<P> {
    pub(crate) ends: [P; 2],
    pub(crate) now: Instant,
    pub(crate) flights: Vec<Flight>,
    /// Bytes that a packet has at most.
    pub(crate) packet: usize,
    bounds: Bounds,
    /// Channels in use, each with its next number at either end.
    channels: Vec<(ChannelKey, [u64; 2])>,
    next_channel: u64,
}

impl<P: Protocol> Pair<P> {
    /// Two ends that no channel joins yet.
    pub(crate) fn new(ends: [P; 2], packet: usize, bounds: Bounds) -> Pair<P> {
        let (now, flights, channels) = (Instant::ZERO, Vec::new(), Vec::new());
        Pair { ends, now, flights, packet, bounds, channels, next_channel: 0 }
    }

    /// The channels in use.
    pub(crate) fn channels(&self) -> Vec<ChannelKey> {
        self.channels.iter().map(|(key, _)| *key).collect()
    }

    /// One more channel, if there may be one.
    pub(crate) fn attach(&mut self) {
        if self.channels.len() < CHANNELS.0 && self.next_channel < CHANNELS.1 {
            self.next_channel += 1;
            self.attach_as(ChannelKey(self.next_channel));
        }
    }

    fn attach_as(&mut self, key: ChannelKey) {
        self.channels.push((key, [0; 2]));
        for end in &mut self.ends {
            end.handle_attach(self.now, key);
        }
    }

    fn detach(&mut self, at: usize) {
        if at < self.channels.len() {
            let (key, _) = self.channels.remove(at);
            for end in &mut self.ends {
                end.handle_detach(self.now, key);
            }
        }
    }

    /// Sends what an end has to send, at most `max` packets on each channel. Answers whether there was something.
    pub(crate) fn send(&mut self, end: usize, max: usize) -> bool {
        let mut some = false;
        let mut buf = [0; TRAIN_MAX * PACKET_MAX];
        for (channel, numbers) in &mut self.channels {
            let mut left = max;
            while left > 0 {
                let wants = self.ends[end].wants_to_send(self.now, *channel);
                let number = numbers[end];
                let together = (OWN_EACH - number % OWN_EACH) as usize;
                let most = left.min(TRAIN_MAX).min(together).min(self.bounds.flights_max - self.flights.len());
                if most == 0 {
                    return some;
                }
                let mut train = Train::new(number, &mut buf, most, self.packet, self.packet);
                self.ends[end].poll_train(self.now, *channel, &mut train);
                assert_eq!(train.overfilled(), None);
                let (packets, last) = (train.packets(), train.last());
                if packets == 0 {
                    let still = self.ends[end].wants_to_send(self.now, *channel);
                    let may_want_more = self.packet < self.bounds.packet_holds_all;
                    assert!(!still || may_want_more, "an end that wants to send has something to send");
                    break;
                }
                assert!(wants, "an end that sends wanted to");
                for (at, packet) in buf.chunks(self.packet).take(packets).enumerate() {
                    let len = if at + 1 == packets { last } else { self.packet };
                    let (channel, payload) = (*channel, packet[..len].to_vec());
                    let number = number + at as u64;
                    self.flights.push(Flight { from: end, channel, number, payload, taken: None, lost: false });
                }
                left -= packets;
                numbers[end] = number + packets as u64 + u64::from(packets == together);
                some = true;
            }
        }
        some
    }

    fn fate(&mut self, at: usize, fate: Fate) {
        let Flight { from, channel, number, .. } = self.flights[at];
        self.tell(from, channel, number..number + 1, fate);
    }

    fn tell(&mut self, end: usize, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        if self.channels.iter().any(|(key, _)| *key == channel) {
            self.ends[end].handle_fates(self.now, channel, numbers, fate);
        }
    }

    fn arrive(&mut self, at: usize) {
        let Flight { from, channel, number, ref mut payload, ref mut taken, .. } = self.flights[at];
        if taken.is_none() {
            // What a closed channel still has under way is dropped by the host, not by the protocol.
            *taken = Some(match self.channels.iter().any(|(key, _)| *key == channel) {
                true => self.ends[1 - from]
                    .handle_packet(self.now, channel, number, Ecn::NotEct, payload)
                    .expect("no violation"),
                false => Taken::Refused,
            });
        }
    }

    /// The packet's story ends: acknowledged if it was taken, lost if not. One acknowledgment tells of those with the
    /// numbers behind it, too.
    fn end_flight(&mut self, at: usize) {
        let Flight { from, channel, number, taken, lost, .. } = self.flights.remove(at);
        if taken != Some(Taken::All) {
            if !lost {
                self.tell(from, channel, number..number + 1, Fate::Lost);
            }
            return;
        }
        let mut end = number + 1;
        while let Some(at) = self.flights.iter().position(|other| {
            (other.from, other.channel, other.number, other.taken) == (from, channel, end, Some(Taken::All))
        }) {
            self.flights.remove(at);
            end += 1;
        }
        self.tell(from, channel, number..end, Fate::Acked);
    }

    /// Something happens to a packet or a channel. Answers whether a path is to change, which is for the caller.
    pub(crate) fn network(&mut self, script: &mut Script<'_>) -> bool {
        let what = script.below(10);
        let at = script.below(self.flights.len());
        if at < self.flights.len() {
            match what {
                0..=2 => {
                    self.arrive(at);
                    self.end_flight(at);
                }
                3 => self.arrive(at),
                4 if !self.flights[at].lost => {
                    self.fate(at, Fate::Lost);
                    self.flights[at].lost = true;
                }
                5 if !self.flights[at].lost => self.fate(at, Fate::Doubtful),
                6 => self.end_flight(at),
                _ => {}
            }
        }
        match what {
            7 => self.attach(),
            8 => self.detach(at),
            _ => {}
        }
        what == 9
    }

    /// One of the channels, if there are so many.
    pub(crate) fn channel(&self, at: usize) -> Option<ChannelKey> {
        self.channels.get(at).map(|(key, _)| *key)
    }

    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += time;
        for end in &mut self.ends {
            if end.poll_timeout().is_some_and(|at| at <= self.now) {
                end.handle_timeout(self.now);
            }
        }
    }

    /// From now on there is a channel, and every path is good.
    pub(crate) fn mend(&mut self) {
        if self.channels.is_empty() {
            self.attach_as(LAST);
        }
        for key in self.channels() {
            for end in &mut self.ends {
                end.handle_path(self.now, key, PathCondition::Good);
            }
        }
    }

    /// Each end sends so many packets on each channel at most, and everything under way arrives. Answers whether there
    /// was something to send.
    pub(crate) fn exchange(&mut self, max: usize) -> bool {
        let busy = self.send(0, max) | self.send(1, max);
        for at in 0..self.flights.len() {
            self.arrive(at);
        }
        while !self.flights.is_empty() {
            self.end_flight(0);
        }
        busy
    }
}
