//! Guests between hosts in virtual time. Each runs natively: the sandbox has tests of its own.

mod bad;
mod faults;
mod hostile;
mod memory;
mod shares;
mod transfer;
mod world;
