//! Blocks of a version that a receiver has already: what of it need not be sent again.
//!
//! Where a block ends is told by the bytes before the end (FastCDC), so that what is inserted or removed in one place
//! moves no end elsewhere. The receiver tells the blocks of what it has; the sender cuts its own version in the same
//! way, and has the receiver copy what both have. A name of a block is a hint: the hash of the whole file decides.

use fastcdc::v2020::FastCDC;

use super::{BLOCK_AVERAGE, BLOCK_MAX, BLOCK_MIN, BLOCKS_MAX, Block};

impl Block {
    /// The first block of `bytes`: the beginning, or all that is left, of a file. `None` if there are none.
    ///
    /// Where it ends is right if there are at least [`BLOCK_MAX`] of them, or all that the file has.
    pub fn first(bytes: &[u8]) -> Option<Block> {
        let bytes = &bytes[..bytes.len().min(BLOCK_MAX)];
        let (_, len) = FastCDC::new(bytes, BLOCK_MIN, BLOCK_AVERAGE, BLOCK_MAX).cut(0, bytes.len());
        let mut name = [0; Block::NAME_LEN];
        name.copy_from_slice(&blake3::hash(&bytes[..len]).as_bytes()[..Block::NAME_LEN]);
        (len > 0).then_some(Block { len: len as u32, name })
    }
}

/// Why a list of blocks is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IndexError {
    /// There are too many.
    #[error("more than {BLOCKS_MAX} blocks are told of a file")]
    TooMany,
    /// One that is not the last is too short.
    #[error("a block is shorter than {BLOCK_MIN} bytes, and more follow")]
    Short,
}

/// The blocks that a receiver has.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// By their names once all have come.
    blocks: Vec<(Block, u64)>,
    count: usize,
    /// Where the next begins.
    at: u64,
    ended: bool,
    sorted: bool,
}

impl Index {
    /// Bytes that an entry takes at most, with the room to grow.
    pub const ENTRY_MAX: u64 = 2 * size_of::<(Block, u64)>() as u64;

    /// Nothing yet.
    pub fn new() -> Index {
        Index::default()
    }

    /// Takes the blocks that follow those that it has. Without `room` for them they are checked, and not kept.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn take(&mut self, blocks: &[Block], room: bool) -> Result<(), IndexError> {
        for block in blocks {
            if self.count == BLOCKS_MAX {
                return Err(IndexError::TooMany);
            }
            if self.ended {
                return Err(IndexError::Short);
            }
            if room {
                self.blocks.push((*block, self.at));
            }
            self.ended = (block.len as usize) < BLOCK_MIN;
            self.count += 1;
            self.at += u64::from(block.len);
        }
        self.sorted = false;
        Ok(())
    }

    /// How many it keeps.
    pub const fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether it keeps none.
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Where the receiver has this block, if it has.
    pub fn find(&mut self, block: &Block) -> Option<u64> {
        if !self.sorted {
            self.blocks.sort_unstable_by_key(|(block, from)| (block.name, block.len, *from));
            self.sorted = true;
        }
        let at = self.blocks.partition_point(|(other, _)| (other.name, other.len) < (block.name, block.len));
        self.blocks.get(at).filter(|(other, _)| other == block).map(|(_, from)| *from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        bytes
    }

    fn blocks(mut bytes: &[u8]) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(block) = Block::first(bytes) {
            bytes = &bytes[block.len as usize..];
            blocks.push(block);
        }
        blocks
    }

    #[test]
    fn what_is_inserted_at_the_front_changes_few_blocks() {
        let old = noise(4 << 20);
        let new = [b"ten bytes.", &old[..]].concat();
        let (one, two) = (blocks(&old), blocks(&new));
        assert_eq!(two.iter().map(|block| u64::from(block.len)).sum::<u64>(), new.len() as u64);
        assert!(one.len() > 16, "{}", one.len());
        let mut index = Index::new();
        index.take(&one, true).expect("as it should be");
        let missing = two.iter().filter(|block| index.find(block).is_none()).count();
        assert!((1..=3).contains(&missing), "{missing} of {}", two.len());
        let last = two.last().expect("many");
        assert_eq!(index.find(last), Some(old.len() as u64 - u64::from(last.len)), "where the receiver has it");
    }

    #[test]
    fn where_blocks_end_is_what_the_document_says() {
        let lens: Vec<u32> = blocks(&noise(600_000)).iter().map(|block| block.len).collect();
        // Another library, or another version of it, that cuts elsewhere finds nothing at hosts that have this one.
        assert_eq!(lens, [32_798, 100_912, 40_249, 68_411, 152_004, 75_528, 61_313, 68_785]);
        assert_eq!(
            blocks(&vec![0; 2 * BLOCK_MAX + 1]).iter().map(|block| block.len as usize).collect::<Vec<_>>(),
            [BLOCK_MAX, BLOCK_MAX, 1]
        );
        assert_eq!(Block::first(b""), None);
    }

    #[test]
    fn a_list_that_is_none_is_refused_and_one_without_room_is_checked_all_the_same() {
        let block = |len| Block { len, name: [1; 16] };
        let mut index = Index::new();
        index.take(&[block(BLOCK_MIN as u32), block(5)], true).expect("the last may be short");
        assert_eq!(index.take(&[block(BLOCK_MIN as u32)], true), Err(IndexError::Short));
        let (mut index, piece) = (Index::new(), vec![block(BLOCK_MIN as u32); BLOCKS_MAX]);
        index.take(&piece, false).expect("as many as there may be");
        assert!(index.is_empty() && index.find(&piece[0]).is_none());
        assert_eq!(index.take(&piece[..1], false), Err(IndexError::TooMany));
    }
}
