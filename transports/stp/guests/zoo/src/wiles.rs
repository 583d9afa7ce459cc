//! What they do.

use core::ops::Range;

use stp_guest_tcp::ACK_DELAY_MS;
use stp_guest_tcp::segment::{LONGEST, Proof, Segment};
use tng_stp_abi::{Host, Refused};

use crate::Wile;

/// Segments after which the [`Sleeper`] shows what it is.
pub const SLEEPS_SEGMENTS: u64 = 1_000;
/// How often a guest that does not listen asks again in a call.
const INSISTS: u32 = 1_000;

/// Hands in sums that it has made up, of all that it has sent.
#[derive(Clone, Debug, Default)]
pub struct AckLiar {
    sent: u64,
}

impl Wile for AckLiar {
    fn net_send(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        let number = host.net_send(head, body)?;
        self.sent = number + 1;
        Ok(number)
    }

    fn after(&mut self, host: &mut impl Host) {
        if self.sent > 0 {
            let sum = host.random();
            let _ = host.ack_sum(0..self.sent, sum, 0);
        }
    }
}

/// Keeps silent about losses and marks, and says of every acknowledgment that it was held back for as long as one can.
#[derive(Clone, Debug, Default)]
pub struct CeConcealer;

impl Wile for CeConcealer {
    fn net_resend(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>, _: u64) -> Result<u64, Refused> {
        host.net_send(head, body)
    }

    fn nack(&mut self, _: &mut impl Host, _: u64) -> Result<(), Refused> {
        Ok(())
    }

    fn ack_sum(&mut self, host: &mut impl Host, numbers: Range<u64>, sum: u64, _: u32) -> Result<(), Refused> {
        host.ack_sum(numbers, sum, 1_000 * ACK_DELAY_MS as u32)
    }
}

/// Asks a thousand times more when it is told to wait, in each call.
#[derive(Clone, Debug, Default)]
pub struct LimitIgnorer;

fn insist(host: &mut impl Host, head: &[u8], body: &Range<u64>) -> Result<u64, Refused> {
    let mut sent = host.net_send(head, body.clone());
    for _ in 0..INSISTS {
        if sent != Err(Refused::WouldBlock) {
            break;
        }
        sent = host.net_send(head, body.clone());
    }
    sent
}

impl Wile for LimitIgnorer {
    fn net_send(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        insist(host, head, &body)
    }
}

/// Acknowledges each segment a thousand times.
#[derive(Clone, Debug, Default)]
pub struct AckFlooder;

impl Wile for AckFlooder {
    fn net_sendack(&mut self, host: &mut impl Host, bytes: &[u8]) -> Result<(), Refused> {
        for _ in 0..INSISTS {
            let _ = host.net_sendack(bytes);
        }
        host.net_sendack(bytes)
    }
}

/// Says what no NewReno says: segments of no format, and such as another connection might have sent.
#[derive(Clone, Debug, Default)]
pub struct SegmentForger;

impl SegmentForger {
    fn forge(host: &mut impl Host, head: &[u8]) -> ([u8; LONGEST], usize) {
        let (mut bytes, mut len) = ([0; LONGEST], head.len().min(LONGEST));
        bytes[..len].copy_from_slice(&head[..len]);
        match host.random() % 8 {
            // Nothing that there is.
            0 => {
                for eight in bytes.chunks_exact_mut(8) {
                    eight.copy_from_slice(&host.random().to_le_bytes());
                }
                len = 1 + host.random() as usize % LONGEST;
            }
            // What somebody else acknowledges, and proves.
            1 => {
                let mut forged = Segment { seq: host.random() >> 2, ack: host.random() >> 50, ..Segment::default() };
                (forged.window, forged.fin, forged.gap) = (u32::MAX, host.random() & 1 == 0, true);
                forged.blocks.push((forged.ack + 1, forged.ack + 1_000_000));
                let from = host.random() >> 58;
                forged.proofs.push(Proof::of(from..from + 5, host.random()));
                len = forged.write(&mut bytes).len();
            }
            // A head that ends too early.
            2 => len = len.min(7),
            _ => {}
        }
        (bytes, len)
    }
}

impl Wile for SegmentForger {
    fn net_send(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        let (bytes, len) = SegmentForger::forge(host, head);
        host.net_send(&bytes[..len], body)
    }

    fn net_sendack(&mut self, host: &mut impl Host, bytes: &[u8]) -> Result<(), Refused> {
        let (bytes, len) = SegmentForger::forge(host, bytes);
        host.net_sendack(&bytes[..len])
    }
}

/// Proves what it has not got: of all up to the newest segment, by the sums of what came and a guess for what did not.
/// What it was told offline is no better than a guess, since nonces are made when segments leave.
#[derive(Clone, Debug, Default)]
pub struct ColludingReceiver;

impl Wile for ColludingReceiver {
    fn net_sendack(&mut self, host: &mut impl Host, bytes: &[u8]) -> Result<(), Refused> {
        let Some(mut head) = Segment::read(bytes) else { return host.net_sendack(bytes) };
        let proofs = head.proofs.as_slice();
        // Nobody has sent as much; numbers are whole as they stand.
        let whole = |proof: &Proof| proof.numbers(u64::from(u32::MAX));
        let newest = proofs.first().and_then(whole);
        let oldest = proofs.last().and_then(whole);
        if let (Some(newest), Some(oldest)) = (newest, oldest)
            && newest != oldest
        {
            let known = proofs.iter().fold(0, |sum, proof| sum ^ proof.sum());
            head.proofs = Default::default();
            head.proofs.push(Proof::of(oldest.start..newest.end, known ^ host.random()));
        }
        host.net_sendack(head.write(&mut [0; LONGEST]))
    }
}

/// Is good for a thousand segments. Then it sends without end, whatever it is told, and makes up proofs.
#[derive(Clone, Debug, Default)]
pub struct Sleeper {
    sent: u64,
}

impl Sleeper {
    fn is_awake(&self) -> bool {
        self.sent > SLEEPS_SEGMENTS
    }
}

impl Wile for Sleeper {
    fn net_send(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        let number = if self.is_awake() { insist(host, head, &body) } else { host.net_send(head, body) }?;
        self.sent = number + 1;
        Ok(number)
    }

    fn net_resend(&mut self, host: &mut impl Host, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        if self.is_awake() { self.net_send(host, head, body) } else { host.net_resend(head, body, lost) }
    }

    fn after(&mut self, host: &mut impl Host) {
        if !self.is_awake() {
            return;
        }
        for _ in 0..INSISTS {
            match insist(host, &[0; LONGEST], &(0..0)) {
                Ok(number) => self.sent = number + 1,
                Err(_) => break,
            }
        }
        let sum = host.random();
        let _ = host.ack_sum(0..self.sent, sum, 0);
    }
}
