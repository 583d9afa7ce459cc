//! What shows that somebody is a client whose EID the helper's operator does not know.

use core::fmt;

use tng_crypto::{Zeroizing, equal};

use super::TOKEN_MAX;

/// A secret of 1 to [`TOKEN_MAX`] bytes that an operator gives to clients. Wiped when dropped, never printed, compared
/// in constant time.
#[derive(Clone)]
pub struct Token(Zeroizing<Vec<u8>>);

/// These bytes are no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a token has 1 to {TOKEN_MAX} bytes; take the one that you were given, as it is")]
pub struct BadToken;

impl Token {
    /// The token with a copy of these bytes: the caller wipes its own.
    ///
    /// # Errors
    /// If there are none, or more than [`TOKEN_MAX`].
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Token, BadToken> {
        let bytes = bytes.as_ref();
        let fits = (1..=TOKEN_MAX).contains(&bytes.len());
        fits.then(|| Token(Zeroizing::new(bytes.to_vec()))).ok_or(BadToken)
    }

    /// The bytes, for the message that shows it.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        equal(&self.0, &other.0)
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
