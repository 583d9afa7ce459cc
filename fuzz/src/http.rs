//! What programs ask for files that know nothing of us, and how they are answered.

use core::time::Duration;

use stp_guest_trickles::Purpose;
use tng_cli::http::{About, BadRequest, Heads, Method, Part, Reply, Request, Target, answer};
use tng_services::http::{RANGES_MAX, RangeField, Selected, select};
use tng_services::stateless::Asking;

use crate::parsers::parser;

pub(crate) const TARGETS: &[crate::Target] = &[
    // A short request may have a long answer.
    crate::Target { memory: (32 << 10, 256), ..parser("http_request", 600, (http_request, request_seeds)) },
    parser("http_ranges", 200, (http_ranges, range_seeds)),
];

const BOUNDARY: &str = "0123456789abcdef0123456789abcdef";
const LENGTHS: [u64; 6] = [0, 1, 10, 1_000, 1 << 40, 1 << 62];

/// What a connection asks for, up to where it is given up.
fn requests<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Request>, Option<BadRequest>) {
    let (mut heads, mut found) = (Heads::new(), Vec::new());
    for piece in pieces {
        heads.take(piece);
        loop {
            match heads.request() {
                Ok(Some(request)) => found.push(request),
                Ok(None) => break,
                Err(bad) => return (found, Some(bad)),
            }
        }
    }
    (found, None)
}

/// However bytes are cut, the same is asked for; nothing that is taken has a body, or two hosts; each answer is as long
/// as it says, and its head has a line for each field.
fn http_request(bytes: &[u8]) {
    let [cut, len, bytes @ ..] = bytes else { return };
    let at_once = requests([bytes].into_iter());
    assert_eq!(requests(bytes.chunks(usize::from(*cut).max(1))), at_once);
    let (found, bad) = at_once;
    if let Some(bad) = bad {
        assert!((400..600).contains(&bad.status().code()) && !bad.to_string().is_empty());
        check(&Reply::from(bad), 0);
    }
    if let Some(first) = found.first() {
        let start = if bytes.starts_with(b"\r\n") { 2 } else { 0 };
        let end = bytes[start..].windows(4).position(|four| four == b"\r\n\r\n").expect("a head has an end");
        let head = bytes[start..start + end].to_ascii_lowercase();
        let lines = || head.split(|byte| *byte == b'\n').skip(1);
        let count = |name: &[u8]| lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(count(b"transfer-encoding:"), 0);
        assert!(count(b"content-length:") <= 1 && count(b"host:") <= 1);
        assert!(!lines().any(|line| line.starts_with(b" ") || line.starts_with(b"\t")));
        assert!(first.is_old || count(b"host:") == 1);
    }
    check_guest(bytes, found.first());
    let len = LENGTHS[usize::from(*len) % LENGTHS.len()];
    for request in found {
        let Target::Resource { path, .. } = &request.target else { continue };
        assert!(!path.as_str().split('/').any(|name| name == ".."));
        if matches!(request.method, Method::Get | Method::Head) {
            let about = About { len, modified_ms: (cut % 2 == 0).then_some(u64::MAX >> (cut % 64)) };
            let reply = answer(&request, path.as_str(), &about, BOUNDARY);
            assert!(request.method == Method::Get || reply.parts.is_empty());
            if request.method == Method::Get {
                check(&reply, len);
            }
        }
    }
}

/// What a guest makes of a request is what a server of files reads, of the file that is meant here as well.
fn check_guest(bytes: &[u8], here: Option<&Request>) {
    let Ok((_, wanted)) = stp_guest_trickles::Request::begin(bytes) else { return };
    let asking = Asking::parse(&wanted.bytes).expect("it was prepared for a server");
    assert_eq!(asking.start, wanted.from);
    if let Some(Request { target: Target::Resource { path, is_absolute: false, .. }, .. }) = here {
        assert_eq!(asking.path, *path);
    }
}

fn check(reply: &Reply, len: u64) {
    let sum: u128 = reply.parts.iter().map(|part| u128::from(part.len())).sum();
    assert!(reply.head.body_len().is_none_or(|said| u128::from(said) == sum), "{reply:?}");
    for part in &reply.parts {
        if let Part::File(range) = part {
            assert!(range.start < range.end && range.end <= len);
        }
    }
    let head = reply.head.to_bytes(Duration::MAX, true);
    let head = head.strip_suffix(b"\r\n\r\n").expect("an end");
    for line in head.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        assert!(!line.is_empty() && !line.iter().any(u8::is_ascii_control));
    }
}

/// What is selected is there, and no more than the whole.
fn http_ranges(bytes: &[u8]) {
    let Some((len, text)) = bytes.split_first() else { return };
    let len = LENGTHS[usize::from(*len) % LENGTHS.len()];
    let field = RangeField::parse(text);
    let ranges = match select(&field, len) {
        Selected::Whole | Selected::Unsatisfiable => return,
        Selected::One(range) => vec![range],
        Selected::Several(ranges) => ranges,
    };
    assert!(matches!(field, RangeField::Bytes(_)) && ranges.len() <= RANGES_MAX);
    assert!(ranges.iter().all(|range| range.start < range.end && range.end <= len));
    let sum: u128 = ranges.iter().map(|range| u128::from(range.end - range.start)).sum();
    assert!(sum <= u128::from(len));
}

fn request_seeds() -> Vec<Vec<u8>> {
    let seeds = [
        "\x07\x03GET /a/b%20c.txt?q HTTP/1.1\r\nHost: h:8080\r\nRange: bytes=0-1,5-9\r\nIf-Range: \"1-2\"\r\n\r\n",
        "\x01\x02\r\nHEAD http://h/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\nCONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n",
        "\x03\x04GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: W/\"a\", \"b\"\r\n\
         If-Modified-Since: Thu, 29 Feb 2024 12:00:00 GMT\r\n\r\n",
        "\x05\x01POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        "\x09\x02GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nIf-Match: *\r\n\r\n",
        "\x02\x02GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
        "\x02\x05GET /x HTTP/1.1\r\nHost: h\r\nRange: bytes=-5\r\nConnection: close\r\n\r\n\
         GET /y HTTP/1.1\nHost: h\n\n",
    ];
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

fn range_seeds() -> Vec<Vec<u8>> {
    let seeds = ["\x03bytes=0-1,5-", "\x02bytes=-5", "\x05bytes=18446744073709551615-,0-0", "\x00bytes=0-", "\x02a=1"];
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}
