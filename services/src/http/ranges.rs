//! Which bytes a request asks for (RFC 9110 section 14).

use core::ops::Range;

use super::RANGES_MAX;

/// The field Range.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum RangeField {
    /// There is none, or it counts in something that is not known here, or names more than [`RANGES_MAX`] ranges: the
    /// whole is meant.
    #[default]
    None,
    /// These, [`RANGES_MAX`] at most.
    Bytes(Vec<Bytes>),
    /// It contradicts itself, or is none.
    Contradicting,
}

/// One range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bytes {
    /// From a byte on, up to one that is meant, too, or to the end.
    From(u64, Option<u64>),
    /// So many at the end.
    Last(u64),
}

/// Which bytes of something of a known length are sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selected {
    /// All.
    Whole,
    /// These.
    One(Range<u64>),
    /// These, in this order.
    Several(Vec<Range<u64>>),
    /// None of those that are asked for is there.
    Unsatisfiable,
}

impl RangeField {
    /// Reads the value of the field.
    pub fn parse(value: &[u8]) -> RangeField {
        let Some((unit, set)) = core::str::from_utf8(value).ok().and_then(|value| value.split_once('=')) else {
            return RangeField::Contradicting;
        };
        if !unit.eq_ignore_ascii_case("bytes") {
            return RangeField::None;
        }
        let mut ranges = Vec::new();
        // An empty member says nothing (RFC 9110 section 5.6.1.2).
        for text in set.split(',').map(|text| text.trim_matches([' ', '\t'])).filter(|text| !text.is_empty()) {
            if ranges.len() == RANGES_MAX {
                return RangeField::None;
            }
            match Bytes::parse(text) {
                Some(range) => ranges.push(range),
                None => return RangeField::Contradicting,
            }
        }
        if ranges.is_empty() { RangeField::Contradicting } else { RangeField::Bytes(ranges) }
    }
}

impl Bytes {
    fn parse(text: &str) -> Option<Bytes> {
        let (first, last) = text.split_once('-')?;
        match (first, last) {
            ("", last) => Some(Bytes::Last(number(last)?)),
            (first, "") => Some(Bytes::From(number(first)?, None)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Bytes::From(first, Some(last)))
            }
        }
    }

    /// Where it lies in something of `len` bytes; empty if nowhere.
    fn within(self, len: u64) -> Range<u64> {
        match self {
            Bytes::From(first, last) => first..last.map_or(len, |last| last.saturating_add(1).min(len)),
            Bytes::Last(count) => len.saturating_sub(count)..len,
        }
    }
}

/// Reads a number; what is larger than any file is as large as can be.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Selects what is meant of something of `len` bytes. Ranges that together are longer than the whole stand for it: who
/// sends many that overlap gets no more for it.
pub fn select(field: &RangeField, len: u64) -> Selected {
    let ranges = match field {
        RangeField::None => return Selected::Whole,
        RangeField::Contradicting => return Selected::Unsatisfiable,
        RangeField::Bytes(ranges) => ranges,
    };
    let (mut there, mut sum) = (Vec::new(), 0_u64);
    for range in ranges.iter().map(|range| range.within(len)) {
        if range.start < range.end {
            sum = sum.saturating_add(range.end - range.start);
            there.push(range);
        } else if range.start == 0 {
            // Of what is empty the whole is sent.
            return Selected::Whole;
        }
    }
    match &there[..] {
        [] => Selected::Unsatisfiable,
        _ if sum > len => Selected::Whole,
        [one] => Selected::One(one.clone()),
        _ => Selected::Several(there),
    }
}
