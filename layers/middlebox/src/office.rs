//! Capabilities: who may use this helper, and how much of it.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::{Forged, NONCE_LEN, Secret32, Suite, SyntheticKey, TAG_LEN, Zeroizing, hkdf, labels};
use tng_flow::wire::Refusal;
use tng_flow::{Capability, CapabilityKey, HOP_KEY_LEN};
use tng_wire::{Malformed, Reader, Writer};

/// Who holds a capability, as far as the helper cares: what it shares its room by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientTag(pub u64);

/// The bits at the top of a tag that say that its holder was offered it in the path.
const IN_PATH: u64 = 0b01 << 62;

impl ClientTag {
    /// Of somebody who was offered help in the path: it meets no tag whose two highest bits are others.
    pub const fn in_path(hash: u64) -> ClientTag {
        ClientTag(hash >> 2 | IN_PATH)
    }

    /// Whether its holder was.
    pub const fn is_in_path(self) -> bool {
        self.0 >> 62 == IN_PATH >> 62
    }
}

/// What a capability says.
#[derive(Clone, Debug)]
pub struct Grant {
    /// What its holder proves itself with.
    pub key: CapabilityKey,
    /// Whose it is.
    pub client: ClientTag,
    /// When it ends.
    pub until: Instant,
    /// For how many flows at once.
    pub flows_max: u16,
    /// Whether tunnels may end here: the helper passes on whatever legacy datagrams come out of them.
    pub tunnels: bool,
}

/// What a capability is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// For how long.
    pub life: Duration,
    /// For how many flows at once; at most [`FLOWS_MAX`].
    pub flows_max: u16,
    /// Whether tunnels may end here, too.
    pub tunnels: bool,
}

/// Most flows that a capability is good for at once.
pub const FLOWS_MAX: u16 = TUNNELS - 1;

/// The bit beside the number of flows that says that tunnels may end here.
const TUNNELS: u16 = 1 << 15;

impl From<(Duration, u16)> for Terms {
    /// So long, and for so many flows; no tunnels.
    fn from((life, flows_max): (Duration, u16)) -> Terms {
        Terms { life, flows_max, tunnels: false }
    }
}

/// What is sealed: client, end in seconds since 1970, flows and the bit for tunnels. The key need not be told, it
/// follows from the nonce.
const SEALED_LEN: usize = 8 + 4 + 2;

/// Bytes of a capability, as shown.
pub const SHOWN_LEN: usize = NONCE_LEN + SEALED_LEN + TAG_LEN;

/// Gives capabilities out, and knows them again without having kept any.
#[derive(Debug)]
pub struct Office {
    seal: SyntheticKey,
    /// For the keys of capabilities.
    keys: Secret32,
    /// The time of day at [`Instant::ZERO`], in ms since 1970.
    epoch_ms: u64,
}

impl Office {
    /// The office of the helper with this secret, to whose driver [`Instant::ZERO`] is `epoch_ms` since 1970:
    /// capabilities outlive a restart, and instants do not.
    pub fn new(secret: &Secret32, epoch_ms: u64) -> Office {
        Office {
            seal: SyntheticKey::derive(Suite::Aes128Gcm, secret, labels::HELP),
            keys: hkdf::expand_secret(secret, labels::HELP_KEYS, &[]),
            epoch_ms,
        }
    }

    /// A capability for `client` on these terms. `fresh` is 32 bytes of the system's that nobody else has: two
    /// capabilities are the same only if these are, too, with client, end and terms. So a copy of this helper that is
    /// handed the same ones gives out nothing that weakens the other's.
    pub fn issue(
        &self,
        now: Instant,
        client: ClientTag,
        terms: impl Into<Terms>,
        fresh: impl Into<Secret32>,
    ) -> Capability {
        let Terms { life, flows_max, tunnels } = terms.into();
        let flows = flows_max.min(FLOWS_MAX) | if tunnels { TUNNELS } else { 0 };
        let mut shown = vec![0; SHOWN_LEN];
        let (head, sealed) = shown.split_at_mut(NONCE_LEN);
        let until_s = self.time_of_day_ms(now + life) / 1_000;
        let mut writer = Writer::new(sealed);
        let written = writer
            .u64(client.0)
            .and_then(|()| writer.u32(u32::try_from(until_s).unwrap_or(u32::MAX)))
            .and_then(|()| writer.u16(flows));
        debug_assert!(written.is_ok(), "the room was counted");
        let nonce = self.seal.seal(fresh.into().expose(), &[], sealed);
        head.copy_from_slice(&nonce);
        Capability { shown, key: self.key(&nonce) }
    }

