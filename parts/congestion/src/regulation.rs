//! What the channels of one path share.

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{mul_div, nanos};
use crate::rtt::INITIAL_RTT;
use crate::{
    AckSample, Controller, DeliveryRate, LossCause, LossSample, Pacer, PathState, RttEstimator, SendStamp, Share,
    initial_window,
};

/// Below this smoothed RTT nothing is paced, unless the controller sets a rate of its own: a timer would be coarser
/// than the round trip.
pub const MIN_PACED_RTT: Duration = Duration::from_millis(1);

/// Settings of a [`Regulation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegulationConfig {
    /// Largest packet, in bytes of UDP payload.
    pub mtu: u16,
    /// RTT before the first sample.
    pub initial_rtt: Duration,
    /// Whether packets are spread over the round trip. Off, the window alone decides.
    pub pacing: bool,
}

impl Default for RegulationConfig {
    fn default() -> RegulationConfig {
        RegulationConfig { mtu: 1_200, initial_rtt: INITIAL_RTT, pacing: true }
    }
}

/// Whether a packet may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// Now.
    Now,
    /// When the pacer releases the next batch.
    At(Instant),
    /// When something in flight is acknowledged or lost.
    Blocked,
}

/// Whose turn it is to send, among the channels that share a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nobody else waits.
    Free,
    /// That of the channel that asks; others wait.
    Own {
        /// Packets that may still leave in it.
        left: usize,
    },
    /// That of another.
    Others,
    /// A policer of its own holds the channel that asks: it is in the books, and the window does not hold it back.
    Policed,
}

impl Turn {
    /// Whether the channel that asks may send nothing more before its next one.
    fn is_over(self) -> bool {
        matches!(self, Turn::Others | Turn::Own { left: 0 })
    }
}

/// A [`Regulation`]'s figures at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegulationStats {
    /// Name of the controller.
    pub controller: &'static str,
    /// Congestion window in bytes; `u64::MAX` if unlimited.
    pub window: u64,
    /// Where slow start ends, in bytes, if known.
    pub ssthresh: Option<u64>,
    /// Whether the window is in slow start.
    pub slow_start: bool,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
    /// Bytes lost so far, to queues and on links.
    pub lost: u64,
    /// How often loss or marks reduced the window.
    pub reductions: u64,
    /// How often a reduction was taken back because nothing had been lost.
    pub undone: u64,
    /// Pacing rate in bytes per second, if paced.
    pub pacing_rate: Option<u64>,
    /// The latest delivery rate.
    pub delivery_rate: Option<DeliveryRate>,
    /// Round-trip times.
    pub rtt: RttEstimator,
}

/// One controller, one RTT estimator, one pacer, and the bytes in flight. Channels between the same two hosts on the
/// same path share one; its ledger is exact as long as each packet given to [`handle_sent`](Self::handle_sent) comes
/// back once: in an [`AckSample`], a [`LossSample`], or [`handle_discarded`](Self::handle_discarded).
#[derive(Debug)]
pub struct Regulation {
    controller: Box<dyn Controller>,
    pacer: Pacer,
    pacing: bool,
    mtu: u16,
    path: PathState,
    /// The last time that the window or the pacer stopped a sender.
    limited_at: Option<Instant>,
    /// While deliveries are at most this many bytes, packets leave on a path that the application did not keep full.
    app_limited_until: Option<u64>,
    /// Packets sent before belong to another path; they are accounted for, but say nothing about this one.
    path_since: Instant,
    /// Of those who share the path, who may send.
    turn: Turn,
    /// Bytes that the channel whose turn it is may send, whatever channels that police themselves have in flight.
    reserve: u64,
    /// The window is not less than this: what a channel that begins anew may send where nobody is heard of.
    floor: u64,
    /// Send time of the most recently sent packet that is known to have arrived.
    newest_arrived: Instant,
    /// Bytes that a link has reported as lost to corruption.
    corrupted: u64,
    reductions: u64,
    undone: u64,
    /// Bytes that have left since the last time that somebody was to be told at once.
    unasked: u64,
    /// What carries the packets takes no more for now.
    held: bool,
}

