//! What came of a run, as a page.

use crate::report::{FlowReport, LaneReport, Report};

use super::Page;

/// The page of a run: what its tables on the terminal say.
pub fn of_report(report: &Report) -> String {
    let mut page = Page::new("A run in virtual time");
    let ran = format!("Seed {}, {:.3} s of virtual time.", report.seed, report.time_s);
    let fair =
        report.fairness.map_or(String::new(), |index| format!(" Jain's fairness index of the flows: {index:.3}."));
    page.paragraph(&(ran + &fair));
    if !report.flows.is_empty() {
        let head =
            ["flow", "protocol", "controller", "bytes", "start", "first byte", "completion", "goodput", "outcome"];
        page.section("Flows").table(&head, report.flows.iter().map(flow));
    }
    if !report.links.is_empty() {
        let head = [
            "link",
            "way",
            "offered",
            "delivered",
            "dropped",
            "marked",
            "used",
            "queue mean",
            "queue max",
            "wait mean",
            "wait max",
        ];
        let lanes = report.links.iter().flat_map(|link| [(link, "forth", &link.forth), (link, "back", &link.back)]);
        page.section("Links").table(&head, lanes.map(|(link, way, lane)| self::lane(&link.name, way, lane)));
    }
    page.section("Again").paragraph(&format!("The same scenario and seed give the same digest: {}.", report.digest));
    page.to_html()
}

fn seconds(time_s: Option<f64>) -> String {
    time_s.map_or("–".to_owned(), |time_s| format!("{time_s:.3} s"))
}

fn flow(flow: &FlowReport) -> [String; 9] {
    let outcome = match (&flow.failure, flow.completion_s) {
        (Some(why), _) => format!("failed: {why}"),
        (None, Some(_)) => "whole".to_owned(),
        (None, None) => "not ended".to_owned(),
    };
    [
        flow.name.clone(),
        flow.protocol.to_owned(),
        flow.controller.clone(),
        flow.bytes.to_string(),
        seconds(flow.start_s),
        seconds(flow.first_byte_s),
        seconds(flow.completion_s),
        format!("{:.2} Mbit/s", flow.goodput_bps / 1e6),
        outcome,
    ]
}

fn lane(link: &str, way: &str, lane: &LaneReport) -> [String; 11] {
    let dropped = lane.dropped.iter().map(|(cause, count)| format!("{cause} {count}")).collect::<Vec<_>>().join(", ");
    [
        link.to_owned(),
        way.to_owned(),
        lane.offered.to_string(),
        lane.delivered.to_string(),
        if dropped.is_empty() { "0".to_owned() } else { dropped },
        lane.marked.to_string(),
        lane.utilisation.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0)),
        format!("{:.1}", lane.queue_packets_mean),
        lane.queue_packets_max.to_string(),
        format!("{:.1} ms", lane.sojourn_mean_s * 1e3),
        format!("{:.1} ms", lane.sojourn_max_s * 1e3),
    ]
}
