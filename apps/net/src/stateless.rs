//! Servers that keep nothing of a connection (docs/trickles.md), on the port of an endpoint.

use core::fmt;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_endpoint::IdSpace;
use tng_stack::{Access, Identity};
use tng_trickles::minisocket::Application;
use tng_trickles::replay::HandedError;
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::{EpochSecrets, Keys, KeysError, Wall, WallClock};

/// An application that runs in the driver's task.
pub(crate) type Handler = Box<dyn Application + Send>;

/// The machine.
pub(crate) type StatelessServer = Server<Handler>;

/// What an endpoint is to serve without keeping anything of who asks: [`Builder::serve_stateless`].
///
/// [`Builder::serve_stateless`]: crate::Builder::serve_stateless
pub struct StatelessService {
    secrets: EpochSecrets,
    config: ServerConfig,
    /// What an earlier one has handed over, by thread.
    handed: Vec<Vec<u8>>,
    /// Why it was not taken.
    lost: Option<HandedError>,
    /// One for each thread.
    make: Box<dyn FnMut() -> Handler + Send>,
}

impl StatelessService {
    /// Serves with these secrets, which all servers of a fleet share, what `make` makes: an application for each thread
    /// of the endpoint. A connection stays on one thread, and is answered by that one's.
    pub fn new<A: Application + Send + 'static>(
        secrets: impl Into<EpochSecrets>,
        mut make: impl FnMut() -> A + Send + 'static,
    ) -> StatelessService {
        let make = Box::new(move || -> Handler { Box::new(make()) });
        StatelessService {
            secrets: secrets.into(),
            config: ServerConfig::default(),
            handed: Vec::new(),
            lost: None,
            make,
        }
    }

    /// The same with other settings than the defaults, of all its threads together. Whatever
    /// [`renews`](ServerConfig::renews) says, an endpoint that does not let everybody in renews no secrets: who comes
    /// in no more is out after one to two [epochs](tng_trickles::EPOCH).
    pub fn config(mut self, config: ServerConfig) -> StatelessService {
        self.config = config;
        self
    }

    /// The same, in the place of an earlier one that has [retired](crate::Endpoint::retire_stateless) and left this. It
    /// is good once: nobody else may have been given it, and nothing was served since. What becomes of it
    /// [`Endpoint::stateless_lost`](crate::Endpoint::stateless_lost) says.
    pub fn taking_over(mut self, handed: Vec<Vec<u8>>) -> StatelessService {
        self.handed = handed;
        self
    }

    /// Why what an earlier one has handed over was not taken, if it was not.
    pub(crate) const fn lost(&self) -> Option<HandedError> {
        self.lost
    }

    /// The machine of one thread, for an endpoint that is `identity`, at the driver's first instant.
    pub(crate) fn begin(
        &mut self,
        ids: IdSpace,
        identity: Identity,
        access: Access,
        unix: Duration,
        entropy: &Secret32,
    ) -> Result<StatelessServer, KeysError> {
        let clock = wall_clock(Instant::ZERO, unix);
        // Who is let in by a ticket or a list is asked for it again when the keys of the connection are over.
        let renews = self.config.renews && matches!(access, Access::Public);
        let config = ServerConfig { renews, ..self.config.divided(ids) };
        let beginnings = Beginnings {
            identity,
            keys: Keys::new(self.secrets.duplicate(), clock.at(Instant::ZERO))?,
            access: Box::new(move |peer, shown: Option<&[u8]>| access.admits(peer, shown)),
            clock,
            entropy: *entropy.expose(),
        };
        let mut server = Server::new(config, beginnings, (self.make)(), Instant::ZERO);
        let taken = match self.handed.get(usize::from(ids.shard())) {
            _ if self.handed.is_empty() => Ok(()),
            Some(handed) if self.handed.len() == usize::from(ids.of()) => server.take_over(Instant::ZERO, handed),
            _ => Err(HandedError::Threads),
        };
        self.lost = self.lost.or(taken.err());
        server.prefault_memory();
        Ok(server)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tng_trickles::minisocket::{Answer, Asked};
    use tng_trickles::{EPOCH, EpochSecret};

    use super::*;

    struct Nothing;

    impl Application for Nothing {
        fn version(&self) -> u16 {
            0
        }

        fn handle(&mut self, _: Asked<'_>, _: &mut Answer<'_>) {}
    }

    #[test]
    fn who_is_let_in_by_a_list_or_a_ticket_is_asked_for_it_again_and_everybody_is_not() {
        let machine = |access, config| {
            let secret = EpochSecret::new(9, Secret32::from_bytes([1; 32]));
            let mut service = StatelessService::new(secret, || Nothing).config(config);
            let entropy = Secret32::from_bytes([2; 32]);
            let identity = Identity::from_seed([3; 32]);
            service.begin(IdSpace::WHOLE, identity, access, 10 * EPOCH, &entropy).expect("it begins")
        };
        let all = ServerConfig::default();
        let none = ServerConfig { renews: false, ..ServerConfig::default() };
        assert!(machine(Access::Public, all.clone()).renews());
        assert!(!machine(Access::Public, none).renews());
        assert!(!machine(Access::Listed(BTreeSet::new()), all.clone()).renews());
        assert!(!machine(Access::Capability(vec![1]), all).renews());
    }
}
