//! What cheating gains: a question of our own.

use core::time::Duration;

use serde_json::{Map, json};
use tng_sim::fork;

use super::fig4::CAPS;
use super::testbed::{Line, Times, cap, guest, mbit, mean, seconds_of};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::peers::contest::{Party, Transport};
use crate::peers::guests::{Guest, Ran};

/// A guest that cheats, beside a flow that does not.
pub static GAIN: Experiment = Experiment {
    name: "stp/gain",
    title: "What a cheat takes from the flow beside it",
    source: "ours",
    claim: "beside a guest that cheats, a flow of TCP keeps at least 0.4 of the line in each of 20 topologies",
    about: "Two endless transfers share a line: one over the reference TCP under newreno, one of a guest behind the \
            policer, which begins when the other has settled. The guests are UDP Flood and those of the zoo that try \
            for more than their share, each at both ends. Topologies are drawn: 1 to 50 Mbit/s, 10 to 200 ms, none to \
            1 % of loss. What is kept is a part of what two flows of TCP have there together. The control is the flood \
            with nothing that holds it. A build without the engine for modules has the flood alone.",
    params: &[
        Param::list("guests", ALL, &Kind::Word(CHEATS), "that cheat"),
        Param::count("topologies", "20", (1, 100), "drawn by the number of each, the same for all seeds"),
        Param::word("cap", "equation", CAPS, "what the policer holds the flood to"),
        Param::time("settle", "20s", "left out at the beginning"),
        Param::span("time", "40s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: 20,
    vary: &[],
    run,
};

/// The one that is not of the zoo.
const FLOOD: &str = "udp-flood";
/// Those that try for more than their share.
#[cfg(feature = "guests")]
const CHEATS: &[&str] = &[
    FLOOD,
    "ack-flooder",
    "ack-liar",
    "answerer",
    "ce-concealer",
    "colluding-receiver",
    "limit-ignorer",
    "segment-forger",
    "sleeper",
];
#[cfg(feature = "guests")]
const ALL: &str = "udp-flood,ack-flooder,ack-liar,answerer,ce-concealer,colluding-receiver,limit-ignorer,\
                   segment-forger,sleeper";
#[cfg(not(feature = "guests"))]
const CHEATS: &[&str] = &[FLOOD];
#[cfg(not(feature = "guests"))]
const ALL: &str = FLOOD;

/// The code of a cheat.
fn cheat(name: &str) -> Result<Guest, RunError> {
    #[cfg(feature = "guests")]
    if name != FLOOD {
        return super::zoo::guest(name);
    }
    debug_assert_eq!(name, FLOOD, "there are no others");
    Ok(Guest::Flood)
}

fn topology(number: u64) -> Line {
    let mut rng = fork(number, 4711);
    let mut between = |low: f64, high: f64| low * (high / low).powf(rng.unit());
    let (rate, rtt) = (between(1e6, 50e6) as u64, between(10.0, 200.0) as u64);
    let loss = if number.is_multiple_of(2) { 0.0 } else { between(1e-4, 1e-2) };
    Line::new(
        &format!("{} ({:.1} Mbit/s, {rtt} ms, {:.2} %)", number + 1, rate as f64 / 1e6, loss * 100.0),
        rate,
        rtt,
        loss,
    )
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (cap, times) = (cap(context), Times::of(context));
    let names = context.words("guests");
    let cheats = names.iter().map(|name| cheat(name)).collect::<Result<Vec<_>, _>>()?;
    let head = ["topology", "beside TCP", "beside a flood that nothing holds"].into_iter();
    let mut table = Table::new(&head.chain(names.iter().copied()).collect::<Vec<_>>());
    let (mut results, mut kept) = (Vec::new(), vec![Vec::new(); cheats.len()]);
    for number in 0..context.count("topologies") {
        let line = topology(number);
        let beside = |other| {
            let late = Party { start: Duration::from_secs(5), ..Party::new(other, "newreno") };
            let parties = vec![Party::new(Transport::Tcp, "newreno"), late];
            let rates = seconds_of(context, line.contest(context.seed_of(number), parties), times);
            mean(&rates[0])
        };
        let (tcp, free) = (beside(Transport::Tcp), beside(guest(Guest::Flood, Ran::Free, cap)));
        let mut row = vec![line.name.clone(), mbit(tcp), mbit(free)];
        let mut rates = Map::new();
        for (at, cheat) in cheats.iter().enumerate() {
            context.progress(format_args!("{}, {}", line.name, names[at]));
            let policed = beside(guest(*cheat, Ran::Policed, cap));
            let part = policed / (2.0 * tcp);
            row.push(format!("{part:.2}"));
            rates.insert(names[at].to_owned(), json!(policed));
            kept[at].push((part, line.name.clone()));
        }
        table.row(row);
        results.push(json!({ "topology": line.name, "tcp_bps": tcp, "unpoliced_bps": free, "beside_bps": rates }));
    }
    let mut outcome = Outcome::new(json!({ "topologies": results })).table(table);
    for (name, kept) in names.iter().zip(&kept) {
        if *name == FLOOD {
            for (part, topology) in kept {
                outcome = outcome.check(check(format!("kept beside {name}, topology {topology}"), *part));
            }
            continue;
        }
        let least = kept.iter().min_by(|(one, _), (other, _)| one.total_cmp(other));
        let (part, topology) = least.map_or((f64::NAN, ""), |(part, topology)| (*part, topology));
        let check = check(format!("kept beside {name}, least of all topologies"), part);
        outcome = outcome.check(check.because(format!("in topology {topology}")));
    }
    Ok(outcome)
}

fn check(name: String, kept: f64) -> Check {
    Check::new(name, kept, "", Goal::AtLeast(0.4))
}
