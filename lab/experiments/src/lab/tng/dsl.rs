//! The DSL line behind which the core gets busier (Tng 5.1, Topology 1).

use core::time::Duration;

use serde_json::{Value, json};
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::contenders::{BBR, Contender, Measured, NEWRENO, SPLIT, VEGAS};
use super::row::stays_helped;
use crate::lab::{Check, Context, Curve, Outcome, Param, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::{Direction, Party, Setting, Span};

/// What can be set of both directions.
pub(super) const PARAMS: &[Param] = &[
    Param::rate("up", "768kbit", "of the DSL line, toward the network"),
    Param::rate("down", "3mbit", "of the DSL line, toward the client"),
    Param::time("line", "20ms", "round trip of the DSL line"),
    Param::time("path", "120ms", "round trip of the whole path"),
    Param::size("modem", "64kB", "bytes that wait for the DSL line at most, at either end"),
    Param::rate("core", "20mbit", "of the core link, each way"),
    Param::time("buffer", "100ms", "what waits for the core link at most, as time at its rate"),
    Param::count("flows", "3", (1, 8), "over the core link at the end"),
    Param::span("step", "60s", "after which there is one flow more; 250 s in the paper"),
    Param::word("on-line", VEGAS, &[VEGAS, NEWRENO, "cubic"], "the controller on the line where the flow is split"),
];

/// How finely bandwidth and delay are shown, as in the paper.
const STEP: Duration = Duration::from_millis(2_500);
/// What is left out at the begin of each phase: a new flow begins fast, and others give way.
const SETTLE: Duration = Duration::from_secs(10);
/// Bytes of a full packet.
const PACKET_BYTES: u64 = 1_500;

/// Of a contender in a span of time.
type Figure = fn(&Measured, (f64, f64)) -> f64;

/// What came of every contender, and when.
pub(super) struct Phases {
    pub(super) measured: Vec<Measured>,
    /// Spans of time in seconds with 0, 1, 2 and so on flows beside.
    spans: Vec<(f64, f64)>,
}

impl Phases {
    pub(super) fn of(&self, contender: &str) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.name == contender)
    }

    /// The time with other flows.
    fn busy(&self) -> &[(f64, f64)] {
        self.spans.get(1..).unwrap_or_default()
    }

    /// A figure of one contender by that of another, in the phase with other flows in which it is the least or, as `of`
    /// decides, the most. Not a number if it is not in any phase.
    fn extreme(&self, figure: Figure, one: &str, other: &str, of: fn(f64, f64) -> f64) -> f64 {
        let (Some(one), Some(other)) = (self.of(one), self.of(other)) else { return f64::NAN };
        let ratios = self.busy().iter().map(|span| figure(one, *span) / figure(other, *span));
        let extreme = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { of(a, b) };
        ratios.reduce(extreme).unwrap_or(f64::NAN)
    }

    /// The least rate of one by that of another beside other flows.
    pub(super) fn least_rate(&self, one: &str, other: &str) -> f64 {
        self.extreme(Measured::rate_bps, one, other, f64::min)
    }

    /// The most delay of one by that of another beside other flows.
    pub(super) fn most_delay(&self, one: &str, other: &str) -> f64 {
        self.extreme(Measured::delay_s, one, other, f64::max)
    }

    /// The delay of one by that of another, over all the time beside other flows.
    pub(super) fn mean_delay(&self, one: &str, other: &str) -> f64 {
        let (Some(one), Some(other)) = (self.of(one), self.of(other)) else { return f64::NAN };
        let sum_s = |of: &Measured| self.busy().iter().map(|span| of.delay_s(*span)).sum::<f64>();
        sum_s(one) / sum_s(other)
    }

    /// That one that is split was split all the time.
    pub(super) fn stays_split(&self, name: &str) -> Check {
        stays_helped(name, self.of(name).map_or(f64::NAN, |measured| measured.helped_percent))
    }

    /// What is left of a contender's rate beside most flows, of what it had alone.
    pub(super) fn left(&self, contender: &str) -> f64 {
        let (Some(measured), [first, .., last]) = (self.of(contender), &self.spans[..]) else { return f64::NAN };
        measured.rate_bps(*last) / measured.rate_bps(*first)
    }

    /// Bits per second alone.
    fn quiet_rate_bps(&self, contender: &str) -> f64 {
        let span = self.spans.first().copied().unwrap_or_default();
        self.of(contender).map_or(f64::NAN, |measured| measured.rate_bps(span))
    }

    /// Round trip alone, seconds.
    pub(super) fn quiet_delay_s(&self, contender: &str) -> f64 {
        let span = self.spans.first().copied().unwrap_or_default();
        self.of(contender).map_or(f64::NAN, |measured| measured.delay_s(span))
    }
}

/// The world: router 0 is the modem, router 1 the gateway, the core link leads to router 2.
fn setting(context: &Context<'_>, direction: Direction, contender: Contender) -> Setting {
    let [up, down, core_bps] = ["up", "down", "core"].map(|key| context.rate(key));
    let (line, path) = (context.time("line"), context.time("path"));
    let modem = QueueConfig::DropTail(Limit::Bytes(context.size("modem")));
    let line = Link::new().delay(line / 2).queue(modem);
    let buffer_bytes = (core_bps as f64 / 8.0 * context.time("buffer").as_secs_f64()) as u64;
    let core = Link::new().rate(core_bps).delay(path.saturating_sub(context.time("line")) / 2);
    let core = core.queue(QueueConfig::DropTail(Limit::Bytes(buffer_bytes)));
    let line = Span { forth: line.clone().rate(up), back: line.rate(down) };
    let mut setting = Setting::new(context.seed, vec![line, core.into()]);
    setting.jitter = Duration::from_nanos(PACKET_BYTES * 8 * 1_000_000_000 / core_bps);
    setting.step = STEP;
    setting.helpers.extend(contender.helper());
    setting.parties.push(contender.party(direction));
    for flow in 1..=context.count("flows") as u32 {
        let cross = Party::tcp(&format!("flow {flow}"), (1, 2), direction, "newreno");
        setting.parties.push(cross.start(context.time("step") * flow));
    }
    setting
}

