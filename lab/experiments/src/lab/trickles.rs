//! The evaluation of Trickles: A. Shieh, A. C. Myers, E. G. Sirer: A stateless approach to connection-oriented
//! protocols, ACM Transactions on Computer Systems 26 (2008), section 6.
//!
//! A file for each figure: what the paper says of it, the worlds in which it is measured, and what is measured in them.
//! The worlds take the [`Way`](crate::peers::exchange::Way) that is measured, so that one function is both sides of a
//! comparison: the reference TCP under reno is what Trickles is held against. Curves that the paper draws and does not
//! put into words have no numbers here.

pub mod compare;
pub mod delta;
pub mod echo;
pub mod fig16;
pub mod fig17;
pub mod fig18;
pub mod fig19;
pub mod fig20;
pub mod fig21;
pub mod fig22;
pub mod fig23;
pub mod fig24;
pub mod fig25;
pub mod fig26;
pub mod fig27;
pub mod fig28;
pub mod fig29;
pub mod fig30;
mod fleets;
pub mod kills;
pub mod replay;
pub mod rolling;
pub mod sizes;
pub mod sprayed;
pub mod testbed;
pub(super) mod twins;
pub(super) mod visits;
