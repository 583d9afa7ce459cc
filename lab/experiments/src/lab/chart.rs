//! Curves over time for a terminal.

use core::fmt;

use super::check::with_unit;
use crate::page::{Plot, Series, Shape};

/// Columns of a chart.
pub const WIDTH: usize = 64;
/// Lines of each curve.
const LINES: usize = 2;
/// Blocks from an empty cell to a full one.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Steps between the numbers below the chart are one of these times a power of ten; the smallest that leaves room is
/// taken.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
/// Powers of ten that are tried.
const POWERS: core::ops::Range<i32> = -6..9;
/// Columns that a number and the gap behind it need.
const NUMBER_WIDTH: usize = 8;

/// Curves one above the other, each a row of bars on the same scale.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    title: String,
    unit: String,
    end: f64,
    top: f64,
    curves: Vec<(String, Vec<f64>)>,
}

impl Chart {
    /// The curves of a plot, if all of them are steps from zero on: the others look like nothing on a terminal.
    pub fn of(plot: &Plot) -> Option<Chart> {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let steps = plot.series.iter().all(|series| series.shape == Shape::Steps);
        let end = points().map(|(x, _)| *x).fold(0.0, f64::max);
        if !steps || points().any(|(x, _)| *x < 0.0) || end <= 0.0 {
            return None;
        }
        let curves: Vec<_> = plot.series.iter().map(|series| (series.name.clone(), columns(series, end))).collect();
        let top = curves.iter().flat_map(|(_, columns)| columns).copied().fold(0.0, f64::max);
        if top <= 0.0 {
            return None;
        }
        let title = format!("{}: {} up to {}", plot.title, plot.y.label, with_unit(top, &plot.y.unit));
        Some(Chart { title, unit: plot.x.unit.clone(), end, top, curves })
    }
}

/// The means of a curve of steps over columns from zero to `end`. What is no number counts as nothing.
fn columns(series: &Series, end: f64) -> Vec<f64> {
    let width = end / WIDTH as f64;
    let mut sums = vec![0.0; WIDTH];
    for (place, (x, y)) in series.points.iter().enumerate() {
        let until = series.points.get(place + 1).map_or(end, |(next, _)| *next);
        let first = (x / width) as usize;
        for column in (first..WIDTH).take_while(|column| (*column as f64) * width < until).filter(|_| y.is_finite()) {
            let (from, to) = (column as f64 * width, (column + 1) as f64 * width);
            sums[column] += y * (to.min(until) - from.max(*x)).max(0.0) / width;
        }
    }
    sums
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let name_width = self.curves.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, columns) in &self.curves {
            for line in (0..LINES).rev() {
                let name = if line == 0 { name } else { "" };
                let full = (BLOCKS.len() - 1) as f64;
                let block = |value: &f64| {
                    let height = value / self.top * full * LINES as f64;
                    BLOCKS[(height - full * line as f64).round().clamp(0.0, full) as usize]
                };
                let bars: String = columns.iter().map(block).collect();
                writeln!(f, "{}", format!("{name:<name_width$} |{bars}").trim_end())?;
            }
        }
        let fits = |step: &f64| (step / self.end * WIDTH as f64) >= NUMBER_WIDTH as f64;
        let mut steps = POWERS.flat_map(|power| STEPS.map(|step| step * 10_f64.powi(power)));
        let step = steps.find(fits).unwrap_or(self.end);
        let mut axis = String::new();
        for tick in 0.. {
            let x = f64::from(tick) * step;
            let column = (x / self.end * WIDTH as f64).round() as usize;
            if column > WIDTH {
                break;
            }
            axis = format!("{axis:<column$}{}", with_unit(x, &self.unit));
        }
        writeln!(f, "{:name_width$}  {axis}", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Axis;

    fn lines(series: &[(&str, &[(f64, f64)])]) -> Vec<String> {
        let plot = Plot::new("plot", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
        let with =
            |plot: Plot, (name, points): &(&str, &[(f64, f64)])| plot.series(Series::steps(name, points.to_vec()));
        let plot = series.iter().fold(plot, with);
        Chart::of(&plot).expect("curves").to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_curve_fills_what_it_has_of_the_highest_of_all() {
        let lines = lines(&[("all", &[(0.0, 2.0), (5.0, 0.0), (10.0, 0.0)]), ("half", &[(5.0, 1.0), (10.0, 0.0)])]);
        let (full, empty) = ("█".repeat(WIDTH / 2), " ".repeat(WIDTH / 2));
        let expected = [
            "plot: rate up to 2 Mbit/s".to_owned(),
            format!("     |{full}"),
            format!("all  |{full}"),
            "     |".to_owned(),
            format!("half |{empty}{full}"),
            "      0 s          2 s          4 s         6 s          8 s          10 s".to_owned(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn steps_finer_than_columns_are_averaged_and_coarser_ones_repeated() {
        let steps = WIDTH * 10;
        let fine: Vec<(f64, f64)> =
            (0..=steps).map(|step| (step as f64 / steps as f64, if step % 2 == 0 { 1.0 } else { 0.0 })).collect();
        let lines = lines(&[("fine", &fine), ("coarse", &[(0.0, 1.0), (1.0, 0.0)])]);
        assert_eq!(lines[2], format!("fine   |{}", "█".repeat(WIDTH)));
        assert_eq!(lines[1].trim_end(), "       |");
        assert_eq!(lines[3], format!("       |{}", "█".repeat(WIDTH)));
    }

    #[test]
    fn what_is_no_curve_of_steps_has_no_chart() {
        let plot = || Plot::new("plot", Axis::new("time", "s"), Axis::new("rate", ""));
        assert_eq!(Chart::of(&plot()), None);
        assert_eq!(Chart::of(&plot().series(Series::steps("none", Vec::new()))), None);
        assert_eq!(Chart::of(&plot().series(Series::line("line", vec![(0.0, 1.0), (1.0, 1.0)]))), None);
    }
}
