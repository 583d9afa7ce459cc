//! What a relay tells of itself: as JSON, and as a table.

use core::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tng::Endpoint;
use tng::relay::{QueueStatus, Relay, RelayFlow, SectionStatus};

use super::clients::Clients;
use super::denials::Denials;
use super::tunnels::Tunnels;
use crate::daemon::Life;
use crate::daemon::table::{aligned, ending, short, text_at};
use crate::guests::controllers::Controllers;
use crate::registry::status as registry_status;

fn ms(time: Duration) -> f64 {
    // Three digits behind the point are microseconds.
    (time.as_secs_f64() * 1e6).round() / 1e3
}

pub(super) fn section(section: &SectionStatus) -> Value {
    json!({
        "neighbour": section.neighbour.to_string(),
        "controller": section.controller,
        "rtt_ms": section.rtt.map(ms),
        "rtt_min_ms": section.rtt_min.map(ms),
        "window_bytes": Some(section.window_bytes).filter(|window| *window != u64::MAX),
        "in_flight_bytes": section.in_flight_bytes,
        "packets_sent": section.packets_sent,
        "bytes_sent": section.bytes_sent,
        "packets_received": section.packets_received,
        "bytes_received": section.bytes_received,
        "packets_lost": section.lost,
    })
}

fn queue(queue: &QueueStatus) -> Value {
    json!({
        "packets": queue.packets,
        "bytes": queue.bytes,
        "ms": queue.time.map(ms),
        "max_ms": ms(queue.time_max),
        "marked": queue.marked,
        "dropped": queue.dropped,
        "repaired": queue.repaired,
    })
}

/// One of its flows.
pub fn flow(flow: &RelayFlow, clients: &Clients) -> Value {
    let RelayFlow { thread, left, status } = flow;
    json!({
        "thread": thread,
        "id": status.relay.0,
        "client": clients.name(status.client),
        "capability_left_s": left.as_secs(),
        "near": section(&status.near),
        "asked": {
            "controller": status.near_choice.controller_asked,
            "queue_time": status.near_choice.queue_time_asked,
        },
        "far": match &status.far {
            Ok(far) => section(far),
            Err(asked) => json!({ "asked": asked.to_string() }),
        },
        "outward": queue(&status.outward),
        "homeward": queue(&status.homeward),
    })
}

/// The status of a relay, but for its flows.
pub fn of(
    endpoint: &Endpoint,
    (relay, tunnels, controllers): (&Relay, &Tunnels, &Controllers),
    (clients, denials): (&Clients, &Denials),
    (config, life): (&Path, &Life),
) -> Value {
    let (stats, (listed, anyone)) = (relay.stats(), clients.count());
    json!({
        "eid": endpoint.eid().to_string(),
        "address": endpoint.local_addr().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": life.uptime().as_secs(),
        "threads": endpoint.threads(),
        "config": config.display().to_string(),
        "reloads": life.reloads(),
        "config_error": life.config_error(),
        "draining": life.is_draining(),
        "clients": { "listed": listed, "anyone": anyone },
        "counts": {
            "flows": stats.relays,
            "ending": stats.endings,
            "ways": stats.ways,
            "tunnels": stats.tunnels,
            "queued_bytes": stats.queued_bytes,
            "joins": stats.joins,
            "refused": stats.refused,
            "denied": denials.status(),
            "strays": stats.strays,
            "dropped": stats.dropped,
            "marked": stats.marked,
            "received_bytes": stats.received_bytes,
            "sent_bytes": stats.sent_bytes,
        },
        "guests": controllers.status(),
        "tunnels": tunnels.status(),
    })
}

