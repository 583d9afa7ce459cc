//! A file on its way to its place: written beside it under another name, renamed when it is whole and its hash is
//! right. Everything is done by way of the descriptor of its folder.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tng_services::files::{DATA_MAX, Fault, FaultCode, Fragment, Have, Meta, Over, Step};
use tokio::task::spawn_blocking;

use super::beneath::{Folder, For, Taken, leads_out, set_meta};
use super::blocks::Old;
use super::hashing::Hasher;
use super::outlet::Tap;
use super::standing::is_newer;
use super::watched::{Meddled, Watched};
use super::{Destination, Target};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::{short, text_of};

/// How a file is put in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Care {
    /// What is there of it may be built upon.
    pub resume: bool,
    /// What is done about another file in its place.
    pub over: Over,
    /// Where none is replaced, one that is not older is kept.
    pub keeps_newer: bool,
    /// A file that is there is compared by its bytes, and not by its size and time.
    pub checksum: bool,
    /// A file that is there with the same bytes is given the mode and the time.
    pub restamp: bool,
    /// It is safe on the disk before it gets its name, and its name before it is said to be in its place.
    pub sync: bool,
    /// Permissions that this host has for it in any case.
    pub mode_min: u16,
}

/// Bytes of a hole at least: file systems keep track of none that is smaller.
const HOLE_MIN: usize = 4096;

/// What a draft has while nobody but its owner may read it.
const PRIVATE: Meta = Meta { mode: Some(0o600), modified: None, holes: false };

/// The care for a fetched file.
pub const FETCHED: Care = Care {
    resume: true,
    over: Over::Refuse,
    keeps_newer: false,
    checksum: false,
    restamp: true,
    sync: true,
    mode_min: 0,
};

/// What to do about a file that is in the way.
pub const OVER: &str = "--update, --replace or --backup; --no-clobber to leave it";

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All of it moved.
    Fetched,
    /// The rest of it moved.
    Resumed,
    /// It was there already.
    Unchanged,
    /// Another is there, and stays.
    Kept,
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
    /// Bytes of it that the version had which stood in its place.
    pub copied: u64,
    /// Bytes of an earlier attempt that were thrown away: they were not its beginning.
    pub discarded: u64,
    /// Its BLAKE3 hash; none if nobody looked at its bytes.
    pub hash: Option<[u8; 32]>,
}

impl Fetched {
    /// Whether the file is in its place as it is on the other side.
    pub const fn is_there(&self) -> bool {
        !matches!(self.outcome, Outcome::Kept)
    }

    /// Whether something has changed where it is.
    pub const fn changes(&self) -> bool {
        matches!(self.outcome, Outcome::Fetched | Outcome::Resumed)
    }
}

/// Why a file cannot be written.
#[derive(Debug)]
pub(super) enum DraftError {
    /// Reading what is there already failed.
    Read(String, io::Error),
    /// Writing failed.
    Write(String, io::Error),
    /// There is a folder in its place.
    Folder(String),
    /// There is something in its place, or in the scratch file's, that is no file.
    NoFile(String),
    /// Its scratch file is one of several names of a file.
    Linked(String),
    /// Another process is writing it.
    Locked(String),
    /// It is there, and may not be replaced.
    Exists(String),
    /// It is there, and is not older.
    Kept(String),
}

/// That something could not be written below a folder that all goes to.
pub fn write_failure(what: String, error: &io::Error) -> Failure {
    match leads_out(error) {
        true => Failure::new(Exit::Write, what, "a link on the way leads out of the folder that all goes to")
            .or_try("-o with the folder that the link leads to"),
        false => Failure::write(what, error),
    }
}

impl From<DraftError> for Failure {
    fn from(error: DraftError) -> Failure {
        let writing = |name: &str| format!("writing {}", short(name));
        match error {
            DraftError::Read(name, error) => {
                Failure::new(Exit::Write, format!("reading {}", short(&name)), reason(&error))
            }
            DraftError::Write(name, error) => write_failure(writing(&name), &error),
            DraftError::Folder(name) => Failure::new(Exit::Write, writing(&name), "it is a folder"),
            DraftError::NoFile(name) => {
                Failure::new(Exit::Write, writing(&name), "it is not a regular file").or_try("move it away")
            }
            DraftError::Linked(name) => {
                Failure::new(Exit::Write, writing(&name), "the file has another name, too: it is a hard link")
                    .or_try("move it away")
            }
            DraftError::Locked(name) => Failure::new(Exit::Write, writing(&name), "another process is writing it")
                .or_try("wait for it, or name another place with -o"),
            DraftError::Exists(name) => {
                Failure::new(Exit::Exists, writing(&name), "another file is there already").or_try(OVER)
            }
            DraftError::Kept(name) => Failure::new(Exit::Exists, writing(&name), "what is there is not older"),
        }
    }
}

