//! Setting sections up: one flight each way, from the initiator through the helpers to the responder and back.

use core::net::SocketAddr;

use tng_base::ChannelId;
use tng_channel::wire::Renewal;
use tng_crypto::{Forged, Label, NONCE_LEN, SecretRng, Suite, SyntheticKey, TAG_LEN, Zeroizing, hkdf, labels};
use tng_wire::{Malformed, Reader, Repr, Writer};

use crate::wire::{
    CAPABILITY_LEN_MAX, Greeting, Instructions, JOIN_HEADER_LEN, JOINED_HEADER_LEN, Join, Joined, Order, VERSION,
};
use crate::{End, HOP_KEY_LEN, HopKey, WISHED_NAME_LEN_MAX, Wishes};

/// Most helpers on one path.
pub const HELPERS_MAX: usize = 8;

/// What lets its holder use a helper: the helper's own words, and the key that goes with them. To be given out over an
/// authenticated channel only. Nothing of it is printed.
#[derive(Clone)]
pub struct Capability {
    /// What to show; opaque to all but the helper.
    pub shown: Vec<u8>,
    /// What proves that it is its holder who shows it.
    pub key: CapabilityKey,
}

impl core::fmt::Debug for Capability {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Capability(..)")
    }
}

/// The key of a capability.
#[derive(Clone)]
pub struct CapabilityKey(Zeroizing<[u8; HOP_KEY_LEN]>);

impl CapabilityKey {
    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; HOP_KEY_LEN]) -> CapabilityKey {
        CapabilityKey(Zeroizing::new(bytes))
    }

    /// The bytes, to be given out with the capability.
    pub fn expose(&self) -> &[u8; HOP_KEY_LEN] {
        &self.0
    }

    fn seal(&self, label: Label) -> SyntheticKey {
        SyntheticKey::derive(Suite::Aes128Gcm, &hkdf::extract(&[], &[&*self.0]), label)
    }
}

impl core::fmt::Debug for CapabilityKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("CapabilityKey(..)")
    }
}

/// A helper that the path is to lead through.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Where it is.
    pub address: SocketAddr,
    /// What lets us use it.
    pub capability: Capability,
    /// What it is asked for, of the section by which it is reached.
    pub wishes: Wishes,
}

impl Stop {
    /// The helper at `address`, asked for nothing but its help.
    pub fn new(address: SocketAddr, capability: Capability) -> Stop {
        Stop { address, capability, wishes: Wishes::default() }
    }
}

/// The way from an initiator through helpers to a responder.
#[derive(Clone, Debug)]
pub struct Itinerary {
    stops: Vec<Stop>,
    responder: SocketAddr,
}

/// The hop keys of one exchange along an [`Itinerary`].
#[derive(Clone, Debug)]
pub struct HopKeys {
    /// Of the section with the first helper.
    near: HopKey,
    /// Of the sections behind it, in order.
    onward: Vec<HopKey>,
}

impl HopKeys {
    /// Of the section with the first helper.
    pub const fn near(&self) -> &HopKey {
        &self.near
    }

    /// Of the section with the responder, which is to learn it from the Opening.
    pub fn far(&self) -> &HopKey {
        self.onward.last().unwrap_or(&self.near)
    }

    /// Of the section by which each helper is reached, in order.
    pub fn of_helpers(&self) -> impl Iterator<Item = &HopKey> {
        core::iter::once(&self.near).chain(&self.onward).take(self.onward.len())
    }
}

/// A path that cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadItinerary {
    /// No helper, or more than [`HELPERS_MAX`].
    #[error("a helped path has 1 to {HELPERS_MAX} helpers")]
    Length,
    /// Two stops, or a stop and the end, are at one address.
    #[error("the path leads twice to one address; name each helper once")]
    Loop,
    /// A capability is longer than any helper gives out.
    #[error("a capability has at most {CAPABILITY_LEN_MAX} bytes")]
    Capability,
    /// A controller is asked for by no name, or by a longer one than any helper offers.
    #[error("the name of a controller that a helper is asked for has 1 to {WISHED_NAME_LEN_MAX} bytes")]
    Controller,
}

