//! Patterns in which packets overtake each other: what was seen of bursts, or a model of it.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tng_base::Rng;

/// Most packets of a pattern.
pub const PATTERN_PACKETS_MAX: usize = 64;
/// Most patterns of a set.
pub const PATTERNS_MAX: usize = 10_000;

/// How long a packet that others are to overtake waits for them at most, unless something else is said: ten packets of
/// 1,500 bytes take 1.2 ms at 100 Mbit/s.
pub const PATTERN_HOLD: Duration = Duration::from_millis(10);

/// Orders in which packets of a burst arrive, each with the share of packets at which one begins: the trace-driven
/// model of A. Shieh, A. C. Myers, E. G. Sirer: A stateless approach to connection-oriented protocols (2008), section
/// 6.1.
///
/// At every packet that no pattern covers one is drawn, or none; it says in which order that packet and those that
/// follow it arrive. A packet that later ones are to overtake waits until the last of these has been sent, and arrives
/// right behind it. Packets that are lost on the way are not counted.
#[derive(Clone, PartialEq)]
pub struct Patterns(Arc<[Pattern]>);

#[derive(Clone, PartialEq, Debug)]
struct Pattern {
    /// The share of packets at which it begins.
    share: f64,
    /// By arrival: which packet, counted from zero.
    order: Vec<u8>,
    /// By packet: the last of the later ones that overtake it, if any does.
    behind: Vec<Option<u8>>,
}

/// Why a text has no patterns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternError {
    /// A line, counted from one, is none.
    Line(usize, LineFault),
    /// No line is one.
    Empty,
    /// More than [`PATTERNS_MAX`].
    TooMany,
    /// At more packets than there are one begins.
    Shares,
}

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineFault {
    /// It does not begin with a share of packets.
    Share,
    /// Its numbers are not 1 to N, N at most [`PATTERN_PACKETS_MAX`], each once.
    Order,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Line(line, LineFault::Share) => {
                write!(f, "line {line} does not begin with a share of packets; write one like 0.1% or 0.001")
            }
            PatternError::Line(line, LineFault::Order) => write!(
                f,
                "line {line} is no order of arrival; write the numbers from 1 to at most {PATTERN_PACKETS_MAX}, each \
                 once, like \"0.1% 1 3 2 4\""
            ),
            PatternError::Empty => f.write_str("there is no pattern; write a line like \"0.1% 1 3 2 4\""),
            PatternError::TooMany => write!(f, "there are more than {PATTERNS_MAX} patterns; leave the rarest out"),
            PatternError::Shares => {
                f.write_str("the shares come to more than 100%; each is the share of packets at which one begins")
            }
        }
    }
}

impl core::error::Error for PatternError {}

impl Pattern {
    fn new(share: f64, order: Vec<u8>) -> Pattern {
        let mut behind = vec![None; order.len()];
        let mut last = 0;
        for &packet in &order {
            if packet < last {
                behind[packet as usize] = Some(last);
            }
            last = last.max(packet);
        }
        Pattern { share, order, behind }
    }

    fn parse(line: &str) -> Result<Pattern, LineFault> {
        let mut words = line.split_whitespace();
        let share = words.next().and_then(share).ok_or(LineFault::Share)?;
        let mut order = Vec::new();
        let mut seen = 0_u64;
        for word in words {
            let packet = word.parse::<usize>().ok().filter(|packet| (1..=PATTERN_PACKETS_MAX).contains(packet));
            let packet = packet.ok_or(LineFault::Order)? - 1;
            if seen & 1 << packet != 0 {
                return Err(LineFault::Order);
            }
            seen |= 1 << packet;
            order.push(packet as u8);
        }
        let complete = seen.trailing_ones() as usize == order.len();
        if order.is_empty() || !complete { Err(LineFault::Order) } else { Ok(Pattern::new(share, order)) }
    }

    fn late(&self) -> usize {
        self.behind.iter().flatten().count()
    }
}

/// `0.1%` or `0.001`.
fn share(text: &str) -> Option<f64> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 0.01));
    number.parse::<f64>().ok().map(|number| number * unit).filter(|share| (0.0..=1.0).contains(share))
}

