//! What was done for programs, counted and written down.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::daemon::lines::shown;
use crate::http::Status;
use crate::trickles::journal::Journal;

/// First digits of what a status is, as they are told.
pub const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Figures of a door.
#[derive(Debug, Default)]
pub struct Figures {
    /// Connections that are there.
    pub connections_now: AtomicU64,
    /// All that ever had a place.
    pub connections: AtomicU64,
    /// Those for which there was no place.
    pub turned_away: AtomicU64,
    /// Answers by HTTP, by class.
    pub answers: [AtomicU64; CLASSES.len()],
    /// Files given to who came to a door of one file, whole.
    pub poured: AtomicU64,
    /// Bytes of files that were passed on.
    pub bytes: AtomicU64,
    /// Files that ended early, since no server brought the rest.
    pub cut_off: AtomicU64,
    /// Times that a file went on over another connection to the servers.
    pub resumed: AtomicU64,
}

pub(super) fn add(to: &AtomicU64, more: u64) {
    to.fetch_add(more, Ordering::Relaxed);
}

/// A figure as it is now.
pub(super) fn read(figure: &AtomicU64) -> u64 {
    figure.load(Ordering::Relaxed)
}

/// A connection that is there.
#[derive(Debug)]
pub(super) struct Present(Arc<Figures>);

impl Present {
    pub(super) fn of(figures: &Arc<Figures>) -> Present {
        add(&figures.connections, 1);
        add(&figures.connections_now, 1);
        Present(Arc::clone(figures))
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.connections_now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where it is counted and written down what becomes of what is asked for.
#[derive(Clone, Debug)]
pub struct Account {
    /// The figures.
    pub figures: Arc<Figures>,
    /// The access log.
    pub journal: Option<Journal>,
}

/// How an answer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// With all that was asked for.
    Whole,
    /// Who asked takes no more.
    Left,
    /// No server brings the rest.
    CutOff,
}

/// What became of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passed {
    /// Bytes of a file that went on.
    pub(super) bytes: u64,
    pub(super) end: End,
}

impl Passed {
    /// That of an answer which has no file in it.
    pub(super) const WORDS: Passed = Passed { bytes: 0, end: End::Whole };
}

impl Account {
    /// A request was answered, or refused before it was understood: `asked` is its method and path.
    pub(super) fn answered(&self, from: SocketAddr, asked: Option<(&str, &str)>, status: Status, passed: Passed) {
        let code = status.code();
        tracing::info!(%from, status = code, bytes = passed.bytes, "answered");
        if let Some(count) = self.figures.answers.get(usize::from(code / 100).wrapping_sub(1)) {
            add(count, 1);
        }
        let (method, path) = asked.unzip();
        self.note(from, passed, json!({ "event": "answered", "method": method, "path": path, "status": code }));
    }

    /// A file was given to who came to its door.
    pub(super) fn poured(&self, from: SocketAddr, path: &str, passed: Passed) {
        add(&self.figures.poured, (passed.end == End::Whole).into());
        self.note(from, passed, json!({ "event": "poured", "path": path }));
    }

    fn note(&self, from: SocketAddr, passed: Passed, mut line: Value) {
        let end = match passed.end {
            End::Whole => "whole",
            End::Left => "left",
            End::CutOff => {
                add(&self.figures.cut_off, 1);
                "cut_off"
            }
        };
        if let Some(journal) = &self.journal {
            line["from"] = shown(from).into();
            line["bytes"] = passed.bytes.into();
            line["end"] = end.into();
            journal.note(line);
        }
    }
}