impl Regulation {
    /// A regulation that `controller`, fresh and for the same MTU, governs.
    pub fn new(controller: Box<dyn Controller>, config: RegulationConfig) -> Regulation {
        let mut regulation = Regulation {
            controller,
            pacer: Pacer::new(config.mtu),
            pacing: config.pacing,
            mtu: config.mtu,
            path: PathState {
                rtt: RttEstimator::new(config.initial_rtt),
                in_flight: 0,
                delivered: 0,
                delivered_at: Instant::ZERO,
                lost: 0,
                first_sent_at: Instant::ZERO,
                rate: None,
                window_limited: false,
            },
            limited_at: None,
            app_limited_until: None,
            path_since: Instant::ZERO,
            turn: Turn::Free,
            reserve: 0,
            floor: 0,
            newest_arrived: Instant::ZERO,
            corrupted: 0,
            reductions: 0,
            undone: 0,
            unasked: 0,
            held: false,
        };
        regulation.set_pace(Instant::ZERO);
        regulation
    }

    /// Whether a packet of `bytes`, at most one MTU, may leave now. Ask when there is one to send: a refusal is taken
    /// as the sign that the window, and not the application, is the limit. Probes (RFC 9002 section 7.5) need not ask.
    pub fn permission(&mut self, now: Instant, bytes: u64) -> Permission {
        if self.held {
            return Permission::Blocked;
        }
        if self.turn == Turn::Policed {
            return Permission::Now;
        }
        let window = self.window();
        if self.turn.is_over() {
            // Somebody waits for the window, or for the pacer.
            if self.path.in_flight >= window / 2 {
                self.limited_at = Some(now);
            }
            return Permission::Blocked;
        }
        if self.path.in_flight.saturating_add(bytes) > window {
            self.limited_at = Some(now);
            return if bytes <= self.reserve { Permission::Now } else { Permission::Blocked };
        }
        match self.pacer.release(now, bytes) {
            Ok(()) => Permission::Now,
            // Those who police themselves have used up what it gives.
            Err(_) if bytes <= self.reserve => Permission::Now,
            Err(at) => {
                // The pacer also spreads the bursts of a sender that never fills its window; that must not make it
                // grow.
                if self.path.in_flight >= window / 2 {
                    self.limited_at = Some(now);
                }
                Permission::At(at)
            }
        }
    }

    /// Whose turn it is from now on: what is asked next is asked by one of several who share the path.
    pub fn set_turn(&mut self, turn: Turn) {
        (self.turn, self.reserve) = (turn, 0);
    }

    /// Whose turn it is may send so many bytes though the window is full: what fills it is of those who police
    /// themselves, and this is what is left of its own part.
    pub fn set_reserve(&mut self, bytes: u64) {
        self.reserve = bytes;
    }

    /// What carries the packets takes no more from now on, or more again: a byte stream with a congestion control of
    /// its own, whose sender's buffer is full.
    pub fn set_held(&mut self, held: bool) {
        self.held = held;
    }

    /// Whether that is what refuses packets now.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Whether it is whose turn it is that refuses a packet now, or the window.
    pub fn is_refusing(&self) -> bool {
        self.held || self.turn != Turn::Policed && (self.turn.is_over() || !self.has_room())
    }

    /// Whether others who share the path wait for what the sender whose turn it is has under way.
    pub fn is_contended(&self) -> bool {
        matches!(self.turn, Turn::Own { .. })
    }

    /// Whether a peer that acknowledges seldom must do it at once, with the last of `bytes` that leave now: four times
    /// in a window, or when others wait.
    pub fn asks(&mut self, bytes: u64) -> bool {
        self.unasked = self.unasked.saturating_add(bytes);
        let asks = self.is_contended() || self.unasked >= self.window() / 4;
        if asks {
            self.unasked = 0;
        }
        asks
    }

