//! Datagrams on their way in, however they travelled (SST 2.2, 4.3.5).

use std::collections::BTreeMap;
use std::time::Duration;

use tng_base::{Instant, Violation};

use super::credit::HostCredit;
use super::lazy::{Empty, Lazy};
use super::outbox::{DATAGRAM_MAX, OVERHEAD};
use super::recv::RecvHalf;
use super::send::{Cause, SendHalf};
use super::stream::{Parent, Standing, Stream, control, pending, wants};
use super::wire::{DatagramHead, Marks};
use super::{EPHEMERAL, Found, Role, StreamId, Streams, children_of, violation};

/// Bytes of datagrams that have arrived, whole or in part, and wait, all parents together, every piece counted with
/// [`OVERHEAD`]. Those that travel as streams count against credit instead.
pub const HELD_MAX: usize = 1 << 20;
/// Datagrams that have arrived only in part.
pub const PARTIALS_MAX: usize = 64;
/// How long the rest of a datagram is waited for.
pub const PARTIAL_AGE_MAX: Duration = Duration::from_secs(10);

/// Ids of streams that no wire knows begin here: datagrams that are read as streams.
const LOCAL: u64 = tng_wire::VARINT_MAX + 1;

/// Datagrams that arrived, whole or in part, and that nobody will receive, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dropped {
    /// The rest did not come in time.
    pub late: u64,
    /// There was no room for them, or others needed theirs.
    pub crowded: u64,
    /// Their parent takes no children, is over, or ended before they were received.
    pub unwanted: u64,
    /// They are larger than the receiver allows, and it does not read them as streams.
    pub too_large: u64,
    /// Their sender gave them up on the way.
    pub given_up: u64,
}

#[derive(Debug)]
struct Partial {
    parent: StreamId,
    since: Instant,
    pieces: BTreeMap<usize, Vec<u8>>,
    have: usize,
    len: Option<usize>,
}

impl Partial {
    fn held(&self) -> usize {
        self.have + self.pieces.len() * OVERHEAD
    }

    /// Whether a piece fits what is there. Pieces are sent once, so an honest peer's never overlap.
    fn fits(&self, head: &DatagramHead, end: usize) -> bool {
        let before = self.pieces.range(..=head.offset).next_back();
        let after = self.pieces.range(head.offset..).next();
        self.parent == head.parent
            && before.is_none_or(|(at, piece)| at + piece.len() <= head.offset && *at < head.offset)
            && after.is_none_or(|(&at, _)| end <= at && !head.last)
            && self.len.is_none_or(|len| end <= len && !head.last)
    }
}

/// The receiving side of all parents. Holds what has arrived, never what was announced.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    partials: BTreeMap<u64, Partial>,
    /// By parent, in the order in which they became whole.
    ready: BTreeMap<(StreamId, u64), Vec<u8>>,
    /// How many became whole.
    whole: u64,
    held: usize,
    pub(super) received: u64,
    pub(super) dropped: Dropped,
}

impl Empty for Inbox {
    const EMPTY: &'static Inbox = &Inbox {
        partials: BTreeMap::new(),
        ready: BTreeMap::new(),
        whole: 0,
        held: 0,
        received: 0,
        dropped: Dropped { late: 0, crowded: 0, unwanted: 0, too_large: 0, given_up: 0 },
    };
}

impl Inbox {
    /// Bytes held, with what they cost.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Bytes held, counted anew.
    pub(super) fn recount(&self) -> usize {
        let whole: usize = self.ready.values().map(|bytes| bytes.len() + OVERHEAD).sum();
        let pieces = self.partials.values().flat_map(|partial| partial.pieces.values());
        whole + pieces.map(|piece| piece.len() + OVERHEAD).sum::<usize>()
    }

