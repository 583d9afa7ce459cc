//! Experiments that have run, as one page.

use super::{Record, Table};
use crate::page::Page;

/// One self-contained HTML page of these experiments: claims, checks, tables, plots to hover, parameters and seeds.
pub fn page_of(records: &[&Record]) -> String {
    let title = match records {
        [only] => only.experiment.title,
        _ => "The lab",
    };
    let mut page = Page::new(title);
    records.iter().for_each(|record| write(record, &mut page));
    page.to_html()
}

/// Adds the section of one to a page.
pub fn write(record: &Record, page: &mut Page) {
    let outcome = &record.outcome;
    page.section(&format!("{}: {}", record.experiment.name, record.experiment.title));
    page.table(&["", ""], record.heading());
    table(page, &record.checks());
    outcome.notes.iter().for_each(|note| {
        page.paragraph(note);
    });
    outcome.plots.iter().for_each(|plot| {
        page.plot(plot);
    });
    outcome.tables.iter().for_each(|one| table(page, one));
}

fn table(page: &mut Page, table: &Table) {
    if !table.title().is_empty() {
        page.paragraph(table.title());
    }
    let head: Vec<&str> = table.head().iter().map(String::as_str).collect();
    page.table(&head, table.rows());
}
