//! A host that is registered: renewed, attended to, and told of introductions, for as long as somebody wants it.

use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::Eid;
use tng_endpoint::is_carried;
use tng_services::registry::{ADDRESSES_MAX, Answer, Ask, Denied, Policy, Record, Statement, Word};
use tng_stack::ConnectError;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use super::client::{self, Introduction, RegistryTarget};
use super::error::RegistryError;
use crate::address::without_loopback;
use crate::connection::Connection;
use crate::endpoint::{Endpoint, WeakEndpoint, random_seed, time_of_day, unix};
use crate::events::{ConnectionEvent, Events};
use crate::request::AnswerStream;

/// The longest time between two renewals, whatever the lease: NATs forget after half a minute.
pub const RENEW_EVERY_MAX: Duration = Duration::from_secs(20);
/// How long a record is good that is signed anew; it is at half of that.
pub const RECORD_LIFE: Duration = Duration::from_secs(86_400);
/// The pause after a registration that failed, about; doubles.
pub const REGISTER_AGAIN_FIRST: Duration = Duration::from_millis(500);
/// The longest such pause, about.
pub const REGISTER_AGAIN_MAX: Duration = Duration::from_secs(30);
/// How long all registries of a host may take to hear that it goes.
pub const WITHDRAWN_WITHIN: Duration = Duration::from_millis(500);
/// Introductions that wait for somebody to take them; further ones are lost.
pub const INTRODUCED_KEPT: usize = 32;

/// How a host is registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registering {
    /// Who may look it up.
    pub policy: Policy,
    /// Where it says that it is; `None`: at [`Endpoint::local_addresses`], without those of the loopback if there are
    /// others and no registry is asked there.
    pub addresses: Option<Vec<SocketAddr>>,
    /// For how long the registry shall believe that it is there when it hears no more; `None`: as the registry likes.
    pub lease: Option<Duration>,
}

impl Default for Registering {
    fn default() -> Registering {
        Registering { policy: Policy::Public, addresses: None, lease: None }
    }
}

/// How it stands with a registration.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Standing {
    /// The first time is still to come.
    Beginning,
    /// The host is registered.
    Registered {
        /// The lease, as the registry has granted it.
        lease: Duration,
        /// From where the registry sees this host.
        observed: SocketAddr,
    },
    /// It is not, or not for long any more, and tries again: why, in words.
    Failing(String),
}

/// A stay at a registry.
#[derive(Debug)]
pub(crate) struct Stay {
    target: RegistryTarget,
    what: Registering,
    standing: watch::Sender<Standing>,
    introduced: tokio::sync::Mutex<mpsc::Receiver<Introduction>>,
    connection: Mutex<Option<Connection>>,
    task: Mutex<Option<AbortHandle>>,
}

impl Drop for Stay {
    fn drop(&mut self) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl Stay {
    pub(super) fn registry(&self) -> Eid {
        self.target.eid
    }

    /// Whether the registry is on this host.
    pub(super) fn is_near(&self) -> bool {
        self.target.addresses.iter().any(|at| at.ip().is_loopback())
    }

    /// The connection by which the host is attended to, while it is.
    pub(super) fn connection(&self) -> Option<Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes how it stands; that it stands as before is told to nobody.
    fn stands(&self, now: Standing) {
        self.standing.send_if_modified(|standing| {
            let is_new = *standing != now;
            *standing = now;
            is_new
        });
    }

    fn set_connection(&self, connection: Option<Connection>) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }

    fn new(target: RegistryTarget, what: Registering) -> (Arc<Stay>, mpsc::Sender<Introduction>) {
        let (tell, introduced) = mpsc::channel(INTRODUCED_KEPT);
        let stay = Stay {
            target,
            what,
            standing: watch::Sender::new(Standing::Beginning),
            introduced: tokio::sync::Mutex::new(introduced),
            connection: Mutex::default(),
            task: Mutex::default(),
        };
        (Arc::new(stay), tell)
    }

