//! What is counted: each part is one end of one work, run long enough for its cost per unit to be steady.

use core::fmt;

use serde::{Deserialize, Serialize};
use tng_base::Instant;
use tng_stack::structured::{Priority, Read, ReadError, StreamEvent, StreamId, Streams, WriteError};
use tng_stack::{ConnectError, ConnectionId, EventKind, Host, HostEvent, Target};
use tng_trickles::server::CacheConfig;

use crate::callgrind::the_counted_turn;
use crate::guest::{self, Ran};
use crate::pair::{self, ASKED, App, End, SERVICE};
use crate::policed::{Policed, Step};
use crate::quinn;
use crate::relay::Relay;
use crate::renewal::Trickle;
use crate::trickles::Trickles;
use crate::turns::{Pair, Side};

/// Bytes that an application writes or reads at once.
pub const BLOCK: usize = 64 * 1024;

/// Bytes of a request, and of its answer.
pub const REQUEST: usize = 32;

/// Requests under way at once.
pub const AT_ONCE: usize = 64;

/// One end of one work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Writing a long stream, and sending it in full packets
    BulkSend,
    /// Receiving and reading it
    BulkReceive,
    /// Requests of 32 bytes on new streams, 64 at once, at the end that asks
    RequestAsk,
    /// The same at the end that answers
    RequestAnswer,
    /// The same requests by one call each, at the end that asks
    RequestOneCall,
    /// The same at the end that answers
    RequestServe,
    /// A timer of a connection with an idle stream, keep-alive packets included
    IdleTimer,
    /// Connecting and closing, at the end that connects
    ConnectAsk,
    /// The same at the end that accepts
    ConnectAnswer,
    /// A long stream through a helper, which passes each packet on from one section to the other
    RelayPacket,
    /// A request for bytes of an object that spends a continuation, at a server of Trickles
    TrickleRequest,
    /// The same at a server that remembers the keys of its connections
    TrickleRequestKnown,
    /// The same between ends that leave seals out
    TrickleRequestPlain,
    /// A packet of the answer, at the client: reading what it brings, and asking for more
    TrickleResponse,
    /// Of what the server does of that, to verify the continuation and to renew it
    Continuation,
    /// What a segment of a guest's costs a policed channel beyond the channel's packet, at both ends together
    PolicedPacket,
    /// Of that: leave to send it, its place in the books, number and nonce
    PolicedSend,
    /// Of that: number, nonce and receipt at the end that receives it
    PolicedReceive,
    /// Of that: its part of a proof, at its sender
    PolicedProof,
    /// A packet of a long stream by a guest, NewReno, that is compiled in and policed, at both ends together
    NativePacket,
    /// Of that: writing and sending
    NativeSend,
    /// Of that: receiving and reading
    NativeReceive,
    /// What native-packet is, by the same guest as a module in the sandbox
    #[cfg(feature = "guests")]
    GuestPacket,
    /// Of that: writing and sending
    #[cfg(feature = "guests")]
    GuestSend,
    /// Of that: receiving and reading
    #[cfg(feature = "guests")]
    GuestReceive,
    /// What bulk-send does, by quinn
    QuinnBulkSend,
    /// What bulk-receive does, by quinn
    QuinnBulkReceive,
    /// What request-ask does, by quinn
    QuinnRequestAsk,
    /// What request-answer does, by quinn
    QuinnRequestAnswer,
}

