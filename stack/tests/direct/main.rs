//! Two hosts on a direct path, in virtual time.

mod apps;
mod attack;
mod movement;
mod setup;
mod swarm;
mod transfer;
mod world;
