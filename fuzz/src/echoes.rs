//! Numbered echoes: two ends over a pipe that loses, repeats and damages what the script says, and their formats.

use tng_base::{ChannelKey, Ecn, Fate, Instant, PathCondition, Protocol, Semantic, Taken};
use tng_echoes::{ENTRY_COST, Echoes, OWED_PER_WINDOW, Tally, WINDOW_MIN, battery};

use crate::Target;
use crate::bytes::Script;
use crate::exchange::stateful;
use crate::parsers::parser;

pub(crate) const TARGETS: &[Target] = &[
    // Every byte of a script may ask as much as the window admits, or send it again.
    Target { memory: (1 << 20, 24 << 10), ..stateful("echoes_pair", 400, (pair, pair_seeds)) },
    parser("echoes", 300, (formats, format_seeds)),
];

/// Channels that there are at most, one after the other.
const CHANNELS_MAX: u64 = 6;
/// Packets under way at most.
const FLIGHTS_MAX: usize = 64;
/// Most numbers that an end asks in all.
const ASKS_MAX: u64 = 500;

/// A packet under way.
struct Flight {
    from: usize,
    channel: ChannelKey,
    number: u64,
    payload: Vec<u8>,
    taken: Option<Taken>,
    lost: bool,
}

struct Pair {
    ends: [Echoes; 2],
    tallies: [Tally; 2],
    windows: [u64; 2],
    flights: Vec<Flight>,
    /// Channels in use, each with its next number at either end.
    channels: Vec<(ChannelKey, [u64; 2])>,
    next_channel: u64,
    packet: usize,
    /// The set-up item of the end that answers has come.
    told: bool,
}

/// One of the two has found the other out.
struct Over;

const NOW: Instant = Instant::ZERO;

impl Pair {
    fn new(script: &mut Script<'_>, made: fn(Echoes) -> Echoes) -> Pair {
        let windows = [script.u8(), script.u8()].map(|byte| WINDOW_MIN + u64::from(byte) % 50);
        let asks = Echoes::new(windows[0]);
        let item = asks.set_up_item();
        let answers = Echoes::answering(windows[1], item.as_deref()).expect("a good item");
        let mut pair = Pair {
            ends: [made(asks), made(answers)],
            tallies: [Tally::new(1), Tally::new(2)],
            windows,
            flights: Vec::new(),
            channels: Vec::new(),
            next_channel: 0,
            packet: 80 + usize::from(script.u8()) * 5,
            told: false,
        };
        pair.attach();
        pair
    }

    /// The set-up item of the end that answers reaches the other.
    fn tell(&mut self) {
        if !core::mem::replace(&mut self.told, true) {
            let item = self.ends[1].set_up_item();
            self.ends[0].handle_set_up_item(item.as_deref()).expect("a good item");
        }
    }

    fn attach(&mut self) {
        if self.channels.len() < 2 && self.next_channel < CHANNELS_MAX {
            self.next_channel += 1;
            let key = ChannelKey(self.next_channel);
            self.channels.push((key, [0; 2]));
            self.ends.iter_mut().for_each(|end| end.handle_attach(NOW, key));
        }
    }

    fn detach(&mut self, at: usize) {
        if at < self.channels.len() {
            let (key, _) = self.channels.remove(at);
            self.ends.iter_mut().for_each(|end| end.handle_detach(NOW, key));
        }
    }

    fn send(&mut self, end: usize, most: usize) -> bool {
        let (mut some, mut buf) = (false, [0; 1400]);
        for (channel, numbers) in &mut self.channels {
            for _ in 0..most.min(FLIGHTS_MAX.saturating_sub(self.flights.len())) {
                let wants = self.ends[end].wants_to_send(*channel);
                let filled = self.ends[end].poll_packet(NOW, *channel, numbers[end], &mut buf[..self.packet]);
                let Some(filled) = filled else {
                    assert!(!self.ends[end].wants_to_send(*channel), "an end that wants to send has something to send");
                    break;
                };
                assert!(filled.len > 0 && filled.len <= self.packet);
                let (channel, number, payload) = (*channel, numbers[end], buf[..filled.len].to_vec());
                numbers[end] += 1;
                self.flights.push(Flight { from: end, channel, number, payload, taken: None, lost: false });
                some |= wants;
            }
        }
        some
    }

