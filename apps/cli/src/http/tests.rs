//! What is refused, what is answered, and with which bytes.

use core::time::Duration;

use tng_services::files::{Entry, Kind, Meta, SafePath};
use tng_services::http::{Bytes, RANGES_MAX, RangeField, Selected, select};

use super::*;

const BOUNDARY: &str = "0123456789abcdef0123456789abcdef";
/// 2024-02-29 12:00:00.250.
const MODIFIED_MS: u64 = 1_709_208_000_250;
const MODIFIED: &str = "Thu, 29 Feb 2024 12:00:00 GMT";

fn heads(text: &str) -> Result<Option<Request>, BadRequest> {
    let mut heads = Heads::new();
    heads.take(text.as_bytes());
    heads.request()
}

/// A request of HTTP/1.1 with these fields, each line with its end.
fn get(fields: &str) -> Result<Request, BadRequest> {
    heads(&format!("GET /a/b.txt HTTP/1.1\r\nHost: h\r\n{fields}\r\n")).map(|request| request.expect("it is whole"))
}

fn path(request: &Request) -> (&str, bool) {
    match &request.target {
        Target::Resource { path, is_folder, .. } => (path.as_str(), *is_folder),
        Target::Authority(_) => panic!("a tunnel"),
    }
}

fn file(len: u64) -> About {
    About { len, modified_ms: Some(MODIFIED_MS) }
}

/// Status and fields of an answer as they stand on the wire, and the lengths of its parts.
fn answered(fields: &str, about: &About) -> (u16, String, u64) {
    let request = get(fields).expect("it is fine");
    let reply = answer(&request, "a/b.txt", about, BOUNDARY);
    let head = String::from_utf8(reply.head.to_bytes(Duration::from_secs(1_800_000_000), true)).expect("text");
    let sum: u64 = reply.parts.iter().map(Part::len).sum();
    assert!(reply.head.body_len().is_none_or(|len| len == sum), "{head}");
    (reply.head.status.code(), head, sum)
}

#[test]
fn a_request_is_the_same_however_its_bytes_are_cut_and_the_next_begins_behind_it() {
    let text = "\r\nGET /a%20b/?q HTTP/1.1\r\nHost: h:81\r\nRange: bytes=1-2\r\n\r\n\
                HEAD http://x/ HTTP/1.0\r\n\r\nCONNECT y:443 HTTP/1.1\r\nHost: y\r\n\r\nrest";
    let all = |cut: usize| {
        let (mut heads, mut found) = (Heads::new(), Vec::new());
        for piece in text.as_bytes().chunks(cut) {
            heads.take(piece);
            while found.len() < 3
                && let Some(request) = heads.request().expect("it is fine")
            {
                found.push(request);
            }
        }
        (found, heads.into_rest())
    };
    let (whole, rest) = all(text.len());
    assert_eq!(rest, b"rest");
    let [first, second, third] = &whole[..] else { panic!("{whole:?}") };
    assert_eq!((first.method, path(first), first.is_kept), (Method::Get, ("a b", true), true));
    assert_eq!(first.range, RangeField::Bytes(vec![Bytes::From(1, Some(2))]));
    let Target::Resource { host, is_absolute: true, .. } = &second.target else { panic!("{second:?}") };
    assert_eq!(host.as_ref().map(ToString::to_string).as_deref(), Some("x:80"));
    assert!(!second.is_kept && second.is_old);
    assert!(matches!(&third.target, Target::Authority(to) if to.port() == 443));
    for cut in 1..text.len() {
        assert_eq!(all(cut), (whole.clone(), rest.clone()), "{cut}");
    }
}

#[test]
fn what_others_could_take_for_two_requests_is_refused() {
    for (fields, bad) in [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", BadRequest::TwoLengths),
        ("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", BadRequest::TwoLengths),
        ("Content-Length: 0\r\nContent-Length: 0\r\n", BadRequest::TwoLengths),
        ("Content-Length: 0, 0\r\n", BadRequest::TwoLengths),
        ("Content-Length: +0\r\n", BadRequest::Malformed),
        ("Content-Length: 0x0\r\n", BadRequest::Malformed),
        ("Content-Length: \r\n", BadRequest::Malformed),
        ("Content-Length: 5\r\n", BadRequest::Body),
        ("Transfer-Encoding: chunked\r\n", BadRequest::Body),
        ("Transfer-Encoding: identity\r\n", BadRequest::Body),
        ("Transfer-Encoding : chunked\r\n", BadRequest::Malformed),
        ("A: b\r\n folded\r\n", BadRequest::Malformed),
        (" A: b\r\n", BadRequest::Malformed),
        ("A: b\rContent-Length: 5\r\n", BadRequest::Malformed),
        ("A: b\0\r\n", BadRequest::Malformed),
        ("A\r\n", BadRequest::Malformed),
        ("A: b\n", BadRequest::LineEnd),
        ("Host: h\r\n", BadRequest::Host),
        ("Range: bytes=0-1\r\nRange: bytes=2-3\r\n", BadRequest::Twice),
        ("If-Range: \"a\"\r\nIf-Range: \"a\"\r\n", BadRequest::Twice),
    ] {
        assert_eq!(get(fields), Err(bad), "{fields:?}");
    }
    // Control: what means the same as nothing is fine.
    assert!(get("Content-Length: 0\r\nTransfer: chunked\r\n").is_ok());
}

