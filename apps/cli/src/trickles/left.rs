//! What a server leaves in a folder for the next one (docs/wire.md section 11): which edition of its fleet's keys it
//! went by, and what is spent.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tng_base::Eid;
use tng_wire::{Malformed, Reader};

use super::keys::{Edition, wall};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{folder_of, make_private_folder, write_over};
use crate::talk::shown;

/// Longest file of what is spent that is read, in bytes: the rings of 64 servers take 64 MiB.
pub const LEFT_LEN_MAX: u64 = 128 << 20;

/// How long a server waits for the one before it to leave its folder.
pub const LEFT_WAIT_MAX: Duration = Duration::from_secs(10);

/// What the file of what is spent begins with, its version behind it.
const MAGIC: &[u8; 9] = b"tngspent\x01";
/// What the file of the edition begins with.
const PREFIX: &str = "tngedition1 ";
/// Bytes of the hash at the end.
const HASH_LEN: usize = 32;

/// The folder. Nobody else has it.
#[derive(Debug)]
pub struct Left {
    folder: PathBuf,
    /// Held for as long as the server runs.
    _lock: File,
}

/// Whose what is spent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whose {
    /// The server.
    pub eid: Eid,
    /// Its fleet.
    pub fleet: [u8; 8],
}

/// What the server before has left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spent {
    /// What is spent, by thread.
    Known(Vec<Vec<u8>>),
    /// Nothing: it has left in a hurry, or there was none.
    Nothing,
    /// Something that is of no use, and why.
    Useless(Failure),
}

impl Left {
    /// The folder at `path`, which is made if it is not there, in a folder that is. Waits for who has it.
    ///
    /// # Errors
    /// If it is not to be had, or another server stays in it.
    pub fn open(path: &Path) -> Result<Left, Failure> {
        let what = || format!("opening the state in {}", shown(path));
        if !folder_of(path).is_dir() {
            let why = format!("there is no folder {}", shown(folder_of(path)));
            return Err(Failure::usage(what(), why).or_try("its right path, or make that folder"));
        }
        let failed = |error: io::Error| Failure::write(what(), &error);
        make_private_folder(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600).open(path.join("lock"));
        let lock = lock.map_err(failed)?;
        let began = clock::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Left { folder: path.to_owned(), _lock: lock }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if began.elapsed() < LEFT_WAIT_MAX => {
                    clock::rest(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Failure::new(Exit::Busy, what(), "another server uses it, and does not end")
                        .or_try("a folder of its own for each server, with --state DIR or `state`"));
                }
            }
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn spent(&self) -> PathBuf {
        self.folder.join("spent")
    }

    fn edition(&self) -> PathBuf {
        self.folder.join("edition")
    }

