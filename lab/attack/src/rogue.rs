//! A peer with good keys and bad manners.

use tng_base::{ChannelId, Eid, RangeSet};
use tng_channel::Armor;
use tng_channel::wire::{AckBlock, Control, FirstByte, Mark, NUMBER_AT};
use tng_crypto::SecretRng;
use tng_isolation::wire::{Attach, TransportOffer};
use tng_isolation::{CipherPolicy, Established, Family, Identity, Initiator, Limits, Opening, Replied};
use tng_wire::{Reader, Repr};

/// Bytes of the numbers that it sends: the longest.
const NUMBER_LEN: usize = 4;

/// Numbers remembered for honest acknowledgments; older ones are forgotten.
pub const REMEMBERED_MAX: u64 = 4_096;

/// Both ends' keys, and nothing of the restraint that goes with them.
#[derive(Debug)]
pub struct Rogue {
    armor: Box<dyn Armor>,
    remote_id: ChannelId,
    next: u64,
    received: RangeSet,
    owes: bool,
}

/// What was heard of the other end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// Nothing that can be read.
    Nothing,
    /// A packet.
    Packet {
        /// What it holds beside acknowledgments and control frames.
        payload: Vec<u8>,
    },
    /// The end of the channel, with its code.
    Close(u64),
}

/// What is in an INIT beside what must be there.
#[derive(Default)]
pub(crate) struct Wish {
    /// What opens the door.
    pub capability: Vec<u8>,
    /// Whose streams the channel is to carry.
    pub attach: Option<Attach>,
    /// The name of the channel; any, if nothing is said.
    pub channel: Option<ChannelId>,
    /// What rides in the first packet.
    pub payload: Option<Vec<u8>>,
    /// What the other side is granted; little, if nothing is said.
    pub set_up: Option<Vec<u8>>,
    /// Transports that it would rather speak.
    pub transports: Option<TransportOffer>,
}

/// An INIT by `identity` for `target`; everything in it is as it should be.
pub(crate) fn knock(identity: &Identity, target: Eid, wish: Wish, rng: &mut SecretRng) -> Option<Initiator> {
    let Wish { capability, attach, channel, payload, set_up, transports } = wish;
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 30_000, udp_payload_max: 1_472, ack_delay_max_us: 25_000 };
    let channel = channel.unwrap_or_else(|| ChannelId::from_u64(rng.visible().u64()));
    let mut opening = Opening::new(identity, channel, ciphers, limits, "structured");
    opening.capability = Some(capability).filter(|bytes| !bytes.is_empty());
    (opening.attach, opening.payload, opening.set_up) = (attach, payload, set_up);
    opening.transports = transports;
    Initiator::new(Family::Channel, identity, target, opening, rng).ok()
}

/// The same by somebody whom nobody has seen before.
pub(crate) fn knock_as_anybody(target: Eid, wish: Wish, keys: &mut SecretRng) -> Option<Initiator> {
    let identity = Identity::from_seed(keys.secret());
    knock(&identity, target, wish, keys)
}

impl Rogue {
    /// A peer at either end of an exchange.
    pub(crate) fn new(up: Established) -> Rogue {
        Rogue { remote_id: up.remote_id, armor: up.armor(), next: 1, received: RangeSet::new(), owes: false }
    }

    /// What the exchange has left, if it succeeded.
    pub(crate) fn from_reply(replied: Replied) -> Result<Rogue, Option<Box<Initiator>>> {
        match replied {
            Replied::Established(up, _) => Ok(Rogue::new(*up)),
            Replied::Ignored(initiator) => Err(Some(initiator)),
            Replied::Refused(_) | Replied::Broken(_) => Err(None),
        }
    }

    /// Leaves so many packet numbers out.
    pub fn skip(&mut self, numbers: u64) {
        self.next += numbers;
    }

    /// The highest number received, if any was.
    pub fn highest(&self) -> Option<u64> {
        self.received.max()
    }

    /// Takes an honest acknowledgment of what came, if one is owed.
    pub fn acknowledge(&mut self) -> Vec<u8> {
        match core::mem::take(&mut self.owes) && !self.received.is_empty() {
            true => crate::frames::acknowledgment(&self.received),
            false => Vec::new(),
        }
    }

    /// A sealed packet of these blocks, each left out if empty, with the next number; `None` when the keys are used up.
    pub fn seal(&mut self, acknowledgment: &[u8], control: &[u8], payload: &[u8]) -> Option<Vec<u8>> {
        let number = self.next;
        self.next += 1;
        let phase = self.armor.send_phase(number);
        let first = FirstByte {
            phase,
            ack: !acknowledgment.is_empty(),
            control: !control.is_empty(),
            at_once: false,
            number_len: NUMBER_LEN,
        };
        let header_len = NUMBER_AT + NUMBER_LEN;
        let mut packet = vec![first.to_byte(Mark::Channel)];
        packet.extend(self.remote_id.to_bytes());
        packet.extend((number as u32).to_be_bytes());
        packet.extend([acknowledgment, control, payload].concat());
        packet.resize(packet.len() + self.armor.tag_len(), 0);
        self.armor.seal(number, header_len, &mut packet).ok()?;
        self.armor.protect(NUMBER_AT, NUMBER_LEN, &mut packet);
        Some(packet)
    }

    /// Reads a packet in place.
    pub fn open(&mut self, packet: &mut [u8]) -> Heard {
        self.read(packet).unwrap_or(Heard::Nothing)
    }

    fn read(&mut self, packet: &mut [u8]) -> Option<Heard> {
        if packet.len() <= NUMBER_AT {
            return None;
        }
        self.armor.unprotect(NUMBER_AT, packet)?;
        let first = FirstByte::from_byte(packet[0]);
        let header_len = NUMBER_AT + first.number_len;
        let truncated = packet.get(NUMBER_AT..header_len)?.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let number = nearest(self.received.max().map_or(0, |highest| highest + 1), truncated, first.number_len);
        let len = self.armor.open(number, first.phase, header_len, packet).ok()?;
        self.received.insert(number..number + 1);
        self.received.remove(0..number.saturating_sub(REMEMBERED_MAX));
        self.owes = true;
        let mut reader = Reader::new(&packet[header_len..header_len + len]);
        if first.ack {
            AckBlock::parse(&mut reader).ok()?;
        }
        if first.control {
            let len = usize::try_from(reader.varint().ok()?).ok()?;
            let mut frames = Reader::new(reader.bytes(len).ok()?);
            while !frames.is_empty() {
                if let Control::Close { code, .. } = Control::parse(&mut frames).ok()? {
                    return Some(Heard::Close(code));
                }
            }
        }
        Some(Heard::Packet { payload: reader.rest().to_vec() })
    }
}

/// The number nearest to `expected` that ends in these bytes (RFC 9000 appendix A.3).
fn nearest(expected: u64, truncated: u64, len: usize) -> u64 {
    let window = 1 << (8 * len);
    let candidate = expected - expected % window + truncated;
    if candidate + window / 2 <= expected {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}