/// Runs every contender through all phases.
pub(super) fn measure(context: &Context<'_>, direction: Direction) -> Result<Phases, RunError> {
    let (flows, step) = (context.count("flows") as u32, context.time("step"));
    if step < SETTLE * 2 {
        return Err(RunError::Params(format!("flows need {SETTLE:?} to settle: step=20s or more")));
    }
    if context.time("path") < context.time("line") {
        return Err(RunError::Params("the path is shorter than the line: path=120ms".to_owned()));
    }
    let mut measured = Vec::new();
    let on_line = context.word("on-line");
    let split = Contender::split(on_line, NEWRENO).asking();
    // Of an upload nothing feeds the helper's queue but the line, and vegas there has a drop-tail queue in any case.
    let papers = (direction == Direction::Down).then(|| Contender::drop_tail(on_line, NEWRENO).asking());
    let contenders = [Some(Contender::whole(NEWRENO)), Some(Contender::whole(VEGAS)), Some(split), papers];
    for contender in contenders.into_iter().flatten().chain([Contender::whole(BBR)]) {
        context.progress(contender.name);
        let mut run = context.world(setting(context, direction, contender)).begin();
        run.run_until(step * (flows + 1));
        measured.push(Measured::of(contender.name, &run)?);
    }
    let span = |flow| ((step * flow + SETTLE).as_secs_f64(), (step * (flow + 1)).as_secs_f64());
    Ok(Phases { measured, spans: (0..=flows).map(span).collect() })
}

/// Figures, table and plots; the checks come from the experiment.
pub(super) fn outcome(context: &Context<'_>, phases: &Phases) -> Outcome {
    let mut table = Table::new(&["contender", "flows beside", "bandwidth", "round trip"]).titled("By phase");
    for measured in &phases.measured {
        for (flows, span) in phases.spans.iter().enumerate() {
            table.row(vec![
                measured.name.to_owned(),
                flows.to_string(),
                format!("{:.3} Mbit/s", measured.rate_bps(*span) / 1e6),
                format!("{:.0} ms", measured.delay_s(*span) * 1e3),
            ]);
        }
    }
    let beside = |when: &str, rate: [f64; 2], delay: [f64; 2]| {
        vec![when.to_owned(), format!("{:.2}", rate[0] / rate[1]), format!("{:.2}", delay[0] / delay[1])]
    };
    let mut ratios =
        Table::new(&["split, of bbr's", "bandwidth", "round trip"]).titled("Split, of what bbr has from end to end");
    ratios.row(beside(
        "alone",
        [SPLIT, BBR].map(|it| phases.quiet_rate_bps(it)),
        [SPLIT, BBR].map(|it| phases.quiet_delay_s(it)),
    ));
    let at_worst = [phases.least_rate(SPLIT, BBR), phases.most_delay(SPLIT, BBR)].map(|ratio| format!("{ratio:.2}"));
    ratios.row([["beside flows, at worst".to_owned()].as_slice(), &at_worst].concat());
    let time = || Axis::new("time", "s");
    let mut bandwidth = Plot::new("Bandwidth of the observed flow", time(), Curve::axis());
    let mut delay = Plot::new("Round trip of a small datagram with the data", time(), Axis::new("delay", "ms"));
    for measured in &phases.measured {
        bandwidth = bandwidth.series(measured.curve.series());
        delay = delay.series(measured.delay_series());
    }
    for flow in 1..=context.count("flows") {
        let at_s = (context.time("step") * flow as u32).as_secs_f64();
        let label = format!("flow {flow}");
        (bandwidth, delay) = (bandwidth.mark(at_s, &label), delay.mark(at_s, &label));
    }
    let figures = |measured: &Measured| -> Value {
        let by_phase =
            |span: &(f64, f64)| json!({ "rate_bps": measured.rate_bps(*span), "delay_s": measured.delay_s(*span) });
        json!({
            "contender": measured.name, "phases": phases.spans.iter().map(by_phase).collect::<Vec<_>>(),
            "mbits": measured.curve.mbits(), "delays_ms": measured.delays_ms(), "unanswered": measured.unanswered,
            "paths_lost": measured.paths_lost, "helped_percent": measured.helped_percent,
        })
    };
    let results = json!({
        "step_s": STEP.as_secs_f64(), "contenders": phases.measured.iter().map(figures).collect::<Vec<_>>(),
    });
    Outcome::new(results)
        .table(table)
        .table(ratios)
        .plot(bandwidth)
        .plot(delay)
        .note("Rates and queues of the line are modelled; the paper took observed ones that it does not print.")
        .note(
            "The delay is that of 8-byte datagrams on the same connection that go before its data, ten a second, and \
               of their echoes.",
        )
        .note("Flows beside are the reference TCP; the observed flow is tng in every case.")
}
