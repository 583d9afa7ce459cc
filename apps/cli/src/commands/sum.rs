//! What is said of the files that go or come, one by one and together.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tng_services::files::SafePath;

use crate::clock;
use crate::failure::Failure;
use crate::files::beneath::Linked;
use crate::files::{Errand, Fetched, Outcome, REFUSE};
use crate::talk::{Talk, bytes, counted, rate, short, text_of};

/// Failures of single files that are said; more are counted, and told to programs.
pub const FAILURES_SAID_MAX: u64 = 20;

/// Which way the files go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From a server to here.
    Here,
    /// From here to a server.
    There,
}

/// What is said of everything together.
#[derive(Debug)]
pub struct Sum {
    way: Way,
    talk: Talk,
    began: Instant,
    /// Whether each file is worth a line to people.
    each: bool,
    /// Files that are there now.
    pub files: u64,
    failed: u64,
    /// Things that stay where they are because they cannot go.
    pub left_out: u64,
    bytes: u64,
    moved: u64,
    copied: u64,
    /// Whether anything is there now that was not, or may still not be.
    is_news: bool,
}

/// That not everything could go.
pub fn left_out(entries: u64) -> String {
    if entries == 1 { "1 entry was left out".to_owned() } else { format!("{entries} entries were left out") }
}

impl Sum {
    /// Nothing yet; the time begins now.
    pub fn new(way: Way, each: bool, talk: Talk) -> Sum {
        Sum {
            way,
            talk,
            began: clock::now(),
            each,
            files: 0,
            failed: 0,
            left_out: 0,
            bytes: 0,
            moved: 0,
            copied: 0,
            is_news: false,
        }
    }

    /// Counts a file, and tells of it.
    pub fn count(&mut self, job: &impl Errand, ended: &Result<Fetched, Failure>) {
        let done = match ended {
            Ok(done) => done,
            Err(failure) => return self.failed(job.path(), failure),
        };
        self.files += 1;
        self.is_news |= done.outcome != Outcome::Unchanged;
        self.bytes += done.size;
        self.moved += done.moved;
        self.copied += done.copied;
        let outcome = match (done.outcome, self.way) {
            (Outcome::Fetched, Way::Here) => "fetched",
            (Outcome::Fetched, Way::There) => "sent",
            (Outcome::Resumed, _) => "resumed",
            (Outcome::Unchanged, _) => "unchanged",
            (Outcome::Kept, _) => "kept",
        };
        let name = short(&job.here());
        if self.each {
            self.talk.say(format_args!("{outcome} {name}: {}", bytes(done.size)));
        }
        if done.discarded > 0 && self.way == Way::Here {
            let discarded = bytes(done.discarded);
            self.talk
                .say(format_args!("{name}: threw away {discarded} of an earlier attempt that are not in the file"));
        }
        let mut fields = json!({
            "path": job.path().as_str(),
            "outcome": outcome,
            "bytes": done.size,
            "moved": done.moved,
            "copied": done.copied,
            "discarded": done.discarded,
        });
        if let Some(hash) = done.hash {
            fields["blake3"] = blake3::Hash::from_bytes(hash).to_hex().as_str().into();
        }
        let place = match self.way {
            Way::Here => "to",
            Way::There => "from",
        };
        fields[place] = job.here().into();
        self.talk.event("file", &fields);
    }

    /// Counts a link, and tells of it.
    pub fn count_link(&mut self, path: &SafePath, to: Option<&Path>, ended: &Result<Linked, Failure>) {
        let outcome = match ended {
            Ok(Linked::Made) => "linked",
            Ok(Linked::Unchanged) => "unchanged",
            Ok(Linked::Kept) => "kept",
            Err(failure) => return self.failed(path, failure),
        };
        self.files += 1;
        self.is_news |= !matches!(ended, Ok(Linked::Unchanged));
        let mut fields = json!({ "path": path.as_str(), "outcome": outcome });
        if let Some(to) = to {
            fields["to"] = text_of(to).into();
        }
        self.talk.event("link", &fields);
    }

    /// Counts what has failed, and tells of it.
    pub fn failed(&mut self, path: &SafePath, failure: &Failure) {
        self.failed += 1;
        self.is_news = true;
        // The first is told at the end.
        if (2..=FAILURES_SAID_MAX).contains(&self.failed) {
            self.talk.say(failure);
        }
        let mut fields = failure.to_json();
        fields["path"] = path.as_str().into();
        self.talk.event("failed", &fields);
    }

    /// Tells of all of them.
    pub fn tell(&self) {
        let took = self.began.elapsed();
        let files = counted(self.files, "file");
        let failed = if self.failed == 0 { String::new() } else { format!(" ({} failed)", self.failed) };
        let seconds = took.as_secs_f64();
        let size = bytes(self.bytes);
        let how = match (self.moved, self.is_news) {
            (0, false) if self.files > 0 => "unchanged".to_owned(),
            (0, _) => format!("in {seconds:.2} s"),
            (moved, _) if self.copied > 0 => {
                let there = match self.way {
                    Way::Here => "here",
                    Way::There => "there",
                };
                let (moved_words, copied, speed) = (bytes(moved), bytes(self.copied), rate(moved, took));
                format!("{moved_words} of it moved, {copied} taken from what was {there}, in {seconds:.2} s: {speed}")
            }
            (moved, _) if moved == self.bytes => format!("in {seconds:.2} s: {}", rate(moved, took)),
            (moved, _) => format!("{} of it moved, in {seconds:.2} s: {}", bytes(moved), rate(moved, took)),
        };
        self.talk.say(format_args!("{files}{failed}, {size}, {how}"));
        let fields = json!({
            "files": self.files, "failed": self.failed, "left_out": self.left_out,
            "bytes": self.bytes, "moved": self.moved, "copied": self.copied, "seconds": seconds,
        });
        self.talk.event("done", &fields);
    }
}

/// What would be done, told and counted.
#[derive(Debug)]
pub struct Would {
    talk: Talk,
    /// How often, by deed.
    deeds: BTreeMap<&'static str, u64>,
    /// Bytes of the files that would move, if they are known.
    bytes: Option<u64>,
}

impl Would {
    /// Nothing yet.
    pub const fn new(talk: Talk) -> Would {
        Would { talk, deeds: BTreeMap::new(), bytes: Some(0) }
    }

    /// Tells what would be done to `place`, with a file of `bytes`; `fields` are for programs.
    pub fn tell(&mut self, deed: &'static str, place: impl fmt::Display, bytes: Option<u64>, mut fields: Value) {
        *self.deeds.entry(deed).or_default() += 1;
        if !matches!(deed, "unchanged" | "keep" | REFUSE) {
            self.bytes = self.bytes.zip(bytes).map(|(all, this)| all.saturating_add(this));
        }
        self.talk.payload(format_args!("{deed} {place}"));
        fields["do"] = deed.into();
        self.talk.event("would", &fields);
    }

    /// Tells of all together.
    pub fn sum(&self) {
        let deeds: Vec<String> = self.deeds.iter().map(|(deed, count)| format!("{deed} {count}")).collect();
        let deeds = if deeds.is_empty() { "nothing to do".to_owned() } else { deeds.join(", ") };
        let moves = self.bytes.map_or_else(String::new, |all| format!("; at most {} would move", bytes(all)));
        self.talk.say(format_args!("{deeds}{moves}; nothing was done"));
        self.talk.event("would_all", &json!({ "deeds": self.deeds, "bytes": self.bytes }));
    }
}
