//! Figure 27: a file over many paths, by their round trips.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_sim::{Loss, fork};

use super::testbed::{Testbed, WAYS, goodput_bps};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, Way};

/// Figure 27.
pub static FIG27: Experiment = Experiment {
    name: "trickles/fig27",
    title: "A file over many paths",
    source: "Trickles 6.2, Figure 27",
    claim: "over paths of all kinds Trickles is about as fast as TCP",
    about: "A client fetches a file of 160 kB over paths that are drawn: round trips of up to 400 ms, rates of 2 to \
            100 Mbit/s, and losses of 0.01 to 1 % each way; over the reference TCP with reno, and over Trickles. Paths \
            are put together by their round trips, 50 ms each. The paper bounced packets off nodes of PlanetLab; its \
            points have no numbers in its text.",
    params: &[Param::count("paths", "10", (1, 1_000), "in each bin of round trips")],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What Trickles has of TCP's rate in a bin, on the median of paths.
const SIMILAR: Goal = Goal::AtLeast(0.9);
/// On which share of seeds: few paths lie in a bin, and one lost packet may double the time that a file takes.
const SIMILAR_ON: f64 = 0.8;
/// What the seed is used for beside the worlds.
const LOT_OF_PATHS: u64 = 1 << 37;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut lots = fork(context.seed, LOT_OF_PATHS);
    let mut table = Table::new(&["round trips", "TCP", "Trickles", "median of Trickles by TCP"]);
    let (mut curves, mut results, mut checks) = (vec![Vec::new(); WAYS.len()], Vec::new(), Vec::new());
    for bin in 0..bins() {
        let name = format!("{} to {} ms", (BIN * bin).as_millis(), (BIN * (bin + 1)).as_millis());
        context.progress(&name);
        let (mut ratios, mut means) = (Vec::new(), [0.0; WAYS.len()]);
        for _ in 0..context.count("paths") {
            let path = Path::draw(&mut lots, bin);
            let mut rates = [0.0; WAYS.len()];
            for ((way, rate), mean) in WAYS.iter().zip(&mut rates).zip(&mut means) {
                *rate = goodput_bps(&context.world(crowd(context.seed, *way, &path)))?;
                *mean += *rate / context.count("paths") as f64;
            }
            ratios.push(rates[1] / rates[0]);
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        let middle = (BIN * bin + BIN / 2).as_secs_f64() * 1e3;
        means.iter().zip(&mut curves).for_each(|(mean, curve)| curve.push((middle, mean / 1e6)));
        let cells = means.map(|mean| format!("{:.2} Mbit/s", mean / 1e6));
        table.row(core::iter::once(name.clone()).chain(cells).chain([format!("{median:.3}")]).collect());
        checks.push(
            Check::new(format!("{name}: median of Trickles by TCP"), median, "", SIMILAR)
                .ours()
                .on(SIMILAR_ON)
                .paper("\"similar\""),
        );
        results.push(json!({ "bin": name, "mean_bps": means, "median_ratio": median }));
    }
    let plot = Plot::new("Means over paths", Axis::new("round trip", "ms"), Axis::new("rate", "Mbit/s"));
    let plot =
        WAYS.iter().zip(curves).fold(plot, |plot, (way, curve)| plot.series(Series::line(&way.to_string(), curve)));
    let outcome = Outcome::new(json!({ "bins": results })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// Bytes of the file.
pub const FILE_BYTES: u64 = 160_000;
/// Round trips are put together by so much. The paper's points have no numbers in its text: rates are "similar" under
/// comparable conditions; paths of less than a bin stand alone, since they vary widely.
pub const BIN: Duration = Duration::from_millis(50);
/// The paths that are drawn have round trips below this.
pub const RTT_MAX: Duration = Duration::from_millis(400);

/// A path, as one through a far node and back may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Path {
    /// Round trip without any queue.
    pub rtt: Duration,
    /// Bits per second of its slowest link.
    pub rate_bps: u64,
    /// Share of packets that are lost, each way.
    pub loss: f64,
}

/// Rates that are drawn, bits per second: from, to.
const RATES_BPS: (f64, f64) = (2e6, 100e6);
/// Losses that are drawn: from, to.
const LOSSES: (f64, f64) = (1e-4, 1e-2);
/// Packets that wait for the slowest link at least.
const QUEUE_MIN: usize = 20;

/// A value between two: its logarithm is drawn evenly.
fn log_even(rng: &mut Rng, (from, to): (f64, f64)) -> f64 {
    from * (to / from).powf(rng.unit())
}

impl Path {
    /// Draws one whose round trip lies in a bin, counted from zero. The paper bounced packets off nodes of PlanetLab;
    /// this is a model: round trips are even within a bin (the first has none below 5 ms), rates from 2 to 100 Mbit/s
    /// and losses from 0.01 to 1 % are even by their logarithm.
    pub fn draw(rng: &mut Rng, bin: u32) -> Path {
        let least = if bin == 0 { 0.1 } else { 0.0 };
        let rtt = BIN.mul_f64(f64::from(bin) + least + (1.0 - least) * rng.unit());
        Path { rtt, rate_bps: log_even(rng, RATES_BPS) as u64, loss: log_even(rng, LOSSES) }
    }

    /// The bin of its round trip.
    pub fn bin(&self) -> u32 {
        (self.rtt.as_nanos() / BIN.as_nanos()) as u32
    }

    /// The network that it is; a round trip's packets can wait.
    pub fn testbed(&self) -> Testbed {
        let testbed = Testbed { rate_bps: self.rate_bps, ..Testbed::default() };
        let packets = (self.rtt.as_secs_f64() / testbed.packet_time().as_secs_f64()) as usize;
        let loss = Loss::Independent(self.loss);
        let testbed = Testbed { loss_down: loss.clone(), loss_up: loss, ..testbed.rtt(self.rtt) };
        Testbed { queue_packets: packets.max(QUEUE_MIN), ..testbed }
    }
}

/// How many bins there are.
pub fn bins() -> u32 {
    (RTT_MAX.as_nanos() / BIN.as_nanos()) as u32
}

/// A client that fetches the file over a path. [`goodput_bps`] measures it.
pub fn crowd(seed: u64, way: Way, path: &Path) -> Crowd {
    path.testbed().alone(seed, way, [FILE_BYTES])
}

#[cfg(test)]
mod tests {
    use super::super::testbed::goodput_bps;
    use super::*;

    #[test]
    fn paths_lie_in_the_bins_that_they_are_drawn_for() {
        let mut rng = Rng::from_u64(3);
        for bin in 0..bins() {
            for _ in 0..200 {
                let path = Path::draw(&mut rng, bin);
                assert_eq!(path.bin(), bin, "{path:?}");
                assert!(path.rtt >= Duration::from_millis(5) && path.rtt < RTT_MAX, "{path:?}");
                assert!((2_000_000..=100_000_000).contains(&path.rate_bps) && path.loss <= 0.01, "{path:?}");
            }
        }
    }

    #[test]
    fn the_reference_is_slower_over_longer_round_trips() {
        let mean = |bin| {
            let mut rng = Rng::from_u64(4);
            let rates = (0..30).map(|seed| {
                let path = Path::draw(&mut rng, bin);
                goodput_bps(&crowd(seed, Way::Tcp, &path)).expect("it is loaded")
            });
            rates.sum::<f64>() / 30.0
        };
        let means = [0, 2, 6].map(mean);
        assert!(means[0] > 1.5 * means[1] && means[1] > 1.5 * means[2], "{means:?}");
    }
}
