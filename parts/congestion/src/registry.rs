//! Controllers by name. A name may carry parameters after a colon: `fixed:20mbit,500kB`, `eln:cubic`.
//!
//! A [`Choice`] is a name that has been understood: it makes as many controllers as there are paths, and cannot fail.
//! The names that come with this crate are understood by `"cubic".parse::<Choice>()`; [`Controllers`] understands
//! those that a program has registered, too.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;
use std::sync::Arc;

use crate::{
    Bbr, Controller, Cubic, Eln, Equation, Fixed, LinuxCubic, NewReno, Regulation, RegulationConfig, Reno, Share,
    SlowStart, Unlimited, Vegas,
};

/// Makes a fresh controller for packets of that many bytes.
pub type Maker = dyn Fn(u16) -> Box<dyn Controller> + Send + Sync;

/// A controller that was chosen by name.
#[derive(Clone)]
pub struct Choice {
    name: Arc<str>,
    make: Arc<Maker>,
}

impl Choice {
    /// The name of what governs a host that is told nothing else.
    pub const DEFAULT: &str = "cubic";

    /// What keeps to the share of a link that its owner gives it: `fixed`.
    pub fn fixed() -> Choice {
        "fixed".parse().expect("it comes with this crate")
    }

    /// None, where something else governs: `unlimited`.
    pub fn unlimited() -> Choice {
        "unlimited".parse().expect("it comes with this crate")
    }

    /// What makes controllers in a way of its own, under a name that says so: two of one name are the same.
    pub fn of(name: &str, make: impl Fn(u16) -> Box<dyn Controller> + Send + Sync + 'static) -> Choice {
        Choice { name: name.into(), make: Arc::new(make) }
    }

    /// The name that it was chosen by, parameters included.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without parameters.
    pub fn family(&self) -> &str {
        self.name.split_once(':').map_or(&self.name, |(family, _)| family)
    }

    /// A fresh controller for packets of `mtu` bytes.
    pub fn make(&self, mtu: u16) -> Box<dyn Controller> {
        (self.make)(mtu)
    }

    /// A regulation that a fresh one governs.
    pub fn regulation(&self, config: RegulationConfig) -> Regulation {
        Regulation::new(self.make(config.mtu), config)
    }
}

impl Default for Choice {
    fn default() -> Choice {
        Choice::DEFAULT.parse().expect("it comes with this crate")
    }
}

impl FromStr for Choice {
    type Err = UnknownController;

    /// One of those that come with this crate.
    fn from_str(text: &str) -> Result<Choice, UnknownController> {
        Controllers::default().choose(text)
    }
}

impl PartialEq for Choice {
    /// Two of one name are the same: a name is taken once.
    fn eq(&self, other: &Choice) -> bool {
        self.name == other.name
    }
}

impl Eq for Choice {}

