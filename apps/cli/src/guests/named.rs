//! Code that is here, by what its user calls it: its hash, the beginning of its hash, or its name.

use tng::CodeHash;
use tng::stp::manager::{Choice, Knowledge, Policy};

/// Digits of a hash that are enough to name code that is here.
pub const SHORT_HASH_MIN: usize = 8;

/// Which code counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// All that is here.
    All,
    /// What carries a stream.
    Transports,
    /// What regulates.
    Controllers,
}

/// Why a text does not name code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotNamed {
    /// Caller: none that is here is called so.
    Nothing,
    /// Caller: the hashes of several begin like this.
    Several,
}

/// The code that a text names. A name goes before the beginning of a hash: somebody vouches for a name, and code can be
/// tried until its hash begins like one.
///
/// # Errors
/// See [`NotNamed`].
pub fn find(policy: &Policy, known: &Knowledge, text: &str, among: Among) -> Result<CodeHash, NotNamed> {
    let all: Vec<CodeHash> = match among {
        Among::All => known.all().map(|(hash, _)| hash).collect(),
        Among::Transports => known.transports(),
        Among::Controllers => known.controllers(),
    };
    let chosen = text.parse().ok().and_then(|choice: Choice| known.chosen(policy, &choice));
    if let Some(hash) = chosen.filter(|hash| all.contains(hash)) {
        return Ok(hash);
    }
    if text.len() < SHORT_HASH_MIN {
        return Err(NotNamed::Nothing);
    }
    let begins = text.to_ascii_lowercase();
    let mut found = all.into_iter().filter(|hash| hash.to_string().starts_with(&begins));
    match (found.next(), found.next()) {
        (None, _) => Err(NotNamed::Nothing),
        (Some(hash), None) => Ok(hash),
        (Some(_), Some(_)) => Err(NotNamed::Several),
    }
}

#[cfg(test)]
mod tests {
    use tng::stp::Kind;
    use tng::stp::manager::BuiltIn;

    use super::*;

    /// A hash that begins with these four bytes.
    fn hash(first: [u8; 4], last: u8) -> CodeHash {
        let mut bytes = [last; 32];
        bytes[..4].copy_from_slice(&first);
        CodeHash::from_bytes(bytes)
    }

    fn known() -> Knowledge {
        let guest = |name: &str, hash, kind| BuiltIn { name: name.to_owned(), hash, kind, bytes: &[] };
        let built_in = vec![
            guest("sack", hash([0xa1, 0xb2, 0xc3, 0xd4], 1), Kind::Transport),
            guest("rap", hash([0xa1, 0xb2, 0xc3, 0xd4], 2), Kind::Transport),
            guest("flood", hash([0xf1, 0x00, 0x0d, 0x00], 5), Kind::Messages),
            guest("cubic", hash([0xde, 0xad, 0xbe, 0xef], 3), Kind::Controller),
            guest("deadbeef", hash([0xff, 0xff, 0xff, 0xff], 4), Kind::Transport),
        ];
        Knowledge { built_in, ..Knowledge::default() }
    }

    fn named(text: &str, among: Among) -> Result<CodeHash, NotNamed> {
        find(&Policy::default(), &known(), text, among)
    }

    #[test]
    fn code_is_found_by_its_name_its_hash_and_eight_digits_that_only_it_begins_with() {
        let sack = hash([0xa1, 0xb2, 0xc3, 0xd4], 1);
        for among in [Among::All, Among::Transports] {
            for text in ["sack", &sack.to_string(), "a1b2c3d401", "A1B2C3D401"] {
                assert_eq!(named(text, among), Ok(sack), "{text}");
            }
            assert_eq!(named("a1b2c3d4", among), Err(NotNamed::Several));
            assert_eq!(named("ffffffff", among), Ok(hash([0xff; 4], 4)));
            for text in ["", "fffffff", "fffffffff0", "reno", &hash([0; 4], 9).to_string()] {
                assert_eq!(named(text, among), Err(NotNamed::Nothing), "{text}");
            }
        }
    }

    #[test]
    fn what_carries_nothing_is_no_transport_by_whatever_it_is_called() {
        let cubic = hash([0xde, 0xad, 0xbe, 0xef], 3);
        for text in ["cubic", "deadbeef03", &cubic.to_string()] {
            assert_eq!(named(text, Among::Transports), Err(NotNamed::Nothing), "{text}");
            assert_eq!(named(text, Among::All), Ok(cubic), "control: {text}");
            assert_eq!(named(text, Among::Controllers), Ok(cubic), "{text}");
        }
        assert_eq!(named("flood", Among::Transports), Err(NotNamed::Nothing), "nor is what carries messages");
        assert_eq!(named("flood", Among::All), Ok(hash([0xf1, 0x00, 0x0d, 0x00], 5)), "control");
        assert_eq!(named("sack", Among::Controllers), Err(NotNamed::Nothing), "nor does what carries regulate");
    }

    #[test]
    fn a_name_that_looks_like_the_beginning_of_a_hash_is_a_name() {
        assert_eq!(named("deadbeef", Among::All), Ok(hash([0xff; 4], 4)));
        assert_eq!(named("deadbeef0", Among::All), Ok(hash([0xde, 0xad, 0xbe, 0xef], 3)), "control");
    }
}
