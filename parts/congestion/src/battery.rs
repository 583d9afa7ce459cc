//! Tests that every controller passes, and the scripted traces for the snapshots of each. Call them from the
//! controller's own tests. Times are virtual and draws seeded; a failure names its seed.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Instant, Rng};

use crate::{
    AckSample, Controller, LossCause, LossSample, MAX_WINDOW, Permission, Regulation, RegulationConfig,
    RegulationStats, RttSample, SendStamp, min_window,
};

/// Makes a fresh controller for packets of that many bytes.
pub type Make<'a> = &'a dyn Fn(u16) -> Box<dyn Controller>;

/// Everything below that any controller must pass.
///
/// # Panics
/// If it does not.
pub fn all(make: Make<'_>) {
    played_twice(make, Governed::ByThePath);
}

/// The same for a controller that its owner governs and not the path: no loss and no mark changes its window.
///
/// # Panics
/// If one does, or something else is wrong.
pub fn administered(make: Make<'_>) {
    played_twice(make, Governed::ByItsOwner);
}

fn played_twice(make: Make<'_>, governed: Governed) {
    for seed in 0..24 {
        let first = random_operations(make, governed, seed, 1_500);
        let second = random_operations(make, governed, seed, 1_500);
        assert_eq!(first, second, "seed {seed} plays differently the second time");
    }
    extremes(make);
    behaviour(make);
}

/// What decides how large a controller's window is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Governed {
    /// Losses, marks and delays.
    ByThePath,
    /// What its owner says.
    ByItsOwner,
}

/// `steps` random operations on a regulation under this controller, checked against a model after each. Answers the
/// final figures, which are the same for the same seed.
///
/// # Panics
/// If the controller, or the regulation, breaks a rule.
pub fn random_operations(make: Make<'_>, governed: Governed, seed: u64, steps: usize) -> RegulationStats {
    let mut model = Model::new(make, governed, seed);
    for step in 0..steps {
        model.seed_and_step = format!("seed {seed}, step {step}");
        model.step();
        model.check();
    }
    model.regulation.stats()
}

/// Sizes, times and counts at the ends of their ranges: nothing panics or overflows.
///
/// # Panics
/// If something does.
pub fn extremes(make: Make<'_>) {
    for mtu in [1, 1_200, u16::MAX] {
        let config = RegulationConfig { mtu, initial_rtt: Duration::MAX, pacing: true };
        let mut regulation = Regulation::new(make(mtu), config);
        for (i, now) in [0, 1, 1 << 20, 1 << 40, 1 << 62, u64::MAX, u64::MAX].into_iter().enumerate() {
            let now = Instant::from_nanos(now);
            let stamp = regulation.handle_sent(now, 1 << 62);
            assert_ne!(regulation.permission(now, 1 << 62), Permission::At(now));
            regulation.budget(now);
            let latest = if i % 2 == 0 { Duration::MAX } else { Duration::ZERO };
            let rtt = Some(RttSample { latest, ack_delay: Duration::MAX });
            regulation.handle_ack(now, &AckSample { bytes: 1 << 61, newest: stamp, rtt });
            let cause = if i % 3 == 0 { LossCause::PersistentCongestion } else { LossCause::Loss };
            let loss = LossSample { bytes: 1 << 61, newest: stamp, cause };
            regulation.handle_loss(now, &loss);
            regulation.handle_spurious(now, &loss);
            assert_eq!(regulation.in_flight(), 0);
            assert!(regulation.window() >= min_window(mtu));
        }
        // A window driven as far up as it goes.
        let mut regulation = Regulation::new(make(mtu), config);
        for i in 1..200_u64 {
            let now = Instant::from_millis(i * 100);
            let bytes = regulation.window().min(1 << 62);
            let stamp = regulation.handle_sent(now, bytes);
            regulation.permission(now, u64::from(mtu));
            let rtt = Some(RttSample { latest: Duration::from_millis(50), ack_delay: Duration::ZERO });
            let ack = AckSample { bytes, newest: stamp, rtt };
            regulation.handle_ack(now + Duration::from_millis(50), &ack);
            let window = regulation.window();
            assert!(window <= MAX_WINDOW || window == u64::MAX, "{window} bytes are beyond the largest window");
            if i % 90 == 0 {
                let loss = LossSample { bytes: 0, newest: stamp, cause: LossCause::Loss };
                regulation.handle_loss(now + Duration::from_millis(50), &loss);
            }
        }
        assert!(regulation.window() >= min_window(mtu));
    }
}

