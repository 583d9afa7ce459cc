//! How long a stateless reset is: it looks like a packet of the channel that it ends (docs/wire.md section 3.3).

/// Bytes of a token.
pub const RESET_TOKEN_LEN: usize = 16;

/// Shortest reset: first byte, 6 random bytes, token. One byte less than the shortest packet that asks for an
/// acknowledgment, so that a keep-alive finds out that its channel is forgotten.
pub const RESET_LEN_MIN: usize = 1 + 6 + RESET_TOKEN_LEN;

/// Longest reset.
pub const RESET_LEN_MAX: usize = 43;

/// Bytes of the reset that answers a packet of `answered_len` bytes; `None` if that was so short that it may itself
/// have been a reset. Beyond the shortest it is half as long as what it answers, so that two hosts that both forgot
/// stop after a handful.
pub fn reset_len(answered_len: usize) -> Option<usize> {
    let spare = answered_len.checked_sub(RESET_LEN_MIN).filter(|spare| *spare > 0)?;
    Some((RESET_LEN_MIN + spare / 2).min(RESET_LEN_MAX))
}
