//! Structured streams (SST 4.3): reliable byte streams that fork into children, over one channel and, later, several.
//!
//! [`Streams`] is one connection's streams as a plain value, a [`tng_base::Protocol`]. The channel below hands it
//! packets and fates and asks it to fill packets; the application opens, accepts, reads and writes.
//!
//! * After every call that may change something to send, ask the channel to poll; every call may leave events, to be
//!   taken with [`poll_event`](Streams::poll_event) until there are none.
//! * A stream stays until both of its halves are over *and* every event that tells an outcome
//!   ([`Finished`](StreamEvent::Finished), [`Reset`](StreamEvent::Reset), [`Stopped`](StreamEvent::Stopped),
//!   [`Refused`](StreamEvent::Refused)) was taken, and the application has read to the end, or called
//!   [`stop`](Streams::stop), or [let go of it](Streams::release). After that its id answers `Unknown`.
//! * Events are edge-triggered: one is told when a call that answered `Blocked` may be repeated, and not again before
//!   it answers `Blocked` again.
//!
//! How a packet is filled: `output`; how one is taken: `input`; how it meets its fate: `fate`; what the application
//! calls: `calls`.

mod accounting;
pub mod battery;
mod blocks;
mod buffer;
mod calls;
mod carriers;
mod credit;
mod describe;
mod error;
mod fate;
mod given;
mod heap;
mod inbox;
mod index;
mod input;
mod lazy;
mod marks;
mod outbox;
mod output;
mod records;
mod recv;
mod requests;
mod rest;
mod ring;
mod scheduler;
mod send;
mod services;
mod stream;
mod table;
mod train;
mod window;
mod wire;

#[cfg(test)]
mod tests;

use core::fmt;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tng_base::{ChannelKey, PathCondition, PeerText, RangeSet};

pub use accounting::{Holdings, RECORD_COST, STREAM_COST};
pub use buffer::{CHUNK_PAGE_MIN, Chunk, FREE_PAGES_KEPT, FREE_PAGES_MAX, PAGE, SCRAP_MAX};
pub use calls::{Incoming, Stats};
pub use credit::{Allowance, FIRST_MIN, RESERVE_PART};
pub use describe::describe;
pub use error::{OpenError, Read, ReadChunk, ReadError, ReadMessage, SendDatagramError, WriteError};
pub use given::GIVEN_MIN;
pub use inbox::{Dropped, HELD_MAX, PARTIAL_AGE_MAX, PARTIALS_MAX};
pub use marks::MESSAGES_MAX;
pub use outbox::{DATAGRAM_MAX, EPHEMERAL_MAX, OVERHEAD, QUEUED_MAX, RISK_MAX};
pub use records::LOST_KEPT_MAX;
pub use recv::{RANGES_MAX, STREAM_WINDOW_MAX};
pub use requests::{Request, WHOLE_MAX};
pub use scheduler::{DEPTH_MAX, PASS_MAX, Priority, WEIGHT};
pub use send::UNSENT_MIN;
pub use services::{FirstData, ServiceOptions, Services};
pub use train::TURN_PACKETS;
pub use wire::{NAME_MAX, REASON_MAX};

use credit::{CreateCredit, HostCredit, PeerCredit, Reserve};
use error::violation;
use lazy::Lazy;
use records::Records;
use ring::Ring;
use scheduler::Tree;
use services::Offered;
use stream::{Stream, place};
use table::Table;
use wire::Setup;

/// Which end of the channel this is. It decides which stream ids are ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Set the channel up.
    Initiator,
    /// Answered.
    Responder,
}

/// A stream's name on its connection: `counter × 2 + creator`. Never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StreamId(u64);

impl StreamId {
    /// The first stream of the end that began the session.
    pub const FIRST: StreamId = StreamId(0);

    fn new(counter: u64, creator: Role) -> StreamId {
        StreamId(counter * 2 + u64::from(creator == Role::Responder))
    }

    /// The id as it stands on the wire; of a datagram that came without a stream, one that no wire knows.
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// Which end created the stream.
    pub const fn creator(self) -> Role {
        if self.0 & 1 == 0 { Role::Initiator } else { Role::Responder }
    }

