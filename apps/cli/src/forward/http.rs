//! HTTP of a proxy: plain requests one after the other on a program's connection, until it ends or becomes a tunnel.
//!
//! A plain request comes in absolute form and leaves in origin form (RFC 9110, 9112). The connection to the destination
//! is kept as well, for a next request there that may be repeated: the destination may close it at any moment, and such
//! a request is then sent again on a new one. All others have a new one each.

use std::convert::Infallible;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{self as client, SendRequest};
use hyper::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::header::{PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE, VIA};
use hyper::http::request;
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tng_services::forward::{Destination, Refusal, RefusalCode};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use super::link::Reached;

/// Longest head of a request or of an answer that a proxy passes on in bytes, cookies and all; as many bytes of a body
/// may wait in either direction.
pub const HEAD_MAX: usize = 1 << 16;

/// The port of `http:`.
const HTTP_PORT: u16 = 80;

/// Fields that concern one connection alone, or the proxy, beside those that `Connection` names.
const DROPPED: [HeaderName; 7] = [
    CONNECTION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    UPGRADE,
];
/// Fields that say where the body ends; no list of options may take them away.
const KEPT: [HeaderName; 2] = [CONTENT_LENGTH, TRANSFER_ENCODING];

type Body = BoxBody<Bytes, hyper::Error>;

/// What becomes of a program's connection on which no more requests come.
#[derive(Debug)]
pub enum End {
    /// It is a tunnel from now on.
    Tunnel {
        /// Where it leads.
        to: Destination,
        /// The connection there.
        reached: Reached,
        /// What the program has sent there already.
        ahead: Bytes,
    },
    /// All that was to be said is said.
    Closed,
    /// An answer was cut short: the program must see a failure and no end.
    Cut,
}

/// Answers the requests of a program, each by a destination that `reach` connects to, until either side has enough. A
/// program is let go if no head of a request comes within `time` of the answer before.
pub async fn serve<I, F>(io: &mut I, time: Duration, reach: impl Fn(Destination) -> F) -> End
where
    I: AsyncRead + AsyncWrite + Unpin,
    F: Future<Output = Result<Reached, Refusal>>,
{
    let exchange = Exchange { reach, kept: Mutex::default(), tunnel: Mutex::default() };
    let mut builder = server::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(time).max_buf_size(HEAD_MAX);
    builder.preserve_header_case(true).title_case_headers(true).auto_date_header(false);
    let service = service_fn(|request| Box::pin(exchange.answer(request)));
    let mut connection = builder.serve_connection(TokioIo::new(io), service);
    let ended = (&mut connection).await;
    let ahead = connection.into_parts().read_buf;
    let tunnel = exchange.tunnel.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    match (ended, tunnel) {
        (Ok(()), Some((to, reached))) => End::Tunnel { to, reached, ahead },
        (Err(error), _) if error.is_user() => {
            tracing::info!(%error, "an answer was cut short");
            End::Cut
        }
        (ended, _) => {
            tracing::debug!(?ended, "no more requests");
            End::Closed
        }
    }
}

/// What is between two requests of a program.
struct Exchange<R> {
    reach: R,
    /// The connection to the destination of the request before.
    kept: Mutex<Option<Upstream>>,
    /// What a CONNECT has led to.
    tunnel: Mutex<Option<(Destination, Reached)>>,
}