#[test]
fn lines_that_are_none_of_http_1_are_refused() {
    for (text, bad) in [
        ("GET / HTTP/1.1\r\n\r\n", BadRequest::Host),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", BadRequest::Host),
        ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", BadRequest::Host),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", BadRequest::Host),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", BadRequest::Version),
        ("GET /\r\nHost: h\r\n\r\n", BadRequest::Malformed),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Malformed),
        ("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", BadRequest::Malformed),
        ("G\u{e9}T / HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Malformed),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Malformed),
        ("GET / HTTP/1.1\nHost: h\r\n\r\n", BadRequest::LineEnd),
        ("GET a HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("GET * HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Target),
        ("CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", BadRequest::Host),
    ] {
        assert_eq!(heads(text), Err(bad), "{text:?}");
    }
    for target in ["/..", "/a/../b", "/%2e%2e/a", "/a%2f..%2fb", "/a//b", "/a%5cb", "/a%00", "/a%0d%0aX:y"] {
        let refused = heads(&format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n"));
        assert!(matches!(refused, Err(BadRequest::Path(_))), "{target}: {refused:?}");
    }
}

#[test]
fn a_head_without_an_end_is_refused_as_soon_as_it_is_too_long() {
    let mut endless = Heads::new();
    let mut taken = 0;
    endless.take(b"GET / HTTP/1.1\r\nHost: h\r\n");
    let refused = loop {
        match endless.request() {
            Ok(None) => endless.take(b"A: b\r\n"),
            refused => break refused,
        }
        taken += 6;
        assert!(taken <= HEAD_MAX);
    };
    assert_eq!(refused, Err(BadRequest::TooLong));
    // Control: as long as it may be.
    let padding = HEAD_MAX - "GET / HTTP/1.1\r\nHost: h\r\nA: \r\n\r\n".len();
    let longest = format!("GET / HTTP/1.1\r\nHost: h\r\nA: {}\r\n\r\n", "b".repeat(padding));
    assert_eq!(longest.len(), HEAD_MAX);
    assert!(matches!(heads(&longest), Ok(Some(_))));
    assert_eq!(heads(&longest.replace("A: ", "A: b")), Err(BadRequest::TooLong));
    assert_eq!(get(&"a:\r\n".repeat(FIELDS_MAX)), Err(BadRequest::TooLong));
    assert!(get(&"a:\r\n".repeat(FIELDS_MAX - 1)).is_ok());
    let long = format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "a".repeat(TARGET_LEN_MAX));
    assert_eq!(heads(&long), Err(BadRequest::TargetTooLong));
}

#[test]
fn a_connection_is_kept_as_both_versions_have_it() {
    for (version, field, kept) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: x, CLOSE\r\n", false),
        ("1.0", "", false),
        ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        let request = heads(&format!("GET / HTTP/{version}\r\nHost: h\r\n{field}\r\n")).expect("fine").expect("whole");
        assert_eq!(request.is_kept, kept, "{version} {field}");
    }
}

#[test]
fn ranges_select_what_rfc_9110_says() {
    let of = |value: &str, len| select(&RangeField::parse(value.as_bytes()), len);
    for (value, len, selected) in [
        ("bytes=0-0", 10, Selected::One(0..1)),
        ("bytes=3-", 10, Selected::One(3..10)),
        ("bytes=-3", 10, Selected::One(7..10)),
        ("bytes=-30", 10, Selected::One(0..10)),
        ("bytes=0-99", 10, Selected::One(0..10)),
        ("BYTES=8-8 , 0-1", 10, Selected::Several(vec![8..9, 0..2])),
        ("bytes=20-30,1-2,,", 10, Selected::One(1..3)),
        ("bytes=0-9,0-9", 10, Selected::Whole),
        ("bytes=0-4,5-9", 10, Selected::Several(vec![0..5, 5..10])),
        ("bytes=10-", 10, Selected::Unsatisfiable),
        ("bytes=-0", 10, Selected::Unsatisfiable),
        ("bytes=0-", 0, Selected::Whole),
        ("bytes=-5", 0, Selected::Whole),
        ("bytes=99999999999999999999-", 10, Selected::Unsatisfiable),
        ("bytes=5-99999999999999999999", 10, Selected::One(5..10)),
        ("lines=0-1", 10, Selected::Whole),
        // What contradicts itself is not guessed at.
        ("bytes=5-2", 10, Selected::Unsatisfiable),
        ("bytes=0-1,5-2", 10, Selected::Unsatisfiable),
        ("bytes=", 10, Selected::Unsatisfiable),
        ("bytes=-", 10, Selected::Unsatisfiable),
        ("bytes=a-b", 10, Selected::Unsatisfiable),
        ("bytes=+1-2", 10, Selected::Unsatisfiable),
        ("bytes=1 - 2", 10, Selected::Unsatisfiable),
        ("bytes", 10, Selected::Unsatisfiable),
    ] {
        assert_eq!(of(value, len), selected, "{value} of {len}");
    }
    let many = |count: usize| format!("bytes={}", vec!["0-0"; count].join(","));
    assert_eq!(of(&many(RANGES_MAX + 1), 1 << 30), Selected::Whole, "too many to be answered one by one");
    assert!(matches!(of(&many(RANGES_MAX), 1 << 30), Selected::Several(_)), "control");
}

