//! Network address translation (RFC 4787; RFC 5382 for TCP): many hosts behind few addresses.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_trace::IpProtocol;

/// The first port that a NAT gives out by lot, or in the place of one that is taken (RFC 4787, section 4.2.2).
const PORT_FIRST: u16 = 1_024;

/// How many ports are tried for a host before it gets none.
const PORT_TRIES_MAX: u32 = 1 << 16;

/// For how long a NAT remembers that nothing has gone out, unless it is told otherwise (RFC 4787, REQ-5).
pub const NAT_FORGETS: Duration = Duration::from_secs(120);

/// Which port of its own a NAT gives a host's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NatPorts {
    /// The same, or the next that is free.
    #[default]
    Preserving,
    /// Any, by lot.
    Random,
}

/// Whether a NAT's port for a host's depends on whom the host sends to (RFC 4787, section 4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NatMapping {
    /// It does not (REQ-1): so everybody sees the host at the same place. As nft `masquerade` with ports that are kept.
    #[default]
    Same,
    /// Another for each address and port: what one sees of the host is of no use to another. As nft `masquerade
    /// random`.
    Each,
}

/// Whom a NAT lets in (RFC 4787, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NatFilter {
    /// Everybody, to a port that is in use.
    None,
    /// The addresses that the host has sent to from there.
    Address,
    /// The addresses and ports that it has sent to.
    #[default]
    Port,
}

/// What a NAT is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NatConfig {
    /// Its own addresses: the first of a family stands for all behind it.
    pub addresses: Vec<IpAddr>,
    /// Which ports it gives out.
    pub ports: NatPorts,
    /// Whether for each whom a host sends to another.
    pub mapping: NatMapping,
    /// Whom it lets in.
    pub filter: NatFilter,
    /// How long after a host has sent something from a port it is known.
    pub forgets: Duration,
    /// Whether those behind it reach each other by its own addresses (RFC 4787, section 6).
    pub hairpin: bool,
}

impl NatConfig {
    /// One with these addresses that is set to nothing else.
    pub fn new(addresses: Vec<IpAddr>) -> NatConfig {
        NatConfig {
            addresses,
            ports: NatPorts::default(),
            mapping: NatMapping::default(),
            filter: NatFilter::default(),
            forgets: NAT_FORGETS,
            hairpin: false,
        }
    }
}

/// Why a NAT does not let a packet pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatDrop {
    /// It came for a port of the NAT's that stands for nobody, or no longer.
    NoMapping,
    /// It came from somebody whom the host has not sent to.
    Filtered,
    /// It came from outside for an address that is not the NAT's.
    NotItsOwn,
    /// It came from inside for the NAT's own address, and the NAT does not turn it round.
    Hairpin,
    /// Nothing is left to stand for its host: no address of its IP version, or no port.
    NoPort,
}

impl NatDrop {
    /// Every one, in order.
    pub const ALL: [NatDrop; 5] =
        [NatDrop::NoMapping, NatDrop::Filtered, NatDrop::NotItsOwn, NatDrop::Hairpin, NatDrop::NoPort];

    /// It in a few words, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            NatDrop::NoMapping => "no mapping",
            NatDrop::Filtered => "filtered",
            NatDrop::NotItsOwn => "not its address",
            NatDrop::Hairpin => "from inside to itself",
            NatDrop::NoPort => "no address or port",
        }
    }
}

/// What stands for a host's address and port.
#[derive(Debug)]
struct Mapping {
    seen: SocketAddr,
    used_at: Instant,
    /// Whom the host has sent to.
    remotes: BTreeMap<SocketAddr, Instant>,
}

/// What a mapping is of: a protocol, a host's address and port, and, if it depends on that, whom the host sends to.
type Of = (u8, SocketAddr, Option<SocketAddr>);

/// A NAT at work: which of its addresses and ports stands for which host's. What comes in does not keep a mapping (RFC
/// 4787, REQ-6 asks for what goes out).
#[derive(Debug)]
pub struct Nat {
    config: NatConfig,
    rng: Rng,
    mappings: BTreeMap<Of, Mapping>,
    /// By what others see.
    seen: BTreeMap<(u8, SocketAddr), Of>,
}

impl Nat {
    /// One that knows nothing yet; `rng` draws its ports.
    pub fn new(config: NatConfig, rng: Rng) -> Nat {
        Nat { config, rng, mappings: BTreeMap::new(), seen: BTreeMap::new() }
    }

    /// Forgets all that it knows, as one that was restarted, and gives out ports by lot from now on: those behind it
    /// are seen elsewhere.
    pub fn restart(&mut self) {
        self.mappings.clear();
        self.seen.clear();
        self.config.ports = NatPorts::Random;
    }

