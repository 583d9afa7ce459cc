//! Who has to change for an extension of TCP: STP 2, Table 1.

use serde_json::json;
use tng_stp_abi::SocketKind;

use super::catalogue::{Bench, By};
use super::table5::{NUMBERS, chosen};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};

/// Each guest at one end, and at both.
pub static TABLE1: Experiment = Experiment {
    name: "stp/table1",
    title: "Who has to change",
    source: "STP 2, Table 1",
    claim: "16 of 27 extensions are of use only if both ends have them, five are of more use then, and six are the \
            sender's or the receiver's own",
    about: "Each extension that is a guest with streams, in the scenario in which stp/table5 measures it: with it at \
            the sender alone, at the receiver alone, and at both, by TCP of 1988 at both. All of them understand each \
            other's segments, as TCPs do. Transports of messages have segments of their own, and there is no one end \
            of them.",
    params: &[
        Param::list("extensions", "all", &Kind::Word(NUMBERS), "by category and place in Table 1"),
        Param::count("worlds", "4", (1, 100), "of which the mean is taken"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let bench = Bench { context, worlds: context.count("worlds") };
    let mut table = Table::new(&["", "extension", "gain with the sender", "with the receiver", "with both"]);
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for extension in chosen(context) {
        let By::Guest(entry) = &extension.by else { continue };
        if (entry.code)("").socket() != SocketKind::Stream {
            continue;
        }
        context.progress(format_args!("{} {}", extension.number, extension.name));
        let baseline = entry.at_ends(&bench, [false, false])?;
        let gain = |ends| Ok::<f64, RunError>(entry.gain(baseline, entry.at_ends(&bench, ends)?));
        let gains = [gain([true, false])?, gain([false, true])?, gain([true, true])?];
        let words = gains.map(|gain| format!("{gain:.2}"));
        table.row([extension.number.to_owned(), extension.name.to_owned()].into_iter().chain(words).collect());
        let goal = Goal::AtLeast(entry.goal.middle());
        for (place, end) in ["sender", "receiver"].into_iter().enumerate().filter(|(place, _)| entry.one_end[*place]) {
            let name = format!("{} with the {end} alone", extension.name);
            // Each end has its part of what both gain.
            let goal = if entry.one_end == [true, true] { Goal::AtLeast(1.0) } else { goal };
            checks.push(Check::new(name, gains[place], "", goal).by_median().paper(category(extension.number)));
        }
        let both = Check::new(format!("{} with both", extension.name), gains[2], "", goal).by_median();
        checks.push(both.paper(category(extension.number)));
        results.push(json!({
            "number": extension.number, "extension": extension.name, "with_sender": gains[0],
            "with_receiver": gains[1], "with_both": gains[2],
        }));
    }
    let outcome = Outcome::new(json!({ "extensions": results })).table(table);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// What the paper says of a category.
fn category(number: &str) -> &'static str {
    match number.as_bytes().first() {
        Some(b'1') => "both have to change",
        Some(b'2') => "more if both change",
        _ => "one has to change",
    }
}
