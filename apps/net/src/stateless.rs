//! Servers that keep nothing of a connection (docs/trickles.md), on the port of an endpoint.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_stack::{Access, Identity};
use tng_trickles::minisocket::Application;
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::{EpochSecret, Keys, KeysError, Wall, WallClock};

/// An application that runs in the driver's task.
pub(crate) type Handler = Box<dyn Application + Send>;

/// The machine.
pub(crate) type StatelessServer = Server<Handler>;

/// What an endpoint is to serve without keeping anything of who asks: [`Builder::serve_stateless`].
///
/// [`Builder::serve_stateless`]: crate::Builder::serve_stateless
pub struct StatelessService {
    secret: EpochSecret,
    config: ServerConfig,
    application: Handler,
}

impl StatelessService {
    /// Serves `application` with these keys, which all servers of a fleet share.
    pub fn new(secret: EpochSecret, application: impl Application + Send + 'static) -> StatelessService {
        StatelessService { secret, config: ServerConfig::default(), application: Box::new(application) }
    }

    /// The same with other settings than the defaults.
    pub fn config(mut self, config: ServerConfig) -> StatelessService {
        self.config = config;
        self
    }

    /// The machine, for an endpoint that is `identity`, at the driver's first instant.
    pub(crate) fn begin(
        self,
        identity: Identity,
        access: Access,
        unix: Duration,
        entropy: &Secret32,
    ) -> Result<StatelessServer, KeysError> {
        let clock = wall_clock(Instant::ZERO, unix);
        let beginnings = Beginnings {
            identity,
            keys: Keys::new(self.secret, clock.at(Instant::ZERO))?,
            access: Box::new(move |peer, shown: Option<&[u8]>| access.admits(peer, shown)),
            clock,
            entropy: *entropy.expose(),
        };
        Ok(Server::new(self.config, beginnings, self.application, Instant::ZERO))
    }
}

impl fmt::Debug for StatelessService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatelessService").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The clock that says so long after 1970 at `now`.
pub(crate) const fn wall_clock(now: Instant, unix: Duration) -> WallClock {
    WallClock::set(now, Wall::from_millis(unix.as_millis() as u64))
}
