//! Helped paths from end to end, in virtual time.

mod apps;
mod transfer;
mod world;
