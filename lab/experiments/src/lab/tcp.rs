//! The reference TCP itself.

pub mod mathis;