    /// Which edition of its fleet's keys the server went by that was here last.
    ///
    /// # Errors
    /// If that was noted and cannot be read.
    pub fn seen(&self) -> Result<Option<Edition>, Failure> {
        let (path, what) = (self.edition(), "reading which keys this server went by");
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Failure::read(what, &error))?,
        };
        match text.trim_end().strip_prefix(PREFIX).and_then(Edition::parse) {
            Some(edition) => Ok(Some(edition)),
            None => Err(Failure::new(Exit::Read, what, format!("{} is damaged", shown(&path)))
                .or_try("remove it, if the keys are those of the fleet")),
        }
    }

    /// Notes which it goes by now.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn note(&self, edition: Edition) -> Result<(), Failure> {
        write_over(&self.edition(), &format!("{PREFIX}{edition}"))
            .map_err(|error| Failure::write("noting which keys this server goes by", &error))
    }

    /// What the server before has left, and nobody after this finds any more: what is spent from now on it does not
    /// say.
    pub fn take(&self, whose: Whose) -> Spent {
        let (path, what) = (self.spent(), || format!("taking over what is spent from {}", shown(&self.spent())));
        let useless = |why: &str, remedy: &str| Spent::Useless(Failure::new(Exit::Read, what(), why).or_try(remedy));
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(LEFT_LEN_MAX + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Spent::Nothing,
            Err(error) => return Spent::Useless(Failure::read(what(), &error)),
            Ok(_) => {}
        }
        if let Err(error) = fs::remove_file(&path).and_then(|()| self.settle()) {
            // Who finds it again would take for unspent what is spent until then.
            return Spent::Useless(Failure::write(format!("removing {}", shown(&path)), &error));
        }
        match parse(&bytes) {
            Err(Malformed) => useless("it is damaged, or cut short", ""),
            Ok((of, _, _)) if of.eid != whose.eid => {
                useless("it is of another server", "a folder of its own for each server")
            }
            Ok((of, _, _)) if of.fleet != whose.fleet => useless("it is of another fleet", ""),
            Ok((_, written_ms, _)) if written_ms > wall().as_millis() => {
                useless("it is of a time to come", "set the clock")
            }
            Ok((_, _, parts)) => Spent::Known(parts),
        }
    }

    /// Leaves what is spent, by thread, for the next. Answers how many bytes that is.
    ///
    /// # Errors
    /// If it cannot be written: the next begins as after a crash.
    pub fn leave(&self, whose: Whose, parts: &[Vec<u8>]) -> Result<u64, Failure> {
        let bytes = text(whose, wall().as_millis(), parts);
        let (path, beside) = (self.spent(), self.folder.join("spent.new"));
        let written = || {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&beside, &path)?;
            self.settle()
        };
        written().map_err(|error| Failure::write(format!("leaving what is spent in {}", shown(&path)), &error))?;
        Ok(bytes.len() as u64)
    }

    /// Has what was renamed and removed reach the disk.
    fn settle(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

fn text(whose: Whose, written_ms: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(whose.eid.as_bytes());
    bytes.extend_from_slice(&whose.fleet);
    bytes.extend_from_slice(&written_ms.to_be_bytes());
    bytes.push(parts.len() as u8);
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u32).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// Whose it is, when it was written, in ms since 1970, and what is spent by thread.
fn parse(bytes: &[u8]) -> Result<(Whose, u64, Vec<Vec<u8>>), Malformed> {
    let (said, hash) = bytes.split_at_checked(bytes.len().saturating_sub(HASH_LEN)).ok_or(Malformed)?;
    if blake3::hash(said).as_bytes() != hash {
        return Err(Malformed);
    }
    let mut reader = Reader::new(said);
    if reader.bytes(MAGIC.len())? != MAGIC {
        return Err(Malformed);
    }
    let whose = Whose { eid: Eid::from_bytes(reader.array()?), fleet: reader.array()? };
    let (written_ms, count) = (reader.u64()?, reader.u8()?);
    let mut parts = Vec::new();
    for _ in 0..count {
        let len = reader.u32()? as usize;
        parts.push(reader.bytes(len)?.to_vec());
    }
    if reader.rest().is_empty() { Ok((whose, written_ms, parts)) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn whose() -> Whose {
        Whose { eid: Eid::from_bytes([3; 32]), fleet: [4; 8] }
    }

    fn left() -> (tempfile::TempDir, Left) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let left = Left::open(&folder.path().join("state")).expect("made");
        (folder, left)
    }

    #[test]
    fn what_is_left_is_found_once_whole_and_by_nobody_else() {
        let (_folder, left) = left();
        assert_eq!(left.take(whose()), Spent::Nothing);
        let parts = vec![vec![1; 100_000], vec![], vec![2; 7]];
        left.leave(whose(), &parts).expect("left");
        assert_eq!(fs::metadata(left.spent()).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(left.folder()).expect("there").permissions().mode() & 0o777, 0o700);
        assert_eq!(left.take(whose()), Spent::Known(parts));
        assert_eq!(left.take(whose()), Spent::Nothing, "it says nothing of what is spent from now on");
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_told_as_that() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("state"), "a file").expect("written");
        let failure = Left::open(&folder.path().join("state")).expect_err("no folder");
        assert!(failure.why == "not a directory" && failure.remedy.starts_with("name a folder"), "{failure}");
    }

    #[test]
    fn what_is_cut_short_damaged_or_somebody_else_s_is_told_by_name_and_gone() {
        let (_folder, left) = left();
        let parts = [vec![1; 300]];
        let whole = text(whose(), 1, &parts);
        let why = |bytes: &[u8]| {
            fs::write(left.spent(), bytes).expect("written");
            let Spent::Useless(failure) = left.take(whose()) else { panic!("{} bytes are taken", bytes.len()) };
            assert!(!left.spent().exists());
            failure.why
        };
        for cut in 0..whole.len() {
            assert_eq!(why(&whole[..cut]), "it is damaged, or cut short");
            let mut changed = whole.clone();
            changed[cut] ^= 1;
            assert_eq!(why(&changed), "it is damaged, or cut short", "{cut}");
        }
        let eid = Eid::from_bytes([5; 32]);
        assert_eq!(why(&text(Whose { eid, ..whose() }, 1, &parts)), "it is of another server");
        assert_eq!(why(&text(Whose { fleet: [5; 8], ..whose() }, 1, &parts)), "it is of another fleet");
        assert_eq!(why(&text(whose(), u64::MAX, &parts)), "it is of a time to come");
        fs::write(left.spent(), &whole).expect("written");
        assert_eq!(left.take(whose()), Spent::Known(parts.to_vec()), "control");
    }

    #[test]
    fn a_second_server_waits_for_the_first_to_leave_and_an_edition_is_remembered() {
        let (folder, left) = left();
        assert_eq!(left.seen().expect("nothing"), None);
        let edition = Edition { fleet: [1; 8], rotations: 7, mark: [2; 4] };
        left.note(edition).expect("noted");
        let path = folder.path().join("state");
        std::thread::scope(|scope| {
            let next = scope.spawn(|| Left::open(&path).expect("it is free").seen().expect("there"));
            clock::rest(Duration::from_millis(100));
            assert!(!next.is_finished());
            drop(left);
            assert_eq!(next.join().expect("it ends"), Some(edition));
        });
        let mistyped = Left::open(&folder.path().join("a/b")).expect_err("no such folder");
        assert_eq!(mistyped.exit, Exit::Usage);
    }
}