impl Part {
    /// All of them.
    pub const ALL: &[Part] = &[
        Part::BulkSend,
        Part::BulkReceive,
        Part::RequestAsk,
        Part::RequestAnswer,
        Part::RequestOneCall,
        Part::RequestServe,
        Part::IdleTimer,
        Part::ConnectAsk,
        Part::ConnectAnswer,
        Part::RelayPacket,
        Part::TrickleRequest,
        Part::TrickleRequestKnown,
        Part::TrickleRequestPlain,
        Part::TrickleResponse,
        Part::Continuation,
        Part::PolicedPacket,
        Part::PolicedSend,
        Part::PolicedReceive,
        Part::PolicedProof,
        Part::NativePacket,
        Part::NativeSend,
        Part::NativeReceive,
        #[cfg(feature = "guests")]
        Part::GuestPacket,
        #[cfg(feature = "guests")]
        Part::GuestSend,
        #[cfg(feature = "guests")]
        Part::GuestReceive,
        Part::QuinnBulkSend,
        Part::QuinnBulkReceive,
        Part::QuinnRequestAsk,
        Part::QuinnRequestAnswer,
    ];

    /// Whether it is quinn that works: it is only counted to compare with.
    pub const fn is_quinns(self) -> bool {
        matches!(self, Part::QuinnBulkSend | Part::QuinnBulkReceive | Part::QuinnRequestAsk | Part::QuinnRequestAnswer)
    }

    /// Whether changes are held to it: not if another's code works, quinn's or what the engine makes of a module; nor
    /// if it is what another part is, under settings that few have.
    pub const fn has_limit(self) -> bool {
        let is_variant = matches!(self, Part::TrickleRequestKnown | Part::TrickleRequestPlain);
        !self.is_quinns() && !is_variant && !matches!(self.guest(), Some((ran, _)) if ran.is_module())
    }

    /// How the guest runs that is the transport, if one is, and the end that is counted, if it is not both.
    pub const fn guest(self) -> Option<(Ran, Option<Side>)> {
        match self {
            Part::NativePacket => Some((Ran::Native, None)),
            Part::NativeSend => Some((Ran::Native, Some(Side::Client))),
            Part::NativeReceive => Some((Ran::Native, Some(Side::Server))),
            #[cfg(feature = "guests")]
            Part::GuestPacket => Some((Ran::Module, None)),
            #[cfg(feature = "guests")]
            Part::GuestSend => Some((Ran::Module, Some(Side::Client))),
            #[cfg(feature = "guests")]
            Part::GuestReceive => Some((Ran::Module, Some(Side::Server))),
            _ => None,
        }
    }

    /// The part in which quinn does the same work.
    pub const fn by_quinn(self) -> Option<Part> {
        match self {
            Part::BulkSend => Some(Part::QuinnBulkSend),
            Part::BulkReceive => Some(Part::QuinnBulkReceive),
            Part::RequestAsk | Part::RequestOneCall => Some(Part::QuinnRequestAsk),
            Part::RequestAnswer | Part::RequestServe => Some(Part::QuinnRequestAnswer),
            _ => None,
        }
    }