impl From<DraftError> for Fault {
    /// As a peer hears of it: without any path of this host.
    fn from(error: DraftError) -> Fault {
        match error {
            DraftError::Read(_, error) => super::root::fault(&error),
            DraftError::Write(_, error) => match super::root::fault(&error) {
                Fault { code: FaultCode::Io | FaultCode::NotFound, .. } => {
                    Fault::new(FaultCode::Write, &reason(&error))
                }
                fault => fault,
            },
            DraftError::Folder(_) => Fault::new(FaultCode::IsFolder, ""),
            DraftError::NoFile(_) | DraftError::Linked(_) => {
                Fault::new(FaultCode::NotAllowed, "something else stands in the way")
            }
            DraftError::Locked(_) => Fault::new(FaultCode::Busy, "somebody else is writing it"),
            DraftError::Exists(_) | DraftError::Kept(_) => Fault::new(FaultCode::Exists, ""),
        }
    }
}

/// A file being written.
#[derive(Debug)]
pub(super) struct Draft {
    name: String,
    care: Care,
    state: State,
    /// The version that it is to replace, if the other side is told of it.
    old: Option<Old>,
    /// Nobody waits for it any more.
    pub(super) given_up: Arc<AtomicBool>,
}

/// The folder that a place is in, and the place.
#[derive(Debug)]
struct Desk {
    folder: Folder,
    place: Destination,
}

#[derive(Debug)]
enum State {
    /// Goes into this as it comes.
    Outlet(Tap),
    /// What was there before the other side has said what it sends.
    Found(Desk, There),
    /// Being written to the scratch file, or an outlet.
    Writing {
        sink: Sink,
        size: u64,
        meta: Meta,
        kept: u64,
        at: u64,
        discarded: u64,
    },
    /// The file was there, and may be what arrives, which is not kept.
    Comparing {
        there: File,
        buf: Vec<u8>,
        same: bool,
        size: u64,
        meta: Meta,
        at: u64,
    },
    /// The file was there and was right.
    Unchanged {
        there: File,
        size: u64,
        meta: Meta,
    },
    Over,
}

#[derive(Debug)]
enum There {
    Nothing,
    /// A scratch file, locked.
    Part(File),
    /// The file itself, so many bytes long.
    Whole(File, u64),
}

#[derive(Debug)]
enum Sink {
    Part(Desk, File, Watched),
    Outlet(Tap),
}

impl Draft {
    /// Looks at what is there already, and has it hashed if it may be built upon. What is there stays as it is until
    /// the other side has said what it sends. `wait` is told what is waited for, if this host waits for somebody.
    pub(super) async fn open(
        target: Target,
        care: Care,
        hasher: Hasher<'_>,
        wait: impl Fn(String),
    ) -> Result<(Draft, Fragment), DraftError> {
        let name = target.name();
        let draft = |state| Draft { name: name.clone(), care, state, old: None, given_up: Arc::default() };
        let place = match target {
            Target::Outlet(outlet) => return Ok((draft(State::Outlet(outlet.open(wait).await?)), Fragment::new())),
            Target::Destination(place) => place,
        };
        let shown = name.clone();
        let looking = spawn_blocking(move || Desk::look(place, care, &shown)).await;
        let (desk, there) = looking.map_err(|error| DraftError::Write(name.clone(), io::Error::other(error)))??;
        let reading = |error| DraftError::Read(name.clone(), error);
        let hashed = async |file: File| {
            let len = file.metadata().map_err(reading)?.len();
            hasher.front(file, len).await.map_err(reading)
        };
        let (there, fragment) = match there {
            There::Part(file) if care.resume => {
                let (file, fragment) = hashed(file).await?;
                (There::Part(file), fragment)
            }
            There::Whole(file, _) if care.resume => {
                let (file, fragment) = hashed(file).await?;
                (There::Whole(file, fragment.len()), fragment)
            }
            there => (there, Fragment::new()),
        };
        Ok((draft(State::Found(desk, there)), fragment))
    }