    const fn counter(self) -> u64 {
        self.0 / 2
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Codes of REFUSE (docs/wire.md, section 5).
pub mod refusal {
    /// There is no such service.
    pub const NO_SERVICE: u64 = 1;
    /// The service does not speak this protocol.
    pub const NO_PROTOCOL: u64 = 2;
    /// Too many streams wait to be accepted.
    pub const BUSY: u64 = 3;
    /// The application does not want it, or its parent takes no children.
    pub const NOT_ACCEPTED: u64 = 4;
}

/// Code with which whatever an acceptor writes on a datagram fails: nobody reads it.
pub const EPHEMERAL: u64 = 0;

/// Sizes and limits of one connection's streams.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Bytes of one stream that the peer may send ahead of the reading application; at least 4,096, at most
    /// [`STREAM_WINDOW_MAX`].
    pub stream_window: u64,
    /// Bytes of all streams that the peer may send ahead of the reading applications at most; at least 4,096.
    pub host_window: u64,
    /// As many of them as there are from the start, and always; at least 4,096. The others come with their use.
    pub host_window_first: u64,
    /// Streams of the peer's that may exist at once; at least 16, at most 2^31.
    pub streams_max: u64,
    /// Streams of the peer's that may wait to be accepted; others are refused as busy.
    pub backlog_max: usize,
    /// Bytes of the largest datagram that is received whole; larger ones can be accepted as streams. At most half
    /// of `host_window`.
    pub datagram_max: u64,
    /// Bytes that a stream's writer may be ahead of what has been sent for the first time; at least 1.
    pub unsent_max: u64,
    /// Bytes that the writers of all streams may be ahead. A stream has half of what the others leave of it, and
    /// [`UNSENT_MIN`] in any case.
    pub unsent_all_max: u64,
    /// Of these, the bytes that the peer has given no credit for, once it has said how much it gives: more of them
    /// would only wait here.
    pub blocked_all_max: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            stream_window: 8 << 20,
            host_window: 32 << 20,
            host_window_first: 32 << 20,
            streams_max: 1024,
            backlog_max: 1024,
            datagram_max: 16 << 20,
            unsent_max: 512 << 10,
            unsent_all_max: 8 << 20,
            blocked_all_max: 512 << 10,
        }
    }
}

impl Config {
    fn setup(&self) -> Setup {
        let within = |value: u64, least: u64| value.clamp(least, 1 << 48);
        Setup {
            stream: within(self.stream_window, Setup::ASSUMED.stream).min(STREAM_WINDOW_MAX),
            host: within(self.host_window.min(self.host_window_first), Setup::ASSUMED.host),
            create: within(self.streams_max, Setup::ASSUMED.create).min(1 << 31),
        }
    }
}

/// What the application is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StreamEvent {
    /// Streams wait for [`accept`](Streams::accept).
    Incoming,
    /// Requests wait for [`next_request`](Streams::next_request). Told after it had none, and again for as long as some
    /// are left.
    Requested,
    /// Children wait for [`accept_child`](Streams::accept_child), or a datagram for
    /// [`recv_datagram`](Streams::recv_datagram). Told after one of the two had nothing, and for the first child of a
    /// stream.
    ChildIncoming {
        /// Their parent.
        parent: StreamId,
    },
    /// There is something to read, or the end.
    Readable(StreamId),
    /// There is room to write.
    Writable(StreamId),
    /// The peer has everything that was written, and knows the end: told after
    /// [`tell_finished`](Streams::tell_finished).
    Finished(StreamId),
    /// The peer gave its sending half up.
    Reset {
        /// The stream.
        id: StreamId,
        /// The peer application's code.
        code: u64,
    },
    /// The peer wants no more of what is written here.
    Stopped {
        /// The stream.
        id: StreamId,
        /// The peer application's code.
        code: u64,
    },
    /// The peer refused the stream.
    Refused {
        /// The stream.
        id: StreamId,
        /// Why, see [`refusal`].
        code: u64,
        /// Why, for people.
        reason: PeerText,
    },
    /// [`open`](Streams::open) may be repeated.
    CanOpen,
    /// [`send_datagram`](Streams::send_datagram) may be repeated.
    CanSendDatagram,
    /// Everything that was written has arrived, and all else that was to be said: told once after
    /// [`tell_settled`](Streams::tell_settled).
    Settled,
}