impl Patterns {
    /// Reads patterns, one a line: the share of packets at which it begins, and then, in the order in which they
    /// arrive, the packets, counted from 1 as they were sent: `0.1% 1 3 2 4`. What follows `#` says nothing.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub fn parse(text: &str) -> Result<Patterns, PatternError> {
        let mut list = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if list.len() == PATTERNS_MAX {
                return Err(PatternError::TooMany);
            }
            list.push(Pattern::parse(line).map_err(|fault| PatternError::Line(number, fault))?);
        }
        Patterns::of(list)
    }

    /// A model of bursts of `length` packets in a row. A burst begins at each packet with probability `share`, and in
    /// each one packet is overtaken. Each of them but the last is as likely to be that packet; and that one packet more
    /// overtakes it, as long as the burst has one, is `decay` times as likely as that it does not.
    ///
    /// # Panics
    /// If `length` is not from 2 to [`PATTERN_PACKETS_MAX`], or `share` or `decay` not from 0 to 1.
    pub fn bursts(share: f64, length: usize, decay: f64) -> Patterns {
        assert!((2..=PATTERN_PACKETS_MAX).contains(&length), "bursts of 2 to {PATTERN_PACKETS_MAX} packets");
        assert!((0.0..=1.0).contains(&share) && (0.0..=1.0).contains(&decay), "shares are from 0 to 1");
        let mut list = Vec::new();
        for packet in 0..length - 1 {
            let room = length - 1 - packet;
            let weight = |by: usize| decay.powi(by as i32 - 1);
            let all: f64 = (1..=room).map(weight).sum();
            for by in 1..=room {
                let mut order: Vec<u8> = (0..length as u8).collect();
                order[packet..=packet + by].rotate_left(1);
                list.push(Pattern::new(share / (length - 1) as f64 * weight(by) / all, order));
            }
        }
        Patterns(list.into())
    }

    fn of(list: Vec<Pattern>) -> Result<Patterns, PatternError> {
        // Shares that were written with a few digits may come to a little more than all.
        match list.iter().map(|pattern| pattern.share).sum::<f64>() {
            _ if list.is_empty() => Err(PatternError::Empty),
            sum if sum > 1.0 + 1e-9 => Err(PatternError::Shares),
            _ => Ok(Patterns(list.into())),
        }
    }

    /// The share of packets at which a pattern begins, of those that none covers.
    pub fn share(&self) -> f64 {
        self.0.iter().map(|pattern| pattern.share).sum()
    }

    /// The share of all packets that are overtaken in the long run.
    pub fn late_share(&self) -> f64 {
        let sum = |of: fn(&Pattern) -> usize| self.0.iter().map(|pattern| pattern.share * of(pattern) as f64).sum();
        let (late, covered): (f64, f64) = (sum(Pattern::late), sum(|pattern| pattern.order.len()));
        late / (1.0 - self.share() + covered)
    }

    /// The pattern that begins at a packet, if one does.
    fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let mut left = rng.unit();
        self.0.iter().position(|pattern| {
            left -= pattern.share;
            left < 0.0
        })
    }
}

/// What a page tells of them: they may be many.
impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = self.0.iter().map(|pattern| pattern.order.len()).max().unwrap_or_default();
        write!(
            f,
            "{} of up to {longest} packets that begin at {:.4} % of packets and make {:.4} % late",
            self.0.len(),
            self.share() * 100.0,
            self.late_share() * 100.0
        )
    }
}

/// Where a packet stands in its pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Position {
    /// Nobody overtakes it.
    Straight {
        /// Which packet of the pattern it is, if one covers it: those that wait for it follow.
        packet: Option<u8>,
    },
    /// It waits for a later one.
    Late {
        /// Which.
        behind: u8,
        /// Of those that wait for the same, the one with the lower rank arrives first.
        rank: u8,
    },
}

/// [`Patterns`] at work.
#[derive(Default)]
pub(crate) struct PatternProcess {
    /// Which pattern, and which of its packets is next.
    current: Option<(usize, usize)>,
}

