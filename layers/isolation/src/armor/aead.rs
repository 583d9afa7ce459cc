//! Packets sealed by an AEAD, their headers masked, their keys renewed in place.

use core::fmt;

use tng_channel::{Armor, OpenError};
use tng_crypto::{
    AeadKey, HeaderKey, HeaderSecret, NONCE_LEN, SAMPLE_LEN, Secret32, Suite, TAG_LEN, Zeroizing, hkdf, labels,
};

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

/// The secret of the phase after the one with this.
fn next(secret: &Secret32) -> Secret32 {
    hkdf::expand_secret(secret, labels::NEXT, &[])
}

/// The keys of one phase of one direction.
struct PhaseKey {
    key: AeadKey,
    iv: Zeroizing<[u8; NONCE_LEN]>,
}

impl PhaseKey {
    fn new(suite: Suite, secret: &Secret32) -> PhaseKey {
        let mut iv = Zeroizing::new([0; NONCE_LEN]);
        hkdf::expand(secret, labels::IV, &[], &mut *iv);
        PhaseKey { key: AeadKey::derive(suite, secret, labels::KEY), iv }
    }

    fn nonce(&self, number: u64) -> [u8; NONCE_LEN] {
        let mut nonce = *self.iv;
        for (byte, n) in nonce[NONCE_LEN - 8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= n;
        }
        nonce
    }
}

struct Sender {
    header: HeaderSecret,
    /// Of this phase.
    secret: Secret32,
    phase: bool,
    /// First number of this phase.
    first: u64,
    /// Packets sealed in this phase.
    sealed: u64,
    /// A packet of this phase was acknowledged: the peer has moved along, the next phase may start.
    acked: bool,
}

struct Receiver {
    header: HeaderSecret,
    /// Of the phase before this, for what was under way when that changed.
    previous: Option<Secret32>,
    /// Of this phase.
    secret: Secret32,
    phase: bool,
    /// Lowest number opened in this phase.
    first: u64,
    forgeries: u64,
}

/// All keys that packets are sealed and opened with. They follow from the secrets, and take ten times as much memory.
struct Keys {
    send_header: HeaderKey,
    send: PhaseKey,
    receive_header: HeaderKey,
    previous: Option<PhaseKey>,
    current: PhaseKey,
    /// Ready before it is needed, so that a packet of the next phase takes no longer to judge than any other.
    next: PhaseKey,
}

impl Keys {
    #[cold]
    fn new(suite: Suite, sender: &Sender, receiver: &Receiver) -> Box<Keys> {
        Box::new(Keys {
            send_header: sender.header.ready(),
            send: PhaseKey::new(suite, &sender.secret),
            receive_header: receiver.header.ready(),
            previous: receiver.previous.as_ref().map(|secret| PhaseKey::new(suite, secret)),
            current: PhaseKey::new(suite, &receiver.secret),
            next: PhaseKey::new(suite, &next(&receiver.secret)),
        })
    }
}

/// AEAD protection of a channel: AES-128-GCM or ChaCha20-Poly1305, headers masked (RFC 9001, section 5.4).
///
/// Each direction has its own ratchet of phases. A sender starts the next one when it has sealed enough in this one and
/// the peer has acknowledged a packet of it; the receiver follows the bit, once a packet opens. Nothing that does not
/// open changes anything but a count.
///
/// While it rests it keeps the secrets alone. All keys are made anew together, by whatever comes first, forged or not:
/// so it says nothing of a packet how long that takes.
pub struct AeadArmor {
    suite: Suite,
    limits: KeyLimits,
    sender: Sender,
    receiver: Receiver,
    keys: Option<Box<Keys>>,
}

impl AeadArmor {
    /// Armor from the first traffic secrets of both directions.
    pub fn new(suite: Suite, send: Secret32, receive: Secret32) -> AeadArmor {
        AeadArmor::with_limits(suite, send, receive, KeyLimits::of(suite))
    }

