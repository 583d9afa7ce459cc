//! Close codes (docs/wire.md, section 5).

pub(crate) const NO_ERROR: u64 = 0;
/// This host's fault, not the peer's.
pub(crate) const INTERNAL: u64 = 6;
/// Who may connect has changed, and the peer no longer may.
pub(crate) const UNWELCOME: u64 = 7;
/// Only the channel ends; its streams go on. No application's code: the largest that a varint holds.
pub(crate) const CHANNEL_ENDS: u64 = (1 << 62) - 1;
