//! How long code takes to come: STP 5.4.

use core::time::Duration;
use std::sync::Arc;

use serde_json::json;
use tng_base::{CodeHash, Instant};
use tng_crypto::code_hash;
use tng_services::code::{Fetch, Form, Packed};
use tng_sim::{Link, Loss};

use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::guests::modules::somebody_elses;
use crate::peers::guests::repertoire::Acceptance;
use crate::peers::shipping::{Ground, Resident, Standing, Town, Visit};

/// From SENDME to ready.
pub static SHIPPING: Experiment = Experiment {
    name: "stp/shipping",
    title: "How long code takes to come",
    source: "STP 5.4",
    claim: "on a path of 2 Mbit/s and 100 ms a transport is ready a second after it was asked for, three where every \
            twentieth packet is lost; and a transfer beside it hardly feels it",
    about: "Two hosts on a line; one has NewReno as a module that the other has never met, and offers it. SENDME is \
            the answer, the code goes there by the service `code` over the connection in hand, its hash is checked, it \
            is unpacked and compiled, and runs from then on. Measured is from when SENDME leaves until then. Beside: a \
            transfer without end and without losses, and the same while the module is asked for on its connection: \
            what it has less from when that is asked for.",
    params: &[
        Param::rate("rate", "2mbit", "of the line"),
        Param::span("rtt", "100ms", "both ways together"),
        Param::list("losses", "0.5%,5%", &Kind::Share, "of packets, in each direction"),
        Param::time("compiling", "100ms", "what compiling takes: as long as it may, by the project's own number"),
        Param::span("beside", "10s", "in which the transfer beside it is looked at"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Code comes within this, or never.
const LIMIT: Duration = Duration::from_secs(120);
/// When code is asked for beside a transfer: it has found its rate by then.
const ASKED: Instant = Instant::from_secs(5);
/// The project's numbers: seconds at each of the paper's loss and at 5 %, bytes, and what is lost beside.
const READY_S: f64 = 1.0;
const READY_LOSSY_S: f64 = 3.0;
const LOSSY: f64 = 0.01;
const PACKED: Goal = Goal::AtMost(48_000.0);
const BESIDE: Goal = Goal::AtMost(5.0);
/// The paper's.
const PAPER_S: &str = "less than 12 s: shipping in source form less than 1 s, compiling about 10 s, loading 0.5 s";
const PAPER_PACKED: &str = "23 to 33 kB compiled, 87 to 95 kB in source form";

/// What came of a SENDME.
struct Sent {
    /// Until the connection was there.
    connected_s: f64,
    /// From SENDME until the code was there, and until it was ready.
    there_s: f64,
    ready_s: f64,
}

/// Two hosts; the first or the second has the module.
fn town(context: &Context<'_>, seed: u64, loss: f64, module: &Arc<[u8]>, first_has: bool) -> Town {
    let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
    let link = Link::new().rate(context.rate("rate")).delay(context.time("rtt") / 2).loss(loss);
    let has = |has: bool| Resident {
        accepts: Acceptance::Any,
        has: if has { vec![Arc::clone(module)] } else { Vec::new() },
        prefers: None,
    };
    let residents = vec![has(first_has), has(!first_has)];
    Town { seed, ground: Ground::Line, link, compiling: context.time("compiling"), residents }
}

fn sent(context: &Context<'_>, loss: f64, module: &Arc<[u8]>, hash: CodeHash) -> Result<Sent, RunError> {
    let mut standing = context.world(town(context, context.seed, loss, module, true)).stand();
    let to = standing.targets[1].clone();
    standing.courier_mut(0).plan(Visit { at: Instant::ZERO, to, offers: vec![hash], bytes: 0, asks: None });
    let second = standing.hosts[1];
    if !standing.world.wait_until(Instant::ZERO + LIMIT, |world| !world.node(second).app.ready.is_empty()) {
        let why = standing.courier(0).visits.first().and_then(|visit| visit.failed.clone());
        return Err(RunError::broken(format_args!("the code did not come: {why:?}")));
    }
    let (visit, (_, at)) = (&standing.courier(0).visits[0], standing.courier(1).ready[0]);
    let connected = visit.connected.ok_or_else(|| RunError::broken("it is ready and nobody is connected"))?;
    let left = visit.begun + connected - context.time("rtt") / 2;
    let ready_s = at.since(left).as_secs_f64();
    let there_s = ready_s - context.time("compiling").as_secs_f64();
    Ok(Sent { connected_s: connected.as_secs_f64(), there_s, ready_s })
}

/// Bytes of a transfer in the time that is looked at, and how long code took beside it, if any was asked for.
fn beside(context: &Context<'_>, module: &Arc<[u8]>, asks: Option<CodeHash>) -> Result<(u64, Option<f64>), RunError> {
    let mut standing = context.world(town(context, context.seed, 0.0, module, false)).stand();
    let to = standing.targets[1].clone();
    let asks = asks.map(|hash| (ASKED, Fetch::new(hash, Form::Binary, None)));
    standing.courier_mut(0).plan(Visit { at: Instant::ZERO, to, offers: Vec::new(), bytes: u64::MAX, asks });
    let bytes = |standing: &Standing| standing.courier(0).visits.first().map_or(0, |it| it.bytes);
    standing.world.run_until(ASKED);
    let before = bytes(&standing);
    standing.world.run_until(ASKED + context.time("beside"));
    let came = standing.courier(0).came.as_ref();
    let took = match came {
        Some((at, Ok(_))) => Some(at.since(ASKED).as_secs_f64()),
        Some((_, Err(error))) => return Err(RunError::broken(error)),
        None => None,
    };
    Ok((bytes(&standing) - before, took))
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let module: Arc<[u8]> = somebody_elses("shipped").into();
    let hash = code_hash(&module);
    let packed = Packed::new(&module).map_err(RunError::broken)?.as_bytes().len();
    let head = ["loss", "connected", "SENDME to the code there", "to ready"];
    let mut table = Table::new(&head).titled("Code on its way");
    let plot = Plot::new("From SENDME to ready", Axis::new("loss", "%"), Axis::new("time", "s"));
    let (mut results, mut points, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    for loss in context.shares("losses") {
        let percent = format!("{} %", loss * 100.0);
        context.progress(format_args!("{percent} of loss"));
        let Sent { connected_s, there_s, ready_s } = sent(context, loss, &module, hash)?;
        let cells = [connected_s, there_s, ready_s].map(|time| format!("{time:.3} s"));
        table.row([percent.clone()].into_iter().chain(cells).collect());
        points.push((loss * 100.0, ready_s));
        results.push(json!({ "loss": loss, "connected_s": connected_s, "there_s": there_s, "ready_s": ready_s }));
        let goal = Goal::AtMost(if loss < LOSSY { READY_S } else { READY_LOSSY_S });
        let check = Check::new(format!("from SENDME to ready at {percent} of loss"), ready_s, "s", goal);
        checks.push(if loss < LOSSY { check.paper(PAPER_S) } else { check });
    }
    context.progress("beside a transfer");
    let (alone, _) = beside(context, &module, None)?;
    let (shared, took_s) = beside(context, &module, Some(hash))?;
    let lost = 100.0 * (alone as f64 - shared as f64) / alone as f64;
    let mut transfer = Table::new(&["", "bytes", "code came after"]).titled("A transfer beside it");
    transfer.row(vec!["alone".to_owned(), alone.to_string(), "–".to_owned()]);
    let took = took_s.map_or("never".to_owned(), |took| format!("{took:.2} s"));
    transfer.row(vec!["while code comes".to_owned(), shared.to_string(), took]);
    let (size, of) = (module.len(), context.time("beside").as_secs_f64());
    let outcome = Outcome::new(json!({
        "module_bytes": size, "packed_bytes": packed, "losses": results, "alone_bytes": alone, "beside_bytes": shared,
        "beside_took_s": took_s,
    }));
    let outcome = outcome.table(table).table(transfer).plot(plot.series(Series::points("newreno", points)));
    let outcome = checks.into_iter().fold(outcome, Outcome::check);
    let came = f64::from(u8::from(took_s.is_some()));
    Ok(outcome
        .check(Check::new("newreno, packed", packed as f64, "B", PACKED).paper(PAPER_PACKED))
        .check(Check::new(format!("of what a transfer has in {of} s it has less while code comes"), lost, "%", BESIDE))
        .check(Check::new("code that came beside a transfer without end", came, "", Goal::AtLeast(1.0)).ours())
        .note(
            "Compiling is beside the path of packets, on a thread of its own, and takes as long as a parameter says: \
             what it takes on this machine is real time, and no matter of a world in virtual time.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn code_is_ready_in_a_second_and_on_a_slow_line_it_is_not() {
        let record = measured(&SHIPPING, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let record = measured(&SHIPPING, 1, &["rate=100kbit", "beside=60s"]);
        assert!(unmet(&record.outcome).iter().any(|name| name.contains("to ready at 0.5 %")), "{record}");
    }
}
