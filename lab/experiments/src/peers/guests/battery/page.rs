//! What a guest was tried on, and what came of it, as a page in Markdown.

use super::{
    KEPT, LINE_BPS, LINE_DELAY, LINE_LOSS, LINE_QUEUE, MEASURED, OF_TCP, Part, Row, SAMPLES, SEED, SETTLE, Trial,
};
use crate::lab::Table;
use crate::lab::markdown::{settings, tabled, wrapped};

/// The page of a guest of this name, of these bytes. `made` says on what machine, and in how much time: all else on it
/// is the same whenever the same module is tried.
pub fn page(guest: &str, module: &[u8], trial: &Trial, made: &str) -> String {
    let mut text = format!("# A guest, tried: {guest}\n\n");
    let hash = blake3::hash(module);
    for item in [
        format!("- module: {} bytes, BLAKE3 {hash}", module.len()),
        format!("- seed: {SEED}, in virtual time"),
        format!("- made: {made}"),
    ] {
        text += &format!("{}\n", wrapped(&item));
    }
    text += &format!("\n**Verdict**: {}\n", verdict(trial));
    let failed: Vec<String> = trial.failed().map(reason).collect();
    if !failed.is_empty() {
        text += &format!("\n{}\n", failed.concat().trim_end());
    }
    for part in [Part::Conformance, Part::Quotas, Part::Policing] {
        text += &format!("\n## {}\n\n{}\n\n{}", part.heading(), wrapped(&part.about()), findings(trial, part));
    }
    if !trial.settings.is_empty() {
        text += &format!("\n## Settings\n\n{}", settings(&trial.settings));
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn verdict(trial: &Trial) -> String {
    match (trial.failed().count(), trial.rows.len()) {
        (0, all) => format!("holds: {all} of {all} checks"),
        (failed, all) => format!("does not hold: {} of {all} checks hold", all - failed),
    }
}

fn reason(row: &Row) -> String {
    let Row { part, what, why, .. } = row;
    format!("{}\n", wrapped(&format!("- why not: {}, {what}: {why}", part.word())))
}

fn findings(trial: &Trial, part: Part) -> String {
    let mut table = Table::new(&["what", "holds", "what was seen"]);
    for Row { what, holds, why, .. } in trial.rows.iter().filter(|row| row.part == part) {
        table.row(vec![what.clone(), if *holds { "yes" } else { "**no**" }.to_owned(), why.clone()]);
    }
    // One that is not loaded, or controls others alone, is not tried on all.
    if table.rows().is_empty() { "Not tried.\n".to_owned() } else { tabled(&table) }
}

impl Part {
    const fn heading(self) -> &'static str {
        match self {
            Part::Conformance => "Conformance",
            Part::Quotas => "Quotas",
            Part::Policing => "Policing",
        }
    }

    /// What is measured for it.
    fn about(self) -> String {
        match self {
            Part::Conformance => format!(
                "Whether it keeps to the border: it loads, every callback returns at either end, and two of it carry \
                 what they are given, once over a clean line and once over one that loses 2 % of packets both ways. \
                 Bytes are compared with what was sent. A controller is told {SAMPLES} samples."
            ),
            Part::Quotas => "What it takes of the machine in all of these runs, at most: fuel in a callback, memory, \
                             and how often it asked for what is denied."
                .to_owned(),
            Part::Policing => format!(
                "What it takes of a network, behind the policer. Beside the reference TCP under newreno, which begins \
                 5 s before it, on a line of {} Mbit/s, {} ms each way and a queue of {LINE_QUEUE} packets: at least \
                 {KEPT} of what two flows of TCP have there are to be left. And alone on the line when it loses {} % \
                 of packets: at most {OF_TCP} of what TCP has there. Measured for {} s, after {} s.",
                LINE_BPS / 1_000_000,
                LINE_DELAY.as_millis(),
                LINE_LOSS * 100.0,
                MEASURED.as_secs(),
                SETTLE.as_secs(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::guests::battery::try_out;
    use tng_stp_sandbox::built_in;

    fn row(part: Part, holds: bool) -> Row {
        Row::new(part, "does it", holds, if holds { "it does" } else { "it | does not" })
    }

    #[test]
    fn a_page_has_every_finding_in_its_part_and_the_reasons_at_its_head() {
        let rows = vec![row(Part::Conformance, true), row(Part::Quotas, false)];
        let page = page("mine.wasm", b"bytes", &Trial { rows, settings: Default::default() }, "a machine");
        for words in [
            "# A guest, tried: mine.wasm\n",
            "**Verdict**: does not hold: 1 of 2 checks hold\n",
            "- why not: quotas, does it: it \\| does not\n",
            "- seed: 1, in virtual time\n- made: a machine\n",
            "| does it | yes | it does |\n",
            "| does it | **no** | it \\| does not |\n",
        ] {
            assert!(page.contains(words), "{words} in\n{page}");
        }
        let policing = page.split("## Policing").nth(1).expect("a part");
        assert!(policing.contains("Not tried.") && !page.contains("## Settings"), "{page}");
        let hash = blake3::hash(b"bytes");
        assert!(page.contains(&format!("- module: 5 bytes, BLAKE3 {hash}")));
    }

    #[test]
    fn what_a_guest_was_tried_in_is_on_its_page_and_the_page_is_the_same_again() {
        let module = built_in("newreno").expect("it comes with the sandbox").bytes;
        let trial = try_out(module, |_| {});
        let first = page("newreno", module, &trial, "here");
        for words in ["**Verdict**: holds: 10 of 10 checks", "line between two of it", "bottleneck, with the data"] {
            assert!(first.contains(words), "{words} in\n{first}");
        }
        assert!(first.contains("sender and receiver over tcp") && first.contains("## Settings"), "{first}");
        assert_eq!(first, page("newreno", module, &try_out(module, |_| {}), "here"));
    }
}
