//! A protocol that nobody needs, in the range of first bytes from 0xa0 on: what is asked is answered in as many bytes.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Ecn, Input, Instant, Machine, Output, Transmit};
use tng_endpoint::{Claim, Tenant};

const ASK: u8 = 0xa0;
const ANSWER: u8 = 0xb0;

/// Bytes of a question, and of an answer.
pub const LEN: usize = 100;

/// From one question to the next.
const INTERVAL: Duration = Duration::from_millis(5);

/// Question `number`.
pub fn question(number: u8) -> [u8; LEN] {
    core::array::from_fn(|at| if at == 0 { ASK } else { number })
}

/// Its answer.
pub fn answer(number: u8) -> [u8; LEN] {
    core::array::from_fn(|at| if at == 0 { ANSWER } else { number })
}

/// Answers all questions, and may have some of its own.
#[derive(Debug, Default)]
pub struct Toy {
    answers: VecDeque<(SocketAddr, Option<SocketAddr>, u8)>,
    /// Whom it asks, the number of the next question, how many there are, and when it is asked.
    asks: Option<(SocketAddr, u8, u8, Instant)>,
    events: VecDeque<u8>,
}

impl Toy {
    /// Asks somebody so many questions.
    pub fn asking(whom: SocketAddr, count: u8) -> Toy {
        Toy { asks: Some((whom, 0, count, Instant::ZERO)), ..Toy::default() }
    }
}

impl Machine for Toy {
    /// The number of a question that was answered.
    type Event = u8;

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return };
        for packet in datagram.payload.chunks(datagram.segment_size) {
            match *packet {
                [ASK, number, ..] if packet == question(number) => {
                    self.answers.push_back((datagram.remote, datagram.local, number));
                }
                [ANSWER, number, ..] if packet == answer(number) => self.events.push_back(number),
                _ => {}
            }
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<u8> {
        if let Some(number) = self.events.pop_front() {
            return Output::Event(number);
        }
        let mut send = |packet: [u8; LEN], remote, local| {
            buf[..LEN].copy_from_slice(&packet);
            Output::Transmit(Transmit { remote, local, ecn: Ecn::NotEct, len: LEN, segment_size: LEN })
        };
        if let Some((remote, local, number)) = self.answers.pop_front() {
            return send(answer(number), remote, local);
        }
        match &mut self.asks {
            Some((whom, next, count, at)) if *next < *count && *at <= now => {
                (*next, *at) = (*next + 1, now + INTERVAL);
                send(question(*next - 1), *whom, None)
            }
            Some((_, next, count, at)) if *next < *count => Output::Timeout(Some(*at)),
            _ => Output::Timeout(None),
        }
    }
}

impl Tenant for Toy {
    fn reads(&self, first: u8) -> bool {
        (0xa0..=0xbf).contains(&first)
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        if packet.len() == LEN { Claim::Serves } else { Claim::Neither }
    }
}
