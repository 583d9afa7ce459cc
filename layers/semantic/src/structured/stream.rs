//! One stream: what it is, and its two halves.

use std::sync::Arc;

use tng_base::PeerText;

use super::StreamId;
use super::buffer::Pages;
use super::outbox::Queue;
use super::recv::RecvHalf;
use super::scheduler::Priority;
use super::send::{SendHalf, Sending, WriteRoom};
use super::services::Name;

/// Control frames that a stream may owe its peer, as bits.
pub(super) mod control {
    pub(in super::super) const INIT: u8 = 1;
    pub(in super::super) const REFUSE: u8 = 2;
    pub(in super::super) const RESET: u8 = 4;
    pub(in super::super) const STOP: u8 = 8;
    pub(in super::super) const CREDIT: u8 = 16;
    /// An empty DATA frame that ends the stream.
    pub(in super::super) const END: u8 = 32;
    pub(in super::super) const PRIORITY: u8 = 64;
    /// Bytes came once more: the peer is told up to where all have come. Never sent again: more such bytes ask anew.
    pub(in super::super) const RECEIVED: u8 = 128;
    /// Those that ask something of the peer's sending half, and are moot when it is over.
    pub(in super::super) const REQUESTS: u8 = STOP | CREDIT | PRIORITY;
}

/// Events that wait to be told, as bits, in the order in which they are told.
pub(super) mod pending {
    pub(in super::super) const REFUSED: u8 = 1;
    pub(in super::super) const RESET: u8 = 2;
    pub(in super::super) const STOPPED: u8 = 4;
    pub(in super::super) const CHILD: u8 = 8;
    pub(in super::super) const READABLE: u8 = 16;
    pub(in super::super) const WRITABLE: u8 = 32;
    pub(in super::super) const FINISHED: u8 = 64;
    /// Those that tell of an outcome: until they are told the stream stays.
    pub(in super::super) const OUTCOMES: u8 = REFUSED | RESET | STOPPED | FINISHED;
}

/// What the application of a stream waits for, as a parent for the most part, as bits.
pub(super) mod wants {
    /// A child: the last time it wanted to accept one there was none.
    pub(in super::super) const CHILD: u8 = 1;
    /// A datagram: the last time it wanted to receive one there was none.
    pub(in super::super) const DATAGRAM: u8 = 2;
    /// It has wanted to receive one before.
    pub(in super::super) const DATAGRAMS: u8 = 4;
    /// Of itself: to be told when the peer has everything.
    pub(in super::super) const FINISHED: u8 = 8;
}

/// The queues that a stream may stand in, as bits.
pub(super) mod place {
    /// It owes control frames.
    pub(in super::super) const CONTROL: u8 = 1;
    /// It has events to tell.
    pub(in super::super) const TOLD: u8 = 2;
    /// It has some of its first bytes to send.
    pub(in super::super) const FIRSTS: u8 = 4;
    /// It has lost bytes to send again.
    pub(in super::super) const AGAIN: u8 = 8;
    /// It has new bytes to send.
    pub(in super::super) const FRESH: u8 = 16;
    /// It has datagrams to send.
    pub(in super::super) const DATAGRAMS: u8 = 32;
    /// It has changed since it was brought in line.
    pub(in super::super) const CHANGED: u8 = 64;
    /// In place of [`FRESH`], it has new bytes to send that one packet holds, and has had no more than others.
    pub(in super::super) const BRIEF: u8 = 128;
}

/// How far the application's side of a stream has come.
///
/// ```text
///   Unannounced ──INIT──> Waiting ──accept──> Known        opened here: Known from the start
///        │ └──INIT, parent's INIT missing──> Orphan ──> Waiting or Refused
///        └──INIT for what is not offered──> Refused <──refuse── Known ──release──> Released
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// The peer has sent something, but its INIT has not arrived.
    Unannounced,
    /// A child whose parent's INIT has not arrived.
    Orphan,
    /// In the backlog, to be accepted.
    Waiting,
    /// The application has it.
    Known,
    /// This side refused it.
    Refused,
    /// Nobody here has it, or has it any more.
    Released,
}

/// Why a stream was refused, by either side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub(super) code: u64,
    pub(super) reason: PeerText,
}

/// A stream's parent, if it has one, in as few bytes as an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parent(u64);

impl Parent {
    pub(super) const NONE: Parent = Parent(u64::MAX);

    pub(super) fn new(parent: Option<StreamId>) -> Parent {
        parent.map_or(Parent::NONE, |parent| Parent(parent.0))
    }

    pub(super) fn get(self) -> Option<StreamId> {
        (self != Parent::NONE).then_some(StreamId(self.0))
    }
}

/// What one end of a stream asks of the other's sending half.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Asked {
    /// Code of the STOP that we owe.
    pub(super) stop_code: u64,
    /// The priority that we asked the peer to give its half.
    pub(super) wish: Priority,
    /// How often we asked.
    pub(super) asks: u32,
    /// What the peer counted when it asked us.
    pub(super) heard: u32,
}

/// What few streams have, and few for long.
#[derive(Debug, Default)]
pub(super) struct Rare {
    pub(super) refusal: Option<Refusal>,
    /// Datagrams that wait to be sent as its children.
    pub(super) queue: Option<Queue>,
    /// What the two ends asked each other, if anything.
    pub(super) asked: Option<Asked>,
}

