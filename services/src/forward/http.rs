//! HTTP as a proxy gets it: CONNECT, and requests in absolute form, which leave in origin form (RFC 9110, 9112).
//!
//! A plain request is passed on with `Connection: close`, so that one connection serves one destination and nobody has
//! to know where a body ends.

use super::{Destination, NoDestination, RefusalCode};

/// The port of `http:`.
const HTTP_PORT: u16 = 80;

/// Fields that concern the proxy alone, or that are written anew.
const DROPPED: [&[u8]; 8] = [
    b"host",
    b"connection",
    b"proxy-connection",
    b"keep-alive",
    b"proxy-authorization",
    b"proxy-authenticate",
    b"te",
    b"upgrade",
];
/// Fields that say where the body ends; no list of options may take them away.
const KEPT: [&[u8]; 2] = [b"content-length", b"transfer-encoding"];

/// What a request asks for.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// A tunnel.
    Connect(Destination),
    /// A resource; this head goes to the destination in place of the one that came.
    Plain(Destination, Vec<u8>),
}

/// Where the head ends, empty line included; `from` is how far there was no end.
pub(super) fn head_len(bytes: &[u8], from: usize) -> Option<usize> {
    // The end may have begun before.
    let from = from.saturating_sub(3);
    let ends = bytes[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| from + at);
    ends.map(|at| (at, &bytes[at + 1..])).find_map(|(at, rest)| match rest {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// Reads a head.
///
/// # Errors
/// The answer to one that is no good.
pub(super) fn parse(head: &[u8]) -> Result<Asked, Vec<u8>> {
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let line = lines.next().and_then(|line| core::str::from_utf8(line).ok()).ok_or_else(not_understood)?;
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(not_understood());
    };
    let well_formed = is_token(method.as_bytes()) && target.bytes().all(|byte| byte.is_ascii_graphic());
    if !well_formed || !matches!(version, "HTTP/1.0" | "HTTP/1.1") {
        return Err(not_understood());
    }
    let fields: Vec<Field<'_>> =
        lines.filter(|line| !line.is_empty()).map(field).collect::<Option<_>>().ok_or_else(not_understood)?;
    if method == "CONNECT" {
        return Destination::parse(target, None).map(Asked::Connect).map_err(|error| no_destination(target, error));
    }
    let (authority, path) = resource(method, target)?;
    let destination =
        Destination::parse(authority, Some(HTTP_PORT)).map_err(|error| no_destination(authority, error))?;
    let mut out = format!("{method} {path} {version}\r\nHost: {authority}\r\n").into_bytes();
    for (name, value) in fields.iter().filter(|(name, _)| passes(name, &fields)) {
        out.extend_from_slice(name);
        out.push(b':');
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"Via: 1.1 tng\r\nConnection: close\r\n\r\n");
    Ok(Asked::Plain(destination, out))
}

/// A field's name, and what stands after the colon.
type Field<'a> = (&'a [u8], &'a [u8]);

fn field(line: &[u8]) -> Option<Field<'_>> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    (is_token(name) && !value.iter().any(|byte| matches!(byte, 0 | b'\r'))).then_some((name, value))
}

/// RFC 9110 section 5.6.2.
fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// Whether a field is for the destination: not dropped, and not named in `Connection` (RFC 9110 section 7.6.1).
fn passes(name: &[u8], fields: &[Field<'_>]) -> bool {
    let is = |other: &&[u8]| name.eq_ignore_ascii_case(other);
    let lists = fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(b"connection"));
    let mut options = lists.flat_map(|(_, list)| list.split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    KEPT.iter().any(is) || !DROPPED.iter().any(is) && !options.any(|option| name.eq_ignore_ascii_case(option))
}

/// The authority and the path, with its query, of a target in absolute form.
fn resource<'a>(method: &str, target: &'a str) -> Result<(&'a str, String), Vec<u8>> {
    const SCHEME: &str = "http://";
    if target.starts_with('/') || target == "*" {
        let hint = "this is a proxy: have your program use it as one (http_proxy=http://HOST:PORT)";
        return Err(response("400 Bad Request", hint));
    }
    let rest = match target.split_at_checked(SCHEME.len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(SCHEME) => rest,
        _ => return Err(response("400 Bad Request", "only http: is fetched; for anything else ask to CONNECT")),
    };
    if rest.contains('#') {
        return Err(not_understood());
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let path = match path {
        "" if method == "OPTIONS" => "*".to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("/{path}"),
    };
    Ok((authority, path))
}

fn no_destination(text: &str, error: NoDestination) -> Vec<u8> {
    response("400 Bad Request", &format!("{text}: {error}"))
}

fn not_understood() -> Vec<u8> {
    response("400 Bad Request", "the request was not understood")
}

/// That a head is longer than allowed.
pub(super) fn too_long() -> Vec<u8> {
    response("431 Request Header Fields Too Large", "the request is too long")
}

/// That the tunnel is there.
pub(super) const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// That the connection is not there.
pub(super) fn refused(code: RefusalCode, words: &str) -> Vec<u8> {
    let status = match code {
        RefusalCode::NotAllowed => "403 Forbidden",
        RefusalCode::TimedOut => "504 Gateway Timeout",
        RefusalCode::Busy => "503 Service Unavailable",
        RefusalCode::BadRequest => "400 Bad Request",
        _ => "502 Bad Gateway",
    };
    response(status, words)
}

fn response(status: &str, words: &str) -> Vec<u8> {
    let len = words.len() + 1;
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len}\r\n");
    format!("{head}Connection: close\r\n\r\n{words}\n").into_bytes()
}
