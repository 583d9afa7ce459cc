//! Protection of a section between neighbours.

use core::fmt;

use tng_channel::wire::payload_at;
use tng_channel::{Armor, OpenError};
use tng_crypto::{Label, NH_TAG_LEN, NhKey, Secret32, SecretRng, Suite, SyntheticKey, Zeroizing, hkdf, labels};

/// Bytes of a hop key.
pub const HOP_KEY_LEN: usize = 16;

/// Which of a section's two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The one nearer to the initiator of the path.
    Near,
    /// The one nearer to the responder.
    Far,
}

impl End {
    /// The other one.
    pub const fn other(self) -> End {
        match self {
            End::Near => End::Far,
            End::Far => End::Near,
        }
    }

    /// Labels of what this end sends: packets, and the message that sets the section up.
    const fn labels(self) -> (Label, Label) {
        match self {
            End::Near => (labels::HOP_OUTWARD, labels::JOIN),
            End::Far => (labels::HOP_HOMEWARD, labels::JOINED),
        }
    }
}

/// What a section carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carries {
    /// Packets of an end-to-end channel, which has a seal of its own around each.
    Sealed,
    /// Datagrams as they are: those of a tunnel.
    Plain,
}

/// What two neighbours share: drawn by the initiator of the path for each of its sections.
#[derive(Clone)]
pub struct HopKey(Zeroizing<[u8; HOP_KEY_LEN]>);

impl HopKey {
    /// A fresh one.
    pub fn draw(rng: &mut SecretRng) -> HopKey {
        let secret = rng.secret();
        HopKey(Zeroizing::new(core::array::from_fn(|at| secret.expose()[at])))
    }

    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; HOP_KEY_LEN]) -> HopKey {
        HopKey(Zeroizing::new(bytes))
    }

    /// The bytes, for the message that gives it to a neighbour.
    pub fn expose(&self) -> &[u8; HOP_KEY_LEN] {
        &self.0
    }

    fn secret(&self) -> Secret32 {
        hkdf::extract(&[], &[&*self.0])
    }

    /// What protects the packets of the section, at this end.
    pub fn armor(&self, end: End, carries: Carries) -> HopArmor {
        HopArmor { key: self.clone(), end, carries, keys: None }
    }

    fn keys(&self, end: End) -> Box<Keys> {
        let secret = self.secret();
        let key = |from: End| NhKey::derive(&secret, from.labels().0);
        Box::new(Keys { send: key(end), receive: key(end.other()) })
    }

    /// What seals the set-up message that `from` sends.
    pub(crate) fn seal(&self, from: End) -> SyntheticKey {
        SyntheticKey::derive(Suite::Aes128Gcm, &self.secret(), from.labels().1)
    }
}

impl fmt::Debug for HopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HopKey(..)")
    }
}

/// Bytes of a section packet's MAC.
pub const HOP_TAG_LEN: usize = NH_TAG_LEN;

/// Of a sealed packet that a section carries, the bytes at its start that the section's MAC covers.
pub const HOP_COVERED_LEN: usize = 32;

/// A MAC under a hop key ([`NhKey`]) over a packet's full number, its length, its header, acknowledgment and control
/// blocks, and the first [`HOP_COVERED_LEN`] bytes of what it carries; over the whole packet if what it carries has no
/// seal of its own, or if its blocks do not end within it. Nothing is hidden: all of this is the neighbour's business.
#[derive(Debug)]
pub struct HopArmor {
    key: HopKey,
    end: End,
    carries: Carries,
    /// What follows from the key, while packets come and go: it takes ten times as much memory as all else.
    keys: Option<Box<Keys>>,
}

#[derive(Debug)]
struct Keys {
    send: NhKey,
    receive: NhKey,
}

impl HopArmor {
    /// Once, and after each rest.
    #[cold]
    #[inline(never)]
    fn wake(&mut self) -> &mut HopArmor {
        self.keys = Some(self.key.keys(self.end));
        self
    }

    /// Bytes of a packet without its MAC, and those of them that are covered.
    #[inline]
    fn covered<'a>(&self, header_len: usize, content: &'a [u8]) -> (u32, &'a [u8]) {
        let end = match self.carries {
            Carries::Sealed => payload_at(header_len, content).map(|at| at + HOP_COVERED_LEN),
            Carries::Plain => None,
        };
        // Packets are shorter than 2^16 bytes.
        (content.len() as u32, end.and_then(|end| content.get(..end)).unwrap_or(content))
    }
}

impl Armor for HopArmor {
    fn tag_len(&self) -> usize {
        HOP_TAG_LEN
    }

    fn sample_len(&self) -> usize {
        0
    }

    fn send_phase(&mut self, _number: u64) -> bool {
        false
    }

    fn seal(&mut self, number: u64, header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let Some(keys) = &self.keys else { return self.wake().seal(number, header_len, packet) };
        let (content, tag) = packet.split_at_mut(packet.len() - HOP_TAG_LEN);
        let (len, covered) = self.covered(header_len, content);
        tag.copy_from_slice(&keys.send.tag(number, len, covered));
        Ok(())
    }

