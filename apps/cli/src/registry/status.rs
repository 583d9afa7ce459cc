//! What a registry tells of itself: as JSON, for Prometheus, and for people.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::registry::Registry;

use super::daemon::Running;
use super::store::StorePlace;
use crate::daemon::Daemon as _;
use crate::daemon::metrics::{counter, counters, gauge};
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
    let denied: Value = stats.denied.by_reason().into_iter().map(|(why, count)| (why, Value::from(count))).collect();
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
            "hidden": stats.hidden,
            "introductions": stats.introductions,
            "denied": denied,
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
    counter(to, &named("absent"), "Look-ups of hosts that nobody has registered", stats.absent)?;
    counter(to, &named("hidden"), "Look-ups of hosts whose policy keeps them from the asker", stats.hidden)?;
    counter(to, &named("introductions"), "Hosts that were introduced to each other", stats.introductions)?;
    let denied = (&*named("denied"), "Requests that were denied, by the reason", "reason");
    counters(to, denied, stats.denied.by_reason())?;
    let is_good = i64::from(registry.store_failure().is_none());
    gauge(to, &named("store_good"), "0 while the store does not answer", is_good)?;
    counter(to, &named("store_failures"), "Times that the store did not answer", stats.store_failures)
}

/// What a socket tells of a registry, which may be a relay as well; nothing if it is a relay alone.
pub fn told(mut answer: Value) -> Option<Value> {
    let mut registry = match answer.get_mut("registry") {
        None => return Some(answer),
        Some(registry) if registry.is_object() => registry.take(),
        Some(_) => return None,
    };
    for of_process in ["eid", "address", "version", "uptime_s", "draining"] {
        registry[of_process] = answer[of_process].take();
    }
    Some(registry)
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
        "{} registrations; looked up: {} found, {} not registered, {} kept from the asker by their policy; {} \
         introductions",
        counts["registrations"], counts["found"], counts["absent"], counts["hidden"], counts["introductions"],
    );
    let _ = writeln!(out, "denied: {}", denied(&counts["denied"]));
    out
}

/// Why requests were denied, and how many.
fn denied(by: &Value) -> String {
    let some = by.as_object().into_iter().flatten().filter(|(_, count)| count.as_u64().is_some_and(|count| count > 0));
    let some: Vec<String> = some.map(|(why, count)| format!("{count} {}", why.replace('_', " "))).collect();
    if some.is_empty() { "none".to_owned() } else { some.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_that_is_a_registry_tells_of_it_as_a_registry_does_and_one_that_is_none_of_nothing() {
        let own =
            json!({ "registered": 7, "eid": "e", "address": "a", "version": "v", "uptime_s": 9, "draining": false });
        assert_eq!(told(own.clone()), Some(own.clone()));
        let mut relay = own.clone();
        relay["registered"] = Value::Null;
        relay["registry"] = json!({ "registered": 7 });
        assert_eq!(told(relay.clone()), Some(own));
        relay["registry"] = Value::Null;
        assert_eq!(told(relay), None);
    }

    #[test]
    fn people_read_for_which_reasons_requests_were_denied_and_of_none_that_there_was_none() {
        let status = |denied: Value| {
            let counts = json!({ "registrations": 1, "found": 2, "absent": 3, "hidden": 4, "introductions": 5,
                "denied": denied });
            json!({ "store": "memory", "registered": 1, "attending": 1, "watched": 0, "counts": counts })
        };
        let some = rows(&status(json!({ "too_often": 7, "full": 0, "not_signed": 2 })));
        assert!(some.contains("2 found, 3 not registered, 4 kept from the asker by their policy"), "{some}");
        assert!(some.contains("2 not signed") && some.contains("7 too often") && !some.contains("full"), "{some}");
        assert!(rows(&status(json!({ "full": 0 }))).ends_with("denied: none\n"));
    }
}