#[test]
fn a_file_is_answered_whole_in_a_part_and_in_several() {
    let (status, head, sum) = answered("", &file(10));
    assert_eq!((status, sum), (200, 10));
    for line in [
        "HTTP/1.1 200 OK",
        "Date: Fri, 15 Jan 2027 08:00:00 GMT",
        "Content-Type: text/plain; charset=utf-8",
        &format!("Last-Modified: {MODIFIED}"),
        "ETag: \"18df4bc56fa-a\"",
        "Accept-Ranges: bytes",
        "Content-Length: 10",
        "Connection: keep-alive",
    ] {
        assert!(head.lines().any(|its| its == line), "{line} in {head}");
    }
    let (status, head, sum) = answered("Range: bytes=2-4\r\n", &file(10));
    assert!(status == 206 && sum == 3 && head.contains("\r\nContent-Range: bytes 2-4/10\r\n"), "{head}");
    let (status, head, _) = answered("Range: bytes=10-\r\n", &file(10));
    assert!(status == 416 && head.contains("\r\nContent-Range: bytes */10\r\n"), "{head}");
    let (status, head, sum) = answered("Range: bytes=0-1,4-4\r\n", &file(10));
    assert!(status == 206 && sum > 3 && head.contains(&format!("multipart/byteranges; boundary={BOUNDARY}")), "{head}");
    // A HEAD has the fields of a GET, whatever its range.
    let request = heads("HEAD /a HTTP/1.1\r\nHost: h\r\nRange: bytes=0-1\r\n\r\n").expect("fine").expect("whole");
    let reply = answer(&request, "a", &file(10), BOUNDARY);
    assert_eq!((reply.head.status, reply.head.body_len(), reply.parts.len()), (Status::Ok, Some(10), 0));
}

#[test]
fn the_parts_of_several_ranges_are_as_rfc_9110_has_them() {
    let request = get("Range: bytes=0-1,4-4\r\n").expect("fine");
    let reply = answer(&request, "a", &file(10), BOUNDARY);
    let text: String = reply
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Part::File(range) => "0123456789"[range.start as usize..range.end as usize].to_owned(),
        })
        .collect();
    let part = |range: &str, bytes: &str| {
        format!(
            "\r\n--{BOUNDARY}\r\nContent-Type: application/octet-stream\r\n\
             Content-Range: bytes {range}/10\r\n\r\n{bytes}"
        )
    };
    assert_eq!(text, format!("{}{}\r\n--{BOUNDARY}--\r\n", part("0-1", "01"), part("4-4", "4")));
}

