//! Endpoints: one identity, one socket, many connections.

use core::fmt;
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use tng_base::{Eid, Semantic};
use tng_crypto::{Secret32, Zeroizing};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, ConnectError, ListedTicket, Target, TicketId, Tickets};
use tng_trickles::server::ServerStats;
use tokio::runtime::Handle;

use crate::address::local_addresses;
use crate::builder::{Builder, bind, check_names};
use crate::connection::{Connecting, Connection};
use crate::driver::Driver;
use crate::error::{BindError, IssueError};
use crate::hub::{Attempt, Hub};
use crate::incoming::Incoming;
use crate::lock::Shared;
use crate::outbox::SendCounters;
use crate::socket::Socket;
use crate::speaking::Speaking;
use crate::ticket::{Ticket, TicketFull};

/// 32 bytes that nobody can guess, from the operating system: for an [`Identity`](crate::Identity), or a capability.
///
/// # Errors
/// If the system has none to give.
pub fn random_seed() -> std::io::Result<Secret32> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut seed[..])?;
    Ok(Secret32::from_bytes(*seed))
}

/// The ticket that [`Endpoint::ticket`] gives.
const STANDING: TicketId = TicketId(0);
/// How often a host with tickets is told the time of day.
pub const TIME_TOLD_EVERY: Duration = Duration::from_secs(1);

#[expect(clippy::disallowed_methods, reason = "tickets expire by the time of day")]
pub(crate) fn time_of_day() -> SystemTime {
    SystemTime::now()
}

/// The time since 1970.
pub(crate) fn unix(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Tells an endpoint the time of day for as long as it is there, and has tickets or seals with keys of the day.
async fn tell_time(shared: Weak<Shared<Hub>>) {
    loop {
        tokio::time::sleep(TIME_TOLD_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut hub = shared.lock();
        if hub.stateless().is_none() && !matches!(hub.host().config().access, Access::Tickets(_)) {
            return;
        }
        let now = hub.now();
        hub.tell_time(now, unix(time_of_day()));
        hub.touch();
    }
}

/// What every handle of an endpoint shares.
struct Door {
    shared: Arc<Shared<Hub>>,
    eid: Eid,
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut hub = self.shared.lock();
        let now = hub.now();
        hub.close(now);
        hub.touch();
    }
}

/// One identity on one socket: connects to peers and accepts them. Cheap to clone; every clone is the same endpoint.
///
/// When the last handle is dropped nobody is accepted any more. Connections go on for as long as they have handles of
/// their own; the socket closes after the last of them.
#[derive(Clone)]
pub struct Endpoint {
    door: Arc<Door>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("eid", &self.door.eid).field("local_addr", &self.local_addr()).finish()
    }
}

impl Endpoint {
    /// Starts the driver, and what tells the time of day if that is wanted.
    pub(crate) fn begin(
        hub: Hub,
        socket: Arc<dyn Socket>,
        busy_poll: Duration,
        runtime: &Handle,
        wants_time: bool,
    ) -> Endpoint {
        let eid = hub.host().eid();
        let shared = Arc::new(Shared::new(hub));
        runtime.spawn(Driver::new(Arc::clone(&shared), socket).busy_poll(busy_poll));
        if wants_time {
            runtime.spawn(tell_time(Arc::downgrade(&shared)));
        }
        Endpoint { door: Arc::new(Door { shared, eid }) }
    }

    /// Begins an endpoint.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = tng::Endpoint::builder()
    ///     .bind("127.0.0.1:0".parse()?)
    ///     .access(tng::Access::Public)
    ///     .listen("echo", "bytes", tng::ServiceOptions::default())
    ///     .build()
    ///     .await?;
    /// println!("{} at {}", server.eid(), server.local_addr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// What its handles share with its driver.
    pub(crate) fn shared(&self) -> &Arc<Shared<Hub>> {
        &self.door.shared
    }

    /// This endpoint's identity.
    pub fn eid(&self) -> Eid {
        self.door.eid
    }

