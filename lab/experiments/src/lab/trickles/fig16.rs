//! Figure 16: what a server holds, and what its clients have together, by their number.

mod real;

use core::time::Duration;

use serde_json::json;

use super::testbed::{Testbed, WAYS, one_by_one};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Held, Way};

/// Figure 16.
pub static FIG16: Experiment = Experiment {
    name: "trickles/fig16",
    title: "What a server holds, by the number of its clients",
    source: "Trickles 6.1, Figure 16",
    claim: "a server of Trickles holds the same however many clients it has, and they have as much of the link as \
            clients of TCP but for a tenth",
    about: "Clients fetch an object of 500 kB again and again, each time on a connection of its own, over a switched \
            LAN of 100 Mbit/s: over the reference TCP with reno, and over Trickles. Held are the bytes that TCP keeps \
            for its peers until they are acknowledged, without what it knows of each connection beside; and all that \
            the server of Trickles has allocated: filters and what is under way. With --real: the same link between \
            network namespaces, the server a process of tng trickles serve, or nginx in several, whose memory is \
            looked at, and the kernel's for TCP. Then, without a link, clients in the middle of the file who fall \
            silent.",
    params: &[
        Param::list("clients", "1,10,100,1000", &Kind::Count(1, 10_000), "at the same time"),
        Param::span("time", "8s", "that passes; rates are those of the last three quarters"),
        Param::list("real-clients", "10,100,1000,10000", &Kind::Count(1, 20_000), "the same with --real"),
        Param::span("real-time", "20s", "the same with --real, when all have begun"),
        Param::list("silent", "1000,10000,100000", &Kind::Count(1, 200_000), "with --real, clients without a link"),
        Param::list("silent-tcp", "10,100,1000", &Kind::Count(1, 200_000), "the same over the kernel's TCP"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 7 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// What a server holds more with the most clients than with the fewest, at most: requests that are being answered.
const MORE_KB: Goal = Goal::AtMost(64.0);

/// What clients of Trickles have together of what those of TCP have.
const NOT_BELOW: Goal = Goal::AtLeast(1.0 - PAPER_BELOW_TCP);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (numbers, time) = (context.counts("clients"), context.time("time"));
    let mut table = Table::new(&["clients", "over", "together", "connections", "held"]);
    let (mut loads, mut results) = (vec![Vec::new(); WAYS.len()], Vec::new());
    for clients in &numbers {
        for (way, loads) in WAYS.iter().zip(&mut loads) {
            context.progress(format_args!("{clients} clients over {way}"));
            let load = measure(&context.world(crowd(context.seed, *way, *clients as usize, time)), time)?;
            let Some(held) = load.held else { return Err(RunError::broken("the server does not tell what it holds")) };
            table.row(vec![
                clients.to_string(),
                way.to_string(),
                format!("{:.2} Mbit/s", load.aggregate_bps / 1e6),
                held.connections.to_string(),
                format!("{:.0} kB", held.bytes as f64 / 1e3),
            ]);
            results.push(json!({
                "clients": clients, "way": way.to_string(), "aggregate_bps": load.aggregate_bps,
                "connections": held.connections, "held_bytes": held.bytes,
            }));
            loads.push((*clients as f64, load.aggregate_bps, held.bytes as f64 / 1e3));
        }
    }
    let plot = Plot::new("What the server holds", Axis::new("clients", "").log(), Axis::new("held", "kB"));
    let plot = WAYS.iter().zip(&loads).fold(plot, |plot, (way, loads)| {
        let points = loads.iter().map(|(clients, _, held_kb)| (*clients, *held_kb)).collect();
        plot.series(Series::line(&way.to_string(), points))
    });
    let held_kb = loads[1].iter().map(|(.., held_kb)| *held_kb);
    let more = held_kb.clone().fold(f64::NAN, f64::max) - held_kb.fold(f64::NAN, f64::min);
    let outcome = Outcome::new(json!({ "loads": results })).table(table).plot(plot).check(
        Check::new("Trickles: what the server holds, most less least", more, "kB", MORE_KB).paper("nothing by client"),
    );
    let below = loads[0].iter().zip(&loads[1]).map(|((clients, tcp, _), (_, trickles, _))| {
        Check::new(format!("{clients} clients: Trickles by TCP"), trickles / tcp, "", NOT_BELOW)
            .paper("at most a tenth below TCP")
    });
    let outcome = below.fold(outcome, Outcome::check);
    let outcome = outcome.note(
        "Connections are those that the server knows at the end, and held by TCP is what was written to these and is \
         not acknowledged. All clients begin at once, and the queue before the server has room for a hundred SYNs; the \
         others' are lost, and sent again together after one second, two and four: of a thousand clients of TCP some \
         hundreds are connected, and the rest cost the server nothing yet.",
    );
    Ok(outcome.note(format!(
        "The paper's TCP server was out of memory with more than {PAPER_TCP_CLIENTS_MAX} clients; memory has no bound \
         here."
    )))
}

/// Bytes of the object that every client fetches again and again.
pub const OBJECT_BYTES: u64 = 500_000;
/// How far Trickles' throughput is below TCP's at most, as a share of it.
pub const PAPER_BELOW_TCP: f64 = 0.1;
/// With more clients the paper's TCP server was out of memory.
pub const PAPER_TCP_CLIENTS_MAX: u64 = 6_000;

/// What a server came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load {
    /// Bits per second of all clients together.
    pub aggregate_bps: f64,
    /// What it held in the end, with every client under way; `None` where that is not known.
    pub held: Option<Held>,
}

/// So many clients: each fetches the object again and again for `time`, each time on a fresh connection.
pub fn crowd(seed: u64, way: Way, clients: usize, time: Duration) -> Crowd {
    let testbed = Testbed::default().shaken();
    // As many as one client alone could have.
    let count = testbed.rate_bps as f64 * time.as_secs_f64() / 8.0 / OBJECT_BYTES as f64;
    let objects = (count / clients.max(1) as f64) as usize * 4 + 10;
    let visit = one_by_one(0, core::iter::repeat_n(OBJECT_BYTES, objects));
    testbed.crowd(seed, vec![way], vec![visit; clients])
}

/// Measures such a world: rates from a quarter of `time` on, what is held at its end.
///
/// # Errors
/// What a client failed at.
pub fn measure(crowd: &Crowd, time: Duration) -> Result<Load, RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    let rates = scene.rates_bps(time / 4, time).map_err(RunError::broken)?;
    Ok(Load { aggregate_bps: rates.iter().sum(), held: scene.held(0) })
}

