//! An experiment that has run.

use core::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::{Map, Value};

use super::check::with_unit;
use super::{Chart, Check, Experiment, Outcome, Params, Table, text};
use crate::settings::Settings;

/// An experiment that has run, and what came of it. As text it is for a terminal; as JSON it is one object:
/// `{name, seed, params, settings, results, checks: [{name, value, unit, goal, share, paper, holds}]}`.
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
}

impl PartialEq for Experiment {
    /// Names are unique.
    fn eq(&self, other: &Experiment) -> bool {
        self.name == other.name
    }
}

impl Record {
    /// Whether every check holds.
    pub fn holds(&self) -> bool {
        self.outcome.holds()
    }

    /// The checks that do not hold.
    pub fn unmet(&self) -> impl Iterator<Item = &Check> {
        self.outcome.checks.iter().filter(|check| !check.holds())
    }

    /// What came of it in a few words.
    pub fn verdict(&self) -> String {
        let (all, unmet) = (self.outcome.checks.len(), self.unmet().count());
        if unmet == 0 {
            format!("holds: {all} of {all} checks")
        } else {
            format!("does not hold: {unmet} of {all} checks")
        }
    }

    /// What it is about, as rows of two columns.
    pub fn heading(&self) -> Vec<[String; 2]> {
        let params: Vec<String> = self.params.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let params = if params.is_empty() { "none".to_owned() } else { params.join("  ") };
        let world = if self.real { "real sockets and kernels" } else { "virtual time" };
        let rows = [
            ("source", self.experiment.source.to_owned()),
            ("claim", self.experiment.claim.to_owned()),
            ("setting", self.experiment.about.to_owned()),
            ("params", params),
            ("seed", format!("{}, in {world}", self.seed)),
            ("verdict", self.verdict()),
        ];
        rows.map(|(what, words)| [what.to_owned(), words]).into()
    }

    /// Its checks as a table.
    pub fn checks(&self) -> Table {
        let mut table = Table::new(&["check", "measured", "goal", "paper", "holds"]).titled("Checks");
        for check in &self.outcome.checks {
            table.row(vec![
                check.name.clone(),
                with_unit(check.value, check.unit),
                check.goal.words(check.unit),
                check.paper.clone().unwrap_or_else(|| "–".to_owned()),
                if check.holds() { "yes" } else { "NO" }.to_owned(),
            ]);
        }
        table
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |(key, value): (&str, &str)| (key.to_owned(), Value::String(value.to_owned()));
        let params: Map<String, Value> = self.params.iter().map(text).collect();
        let mut object = serializer.serialize_struct("Record", 6)?;
        object.serialize_field("name", self.experiment.name)?;
        object.serialize_field("seed", &self.seed)?;
        object.serialize_field("params", &params)?;
        object.serialize_field("settings", &self.settings)?;
        object.serialize_field("results", &self.outcome.results)?;
        object.serialize_field("checks", &self.outcome.checks)?;
        object.end()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.experiment.name, self.experiment.title)?;
        for [what, words] in self.heading() {
            writeln!(f, "  {what:<8} {words}")?;
        }
        self.outcome.notes.iter().try_for_each(|note| writeln!(f, "  {:<8} {note}", "note"))?;
        for chart in self.outcome.plots.iter().filter_map(Chart::of) {
            write!(f, "\n{chart}")?;
        }
        for table in self.outcome.tables.iter().chain([&self.checks()]) {
            write!(f, "\n{table}")?;
        }
        text::settings(f, &self.settings)
    }
}
