//! Packets sealed by an AEAD, their headers masked, their keys renewed in place.

use core::fmt;

use tng_channel::{Armor, OpenError};
use tng_crypto::{AeadKey, HeaderKey, NONCE_LEN, SAMPLE_LEN, Secret32, Suite, TAG_LEN, hkdf, labels};

/// Packets sealed in a phase before the sender looks for an occasion to start the next.
pub const RENEW_AFTER: u64 = 1 << 22;
/// Most packets sealed by one AES-GCM key (RFC 9001, section 6.6).
pub const SEALS_MAX_GCM: u64 = 1 << 23;
/// Most packets of one channel that fail to open under AES-GCM (RFC 9001, section 6.6).
pub const FORGERIES_MAX_GCM: u64 = 1 << 52;
/// Most packets of one channel that fail to open under ChaCha20-Poly1305 (RFC 9001, section 6.6).
pub const FORGERIES_MAX_CHACHA: u64 = 1 << 36;

/// The bits of the first byte that are masked.
const MASKED: u8 = 0x3f;
/// The sample stands this far behind the start of the number (RFC 9001, section 5.4.2).
const SAMPLE_AT: usize = 4;

/// How long keys last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyLimits {
    /// Packets sealed in a phase before the next one may start.
    pub renew_after: u64,
    /// Packets sealed in a phase at most; then, if the peer acknowledges nothing, the channel ends.
    pub seals_max: u64,
    /// Packets that failed to open at most, over all phases; then the channel ends.
    pub forgeries_max: u64,
}

impl KeyLimits {
    /// The limits of RFC 9001, section 6.6.
    pub const fn of(suite: Suite) -> KeyLimits {
        match suite {
            Suite::Aes128Gcm => {
                KeyLimits { renew_after: RENEW_AFTER, seals_max: SEALS_MAX_GCM, forgeries_max: FORGERIES_MAX_GCM }
            }
            // A ChaCha20-Poly1305 key outlives every number; renewing it still bounds what one leaked key opens.
            Suite::ChaCha20Poly1305 => {
                KeyLimits { renew_after: RENEW_AFTER, seals_max: u64::MAX, forgeries_max: FORGERIES_MAX_CHACHA }
            }
        }
    }
}

/// One phase of one direction.
struct PhaseKey {
    secret: Secret32,
    key: AeadKey,
    iv: [u8; NONCE_LEN],
}

impl PhaseKey {
    fn new(suite: Suite, secret: Secret32) -> PhaseKey {
        let mut iv = [0; NONCE_LEN];
        hkdf::expand(&secret, labels::IV, &[], &mut iv);
        PhaseKey { key: AeadKey::derive(suite, &secret, labels::KEY), secret, iv }
    }

    fn next(&self, suite: Suite) -> PhaseKey {
        PhaseKey::new(suite, hkdf::expand_secret(&self.secret, labels::NEXT, &[]))
    }

    fn nonce(&self, number: u64) -> [u8; NONCE_LEN] {
        let mut nonce = self.iv;
        for (byte, n) in nonce[NONCE_LEN - 8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= n;
        }
        nonce
    }
}

struct Sender {
    header: HeaderKey,
    current: PhaseKey,
    phase: bool,
    /// First number of this phase.
    first: u64,
    /// Packets sealed in this phase.
    sealed: u64,
    /// A packet of this phase was acknowledged: the peer has moved along, the next phase may start.
    acked: bool,
}

struct Receiver {
    header: HeaderKey,
    /// For what was under way when the phase changed.
    previous: Option<PhaseKey>,
    current: PhaseKey,
    /// Ready before it is needed, so that a packet of the next phase takes no longer to judge than any other.
    next: PhaseKey,
    phase: bool,
    /// Lowest number opened in this phase.
    first: u64,
    forgeries: u64,
}

/// AEAD protection of a channel: AES-128-GCM or ChaCha20-Poly1305, headers masked (RFC 9001, section 5.4).
///
/// Each direction has its own ratchet of phases. A sender starts the next one when it has sealed enough in this one and
/// the peer has acknowledged a packet of it; the receiver follows the bit, once a packet opens. Nothing that does not
/// open changes anything but a count.
pub struct AeadArmor {
    suite: Suite,
    limits: KeyLimits,
    sender: Sender,
    receiver: Receiver,
}

impl AeadArmor {
    /// Armor from the first traffic secrets of both directions.
    pub fn new(suite: Suite, send: Secret32, receive: Secret32) -> AeadArmor {
        AeadArmor::with_limits(suite, send, receive, KeyLimits::of(suite))
    }

