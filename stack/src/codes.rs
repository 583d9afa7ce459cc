//! Close codes (docs/wire.md, section 5).

pub(crate) const PROTOCOL_VIOLATION: u64 = 1;
