//! Changed files by blocks: what the receiver tells of the version that it has, and what the sender makes of that.
//!
//! Both read a file a slice at a time, where it is, so that nothing is held of it between two slices.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use tng_services::files::{
    Answer, BLOCK_MAX, BLOCKS_FILE_MIN, BLOCKS_MAX, BLOCKS_PER_MESSAGE, Block, DATA_MAX, Decoder, Fault, FaultCode,
    Index, Piece, Supply,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::task::spawn_blocking;

use super::hashing::{Hasher, SLICE_MAX};
use super::source::{within, write};
use super::{Held, READ_MAX, put};

/// The version of a file that stands in the place of another.
#[derive(Debug)]
pub(super) struct Old {
    pub(super) file: Arc<File>,
    len: u64,
    /// Bytes of it that were copied.
    pub(super) copied: u64,
}

impl Old {
    /// `None`: it is too short to be told of.
    pub(super) fn new(file: File) -> Option<Old> {
        let metadata = file.metadata().ok().filter(|there| there.is_file() && there.len() >= BLOCKS_FILE_MIN)?;
        Some(Old { file: Arc::new(file), len: metadata.len(), copied: 0 })
    }
}

/// The next blocks of a file of `len` bytes, from `at` on: those that end in the next slice.
fn slice(file: &File, at: u64, len: u64) -> io::Result<Vec<Block>> {
    let mut bytes = vec![0; len.saturating_sub(at).min(SLICE_MAX) as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let is_end = at + filled as u64 == len || filled < bytes.len();
    let (mut rest, mut blocks) = (&bytes[..filled], Vec::new());
    while (is_end || rest.len() >= BLOCK_MAX)
        && let Some(block) = Block::first(rest)
    {
        rest = &rest[block.len as usize..];
        blocks.push(block);
    }
    Ok(blocks)
}

/// Tells the blocks of what stands there; answers how many bytes they have. What cannot be read is not told of.
///
/// # Errors
/// If the stream fails.
pub(super) async fn tell(
    old: &Old,
    hasher: Hasher<'_>,
    send: &mut (impl AsyncWrite + Unpin),
    stall: Option<Duration>,
) -> io::Result<u64> {
    let (mut told, mut count, len) = (0, 0, old.len);
    while told < len && count < BLOCKS_MAX {
        let (turn, file) = (hasher.turn(SLICE_MAX.min(len - told)).await, Arc::clone(&old.file));
        let read = spawn_blocking(move || {
            let read = slice(&file, told, len);
            drop(turn);
            read
        });
        let mut blocks = read.await.map_err(io::Error::other)?.unwrap_or_default();
        blocks.truncate(BLOCKS_MAX - count);
        if blocks.is_empty() {
            break;
        }
        count += blocks.len();
        told += blocks.iter().map(|block| u64::from(block.len)).sum::<u64>();
        let mut messages = Vec::new();
        for some in blocks.chunks(BLOCKS_PER_MESSAGE) {
            put(&Answer::Blocks(some.to_vec()), &mut messages);
        }
        write(send, &messages, stall).await?;
    }
    Ok(told)
}

/// The blocks that a peer tells of, in the bytes `ahead` and all that comes behind them. Those that its share has no
/// room for are checked, and not kept.
///
/// # Errors
/// If the stream fails; inside, that they are none.
pub(super) async fn told(
    held: &mut Held,
    ahead: Vec<u8>,
    recv: &mut (impl AsyncRead + Unpin),
    stall: Option<Duration>,
) -> io::Result<Result<Index, Fault>> {
    let (mut index, mut decoder, mut bytes) = (Index::new(), Decoder::new(), ahead);
    loop {
        let mut input = &bytes[..];
        loop {
            let taken = match decoder.next(&mut input) {
                Ok(None) => break,
                Ok(Some(Piece::Answer(Answer::Blocks(blocks)))) => {
                    let wanted = (index.len() + blocks.len()) as u64 * Index::ENTRY_MAX;
                    index.take(&blocks, held.keep(wanted)).map_err(|error| error.to_string())
                }
                Ok(Some(_)) => Err("something else among the blocks".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(why) = taken {
                return Ok(Err(Fault::new(FaultCode::BadRequest, &why)));
            }
        }
        bytes.clear();
        bytes.reserve(READ_MAX);
        if within(stall, recv.read_buf(&mut bytes)).await? == 0 {
            return Ok(match decoder.is_between_messages() {
                true => Ok(index),
                false => Err(Fault::new(FaultCode::BadRequest, "the last block is cut off")),
            });
        }
    }
}

/// What a sender makes of the blocks of a receiver, piece by piece.
#[derive(Debug)]
pub(super) struct Delta {
    index: Index,
    /// What comes next.
    runs: VecDeque<Run>,
    /// Bytes that the receiver copies.
    pub(super) copied: u64,
}

/// Some bytes of a file on their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Run {
    /// They are sent.
    Data(u64),
    /// The receiver has them, from there on.
    Copy(u64, u64),
}

impl Delta {
    /// `None`: the receiver has nothing.
    pub(super) fn new(index: Index) -> Option<Delta> {
        (!index.is_empty()).then(|| Delta { index, runs: VecDeque::new(), copied: 0 })
    }

    /// Bytes that the next piece costs beyond those that are sent: read, and hashed twice.
    pub(super) fn cost(&self) -> u64 {
        if self.runs.is_empty() { 2 * SLICE_MAX } else { 0 }
    }

    /// Looks at the next slice of a file of `size` bytes, from `at` on.
    pub(super) fn look(&mut self, file: &File, at: u64, size: u64) -> io::Result<()> {
        if !self.runs.is_empty() {
            return Ok(());
        }
        for block in slice(file, at, size)? {
            let len = u64::from(block.len);
            match (self.index.find(&block), self.runs.back_mut()) {
                (Some(from), Some(Run::Copy(begin, run))) if *begin + *run == from => *run += len,
                (Some(from), _) => self.runs.push_back(Run::Copy(from, len)),
                (None, Some(Run::Data(run))) => *run += len,
                (None, _) => self.runs.push_back(Run::Data(len)),
            }
        }
        if self.runs.is_empty() {
            // It has become shorter, as reading on will show.
            self.runs.push_back(Run::Data(size - at));
        }
        Ok(())
    }

    /// Has the receiver copy what comes next and it has; answers how many bytes after that it has not. 0: what comes
    /// then has not been looked at.
    pub(super) fn copies(&mut self, file: &mut File, supply: &mut Supply, out: &mut Vec<u8>) -> io::Result<u64> {
        while let Some(run) = self.runs.front().copied() {
            let (from, len) = match run {
                Run::Data(len) => return Ok(len),
                Run::Copy(from, len) => (from, len),
            };
            let (mut left, mut buf) = (len, vec![0; DATA_MAX]);
            while left > 0 {
                let room = left.min(DATA_MAX as u64) as usize;
                file.read_exact(&mut buf[..room])?;
                supply.copied(&buf[..room]);
                left -= room as u64;
            }
            put(&Answer::Copy { from, len }, out);
            self.copied += len;
            self.runs.pop_front();
        }
        Ok(0)
    }

    /// Notes that so many of the bytes that the receiver has not are sent.
    pub(super) fn sent(&mut self, bytes: u64) {
        if let Some(Run::Data(left)) = self.runs.front_mut() {
            *left -= bytes;
            if *left == 0 {
                self.runs.pop_front();
            }
        }
    }
}
