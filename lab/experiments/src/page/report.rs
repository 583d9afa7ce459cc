//! What came of a run, as a page.

use crate::engine::report::{DatagramReport, FlowReport, LaneReport, Report, Spread, StreamReport, WebReport};

use super::{Axis, Page, Plot, Series};

/// Curves that a plot has at most; the page says how many more there were.
pub const CURVES_MAX: usize = 24;
/// Points that a curve has at most; neighbours are averaged to keep to it.
pub const CURVE_POINTS_MAX: usize = 2_000;

/// Stands where there is no value.
const NONE: &str = "–";

/// The page of a run: what its tables on the terminal say, and what arrived over time.
pub fn of_report(report: &Report) -> String {
    let mut page = Page::new("A run in virtual time");
    let ran = format!("Seed {}, {:.3} s of virtual time.", report.seed, report.time_s);
    let fair =
        report.fairness.map_or(String::new(), |index| format!(" Jain's fairness index of the flows: {index:.3}."));
    page.paragraph(&(ran + &fair));
    if !report.flows.is_empty() {
        let head = [
            "flow",
            "group",
            "protocol",
            "controller",
            "bytes",
            "start",
            "first byte",
            "completion",
            "goodput",
            "rtt mean",
            "rtt p95",
            "outcome",
        ];
        page.section("Flows").table(&head, report.flows.iter().map(flow));
    }
    if report.groups.len() > 1 {
        let head = ["group of flows", "flows", "goodput", "share", "Jain's index"];
        let index = |index: Option<f64>| index.map_or(NONE.to_owned(), |index| format!("{index:.3}"));
        let rows = report.groups.iter().map(|group| {
            let share = group.share.map_or(NONE.to_owned(), |share| format!("{:.1} %", share * 100.0));
            [group.name.clone(), group.flows.to_string(), mbits(group.goodput_bps), share, index(group.fairness)]
        });
        page.table(&head, rows);
    }
    arrivals(&mut page, report);
    round_trips(&mut page, report);
    queues(&mut page, report);
    streams(&mut page, report);
    web(&mut page, report);
    let groups: Vec<&DatagramReport> = report.flows.iter().flat_map(|flow| &flow.datagrams).collect();
    if !groups.is_empty() {
        let head = [
            "datagrams",
            "size",
            "sent",
            "refused",
            "received",
            "missing",
            "expired",
            "delay p50",
            "p90",
            "p99",
            "max",
        ];
        page.section("Datagrams");
        filled(&mut page, &head, groups.into_iter().map(datagrams).collect());
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
    if !report.events.is_empty() {
        let rows = report.events.iter().map(|event| [format!("{:.3} s", event.at_s), event.what.clone()]);
        page.section("Events").table(&["time", "what"], rows);
    }
    if !report.digest.is_empty() {
        page.section("Again")
            .paragraph(&format!("The same scenario and seed give the same digest: {}.", report.digest));
    }
    page.to_html()
}

/// What arrived over time, of every name, and the events.
fn arrivals(page: &mut Page, report: &Report) {
    let streams = report.flows.iter().flat_map(|flow| &flow.streams).map(|one| (&one.name, &one.bytes_per_interval));
    let datagrams =
        report.flows.iter().flat_map(|flow| &flow.datagrams).map(|one| (&one.name, &one.bytes_per_interval));
    let web = report.flows.iter().flat_map(|flow| &flow.web).map(|one| (&one.name, &one.bytes_per_interval));
    let all: Vec<(&String, &Vec<u64>)> = streams.chain(datagrams).chain(web).collect();
    if all.is_empty() {
        return;
    }
    let mut plot = Plot::new("Goodput", Axis::new("time", "s"), crate::lab::Curve::axis());
    for (name, bytes) in all.iter().take(CURVES_MAX) {
        let points = report.curve(bytes).into_iter().map(|(x, bps)| (x, bps / 1e6)).collect();
        plot = plot.series(Series::line(name, thinned(points)));
    }
    plot = report.events.iter().fold(plot, |plot, event| plot.mark(event.at_s, &event.what));
    page.section("Arrivals").plot(&plot);
    left_out(page, all.len());
}

/// Round-trip times over time, of every flow that has any.
fn round_trips(page: &mut Page, report: &Report) {
    let known = |flow: &&FlowReport| flow.rtt_per_interval_s.iter().any(Option::is_some);
    let all: Vec<&FlowReport> = report.flows.iter().filter(known).collect();
    if all.is_empty() {
        return;
    }
    let mut plot = Plot::new("Smoothed round-trip time", Axis::new("time", "s"), Axis::new("round-trip time", "ms"));
    for flow in all.iter().take(CURVES_MAX) {
        let values = flow.rtt_per_interval_s.iter().map(|rtt_s| rtt_s.map_or(f64::NAN, |rtt_s| rtt_s * 1e3));
        plot = plot.series(Series::line(&flow.name, thinned(at_ends(report, values))));
    }
    plot = report.events.iter().fold(plot, |plot, event| plot.mark(event.at_s, &event.what));
    page.section("Round trips").plot(&plot);
    left_out(page, all.len());
}

/// What waited in the queues over time, where anything did.
fn queues(page: &mut Page, report: &Report) {
    let lanes = report.links.iter().flat_map(|link| [(link, ">", &link.forth), (link, "<", &link.back)]);
    let all: Vec<_> = lanes.filter(|(_, _, lane)| lane.queue_packets_max > 1).collect();
    if all.is_empty() {
        return;
    }
    let mut plot =
        Plot::new("Queues: most that waited in each interval", Axis::new("time", "s"), Axis::new("waiting", "kB"));
    for (link, way, lane) in all.iter().take(CURVES_MAX) {
        let values = lane.queue_bytes_max_per_interval.iter().map(|bytes| *bytes as f64 / 1e3);
        let name = format!("{} {way}", link.name);
        plot = plot.series(Series::line(&name, thinned(at_ends(report, values))));
    }
    plot = report.events.iter().fold(plot, |plot, event| plot.mark(event.at_s, &event.what));
    page.section("Queues").plot(&plot);
    left_out(page, all.len());
}

/// Values of intervals as points at their ends.
fn at_ends(report: &Report, values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let end = |interval: usize| ((interval + 1) as f64 * report.interval_s).min(report.time_s);
    values.enumerate().map(|(interval, value)| (end(interval), value)).collect()
}

/// Streams of every name, and how those of a `count` came to their ends.
fn streams(page: &mut Page, report: &Report) {
    let all: Vec<&StreamReport> = report.flows.iter().flat_map(|flow| &flow.streams).collect();
    if all.is_empty() {
        return;
    }
    let head = [
        "streams",
        "parent",
        "completed",
        "bytes",
        "start",
        "first byte p50",
        "whole p50",
        "p90",
        "p99",
        "max",
        "message p50",
        "p99",
        "goodput",
    ];
    page.section("Streams");
    filled(page, &head, all.iter().map(|one| stream(one)).collect());
    let many: Vec<&&StreamReport> = all.iter().filter(|one| one.completed > 1).collect();
    if many.is_empty() {
        return;
    }
    let mut plot =
        Plot::new("Streams that are whole", Axis::new("time since the start of each", "s"), Axis::new("streams", "%"));
    for one in many.iter().take(CURVES_MAX) {
        let times_s: Vec<f64> = one.each.iter().filter_map(|one| one.completion_s).collect();
        plot = plot.series(Series::steps(&one.name, shares(times_s, f64::from(one.count))));
    }
    page.plot(&plot);
    left_out(page, many.len());
}

/// Pages of every name, and what share of them was whole by when.
fn web(page: &mut Page, report: &Report) {
    let all: Vec<&WebReport> = report.flows.iter().flat_map(|flow| &flow.web).collect();
    if all.is_empty() {
        return;
    }
    let head = ["pages", "whole", "answers", "bytes", "load p50", "p90", "p99", "max", "outcome"];
    let rows = all.iter().map(|web| {
        [
            web.name.clone(),
            format!("{} of {}", web.completed, web.pages),
            web.objects.to_string(),
            web.bytes.to_string(),
            spread(&web.load_s, |of| of.p50),
            spread(&web.load_s, |of| of.p90),
            spread(&web.load_s, |of| of.p99),
            spread(&web.load_s, |of| of.max),
            web.failure.as_ref().map_or(String::new(), |why| format!("failed: {why}")),
        ]
    });
    page.section("Pages").table(&head, rows);
    let mut plot = Plot::new(
        "Pages that are whole",
        Axis::new("time since the first request of each", "s"),
        Axis::new("pages", "%"),
    );
    for web in all.iter().take(CURVES_MAX) {
        plot = plot.series(Series::steps(&web.name, shares(web.each_load_s.clone(), f64::from(web.pages))));
    }
    page.plot(&plot);
    left_out(page, all.len());
}

/// What share of `count` was over by when, in percent.
fn shares(mut times_s: Vec<f64>, count: f64) -> Vec<(f64, f64)> {
    times_s.sort_by(f64::total_cmp);
    let points = times_s.iter().enumerate().map(|(place, time_s)| (*time_s, (place + 1) as f64 * 100.0 / count));
    // The origin and the last of all come on top.
    let step = times_s.len().div_ceil(CURVE_POINTS_MAX - 2).max(1);
    let points = points.enumerate().filter(|(place, _)| place % step == 0 || place + 1 == times_s.len());
    [(0.0, 0.0)].into_iter().chain(points.map(|(_, point)| point)).collect()
}

/// A table without the columns in which no row has anything.
fn filled<const COLUMNS: usize>(page: &mut Page, head: &[&str; COLUMNS], rows: Vec<[String; COLUMNS]>) {
    let has = |column: &usize| rows.iter().any(|row| !matches!(row[*column].as_str(), "" | NONE));
    let columns: Vec<usize> = (0..COLUMNS).filter(has).collect();
    let head: Vec<&str> = columns.iter().map(|column| head[*column]).collect();
    let cells = |row: &[String; COLUMNS]| columns.iter().map(|column| row[*column].clone()).collect::<Vec<_>>();
    page.table(&head, rows.iter().map(cells));
}

fn left_out(page: &mut Page, curves: usize) {
    if curves > CURVES_MAX {
        page.paragraph(&format!("The plot has the first {CURVES_MAX} of {curves}; the tables and --json have all."));
    }
}

/// A curve with at most [`CURVE_POINTS_MAX`] points, means of neighbours.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(CURVE_POINTS_MAX).max(1);
    let mean = |points: &[(f64, f64)]| {
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
        (x / points.len() as f64, y / points.len() as f64)
    };
    points.chunks(step).map(mean).collect()
}

