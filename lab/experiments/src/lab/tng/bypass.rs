//! How long it takes until a helper that does harm is left.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};
use tng_stack::{BLOCKED_FOR, CloseCause, DELAY_PERIOD};

use super::row::{party, percentile_ms, row};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::Run;

/// By what the helper does.
pub static BYPASS: Experiment = Experiment {
    name: "tng/bypass",
    title: "Time to bypass",
    source: "ours, after Tng 4.1",
    claim: "a helper that brings less than the direct path is left: at once if it has forgotten, within three probe \
            timeouts if it is silent, and after a few periods of comparison if it is slow or loses",
    about: "Two links and a helper between, and an endless flow, which after some seconds, at a random moment, is done \
            harm: the helper is killed; it is started again and has forgotten; it acknowledges and drops; its far \
            section carries nothing any more; its line becomes a detour; its line loses a fifth. What is told is how \
            long it takes from then on until the sender goes another way, of many flows with seeds of their own.",
    params: &[
        Param::count("flows", "20", (1, 100), "of each kind"),
        Param::rate("rate", "5mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
        Param::time(
            "detour",
            "60ms",
            "that a packet takes more each time it passes the helper's line, where that is a detour",
        ),
        Param::span("limit", "40s", "after which nobody waits any longer"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const LINKS: usize = 2;
/// How finely the time is measured.
const STEP: Duration = Duration::from_millis(1);
/// Queues of so much time.
const QUEUE_MS: u64 = 50;
/// The harm begins so late, and up to a second later: the alternative stands by.
const BEGINS: Duration = Duration::from_secs(3);
/// Until what a path was left for is told: it is still heard for a while.
const TOLD: Duration = Duration::from_secs(2);
const LOST: f64 = 0.2;
const PROBE_TIMEOUTS: u32 = 3;
/// Seeds of a harm begin so far from those of the one before.
const HARM_SEEDS: u64 = 100;

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    Killed,
    Restarted,
    Swallows,
    FarDead,
    Detour,
    Loses,
}

const HARMS: [(Harm, &str); 6] = [
    (Harm::Restarted, "has forgotten"),
    (Harm::Killed, "is killed"),
    (Harm::Swallows, "acknowledges and drops"),
    (Harm::FarDead, "far section is dead"),
    (Harm::Detour, "becomes a detour"),
    (Harm::Loses, "loses a fifth"),
];

/// What became of a flow: when it left, if it did; how many probe timeouts after something was last acknowledged from
/// end to end; and what it was left for.
struct Left {
    after: Option<Duration>,
    silent_ptos: f64,
    sign: Option<String>,
}

fn harm(run: &mut Run, harm: Harm, context: &Context<'_>) {
    let helper = run.world.address(run.helpers[0]);
    match harm {
        Harm::Killed => run.stop_helper(0),
        Harm::Restarted => {
            run.stop_helper(0);
            run.restart_helper(0);
        }
        Harm::Swallows | Harm::FarDead => {
            for lane in run.links[LINKS - 1].lanes() {
                run.world.intercept(lane, move |_, packet| packet.src != helper && packet.dst != helper);
            }
        }
        Harm::Detour => {
            let detour = context.time("detour");
            for lane in run.beside(run.helpers[0]) {
                run.world.change(lane, |link| link.delay += detour);
            }
        }
        Harm::Loses => {
            for lane in run.beside(run.helpers[0]) {
                run.world.change(lane, |link| link.loss = Loss::Independent(1.0 - (1.0 - LOST).sqrt()));
            }
        }
    }
}

fn measure(context: &Context<'_>, kind: Harm, number: u64) -> Result<Left, RunError> {
    let queue = QueueConfig::DropTail(Limit::Bytes(context.rate("rate") / 8 * QUEUE_MS / 1_000));
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue);
    // What knows no congestion acknowledges at once whatever becomes of it behind.
    let sections = if kind == Harm::Swallows { ["cubic", "unlimited"] } else { ["cubic", "cubic"] };
    let mut setting = row(context.seed_of(number), vec![link.into(); LINKS], &sections);
    setting.step = STEP;
    setting.parties.push(party("flow", LINKS, &sections));
    let mut run = context.world(setting).begin();
    let begins = BEGINS + Duration::from_micros(Rng::from_u64(context.seed_of(number)).below(1_000_000));
    run.run_until(begins);
    if !run.is_helped(0) {
        return Err(RunError::broken(format_args!("flow {number} was not helped")));
    }
    harm(&mut run, kind, context);
    let (mut now, mut acked, mut acked_at, mut pto) = (begins, 0, begins, Duration::ZERO);
    while !run.is_direct(0) && now < begins + context.time("limit") && run.tally(0).failure.is_none() {
        if let Some(helped) = run.paths(0)[0].iter().find(|path| path.stats.helpers > 0) {
            pto = helped.stats.pto;
            if helped.stats.channel.bytes_acked > acked {
                (acked, acked_at) = (helped.stats.channel.bytes_acked, now);
            }
        }
        now += STEP;
        run.run_until(now);
    }
    let after = run.is_direct(0).then(|| now - begins);
    // It has left within the last step.
    let silent_ptos = (now - acked_at).saturating_sub(STEP).as_secs_f64() / pto.as_secs_f64();
    run.run_until(now + TOLD);
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(format_args!("flow {number}: {why}")));
    }
    let sign = run.tally(0).paths_lost().find_map(|(_, cause)| match cause {
        CloseCause::Left(sign) => Some(format!("{sign:?}").to_lowercase()),
        _ => None,
    });
    Ok(Left { after, silent_ptos, sign })
}