    /// Whether the window has room for one more packet.
    pub fn has_room(&self) -> bool {
        !self.held && self.path.in_flight.saturating_add(u64::from(self.mtu)) <= self.window()
    }

    /// How many bytes may leave now, for a sender that builds a whole batch of full packets; 0 if not one full packet
    /// may. Like [`permission`](Self::permission), ask when there is something to send. With unlimited control
    /// `u64::MAX`.
    pub fn budget(&mut self, now: Instant) -> u64 {
        match self.permission(now, u64::from(self.mtu)) {
            Permission::Now => (self.window().saturating_sub(self.path.in_flight)).min(self.pacer.credit()),
            Permission::At(_) | Permission::Blocked => 0,
        }
    }

    /// How many packets of `bytes` each, at most one MTU, may leave now; otherwise as [`permission`](Self::permission),
    /// which says more if the answer is 0.
    pub fn permitted(&mut self, now: Instant, bytes: u64) -> u64 {
        if self.permission(now, bytes) != Permission::Now {
            return 0;
        }
        if self.turn == Turn::Policed {
            return u64::MAX;
        }
        let room = self.window().saturating_sub(self.path.in_flight).min(self.pacer.credit()).max(self.reserve);
        let turn = if let Turn::Own { left } = self.turn { left as u64 } else { u64::MAX };
        (room / bytes.max(1)).max(1).min(turn)
    }

    /// A packet of `bytes` left and counts as in flight. The stamp goes with it.
    pub fn handle_sent(&mut self, now: Instant, bytes: u64) -> SendStamp {
        self.handle_train_sent(now, 1, (bytes, bytes))
    }

    /// Packets left together and count as in flight: the first, of `first` bytes, and others, `all` bytes with it. The
    /// stamp goes with the first; those of the others differ in what is in flight alone.
    pub fn handle_train_sent(&mut self, now: Instant, packets: usize, (first, all): (u64, u64)) -> SendStamp {
        let path = &mut self.path;
        let idle = path.in_flight == 0;
        if idle {
            (path.first_sent_at, path.delivered_at) = (now, now);
        }
        let in_flight = path.in_flight.saturating_add(first);
        path.in_flight = path.in_flight.saturating_add(all);
        self.pacer.handle_sent(now, all);
        self.reserve = self.reserve.saturating_sub(all);
        if let Turn::Own { left } = &mut self.turn {
            *left = left.saturating_sub(packets);
        }
        let stamp = SendStamp {
            sent_at: now,
            first_sent_at: path.first_sent_at,
            delivered: path.delivered,
            delivered_at: path.delivered_at,
            lost: path.lost,
            in_flight,
            app_limited: self.app_limited_until.is_some(),
        };
        self.controller.handle_sent(now, &stamp);
        if idle {
            self.set_pace(now);
        }
        stamp
    }

    /// Packets were acknowledged.
    pub fn handle_ack(&mut self, now: Instant, ack: &AckSample) {
        self.leave(ack.bytes);
        self.deliver(now, ack.bytes);
        self.newest_arrived = self.newest_arrived.max(ack.newest.sent_at);
        if ack.newest.sent_at < self.path_since {
            return;
        }
        let path = &mut self.path;
        if let Some(sample) = ack.rtt {
            path.rtt.handle_sample(now, sample);
        }
        path.rate = rate(path, &ack.newest);
        path.first_sent_at = path.first_sent_at.max(ack.newest.sent_at);
        path.window_limited = self.limited_at.is_some_and(|at| ack.newest.sent_at <= at);
        self.controller.handle_ack(now, ack, path);
        if self.controller.window() >= self.floor {
            self.floor = 0;
        }
        self.set_pace(now);
    }

