//! Experiments that have run, as pages of docs/results.

use core::fmt::Write;

use super::text::wrap;
use super::{Chart, Ran, Table, Worlds, experiments};
use crate::settings::Settings;

/// Stands before the verdict in a page's text.
const VERDICT: &str = "**Verdict**: ";

/// The name of the page of an experiment that ran in virtual time, or on real sockets or kernels: `sst-fig9.md`,
/// `sst-validation-real.md`.
pub fn file_name(experiment: &str, real: bool) -> String {
    format!("{}{}.md", experiment.replace('/', "-"), if real { "-real" } else { "" })
}

/// The page of an experiment, in Markdown. `made` says on what machine, and in how much time.
pub fn markdown(ran: &dyn Ran, made: &str) -> String {
    let experiment = ran.experiment();
    let mut text = format!("# {}: {}\n\n", experiment.name, experiment.title);
    let mut push = |words: core::fmt::Arguments<'_>| text.write_fmt(words).expect("a string takes everything");
    for [what, words] in ran.heading().into_iter().filter(|[what, _]| what != "verdict") {
        push(format_args!("{}\n", wrapped(&format!("- {what}: {words}"))));
    }
    push(format_args!("{}\n\n{VERDICT}{}\n\n", wrapped(&format!("- made: {made}")), ran.verdict_words()));
    ran.of_one().iter().for_each(|words| push(format_args!("{words}\n\n")));
    let outcome = ran.outcome();
    outcome.iter().flat_map(|one| &one.notes).for_each(|note| push(format_args!("{}\n\n", wrapped(note))));
    push(format_args!("{}\n", tabled(&ran.checks())));
    ran.reasons().iter().for_each(|words| push(format_args!("{}\n\n", wrapped(words))));
    ran.varied().iter().for_each(|varied| push(format_args!("{}\n", tabled(&varied.table()))));
    outcome.iter().flat_map(|one| &one.tables).for_each(|table| push(format_args!("{}\n", tabled(table))));
    for chart in outcome.iter().flat_map(|one| &one.plots).filter_map(Chart::of) {
        push(format_args!("```text\n{chart}```\n\n"));
    }
    push(format_args!("{}", settings(ran.settings())));
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The first page of docs/results: a row for every experiment. `page` gives the text of a page by its name, if it is
/// there.
pub fn contents(page: impl Fn(&str) -> Option<String>) -> String {
    let mut table = Table::new(&["experiment", "what", "source", "verdict"]);
    for experiment in experiments() {
        let worlds: &[bool] = match experiment.worlds {
            Worlds::Virtual => &[false],
            Worlds::Either(_) => &[false, true],
            Worlds::Real(_) => &[true],
        };
        for real in worlds {
            let file = file_name(experiment.name, *real);
            let text = page(&file);
            let verdict = text.as_ref().and_then(|text| text.lines().find_map(|line| line.strip_prefix(VERDICT)));
            let name = format!("{}{}", experiment.name, if *real { ", real" } else { "" });
            let name = if text.is_some() { format!("[{name}]({file})") } else { name };
            let cells = [&name, experiment.title, experiment.source, verdict.unwrap_or("not run yet")];
            table.row(cells.map(str::to_owned).into());
        }
    }
    format!(
        "# What the lab measured\n\n{}\n\n{}",
        wrapped(
            "Written by `tng lab all --results docs/results`, and, for what needs real sockets or kernels, by \
             `tng lab all --real --results docs/results`. The plots are on the page that `--report` writes; \
             [lab.md](../lab.md) says how to read them."
        ),
        tabled(&table)
    )
}

/// What worlds were made of, as a list; nothing if there were none.
pub(crate) fn settings(settings: &Settings) -> String {
    if settings.is_empty() {
        return String::new();
    }
    format!("{}:\n\n{}\n", settings.title(), settings.lines().iter().map(setting).collect::<String>())
}

/// One part of them.
pub(super) fn setting([part, words]: &[String; 2]) -> String {
    format!("{}\n", wrapped(&format!("- {part}: {words}")))
}

/// A table in Markdown, its title before it.
pub(crate) fn tabled(table: &Table) -> String {
    let mut text = String::new();
    if !table.title().is_empty() {
        text += &format!("{}:\n\n", escaped(table.title()));
    }
    let columns = table.head().len();
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            (0..columns).map(|column| escaped(cells.get(column).map_or("", String::as_str))).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    text += &line(table.head());
    text += &format!("|{}\n", "---|".repeat(columns));
    table.rows().iter().for_each(|row| text += &line(row));
    text
}

/// A paragraph or an item of a list, in short lines.
pub(crate) fn wrapped(words: &str) -> String {
    wrap(&escaped(words), if words.starts_with("- ") { "  " } else { "" })
}

/// A cell or a sentence: what would end a cell does not.
fn escaped(words: &str) -> String {
    words.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::ours::movement::MOVE;
    use crate::lab::tests::measured;
    use crate::lab::text::WIDTH;

    #[test]
    fn a_page_has_the_figures_of_the_record_and_the_contents_its_verdict() {
        let record = measured(&MOVE, 1, &[]);
        let page = markdown(&record, "a machine | another");
        for words in [
            "# ours/move: ",
            "- seed: 1 alone (where chance decides, a verdict takes 20: --seeds 1..20), in virtual time",
            "at most 3",
            "```text",
            "a machine \\| another",
        ] {
            assert!(page.contains(words), "{words} in\n{page}");
        }
        let prose = |line: &&str| !line.starts_with('|') && !line.contains(" |");
        assert!(page.lines().filter(prose).all(|line| line.chars().count() <= WIDTH), "{page}");
        let contents = contents(|file| (file == "ours-move.md").then(|| page.clone()));
        assert!(contents.contains("| [ours/move](ours-move.md) |") && contents.contains("| holds: 1 of 1 checks |"));
        for experiment in experiments() {
            assert!(contents.contains(experiment.name), "{}", experiment.name);
        }
        assert!(contents.contains("| not run yet |"));
    }
}
