//! Each continuation once (Trickles 2.2 and figure 4).
//!
//! * [`Replay`]: either of these.
//! * [`Serials`]: exact; a bit for each continuation that was given out.
//! * [`TwoFilters`]: the paper's two rotating Bloom filters, for fleets whose servers are many.
//! * [`Objects`]: how often an expensive object is computed for one connection.
//! * [`Timeouts`]: what must happen once in a while, by connection.
//! * [`Stories`]: what a client has told of a line that had a loss.

mod bloom;
mod filter;
mod fingerprints;
mod handed;
mod objects;
mod ring;
mod serials;
mod stories;
mod timeouts;

pub use bloom::{Bits, Bloom, BloomSize, BloomSizeError, ENTRIES_MAX, HASHES_MAX, TwoFilters};
pub use filter::Replay;
pub use fingerprints::FINGERPRINTS_MAX;
pub use handed::HandedError;
pub use objects::{OBJECTS_REMEMBERED, Objects, RETRIES_DEFAULT, RETRIES_MAX};
pub use ring::{RING_SERIALS_MAX, Ring};
pub use serials::{ISSUERS_MAX, Serials};
pub use stories::{STORIES_REMEMBERED, Stories, StoryError};
pub use timeouts::Timeouts;

pub use crate::continuation::Issuer;
pub use crate::foresee::{SLOT, TIMEOUT_COUNT_MAX};

/// Has the system give all the memory of a table, which else it gives page by page as each is written to first.
fn prefault<T: Copy>(table: &mut [T]) {
    /// Bytes of a page, or fewer.
    const PAGE: usize = 4_096;
    for entry in table.iter_mut().step_by((PAGE / size_of::<T>()).max(1)) {
        *entry = core::hint::black_box(*entry);
    }
}

#[cfg(test)]
mod tests;

/// Why something that is to happen once does not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Burnt {
    /// It has happened.
    #[error("it was spent before")]
    Spent,
    /// It is older than all that is remembered: it may have happened.
    #[error("it is older than what is remembered")]
    Forgotten,
    /// It is asked for more often than is granted in its time.
    #[error("it is asked for too often: wait for the next slot")]
    TooOften,
    /// There is no room to remember more.
    #[error("there is no room to remember it")]
    Full,
}