    /// Whether it turns round what those behind it send to its own addresses.
    pub fn hairpins(&self) -> bool {
        self.config.hairpin
    }

    /// Whether an address is its own.
    pub fn has(&self, address: IpAddr) -> bool {
        self.config.addresses.contains(&address)
    }

    /// A packet goes out from a host: what it comes from as others see it. `None`: it has no address of that family, or
    /// no port left, and the packet goes nowhere.
    pub fn leave(
        &mut self,
        now: Instant,
        protocol: IpProtocol,
        from: SocketAddr,
        to: SocketAddr,
    ) -> Option<SocketAddr> {
        let key = (protocol as u8, from, (self.config.mapping == NatMapping::Each).then_some(to));
        self.forget(now, key);
        if !self.mappings.contains_key(&key) {
            let seen = self.choose(now, protocol, from)?;
            self.seen.insert((protocol as u8, seen), key);
            self.mappings.insert(key, Mapping { seen, used_at: now, remotes: BTreeMap::new() });
        }
        let mapping = self.mappings.get_mut(&key)?;
        mapping.used_at = now;
        mapping.remotes.insert(to, now);
        Some(mapping.seen)
    }

    /// A packet comes in to one of its addresses: the host that it is for, if it may pass.
    ///
    /// # Errors
    /// Why it may not.
    pub fn enter(
        &mut self,
        now: Instant,
        protocol: IpProtocol,
        from: SocketAddr,
        to: SocketAddr,
    ) -> Result<SocketAddr, NatDrop> {
        if !self.has(to.ip()) {
            return Err(NatDrop::NotItsOwn);
        }
        let key = *self.seen.get(&(protocol as u8, to)).ok_or(NatDrop::NoMapping)?;
        self.forget(now, key);
        let mapping = self.mappings.get(&key).ok_or(NatDrop::NoMapping)?;
        let known = |at: &Instant| *at + self.config.forgets > now;
        let passes = match self.config.filter {
            NatFilter::None => true,
            NatFilter::Address => mapping.remotes.iter().any(|(to, at)| to.ip() == from.ip() && known(at)),
            NatFilter::Port => mapping.remotes.get(&from).is_some_and(known),
        };
        passes.then_some(key.1).ok_or(NatDrop::Filtered)
    }

    /// Forgets a mapping that nothing has used for too long.
    fn forget(&mut self, now: Instant, key: Of) {
        if let Some(mapping) = self.mappings.get(&key)
            && mapping.used_at + self.config.forgets <= now
        {
            self.seen.remove(&(key.0, mapping.seen));
            self.mappings.remove(&key);
        }
    }

    fn choose(&mut self, now: Instant, protocol: IpProtocol, from: SocketAddr) -> Option<SocketAddr> {
        let own = self.config.addresses.iter().find(|own| own.is_ipv4() == from.is_ipv4()).copied()?;
        let mut port = from.port();
        for _ in 0..PORT_TRIES_MAX {
            if self.config.ports == NatPorts::Random {
                port = PORT_FIRST + self.rng.below(u64::from(u16::MAX - PORT_FIRST) + 1) as u16;
            }
            let seen = SocketAddr::new(own, port);
            if let Some(other) = self.seen.get(&(protocol as u8, seen)).copied() {
                self.forget(now, other);
            }
            if !self.seen.contains_key(&(protocol as u8, seen)) {
                return Some(seen);
            }
            port = port.checked_add(1).unwrap_or(PORT_FIRST);
        }
        None
    }
}

/// Which end of a packet has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketEnd {
    /// Where it comes from.
    Source,
    /// Where it goes.
    Destination,
}

/// Source and destination port at the start of a TCP segment or UDP datagram, header included.
pub fn ports_of(transport: &[u8]) -> Option<(u16, u16)> {
    let [a, b, c, d] = *transport.first_chunk::<4>()?;
    Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
}

/// Puts another port, for another address, into the header of a TCP segment or UDP datagram, and makes its checksum
/// right again if it was (RFC 1624, equation 3). What is too short stays as it is.
pub fn readdress(protocol: IpProtocol, transport: &mut [u8], end: PacketEnd, from: SocketAddr, to: SocketAddr) {
    let (checksum_at, port_at) = (if protocol == IpProtocol::Tcp { 16 } else { 6 }, 2 * (end as usize));
    if transport.len() < checksum_at + 2 {
        return;
    }
    transport[port_at..port_at + 2].copy_from_slice(&to.port().to_be_bytes());
    let field = &mut transport[checksum_at..checksum_at + 2];
    // A UDP datagram over IPv4 may have none.
    if protocol == IpProtocol::Udp && *field == [0, 0] {
        return;
    }
    patch_checksum(field, &words(from), &words(to));
    if protocol == IpProtocol::Udp && *field == [0, 0] {
        field.copy_from_slice(&[0xff, 0xff]);
    }
}

