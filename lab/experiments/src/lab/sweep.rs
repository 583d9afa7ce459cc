//! An experiment that runs with many seeds: on which share of them each check holds.

use core::fmt;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::check::{place_among, plain, with_unit};
use super::ran::{Unmet, count_of_seeds, holds_word, seeds_needed};
use super::seeds::SEEDS_MIN;
use super::{Check, Experiment, Goal, Outcome, Params, Ran, Record, RunError, Seeds, Table, Varied};
use crate::page::{Axis, Plot, Series};
use crate::settings::Settings;
use crate::swarm::panic_words;

/// How far any run may be ahead of the first that has not ended: what came of it waits for that.
const AHEAD_MAX: usize = 64;

/// Seeds that a table names which failed a check, or came to no outcome; all are in the JSON.
const FAILED_SHOWN_MAX: usize = 12;

/// An experiment that has run with several seeds. Of each run the figures of its checks are kept; tables, plots and
/// notes of the first alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Sweep {
    /// Which.
    pub experiment: &'static Experiment,
    /// With these seeds,
    pub seeds: Seeds,
    /// these parameters,
    pub params: Params,
    /// and on real sockets or kernels, or in virtual time,
    pub real: bool,
    /// in worlds that were made of this.
    pub settings: Settings,
    /// What was measured, in the order of the experiment.
    pub checks: Vec<Distribution>,
    /// Seeds with which it came to no outcome, and why.
    pub broken: Vec<(u64, String)>,
    /// What came of the first seed that came to an outcome.
    pub first: Option<Record>,
    /// What came of other values of its parameters.
    pub varied: Vec<Varied>,
    /// Checks whose misses are known, by name.
    pub known: Vec<String>,
}

/// A check over several seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    /// What the check is, with the value of the first seed.
    pub check: Check,
    /// What was measured with each seed; not a number where nothing was.
    pub values: Vec<(u64, f64)>,
    /// The first seed on which it did not hold for a known reason, and that reason.
    pub why: Option<(u64, String)>,
}

impl Distribution {
    /// Seeds on which it held.
    pub fn held(&self) -> usize {
        self.values.iter().filter(|(_, value)| self.check.goal.holds(*value)).count()
    }

    /// Seeds on which it did not.
    pub fn failed(&self) -> Vec<u64> {
        self.values.iter().filter(|(_, value)| !self.check.goal.holds(*value)).map(|(seed, _)| *seed).collect()
    }

    /// The value in the middle of those that were measured; not a number if none was.
    pub fn median(&self) -> f64 {
        let mut values: Vec<f64> =
            self.values.iter().map(|(_, value)| *value).filter(|value| !value.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        match (values.len(), values.len() / 2) {
            (0, _) => f64::NAN,
            (count, middle) if count % 2 == 1 => values[middle],
            (_, middle) => f64::midpoint(values[middle - 1], values[middle]),
        }
    }

    /// The least and the most of what was measured; not numbers if nothing was.
    pub fn bounds(&self) -> [f64; 2] {
        let values = || self.values.iter().map(|(_, value)| *value).filter(|value| !value.is_nan());
        [values().reduce(f64::min), values().reduce(f64::max)].map(|bound| bound.unwrap_or(f64::NAN))
    }

    /// Least to most, in words; once if they are the same.
    fn spread(&self) -> String {
        match self.bounds().map(plain) {
            [least, most] if least == most => least,
            [least, most] => format!("{least} to {most}"),
        }
    }

    /// The value that is furthest from what it must be, or least far within that; not a number if nothing was measured
    /// with some seed.
    pub fn worst(&self) -> f64 {
        let margin = |value: f64| match self.check.goal {
            Goal::AtLeast(least) => value - least,
            Goal::AtMost(most) => most - value,
            Goal::Within(least, most) => f64::min(value - least, most - value),
        };
        let values = self.values.iter().map(|(_, value)| *value);
        let worse = |a: f64, b: f64| if b.is_nan() || margin(b) < margin(a) { b } else { a };
        values.reduce(|a, b| if a.is_nan() { a } else { worse(a, b) }).unwrap_or(f64::NAN)
    }

    /// Whether it held on the share of seeds on which it must, or in the median.
    pub fn holds(&self) -> bool {
        if self.check.by_median {
            return self.check.goal.holds(self.median());
        }
        // A share of 0.95 of 20 seeds is 19 of them, whatever a product in binary says.
        self.held() as f64 >= self.check.share * self.values.len() as f64 - 1e-9
    }

    /// Whether chance has any part in it.
    fn varies(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0].1.to_bits() != pair[1].1.to_bits())
    }
}

