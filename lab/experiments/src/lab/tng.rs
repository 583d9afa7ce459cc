//! Sections 5 and 6 of the Tng paper.

mod contenders;
mod dsl;
pub mod fig5;
pub mod fig6;
pub mod fig7;
