//! A guest as a congestion controller.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tng_base::Instant;
use tng_congestion::{
    AckSample, Controller, LossCause, LossSample, MAX_WINDOW, NewReno, PathState, SendStamp, SlowStart, initial_window,
    min_window,
};
use tng_stp_abi::{Sample, SampleEvent, Window};

use crate::{Fault, Usage};

/// What runs a controller's code: numbers in, a window and a rate out.
pub trait Advisor: fmt::Debug + Send {
    /// Tells it what happened; answers the window in bytes and the rate in bytes a second that it wants from now on, if
    /// it says so. Both are the guest's word: any number.
    ///
    /// # Errors
    /// See [`Fault`]. It is not called again.
    fn handle(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault>;

    /// What it has used.
    fn usage(&self) -> Usage;
}

/// A controller of the border that is compiled into this program, and called directly.
pub struct NativeAdvisor<C> {
    controller: C,
    calls: u64,
}

impl<C> fmt::Debug for NativeAdvisor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeAdvisor").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<C: tng_stp_abi::Controller> NativeAdvisor<C> {
    /// One for packets of `mtu` bytes.
    pub fn new(mtu: u16) -> NativeAdvisor<C> {
        NativeAdvisor { controller: C::new(mtu.into()), calls: 0 }
    }
}

/// What it was answered in one call.
#[derive(Default)]
struct Answer(Option<(u64, u64)>);

impl Window for Answer {
    fn net_window(&mut self, window: u64, rate: u64) {
        self.0 = Some((window, rate));
    }
}

impl<C: tng_stp_abi::Controller + Send> Advisor for NativeAdvisor<C> {
    fn handle(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault> {
        self.calls += 1;
        let mut answer = Answer::default();
        // Nobody sees again what the panic left: the guest is not called any more.
        catch_unwind(AssertUnwindSafe(|| self.controller.handle(&mut answer, sample)))
            .map_err(|_| Fault::Trapped("panicked".to_owned()))?;
        Ok(answer.0)
    }

    fn usage(&self) -> Usage {
        Usage { calls: self.calls, ..Usage::default() }
    }
}

/// A controller whose window and rate a guest says. It keeps to no rule of controllers but the least window and the
/// largest: [`Policed`](crate::Policed) makes one of it that does.
///
/// A guest that ends is replaced by NewReno, which begins as on a new path. [`Advisors`](crate::Advisors) say so, and
/// keep the guest's account.
#[derive(Debug)]
pub struct Advised {
    /// What people are told that its guest is.
    title: Arc<str>,
    by: By,
    mtu: u16,
    now: Instant,
    /// A loss has been told on this path.
    lost: bool,
}

/// The name of all that guests advise.
const GUEST: &str = "guest";

/// Who says what.
#[derive(Debug)]
enum By {
    Guest {
        advisor: Box<dyn Advisor>,
        window: u64,
        rate: u64,
    },
    /// Why the guest says nothing any more, and who does.
    Stopped {
        fault: Fault,
        instead: NewReno,
    },
}

impl Advised {
    /// One for packets of `mtu` bytes, with a guest that has not been told anything, or what there is of it.
    pub fn new(advisor: Result<Box<dyn Advisor>, Fault>, mtu: u16) -> Advised {
        let by = match advisor {
            Ok(advisor) => By::Guest { advisor, window: initial_window(mtu), rate: 0 },
            Err(fault) => By::Stopped { fault, instead: newreno(mtu) },
        };
        let mut advised = Advised { title: GUEST.into(), by, mtu, now: Instant::ZERO, lost: false };
        advised.tell(SampleEvent::Mtu, &Sample { bytes: mtu.into(), ..Sample::default() });
        advised
    }

    /// The same, and people are told that it is this one.
    #[must_use]
    pub fn entitled(self, title: Arc<str>) -> Advised {
        Advised { title, ..self }
    }

    /// Why its guest was stopped, if it was.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.by {
            By::Guest { .. } => None,
            By::Stopped { fault, .. } => Some(fault),
        }
    }

    /// Tells the guest, if there is one.
    fn tell(&mut self, event: SampleEvent, sample: &Sample) {
        let By::Guest { advisor, window, rate } = &mut self.by else { return };
        let sample = Sample { event: event as u64, now_ns: self.now.as_nanos(), ..*sample };
        match advisor.handle(&sample) {
            Ok(Some(answered)) => (*window, *rate) = answered,
            Ok(None) => {}
            Err(fault) => self.by = By::Stopped { fault, instead: newreno(self.mtu) },
        }
    }

    /// Who does it instead, if the guest does it no more.
    fn instead(&mut self) -> Option<&mut NewReno> {
        match &mut self.by {
            By::Guest { .. } => None,
            By::Stopped { instead, .. } => Some(instead),
        }
    }
}

