//! HAR files: the HTTP Archive format 1.2, as browsers save it.

use serde::Deserialize;

use super::{ANSWER_MAX, BYTE_ORDER_MARK, FILE_MAX, HEADERS_TYPICAL, PAGE_REQUESTS_MAX, Visits, WebError};
use crate::peers::exchange::{Page, REQUEST_MAX, Request};

/// Most entries that are read.
pub const ENTRIES_MAX: usize = 1_000_000;

#[derive(Deserialize)]
struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    pageref: Option<String>,
    request: Option<Message>,
    response: Option<Message>,
}

/// A request or a response. Sizes that are not known are -1, or absent.
#[derive(Deserialize)]
struct Message {
    status: Option<f64>,
    url: Option<String>,
    #[serde(rename = "headersSize")]
    headers: Option<f64>,
    #[serde(rename = "bodySize")]
    body: Option<f64>,
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Content {
    size: Option<f64>,
}

/// A size that is known.
fn size(number: Option<f64>) -> Option<u64> {
    // Beyond what a `u64` holds, the cast saturates.
    number.filter(|size| *size >= 0.0).map(|size| size as u64)
}

impl Entry {
    fn request(&self) -> Option<Request> {
        let (request, response) = (self.request.as_ref()?, self.response.as_ref()?);
        // Browsers note 0 for what was never answered, and 1xx is no answer.
        response.status.filter(|status| (200.0..600.0).contains(status))?;
        let typical = (HEADERS_TYPICAL + request.url.as_ref().map_or(0, String::len)) as u64;
        let asked = size(request.headers).unwrap_or(typical).saturating_add(size(request.body).unwrap_or(0));
        let body = size(response.body).or_else(|| size(response.content.as_ref()?.size)).unwrap_or(0);
        let answer = size(response.headers).unwrap_or(0).saturating_add(body);
        let asked = u32::try_from(asked).unwrap_or(REQUEST_MAX).min(REQUEST_MAX);
        Some(Request { request: asked, answer: answer.min(ANSWER_MAX) })
    }
}

/// Reads a HAR file. Entries of a page follow each other, and the first is the page itself; entries that name no page
/// belong to that of the entry before.
///
/// # Errors
/// If it is too large, no HAR file, or has no request with an answer.
pub fn from_har(bytes: &[u8]) -> Result<Visits, WebError> {
    if bytes.len() > FILE_MAX {
        return Err(WebError::TooLarge(bytes.len()));
    }
    let bytes = bytes.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(bytes);
    let har: Har = serde_json::from_slice(bytes).map_err(|error| WebError::NoHar(error.to_string()))?;
    let mut visits = Visits::default();
    let mut current: Option<&str> = None;
    for (number, entry) in har.log.entries.iter().enumerate() {
        let Some(request) = entry.request().filter(|_| number < ENTRIES_MAX) else {
            visits.skipped += 1;
            continue;
        };
        let named = entry.pageref.as_deref();
        let same = named.is_none() || named == current;
        current = named.or(current);
        match visits.pages.last_mut().filter(|page| same && page.requests.len() < PAGE_REQUESTS_MAX) {
            Some(page) => page.requests.push(request),
            None => visits.pages.push(Page { requests: vec![request] }),
        }
    }
    if visits.pages.is_empty() { Err(WebError::NoEntries) } else { Ok(visits) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tng_base::Rng;

    use super::*;

    const EXAMPLE: &[u8] = include_bytes!("../../../data/visits.har");

    fn har(entries: Vec<Value>) -> Vec<u8> {
        json!({ "log": { "version": "1.2", "creator": { "name": "test" }, "entries": entries } })
            .to_string()
            .into_bytes()
    }

    fn entry(page: &str, asked: [i64; 2], answered: [i64; 2]) -> Value {
        json!({
            "pageref": page, "startedDateTime": "2026-01-01T00:00:00Z", "time": 1.5,
            "request": { "method": "GET", "url": "https://host/", "headersSize": asked[0], "bodySize": asked[1] },
            "response": { "status": 200, "headersSize": answered[0], "bodySize": answered[1],
            "content": { "size": 77 } },
        })
    }

    #[test]
    fn the_example_has_its_pages() {
        let visits = from_har(EXAMPLE).expect("a HAR file");
        let sizes = |page: &Page| page.requests.iter().map(|one| (one.request, one.answer)).collect::<Vec<_>>();
        let found: Vec<_> = visits.pages.iter().map(sizes).collect();
        assert_eq!(found, [vec![(412, 5_320), (398, 2_111), (401, 30_262)], vec![(455, 1_180), (328, 640)]]);
        assert_eq!(visits.skipped, 1);
        assert_eq!(super::super::read(EXAMPLE), Ok(visits));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for seed in 0..20 {
            let mut rng = Rng::from_u64(seed);
            let mut sizes = || [rng.below(1_000) as i64, rng.below(30_000) as i64];
            let drawn: Vec<_> = (0..100).map(|number| (number / 7, sizes(), sizes())).collect();
            let entries = drawn.iter().map(|(page, asked, answered)| entry(&page.to_string(), *asked, *answered));
            let visits = from_har(&har(entries.collect())).expect("a HAR file");
            let found = visits.pages.iter().enumerate();
            let found = found.flat_map(|(at, page)| page.requests.iter().map(move |one| (at, one.request, one.answer)));
            let sum = |sizes: &[i64; 2]| sizes.iter().sum::<i64>();
            let expected = drawn.iter().map(|(page, asked, answer)| (*page, sum(asked) as u32, sum(answer) as u64));
            assert!(found.eq(expected), "seed {seed}");
        }
    }

    #[test]
    fn sizes_that_are_not_known_are_taken_from_elsewhere() {
        let visits = from_har(&har(vec![entry("p", [-1, -1], [-1, -1])])).expect("a HAR file");
        let request = (HEADERS_TYPICAL + "https://host/".len()) as u32;
        assert_eq!(visits.pages[0].requests, [Request { request, answer: 77 }]);
    }

    #[test]
    fn sizes_and_pages_are_bounded() {
        let mut huge = entry("p", [0, 0], [0, 0]);
        huge["request"]["bodySize"] = json!(1e300);
        huge["response"]["bodySize"] = json!(1e300);
        let visits = from_har(&har(vec![huge; PAGE_REQUESTS_MAX + 1])).expect("a HAR file");
        assert_eq!(visits.pages[0].requests[0], Request { request: REQUEST_MAX, answer: ANSWER_MAX });
        assert_eq!(visits.pages.iter().map(|page| page.requests.len()).collect::<Vec<_>>(), [PAGE_REQUESTS_MAX, 1]);
    }

    #[test]
    fn what_is_no_har_file_is_refused() {
        assert_eq!(from_har(&har(Vec::new())), Err(WebError::NoEntries));
        let mut unanswered = entry("p", [0, 0], [0, 0]);
        unanswered["response"]["status"] = json!(0);
        assert_eq!(from_har(&har(vec![unanswered])), Err(WebError::NoEntries));
        for bad in [&b""[..], b"{}", b"[]", b"{\"log\":{\"entries\":7}}", b"{\"log\":"] {
            assert!(matches!(from_har(bad), Err(WebError::NoHar(_))), "{bad:?}");
        }
        let deep = [b"{\"log\":".repeat(100_000), b"1".to_vec()].concat();
        assert!(matches!(from_har(&deep), Err(WebError::NoHar(_))), "nested deeply");
    }

    #[test]
    fn truncated_and_damaged_files_never_panic() {
        for cut in 0..EXAMPLE.len().saturating_sub(1) {
            // What is left out at the end may be blank.
            let rest_is_blank = EXAMPLE[cut..].iter().all(u8::is_ascii_whitespace);
            assert!(from_har(&EXAMPLE[..cut]).is_err() || rest_is_blank, "cut at {cut}");
        }
        for seed in 0..300 {
            let mut rng = Rng::from_u64(seed);
            let mut text = EXAMPLE.to_vec();
            for _ in 0..=rng.below(10) {
                let at = rng.below(text.len() as u64) as usize;
                text[at] = if rng.chance(0.5) { rng.u64() as u8 } else { b"0-9{}e"[rng.below(6) as usize] };
            }
            let _ = from_har(&text);
        }
    }
}
