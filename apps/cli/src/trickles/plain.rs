//! Files over plain TCP, from a server of HTTP (RFC 9110) as old as it may be: asked by HTTP/1.0 (RFC 1945), whose
//! answers come in one piece. Nothing tells who answers, nor that what arrives is what was sent.

use std::io;
use std::str::FromStr;
use std::time::Duration;

use bytes::BytesMut;
use tng_services::files::{Answer, DATA_MAX, Fault, FaultCode, MESSAGE_MAX, Meta, Request, SafePath};
use tng_services::forward::{Destination, NoDestination};
use tng_wire::{Reader, Repr};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::listings::put;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::files::{Opened, Opener, READ_MAX};
use crate::forward::{dial, look_up};
use crate::location::escape;

/// Bytes of what an HTTP server says before the file, at most.
pub const HTTP_HEAD_MAX: usize = 16 << 10;
/// How long an HTTP server may be silent.
pub const HTTP_SILENCE_MAX: Duration = Duration::from_secs(30);
const SCHEME: &str = "http://";
const PORT: u16 = 80;

/// Where a server of HTTP has the files: `http://HOST[:PORT][/PATH]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainUrl {
    to: Destination,
    /// What goes before the path of a file, without a slash at its end.
    above: String,
}

/// Why a text is no [`PlainUrl`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPlainUrl {
    /// Another scheme, or none.
    #[error("write http://HOST[:PORT][/PATH]; there is no TLS here")]
    Scheme,
    /// No host, or no port.
    #[error(transparent)]
    Host(#[from] NoDestination),
    /// The path has what no path of a URL has.
    #[error("a path of a URL has letters, digits and marks, all else as %xx, and here neither ? nor #")]
    Path,
}

impl FromStr for PlainUrl {
    type Err = NoPlainUrl;

    fn from_str(text: &str) -> Result<PlainUrl, NoPlainUrl> {
        let rest = text.strip_prefix(SCHEME).ok_or(NoPlainUrl::Scheme)?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let to = match host.parse::<Destination>() {
            Err(NoDestination::Form) => format!("{host}:{PORT}").parse()?,
            parsed => parsed?,
        };
        if !path.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte)) {
            return Err(NoPlainUrl::Path);
        }
        let path = path.trim_end_matches('/');
        Ok(PlainUrl { to, above: if path.is_empty() { String::new() } else { format!("/{path}") } })
    }
}

impl std::fmt::Display for PlainUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{SCHEME}{}{}", self.to, self.above)
    }
}

/// A server of HTTP. Each file is a connection.
#[derive(Clone, Debug)]
pub struct Plain {
    url: PlainUrl,
}

/// What an HTTP server says before a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Head {
    /// Of the file, in bytes.
    len: u64,
}

impl Plain {
    /// The server that has files at this URL.
    pub const fn new(url: PlainUrl) -> Plain {
        Plain { url }
    }

    /// Answers one request as a file service would.
    async fn answer(self, mut tcp: TcpStream, mut recv: ReadHalf<DuplexStream>, mut send: WriteHalf<DuplexStream>) {
        let mut request = Vec::new();
        if (&mut recv).take(MESSAGE_MAX as u64 + 16).read_to_end(&mut request).await.is_err() {
            return;
        }
        let begun = match Request::parse(&mut Reader::new(&request)) {
            Ok(Request::Get { path, .. }) => self.ask(&mut tcp, &path).await,
            _ => Err(Fault::new(FaultCode::NotAllowed, "over plain TCP files are fetched by their names, and no more")),
        };
        let said = match begun {
            Ok((head, first)) => copy(&mut tcp, head, first, &mut send).await,
            Err(fault) => send.write_all(&message(&Answer::Fault(fault))).await,
        };
        // A file that is cut off is seen by its end.
        if said.is_ok() {
            let _ = send.shutdown().await;
        }
    }

    /// Asks for a file. What came of it together with the head is given back.
    async fn ask(&self, tcp: &mut TcpStream, path: &SafePath) -> Result<(Head, BytesMut), Fault> {
        let PlainUrl { to, above } = &self.url;
        let asked = format!("GET {above}/{} HTTP/1.0\r\nHost: {to}\r\nUser-Agent: tng\r\n\r\n", escape(path));
        let failed = |error: io::Error| Fault::new(FaultCode::Io, &reason(&error));
        patiently(tcp.write_all(asked.as_bytes())).await.map_err(failed)?;
        let mut came = BytesMut::with_capacity(READ_MAX);
        loop {
            if let Some(end) = came.windows(4).position(|at| at == b"\r\n\r\n") {
                let head = came.split_to(end + 4);
                return Ok((parse(&head)?, came));
            }
            if came.len() > HTTP_HEAD_MAX || patiently(tcp.read_buf(&mut came)).await.map_err(failed)? == 0 {
                return Err(malformed("it is no HTTP, or says too much of itself"));
            }
        }
    }
}