#[test]
fn conditions_are_judged_in_the_order_of_rfc_9110() {
    let tag = "\"18df4bc56fa-a\"";
    let (before, after) = ("Wed, 28 Feb 2024 12:00:00 GMT", "Fri, 01 Mar 2024 12:00:00 GMT");
    for (fields, status) in [
        (format!("If-None-Match: {tag}\r\n"), 304),
        (format!("If-None-Match: \"x\", W/{tag}\r\n"), 304),
        (format!("If-None-Match: \"x\"\r\nIf-None-Match: {tag}\r\n"), 304),
        ("If-None-Match: *\r\n".to_owned(), 304),
        ("If-None-Match: \"x\"\r\n".to_owned(), 200),
        (format!("If-None-Match: \"x\"\r\nIf-Modified-Since: {after}\r\n"), 200),
        (format!("If-Modified-Since: {MODIFIED}\r\n"), 304),
        (format!("If-Modified-Since: {after}\r\n"), 304),
        (format!("If-Modified-Since: {before}\r\n"), 200),
        ("If-Modified-Since: yesterday\r\n".to_owned(), 200),
        (format!("If-Match: {tag}\r\n"), 200),
        ("If-Match: *\r\n".to_owned(), 200),
        (format!("If-Match: W/{tag}\r\n"), 412),
        ("If-Match: \"x\"\r\n".to_owned(), 412),
        (format!("If-Unmodified-Since: {MODIFIED}\r\n"), 200),
        (format!("If-Unmodified-Since: {before}\r\n"), 412),
        (format!("If-Match: {tag}\r\nIf-Unmodified-Since: {before}\r\n"), 200),
        (format!("If-Match: \"x\"\r\nIf-None-Match: {tag}\r\n"), 412),
    ] {
        assert_eq!(answered(&fields, &file(10)).0, status, "{fields}");
    }
    for (condition, status) in [
        (tag.to_owned(), 206),
        (format!("W/{tag}"), 200),
        ("\"x\"".to_owned(), 200),
        (MODIFIED.to_owned(), 206),
        (before.to_owned(), 200),
        (after.to_owned(), 200),
        ("nonsense".to_owned(), 200),
    ] {
        let fields = format!("Range: bytes=2-3\r\nIf-Range: {condition}\r\n");
        assert_eq!(answered(&fields, &file(10)).0, status, "{fields}");
    }
    // A range that is not there does not count if the file is another.
    assert_eq!(answered("Range: bytes=99-\r\nIf-Range: \"x\"\r\n", &file(10)).0, 200);
    for bad in ["If-None-Match: x\r\n", "If-None-Match: \"x\r\n", "If-Match: \"x\" \"y\"\r\n"] {
        assert_eq!(get(bad), Err(BadRequest::Malformed), "{bad}");
    }
    // Of what nobody knows the time nothing is the same as before.
    let unknown = About { len: 10, modified_ms: None };
    assert_eq!(answered(&format!("Range: bytes=2-3\r\nIf-Range: {tag}\r\n"), &unknown).0, 200);
    let (_, head, _) = answered(&format!("If-Modified-Since: {after}\r\n"), &unknown);
    assert!(head.starts_with("HTTP/1.1 200") && !head.contains("ETag") && !head.contains("Last-Modified"), "{head}");
}

#[test]
fn a_tag_changes_with_each_millisecond_and_each_byte() {
    let tag = |len, modified_ms| ETag { len, modified_ms }.to_string();
    assert_ne!(tag(10, MODIFIED_MS), tag(10, MODIFIED_MS + 1));
    assert_ne!(tag(10, MODIFIED_MS), tag(11, MODIFIED_MS));
}

#[test]
fn a_page_shows_names_as_what_they_are_and_leads_to_them() {
    let entry = |kind, path: &str| Entry { kind, path: SafePath::parse(path).unwrap(), size: 7, meta: Meta::default() };
    let entries = [
        entry(Kind::Folder, "sub dir"),
        entry(Kind::File, "<script>alert('1')&\""),
        entry(Kind::File, "javascript:alert(1)"),
        entry(Kind::File, "50%"),
    ];
    let page = listing(&SafePath::parse("a/b&c").unwrap(), &entries);
    for line in [
        "<a href=\"../\">../</a>",
        "<a href=\"./sub%20dir/\">sub dir/</a>",
        "<a href=\"./%3Cscript%3Ealert%28%271%27%29%26%22\">&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;</a>  7",
        "<a href=\"./javascript%3Aalert%281%29\">javascript:alert(1)</a>  7",
        "<a href=\"./50%25\">50%</a>  7",
    ] {
        assert!(page.lines().any(|its| its == line), "{line} in {page}");
    }
    assert!(page.contains("<h1>/a/b&amp;c</h1>") && !page.contains("<script"));
    let many = vec![entry(Kind::File, &"n".repeat(255)); PAGE_LEN_MAX / 255];
    let page = listing(&SafePath::root(), &many);
    assert!(page.len() <= PAGE_LEN_MAX + 100 && page.contains("and ") && page.ends_with("</html>\n"), "{}", page.len());
}

#[test]
fn a_refusal_says_what_to_do_on_one_line() {
    let reply = refusal(Status::NotFound, "not\r\nfound", Method::Get);
    assert_eq!(reply.parts, [Part::Text(b"not  found\n".to_vec())]);
    assert_eq!((reply.head.status.code(), reply.head.body_len()), (404, Some(11)));
    assert!(refusal(Status::NotFound, "x", Method::Head).parts.is_empty());
    let head = |status| String::from_utf8(refusal(status, "x", Method::Get).head.to_bytes(Duration::ZERO, false));
    assert!(head(Status::MethodNotAllowed).expect("text").contains("\r\nAllow: GET, HEAD\r\n"));
    assert!(head(Status::ServiceUnavailable).expect("text").contains("\r\nRetry-After: 1\r\n"));
    assert!(head(Status::NotFound).expect("text").contains("\r\nConnection: close\r\n"));
}
