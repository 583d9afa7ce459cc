//! Transports that nobody has, offered without end, and requests for them.

use tng_base::{CODE_HASH_LEN, CodeHash, Rng};
use tng_isolation::wire::{TRANSPORTS_MAX, TransportAnswer, TransportOffer};

use crate::frames;

/// The code service, and its protocol (wire.md, section 12).
const CODE: (&str, &str) = ("code", "tng-code/1");

/// Requests for code that nobody has, of each peer that was let in.
pub const ASKS_PER_PEER: u64 = 16;

/// As many transports as fit an offer, for this service; each is another one.
pub(crate) fn offer(service: &str, rng: &mut Rng) -> TransportOffer {
    let codes = (0..TRANSPORTS_MAX).map(|_| CodeHash::from_bytes(rng.bytes::<CODE_HASH_LEN>())).collect();
    TransportOffer { service: service.to_owned(), codes }
}

/// What a target said to such an offer.
pub(crate) const fn said(answer: Option<&TransportAnswer>) -> &'static str {
    match answer {
        None => "nothing",
        Some(TransportAnswer::No) => "no",
        Some(TransportAnswer::Ok(_)) => "ok",
        Some(TransportAnswer::SendMe(_)) => "sendme",
        Some(TransportAnswer::Use(_)) => "use",
    }
}

/// Requests for modules and texts that nobody has.
pub(crate) fn asks(rng: &mut Rng) -> Vec<u8> {
    let ask = |counter: u64| {
        let form = (counter % 2) as u8;
        let body = [&rng.bytes::<CODE_HASH_LEN>()[..], &[form], &[0; 4]].concat();
        let head = [&[0x01][..], &(body.len() as u16).to_be_bytes()].concat();
        frames::request(counter, CODE.0, CODE.1, &[head, body].concat())
    };
    (0..ASKS_PER_PEER).flat_map(ask).collect()
}