/// Sends a file on, with the hash of what came: nobody has said what it should be.
async fn copy(
    tcp: &mut TcpStream,
    head: Head,
    mut came: BytesMut,
    send: &mut WriteHalf<DuplexStream>,
) -> io::Result<()> {
    send.write_all(&message(&Answer::File { size: head.len, offset: 0, meta: Meta::default() })).await?;
    let (mut hasher, mut left) = (blake3::Hasher::new(), head.len);
    while left > 0 {
        if came.is_empty() {
            came.reserve(DATA_MAX);
            if patiently(tcp.read_buf(&mut came)).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let piece = came.split_to(came.len().min(DATA_MAX).min(usize::try_from(left).unwrap_or(usize::MAX)));
        hasher.update(&piece);
        send.write_all(Answer::data_head(piece.len(), &mut [0; Answer::DATA_HEAD_MAX])).await?;
        send.write_all(&piece).await?;
        left -= piece.len() as u64;
    }
    send.write_all(&message(&Answer::End { hash: *hasher.finalize().as_bytes() })).await
}

/// Reads what an HTTP server says before a file.
fn parse(head: &[u8]) -> Result<Head, Fault> {
    let text = std::str::from_utf8(head).map_err(|_| malformed("it is no HTTP"))?;
    let mut lines = text.split("\r\n");
    let mut status = lines.next().unwrap_or_default().splitn(3, ' ');
    let (version, code) = (status.next().unwrap_or_default(), status.next().unwrap_or_default());
    if !version.starts_with("HTTP/1.") {
        return Err(malformed("it is no HTTP"));
    }
    match code {
        "200" => {}
        "404" | "410" => return Err(Fault::new(FaultCode::NotFound, "")),
        "401" | "403" => return Err(Fault::new(FaultCode::NotAllowed, "")),
        code => {
            return Err(malformed(&format!("the HTTP server answers {code} {}", status.next().unwrap_or_default())));
        }
    }
    let mut len = None;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            // RFC 9112, section 6.3: two that differ are an attack, or a mistake.
            let this = value.parse::<u64>().ok().filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()));
            match (this, len) {
                (Some(this), None) => len = Some(this),
                (Some(this), Some(before)) if this == before => {}
                _ => return Err(malformed("the HTTP server does not say one length")),
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding")
            || (name.eq_ignore_ascii_case("content-encoding") && !value.eq_ignore_ascii_case("identity"))
        {
            return Err(malformed("the HTTP server encodes what nobody asked it to"));
        }
    }
    len.map(|len| Head { len }).ok_or_else(|| malformed("the HTTP server does not say how long the file is"))
}

async fn patiently<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(HTTP_SILENCE_MAX, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

fn message(answer: &Answer) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(answer, &mut bytes);
    bytes
}

fn malformed(why: &str) -> Fault {
    Fault::new(FaultCode::Other, why)
}

impl Opener for Plain {
    type Send = WriteHalf<DuplexStream>;
    type Recv = ReadHalf<DuplexStream>;

    fn takes_blocks(&self) -> bool {
        false
    }

    async fn open(&self) -> Result<Opened<Plain>, Failure> {
        let tcp = dial(look_up(&self.url.to), |_| true).await;
        let tcp = tcp.map_err(|error| Failure::new(Exit::Connect, format!("connecting to {}", self.url), error))?;
        let (here, there) = duplex(READ_MAX);
        let ((recv, send), (asked, answer)) = (split(here), split(there));
        tokio::spawn(self.clone().answer(tcp, asked, answer));
        Ok(Opened { send, recv, asking: Box::new(|_| {}), sending: Box::new(|_| {}) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_http_has_a_host_and_may_have_a_port_and_a_path() {
        for (text, shown) in [
            ("http://a", "http://a:80"),
            ("http://a/", "http://a:80"),
            ("http://a:81/b/c/", "http://a:81/b/c"),
            ("http://[::1]/x%20y", "http://[::1]:80/x%20y"),
            ("http://[::1]:81", "http://[::1]:81"),
        ] {
            assert_eq!(text.parse::<PlainUrl>().map(|url| url.to_string()).as_deref(), Ok(shown), "{text}");
        }
        for (text, error) in [
            ("https://a", NoPlainUrl::Scheme),
            ("a", NoPlainUrl::Scheme),
            ("http://", NoPlainUrl::Host(NoDestination::Host)),
            ("http://u@a", NoPlainUrl::Host(NoDestination::Host)),
            ("http://a:x", NoPlainUrl::Host(NoDestination::Port)),
            ("http://a/b c", NoPlainUrl::Path),
            ("http://a/b\r\nc", NoPlainUrl::Path),
            ("http://a/?b", NoPlainUrl::Path),
        ] {
            assert_eq!(text.parse::<PlainUrl>(), Err(error), "{text}");
        }
    }

    #[test]
    fn what_an_http_server_says_is_a_file_of_one_length_or_a_fault() {
        let head = |text: &str| parse(format!("{text}\r\n\r\n").as_bytes()).map_err(|fault| fault.code);
        assert_eq!(head("HTTP/1.1 200 OK\r\ncontent-LENGTH: 7\r\nContent-Encoding: identity"), Ok(Head { len: 7 }));
        assert_eq!(head("HTTP/1.0 200 OK\r\nContent-Length: 7\r\nContent-Length: 7"), Ok(Head { len: 7 }));
        for (text, code) in [
            ("HTTP/1.0 404 Not Found", FaultCode::NotFound),
            ("HTTP/1.0 403 Forbidden", FaultCode::NotAllowed),
            ("HTTP/1.0 302 Found\r\nLocation: http://b/", FaultCode::Other),
            ("HTTP/1.0 200 OK", FaultCode::Other),
            ("HTTP/1.0 200 OK\r\nContent-Length: 7\r\nContent-Length: 8", FaultCode::Other),
            ("HTTP/1.0 200 OK\r\nContent-Length: +7", FaultCode::Other),
            ("HTTP/1.0 200 OK\r\nContent-Length: 99999999999999999999", FaultCode::Other),
            ("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked", FaultCode::Other),
            ("HTTP/1.0 200 OK\r\nContent-Length: 7\r\nContent-Encoding: gzip", FaultCode::Other),
            ("SSH-2.0-x", FaultCode::Other),
        ] {
            assert_eq!(head(text), Err(code), "{text}");
        }
    }
}
