//! Set-up by way of helpers.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use tng_base::Instant;
use tng_sim::Link;

use super::row::{party, row};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::{Direction, Party};

/// A question and its answer, on a connection that is not there yet.
pub static SET_UP: Experiment = Experiment {
    name: "tng/set-up",
    title: "Set-up by way of helpers",
    source: "ours, after Tng 4.1",
    claim: "helpers cost no round trip: the first reply comes after one from end to end, with as many flights as \
            without them",
    about: "Six links in a row. A client asks for something on a connection to a server that it has never spoken to, \
            and gets it; by way of none to five helpers. Counted are round trips of propagation until the first byte \
            of the reply, and flights on the client's link until then: packets in one direction without one in the \
            other between them.",
    params: &[
        Param::rate("rate", "50mbit", "of each link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::size("bytes", "1kB", "of the reply"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const LINKS: usize = 6;
const HELPERS_MAX: usize = LINKS - 1;
/// The helpers that are checked.
const CHECKED: usize = 2;
const LIMIT: Duration = Duration::from_secs(20);

/// Round trips: what packets take to be sent on each link comes on top of one.
const ROUNDS: Goal = Goal::AtMost(1.05);
/// More than direct.
const FLIGHTS: Goal = Goal::AtMost(0.0);

/// What was seen until the first byte.
struct Row {
    rounds: f64,
    flights: usize,
    /// Bytes of UDP payload in the first flight.
    asked_bytes: usize,
}

fn measure(context: &Context<'_>, helpers: usize) -> Result<Row, RunError> {
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay"));
    let sections = ["cubic"; LINKS];
    let mut setting = row(context.seed, vec![link.into(); LINKS], &sections);
    setting.step = Duration::from_millis(100);
    let via: Vec<usize> = (0..helpers).collect();
    let party = party("question", LINKS, &sections).via(&via).bytes(context.size("bytes"));
    setting.parties.push(Party { direction: Direction::Down, ..party });
    let mut run = context.world(setting).begin();
    let seen: Rc<RefCell<Vec<(bool, usize)>>> = Rc::default();
    let until: Rc<RefCell<Option<Instant>>> = Rc::default();
    let first = run.links[0];
    for (lane, forth) in [(first.forth(), true), (first.back(), false)] {
        let seen = seen.clone();
        run.world.intercept(lane, move |_, packet| {
            seen.borrow_mut().push((forth, packet.payload.len()));
            true
        });
    }
    // A flight counts until the reply is there.
    let stop = until.clone();
    let limit = Instant::ZERO + LIMIT;
    while run.tally(0).first_at.is_none() && run.world.now() < limit {
        let before = seen.borrow().len();
        run.world.step();
        if run.tally(0).first_at.is_some() {
            *stop.borrow_mut() = Some(run.world.now());
            seen.borrow_mut().truncate(before);
        }
    }
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(why));
    }
    if (0..HELPERS_MAX).any(|helper| (run.helper_stats(helper).joins > 0) != (helper < helpers)) {
        return Err(RunError::broken("the connection went another way"));
    }
    let at = until.borrow().ok_or_else(|| RunError::broken("no reply came"))?;
    let seen = seen.borrow();
    let round_trip = 2.0 * context.time("delay").as_secs_f64() * LINKS as f64;
    Ok(Row {
        rounds: at.since(Instant::ZERO).as_secs_f64() / round_trip,
        flights: 1 + seen.windows(2).filter(|pair| pair[0].0 != pair[1].0).count(),
        asked_bytes: seen.iter().take_while(|(forth, _)| *forth).map(|(_, len)| len).sum(),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table =
        Table::new(&["helpers", "round trips", "flights", "first flight"]).titled("Until the first byte of the reply");
    let mut rows = Vec::new();
    for helpers in 0..=HELPERS_MAX {
        context.progress(format_args!("{helpers} helpers"));
        let row = measure(context, helpers)?;
        table.row(vec![
            helpers.to_string(),
            format!("{:.3}", row.rounds),
            row.flights.to_string(),
            format!("{} B", row.asked_bytes),
        ]);
        rows.push(row);
    }
    let points = rows.iter().enumerate().map(|(helpers, row)| (helpers as f64, row.rounds)).collect();
    let plot = Plot::new("Until the first byte of the reply", Axis::new("helpers", ""), Axis::new("round trips", ""))
        .series(Series::line("round trips", points));
    let figures: Vec<_> = rows
        .iter()
        .map(|Row { rounds, flights, asked_bytes }| {
            json!({ "round_trips": rounds, "flights": flights, "first_flight_bytes": asked_bytes })
        })
        .collect();
    let more = rows[CHECKED].flights as f64 - rows[0].flights as f64;
    Ok(Outcome::new(json!({ "by_helpers": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new("two helpers: round trips until the reply", rows[CHECKED].rounds, "", ROUNDS))
        .check(Check::new("two helpers: flights more than direct", more, "", FLIGHTS))
        .check(Check::new("five helpers: round trips until the reply", rows[HELPERS_MAX].rounds, "", ROUNDS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn helpers_cost_no_round_trip() {
        let record = measured(&SET_UP, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        assert!(record.outcome.results["by_helpers"][0]["round_trips"].as_f64().is_some_and(|rounds| rounds >= 1.0));
    }

    #[test]
    fn a_reply_of_many_flights_takes_longer() {
        let record = measured(&SET_UP, 1, &["rate=200kbit"]);
        assert!(!record.holds(), "a slow link takes its time: {record}");
    }
}
