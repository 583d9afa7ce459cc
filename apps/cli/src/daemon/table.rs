//! Tables for people.

use serde_json::Value;

/// A value of a status.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

/// The value at a place of a status, such as `/near/neighbour`.
pub fn text_at(status: &Value, place: &str) -> String {
    text(status.pointer(place).unwrap_or(&Value::Null))
}

/// What the first line of a status ends with.
pub fn ending(status: &Value) -> &'static str {
    if status["draining"] == true { ", ending" } else { "" }
}

/// Rows as columns; the first row has the heads.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out
}

/// A name that is a whole EID is told by its first letters.
pub fn short(name: &str) -> String {
    if name.chars().count() > 20 { name.chars().take(12).chain("...".chars()).collect() } else { name.to_owned() }
}
