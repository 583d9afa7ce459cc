//! Quantities as people write them, with the words of netem and tc where these are not ambiguous.
//!
//! Every function answers, if the text is none, a sentence that says what to write.

use core::time::Duration;

/// Decimal and binary multiples of a byte.
const SIZES: &[(&str, f64)] = &[
    ("b", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];

const RATES: &[(&str, f64)] = &[("bit", 1.0), ("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9)];

/// In nanoseconds.
const TIMES: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9), ("d", 86_400e9)];

/// The largest quantity that is read: what a `f64` counts exactly.
const QUANTITY_MAX: f64 = 9_007_199_254_740_992.0;

/// A number, and the unit that stands behind it, in lower case.
fn split(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '_')).unwrap_or(text.len());
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    Some((number, text[end..].trim().to_lowercase()))
}

fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = split(text)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    Some((number * factor).round()).filter(|product| *product <= QUANTITY_MAX)
}

/// Bits per second: `100mbit`, `1.5 gbit`, `64kbit/s`.
///
/// # Errors
/// If it is not one.
pub fn rate(text: &str) -> Result<u64, String> {
    let bare = text.trim().strip_suffix("/s").unwrap_or(text);
    if bare.to_lowercase().ends_with("bps") {
        return Err(format!("{text:?} is bytes per second to tc and bits to everybody else; write it as mbit"));
    }
    match quantity(bare, RATES) {
        Some(bps) if bps >= 1.0 => Ok(bps as u64),
        _ => Err(format!("{text:?} is not a rate; write a number and bit, kbit, mbit or gbit, like \"100mbit\"")),
    }
}

/// A moment by RFC 3339, in UTC, from seconds since 1970: `1994-11-06T08:49:37Z`. What is behind the year 9999 is its
/// last second.
pub fn moment(seconds_since_1970: u64) -> String {
    /// 31 December 9999, 23:59:59.
    const LAST: u64 = 253_402_300_799;
    let seconds = seconds_since_1970.min(LAST);
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March: a leap day is the last of its year.
    let from_march = days + 719_468;
    let (era, of_era) = (from_march / 146_097, from_march % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A time: `25ms`, `1.5s`, `100us`, `2min`.
///
/// # Errors
/// If it is not one.
pub fn time(text: &str) -> Result<Duration, String> {
    match quantity(text, TIMES) {
        Some(ns) => Ok(Duration::from_nanos(ns as u64)),
        None => Err(format!("{text:?} is not a time; write a number and ns, us, ms, s, min, h or d, like \"25ms\"")),
    }
}

/// Bytes: `100MB` (decimal), `64KiB` (binary), `1500B`.
///
/// # Errors
/// If it is not so many.
pub fn size(text: &str) -> Result<u64, String> {
    match quantity(text, SIZES) {
        Some(bytes) => Ok(bytes as u64),
        None => {
            Err(format!("{text:?} is not a size; write a number and B, kB, MB, GB, KiB, MiB or GiB, like \"64KiB\""))
        }
    }
}

/// A share between 0 and 1: `0.1%`.
///
/// # Errors
/// If it is not one.
pub fn share(text: &str) -> Result<f64, String> {
    match split(text) {
        Some((percent, unit)) if unit == "%" && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err(format!("{text:?} is not a share; write percent from 0% to 100%, like \"0.1%\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_people_write_them() {
        assert_eq!(rate("100mbit"), Ok(100_000_000));
        assert_eq!(rate("1.5 Gbit/s"), Ok(1_500_000_000));
        assert_eq!(rate("64_000bit"), Ok(64_000));
        assert_eq!(time("25ms"), Ok(Duration::from_millis(25)));
        assert_eq!(time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("0s"), Ok(Duration::ZERO));
        assert_eq!(size("100MB"), Ok(100_000_000));
        assert_eq!(size("64 KiB"), Ok(65_536));
        assert_eq!(share("0.1%"), Ok(0.001));
        assert_eq!(share("100 %"), Ok(1.0));
    }

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (784_111_777, "1994-11-06T08:49:37Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(moment(seconds), expected);
        }
    }

    #[test]
    fn what_is_none_gets_a_sentence_that_says_what_to_write() {
        for text in ["", "mbit", "100", "100mbits", "-1mbit", "0bit", "1e3mbit", "9999999999gbit", "1..2mbit"] {
            assert!(rate(text).unwrap_err().contains("like \"100mbit\""), "{text}");
        }
        assert!(rate("10Mbps").unwrap_err().contains("write it as mbit"));
        for text in ["25", "ms", "25 m", "-5ms", "1h30min"] {
            assert!(time(text).unwrap_err().contains("like \"25ms\""), "{text}");
        }
        for text in ["1500", "10mbit", "KiB"] {
            assert!(size(text).unwrap_err().contains("like \"64KiB\""), "{text}");
        }
        for text in ["0.1", "101%", "%", "-1%"] {
            assert!(share(text).unwrap_err().contains("like \"0.1%\""), "{text}");
        }
    }
}