/// One stream. Idle it holds nothing beyond this, and there may be many.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) id: StreamId,
    pub(super) parent: Parent,
    /// Of a top-level stream that was opened here, until its INIT is acknowledged.
    pub(super) name: Option<Arc<Name>>,
    pub(super) rare: Option<Box<Rare>>,
    pub(super) send: SendHalf,
    pub(super) recv: RecvHalf,
    pub(super) standing: Standing,
    /// Takes children.
    pub(super) listens: bool,
    /// It stands for a datagram: its opener wants no answer.
    pub(super) ephemeral: bool,
    /// What its application waits for, see [`wants`].
    pub(super) wants: u8,
    /// Control frames that have not been acknowledged and are still of use.
    pub(super) owed: u8,
    /// Those of them to send now.
    pub(super) due: u8,
    /// Events to be told.
    pub(super) events: u8,
    /// Queues that it stands in.
    pub(super) places: u8,
}

impl Stream {
    /// A stream with nothing known but its halves: no parent, nothing owed, nothing to tell.
    pub(super) fn new(id: StreamId, send: SendHalf, recv: RecvHalf, standing: Standing) -> Stream {
        Stream {
            id,
            parent: Parent::NONE,
            name: None,
            rare: None,
            send,
            recv,
            standing,
            listens: false,
            ephemeral: false,
            wants: wants::CHILD,
            owed: 0,
            due: 0,
            events: 0,
            places: 0,
        }
    }

    /// The application has it, and looks what has arrived.
    pub(super) fn hand_over(&mut self) {
        self.standing = Standing::Known;
        self.recv.take_readable();
    }

    /// What it has that few have, if it has any of it.
    pub(super) fn rare(&self) -> Option<&Rare> {
        self.rare.as_deref()
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Whether it waits to be opened for a service, and all that is written here is written and unsent.
    pub(super) fn is_request(&self) -> bool {
        self.due == control::INIT && self.name.is_some() && self.send.whole().is_some()
    }

    pub(super) fn refusal(&self) -> Option<&Refusal> {
        self.rare()?.refusal.as_ref()
    }

    /// The datagrams that wait to be sent as its children, if there ever was one.
    pub(super) fn queue(&self) -> Option<&Queue> {
        self.rare()?.queue.as_ref()
    }

    pub(super) fn queue_mut(&mut self) -> Option<&mut Queue> {
        self.rare.as_mut()?.queue.as_mut()
    }

    /// What was asked so far.
    pub(super) fn asked(&self) -> Asked {
        self.rare().and_then(|rare| rare.asked.clone()).unwrap_or_default()
    }

    pub(super) fn asked_mut(&mut self) -> &mut Asked {
        self.rare_mut().asked.get_or_insert_default()
    }

    /// The peer is to stop, and to be told why.
    pub(super) fn owe_stop(&mut self, code: u64) {
        self.asked_mut().stop_code = code;
        self.owe(control::STOP);
    }

    /// Has a control frame sent, and again until it is acknowledged.
    pub(super) fn owe(&mut self, bit: u8) {
        self.owed |= bit;
        self.due |= bit;
    }

    /// A control frame is of no use any more, or has arrived.
    pub(super) fn waive(&mut self, bit: u8) {
        self.owed &= !bit;
        self.due &= !bit;
    }

    /// A control frame was lost.
    pub(super) fn lost(&mut self, bit: u8) {
        self.due |= self.owed & bit;
    }

    /// Whether its writer waits, and may come back if there is room.
    #[inline]
    pub(super) fn awaits_room(&self, unsent_max: u64) -> bool {
        self.standing == Standing::Known && self.send.may_be_writable(unsent_max)
    }

    /// A writer that waits has `room`.
    pub(super) fn take_writable(&mut self, room: WriteRoom) {
        if self.send.take_writable(room) {
            self.events |= pending::WRITABLE;
        }
    }

    /// Draws the consequences of a change, takes no more memory than it needs, and answers the queues that its bytes
    /// are to stand in. The peer gives credit for `window` bytes beyond what was read, a full packet holds `segment`
    /// bytes, and there is always credit for the `first`.
    #[inline]
    pub(super) fn settle(&mut self, store: &mut Pages, window: u64, segment: u64, first: u64) -> u8 {
        if self.standing == Standing::Known && self.recv.take_readable() {
            self.events |= pending::READABLE;
        }
        self.recv.shrink(store);
        let Sending { places, end } = self.send.settle(store, window, segment, first);
        self.due = self.due & !control::END | (control::END * u8::from(end));
        if self.due & control::RECEIVED != 0 && self.recv.arrived().is_none() {
            self.due &= !control::RECEIVED;
        }
        places
    }

    /// The queues that it is to stand in, given those of its bytes.
    #[inline]
    pub(super) fn wanted_places(&self, sending: u8) -> u8 {
        let told = self.events != 0 && self.standing == Standing::Known;
        let queued = self.queue().is_some_and(|queue| !queue.is_empty());
        sending
            | (place::CONTROL * u8::from(self.due != 0))
            | (place::TOLD * u8::from(told))
            | (place::DATAGRAMS * u8::from(queued))
    }

    /// Takes no more memory than it needs, when nothing goes on.
    #[inline]
    pub(super) fn shrink(&mut self, store: &mut Pages) {
        self.send.shrink(store);
        self.recv.shrink(store);
    }

    /// Ready for anything.
    #[cfg(test)]
    pub(super) fn wake(&mut self, store: &mut Pages) {
        self.send.wake(store);
        self.recv.wake(store);
    }

    /// Whether the stream is over and everybody knows it.
    pub(super) fn is_over(&self) -> bool {
        if !self.send.is_over() || !self.recv.is_over() {
            return false;
        }
        let owed = self.owed & (control::INIT | control::REFUSE | control::RESET);
        let told = match self.standing {
            Standing::Known | Standing::Refused => self.events & pending::OUTCOMES == 0,
            Standing::Released => true,
            Standing::Unannounced | Standing::Orphan | Standing::Waiting => false,
        };
        let queued = self.queue().is_some_and(|queue| !queue.is_empty());
        told && owed == 0 && !queued
    }
}
