//! A move to another network in the middle of a download.

use std::time::Duration;

use serde_json::json;
use tng_experiments::page::{Axis, Plot};
use tng_experiments::scenario::EventKind;

use super::lab::{self, broken};
use super::{Chart, Part};
use crate::failure::Failure;
use crate::talk::bytes;

const SCENARIO: &str = include_str!("../../../../scenarios/move.toml");

/// How finely the gap is measured; several packets arrive in each step.
const STEP: Duration = Duration::from_millis(5);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 20;

/// Round trips of the new network that the gap may have: one for the new address to be proven and the first data behind it, one
/// more for what was lost with the old address.
const GAP_BAR: f64 = 3.0;

/// Runs `scenarios/move.toml` and measures how long nothing arrived.
///
/// # Errors
/// If the download did not arrive, every byte as it was sent.
pub fn movement(seed: u64) -> Result<Part, Failure> {
    measure(SCENARIO, seed)
}

fn measure(text: &str, seed: u64) -> Result<Part, Failure> {
    let (scenario, report) = lab::run(text, seed, STEP)?;
    let moved = scenario.events.iter().find(|event| matches!(event.kind, EventKind::Address { .. }));
    let moved_s = moved.ok_or_else(|| broken(&"no host moves"))?.at.as_secs_f64();
    let new_delay = scenario.events.iter().find_map(|event| match &event.kind {
        EventKind::Link { patch, .. } => patch.delay,
        _ => None,
    });
    let rtt_s = 2.0 * new_delay.ok_or_else(|| broken(&"the new network is the old one"))?.as_secs_f64();
    let stream = lab::stream(&report, "download")?;
    let curve = lab::curve(&report, stream);
    let total = stream.bytes;
    let completion_s = lab::end_s(stream)?;
    let (from_s, to_s) = curve.gap(moved_s).unwrap_or((moved_s, moved_s));
    let gap_s = to_s - from_s;
    let rounds = gap_s / rtt_s;

    let picture = curve.coarser(COARSER);
    let mut chart = Chart::new(picture.bytes.len() as f64 * picture.step_s, lab::mbits(&scenario)?);
    chart.curve("Mbit/s", picture.step_s, &picture.mbits());
    let plot = Plot::new("What arrives at a host that moves", Axis::new("time", "s"), Axis::new("download", "Mbit/s"));
    Ok(Part {
        name: "move",
        title: "A move to another network in mid-transfer",
        setting: format!(
            "{} from a server; after {moved_s} s the laptop loses its address and gets another: 20 Mbit/s and 20 ms of round trip before, 10 Mbit/s and 60 ms after",
            bytes(total)
        ),
        claim: "streams go on over a channel between the new addresses, and the application sees no interruption (SST 4.3, 4.4)",
        measured: format!(
            "one stream, {total} bytes, every one as sent; nothing arrived for {:.0} ms, {rounds:.1} round trips of the new network",
            gap_s * 1e3
        ),
        holds: rounds <= GAP_BAR,
        bar: format!("every byte as sent, and at most {GAP_BAR} round trips without any"),
        table: None,
        chart: Some(chart),
        plot: plot.series(picture.series()).mark(moved_s, "another address"),
        figures: json!({
            "bytes": total, "completion_s": completion_s, "moved_s": moved_s, "gap_s": gap_s, "gap_round_trips": rounds,
            "step_s": STEP.as_secs_f64(),
        }),
        seed,
        digest: report.digest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_goes_on_after_a_move_and_does_so_again() {
        for seed in 1..4 {
            let part = movement(seed).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
            assert!(part.holds, "seed {seed}: {part:?}");
            assert_eq!(part.figures["bytes"], 8_000_000, "seed {seed}");
            assert!(
                part.figures["gap_s"].as_f64().is_some_and(|gap_s| gap_s >= 0.06),
                "seed {seed}: faster than light"
            );
            assert_eq!(part, movement(seed).expect("as before"), "seed {seed}");
        }
    }

    #[test]
    fn with_nothing_behind_the_new_address_for_a_while_it_does_not_hold() {
        let outage = "\n[[event]]\nat = '2s'\nkind = 'outage'\nlink = 'laptop-server'\nlasts = '500ms'\n";
        let part = measure(&format!("{SCENARIO}{outage}"), 1).expect("it arrives all the same");
        assert!(!part.holds, "{part:?}");
        assert_eq!(part.figures["bytes"], 8_000_000);
    }
}
