//! Two ends glued together by a pipe that loses, delays and repeats, in virtual time.

mod abuse;
mod behaviour;
mod credit;
mod datagrams;
mod ledger;
mod memory;
mod messages;
mod priorities;
mod requests;
mod states;
mod swarm;
mod trains;
mod transfer;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tng_base::{ChannelKey, Fate, Instant, Protocol, Rng, Taken, Train};

use super::*;
use ledger::Ledger;

const CHANNEL: ChannelKey = ChannelKey(7);

/// Packets that are filled together, at most.
const TRAIN_MAX: usize = 8;

/// What happens to packets.
#[derive(Clone, Debug)]
struct Pipe {
    loss: f64,
    ack_loss: f64,
    doubt: f64,
    delay_us: (u64, u64),
    packet: usize,
}

impl Default for Pipe {
    fn default() -> Pipe {
        Pipe { loss: 0.0, ack_loss: 0.0, doubt: 0.0, delay_us: (1000, 1000), packet: 1200 }
    }
}

#[derive(Debug)]
enum Happening {
    Arrive { to: usize, number: u64, payload: Vec<u8> },
    Fate { of: usize, number: u64, fate: Fate },
}

struct Pair {
    ends: [Streams; 2],
    ledgers: [Ledger; 2],
    pipe: Pipe,
    rng: Rng,
    now: Instant,
    numbers: [u64; 2],
    happenings: BTreeMap<(Instant, u64), Happening>,
    sequence: u64,
    /// Packets sent by each end, if the test keeps them.
    sent: Option<[Vec<Vec<u8>>; 2]>,
}

fn services() -> Arc<Services> {
    let mut services = Services::new();
    services.listen("www", "http", ServiceOptions { first_data: FirstData::Unproven, substreams: true });
    services.listen("mail", "smtp", ServiceOptions::default());
    Arc::new(services)
}

impl Pair {
    fn new(seed: u64, pipe: Pipe, config: Config) -> Pair {
        let mut pair = Pair::before_setup(seed, pipe, config);
        for end in 0..2 {
            pair.deliver_setup(end);
        }
        pair
    }

    fn before_setup(seed: u64, pipe: Pipe, config: Config) -> Pair {
        let end = |role| Streams::new(role, config.clone(), services());
        Pair {
            ends: [end(Role::Initiator), end(Role::Responder)],
            ledgers: Default::default(),
            pipe,
            rng: Rng::from_u64(seed),
            now: Instant::ZERO,
            numbers: [0; 2],
            happenings: BTreeMap::new(),
            sequence: 0,
            sent: None,
        }
    }

    /// The other end's set-up item reaches `end`.
    fn deliver_setup(&mut self, end: usize) {
        let item = self.ends[1 - end].setup_item();
        self.ends[end].set_peer_setup(&item).expect("a good item");
        self.ledgers[end].setup(&item);
    }

    fn schedule(&mut self, after_us: u64, happening: Happening) {
        self.sequence += 1;
        self.happenings.insert((self.now + Duration::from_micros(after_us), self.sequence), happening);
    }

    fn delay(&mut self) -> u64 {
        let (least, most) = self.pipe.delay_us;
        least + self.rng.below(most - least + 1)
    }

    /// Sends what `end` has to send, at most `max` packets.
    fn send(&mut self, end: usize, max: usize) -> usize {
        let size = self.pipe.packet;
        let mut buf = vec![0; size * TRAIN_MAX];
        if self.ends[end].poll_timeout().is_some_and(|at| at <= self.now) {
            self.ends[end].handle_timeout(self.now);
        }
        let mut count = 0;
        while count < max {
            let wants = self.ends[end].wants_to_send(Instant::ZERO, CHANNEL);
            let number = self.numbers[end];
            let most = (max - count).min(1 + self.rng.below(TRAIN_MAX as u64) as usize);
            let mut train = Train::new(number, &mut buf, most, size, size);
            self.ends[end].poll_train(self.now, CHANNEL, &mut train);
            let (packets, last) = (train.packets(), train.last());
            if packets == 0 {
                assert!(!wants, "an end that wants to send has something to send");
                return count;
            }
            assert!(wants, "an end that sends wanted to");
            count += packets;
            let gap = u64::from(self.rng.chance(0.02)) * self.rng.below(5);
            self.numbers[end] += packets as u64 + gap;
            for (number, packet) in (number..).zip(buf.chunks(size)).take(packets) {
                let len = if number + 1 + gap == self.numbers[end] { last } else { size };
                let payload = packet[..len].to_vec();
                self.ledgers[end].sent(&payload);
                if let Some(sent) = &mut self.sent {
                    sent[end].push(payload.clone());
                }
                self.launch(end, number, payload);
            }
        }
        max
    }