/// Short scripts with an outcome that holds for every controller.
///
/// # Panics
/// If it does not hold.
pub fn behaviour(make: Make<'_>) {
    let (mtu, rtt) = (1_200, Duration::from_millis(50));
    let fresh = || Trace::new(make(mtu), mtu, rtt);

    let (mut trickle, start) = (fresh(), fresh().window());
    trickle.play_all(&[Round::AppLimited(1); 50]);
    assert!(trickle.window() <= start, "an application that sends little made the window grow");

    let mut twice = fresh();
    twice.play_all(&[Round::Full; 5]);
    let before = twice.window();
    // So many that nobody takes them for chance.
    let lost = (before / u64::from(mtu) / 10).clamp(2, MAX_PACKETS_PER_ROUND / 10);
    twice.play(Round::Lose(lost));
    let once = twice.window();
    assert!(once <= before, "losses made the window grow from {before} to {once}");
    assert_eq!((twice.regulation.stats().lost, twice.regulation.in_flight()), (lost * u64::from(mtu), 0));

    let mut path = fresh();
    path.play_all(&[Round::Full; 5]);
    path.play(Round::Lose(1));
    path.regulation.reset_for_new_path(path.now);
    assert_eq!(path.window(), start, "a new path starts at the initial window");
    assert!(!path.regulation.rtt().has_sample());

    let mut silent = fresh();
    silent.play_all(&[Round::Full; 5]);
    let before = silent.window();
    for _ in 0..3 {
        let newest = silent.regulation.handle_sent(silent.now, u64::from(mtu));
        silent.regulation.handle_discarded(u64::from(mtu));
        silent.regulation.handle_silence(silent.now, newest);
        let after = silent.window();
        assert!(after == before || after <= start, "{after} bytes may leave where nobody is heard of, of {before}");
        assert!(after >= start.min(before), "{after} bytes are less than a new connection may send");
    }
    silent.play_all(&[Round::Full; 3]);
    assert!(silent.window() >= start.min(before), "and it goes on from there: {}", silent.window());
}

/// What happens in one round trip of a scripted trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// The sender fills its window and everything is acknowledged, one acknowledgment for two packets.
    Full,
    /// The same, but the first so many packets are lost; each loss is reported by itself, as the acknowledgments show
    /// it.
    Lose(u64),
    /// The same as [`Lose`](Self::Lose), and the link reports that it lost them to corruption.
    LoseOnLink(u64),
    /// The same as [`Full`](Self::Full), and a router marked packets.
    Mark,
    /// Nothing of what was sent arrives for so long that it counts as persistent congestion.
    Collapse,
    /// What the last [`Lose`](Self::Lose) or [`LoseOnLink`](Self::LoseOnLink) reported lost arrives after all. Nothing
    /// is sent.
    Late,
    /// The sender has only so many packets to send.
    AppLimited(u64),
    /// Nothing happens for so many milliseconds.
    Silence(u64),
    /// From now on round trips take so many milliseconds.
    Rtt(u64),
}

/// A scripted path: an endless pipe with a fixed delay, played round by round.
#[derive(Debug)]
pub struct Trace {
    /// What is being tried, without pacing.
    pub regulation: Regulation,
    /// The virtual time.
    pub now: Instant,
    rtt: Duration,
    lost: Vec<LossSample>,
}

/// A round sends at most so many packets, which matters where there is no window.
const MAX_PACKETS_PER_ROUND: u64 = 100_000;

