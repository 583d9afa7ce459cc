//! Runs that are spread over machines: a shard runs its part of them, and what all shards have written is merged into
//! what one machine would have come to.
//!
//! Every run of everything that is asked for has a number, from 0 on, and falls to the shard of that number modulo how
//! many there are. What a shard writes is lines of JSON: a [`Head`] with all that was asked for, and a [`Line`] for
//! each run.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sweep::Sweep;
use super::{Experiment, Known, Outcome, Params, Ran, Record, RunError, Seeds, SeedsError, find};
use crate::settings::Settings;

/// Shards of one job, at most.
pub const SHARDS_MAX: usize = 10_000;

/// Bytes of what a shard has written, at most, as it is read for merging.
pub const SHARD_LEN_MAX: u64 = 1 << 30;

/// One of several shards. As text it is `3/8`, from `1/8` to `8/8`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// From 0 on.
    index: usize,
    of: usize,
}

impl Shard {
    /// The only one.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Whether a run of this number falls to it.
    pub fn has(self, number: usize) -> bool {
        number % self.of == self.index
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.of
    }

    /// All shards, this one among them.
    pub fn all(self) -> impl Iterator<Item = Shard> {
        (0..self.of).map(move |index| Shard { index, ..self })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("{text:?} is no shard; write which and of how many, like 3/8, from 1/8 to 8/8");
        let (which, of) = text.split_once('/').ok_or_else(wrong)?;
        let (which, of): (usize, usize) = (which.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        match of {
            0 => Err(wrong()),
            of if of > SHARDS_MAX => Err(format!("at most {SHARDS_MAX} shards")),
            of if (1..=of).contains(&which) => Ok(Shard { index: which - 1, of }),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

/// With which seeds an experiment is to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Which {
    /// One run.
    One(u64),
    /// A run with each of these.
    Many(Seeds),
}

impl Which {
    /// Those that are asked for, or those that a verdict of the experiment is of.
    pub fn of(experiment: &Experiment, seed: Option<u64>, seeds: Option<Seeds>, real: bool) -> Which {
        match (seed, seeds, experiment.seeds_of_verdict(real)) {
            (Some(seed), ..) => Which::One(seed),
            (None, Some(seeds), _) => Which::Many(seeds),
            (None, None, count @ 2..) => Which::Many(Seeds::first(count)),
            (None, None, _) => Which::One(1),
        }
    }

    /// The same, as a list.
    pub fn seeds(&self) -> Seeds {
        Seeds::some(self.all())
    }

    /// All of them.
    pub fn all(&self) -> &[u64] {
        match self {
            Which::One(seed) => core::slice::from_ref(seed),
            Which::Many(seeds) => seeds.all(),
        }
    }
}

/// An experiment that is to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Which.
    pub experiment: &'static Experiment,
    /// With these parameters,
    pub params: Params,
    /// these seeds,
    pub which: Which,
    /// and on real sockets or kernels, or in virtual time.
    pub real: bool,
}

/// An experiment that has run.
#[derive(Clone, PartialEq, Debug)]
pub enum Done {
    /// With one seed.
    One(Box<Record>),
    /// With many.
    Many(Box<Sweep>),
}

impl Done {
    /// As terminals and pages show it.
    pub fn as_ran(&self) -> &dyn Ran {
        match self {
            Done::One(record) => &**record,
            Done::Many(sweep) => &**sweep,
        }
    }

    /// With what of its misses is known.
    #[must_use]
    pub fn knowing(mut self, known: &Known) -> Done {
        let of_this = known.of(self.as_ran());
        match &mut self {
            Done::One(record) => record.known = of_this,
            Done::Many(sweep) => sweep.known = of_this,
        }
        self
    }
}

/// The first line of what a shard has written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// Which shard.
    pub shard: Shard,
    /// By this version.
    pub version: String,
    /// Everything that was asked for, of all shards.
    asked: Vec<AskedFor>,
}

/// What is asked for, as it is written down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct AskedFor {
    name: String,
    params: Vec<String>,
    real: bool,
    one: bool,
    seeds: String,
}

/// What came of a run: a line of what a shard has written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Its number.
    number: usize,
    #[serde(flatten)]
    came: Came,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Came {
    /// It came to an outcome, in worlds that were made of this.
    Run { settings: Settings, outcome: Outcome },
    /// It came to no outcome.
    Broken(String),
}

