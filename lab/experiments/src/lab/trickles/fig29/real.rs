//! The same with processes that SIGKILL ends.

use core::cell::Cell;
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;
use tng_sim::{Carrier, Link};
use tokio::time;

use super::super::testbed::LAN_RTT;
use super::super::twins::{Over, Serving, Standing, Twin, address_of, lan};
use super::{AFTER, BEFORE, QUEUE_TIME, STEP};
use crate::lab::{Check, Context, Curve, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::real::visitor::{Source, Visitor, Wanted, inside};

/// Connections that are lost over Trickles.
const LOST: Goal = Goal::AtMost(0.0);
/// One who found nobody tries again after so long.
const AGAIN_AFTER: Duration = Duration::from_millis(10);
/// How often it is looked whether a server is back.
const LOOK: Duration = Duration::from_millis(2);
/// The file is larger than what the link carries by so much.
const LARGER: f64 = 1.2;

/// What befalls the server, or the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blow {
    /// The process is killed, and started again after that time.
    Killed(Duration),
    /// The link carries nothing for that time.
    Unplugged(Duration),
}

/// What came over time.
struct Trace {
    /// In each step, from the start.
    bytes: Vec<u64>,
    /// Connections that were lost, or over Trickles begun anew.
    losses: u64,
    /// How long the server was away: until it said that it serves, or took a connection.
    away: Duration,
    /// The longest time after the blow in which nothing came.
    pause: Duration,
}

impl Trace {
    fn between(&self, from: Duration, to: Duration) -> u64 {
        let place = |at: Duration| (at.as_nanos() / STEP.as_nanos()) as usize;
        self.bytes.iter().take(place(to)).skip(place(from)).sum()
    }
}

/// What a client has come to, for those who look at it.
#[derive(Default)]
struct Came {
    bytes: Cell<u64>,
    losses: Cell<u64>,
    /// When something last came, and the longest pause since the blow.
    last: Cell<Duration>,
    pause: Cell<Duration>,
}

/// Fetches for ever: after a connection that was lost on another, from where it is.
async fn fetch(source: Source, wanted: Wanted, mut rng: Rng, came: Rc<Came>, origin: Origin, blow_at: Duration) {
    let mut at = 0;
    loop {
        let mut losing = Visitor::begin(&source, wanted.clone(), address_of(0), at, &mut rng).await;
        if let Ok(visitor) = &mut losing {
            while let Ok(count @ 1..) = visitor.read().await {
                let now = origin.elapsed();
                if now > blow_at {
                    came.pause.set(came.pause.get().max(now - came.last.get()));
                }
                came.last.set(now);
                came.bytes.set(came.bytes.get() + count as u64);
                if let Some(stats) = visitor.stats() {
                    came.losses.set(stats.connections.saturating_sub(1));
                }
            }
            at = visitor.at();
            came.losses.set(came.losses.get() + 1);
        }
        time::sleep(AGAIN_AFTER).await;
    }
}

/// One client's trace until `end`.
fn trace(context: &Context<'_>, over: Over, blow: Blow, blow_at: Duration, end: Duration) -> Result<Trace, RunError> {
    let (seed, rate) = (context.seed, context.rate("real-rate"));
    let bytes = (rate as f64 / 8.0 * end.as_secs_f64() * LARGER) as u64;
    let link = Some(link(context));
    let twin = Twin { seed, link, over, processes: 1, more: &[], bytes, clients: 1 };
    let mut standing = context.world(twin).begin()?;
    let (source, wanted, node) = (standing.source(), standing.wanted(), standing.clients);
    let origin = Origin::now();
    let visit = || async move {
        let came: Rc<Came> = Rc::default();
        tokio::task::spawn_local(fetch(source, wanted, Rng::from_u64(seed), Rc::clone(&came), origin, blow_at));
        let (mut steps, mut had) = (Vec::new(), 0);
        while origin.elapsed() < end {
            time::sleep(origin.until(STEP * (steps.len() as u32 + 1))).await;
            let now = came.bytes.get();
            steps.push(now - had);
            had = now;
        }
        let pause = came.pause.get().max(end.saturating_sub(came.last.get()));
        (steps, came.losses.get(), pause)
    };
    let Standing { network, serving, .. } = &mut standing;
    let network = &*network;
    std::thread::scope(|scope| {
        let visiting = scope.spawn(move || inside(network, node, visit));
        origin.rest_until(blow_at);
        match blow {
            Blow::Unplugged(down) => {
                network.set_carrier(0, Carrier::Drops);
                origin.rest_until(blow_at + down);
                network.set_carrier(0, Carrier::Up);
            }
            Blow::Killed(down) => {
                kill(serving);
                origin.rest_until(blow_at + down);
                spawn(serving, network)?;
                while !serves(serving, network) && origin.elapsed() < end {
                    origin.rest_until(origin.elapsed() + LOOK);
                }
            }
        }
        let away = origin.elapsed() - blow_at;
        let visited = visiting.join().map_err(|_| RunError::broken("a client panicked"))?;
        let (bytes, losses, pause) = visited.map_err(fault)?;
        Ok(Trace { bytes, losses, away, pause })
    })
}

fn kill(serving: &mut Serving) {
    match serving {
        Serving::Tcp(nginx) => nginx.kill(),
        Serving::Trickles(fleet) => fleet.kill(0),
    }
}

