//! Figure 10 in real time.

use core::time::Duration;

use serde_json::json;
use tng_emulator::tcp::controllers;
use tng_sim::Loss;

use super::super::row::{party, stays_helped};
use super::{
    AROUND_S, COMPARED, FINE, Killed, LIMIT, LINKS, LONG, OF_LINK, PROBE_TIMEOUTS, ROUND_TRIPS, STALL, TIMES, WHOLE,
    cumulated, leased, setting, share,
};
use crate::lab::{Check, Context, Curve, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::real::{Act, Moment, Ran, Staging, Way};
use crate::real::Daemon;

/// Times what the kernel's bbr gets from end to end, which has smaller headers.
const TIMES_BBR: Goal = Goal::AtLeast(0.95);
/// Whom helped transfers are compared with.
pub(in super::super) const RENO: &str = "kernel reno";
pub(in super::super) const BBR: &str = "kernel bbr";

/// Who is beside them, by the names of their controllers.
pub(in super::super) const OTHERS: [(&str, Way); 6] = [
    (RENO, Way::Kernel("reno")),
    ("kernel cubic", Way::Kernel("cubic")),
    (BBR, Way::Kernel("bbr")),
    ("QUIC cubic", Way::Quic("cubic")),
    ("haproxy cubic", Way::Proxied("cubic")),
    ("haproxy bbr", Way::Proxied("bbr")),
];

/// Those whose controller this kernel has, and the names of the others.
pub(in super::super) fn there_are(others: &[(&'static str, Way)]) -> (Vec<(&'static str, Way)>, Vec<&'static str>) {
    let known = controllers();
    let has = |way: &Way| match way {
        Way::Kernel(controller) | Way::Proxied(controller) => known.iter().any(|known| known == controller),
        Way::Quic(_) | Way::Tng => true,
    };
    let (here, away): (Vec<_>, Vec<_>) = others.iter().cloned().partition(|(_, way)| has(way));
    (here, away.into_iter().map(|(name, _)| name).collect())
}

/// With a word on who is not there.
pub(in super::super) fn noted(outcome: Outcome, away: &[&str]) -> Outcome {
    match away {
        [] => outcome,
        away => outcome.note(format!(
            "Not measured, since this machine's kernel has not their controllers (it has {}): {}.",
            controllers().join(", "),
            away.join(", ")
        )),
    }
}

/// What a transfer did.
struct Transfer {
    curve: Curve,
    /// Bytes that arrived in each step of loss.
    bytes: Vec<u64>,
    helped_percent: f64,
    payload_max: usize,
    disturbed: usize,
}

/// An endless transfer while the long link loses more and more.
fn transfer(context: &Context<'_>, name: &str, sections: &[&str], way: Way) -> Result<Transfer, RunError> {
    let (losses, step) = (context.shares("losses"), context.time("step"));
    let mut setting = setting(context, sections, losses[0]);
    setting.parties.push(party(name, LINKS, sections));
    let (tng, links) = (way == Way::Tng, setting.links.clone());
    let staging = context.world(Staging::new(setting, way));
    let act = || {
        let mut now = 0;
        let (losses, links) = (losses.clone(), links.clone());
        move |moment: Moment<'_>| {
            let due = (moment.at.as_nanos() / step.as_nanos()) as usize;
            if due > now && due < losses.len() {
                now = due;
                let [forth, back] = [&links[LONG].forth, &links[LONG].back]
                    .map(|link| link.clone().loss(Loss::Independent(losses[due])));
                moment.network.change(LONG, forth, back);
            }
        }
    };
    let (ran, _) = staging.run(step * losses.len() as u32, act)?;
    let bytes = (0..losses.len() as u32)
        .map(|number| ran.curve.sum((step * number).as_secs_f64(), (step * (number + 1)).as_secs_f64()));
    let payload_max = if tng { ran.path(sections.len() > 1)?.stats.payload_max } else { 0 };
    let Ran { helped_percent, disturbed, .. } = ran;
    Ok(Transfer { bytes: bytes.collect(), curve: ran.curve, helped_percent, payload_max, disturbed })
}

/// Figure 10 with processes.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, losses, step) = (context.rate("rate"), context.shares("losses"), context.time("step"));
    let leased = leased(rate);
    let sections = ["newreno", leased.as_str(), "newreno"];
    let (others, away) = there_are(&OTHERS);
    let takes = step * losses.len() as u32 + Duration::from_secs(1);
    let mut left = takes * (others.len() as u32 + 3);
    let mut transfers = Vec::new();
    for (name, way) in [("split", Way::Tng)].into_iter().chain(others) {
        context.progress_with(name, left);
        left = left.saturating_sub(takes);
        transfers.push(transfer(context, name, &sections, way)?);
    }
    let percents: Vec<String> = losses.iter().map(|loss| format!("{:.1} %", loss * 100.0)).collect();
    let head: Vec<&str> = ["Mbit/s at loss"].into_iter().chain(percents.iter().map(String::as_str)).collect();
    let mut table = Table::new(&head).titled("What arrives");
    let head: Vec<&str> = ["split, times"].into_iter().chain(head[1..].iter().copied()).collect();
    let mut ratios = Table::new(&head).titled("What split gets, times what others get");
    let mut plot = Plot::new("Cumulated bytes", Axis::new("time", "s"), Axis::new("arrived", "MB"));
    let mut figures = Vec::new();
    for Transfer { curve, bytes, payload_max, helped_percent, disturbed } in &transfers {
        let mbits: Vec<f64> = bytes.iter().map(|bytes| *bytes as f64 * 8e-6 / step.as_secs_f64()).collect();
        table.row([curve.name.clone()].into_iter().chain(mbits.iter().map(|mbit| format!("{mbit:.2}"))).collect());
        let of_split = transfers[0].bytes.iter().zip(bytes);
        let times = of_split.map(|(split, other)| format!("{:.1}", *split as f64 / (*other).max(1) as f64));
        if curve.name != "split" {
            ratios.row([curve.name.clone()].into_iter().chain(times).collect());
        }
        plot.series.push(cumulated(curve));
        let (payload_max, helped) = ((*payload_max > 0).then_some(payload_max), helped_percent);
        figures.push(json!({
            "name": curve.name, "mbits": mbits, "payload_max": payload_max, "disturbed": disturbed,
            "helped_percent": Some(helped).filter(|percent| percent.is_finite()),
        }));
    }
    for (number, percent) in percents.iter().enumerate() {
        plot = plot.mark((step * number as u32).as_secs_f64(), percent);
    }
    context.progress_with("both relays are killed", takes * 2);
    let killed = killed(context, &sections)?;
    let at = losses.iter().position(|loss| *loss == COMPARED);
    let got = |name: &str| {
        let of = |at: usize| Some(transfers.iter().find(|transfer| transfer.curve.name == name)?.bytes[at] as f64);
        at.and_then(of).unwrap_or(f64::NAN)
    };
    let split = &transfers[0];
    let link_bytes = rate as f64 / 8.0 * step.as_secs_f64() * share(split.payload_max);
    let outcome = Outcome::new(json!({ "transfers": figures, "losses": losses, "killed": killed.json() }))
        .table(table)
        .table(ratios)
        .table(killed.table())
        .plot(plot)
        .check(Check::new(
            "at 1 % loss: split gets times what the kernel's reno gets",
            got("split") / got(RENO),
            "",
            TIMES,
        ));
    let bbr =
        Check::new("at 1 % loss: split gets times what the kernel's bbr gets", got("split") / got(BBR), "", TIMES_BBR);
    let outcome = if away.contains(&BBR) { outcome } else { outcome.check(bbr.ours()) };
    let of_rate = 100.0 * got("split") / link_bytes;
    let outcome = outcome
        .check(Check::new("at 1 % loss: split gets of the link's rate after headers", of_rate, "%", OF_LINK))
        .check(Check::new(
            "both relays killed at 1 % loss: transfers whole, every byte right",
            killed.whole(),
            "",
            WHOLE,
        ))
        .check(
            Check::new(
                "both relays killed: nothing arrives, of 3 PTO and 4 round trips",
                100.0 * killed.gap_s / killed.allowed_s,
                "%",
                STALL,
            )
            .ours(),
        )
        .check(stays_helped("split", split.helped_percent))
        .note(
            "tng/fig10 in virtual time is the same setting, and the page beside this one. Headers are as there, of the \
             largest packet that the flow found to pass. All that runs has two cores: relays, ends, the others' \
             processes and the emulator that is every link. A run of which this machine itself lost more than a \
             hundredth of what the links lost is begun anew.",
        );
    Ok(noted(outcome, &away))
}