    /// Registers, and stays.
    pub(super) async fn begin(
        endpoint: &Endpoint,
        target: RegistryTarget,
        what: Registering,
    ) -> Result<Arc<Stay>, RegistryError> {
        let (stay, tell) = Stay::new(target, what);
        let visit = Visit::begin(endpoint, &stay).await?;
        stay.go_on(endpoint, tell, Some(visit));
        Ok(stay)
    }

    /// Stays, or comes as soon as that is possible.
    fn go_on(self: &Arc<Stay>, endpoint: &Endpoint, tell: mpsc::Sender<Introduction>, visit: Option<Visit>) {
        let again = Again { endpoint: endpoint.downgrade(), stay: Arc::downgrade(self), tell };
        let task = endpoint.runtime().spawn(again.run(visit)).abort_handle();
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.clone());
        endpoint.registries().note_stay(self, task);
    }
}

/// From half of a pause to one and a half: hosts that a registry has lost all at once do not all come back at once.
fn around(pause: Duration) -> Duration {
    let drawn = random_seed().map_or(128, |seed| seed.expose()[0]);
    pause / 2 + pause * u32::from(drawn) / 256
}

/// A connection on which a host is attended to.
struct Visit {
    registry: RegistryTarget,
    connection: Connection,
    answers: AnswerStream,
    events: Events,
    lease: Duration,
}

impl Visit {
    async fn begin(endpoint: &Endpoint, stay: &Stay) -> Result<Visit, RegistryError> {
        let connection = client::dial(endpoint, &stay.target)?;
        let begun = async {
            let lease = register(endpoint, stay, &connection).await?;
            match client::follow(&stay.target, &connection, &Ask::Attend).await? {
                (answers, Answer::Attended) => Ok((lease, answers)),
                _ => Err(RegistryError::Malformed),
            }
        };
        match begun.await {
            Ok((lease, answers)) => {
                stay.set_connection(Some(connection.clone()));
                let registry = stay.target.clone();
                Ok(Visit { registry, events: connection.events(), connection, answers, lease })
            }
            Err(error) => {
                connection.close(0, "");
                Err(error)
            }
        }
    }
}

/// Says where this host is.
async fn register(endpoint: &Endpoint, stay: &Stay, connection: &Connection) -> Result<Duration, RegistryError> {
    let what = &stay.what;
    let lease_s = what.lease.map_or(0, |lease| u32::try_from(lease.as_secs()).unwrap_or(u32::MAX).max(1));
    let mut above = 0;
    loop {
        // The same at all registries: several may share what they keep.
        let is_near = stay.is_near() || endpoint.registries().is_any_near();
        let statement = endpoint.registries().say(|before| signed(endpoint, (what, is_near), before, above));
        let ask = Ask::Register { lease_s, policy: what.policy.clone(), statement };
        match client::request(&stay.target, connection, &ask).await {
            Ok(Answer::Registered { lease_s, observed }) => {
                let lease = Duration::from_secs(lease_s.into());
                // By a carrier it sees no address of this host's.
                if let Some(observer) = connection.remote_address().filter(|at| !is_carried(at.ip())) {
                    endpoint.note_seen(observer, observed);
                }
                stay.stands(Standing::Registered { lease, observed });
                return Ok(lease);
            }
            Ok(_) => return Err(RegistryError::Malformed),
            // The clock was further on, or another process of this host has registered.
            Err(RegistryError::Denied(Denied::Older(order))) if order.rank == 0 && above == 0 => above = order.number,
            Err(error) => return Err(error),
        }
    }
}

/// Of a host's own addresses those that others can use: all of them, if a registry is so near that they are on this
/// host as well.
fn told_of(own: Vec<SocketAddr>, is_near: bool) -> Vec<SocketAddr> {
    if is_near { own } else { without_loopback(own) }
}

