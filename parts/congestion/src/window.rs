//! What window-based controllers have in common: slow start × growth, one reduction per round trip, collapse and undo.

use tng_base::Instant;

use crate::slow_start::SlowStart;
use crate::{AckSample, Controller, LossCause, LossSample, PathState, SendStamp, initial_window, min_window};

/// No window grows beyond this many bytes.
pub const MAX_WINDOW: u64 = 1 << 62;

/// How a window grows once slow start is over, and what a reduction leaves of it. A plain value: to take a reduction
/// back, the value from before is put in its place.
pub trait Growth: core::fmt::Debug + Copy + Default + Send + 'static {
    /// The controller's name in the registry.
    const NAME: &'static str;

    /// The window after `acked` of `ack`'s bytes were acknowledged which left while `window` was the limit. At least
    /// `window`.
    fn grow(&mut self, window: u64, mtu: u16, acked: u64, now: Instant, ack: &AckSample, path: &PathState) -> u64;

    /// The window after a reduction; the caller keeps it at the minimum or above.
    fn reduce(&mut self, window: u64) -> u64;

    /// The same if packets were marked in congestion avoidance, and none lost: such as a loss, unless the controller
    /// says otherwise.
    fn reduce_marked(&mut self, window: u64) -> u64 {
        self.reduce(window)
    }

    /// The window collapsed to the minimum and will come back through slow start.
    fn handle_collapse(&mut self) {}

    /// The packet size changed.
    fn handle_mtu(&mut self) {}
}

/// A controller made of a slow start and a growth.
///
/// Differences to RFC 9002 appendix B: growth and the part of an acknowledgment that passes `ssthresh` are counted in
/// bytes with nothing lost to rounding; and a collapse starts a recovery period like any reduction, so that losses
/// found later among the packets sent before it do not take away `ssthresh` too.
#[derive(Clone, Debug)]
pub struct Window<G: Growth> {
    mtu: u16,
    slow_start: SlowStart,
    state: State<G>,
    /// The last reduction; what was sent before it is part of the same event.
    recovery: Option<Recovery<G>>,
}

#[derive(Clone, Copy, Debug)]
struct State<G> {
    window: u64,
    ssthresh: Option<u64>,
    growth: G,
}

#[derive(Clone, Debug)]
struct Recovery<G> {
    start: Instant,
    /// In a box: most flows lose nothing for most of the time.
    undo: Option<Box<Undo<G>>>,
}

/// What it takes to take a reduction back (RFC 9438 section 4.9).
#[derive(Clone, Copy, Debug)]
struct Undo<G> {
    before: State<G>,
    /// Start of the recovery period before this one.
    previous_start: Option<Instant>,
    /// Bytes lost in this event that have not arrived after all.
    lost: u64,
}

/// One step of a window that a model of the path sets: down to `target` at once, up by no more than the `acked` bytes,
/// and that only if it may grow.
pub(crate) fn follow(window: u64, target: u64, acked: u64, may_grow: bool) -> u64 {
    let raised = if may_grow { window.saturating_add(acked) } else { window };
    raised.min(target)
}

/// The window and `ssthresh` after `periods` timeouts in which nothing was sent (RFC 2861, as Linux has it: the window
/// halves with each down to the initial one, and three quarters of it are kept as the limit of slow start).
pub(crate) fn after_idle(window: u64, ssthresh: Option<u64>, mtu: u16, periods: u32) -> (u64, Option<u64>) {
    let restart = initial_window(mtu).min(window);
    let decayed = window.checked_shr(periods).unwrap_or(0).max(restart);
    let kept = ssthresh.map(|ssthresh| ssthresh.max(window / 4 * 3));
    (decayed, if decayed < window { kept } else { ssthresh })
}

impl<G: Growth> Window<G> {
    /// A fresh one for packets of `mtu` bytes.
    pub fn new(mtu: u16, slow_start: SlowStart) -> Window<G> {
        let state = State { window: initial_window(mtu), ssthresh: None, growth: G::default() };
        Window { mtu, slow_start, state, recovery: None }
    }

