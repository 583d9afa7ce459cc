//! What a host seals for a guest, and opens for it.

use std::collections::VecDeque;

use tng_crypto::TAG_LEN;
use tng_trickles::set_up::Welcomed;
use tng_trickles::wire::{RequestHeader, ResponseHeader};
use tng_trickles::{ConnectionId, ConnectionSecret};
use tng_wire::{Reader, Repr};

/// Requests whose answers are opened, the newest.
pub const REQUESTS_HELD_MAX: usize = 1 << 13;

/// What a guest hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sealed {
    /// It goes out: so many bytes.
    Request(usize),
    /// It is one that was sealed before, and is not the last: nothing goes out.
    Old,
    /// It is no request on this connection.
    Foreign,
}

/// The secret of a connection, and the requests that wait for answers.
#[derive(Debug)]
pub(crate) struct Seals {
    id: ConnectionId,
    epoch: u8,
    secret: ConnectionSecret,
    /// Counts, rising, and the seals by which answers are opened.
    requests: VecDeque<(u32, [u8; TAG_LEN])>,
    /// The last request, as it went out.
    last: Vec<u8>,
}

impl Seals {
    /// Those of a connection that was granted, and what its REPLY has brought beside.
    pub(crate) fn of(welcomed: Welcomed) -> Seals {
        let Welcomed { id, epoch, secret, .. } = welcomed;
        Seals { id, epoch, secret, requests: VecDeque::new(), last: Vec::new() }
    }

    /// Seals a request in place, which ends with room for the seal.
    ///
    /// Its count is the nonce of its seal, so none is sealed twice, whatever the guest says: who has the same count as
    /// the last has the last one again.
    pub(crate) fn seal(&mut self, request: &mut [u8]) -> Sealed {
        let Ok(header) = RequestHeader::parse(&mut Reader::new(request)) else { return Sealed::Foreign };
        let is_ours = !header.armor.is_plain() && header.id == self.id && header.epoch == self.epoch;
        if !is_ours || request.len() < RequestHeader::LEN + TAG_LEN {
            return Sealed::Foreign;
        }
        let last = self.requests.back().map_or(0, |(count, _)| *count);
        if header.count == last && request.len() == self.last.len() {
            request.copy_from_slice(&self.last);
            return Sealed::Request(request.len());
        }
        if header.count <= last {
            return Sealed::Old;
        }
        let seal = header.seal(&self.secret.requests(), request);
        if self.requests.len() == REQUESTS_HELD_MAX {
            self.requests.pop_front();
        }
        self.requests.push_back((header.count, seal));
        self.last.clear();
        self.last.extend_from_slice(request);
        Sealed::Request(request.len())
    }

    /// Opens a response in place; answers how long header and text are. Nothing if nobody with the connection's secret
    /// has answered one of the requests with it.
    pub(crate) fn open(&self, datagram: &mut [u8]) -> Option<usize> {
        let header = ResponseHeader::parse(&mut Reader::new(datagram)).ok()?;
        if header.armor.is_plain() || header.handle != self.id.0[..4] {
            return None;
        }
        let at = self.requests.binary_search_by_key(&header.count, |(count, _)| *count).ok()?;
        let key = self.secret.responses(header.instance, &self.requests[at].1);
        header.open(&key, datagram).ok().map(|text| ResponseHeader::LEN + text.len())
    }
}

#[cfg(test)]
mod tests {
    use tng_crypto::Secret32;
    use tng_trickles::ClientNetwork;
    use tng_trickles::set_up::AddressToken;
    use tng_trickles::wire::Armor;
    use tng_wire::Writer;

    use super::*;

    const ID: ConnectionId = ConnectionId([9; 16]);

    fn seals() -> Seals {
        Seals::of(Welcomed {
            id: ID,
            epoch: 3,
            secret: ConnectionSecret::new(Secret32::from_bytes([1; 32])),
            token: AddressToken([0; AddressToken::LEN]),
            place: ClientNetwork::from_bytes([0; 16]),
            rest: Vec::new(),
        })
    }

    fn request(count: u32, text: u8) -> Vec<u8> {
        let mut bytes = vec![text; RequestHeader::LEN + 40 + TAG_LEN];
        let header = RequestHeader { armor: Armor::Sealed, epoch: 3, id: ID, count };
        header.emit(&mut Writer::new(&mut bytes)).unwrap();
        bytes
    }

    #[test]
    fn no_two_texts_are_sealed_under_one_count_whatever_a_guest_says() {
        let mut seals = seals();
        let mut first = request(5, 1);
        assert_eq!(seals.seal(&mut first), Sealed::Request(first.len()));
        let mut again = request(5, 2);
        assert_eq!((seals.seal(&mut again), again), (Sealed::Request(first.len()), first.clone()), "the same bytes");
        assert_eq!(seals.seal(&mut request(5, 2)[..first.len() - 1]), Sealed::Old, "of another length");
        assert_eq!(seals.seal(&mut request(6, 1)), Sealed::Request(first.len()));
        assert_eq!(seals.seal(&mut request(5, 1)), Sealed::Old);
        assert_eq!(seals.seal(&mut request(0, 1)), Sealed::Old, "there is none of count 0");
    }

    #[test]
    fn what_is_no_request_on_the_connection_is_not_sealed() {
        let mut seals = seals();
        for (at, bit) in (0..RequestHeader::ID_AT + ConnectionId::LEN).flat_map(|at| [(at, 1), (at, 2), (at, 0x80)]) {
            let mut changed = request(1, 1);
            changed[at] ^= bit;
            assert_eq!(seals.seal(&mut changed), Sealed::Foreign, "byte {at}");
        }
        for cut in 0..RequestHeader::LEN + TAG_LEN {
            assert_eq!(seals.seal(&mut request(1, 1)[..cut]), Sealed::Foreign);
        }
        assert_eq!(seals.last, [], "nothing was sealed");
    }

    #[test]
    fn only_what_answers_a_request_and_has_the_seal_is_opened() {
        let mut seals = seals();
        assert!(matches!(seals.seal(&mut request(7, 1)), Sealed::Request(_)));
        let instance = tng_trickles::InstanceName([4; 8]);
        let header = ResponseHeader { armor: Armor::Sealed, handle: [9; 4], instance, count: 7, index: 2 };
        let response = |count: u32| {
            let mut bytes = vec![6; ResponseHeader::LEN + 30 + TAG_LEN];
            let header = ResponseHeader { count, ..header };
            header.emit(&mut Writer::new(&mut bytes)).unwrap();
            header.seal(&seals.secret.responses(header.instance, &seals.requests[0].1), &mut bytes);
            bytes
        };
        let mut right = response(7);
        assert_eq!(seals.open(&mut right), Some(ResponseHeader::LEN + 30));
        assert_eq!(right[ResponseHeader::LEN..][..30], [6; 30]);
        assert_eq!(seals.open(&mut response(8)), None, "nobody asked for it");
        for at in 0..right.len() {
            let mut changed = response(7);
            changed[at] ^= 1;
            assert_eq!(seals.open(&mut changed), None, "byte {at}");
        }
    }
}
