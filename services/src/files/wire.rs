//! The bytes of the file service.

use core::num::NonZeroU64;

use tng_base::PeerText;
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len, varint_len};

use super::{BLOCK_MAX, DATA_MAX, LinkTarget, MESSAGE_MAX, Meta, Over, PATH_MAX, SafePath};
use crate::REASON_MAX;

const LIST: u8 = 0x01;
const GET: u8 = 0x02;
const PUT: u8 = 0x03;
const MAKE: u8 = 0x04;
const LINK: u8 = 0x05;
const SAME: u8 = 0x06;
const REMOVE: u8 = 0x07;
const FILE: u8 = 0x10;
pub(super) const DATA: u8 = 0x11;
const END: u8 = 0x12;
const HAVE: u8 = 0x13;
const STORED: u8 = 0x14;
const BLOCKS: u8 = 0x15;
const COPY: u8 = 0x16;
const ENTRY: u8 = 0x20;
const LISTED: u8 = 0x21;
const LEFT_OUT: u8 = 0x22;
const FAULT: u8 = 0x3f;

const RESUME: u8 = 1;
/// Beside [`Over`].
const BY_BLOCKS: u8 = 1 << 4;
const FOLLOW: u8 = 1;
const SHALLOW: u8 = 2;

/// What a client asks, once per stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Everything below a folder.
    List {
        /// The folder.
        path: SafePath,
        /// How far it is looked into.
        look: Look,
    },
    /// A file.
    Get {
        /// The file.
        path: SafePath,
        /// What the client has of it already.
        have: Option<Have>,
        /// [`Answer::Blocks`] of another version follow, up to the end of the stream.
        blocks: bool,
    },
    /// To take a file that the client sends.
    Put {
        /// Its place.
        path: SafePath,
        /// On what terms.
        terms: Terms,
    },
    /// To make a folder, and those that it is in.
    Make {
        /// The folder.
        path: SafePath,
        /// What it gets: its mode if it is made, its time in any case.
        meta: Meta,
    },
    /// To make a symbolic link.
    Link {
        /// Its place.
        path: SafePath,
        /// Where it leads.
        target: LinkTarget,
        /// What it gets: its time.
        meta: Meta,
        /// What is done about a file or another link in its place.
        over: Over,
    },
    /// To give a file one more name (a hard link).
    Same {
        /// The new name.
        path: SafePath,
        /// A name that the file has.
        of: SafePath,
        /// What is done about another file, or a link, in its place.
        over: Over,
    },
    /// To remove a file, a link, or a folder in which nothing is.
    Remove {
        /// What.
        path: SafePath,
        /// It is a folder.
        is_folder: bool,
    },
}

/// How far a folder that is listed is looked into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Links are listed as what they lead to.
    pub follow: bool,
    /// Folders in the folder are not looked into.
    pub shallow: bool,
}

/// On what terms a file is sent to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// The client waits for [`Answer::Have`] and sends only what the server has not.
    pub resume: bool,
    /// Before that the server tells [`Answer::Blocks`] of what it would replace. Only with `resume`.
    pub blocks: bool,
    /// What is done about another file in its place.
    pub over: Over,
}

/// What became of what a client asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is there now.
    New,
    /// The same stood there before.
    Unchanged,
    /// Another stands there, and stays, as [`Over`] says.
    Kept,
}

impl Stored {
    const fn as_u8(self) -> u8 {
        match self {
            Stored::New => 0,
            Stored::Unchanged => 1,
            Stored::Kept => 2,
        }
    }

    fn from_u8(code: u8) -> Result<Stored, Malformed> {
        match code {
            0 => Ok(Stored::New),
            1 => Ok(Stored::Unchanged),
            2 => Ok(Stored::Kept),
            _ => Err(Malformed),
        }
    }
}

/// The first bytes of a file, as one who has them tells of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Have {
    /// How many; below 2^62.
    pub len: NonZeroU64,
    /// Their BLAKE3 hash.
    pub hash: [u8; 32],
}

/// A block of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its length in bytes: 1 to [`BLOCK_MAX`].
    pub len: u32,
    /// The first bytes of its BLAKE3 hash.
    pub name: [u8; Block::NAME_LEN],
}

impl Block {
    /// Bytes of a name.
    pub const NAME_LEN: usize = 16;

