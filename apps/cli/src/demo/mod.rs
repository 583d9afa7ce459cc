//! What the demonstration moves, and how it shows what came of it.

mod table;
mod tree;

pub use table::Table;
pub use tree::{FILES, SIZE_MIN, Sown, sow, wrong};
