//! A file on its way to its place: written beside it under another name, renamed when it is whole and its hash is right.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tng_services::files::{Fault, FaultCode, Fragment, NAME_MAX, Step};

use super::source::hash_front;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::short;

/// Where a file goes.
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
    /// The usual target of a fetch: the scratch file has `.part` appended to its name.
    pub fn place(to: PathBuf) -> Target {
        let part = part_of(&to);
        Target::Place { to, part }
    }

    /// For messages.
    pub fn name(&self) -> String {
        match self {
            Target::Place { to, .. } => to.to_string_lossy().into_owned(),
            Target::Stdout => "stdout".to_owned(),
        }
    }
}

/// `path` with `.part` appended, or [another name](hidden_part_of) if that would be too long for a name.
pub fn part_of(path: &Path) -> PathBuf {
    const SUFFIX: &str = ".part";
    if path.file_name().is_some_and(|name| name.len() + SUFFIX.len() > NAME_MAX) {
        return hidden_part_of(path);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

const HIDDEN: (&str, &str) = (".tng-", ".part");

/// A scratch file for `path` in the same folder, whose name is short and that of no file that peers can name.
pub fn hidden_part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let (before, after) = HIDDEN;
    path.with_file_name(format!("{before}{}{after}", &blake3::hash(name).to_hex()[..32]))
}

/// Whether a file of this name is a scratch file that [`hidden_part_of`] named.
pub fn is_hidden_part(name: &str) -> bool {
    name.starts_with(HIDDEN.0) && name.ends_with(HIDDEN.1)
}

/// How a file is put in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Care {
    /// What is there of it may be built upon.
    pub resume: bool,
    /// Another file in its place may be replaced.
    pub replace: bool,
    /// It is safe on the disk before it is said to be in its place.
    pub sync: bool,
}

/// The care for a fetched file.
pub const FETCHED: Care = Care { resume: true, replace: true, sync: false };

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All of it moved.
    Fetched,
    /// The rest of it moved.
    Resumed,
    /// It was there already.
    Unchanged,
}

/// A file in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// What became of it.
    pub outcome: Outcome,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes of it that moved over the network.
    pub moved: u64,
    /// Bytes of an earlier attempt that were thrown away: they were not its beginning.
    pub discarded: u64,
    /// Its BLAKE3 hash.
    pub hash: [u8; 32],
}

/// Why a file cannot be written.
#[derive(Debug)]
pub(super) enum DraftError {
    /// Reading what is there already failed.
    Read(PathBuf, io::Error),
    /// Writing failed.
    Write(String, io::Error),
    /// There is a folder in its place.
    Folder(PathBuf),
    /// There is something in the scratch file's place that is no file.
    NoFile(PathBuf),
    /// Another process is writing it.
    Locked(PathBuf),
    /// It is there, and may not be replaced.
    Exists(PathBuf),
}

impl From<DraftError> for Failure {
    fn from(error: DraftError) -> Failure {
        let writing = |path: &Path| format!("writing {}", short(&path.to_string_lossy()));
        match error {
            DraftError::Read(path, error) => {
                Failure::new(Exit::Write, format!("reading {}", short(&path.to_string_lossy())), reason(&error))
            }
            DraftError::Write(name, error) => Failure::write(format!("writing {}", short(&name)), &error),
            DraftError::Folder(path) => Failure::new(Exit::Write, writing(&path), "it is a folder"),
            DraftError::NoFile(path) => {
                Failure::new(Exit::Write, writing(&path), "it is not a regular file").or_try("move it away")
            }
            DraftError::Locked(path) => Failure::new(Exit::Write, writing(&path), "another process is writing it")
                .or_try("wait for it, or name another place with -o"),
            DraftError::Exists(path) => Failure::new(Exit::Write, writing(&path), "it is there already"),
        }
    }
}

impl From<DraftError> for Fault {
    /// As a peer hears of it: without any path of this host.
    fn from(error: DraftError) -> Fault {
        match error {
            DraftError::Read(_, error) | DraftError::Write(_, error) => super::root::fault(&error),
            DraftError::Folder(_) => Fault::new(FaultCode::IsFolder, ""),
            DraftError::NoFile(_) => Fault::new(FaultCode::NotAllowed, "something else stands in the way"),
            DraftError::Locked(_) => Fault::new(FaultCode::Busy, "somebody else is writing it"),
            DraftError::Exists(_) => Fault::new(FaultCode::Exists, ""),
        }
    }
}

/// A file being written.
#[derive(Debug)]
pub(super) struct Draft {
    target: Target,
    care: Care,
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
    Writing { sink: Sink, size: u64, modified_ms: u64, kept: u64, at: u64, discarded: u64 },
    /// The file was there, and may be what arrives, which is not kept.
    Comparing { size: u64, at: u64 },
    /// The file was there and was right.
    Unchanged { size: u64 },
}

