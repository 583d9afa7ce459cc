//! What arrives.

use tng_base::{Instant, PeerText, Taken, Violation};
use tng_wire::{Reader, Repr};

use super::credit::Reserve;
use super::recv::{Arrival, RecvHalf};
use super::send::{Cause, SendHalf};
use super::services::{FirstData, Lookup, Takes};
use super::stream::{Parent, Refusal, Standing, Stream, control, pending, wants};
use super::wire::{DataHead, Frame, Marks, Names, Origin, REASON_MAX, RequestHead};
use super::{EPHEMERAL, Found, StreamId, Streams, Waiting, children_of, refusal, stream_leaf, violation};

impl Streams {
    /// Takes a packet's payload, from whatever channel or set-up message it came.
    ///
    /// # Errors
    /// When the peer broke the protocol.
    pub fn handle_payload(&mut self, now: Instant, payload: &[u8]) -> Result<Taken, Violation> {
        let mut reader = Reader::new(payload);
        let mut taken = Ok(Taken::All);
        while let Some(kind) = reader.peek() {
            // Most are DATA.
            let arrival = if DataHead::is_next(kind) {
                let parsed = DataHead::parse(&mut reader).map_err(|_| violation::MALFORMED);
                parsed.and_then(|(head, data)| self.take_data(head, data))
            } else {
                let frame = Frame::parse(&mut reader).map_err(|_| violation::MALFORMED);
                frame.and_then(|frame| self.take_frame(now, frame))
            };
            match arrival {
                Ok(Arrival::Taken) => {}
                Ok(Arrival::Refused) => taken = Ok(Taken::Refused),
                Err(violation) => {
                    taken = Err(violation);
                    break;
                }
            }
        }
        taken
    }

    fn take_frame(&mut self, now: Instant, frame: Frame<'_>) -> Result<Arrival, Violation> {
        match frame {
            Frame::Pad => {}
            Frame::Data { head, data } => return self.take_data(head, data),
            Frame::Datagram { head, data } => self.take_datagram(now, head, data)?,
            Frame::Request { head, data } => return self.take_request(head, data),
            Frame::Init { id, origin } => self.take_init(id, origin)?,
            Frame::Refuse { id, code, reason } => self.take_refuse(id, code, reason)?,
            Frame::Reset { id, code, final_offset } => self.take_reset(id, code, final_offset)?,
            Frame::Stop { id, code } => self.take_stop(id, code)?,
            Frame::Credit { id, limit } => {
                if let Found::Slot(slot) = self.find(id)? {
                    self.table[slot].send.raise(&mut self.pages, limit);
                    self.mark_dirty(slot);
                }
            }
            Frame::Received { id, offset } => {
                if let Found::Slot(slot) = self.find(id)? {
                    self.take_received(slot, offset)?;
                }
            }
            Frame::Priority { id, count, priority } => {
                if let Found::Slot(slot) = self.find(id)?
                    && count > self.table[slot].asked().heard
                {
                    self.table[slot].asked_mut().heard = count;
                    self.prioritize(slot, priority);
                    self.mark_dirty(slot);
                }
            }
            Frame::HostCredit { limit, window } => {
                if limit > self.peer_host.limit {
                    self.peer_host.limit = limit;
                    self.reserve = Reserve::new(window, self.peer.create + self.granted.create);
                }
            }
            Frame::CreateCredit { limit } => self.raise_create(limit),
        }
        Ok(Arrival::Taken)
    }

    pub(super) fn raise_create(&mut self, limit: u64) {
        if limit > self.create_limit {
            self.create_limit = limit;
            self.can_open_due |= core::mem::take(&mut self.open_blocked);
        }
    }

    /// The stream that a frame is about. One that the peer may create, and that was not seen before, comes into being:
    /// packets overtake each other, so its INIT may follow.
    #[inline]
    pub(super) fn find(&mut self, id: StreamId) -> Result<Found, Violation> {
        match self.table.find(id) {
            Some(slot) => Ok(Found::Slot(slot)),
            None => self.find_absent(id),
        }
    }

