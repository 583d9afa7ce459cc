//! What both sides say of a range.

use core::ops::Range;

/// Numbers of packets lie below this.
pub const NUMBER_LIMIT: u64 = 1 << 62;
/// Most ranges in one proof. Each costs its checker two blocks of AES, and gives a liar one guess in 2^64.
pub const PROOF_RANGES_MAX: usize = 64;

/// That the packets of a range have arrived, all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeProof {
    /// Their numbers.
    pub range: Range<u64>,
    /// Their nonces, folded by XOR.
    pub fold: u64,
}
