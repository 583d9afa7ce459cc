//! Hosts that reach each other by UDP or, where that does not pass, by a carrier (docs/carrier.md), in virtual time: a
//! host, and the reference TCP beside it, as one machine.
//!
//! A segment of TCP travels in a datagram of UDP behind the first byte of carriers, so that both are at one address,
//! and links charge nine bytes more for it than for one of TCP. There is no TLS.

use core::net::SocketAddr;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tng_base::{CarrierNews, Datagram, Ecn, Input, Instant, Machine, Output, PathChange, Rng, Transmit};
use tng_endpoint::{Frames, carried_address, carrier_number, is_carried, push_frame};
use tng_sim::{App, PORT};
use tng_stack::{Host, HostEvent};
use tng_tcp::{Config, ConnectionId, News};

/// The port of TCP at which carriers are taken.
const CARRIER_PORT: u16 = 443;

/// Where carriers come from that are taken.
const ACCEPTED_FROM: SocketAddr =
    SocketAddr::new(core::net::IpAddr::V4(core::net::Ipv4Addr::UNSPECIFIED), CARRIER_PORT);

/// What a datagram begins with that holds a segment of TCP.
pub const SEGMENT: u8 = 0xc0;

/// Bytes that a segment has more here than in a packet of TCP: of UDP, and [`SEGMENT`].
const OVERHEAD: u16 = 9;

/// Bytes that wait for a carrier from which on the host is told that it takes no more, and at most: as in `tng`.
const OUT_FULL: usize = 128 << 10;
const OUT_MAX: usize = 512 << 10;

/// Bytes that TCP holds and the peer has not acknowledged, beyond which nothing more is written to it.
const UNACKNOWLEDGED_MAX: usize = 128 << 10;

/// One carrier.
#[derive(Debug)]
struct Carrier {
    peer: SocketAddr,
    /// This end begins it.
    is_dialed: bool,
    connection: Option<ConnectionId>,
    out: VecDeque<u8>,
    full: bool,
    frames: Frames,
}

impl Carrier {
    fn new(peer: SocketAddr, connection: Option<ConnectionId>) -> Carrier {
        Carrier {
            peer,
            is_dialed: connection.is_none(),
            connection,
            out: VecDeque::new(),
            full: false,
            frames: Frames::default(),
        }
    }
}

/// What carriers have carried so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CarriedCounts {
    /// Carriers that have come about.
    pub begun: u64,
    /// Bytes of datagrams that were sent by them.
    pub bytes: u64,
    /// Datagrams that found no room.
    pub dropped: u64,
}

/// A host, and its carriers.
#[derive(Debug)]
pub struct Carried {
    /// The host.
    pub host: Host,
    tcp: tng_tcp::Host,
    carriers: BTreeMap<u64, Carrier>,
    next: u64,
    /// Segments that leave.
    segments: VecDeque<(SocketAddr, Vec<u8>)>,
    scratch: Vec<u8>,
    /// What they have carried.
    pub counts: Rc<Cell<CarriedCounts>>,
    /// When every connection of TCP breaks next.
    breaks: VecDeque<Instant>,
}

impl Carried {
    /// The `host` at this address.
    ///
    /// # Panics
    /// If TCP does not take its configuration.
    pub fn new(host: Host, at: core::net::IpAddr, rng: Rng) -> Carried {
        let mut tcp = tng_tcp::Host::new(at, Carried::tcp(), rng).expect("the defaults are good");
        tcp.listen(CARRIER_PORT).expect("nobody listens at it");
        let (carriers, segments, scratch) = (BTreeMap::new(), VecDeque::new(), vec![0; 1 << 16]);
        Carried { host, tcp, carriers, next: 0, segments, scratch, counts: Rc::default(), breaks: VecDeque::new() }
    }

    /// What its TCP is told.
    pub fn tcp() -> Config {
        let defaults = Config::default();
        Config { mss: defaults.mss - OVERHEAD, ..defaults }
    }

