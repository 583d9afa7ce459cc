//! The reference TCP itself.

pub mod kernel;
pub mod mathis;
