//! A mark for each client in baseline JPEGs (Trickles 6.2), as plain values: what is served, and who it was served to.
//!
//! Only the entropy-coded data is touched: it is decoded to quantised coefficients and coded again, MCU by MCU. In each
//! block of brightness the first coefficient that is not zero, among the low frequencies, has the one or the other of
//! two neighbouring values, as a key and the client's name say ([`Mark`]). What is constant in a block stays constant,
//! so a reader finds the same coefficients, and needs no original.
//!
//! Any bytes of what a client is served can be made again from an [`Image`], a mark and a few numbers, in three ways:
//!
//! * bit alignments ([`Layout::alignments`]): where in the source, and at which bit of the output, every so many MCUs
//!   begin. To find them all MCUs are coded once;
//! * SKIP markers ([`Layout::skips`]): the output is cut into pieces that are as long as the longest mark makes them,
//!   and say how many bits a client skips. No mark is needed to know where a piece begins;
//! * MCU numbers ([`pieces`]): a client asks for MCUs, and joins ([`Joiner`]) what comes.
//!
//! A client makes the file again of what came by the second or third way with an [`Assembler`].
mod assembler;
#[cfg(feature = "hosts")]
pub mod battery;
#[cfg(feature = "hosts")]
mod bit_reader;
mod bit_writer;
#[cfg(feature = "hosts")]
mod coder;
#[cfg(feature = "hosts")]
mod huffman;
mod joiner;
#[cfg(feature = "hosts")]
mod layout;
#[cfg(feature = "hosts")]
mod mark;
#[cfg(feature = "hosts")]
mod piece;
#[cfg(feature = "hosts")]
mod segments;
pub mod wire;

pub use assembler::{Assembler, Unassembled};
#[cfg(feature = "hosts")]
pub use coder::{COEFFICIENT_MAX, Work};
pub use joiner::{Joiner, PIECE_HEAD, PIECE_MCUS, Unjoined};
#[cfg(feature = "hosts")]
pub use layout::{Layout, McuStart, Resume, Way};
#[cfg(feature = "hosts")]
pub use mark::{
    CARRIERS_MIN, Found, MARK_ROWS, Mark, Marks, NAME_MAX, NameError, SCORE_MIN_PERCENT, Seen, TAG_LEN, Unread, look,
};
#[cfg(feature = "hosts")]
pub use piece::pieces;
#[cfg(feature = "hosts")]
pub use segments::Image;
pub use wire::IMAGE_LEN_MAX;

/// Why an image takes no mark.
#[cfg(feature = "hosts")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageError {
    /// It does not begin as one.
    #[error("it is no JPEG; save it as one, baseline")]
    NotJpeg,
    /// It is longer than what is held of an image.
    #[error("it is longer than the {IMAGE_LEN_MAX} bytes that an image may have; save it smaller")]
    TooLong,
    /// It is coded in several passes over the image.
    #[error("it is a progressive JPEG; save it as baseline, with `jpegtran -outfile NEW OLD` for one")]
    Progressive,
    /// It is coded in a way that nearly nobody uses.
    #[error("it is a JPEG of a kind that is not baseline (marker {0:#04x}); save it as baseline")]
    Kind(u8),
    /// It has another number of colours than 1 or 3: CMYK has 4.
    #[error("it has {0} colour components, as CMYK has 4; save it as grey or in three colours")]
    Colours(u8),
    /// Its colours come one after the other.
    #[error("its colours do not come in one scan; `jpegtran -outfile NEW OLD` makes them")]
    Scans,
    /// It ends before its end.
    #[error("it is truncated: it ends before its image does; put a whole copy in its place")]
    Truncated,
    /// It breaks a rule of the format.
    #[error("it is damaged: {0}; put a whole copy in its place")]
    Damaged(&'static str),
    /// So few blocks hold no mark.
    #[error("it is too small for a mark; an image of at least 128 by 128 pixels has room for one")]
    TooSmall,
    /// Hardly any of its blocks has anything in it.
    #[error("it is too plain for a mark: {0} of its blocks can hold one, {CARRIERS_MIN} are needed")]
    TooPlain(u32),
}

#[cfg(test)]
mod tests;
