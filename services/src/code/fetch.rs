//! The side that takes code: who asks for it, and who was offered it.

use tng_base::CodeHash;
use tng_crypto::code_hash;
use tng_wire::{Malformed, Reader, Repr};

use super::{Answer, Ask, Declined, Form, Have, Offer, PACKED_MAX, UnpackError, unpack};
use crate::framed::HEAD_LEN;

/// The first bytes of a packed form: what is left of a transfer that was cut, for the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    packed_hash: [u8; 32],
    bytes: Vec<u8>,
}

impl Part {
    /// The first `bytes` of the packed form with this BLAKE3 hash, from 1 to [`PACKED_MAX`]; `None` if there are none,
    /// or too many.
    pub fn new(packed_hash: [u8; 32], bytes: Vec<u8>) -> Option<Part> {
        (1..=PACKED_MAX).contains(&bytes.len()).then_some(Part { packed_hash, bytes })
    }

    /// BLAKE3 of the whole packed form.
    pub const fn packed_hash(&self) -> &[u8; 32] {
        &self.packed_hash
    }

    /// What there is of it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn have(&self) -> Have {
        Have { len: self.bytes.len() as u32, packed_hash: self.packed_hash }
    }
}

/// Code that has arrived, and is what its hash says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Its name.
    pub hash: CodeHash,
    /// In which form it is. Of [`Form::Text`] nobody has checked that it is this code.
    pub form: Form,
    /// The module, or the text.
    pub module: Vec<u8>,
    /// What came with it, at most [`MANIFEST_MAX`](super::MANIFEST_MAX) bytes. Nothing says that it is true.
    pub manifest: Vec<u8>,
}

/// Takes code, however its bytes are cut.
///
/// The contract: send [`ask`](Fetch::ask), then call [`step`](Fetch::step) with what the stream brings until it gives
/// [`Step::Whole`], then [`open`](Fetch::open) it, which takes its time. If the stream ends before,
/// [`ended`](Fetch::ended) is the error, and [`into_part`](Fetch::into_part) what the next connection can build on.
#[derive(Debug)]
pub struct Fetch {
    hash: CodeHash,
    form: Form,
    /// What is there of the packed form.
    bytes: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The answer is to come; of it there is `message`. What was there before is of the packed form with this hash.
    Asked { message: Vec<u8>, packed_hash: Option<[u8; 32]> },
    /// The packed form comes.
    Receiving(Offer),
    /// It is there.
    Whole(Offer),
}

/// What has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The answer has come, and bytes follow.
    Begin {
        /// Bytes of the code.
        size: u32,
        /// Bytes of its packed form.
        packed_size: u32,
        /// Bytes of that which need not come.
        offset: u32,
    },
    /// Everything is there: [`Fetch::open`] it.
    Whole,
}

/// Why code did not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchError {
    /// Peer: it said so.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// Peer: it does not keep to the protocol.
    #[error("the peer does not keep to the protocol ({0}); ask another host")]
    Malformed(&'static str),
    /// Peer: what arrived does not have its hash. What there was before may be to blame: ask once more from the
    /// beginning.
    #[error("what arrived has not the hash that was asked for; ask again from the beginning, or ask another host")]
    WrongHash,
    /// Peer: it sends more than it told.
    #[error("the peer sends more than the {0} bytes that it told; ask another host")]
    Endless(u32),
    /// Peer: what arrived cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// Environment: the stream ended in the middle.
    #[error("the transfer was cut after {at} of {of} bytes; ask again, it goes on from there")]
    Cut {
        /// Bytes of the packed form that are there.
        at: u32,
        /// Bytes that it has; 0 if that was not told yet.
        of: u32,
    },
}

impl From<Malformed> for FetchError {
    fn from(_: Malformed) -> FetchError {
        FetchError::Malformed("an answer cannot be read")
    }
}

impl Fetch {
    /// Code to be asked for; a part of it may be there.
    pub fn new(hash: CodeHash, form: Form, part: Option<Part>) -> Fetch {
        let (bytes, packed_hash) = part.map(|part| (part.bytes, part.packed_hash)).unzip();
        let state = State::Asked { message: Vec::new(), packed_hash };
        Fetch { hash, form, bytes: bytes.unwrap_or_default(), state }
    }

    /// A module that was offered, and whose beginning may be there: the next byte that is wanted is at
    /// [`offset`](Fetch::offset).
    pub fn offered(hash: CodeHash, offer: Offer, part: Option<Part>) -> Fetch {
        let fits = |part: &Part| part.packed_hash == offer.packed_hash && part.have().len <= offer.packed_size;
        let bytes = part.filter(fits).map(|part| part.bytes).unwrap_or_default();
        let state = if bytes.len() == offer.packed_size as usize { State::Whole } else { State::Receiving };
        Fetch { hash, form: Form::Binary, bytes, state: state(offer) }
    }

