//! What a policer does for each segment of a guest's: whether it may leave, that it has left, and what is proven.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_nonce::{Chain, Direction, NonceKey, Purpose};
use tng_stp_host::{Books, Policer, PolicerConfig, Verdict};

use crate::callgrind::the_counted_turn;
use crate::turns::HALF_TRIP;

/// Bytes of a segment.
const SEGMENT: u64 = 1_400;
/// Segments that leave together.
const TRAIN: u64 = 16;
/// Segments that one proof is for.
const PROVEN_AT_ONCE: u64 = 2;
/// Round trip: so many turns.
const TRIP: u64 = 40;

/// A flow whose segments all arrive.
pub struct Policed {
    now: Instant,
    policer: Policer,
    books: Books,
    key: NonceKey,
    proven: u64,
    /// What had been sent at the end of each of the last turns.
    sent: std::collections::VecDeque<u64>,
}

impl Policed {
    pub fn new() -> Policed {
        let now = Instant::from_secs(1);
        Policed {
            now,
            policer: Policer::new(PolicerConfig::default(), now),
            books: Books::new(1 << 16),
            key: NonceKey::derive(&Secret32::from_bytes([3; 32])),
            proven: 0,
            sent: std::collections::VecDeque::new(),
        }
    }

    fn chain(&self) -> Chain<'_> {
        self.key.chain(&[4; 16], Direction::Outward, Purpose::Policer)
    }

    /// A train leaves, and what left a round trip ago is proven.
    pub fn step(&mut self, counting: bool) {
        self.now += HALF_TRIP;
        if counting { the_counted_turn(self, Policed::turn) } else { self.turn() }
    }

    fn turn(&mut self) {
        for _ in 0..TRAIN {
            if self.policer.check(self.now, SEGMENT) != Verdict::Now {
                break;
            }
            self.policer.handle_sent(self.now, SEGMENT);
            self.books.handle_sent(self.now, SEGMENT);
        }
        self.sent.push_back(self.books.next());
        if self.sent.len() as u64 <= TRIP {
            return;
        }
        let until = self.sent.pop_front().unwrap_or_default();
        while self.proven < until {
            let end = until.min(self.proven + PROVEN_AT_ONCE);
            let chain = self.key.chain(&[4; 16], Direction::Outward, Purpose::Policer);
            let sum = self.chain().fold(self.proven, end);
            let (numbers, policer) = (self.proven..end, &mut self.policer);
            let proof = self.books.handle_proof(self.now, numbers, sum, Duration::ZERO, &chain, policer);
            debug_assert!(proof.is_ok(), "it is a true one");
            self.proven = end;
        }
    }

    /// Segments that are proven.
    pub fn proven(&self) -> u64 {
        self.proven
    }
}
