//! A native controller behind the policer.

use tng_base::Instant;
use tng_congestion::{
    AckSample, Choice, Controller, LossCause, LossSample, MAX_WINDOW, MIN_PACED_RTT, PathState, SendStamp, Share,
    initial_window, min_window,
};

use crate::policer::{Cap, Lost, Policer, PolicerConfig, Proven, SEGMENT_ADDED, State};

/// Another controller, held to what a [`Policer`] would let leave: no more is in flight than may leave in a round trip,
/// and nothing leaves faster than the cap. What the policer would take from proofs, it takes here from acknowledgments,
/// which are this host's own word.
#[derive(Debug)]
pub struct Policed {
    inner: Box<dyn Controller>,
    policer: Policer,
    mtu: u16,
    window: u64,
    /// What the pacer would make of the window, in bytes per second.
    derived: Option<u64>,
    /// Bytes sent on the path, as the last stamp has them.
    position: u64,
    /// The last time that a loss reduced the window.
    reduced_at: Option<Instant>,
    now: Instant,
}

impl Policed {
    /// `inner`, fresh and for packets of `config.segment_max` bytes.
    pub fn new(inner: Box<dyn Controller>, config: PolicerConfig) -> Policed {
        let now = Instant::ZERO;
        Policed {
            window: inner.window().min(initial_window(config.segment_max)),
            inner,
            policer: Policer::new(config, now),
            mtu: config.segment_max,
            derived: None,
            position: 0,
            reduced_at: None,
            now,
        }
    }

    /// A choice of a controller, held to what TCP would have: `policed-NAME`. For a controller of this host that is the
    /// larger of the equation and CUBIC, which is what others of it have.
    pub fn choice(inner: Choice) -> Choice {
        let name = format!("policed-{inner}");
        Choice::of(&name, move |mtu| {
            let config = PolicerConfig { cap: Cap::EquationOrCubic, segment_max: mtu };
            Box::new(Policed::new(inner.make(mtu), config))
        })
    }

    /// The policer.
    pub fn policer(&self) -> &Policer {
        &self.policer
    }

    fn packet(&self) -> u64 {
        u64::from(self.mtu).max(1)
    }

    /// What counts for `bytes` of packets.
    fn added(&self, bytes: u64) -> u64 {
        scaled(bytes, self.packet() + SEGMENT_ADDED, self.packet())
    }

    /// Bytes of packets that count as `bytes`.
    fn bare(&self, bytes: u64) -> u64 {
        scaled(bytes, self.packet(), self.packet() + SEGMENT_ADDED)
    }

    /// What may be in flight. Before the first loss the window grows by what is acknowledged, and that is the rule.
    fn target(&self) -> u64 {
        let held = match self.policer.state() {
            State::Init | State::SlowStart => u64::MAX,
            State::SteadyState => self.bare(self.policer.limit()),
        };
        self.inner.window().min(held).clamp(min_window(self.mtu), MAX_WINDOW)
    }

    fn sent_before_reduction(&self, sent_at: Instant) -> bool {
        self.reduced_at.is_some_and(|reduced| sent_at <= reduced)
    }

    fn set_derived(&mut self, path: &PathState) {
        let rtt = path.rtt.smoothed();
        let quarters = if self.is_slow_start() { 8 } else { 5 };
        self.derived = (path.rtt.has_sample() && rtt >= MIN_PACED_RTT).then(|| {
            scaled(self.window, quarters * 250_000_000, u64::try_from(rtt.as_nanos()).unwrap_or(u64::MAX).max(1))
        });
    }
}

/// Bytes sent on the path when the packet with that stamp had left.
fn position(stamp: &SendStamp) -> u64 {
    stamp.delivered.saturating_add(stamp.lost).saturating_add(stamp.in_flight)
}

fn scaled(bytes: u64, times: u64, over: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(times) / u128::from(over)).unwrap_or(u64::MAX)
}

impl Controller for Policed {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn title(&self) -> &str {
        self.inner.title()
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<u64> {
        let rate = self.inner.pacing_rate().or(self.derived)?;
        Some(rate.min(self.bare(self.policer.pace())).max(1))
    }

