//! The engine of a test, the same on both sides: it starts the lanes, looks at them from time to time, and knows when
//! it is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tng::{Connection, GuestConnection, StreamId};
use tng_base::PeerText;
use tng_services::perf::{End, Fault, FaultCode, LaneResult, Limits, Message, Results, Test};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};

use super::control::Control;
use super::cpu::CpuMeter;
use super::figures::{Datagrams, Finish, Interval, LaneEnd, LaneId, Path, Regulated, Row, Span, lanes};
use super::lane::{Count, Traffic};
use super::report::Report;
use super::{ANSWER_TIME, Side, control_failure, fault_failure};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::Figures;

/// How often the limits of a server are looked at, and the path when no intervals are shown.
const WATCH: Duration = Duration::from_millis(100);
/// How long a datagram that was sent before the end of a test is waited for, from the last arrival.
const QUIET: Duration = Duration::from_secs(1);
/// How long they are waited for in all, and what streams hold at the end of a count of bytes.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// The time over which a server's limit of the rate is an average.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// Why a run is over.
#[derive(Debug)]
pub enum RunEnd {
    /// All that was to be done is done. Only the client decides that.
    Done,
    /// The user of the client wants no more.
    Stopped,
    /// The client says so, and what it counted.
    Ended(Results),
}

/// Moves what a test moves, and counts.
#[derive(Debug)]
pub struct Engine {
    side: Side,
    test: Test,
    ids: Vec<LaneId>,
    connection: Connection,
    control: StreamId,
    traffic: Arc<Traffic>,
    senders: JoinSet<()>,
    receivers: JoinSet<()>,
    /// Streams that the other side has yet to open.
    awaited: usize,
    /// The guest that carries the lanes of this side.
    guest: Option<String>,
    /// Guests' connections that it has begun in their place.
    visitors: Option<mpsc::Receiver<GuestConnection>>,
    /// Takes datagrams.
    listener: JoinSet<()>,
    cpu: CpuMeter,
    watch: Watch,
}

/// What is known of the time that has passed.
#[derive(Debug)]
struct Watch {
    /// What is going on is not counted.
    omitting: bool,
    /// When what is going on began: that which is omitted, or the rest.
    phase: Instant,
    /// When the last interval ended.
    told: Instant,
    /// The counts then.
    told_counts: Vec<Count>,
    /// The counts when the phase began.
    base: Vec<Count>,
    /// Packets of the connection found lost, when the phase began, and when the last interval ended.
    lost: (u64, u64),
    /// Packets that have come from the other side, and when that was last seen to grow.
    heard: (u64, Instant),
    /// The path as it was last seen.
    path: Path,
    seen: Seen,
}

/// What was seen of the path, over the counted time.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    window_max: u64,
    rtt_max_us: u64,
    rtt_min_us: u64,
    rtt_sum_us: u64,
    times: u64,
}

impl Seen {
    fn add(&mut self, path: &Path) {
        self.window_max = self.window_max.max(path.regulated.map_or(0, |regulated| regulated.window));
        self.rtt_max_us = self.rtt_max_us.max(path.rtt_us);
        self.rtt_min_us = if self.times == 0 { path.rtt_us } else { self.rtt_min_us.min(path.rtt_us) };
        self.rtt_sum_us += path.rtt_us;
        self.times += 1;
    }
}

/// What carries a test in the place of streams.
#[derive(Debug, Default)]
pub struct Guests {
    /// What carries the lanes of this side, if streams do not.
    pub name: Option<String>,
    /// A connection by it for each lane in which this side sends.
    pub ours: Vec<GuestConnection>,
    /// Those that the other side begins come here.
    pub theirs: Option<mpsc::Receiver<GuestConnection>>,
}

