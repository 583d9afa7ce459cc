//! Which seeds an experiment runs with.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeSet;

/// Exclusive upper bound of seeds: a run of several has a seed made of this and its number.
pub const SEED_MAX: u64 = 1 << 52;

/// Seeds with which an experiment runs at most.
pub const SEEDS_MAX: usize = 10_000;

/// Where chance decides, a verdict is of so many seeds at least.
pub const SEEDS_MIN: usize = 20;

/// Seeds, each once, in the order in which they were asked for. As text they are ranges, both ends included, and
/// single seeds, with commas between: `1..40`, `1,5,9..12`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeds(Vec<u64>);

impl Seeds {
    /// From 1 to this many, at least one.
    pub fn first(count: usize) -> Seeds {
        Seeds((1..=count.clamp(1, SEEDS_MAX) as u64).collect())
    }

    /// These, if they are some, and each once.
    pub(super) fn some(seeds: &[u64]) -> Seeds {
        Seeds(seeds.to_vec())
    }

    /// All of them; never empty.
    pub fn all(&self) -> &[u64] {
        &self.0
    }
}

/// What is wrong with a list of seeds. The caller's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeedsError {
    /// This is no seed and no range.
    Shape(String),
    /// Nothing stands there where a seed should.
    Missing,
    /// A range lacks an end.
    Open(String),
    /// A seed is below [`SEED_MAX`].
    TooLarge(u64),
    /// The range ends before it begins.
    Backwards(u64, u64),
    /// It stands there twice.
    Twice(u64),
    /// They are more than this.
    TooMany(usize),
}

/// What to write.
const EXAMPLES: &str = "like 1..40 or 1,5,9..12";

impl fmt::Display for SeedsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeedsError::Shape(text) => {
                write!(f, "{text:?} is no seed; write numbers and ranges with commas between, {EXAMPLES}")
            }
            SeedsError::Missing => {
                write!(f, "a seed is missing; write numbers and ranges with commas between, {EXAMPLES}")
            }
            SeedsError::Open(range) => {
                write!(f, "{range:?} lacks an end; a range names its first and its last seed, {EXAMPLES}")
            }
            SeedsError::TooLarge(seed) => write!(f, "{seed} is too large; seeds are below {SEED_MAX}"),
            SeedsError::Backwards(from, to) => write!(f, "{from}..{to} ends before it begins; write {to}..{from}"),
            SeedsError::Twice(seed) => write!(f, "seed {seed} stands there twice; each tells something once"),
            SeedsError::TooMany(most) => write!(f, "these are more than {most} seeds; run the others by themselves"),
        }
    }
}

impl core::error::Error for SeedsError {}

impl FromStr for Seeds {
    type Err = SeedsError;

    /// At most [`SEEDS_MAX`].
    fn from_str(text: &str) -> Result<Seeds, SeedsError> {
        Seeds::read(text, SEEDS_MAX)
    }
}

impl Seeds {
    /// Reads a list of at most so many.
    ///
    /// # Errors
    /// A sentence that says what to write.
    pub fn read(text: &str, most: usize) -> Result<Seeds, SeedsError> {
        let number = |text: &str| {
            let seed: u64 = text.parse().map_err(|_| SeedsError::Shape(text.to_owned()))?;
            if seed < SEED_MAX { Ok(seed) } else { Err(SeedsError::TooLarge(seed)) }
        };
        let (mut seeds, mut known) = (Vec::new(), BTreeSet::new());
        for part in text.split(',').map(str::trim) {
            let (from, to) = match part.split_once("..").map(|(from, to)| (from.trim(), to.trim())) {
                _ if part.is_empty() => return Err(SeedsError::Missing),
                Some((from, to)) if from.is_empty() || to.is_empty() => return Err(SeedsError::Open(part.to_owned())),
                Some((from, to)) => (number(from)?, number(to)?),
                None => (number(part)?, number(part)?),
            };
            if to < from {
                return Err(SeedsError::Backwards(from, to));
            }
            if to - from >= (most - seeds.len()) as u64 {
                return Err(SeedsError::TooMany(most));
            }
            for seed in from..=to {
                if !known.insert(seed) {
                    return Err(SeedsError::Twice(seed));
                }
                seeds.push(seed);
            }
        }
        Ok(Seeds(seeds))
    }
}

/// In as few ranges as their order allows.
impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|one, next| one + 1 == *next);
        let words = runs.map(|run| match run {
            [first, _, .., last] => format!("{first}..{last}"),
            few => few.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
        });
        f.write_str(&words.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_ranges_with_both_ends_and_single_numbers() {
        for (text, all, shown) in [
            ("7", &[7][..], "7"),
            ("1..4", &[1, 2, 3, 4], "1..4"),
            ("1, 5,9..12", &[1, 5, 9, 10, 11, 12], "1,5,9..12"),
            ("3..3,1,2", &[3, 1, 2], "3,1,2"),
            ("1,2,3", &[1, 2, 3], "1..3"),
        ] {
            let seeds: Seeds = text.parse().expect(text);
            assert_eq!((seeds.all(), seeds.to_string().as_str()), (all, shown), "{text}");
            assert_eq!(shown.parse(), Ok(seeds), "{text}");
        }
        assert_eq!(Seeds::first(40).to_string(), "1..40");
        let largest = format!("1..{SEEDS_MAX}");
        assert_eq!(largest.parse::<Seeds>().map(|seeds| seeds.all().len()), Ok(SEEDS_MAX));
        assert_eq!(Seeds::read("1..4", 3), Err(SeedsError::TooMany(3)));
    }

    #[test]
    fn what_is_no_list_of_seeds_gets_a_sentence_that_says_what_to_write() {
        for (text, words) in [
            ("", "a seed is missing"),
            ("1,,2", "like 1..40 or"),
            ("1,5,,", "a seed is missing"),
            ("x", "\"x\" is no seed"),
            ("-1", "\"-1\" is no seed"),
            ("1..", "\"1..\" lacks an end"),
            ("..9", "\"..9\" lacks an end"),
            ("..", "\"..\" lacks an end"),
            ("1..2..3", "\"2..3\" is no seed"),
            ("1-40", "\"1-40\" is no seed"),
            ("40..1", "write 1..40"),
            ("1..5,5", "seed 5 stands there twice"),
            ("4503599627370496", "seeds are below 4503599627370496"),
            ("99999999999999999999999", "is no seed"),
            ("0..4503599627370495", "more than 10000 seeds"),
            ("1..10000,20000", "more than 10000 seeds"),
        ] {
            let error = text.parse::<Seeds>().expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
