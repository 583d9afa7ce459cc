//! Questions of our own.

pub mod bbr;
pub mod datagrams;
pub mod forget;
pub mod handover;
pub mod head_of_line;
pub mod kernel;
pub mod kernel_bbr;
pub mod many_streams;
pub mod movement;
pub mod multihoming;
pub mod offline;
pub mod quic;
pub mod sim_speed;
pub mod traces;