impl Itinerary {
    /// The way through `stops` to `responder`.
    ///
    /// # Errors
    /// See [`BadItinerary`].
    pub fn new(stops: Vec<Stop>, responder: SocketAddr) -> Result<Itinerary, BadItinerary> {
        if stops.is_empty() || stops.len() > HELPERS_MAX {
            return Err(BadItinerary::Length);
        }
        let addresses = || stops.iter().map(|stop| stop.address).chain([responder]);
        if addresses().enumerate().any(|(at, address)| addresses().take(at).any(|earlier| earlier == address)) {
            return Err(BadItinerary::Loop);
        }
        if stops.iter().any(|stop| stop.capability.shown.len() > CAPABILITY_LEN_MAX) {
            return Err(BadItinerary::Capability);
        }
        if !stops.iter().all(|stop| stop.wishes.can_be_told()) {
            return Err(BadItinerary::Controller);
        }
        Ok(Itinerary { stops, responder })
    }

    /// Fresh hop keys, for one exchange.
    pub fn draw_keys(&self, rng: &mut SecretRng) -> HopKeys {
        let near = HopKey::draw(rng);
        HopKeys { near, onward: self.stops.iter().map(|_| HopKey::draw(rng)).collect() }
    }

    /// What the first helper is asked for, of the section with the initiator.
    pub fn wishes(&self) -> &Wishes {
        &self.stops[0].wishes
    }

    fn next_of(&self, at: usize) -> SocketAddr {
        self.stops.get(at + 1).map_or(self.responder, |stop| stop.address)
    }

    /// Bytes that the first JOIN has beside the INIT.
    pub fn overhead(&self) -> usize {
        let order = |(at, stop): (usize, &Stop)| {
            let instructions = Instructions::overhead(self.next_of(at), stop.wishes.borrowed());
            2 + stop.capability.shown.len() + NONCE_LEN + instructions + TAG_LEN
        };
        JOIN_HEADER_LEN + self.stops.iter().enumerate().map(order).sum::<usize>()
    }

    /// What the first JOIN carries: orders within orders, and the INIT in the innermost.
    pub fn orders(&self, keys: &HopKeys, init: &[u8]) -> Vec<u8> {
        let mut onward = init.to_vec();
        let sections = keys.of_helpers().zip(&keys.onward);
        let orders: Vec<_> = self.stops.iter().zip(sections).enumerate().collect();
        for (at, (stop, (near, far))) in orders.into_iter().rev() {
            let (near, far) = (near.clone(), far.clone());
            let (next, wishes) = (self.next_of(at), stop.wishes.borrowed());
            let instructions = Instructions { near, far, next, wishes, onward: &onward };
            let mut sealed = emitted(&instructions, TAG_LEN);
            let capability = &stop.capability;
            let nonce = capability.key.seal(labels::ORDER).seal(&[], &capability.shown, &mut sealed);
            onward = emitted(&Order { capability: &capability.shown, nonce, instructions: &sealed }, 0);
        }
        onward
    }
}

/// The bytes of `value`, and `room` zero bytes behind it.
fn emitted<'a>(value: &impl Repr<'a>, room: usize) -> Vec<u8> {
    let mut bytes = vec![0; value.wire_len() + room];
    value.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
    bytes
}

/// Opens the instructions of an order in place.
///
/// # Errors
/// If the holder of the capability did not write them.
pub fn open_instructions<'a>(
    key: &CapabilityKey,
    order: &Order<'_>,
    buf: &'a mut Vec<u8>,
) -> Result<Instructions<'a>, Malformed> {
    buf.clear();
    buf.extend_from_slice(order.instructions);
    let len = key.seal(labels::ORDER).open(order.nonce, order.capability, buf).map_err(|Forged| Malformed)?;
    Instructions::parse(&mut Reader::new(&buf[..len]))
}

