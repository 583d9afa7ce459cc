//! A connection's channels: more of them, fewer, none, and how long none is borne.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{CarrierNews, ChannelKey, Eid, Instant, Unreachable};
use tng_congestion::Choice;
use tng_endpoint::is_carried;
use tng_flow::Capability;
use tng_isolation::Purpose;
use tng_semantic::structured::StreamId;

use super::Host;
use crate::attachment::{Attachment, State};
use crate::connection::Connection;
use crate::dial::{Dial, Way};
use crate::helped::{Wanted, WayWanted};
use crate::names::Owner;
use crate::{AttachError, ConnectionId, EventKind, PathId, PathStats, PathTaken, Target, Usid};

impl Host {
    /// A connection's channels that are up.
    pub fn paths(&self, id: ConnectionId) -> Vec<PathStats> {
        let connection = self.connections.get(id).into_iter();
        let up = connection.flat_map(Connection::up).filter_map(|attachment| {
            let link = attachment.link()?;
            let (path, remote, local) = (
                PathId(attachment.key.0),
                link.section.path().remote,
                link.section.path().local.map(|local| local.ip()),
            );
            Some(PathStats { path, remote, local, stats: link.stats(&self.wide.flows) })
        });
        up.collect()
    }

    /// The path that the best of a connection's channels takes, while it has one.
    pub fn path_taken(&self, id: ConnectionId) -> Option<PathTaken> {
        let link = self.connections.get(id)?.best()?.link()?;
        let stats = link.stats(&self.wide.flows);
        let carried = is_carried(link.section.path().remote.ip());
        if link.helpers().is_empty() {
            return Some(match carried {
                true => PathTaken::Carried { rtt: stats.rtt },
                false => PathTaken::Direct { rtt: stats.rtt },
            });
        }
        let first = stats.regulation.rtt.min().min(stats.rtt_min);
        Some(PathTaken::Helped { helpers: link.helpers().to_vec(), carried, first, rest: stats.rtt_min - first })
    }

    /// The last outage: how long nothing came from the peer, though something was awaited of it, when a path that
    /// carried the connection was last lost (it was left, reset, or fell silent). From when the first packet that was
    /// never acknowledged there was sent, or from the last packet of the peer's if that is later, or if it was the peer
    /// that left, to the first one on another path. A path that takes the place of one in good order is no outage.
    /// `None` if there was none.
    pub fn last_gap(&self, id: ConnectionId) -> Option<Duration> {
        self.connections.get(id)?.helping.as_ref()?.gap.last()
    }

    /// Asks the peer for a further channel, at `addresses` (where it was last, and where it was looked for first, if
    /// there are none), from `local` if that is given. Both ends' streams then use both: a stream is balanced over
    /// several paths, each with a controller of its own (SST 4.3.1). [`PathAdded`](crate::EventKind::PathAdded) or
    /// [`AttachFailed`](crate::EventKind::AttachFailed) follows.
    ///
    /// # Errors
    /// See [`AttachError`].
    pub fn attach(
        &mut self,
        now: Instant,
        id: ConnectionId,
        local: Option<IpAddr>,
        addresses: &[SocketAddr],
    ) -> Result<PathId, AttachError> {
        let connection = self.connections.get(id).ok_or(AttachError::NotConnected)?;
        let mut target = connection.reach.target();
        if !addresses.is_empty() {
            target.addresses = addresses.to_vec();
        }
        if target.addresses.is_empty() {
            return Err(AttachError::NoAddress);
        }
        if !connection.is_settled() {
            return Err(AttachError::NotConnected);
        }
        let wanted = Wanted { purpose: Purpose::Beside, way: WayWanted::Direct, local };
        self.dial_again(now, id, target, wanted).ok_or(AttachError::TooMany)
    }