    /// What is waited for when a write takes long, for people.
    pub(super) fn waits_for(&self) -> String {
        match self.state {
            State::Outlet(_) => format!("waiting for {} to take more", short(&self.name)),
            _ => format!("waiting for the disk: writing {}", short(&self.name)),
        }
    }

    /// Bytes of this host that beginning so writes in vain of what the other side sends: it has brought them earlier.
    pub(super) fn copies(&self, step: &Step<'_>) -> u64 {
        match (&self.state, step) {
            (State::Found(_, There::Whole(_, len)), Step::Begin { size, offset, .. })
                if self.care.over.may_replace() && len == offset && size > offset =>
            {
                *offset
            }
            _ => 0,
        }
    }

    /// Does what the other side's message asks for. Gives the result when the file is in its place.
    pub(super) fn take(&mut self, step: &Step<'_>) -> Result<Option<Fetched>, DraftError> {
        match *step {
            Step::Begin { size, offset, meta } => {
                let state = std::mem::replace(&mut self.state, State::Over);
                self.state = self.begin(state, size, offset, meta)?;
                Ok(None)
            }
            Step::Write(data) => self.write(data).map(|()| None).map_err(|error| self.writing(error)),
            // Handed to `copy_old`.
            Step::Copy { .. } => Ok(None),
            Step::Done { hash } => self.done(hash).map(Some),
        }
    }

