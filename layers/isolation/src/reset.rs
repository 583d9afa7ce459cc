//! Stateless reset: how a host that forgot a channel says so (wire.md, section 3.3).

use tng_base::{ChannelId, Rng};
use tng_channel::wire::{RESET_LEN_MIN, RESET_TOKEN_LEN, reset_len};
use tng_crypto::{HmacKey, Secret32, equal};

/// What shows that a reset comes from the host that gave out a channel id. Sent once, encrypted; then kept secret until
/// it is used.
#[derive(Clone, Copy)]
pub struct ResetToken([u8; RESET_TOKEN_LEN]);

impl ResetToken {
    /// The token with these bytes.
    pub const fn from_bytes(bytes: [u8; RESET_TOKEN_LEN]) -> ResetToken {
        ResetToken(bytes)
    }

    /// The token's bytes.
    pub const fn as_bytes(&self) -> &[u8; RESET_TOKEN_LEN] {
        &self.0
    }

    /// Whether `packet`, as received or after failing to open, is a reset with this token. Constant time.
    pub fn ends(&self, packet: &[u8]) -> bool {
        packet.len() >= RESET_LEN_MIN && equal(&packet[packet.len() - RESET_TOKEN_LEN..], &self.0)
    }
}

impl PartialEq for ResetToken {
    fn eq(&self, other: &ResetToken) -> bool {
        equal(&self.0, &other.0)
    }
}

impl Eq for ResetToken {}

impl core::fmt::Debug for ResetToken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ResetToken(..)")
    }
}

/// A host's key for its tokens.
#[derive(Debug)]
pub struct ResetKey(HmacKey);

impl ResetKey {
    /// The key that `secret` is. Hosts that answer for one another share it.
    pub fn new(secret: Secret32) -> ResetKey {
        ResetKey(HmacKey::new(secret.expose()))
    }

    /// The token of one of this host's channel ids.
    pub fn token(&self, id: ChannelId) -> ResetToken {
        let tag = self.0.tag(&[&id.to_bytes()]);
        let mut token = [0; RESET_TOKEN_LEN];
        token.copy_from_slice(&tag[..RESET_TOKEN_LEN]);
        ResetToken(token)
    }

    /// The reset that answers a packet of `answered_len` bytes for the unknown `id`, if there is one
    /// ([`reset_len`]). `rng` is the one for what is visible.
    pub fn write(&self, id: ChannelId, answered_len: usize, rng: &mut Rng) -> Option<Vec<u8>> {
        let len = reset_len(answered_len)?;
        let mut reset = vec![0; len];
        let (random, token) = reset.split_at_mut(len - RESET_TOKEN_LEN);
        rng.fill(random);
        random[0] = 0x40 | random[0] & 0x3f;
        token.copy_from_slice(self.token(id).as_bytes());
        Some(reset)
    }
}

#[cfg(test)]
mod tests {
    use tng_channel::wire::RESET_LEN_MAX;

    use super::*;

    fn key() -> ResetKey {
        ResetKey::new(Secret32::from_bytes([5; 32]))
    }

    #[test]
    fn a_reset_is_known_by_the_token_of_its_channel_alone() {
        let (id, other) = (ChannelId::from_u64(1), ChannelId::from_u64(2));
        let reset = key().write(id, 1200, &mut Rng::from_u64(1)).unwrap();
        assert!(key().token(id).ends(&reset));
        assert!(!key().token(other).ends(&reset));
        assert!(!ResetKey::new(Secret32::from_bytes([6; 32])).token(id).ends(&reset));
        assert!(!key().token(id).ends(&reset[reset.len() - 16..]), "a token alone is no reset");
        assert_eq!(reset[0] >> 6, 0b01);
    }

    #[test]
    fn resets_shrink_so_that_two_hosts_cannot_reset_each_other_for_ever() {
        let mut rng = Rng::from_u64(1);
        let mut len = 1200;
        let mut rounds = 0;
        while let Some(reset) = key().write(ChannelId::from_u64(1), len, &mut rng) {
            assert!(reset.len() < len && (RESET_LEN_MIN..=RESET_LEN_MAX).contains(&reset.len()));
            len = reset.len();
            rounds += 1;
        }
        assert_eq!(rounds, 6);
    }

    #[test]
    fn tokens_are_compared_whole_and_never_shown() {
        let token = |id| key().token(ChannelId::from_u64(id));
        assert_eq!(token(1), token(1));
        assert_ne!(token(1), token(2));
        assert_eq!(format!("{:?}", token(1)), "ResetToken(..)");
    }

    #[test]
    fn a_packet_as_short_as_a_reset_is_answered_by_none() {
        let answer = |len| key().write(ChannelId::from_u64(1), len, &mut Rng::from_u64(1)).map(|reset| reset.len());
        assert_eq!(answer(0), None);
        assert_eq!(answer(23), None);
        assert_eq!(answer(24), Some(23));
        assert_eq!(answer(2_000), Some(43));
    }
}
