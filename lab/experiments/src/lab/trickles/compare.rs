//! One way held against another, point by point of a curve.

use serde_json::{Value, json};

use crate::lab::{Check, Context, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Way};

/// A curve for each way, over the same points.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// What the plot is of.
    pub title: &'a str,
    /// What the points are by: the table's first column, and the plot's axis.
    pub by: Axis,
    /// The way that the others are held against comes first.
    pub ways: &'a [Way],
    /// On which share of seeds checks must hold.
    pub on: f64,
}

/// A place on the curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Where, on the plot's axis.
    pub at: f64,
    /// The same, in words.
    pub name: String,
    /// What a way has of the first's rate there.
    pub goal: Goal,
    /// What the paper has there, if it has anything.
    pub paper: Option<String>,
}

impl Point {
    /// One that the paper gives no numbers for.
    pub fn new(at: f64, name: impl Into<String>, goal: Goal) -> Point {
        Point { at, name: name.into(), goal, paper: None }
    }
}

impl Comparison<'_> {
    /// Measures every way at every point, in the world that `crowd` makes of the two, and puts the rates into
    /// `outcome`. With a rate comes what the way has done for it, in words.
    ///
    /// # Errors
    /// What a client failed at.
    pub fn measure(
        &self,
        context: &Context<'_>,
        outcome: Outcome,
        points: &[Point],
        crowd: impl Fn(usize, Way) -> Crowd,
        rate_bps: impl Fn(&Crowd) -> Result<(f64, String), RunError>,
    ) -> Result<Outcome, RunError> {
        let names: Vec<String> = self.ways.iter().map(Way::to_string).collect();
        let others = names.iter().skip(1);
        let ratios: Vec<String> = others.clone().map(|name| format!("{name} by {}", names[0])).collect();
        let head = [self.by.label.as_str()].into_iter().chain(names.iter().chain(&ratios).map(String::as_str));
        let mut table = Table::new(&head.collect::<Vec<_>>()).titled(self.title);
        let mut curves = vec![Vec::new(); self.ways.len()];
        let (mut results, mut checks) = (Vec::new(), Vec::new());
        for (number, point) in points.iter().enumerate() {
            let (mut rates, mut accounts) = (Vec::new(), Vec::new());
            for (way, curve) in self.ways.iter().zip(&mut curves) {
                context.progress(format_args!("{}, {} over {way}", self.title, point.name));
                let (rate, account) = rate_bps(&context.world(crowd(number, *way)))?;
                curve.push((point.at, rate / 1e6));
                rates.push(rate);
                accounts.push(account);
            }
            let shares: Vec<f64> = rates.iter().skip(1).map(|rate| rate / rates[0]).collect();
            let cells = rates.iter().map(|rate| format!("{:.2} Mbit/s", rate / 1e6));
            let cells = cells.chain(shares.iter().map(|share| format!("{share:.3}")));
            table.row([point.name.clone()].into_iter().chain(cells).collect());
            for ((share, ratio), account) in shares.iter().zip(&ratios).zip(&accounts[1..]) {
                let name = format!("{}: {ratio}, {}", self.title, point.name);
                let check = Check::new(name, *share, "", point.goal).on(self.on).because(account);
                checks.push(Check { paper: point.paper.clone(), ..check });
            }
            let rates: Vec<Value> =
                names.iter().zip(rates).map(|(name, rate)| json!({ "way": name, "rate_bps": rate })).collect();
            results.push(json!({ "at": point.at, "name": point.name, "rates": rates }));
        }
        let plot = Plot::new(self.title, self.by.clone(), Axis::new("rate", "Mbit/s"));
        let curves = names.iter().zip(curves);
        let plot = curves.fold(plot, |plot, (name, curve)| plot.series(Series::line(name, curve)));
        let mut outcome = outcome.table(table).plot(plot);
        if let Value::Object(all) = &mut outcome.results {
            all.insert(self.title.to_owned(), Value::Array(results));
        }
        Ok(checks.into_iter().fold(outcome, Outcome::check))
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::super::fig19;
    use super::super::testbed::{goodput, one_by_one};
    use super::*;
    use crate::lab::{Experiment, Worlds};

    /// The reference beside itself, which is as fast, and beside another, which is not.
    fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
        let (way, rtts) = (Way::Sst { replay_safe: true }, [5_u64, 20]);
        let comparison = Comparison {
            title: "By the round trip",
            by: Axis::new("round trip", "ms"),
            ways: &[Way::Tcp, Way::Tcp, way],
            on: 0.9,
        };
        let points = rtts.map(|ms| {
            let point = Point::new(ms as f64, format!("{ms} ms"), Goal::Within(1.0, 1.0));
            Point { paper: Some("1".to_owned()), ..point }
        });
        let crowd = |point: usize, way| {
            let mut crowd = fig19::crowd(context.seed, way, Duration::from_millis(rtts[point]), 1, 1);
            crowd.clients = vec![one_by_one(0, [2_000_000])];
            crowd.controller = "newreno".to_owned();
            crowd
        };
        comparison.measure(context, Outcome::new(json!({})), &points, crowd, goodput)
    }

    static BESIDE: Experiment = Experiment {
        name: "trickles/beside",
        title: "A comparison",
        source: "ours",
        claim: "a comparison has a check for each point and way",
        about: "for this test",
        params: &[],
        worlds: Worlds::Virtual,
        seeds: 1,
        vary: &[],
        run,
    };

    #[test]
    fn every_point_has_a_row_and_a_check_for_each_way_beside_the_first() {
        let record = crate::lab::tests::measured(&BESIDE, 1, &[]);
        let outcome = &record.outcome;
        assert_eq!((outcome.tables[0].rows().len(), outcome.checks.len()), (2, 4));
        let held: Vec<bool> = outcome.checks.iter().map(Check::holds).collect();
        assert_eq!(held, [true, false, true, false], "{record}");
        assert!(outcome.checks.iter().all(|check| check.share == 0.9 && check.paper.as_deref() == Some("1")));
        assert_eq!(outcome.results["By the round trip"].as_array().map(Vec::len), Some(2));
    }
}
