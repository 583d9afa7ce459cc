//! Hosts behind NATs find a direct way to each other.

mod guess;
pub(super) mod real;

use core::time::Duration;

use serde_json::json;
use tng_stack::{PathMonitorConfig, Relayed};

use super::row::percentile_ms;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::introduced::{Before, Introduced, Met};

/// By what stands before the two ends.
pub static PUNCH: Experiment = Experiment {
    name: "tng/punch",
    title: "Introduced hosts behind NATs",
    source: "ours, after Tng 3.2 and SST's registration",
    claim: "two hosts behind NATs that keep ports begin by way of a relay, and talk directly within 2 s of being \
            introduced; where no direct way can open they stay with the relay, and say why",
    about: "Two hosts attend at a relay. One asks it for the other: it is told where the relay sees the other, which is \
            told of it, too. It begins to talk by way of the relay at once, and both send a few small datagrams to \
            where the other is seen; every 20 ms the caller says a numbered word, and hears it back. Before each end \
            stands nothing, a NAT that keeps ports (as nft masquerade), one that gives another port by lot to each \
            address and port (as nft masquerade random), or one that keeps ports and lets in whole addresses. Two are \
            behind the same NAT; a NAT is restarted while they talk; and ports are guessed, which tng does not do. With \
            --real: network namespaces with nft, kernel NATs, and an endpoint with a relay.",
    params: &[
        Param::count("runs", "5", (1, 100), "of each pair, with seeds of their own"),
        Param::time("delay", "20ms", "of the link of each end, each way"),
        Param::time("relay", "5ms", "of the relay's link, each way"),
        Param::share("loss", "0%", "of packets that each link loses"),
        Param::span("talk", "20s", "for which the two talk"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 3 }),
    seeds: SEEDS_MIN,
    vary: &[("delay", &["5ms", "20ms", "50ms", "100ms", "250ms"]), ("loss", &["0%", "1%", "5%", "10%", "20%"])],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// How soon after the introduction the two talk directly.
const SOON: Duration = Duration::from_secs(2);
/// The first byte is there after so many round trips of the relayed path.
const ROUNDS: Goal = Goal::AtMost(2.0);
/// All of them, in percent.
const ALL: Goal = Goal::AtLeast(100.0);
/// Three probe timeouts until the path is found dead, and a set-up, with room for the backoff of what was lost.
const RESTARTED_S: Goal = Goal::AtMost(5.0);
/// Seeds of a pair begin so far from those of the one before.
const PAIR_SEEDS: u64 = 100;

/// What must come of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Must {
    Direct,
    /// For this reason, as far as the caller can tell.
    Relayed(Relayed),
}

struct Pair {
    name: &'static str,
    before: [Before; 2],
    must: Must,
    change: fn(Introduced) -> Introduced,
}

const fn pair(name: &'static str, before: [Before; 2], must: Must) -> Pair {
    Pair { name, before, must, change: |setting| setting }
}

const KEEPS: Before = Before::Preserving;
const RANDOM: Before = Before::Random;
const ADDRESS: Before = Before::ByAddress;

const PAIRS: [Pair; 12] = [
    pair("both keep ports", [KEEPS; 2], Must::Direct),
    pair("both random", [RANDOM; 2], Must::Relayed(Relayed::OwnPorts)),
    pair("random calls who keeps ports", [RANDOM, KEEPS], Must::Relayed(Relayed::OwnPorts)),
    pair("who keeps ports calls random", [KEEPS, RANDOM], Must::Relayed(Relayed::Unanswered)),
    pair("random calls who lets in addresses", [RANDOM, ADDRESS], Must::Direct),
    pair("who lets in addresses calls random", [ADDRESS, RANDOM], Must::Direct),
    pair("open calls random", [Before::Open, RANDOM], Must::Direct),
    pair("random calls open", [RANDOM, Before::Open], Must::Direct),
    Pair {
        change: |setting| Introduced { shared: true, hairpin: true, ..setting },
        ..pair("the same NAT, which turns packets round", [KEEPS; 2], Must::Direct)
    },
    Pair {
        change: |setting| Introduced { shared: true, own_addresses: true, ..setting },
        ..pair("the same NAT, and own addresses are known", [KEEPS; 2], Must::Direct)
    },
    Pair {
        change: |setting| Introduced { shared: true, ..setting },
        ..pair("the same NAT, and neither", [KEEPS; 2], Must::Relayed(Relayed::Unanswered))
    },
    Pair {
        change: |setting| Introduced { restart: Some((0, setting.waits + RESTARTS)), ..setting },
        ..pair("the caller's NAT is restarted", [KEEPS; 2], Must::Direct)
    },
];

/// When a NAT is restarted, of the talk.
const RESTARTS: Duration = Duration::from_secs(5);

/// How long the two of a pair talk: after a restart of a NAT until the direct way is asked for again.
fn talk(context: &Context<'_>, pair: &Pair) -> Duration {
    let longest = context.time("talk");
    match pair.must {
        Must::Direct if pair.name.contains("restarted") => longest + PathMonitorConfig::default().return_first * 2,
        _ => longest,
    }
}

fn measure(context: &Context<'_>, place: u64, pair: &Pair, run: u64) -> Result<(Introduced, Met), RunError> {
    let (delay, relay) = (context.time("delay"), context.time("relay"));
    let setting = Introduced {
        delays: [delay, delay, relay],
        loss: context.share("loss"),
        talks: talk(context, pair),
        ..Introduced::new(context.seed_of(place * PAIR_SEEDS + run), pair.before)
    };
    let setting = context.world((pair.change)(setting));
    let met = setting.run();
    match &met.failure {
        Some(why) => Err(RunError::broken(format_args!("{}, run {run}: {why}", pair.name))),
        None => Ok((setting, met)),
    }
}

