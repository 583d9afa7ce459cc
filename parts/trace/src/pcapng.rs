//! Captures that Wireshark reads (draft-ietf-opsawg-pcapng), of UDP datagrams that never had a header, and of TCP
//! segments that have only their own: IPv4 or IPv6 and UDP headers are made up for them, with right lengths, checksums
//! and ECN bits.

use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;
use std::io::{self, Write};

use tng_base::{Ecn, Instant};

/// Block types (sections 4.1, 4.2 and 4.3).
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

/// Option of any block: text for people, and here for dissectors.
const COMMENT: u16 = 1;
/// Comments that wait for a packet, at most; beyond it the oldest is dropped.
pub const COMMENTS_MAX: usize = 1_024;
/// Longest comment that is written, in bytes; what is longer is cut.
pub const COMMENT_LEN_MAX: usize = 4_096;
/// Options of an interface description: its name, and the resolution of its times.
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
/// Option of a packet: flags, whose low two bits are the direction.
const EPB_FLAGS: u16 = 2;

/// Frames begin with an IPv4 or IPv6 header.
const LINKTYPE_RAW: u16 = 101;
/// Times in units of `10^-9` s.
const NANOSECONDS: u8 = 9;

const UDP_HEADER_LEN: usize = 8;
const HOP_LIMIT: u8 = 64;

/// Names an interface of one capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterfaceId(u32);

/// Which way a datagram crossed an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Into the host.
    Inbound = 1,
    /// Out of the host.
    Outbound = 2,
}

/// What an IP packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum IpProtocol {
    /// A whole TCP segment, header and all.
    Tcp = 6,
    /// The payload of a UDP datagram.
    #[default]
    Udp = 17,
}

/// A datagram as it crossed an interface.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// When.
    pub time: Instant,
    /// Which way.
    pub direction: Direction,
    /// Source.
    pub src: SocketAddr,
    /// Destination.
    pub dst: SocketAddr,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// What it is.
    pub protocol: IpProtocol,
    /// UDP payload, or TCP segment.
    pub payload: &'a [u8],
}

/// Writes a capture. The output is given to every call, and must be the same one each time.
#[derive(Debug)]
pub struct Pcapng {
    interfaces: u32,
    /// For the next packet.
    comments: VecDeque<String>,
    /// The block being made; kept for its memory.
    block: Vec<u8>,
}

impl Pcapng {
    /// Begins a capture.
    ///
    /// # Errors
    /// Those of the output.
    pub fn start(out: &mut dyn Write) -> io::Result<Pcapng> {
        let mut capture = Pcapng { interfaces: 0, comments: VecDeque::new(), block: Vec::new() };
        capture.begin(SECTION_HEADER);
        capture.u32(0x1a2b_3c4d); // tells the byte order
        capture.u16(1); // version 1.0
        capture.u16(0);
        capture.block.extend_from_slice(&u64::MAX.to_le_bytes()); // section of unknown length
        capture.end(out)?;
        Ok(capture)
    }

    /// Adds an interface; its name is what Wireshark shows.
    ///
    /// # Errors
    /// Those of the output.
    pub fn interface(&mut self, out: &mut dyn Write, name: &str) -> io::Result<InterfaceId> {
        self.begin(INTERFACE_DESCRIPTION);
        self.u16(LINKTYPE_RAW);
        self.u16(0);
        self.u32(0); // no limit on captured bytes
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_TSRESOL, &[NANOSECONDS]);
        self.option(0, &[]);
        self.end(out)?;
        self.interfaces += 1;
        Ok(InterfaceId(self.interfaces - 1))
    }

    /// Comments on the packet that comes next. A line of a key log there makes the capture readable by itself.
    pub fn comment(&mut self, text: &str) {
        if self.comments.len() >= COMMENTS_MAX {
            self.comments.pop_front();
        }
        self.comments.push_back(text[..text.floor_char_boundary(COMMENT_LEN_MAX)].to_owned());
    }

    /// Adds a datagram, with headers of its addresses' family (IPv4 addresses are mapped to IPv6 beside IPv6 ones).
    ///
    /// # Errors
    /// Those of the output.
    pub fn datagram(&mut self, out: &mut dyn Write, at: InterfaceId, datagram: &Captured<'_>) -> io::Result<()> {
        self.begin(ENHANCED_PACKET);
        self.u32(at.0);
        let ns = datagram.time.as_nanos();
        self.u32((ns >> 32) as u32);
        self.u32(ns as u32);
        let lengths = self.block.len();
        self.u32(0);
        self.u32(0);
        let start = self.block.len();
        put_frame(&mut self.block, datagram);
        let length = (self.block.len() - start) as u32;
        for at in [lengths, lengths + 4] {
            self.block[at..at + 4].copy_from_slice(&length.to_le_bytes());
        }
        self.pad();
        while let Some(comment) = self.comments.pop_front() {
            self.option(COMMENT, comment.as_bytes());
        }
        self.option(EPB_FLAGS, &(datagram.direction as u32).to_le_bytes());
        self.option(0, &[]);
        self.end(out)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        self.u32(0);
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let total = self.block.len() as u32 + 4;
        self.u32(total);
        self.block[4..8].copy_from_slice(&total.to_le_bytes());
        out.write_all(&self.block)
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.u16(code);
        self.u16(value.len() as u16);
        self.block.extend_from_slice(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn u16(&mut self, value: u16) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }
}