#[derive(Debug)]
enum Sink {
    File(File),
    Stdout,
}

impl Draft {
    /// Looks at what is there already, and hashes it if it may be built upon. What is there stays as it is until the other
    /// side has said what it sends.
    pub(super) fn open(target: Target, care: Care) -> Result<(Draft, Fragment), DraftError> {
        let draft = |state| Draft { target: target.clone(), care, state };
        let Target::Place { to, part } = &target else {
            return Ok((draft(State::Nothing), Fragment::new()));
        };
        let front = |file: &mut File| if care.resume { hash_front(file, u64::MAX) } else { Ok(Fragment::new()) };
        let whole = match fs::metadata(to) {
            Ok(metadata) if metadata.is_dir() => return Err(DraftError::Folder(to.clone())),
            Ok(metadata) => Some(metadata.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(DraftError::Read(to.clone(), error)),
        };
        if (whole.is_none() || care.replace)
            && let Some(mut file) = open_part(part, false)?
        {
            let fragment = front(&mut file).map_err(|error| DraftError::Read(part.clone(), error))?;
            return Ok((draft(State::Part(file)), fragment));
        }
        let Some(len) = whole else { return Ok((draft(State::Nothing), Fragment::new())) };
        let fragment = if care.resume {
            let hashed = File::open(to).and_then(|mut file| front(&mut file));
            hashed.map_err(|error| DraftError::Read(to.clone(), error))?
        } else {
            Fragment::new()
        };
        let len = if care.resume { fragment.len() } else { len };
        Ok((draft(State::Whole(len)), fragment))
    }

    /// Does what the other side's message asks for. Gives the result when the file is in its place.
    pub(super) fn take(&mut self, step: &Step<'_>) -> Result<Option<Fetched>, DraftError> {
        match *step {
            Step::Begin { size, offset, modified_ms } => {
                let state = std::mem::replace(&mut self.state, State::Nothing);
                self.state = self.begin(state, size, offset, modified_ms)?;
                Ok(None)
            }
            Step::Write(data) => {
                match &mut self.state {
                    State::Writing { sink, at, .. } => {
                        match sink {
                            Sink::File(file) => file.write_all(data),
                            Sink::Stdout => io::stdout().lock().write_all(data),
                        }
                        .map_err(|error| DraftError::Write(self.target.name(), error))?;
                        *at += data.len() as u64;
                    }
                    State::Comparing { at, .. } => *at += data.len() as u64,
                    _ => {}
                }
                Ok(None)
            }
            Step::Done { hash } => self.done(hash).map(Some),
        }
    }

    /// Drops what was written: it is not what the other side has.
    pub(super) fn discard(&mut self) -> Result<(), DraftError> {
        match (std::mem::replace(&mut self.state, State::Nothing), &self.target) {
            (State::Writing { sink: Sink::File(_), .. }, Target::Place { part, .. }) => {
                fs::remove_file(part).map_err(|error| self.writing(error))
            }
            _ => Ok(()),
        }
    }

    fn writing(&self, error: io::Error) -> DraftError {
        DraftError::Write(self.target.name(), error)
    }

    fn begin(&self, state: State, size: u64, offset: u64, modified_ms: u64) -> Result<State, DraftError> {
        let mut discarded = 0;
        let (sink, kept) = match (&self.target, state) {
            (Target::Stdout, _) => (Sink::Stdout, 0),
            (_, State::Whole(len)) if len == offset && len == size => return Ok(State::Unchanged { size }),
            (Target::Place { to, .. }, State::Whole(len)) if !self.care.replace => {
                if len == size && offset == 0 {
                    return Ok(State::Comparing { size, at: 0 });
                }
                return Err(DraftError::Exists(to.clone()));
            }
            (Target::Place { to, part }, State::Whole(len)) if len == offset && offset > 0 => {
                // The file has grown since it was fetched.
                fs::copy(to, part).map_err(|error| self.writing(error))?;
                (Sink::File(self.scratch(part, offset)?), offset)
            }
            (_, State::Part(file)) => {
                discarded = file.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(offset);
                (Sink::File(cut(file, offset).map_err(|error| self.writing(error))?), offset)
            }
            (Target::Place { part, .. }, _) => (Sink::File(self.scratch(part, 0)?), 0),
        };
        Ok(State::Writing { sink, size, modified_ms, kept, at: kept, discarded })
    }

    /// The scratch file, made if need be, with its first `keep` bytes kept.
    fn scratch(&self, part: &Path, keep: u64) -> Result<File, DraftError> {
        let file = open_part(part, true)?.ok_or_else(|| self.writing(io::ErrorKind::NotFound.into()))?;
        cut(file, keep).map_err(|error| self.writing(error))
    }

    fn done(&mut self, hash: [u8; 32]) -> Result<Fetched, DraftError> {
        match (std::mem::replace(&mut self.state, State::Nothing), &self.target) {
            (State::Writing { sink, size, modified_ms, kept, at, discarded }, target) => {
                if let (Sink::File(file), Target::Place { to, part }) = (sink, target) {
                    if modified_ms > 0 {
                        // A time that this system cannot have is no reason to fail.
                        let _ = file.set_modified(UNIX_EPOCH + Duration::from_millis(modified_ms));
                    }
                    self.settle(&file, part, to)?;
                } else {
                    io::stdout().lock().flush().map_err(|error| self.writing(error))?;
                }
                let outcome = if kept > 0 { Outcome::Resumed } else { Outcome::Fetched };
                Ok(Fetched { outcome, size, moved: at - kept, discarded, hash })
            }
            (State::Unchanged { size }, _) => {
                Ok(Fetched { outcome: Outcome::Unchanged, size, moved: 0, discarded: 0, hash })
            }
            (State::Comparing { size, at }, Target::Place { to, .. }) => {
                let there = File::open(to).and_then(|mut file| hash_front(&mut file, u64::MAX));
                let there = there.map_err(|error| DraftError::Read(to.clone(), error))?;
                if there.hash() == hash {
                    Ok(Fetched { outcome: Outcome::Unchanged, size, moved: at, discarded: 0, hash })
                } else {
                    Err(DraftError::Exists(to.clone()))
                }
            }
            _ => Err(self.writing(io::Error::other("the end came before the beginning"))),
        }
    }

    /// Gives the scratch file its name.
    fn settle(&self, file: &File, part: &Path, to: &Path) -> Result<(), DraftError> {
        if self.care.sync {
            file.sync_all().map_err(|error| self.writing(error))?;
        }
        if self.care.replace {
            fs::rename(part, to).map_err(|error| self.writing(error))?;
        } else {
            rename_to_free(part, to).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => DraftError::Exists(to.to_owned()),
                _ => self.writing(error),
            })?;
        }
        match to.parent().filter(|_| self.care.sync) {
            // The name is in the folder, and must be safe too. Some file systems cannot do that for a folder.
            Some(folder) => match File::open(folder).and_then(|folder| folder.sync_all()) {
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(self.writing(error)),
                _ => Ok(()),
            },
            None => Ok(()),
        }
    }
}

