//! What a server would have kept of a connection, sealed, for the client to keep (Trickles 2.1, figure 3).

use core::net::IpAddr;
use core::ops::RangeInclusive;
use core::time::Duration;

use tng_wire::{Full, Malformed, Reader, Repr, Writer, varint_len};

#[cfg(feature = "keys")]
use crate::EpochKeys;
#[cfg(feature = "keys")]
use crate::seal_len::BLAKE3_TAG_LEN;
use crate::{Growth, Keying, Line, NUMBER_LIMIT, Renewal, Spent, Tag, WINDOW_MAX, Wall};

/// The name of a connection: a hash of the set-up that began it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectionId(pub [u8; ConnectionId::LEN]);

impl ConnectionId {
    /// Bytes of one.
    pub const LEN: usize = 16;
}

/// Where a client is, as far as a continuation is bound to it: an IPv4 address, or the /64 of an IPv6 address. Its port
/// may change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClientNetwork([u8; ClientNetwork::LEN]);

impl ClientNetwork {
    /// Bytes of one.
    pub const LEN: usize = 16;

    /// Its bytes: those of an IPv6 address.
    pub const fn as_bytes(&self) -> &[u8; ClientNetwork::LEN] {
        &self.0
    }

    /// The place with these bytes.
    pub const fn from_bytes(bytes: [u8; ClientNetwork::LEN]) -> ClientNetwork {
        ClientNetwork(bytes)
    }

    /// The place of an address.
    pub fn of(address: IpAddr) -> ClientNetwork {
        let mut octets = match address {
            IpAddr::V4(v4) => return ClientNetwork(v4.to_ipv6_mapped().octets()),
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(_) => return ClientNetwork(v6.octets()),
                None => v6.octets(),
            },
        };
        octets[8..].fill(0);
        ClientNetwork(octets)
    }
}

/// Who gives out serials: drawn anew whenever a server starts, so that none comes again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Issuer(pub u32);

/// Which servers are near each other: a continuation of another site says nothing of the path to this one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Site(pub u16);

/// Milliseconds of a server's clock, the last 24 bits of them: 4.6 hours, and its keys are erased after half an hour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stamp(u32);

impl Stamp {
    const BITS: u32 = 24;

    /// The stamp of a time.
    pub const fn of(wall: Wall) -> Stamp {
        Stamp(wall.as_millis() as u32 & ((1 << Stamp::BITS) - 1))
    }

    pub(crate) fn parse(reader: &mut Reader<'_>) -> Result<Stamp, Malformed> {
        read_u24(reader).map(Stamp)
    }

    pub(crate) fn emit(self, writer: &mut Writer<'_>) -> Result<(), Full> {
        write_u24(writer, self.0)
    }

    pub(crate) const fn to_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    /// The stamp of a time so much later.
    pub const fn after(self, time: Duration) -> Stamp {
        Stamp((self.0 as u64).wrapping_add(time.as_millis() as u64) as u32 & ((1 << Stamp::BITS) - 1))
    }

    /// The time nearest to `now` that has this stamp.
    pub const fn near(self, now: Wall) -> Wall {
        let ahead = (self.0.wrapping_sub(now.as_millis() as u32)) << (u32::BITS - Stamp::BITS);
        let ahead = ahead as i32 >> (u32::BITS - Stamp::BITS);
        Wall::from_millis(now.as_millis().saturating_add_signed(ahead as i64))
    }
}

/// A round-trip time, in units of ten microseconds, up to 167 seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rtt(u32);

impl Rtt {
    const UNIT_US: u128 = 10;
    const MAX: u32 = (1 << 24) - 1;

    /// That time, or the longest that can be said.
    pub fn of(time: Duration) -> Rtt {
        Rtt(u32::try_from(time.as_micros().div_ceil(Rtt::UNIT_US)).unwrap_or(Rtt::MAX).min(Rtt::MAX))
    }

    /// The time.
    pub const fn time(self) -> Duration {
        Duration::from_micros(self.0 as u64 * Rtt::UNIT_US as u64)
    }

    pub(crate) fn parse(reader: &mut Reader<'_>) -> Result<Rtt, Malformed> {
        read_u24(reader).map(Rtt)
    }

    pub(crate) fn emit(self, writer: &mut Writer<'_>) -> Result<(), Full> {
        write_u24(writer, self.0)
    }

    /// Smoothed with a further sample (RFC 6298, section 2); the first counts whole.
    pub fn with(self, sample: Duration) -> Rtt {
        let sample = Rtt::of(sample);
        match self.0 {
            0 => sample,
            smoothed => Rtt((7 * smoothed + sample.0).div_ceil(8)),
        }
    }
}

