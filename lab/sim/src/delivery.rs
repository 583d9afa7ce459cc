//! Links whose rate was written down: when each may deliver a packet.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tng_base::Instant;

/// Bytes that may be delivered at each opportunity: Mahimahi's packet, without the four bytes that its TUN device puts
/// before the IP header.
pub const OPPORTUNITY_BYTES: usize = 1_500;
/// Most opportunities of a trace: 4 minutes of 100 Mbit/s.
pub const OPPORTUNITIES_MAX: usize = 2_000_000;
/// The last opportunity of a trace is so late at most.
pub const TRACE_TIME_MAX: Duration = Duration::from_secs(86_400);

/// When a link may deliver, in the format of Mahimahi (R. Netravali and others: Mahimahi: Accurate Record-and-Replay
/// for HTTP, USENIX ATC 2015): every line is a time in milliseconds, at which 1,500 bytes may be delivered. Lines of
/// equal times are several such opportunities. Behind the last the trace begins again; its length is the time of the
/// last.
#[derive(Clone, PartialEq, Eq)]
pub struct DeliveryTrace(Arc<[u32]>);

/// Why a text is no trace, or a list of times. Lines are counted from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryTraceError {
    /// This line is no number.
    Line(usize),
    /// The time in this line is before the one above it.
    Backwards(usize),
    /// The time in this line is beyond [`TRACE_TIME_MAX`].
    Late(usize),
    /// More than [`OPPORTUNITIES_MAX`].
    TooMany,
    /// There is no line.
    Empty,
    /// The last opportunity is at zero: the trace takes no time.
    NoTime,
}

impl fmt::Display for DeliveryTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeliveryTraceError::Line(line) => {
                write!(f, "line {line} is no time; write a whole number of milliseconds and nothing else, like 12")
            }
            DeliveryTraceError::Backwards(line) => {
                write!(f, "the time in line {line} is before the one above it; write the times in ascending order")
            }
            DeliveryTraceError::Late(line) => {
                let most = TRACE_TIME_MAX.as_millis();
                write!(f, "the time in line {line} is above {most}, a day; end the trace before it: it repeats")
            }
            DeliveryTraceError::TooMany => {
                write!(f, "there are more than {OPPORTUNITIES_MAX} lines; end the trace there: it repeats")
            }
            DeliveryTraceError::Empty => {
                f.write_str("there is no time; write a line for each 1,500 bytes, like 12 for those at 12 ms")
            }
            DeliveryTraceError::NoTime => {
                f.write_str("all lines are 0, and so the trace takes no time; end it with a later one, like 1000")
            }
        }
    }
}

impl core::error::Error for DeliveryTraceError {}

impl DeliveryTrace {
    /// Reads a trace, a time a line.
    ///
    /// # Errors
    /// See [`DeliveryTraceError`].
    pub fn parse(text: &str) -> Result<DeliveryTrace, DeliveryTraceError> {
        let mut times = Vec::new();
        for (line, words) in (1..).zip(text.lines()) {
            if line > OPPORTUNITIES_MAX {
                return Err(DeliveryTraceError::TooMany);
            }
            // A sign is none of the format, and what is too large for a number is too late as well.
            if words.is_empty() || !words.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(DeliveryTraceError::Line(line));
            }
            times.push(words.parse().map_err(|_| DeliveryTraceError::Late(line))?);
        }
        DeliveryTrace::new(times)
    }

    /// Opportunities at these times, in milliseconds.
    ///
    /// # Errors
    /// See [`DeliveryTraceError`].
    pub fn new(times: Vec<u32>) -> Result<DeliveryTrace, DeliveryTraceError> {
        let most = TRACE_TIME_MAX.as_millis();
        let mut last = 0;
        for (line, &time) in (1..).zip(&times) {
            match time {
                _ if line > OPPORTUNITIES_MAX => return Err(DeliveryTraceError::TooMany),
                _ if u128::from(time) > most => return Err(DeliveryTraceError::Late(line)),
                _ if time < last => return Err(DeliveryTraceError::Backwards(line)),
                _ => last = time,
            }
        }
        match (times.is_empty(), last) {
            (true, _) => Err(DeliveryTraceError::Empty),
            (_, 0) => Err(DeliveryTraceError::NoTime),
            _ => Ok(DeliveryTrace(times.into())),
        }
    }

    /// The times of the opportunities, in milliseconds.
    pub fn times(&self) -> &[u32] {
        &self.0
    }

    /// After this it repeats.
    pub fn length(&self) -> Duration {
        Duration::from_millis(self.length_ms())
    }

    fn length_ms(&self) -> u64 {
        self.0.last().copied().map_or(1, u64::from)
    }

    /// Bytes that may be delivered from its begin until then, both included, repetitions too.
    pub fn bytes_by(&self, time: Duration) -> u64 {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (rounds, rest) = (ms / self.length_ms(), ms % self.length_ms());
        let begun = self.0.partition_point(|at| u64::from(*at) <= rest) as u64;
        (rounds.saturating_mul(self.0.len() as u64)).saturating_add(begun).saturating_mul(OPPORTUNITY_BYTES as u64)
    }

    /// Bits per second, on average.
    pub fn mean_bps(&self) -> u64 {
        self.0.len() as u64 * OPPORTUNITY_BYTES as u64 * 8 * 1_000 / self.length_ms()
    }
}

