//! Clients and servers as nodes of a world, whatever they speak.

use core::net::IpAddr;

use tng_base::{Instant, Rng};
use tng_congestion::Choice;
use tng_semantic::structured::{FirstData, ServiceOptions};
use tng_sim::{App, IpProtocol, MachineNode, Node, NodeId, World};
use tng_stack::{Access, HostConfig, Identity};
use tng_trickles::Site;

use super::client::{Client, Errand, Record};
use super::server::Server;
use super::world::{ExchangeError, Way};
use crate::peers::quic as quic_host;
use crate::peers::transport::quic::{self, Quic};
use crate::peers::transport::sst::{Connections, SERVICE, Sst};
use crate::peers::transport::{Held, Transport, tcp, tell, trickles};
use crate::settings::Settings;

/// A client or a server in a world.
pub(super) trait Party: Node {
    /// What a client has; `None` of a server.
    fn record(&self) -> Option<&Record>;

    /// What a client's transport has done, in words; empty where nobody counts.
    fn account(&self) -> String;

    /// What a server keeps for its clients, where that is known.
    fn held(&self) -> Option<Held>;
}

/// A world of parties.
pub(super) type PartyWorld = World<Box<dyn Party>>;

impl<T: Transport> Party for MachineNode<T, Client<T>> {
    fn record(&self) -> Option<&Record> {
        Some(&self.app.record)
    }

    fn account(&self) -> String {
        self.machine.account()
    }

    fn held(&self) -> Option<Held> {
        None
    }
}

impl<T: Transport> Party for MachineNode<T, Server<T>> {
    fn record(&self) -> Option<&Record> {
        None
    }

    fn account(&self) -> String {
        String::new()
    }

    fn held(&self) -> Option<Held> {
        self.machine.held()
    }
}

impl Party for MachineNode<trickles::ZeroServer, ()> {
    fn record(&self) -> Option<&Record> {
        None
    }

    fn account(&self) -> String {
        String::new()
    }

    fn held(&self) -> Option<Held> {
        Some(Held { connections: 0, bytes: self.machine.held() as u64 })
    }
}

impl<T: Transport> App<T> for Client<T> {
    fn handle_event(&mut self, now: Instant, host: &mut T, event: T::Event) {
        Client::handle_event(self, now, host, event);
    }

    fn poll(&mut self, now: Instant, host: &mut T) -> Option<Instant> {
        Client::poll(self, now, host)
    }
}

impl<T: Transport> App<T> for Server<T> {
    fn handle_event(&mut self, _: Instant, host: &mut T, event: T::Event) {
        Server::handle_event(self, host, event);
    }

    fn poll(&mut self, _: Instant, _: &mut T) -> Option<Instant> {
        None
    }
}

/// What a host draws from.
pub(super) struct Lots {
    /// Whatever it needs.
    pub(super) own: Rng,
    /// Its identity.
    pub(super) key: Rng,
}

/// A host: what it speaks, under which controller, where, and what it draws from.
pub(super) struct Seat<'a> {
    pub(super) way: Way,
    pub(super) controller: &'a str,
    pub(super) at: IpAddr,
    /// Near which of its replicas a server is.
    pub(super) site: u16,
    pub(super) lots: Lots,
}

fn misnamed(error: &dyn core::fmt::Display) -> ExchangeError {
    ExchangeError::Controller(error.to_string())
}

fn choice(controller: &str) -> Result<Choice, ExchangeError> {
    controller.parse().map_err(|error| misnamed(&error))
}

fn tcp_config(controller: &str) -> Result<tng_tcp::Config, ExchangeError> {
    Ok(tng_tcp::Config { controller: choice(controller)?, ..tng_tcp::Config::default() })
}

fn quic_config(controller: &str) -> Result<quic_host::Config, ExchangeError> {
    let controller = controller.parse().map_err(|error: quic_host::UnknownController| misnamed(&error))?;
    Ok(quic_host::Config { controller, ..quic_host::Config::default() })
}

fn tng_config(controller: &str) -> Result<HostConfig, ExchangeError> {
    Ok(HostConfig { controller: choice(controller)?, ..HostConfig::new(Access::Public) })
}

fn identity(mut key: Rng) -> Identity {
    Identity::from_seed(key.bytes::<32>())
}

