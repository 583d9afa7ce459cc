//! The simulator's own behaviour.

mod basics;
mod faults;
mod machine;
mod moves;
mod parties;
mod queueing;
mod records;
