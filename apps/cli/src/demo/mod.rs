//! What the demonstration shows of real transfers, and how it says so. What it measures in virtual time are experiments
//! of the lab.

mod claims;
mod fleet;
mod reach;
mod relays;
mod site;
mod transfer;
mod tree;
#[cfg(feature = "guests")]
mod upgrade;

pub use claims::{Part, tell_sum};
pub use fleet::{Survived, serve_tcp, survived};
pub use reach::{Reached, reached};
pub use relays::{Relayed, possible, relayed};
pub use transfer::{Leg, START_MAX, Transfers, transfers};
pub use tree::{FILES, SIZE_MIN, Sown, sow, wrong};
#[cfg(feature = "guests")]
pub use upgrade::{Upgraded, upgraded};
