//! Bytes as hexadecimal digits.

use std::fmt::Write;

use tng_crypto::Zeroizing;

/// The digits of bytes, in small letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    push_hex(bytes, &mut digits);
    digits
}

/// The same, put behind a text: if that has room for them, nothing of them stays elsewhere in memory.
pub(crate) fn push_hex(bytes: &[u8], text: &mut String) {
    // Writing to a String does not fail.
    bytes.iter().for_each(|byte| _ = write!(text, "{byte:02x}"));
}

/// Reads so many hexadecimal digits.
pub(crate) fn unhex<const N: usize>(digits: &str) -> Option<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    let are_digits = digits.len() == 2 * N && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| are_digits) {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    are_digits.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_as_they_are_written() {
        let bytes: [u8; 16] = core::array::from_fn(|at| at as u8 * 17);
        assert_eq!(hex(&bytes), "00112233445566778899aabbccddeeff");
        assert_eq!(unhex(&hex(&bytes)).as_deref(), Some(&bytes));
        assert_eq!(unhex(&hex(&bytes).to_uppercase()).as_deref(), Some(&bytes));
        assert!(unhex::<16>(&hex(&bytes)[1..]).is_none() && unhex::<15>(&hex(&bytes)).is_none());
    }
}