/// A transport continuation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Continuation {
    /// Where it was given out.
    pub site: Site,
    /// Who gave it out.
    pub issuer: Issuer,
    /// Which of its issuer's it is, below 2^40.
    pub serial: u64,
    /// The number of the packet that it goes with.
    pub first: u64,
    /// Whether it goes with the next number as well: both packets bear it, and it is spent once.
    pub is_pair: bool,
    /// The line from which all is computed.
    pub root: Line,
    /// The tag of its numbers, which losses may have changed since.
    pub tag: Tag,
    /// Which keys make the nonces. It is sealed with those of the first.
    pub keying: Keying,
    /// When it was given out.
    pub issued: Stamp,
    /// Smoothed, and with the time that servers took (Trickles 3.1).
    pub rtt: Rtt,
    /// Proofs that go with it begin with this number: all below is settled.
    pub shown_from: u64,
}

/// Serials lie below this.
pub const SERIAL_LIMIT: u64 = 1 << (8 * SERIAL_LEN);
/// Bytes of a serial.
pub(crate) const SERIAL_LEN: usize = 5;
const PAIR: u8 = 1 << 0;
const OTHER_TAG: u8 = 1 << 1;
const RENEWED: u8 = 1 << 2;

impl Continuation {
    /// Most bytes of one, its seal not counted.
    pub const LEN_MAX: usize = 1 + 2 + 4 + SERIAL_LEN + 3 * 8 + 2 * 4 + 4 + 4 + 1 + 8 + 1 + 3 + 3;

    /// Whether it goes with the packet before a line: it is worth the window that the line begins with.
    pub const fn is_seed(&self) -> bool {
        self.first == self.root.growth.base()
    }

    /// The numbers of the packets that it goes with.
    pub const fn numbers(&self) -> RangeInclusive<u64> {
        self.first..=self.first + self.is_pair as u64
    }

    /// What it is when it is spent.
    pub const fn spent(&self) -> Spent {
        Spent { root: self.root, tag: self.tag, numbers: self.numbers() }
    }

    /// Its seal for that connection, whose client is in that place: to be given out, and never to be compared, since
    /// time would tell how much of a guess is right.
    #[cfg(feature = "keys")]
    pub fn seal(&self, keys: &EpochKeys, id: &ConnectionId, place: &ClientNetwork) -> [u8; BLAKE3_TAG_LEN] {
        self.sealed(id, place, |bytes| keys.transport.tag(&[bytes]))
    }

    /// Whether `seal` is its seal for that connection, whose client is in that place. Constant time.
    #[cfg(feature = "keys")]
    pub fn verify(
        &self,
        keys: &EpochKeys,
        id: &ConnectionId,
        place: &ClientNetwork,
        seal: &[u8; BLAKE3_TAG_LEN],
    ) -> bool {
        self.sealed(id, place, |bytes| keys.transport.verify(&[bytes], seal))
    }

    /// What is sealed.
    #[cfg(feature = "keys")]
    fn sealed<T>(&self, id: &ConnectionId, place: &ClientNetwork, with: impl FnOnce(&[u8]) -> T) -> T {
        let mut bytes = [0; ConnectionId::LEN + ClientNetwork::LEN + Continuation::LEN_MAX];
        let mut writer = Writer::new(&mut bytes);
        let written = writer.bytes(&id.0).and_then(|()| writer.bytes(&place.0)).and_then(|()| self.emit(&mut writer));
        written.expect("there is room for the longest");
        with(writer.written())
    }

    /// Whether it can be what a server gave out, apart from its seal: what follows computes without asking again.
    fn is_possible(&self) -> bool {
        let base = self.root.growth.base();
        let is_in_line = base < self.shown_from && self.shown_from <= self.first;
        let is_seed = self.first == base && self.shown_from == base && !self.is_pair && self.tag == self.root.tag;
        self.first < NUMBER_LIMIT - 1
            && (is_in_line || is_seed)
            && self.keying.then.is_none_or(|renewal| renewal.from < NUMBER_LIMIT)
    }
}

pub(crate) fn read_serial(reader: &mut Reader<'_>) -> Result<u64, Malformed> {
    let mut serial = [0; 8];
    serial[8 - SERIAL_LEN..].copy_from_slice(reader.bytes(SERIAL_LEN)?);
    Ok(u64::from_be_bytes(serial))
}

