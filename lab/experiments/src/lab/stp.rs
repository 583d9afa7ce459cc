//! The evaluation of STP: P. Patel and others, Upgrading Transport Protocols using Untrusted Mobile Code, SOSP 2003,
//! section 5; and what its policer is worth against those who cheat.
//!
//! A file for each figure or table. The same sources are measured in three ways, as the paper's columns are: natively
//! and unpoliced, natively behind border and policer, and as a module in the sandbox behind both.

pub mod cap;
pub mod catalogue;
pub mod ends;
pub mod fig2;
pub mod fig4;
pub mod fig5;
pub mod fig6;
pub mod fig7;
pub mod fig8;
pub mod gain;
pub mod police;
pub mod process;
pub mod set_up;
pub mod shipping;
pub mod spread;
pub mod table1;
pub mod table4;
pub mod table5;
pub mod table6;
pub mod table7;
pub mod table8;
pub mod testbed;
pub mod zoo;