    /// What a capability says that somebody shows.
    ///
    /// # Errors
    /// [`Refusal::UnknownCapability`], or [`Refusal::Expired`].
    pub fn open(&self, now: Instant, shown: &[u8]) -> Result<Grant, Refusal> {
        let (nonce, sealed) = shown.split_first_chunk::<NONCE_LEN>().ok_or(Refusal::UnknownCapability)?;
        let sealed: [u8; SEALED_LEN + TAG_LEN] = sealed.try_into().map_err(|_| Refusal::UnknownCapability)?;
        let mut sealed = Zeroizing::new(sealed);
        self.seal.open(*nonce, &[], &mut sealed[..]).map_err(|Forged| Refusal::UnknownCapability)?;
        let mut reader = Reader::new(&sealed[..SEALED_LEN]);
        let mut read = || Ok::<_, Malformed>((ClientTag(reader.u64()?), reader.u32()?, reader.u16()?));
        let (client, until_s, flows) = read().map_err(|Malformed| Refusal::UnknownCapability)?;
        let left_ms = (u64::from(until_s) * 1_000).saturating_sub(self.time_of_day_ms(now));
        if left_ms == 0 {
            return Err(Refusal::Expired);
        }
        let (flows_max, tunnels) = (flows & FLOWS_MAX, flows & TUNNELS != 0);
        Ok(Grant { key: self.key(nonce), client, until: now + Duration::from_millis(left_ms), flows_max, tunnels })
    }

    fn key(&self, nonce: &[u8; NONCE_LEN]) -> CapabilityKey {
        let mut key = Zeroizing::new([0; HOP_KEY_LEN]);
        hkdf::expand(&self.keys, labels::HELP_KEYS, nonce, &mut key[..]);
        CapabilityKey::from_bytes(*key)
    }

    fn time_of_day_ms(&self, at: Instant) -> u64 {
        self.epoch_ms.saturating_add(at.since(Instant::ZERO).as_millis() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn a_capability_is_known_again_until_it_ends_also_after_a_restart() {
        let secret = Secret32::from_bytes([7; 32]);
        let office = Office::new(&secret, 1_000_000);
        let now = Instant::from_secs(10);
        let capability = office.issue(now, ClientTag(5), (HOUR, 3), [9; 32]);
        let grant = office.open(now, &capability.shown).expect("its own");
        assert_eq!((grant.client, grant.flows_max, grant.until), (ClientTag(5), 3, now + HOUR));
        assert!(!grant.tunnels);
        assert_eq!(grant.key.expose(), capability.key.expose());
        assert_eq!(office.open(now + HOUR, &capability.shown).unwrap_err(), Refusal::Expired);

        let restarted = Office::new(&secret, 1_000_000 + 600_000);
        let grant = restarted.open(Instant::ZERO, &capability.shown).expect("it has the same secret");
        assert_eq!(grant.until, Instant::ZERO + HOUR - Duration::from_secs(590));
    }

    #[test]
    fn tunnels_are_granted_apart_and_flows_in_no_number_that_would_grant_them() {
        let office = Office::new(&Secret32::from_bytes([7; 32]), 0);
        for tunnels in [true, false] {
            let terms = Terms { life: HOUR, flows_max: u16::MAX, tunnels };
            let shown = office.issue(Instant::ZERO, ClientTag(5), terms, [9; 32]).shown;
            let grant = office.open(Instant::ZERO, &shown).expect("its own");
            assert_eq!((grant.flows_max, grant.tunnels), (FLOWS_MAX, tunnels));
        }
    }

    #[test]
    fn what_another_helper_gave_out_and_what_was_touched_is_unknown() {
        let office = Office::new(&Secret32::from_bytes([1; 32]), 0);
        let other = Office::new(&Secret32::from_bytes([2; 32]), 0);
        let shown = other.issue(Instant::ZERO, ClientTag(1), (HOUR, 1), [9; 32]).shown;
        assert_eq!(office.open(Instant::ZERO, &shown).unwrap_err(), Refusal::UnknownCapability);
        let shown = office.issue(Instant::ZERO, ClientTag(1), (HOUR, 1), [9; 32]).shown;
        for at in 0..shown.len() {
            let mut touched = shown.clone();
            touched[at] ^= 1;
            assert_eq!(office.open(Instant::ZERO, &touched).unwrap_err(), Refusal::UnknownCapability, "byte {at}");
            assert_eq!(office.open(Instant::ZERO, &shown[..at]).unwrap_err(), Refusal::UnknownCapability);
        }
    }

    #[test]
    fn copies_of_a_helper_give_out_capabilities_under_nonces_of_their_own() {
        let offices = [7, 7].map(|secret| Office::new(&Secret32::from_bytes([secret; 32]), 0));
        let issue = |office: &Office, client, fresh| {
            office.issue(Instant::ZERO, ClientTag(client), (HOUR, 3), [fresh; 32]).shown
        };
        let nonce = |shown: &[u8]| shown[..NONCE_LEN].to_vec();
        let [one, other] = &offices;
        assert_ne!(nonce(&issue(one, 5, 1)), nonce(&issue(other, 5, 2)));
        // Not even with the same entropy does one nonce stand over two texts.
        assert_ne!(nonce(&issue(one, 5, 1)), nonce(&issue(other, 6, 1)));
        assert_eq!(issue(one, 5, 1), issue(other, 5, 1), "control: one text, one capability");
    }
}