    fn launch(&mut self, end: usize, number: u64, payload: Vec<u8>) {
        let there = self.delay();
        let patience = 4 * self.pipe.delay_us.1 + self.rng.below(1000);
        if self.rng.chance(self.pipe.doubt) {
            let when = self.rng.below(patience);
            self.schedule(when, Happening::Fate { of: end, number, fate: Fate::Doubtful });
        }
        if self.rng.chance(self.pipe.loss) {
            self.schedule(patience, Happening::Fate { of: end, number, fate: Fate::Lost });
        } else {
            self.schedule(there, Happening::Arrive { to: 1 - end, number, payload });
        }
    }

    /// The next thing happens; answers whether there was one.
    fn step(&mut self) -> bool {
        let Some(((when, _), happening)) = self.happenings.pop_first() else { return false };
        self.now = when;
        match happening {
            Happening::Fate { of, number, fate } => {
                let numbers = number..self.next_of_another_fate(of, number + 1, fate);
                self.ends[of].handle_fates(when, CHANNEL, numbers, fate);
            }
            Happening::Arrive { to, number, payload } => {
                let taken = self.ends[to].handle_payload(when, &payload).expect("no violation");
                self.ledgers[to].received(&payload);
                let back = self.delay();
                let of = 1 - to;
                if taken == Taken::Refused {
                    self.schedule(back + 3000, Happening::Fate { of, number, fate: Fate::Lost });
                } else if self.rng.chance(self.pipe.ack_loss) {
                    self.schedule(back + 3000, Happening::Fate { of, number, fate: Fate::Lost });
                    if self.rng.chance(0.5) {
                        let late = self.rng.below(9000);
                        self.schedule(back + 3000 + late, Happening::Fate { of, number, fate: Fate::Acked });
                    }
                } else {
                    self.schedule(back, Happening::Fate { of, number, fate: Fate::Acked });
                }
            }
        }
        true
    }

    /// Has some of the packets from `number` on meet their fate now: it is told of a run of them at once. Answers which
    /// is the first that does not.
    fn next_of_another_fate(&mut self, of: usize, mut number: u64, fate: Fate) -> u64 {
        while self.rng.chance(0.7) {
            let same = |happening: &Happening| match *happening {
                Happening::Fate { of: whose, number: which, fate: what } => (whose, which, what) == (of, number, fate),
                Happening::Arrive { .. } => false,
            };
            let mut found = self.happenings.iter().filter(|(_, happening)| same(happening));
            let Some((&at, _)) = found.next() else { break };
            self.happenings.remove(&at);
            number += 1;
        }
        number
    }

    /// Lets everything take its course until nothing more happens.
    fn run(&mut self) {
        for _ in 0..1_000_000 {
            let sent = self.send(0, 64) + self.send(1, 64);
            if !self.step() && sent == 0 {
                return;
            }
        }
        panic!("the ends never come to rest");
    }

    /// A stream from the initiator, accepted by the responder.
    fn stream(&mut self) -> StreamId {
        let id = self.ends[0].open("www", "http").expect("credit");
        self.run();
        assert_eq!(self.ends[1].accept().expect("arrived").id, id);
        id
    }

    fn events(&mut self, end: usize) -> Vec<StreamEvent> {
        core::iter::from_fn(|| self.ends[end].poll_event()).collect()
    }

    /// Reads everything that is there.
    fn read(&mut self, end: usize, id: StreamId) -> (Vec<u8>, Result<Read, ReadError>) {
        let (mut all, mut buf) = (Vec::new(), [0; 3000]);
        loop {
            match self.ends[end].read(id, &mut buf) {
                Ok(Read::Bytes(n)) => all.extend_from_slice(&buf[..n]),
                other => return (all, other),
            }
        }
    }

    /// Reads everything that is there, whatever it is.
    fn drain(&mut self, end: usize, id: StreamId) {
        let _whatever = self.read(end, id);
    }

    /// Nothing is left of anything.
    fn assert_clean(&mut self, context: &str) {
        for end in 0..2 {
            let stats = self.ends[end].stats();
            assert!(self.ends[end].is_idle(), "{context}: end {end} is not idle");
            assert_eq!(stats.streams, 0, "{context}: streams left at end {end}: {:?}", self.ends[end]);
            assert_eq!(stats.pages_held, 0, "{context}: pages left at end {end}");
            assert_eq!(stats.packets_recorded, 0, "{context}: records left at end {end}");
            assert_eq!(stats.bytes_unread, 0, "{context}: credit lost at end {end}");
            assert_eq!((self.ends[end].unsent, self.ends[end].in_flight), (0, 0), "{context}: miscounted at end {end}");
            let there = &self.ends[1 - end].host;
            assert_eq!(
                self.ends[end].stats().bytes_admitted,
                there.limit() - self.ends[end].peer_host.sent,
                "{context}: end {end} has another idea of its credit"
            );
            assert_eq!(
                self.ends[end].peer_host.sent,
                there.received(),
                "{context}: end {end}'s bytes are not all counted"
            );
        }
    }
}
