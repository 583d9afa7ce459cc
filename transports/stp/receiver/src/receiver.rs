//! The machine.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{
    ChannelKey, Datagram, Ecn, Filled, Footing, Input, Instant, Machine, Output, Protocol, Semantic, Transmit,
};
use tng_crypto::{Secret32, SecretSource};
use tng_isolation::{Identity, InitiateError};
use tng_stp_abi::{CALL_INTRODUCE, NEEDS_CONNECTION};
use tng_stp_host::{End, Life, Quotas, SEGMENT_OVERHEAD_MAX, Segment, Transport, WriteError};
use tng_trickles::client::Introduction;
use tng_trickles::set_up::{Call, DialError, Welcomed};
use tng_trickles::wire::{Armor, DATAGRAM_LEN_MIN};
use tng_wire::{Reader, Repr, Writer};

use crate::dialing::{Came, Dialing};
use crate::seals::{Sealed, Seals};

/// A guest that says that it needs another connection has one so long after the last at the earliest.
pub const SET_UP_EVERY: Duration = Duration::from_secs(2);

/// Most fuel of a callback of such a guest: after a loss in a large window all that was held back is looked at in one.
pub const FUEL_MAX: u64 = 8_000_000;
/// Most bytes of memory of such a guest: where no loss ends slow start, much is under way.
pub const MEMORY_MAX: u64 = 16 << 20;

/// What a host gives a guest that downloads, where nobody says something else.
pub fn quotas() -> Quotas {
    // As many callbacks' worth a second as other guests have.
    Quotas { fuel: FUEL_MAX, fuel_per_sec: 5 * FUEL_MAX, memory: MEMORY_MAX, ..Quotas::default() }
}

/// The guest knows one channel: its server, wherever connections to it begin and end.
const CHANNEL: ChannelKey = ChannelKey(0);
/// The first packet of a channel is the set-up's.
const NOT_THE_SET_UP: u64 = 1;

/// Settings of a receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceiverConfig {
    /// How long it waits for the first REPLY.
    pub set_up_timeout: Duration,
    /// How long it goes on asking a server that answered once and does not any more.
    pub silence_max: Duration,
}

impl Default for ReceiverConfig {
    fn default() -> ReceiverConfig {
        ReceiverConfig { set_up_timeout: Duration::from_secs(10), silence_max: Duration::from_secs(60) }
    }
}

/// What a receiver tells its application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// There is a connection; again, if the server has not answered for long.
    Connected,
    /// There may be something to read, or the end.
    Notice,
    /// It has ended without having brought all.
    Ended(ReceiverError),
}

/// Why a receiver ends before the object does.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReceiverError {
    /// Peer, or environment: the server grants no connection.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// Caller: what it says in the set-up is no key, or too long.
    #[error("what is said in the set-up is no key of a server, or too long: {0:?}")]
    Call(InitiateError),
    /// Policy: the guest was stopped, has failed, or was not done in time.
    #[error("the guest has ended: {0:?}; see its log, or take another one")]
    Guest(End),
    /// Guest: it sends what wants to be acknowledged, where it may only receive.
    #[error("the guest sends on its own, where it may only receive; it is no receiver's code")]
    Sends,
    /// Guest: what it sends is no request on its connection.
    #[error("the guest sends what is no request on its connection; it is no code for servers without state")]
    Foreign,
    /// Guest: it does not take the connection.
    #[error(
        "the guest does not take the connection that it was introduced to; it is no code for servers without state"
    )]
    NotTaken,
}

#[derive(Debug)]
enum State {
    Dialing(Box<Dialing>),
    Open(Box<Seals>),
    Ended,
}

/// A guest that downloads from a server without state, with the host's side of it. A plain value.
#[derive(Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    identity: Identity,
    call: Call,
    server: SocketAddr,
    secrets: SecretSource,
    transport: Transport,
    state: State,
    /// When the last connection was granted.
    granted: Option<Instant>,
    /// Responses that were handed to the guest: each counts for one request of its.
    came: u64,
    events: VecDeque<Event>,
    scratch: Vec<u8>,
}

