//! Scenario files in real time.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tng_emulator::transfer::{self, Origin, Span, Transfer, TransferFigures};
use tng_emulator::{Names, Network, Status};
use tng_sim::Carrier;

use super::{Real, RealError, run_from};
use crate::engine::plan::Plan;
use crate::engine::report::{
    EventReport, FlowReport, GroupReport, LaneReport, LinkReport, OneStream, Report, Spread, StreamReport, fairness,
};
use crate::engine::samples::LaneSeries;
use crate::scenario::{Amount, EventKind, FlowSpec, NodeKind, Scenario, TngSpec};

/// What came of a scenario in real time: the report that a run in virtual time gives, as far as real hosts tell, and
/// how punctual the links were.
#[derive(Debug)]
pub struct RealReport {
    /// What flowed.
    pub report: Report,
    /// The links of the emulator.
    pub links: Status,
}

/// What a scenario has that real time has not.
fn lacking(scenario: &Scenario) -> Option<String> {
    let flow = |flow: &FlowSpec| {
        let what = match flow.protocol.row().real {
            Some(_) => None,
            None => Some(format!("its protocol is {:?}", flow.protocol.name())),
        };
        let policed = scenario.is_policed(flow).then(|| "the policer holds it".to_owned());
        let datagrams = (!flow.datagrams.is_empty()).then(|| "it has datagrams".to_owned());
        let web = (!flow.web.is_empty()).then(|| "it has pages".to_owned());
        let stream = flow.streams.iter().find_map(|stream| {
            let has = [
                (stream.parent.is_some(), "parent"),
                (stream.connect.is_some(), "connect"),
                (stream.priority.is_some(), "priority"),
                (stream.request.is_some(), "request"),
                (stream.pace.is_some(), "pace"),
                (stream.on_off.is_some(), "periods"),
                (stream.messages.is_some(), "messages"),
            ];
            has.iter().find(|(has, _)| *has).map(|(_, key)| format!("its stream {:?} has {key}", stream.name))
        });
        let what = what.or(policed).or(datagrams).or(web).or(stream)?;
        Some(format!("the flow {:?}: {what}", flow.name))
    };
    let event = |event: &EventKind| match event {
        EventKind::Outage { .. } | EventKind::Link { .. } => None,
        EventKind::Address { .. } | EventKind::Rebind { .. } => Some("an address changes"),
        EventKind::Peer { .. } => Some("a host is told where its peer is"),
        EventKind::Restart { .. } | EventKind::Stop { .. } => Some("a host stops"),
        EventKind::Stream { .. } => Some("something is done to a stream"),
    };
    let events = scenario.events.iter().find_map(|at| event(&at.kind).map(|what| format!("after {:?} {what}", at.at)));
    let link = scenario.links.iter().find(|link| !link.addresses.is_empty());
    let link = link.map(|link| format!("the link {:?} has addresses of its own", link.name));
    let helper = scenario.nodes.iter().find(|node| matches!(node.kind, NodeKind::Helper { .. }));
    let helper =
        helper.map(|node| format!("the node {:?} is a helper, which `tng link up` has a relay for", node.name));
    let set = |kind: &NodeKind| matches!(kind, NodeKind::Host { tng, .. } if *tng != TngSpec::default());
    let node = scenario.nodes.iter().find(|node| set(&node.kind));
    let node = node.map(|node| format!("the node {:?} has settings of its own", node.name));
    helper.or_else(|| scenario.flows.iter().find_map(flow)).or(events).or(link).or(node)
}

/// Whether a scenario has nothing that is there in virtual time only.
///
/// # Errors
/// [`RealError::Virtual`], which names the first such thing.
pub fn check(scenario: &Scenario) -> Result<(), RealError> {
    lacking(scenario).map_or(Ok(()), |what| Err(RealError::Virtual(what)))
}

/// Runs a scenario in real time: flows over TCP by the kernel, flows over tng by hosts on real sockets, events as they
/// stand in the file. It lasts for its duration if anything in it has no end.
///
/// # Errors
/// See [`RealError`]; [`RealError::Virtual`] if the scenario has what is there in virtual time only.
pub fn run_scenario(scenario: &Scenario) -> Result<RealReport, RealError> {
    check(scenario)?;
    let plan = Plan::new(scenario);
    let controller = |flow: &FlowSpec| match flow.protocol.row().control {
        Some(control) if control.by_host => scenario.controller_of(flow.from, flow.protocol).map(str::to_owned),
        _ => flow.controller.clone(),
    };
    let transfers: Vec<(Real, Transfer)> = plan
        .streams
        .iter()
        .filter_map(|stream| {
            // `lacking` has found those that nothing carries.
            let real = stream.protocol.row().real?;
            let transfer = Transfer {
                from: stream.sender,
                to: stream.receiver,
                controller: controller(&scenario.flows[stream.flow]),
                start: Duration::from_nanos(stream.start.as_nanos()),
                amount: amount(stream.amount),
            };
            Some((real, transfer))
        })
        .collect();
    let network = Network::start(&scenario.topology(), &Names::Private)?;
    let span = Span { limit: scenario.duration, interval: scenario.interval };
    let (done, ended) = mpsc::channel();
    let (figures, series, time) = thread::scope(|scope| {
        let network = &network;
        let watching =
            run_from(network, &transfers, span, |origin| scope.spawn(move || watch(scenario, network, origin, &ended)))
                .map(|(origin, figures, watching)| (origin.elapsed(), figures, watching));
        drop(done);
        let (time, figures, watching) = watching?;
        let series = watching.join().unwrap_or_default();
        Ok::<_, RealError>((figures, series, time))
    })?;
    let report = report(scenario, &plan, &network, &figures, &series, time.min(scenario.duration));
    Ok(RealReport { report, links: Status::of(&network) })
}