    /// Packets were lost or marked.
    pub fn handle_loss(&mut self, now: Instant, loss: &LossSample) {
        self.leave(loss.bytes);
        let lost = if loss.cause == LossCause::Link { &mut self.corrupted } else { &mut self.path.lost };
        *lost = lost.saturating_add(loss.bytes);
        if loss.newest.sent_at < self.path_since {
            return;
        }
        if loss.cause == LossCause::PersistentCongestion {
            self.path.rtt.forget_min();
        }
        self.floor = 0;
        let before = self.controller.window();
        self.controller.handle_loss(now, loss, &self.path);
        self.reductions += u64::from(self.controller.window() < before);
        self.set_pace(now);
    }

    /// Packets that were reported lost were acknowledged after all. `late` describes them like the loss sample did, but
    /// that [`LossCause::PersistentCongestion`] need not be told from [`LossCause::Loss`]. A controller may take its
    /// reduction back, but not for what the link was said to have lost: that is the receiver's word twice.
    pub fn handle_spurious(&mut self, now: Instant, late: &LossSample) {
        let on_link = late.cause == LossCause::Link;
        let lost = if on_link { &mut self.corrupted } else { &mut self.path.lost };
        *lost = lost.saturating_sub(late.bytes);
        self.deliver(now, late.bytes);
        if on_link || late.newest.sent_at < self.path_since {
            return;
        }
        let before = self.controller.window();
        self.controller.handle_spurious(now, late);
        self.undone += u64::from(self.controller.window() > before);
        self.set_pace(now);
    }

    /// Packets left the books without a verdict (their channel ended, moved to another path, or is silent).
    pub fn handle_discarded(&mut self, bytes: u64) {
        self.leave(bytes);
    }

    /// Packets are in the books again: the channel that sent them is heard of.
    pub fn handle_returned(&mut self, bytes: u64) {
        self.path.in_flight = self.path.in_flight.saturating_add(bytes);
    }

    /// A channel's probes go unanswered, and nothing arrives that left on the path later; it sent its `newest` packet
    /// last. All of that may be lost, and nothing else says what the path carries now: the channels that share it begin
    /// as on a new path, and no more leaves than that.
    pub fn handle_silence(&mut self, now: Instant, newest: SendStamp) {
        let before = self.window();
        self.controller.handle_silence(now, &newest, &self.path);
        self.reductions += u64::from(self.controller.window() < before);
        self.floor = initial_window(self.mtu).min(before);
        self.set_pace(now);
    }

    /// The sender could send more, but has nothing to send. Samples of the delivery rate are marked until what is in
    /// flight now has been delivered. (The window does not grow then either, but that is known without this call.)
    /// While others who share the path wait, it is not the application that limits it.
    pub fn handle_app_limited(&mut self) {
        if self.turn == Turn::Free && self.has_room() {
            self.app_limited_until = Some(self.path.delivered.saturating_add(self.path.in_flight));
        }
    }

    /// Nothing was sent for so many retransmission timeouts, with nothing in flight.
    pub fn handle_idle(&mut self, now: Instant, periods: u32) {
        self.controller.handle_idle(periods);
        self.set_pace(now);
    }

    /// The owner of a leased link gives this part of it to the path's flow. Only a controller like
    /// [`Fixed`](crate::Fixed) cares.
    pub fn set_share(&mut self, now: Instant, share: Share) {
        self.controller.set_share(share);
        self.set_pace(now);
    }

    /// Packets now have at most `mtu` bytes.
    pub fn set_mtu(&mut self, now: Instant, mtu: u16) {
        self.mtu = mtu;
        self.controller.set_mtu(mtu);
        self.pacer.set_mtu(mtu);
        self.set_pace(now);
    }

    /// The path is a new one: initial window, initial RTT (RFC 9000 section 9.4). What is still in flight stays in the
    /// books until its fate is known, but says nothing about the new path.
    pub fn reset_for_new_path(&mut self, now: Instant) {
        self.controller.reset();
        self.pacer = Pacer::new(self.mtu);
        self.path.rtt.reset();
        self.path.rate = None;
        self.app_limited_until = None;
        self.floor = 0;
        self.path_since = now;
        self.set_pace(now);
    }