    const fn wire_len(&self) -> usize {
        varint_len(self.len as u64) + Block::NAME_LEN
    }

    fn parse(reader: &mut Reader<'_>) -> Result<Block, Malformed> {
        match u32::try_from(reader.varint()?) {
            Ok(len @ 1..) if len as usize <= BLOCK_MAX => Ok(Block { len, name: reader.array()? }),
            _ => Err(Malformed),
        }
    }
}

/// What a server answers, and how a client sends a file. Sizes and times are below 2^62.
///
/// The bytes of a file come in DATA messages, which are no values of this type, so that nobody has to gather them:
/// [`Answer::data_head`] and [`Piece::Data`](super::Piece::Data).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// To GET, or after PUT: DATA follows from `offset` up to `size`, then [`Answer::End`].
    File {
        /// Size of the whole file in bytes.
        size: u64,
        /// Where the data begins: what the receiver has, if it is right, else 0.
        offset: u64,
        /// What else is known of it.
        meta: Meta,
    },
    /// After the data: BLAKE3 of the whole file.
    End {
        /// The hash.
        hash: [u8; 32],
    },
    /// To PUT with [`Terms::resume`]: the first bytes that the server has.
    Have(Option<Have>),
    /// Of who takes a file, about another version of it that it has: the next of its blocks, one at least.
    Blocks(Vec<Block>),
    /// Of who sends a file, in the place of so much data: it is what the receiver has there in what it told of.
    Copy {
        /// Where.
        from: u64,
        /// How much; not 0.
        len: u64,
    },
    /// To all that changes something, when that is done and safe on the disk.
    Stored(Stored),
    /// To LIST: one file, folder or symbolic link.
    Entry(Entry),
    /// To LIST: something that is there and has no entry.
    LeftOut(LeftOut),
    /// After the entries.
    Listed {
        /// How many entries there were.
        entries: u64,
        /// How many more there are that have none, named in [`Answer::LeftOut`] or not.
        skipped: u64,
        /// What is known of the folder itself that was listed.
        folder: Meta,
    },
    /// Instead of all that, or in the middle of it: there will be no more.
    Fault(Fault),
}

/// A file, a folder or a symbolic link below the folder that was listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Path from the folder that was listed.
    pub path: SafePath,
    /// Size in bytes; 0 for all but files.
    pub size: u64,
    /// What else is known of it.
    pub meta: Meta,
}

/// Something in a listed folder that is not handed out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Why.
    pub why: LeftOutWhy,
    /// Its path from the folder listed, at most [`REASON_MAX`] bytes: for people, and no path to ask for.
    path: PeerText,
}

/// Why something is not handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOutWhy {
    /// Its path is too long.
    Name,
    /// It is a link out of the tree; where links are followed, one to nothing, or to a folder that it is in.
    Link,
    /// It is neither a file nor a folder.
    Special,
    /// The server may not read it.
    Unreadable,
    /// It is the server's own: its key, its tickets.
    Own,
    /// Its name is kept for files that are not whole, and it is none of them.
    Reserved,
    /// A reason that this version does not know.
    Other,
}

impl LeftOut {
    /// Something left out; of a long `path` the end is kept.
    pub fn new(why: LeftOutWhy, path: &str) -> LeftOut {
        let from = path.ceil_char_boundary(path.len().saturating_sub(REASON_MAX));
        LeftOut { why, path: path[from..].into() }
    }

    /// Its path, for people.
    pub const fn path(&self) -> &PeerText {
        &self.path
    }
}

impl LeftOutWhy {
    const fn as_u8(self) -> u8 {
        match self {
            LeftOutWhy::Name => 1,
            LeftOutWhy::Link => 2,
            LeftOutWhy::Special => 3,
            LeftOutWhy::Unreadable => 4,
            LeftOutWhy::Own => 5,
            LeftOutWhy::Reserved => 6,
            LeftOutWhy::Other => 0,
        }
    }

    const fn from_u8(code: u8) -> LeftOutWhy {
        match code {
            1 => LeftOutWhy::Name,
            2 => LeftOutWhy::Link,
            3 => LeftOutWhy::Special,
            4 => LeftOutWhy::Unreadable,
            5 => LeftOutWhy::Own,
            6 => LeftOutWhy::Reserved,
            _ => LeftOutWhy::Other,
        }
    }
}

