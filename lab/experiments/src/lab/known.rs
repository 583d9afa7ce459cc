//! Misses that are known: checks that do not hold, and are not expected to. What is otherwise is news.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeSet;

use super::{Ran, find};

/// Bytes of a file of known misses at most.
pub const KNOWN_LEN_MAX: u64 = 1 << 20;

/// What follows an experiment's name where it ran on real sockets or kernels.
const REAL: &str = ", real";

/// Misses that are known. As text a line each: `EXPERIMENT: CHECK`, or `EXPERIMENT, real: CHECK`; empty lines, and
/// those that begin with `#`, say nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Known(BTreeSet<(&'static str, bool, String)>);

/// What is wrong with a file of known misses, and in which line. The caller's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KnownError {
    /// It names no check.
    Shape(usize),
    /// There is no such experiment; the one that looks most like it.
    Unknown(usize, String, Option<&'static str>),
}

impl fmt::Display for KnownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownError::Shape(line) => {
                write!(f, "line {line}: write EXPERIMENT: CHECK, or EXPERIMENT{REAL}: CHECK")
            }
            KnownError::Unknown(line, name, Some(nearest)) => {
                write!(f, "line {line}: there is no experiment {name:?}; did you mean {nearest:?}?")
            }
            KnownError::Unknown(line, name, None) => write!(f, "line {line}: there is no experiment {name:?}"),
        }
    }
}

impl core::error::Error for KnownError {}

impl FromStr for Known {
    type Err = KnownError;

    fn from_str(text: &str) -> Result<Known, KnownError> {
        let mut known = Known::default();
        for (at, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, check) = line.split_once(": ").ok_or(KnownError::Shape(at + 1))?;
            let (name, real) = name.strip_suffix(REAL).map_or((name, false), |name| (name, true));
            let experiment = find(name).map_err(|nearest| KnownError::Unknown(at + 1, name.to_owned(), nearest))?;
            known.0.insert((experiment.name, real, check.to_owned()));
        }
        Ok(known)
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(name, real, check)| writeln!(f, "{name}{}: {check}", if *real { REAL } else { "" }))
    }
}

impl Known {
    /// With one more.
    #[must_use]
    pub fn and(mut self, experiment: &'static str, real: bool, check: impl Into<String>) -> Known {
        self.0.insert((experiment, real, check.into()));
        self
    }

    /// Those of one that has run: the names of its checks.
    pub fn of(&self, ran: &dyn Ran) -> Vec<String> {
        let (name, real) = (ran.experiment().name, ran.is_real());
        self.0.iter().filter(|known| (known.0, known.1) == (name, real)).map(|(_, _, check)| check.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::ours::movement::MOVE;
    use crate::lab::tests::measured;

    #[test]
    fn known_misses_are_lines_of_an_experiment_and_a_check_and_others_get_a_sentence() {
        let text = "# what we know\n\nsst/fig9: share: of 1\n sst/validation, real: a rate\n";
        let known: Known = text.parse().expect("known misses");
        assert_eq!(known.to_string(), "sst/fig9: share: of 1\nsst/validation, real: a rate\n");
        assert_eq!(known.to_string().parse(), Ok(known));
        for (text, words) in [
            ("\nsst/fig9", "line 2: write EXPERIMENT: CHECK"),
            ("sst/fgi9: share", "line 1: there is no experiment \"sst/fgi9\"; did you mean \"sst/fig9\"?"),
        ] {
            assert_eq!(text.parse::<Known>().expect_err(text).to_string().get(..words.len()), Some(words));
        }
    }

    #[test]
    fn news_is_a_miss_that_nobody_knows_and_a_known_one_that_holds_or_that_nothing_measures() {
        let name = "a move costs no round trip";
        let mut record = measured(&MOVE, 1, &[]);
        assert_eq!(record.news(), [""; 0], "it holds");
        let check = record.outcome.checks[0].name.clone();
        record.known = Known::default().and(MOVE.name, false, &check).and(MOVE.name, true, "x").of(&record);
        assert_eq!(record.news(), [format!("{check}: it holds, and is known as a miss")]);
        record.outcome.checks[0].value = f64::NAN;
        assert_eq!(record.news(), [""; 0], "as is known");
        assert!(record.verdict_words().ends_with("0 of 1 checks hold, 1 known miss"), "{}", record.verdict_words());
        assert!(record.checks().to_string().contains("NO, known"), "{}", record.checks());
        record.known = vec![name.to_owned()];
        let news = record.news();
        assert!(news.len() == 2 && news[0].starts_with(&check), "{news:?}");
        assert_eq!(news[1], format!("{name}: no check has this name, and it is known as a miss"));
        assert!(record.verdict_words().ends_with("0 of 1 checks hold"), "{}", record.verdict_words());
    }
}
