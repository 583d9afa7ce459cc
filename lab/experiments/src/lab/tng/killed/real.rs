//! A relay that is killed, in real time.

use core::time::Duration;

use serde_json::json;

use super::super::fig10::real::{noted, there_are};
use super::{AGAIN, HIT, LIMIT, ONCE_FROM, STEP, TIMES, VAIN, WHOLE, once, setting};
use crate::lab::{Check, Context, Curve, Outcome, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::real::{Act, Idle, Moment, Ran, Staging, Way};
use crate::real::RealError;

/// How long one is followed whose relay is killed once, from when it is started again.
const FOLLOWED: Duration = Duration::from_secs(7);

/// Who is beside the helped transfers.
const OTHERS: [(&str, Way); 3] =
    [("kernel cubic", Way::Kernel("cubic")), ("kernel bbr", Way::Kernel("bbr")), ("QUIC cubic", Way::Quic("cubic"))];

/// Kills the relay again and again, and starts it again a little later.
struct Killer {
    every: Duration,
    down: Duration,
    /// Nothing is killed from then on.
    until: Duration,
    /// When the next kill is due.
    next: Duration,
    /// When to start the relay again, if it does not run.
    again: Option<Duration>,
    kills: u64,
    /// Of them, those while the transfer led by way of it.
    hits: u64,
    failure: Option<RealError>,
}

impl Act for Killer {
    fn act(&mut self, moment: Moment<'_>) {
        let [daemon] = moment.daemons else { return };
        match self.again {
            Some(again) if moment.at >= again => {
                self.failure = daemon.spawn(moment.network).err();
                self.again = None;
            }
            None if moment.at >= self.next && self.next < self.until => {
                daemon.kill();
                self.kills += 1;
                self.hits += u64::from(moment.helped == Some(true));
                self.again = Some(self.next + self.down);
                self.next += self.every.max(self.down + STEP);
            }
            _ => {}
        }
    }
}

/// Kills it once, starts it again, and sees when it is used again.
struct Once {
    killer: Killer,
    killed_at: Duration,
    /// The transfer has left it.
    left: bool,
    again_after: Option<Duration>,
}

impl Act for Once {
    fn act(&mut self, moment: Moment<'_>) {
        let killed = self.killer.kills > 0;
        self.left |= killed && moment.helped == Some(false);
        if self.left && self.again_after.is_none() && moment.helped == Some(true) {
            self.again_after = Some(moment.at - self.killed_at);
        }
        self.killer.act(moment);
    }
}

/// Kills with a relay, as processes.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let split = ["cubic", "cubic"];
    let killer = |next: Duration, down: Duration, until: Duration| Killer {
        every: context.time("every"),
        down,
        until,
        next,
        again: None,
        kills: 0,
        hits: 0,
        failure: None,
    };
    let transfer = |name: &str, sections: &[&str], way: Way| {
        context.progress(name);
        context.world(Staging::new(setting(context, name, sections), way))
    };
    let killed_every = || killer(context.time("every"), context.time("down"), LIMIT);
    let (killed, kills) = transfer("killed again and again", &split, Way::Tng).run(LIMIT, killed_every)?;
    if let Some(why) = kills.failure {
        return Err(RunError::broken(why));
    }
    let idle = |name: &str, sections: &[&str], way: Way| transfer(name, sections, way).run(LIMIT, || Idle);
    let helped = idle("helped", &split, Way::Tng)?.0;
    let direct = idle("direct", &["cubic"], Way::Tng)?.0;
    let (others, away) = there_are(&OTHERS);
    let mut rows = vec![killed, helped, direct];
    for (name, way) in others {
        rows.push(idle(name, &["cubic"], way)?.0);
    }
    let mut again = Vec::new();
    let all = context.count("once");
    for number in 1..=all {
        context.progress(format_args!("killed once, {number} of {all}"));
        let ((setting, at), down) = (once(context, number), context.time("once-down"));
        let staging = context.world(Staging::new(setting, Way::Tng));
        let limit = ONCE_FROM + Duration::from_secs(1) + down + FOLLOWED;
        // Once: the next would be due in the end.
        let act = || Once { killer: killer(at, down, at + STEP), killed_at: at, left: false, again_after: None };
        let (_, seen) = staging.run(limit, act)?;
        again.push(seen.again_after.map_or(f64::INFINITY, |after| after.as_secs_f64()));
    }
    again.sort_by(f64::total_cmp);
    let mut table = Table::new(&["", "whole after"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Curve::axis());
    for row in &rows {
        table.row(vec![row.curve.name.clone(), format!("{:.2} s", whole_s(row))]);
        plot.series.push(row.curve.coarser(2).series());
    }
    let whole = f64::from(u8::from(rows[0].figures.bytes == context.size("bytes") && whole_s(&rows[0]).is_finite()));
    let times: serde_json::Map<_, _> = rows.iter().map(|row| (row.curve.name.clone(), json!(whole_s(row)))).collect();
    let results = json!({ "kills": kills.kills, "hits": kills.hits, "again_s": again, "whole_s": times });
    let vain = kills.kills as f64 - kills.hits as f64;
    let outcome = Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("killed: transfers whole, every byte right", whole, "", WHOLE))
        .check(Check::new("kills while the flow led by way of the relay", kills.hits as f64, "", HIT).ours())
        .check(Check::new("kills while the flow went direct", vain, "", VAIN).ours())
        .check(
            Check::new("killed: of the time without a relay", whole_s(&rows[0]) / whole_s(&rows[2]), "", TIMES).ours(),
        )
        .check(Check::new("killed once: helped again, median", again[again.len() / 2], "s", AGAIN))
        .note(
            "tng/killed in virtual time is the same setting, and the page beside this one. A relay is killed by \
             SIGKILL, and starts as a process does, with its identity and secret from its files. Those that are beside \
             it have nobody to be killed: what haproxy passes on ends with haproxy.",
        );
    Ok(noted(outcome, &away))
}

/// When all was there; not a number if it never was.
fn whole_s(ran: &Ran) -> f64 {
    ran.figures.completion_s.unwrap_or(f64::NAN)
}
