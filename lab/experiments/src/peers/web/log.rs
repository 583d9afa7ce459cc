//! Access logs.

use std::collections::BTreeMap;

use super::{ANSWER_MAX, FILE_MAX, PAGE_REQUESTS_MAX, Visits, WebError};
use crate::peers::exchange::{Page, REQUEST_MAX, Request};

/// Bytes of the longest line that is read.
pub const LINE_MAX: usize = 16 << 10;
/// Most requests that are read.
pub const LINES_MAX: usize = 1_000_000;
/// Bytes of a request beside its first line, which is all that a log has of it.
pub const HEADERS_TYPICAL: usize = 300;

/// What belongs to a page and is none, by the end of its name (SST 5.5 has the first few).
const EMBEDDED: [&str; 19] = [
    "gif", "jpg", "jpeg", "class", "png", "css", "js", "mjs", "ico", "svg", "webp", "avif", "woff", "woff2", "ttf",
    "mp3", "mp4", "webm", "json",
];

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry<'a> {
    client: &'a [u8],
    /// "GET /index.html HTTP/1.1".
    request: &'a [u8],
    bytes: u64,
}

/// Reads an access log in the common or combined format: `client - user [time] "request" status bytes`, and whatever
/// follows.
///
/// Requests are put together to pages as in SST 5.5: by client; one whose name ends like a picture's, say, belongs to
/// the page before it, any other begins one. Times are not looked at. Of lines that are no request there may be any
/// number.
///
/// # Errors
/// If it is too large, or no line of it is a request.
pub fn from_log(bytes: &[u8]) -> Result<Visits, WebError> {
    if bytes.len() > FILE_MAX {
        return Err(WebError::TooLarge(bytes.len()));
    }
    let mut clients: BTreeMap<&[u8], Vec<Page>> = BTreeMap::new();
    let (mut read, mut skipped) = (0, 0);
    for line in bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        let Some(entry) = Entry::parse(line).filter(|_| read < LINES_MAX) else {
            skipped += 1;
            continue;
        };
        read += 1;
        let len = (entry.request.len() + HEADERS_TYPICAL).min(REQUEST_MAX as usize);
        let request = Request { request: len as u32, answer: entry.bytes.min(ANSWER_MAX) };
        let pages = clients.entry(entry.client).or_default();
        match pages.last_mut().filter(|page| entry.is_embedded() && page.requests.len() < PAGE_REQUESTS_MAX) {
            Some(page) => page.requests.push(request),
            None => pages.push(Page { requests: vec![request] }),
        }
    }
    match read {
        0 => Err(WebError::NoRequests(skipped)),
        _ => Ok(Visits { pages: clients.into_values().flatten().collect(), skipped }),
    }
}

impl<'a> Entry<'a> {
    fn parse(line: &'a [u8]) -> Option<Entry<'a>> {
        if line.len() > LINE_MAX {
            return None;
        }
        let client = line.split(u8::is_ascii_whitespace).next()?;
        let begin = line.iter().position(|byte| *byte == b'"')? + 1;
        let len = end_of_quoted(&line[begin..])?;
        let mut rest = line[begin + len + 1..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (status, bytes) = (number(rest.next()?)?, rest.next()?);
        let bytes = if bytes == b"-" { 0 } else { number(bytes)? };
        let entry = Entry { client, request: &line[begin..begin + len], bytes };
        // 1xx is no answer, and what is no path was no request.
        ((200..600).contains(&status) && entry.path().is_some()).then_some(entry)
    }

    fn path(&self) -> Option<&'a [u8]> {
        let mut words = self.request.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.next().filter(|method| method.iter().all(u8::is_ascii_uppercase))?;
        let path = words.next()?;
        let end = path.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(path.len());
        Some(&path[..end])
    }

    fn is_embedded(&self) -> bool {
        let name = self.path().and_then(|path| path.rsplit(|byte| *byte == b'/').next()).unwrap_or_default();
        let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return false };
        EMBEDDED.iter().any(|known| name[dot + 1..].eq_ignore_ascii_case(known.as_bytes()))
    }
}

/// Where text ends that began after a quotation mark; one behind a backslash belongs to it.
fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