impl Receiver {
    /// One that asks the server with the key `call.peer` at that address for the object that `asked` names to its
    /// application. `transport` is a guest that has no path yet. `call.first` and `call.armor` are not looked at.
    /// `seed` is secret, and fresh entropy comes on top of it before anything is made of it.
    ///
    /// # Errors
    /// [`WriteError`]: caller: `asked` is longer than the guest's send buffer, or the guest has ended.
    pub fn new(
        config: ReceiverConfig,
        (identity, call, server): (Identity, Call, SocketAddr),
        mut transport: Transport,
        asked: &[u8],
        seed: impl Into<Secret32>,
        now: Instant,
    ) -> Result<Receiver, WriteError> {
        if transport.write(asked)? < asked.len() {
            return Err(WriteError::Full);
        }
        transport.finish();
        Ok(Receiver {
            identity,
            call: Call { first: Vec::new(), armor: Armor::Sealed, ..call },
            server,
            secrets: SecretSource::new(seed),
            transport,
            state: State::Dialing(Box::new(Dialing::new(now, config.set_up_timeout))),
            config,
            granted: None,
            came: 0,
            events: VecDeque::new(),
            scratch: Vec::new(),
        })
    }

    /// Reads what there is; `None` if there is nothing now.
    pub fn read(&mut self, into: &mut [u8]) -> Option<usize> {
        self.transport.read(into)
    }

    /// Whether all of the object was read.
    pub fn is_at_end(&self) -> bool {
        self.transport.socket().is_at_end()
    }

