//! Carriers: datagrams inside a byte stream, where UDP does not pass (docs/carrier.md).
//!
//! A machine knows who is reached by one by an address of its own form, and sees no stream: it sends and receives
//! datagrams. What has a stream cuts it into [frames](Frames).

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The longest datagram that a frame holds, in bytes.
pub const CARRIED_LEN_MAX: usize = 16_384;

/// First byte of a frame that holds a datagram.
const DATAGRAM: u8 = 0xc0;

/// Bytes of a frame before its datagram: the first byte, and two of length.
pub const FRAME_HEAD: usize = 3;

/// What stands before the datagrams of carriers, for people who see one in a list: nothing is routed to `0100::/8`
/// (RFC 4291 section 2.4).
const RANGE: u8 = 0x01;

/// The second byte for a peer at an IPv4 address, and at one of IPv6.
const FAMILIES: [u8; 2] = [4, 6];

/// The address by which machines know a peer that is reached by carrier number `number`: an IPv6 address that nothing
/// is routed to. Its upper half names the peer's network, so that carried peers share what networks share as others
/// do: the IPv4 address, or the /48 of an IPv6 address. Its port is the peer's.
pub fn carried_address(peer: SocketAddr, number: u64) -> SocketAddr {
    let mut octets = [0; 16];
    octets[0] = RANGE;
    match peer.ip().to_canonical() {
        IpAddr::V4(v4) => {
            octets[1] = FAMILIES[0];
            octets[2..6].copy_from_slice(&v4.octets());
        }
        IpAddr::V6(v6) => {
            octets[1] = FAMILIES[1];
            octets[2..8].copy_from_slice(&v6.octets()[..6]);
        }
    }
    octets[8..].copy_from_slice(&number.to_be_bytes());
    SocketAddr::new(Ipv6Addr::from(octets).into(), peer.port())
}

/// Whether an address is that of a peer that is reached by a carrier.
pub fn is_carried(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(v6) if v6.octets()[0] == RANGE && FAMILIES.contains(&v6.octets()[1]))
}

/// The number of the carrier that leads to an address, if one does.
pub fn carrier_number(ip: IpAddr) -> Option<u64> {
    match ip {
        IpAddr::V6(v6) if is_carried(ip) => Some(v6.to_bits() as u64),
        _ => None,
    }
}

/// Appends a frame that holds `datagram`. One that is empty or longer than [`CARRIED_LEN_MAX`] has no frame: answers
/// whether it has.
pub fn push_frame(out: &mut Vec<u8>, datagram: &[u8]) -> bool {
    let fits = (1..=CARRIED_LEN_MAX).contains(&datagram.len());
    if fits {
        out.push(DATAGRAM);
        out.extend_from_slice(&(datagram.len() as u16).to_be_bytes());
        out.extend_from_slice(datagram);
    }
    fits
}

/// What came by a carrier is no frame. Nothing that follows in the stream can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Garbage {
    /// It begins with this byte.
    NoFrame(u8),
    /// It announces so many bytes: none, or more than [`CARRIED_LEN_MAX`].
    Length(u16),
}

impl core::fmt::Display for Garbage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Garbage::NoFrame(first) => write!(f, "what came is no frame: it begins with {first:#04x}"),
            Garbage::Length(0) => write!(f, "a frame came that holds nothing"),
            Garbage::Length(len) => write!(f, "a frame came that announces {len} bytes; {CARRIED_LEN_MAX} are allowed"),
        }
    }
}

impl core::error::Error for Garbage {}

/// Cuts a stream into datagrams. It holds what has come and was not taken, in a buffer of one size.
#[derive(Debug)]
pub struct Frames {
    buffer: Box<[u8]>,
    /// What is in the buffer and was not taken.
    start: usize,
    end: usize,
}

/// Bytes of a stream that are held at most. Several frames of the longest datagrams.
pub const FRAMES_BUFFER: usize = 64 * 1024;

impl Default for Frames {
    fn default() -> Frames {
        Frames { buffer: vec![0; FRAMES_BUFFER].into_boxed_slice(), start: 0, end: 0 }
    }
}

impl Frames {
    /// Where to read more of the stream to. Never empty once [`next`](Frames::next) has answered that there is no
    /// whole frame.
    pub fn room(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        &mut self.buffer[self.end..]
    }

    /// So many bytes were read there.
    pub fn filled(&mut self, len: usize) {
        self.end = (self.end + len).min(self.buffer.len());
    }

    /// Whether a frame has begun and has not come whole.
    pub fn is_within(&self) -> bool {
        self.start < self.end
    }

