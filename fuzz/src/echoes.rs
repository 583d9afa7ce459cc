//! Numbered echoes: two ends over a pipe that loses, repeats and damages what the script says, and their formats.

use tng_base::{ChannelKey, Ecn, Protocol, Semantic};
use tng_echoes::{ENTRY_COST, Echoes, OWED_PER_WINDOW, Tally, WINDOW_MIN, battery};

use crate::Target;
use crate::bytes::Script;
use crate::exchange::stateful;
use crate::pair::{Bounds, CONDITIONS, Pair};
use crate::parsers::parser;

pub(crate) const TARGETS: &[Target] = &[
    // Every byte of a script may ask as much as the window admits, or send it again.
    Target { memory: (1 << 20, 24 << 10), ..stateful("echoes_pair", 400, (pair, pair_seeds)) },
    parser("echoes", 300, (formats, format_seeds)),
];

const BOUNDS: Bounds = Bounds { flights_max: 64, packet_holds_all: 0 };
/// Most numbers that an end asks in all.
const ASKS_MAX: u64 = 500;

/// Two ends with their applications.
struct Peers {
    pair: Pair<Echoes>,
    tallies: [Tally; 2],
    windows: [u64; 2],
    /// The set-up item of the end that answers has come.
    told: bool,
}

/// One of the two has found the other out.
struct Over;

impl Peers {
    fn new(script: &mut Script<'_>, made: fn(Echoes) -> Echoes) -> Peers {
        let windows = [script.u8(), script.u8()].map(|byte| WINDOW_MIN + u64::from(byte) % 50);
        let asks = Echoes::new(windows[0]);
        let item = asks.set_up_item();
        let answers = Echoes::answering(windows[1], item.as_deref()).expect("a good item");
        let pair = Pair::new([made(asks), made(answers)], 80 + usize::from(script.u8()) * 5, BOUNDS);
        let mut peers = Peers { pair, tallies: [Tally::new(1), Tally::new(2)], windows, told: false };
        peers.pair.attach();
        peers
    }

    /// The set-up item of the end that answers reaches the other.
    fn tell(&mut self) {
        if !core::mem::replace(&mut self.told, true) {
            let item = self.pair.ends[1].set_up_item();
            self.pair.ends[0].handle_set_up_item(item.as_deref()).expect("a good item");
        }
    }

    fn change_path(&mut self, script: &mut Script<'_>) {
        if let Some(key) = self.pair.channel(script.below(2)) {
            let end = &mut self.pair.ends[script.below(2)];
            match script.below(4) {
                3 => end.set_retired(key, script.u8() & 1 == 1),
                at => end.handle_path(self.pair.now, key, CONDITIONS[at]),
            }
        }
    }

    /// What no network does under a seal: a packet comes damaged, or of the peer's making. If one of two ends says what
    /// it likes, nothing holds but that it is found out, or does no harm.
    fn damage(&mut self, script: &mut Script<'_>) -> Result<(), Over> {
        let (end, at) = (script.below(2), script.below(self.pair.flights.len()));
        let mut payload = match self.pair.flights.get(at) {
            Some(flight) if script.u8() & 1 == 0 => flight.payload.clone(),
            _ => script.piece().to_vec(),
        };
        let bit = usize::from(script.u16());
        if let Some(byte) = payload.get_mut(bit / 8 % 1400) {
            *byte ^= 1 << (bit % 8);
        }
        let (now, end) = (self.pair.now, &mut self.pair.ends[end]);
        let judged = end.replay_safe(&payload);
        let taken = end.handle_packet(now, ChannelKey(1), 0, Ecn::NotEct, &mut payload);
        assert_eq!(judged, taken.is_ok(), "what may be handled early is handled");
        taken.map(drop).map_err(|_| Over)
    }

    /// Lets the applications take and ask, and looks at what is held.
    fn act(&mut self, end: usize, more: u64) {
        let (echoes, tally) = (&mut self.pair.ends[end], &mut self.tallies[end]);
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
        self.pair.mend();
        for key in self.pair.channels() {
            self.pair.ends.iter_mut().for_each(|end| end.set_retired(key, false));
        }
        for _ in 0..3_000 {
            let busy = self.pair.exchange(8);
            (0..2).for_each(|end| self.act(end, 0));
            if !busy && self.pair.ends.iter().all(|end| end.is_idle() && end.is_empty()) {
                return;
            }
        }
        panic!("stuck: {:?}", self.pair.ends);
    }
}

/// Whatever two applications and the network between them do: each number is echoed once, and nothing stays.
fn pair(bytes: &[u8]) {
    pair_of(bytes, core::convert::identity);
}

fn pair_of(bytes: &[u8], made: fn(Echoes) -> Echoes) {
    let mut script = Script::new(bytes);
    let mut peers = Peers::new(&mut script, made);
    let mut damaged = false;
    while !script.is_over() {
        match script.below(9) {
            0..=1 => {
                let (end, more) = (script.below(2), script.u8());
                peers.act(end, u64::from(more));
            }
            2..=3 => {
                let (end, most) = (script.below(2), 1 + script.below(8));
                peers.pair.send(end, most);
            }
            4..=6 => {
                if peers.pair.network(&mut script) {
                    peers.change_path(&mut script);
                }
            }
            7 => peers.tell(),
            _ => {
                damaged = true;
                if peers.damage(&mut script).is_err() {
                    peers.pair.ends.iter_mut().for_each(Semantic::handle_closed);
                    (0..2).for_each(|end| peers.tallies[end].hear(&mut peers.pair.ends[end]));
                    return;
                }
            }
        }
        if damaged {
            // The other end may find it out at any time.
            peers.pair.flights.clear();
        }
    }
    if damaged {
        return;
    }
    peers.settle();
    for end in 0..2 {
        let (tally, stats) = (&peers.tallies[end], peers.pair.ends[end].stats());
        assert!(tally.is_done() && tally.fault().is_none(), "{tally:?}");
        assert_eq!(peers.pair.ends[1 - end].stats().answered, stats.asked, "each number is answered once");
        assert_eq!(peers.pair.ends[end].bytes_held(), 0);
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