/// The RENEW that gives the helper behind `hops` others a fresh capability for the flow whose section toward the
/// initiator has this key: the words of the capability, and a proof that they come from its holder and are meant for
/// this flow. `None` if they are too long.
pub fn renewal(capability: &Capability, near: &HopKey, hops: u8) -> Option<Renewal> {
    let (shown, mut tag) = (&capability.shown, [0; TAG_LEN]);
    let aad = Zeroizing::new([shown, &near.expose()[..]].concat());
    let nonce = capability.key.seal(labels::RENEWAL).seal(&[], &aad, &mut tag);
    let len = u8::try_from(shown.len()).ok()?;
    Renewal::new(hops, &[&[len], &shown[..], &nonce, &tag].concat())
}

/// The words of the capability in a renewal, and the proof.
///
/// # Errors
/// If there is no telling one from the other.
pub fn read_renewal(renewal: &Renewal) -> Result<(&[u8], RenewalProof), Malformed> {
    let mut reader = Reader::new(renewal.words());
    let len = usize::from(reader.u8()?);
    let (shown, proof) = (reader.bytes(len)?, RenewalProof { nonce: reader.array()?, tag: reader.array()? });
    if reader.is_empty() { Ok((shown, proof)) } else { Err(Malformed) }
}

/// What shows that a renewal comes from the holder of the capability, and is meant for one flow.
#[derive(Clone, Copy, Debug)]
pub struct RenewalProof {
    nonce: [u8; NONCE_LEN],
    tag: [u8; TAG_LEN],
}

impl RenewalProof {
    /// Whether it does, for the capability with these words and this key and the flow whose section toward the
    /// initiator has the key `near`.
    pub fn is_good(&self, (shown, key): (&[u8], &CapabilityKey), near: &HopKey) -> bool {
        let aad = Zeroizing::new([shown, &near.expose()[..]].concat());
        key.seal(labels::RENEWAL).open(self.nonce, &aad, &mut self.tag.clone()).is_ok()
    }
}

/// The JOIN that says `greeting` under `key` and carries `onward`.
pub fn join(key: &HopKey, greeting: &Greeting, onward: &[u8]) -> Vec<u8> {
    let mut sealed = emitted(greeting, TAG_LEN);
    let nonce = key.seal(End::Near).seal(&[], &greeting.id.to_bytes(), &mut sealed);
    emitted(&Join { version: VERSION, sender: greeting.id, nonce, greeting: &sealed, onward }, 0)
}

/// The greeting of a JOIN.
///
/// # Errors
/// If it was not written under `key`.
pub fn open_join(key: &HopKey, join: &Join<'_>) -> Result<Greeting, Malformed> {
    let greeting = open(key, End::Near, join.nonce, &[&join.sender.to_bytes()], join.greeting)?;
    if greeting.id == join.sender { Ok(greeting) } else { Err(Malformed) }
}

/// The JOINED to the neighbour that calls the section `receiver`.
pub fn joined(key: &HopKey, receiver: ChannelId, greeting: &Greeting, reply: &[u8]) -> Vec<u8> {
    let mut sealed = emitted(greeting, TAG_LEN);
    let aad = [&receiver.to_bytes(), reply].concat();
    let nonce = key.seal(End::Far).seal(&[], &aad, &mut sealed);
    let message = Joined { receiver, nonce, greeting: &sealed, reply };
    debug_assert_eq!(message.wire_len(), JOINED_HEADER_LEN + reply.len());
    emitted(&message, 0)
}

/// The greeting of a JOINED.
///
/// # Errors
/// If the message was not written under `key`.
pub fn open_joined(key: &HopKey, message: &Joined<'_>) -> Result<Greeting, Malformed> {
    open(key, End::Far, message.nonce, &[&message.receiver.to_bytes(), message.reply], message.greeting)
}

fn open(key: &HopKey, from: End, nonce: [u8; NONCE_LEN], aad: &[&[u8]], sealed: &[u8]) -> Result<Greeting, Malformed> {
    // There is a reset token in it.
    let mut plain = Zeroizing::new(sealed.to_vec());
    let len = key.seal(from).open(nonce, &aad.concat(), &mut plain).map_err(|Forged| Malformed)?;
    let mut reader = Reader::new(&plain[..len]);
    let greeting = Greeting::parse(&mut reader)?;
    if reader.is_empty() { Ok(greeting) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests;
