//! What a gateway tells of itself: as JSON, for Prometheus, and for people.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};

use super::daemon::Running;
use super::figures::{CLASSES, Figures, read};
use super::source::Standing;
use super::{CLIENTS_MAX, Source};
use crate::daemon::Daemon as _;
use crate::daemon::metrics::{counter, counters, gauge};
use crate::daemon::table::{aligned, ending, text};

fn by_class(figures: &Figures) -> impl Iterator<Item = (&'static str, u64)> {
    CLASSES.into_iter().zip(figures.answers.iter().map(read))
}

fn server(name: &str, source: &Source) -> Value {
    let (host, Standing { way, visits }) = (source.host(), source.standing());
    json!({
        "name": name,
        "eid": host.eid.to_string(),
        "addresses": host.places.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "way": way.as_deref().unwrap_or("none"),
        "error": way.as_ref().err(),
        "requests": visits,
    })
}

/// All that it tells.
pub fn of(running: &Running) -> Value {
    let (life, names) = (running.life(), running.doors.names());
    let figures = &running.doors.account().figures;
    let [missed, unwritten] = running.log.lost().counts();
    let outlet =
        |outlet: &super::config::Outlet| json!({ "address": outlet.at.to_string(), "path": outlet.path.as_str() });
    json!({
        "address": running.address.to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": life.uptime().as_secs(),
        "draining": life.is_draining(),
        "config": running.config_path(),
        "reloads": life.reloads(),
        "config_error": life.config_error(),
        "connections": read(&figures.connections_now),
        "connections_max": CLIENTS_MAX,
        "servers": names.pairs().map(|(name, source)| server(name, source)).collect::<Vec<_>>(),
        "tcp": running.outlets.iter().map(outlet).collect::<Vec<_>>(),
        "counts": {
            "connections": read(&figures.connections),
            "turned_away": read(&figures.turned_away),
            "answers": by_class(figures).collect::<std::collections::BTreeMap<_, _>>(),
            "poured": read(&figures.poured),
            "bytes": read(&figures.bytes),
            "cut_off": read(&figures.cut_off),
            "resumed": read(&figures.resumed),
        },
        "log_lines_missed": missed,
        "log_lines_unwritten": unwritten,
    })
}

/// The same for Prometheus.
///
/// # Errors
/// If the encoder fails.
pub fn measure(running: &Running, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let names = running.doors.names();
    let figures = &running.doors.account().figures;
    let [missed, unwritten] = running.log.lost().counts();
    let standing: Vec<Standing> = names.pairs().map(|(_, source)| source.standing()).collect();
    let lost = standing.iter().filter(|standing| standing.way.is_err()).count();
    let visits: usize = standing.iter().map(|standing| standing.visits).sum();
    gauge(to, "connections_now", "Connections of clients", read(&figures.connections_now) as i64)?;
    gauge(to, "requests_now", "Requests that are being answered", visits as i64)?;
    gauge(to, "servers", "Servers, or fleets of them, by names", standing.len() as i64)?;
    gauge(to, "servers_lost", "Of them, those where none answers", lost as i64)?;
    counter(to, "connections", "Connections of clients that had a place", read(&figures.connections))?;
    counter(to, "turned_away", "Connections for which there was no place", read(&figures.turned_away))?;
    counters(to, ("answers", "Answers by HTTP, by the first digit of their status", "status"), by_class(figures))?;
    counter(to, "poured", "Files given to who came to a door of one file", read(&figures.poured))?;
    counter(to, "bytes", "Bytes of files that were passed on", read(&figures.bytes))?;
    counter(to, "cut_off", "Files that ended early, since no server brought the rest", read(&figures.cut_off))?;
    counter(to, "resumed", "Times that a file went on over another connection", read(&figures.resumed))?;
    counter(to, "log_lines_missed", "Lines of the access log that came faster than they were written", missed)?;
    counter(to, "log_lines_unwritten", "Lines of the access log that could not be written", unwritten)
}

/// Whether a status is that of a gateway.
pub fn is_one(status: &Value) -> bool {
    status["servers"].is_array()
}

/// A status as people read it.
pub fn table(status: &Value) -> String {
    let (counts, draining) = (&status["counts"], ending(status));
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(out, "a gateway at {}, up {} s{draining}", text(&status["address"]), status["uptime_s"]);
    let answers = counts["answers"].as_object().into_iter().flatten();
    let answers: Vec<String> = answers.map(|(class, count)| format!("{count} of {class}")).collect();
    let _ = writeln!(
        out,
        "{} connections of {} at most, {} in all, {} turned away; answers: {}",
        status["connections"],
        status["connections_max"],
        counts["connections"],
        counts["turned_away"],
        answers.join(", "),
    );
    let _ = writeln!(
        out,
        "{} B passed on; {} files over TCP alone; {} went on over another connection, {} were cut off",
        counts["bytes"], counts["poured"], counts["resumed"], counts["cut_off"],
    );
    if let Some(why) = status["config_error"].as_str() {
        let _ = writeln!(out, "the last reload failed, and what held before holds: {why}");
    }
    let mut rows = vec![["servers", "by", "requests now", "why not"].map(str::to_owned).to_vec()];
    for server in status["servers"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let why = server["error"].as_str().unwrap_or("-").to_owned();
        rows.push(vec![text(&server["name"]), text(&server["way"]), text(&server["requests"]), why]);
    }
    out + &aligned(&rows)
}