impl core::fmt::Display for LeftOutWhy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            LeftOutWhy::Name => "its path is too long",
            LeftOutWhy::Link => "a link out of the tree, or to nothing",
            LeftOutWhy::Special => "neither file nor folder",
            LeftOutWhy::Unreadable => "the server may not read it",
            LeftOutWhy::Own => "the server's own key or tickets",
            LeftOutWhy::Reserved => "its name is kept for unfinished files",
            LeftOutWhy::Other => "left out",
        })
    }
}

/// What there is in a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link(LinkTarget),
    /// A further name of a file whose entry came before, with this path.
    Same(SafePath),
}

/// Why one side does not do as the other asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// For programs.
    pub code: FaultCode,
    reason: PeerText,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCode {
    /// There is no such file or folder.
    NotFound,
    /// GET of a folder.
    IsFolder,
    /// LIST of a file.
    NotFolder,
    /// The server may not or will not read it.
    NotAllowed,
    /// Reading failed.
    Io,
    /// The file changed while it was being sent.
    Changed,
    /// The request could not be understood.
    BadRequest,
    /// Too many requests at once, or another request is writing the same file.
    Busy,
    /// PUT of a file that is there, without leave to replace it.
    Exists,
    /// The server takes no more, or its disk is full.
    NoRoom,
    /// What arrived is not what was sent.
    WrongHash,
    /// What arrived cannot be written, or somebody else has meddled with it.
    Write,
    /// A kind that this version does not know.
    Other,
}

impl Fault {
    /// A fault; `reason` is cut to [`REASON_MAX`] bytes.
    pub fn new(code: FaultCode, reason: &str) -> Fault {
        Fault { code, reason: PeerText::new(reason).cut(REASON_MAX).owned() }
    }

    /// The reason, in words for people.
    pub const fn reason(&self) -> &PeerText {
        &self.reason
    }
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = match self.code {
            FaultCode::NotFound => "not found",
            FaultCode::IsFolder => "it is a folder",
            FaultCode::NotFolder => "it is not a folder",
            FaultCode::NotAllowed => "not allowed",
            FaultCode::Io => "the disk failed",
            FaultCode::Changed => "the file changed while it was being sent",
            FaultCode::BadRequest => "the request was not understood",
            FaultCode::Busy => "busy",
            FaultCode::Exists => "something else is there already",
            FaultCode::NoRoom => "no room",
            FaultCode::WrongHash => "the hash of what arrived is wrong",
            FaultCode::Write => "it could not be written",
            FaultCode::Other => "the server cannot",
        };
        if self.reason.is_empty() { f.write_str(kind) } else { write!(f, "{kind}: {}", self.reason) }
    }
}

impl FaultCode {
    /// Its number on the wire.
    pub const fn as_u64(self) -> u64 {
        match self {
            FaultCode::NotFound => 1,
            FaultCode::IsFolder => 2,
            FaultCode::NotFolder => 3,
            FaultCode::NotAllowed => 4,
            FaultCode::Io => 5,
            FaultCode::Changed => 6,
            FaultCode::BadRequest => 7,
            FaultCode::Busy => 8,
            FaultCode::Exists => 9,
            FaultCode::NoRoom => 10,
            FaultCode::WrongHash => 11,
            FaultCode::Write => 12,
            FaultCode::Other => 0,
        }
    }

    /// What has that number.
    pub const fn from_u64(code: u64) -> FaultCode {
        match code {
            1 => FaultCode::NotFound,
            2 => FaultCode::IsFolder,
            3 => FaultCode::NotFolder,
            4 => FaultCode::NotAllowed,
            5 => FaultCode::Io,
            6 => FaultCode::Changed,
            7 => FaultCode::BadRequest,
            8 => FaultCode::Busy,
            9 => FaultCode::Exists,
            10 => FaultCode::NoRoom,
            11 => FaultCode::WrongHash,
            12 => FaultCode::Write,
            _ => FaultCode::Other,
        }
    }
}