fn newreno(mtu: u16) -> NewReno {
    NewReno::new(mtu, SlowStart::Standard)
}

fn of_loss(loss: &LossSample) -> Sample {
    let cause = match loss.cause {
        LossCause::Loss => 0,
        LossCause::Ecn => 1,
        LossCause::PersistentCongestion => 2,
        LossCause::Link => 3,
    };
    Sample { bytes: loss.bytes, cause, ..of_stamp(&loss.newest) }
}

fn of_stamp(stamp: &SendStamp) -> Sample {
    Sample {
        sent_ns: stamp.sent_at.as_nanos(),
        first_sent_ns: stamp.first_sent_at.as_nanos(),
        sent_delivered: stamp.delivered,
        sent_delivered_ns: stamp.delivered_at.as_nanos(),
        sent_lost: stamp.lost,
        sent_in_flight: stamp.in_flight,
        app_limited: stamp.app_limited.into(),
        ..Sample::default()
    }
}

/// The same with the path's state.
fn on_path(sample: Sample, path: &PathState) -> Sample {
    let ns = |duration: core::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let known = path.rtt.has_sample();
    let of_rtt = |duration| if known { ns(duration) } else { 0 };
    Sample {
        smoothed_ns: of_rtt(path.rtt.smoothed()),
        variation_ns: of_rtt(path.rtt.var()),
        min_ns: of_rtt(path.rtt.min()),
        latest_ns: of_rtt(path.rtt.latest()),
        in_flight: path.in_flight,
        delivered: path.delivered,
        delivered_ns: path.delivered_at.as_nanos(),
        lost: path.lost,
        rate_bytes: path.rate.map_or(0, |rate| rate.bytes),
        rate_ns: path.rate.map_or(0, |rate| ns(rate.interval)),
        window_limited: path.window_limited.into(),
        ..sample
    }
}

impl Controller for Advised {
    fn name(&self) -> &'static str {
        GUEST
    }

    /// Of a guest that was stopped that of who regulates in its place.
    fn title(&self) -> &str {
        match &self.by {
            By::Guest { .. } => &self.title,
            By::Stopped { instead, .. } => instead.title(),
        }
    }

    fn window(&self) -> u64 {
        match &self.by {
            By::Guest { window, .. } => (*window).clamp(min_window(self.mtu), MAX_WINDOW),
            By::Stopped { instead, .. } => instead.window(),
        }
    }

    fn pacing_rate(&self) -> Option<u64> {
        match &self.by {
            By::Guest { rate, .. } => (*rate > 0).then_some(*rate),
            By::Stopped { instead, .. } => instead.pacing_rate(),
        }
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        self.now = now;
        if let Some(instead) = self.instead() {
            return instead.handle_ack(now, ack, path);
        }
        let rtt_ns = ack.rtt.map_or(0, |rtt| u64::try_from(rtt.latest.as_nanos()).unwrap_or(u64::MAX));
        let sample = Sample { bytes: ack.bytes, rtt_ns, ..of_stamp(&ack.newest) };
        self.tell(SampleEvent::Acked, &on_path(sample, path));
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState) {
        (self.now, self.lost) = (now, true);
        if let Some(instead) = self.instead() {
            return instead.handle_loss(now, loss, path);
        }
        self.tell(SampleEvent::Lost, &on_path(of_loss(loss), path));
    }

    fn handle_spurious(&mut self, now: Instant, late: &LossSample) {
        self.now = now;
        if let Some(instead) = self.instead() {
            return instead.handle_spurious(now, late);
        }
        self.tell(SampleEvent::Spurious, &of_loss(late));
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        if let Some(instead) = self.instead() {
            return instead.set_mtu(mtu);
        }
        self.tell(SampleEvent::Mtu, &Sample { bytes: mtu.into(), ..Sample::default() });
    }

    fn reset(&mut self) {
        self.lost = false;
        if let Some(instead) = self.instead() {
            return instead.reset();
        }
        self.tell(SampleEvent::Reset, &Sample::default());
    }

    fn handle_idle(&mut self, periods: u32) {
        if let Some(instead) = self.instead() {
            return instead.handle_idle(periods);
        }
        self.tell(SampleEvent::Idle, &Sample { bytes: periods.into(), ..Sample::default() });
    }

    fn is_slow_start(&self) -> bool {
        match &self.by {
            By::Guest { .. } => !self.lost,
            By::Stopped { instead, .. } => instead.is_slow_start(),
        }
    }
}

#[cfg(test)]
mod tests {
    use stp_guest_cubic::Cubic;
    use tng_congestion::Choice;
    use tng_congestion::battery::{self, Governed, Round};

    use super::*;
    use crate::{Advisors, Cap, Policed, PolicerConfig};

