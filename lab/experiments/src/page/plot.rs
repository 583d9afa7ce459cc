//! A plot as data.

use serde::{Deserialize, Deserializer, Serialize};

/// Curves over a common axis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis; it includes zero unless it is logarithmic.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// What happened when.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// In what; empty for plain numbers.
    pub unit: String,
    /// Powers of ten are as far apart from each other. What is not above zero has no place on it.
    pub log: bool,
    /// What stands at 0, 1, 2 and so on, instead of these numbers; empty for an axis of numbers.
    pub names: Vec<String>,
}

/// One curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub shape: Shape,
    /// Points, x ascending. A y that is not finite is a gap.
    #[serde(deserialize_with = "points")]
    pub points: Vec<(f64, f64)>,
}

/// Points; null is a gap.
fn points<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(f64, f64)>, D::Error> {
    let points = Vec::<(Option<f64>, Option<f64>)>::deserialize(from)?;
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    Ok(points.into_iter().map(|(x, y)| (number(x), number(y))).collect())
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A line from point to point.
    Line,
    /// Each value until the next one.
    Steps,
    /// Points alone.
    Points,
    /// A bar from zero to each; for one curve alone.
    Bars,
}

/// A moment on the x axis with what happened then.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// Where on the axis.
    pub x: f64,
    /// What happened.
    pub label: String,
}

impl Axis {
    /// An axis; `unit` is empty for plain numbers.
    pub fn new(label: &str, unit: &str) -> Axis {
        Axis { label: label.to_owned(), unit: unit.to_owned(), log: false, names: Vec::new() }
    }

    /// A horizontal axis with names in the place of 0, 1, 2 and so on.
    pub fn names(names: &[&str]) -> Axis {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Axis { label: String::new(), unit: String::new(), log: false, names }
    }

    /// The same, logarithmic.
    #[must_use]
    pub fn log(self) -> Axis {
        Axis { log: true, ..self }
    }
}

impl Series {
    /// A line through points.
    pub fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), shape: Shape::Line, points }
    }

    /// Values that hold until the next one.
    pub fn steps(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), shape: Shape::Steps, points }
    }

    /// Points that nothing joins.
    pub fn points(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), shape: Shape::Points, points }
    }

    /// A bar for each value.
    pub fn bars(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), shape: Shape::Bars, points }
    }
}

impl Plot {
    /// A plot without curves.
    pub fn new(title: &str, x: Axis, y: Axis) -> Plot {
        Plot { title: title.to_owned(), x, y, series: Vec::new(), marks: Vec::new() }
    }

    /// With one more curve.
    #[must_use]
    pub fn series(mut self, series: Series) -> Plot {
        self.series.push(series);
        self
    }

    /// With one more moment marked.
    #[must_use]
    pub fn mark(mut self, x: f64, label: &str) -> Plot {
        self.marks.push(Mark { x, label: label.to_owned() });
        self
    }

    /// JSON that can stand in a script element: nothing in it ends one, or begins a comment.
    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("plain values are JSON");
        json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    }
}
