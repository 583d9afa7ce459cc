//! What an experiment is.

use super::{Context, Outcome, Param, Params, Record, RunError, SetError};

/// A figure or table of a paper, or a question of our own, that can be measured by name.
#[derive(Debug)]
pub struct Experiment {
    /// Its name: that of its [group](super::Group), a slash and a word, such as `sst/fig9`.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// Paper and section: "SST 5.6, Figure 9"; or "ours".
    pub source: &'static str,
    /// What is claimed there, or by us: a sentence.
    pub claim: &'static str,
    /// What is set up and measured: the network, what passes over it; a few sentences.
    pub about: &'static str,
    /// What can be set.
    pub params: &'static [Param],
    /// Where it can run.
    pub worlds: Worlds,
    /// Of how many seeds, from 1 on, its verdict is at least, in virtual time. Those it runs with unless others are
    /// asked for. [`SEEDS_MIN`](super::SEEDS_MIN) or more: it measures one run and leaves it to the frame to repeat
    /// that. One: it decides nothing by lot, or repeats runs by itself, or its verdict is of one run.
    pub seeds: usize,
    /// What its figures depend on most: two or three parameters, and some values of each, as they would be set. Where
    /// the claim ends must be among them.
    pub vary: &'static [(&'static str, &'static [&'static str])],
    /// Measures it.
    pub run: fn(&Context<'_>) -> Result<Outcome, RunError>,
}

/// Where an experiment can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worlds {
    /// In virtual time alone: the same parameters and seed give the same results, bit for bit.
    Virtual,
    /// In virtual time, and with `--real` on real sockets or kernels, too.
    Either(Needs),
    /// On real sockets or kernels alone.
    Real(Needs),
}

/// What a run on real sockets or kernels needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Whether only root can do it.
    pub root: bool,
    /// How long it takes with default parameters in a release build, about and rounded up, in minutes.
    pub minutes: u32,
}

impl Worlds {
    /// What a run on real sockets or kernels needs, if there are any.
    pub fn real(self) -> Option<Needs> {
        match self {
            Worlds::Virtual => None,
            Worlds::Either(needs) | Worlds::Real(needs) => Some(needs),
        }
    }
}

impl Experiment {
    /// The parameters with these values, each `KEY=VALUE`, instead of their defaults.
    ///
    /// # Errors
    /// If there is no such parameter, or it cannot have that value.
    pub fn params(&self, set: &[String]) -> Result<Params, SetError> {
        Params::new(self.params, set)
    }

    /// Whether it can run in virtual time (`real` is false), or on real sockets or kernels.
    pub fn runs(&self, real: bool) -> bool {
        match self.worlds {
            Worlds::Virtual => !real,
            Worlds::Either(_) => true,
            Worlds::Real(_) => real,
        }
    }

    /// Of how many seeds its verdict is at least there. In real time that is one run.
    pub fn seeds_of_verdict(&self, real: bool) -> usize {
        if real { 1 } else { self.seeds }
    }

    /// Measures it. `progress` is told now and then what is being done.
    ///
    /// # Errors
    /// If it cannot be measured with these parameters, here, or at all. That a check does not hold is no error.
    pub fn measure(
        &'static self,
        seed: u64,
        params: Params,
        real: bool,
        progress: &dyn Fn(&str),
    ) -> Result<Record, RunError> {
        let context = Context::new(seed, params, real, progress);
        let outcome = (self.run)(&context)?;
        let Context { params, settings, .. } = context;
        Ok(Record {
            experiment: self,
            seed,
            params,
            real,
            settings: settings.into_inner(),
            outcome,
            varied: Vec::new(),
            known: Vec::new(),
        })
    }
}
