//! A long link between two sites: the paper's Figures 9 and 10.

pub(super) mod real;

use core::cell::Cell;
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{DATAGRAM_OVERHEAD, Link, Loss};

use super::row::{party, row, stays_helped};
use crate::lab::{
    Check, Context, Curve, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds,
};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::{Run, Setting};

/// Figures 9 and 10.
pub static FIG10: Experiment = Experiment {
    name: "tng/fig10",
    title: "A leased long link with random losses",
    source: "Tng 6.2, Figures 9 and 10",
    claim: "helpers on both sides of a link of one's own shield a flow from its losses: it goes on at the link's rate \
            where end-to-end controllers take loss for congestion; and nothing is lost with the helpers",
    about: "A LAN, a helper, a long link whose rate is reserved, a helper, a LAN. One endless transfer; every so often \
            more packets are lost on the long link, in both directions. Split: newreno on the LANs, on the long link \
            the rate that is its owner's to set. Beside it the same transfer without helpers, with each controller. \
            Then a transfer with an end, in whose middle both helpers are killed for good. With --real: the same links \
            between network namespaces, each helper a process of `tng relay run`, beside the kernel's TCP (reno, \
            cubic, bbr), QUIC under cubic, and haproxy in the helpers' places, which splits the kernel's TCP.",
    params: &[
        Param::rate("rate", "20mbit", "of the long link"),
        Param::time("delay", "50ms", "of the long link, each way"),
        Param::list("losses", "0%,0.1%,1%,3%,10%", &Kind::Share, "of packets on the long link, one after the other"),
        Param::span("step", "10s", "how long each lasts"),
        Param::size("bytes", "20MB", "of the transfer that loses its helpers"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 8 }),
    seeds: SEEDS_MIN,
    vary: &[
        ("rate", &["5mbit", "10mbit", "20mbit", "50mbit", "100mbit"]),
        ("delay", &["10ms", "25ms", "50ms", "100ms", "250ms"]),
    ],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// Controllers from end to end.
const DIRECT: [&str; 3] = ["newreno", "vegas", "bbr"];

const LAN_BPS: u64 = 1_000_000_000;
const LAN_DELAY: Duration = Duration::from_micros(100);
/// Step of the series.
const STEP: Duration = Duration::from_millis(500);
/// Finer, to see how long nothing arrives.
const FINE: Duration = Duration::from_millis(10);
/// Links, and which of them is long.
const LINKS: usize = 3;
const LONG: usize = 1;
/// Bytes of a full packet as the link carries it.
const PACKET_BYTES: u64 = 1_200 + DATAGRAM_OVERHEAD as u64;

/// Bytes of UDP's header and of ours that a full packet may have (tng/table1).
const HEADER_BYTES: f64 = 60.0;
const UDP_BYTES: f64 = 8.0;

/// The loss at which is compared, and at which the helpers are killed.
const COMPARED: f64 = 0.01;
/// Times what newreno gets from end to end.
const TIMES: Goal = Goal::AtLeast(5.0);
/// Times what bbr gets from end to end.
const TIMES_BBR: Goal = Goal::AtLeast(1.0);
/// Of the link's rate, headers not counted.
const OF_LINK: Goal = Goal::AtLeast(95.0);
/// Of three probe timeouts and four round trips, how long nothing arrives once the helpers are gone.
const STALL: Goal = Goal::AtMost(100.0);
/// Transfers that end, whole and right.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// The stall begins at most so long after the helpers are gone.
const AROUND_S: f64 = 1.0;
const PROBE_TIMEOUTS: u32 = 3;
const ROUND_TRIPS: u32 = 4;
/// How long the transfer without helpers may take in the end.
const LIMIT: Duration = Duration::from_secs(600);

/// LAN, long link and LAN: the long link's queue holds a round trip of packets, as its owner would have it.
fn setting(context: &Context<'_>, sections: &[&str], loss: f64) -> Setting {
    let (rate, delay) = (context.rate("rate"), context.time("delay"));
    let lan = Link::new().rate(LAN_BPS).delay(LAN_DELAY);
    let queue_bytes = (rate as f64 / 8.0 * 2.0 * delay.as_secs_f64()) as u64;
    let queue = QueueConfig::DropTail(Limit::Bytes(queue_bytes.max(20 * PACKET_BYTES)));
    let long = Link::new().rate(rate).delay(delay).queue(queue).loss(Loss::Independent(loss));
    Setting { step: STEP, ..row(context.seed, vec![lan.clone().into(), long.into(), lan.into()], sections) }
}

/// What a link's rate is where the headers of IP and UDP do not count, as controllers see it.
pub(super) fn leased_bps(rate: u64) -> u64 {
    rate * (PACKET_BYTES - DATAGRAM_OVERHEAD as u64) / PACKET_BYTES
}

/// The controller of a link of that rate.
pub(super) fn leased(rate: u64) -> String {
    format!("fixed:{}bit", leased_bps(rate))
}

/// What a transfer did.
struct Transfer {
    curve: Curve,
    /// Bytes that arrived in each step of loss.
    bytes: Vec<u64>,
    /// UDP payload of the largest packet on the long link.
    payload_max: usize,
    /// Steps at whose end it led by way of helpers, percent.
    helped_percent: f64,
}

impl Transfer {
    /// Of the bytes that the long link carries, the share that may be data: what full packets have besides headers,
    /// were nothing else ever sent.
    fn share(&self) -> f64 {
        share(self.payload_max)
    }
}

/// The same of packets of this payload.
fn share(payload_max: usize) -> f64 {
    let payload = payload_max as f64;
    (payload + UDP_BYTES - HEADER_BYTES) / (payload + DATAGRAM_OVERHEAD as f64)
}

/// Watches for the largest packet that a run sends over the long link.
fn payload_max(run: &mut Run) -> Rc<Cell<usize>> {
    let seen: Rc<Cell<usize>> = Rc::default();
    let seeing = seen.clone();
    run.world.intercept(run.links[LONG].forth(), move |_, packet| {
        seeing.set(seeing.get().max(packet.payload.len()));
        true
    });
    seen
}

fn transfer(context: &Context<'_>, name: &str, sections: &[&str]) -> Result<Transfer, RunError> {
    context.progress(name);
    let (losses, step) = (context.shares("losses"), context.time("step"));
    let mut setting = setting(context, sections, losses[0]);
    setting.parties.push(party(name, LINKS, sections));
    let mut run = context.world(setting).begin();
    let (mut bytes, payload_max) = (Vec::new(), payload_max(&mut run));
    let long = run.links[LONG];
    for (number, loss) in (1..).zip(&losses) {
        for lane in long.lanes() {
            run.world.change(lane, |link| link.loss = Loss::Independent(*loss));
        }
        run.run_until(step * number);
        let so_far = run.bytes(0);
        bytes.push(so_far - bytes.iter().sum::<u64>());
    }
    match run.tally(0).failure {
        Some(why) => Err(RunError::broken(format_args!("{name}: {why}"))),
        None => {
            let (curve, helped_percent) = (run.curve(0), run.helped_percent(0));
            Ok(Transfer { curve, bytes, payload_max: payload_max.get(), helped_percent })
        }
    }
}

/// Cumulated megabytes.
fn cumulated(curve: &Curve) -> Series {
    let sums = curve.bytes.iter().scan(0, |sum, bytes| {
        *sum += bytes;
        Some(*sum as f64 / 1e6)
    });
    let points = (1..).zip(sums).map(|(step, sum)| (f64::from(step) * curve.step_s, sum));
    Series::steps(&curve.name, [(0.0, 0.0)].into_iter().chain(points).collect())
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, losses, step) = (context.rate("rate"), context.shares("losses"), context.time("step"));
    let leased = leased(rate);
    let mut transfers = vec![transfer(context, "split", &["newreno", &leased, "newreno"])?];
    for controller in DIRECT {
        transfers.push(transfer(context, controller, &[controller])?);
    }
    let percents: Vec<String> = losses.iter().map(|loss| format!("{:.1} %", loss * 100.0)).collect();
    let head: Vec<&str> = ["Mbit/s at loss"].into_iter().chain(percents.iter().map(String::as_str)).collect();
    let mut table = Table::new(&head).titled("What arrives");
    let head: Vec<&str> = ["split, times"].into_iter().chain(head[1..].iter().copied()).collect();
    let mut ratios = Table::new(&head).titled("What split gets, times what others get");
    let mut plot = Plot::new("Cumulated bytes", Axis::new("time", "s"), Axis::new("arrived", "MB"));
    let mut figures = Vec::new();
    for Transfer { curve, bytes, payload_max, helped_percent } in &transfers {
        let mbits: Vec<f64> = bytes.iter().map(|bytes| *bytes as f64 * 8e-6 / step.as_secs_f64()).collect();
        table.row([curve.name.clone()].into_iter().chain(mbits.iter().map(|mbit| format!("{mbit:.2}"))).collect());
        let times =
            transfers[0].bytes.iter().zip(bytes).map(|(split, other)| format!("{:.1}", *split as f64 / *other as f64));
        if curve.name != "split" {
            ratios.row([curve.name.clone()].into_iter().chain(times).collect());
        }
        plot.series.push(cumulated(curve));
        figures.push(json!({
            "name": curve.name, "mbits": mbits, "payload_max": payload_max, "helped_percent": helped_percent,
        }));
    }
    for (number, percent) in percents.iter().enumerate() {
        plot = plot.mark((step * number as u32).as_secs_f64(), percent);
    }
    let killed = killed(context, &leased)?;
    let at = losses.iter().position(|loss| *loss == COMPARED);
    let got = |transfer: usize| at.map_or(f64::NAN, |at| transfers[transfer].bytes[at] as f64);
    let link_bytes = rate as f64 / 8.0 * step.as_secs_f64() * transfers[0].share();
    let bbr = 1 + DIRECT.iter().position(|name| *name == "bbr").expect("it is one of them");
    let results = json!({ "transfers": figures, "losses": losses, "killed": killed.json() });
    Ok(Outcome::new(results)
        .table(table)
        .table(ratios)
        .table(killed.table())
        .plot(plot)
        .check(Check::new("at 1 % loss: split gets times what newreno gets", got(0) / got(1), "", TIMES))
        .check(
            Check::new("at 1 % loss: split gets times what bbr gets", got(0) / got(bbr), "", TIMES_BBR)
                .by_median()
                .ours(),
        )
        .check(Check::new(
            "at 1 % loss: split gets of the link's rate after \
                           headers",
            100.0 * got(0) / link_bytes,
            "%",
            OF_LINK,
        ))
        .check(Check::new(
            "both helpers killed at 1 % loss: transfers whole, every byte \
                           right",
            killed.whole(),
            "",
            WHOLE,
        ))
        .check(
            Check::new(
                "both helpers killed: nothing arrives, of 3 PTO and 4 round trips",
                100.0 * killed.gap_s / killed.allowed_s,
                "%",
                STALL,
            )
            .by_median()
            .ours(),
        )
        .check(stays_helped("split", transfers[0].helped_percent))
        .note(
            "The paper names no rates and delays. Headers: the 28 B of IP and UDP, and the 52 B more that a helped \
             packet may have, of the largest packet on the link; acknowledgments of the other direction, probes and \
             packets sent again are no headers. How long nothing arrives once the helpers are gone is a matter of \
             chance: acknowledgments from end to end are seldom and may be lost with the helpers, and what they would \
             have told of is sent again first, over a path that loses 1 % and begins slowly.",
        ))
}

