//! The frames of structured streams, and the set-up item (docs/wire.md, section 4).

use tng_base::PeerText;
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, varint_len};

use super::StreamId;
use super::scheduler::Priority;

/// Longest service or protocol name, in bytes.
pub const NAME_MAX: usize = 255;
/// Longest text of a REFUSE, in bytes.
pub const REASON_MAX: usize = 255;

const PAD: u8 = 0x00;
const INIT: u8 = 0x10;
const REFUSE: u8 = 0x11;
const RESET: u8 = 0x12;
const STOP: u8 = 0x13;
const CREDIT: u8 = 0x14;
const HOST_CREDIT: u8 = 0x15;
const CREATE_CREDIT: u8 = 0x16;
const PRIORITY: u8 = 0x17;
const INIT_DATAGRAM: u8 = 0x18;
const REQUEST: u8 = 0x19;
const RECEIVED: u8 = 0x1a;
const DATAGRAM: u8 = 0x20;
const DATAGRAM_LAST: u8 = 0x27;
const DATA: u8 = 0x40;
const DATA_LAST: u8 = 0x7f;
/// Flags of both.
const FINAL: u8 = 1;
pub(super) const LENGTH: u8 = 2;
/// Of DATAGRAM: an offset is there.
const OFFSET: u8 = 4;
/// Of DATA.
const MESSAGE: u8 = 4;
/// Where the bytes that the offset of DATA takes are counted: 7 stands for 8.
const OFFSET_LEN: u32 = 3;

/// What a stream hangs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin<'a> {
    /// Nothing: a top-level stream, for a service.
    Service(Names<'a>),
    /// Another stream.
    Parent(StreamId),
    /// Another stream, and it is a datagram: nothing is read of an answer.
    Datagram(StreamId),
}

/// Names of a service and of a protocol as they stand on the wire, each behind its length. Whether they are text shows
/// when they are [read](Names::texts); most need not be, since they are those of the stream before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Names<'a>(&'a [u8]);

