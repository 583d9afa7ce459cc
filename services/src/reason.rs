//! What one side tells the people on the other.

/// Longest reason that a service gives, in bytes.
pub const REASON_MAX: usize = 255;

/// `text`, printable and cut to [`REASON_MAX`] bytes.
pub(crate) fn printable(text: &str) -> String {
    let mut reason = text.replace(char::is_control, "?");
    reason.truncate(reason.floor_char_boundary(REASON_MAX));
    reason
}
