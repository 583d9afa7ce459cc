//! What the demonstration says on a terminal: a line for each claim, with a mark that says whether it holds.

use std::io::Write;
use std::time::Duration;

use console::style;
use tng_experiments::lab::{Check, Experiment, Record};

use super::Leg;
use crate::talk::{Talk, hung};

/// What is claimed, and what was measured here.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// Whether it holds.
    pub holds: bool,
    /// Both, in words.
    pub words: String,
}

impl Claim {
    /// Something that would have been an error if it did not hold.
    pub fn shown(words: impl Into<String>) -> Claim {
        Claim { holds: true, words: words.into() }
    }

    /// A transfer that arrived as it was sent.
    pub fn of_leg(leg: &Leg) -> Claim {
        let [path, files, bytes, time, rate, checked] = leg.cells();
        let files = match leg.files.parse::<u64>() {
            Ok(1) => String::new(),
            Ok(_) => format!("{files} files, "),
            Err(_) => format!("{files}, "),
        };
        Claim::shown(format!("{path}: {files}{bytes} in {time}, {rate}; checked: {checked}"))
    }

    fn of_check(check: &Check) -> Claim {
        let paper = check.paper.iter().map(|words| format!("; paper: {words}"));
        let why = check.why.iter().filter(|_| !check.holds()).map(|words| format!(": {words}"));
        let measured = check.measured_words();
        let words = format!("{}: {measured} (goal: {}", check.name, check.goal_words());
        let words = paper.fold(words, |words, more| words + &more) + ")";
        Claim { holds: check.holds(), words: why.fold(words, |words, more| words + &more) }
    }
}

/// A part of the demonstration that is over.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// What it is about.
    pub title: String,
    /// Whose claim it is.
    pub source: Option<&'static str>,
    /// What came of it.
    pub claims: Vec<Claim>,
    /// Charts and tables, where they were asked for.
    pub figures: Option<String>,
    /// How long it took.
    pub took: Duration,
}

impl Part {
    /// Transfers between processes, and what else is to say of them.
    pub fn of_legs(title: &str, legs: &[Leg], note: String, took: Duration) -> Part {
        let claims = legs.iter().map(Claim::of_leg).chain([Claim::shown(note)]).collect();
        Part { title: title.to_owned(), source: None, claims, figures: None, took }
    }

    /// An experiment in virtual time.
    pub fn of_record(record: &Record, with_figures: bool, took: Duration) -> Part {
        let Experiment { title, source, .. } = record.experiment;
        Part {
            title: (*title).to_owned(),
            source: Some(source),
            claims: record.outcome.checks.iter().map(Claim::of_check).collect(),
            figures: with_figures.then(|| record.outcome.figures()),
            took,
        }
    }

    /// How many claims hold, and how many there are.
    pub fn count(&self) -> [usize; 2] {
        [self.claims.iter().filter(|claim| claim.holds).count(), self.claims.len()]
    }

    /// Prints it in one piece, with colours where stdout is a terminal that has them; nothing where events stand for
    /// it.
    pub fn tell(&self, talk: Talk) {
        if talk.json {
            return;
        }
        let source = self.source.map_or("real processes", |source| source);
        let aside = format!("{source}, {:.1} s", self.took.as_secs_f64());
        let mut text = format!("\n{}  {}\n", style(&self.title).bold(), style(aside).dim());
        if let Some(figures) = &self.figures {
            text += &format!("\n{figures}\n");
        }
        for Claim { holds, words } in &self.claims {
            // The mark is coloured after the line is wrapped: what colours is no column.
            let line = hung("  ? ", words);
            let mark = if *holds { style("✓").green() } else { style("✗").red().bold() };
            text += &format!("{}\n", line.replacen('?', &mark.to_string(), 1));
        }
        // A reader that went away is no reason to stop the work.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
}

/// The last line: how many claims hold of all.
pub fn tell_sum(parts: &[Part], took: Duration, talk: Talk) {
    let [holding, all] = parts.iter().map(Part::count).fold([0, 0], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
    let words = format!("{holding} of {all} claims hold; {:.1} s of real time", took.as_secs_f64());
    let words = if holding == all { style(words).green().bold() } else { style(words).red().bold() };
    talk.payload(format_args!("\n{words}"));
}

#[cfg(test)]
mod tests {
    use tng_experiments::lab::Goal;

    use super::*;

    fn leg() -> Leg {
        let (files, time) = ("2000".to_owned(), Duration::from_millis(500));
        Leg { path: "to another process", files, bytes: 50_000_000, time, clock: "real", checked: "every byte" }
    }

    #[test]
    fn a_transfer_is_a_line_with_all_that_was_measured() {
        let claim = Claim::of_leg(&leg());
        let words = "to another process: 2000 files, 50.0 MB in 0.50 s real, 800.0 Mbit/s; checked: every byte";
        assert_eq!((claim.holds, &*claim.words), (true, words));
        let virtually = Leg { files: "1 stream".to_owned(), clock: "virtual", ..leg() };
        assert!(Claim::of_leg(&virtually).words.starts_with("to another process: 1 stream, 50.0 MB in 0.50 s virtual"));
    }

    #[test]
    fn a_check_is_a_line_with_its_goal_the_papers_figure_and_why_it_does_not_hold() {
        let check = Check::new("share", 49.5, "%", Goal::Within(48.0, 52.0)).paper("48.8 %").because("of that");
        let claim = Claim::of_check(&check);
        assert_eq!((claim.holds, &*claim.words), (true, "share: 49.5 % (goal: 48 to 52 %; paper: 48.8 %)"));
        let claim = Claim::of_check(&Check::new("share", 4.0, "%", Goal::AtLeast(48.0)).because("of that"));
        assert_eq!((claim.holds, &*claim.words), (false, "share: 4 % (goal: at least 48 %): of that"));
    }

    #[test]
    fn what_does_not_hold_is_not_counted_as_if_it_did() {
        let mut part = Part::of_legs("files", &[leg()], "nothing was lost".to_owned(), Duration::ZERO);
        assert_eq!(part.count(), [2, 2]);
        part.claims[0].holds = false;
        assert_eq!(part.count(), [1, 2]);
    }
}