/// The transfer that loses both helpers.
struct Killed {
    bytes: u64,
    at_s: f64,
    arrived: u64,
    /// When all was there, and right; if it ever was.
    whole_s: Option<f64>,
    /// How long nothing arrived, and how long it may be.
    gap_s: f64,
    allowed_s: f64,
}

impl Killed {
    fn whole(&self) -> f64 {
        if self.whole_s.is_some() { 1.0 } else { 0.0 }
    }

    fn json(&self) -> serde_json::Value {
        let Killed { bytes, at_s, arrived, whole_s, gap_s, allowed_s } = self;
        json!({
            "bytes": bytes, "killed_s": at_s, "arrived": arrived, "whole_s": whole_s, "gap_s": gap_s,
            "allowed_s": allowed_s,
        })
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&["", ""]).titled("Both helpers killed in the middle");
        for (name, value) in [
            ("bytes sent", self.bytes.to_string()),
            ("bytes arrived", self.arrived.to_string()),
            ("helpers killed after", format!("{:.2} s", self.at_s)),
            ("nothing arrives for", format!("{:.2} s", self.gap_s)),
            ("3 probe timeouts and 4 round trips", format!("{:.2} s", self.allowed_s)),
            ("whole after", self.whole_s.map_or("never".to_owned(), |whole_s| format!("{whole_s:.2} s"))),
        ] {
            table.row(vec![name.to_owned(), value]);
        }
        table
    }
}