    /// The same, whose connections of TCP all break at these times.
    #[must_use]
    pub fn breaking(self, breaks: impl IntoIterator<Item = Instant>) -> Carried {
        Carried { breaks: breaks.into_iter().collect(), ..self }
    }

    fn count(&self, change: impl FnOnce(&mut CarriedCounts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    fn insert(&mut self, peer: SocketAddr, connection: Option<ConnectionId>) -> u64 {
        self.next += 1;
        self.carriers.insert(self.next, Carrier::new(peer, connection));
        self.next
    }

    /// The address of the carrier to the host at `peer`, which is begun by what is first sent there.
    pub fn address_of(&mut self, peer: core::net::IpAddr) -> SocketAddr {
        let peer = SocketAddr::new(peer, CARRIER_PORT);
        let number = self.insert(peer, None);
        carried_address(peer, number)
    }

    /// Every connection of TCP breaks.
    fn break_carriers(&mut self) {
        let ids: Vec<ConnectionId> = self.tcp.connections().collect();
        for id in ids {
            let _ = self.tcp.abort(id);
        }
    }

    /// The host sends datagrams by a carrier.
    fn send(&mut self, now: Instant, to: SocketAddr, size: usize, datagrams: &[u8]) {
        let number = carrier_number(to.ip()).unwrap_or_default();
        let count = datagrams.len().div_ceil(size.max(1)) as u64;
        let Some(carrier) = self.carriers.get_mut(&number) else {
            return self.count(|counts| counts.dropped += count);
        };
        if carrier.out.len() + datagrams.len() > OUT_MAX {
            return self.count(|counts| counts.dropped += count);
        }
        let mut frames = Vec::new();
        for datagram in datagrams.chunks(size.max(1)) {
            push_frame(&mut frames, datagram);
        }
        carrier.out.extend(frames);
        let bytes = datagrams.len() as u64;
        if carrier.connection.is_none() {
            carrier.connection = self.tcp.connect(now, carrier.peer).ok();
        }
        self.count(|counts| counts.bytes += bytes);
        self.pump(now, number);
    }

    /// Has TCP take what it takes, and tells the host how that stands.
    fn pump(&mut self, now: Instant, number: u64) {
        let Some(carrier) = self.carriers.get_mut(&number) else { return };
        let Some(id) = carrier.connection else { return };
        while !carrier.out.is_empty() && self.tcp.unacknowledged(id).is_ok_and(|bytes| bytes < UNACKNOWLEDGED_MAX) {
            let (first, _) = carrier.out.as_slices();
            match self.tcp.write(id, first) {
                Ok(written @ 1..) => _ = carrier.out.drain(..written),
                _ => break,
            }
        }
        let full = carrier.out.len() >= OUT_FULL;
        if full != carrier.full && (full || carrier.out.len() < OUT_FULL / 2) {
            carrier.full = full;
            let (remote, news) =
                (carried_address(carrier.peer, number).ip(), if full { CarrierNews::Full } else { CarrierNews::Ready });
            self.host.handle_input(now, Input::PathChange(PathChange::Carrier { remote, news }));
        }
    }

    fn number_of(&self, id: ConnectionId) -> Option<u64> {
        self.carriers.iter().find(|(_, carrier)| carrier.connection == Some(id)).map(|(number, _)| *number)
    }

    fn handle_tcp(&mut self, now: Instant, id: ConnectionId, news: News) {
        match news {
            News::Connected => self.count(|counts| counts.begun += 1),
            News::Accepted { .. } => {
                // All that come are of one network here.
                self.insert(ACCEPTED_FROM, Some(id));
            }
            News::Readable => self.read(now, id),
            News::Closed { .. } | News::PeerFinished => {
                let _ = self.tcp.abort(id);
                let Some(number) = self.number_of(id) else { return };
                let Some(carrier) = self.carriers.get_mut(&number) else { return };
                let is_dialed = carrier.is_dialed;
                let remote = carried_address(carrier.peer, number).ip();
                if is_dialed {
                    *carrier = Carrier::new(carrier.peer, None);
                } else {
                    self.carriers.remove(&number);
                }
                let news = if is_dialed { CarrierNews::Broken } else { CarrierNews::Ready };
                self.host.handle_input(now, Input::PathChange(PathChange::Carrier { remote, news }));
            }
            News::Writable => {}
        }
        if let Some(number) = self.number_of(id) {
            self.pump(now, number);
        }
    }

    fn read(&mut self, now: Instant, id: ConnectionId) {
        let Some(number) = self.number_of(id) else { return };
        let Some(carrier) = self.carriers.get_mut(&number) else { return };
        let remote = carried_address(carrier.peer, number);
        while let Ok(len @ 1..) = self.tcp.read(id, carrier.frames.room()) {
            carrier.frames.filled(len);
            while let Ok(Some(payload)) = carrier.frames.next() {
                let segment_size = payload.len();
                let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload };
                self.host.handle_input(now, Input::Datagram(datagram));
            }
        }
    }

    /// What TCP has to say now.
    fn drain_tcp(&mut self, now: Instant) -> Option<Instant> {
        loop {
            match self.tcp.poll_output(now, &mut self.scratch) {
                Output::Transmit(transmit) => {
                    for segment in self.scratch[..transmit.len].chunks(transmit.segment_size.max(1)) {
                        let bytes = core::iter::once(SEGMENT).chain(segment.iter().copied()).collect();
                        self.segments.push_back((transmit.remote, bytes));
                    }
                }
                Output::Event(event) => self.handle_tcp(now, event.id, event.news),
                Output::NeedsEntropy => unreachable!("TCP has no keys"),
                Output::Timeout(at) => {
                    // What was acknowledged has made room.
                    let numbers: Vec<u64> = self.carriers.keys().copied().collect();
                    let before = self.waiting();
                    numbers.into_iter().for_each(|number| self.pump(now, number));
                    if self.waiting() == before {
                        return at;
                    }
                }
            }
        }
    }

    fn waiting(&self) -> usize {
        self.carriers.values().map(|carrier| carrier.out.len()).sum()
    }
}

impl Machine for Carried {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return self.host.handle_input(now, input) };
        if datagram.payload.first() != Some(&SEGMENT) {
            return self.host.handle_input(now, Input::Datagram(datagram));
        }
        let Datagram { remote, local, ecn, segment_size, payload } = datagram;
        for segment in payload.chunks_mut(segment_size.max(1)) {
            let payload = &mut segment[1..];
            let segment_size = payload.len();
            self.tcp.handle_input(now, Input::Datagram(Datagram { remote, local, ecn, segment_size, payload }));
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.breaks.pop_front_if(|at| *at <= now).is_some() {
            self.break_carriers();
        }
        self.tcp.handle_timeout(now);
        self.host.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        loop {
            let at = self.drain_tcp(now);
            if let Some((remote, bytes)) = self.segments.pop_front() {
                let len = bytes.len();
                buf[..len].copy_from_slice(&bytes);
                let remote = SocketAddr::new(remote.ip(), PORT);
                return Output::Transmit(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len });
            }
            match self.host.poll_output(now, buf) {
                Output::Transmit(transmit) if is_carried(transmit.remote.ip()) => {
                    let bytes = buf[..transmit.len].to_vec();
                    self.send(now, transmit.remote, transmit.segment_size, &bytes);
                }
                Output::Timeout(host) => {
                    let breaks = self.breaks.front().copied();
                    return Output::Timeout([at, host, breaks].into_iter().flatten().min());
                }
                output => return output,
            }
        }
    }
}

/// An application of hosts, above one with carriers.
pub struct Above<A>(pub A);

impl<A: App<Host>> App<Carried> for Above<A> {
    fn handle_event(&mut self, now: Instant, machine: &mut Carried, event: HostEvent) {
        self.0.handle_event(now, &mut machine.host, event);
    }

    fn poll(&mut self, now: Instant, machine: &mut Carried) -> Option<Instant> {
        self.0.poll(now, &mut machine.host)
    }
}
