//! A client for as long as one of its requests is answered (Trickles 3.2 and 3.3, figure 11).
//!
//! A server makes a [`Minisocket`] of each request that it grants something, and puts it into its event queue. It is
//! the only thing that stands for a client, it is worth one answer, and who holds it owns it: taken off the queue
//! it is *detached*, handed back it is *sent*, let go it is *dropped* and the client sees lost packets. It can be
//! *extracted*, sealed, and *installed* at another server of the fleet within the age limit.

mod extract;
mod reply;

use core::fmt;
use core::net::SocketAddr;
use core::ops::Range;
use std::sync::Arc;

use tng_base::{Eid, Instant, PeerText};
use tng_crypto::{BLAKE3_TAG_LEN, DatagramKey, TAG_LEN};
use tng_wire::Reader;

pub use extract::InstallError;
pub use reply::Rehearsal;
pub(crate) use reply::Reply;

use crate::cache::Kept;
use crate::replay::Objects;
use crate::server::Outputs;
use crate::set_up::Opened;
use crate::wire::{
    Ask, Bytes, FAULT_LEN_MAX, Fault, ITEMS_PER_REQUEST_MAX, Ranges, ResponseHeader, SOLUTIONS_PER_REQUEST_MAX, Tell,
};
use crate::{
    ClientNetwork, ConnectionId, Keys, Puzzle, Rtt, SEALED_STATE_LEN_MAX, Solution, State, StateError, StateKind,
    Throttle, Wall,
};

/// What has happened (Trickles 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Somebody has set up a connection, and asks for something at once or not.
    Open {
        /// Who, proven.
        peer: Eid,
    },
    /// A client asks for something.
    Request,
}

/// Who asks, as far as a server knows: nothing of it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    /// What has happened.
    pub event: Event,
    /// The connection.
    pub id: ConnectionId,
    /// Where the request came from.
    pub remote: SocketAddr,
    /// The address that it was sent to, where the driver knows it.
    pub local: Option<SocketAddr>,
    /// The round-trip time, smoothed, with the time that servers took.
    pub rtt: Rtt,
}

/// A client for as long as one of its requests is answered.
pub struct Minisocket {
    pub(crate) client: Client,
    /// The seal of the continuation that was spent.
    pub(crate) seal: [u8; BLAKE3_TAG_LEN],
    /// What is asked for, opened.
    pub(crate) asks: Vec<u8>,
    pub(crate) reply: Reply,
    pub(crate) sealing: Sealing,
}

/// How the packets of an answer are sealed.
pub(crate) enum Sealing {
    /// Not at all: there is no answer.
    Nothing,
    /// The first is the rest of a REPLY, the others are responses that need not wait for a request.
    SetUp { opened: Box<Opened>, responses: Option<(ResponseHeader, Option<DatagramKey>)> },
    /// Responses to a request that has this seal, made with the connection's secret of this epoch; without a key they
    /// go out as they are.
    Responses { header: ResponseHeader, key: Option<DatagramKey>, epoch: u8, request: [u8; TAG_LEN] },
}

impl Default for Minisocket {
    fn default() -> Minisocket {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let id = ConnectionId([0; ConnectionId::LEN]);
        let client = Client { event: Event::Request, id, remote: nowhere, local: None, rtt: Rtt::default() };
        let (seal, asks, reply) = ([0; BLAKE3_TAG_LEN], Vec::new(), Reply::default());
        Minisocket { client, seal, asks, reply, sealing: Sealing::Nothing }
    }
}

impl Minisocket {
    /// Who asks.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// How many packets the answer has: each is sent, with or without anything told in it.
    pub fn packets(&self) -> usize {
        self.reply.count()
    }

    /// Bytes that it holds, in use or kept for what comes next.
    pub(crate) fn held(&self) -> usize {
        let Minisocket { client: _, seal: _, asks, reply, sealing } = self;
        let opened = match sealing {
            Sealing::SetUp { opened, responses: _ } => size_of::<Opened>() + opened.first().len(),
            Sealing::Nothing | Sealing::Responses { .. } => 0,
        };
        size_of::<Minisocket>() + asks.capacity() + reply.held() + opened
    }

    /// Bytes that may be told in them.
    pub fn room(&self) -> usize {
        self.reply.room()
    }