pub(crate) fn write_serial(serial: u64, writer: &mut Writer<'_>) -> Result<(), Full> {
    writer.bytes(&serial.to_be_bytes()[8 - SERIAL_LEN..])
}

fn write_u24(writer: &mut Writer<'_>, value: u32) -> Result<(), Full> {
    writer.bytes(&value.to_be_bytes()[1..])
}

fn read_u24(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    let [a, b, c] = reader.array()?;
    Ok(u32::from_be_bytes([0, a, b, c]))
}

impl Repr<'_> for Continuation {
    fn parse(reader: &mut Reader<'_>) -> Result<Continuation, Malformed> {
        let flags = reader.u8()?;
        if flags & !(PAIR | OTHER_TAG | RENEWED) != 0 {
            return Err(Malformed);
        }
        let (site, issuer) = (Site(reader.u16()?), Issuer(reader.u32()?));
        let serial = read_serial(reader)?;
        let first = reader.varint()?;
        let base = first.checked_sub(reader.varint()?).ok_or(Malformed)?;
        let shown_from = first.checked_sub(reader.varint()?).ok_or(Malformed)?;
        let (start, threshold) = (reader.varint()?, reader.varint()?);
        let growth = Growth::new(base, start, threshold);
        if (growth.start(), growth.threshold()) != (start, threshold) {
            return Err(Malformed);
        }
        let root = Line { growth, tag: Tag(reader.u32()?) };
        let tag = if flags & OTHER_TAG != 0 { Tag(reader.u32()?) } else { root.tag };
        if flags & OTHER_TAG != 0 && tag == root.tag {
            return Err(Malformed);
        }
        let epoch = reader.u8()?;
        let then = match flags & RENEWED != 0 {
            true => Some(Renewal { from: reader.varint()?, epoch: reader.u8()? }),
            false => None,
        };
        let keying = Keying { epoch, then };
        let (issued, rtt) = (Stamp::parse(reader)?, Rtt::parse(reader)?);
        let is_pair = flags & PAIR != 0;
        let continuation =
            Continuation { site, issuer, serial, first, is_pair, root, tag, keying, issued, rtt, shown_from };
        if continuation.is_possible() { Ok(continuation) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        let growth = &self.root.growth;
        let varints =
            [self.first, self.first - growth.base(), self.first - self.shown_from, growth.start(), growth.threshold()];
        let other = if self.tag == self.root.tag { 0 } else { 4 };
        let then = self.keying.then.map_or(0, |renewal| varint_len(renewal.from) + 1);
        1 + 2 + 4 + SERIAL_LEN + varints.into_iter().map(varint_len).sum::<usize>() + 4 + other + 1 + then + 3 + 3
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let growth = &self.root.growth;
        let has_other = self.tag != self.root.tag;
        let flags = [(self.is_pair, PAIR), (has_other, OTHER_TAG), (self.keying.then.is_some(), RENEWED)];
        writer.u8(flags.into_iter().map(|(is_set, flag)| if is_set { flag } else { 0 }).sum())?;
        writer.u16(self.site.0)?;
        writer.u32(self.issuer.0)?;
        write_serial(self.serial, writer)?;
        for varint in
            [self.first, self.first - growth.base(), self.first - self.shown_from, growth.start(), growth.threshold()]
        {
            writer.varint(varint)?;
        }
        writer.u32(self.root.tag.0)?;
        if has_other {
            writer.u32(self.tag.0)?;
        }
        writer.u8(self.keying.epoch)?;
        if let Some(Renewal { from, epoch }) = self.keying.then {
            writer.varint(from)?;
            writer.u8(epoch)?;
        }
        self.issued.emit(writer)?;
        self.rtt.emit(writer)
    }
}