impl Trace {
    /// A path with that round-trip time and packets of `mtu` bytes.
    pub fn new(controller: Box<dyn Controller>, mtu: u16, rtt: Duration) -> Trace {
        let config = RegulationConfig { mtu, pacing: false, ..RegulationConfig::default() };
        Trace { regulation: Regulation::new(controller, config), now: Instant::ZERO, rtt, lost: Vec::new() }
    }

    /// The window in bytes.
    pub fn window(&self) -> u64 {
        self.regulation.window()
    }

    /// Plays one round after the other.
    pub fn play_all(&mut self, script: &[Round]) {
        script.iter().for_each(|&round| self.play(round));
    }

    /// Plays one round.
    pub fn play(&mut self, round: Round) {
        // Nothing is sent in the very instant of the last round's verdicts, as on a real path.
        self.now += Duration::from_micros(1);
        match round {
            Round::Full | Round::Mark => {
                let sent = self.fill();
                self.now += self.rtt;
                let newest = sent.last().copied();
                self.acknowledge(&sent);
                if let (Round::Mark, Some(newest)) = (round, newest) {
                    self.regulation.handle_loss(self.now, &LossSample { bytes: 0, newest, cause: LossCause::Ecn });
                }
            }
            Round::Lose(packets) | Round::LoseOnLink(packets) => {
                let cause = if let Round::Lose(_) = round { LossCause::Loss } else { LossCause::Link };
                let sent = self.fill();
                self.now += self.rtt;
                let bytes = u64::from(self.regulation.mtu());
                let (lost, arrived) = sent.split_at(sent.len().min(packets as usize));
                self.lost = lost.iter().map(|&newest| LossSample { bytes, newest, cause }).collect();
                for loss in &self.lost {
                    self.regulation.handle_loss(self.now, loss);
                }
                self.acknowledge(arrived);
            }
            Round::Collapse => {
                let sent = self.fill();
                self.now += 4 * self.rtt;
                let Some(&newest) = sent.last() else { return };
                let bytes = self.regulation.in_flight();
                let cause = LossCause::PersistentCongestion;
                self.regulation.handle_loss(self.now, &LossSample { bytes, newest, cause });
            }
            Round::Late => {
                for late in core::mem::take(&mut self.lost) {
                    self.regulation.handle_spurious(self.now, &late);
                }
            }
            Round::AppLimited(packets) => {
                let sent: Vec<SendStamp> = (0..packets).map_while(|_| self.send()).collect();
                self.regulation.handle_app_limited();
                self.now += self.rtt;
                self.acknowledge(&sent);
            }
            Round::Silence(ms) => self.now += Duration::from_millis(ms),
            Round::Rtt(ms) => self.rtt = Duration::from_millis(ms),
        }
    }

    fn send(&mut self) -> Option<SendStamp> {
        let bytes = u64::from(self.regulation.mtu());
        (self.regulation.permission(self.now, bytes) == Permission::Now)
            .then(|| self.regulation.handle_sent(self.now, bytes))
    }

    fn fill(&mut self) -> Vec<SendStamp> {
        (0..MAX_PACKETS_PER_ROUND).map_while(|_| self.send()).collect()
    }

    fn acknowledge(&mut self, sent: &[SendStamp]) {
        let mtu = u64::from(self.regulation.mtu());
        for pair in sent.chunks(2) {
            let newest = pair[pair.len() - 1];
            let rtt = Some(RttSample { latest: self.now.since(newest.sent_at), ack_delay: Duration::ZERO });
            self.regulation.handle_ack(self.now, &AckSample { bytes: mtu * pair.len() as u64, newest, rtt });
        }
    }
}

/// The window after each round of a script, in whole packets, for packets of 1,200 bytes and round trips of 50 ms: a
/// line for a snapshot.
pub fn windows(controller: Box<dyn Controller>, script: &[Round]) -> Vec<u64> {
    let mut trace = Trace::new(controller, 1_200, Duration::from_millis(50));
    let play = |&round| {
        trace.play(round);
        trace.window() / 1_200
    };
    script.iter().map(play).collect()
}

