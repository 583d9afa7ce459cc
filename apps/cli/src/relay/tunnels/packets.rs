//! IP packets of a TUN device: which flow one is of, and what the sender of one that is too large is told (RFC 1191,
//! RFC 8201).

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, Ipv6Addr};

use tng::relay::FlowId;

/// Names of flows that an end chooses among: two flows with one name share a queue, and no more than that.
pub const FLOW_NAMES: u32 = 1 << 14;

/// Bytes of an ICMP error at most, its headers with it: it fits through any network (RFC 4443 section 2.4).
const ERROR_MAX: usize = 1_280;
/// The least MTU that anybody is told of: below it IPv6 is not (RFC 8200 section 5).
const IPV6_MTU_MIN: usize = 1_280;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;
const ICMP_HEADER: usize = 8;
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;

/// Whose a packet is: addresses, protocol, and ports where there are some.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Tuple {
    V4(Ipv4Addr, Ipv4Addr, u8, u32),
    V6(Ipv6Addr, Ipv6Addr, u8, u32),
    /// No IP packet that is understood.
    Other,
}

fn array<const N: usize>(packet: &[u8], at: usize) -> Option<[u8; N]> {
    packet.get(at..at + N)?.try_into().ok()
}

/// Both ports as one number; 0 where there are none.
fn ports(protocol: u8, payload: Option<&[u8]>) -> u32 {
    match (protocol, payload) {
        (TCP | UDP, Some(payload)) => array(payload, 0).map_or(0, u32::from_be_bytes),
        _ => 0,
    }
}

impl Tuple {
    fn of(packet: &[u8]) -> Tuple {
        let tuple = match packet.first().map(|first| first >> 4) {
            Some(4) => Tuple::of_v4(packet),
            Some(6) => Tuple::of_v6(packet),
            _ => None,
        };
        tuple.unwrap_or(Tuple::Other)
    }

    fn of_v4(packet: &[u8]) -> Option<Tuple> {
        let [source, destination] = [array::<4>(packet, 12)?, array(packet, 16)?].map(Ipv4Addr::from);
        let protocol = *packet.get(9)?;
        // Only the first fragment has ports, so that no fragment is known by them.
        let whole = u16::from_be_bytes(array(packet, 6)?) & 0x3fff == 0;
        let payload = packet.get(usize::from(packet[0] & 15) * 4..).filter(|_| whole);
        Some(Tuple::V4(source, destination, protocol, ports(protocol, payload)))
    }

    fn of_v6(packet: &[u8]) -> Option<Tuple> {
        let [source, destination] = [array::<16>(packet, 8)?, array(packet, 24)?].map(Ipv6Addr::from);
        // Behind extension headers, fragments among them, nothing is looked for.
        let protocol = *packet.get(6)?;
        Some(Tuple::V6(source, destination, protocol, ports(protocol, packet.get(IPV6_HEADER..))))
    }
}

/// Gives flows their names, by a hash that nobody else can foresee.
#[derive(Clone, Debug, Default)]
pub struct Namer(RandomState);

impl Namer {
    /// The flow of an IP packet.
    pub fn flow_of(&self, packet: &[u8]) -> FlowId {
        self.name(&Tuple::of(packet))
    }

    /// The flow of whatever is told apart by this.
    pub fn name(&self, by: &impl std::hash::Hash) -> FlowId {
        FlowId((self.0.hash_one(by) % u64::from(FLOW_NAMES)) as u32)
    }
}

/// Sums up 16-bit words in ones' complement (RFC 1071).
fn sum(begun: u32, bytes: &[u8]) -> u32 {
    let mut sum = u64::from(begun);
    for pair in bytes.chunks(2) {
        sum += u64::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u32
}

/// What the sender of a packet is told that is larger than `max` bytes, which the tunnel carries: an IP packet. None
/// for what nobody is told of: what is no IP packet, an ICMP error itself, a later fragment.
pub fn too_big(packet: &[u8], max: usize) -> Option<Vec<u8>> {
    match packet.first()? >> 4 {
        4 => too_big_v4(packet, max),
        6 => too_big_v6(packet, max),
        _ => None,
    }
}

fn too_big_v4(packet: &[u8], max: usize) -> Option<Vec<u8>> {
    let (header, source, destination) =
        (usize::from(packet[0] & 15) * 4, array::<4>(packet, 12)?, array::<4>(packet, 16)?);
    let later = u16::from_be_bytes(array(packet, 6)?) & 0x1fff != 0;
    // Echo and its answer, and those of timestamps, are no errors.
    let error = packet[9] == ICMP && !matches!(packet.get(header)?, 0 | 8 | 13 | 14);
    if later || error {
        return None;
    }
    // As many bytes as a router has always quoted, and more (RFC 1812 section 4.3.2.3).
    let quoted = &packet[..packet.len().min(576 - IPV4_HEADER - ICMP_HEADER)];
    let mut icmp = vec![3, 4, 0, 0, 0, 0];
    icmp.extend_from_slice(&u16::try_from(max).unwrap_or(u16::MAX).to_be_bytes());
    icmp.extend_from_slice(quoted);
    let checksum = !(sum(0, &icmp) as u16);
    icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
    let len = (IPV4_HEADER + icmp.len()) as u16;
    let mut told = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, ICMP, 0, 0];
    told[2..4].copy_from_slice(&len.to_be_bytes());
    told.extend_from_slice(&destination);
    told.extend_from_slice(&source);
    let checksum = !(sum(0, &told) as u16);
    told[10..12].copy_from_slice(&checksum.to_be_bytes());
    told.extend_from_slice(&icmp);
    Some(told)
}