    fn write(&mut self, data: &[u8]) -> io::Result<()> {
        match &mut self.state {
            State::Writing { sink, at, meta, .. } => {
                match sink {
                    Sink::Part(_, file, watched) => {
                        match meta.holes {
                            true => write_with_holes(file, data)?,
                            false => file.write_all(data)?,
                        }
                        watched.wrote(file)?;
                    }
                    Sink::Outlet(tap) => tap.write(data)?,
                }
                *at += data.len() as u64;
            }
            State::Comparing { there, buf, same, at, .. } => {
                for piece in data.chunks(DATA_MAX) {
                    buf.resize(piece.len(), 0);
                    *same = *same && there.read_exact(buf).is_ok() && buf == piece;
                }
                *at += data.len() as u64;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it is of no more use after this: it is not what was written to it.
    pub(super) fn is_spoilt(error: &DraftError) -> bool {
        matches!(error, DraftError::Write(_, error) if Meddled::of(error) == Some(Meddled::Written))
    }

    /// Drops what was written: it is not what the other side has.
    pub(super) fn discard(&mut self) -> Result<(), DraftError> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Writing { sink: Sink::Part(Desk { folder, place }, ..), .. } => {
                folder.remove(&place.part).map_err(|error| self.writing(error))
            }
            _ => Ok(()),
        }
    }

    /// Before each step, and the last: sees that the draft is what was written to it, as `have` tells.
    pub(super) fn trust(&mut self, is_last: bool, have: impl FnOnce() -> Option<Have>) -> Result<(), DraftError> {
        let State::Writing { sink: Sink::Part(desk, file, watched), .. } = &mut self.state else { return Ok(()) };
        let looked = watched.look(file, (&desk.folder, &desk.place), is_last);
        let trusted = looked.and_then(|()| match watched.is_doubted(is_last) {
            true => watched.read_again(file, have()),
            false => Ok(()),
        });
        trusted.map_err(|error| self.writing(error))
    }

    fn writing(&self, error: io::Error) -> DraftError {
        DraftError::Write(self.name.clone(), error)
    }

    fn begin(&self, state: State, size: u64, offset: u64, meta: Meta) -> Result<State, DraftError> {
        let mut discarded = 0;
        // Nobody may read meanwhile what nobody may read in the end.
        let who = if meta.mode.is_some() { For::Owner } else { For::All };
        let watched = |desk, file| Watched::new(&file).map(|watched| Sink::Part(desk, file, watched));
        let (sink, kept) = match state {
            State::Outlet(tap) => (Ok(Sink::Outlet(tap)), 0),
            State::Found(_, There::Whole(there, len)) if len == offset && len == size => {
                return Ok(State::Unchanged { there, size, meta });
            }
            State::Found(desk, _) if !self.gives_way(&desk, meta) => {
                return Err(DraftError::Kept(self.name.clone()));
            }
            State::Found(desk, there) => match there {
                There::Whole(mut there, len) if !self.care.over.may_replace() => {
                    // Where its hash was told, no offset says that it is another.
                    if len != size || offset != 0 || (self.care.resume && len > 0) {
                        return Err(self.stays(&there, meta));
                    }
                    there.rewind().map_err(|error| self.writing(error))?;
                    return Ok(State::Comparing { there, buf: Vec::new(), same: true, size, meta, at: 0 });
                }
                There::Whole(there, len) if len == offset && offset > 0 => {
                    // The file has grown since it was fetched.
                    let mut part = desk.part(who, &self.name)?;
                    self.copy(there, &mut part, offset).map_err(|error| self.writing(error))?;
                    (watched(desk, part), offset)
                }
                There::Part(file) => {
                    discarded = file.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(offset);
                    if who == For::Owner {
                        set_meta(&file, PRIVATE);
                    }
                    let file = cut(file, offset).map_err(|error| self.writing(error))?;
                    (watched(desk, file), offset)
                }
                There::Nothing | There::Whole(..) => {
                    let part = desk.part(who, &self.name)?;
                    (watched(desk, part), 0)
                }
            },
            _ => return Err(self.writing(io::Error::other("the file begins twice"))),
        };
        let sink = sink.map_err(|error| self.writing(error))?;
        Ok(State::Writing { sink, size, meta, kept, at: kept, discarded })
    }

    /// Whether a file that may stand there is not kept.
    fn gives_way(&self, desk: &Desk, meta: Meta) -> bool {
        let there = || desk.place.there();
        match self.care.over {
            Over::Keep => there().is_none(),
            Over::Update { .. } => there().is_none_or(|there| is_newer(meta, super::meta(&there))),
            Over::Refuse | Over::Replace { .. } => true,
        }
    }

    /// That another file is there, and stays.
    fn stays(&self, there: &File, meta: Meta) -> DraftError {
        let is_older = || there.metadata().is_ok_and(|there| is_newer(meta, super::meta(&there)));
        match self.care.keeps_newer && !is_older() {
            true => DraftError::Kept(self.name.clone()),
            false => DraftError::Exists(self.name.clone()),
        }
    }

    /// Copies the first `len` bytes, unless nobody waits for it any more.
    fn copy(&self, mut from: File, to: &mut File, len: u64) -> io::Result<()> {
        from.rewind()?;
        let (mut left, mut buf) = (len, vec![0; DATA_MAX]);
        while left > 0 {
            if self.given_up.load(Ordering::Relaxed) {
                return Err(io::Error::other("it was given up"));
            }
            let room = left.min(DATA_MAX as u64) as usize;
            from.read_exact(&mut buf[..room])?;
            to.write_all(&buf[..room])?;
            left -= room as u64;
        }
        Ok(())
    }

    fn done(&mut self, hash: [u8; 32]) -> Result<Fetched, DraftError> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Writing { sink, size, meta, kept, at, discarded } => {
                match sink {
                    Sink::Part(desk, mut file, mut watched) => {
                        let have = NonZeroU64::new(size).map(|len| Have { len, hash });
                        let settled = self.settle(&desk, (&mut file, &mut watched), meta, (size, have));
                        if settled.is_err() {
                            // It may have to be thrown away.
                            let sink = Sink::Part(desk, file, watched);
                            self.state = State::Writing { sink, size, meta, kept, at, discarded };
                        }
                        settled?;
                    }
                    Sink::Outlet(mut tap) => tap.flush().map_err(|error| self.writing(error))?,
                }
                let outcome = if kept > 0 { Outcome::Resumed } else { Outcome::Fetched };
                let copied = self.old.as_ref().map_or(0, |old| old.copied);
                Ok(Fetched { outcome, size, moved: at - kept - copied, copied, discarded, hash: Some(hash) })
            }
            State::Unchanged { there, size, meta } => {
                if self.care.restamp {
                    let mode = meta.mode.map(|mode| mode | self.care.mode_min);
                    set_meta(&there, Meta { mode, ..meta });
                }
                Ok(Fetched { outcome: Outcome::Unchanged, size, moved: 0, copied: 0, discarded: 0, hash: Some(hash) })
            }
            // What arrived has the hash that was told, so what is the same has it too.
            State::Comparing { same: true, size, at, .. } => {
                Ok(Fetched { outcome: Outcome::Unchanged, size, moved: at, copied: 0, discarded: 0, hash: Some(hash) })
            }
            State::Comparing { there, meta, .. } => Err(self.stays(&there, meta)),
            _ => Err(self.writing(io::Error::other("the end came before the beginning"))),
        }
    }

    /// Gives the scratch file its name: after its bytes are safe, so that no name stands for half a file when the power
    /// fails; and if it is still what was written to it, for that may have taken long.
    fn settle(
        &self,
        Desk { folder, place }: &Desk,
        (file, watched): (&mut File, &mut Watched),
        meta: Meta,
        (size, have): (u64, Option<Have>),
    ) -> Result<(), DraftError> {
        // What is done to it here hides what others did.
        watched.look(file, (folder, place), false).map_err(|error| self.writing(error))?;
        if meta.holes {
            file.set_len(size).map_err(|error| self.writing(error))?;
        }
        let meta = Meta { mode: meta.mode.map(|mode| mode | self.care.mode_min), ..meta };
        set_meta(&*file, meta);
        watched.wrote(file).map_err(|error| self.writing(error))?;
        if self.care.sync {
            file.sync_all().map_err(|error| self.writing(error))?;
            watched.look(file, (folder, place), true).map_err(|error| self.writing(error))?;
        }
        if watched.is_doubted(true) {
            watched.read_again(file, have).map_err(|error| self.writing(error))?;
            set_meta(&*file, meta);
        }
        if self.care.over.backs_up() {
            folder.back_up(&place.name).map_err(|error| self.writing(error))?;
        }
        if self.care.over.may_replace() {
            folder.rename(&place.part, &place.name).map_err(|error| self.writing(error))?;
        } else {
            folder.rename_to_free(&place.part, &place.name).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists if self.care.over == Over::Keep => DraftError::Kept(self.name.clone()),
                io::ErrorKind::AlreadyExists => DraftError::Exists(self.name.clone()),
                _ => self.writing(error),
            })?;
        }
        if self.care.sync {
            folder.sync().map_err(|error| self.writing(error))?;
        }
        match place.leads_to(folder) {
            true => Ok(()),
            false => Err(self.writing(Meddled::Moved.into())),
        }
    }
}

