//! Each continuation once (Trickles 2.2 and figure 4).
//!
//! * [`Serials`]: exact; a bit for each continuation that was given out.
//! * [`TwoFilters`]: the paper's two rotating Bloom filters, for fleets whose servers are many.
//! * [`Timeouts`]: what must happen once in a while, by connection.

mod bloom;
mod ring;
mod serials;
mod timeouts;

pub use bloom::{Bits, Bloom, BloomSize, TwoFilters};
pub use ring::Ring;
pub use serials::{ISSUERS_MAX, Issuer, Serials};
pub use timeouts::{SLOT, Timeouts};

/// Why something that is to happen once does not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Burnt {
    /// It has happened.
    #[error("it was spent before")]
    Spent,
    /// It is older than all that is remembered: it may have happened.
    #[error("it is older than what is remembered")]
    Forgotten,
    /// There is no room to remember more.
    #[error("there is no room to remember it")]
    Full,
}
