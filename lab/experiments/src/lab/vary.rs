//! An experiment with other values of a parameter: where its claim ends.

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::check::{place_among, with_unit};
use super::{Distribution, Experiment, Goal, RunError, Seeds, SetError, Table};

/// Seeds that an experiment is run with for each value, if no others are asked for: enough to see where a claim ends,
/// and no verdict.
pub const VARIED_SEEDS: usize = 5;

/// Values of one parameter, at most.
pub const VALUES_MAX: usize = 16;

/// What an experiment's checks come to with some values of one parameter, all others being as they were.
#[derive(Clone, PartialEq, Debug)]
pub struct Varied {
    /// The parameter.
    pub key: String,
    /// Its values, in the order in which they were asked for.
    pub values: Vec<String>,
    /// With so many seeds each.
    pub seeds: usize,
    /// Every check that there was with any value.
    pub checks: Vec<VariedCheck>,
}

/// A check with some values of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct VariedCheck {
    /// Its name.
    pub name: String,
    /// In what it is measured.
    pub unit: String,
    /// What it must be.
    pub goal: Goal,
    /// With each value: the median, on how many seeds it held, and whether that is enough; nothing where there was no
    /// such check.
    pub with: Vec<Option<(f64, usize, bool)>>,
}

/// Values that are asked for: `key=value,value`.
///
/// # Errors
/// What to write.
pub fn read(text: &str) -> Result<(String, Vec<String>), String> {
    let wrong =
        || format!("{text:?} varies nothing; write a parameter and some values of it, like rate=1mbit,2mbit,4mbit");
    let (key, values) = text.split_once('=').ok_or_else(wrong)?;
    let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    match values.len() {
        _ if values.iter().any(String::is_empty) || key.trim().is_empty() => Err(wrong()),
        count if count > VALUES_MAX => Err(format!("these are more than {VALUES_MAX} values; write fewer")),
        _ => Ok((key.trim().to_owned(), values)),
    }
}

impl Varied {
    /// Nothing yet.
    pub fn new(key: &str, seeds: usize) -> Varied {
        Varied { key: key.to_owned(), values: Vec::new(), seeds, checks: Vec::new() }
    }

    /// What came of another value.
    fn add(&mut self, value: &str, checks: &[Distribution]) {
        let before = self.values.len();
        let names: Vec<&str> = checks.iter().map(|one| one.check.name.as_str()).collect();
        for (at, one) in checks.iter().enumerate() {
            let known = place_among(self.checks.iter().map(|known| known.name.as_str()), &names[..=at]);
            let place = known.unwrap_or(self.checks.len());
            if place == self.checks.len() {
                let (unit, goal, with) = (one.check.unit.clone().into_owned(), one.check.goal, vec![None; before]);
                self.checks.push(VariedCheck { name: one.check.name.clone(), unit, goal, with });
            }
            self.checks[place].with.push(Some((one.median(), one.held(), one.holds())));
        }
        self.values.push(value.to_owned());
        self.checks.iter_mut().for_each(|check| check.with.resize(before + 1, None));
    }

    /// For people: the median of each check with each value, and where it holds.
    pub fn table(&self) -> Table {
        let values = self.values.iter().map(|value| format!("{}={value}", self.key));
        let head: Vec<String> = ["check".to_owned(), "goal".to_owned()].into_iter().chain(values).collect();
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let title = format!("By {} (median of {} seeds; NO where it does not hold)", self.key, self.seeds);
        let mut table = Table::new(&head).titled(&title);
        for check in &self.checks {
            let cell = |with: &Option<(f64, usize, bool)>| match with {
                None => "–".to_owned(),
                Some((median, _, true)) => with_unit(*median, &check.unit),
                Some((median, held, false)) => format!("{}, NO: {held}", with_unit(*median, &check.unit)),
            };
            let row = [check.name.clone(), check.goal.words(&check.unit)].into_iter();
            table.row(row.chain(check.with.iter().map(cell)).collect());
        }
        table
    }
}

impl Serialize for Varied {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Varied", 4)?;
        object.serialize_field("key", &self.key)?;
        object.serialize_field("values", &self.values)?;
        object.serialize_field("seeds", &self.seeds)?;
        object.serialize_field("checks", &self.checks)?;
        object.end()
    }
}