    /// As [`new`](AeadArmor::new), with other limits.
    pub fn with_limits(suite: Suite, send: Secret32, receive: Secret32, limits: KeyLimits) -> AeadArmor {
        let header = |secret: &Secret32| HeaderSecret::derive(suite, secret, labels::HEADER);
        let sender = Sender { header: header(&send), secret: send, phase: false, first: 0, sealed: 0, acked: false };
        let receiver = Receiver {
            header: header(&receive),
            previous: None,
            secret: receive,
            phase: false,
            first: u64::MAX,
            forgeries: 0,
        };
        let keys = Some(Keys::new(suite, &sender, &receiver));
        AeadArmor { suite, limits, sender, receiver, keys }
    }

    /// The keys, made anew if they are not there.
    #[inline]
    fn keys(&mut self) -> &mut Keys {
        self.keys.get_or_insert_with(|| Keys::new(self.suite, &self.sender, &self.receiver))
    }

    /// Starts the next phase of what is sent, with this number.
    #[cold]
    fn renew(&mut self, number: u64) {
        let sender = &mut self.sender;
        sender.secret = next(&sender.secret);
        (sender.phase, sender.first, sender.sealed, sender.acked) = (!sender.phase, number, 0, false);
        if let Some(keys) = &mut self.keys {
            keys.send = PhaseKey::new(self.suite, &sender.secret);
        }
    }
}

impl Receiver {
    /// Moves to the next phase, whose packet `number` has just opened.
    fn advance(&mut self, suite: Suite, keys: &mut Keys, number: u64) {
        let secret = next(&self.secret);
        let after = PhaseKey::new(suite, &next(&secret));
        self.previous = Some(core::mem::replace(&mut self.secret, secret));
        let current = core::mem::replace(&mut keys.next, after);
        keys.previous = Some(core::mem::replace(&mut keys.current, current));
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
        let sender = &self.sender;
        if sender.acked && sender.sealed >= self.limits.renew_after {
            self.renew(number);
        }
        self.sender.phase
    }

    #[inline]
    fn seal(&mut self, number: u64, header_len: usize, packet: &mut [u8]) -> Result<(), OpenError> {
        let sender = &mut self.sender;
        if sender.sealed >= self.limits.seals_max {
            return Err(OpenError::Exhausted);
        }
        sender.sealed += 1;
        let (header, body) = packet.split_at_mut(header_len);
        let send = &self.keys().send;
        send.key.seal(send.nonce(number), header, body);
        Ok(())
    }

    #[inline]
    fn protect(&self, number_at: usize, number_len: usize, packet: &mut [u8]) {
        let keys = self.keys.as_ref().expect("it has just been sealed");
        let mask = sample(number_at, packet).map(|sample| keys.send_header.mask(sample));
        let mask = mask.expect("a packet is never sent too short for its sample");
        packet[0] ^= mask[0] & MASKED;
        for (byte, mask) in packet[number_at..number_at + number_len].iter_mut().zip(&mask[1..]) {
            *byte ^= mask;
        }
    }

    #[inline]
    fn unprotect(&mut self, number_at: usize, packet: &mut [u8]) -> Option<()> {
        let mask = self.keys().receive_header.mask(sample(number_at, packet)?);
        packet[0] ^= mask[0] & MASKED;
        let number_len = usize::from(packet[0] & 0b11) + 1;
        for (byte, mask) in packet[number_at..number_at + number_len].iter_mut().zip(&mask[1..]) {
            *byte ^= mask;
        }
        Some(())
    }

    #[inline]
    fn open(&mut self, number: u64, phase: bool, header_len: usize, packet: &mut [u8]) -> Result<usize, OpenError> {
        let AeadArmor { suite, limits, sender, receiver, keys } = self;
        if receiver.forgeries >= limits.forgeries_max {
            return Err(OpenError::Exhausted);
        }
        let Some((header, body)) = packet.split_at_mut_checked(header_len) else {
            return Err(OpenError::Forged);
        };
        let keys = keys.get_or_insert_with(|| Keys::new(*suite, sender, receiver));
        let is_current = phase == receiver.phase;
        let key = match &keys.previous {
            _ if is_current => &keys.current,
            // Numbers rise over the phases: below the first of this phase the other bit can only mean the one before
            // it.
            Some(previous) if number < receiver.first => previous,
            _ => &keys.next,
        };
        let is_next = core::ptr::eq(key, &keys.next);
        match key.key.open(key.nonce(number), header, body) {
            Ok(len) => {
                if is_next {
                    receiver.advance(*suite, keys, number);
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

    fn shrink(&mut self) {
        self.keys = None;
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