/// The streams of one connection. See the [module](self).
#[derive(Debug)]
pub struct Streams {
    role: Role,
    config: Config,
    services: Arc<Services>,
    granted: Setup,
    peer: Setup,
    /// That is what the peer said, and not what is assumed.
    introduced: bool,
    table: Table,
    pages: buffer::Pages,

    /// What the last stream was opened for; the next one mostly is, too.
    last_name: Option<Arc<services::Name>>,
    /// What the peer's last stream was for.
    last_offered: Option<Offered>,
    /// Counter of the next stream opened here.
    next_own: u64,
    /// Above every counter that the peer has used.
    next_peer: u64,
    /// Counters below that, of streams that have not been seen. Those seen and not in the table are over.
    unseen: RangeSet,
    creating: CreateCredit,
    /// Streams that the peer lets us create.
    create_limit: u64,
    host: HostCredit,
    peer_host: PeerCredit,
    reserve: Reserve,
    /// Streams that have some of their first bytes to send, for when credit admits nothing else.
    firsts: Ring,
    host_credit_due: bool,
    create_credit_due: bool,

    /// Written and never sent, over all streams.
    unsent: u64,
    /// Sent and not acknowledged, over all streams, up to gaps.
    in_flight: u64,
    /// What these two may be together.
    send_cap: u64,
    /// Data that a full packet holds, by the last one filled.
    segment: u64,

    control: Ring,
    scheduler: Lazy<Tree>,
    /// Streams that have little to send and have had no more than others: they go first come, first served, before
    /// those of the tree that are no more urgent.
    brief: Ring,
    outbox: outbox::Outbox,
    inbox: Lazy<inbox::Inbox>,
    /// Parents with datagrams to send, for when credit admits nothing else.
    datagram_turns: Ring,
    channels: Vec<Carrier>,

    backlog: VecDeque<Waiting>,
    /// Those of services whose streams are requests.
    requests: VecDeque<Waiting>,
    /// Children that wait to be accepted, by parent.
    children: BTreeSet<(StreamId, StreamId)>,
    /// Children whose parent's INIT is missing, by parent.
    orphans: BTreeSet<(StreamId, StreamId)>,
    told: Ring,
    /// Streams that have changed since they were brought in line.
    changed: Vec<u32>,
    /// One of them may have something to send.
    is_stirred: bool,
    /// Openings of `brief` streams may wait for their turn, to share a frame with the bytes.
    holds_openings: bool,
    incoming_due: bool,
    requested_due: bool,
    settled_due: bool,
    can_open_due: bool,
    open_blocked: bool,
    early: bool,
    lost: bool,
    counters: calls::Counters,
    /// No stream ever rests.
    #[cfg(test)]
    restless: bool,
}

/// A top-level stream that waits to be accepted. It stays until it is.
#[derive(Debug)]
struct Waiting {
    slot: u32,
    /// What it is for, twice, and one more if its INIT came before the peer had proven that it is not a replay.
    what: u32,
}

impl Waiting {
    fn new(slot: u32, Offered(offered): Offered, early: bool) -> Waiting {
        Waiting { slot, what: offered << 1 | u32::from(early) }
    }

    const fn offered(&self) -> Offered {
        Offered(self.what >> 1)
    }

    const fn early(&self) -> bool {
        self.what & 1 == 1
    }
}

/// Room for as many that wait is never given back.
const WAITING_KEPT: usize = 64;

/// Takes the first of those who wait, and gives room back when none is left.
fn next_waiting(queue: &mut VecDeque<Waiting>) -> Option<Waiting> {
    let waiting = queue.pop_front();
    if queue.is_empty() {
        queue.shrink_to(WAITING_KEPT);
    }
    waiting
}

/// A channel that carries the streams.
#[derive(Debug)]
struct Carrier {
    key: ChannelKey,
    records: Records,
    /// `None` until it is attached: its set-up may carry frames, but nobody knows yet whether it will ever be.
    condition: Option<PathCondition>,
    /// It gives way to others: what is on its way on it may arrive, and nothing new goes by it.
    retired: bool,
}

