//! Requests that are answered, or will not be.

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::Instant;

use super::book::Asking;
use super::objects::ObjectId;
use crate::seal_len::TAG_LEN;
use crate::window::WINDOW_MAX;
use crate::wire::ITEMS_PER_REQUEST_MAX;
use crate::{Continuation, InstanceName, Keying, Release};

/// Requests whose answers are looked for, at most. The oldest is forgotten first.
pub const REQUESTS_HELD_MAX: usize = 1 << 13;
/// Requests that are over but whose packets, taken for lost, may still come, at most.
pub const REQUESTS_OVER_MAX: usize = 1 << 10;
/// Things that one request asks for, at most.
pub const ASKED_MAX: usize = 8;
const _: () = assert!(ASKED_MAX + 2 <= ITEMS_PER_REQUEST_MAX, "a solution and CLOSE go with them");
/// Packets that one request releases, at most: no honest plan releases more than a first window.
pub(super) const RELEASED_MAX: u64 = u32::BITS as u64;
/// After so long nothing more is expected of a request.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15);

/// What a request asks for of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// These of its bytes, if there are so many.
    Bytes(ObjectId, Range<u64>),
    /// To take a part of what asks for it.
    Put(ObjectId, PutOf),
}

/// Which part was put: its answer says how to go on from there, and from nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PutOf {
    /// Where the part begins in what asks for the object.
    pub(super) offset: u64,
    /// Where the region begins in the connection's row that is reserved for what comes of it.
    pub(super) row: u64,
}

/// All that a request asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct List([Option<Asked>; ASKED_MAX]);

impl List {
    /// Notes one thing, if there is room for it.
    pub(super) fn add(&mut self, asked: Asked) {
        if let Some(room) = self.0.iter_mut().find(|room| room.is_none()) {
            *room = Some(asked);
        }
    }

    /// Whether it asks for anything.
    pub(super) const fn has_any(&self) -> bool {
        self.0[0].is_some()
    }

    /// Whether there is room for so many more.
    pub(super) fn has_room_for(&self, more: usize) -> bool {
        self.0.iter().filter(|room| room.is_none()).count() >= more
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Asked> {
        self.0.iter().flatten()
    }

    /// Which part of what asks for that object it puts, if it does.
    pub(super) fn put_of(&self, object: ObjectId) -> Option<PutOf> {
        self.iter().find_map(|asked| match asked {
            Asked::Put(id, put) if *id == object => Some(*put),
            _ => None,
        })
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) count: u32,
    /// The key epoch of the secret that it was sealed with.
    pub(super) epoch: u8,
    /// Which line it belongs to, as the client counts them.
    pub(super) strand: u32,
    pub(super) seal: [u8; TAG_LEN],
    pub(super) spent: Continuation,
    pub(super) release: Release,
    pub(super) keying: Keying,
    /// The server that it goes to, as the client counts them, and when.
    pub(super) server: u16,
    pub(super) sent: Instant,
    /// Its time says nothing of the path: it went out again later.
    pub(super) is_repeated: bool,
    /// It went out twice at once.
    pub(super) is_twice: bool,
    /// The server that has answered first.
    answered_by: Option<InstanceName>,
    /// Packets that came, a bit for each.
    came: u32,
    lost: u32,
    pub(super) asked: List,
    /// What it asked for and did not bring is asked for again already.
    is_settled: bool,
}

impl Request {
    pub(super) fn new(asking: Asking, epoch: u8, spent: &Continuation, release: Release) -> Request {
        let Asking { request: count, server, sent } = asking;
        Request {
            count,
            epoch,
            strand: 0,
            seal: [0; TAG_LEN],
            spent: *spent,
            release,
            keying: spent.keying,
            server,
            sent,
            is_repeated: false,
            is_twice: false,
            answered_by: None,
            came: 0,
            lost: 0,
            asked: List::default(),
            is_settled: false,
        }
    }

    pub(super) const fn asking(&self) -> Asking {
        Asking { request: self.count, server: self.server, sent: self.sent }
    }

    pub(super) fn released(&self) -> u64 {
        (self.release.numbers.end - self.release.numbers.start).min(RELEASED_MAX)
    }

    /// Whether any packet of it came.
    pub(super) const fn is_answered(&self) -> bool {
        self.came != 0
    }

    /// A server answers it. Whether another has, though it went out twice.
    pub(super) fn is_answered_too(&mut self, by: InstanceName) -> bool {
        *self.answered_by.get_or_insert(by) != by && self.is_twice
    }

    /// Whether it says something of how many are lost: it went out once, and not in a slow start without an end. That
    /// loses packets in runs, which look as if the requests for them had been lost.
    const fn is_counted(&self) -> bool {
        !self.is_twice && !self.is_repeated && self.release.root.growth.threshold() < WINDOW_MAX
    }

