//! What can be set of an experiment.

use core::time::Duration;

use serde::ser::{Serialize, Serializer};

use super::SetError;
use tng_settings::nearest;
use tng_settings::units;

/// One thing that can be set.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub key: &'static str,
    /// What it is unless set; of its kind.
    pub default: &'static str,
    /// What values it has.
    pub kind: Kind,
    /// What it decides, in a few words.
    pub about: &'static str,
}

/// What values a parameter has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Bits per second: `1.5mbit`.
    Rate,
    /// A time: `25ms`.
    Time,
    /// A time in which something is measured: longer than none.
    Span,
    /// Bytes: `64KiB`.
    Size,
    /// A share: `0.1%`.
    Share,
    /// A whole number, from the one to the other, both included.
    Count(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Anything, such as the name of a file; may be empty.
    Text,
    /// Some of a kind, with commas between them: `1,2,8`. At most `LIST_MAX`.
    List(&'static Kind),
}

/// Most values of a parameter that is a list.
pub const LIST_MAX: usize = 64;

/// A value that was read.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Bits per second.
    Rate(u64),
    /// A time.
    Time(Duration),
    /// Bytes.
    Size(u64),
    /// From 0 to 1.
    Share(f64),
    /// A whole number.
    Count(u64),
    /// One of the kind's words.
    Word(&'static str),
    /// As given.
    Text(String),
    /// In the order given; not empty.
    List(Vec<Value>),
}

impl Param {
    /// A rate in bits per second.
    pub const fn rate(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Rate, about }
    }

    /// A time.
    pub const fn time(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Time, about }
    }

    /// A time in which something is measured, longer than none.
    pub const fn span(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Span, about }
    }

    /// A size in bytes.
    pub const fn size(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Size, about }
    }

    /// A share.
    pub const fn share(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Share, about }
    }

    /// A whole number between two, both included.
    pub const fn count(key: &'static str, default: &'static str, range: (u64, u64), about: &'static str) -> Param {
        Param { key, default, kind: Kind::Count(range.0, range.1), about }
    }

    /// One of some words.
    pub const fn word(
        key: &'static str,
        default: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Param {
        Param { key, default, kind: Kind::Word(words), about }
    }

    /// Any text.
    pub const fn text(key: &'static str, default: &'static str, about: &'static str) -> Param {
        Param { key, default, kind: Kind::Text, about }
    }

    /// Some of a kind.
    pub const fn list(key: &'static str, default: &'static str, kind: &'static Kind, about: &'static str) -> Param {
        Param { key, default, kind: Kind::List(kind), about }
    }
}

impl Kind {
    /// Reads a value.
    ///
    /// # Errors
    /// A sentence that says what to write.
    pub fn read(self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Rate => units::rate(text).map(Value::Rate),
            Kind::Time => units::time(text).map(Value::Time),
            Kind::Span => match units::time(text)? {
                Duration::ZERO => {
                    Err(format!("{text:?} is no time in which anything is measured; write more, like 1s"))
                }
                time => Ok(Value::Time(time)),
            },
            Kind::Size => units::size(text).map(Value::Size),
            Kind::Share => units::share(text).map(Value::Share),
            Kind::Count(least, most) => match text.trim().replace('_', "").parse() {
                Ok(count) if (least..=most).contains(&count) => Ok(Value::Count(count)),
                _ => Err(format!("{text:?} is none; write a whole number from {least} to {most}, like {least}")),
            },
            Kind::Word(words) => match words.iter().find(|word| **word == text.trim()) {
                Some(word) => Ok(Value::Word(word)),
                None => Err(match nearest(text, words.iter().copied()) {
                    Some(meant) => format!("{text:?} is none; did you mean {meant:?}?"),
                    None => format!("{text:?} is none; write {}", words.join(" or ")),
                }),
            },
            Kind::Text => Ok(Value::Text(text.to_owned())),
            Kind::List(kind) => {
                let values: Vec<Value> =
                    text.split(',').take(LIST_MAX + 1).map(|one| kind.read(one)).collect::<Result<_, _>>()?;
                match values.len() {
                    0..=LIST_MAX => Ok(Value::List(values)),
                    _ => Err(format!("these are more than {LIST_MAX}; write fewer, with commas between them")),
                }
            }
        }
    }
}

