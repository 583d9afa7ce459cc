//! The small answers to an INIT: each shows that its sender has seen that INIT, and who is called in it.

use tng_base::{ChannelId, Eid};
use tng_crypto::{HmacKey, labels, sha256};
use tng_wire::{Repr, Writer};

use crate::Identity;
use crate::wire::{ANSWER_MAC_LEN, Cookie, CookieAnswer, Family, Hello, SMALL_LEN_MAX, VersionAnswer, WrongKey};

/// What an INIT is known by: a hash of all of it but its cookie and its first MAC, so that all copies of one have the
/// same. A host that has not seen the INIT does not know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(crate) fn of(init_parts: [&[u8]; 2]) -> Fingerprint {
        Fingerprint(sha256(&init_parts))
    }

    /// The one with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Fingerprint {
        Fingerprint(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The key of the MACs of small answers by `responder`: any host that knows its EID has it.
pub(crate) fn answer_key(responder: &Eid) -> HmacKey {
    HmacKey::new(&sha256(&[labels::ANSWER.as_bytes(), responder.as_bytes()]))
}

/// The MAC of an answer to an INIT; `answer` may have anything where the MAC is.
fn mac<'a>(key: &HmacKey, answer: &impl Repr<'a>, init: &Fingerprint) -> [u8; ANSWER_MAC_LEN] {
    let mut bytes = [0; SMALL_LEN_MAX];
    let mut writer = Writer::new(&mut bytes);
    let fits = answer.emit(&mut writer);
    debug_assert!(fits.is_ok(), "no small answer is longer");
    let written = writer.written();
    let mut out = [0; ANSWER_MAC_LEN];
    out.copy_from_slice(&key.tag(&[&written[..written.len() - ANSWER_MAC_LEN], init.as_bytes()])[..ANSWER_MAC_LEN]);
    out
}

/// Whether a small answer is one to this INIT by somebody who knows whom it called.
pub(super) fn is_answer_to<'a>(
    init: &Fingerprint,
    key: &HmacKey,
    answer: &impl Repr<'a>,
    shown: &[u8; ANSWER_MAC_LEN],
) -> bool {
    tng_crypto::equal(&mac(key, answer, init), shown)
}

/// The COOKIE answer to the INIT of a family that is known by `init`, of an initiator that calls the channel
/// `initiator_id`.
pub fn cookie_answer(
    identity: &Identity,
    family: Family,
    initiator_id: ChannelId,
    cookie: Cookie,
    init: &Fingerprint,
) -> CookieAnswer {
    let answer = CookieAnswer { family, initiator_id, cookie, mac: [0; ANSWER_MAC_LEN] };
    CookieAnswer { mac: mac(identity.answer_key(), &answer, init), ..answer }
}

/// The VERSION answer of a host that speaks these versions to an INIT of another.
pub fn version_answer(identity: &Identity, hello: &Hello<'_>, spoken: &[u16]) -> VersionAnswer {
    let (family, initiator_id) = (hello.family(), hello.initiator_id());
    let answer = VersionAnswer { family, initiator_id, versions: spoken.to_vec(), mac: [0; ANSWER_MAC_LEN] };
    VersionAnswer { mac: mac(identity.answer_key(), &answer, &hello.fingerprint()), ..answer }
}

/// The WRONG_KEY answer to an INIT that is for somebody else. To be rate-limited: it costs a signature.
pub fn wrong_key(identity: &Identity, hello: &Hello<'_>) -> WrongKey {
    WrongKey {
        family: hello.family(),
        initiator_id: hello.initiator_id(),
        eid: identity.eid(),
        signature: identity.signing().sign(&wrong_key_message(hello.bytes())),
    }
}

/// What a WRONG_KEY answer to an INIT signs.
pub(super) fn wrong_key_message(init: &[u8]) -> Vec<u8> {
    [labels::WRONG_KEY.as_bytes(), &sha256(&[init])].concat()
}
