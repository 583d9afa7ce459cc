//! What links read and write of IP headers: the two bits of ECN, and, where they lead to a NAT, addresses and ports.

use std::net::{IpAddr, SocketAddr};

use tng_base::{Ecn, Instant};
use tng_sim::{IpProtocol, Nat, PacketEnd, address_words, patch_checksum, ports_of, readdress};

/// The ECN codepoint of an IP packet; `None` if it is none.
pub(crate) fn ecn(packet: &[u8]) -> Option<Ecn> {
    let bits = match packet.first()? >> 4 {
        4 if packet.len() >= 20 => packet[1],
        6 if packet.len() >= 40 => packet[1] >> 4,
        _ => return None,
    };
    Some(Ecn::from_bits(bits))
}

/// Whether a packet is for all hosts that listen on the link (224.0.0.0/24, ff02::/16): what kernels say to their
/// neighbours by themselves. Links here carry what has an address alone.
pub(crate) fn is_local_multicast(packet: &[u8]) -> bool {
    match packet.first().map(|first| first >> 4) {
        Some(4) => packet.get(16..19) == Some(&[224, 0, 0]),
        Some(6) => packet.get(24..26) == Some(&[0xff, 0x02]),
        _ => false,
    }
}

/// Changes the ECN codepoint of what [`ecn`] knows as a packet.
pub(crate) fn set_ecn(packet: &mut [u8], ecn: Ecn) {
    let bits = ecn as u8;
    if packet[0] >> 4 == 6 {
        packet[1] = packet[1] & !0x30 | bits << 4;
        return;
    }
    let before = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] = packet[1] & !3 | bits;
    let after = u16::from_be_bytes([packet[0], packet[1]]);
    // RFC 1624, equation 3.
    let sum = u32::from(!u16::from_be_bytes([packet[10], packet[11]])) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xffff) + (sum >> 16);
    let checksum = !(((sum & 0xffff) + (sum >> 16)) as u16);
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Where a packet comes from and goes to, and where its transport's header begins. `None` for what is neither TCP nor
/// UDP, and for fragments: a NAT has no way to tell whose they are.
fn ends(packet: &[u8]) -> Option<(IpProtocol, SocketAddr, SocketAddr, usize)> {
    let protocol = |number: u8| match number {
        6 => Some(IpProtocol::Tcp),
        17 => Some(IpProtocol::Udp),
        _ => None,
    };
    let (protocol, src, dst, at): (_, IpAddr, IpAddr, _) = match packet.first()? >> 4 {
        4 => {
            let header = packet.first_chunk::<20>()?;
            let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
            let octets = |at: usize| <[u8; 4]>::try_from(&header[at..at + 4]).ok();
            let protocol = protocol(header[9]).filter(|_| fragment == 0)?;
            (protocol, octets(12)?.into(), octets(16)?.into(), usize::from(header[0] & 15) * 4)
        }
        6 => {
            let header = packet.first_chunk::<40>()?;
            let octets = |at: usize| <[u8; 16]>::try_from(&header[at..at + 16]).ok();
            (protocol(header[6])?, octets(8)?.into(), octets(24)?.into(), 40)
        }
        _ => return None,
    };
    let (from, to) = ports_of(packet.get(at..)?)?;
    Some((protocol, SocketAddr::new(src, from), SocketAddr::new(dst, to), at))
}

/// A packet leaves through a NAT: whether it goes on, as one of the NAT's.
pub(crate) fn leave(nat: &mut Nat, now: Instant, packet: &mut [u8]) -> bool {
    let Some((protocol, src, dst, at)) = ends(packet) else { return false };
    let seen = nat.leave(now, protocol, src, dst);
    seen.inspect(|seen| put(protocol, packet, at, PacketEnd::Source, (src, *seen))).is_some()
}

/// A packet comes to a NAT from outside: whether it goes on, as one for a node behind it.
pub(crate) fn enter(nat: &mut Nat, now: Instant, packet: &mut [u8]) -> bool {
    let Some((protocol, src, dst, at)) = ends(packet) else { return false };
    let host = nat.enter(now, protocol, src, dst);
    host.inspect(|host| put(protocol, packet, at, PacketEnd::Destination, (dst, *host))).is_ok()
}

