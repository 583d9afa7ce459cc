//! What a sprayer tells of itself: as JSON, for Prometheus, and for people.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};

use super::daemon::Running;
use super::engine::ReplicaFigures;
use crate::daemon::Daemon as _;
use crate::daemon::metrics::{counter, gauge};
use crate::daemon::table::{aligned, ending, text};

fn read(figure: &AtomicU64) -> u64 {
    figure.load(Ordering::Relaxed)
}

/// All that it tells.
pub fn of(running: &Running) -> Value {
    let Running { config, figures, .. } = running;
    let life = running.life();
    let replica = |(address, figures): (&std::net::SocketAddr, &ReplicaFigures)| {
        json!({
            "address": address.to_string(),
            "is_passed_over": figures.is_passed_over.load(Ordering::Relaxed),
            "sent": read(&figures.sent),
            "answered": read(&figures.answered),
            "passed_over": read(&figures.passed_over),
        })
    };
    let [to, back] = &figures.bytes;
    json!({
        "address": running.address.to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": life.uptime().as_secs(),
        "draining": life.is_draining(),
        "clients": read(&figures.clients),
        "clients_max": config.clients,
        "idle_s": config.idle.as_secs_f64(),
        "replicas": config.to.iter().zip(&figures.replicas).map(replica).collect::<Vec<_>>(),
        "counts": {
            "clients": read(&figures.clients_all),
            "made_room": read(&figures.made_room),
            "no_room": read(&figures.no_room),
            "not_allowed": read(&figures.not_allowed),
            "unsent": read(&figures.unsent),
            "strange": read(&figures.strange),
            "denials": read(&figures.denials),
            "bytes_to": read(to),
            "bytes_back": read(back),
        },
    })
}

/// The same for Prometheus.
///
/// # Errors
/// If the encoder fails.
pub fn measure(running: &Running, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let figures = &running.figures;
    let passed_over = figures.replicas.iter().filter(|it| it.is_passed_over.load(Ordering::Relaxed)).count();
    let sum = |of: fn(&ReplicaFigures) -> &AtomicU64| figures.replicas.iter().map(|it| read(of(it))).sum();
    gauge(to, "clients_now", "Clients that have a place", read(&figures.clients) as i64)?;
    gauge(to, "replicas", "Replicas that it knows", figures.replicas.len() as i64)?;
    gauge(to, "replicas_passed_over", "Of them, those that do not answer", passed_over as i64)?;
    counter(to, "clients", "Clients that were given a place", read(&figures.clients_all))?;
    counter(to, "made_room", "Clients that were forgotten for others", read(&figures.made_room))?;
    counter(to, "no_room", "Datagrams of those for whom there was no room", read(&figures.no_room))?;
    counter(to, "not_allowed", "Datagrams of those who are not allowed", read(&figures.not_allowed))?;
    counter(to, "unsent", "Datagrams that could not be sent on", read(&figures.unsent))?;
    counter(to, "strange", "Datagrams at a client's socket that no replica sent", read(&figures.strange))?;
    counter(to, "denials", "Responses that deny what was asked for", read(&figures.denials))?;
    counter(to, "datagrams_to", "Datagrams that went to replicas", sum(|it| &it.sent))?;
    counter(to, "datagrams_back", "Datagrams that came from them", sum(|it| &it.answered))?;
    counter(to, "bytes_to", "Bytes that went to replicas", read(&figures.bytes[0]))?;
    counter(to, "bytes_back", "Bytes that came from them", read(&figures.bytes[1]))?;
    counter(to, "passed_over", "Times that a replica was passed over", sum(|it| &it.passed_over))
}

/// Whether a status is that of a sprayer.
pub fn is_one(status: &Value) -> bool {
    status["replicas"].is_array()
}

/// A status as people read it.
pub fn table(status: &Value) -> String {
    let (counts, draining) = (&status["counts"], ending(status));
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(out, "a sprayer at {}, up {} s{draining}", text(&status["address"]), status["uptime_s"]);
    let _ = writeln!(
        out,
        "{} clients of {} at most, {} in all; {} had no room, {} were not allowed; {} unsent, {} denials",
        status["clients"],
        status["clients_max"],
        counts["clients"],
        counts["no_room"],
        counts["not_allowed"],
        counts["unsent"],
        counts["denials"],
    );
    let heads = ["replica", "now", "sent", "answered", "passed over"].map(str::to_owned);
    let mut rows = vec![heads.to_vec()];
    for replica in status["replicas"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let now = if replica["is_passed_over"] == true { "passed over" } else { "answers" };
        let figures = ["sent", "answered", "passed_over"].map(|name| text(&replica[name]));
        rows.push([vec![text(&replica["address"]), now.to_owned()], figures.to_vec()].concat());
    }
    out + &aligned(&rows)
}
