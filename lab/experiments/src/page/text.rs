//! Text as HTML shows it.

use core::fmt;

/// Stands for itself in HTML, between tags and in quoted attributes.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => fmt::Write::write_char(f, char)?,
                // HTML has no place for the other controls, not even as numbers.
                char if char.is_control() => f.write_str("\u{fffd}")?,
                char => fmt::Write::write_char(f, char)?,
            }
        }
        Ok(())
    }
}

/// Whether a cell is a number, with or without a unit, or says that there is none.
pub(super) fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix(['-', '–', '+']).unwrap_or(cell);
    digits.is_empty() || digits.starts_with(|first: char| first.is_ascii_digit()) && digits.split(' ').count() <= 2
}