/// A status as people read it.
pub fn table(status: &Value) -> String {
    let mut out = String::new();
    let (get, draining) = (|place: &str| text_at(status, place), ending(status));
    // Writing to a String does not fail.
    let _ = writeln!(out, "{} at {}, up {} s{draining}", get("/eid"), get("/address"), get("/uptime_s"));
    let denied = status["counts"]["denied"].as_object();
    let denied: u64 = denied.into_iter().flat_map(|by| by.values()).filter_map(Value::as_u64).sum();
    let anyone = if status["clients"]["anyone"] == true { " and anyone" } else { "" };
    let _ = writeln!(
        out,
        "clients {}{anyone}, denied {denied}, flows {}, joins {}, refused {}, queued {} B, marked {}, dropped {}",
        get("/clients/listed"),
        get("/counts/flows"),
        get("/counts/joins"),
        get("/counts/refused"),
        get("/counts/queued_bytes"),
        get("/counts/marked"),
        get("/counts/dropped"),
    );
    if let Some(why) = status["in_path_failure"].as_str() {
        let _ = writeln!(out, "in the path: packets of others cannot be taken: {why}");
    }
    if status["registry"].is_object() {
        out += &registry_status::rows(&status["registry"]);
    }
    if let Some(error) = status["config_error"].as_str() {
        let _ = writeln!(out, "the last reload failed, and what held before holds: {error}");
    }
    let list = |name: &str| status[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let (flows, tunnels) = (list("flows"), list("tunnels"));
    for guest in list("guests") {
        let at = |place: &str| text_at(guest, place);
        let instead = guest["fault"].as_str().map(|fault| format!(", with newreno in their place: {fault}"));
        let _ = writeln!(
            out,
            "{}, {}: {} at work, {} calls, {} stopped{}",
            at("/name"),
            short(&at("/blake3")),
            at("/at_work"),
            at("/calls"),
            at("/stopped"),
            instead.unwrap_or_default()
        );
    }
    if !tunnels.is_empty() {
        out += &tunnel_table(tunnels);
    }
    if flows.is_empty() {
        return out;
    }
    let head = [
        "client",
        "from",
        "to",
        "controllers",
        "rtt ms",
        "window kB",
        "out B",
        "out ms",
        "home B",
        "home ms",
        "marks",
        "drops",
        "repairs",
    ];
    let row = |flow: &Value| -> Vec<String> {
        let at = |place: &str| text_at(flow, place);
        let number = |path: &str| flow.pointer(path).and_then(Value::as_f64);
        let pair = |a: String, b: String| format!("{a}/{b}");
        let round = |path: &str| number(path).map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
        let kilo = |path: &str| number(path).map_or_else(|| "-".to_owned(), |value| format!("{:.0}", value / 1e3));
        let sum = |name: &str| {
            let of = |way: &str| flow[way][name].as_u64().unwrap_or(0);
            (of("outward") + of("homeward")).to_string()
        };
        let to = if flow["far"]["asked"].is_string() { at("/far/asked") + " (asked)" } else { at("/far/neighbour") };
        vec![
            short(&at("/client")),
            at("/near/neighbour"),
            to,
            pair(at("/near/controller"), at("/far/controller")),
            pair(round("/near/rtt_ms"), round("/far/rtt_ms")),
            pair(kilo("/near/window_bytes"), kilo("/far/window_bytes")),
            at("/outward/bytes"),
            round("/outward/ms"),
            at("/homeward/bytes"),
            round("/homeward/ms"),
            sum("marked"),
            sum("dropped"),
            sum("repaired"),
        ]
    };
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(flows.iter().map(row));
    out += &aligned(&rows);
    out
}

/// A row for each tunnel.
fn tunnel_table(tunnels: &[Value]) -> String {
    let head = [
        "tunnel",
        "at",
        "end",
        "of",
        "up",
        "neighbour",
        "controller",
        "rtt ms",
        "window kB",
        "flows",
        "waiting B",
        "too large",
    ];
    let row = |tunnel: &Value| -> Vec<String> {
        let text = |place: &str| text_at(tunnel, place);
        let number = |path: &str, by: f64, digits: usize| {
            let value = tunnel.pointer(path).and_then(Value::as_f64);
            value.map_or_else(|| "-".to_owned(), |value| format!("{:.digits$}", value / by))
        };
        let up = match (&tunnel["up"], tunnel["failure"].as_str()) {
            (Value::Bool(true), _) => "yes".to_owned(),
            (_, Some(failure)) => format!("no: {failure}"),
            _ => "no".to_owned(),
        };
        vec![
            text("/name"),
            text("/at"),
            text("/end"),
            short(&text("/of")),
            up,
            text("/section/neighbour"),
            text("/section/controller"),
            number("/section/rtt_ms", 1.0, 1),
            number("/section/window_bytes", 1e3, 0),
            text("/flows"),
            text("/waiting_bytes"),
            text("/too_large"),
        ]
    };
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(tunnels.iter().map(row));
    aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_tells_how_many_datagrams_were_too_large_for_it() {
        let table = tunnel_table(&[json!({ "name": "office", "up": true, "too_large": 17 })]);
        let [head, row] = [0, 1].map(|at| table.lines().nth(at).expect("a line").to_owned());
        assert!(head.ends_with("too large") && row.ends_with("  17"), "{table}");
    }

    #[test]
    fn a_status_is_a_table_with_a_row_for_each_flow() {
        let flow = json!({
            "client": "alice", "near": { "neighbour": "192.0.2.1:4000", "controller": "cubic", "rtt_ms": 1.25,
            "window_bytes": 120_000 }, "far": { "asked": "198.51.100.2:4860" },
            "outward": { "bytes": 10, "ms": null, "marked": 1, "dropped": 2, "repaired": 0 },
            "homeward": { "bytes": 0, "ms": 0.0, "marked": 3, "dropped": 0, "repaired": 0 },
        });
        let status = json!({
            "eid": "abc", "address": "[::]:4860", "uptime_s": 5, "draining": true,
            "clients": { "listed": 2, "anyone": true },
            "counts": {
                "flows": 1, "joins": 4, "refused": 0, "denied": { "not_a_client": 2, "wrong_token": 1 },
                "queued_bytes": 10, "marked": 4, "dropped": 2,
            },
            "config_error": "line 3: no", "flows": [flow],
            "guests": [
                { "name": "guest-vegas", "blake3": "ab", "at_work": 2, "calls": 90, "stopped": 0, "fault": null },
                { "name": "guest-bad", "blake3": "cd", "at_work": 0, "calls": 7, "stopped": 1, "fault": "it trapped" },
            ],
        });
        let table = table(&status);
        assert!(
            table.starts_with("abc at [::]:4860, up 5 s, ending\nclients 2 and anyone, denied 3, flows 1, joins 4"),
            "{table}"
        );
        assert!(table.contains("what held before holds: line 3: no"), "{table}");
        for said in [
            "\nguest-vegas, ab: 2 at work, 90 calls, 0 stopped",
            "\nguest-bad, cd: 0 at work, 7 calls, 1 stopped, with newreno in their place: it trapped\n",
        ] {
            assert!(table.contains(said), "{table}");
        }
        let row = table.lines().last().expect("a flow");
        let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(
            cells,
            [
                "alice",
                "192.0.2.1:4000",
                "198.51.100.2:4860 (asked)",
                "cubic/-",
                "1.2/-",
                "120/-",
                "10",
                "-",
                "0",
                "0.0",
                "4",
                "2",
                "0"
            ],
            "{table}"
        );
    }
}