    fn fate(&mut self, at: usize, fate: Fate) {
        let Flight { from, channel, number, .. } = self.flights[at];
        if self.channels.iter().any(|(key, _)| *key == channel) {
            self.ends[from].handle_fate(NOW, channel, number, fate);
        }
    }

    fn arrive(&mut self, at: usize) {
        let flight = &mut self.flights[at];
        if flight.taken.is_none() {
            let to = &mut self.ends[1 - flight.from];
            flight.taken = Some(match self.channels.iter().any(|(key, _)| *key == flight.channel) {
                true => {
                    let mut payload = flight.payload.clone();
                    to.handle_packet(NOW, flight.channel, flight.number, Ecn::NotEct, &mut payload).expect("honest")
                }
                false => Taken::Refused,
            });
        }
    }

    fn end_flight(&mut self, at: usize) {
        if self.flights[at].taken == Some(Taken::All) {
            self.fate(at, Fate::Acked);
        } else if !self.flights[at].lost {
            self.fate(at, Fate::Lost);
        }
        self.flights.remove(at);
    }

    fn network(&mut self, script: &mut Script<'_>) {
        let (what, at) = (script.below(10), script.below(self.flights.len()));
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
            9 => {
                let conditions = [PathCondition::Good, PathCondition::Stalled, PathCondition::Failed];
                if let Some((key, _)) = self.channels.get(script.below(2)).copied() {
                    let end = &mut self.ends[script.below(2)];
                    match script.below(4) {
                        3 => end.set_retired(key, script.u8() & 1 == 1),
                        at => end.handle_path(NOW, key, conditions[at]),
                    }
                }
            }
            _ => {}
        }
    }

    /// What no network does under a seal: a packet comes damaged, or of the peer's making. Nothing holds of two ends of
    /// which one says what it likes but that it is found out, or does no harm.
    fn damage(&mut self, script: &mut Script<'_>) -> Result<(), Over> {
        let (end, at) = (script.below(2), script.below(self.flights.len()));
        let mut payload = match self.flights.get(at) {
            Some(flight) if script.u8() & 1 == 0 => flight.payload.clone(),
            _ => script.piece().to_vec(),
        };
        let bit = usize::from(script.u16());
        if let Some(byte) = payload.get_mut(bit / 8 % 1400) {
            *byte ^= 1 << (bit % 8);
        }
        let judged = self.ends[end].replay_safe(&payload);
        let taken = self.ends[end].handle_packet(NOW, ChannelKey(1), 0, Ecn::NotEct, &mut payload);
        assert_eq!(judged, taken.is_ok(), "what may be handled early is handled");
        taken.map(drop).map_err(|_| Over)
    }

    /// Lets the applications take and ask, and looks at what is held.
    fn act(&mut self, end: usize, more: u64) {
        let (echoes, tally) = (&mut self.ends[end], &mut self.tallies[end]);
        tally.hear(echoes);
        tally.ask(echoes, (tally.asked() + more).min(ASKS_MAX));
        assert_eq!(tally.fault(), None);
        // What it owes, what it has asked, and what it has heard and not handed on.
        let most = self.windows[end] * OWED_PER_WINDOW + self.windows[1 - end];
        assert!(echoes.bytes_held() <= most * ENTRY_COST, "{echoes:?}");
    }

    /// From now on nothing is lost: everything that was asked is echoed.
    fn settle(&mut self) {
        self.tell();
        if self.channels.is_empty() {
            self.channels.push((ChannelKey(1001), [0; 2]));
            self.ends.iter_mut().for_each(|end| end.handle_attach(NOW, ChannelKey(1001)));
        }
        for (key, _) in self.channels.clone() {
            for end in &mut self.ends {
                end.set_retired(key, false);
                end.handle_path(NOW, key, PathCondition::Good);
            }
        }
        for _ in 0..3_000 {
            let busy = self.send(0, 8) | self.send(1, 8);
            (0..self.flights.len()).for_each(|at| self.arrive(at));
            while !self.flights.is_empty() {
                self.end_flight(0);
            }
            (0..2).for_each(|end| self.act(end, 0));
            if !busy && self.ends.iter().all(|end| end.is_idle() && end.is_empty()) {
                return;
            }
        }
        panic!("stuck: {:?}", self.ends);
    }
}