    fn find_absent(&mut self, id: StreamId) -> Result<Found, Violation> {
        let counter = id.counter();
        if id.creator() == self.role {
            return if counter < self.next_own { Ok(Found::Over) } else { Err(violation::UNKNOWN_STREAM) };
        }
        if counter >= self.creating.limit() {
            return Err(violation::CREATE);
        }
        if counter >= self.next_peer {
            self.unseen.insert(self.next_peer..counter);
            self.next_peer = counter + 1;
        } else if self.unseen.contains(counter) {
            self.unseen.remove(counter..counter + 1);
        } else {
            return Ok(Found::Over);
        }
        let (send, recv) = (SendHalf::new(&mut self.pages, self.peer.stream), RecvHalf::new(self.granted.stream));
        Ok(Found::Slot(self.insert(Stream::new(id, send, recv, Standing::Unannounced))))
    }

    fn take_data(&mut self, head: DataHead, data: &[u8]) -> Result<Arrival, Violation> {
        if head.marks.message && data.is_empty() {
            return Err(violation::MESSAGE);
        }
        match self.find(head.id)? {
            Found::Slot(slot) => self.data_arrived(slot, head, data),
            Found::Over => Ok(Arrival::Taken),
        }
    }

    fn data_arrived(&mut self, slot: u32, head: DataHead, data: &[u8]) -> Result<Arrival, Violation> {
        let stream = &mut self.table[slot];
        let is_known = |whole| !data.is_empty() && head.offset + data.len() as u64 <= whole;
        if stream.recv.arrived().is_some_and(is_known) {
            stream.due |= control::RECEIVED;
        }
        let arrival = stream.recv.data(&mut self.pages, &mut self.host, head.offset, data, head.marks)?;
        self.counters.bytes_received += data.len() as u64;
        if stream.recv.has_end() {
            stream.waive(control::REQUESTS);
        }
        if let (Standing::Waiting, Some(parent)) = (stream.standing, stream.parent.get()) {
            if stream.recv.whole().is_none() {
                self.mark_dirty(slot);
                self.gather(slot);
                return Ok(arrival);
            } else if let Some(above) = self.table.find(parent) {
                // Until now it was only a stream to accept; now it may be taken as a datagram as well.
                self.tell_child(above, wants::DATAGRAM);
            }
        }
        self.mark_dirty(slot);
        Ok(arrival)
    }

    fn take_reset(&mut self, id: StreamId, code: u64, final_offset: u64) -> Result<(), Violation> {
        let Found::Slot(slot) = self.find(id)? else { return Ok(()) };
        let stream = &mut self.table[slot];
        if stream.recv.reset(&mut self.pages, &mut self.host, code, final_offset)?
            && stream.standing != Standing::Refused
        {
            stream.events |= pending::RESET;
        }
        stream.waive(control::REQUESTS);
        self.mark_dirty(slot);
        Ok(())
    }

    fn take_stop(&mut self, id: StreamId, code: u64) -> Result<(), Violation> {
        let Found::Slot(slot) = self.find(id)? else { return Ok(()) };
        if self.cut(slot, code, Cause::Stopped) {
            self.table[slot].events |= pending::STOPPED;
            self.mark_dirty(slot);
        }
        Ok(())
    }

    fn take_refuse(&mut self, id: StreamId, code: u64, reason: PeerText<&str>) -> Result<(), Violation> {
        if id.creator() != self.role {
            return Err(violation::NOT_YOURS);
        }
        let Found::Slot(slot) = self.find(id)? else { return Ok(()) };
        if self.table[slot].refusal().is_some() {
            return Ok(());
        }
        self.cut(slot, code, Cause::Refused);
        let stream = &mut self.table[slot];
        stream.send.disown(code);
        stream.events &= !pending::FINISHED;
        stream.recv.abandon(&mut self.pages, &mut self.host);
        stream.waive(control::REQUESTS | control::INIT);
        stream.rare_mut().refusal = Some(Refusal { code, reason: reason.owned() });
        stream.events |= pending::REFUSED;
        self.mark_dirty(slot);
        Ok(())
    }

