//! What a request is answered with.

use core::fmt::{self, Write as _};
use core::ops::Range;
use core::time::Duration;

use tng_services::http::{RangeField, Selected, select};

use super::conditions::{ETag, Met, date};
use super::{BadRequest, Method, Request, media};

/// How a request ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
#[expect(missing_docs, reason = "RFC 9110 section 15 has them")]
pub enum Status {
    Ok = 200,
    PartialContent = 206,
    MovedPermanently = 301,
    NotModified = 304,
    BadRequest = 400,
    Forbidden = 403,
    NotFound = 404,
    MethodNotAllowed = 405,
    RequestTimeout = 408,
    PreconditionFailed = 412,
    TargetTooLong = 414,
    RangeNotSatisfiable = 416,
    Misdirected = 421,
    HeadTooLong = 431,
    BadGateway = 502,
    ServiceUnavailable = 503,
    GatewayTimeout = 504,
    VersionNotSupported = 505,
}

impl Status {
    /// Its number.
    pub const fn code(self) -> u16 {
        self as u16
    }

    const fn reason(self) -> &'static str {
        match self {
            Status::Ok => "OK",
            Status::PartialContent => "Partial Content",
            Status::MovedPermanently => "Moved Permanently",
            Status::NotModified => "Not Modified",
            Status::BadRequest => "Bad Request",
            Status::Forbidden => "Forbidden",
            Status::NotFound => "Not Found",
            Status::MethodNotAllowed => "Method Not Allowed",
            Status::RequestTimeout => "Request Timeout",
            Status::PreconditionFailed => "Precondition Failed",
            Status::TargetTooLong => "URI Too Long",
            Status::RangeNotSatisfiable => "Range Not Satisfiable",
            Status::Misdirected => "Misdirected Request",
            Status::HeadTooLong => "Request Header Fields Too Large",
            Status::BadGateway => "Bad Gateway",
            Status::ServiceUnavailable => "Service Unavailable",
            Status::GatewayTimeout => "Gateway Timeout",
            Status::VersionNotSupported => "HTTP Version Not Supported",
        }
    }
}

/// What is known of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// In bytes.
    pub len: u64,
    /// The time of its last change in milliseconds since 1970, if that is known.
    pub modified_ms: Option<u64>,
}

impl About {
    /// What tells its state from others, if anything does.
    pub fn tag(&self) -> Option<ETag> {
        self.modified_ms.map(|modified_ms| ETag { len: self.len, modified_ms })
    }
}

/// What stands before a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// How it ends.
    pub status: Status,
    /// Fields beside Date, Content-Length and Connection.
    fields: Vec<(&'static str, String)>,
    /// Bytes of the body; of that which a GET would have, for a HEAD. Nothing where there is no body by definition.
    len: Option<u64>,
}

/// Part of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// These bytes.
    Text(Vec<u8>),
    /// These of the file.
    File(Range<u64>),
}

/// An answer: a head, and parts of a body one behind the other, as long together as the head says; none for a HEAD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// What stands first.
    pub head: Head,
    /// What follows.
    pub parts: Vec<Part>,
}

impl Head {
    fn new(status: Status, len: Option<u64>) -> Head {
        Head { status, fields: Vec::new(), len }
    }

    #[must_use]
    fn with(mut self, name: &'static str, value: impl fmt::Display) -> Head {
        self.fields.push((name, value.to_string()));
        self
    }

    /// Its bytes, at the time `now` since 1970; `is_kept` if the connection is.
    pub fn to_bytes(&self, now: Duration, is_kept: bool) -> Vec<u8> {
        let mut out = format!("HTTP/1.1 {} {}\r\n", self.status.code(), self.status.reason());
        let mut field = |name: &str, value: &str| {
            // Nothing that is written here begins another line.
            debug_assert!(!value.bytes().any(|byte| byte.is_ascii_control()), "{name}: {value:?}");
            let _ = write!(out, "{name}: {value}\r\n");
        };
        field("Server", "tng");
        field("Date", &date(now));
        self.fields.iter().for_each(|(name, value)| field(name, value));
        if let Some(len) = self.len {
            field("Content-Length", &len.to_string());
        }
        // Said in either case: who speaks HTTP/1.0 wants to hear it.
        field("Connection", if is_kept { "keep-alive" } else { "close" });
        out.push_str("\r\n");
        out.into_bytes()
    }
}

impl Reply {
    /// A text for people.
    fn text(head: Head, media: &str, text: Vec<u8>, method: Method) -> Reply {
        let head = Head { len: Some(text.len() as u64), ..head.with("Content-Type", media) };
        let head = head.with("X-Content-Type-Options", "nosniff");
        Reply { head, parts: if method == Method::Head { Vec::new() } else { vec![Part::Text(text)] } }
    }

    /// The bytes of one that has nothing of a file in it.
    pub fn to_bytes(&self, now: Duration, is_kept: bool) -> Vec<u8> {
        let mut bytes = self.head.to_bytes(now, is_kept);
        for part in &self.parts {
            match part {
                Part::Text(text) => bytes.extend_from_slice(text),
                Part::File(_) => debug_assert!(false, "it has something of a file"),
            }
        }
        bytes
    }