    /// A piece arrived; answers whether a datagram is whole now.
    fn take(&mut self, now: Instant, head: &DatagramHead, data: &[u8]) -> bool {
        let end = head.offset + data.len();
        if !head.is_whole() && !self.partials.contains_key(&head.id) && self.partials.len() >= PARTIALS_MAX {
            self.evict();
        }
        while self.held + data.len() + OVERHEAD > HELD_MAX {
            if !self.evict() {
                self.dropped.crowded += 1;
                return false;
            }
        }
        if head.is_whole() {
            self.put(head.parent, data.to_vec());
            return true;
        }
        let partial = self.partials.entry(head.id).or_insert_with(|| Partial {
            parent: head.parent,
            since: now,
            pieces: BTreeMap::new(),
            have: 0,
            len: None,
        });
        if data.is_empty() || !partial.fits(head, end) {
            return false;
        }
        if head.last {
            partial.len = Some(end);
        }
        partial.have += data.len();
        partial.pieces.insert(head.offset, data.to_vec());
        self.held += data.len() + OVERHEAD;
        if partial.len != Some(partial.have) {
            return false;
        }
        let Some(partial) = self.partials.remove(&head.id) else { return false };
        self.held -= partial.held();
        let mut bytes = Vec::with_capacity(partial.have);
        partial.pieces.values().for_each(|piece| bytes.extend_from_slice(piece));
        self.put(head.parent, bytes);
        true
    }

    fn put(&mut self, parent: StreamId, bytes: Vec<u8>) {
        self.held += bytes.len() + OVERHEAD;
        self.ready.insert((parent, self.whole), bytes);
        self.whole += 1;
    }

    fn pop_some(&mut self, parent: StreamId) -> Option<(u64, Vec<u8>)> {
        let (&key, _) = self.ready.range((parent, 0)..=(parent, u64::MAX)).next()?;
        let bytes = self.ready.remove(&key)?;
        self.held -= bytes.len() + OVERHEAD;
        self.received += 1;
        Some((key.1, bytes))
    }

    /// Gives up the oldest datagram that has arrived only in part, to make room.
    fn evict(&mut self) -> bool {
        let given = self.give_up();
        self.dropped.crowded += u64::from(given);
        given
    }

    fn give_up(&mut self) -> bool {
        let Some((_, partial)) = self.partials.pop_first() else { return false };
        self.held -= partial.held();
        true
    }

    pub(super) fn wake(&self) -> Option<Instant> {
        self.partials.values().next().map(|oldest| oldest.since + PARTIAL_AGE_MAX)
    }
}

impl Lazy<Inbox> {
    /// Gives up those that have waited too long for their rest.
    pub(super) fn expire(&mut self, now: Instant) {
        while self.wake().is_some_and(|at| at <= now) && self.give_up() {
            self.dropped.late += 1;
        }
    }

    /// The first whole datagram of a parent, if there is one, and which of all it was.
    #[inline]
    fn pop(&mut self, parent: StreamId) -> Option<(u64, Vec<u8>)> {
        if self.ready.is_empty() { None } else { self.pop_some(parent) }
    }

    /// Nobody will take what waits for this parent.
    #[inline]
    pub(super) fn forget(&mut self, parent: StreamId) {
        while self.pop(parent).is_some() {
            self.received -= 1;
            self.dropped.unwanted += 1;
        }
    }
}

impl StreamId {
    /// The id of a datagram that is read as a stream. No wire knows it.
    fn local(datagram: u64, creator: Role) -> StreamId {
        StreamId(LOCAL + datagram * 2 + u64::from(creator == Role::Responder))
    }

    pub(super) const fn is_local(self) -> bool {
        self.0 >= LOCAL
    }
}

impl Streams {
    /// The next datagram that arrived as a child of `parent`, whole. A child stream that the peer has finished and that
    /// has arrived whole is taken as one, and closed; one that the peer has given up is passed over. One that is larger
    /// than [`Config::datagram_max`](super::Config) is dropped: to read it, accept it as a stream before.
    ///
    /// After `None` follows [`ChildIncoming`](super::StreamEvent::ChildIncoming).
    pub fn recv_datagram(&mut self, parent: StreamId) -> Option<Vec<u8>> {
        let above = self.known(parent)?;
        if let Some((_, bytes)) = self.inbox.pop(parent) {
            return Some(bytes);
        }
        self.table[above].wants |= wants::DATAGRAMS;
        let taken = self.take_child_as_datagram(parent);
        if taken.is_none() {
            self.table[above].wants |= wants::DATAGRAM;
        }
        taken
    }