/// A sender that does random things, and an account of what must be true.
struct Model {
    regulation: Regulation,
    governed: Governed,
    rng: Rng,
    now: Instant,
    mtu: u16,
    flight: VecDeque<(SendStamp, u64)>,
    lost: Vec<(SendStamp, u64, LossCause)>,
    /// When a packet was last refused.
    refused_at: Option<Instant>,
    /// When the window was last reduced.
    reduced_at: Option<Instant>,
    /// What was sent before belongs to another path.
    path_since: Instant,
    delivered: u64,
    seed_and_step: String,
}

impl Model {
    fn new(make: Make<'_>, governed: Governed, seed: u64) -> Model {
        let mut rng = Rng::from_u64(seed);
        let mtu = 1_200 + rng.below(8_000) as u16;
        let config = RegulationConfig { mtu, pacing: rng.chance(0.5), ..RegulationConfig::default() };
        Model {
            regulation: Regulation::new(make(mtu), config),
            governed,
            rng,
            now: Instant::from_millis(1),
            mtu,
            flight: VecDeque::new(),
            lost: Vec::new(),
            refused_at: None,
            reduced_at: None,
            path_since: Instant::ZERO,
            delivered: 0,
            seed_and_step: String::new(),
        }
    }

    fn step(&mut self) {
        let longest = [10_000, 50_000_000, 50_000_000, 20_000_000_000][self.rng.below(4) as usize];
        self.now += Duration::from_nanos(self.rng.below(longest));
        match self.rng.below(100) {
            0..40 => self.send(),
            40..75 => self.acknowledge(),
            75..85 => self.lose(LossCause::Loss),
            85..87 => self.lose(LossCause::Link),
            87..88 => self.lose(LossCause::PersistentCongestion),
            88..91 => self.lose(LossCause::Ecn),
            91..94 => self.arrive_late(),
            94..95 => self.probe(),
            95..96 => self.change_mtu(),
            96..97 => self.move_to_new_path(),
            97..98 => self.discard(),
            _ => self.regulation.handle_app_limited(),
        }
    }

    fn check(&self) {
        let at = &self.seed_and_step;
        let in_flight: u64 = self.flight.iter().map(|&(_, bytes)| bytes).sum();
        assert_eq!(self.regulation.in_flight(), in_flight, "the ledger is wrong at {at}");
        assert!(self.regulation.window() >= min_window(self.mtu), "less than the minimum window at {at}");
        assert_eq!(self.regulation.stats().delivered, self.delivered, "deliveries miscounted at {at}");
    }

    fn send(&mut self) {
        let at = self.seed_and_step.clone();
        for _ in 0..1 + self.rng.below(40) {
            let bytes = 1 + self.rng.below(u64::from(self.mtu));
            let window = self.regulation.window();
            match self.regulation.permission(self.now, bytes) {
                Permission::Now => {
                    let stamp = self.regulation.handle_sent(self.now, bytes);
                    assert!(self.regulation.in_flight() <= window, "sent beyond the window at {at}");
                    self.flight.push_back((stamp, bytes));
                }
                refusal => {
                    if let Permission::At(later) = refusal {
                        assert!(later > self.now, "to wait until {later:?} is not to wait at {at}");
                        assert_eq!(self.regulation.budget(self.now), 0, "a budget in spite of the pacer at {at}");
                    } else {
                        let left = window.saturating_sub(self.regulation.in_flight());
                        assert!(bytes > left, "blocked with {left} bytes of window left at {at}");
                    }
                    self.refused_at = Some(self.now);
                    return;
                }
            }
        }
    }

    /// Some packets from near the front of the flight, as reordering and gaps leave them.
    fn take(&mut self) -> Option<(SendStamp, u64)> {
        let count = (1 + self.rng.below(12)).min(self.flight.len() as u64);
        let skip = if self.rng.chance(0.3) { self.rng.below(self.flight.len() as u64 - count + 1) } else { 0 };
        let taken = self.flight.drain(skip as usize..(skip + count) as usize);
        taken.reduce(|(newest, sum), (stamp, bytes)| {
            (if stamp.sent_at >= newest.sent_at { stamp } else { newest }, sum + bytes)
        })
    }