/// Makes a checksum right after some words that it covers have become others, as many.
pub fn patch_checksum(field: &mut [u8], before: &[u16], after: &[u16]) {
    let old = u16::from_be_bytes([field[0], field[1]]);
    let sum = before.iter().map(|word| !word).chain(after.iter().copied()).chain([!old]);
    let mut sum: u64 = sum.map(u64::from).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    field.copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

/// An address and a port as checksums add them up.
fn words(at: SocketAddr) -> Vec<u16> {
    let mut words = address_words(at.ip());
    words.push(at.port());
    words
}

/// An address as checksums add it up.
pub fn address_words(ip: IpAddr) -> Vec<u16> {
    let pairs = |octets: &[u8]| octets.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    match ip {
        IpAddr::V4(ip) => pairs(&ip.octets()),
        IpAddr::V6(ip) => pairs(&ip.octets()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UDP: IpProtocol = IpProtocol::Udp;

    fn at(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn nat(ports: NatPorts, filter: NatFilter) -> Nat {
        let config = NatConfig { ports, filter, ..NatConfig::new(vec![at("192.0.2.1:0").ip()]) };
        Nat::new(config, Rng::from_u64(1))
    }

    #[test]
    fn one_host_keeps_its_port_and_the_next_gets_another() {
        let mut nat = nat(NatPorts::Preserving, NatFilter::Port);
        let (now, to) = (Instant::ZERO, at("198.51.100.1:80"));
        assert_eq!(nat.leave(now, UDP, at("10.0.0.1:4860"), to), Some(at("192.0.2.1:4860")));
        assert_eq!(nat.leave(now, UDP, at("10.0.0.2:4860"), to), Some(at("192.0.2.1:4861")));
        assert_eq!(nat.leave(now, UDP, at("10.0.0.1:4860"), at("203.0.113.9:1")), Some(at("192.0.2.1:4860")));
        assert_eq!(nat.leave(now, IpProtocol::Tcp, at("10.0.0.2:4860"), to), Some(at("192.0.2.1:4860")), "TCP's own");
        assert_eq!(nat.leave(now, UDP, at("[fd00::1]:1"), at("[fd00::2]:1")), None, "no address of the family");
        assert_eq!(nat.enter(now, UDP, to, at("192.0.2.1:4861")), Ok(at("10.0.0.2:4860")));
    }

    #[test]
    fn ports_by_lot_are_none_of_the_hosts_own() {
        let mut nat = nat(NatPorts::Random, NatFilter::Port);
        let seen: Vec<u16> = (1..=50)
            .map(|host| SocketAddr::from(([10, 0, 0, host], 4_860)))
            .filter_map(|from| nat.leave(Instant::ZERO, UDP, from, at("198.51.100.1:80")))
            .map(|seen| seen.port())
            .collect();
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert!(sorted.len() == 50 && sorted != seen && seen.iter().all(|port| *port >= PORT_FIRST), "{seen:?}");
    }

    #[test]
    fn a_nat_that_gives_another_port_to_each_lets_in_by_each_whom_that_was_given_for() {
        let config = NatConfig {
            ports: NatPorts::Random,
            mapping: NatMapping::Each,
            filter: NatFilter::Port,
            ..NatConfig::new(vec![at("192.0.2.1:0").ip()])
        };
        let mut nat = Nat::new(config, Rng::from_u64(1));
        let (host, now) = (at("10.0.0.1:4860"), Instant::ZERO);
        let others = [at("198.51.100.1:80"), at("198.51.100.1:81"), at("203.0.113.9:80")];
        let seen = others.map(|other| nat.leave(now, UDP, host, other).expect("a port"));
        assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2], "{seen:?}");
        assert_eq!(others.map(|other| nat.leave(now, UDP, host, other).expect("a port")), seen, "and keeps it");
        for (at, other) in others.into_iter().enumerate() {
            for (to, port) in seen.into_iter().enumerate() {
                let entered = nat.enter(now, UDP, other, port);
                assert_eq!(entered, (at == to).then_some(host).ok_or(NatDrop::Filtered), "{at}, {to}");
            }
        }
        nat.restart();
        assert_eq!(nat.enter(now, UDP, others[0], seen[0]), Err(NatDrop::NoMapping));
        assert_ne!(nat.leave(now, UDP, host, others[0]), Some(seen[0]), "it is seen elsewhere");
    }

    #[test]
    fn whom_it_lets_in_depends_on_whom_the_host_has_sent_to() {
        let (host, server) = (at("10.0.0.1:7"), at("198.51.100.1:80"));
        let (neighbour, stranger) = (at("198.51.100.1:81"), at("203.0.113.9:80"));
        for (filter, admitted) in [
            (NatFilter::None, [true, true, true]),
            (NatFilter::Address, [true, true, false]),
            (NatFilter::Port, [true, false, false]),
        ] {
            let mut nat = nat(NatPorts::Preserving, filter);
            assert_eq!(
                nat.enter(Instant::ZERO, UDP, server, at("192.0.2.1:7")),
                Err(NatDrop::NoMapping),
                "nobody has sent"
            );
            nat.leave(Instant::ZERO, UDP, host, server);
            for (from, passes) in [server, neighbour, stranger].into_iter().zip(admitted) {
                let entered = nat.enter(Instant::ZERO, UDP, from, at("192.0.2.1:7"));
                assert_eq!(entered, passes.then_some(host).ok_or(NatDrop::Filtered), "{filter:?}, from {from}");
            }
            assert_eq!(nat.enter(Instant::ZERO, IpProtocol::Tcp, server, at("192.0.2.1:7")), Err(NatDrop::NoMapping));
        }
    }

    #[test]
    fn what_goes_out_keeps_a_mapping_and_what_comes_in_does_not() {
        let mut nat = nat(NatPorts::Preserving, NatFilter::Port);
        let (host, server) = (at("10.0.0.1:7"), at("198.51.100.1:80"));
        nat.leave(Instant::ZERO, UDP, host, server);
        for second in [60, 119] {
            assert_eq!(nat.enter(Instant::from_secs(second), UDP, server, at("192.0.2.1:7")), Ok(host));
        }
        nat.leave(Instant::from_secs(119), UDP, host, server);
        assert_eq!(nat.enter(Instant::from_secs(238), UDP, server, at("192.0.2.1:7")), Ok(host));
        assert_eq!(nat.enter(Instant::from_secs(239), UDP, server, at("192.0.2.1:7")), Err(NatDrop::NoMapping));
        // Its port is free again.
        assert_eq!(nat.leave(Instant::from_secs(239), UDP, at("10.0.0.2:7"), server), Some(at("192.0.2.1:7")));
    }

    #[test]
    fn a_checksum_that_was_right_is_right_afterwards_and_a_wrong_one_stays_wrong() {
        let sum = |from: SocketAddr, to: SocketAddr, transport: &[u8]| {
            let mut all = [address_words(from.ip()), address_words(to.ip())].concat();
            all.extend([17, transport.len() as u16]);
            all.extend(transport.chunks(2).map(|pair| u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)])));
            let sum: u32 = all.into_iter().map(u32::from).sum();
            ((sum & 0xffff) + (sum >> 16)) as u16
        };
        let mut rng = Rng::from_u64(5);
        for round in 0..2_000 {
            let (from, to, seen) = match round % 2 {
                0 => (at("10.0.0.1:4860"), at("198.51.100.1:80"), SocketAddr::from(([192, 0, 2, 1], rng.u64() as u16))),
                _ => (at("[fd00::1]:4860"), at("[2001:db8::1]:80"), at("[2001:db8::77]:0")),
            };
            let mut datagram = [&from.port().to_be_bytes()[..], &to.port().to_be_bytes(), &[0, 29, 0, 0]].concat();
            datagram.extend((0..21).map(|_| rng.u64() as u8));
            let right = !sum(from, to, &datagram);
            datagram[6..8].copy_from_slice(&right.to_be_bytes());
            if right == 0 {
                continue;
            }
            let mut wrong = datagram.clone();
            wrong[20] ^= 4;
            readdress(UDP, &mut datagram, PacketEnd::Source, from, seen);
            readdress(UDP, &mut wrong, PacketEnd::Source, from, seen);
            assert_eq!(ports_of(&datagram), Some((seen.port(), 80)));
            assert_eq!(sum(seen, to, &datagram), 0xffff, "{round}");
            assert_ne!(sum(seen, to, &wrong), 0xffff, "{round}");
        }
        let mut none = [0, 1, 0, 2, 0, 8, 0, 0];
        readdress(UDP, &mut none, PacketEnd::Destination, at("10.0.0.1:2"), at("10.0.0.2:3"));
        assert_eq!(none, [0, 1, 0, 3, 0, 8, 0, 0], "no checksum stays none");
    }
}
