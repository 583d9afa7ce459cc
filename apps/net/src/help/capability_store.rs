//! The file in which a client keeps its capabilities: a line for each helper and identity, the secrets in it included.

use core::time::Duration;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use tng_base::Eid;
use tng_crypto::{Zeroizing, sha256};
use tng_services::help::{BODY_MAX, Terms};
use tng_wire::{Reader, Repr};

use super::error::FileFault;
use crate::endpoint::random_seed;

/// Lines of a file of capabilities, at most; of more the oldest are forgotten.
pub const CAPABILITIES_KEPT_MAX: usize = 64;
/// Bytes of such a file that is read, at most.
pub const CAPABILITY_FILE_MAX: u64 = (CAPABILITIES_KEPT_MAX * LINE_MAX) as u64;

/// Bytes of a line, at most: two EIDs, a time, the terms in hexadecimal digits and four bytes of their SHA-256.
const LINE_MAX: usize = 2 * Eid::TEXT_LEN + 20 + 2 * BODY_MAX + 8 + 5;

/// How often, and every how long, a turn to write the file is tried for.
const TURN_TRIES: u32 = 100;
const TURN_TRIED_EVERY: Duration = Duration::from_millis(5);

/// The first line.
const HEAD: &str = "tng-capabilities 1";

/// A capability and its terms, as a helper has given them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Grant {
    pub terms: Terms,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_ms: u64,
}

impl Grant {
    fn life_ms(&self) -> u64 {
        u64::from(self.terms.life_s) * 1_000
    }

    /// When it ends.
    pub(super) fn ends_ms(&self) -> u64 {
        self.asked_ms.saturating_add(self.life_ms())
    }

    /// When it is renewed.
    pub(super) fn renewed_ms(&self) -> u64 {
        self.asked_ms.saturating_add(self.life_ms() / 2)
    }

    /// Whether what begins with it now can go on until it is renewed. One of the future is of a clock that was wrong.
    pub(super) fn is_good(&self, now_ms: u64) -> bool {
        (self.asked_ms..self.ends_ms().saturating_sub(self.life_ms() / 8)).contains(&now_ms)
    }
}

/// A line: a client's capability for a helper.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    helper: Eid,
    client: Eid,
    grant: Grant,
}

/// What stands in a [file of capabilities](crate::Builder::capabilities): one for each helper and identity.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredCapabilities(Vec<Line>);

impl StoredCapabilities {
    /// Reads such a file.
    ///
    /// # Errors
    /// [`FileFault::Foreign`] if it is none, or longer than any that is written; [`FileFault::Line`] if one of its
    /// lines is damaged.
    pub fn parse(bytes: &[u8]) -> Result<StoredCapabilities, FileFault> {
        let text = core::str::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= CAPABILITY_FILE_MAX);
        let mut numbered = text.ok_or(FileFault::Foreign)?.split_terminator('\n').zip(1..);
        if numbered.next().is_none_or(|(head, _)| head != HEAD) {
            return Err(FileFault::Foreign);
        }
        let lines = numbered.map(|(text, number)| line(text).ok_or(FileFault::Line(number)));
        lines.collect::<Result<_, _>>().map(StoredCapabilities)
    }

    /// The file that is read as the same; of more than [`CAPABILITIES_KEPT_MAX`] lines the last.
    pub fn to_text(&self) -> Zeroizing<String> {
        let first = self.0.len().saturating_sub(CAPABILITIES_KEPT_MAX);
        let lines = &self.0[first..];
        let mut text = Zeroizing::new(String::with_capacity(HEAD.len() + 1 + lines.len() * (LINE_MAX + 1)));
        text.push_str(HEAD);
        text.push('\n');
        for Line { helper, client, grant } in lines {
            let (begins, terms) = (text.len(), Zeroizing::new(grant.terms.to_vec()));
            let _ = write!(text, "{helper} {client} {} ", grant.asked_ms);
            for byte in &*terms {
                let _ = write!(text, "{byte:02x}");
            }
            let check = check(&text[begins..]);
            let _ = writeln!(text, " {check}");
        }
        text
    }

    /// What a client has of a helper.
    fn of(self, client: Eid, helper: Eid) -> Option<Grant> {
        self.0.into_iter().find(|line| (line.client, line.helper) == (client, helper)).map(|line| line.grant)
    }

    /// Puts a capability in the place of what this client had of the helper, and forgets those that are over.
    fn put(&mut self, client: Eid, helper: Eid, grant: &Grant) {
        let now_ms = grant.asked_ms;
        self.0.retain(|line| (line.client, line.helper) != (client, helper) && now_ms < line.grant.ends_ms());
        self.0.push(Line { helper, client, grant: grant.clone() });
        self.0.sort_by_key(|line| line.grant.asked_ms);
    }
}