    /// Another controller, fresh and for the same MTU, governs from now on: from its initial window, with what is known
    /// of the path. What is in flight stays in the books, and says nothing to the new one.
    pub fn set_controller(&mut self, now: Instant, controller: Box<dyn Controller>) {
        self.controller = controller;
        self.pacer = Pacer::new(self.mtu);
        self.app_limited_until = None;
        self.floor = 0;
        self.path_since = now;
        self.set_pace(now);
    }

    /// Round-trip times.
    pub fn rtt(&self) -> &RttEstimator {
        &self.path.rtt
    }

    /// Send time of the most recently sent packet that is known to have arrived.
    pub fn newest_arrived(&self) -> Instant {
        self.newest_arrived
    }

    /// Something has arrived that is in no books and left then.
    pub fn note_arrived(&mut self, sent_at: Instant) {
        self.newest_arrived = self.newest_arrived.max(sent_at);
    }

    /// Congestion window in bytes; `u64::MAX` if unlimited.
    pub fn window(&self) -> u64 {
        self.controller.window().max(self.floor)
    }

    /// Bytes in flight.
    pub fn in_flight(&self) -> u64 {
        self.path.in_flight
    }

    /// Largest packet, in bytes of UDP payload.
    pub fn mtu(&self) -> u16 {
        self.mtu
    }

    /// Name of the controller.
    pub fn controller_name(&self) -> &'static str {
        self.controller.name()
    }

    /// What people are told that the controller is.
    pub fn controller_title(&self) -> &str {
        self.controller.title()
    }

    /// All figures.
    pub fn stats(&self) -> RegulationStats {
        RegulationStats {
            controller: self.controller.name(),
            window: self.window(),
            ssthresh: self.controller.ssthresh(),
            slow_start: self.controller.is_slow_start(),
            in_flight: self.path.in_flight,
            delivered: self.path.delivered,
            lost: self.path.lost.saturating_add(self.corrupted),
            reductions: self.reductions,
            undone: self.undone,
            pacing_rate: self.pacer.rate(),
            delivery_rate: self.path.rate,
            rtt: self.path.rtt,
        }
    }

    fn leave(&mut self, bytes: u64) {
        debug_assert!(bytes <= self.path.in_flight, "{bytes} bytes leave, {} are in flight", self.path.in_flight);
        self.path.in_flight = self.path.in_flight.saturating_sub(bytes);
    }

    fn deliver(&mut self, now: Instant, bytes: u64) {
        self.path.delivered = self.path.delivered.saturating_add(bytes);
        self.path.delivered_at = now;
        if self.app_limited_until.is_some_and(|until| self.path.delivered > until) {
            self.app_limited_until = None;
        }
    }

    fn set_pace(&mut self, now: Instant) {
        let rtt = &self.path.rtt;
        let (srtt, window) = (rtt.smoothed(), self.window());
        let derived = || {
            // Twice the window per round trip in slow start, else five quarters of it.
            let quarters = if self.controller.is_slow_start() { 8 } else { 5 };
            (srtt >= MIN_PACED_RTT).then(|| mul_div(window, quarters * 1_000_000_000, nanos(srtt).saturating_mul(4)))
        };
        let paced = self.pacing && window != u64::MAX;
        let rate = if paced { self.controller.pacing_rate().or_else(derived) } else { None };
        self.pacer.set_rate(now, rate, srtt);
    }
}

/// The sample of the delivery rate that an acknowledgment of the packet with this stamp gives, unless the interval is
/// shorter than any round trip and so says nothing.
fn rate(path: &PathState, newest: &SendStamp) -> Option<DeliveryRate> {
    let sending = newest.sent_at.since(newest.first_sent_at);
    let delivering = path.delivered_at.since(newest.delivered_at);
    let interval = sending.max(delivering);
    (interval >= path.rtt.min() && !interval.is_zero()).then(|| DeliveryRate {
        bytes: path.delivered.saturating_sub(newest.delivered),
        interval,
        app_limited: newest.app_limited,
    })
}

#[cfg(test)]
mod tests;
