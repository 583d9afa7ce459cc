//! The side that brings code of its own accord.

use tng_base::CodeHash;

use super::{Answer, Declined, Give, PIECE_MAX, Packed, Request};

/// Answers in a row after which the other side is no further.
const STUCK_MAX: u32 = 3;

/// Brings a module to a host that may want it.
///
/// The contract: [`request`](Push::request) says what is asked next, [`heard`](Push::heard) takes the answer, until
/// that says [`Pushed::Taken`]. After a connection was lost a new value goes on where the other side is.
#[derive(Debug)]
pub struct Push {
    hash: CodeHash,
    packed: Packed,
    manifest: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The other side is to say whether it wants it.
    Offering,
    /// It wants what begins there; it has said something like that so often without being further.
    Giving { at: u32, stuck: u32 },
}

/// How far a push is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// There is more to ask: [`Push::request`].
    Goes {
        /// Bytes of the packed form that are there.
        at: u32,
        /// Bytes that it has.
        of: u32,
    },
    /// The other side has it.
    Taken,
}

/// Why the other side does not have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PushError {
    /// Peer: it said so.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// Peer: it does not keep to the protocol.
    #[error("the peer does not keep to the protocol ({0}); push to another host")]
    Malformed(&'static str),
}

impl Push {
    /// A push of the module of this hash; `manifest` has at most [`MANIFEST_MAX`](super::MANIFEST_MAX) bytes.
    pub const fn new(hash: CodeHash, packed: Packed, manifest: Vec<u8>) -> Push {
        Push { hash, packed, manifest, state: State::Offering }
    }

    /// What is asked next.
    pub fn request(&self) -> Request {
        let hash = self.hash;
        match self.state {
            State::Offering => Request::Push { hash, offer: self.packed.offer(self.manifest.clone()) },
            State::Giving { at: offset, .. } => {
                let rest = &self.packed.as_bytes()[offset as usize..];
                Request::Give(Give { hash, offset, piece: rest[..rest.len().min(PIECE_MAX)].to_vec() })
            }
        }
    }

    /// Takes the answer.
    ///
    /// # Errors
    /// See [`PushError`]. The push is over.
    pub fn heard(&mut self, answer: &Answer) -> Result<Pushed, PushError> {
        let of = self.packed.as_bytes().len() as u32;
        match *answer {
            Answer::Taken => Ok(Pushed::Taken),
            Answer::Declined(declined) => Err(declined.into()),
            Answer::Sends { .. } => Err(PushError::Malformed("it sends what was offered to it")),
            Answer::Take { offset } if offset >= of => Err(PushError::Malformed("it wants what is not there")),
            Answer::Take { offset } => {
                let stuck = match self.state {
                    State::Giving { at, stuck } if offset <= at => stuck + 1,
                    _ => 0,
                };
                if stuck >= STUCK_MAX {
                    return Err(PushError::Malformed("it wants the same again and again"));
                }
                self.state = State::Giving { at: offset, stuck };
                Ok(Pushed::Goes { at: offset, of })
            }
        }
    }
}
