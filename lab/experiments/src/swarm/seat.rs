//! A host of the swarm on its machine: late timers, a clock of its own, moments in which it does not run, and somebody
//! who counts what it does.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Input, Instant, LinkLoss, Machine, Output, PathChange, Rng};
use tng_sim::{Node, Outbox};
use tng_stack::{Accounting, Host, PathStats};

use super::clock::Clock;
use super::ledger::Ledger;
use super::party::Party;

/// Addresses that belong to nobody: a sender there is never believed, and gets three times its bytes at most.
pub(super) const NOBODY: [u8; 3] = [203, 0, 113];

/// Datagrams that wait for a host that does not run; more are dropped, as by a socket.
const HELD_MAX: usize = 256;

/// Outputs of one round of polling at most.
const OUTPUTS_MAX: u32 = 100_000;

/// Datagrams sent and timers handled in one second of a host with nothing left to do, at most, for each channel.
const DONE_EVENTS_MAX: u64 = 40;

/// The same of a host that hears nothing, besides one full window in all that time: its application acts every 5 ms at
/// most ([`Work::tick`](super::party::Work)), its probes grow rarer.
const DEAF_EVENTS_MAX: u64 = 200;

/// Events for each packet of a window: it leaves, and the pacer was waited for.
const EVENTS_PER_PACKET: u64 = 2;

/// How long a host may go on as if nothing had happened when it hears nothing more.
const DEAF_AFTER: Duration = Duration::from_secs(8);

/// Rounds of polling after which the tables are counted anew: all of the first, then every so many.
const RECOUNTED_FIRST: u64 = 64;
const RECOUNTED_EACH: u64 = 8;

/// What has arrived and was not handed over yet.
#[derive(Debug)]
enum Held {
    Datagram { remote: SocketAddr, local: Option<SocketAddr>, ecn: Ecn, payload: Vec<u8> },
    Loss(LinkLoss),
    Change(PathChange),
}

/// What a host did.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Gauge {
    pub sent: u64,
    pub heard: u64,
    pub timeouts: u64,
    /// Most of the first and the last, for each channel, in a second in which it had nothing left to do.
    pub done_worst: u64,
    /// And in one in which it heard nothing, what its windows explain left out.
    pub deaf_worst: u64,
    second: u64,
    before: u64,
    /// Most channels in this second.
    channels: u64,
    /// In this second it hears nothing.
    deaf: bool,
    /// Events of the windows that were open when it heard something last, as far as none has been needed before this
    /// second.
    spare: u64,
    /// How many of them are needed in it.
    needed: u64,
}

impl Gauge {
    /// Counts another host's.
    pub fn add(&mut self, more: &Gauge) {
        self.sent += more.sent;
        self.heard += more.heard;
        self.timeouts += more.timeouts;
        self.done_worst = self.done_worst.max(more.done_worst);
        self.deaf_worst = self.deaf_worst.max(more.deaf_worst);
    }
}

/// A host with its application.
pub(super) struct Seat {
    pub host: Host,
    pub party: Party,
    ledger: Rc<RefCell<Ledger>>,
    clock: Clock,
    rng: Rng,
    /// It does not run until then.
    asleep_until: Instant,
    held: VecDeque<Held>,
    deliver_at: Instant,
    /// Bytes from and to each address.
    traffic: BTreeMap<SocketAddr, (u64, u64)>,
    pub gauge: Gauge,
    heard_at: Instant,
    /// When the machine, not the application, wants to be called again.
    timer: Option<Instant>,
    /// It has nothing left to do since then.
    done_at: Option<Instant>,
    rounds: u64,
}

impl Seat {
    pub fn new(host: Host, party: Party, ledger: &Rc<RefCell<Ledger>>, clock: Clock, rng: Rng) -> Seat {
        Seat {
            host,
            party,
            ledger: Rc::clone(ledger),
            clock,
            rng,
            asleep_until: Instant::ZERO,
            held: VecDeque::new(),
            deliver_at: Instant::ZERO,
            traffic: BTreeMap::new(),
            gauge: Gauge::default(),
            heard_at: Instant::ZERO,
            timer: None,
            done_at: None,
            rounds: 0,
        }
    }

    /// It does not run for so long.
    pub fn sleep(&mut self, now: Instant, time: Duration) {
        self.asleep_until = now + time;
    }

    /// It has nothing left to do from now on.
    pub fn note_done(&mut self, now: Instant) {
        self.done_at = Some(now);
    }

    /// It has something to do again.
    pub fn note_busy(&mut self) {
        self.done_at = None;
    }

    /// What its clock shows.
    pub fn now(&self, now: Instant) -> Instant {
        self.clock.show(now)
    }

