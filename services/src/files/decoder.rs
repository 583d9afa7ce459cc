//! Answers out of a stream, however it is cut into pieces.

use tng_wire::{Malformed, Reader, Repr};

use super::wire::DATA;
use super::{Answer, DATA_MAX, MESSAGE_MAX};

/// Longest type and length before a body.
const HEAD_MAX: usize = 9;

/// Takes the bytes of a server's answer as they come and gives messages and data.
///
/// Holds at most one message; data passes through without being gathered.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The beginning of a message whose rest has not come yet.
    partial: Vec<u8>,
    /// What is left of the DATA message that is passing.
    data_left: usize,
}

/// What came out of a [`Decoder`].
#[derive(PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// A whole message.
    Answer(Answer),
    /// The next bytes of the file.
    Data(&'a [u8]),
}

/// What stands at the front of some bytes.
enum Head {
    /// Too little to tell.
    Short,
    /// DATA of this length follows after the head.
    Data { head: usize, len: usize },
    /// A message of this length, head included.
    Message(usize),
}

fn head(bytes: &[u8]) -> Result<Head, Malformed> {
    let mut reader = Reader::new(bytes);
    let (Ok(kind), Ok(len)) = (reader.u8(), reader.varint()) else {
        return Ok(Head::Short);
    };
    let len = usize::try_from(len).map_err(|_| Malformed)?;
    match kind {
        DATA if (1..=DATA_MAX).contains(&len) => Ok(Head::Data { head: reader.position(), len }),
        DATA => Err(Malformed),
        _ if len <= MESSAGE_MAX => Ok(Head::Message(reader.position() + len)),
        _ => Err(Malformed),
    }
}

impl Decoder {
    /// A decoder at the start of an answer.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Whether everything that came was whole messages: only then may the stream end.
    pub const fn is_between_messages(&self) -> bool {
        self.partial.is_empty() && self.data_left == 0
    }

    /// Takes bytes from the front of `input` and gives the next piece; none if `input` is used up first.
    ///
    /// # Errors
    /// If a message is not what it should be, or longer than allowed. The stream is of no more use.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<Piece<'a>>, Malformed> {
        loop {
            if input.is_empty() {
                return Ok(None);
            }
            if self.data_left > 0 {
                let (data, rest) = input.split_at(self.data_left.min(input.len()));
                self.data_left -= data.len();
                *input = rest;
                return Ok(Some(Piece::Data(data)));
            }
            if self.partial.is_empty() {
                match head(input)? {
                    Head::Data { head, len } => {
                        self.data_left = len;
                        *input = &input[head..];
                        continue;
                    }
                    Head::Message(len) if len <= input.len() => {
                        let answer = Answer::parse(&mut Reader::new(&input[..len]))?;
                        *input = &input[len..];
                        return Ok(Some(Piece::Answer(answer)));
                    }
                    Head::Message(_) | Head::Short => {}
                }
            }
            if let Some(answer) = self.gather(input)? {
                return Ok(Some(Piece::Answer(answer)));
            }
        }
    }

    /// Moves bytes of a message that came in pieces from `input` to `partial`, until it is whole.
    fn gather(&mut self, input: &mut &[u8]) -> Result<Option<Answer>, Malformed> {
        let wanted = match head(&self.partial)? {
            Head::Message(len) => len,
            Head::Short | Head::Data { .. } => self.partial.len() + 1,
        };
        let (bytes, rest) = input.split_at((wanted - self.partial.len()).min(input.len()));
        self.partial.extend_from_slice(bytes);
        *input = rest;
        debug_assert!(self.partial.len() <= HEAD_MAX + MESSAGE_MAX, "a message is bounded");
        match head(&self.partial)? {
            Head::Message(len) if len == self.partial.len() => {
                let answer = Answer::parse(&mut Reader::new(&self.partial))?;
                self.partial.clear();
                Ok(Some(answer))
            }
            Head::Data { len, .. } => {
                self.data_left = len;
                self.partial.clear();
                Ok(None)
            }
            Head::Message(_) | Head::Short => Ok(None),
        }
    }
}
