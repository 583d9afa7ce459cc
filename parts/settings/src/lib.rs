//! Files that people write: scenarios, the tool's own configuration, policies. They are TOML, and read key by key: what
//! is wrong is told with its line, and with what should stand there.
//!
//! * [`Document`], [`Section`], [`Field`]: a file, its tables, their values.
//! * [`SettingsError`]: what is wrong, and where.
//! * [`nearest`]: the word that somebody probably meant.
//! * [`units`]: rates, times, sizes and shares as people write them.
#![forbid(unsafe_code)]

mod error;
mod nearest;
mod section;
pub mod units;

pub use error::{Fault, FaultLocation, SettingsError};
pub use nearest::nearest;
pub use section::{Document, Field, Result, Section, Source};
