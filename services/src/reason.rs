//! What one side tells the people on the other.

/// Longest reason that a service gives, in bytes.
pub const REASON_MAX: usize = 255;