    fn acknowledge(&mut self) {
        let Some((newest, bytes)) = self.take() else { return };
        let before = self.regulation.window();
        let rtt = self.rng.chance(0.8).then(|| RttSample {
            latest: self.now.since(newest.sent_at),
            ack_delay: Duration::from_micros(self.rng.below(30_000)),
        });
        self.regulation.handle_ack(self.now, &AckSample { bytes, newest, rtt });
        self.delivered += bytes;
        let grown = self.regulation.window().saturating_sub(before);
        let at = &self.seed_and_step;
        assert!(grown <= bytes, "the window grew by {grown} for {bytes} acknowledged bytes at {at}");
        let limited = self.refused_at.is_some_and(|refused| newest.sent_at <= refused);
        assert!(limited || grown == 0, "the window grew although it was not the limit at {at}");
        let before_reduction =
            newest.sent_at < self.path_since || self.reduced_at.is_some_and(|reduced| newest.sent_at <= reduced);
        assert!(!before_reduction || grown == 0, "the window grew in its recovery period at {at}");
    }

    fn lose(&mut self, cause: LossCause) {
        let Some((newest, bytes)) = self.take() else { return };
        let before = self.regulation.window();
        if cause == LossCause::Ecn {
            self.regulation.handle_ack(self.now, &AckSample { bytes, newest, rtt: None });
            self.delivered += bytes;
        } else {
            self.lost.push((newest, bytes, cause));
        }
        let unmarked = self.regulation.window();
        let lost = if cause == LossCause::Ecn { 0 } else { bytes };
        self.regulation.handle_loss(self.now, &LossSample { bytes: lost, newest, cause });
        let (after, at) = (self.regulation.window(), &self.seed_and_step);
        assert!(after <= unmarked.max(before), "a loss made the window grow at {at}");
        let same_event =
            newest.sent_at < self.path_since || self.reduced_at.is_some_and(|reduced| newest.sent_at <= reduced);
        if self.governed == Governed::ByItsOwner {
            assert_eq!(after, unmarked, "a loss changed what the owner has set at {at}");
        } else if cause == LossCause::PersistentCongestion {
            assert!(after <= 2 * min_window(self.mtu) || same_event, "no collapse at {at}");
        } else if same_event {
            assert_eq!(after, unmarked, "a second reduction in one round trip at {at}");
        }
        if after < unmarked {
            self.reduced_at = Some(self.now);
        }
    }

    fn arrive_late(&mut self) {
        if self.lost.is_empty() {
            return;
        }
        let (newest, bytes, cause) = self.lost.swap_remove(self.rng.below(self.lost.len() as u64) as usize);
        let before = self.regulation.window();
        self.regulation.handle_spurious(self.now, &LossSample { bytes, newest, cause });
        self.delivered += bytes;
        assert!(self.regulation.window() >= before, "a late arrival shrank the window at {}", self.seed_and_step);
        // The reduction may have been taken back.
        self.reduced_at = None;
    }

    fn probe(&mut self) {
        let bytes = u64::from(self.mtu);
        let stamp = self.regulation.handle_sent(self.now, bytes);
        self.flight.push_back((stamp, bytes));
    }

    fn change_mtu(&mut self) {
        let before = self.regulation.window();
        self.mtu = 1_200 + self.rng.below(8_000) as u16;
        self.regulation.set_mtu(self.now, self.mtu);
        let after = self.regulation.window();
        assert!(after == before || after == min_window(self.mtu), "{before} became {after} at {}", self.seed_and_step);
    }

    fn move_to_new_path(&mut self) {
        self.regulation.reset_for_new_path(self.now);
        self.now += Duration::from_nanos(1);
        (self.refused_at, self.reduced_at, self.path_since) = (None, None, self.now);
    }

    fn discard(&mut self) {
        self.flight.drain(..).for_each(|(_, bytes)| self.regulation.handle_discarded(bytes));
    }
}