/// Every parameter of an experiment with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Params(Vec<(&'static str, String, Value)>);

impl Params {
    /// Defaults, and what is set.
    pub(super) fn new(params: &'static [Param], set: &[String]) -> Result<Params, SetError> {
        let mut given: Vec<(&Param, &str)> = params.iter().map(|param| (param, param.default)).collect();
        for pair in set {
            let (key, text) = pair.split_once('=').ok_or_else(|| SetError::Shape(pair.clone()))?;
            let key = key.trim();
            match given.iter_mut().find(|(param, _)| param.key == key) {
                Some((_, value)) => *value = text.trim(),
                None => {
                    let known = || params.iter().map(|param| param.key);
                    return Err(SetError::UnknownKey {
                        key: key.to_owned(),
                        nearest: nearest(key, known()),
                        known: known().collect(),
                    });
                }
            }
        }
        let read = |(param, text): (&Param, &str)| match param.kind.read(text) {
            Ok(value) => Ok((param.key, text.to_owned(), value)),
            Err(problem) => Err(SetError::Value { key: param.key, problem }),
        };
        given.into_iter().map(read).collect::<Result<_, _>>().map(Params)
    }

    /// Keys and values, as they would be set, in the order of the experiment.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(key, text, _)| (*key, text.as_str()))
    }

    /// What was given for a parameter, as text.
    ///
    /// # Panics
    /// If the experiment has no such parameter.
    pub(super) fn text(&self, key: &str) -> &str {
        &self.entry(key).1
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the experiment has no such parameter.
    pub(super) fn value(&self, key: &str) -> &Value {
        &self.entry(key).2
    }

    fn entry(&self, key: &str) -> &(&'static str, String, Value) {
        let entry = self.0.iter().find(|(known, ..)| *known == key);
        entry.expect("an experiment asks for its own parameters")
    }
}

/// An object: keys and what they were given.
impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param::rate("rate", "1.5mbit", "of the link"),
        Param::time("delay", "25ms", "one way"),
        Param::span("time", "2s", "measured"),
        Param::count("runs", "7", (1, 100), "seeds"),
        Param::word("controller", "cubic", &["cubic", "newreno"], "of both"),
        Param::list("losses", "0%,2%", &Kind::Share, "of packets"),
    ];

    fn set(pair: &str) -> Result<Params, SetError> {
        Params::new(PARAMS, &[pair.to_owned()])
    }

    #[test]
    fn what_is_not_set_has_its_default_and_the_last_of_two_counts() {
        assert!(set("delay=0s").is_ok(), "a delay may be none");
        let params = Params::new(PARAMS, &["runs=3".into(), "losses=1%".into(), "runs=4".into()]).expect("values");
        assert_eq!(params.value("rate"), &Value::Rate(1_500_000));
        assert_eq!(params.value("runs"), &Value::Count(4));
        assert_eq!(params.value("losses"), &Value::List(vec![Value::Share(0.01)]));
        let shown: Vec<_> = params.iter().collect();
        assert_eq!(shown[..4], [("rate", "1.5mbit"), ("delay", "25ms"), ("time", "2s"), ("runs", "4")]);
    }

    #[test]
    fn a_wrong_key_names_the_nearest_and_a_wrong_value_says_what_to_write() {
        for (pair, words) in [
            ("rato=1mbit", "did you mean \"rate\""),
            ("temperature=3", "there is rate, delay, time, runs"),
            ("rate", "like rate=10mbit"),
            ("rate=fast", "rate: \"fast\" is not a rate; write a number and bit, kbit, mbit or gbit, like \"100mbit\""),
            ("runs=101", "runs: \"101\" is none; write a whole number from 1 to 100"),
            ("runs=-1", "from 1 to 100"),
            ("time=0s", "time: \"0s\" is no time in which anything is measured; write more"),
            ("time=x", "\"x\" is not a time"),
            ("controller=newrino", "did you mean \"newreno\""),
            ("controller=x", "write cubic or newreno"),
            ("losses=1%,x", "losses: \"x\" is not a share"),
        ] {
            let error = set(pair).expect_err(pair).to_string();
            assert!(error.contains(words), "{pair}: {error}");
        }
        let many = vec!["1%"; LIST_MAX + 1].join(",");
        assert!(set(&format!("losses={many}")).expect_err("too many").to_string().contains("more than 64"));
    }
}
