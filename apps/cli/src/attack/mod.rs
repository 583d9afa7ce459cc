//! What `tng attack` is made of: the attacks on a target, those on a client of this very program, who looks in
//! meanwhile, and what it came to.

#[cfg(feature = "guests")]
pub mod codes;
pub mod dialers;
pub mod footprint;
pub mod outcome;
pub mod registries;
pub mod relays;
pub mod siege;
pub mod witness;
