//! The side that takes a file: the client's of a GET, the server's of a PUT.

use core::num::NonZeroU64;

use tng_wire::Malformed;

use super::{Answer, Decoder, Fault, Have, Meta, Piece, Request, SafePath};

/// The first bytes of a file that a client has, being hashed.
#[derive(Clone, Debug, Default)]
pub struct Fragment(blake3::Hasher);

impl Fragment {
    /// Nothing yet.
    pub fn new() -> Fragment {
        Fragment::default()
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// How many bytes it has.
    pub fn len(&self) -> u64 {
        self.0.count()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their BLAKE3 hash.
    pub fn hash(&self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// As it is told to the other side; nothing if it is empty.
    pub fn have(&self) -> Option<Have> {
        NonZeroU64::new(self.len()).map(|len| Have { len, hash: self.hash() })
    }
}

/// Takes the messages that carry a file, checks them, and says what to do with the bytes.
///
/// The contract: tell the other side what is here already ([`request`](Fetch::request), [`have`](Fetch::have)), then
/// call [`step`](Fetch::step) with what the stream brings, until it gives [`Step::Done`]; call [`ended`](Fetch::ended)
/// if the stream ends before.
#[derive(Debug)]
pub struct Fetch {
    decoder: Decoder,
    hasher: Fragment,
    /// Bytes of another version that the other side was told of.
    told: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The first message is to come.
    Asked,
    /// Data is coming; `at` is the offset of the next byte.
    Receiving { size: u64, at: u64 },
    /// The hash was right.
    Done,
}

/// What to do next with the file being fetched.
#[derive(PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// Keep the first `offset` bytes, drop what is beyond; the rest comes in [`Step::Write`]s.
    Begin {
        /// Size of the whole file in bytes.
        size: u64,
        /// Bytes to keep: all that were offered, or none.
        offset: u64,
        /// What else is known of it.
        meta: Meta,
    },
    /// Append these bytes.
    Write(&'a [u8]),
    /// Append these bytes of the version that the other side was told of, and hand them to [`Fetch::copied`].
    Copy {
        /// Where they begin.
        from: u64,
        /// How many they are.
        len: u64,
    },
    /// The file is whole and is what the other side has.
    Done {
        /// BLAKE3 of the whole file.
        hash: [u8; 32],
    },
}

/// Why a file could not be fetched, by whose fault it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchError {
    /// The other side said so.
    #[error("{0}")]
    Fault(Fault),
    /// The other side does not keep to the protocol.
    #[error("the other side does not keep to the protocol: {0}")]
    Protocol(&'static str),
    /// What arrived is not what the other side read. A fragment that was kept may be to blame; fetch the whole file
    /// again.
    #[error("the hash of what arrived is wrong")]
    WrongHash,
    /// The stream ended in the middle.
    #[error("the stream ended after {at} of {size} bytes")]
    Cut {
        /// The offset that was reached.
        at: u64,
        /// Size of the whole file in bytes; 0 if the stream ended before it was told.
        size: u64,
    },
}

impl From<Malformed> for FetchError {
    fn from(_: Malformed) -> FetchError {
        FetchError::Protocol("a message is malformed")
    }
}

impl Fetch {
    /// A fetch that builds on what the client has; nothing, if `fragment` is empty.
    pub fn new(fragment: Fragment) -> Fetch {
        Fetch { decoder: Decoder::new(), hasher: fragment, told: 0, state: State::Asked }
    }

    /// The same after the other side was told the blocks of the first `told` bytes of another version.
    pub fn with_blocks_of(self, told: u64) -> Fetch {
        Fetch { told, ..self }
    }

    /// What is here already, if anything.
    pub fn have(&self) -> Option<Have> {
        self.hasher.have()
    }

    /// What a client writes before finishing the sending side; with `blocks`, those follow.
    pub fn request(&self, path: SafePath, blocks: bool) -> Request {
        Request::Get { path, have: self.hasher.have(), blocks }
    }

    /// Takes the next of the bytes that [`Step::Copy`] was about.
    pub fn copied(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Takes bytes from the front of `input` and says what to do; none if `input` is used up first.
    ///
    /// # Errors
    /// Any but [`FetchError::Cut`]. The stream is of no more use.
    pub fn step<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<Step<'a>>, FetchError> {
        let Some(piece) = self.decoder.next(input)? else {
            return Ok(None);
        };
        match (piece, &mut self.state) {
            (Piece::Answer(Answer::Fault(fault)), _) => Err(FetchError::Fault(fault)),
            (Piece::Answer(Answer::File { size, offset, meta }), State::Asked) => {
                if offset == 0 {
                    self.hasher = Fragment::new();
                } else if offset != self.hasher.len() {
                    return Err(FetchError::Protocol("it sends from an offset that nobody asked for"));
                }
                self.state = State::Receiving { size, at: offset };
                Ok(Some(Step::Begin { size, offset, meta }))
            }
            (Piece::Data(data), State::Receiving { size, at }) => {
                if data.len() as u64 > *size - *at {
                    return Err(FetchError::Protocol("it sends more than the size that it told"));
                }
                *at += data.len() as u64;
                self.hasher.update(data);
                Ok(Some(Step::Write(data)))
            }
            (Piece::Answer(Answer::Copy { from, len }), State::Receiving { size, at }) => {
                if from.checked_add(len).is_none_or(|end| end > self.told) {
                    return Err(FetchError::Protocol("it has something copied that it was not told of"));
                }
                if len > *size - *at {
                    return Err(FetchError::Protocol("it sends more than the size that it told"));
                }
                *at += len;
                Ok(Some(Step::Copy { from, len }))
            }
            (Piece::Answer(Answer::End { hash }), State::Receiving { size, at }) => {
                if at != size {
                    return Err(FetchError::Protocol("it sends less than the size that it told"));
                }
                if hash != self.hasher.hash() {
                    return Err(FetchError::WrongHash);
                }
                self.state = State::Done;
                Ok(Some(Step::Done { hash }))
            }
            _ => Err(FetchError::Protocol("a message came out of turn")),
        }
    }

    /// The stream has ended: nothing if the file is done, else the error.
    ///
    /// # Errors
    /// [`FetchError::Cut`].
    pub const fn ended(&self) -> Result<(), FetchError> {
        match self.state {
            State::Asked => Err(FetchError::Cut { at: 0, size: 0 }),
            State::Receiving { size, at } => Err(FetchError::Cut { at, size }),
            State::Done => Ok(()),
        }
    }
}
