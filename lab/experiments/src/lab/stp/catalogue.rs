//! The 27 extensions of STP's Table 1: what stands for each here, and the scenario in which it is worth something.

mod bulk;
mod list;
mod shown;
mod talk;

use core::fmt;

use tng_stp_host::{Cap, Code};

use crate::lab::{Context, Goal, RunError};
use crate::peers::contest::Transport;
use crate::peers::guests::{Guest, GuestRun, Ran};

pub use list::{EXTENSIONS, MEDIA};

/// Whether an extension can be had as a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// It can.
    Yes,
    /// It cannot: it is not TCP-friendly.
    No,
    /// As far as it is TCP-friendly.
    Part,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mark::Yes => "yes",
            Mark::No => "no",
            Mark::Part => "yes / no",
        })
    }
}

/// An extension.
#[derive(Debug)]
pub struct Extension {
    /// Category and place in the paper's Table 1.
    pub number: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// The paper's mark in Table 5, which has categories 1 and 2.
    pub paper: Option<Mark>,
    /// Ours, if the check holds.
    pub ours: Mark,
    /// What stands for it.
    pub by: By,
}

/// What stands for an extension.
#[derive(Debug)]
pub enum By {
    /// A guest.
    Guest(Entry),
    /// A module that is a guest like any other, and is held: shown so, and where policy trusts the receiver.
    Held(&'static str, Show, Show),
    /// The host's own: no guest can have it, or need have it.
    Host(Show),
}

/// Shows it.
pub type Show = fn(&Bench<'_>) -> Result<Figure, RunError>;

impl Extension {
    /// The module that stands for it, if one does.
    pub fn module(&self) -> Option<&'static str> {
        match &self.by {
            By::Guest(entry) => Some(entry.module),
            By::Held(module, ..) => Some(module),
            By::Host(_) => None,
        }
    }

    /// What stands for it, in words.
    pub fn kind(&self) -> String {
        match &self.by {
            By::Guest(entry) => format!("guest `{}`", entry.module),
            By::Held(module, ..) => format!("guest `{module}`, held by the policer but where the receiver is trusted"),
            By::Host(_) => "the host's own".to_owned(),
        }
    }

    /// Measures it where policy trusts the receiver, if that makes a difference (STP 3.4).
    pub fn trusted(&self) -> Option<Show> {
        match self.by {
            By::Held(.., trusted) => Some(trusted),
            By::Guest(_) | By::Host(_) => None,
        }
    }

    /// Measures it.
    ///
    /// # Errors
    /// If a world cannot be.
    pub fn figure(&self, bench: &Bench<'_>) -> Result<Figure, RunError> {
        match &self.by {
            By::Guest(entry) => entry.figure(bench),
            By::Held(_, show, _) | By::Host(show) => show(bench),
        }
    }
}

/// A guest, and where it is worth something.
#[derive(Debug)]
pub struct Entry {
    /// Name of its module.
    pub module: &'static str,
    /// It, compiled in.
    pub code: fn(&str) -> Code,
    /// What it is held against: TCP of 1988, but where that has nothing of the kind.
    pub baseline: fn(&str) -> Code,
    /// In which ends it is enough to have it: at the sender, at the receiver.
    pub one_end: [bool; 2],
    /// What is measured.
    pub what: &'static str,
    /// In what.
    pub unit: &'static str,
    /// Whether less is better.
    pub less: bool,
    /// What the gain has to be.
    pub goal: Goal,
    /// Measures it.
    pub measure: fn(&Bench<'_>, Guest) -> Result<f64, RunError>,
}

/// What was measured of an extension.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// What.
    pub what: String,
    /// In what.
    pub unit: &'static str,
    /// Without it.
    pub baseline: f64,
    /// With it.
    pub with: f64,
    /// The one by the other, so that more is better.
    pub gain: f64,
    /// What the gain has to be.
    pub goal: Goal,
}

impl Entry {
    /// Both ends have it, or one, or none: what is measured.
    ///
    /// # Errors
    /// If a world cannot be.
    pub fn at_ends(&self, bench: &Bench<'_>, ends: [bool; 2]) -> Result<f64, RunError> {
        let code = |has: bool| if has { (self.code)(NAME) } else { (self.baseline)(NAME) };
        (self.measure)(bench, Guest::between(code(ends[0]), code(ends[1])))
    }

    /// The gain, from what was measured without and with it.
    pub fn gain(&self, baseline: f64, with: f64) -> f64 {
        if self.less { baseline / with } else { with / baseline }
    }

    /// Without it, and with it at both ends.
    ///
    /// # Errors
    /// If a world cannot be.
    pub fn figure(&self, bench: &Bench<'_>) -> Result<Figure, RunError> {
        let (baseline, with) = (self.at_ends(bench, [false; 2])?, self.at_ends(bench, [true; 2])?);
        let gain = self.gain(baseline, with);
        Ok(Figure { what: self.what.to_owned(), unit: self.unit, baseline, with, gain, goal: self.goal })
    }
}

/// By which two ends of other code find each other.
const NAME: &str = "extension";

/// Where measuring is done.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The experiment's.
    pub context: &'a Context<'a>,
    /// Worlds; the mean of them is taken.
    pub worlds: u64,
}

impl Bench<'_> {
    /// The mean of worlds.
    fn mean(&self, of: impl Fn(u64) -> Result<f64, RunError>) -> Result<f64, RunError> {
        let values = (0..self.worlds).map(|world| of(self.context.seed_of(world))).collect::<Result<Vec<_>, _>>()?;
        Ok(super::testbed::mean(&values))
    }
}

/// A guest behind the policer.
fn policed(guest: Guest) -> GuestRun {
    GuestRun { guest, ran: Ran::Policed, cap: Cap::Equation }
}

/// The same as what a party of a contest speaks.
fn speaks(guest: Guest) -> Transport {
    Transport::Stp(policed(guest))
}