/// What a received id means.
enum Found {
    Slot(u32),
    Over,
}

impl Streams {
    /// The streams of a new connection.
    pub fn new(role: Role, mut config: Config, services: impl Into<Arc<Services>>) -> Streams {
        config.unsent_max = config.unsent_max.max(1);
        let granted = config.setup();
        let config_host_window = config.host_window.min(1 << 48);
        Streams {
            role,
            config,
            services: services.into(),
            peer: Setup::ASSUMED,
            introduced: false,
            table: Table::default(),
            pages: buffer::Pages::default(),
            last_name: None,
            last_offered: None,
            next_own: 0,
            next_peer: 0,
            unseen: RangeSet::new(),
            creating: CreateCredit::new(granted.create),
            create_limit: Setup::ASSUMED.create,
            host: HostCredit::new(granted.host, config_host_window),
            peer_host: PeerCredit { limit: Setup::ASSUMED.host, sent: 0 },
            reserve: Reserve::default(),
            firsts: Ring::default(),
            host_credit_due: false,
            create_credit_due: false,
            unsent: 0,
            in_flight: 0,
            send_cap: u64::MAX,
            segment: 1000,
            control: Ring::default(),
            scheduler: Lazy::default(),
            brief: Ring::default(),
            outbox: outbox::Outbox::default(),
            inbox: Lazy::default(),
            datagram_turns: Ring::default(),
            channels: Vec::new(),
            backlog: VecDeque::new(),
            requests: VecDeque::new(),
            children: BTreeSet::new(),
            orphans: BTreeSet::new(),
            told: Ring::default(),
            changed: Vec::new(),
            is_stirred: false,
            holds_openings: false,
            incoming_due: false,
            requested_due: false,
            settled_due: false,
            can_open_due: false,
            open_blocked: false,
            early: false,
            lost: false,
            counters: calls::Counters::default(),
            #[cfg(test)]
            restless: false,
            granted,
        }
    }

    /// A stream has changed, and may have something to send: it is brought in line when something is polled next.
    #[inline]
    fn mark_dirty(&mut self, slot: u32) {
        self.is_stirred = true;
        self.touch_quietly(slot);
    }

    /// The same for a change that gives nothing to send.
    #[inline]
    fn touch_quietly(&mut self, slot: u32) {
        let places = &mut self.table[slot].places;
        if *places & place::CHANGED == 0 {
            *places |= place::CHANGED;
            self.changed.push(slot);
        }
    }

    /// Brings in line what has changed, once however often it has.
    #[inline]
    fn align(&mut self) {
        if self.is_stirred || !self.changed.is_empty() {
            self.align_changed();
        }
        if self.holds_openings && self.fresh_room().is_none() {
            self.let_openings_go();
            self.align_changed();
        }
    }

    fn align_changed(&mut self) {
        let mut at = 0;
        while let Some(&slot) = self.changed.get(at) {
            at += 1;
            // It may have been brought in line before, or be gone.
            if self.table.get(slot).is_some_and(|stream| stream.places & place::CHANGED != 0) {
                self.align_one(slot);
            }
        }
        self.changed.clear();
        self.is_stirred = false;
        self.host_credit_due |= self.host.raise();
    }

    /// Brings every queue in line with a stream's state, and lets the stream go when it is over. It takes no more
    /// memory than it needs afterwards.
    fn align_one(&mut self, slot: u32) {
        let stream = &mut self.table[slot];
        let sending = stream.settle(&mut self.pages, self.peer.stream, self.segment, self.reserve.first);
        if stream.awaits_room(self.config.unsent_max) {
            let room = self.write_room();
            self.table[slot].take_writable(room);
        }
        let stream = &mut self.table[slot];
        #[cfg(test)]
        if self.restless {
            stream.wake(&mut self.pages);
        }
        if stream.is_over() {
            self.remove(slot);
            return;
        }
        let mut places = stream.wanted_places(sending);
        if places & (place::FRESH | place::AGAIN) == place::FRESH
            && self.scheduler.rests(stream_leaf(slot))
            && stream.send.unsent() <= self.segment
        {
            places ^= place::FRESH | place::BRIEF;
            if stream.is_request() && self.peer_host.room() >= self.unsent + self.reserve.all() {
                // When its turn comes, one frame says all of it: nothing that is due goes behind the bytes.
                places &= !place::CONTROL;
                self.holds_openings = true;
            }
        }
        let changed = places ^ core::mem::replace(&mut stream.places, places) & !place::CHANGED;
        if changed != 0 {
            self.place(slot, places, changed);
        }
    }

