//! A token that lets somebody find a host, as the command line or the configuration names it.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use tng::help::Token;
use tng_crypto::Zeroizing;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::read_private;
use crate::talk::shown;

/// `@FILE`, the first line of a file; or the token itself.
#[derive(Clone)]
pub struct NamedToken(Zeroizing<String>);

impl fmt::Debug for NamedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NamedToken(..)")
    }
}

impl FromStr for NamedToken {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<NamedToken, Infallible> {
        Ok(NamedToken(Zeroizing::new(text.to_owned())))
    }
}

impl NamedToken {
    /// The token. One that stands on the command line itself is warned of.
    ///
    /// # Errors
    /// If there is none in the file, or others can read it.
    pub fn token(&self) -> Result<Token, Failure> {
        if self.file().is_none() {
            tracing::warn!("a token on the command line is seen by everybody who lists processes; say @FILE");
        }
        self.token_beside(Path::new(""))
    }

    /// The file in which it stands, as it is named, `@FILE`; nothing if it is the word itself.
    pub fn file(&self) -> Option<String> {
        self.0.starts_with('@').then(|| self.0.to_string())
    }

    /// The token that is named in a file in this folder.
    ///
    /// # Errors
    /// As [`token`](NamedToken::token).
    pub fn token_beside(&self, folder: &Path) -> Result<Token, Failure> {
        let Some(file) = self.0.strip_prefix('@') else {
            return Token::new(self.0.as_bytes()).map_err(|bad| Failure::told(Exit::Usage, "taking the token", bad));
        };
        let path = &folder.join(file);
        let what = || format!("reading the token in {}", shown(path));
        read_private(path, what, "token", |text| {
            let line = text.lines().next().unwrap_or_default().trim();
            Token::new(line).map_err(|bad| Failure::told(Exit::Read, what(), bad))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_a_word_or_the_first_line_of_a_file_that_nobody_else_reads() {
        let named = |text: &str| text.parse::<NamedToken>().expect("any text").token();
        assert_eq!(named("sesame").expect("a word").expose(), b"sesame");
        assert_eq!(named("").expect_err("nothing").exit, Exit::Usage);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let at = format!("@{}", path.display());
        fs::write(&path, "open sesame\nmore\n").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        assert_eq!(named(&at).expect("a line").expose(), b"open sesame");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(named(&at).expect_err("others read it").remedy, format!("chmod 600 {}", path.display()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        fs::write(&path, "\n").expect("written");
        assert_eq!(named(&at).expect_err("an empty line").exit, Exit::Read);
    }

    #[test]
    fn no_token_is_read_in_what_is_written_down_of_one() {
        let named: NamedToken = "sesame".parse().expect("any text");
        assert!(!format!("{named:?}").contains("sesame"));
    }
}
