//! Controllers for the sections of a helped path.

use core::fmt;
use core::ops::Deref;
use core::str::FromStr;

use crate::{Choice, Controllers, UnknownController};

/// Those that make a model of the path from when packets are acknowledged.
const MODELLING: &[&str] = &["bbr"];

/// Whether the innermost controller of this name is one of them.
fn is_modelling(name: &str) -> bool {
    MODELLING.contains(&name.rsplit(':').next().unwrap_or_default())
}

/// A controller that can govern a section of a helped path, which is acknowledged for what the next section takes from
/// the queue between the two (Tng 4.3).
///
/// That is any but bbr, alone or wrapped: the next section takes packets now faster, now slower; bbr believes the
/// fastest rate for two cycles, and keeps a round trip's worth of packets waiting in the queue.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SectionChoice(Choice);

impl SectionChoice {
    /// What governs the sections of a host whose direct channels are under `controller`: the same, or what is the
    /// default if that cannot.
    pub fn of_host(controller: &Choice) -> SectionChoice {
        SectionChoice::try_from(controller.clone()).unwrap_or_default()
    }
}

impl TryFrom<Choice> for SectionChoice {
    type Error = NotForSections;

    fn try_from(choice: Choice) -> Result<SectionChoice, NotForSections> {
        match is_modelling(choice.name()) {
            true => Err(NotForSections { name: choice.name().to_owned() }),
            false => Ok(SectionChoice(choice)),
        }
    }
}

impl From<SectionChoice> for Choice {
    fn from(choice: SectionChoice) -> Choice {
        choice.0
    }
}

impl Deref for SectionChoice {
    type Target = Choice;

    fn deref(&self) -> &Choice {
        &self.0
    }
}

impl FromStr for SectionChoice {
    type Err = SectionChoiceError;

    /// One of those that come with this crate.
    fn from_str(text: &str) -> Result<SectionChoice, SectionChoiceError> {
        let choice: Choice = text
            .parse()
            .map_err(|error: UnknownController| SectionChoiceError::Unknown(error.without(is_modelling)))?;
        choice.try_into().map_err(SectionChoiceError::NotForSections)
    }
}

impl fmt::Debug for SectionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// This controller cannot govern a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotForSections {
    /// Its name.
    pub name: String,
}

impl fmt::Display for NotForSections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let controllers = Controllers::default();
        let others: Vec<&str> = controllers.entries().map(|entry| entry.name).collect();
        let others: Vec<&str> = others.into_iter().filter(|name| !MODELLING.contains(name)).collect();
        write!(
            f,
            "{:?} cannot govern sections between helpers, whose queues it would take for the path; choose one of {}",
            self.name,
            others.join(" ")
        )
    }
}

impl core::error::Error for NotForSections {}

/// No section can be governed so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SectionChoiceError {
    /// There is no such controller.
    Unknown(UnknownController),
    /// There is, and it cannot.
    NotForSections(NotForSections),
}

impl fmt::Display for SectionChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SectionChoiceError::Unknown(error) => error.fmt(f),
            SectionChoiceError::NotForSections(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SectionChoiceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bbr_is_refused_by_name_with_what_can_be_chosen_and_wrapped_it_is_bbr_still() {
        for name in ["bbr", "eln:bbr"] {
            let error = name.parse::<SectionChoice>().expect_err(name).to_string();
            assert!(error.starts_with(&format!("{name:?} cannot govern sections")), "{error}");
            assert!(error.contains("newreno cubic") && !error.ends_with("bbr") && !error.contains(" bbr "), "{error}");
        }
        for entry in Controllers::default().entries().filter(|entry| entry.name != "bbr") {
            let chosen = entry.name.parse::<SectionChoice>().expect("it governs what it is asked to");
            assert_eq!(chosen.name(), entry.name);
        }
        for (name, nearest) in [("bbrr", "bbr"), ("eln:bbrr", "eln:bbr")] {
            let unknown = name.parse::<SectionChoice>().expect_err(name).to_string();
            assert!(unknown.starts_with("no congestion controller is called"), "{unknown}");
            assert!(!unknown.contains("bbr\"") && !unknown.contains("bbr ") && !unknown.contains("bbr)"), "{unknown}");
            let all = name.parse::<Choice>().expect_err(name).to_string();
            assert!(all.contains(&format!("{nearest:?}")), "control: {all}");
        }
    }

    #[test]
    fn the_sections_of_a_host_are_under_its_controller_or_under_the_default() {
        let of_host = |name: &str| SectionChoice::of_host(&name.parse().expect("it is known")).name().to_owned();
        assert_eq!(["vegas", "fixed:20mbit", "bbr"].map(of_host), ["vegas", "fixed:20mbit", Choice::DEFAULT]);
    }
}
