//! Controllers of tng-congestion as guests: what a sample says, in the words of the native trait.
//!
//! The host writes samples, and this reads them; both go by one table. Times are nanoseconds since the connection
//! began, which is the [`Instant`] of both sides; 0 where there is none.
//!
//! | [`Sample`] | native |
//! |---|---|
//! | `event` `Acked` | `handle_ack` with an [`AckSample`] of `bytes` |
//! | `Lost` | `handle_loss` with a [`LossSample`] of `bytes` and `cause` |
//! | `cause` | 0 `Loss`, 1 `Ecn`, 2 `PersistentCongestion`, 3 `Link` |
//! | `Spurious` | `handle_spurious` with a [`LossSample`] of `bytes`; its cause is `Loss` |
//! | `Idle` | `handle_idle`, `bytes` periods |
//! | `Reset` | `reset` |
//! | `Mtu` | `set_mtu`, `bytes`; the first sample is one, since it makes the controller |
//! | `sent_ns`, `first_sent_ns` | [`SendStamp`] `newest`: `sent_at`, `first_sent_at` |
//! | `sent_delivered`, `sent_delivered_ns` | of the same `delivered`, `delivered_at` |
//! | `sent_lost`, `sent_in_flight`, `app_limited` | of the same `lost`, `in_flight`, `app_limited` |
//! | `rtt_ns` | [`AckSample`] `rtt.latest`, if it is not 0; `ack_delay` is 0: the estimator has heard of it |
//! | `smoothed_ns`, `variation_ns`, `min_ns`, `latest_ns` | [`PathState`] `rtt`; without a sample all are 0 |
//! | `in_flight`, `delivered`, `delivered_ns`, `lost`, `window_limited` | [`PathState`], the same |
//! | `rate_bytes`, `rate_ns` | [`PathState`] `rate`, if `rate_ns` is not 0; `app_limited` as in the stamp |
//!
//! `first_sent_at` of [`PathState`] is `sent_ns`: it is asked by nobody but those who make stamps. `handle_sent` and
//! `set_share` have no sample: a controller that needs them stays native.
#![forbid(unsafe_code)]

use core::fmt;
use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{
    AckSample, Controller as _, DeliveryRate, INITIAL_RTT, LossCause, LossSample, PathState, RttEstimator, RttSample,
    SendStamp,
};
use tng_stp_abi::{Controller, Sample, SampleEvent, Window};

/// A native controller.
pub trait Native {
    /// Its type.
    type Controller: tng_congestion::Controller;

    /// A fresh one for packets of `mtu` bytes.
    fn make(mtu: u16) -> Self::Controller;
}

/// A native controller as a guest.
pub struct Ported<N: Native> {
    native: N::Controller,
    told: (u64, u64),
}

impl<N: Native> fmt::Debug for Ported<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ported").field("native", &self.native).field("told", &self.told).finish()
    }
}

impl<N: Native> Controller for Ported<N> {
    fn new(mtu: u32) -> Ported<N> {
        Ported { native: N::make(packet(mtu.into())), told: (0, 0) }
    }

    fn handle(&mut self, host: &mut impl Window, sample: &Sample) {
        apply(&mut self.native, sample);
        let tells = (self.native.window(), self.native.pacing_rate().unwrap_or_default());
        if self.told != tells {
            self.told = tells;
            host.net_window(tells.0, tells.1);
        }
    }
}

/// Tells a native controller of a sample. One with an event that is not known says nothing.
pub fn apply(native: &mut impl tng_congestion::Controller, sample: &Sample) {
    let now = Instant::from_nanos(sample.now_ns);
    let event = |event: SampleEvent| sample.event == event as u64;
    if event(SampleEvent::Acked) {
        native.handle_ack(now, &acked(sample), &path(sample));
    } else if event(SampleEvent::Lost) {
        native.handle_loss(now, &lost(sample), &path(sample));
    } else if event(SampleEvent::Spurious) {
        native.handle_spurious(now, &LossSample { cause: LossCause::Loss, ..lost(sample) });
    } else if event(SampleEvent::Idle) {
        native.handle_idle(u32::try_from(sample.bytes).unwrap_or(u32::MAX));
    } else if event(SampleEvent::Reset) {
        native.reset();
    } else if event(SampleEvent::Mtu) {
        native.set_mtu(packet(sample.bytes));
    }
}

fn packet(bytes: u64) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

fn stamp(sample: &Sample) -> SendStamp {
    SendStamp {
        sent_at: Instant::from_nanos(sample.sent_ns),
        first_sent_at: Instant::from_nanos(sample.first_sent_ns),
        delivered: sample.sent_delivered,
        delivered_at: Instant::from_nanos(sample.sent_delivered_ns),
        lost: sample.sent_lost,
        in_flight: sample.sent_in_flight,
        app_limited: sample.app_limited != 0,
    }
}

fn acked(sample: &Sample) -> AckSample {
    let latest = Duration::from_nanos(sample.rtt_ns);
    let rtt = (sample.rtt_ns > 0).then_some(RttSample { latest, ack_delay: Duration::ZERO });
    AckSample { bytes: sample.bytes, newest: stamp(sample), rtt }
}

fn lost(sample: &Sample) -> LossSample {
    let cause = match sample.cause {
        1 => LossCause::Ecn,
        2 => LossCause::PersistentCongestion,
        3 => LossCause::Link,
        _ => LossCause::Loss,
    };
    LossSample { bytes: sample.bytes, newest: stamp(sample), cause }
}

fn path(sample: &Sample) -> PathState {
    let [smoothed, var, min, latest] =
        [sample.smoothed_ns, sample.variation_ns, sample.min_ns, sample.latest_ns].map(Duration::from_nanos);
    let rtt = if sample.smoothed_ns == 0 {
        RttEstimator::new(INITIAL_RTT)
    } else {
        RttEstimator::of(Instant::from_nanos(sample.now_ns), latest, smoothed, var, min)
    };
    let rate = (sample.rate_ns > 0).then_some(DeliveryRate {
        bytes: sample.rate_bytes,
        interval: Duration::from_nanos(sample.rate_ns),
        app_limited: sample.app_limited != 0,
    });
    PathState {
        rtt,
        in_flight: sample.in_flight,
        delivered: sample.delivered,
        delivered_at: Instant::from_nanos(sample.delivered_ns),
        lost: sample.lost,
        first_sent_at: Instant::from_nanos(sample.sent_ns),
        rate,
        window_limited: sample.window_limited != 0,
    }
}
