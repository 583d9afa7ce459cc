//! An experiment that has run.

use core::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::ran::{self, Unmet, holds_word, one_seed, seeds_needed};
use super::{Check, Experiment, Outcome, Params, Ran, Table, Varied};
use crate::settings::Settings;

/// An experiment that has run, and what came of it. As text it is for a terminal; as JSON it is one object:
/// `{name, seed, params, settings, results, checks: [{name, value, unit, goal, share, by_median, paper, why,
/// holds}], known_misses, varied, enough, holds}`.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Which.
    pub experiment: &'static Experiment,
    /// With this seed,
    pub seed: u64,
    /// these parameters,
    pub params: Params,
    /// and on real sockets or kernels, or in virtual time.
    pub real: bool,
    /// in worlds that were made of this.
    pub settings: Settings,
    /// What came of it.
    pub outcome: Outcome,
    /// And of other values of its parameters.
    pub varied: Vec<Varied>,
    /// Checks whose misses are known, by name.
    pub known: Vec<String>,
}

impl PartialEq for Experiment {
    /// Names are unique.
    fn eq(&self, other: &Experiment) -> bool {
        self.name == other.name
    }
}

impl Record {
    /// Whether every check holds with this seed.
    pub fn holds(&self) -> bool {
        self.outcome.holds()
    }

    /// The checks that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.outcome.checks.iter().filter(|check| !check.holds())
    }
}

impl Ran for Record {
    fn experiment(&self) -> &'static Experiment {
        self.experiment
    }

    fn params(&self) -> &Params {
        &self.params
    }

    fn is_real(&self) -> bool {
        self.real
    }

    fn seeds(&self) -> String {
        one_seed(self.seed, self.real)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn outcome(&self) -> Option<&Outcome> {
        Some(&self.outcome)
    }

    fn varied(&self) -> &[Varied] {
        &self.varied
    }

    fn seeds_run(&self) -> usize {
        1
    }

    fn seeds_needed(&self) -> usize {
        let strays = self.outcome.checks.iter().any(|check| !check.is_strict());
        seeds_needed(self.experiment, self.real, strays)
    }

    fn is_refuted(&self) -> bool {
        self.failed().any(Check::is_strict)
    }

    fn so_far(&self) -> String {
        match self.count() {
            [0, all] => format!("holds: {all} of {all} checks"),
            [unmet, all] => {
                format!("does not hold: {} of {all} checks hold{}", all - unmet, self.known_words())
            }
        }
    }

    fn checks(&self) -> Table {
        let mut table = Table::new(&["check", "measured", "goal", "paper", "holds"]).titled("Checks");
        for check in &self.outcome.checks {
            table.row(vec![
                check.name.clone(),
                check.measured_words(),
                check.goal_words(),
                check.paper.clone().unwrap_or_else(|| "–".to_owned()),
                holds_word(check.holds(), &check.name, &self.known),
            ]);
        }
        table
    }

    fn unmet(&self) -> Vec<Unmet> {
        self.failed().map(|check| Unmet { check: Some(check.name.clone()), words: check.to_string() }).collect()
    }

    fn names(&self) -> Vec<&str> {
        self.outcome.checks.iter().map(|check| &*check.name).collect()
    }

    fn known(&self) -> &[String] {
        &self.known
    }

    fn reasons(&self) -> Vec<String> {
        self.failed().filter_map(|check| Some(format!("Why not: {}: {}", check.name, check.why.as_ref()?))).collect()
    }

    fn count(&self) -> [usize; 2] {
        [self.failed().count(), self.outcome.checks.len()]
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Record", 10)?;
        object.serialize_field("name", self.experiment.name)?;
        object.serialize_field("seed", &self.seed)?;
        object.serialize_field("params", &self.params)?;
        object.serialize_field("settings", &self.settings.for_programs())?;
        object.serialize_field("results", &self.outcome.results)?;
        object.serialize_field("checks", &self.outcome.checks)?;
        object.serialize_field("known_misses", &self.known)?;
        object.serialize_field("varied", &self.varied)?;
        object.serialize_field("enough", &self.is_enough())?;
        object.serialize_field("holds", &self.verdict().holds())?;
        object.end()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ran::text(self, f)
    }
}