fn amount(amount: Amount) -> transfer::Amount {
    match amount {
        Amount::Bytes(bytes) => transfer::Amount::Bytes(bytes),
        Amount::For(time) => transfer::Amount::For(time),
        // The plan has drawn what had to be drawn.
        Amount::Forever | Amount::Drawn(_) => transfer::Amount::Forever,
    }
}

/// Lets the events of a scenario happen, and looks at the queues at the end of every interval, until the run has ended.
/// By lane.
fn watch(scenario: &Scenario, network: &Network, origin: Origin, ended: &mpsc::Receiver<()>) -> Vec<LaneSeries> {
    let mut series = vec![LaneSeries::default(); 2 * scenario.links.len()];
    let mut acts = acts(scenario).into_iter().peekable();
    let mut interval = 1;
    loop {
        let look = scenario.interval * interval;
        let next = acts.peek().map_or(look, |(time, _)| look.min(*time));
        match ended.recv_timeout(origin.until(next)) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => return series,
        }
        if acts.peek().is_some_and(|(time, _)| *time == next) {
            acts.next().into_iter().for_each(|(_, act)| act.happen(network));
        } else {
            let lanes = network.figures();
            series.iter_mut().zip(&lanes).for_each(|(series, lane)| series.push(lane.queue, lane.stats.dropped()));
            interval += 1;
        }
    }
}

/// Something that happens to a link.
enum Act<'s> {
    Carry(usize, Carrier),
    Change(usize, [bool; 2], &'s crate::scenario::LinkPatch),
}

impl Act<'_> {
    fn happen(self, network: &Network) {
        match self {
            Act::Carry(link, carrier) => network.set_carrier(link, carrier),
            Act::Change(link, lanes, patch) => {
                let figures = network.figures();
                for (lane, _) in [2 * link, 2 * link + 1].into_iter().zip(lanes).filter(|(_, changes)| *changes) {
                    if let Some(now) = figures.get(lane) {
                        network.emulator().change(lane, patch.applied(&now.link));
                    }
                }
            }
        }
    }
}

/// The events of a scenario, in order of time.
fn acts(scenario: &Scenario) -> Vec<(Duration, Act<'_>)> {
    let mut acts = Vec::new();
    for event in &scenario.events {
        match &event.kind {
            EventKind::Outage { link, lasts, holds } => {
                let down = if *holds { Carrier::Holds } else { Carrier::Drops };
                acts.push((event.at, Act::Carry(*link, down)));
                acts.push((event.at + *lasts, Act::Carry(*link, Carrier::Up)));
            }
            EventKind::Link { link, lanes, patch } => acts.push((event.at, Act::Change(*link, *lanes, patch))),
            // `lacking` has found these.
            EventKind::Address { .. }
            | EventKind::Rebind { .. }
            | EventKind::Peer { .. }
            | EventKind::Restart { .. }
            | EventKind::Stop { .. }
            | EventKind::Stream { .. } => {}
        }
    }
    acts.sort_by_key(|(time, _)| *time);
    acts
}

fn report(
    scenario: &Scenario,
    plan: &Plan,
    network: &Network,
    figures: &[TransferFigures],
    series: &[LaneSeries],
    time: Duration,
) -> Report {
    let time_s = time.as_secs_f64();
    let flows: Vec<FlowReport> =
        (0..scenario.flows.len()).map(|number| flow_report(scenario, plan, figures, number, time_s)).collect();
    let lanes = network.figures();
    let lane = |number: usize| {
        let none = LaneSeries::default();
        LaneReport::new(&lanes[number].stats, &lanes[number].link, time_s, series.get(number).unwrap_or(&none))
    };
    let link = |(number, name): (usize, &String)| LinkReport {
        name: name.clone(),
        forth: lane(2 * number),
        back: lane(2 * number + 1),
    };
    let names: Vec<String> = scenario.links.iter().map(|link| link.name.clone()).collect();
    let moved: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).filter(|bps| *bps > 0.0).collect();
    let happened = scenario.events.iter().filter(|event| event.at <= time);
    Report {
        seed: scenario.seed,
        time_s,
        interval_s: scenario.interval.as_secs_f64(),
        // An emulator that has ended has no figures.
        links: if lanes.is_empty() { Vec::new() } else { names.iter().enumerate().map(link).collect() },
        nats: Vec::new(),
        events: happened
            .map(|event| EventReport { at_s: event.at.as_secs_f64(), what: scenario.describe(event) })
            .collect(),
        fairness: fairness(&moved),
        groups: GroupReport::all(&flows),
        flows,
        digest: String::new(),
    }
}