    /// What is counted by.
    pub const fn unit(self) -> &'static str {
        match self {
            Part::BulkSend
            | Part::BulkReceive
            | Part::RelayPacket
            | Part::PolicedPacket
            | Part::PolicedSend
            | Part::PolicedReceive
            | Part::PolicedProof
            | Part::NativePacket
            | Part::NativeSend
            | Part::NativeReceive
            | Part::QuinnBulkSend
            | Part::QuinnBulkReceive => "packet",
            #[cfg(feature = "guests")]
            Part::GuestPacket | Part::GuestSend | Part::GuestReceive => "packet",
            Part::RequestAsk
            | Part::RequestAnswer
            | Part::RequestOneCall
            | Part::RequestServe
            | Part::TrickleRequest
            | Part::TrickleRequestKnown
            | Part::TrickleRequestPlain
            | Part::QuinnRequestAsk
            | Part::QuinnRequestAnswer => "request",
            Part::TrickleResponse => "response",
            Part::Continuation => "continuation",
            Part::IdleTimer => "timer",
            Part::ConnectAsk | Part::ConnectAnswer => "connection",
        }
    }

    /// Units before counting begins, and units counted: the same in every run.
    const fn counts(self) -> (u64, u64) {
        match self {
            Part::BulkSend
            | Part::BulkReceive
            | Part::RelayPacket
            | Part::PolicedPacket
            | Part::PolicedSend
            | Part::PolicedReceive
            | Part::PolicedProof
            | Part::NativePacket
            | Part::NativeSend
            | Part::NativeReceive
            | Part::QuinnBulkSend
            | Part::QuinnBulkReceive => (12_000, 12_000),
            #[cfg(feature = "guests")]
            Part::GuestPacket | Part::GuestSend | Part::GuestReceive => (12_000, 12_000),
            Part::RequestAsk
            | Part::RequestAnswer
            | Part::RequestOneCall
            | Part::RequestServe
            | Part::QuinnRequestAsk
            | Part::QuinnRequestAnswer => (3_000, 4_000),
            Part::TrickleRequest | Part::TrickleRequestKnown | Part::TrickleRequestPlain => (4_000, 4_000),
            Part::TrickleResponse => (8_000, 8_000),
            Part::Continuation => (1_000, 4_000),
            Part::IdleTimer => (20, 400),
            Part::ConnectAsk | Part::ConnectAnswer => (20, 100),
        }
    }

    /// Whether what is done with a segment of a guest's belongs to it.
    fn counts_step(self, step: Step) -> bool {
        match self {
            Part::PolicedSend => step == Step::Send,
            Part::PolicedReceive => step == Step::Receive,
            Part::PolicedProof => step == Step::Prove,
            _ => true,
        }
    }

    /// Does the work, counting after a warm-up. Answers how many units were counted.
    ///
    /// # Errors
    /// If the work stands still.
    pub fn run(self) -> Result<u64, Stuck> {
        let mut scene = Scene::new(self)?;
        let (warm_up, counted) = self.counts();
        scene.advance(self, warm_up, false)?;
        let from = scene.units(self);
        scene.advance(self, from + counted, true)?;
        Ok(scene.units(self) - from)
    }
}

/// The machines that do a part's work.
enum Scene {
    /// Both ends are counted if none is named.
    Pair {
        pair: Box<Pair<End>>,
        counted: Option<Side>,
    },
    Relay(Box<Relay>),
    Trickles {
        ends: Box<Trickles>,
        counted: Side,
    },
    Trickle(Box<Trickle>),
    Policed(Box<Policed>),
    Quinn {
        pair: Box<Pair<quinn::End>>,
        counted: Side,
    },
}

impl Scene {
    fn new(part: Part) -> Result<Scene, Stuck> {
        if let Some((ran, counted)) = part.guest() {
            return Ok(Scene::Pair { pair: Box::new(guest::pair(ran)?), counted });
        }
        let writer = || Box::new(Writer { block: vec![7; BLOCK] });
        let reader = || Box::new(Reader { block: vec![0; BLOCK] });
        let pair = match part {
            Part::BulkSend | Part::BulkReceive => pair::hosts(|_| writer(), reader()),
            Part::RequestAsk | Part::RequestAnswer => {
                pair::hosts(|_| Box::new(Asker::default()), Box::new(Answerer { answer: [9; REQUEST] }))
            }
            Part::RequestOneCall | Part::RequestServe => {
                let asker = || Asker { by_one_call: true, ..Asker::default() };
                pair::hosts(|_| Box::new(asker()), Box::new(Server { answer: [9; REQUEST] }))
            }
            Part::IdleTimer => pair::hosts(|_| Box::new(Idler), reader()),
            Part::ConnectAsk | Part::ConnectAnswer => {
                pair::hosts(|target| Box::new(Connector { target, done: 0 }), Box::new(Doorman))
            }
            Part::RelayPacket => return Ok(Scene::Relay(Box::new(Relay::new(writer(), reader())?))),
            Part::TrickleRequest | Part::TrickleRequestKnown | Part::TrickleRequestPlain | Part::TrickleResponse => {
                let counted = if part == Part::TrickleResponse { Side::Client } else { Side::Server };
                let caches = CacheConfig {
                    sockets: if part == Part::TrickleRequestKnown { 64 } else { 0 },
                    ..CacheConfig::default()
                };
                let ends = Trickles::new(caches, part == Part::TrickleRequestPlain);
                return Ok(Scene::Trickles { ends: Box::new(ends), counted });
            }
            Part::Continuation => return Ok(Scene::Trickle(Box::new(Trickle::new()))),
            Part::PolicedPacket | Part::PolicedSend | Part::PolicedReceive | Part::PolicedProof => {
                return Ok(Scene::Policed(Box::new(Policed::new())));
            }
            Part::QuinnBulkSend => return Ok(Scene::quinn_bulk(Side::Client)),
            Part::QuinnBulkReceive => return Ok(Scene::quinn_bulk(Side::Server)),
            Part::QuinnRequestAsk => return Ok(Scene::quinn_requests(Side::Client)),
            Part::QuinnRequestAnswer => return Ok(Scene::quinn_requests(Side::Server)),
            _ => unreachable!("the other parts are guests'"),
        }?;
        let counted = match part {
            Part::BulkReceive | Part::RequestAnswer | Part::RequestServe | Part::ConnectAnswer => Side::Server,
            _ => Side::Client,
        };
        Ok(Scene::Pair { pair: Box::new(pair), counted: Some(counted) })
    }

