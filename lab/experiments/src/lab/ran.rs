//! What has run, with one seed or with many, as terminals and pages show it.

use core::fmt;

use super::seeds::SEEDS_MIN;
use super::text::{settings, wrap};
use super::{Experiment, Outcome, Params, Table, Varied};
use crate::page::Plot;
use crate::settings::Settings;

/// What came of an experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every check holds, on the share of seeds on which it must.
    Holds,
    /// One does not, or there is a seed with which it came to no outcome.
    Fails,
    /// None yet: chance decides, and these are too few seeds.
    Open,
}

impl Verdict {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does not hold",
            Verdict::Open => "none yet",
        }
    }

    /// For programs; nothing where there is none.
    pub(super) fn holds(self) -> Option<bool> {
        match self {
            Verdict::Holds => Some(true),
            Verdict::Fails => Some(false),
            Verdict::Open => None,
        }
    }
}

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmet {
    /// The name of the check; none where it came to no outcome.
    pub check: Option<String>,
    /// What was measured, a line.
    pub words: String,
}

impl Unmet {
    /// Whether that is among what is known.
    fn is_known(&self, known: &[String]) -> bool {
        self.check.as_ref().is_some_and(|check| known.contains(check))
    }
}

/// Whether a check holds, in a word, and whether it is known not to.
pub(super) fn holds_word(holds: bool, name: &str, known: &[String]) -> String {
    let known = known.iter().any(|known| known == name);
    match (holds, known) {
        (true, false) => "yes",
        (true, true) => "yes, known as a miss",
        (false, false) => "NO",
        (false, true) => "NO, known",
    }
    .to_owned()
}

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

    /// The seed of those, if it ran with others.
    fn outcome_of(&self) -> Option<u64> {
        None
    }

    /// What was measured with each seed, if there were several.
    fn spread(&self) -> Option<Plot> {
        None
    }

    /// What came of other values of its parameters, if they were varied.
    fn varied(&self) -> &[Varied];

    /// With how many seeds.
    fn seeds_run(&self) -> usize;

    /// Of how many seeds at least a verdict is.
    fn seeds_needed(&self) -> usize;

    /// Whether a verdict can be given of these seeds.
    fn is_enough(&self) -> bool {
        self.seeds_run() >= self.seeds_needed()
    }

    /// Whether a check that must hold on every seed does not: no seed more can change that.
    fn is_refuted(&self) -> bool;

    /// What came of it.
    fn verdict(&self) -> Verdict {
        match () {
            () if self.is_broken() || self.is_refuted() => Verdict::Fails,
            () if !self.is_enough() => Verdict::Open,
            () if self.holds() => Verdict::Holds,
            () => Verdict::Fails,
        }
    }

    /// What came of it so far, whether that is a verdict or not.
    fn so_far(&self) -> String;

    /// The verdict in a few words.
    fn verdict_words(&self) -> String {
        match self.verdict() {
            Verdict::Holds | Verdict::Fails => self.so_far(),
            Verdict::Open => {
                let (run, needed) = (count_of_seeds(self.seeds_run()), self.seeds_needed());
                format!("none yet, of {run} where it takes {needed}; so far it {}", self.so_far())
            }
        }
    }

    /// Its checks.
    fn checks(&self) -> Table;

    /// What does not hold.
    fn unmet(&self) -> Vec<Unmet>;

    /// Its checks, by name.
    fn names(&self) -> Vec<&str>;

    /// Checks whose misses are known, by name.
    fn known(&self) -> &[String];

    /// What is not as expected, a line each: everything that does not hold and is not known to; and what is known not
    /// to hold, and does.
    fn news(&self) -> Vec<String> {
        let (unmet, known, names) = (self.unmet(), self.known(), self.names());
        let is_missed = |name: &str| unmet.iter().any(|unmet| unmet.check.as_deref() == Some(name));
        // Fewer seeds may hold by chance.
        let judged = known.iter().filter(|_| self.is_enough());
        let mended = judged.filter(|name| !is_missed(name)).map(|name| match names.contains(&&**name) {
            true => format!("{name}: it holds, and is known as a miss"),
            false => format!("{name}: no check has this name, and it is known as a miss"),
        });
        let missed = unmet.iter().filter(|unmet| !unmet.is_known(known)).map(|unmet| unmet.words.clone());
        missed.chain(mended).collect()
    }

    /// What of its misses is known, for the end of a verdict; nothing if that is none.
    fn known_words(&self) -> String {
        let unmet = self.unmet();
        let known = unmet.iter().filter(|unmet| unmet.is_known(self.known())).count();
        match (unmet.len(), known) {
            (_, 0) => String::new(),
            (1, 1) => ", 1 known miss".to_owned(),
            (all, known) if all == known => format!(", {known} known misses"),
            (all, known) => format!(", {known} of {all} misses known"),
        }
    }

    /// Why checks do not hold, where that is known, a line each.
    fn reasons(&self) -> Vec<String>;

    /// Checks that do not hold, and all.
    fn count(&self) -> [usize; 2];

    /// Whether it came to no outcome with some seed.
    fn is_broken(&self) -> bool {
        false
    }

    /// Whether everything holds with these seeds, be they enough or not.
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
            ("verdict", self.verdict_words()),
        ];
        rows.map(|(what, words)| [what.to_owned(), words]).into()
    }

    /// Whose tables, plots and notes follow, if that has to be said.
    fn of_one(&self) -> Option<String> {
        self.outcome_of().map(|seed| format!("Tables, plots and notes are of seed {seed} alone."))
    }
}

/// Of how many seeds a verdict is at least: of [`SEEDS_MIN`] where the experiment says that chance decides, of so many
/// as a verdict of it is by its own word, or since a check need not hold on each (`strays`). What was measured has no
/// say in it: one seed never differs from itself.
pub(super) fn seeds_needed(experiment: &Experiment, real: bool, strays: bool) -> usize {
    match experiment.seeds_of_verdict(real) {
        1 if !strays => 1,
        count => count.max(SEEDS_MIN),
    }
}

/// So many seeds, in words.
pub(super) fn count_of_seeds(count: usize) -> String {
    format!("{count} seed{}", if count == 1 { "" } else { "s" })
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
        write!(f, "\n{}", outcome.figures())?;
    }
    write!(f, "\n{}", ran.checks())?;
    ran.varied().iter().try_for_each(|varied| write!(f, "\n{}\n\n{}", varied.table().title(), varied.table()))?;
    ran.reasons().iter().try_for_each(|words| writeln!(f, "{}", wrap(words, "  ")))?;
    settings(f, ran.settings())
}
