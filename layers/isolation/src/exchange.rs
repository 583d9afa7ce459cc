//! The exchange: Noise IK, one message each way, as values that turn into the next.
//!
//! ```text
//! initiator                                     responder
//! Initiator::new ──── INIT ───────────────────▶ Hello::parse
//!     │                                         Hello::is_for          no: WRONG_KEY
//!     │  ◀─── COOKIE (under load) ───────────── CookieJar
//!     │                                         Offer::read            Diffie-Hellman happens here
//!     ▼                                         Offer::negotiate
//! Initiator::handle_reply ◀──── REPLY ───────── Offer::accept          or Offer::refuse
//!     │                                             │
//!     ▼                                             ▼
//! Established                                   Established
//! ```

mod answers;
mod established;
mod initiator;
mod negotiate;
mod offer;

use tng_base::Eid;
use tng_crypto::{HmacKey, labels, sha256};

use crate::wire::{Family, Hello, MAC1_LEN};

pub(crate) use answers::answer_key;
pub use answers::{Fingerprint, cookie_answer, version_answer, wrong_key};
pub use established::{Established, Exporter, KeyLogLine};
pub use initiator::{Broken, COOKIES_MAX, InitiateError, Initiator, Replied};
pub use negotiate::{CipherPolicy, Terms};
pub use offer::{Offer, OfferError, TooLong};

/// The version that this code speaks.
pub const VERSION: u16 = 1;
/// All versions that it speaks, preferred first.
pub const VERSIONS: [u16; 1] = [VERSION];

/// What the Noise exchange with `responder` begins with.
fn prologue(family: Family, version: u16, responder: &Eid) -> Vec<u8> {
    [family.prologue().as_bytes(), &version.to_be_bytes(), responder.as_bytes()].concat()
}

/// The key of the first MAC of every INIT to `responder`. No secret: it shows that the sender knows whom it calls.
pub(crate) fn mac1_key(responder: &Eid) -> HmacKey {
    HmacKey::new(&sha256(&[labels::MAC1.as_bytes(), responder.as_bytes()]))
}

fn write_mac1(key: &HmacKey, datagram: &mut [u8]) {
    let (covered, mac1) = datagram.split_at_mut(datagram.len() - MAC1_LEN);
    mac1.copy_from_slice(&key.tag(&[covered])[..MAC1_LEN]);
}

impl Hello<'_> {
    /// Whether the INIT is for `identity`: its first MAC is right. Cheap, and to be asked before anything else is done.
    pub fn is_for(&self, identity: &crate::Identity) -> bool {
        identity.mac1().verify(&[self.before_mac1()], &self.mac1())
    }

    /// What this INIT, and every copy of it with or without a cookie, is known by.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.around_cookie())
    }
}

#[cfg(test)]
mod tests;