    fn quinn_bulk(counted: Side) -> Scene {
        let pair = quinn::pair(Box::new(quinn::Writer::default()), Box::new(quinn::Reader::default()));
        Scene::Quinn { pair: Box::new(pair), counted }
    }

    fn quinn_requests(counted: Side) -> Scene {
        let pair = quinn::pair(Box::new(quinn::Asker::default()), Box::new(quinn::Answerer::default()));
        Scene::Quinn { pair: Box::new(pair), counted }
    }

    fn units(&self, part: Part) -> u64 {
        let pair = match self {
            Scene::Pair { pair, .. } => pair,
            Scene::Relay(relay) => return relay.passed_on,
            Scene::Trickle(trickle) => return trickle.renewed,
            Scene::Policed(policed) => return policed.proven(),
            Scene::Trickles { ends, .. } if part == Part::TrickleResponse => return ends.taken(),
            Scene::Trickles { ends, .. } => return ends.answered(),
            Scene::Quinn { pair, .. } if part == Part::QuinnBulkSend => return pair.client.sent,
            Scene::Quinn { pair, .. } if part == Part::QuinnBulkReceive => return pair.server.received,
            Scene::Quinn { pair, .. } => return pair.client.done(),
        };
        match part {
            Part::BulkSend => pair.client.sent,
            Part::BulkReceive | Part::NativeReceive => pair.server.received,
            #[cfg(feature = "guests")]
            Part::GuestReceive => pair.server.received,
            Part::NativePacket | Part::NativeSend => pair.client.sent,
            #[cfg(feature = "guests")]
            Part::GuestPacket | Part::GuestSend => pair.client.sent,
            Part::IdleTimer => pair.client.fired,
            _ => pair.client.done(),
        }
    }