    /// Ends a sending half with a RESET; answers whether there was anything to end.
    pub(super) fn cut(&mut self, slot: u32, code: u64, cause: Cause) -> bool {
        let stream = &mut self.table[slot];
        let Some((unsent, in_flight)) = stream.send.reset(&mut self.pages, code, cause) else { return false };
        self.unsent -= unsent;
        self.in_flight -= in_flight;
        stream.owe(control::RESET);
        true
    }

    fn take_init(&mut self, id: StreamId, origin: Origin<'_>) -> Result<(), Violation> {
        if id.creator() == self.role {
            return Err(violation::NOT_YOURS);
        }
        match self.find(id)? {
            Found::Slot(slot) => self.announced(slot, origin),
            Found::Over => Ok(()),
        }
    }

    fn take_request(&mut self, head: RequestHead<'_>, data: &[u8]) -> Result<Arrival, Violation> {
        let RequestHead { id, names, .. } = head;
        if id.creator() == self.role {
            return Err(violation::NOT_YOURS);
        }
        let Found::Slot(slot) = self.find(id)? else { return Ok(Arrival::Taken) };
        self.announced(slot, Origin::Service(names))?;
        let marks = Marks { last: true, message: false };
        self.data_arrived(slot, DataHead { id, offset: 0, marks, len: None }, data)
    }

    fn look_up(&mut self, names: Names<'_>) -> Result<Lookup, Violation> {
        self.services.find(names, &mut self.last_offered).map_err(|_| violation::MALFORMED)
    }

    /// It is known what a stream is for.
    fn announced(&mut self, slot: u32, origin: Origin<'_>) -> Result<(), Violation> {
        if self.table[slot].standing != Standing::Unannounced {
            return Ok(());
        }
        let id = self.table[slot].id;
        match origin {
            Origin::Service(names) => match self.look_up(names)? {
                Lookup::NoService => self.turn_away(slot, refusal::NO_SERVICE, "no such service"),
                Lookup::NoProtocol => self.turn_away(slot, refusal::NO_PROTOCOL, "no such protocol"),
                Lookup::Offered(..) if self.backlog.len() + self.requests.len() >= self.config.backlog_max => {
                    self.turn_away(slot, refusal::BUSY, "too many streams wait to be accepted");
                }
                Lookup::Offered(offered, takes) => {
                    let stream = &mut self.table[slot];
                    stream.listens = matches!(takes, Takes::Streams(options) if options.substreams);
                    stream.standing = Standing::Waiting;
                    let listens = stream.listens;
                    let waiting = Waiting::new(slot, offered, self.early);
                    match takes {
                        Takes::Requests(_) => {
                            self.requests.push_back(waiting);
                            self.requested_due = true;
                        }
                        Takes::Streams(_) => {
                            self.backlog.push_back(waiting);
                            self.incoming_due = true;
                        }
                    }
                    if !listens {
                        self.inbox.forget(id);
                    }
                }
            },
            Origin::Parent(parent) => self.adopt(slot, parent)?,
            Origin::Datagram(parent) => {
                let stream = &mut self.table[slot];
                stream.ephemeral = true;
                stream.send = SendHalf::Reset { code: EPHEMERAL, cause: Cause::Stopped };
                stream.waive(control::RESET);
                stream.events |= pending::STOPPED;
                self.adopt(slot, parent)?;
            }
        }
        self.place_orphans(id);
        Ok(())
    }

    /// Hands a child to its parent, if that takes children, or lets it wait for its parent's INIT.
    fn adopt(&mut self, slot: u32, parent: StreamId) -> Result<(), Violation> {
        let id = self.table[slot].id;
        self.table[slot].parent = Parent::new(Some(parent));
        let found = if parent == id {
            return Err(violation::UNKNOWN_STREAM);
        } else if parent.creator() == self.role {
            self.find(parent)?
        } else if parent.counter() >= self.creating.limit() {
            return Err(violation::CREATE);
        } else if let Some(slot) = self.table.find(parent) {
            Found::Slot(slot)
        } else if parent.counter() >= self.next_peer || self.unseen.contains(parent.counter()) {
            self.table[slot].standing = Standing::Orphan;
            self.orphans.insert((parent, id));
            return Ok(());
        } else {
            Found::Over
        };
        match found {
            Found::Over => self.turn_away(slot, refusal::NOT_ACCEPTED, "parent is over"),
            Found::Slot(above) => match self.table[above].standing {
                Standing::Unannounced | Standing::Orphan => {
                    self.table[slot].standing = Standing::Orphan;
                    self.orphans.insert((parent, id));
                }
                Standing::Waiting | Standing::Known if self.table[above].listens => {
                    self.table[slot].listens = true;
                    self.table[slot].standing = Standing::Waiting;
                    self.scheduler.hang(stream_leaf(slot), stream_leaf(above));
                    self.children.insert((parent, id));
                    self.tell_child(above, wants::CHILD);
                }
                Standing::Waiting | Standing::Known | Standing::Refused | Standing::Released => {
                    self.turn_away(slot, refusal::NOT_ACCEPTED, "parent takes no children");
                }
            },
        }
        Ok(())
    }

