//! Experiments that have run, as one page.

use super::{Record, Table};
use crate::page::Page;
use crate::settings::Settings;

/// One self-contained HTML page of these experiments: claims, checks, tables, plots to hover, parameters and seeds.
/// `made` says on what machine, and in how much time.
pub fn page_of(records: &[&Record], made: &str) -> String {
    let mut page = match records {
        [only] => Page::new(only.experiment.title),
        _ => Page::new("The lab"),
    };
    page.paragraph(made);
    if records.len() > 1 {
        let row = |record: &&Record| {
            let [unmet, all] = [record.unmet().count(), record.outcome.checks.len()];
            let experiment = record.experiment;
            let verdict = if unmet == 0 { "holds" } else { "does not hold" };
            [experiment.name, experiment.title, experiment.source, verdict, &format!("{} of {all}", all - unmet)]
                .map(str::to_owned)
        };
        page.contents(&["experiment", "what", "source", "verdict", "checks"], records.iter().map(row));
    }
    records.iter().for_each(|record| write(record, &mut page));
    page.to_html()
}

/// Adds the section of one to a page.
pub fn write(record: &Record, page: &mut Page) {
    let outcome = &record.outcome;
    page.section(&format!("{}: {}", record.experiment.name, record.experiment.title));
    page.table(&["", ""], record.heading());
    table(page, &record.checks());
    for note in &outcome.notes {
        page.paragraph(note);
    }
    for plot in &outcome.plots {
        page.plot(plot);
    }
    outcome.tables.iter().for_each(|one| table(page, one));
    settings(&record.settings, page);
}

/// What worlds were made of, if there were any.
fn settings(settings: &Settings, page: &mut Page) {
    if !settings.is_empty() {
        page.paragraph(&settings.title());
        page.table(&["", ""], settings.lines());
    }
}

fn table(page: &mut Page, table: &Table) {
    if !table.title().is_empty() {
        page.paragraph(table.title());
    }
    let head: Vec<&str> = table.head().iter().map(String::as_str).collect();
    page.table(&head, table.rows());
}