    fn protect(&self, _number_at: usize, _number_len: usize, _packet: &mut [u8]) {}

    fn unprotect(&mut self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        let number_len = usize::from(packet.first()? & 0b11) + 1;
        (packet.len() >= number_at + number_len + HOP_TAG_LEN).then_some(())
    }

    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        if phase || packet.len() < header_len + HOP_TAG_LEN {
            return Err(OpenError::Forged);
        }
        let Some(keys) = &self.keys else { return self.wake().open(number, phase, header_len, packet) };
        let (content, tag) = packet.split_at(packet.len() - HOP_TAG_LEN);
        let (len, covered) = self.covered(header_len, content);
        if !keys.receive.verify(number, len, covered, tag) {
            return Err(OpenError::Forged);
        }
        Ok(content.len() - header_len)
    }

    fn handle_acked(&mut self, _number: u64) {}

    fn shrink(&mut self) {
        self.keys = None;
    }
}

#[cfg(test)]
mod tests {
    use tng_channel::wire::{FirstByte, Mark, NUMBER_AT};

    use super::*;

    /// The two ends of a section.
    fn pair(seed: u64, carries: Carries) -> (Box<dyn Armor>, Box<dyn Armor>) {
        let key = HopKey::draw(&mut SecretRng::new([seed as u8; 32]));
        (Box::new(key.armor(End::Near, carries)), Box::new(key.armor(End::Far, carries)))
    }

    /// A packet of `carried` bytes behind these blocks, sealed.
    fn sealed(armor: &mut dyn Armor, number: u64, (ack, control): (&[u8], &[u8]), carried: usize) -> Vec<u8> {
        let [has_ack, has_control] = [ack, control].map(|block| !block.is_empty());
        let first = FirstByte { phase: false, ack: has_ack, control: has_control, at_once: false, number_len: 2 };
        let mut packet = vec![first.to_byte(Mark::Section), 1, 2, 3, 4, 5, 6];
        packet.extend(&number.to_be_bytes()[6..]);
        packet.extend([ack, control].concat());
        packet.extend((0..carried).map(|at| at as u8));
        packet.extend([0; HOP_TAG_LEN]);
        armor.seal(number, NUMBER_AT + 2, &mut packet).expect("there is room");
        packet
    }

    fn opens(armor: &mut dyn Armor, number: u64, packet: &[u8]) -> bool {
        armor.open(number, false, NUMBER_AT + 2, &mut packet.to_vec()).is_ok()
    }

    /// Two ranges, R and E.
    const ACK: &[u8] = &[0xc2, 9, 0x40, 100, 3, 0, 1, 12, 5, 0, 1];
    /// Three PADs, and a PING.
    const CONTROL: &[u8] = &[4, 0, 0, 0, 1];

    #[test]
    fn the_armor_of_a_tunnels_section_is_one() {
        tng_channel::battery::armor(|| pair(1, Carries::Plain));
    }

    #[test]
    fn the_armor_of_a_section_is_one_but_for_what_has_another() {
        let fresh = || pair(1, Carries::Sealed);
        tng_channel::battery::round_trip(fresh());
        tng_channel::battery::directions(fresh());
        tng_channel::battery::phases(fresh());
    }

    #[test]
    fn every_byte_of_a_tunnels_packet_is_covered() {
        for (blocks, carried) in [((ACK, CONTROL), 1_400), ((&[][..], &[][..]), 40), ((ACK, &[][..]), 0)] {
            let (mut near, mut far) = pair(1, Carries::Plain);
            let packet = sealed(&mut *near, 7, blocks, carried);
            for bit in 0..packet.len() * 8 {
                let mut changed = packet.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(!opens(&mut *far, 7, &changed), "bit {bit} of {} bytes", packet.len());
            }
            assert!(opens(&mut *far, 7, &packet));
        }
    }

    #[test]
    fn of_a_sealed_packet_header_blocks_length_and_32_bytes_are_covered() {
        for blocks in [(&[][..], &[][..]), (ACK, &[][..]), (&[][..], CONTROL), (ACK, CONTROL)] {
            for carried in [0, 1, 31, 32, 33, 100, 1_400] {
                let (mut near, mut far) = pair(1, Carries::Sealed);
                let packet = sealed(&mut *near, 7, blocks, carried);
                let covered = NUMBER_AT + 2 + blocks.0.len() + blocks.1.len() + carried.min(HOP_COVERED_LEN);
                let tag = packet.len() - HOP_TAG_LEN..packet.len();
                for bit in 0..packet.len() * 8 {
                    let mut changed = packet.clone();
                    changed[bit / 8] ^= 1 << (bit % 8);
                    let shows = bit / 8 < covered || tag.contains(&(bit / 8));
                    // Control: what is beyond is for the seal of what is carried.
                    assert_eq!(opens(&mut *far, 7, &changed), !shows, "bit {bit} of {} bytes", packet.len());
                }
                for len in NUMBER_AT + 2 + HOP_TAG_LEN..packet.len() {
                    let cut = [&packet[..len - HOP_TAG_LEN], &packet[tag.start..]].concat();
                    assert!(!opens(&mut *far, 7, &packet[..len]) && !opens(&mut *far, 7, &cut), "cut to {len}");
                }
                let longer = [&packet[..tag.start], &[0], &packet[tag.start..]].concat();
                assert!(!opens(&mut *far, 7, &longer), "and one byte more");
                for number in [6, 8, 7 + (1 << 16), 7 + (1 << 61)] {
                    assert!(!opens(&mut *far, number, &packet), "as number {number}");
                }
                assert!(opens(&mut *far, 7, &packet), "attempts left a trace");
            }
        }
    }