    /// The next datagram, if it has come whole.
    ///
    /// # Errors
    /// If what came is no frame; the same again from then on.
    #[expect(clippy::should_implement_trait, reason = "it lends what it holds")]
    pub fn next(&mut self) -> Result<Option<&mut [u8]>, Garbage> {
        let held = &self.buffer[self.start..self.end];
        let Some(first) = held.first() else { return Ok(None) };
        if *first != DATAGRAM {
            return Err(Garbage::NoFrame(*first));
        }
        let Some(len) = held.get(1..FRAME_HEAD) else { return Ok(None) };
        let len = u16::from_be_bytes([len[0], len[1]]);
        if !(1..=CARRIED_LEN_MAX).contains(&usize::from(len)) {
            return Err(Garbage::Length(len));
        }
        let (from, to) = (self.start + FRAME_HEAD, self.start + FRAME_HEAD + usize::from(len));
        if to > self.end {
            return Ok(None);
        }
        self.start = to;
        Ok(Some(&mut self.buffer[from..to]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Network};

    fn fed(frames: &mut Frames, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, Garbage> {
        let mut whole = Vec::new();
        while !bytes.is_empty() {
            let room = frames.room();
            let len = room.len().min(bytes.len());
            room[..len].copy_from_slice(&bytes[..len]);
            frames.filled(len);
            bytes = &bytes[len..];
            while let Some(datagram) = frames.next()? {
                whole.push(datagram.to_vec());
            }
        }
        Ok(whole)
    }

    #[test]
    fn datagrams_come_out_as_they_went_in_wherever_the_stream_is_cut() {
        let datagrams: Vec<Vec<u8>> =
            [1, 2, 1_200, 1_472, CARRIED_LEN_MAX, 7].iter().map(|len| vec![*len as u8; *len]).collect();
        let mut stream = Vec::new();
        assert!(datagrams.iter().all(|datagram| push_frame(&mut stream, datagram)));
        assert_eq!(Mode::of(stream[0]), Mode::Carrier);
        for step in [1, 2, 3, 5, 1_000, 65_536] {
            let mut frames = Frames::default();
            let whole: Vec<Vec<u8>> =
                stream.chunks(step).flat_map(|part| fed(&mut frames, part).expect("frames")).collect();
            assert!(whole == datagrams && !frames.is_within(), "{step}");
        }
    }

    #[test]
    fn a_frame_that_is_cut_off_anywhere_is_none_yet() {
        let mut stream = Vec::new();
        assert!(push_frame(&mut stream, &[9; 40]));
        for len in 0..stream.len() {
            let mut frames = Frames::default();
            assert_eq!(fed(&mut frames, &stream[..len]), Ok(Vec::new()), "{len}");
            assert_eq!(frames.is_within(), len > 0);
            assert_eq!(fed(&mut frames, &stream[len..]), Ok(vec![vec![9; 40]]), "{len}");
        }
    }

    #[test]
    fn what_is_no_frame_is_told_by_name_and_ends_the_stream() {
        for first in (0..=u8::MAX).filter(|first| *first != DATAGRAM) {
            let mut frames = Frames::default();
            assert_eq!(fed(&mut frames, &[first, 0, 1, 2]), Err(Garbage::NoFrame(first)));
            assert_eq!(frames.next(), Err(Garbage::NoFrame(first)), "and stays so");
        }
        for len in [0, CARRIED_LEN_MAX as u16 + 1, u16::MAX] {
            let mut head = vec![DATAGRAM];
            head.extend_from_slice(&len.to_be_bytes());
            assert_eq!(fed(&mut Frames::default(), &head), Err(Garbage::Length(len)), "before anything is kept for it");
        }
    }

    #[test]
    fn what_no_frame_may_hold_gets_none() {
        let mut out = Vec::new();
        assert!(!push_frame(&mut out, &[]) && !push_frame(&mut out, &[0; CARRIED_LEN_MAX + 1]) && out.is_empty());
    }

    #[test]
    fn carried_peers_have_addresses_of_their_own_in_the_networks_that_they_are_in() {
        let v4 = |last| SocketAddr::from(([192, 0, 2, last], 40_000));
        let v6 = |text: &str| SocketAddr::new(text.parse().expect("an address"), 443);
        let one = carried_address(v4(1), 1);
        assert_eq!(one.to_string(), "[104:c000:201::1]:40000");
        assert!(is_carried(one.ip()) && !is_carried(v4(1).ip()) && !is_carried(v6("100::1").ip()));
        assert_eq!((carrier_number(one.ip()), carrier_number(v4(1).ip())), (Some(1), None));
        assert_ne!(one, carried_address(v4(1), 2), "each carrier has its own");
        let network = |peer, number| Network::of(carried_address(peer, number).ip());
        assert_eq!(network(v4(1), 1), network(v4(1), 2));
        assert_ne!(network(v4(1), 1), network(v4(2), 2));
        assert_eq!(network(v6("2001:db8:1:2::1"), 1), network(v6("2001:db8:1:3::1"), 2));
        assert_ne!(network(v6("2001:db8:1:2::1"), 1), network(v6("2001:db8:2:2::1"), 1));
        assert_eq!(network(v4(1), 1), network(v6("::ffff:192.0.2.1"), 1));
    }
}
