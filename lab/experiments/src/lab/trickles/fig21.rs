//! Figure 21: one client alone by the loss on the way to it, and by that on the way back.

use core::time::Duration;

use serde_json::json;
use tng_sim::Loss;

use super::testbed::{LAN_RTT, Testbed, WAYS, goodput};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Way};

/// Figure 21.
pub static FIG21: Experiment = Experiment {
    name: "trickles/fig21",
    title: "Throughput by the loss on either way",
    source: "Trickles 6.1, Figure 21",
    claim: "loss on the way to the server does nothing to TCP, whose acknowledgments are cumulative, and costs \
            Trickles no more than loss on the way to the client",
    about: "One client fetches objects, one after the other and each on a connection of its own, over a switched LAN \
            of 100 Mbit/s that loses a share of what goes one way: over the reference TCP with reno, and over \
            Trickles. Loss on the way to the client once more over a longer round trip.",
    params: &[
        Param::list("losses", "0.5%,1%,2%,5%", &Kind::Share, "of packets on one of the ways"),
        Param::size("size", "20MB", "of an object"),
        Param::count("objects", "1", (1, 1_000), "that are fetched"),
        Param::span("rtt", "10ms", "the longer round trip"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What Trickles has of the reference's throughput when packets to the client are lost.
const FORWARD: Goal = Goal::AtLeast(0.95);
/// What Trickles has when requests are lost, of what it has when as many packets to the client are.
const REVERSE: Goal = Goal::AtLeast(1.0);
/// On which share of seeds: a run strays by some percent from one to the next.
const ON: f64 = 0.8;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (size, objects, rtt) = (context.size("size"), context.count("objects") as usize, context.time("rtt"));
    let curves = [
        ("TCP, loss to the client", WAYS[0], Lossy::Forward),
        ("Trickles, loss to the client", WAYS[1], Lossy::Forward),
        ("TCP, loss to the server", WAYS[0], Lossy::Reverse),
        ("Trickles, loss to the server", WAYS[1], Lossy::Reverse),
    ];
    let head = core::iter::once("loss").chain(curves.iter().map(|(name, ..)| *name)).collect::<Vec<_>>();
    let mut table = Table::new(&head);
    let mut far = Table::new(&["loss", curves[0].0, curves[1].0]).titled("Over the longer round trip");
    let (mut points, mut results, mut checks) = (vec![Vec::new(); curves.len()], Vec::new(), Vec::new());
    for loss in context.shares("losses") {
        let percent = format!("{} %", loss * 100.0);
        let (mut cells, mut rates, mut accounts) = (vec![percent.clone()], Vec::new(), Vec::new());
        for ((name, way, lossy), points) in curves.iter().zip(&mut points) {
            context.progress(format_args!("{name}, {percent}"));
            let world = context.world(crowd(LAN_RTT, context.seed, *way, *lossy, loss, (size, objects)));
            let (rate, account) = goodput(&world)?;
            cells.push(format!("{:.2} Mbit/s", rate / 1e6));
            points.push((loss * 100.0, rate / 1e6));
            rates.push(rate);
            accounts.push(account);
        }
        table.row(cells);
        let name = format!("loss to the client, {percent}: Trickles by TCP");
        checks.push(Check::new(name, rates[1] / rates[0], "", FORWARD).ours().on(ON).because(&accounts[1]));
        let name = format!("{percent}: Trickles with loss to the server by Trickles with loss to the client");
        checks.push(
            Check::new(name, rates[3] / rates[1], "", REVERSE).on(ON).paper("\"the same\"").because(&accounts[3]),
        );
        let over = |way| {
            context.progress(format_args!("{way}, longer round trip, {percent}"));
            goodput(&context.world(crowd(rtt, context.seed, way, Lossy::Forward, loss, (size, objects))))
        };
        let (tcp, (trickles, account)) = (over(WAYS[0])?.0, over(WAYS[1])?);
        far.row(
            [percent.clone()]
                .into_iter()
                .chain([tcp, trickles].map(|rate| format!("{:.2} Mbit/s", rate / 1e6)))
                .collect(),
        );
        let name = format!("loss to the client, {percent}, longer round trip: Trickles by TCP");
        checks.push(Check::new(name, trickles / tcp, "", FORWARD).ours().on(ON).because(account));
        results.push(json!({ "loss": loss, "rates_bps": rates, "rates_over_longer_round_trip_bps": [tcp, trickles] }));
    }
    let plot = Plot::new("Throughput", Axis::new("loss", "%"), Axis::new("rate", "Mbit/s"));
    let plot =
        curves.iter().zip(points).fold(plot, |plot, ((name, ..), points)| plot.series(Series::line(name, points)));
    let names = curves.map(|(name, ..)| name);
    let results = json!({ "curves": names, "points": results });
    let outcome = Outcome::new(results).table(table).table(far).plot(plot).note(
        "At 5 % a packet that is sent again is lost again so often that nearly every run has timeouts. Those of either \
         transport wait for 200 ms at least, which is 2,000 round trips of the LAN, while all of an object takes 1.7 s \
         without them: how many there are decides the rate, and Trickles loses more time to them than TCP. Over the \
         longer round trip, with the same loss, a timeout is no more than 20 round trips; there Trickles has what its \
         headers leave of the reference's rate.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// Which way loses packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lossy {
    /// From the server to the client.
    Forward,
    /// From the client to the server.
    Reverse,
}

/// A client that fetches objects of a size, so many of them, over a round trip. [`goodput`] measures it.
pub fn crowd(rtt: Duration, seed: u64, way: Way, lossy: Lossy, loss: f64, (size, objects): (u64, usize)) -> Crowd {
    let (loss, testbed) = (Loss::Independent(loss), Testbed::default().rtt(rtt));
    let testbed = match lossy {
        Lossy::Forward => Testbed { loss_down: loss, ..testbed },
        Lossy::Reverse => Testbed { loss_up: loss, ..testbed },
    };
    testbed.alone(seed, way, core::iter::repeat_n(size, objects))
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{OBJECT_BYTES, goodput_bps};
    use super::*;

    #[test]
    fn loss_on_the_way_back_does_nothing_to_the_reference_and_loss_on_the_way_forth_does() {
        let rate = |lossy, loss| {
            let crowd = crowd(LAN_RTT, 1, Way::Tcp, lossy, loss, (OBJECT_BYTES, 1));
            goodput_bps(&crowd).expect("it is loaded") / 1e6
        };
        let [none, forward, reverse] =
            [(Lossy::Forward, 0.0), (Lossy::Forward, 0.05), (Lossy::Reverse, 0.05)].map(|(way, loss)| rate(way, loss));
        assert!(reverse > 0.95 * none && forward < 0.8 * none, "{none}, {forward}, {reverse}");
    }
}