    /// Gives up one of a connection's channels, or, without `path`, all of them, and tells the peer. The streams are
    /// kept, as for a peer that cannot be reached; either end asks for a channel again when it has something to say.
    pub fn detach(&mut self, now: Instant, id: ConnectionId, path: Option<PathId>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let only = path.map(|path| ChannelKey(path.0));
        connection.detach(now, only, &mut self.wide);
        self.wake(id);
    }

    /// Gives the helper number `at` (the first is 0) of a helped path a fresh capability before the one that it was
    /// shown ends, so that the flow goes on. Answers whether it was sent; whether the helper takes it shows when the
    /// old one ends.
    pub fn renew_capability(&mut self, id: ConnectionId, path: PathId, at: usize, capability: &Capability) -> bool {
        let Some(connection) = self.connections.get_mut(id) else { return false };
        let Some(State::Open(open)) = connection.attachment(ChannelKey(path.0)).map(|attachment| &mut attachment.state)
        else {
            return false;
        };
        let sent = open.link.renew(at, capability);
        self.wake(id);
        sent
    }

    /// A helper has given this host a fresh capability: its flows under way get it before the one that they were begun
    /// with ends, and so do those that are asked for from now on; a helper that declined for want of it is asked again.
    /// Answers how many flows were told.
    pub fn renew(&mut self, helper: Eid, capability: &Capability) -> usize {
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        let mut told = 0;
        for id in ids {
            let Some(connection) = self.connections.get_mut(id) else { continue };
            let Some(at) = connection.reach.renew(helper, capability) else { continue };
            if let Some(helping) = &mut connection.helping {
                helping.note_renewed();
            }
            for attachment in &mut connection.attachments {
                if let State::Open(open) = &mut attachment.state {
                    told += usize::from(open.link.renew(at, capability));
                }
            }
            self.wake(id);
        }
        told
    }

    /// The peer may be found at these addresses from now on. If no channel works it is looked for there at once.
    pub fn reach(&mut self, now: Instant, id: ConnectionId, addresses: Vec<SocketAddr>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        connection.handle_found(now, addresses, &mut self.wide);
        self.wake(id);
    }

    /// How long a connection may be without a channel before it is given up; `None` is for ever. For this end only.
    pub fn set_keep(&mut self, id: ConnectionId, time: Option<Duration>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        (connection.keep, connection.kept_by_choice) = (time, true);
        self.wake(id);
    }

