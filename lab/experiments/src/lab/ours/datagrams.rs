//! Which share of datagrams comes, by size and loss.

use core::time::Duration;

use serde_json::json;
use tng_semantic::structured::RISK_MAX;
use tng_sim::{Link, Loss};

use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::Setting;
use crate::peers::exchange::datagrams::{Batch, Consignment, Delivery, NUMBER_LEN, Post};
use crate::peers::exchange::udp::FRAGMENT_LEN;

/// Datagrams of any size.
pub static DATAGRAMS: Experiment = Experiment {
    name: "ours/datagrams",
    title: "Datagrams of any size",
    source: "ours, after SST 2.2 and 4.3.5",
    claim: "a datagram of any size comes: in so few packets that all of them probably do, or as a stream",
    about: "Datagrams of one size after the other over a link that loses packets: by UDP, whose fragments must all \
            come; as QUIC datagrams, which fit one packet or are refused; and as tng's, sent once while the risk that \
            a packet of one is lost is small, and as streams above. They are offered at a sixteenth of the link's \
            rate.",
    params: &[
        Param::rate("rate", "10mbit", "of the link, each way"),
        Param::time("delay", "20ms", "of the link, each way"),
        Param::list("loss", "0.1%,1%,5%", &Kind::Share, "of packets, each way"),
        Param::list("size", "100B,1kB,4kB,16kB,64kB,256kB", &Kind::Size, "of the datagrams"),
        Param::count("datagrams", "200", (50, 10_000), "of each size, but not more than 16 MB in all"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const POSTS: [(&str, Post); 3] = [("UDP", Post::Udp), ("QUIC", Post::Quic), ("tng", Post::Tng)];
/// Bytes sent of one size, at most.
const BYTES_MAX: u64 = 16_000_000;
/// Datagrams of one size, at least.
const COUNT_MIN: u64 = 50;
/// The largest datagram, bytes.
const SIZE_MAX: u64 = 8_000_000;
/// Least time between datagrams.
const INTERVAL_MIN: Duration = Duration::from_millis(20);
/// Bytes of a datagram that one packet holds anywhere.
const ONE_PACKET: u64 = 1_000;
/// What a share that was counted may differ from what it should be, in standard deviations.
const DEVIATIONS: Goal = Goal::AtMost(4.0);
/// On which share of seeds: it is the largest of many, of counts that are skewed where few are to come.
const DEVIATIONS_ON: f64 = 0.9;

/// One point.
struct Cell {
    loss: f64,
    size: u64,
    count: u64,
    by: [Delivery; 3],
}

impl Cell {
    /// The share that came of those that were taken; none if none was.
    fn share(&self, post: usize) -> Option<f64> {
        let delivery = &self.by[post];
        (delivery.accepted > 0).then(|| delivery.delivered() as f64 / self.count as f64)
    }

    /// How far what came by UDP is from what should, in standard deviations of the count.
    fn udp_deviation(&self) -> Option<f64> {
        let fragments = (self.size + 8).div_ceil(u64::from(FRAGMENT_LEN)) as f64;
        let expected = (1.0 - self.loss).powf(fragments);
        let deviation = (expected * (1.0 - expected) / self.count as f64).sqrt();
        Some((self.share(0)? - expected).abs() / deviation.max(f64::MIN_POSITIVE))
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, sizes) = (context.rate("rate"), context.sizes("size"));
    if let Some(size) = sizes.iter().find(|size| !(NUMBER_LEN as u64..=SIZE_MAX).contains(*size)) {
        return Err(RunError::Params(format!("datagrams of {size} B are not sent; size={NUMBER_LEN}B to {SIZE_MAX}B")));
    }
    let mut cells = Vec::new();
    for loss in context.shares("loss") {
        if loss > 0.2 {
            return Err(RunError::Params(format!(
                "where {loss} of packets are lost nothing else works; loss=0% to 20%"
            )));
        }
        for size in &sizes {
            context.progress(format_args!("loss {loss}, {size} B"));
            let link = Link::new().rate(rate).delay(context.time("delay")).loss(Loss::Independent(loss));
            let setting = Setting { seed: context.seed, up: link.clone(), down: link, controller: "cubic".to_owned() };
            let count = context.count("datagrams").min(BYTES_MAX / size).max(COUNT_MIN);
            let offered = Duration::from_secs_f64(*size as f64 * 8.0 * 16.0 / rate as f64);
            let batch = Batch { size: *size as usize, count, interval: offered.max(INTERVAL_MIN) };
            let access = Link::new();
            let consignment = |post| Consignment { post, batch, setting: &setting, access: &access, beside: &[] };
            let by = POSTS.map(|(_, post)| context.world(consignment(post)).deliver());
            cells.push(Cell { loss, size: *size, count, by });
        }
    }
    Ok(outcome(&cells))
}

fn outcome(cells: &[Cell]) -> Outcome {
    let mut losses: Vec<f64> = cells.iter().map(|cell| cell.loss).collect();
    losses.dedup();
    let figure = |cell: &Cell| {
        let counts =
            |post: usize| json!({ "accepted": cell.by[post].accepted, "delivered": cell.by[post].delivered() });
        json!({
            "loss": cell.loss, "size": cell.size, "count": cell.count,
            "udp": counts(0), "quic": counts(1), "tng": counts(2),
        })
    };
    let mut outcome = Outcome::new(json!({ "cells": cells.iter().map(figure).collect::<Vec<_>>() }));
    let mut table = Table::new(&["loss", "bytes", "UDP", "QUIC", "tng"]).titled("Datagrams that came, per cent");
    for cell in cells {
        let share = |post| cell.share(post).map_or("refused".to_owned(), |share| format!("{:.1}", share * 100.0));
        let head = [format!("{} %", cell.loss * 100.0), cell.size.to_string()];
        table.row(head.into_iter().chain([0, 1, 2].map(share)).collect());
    }
    outcome = outcome.table(table);
    for loss in losses {
        let title = format!("Datagrams that came, {} % of packets lost", loss * 100.0);
        let mut plot = Plot::new(&title, Axis::new("bytes of a datagram", "").log(), Axis::new("delivered", "%"));
        for (post, (name, _)) in POSTS.iter().enumerate() {
            let of = cells.iter().filter(|cell| cell.loss == loss);
            let points = of.filter_map(|cell| Some((cell.size as f64, cell.share(post)? * 100.0)));
            plot = plot.series(Series::line(name, points.collect()));
        }
        outcome = outcome.plot(plot);
    }
    let worst = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NAN, f64::max);
    let udp = worst(&mut cells.iter().filter_map(Cell::udp_deviation));
    // Several packets: the risk that was taken, and what chance explains, four deviations of a count. The cell that is
    // worst by it is checked.
    let many = || cells.iter().filter(|cell| cell.size > ONE_PACKET);
    let expected = |cell: &Cell| 1.0 - RISK_MAX - 4.0 * (RISK_MAX * (1.0 - RISK_MAX) / cell.count as f64).sqrt();
    let shares = many().map(|cell| (cell.share(2).unwrap_or(0.0), expected(cell)));
    let (tng_many, goal_many) =
        shares.min_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1))).unwrap_or((f64::NAN, 1.0 - RISK_MAX));
    let refused = many().filter(|cell| cell.size > 1_500).map(|cell| cell.by[1].accepted).sum::<u64>();
    let large = cells.iter().max_by(|one, other| {
        (one.size, one.loss).partial_cmp(&(other.size, other.loss)).unwrap_or(core::cmp::Ordering::Equal)
    });
    outcome
        .check(
            Check::new("UDP: deviations from (1 - loss) to the power of fragments", udp, "", DEVIATIONS)
                .on(DEVIATIONS_ON),
        )
        .check(Check::new("QUIC: datagrams above 1,500 B that were taken", refused as f64, "", Goal::AtMost(0.0)))
        .check(Check::new(
            "tng: least share of datagrams of several packets, next to what is expected of so many",
            tng_many,
            "",
            Goal::AtLeast(goal_many),
        ))
        .check(
            Check::new(
                "tng: share of the largest, where most is lost",
                large.and_then(|cell| cell.share(2)).unwrap_or(f64::NAN),
                "",
                Goal::AtLeast(1.0),
            )
            .paper("sent as a stream when too large to be sent as such"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const FEW: [&str; 3] = ["datagrams=60", "size=100B,4kB,16kB,64kB", "loss=1%,5%"];

    #[test]
    fn large_datagrams_come_as_streams_and_the_same_again() {
        let record = measured(&DATAGRAMS, 1, &FEW);
        assert!(record.holds(), "{record}");
        assert_eq!(record, measured(&DATAGRAMS, 1, &FEW));
        let cells = record.outcome.results["cells"].as_array().expect("cells");
        let large = cells.iter().find(|cell| cell["size"] == 64_000 && cell["loss"] == 0.05).expect("a cell");
        assert!(large["udp"]["delivered"].as_u64() < Some(20), "{large}");
        assert_eq!((&large["tng"]["delivered"], &large["quic"]["accepted"]), (&json!(60), &json!(0)));
    }

    #[test]
    fn a_large_datagram_that_is_not_delivered_is_seen() {
        let by = |delivered| {
            [100, 0, delivered]
                .map(|came| Delivery { accepted: 100 * u64::from(came > 0), took: vec![Duration::ZERO; came] })
        };
        let cells = |delivered| [Cell { loss: 0.0, size: 64_000, count: 100, by: by(delivered) }];
        let few = outcome(&cells(70));
        assert_eq!(unmet(&few).len(), 2, "{few:?}");
        assert!(unmet(&outcome(&cells(100))).is_empty());
    }

    #[test]
    fn sizes_and_losses_that_tell_nothing_are_refused() {
        for set in ["size=0B", "size=1GB", "loss=90%"] {
            let params = DATAGRAMS.params(&[set.to_owned()]).expect(set);
            assert!(matches!(DATAGRAMS.measure(1, params, false, &|_| ()), Err(RunError::Params(_))), "{set}");
        }
    }
}
