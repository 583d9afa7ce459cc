//! What the demonstration shows: transfers, and claims of the papers measured in virtual time.

mod chart;
mod curve;
mod head_of_line;
mod lab;
mod movement;
mod part;
mod priorities;
mod table;
mod transfer;
mod tree;

pub use chart::{Chart, WIDTH};
pub use curve::Curve;
pub use head_of_line::head_of_line;
pub use movement::movement;
pub use part::Part;
pub use priorities::priorities;
pub use table::Table;
pub use transfer::{Leg, START_MAX, Transfers, transfers};
pub use tree::{FILES, SIZE_MIN, Sown, sow, wrong};
