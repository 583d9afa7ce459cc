//! UDP datagrams of any size that IPv4 carries, cut into fragments as it cuts them, and exchanges of one datagram each.
//!
//! A fragment takes of a link what it would in IPv4: its part of the UDP header and payload, and an IP header. Its
//! contents stand for nothing but who it belongs to.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::{Ecn, Input, Instant, Machine, Output, RangeSet, Transmit};
use tng_sim::{App, DATAGRAM_OVERHEAD, MachineNode, PORT, topology};

use super::world::Setting;

/// Largest payload of a UDP datagram over IPv4, bytes.
pub const DATAGRAM_MAX: u32 = 65_507;
/// Bytes of a fragment of the usual MTU of 1500, IP header left out; a multiple of 8.
pub const FRAGMENT_LEN: u32 = 1_480;
/// Datagrams that have come in part, at most; a further one takes the place of the oldest.
pub const PARTIAL_MAX: usize = 256;
/// How long fragments wait for the others (RFC 1122 section 3.3.2 has 60 to 120 s; Linux 30).
pub const PARTIAL_AGE_MAX: Duration = Duration::from_secs(30);

const UDP_HEADER_LEN: u32 = 8;
/// What a fragment says of itself: the datagram, its word, its length, and where the fragment begins.
const HEAD_LEN: usize = 24;

/// A datagram, as its receiver has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Who sent it.
    pub remote: SocketAddr,
    /// What its sender called it.
    pub tag: u64,
    /// Whatever else its sender says.
    pub word: u64,
    /// Bytes of payload.
    pub len: u32,
}

/// A party that sends and receives datagrams.
#[derive(Debug, Default)]
pub struct UdpHost {
    outgoing: VecDeque<Fragment>,
    /// What has come of datagrams, and since when.
    partial: BTreeMap<(SocketAddr, u64), (Instant, RangeSet)>,
    whole: VecDeque<Received>,
}

#[derive(Clone, Copy, Debug)]
struct Fragment {
    remote: SocketAddr,
    tag: u64,
    word: u64,
    /// Bytes of the datagram, UDP header included, and where in it this fragment lies.
    total: u32,
    offset: u32,
    len: u32,
}

impl UdpHost {
    /// Sends a datagram of `len` bytes, [`DATAGRAM_MAX`] at most: more are cut off. A tag names one datagram to one
    /// peer.
    pub fn send(&mut self, remote: SocketAddr, tag: u64, word: u64, len: u32) {
        let total = UDP_HEADER_LEN + len.min(DATAGRAM_MAX);
        let mut offset = 0;
        while offset < total {
            let len = FRAGMENT_LEN.min(total - offset);
            self.outgoing.push_back(Fragment { remote, tag, word, total, offset, len });
            offset += len;
        }
    }

    fn take(&mut self, now: Instant, remote: SocketAddr, bytes: &[u8]) {
        let Some(fragment) = Fragment::parse(remote, bytes) else { return };
        let Fragment { tag, word, total, offset, len, .. } = fragment;
        let key = (remote, tag);
        if !self.partial.contains_key(&key) {
            self.partial.retain(|_, (since, _)| now.since(*since) < PARTIAL_AGE_MAX);
            let oldest = self.partial.iter().min_by_key(|(_, (since, _))| *since).map(|(key, _)| *key);
            if let Some(oldest) = oldest.filter(|_| self.partial.len() >= PARTIAL_MAX) {
                self.partial.remove(&oldest);
            }
        }
        let (_, ranges) = self.partial.entry(key).or_insert_with(|| (now, RangeSet::new()));
        ranges.insert(u64::from(offset)..u64::from(offset + len));
        if ranges.covers(0..u64::from(total)) {
            self.partial.remove(&key);
            self.whole.push_back(Received { remote, tag, word, len: total - UDP_HEADER_LEN });
        }
    }
}

impl Fragment {
    fn parse(remote: SocketAddr, bytes: &[u8]) -> Option<Fragment> {
        let (head, _) = bytes.split_first_chunk::<HEAD_LEN>()?;
        let word = |at: usize| Some(u64::from_be_bytes(head.get(at..at + 8)?.try_into().ok()?));
        let place = word(16)?;
        let (total, offset) = ((place >> 32) as u32, place as u32);
        let rest = total.checked_sub(offset).filter(|_| total <= UDP_HEADER_LEN + DATAGRAM_MAX)?;
        let len = rest.min(FRAGMENT_LEN);
        (len > 0).then_some(Fragment { remote, tag: word(0)?, word: word(8)?, total, offset, len })
    }

    /// Writes what stands for it; a fragment whose last bytes are too few to say what it is is a little longer than it
    /// would be.
    fn emit(&self, buf: &mut [u8]) -> usize {
        let header = DATAGRAM_OVERHEAD - 20;
        let len = (self.len as usize).saturating_sub(header).max(HEAD_LEN);
        buf[..len].fill(0);
        let place = u64::from(self.total) << 32 | u64::from(self.offset);
        for (at, word) in [self.tag, self.word, place].into_iter().enumerate() {
            buf[at * 8..][..8].copy_from_slice(&word.to_be_bytes());
        }
        len
    }
}

impl Machine for UdpHost {
    type Event = Received;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Datagram(datagram) = input {
            for bytes in datagram.payload.chunks(datagram.segment_size.max(1)) {
                self.take(now, datagram.remote, bytes);
            }
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll_output(&mut self, _: Instant, buf: &mut [u8]) -> Output<Received> {
        if let Some(received) = self.whole.pop_front() {
            return Output::Event(received);
        }
        let Some(fragment) = self.outgoing.pop_front() else { return Output::Timeout(None) };
        let len = fragment.emit(buf);
        Output::Transmit(Transmit { remote: fragment.remote, local: None, ecn: Ecn::NotEct, len, segment_size: len })
    }
}

/// A client that asks once, or a server.
enum Party {
    Client { request: u32, answer: u32, asked: bool, answered: Option<Instant> },
    Server,
}

impl App<UdpHost> for Party {
    fn handle_event(&mut self, now: Instant, host: &mut UdpHost, event: Received) {
        match self {
            Party::Client { answered, .. } => *answered = Some(now),
            Party::Server => host.send(event.remote, event.tag, 0, event.word as u32),
        }
    }

    fn poll(&mut self, _: Instant, host: &mut UdpHost) -> Option<Instant> {
        if let Party::Client { request, answer, asked, .. } = self
            && !core::mem::replace(asked, true)
        {
            host.send(SocketAddr::new(topology::B, PORT), 0, u64::from(*answer), *request);
        }
        None
    }
}

/// How long one datagram and the one that answers it take, if nothing of them is lost: nobody sends again.
pub fn exchange(setting: &Setting, request: u32, answer: u32) -> Option<Duration> {
    let mut world = tng_sim::World::new(setting.seed);
    let client = Party::Client { request, answer, asked: false, answered: None };
    let a = world.host("client", &[topology::A], MachineNode::new(UdpHost::default(), client));
    let b = world.host("server", &[topology::B], MachineNode::new(UdpHost::default(), Party::Server));
    world.connect_with(a, b, &setting.up, &setting.down);
    world.run_until_idle(Instant::FAR_FUTURE);
    match world.node(a).app {
        Party::Client { answered, .. } => Some(answered?.since(Instant::ZERO)),
        Party::Server => None,
    }
}
