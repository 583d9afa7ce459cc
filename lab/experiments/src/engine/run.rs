//! A scenario under way.

mod tell;
mod web;

use core::time::Duration;
use std::io::{self, Write};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{NatDrop, Tap};
use tng_trace::Digest;

use crate::engine::helper;
use crate::engine::ledger::{Account, Ledger, State, times};
use crate::engine::plan::Plan;
use crate::engine::protocol::Party;
use crate::engine::report::{
    DatagramReport, EventReport, FlowReport, GroupReport, HelpedReport, LaneReport, LinkReport, NatReport, OneStream,
    Report, Spread, StreamReport, WebReport, fairness,
};
use crate::engine::samples::Samples;
use crate::peers::transport::Rtt;
use crate::scenario::{Amount, Built, DatagramSpec, EventSpec, FlowProtocol, FlowSpec, NodeKind, Scenario};

/// A scenario whose hosts run what its flows use, with default settings but for the controllers that the flows name.
pub struct Run {
    scenario: Scenario,
    plan: Rc<Plan>,
    built: Built<Party>,
    /// By host: the protocol of each of its nodes.
    seats: Rc<Vec<Vec<FlowProtocol>>>,
    ledger: Ledger,
    samples: Samples,
}

impl Run {
    /// Makes the world; nothing has happened in it.
    pub fn new(scenario: Scenario) -> Run {
        let plan = Rc::new(Plan::new(&scenario));
        let ledger = plan.ledger();
        let seats: Rc<Vec<_>> = Rc::new((0..scenario.nodes.len()).map(|place| seats(&scenario, place)).collect());
        let (known, books, sitting) = (plan.clone(), ledger.clone(), seats.clone());
        let mut built = scenario.build(
            |place| match seats[place].is_empty() {
                true => vec![FlowProtocol::TNG.row().seat],
                false => seats[place].iter().map(|protocol| protocol.row().seat).collect(),
            },
            move |place, seat, start| match sitting[place].get(seat) {
                Some(protocol) => (protocol.row().node)(&known, &books, place, start),
                None => helper::node(&known, place, start),
            },
        );
        match scenario.flows.iter().all(|flow| flow.protocol.row().repeats_bytes) {
            true => built.world.record_digest(),
            false => built.world.record_digest_of_sizes(),
        }
        let samples = Samples::new(scenario.flows.len(), scenario.links.len());
        Run { scenario, plan, built, seats, ledger, samples }
    }

    /// Captures every datagram at both ends of every link, in pcapng, until the run ends. The keys of every channel of
    /// tng stand in it as comments: nothing in such a world is a secret.
    ///
    /// # Errors
    /// Those of the output when it begins.
    pub fn capture(&mut self, out: Box<dyn Write>) -> io::Result<()> {
        self.plan.observer.tell_keys(None);
        self.built.world.capture(out, Tap::World, &self.plan.observer.comments)
    }

    /// Writes the keys of every channel of tng to a key log (docs/wire.md section 2.5).
    pub fn log_keys(&mut self, out: Box<dyn Write>) {
        self.plan.observer.tell_keys(Some(out));
    }

    /// Writes a trace of every channel of tng at each of its ends, in qlog's streaming form, to outputs that `make`
    /// makes by their names.
    pub fn trace(&mut self, make: impl Fn(&str) -> io::Result<Box<dyn Write + Send>> + Clone + Send + 'static) {
        self.plan.observer.trace(&format!("seed {}", self.scenario.seed), make);
    }

    /// The time in the world.
    pub fn now(&self) -> Instant {
        self.built.world.now()
    }

    /// Runs until everything that has an end is done or has failed, or the scenario's duration is over.
    ///
    /// # Errors
    /// The first that the output of a capture, a trace or a key log met.
    pub fn finish(mut self) -> io::Result<Report> {
        let end = Instant::ZERO + self.scenario.duration;
        for interval in 1.. {
            let limit = end.min(Instant::ZERO + times(self.scenario.interval, interval));
            let settled = self.built.world.wait_until(limit, |_| self.ledger.is_settled());
            if !settled {
                self.built.world.run_until(limit);
            }
            let rtts: Vec<_> = (0..self.scenario.flows.len()).map(|flow| self.rtt(flow)).collect();
            let rtts_s = rtts.into_iter().map(|rtt| Some(rtt?.smoothed.as_secs_f64()));
            self.samples.take(&mut self.built.world, &self.built.links, rtts_s);
            if settled || limit == end {
                break;
            }
        }
        self.built.world.stop_capture()?;
        self.plan.observer.finish()?;
        Ok(self.report())
    }