    /// Credit admits no bytes for now: openings need none, and wait no longer for the bytes that they were to share a
    /// frame with.
    fn let_openings_go(&mut self) {
        self.holds_openings = false;
        let brief = core::mem::take(&mut self.brief);
        brief.members().for_each(|slot| self.mark_dirty(slot));
        self.brief = brief;
    }

    /// Has a stream take no more memory than it needs.
    #[inline]
    fn rest_one(&mut self, slot: u32) {
        let stream = &mut self.table[slot];
        #[cfg(test)]
        if self.restless {
            return stream.wake(&mut self.pages);
        }
        stream.shrink(&mut self.pages);
    }

    /// Has a stream join the queues among `changed` that are in `places`, and leave the others.
    fn place(&mut self, slot: u32, places: u8, changed: u8) {
        if changed & (place::AGAIN | place::FRESH) != 0 {
            self.scheduler.set(stream_leaf(slot), places & place::AGAIN != 0, places & place::FRESH != 0);
        }
        if changed & place::DATAGRAMS != 0 {
            self.scheduler.set(datagram_leaf(slot), false, places & place::DATAGRAMS != 0);
        }
        let mut left = changed & !(place::AGAIN | place::FRESH | place::CHANGED);
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let ring = match bit {
                place::CONTROL => &mut self.control,
                place::TOLD => &mut self.told,
                place::FIRSTS => &mut self.firsts,
                place::BRIEF => &mut self.brief,
                _ => &mut self.datagram_turns,
            };
            ring.set(slot, places & bit != 0);
        }
    }

    fn remove(&mut self, slot: u32) {
        let (id, places) = (self.table[slot].id, self.table[slot].places);
        self.place(slot, 0, places);
        self.forget_datagrams(slot);
        self.scheduler.forget(stream_leaf(slot));
        self.table.remove(slot);
        if id.creator() != self.role && !id.is_local() {
            self.create_credit_due |= self.creating.end_one();
        }
        if self.children.is_empty() {
            return;
        }
        // Nobody is left to accept them.
        let waiting: Vec<_> = children_of(&self.children, id).collect();
        for child in waiting {
            self.children.remove(&(id, child));
            if let Some(slot) = self.table.find(child) {
                self.turn_away(slot, refusal::NOT_ACCEPTED, "parent is over");
            }
        }
    }

    fn insert(&mut self, #[cfg_attr(not(test), expect(unused_mut))] mut stream: Stream) -> u32 {
        #[cfg(test)]
        if self.restless {
            stream.wake(&mut self.pages);
        }
        let slot = self.table.insert(stream);
        self.scheduler.enter(stream_leaf(slot));
        slot
    }

    /// Gives a stream's sending half its place among the others.
    fn prioritize(&mut self, slot: u32, priority: Priority) {
        let stream = &self.table[slot];
        // Who has not been handed to its parent stands alone until then.
        let settled = matches!(stream.standing, stream::Standing::Waiting | stream::Standing::Known);
        let parent = stream.parent.get().filter(|_| settled).and_then(|parent| self.table.find(parent));
        self.scheduler.prioritize(stream_leaf(slot), priority, parent.map(stream_leaf));
    }
}

/// A stream's leaf in the tree.
const fn stream_leaf(slot: u32) -> u32 {
    slot * 2
}

/// The leaf of its datagrams.
const fn datagram_leaf(slot: u32) -> u32 {
    slot * 2 + 1
}

/// The second of every pair with this first.
fn children_of(set: &BTreeSet<(StreamId, StreamId)>, parent: StreamId) -> impl Iterator<Item = StreamId> + '_ {
    set.range((parent, StreamId(0))..=(parent, StreamId(u64::MAX))).map(|&(_, child)| child)
}
