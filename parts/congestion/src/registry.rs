//! Controllers by name. A name may carry parameters after a colon: `fixed:20mbit,500kB`, `eln:cubic`.

use core::fmt;

use crate::{
    Bbr, Controller, Cubic, Eln, Equation, Fixed, LinuxCubic, NewReno, Reno, Share, SlowStart, Unlimited, Vegas,
};

/// One controller that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, in lower case. It may be asked for by that alone.
    pub name: &'static str,
    /// How its name is written with parameters, for people; none if it takes none.
    pub form: Option<&'static str>,
    /// What it is, in one line.
    pub description: &'static str,
    make: fn(u16) -> Box<dyn Controller>,
    /// Makes one of the parameters, unless they are malformed.
    make_with: fn(&str, u16) -> Option<Box<dyn Controller>>,
}

/// One that takes no parameters.
const fn plain(name: &'static str, description: &'static str, make: fn(u16) -> Box<dyn Controller>) -> Entry {
    Entry { name, form: None, description, make, make_with: |_, _| None }
}

/// All of them, in an order that stays: new ones are added at the end.
pub const ENTRIES: &[Entry] = &[
    plain(
        "newreno",
        "halves its window at a loss, takes a fifth at a mark, adds one packet per round trip (RFC 9002, RFC 8511)",
        |mtu| Box::new(NewReno::new(mtu, SlowStart::Standard)),
    ),
    plain(
        "cubic",
        "returns fast to the window before a loss, then probes beyond (RFC 9438, HyStart++ of RFC 9406)",
        |mtu| Box::new(Cubic::new(mtu, SlowStart::hystart())),
    ),
    plain("unlimited", "no congestion control: for links of one's own, and for measurements", |_| Box::new(Unlimited)),
    plain("reno", "newreno with slow start counted by acknowledgments (RFC 5681), for the reference TCP", |mtu| {
        Box::new(Reno::new(mtu, SlowStart::Counted))
    }),
    plain(
        "vegas",
        "keeps two to four packets in the queue, as round-trip times show (Brakmo and Peterson 1995)",
        |mtu| Box::new(Vegas::new(mtu)),
    ),
    plain(
        "linux-cubic",
        "cubic with Linux's slower pace where losses are frequent, for the reference TCP beside the kernel's",
        |mtu| Box::new(LinuxCubic::new(mtu, SlowStart::hystart())),
    ),
    plain(
        "bbr",
        "sends at the rate that the path has shown, and takes few losses for chance (version 3, draft-ietf-ccwg-bbr)",
        |mtu| Box::new(Bbr::new(mtu)),
    ),
    Entry {
        name: "eln",
        form: Some("eln[:CONTROLLER], as eln:cubic"),
        description: "newreno, or another, that does not reduce for losses which the link reports as its own (Tng 5.2)",
        make: |mtu| Box::new(Eln::new(Box::new(NewReno::new(mtu, SlowStart::Standard)))),
        make_with: |inner, mtu| {
            // One that wraps another is not wrapped itself: nobody's text decides how deep this goes.
            let named = |entry: &&Entry| entry.name == inner && entry.name != "eln";
            let entry = ENTRIES.iter().find(named)?;
            Some(Box::new(Eln::new((entry.make)(mtu))))
        },
    },
    Entry {
        name: "fixed",
        form: Some("fixed[:RATE[,WINDOW]], as fixed:20mbit,500kB"),
        description: "keeps to a rate and a window set by the link's owner, whatever the path does (Tng 6.2)",
        make: |mtu| Box::new(Fixed::new(mtu, None)),
        make_with: |parameters, mtu| Some(Box::new(Fixed::new(mtu, Some(share(parameters)?)))),
    },
    plain("equation", "the smooth rate that TCP would have at the loss rate seen (RFC 5348)", |mtu| {
        Box::new(Equation::new(mtu))
    }),
];

/// A fresh controller for packets of `mtu` bytes: `name`, or `name:parameters`.
///
/// # Errors
/// [`UnknownController`] if none has that name or takes those parameters.
pub fn make(text: &str, mtu: u16) -> Result<Box<dyn Controller>, UnknownController> {
    let (name, parameters) = match text.split_once(':') {
        Some((name, parameters)) => (name, Some(parameters)),
        None => (text, None),
    };
    let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) else {
        return Err(UnknownController::Name { name: cut_off(name) });
    };
    let Some(parameters) = parameters else { return Ok((entry.make)(mtu)) };
    (entry.make_with)(parameters, mtu).ok_or_else(|| UnknownController::Parameters {
        name: entry.name,
        form: entry.form,
        parameters: cut_off(parameters),
    })
}

/// What is longer than this is cut off in the error.
const LONGEST_QUOTE: usize = 32;

fn cut_off(text: &str) -> String {
    text.chars().take(LONGEST_QUOTE).collect()
}

/// No controller is called so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownController {
    /// No controller has this name.
    Name {
        /// The name that was asked for, cut off after 32 characters.
        name: String,
    },
    /// The controller does not understand its parameters.
    Parameters {
        /// The controller.
        name: &'static str,
        /// What it would understand; none: no parameters at all.
        form: Option<&'static str>,
        /// The parameters given, cut off after 32 characters.
        parameters: String,
    },
}

