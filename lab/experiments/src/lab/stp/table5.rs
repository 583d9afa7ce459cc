//! Which extensions of TCP can be had as guests: STP 5.2, Table 5.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use tng_stp_sandbox::built_in;

use super::catalogue::{Bench, EXTENSIONS, Extension, Figure, MEDIA, Show};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::peers::guests::battery::try_out;

/// The catalogue.
pub static TABLE5: Experiment = Experiment {
    name: "stp/table5",
    title: "Extensions of TCP as guests",
    source: "STP 5.2, Tables 1 and 5",
    claim: "18 of 21 extensions can be had as guests, WTCP and TCP Westwood cannot, since they are not TCP-friendly, \
            and DCCP as far as it is",
    about: "Each of the 27 extensions of the paper's Table 1: what stands for it, whether its module keeps to the \
            rules (the trial of `tng stp test`), and what it gains over TCP of 1988 where it is of use, both behind \
            the policer. Where TCP of 1988 has nothing of the kind the line says what it is held against. What is not \
            TCP-friendly is a guest like any other, and is held, and once more not for each loss, where policy trusts \
            the receiver to tell congestion from loss; what is the host's own is shown by what a guest has of it.",
    params: &[
        Param::list("extensions", "all", &Kind::Word(NUMBERS), "by category and place in Table 1"),
        Param::count("worlds", "4", (1, 100), "of which the mean is taken"),
        Param::word("conformance", "module", &["module", "none"], "whether modules are tried"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

pub(super) const NUMBERS: &[&str] = &[
    "all", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12", "1.13", "1.14",
    "1.15", "1.16", "2.1", "2.2", "2.3", "2.4", "2.5", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6",
];

/// Those that a parameter names.
pub(super) fn chosen(context: &Context<'_>) -> impl Iterator<Item = &'static Extension> + use<> {
    let names = context.words("extensions");
    EXTENSIONS.iter().filter(move |one| names.contains(&"all") || names.contains(&one.number))
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let bench = Bench { context, worlds: context.count("worlds") };
    let tries = context.word("conformance") == "module";
    let head =
        ["", "extension", "what stands for it", "conforms", "measured", "without", "with", "gain", "here", "paper"];
    let (mut table, mut results, mut checks) = (Table::new(&head), Vec::new(), Vec::new());
    let mut unfit = Vec::new();
    let media = context.words("extensions").contains(&"all").then_some(&MEDIA);
    let rows = chosen(context).flat_map(|one| {
        let paper = one.paper.map_or("-".to_owned(), |mark| mark.to_string());
        let trusted = one.trusted().map(|show| {
            let kind = "the same, and policy trusts the receiver".to_owned();
            (one.number, one.name, kind, None, "yes".to_owned(), "-".to_owned(), Row::Trusted(show))
        });
        let row = (one.number, one.name, one.kind(), one.module(), one.ours.to_string(), paper, Row::Extension(one));
        [Some(row), trusted].into_iter().flatten()
    });
    let user = media.map(|entry| {
        let kind = format!("guest `{}`", entry.module);
        ("", "Media with parity", kind, Some(entry.module), "yes".to_owned(), "-".to_owned(), Row::Media)
    });
    for (number, name, kind, module, ours, paper, row) in rows.chain(user) {
        context.progress(format_args!("{number} {name}"));
        let figure = match row {
            Row::Extension(one) => one.figure(&bench)?,
            Row::Trusted(show) => show(&bench)?,
            Row::Media => MEDIA.figure(&bench)?,
        };
        let conforms = match module {
            Some(module) if tries => conforms(module)?,
            _ => Ok("-".to_owned()),
        };
        let words = conforms.clone().unwrap_or_else(|why| why);
        if let Err(why) = conforms {
            unfit.push(format!("{name}: {why}"));
        }
        let Figure { what, unit, baseline, with, gain, goal } = figure;
        let of = |value: f64| format!("{value:.2} {unit}").trim_end().to_owned();
        table.row(vec![
            number.to_owned(),
            name.to_owned(),
            kind.clone(),
            words.clone(),
            what.clone(),
            of(baseline),
            of(with),
            format!("{gain:.2}"),
            ours.clone(),
            paper.clone(),
        ]);
        let check = Check::new(format!("{name}: {}", about(&what)), gain, "", goal).by_median();
        checks.push(if paper == "-" { check.ours() } else { check.paper(paper.clone()) });
        results.push(json!({
            "number": number, "extension": name, "kind": kind, "conforms": words, "measured": what, "unit": unit,
            "without": baseline, "with": with, "gain": gain, "here": ours, "paper": paper,
        }));
    }
    let outcome = Outcome::new(json!({ "extensions": results })).table(table);
    let outcome = checks.into_iter().fold(outcome, Outcome::check);
    let unfit = Check::new("modules that do not keep to the rules", unfit.len() as f64, "", Goal::AtMost(0.0))
        .because(unfit.join("; "));
    Ok(outcome.check(unfit).note(
        "A gain is what it is with the extension by what it is without, or the other way round where less is better. \
         The paper judged by reading; its Table 5 has categories 1 and 2.",
    ))
}

/// What a line is of.
enum Row {
    Extension(&'static Extension),
    Trusted(Show),
    Media,
}

/// What was measured, without figures that differ from seed to seed.
fn about(what: &str) -> &str {
    what.split(';').next().unwrap_or(what)
}

/// Whether a module keeps to the rules; tried once for all seeds, since its trial is of one.
fn conforms(module: &'static str) -> Result<Result<String, String>, RunError> {
    static TRIED: Mutex<BTreeMap<&str, Result<String, String>>> = Mutex::new(BTreeMap::new());
    let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tried) = tried.get(module) {
        return Ok(tried.clone());
    }
    let built_in = built_in(module).ok_or_else(|| RunError::broken(format_args!("{module} is not built in")))?;
    let trial = try_out(built_in.bytes, |_| ());
    let failed: Vec<String> = trial.failed().map(|row| format!("{}: {}", row.what, row.why)).collect();
    let verdict = if failed.is_empty() {
        Ok(format!("yes, {} of {}", trial.rows.len(), trial.rows.len()))
    } else {
        Err(failed.join("; "))
    };
    tried.insert(module, verdict.clone());
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn an_extension_is_worth_what_the_table_says_and_a_module_of_it_keeps_to_the_rules() {
        let set = ["extensions=1.2,1.11,2.1,3.2", "worlds=2"];
        let record = measured(&TABLE5, 1, &set);
        assert_eq!(unmet(&record.outcome), Vec::<String>::new(), "{record}");
        assert_eq!(record, measured(&TABLE5, 1, &set));
    }

    #[test]
    fn what_is_not_tcp_friendly_is_held_and_gains_where_policy_trusts_the_receiver() {
        let record = measured(&TABLE5, 1, &["extensions=1.10,2.3", "worlds=2", "conformance=none"]);
        println!("seed 1: {record}");
        assert_eq!(unmet(&record.outcome), Vec::<String>::new(), "{record}");
    }

    fn contents() -> String {
        let mut text = String::from("| | extension | what stands for it | measured | gain wanted | here | paper |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for one in &EXTENSIONS {
            let (what, goal) = match &one.by {
                super::super::catalogue::By::Guest(entry) => (entry.what.to_owned(), entry.goal.words("")),
                _ => ("see below".to_owned(), "-".to_owned()),
            };
            let paper = one.paper.map_or("-".to_owned(), |mark| mark.to_string());
            text.push_str(&format!(
                "| {} | {} | {} | {what} | {goal} | {} | {paper} |\n",
                one.number,
                one.name,
                one.kind(),
                one.ours
            ));
        }
        text
    }

    /// `TNG_WRITE=1 cargo test -p tng-experiments --lib stp::table5` writes it anew.
    #[test]
    fn the_table_in_the_docs_is_that_of_the_catalogue() {
        const MARKS: [&str; 2] = ["<!-- extensions: begin -->\n\n", "\n<!-- extensions: end -->"];
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stp-catalogue.md");
        let text = std::fs::read_to_string(&path).expect("it is there");
        let (before, rest) = text.split_once(MARKS[0]).expect("it has a place for the table");
        let (table, after) = rest.split_once(MARKS[1]).expect("it has an end");
        if std::env::var_os("TNG_WRITE").is_some() {
            let text = [before, MARKS[0], &contents(), MARKS[1], after].concat();
            return std::fs::write(&path, text).expect("it can be written");
        }
        assert_eq!(table, contents(), "docs/stp-catalogue.md is not what the catalogue says");
    }
}