/// Seeds for people: of many the first.
fn some(seeds: &[u64]) -> String {
    let shown: Vec<String> = seeds.iter().take(FAILED_SHOWN_MAX).map(u64::to_string).collect();
    match seeds.len().checked_sub(FAILED_SHOWN_MAX) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} others", shown.join(", ")),
    }
}

impl Ran for Sweep {
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
        match self.seeds_run() {
            1 => format!("{} alone", self.seeds),
            count => format!("{} ({count} of them)", self.seeds),
        }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.first.as_ref().map(|record| &record.outcome)
    }

    fn outcome_of(&self) -> Option<u64> {
        self.first.as_ref().map(|record| record.seed)
    }

    fn spread(&self) -> Option<Plot> {
        let axes = (Axis::new("seed", ""), Axis::new("measured, of the goal", ""));
        let plot = Plot::new("What was measured with each seed", axes.0, axes.1);
        let series = self.checks.iter().map(|one| {
            let goal = one.check.goal.middle();
            let points = one.values.iter().map(|(seed, value)| (*seed as f64, value / goal)).collect();
            Series::points(&one.check.name, points)
        });
        (self.seeds_run() > 1).then(|| series.fold(plot, Plot::series))
    }

    fn varied(&self) -> &[Varied] {
        &self.varied
    }

    fn seeds_run(&self) -> usize {
        self.seeds.all().len()
    }

    fn seeds_needed(&self) -> usize {
        let strays = self.checks.iter().any(|one| !one.check.is_strict());
        match seeds_needed(self.experiment, self.real, strays) {
            // One that says that chance decides nothing, and then it does. In real time no two runs are alike, whatever
            // the seed.
            1 if !self.real && self.checks.iter().any(Distribution::varies) => SEEDS_MIN,
            count => count,
        }
    }

    fn is_refuted(&self) -> bool {
        self.checks.iter().any(|one| one.check.is_strict() && !one.holds())
    }

    fn so_far(&self) -> String {
        let (seeds, [unmet, all]) = (count_of_seeds(self.seeds_run()), self.count());
        match (unmet, self.broken.len()) {
            (_, broken @ 1..) => format!("does not hold: no outcome with {broken} of {seeds}"),
            (0, _) => format!("holds: {all} of {all} checks, on {seeds}"),
            _ => {
                let known = self.known_words();
                format!("does not hold: {} of {all} checks hold{known}, on {seeds}", all - unmet)
            }
        }
    }

    fn checks(&self) -> Table {
        let head = ["check", "held on", "must on", "median", "spread", "goal", "paper", "failed with seeds", "holds"];
        let mut table = Table::new(&head).titled("Checks");
        for one in &self.checks {
            let Distribution { check, values, why: _ } = one;
            table.row(vec![
                check.name.clone(),
                format!("{} of {}", one.held(), values.len()),
                if check.by_median { "the median".to_owned() } else { format!("{:.0} %", check.share * 100.0) },
                with_unit(one.median(), &check.unit),
                one.spread(),
                check.goal.words(&check.unit),
                check.paper.clone().unwrap_or_else(|| "–".to_owned()),
                some(&one.failed()),
                holds_word(one.holds(), &check.name, &self.known),
            ]);
        }
        table
    }

    fn unmet(&self) -> Vec<Unmet> {
        let checks = self.checks.iter().filter(|check| !check.holds()).map(|one| {
            let Check { name, unit, share, goal, by_median, .. } = &one.check;
            let (held, all) = (one.held(), count_of_seeds(one.values.len()));
            let why = one.why.as_ref().map_or(String::new(), |(seed, why)| format!("; with {seed}: {why}"));
            let must = match by_median {
                true => format!("median {}", with_unit(one.median(), unit)),
                false => format!("not on {:.0} %; worst {}", share * 100.0, with_unit(one.worst(), unit)),
            };
            let (goal, failed) = (goal.words(unit), some(&one.failed()));
            let words = format!("{name}: {goal} on {held} of {all}, {must}; failed with {failed}{why}");
            Unmet { check: Some(name.clone()), words }
        });
        let broken = self.broken.iter().map(|(seed, why)| {
            let words = format!("no outcome with seed {seed}: {why}");
            Unmet { check: None, words }
        });
        broken.chain(checks).collect()
    }

    fn names(&self) -> Vec<&str> {
        self.checks.iter().map(|one| &*one.check.name).collect()
    }

    fn known(&self) -> &[String] {
        &self.known
    }

    fn reasons(&self) -> Vec<String> {
        let of = |one: &Distribution| {
            let (seed, why) = one.why.as_ref()?;
            Some(format!("Why not with seed {seed}: {}: {why}", one.check.name))
        };
        self.checks.iter().filter_map(of).collect()
    }

    fn count(&self) -> [usize; 2] {
        [self.checks.iter().filter(|check| !check.holds()).count(), self.checks.len()]
    }

    fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::ran::text(self, f)
    }
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Why<'d> {
            seed: u64,
            why: &'d str,
        }
        let Check { name, value: _, unit, goal, share, by_median, paper, why: _ } = &self.check;
        let why = self.why.as_ref().map(|(seed, why)| Why { seed: *seed, why });
        let mut object = serializer.serialize_struct("Distribution", 15)?;
        object.serialize_field("name", name)?;
        object.serialize_field("unit", unit)?;
        object.serialize_field("goal", goal)?;
        object.serialize_field("share", share)?;
        object.serialize_field("by_median", by_median)?;
        object.serialize_field("paper", paper)?;
        object.serialize_field("held", &(self.held() as f64 / self.values.len().max(1) as f64))?;
        object.serialize_field("median", &self.median())?;
        object.serialize_field("least", &self.bounds()[0])?;
        object.serialize_field("most", &self.bounds()[1])?;
        object.serialize_field("worst", &self.worst())?;
        object.serialize_field("failed", &self.failed())?;
        object.serialize_field("why", &why)?;
        object.serialize_field("values", &self.values.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
        object.serialize_field("holds", &self.holds())?;
        object.end()
    }
}