impl Way {
    /// Tells of a host that speaks so. A controller that it does not have is told by the run.
    pub(super) fn tell(self, settings: &mut Settings, part: &str, controller: &str) {
        let _ = match self {
            Way::Tcp => tcp_config(controller).map(|config| tell::tcp(settings, part, &config)),
            Way::Quic => quic_config(controller).map(|config| tell::quic(settings, part, &config)),
            Way::Sst { .. } => tng_config(controller).map(|config| tell::host(settings, part, &config)),
            // Its window is reno's, whatever is asked for.
            Way::Trickles(usage) => {
                tell::trickles(settings, part, usage);
                Ok(())
            }
        };
    }

    /// Gives its node the packets that are for it.
    pub(super) fn seat(self, world: &mut PartyWorld, id: NodeId) {
        match self {
            Way::Tcp => world.set_protocol(id, IpProtocol::Tcp),
            Way::Quic => world.set_port(id, quic::PORT),
            Way::Sst { .. } | Way::Trickles(_) => {}
        }
    }
}

impl Seat<'_> {
    fn tcp(self) -> Result<tng_tcp::Host, ExchangeError> {
        tng_tcp::Host::new(self.at, tcp_config(self.controller)?, self.lots.own).map_err(|error| misnamed(&error))
    }

    fn quic(self) -> Result<quic_host::Host, ExchangeError> {
        Ok(quic_host::Host::new(&quic_config(self.controller)?, self.lots.own))
    }

    fn tng(mut self) -> Result<tng_stack::Host, ExchangeError> {
        let config = tng_config(self.controller)?;
        Ok(tng_stack::Host::new(config, identity(self.lots.key), self.lots.own.bytes::<32>()))
    }

    /// A server here, which starts at `now`.
    pub(super) fn server(self, now: Instant) -> Result<Box<dyn Party>, ExchangeError> {
        Ok(match self.way {
            Way::Tcp => {
                let mut host = self.tcp()?;
                tcp::listen(&mut host, []);
                Box::new(MachineNode::new(host, Server::new()))
            }
            Way::Quic => {
                let mut host = self.quic()?;
                host.listen();
                Box::new(MachineNode::new(Quic::new(host), Server::new()))
            }
            Way::Sst { replay_safe } => {
                let mut host = self.tng()?;
                let first_data = if replay_safe { FirstData::Unproven } else { FirstData::Proven };
                host.listen(SERVICE.0, SERVICE.1, ServiceOptions { first_data, ..ServiceOptions::default() });
                Box::new(MachineNode::new(Sst::new(host, Connections::One), Server::new()))
            }
            Way::Trickles(usage) => {
                let Lots { own, key } = self.lots;
                Box::new(MachineNode::new(trickles::server(now, usage, Site(self.site), key, own), ()))
            }
        })
    }

    /// What is in place of a server whose process is gone. The kernel of one over TCP is still there, and resets what
    /// was the process's; of others nothing is.
    pub(super) fn ruin(self) -> Result<Option<Box<dyn Party>>, ExchangeError> {
        match self.way {
            Way::Tcp => Ok(Some(Box::new(MachineNode::new(self.tcp()?, Server::new())))),
            Way::Quic | Way::Sst { .. } | Way::Trickles(_) => Ok(None),
        }
    }

    /// A client here of the server `to` whose identity is drawn from `key`, and over Trickles of `others` that have the
    /// same.
    pub(super) fn client(
        self,
        to: IpAddr,
        others: &[IpAddr],
        key: Rng,
        errand: Errand,
    ) -> Result<Box<dyn Party>, ExchangeError> {
        Ok(match self.way {
            Way::Tcp => Box::new(MachineNode::new(self.tcp()?, Client::new(to, errand))),
            Way::Quic => Box::new(MachineNode::new(Quic::new(self.quic()?), Client::new(to, errand))),
            Way::Sst { .. } => {
                let mut host = Sst::new(self.tng()?, Connections::One);
                host.know(to, identity(key).eid());
                Box::new(MachineNode::new(host, Client::new(to, errand)))
            }
            Way::Trickles(usage) => {
                let Lots { own, key: own_key } = self.lots;
                let mut host = trickles::Trickles::new(usage, own_key, own);
                host.know(to, others, identity(key).eid());
                Box::new(MachineNode::new(host, Client::new(to, errand)))
            }
        })
    }
}
