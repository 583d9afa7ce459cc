//! The pipe service: bytes both ways, whatever they are.

/// The service's name.
pub const SERVICE: &str = "pipe";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-pipe/1";