/// The known name that needs the fewest changed characters.
fn nearest(name: &str) -> &'static str {
    let nearest = ENTRIES.iter().min_by_key(|entry| edits(&name.to_lowercase(), entry.name));
    nearest.expect("the registry is not empty").name
}

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownController::Name { name } => {
                let near = nearest(name);
                write!(f, "no congestion controller is called {name:?}; the nearest name is {near:?} (all:")?;
                for entry in ENTRIES {
                    write!(f, " {}", entry.name)?;
                }
                f.write_str(")")
            }
            UnknownController::Parameters { name, form: None, parameters } => {
                write!(f, "the congestion controller {name} takes no parameters, but {parameters:?} was given")
            }
            UnknownController::Parameters { name, form: Some(form), parameters } => {
                write!(f, "the congestion controller {name} does not understand {parameters:?}; write {form}")
            }
        }
    }
}

impl core::error::Error for UnknownController {}

/// `RATE` or `RATE,WINDOW`: `20mbit`, `1.5gbit,500kB`.
fn share(text: &str) -> Option<Share> {
    let (rate, window) = match text.split_once(',') {
        Some((rate, window)) => (rate, Some(window)),
        None => (text, None),
    };
    let rate = amount(rate, &[("bit", 1), ("kbit", 1_000), ("mbit", 1_000_000), ("gbit", 1_000_000_000)])? / 8;
    let units = [("b", 1), ("kb", 1_000), ("kib", 1 << 10), ("mb", 1_000_000), ("mib", 1 << 20)];
    let window = window.map(|window| amount(window, &units).filter(|&bytes| bytes > 0).ok_or(()));
    Some(Share { rate: Some(rate).filter(|&rate| rate > 0)?, window: window.transpose().ok()? })
}

/// A decimal number with a unit, in upper or lower case; what is beyond the point counts as far as it makes whole units
/// of one.
fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then_some(());
    digits(whole)?;
    digits(decimals)?;
    let places = u32::try_from(decimals.len()).ok().filter(|places| *places <= 9)?;
    let part = decimals.parse::<u64>().ok()?.checked_mul(*factor)? / 10_u64.pow(places);
    whole.parse::<u64>().ok()?.checked_mul(*factor)?.checked_add(part)
}

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
        assert!(error.to_string().contains("nearest name is \"newreno\""), "{error}");
        assert_eq!((nearest("new-reno"), nearest("UNLIMITTED")), ("newreno", "unlimited"));
        let long = make(&"x".repeat(1_000_000), 1_200).unwrap_err();
        assert_eq!(long, UnknownController::Name { name: "x".repeat(LONGEST_QUOTE) });
    }

    #[test]
    fn a_name_may_carry_parameters() {
        let window = |text| make(text, 1_200).unwrap().window();
        assert_eq!((window("fixed:20mbit,500kB"), window("fixed:20Mbit,1MiB")), (500_000, 1 << 20));
        let rate = |text| make(text, 1_200).unwrap().pacing_rate();
        assert_eq!(rate("fixed"), None, "its owner will tell");
        assert_eq!((rate("fixed:20mbit"), rate("fixed:1.544mbit,10kb")), (Some(2_500_000), Some(193_000)));
        for entry in ENTRIES.iter().filter(|entry| entry.name != "eln") {
            let (wrapped, alone) = (make(&format!("eln:{}", entry.name), 1_200), make(entry.name, 1_200));
            assert_eq!(wrapped.unwrap().window(), alone.unwrap().window(), "{}", entry.name);
        }
    }

    #[test]
    fn the_form_of_malformed_parameters_is_told() {
        let wrong = [
            "",
            "20",
            "mbit",
            "20mb",
            "-1mbit",
            "20mbit,",
            "20mbit,5",
            "20mbit,1kB,1kB",
            "0bit",
            "7bit",
            "1mbit,0B",
            ".5mbit",
            "5.mbit",
            "1.0000000001mbit",
            "99999999999999999999gbit",
            "20000000000gbit",
            "20 mbit",
            "2é0mbit",
            "1.2.3mbit",
        ];
        for text in wrong {
            let error = make(&format!("fixed:{text}"), 1_200).unwrap_err().to_string();
            assert!(error.contains("write fixed[:RATE[,WINDOW]], as fixed:20mbit,500kB"), "{error}");
        }
        for text in ["eln:eln", "eln:eln:cubic", "eln:", "eln:fixed:1mbit"] {
            let error = make(text, 1_200).unwrap_err().to_string();
            assert!(error.contains("write eln[:CONTROLLER], as eln:cubic"), "{error}");
        }
        let error = make("cubic:0.7", 1_200).unwrap_err().to_string();
        assert_eq!(error, "the congestion controller cubic takes no parameters, but \"0.7\" was given");
        assert!(make(&format!("fixed:{}", "x".repeat(1_000_000)), 1_200).unwrap_err().to_string().len() < 200);
    }

    #[test]
    fn edits_counts_changed_added_and_dropped_characters() {
        assert_eq!((edits("", "abc"), edits("abc", "abc"), edits("kitten", "sitting")), (3, 0, 3));
    }
}