/// IP header, UDP header unless it is TCP, payload.
fn put_frame(out: &mut Vec<u8>, datagram: &Captured<'_>) {
    let header_len = match datagram.protocol {
        IpProtocol::Udp => UDP_HEADER_LEN,
        IpProtocol::Tcp => 0,
    };
    let body_len = (header_len + datagram.payload.len()) as u16;
    let pseudo = match (datagram.src.ip(), datagram.dst.ip()) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let start = out.len();
            out.extend_from_slice(&[0x45, datagram.ecn as u8]);
            out.extend_from_slice(&(20 + body_len).to_be_bytes());
            out.extend_from_slice(&[0, 0, 0x40, 0, HOP_LIMIT, datagram.protocol as u8, 0, 0]); // do not fragment
            out.extend_from_slice(&src.octets());
            out.extend_from_slice(&dst.octets());
            let checksum = !fold(sum(&out[start..]));
            out[start + 10..start + 12].copy_from_slice(&checksum.to_be_bytes());
            sum(&src.octets()) + sum(&dst.octets())
        }
        (src, dst) => {
            let (src, dst) = (to_v6(src), to_v6(dst));
            out.extend_from_slice(&(0x6000_0000 | (datagram.ecn as u32) << 20).to_be_bytes());
            out.extend_from_slice(&body_len.to_be_bytes());
            out.extend_from_slice(&[datagram.protocol as u8, HOP_LIMIT]);
            out.extend_from_slice(&src);
            out.extend_from_slice(&dst);
            sum(&src) + sum(&dst)
        }
    };
    if datagram.protocol == IpProtocol::Tcp {
        return out.extend_from_slice(datagram.payload);
    }
    let start = out.len();
    for field in [datagram.src.port(), datagram.dst.port(), body_len, 0] {
        out.extend_from_slice(&field.to_be_bytes());
    }
    out.extend_from_slice(datagram.payload);
    let total = pseudo + u64::from(IpProtocol::Udp as u8) + u64::from(body_len) + sum(&out[start..]);
    // A checksum of zero would say that there is none (RFC 768).
    let checksum = match !fold(total) {
        0 => 0xffff,
        checksum => checksum,
    };
    out[start + 6..start + 8].copy_from_slice(&checksum.to_be_bytes());
}

fn to_v6(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
        IpAddr::V6(ip) => ip.octets(),
    }
}

/// Sum of 16-bit words, an odd byte padded with zero (RFC 1071).
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(2);
    let odd = words.remainder().first().map_or(0, |b| u64::from(*b) << 8);
    words.map(|w| u64::from(u16::from_be_bytes([w[0], w[1]]))).sum::<u64>() + odd
}