    /// A page.
    pub fn page(html: String, method: Method) -> Reply {
        Reply::text(Head::new(Status::Ok, None), "text/html; charset=utf-8", html.into_bytes(), method)
    }
}

/// An answer that says why there is no other, and what to do, to `method`.
pub fn refusal(status: Status, words: &str, method: Method) -> Reply {
    let head = Head::new(status, None);
    let head = match status {
        Status::MethodNotAllowed => head.with("Allow", "GET, HEAD"),
        Status::ServiceUnavailable => head.with("Retry-After", 1),
        _ => head,
    };
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Reply::text(head, "text/plain; charset=utf-8", format!("{words}\n").into_bytes(), method)
}

/// An answer that leads elsewhere: `location` is a target in origin form, escaped.
pub fn redirect(location: &str, method: Method) -> Reply {
    let head = Head::new(Status::MovedPermanently, None).with("Location", location);
    Reply::text(head, "text/plain; charset=utf-8", format!("{location}\n").into_bytes(), method)
}

impl From<BadRequest> for Reply {
    fn from(bad: BadRequest) -> Reply {
        refusal(bad.status(), &bad.to_string(), Method::Get)
    }
}

/// Answers a GET or HEAD of a file. `boundary` is drawn anew each time, 32 hexadecimal digits: what stands between
/// several parts, and in none of them.
pub fn answer(request: &Request, path: &str, about: &About, boundary: &str) -> Reply {
    let described = |head: Head| {
        let head = match about.modified_ms {
            Some(ms) => head.with("Last-Modified", date(Duration::from_millis(ms))),
            None => head,
        };
        let head = match about.tag() {
            Some(tag) => head.with("ETag", tag),
            None => head,
        };
        head.with("Accept-Ranges", "bytes")
    };
    let with_range = match request.conditions.judge(about.tag()) {
        Met::NotModified => return Reply { head: described(Head::new(Status::NotModified, None)), parts: Vec::new() },
        Met::Failed => {
            let words = "the file is not the one that is meant; ask again without conditions, or for what is there now";
            return refusal(Status::PreconditionFailed, words, request.method);
        }
        Met::Yes { with_range } => with_range,
    };
    // To anything but GET a range says nothing (RFC 9110 section 14.2).
    let counts = with_range && request.method == Method::Get;
    let field = if counts { &request.range } else { &RangeField::None };
    let media = media::of(path);
    let of = |head: Head| head.with("Content-Type", media).with("X-Content-Type-Options", "nosniff");
    let len = about.len;
    match select(field, len) {
        Selected::Whole => {
            let head = described(of(Head::new(Status::Ok, Some(len))));
            let is_empty = request.method == Method::Head || len == 0;
            Reply { head, parts: if is_empty { Vec::new() } else { vec![Part::File(0..len)] } }
        }
        Selected::One(range) => {
            let head = described(of(Head::new(Status::PartialContent, Some(range.end - range.start))));
            let head = head.with("Content-Range", ContentRange(&range, len));
            Reply { head, parts: vec![Part::File(range)] }
        }
        Selected::Several(ranges) => {
            let parts = multipart(&ranges, media, len, boundary);
            let sum = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.len()));
            let head = described(Head::new(Status::PartialContent, Some(sum)));
            Reply { head: head.with("Content-Type", format_args!("multipart/byteranges; boundary={boundary}")), parts }
        }
        Selected::Unsatisfiable => {
            let words = format!("the range is none of this file, which has {len} bytes; ask for another, or for all");
            let Reply { head, parts } = refusal(Status::RangeNotSatisfiable, &words, request.method);
            Reply { head: head.with("Content-Range", format_args!("bytes */{len}")), parts }
        }
    }
}

impl Part {
    /// In bytes.
    pub fn len(&self) -> u64 {
        match self {
            Part::Text(text) => text.len() as u64,
            Part::File(range) => range.end - range.start,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

struct ContentRange<'a>(&'a Range<u64>, u64);

impl fmt::Display for ContentRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ContentRange(range, len) = self;
        write!(f, "bytes {}-{}/{len}", range.start, range.end - 1)
    }
}

/// Several ranges in one body (RFC 9110 section 14.6).
fn multipart(ranges: &[Range<u64>], media: &str, len: u64, boundary: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for range in ranges {
        let content = ContentRange(range, len);
        let text = format!("\r\n--{boundary}\r\nContent-Type: {media}\r\nContent-Range: {content}\r\n\r\n");
        parts.push(Part::Text(text.into_bytes()));
        parts.push(Part::File(range.clone()));
    }
    parts.push(Part::Text(format!("\r\n--{boundary}--\r\n").into_bytes()));
    parts
}

impl Head {
    /// Bytes of the body that it announces, if there may be one.
    pub const fn body_len(&self) -> Option<u64> {
        self.len
    }
}
