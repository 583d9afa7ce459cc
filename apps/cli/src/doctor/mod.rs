//! What of this machine and its network is as tng needs it, and what to do about the rest.

pub mod clock;
pub mod machine;
pub mod nat;
pub mod network;
pub mod peers;

use serde_json::{Value, json};

use crate::failure::Failure;

/// Columns that a finding takes at most.
pub const WIDTH: usize = 80;

/// Where words begin in a row.
const INDENT: usize = 20;

/// What came of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Something is missing that tng can do without, for less speed or fewer commands.
    Lacking,
    /// Something does not work that has to.
    Failed,
    /// Nobody was named by whom it could be found out.
    NotAsked,
}

impl Verdict {
    /// For people and programs.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Lacking => "lacking",
            Verdict::Failed => "failed",
            Verdict::NotAsked => "not asked",
        }
    }
}

/// One check, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What was looked at.
    pub name: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// What to try; empty if all is well.
    pub remedy: String,
}

impl Finding {
    /// All is well.
    pub fn good(name: &'static str, found: impl Into<String>) -> Finding {
        Finding { name, verdict: Verdict::Good, found: found.into(), remedy: String::new() }
    }

    /// It is done without.
    pub fn lacking(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { name, verdict: Verdict::Lacking, found: found.into(), remedy: remedy.into() }
    }

    /// It does not work.
    pub fn failed(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { name, verdict: Verdict::Failed, found: found.into(), remedy: remedy.into() }
    }

    /// It does not work, as the attempt has told.
    pub fn of(name: &'static str, failure: &Failure) -> Finding {
        Finding::failed(name, format!("{}: {}", failure.what, failure.why), failure.remedy.clone())
    }

    /// Nobody could be asked.
    pub fn not_asked(name: &'static str, remedy: impl Into<String>) -> Finding {
        let found = "needs somebody to ask".to_owned();
        Finding { name, verdict: Verdict::NotAsked, found, remedy: remedy.into() }
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "check": self.name, "result": self.verdict.word(), "found": self.found, "try": self.remedy })
    }

    /// For people: rows of [`WIDTH`] columns at most.
    pub fn rows(&self) -> String {
        let head = format!("{:10} {:9}", self.name, self.verdict.word());
        let mut rows = wrapped(&format!("{head:INDENT$}"), &self.found);
        if !self.remedy.is_empty() {
            rows += "\n";
            rows += &wrapped(&format!("{:INDENT$}", ""), &format!("try: {}", self.remedy));
        }
        rows
    }
}

/// Words behind a beginning, in lines that are indented like the first. A word that is longer than a line is cut.
fn wrapped(head: &str, words: &str) -> String {
    let (mut out, mut line) = (String::new(), head.to_owned());
    let room = WIDTH - INDENT;
    let pieces = words.split_whitespace().flat_map(|word| {
        let chars: Vec<char> = word.chars().collect();
        chars.chunks(room - 1).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>()
    });
    let mut empty = true;
    for piece in pieces {
        let (have, more) = (line.chars().count(), piece.chars().count());
        if !empty && have + 1 + more > WIDTH {
            out += line.trim_end();
            out += "\n";
            (line, empty) = (" ".repeat(INDENT), true);
        }
        if !empty || line.chars().count() > 0 && !line.ends_with(' ') {
            line += " ";
        }
        line += &piece;
        empty = false;
    }
    out + line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_told_in_rows_of_eighty_columns_whatever_its_words() {
        for words in ["few", &"many words ".repeat(40), &"x".repeat(500), "", &"é ".repeat(90)] {
            let finding = Finding::lacking("namespaces", words, words);
            let rows = finding.rows();
            assert!(rows.lines().all(|row| row.chars().count() <= WIDTH), "{rows}");
            let said: String = rows.split_whitespace().collect();
            let meant: String = words.split_whitespace().collect();
            assert!(said.contains(&meant) || words.is_empty(), "{rows}");
        }
        let rows = Finding::failed("clock", "an hour behind", "set it").rows();
        assert_eq!(rows, "clock      failed   an hour behind\n                    try: set it");
    }

    #[test]
    fn programs_are_told_the_same() {
        let said = Finding::failed("clock", "an hour behind", "set it").to_json();
        assert_eq!(said, json!({ "check": "clock", "result": "failed", "found": "an hour behind", "try": "set it" }));
    }
}