impl<R, F> Exchange<R>
where
    R: Fn(Destination) -> F,
    F: Future<Output = Result<Reached, Refusal>>,
{
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let answer = match *request.method() {
            // A program that wanted a tunnel may send on as if it had one, and that is no request.
            Method::CONNECT => self.tunnel(request.uri()).await.map_err(|refused| Refused { is_last: true, ..refused }),
            _ => self.pass(request).await,
        };
        Ok(answer.unwrap_or_else(Refused::into_response))
    }

    async fn tunnel(&self, uri: &Uri) -> Result<Response<Body>, Refused> {
        let authority = match (uri.scheme(), uri.authority()) {
            (None, Some(authority)) => authority.as_str(),
            _ => return Err(Refused::request("CONNECT takes HOST:PORT")),
        };
        let to = destination(authority, None)?;
        let reached = (self.reach)(to.clone()).await?;
        put(&self.tunnel, (to, reached));
        Ok(Response::new(empty()))
    }

    async fn pass(&self, request: Request<Incoming>) -> Result<Response<Body>, Refused> {
        let (mut parts, body) = request.into_parts();
        let to = make_origin_form(&mut parts)?;
        let may_repeat = parts.method.is_safe() && body.is_end_stream();
        let kept = take(&self.kept).filter(|kept| may_repeat && kept.to == to);
        if let Some(mut kept) = kept
            && let Ok(response) = kept.send(parts.clone(), empty()).await
        {
            return self.pass_back(kept, response);
        }
        let reached = (self.reach)(to.clone()).await?;
        let asked = async {
            let mut upstream = Upstream::new(to.clone(), reached).await?;
            let response = upstream.send(parts, body.boxed()).await?;
            Ok((upstream, response))
        };
        let (upstream, response) = asked.await.map_err(|error| Refused::by_destination(&to, &error))?;
        self.pass_back(upstream, response)
    }

    fn pass_back(&self, upstream: Upstream, response: Response<Incoming>) -> Result<Response<Body>, Refused> {
        let (mut parts, body) = response.into_parts();
        if parts.status.is_informational() {
            return Err(Refused::new(StatusCode::BAD_GATEWAY, format!("{}: {}", upstream.to, parts.status)));
        }
        pass_fields(&mut parts.headers, parts.version);
        // How the program is answered is its own version's matter.
        parts.version = Version::HTTP_11;
        put(&self.kept, upstream);
        Ok(Response::from_parts(parts, body.boxed()))
    }
}

fn take<T>(from: &Mutex<Option<T>>) -> Option<T> {
    from.lock().ok()?.take()
}

fn put<T>(to: &Mutex<Option<T>>, value: T) {
    if let Ok(mut to) = to.lock() {
        *to = Some(value);
    }
}

/// A connection to a destination on which requests go.
struct Upstream {
    to: Destination,
    requests: SendRequest<Body>,
    /// What moves the bytes.
    driver: JoinSet<hyper::Result<()>>,
}

impl Upstream {
    async fn new(to: Destination, reached: Reached) -> hyper::Result<Upstream> {
        match reached {
            Reached::Through { send, recv, .. } => Upstream::over(to, tokio::io::join(recv, send)).await,
            Reached::Direct(tcp) => Upstream::over(to, tcp).await,
        }
    }