/// The record for now: the one before, unless that has aged or something has changed.
fn signed(
    endpoint: &Endpoint,
    (what, is_near): (&Registering, bool),
    before: Option<Statement>,
    above: u64,
) -> Statement {
    let now = unix(time_of_day());
    let mut addresses = what.addresses.clone().unwrap_or_else(|| told_of(endpoint.local_addresses(), is_near));
    addresses.truncate(ADDRESSES_MAX);
    let mut number = now.as_millis() as u64;
    if let Some(Statement { word: Word::Here(record), .. }) = &before {
        let is_young = record.expires_s > (now + RECORD_LIFE / 2).as_secs();
        if is_young && record.addresses == addresses && record.number > above {
            return before.expect("it was just there");
        }
        number = number.max(record.number.saturating_add(1));
    }
    number = number.max(above.saturating_add(1));
    let expires_s = (now + RECORD_LIFE).as_secs();
    Statement::new(endpoint.identity(), Word::Here(Record { number, expires_s, addresses }))
}

impl Stay {
    /// Has nobody find this host here any more, and stays no longer: it says what it said before, for nobody, and with
    /// the shortest lease. That it cannot be told is no failure: the lease ends.
    pub(super) async fn withdraw(&self, statement: Statement) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
        let Some(connection) = self.connection() else { return };
        let ask = Ask::Register { lease_s: 1, policy: Policy::Listed(Vec::new()), statement };
        let _ = client::request(&self.target, &connection, &ask).await;
    }
}

/// What stays, and comes back.
struct Again {
    endpoint: WeakEndpoint,
    stay: std::sync::Weak<Stay>,
    tell: mpsc::Sender<Introduction>,
}

impl Again {
    async fn run(mut self, mut visit: Option<Visit>) {
        let mut pause = REGISTER_AGAIN_FIRST;
        loop {
            let ended = match visit.take() {
                Some(visit) => {
                    pause = REGISTER_AGAIN_FIRST;
                    self.attend(visit).await
                }
                None => {
                    let (Some(endpoint), Some(stay)) = (self.endpoint.upgrade(), self.stay.upgrade()) else { return };
                    Visit::begin(&endpoint, &stay).await.map(|begun| visit = Some(begun))
                }
            };
            let Some(stay) = self.stay.upgrade() else { return };
            let Err(error) = ended else { continue };
            stay.set_connection(None);
            // The endpoint is closed: that is no failure of the registry's.
            if self.endpoint.upgrade().is_none_or(|endpoint| !endpoint.is_running()) {
                return;
            }
            stay.stands(Standing::Failing(error.to_string()));
            drop(stay);
            tokio::time::sleep(around(pause)).await;
            pause = (pause * 2).min(REGISTER_AGAIN_MAX);
        }
    }

    /// Is attended to until that is over, and renews meanwhile: at a third of the lease, and when a path has changed.
    async fn attend(&mut self, mut visit: Visit) -> Result<(), RegistryError> {
        let due = |lease: Duration| Box::pin(tokio::time::sleep((lease / 3).min(RENEW_EVERY_MAX)));
        let mut renewal = due(visit.lease);
        loop {
            let renews = tokio::select! {
                answer = client::next(&visit.registry, &mut visit.answers) => match answer? {
                    Some(Answer::Introduced(introduced)) => {
                        let introduction = Introduction::from(introduced);
                        if let Some(endpoint) = self.endpoint.upgrade() {
                            endpoint.introduced(&introduction.into());
                        }
                        // Who does not look misses some.
                        let _ = self.tell.try_send(introduction);
                        false
                    }
                    Some(_) => return Err(RegistryError::Malformed),
                    None => return Err(RegistryError::Denied(Denied::Unavailable)),
                },
                event = visit.events.next() => match event {
                    Some(event) => matches!(event, ConnectionEvent::PathAdded { .. } | ConnectionEvent::Back),
                    None => return Err(RegistryError::not_reached(&visit.registry, ConnectError::TimedOut)),
                },
                () = &mut renewal => true,
            };
            if renews {
                let (Some(endpoint), Some(stay)) = (self.endpoint.upgrade(), self.stay.upgrade()) else {
                    visit.connection.close(0, "");
                    return Ok(());
                };
                visit.lease = register(&endpoint, &stay, &visit.connection).await?;
                renewal = due(visit.lease);
            }
        }
    }
}

