//! The helper of an endpoint: flows of others are passed on at its port (docs/relay.md).

pub mod passing;
mod tunnel;

use core::fmt;
use core::iter::Peekable;
use core::time::Duration;
use std::sync::Arc;
use std::vec::IntoIter;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_endpoint::IdSpace;
use tng_flow::Capability;
pub use tng_flow::CapabilityKey;
use tng_middlebox::Helper;
pub use tng_middlebox::{
    ClientLimits, ClientTag, FLOW_BYTES_MAX, FLOWS_MAX, FlowId, FlowStatus, HelperConfig, HelperEvent, HelperStats,
    LeftBecause, NearChoice, Neighbourhood, Network, NoTunnel, NotTaken, Offers, Onward, QueueStatus, RELAYS_MAX,
    REPAIR_TIME_MAX, RelayId, SectionStatus, Served, TUNNELS_MAX, Terms, TunnelEnd, TunnelStatus, tunnel_named,
};
use tokio::sync::broadcast;

use crate::endpoint::{random_seed, time_of_day, unix};
use crate::hub::Hub;
use crate::lock::Shared;

pub use tunnel::{RelayTunnel, TUNNEL_BATCH, Tunnel, TunnelOver};

/// What helpers have told and nobody has taken yet, at most; of more the oldest is forgotten.
pub const RELAY_EVENTS_KEPT: usize = 4_096;

/// Flows that are told of at a time: no packet is passed on meanwhile.
pub const FLOWS_TOLD_MAX: usize = 64;

/// How often [`Relay::drained`] looks whether all neighbours have been told.
const DRAIN_LOOK: Duration = Duration::from_millis(10);

/// What an endpoint is to pass on for others: [`Builder::relay`](crate::Builder::relay).
pub struct RelayService {
    secret: Secret32,
    config: HelperConfig,
}

impl RelayService {
    /// Passes on what these settings permit. Capabilities and resets follow from the secret: with the same one they
    /// outlive a restart.
    pub fn new(secret: Secret32, config: HelperConfig) -> RelayService {
        RelayService { secret, config }
    }

    /// The machine of one thread, at the driver's first instant.
    pub(crate) fn begin(&self, ids: IdSpace) -> std::io::Result<Helper> {
        let config = HelperConfig { ids, ..self.config.clone() };
        let epoch_ms = unix(time_of_day()).as_millis() as u64;
        Ok(Helper::new(config, &self.secret, epoch_ms, random_seed()?))
    }
}

impl fmt::Debug for RelayService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayService").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What a helper has told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelayEvent {
    /// Which thread's: each has a helper of its own, and names of flows of its own.
    pub thread: usize,
    /// When.
    pub at: Instant,
    /// What.
    pub event: HelperEvent,
}

/// Where the threads' helpers tell what happens.
#[derive(Clone, Debug)]
pub(crate) struct RelayOutlet {
    pub(crate) thread: usize,
    pub(crate) told: broadcast::Sender<RelayEvent>,
}

impl RelayOutlet {
    pub(crate) fn tell(&self, at: Instant, event: HelperEvent) {
        // Nobody may listen.
        let _ = self.told.send(RelayEvent { thread: self.thread, at, event });
    }
}

/// A flow, and which thread's it is.
#[derive(Clone, PartialEq, Debug)]
pub struct RelayFlow {
    /// Which thread passes it on.
    pub thread: usize,
    /// For how long its capability is still good.
    pub left: Duration,
    /// The flow.
    pub status: FlowStatus,
}

/// What there is of flows, [`FLOWS_TOLD_MAX`] at a time: [`Relay::flows`].
pub struct RelayFlows {
    shards: Arc<[Arc<Shared<Hub>>]>,
    /// Those still to be told of, and the thread of each.
    names: Peekable<IntoIter<(usize, RelayId)>>,
}

impl fmt::Debug for RelayFlows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayFlows").field("left", &self.names.len()).finish_non_exhaustive()
    }
}

impl Iterator for RelayFlows {
    type Item = Vec<RelayFlow>;

    fn next(&mut self) -> Option<Vec<RelayFlow>> {
        let thread = self.names.peek()?.0;
        let mut hub = self.shards[thread].lock();
        let now = hub.now();
        let mut flows = Vec::new();
        for _ in 0..FLOWS_TOLD_MAX {
            let Some((_, id)) = self.names.next_if(|name| name.0 == thread) else { break };
            let status = hub.relay_mut().and_then(|helper| helper.flow_status(id));
            flows.extend(status.map(|status| RelayFlow { thread, left: status.until.since(now), status }));
        }
        Some(flows)
    }
}

