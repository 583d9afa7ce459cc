//! What a receiver tells of what came: proofs, and what TFRC wants to know.
//!
//! | bytes | field |
//! |---|---|
//! | 0 | 0xff |
//! | 1 | milliseconds for which the newest was held |
//! | 2..4 | what the newest said of when it left |
//! | 4..8 | loss events per segment, in billionths; 0 for none |
//! | 8..12 | bytes a second that came lately |
//! | 16 each | proofs |

use alloc::collections::VecDeque;
use core::time::Duration;

use stp_guest_tcp::segment::{BLOCKS_MAX, PROOF_LEN, Proof};
use stp_guest_tcp::{ACK_DELAY_MS, Alarm};
use tng_base::Instant;
use tng_congestion::LossIntervals;
use tng_stp_abi::{Host, Receipts};

use crate::books::LOST_BEHIND;

pub(crate) const REPORT: u8 = 0xff;
const FIXED: usize = 12;
const SEGMENTS_PER_REPORT: u32 = 2;
/// Numbers that did not come and may yet.
const MISSING_MAX: usize = 256;
const RTT_INITIAL_MS: u64 = 100;

/// What came.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    receipts: Receipts,
    received_at: u64,
    left: u16,
    unreported: u32,
    alarm: Alarm,
    /// Loss events of TFRC.
    events: Option<LossIntervals>,
    missing: VecDeque<(u64, u64)>,
    next: u64,
    /// What the sender says of the round trip, and the bytes of a segment.
    rtt_ms: u64,
    size: u64,
    /// Bytes since, and the rate before.
    bytes: u64,
    since: u64,
    rate: u64,
}

/// What a report says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) held_ms: u64,
    pub(crate) left: u16,
    pub(crate) peer: (u64, u64),
}

impl Reports {
    pub(crate) fn new(timer: u32) -> Reports {
        Reports {
            receipts: Receipts::default(),
            received_at: 0,
            left: 0,
            unreported: 0,
            alarm: Alarm::new(timer),
            events: None,
            missing: VecDeque::new(),
            next: 0,
            rtt_ms: RTT_INITIAL_MS,
            size: 1,
            bytes: 0,
            since: 0,
            rate: 0,
        }
    }

    /// A segment came; answers whether it is new.
    pub(crate) fn handle(&mut self, now: u64, numbered: (u64, u64), len: u64, left: u16, rtt_ms: u16) -> bool {
        let (number, nonce) = numbered;
        if !self.receipts.receive(number, nonce) {
            return false;
        }
        (self.received_at, self.left, self.unreported) = (now, left, self.unreported + 1);
        if rtt_ms > 0 {
            self.rtt_ms = rtt_ms.into();
        }
        self.size = if self.size <= 1 { len } else { (7 * self.size + len) / 8 };
        self.bytes += len;
        self.count(now, number);
        if now >= self.since + self.rtt_ms {
            self.rate = self.bytes * 1_000 / (now - self.since).max(1);
            (self.bytes, self.since) = (0, now);
        }
        true
    }

    fn count(&mut self, now: u64, number: u64) {
        if number < self.next {
            self.missing.retain(|(missing, _)| *missing != number);
        } else {
            for missing in self.next.max(number.saturating_sub(MISSING_MAX as u64))..number {
                self.missing.push_back((missing, now));
            }
            self.next = number + 1;
        }
        let rtt = Duration::from_millis(self.rtt_ms);
        let overtaken = |missing: &mut (u64, u64), next: u64| missing.0 + LOST_BEHIND < next;
        let next = self.next;
        while let Some((lost, at)) = self.missing.pop_front_if(|missing| overtaken(missing, next)) {
            let (at, position, size) = (Instant::from_millis(at), lost * self.size, self.size);
            let rate = self.rate.max(2 * size);
            let events = self.events.get_or_insert_with(|| LossIntervals::seeded(at, position, size, rtt, rate));
            events.handle_loss(at, position, rtt);
        }
        self.missing.truncate(MISSING_MAX);
    }

    /// Reports now, or a little later.
    pub(crate) fn output(&mut self, host: &mut impl Host, now: u64) {
        if self.unreported >= SEGMENTS_PER_REPORT {
            self.report(host, now);
        } else if self.unreported > 0 && !self.alarm.is_set() {
            self.alarm.set(host, now, ACK_DELAY_MS);
        }
    }

    pub(crate) fn handle_timer(&mut self, host: &mut impl Host, now: u64) {
        if self.alarm.handle_timer(host, now) && self.unreported > 0 {
            self.report(host, now);
        }
    }

    fn report(&mut self, host: &mut impl Host, now: u64) {
        let held = now.saturating_sub(self.received_at).saturating_sub(1).min(ACK_DELAY_MS);
        let mut bytes = [0; FIXED + BLOCKS_MAX * PROOF_LEN];
        (bytes[0], bytes[1]) = (REPORT, held as u8);
        bytes[2..4].copy_from_slice(&self.left.to_le_bytes());
        let loss = self.events.map_or(0, |events| events.rate(self.size, self.next * self.size));
        bytes[4..8].copy_from_slice(&(loss as u32).to_le_bytes());
        bytes[8..12].copy_from_slice(&(self.rate.min(u32::MAX.into()) as u32).to_le_bytes());
        let mut len = FIXED;
        for ((numbers, sum), place) in self.receipts.newest_first().zip(bytes[FIXED..].chunks_exact_mut(PROOF_LEN)) {
            place.copy_from_slice(&Proof::of(numbers, sum).to_bytes());
            len += PROOF_LEN;
        }
        if host.net_sendack(&bytes[..len]).is_ok() {
            self.unreported = 0;
            self.alarm.clear();
        } else if !self.alarm.is_set() {
            self.alarm.set(host, now, ACK_DELAY_MS);
        }
    }
}

impl Report {
    /// What a report says, and its proofs, the newest first.
    pub(crate) fn read(
        head: &[u8],
    ) -> Option<(Report, impl DoubleEndedIterator<Item = Proof> + ExactSizeIterator + '_)> {
        let fixed: &[u8; FIXED] = head.first_chunk()?;
        let four = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let report = Report {
            held_ms: u64::from(fixed[1]).min(ACK_DELAY_MS),
            left: u16::from_le_bytes([fixed[2], fixed[3]]),
            peer: (four(4).into(), four(8).into()),
        };
        let (proofs, _) = head[FIXED..].as_chunks();
        Some((report, proofs.iter().take(BLOCKS_MAX).map(Proof::from_bytes)))
    }
}