/// The next connection that the other side begins by a guest.
async fn visit(visitors: &mut Option<mpsc::Receiver<GuestConnection>>) -> GuestConnection {
    match visitors {
        Some(visitors) => match visitors.recv().await {
            Some(guest) => guest,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

impl Engine {
    /// Starts the traffic of this side.
    pub fn start(side: Side, test: Test, connection: &Connection, control: StreamId, guests: Guests) -> Engine {
        let ids = lanes(&test, side);
        let traffic = Arc::new(Traffic::new(test, connection.clone(), control, &ids, guests.ours));
        let (mut senders, mut listener) = (JoinSet::new(), JoinSet::new());
        for (at, _) in ids.iter().enumerate().filter(|(_, lane)| lane.sends) {
            let traffic = Arc::clone(&traffic);
            if test.datagrams {
                senders.spawn(traffic.send_datagrams(at));
            } else if let Some(guest) = traffic.guests.get(at).cloned() {
                senders.spawn(traffic.send_by_guest(at, guest));
            } else {
                senders.spawn(traffic.send_stream(at));
            }
        }
        if test.datagrams && ids.iter().any(|lane| !lane.sends) {
            let traffic = Arc::clone(&traffic);
            listener.spawn(async move { drop(traffic.receive_datagrams().await) });
        }
        let awaited = if test.datagrams { 0 } else { ids.iter().filter(|lane| !lane.sends).count() };
        let (none, now) = (vec![Count::default(); ids.len()], traffic.began);
        let lost = connection.stats().map_or(0, |stats| stats.channel.lost);
        let watch = Watch {
            omitting: test.omit_ms > 0,
            phase: now,
            told: now,
            told_counts: none.clone(),
            base: none,
            lost: (lost, lost),
            heard: (0, now),
            path: Path::default(),
            seen: Seen::default(),
        };
        Engine {
            side,
            test,
            ids,
            connection: connection.clone(),
            control,
            traffic,
            senders,
            receivers: JoinSet::new(),
            awaited,
            guest: guests.name,
            visitors: guests.theirs,
            listener,
            cpu: CpuMeter::new(),
            watch,
        }
    }

    /// Runs the test to its end, or to that of `stop`, and tells `report` of every interval.
    ///
    /// # Errors
    /// If the other side goes away or breaks the test off, or, on a server, a limit is reached.
    pub async fn run(
        &mut self,
        control: &mut Control,
        report: &mut Report,
        interval: Duration,
        limits: Option<&Limits>,
        mut stop: impl Future<Output = ()> + Unpin,
    ) -> Result<RunEnd, Failure> {
        let receives = self.ids.iter().filter(|lane| !lane.sends).count();
        // The server says when it has sent what it shall.
        let mut peer_sends = receives > 0;
        let mut sends = !self.senders.is_empty();
        let by_count = matches!(self.test.end, End::Bytes(_));
        let end = match (self.side, self.test.end) {
            (Side::Client, End::After(ms)) => Some(self.traffic.began + Duration::from_millis(self.test.omit_ms + ms)),
            _ => None,
        };
        let mut next_watch = self.traffic.began + WATCH;
        let mut next_tick = (!interval.is_zero()).then(|| self.traffic.began + interval);
        let (mut rate_since, mut rate_from) = (self.traffic.began, 0);
        loop {
            let omitted = self.omit_end();
            let wake = [end, next_tick, omitted, Some(next_watch)].into_iter().flatten().min().unwrap_or(next_watch);
            tokio::select! {
                message = control.hear() => match (self.side, message?) {
                    (Side::Client, Message::Done) if by_count => peer_sends = false,
                    (Side::Server, Message::End(results)) => {
                        self.tell_rest(report, interval);
                        return Ok(RunEnd::Ended(results));
                    }
                    _ => return Err(out_of_turn()),
                },
                stream = self.connection.accept_substream(self.control), if self.awaited > 0 => {
                    let failed = |error: tng::SubstreamError| control_failure(&error.into());
                    self.receivers.spawn(Arc::clone(&self.traffic).receive_stream(stream.map_err(failed)?));
                    self.awaited -= 1;
                }
                guest = visit(&mut self.visitors), if self.awaited > 0 => {
                    self.receivers.spawn(Arc::clone(&self.traffic).receive_by_guest(guest));
                    self.awaited -= 1;
                }
                Some(_) = self.senders.join_next(), if sends => {
                    sends = !self.senders.is_empty();
                    if !sends && by_count && self.side == Side::Server {
                        control.say(&Message::Done).await?;
                    }
                }
                Some(_) = self.receivers.join_next(), if !self.receivers.is_empty() => {}
                () = &mut stop => {
                    self.tell_rest(report, interval);
                    return Ok(RunEnd::Stopped);
                }
                () = sleep_until(wake.into()) => {}
            }
            let now = clock::now();
            if self.side == Side::Client {
                let received = self.test.datagrams || (self.awaited == 0 && self.receivers.is_empty());
                if end.is_some_and(|end| end <= now) || (by_count && !sends && !peer_sends && received) {
                    self.tell_rest(report, interval);
                    return Ok(RunEnd::Done);
                }
            }
            if now >= next_watch {
                next_watch = now + WATCH;
                self.look();
                self.listen(now)?;
                if let Some(limits) = limits {
                    self.check(limits, &mut rate_since, &mut rate_from)?;
                }
            }
            if omitted.is_some_and(|at| at <= now) {
                self.tell_rest(report, interval);
                self.begin_counting(now);
                next_tick = next_tick.map(|_| now + interval);
            }
            if let Some(tick) = next_tick.filter(|tick| *tick <= now) {
                self.tell(report, now);
                // Those that were missed are not made up for.
                let mut next = tick + interval;
                while next <= now {
                    next += interval;
                }
                next_tick = Some(next);
            }
        }
    }

    fn omit_end(&self) -> Option<Instant> {
        self.watch.omitting.then(|| self.traffic.began + Duration::from_millis(self.test.omit_ms))
    }

    /// From here on it counts.
    fn begin_counting(&mut self, now: Instant) {
        let counts = self.counts();
        let watch = &mut self.watch;
        watch.omitting = false;
        (watch.phase, watch.told) = (now, now);
        watch.told_counts.clone_from(&counts);
        watch.base = counts;
        watch.lost.0 = watch.lost.1;
        watch.seen = Seen::default();
        self.cpu = CpuMeter::new();
    }

    fn counts(&self) -> Vec<Count> {
        self.traffic.lanes.iter().map(super::lane::Lane::count).collect()
    }

    /// Looks at the path; answers the packets that were found lost so far.
    fn look(&mut self) -> u64 {
        if let Some(path) = self.traffic.guests.first().and_then(path_of_guest) {
            self.watch.path = path;
            self.watch.seen.add(&path);
            return 0;
        }
        let Some(stats) = self.connection.stats() else { return self.watch.lost.1 };
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let rtt = &stats.regulation.rtt;
        self.watch.path = Path {
            regulated: Some(Regulated { retransmits: 0, window: stats.regulation.window }),
            rtt_us: micros(rtt.smoothed()),
            rtt_var_us: micros(rtt.var()),
            payload_max: stats.payload_max as u64,
        };
        self.watch.seen.add(&self.watch.path);
        stats.channel.lost
    }

    /// Whether the other side is still there. The client at least sends something every few seconds, which is
    /// acknowledged.
    fn listen(&mut self, now: Instant) -> Result<(), Failure> {
        let (heard, since) = &mut self.watch.heard;
        let received = self.connection.stats().map_or(*heard, |stats| stats.channel.packets_received);
        if received != *heard {
            (*heard, *since) = (received, now);
        }
        if now.duration_since(*since) <= ANSWER_TIME {
            return Ok(());
        }
        let words = format!("nothing was heard of the other side for {} s", ANSWER_TIME.as_secs());
        Err(Failure::new(Exit::Timeout, "measuring", words))
    }

    /// Tells of the interval that ends now.
    fn tell(&mut self, report: &mut Report, now: Instant) {
        let (lost, counts) = (self.look(), self.counts());
        let watch = &mut self.watch;
        let since = |at: Instant| at.duration_since(watch.phase).as_secs_f64();
        let span = Span { start: since(watch.told), end: since(now) };
        let mut retransmits = lost.saturating_sub(watch.lost.1);
        let rows = self.ids.iter().zip(counts.iter().zip(&watch.told_counts)).map(|(lane, (count, before))| Row {
            lane: *lane,
            bytes: count.bytes - before.bytes,
            datagrams: self.test.datagrams.then(|| datagrams(lane.sends, count, before)),
            path: lane.sends.then(|| watch.path.with_retransmits(std::mem::take(&mut retransmits))),
        });
        let interval = Interval { span, omitted: watch.omitting, rows: rows.collect() };
        watch.told = now;
        watch.told_counts = counts;
        watch.lost.1 = lost;
        report.interval(&interval);
    }

    /// Tells of what has come since the last interval, if it is worth it.
    fn tell_rest(&mut self, report: &mut Report, interval: Duration) {
        let now = clock::now();
        if !interval.is_zero() && now.duration_since(self.watch.told) > interval / 10 {
            self.tell(report, now);
        }
    }

    /// Whether a test goes on within the limits of this server.
    fn check(&self, limits: &Limits, rate_since: &mut Instant, rate_from: &mut u64) -> Result<(), Failure> {
        let exceeded = |reason: String| Err(fault_failure(&Fault::new(FaultCode::Exceeded, &reason)));
        let bytes = self.counts().iter().map(|count| count.bytes).sum::<u64>();
        // Who said how long it takes is held to it.
        let longest = match self.test.end {
            End::After(ms) => Duration::from_millis(self.test.omit_ms + ms),
            End::Bytes(_) => limits.duration_max,
        };
        if self.traffic.began.elapsed() > longest + ANSWER_TIME {
            return exceeded(format!("it took more than {} s", longest.as_secs_f64()));
        }
        if let Some(max) = limits.bytes_max.filter(|max| bytes > *max) {
            return exceeded(format!("more than {max} bytes"));
        }
        if let Some(max) = limits.rate_max
            && rate_since.elapsed() >= RATE_WINDOW
        {
            let rate = super::figures::rate(bytes - *rate_from, rate_since.elapsed().as_secs_f64());
            if rate > max as f64 * 1.05 {
                return exceeded(format!("more than {max} bit/s"));
            }
            (*rate_since, *rate_from) = (clock::now(), bytes);
        }
        Ok(())
    }

    /// Reads all streams to their ends.
    async fn drain(&mut self) {
        while self.awaited > 0 {
            tokio::select! {
                stream = self.connection.accept_substream(self.control) => {
                    let Ok(stream) = stream else { return };
                    self.receivers.spawn(Arc::clone(&self.traffic).receive_stream(stream));
                }
                guest = visit(&mut self.visitors) => {
                    self.receivers.spawn(Arc::clone(&self.traffic).receive_by_guest(guest));
                }
            }
            self.awaited -= 1;
        }
        while self.receivers.join_next().await.is_some() {}
    }

    /// Stops this side's traffic, and says what it has counted.
    pub async fn stop(&mut self) -> Results {
        // Nothing may pass any more when it is counted.
        self.senders.shutdown().await;
        if self.side == Side::Server && matches!(self.test.end, End::Bytes(_)) {
            // What the client has sent has arrived, but may not have been read yet.
            let _ = timeout(DRAIN_MAX, self.drain()).await;
        }
        self.receivers.shutdown().await;
        let lost = self.look();
        let (now, watch) = (clock::now(), &self.watch);
        let (began, counts) = (watch.phase.duration_since(self.traffic.began), self.counts());
        let mut retransmits = lost.saturating_sub(watch.lost.0);
        let lanes = self.traffic.lanes.iter().zip(counts.iter().zip(&watch.base)).map(|(lane, (count, before))| {
            let by_count = matches!(self.test.end, End::Bytes(_));
            let at = lane.ended().filter(|_| by_count).unwrap_or_else(|| now.duration_since(self.traffic.began));
            let figures =
                if self.test.datagrams { datagrams(lane.id.sends, count, before) } else { Datagrams::default() };
            let mut result = LaneResult {
                bytes: count.bytes - before.bytes,
                duration_us: u64::try_from(at.saturating_sub(began).as_micros()).unwrap_or(u64::MAX),
                packets: figures.packets,
                lost: figures.lost,
                out_of_order: figures.out_of_order,
                jitter_ns: (figures.jitter_ms * 1e6) as u64,
                packets_all: count.packets,
                ..LaneResult::default()
            };
            if lane.id.sends {
                let seen = &watch.seen;
                result.retransmits = std::mem::take(&mut retransmits);
                (result.window_max, result.rtt_max_us) = (seen.window_max, seen.rtt_max_us);
                (result.rtt_min_us, result.rtt_mean_us) = (seen.rtt_min_us, seen.rtt_sum_us / seen.times.max(1));
            }
            result
        });
        let controller = match &self.guest {
            Some(guest) => PeerText::from(format!("stp:{guest}").as_str()),
            None => self.connection.stats().map_or("", |stats| stats.regulation.controller).into(),
        };
        Results { cpu: self.cpu.used(), controller, lanes: lanes.collect() }
    }

    /// Figures of the guests that carry this side's lanes.
    pub fn guests(&self) -> Vec<Value> {
        self.traffic.guests.iter().filter_map(|guest| Figures::of(guest).ok()).map(|Figures(figures)| figures).collect()
    }

    /// Waits for the datagrams that were sent before the end and are still on their way, and corrects what was counted
    /// in `results`; `theirs` is what the other side counted.
    ///
    /// # Errors
    /// If the other side's results are not those of this test.
    pub async fn settle(&mut self, results: &mut Results, theirs: &Results) -> Result<(), Failure> {
        if theirs.lanes.len() != self.ids.len() {
            return Err(out_of_turn());
        }
        if self.test.datagrams {
            for (lane, their) in self.traffic.lanes.iter().zip(&theirs.lanes).filter(|(lane, _)| !lane.id.sends) {
                lane.announced(their.packets_all);
            }
            let (began, mut received, mut quiet) = (clock::now(), 0, Duration::ZERO);
            while !self.traffic.is_whole() && quiet < QUIET && began.elapsed() < DRAIN_MAX {
                let pause = Duration::from_millis(5);
                sleep(pause).await;
                let now = self.counts().iter().map(|count| count.arrivals.received).sum::<u64>();
                quiet = if now == received { quiet + pause } else { Duration::ZERO };
                received = now;
            }
            let counts = self.counts();
            for (i, lane) in self.traffic.lanes.iter().enumerate().filter(|(_, lane)| !lane.id.sends) {
                let figures = datagrams(false, &counts[i], &self.watch.base[i]);
                let result = &mut results.lanes[i];
                result.bytes = counts[i].bytes - self.watch.base[i].bytes;
                (result.packets, result.lost) = (figures.packets, figures.lost);
                (result.out_of_order, result.jitter_ns) = (figures.out_of_order, (figures.jitter_ms * 1e6) as u64);
                let ended = lane.ended().unwrap_or_default();
                let began = self.watch.phase.duration_since(self.traffic.began);
                let took = u64::try_from(ended.saturating_sub(began).as_micros()).unwrap_or(u64::MAX);
                result.duration_us = result.duration_us.max(took);
            }
        }
        self.listener.abort_all();
        Ok(())
    }

    /// What both sides have counted.
    pub fn finish(&self, ours: Results, theirs: Results) -> Finish {
        Finish {
            lanes: self.ends(&ours, &theirs),
            here: ours.cpu,
            there: theirs.cpu,
            controller_here: ours.controller,
            controller_there: theirs.controller,
        }
    }

    /// Both sides' figures, lane by lane.
    fn ends(&self, ours: &Results, theirs: &Results) -> Vec<LaneEnd> {
        let sides = ours.lanes.iter().zip(&theirs.lanes);
        let end = |(lane, (ours, theirs)): (&LaneId, (&LaneResult, &LaneResult))| {
            let (sender, receiver) = if lane.sends { (*ours, *theirs) } else { (*theirs, *ours) };
            LaneEnd { lane: *lane, sender, receiver }
        };
        self.ids.iter().zip(sides).map(end).collect()
    }
}

/// The path of a guest's connection, as its policer has it.
fn path_of_guest(guest: &GuestConnection) -> Option<Path> {
    let rtt = guest.with(|it| it.shim().policer().figures().rtt_smoothed).ok()?;
    let payload_max = guest.connection().stats().map_or(0, |stats| stats.payload_max as u64);
    Some(Path { rtt_us: u64::try_from(rtt.as_micros()).unwrap_or(u64::MAX), payload_max, ..Path::default() })
}

/// Figures of a lane's datagrams between two counts.
fn datagrams(sends: bool, count: &Count, before: &Count) -> Datagrams {
    if sends {
        return Datagrams { packets: count.packets - before.packets, ..Datagrams::default() };
    }
    let new = count.arrivals.since(&before.arrivals);
    let jitter_ms = new.jitter_us / 1e3;
    Datagrams { packets: new.sent, lost: new.lost(), out_of_order: new.out_of_order, jitter_ms }
}

/// That the other side says something that it should not say now.
pub fn out_of_turn() -> Failure {
    Failure::new(Exit::Protocol, "measuring", "the other side does not keep to the perf protocol")
}
