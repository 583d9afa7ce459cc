//! Helped paths from end to end, in virtual time.

mod apps;
mod control;
mod ending;
mod failure;
mod fairness;
mod repair;
mod transfer;
mod tunnel;
mod world;
