//! A host: a node, and how it is attached to the network.

use core::net::{IpAddr, SocketAddr};

use tng_base::Instant;
use tng_trace::IpProtocol;

use crate::link::{LaneId, LinkId};
use crate::node::NodeId;

/// The UDP port of every host, unless it is given another with [`World::set_port`](crate::World::set_port).
pub const PORT: u16 = 4860;

/// A node at a host's addresses, and what of their packets is its own.
pub(crate) struct Host<N> {
    /// Where in the network it is: the host that it was added to, or itself.
    pub(crate) place: NodeId,
    /// Other nodes at the same place, if it is the first there.
    pub(crate) beside: Vec<NodeId>,
    /// `None` while stopped.
    pub(crate) node: Option<N>,
    pub(crate) port: u16,
    pub(crate) protocol: IpProtocol,
    pub(crate) addresses: Vec<(IpAddr, Option<LinkId>)>,
    /// Address translation between the host and the network: what the host uses, and what others see.
    translations: Vec<(SocketAddr, SocketAddr)>,
    /// When the node wants to be polled.
    pub(crate) timer: Option<Instant>,
    /// Somebody touched the node: it is polled at the next event, whatever its timer says.
    pub(crate) woken: bool,
    /// The earliest event for the node in the schedule.
    pub(crate) event_at: Option<Instant>,
    /// The last timeout, and how many there were before it at the same time.
    last_timeout: (Instant, u32),
}

impl<N> Host<N> {
    pub(crate) fn new(place: NodeId, node: N) -> Host<N> {
        Host {
            place,
            beside: Vec::new(),
            node: Some(node),
            port: PORT,
            protocol: IpProtocol::Udp,
            addresses: Vec::new(),
            translations: Vec::new(),
            timer: None,
            woken: false,
            event_at: None,
            last_timeout: (Instant::ZERO, 0),
        }
    }

    /// Counts a timeout: how many there were before it at the same time.
    pub(crate) fn count_timeout(&mut self, now: Instant) -> u32 {
        self.last_timeout = match self.last_timeout {
            (at, before) if at == now => (at, before + 1),
            _ => (now, 0),
        };
        self.last_timeout.1
    }

    /// Puts `new` in the place of `old`: the link that the address was bound to, and the addresses by which the host is
    /// no longer found, those of translations included.
    pub(crate) fn change_address(&mut self, old: IpAddr, new: Option<IpAddr>) -> (Option<LinkId>, Vec<IpAddr>) {
        let place = self.addresses.iter().position(|(address, _)| *address == old);
        let link = place.and_then(|at| self.addresses.remove(at).1);
        if let Some(new) = new {
            self.addresses.insert(place.unwrap_or(self.addresses.len()), (new, link));
        }
        let mut forgotten = vec![old];
        self.translations.retain(|(local, seen)| {
            let stays = local.ip() != old;
            if !stays {
                forgotten.push(seen.ip());
            }
            stays
        });
        forgotten.retain(|address| self.addresses.iter().all(|(own, _)| own != address));
        (link, forgotten)
    }

    /// From now on `local` is seen as `seen`: the link that the address is bound to.
    pub(crate) fn translate(&mut self, local: IpAddr, seen: SocketAddr) -> Option<LinkId> {
        let inside = SocketAddr::new(local, self.port);
        self.translations.retain(|(from, _)| *from != inside);
        self.translations.push((inside, seen));
        self.addresses.iter().find(|(address, _)| *address == local).and_then(|(_, link)| *link)
    }

    /// The host's own address and port that a packet to `dst` is for, if it is for this node of it.
    pub(crate) fn local_of(&self, dst: SocketAddr, protocol: IpProtocol) -> Option<SocketAddr> {
        if protocol != self.protocol {
            return None;
        }
        let translated = |(local, seen): &(SocketAddr, SocketAddr)| (*seen == dst).then_some(*local);
        if let Some(local) = self.translations.iter().find_map(translated) {
            return Some(local);
        }
        let hidden = self.translations.iter().any(|(local, _)| *local == dst);
        let port_fits = dst.port() == self.port || protocol == IpProtocol::Tcp;
        let own = port_fits && self.addresses.iter().any(|(address, _)| *address == dst.ip());
        (own && !hidden).then_some(dst)
    }

    /// Lane and visible source of a packet that the node sends from `local`, or, if that is unspecified, from the
    /// address that fits the way to `dst`. Port 0 is the node's own; a node that stands for somebody else names
    /// another.
    pub(crate) fn source(
        &self,
        local: SocketAddr,
        dst: SocketAddr,
        mut route: impl FnMut(Option<LinkId>) -> Option<LaneId>,
    ) -> Option<(LaneId, SocketAddr)> {
        let (lane, ip) = if local.ip().is_unspecified() {
            let lane = route(None)?;
            let fits = |(address, link): &&(IpAddr, Option<LinkId>)| {
                address.is_ipv4() == dst.is_ipv4() && link.is_none_or(|link| link == lane.link())
            };
            (lane, self.addresses.iter().find(fits)?.0)
        } else {
            let (_, link) = self.addresses.iter().find(|(address, _)| *address == local.ip())?;
            (route(*link)?, local.ip())
        };
        let port = if local.port() == 0 { self.port } else { local.port() };
        let inside = SocketAddr::new(ip, port);
        let seen = self.translations.iter().find(|(from, _)| *from == inside).map_or(inside, |(_, seen)| *seen);
        Some((lane, seen))
    }
}
