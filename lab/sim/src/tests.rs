//! The simulator's own behaviour.

mod basics;
mod faults;
mod live;
mod machine;
mod moves;
mod nat;
mod parties;
mod queueing;
mod records;
