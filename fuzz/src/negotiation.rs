//! What is offered of transports in a set-up, and what is said to it.

use tng_base::CodeHash;
use tng_isolation::wire::{TRANSPORTS_MAX, TransportAnswer, TransportOffer};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr};

use crate::parsers::survives;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "stp_items", kind: Kind::Parser, len_max: 512, memory: (4_096, 8), run: stp_items, seeds }];

/// An offer has one to four transports, each once; an answer is one of four; both are written as they were read.
fn stp_items(bytes: &[u8]) {
    survives!(TransportOffer, bytes);
    survives!(TransportAnswer, bytes);
    if let Ok(offer) = TransportOffer::parse(&mut Reader::new(bytes)) {
        assert!((1..=TRANSPORTS_MAX).contains(&offer.codes.len()));
        for (at, code) in offer.codes.iter().enumerate() {
            assert!(!offer.codes[..at].contains(code), "each once");
        }
    }
}

fn code(of: u8) -> CodeHash {
    CodeHash::from_bytes([of; 32])
}

fn seeds() -> Vec<Vec<u8>> {
    let offer = |service: &str, codes: &[u8]| {
        emit(&TransportOffer { service: service.to_owned(), codes: codes.iter().copied().map(code).collect() })
    };
    vec![
        offer("files", &[1]),
        offer("", &[1, 2, 3, 4]),
        offer(&"s".repeat(64), &[9, 8]),
        emit(&TransportAnswer::No),
        emit(&TransportAnswer::Ok(code(1))),
        emit(&TransportAnswer::SendMe(code(2))),
        emit(&TransportAnswer::Use(code(3))),
    ]
}
