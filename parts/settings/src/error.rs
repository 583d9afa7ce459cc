//! What can be wrong with a file.

use core::fmt;

/// A fault, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError {
    /// Where.
    pub place: FaultLocation,
    /// What is wrong there.
    pub fault: Fault,
}

/// Where something stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultLocation {
    /// In the file, in this line, counted from one.
    Line(usize),
    /// In the values that were given beside the file, or in what the file becomes with them.
    Values(String),
}

impl fmt::Display for FaultLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultLocation::Line(line) => write!(f, "line {line}"),
            FaultLocation::Values(values) => write!(f, "with {values}"),
        }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The text is not TOML.
    Syntax(String),
    /// A key that its section does not have.
    UnknownKey {
        /// The section.
        section: String,
        /// The key.
        key: String,
        /// The key that looks most like it.
        nearest: Option<&'static str>,
        /// Every key of the section.
        known: &'static [&'static str],
    },
    /// A key that its section must have is missing.
    MissingKey {
        /// The section.
        section: String,
        /// The key, or the choice of keys.
        key: &'static str,
    },
    /// A value that its key cannot have.
    Value {
        /// The key.
        key: String,
        /// What to write instead.
        problem: String,
    },
    /// A name that nothing has.
    UnknownName {
        /// What kind of thing it should name.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that looks most like it.
        nearest: Option<String>,
        /// Every name that would do.
        known: Vec<String>,
    },
    /// Two things that cannot both be.
    Contradiction(String),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match &self.fault {
            Fault::Syntax(problem) => f.write_str(problem),
            Fault::UnknownKey { section, key, nearest: Some(nearest), .. } => {
                write!(f, "{section} has no key {key:?}; did you mean {nearest:?}?")
            }
            Fault::UnknownKey { section, key, nearest: None, known } => {
                write!(f, "{section} has no key {key:?}; it has {}", known.join(", "))
            }
            Fault::MissingKey { section, key } => write!(f, "{section} needs {key}"),
            Fault::Value { key, problem } => write!(f, "{key}: {problem}"),
            Fault::UnknownName { what, name, nearest: Some(nearest), .. } => {
                write!(f, "there is no {what} {name:?}; did you mean {nearest:?}?")
            }
            Fault::UnknownName { what, name, nearest: None, known } => {
                write!(f, "there is no {what} {name:?}; there is {}", known.join(", "))
            }
            Fault::Contradiction(problem) => f.write_str(problem),
        }
    }
}

impl core::error::Error for SettingsError {}
