//! A file on its way to its place: written beside it as `NAME.part`, renamed when it is whole and its hash is right.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tng_services::files::{Fragment, Step};

use super::give::hash_front;
use crate::exit::Exit;
use crate::failure::Failure;

/// Where a fetched file goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// To this place, by way of a scratch file.
    Place {
        /// The file's place.
        to: PathBuf,
        /// Its scratch file, in the same folder.
        part: PathBuf,
    },
    /// To stdout; no resuming.
    Stdout,
}

impl Target {
    /// The usual target: the scratch file has `.part` appended to its name.
    pub fn place(to: PathBuf) -> Target {
        let part = part_of(&to);
        Target::Place { to, part }
    }

    /// For messages.
    pub fn name(&self) -> String {
        match self {
            Target::Place { to, .. } => to.display().to_string(),
            Target::Stdout => "stdout".to_owned(),
        }
    }
}

/// `path` with `.part` appended.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All of it came.
    Fetched,
    /// The rest of it came.
    Resumed,
    /// It was here already.
    Unchanged,
}

/// A file in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// What became of it.
    pub outcome: Outcome,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes of it that came over the network.
    pub moved: u64,
    /// Its BLAKE3 hash.
    pub hash: [u8; 32],
}

/// A file being written.
#[derive(Debug)]
pub(super) struct Draft {
    target: Target,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing was there.
    Nothing,
    /// A scratch file was there, locked now.
    Part(File),
    /// The file itself was there, so many bytes long.
    Whole(u64),
    /// Being written.
    Writing { sink: Sink, size: u64, modified_ms: u64, kept: u64, at: u64 },
    /// The file was there and was right.
    Unchanged { size: u64 },
}

#[derive(Debug)]
enum Sink {
    File(File),
    Stdout,
}

impl Draft {
    /// Looks at what is there already, and hashes it. What is there stays as it is until the server has answered.
    pub(super) fn open(target: Target) -> Result<(Draft, Fragment), Failure> {
        let Target::Place { to, part } = &target else {
            return Ok((Draft { target, state: State::Nothing }, Fragment::new()));
        };
        if to.is_dir() {
            return Err(Failure::new(Exit::Write, format!("writing {}", to.display()), "it is a folder"));
        }
        if let Some(mut file) = open_part(part, false)? {
            let fragment = hash_front(&mut file, u64::MAX).map_err(|e| reading(part, &e))?;
            return Ok((Draft { target, state: State::Part(file) }, fragment));
        }
        match File::open(to) {
            Ok(mut file) => {
                let fragment = hash_front(&mut file, u64::MAX).map_err(|e| reading(to, &e))?;
                let state = State::Whole(fragment.len());
                Ok((Draft { target, state }, fragment))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok((Draft { target, state: State::Nothing }, Fragment::new()))
            }
            Err(error) => Err(reading(to, &error)),
        }
    }

    /// Does what the server's answer asks for. Gives the result when the file is in its place.
    pub(super) fn take(&mut self, step: &Step<'_>) -> Result<Option<Fetched>, Failure> {
        match *step {
            Step::Begin { size, offset, modified_ms } => {
                let state = std::mem::replace(&mut self.state, State::Nothing);
                self.state = self.begin(state, size, offset, modified_ms)?;
                Ok(None)
            }
            Step::Write(data) => {
                if let State::Writing { sink, at, .. } = &mut self.state {
                    match sink {
                        Sink::File(file) => file.write_all(data),
                        Sink::Stdout => io::stdout().lock().write_all(data),
                    }
                    .map_err(|error| writing(&self.target, &error))?;
                    *at += data.len() as u64;
                }
                Ok(None)
            }
            Step::Done { hash } => self.done(hash).map(Some),
        }
    }

    /// Drops what was written: it is not what the server has.
    pub(super) fn discard(&mut self) -> Result<(), Failure> {
        match (std::mem::replace(&mut self.state, State::Nothing), &self.target) {
            (State::Writing { sink: Sink::File(_), .. }, Target::Place { part, .. }) => {
                fs::remove_file(part).map_err(|error| writing(&self.target, &error))
            }
            _ => Ok(()),
        }
    }