/// Reads a file of capabilities: what this client has of the helper. One that is not there holds none.
pub(super) fn read(path: &Path, client: Eid, helper: Eid) -> Result<Option<Grant>, FileFault> {
    Ok(kept(path)?.of(client, helper))
}

/// Puts a capability into the file, in the place of what this client had of the helper, when it has its
/// [turn](turn).
pub(super) fn write(path: &Path, client: Eid, helper: Eid, grant: &Grant) -> Result<(), FileFault> {
    let mut kept = kept(path)?;
    kept.put(client, helper, grant);
    replace(path, kept.to_text().as_bytes()).map_err(FileFault::Write)
}

/// Another command, or another helper's answer in this one, may write at the same time: each has its turn, as long as
/// the result lives. Who waits in vain, or where the system has no locks, goes on all the same: then the last wins.
pub(crate) async fn turn(path: &Path) -> Option<File> {
    let folder = File::open(make_folder(path).ok()?).ok()?;
    for _ in 0..TURN_TRIES {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(TURN_TRIED_EVERY).await,
            Err(TryLockError::Error(_)) => break,
        }
    }
    None
}

/// The folder of a file, made if it is not there.
fn make_folder(path: &Path) -> io::Result<&Path> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder)?;
    Ok(folder)
}

fn kept(path: &Path) -> Result<StoredCapabilities, FileFault> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoredCapabilities::default()),
        opened => opened.map_err(FileFault::Read)?,
    };
    if let Some(mode) = open_to_others(&file.metadata().map_err(FileFault::Read)?) {
        return Err(FileFault::OpenToOthers(mode));
    }
    // As large as it may be from the start, lest copies be left behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(CAPABILITY_FILE_MAX as usize + 1));
    file.take(CAPABILITY_FILE_MAX + 1).read_to_end(&mut bytes).map_err(FileFault::Read)?;
    StoredCapabilities::parse(&bytes)
}

/// What stands at the end of a line, so that a damaged one is found out.
fn check(text: &str) -> String {
    sha256(&[text.as_bytes()])[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(text: &str) -> Option<Line> {
    let (text, end) = text.rsplit_once(' ')?;
    if end != check(text) {
        return None;
    }
    let mut words = text.split(' ');
    let (helper, client) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let asked = words.next()?;
    // `str::parse` takes a sign as well.
    let asked_ms = asked.bytes().all(|byte| byte.is_ascii_digit()).then(|| asked.parse().ok())??;
    let bytes = unhex(words.next()?)?;
    if words.next().is_some() {
        return None;
    }
    let mut reader = Reader::new(&bytes);
    let terms = Terms::parse(&mut reader).ok().filter(|_| reader.is_empty())?;
    Some(Line { helper, client, grant: Grant { terms, asked_ms } })
}

fn unhex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
    for [high, low] in pairs {
        bytes.push(digit(*high)? << 4 | digit(*low)?);
    }
    Some(bytes)
}

/// Writes beside, then renames: who looks sees the old file or the new.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new-");
    for byte in &random_seed()?.expose()[..8] {
        beside.push(format!("{byte:02x}"));
    }
    let beside = PathBuf::from(beside);
    let mut file = options.open(&beside)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// The mode of a file that its group or others may read or write.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests;
