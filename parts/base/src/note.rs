//! What a machine notes of its own doings, for its observers: events with named fields, in the words of qlog
//! (draft-ietf-quic-qlog-main-schema) where it has one.
//!
//! The code that makes something happen describes it; the code that writes it down need not know what it is. Nothing is
//! noted unless somebody has asked for it.

use core::time::Duration;
use std::collections::VecDeque;

use crate::Instant;

/// Notes that wait to be taken, at most; beyond it the newest are counted and not kept.
pub const NOTES_MAX: usize = 1 << 16;

/// The value of a field.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A count, a number, a size in bytes.
    Number(u64),
    /// A time, told in milliseconds.
    Time(Duration),
    /// Yes or no.
    Flag(bool),
    /// One of the words that the field knows.
    Word(&'static str),
    /// Text of any content.
    Text(String),
    /// Several of one kind.
    List(Vec<Value>),
    /// A thing with fields of its own.
    Fields(Fields),
}

macro_rules! value_from {
    ($($from:ty => $kind:ident),*) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Value {
                Value::$kind(value)
            }
        })*
    };
}

value_from!(u64 => Number, Duration => Time, bool => Flag, &'static str => Word, String => Text);
value_from!(Vec<Value> => List, Fields => Fields);

impl From<usize> for Value {
    fn from(value: usize) -> Value {
        Value::Number(value as u64)
    }
}

/// Named values, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// None yet.
    pub const fn new() -> Fields {
        Fields(Vec::new())
    }

    /// The fields of a frame, which is known by its type.
    pub fn frame(kind: &'static str) -> Fields {
        Fields::new().with("frame_type", kind)
    }

    /// And one more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Fields {
        self.0.push((name, value.into()));
        self
    }

    /// And one more, if there is a value.
    #[must_use]
    pub fn maybe(self, name: &'static str, value: Option<impl Into<Value>>) -> Fields {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find_map(|(known, value)| (known == name).then_some(value))
    }
}

/// Something happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// When.
    pub time: Instant,
    /// What: a category, a colon, and the event. `tng:` is what qlog has no word for.
    pub name: &'static str,
    /// The rest.
    pub data: Fields,
}

/// Notes in the order in which they were made, at most [`NOTES_MAX`].
#[derive(Clone, Debug, Default)]
pub struct Notes {
    kept: VecDeque<Note>,
    missed: u64,
}

impl Notes {
    /// None yet.
    pub const fn new() -> Notes {
        Notes { kept: VecDeque::new(), missed: 0 }
    }

    /// Notes something.
    pub fn push(&mut self, time: Instant, name: &'static str, data: Fields) {
        if self.kept.len() < NOTES_MAX {
            self.kept.push_back(Note { time, name, data });
        } else {
            self.missed += 1;
        }
    }

    /// Takes the oldest. After the last, if there was no room for others, comes a `tng:notes_missed` that counts them.
    pub fn pop(&mut self) -> Option<Note> {
        let note = self.kept.pop_front()?;
        if self.kept.is_empty() && self.missed > 0 {
            let count = core::mem::take(&mut self.missed);
            self.push(note.time, "tng:notes_missed", Fields::new().with("count", count));
        }
        Some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_beyond_the_bound_are_counted_and_told_after_those_that_were_kept() {
        let mut notes = Notes::new();
        for number in 0..NOTES_MAX + 3 {
            notes.push(Instant::from_nanos(number as u64), "tng:test", Fields::new());
        }
        for number in 0..NOTES_MAX {
            assert_eq!(notes.pop().map(|note| note.time.as_nanos()), Some(number as u64));
        }
        let missed = notes.pop().expect("that some are missing");
        assert_eq!((missed.name, missed.data.get("count")), ("tng:notes_missed", Some(&Value::Number(3))));
        assert_eq!(notes.pop(), None);
    }

    #[test]
    fn a_field_without_a_value_is_left_out() {
        let fields = Fields::frame("ping").maybe("a", None::<u64>).maybe("b", Some(2u64));
        assert_eq!(fields.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["frame_type", "b"]);
    }
}
