//! Helped paths from end to end, in virtual time.

mod apps;
mod ending;
mod repair;
mod transfer;
mod world;