/// Renames unless the new name is taken, in one step where the file system knows hard links.
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// The first `keep` bytes of `file`, ready for more.
fn cut(mut file: File, keep: u64) -> io::Result<File> {
    file.set_len(keep)?;
    file.seek(SeekFrom::Start(keep))?;
    Ok(file)
}

/// Opens and locks a scratch file; none if it is not there and not to be made.
fn open_part(part: &Path, make: bool) -> Result<Option<File>, DraftError> {
    let failed = |error| DraftError::Write(part.to_string_lossy().into_owned(), error);
    match fs::symlink_metadata(part) {
        // Somebody may have put a link there that leads to another file of ours.
        Ok(metadata) if !metadata.is_file() => return Err(DraftError::NoFile(part.to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound && !make => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let file = OpenOptions::new().read(true).write(true).create(make).truncate(false).open(part).map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(DraftError::Locked(part.to_owned())),
        // Some file systems have no locks; then two writers of one place are found out by the hash.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_so_and_what_to_do() {
        let sink = Sink::File(OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full"));
        let state = State::Writing { sink, size: 5, modified_ms: 0, kept: 0, at: 0, discarded: 0 };
        let mut draft = Draft { target: Target::place("big".into()), care: FETCHED, state };
        let failure = Failure::from(draft.take(&Step::Write(b"hello")).expect_err("full"));
        assert_eq!((failure.exit, failure.why.as_str()), (Exit::Write, "no space left on device"));
        assert!(failure.remedy.contains("make room"), "{failure}");
    }

    #[test]
    fn a_name_that_is_almost_too_long_has_a_scratch_file_of_another_name() {
        let long = PathBuf::from("d").join("x".repeat(251));
        let part = part_of(&long);
        assert!(part.file_name().expect("a name").len() <= NAME_MAX && part.parent() == long.parent());
        assert!(is_hidden_part(&part.file_name().expect("a name").to_string_lossy()));
        assert_ne!(part, part_of(&PathBuf::from("d").join("y".repeat(251))));
        assert_eq!(part_of(Path::new("d/short")), Path::new("d/short.part"));
    }
}