/// The helper of an endpoint, to be watched and changed: [`Endpoint::relay`](crate::Endpoint::relay). Cheap to clone.
#[derive(Clone)]
pub struct Relay {
    shards: Arc<[Arc<Shared<Hub>>]>,
    told: broadcast::Sender<RelayEvent>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("threads", &self.shards.len()).finish_non_exhaustive()
    }
}

impl Relay {
    pub(crate) fn new(shards: Arc<[Arc<Shared<Hub>>]>, told: broadcast::Sender<RelayEvent>) -> Relay {
        Relay { shards, told }
    }

    /// Calls each thread's helper; the answers have the thread's number with them, should one have none.
    fn each_named<T>(&self, mut call: impl FnMut(Instant, &mut Helper) -> T) -> Vec<(usize, T)> {
        let of = |(thread, shared): (usize, &Arc<Shared<Hub>>)| {
            let mut hub = shared.lock();
            let now = hub.now();
            let answer = hub.relay_mut().map(|helper| call(now, helper));
            hub.wake_driver();
            Some((thread, answer?))
        };
        self.shards.iter().enumerate().filter_map(of).collect()
    }

    /// Calls each thread's helper.
    fn each<T>(&self, mut call: impl FnMut(Instant, &mut Helper) -> T) -> Vec<T> {
        self.each_named(&mut call).into_iter().map(|(_, answer)| answer).collect()
    }

    /// Whether every thread passes flows on: one that has panicked does not, and is not started again.
    pub fn is_running(&self) -> bool {
        self.shards.iter().all(|shared| !shared.lock().is_stopped())
    }

    /// Counts of all threads together.
    pub fn stats(&self) -> HelperStats {
        self.each(|_, helper| helper.stats()).into_iter().fold(HelperStats::default(), HelperStats::and)
    }

    /// The flows, thread by thread, some at a time: what they are is told of when it is taken, and packets are passed
    /// on meanwhile. Those that begin after this call are not among them, nor those that are over when their turn
    /// comes.
    pub fn flows(&self) -> RelayFlows {
        let ids = self.each_named(|_, helper| helper.flow_ids());
        let named = |(thread, ids): (usize, Vec<_>)| ids.into_iter().map(move |id| (thread, id));
        let names: Vec<_> = ids.into_iter().flat_map(named).collect();
        RelayFlows { shards: Arc::clone(&self.shards), names: names.into_iter().peekable() }
    }

    /// Other settings hold from now on: see [`Helper::set_config`].
    pub fn set_config(&self, config: &HelperConfig) {
        self.each(|now, helper| helper.set_config(now, config.clone()));
    }

    /// A capability for a client, or nothing if the helper is being shut down.
    ///
    /// # Errors
    /// If the system has no entropy to give.
    pub fn issue(&self, client: ClientTag, terms: Terms) -> std::io::Result<Option<Capability>> {
        let seed = random_seed()?;
        let mut hub = self.shards[0].lock();
        let now = hub.now();
        let helper = hub.relay_mut().filter(|helper| !helper.is_draining());
        Ok(helper.map(|helper| helper.office().issue(now, client, terms, seed)))
    }

    /// Takes nobody any more, and tells all neighbours to go another way; see [`Helper::drain`]. Returns when they have
    /// been told, after `most` at the latest.
    pub async fn drain(&self, most: Duration) {
        self.each(|now, helper| helper.drain(now));
        let told = async {
            while !self.each(|_, helper| helper.has_told_all()).into_iter().all(|told| told) {
                tokio::time::sleep(DRAIN_LOOK).await;
            }
            let flushed: Vec<_> = self.shards.iter().map(|shared| shared.lock().flushed()).collect();
            for flushed in flushed {
                // Without a driver nothing goes out any more.
                let _ = flushed.await;
            }
        };
        let _ = tokio::time::timeout(most, told).await;
    }

    /// What happens from now on. Who takes it too slowly misses the oldest, and is told how many.
    pub fn events(&self) -> broadcast::Receiver<RelayEvent> {
        self.told.subscribe()
    }
}