/// Reads `type, varint length` and hands the body to `parse`, which must take all of it.
fn framed<'a, T>(
    reader: &mut Reader<'a>,
    parse: impl FnOnce(u8, &mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let kind = reader.u8()?;
    let mut body = Reader::new(reader.prefixed(MESSAGE_MAX)?);
    let value = parse(kind, &mut body)?;
    if body.is_empty() { Ok(value) } else { Err(Malformed) }
}

fn frame(writer: &mut Writer<'_>, kind: u8, body_len: usize) -> Result<(), Full> {
    writer.u8(kind)?;
    writer.varint(body_len as u64)
}

const fn framed_len(body_len: usize) -> usize {
    1 + varint_len(body_len as u64) + body_len
}

fn path(reader: &mut Reader<'_>) -> Result<SafePath, Malformed> {
    SafePath::parse(reader.text(PATH_MAX)?.exact()).map_err(|_| Malformed)
}

/// The path of something that has a name.
fn named(reader: &mut Reader<'_>) -> Result<SafePath, Malformed> {
    path(reader).and_then(|path| if path.is_root() { Err(Malformed) } else { Ok(path) })
}

fn over(flags: u8) -> Result<Over, Malformed> {
    Over::from_flags(flags).ok_or(Malformed)
}

fn target(reader: &mut Reader<'_>) -> Result<LinkTarget, Malformed> {
    LinkTarget::new(reader.text(PATH_MAX)?.exact()).ok_or(Malformed)
}

fn have(body: &mut Reader<'_>) -> Result<Option<Have>, Malformed> {
    match NonZeroU64::new(body.varint()?) {
        None => Ok(None),
        Some(len) => Ok(Some(Have { len, hash: body.array()? })),
    }
}

fn have_len(have: Option<Have>) -> usize {
    have.map_or(varint_len(0), |have| varint_len(have.len.get()) + 32)
}

fn emit_have(have: Option<Have>, writer: &mut Writer<'_>) -> Result<(), Full> {
    match have {
        None => writer.varint(0),
        Some(have) => {
            writer.varint(have.len.get())?;
            writer.bytes(&have.hash)
        }
    }
}

impl Request {
    fn body_len(&self) -> usize {
        match self {
            Request::List { path, .. } => 1 + prefixed_len(path.as_str().len()),
            Request::Link { path, target, meta, .. } => {
                1 + prefixed_len(path.as_str().len()) + prefixed_len(target.as_str().len()) + meta.wire_len()
            }
            Request::Same { path, of, .. } => 1 + prefixed_len(path.as_str().len()) + prefixed_len(of.as_str().len()),
            Request::Make { path, meta } => prefixed_len(path.as_str().len()) + meta.wire_len(),
            Request::Put { path, .. } | Request::Remove { path, .. } => 1 + prefixed_len(path.as_str().len()),
            Request::Get { path, have, .. } => 1 + prefixed_len(path.as_str().len()) + have_len(*have),
        }
    }
}