    fn advance(&mut self, part: Part, until: u64, counting: bool) -> Result<(), Stuck> {
        /// Turns without progress until it is called stuck: setting up takes a few.
        const PATIENCE: u32 = 1_000;
        let (mut idle, mut last) = (0, self.units(part));
        while last < until {
            match self {
                Scene::Pair { pair, counted } => {
                    pair.step(|side| counting && counted.is_none_or(|counted| counted == side));
                }
                Scene::Relay(relay) => relay.step(counting),
                Scene::Trickle(trickle) if counting => the_counted_turn(&mut **trickle, Trickle::renew),
                Scene::Trickle(trickle) => trickle.renew(),
                Scene::Policed(policed) => policed.step(|step| counting && part.counts_step(step)),
                Scene::Trickles { ends, counted } => ends.step(counting.then_some(*counted)),
                Scene::Quinn { pair, counted } => pair.step(|side| counting && side == *counted),
            }
            let now = self.units(part);
            idle = if now > last { 0 } else { idle + 1 };
            if idle > PATIENCE {
                return Err(Stuck::Still { part, units: now });
            }
            last = now;
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::BulkSend => "bulk-send",
            Part::BulkReceive => "bulk-receive",
            Part::RequestAsk => "request-ask",
            Part::RequestAnswer => "request-answer",
            Part::RequestOneCall => "request-one-call",
            Part::RequestServe => "request-serve",
            Part::IdleTimer => "idle-timer",
            Part::ConnectAsk => "connect-ask",
            Part::ConnectAnswer => "connect-answer",
            Part::RelayPacket => "relay-packet",
            Part::TrickleRequest => "trickle-request",
            Part::TrickleRequestKnown => "trickle-request-known",
            Part::TrickleRequestPlain => "trickle-request-plain",
            Part::TrickleResponse => "trickle-response",
            Part::Continuation => "continuation",
            Part::PolicedPacket => "policed-packet",
            Part::PolicedSend => "policed-send",
            Part::PolicedReceive => "policed-receive",
            Part::PolicedProof => "policed-proof",
            Part::NativePacket => "native-packet",
            Part::NativeSend => "native-send",
            Part::NativeReceive => "native-receive",
            #[cfg(feature = "guests")]
            Part::GuestPacket => "guest-packet",
            #[cfg(feature = "guests")]
            Part::GuestSend => "guest-send",
            #[cfg(feature = "guests")]
            Part::GuestReceive => "guest-receive",
            Part::QuinnBulkSend => "quinn-bulk-send",
            Part::QuinnBulkReceive => "quinn-bulk-receive",
            Part::QuinnRequestAsk => "quinn-request-ask",
            Part::QuinnRequestAnswer => "quinn-request-answer",
        })
    }
}

/// Why a work came to no end.
#[derive(Debug, thiserror::Error)]
pub enum Stuck {
    /// The hosts exchange nothing any more.
    #[error("{part} stands still after {units} units: the stack is broken; see whether its tests pass")]
    Still {
        /// Which.
        part: Part,
        /// How far it got.
        units: u64,
    },
    /// The client's host does not even begin.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Nor does the guest.
    #[error(transparent)]
    Guest(#[from] tng_stp_host::Fault),
}

/// Opens one stream and writes on it for ever.
struct Writer {
    block: Vec<u8>,
}

impl Writer {
    fn write(&self, streams: &mut Streams, id: StreamId) {
        while streams.write(id, &self.block) != Err(WriteError::Blocked) {}
    }
}

impl App for Writer {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        match event.kind {
            EventKind::Connected => {
                if let Ok(id) = streams.open(SERVICE.0, SERVICE.1) {
                    self.write(streams, id);
                }
            }
            EventKind::Stream(StreamEvent::Writable(id)) => self.write(streams, id),
            _ => {}
        }
    }
}

/// Accepts streams and reads what comes.
struct Reader {
    block: Vec<u8>,
}

impl Reader {
    fn read(&mut self, streams: &mut Streams, id: StreamId) {
        while let Ok(Read::Bytes(_)) = streams.read(id, &mut self.block) {}
    }
}

impl App for Reader {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = streams.accept() {
                    self.read(streams, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(id)) => self.read(streams, id),
            _ => {}
        }
    }
}

/// Opens one stream, writes one byte, and leaves it at that.
struct Idler;

impl App for Idler {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        if event.kind == EventKind::Connected
            && let Some(streams) = host.streams(event.connection)
            && let Ok(id) = streams.open(SERVICE.0, SERVICE.1)
        {
            let written = streams.write(id, &[1]);
            debug_assert_eq!(written, Ok(1));
        }
    }
}

