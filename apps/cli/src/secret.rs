//! Files of one secret: a line that begins with a word of its kind and goes on with 64 hexadecimal digits, readable by
//! its owner alone.

use std::path::Path;

use tng_crypto::{Secret32, Zeroizing};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::{push_hex, unhex};
use crate::key::{read_private, write_new};
use crate::talk::shown;

/// A kind of such files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretFile {
    /// What the secret is called: "the relay's secret".
    pub(crate) what: &'static str,
    /// What the line begins with, up to the digits.
    pub(crate) prefix: &'static str,
    /// What such a file is called, unless it is named.
    pub(crate) name: &'static str,
    /// What to try with one that holds something else.
    pub(crate) remedy: &'static str,
}

impl SecretFile {
    /// The secret in a file, drawn now if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, trusted, understood or made.
    pub(crate) fn load_or_create(&self, path: &Path) -> Result<Secret32, Failure> {
        if !path.exists() {
            let seed = tng::random_seed().map_err(|error| Failure::read("drawing random numbers", &error))?;
            // It grows no more: nothing of it stays elsewhere in memory.
            let mut line = Zeroizing::new(String::with_capacity(self.prefix.len() + 64));
            line.push_str(self.prefix);
            push_hex(seed.expose(), &mut line);
            match write_new(path, &line) {
                // Another process was faster; its file is as good.
                Err(_) if path.exists() => {}
                written => written.map_err(|error| Failure::write(self.doing("writing", path), &error))?,
            }
        }
        self.load(path)
    }

    /// The secret in a file.
    ///
    /// # Errors
    /// If it cannot be read, is open to others, or holds none.
    pub(crate) fn load(&self, path: &Path) -> Result<Secret32, Failure> {
        let what = || self.doing("reading", path);
        read_private(path, what, self.name, |text| {
            let secret = text.trim().strip_prefix(self.prefix).and_then(unhex);
            secret.map(|bytes| Secret32::from_bytes(*bytes)).ok_or_else(|| {
                let why = format!("it is no line of {} and 64 hexadecimal digits", self.prefix.trim_end());
                Failure::new(Exit::Read, what(), why).or_try(self.remedy)
            })
        })
    }

    fn doing(&self, doing: &str, path: &Path) -> String {
        format!("{doing} {} in {}", self.what, shown(path))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const FILE: SecretFile =
        SecretFile { what: "a test's secret", prefix: "tngtest1 ", name: "secret", remedy: "the right file" };

    #[test]
    fn a_secret_is_made_once_for_its_owner_alone_and_the_same_from_then_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let first = FILE.load_or_create(&path).expect("made");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(FILE.load_or_create(&path).expect("read").expose(), first.expose());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(FILE.load(&path).expect_err("others can read it").remedy, format!("chmod 600 {}", path.display()));
    }

    #[test]
    fn what_is_no_secret_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let digits = "0".repeat(64);
        let bad = |text: &str| {
            fs::write(&path, text).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
            let failure = FILE.load_or_create(&path).expect_err(text);
            assert_eq!((failure.exit, &*failure.remedy), (Exit::Read, FILE.remedy), "{text}");
            assert_eq!(fs::read_to_string(&path).expect("there"), text);
        };
        ["", "tngtest1 ", "tngtest1 zz", &format!("tngtest1{digits}"), &"a".repeat(73)].into_iter().for_each(bad);
        for other in ["g", "+f", "é"] {
            let len = other.len();
            bad(&format!("tngtest1 {other}{}", &digits[len..]));
        }
        fs::write(&path, format!("tngtest1 {digits}\n")).expect("written");
        assert_eq!(FILE.load(&path).expect("control").expose(), &[0; 32]);
    }
}
