//! One self-contained HTML page: text, tables and interactive plots.
//!
//! The page holds everything that it shows: styles, the plotter (uPlot, see `lab/experiments/assets/README.md`), data.
//! It opens from a file, fetches nothing (its content security policy forbids it to), reads in light and dark, and
//! prints. The same calls give the same bytes. Whatever text it is given stands there as text.
//!
//! ```
//! use tng_experiments::page::{Axis, Page, Plot, Series};
//!
//! let mut page = Page::new("Two streams");
//! page.section("Bandwidth").paragraph("They share the link evenly.");
//! page.table(&["stream", "Mbit/s"], [["one", "0.75"], ["two", "0.75"]]);
//! let plot = Plot::new("Bandwidth over time", Axis::new("time", "s"), Axis::new("goodput", "Mbit/s"));
//! page.plot(&plot.series(Series::line("one", vec![(0.0, 0.75), (1.0, 0.75)])).mark(0.5, "priority raised"));
//! let html = page.to_html();
//! assert!(html.starts_with("<!doctype html>"));
//! ```

mod plot;
mod report;
mod text;

#[cfg(test)]
mod tests;

pub use plot::{Axis, Mark, Plot, Series, Shape};
pub use report::{CURVE_POINTS_MAX, CURVES_MAX, of_report};
use text::{Escaped, is_number};

use core::fmt::Write;

const STYLE: &str = concat!(include_str!("../assets/uplot.min.css"), "\n", include_str!("../assets/page.css"));
const PLOTTER: &str = include_str!("../assets/uplot.min.js");
const PLOTTER_LICENCE: &str = include_str!("../assets/uplot.LICENSE");
const SCRIPT: &str = include_str!("../assets/page.js");

/// Nothing but what stands in the page itself.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page in the making. What is added stands below what was added before.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    title: String,
    body: String,
    plots: usize,
    sections: usize,
}

impl Page {
    /// A page with nothing but a title.
    pub fn new(title: &str) -> Page {
        Page { title: title.to_owned(), body: String::new(), plots: 0, sections: 0 }
    }

    /// Begins a section with a heading.
    pub fn section(&mut self, heading: &str) -> &mut Page {
        self.sections += 1;
        let number = self.sections;
        self.push(format_args!("<h2 id=\"section-{number}\">{}</h2>\n", Escaped(heading)))
    }

    /// Adds a table of what follows: the first cell of each row leads to a section, of the first row to the next one.
    pub fn contents<Row, Cell>(&mut self, head: &[&str], rows: impl IntoIterator<Item = Row>) -> &mut Page
    where
        Row: AsRef<[Cell]>,
        Cell: AsRef<str>,
    {
        self.push(format_args!("<div class=\"table\"><table class=\"data\">\n<thead><tr>"));
        for name in head {
            self.push(format_args!("<th>{}</th>", Escaped(name)));
        }
        self.push(format_args!("</tr></thead>\n<tbody>\n"));
        for (place, row) in rows.into_iter().enumerate() {
            let number = self.sections + 1 + place;
            self.push(format_args!("<tr>"));
            for (column, cell) in row.as_ref().iter().take(head.len()).map(|cell| Escaped(cell.as_ref())).enumerate() {
                match column {
                    0 => self.push(format_args!("<td><a href=\"#section-{number}\">{cell}</a></td>")),
                    _ => self.push(format_args!("<td>{cell}</td>")),
                };
            }
            self.push(format_args!("</tr>\n"));
        }
        self.push(format_args!("</tbody></table></div>\n"))
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: &str) -> &mut Page {
        self.push(format_args!("<p>{}</p>\n", Escaped(words)))
    }

    /// Adds a table. Columns that hold only numbers stand to the right; cells beyond the head are dropped, missing ones
    /// are empty.
    pub fn table<Row, Cell>(&mut self, head: &[&str], rows: impl IntoIterator<Item = Row>) -> &mut Page
    where
        Row: AsRef<[Cell]>,
        Cell: AsRef<str>,
    {
        let rows: Vec<Row> = rows.into_iter().collect();
        let cell = |row: &Row, column: usize| row.as_ref().get(column).map_or(String::new(), |c| c.as_ref().to_owned());
        let numeric = |column: usize| !rows.is_empty() && rows.iter().all(|row| is_number(&cell(row, column)));
        let class: Vec<&str> = (0..head.len()).map(|n| if numeric(n) { " class=\"n\"" } else { "" }).collect();
        self.push(format_args!("<div class=\"table\"><table class=\"data\">\n<thead><tr>"));
        for (name, class) in head.iter().zip(&class) {
            self.push(format_args!("<th{class}>{}</th>", Escaped(name)));
        }
        self.push(format_args!("</tr></thead>\n<tbody>\n"));
        for row in &rows {
            self.push(format_args!("<tr>"));
            for (column, class) in class.iter().enumerate() {
                self.push(format_args!("<td{class}>{}</td>", Escaped(&cell(row, column))));
            }
            self.push(format_args!("</tr>\n"));
        }
        self.push(format_args!("</tbody></table></div>\n"))
    }

    /// Adds a plot.
    pub fn plot(&mut self, plot: &Plot) -> &mut Page {
        let number = self.plots;
        self.plots += 1;
        let (title, json) = (Escaped(&plot.title), plot.to_json());
        self.push(format_args!(
            "<figure><figcaption>{title}</figcaption><div class=\"plot\" data-from=\"plot-{number}\"></div>\n\
             <script type=\"application/json\" id=\"plot-{number}\">{json}</script></figure>\n"
        ))
    }

    /// The whole page.
    pub fn to_html(&self) -> String {
        let (title, body) = (Escaped(&self.title), &self.body);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}"
        );
        if self.plots > 0 {
            html += "<noscript><p>The plots need JavaScript; everything else is here.</p></noscript>\n<footer>Plots: \
                     hover for values, click a name to hide it, drag to zoom, double-click for all of it.</footer>\n";
            for script in [&format!("/*\nuPlot\n{PLOTTER_LICENCE}\n*/\n{PLOTTER}"), SCRIPT] {
                html += &format!("<script>\n{script}</script>\n");
            }
        }
        html += "</body>\n</html>\n";
        html
    }

    fn push(&mut self, html: core::fmt::Arguments<'_>) -> &mut Page {
        self.body.write_fmt(html).expect("a string takes everything");
        self
    }
}