fn seconds(time_s: Option<f64>) -> String {
    time_s.map_or(NONE.to_owned(), |time_s| format!("{time_s:.3} s"))
}

fn mbits(bps: f64) -> String {
    format!("{:.2} Mbit/s", bps / 1e6)
}

fn spread(spread: &Option<Spread>, of: fn(&Spread) -> f64) -> String {
    seconds(spread.as_ref().map(of))
}

fn flow(flow: &FlowReport) -> [String; 12] {
    let outcome = match (&flow.failure, flow.completion_s) {
        (Some(why), _) => format!("failed: {why}"),
        (None, Some(_)) => "whole".to_owned(),
        (None, None) => "not ended".to_owned(),
    };
    [
        flow.name.clone(),
        flow.group.clone(),
        flow.protocol.to_owned(),
        flow.controller.as_deref().unwrap_or(NONE).to_owned(),
        flow.bytes.to_string(),
        seconds(flow.start_s),
        seconds(flow.first_byte_s),
        seconds(flow.completion_s),
        mbits(flow.goodput_bps),
        spread(&flow.rtt_s, |of| of.mean),
        spread(&flow.rtt_s, |of| of.p95),
        outcome,
    ]
}

fn stream(stream: &StreamReport) -> [String; 13] {
    [
        stream.name.clone(),
        stream.parent.clone().unwrap_or_default(),
        stream
            .failure
            .as_ref()
            .map_or(format!("{} of {}", stream.completed, stream.count), |why| format!("failed: {why}")),
        stream.bytes.to_string(),
        seconds(stream.start_s),
        spread(&stream.first_byte_s, |of| of.p50),
        spread(&stream.completion_s, |of| of.p50),
        spread(&stream.completion_s, |of| of.p90),
        spread(&stream.completion_s, |of| of.p99),
        spread(&stream.completion_s, |of| of.max),
        spread(&stream.message_s, |of| of.p50),
        spread(&stream.message_s, |of| of.p99),
        mbits(stream.goodput_bps),
    ]
}

fn datagrams(group: &DatagramReport) -> [String; 11] {
    [
        group.failure.as_ref().map_or(group.name.clone(), |why| format!("{} (failed: {why})", group.name)),
        group.size.to_string(),
        group.sent.to_string(),
        group.refused.to_string(),
        group.received.to_string(),
        group.missing.to_string(),
        group.expired.map_or(NONE.to_owned(), |count| count.to_string()),
        spread(&group.delay_s, |of| of.p50),
        spread(&group.delay_s, |of| of.p90),
        spread(&group.delay_s, |of| of.p99),
        spread(&group.delay_s, |of| of.max),
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
        lane.utilisation.map_or(NONE.to_owned(), |share| format!("{:.1} %", share * 100.0)),
        format!("{:.1}", lane.queue_packets_mean),
        lane.queue_packets_max.to_string(),
        format!("{:.1} ms", lane.sojourn_mean_s * 1e3),
        format!("{:.1} ms", lane.sojourn_max_s * 1e3),
    ]
}
