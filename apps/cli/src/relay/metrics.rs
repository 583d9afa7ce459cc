//! `/metrics` for Prometheus, and `/healthz`, over HTTP.

use core::convert::Infallible;
use core::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::daemon::Running;

/// Scrapers at once; more wait.
pub const SCRAPERS_MAX: usize = 16;

/// How long a scraper may take to ask, and to take its answer.
pub const SCRAPE_TIME: Duration = Duration::from_secs(10);

/// What OpenMetrics text is called.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Makes metrics of what the relay knows when it is asked.
struct Figures(Arc<Running>);

impl fmt::Debug for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Figures")
    }
}

fn gauge<N>(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: N) -> fmt::Result
where
    N: EncodeGaugeValue,
{
    let gauge = ConstGauge::new(value);
    gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
}

fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> fmt::Result {
    let counter = ConstCounter::new(value);
    counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (stats, sent, ended) = (self.0.relay.stats(), self.0.endpoint.sent(), self.0.ended());
        let to = &mut encoder;
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        gauge(to, "flows", "Flows helped or about to be", signed(stats.relays))?;
        gauge(to, "flows_ending", "Flows that are over and whose end is being told", signed(stats.endings))?;
        gauge(to, "tunnels", "Tunnels, there or asked for", signed(stats.tunnels))?;
        gauge(to, "queued_bytes", "Bytes waiting in shared queues", stats.queued_bytes as i64)?;
        gauge(to, "draining", "1 while the relay is being shut down", i64::from(self.0.is_draining()))?;
        gauge(to, "config_good", "0 after a reload that failed", i64::from(self.0.config_error().is_none()))?;
        gauge(to, "uptime_seconds", "Seconds since the relay began", self.0.uptime().as_secs() as i64)?;
        counter(to, "joins", "JOINs taken, repeated ones not counted", stats.joins)?;
        counter(to, "refused", "JOINs refused", stats.refused)?;
        counter(to, "strays", "Datagrams that belong to nothing known", stats.strays)?;
        counter(to, "dropped_packets", "Packets dropped by shared queues", stats.dropped)?;
        counter(to, "marked_packets", "Packets marked by shared queues", stats.marked)?;
        counter(to, "received_bytes", "Bytes of datagrams for flows that came", stats.received_bytes)?;
        counter(to, "relayed_bytes", "Bytes of datagrams of flows that left", stats.sent_bytes)?;
        counter(to, "sent_datagrams", "Datagrams that left, of whatever kind", sent.datagrams)?;
        counter(to, "reloads", "Configurations taken since the start", self.0.reloads())?;
        counter(to, "log_lines_unwritten", "Lines of the access log that could not be written", ended.unwritten)?;
        counter(to, "events_missed", "Ends of flows and the like that came faster than they were taken", ended.missed)?;
        let mut flows_ended = encoder.encode_descriptor(
            "flows_ended",
            "Flows that are over, by the reason",
            None,
            prometheus_client::metrics::MetricType::Counter,
        )?;
        for (reason, count) in &ended.by_reason {
            let labels = [("reason", *reason)];
            ConstCounter::new(*count).encode(flows_ended.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

fn answer(status: StatusCode, kind: HeaderValue, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn respond(running: &Running, registry: &Registry, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let text = || HeaderValue::from_static("text/plain; charset=utf-8");
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => {
            let mut out = String::new();
            match encode(&mut out, registry) {
                Ok(()) => answer(StatusCode::OK, OPEN_METRICS, out),
                Err(error) => answer(StatusCode::INTERNAL_SERVER_ERROR, text(), format!("{error}\n")),
            }
        }
        (&Method::GET, "/healthz") if running.is_draining() => {
            answer(StatusCode::SERVICE_UNAVAILABLE, text(), "draining\n".to_owned())
        }
        (&Method::GET, "/healthz") if !running.is_running() => {
            answer(StatusCode::SERVICE_UNAVAILABLE, text(), "failed\n".to_owned())
        }
        (&Method::GET, "/healthz") => answer(StatusCode::OK, text(), "ok\n".to_owned()),
        (&Method::GET, _) => answer(StatusCode::NOT_FOUND, text(), "there are /metrics and /healthz\n".to_owned()),
        _ => answer(StatusCode::METHOD_NOT_ALLOWED, text(), "GET alone\n".to_owned()),
    }
}

/// Answers scrapers for as long as the process lives.
pub async fn serve(listener: TcpListener, running: Arc<Running>) {
    let mut registry = Registry::with_prefix("tng_relay");
    registry.register_collector(Box::new(Figures(Arc::clone(&running))));
    let (registry, room) = (Arc::new(registry), Arc::new(Semaphore::new(SCRAPERS_MAX)));
    loop {
        // Never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                wait_out(&error).await;
                continue;
            }
        };
        let (registry, running) = (Arc::clone(&registry), Arc::clone(&running));
        tokio::spawn(async move {
            let service = service_fn(|request: Request<Incoming>| {
                let response = respond(&running, &registry, &request);
                async { Ok::<_, Infallible>(response) }
            });
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(SCRAPE_TIME).keep_alive(false);
            let served = builder.serve_connection(TokioIo::new(stream), service);
            // Who breaks off has had what it wanted.
            let _ = tokio::time::timeout(2 * SCRAPE_TIME, served).await;
            drop(place);
        });
    }
}

/// A listener fails when descriptors are short: asking again at once would not help.
async fn wait_out(error: &io::Error) {
    tracing::warn!("taking a scraper's connection failed: {error}");
    tokio::time::sleep(Duration::from_millis(100)).await;
}
