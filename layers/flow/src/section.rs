//! Protection of a section between neighbours.

use tng_channel::{Armor, OpenError};
use tng_crypto::HmacKey;

/// Bytes of the truncated MAC.
pub const HOP_TAG_LEN: usize = 8;

/// A truncated HMAC-SHA-256 under a hop key over the whole packet and its full number. Nothing is hidden: a section's header,
/// acknowledgments and control are the neighbour's business, and what it carries has its own armor.
#[derive(Debug)]
pub struct HopArmor {
    send: HmacKey,
    receive: HmacKey,
}

impl HopArmor {
    /// Armor from the keys of the two directions.
    pub fn new(send: HmacKey, receive: HmacKey) -> HopArmor {
        HopArmor { send, receive }
    }

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
        (packet.len() >= number_at + 4 + HOP_TAG_LEN).then_some(())
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
