//! Armors for tests and measurements. They protect nothing.

use crate::{Armor, OpenError};

/// Seals and masks nothing: the floor for measurements.
#[derive(Clone, Copy, Debug)]
pub struct NoArmor;

impl Armor for NoArmor {
    fn tag_len(&self) -> usize {
        16
    }

    fn send_phase(&mut self, _number: u64) -> bool {
        false
    }

    fn seal(&mut self, _number: u64, _header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let at = packet.len() - 16;
        packet[at..].fill(0);
        Ok(())
    }

    fn protect(&self, _number_at: usize, _number_len: usize, _packet: &mut [u8]) {}

    fn unprotect(&mut self, _number_at: usize, _packet: &mut [u8]) -> Option<()> {
        Some(())
    }

    fn open(&mut self, _number: u64, _phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        (packet.len() - header_len).checked_sub(16).ok_or(OpenError::Forged)
    }

    fn handle_acked(&mut self, _number: u64) {}
}

/// One direction of a [`ChecksumArmor`].
#[derive(Clone, Copy, Debug)]
struct Direction {
    key: u64,
    phase: u64,
    /// First number of the phase.
    since: u64,
}

impl Direction {
    fn new(key: u64) -> Direction {
        Direction { key, phase: 0, since: 0 }
    }

    fn mask(&self, sample: &[u8]) -> [u8; 5] {
        let bits = mix(self.key, sample).to_be_bytes();
        [bits[0], bits[1], bits[2], bits[3], bits[4]]
    }

    fn tag(&self, phase: u64, number: u64, bytes: &[u8]) -> [u8; 16] {
        let a = mix(self.key ^ phase.rotate_left(32) ^ number.rotate_left(7), bytes);
        (u128::from(a) << 64 | u128::from(mix(a, &[]))).to_be_bytes()
    }
}

/// A keyed checksum with masked headers and phases: code that does not look inside sees an AEAD.
#[derive(Clone, Debug)]
pub struct ChecksumArmor {
    send: Direction,
    open: Direction,
    tag_len: usize,
    /// Headers are masked.
    masked: bool,
    /// Packets per phase.
    phase_len: u64,
    /// Packets that may be sealed.
    limit: u64,
    /// One of the present phase's packets was acknowledged.
    confirmed: bool,
}

impl ChecksumArmor {
    /// Both ends' armors. A new phase begins after `phase_len` packets, the tag has `tag_len` bytes (1 to 16).
    pub fn pair(seed: u64, tag_len: usize, phase_len: u64) -> (ChecksumArmor, ChecksumArmor) {
        let end = |send: u64, open: u64| ChecksumArmor {
            send: Direction::new(send),
            open: Direction::new(open),
            tag_len: tag_len.clamp(1, 16),
            masked: true,
            phase_len,
            limit: u64::MAX,
            confirmed: false,
        };
        let (a, b) = (mix(seed, b"a"), mix(seed, b"b"));
        (end(a, b), end(b, a))
    }

    /// The same with headers that everybody can read, as in weak mode and on sections.
    pub fn unmasked(self) -> ChecksumArmor {
        ChecksumArmor { masked: false, ..self }
    }

    /// At most `packets` can be sealed.
    pub fn set_limit(&mut self, packets: u64) {
        self.limit = packets;
    }

    /// Phases sent, and phases followed.
    pub fn phases(&self) -> (u64, u64) {
        (self.send.phase, self.open.phase)
    }
}

/// The first byte's low bits and the number, xored with the mask.
fn apply(mask: [u8; 5], number_at: usize, number_len: usize, packet: &mut [u8]) {
    for (byte, mask) in packet[number_at..number_at + number_len].iter_mut().zip(&mask[1..]) {
        *byte ^= mask;
    }
}

impl Armor for ChecksumArmor {
    fn tag_len(&self) -> usize {
        self.tag_len
    }

    fn sample_len(&self) -> usize {
        if self.masked { 16 } else { 0 }
    }

    fn send_phase(&mut self, number: u64) -> bool {
        if self.confirmed && number - self.send.since >= self.phase_len {
            self.send = Direction { phase: self.send.phase + 1, since: number, ..self.send };
            self.confirmed = false;
        }
        self.send.phase & 1 == 1
    }

    fn seal(&mut self, number: u64, _header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        if number > self.limit {
            return Err(OpenError::Exhausted);
        }
        let (content, tag) = packet.split_at_mut(packet.len() - self.tag_len);
        tag.copy_from_slice(&self.send.tag(self.send.phase, number, content)[..self.tag_len]);
        Ok(())
    }

    fn protect(&self, number_at: usize, number_len: usize, packet: &mut [u8]) {
        if !self.masked {
            return;
        }
        let mask = self.send.mask(&packet[number_at + 4..number_at + 20]);
        packet[0] ^= mask[0] & 0x3f;
        apply(mask, number_at, number_len, packet);
    }

    fn unprotect(&mut self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        if !self.masked {
            return Some(());
        }
        let mask = self.open.mask(packet.get(number_at + 4..number_at + 20)?);
        packet[0] ^= mask[0] & 0x3f;
        apply(mask, number_at, usize::from(packet[0] & 3) + 1, packet);
        Some(())
    }

    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        let at = packet.len().checked_sub(self.tag_len).filter(|&at| at >= header_len).ok_or(OpenError::Forged)?;
        let (content, tag) = packet.split_at(at);
        let phase = match (phase == (self.open.phase & 1 == 1), number < self.open.since) {
            (true, _) => self.open.phase,
            (false, true) => self.open.phase.wrapping_sub(1),
            (false, false) => self.open.phase + 1,
        };
        if self.open.tag(phase, number, content)[..self.tag_len] != *tag {
            return Err(OpenError::Forged);
        }
        if phase == self.open.phase + 1 {
            self.open = Direction { phase, since: number, ..self.open };
        } else if phase == self.open.phase {
            self.open.since = self.open.since.min(number);
        }
        Ok(at - header_len)
    }

    fn handle_acked(&mut self, number: u64) {
        self.confirmed |= number >= self.send.since;
    }
}

/// FNV-1a and a finalizer.
fn mix(key: u64, bytes: &[u8]) -> u64 {
    let mut hash = key ^ 0xcbf2_9ce4_8422_2325;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word) ^ chunk.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::battery;

    #[test]
    fn the_checksum_armor_behaves_like_an_armor() {
        for tag_len in [4, 8, 16] {
            battery::armor(|| {
                let (a, b) = ChecksumArmor::pair(1, tag_len, 64);
                (Box::new(a), Box::new(b))
            });
            battery::armor(|| {
                let (a, b) = ChecksumArmor::pair(1, tag_len, 64);
                (Box::new(a.unmasked()), Box::new(b.unmasked()))
            });
        }
    }
}