    /// A parent's INIT has arrived: its children find their place, and theirs.
    fn place_orphans(&mut self, parent: StreamId) {
        if self.orphans.is_empty() {
            return;
        }
        let mut parents = vec![parent];
        while let Some(parent) = parents.pop() {
            // One that waits itself has no place to offer; a ring of such waits for ever.
            if self.table.find(parent).is_some_and(|slot| self.table[slot].standing == Standing::Orphan) {
                continue;
            }
            let waiting: Vec<_> = children_of(&self.orphans, parent).collect();
            for child in waiting {
                self.orphans.remove(&(parent, child));
                if let Some(slot) = self.table.find(child) {
                    // The parent was seen, so it is known to lie within credit: adopting cannot fail.
                    if self.adopt(slot, parent).is_ok() && self.table.find(child).is_some() {
                        parents.push(child);
                    }
                }
            }
        }
    }

    /// Refuses a stream of the peer's.
    pub(super) fn turn_away(&mut self, slot: u32, code: u64, reason: &str) {
        let untouched = self.table[slot].send.is_untouched();
        self.cut(slot, code, Cause::Local);
        let stream = &mut self.table[slot];
        let mut uncounted = None;
        let host = self.host.of(stream.id, &mut uncounted);
        let stop = stream.recv.stop(&mut self.pages, host);
        if untouched {
            stream.waive(control::RESET);
            stream.send.reset_acked();
            stream.owe(control::REFUSE);
            let reason = PeerText::new(reason).cut(REASON_MAX).owned();
            stream.rare_mut().refusal = Some(Refusal { code, reason });
        } else if stop {
            // The RESET says how far this side went; a REFUSE would say that it never began.
            stream.owe_stop(code);
        }
        stream.events = 0;
        stream.standing = Standing::Refused;
        stream.waive(control::CREDIT | control::PRIORITY);
        let (id, ephemeral) = (stream.id, stream.ephemeral);
        self.inbox.forget(id);
        if ephemeral {
            self.inbox.dropped.unwanted += 1;
        }
        self.mark_dirty(slot);
    }

    /// Whether a payload opens streams, all of services that take first data unproven, and holds nothing but them,
    /// their priorities and their first data.
    pub(super) fn only_replay_safe(&self, payload: &[u8]) -> bool {
        let mut reader = Reader::new(payload);
        let mut opened: Vec<StreamId> = Vec::new();
        while !reader.is_empty() {
            let safe = match Frame::parse(&mut reader) {
                Ok(Frame::Pad) => true,
                Ok(
                    Frame::Init { id, origin: Origin::Service(names) }
                    | Frame::Request { head: RequestHead { id, names, .. }, .. },
                ) => {
                    opened.push(id);
                    match self.services.find(names, &mut None) {
                        Ok(Lookup::Offered(_, takes)) => takes.first_data() == FirstData::Unproven,
                        _ => false,
                    }
                }
                Ok(Frame::Init { id, origin: Origin::Parent(parent) }) => {
                    let safe = opened.contains(&parent);
                    opened.push(id);
                    safe
                }
                Ok(Frame::Priority { id, .. }) => opened.contains(&id),
                Ok(Frame::Data { head, .. }) => opened.contains(&head.id),
                _ => false,
            };
            if !safe {
                return false;
            }
        }
        !opened.is_empty()
    }
}
