//! The bytes of the code service.

use tng_base::{CODE_HASH_LEN, CodeHash};
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len};

use super::{Declined, MANIFEST_MAX, MODULE_MAX, PACKED_MAX, PIECE_MAX};
use crate::framed::{self, HEAD_LEN};

const ASK: u8 = 0x01;
const PUSH: u8 = 0x02;
const GIVE: u8 = 0x03;
const SENDS: u8 = 0x10;
const TAKE: u8 = 0x11;
const TAKEN: u8 = 0x12;
const DECLINED: u8 = 0x3f;

/// Bytes of a hash of a packed form.
const PACKED_HASH_LEN: usize = 32;
/// Bytes of an offer without its manifest.
const OFFER_FIXED: usize = 4 + 4 + PACKED_HASH_LEN;
/// Bytes of the body of a GIVE before the piece.
pub(super) const GIVE_FIXED: usize = CODE_HASH_LEN + 4;
/// Longest body of a request in bytes.
const REQUEST_BODY_MAX: usize = GIVE_FIXED + PIECE_MAX;
/// Longest body of an answer in bytes.
const ANSWER_BODY_MAX: usize = 4 + OFFER_FIXED + prefixed_len(MANIFEST_MAX);

/// In which form code is wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Form {
    /// The module: what its hash is of, and what is run.
    #[default]
    Binary,
    /// Text for people. Nothing but the peer's word says that the module is made of it.
    Text,
}

/// The first bytes of a packed form, as one who has them tells of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Have {
    /// How many, from 1 to [`PACKED_MAX`].
    pub len: u32,
    /// BLAKE3 of the whole packed form that they are of.
    pub packed_hash: [u8; PACKED_HASH_LEN],
}

/// Asks for code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ask {
    /// Which.
    pub hash: CodeHash,
    /// In which form.
    pub form: Form,
    /// What of it is there already.
    pub have: Option<Have>,
}

/// What code is like that is about to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Bytes of the module, or of its text; from 1 to [`MODULE_MAX`].
    pub size: u32,
    /// Bytes of the packed form, from 1 to [`PACKED_MAX`].
    pub packed_size: u32,
    /// BLAKE3 of the packed form.
    pub packed_hash: [u8; PACKED_HASH_LEN],
    /// What its publisher says of it, at most [`MANIFEST_MAX`] bytes; empty if there is nothing.
    pub manifest: Vec<u8>,
}

/// The next piece of what the other side takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Give {
    /// The code that is meant.
    pub hash: CodeHash,
    /// Where in the packed form the piece begins.
    pub offset: u32,
    /// The piece, from 1 to [`PIECE_MAX`] bytes.
    pub piece: Vec<u8>,
}

/// What is asked, once per stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// For code.
    Ask(Ask),
    /// To take code.
    Push {
        /// Which.
        hash: CodeHash,
        /// What it is like.
        offer: Offer,
    },
    /// To take a piece of it.
    Give(Give),
}

/// What is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// To ASK: the packed form follows, from `offset` to its end.
    Sends {
        /// What was there already, if it is right, else 0; at most the size of the packed form.
        offset: u32,
        /// What it is like.
        offer: Offer,
    },
    /// To PUSH and GIVE: the next piece is wanted.
    Take {
        /// From where on; at most [`PACKED_MAX`].
        offset: u32,
    },
    /// To PUSH and GIVE: all is there, and is what was offered.
    Taken,
    /// Nothing comes of it.
    Declined(Declined),
}

/// Reads a number from 1 to `most`.
fn size(reader: &mut Reader<'_>, most: usize) -> Result<u32, Malformed> {
    let size = reader.u32()?;
    if (1..=most).contains(&(size as usize)) { Ok(size) } else { Err(Malformed) }
}

/// Reads a number of bytes from the beginning of a packed form.
fn offset(reader: &mut Reader<'_>, most: usize) -> Result<u32, Malformed> {
    let offset = reader.u32()?;
    if offset as usize <= most { Ok(offset) } else { Err(Malformed) }
}

fn hash(reader: &mut Reader<'_>) -> Result<CodeHash, Malformed> {
    Ok(CodeHash::from_bytes(reader.array()?))
}

impl Form {
    const fn as_u8(self) -> u8 {
        match self {
            Form::Binary => 0,
            Form::Text => 1,
        }
    }

    const fn from_u8(form: u8) -> Result<Form, Malformed> {
        match form {
            0 => Ok(Form::Binary),
            1 => Ok(Form::Text),
            _ => Err(Malformed),
        }
    }
}

impl Offer {
    fn parse(body: &mut Reader<'_>) -> Result<Offer, Malformed> {
        let (size, packed_size) = (size(body, MODULE_MAX)?, size(body, PACKED_MAX)?);
        let packed_hash = body.array()?;
        Ok(Offer { size, packed_size, packed_hash, manifest: body.prefixed(MANIFEST_MAX)?.to_vec() })
    }