fn number(text: &[u8]) -> Option<u64> {
    core::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tng_base::Rng;

    use super::*;

    const EXAMPLE: &[u8] = include_bytes!("../../../data/visits.log");

    fn line(client: &str, path: &str, bytes: u64) -> String {
        format!("{client} - - [10/Oct/2000:13:55:36 -0700] \"GET {path} HTTP/1.0\" 200 {bytes}\n")
    }

    /// Answers of each page.
    fn answers(visits: &Visits) -> Vec<Vec<u64>> {
        visits.pages.iter().map(|page| page.requests.iter().map(|request| request.answer).collect()).collect()
    }

    #[test]
    fn the_example_has_its_pages() {
        let visits = from_log(EXAMPLE).expect("a log");
        assert_eq!(answers(&visits), [vec![4_120, 1_811, 9_044], vec![2_300], vec![612, 88_012], vec![15_390, 0]]);
        assert_eq!(visits.skipped, 2);
        assert_eq!(visits.pages[0].requests[0].request as usize, "GET /index.html HTTP/1.1".len() + HEADERS_TYPICAL);
    }

    #[test]
    fn what_is_written_is_read_back_and_clients_are_kept_apart() {
        for seed in 0..20 {
            let mut rng = Rng::from_u64(seed);
            let mut text = String::new();
            let mut expected: [Vec<Vec<u64>>; 3] = Default::default();
            for _ in 0..200 {
                let (client, bytes) = (rng.below(3) as usize, rng.below(1 << 20));
                let embedded = rng.chance(0.7);
                text +=
                    &line(&format!("10.0.0.{client}"), if embedded { "/a/b.GIF?x=.html" } else { "/a.gif/b" }, bytes);
                match expected[client].last_mut().filter(|_| embedded) {
                    Some(page) => page.push(bytes),
                    None => expected[client].push(vec![bytes]),
                }
            }
            let visits = from_log(text.as_bytes()).expect("a log");
            assert_eq!(answers(&visits), expected.concat(), "seed {seed}");
            assert_eq!(visits.skipped, 0);
        }
    }

    #[test]
    fn lines_that_are_no_requests_are_passed_over_and_counted() {
        for bad in [
            "nonsense",
            "a - - [x] \"GET /\" 200",
            "a - - [x] \"GET / HTTP/1.0\" OK 12",
            "a - - [x] \"GET / HTTP/1.0\" 200 -12",
            "a - - [x] \"GET / HTTP/1.0\" 200 99999999999999999999999",
            "a - - [x] \"GET / HTTP/1.0 200 12",
            "a - - [x] \"-\" 408 0",
            "a - - [x] \"\\x16\\x03\\x01\" 400 150",
            "a - - [x] \"GET / HTTP/1.1\" 101 0",
        ] {
            let text = format!("{}{bad}\n{}", line("a", "/", 1), line("a", "/x.png", 2));
            let visits = from_log(text.as_bytes()).expect("a log");
            assert_eq!((answers(&visits), visits.skipped), (vec![vec![1, 2]], 1), "{bad}");
            assert_eq!(from_log(bad.as_bytes()), Err(WebError::NoRequests(1)), "{bad}");
        }
    }

    #[test]
    fn an_escaped_quotation_mark_belongs_to_the_request() {
        let text = "a - - [x] \"GET /\\\"q\\\" HTTP/1.0\" 200 7 \"-\" \"agent \\\" 1\"\n";
        assert_eq!(answers(&from_log(text.as_bytes()).expect("a log")), [[7]]);
    }

    #[test]
    fn pages_requests_and_answers_are_bounded() {
        let text = line("a", "/x.png", u64::MAX).repeat(PAGE_REQUESTS_MAX + 1);
        let visits = from_log(text.as_bytes()).expect("a log");
        let sizes: Vec<usize> = visits.pages.iter().map(|page| page.requests.len()).collect();
        assert_eq!(sizes, [PAGE_REQUESTS_MAX, 1]);
        assert_eq!(visits.pages[0].requests[0].answer, ANSWER_MAX);
        let long = line("a", &"x".repeat(LINE_MAX), 1);
        assert_eq!(from_log(long.as_bytes()), Err(WebError::NoRequests(1)));
    }

    #[test]
    fn truncated_and_damaged_logs_never_panic() {
        for cut in 0..EXAMPLE.len() {
            let _ = from_log(&EXAMPLE[..cut]);
        }
        for seed in 0..300 {
            let mut rng = Rng::from_u64(seed);
            let mut text = EXAMPLE.to_vec();
            for _ in 0..rng.below(30) {
                let at = rng.below(text.len() as u64) as usize;
                text[at] = if rng.chance(0.5) { rng.u64() as u8 } else { b"\" \n\\[-"[rng.below(6) as usize] };
            }
            let _ = from_log(&text);
        }
    }
}