/// As it is read.
impl fmt::Display for DeliveryTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|time| writeln!(f, "{time}"))
    }
}

/// What a page tells of it.
impl fmt::Debug for DeliveryTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, mbits) = (self.0.len(), self.mean_bps() as f64 / 1e6);
        write!(f, "{:?} with {count} opportunities, {mbits:.3} Mbit/s on average", self.length())
    }
}

/// A [`DeliveryTrace`] at work.
pub(crate) struct Deliveries {
    trace: DeliveryTrace,
    begin: Instant,
    /// How often the trace was gone through, and the next opportunity in it.
    round: u64,
    place: usize,
    /// Bytes of that opportunity that are taken.
    taken: usize,
}

impl Deliveries {
    /// A trace that begins now.
    pub(crate) fn new(trace: DeliveryTrace, begin: Instant) -> Deliveries {
        Deliveries { trace, begin, round: 0, place: 0, taken: 0 }
    }

    /// When something may be delivered next, now or later. Opportunities that have passed are lost.
    pub(crate) fn next(&mut self, now: Instant) -> Instant {
        if self.taken == OPPORTUNITY_BYTES {
            self.step();
        }
        if self.at() < now {
            self.skip_to(now);
        }
        self.at()
    }

    /// Takes so many bytes, from the [next](Deliveries::next) opportunity on: when the last of them is delivered.
    pub(crate) fn take(&mut self, bytes: usize) -> Instant {
        let mut left = bytes;
        loop {
            let taken = left.min(OPPORTUNITY_BYTES - self.taken);
            (self.taken, left) = (self.taken + taken, left - taken);
            if left == 0 {
                return self.at();
            }
            self.step();
        }
    }

    fn at(&self) -> Instant {
        let ms = self.round.saturating_mul(self.trace.length_ms()).saturating_add(u64::from(self.trace.0[self.place]));
        self.begin + Duration::from_millis(ms)
    }

    fn step(&mut self) {
        (self.place, self.taken) = (self.place + 1, 0);
        if self.place == self.trace.0.len() {
            (self.round, self.place) = (self.round + 1, 0);
        }
    }