    /// The first of a parent's children that is whole, and that nobody has accepted.
    fn take_child_as_datagram(&mut self, parent: StreamId) -> Option<Vec<u8>> {
        let waiting: Vec<_> = children_of(&self.children, parent).collect();
        for child in waiting {
            if let Some(slot) = self.table.find(child) {
                self.gather(slot);
            }
            // It may have been too large, and be dismissed.
            let Some(slot) = self.table.find(child).filter(|&slot| self.table[slot].standing == Standing::Waiting)
            else {
                continue;
            };
            let recv = &mut self.table[slot].recv;
            let datagram = recv.read_whole(&mut self.pages, &mut self.host, usize::MAX);
            match datagram {
                None if !recv.is_over() => continue,
                None => self.inbox.dropped.given_up += 1,
                Some(_) => self.inbox.received += 1,
            }
            self.dismiss(slot, parent);
            if datagram.is_some() {
                return datagram;
            }
        }
        None
    }

    /// Nobody here has a child any more that waited to be accepted.
    fn dismiss(&mut self, slot: u32, parent: StreamId) {
        self.children.remove(&(parent, self.table[slot].id));
        self.cut(slot, EPHEMERAL, Cause::Local);
        self.table[slot].standing = Standing::Released;
        self.mark_dirty(slot);
    }

    /// A datagram that travels as a stream, and that nobody reads before it is whole, gets credit for more of it; one
    /// that is too large is dropped.
    pub(super) fn gather(&mut self, slot: u32) {
        let most = self.config.datagram_max.min(self.host.unread_max() / 2);
        let stream = &mut self.table[slot];
        let (Standing::Waiting, true, Some(parent)) = (stream.standing, stream.ephemeral, stream.parent.get()) else {
            return;
        };
        let asked = |slot| self.table[slot].wants & wants::DATAGRAMS != 0;
        if !self.table.find(parent).is_some_and(asked) {
            return;
        }
        let stream = &mut self.table[slot];
        if stream.recv.exceeds(most) {
            if stream.recv.stop(&mut self.pages, &mut self.host) {
                stream.owe_stop(EPHEMERAL);
            }
            self.inbox.dropped.too_large += 1;
            self.dismiss(slot, parent);
        } else if stream.recv.widen(&mut self.pages, most) {
            stream.owe(control::CREDIT);
            self.mark_dirty(slot);
        }
    }

    /// A datagram, to be read as the stream that it stands for.
    pub(super) fn accept_datagram(&mut self, parent: StreamId) -> Option<StreamId> {
        let (number, bytes) = self.inbox.pop(parent)?;
        let peer = if self.role == Role::Initiator { Role::Responder } else { Role::Initiator };
        let id = StreamId::local(number, peer);
        let mut recv = RecvHalf::new(DATAGRAM_MAX as u64);
        let end = Marks { last: true, message: false };
        recv.data(&mut self.pages, &mut HostCredit::uncounted(), 0, &bytes, end).ok()?;
        let send = SendHalf::Reset { code: EPHEMERAL, cause: Cause::Stopped };
        let stream = Stream::new(id, send, recv, Standing::Waiting);
        let parent = Parent::new(Some(parent));
        let mut stream = Stream { parent, ephemeral: true, events: pending::STOPPED, ..stream };
        stream.hand_over();
        let slot = self.insert(stream);
        self.mark_dirty(slot);
        Some(id)
    }

    pub(super) fn take_datagram(&mut self, now: Instant, head: DatagramHead, data: &[u8]) -> Result<(), Violation> {
        if data.len() > DATAGRAM_MAX || head.offset > DATAGRAM_MAX - data.len() {
            return Err(violation::DATAGRAM);
        }
        // It may have overtaken its parent's INIT.
        let wanted = match self.find(head.parent)? {
            Found::Over => None,
            Found::Slot(slot) => match self.table[slot].standing {
                Standing::Unannounced | Standing::Orphan => Some(slot),
                Standing::Waiting | Standing::Known => Some(slot).filter(|&slot| self.table[slot].listens),
                Standing::Refused | Standing::Released => None,
            },
        };
        let Some(slot) = wanted else {
            self.inbox.dropped.unwanted += 1;
            return Ok(());
        };
        if self.inbox.take(now, &head, data) {
            self.tell_child(slot, wants::CHILD | wants::DATAGRAM);
        }
        Ok(())
    }

    /// Tells of children, if the application was told that there are none to accept, or none to receive.
    pub(super) fn tell_child(&mut self, parent: u32, news: u8) {
        let stream = &mut self.table[parent];
        if stream.wants & news != 0 {
            stream.wants &= !news;
            stream.events |= pending::CHILD;
            self.mark_dirty(parent);
        }
    }
}