fn spawn(serving: &mut Serving, network: &Network) -> Result<(), RunError> {
    match serving {
        Serving::Tcp(nginx) => nginx.spawn(network),
        Serving::Trickles(fleet) => fleet.spawn(network, 0),
    }
    .map_err(fault)
}

fn serves(serving: &Serving, network: &Network) -> bool {
    match serving {
        Serving::Tcp(nginx) => nginx.listens(network),
        Serving::Trickles(fleet) => fleet.serves(0),
    }
}

/// What waits for it at most lasts as long as that of the virtual twin.
fn link(context: &Context<'_>) -> Link {
    let rate = context.rate("real-rate");
    let queue = (rate as f64 / 8.0 * QUEUE_TIME.as_secs_f64()) as u64;
    lan(context, rate, LAN_RTT).queue(tng_queue::QueueConfig::DropTail(tng_queue::Limit::Bytes(queue)))
}

pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (blow_at, after) = (context.time("real-kill"), context.time("after"));
    let heads =
        ["down", "over", "before", "after, time down included", "by the rate before", "lost", "away", "longest pause"];
    let mut table = Table::new(&heads).titled("What comes after the blow");
    let (mut outcome, mut results, mut checks) = (Outcome::new(json!({})), Vec::new(), Vec::new());
    for down in context.times("downs") {
        let words = format!("down for {down:?}");
        let title = format!("Down for {down:?}");
        let (mut plot, mut kept) = (Plot::new(&title, Axis::new("time", "s"), Curve::axis()), Vec::new());
        let (mut losses, mut aways, mut pauses, mut away) = (Vec::new(), Vec::new(), Vec::new(), down);
        for (name, over, killed) in [
            ("Trickles, killed", Over::Trickles, true),
            ("TCP, killed", Over::Tcp, true),
            ("TCP, unplugged", Over::Tcp, false),
        ] {
            context.progress(format_args!("{words}: {name}"));
            let end = blow_at + down + after;
            let blow = if killed { Blow::Killed(down) } else { Blow::Unplugged(away) };
            let trace = trace(context, over, blow, blow_at, end)?;
            if over == Over::Trickles {
                away = trace.away;
            }
            let before_from = blow_at.saturating_sub(BEFORE);
            let (before, since) = (trace.between(before_from, blow_at), trace.between(blow_at, end));
            let rate = |bytes, time: Duration| bytes as f64 * 8.0 / time.as_secs_f64();
            let before_bps = rate(before, blow_at - before_from);
            let share = rate(since, end - blow_at) / before_bps;
            table.row(vec![
                format!("{down:?}"),
                name.to_owned(),
                format!("{:.1} Mbit/s", before_bps / 1e6),
                format!("{:.1} MB", since as f64 / 1e6),
                format!("{share:.3}"),
                trace.losses.to_string(),
                format!("{:.0} ms", trace.away.as_secs_f64() * 1e3),
                format!("{:.0} ms", trace.pause.as_secs_f64() * 1e3),
            ]);
            results.push(json!({
                "down_s": down.as_secs_f64(), "name": name, "before_bps": before_bps, "after_bytes": since,
                "kept": share, "losses": trace.losses, "away_s": trace.away.as_secs_f64(),
                "pause_s": trace.pause.as_secs_f64(), "bytes_by_step": trace.bytes,
            }));
            kept.push(share);
            losses.push(trace.losses);
            aways.push(trace.away);
            pauses.push(trace.pause);
            let mbits = |bytes: &u64| *bytes as f64 * 8.0 / STEP.as_secs_f64() / 1e6;
            let rates =
                trace.bytes.iter().enumerate().map(|(at, bytes)| ((STEP * at as u32).as_secs_f64(), mbits(bytes)));
            let begin = blow_at.saturating_sub(super::PLOT_BEFORE).as_secs_f64();
            plot = plot.series(Series::steps(name, rates.filter(|(at, _)| *at >= begin).collect()));
        }
        outcome = outcome.plot(plot.mark(blow_at.as_secs_f64(), "killed"));
        let name = format!("{words}: connections lost over Trickles");
        checks.push(Check::new(name, losses[0] as f64, "", LOST).paper("none: a lost window"));
        let name = format!("{words}: Trickles by TCP that is killed, each by its rate before");
        let why = format!(
            "the server of Trickles was away for {:.0} ms and its client waited for {:.0} ms; TCP's was away for {:.0} \
             ms, and its client is told by a reset at once",
            away.as_secs_f64() * 1e3,
            pauses[0].as_secs_f64() * 1e3,
            aways[1].as_secs_f64() * 1e3,
        );
        checks.push(Check::new(name, kept[0] / kept[1], "", AFTER).paper("TCP takes longer to recover").because(why));
        let name = format!("{words}: Trickles by TCP without its link for as long, each by its rate before");
        checks.push(Check::new(name, kept[0] / kept[2], "", AFTER));
    }
    outcome.results = json!({ "step_s": STEP.as_secs_f64(), "runs": results });
    let outcome = outcome.table(table).note(
        "trickles/fig29 in virtual time is the same at 1 Gbit/s, which this machine cannot carry between processes, \
         and the page beside this one. A server is away from SIGKILL until its next process serves: nginx listens \
         within a few milliseconds; tng trickles serve reads its keys and identity and makes its filters first, and \
         refuses what was granted before it began. TCP that is unplugged is without its link for as long as the server \
         of Trickles was away. A client of TCP asks for the rest on a new connection, by a range.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