    #[test]
    fn what_has_blocks_without_an_end_is_covered_as_a_whole() {
        // Nine bytes of control, but only four are there; sixty-three ranges.
        for blocks in [(&[][..], &[9, 0, 0, 0, 1][..]), (&[0x3f, 1, 1, 1][..], &[][..])] {
            let (mut near, mut far) = pair(1, Carries::Sealed);
            let packet = sealed(&mut *near, 7, blocks, 0);
            for at in 0..packet.len() {
                let mut changed = packet.clone();
                changed[at] ^= 1;
                assert!(!opens(&mut *far, 7, &changed), "byte {at}");
            }
            assert!(opens(&mut *far, 7, &packet), "what it says is for others to judge");
        }
    }

    #[test]
    fn a_section_and_a_tunnels_section_do_not_understand_each_other() {
        let ((mut near, _), (_, mut far)) = (pair(1, Carries::Sealed), pair(1, Carries::Plain));
        let packet = sealed(&mut *near, 7, (&[], &[]), 100);
        assert!(!opens(&mut *far, 7, &packet));
        // Control: where all is covered, it is the same.
        let packet = sealed(&mut *near, 8, (&[], &[]), HOP_COVERED_LEN);
        assert!(opens(&mut *far, 8, &packet));
    }

    #[test]
    fn a_packet_opens_under_its_own_key_and_its_full_number_alone() {
        let ((mut near, mut far), (_, mut stranger)) = (pair(1, Carries::Sealed), pair(2, Carries::Sealed));
        let (header_len, number) = (9, 70_000);
        let mut packet = vec![0x81; header_len + 20 + HOP_TAG_LEN];
        near.seal(number, header_len, &mut packet).expect("there is room");
        for (armor, number) in [(&mut far, number + (1 << 16)), (&mut stranger, number)] {
            assert_eq!(armor.open(number, false, header_len, &mut packet.clone()), Err(OpenError::Forged));
        }
        assert_eq!(far.open(number, false, header_len, &mut packet), Ok(20));
    }

    #[test]
    fn a_section_that_has_rested_goes_on_under_its_key() {
        let (mut near, mut far) = pair(1, Carries::Sealed);
        for number in 1..4 {
            let packet = sealed(&mut *near, number, (ACK, CONTROL), 100);
            assert!(opens(&mut *far, number, &packet), "{number}");
            [&mut near, &mut far][number as usize % 2].shrink();
            assert!(opens(&mut *far, number, &packet), "{number} again");
        }
    }

    #[test]
    fn a_section_that_rests_keeps_nothing_but_its_key() {
        let mut armor = HopKey::draw(&mut SecretRng::new([7; 32])).armor(End::Near, Carries::Sealed);
        assert!(armor.keys.is_none());
        sealed(&mut armor, 1, (ACK, CONTROL), 100);
        assert!(armor.keys.is_some());
        armor.shrink();
        assert!(armor.keys.is_none());
    }

    #[test]
    fn a_key_is_given_to_a_neighbour_as_it_is_and_shown_to_nobody_else() {
        let key = HopKey::from_bytes([7; HOP_KEY_LEN]);
        assert_eq!(*key.expose(), [7; HOP_KEY_LEN]);
        assert_eq!(format!("{key:?}"), "HopKey(..)");
    }

    #[test]
    fn what_is_too_short_for_number_and_tag_is_no_packet() {
        let (mut near, _) = pair(1, Carries::Sealed);
        assert_eq!(near.sample_len(), 0, "nothing is masked");
        for number_len in 1..=4 {
            let mut packet = vec![0x80 | (number_len as u8 - 1); 7 + number_len + HOP_TAG_LEN];
            assert_eq!(near.unprotect(7, &mut packet), Some(()));
            packet.pop();
            assert_eq!(near.unprotect(7, &mut packet), None, "{number_len}");
        }
    }

    #[test]
    fn an_authentic_packet_opens_neither_in_another_phase_nor_with_a_longer_header() {
        let (mut near, mut far) = pair(1, Carries::Sealed);
        let mut packet = vec![0x80; 5 + HOP_TAG_LEN];
        near.seal(3, 5, &mut packet).expect("there is room");
        assert_eq!(far.open(3, true, 5, &mut packet.clone()), Err(OpenError::Forged));
        assert_eq!(far.open(3, false, 9, &mut packet.clone()), Err(OpenError::Forged));
        assert_eq!(far.open(3, false, 5, &mut packet), Ok(0));
    }
}
