//! What can go wrong before and while an experiment runs.

use core::fmt;

/// What is wrong with a `KEY=VALUE`. The caller's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetError {
    /// It has no equals sign.
    Shape(String),
    /// There is no such parameter.
    UnknownKey {
        /// What was asked for.
        key: String,
        /// The parameter that looks most like it.
        nearest: Option<&'static str>,
        /// Every parameter.
        known: Vec<&'static str>,
    },
    /// The parameter cannot have this value.
    Value {
        /// The parameter.
        key: &'static str,
        /// What to write instead.
        problem: String,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::Shape(text) => {
                write!(f, "{text:?} sets nothing; write a key, an equals sign and a value, like rate=10mbit")
            }
            SetError::UnknownKey { key, nearest: Some(nearest), .. } => {
                write!(f, "there is no parameter {key:?}; did you mean {nearest:?}?")
            }
            SetError::UnknownKey { key, known, .. } if known.is_empty() => {
                write!(f, "there is no parameter {key:?}, nor any other")
            }
            SetError::UnknownKey { key, known, .. } => {
                write!(f, "there is no parameter {key:?}; there is {}", known.join(", "))
            }
            SetError::Value { key, problem } => write!(f, "{key}: {problem}"),
        }
    }
}

impl core::error::Error for SetError {}

/// Why an experiment came to no outcome, by whose fault it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The caller's: these parameters make no sense together.
    Params(String),
    /// The environment's: something is missing here.
    Environment {
        /// What failed, and why.
        problem: String,
        /// What to try.
        remedy: String,
    },
    /// The environment's: this user may not do what it takes.
    Denied(String),
    /// Ours: what happened cannot be measured, such as a transfer that did not end.
    Broken(String),
}

impl RunError {
    /// Something happened that cannot be measured.
    pub fn broken(why: impl fmt::Display) -> RunError {
        RunError::Broken(why.to_string())
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Params(why) | RunError::Denied(why) | RunError::Broken(why) => f.write_str(why),
            RunError::Environment { problem, remedy } => write!(f, "{problem}\n  try: {remedy}"),
        }
    }
}

impl core::error::Error for RunError {}