    /// The address that the socket is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.door.shared.lock().local_addr
    }

    /// The addresses at which this endpoint may be reached from this host's networks, the widest first: for a ticket.
    /// Addresses that a NAT gives it are not known here.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        local_addresses(self.local_addr())
    }

    /// Offers another service, to the peers of connections made from now on.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn listen(&self, service: &str, protocol: &str, options: ServiceOptions) -> Result<(), BindError> {
        check_names(service, protocol)?;
        self.door.shared.lock().host_mut().listen(service, protocol, options);
        Ok(())
    }

    /// How to reach this endpoint from this host's networks, with the capability that opens it if one is needed. With
    /// [`Access::Tickets`] it is the same one each time, and good until it is [revoked](Endpoint::revoke).
    ///
    /// # Errors
    /// If the capability is longer than any that can be shown.
    pub fn ticket(&self) -> Result<Ticket, TicketFull> {
        let (capability, tickets) = match &self.door.shared.lock().host().config().access {
            Access::Capability(capability) => (capability.clone(), false),
            access => (Vec::new(), matches!(access, Access::Tickets(_))),
        };
        let standing = |tickets: &mut Tickets| {
            let _ = tickets.get(STANDING).is_some()
                || tickets.list(STANDING, ListedTicket { generation: 1, expires_s: None });
            tickets.capability(STANDING)
        };
        let capability = if tickets { self.change(standing).flatten().ok_or(TicketFull)? } else { capability };
        self.ticket_of(capability)
    }

    /// A new ticket, for [`Access::Tickets`], that expires at `expires`, to the second: nobody comes in with it
    /// afterwards, and who came in is shown out; of clients of which nothing is kept, within two
    /// [epochs](crate::trickles::EPOCH). `None` is never.
    ///
    /// # Errors
    /// If there are too many tickets, or it is not tickets that open this endpoint.
    pub fn issue(&self, expires: Option<SystemTime>) -> Result<Ticket, IssueError> {
        let seed = random_seed().map_err(IssueError::System)?;
        let id = TicketId(u64::from_be_bytes(core::array::from_fn(|i| seed.expose()[i])));
        let expires_s = expires.map(|expires| unix(expires).as_secs());
        let capability = self.change(|tickets| {
            let listed = tickets.list(id, ListedTicket { generation: 1, expires_s });
            listed.then(|| tickets.capability(id)).flatten()
        });
        let capability = capability.ok_or(IssueError::NoTickets)?.ok_or(IssueError::TooMany)?;
        Ok(self.ticket_of(capability).expect("the capability of a ticket is shorter than any may be"))
    }

    /// Makes a ticket worthless, and shows those out who came in with it, as [`issue`](Endpoint::issue) says. Answers
    /// whether it was good.
    pub fn revoke(&self, ticket: &Ticket) -> bool {
        let revoked = self.change(|tickets| match tickets.check(ticket.capability()) {
            // It is to be there again, another one, when it is asked for.
            Ok(STANDING) => {
                let generation = tickets.get(STANDING).map_or(1, |listed| listed.generation.wrapping_add(1));
                tickets.list(STANDING, ListedTicket { generation, expires_s: None })
            }
            Ok(id) => tickets.revoke(id),
            Err(_) => false,
        });
        revoked.unwrap_or(false)
    }

    /// Replaces who may connect. Peers that are there and might not come in any more are shown out, as
    /// [`issue`](Endpoint::issue) says.
    pub fn set_access(&self, access: Access) {
        let mut hub = self.door.shared.lock();
        let (now, before) = (hub.now(), matches!(hub.host().config().access, Access::Tickets(_)));
        hub.host_mut().set_access(now, access);
        hub.tell_time(now, unix(time_of_day()));
        hub.align_access();
        if !before && hub.stateless().is_none() && matches!(hub.host().config().access, Access::Tickets(_)) {
            hub.runtime.spawn(tell_time(Arc::downgrade(&self.door.shared)));
        }
        hub.touch();
    }

    fn change<T>(&self, change: impl FnOnce(&mut Tickets) -> T) -> Option<T> {
        let mut hub = self.door.shared.lock();
        let now = hub.now();
        let changed = hub.host_mut().change_tickets(now, change);
        hub.align_access();
        hub.touch();
        changed
    }

    fn ticket_of(&self, capability: Vec<u8>) -> Result<Ticket, TicketFull> {
        let mut addresses = self.local_addresses();
        addresses.truncate(Ticket::ADDRESSES_MAX);
        Ticket::new(self.eid(), addresses, capability)
    }

    /// Connects, to the host of a [`Ticket`] or another [`Target`].
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self, target: impl Into<Target>) -> Result<Connection, ConnectError> {
        self.dial(target)?.await
    }

    /// Begins to connect. See [`Connecting`] for what can be done before awaiting it.
    ///
    /// # Errors
    /// If the target has no address, or the endpoint is closing.
    pub fn dial(&self, target: impl Into<Target>) -> Result<Connecting, ConnectError> {
        Connecting::dial(&self.door.shared, target.into(), None)
    }

    /// Connects, to speak the protocol that the peer has [registered](Builder::register) under this name; `protocol` is
    /// this end of it. What it has to say already rides in the first packet.
    ///
    /// # Errors
    /// See [`ConnectError`]; a peer that does not speak the protocol refuses with code 4.
    pub async fn connect_speaking<P: Semantic>(
        &self,
        target: impl Into<Target>,
        name: &str,
        protocol: P,
    ) -> Result<Speaking<P>, ConnectError> {
        let connecting = Connecting::dial(&self.door.shared, target.into(), Some((name, Box::new(protocol))))?;
        Ok(Speaking::new(connecting.await?))
    }

    /// Waits for the next peer that asks to connect and has access. `None` when the endpoint is closed.
    pub async fn accept(&self) -> Option<Incoming> {
        loop {
            let asks = Arc::clone(&self.door.shared.lock().asks);
            let asked = asks.notified();
            if let Attempt::Done(asking) = self.door.shared.lock().next_asking() {
                return asking.map(|asking| Incoming::new(&self.door.shared, asking));
            }
            asked.await;
        }
    }

    /// Moves to another address: the network under this host has changed, or the port is to. Connections, their streams
    /// and what is on its way survive, and so does its [`place`](Builder::place); the peers see
    /// [`ConnectionEvent::Moved`](crate::ConnectionEvent::Moved).
    ///
    /// # Errors
    /// If the address cannot be bound; the endpoint stays where it was. See [`BindError`].
    pub fn rebind(&self, addr: SocketAddr) -> Result<(), BindError> {
        self.rebind_to(bind(addr)?)
    }

    /// Moves to another socket, as [`rebind`](Endpoint::rebind) does.
    ///
    /// # Errors
    /// If the socket does not know its address.
    pub fn rebind_to(&self, socket: Arc<dyn Socket>) -> Result<(), BindError> {
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        let mut hub = self.door.shared.lock();
        hub.local_addr = local_addr;
        hub.rebind(socket);
        Ok(())
    }

    /// What the endpoint has done for those who keep everything themselves, if it serves them.
    pub fn stateless_stats(&self) -> Option<ServerStats> {
        self.door.shared.lock().stateless().map(|server| *server.stats())
    }

    /// How much the endpoint has to do for them, from 0 to 1: beyond one half it grants less.
    pub fn set_stateless_load(&self, load: f64) {
        if let Some(server) = self.door.shared.lock().stateless_mut() {
            server.set_load(load);
        }
    }

    /// What has gone out through the socket.
    pub fn sent(&self) -> SendCounters {
        self.door.shared.lock().sent()
    }

    /// Why a trace, a key log or a capture is not written any more, once. The endpoint goes on without it.
    pub fn take_observer_failure(&self) -> Option<std::io::Error> {
        self.door.shared.lock().observer.as_mut()?.take_failure()
    }

    /// Closes the endpoint and all its connections with code 0, and waits until the peers' notices are out. What
    /// streams have not delivered is lost; [`finish`](crate::SendStream::finish) them first.
    pub async fn close(&self) {
        let flushed = {
            let mut hub = self.door.shared.lock();
            let now = hub.now();
            hub.close(now);
            hub.host_mut().close_all(now, 0, "");
            hub.flushed()
        };
        // Without a driver nothing goes out any more.
        let _ = flushed.await;
        if let Some(observer) = &mut self.door.shared.lock().observer {
            observer.flush();
        }
    }
}