    fn report(&self) -> Report {
        let world = &self.built.world;
        let time_s = world.now().as_secs_f64();
        let flows: Vec<FlowReport> = (0..self.scenario.flows.len()).map(|number| self.flow(number)).collect();
        let moved: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).filter(|bps| *bps > 0.0).collect();
        let links = self.scenario.links.iter().zip(&self.built.links).zip(&self.samples.links);
        let links = links.map(|((spec, link), series)| {
            let lane = |lane, series| LaneReport::new(&world.stats(lane), world.lane(lane), time_s, series);
            let ([forth, back], [forth_series, back_series]) = (link.lanes(), series);
            LinkReport { name: spec.name.clone(), forth: lane(forth, forth_series), back: lane(back, back_series) }
        });
        let mut digest = Digest::new();
        digest.bytes(&world.digest().unwrap_or_default());
        digest.bytes(format!("{flows:?}").as_bytes());
        Report {
            seed: self.scenario.seed,
            time_s,
            interval_s: self.scenario.interval.as_secs_f64(),
            links: links.collect(),
            nats: self.nats(),
            events: self.events(),
            fairness: fairness(&moved),
            groups: GroupReport::all(&flows),
            flows,
            digest: digest.value().iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// The events that have happened.
    fn events(&self) -> Vec<EventReport> {
        let happened = |event: &&EventSpec| Instant::ZERO + event.at <= self.now();
        let told =
            |event: &EventSpec| EventReport { at_s: event.at.as_secs_f64(), what: self.scenario.describe(event) };
        self.scenario.events.iter().filter(happened).map(told).collect()
    }

    fn flow(&self, number: usize) -> FlowReport {
        let flow = &self.scenario.flows[number];
        let mut sum = Sum::default();
        let streams: Vec<StreamReport> =
            (0..flow.streams.len()).map(|stream| self.streams(flow, number, stream, &mut sum)).collect();
        let groups = self.scenario.flows[..number].iter().map(|flow| flow.datagrams.len()).sum::<usize>();
        let datagrams = flow.datagrams.iter().enumerate();
        let datagrams: Vec<DatagramReport> =
            datagrams.map(|(at, spec)| self.datagrams(flow, spec, groups + at, &mut sum)).collect();
        let web: Vec<WebReport> =
            flow.web.iter().enumerate().map(|(entry, spec)| self.web(spec, number, entry, &mut sum)).collect();
        let mut series = Vec::new();
        let of_streams = streams.iter().map(|stream| &stream.bytes_per_interval);
        of_streams
            .chain(datagrams.iter().map(|group| &group.bytes_per_interval))
            .chain(web.iter().map(|web| &web.bytes_per_interval))
            .for_each(|of| add_series(&mut series, of));
        let after = |time: Option<Instant>| Some(time?.since(sum.start?).as_secs_f64());
        let rtt = self.rtt(number);
        let completion = sum.end.filter(|_| !sum.open);
        FlowReport {
            name: flow.name.clone(),
            group: flow.group.clone(),
            protocol: flow.protocol.name(),
            controller: self.controller(flow),
            bytes: sum.bytes,
            start_s: sum.start.map(Instant::as_secs_f64),
            first_byte_s: after(sum.first_byte),
            completion_s: after(completion),
            goodput_bps: sum.goodput_bps(self.now()),
            failure: sum.failure,
            rtt_s: self.rtts_while_under_way(number, sum.start, completion),
            helped: self.helped(flow),
            rtt_smoothed_s: rtt.map(|rtt| rtt.smoothed.as_secs_f64()),
            rtt_min_s: rtt.map(|rtt| rtt.min.as_secs_f64()),
            bytes_per_interval: series,
            rtt_per_interval_s: self.samples.rtts_s[number].clone(),
            streams,
            datagrams,
            web,
        }
    }

    /// The streams of one entry.
    fn streams(&self, flow: &FlowSpec, number: usize, entry: usize, of_flow: &mut Sum) -> StreamReport {
        let spec = &flow.streams[entry];
        let (mut sum, mut series, mut messages, mut each) = (Sum::default(), Vec::new(), Vec::new(), Vec::new());
        for stream in self.plan.range(number, entry) {
            let account = self.ledger.stream(stream);
            let after = |time: Option<Instant>| Some(time?.since(account.started?).as_secs_f64());
            let (end, cut, failure) = match &account.state {
                State::Done(time) => (Some(*time), None, None),
                State::Cut(_, how) => (None, Some(how.clone()), None),
                State::Failed(reason) => (None, None, Some(reason.clone())),
                State::Waiting | State::Running => (None, None, None),
            };
            sum.add(&Sum::of_account(&account, spec.amount == Amount::Forever));
            add_series(&mut series, &account.series);
            messages.extend(account.messages.iter().map(Duration::as_secs_f64));
            each.push(OneStream {
                bytes: account.received,
                start_s: account.started.map(Instant::as_secs_f64),
                first_byte_s: after(account.first_byte),
                completion_s: after(end),
                cut,
                failure,
            });
        }
        of_flow.add(&sum);
        StreamReport {
            name: spec.name.clone(),
            parent: spec.parent.map(|parent| flow.streams[parent].name.clone()),
            count: spec.count,
            completed: each.iter().filter(|one| one.completion_s.is_some()).count() as u32,
            bytes: sum.bytes,
            start_s: sum.start.map(Instant::as_secs_f64),
            first_byte_s: Spread::of(each.iter().filter_map(|one| one.first_byte_s).collect()),
            completion_s: Spread::of(each.iter().filter_map(|one| one.completion_s).collect()),
            message_s: Spread::of(messages.clone()),
            each_message_s: messages,
            goodput_bps: sum.goodput_bps(self.now()),
            bytes_per_interval: series,
            failure: sum.failure,
            each,
        }
    }

    fn datagrams(&self, flow: &FlowSpec, spec: &DatagramSpec, group: usize, of_flow: &mut Sum) -> DatagramReport {
        let account = self.ledger.datagrams(group);
        let failure = if let State::Failed(reason) = &account.state { Some(reason.clone()) } else { None };
        of_flow.add(&Sum {
            bytes: account.received * spec.size,
            start: account.started,
            first_byte: None,
            end: if let State::Done(time) = account.state { Some(time) } else { None },
            open: matches!(account.state, State::Waiting | State::Running) && spec.count.is_some(),
            endless: spec.count.is_none(),
            failure: failure.clone(),
        });
        DatagramReport {
            name: spec.name.clone(),
            parent: spec.parent.map(|parent| flow.streams[parent].name.clone()),
            size: spec.size,
            start_s: account.started.map(Instant::as_secs_f64),
            sent: account.sent,
            refused: account.refused,
            received: account.received,
            missing: account.sent - account.received,
            expired: self.expired(flow, spec),
            repeated: account.repeated,
            delay_s: Spread::of(account.delays.iter().map(Duration::as_secs_f64).collect()),
            bytes_per_interval: account.series.clone(),
            failure,
        }
    }

    /// The group's datagrams that were too old to be sent. None are if they may grow as old as they like; otherwise the
    /// sender knows how many on its whole connection, which tells enough if no other group there has a lifetime.
    fn expired(&self, flow: &FlowSpec, spec: &DatagramSpec) -> Option<u64> {
        if spec.lifetime.is_none() {
            return Some(0);
        }
        let ends = flow.ends(spec.direction);
        let all = self.scenario.flows.iter().flat_map(|flow| flow.datagrams.iter().map(move |spec| (flow, spec)));
        let beside = all.filter(|(flow, spec)| spec.lifetime.is_some() && flow.ends(spec.direction) == ends).count();
        if beside > 1 {
            return None;
        }
        self.party(ends.0, flow.protocol)?.datagrams_expired(ends.1)
    }

    /// The node of a host that speaks a protocol, if the host runs.
    fn party(&self, place: usize, protocol: FlowProtocol) -> Option<&Party> {
        let seat = self.seats[place].iter().position(|other| *other == protocol)?;
        self.built.world.running(self.built.nodes[place][seat])
    }

    /// Round-trip times as the sender of what goes forth measures them, or its receiver if that asks for it; if the
    /// host runs and any are known.
    fn rtt(&self, number: usize) -> Option<Rtt> {
        let flow = &self.scenario.flows[number];
        let (of, to) = match flow.protocol.row().receiver_opens {
            true => (flow.to, flow.from),
            false => (flow.from, flow.to),
        };
        self.party(of, flow.protocol)?.rtt(number, to)
    }

    /// What the sender of what goes forth knows of the helpers that a flow names.
    fn helped(&self, flow: &FlowSpec) -> Option<HelpedReport> {
        if flow.via.is_empty() {
            return None;
        }
        let known = self.party(flow.from, flow.protocol).and_then(|party| party.helped(flow.to)).unwrap_or_default();
        Some(HelpedReport {
            via: flow.via.iter().map(|place| self.scenario.nodes[*place].name.clone()).collect(),
            used: known.used,
            in_use: known.now,
            left: known.left,
            returned: known.returned,
            section_rtt_smoothed_s: known.section.map(|rtt| rtt.smoothed.as_secs_f64()),
            section_rtt_min_s: known.section.map(|rtt| rtt.min.as_secs_f64()),
        })
    }

    fn nats(&self) -> Vec<NatReport> {
        let nodes = self.scenario.nodes.iter().zip(&self.built.nodes);
        let nats = nodes.filter(|(spec, _)| matches!(spec.kind, NodeKind::Nat { .. }));
        nats.map(|(spec, built)| {
            let counts = NatDrop::ALL.map(|why| (why.name(), self.built.world.dropped_at_nat(built[0], why)));
            NatReport { name: spec.name.clone(), dropped: counts.into_iter().filter(|(_, n)| *n > 0).collect() }
        })
        .collect()
    }

    /// What was sampled from the interval of a flow's start to that of its end, or to the last.
    fn rtts_while_under_way(&self, number: usize, start: Option<Instant>, end: Option<Instant>) -> Option<Spread> {
        let samples = &self.samples.rtts_s[number];
        let interval = |at: Instant| (u128::from(at.as_nanos()) / self.scenario.interval.as_nanos()) as usize;
        let last = end.map_or(samples.len(), |end| interval(end) + 1).min(samples.len());
        Spread::of(samples.get(interval(start?)..last)?.iter().flatten().copied().collect())
    }

    /// The congestion controller of a flow.
    fn controller(&self, flow: &FlowSpec) -> Option<String> {
        let control = flow.protocol.row().control?;
        let named = match control.by_host {
            true => self.scenario.controller_of(flow.from, flow.protocol),
            false => flow.controller.as_deref(),
        };
        let held = if self.scenario.is_policed(flow) { "policed-" } else { "" };
        Some(format!("{held}{}", named.unwrap_or(control.default)))
    }
}

/// What the nodes of a host speak: what its flows use, or tng. Others have none.
fn seats(scenario: &Scenario, place: usize) -> Vec<FlowProtocol> {
    let mut protocols = scenario.protocols_of(place);
    if protocols.is_empty() && matches!(scenario.nodes[place].kind, NodeKind::Host { .. }) {
        protocols.push(FlowProtocol::TNG);
    }
    protocols
}

/// What several streams are together.
#[derive(Default)]
struct Sum {
    bytes: u64,
    start: Option<Instant>,
    first_byte: Option<Instant>,
    end: Option<Instant>,
    /// One that has an end has not come to it.
    open: bool,
    /// One has no end.
    endless: bool,
    failure: Option<String>,
}

impl Sum {
    /// One stream.
    fn of_account(account: &Account, endless: bool) -> Sum {
        Sum {
            bytes: account.received,
            start: account.started,
            first_byte: account.first_byte,
            end: if let State::Done(time) | State::Cut(time, _) = &account.state { Some(*time) } else { None },
            open: matches!(account.state, State::Waiting | State::Running) && !endless,
            endless,
            failure: if let State::Failed(reason) = &account.state { Some(reason.clone()) } else { None },
        }
    }

    fn add(&mut self, other: &Sum) {
        let first = |a: Option<Instant>, b: Option<Instant>| [a, b].into_iter().flatten().min();
        self.bytes += other.bytes;
        self.start = first(self.start, other.start);
        self.first_byte = first(self.first_byte, other.first_byte);
        self.end = self.end.max(other.end);
        self.open |= other.open || other.failure.is_some();
        self.endless |= other.endless;
        self.failure = self.failure.take().or_else(|| other.failure.clone());
    }

    /// Until its end, or until now if it has not come to that.
    fn goodput_bps(&self, now: Instant) -> f64 {
        let end = self.end.filter(|_| !self.open && !self.endless).unwrap_or(now);
        match self.start.map(|start| end.since(start).as_secs_f64()) {
            Some(elapsed_s) if elapsed_s > 0.0 => self.bytes as f64 * 8.0 / elapsed_s,
            _ => 0.0,
        }
    }
}

fn add_series(sum: &mut Vec<u64>, series: &[u64]) {
    sum.resize(sum.len().max(series.len()), 0);
    sum.iter_mut().zip(series).for_each(|(sum, bytes)| *sum += bytes);
}
