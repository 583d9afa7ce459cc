//! Which part of a tree a command moves.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use tng_services::files::{Entry, Kind, LeftOut, SafePath};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Filter, FilterArgs};
use crate::location::typed;
use crate::talk::short;

/// Longest list of files, in bytes.
pub const LIST_MAX: u64 = 64 << 20;

/// Which part of a tree is meant.
#[derive(Args, Debug)]
pub struct TreeArgs {
    #[command(flatten)]
    rules: FilterArgs,
    /// Copy only what FILE lists, a path below the folder on each line, and what is in it; - for stdin
    #[arg(long, value_name = "FILE", requires = "recursive")]
    files_from: Option<PathBuf>,
}

impl TreeArgs {
    /// What it says.
    ///
    /// # Errors
    /// If a pattern is none, or the list cannot be read.
    pub fn filter(&self) -> Result<Filter, Failure> {
        let filter = self.rules.filter()?;
        let Some(list) = &self.files_from else { return Ok(filter) };
        let what = || format!("reading the list of files {}", short(&list.to_string_lossy()));
        let mut text = Vec::new();
        let read = match list == Path::new("-") {
            true => std::io::stdin().lock().take(LIST_MAX).read_to_end(&mut text),
            false => fs::File::open(list).and_then(|file| file.take(LIST_MAX).read_to_end(&mut text)),
        };
        read.map_err(|error| Failure::read(what(), &error))?;
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let path = |line: &[u8]| {
            let line = line.strip_suffix(b"/").unwrap_or(line);
            let line = line.strip_prefix(b"./").unwrap_or(line);
            let path = match std::str::from_utf8(line) {
                Ok(text) => typed(text),
                Err(_) => SafePath::of_bytes(line),
            };
            path.map_err(|error| Failure::usage(what(), error))
        };
        Ok(filter.only(lines.map(path).collect::<Result<BTreeSet<_>, _>>()?))
    }
}

/// Takes from a listing what takes part.
///
/// # Errors
/// If something that is listed by name is not there.
pub fn taken(
    filter: &Filter,
    entries: Vec<Entry>,
    left_out: Vec<LeftOut>,
) -> Result<(Vec<Entry>, Vec<LeftOut>), Failure> {
    if filter.is_empty() {
        return Ok((entries, left_out));
    }
    let there: BTreeSet<&SafePath> = entries.iter().map(|entry| &entry.path).collect();
    let is_left_out = |path: &SafePath| left_out.iter().any(|left| left.path().exact() == path.as_str());
    let missing: Vec<_> = filter.named().filter(|path| !there.contains(path) && !is_left_out(path)).collect();
    if let [first, more @ ..] = &missing[..] {
        let more = if more.is_empty() { String::new() } else { format!(", and {} more of the list", more.len()) };
        let why = format!("it is not there{more}");
        return Err(Failure::new(Exit::NotFound, format!("looking for {}", short(first.as_str())), why));
    }
    let takes = |entry: &Entry| filter.takes(&entry.path, entry.kind == Kind::Folder);
    let entries = entries.into_iter().filter(takes).collect();
    let names = |left: &LeftOut| SafePath::parse(left.path().exact()).is_ok_and(|path| filter.takes(&path, false));
    Ok((entries, left_out.into_iter().filter(names).collect()))
}
