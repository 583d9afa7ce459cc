//! Rows and columns for people.

use core::fmt;

use serde::{Deserialize, Serialize};

/// A table: the first column to the left, the others to the right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(head: &[&str]) -> Table {
        Table { title: String::new(), head: head.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    /// With what it shows, in a few words.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Table {
        title.clone_into(&mut self.title);
        self
    }

    /// Adds a row; what is missing stays empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// What it shows; empty if nobody said.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Heads of the columns.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// What stands below them.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    fn width(&self, column: usize) -> usize {
        let cells = core::iter::once(&self.head).chain(&self.rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        for row in [&self.head, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                line += &if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["what", "n"]);
        table.row(vec!["größe".into(), "12".into()]);
        table.row(vec!["x".into()]);
        assert_eq!(table.to_string(), "what    n\n-----  --\ngröße  12\nx\n");
    }
}
