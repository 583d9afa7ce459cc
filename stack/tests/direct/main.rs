//! Two hosts on a direct path, in virtual time.

mod apps;
mod attack;
mod besieged;
mod budget;
mod controllers;
mod copies;
mod crowded;
mod exchanges;
mod forged;
mod hostile;
mod movement;
mod sessions;
mod setup;
mod shares;
mod siblings;
mod silent;
mod streams;
mod transfer;
mod unreachable;
mod waits;
mod world;