/// What cannot be merged.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// Nothing was given.
    #[error("there is nothing to merge; name the files that the shards have written")]
    Nothing,
    /// It is none, or was cut off.
    #[error("{0}: {1}; run that shard again")]
    Unreadable(String, String),
    /// It is of another job.
    #[error("{0} and {1} are not of one job: what was asked for, or the version, is not the same")]
    Others(String, String),
    /// These two are the same shard.
    #[error("{0} and {1} are both shard {2}; name each once")]
    Twice(String, String, Shard),
    /// It is not there.
    #[error("shard {0} is missing; run it, and name its file, too")]
    Missing(Shard),
    /// A shard has not come to its end.
    #[error("{0}: {1} with seed {2} is missing: the shard did not come to its end; run it again")]
    Unfinished(String, String, u64),
}

impl Head {
    /// Of a shard that has its part of all this.
    pub fn new(shard: Shard, version: &str, asked: &[Asked]) -> Head {
        let of = |one: &Asked| AskedFor {
            name: one.experiment.name.to_owned(),
            params: one.params.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            real: one.real,
            one: matches!(one.which, Which::One(_)),
            seeds: one.which.seeds().to_string(),
        };
        Head { shard, version: version.to_owned(), asked: asked.iter().map(of).collect() }
    }

    /// What was asked for; why not, if this version has no such experiment, parameter or seed.
    fn asked(&self) -> Result<Vec<Asked>, String> {
        let of = |one: &AskedFor| {
            let experiment = find(&one.name).map_err(|_| format!("there is no experiment {}", one.name))?;
            let params = experiment.params(&one.params).map_err(|error| error.to_string())?;
            let seeds: Seeds = one.seeds.parse().map_err(|error: SeedsError| error.to_string())?;
            let which = match seeds.all() {
                [seed] if one.one => Which::One(*seed),
                _ => Which::Many(seeds),
            };
            Ok(Asked { experiment, params, which, real: one.real })
        };
        self.asked.iter().map(of).collect()
    }
}

impl Line {
    /// What came of a run, as much of it as a merger needs: tables, plots and notes of the `first` alone that came to
    /// an outcome.
    pub fn new(run: usize, outcome: Result<Record, String>, first: bool) -> Line {
        let came = match outcome {
            Err(why) => Came::Broken(why),
            Ok(record) => {
                let Record { settings, mut outcome, .. } = record;
                if !first {
                    outcome = Outcome { checks: outcome.checks, ..Outcome::new(serde_json::Value::Null) };
                }
                Came::Run { settings, outcome }
            }
        };
        Line { number: run, came }
    }
}

/// Everything that was asked for, and what came of it; why not, where a run of one seed came to no outcome.
pub type Merged = Vec<(Asked, Result<Done, String>)>;

/// What shards have written, by the names of their files, as one machine would have come to it.
///
/// # Errors
/// If it is not all shards of one job, each once and whole.
pub fn merge(written: &[(String, String)]) -> Result<Merged, MergeError> {
    let mut shards: BTreeMap<Shard, &String> = BTreeMap::new();
    let (mut lines, mut first) = (BTreeMap::new(), None::<(&String, Head)>);
    for (file, text) in written {
        let unreadable = |why: &dyn fmt::Display| MergeError::Unreadable(file.clone(), why.to_string());
        let mut texts = text.lines();
        let head = texts.next().ok_or_else(|| unreadable(&"it is empty"))?;
        let head: Head = serde_json::from_str(head).map_err(|error| unreadable(&error))?;
        if let Some(other) = shards.insert(head.shard, file) {
            return Err(MergeError::Twice(other.clone(), file.clone(), head.shard));
        }
        for text in texts {
            let line: Line = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
            if !head.shard.has(line.number) {
                return Err(unreadable(&"it has a run of another shard"));
            }
            lines.insert(line.number, line.came);
        }
        match &first {
            None => first = Some((file, head)),
            Some((_, other))
                if (other.shard.of, &other.version, &other.asked) == (head.shard.of, &head.version, &head.asked) => {}
            Some((other, _)) => return Err(MergeError::Others((*other).clone(), file.clone())),
        }
    }
    let (file, head) = first.ok_or(MergeError::Nothing)?;
    if let Some(missing) = head.shard.all().find(|shard| !shards.contains_key(shard)) {
        return Err(MergeError::Missing(missing));
    }
    let asked = head.asked().map_err(|why| MergeError::Unreadable(file.clone(), why))?;
    let mut run = 0;
    let whole = asked.into_iter().map(|asked| {
        let mut came = Vec::new();
        for seed in asked.which.all() {
            let shard = head.shard.all().find(|shard| shard.has(run)).unwrap_or(head.shard);
            let unfinished = || MergeError::Unfinished(shards[&shard].clone(), asked.experiment.name.to_owned(), *seed);
            came.push(lines.remove(&run).ok_or_else(unfinished)?);
            run += 1;
        }
        let done = asked.done(came);
        Ok((asked, done))
    });
    whole.collect()
}

