//! How a host is reached that was found: by way of the registry's relay at first, if a NAT stands before it, while the
//! two are introduced to each other; and what is done when its connection wants an introduction, or it is away.

use core::time::Duration;

use tng_base::{Instant, PathCondition};
use tng_endpoint::INTRODUCED_FOR;
use tng_services::registry::{Attended, Statement, Word};
use tng_stack::{Target, Via};

use super::client::{Found, Introduction, RegistryTarget};
use crate::connection::{Connection, WeakConnection};
use crate::endpoint::{Endpoint, WeakEndpoint};
use crate::events::{ConnectionEvent, Events};
use crate::help::HelperTarget;
use crate::lock::Clock;

/// How long a host is asked directly, which is seen where it says that it is, before it is asked for an introduction as
/// well: a firewall may stand before it.
pub const INTRODUCED_AFTER: Duration = Duration::from_millis(500);
/// How long a registry that has the binding to a host may take to give leave to go by way of it.
pub const RELAY_ASKED_WITHIN: Duration = Duration::from_secs(2);
/// The pause before a host that is away is watched for anew, when the registry has ended that.
pub const WATCH_AGAIN_AFTER: Duration = Duration::from_secs(2);

impl Endpoint {
    /// The way to a host that was found, for [`dial`](Endpoint::dial), and [`meet`](Endpoint::meet) after that. A host
    /// that is seen elsewhere than it says that it is has a NAT before it: the way leads through the registry that has
    /// the binding to it, if that relays for this host, and only until a direct one opens.
    pub async fn way_to(&self, found: &Found) -> Target {
        let mut target = found.target();
        if let Some(attended) = found.behind() {
            target.via.extend(self.relay_at(attended).await);
        }
        target
    }

    /// The registry that attends to a host, as a relay, if it is one.
    async fn relay_at(&self, attended: &Attended) -> Option<Via> {
        let RegistryTarget { eid, addresses, door } = self.registries().target_of(attended);
        let helper = HelperTarget { door, ..HelperTarget::new(eid, addresses) };
        // What is no relay, or not for us, is not needed: the host may answer directly.
        let via = tokio::time::timeout(RELAY_ASKED_WITHIN, self.via(&helper)).await.ok()?.ok()?;
        Some(Via { only_to_reach: true, ..via })
    }

    /// Sees to it, for as long as the connection is there, that it leads to the host that was found wherever that goes,
    /// and directly if it can: the registry introduces the two whenever a direct path is wanted, and is watched while
    /// the host is away. Call it after [`dial`](Endpoint::dial); [`connect`](Endpoint::connect) has done so.
    pub fn meet(&self, connection: &Connection, found: Found) {
        if found.attended.is_none() {
            return;
        }
        // A NAT before it says that nobody listens there until both have sent something.
        connection.be_patient();
        let (events, connection) = (connection.events(), connection.downgrade());
        let (endpoint, clock) = (self.downgrade(), Clock::start());
        let meeting = Meeting { endpoint, connection, events, found, clock, met_at: None };
        let task = self.runtime().spawn(meeting.run());
        self.registries().note_task(task.abort_handle());
    }

    /// Has the registry introduce this host and the one that was found, and begins. Answers whether it has.
    async fn introduced_to(&self, found: &Found) -> bool {
        // Why not, the connection tells: it stays relayed, or does not come about.
        let Ok(introduction) = self.introduce(found).await else { return false };
        let mut introduction = tng_stack::Introduction::from(introduction);
        // Both may be behind the same NAT.
        let observed = introduction.addresses[0];
        introduction.addresses.extend(found.record.addresses.iter().filter(|own| **own != observed));
        self.introduced(&introduction)
    }
}

impl Found {
    /// The registry that attends to it, if it is seen there elsewhere than it says that it is.
    fn behind(&self) -> Option<&Attended> {
        self.attended.as_ref().filter(|attended| !self.record.addresses.contains(&attended.observed))
    }
}