/// The transfer that loses both relays for good.
fn killed(context: &Context<'_>, sections: &[&str]) -> Result<Killed, RunError> {
    let bytes = context.size("bytes");
    let half = Duration::from_secs_f64(bytes as f64 * 4.0 / context.rate("rate") as f64);
    let mut setting = setting(context, sections, COMPARED);
    setting.parties.push(party("killed", LINKS, sections).bytes(bytes));
    setting.step = FINE;
    let staging = context.world(Staging::new(setting, Way::Tng));
    let (ran, kill) = staging.run(half + LIMIT, || Kill { due: half, seen: None })?;
    let (at_s, allowed) = kill.seen.ok_or_else(|| {
        RunError::broken("the transfer was not under way through the relays when they were to be killed")
    })?;
    let end_s = ran.curve.bytes.len() as f64 * ran.curve.step_s;
    // What was behind the second relay still arrives.
    let gap_s = ran.curve.longest_gap_s((at_s, at_s + AROUND_S), end_s);
    let whole_s = ran.figures.completion_s.filter(|_| ran.figures.bytes == bytes);
    Ok(Killed { bytes, at_s, arrived: ran.figures.bytes, whole_s, gap_s, allowed_s: allowed.as_secs_f64() })
}

/// Kills all relays once, while the transfer leads by way of them.
struct Kill {
    due: Duration,
    /// When, in seconds, and how long nothing may arrive behind that.
    seen: Option<(f64, Duration)>,
}

impl Act for Kill {
    fn act(&mut self, moment: Moment<'_>) {
        if self.seen.is_some() || moment.at < self.due || moment.helped != Some(true) {
            return;
        }
        let stats = moment.over.and_then(|(_, connection)| connection.stats());
        moment.daemons.iter_mut().for_each(Daemon::kill);
        let allowed = stats.map(|stats| stats.pto * PROBE_TIMEOUTS + stats.rtt * ROUND_TRIPS);
        self.seen = allowed.map(|allowed| (moment.at.as_secs_f64(), allowed));
    }
}