    fn handle_sent(&mut self, now: Instant, stamp: &SendStamp) {
        self.now = now;
        // The stamp is that of the first packet of several: the others show with the next one.
        let position = position(stamp);
        let bytes = position.saturating_sub(self.position);
        self.position = self.position.max(position);
        self.policer.handle_train_sent(now, bytes.div_ceil(self.packet()), bytes);
        self.inner.handle_sent(now, stamp);
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        self.now = now;
        let delay = ack.rtt.map(|sample| sample.ack_delay).unwrap_or_default();
        self.policer.handle_proven(
            now,
            Proven {
                bytes: self.added(ack.bytes),
                newest_sent_at: ack.newest.sent_at,
                position: self.added(position(&ack.newest)),
                rtt: ack.rtt.map(|sample| sample.latest),
                delay,
            },
        );
        self.inner.handle_ack(now, ack, path);
        let may_grow = path.window_limited && !self.sent_before_reduction(ack.newest.sent_at);
        let most = if may_grow { self.window.saturating_add(ack.bytes) } else { self.window };
        self.window = self.target().min(most);
        self.set_derived(path);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState) {
        self.now = now;
        let (sent_at, at) = (loss.newest.sent_at, position(&loss.newest));
        self.policer.handle_lost(now, Lost { bytes: self.added(loss.bytes), sent_at, position: self.added(at) });
        if loss.cause == LossCause::PersistentCongestion {
            self.policer.handle_silence(now);
        }
        self.inner.handle_loss(now, loss, path);
        let reduced = if loss.cause == LossCause::PersistentCongestion {
            self.window.min(min_window(self.mtu))
        } else if self.sent_before_reduction(sent_at) {
            self.window
        } else {
            self.target().min(self.window)
        };
        if reduced < self.window {
            (self.window, self.reduced_at) = (reduced, Some(now));
        }
        self.set_derived(path);
    }

    fn handle_spurious(&mut self, now: Instant, late: &LossSample) {
        self.now = now;
        if self.policer.event_at().is_some_and(|event_at| late.newest.sent_at >= event_at) {
            self.policer.handle_spurious(now, self.added(late.bytes));
        }
        let before = self.inner.window();
        self.inner.handle_spurious(now, late);
        if self.inner.window() > before {
            (self.window, self.reduced_at) = (self.target().max(self.window), None);
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.policer.set_segment_max(mtu);
        self.inner.set_mtu(mtu);
        self.window = self.window.max(min_window(mtu));
    }

    /// Another path: the policer keeps what it knows of losses.
    fn reset(&mut self) {
        self.inner.reset();
        self.policer.handle_path(self.now);
        (self.window, self.derived, self.reduced_at) = (self.inner.window().min(initial_window(self.mtu)), None, None);
    }

    fn handle_idle(&mut self, periods: u32) {
        self.inner.handle_idle(periods);
        self.window = self.window.min(self.inner.window());
    }

    fn set_share(&mut self, share: Share) {
        self.inner.set_share(share);
    }

    fn is_slow_start(&self) -> bool {
        self.inner.is_slow_start()
    }

    fn ssthresh(&self) -> Option<u64> {
        self.inner.ssthresh()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_congestion::battery::{self, Round, Trace};

    fn policed(name: &str, cap: Cap, mtu: u16) -> Box<dyn Controller> {
        let inner = name.parse::<Choice>().expect("it comes with the crate").make(mtu);
        Box::new(Policed::new(inner, PolicerConfig { cap, segment_max: mtu }))
    }

    #[test]
    fn it_is_a_controller_like_any_other() {
        for name in ["newreno", "cubic", "vegas", "unlimited"] {
            for cap in [Cap::Equation, Cap::EquationOrCubic] {
                battery::all(&|mtu| policed(name, cap, mtu));
            }
        }
    }

    #[test]
    fn without_losses_it_does_what_the_other_does() {
        let plain = "newreno".parse::<Choice>().expect("it comes with the crate").make(1_200);
        let windows = |controller| battery::windows(controller, &[Round::Full; 6]);
        assert_eq!(windows(policed("newreno", Cap::Equation, 1_200)), windows(plain));
    }

    #[test]
    fn a_choice_of_one_has_a_name_of_its_own_parameters_and_all() {
        let fixed = "fixed:20mbit,500kB".parse::<Choice>().expect("it comes with the crate");
        let policed = Policed::choice(fixed.clone());
        assert_eq!((policed.name(), policed.make(1_200).name()), ("policed-fixed:20mbit,500kB", "fixed"));
        assert_ne!(policed, fixed);
    }

    #[test]
    fn one_without_a_window_is_held_to_the_cap() {
        let rtt = core::time::Duration::from_millis(50);
        let mut trace = Trace::new(policed("unlimited", Cap::Equation, 1_200), 1_200, rtt);
        trace.play_all(&[Round::Full; 4]);
        assert!(trace.window() > 100 * 1_200, "it doubles");
        for _ in 0..40 {
            trace.play_all(&[Round::Full, Round::Full, Round::Full, Round::Lose(1)]);
        }
        // Where a loss in four round trips is as often as it would be for TCP: (4 W)^(1/2) is near W.
        assert!((4 * 1_200..16 * 1_200).contains(&trace.window()), "{}", trace.window());
        // Control: nothing holds it back.
        let mut free = Trace::new("unlimited".parse::<Choice>().expect("it is there").make(1_200), 1_200, rtt);
        free.play(Round::Lose(1));
        assert_eq!(free.window(), u64::MAX);
    }
}
