//! Prepares the input of a server of files where its client is (Trickles 4.2, 7.2): a request of HTTP is parsed and
//! checked here, and becomes the few bytes that the server knows.

use std::borrow::Cow;

use tng_services::files::SafePath;
use tng_services::http::{Bytes, RangeField, unescape};
use tng_services::stateless::{Asking, What};

use crate::purpose::{Purpose, Unusable, Wanted};

/// Fields of a request, at most.
pub const FIELDS_MAX: usize = 32;

/// The part of a file that a request of HTTP asks for: the bytes alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request;

/// Why a text is no request that a server of files can do something with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadRequest {
    /// Its lines are not those of HTTP, or not all are there, or too many.
    #[error(
        "it is no request of HTTP/1.1: a line, at most {FIELDS_MAX} fields, an empty line, and nothing behind that"
    )]
    Malformed,
    /// It does something.
    #[error("files are handed out, and no more: GET")]
    Method,
    /// There is a body.
    #[error("it has a body, and nothing is taken; send none")]
    Body,
    /// The target is no path.
    #[error("its target is no path of a file: write /FOLDER/FILE, without a query")]
    Target,
    /// There are several ranges, or one that is known when the length of the file is.
    #[error("one range is fetched at once, by its first byte: bytes=FIRST- or bytes=FIRST-LAST")]
    Range,
}

/// Reads a request. Answers the file, and which bytes are wanted: from one on, and up to another if that is said.
///
/// # Errors
/// [`Unusable`]: a [`BadRequest`], or a path that leads elsewhere.
fn parse(said: &[u8]) -> Result<(SafePath, u64, Option<u64>), Unusable> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut request = httparse::Request::new(&mut fields);
    let is_whole = request.parse(said).is_ok_and(|status| status == httparse::Status::Complete(said.len()));
    let (Some(method), Some(target), true) = (request.method, request.path, is_whole) else {
        return Err(BadRequest::Malformed.into());
    };
    if method != "GET" {
        return Err(BadRequest::Method.into());
    }
    let is = |field: &httparse::Header<'_>, name: &str| field.name.eq_ignore_ascii_case(name);
    let has_body = |field| is(field, "transfer-encoding") || is(field, "content-length") && field.value != b"0";
    if request.headers.iter().any(has_body) {
        return Err(BadRequest::Body.into());
    }
    let path = target.strip_prefix('/').filter(|path| !path.contains(['?', '#'])).ok_or(BadRequest::Target)?;
    let path = SafePath::parse(&unescape(path)?)?;
    if path.is_root() {
        return Err(BadRequest::Target.into());
    }
    let mut ranges = request.headers.iter().filter(|field| is(field, "range"));
    let (from, until) = match (ranges.next().map(|field| RangeField::parse(field.value)), ranges.next()) {
        (None | Some(RangeField::None), None) => (0, None),
        (Some(RangeField::Bytes(bytes)), None) => match bytes[..] {
            [Bytes::From(first, last)] => (first, last.map(|last| last.saturating_add(1))),
            _ => return Err(BadRequest::Range.into()),
        },
        _ => return Err(BadRequest::Range.into()),
    };
    Ok((path, from, until))
}

impl Purpose for Request {
    const AT_ONCE: usize = usize::MAX;

    fn begin(said: &[u8]) -> Result<(Request, Wanted), Unusable> {
        let (path, from, until) = parse(said)?;
        let bytes = Asking { what: What::File, start: from, path }.to_bytes()?;
        Ok((Request, Wanted { bytes, from, until }))
    }

    fn take<'a>(&mut self, came: &'a [u8]) -> Result<Cow<'a, [u8]>, Unusable> {
        Ok(Cow::Borrowed(came))
    }

    fn end(&mut self) -> Result<(Vec<u8>, Option<Wanted>), Unusable> {
        Ok((Vec::new(), None))
    }
}
