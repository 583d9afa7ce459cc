//! What a server that keeps nothing tells of itself: as JSON, for Prometheus, and for people.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::trickles::{CacheCounts, EpochSecret, ServerStats};

use super::daemon::Running;
use super::keys::wall;
use crate::daemon::Daemon as _;
use crate::daemon::metrics::{counter, counters, gauge};
use crate::daemon::table::{aligned, ending, text, text_at};

fn counts(stats: &ServerStats) -> Value {
    let ServerStats { opened, not_opened, answered, packets, spent, terminated, refused, .. } = stats;
    let ServerStats { ahead, before_start, dropped, last_refused, .. } = stats;
    json!({
        "connections": opened,
        "not_let_in": not_opened,
        "requests": answered,
        "packets": packets,
        "spent_before": spent,
        "terminated": terminated,
        "refused": refused,
        "refused_ahead": ahead,
        "refused_before_start": before_start,
        "dropped": dropped,
        "last_refused": last_refused.map(|why| why.to_string()),
    })
}

fn cached(counts: &CacheCounts) -> Value {
    let CacheCounts { hits, misses, dropped, expired, bytes } = counts;
    json!({ "hits": hits, "misses": misses, "dropped": dropped, "expired": expired, "bytes": bytes })
}

/// All that it tells.
pub fn of(running: &Running) -> Value {
    let Running { endpoint, following, about, .. } = running;
    let (life, edition, sent) = (running.life(), following.edition(), endpoint.sent());
    let threads = endpoint.stateless_threads();
    let (all, caches) = (endpoint.stateless_stats().unwrap_or_default(), endpoint.stateless_caches());
    let failure = following.failure().map(|failure| format!("{}: {}", failure.what, failure.why));
    let [missed, unwritten] = running.lost_lines();
    json!({
        "eid": endpoint.eid().to_string(),
        "address": endpoint.local_addr().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": life.uptime().as_secs(),
        "threads": threads.iter().map(counts).collect::<Vec<_>>(),
        "config": about.config,
        "reloads": life.reloads(),
        "config_error": life.config_error(),
        "draining": life.is_draining(),
        "path": about.path,
        "open_to": about.open_to,
        "fleet": {
            "name": edition.fleet(),
            "rotations": edition.rotations,
            "epoch": EpochSecret::number_at(wall()),
            "file": about.keys,
            "error": failure,
        },
        "site": about.site,
        "skew_ms": about.skew.as_millis() as u64,
        "taken_over": about.taken_over,
        "not_taken_over": about.not_taken_over,
        "counts": counts(&all),
        "held_bytes": endpoint.stateless_held(),
        "caches": {
            "sockets": cached(&caches.sockets),
            "outputs": cached(&caches.outputs),
            "parses": cached(&caches.parses),
        },
        "window_max": endpoint.stateless_window_max(),
        "danger_plain": about.danger_plain,
        "sent_datagrams": sent.datagrams,
        "sent_bytes": sent.bytes,
        "sends": sent.sends,
        "log_lines_missed": missed,
        "log_lines_unwritten": unwritten,
    })
}

