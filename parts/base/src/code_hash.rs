//! The name of transport code.

use core::fmt;
use core::str::FromStr;

/// Bytes of a [`CodeHash`].
pub const CODE_HASH_LEN: usize = 32;

/// What transport code is known by: the BLAKE3 hash of a module's bytes (STP 3.3.1 names protocols by hash). It is
/// written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeHash([u8; CODE_HASH_LEN]);

/// A text is no hash of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoCodeHash;

impl fmt::Display for NoCodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no hash of code: it has 64 hexadecimal digits")
    }
}

impl core::error::Error for NoCodeHash {}

impl CodeHash {
    /// A hash that was computed, or read.
    pub const fn from_bytes(bytes: [u8; CODE_HASH_LEN]) -> CodeHash {
        CodeHash(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; CODE_HASH_LEN] {
        &self.0
    }

    /// The first 12 digits, for people.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

impl fmt::Display for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodeHash({self})")
    }
}

impl FromStr for CodeHash {
    type Err = NoCodeHash;

    fn from_str(text: &str) -> Result<CodeHash, NoCodeHash> {
        let digits = text.as_bytes();
        if digits.len() != 2 * CODE_HASH_LEN {
            return Err(NoCodeHash);
        }
        let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
        let mut bytes = [0; CODE_HASH_LEN];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (high, low) = (value(pair[0]).ok_or(NoCodeHash)?, value(pair[1]).ok_or(NoCodeHash)?);
            *byte = high << 4 | low;
        }
        Ok(CodeHash(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written_and_nothing_else_is() {
        let bytes = core::array::from_fn(|at| u8::try_from(at * 7).expect("below 256"));
        let hash = CodeHash::from_bytes(bytes);
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_string().to_uppercase().parse(), Ok(hash));
        assert_eq!(hash.short(), &hash.to_string()[..12]);
        for text in ["", &hash.to_string()[1..], &format!("{hash}0"), &format!("g{}", &hash.to_string()[1..])] {
            assert_eq!(text.parse::<CodeHash>(), Err(NoCodeHash), "{text}");
        }
        assert_eq!("é".repeat(32).parse::<CodeHash>(), Err(NoCodeHash));
    }
}
