//! Datagrams that are handed to machines, and taken from them, in virtual time.

use core::net::SocketAddr;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};

pub fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

pub fn give(machine: &mut impl Machine, now: Instant, remote: SocketAddr, datagram: &[u8]) {
    give_to(machine, now, (None, remote), datagram);
}

/// The same to one of several addresses that it has.
pub fn give_to(
    machine: &mut impl Machine,
    now: Instant,
    (local, remote): (Option<SocketAddr>, SocketAddr),
    datagram: &[u8],
) {
    let mut payload = datagram.to_vec();
    let segment_size = payload.len().max(1);
    let datagram = Datagram { remote, local, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    machine.handle_input(now, Input::Datagram(datagram));
}

/// Datagrams, each to somebody.
pub type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

/// What a machine says now, and to whom; what it tells is handed to `take`.
pub fn said<M: Machine>(
    machine: &mut M,
    now: Instant,
    buf: &mut [u8],
    mut take: impl FnMut(&mut M, M::Event),
) -> Datagrams {
    let mut out = Vec::new();
    machine.handle_timeout(now);
    loop {
        match machine.poll_output(now, buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(|d| (t.remote, d.to_vec()))),
            Output::Event(event) => take(machine, event),
            Output::NeedsEntropy => machine.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(_) => return out,
        }
    }
}
