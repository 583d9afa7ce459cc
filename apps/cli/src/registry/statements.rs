//! What a host says of its key, as a line of text: that another takes its place, or that it is lost.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use tng::registry::{Statement, Succession, Word};
use tng_isolation::Identity;
use tng_wire::{Reader, Repr};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hex::{hex, unhex};
use crate::key;

/// What stands before the digits.
const PREFIX: &str = "tngsays1";
/// Bytes of a file with such a line that are read, at most.
pub const STATEMENT_FILE_MAX: u64 = 1_024;

fn now_s() -> u64 {
    clock::since_1970().as_secs()
}

/// A statement as text.
pub fn to_text(statement: &Statement) -> String {
    format!("{PREFIX}{}", hex(&statement.to_vec()))
}

/// The statement in a text. Anybody may have signed it.
pub fn parse(text: &str) -> Option<Statement> {
    let digits = text.trim().strip_prefix(PREFIX)?;
    let byte = |at: usize| digits.get(at..at + 2).and_then(unhex::<1>).map(|byte| byte[0]);
    let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    let mut reader = Reader::new(&bytes);
    Statement::parse(&mut reader).ok().filter(|_| reader.is_empty())
}

/// Reads one from a file.
///
/// # Errors
/// If there is none.
pub fn read(path: &Path) -> Result<Statement, Failure> {
    let what = || format!("reading {}", path.display());
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(STATEMENT_FILE_MAX).read_to_string(&mut text));
    read.map_err(|error| Failure::read(what(), &error))?;
    parse(&text).ok_or_else(|| {
        Failure::new(Exit::Read, what(), "it holds nothing that a host says of its key")
            .or_try("the file that `tng id rotate` made, or what `tng id revocation` printed")
    })
}

/// That a key is not to be believed any more, to be kept until it is lost.
pub fn revocation(identity: &Identity) -> Statement {
    Statement::new(identity, Word::Revoked { made_s: now_s() })
}

/// A key that was replaced.
#[derive(Debug)]
pub struct Rotated {
    /// Who the host is from now on.
    pub heir: Identity,
    /// The old key's file.
    pub kept: PathBuf,
    /// The file of the statement that says so.
    pub said: PathBuf,
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Puts a new key in the place of the old one, which is kept beside, and writes down what both have signed of it. The
/// new key has a file of its own until the last step, so that nothing names an heir whose key is nowhere, and what has
/// failed in between goes on with the same one.
///
/// # Errors
/// If there is no old key, or a file cannot be written.
pub fn rotate(path: &Path) -> Result<Rotated, Failure> {
    let old = key::load(path)?;
    let failed = |path: &Path, error: &io::Error| Failure::write(format!("writing {}", path.display()), error);
    let name = old.eid().to_string();
    let file = |what: &str| beside(path, &format!(".{}.{what}", &name[..8]));
    let (next, kept, said) = (file("heir"), file("old"), file("succession"));
    let heir = if next.exists() { key::load(&next)? } else { key::create(&next)? };
    let is_said = |statement: Statement| statement.eid == old.eid() && statement.word.heir() == Some(heir.eid());
    if !read(&said).is_ok_and(is_said) {
        let statement = Statement::new(&old, Word::Succeeded(Succession::new(old.eid(), &heir, now_s())));
        key::write_over(&said, &to_text(&statement)).map_err(|error| failed(&said, &error))?;
    }
    match fs::hard_link(path, &kept) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_kept = key::load(&kept)?.eid() == old.eid();
            is_kept.then_some(()).ok_or_else(|| failed(&kept, &error))?;
        }
        linked => linked.map_err(|error| failed(&kept, &error))?,
    }
    fs::rename(&next, path).map_err(|error| failed(path, &error))?;
    Ok(Rotated { heir, kept, said })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_replaced_by_one_that_both_have_signed_for_and_the_old_one_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("identity");
        let old = key::create(&path).expect("made");
        let rotated = rotate(&path).expect("replaced");
        assert_eq!(key::load(&path).expect("there").eid(), rotated.heir.eid());
        assert_eq!(key::load(&rotated.kept).expect("kept").eid(), old.eid());
        let statement = read(&rotated.said).expect("written");
        assert_eq!(statement.check(old.eid(), now_s()), Ok(()));
        assert!(matches!(&statement.word, Word::Succeeded(said) if said.heir == rotated.heir.eid()));
    }

    #[test]
    fn what_has_failed_before_its_last_step_goes_on_with_the_same_heir_and_what_was_said_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("identity");
        let old = key::create(&path).expect("made");
        let file = |what: &str| beside(&path, &format!(".{}.{what}", &old.eid().to_string()[..8]));
        let heir = key::create(&file("heir")).expect("made");
        let statement = Statement::new(&old, Word::Succeeded(Succession::new(old.eid(), &heir, 7)));
        key::write_over(&file("succession"), &to_text(&statement)).expect("written");
        fs::hard_link(&path, file("old")).expect("kept");
        let rotated = rotate(&path).expect("it goes on");
        assert_eq!((rotated.heir.eid(), key::load(&path).expect("there").eid()), (heir.eid(), heir.eid()));
        assert_eq!(read(&rotated.said).expect("written"), statement, "it may have been published");
        assert!(!file("heir").exists());
    }

    #[test]
    fn a_line_that_is_cut_or_longer_is_no_statement() {
        let statement = revocation(&Identity::from_seed([7; 32]));
        let text = to_text(&statement);
        assert_eq!(parse(&format!("{text}\n")), Some(statement));
        for wrong in [&text[1..], &text[..text.len() - 1], &text[..text.len() - 2], &format!("{text}00"), "", PREFIX] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
