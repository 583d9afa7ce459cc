//! Helped paths from end to end, in virtual time.

mod apps;
mod ending;
mod transfer;
mod world;
