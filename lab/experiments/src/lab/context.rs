//! What an experiment is given.

use core::cell::RefCell;
use core::fmt;
use core::time::Duration;

use super::{Params, Value};
use crate::settings::{Configured, Settings};

/// Runs of an experiment with seeds of their own, at most.
pub const RUNS_MAX: u64 = 1_000;

/// What an experiment is given: a seed and parameters decide everything in virtual time.
pub struct Context<'a> {
    /// Decides every lot.
    pub seed: u64,
    /// On real sockets or kernels, not in virtual time.
    pub real: bool,
    pub(super) params: Params,
    pub(super) settings: RefCell<Settings>,
    progress: &'a dyn Fn(&str),
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context { seed, real, params, .. } = self;
        f.debug_struct("Context").field("seed", seed).field("real", real).field("params", params).finish()
    }
}

/// Reads one kind of parameter, and lists of it.
macro_rules! readers {
    ($($(#[$words:meta])* $one:ident, $many:ident: $kind:ident -> $type:ty;)*) => {$(
        $(#[$words])*
        ///
        /// # Panics
        /// If the experiment has no such parameter of this kind.
        pub fn $one(&self, key: &str) -> $type {
            match self.params.value(key) {
                Value::$kind(value) => value.clone(),
                other => panic!("the parameter {key} is {other:?}"),
            }
        }

        /// The same of a list.
        ///
        /// # Panics
        /// If the experiment has no such parameter of this kind.
        pub fn $many(&self, key: &str) -> Vec<$type> {
            let one = |value: &Value| match value {
                Value::$kind(value) => value.clone(),
                other => panic!("the parameter {key} has {other:?}"),
            };
            match self.params.value(key) {
                Value::List(values) => values.iter().map(one).collect(),
                other => panic!("the parameter {key} is {other:?}"),
            }
        }
    )*};
}

impl<'a> Context<'a> {
    /// With these.
    pub fn new(seed: u64, params: Params, real: bool, progress: &'a dyn Fn(&str)) -> Context<'a> {
        Context { seed, real, params, settings: RefCell::default(), progress }
    }

    readers! {
        /// A parameter in bits per second.
        rate, rates: Rate -> u64;
        /// A parameter that is a time.
        time, times: Time -> Duration;
        /// A parameter in bytes.
        size, sizes: Size -> u64;
        /// A parameter from 0 to 1.
        share, shares: Share -> f64;
        /// A parameter that is a whole number.
        count, counts: Count -> u64;
        /// A parameter that is one of some words.
        word, words: Word -> &'static str;
        /// A parameter that is any text.
        text, texts: Text -> String;
    }

    /// A parameter as it was given, such as for a value in a scenario file.
    ///
    /// # Panics
    /// If the experiment has no such parameter.
    pub fn given(&self, key: &str) -> &str {
        self.params.text(key)
    }

    /// What a world is going to be made of, for the page: every experiment hands it through here before it makes the
    /// world.
    pub fn world<W: Configured>(&self, world: W) -> W {
        self.settings.borrow_mut().add(&Settings::of(&world));
        world
    }

    /// Says what is being done, for people who wait.
    pub fn progress(&self, words: impl fmt::Display) {
        (self.progress)(&words.to_string());
    }

    /// The same in real time, where it is known about how long the rest will take.
    pub fn progress_with(&self, words: impl fmt::Display, left: Duration) {
        match left.as_secs() {
            seconds @ 0..90 => self.progress(format_args!("{words}; about {seconds} s left")),
            seconds => self.progress(format_args!("{words}; about {} min left", (seconds + 30) / 60)),
        }
    }

    /// The seed of one of several runs, counted from zero; the runs of two seeds have none in common while they are no
    /// more than `RUNS_MAX`.
    pub fn seed_of(&self, run: u64) -> u64 {
        self.seed.wrapping_mul(RUNS_MAX).wrapping_add(run)
    }
}
