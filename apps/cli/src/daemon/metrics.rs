//! `/metrics` for Prometheus, and `/healthz`, over HTTP.

use core::convert::Infallible;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::io;
use std::net::{SocketAddr, TcpListener as StdTcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::{Daemon, locked};
use crate::clock;
use crate::failure::Failure;

/// Scrapers at once; of more, the one that has said nothing for the longest gives way.
pub const SCRAPERS_MAX: usize = 16;

/// How long a scraper may take to ask, and to take its answer.
pub const SCRAPE_TIME: Duration = Duration::from_secs(10);

/// What may be done with what there is.
const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// What OpenMetrics text is called.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Makes metrics of what a daemon knows when it is asked.
struct Figures<D>(Arc<D>);

impl<D> fmt::Debug for Figures<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Figures")
    }
}

/// A figure that rises and falls.
///
/// # Errors
/// If the encoder fails.
pub fn gauge<N>(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: N) -> fmt::Result
where
    N: EncodeGaugeValue,
{
    let gauge = ConstGauge::new(value);
    gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
}

/// A figure that only rises.
///
/// # Errors
/// If the encoder fails.
pub fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> fmt::Result {
    let counter = ConstCounter::new(value);
    counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)
}

/// Figures that only rise, each by a word.
///
/// # Errors
/// If the encoder fails.
pub fn counters<'a>(
    encoder: &mut DescriptorEncoder<'_>,
    (name, help, by): (&str, &str, &str),
    values: impl IntoIterator<Item = (&'a str, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (word, count) in values {
        let labels = [(by, word)];
        ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

impl<D: Daemon> Collector for Figures<D> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (to, life, name) = (&mut encoder, self.0.life(), D::KIND.name);
        let is_good = i64::from(life.config_error().is_none());
        gauge(to, "draining", &format!("1 while the {name} is being shut down"), i64::from(life.is_draining()))?;
        gauge(to, "config_good", "0 after a reload that failed", is_good)?;
        gauge(to, "uptime_seconds", &format!("Seconds since the {name} began"), life.uptime().as_secs() as i64)?;
        counter(to, "reloads", "Configurations taken since the start", life.reloads())?;
        self.0.measure(to)
    }
}

fn answer(status: StatusCode, kind: HeaderValue, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// An answer that says what may be done.
fn allowing(status: StatusCode, mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    *response.status_mut() = status;
    response.headers_mut().insert(ALLOW, ALLOWED);
    response
}

fn respond(daemon: &impl Daemon, registry: &Registry, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let text = || HeaderValue::from_static("text/plain; charset=utf-8");
    // The server leaves out the body of an answer to HEAD.
    match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => {
            let mut out = String::new();
            match encode(&mut out, registry) {
                Ok(()) => answer(StatusCode::OK, OPEN_METRICS, out),
                Err(error) => answer(StatusCode::INTERNAL_SERVER_ERROR, text(), format!("{error}\n")),
            }
        }
        (&Method::GET | &Method::HEAD, "/healthz") if daemon.life().is_draining() => {
            answer(StatusCode::SERVICE_UNAVAILABLE, text(), "draining\n".to_owned())
        }
        (&Method::GET | &Method::HEAD, "/healthz") if !daemon.is_running() => {
            answer(StatusCode::SERVICE_UNAVAILABLE, text(), "failed\n".to_owned())
        }
        (&Method::GET | &Method::HEAD, "/healthz") => answer(StatusCode::OK, text(), "ok\n".to_owned()),
        (&Method::OPTIONS, "/metrics" | "/healthz") => allowing(StatusCode::NO_CONTENT, Response::default()),
        (_, "/metrics" | "/healthz") => {
            let body = "GET, HEAD and OPTIONS alone\n".to_owned();
            allowing(StatusCode::METHOD_NOT_ALLOWED, answer(StatusCode::default(), text(), body))
        }
        _ => answer(StatusCode::NOT_FOUND, text(), "there are /metrics and /healthz\n".to_owned()),
    }
}

/// When a scraper said something last.
type Heard = Arc<Mutex<Instant>>;

/// A connection that notes when something comes.
struct Noted {
    stream: TcpStream,
    heard: Heard,
}

impl AsyncRead for Noted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            *locked(&self.heard) = clock::now();
        }
        read
    }
}

impl AsyncWrite for Noted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Scrapers that are connected.
#[derive(Default)]
struct Scrapers(Vec<(AbortHandle, Heard)>);

impl Scrapers {
    /// Makes room for one more: where all places are taken, who has said nothing for the longest is cut off.
    fn make_room(&mut self) {
        self.0.retain(|(task, _)| !task.is_finished());
        if self.0.len() < SCRAPERS_MAX {
            return;
        }
        let longest = (0..self.0.len()).min_by_key(|at| *locked(&self.0[*at].1));
        if let Some(at) = longest {
            let (task, _) = self.0.swap_remove(at);
            task.abort();
        }
    }
}

/// Answers scrapers for as long as the process lives.
pub async fn serve<D: Daemon>(listener: TcpListener, daemon: Arc<D>) {
    let mut registry = Registry::with_prefix(D::KIND.metrics);
    registry.register_collector(Box::new(Figures(Arc::clone(&daemon))));
    let (registry, mut scrapers) = (Arc::new(registry), Scrapers::default());
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                wait_out(&error).await;
                continue;
            }
        };
        scrapers.make_room();
        let (registry, daemon) = (Arc::clone(&registry), Arc::clone(&daemon));
        let heard = Heard::new(Mutex::new(clock::now()));
        let stream = Noted { stream, heard: Arc::clone(&heard) };
        let task = tokio::spawn(async move {
            let service = service_fn(|request: Request<Incoming>| {
                let response = respond(&*daemon, &registry, &request);
                async { Ok::<_, Infallible>(response) }
            });
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(SCRAPE_TIME).keep_alive(false);
            let served = builder.serve_connection(TokioIo::new(stream), service);
            // Who breaks off has had what it wanted.
            let _ = tokio::time::timeout(2 * SCRAPE_TIME, served).await;
        });
        scrapers.0.push((task.abort_handle(), heard));
    }
}

/// Listens for scrapers. `key` is what names the address.
///
/// # Errors
/// If the address is not to be had.
pub fn listen(address: SocketAddr, key: &str) -> Result<StdTcpListener, Failure> {
    let listener = StdTcpListener::bind(address);
    let listener = listener.and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.map_err(|error| Failure::port(format!("listening at {address} for metrics"), key, &error))
}

/// A listener fails when descriptors are short: asking again at once would not help.
async fn wait_out(error: &io::Error) {
    tracing::warn!("taking a scraper's connection failed: {error}");
    tokio::time::sleep(Duration::from_millis(100)).await;
}
