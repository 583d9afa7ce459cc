//! What an experiment gives.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Chart, Check, Table};
use crate::page::Plot;

/// What was measured. Times in seconds, rates in bits per second and shares from 0 to 1 unless a name says otherwise.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Every figure, for programs: an object.
    pub results: Value,
    /// Figures for people.
    pub tables: Vec<Table>,
    /// The same as curves; at least one.
    pub plots: Vec<Plot>,
    /// What must be so; at least one.
    pub checks: Vec<Check>,
    /// What a reader should know of these figures: what was left out, what is modelled, which setting is not the
    /// default.
    pub notes: Vec<String>,
}

impl Outcome {
    /// With these figures, which are an object as JSON.
    pub fn new(results: impl Serialize) -> Outcome {
        let results = serde_json::to_value(results).expect("plain values are JSON");
        Outcome { results, tables: Vec::new(), plots: Vec::new(), checks: Vec::new(), notes: Vec::new() }
    }

    /// With one more table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Outcome {
        self.tables.push(table);
        self
    }

    /// With one more plot.
    #[must_use]
    pub fn plot(mut self, plot: Plot) -> Outcome {
        self.plots.push(plot);
        self
    }

    /// With one more check.
    #[must_use]
    pub fn check(mut self, check: Check) -> Outcome {
        self.checks.push(check);
        self
    }

    /// With one more note.
    #[must_use]
    pub fn note(mut self, words: impl Into<String>) -> Outcome {
        self.notes.push(words.into());
        self
    }

    /// Its charts and tables, for a terminal.
    pub fn figures(&self) -> String {
        let charts = self.plots.iter().filter_map(Chart::of).map(|chart| chart.to_string());
        charts.chain(self.tables.iter().map(Table::to_string)).collect::<Vec<String>>().join("\n")
    }

    /// Whether every check holds.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(Check::holds)
    }
}
