//! Section 6.1, "Replay detection": how often a filter takes a continuation that was never spent for one that was.

use core::time::Duration;

use serde_json::json;
use tng_base::Instant;
use tng_crypto::{BLAKE3_TAG_LEN, Blake3Key, Secret32};
use tng_sim::fork;
use tng_trickles::replay::{Bits, Bloom, BloomSize, Issuer, Serials, TwoFilters};

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// The filters of the paper, and ours.
pub static REPLAY: Experiment = Experiment {
    name: "trickles/replay",
    title: "Filters that know what is spent",
    source: "Trickles 2.2 and 6.1 (replay detection)",
    claim: "two small Bloom filters that take turns refuse every replay, and one fresh continuation in 10,000; bits by \
            serial refuse every replay and no fresh one",
    about: "Continuations arrive as fast as a link of 1 Gbit/s makes them, one for each full packet: each is spent \
            once, and now and then presented again, up to the horizon later. In each of the paper's four sizes two \
            Bloom filters take turns; beside them the two filters of a server here, the Bloom filters that grow with \
            what comes, and the exact one. In the smallest of the paper one continuation is spent for two packets, so \
            that half as many come.",
    params: &[
        Param::rate("rate", "1gbit", "of the link"),
        Param::span("horizon", "1s", "how long what was spent is remembered at least"),
        Param::count("horizons", "6", (2, 1_000), "how many pass"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Bytes of a full packet, as the paper counts them here.
const PACKET_BYTES: u64 = 1_500;
/// Each so manieth continuation is presented again.
const REPLAYED_EACH: u64 = 10;
/// False refusals of the Bloom filters that grow, at most, as a share.
const GROWING_SHARE: f64 = 0.000_2;
/// Serials of the exact filter: those of a server by default, which take 1 MiB.
const EXACT_SERIALS: u64 = (1 << 23) - 64;

/// One of the paper's sizes.
struct PaperSize {
    name: &'static str,
    entries: u64,
    hashes: u32,
    /// Packets for which one continuation is spent.
    packets: u64,
    /// Fresh ones that are refused at most, as a share: what two filters as full as they get make together.
    share_max: f64,
    paper: &'static str,
}

const PAPER: [PaperSize; 4] = [
    PaperSize {
        name: "512 kB",
        entries: 1 << 21,
        hashes: 6,
        packets: 1,
        share_max: 0.000_18,
        paper: "0.0091 % in theory, 0.00696 % at most as measured",
    },
    PaperSize {
        name: "387 kB",
        entries: 1_583_327,
        hashes: 12,
        packets: 1,
        share_max: 0.000_18,
        paper: "\"a similar false positive rate\"",
    },
    PaperSize {
        name: "323 kB",
        entries: 1_333_328,
        hashes: 7,
        packets: 1,
        share_max: 0.001_4,
        paper: "what costs 5 % of throughput at 0.7 % of loss",
    },
    PaperSize {
        name: "256 kB",
        entries: 1 << 20,
        hashes: 6,
        packets: 2,
        share_max: 0.000_18,
        paper: "\"our original performance targets\"",
    },
];

/// Two Bloom filters of one size that take turns, as in the paper's figure 4.
struct Turns {
    now: Bloom,
    before: Bloom,
    ends: Instant,
    horizon: Duration,
    size: BloomSize,
}

impl Turns {
    fn new(size: BloomSize, horizon: Duration) -> Turns {
        Turns { now: Bloom::new(size), before: Bloom::new(size), ends: Instant::ZERO + horizon, horizon, size }
    }
}

/// What knows what is spent.
enum Filter {
    Turns(Turns),
    Growing(TwoFilters),
    Exact(Serials),
}

impl Filter {
    /// Spends the continuation of that number, whose MAC is that. Answers whether it may be.
    fn spend(&mut self, now: Instant, number: u64, mac: &[u8; BLAKE3_TAG_LEN]) -> bool {
        match self {
            Filter::Turns(turns) => {
                if now >= turns.ends {
                    turns.before = core::mem::replace(&mut turns.now, Bloom::new(turns.size));
                    turns.ends += turns.horizon;
                }
                let bits = Bits::of_mac(mac);
                let is_fresh = !turns.now.contains(bits) && !turns.before.contains(bits);
                if is_fresh {
                    turns.now.insert(bits);
                }
                is_fresh
            }
            Filter::Growing(filters) => filters.burn(now, Bits::of_mac(mac)).is_ok(),
            Filter::Exact(serials) => serials.burn(now, OWN, number).is_ok(),
        }
    }

    fn held_bytes(&self) -> usize {
        match self {
            Filter::Turns(turns) => turns.now.held_bytes() + turns.before.held_bytes(),
            Filter::Growing(filters) => filters.held(),
            Filter::Exact(serials) => serials.held(),
        }
    }
}

/// Who gave out what the exact filter knows.
const OWN: Issuer = Issuer(1);

/// What came of a filter.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Tally {
    /// Fresh continuations, and those of them that were refused.
    fresh: u64,
    refused: u64,
    /// Continuations that were presented again, and those of them that were taken.
    again: u64,
    taken: u64,
    held_bytes: usize,
}

impl Tally {
    fn refused_share(&self) -> f64 {
        self.refused as f64 / self.fresh as f64
    }
}

/// Presents so many continuations a second to a filter, for `horizons` times its horizon.
fn present(seed: u64, mut filter: Filter, per_s: u64, horizon: Duration, horizons: u64) -> Tally {
    let mut lots = fork(seed, LOT_OF_KEYS);
    let key = Blake3Key::from_bytes(Secret32::from_bytes(lots.bytes()));
    let mac = |number: u64| key.tag(&[&number.to_be_bytes()]);
    let per_horizon = ((per_s as f64 * horizon.as_secs_f64()) as u64).max(1);
    let mut tally = Tally { fresh: 0, refused: 0, again: 0, taken: 0, held_bytes: 0 };
    let mut spent = Vec::with_capacity((per_horizon * horizons) as usize);
    for number in 0..per_horizon * horizons {
        if let Filter::Exact(serials) = &mut filter {
            serials.issue();
        }
        let now = Instant::ZERO + Duration::from_nanos((number as f64 * 1e9 / per_s as f64) as u64);
        let is_taken = filter.spend(now, number, &mac(number));
        tally.fresh += 1;
        tally.refused += u64::from(!is_taken);
        spent.push(is_taken);
        if number % REPLAYED_EACH == 0 {
            // One that came within the horizon, itself perhaps. One that was refused by mistake was not spent.
            let earlier = number - lots.below(per_horizon.min(number + 1));
            if spent[earlier as usize] {
                tally.again += 1;
                tally.taken += u64::from(filter.spend(now, earlier, &mac(earlier)));
            }
        }
        tally.held_bytes = tally.held_bytes.max(filter.held_bytes());
    }
    tally
}

/// What the seed is used for.
const LOT_OF_KEYS: u64 = 1 << 36;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (horizon, horizons) = (context.time("horizon"), context.count("horizons"));
    let per_s = context.rate("rate") / 8 / PACKET_BYTES;
    if per_s == 0 {
        return Err(RunError::Params("nothing comes at that rate; write rate=1mbit or more".to_owned()));
    }
    let mut table = Table::new(&["filter", "held", "a second", "fresh", "refused", "share", "again", "taken"]);
    let (mut names, mut bars, mut results, mut checks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut told = |name: &str, tally: Tally, per_s: u64, goal: Goal, paper: Option<&str>| {
        let share = 1e4 * tally.refused_share();
        table.row(vec![
            name.to_owned(),
            format!("{:.0} kB", tally.held_bytes as f64 / 1_024.0),
            per_s.to_string(),
            tally.fresh.to_string(),
            tally.refused.to_string(),
            format!("{share:.2} in 10,000"),
            tally.again.to_string(),
            tally.taken.to_string(),
        ]);
        bars.push((names.len() as f64, share));
        names.push(name.to_owned());
        results.push(json!({
            "filter": name, "held_bytes": tally.held_bytes, "per_s": per_s, "fresh": tally.fresh,
            "refused": tally.refused, "again": tally.again, "taken": tally.taken,
        }));
        let refused = Check::new(format!("{name}: fresh ones refused, of 10,000"), share, "", goal);
        checks.push(Check { paper: paper.map(str::to_owned), ..refused });
        checks.push(Check::new(format!("{name}: replays taken"), tally.taken as f64, "", Goal::AtMost(0.0)));
    };
    for PaperSize { name, entries, hashes, packets, share_max, paper } in PAPER {
        context.progress(name);
        let size = BloomSize::new(entries, hashes).map_err(RunError::broken)?;
        let per_s = per_s.div_ceil(packets);
        let tally = present(context.seed, Filter::Turns(Turns::new(size, horizon)), per_s, horizon, horizons);
        told(&format!("the paper's, {name}"), tally, per_s, Goal::AtMost(1e4 * share_max), Some(paper));
    }
    context.progress("filters that grow");
    let growing = TwoFilters::new(Instant::ZERO, horizon, BloomSize::PAPER, GROWING_SHARE);
    let tally = present(context.seed, Filter::Growing(growing), per_s, horizon, horizons);
    told("Bloom filters that grow", tally, per_s, Goal::AtMost(1e4 * 2.0 * GROWING_SHARE), None);
    context.progress("bits by serial");
    let exact = Serials::new(OWN, Instant::ZERO, EXACT_SERIALS, horizon);
    let tally = present(context.seed, Filter::Exact(exact), per_s, horizon, horizons);
    told("bits by serial", tally, per_s, Goal::AtMost(0.0), None);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Fresh continuations refused", Axis::names(&names), Axis::new("of 10,000", ""))
        .series(Series::bars("refused", bars));
    let outcome = Outcome::new(json!({ "filters": results })).table(table).plot(plot).note(
        "The paper's figures are those of one filter as full as it gets. A continuation is looked for in two, the one \
         full and the other half full on average, so that half as many again are refused.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn every_filter_is_as_good_as_it_should_be() {
        let record = measured(&REPLAY, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn the_paper_s_filters_at_four_times_the_rate_refuse_too_many() {
        let record = measured(&REPLAY, 1, &["rate=4gbit", "horizons=2"]);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().filter(|name| name.starts_with("the paper's")).count() == 4, "{record}");
        assert!(unmet.iter().all(|name| !name.contains("taken") && !name.starts_with("bits by serial")), "{record}");
    }

    #[test]
    fn filters_that_remember_for_less_than_the_horizon_take_replays() {
        let (horizon, size) = (Duration::from_millis(100), BloomSize::PAPER);
        let short = Filter::Turns(Turns::new(size, horizon / 4));
        assert!(present(1, short, 10_000, horizon, 10).taken > 0);
        let right = Filter::Turns(Turns::new(size, horizon));
        assert_eq!(present(1, right, 10_000, horizon, 10).taken, 0);
    }
}
