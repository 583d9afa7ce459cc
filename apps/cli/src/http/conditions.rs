//! On which conditions a request is answered (RFC 9110 section 13).

use core::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::heads::Fields;
use super::{BadRequest, TAGS_MAX};

/// What tells one state of a file from others: its length, and the time of its last change in milliseconds. Replicas
/// with copies that keep the time have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ETag {
    /// In bytes.
    pub len: u64,
    /// Since 1970.
    pub modified_ms: u64,
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{:x}-{:x}\"", self.modified_ms, self.len)
    }
}

/// What is known of the state that the client has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    matches: Option<Tags>,
    none_matches: Option<Tags>,
    /// Seconds since 1970.
    modified_since: Option<u64>,
    unmodified_since: Option<u64>,
    range: Option<IfRange>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Tags {
    Any,
    /// With whether they are weak.
    These(Vec<(bool, Vec<u8>)>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum IfRange {
    Tag(Vec<u8>),
    /// Seconds since 1970.
    Time(u64),
    /// Nothing is this: the range does not count.
    Nothing,
}

/// What conditions come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Met {
    /// It is answered; `with_range` if a range counts.
    Yes { with_range: bool },
    /// The client has it.
    NotModified,
    /// It is not what the client thinks.
    Failed,
}

impl Conditions {
    pub(super) fn of(fields: &Fields<'_>) -> Result<Conditions, BadRequest> {
        let time = |name| Ok::<_, BadRequest>(fields.one(name)?.and_then(seconds));
        Ok(Conditions {
            matches: Tags::of(fields.all("if-match"))?,
            none_matches: Tags::of(fields.all("if-none-match"))?,
            modified_since: time("if-modified-since")?,
            unmodified_since: time("if-unmodified-since")?,
            range: fields.one("if-range")?.map(IfRange::parse),
        })
    }

    /// Judges by the state that the file is in; `None` if nothing tells it from others. In the order of RFC 9110
    /// section 13.2.2.
    pub(super) fn judge(&self, state: Option<ETag>) -> Met {
        let tag = state.map(|state| state.to_string().into_bytes());
        let tag = tag.as_deref();
        let modified = state.map(|state| state.modified_ms / 1_000);
        let met = match (&self.matches, self.unmodified_since) {
            (Some(tags), _) => tags.have(tag, false),
            (None, Some(since)) => modified.is_none_or(|modified| modified <= since),
            (None, None) => true,
        };
        if !met {
            return Met::Failed;
        }
        let is_known = match (&self.none_matches, self.modified_since) {
            (Some(tags), _) => tags.have(tag, true),
            (None, Some(since)) => modified.is_some_and(|modified| modified <= since),
            (None, None) => false,
        };
        if is_known {
            return Met::NotModified;
        }
        let with_range = match &self.range {
            None => true,
            Some(IfRange::Tag(its)) => tag == Some(its),
            Some(IfRange::Time(its)) => modified == Some(*its),
            Some(IfRange::Nothing) => false,
        };
        Met::Yes { with_range }
    }
}

impl Tags {
    fn of<'a>(mut lists: impl Iterator<Item = &'a [u8]>) -> Result<Option<Tags>, BadRequest> {
        let Some(first) = lists.next() else { return Ok(None) };
        if first == b"*" {
            return if lists.next().is_some() { Err(BadRequest::Twice) } else { Ok(Some(Tags::Any)) };
        }
        let mut tags = Vec::new();
        for list in core::iter::once(first).chain(lists) {
            let mut rest = list;
            while !rest.is_empty() && tags.len() < TAGS_MAX {
                let (is_weak, tag, after) = tag(rest).ok_or(BadRequest::Malformed)?;
                tags.push((is_weak, tag.to_vec()));
                rest = match after.trim_ascii_start() {
                    [] => &[],
                    [b',', after @ ..] => after.trim_ascii_start(),
                    _ => return Err(BadRequest::Malformed),
                };
            }
        }
        Ok(Some(Tags::These(tags)))
    }

    /// Whether this strong tag is among them; a weak one counts if `weakly`.
    fn have(&self, tag: Option<&[u8]>, weakly: bool) -> bool {
        match self {
            Tags::Any => true,
            Tags::These(tags) => tags.iter().any(|(is_weak, its)| Some(&its[..]) == tag && (weakly || !is_weak)),
        }
    }
}

/// The entity tag at the beginning of some bytes (RFC 9110 section 8.8.3): whether it is weak, itself, the rest.
fn tag(bytes: &[u8]) -> Option<(bool, &[u8], &[u8])> {
    let (is_weak, quoted) = bytes.strip_prefix(b"W/").map_or((false, bytes), |strong| (true, strong));
    let end = 1 + quoted.strip_prefix(b"\"")?.iter().position(|byte| *byte == b'"')?;
    Some((is_weak, &quoted[..=end], &quoted[end + 1..]))
}

impl IfRange {
    fn parse(value: &[u8]) -> IfRange {
        match tag(value) {
            Some((false, tag, [])) => IfRange::Tag(tag.to_vec()),
            // A weak one is never the same as another.
            Some(_) => IfRange::Nothing,
            None => seconds(value).map_or(IfRange::Nothing, IfRange::Time),
        }
    }
}

/// Reads a date; what is none says nothing.
fn seconds(value: &[u8]) -> Option<u64> {
    let time = httpdate::parse_http_date(core::str::from_utf8(value).ok()?).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// A time as fields have it; what no field can have is the last that one can.
pub(super) fn date(since_1970: Duration) -> String {
    /// The last second of the year 9999.
    const LAST: u64 = 253_402_300_799;
    let since_1970 = Duration::from_secs(since_1970.as_secs().min(LAST));
    let time: SystemTime = UNIX_EPOCH + since_1970;
    httpdate::fmt_http_date(time)
}