impl PartialOrd for Choice {
    fn partial_cmp(&self, other: &Choice) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Choice {
    /// By their names.
    fn cmp(&self, other: &Choice) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// One controller that can be chosen by name, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// Its name, in lower case. It may be asked for by that alone.
    pub name: &'a str,
    /// How its name is written with parameters; none if it takes none.
    pub form: Option<&'static str>,
    /// What it is, in one line.
    pub description: &'a str,
}

/// One that comes with this crate.
struct Known {
    entry: Entry<'static>,
    /// Understands what stands behind the colon, if there is one.
    choose: fn(&Controllers, Option<&str>) -> Option<Arc<Maker>>,
}

/// One that takes no parameters.
macro_rules! plain {
    ($name:literal, $description:literal, $make:expr) => {
        Known {
            entry: Entry { name: $name, form: None, description: $description },
            choose: |_, parameters| parameters.is_none().then(|| maker($make)),
        }
    };
}

fn maker(make: impl Fn(u16) -> Box<dyn Controller> + Send + Sync + 'static) -> Arc<Maker> {
    Arc::new(make)
}

/// All of them, in an order that stays: new ones are added at the end.
const KNOWN: &[Known] = &[
    plain!(
        "newreno",
        "halves its window at a loss, takes a fifth at a mark, adds one packet per round trip (RFC 9002, RFC 8511)",
        |mtu| Box::new(NewReno::new(mtu, SlowStart::Standard))
    ),
    plain!(
        "cubic",
        "returns fast to the window before a loss, then probes beyond (RFC 9438, HyStart++ of RFC 9406)",
        |mtu| Box::new(Cubic::new(mtu, SlowStart::hystart()))
    ),
    plain!("unlimited", "no congestion control: for links of one's own, and for measurements", |_| Box::new(Unlimited)),
    plain!("reno", "newreno with slow start counted by acknowledgments (RFC 5681), for the reference TCP", |mtu| {
        Box::new(Reno::new(mtu, SlowStart::Counted))
    }),
    plain!(
        "vegas",
        "keeps two to four packets in the queue, as round-trip times show (Brakmo and Peterson 1995)",
        |mtu| Box::new(Vegas::new(mtu))
    ),
    plain!(
        "linux-cubic",
        "cubic with Linux's slower pace where losses are frequent, for the reference TCP beside the kernel's",
        |mtu| Box::new(LinuxCubic::new(mtu, SlowStart::hystart()))
    ),
    plain!(
        "bbr",
        "sends at the rate that the path has shown, and takes few losses for chance (version 3, draft-ietf-ccwg-bbr)",
        |mtu| Box::new(Bbr::new(mtu))
    ),
    Known {
        entry: Entry {
            name: "eln",
            form: Some("eln[:CONTROLLER], as eln:cubic"),
            description: "newreno, or another, that forgives losses which the link reports as its own (Tng 5.2)",
        },
        choose: |controllers, inner| {
            // One that wraps another is not wrapped itself: nobody's text decides how deep this goes.
            let inner = inner.unwrap_or("newreno");
            let inner = (inner != "eln" && !inner.contains(':')).then(|| controllers.choose(inner).ok())??;
            Some(maker(move |mtu| Box::new(Eln::new(inner.make(mtu)))))
        },
    },
    Known {
        entry: Entry {
            name: "fixed",
            form: Some("fixed[:RATE[,WINDOW]], as fixed:20mbit,500kB"),
            description: "keeps to a rate and a window set by the link's owner, whatever the path does (Tng 6.2)",
        },
        choose: |_, parameters| {
            let share = parameters.map(|text| share(text).ok_or(())).transpose().ok()?;
            Some(maker(move |mtu| Box::new(Fixed::new(mtu, share))))
        },
    },
    plain!("equation", "the smooth rate that TCP would have at the loss rate seen (RFC 5348)", |mtu| {
        Box::new(Equation::new(mtu))
    }),
];

/// The controllers that can be chosen by name: those that come with this crate, and those that a program registers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Controllers {
    registered: Vec<Registered>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Registered {
    choice: Choice,
    description: String,
}

impl Controllers {
    /// Has `make` make the controllers of this name, from now on and in what is cloned from this. `eln:NAME` wraps
    /// them. Whether they keep to the rules that all keep to, [`battery`](crate::battery) tells.
    ///
    /// # Errors
    /// If the name is taken, or none.
    pub fn register(
        &mut self,
        name: &str,
        description: &str,
        make: impl Fn(u16) -> Box<dyn Controller> + Send + Sync + 'static,
    ) -> Result<(), RegisterError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(allowed) {
            return Err(RegisterError::Name { name: cut_off(name) });
        }
        if self.entries().any(|entry| entry.name == name) {
            return Err(RegisterError::Taken { name: name.to_owned() });
        }
        self.registered.push(Registered { choice: Choice::of(name, make), description: description.to_owned() });
        Ok(())
    }

