//! Protection of a section between neighbours.

use core::fmt;

use tng_channel::{Armor, OpenError};
use tng_crypto::{HmacKey, Label, SecretRng, Suite, SyntheticKey, Zeroizing, hkdf, labels};

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

    fn derive<const N: usize>(&self, label: Label) -> Zeroizing<[u8; N]> {
        let mut out = Zeroizing::new([0; N]);
        hkdf::expand(&hkdf::extract(&[], &[&*self.0]), label, &[], &mut *out);
        out
    }

    /// What protects the packets of the section, at this end.
    pub fn armor(&self, end: End) -> HopArmor {
        let key = |from: End| HmacKey::new(&*self.derive::<32>(from.labels().0));
        HopArmor { send: key(end), receive: key(end.other()) }
    }

    /// What seals the set-up message that `from` sends.
    pub(crate) fn seal(&self, from: End) -> SyntheticKey {
        SyntheticKey::derive(Suite::Aes128Gcm, &hkdf::extract(&[], &[&*self.0]), from.labels().1)
    }
}

impl fmt::Debug for HopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HopKey(..)")
    }
}

/// Bytes of the truncated MAC.
pub const HOP_TAG_LEN: usize = 8;

/// A truncated HMAC-SHA-256 under a hop key over the whole packet and its full number. Nothing is hidden: a section's
/// header, acknowledgments and control are the neighbour's business, and what it carries has its own armor.
#[derive(Debug)]
pub struct HopArmor {
    send: HmacKey,
    receive: HmacKey,
}

impl HopArmor {
    fn tag(key: &HmacKey, number: u64, packet: &[u8]) -> [u8; HOP_TAG_LEN] {
        let full = key.tag(&[&number.to_be_bytes(), packet]);
        full[..HOP_TAG_LEN].try_into().expect("a MAC is longer than the tag")
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

    fn seal(&mut self, number: u64, _header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let (content, tag) = packet.split_at_mut(packet.len() - HOP_TAG_LEN);
        tag.copy_from_slice(&Self::tag(&self.send, number, content));
        Ok(())
    }

    fn protect(&self, _number_at: usize, _number_len: usize, _packet: &mut [u8]) {}

    fn unprotect(&self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        let number_len = usize::from(packet.first()? & 0b11) + 1;
        (packet.len() >= number_at + number_len + HOP_TAG_LEN).then_some(())
    }

    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        if phase || packet.len() < header_len + HOP_TAG_LEN {
            return Err(OpenError::Forged);
        }
        let (content, tag) = packet.split_at(packet.len() - HOP_TAG_LEN);
        if !tng_crypto::equal(&Self::tag(&self.receive, number, content), tag) {
            return Err(OpenError::Forged);
        }
        Ok(content.len() - header_len)
    }

    fn handle_acked(&mut self, _number: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(seed: u64) -> (Box<dyn Armor>, Box<dyn Armor>) {
        let key = HopKey::draw(&mut SecretRng::new([seed as u8; 32]));
        (Box::new(key.armor(End::Near)), Box::new(key.armor(End::Far)))
    }

    #[test]
    fn the_armor_of_a_section_is_one() {
        tng_channel::battery::armor(|| pair(1));
    }

    #[test]
    fn a_packet_opens_under_its_own_key_and_its_full_number_alone() {
        let ((mut near, mut far), (_, mut stranger)) = (pair(1), pair(2));
        let (header_len, number) = (9, 70_000);
        let mut packet = vec![0x80; header_len + 20 + HOP_TAG_LEN];
        near.seal(number, header_len, &mut packet).expect("there is room");
        for (armor, number) in [(&mut far, number + (1 << 16)), (&mut stranger, number)] {
            assert_eq!(armor.open(number, false, header_len, &mut packet.clone()), Err(OpenError::Forged));
        }
        assert_eq!(far.open(number, false, header_len, &mut packet), Ok(20));
    }

    #[test]
    fn a_key_is_given_to_a_neighbour_as_it_is_and_shown_to_nobody_else() {
        let key = HopKey::from_bytes([7; HOP_KEY_LEN]);
        assert_eq!(*key.expose(), [7; HOP_KEY_LEN]);
        assert_eq!(format!("{key:?}"), "HopKey(..)");
    }

    #[test]
    fn what_is_too_short_for_number_and_tag_is_no_packet() {
        let (near, _) = pair(1);
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
        let (mut near, mut far) = pair(1);
        let mut packet = vec![0x80; 5 + HOP_TAG_LEN];
        near.seal(3, 5, &mut packet).expect("there is room");
        assert_eq!(far.open(3, true, 5, &mut packet.clone()), Err(OpenError::Forged));
        assert_eq!(far.open(3, false, 9, &mut packet.clone()), Err(OpenError::Forged));
        assert_eq!(far.open(3, false, 5, &mut packet), Ok(0));
    }
}