impl Repr<'_> for Request {
    fn parse(reader: &mut Reader<'_>) -> Result<Request, Malformed> {
        framed(reader, |kind, body| match kind {
            LIST => {
                let flags = body.u8()?;
                let look = Look { follow: flags & FOLLOW != 0, shallow: flags & SHALLOW != 0 };
                let path = path(body)?;
                if flags & !(FOLLOW | SHALLOW) == 0 { Ok(Request::List { path, look }) } else { Err(Malformed) }
            }
            GET => {
                let flags = body.u8()?;
                let (path, have) = (path(body)?, have(body)?);
                let blocks = flags == BY_BLOCKS;
                if blocks || flags == 0 { Ok(Request::Get { path, have, blocks }) } else { Err(Malformed) }
            }
            PUT => {
                let flags = body.u8()?;
                let (resume, blocks) = (flags & RESUME != 0, flags & BY_BLOCKS != 0);
                let terms = Terms { resume, blocks, over: over(flags & !(RESUME | BY_BLOCKS))? };
                let path = named(body)?;
                if resume || !blocks { Ok(Request::Put { path, terms }) } else { Err(Malformed) }
            }
            MAKE => {
                let path = path(body)?;
                Ok(Request::Make { path, meta: Meta::parse(body)? })
            }
            LINK => {
                let over = over(body.u8()?)?;
                let (path, target, meta) = (named(body)?, target(body)?, Meta::parse(body)?);
                Ok(Request::Link { path, target, meta, over })
            }
            SAME => {
                let over = over(body.u8()?)?;
                Ok(Request::Same { path: named(body)?, of: named(body)?, over })
            }
            REMOVE => match body.u8()? {
                is_folder @ 0..=1 => Ok(Request::Remove { path: named(body)?, is_folder: is_folder == 1 }),
                _ => Err(Malformed),
            },
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        framed_len(self.body_len())
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Request::Same { path, of, over } => {
                frame(writer, SAME, self.body_len())?;
                writer.u8(over.as_flags())?;
                writer.prefixed(path.as_str().as_bytes())?;
                writer.prefixed(of.as_str().as_bytes())
            }
            Request::Remove { path, is_folder } => {
                frame(writer, REMOVE, self.body_len())?;
                writer.u8((*is_folder).into())?;
                writer.prefixed(path.as_str().as_bytes())
            }
            Request::Link { path, target, meta, over } => {
                frame(writer, LINK, self.body_len())?;
                writer.u8(over.as_flags())?;
                writer.prefixed(path.as_str().as_bytes())?;
                writer.prefixed(target.as_str().as_bytes())?;
                meta.emit(writer)
            }
            Request::List { path, look } => {
                frame(writer, LIST, self.body_len())?;
                writer.u8((u8::from(look.follow) * FOLLOW) | (u8::from(look.shallow) * SHALLOW))?;
                writer.prefixed(path.as_str().as_bytes())
            }
            Request::Get { path, have, blocks } => {
                frame(writer, GET, self.body_len())?;
                writer.u8(u8::from(*blocks) * BY_BLOCKS)?;
                writer.prefixed(path.as_str().as_bytes())?;
                emit_have(*have, writer)
            }
            Request::Put { path, terms } => {
                frame(writer, PUT, self.body_len())?;
                let Terms { resume, blocks, over } = terms;
                writer.u8((u8::from(*resume) * RESUME) | (u8::from(*blocks) * BY_BLOCKS) | over.as_flags())?;
                writer.prefixed(path.as_str().as_bytes())
            }
            Request::Make { path, meta } => {
                frame(writer, MAKE, self.body_len())?;
                writer.prefixed(path.as_str().as_bytes())?;
                meta.emit(writer)
            }
        }
    }
}

impl Answer {
    /// Bytes of the longest DATA head.
    pub const DATA_HEAD_MAX: usize = 1 + varint_len(DATA_MAX as u64);

    /// The head of a DATA message of `len` bytes, which are to follow it.
    ///
    /// # Panics
    /// If `len` is 0 or above [`DATA_MAX`]: the caller cuts what it sends.
    pub fn data_head(len: usize, buf: &mut [u8; Answer::DATA_HEAD_MAX]) -> &[u8] {
        assert!((1..=DATA_MAX).contains(&len), "a DATA message has 1 to {DATA_MAX} bytes");
        let mut writer = Writer::new(buf);
        frame(&mut writer, DATA, len).expect("DATA_HEAD_MAX bytes hold the longest head");
        let len = writer.position();
        &buf[..len]
    }