    fn sent_before_recovery(&self, sent_at: Instant) -> bool {
        self.recovery.as_ref().is_some_and(|recovery| sent_at <= recovery.start)
    }
}

impl<G: Growth> Controller for Window<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn window(&self) -> u64 {
        self.state.window
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        if !path.window_limited || self.sent_before_recovery(ack.newest.sent_at) {
            return;
        }
        let State { window, ssthresh, growth } = &mut self.state;
        let limit = window.saturating_add(ack.bytes).min(MAX_WINDOW);
        *window = match *ssthresh {
            None => {
                let step = self.slow_start.handle_ack(now, ack, self.mtu);
                let grown = window.saturating_add(step.grow);
                if step.leave {
                    *ssthresh = Some(grown);
                }
                grown
            }
            Some(ssthresh) if limit <= ssthresh => window.saturating_add(self.slow_start.counted(ack.bytes, self.mtu)),
            Some(ssthresh) => {
                let start = (*window).max(ssthresh);
                growth.grow(start, self.mtu, limit - start, now, ack, path)
            }
        }
        .clamp(*window, limit);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, _path: &PathState) {
        let undoable = loss.cause == LossCause::Loss;
        if !self.sent_before_recovery(loss.newest.sent_at) {
            let previous_start = self.recovery.as_ref().map(|recovery| recovery.start);
            let undo = Undo { before: self.state, previous_start, lost: loss.bytes };
            self.recovery = Some(Recovery { start: now, undo: undoable.then(|| Box::new(undo)) });
            // Slow start has overshot by as much as it had, whatever says so.
            let lesser = loss.cause == LossCause::Ecn && !self.is_slow_start();
            let State { window, growth, .. } = &mut self.state;
            let reduced = if lesser { growth.reduce_marked(*window) } else { growth.reduce(*window) };
            let reduced = reduced.max(min_window(self.mtu));
            (self.state.window, self.state.ssthresh) = (reduced, Some(reduced));
        } else if let Some(recovery) = &mut self.recovery {
            recovery.undo.take_if(|_| !undoable);
            if let Some(undo) = &mut recovery.undo {
                undo.lost = undo.lost.saturating_add(loss.bytes);
            }
        }
        if loss.cause == LossCause::PersistentCongestion {
            self.recovery = Some(Recovery { start: now, undo: None });
            self.state.window = min_window(self.mtu);
            self.state.growth.handle_collapse();
        }
    }

    fn handle_spurious(&mut self, _now: Instant, late: &LossSample) {
        let Some(Recovery { start, undo: Some(undo) }) = &mut self.recovery else { return };
        let sent_at = late.newest.sent_at;
        if sent_at > *start || undo.previous_start.is_some_and(|previous| sent_at <= previous) {
            return;
        }
        undo.lost = undo.lost.saturating_sub(late.bytes);
        if undo.lost == 0 {
            let window = undo.before.window.max(self.state.window);
            self.state = State { window, ..undo.before };
            let previous_start = undo.previous_start;
            self.recovery = previous_start.map(|start| Recovery { start, undo: None });
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.state.window = self.state.window.max(min_window(mtu));
        self.state.growth.handle_mtu();
    }

    fn reset(&mut self) {
        self.slow_start.reset();
        *self = Window::new(self.mtu, self.slow_start);
    }

    fn handle_idle(&mut self, periods: u32) {
        let State { window, ssthresh, growth } = &mut self.state;
        (*window, *ssthresh) = after_idle(*window, *ssthresh, self.mtu, periods);
        // A curve over time does not run while nothing is sent.
        growth.handle_mtu();
    }

    fn handle_silence(&mut self, _now: Instant, newest: &SendStamp, _path: &PathState) {
        // As after so long an idleness that nothing of the window is left but where slow start ends.
        self.handle_idle(u32::MAX);
        self.recovery = Some(Recovery { start: newest.sent_at, undo: None });
        self.state.growth.handle_collapse();
    }

    fn is_slow_start(&self) -> bool {
        self.state.ssthresh.is_none_or(|ssthresh| self.state.window < ssthresh)
    }

    fn ssthresh(&self) -> Option<u64> {
        self.state.ssthresh
    }
}