    const SCRIPT: [Round; 14] = [
        Round::Full,
        Round::Full,
        Round::Full,
        Round::Full,
        Round::Lose(1),
        Round::Full,
        Round::Full,
        Round::Full,
        Round::Full,
        Round::Lose(2),
        Round::Full,
        Round::Full,
        Round::Full,
        Round::Full,
    ];

    fn cubic(mtu: u16) -> Box<dyn Controller> {
        Box::new(Advised::new(Ok(Box::new(NativeAdvisor::<Cubic>::new(mtu))), mtu))
    }

    fn policed(advisor: impl Advisor + 'static, mtu: u16) -> Box<dyn Controller> {
        let config = PolicerConfig { cap: Cap::Equation, segment_max: mtu };
        Box::new(Policed::new(Box::new(Advised::new(Ok(Box::new(advisor)), mtu)), config))
    }

    /// Says what comes into its head.
    #[derive(Debug)]
    struct Babbler(u64);

    impl Advisor for Babbler {
        fn handle(&mut self, _: &Sample) -> Result<Option<(u64, u64)>, Fault> {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = |shift: u64| match self.0 >> shift & 7 {
                0 => 0,
                1 => 1,
                2 => u64::MAX,
                3 => self.0,
                _ => self.0 >> 40,
            };
            Ok((self.0 >> 60 != 0).then_some((number(33), number(47))))
        }

        fn usage(&self) -> Usage {
            Usage::default()
        }
    }

    /// Is stopped after so many samples.
    #[derive(Debug)]
    struct Mortal(u32);

    impl Advisor for Mortal {
        fn handle(&mut self, _: &Sample) -> Result<Option<(u64, u64)>, Fault> {
            self.0 = self.0.checked_sub(1).ok_or(Fault::Cpu)?;
            Ok(None)
        }

        fn usage(&self) -> Usage {
            Usage::default()
        }
    }

    #[test]
    fn a_guest_made_of_a_native_controller_decides_as_that_does() {
        let native = "cubic".parse::<Choice>().expect("it comes with the crate").make(1_200);
        let windows = battery::windows(cubic(1_200), &SCRIPT);
        assert_eq!(windows, battery::windows(native, &SCRIPT));
        assert!(windows.windows(2).any(|two| two[0] > two[1]), "{windows:?}");
    }

    #[test]
    fn whatever_a_guest_says_the_policer_makes_a_controller_of_it() {
        battery::all(&|mtu| policed(NativeAdvisor::<Cubic>::new(mtu), mtu));
        // It keeps to every rule, though nobody can promise that it goes on from anywhere.
        let babbler = |mtu| policed(Babbler(u64::from(mtu)), mtu);
        battery::extremes(&babbler);
        for seed in 0..20 {
            battery::random_operations(&babbler, Governed::ByThePath, seed, 400);
        }
    }

    #[test]
    fn a_guest_that_is_stopped_is_replaced_by_newreno() {
        for samples in [0, 1, 7, 40] {
            battery::all(&|mtu| policed(Mortal(samples), mtu));
        }
        let stopped = Advised::new(Ok(Box::new(Mortal(1))), 1_200);
        assert_eq!(stopped.fault(), None);
        assert_eq!((stopped.name(), stopped.title()), ("guest", "guest"));
        let mut stopped = stopped.entitled("guest-mortal".into());
        assert_eq!(stopped.title(), "guest-mortal");
        stopped.reset();
        assert_eq!((stopped.name(), stopped.title()), ("guest", "newreno"), "who regulates now");
        assert_eq!((stopped.fault(), stopped.window()), (Some(&Fault::Cpu), newreno(1_200).window()));
    }

    #[test]
    fn without_room_for_a_guest_there_is_a_controller_all_the_same() {
        let advised = Advised::new(Err(Fault::NoRoom), 1_200);
        assert_eq!((advised.fault(), advised.window()), (Some(&Fault::NoRoom), newreno(1_200).window()));
    }

    #[test]
    fn a_guest_that_is_chosen_is_policed() {
        let make = |mtu| -> Result<Box<dyn Advisor>, Fault> { Ok(Box::new(NativeAdvisor::<Cubic>::new(mtu))) };
        let choice = Advisors::new("cubic", Cap::Equation, make, |_| ()).choice();
        assert_eq!(choice.name(), "guest-cubic");
        // The equation stays below the window of CUBIC on a fast path with few losses.
        let script: Vec<Round> = SCRIPT.iter().cycle().take(200).copied().collect();
        let (held, free) = (battery::windows(choice.make(1_200), &script), battery::windows(cubic(1_200), &script));
        assert!(held.iter().sum::<u64>() < free.iter().sum(), "{held:?} {free:?}");
    }
}