/// What came of a pair's runs.
struct Row {
    runs: usize,
    direct: usize,
    /// Times from the introduction on, of those that went directly.
    after: Vec<Duration>,
    /// Those that say so, for the reason that is right.
    told: usize,
    /// The most round trips of the relayed path until the first byte.
    rounds: f64,
    silence: Duration,
    /// Words that did not come back.
    lost: u64,
}

impl Row {
    fn of(pair: &Pair, met: &[(Introduced, Met)]) -> Row {
        let right = |met: &Met| match pair.must {
            Must::Direct => met.relayed.is_none(),
            Must::Relayed(why) => met.relayed == Some(why),
        };
        let rounds = |(setting, met): &(Introduced, Met)| {
            met.first_after().map_or(f64::NAN, |after| after.as_secs_f64() / setting.relayed_round_trip().as_secs_f64())
        };
        let mut after: Vec<Duration> = met.iter().filter_map(|(_, met)| met.direct_after()).collect();
        after.sort_unstable();
        Row {
            runs: met.len(),
            direct: met.iter().filter(|(_, met)| met.is_direct).count(),
            after,
            told: met.iter().filter(|(_, met)| right(met)).count(),
            rounds: met.iter().map(rounds).fold(0.0, |most, it| if it.is_nan() { it } else { f64::max(most, it) }),
            silence: met.iter().map(|(_, met)| met.silence).max().unwrap_or_default(),
            lost: met.iter().map(|(_, met)| met.said - met.back).sum(),
        }
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.runs as f64
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let runs = context.count("runs");
    let mut table = Table::new(&["", "runs", "direct", "median", "longest", "first byte", "silence", "says why"])
        .titled("From the introduction to the direct way");
    let mut plot =
        Plot::new("Direct ways", Axis::new("time after the introduction", "s"), Axis::new("runs that are direct", "%"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for (place, pair) in (0..).zip(&PAIRS) {
        context.progress(pair.name);
        let met = (0..runs).map(|run| measure(context, place, pair, run)).collect::<Result<Vec<_>, _>>()?;
        let row = Row::of(pair, &met);
        let name = pair.name;
        let ms = |percent| percentile_ms(row.after.iter().copied(), percent);
        let shown = |ms: f64| if row.after.is_empty() { "–".to_owned() } else { format!("{ms:.0} ms") };
        table.row(vec![
            name.to_owned(),
            row.runs.to_string(),
            row.direct.to_string(),
            shown(ms(50)),
            shown(ms(100)),
            format!("{:.2} round trips", row.rounds),
            format!("{:.0} ms", row.silence.as_secs_f64() * 1e3),
            row.told.to_string(),
        ]);
        let points = row.after.iter().enumerate().map(|(at, time)| (time.as_secs_f64(), row.percent(at + 1)));
        plot.series.push(Series::steps(name, points.collect()));
        figures.push(json!({
            "pair": name, "runs": row.runs, "direct": row.direct, "told": row.told, "first_byte_rounds": row.rounds,
            "longest_silence_s": row.silence.as_secs_f64(),
            "direct_after_s": row.after.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
        }));
        checks.push(Check::new(format!("{name}: first byte, of relayed round trips"), row.rounds, "", ROUNDS));
        checks.push(Check::new(format!("{name}: words lost"), row.lost as f64, "", Goal::AtMost(0.0)));
        match pair.must {
            Must::Direct => {
                let soon = row.after.iter().filter(|after| **after <= SOON).count();
                checks.push(Check::new(format!("{name}: direct within 2 s"), row.percent(soon), "%", ALL));
                checks.push(Check::new(format!("{name}: direct at the end"), row.percent(row.direct), "%", ALL));
            }
            Must::Relayed(_) => {
                let relayed = row.percent(row.runs - row.direct);
                checks.push(Check::new(format!("{name}: relayed at the end"), relayed, "%", ALL));
                checks.push(Check::new(format!("{name}: says why"), row.percent(row.told), "%", ALL));
            }
        }
        if name.contains("restarted") {
            let silence_s = row.silence.as_secs_f64();
            checks.push(Check::new(format!("{name}: longest silence"), silence_s, "s", RESTARTED_S).ours());
        }
    }
    let guessed = guess::run(context.seed);
    let outcome = Outcome::new(json!({ "pairs": figures, "guesses": guessed.figures }));
    let outcome = outcome.table(table).table(guessed.table).plot(plot).plot(guessed.plot);
    Ok(checks.into_iter().chain([guessed.check]).fold(outcome, Outcome::check).note(
        "The rendezvous is a small one of the lab's own, which tells what the registry tells; a second host tells each \
         end where it sees it, so that an end knows of a NAT that gives another port to each. First byte: from when \
         the caller is introduced to when who is called has read it. Silence is the longest time in which \
         no word comes back. Where one NAT gives another port to each and the other lets in ports alone, nothing but \
         guessing helps: how many guesses that takes is counted against the simulated NAT (docs/decisions/0054).",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn ways_open_where_they_can_and_where_they_cannot_it_is_said() {
        let record = measured(&PUNCH, 1, &["runs=1"]);
        // Behind one NAT the direct way is there before what was sent by the relay has come: it is lost with that, and
        // said again after a timeout. The page tells it as a miss.
        let known = "the same NAT, which turns packets round: first byte, of relayed round trips";
        assert_eq!(unmet(&record.outcome), [known], "{record}");
    }

    #[test]
    fn a_way_that_opens_late_is_seen() {
        let record = measured(&PUNCH, 1, &["runs=1", "delay=700ms", "talk=40s"]);
        assert!(unmet(&record.outcome).contains(&"both keep ports: direct within 2 s"), "{record}");
    }
}
