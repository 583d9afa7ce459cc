//! Range nonces: receipts that cannot be made up (Trickles 2.2 and appendix A).
//!
//! A sender derives a pseudorandom `r_x` for each number `x` and gives the packet with that number the nonce `r_x ^
//! r_(x+1)`. Folded by XOR over a range of packets, everything in between cancels: who received all of `m..n` knows
//! `r_m ^ r_n`, in eight bytes however long the range is, and who lacks one of them knows nothing of it. The sender
//! keeps no nonce: it checks a range with two blocks of AES.
//!
//! * `NonceKey`, `Chain`: the sender's side. A chain belongs to one connection, direction and `Purpose`; `OwnedChain`
//!   is for who keeps it. It needs a cipher, and is not there without the feature `keys`: guests are receivers.
//! * [`Receipts`]: the receiver's side; folds what came, and says it as [`RangeProof`]s.
//!
//! What a proof shows is that packets have arrived, not that others were lost: who hides what it received harms itself
//! (Trickles 2.2). docs/nonces.md has the algebra, the attacks and what it costs.
#![forbid(unsafe_code)]

#[cfg(feature = "keys")]
mod chain;
mod proof;
mod receipts;

#[cfg(feature = "keys")]
pub use chain::{Chain, Direction, NonceKey, OwnedChain, Purpose, Unproven};
pub use proof::{NUMBER_LIMIT, PROOF_RANGES_MAX, RangeProof};
pub use receipts::{NotTaken, RECEIPTS_SPAN_MAX, Receipts};

#[cfg(test)]
#[cfg(feature = "keys")]
mod tests;