    /// What is asked.
    pub fn ask(&self) -> Ask {
        let have = match self.state {
            State::Asked { packed_hash: Some(packed_hash), .. } => Some(Have { len: self.offset(), packed_hash }),
            _ => None,
        };
        Ask { hash: self.hash, form: self.form, have }
    }

    /// Bytes of the packed form that are there.
    pub const fn offset(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Whether everything is there.
    pub const fn is_whole(&self) -> bool {
        matches!(self.state, State::Whole(_))
    }

    /// What the code is like, once that is known.
    pub const fn offer(&self) -> Option<&Offer> {
        match &self.state {
            State::Asked { .. } => None,
            State::Receiving(offer) | State::Whole(offer) => Some(offer),
        }
    }

    /// Takes bytes from the front of `input` and says what has happened; nothing if `input` is used up first.
    ///
    /// # Errors
    /// Those of an answer, and [`FetchError::Endless`]. The stream is of no more use.
    pub fn step(&mut self, input: &mut &[u8]) -> Result<Option<Step>, FetchError> {
        match &mut self.state {
            State::Asked { message, packed_hash } => {
                let Some(answer) = gather(message, input)? else { return Ok(None) };
                let packed_hash = *packed_hash;
                self.answered(answer, packed_hash).map(Some)
            }
            State::Receiving(offer) => {
                let left = offer.packed_size as usize - self.bytes.len();
                let (bytes, rest) = input.split_at(left.min(input.len()));
                self.bytes.extend_from_slice(bytes);
                *input = rest;
                if bytes.len() < left {
                    return Ok(None);
                }
                self.state = State::Whole(offer.clone());
                Ok(Some(Step::Whole))
            }
            State::Whole(_) if input.is_empty() => Ok(None),
            State::Whole(offer) => Err(FetchError::Endless(offer.packed_size)),
        }
    }

    fn answered(&mut self, answer: Answer, packed_hash: Option<[u8; 32]>) -> Result<Step, FetchError> {
        let (offset, offer) = match answer {
            Answer::Sends { offset, offer } => (offset, offer),
            Answer::Declined(declined) => return Err(declined.into()),
            Answer::Take { .. } | Answer::Taken => return Err(FetchError::Malformed("it wants what it was asked for")),
        };
        if offset == 0 {
            self.bytes.clear();
        } else if offset != self.offset() || packed_hash != Some(offer.packed_hash) {
            return Err(FetchError::Malformed("it sends from an offset that nobody asked for"));
        }
        let begin = Step::Begin { size: offer.size, packed_size: offer.packed_size, offset };
        self.state = State::Receiving(offer);
        Ok(begin)
    }

    /// The stream has ended: nothing if everything is there, else the error.
    ///
    /// # Errors
    /// [`FetchError::Cut`].
    pub const fn ended(&self) -> Result<(), FetchError> {
        match &self.state {
            State::Asked { .. } => Err(FetchError::Cut { at: 0, of: 0 }),
            State::Receiving(offer) => Err(FetchError::Cut { at: self.offset(), of: offer.packed_size }),
            State::Whole(_) => Ok(()),
        }
    }

    /// What is there, for another connection; `None` if there is nothing.
    pub fn into_part(self) -> Option<Part> {
        let packed_hash = match self.state {
            State::Asked { packed_hash, .. } => packed_hash?,
            State::Receiving(offer) | State::Whole(offer) => offer.packed_hash,
        };
        Part::new(packed_hash, self.bytes)
    }

    /// Checks what has come, and unpacks it: work for a thread that nobody waits for.
    ///
    /// # Errors
    /// [`FetchError::WrongHash`], [`FetchError::Unpack`], and [`FetchError::Cut`] if not everything is there.
    pub fn open(self) -> Result<Code, FetchError> {
        self.ended()?;
        let State::Whole(offer) = self.state else { return Err(FetchError::Cut { at: 0, of: 0 }) };
        if blake3::hash(&self.bytes) != offer.packed_hash {
            return Err(FetchError::WrongHash);
        }
        let module = unpack(&self.bytes, offer.size)?;
        if self.form == Form::Binary && code_hash(&module) != self.hash {
            return Err(FetchError::WrongHash);
        }
        Ok(Code { hash: self.hash, form: self.form, module, manifest: offer.manifest })
    }
}

/// Moves bytes of an answer that comes in pieces to `message`, until it is whole.
fn gather(message: &mut Vec<u8>, input: &mut &[u8]) -> Result<Option<Answer>, Malformed> {
    loop {
        let head = message.first_chunk::<HEAD_LEN>().copied();
        let wanted = head.map_or(Ok(HEAD_LEN), Answer::message_len)?;
        let (bytes, rest) = input.split_at((wanted - message.len()).min(input.len()));
        message.extend_from_slice(bytes);
        *input = rest;
        if message.len() < wanted {
            return Ok(None);
        }
        if head.is_some() {
            return Answer::parse(&mut Reader::new(message)).map(Some);
        }
    }
}
