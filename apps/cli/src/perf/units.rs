//! Sizes and rates as iperf3 reads and prints them.

use std::str::FromStr;

/// Reads a number of bytes, or of anything that is counted: K, M, G and T stand for powers of 1024.
///
/// # Errors
/// What is wrong with it, in words.
pub fn size(text: &str) -> Result<u64, String> {
    scaled(text, 1024.0).ok_or_else(|| "write a number, with K, M, G or T behind it if you like: 128K".to_owned())
}

/// A rate, and how many blocks may follow each other at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Bits per second; 0 for as fast as it goes.
    pub bits: u64,
    /// Blocks; 0 for one.
    pub burst: u64,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        let (rate, burst) = text.split_once('/').map_or((text, None), |(rate, burst)| (rate, Some(burst)));
        let bad = || "write bits per second, with K, M, G or T behind it if you like, and /BLOCKS for bursts: 10M/32";
        let bits = scaled(rate, 1000.0).ok_or_else(bad)?;
        let burst = burst.map_or(Some(0), |burst| burst.parse().ok().filter(|burst| *burst <= 1000)).ok_or_else(bad)?;
        Ok(Rate { bits, burst })
    }
}

fn scaled(text: &str, base: f64) -> Option<u64> {
    let (number, power) = match text.chars().next_back()?.to_ascii_uppercase() {
        'K' => (&text[..text.len() - 1], 1),
        'M' => (&text[..text.len() - 1], 2),
        'G' => (&text[..text.len() - 1], 3),
        'T' => (&text[..text.len() - 1], 4),
        _ => (text, 0),
    };
    // What Rust reads as a number besides digits is no size: inf, nan, 1e9.
    let plain = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let value = number.parse::<f64>().ok().filter(|_| plain)? * base.powi(power);
    (value < 4e18).then_some(value as u64)
}

/// The unit that rates are printed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Bits per second, scaled as fits.
    Adaptive,
    /// Bits per second in powers of 1000: kilo is 1, tera 4.
    Bits(i32),
    /// Bytes per second in powers of 1024.
    Bytes(i32),
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text {
            "k" => Ok(Format::Bits(1)),
            "m" => Ok(Format::Bits(2)),
            "g" => Ok(Format::Bits(3)),
            "t" => Ok(Format::Bits(4)),
            "K" => Ok(Format::Bytes(1)),
            "M" => Ok(Format::Bytes(2)),
            "G" => Ok(Format::Bytes(3)),
            "T" => Ok(Format::Bytes(4)),
            _ => Err("write one of k, m, g, t for bits or K, M, G, T for bytes".to_owned()),
        }
    }
}

const PREFIXES: [&str; 5] = ["", "K", "M", "G", "T"];

/// Three digits and a prefix.
fn digits(value: f64, base: f64, power: Option<i32>) -> String {
    let fits = |power: &i32| value / base.powi(*power) < 999.5;
    let power = power.unwrap_or_else(|| (0..4).find(fits).unwrap_or(4));
    let value = value / base.powi(power);
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", PREFIXES[usize::try_from(power).unwrap_or(0).min(4)])
}

/// An amount of bytes, such as `1.10 GBytes`.
pub fn amount(bytes: u64) -> String {
    format!("{}Bytes", digits(bytes as f64, 1024.0, None))
}

impl Format {
    /// A rate in bits per second, such as `9.42 Gbits/sec`.
    pub fn rate(self, bits_per_second: f64) -> String {
        match self {
            Format::Adaptive => format!("{}bits/sec", digits(bits_per_second, 1000.0, None)),
            Format::Bits(power) => format!("{}bits/sec", digits(bits_per_second, 1000.0, Some(power))),
            Format::Bytes(power) => format!("{}Bytes/sec", digits(bits_per_second / 8.0, 1024.0, Some(power))),
        }
    }
}

/// A moment in the manner of RFC 9110 (`Sun, 06 Nov 1994 08:49:37 GMT`), from seconds since 1970.
pub fn date(seconds: i64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"];
    let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years from March on, so that the leap day is the last, in eras of 400 (Hinnant, "chrono-compatible low-level
    // date algorithms").
    let since_march_of_0 = days + 719_468;
    let (era, day_of_era) = (since_march_of_0.div_euclid(146_097), since_march_of_0.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400 + i64::from(month >= 10);
    let name = |names: &[&'static str], at: i64| usize::try_from(at).ok().and_then(|at| names.get(at).copied());
    let weekday = name(&WEEKDAYS, days.rem_euclid(7)).unwrap_or_default();
    let month = name(&MONTHS, month).unwrap_or_default();
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_by_1024_and_rates_by_1000() {
        assert_eq!((size("128K"), size("1.5m"), size("7")), (Ok(131_072), Ok(1_572_864), Ok(7)));
        assert_eq!("10M".parse(), Ok(Rate { bits: 10_000_000, burst: 0 }));
        assert_eq!("1g/32".parse(), Ok(Rate { bits: 1_000_000_000, burst: 32 }));
        for text in ["", "K", "-1", "1KK", "inf", "nan", "1e9", "99999999T", "1é"] {
            assert!(size(text).is_err() && text.parse::<Rate>().is_err(), "{text}");
        }
        assert!("1M/".parse::<Rate>().is_err() && "1M/1001".parse::<Rate>().is_err());
    }

    #[test]
    fn three_digits_are_printed_whatever_the_scale() {
        assert_eq!((amount(0), amount(1023)), ("0.00 Bytes".into(), "1.00 KBytes".into()));
        assert_eq!((amount(11_811_160_064), amount(52_428_800)), ("11.0 GBytes".into(), "50.0 MBytes".into()));
        assert_eq!(Format::Adaptive.rate(9.42e9), "9.42 Gbits/sec");
        assert_eq!(Format::Adaptive.rate(999.9), "1.00 Kbits/sec");
        let format = |letter: &str| letter.parse::<Format>().expect(letter);
        assert_eq!(format("k").rate(1.05e6), "1050 Kbits/sec");
        assert_eq!(format("M").rate(8.0 * 1_048_576.0), "1.00 MBytes/sec");
        assert!("x".parse::<Format>().is_err());
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(date(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(date(1_735_689_599), "Tue, 31 Dec 2024 23:59:59 GMT");
        assert_eq!(date(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
        assert_eq!(date(-300_000_000), "Wed, 29 Jun 1960 18:40:00 GMT");
        assert_eq!(date(-2_208_988_800), "Mon, 01 Jan 1900 00:00:00 GMT");
        assert!(date(i64::MAX).ends_with("GMT") && date(i64::MIN).ends_with("GMT"), "whatever a peer says");
    }
}