impl Desk {
    /// What there is of a file already.
    fn look(place: Destination, care: Care, name: &str) -> Result<(Desk, There), DraftError> {
        let failed = |error| DraftError::Write(name.to_owned(), error);
        let folder = place.folder().map_err(failed)?;
        let desk = Desk { folder, place };
        let is_there = match desk.folder.entry(&desk.place.name) {
            Ok(metadata) if metadata.is_dir() => return Err(DraftError::Folder(name.to_owned())),
            // A link, a pipe, a device: renaming would replace it.
            Ok(metadata) if !metadata.is_file() => return Err(DraftError::NoFile(name.to_owned())),
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        if (!is_there || care.over.may_replace())
            && let Some(part) = desk.taken(None, name)?
        {
            return Ok((desk, There::Part(part)));
        }
        if !is_there {
            return Ok((desk, There::Nothing));
        }
        let reading = |error| DraftError::Read(name.to_owned(), error);
        let file = desk.folder.read(&desk.place.name).map_err(reading)?;
        let metadata = file.metadata().map_err(reading)?;
        if !metadata.is_file() {
            return Err(DraftError::NoFile(name.to_owned()));
        }
        Ok((desk, There::Whole(file, metadata.len())))
    }

    /// The scratch file, made if need be, and empty.
    fn part(&self, who: For, name: &str) -> Result<File, DraftError> {
        let failed = |error| DraftError::Write(name.to_owned(), error);
        let file = self.taken(Some(who), name)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        if who == For::Owner {
            set_meta(&file, PRIVATE);
        }
        cut(file, 0).map_err(failed)
    }

    /// Opens and locks the scratch file; none if it is not there and not to be made.
    fn taken(&self, make: Option<For>, name: &str) -> Result<Option<File>, DraftError> {
        let part = || text_of(&self.place.shown().with_file_name(&self.place.part));
        match self.folder.take(&self.place.part, make) {
            Ok(Taken::File(file)) if file.metadata().is_ok_and(|file| file.nlink() > 1) => {
                let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
                let whole = self.folder.entry(&self.place.name).ok().map(id);
                // Who writes to it writes under its other name, too.
                if whole != file.metadata().ok().map(id) {
                    return Err(DraftError::Linked(part()));
                }
                // It was given its own name, where that takes two steps, and somebody was stopped after the first.
                self.folder.remove(&self.place.part).map_err(|error| DraftError::Write(part(), error))?;
                self.taken(make, name)
            }
            Ok(Taken::File(file)) => Ok(Some(file)),
            Ok(Taken::Missing) => Ok(None),
            // Somebody may have put a link there that leads to another file of ours.
            Ok(Taken::NoFile) => Err(DraftError::NoFile(part())),
            Ok(Taken::Locked) => Err(DraftError::Locked(name.to_owned())),
            Err(error) => Err(DraftError::Write(part(), error)),
        }
    }
}

/// Writes the blocks of `data` that are not zero, and leaves holes where they are. The file is as long as what has
/// come: so much is there when it goes on another time.
fn write_with_holes(file: &mut File, mut data: &[u8]) -> io::Result<()> {
    let mut at = file.stream_position()?;
    let mut hole = 0;
    while !data.is_empty() {
        let block = (HOLE_MIN - (at as usize % HOLE_MIN)).min(data.len());
        let (block, left) = data.split_at(block);
        if block.iter().all(|byte| *byte == 0) {
            hole += block.len() as i64;
        } else {
            if hole > 0 {
                file.seek_relative(std::mem::take(&mut hole))?;
            }
            file.write_all(block)?;
        }
        at += block.len() as u64;
        data = left;
    }
    if hole > 0 {
        file.seek_relative(hole)?;
        file.set_len(at)?;
    }
    Ok(())
}

/// The first `keep` bytes of `file`, ready for more.
fn cut(mut file: File, keep: u64) -> io::Result<File> {
    file.set_len(keep)?;
    file.seek(SeekFrom::Start(keep))?;
    Ok(file)
}

mod old;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::files::Outlet;

