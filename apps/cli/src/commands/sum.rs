//! What is said of the files that go or come, one by one and together.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tng_services::files::SafePath;

use crate::clock;
use crate::failure::Failure;
use crate::files::beneath::Linked;
use crate::files::{Errand, Fetched, Outcome};
use crate::talk::{Talk, bytes, rate, short};

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
}

impl Sum {
    /// Nothing yet; the time begins now.
    pub fn new(way: Way, each: bool, talk: Talk) -> Sum {
        Sum { way, talk, began: clock::now(), each, files: 0, failed: 0, left_out: 0, bytes: 0, moved: 0, copied: 0 }
    }

    /// Counts a file, and tells of it.
    pub fn count(&mut self, job: &impl Errand, ended: &Result<Fetched, Failure>) {
        let done = match ended {
            Ok(done) => done,
            Err(failure) => return self.failed(job.path(), failure),
        };
        self.files += 1;
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
        let mut fields = json!({ "path": path.as_str(), "outcome": outcome });
        if let Some(to) = to {
            fields["to"] = to.to_string_lossy().into();
        }
        self.talk.event("link", &fields);
    }

    fn failed(&mut self, path: &SafePath, failure: &Failure) {
        self.failed += 1;
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
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        let failed = if self.failed == 0 { String::new() } else { format!(" ({} failed)", self.failed) };
        let there = match self.way {
            Way::Here => "here",
            Way::There => "there",
        };
        let moved = match self.way {
            _ if self.copied > 0 => {
                let (moved, copied) = (bytes(self.moved), bytes(self.copied));
                format!(", {moved} of it moved, {copied} taken from what was {there}")
            }
            Way::Here if self.moved != self.bytes => format!(", {} of it moved", bytes(self.moved)),
            _ => String::new(),
        };
        let seconds = took.as_secs_f64();
        let (size, speed) = (bytes(self.bytes), rate(self.moved, took));
        self.talk.say(format_args!("{files}{failed}, {size}{moved}, in {seconds:.2} s: {speed}"));
        let fields = json!({
            "files": self.files, "failed": self.failed, "left_out": self.left_out,
            "bytes": self.bytes, "moved": self.moved, "copied": self.copied, "seconds": seconds,
        });
        self.talk.event("done", &fields);
    }
}
