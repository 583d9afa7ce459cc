//! Section 5 of the SST paper.

pub mod beside_kernel;
pub mod fig7;
pub mod fig8;
pub mod fig9;
pub mod friendliness;
mod shape;
pub mod table1;
pub mod table2;
pub mod validation;