    /// What is asked for, and where the answer goes.
    pub(crate) fn converse<'a>(&'a mut self, context: Context<'a>) -> (Asks<'a>, Answer<'a>) {
        let Minisocket { client, seal, asks, reply, .. } = self;
        let answer_asks = Reader::new(asks);
        let Context { keys, version, .. } = context;
        let reader = Reader::new(asks);
        let asks = Asks { reader, left: ITEMS_PER_REQUEST_MAX, keys, id: client.id, version, ageing: None };
        (asks, Answer { client, seal, reply, asks: answer_asks, solved: None, context })
    }

    /// Has `handle` answer what is asked for. What needs no application is answered here: continuations that are not
    /// taken, and those whose keys will be erased.
    pub(crate) fn hear<'a>(&'a mut self, context: Context<'a>, mut handle: impl FnMut(Asked<'a>, &mut Answer<'a>)) {
        let (mut asks, mut answer) = self.converse(context);
        while let Some(asked) = asks.next() {
            if let Some(ageing) = asks.take_ageing() {
                answer.renew(ageing);
            }
            match asked {
                Asked::Bad { object, fault } => {
                    answer.fault(object, fault, "its continuation is not taken");
                }
                asked => handle(asked, &mut answer),
            }
        }
    }
}

impl fmt::Debug for Minisocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minisocket").field("client", &self.client).field("reply", &self.reply).finish_non_exhaustive()
    }
}

/// What an answer is made with, beside what stands in the request.
pub(crate) struct Context<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) now: Instant,
    pub(crate) wall: Wall,
    pub(crate) version: u16,
    pub(crate) objects: &'a mut Objects,
    pub(crate) throttle: &'a Throttle,
    pub(crate) outputs: &'a mut Outputs,
}

/// What a client asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked<'a> {
    /// Bytes of an object, for which the application has sealed this.
    Want {
        /// The object, as the client calls it.
        object: u64,
        /// What the application has sealed.
        state: &'a [u8],
        /// The bytes that the continuation is good for.
        valid: Bytes,
        /// Those that are wanted: in order, all of them valid.
        ranges: Ranges<'a>,
    },
    /// Part of what asks for an object.
    Put {
        /// The object, as the client calls it.
        object: u64,
        /// What the application has sealed of the part before; nothing for the first.
        state: Option<&'a [u8]>,
        /// Where the part begins: how much has been taken before.
        offset: u64,
        /// Whether it is the last.
        is_end: bool,
        /// Where the client has room for the object.
        reserved: Bytes,
        /// The part.
        data: &'a [u8],
    },
    /// The client will not ask for more. A hint: many go without one.
    Close,
    /// A continuation that is not taken: the client should be told why.
    Bad {
        /// The object, as far as it can be read.
        object: u64,
        /// Why.
        fault: Fault,
    },
}

/// All that a request asks for, in order, [`ITEMS_PER_REQUEST_MAX`] at most. What is malformed ends it.
#[derive(Debug)]
pub struct Asks<'a> {
    reader: Reader<'a>,
    /// Items that are still looked at.
    left: usize,
    keys: &'a Keys,
    id: ConnectionId,
    version: u16,
    /// What was wanted last by a continuation whose keys will be erased before those of the present.
    ageing: Option<Ageing<'a>>,
}

/// An output continuation to seal anew.
#[derive(Clone, Debug)]
struct Ageing<'a> {
    object: u64,
    valid: Bytes,
    state: &'a [u8],
}

impl<'a> Asks<'a> {
    fn opened(&self, sealed: &'a [u8]) -> Result<State<'a>, (u64, Fault)> {
        State::open(sealed, self.keys, &self.id, self.version).map_err(|error| {
            let fault = if matches!(error, StateError::Version(_)) { Fault::Version } else { Fault::Unsealed };
            (State::object_of(sealed).unwrap_or(0), fault)
        })
    }

    /// What was wanted last, if it must be sealed anew.
    fn take_ageing(&mut self) -> Option<Ageing<'a>> {
        self.ageing.take()
    }

    fn judge(&mut self, ask: Ask<'a>) -> Result<Option<Asked<'a>>, (u64, Fault)> {
        Ok(Some(match ask {
            Ask::Want { output, ranges } => {
                let State { object, kind, bytes: state, .. } = self.opened(output)?;
                let StateKind::Output { valid } = kind else { return Err((object, Fault::Unsealed)) };
                if ranges.iter().any(|range| range.start < valid.start || range.end > valid.end) {
                    return Err((object, Fault::OutOfRange));
                }
                if output.first() != Some(&(self.keys.present().number() as u8)) {
                    self.ageing = Some(Ageing { object, valid: valid.clone(), state });
                }
                Asked::Want { object, state, valid, ranges }
            }
            Ask::Put { object, input: &[], offset: 0, is_end, reserved, data } => {
                Asked::Put { object, state: None, offset: 0, is_end, reserved, data }
            }
            Ask::Put { object, input, offset, is_end, reserved, data } => {
                let State { object: sealed_object, kind, bytes: state, .. } =
                    self.opened(input).map_err(|(_, fault)| (object, fault))?;
                if sealed_object != object || kind != (StateKind::Input { taken: offset }) {
                    return Err((object, Fault::Unsealed));
                }
                Asked::Put { object, state: Some(state), offset, is_end, reserved, data }
            }
            Ask::Close => Asked::Close,
            Ask::Solved(_) => return Ok(None),
        }))
    }
}

impl<'a> Iterator for Asks<'a> {
    type Item = Asked<'a>;

