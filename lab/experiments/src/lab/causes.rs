//! Why clients failed, and how many of them for each cause.

use core::fmt;
use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Different causes that are told apart; what else there is counts together.
const CAUSES_MAX: usize = 16;
const OTHERS: &str = "other causes";

/// Failures by cause. An error says what failed, then a semicolon, then what to try: its cause is what it says first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::lab) struct Causes(BTreeMap<String, u64>);

impl Causes {
    /// So many more failed, and said that.
    pub(in crate::lab) fn note(&mut self, count: u64, words: &str) {
        if count == 0 {
            return;
        }
        let cause = words.split(';').next().unwrap_or_default().trim();
        let is_told = self.0.contains_key(cause) || self.0.len() < CAUSES_MAX;
        *self.0.entry(if is_told { cause } else { OTHERS }.to_owned()).or_default() += count;
    }

    /// All that failed.
    pub(in crate::lab) fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Each cause and how many, most of all first.
    pub(in crate::lab) fn by_count(&self) -> Vec<(&str, u64)> {
        let mut counts: Vec<_> = self.0.iter().map(|(cause, count)| (cause.as_str(), *count)).collect();
        counts.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
        counts
    }

    /// The same for programs.
    pub(in crate::lab) fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// Nothing if none failed.
impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes = self.by_count().into_iter().map(|(cause, count)| format!("{count}: {cause}"));
        f.write_str(&causes.collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_counted_by_what_its_error_says_before_what_to_try() {
        let mut causes = Causes::default();
        causes.note(0, "nothing at all");
        assert_eq!((causes.count(), causes.to_string()), (0, String::new()));
        causes.note(1, "a byte is another; from 7 on");
        causes.note(1, "no answer in time; check the address");
        causes.note(2, "no answer in time; check the network");
        assert_eq!(causes.count(), 4);
        assert_eq!(causes.by_count(), [("no answer in time", 3), ("a byte is another", 1)]);
        assert_eq!(causes.to_string(), "3: no answer in time; 1: a byte is another");
        assert_eq!(causes.to_json(), json!({ "no answer in time": 3, "a byte is another": 1 }));
    }

    #[test]
    fn causes_beyond_sixteen_count_together() {
        let mut causes = Causes::default();
        (0..20).for_each(|number| causes.note(1, &format!("cause {number}")));
        causes.note(1, "cause 3");
        assert_eq!(causes.by_count()[..2], [(OTHERS, 4), ("cause 3", 2)]);
    }
}