    /// Hands over everything that has arrived, datagrams of one source together as a driver does.
    fn deliver(&mut self, now: Instant) {
        let shown = self.clock.show(now);
        while let Some(held) = self.held.pop_front() {
            match held {
                Held::Loss(loss) => self.host.handle_input(shown, Input::LinkLoss(loss)),
                Held::Change(change) => self.host.handle_input(shown, Input::PathChange(change)),
                Held::Datagram { remote, local, ecn, mut payload } => {
                    let segment_size = payload.len().max(1);
                    while let Some(Held::Datagram { remote: from, local: to, ecn: mark, payload: more }) =
                        self.held.front()
                        && (*from, *to, *mark) == (remote, local, ecn)
                        && payload.len().is_multiple_of(segment_size)
                        && !more.is_empty()
                        && more.len() <= segment_size
                    {
                        payload.extend_from_slice(more);
                        self.held.pop_front();
                    }
                    let datagram = Datagram { remote, local, ecn, segment_size, payload: &mut payload };
                    self.host.handle_input(shown, Input::Datagram(datagram));
                }
            }
        }
    }

    /// Lets machine and application speak until neither has anything to say.
    fn drain(&mut self, shown: Instant, outbox: &mut Outbox) -> Option<Instant> {
        let mut outputs = 0;
        loop {
            let mut said = false;
            loop {
                match self.host.poll_output(shown, outbox.buffer()) {
                    Output::Transmit(transmit) => {
                        self.gauge.sent += transmit.len.div_ceil(transmit.segment_size.max(1)) as u64;
                        self.note_sent(transmit.remote, transmit.len);
                        outbox.send(transmit);
                    }
                    Output::Event(event) => self.party.handle_event(shown, &mut self.host, event),
                    Output::NeedsEntropy => self.host.handle_input(shown, Input::Entropy(&mut outbox.entropy())),
                    Output::Timeout(_) => break,
                }
                said = true;
                outputs += 1;
                if outputs > OUTPUTS_MAX {
                    self.ledger.borrow_mut().wrong(|| "a host has more and more to say at one moment".into());
                    return None;
                }
            }
            let app = self.party.poll(shown, &mut self.host);
            // What the application did may give the machine something to say, and that the application.
            match self.host.poll_output(shown, outbox.buffer()) {
                Output::Timeout(after) => {
                    self.timer = after;
                    if !said {
                        return [app, after].into_iter().flatten().min();
                    }
                }
                Output::NeedsEntropy => self.host.handle_input(shown, Input::Entropy(&mut outbox.entropy())),
                Output::Event(event) => self.party.handle_event(shown, &mut self.host, event),
                Output::Transmit(transmit) => {
                    self.gauge.sent += transmit.len.div_ceil(transmit.segment_size.max(1)) as u64;
                    self.note_sent(transmit.remote, transmit.len);
                    outbox.send(transmit);
                }
            }
        }
    }

    fn note_sent(&mut self, remote: SocketAddr, len: usize) {
        let traffic = self.traffic.entry(remote).or_default();
        traffic.1 += len as u64;
        let (received, sent) = *traffic;
        let nobody = matches!(remote.ip(), IpAddr::V4(ip) if ip.octets()[..3] == NOBODY);
        if nobody && sent > 3 * received {
            self.ledger.borrow_mut().wrong(|| format!("{sent} bytes for the {received} that came from {remote}"));
        }
    }

    /// The counts of the host against its tables.
    fn audit(&mut self) {
        self.rounds += 1;
        if self.rounds > RECOUNTED_FIRST && !self.rounds.is_multiple_of(RECOUNTED_EACH) {
            return;
        }
        let (counted, found) = (self.host.accounting(), self.host.recount());
        if counted != found || counted.ready > 0 {
            self.ledger.borrow_mut().wrong(|| format!("accounts and tables differ: {}", differences(&counted, &found)));
        }
    }

    /// Counts what is done in a second without a reason.
    fn note_events(&mut self, now: Instant) {
        let second = now.as_nanos() / 1_000_000_000;
        let (events, begins) = (self.gauge.sent + self.gauge.timeouts, Instant::from_secs(second));
        let deaf = begins > self.heard_at + DEAF_AFTER;
        if second != self.gauge.second {
            self.gauge.spare = self.gauge.spare.saturating_sub(core::mem::take(&mut self.gauge.needed));
            (self.gauge.second, self.gauge.before, self.gauge.channels) = (second, events, 1);
        }
        if deaf && !core::mem::replace(&mut self.gauge.deaf, deaf) {
            // Nothing is acknowledged, so no window opens any further.
            self.gauge.spare = self.windows() * EVENTS_PER_PACKET;
        }
        self.gauge.deaf = deaf;
        // Those that end in this second count, too.
        self.gauge.channels = self.gauge.channels.max(self.host.accounting().channels as u64);
        let done = self.done_at.is_some_and(|at| begins > at + DEAF_AFTER);
        if !deaf && !done {
            return;
        }
        let quiet = events - self.gauge.before;
        let channels = self.gauge.channels.max(1);
        let (worst, each, most, why) = match done {
            true => (&mut self.gauge.done_worst, quiet / channels, DONE_EVENTS_MAX, "has nothing left to do"),
            false => {
                // One that was idle begins with a full window, however long ago that was.
                let usual = channels * DEAF_EVENTS_MAX;
                self.gauge.needed = quiet.saturating_sub(usual).min(self.gauge.spare);
                let each = (quiet - self.gauge.needed) / channels;
                (&mut self.gauge.deaf_worst, each, DEAF_EVENTS_MAX, "hears nothing")
            }
        };
        *worst = each.max(*worst);
        if each > most {
            self.ledger.borrow_mut().wrong(|| format!("a storm: {quiet} events in a second of a host that {why}"));
        }
    }

