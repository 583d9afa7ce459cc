//! Trivial nodes.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Input, Instant, LinkLoss, PathChange, Rng, Transmit};

use crate::topology::B;
use crate::{Node, Outbox, PORT};

/// The second host of a pair.
pub const TO_B: SocketAddr = SocketAddr::new(B, PORT);

/// What a [`Party`] received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    pub at: Instant,
    pub remote: SocketAddr,
    pub ecn: Ecn,
    pub payload: Vec<u8>,
}

/// Packets of one size at regular or random intervals.
pub struct Source {
    to: SocketAddr,
    left: u64,
    number: u64,
    bytes: usize,
    next: Instant,
    interval: Duration,
    /// Intervals are exponentially distributed.
    random: Option<Rng>,
}

/// Sends what it is told to, when it is told to, and keeps what comes.
#[derive(Default)]
pub struct Party {
    /// In order of time.
    pub plan: VecDeque<(Instant, SocketAddr, Vec<u8>)>,
    pub source: Option<Source>,
    pub ecn: Ecn,
    /// Sends everything back.
    pub echo: bool,
    /// Keeps nothing of what comes.
    pub deaf: bool,
    pub received: Vec<Received>,
    pub losses: Vec<(Instant, LinkLoss)>,
    pub moves: Vec<PathChange>,
    pub back: Vec<(SocketAddr, Vec<u8>)>,
}

impl Party {
    pub fn echo() -> Party {
        Party { echo: true, ..Party::default() }
    }

    pub fn deaf() -> Party {
        Party { deaf: true, ..Party::default() }
    }

    /// Sends `count` packets of `bytes` at this interval, each beginning with its number.
    pub fn steady(to: SocketAddr, count: u64, bytes: usize, interval: Duration) -> Party {
        let source = Source { to, left: count, number: 0, bytes, next: Instant::ZERO, interval, random: None };
        Party { source: Some(source), ..Party::default() }
    }

    /// Sends `count` packets of `bytes` at exponentially distributed intervals.
    pub fn poisson(to: SocketAddr, count: u64, bytes: usize, mean: Duration, rng: Rng) -> Party {
        let mut party = Party::steady(to, count, bytes, mean);
        party.source.as_mut().expect("just made").random = Some(rng);
        party
    }

    /// Sends this once.
    pub fn send(&mut self, at: Instant, to: SocketAddr, payload: &[u8]) {
        self.plan.push_back((at, to, payload.to_vec()));
    }

    /// The numbers of the packets that came, in order.
    pub fn numbers(&self) -> Vec<u64> {
        self.received.iter().map(|r| number(&r.payload)).collect()
    }

    pub fn times(&self) -> Vec<Instant> {
        self.received.iter().map(|r| r.at).collect()
    }

    pub fn remotes(&self) -> Vec<SocketAddr> {
        self.received.iter().map(|r| r.remote).collect()
    }
}

pub fn number(payload: &[u8]) -> u64 {
    u64::from_le_bytes(payload[..8].try_into().expect("a numbered packet"))
}

fn put(outbox: &mut Outbox, remote: SocketAddr, ecn: Ecn, payload: &[u8]) {
    outbox.buffer()[..payload.len()].copy_from_slice(payload);
    outbox.send(Transmit { remote, local: None, ecn, len: payload.len(), segment_size: payload.len() });
}

impl Source {
    fn poll(&mut self, now: Instant, ecn: Ecn, outbox: &mut Outbox) -> Option<Instant> {
        while self.left > 0 && self.next <= now {
            let buffer = outbox.buffer();
            buffer[..self.bytes].fill(0);
            buffer[..8].copy_from_slice(&self.number.to_le_bytes());
            let (len, segment_size) = (self.bytes, self.bytes);
            outbox.send(Transmit { remote: self.to, local: None, ecn, len, segment_size });
            self.left -= 1;
            self.number += 1;
            self.next += match &mut self.random {
                None => self.interval,
                Some(rng) => self.interval.mul_f64(-(1.0 - rng.unit()).ln()),
            };
        }
        (self.left > 0).then_some(self.next)
    }
}

impl Node for Party {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(_) if self.deaf => {}
            Input::Datagram(d) => {
                if self.echo {
                    self.back.push((d.remote, d.payload.to_vec()));
                }
                let payload = d.payload.to_vec();
                self.received.push(Received { at: now, remote: d.remote, ecn: d.ecn, payload });
            }
            Input::Entropy(_) | Input::Unreachable(_) => {}
            Input::LinkLoss(loss) => self.losses.push((now, loss)),
            Input::PathChange(change) => self.moves.push(change),
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        for (remote, payload) in self.back.drain(..) {
            put(outbox, remote, self.ecn, &payload);
        }
        while self.plan.front().is_some_and(|(at, ..)| *at <= now) {
            if let Some((_, to, payload)) = self.plan.pop_front() {
                put(outbox, to, self.ecn, &payload);
            }
        }
        let source = self.source.as_mut().and_then(|source| source.poll(now, self.ecn, outbox));
        [source, self.plan.front().map(|(at, ..)| *at)].into_iter().flatten().min()
    }
}