    /// To the first opportunity that is not before `now`, which lies behind the current one: in the round in which the
    /// millisecond that begins then, or has begun, is one of those from the second to the last.
    fn skip_to(&mut self, now: Instant) {
        let length = self.trace.length_ms();
        let ms = (now.since(self.begin).as_nanos() as u64).div_ceil(1_000_000).max(1);
        self.round = (ms - 1) / length;
        let rest = ms - self.round * length;
        (self.place, self.taken) = (self.trace.0.partition_point(|at| u64::from(*at) < rest), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(times: &[u32]) -> DeliveryTrace {
        DeliveryTrace::new(times.to_vec()).expect("a trace")
    }

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn what_is_written_is_read_again() {
        for times in [&[0, 0, 1][..], &[5], &[3, 3, 3, 86_400_000]] {
            let one = trace(times);
            assert_eq!(DeliveryTrace::parse(&one.to_string()), Ok(one.clone()));
            assert_eq!(one.times(), times);
        }
        assert_eq!(
            DeliveryTrace::parse("1\r\n7"),
            Ok(trace(&[1, 7])),
            "a line may end as elsewhere, the last not at all"
        );
    }

    #[test]
    fn a_text_that_is_cut_off_is_a_shorter_trace_or_none_at_all() {
        let text = "0\n3\n17\n17\n204\n";
        for end in 0..text.len() {
            let whole = text[..end].lines().map(str::to_owned).collect::<Vec<_>>();
            match DeliveryTrace::parse(&text[..end]) {
                Ok(read) => assert_eq!(read.times().len(), whole.len(), "{end}"),
                Err(DeliveryTraceError::Empty) => assert_eq!(end, 0),
                Err(DeliveryTraceError::NoTime) => assert_eq!(whole, ["0"]),
                // The last number lacks a digit.
                Err(DeliveryTraceError::Backwards(line)) => assert_eq!(line, whole.len()),
                Err(other) => panic!("{end}: {other}"),
            }
        }
    }

    #[test]
    fn lines_that_are_no_trace_are_named_with_what_to_write() {
        use DeliveryTraceError::{Backwards, Empty, Late, Line, NoTime, TooMany};
        for (text, error, words) in [
            ("", Empty, "write a line for each 1,500 bytes"),
            ("0\n0\n", NoTime, "end it with a later one"),
            ("1\n\n2", Line(2), "line 2 is no time; write a whole number of milliseconds"),
            ("1\nx", Line(2), "line 2"),
            ("+1", Line(1), "line 1"),
            ("-1", Line(1), "line 1"),
            ("1.5", Line(1), "whole number"),
            ("1 2", Line(1), "nothing else"),
            (" 1", Line(1), "line 1"),
            ("# a trace\n1", Line(1), "line 1"),
            ("5\n7\n6\n", Backwards(3), "the time in line 3 is before the one above it; write"),
            ("5\n86400001", Late(2), "line 2 is above 86400000, a day; end the trace before it"),
            ("5\n99999999999999999999", Late(2), "line 2"),
        ] {
            let wrong = DeliveryTrace::parse(text).expect_err(text);
            assert_eq!(wrong, error, "{text:?}");
            assert!(wrong.to_string().contains(words), "{text:?}: {wrong}");
        }
        let many = "7\n".repeat(OPPORTUNITIES_MAX);
        assert!(DeliveryTrace::parse(&many).is_ok());
        assert_eq!(DeliveryTrace::parse(&(many + "7\n")), Err(TooMany));
        assert_eq!(DeliveryTrace::new(vec![7; OPPORTUNITIES_MAX + 1]), Err(TooMany));
    }

    #[test]
    fn it_repeats_behind_its_last_opportunity() {
        let mut deliveries = Deliveries::new(trace(&[0, 2, 2, 10]), at(5));
        let took: Vec<u64> = (0..9)
            .map(|_| {
                deliveries.next(at(5));
                deliveries.take(OPPORTUNITY_BYTES).as_nanos() / 1_000_000
            })
            .collect();
        assert_eq!(took, [5, 7, 7, 15, 15, 17, 17, 25, 25]);
    }

    #[test]
    fn small_packets_share_an_opportunity_and_a_large_one_takes_several() {
        let mut deliveries = Deliveries::new(trace(&[1, 2, 4]), Instant::ZERO);
        assert_eq!(deliveries.next(at(0)), at(1));
        assert_eq!([deliveries.take(700), deliveries.take(700)], [at(1), at(1)]);
        assert_eq!(deliveries.next(at(1)), at(1));
        // A hundred bytes at 1 ms, 1,500 at 2 ms, the last at 4 ms.
        assert_eq!(deliveries.take(2_000), at(4));
        assert_eq!(deliveries.next(at(4)), at(4));
        assert_eq!(deliveries.take(1_100), at(4));
        assert_eq!(deliveries.next(at(4)), at(5), "the trace begins again");
    }

    #[test]
    fn opportunities_that_nobody_takes_are_lost_however_many() {
        let times = [0, 3, 3, 10];
        let all: Vec<u64> = (0..40).flat_map(|round| times.map(|time| round * 10 + u64::from(time))).collect();
        for ns in (0..300_000_000_u64).step_by(250_000) {
            let mut deliveries = Deliveries::new(trace(&times), Instant::ZERO);
            let now = Instant::from_nanos(ns);
            let expected = all.iter().position(|ms| at(*ms) >= now).expect("one");
            assert_eq!(deliveries.next(now), at(all[expected]), "{now:?}");
            let then: Vec<Instant> = (0..8).map(|_| deliveries.take(OPPORTUNITY_BYTES)).collect();
            let expected: Vec<Instant> = all[expected..expected + 8].iter().map(|ms| at(*ms)).collect();
            assert_eq!(then, expected, "{now:?}");
        }
        let mut deliveries = Deliveries::new(trace(&times), Instant::ZERO);
        let year = Duration::from_secs(365 * 86_400);
        assert_eq!(
            deliveries.next(Instant::ZERO + year + Duration::from_nanos(1)),
            Instant::ZERO + year + Duration::from_millis(3)
        );
    }

    #[test]
    fn what_may_be_delivered_by_a_time_counts_repetitions() {
        let trace = trace(&[0, 2, 2, 10]);
        for (ms, count) in [(0, 1), (1, 1), (2, 3), (9, 3), (10, 5), (12, 7), (20, 9)] {
            assert_eq!(trace.bytes_by(Duration::from_millis(ms)), count * 1_500, "{ms} ms");
        }
        assert_eq!(trace.mean_bps(), 4_800_000);
        assert_eq!(format!("{trace:?}"), "10ms with 4 opportunities, 4.800 Mbit/s on average");
    }
}
