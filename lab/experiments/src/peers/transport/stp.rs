//! STP: a transport that is a guest. A stream is a connection of its own.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tng_base::{Eid, Input, Instant, Machine, Output, Semantic};
use tng_congestion::Choice;
use tng_stack::{ConnectionId, EventKind, FactoryError, Host, HostEvent, Target};
use tng_stp_abi::Role;
use tng_stp_host::{AnswerError, Code, End, Life, Transport as Guest, Workshop, WriteError};

use super::{Event, News, OpenError, Read, Transport};

/// A host whose connections are guests'.
pub(crate) struct Stp {
    pub(crate) host: Host,
    workshop: Arc<Workshop>,
    code: Code,
    /// Who can be reached, by address.
    known: BTreeMap<IpAddr, Target>,
    /// Connections that were begun here, and where they lead.
    begun: BTreeMap<ConnectionId, IpAddr>,
    /// Those that are there.
    open: BTreeSet<ConnectionId>,
    /// The last time that was told.
    now: Instant,
}

impl Stp {
    /// A host that knows nobody, and speaks this transport.
    ///
    /// # Panics
    /// If it speaks one of this name already.
    pub(crate) fn new(mut host: Host, workshop: Workshop, code: Code) -> Stp {
        let workshop = Arc::new(workshop);
        let (by, of) = (Arc::clone(&workshop), code.clone());
        let factory =
            move |proposal: tng_stack::Proposal<'_>| match by.answer(&of, proposal.set_up_item, proposal.memory) {
                Ok(guest) => Ok(Box::new(guest) as Box<dyn Semantic>),
                Err(AnswerError::NotUnderstood) => Err(FactoryError::NotUnderstood),
                Err(AnswerError::Fault(_)) => Err(FactoryError::Busy),
            };
        host.register(&code.protocol(), factory).expect("one transport, once");
        Stp {
            host,
            workshop,
            code,
            known: BTreeMap::new(),
            begun: BTreeMap::new(),
            open: BTreeSet::new(),
            now: Instant::ZERO,
        }
    }

    /// There is somebody there.
    pub(crate) fn know(&mut self, at: SocketAddr, eid: Eid) {
        let target = Target { eid, addresses: vec![at], capability: None, via: Vec::new() };
        self.known.insert(at.ip(), target);
    }

    /// Gives a connection up.
    pub(crate) fn give_up(&mut self, id: ConnectionId, code: u64) {
        self.begun.remove(&id);
        self.open.remove(&id);
        self.host.close(self.now, id, code, "");
    }

    /// The guest of a connection.
    pub(crate) fn guest(&mut self, id: ConnectionId) -> Option<&mut Guest> {
        self.host.protocol_as(id)
    }

    /// All connections that there are.
    pub(crate) fn ids(&self) -> Vec<ConnectionId> {
        self.open.iter().copied().collect()
    }

    fn lose(&mut self, id: ConnectionId, how: String, tell: &mut Vec<Event<Stp>>) {
        self.open.remove(&id);
        if let Some(peer) = self.begun.remove(&id) {
            tell.push(Event::Lost { carrier: id, peer: Some(peer), how, rtt: None });
        }
    }
}

impl Machine for Stp {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.host.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        self.now = now;
        self.host.poll_output(now, buf)
    }
}

impl Transport for Stp {
    type Stream = ConnectionId;
    type Carrier = ConnectionId;

    fn carrier(id: ConnectionId) -> ConnectionId {
        id
    }

    fn open(&mut self, now: Instant, to: IpAddr, _: Option<&Choice>) -> Result<ConnectionId, OpenError> {
        let refused = |why: String| OpenError::Refused(why);
        let target = self.known.get(&to).ok_or_else(|| refused(format!("nobody is known at {to}")))?;
        let guest = self.workshop.transport(&self.code, Role::Initiator).map_err(|fault| refused(fault.to_string()))?;
        let begun = self.host.connect_speaking(now, target.clone(), &self.code.protocol(), Box::new(guest));
        let id = begun.map_err(|error| refused(error.to_string()))?;
        self.begun.insert(id, to);
        self.open.insert(id);
        Ok(id)
    }

    fn write(&mut self, id: ConnectionId, bytes: &[u8]) -> usize {
        let Some(guest) = self.guest(id) else { return 0 };
        match guest.socket().kind() {
            tng_stp_abi::SocketKind::Stream => guest.write(bytes).unwrap_or(0),
            // Messages of a packet each.
            tng_stp_abi::SocketKind::Message => {
                let (most, mut written) = (guest.message_max(), 0);
                for message in bytes.chunks(most.max(1)) {
                    match guest.write(message) {
                        Ok(len) => written += len,
                        Err(WriteError::Full | WriteError::Closed | WriteError::Length) => break,
                    }
                }
                written
            }
        }
    }

    fn finish(&mut self, id: ConnectionId) {
        if let Some(guest) = self.guest(id) {
            guest.finish();
        }
    }

    fn read(&mut self, id: ConnectionId, out: &mut [u8]) -> Read {
        let Some(guest) = self.guest(id) else { return Read::Gone };
        match guest.read(out) {
            Some(len) => Read::Bytes(len),
            None if guest.socket().is_at_end() => Read::Finished,
            None => match guest.life() {
                Life::Ended(End::Stopped(_) | End::Failed(_)) => Read::Reset(tng_stp_host::GUEST_STOPPED),
                _ => Read::Blocked,
            },
        }
    }

    fn hang_up(&mut self, now: Instant, to: IpAddr) {
        for (id, _) in self.begun.extract_if(.., |_, at| *at == to) {
            self.open.remove(&id);
            self.host.close(now, id, 0, "");
        }
    }

    fn hear(&mut self, event: HostEvent, tell: &mut Vec<Event<Stp>>) {
        let id = event.connection;
        match event.kind {
            EventKind::Accepted { .. } => {
                self.open.insert(id);
                tell.push(Event::Stream(id, News::Incoming));
            }
            EventKind::Notice => {
                tell.push(Event::Stream(id, News::Readable));
                tell.push(Event::Stream(id, News::Writable));
            }
            EventKind::ConnectFailed(error) => self.lose(id, error.to_string(), tell),
            EventKind::Closed(cause) => self.lose(id, cause.to_string(), tell),
            _ => {}
        }
    }
}