/// Folds the carries back in.
fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    /// Kinds and bodies of the blocks.
    fn blocks(mut file: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut out = Vec::new();
        while !file.is_empty() {
            let (kind, length) = (u32_at(file, 0), u32_at(file, 4) as usize);
            assert_eq!(length % 4, 0);
            assert_eq!(u32_at(file, length - 4) as usize, length, "the length stands at both ends");
            out.push((kind, file[8..length - 4].to_vec()));
            file = &file[length..];
        }
        out
    }

    fn capture(src: &str, dst: &str, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut capture = Pcapng::start(&mut out).unwrap();
        let name = capture.interface(&mut out, "a").unwrap();
        assert_eq!(name, InterfaceId(0));
        let at = capture.interface(&mut out, "host b").unwrap();
        let datagram = Captured {
            time: Instant::from_nanos(0x1_2345_6789_abcd),
            direction: Direction::Outbound,
            src: src.parse().unwrap(),
            dst: dst.parse().unwrap(),
            ecn: Ecn::Ect0,
            protocol: IpProtocol::Udp,
            payload,
        };
        capture.datagram(&mut out, at, &datagram).unwrap();
        out
    }

    /// The frame of a capture with one datagram, after checks on all around it.
    fn frame(file: &[u8]) -> Vec<u8> {
        let blocks = blocks(file);
        let kinds: Vec<u32> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [SECTION_HEADER, INTERFACE_DESCRIPTION, INTERFACE_DESCRIPTION, ENHANCED_PACKET]);
        assert_eq!(blocks[2].1[8..20], [2, 0, 6, 0, b'h', b'o', b's', b't', b' ', b'b', 0, 0]);
        assert_eq!(blocks[2].1[20..28], [9, 0, 1, 0, 9, 0, 0, 0]);
        let packet = &blocks[3].1;
        assert_eq!([0, 4, 8].map(|at| u32_at(packet, at)), [1, 0x1_2345, 0x6789_abcd]);
        let length = u32_at(packet, 12) as usize;
        assert_eq!(u32_at(packet, 16) as usize, length);
        assert_eq!(packet[20 + length.next_multiple_of(4)..], [2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        packet[20..20 + length].to_vec()
    }

    #[test]
    fn an_ipv4_datagram_gets_headers_whose_checksums_add_up() {
        for payload in [&b"odd"[..], b"even", b""] {
            let frame = frame(&capture("10.0.0.1:4860", "10.0.0.2:53", payload));
            assert_eq!(frame.len(), 28 + payload.len());
            assert_eq!((frame[0], frame[1], frame[9]), (0x45, 2, 17));
            assert_eq!(u16::from_be_bytes([frame[2], frame[3]]) as usize, frame.len());
            assert_eq!(fold(sum(&frame[..20])), 0xffff);
            let udp_len = u64::from(u16::from_be_bytes([frame[24], frame[25]]));
            assert_eq!(udp_len as usize, frame.len() - 20);
            assert_eq!(fold(sum(&frame[12..]) + 17 + udp_len), 0xffff);
            assert_eq!(&frame[28..], payload);
        }
    }

    #[test]
    fn an_ipv6_datagram_gets_headers_whose_checksums_add_up() {
        let frame = frame(&capture("[fd00::1]:4860", "[fd00::2]:53", b"hello"));
        assert_eq!(frame.len(), 48 + 5);
        assert_eq!(frame[..8], [0x60, 0x20, 0, 0, 0, 13, 17, 64]);
        assert_eq!(fold(sum(&frame[8..]) + 17 + 13), 0xffff);
    }

    #[test]
    fn comments_stand_with_the_packet_that_comes_next_and_with_no_other() {
        let mut out = Vec::new();
        let mut capture = Pcapng::start(&mut out).unwrap();
        let at = capture.interface(&mut out, "a").unwrap();
        capture.comment("odd");
        capture.comment("even");
        for _ in 0..2 {
            let address = "10.0.0.1:1".parse().unwrap();
            let (time, direction, protocol) = (Instant::ZERO, Direction::Inbound, IpProtocol::Udp);
            let datagram =
                Captured { time, direction, src: address, dst: address, ecn: Ecn::NotEct, protocol, payload: b"four" };
            capture.datagram(&mut out, at, &datagram).unwrap();
        }
        let blocks = blocks(&out);
        let options = |block: usize| &blocks[block].1[20 + 32..];
        let comments = b"\x01\0\x03\0odd\0\x01\0\x04\0even";
        let flags = [2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(options(2), [&comments[..], &flags].concat());
        assert_eq!(options(3), flags);
    }

    #[test]
    fn a_checksum_that_comes_out_as_zero_is_written_as_all_ones() {
        // The payload is chosen so that everything else sums to 0xffff.
        let plain = frame(&capture("10.0.0.1:1", "10.0.0.2:2", &[0, 0]));
        let missing = [plain[26], plain[27]];
        let frame = frame(&capture("10.0.0.1:1", "10.0.0.2:2", &missing));
        assert_eq!(frame[26..28], [0xff, 0xff]);
    }
}