/// Asks on new streams, each time an answer is there.
#[derive(Default)]
struct Asker {
    /// By one call for each request, and one for its answer.
    by_one_call: bool,
    done: u64,
    open: usize,
}

impl Asker {
    fn ask(&mut self, streams: &mut Streams) {
        while self.open < AT_ONCE && self.begin(streams) {
            self.open += 1;
        }
    }

    /// Asks once, if the peer allows it.
    fn begin(&self, streams: &mut Streams) -> bool {
        if self.by_one_call {
            let asked = streams.request(ASKED.0, ASKED.1, &[5; REQUEST], Priority::default());
            debug_assert!(asked.is_err() || asked.is_ok_and(|(_, taken)| taken == REQUEST), "a new stream takes it");
            return asked.is_ok();
        }
        let Ok(id) = streams.open(SERVICE.0, SERVICE.1) else { return false };
        let asked = streams.write(id, &[5; REQUEST]).is_ok() && streams.finish(id).is_ok();
        debug_assert!(asked, "a new stream takes a request");
        asked
    }

    fn has_answer(&self, streams: &mut Streams, id: StreamId) -> bool {
        match self.by_one_call {
            true => matches!(streams.take_answer(id), Ok(Some(_))),
            false => read_to_end(streams, id),
        }
    }
}

impl App for Asker {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        match event.kind {
            EventKind::Connected | EventKind::Stream(StreamEvent::CanOpen) => self.ask(streams),
            EventKind::Stream(StreamEvent::Readable(id)) if self.has_answer(streams, id) => {
                self.done += 1;
                self.open -= 1;
                self.ask(streams);
            }
            _ => {}
        }
    }

    fn done(&self) -> u64 {
        self.done
    }
}

/// Whether the peer's finish has come; what came before it is read.
fn read_to_end(streams: &mut Streams, id: StreamId) -> bool {
    let mut buf = [0; 2 * REQUEST];
    loop {
        match streams.read(id, &mut buf) {
            Ok(Read::Bytes(_)) => {}
            Ok(Read::Finished) => return true,
            Ok(Read::Blocked) | Err(ReadError::Unknown) => return false,
            Err(error) => panic!("a request failed between two hosts in one process: {error}"),
        }
    }
}

/// Answers what has been asked to the end.
struct Answerer {
    answer: [u8; REQUEST],
}

impl Answerer {
    fn answer(&self, streams: &mut Streams, id: StreamId) {
        if read_to_end(streams, id) {
            let answered = streams.write(id, &self.answer).is_ok() && streams.finish(id).is_ok();
            debug_assert!(answered, "a stream that was asked on takes an answer");
        }
    }
}

impl App for Answerer {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = streams.accept() {
                    self.answer(streams, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(id)) => self.answer(streams, id),
            _ => {}
        }
    }
}

/// Answers requests that are there whole.
struct Server {
    answer: [u8; REQUEST],
}

impl App for Server {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        if event.kind == EventKind::Stream(StreamEvent::Requested) {
            while let Some(request) = streams.next_request() {
                let answered = streams.answer(request.id, &self.answer);
                debug_assert!(request.body.is_some() && answered == Ok(true), "it is small");
            }
        }
    }
}

/// Closes every connection as soon as it is there, and connects again.
struct Connector {
    target: Target,
    done: u64,
}

impl Connector {
    fn turn_over(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        self.done += 1;
        host.close(now, id, 0, "");
        let again = host.connect(now, self.target.clone());
        debug_assert!(again.is_ok(), "the first attempt was accepted");
    }
}

impl App for Connector {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        if event.kind == EventKind::Connected {
            self.turn_over(now, host, event.connection);
        }
    }

    fn done(&self) -> u64 {
        self.done
    }
}

/// Lets the host accept by itself.
struct Doorman;

impl App for Doorman {
    fn handle_event(&mut self, _now: Instant, _host: &mut Host, _event: HostEvent) {}
}
