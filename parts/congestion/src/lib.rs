//! Congestion control: how much may be in flight, and when the next packet may leave.
//!
//! * [`Controller`]: an algorithm, chosen by name: [`Choice`], [`Controllers`]; for sections between helpers
//!   [`SectionChoice`].
//! * [`throughput`], [`LossIntervals`]: what TCP would send at a loss event rate, and that rate (RFC 5348).
//! * [`RttEstimator`]: RFC 9002 section 5.
//! * [`Pacer`]: releases whole batches.
//! * [`Regulation`]: one controller, one estimator, one pacer and the bytes in flight: what a path's channels share.
//!
//! A sender asks [`Regulation::budget`] how much may leave now, builds that many bytes of packets, tells each one to
//! [`Regulation::handle_sent`], and keeps the stamp it gets with the packet. When it stops, it says why: it asks
//! [`Regulation::permission`] for the next packet and waits accordingly, or it has nothing to send and calls
//! [`Regulation::handle_app_limited`]. The fate of packets goes to [`Regulation::handle_ack`] and
//! [`Regulation::handle_loss`], stamp included.
//!
//! Everything is integer arithmetic: the same inputs give the same windows, bit for bit, on every machine.
#![forbid(unsafe_code)]

pub mod battery;
mod bbr;
mod controller;
mod cubic;
mod eln;
mod equation;
mod fixed;
pub mod integers;
mod lease;
mod newreno;
mod pacer;
pub mod registry;
mod regulation;
mod reno;
mod rtt;
mod sections;
mod slow_start;
mod unlimited;
mod vegas;
mod window;

pub use bbr::{
    BBR_DRAIN_ROUNDS_MAX, BBR_EXTRA_ACKED_ROUNDS, BBR_FULL_ROUNDS, BBR_MIN_RTT_WINDOW, BBR_MIN_WINDOW_PACKETS,
    BBR_PROBE_RTT_AFTER, BBR_PROBE_RTT_TIME, BBR_PROBE_WAIT_MIN, BBR_PROBE_WAIT_SPREAD, BBR_RENO_ROUNDS_MAX,
    BBR_STARTUP_LOSSES_MAX, Bbr, LOSS_PERCENT_MAX,
};
pub use controller::{AckSample, Controller, DeliveryRate, LossCause, LossSample, PathState, SendStamp, Share};
pub use cubic::{Cubic, CubicCurve, LinuxCubic, LinuxCubicCurve};
pub use eln::Eln;
pub use equation::{
    BACKOFF_MAX_SECS, EQUATION_MARGIN_DIVISOR, Equation, LOSS_INTERVALS, LOSS_RATE_ONE, LossIntervals,
    largest_loss_rate, loss_rate_at, throughput,
};
pub use fixed::{FIXED_MARGIN_DIVISOR, FIXED_MARGIN_PACKETS, Fixed};
pub use lease::{LEASED_FLOWS_MAX, LeasedLink, LinkFull};
pub use newreno::{AdditiveIncrease, NewReno};
pub use pacer::{BATCH_TIME, MAX_BATCH, MIN_BATCH_PACKETS, Pacer, START_BURST_PACKETS};
pub use registry::{Choice, Controllers, RegisterError, UnknownController};
pub use regulation::{MIN_PACED_RTT, Permission, Regulation, RegulationConfig, RegulationStats, Turn};
pub use reno::{Reno, RenoIncrease};
pub use rtt::{GRANULARITY, INITIAL_RTT, MIN_RTT_WINDOW, RttEstimator, RttSample};
pub use sections::{NotForSections, SectionChoice, SectionChoiceError};
pub use slow_start::{
    COUNTED_PACKETS_MAX, CSS_GROWTH_DIVISOR, CSS_ROUNDS, HyStart, MAX_RTT_THRESH, MIN_RTT_DIVISOR, MIN_RTT_THRESH,
    N_RTT_SAMPLE, SlowStart, Step,
};
pub use unlimited::Unlimited;
pub use vegas::{ALPHA_PACKETS, BETA_PACKETS, GAMMA_PACKETS, ROUND_SAMPLES_MIN, Vegas};
pub use window::{Growth, MAX_WINDOW, Window};

/// Minimum window in packets of one MTU (RFC 9002 section 7.2).
pub const MIN_WINDOW_PACKETS: u64 = 2;

/// Initial window in packets of one MTU; in bytes at most [`INITIAL_WINDOW_MAX`] where packets are large (RFC 9002
/// section 7.2).
pub const INITIAL_WINDOW_PACKETS: u64 = 10;

/// Upper limit of the initial window in bytes, unless two packets are more.
pub const INITIAL_WINDOW_MAX: u64 = 14_720;

/// The minimum window, in bytes, for packets of `mtu` bytes.
pub const fn min_window(mtu: u16) -> u64 {
    // A size of 0 is a mistake, but not one to divide by.
    if mtu == 0 { MIN_WINDOW_PACKETS } else { MIN_WINDOW_PACKETS * mtu as u64 }
}

/// The initial window, in bytes, for packets of `mtu` bytes.
pub const fn initial_window(mtu: u16) -> u64 {
    let (ten, two) = (INITIAL_WINDOW_PACKETS / MIN_WINDOW_PACKETS * min_window(mtu), min_window(mtu));
    let cap = if two > INITIAL_WINDOW_MAX { two } else { INITIAL_WINDOW_MAX };
    if ten < cap { ten } else { cap }
}
