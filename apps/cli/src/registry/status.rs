//! What a registry tells of itself: as JSON, for Prometheus, and for people.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::registry::Registry;

use super::daemon::Running;
use super::store::StorePlace;
use crate::daemon::Daemon as _;
use crate::daemon::metrics::{counter, gauge};
use crate::daemon::table::{ending, text};

/// All that it tells.
pub fn of(running: &Running) -> Value {
    let life = running.life();
    let mut status = of_registry(&running.registry, &running.store);
    status["eid"] = running.endpoint.eid().to_string().into();
    status["address"] = running.endpoint.local_addr().to_string().into();
    status["version"] = env!("CARGO_PKG_VERSION").into();
    status["uptime_s"] = life.uptime().as_secs().into();
    status["draining"] = life.is_draining().into();
    status
}

/// What it tells that is not of its process.
pub fn of_registry(registry: &Registry, store: &StorePlace) -> Value {
    let stats = registry.stats();
    json!({
        "store": store.to_string(),
        "store_failure": registry.store_failure().map(|error| error.to_string()),
        "registered": stats.registered,
        "attending": stats.attending,
        "watched": stats.watched,
        "counts": {
            "registrations": stats.registrations,
            "found": stats.found,
            "absent": stats.absent,
            "introductions": stats.introductions,
            "too_often": stats.too_often,
            "denied": stats.denied,
            "store_failures": stats.store_failures,
        },
    })
}

/// The same for Prometheus; `prefix` stands before each name.
///
/// # Errors
/// If the encoder fails.
pub fn measure_registry(registry: &Registry, prefix: &str, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let (stats, named) = (registry.stats(), |name: &str| format!("{prefix}{name}"));
    let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    gauge(to, &named("registered"), "Hosts that are registered in the store", signed(stats.registered))?;
    gauge(to, &named("attending"), "Hosts that have a connection here", signed(stats.attending))?;
    gauge(to, &named("watched"), "Hosts that are watched", signed(stats.watched))?;
    counter(to, &named("registrations"), "Statements that were kept, or kept for longer", stats.registrations)?;
    counter(to, &named("found"), "Look-ups that found a host", stats.found)?;
    counter(to, &named("absent"), "Look-ups that found none, or one that the asker may not know", stats.absent)?;
    counter(to, &named("introductions"), "Hosts that were introduced to each other", stats.introductions)?;
    counter(to, &named("too_often"), "Requests that were denied because of how many there were", stats.too_often)?;
    counter(to, &named("denied"), "Requests that were denied for another reason", stats.denied)?;
    let is_good = i64::from(registry.store_failure().is_none());
    gauge(to, &named("store_good"), "0 while the store does not answer", is_good)?;
    counter(to, &named("store_failures"), "Times that the store did not answer", stats.store_failures)
}

/// A status as people read it.
pub fn table(status: &Value) -> String {
    let draining = ending(status);
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(
        out,
        "registry {} at {}, up {} s{draining}",
        text(&status["eid"]),
        text(&status["address"]),
        status["uptime_s"]
    );
    out += &rows(status);
    out
}

/// What of it is not of its process.
pub fn rows(status: &Value) -> String {
    let (mut out, counts) = (String::new(), &status["counts"]);
    // Writing to a String does not fail.
    let _ = writeln!(out, "kept in {}", text(&status["store"]));
    if let Some(why) = status["store_failure"].as_str() {
        let _ = writeln!(out, "the store does not answer: {why}");
    }
    let _ = writeln!(
        out,
        "{} registered, {} have a connection here, {} are watched",
        status["registered"], status["attending"], status["watched"]
    );
    let _ = writeln!(
        out,
        "{} registrations; looked up: {} found, {} not; {} introductions; denied: {} too often, {} for other reasons",
        counts["registrations"],
        counts["found"],
        counts["absent"],
        counts["introductions"],
        counts["too_often"],
        counts["denied"],
    );
    out
}
