//! Sections 5 to 7 of the Tng paper, and questions of our own about flows that helpers split.

pub mod ack_then_drop;
pub mod blocked;
pub mod bypass;
pub mod capacity;
pub mod carrier;
mod contenders;
mod dsl;
pub mod eight_channels;
pub mod false_bypass;
pub mod fig10;
pub mod fig11;
pub mod fig5;
pub mod fig6;
pub mod fig7;
pub mod five_helpers;
pub mod found;
pub mod in_path;
pub mod killed;
pub mod loops;
pub mod punch;
mod row;
pub mod satellite;
pub mod set_up;
pub mod table1;
pub mod tunnel;
pub mod vegas_domain;