    async fn over(
        to: Destination,
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> hyper::Result<Upstream> {
        let mut builder = client::Builder::new();
        builder.max_buf_size(HEAD_MAX).preserve_header_case(true).title_case_headers(true);
        let (requests, connection) = builder.handshake(TokioIo::new(io)).await?;
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        Ok(Upstream { to, requests, driver })
    }

    async fn send(&mut self, parts: request::Parts, body: Body) -> hyper::Result<Response<Incoming>> {
        self.requests.ready().await?;
        self.requests.send_request(Request::from_parts(parts, body)).await
    }
}

impl Drop for Upstream {
    /// An idle connection closes in order, by itself. One that is in use breaks with its request: a destination that
    /// takes nothing could hold it for ever.
    fn drop(&mut self) {
        if self.requests.is_ready() {
            self.driver.detach_all();
        }
    }
}

/// Makes a request one for its destination, and answers which that is.
fn make_origin_form(parts: &mut request::Parts) -> Result<Destination, Refused> {
    let authority = match (parts.uri.scheme_str(), parts.uri.authority()) {
        (Some("http"), Some(authority)) => authority.clone(),
        (None, None) => {
            let hint = "this is a proxy: have your program use it as one (http_proxy=http://HOST:PORT)";
            return Err(Refused::request(hint));
        }
        _ => return Err(Refused::request("only http: is fetched; for anything else ask to CONNECT")),
    };
    let to = destination(authority.as_str(), Some(HTTP_PORT))?;
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", parts.uri.path());
    parts.uri = path.try_into().map_err(|_| Refused::request("the request was not understood"))?;
    pass_fields(&mut parts.headers, parts.version);
    let host = HeaderValue::from_str(authority.as_str());
    parts.headers.insert(HOST, host.map_err(|_| Refused::request("the request was not understood"))?);
    parts.version = Version::HTTP_11;
    Ok(to)
}

/// Leaves out what concerns the connection that a message of `version` has come by (RFC 9110 section 7.6.1), and adds
/// that it came this way (section 7.6.3).
fn pass_fields(fields: &mut HeaderMap, version: Version) {
    let lists: Vec<HeaderValue> = fields.get_all(CONNECTION).iter().cloned().collect();
    let options = lists.iter().flat_map(|list| list.as_bytes().split(|byte| *byte == b','));
    let named = options.filter_map(|option| HeaderName::from_bytes(option.trim_ascii()).ok());
    for name in named.filter(|name| !KEPT.contains(name)).chain(DROPPED) {
        fields.remove(name);
    }
    // With both, the other one holds; who comes next could think otherwise (RFC 9112 section 6.3).
    if fields.contains_key(TRANSFER_ENCODING) {
        fields.remove(CONTENT_LENGTH);
    }
    let via = if version == Version::HTTP_10 { "1.0 tng" } else { "1.1 tng" };
    fields.append(VIA, HeaderValue::from_static(via));
}

fn destination(authority: &str, port: Option<u16>) -> Result<Destination, Refused> {
    Destination::parse(authority, port).map_err(|error| Refused::request(&format!("{authority}: {error}")))
}

fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}

/// Why the proxy itself answers a request.
struct Refused {
    status: StatusCode,
    words: String,
    /// Whether the connection closes after it.
    is_last: bool,
}

impl Refused {
    fn new(status: StatusCode, words: String) -> Refused {
        Refused { status, words, is_last: false }
    }

    fn request(words: &str) -> Refused {
        Refused::new(StatusCode::BAD_REQUEST, words.to_owned())
    }

    /// There was a connection to the destination, and no answer that makes sense.
    fn by_destination(to: &Destination, error: &hyper::Error) -> Refused {
        let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
        let why = cause.map_or_else(|| error.to_string(), crate::failure::reason);
        Refused::new(StatusCode::BAD_GATEWAY, format!("{to}: {why}"))
    }