#[cfg(test)]
mod tests {
    use tng_sim::Loss;

    use super::*;

    #[test]
    fn clients_of_trickles_have_what_those_of_the_reference_have_but_for_a_tenth() {
        let time = Duration::from_secs(1);
        let rate = |crowd: &Crowd| measure(crowd, time).expect("a load").aggregate_bps;
        let tcp = rate(&crowd(1, WAYS[0], 10, time));
        let trickles = crowd(1, WAYS[1], 10, time);
        let [slower, lossy] = [0.0, 0.1].map(|loss| {
            let down = trickles.down.clone().loss(Loss::Independent(loss));
            rate(&Crowd { down, ..trickles.clone() }) / tcp
        });
        assert!(NOT_BELOW.holds(slower) && !NOT_BELOW.holds(lossy), "{slower}, with loss {lossy}");
    }

    #[test]
    fn what_the_reference_holds_grows_with_the_clients_and_all_have_the_link() {
        let time = Duration::from_secs(8);
        let [few, many] = [2, 40].map(|clients| measure(&crowd(1, Way::Tcp, clients, time), time).expect("a load"));
        let bytes = |load: Load| load.held.expect("TCP tells").bytes;
        assert!(bytes(many) > 10 * bytes(few), "{few:?}, {many:?}");
        let more_kb = (bytes(many) - bytes(few)) as f64 / 1e3;
        assert!(!Check::new("what it holds", more_kb, "kB", MORE_KB).holds(), "{few:?}, {many:?}");
        assert!(few.aggregate_bps.min(many.aggregate_bps) > 80e6, "{few:?}, {many:?}");
    }
}