impl From<Introduction> for tng_stack::Introduction {
    fn from(introduction: Introduction) -> tng_stack::Introduction {
        let Introduction { peer: eid, observed, nonce, begin_in, .. } = introduction;
        tng_stack::Introduction { eid, addresses: vec![observed], nonce, begin_in }
    }
}

/// Whether an event says that there is a path to the peer.
const fn is_there(event: &ConnectionEvent) -> bool {
    matches!(
        event,
        ConnectionEvent::Back
            | ConnectionEvent::PathAdded { .. }
            | ConnectionEvent::Condition { condition: PathCondition::Good, .. }
    )
}

/// A connection to a host that was found.
struct Meeting {
    endpoint: WeakEndpoint,
    connection: WeakConnection,
    events: Events,
    found: Found,
    clock: Clock,
    /// When the two were introduced last.
    met_at: Option<Instant>,
}

impl Meeting {
    async fn run(mut self) {
        let mut wanted = self.found.behind().is_some();
        if !wanted {
            tokio::time::sleep(INTRODUCED_AFTER).await;
            let Some(connection) = self.connection.upgrade() else { return };
            wanted = connection.remote_address().is_none() && !connection.is_over();
        }
        if wanted {
            let Some(endpoint) = self.endpoint.upgrade() else { return };
            self.meet(&endpoint).await;
        }
        while let Some(event) = self.events.next().await {
            let goes_on = match event {
                // It was told while an introduction was asked for: that is under way.
                ConnectionEvent::WantsIntroduction if self.is_met() => Some(()),
                ConnectionEvent::WantsIntroduction => self.find_again().await,
                ConnectionEvent::Away => self.look_for().await,
                ConnectionEvent::Condition { condition, .. } if condition != PathCondition::Good => {
                    self.look_for().await
                }
                _ => Some(()),
            };
            if goes_on.is_none() {
                return;
            }
        }
    }

    async fn meet(&mut self, endpoint: &Endpoint) {
        if endpoint.introduced_to(&self.found).await {
            self.met_at = Some(self.clock.now());
        }
    }

    /// Whether an introduction is under way.
    fn is_met(&self) -> bool {
        self.met_at.is_some_and(|at| self.clock.now().since(at) < INTRODUCED_FOR)
    }

    /// The two are introduced anew, where they are now. Nothing if one of the handles is gone.
    async fn find_again(&mut self) -> Option<()> {
        let endpoint = self.endpoint.upgrade()?;
        if let Ok(found) = endpoint.look_up_with(self.found.eid, self.found.token.clone()).await
            && found.eid == self.found.eid
        {
            self.found = found;
        }
        self.meet(&endpoint).await;
        Some(())
    }

    /// The host does not answer, or is away: it is looked for wherever the registry says, until there is a good path to
    /// it. Nothing if one of the handles is gone, or the connection over.
    async fn look_for(&mut self) -> Option<()> {
        loop {
            let watching = self.endpoint.upgrade()?.watch(self.found.eid, self.found.token.clone()).await;
            if let Ok(mut watching) = watching {
                loop {
                    tokio::select! {
                        said = watching.next() => match said {
                            Some(Ok((statement, attended))) => self.note(&statement, attended).await?,
                            // It may register again.
                            Some(Err(_)) => {}
                            None => break,
                        },
                        event = self.events.next() => if is_there(&event?) { return Some(()) },
                    }
                }
            }
            tokio::select! {
                () = tokio::time::sleep(WATCH_AGAIN_AFTER) => {}
                event = self.events.next() => if is_there(&event?) { return Some(()) },
            }
        }
    }

    /// The registry says where the host is now.
    async fn note(&mut self, statement: &Statement, attended: Option<Attended>) -> Option<()> {
        // Of a key that was replaced or revoked nothing is said here: the connection has proven it, and goes on.
        let Word::Here(record) = &statement.word else { return Some(()) };
        self.found = Found { record: record.clone(), attended, ..self.found.clone() };
        let endpoint = self.endpoint.upgrade()?;
        self.connection.upgrade()?.reach(self.found.addresses());
        if self.found.attended.is_some() {
            self.meet(&endpoint).await;
        }
        Some(())
    }
}