fn too_big_v6(packet: &[u8], max: usize) -> Option<Vec<u8>> {
    let (source, destination) = (array::<16>(packet, 8)?, array::<16>(packet, 24)?);
    // Those below 128 are errors.
    if packet[6] == ICMPV6 && *packet.get(IPV6_HEADER)? < 128 {
        return None;
    }
    let quoted = &packet[..packet.len().min(ERROR_MAX - IPV6_HEADER - ICMP_HEADER)];
    let mut icmp = vec![2, 0, 0, 0];
    icmp.extend_from_slice(&(max.max(IPV6_MTU_MIN) as u32).to_be_bytes());
    icmp.extend_from_slice(quoted);
    // Of the pseudo-header (RFC 8200 section 8.1).
    let begun = sum(u32::from(ICMPV6) + icmp.len() as u32, &[&destination[..], &source].concat());
    let checksum = !(sum(begun, &icmp) as u16);
    icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
    let mut told = vec![0x60, 0, 0, 0, 0, 0, ICMPV6, 64];
    told[4..6].copy_from_slice(&(icmp.len() as u16).to_be_bytes());
    told.extend_from_slice(&destination);
    told.extend_from_slice(&source);
    told.extend_from_slice(&icmp);
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(protocol: u8, fragment: u16, ports: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet[6..8].copy_from_slice(&fragment.to_be_bytes());
        packet.extend_from_slice(&ports);
        packet.resize(2_000, 9);
        packet
    }

    fn v6(protocol: u8, payload: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0, 0, protocol, 64];
        packet.extend_from_slice(&[[0xfd; 16], [0xfe; 16]].concat());
        packet.extend_from_slice(payload);
        packet.resize(2_000, 9);
        packet
    }

    #[test]
    fn flows_are_told_apart_by_addresses_protocol_and_ports_and_fragments_by_addresses() {
        let of = |packet: &[u8]| Tuple::of(packet);
        assert_ne!(of(&v4(TCP, 0, [0, 1, 0, 2])), of(&v4(TCP, 0, [0, 1, 0, 3])));
        assert_ne!(of(&v4(TCP, 0, [0, 1, 0, 2])), of(&v4(UDP, 0, [0, 1, 0, 2])));
        assert_eq!(of(&v4(ICMP, 0, [8, 0, 0, 2])), of(&v4(ICMP, 0, [8, 0, 0, 3])));
        // Do not fragment; the first of several; a later one.
        assert_eq!(of(&v4(TCP, 0x4000, [0, 1, 0, 2])), of(&v4(TCP, 0, [0, 1, 0, 2])));
        assert_eq!(of(&v4(UDP, 0x2000, [0, 1, 0, 2])), of(&v4(UDP, 0x0010, [9, 9, 9, 9])));
        assert_ne!(of(&v6(UDP, &[0, 1, 0, 2])), of(&v6(UDP, &[0, 1, 0, 3])));
        assert_eq!(of(&v6(44, &[0, 1, 0, 2])), of(&v6(44, &[0, 1, 0, 3])));
        let namer = Namer::default();
        let names: std::collections::BTreeSet<FlowId> =
            (0..100).map(|port| namer.flow_of(&v4(TCP, 0, [0, 1, 0, port]))).collect();
        assert!(names.len() > 90 && names.iter().all(|name| name.0 < FLOW_NAMES));
    }

    #[test]
    fn whatever_comes_nothing_panics() {
        for first in [0x00, 0x40, 0x45, 0x4f, 0x60, 0xff] {
            for len in 0..80 {
                let mut packet = vec![0; len];
                if let Some(byte) = packet.first_mut() {
                    *byte = first;
                }
                for protocol in [ICMP, TCP, ICMPV6] {
                    for at in [6, 9] {
                        packet.get_mut(at).into_iter().for_each(|byte| *byte = protocol);
                    }
                    let _ = (Namer::default().flow_of(&packet), too_big(&packet, 1_000));
                }
            }
        }
    }

    #[test]
    fn who_sends_too_much_is_told_the_mtu_with_sums_that_are_right() {
        let told = too_big(&v4(TCP, 0x4000, [0, 1, 0, 2]), 1_150).expect("told");
        assert_eq!(
            (&told[12..20], &told[20..22], &told[26..28]),
            (&[10, 0, 0, 2, 10, 0, 0, 1][..], &[3, 4][..], &[4, 0x7e][..])
        );
        assert_eq!((sum(0, &told[..20]), sum(0, &told[20..]), told.len()), (0xffff, 0xffff, 576));
        let told = too_big(&v6(TCP, &[0, 1, 0, 2]), 1_400).expect("told");
        assert_eq!((&told[40..42], &told[44..48], told.len()), (&[2, 0][..], &[0, 0, 5, 0x78][..], ERROR_MAX));
        let pseudo = sum(u32::from(ICMPV6) + (told.len() - 40) as u32, &told[8..40]);
        assert_eq!(sum(pseudo, &told[40..]), 0xffff);
        // No errors about errors.
        assert_eq!(too_big(&v4(ICMP, 0, [3, 4, 0, 0]), 1_150), None);
        assert!(too_big(&v4(ICMP, 0, [8, 0, 0, 0]), 1_150).is_some());
        assert_eq!(too_big(&v4(UDP, 0x0010, [0, 1, 0, 2]), 1_150), None);
        assert_eq!(too_big(&v6(ICMPV6, &[2, 0, 0, 0]), 1_400), None);
    }
}