    /// The guest.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    fn end_with(&mut self, error: ReceiverError) {
        if !matches!(self.state, State::Ended) {
            self.transport.handle_closed();
            self.state = State::Ended;
            self.events.push_back(Event::Ended(error));
        }
    }

    fn handle_datagram(&mut self, now: Instant, datagram: &mut [u8]) {
        match &mut self.state {
            State::Dialing(dialing) => match dialing.handle(now, datagram) {
                Came::Nothing => {}
                Came::Failed(error) => self.end_with(error.into()),
                Came::Welcomed(welcomed) => self.introduce(now, *welcomed),
            },
            State::Open(seals) => {
                let Some(len) = seals.open(datagram) else { return };
                self.hand(now, len, datagram);
            }
            State::Ended => {}
        }
    }

    /// Hands the guest a response as a segment with a number: what has one counts for an acknowledgment.
    fn hand(&mut self, now: Instant, len: usize, datagram: &[u8]) {
        self.scratch.resize(SEGMENT_OVERHEAD_MAX + len, 0);
        let segment = Segment { numbered: Some((self.came, 0)), bytes: &datagram[..len] };
        let mut writer = Writer::new(&mut self.scratch);
        segment.emit(&mut writer).expect("there is room for the longest front");
        let written = writer.position();
        self.came += 1;
        let handed = self.transport.handle_packet(now, CHANNEL, 0, Ecn::NotEct, &mut self.scratch[..written]);
        debug_assert!(handed.is_ok() || self.transport.failure().is_some(), "it was written as a segment");
    }

    /// The server has granted a connection, and shown by that who and where it is.
    fn introduce(&mut self, now: Instant, welcomed: Welcomed) {
        if self.granted.replace(now).is_none() {
            let footing = Footing { parties: 1, ipv6: self.server.is_ipv6(), marks: None };
            self.transport.handle_footing(now, footing);
            self.transport.handle_attach(now, CHANNEL);
        }
        // The guest hears that it has a path, and what is wanted, before it is introduced. What it has said since it
        // asked for this connection was for the last one.
        while self.transport.wants_to_send(now, CHANNEL) && self.next_segment(now).is_some() {}
        self.call.token = Some(welcomed.token);
        let introduction =
            Introduction { id: welcomed.id, epoch: welcomed.epoch, place: welcomed.place, rest: &welcomed.rest };
        let mut bytes = vec![0; introduction.wire_len()];
        introduction.emit(&mut Writer::new(&mut bytes)).expect("it is as long as it says");
        if self.transport.call_guest(CALL_INTRODUCE, &bytes).is_err() {
            return self.end_with(self.failure().unwrap_or(ReceiverError::NotTaken));
        }
        self.state = State::Open(Box::new(Seals::of(welcomed)));
        self.events.push_back(Event::Connected);
    }

    /// What the guest sends next is in the buffer, if it sends anything.
    fn next_segment(&mut self, now: Instant) -> Option<Filled> {
        self.scratch.resize(SEGMENT_OVERHEAD_MAX + DATAGRAM_LEN_MIN, 0);
        self.transport.poll_packet(now, CHANNEL, NOT_THE_SET_UP, &mut self.scratch)
    }

    /// What has become of the guest, if it has not ended well, which is with the end of what was asked for.
    fn failure(&self) -> Option<ReceiverError> {
        match self.transport.life() {
            Life::Attached | Life::Running | Life::Leaving { .. } => None,
            Life::Ended(End::Done) if self.transport.socket().has_ended() => None,
            Life::Ended(end) => Some(ReceiverError::Guest(end.clone())),
        }
    }

    /// The INIT, or the next request of the guest's.
    fn transmit(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        match &mut self.state {
            State::Ended => None,
            State::Dialing(dialing) => {
                if now >= dialing.until {
                    let error = dialing.give_up();
                    self.end_with(error.into());
                    return None;
                }
                if dialing.wants_dial(now) {
                    let mut rng = self.secrets.for_exchange()?;
                    if let Err(error) = dialing.dial(&self.identity, &self.call, &mut rng) {
                        self.end_with(ReceiverError::Call(error));
                        return None;
                    }
                }
                let State::Dialing(dialing) = &mut self.state else { return None };
                dialing.transmit(now, buf)
            }
            State::Open(_) => self.transmit_request(now, buf),
        }
    }

    fn transmit_request(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        loop {
            if !self.transport.wants_to_send(now, CHANNEL) {
                return None;
            }
            let State::Open(seals) = &mut self.state else { return None };
            let room = DATAGRAM_LEN_MIN + SEGMENT_OVERHEAD_MAX;
            let filled = self.transport.poll_packet(now, CHANNEL, NOT_THE_SET_UP, &mut buf[..room])?;
            let Ok(segment) = Segment::parse(&mut Reader::new(&buf[..filled.len])) else { continue };
            if segment.numbered.is_some() {
                self.end_with(ReceiverError::Sends);
                return None;
            }
            let from = filled.len - segment.bytes.len();
            if segment.bytes == NEEDS_CONNECTION {
                let since = self.granted.map_or(now, |granted| now.max(granted + SET_UP_EVERY));
                self.state = State::Dialing(Box::new(Dialing::new(since, self.config.silence_max)));
                return self.transmit(now, buf);
            }
            buf.copy_within(from..filled.len, 0);
            match seals.seal(&mut buf[..filled.len - from]) {
                Sealed::Request(len) => return Some(len),
                Sealed::Old => {}
                Sealed::Foreign => {
                    self.end_with(ReceiverError::Foreign);
                    return None;
                }
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Ended => None,
            State::Dialing(dialing) => Some(dialing.deadline()),
            State::Open(_) => self.transport.poll_timeout(),
        }
    }
}

impl Machine for Receiver {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(Datagram { remote, segment_size, payload, .. }) if remote == self.server => {
                payload.chunks_mut(segment_size.max(1)).for_each(|bytes| self.handle_datagram(now, bytes));
            }
            Input::Entropy(entropy) => _ = self.secrets.handle_entropy(entropy),
            // Where this host is the server sees, and says so: the guest asks for another connection.
            Input::Datagram(_) | Input::PathChange(_) | Input::LinkLoss(_) | Input::Unreachable(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let State::Open(_) = self.state {
            self.transport.handle_timeout(now);
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Event> {
        if let Some(event) = self.events.pop_front() {
            return Output::Event(event);
        }
        if let Some(len) = self.transmit(now, buf) {
            let transmit = Transmit { remote: self.server, local: None, ecn: Ecn::NotEct, len, segment_size: len };
            return Output::Transmit(transmit);
        }
        if let Some(error) = self.failure() {
            self.end_with(error);
        }
        if self.transport.take_notice() {
            self.events.push_back(Event::Notice);
        }
        if let Some(event) = self.events.pop_front() {
            return Output::Event(event);
        }
        if self.secrets.poll_need() {
            return Output::NeedsEntropy;
        }
        Output::Timeout(self.deadline())
    }
}
