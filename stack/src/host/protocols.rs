//! Protocols beside structured streams: registered, asked for, made, handed out.

use std::sync::Arc;

use tng_base::Instant;
use tng_isolation::{Offer, Refusal};
use tng_semantic::structured::Role;

use super::Host;
use crate::semantics::negotiation::{Asked, Negotiation, Settled, Transports};
use crate::semantics::{Semantics, make};
use crate::{
    BadProtocol, ConnectError, ConnectionId, FactoryError, PROTOCOL, Proposal, Semantic, Target, TransportAnswer,
    TransportOffer, assemble,
};

impl Host {
    /// Has this host speak another protocol than structured streams: `factory` makes it for each connection that a peer
    /// asks for under this name, of what the peer's side says.
    ///
    /// ```
    /// # use std::ops::Range;
    /// # use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Taken, Violation};
    /// # use tng_stack::{Access, FactoryError, Host, HostConfig, Identity, Semantic};
    /// /// It says nothing, and takes whatever comes.
    /// #[derive(Debug)]
    /// struct Discard;
    ///
    /// impl Protocol for Discard {
    ///     fn handle_packet(
    ///         &mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8],
    ///     ) -> Result<Taken, Violation> {
    ///         Ok(Taken::All)
    ///     }
    ///     // What it is asked to forget may be forgotten twice.
    ///     fn replay_safe(&self, _: &[u8]) -> bool { true }
    ///     fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: &mut [u8]) -> Option<Filled> { None }
    ///     fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool { false }
    ///     fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
    /// }
    ///
    /// impl Semantic for Discard {
    ///     fn set_up_item(&self) -> Option<Vec<u8>> { None }
    ///     fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> { Ok(()) }
    ///     fn is_idle(&self) -> bool { true }
    ///     fn is_empty(&self) -> bool { true }
    ///     fn bytes_held(&self) -> u64 { 0 }
    ///     fn progress(&self) -> u64 { 0 }
    ///     fn take_notice(&mut self) -> bool { false }
    ///     fn handle_closed(&mut self) {}
    /// }
    ///
    /// let mut host = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([1; 32]), [2; 32]);
    /// host.register("discard/1", |proposal| match proposal.set_up_item {
    ///     None => Ok(Box::new(Discard)),
    ///     Some(_) => Err(FactoryError::NotUnderstood),
    /// })?;
    /// # Ok::<(), tng_stack::BadProtocol>(())
    /// ```
    ///
    /// # Errors
    /// [`BadProtocol::NoName`], [`BadProtocol::NameTooLong`], [`BadProtocol::BuiltIn`], [`BadProtocol::Taken`].
    pub fn register(
        &mut self,
        name: &str,
        factory: impl Fn(Proposal<'_>) -> Result<Box<dyn Semantic>, FactoryError> + Send + Sync + 'static,
    ) -> Result<(), BadProtocol> {
        self.registry.register(name, Arc::new(factory))
    }

    /// Begins to connect, to speak another protocol than structured streams: what the peer has
    /// [registered](Host::register) under this name answers this end's value.
    ///
    /// # Errors
    /// As [`connect`](Host::connect), and [`ConnectError::BadProtocol`]. A peer that nobody has told of the protocol
    /// refuses with code 4.
    pub fn connect_speaking(
        &mut self,
        now: Instant,
        target: Target,
        name: &str,
        protocol: Box<dyn Semantic>,
    ) -> Result<ConnectionId, ConnectError> {
        let semantics = Semantics::registered(name.into(), protocol).map_err(ConnectError::BadProtocol)?;
        self.begin(now, target, semantics)
    }

    /// What this host has to say of transports that travel, from now on. A host that was told of none says nothing to
    /// offers, and structured streams run.
    pub fn set_transports(&mut self, transports: Arc<dyn Transports>) {
        self.registry.set_transports(transports);
    }

    /// Begins to connect as [`connect`](Host::connect), to speak one of these transports if the peer does, and
    /// structured streams if not. Which it is [`negotiation`](Host::negotiation) tells when the connection is there;
    /// until then there are no streams.
    ///
    /// # Errors
    /// As [`connect`](Host::connect), and [`ConnectError::OpeningTooLong`] if the offer is none that may be sent.
    pub fn connect_offering(
        &mut self,
        now: Instant,
        target: Target,
        offer: TransportOffer,
    ) -> Result<ConnectionId, ConnectError> {
        if offer.check().is_err() {
            return Err(ConnectError::OpeningTooLong);
        }
        let window = self.budget.first_window(target.eid);
        let streams = assemble::streams(Role::Initiator, &self.wide.config, window, &self.services);
        self.begin(now, target, Semantics::offering(streams, offer))
    }

    /// How the two ends of a connection have negotiated, if a transport was offered and it is settled.
    pub fn negotiation(&self, id: ConnectionId) -> Option<&Negotiation> {
        self.connections.get(id)?.negotiation.as_deref()
    }

    /// The registered protocol of a connection, if it is there and speaks one. The driver must poll afterwards.
    pub fn protocol(&mut self, id: ConnectionId) -> Option<&mut dyn Semantic> {
        match self.hand_out(id)? {
            Semantics::Structured(_) | Semantics::Undecided(_) | Semantics::Gone => None,
            Semantics::Registered(it) => Some(it.semantic.get_mut()),
        }
    }

    /// The same as a `P`, if it is one.
    pub fn protocol_as<P: Semantic>(&mut self, id: ConnectionId) -> Option<&mut P> {
        self.protocol(id)?.downcast_mut()
    }

    /// What a connection speaks, by its name on the wire. `None` when it has ended and that was taken.
    pub fn protocol_name(&self, id: ConnectionId) -> Option<&str> {
        self.connections.get(id)?.semantics.name()
    }

    /// The registered protocol of a connection that has ended, as [`take_streams`](Host::take_streams).
    pub fn take_protocol(&mut self, id: ConnectionId) -> Option<Box<dyn Semantic>> {
        match self.take_semantics(id, |semantics| matches!(semantics, Semantics::Registered(_)))? {
            Semantics::Structured(_) | Semantics::Undecided(_) | Semantics::Gone => None,
            Semantics::Registered(it) => Some(it.semantic.into_inner()),
        }
    }

    pub(super) fn take_semantics(
        &mut self,
        id: ConnectionId,
        wanted: impl Fn(&Semantics) -> bool,
    ) -> Option<Semantics> {
        let connection = self.connections.get_mut(id)?;
        let takes = connection.has_ended() && wanted(&connection.semantics);
        takes.then(|| core::mem::replace(&mut connection.semantics, Semantics::Gone))
    }

    /// What the peer behind an offer wants to speak.
    ///
    /// # Errors
    /// The refusal to answer with.
    pub(super) fn make(&self, offer: &Offer) -> Result<(Semantics, Option<Settled>), Refusal> {
        let (peer, opening) = (offer.peer(), offer.opening());
        let memory = self.budget.first_window(peer);
        let connections = self.budget.connections_of(peer);
        if opening.protocol != PROTOCOL {
            let proposal = Proposal { peer, set_up_item: opening.set_up.as_deref(), connections, memory };
            return Ok((self.registry.make(&opening.protocol, proposal)?, None));
        }
        let streams = assemble::streams(Role::Responder, &self.wide.config, memory, &self.services);
        let (Some(offered), Some(transports)) = (&opening.transports, self.registry.transports()) else {
            return Ok((Semantics::Structured(streams), None));
        };
        let made = |code| {
            let (role, service) = (Role::Responder, &*offered.service);
            make(transports, Asked { code, role, peer, service, connections, memory }).ok()
        };
        Ok(match transports.answer(peer, offered) {
            TransportAnswer::No => (Semantics::Structured(streams), Some(Settled::No)),
            TransportAnswer::SendMe(code) => (Semantics::Structured(streams), Some(Settled::SendMe(code))),
            TransportAnswer::Ok(code) => match made(code) {
                Some(transport) => (transport, Some(Settled::Runs(code))),
                None => (Semantics::Structured(streams), Some(Settled::No)),
            },
            TransportAnswer::Use(code) => match made(code) {
                Some(transport) => (Semantics::asking(streams, transport), Some(Settled::Asked(code))),
                None => (Semantics::Structured(streams), Some(Settled::No)),
            },
        })
    }
}
