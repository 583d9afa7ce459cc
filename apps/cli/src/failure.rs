//! What went wrong, as a person needs to hear it: what failed, why, and what to try.

use std::fmt;
use std::io;

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::location::without_tickets;
use crate::scope::with_interfaces;

/// A failed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What failed: "writing movie.mkv".
    pub what: String,
    /// Why: "no space left on device".
    pub why: String,
    /// What to try; empty if there is nothing better than to try again.
    pub remedy: String,
    /// What is gone, so that the same might succeed with another one.
    pub lost: Lost,
}

/// What is gone with a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lost {
    /// Nothing: the same would fail again.
    #[default]
    Nothing,
    /// The connection.
    Connection,
    /// The guest that carried it, and its connection.
    Guest,
}

impl Lost {
    /// Whether it is worth another attempt.
    pub fn is_something(self) -> bool {
        self != Lost::Nothing
    }
}

impl Failure {
    /// A failure without a remedy. A ticket that stands in the wrong place, as the name of a file perhaps, is not told.
    pub fn new(exit: Exit, what: impl Into<String>, why: impl fmt::Display) -> Failure {
        let why = with_interfaces(&without_tickets(&why.to_string()));
        let what = with_interfaces(&without_tickets(&what.into()));
        Failure { exit, what, why, remedy: String::new(), lost: Lost::Nothing }
    }

    /// A failure with an error of a library, which says behind its last semicolon what to do. Not for texts of a peer.
    pub fn told(exit: Exit, what: impl Into<String>, error: impl fmt::Display) -> Failure {
        let failure = Failure::new(exit, what, error);
        match failure.why.rsplit_once("; ") {
            Some((why, remedy)) => Failure { why: why.to_owned(), remedy: remedy.to_owned(), ..failure },
            None => failure,
        }
    }

    /// That a port cannot be listened on. `key` is what names it.
    pub fn port(what: impl Into<String>, key: &str, error: &io::Error) -> Failure {
        let remedy = match error.kind() {
            io::ErrorKind::AddrInUse => format!("another {key}, or end the program that holds it"),
            io::ErrorKind::AddrNotAvailable => format!("another {key}: an address of this host"),
            io::ErrorKind::PermissionDenied => format!("another {key}: a port of 1024 or more"),
            _ => format!("another {key}"),
        };
        Failure::new(Exit::Connect, what, reason(error)).or_try(remedy)
    }

    /// With this to try.
    #[must_use]
    pub fn or_try(mut self, remedy: impl Into<String>) -> Failure {
        self.remedy = remedy.into();
        self
    }

    /// The command line makes no sense.
    pub fn usage(what: impl Into<String>, why: impl fmt::Display) -> Failure {
        Failure::new(Exit::Usage, what, why)
    }

    /// Writing here failed.
    pub fn write(what: impl Into<String>, error: &io::Error) -> Failure {
        let failure = Failure::new(Exit::Write, what, reason(error));
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                failure.or_try("make room, then run the same command again: what arrived is kept")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                failure.or_try("name a place that you may write to")
            }
            io::ErrorKind::NotFound => failure.or_try("make the folder, or name one that is there"),
            io::ErrorKind::NotADirectory => failure.or_try("name a folder, or a place where nothing is yet"),
            _ => failure,
        }
    }

    /// Reading here failed.
    pub fn read(what: impl Into<String>, error: &io::Error) -> Failure {
        Failure::new(Exit::Read, what, reason(error))
    }

    /// The same on one line.
    pub fn line(&self) -> String {
        let remedy = if self.remedy.is_empty() { String::new() } else { format!("; {}", self.remedy) };
        format!("{}: {}{remedy}", self.what, self.why)
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        json!({ "exit": self.exit.code(), "what": self.what, "why": self.why, "try": self.remedy })
    }
}

/// An error of the system in words, without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => match text.strip_prefix("failed to lookup address information: ") {
            Some("Name or service not known" | "No address associated with hostname") => {
                "no host has this name".to_owned()
            }
            Some("Temporary failure in name resolution") => "no name server answers".to_owned(),
            Some(words) => words.to_lowercase(),
            None => text,
        },
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n  try: {}", self.remedy) }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_why_and_what_to_try() {
        let full = Failure::write("writing a.part", &io::Error::from_raw_os_error(28));
        assert_eq!(full.exit, Exit::Write);
        assert_eq!(
            full.to_string(),
            "writing a.part: no space left on device\n  try: make room, then run the same command again: what arrived \
             is kept"
        );
        assert_eq!(full.to_json()["exit"], 23);
    }

    #[test]
    fn what_an_error_of_a_library_says_to_do_is_what_to_try() {
        let told = Failure::told(Exit::Denied, "asking attic", "it is full; it is small; use another").to_json();
        assert_eq!((&told["why"], &told["try"]), (&"it is full; it is small".into(), &"use another".into()));
        let told = Failure::told(Exit::Denied, "asking attic", "it is full").to_json();
        assert_eq!((&told["why"], &told["try"]), (&"it is full".into(), &"".into()), "control");
    }

    #[test]
    fn a_failure_fits_one_line_and_says_the_same() {
        let failure = Failure::new(Exit::Connect, "connecting", "nobody listens").or_try("check the port");
        assert_eq!(failure.line(), "connecting: nobody listens; check the port");
        assert_eq!(Failure::new(Exit::Connect, "connecting", "no").line(), "connecting: no");
    }

    #[test]
    fn a_name_that_no_host_has_is_told_in_plain_words() {
        let error = |words: &str| io::Error::other(format!("failed to lookup address information: {words}"));
        assert_eq!(reason(&error("Name or service not known")), "no host has this name");
        assert_eq!(reason(&error("Temporary failure in name resolution")), "no name server answers");
        assert_eq!(reason(&error("Another One")), "another one");
    }

    #[test]
    fn an_interface_is_told_by_its_name() {
        let failure = Failure::new(Exit::Connect, "connecting to [fe80::1%1]:9", "nobody listens at [fe80::1%1]:9");
        assert_eq!(failure.to_string(), "connecting to [fe80::1%lo]:9: nobody listens at [fe80::1%lo]:9");
        let other = "100% of [fe80::1%4000000]:9 and %1 and 5%]";
        assert_eq!(Failure::new(Exit::Connect, "x", other).why, other, "control");
    }

    #[test]
    fn a_port_that_is_taken_is_told_with_the_key_that_names_it() {
        let taken = io::Error::from(io::ErrorKind::AddrInUse);
        let failure = Failure::port("listening at [::]:4860", "listen under [relay]", &taken);
        assert_eq!(failure.exit, Exit::Connect);
        assert_eq!(failure.remedy, "another listen under [relay], or end the program that holds it");
    }
}
