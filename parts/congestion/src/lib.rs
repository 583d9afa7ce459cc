//! Congestion control: how much may be in flight, and when the next packet may leave.
//!
//! * [`Controller`]: an algorithm, chosen by name from the [`registry`].
//! * [`RttEstimator`]: RFC 6298 and RFC 9002 section 5.
//! * [`Pacer`]: releases whole batches.
//! * [`Regulation`]: one controller, one estimator, one pacer and the bytes in flight: what a path's channels share.
#![forbid(unsafe_code)]

mod controller;
mod regulation;

pub use controller::{AckSample, Controller, LossCause, LossSample, SendStamp};
pub use regulation::{Permission, Regulation, RegulationConfig};
