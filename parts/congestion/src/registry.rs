//! Controllers by name.

use core::fmt;

use crate::{Controller, Cubic, LinuxCubic, NewReno, Reno, SlowStart, Unlimited, Vegas};

/// One controller that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it is, in one line.
    pub description: &'static str,
    make: fn(u16) -> Box<dyn Controller>,
}

/// All of them, in an order that stays: new ones are added at the end.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "newreno",
        description: "halves its window at a loss, adds one packet per round trip (RFC 9002)",
        make: |mtu| Box::new(NewReno::new(mtu, SlowStart::Standard)),
    },
    Entry {
        name: "cubic",
        description: "returns fast to the window before a loss, then probes beyond (RFC 9438, HyStart++ of RFC 9406)",
        make: |mtu| Box::new(Cubic::new(mtu, SlowStart::hystart())),
    },
    Entry {
        name: "unlimited",
        description: "no congestion control: for links of one's own, and for measurements",
        make: |_| Box::new(Unlimited),
    },
    Entry {
        name: "reno",
        description: "newreno with slow start counted by acknowledgments (RFC 5681), for the reference TCP",
        make: |mtu| Box::new(Reno::new(mtu, SlowStart::Counted)),
    },
    Entry {
        name: "vegas",
        description: "keeps two to four packets in the queue, as round-trip times show (Brakmo and Peterson 1995)",
        make: |mtu| Box::new(Vegas::new(mtu)),
    },
    Entry {
        name: "linux-cubic",
        description: "cubic with Linux's slower pace where losses are frequent, for the reference TCP beside the kernel's",
        make: |mtu| Box::new(LinuxCubic::new(mtu, SlowStart::hystart())),
    },
];

/// A fresh controller for packets of `mtu` bytes.
///
/// # Errors
/// [`UnknownController`] if none has that name.
pub fn make(name: &str, mtu: u16) -> Result<Box<dyn Controller>, UnknownController> {
    match ENTRIES.iter().find(|entry| entry.name == name) {
        Some(entry) => Ok((entry.make)(mtu)),
        None => Err(UnknownController { name: name.chars().take(LONGEST_NAME).collect() }),
    }
}

/// A name that is longer than this is cut off in the error.
const LONGEST_NAME: usize = 32;

/// No controller has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownController {
    /// The name that was asked for, cut off after 32 characters.
    pub name: String,
}

impl UnknownController {
    /// The known name that needs the fewest changed characters.
    pub fn nearest(&self) -> &'static str {
        let nearest = ENTRIES.iter().min_by_key(|entry| edits(&self.name.to_lowercase(), entry.name));
        nearest.expect("the registry is not empty").name
    }
}

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no congestion controller is called {:?}; the nearest name is {:?} (all:",
            self.name,
            self.nearest()
        )?;
        for entry in ENTRIES {
            write!(f, " {}", entry.name)?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for UnknownController {}

/// Levenshtein's distance.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let here = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = here;
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_makes_the_controller_of_its_name() {
        for entry in ENTRIES {
            assert_eq!(make(entry.name, 1_200).unwrap().name(), entry.name);
            assert!(!entry.description.is_empty() && entry.name == entry.name.to_lowercase());
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = make("new-reno", 1_200).unwrap_err();
        assert_eq!(error.nearest(), "newreno");
        assert!(error.to_string().contains("nearest name is \"newreno\""), "{error}");
        assert_eq!(make("UNLIMITTED", 1_200).unwrap_err().nearest(), "unlimited");
        assert_eq!(make(&"x".repeat(1_000_000), 1_200).unwrap_err().name.len(), LONGEST_NAME);
    }

    #[test]
    fn edits_counts_changed_added_and_dropped_characters() {
        assert_eq!((edits("", "abc"), edits("abc", "abc"), edits("kitten", "sitting")), (3, 0, 3));
    }
}