    /// All of them: those of this crate, then the others, the first registered first.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let registered = self.registered.iter().map(|Registered { choice, description }| Entry {
            name: choice.name(),
            form: None,
            description,
        });
        KNOWN.iter().map(|known| known.entry).chain(registered)
    }

    /// The controller of that name: `NAME`, or `NAME:PARAMETERS`.
    ///
    /// # Errors
    /// [`UnknownController`] if none has that name or takes those parameters.
    pub fn choose(&self, text: &str) -> Result<Choice, UnknownController> {
        let (name, parameters) = match text.split_once(':') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (text, None),
        };
        let known = KNOWN.iter().find(|known| known.entry.name == name);
        let registered = self.registered.iter().find(|own| own.choice.name() == name);
        let (form, make) = match (known, registered) {
            (Some(known), _) => (known.entry.form, (known.choose)(self, parameters)),
            (None, Some(own)) => (None, parameters.is_none().then(|| Arc::clone(&own.choice.make))),
            (None, None) => return Err(self.unknown("", name)),
        };
        match make {
            Some(make) => Ok(Choice { name: text.into(), make }),
            None if wraps_another(text) => Err(self.unknown(ELN, &text[ELN.len()..])),
            None => Err(UnknownController::Parameters {
                name: name.to_owned(),
                form,
                parameters: cut_off(parameters.unwrap_or_default()),
            }),
        }
    }

    /// `name` stands behind `before`.
    fn unknown(&self, before: &str, name: &str) -> UnknownController {
        let names =
            self.entries().map(|entry| entry.name).filter(|name| before.is_empty() || !before.starts_with(name));
        let all: Vec<String> = names.map(|name| format!("{before}{name}")).collect();
        UnknownController::of(cut_off(&format!("{before}{name}")), all)
    }
}

/// What stands before the name of a controller that is wrapped.
const ELN: &str = "eln:";

/// Whether a text asks for a wrapped controller by a name that could be one's.
fn wraps_another(text: &str) -> bool {
    text.strip_prefix(ELN).is_some_and(|inner| !inner.is_empty() && !inner.contains(':') && inner != "eln")
}

/// Longest name that can be registered, in bytes.
pub const NAME_MAX: usize = 32;

/// Why a controller is not registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisterError {
    /// There is one of this name.
    Taken {
        /// The name.
        name: String,
    },
    /// This is no name.
    Name {
        /// What was given, cut off after 32 characters.
        name: String,
    },
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken { name } => {
                write!(f, "a congestion controller is called {name} already; take another name")
            }
            RegisterError::Name { name } => write!(
                f,
                "a controller cannot be called {name:?}; take 1 to {NAME_MAX} of the characters a-z, 0-9 and -"
            ),
        }
    }
}

impl core::error::Error for RegisterError {}

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
        /// The name that is most like it.
        nearest: String,
        /// All names.
        all: Vec<String>,
    },
    /// The controller does not understand its parameters.
    Parameters {
        /// The controller.
        name: String,
        /// What it would understand; none: no parameters at all.
        form: Option<&'static str>,
        /// The parameters given, cut off after 32 characters.
        parameters: String,
    },
}

impl UnknownController {
    fn of(name: String, all: Vec<String>) -> UnknownController {
        // The known name that needs the fewest changed characters.
        let nearest = all.iter().min_by_key(|known| edits(&name.to_lowercase(), known));
        UnknownController::Name { nearest: nearest.cloned().unwrap_or_default(), name, all }
    }