    /// What governs a connection's flows from now on, in the place of what governs the host's
    /// ([`HostConfig::controller`](crate::HostConfig::controller)): a flow under way goes on from the initial window of
    /// the new one. Connections to the same host on the same path share a flow, so that it governs them all there. On a
    /// helped path it governs the way to the first helper, or cubic does if it is bbr. The choice of the other
    /// direction is the peer's.
    pub fn set_controller(&mut self, now: Instant, id: ConnectionId, controller: Choice) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        connection.set_controller(now, controller, &mut self.wide);
        self.wake(id);
    }

    /// A stream's permanent name, once the connection is there.
    pub fn usid(&self, id: ConnectionId, stream: StreamId) -> Option<Usid> {
        let session = self.connections.get(id)?.session.as_ref()?.id;
        Some(Usid { session, stream })
    }

    /// The connection and stream that `peer` and this host know by a permanent name.
    pub fn find(&self, peer: Eid, usid: Usid) -> Option<(ConnectionId, StreamId)> {
        self.sessions.get(&(peer, usid.session)).map(|id| (*id, usid.stream))
    }

    /// Keying material that both ends of a connection derive and nobody else can (in the manner of RFC 5705), from the
    /// exchange that began it: the same for the connection's whole life. Answers whether it is there.
    pub fn export(&self, id: ConnectionId, label: &[u8], context: &[u8], out: &mut [u8]) -> bool {
        let session = self.connections.get(id).and_then(|connection| connection.session.as_ref());
        session.is_some_and(|session| session.exporter.fill(label, context, out))
    }

    /// Something has become of the carrier to this address. One that has broken is begun anew by what is sent there,
    /// and only this end can begin it: the other waits to hear of it.
    pub(super) fn handle_carrier(&mut self, now: Instant, remote: IpAddr, news: CarrierNews) {
        self.wide.flows.set_held(remote, news == CarrierNews::Full);
        if news != CarrierNews::Broken {
            return;
        }
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        for id in ids {
            if self.connections.get_mut(id).is_some_and(|connection| connection.ask_by(now, remote)) {
                self.wake(id);
            }
        }
    }

    /// Somebody says that something does not arrive. Connections are asked one after another, so it is bounded how
    /// often: anybody who knows an address can send such.
    pub(super) fn handle_unreachable(&mut self, now: Instant, told: &Unreachable) {
        if !self.hint_budget.take(now) {
            return;
        }
        let ids: Vec<ConnectionId> = self.connections.ids().collect();
        for id in ids {
            if self.connections.get_mut(id).is_some_and(|connection| connection.handle_unreachable(now, told)) {
                self.wake(id);
            }
        }
    }

    /// The peer may begin to answer where it does not yet, once the two are introduced: what ICMP says ends
    /// no attempt to reach the peer of this connection.
    pub fn be_patient(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.be_patient();
        }
    }

    /// Sends an INIT for a further channel.
    pub(super) fn dial_again(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        target: Target,
        wanted: Wanted,
    ) -> Option<PathId> {
        let Wanted { purpose, way, local } = wanted;
        let beside = way == WayWanted::Direct && local.is_some();
        let uncarried = way == WayWanted::Uncarried;
        let asking = self.connections.get_mut(connection)?;
        let opens = asking.opens(&wanted);
        let unasked = purpose == Purpose::StandsBy || way == WayWanted::HelpedOnly || beside || uncarried || opens;
        if opens && !self.punches.is_underway(now, asking.peer) {
            asking.push_event(EventKind::WantsIntroduction);
        }
        let repeat_first = asking.repeat_first(&self.wide.flows, way);
        let way = match way {
            WayWanted::Uncarried if asking.seeks_helpers() => Some(Way::to(now, &target).ok()??.only()),
            WayWanted::Direct | WayWanted::Uncarried => None,
            // A way that cannot be was told of when it was first asked for.
            WayWanted::Helped => Way::to(now, &target).ok().flatten(),
            WayWanted::HelpedOnly => Some(Way::to(now, &target).ok()??.only()),
        };
        let channel = self.take_key();
        let asking = self.connections.get_mut(connection)?;
        let attach = asking.next_attach(purpose, &mut self.wide)?;
        let local_id = self.wide.take_id(Owner { connection, channel });
        let dial = Dial::new(now, (target, local), local_id, &self.wide.config, way, repeat_first);
        // One that is to replace the others is sought by this host itself.
        let dial = if purpose == Purpose::Replaces { dial } else { dial.pinned() };
        let mut dial = if uncarried { dial.uncarried() } else { dial };
        if asking.patient || unasked {
            dial.be_patient();
        }
        let attachment = Attachment::new(channel, State::Dialing(Box::new(dial)), Some(attach));
        asking.attachments.push(Attachment { unasked, ..attachment });
        self.wake(connection);
        Some(PathId(channel.0))
    }

    /// Keeps what unreachable peers cost within its bound.
    pub(super) fn give_up_beyond_cap(&mut self, now: Instant) {
        // Of hosts that share the bound it is for the one that holds most.
        let elsewhere = self.siblings.elsewhere;
        while self.detached.bytes() + elsewhere.kept > self.wide.config.keep.bytes_max
            && self.detached.bytes() >= elsewhere.kept_most
        {
            let allowance = self.wide.config.keep.bytes_per_peer;
            let Some(id) = self.detached.forget_worst(allowance, &self.connections) else { return };
            if let Some(connection) = self.connections.get_mut(id) {
                connection.give_up(now, &mut self.wide);
                self.wake(id);
            }
        }
    }
}