/// How often each word comes, in order of the alphabet.
fn counts(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    words.sort_unstable();
    let each = words.chunk_by(|a, b| a == b).map(|same| format!("{} {}", same.len(), same[0]));
    each.collect::<Vec<_>>().join(", ")
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let flows = context.count("flows");
    let mut table =
        Table::new(&["the helper", "flows", "left", "median", "95 %", "longest", "silent, PTO", "left for"])
            .titled("From the harm to the bypass");
    let mut plot = Plot::new("Time to bypass", Axis::new("time", "s"), Axis::new("flows that have left", "%"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for (place, (kind, name)) in (0..).zip(HARMS) {
        context.progress(name);
        let left: Vec<Left> =
            (0..flows).map(|flow| measure(context, kind, place * HARM_SEEDS + flow)).collect::<Result<_, _>>()?;
        let mut times: Vec<Duration> = left.iter().filter_map(|left| left.after).collect();
        times.sort_unstable();
        let percent = 100.0 * times.len() as f64 / flows as f64;
        let time_ms = |percent| percentile_ms(times.iter().copied(), percent);
        let longest_ptos = left.iter().map(|left| left.silent_ptos).fold(0.0, f64::max);
        let signs = counts(left.iter().map(|left| left.sign.clone().unwrap_or("nothing told".to_owned())));
        let ms = |percent| format!("{:.0} ms", time_ms(percent));
        table.row(vec![
            name.to_owned(),
            flows.to_string(),
            times.len().to_string(),
            ms(50),
            ms(95),
            ms(100),
            format!("{longest_ptos:.1}"),
            signs.clone(),
        ]);
        let points =
            times.iter().enumerate().map(|(at, time)| (time.as_secs_f64(), 100.0 * (at + 1) as f64 / flows as f64));
        plot.series.push(Series::line(name, points.collect()));
        figures.push(json!({
            "helper": name, "flows": flows, "left": times.len(), "signs": signs, "longest_silence_in_pto": longest_ptos,
            "times_s": times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
            "median_ms": time_ms(50), "p95_ms": time_ms(95), "longest_ms": time_ms(100),
        }));
        checks.push(Check::new(format!("{name}: flows that leave"), percent, "%", Goal::AtLeast(100.0)).ours());
        let within = |limit: Duration| {
            let most_ms = limit.as_secs_f64() * 1e3;
            Check::new(format!("{name}: longest time to bypass"), time_ms(100), "ms", Goal::AtMost(most_ms)).ours()
        };
        checks.push(match kind {
            Harm::Restarted | Harm::Killed | Harm::Swallows => {
                let most = Goal::AtMost(f64::from(PROBE_TIMEOUTS));
                Check::new(format!("{name}: longest silence before the bypass"), longest_ptos, "PTO", most)
            }
            // Until the queue is full, and then as long as the rule says.
            Harm::FarDead => within(BLOCKED_FOR * 3),
            Harm::Detour => within(DELAY_PERIOD * 3),
            // A period needs its packets, too, and they are few where so many are lost; and the alternative needs so
            // many signs of life that nobody doubts it: three that it may lose, three times over, by a fifth, ten a
            // second.
            Harm::Loses => within(DELAY_PERIOD * 3),
        });
    }
    let outcome = Outcome::new(json!({ "harms": figures })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "A probe timeout (PTO) is the sender's from end to end before the bypass; silence is counted from when \
         something was last acknowledged from end to end. The rules that these times come from are those of \
         docs/splitting.md. Where the helper acknowledges and drops, its section behind may itself find that nothing \
         is acknowledged there and say for a while that packets are held: that one is blocked rather than silent, and \
         blocking is borne longer.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_helper_that_does_harm_is_left_in_time() {
        let record = measured(&BYPASS, 1, &["flows=2"]);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().all(|name| !name.contains("flows that leave")), "{record}");
        for name in ["has forgotten", "is killed"] {
            assert!(!unmet.contains(&&*format!("{name}: longest silence before the bypass")), "{record}");
        }
    }

    #[test]
    fn one_that_does_none_is_not_left() {
        let record = measured(&BYPASS, 1, &["flows=1", "rate=1mbit", "detour=0ms", "limit=15s"]);
        assert!(unmet(&record.outcome).contains(&"becomes a detour: flows that leave, a goal of ours"), "{record}");
    }

    #[test]
    fn words_are_counted() {
        let words = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(counts(words.into_iter()), "1 a, 2 b");
        assert_eq!(counts([].into_iter()), "");
    }
}
