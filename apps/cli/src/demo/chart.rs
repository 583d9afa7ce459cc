//! Curves over time for a terminal.

use std::fmt;

/// Columns of a chart.
pub const WIDTH: usize = 64;
/// Lines of each curve.
const LINES: usize = 2;
/// Blocks from an empty cell to a full one.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Steps between the times below the chart, in seconds; the smallest that leaves room is taken.
const STEPS_S: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 300.0, 3600.0];
/// Columns that a time and the gap behind it need.
const TIME_WIDTH: usize = 7;

/// Curves one above the other, each a row of bars on the same scale.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    end_s: f64,
    top: f64,
    curves: Vec<(String, Vec<f64>)>,
}

impl Chart {
    /// A chart without curves, from zero to `end_s` seconds; a value of `top` or more fills its bar.
    pub fn new(end_s: f64, top: f64) -> Chart {
        Chart { end_s, top, curves: Vec::new() }
    }

    /// Adds a curve of equal steps from zero on, each `step_s` seconds; a column shows the mean of what falls on it.
    pub fn curve(&mut self, name: &str, step_s: f64, values: &[f64]) {
        let column_s = self.end_s / WIDTH as f64;
        let mean = |column: usize| {
            let (from, to) = (column as f64 * column_s, (column + 1) as f64 * column_s);
            let first = (from / step_s) as usize;
            let last = (to / step_s).ceil() as usize;
            let shares = (first..last).map(|step| {
                let share = (to.min((step + 1) as f64 * step_s) - from.max(step as f64 * step_s)).max(0.0) / column_s;
                values.get(step).copied().unwrap_or(0.0) * share
            });
            shares.sum()
        };
        self.curves.push((name.to_owned(), (0..WIDTH).map(mean).collect()));
    }
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        let fits = |step: &&f64| (**step / self.end_s * WIDTH as f64) >= TIME_WIDTH as f64;
        let step = STEPS_S.iter().find(fits).copied().unwrap_or(self.end_s);
        let mut axis = String::new();
        for tick in 0.. {
            let time_s = f64::from(tick) * step;
            let column = (time_s / self.end_s * WIDTH as f64).round() as usize;
            if column > WIDTH {
                break;
            }
            axis = format!("{axis:<column$}{time_s} s");
        }
        writeln!(f, "{:name_width$}  {axis}", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chart: &Chart) -> Vec<String> {
        chart.to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_curve_fills_what_it_has_of_the_top_and_no_more() {
        let mut chart = Chart::new(10.0, 2.0);
        chart.curve("all", 5.0, &[3.0, 0.0]);
        chart.curve("half", 5.0, &[0.0, 1.0]);
        let (full, empty) = ("█".repeat(WIDTH / 2), " ".repeat(WIDTH / 2));
        let expected = [
            format!("     |{full}"),
            format!("all  |{full}"),
            "     |".to_owned(),
            format!("half |{empty}{full}"),
            "      0 s          2 s          4 s         6 s          8 s          10 s".to_owned(),
        ];
        assert_eq!(lines(&chart), expected);
    }

    #[test]
    fn steps_finer_than_columns_are_averaged_and_coarser_ones_repeated() {
        let mut chart = Chart::new(1.0, 1.0);
        let fine: Vec<f64> = (0..WIDTH * 10).map(|step| if step % 2 == 0 { 1.0 } else { 0.0 }).collect();
        chart.curve("fine", 1.0 / fine.len() as f64, &fine);
        chart.curve("coarse", 0.5, &[1.0, 1.0]);
        let lines = lines(&chart);
        assert_eq!(lines[1], format!("fine   |{}", "█".repeat(WIDTH)));
        assert_eq!(lines[0].trim_end(), "       |");
        assert_eq!(lines[2], format!("       |{}", "█".repeat(WIDTH)));
    }

    #[test]
    fn no_curves_and_curves_of_nothing_are_drawn_too() {
        assert_eq!(lines(&Chart::new(1.0, 1.0)).len(), 1);
        let mut chart = Chart::new(1.0, 1.0);
        chart.curve("none", 0.1, &[]);
        assert_eq!(lines(&chart)[1], "none |");
    }
}
