//! The file of a relay's secret, from which capabilities and resets follow. One line, readable by its owner alone.

use std::path::Path;

use tng::Secret32;
use tng_crypto::Zeroizing;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{read_private, write_new};

/// What the line begins with; 64 hexadecimal digits follow.
const PREFIX: &str = "tngrelay1";

/// The secret in a file, made now if there is none.
///
/// # Errors
/// If the file cannot be read, trusted, understood or made.
pub fn load_or_create(path: &Path) -> Result<Secret32, Failure> {
    if !path.exists() {
        let seed = tng::random_seed().map_err(|why| Failure::read("drawing random numbers", &why))?;
        let digits: Zeroizing<String> =
            Zeroizing::new(seed.expose().iter().map(|byte| format!("{byte:02x}")).collect());
        let line = Zeroizing::new(format!("{PREFIX}{}", *digits));
        match write_new(path, &line) {
            // Another process was faster; its file is as good.
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(Failure::write(format!("writing the relay's secret to {}", path.display()), &error));
            }
            _ => {}
        }
    }
    load(path)
}

/// The secret in a file.
///
/// # Errors
/// If it cannot be read, is open to others, or holds none.
pub fn load(path: &Path) -> Result<Secret32, Failure> {
    let what = || format!("reading the relay's secret in {}", path.display());
    let text = read_private(path, what, "relay-secret")?;
    parse(&text).ok_or_else(|| {
        Failure::new(Exit::Read, what(), format!("it is no line of {PREFIX} and 64 hexadecimal digits"))
            .or_try("the right file; or move it away for a new one, with which no capability is good any more")
    })
}

fn parse(text: &str) -> Option<Secret32> {
    let digits = text.trim().strip_prefix(PREFIX)?;
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = Zeroizing::new([0; 32]);
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Secret32::from_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_made_once_for_its_owner_alone_and_the_same_from_then_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("relay-secret");
        let first = load_or_create(&path).expect("made");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(load_or_create(&path).expect("read").expose(), first.expose());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(load(&path).expect_err("others can read it").remedy, format!("chmod 600 {}", path.display()));
    }

    #[test]
    fn what_is_no_secret_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("relay-secret");
        for text in ["", "tngrelay1", "tngrelay1zz", &format!("tngrelay1{}", "g".repeat(64)), &"a".repeat(73)] {
            fs::write(&path, text).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
            assert_eq!(load_or_create(&path).expect_err(text).exit, Exit::Read);
            assert_eq!(fs::read_to_string(&path).expect("there"), text);
        }
    }
}