    fn into_response(self) -> Response<Body> {
        let body = Full::from(format!("{}\n", self.words)).map_err(|never| match never {});
        let mut response = Response::new(body.boxed());
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if self.is_last {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        let status = match refusal.code {
            RefusalCode::NotAllowed => StatusCode::FORBIDDEN,
            RefusalCode::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            RefusalCode::Busy => StatusCode::SERVICE_UNAVAILABLE,
            RefusalCode::BadRequest => StatusCode::BAD_REQUEST,
            _ => StatusCode::BAD_GATEWAY,
        };
        Refused::new(status, refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// What a program reads until the proxy has enough, where no destination is reached.
    async fn told(said: &[u8], time: Duration) -> (String, End) {
        let (mut program, mut proxy) = duplex(4 * HEAD_MAX);
        program.write_all(said).await.expect("there is room");
        let nowhere = |to: Destination| async move { Err(Refusal::new(RefusalCode::NotAllowed, &to.to_string())) };
        let end = serve(&mut proxy, time, nowhere).await;
        drop(proxy);
        let mut told = String::new();
        program.read_to_string(&mut told).await.expect("text, then an end");
        (told, end)
    }

    #[tokio::test]
    async fn a_program_that_asks_for_nothing_more_is_let_go() {
        let (told, end) = told(b"GET http://a/ HTTP/1.1\r\n\r\n", Duration::from_millis(20)).await;
        assert!(told.starts_with("HTTP/1.1 403 ") && told.ends_with("not allowed: a:80\n"), "{told}");
        assert!(matches!(end, End::Closed), "{end:?}");
    }

    #[tokio::test]
    async fn a_head_without_an_end_is_held_only_up_to_the_bound() {
        let head = [b"GET http://a/ HTTP/1.1\r\nA: ", &[b'x'; HEAD_MAX + 1][..]].concat();
        let (told, end) = told(&head, Duration::from_secs(600)).await;
        assert!(told.starts_with("HTTP/1.1 431 ") && matches!(end, End::Closed), "{told}");
    }

    #[tokio::test]
    async fn what_is_no_request_to_a_proxy_is_told_so() {
        for request in [
            "GET / HTTP/1.1\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "GET a:80 HTTP/1.1\r\n\r\n",
            "GET http://user:word@a/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/2.0\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nno colon\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nX: 1\r\n folded: 2\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nSpace : 1\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nX: a\rY: b\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "CONNECT a HTTP/1.1\r\n\r\n",
            "CONNECT http://a:1 HTTP/1.1\r\n\r\n",
            "CONNECT a:0 HTTP/1.1\r\n\r\n",
        ] {
            let (told, _) = told(request.as_bytes(), Duration::from_millis(20)).await;
            assert!(told.starts_with("HTTP/1.1 400 "), "{request}: {told}");
        }
    }

    /// A request whose head this is, as it leaves.
    fn leaving(target: &str, fields: &[(&str, &str)]) -> (String, String, Vec<(String, String)>) {
        let mut request = Request::builder().uri(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        let to = make_origin_form(&mut parts).unwrap_or_else(|refused| panic!("{target}: {}", refused.words));
        let field =
            |(name, value): (&HeaderName, &HeaderValue)| (name.to_string(), value.to_str().expect("text").to_owned());
        let mut fields: Vec<_> = parts.headers.iter().map(field).collect();
        fields.sort();
        (to.to_string(), parts.uri.to_string(), fields)
    }

    #[test]
    fn a_request_leaves_in_origin_form_without_what_concerns_the_proxy_alone() {
        let (to, path, fields) = leaving(
            "http://Example.org:8080/a?b=c",
            &[
                ("Host", "other"),
                ("Accept", "*/*"),
                ("Proxy-Connection", "keep-alive"),
                ("Proxy-Authorization", "x"),
                ("Connection", "keep-alive, X-Hop"),
                ("Connection", "Content-Length"),
                ("X-Hop", "1"),
                ("Upgrade", "h2c"),
                ("Content-Length", "4"),
                ("Via", "1.0 other"),
            ],
        );
        let expected = [
            ("accept", "*/*"),
            ("content-length", "4"),
            ("host", "Example.org:8080"),
            ("via", "1.0 other"),
            ("via", "1.1 tng"),
        ];
        assert_eq!((to.as_str(), path.as_str()), ("Example.org:8080", "/a?b=c"));
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for (target, to, path) in
            [("http://a", "a:80", "/"), ("HTTP://[::1]:81?q", "[::1]:81", "/?q"), ("http://a/?", "a:80", "/?")]
        {
            let leaves = leaving(target, &[]);
            assert_eq!((leaves.0.as_str(), leaves.1.as_str()), (to, path), "{target}");
        }
    }

    #[test]
    fn of_two_ends_of_a_body_one_is_passed_on() {
        let (_, _, fields) = leaving("http://a/", &[("Content-Length", "4"), ("Transfer-Encoding", "chunked")]);
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["host", "transfer-encoding", "via"]);
    }
}