/// Whatever two applications and the network between them do: each number is echoed once, and nothing stays.
fn pair(bytes: &[u8]) {
    pair_of(bytes, core::convert::identity);
}

fn pair_of(bytes: &[u8], made: fn(Echoes) -> Echoes) {
    let mut script = Script::new(bytes);
    let mut pair = Pair::new(&mut script, made);
    let mut damaged = false;
    while !script.is_over() {
        match script.below(9) {
            0..=1 => {
                let (end, more) = (script.below(2), script.u8());
                pair.act(end, u64::from(more));
            }
            2..=3 => {
                let (end, most) = (script.below(2), 1 + script.below(8));
                pair.send(end, most);
            }
            4..=6 => pair.network(&mut script),
            7 => pair.tell(),
            _ => {
                damaged = true;
                if pair.damage(&mut script).is_err() {
                    pair.ends.iter_mut().for_each(Semantic::handle_closed);
                    (0..2).for_each(|end| pair.tallies[end].hear(&mut pair.ends[end]));
                    return;
                }
            }
        }
        if damaged {
            // The other end may find it out at any time.
            pair.flights.clear();
        }
    }
    if damaged {
        return;
    }
    pair.settle();
    for end in 0..2 {
        let (tally, stats) = (&pair.tallies[end], pair.ends[end].stats());
        assert!(tally.is_done() && tally.fault().is_none(), "{tally:?}");
        assert_eq!(pair.ends[1 - end].stats().answered, stats.asked, "each number is answered once");
        assert_eq!(pair.ends[end].bytes_held(), 0);
    }
}

/// Frames and set-up items.
fn formats(bytes: &[u8]) {
    battery::frames(bytes);
    battery::set_up(bytes);
    if let Some(end) = Echoes::answering(100, Some(bytes)) {
        assert!(end.set_up_item().is_some());
    }
}

// Seeds

fn pair_seeds() -> Vec<Vec<u8>> {
    let ask = [0, 0, 20, 1, 1, 9];
    let send = [2, 0, 4, 3, 1, 4];
    let deliver = [4, 0, 0, 5, 1, 0, 6, 3, 0];
    let trouble = [7, 4, 4, 0, 5, 6, 0, 4, 7, 0, 2, 0, 3, 6, 8, 0, 5, 9, 0, 1, 0, 1];
    let damage = [8, 0, 0, 0, 1, 7];
    vec![
        [&[0, 9, 100][..], &ask, &send, &deliver, &trouble, &ask, &send].concat(),
        [&[40, 0, 3][..], &ask, &send, &trouble, &send, &deliver].concat(),
        [&[1, 1, 50][..], &ask, &send, &damage, &deliver].concat(),
    ]
}

fn format_seeds() -> Vec<Vec<u8>> {
    vec![vec![1, 16], vec![1, 0x50, 0], vec![1, 0, 2, b'h', b'i', 2, 0x40, 70, 0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks, sends, and loses what was sent.
    const LOSES: [u8; 17] = [0, 0, 100, 0, 0, 9, 2, 0, 7, 4, 4, 0, 4, 6, 0, 7, 7];

    #[test]
    fn two_ends_that_lose_a_packet_and_repair_it_come_to_an_end() {
        pair(&LOSES);
    }

    #[test]
    #[should_panic(expected = "stuck")]
    fn two_ends_that_repair_nothing_are_found_out() {
        pair_of(&LOSES, Echoes::without_repair);
    }
}
