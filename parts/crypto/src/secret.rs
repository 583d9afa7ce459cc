//! Values that must not leak.

use core::fmt;

use zeroize::Zeroize;

/// Thirty-two secret bytes. Wiped when dropped, never printed, never copied silently, compared only in constant time.
pub struct Secret32([u8; 32]);

impl Secret32 {
    /// Takes `bytes` in; the caller's copy is the caller's to wipe.
    pub const fn from_bytes(bytes: [u8; 32]) -> Secret32 {
        Secret32(bytes)
    }

    /// The bytes, for handing to another primitive.
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// A second copy, on purpose.
    pub const fn duplicate(&self) -> Secret32 {
        Secret32(self.0)
    }

    pub(crate) const fn expose_mut(&mut self) -> &mut [u8; 32] {
        &mut self.0
    }
}

impl From<[u8; 32]> for Secret32 {
    fn from(bytes: [u8; 32]) -> Secret32 {
        Secret32(bytes)
    }
}

impl Drop for Secret32 {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret32(..)")
    }
}