    /// As [`new`](AeadArmor::new), with other limits.
    pub fn with_limits(suite: Suite, send: Secret32, receive: Secret32, limits: KeyLimits) -> AeadArmor {
        let send_header = HeaderKey::derive(suite, &send, labels::HEADER);
        let receive_header = HeaderKey::derive(suite, &receive, labels::HEADER);
        let current = PhaseKey::new(suite, receive);
        AeadArmor {
            suite,
            limits,
            sender: Sender {
                header: send_header,
                current: PhaseKey::new(suite, send),
                phase: false,
                first: 0,
                sealed: 0,
                acked: false,
            },
            receiver: Receiver {
                header: receive_header,
                previous: None,
                next: current.next(suite),
                current,
                phase: false,
                first: u64::MAX,
                forgeries: 0,
            },
        }
    }
}

impl Receiver {
    /// Moves to the next phase, whose packet `number` has just opened.
    fn advance(&mut self, suite: Suite, number: u64) {
        let next = self.next.next(suite);
        let current = core::mem::replace(&mut self.next, next);
        self.previous = Some(core::mem::replace(&mut self.current, current));
        self.phase = !self.phase;
        self.first = number;
    }
}

impl Armor for AeadArmor {
    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }

    fn send_phase(&mut self, number: u64) -> bool {
        let sender = &mut self.sender;
        if sender.acked && sender.sealed >= self.limits.renew_after {
            sender.current = sender.current.next(self.suite);
            sender.phase = !sender.phase;
            sender.first = number;
            sender.sealed = 0;
            sender.acked = false;
        }
        sender.phase
    }

    #[inline]
    fn seal(&mut self, number: u64, header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let sender = &mut self.sender;
        if sender.sealed >= self.limits.seals_max {
            return Err(OpenError::Exhausted);
        }
        sender.sealed += 1;
        let (header, body) = packet.split_at_mut(header_len);
        sender.current.key.seal(sender.current.nonce(number), header, body);
        Ok(())
    }

    #[inline]
    fn protect(&self, number_at: usize, number_len: usize, packet: &mut [u8]) {
        let mask = sample(number_at, packet).map(|sample| self.sender.header.mask(sample));
        let mask = mask.expect("a packet is never sent too short for its sample");
        packet[0] ^= mask[0] & MASKED;
        for (byte, mask) in packet[number_at..number_at + number_len].iter_mut().zip(&mask[1..]) {
            *byte ^= mask;
        }
    }

    #[inline]
    fn unprotect(&self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        let mask = self.receiver.header.mask(sample(number_at, packet)?);
        packet[0] ^= mask[0] & MASKED;
        let number_len = usize::from(packet[0] & 0b11) + 1;
        for (byte, mask) in packet[number_at..number_at + number_len].iter_mut().zip(&mask[1..]) {
            *byte ^= mask;
        }
        Some(())
    }

    #[inline]
    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        let receiver = &mut self.receiver;
        if receiver.forgeries >= self.limits.forgeries_max {
            return Err(OpenError::Exhausted);
        }
        let Some((header, body)) = packet.split_at_mut_checked(header_len) else {
            return Err(OpenError::Forged);
        };
        let is_current = phase == receiver.phase;
        let key = match &receiver.previous {
            _ if is_current => &receiver.current,
            // Numbers rise over the phases: below the first of this phase the other bit can only mean the one before
            // it.
            Some(previous) if number < receiver.first => previous,
            _ => &receiver.next,
        };
        let is_next = core::ptr::eq(key, &receiver.next);
        match key.key.open(key.nonce(number), header, body) {
            Ok(len) => {
                if is_next {
                    receiver.advance(self.suite, number);
                } else if is_current {
                    receiver.first = receiver.first.min(number);
                }
                Ok(len)
            }
            Err(_) => {
                receiver.forgeries += 1;
                Err(OpenError::Forged)
            }
        }
    }

    fn handle_acked(&mut self, number: u64) {
        self.sender.acked |= number >= self.sender.first;
    }
}

#[inline]
fn sample(number_at: usize, packet: &[u8]) -> Option<&[u8; SAMPLE_LEN]> {
    packet.get(number_at + SAMPLE_AT..)?.first_chunk()
}

impl fmt::Debug for AeadArmor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AeadArmor")
            .field("suite", &self.suite)
            .field("send_phase", &self.sender.phase)
            .field("receive_phase", &self.receiver.phase)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
