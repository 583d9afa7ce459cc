//! Experiments that have run, as one page.

use super::{Ran, Table};
use crate::page::Page;
use crate::settings::Settings;

/// One self-contained HTML page of these experiments: claims, checks, tables, plots to hover, parameters and seeds.
/// `made` says on what machine, and in how much time.
pub fn page_of(all: &[&dyn Ran], made: &str) -> String {
    let mut page = match all {
        [only] => Page::new(only.experiment().title),
        _ => Page::new("The lab"),
    };
    page.paragraph(made);
    if all.len() > 1 {
        let row = |ran: &&dyn Ran| {
            let ([unmet, all], experiment) = (ran.count(), ran.experiment());
            [
                experiment.name,
                experiment.title,
                experiment.source,
                ran.verdict().word(),
                &format!("{} of {all}", all - unmet),
            ]
            .map(str::to_owned)
        };
        page.contents(&["experiment", "what", "source", "verdict", "checks"], all.iter().map(row));
    }
    all.iter().for_each(|ran| write(*ran, &mut page));
    page.to_html()
}

/// Adds the section of one to a page.
pub fn write(ran: &dyn Ran, page: &mut Page) {
    page.section(&format!("{}: {}", ran.experiment().name, ran.experiment().title));
    page.table(&["", ""], ran.heading());
    table(page, &ran.checks());
    for words in ran.reasons() {
        page.paragraph(&words);
    }
    ran.varied().iter().for_each(|varied| table(page, &varied.table()));
    if let Some(plot) = ran.spread() {
        page.plot(&plot);
    }
    if let Some(words) = ran.of_one() {
        page.paragraph(&words);
    }
    if let Some(outcome) = ran.outcome() {
        for note in &outcome.notes {
            page.paragraph(note);
        }
        for plot in &outcome.plots {
            page.plot(plot);
        }
        outcome.tables.iter().for_each(|one| table(page, one));
    }
    settings(ran.settings(), page);
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
