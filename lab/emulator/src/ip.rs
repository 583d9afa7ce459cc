//! The two bits of IP headers that links read and write.

use tng_base::Ecn;

/// The ECN codepoint of an IP packet; `None` if it is none.
pub(crate) fn ecn(packet: &[u8]) -> Option<Ecn> {
    let bits = match packet.first()? >> 4 {
        4 if packet.len() >= 20 => packet[1],
        6 if packet.len() >= 40 => packet[1] >> 4,
        _ => return None,
    };
    Some(Ecn::from_bits(bits))
}

/// Whether a packet is for whoever listens on the link (224.0.0.0/24, ff02::/16): what kernels say to their neighbours
/// by themselves. Links here carry what has an address alone.
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
