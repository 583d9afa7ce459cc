//! The simulator's own behaviour.

mod basics;
mod parties;
mod queueing;
