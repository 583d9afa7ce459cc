//! Clients and servers in virtual time, over paths that delay, lose, reorder and repeat datagrams.

mod world;

mod congestion;
mod kills;
mod load;
mod losses;
mod objects;
mod overload;
mod plain;
mod servers;
