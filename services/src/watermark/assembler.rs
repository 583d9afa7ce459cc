//! An image made of its head and of pieces, as they come.

use tng_wire::Malformed;

use super::wire::Head;
use super::{Joiner, Unjoined};

/// Makes the file of an image of what a server sends: its [`Head`], and then the objects whose pieces make its data. A
/// plain value; what is asked for is its owner's business.
#[derive(Debug)]
pub struct Assembler {
    head_len_max: usize,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// So much of it has come.
    Head(Vec<u8>),
    Pieces {
        of: u64,
        mcus: u32,
        tail: Vec<u8>,
        joiner: Joiner,
        /// A piece that has not come whole.
        waiting: Vec<u8>,
    },
}

/// Why what came makes no image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unassembled {
    /// Peer: its head is longer than is held of one.
    #[error("the head of the image is longer than the {0} bytes that it may have here")]
    LongHead(usize),
    /// Peer: the first object is no head.
    #[error("the head of the image is none")]
    NoHead,
    /// Peer: pieces do not fit each other.
    #[error(transparent)]
    Unjoined(#[from] Unjoined),
    /// Peer: an object ends in the middle of a piece.
    #[error("half a piece of the image came")]
    HalfPiece,
    /// Peer: all pieces have come, and the last is not among them.
    #[error("the image has no end")]
    NoEnd,
}

impl Assembler {
    /// One that holds a head of so many bytes at most.
    pub const fn new(head_len_max: usize) -> Assembler {
        Assembler { head_len_max, stage: Stage::Head(Vec::new()) }
    }

    /// The version of the image, and how many MCUs it has: what its pieces are asked for by. Nothing before the head
    /// has come.
    pub const fn head(&self) -> Option<(u64, u32)> {
        match self.stage {
            Stage::Head(_) => None,
            Stage::Pieces { of, mcus, .. } => Some((of, mcus)),
        }
    }

    /// Takes what came of an object, in order. Answers what of the file is whole by that.
    ///
    /// # Errors
    /// [`Unassembled`].
    pub fn take(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Unassembled> {
        match &mut self.stage {
            Stage::Head(head) if head.len() + bytes.len() > self.head_len_max => {
                Err(Unassembled::LongHead(self.head_len_max))
            }
            Stage::Head(head) => {
                head.extend_from_slice(bytes);
                Ok(Vec::new())
            }
            Stage::Pieces { joiner, waiting, .. } => {
                waiting.extend_from_slice(bytes);
                let taken = joiner.join(waiting)?;
                waiting.drain(..taken);
                Ok(joiner.take())
            }
        }
    }

    /// The object has ended: the first is the head. Answers what of the file is whole by that.
    ///
    /// # Errors
    /// [`Unassembled`].
    pub fn end_object(&mut self) -> Result<Vec<u8>, Unassembled> {
        match &self.stage {
            Stage::Head(bytes) => {
                let Head { of, mcus, head, tail } = Head::parse(bytes).map_err(|Malformed| Unassembled::NoHead)?;
                self.stage = Stage::Pieces { of, mcus, tail, joiner: Joiner::default(), waiting: Vec::new() };
                Ok(head)
            }
            Stage::Pieces { waiting, .. } if waiting.is_empty() => Ok(Vec::new()),
            Stage::Pieces { .. } => Err(Unassembled::HalfPiece),
        }
    }

    /// All objects have ended. Answers the rest of the file.
    ///
    /// # Errors
    /// [`Unassembled::NoEnd`].
    pub fn finish(self) -> Result<Vec<u8>, Unassembled> {
        match self.stage {
            Stage::Pieces { tail, joiner, .. } if joiner.is_over() => Ok(tail),
            _ => Err(Unassembled::NoEnd),
        }
    }
}
