//! The policer's states and transitions as they are seen: STP 4.1, Table 4.

use core::net::SocketAddr;
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tng_base::Instant;
use tng_sim::topology::{A, B};
use tng_sim::{App, Link, Loss, MachineNode, PORT, World, fork};
use tng_stack::{Access, ConnectionId, Host, HostConfig, HostEvent, Identity};
use tng_stp_abi::{Arrived, RING_ENTRIES};
use tng_stp_host::{Around, Beside, Callback, Cap, Code, Fault, Instance, Native, Policer, State};

use super::testbed::{Line, mbit};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::guests::{Guest, GuestRun, Ran};
use crate::peers::transport::stp::Stp;
use crate::peers::transport::{Event, News, Read, Transport, tell};
use crate::settings::{Configured, Settings};

/// The states of connections that run.
pub static TABLE4: Experiment = Experiment {
    name: "stp/table4",
    title: "The policer's states",
    source: "STP 4.1, Table 4 and Figure 3",
    claim: "a connection begins in INIT, comes to SLOWSTART with the first proof and to STEADYSTATE with the first \
            loss; there it sends at most 1.3 of the cap in any round trip and 1.05 of it in any eight; what is idle, \
            or not proven, comes down to what a connection begins with",
    about: "One connection of a guest at a time over a line of its own; its policer is asked every millisecond for its \
            state, the cap, and what has left. NewReno and UDP Flood, with and without loss; NewReno \
            that has little to say, and one that falls silent; a flood whose receiver stops proving anything, and one \
            whose receiver never does. The control is a flood that nothing holds.",
    params: &[
        Param::rate("rate", "10mbit", "of the line"),
        Param::span("rtt", "48ms", "both ways together"),
        Param::share("loss", "1%", "of packets, in the direction of the data, where there is loss"),
        Param::time("time", "40s", "of each connection"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Of the cap, what may leave in a round trip.
const ROUND: f64 = 1.3;
/// The same in eight.
const MEAN: f64 = 1.05;
/// How often a policer is looked at.
const LOOK: Duration = Duration::from_millis(1);
/// Round trips without a segment, after which the rate is halved.
const QUIET: u32 = 4;
/// Round trips that the mean is taken over.
const ROUNDS: f64 = 8.0;
/// Round trips behind a transition from which on nothing is left of the state before, nor of its queue.
const SETTLED: f64 = 20.0;
/// By how much round trips may differ in one window.
const STEADY: f64 = 1.25;
/// Bytes of the largest segment, with what is added to it.
const SEGMENT: u64 = 1_472 + tng_stp_host::SEGMENT_ADDED;

/// What the application does.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Says {
    /// Writes whenever there is room.
    All,
    /// So many bytes every hundred milliseconds.
    Little(usize),
    /// Everything, but nothing from a share of the time on to another.
    Silent(f64, f64),
}

/// One connection.
#[derive(Clone, Debug)]
struct Case {
    name: &'static str,
    guest: Guest,
    ran: Ran,
    lossy: bool,
    says: Says,
    /// The receiver proves nothing from a share of the time on to another.
    withheld: Option<(f64, f64)>,
}

impl Case {
    const fn new(name: &'static str, guest: Guest, lossy: bool) -> Case {
        Case { name, guest, ran: Ran::Policed, lossy, says: Says::All, withheld: None }
    }
}

const CASES: [Case; 9] = [
    Case::new("newreno, no loss but the queue's", Guest::NewReno, false),
    Case::new("newreno, loss", Guest::NewReno, true),
    Case::new("flood, no loss but the queue's", Guest::Flood, false),
    Case::new("flood, loss", Guest::Flood, true),
    Case { says: Says::Little(4_000), ..Case::new("newreno with little to say", Guest::NewReno, false) },
    Case { says: Says::Silent(0.5, 0.75), ..Case::new("newreno that falls silent", Guest::NewReno, false) },
    Case { withheld: Some((0.5, 0.75)), ..Case::new("flood whose proofs are withheld", Guest::Flood, false) },
    Case { withheld: Some((0.0, 1.0)), ..Case::new("flood that is never proven", Guest::Flood, false) },
    Case { ran: Ran::Free, ..Case::new("control: flood that nothing holds, loss", Guest::Flood, true) },
];

/// A policer, seen at a moment.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Duration,
    state: State,
    /// Bytes a second.
    cap: u64,
    sent: u64,
    rtt: Duration,
    /// Bytes that may leave in a round trip.
    limit: u64,
}

impl Seen {
    /// As it would answer now: who is idle asks nothing, and so nothing has been worked out since.
    fn of(at: Duration, policer: &Policer) -> Seen {
        let mut policer = policer.clone();
        policer.check(Instant::ZERO + at, 1_200);
        let rtt = policer.rtt().smoothed();
        let sent = policer.figures().sent;
        Seen { at, state: policer.state(), cap: policer.pace(), sent, rtt, limit: policer.limit() }
    }
}

/// A connection, from its beginning to its end.
struct Life {
    seen: Vec<Seen>,
    transitions: Vec<(Duration, State)>,
    refused: u64,
    time: Duration,
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, rtt, time) = (context.rate("rate"), context.time("rtt"), context.time("time"));
    let mut lives = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        context.progress(case.name);
        let loss = if case.lossy { context.share("loss") } else { 0.0 };
        let line = Line::new("line", rate, rtt.as_millis() as u64, loss);
        let pair = Pair { seed: context.seed_of(number as u64), line, case: case.clone(), time };
        lives.push(context.world(pair).live()?);
    }
    let head = ["connection", "states", "in a round trip by the cap", "in eight by it", "sent", "told to wait"];
    let mut table = Table::new(&head).titled("As seen");
    let (mut results, mut out_of_order) = (Vec::new(), 0);
    let (mut worst, mut worst_mean, mut worst_start) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (case, life) in CASES.iter().zip(&lives) {
        let [[round, mean], [start, _]] = [State::SteadyState, State::SlowStart].map(|state| life.beyond(state));
        let round = round * ROUND;
        let order: Vec<String> = life.transitions.iter().map(|(at, to)| format!("{to} at {}", at_s(*at))).collect();
        let path = if order.is_empty() { "init".to_owned() } else { format!("init; {}", order.join("; ")) };
        if case.ran == Ran::Policed {
            out_of_order += life.out_of_order();
            (worst, worst_mean, worst_start) = (worst.max(round), worst_mean.max(mean), worst_start.max(start));
        }
        let bytes = life.seen.last().map_or(0, |seen| seen.sent);
        let by = |value: f64| if value > 0.0 { format!("{value:.3}") } else { "-".to_owned() };
        let rate = mbit(bytes as f64 * 8.0 / life.time.as_secs_f64());
        table.row(vec![case.name.to_owned(), path, by(round), by(mean), rate, life.refused.to_string()]);
        results.push(json!({
            "connection": case.name, "by_cap_in_a_round_trip": round, "by_cap_in_eight": mean,
            "by_limit_in_slow_start": start, "sent_bytes": bytes, "refused": life.refused,
            "transitions": life.transitions.iter().map(|(at, to)| json!({
                "at_s": at.as_secs_f64(), "to": to.to_string(),
            })).collect::<Vec<_>>(),
        }));
    }
    let [_, _, _, _, little, silent, withheld, never, control] = &lives[..] else {
        return Err(RunError::broken("nine connections were to be seen"));
    };
    let at = |share: f64| time.mul_f64(share);
    // From the last segment on: a little is under way still when the application falls silent.
    let idle = silent.fall(at(0.5), at(0.75), rtt);
    let mute = withheld.fall(at(0.5), at(0.75), rtt);
    let init = |from: u64, to: u64| never.packets(Duration::from_millis(from), Duration::from_millis(to));
    let checks = [
        Check::new("steps out of the order of Figure 3", f64::from(out_of_order), "", Goal::AtMost(0.0))
            .paper("INIT, SLOWSTART, STEADYSTATE"),
        Check::new("sent in a round trip of SLOWSTART, by what may", worst_start, "", Goal::AtMost(1.0))
            .paper("twice what was acknowledged in the last"),
        Check::new("sent in a round trip of STEADYSTATE, by the cap", worst, "", Goal::AtMost(ROUND)).paper("1.3"),
        Check::new("the same in eight", worst_mean, "", Goal::AtMost(MEAN)).paper("1"),
        Check::new("the control, in eight", control.beyond(State::SteadyState)[1], "", Goal::AtLeast(MEAN)).ours(),
        Check::new("little to say: seconds in SLOWSTART", little.seconds_in(State::SlowStart), "s", Goal::AtLeast(1.0))
            .ours(),
        Check::new("packets of who is never proven, in the first second", init(0, 990), "", Goal::Within(4.0, 10.0))
            .paper("4"),
        Check::new("packets of who is never proven, from 1 s to 7 s", init(990, 6_900), "", Goal::AtMost(24.0))
            .paper("4 a second"),
        Check::new("cap four idle round trips on, by before", idle.0, "", Goal::AtMost(0.5)).paper("0.5"),
        Check::new("cap at the end of the idle time, by the initial window's", idle.1, "", Goal::AtMost(1.05))
            .paper("slow start's"),
        Check::new("cap when proofs are missing for a timeout, by before", mute.2, "", Goal::AtMost(0.5)).ours(),
    ];
    let mut paper = Table::new(&["state", "in the paper", "seen"]).titled("Beside the paper's Table 4");
    let seconds = |state| lives.iter().map(|life| life.seconds_in(state)).sum::<f64>();
    for (state, words) in [
        (State::Init, "started sending; not enough acknowledgments to measure a round trip: 4 packets a second"),
        (State::SlowStart, "no loss yet; may double each round trip"),
        (State::SteadyState, "has taken a loss; the equation governs"),
    ] {
        paper.row(vec![state.to_string(), words.to_owned(), format!("{:.2} s of nine connections", seconds(state))]);
    }
    let mut plot = Plot::new("What may leave", Axis::new("time", "s"), Axis::new("cap", "Mbit/s"));
    for (case, life) in CASES.iter().zip(&lives).filter(|(case, _)| case.ran == Ran::Policed) {
        let point = |seen: &Seen| (seen.at.as_secs_f64(), seen.cap as f64 * 8.0 / 1e6);
        let steady = life.seen.iter().filter(|seen| seen.state == State::SteadyState);
        plot = plot.series(Series::line(case.name, steady.map(point).step_by(200).collect()));
    }
    let outcome = Outcome::new(json!({
        "connections": results, "idle_halved": idle.0, "idle_by_initial": idle.1, "withheld": mute.2,
    }));
    let outcome = outcome.table(table).table(paper).plot(plot).note(
        "Where this differs from the paper's states docs/stp.md says: the initial window in place of four packets, \
         spans of any round trip in place of one that begins now and then. Of a round trip the largest of what \
         may leave in it counts, of eight that end when something leaves what the caps in them add up to; where round \
         trips differ by more than a quarter within them, none is looked at.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

fn at_s(at: Duration) -> String {
    format!("{:.3} s", at.as_secs_f64())
}

impl Life {
    /// Windows of so many round trips that are wholly in a state, from [`SETTLED`] on: before that what left in another
    /// state is in the policer's spans. Where round trips change, as many are over as the time over them adds up to;
    /// where they change by more than a [`STEADY`] none is looked at, since nobody can say what one was.
    ///
    /// A window is of so many round trips at most, or, `whole`, at least.
    fn windows(&self, state: State, rounds: f64, whole: bool) -> impl Iterator<Item = &[Seen]> {
        let (mut over, mut entered) = (Vec::with_capacity(self.seen.len()), Vec::with_capacity(self.seen.len()));
        let (mut sum, mut since) = (0.0, 0.0);
        for (place, seen) in self.seen.iter().enumerate() {
            let before = self.seen[place.saturating_sub(1)];
            sum += (seen.at - before.at).as_secs_f64() / before.rtt.as_secs_f64();
            if before.state != seen.state {
                since = sum;
            }
            over.push(sum);
            entered.push(since);
        }
        let settled = if state == State::SteadyState { SETTLED } else { rounds };
        (0..self.seen.len()).filter_map(move |last| {
            let within = over[..=last].partition_point(|over_then| *over_then < over[last] - rounds);
            let first = if whole { within.saturating_sub(1) } else { within };
            let window = &self.seen[first..=last];
            let settled = window.iter().all(|seen| seen.state == state) && over[last] - entered[last] >= settled;
            let (least, most) = window
                .iter()
                .map(|seen| seen.rtt)
                .fold((Duration::MAX, Duration::ZERO), |(a, b), rtt| (a.min(rtt), b.max(rtt)));
            (window.len() > 1 && settled && most <= least.mul_f64(STEADY)).then_some(window)
        })
    }

    /// Most that left in a round trip by the most that might, and in eight by what the caps in them add up to. Of eight
    /// those count that end when something leaves: when a cap has fallen since, what had left may be more than the caps
    /// of a later window add up to, and nobody can take it back.
    fn beyond(&self, state: State) -> [f64; 2] {
        let sent = |window: &[Seen]| (window[window.len() - 1].sent - window[0].sent) as f64;
        // Where less than a segment may leave, one leaves alone.
        let round = self
            .windows(state, 1.0, false)
            .map(|window| sent(window) / window.iter().map(|seen| seen.limit).max().unwrap_or(0).max(SEGMENT) as f64);
        let leaves = |window: &&[Seen]| window[window.len() - 1].sent > window[window.len() - 2].sent;
        let mean = self.windows(state, ROUNDS, true).filter(leaves).map(|window| {
            let allowed = window.windows(2).map(|step| step[0].cap as f64 * (step[1].at - step[0].at).as_secs_f64());
            sent(window) / allowed.sum::<f64>().max(SEGMENT as f64)
        });
        [round.fold(0.0, f64::max), mean.fold(0.0, f64::max)]
    }

    /// Steps that Figure 3 does not have.
    fn out_of_order(&self) -> u32 {
        let states = [State::Init].into_iter().chain(self.transitions.iter().map(|(_, to)| *to));
        let states: Vec<State> = states.collect();
        let known =
            |step: &[State]| matches!(step, [State::Init, State::SlowStart] | [State::SlowStart, State::SteadyState]);
        states.windows(2).filter(|step| !known(step)).count() as u32
    }

    fn seconds_in(&self, state: State) -> f64 {
        let steps = self.seen.windows(2).filter(|step| step[0].state == state);
        steps.map(|step| (step[1].at - step[0].at).as_secs_f64()).sum()
    }

    /// What becomes of the cap from the last segment before a time on: four round trips later by before, at the end of
    /// the time by the initial window's, and when four round trips, or a second, had passed without a proof by before.
    fn fall(&self, from: Duration, to: Duration, rtt: Duration) -> (f64, f64, f64) {
        let cap = |at: Duration| {
            let place = self.seen.partition_point(|seen| seen.at <= at);
            self.seen[place.saturating_sub(1)]
        };
        // Then it begins again.
        let to = to - LOOK * 2;
        let before = cap(from);
        // The last segment that left before all was quiet.
        let last = cap(to).sent;
        let quiet = self.seen.iter().find(|seen| seen.sent == last).map_or(from, |seen| seen.at);
        let full = cap(quiet + before.rtt * (QUIET - 1));
        let after = cap(quiet + full.rtt * QUIET + full.rtt / 2);
        let end = cap(to);
        let initial = 10.0 * SEGMENT as f64;
        let silence = cap(from + Duration::from_secs(1).max(before.rtt * QUIET) + rtt * 2);
        (
            after.cap as f64 / full.cap as f64,
            end.cap as f64 * end.rtt.as_secs_f64() / initial,
            silence.cap as f64 / before.cap as f64,
        )
    }

    /// Packets of the smallest size that left in a time.
    fn packets(&self, from: Duration, to: Duration) -> f64 {
        let sent = |at: Duration| {
            let place = self.seen.partition_point(|seen| seen.at <= at);
            self.seen.get(place.wrapping_sub(1)).map_or(0, |seen| seen.sent)
        };
        (sent(to) - sent(from)) as f64 / (1_200 + tng_stp_host::SEGMENT_ADDED) as f64
    }
}

/// Two hosts and a line between them.
struct Pair {
    seed: u64,
    line: Line,
    case: Case,
    time: Duration,
}

impl Pair {
    fn run(&self) -> GuestRun {
        GuestRun { guest: self.case.guest, ran: self.case.ran, cap: Cap::Equation }
    }

    fn links(&self) -> [Link; 2] {
        let link = self.line.link();
        let loss = self.line.loss.clone();
        [if loss == Loss::None { link.clone() } else { link.clone().loss(loss) }, link]
    }
}

impl Configured for Pair {
    fn tell(&self, settings: &mut Settings) {
        let [forth, back] = self.links();
        tell::link(settings, "line, with the data", &forth);
        tell::link(settings, "line, against the data", &back);
        for (side, access) in [("sender", Access::Nobody), ("receiver", Access::Public)] {
            tell::host(settings, side, &HostConfig::new(access));
        }
        tell::guest(settings, &format!("guest, {}", self.run().name()), &self.run());
        settings.set("applications", "says", format_args!("{:?}", self.case.says));
        settings.set("applications", "withheld", format_args!("{:?}", self.case.withheld));
    }
}

impl Pair {
    fn live(self) -> Result<Life, RunError> {
        let run = self.run();
        let [mut left, mut right] = [0, 1].map(|side| fork(self.seed, side));
        let called = Identity::from_seed(right.bytes::<32>());
        let eid = called.eid();
        let caller = Identity::from_seed(left.bytes::<32>());
        let sender = Host::new(HostConfig::new(Access::Nobody), caller, left.bytes::<32>());
        let receiver = Host::new(HostConfig::new(Access::Public), called, right.bytes::<32>());
        let (sends, receives) = (run.workshop(&mut left), run.workshop(&mut right));
        let mut sender = Stp::new(sender, sends, run.code());
        sender.know(SocketAddr::new(B, PORT), eid);
        let clock = Arc::new(AtomicU64::new(0));
        let withheld = self.case.withheld.map(|(from, to)| [from, to].map(|share| self.time.mul_f64(share)));
        let code = match withheld {
            Some(withheld) => withholding(run, withheld, &clock),
            None => run.code(),
        };
        let receiver = Stp::new(receiver, receives, code);
        let silent = match self.case.says {
            Says::Silent(from, to) => [from, to].map(|share| self.time.mul_f64(share)),
            Says::All | Says::Little(_) => [Duration::MAX; 2],
        };
        let said = Talker { opens: true, stream: None, says: self.case.says, silent, said: 0, heard: Vec::new() };
        let hears = Talker { opens: false, ..said.clone() };
        let mut world = World::new(self.seed);
        let a = world.host("sender", &[A], MachineNode::new(sender, said));
        let b = world.host("receiver", &[B], MachineNode::new(receiver, hears));
        let [forth, back] = self.links();
        world.connect_with(a, b, &forth, &back);
        let mut life = Life { seen: Vec::new(), transitions: Vec::new(), refused: 0, time: self.time };
        let mut at = LOOK;
        while at <= self.time {
            clock.store(at.as_nanos() as u64, Ordering::Relaxed);
            world.run_until(Instant::ZERO + at);
            let node = world.node_mut(a);
            if let Some(guest) = node.app.stream.and_then(|id| node.machine.guest(id)) {
                let policer = guest.shim().policer();
                life.seen.push(Seen::of(at, policer));
                let figures = policer.figures();
                let since = |at: Instant| at.since(Instant::ZERO);
                life.transitions = figures.transitions.iter().map(|one| (since(one.at), one.to)).collect();
                life.refused = figures.refused;
                if let tng_stp_host::Life::Ended(how) = guest.life() {
                    return Err(RunError::broken(format_args!("{}: the guest ended: {how:?}", self.case.name)));
                }
            }
            at += LOOK;
        }
        Ok(life)
    }
}

/// Opens a connection, and writes on it; or takes whatever comes.
#[derive(Clone)]
struct Talker {
    opens: bool,
    stream: Option<ConnectionId>,
    says: Says,
    /// Nothing is written from the first to the other.
    silent: [Duration; 2],
    said: u64,
    heard: Vec<ConnectionId>,
}

impl Talker {
    fn advance(&mut self, now: Instant, host: &mut Stp) -> Option<Instant> {
        const PIECE: [u8; 16 << 10] = [0; 16 << 10];
        const EVERY: Duration = Duration::from_millis(100);
        let (stream, passed) = (self.stream?, now.since(Instant::ZERO));
        let [from, to] = self.silent;
        if (from..to).contains(&passed) {
            return Some(Instant::ZERO + to);
        }
        if let Says::Little(bytes) = self.says {
            let due = (passed.as_nanos() / EVERY.as_nanos() + 1) as u64 * bytes as u64;
            while self.said < due {
                match host.write(stream, &PIECE[..(due - self.said).min(PIECE.len() as u64) as usize]) {
                    0 => break,
                    written => self.said += written as u64,
                }
            }
            return Some(Instant::ZERO + EVERY * (passed.as_nanos() / EVERY.as_nanos() + 1) as u32);
        }
        while host.write(stream, &PIECE) > 0 {}
        (passed < from && from < Duration::MAX).then_some(Instant::ZERO + from)
    }
}

impl App<Stp> for Talker {
    fn handle_event(&mut self, _: Instant, host: &mut Stp, event: HostEvent) {
        let mut told = Vec::new();
        host.hear(event, &mut told);
        for event in told {
            if let Event::Stream(id, News::Incoming | News::Readable) = event {
                self.heard.push(id);
            }
        }
        let mut room = [0; 16 << 10];
        for id in self.heard.drain(..) {
            while let Read::Bytes(_) = host.read(id, &mut room) {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Stp) -> Option<Instant> {
        if core::mem::take(&mut self.opens) {
            self.stream = host.open(now, B, None).ok();
        }
        self.advance(now, host)
    }
}

/// A guest that hears nothing for a time, and so proves nothing of what arrives.
fn withholding(run: GuestRun, [from, to]: [Duration; 2], clock: &Arc<AtomicU64>) -> Code {
    let (code, clock) = (run.code(), Arc::clone(clock));
    Code::new(code.name(), code.socket(), move |shim| {
        let inner = Native::<stp_guest_flood::Flood>::new(shim);
        Ok(Box::new(Withholding { inner, from, to, clock: Arc::clone(&clock) }))
    })
}

struct Withholding {
    inner: Native<stp_guest_flood::Flood>,
    from: Duration,
    to: Duration,
    clock: Arc<AtomicU64>,
}

impl core::fmt::Debug for Withholding {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Withholding").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}

impl Around for Withholding {
    fn inner(&self) -> &dyn Instance {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut self.inner
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        let now = Duration::from_nanos(self.clock.load(Ordering::Relaxed));
        if (self.from..self.to).contains(&now) && matches!(callback, Callback::Input | Callback::Timer(_)) {
            self.inner.shim_mut().take_arrived(&mut [Arrived::EMPTY; RING_ENTRIES]);
            return Ok(0);
        }
        self.inner.call(callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cap is 1,000 bytes every ten milliseconds, and a round trip takes eighty.
    fn seen(n: u64, sent: u64) -> Seen {
        let state = if n < 100 { State::SlowStart } else { State::SteadyState };
        let (at, rtt) = (Duration::from_millis(10 * n), Duration::from_millis(80));
        Seen { at, state, cap: 100_000, sent, rtt, limit: 10_400 }
    }

    #[test]
    fn what_is_sent_beyond_the_cap_is_seen_and_what_left_in_another_state_is_not() {
        let life = |sent: fn(u64) -> u64| Life {
            seen: (0..400).map(|n| seen(n, sent(n))).collect(),
            transitions: Vec::new(),
            refused: 0,
            time: Duration::from_secs(4),
        };
        let by = |sent| life(sent).beyond(State::SteadyState);
        // Twice the cap before the loss.
        let [round, mean] = by(|n| if n < 100 { 2_000 * n } else { 200_000 + 1_000 * (n - 100) });
        assert!((round * ROUND - 1.0).abs() < 0.01 && (mean - 1.0).abs() < 0.01, "{round} {mean}");
        let [round, mean] = by(|n| 1_000 * n + if n > 300 { 5_000 } else { 0 });
        assert!(round > 1.2 && mean > 1.05 && mean < 1.1, "{round} {mean}");
    }

    #[test]
    fn steps_that_the_paper_does_not_have_are_counted() {
        let life = |states: &[State]| Life {
            seen: Vec::new(),
            transitions: states.iter().map(|state| (Duration::ZERO, *state)).collect(),
            refused: 0,
            time: Duration::ZERO,
        };
        assert_eq!(life(&[State::SlowStart, State::SteadyState]).out_of_order(), 0);
        assert_eq!(life(&[State::SteadyState]).out_of_order(), 1);
        assert_eq!(life(&[State::SlowStart, State::Init]).out_of_order(), 1);
    }
}