    fn is_over(&self) -> bool {
        u64::from(self.came.count_ones() + self.lost) >= self.released()
    }

    /// Whether nothing more can come of it.
    fn has_all(&self) -> bool {
        u64::from(self.came.count_ones()) >= self.released()
    }
}

/// What was lost of what a request released, that went out once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Toll {
    pub(super) released: u64,
    pub(super) lost: u64,
}

/// All requests that something may still come of, in order of their counts.
#[derive(Debug, Default)]
pub(super) struct Sent {
    requests: VecDeque<Request>,
    /// So many of the first of them are settled: nobody looks there for what is waited for.
    settled: usize,
    /// Those that are over and before them, with something that was taken for lost: it may be late.
    over: VecDeque<Request>,
}

impl Sent {
    pub(super) fn push(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    /// Whether there is room for one more.
    pub(super) fn has_room(&self) -> bool {
        self.requests.len() < REQUESTS_HELD_MAX
    }

    pub(super) fn get_mut(&mut self, count: u32) -> Option<&mut Request> {
        let requests = match self.requests.front() {
            Some(first) if first.count <= count => &mut self.requests,
            _ => &mut self.over,
        };
        let at = requests.binary_search_by_key(&count, |request| request.count).ok()?;
        requests.get_mut(at)
    }

    /// The last that went out.
    pub(super) fn last_mut(&mut self) -> Option<&mut Request> {
        self.requests.back_mut()
    }

    /// Where proofs begin that go with what is still to come of a line.
    pub(super) fn shown_from(&self, strand: u32) -> Option<u64> {
        let open = self.requests.range(self.settled..).find(|request| request.strand == strand && !request.is_settled);
        open.map(|request| request.spent.shown_from)
    }

    /// Something was settled.
    fn note_settled(&mut self) {
        while self.requests.get(self.settled).is_some_and(|request| request.is_settled) {
            self.settled += 1;
        }
    }

    /// Packet `index` of that request came. Answers whether it is the first time.
    pub(super) fn came(&mut self, count: u32, index: u8) -> bool {
        let Some(request) = self.get_mut(count).filter(|request| u64::from(index) < request.released()) else {
            return false;
        };
        let bit = 1 << index;
        let is_first = request.came & bit == 0;
        request.came |= bit;
        is_first
    }

    /// A packet of that request is lost.
    pub(super) fn lost(&mut self, count: u32) {
        if let Some(request) = self.get_mut(count) {
            request.lost += 1;
        }
    }

    /// Whether something comes of that request now that was counted as lost with all that it released.
    pub(super) fn is_late(&mut self, count: u32) -> bool {
        let lost = self.get_mut(count).filter(|request| u64::from(request.lost) >= request.released());
        lost.is_some_and(|request| request.is_counted() && !request.is_answered())
    }

    /// If nothing more will come of that request, hands what it asked for to `again`, and answers what was lost, if
    /// that is counted.
    pub(super) fn settle(&mut self, count: u32, again: impl FnMut(&Asked)) -> Option<Toll> {
        let request = self.get_mut(count).filter(|request| request.is_over() && !request.is_settled)?;
        request.is_settled = true;
        request.asked.iter().for_each(again);
        let toll = Toll { released: request.released(), lost: u64::from(request.lost) };
        let counts = request.is_counted().then_some(toll);
        self.note_settled();
        counts
    }

    /// That request is not granted: hands what it asked for to `again`.
    pub(super) fn deny(&mut self, count: u32, again: impl FnMut(&Asked)) {
        if let Some(request) = self.get_mut(count).filter(|request| !request.is_settled) {
            request.is_settled = true;
            request.asked.iter().for_each(again);
            self.note_settled();
        }
    }

    /// Nothing is waited for any more: hands all that was asked for to `again`. What comes late is taken all the same.
    pub(super) fn give_up(&mut self, again: impl FnMut(&Asked)) {
        self.give_up_but(u32::MAX, again);
    }

    /// The same, but for one request.
    pub(super) fn give_up_but(&mut self, count: u32, mut again: impl FnMut(&Asked)) {
        for request in self.requests.iter_mut().filter(|request| !request.is_settled && request.count != count) {
            request.is_settled = true;
            request.asked.iter().for_each(&mut again);
        }
        self.note_settled();
    }

    /// What no book judges: requests of other lines than that one. If the oldest of all that are waited for are such,
    /// and went out longer than that ago, hands what they asked for to `again`.
    pub(super) fn give_up_strays(&mut self, strand: u32, now: Instant, wait: Duration, mut again: impl FnMut(&Asked)) {
        while let Some(request) = self.requests.get_mut(self.settled)
            && request.strand != strand
            && now.since(request.sent) > wait
        {
            request.is_settled = true;
            request.asked.iter().for_each(&mut again);
            self.note_settled();
        }
    }

    /// Forgets what has brought all, and what is old.
    pub(super) fn forget(&mut self, now: Instant) {
        let is_full = self.requests.len() > REQUESTS_HELD_MAX / 2;
        let is_old = |request: &Request| now.since(request.sent) > FORGOTTEN_AFTER;
        while let Some(request) = self
            .requests
            .pop_front_if(|request| request.is_settled && (is_full || request.is_over() || is_old(request)))
        {
            self.settled -= 1;
            if !request.has_all() && !is_old(&request) {
                self.over.push_back(request);
            }
        }
        while self.over.len() > REQUESTS_OVER_MAX || self.over.front().is_some_and(is_old) {
            self.over.pop_front();
        }
    }

    /// Whether anything is waited for.
    pub(super) fn is_waiting(&self) -> bool {
        self.waits_for().is_some()
    }

    /// What is waited for longest.
    pub(super) fn waits_for(&self) -> Option<&Request> {
        self.requests.range(self.settled..).find(|request| !request.is_settled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Issuer;
    use crate::{Growth, Line, Rtt, Site, Stamp, Tag, Wall};

    /// One that releases two packets.
    fn request(count: u32) -> Request {
        request_of(count, 2)
    }

    /// The same, of a line whose slow start ends at that window.
    fn request_of(count: u32, threshold: u64) -> Request {
        let root = Line { growth: Growth::new(0, 2, threshold), tag: Tag(1) };
        let spent = Continuation {
            site: Site(1),
            issuer: Issuer(2),
            serial: 0,
            first: 0,
            is_pair: false,
            root,
            tag: root.tag,
            keying: Keying::of(3),
            issued: Stamp::of(Wall::default()),
            rtt: Rtt::default(),
            shown_from: 0,
        };
        let asking = Asking { request: count, server: 0, sent: Instant::from_secs(1) };
        Request::new(asking, 3, &spent, Release::of_line(root))
    }

    #[test]
    fn what_a_slow_start_without_an_end_loses_says_nothing_of_requests() {
        let mut sent = Sent::default();
        for (count, threshold, counts) in [(1, WINDOW_MAX, false), (2, 64, true)] {
            sent.push(request_of(count, threshold));
            (0..2).for_each(|_| sent.lost(count));
            let toll = sent.settle(count, |_| {});
            assert_eq!(toll.map(|toll| (toll.released, toll.lost)), counts.then_some((2, 2)), "up to {threshold}");
        }
    }

    #[test]
    fn what_was_asked_for_in_a_line_that_did_not_come_about_is_asked_for_again_after_a_while() {
        let (mut sent, wait) = (Sent::default(), Duration::from_millis(200));
        for (count, strand) in [(1, 0), (2, 1), (3, 2), (4, 0)] {
            let mut request = request(count);
            request.strand = strand;
            request.asked.add(Asked::Bytes(ObjectId(0), u64::from(count)..u64::from(count) + 1));
            sent.push(request);
        }
        let after = |sent: &mut Sent, ms: u64| {
            let (mut again, now) = (Vec::new(), Instant::from_secs(1) + Duration::from_millis(ms));
            sent.give_up_strays(0, now, wait, |asked| again.push(asked.clone()));
            again.len()
        };
        assert_eq!(after(&mut sent, 300), 0, "the line's own is waited for first, and judged elsewhere");
        (0..2).for_each(|_| sent.lost(1));
        sent.settle(1, |_| {});
        assert_eq!(after(&mut sent, 200), 0, "its answer may be under way");
        assert_eq!(after(&mut sent, 201), 2);
        assert_eq!(after(&mut sent, 1_000), 0, "once, and the line's own not");
        assert!(sent.is_waiting());
    }

    #[test]
    fn a_request_of_which_a_packet_was_taken_for_lost_is_known_for_as_long_as_that_may_be_late() {
        let (mut sent, now) = (Sent::default(), Instant::from_secs(1));
        for count in 1..=2 {
            sent.push(request(count));
            sent.came(count, 0);
        }
        sent.came(1, 1);
        sent.lost(2);
        (1..=2).for_each(|count| _ = sent.settle(count, |_| {}));
        sent.forget(now);
        assert!(sent.get_mut(1).is_none(), "all of it came");
        assert!(sent.get_mut(2).is_some() && !sent.is_waiting(), "half of it may be late");
        sent.forget(now + FORGOTTEN_AFTER + Duration::from_millis(1));
        assert!(sent.get_mut(2).is_none());
        for count in 3..3 + 2 * REQUESTS_OVER_MAX as u32 {
            sent.push(request(count));
            (0..2).for_each(|_| sent.lost(count));
            sent.settle(count, |_| {});
        }
        sent.forget(now);
        assert_eq!(sent.over.len(), REQUESTS_OVER_MAX);
    }
}