    fn next(&mut self) -> Option<Asked<'a>> {
        while self.left > 0 && !self.reader.is_empty() {
            self.left -= 1;
            let ask = Ask::parse(&mut self.reader).ok()?;
            match self.judge(ask) {
                Ok(None) => {}
                Ok(asked) => return asked,
                Err((object, fault)) => return Some(Asked::Bad { object, fault }),
            }
        }
        None
    }
}

/// What an application answers a request with. What there is no room for is not told: the client asks for it again.
pub struct Answer<'a> {
    client: &'a Client,
    seal: &'a [u8; BLAKE3_TAG_LEN],
    reply: &'a mut Reply,
    /// All that is asked: a solution of a puzzle may be among it.
    asks: Reader<'a>,
    /// Zero bits of the hardest puzzle that the request solves, 0 for none; nothing before it was looked.
    solved: Option<u8>,
    context: Context<'a>,
}

impl Answer<'_> {
    /// Who asks.
    pub const fn client(&self) -> &Client {
        self.client
    }

    /// Bytes that may still be told.
    pub fn room(&self) -> usize {
        self.reply.room()
    }

    /// Which bytes there is room for, found out without sending any.
    pub fn rehearse(&self) -> Rehearsal<'_> {
        self.reply.rehearse()
    }

    /// Sends bytes of an object that stand from `start` on, as many as there is room for. Answers how many.
    pub fn send(&mut self, start: u64, bytes: &[u8]) -> usize {
        let end = start + bytes.len() as u64;
        let sent = self.send_with(start..end, |from, buf| {
            let from = (from - start) as usize;
            buf.copy_from_slice(&bytes[from..from + buf.len()]);
            Ok::<(), core::convert::Infallible>(())
        });
        sent.map_or(0, |to| (to - start) as usize)
    }

    /// The same for bytes that `fill` writes into the packets, from the place that it is told. Answers where they end.
    ///
    /// # Errors
    /// Whatever `fill` answers: what was sent until then is sent.
    pub fn send_with<E>(&mut self, bytes: Bytes, fill: impl FnMut(u64, &mut [u8]) -> Result<(), E>) -> Result<u64, E> {
        self.reply.data(bytes, fill)
    }

    /// Says that nothing comes for these: an object has ended before them.
    pub fn skip(&mut self, bytes: Bytes) -> bool {
        !bytes.is_empty() && self.reply.tell(&Tell::Skip(bytes)).is_ok()
    }

    /// Says how to ask for bytes of an object: with this state, at most [`STATE_LEN_MAX`](crate::STATE_LEN_MAX) bytes.
    pub fn output(&mut self, object: u64, valid: Bytes, state: &[u8]) -> bool {
        let kind = StateKind::Output { valid: valid.clone() };
        self.tell_sealed(object, kind, state, |output| Tell::Output { object, valid, output })
    }

    /// Seals an output continuation anew, with the keys of the present.
    fn renew(&mut self, Ageing { object, valid, state }: Ageing<'_>) {
        self.output(object, valid, state);
    }

    /// Says that so many bytes of what asks for an object are taken, and how to go on; and where the next part should
    /// end, if that matters.
    pub fn input(&mut self, object: u64, taken: u64, until: Option<u64>, state: &[u8]) -> bool {
        self.tell_sealed(object, StateKind::Input { taken }, state, |input| Tell::Input { object, taken, until, input })
    }

    /// Says that the client does not get an object, and why.
    pub fn fault(&mut self, object: u64, fault: Fault, text: &str) -> bool {
        let text = PeerText::new(text);
        let text = text.cut(FAULT_LEN_MAX);
        self.reply.tell(&Tell::Fault { object, fault, text }).is_ok()
    }

    /// Whether to compute something expensive: bytes of what `name` stands for. A connection has it computed once, and
    /// `retries` times more in a while; under load, and when much was computed lately, it solves a puzzle before. If
    /// not, the client is told.
    pub fn may_compute(&mut self, object: u64, name: &[u8], bytes: &Range<u64>, retries: u8) -> bool {
        let Context { keys, now, wall, ref mut objects, throttle, .. } = self.context;
        let (id, place) = (&self.client.id, ClientNetwork::of(self.client.remote.ip()));
        let difficulty = throttle.difficulty().max(objects.difficulty(now));
        // Once for all that the request asks for: what is verified costs as much for two items as for one.
        let is_solution = |solution: &Solution| solution.verify(keys, wall, id, &place, self.seal).is_ok();
        let look = || solutions(self.asks.clone()).filter(is_solution).map(|solution| solution.difficulty()).max();
        if difficulty > 0 && *self.solved.get_or_insert_with(|| look().unwrap_or(0)) < difficulty {
            let puzzle = Puzzle::set(keys, wall, id, &place, difficulty);
            let _ = self.reply.tell(&Tell::Puzzle { object, puzzle });
            return false;
        }
        let is_granted = objects.admit(now, id, name, bytes, retries).is_ok();
        if !is_granted {
            self.fault(object, Fault::TooOften, "it was computed for this connection already: ask again later");
        }
        is_granted
    }

    /// What the application has computed under that name, if the server remembers it.
    ///
    /// A server may forget anything at any moment, and mostly has no room at all. So that clients are answered the same
    /// whatever it remembers, [`may_compute`](Self::may_compute) is asked before, not only where nothing is remembered.
    pub fn remembered(&mut self, name: &[u8]) -> Option<Kept> {
        let Context { now, ref mut outputs, .. } = self.context;
        outputs.computed.get(now, name).cloned()
    }

    /// Has the server remember what was computed, as long as there is room. What took the most `work` for its bytes is
    /// remembered longest; work is in one unit of the application's, the same at every run. The name says whatever it
    /// depends on: what clients may not see of each other has theirs in it.
    pub fn remember(&mut self, name: &[u8], work: u64, kept: Kept) {
        let (place, len) = (ClientNetwork::of(self.client.remote.ip()), kept.bytes().len() + name.len());
        let Context { now, ref mut outputs, .. } = self.context;
        outputs.computed.insert(now, place, name.into(), kept, (len, work));
    }

    /// Where the application was in the middle of something, if the server still knows it: there it can go on, and does
    /// without what its continuation alone would have it do again (Trickles 4.2).
    pub fn resumed(&mut self, name: &[u8]) -> Option<Arc<[u8]>> {
        let Context { now, ref mut outputs, .. } = self.context;
        outputs.parses.get(now, name).cloned()
    }

    /// Has the server keep [for a while](crate::server::PARSES_KEPT_FOR) where the application is in the middle of
    /// something, if there is room. Somebody may ask anew from the continuation alone at any moment, and is answered
    /// the same; that would take so much `work`.
    pub fn suspend(&mut self, name: &[u8], work: u64, state: &[u8]) {
        let (place, len) = (ClientNetwork::of(self.client.remote.ip()), state.len() + name.len());
        let Context { now, ref mut outputs, .. } = self.context;
        outputs.parses.insert(now, place, name.into(), state.into(), (len, work));
    }

    fn tell_sealed<'t>(
        &mut self,
        object: u64,
        kind: StateKind,
        bytes: &[u8],
        tell: impl for<'s> FnOnce(&'s [u8]) -> Tell<'s>,
    ) -> bool {
        let mut out = [0; SEALED_STATE_LEN_MAX];
        let state = State { version: self.context.version, object, kind, bytes };
        let sealed = state.seal(self.context.keys, &self.client.id, &mut out);
        sealed.is_some_and(|sealed| self.reply.tell(&tell(sealed)).is_ok())
    }
}

