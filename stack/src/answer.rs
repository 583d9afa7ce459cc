//! What a host says to those whom it has no connection with.

use tng_base::ChannelId;
use tng_crypto::SecretRng;
use tng_flow::wire::Answered;
use tng_isolation::{Offer, Refusal};
use tng_wire::Repr;

/// An answer that waits for the driver.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The datagram.
    Ready(Vec<u8>),
    /// A REPLY that refuses. It is sealed when it leaves, since it takes an ephemeral key.
    Refusal(Box<Refused>),
}

/// Whom a REPLY refuses, and why.
#[derive(Debug)]
pub(crate) struct Refused {
    pub offer: Offer,
    pub refusal: Refusal,
    /// What the helper that asked for the peer calls the section, if one did.
    pub through: Option<ChannelId>,
}

impl Refused {
    /// The datagram; `None` if the reason is too long for it.
    pub(crate) fn seal(self, rng: &mut SecretRng) -> Option<Vec<u8>> {
        self.offer.refuse(self.refusal, rng).ok().map(|reply| through_helper(self.through, reply))
    }
}

/// A small answer, in the words of a helper that asked if one did, which calls the section `through`.
pub(crate) fn through_helper(through: Option<ChannelId>, answer: Vec<u8>) -> Vec<u8> {
    let Some(receiver) = through else { return answer };
    Answered { receiver, answer: &answer }.to_vec()
}
