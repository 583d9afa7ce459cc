//! Figures that must be so and so.

use core::fmt;
use std::borrow::Cow;

use serde::de::Deserializer;
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

/// A figure, what it must be, and what the paper has.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Check {
    /// What was measured.
    pub name: String,
    /// What came of it, in `unit`; what is not finite is not a number, and never holds.
    #[serde(deserialize_with = "nullable")]
    pub value: f64,
    /// In what it is; empty for plain numbers.
    pub unit: Cow<'static, str>,
    /// What it must be, in `unit`.
    pub goal: Goal,
    /// On which share of seeds it must hold, from 0 to 1: all of them, unless the experiment says beforehand that
    /// chance may decide otherwise on some.
    pub share: f64,
    /// Whether it is the median of all seeds that must be so, wherever each is: of what scatters to both sides.
    pub by_median: bool,
    /// What the paper has there, in its words; `None` where it says nothing.
    pub paper: Option<String>,
    /// Why the value is what it is, where a run knows that.
    pub why: Option<String>,
}

/// What a figure must be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// From the one to the other, both included.
    Within(f64, f64),
}

impl Check {
    /// A figure for which the paper has none.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str, goal: Goal) -> Check {
        let value = if value.is_finite() { value } else { f64::NAN };
        Check {
            name: name.into(),
            value,
            unit: unit.into(),
            goal,
            share: 1.0,
            by_median: false,
            paper: None,
            why: None,
        }
    }

    /// With what the paper has there.
    #[must_use]
    pub fn paper(mut self, words: impl Into<String>) -> Check {
        self.paper = Some(words.into());
        self
    }

    /// That it must hold on this share of seeds, from 0 to 1.
    #[must_use]
    pub fn on(mut self, share: f64) -> Check {
        self.share = share;
        self
    }

    /// That the median of all seeds must be so.
    #[must_use]
    pub fn by_median(mut self) -> Check {
        self.by_median = true;
        self
    }

    /// With why the value is what it is: what a reader of a check that does not hold asks first. Nothing for an empty
    /// text.
    #[must_use]
    pub fn because(mut self, words: impl Into<String>) -> Check {
        self.why = Some(words.into()).filter(|words| !words.is_empty());
        self
    }

    /// With the word that nobody asked for this goal but we: neither a paper nor what the project set out to reach.
    #[must_use]
    pub fn ours(mut self) -> Check {
        self.name += ", a goal of ours";
        self
    }

    /// What it must be, and on which share of seeds if not on all.
    pub fn goal_words(&self) -> String {
        match self.goal.words(&self.unit) {
            words if self.by_median => format!("{words}, in the median of seeds"),
            words if self.share < 1.0 => format!("{words}, on {:.0} % of seeds", self.share * 100.0),
            words => words,
        }
    }

    /// What came of it, with its unit.
    pub fn measured_words(&self) -> String {
        with_unit(self.value, &self.unit)
    }

    /// Whether it is as it must be.
    pub fn holds(&self) -> bool {
        self.goal.holds(self.value)
    }

    /// Whether it must hold on every seed: then one on which it does not decides.
    pub fn is_strict(&self) -> bool {
        self.share >= 1.0 && !self.by_median
    }
}

impl Goal {
    /// Whether a value meets it. What is not a finite number meets none: nothing was measured.
    pub fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Goal::AtLeast(least) => value >= least,
                Goal::AtMost(most) => value <= most,
                Goal::Within(least, most) => (least..=most).contains(&value),
            }
    }

    /// What it is about: the bound, or what lies between both.
    pub fn middle(self) -> f64 {
        match self {
            Goal::AtLeast(bound) | Goal::AtMost(bound) => bound,
            Goal::Within(least, most) => f64::midpoint(least, most),
        }
    }

    /// In words, with a unit.
    pub fn words(self, unit: &str) -> String {
        match self {
            Goal::AtLeast(least) => format!("at least {}", with_unit(least, unit)),
            Goal::AtMost(most) => format!("at most {}", with_unit(most, unit)),
            Goal::Within(least, most) => format!("{} to {}", plain(least), with_unit(most, unit)),
        }
    }
}

/// The place, among checks that are `known` by name, of the last of `names`: two may have one name, such as of two
/// values that are the same, and the second is the second wherever they stand.
pub(super) fn place_among<'n>(known: impl Iterator<Item = &'n str>, names: &[&str]) -> Option<usize> {
    let [before @ .., name] = names else { return None };
    let twins = before.iter().filter(|other| *other == name).count();
    known.enumerate().filter(|(_, known)| known == name).nth(twins).map(|(place, _)| place)
}

/// A number for people, in four digits or what it was set to.
pub(super) fn plain(value: f64) -> String {
    let rounded = match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 10.0 => format!("{value:.2}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.3}"),
        _ => return format!("{value:.3e}"),
    };
    match rounded.contains('.') {
        true => rounded.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => rounded,
    }
}

pub(super) fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { plain(value) } else { format!("{} {unit}", plain(value)) }
}

/// A number, or null for none.
pub(super) fn nullable<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Check", 9)?;
        object.serialize_field("name", &self.name)?;
        object.serialize_field("value", &self.value)?;
        object.serialize_field("unit", &self.unit)?;
        object.serialize_field("goal", &self.goal)?;
        object.serialize_field("share", &self.share)?;
        object.serialize_field("by_median", &self.by_median)?;
        object.serialize_field("paper", &self.paper)?;
        object.serialize_field("why", &self.why)?;
        object.serialize_field("holds", &self.holds())?;
        object.end()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, not {}", self.name, self.measured_words(), self.goal_words())?;
        self.why.iter().try_for_each(|why| write!(f, ": {why}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_belong_to_what_holds_and_what_is_no_number_never_holds() {
        for (goal, good, bad) in [
            (Goal::AtLeast(2.0), 2.0, 1.999),
            (Goal::AtMost(2.0), 2.0, 2.001),
            (Goal::Within(1.0, 2.0), 1.0, 0.999),
            (Goal::Within(1.0, 2.0), 2.0, 2.001),
        ] {
            assert!(goal.holds(good) && !goal.holds(bad) && !goal.holds(f64::NAN), "{goal:?}");
        }
    }

    #[test]
    fn a_check_is_one_object_for_programs() {
        let check = Check::new("share", 49.5, "%", Goal::Within(48.0, 52.0)).paper("48.8 %");
        let expected = json!({
            "name": "share", "value": 49.5, "unit": "%", "goal": { "within": [48.0, 52.0] }, "share": 1.0,
            "by_median": false, "paper": "48.8 %", "why": null, "holds": true,
        });
        assert_eq!(serde_json::to_value(&check).expect("JSON"), expected);
        let none = Check::new("share", f64::NAN, "", Goal::AtLeast(1.0));
        let json = serde_json::to_value(&none).expect("JSON");
        assert_eq!((&json["value"], &json["holds"], &json["paper"]), (&json!(null), &json!(false), &json!(null)));
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, 0.9999, 48.849, 999.95, 123_456.0, 0.00012, 0.5, -3.25].map(plain);
        assert_eq!(shown, ["0", "1", "1", "48.85", "1000", "123456", "1.200e-4", "0.5", "-3.25"]);
        assert_eq!(Goal::Within(48.0, 52.0).words("%"), "48 to 52 %");
    }
}