impl<'a> Names<'a> {
    /// Of bytes that [`encode`](Names::encode) has made.
    pub(super) const fn encoded(bytes: &'a [u8]) -> Names<'a> {
        Names(bytes)
    }

    /// The bytes of these names.
    pub(super) fn encode(service: &str, protocol: &str) -> Vec<u8> {
        let mut bytes =
            vec![0; [service, protocol].iter().map(|name| varint_len(name.len() as u64) + name.len()).sum()];
        let mut writer = Writer::new(&mut bytes);
        let written = [service, protocol].iter().try_for_each(|name| writer.prefixed(name.as_bytes()));
        written.expect("there is room for both");
        bytes
    }

    fn parse(reader: &mut Reader<'a>) -> Result<Names<'a>, Malformed> {
        let bytes = reader.taken(|reader| {
            reader.prefixed(NAME_MAX)?;
            reader.prefixed(NAME_MAX)?;
            Ok(())
        })?;
        Ok(Names(bytes))
    }

    #[cfg(test)]
    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Service and protocol.
    ///
    /// # Errors
    /// If one is not UTF-8.
    pub(super) fn texts(&self) -> Result<(PeerText<&'a str>, PeerText<&'a str>), Malformed> {
        let mut reader = Reader::new(self.0);
        Ok((reader.text(NAME_MAX)?, reader.text(NAME_MAX)?))
    }
}

/// One frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Frame<'a> {
    Pad,
    Init { id: StreamId, origin: Origin<'a> },
    Request { head: RequestHead<'a>, data: &'a [u8] },
    Refuse { id: StreamId, code: u64, reason: PeerText<&'a str> },
    Reset { id: StreamId, code: u64, final_offset: u64 },
    Stop { id: StreamId, code: u64 },
    Credit { id: StreamId, limit: u64 },
    Received { id: StreamId, offset: u64 },
    HostCredit { limit: u64, window: u64 },
    CreateCredit { limit: u64 },
    Priority { id: StreamId, count: u32, priority: Priority },
    Data { head: DataHead, data: &'a [u8] },
    Datagram { head: DatagramHead, data: &'a [u8] },
}

impl<'a> Frame<'a> {
    /// The names that it has, if it is for a service.
    pub(super) const fn names(&self) -> Option<Names<'a>> {
        match self {
            Frame::Init { origin: Origin::Service(names), .. } => Some(*names),
            Frame::Request { head, .. } => Some(head.names),
            _ => None,
        }
    }
}

/// What stands before the bytes of a DATA frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DataHead {
    pub(super) id: StreamId,
    pub(super) offset: u64,
    pub(super) marks: Marks,
    /// How many bytes follow; without it, all that are left in the packet.
    pub(super) len: Option<usize>,
}

/// What ends behind the bytes of a DATA frame (SST 4.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Marks {
    /// The stream.
    pub(super) last: bool,
    /// A message.
    pub(super) message: bool,
}

impl DataHead {
    fn kind(&self) -> u8 {
        let flag = |set, flag| if set { flag } else { 0 };
        DATA | (self.offset_len().min(7) as u8) << OFFSET_LEN
            | flag(self.marks.last, FINAL)
            | flag(self.len.is_some(), LENGTH)
            | flag(self.marks.message, MESSAGE)
    }

    /// Bytes of the offset: as few as hold it, but for 7.
    const fn offset_len(&self) -> usize {
        match (u64::BITS - self.offset.leading_zeros()).div_ceil(8) {
            len @ 0..7 => len as usize,
            _ => 8,
        }
    }

    /// Whether a frame that begins with this byte is DATA.
    #[inline]
    pub(super) const fn is_next(kind: u8) -> bool {
        matches!(kind, DATA..=DATA_LAST)
    }

    /// Reads the head, and the bytes that it stands before.
    #[inline]
    pub(super) fn parse<'a>(reader: &mut Reader<'a>) -> Result<(DataHead, &'a [u8]), Malformed> {
        let kind = reader.u8()?;
        let id = StreamId(reader.varint()?);
        let offset = match kind >> OFFSET_LEN & 7 {
            0 => 0,
            7 => reader.u64()?,
            len => reader.uint(usize::from(len))?,
        };
        if offset > VARINT_MAX {
            return Err(Malformed);
        }
        let len = match kind & LENGTH {
            0 => None,
            _ => Some(usize::try_from(reader.varint()?).map_err(|_| Malformed)?),
        };
        let marks = Marks { last: kind & FINAL != 0, message: kind & MESSAGE != 0 };
        let data = match len {
            Some(len) => reader.bytes(len)?,
            None => reader.rest(),
        };
        Ok((DataHead { id, offset, marks, len }, data))
    }

    /// Bytes of the head.
    pub(super) fn wire_len(&self) -> usize {
        1 + varint_len(self.id.0) + self.offset_len() + self.len.map_or(0, |len| varint_len(len as u64))
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.kind())?;
        writer.varint(self.id.0)?;
        writer.uint(self.offset, self.offset_len())?;
        if let Some(len) = self.len {
            writer.varint(len as u64)?;
        }
        Ok(())
    }
}

/// What stands before the bytes of a REQUEST frame: a stream that begins and ends with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RequestHead<'a> {
    pub(super) id: StreamId,
    pub(super) names: Names<'a>,
    /// How many bytes follow.
    pub(super) len: usize,
}

impl RequestHead<'_> {
    /// Bytes of the head.
    pub(super) fn wire_len(&self) -> usize {
        1 + varint_len(self.id.0) + self.names.0.len() + varint_len(self.len as u64)
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        fields(writer, REQUEST, &[self.id.0])?;
        writer.bytes(self.names.0)?;
        writer.varint(self.len as u64)
    }
}

/// What stands before a datagram, or a piece of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DatagramHead {
    pub(super) parent: StreamId,
    /// Tells the datagrams apart whose pieces are on the way. One that is whole needs none: it is not sent, and 0.
    pub(super) id: u64,
    pub(super) offset: usize,
    /// The datagram ends behind these bytes.
    pub(super) last: bool,
    /// How many bytes follow; without it, all that are left in the packet.
    pub(super) len: Option<usize>,
}

impl DatagramHead {
    /// Whether all of the datagram is there.
    pub(super) const fn is_whole(&self) -> bool {
        self.last && self.offset == 0
    }

    fn parse(kind: u8, reader: &mut Reader<'_>) -> Result<DatagramHead, Malformed> {
        let parent = StreamId(reader.varint()?);
        let mut head = DatagramHead { parent, id: 0, offset: 0, last: kind & FINAL != 0, len: None };
        if kind & (FINAL | OFFSET) != FINAL {
            head.id = reader.varint()?;
        }
        let mut size = |flag| match kind & flag {
            0 => Ok(None),
            _ => usize::try_from(reader.varint()?).map(Some).map_err(|_| Malformed),
        };
        head.offset = size(OFFSET)?.unwrap_or(0);
        head.len = size(LENGTH)?;
        Ok(if head.is_whole() { DatagramHead { id: 0, ..head } } else { head })
    }