impl PatternProcess {
    /// Where the next packet stands.
    pub(crate) fn next(&mut self, patterns: &Patterns, rng: &mut Rng) -> Position {
        let begun = self.current.or_else(|| Some((patterns.draw(rng)?, 0)));
        let Some((which, packet)) = begun else { return Position::Straight { packet: None } };
        let pattern = &patterns.0[which];
        self.current = (packet + 1 < pattern.order.len()).then_some((which, packet + 1));
        match pattern.behind[packet] {
            None => Position::Straight { packet: Some(packet as u8) },
            Some(behind) => {
                let rank = pattern.order.iter().position(|other| usize::from(*other) == packet).unwrap_or_default();
                Position::Late { behind, rank: rank as u8 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_from_lines_of_a_share_and_an_order() {
        let text = "# seen between two hosts\n\n0.2% 1 3 2 4 # twice\n 0.001  2 3 1\n";
        let patterns = Patterns::parse(text).expect("two patterns");
        assert_eq!(patterns.0.len(), 2);
        assert_eq!(
            patterns.0[0],
            Pattern { share: 0.002, order: vec![0, 2, 1, 3], behind: vec![None, Some(2), None, None] }
        );
        assert_eq!(patterns.0[1].behind, [Some(2), None, None]);
        assert!((patterns.share() - 0.003).abs() < 1e-12);
        // A packet of each is late, of 4 and of 3.
        assert!((patterns.late_share() - 0.003 / (0.997 + 0.002 * 4.0 + 0.001 * 3.0)).abs() < 1e-12);
    }

    #[test]
    fn lines_that_are_no_patterns_are_named() {
        let wrong = |text: &str| Patterns::parse(text).expect_err(text);
        for text in ["x 1 2", "101% 1 2", "-0.1 1 2", "% 1 2", "NaN 1 2"] {
            assert_eq!(wrong(&format!("1% 2 1\n{text}")), PatternError::Line(2, LineFault::Share), "{text}");
        }
        for text in ["1%", "1% 1 3", "1% 1 1", "1% 0 1", "1% 1 2 x", "1% 65", "1% 2"] {
            assert_eq!(wrong(text), PatternError::Line(1, LineFault::Order), "{text}");
        }
        assert_eq!(wrong("# none\n"), PatternError::Empty);
        assert_eq!(wrong("60% 2 1\n60% 3 2 1"), PatternError::Shares);
        assert_eq!(wrong(&"0% 2 1\n".repeat(PATTERNS_MAX + 1)), PatternError::TooMany);
        let words = wrong("0.1% 1 3").to_string();
        assert!(words.contains("line 1") && words.contains("from 1 to at most 64"), "{words}");
    }

    #[test]
    fn the_longest_pattern_is_read() {
        let order: Vec<String> = (1..=PATTERN_PACKETS_MAX).rev().map(|packet| packet.to_string()).collect();
        let patterns = Patterns::parse(&format!("100% {}", order.join(" "))).expect("a pattern");
        assert_eq!(patterns.0[0].late(), PATTERN_PACKETS_MAX - 1);
    }

    #[test]
    fn of_a_burst_of_the_model_one_packet_is_late_by_one_more_the_more_rarely_the_more_it_is() {
        let patterns = Patterns::bursts(0.01, 10, 0.5);
        assert_eq!(patterns.0.len(), 45);
        assert!((patterns.share() - 0.01).abs() < 1e-12);
        assert!(patterns.0.iter().all(|pattern| pattern.late() == 1));
        // The first packet is late by one and by two.
        let [one, two] = [0, 1].map(|at| &patterns.0[at]);
        assert_eq!((&one.order[..3], &two.order[..3]), (&[1, 0, 2][..], &[1, 2, 0][..]));
        assert!((one.share - 2.0 * two.share).abs() < 1e-12);
        // The last but one can be late by one alone.
        assert!((patterns.0[44].share - 0.01 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn each_pattern_begins_as_often_as_its_share_says() {
        let patterns = Patterns::parse("1% 2 1\n3% 1 3 2\n").expect("patterns");
        let mut rng = Rng::from_u64(5);
        let mut begun = [0_u32; 3];
        for _ in 0..100_000 {
            begun[patterns.draw(&mut rng).map_or(2, |which| which)] += 1;
        }
        assert!((900..1_100).contains(&begun[0]) && (2_850..3_150).contains(&begun[1]), "{begun:?}");
    }
}