    /// The same without the names that would be refused, too.
    #[must_use]
    pub(crate) fn without(self, is_refused: impl Fn(&str) -> bool) -> UnknownController {
        match self {
            UnknownController::Name { name, all, .. } => {
                UnknownController::of(name, all.into_iter().filter(|known| !is_refused(known)).collect())
            }
            parameters @ UnknownController::Parameters { .. } => parameters,
        }
    }
}

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownController::Name { name, nearest, all } => write!(
                f,
                "no congestion controller is called {name:?}; the nearest name is {nearest:?} (all: {})",
                all.join(" ")
            ),
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

    fn choice(text: &str) -> Choice {
        text.parse().unwrap()
    }

    fn refusal(text: &str) -> UnknownController {
        text.parse::<Choice>().unwrap_err()
    }

    #[test]
    fn every_entry_makes_the_controller_of_its_name() {
        for entry in Controllers::default().entries() {
            let made = choice(entry.name);
            assert_eq!((made.name(), made.make(1_200).name()), (entry.name, entry.name));
            assert!(!entry.description.is_empty() && entry.name == entry.name.to_lowercase());
        }
        assert_eq!([Choice::default(), Choice::fixed()], ["cubic", "fixed"].map(choice));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = refusal("new-reno").to_string();
        assert!(error.contains("nearest name is \"newreno\" (all: newreno cubic "), "{error}");
        assert!(refusal("UNLIMITTED").to_string().contains("\"unlimited\""));
        let UnknownController::Name { name, .. } = refusal(&"x".repeat(1_000_000)) else { panic!("it has no name") };
        assert_eq!(name, "x".repeat(LONGEST_QUOTE));
    }

    #[test]
    fn a_name_may_carry_parameters() {
        let window = |text| choice(text).make(1_200).window();
        assert_eq!((window("fixed:20mbit,500kB"), window("fixed:20Mbit,1MiB")), (500_000, 1 << 20));
        let rate = |text| choice(text).make(1_200).pacing_rate();
        assert_eq!(rate("fixed"), None, "its owner will tell");
        assert_eq!((rate("fixed:20mbit"), rate("fixed:1.544mbit,10kb")), (Some(2_500_000), Some(193_000)));
        for entry in Controllers::default().entries().filter(|entry| entry.name != "eln") {
            let wrapped = choice(&format!("eln:{}", entry.name));
            assert_eq!(wrapped.make(1_200).window(), choice(entry.name).make(1_200).window(), "{}", entry.name);
            assert_eq!((wrapped.family(), wrapped.make(1_200).name()), ("eln", "eln"));
        }
    }

    /// One that a program brings: newreno under another name.
    fn registered() -> Controllers {
        let mut controllers = Controllers::default();
        let make = |mtu| -> Box<dyn Controller> { Box::new(NewReno::new(mtu, SlowStart::Standard)) };
        controllers.register("our-own", "for a test", make).unwrap();
        controllers
    }

    #[test]
    fn what_a_program_registers_is_chosen_listed_wrapped_and_held_to_the_battery() {
        let controllers = registered();
        let own = controllers.choose("our-own").unwrap();
        crate::battery::all(&|mtu| own.make(mtu));
        let wrapped = controllers.choose("eln:our-own").unwrap();
        crate::battery::all(&|mtu| wrapped.make(mtu));
        assert_eq!((wrapped.name(), wrapped.make(1_200).name()), ("eln:our-own", "eln"));
        let last = Entry { name: "our-own", form: None, description: "for a test" };
        assert_eq!(controllers.entries().last(), Some(last));
        let error = controllers.choose("our-on").unwrap_err().to_string();
        assert!(error.contains("nearest name is \"our-own\""), "{error}");
        let error = controllers.choose("our-own:5").unwrap_err().to_string();
        assert_eq!(error, "the congestion controller our-own takes no parameters, but \"5\" was given");
        assert!("our-own".parse::<Choice>().is_err(), "it is known where it was registered, and nowhere else");
    }

    #[test]
    fn a_name_is_taken_once_and_is_a_word() {
        let mut controllers = registered();
        let mut refused = |name: &str| {
            let error = controllers.register(name, "", |_| Box::new(Unlimited)).unwrap_err();
            (error.clone(), error.to_string())
        };
        for name in ["our-own", "cubic", "eln"] {
            assert_eq!(refused(name).0, RegisterError::Taken { name: name.to_owned() });
        }
        for name in ["", "Cubic", "eln:x", "a b", "\u{e9}", &"x".repeat(NAME_MAX + 1)] {
            assert!(refused(name).1.contains("take 1 to 32 of the characters"), "{name}");
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
            let error = refusal(&format!("fixed:{text}")).to_string();
            assert!(error.contains("write fixed[:RATE[,WINDOW]], as fixed:20mbit,500kB"), "{error}");
        }
        for text in ["eln:eln", "eln:eln:cubic", "eln:", "eln:fixed:1mbit"] {
            let error = refusal(text).to_string();
            assert!(error.contains("write eln[:CONTROLLER], as eln:cubic"), "{error}");
        }
        let error = refusal("eln:vgas").to_string();
        let expected =
            "no congestion controller is called \"eln:vgas\"; the nearest name is \"eln:vegas\" (all: eln:newreno ";
        assert!(error.starts_with(expected) && !error.contains("eln:eln"), "{error}");
        let error = refusal("cubic:0.7").to_string();
        assert_eq!(error, "the congestion controller cubic takes no parameters, but \"0.7\" was given");
        assert!(refusal(&format!("fixed:{}", "x".repeat(1_000_000))).to_string().len() < 200);
    }

    #[test]
    fn edits_counts_changed_added_and_dropped_characters() {
        assert_eq!((edits("", "abc"), edits("abc", "abc"), edits("kitten", "sitting")), (3, 0, 3));
    }
}