fn flow_report(
    scenario: &Scenario,
    plan: &Plan,
    figures: &[TransferFigures],
    number: usize,
    time_s: f64,
) -> FlowReport {
    let flow = &scenario.flows[number];
    let streams: Vec<StreamReport> = flow
        .streams
        .iter()
        .enumerate()
        .map(|(entry, spec)| {
            let whole = Whole::of(&figures[plan.range(number, entry)], spec.amount == Amount::Forever, time_s);
            StreamReport {
                name: spec.name.clone(),
                parent: None,
                count: spec.count,
                completed: whole.each.iter().filter(|one| one.completion_s.is_some()).count() as u32,
                bytes: whole.bytes,
                start_s: whole.start_s,
                first_byte_s: Spread::of(whole.each.iter().filter_map(|one| one.first_byte_s).collect()),
                completion_s: Spread::of(whole.each.iter().filter_map(|one| one.completion_s).collect()),
                message_s: None,
                each_message_s: Vec::new(),
                goodput_bps: whole.goodput_bps,
                bytes_per_interval: whole.series,
                failure: whole.failure,
                each: whole.each,
            }
        })
        .collect();
    let of_flow = &figures[plan.streams_of(number)];
    let endless = flow.streams.iter().any(|stream| stream.amount == Amount::Forever);
    let whole = Whole::of(of_flow, endless, time_s);
    let rtt = |figure: fn(&TransferFigures) -> Option<f64>| of_flow.iter().rev().find_map(figure).map(|us| us / 1e6);
    FlowReport {
        name: flow.name.clone(),
        group: flow.group.clone(),
        protocol: flow.protocol.name(),
        controller: of_flow.first().map(|one| one.controller.clone()),
        bytes: whole.bytes,
        start_s: whole.start_s,
        first_byte_s: whole.first_byte_s,
        completion_s: whole.completion_s,
        goodput_bps: whole.goodput_bps,
        failure: whole.failure,
        // What hosts tell is how it was in the end: no mean of the time before.
        rtt_s: None,
        helped: None,
        rtt_smoothed_s: rtt(|one| one.rtt_smoothed_us),
        rtt_min_s: rtt(|one| one.rtt_min_us),
        bytes_per_interval: whole.series,
        rtt_per_interval_s: Vec::new(),
        streams,
        datagrams: Vec::new(),
        web: Vec::new(),
    }
}

/// What several transfers are together.
struct Whole {
    bytes: u64,
    start_s: Option<f64>,
    first_byte_s: Option<f64>,
    completion_s: Option<f64>,
    goodput_bps: f64,
    series: Vec<u64>,
    failure: Option<String>,
    each: Vec<OneStream>,
}

impl Whole {
    fn of(figures: &[TransferFigures], endless: bool, time_s: f64) -> Whole {
        // Those that the run never came to have not started.
        let started = || figures.iter().filter(|one| one.start_s < time_s);
        let least = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
        let start_s = least(&mut started().map(|one| one.start_s));
        let after = |time: f64| time - start_s.unwrap_or(0.0);
        let ends: Option<Vec<f64>> = figures.iter().map(|one| Some(one.start_s + one.completion_s?)).collect();
        let completion_s =
            ends.filter(|_| !endless).and_then(|ends| ends.into_iter().max_by(f64::total_cmp)).map(after);
        let bytes = figures.iter().map(|one| one.bytes).sum();
        let mut series: Vec<u64> = Vec::new();
        for one in figures {
            series.resize(series.len().max(one.bytes_per_interval.len()), 0);
            series.iter_mut().zip(&one.bytes_per_interval).for_each(|(sum, bytes)| *sum += bytes);
        }
        Whole {
            bytes,
            start_s,
            first_byte_s: least(&mut started().filter_map(|one| Some(one.start_s + one.first_byte_s?))).map(after),
            completion_s,
            goodput_bps: bytes as f64 * 8.0 / completion_s.unwrap_or(after(time_s)).max(1e-9),
            series,
            failure: figures.iter().find_map(|one| one.failure.clone()),
            each: figures
                .iter()
                .map(|one| OneStream {
                    bytes: one.bytes,
                    start_s: (one.start_s < time_s).then_some(one.start_s),
                    first_byte_s: one.first_byte_s,
                    completion_s: one.completion_s,
                    cut: None,
                    failure: one.failure.clone(),
                })
                .collect(),
        }
    }
}
