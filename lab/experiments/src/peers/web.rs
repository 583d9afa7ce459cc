//! Web pages: of a model, or as somebody has recorded them.
//!
//! * [`Model`]: pages drawn by lot, by distributions that were measured and published.
//! * [`SpecWeb`]: sizes of files as SPECweb99 asks for them.
//! * [`read`]: an access log of a server in the common or combined format, or a HAR file that a browser has saved;
//!   which one, its first byte tells. [`from_log`] and [`from_har`] read the one and the other.
//!
//! The SST paper (5.5) used a trace whose requests were put together to pages by rules of its own. [`from_log`] has the
//! same rules.

mod har;
mod log;
mod model;
mod specweb;

pub use har::{ENTRIES_MAX, from_har};
pub use log::{HEADERS_TYPICAL, LINE_MAX, LINES_MAX, from_log};
pub use model::{Lognormal, Model, Pareto};
pub use specweb::SpecWeb;

use crate::peers::exchange::Page;

/// Largest file that is read, bytes.
pub const FILE_MAX: usize = 256 << 20;
/// Most requests of a page; what follows begins another.
pub const PAGE_REQUESTS_MAX: usize = 1_000;
/// Bytes of the largest answer; larger ones are cut.
pub const ANSWER_MAX: u64 = 1 << 30;

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visits {
    /// The pages, in the order of the file, those of a client together.
    pub pages: Vec<Page>,
    /// Lines or entries that were no request with an answer, or too many.
    pub skipped: usize,
}

/// Why a file holds no pages.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WebError {
    /// Nobody wants to read so much.
    #[error("the file has {0} bytes, and at most {FILE_MAX} are read; cut a piece of it out")]
    TooLarge(usize),
    /// There is no request in it.
    #[error("{0} lines, and none is a request of an access log in the common or combined format; another file?")]
    NoRequests(usize),
    /// It is no JSON, or not that of a HAR file.
    #[error("this is no HAR file: {0}; save one from a browser's network view")]
    NoHar(String),
    /// It has no entry with a request and a response.
    #[error("the HAR file has no request with an answer; record a visit before saving it")]
    NoEntries,
}

/// Reads an access log or a HAR file.
///
/// # Errors
/// See [`WebError`].
pub fn read(bytes: &[u8]) -> Result<Visits, WebError> {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(byte)) {
        Some(b'{') => from_har(bytes),
        _ => from_log(bytes),
    }
}

/// What some programs put before the first character.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
