//! Heads of requests, out of a stream of bytes.

use tng_services::files::{SafePath, UnsafePath};
use tng_services::forward::{Destination, NoDestination};
use tng_services::http::{BadEscape, RangeField, unescape};

use super::conditions::Conditions;
use super::{FIELDS_MAX, HEAD_MAX, Status, TARGET_LEN_MAX};

/// The port of `http:`.
const HTTP_PORT: u16 = 80;
const SCHEME: &str = "http://";

/// What a connection brings, cut into requests. Holds one head at most, and one piece of input.
#[derive(Debug, Default)]
pub struct Heads {
    bytes: Vec<u8>,
    /// So many were looked at, and no head ends among them.
    seen: usize,
    /// Whether an empty line was left out before the next head.
    after_empty_line: bool,
}

/// What a request wants done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// GET.
    Get,
    /// HEAD.
    Head,
    /// CONNECT: a tunnel.
    Connect,
    /// Any other, which nobody here does.
    Other,
}

impl Method {
    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Connect => "CONNECT",
            Method::Other => "other",
        }
    }
}

/// What a request is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Something on a host.
    Resource {
        /// Which host: that of the target itself, if it names one, else that of the field Host.
        host: Option<Destination>,
        /// Whether the target itself names it, as it is said to a proxy.
        is_absolute: bool,
        /// Where.
        path: SafePath,
        /// Whether the path ends with a slash, as a folder's.
        is_folder: bool,
    },
    /// Where a tunnel is to lead.
    Authority(Destination),
}

/// What a head asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// What the client asks for.
    pub method: Method,
    /// With what.
    pub target: Target,
    /// Whether the connection is kept for another request.
    pub is_kept: bool,
    /// Whether the client speaks HTTP/1.0, where nothing is kept unless that is said.
    pub is_old: bool,
    /// On which conditions.
    pub conditions: Conditions,
    /// Which bytes.
    pub range: RangeField,
}

/// Why bytes are no request that is answered. All that comes behind them on the connection means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadRequest {
    /// The head has no end.
    #[error("the head of the request is too long: {HEAD_MAX} bytes and {FIELDS_MAX} fields are allowed; send fewer")]
    TooLong,
    /// The target is too long.
    #[error("the URL is too long: {TARGET_LEN_MAX} bytes are allowed; ask for a shorter path")]
    TargetTooLong,
    /// A line ends with one byte.
    #[error("a line ends without CR and LF; send both")]
    LineEnd,
    /// The lines are not those of HTTP.
    #[error("that is no request of HTTP/1.1; a line is not as RFC 9112 has it, or goes on in the next")]
    Malformed,
    /// Another version.
    #[error("HTTP/1.1 and HTTP/1.0 are spoken here; ask by one of them")]
    Version,
    /// Two fields say something of the body, or one says it twice.
    #[error("the request says in two ways how long it is; send Content-Length once, or nothing")]
    TwoLengths,
    /// A field that may be there once is there twice.
    #[error("a field of the request is there twice that may be there once; send it once")]
    Twice,
    /// There is a body.
    #[error("the request has a body, and nothing is taken here; send none")]
    Body,
    /// No host, two, or none that could be.
    #[error("the request does not name one host; send one field Host")]
    Host,
    /// What the target names is nothing that could be here.
    #[error("the URL is none of something here: {0}")]
    Path(UnsafePath),
    /// The target cannot be read.
    #[error("the URL cannot be read: % is followed by two hexadecimal digits, and the whole is UTF-8")]
    Target,
}

impl BadRequest {
    /// How it is answered.
    pub const fn status(self) -> Status {
        match self {
            BadRequest::TooLong => Status::HeadTooLong,
            BadRequest::TargetTooLong => Status::TargetTooLong,
            BadRequest::Version => Status::VersionNotSupported,
            _ => Status::BadRequest,
        }
    }
}

impl Heads {
    /// At the beginning of a connection.
    pub fn new() -> Heads {
        Heads::default()
    }

    /// Takes what came.
    pub fn take(&mut self, input: &[u8]) {
        self.bytes.extend_from_slice(input);
    }

