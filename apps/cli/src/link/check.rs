//! Links that are measured.

use std::time::Duration;

use serde_json::json;
use tng_emulator::check::{self, Check, CheckError, ERROR_MAX};

use super::{permitted, refused};
use crate::clock;
use crate::commands::link::CheckArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::machine;
use crate::output::{make_folder, try_folder};
use crate::talk::Talk;

/// Rates that are measured, in bits per second.
const RATES: [u64; 4] = [1_500_000, 20_000_000, 100_000_000, 1_000_000_000];
/// For how long each.
const RATE_TIME: Duration = Duration::from_secs(3);
/// Delays that are measured.
const DELAYS_MS: [u64; 4] = [1, 5, 20, 100];
/// Losses that are measured, each with so many packets that chance alone is not far off.
const LOSSES: [(f64, u64); 2] = [(0.01, 1_000_000), (0.05, 400_000)];
/// Jitter that is measured.
const JITTER: Duration = Duration::from_millis(5);
/// Share of packets reordered that is measured, and with how many packets: 3 standard errors are 2 %.
const REORDERING: (f64, u64) = (0.25, 70_000);
/// The same of those that are doubled.
const DUPLICATION: (f64, u64) = (0.2, 100_000);
/// What a link without a rate should carry at least, in bits per second.
const CAPACITY_BPS: u64 = 1_000_000_000;

/// The page that `--results` writes.
const RESULTS_FILE: &str = "emulator.md";

/// Measures links of the emulator, each in a network of its own.
///
/// # Errors
/// No root, the machine does not let it measure, or a figure is off by more than 2 %.
pub fn check(args: &CheckArgs, talk: Talk) -> Result<(), Failure> {
    let what = "measuring links";
    permitted(what)?;
    if let Some(folder) = &args.results {
        try_folder(folder, RESULTS_FILE)?;
    }
    let (seed, began) = (args.seed, clock::now());
    talk.say(format_args!("seed {seed}; best on a machine that does nothing else"));
    talk.payload(format_args!("{}", row("figure", "asked", "measured", "error", "packets", "")));
    let mut measures: Vec<Box<dyn Fn() -> Result<Check, CheckError>>> = Vec::new();
    measures.extend(RATES.map(|bps| boxed(move || check::rate(seed, bps, RATE_TIME))));
    measures.push(boxed(move || check::capacity(seed, CAPACITY_BPS, 500_000)));
    measures.extend(DELAYS_MS.map(|ms| boxed(move || check::delay(seed, Duration::from_millis(ms)))));
    measures.extend(DELAYS_MS.map(|ms| boxed(move || check::delay_loaded(seed, Duration::from_millis(ms)))));
    measures.push(boxed(move || check::jitter(seed, JITTER)));
    measures.extend(LOSSES.map(|(share, count)| boxed(move || check::loss(seed, share, count))));
    measures.push(boxed(move || check::reordering(seed, REORDERING.0, REORDERING.1)));
    measures.push(boxed(move || check::duplication(seed, DUPLICATION.0, DUPLICATION.1)));
    let mut checks = Vec::new();
    for measure in measures {
        let check = measure().map_err(|error| match error {
            CheckError::Network(error) => refused(what, &error),
            error => Failure::new(Exit::Read, what, error),
        })?;
        let [asked, measured] = [check.asked, check.measured].map(|value| format!("{value:.3} {}", check.unit));
        let note = if check.holds() { "" } else { "  too far off" };
        talk.payload(row(&check.what, &asked, &measured, &error(&check), &check.packets.to_string(), note));
        talk.event("check", &json!({ "check": check, "error": check.error(), "holds": check.holds() }));
        checks.push(check);
    }
    if let Some(folder) = &args.results {
        let path = folder.join(RESULTS_FILE);
        make_folder(folder)?;
        let write = |error: std::io::Error| Failure::write(format!("writing {}", path.display()), &error);
        std::fs::write(&path, page(&checks, seed, &machine::made(began.elapsed()))).map_err(write)?;
        talk.say(format_args!("the page is {}", path.display()));
    }
    match checks.iter().filter(|check| !check.holds()).count() {
        0 => Ok(()),
        off => {
            Err(Failure::new(Exit::Unmet, what, format!("{off} figures are off by more than {} %", ERROR_MAX * 100.0))
                .or_try("the same again when the machine does nothing else"))
        }
    }
}

fn boxed(measure: impl Fn() -> Result<Check, CheckError> + 'static) -> Box<dyn Fn() -> Result<Check, CheckError>> {
    Box::new(measure)
}

fn row(what: &str, asked: &str, measured: &str, error: &str, packets: &str, note: &str) -> String {
    format!("{what:18} {asked:>16} {measured:>16} {error:>9} {packets:>9}{note}")
}

/// By how much a figure is off, for people; where more is as good, nothing.
fn error(check: &Check) -> String {
    check.error().map_or_else(|| "at least".to_owned(), |error| format!("{:+.2} %", error * 100.0))
}

/// The figures as a page in Markdown.
fn page(checks: &[Check], seed: u64, made: &str) -> String {
    let mut text = format!(
        "# Links in real time, measured\n\nWritten by `tng link check --results docs/results`: packets over links of \
         the emulator, each in a network of its own. A figure holds if it is off by no more than {} %. A delay is a \
         median, from when the kernel has a packet for the device at one end until it has it of the device at the \
         other; half loaded, it is that of the very packets that take half of a link of 20 Mbit/s, whose sending \
         counts. Of jitter, shares of reordered, doubled and lost packets so many were sent that chance alone is not \
         farther off than that.\n\n- seed: {seed}\n- made: {made}\n\n| figure | asked | measured | error | packets | \
         holds |\n|---|---|---|---|---|---|\n",
        ERROR_MAX * 100.0
    );
    for check in checks {
        let Check { what, asked, measured, unit, packets, .. } = check;
        let holds = if check.holds() { "yes" } else { "**no**" };
        text +=
            &format!("| {what} | {asked} {unit} | {measured:.3} {unit} | {} | {packets} | {holds} |\n", error(check));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(asked: f64, measured: f64, at_least: bool) -> Check {
        Check { what: "figure".to_owned(), asked, measured, unit: "ms", packets: 7, at_least }
    }

    #[test]
    fn more_than_was_asked_is_no_error_where_it_is_as_good() {
        let page = page(&[figure(5.0, 5.2, false), figure(5.0, 5.05, false), figure(5.0, 13.0, true)], 3, "a machine");
        for row in [
            "| figure | 5 ms | 5.200 ms | +4.00 % | 7 | **no** |",
            "| figure | 5 ms | 5.050 ms | +1.00 % | 7 | yes |",
            "| figure | 5 ms | 13.000 ms | at least | 7 | yes |",
        ] {
            assert!(page.contains(row), "{row} in\n{page}");
        }
        assert!(!figure(5.0, 4.9, true).holds());
    }
}