    #[tokio::test]
    async fn a_full_disk_says_so_and_what_to_do() {
        let full = Target::Outlet(Outlet::Special("/dev/full".into()));
        let (mut draft, _) =
            Draft::open(full, FETCHED, Hasher::Own, |_| {}).await.expect("a device that is always full");
        draft.take(&Step::Begin { size: 5, offset: 0, meta: Meta::default() }).expect("begun");
        let failure = Failure::from(draft.take(&Step::Write(b"hello")).expect_err("full"));
        assert_eq!((failure.exit, failure.why.as_str()), (Exit::Write, "no space left on device"));
        assert!(failure.remedy.contains("make room"), "{failure}");
    }

    #[tokio::test]
    async fn a_draft_that_is_meddled_with_when_all_is_written_gets_no_name() {
        use std::fs;
        for meddled in [Meddled::Written, Meddled::Removed] {
            let folder = tempfile::tempdir().expect("a folder");
            let target = Target::place(&folder.path().join("a")).expect("a place");
            let Target::Destination(place) = &target else { panic!("it is one") };
            let (part, other) = (folder.path().join(&place.part), folder.path().join("other"));
            let (mut draft, _) = Draft::open(target.clone(), FETCHED, Hasher::Own, |_| {}).await.expect("opened");
            draft.take(&Step::Begin { size: 5, offset: 0, meta: Meta::default() }).expect("begun");
            draft.take(&Step::Write(b"hello")).expect("written");
            draft.trust(true, || None).expect("as it was written");
            if meddled == Meddled::Removed {
                fs::write(&other, b"hello").and_then(|()| fs::rename(&other, &part)).expect("replaced");
            } else {
                fs::write(&part, b"jello").expect("written");
                let file = fs::OpenOptions::new().write(true).open(&part).expect("there");
                file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("set");
            }
            let hash = *blake3::hash(b"hello").as_bytes();
            let DraftError::Write(_, why) = draft.take(&Step::Done { hash }).expect_err("refused") else {
                panic!("it says that it cannot be written")
            };
            assert_eq!(Meddled::of(&why), Some(meddled));
            assert!(!folder.path().join("a").exists());
        }
    }
}
