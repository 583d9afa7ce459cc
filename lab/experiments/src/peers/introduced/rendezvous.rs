//! Who introduces hosts to each other, in lines of text on streams.
//!
//! A host attends by a stream that stays open: it is told where it is seen, and of each who asks for it. Who asks names
//! a host on a stream of its own, and is told of it. What each is told is what the registry tells (`tng-registry/1`).

use core::net::SocketAddr;
use std::collections::BTreeMap;

use tng_base::{Eid, Instant, Rng};
use tng_endpoint::{OneOf, Port};
use tng_middlebox::{Helper, HelperEvent};
use tng_sim::App;
use tng_stack::structured::{Read, StreamEvent, StreamId};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent};

/// Longest line.
const LINE_MAX: usize = 256;

/// Lines that come on streams, whole.
#[derive(Debug, Default)]
pub(super) struct Lines(BTreeMap<(ConnectionId, StreamId), Vec<u8>>);

impl Lines {
    /// What there is to read of a stream now.
    pub(super) fn read(&mut self, host: &mut Host, id: ConnectionId, stream: StreamId) -> Vec<String> {
        let mut buf = [0; LINE_MAX];
        let pending = self.0.entry((id, stream)).or_default();
        while let Some(Ok(Read::Bytes(count))) = host.streams(id).map(|streams| streams.read(stream, &mut buf)) {
            pending.extend_from_slice(&buf[..count]);
        }
        let whole = pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = pending.drain(..whole).collect::<Vec<u8>>();
        String::from_utf8_lossy(&lines).lines().map(str::to_owned).collect()
    }
}

/// Writes a line.
pub(super) fn say(host: &mut Host, id: ConnectionId, stream: StreamId, line: &str) {
    if let Some(streams) = host.streams(id) {
        let _ = streams.write(stream, format!("{line}\n").as_bytes());
    }
}

/// What one of two is told of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Told {
    pub(super) eid: Eid,
    pub(super) seen: SocketAddr,
    pub(super) nonce: [u8; 16],
}

impl Told {
    fn line(&self) -> String {
        let nonce = u128::from_be_bytes(self.nonce);
        format!("introduced {} {} {nonce:032x}", self.eid, self.seen)
    }

    pub(super) fn parse(line: &str) -> Option<Told> {
        let mut words = line.strip_prefix("introduced ")?.split(' ');
        let (eid, seen) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let nonce = u128::from_str_radix(words.next()?, 16).ok()?.to_be_bytes();
        Some(Told { eid, seen, nonce })
    }
}

/// The rendezvous.
#[derive(Debug)]
pub(super) struct Rendezvous {
    nonces: Rng,
    attend: BTreeMap<Eid, (ConnectionId, StreamId)>,
    lines: Lines,
}

impl Rendezvous {
    pub(super) fn new(nonces: Rng) -> Rendezvous {
        Rendezvous { nonces, attend: BTreeMap::new(), lines: Lines::default() }
    }

    fn heard(&mut self, host: &mut Host, id: ConnectionId, stream: StreamId) {
        for line in self.lines.read(host, id, stream) {
            let (Some(caller), Some(seen)) = (host.peer(id), host.remote_address(id)) else { return };
            if line == "attend" {
                self.attend.insert(caller, (id, stream));
                say(host, id, stream, &format!("seen {seen}"));
            } else if let Some(wanted) = line.strip_prefix("introduce ").and_then(|eid| eid.parse::<Eid>().ok())
                && let Some((other, attends)) = self.attend.get(&wanted).copied()
                && let Some(other_seen) = host.remote_address(other)
            {
                let nonce = self.nonces.bytes();
                say(host, id, stream, &Told { eid: wanted, seen: other_seen, nonce }.line());
                say(host, other, attends, &Told { eid: caller, seen, nonce }.line());
            }
        }
    }
}

impl App<Host> for Rendezvous {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(id).and_then(|streams| streams.accept()) {
                    self.heard(host, id, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => self.heard(host, id, stream),
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

/// A rendezvous at whose port there is a helper.
pub(super) struct Beside(pub(super) Rendezvous);

impl App<Port<(Host, Helper)>> for Beside {
    fn handle_event(&mut self, now: Instant, port: &mut Port<(Host, Helper)>, event: OneOf<HostEvent, HelperEvent>) {
        if let OneOf::First(event) = event {
            self.0.handle_event(now, &mut port.tenants_mut().0, event);
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Port<(Host, Helper)>) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_survives_the_line() {
        let told = Told {
            eid: tng_stack::Identity::from_seed([7; 32]).eid(),
            seen: "192.0.2.1:4860".parse().expect("an address"),
            nonce: [3; 16],
        };
        assert_eq!(Told::parse(&told.line()), Some(told));
        assert_eq!(Told::parse("introduced nobody nowhere 0"), None);
    }
}