/// `{name, seeds, params, settings, checks: [...], broken: [{seed, why}], known_misses, varied, enough, holds}`.
impl Serialize for Sweep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Broken<'s> {
            seed: u64,
            why: &'s str,
        }
        let broken: Vec<_> = self.broken.iter().map(|(seed, why)| Broken { seed: *seed, why }).collect();
        let mut object = serializer.serialize_struct("Sweep", 10)?;
        object.serialize_field("name", self.experiment.name)?;
        object.serialize_field("seeds", self.seeds.all())?;
        object.serialize_field("params", &self.params)?;
        object.serialize_field("settings", &self.settings.for_programs())?;
        object.serialize_field("checks", &self.checks)?;
        object.serialize_field("broken", &broken)?;
        object.serialize_field("known_misses", &self.known)?;
        object.serialize_field("varied", &self.varied)?;
        object.serialize_field("enough", &self.is_enough())?;
        object.serialize_field("holds", &self.verdict().holds())?;
        object.end()
    }
}

/// What is known while seeds run.
struct State<'t> {
    /// The next place in the list of seeds that nobody has begun.
    next: usize,
    /// Places whose outcome was handed over: all before this.
    taken: usize,
    /// What came of later ones.
    waiting: BTreeMap<usize, Result<Record, RunError>>,
    /// Why nothing more is begun.
    over: Option<RunError>,
    /// Takes what came of each place.
    take: &'t mut (dyn FnMut(usize, Result<Record, String>) + Send),
}

impl State<'_> {
    /// What came of a place, and of those that waited for it.
    fn take(&mut self, place: usize, outcome: Result<Record, RunError>) {
        self.waiting.insert(place, outcome);
        while let Some(outcome) = self.waiting.remove(&self.taken) {
            match outcome {
                Ok(record) => (self.take)(self.taken, Ok(record)),
                Err(RunError::Broken(why)) => (self.take)(self.taken, Err(why)),
                Err(error) => drop(self.over.get_or_insert(error)),
            }
            self.taken += 1;
        }
    }
}

impl Sweep {
    /// Nothing yet.
    pub(super) fn new(experiment: &'static Experiment, seeds: Seeds, params: Params, real: bool) -> Sweep {
        let (settings, checks, broken) = (Settings::default(), Vec::new(), Vec::new());
        Sweep {
            experiment,
            seeds,
            params,
            real,
            settings,
            checks,
            broken,
            first: None,
            varied: Vec::new(),
            known: Vec::new(),
        }
    }

