//! Links that are measured.

use std::time::Duration;

use serde_json::json;
use tng_emulator::check::{self, Check, CheckError, ERROR_MAX};

use super::{permitted, refused};
use crate::commands::link::CheckArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;

/// Rates that are measured, in bits per second.
const RATES: [u64; 4] = [1_500_000, 20_000_000, 100_000_000, 1_000_000_000];
/// For how long each.
const RATE_TIME: Duration = Duration::from_secs(3);
/// Delays that are measured.
const DELAYS_MS: [u64; 3] = [5, 20, 100];
/// Losses that are measured, each with so many packets that chance alone is not far off.
const LOSSES: [(f64, u64); 2] = [(0.01, 1_000_000), (0.05, 400_000)];
/// What a link without a rate should carry at least, in bits per second.
const CAPACITY_BPS: u64 = 1_000_000_000;

/// Measures links of the emulator, each in a network of its own.
///
/// # Errors
/// No root, the machine does not let it measure, or a figure is off by more than 2 %.
pub fn check(args: &CheckArgs, talk: Talk) -> Result<(), Failure> {
    let what = "measuring links";
    permitted(what)?;
    talk.say(format_args!("seed {}; best on a machine that does nothing else", args.seed));
    talk.payload(format_args!(
        "{:10} {:>12} {:>12}          {:>8} {:>10}",
        "figure", "asked", "measured", "error", "packets"
    ));
    let mut checks = Vec::new();
    let rates = RATES.iter().map(|bps| check::rate(args.seed, *bps, RATE_TIME));
    let capacity = [()].iter().map(|()| check::capacity(args.seed, CAPACITY_BPS, 500_000));
    let delays = DELAYS_MS.iter().map(|ms| check::delay(args.seed, Duration::from_millis(*ms)));
    let losses = LOSSES.iter().map(|(share, count)| check::loss(args.seed, *share, *count));
    for check in rates.chain(capacity).chain(delays).chain(losses) {
        let check: Check = check.map_err(|error| match error {
            CheckError::Network(error) => refused(what, &error),
            error => Failure::new(Exit::Read, what, error),
        })?;
        let (error, holds) = (check.error() * 100.0, if check.holds() { "" } else { "  too far off" });
        talk.payload(format_args!(
            "{:10} {:>12.3} {:>12.3} {:<8} {error:>+7.2}% {:>10}{holds}",
            check.what, check.asked, check.measured, check.unit, check.packets
        ));
        talk.event("check", &json!({ "check": check, "error": check.error(), "holds": check.holds() }));
        checks.push(check);
    }
    match checks.iter().filter(|check| !check.holds()).count() {
        0 => Ok(()),
        off => {
            Err(Failure::new(Exit::Unmet, what, format!("{off} figures are off by more than {} %", ERROR_MAX * 100.0))
                .or_try("the same again when the machine does nothing else"))
        }
    }
}
