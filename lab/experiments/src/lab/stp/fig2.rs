//! How a transport comes to a host, and from there to the next: STP 3.3.1, Figure 2.

mod real;
mod simulated;

use serde_json::{Value, json};

use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// The three connections of Figure 2, and two beyond it.
pub static FIG2: Experiment = Experiment {
    name: "stp/fig2",
    title: "Three connections",
    source: "STP 3.3.1, Figure 2",
    claim: "the first connection asks for the code, and the default carries it; a later one runs the transport; and \
            who has got it so gives it to others",
    about: "A has a transport that B and C have never met; all three accept whatever comes. Connection 1: A offers it \
            to B, B asks for the code, which goes there meanwhile. Connection 2 begins while it is on its way. \
            Connection 3 is later. Beyond the figure, B then offers it to C, and A, who never met C, does so, too. On \
            each a file comes back. In real time A, B and C are processes of the tool on the loopback interface, each \
            with a store and a policy of its own; B and C serve, and a host that connects is a process for as long as \
            that takes.",
    params: &[
        Param::rate("rate", "10mbit", "of each host's line, in virtual time"),
        Param::time("delay", "12.5ms", "of each host's line, each way, in virtual time"),
        Param::size("size", "200kB", "of the file"),
        Param::time("second", "80ms", "the second connection begins, in virtual time; in real time with the first"),
        Param::time("compiling", "100ms", "what compiling takes, in virtual time"),
    ],
    worlds: Worlds::Either(Needs { root: false, minutes: 1 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What may be answered to an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Runs,
    SendMe,
}

impl Answer {
    /// The word of the tool for it.
    const fn word(self) -> &'static str {
        match self {
            Answer::Runs => "runs",
            Answer::SendMe => "sendme",
        }
    }
}

/// A connection of the story.
struct Step {
    name: &'static str,
    /// From whom to whom, by their numbers.
    ends: [usize; 2],
    /// What is answered; nothing is said of what is a race.
    answer: Option<Answer>,
    /// What it is in the paper.
    paper: &'static str,
}

const NAMES: [&str; 3] = ["A", "B", "C"];

/// In their order. The second is a race in real time.
const STEPS: [Step; 5] = [
    Step {
        name: "1",
        ends: [0, 1],
        answer: Some(Answer::SendMe),
        paper: "connection 1: use of STP-A is requested, and the code is asked for",
    },
    Step { name: "2", ends: [0, 1], answer: None, paper: "connection 2, at application level: the code is sent" },
    Step {
        name: "3",
        ends: [0, 1],
        answer: Some(Answer::Runs),
        paper: "connection 3, later and unrelated: STP-A runs",
    },
    Step { name: "on", ends: [1, 2], answer: Some(Answer::SendMe), paper: "" },
    Step { name: "strangers", ends: [0, 2], answer: Some(Answer::Runs), paper: "" },
];

/// What came of one.
struct Told {
    /// The tool's word for what was settled.
    settled: String,
    /// Seconds until the connection was there, if that is known.
    connected_s: Option<f64>,
    /// Seconds until the file was whole; nothing if it never was.
    whole_s: Option<f64>,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (told, more) = match context.real {
        true => (real::tell(context)?, Vec::new()),
        false => simulated::tell(context)?,
    };
    let mut table =
        Table::new(&["connection", "ends", "settled", "carried by", "connected", "file there", "in the paper"]);
    let mut points = Vec::new();
    let (mut right, mut wrong, mut whole) = (0, Vec::new(), 0);
    let mut results: Vec<Value> = Vec::new();
    for (step, told) in STEPS.iter().zip(&told) {
        let [from, to] = step.ends.map(|end| NAMES[end]);
        let seconds = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.3} s"));
        let carrier = if told.settled == Answer::Runs.word() { "the transport" } else { "structured streams" };
        table.row(vec![
            step.name.to_owned(),
            format!("{from} to {to}"),
            told.settled.clone(),
            carrier.to_owned(),
            seconds(told.connected_s),
            seconds(told.whole_s),
            step.paper.to_owned(),
        ]);
        let expected = step.answer.map(Answer::word);
        match expected.is_none_or(|word| word == told.settled) {
            true => right += 1,
            false => wrong.push(format!("{}: {} in place of {}", step.name, told.settled, expected.unwrap_or(""))),
        }
        whole += usize::from(told.whole_s.is_some());
        points.extend(told.whole_s.map(|time| (results.len() as f64 + 1.0, time)));
        results.push(json!({
            "connection": step.name, "from": from, "to": to, "settled": told.settled, "connected_s": told.connected_s,
            "whole_s": told.whole_s,
        }));
    }
    let plot = Plot::new("Until the file is there", Axis::new("connection", ""), Axis::new("time", "s"));
    let outcome = Outcome::new(json!({ "connections": results })).table(table);
    let all = STEPS.len() as f64;
    let outcome = outcome
        .plot(plot.series(Series::points("file", points)))
        .check(
            Check::new("connections that settled what they should", right as f64, "", Goal::AtLeast(all))
                .paper("3 of 3, in a figure")
                .because(wrong.join("; ")),
        )
        .check(Check::new("connections whose file is there", whole as f64, "", Goal::AtLeast(all)));
    Ok(more.into_iter().fold(outcome, Outcome::check).note(
        "In the paper the code goes by a connection of its own between the policy managers. Here it is a stream of the \
         connection in hand, behind everything else that goes over it, and the second connection shows that who \
         comes meanwhile does not wait for it.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn the_first_two_connections_run_streams_and_the_third_the_transport_and_so_do_strangers() {
        let record = measured(&FIG2, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        // Where compiling takes longer than all of it, the default carries everything.
        let record = measured(&FIG2, 1, &["compiling=1h"]);
        assert!(unmet(&record.outcome)[0].contains("settled what they should"), "{record}");
    }
}