    const fn wire_len(&self) -> usize {
        OFFER_FIXED + prefixed_len(self.manifest.len())
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u32(self.size)?;
        writer.u32(self.packed_size)?;
        writer.bytes(&self.packed_hash)?;
        writer.prefixed(&self.manifest)
    }
}

impl Ask {
    fn parse(body: &mut Reader<'_>) -> Result<Ask, Malformed> {
        let (hash, form) = (hash(body)?, Form::from_u8(body.u8()?)?);
        let have = match offset(body, PACKED_MAX)? {
            0 => None,
            len => Some(Have { len, packed_hash: body.array()? }),
        };
        Ok(Ask { hash, form, have })
    }

    const fn wire_len(&self) -> usize {
        CODE_HASH_LEN + 1 + 4 + if self.have.is_some() { PACKED_HASH_LEN } else { 0 }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.hash.as_bytes())?;
        writer.u8(self.form.as_u8())?;
        match &self.have {
            None => writer.u32(0),
            Some(have) => {
                writer.u32(have.len)?;
                writer.bytes(&have.packed_hash)
            }
        }
    }
}

impl Give {
    fn parse(body: &mut Reader<'_>) -> Result<Give, Malformed> {
        let (hash, offset) = (hash(body)?, offset(body, PACKED_MAX)?);
        let piece = body.rest();
        if piece.is_empty() { Err(Malformed) } else { Ok(Give { hash, offset, piece: piece.to_vec() }) }
    }
}

impl Repr<'_> for Request {
    fn parse(reader: &mut Reader<'_>) -> Result<Request, Malformed> {
        framed::parse(reader, REQUEST_BODY_MAX, |kind, body| match kind {
            ASK => Ok(Request::Ask(Ask::parse(body)?)),
            PUSH => Ok(Request::Push { hash: hash(body)?, offer: Offer::parse(body)? }),
            GIVE => Ok(Request::Give(Give::parse(body)?)),
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Request::Ask(ask) => ask.wire_len(),
                Request::Push { offer, .. } => CODE_HASH_LEN + offer.wire_len(),
                Request::Give(give) => GIVE_FIXED + give.piece.len(),
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let body_len = self.wire_len() - HEAD_LEN;
        match self {
            Request::Ask(ask) => {
                framed::emit_head(writer, ASK, body_len)?;
                ask.emit(writer)
            }
            Request::Push { hash, offer } => {
                framed::emit_head(writer, PUSH, body_len)?;
                writer.bytes(hash.as_bytes())?;
                offer.emit(writer)
            }
            Request::Give(give) => {
                framed::emit_head(writer, GIVE, body_len)?;
                writer.bytes(give.hash.as_bytes())?;
                writer.u32(give.offset)?;
                writer.bytes(&give.piece)
            }
        }
    }
}

impl Answer {
    /// The length of the whole message that begins with `head`.
    ///
    /// # Errors
    /// If an answer is never so long.
    pub(super) fn message_len(head: [u8; HEAD_LEN]) -> Result<usize, Malformed> {
        Ok(HEAD_LEN + framed::body_len(head, ANSWER_BODY_MAX)?)
    }
}

impl Repr<'_> for Answer {
    fn parse(reader: &mut Reader<'_>) -> Result<Answer, Malformed> {
        framed::parse(reader, ANSWER_BODY_MAX, |kind, body| match kind {
            SENDS => {
                let (offset, offer) = (body.u32()?, Offer::parse(body)?);
                if offset <= offer.packed_size { Ok(Answer::Sends { offset, offer }) } else { Err(Malformed) }
            }
            TAKE => Ok(Answer::Take { offset: offset(body, PACKED_MAX)? }),
            TAKEN => Ok(Answer::Taken),
            DECLINED => Ok(Answer::Declined(Declined::of_code(body.u8()?))),
            _ => Err(Malformed),
        })
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Answer::Sends { offer, .. } => 4 + offer.wire_len(),
                Answer::Take { .. } => 4,
                Answer::Taken => 0,
                Answer::Declined(_) => 1,
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let body_len = self.wire_len() - HEAD_LEN;
        match self {
            Answer::Sends { offset, offer } => {
                framed::emit_head(writer, SENDS, body_len)?;
                writer.u32(*offset)?;
                offer.emit(writer)
            }
            Answer::Take { offset } => {
                framed::emit_head(writer, TAKE, body_len)?;
                writer.u32(*offset)
            }
            Answer::Taken => framed::emit_head(writer, TAKEN, body_len),
            Answer::Declined(declined) => {
                framed::emit_head(writer, DECLINED, body_len)?;
                writer.u8(declined.code())
            }
        }
    }
}

#[cfg(test)]
mod tests;
