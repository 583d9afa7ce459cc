//! The paths of a connection: several at once, one after the other, or none for a while.

use core::time::Duration;
use std::net::{IpAddr, SocketAddr};

use tng_stack::{PathId, PathStats, PathTaken, Relayed};
use tokio::sync::broadcast::error::RecvError;

use crate::connection::Connection;
use crate::error::AddPathError;
use crate::events::ConnectionEvent;

impl Connection {
    /// The paths that carry the connection now, with their figures. Empty while the peer is away.
    pub fn paths(&self) -> Vec<PathStats> {
        self.tie.shared.lock().host().paths(self.tie.id)
    }

    /// The path that the connection takes now, helpers and round trips included; of several the best. `None` while
    /// there is none.
    pub fn path(&self) -> Option<PathTaken> {
        self.tie.shared.lock().host().path_taken(self.tie.id)
    }

    /// Why the connection goes by way of helpers, if it does. What is there only to reach the peer is left for a direct
    /// path as soon as one opens ([`Via::only_to_reach`](crate::Via::only_to_reach)).
    pub fn relayed(&self) -> Option<Relayed> {
        self.tie.shared.lock().host().relayed(self.tie.id)
    }

    /// The last outage: how long nothing came from the peer, though something was awaited of it, when a path that
    /// carried the connection was last lost. `None` if there was none: a path that takes the place of one in good order
    /// costs nothing. See [`Host::last_gap`](tng_stack::Host::last_gap).
    pub fn last_gap(&self) -> Option<Duration> {
        self.tie.shared.lock().host().last_gap(self.tie.id)
    }

    /// Adds a path to the peer, at `addresses` (where it was last, and where it was looked for first, if there are
    /// none), from the local address `local` if one is given. The streams use all paths at once, each with its own
    /// congestion controller; [detach](Connection::detach) the old one for a move without a gap.
    ///
    /// If the future is dropped the path is added nevertheless.
    ///
    /// # Errors
    /// See [`AddPathError`]. The other paths are none the worse for it.
    pub async fn add_path(&self, local: Option<IpAddr>, addresses: &[SocketAddr]) -> Result<PathId, AddPathError> {
        let (mut events, path) = {
            let mut hub = self.tie.shared.lock();
            let (now, events) = (hub.now(), hub.follow(self.tie.id));
            let path = hub.host_mut().attach(now, self.tie.id, local, addresses)?;
            hub.wake_driver();
            (events, path)
        };
        loop {
            match events.recv().await {
                Ok(ConnectionEvent::PathAdded { path: added, .. }) if added == path => return Ok(path),
                Ok(ConnectionEvent::AddPathFailed { path: failed, error }) if failed == path => {
                    return Err(error.into());
                }
                Ok(_) => {}
                // Its event may be among those missed.
                Err(RecvError::Lagged(_)) if self.paths().iter().any(|up| up.path == path) => return Ok(path),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(AddPathError::NotConnected),
            }
        }
    }

    /// Gives up one of the paths, or, without `path`, all of them, and tells the peer. Streams and what is written on
    /// them are kept, and either end finds the other again when it has something to say.
    pub fn detach(&self, path: Option<PathId>) {
        let mut hub = self.tie.shared.lock();
        let now = hub.now();
        hub.host_mut().detach(now, self.tie.id, path);
        hub.wake_driver();
    }

    /// The peer may be found at these addresses from now on, best first: it has told so in some other way. While it is
    /// away it is looked for there at once.
    pub fn reach(&self, mut addresses: Vec<SocketAddr>) {
        let mut hub = self.tie.shared.lock();
        if let Some(underlay) = &hub.underlay {
            underlay.add_addresses(&mut addresses);
        }
        let now = hub.now();
        hub.host_mut().reach(now, self.tie.id, addresses);
        hub.wake_driver();
    }

    /// The peer may begin to answer where it does not yet: what ICMP says ends no attempt to reach it.
    pub(crate) fn be_patient(&self) {
        let mut hub = self.tie.shared.lock();
        hub.host_mut().be_patient(self.tie.id);
        hub.wake_driver();
    }

    /// How long this side keeps the connection, its streams and what is written on them, while the peer is away: it
    /// cannot be reached on any path. `None` is for ever. Without this call, what
    /// [`Builder::keep`](crate::Builder::keep) says.
    pub fn keep_for(&self, time: Option<Duration>) {
        let mut hub = self.tie.shared.lock();
        hub.host_mut().set_keep(self.tie.id, time);
        hub.wake_driver();
    }
}