    fn begin(&self, state: State, size: u64, offset: u64, modified_ms: u64) -> Result<State, Failure> {
        let (sink, kept) = match (&self.target, state) {
            (Target::Stdout, _) => (Sink::Stdout, 0),
            (_, State::Whole(len)) if len == offset && len == size => return Ok(State::Unchanged { size }),
            (Target::Place { to, part }, State::Whole(len)) if len == offset && offset > 0 => {
                // The file has grown since it was fetched.
                fs::copy(to, part).map_err(|error| writing(&self.target, &error))?;
                (Sink::File(self.scratch(part, offset)?), offset)
            }
            (_, State::Part(file)) => (Sink::File(cut(file, offset).map_err(|e| writing(&self.target, &e))?), offset),
            (Target::Place { part, .. }, _) => (Sink::File(self.scratch(part, 0)?), 0),
        };
        Ok(State::Writing { sink, size, modified_ms, kept, at: kept })
    }

    /// The scratch file, made if need be, with its first `keep` bytes kept.
    fn scratch(&self, part: &Path, keep: u64) -> Result<File, Failure> {
        let file = open_part(part, true)?.ok_or_else(|| writing(&self.target, &io::ErrorKind::NotFound.into()))?;
        cut(file, keep).map_err(|error| writing(&self.target, &error))
    }

    fn done(&mut self, hash: [u8; 32]) -> Result<Fetched, Failure> {
        match std::mem::replace(&mut self.state, State::Nothing) {
            State::Writing { sink, size, modified_ms, kept, at } => {
                if let (Sink::File(file), Target::Place { to, part }) = (sink, &self.target) {
                    if modified_ms > 0 {
                        // A time that this system cannot have is no reason to fail.
                        let _ = file.set_modified(UNIX_EPOCH + Duration::from_millis(modified_ms));
                    }
                    fs::rename(part, to).map_err(|error| writing(&self.target, &error))?;
                } else {
                    io::stdout().lock().flush().map_err(|error| writing(&self.target, &error))?;
                }
                let outcome = if kept > 0 { Outcome::Resumed } else { Outcome::Fetched };
                Ok(Fetched { outcome, size, moved: at - kept, hash })
            }
            State::Unchanged { size } => Ok(Fetched { outcome: Outcome::Unchanged, size, moved: 0, hash }),
            _ => Err(writing(&self.target, &io::Error::other("the end came before the beginning"))),
        }
    }
}

fn reading(path: &Path, error: &io::Error) -> Failure {
    Failure::read(format!("reading {}", path.display()), error)
}

fn writing(target: &Target, error: &io::Error) -> Failure {
    Failure::write(format!("writing {}", target.name()), error)
}

/// The first `keep` bytes of `file`, ready for more.
fn cut(mut file: File, keep: u64) -> io::Result<File> {
    file.set_len(keep)?;
    file.seek(SeekFrom::Start(keep))?;
    Ok(file)
}

/// Opens and locks a scratch file; none if it is not there and not to be made.
fn open_part(part: &Path, make: bool) -> Result<Option<File>, Failure> {
    let what = || format!("writing {}", part.display());
    match fs::symlink_metadata(part) {
        // Somebody may have put a link there that leads to another file of ours.
        Ok(metadata) if !metadata.is_file() => {
            return Err(Failure::new(Exit::Write, what(), "it is not a regular file").or_try("move it away"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound && !make => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::write(what(), &error)),
    }
    let file = OpenOptions::new().read(true).write(true).create(make).truncate(false).open(part);
    let file = file.map_err(|error| Failure::write(what(), &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::new(Exit::Write, what(), "another process is writing it")
            .or_try("wait for it, or name another place with -o")),
        // Some file systems have no locks; then two fetches into one place are found out by the hash.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_so_and_what_to_do() {
        let sink = Sink::File(OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full"));
        let state = State::Writing { sink, size: 5, modified_ms: 0, kept: 0, at: 0 };
        let mut draft = Draft { target: Target::place("big".into()), state };
        let failure = draft.take(&Step::Write(b"hello")).expect_err("full");
        assert_eq!((failure.exit, failure.why.as_str()), (Exit::Write, "no space left on device"));
        assert!(failure.remedy.contains("make room"), "{failure}");
    }
}
