//! Which part of a tree a command moves.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tng_services::files::{Entry, Kind, LeftOut, LeftOutWhy, SafePath};

use crate::failure::Failure;
use crate::files::{Filter, FilterArgs};
use crate::location::typed;
use crate::talk::{Talk, counted, short};

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
    /// Says what `--delete` removes less of than all that is there no more.
    pub fn tell_of_delete(&self, talk: Talk) {
        if self.files_from.is_some() {
            talk.say("--delete removes only what is in the folders that --files-from lists");
        }
    }

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

/// What of a listing takes part.
#[derive(Debug)]
pub struct Taken {
    /// What is there.
    pub entries: Vec<Entry>,
    /// What cannot go.
    pub left_out: Vec<LeftOut>,
    /// What was named and is not there.
    pub missing: Vec<SafePath>,
}

/// Takes from a listing what takes part.
pub fn taken(filter: &Filter, entries: Vec<Entry>, left_out: Vec<LeftOut>) -> Taken {
    if filter.is_empty() {
        return Taken { entries, left_out, missing: Vec::new() };
    }
    let there: BTreeSet<&SafePath> = entries.iter().map(|entry| &entry.path).collect();
    let is_left_out = |path: &SafePath| left_out.iter().any(|left| left.path().exact() == path.as_str());
    let missing = filter.named().filter(|path| !there.contains(path) && !is_left_out(path)).cloned().collect();
    let takes = |entry: &Entry| filter.takes(&entry.path, entry.kind == Kind::Folder);
    let entries = entries.into_iter().filter(takes).collect();
    // It may be a folder, but for what is known to be none.
    let names = |left: &LeftOut| {
        SafePath::parse(left.path().exact()).map_or(true, |path| {
            filter.takes(&path, false) || (left.why != LeftOutWhy::Special && filter.takes(&path, true))
        })
    };
    Taken { entries, left_out: left_out.into_iter().filter(names).collect(), missing }
}

/// Says that nothing is removed though it was asked for: not `all` has moved, or so many things were `left_out`.
pub fn tell_of_no_delete(all: bool, left_out: u64, talk: Talk) {
    let why = match all {
        false => "not all has moved".to_owned(),
        true => format!("{} left out, so nobody knows what is there no more", counted(left_out, "thing")),
    };
    talk.say(format_args!("--delete removes nothing: {why}"));
    talk.event("not_deleted", &json!({ "why": why }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction, Command, FromArgMatches};

    #[test]
    fn what_is_left_out_may_be_a_folder_that_takes_part() {
        let recursive = Arg::new("recursive").short('r').action(ArgAction::SetTrue);
        let rules = ["x", "-r", "--include", "*/", "--include", "*.c", "--exclude", "*"];
        let matches = TreeArgs::augment_args(Command::new("x").arg(recursive)).try_get_matches_from(rules);
        let args = TreeArgs::from_arg_matches(&matches.expect("rules")).expect("rules");
        let left = [("d", LeftOutWhy::Unreadable), ("pipe", LeftOutWhy::Special), ("a.c", LeftOutWhy::Special)];
        let left = left.map(|(path, why)| LeftOut::new(why, path));
        let taken = taken(&args.filter().expect("patterns"), Vec::new(), left.into());
        let named: Vec<_> = taken.left_out.iter().map(|left| left.path().exact()).collect();
        assert_eq!(named, ["d", "a.c"]);
    }
}
