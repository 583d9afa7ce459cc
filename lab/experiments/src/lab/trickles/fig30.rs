//! Figure 30: two servers of one address.

mod real;

use core::time::Duration;

use serde_json::json;
use tng_sim::{Link, fork};
use tng_trickles::SKEW_MAX;

use super::testbed::{ACCESS_BPS, RATE_BPS, Testbed, WAYS, one_by_one, rates_bps};
use crate::engine::report::fairness;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Dispatch, ENDLESS, Origin, Way};

/// Figure 30.
pub static FIG30: Experiment = Experiment {
    name: "trickles/fig30",
    title: "Two servers of one address",
    source: "Trickles 6.2, Figure 30",
    claim: "with many connections packets that go to two servers by turns divide them more fairly than connections \
            that stay with one",
    about: "Clients of two servers that are one address to them, each with an endless object; what leads from each \
            server, 100 Mbit/s, is the bottleneck. Over Trickles each packet goes to the server after that of the \
            packet before it; over the reference TCP with reno a connection goes to the server that has the fewest, \
            and so it does over Trickles in a third run, to tell one reason from the other. Fairness is Jain's index \
            of what the clients have. With --real: the same over slower links between network namespaces, by way of \
            tng trickles spray, or to nginx.",
    params: &[
        Param::list("connections", "2,5,10,11,20,40,41,100", &Kind::Count(1, 1_000), "at the same time"),
        Param::span("rtt", "10ms", "round trip"),
        Param::span("settle", "2s", "after the first begins that is not counted"),
        Param::span("time", "20s", "that is"),
        Param::list("real-connections", "10,11,40,41", &Kind::Count(1, 200), "the same with --real"),
        Param::rate("real-rate", "20mbit", "of what leads from each server, with --real"),
        Param::span("real-time", "20s", "that is measured with --real"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 7 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// How many there are.
pub const SERVERS: usize = 2;
/// What is reached from so many connections on.
const FROM: u64 = 10;
/// Jain's index of Trickles there.
const FAIR: Goal = Goal::AtLeast(0.99);
/// On which share of seeds: a run strays by a hundredth from one to the next.
const ON: f64 = 0.8;
/// How far it is above that of TCP there, and above that of Trickles without turns.
const FAIRER: Goal = Goal::AtLeast(0.0);
/// What holds on half of the runs holds of their median.
const MEDIAN: f64 = 0.5;

/// What a reader of the checks has to know.
const EVEN: &str = "What turns can mend is that one server has more connections than the other, which the one with the \
                    fewest keeps to one connection: nothing for even numbers, and the less the more there are. What is \
                    left is how evenly a controller divides one queue, by turns or without: the last column.";

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rtt, from) = (context.time("rtt"), SKEW_MAX + context.time("settle"));
    let to = from + context.time("time");
    let curves = [
        ("TCP, to the one with the fewest", WAYS[0], Dispatch::LeastConnections),
        ("Trickles, by turns", WAYS[1], Dispatch::Spray),
        ("Trickles, to the one with the fewest", WAYS[1], Dispatch::LeastConnections),
    ];
    let mut table = Table::new(&[&["connections"], &curves.map(|(name, ..)| name)[..]].concat());
    let (mut points, mut results, mut checks) = (vec![Vec::new(); curves.len()], Vec::new(), Vec::new());
    for connections in context.counts("connections") {
        let mut indices = Vec::new();
        for ((name, way, dispatch), points) in curves.iter().zip(&mut points) {
            context.progress(format_args!("{connections} connections over {name}"));
            let crowd = crowd(context.seed, *way, *dispatch, connections as usize, rtt);
            let index = jain(&context.world(crowd), from, to)?;
            points.push((connections as f64, index));
            indices.push(index);
        }
        let cells = indices.iter().map(|index| format!("{index:.4}"));
        table.row([connections.to_string()].into_iter().chain(cells).collect());
        let [tcp, turns, stay] = indices[..] else { unreachable!("one for each curve") };
        results.push(json!({ "connections": connections, "tcp": tcp, "trickles": turns, "trickles_stay": stay }));
        if connections < FROM {
            continue;
        }
        let name = format!("{connections} connections: Jain's index of Trickles");
        checks.push(Check::new(&name, turns, "", FAIR).on(ON));
        checks.push(Check::new(format!("{name} above that of TCP"), turns - tcp, "", FAIRER).on(MEDIAN));
        if connections % SERVERS as u64 != 0 {
            let name = format!("{name} above what it is without turns");
            checks.push(Check::new(name, turns - stay, "", FAIRER).on(MEDIAN).ours());
        }
    }
    let plot = Plot::new("Fairness", Axis::new("connections", "").log(), Axis::new("Jain's index", ""));
    let plot =
        curves.iter().zip(points).fold(plot, |plot, ((name, ..), points)| plot.series(Series::line(name, points)));
    let outcome = Outcome::new(json!({ "connections": results }))
        .table(table)
        .plot(plot)
        .note("The paper's points have no numbers in its text: with many connections Trickles is fairer than TCP.")
        .note(EVEN);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// Connections begin within this time, once servers have run for longer than their clocks differ: one that was just
/// started does not know what the other has spent, and for so long takes nothing of it.
const START_WITHIN: Duration = Duration::from_secs(1);
/// What the seed is used for beside the world.
const LOT_OF_STARTS: u64 = 1 << 35;

/// So many clients of one address, each with an endless object; two servers on a switch, each at 100 Mbit/s, which is
/// the bottleneck.
pub fn crowd(seed: u64, way: Way, dispatch: Dispatch, connections: usize, rtt: Duration) -> Crowd {
    let testbed = Testbed { rate_bps: 10 * ACCESS_BPS, ..Testbed::default() };
    let mut lots = fork(seed, LOT_OF_STARTS);
    let visits = (0..connections).map(|_| {
        let mut visit = one_by_one(0, [ENDLESS]);
        visit.errand.steps[0].after = SKEW_MAX + Duration::from_nanos(lots.below(START_WITHIN.as_nanos() as u64));
        visit
    });
    let crowd = testbed.crowd(seed, Vec::new(), visits.collect());
    let own = Testbed { rate_bps: RATE_BPS, ..Testbed::default().rtt(rtt) };
    let access = own.crowd(seed, Vec::new(), Vec::new()).down;
    let servers = vec![Origin { way, access }; SERVERS];
    // The clients' links shake, not the servers': these are the bottleneck.
    let shake = own.packet_time() / 2;
    let client_access = Link::new().rate(ACCESS_BPS).delay(shake).jitter(shake);
    Crowd { dispatch: Some(dispatch), servers, client_access, ..crowd }
}

/// Jain's index of what the clients of such a world have from `from` to `to`.
///
/// # Errors
/// What a client failed at.
pub fn jain(crowd: &Crowd, from: Duration, to: Duration) -> Result<f64, RunError> {
    Ok(fairness(&rates_bps(crowd, from, to)?).unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(10);

    fn index(dispatch: Dispatch, connections: usize) -> Result<f64, RunError> {
        let crowd = crowd(1, Way::Tcp, dispatch, connections, RTT);
        jain(&crowd, Duration::from_secs(7), Duration::from_secs(13))
    }

    #[test]
    fn least_connections_is_unfair_to_those_of_the_server_that_has_one_more() {
        let (two, three) = (index(Dispatch::LeastConnections, 2), index(Dispatch::LeastConnections, 3));
        // One has a server alone and two share the other: (1 + 1/2 + 1/2)^2 / (3 (1 + 1/4 + 1/4)).
        let (two, three) = (two.expect("measured"), three.expect("measured"));
        assert!(two > 0.999 && (0.84..0.93).contains(&three), "{two}, {three}");
    }

    #[test]
    fn packets_in_turn_divide_two_servers_more_fairly_than_connections_that_stay() {
        let [turns, stay] =
            [(WAYS[1], Dispatch::Spray), (WAYS[0], Dispatch::LeastConnections)].map(|(way, dispatch)| {
                let crowd = crowd(1, way, dispatch, 5, RTT);
                jain(&crowd, Duration::from_secs(7), Duration::from_secs(17)).expect("nobody fails")
            });
        assert!(FAIR.holds(turns) && FAIRER.holds(turns - stay), "{turns}, {stay}");
        // Neither holds the other way round.
        assert!(!FAIR.holds(stay) && !FAIRER.holds(stay - turns), "{turns}, {stay}");
    }

    #[test]
    fn packets_in_turn_are_not_for_the_reference() {
        assert!(index(Dispatch::Spray, 4).is_err());
    }
}