/// The same for Prometheus.
///
/// # Errors
/// If the encoder fails.
pub fn measure(running: &Running, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let (stats, sent) = (running.endpoint.stateless_stats().unwrap_or_default(), running.endpoint.sent());
    let [missed, unwritten] = running.lost_lines();
    let following = &running.following;
    gauge(to, "threads", "Threads that answer", running.endpoint.threads() as i64)?;
    gauge(to, "held_bytes", "Bytes held for all clients together", running.endpoint.stateless_held() as i64)?;
    gauge(to, "keys_rotations", "Rotation of the keys that it goes by", i64::from(following.edition().rotations))?;
    gauge(to, "keys_good", "0 while it cannot go by its file of keys", i64::from(following.failure().is_none()))?;
    gauge(to, "taken_over", "1 if it knows what was spent before it began", i64::from(running.about.taken_over))?;
    let held_to = running.endpoint.stateless_window_max().map_or(0, |most| most as i64);
    gauge(to, "window_max", "Packets under way that each client is held to, 0 if it is not", held_to)?;
    let caches = running.endpoint.stateless_caches();
    let of = [("sockets", caches.sockets), ("outputs", caches.outputs), ("parses", caches.parses)];
    let each = |count: fn(&CacheCounts) -> u64| of.map(|(name, counts)| (name, count(&counts)));
    gauge(
        to,
        "cache_bytes",
        "Bytes of what may be computed again",
        of.iter().map(|(_, of)| of.bytes as i64).sum::<i64>(),
    )?;
    counters(to, ("cache_hits", "What was looked for in a cache and was there", "cache"), each(|of| of.hits))?;
    counters(to, ("cache_misses", "What was looked for and was not", "cache"), each(|of| of.misses))?;
    counters(to, ("cache_dropped", "What was dropped for the room of others", "cache"), each(|of| of.dropped))?;
    counters(to, ("cache_expired", "What was dropped since its time was over", "cache"), each(|of| of.expired))?;
    counter(to, "connections", "Connections granted", stats.opened)?;
    counter(to, "not_let_in", "Set-ups that were not granted at once", stats.not_opened)?;
    counter(to, "requests", "Requests answered", stats.answered)?;
    counter(to, "packets", "Packets sent in answer", stats.packets)?;
    counter(to, "spent_before", "Requests that were spent before", stats.spent)?;
    counter(to, "terminated", "Requests that released nothing", stats.terminated)?;
    counter(to, "refused", "Requests refused for another reason", stats.refused)?;
    counter(to, "refused_ahead", "Of those, stamped further ahead than clocks may differ", stats.ahead)?;
    counter(to, "refused_before_start", "Of those, perhaps spent before it began", stats.before_start)?;
    counter(to, "dropped", "Requests dropped because it was behind", stats.dropped)?;
    counter(to, "sent_datagrams", "Datagrams that left, of whatever kind", sent.datagrams)?;
    counter(to, "sent_bytes", "Bytes in them", sent.bytes)?;
    counter(to, "sends", "Calls of the system that they left in", sent.sends)?;
    counter(to, "log_lines_missed", "Lines of the access log that came faster than they were written", missed)?;
    counter(to, "log_lines_unwritten", "Lines of the access log that could not be written", unwritten)
}

/// Lines that did not reach the log: missed and unwritten.
impl Running {
    pub(super) fn lost_lines(&self) -> [u64; 2] {
        self.log.lost().counts()
    }
}

/// A status as people read it.
pub fn table(status: &Value) -> String {
    let (get, draining) = (|place: &str| text_at(status, place), ending(status));
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(out, "{} at {}, up {} s{draining}", get("/eid"), get("/address"), get("/uptime_s"));
    let _ = writeln!(out, "hands out {} to {}", get("/path"), get("/open_to"));
    let _ = writeln!(
        out,
        "fleet {}, rotation {}, epoch {}, site {}, {} B held",
        get("/fleet/name"),
        get("/fleet/rotations"),
        get("/fleet/epoch"),
        get("/site"),
        get("/held_bytes")
    );
    for (path, words) in [
        ("/fleet/error", "what the keys were before holds"),
        ("/config_error", "the last reload failed, and what held before holds"),
        ("/not_taken_over", "what was given out before it began is good for a timeout"),
    ] {
        if let Some(why) = status.pointer(path).and_then(Value::as_str) {
            let _ = writeln!(out, "{words}: {why}");
        }
    }
    let columns = ["connections", "requests", "packets", "spent_before", "terminated", "refused", "dropped"];
    let row = |name: String, of: &Value| [vec![name], columns.map(|column| text(&of[column])).to_vec()].concat();
    let mut rows = vec![[vec!["thread".to_owned()], columns.map(|name| name.replace('_', " ")).to_vec()].concat()];
    let threads = status["threads"].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.extend(threads.iter().enumerate().map(|(at, of)| row(at.to_string(), of)));
    if threads.len() > 1 {
        rows.push(row("all".to_owned(), &status["counts"]));
    }
    out + &aligned(&rows)
}
