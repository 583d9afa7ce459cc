//! Endpoints: one identity, one socket, many connections.

use core::fmt;
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::Arc;

use tng_base::Eid;
use tng_stack::structured::{NAME_MAX, ServiceOptions};
use tng_stack::{Access, ConnectError, Host, HostConfig, Identity, Target};
use tokio::runtime::Handle;

use crate::address::local_addresses;
use crate::connection::{Connecting, Connection, Incoming};
use crate::driver::Driver;
use crate::error::BindError;
use crate::hub::{Attempt, Hub};
use crate::lock::Shared;
use crate::outbox::SendCounters;
use crate::socket::{Socket, UdpSocket};

/// 32 bytes that nobody can guess, from the operating system: for an [`Identity`], or a capability.
///
/// # Errors
/// If the system has none to give.
pub fn random_seed() -> std::io::Result<[u8; 32]> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    Ok(seed)
}

/// Makes an [`Endpoint`]. See [`Endpoint::builder`].
#[derive(Debug)]
pub struct Builder {
    identity: Option<Identity>,
    addr: SocketAddr,
    socket: Option<Arc<dyn Socket>>,
    config: HostConfig,
    services: Vec<(String, String, ServiceOptions)>,
}

impl Builder {
    fn new() -> Builder {
        let mut config = HostConfig::new(Access::Nobody);
        config.auto_accept = false;
        let addr = SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 0);
        Builder { identity: None, addr, socket: None, config, services: Vec::new() }
    }

    /// Who the endpoint is. Without it: a new identity, which nobody has heard of.
    pub fn identity(mut self, identity: Identity) -> Builder {
        self.identity = Some(identity);
        self
    }

    /// The address to bind to. Without it: any free port of every address, IPv6 and IPv4.
    pub fn bind(mut self, addr: SocketAddr) -> Builder {
        self.addr = addr;
        self
    }

    /// A socket to use instead of binding one.
    pub fn socket(mut self, socket: Arc<dyn Socket>) -> Builder {
        self.socket = Some(socket);
        self
    }

    /// Who may connect. Without it: nobody.
    pub fn access(mut self, access: Access) -> Builder {
        self.config.access = access;
        self
    }

    /// Offers a service under a name, by a protocol.
    pub fn listen(mut self, service: &str, protocol: &str, options: ServiceOptions) -> Builder {
        self.services.push((service.to_owned(), protocol.to_owned(), options));
        self
    }

    /// The congestion controller, by name. Without it: cubic.
    pub fn controller(mut self, name: &str) -> Builder {
        name.clone_into(&mut self.config.controller);
        self
    }

    /// Has a packet sent when nothing was sent for this long, so that the peer and the NATs between stay awake.
    pub fn keep_alive(mut self, after: Option<Duration>) -> Builder {
        self.config.keep_alive = after;
        self
    }

    /// Has a connection end when nothing arrived for this long; the smaller of both sides' times counts. `None`: never.
    pub fn idle_timeout(mut self, after: Option<Duration>) -> Builder {
        self.config.idle_timeout = after;
        self
    }

    /// Changes any setting of the host.
    pub fn configure(mut self, change: impl FnOnce(&mut HostConfig)) -> Builder {
        change(&mut self.config);
        // Peers are accepted through `Endpoint::accept`.
        self.config.auto_accept = false;
        self
    }

    /// Binds the socket and starts the driver on the current tokio runtime.
    ///
    /// # Errors
    /// See [`BindError`].
    pub async fn build(self) -> Result<Endpoint, BindError> {
        let runtime = Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        // Only to see that the name is known.
        tng_congestion::registry::make(&self.config.controller, 1200)?;
        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity::from_seed(random_seed().map_err(BindError::System)?),
        };
        let mut host = Host::new(self.config, identity, random_seed().map_err(BindError::System)?);
        for (service, protocol, options) in &self.services {
            check_names(service, protocol)?;
            host.listen(service, protocol, *options);
        }
        let addr = self.addr;
        let socket = match self.socket {
            Some(socket) => socket,
            None => Arc::new(UdpSocket::bind(addr).map_err(|source| BindError::Address { addr, source })?),
        };
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        let eid = host.eid();
        let shared = Arc::new(Shared::new(Hub::new(host, runtime.clone())));
        runtime.spawn(Driver::new(Arc::clone(&shared), socket));
        Ok(Endpoint { door: Arc::new(Door { shared, eid, local_addr }) })
    }
}

fn check_names(service: &str, protocol: &str) -> Result<(), BindError> {
    let longest = service.len().max(protocol.len());
    if longest > NAME_MAX { Err(BindError::NameTooLong(longest)) } else { Ok(()) }
}

/// What every handle of an endpoint shares.
struct Door {
    shared: Arc<Shared<Hub>>,
    eid: Eid,
    local_addr: SocketAddr,
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut hub = self.shared.lock();
        hub.close();
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
        f.debug_struct("Endpoint").field("eid", &self.door.eid).field("local_addr", &self.door.local_addr).finish()
    }
}

impl Endpoint {
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

    /// This endpoint's identity.
    pub fn eid(&self) -> Eid {
        self.door.eid
    }

    /// The address that the socket is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.door.local_addr
    }

    /// The addresses at which this endpoint may be reached from this host's networks, the widest first: for a ticket. Addresses
    /// that a NAT gives it are not known here.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        local_addresses(self.door.local_addr)
    }

    /// Offers another service, to the peers of connections made from now on.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn listen(&self, service: &str, protocol: &str, options: ServiceOptions) -> Result<(), BindError> {
        check_names(service, protocol)?;
        self.door.shared.lock().host.listen(service, protocol, options);
        Ok(())
    }

    /// Connects.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self, target: Target) -> Result<Connection, ConnectError> {
        self.dial(target)?.await
    }

    /// Begins to connect. See [`Connecting`] for what can be done before awaiting it.
    ///
    /// # Errors
    /// If the target has no address, or the endpoint is closing.
    pub fn dial(&self, target: Target) -> Result<Connecting, ConnectError> {
        Connecting::dial(&self.door.shared, target)
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

    /// What has gone out through the socket.
    pub fn sent(&self) -> SendCounters {
        self.door.shared.lock().sent()
    }

    /// Closes the endpoint and all its connections with code 0, and waits until the peers' notices are out. What streams
    /// have not delivered is lost; [`finish`](crate::SendStream::finish) them first.
    pub async fn close(&self) {
        let flushed = {
            let mut hub = self.door.shared.lock();
            let now = hub.now();
            hub.close();
            hub.host.close_all(now, 0, "");
            hub.flushed()
        };
        // Without a driver nothing goes out any more.
        let _ = flushed.await;
    }
}