    /// Packets that all its windows hold.
    fn windows(&self) -> u64 {
        let paths = self.host.connections().flat_map(|id| self.host.paths(id));
        let packets = |path: &PathStats| path.stats.regulation.window.div_ceil(path.stats.payload_max.max(1) as u64);
        // Channels of one path share a window.
        let flows: BTreeMap<_, _> = paths.map(|path| ((path.remote.ip(), path.local), packets(&path))).collect();
        flows.into_values().sum()
    }
}

impl Node for Seat {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let held = match input {
            Input::Datagram(datagram) => {
                self.gauge.heard += 1;
                self.heard_at = now;
                let Datagram { remote, local, ecn, payload, .. } = datagram;
                self.traffic.entry(remote).or_default().0 += payload.len() as u64;
                Held::Datagram { remote, local, ecn, payload: payload.to_vec() }
            }
            Input::LinkLoss(loss) => Held::Loss(loss),
            Input::PathChange(change) => Held::Change(change),
            Input::Unreachable(_) => return,
            // It asks for it while it runs, and is answered at once.
            Input::Entropy(entropy) => return self.host.handle_input(self.clock.show(now), Input::Entropy(entropy)),
        };
        if self.held.is_empty() {
            self.deliver_at = self.asleep_until.max(now + self.clock.coalesce);
        }
        if self.held.len() < HELD_MAX || matches!(held, Held::Change(_)) {
            self.held.push_back(held);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if now < self.asleep_until {
            return;
        }
        let shown = self.clock.show(now);
        if self.timer.is_some_and(|at| at <= shown) {
            self.gauge.timeouts += 1;
            self.host.handle_timeout(shown);
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        if now < self.asleep_until {
            return Some(self.asleep_until);
        }
        if now >= self.deliver_at {
            self.deliver(now);
        }
        let timer = self.drain(self.clock.show(now), outbox);
        self.audit();
        self.note_events(now);
        let late = Duration::from_nanos(self.rng.below(self.clock.late.as_nanos() as u64 + 1));
        let timer = timer.map(|at| (self.clock.when(at)).max(now) + late);
        let arrivals = (!self.held.is_empty()).then_some(self.deliver_at);
        [timer, arrivals].into_iter().flatten().min()
    }
}

/// The fields in which two accounts differ.
fn differences(counted: &Accounting, found: &Accounting) -> String {
    let [counted, found] = [counted, found].map(|it| format!("{it:?}"));
    let pairs = counted.split(", ").zip(found.split(", ")).filter(|(counted, found)| counted != found);
    pairs.map(|(counted, found)| format!("{counted} but {found}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use tng_stack::{Access, HostConfig, Identity};

    use super::super::Family;
    use super::super::echoes::Repair;
    use super::super::plan::Plan;
    use super::*;

    /// What is said of a host that hears nothing from the start and, from its tenth second on, does so much in each,
    /// with so many events to spare for its windows.
    fn verdict(spare: u64, each_second: &[u64]) -> Option<String> {
        let ledger = Rc::new(RefCell::new(Ledger::default()));
        let plan = Plan::draw(Family::Outages, &mut Rng::from_u64(1), Rng::from_u64(2));
        let [work, _] = plan.work;
        let party = Party::new(0, Rng::from_u64(3), &ledger, work, (false, false, Repair::On));
        let host = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([1; 32]), [2; 32]);
        let mut seat = Seat::new(host, party, &ledger, Clock::PERFECT, Rng::from_u64(4));
        seat.note_events(Instant::from_secs(10));
        seat.gauge.spare = spare;
        for (second, events) in (11..).zip(each_second) {
            seat.note_events(Instant::from_secs(second));
            for _ in 0..*events {
                seat.gauge.sent += 1;
                seat.note_events(Instant::from_secs(second));
            }
        }
        drop(seat);
        ledger.borrow().verdict().map(str::to_owned)
    }

    #[test]
    fn who_hears_nothing_sends_its_window_once() {
        assert_eq!(verdict(0, &[200, 200, 0, 200]), None, "as often as its application acts");
        assert!(verdict(0, &[201]).is_some_and(|wrong| wrong.contains("a storm: 201 events")));
        assert_eq!(verdict(300, &[450, 200, 250]), None, "a window that is filled in two parts");
        assert!(verdict(300, &[450, 200, 251]).is_some(), "and then again");
        assert!(verdict(300, &[501]).is_some());
    }
}