/// The first solutions of puzzles among what is asked, [`SOLUTIONS_PER_REQUEST_MAX`] at most.
fn solutions(mut asks: Reader<'_>) -> impl Iterator<Item = Solution> {
    let parsed = core::iter::from_fn(move || (!asks.is_empty()).then(|| Ask::parse(&mut asks).ok()).flatten());
    let solutions = parsed.take(ITEMS_PER_REQUEST_MAX).filter_map(|ask| match ask {
        Ask::Solved(solution) => Some(solution),
        _ => None,
    });
    solutions.take(SOLUTIONS_PER_REQUEST_MAX)
}

impl fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("client", &self.client).field("room", &self.room()).finish_non_exhaustive()
    }
}

/// What answers requests. It keeps nothing of a client that it cannot forget: the same may be asked of another server
/// next.
pub trait Application {
    /// The version of what it seals: what another version has sealed is not handed to it.
    fn version(&self) -> u16;

    /// A client asks for something, or several things; each in its turn.
    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>);

    /// Somebody has set up a connection.
    fn open(&mut self, client: &Client) {
        let _ = client;
    }
}

impl<A: Application + ?Sized> Application for Box<A> {
    fn version(&self) -> u16 {
        (**self).version()
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        (**self).handle(asked, answer);
    }

    fn open(&mut self, client: &Client) {
        (**self).open(client);
    }
}