/// A host's registration at a registry, from [`Endpoint::register`]: it is renewed, and begun anew when it is lost, for
/// as long as this is there.
#[derive(Clone, Debug)]
pub struct Registration {
    stay: Arc<Stay>,
    seen: watch::Receiver<Standing>,
}

impl Registration {
    fn new(stay: Arc<Stay>) -> Registration {
        Registration { seen: stay.standing.subscribe(), stay }
    }

    /// The registry.
    pub fn registry(&self) -> Eid {
        self.stay.registry()
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        self.stay.standing.borrow().clone()
    }

    /// Waits until it stands otherwise than it did when this was asked last, and says how. Each clone waits for itself.
    pub async fn changed(&mut self) -> Standing {
        // The sender is ours, so there may always be a change.
        let _ = self.seen.changed().await;
        self.seen.borrow_and_update().clone()
    }

    /// From where the registry sees this host, while it does.
    pub fn observed(&self) -> Option<SocketAddr> {
        match self.standing() {
            Standing::Registered { observed, .. } => Some(observed),
            Standing::Beginning | Standing::Failing(_) => None,
        }
    }

    /// The connection to the registry, while there is one: what keeps a NAT's binding.
    pub fn connection(&self) -> Option<Connection> {
        self.stay.connection()
    }

    /// Waits for the next introduction that another host has asked for: who it is. The endpoint has begun to open the
    /// way ([`Endpoint::introduced`]) when this tells. `None` when the endpoint is closed. Each is taken once, by
    /// whichever clone.
    pub async fn introduced(&self) -> Option<Introduction> {
        self.stay.introduced.lock().await.recv().await
    }
}

impl Endpoint {
    /// Registers this endpoint, so that others find it by its EID alone, and keeps it registered for as long as the
    /// result is there.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use tng::registry::{Registering, RegistryTarget};
    ///
    /// let registry: tng::Ticket = "tng1...".parse()?;
    /// let server = tng::Endpoint::builder().access(tng::Access::Public).build().await?;
    /// let _registered = server.register(&RegistryTarget::from(&registry), Registering::default()).await?;
    ///
    /// let client = tng::Endpoint::builder().registry(RegistryTarget::from(&registry)).build().await?;
    /// let connection = client.connect(server.eid()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If it does not come about at first; see [`RegistryError`].
    pub async fn register(&self, at: &RegistryTarget, what: Registering) -> Result<Registration, RegistryError> {
        Ok(Registration::new(Stay::begin(self, at.clone(), what).await?))
    }

    /// The same, and does not wait: what comes of it, [`Registration::standing`] tells. A registry that does not answer
    /// is asked again for as long as the result is there.
    pub fn keep_registered(&self, at: &RegistryTarget, what: Registering) -> Registration {
        let (stay, tell) = Stay::new(at.clone(), what);
        let registration = Registration::new(Arc::clone(&stay));
        stay.go_on(self, tell, None);
        registration
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_record_has_no_loopback_beside_other_addresses_unless_the_registry_is_there_as_well() {
        let at = |texts: &[&str]| -> Vec<SocketAddr> {
            texts.iter().map(|text| text.parse().expect("an address")).collect()
        };
        let all = at(&["192.0.2.7:1", "127.0.0.1:1", "[::1]:1"]);
        assert_eq!(told_of(all.clone(), false), at(&["192.0.2.7:1"]));
        assert_eq!(told_of(all.clone(), true), all);
        let alone = at(&["127.0.0.1:1"]);
        assert_eq!(told_of(alone.clone(), false), alone, "it has no other");
    }

    #[test]
    fn hosts_that_a_registry_has_lost_at_once_come_back_at_different_times_around_the_same() {
        let drawn: BTreeSet<Duration> = (0..256).map(|_| around(REGISTER_AGAIN_MAX)).collect();
        assert!(drawn.len() > 64, "{}", drawn.len());
        let (half, all) = (REGISTER_AGAIN_MAX / 2, REGISTER_AGAIN_MAX * 3 / 2);
        assert!(drawn.iter().all(|pause| (half..all).contains(pause)));
    }
}