impl Serialize for VariedCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = |part: fn(&(f64, usize, bool)) -> f64| -> Vec<Option<f64>> {
            self.with.iter().map(|with| with.as_ref().map(part)).collect()
        };
        let holds: Vec<Option<bool>> = self.with.iter().map(|with| with.map(|(.., holds)| holds)).collect();
        let mut object = serializer.serialize_struct("VariedCheck", 6)?;
        object.serialize_field("name", &self.name)?;
        object.serialize_field("unit", &self.unit)?;
        object.serialize_field("goal", &self.goal)?;
        object.serialize_field("medians", &of(|(median, ..)| *median))?;
        object.serialize_field("held", &of(|(_, held, _)| *held as f64))?;
        object.serialize_field("holds", &holds)?;
        object.end()
    }
}

impl Experiment {
    /// Measures it with each of some values of a parameter, beside what else is `set`, with each of some seeds, on
    /// `jobs` threads, until `stop` is set: then `None`. `tell` hears of each value that begins.
    ///
    /// # Errors
    /// If it has no such parameter, or cannot be measured with a value.
    pub fn vary(
        &'static self,
        (key, values): (&str, &[String]),
        set: &[String],
        seeds: &Seeds,
        jobs: usize,
        stop: &AtomicBool,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<Option<Varied>, RunError> {
        let mut varied = Varied::new(key, seeds.all().len());
        for value in values {
            tell(value);
            let set: Vec<String> = set.iter().cloned().chain([format!("{key}={value}")]).collect();
            let params = self.params(&set).map_err(|error: SetError| RunError::Params(error.to_string()))?;
            let Some(sweep) = self.sweep(seeds.clone(), &params, false, jobs, stop, &|_| ())? else { return Ok(None) };
            varied.add(value, &sweep.checks);
        }
        Ok(Some(varied))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{Check, Context, Outcome, Param, Worlds};
    use crate::page::{Axis, Plot};

    /// A seed should be small.
    static SMALL: Experiment = Experiment {
        name: "ours/small",
        title: "Small",
        source: "ours",
        claim: "a seed is small",
        about: "Nothing is set up.",
        params: &[Param::count("most", "2", (0, 9), "that a seed is")],
        worlds: Worlds::Virtual,
        seeds: 1,
        vary: &[],
        run: small,
    };

    fn small(context: &Context<'_>) -> Result<Outcome, RunError> {
        let goal = Goal::AtMost(context.count("most") as f64);
        let plot = Plot::new("none", Axis::new("x", ""), Axis::new("y", ""));
        Ok(Outcome::new(serde_json::json!({})).plot(plot).check(Check::new("the seed", context.seed as f64, "s", goal)))
    }

    #[test]
    fn a_table_has_a_column_for_each_value_and_says_where_a_check_does_not_hold() {
        let (key, values) = read("most=3, 1").expect("values");
        let seeds: Seeds = "1..3".parse().expect("seeds");
        let varied = SMALL.vary((&key, &values), &[], &seeds, 1, &AtomicBool::new(false), &|_| ()).expect("it runs");
        let varied = varied.expect("nobody stops it");
        assert_eq!((varied.values.len(), varied.seeds), (2, 3));
        let table = varied.table();
        assert_eq!(
            (&table.head()[2..], &table.rows()[0][2..]),
            (&["most=3", "most=1"].map(str::to_owned)[..], &["2 s", "2 s, NO: 1"].map(str::to_owned)[..])
        );
        let json = serde_json::to_value(&varied).expect("JSON");
        assert_eq!((&json["checks"][0]["holds"][0], &json["checks"][0]["held"][1]), (&true.into(), &1.0.into()));
        let unknown = SMALL.vary(("least", &values), &[], &seeds, 1, &AtomicBool::new(false), &|_| ());
        assert!(matches!(unknown, Err(RunError::Params(_))));
    }

    #[test]
    fn what_varies_nothing_is_refused() {
        for text in ["", "rate", "=1", "rate=", "rate=1,,2", "rate=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
