//! The end of a tunnel as a program uses it: datagrams of legacy flows go in and come out (docs/relay.md, "Tunnels").

use core::fmt;
use core::future::poll_fn;
use core::task::Poll;
use std::net::SocketAddr;
use std::sync::Arc;

use tng_flow::{Capability, Stop};
use tng_middlebox::{FlowId, NoTunnel, NotTaken, RelayId, TunnelStatus};

use super::Relay;
use crate::hub::Hub;
use crate::lock::Shared;

/// Datagrams that a tunnel hands out at once, at most.
pub const TUNNEL_BATCH: usize = 64;

/// There is no such tunnel any more: it was closed, or, where it was asked for from elsewhere, lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no such tunnel any more; the end that asked for it asks again")]
pub struct TunnelOver;

/// One end of a tunnel. Cheap to clone; the tunnel is there until it is [closed](Tunnel::close), with or without
/// handles.
#[derive(Clone)]
pub struct Tunnel {
    shared: Arc<Shared<Hub>>,
    thread: usize,
    id: RelayId,
}

impl fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tunnel").field("thread", &self.thread).field("id", &self.id).finish_non_exhaustive()
    }
}

/// A tunnel, and which thread's it is.
#[derive(Clone, PartialEq, Debug)]
pub struct RelayTunnel {
    /// Which thread keeps it.
    pub thread: usize,
    /// The tunnel.
    pub status: TunnelStatus,
}

impl Relay {
    /// Opens a tunnel to the helper at `stop`, for legacy flows that come in here; `to` is the address that it leads
    /// to, or [what stands for its name](super::tunnel_named). It is asked for until it is there, and again whenever it
    /// is lost; what goes in meanwhile waits, and makes room for what is newer.
    ///
    /// # Errors
    /// If there are too many, or it cannot be.
    pub fn open_tunnel(&self, stop: Stop, to: SocketAddr) -> Result<Tunnel, NoTunnel> {
        let shared = Arc::clone(&self.shards[0]);
        let mut hub = shared.lock();
        let now = hub.now();
        let id = hub.relay_mut().ok_or(NoTunnel::TooMany)?.open_tunnel(now, stop, to)?;
        hub.wake_driver();
        drop(hub);
        Ok(Tunnel { shared, thread: 0, id })
    }

    /// The end of a tunnel that a [`Tunnel`](super::HelperEvent::Tunnel) told of, or that is among the
    /// [tunnels](Relay::tunnels).
    pub fn tunnel(&self, thread: usize, id: RelayId) -> Option<Tunnel> {
        let shared = Arc::clone(self.shards.get(thread)?);
        let known = shared.lock().relay_mut().is_some_and(|helper| helper.tunnel_status(id).is_some());
        known.then_some(Tunnel { shared, thread, id })
    }

    /// The tunnels that this helper has asked for, and those that end here, thread by thread.
    pub fn tunnels(&self) -> Vec<RelayTunnel> {
        let of = |(thread, tunnels): (usize, Vec<TunnelStatus>)| {
            tunnels.into_iter().map(move |status| RelayTunnel { thread, status })
        };
        self.each(|_, helper| helper.tunnel_statuses()).into_iter().enumerate().flat_map(of).collect()
    }
}

impl Tunnel {
    /// Its name, which is the helper's of [its thread](Tunnel::thread).
    pub fn id(&self) -> RelayId {
        self.id
    }

    /// Whose helper keeps it.
    pub fn thread(&self) -> usize {
        self.thread
    }

    /// Sends a datagram of a legacy flow.
    ///
    /// # Errors
    /// Why it does not go: see [`NotTaken`]. It is lost then, as in any router.
    pub fn send(&self, flow: FlowId, datagram: &[u8]) -> Result<(), NotTaken> {
        let mut hub = self.shared.lock();
        let now = hub.now();
        let taken = hub.relay_mut().ok_or(NotTaken::Unknown)?.offer(now, self.id, flow, datagram);
        hub.wake_driver();
        taken
    }

    /// Waits until the tunnel has brought something, and moves up to [`TUNNEL_BATCH`] datagrams of it into `batch`.
    /// What nobody takes out waits in the helper, and is bounded there. One task at a time may wait.
    ///
    /// # Errors
    /// If there is no such tunnel any more.
    pub async fn receive(&self, batch: &mut Vec<(FlowId, Vec<u8>)>) -> Result<(), TunnelOver> {
        poll_fn(|context| {
            let mut hub = self.shared.lock();
            let stopped = hub.is_stopped();
            let Some(helper) = hub.relay_mut().filter(|_| !stopped) else { return Poll::Ready(Err(TunnelOver)) };
            let before = batch.len();
            batch.extend(core::iter::from_fn(|| helper.poll_brought(self.id)).take(TUNNEL_BATCH));
            match helper.has_brought(self.id) {
                _ if batch.len() > before => return Poll::Ready(Ok(())),
                // So it is for one that is not there.
                true => return Poll::Ready(Err(TunnelOver)),
                false => {}
            }
            hub.await_tunnel(self.id, context.waker());
            Poll::Pending
        })
        .await
    }

    /// Shows a fresh capability to the other end of a tunnel that this one asked for.
    ///
    /// # Errors
    /// If there is no such tunnel any more, or the other end asked for it.
    pub fn renew(&self, capability: &Capability) -> Result<(), TunnelOver> {
        let mut hub = self.shared.lock();
        let renewed = hub.relay_mut().is_some_and(|helper| helper.renew_tunnel(self.id, capability));
        hub.wake_driver();
        if renewed { Ok(()) } else { Err(TunnelOver) }
    }

    /// What it is at this moment.
    pub fn status(&self) -> Option<TunnelStatus> {
        self.shared.lock().relay_mut()?.tunnel_status(self.id)
    }

    /// Closes it: the other end is told.
    pub fn close(&self) {
        let mut hub = self.shared.lock();
        let now = hub.now();
        if let Some(helper) = hub.relay_mut() {
            helper.close_tunnel(now, self.id);
        }
        hub.wake_driver();
    }
}
