//! Trivial nodes.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Input, Instant, LinkLoss, PathChange, Rng, Transmit};

use crate::{Node, Outbox};

/// What a [`Party`] received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    pub at: Instant,
    pub remote: SocketAddr,
    pub ecn: Ecn,
    pub payload: Vec<u8>,
}

/// Sends what it is told to, when it is told to, and keeps what comes.
#[derive(Default)]
pub struct Party {
    /// In order of time.
    pub plan: VecDeque<(Instant, SocketAddr, Vec<u8>)>,
    pub ecn: Ecn,
    /// Sends everything back.
    pub echo: bool,
    /// Keeps nothing of what comes.
    pub deaf: bool,
    pub received: Vec<Received>,
    pub losses: Vec<(Instant, LinkLoss)>,
    pub moves: Vec<PathChange>,
    back: Vec<(SocketAddr, Vec<u8>)>,
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
        let mut party = Party::default();
        for number in 0..count {
            party.send(Instant::ZERO + interval * number as u32, to, numbered(number, bytes));
        }
        party
    }

    /// Sends `count` packets of `bytes` at exponentially distributed intervals.
    pub fn poisson(to: SocketAddr, count: u64, bytes: usize, mean: Duration, rng: &mut Rng) -> Party {
        let (mut party, mut at) = (Party::default(), 0.0);
        for number in 0..count {
            at -= mean.as_nanos() as f64 * (1.0 - rng.unit()).ln();
            party.send(Instant::from_nanos(at as u64), to, numbered(number, bytes));
        }
        party
    }

    pub fn send(&mut self, at: Instant, to: SocketAddr, payload: Vec<u8>) {
        self.plan.push_back((at, to, payload));
    }

    /// The numbers of the packets that came, in order.
    pub fn numbers(&self) -> Vec<u64> {
        self.received.iter().map(|r| number(&r.payload)).collect()
    }

    pub fn times(&self) -> Vec<Instant> {
        self.received.iter().map(|r| r.at).collect()
    }
}

pub fn numbered(number: u64, bytes: usize) -> Vec<u8> {
    let mut payload = vec![0; bytes.max(8)];
    payload[..8].copy_from_slice(&number.to_le_bytes());
    payload
}

pub fn number(payload: &[u8]) -> u64 {
    u64::from_le_bytes(payload[..8].try_into().expect("a numbered packet"))
}

fn put(outbox: &mut Outbox, remote: SocketAddr, ecn: Ecn, payload: &[u8]) {
    outbox.buffer()[..payload.len()].copy_from_slice(payload);
    outbox.send(Transmit { remote, local: None, ecn, len: payload.len(), segment_size: payload.len() });
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
        self.plan.front().map(|(at, ..)| *at)
    }
}