const _: () = assert!(WINDOW_MAX < 1 << 30, "a window takes four bytes at most");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EpochSecret, Keys};
    use tng_base::Rng;
    use tng_crypto::Secret32;
    use tng_wire::battery;

    fn drawn(rng: &mut Rng) -> Continuation {
        let bits = |rng: &mut Rng, bits: u32| rng.u64() & ((1 << rng.below(u64::from(bits) + 1)) - 1);
        let first = 2 + bits(rng, 61).min(NUMBER_LIMIT - 4);
        let base = first - 1 - bits(rng, 40).min(first - 2);
        let root =
            Line { growth: Growth::new(base, 1 + bits(rng, 24), 1 + bits(rng, 24)), tag: Tag(bits(rng, 32) as u32) };
        Continuation {
            site: Site(bits(rng, 16) as u16),
            issuer: Issuer(bits(rng, 32) as u32),
            serial: bits(rng, 40),
            first,
            is_pair: rng.below(2) == 0,
            root,
            tag: if rng.below(2) == 0 { root.tag } else { Tag(bits(rng, 32) as u32) },
            keying: Keying {
                epoch: bits(rng, 8) as u8,
                then: (rng.below(4) == 0).then(|| Renewal { from: bits(rng, 61), epoch: bits(rng, 8) as u8 }),
            },
            issued: Stamp(bits(rng, 24) as u32),
            rtt: Rtt(bits(rng, 24) as u32),
            shown_from: base + 1 + rng.below(first - base),
        }
    }

    fn keys() -> Keys {
        Keys::new(EpochSecret::new(3, Secret32::from_bytes([9; 32])), Wall::from_millis(3 * 600_000)).unwrap()
    }

    #[test]
    fn what_is_written_is_read_and_no_truncation_passes() {
        let mut rng = Rng::from_u64(1);
        for _ in 0..1_000 {
            let continuation = drawn(&mut rng);
            battery::round_trip(&continuation);
            assert!(continuation.wire_len() <= Continuation::LEN_MAX);
        }
    }

    #[test]
    fn whatever_is_read_can_be_and_is_written_again() {
        let mut rng = Rng::from_u64(2);
        let (mut read, mut noise) = (0, vec![0; 70]);
        for _ in 0..100_000 {
            match rng.below(2) {
                0 => rng.fill(&mut noise),
                _ => {
                    let emitted = battery::emit(&drawn(&mut rng));
                    noise[..emitted.len()].copy_from_slice(&emitted);
                    noise[rng.below(60) as usize] ^= 1 << rng.below(8);
                }
            }
            if let Ok(continuation) = Continuation::parse(&mut Reader::new(&noise)) {
                read += 1;
                assert!(continuation.is_possible());
                battery::round_trip(&continuation);
            }
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn one_is_good_for_its_connection_its_client_s_place_and_its_epoch_and_every_field_is_sealed() {
        let (keys, id, place) = (keys(), ConnectionId([1; 16]), ClientNetwork::of([192, 0, 2, 1].into()));
        let mut rng = Rng::from_u64(3);
        for _ in 0..1_000 {
            let continuation = drawn(&mut rng);
            let seal = continuation.seal(keys.present(), &id, &place);
            assert!(continuation.verify(keys.present(), &id, &place, &seal));
            let others = [
                continuation.verify(keys.by_last_byte(4).unwrap(), &id, &place, &seal),
                continuation.verify(keys.present(), &ConnectionId([2; 16]), &place, &seal),
                continuation.verify(keys.present(), &id, &ClientNetwork::of([192, 0, 2, 2].into()), &seal),
            ];
            assert_eq!(others, [false; 3]);
            for bit in 0..8 * seal.len() {
                let mut changed = seal;
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(!continuation.verify(keys.present(), &id, &place, &changed), "bit {bit} of the seal");
            }
            let bytes = battery::emit(&continuation);
            for bit in 0..8 * bytes.len() {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                if let Ok(other) = Continuation::parse(&mut Reader::new(&changed)) {
                    let is_taken = other.verify(keys.present(), &id, &place, &seal);
                    assert_eq!(is_taken, other == continuation, "bit {bit}");
                }
            }
        }
    }

    #[test]
    fn a_place_is_an_address_of_version_4_or_the_first_half_of_one_of_version_6() {
        let of = |text: &str| ClientNetwork::of(text.parse().unwrap());
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_ne!(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    }

    #[test]
    fn a_stamp_is_read_as_the_time_that_is_nearest() {
        for now in [20_000_000_i64, 1_790_000_000_000, (1 << 24) * 77] {
            for ahead in [0, 1, 5_000, 8_000_000, -1, -10_000, -8_000_000] {
                let wall = Wall::from_millis(u64::try_from(now + ahead).unwrap());
                assert_eq!(Stamp::of(wall).near(Wall::from_millis(now as u64)), wall, "{now} {ahead}");
            }
        }
    }

    #[test]
    fn round_trips_are_smoothed_as_tcp_does_and_no_time_is_too_long() {
        let ms = Duration::from_millis;
        assert_eq!(Rtt::default().with(ms(80)).time(), ms(80));
        assert_eq!(Rtt::of(ms(80)).with(ms(160)).time(), ms(90));
        assert_eq!(Rtt::of(Duration::MAX), Rtt(Rtt::MAX));
        assert!(Rtt::of(Duration::MAX).with(Duration::MAX).time() > Duration::from_secs(160));
    }
}
