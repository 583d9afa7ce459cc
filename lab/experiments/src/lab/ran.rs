//! What has run, with one seed or with many, as terminals and pages show it.

use core::fmt;

use super::seeds::SEEDS_MIN;
use super::text::settings;
use super::{Chart, Experiment, Outcome, Params, Table};
use crate::settings::Settings;

/// An experiment that has run: a [`Record`](super::Record) or a [`Sweep`](super::Sweep).
pub trait Ran {
    /// Which.
    fn experiment(&self) -> &'static Experiment;

    /// With these parameters.
    fn params(&self) -> &Params;

    /// On real sockets or kernels, or in virtual time.
    fn is_real(&self) -> bool;

    /// With which seeds, in words.
    fn seeds(&self) -> String;

    /// What its worlds were made of.
    fn settings(&self) -> &Settings;

    /// Tables, plots and notes, of one seed.
    fn outcome(&self) -> Option<&Outcome>;

    /// Of which seed those are, if it ran with others.
    fn outcome_of(&self) -> Option<u64> {
        None
    }

    /// What came of it in a few words.
    fn verdict(&self) -> String;

    /// Its checks.
    fn checks(&self) -> Table;

    /// What does not hold, a line each.
    fn unmet(&self) -> Vec<String>;

    /// Checks that do not hold, and all.
    fn count(&self) -> [usize; 2];

    /// Whether it came to no outcome with some seed.
    fn is_broken(&self) -> bool {
        false
    }

    /// Whether everything holds.
    fn holds(&self) -> bool {
        !self.is_broken() && self.count()[0] == 0
    }

    /// What it is about, as rows of two columns.
    fn heading(&self) -> Vec<[String; 2]> {
        let (experiment, params) = (self.experiment(), self.params());
        let params: Vec<String> = params.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let params = if params.is_empty() { "none".to_owned() } else { params.join("  ") };
        let world = if self.is_real() { "real sockets and kernels" } else { "virtual time" };
        let rows = [
            ("source", experiment.source.to_owned()),
            ("claim", experiment.claim.to_owned()),
            ("setting", experiment.about.to_owned()),
            ("params", params),
            ("seed", format!("{}, in {world}", self.seeds())),
            ("verdict", self.verdict()),
        ];
        rows.map(|(what, words)| [what.to_owned(), words]).into()
    }

    /// Whose tables, plots and notes follow, if that has to be said.
    fn of_one(&self) -> Option<String> {
        self.outcome_of().map(|seed| format!("Tables, plots and notes are of seed {seed} alone."))
    }
}

/// What a verdict is of, where it is of one seed.
pub(super) fn one_seed(seed: u64, real: bool) -> String {
    match real {
        true => seed.to_string(),
        false => format!("{seed} alone (where chance decides, a verdict takes {SEEDS_MIN}: --seeds 1..{SEEDS_MIN})"),
    }
}

/// For a terminal.
pub(super) fn text(ran: &dyn Ran, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}: {}", ran.experiment().name, ran.experiment().title)?;
    for [what, words] in ran.heading() {
        writeln!(f, "  {what:<8} {words}")?;
    }
    ran.of_one().iter().try_for_each(|words| writeln!(f, "  {:<8} {words}", "note"))?;
    if let Some(outcome) = ran.outcome() {
        outcome.notes.iter().try_for_each(|note| writeln!(f, "  {:<8} {note}", "note"))?;
        for chart in outcome.plots.iter().filter_map(Chart::of) {
            write!(f, "\n{chart}")?;
        }
        outcome.tables.iter().try_for_each(|table| write!(f, "\n{table}"))?;
    }
    write!(f, "\n{}", ran.checks())?;
    settings(f, ran.settings())
}