    fn body_len(&self) -> usize {
        match self {
            Answer::File { size, offset, meta } => varint_len(*size) + varint_len(*offset) + meta.wire_len(),
            Answer::End { .. } => 32,
            Answer::Have(have) => have_len(*have),
            Answer::Stored(_) => 1,
            Answer::Blocks(blocks) => blocks.iter().map(Block::wire_len).sum(),
            Answer::Copy { from, len } => varint_len(*from) + varint_len(*len),
            Answer::LeftOut(left) => 1 + prefixed_len(left.path.len()),
            Answer::Entry(e) => {
                let more = match &e.kind {
                    Kind::Link(target) => prefixed_len(target.as_str().len()),
                    Kind::Same(path) => prefixed_len(path.as_str().len()),
                    Kind::File | Kind::Folder => 0,
                };
                1 + prefixed_len(e.path.as_str().len()) + varint_len(e.size) + e.meta.wire_len() + more
            }
            Answer::Listed { entries, skipped, folder } => {
                varint_len(*entries) + varint_len(*skipped) + folder.wire_len()
            }
            Answer::Fault(fault) => varint_len(fault.code.as_u64()) + prefixed_len(fault.reason.len()),
        }
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        framed(reader, |kind, body| match kind {
            FILE => {
                let (size, offset, meta) = (body.varint()?, body.varint()?, Meta::parse(body)?);
                if offset <= size { Ok(Answer::File { size, offset, meta }) } else { Err(Malformed) }
            }
            END => Ok(Answer::End { hash: body.array()? }),
            HAVE => Ok(Answer::Have(have(body)?)),
            BLOCKS => {
                let mut blocks = Vec::new();
                while !body.is_empty() {
                    blocks.push(Block::parse(body)?);
                }
                if blocks.is_empty() { Err(Malformed) } else { Ok(Answer::Blocks(blocks)) }
            }
            COPY => match (body.varint()?, body.varint()?) {
                (_, 0) => Err(Malformed),
                (from, len) => Ok(Answer::Copy { from, len }),
            },
            STORED => Ok(Answer::Stored(Stored::from_u8(body.u8()?)?)),
            LEFT_OUT => {
                let why = LeftOutWhy::from_u8(body.u8()?);
                Ok(Answer::LeftOut(LeftOut::new(why, body.text(REASON_MAX)?.exact())))
            }
            ENTRY => {
                let kind = body.u8()?;
                let (path, size, meta) = (path(body)?, body.varint()?, Meta::parse(body)?);
                let kind = match kind {
                    0 => Kind::File,
                    1 => Kind::Folder,
                    2 => Kind::Link(target(body)?),
                    3 => Kind::Same(self::path(body)?),
                    _ => return Err(Malformed),
                };
                if path.is_root() { Err(Malformed) } else { Ok(Answer::Entry(Entry { kind, path, size, meta })) }
            }
            LISTED => {
                Ok(Answer::Listed { entries: body.varint()?, skipped: body.varint()?, folder: Meta::parse(body)? })
            }
            FAULT => {
                let code = FaultCode::from_u64(body.varint()?);
                Ok(Answer::Fault(Fault::new(code, body.text(REASON_MAX)?.exact())))
            }
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        framed_len(self.body_len())
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match self {
            Answer::File { .. } => FILE,
            Answer::End { .. } => END,
            Answer::Have(_) => HAVE,
            Answer::Stored(_) => STORED,
            Answer::Blocks(_) => BLOCKS,
            Answer::Copy { .. } => COPY,
            Answer::LeftOut(_) => LEFT_OUT,
            Answer::Entry(_) => ENTRY,
            Answer::Listed { .. } => LISTED,
            Answer::Fault(_) => FAULT,
        };
        frame(writer, kind, self.body_len())?;
        match self {
            Answer::File { size, offset, meta } => {
                writer.varint(*size)?;
                writer.varint(*offset)?;
                meta.emit(writer)
            }
            Answer::End { hash } => writer.bytes(hash),
            Answer::Have(have) => emit_have(*have, writer),
            Answer::Blocks(blocks) => blocks.iter().try_for_each(|block| {
                writer.varint(block.len.into())?;
                writer.bytes(&block.name)
            }),
            Answer::Copy { from, len } => {
                writer.varint(*from)?;
                writer.varint(*len)
            }
            Answer::Stored(stored) => writer.u8(stored.as_u8()),
            Answer::LeftOut(left) => {
                writer.u8(left.why.as_u8())?;
                writer.prefixed(left.path.exact().as_bytes())
            }
            Answer::Entry(entry) => {
                writer.u8(match entry.kind {
                    Kind::File => 0,
                    Kind::Folder => 1,
                    Kind::Link(_) => 2,
                    Kind::Same(_) => 3,
                })?;
                writer.prefixed(entry.path.as_str().as_bytes())?;
                writer.varint(entry.size)?;
                entry.meta.emit(writer)?;
                match &entry.kind {
                    Kind::Link(target) => writer.prefixed(target.as_str().as_bytes()),
                    Kind::Same(path) => writer.prefixed(path.as_str().as_bytes()),
                    Kind::File | Kind::Folder => Ok(()),
                }
            }
            Answer::Listed { entries, skipped, folder } => {
                writer.varint(*entries)?;
                writer.varint(*skipped)?;
                folder.emit(writer)
            }
            Answer::Fault(fault) => {
                writer.varint(fault.code.as_u64())?;
                writer.prefixed(fault.reason.exact().as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests;
