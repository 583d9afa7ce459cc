//! What of HTTP is read alike by who hands out files and by who asks for them (RFC 9110): paths of URLs, and ranges.
mod ranges;

pub use ranges::{Bytes, RangeField, Selected, select};

/// Ranges of one request that are answered one by one; who asks for more gets the whole.
pub const RANGES_MAX: usize = 16;

/// Why a text is no path of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("% is followed by two hexadecimal digits, and the whole is UTF-8")]
pub struct BadEscape;

/// Resolves `%xx`.
///
/// # Errors
/// [`BadEscape`].
pub fn unescape(path: &str) -> Result<String, BadEscape> {
    let (mut out, mut bytes) = (Vec::with_capacity(path.len()), path.bytes());
    while let Some(byte) = bytes.next() {
        let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or(BadEscape);
        out.push(if byte == b'%' { (digit()? << 4 | digit()?) as u8 } else { byte });
    }
    String::from_utf8(out).map_err(|_| BadEscape)
}