    /// Bytes of the head.
    pub(super) fn wire_len(&self) -> usize {
        1 + varint_len(self.parent.0)
            + if self.is_whole() { 0 } else { varint_len(self.id) }
            + if self.offset > 0 { varint_len(self.offset as u64) } else { 0 }
            + self.len.map_or(0, |len| varint_len(len as u64))
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let flags = if self.last { FINAL } else { 0 }
            | if self.len.is_some() { LENGTH } else { 0 }
            | if self.offset > 0 { OFFSET } else { 0 };
        let fields = [self.parent.0, self.id];
        self::fields(writer, DATAGRAM | flags, if self.is_whole() { &fields[..1] } else { &fields })?;
        if self.offset > 0 {
            writer.varint(self.offset as u64)?;
        }
        self.len.map_or(Ok(()), |len| writer.varint(len as u64))
    }
}

impl<'a> Repr<'a> for Frame<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Frame<'a>, Malformed> {
        if reader.peek().is_some_and(DataHead::is_next) {
            let (head, data) = DataHead::parse(reader)?;
            return Ok(Frame::Data { head, data });
        }
        let kind = reader.u8()?;
        Ok(match kind {
            DATAGRAM..=DATAGRAM_LAST => {
                let head = DatagramHead::parse(kind, reader)?;
                let data = match head.len {
                    Some(len) => reader.bytes(len)?,
                    None => reader.rest(),
                };
                Frame::Datagram { head, data }
            }
            PAD => Frame::Pad,
            INIT => {
                let id = StreamId(reader.varint()?);
                let origin = match reader.varint()? {
                    0 => Origin::Service(Names::parse(reader)?),
                    parent => Origin::Parent(StreamId(parent - 1)),
                };
                Frame::Init { id, origin }
            }
            INIT_DATAGRAM => {
                let id = StreamId(reader.varint()?);
                Frame::Init { id, origin: Origin::Datagram(StreamId(reader.varint()?)) }
            }
            REQUEST => {
                let (id, names) = (StreamId(reader.varint()?), Names::parse(reader)?);
                let len = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
                Frame::Request { head: RequestHead { id, names, len }, data: reader.bytes(len)? }
            }
            REFUSE => Frame::Refuse {
                id: StreamId(reader.varint()?),
                code: reader.varint()?,
                reason: reader.text(REASON_MAX)?,
            },
            RESET => {
                Frame::Reset { id: StreamId(reader.varint()?), code: reader.varint()?, final_offset: reader.varint()? }
            }
            STOP => Frame::Stop { id: StreamId(reader.varint()?), code: reader.varint()? },
            CREDIT => Frame::Credit { id: StreamId(reader.varint()?), limit: reader.varint()? },
            RECEIVED => Frame::Received { id: StreamId(reader.varint()?), offset: reader.varint()? },
            HOST_CREDIT => Frame::HostCredit { limit: reader.varint()?, window: reader.varint()? },
            CREATE_CREDIT => Frame::CreateCredit { limit: reader.varint()? },
            PRIORITY => Frame::Priority {
                id: StreamId(reader.varint()?),
                count: u32::try_from(reader.varint()?).map_err(|_| Malformed)?,
                priority: Priority { level: parse_level(reader.varint()?)?, weight: parse_weight(reader.u8()?)? },
            },
            _ => return Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        match *self {
            Frame::Pad => 1,
            Frame::Init { id, origin } => {
                1 + varint_len(id.0)
                    + match origin {
                        Origin::Service(names) => 1 + names.0.len(),
                        Origin::Parent(parent) => varint_len(parent.0 + 1),
                        Origin::Datagram(parent) => varint_len(parent.0),
                    }
            }
            Frame::Request { head, data } => head.wire_len() + data.len(),
            Frame::Refuse { id, code, reason } => 1 + varint_len(id.0) + varint_len(code) + text_len(&reason),
            Frame::Reset { id, code, final_offset } => {
                1 + varint_len(id.0) + varint_len(code) + varint_len(final_offset)
            }
            Frame::Stop { id, code } => 1 + varint_len(id.0) + varint_len(code),
            Frame::Credit { id, limit } => 1 + varint_len(id.0) + varint_len(limit),
            Frame::Received { id, offset } => 1 + varint_len(id.0) + varint_len(offset),
            Frame::HostCredit { limit, window } => 1 + varint_len(limit) + varint_len(window),
            Frame::CreateCredit { limit } => 1 + varint_len(limit),
            Frame::Priority { id, count, priority } => {
                1 + varint_len(id.0) + varint_len(count.into()) + varint_len(level_value(priority.level)) + 1
            }
            Frame::Data { head, data } => head.wire_len() + data.len(),
            Frame::Datagram { head, data } => head.wire_len() + data.len(),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        if writer.left() < self.wire_len() {
            return Err(Full);
        }
        match *self {
            Frame::Pad => writer.u8(PAD),
            Frame::Init { id, origin } => match origin {
                Origin::Service(names) => {
                    fields(writer, INIT, &[id.0, 0])?;
                    writer.bytes(names.0)
                }
                Origin::Parent(parent) => fields(writer, INIT, &[id.0, parent.0 + 1]),
                Origin::Datagram(parent) => fields(writer, INIT_DATAGRAM, &[id.0, parent.0]),
            },
            Frame::Request { head, data } => {
                head.emit(writer)?;
                writer.bytes(data)
            }
            Frame::Refuse { id, code, reason } => {
                fields(writer, REFUSE, &[id.0, code])?;
                writer.prefixed(reason.exact().as_bytes())
            }
            Frame::Reset { id, code, final_offset } => fields(writer, RESET, &[id.0, code, final_offset]),
            Frame::Stop { id, code } => fields(writer, STOP, &[id.0, code]),
            Frame::Credit { id, limit } => fields(writer, CREDIT, &[id.0, limit]),
            Frame::Received { id, offset } => fields(writer, RECEIVED, &[id.0, offset]),
            Frame::HostCredit { limit, window } => fields(writer, HOST_CREDIT, &[limit, window]),
            Frame::CreateCredit { limit } => fields(writer, CREATE_CREDIT, &[limit]),
            Frame::Priority { id, count, priority } => {
                fields(writer, PRIORITY, &[id.0, count.into(), level_value(priority.level)])?;
                writer.u8(priority.weight)
            }
            Frame::Datagram { head, data } => {
                head.emit(writer)?;
                writer.bytes(data)
            }
            Frame::Data { head, data } => {
                head.emit(writer)?;
                writer.bytes(data)
            }
        }
    }
}

fn parse_level(value: u64) -> Result<Option<i8>, Malformed> {
    match value {
        0 => Ok(None),
        1..=256 => Ok(Some((value as i16 - 129) as i8)),
        _ => Err(Malformed),
    }
}

/// 0 for the parent's, else one more than the level's distance from the lowest.
fn level_value(level: Option<i8>) -> u64 {
    level.map_or(0, |level| (i16::from(level) + 129) as u64)
}

fn parse_weight(value: u8) -> Result<u8, Malformed> {
    if value == 0 { Err(Malformed) } else { Ok(value) }
}

fn text_len(text: &PeerText<&str>) -> usize {
    varint_len(text.len() as u64) + text.len()
}

fn fields(writer: &mut Writer<'_>, kind: u8, values: &[u64]) -> Result<(), Full> {
    writer.u8(kind)?;
    values.iter().try_for_each(|&value| writer.varint(value))
}

/// The value of the set-up item: what a host grants its peer from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Setup {
    /// Credit of every stream, in bytes.
    pub(super) stream: u64,
    /// Credit over all streams, in bytes.
    pub(super) host: u64,
    /// How many streams the peer may create.
    pub(super) create: u64,
}

impl Setup {
    /// What an initiator assumes before it has its peer's, and the least that a host may grant.
    pub(super) const ASSUMED: Setup = Setup { stream: 4096, host: 4096, create: 16 };
}

impl Repr<'_> for Setup {
    fn parse(reader: &mut Reader<'_>) -> Result<Setup, Malformed> {
        Ok(Setup { stream: reader.varint()?, host: reader.varint()?, create: reader.varint()? })
    }

    fn wire_len(&self) -> usize {
        varint_len(self.stream) + varint_len(self.host) + varint_len(self.create)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        if writer.left() < self.wire_len() {
            return Err(Full);
        }
        writer.varint(self.stream)?;
        writer.varint(self.host)?;
        writer.varint(self.create)
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
