//! Guests between hosts in virtual time. Each runs natively, but those that were
//! shipped: the sandbox has tests of its own.

mod bad;
mod dear;
mod faults;
mod hostile;
mod memory;
mod negotiation;
mod scarce;
mod shares;
mod shipped;
mod transfer;
mod world;