fn killed(context: &Context<'_>, leased: &str) -> Result<Killed, RunError> {
    context.progress("both helpers are killed");
    let (bytes, sections) = (context.size("bytes"), ["newreno", leased, "newreno"]);
    let half = Duration::from_secs_f64(bytes as f64 * 4.0 / context.rate("rate") as f64);
    let mut setting = setting(context, &sections, COMPARED);
    setting.parties.push(party("killed", LINKS, &sections).bytes(bytes));
    setting.step = FINE;
    let mut run = context.world(setting).begin();
    run.run_until(half);
    if !run.is_helped(0) || run.bytes(0) == 0 || run.bytes(0) == bytes {
        return Err(RunError::broken("the transfer was not under way through the helpers"));
    }
    let stats = run.stats(0)[0].first().copied().ok_or_else(|| RunError::broken("no connection"))?;
    let allowed = stats.pto * PROBE_TIMEOUTS + stats.rtt * ROUND_TRIPS;
    (0..run.helpers.len()).for_each(|helper| run.stop_helper(helper));
    let whole = run.finish(0, half + LIMIT).ok();
    let (curve, at_s) = (run.curve(0), half.as_secs_f64());
    let end_s = curve.bytes.len() as f64 * curve.step_s;
    // What was behind the second helper still arrives.
    let gap_s = curve.longest_gap_s((at_s, at_s + AROUND_S), end_s);
    let whole_s = whole.map(|time| time.as_secs_f64());
    Ok(Killed { bytes, at_s, arrived: run.bytes(0), whole_s, gap_s, allowed_s: allowed.as_secs_f64() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: [&str; 3] = ["losses=0%,1%", "step=4s", "bytes=4MB"];

    #[test]
    fn split_shields_from_losses_and_nothing_is_lost_with_the_helpers() {
        let record = measured(&FIG10, 1, &SHORT);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_rate_that_the_link_does_not_have_does_not_hold() {
        let context = Context::new(1, FIG10.params(&SHORT.map(str::to_owned)).expect("values"), false, &|_| ());
        let half = transfer(&context, "half", &["newreno", "fixed:9mbit", "newreno"]).expect("it runs");
        let link_bytes = 20e6 / 8.0 * 4.0 * half.share();
        assert!(!OF_LINK.holds(100.0 * half.bytes[1] as f64 / link_bytes), "{:?}", half.bytes);
    }
}