/// Puts another address and port into a packet that [`ends`] has read.
fn put(protocol: IpProtocol, packet: &mut [u8], at: usize, end: PacketEnd, (old, new): (SocketAddr, SocketAddr)) {
    match new.ip() {
        IpAddr::V4(ip) => {
            let place = 12 + 4 * end as usize;
            packet[place..place + 4].copy_from_slice(&ip.octets());
            patch_checksum(&mut packet[10..12], &address_words(old.ip()), &address_words(new.ip()));
        }
        IpAddr::V6(ip) => {
            let place = 8 + 16 * end as usize;
            packet[place..place + 16].copy_from_slice(&ip.octets());
        }
    }
    readdress(protocol, &mut packet[at..], end, old, new);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of RFC 1071's usual example, with a right checksum.
    const HEADER: [u8; 20] = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8,
        0x00, 0xc7,
    ];

    fn sum(header: &[u8]) -> u16 {
        let sum: u32 = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        (sum & 0xffff) as u16 + (sum >> 16) as u16
    }

    #[test]
    fn a_marked_ipv4_header_has_a_right_checksum() {
        assert_eq!((ecn(&HEADER), sum(&HEADER)), (Some(Ecn::NotEct), 0xffff));
        for mark in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce, Ecn::NotEct] {
            let mut header = HEADER;
            header[1] = 0xb8;
            header[10..12].copy_from_slice(&(0xb861_u16 - 0xb8).to_be_bytes());
            assert_eq!(sum(&header), 0xffff);
            set_ecn(&mut header, mark);
            assert_eq!((ecn(&header), sum(&header), header[1] & !3), (Some(mark), 0xffff, 0xb8), "{mark:?}");
        }
    }

    #[test]
    fn a_marked_ipv6_header_keeps_its_class_and_flow() {
        let mut header = [0; 40];
        header[..4].copy_from_slice(&[0x6b, 0x81, 0x23, 0x45]);
        assert_eq!(ecn(&header), Some(Ecn::NotEct));
        set_ecn(&mut header, Ecn::Ce);
        assert_eq!((ecn(&header), header[..4].to_vec()), (Some(Ecn::Ce), vec![0x6b, 0xb1, 0x23, 0x45]));
    }

    /// A UDP datagram from 10.0.0.1 port 7 to 198.51.100.1 port 80.
    fn datagram(version: u8) -> Vec<u8> {
        let udp = [0, 7, 0, 80, 0, 12, 0, 0, 1, 2, 3, 4];
        let (mut packet, sums) = match version {
            4 => {
                let mut header = HEADER;
                header[2..4].copy_from_slice(&32_u16.to_be_bytes());
                header[6] = 0x40;
                header[12..20].copy_from_slice(&[10, 0, 0, 1, 198, 51, 100, 1]);
                header[10..12].fill(0);
                let checksum = !sum(&header);
                header[10..12].copy_from_slice(&checksum.to_be_bytes());
                (header.to_vec(), header[12..20].to_vec())
            }
            _ => {
                let mut header = [0; 40];
                (header[0], header[6]) = (0x60, 17);
                (header[8], header[23], header[24], header[39]) = (0xfd, 1, 0x20, 2);
                (header.to_vec(), header[8..40].to_vec())
            }
        };
        packet.extend(udp);
        let covered = [&sums[..], &[0, 17, 0, 12], &udp].concat();
        let checksum = !sum(&covered);
        let at = packet.len() - 6;
        packet[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
        packet
    }

    /// Whether its checksums are right.
    fn is_right(packet: &[u8]) -> bool {
        let (addresses, at) = if packet[0] >> 4 == 4 { (12..20, 20) } else { (8..40, 40) };
        let covered = [&packet[addresses], &[0, 17, 0, 12], &packet[at..]].concat();
        sum(&covered) == 0xffff && (at == 40 || sum(&packet[..20]) == 0xffff)
    }

    #[test]
    fn a_datagram_leaves_as_the_nats_and_its_answer_comes_back_as_the_hosts() {
        let own = vec!["192.0.2.1".parse().expect("an ip"), "2001:db8::9".parse().expect("an ip")];
        let mut nat = Nat::new(tng_sim::NatConfig::new(own.clone()), tng_sim::fork(1, 1));
        for (version, own) in [(4, own[0]), (6, own[1])] {
            let mut packet = datagram(version);
            assert!(is_right(&packet), "{version}");
            let (_, host, server, at) = ends(&packet).expect("a datagram");
            assert!(leave(&mut nat, Instant::ZERO, &mut packet) && is_right(&packet), "{version}: {packet:?}");
            let (_, seen, to, _) = ends(&packet).expect("a datagram");
            assert_eq!((seen, to), (SocketAddr::new(own, 7), server));
            // The answer: the two ends change places, and no sum does.
            let (a, b) = if version == 4 { (12..16, 16..20) } else { (8..24, 24..40) };
            let (src, dst) = (packet[a.clone()].to_vec(), packet[b.clone()].to_vec());
            packet[a].copy_from_slice(&dst);
            packet[b].copy_from_slice(&src);
            packet[at..at + 4].copy_from_slice(&[0, 80, 0, 7]);
            let mut stranger = packet.clone();
            stranger[at + 1] = 81;
            assert!(!enter(&mut nat, Instant::ZERO, &mut stranger), "{version}: another port");
            assert!(enter(&mut nat, Instant::ZERO, &mut packet) && is_right(&packet), "{version}: {packet:?}");
            assert_eq!(ends(&packet).map(|(_, from, to, _)| (from, to)), Some((server, host)));
        }
        let mut fragment = datagram(4);
        fragment[6] = 0x20;
        let mut ping = datagram(4);
        ping[9] = 1;
        for mut packet in [fragment, ping, datagram(4)[..22].to_vec(), vec![]] {
            assert!(!leave(&mut nat, Instant::ZERO, &mut packet), "{packet:?}");
        }
    }

    #[test]
    fn what_kernels_say_to_their_neighbours_is_told_apart() {
        let (mut v4, mut v6) = (HEADER, [0; 40]);
        v6[0] = 0x60;
        assert!(!is_local_multicast(&v4) && !is_local_multicast(&v6) && !is_local_multicast(&[]));
        v4[16..].copy_from_slice(&[224, 0, 0, 22]);
        v6[24..26].copy_from_slice(&[0xff, 0x02]);
        assert!(is_local_multicast(&v4) && is_local_multicast(&v6));
        v4[16..].copy_from_slice(&[224, 0, 1, 22]);
        assert!(!is_local_multicast(&v4));
    }

    #[test]
    fn what_is_no_packet_has_no_codepoint() {
        for bytes in [&[][..], &[0x45; 19], &[0x60; 39], &[0x55; 60]] {
            assert_eq!(ecn(bytes), None);
        }
    }
}