    /// Whether something came of the next head.
    pub const fn has_begun(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// What came and is no part of a head that was given out: what a tunnel begins with.
    pub fn into_rest(self) -> Vec<u8> {
        self.bytes
    }

    /// The next request, if its head is there.
    ///
    /// # Errors
    /// [`BadRequest`].
    pub fn request(&mut self) -> Result<Option<Request>, BadRequest> {
        while self.seen < self.bytes.len() {
            let at = self.seen;
            if at == HEAD_MAX {
                return Err(BadRequest::TooLong);
            }
            if self.bytes[at] == b'\n' {
                match self.bytes[..at] {
                    [.., b'\r', b'\n', b'\r'] => {
                        let request = parse(&self.bytes[..=at]);
                        self.bytes.drain(..=at);
                        (self.seen, self.after_empty_line) = (0, false);
                        return request.map(Some);
                    }
                    // Some programs end the request before with an empty line (RFC 9112 section 2.2).
                    [b'\r'] if !self.after_empty_line => {
                        self.bytes.drain(..=at);
                        (self.seen, self.after_empty_line) = (0, true);
                        continue;
                    }
                    [b'\r'] => return Err(BadRequest::Malformed),
                    [.., b'\r'] => {}
                    _ => return Err(BadRequest::LineEnd),
                }
            }
            self.seen += 1;
        }
        Ok(None)
    }
}

fn parse(head: &[u8]) -> Result<Request, BadRequest> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(len)) if len == head.len() => {}
        Ok(_) => return Err(BadRequest::Malformed),
        Err(httparse::Error::TooManyHeaders) => return Err(BadRequest::TooLong),
        Err(httparse::Error::Version) => return Err(BadRequest::Version),
        Err(_) => return Err(BadRequest::Malformed),
    }
    let (Some(method), Some(target), Some(version)) = (parsed.method, parsed.path, parsed.version) else {
        return Err(BadRequest::Malformed);
    };
    let fields = Fields(parsed.headers);
    has_no_body(&fields)?;
    let is_old = version == 0;
    let host = host(&fields, is_old)?;
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "CONNECT" => Method::Connect,
        _ => Method::Other,
    };
    let target = read_target(method, target, host)?;
    let says = |word: &str| fields.all("connection").any(|list| options(list).any(|option| is(option, word)));
    let is_kept = !says("close") && (!is_old || says("keep-alive"));
    let conditions = Conditions::of(&fields)?;
    let range = fields.one("range")?.map_or(RangeField::None, RangeField::parse);
    Ok(Request { method, target, is_kept, is_old, conditions, range })
}

/// The fields of a head.
pub(super) struct Fields<'a>(&'a [httparse::Header<'a>]);

impl<'a> Fields<'a> {
    /// The values of the fields of one name, in lower case.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter(move |field| is(field.name.as_bytes(), name)).map(|field| field.value.trim_ascii())
    }

    /// The value of a field that may be there once.
    pub(super) fn one(&self, name: &str) -> Result<Option<&'a [u8]>, BadRequest> {
        let mut all = self.all(name);
        let first = all.next();
        if all.next().is_some() { Err(BadRequest::Twice) } else { Ok(first) }
    }
}

fn is(bytes: &[u8], word: &str) -> bool {
    bytes.eq_ignore_ascii_case(word.as_bytes())
}

/// The members of a list (RFC 9110 section 5.6.1).
fn options(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// Sees that nothing follows the head (RFC 9112 section 6.3).
fn has_no_body(fields: &Fields<'_>) -> Result<(), BadRequest> {
    let coded = fields.all("transfer-encoding").next().is_some();
    let mut lengths = fields.all("content-length");
    match (lengths.next(), lengths.next(), coded) {
        (None, None, false) => Ok(()),
        (_, Some(_), _) | (Some(_), _, true) => Err(BadRequest::TwoLengths),
        (Some(len), None, false) if len.contains(&b',') => Err(BadRequest::TwoLengths),
        (Some(len), None, false) if !len.is_empty() && len.iter().all(|digit| *digit == b'0') => Ok(()),
        (Some(len), None, false) if len.is_empty() || !len.iter().all(u8::is_ascii_digit) => Err(BadRequest::Malformed),
        _ => Err(BadRequest::Body),
    }
}

fn host(fields: &Fields<'_>, is_old: bool) -> Result<Option<Destination>, BadRequest> {
    let mut hosts = fields.all("host");
    match (hosts.next(), hosts.next()) {
        (None, _) if is_old => Ok(None),
        (Some(host), None) => authority(std::str::from_utf8(host).map_err(|_| BadRequest::Host)?).map(Some),
        _ => Err(BadRequest::Host),
    }
}

fn authority(text: &str) -> Result<Destination, BadRequest> {
    Destination::parse(text, Some(HTTP_PORT)).map_err(|_: NoDestination| BadRequest::Host)
}

fn read_target(method: Method, target: &str, host: Option<Destination>) -> Result<Target, BadRequest> {
    if target.len() > TARGET_LEN_MAX {
        return Err(BadRequest::TargetTooLong);
    }
    if !target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
        return Err(BadRequest::Target);
    }
    if method == Method::Connect {
        let to = Destination::parse(target, None).map_err(|_| BadRequest::Host)?;
        return Ok(Target::Authority(to));
    }
    let (is_absolute, host, resource) = match target.split_at_checked(SCHEME.len()) {
        // RFC 9112 section 3.2.2: then the field Host says nothing.
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(SCHEME) => {
            let (named, resource) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            (true, Some(authority(named)?), if resource.starts_with('/') { resource } else { "/" })
        }
        _ => (false, host, target),
    };
    let path = resource.split('?').next().unwrap_or_default();
    let Some(path) = path.strip_prefix('/') else { return Err(BadRequest::Target) };
    let path = unescape(path).map_err(|BadEscape| BadRequest::Target)?;
    let (path, is_folder) = match path.strip_suffix('/') {
        Some(folder) => (folder, true),
        None => (&path[..], path.is_empty()),
    };
    let path = SafePath::parse(path).map_err(|why| match why {
        UnsafePath::TooLong => BadRequest::TargetTooLong,
        why => BadRequest::Path(why),
    })?;
    Ok(Target::Resource { host, is_absolute, path, is_folder })
}
