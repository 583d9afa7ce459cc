//! What an attack on a registry needs: a host that is registered there, and an honest client that finds it.

use std::net::SocketAddr;

use tng::registry::{Registering, Registration, RegistryError, RegistryTarget};
use tng::{Access, Endpoint};
use tng_base::Eid;

use super::relays::endpoint_of;
use super::siege::{seen_at, source};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::location::Location;
use crate::pings;

/// What a target is, to those who ask it where others are.
#[derive(Debug)]
pub enum Registry {
    /// It is no registry.
    None,
    /// It registers nobody of us, and why.
    Closed(String),
    /// It is one that can be attacked.
    Open(Box<Registered>),
}

/// A host that is registered, and the registry.
#[derive(Clone, Debug)]
pub struct Registered {
    at: RegistryTarget,
    own: SocketAddr,
    host: Endpoint,
    registration: Registration,
}

impl Registry {
    /// Registers a host at the target, which heeds introductions as every host does.
    ///
    /// # Errors
    /// If this host has no room for a socket.
    pub async fn meet(target: &Location, address: SocketAddr) -> Result<Registry, Failure> {
        let door = Some(target.capability.clone()).filter(|door| !door.is_empty());
        let at = RegistryTarget { eid: target.eid, addresses: vec![address], door };
        let ip = seen_at(address, source(address, 0))
            .map_err(|error| Failure::new(Exit::Send, "opening a socket", reason(&error)))?;
        // On the loopback the attackers have addresses of their own.
        let ip = if ip.is_loopback() { address.ip().to_canonical() } else { ip };
        let own = SocketAddr::new(ip, 0);
        match registered(&at, own).await? {
            Ok((host, registration)) => Ok(Registry::Open(Box::new(Registered { at, own, host, registration }))),
            Err(RegistryError::Denied(why)) => Ok(Registry::Closed(why.to_string())),
            Err(_) => Ok(Registry::None),
        }
    }
}

/// A new host, and its registration.
async fn registered(
    at: &RegistryTarget,
    own: SocketAddr,
) -> Result<Result<(Endpoint, Registration), RegistryError>, Failure> {
    let host = endpoint_of(Access::Public, Some(own)).await?;
    pings::answer(&host)?;
    Ok(host.register(at, Registering::default()).await.map(|registration| (host, registration)))
}

impl Registered {
    /// Who is registered, and where that is.
    pub fn host(&self) -> (Eid, SocketAddr) {
        (self.host.eid(), self.registration.observed().unwrap_or_else(|| self.host.local_addr()))
    }

    /// A host that nobody has met registers, and a client that knows its EID alone finds it, and has its answer.
    pub async fn attempt(&self) -> Option<()> {
        let (host, _registration) = registered(&self.at, self.own).await.ok()?.ok()?;
        let client = Endpoint::builder().registry(self.at.clone()).build().await.ok()?;
        let connection = client.connect(host.eid()).await.ok()?;
        pings::ping(&connection, 1).await.ok()?;
        connection.close(0, "");
        // That is said before they are gone.
        tokio::join!(client.close(), host.close());
        Some(())
    }
}