    /// What came of the seed at a place: an outcome, or why there is none.
    pub(super) fn take(&mut self, place: usize, outcome: Result<Record, String>) {
        match outcome {
            Ok(record) => self.add(place, record),
            Err(why) => self.broken.push((self.seeds.all()[place], why)),
        }
    }

    fn add(&mut self, place: usize, record: Record) {
        self.settings.add(&record.settings);
        let checks = &record.outcome.checks;
        let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
        for (at, check) in checks.iter().enumerate() {
            let known = place_among(self.checks.iter().map(|known| known.check.name.as_str()), &names[..=at]);
            let known = known.unwrap_or(self.checks.len());
            if known == self.checks.len() {
                let values = self.seeds.all().iter().map(|seed| (*seed, f64::NAN)).collect();
                self.checks.push(Distribution { check: check.clone(), values, why: None });
            }
            let known = &mut self.checks[known];
            known.values[place].1 = check.value;
            if !check.holds() && known.why.is_none() {
                known.why = check.why.clone().map(|why| (record.seed, why));
            }
        }
        self.first.get_or_insert(record);
    }
}

/// How far a sweep is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The seed that has just ended.
    pub seed: u64,
    /// Seeds that have ended.
    pub done: usize,
}

impl Experiment {
    /// Measures it with each of these seeds, on `jobs` threads, until `stop` is set: then `None`. `tell` hears of each
    /// seed that has ended. The outcome depends on the seeds and parameters alone, not on how the threads take turns.
    ///
    /// # Errors
    /// If it cannot be measured with these parameters, or here. A seed that comes to no outcome is told in the sweep.
    pub fn sweep(
        &'static self,
        seeds: Seeds,
        params: &Params,
        real: bool,
        jobs: usize,
        stop: &AtomicBool,
        tell: &(dyn Fn(Progress) + Sync),
    ) -> Result<Option<Sweep>, RunError> {
        let mut sweep = Sweep::new(self, seeds.clone(), params.clone(), real);
        let take = &mut |place, outcome| sweep.take(place, outcome);
        let all = self.each(seeds.all(), params, real, jobs, stop, tell, take)?;
        Ok(all.then_some(sweep))
    }

    /// Measures it with each of these seeds, on `jobs` threads, until `stop` is set: then false. `take` is given the
    /// place of each seed and what came of it, in their order; `tell` hears of each that has ended.
    ///
    /// # Errors
    /// If it cannot be measured with these parameters, or here.
    #[expect(clippy::too_many_arguments, reason = "what runs, how, and who hears of it")]
    pub(super) fn each(
        &'static self,
        seeds: &[u64],
        params: &Params,
        real: bool,
        jobs: usize,
        stop: &AtomicBool,
        tell: &(dyn Fn(Progress) + Sync),
        take: &mut (dyn FnMut(usize, Result<Record, String>) + Send),
    ) -> Result<bool, RunError> {
        let count = seeds.len();
        let state = State { next: 0, taken: 0, waiting: BTreeMap::new(), over: None, take };
        let (state, moved) = (Mutex::new(state), Condvar::new());
        let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
        // The next seed, once it is not too far ahead.
        let begin = || {
            let mut state = lock();
            loop {
                if stop.load(Ordering::Relaxed) || state.over.is_some() || state.next == count {
                    return None;
                }
                if state.next < state.taken + AHEAD_MAX {
                    let place = state.next;
                    state.next += 1;
                    return Some((place, seeds[place], params.clone()));
                }
                state = moved.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, count.max(1)) {
                scope.spawn(|| {
                    while let Some((place, seed, params)) = begin() {
                        let measure = || self.measure(seed, params, real, &|_| ());
                        let outcome = catch_unwind(AssertUnwindSafe(measure))
                            .unwrap_or_else(|panic| Err(RunError::Broken(panic_words(&*panic))));
                        let mut state = lock();
                        state.take(place, outcome);
                        let done = state.taken + state.waiting.len();
                        drop(state);
                        moved.notify_all();
                        tell(Progress { seed, done });
                    }
                });
            }
        });
        let State { taken, over, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match over {
            Some(error) => Err(error),
            None => Ok(taken == count),
        }
    }
}

#[cfg(test)]
mod tests;
