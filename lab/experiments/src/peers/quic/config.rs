//! What can be chosen of a simulated QUIC host.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use quinn_proto::{TransportConfig, VarInt};

/// One of quinn's congestion controllers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Controller {
    /// CUBIC (RFC 9438), quinn's default.
    Cubic,
    /// NewReno, as RFC 9002 has it.
    NewReno,
    /// BBR, version 1; runs with it cannot be repeated exactly.
    Bbr,
}

impl Controller {
    /// All of them.
    pub const ALL: [Controller; 3] = [Controller::Cubic, Controller::NewReno, Controller::Bbr];

    /// Quinn's default.
    pub const DEFAULT: Controller = Controller::Cubic;

    /// The name by which scenario files and commands call it.
    pub const fn name(self) -> &'static str {
        match self {
            Controller::Cubic => "cubic",
            Controller::NewReno => "newreno",
            Controller::Bbr => "bbr",
        }
    }
}

impl Default for Controller {
    fn default() -> Controller {
        Controller::DEFAULT
    }
}

impl fmt::Display for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no such controller.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("quinn has no congestion controller `{0}`; it has cubic, newreno and bbr")]
pub struct UnknownController(String);

impl FromStr for Controller {
    type Err = UnknownController;

    fn from_str(name: &str) -> Result<Controller, UnknownController> {
        let known = Controller::ALL.into_iter().find(|controller| controller.name() == name);
        known.ok_or_else(|| UnknownController(name.to_owned()))
    }
}

/// The settings of a [`Host`](super::Host); the default is quinn's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The congestion controller of every connection.
    pub controller: Controller,
    /// Whether a connection to a server that has given a ticket before sends data in its first flight (0-RTT).
    pub early_data: bool,
    /// A connection in which nothing happens for so long is over.
    pub idle_timeout: Duration,
    /// Most streams of each direction that a peer may have open.
    pub streams_max: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            controller: Controller::default(),
            early_data: true,
            idle_timeout: Duration::from_secs(30),
            streams_max: 100,
        }
    }
}

impl Config {
    pub(super) fn transport(&self) -> Arc<TransportConfig> {
        let mut transport = TransportConfig::default();
        match self.controller {
            Controller::Cubic => transport.congestion_controller_factory(Arc::new(CubicConfig::default())),
            Controller::NewReno => transport.congestion_controller_factory(Arc::new(NewRenoConfig::default())),
            Controller::Bbr => transport.congestion_controller_factory(Arc::new(BbrConfig::default())),
        };
        let idle_ms = u64::try_from(self.idle_timeout.as_millis()).ok().and_then(|ms| VarInt::from_u64(ms).ok());
        transport
            .max_concurrent_bidi_streams(self.streams_max.into())
            .max_concurrent_uni_streams(self.streams_max.into())
            .max_idle_timeout(idle_ms.map(Into::into))
            .enable_segmentation_offload(false);
        Arc::new(transport)
    }
}