impl Asked {
    /// Of what came of each seed.
    fn done(&self, came: Vec<Came>) -> Result<Done, String> {
        let record = |seed, settings, outcome| {
            let Asked { experiment, params, real, .. } = self.clone();
            Record { experiment, seed, params, real, settings, outcome, varied: Vec::new(), known: Vec::new() }
        };
        match &self.which {
            Which::One(seed) => match came.into_iter().next() {
                Some(Came::Run { settings, outcome }) => Ok(Done::One(Box::new(record(*seed, settings, outcome)))),
                Some(Came::Broken(why)) => Err(why),
                None => Err("nothing came of it".to_owned()),
            },
            Which::Many(seeds) => {
                let mut sweep = Sweep::new(self.experiment, seeds.clone(), self.params.clone(), self.real);
                for (place, came) in came.into_iter().enumerate() {
                    let seed = seeds.all()[place];
                    sweep.take(
                        place,
                        match came {
                            Came::Run { settings, outcome } => Ok(record(seed, settings, outcome)),
                            Came::Broken(why) => Err(why),
                        },
                    );
                }
                Ok(Done::Many(Box::new(sweep)))
            }
        }
    }

    /// Runs those of its seeds whose numbers, from `from` on, fall to a shard, on `jobs` threads, until `stop` is set:
    /// then false. `write` is given their lines, in the order of the numbers; `tell` hears of each that has ended.
    ///
    /// # Errors
    /// If it cannot be measured with these parameters, or here. A seed that comes to no outcome is a line, too.
    pub fn run_shard(
        &self,
        (shard, from): (Shard, usize),
        jobs: usize,
        stop: &std::sync::atomic::AtomicBool,
        tell: &(dyn Fn(super::Progress) + Sync),
        write: &mut (dyn FnMut(Line) + Send),
    ) -> Result<bool, RunError> {
        let own: Vec<(usize, u64)> = self
            .which
            .all()
            .iter()
            .enumerate()
            .map(|(at, seed)| (from + at, *seed))
            .filter(|(run, _)| shard.has(*run))
            .collect();
        let seeds: Vec<u64> = own.iter().map(|(_, seed)| *seed).collect();
        let mut first = true;
        self.experiment.each(&seeds, &self.params, self.real, jobs, stop, tell, &mut |place, outcome| {
            let is_first = outcome.is_ok() && core::mem::take(&mut first);
            write(Line::new(own[place].0, outcome, is_first));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{Check, Goal};

    #[test]
    fn a_shard_is_one_of_so_many_and_every_run_falls_to_one() {
        let shard: Shard = "3/8".parse().expect("a shard");
        assert_eq!((shard.to_string().as_str(), shard.has(2), shard.has(3), shard.has(10)), ("3/8", true, false, true));
        for run in 0..100 {
            assert_eq!(shard.all().filter(|shard| shard.has(run)).count(), 1);
        }
        for text in ["", "3", "0/8", "9/8", "1/0", "-1/8", "1/10001", "a/b", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_measured_survives_being_written_down_bit_for_bit() {
        let mut rng = tng_base::Rng::from_u64(7);
        for _ in 0..10_000 {
            let value = f64::from_bits(u64::from_le_bytes(rng.bytes()));
            let check = Check::new("x", value, "s", Goal::AtLeast(0.1 + 0.2)).on(0.95).paper("p").because("w");
            let text = serde_json::to_string(&check).expect("JSON");
            let read: Check = serde_json::from_str(&text).expect("read");
            assert_eq!(read.value.to_bits(), check.value.to_bits(), "{text}");
            assert_eq!((read.goal, read.share, &read.why), (check.goal, check.share, &check.why));
        }
    }
}
