//! Credit over all streams of a connection, and for their creation: absolute sums that only rise.
//!
//! Credit once given cannot be taken back, so the window over all streams begins small, grows with its use, and counts
//! as memory from when it is given: [`Allowance`] is how the owner of many connections bounds what it promises to all
//! of them.

use tng_base::Violation;

use super::{StreamId, violation};

/// What the streams of a connection may come to hold beyond what they do, both ways: what its owner has left of a
/// budget for all its connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Bytes more, if the peer takes what is written and the applications read what comes: credit not yet used counts
    /// as held. Below zero it is to become so much less, as what there is is used.
    pub spare: i64,
    /// Bytes more of credit for a peer of whose bytes little is read.
    pub unread: i64,
    /// Bytes that may be buffered to be sent in any case.
    pub send_min: u64,
}

impl Allowance {
    /// No bound but those of [`Config`](super::Config).
    pub const UNBOUNDED: Allowance = Allowance { spare: i64::MAX, unread: i64::MAX, send_min: 0 };
}

/// What we let the peer send over all streams together.
///
/// `received` counts every stream up to its highest offset, as the peer counts what it has sent; `consumed` counts what
/// the application read or what was thrown away. When a stream ends both have counted it up to its final offset, so no
/// credit is ever lost.
#[derive(Clone, Debug)]
pub(super) struct HostCredit {
    /// What there is in any case.
    first: u64,
    /// What there is at most.
    most: u64,
    /// What there may be now, if the applications read.
    cap: u64,
    /// What there may be now whether they read or not.
    unread_cap: u64,
    limit: u64,
    /// What the peer was told that the window is: it keeps a part of that back.
    told: u64,
    received: u64,
    consumed: u64,
    /// Bytes received or consumed since it was last looked at.
    moved: u64,
}

impl HostCredit {
    /// Of `first` bytes at first, and `most` later.
    pub(super) fn new(first: u64, most: u64) -> HostCredit {
        let (cap, unread_cap) = (u64::MAX, u64::MAX);
        HostCredit {
            first,
            most: most.max(first),
            cap,
            unread_cap,
            limit: first,
            told: first,
            received: 0,
            consumed: 0,
            moved: 0,
        }
    }

    /// What datagrams that are read as streams count against: nothing.
    pub(super) fn uncounted() -> HostCredit {
        HostCredit::new(1 << 62, 1 << 62)
    }

    /// What the bytes of a stream count against: this, or nothing if it is a datagram that is read as one.
    #[inline]
    pub(super) fn of<'a>(&'a mut self, id: StreamId, uncounted: &'a mut Option<HostCredit>) -> &'a mut HostCredit {
        if id.is_local() { uncounted.insert(HostCredit::uncounted()) } else { self }
    }

    /// From now on no more than this may be held beyond what is.
    pub(super) fn allow(&mut self, allowance: Allowance) {
        let given = self.limit - self.consumed;
        (self.cap, self.unread_cap) =
            (given.saturating_add_signed(allowance.spare), given.saturating_add_signed(allowance.unread));
    }

    /// Bytes that the peer may be ahead of the readers, now: two more for each that was read, which is what slow start
    /// needs; and as many for each that came and was not, while there is plenty: who reads one stream after the other
    /// would else wait for bytes that unread ones keep away.
    fn window(&self) -> u64 {
        let grown = |bytes: u64| self.first.saturating_add(bytes.saturating_mul(2));
        let window = grown(self.consumed).max(grown(self.received).min(self.unread_cap));
        // By steps, so that what the peer keeps back by the last is never all that there is.
        window.min(self.cap).max(self.told / SHRINKS_BY).clamp(self.first, self.most)
    }

    /// The most that may be held unread.
    pub(super) fn unread_max(&self) -> u64 {
        self.unread_cap.clamp(self.first, self.most)
    }

    /// The peer has used `n` more.
    pub(super) fn charge(&mut self, n: u64) -> Result<(), Violation> {
        if n > self.limit - self.received {
            return Err(violation::FLOW_HOST);
        }
        self.received += n;
        self.moved += n;
        Ok(())
    }

    /// `n` bytes were read or thrown away.
    pub(super) fn consume(&mut self, n: u64) {
        self.consumed += n;
        self.moved += n;
    }

    /// Raises the limit when that is worth a frame: answers whether it did.
    ///
    /// What streams hold unread may lie there for long, and must not keep the others from their share of the rest: half
    /// of what the peer could use now, not half of the window, is worth a frame. What it keeps in [reserve](Reserve)
    /// does not count.
    ///
    /// While the peer may send a quarter of the window it is looked only once in a while.
    #[inline]
    pub(super) fn raise(&mut self) -> bool {
        let is_worth_a_look = self.moved * LOOKS_PER_WINDOW >= self.told || self.promised() < self.told / 4;
        is_worth_a_look && core::mem::take(&mut self.moved) > 0 && self.raise_if_worth()
    }

    fn raise_if_worth(&mut self) -> bool {
        let window = self.window();
        let limit = self.consumed + window;
        let gain = limit.saturating_sub(self.limit);
        let usable = window.saturating_sub(self.held()).saturating_sub(2 * self.told / RESERVE_PART);
        let worth = gain > 0 && 2 * gain >= usable;
        if worth {
            (self.limit, self.told) = (limit, window);
        }
        worth
    }

    /// The limit now granted.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The window that it was granted by.
    pub(super) fn told(&self) -> u64 {
        self.told
    }

    /// What the peer has used.
    #[cfg(test)]
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// What was read or thrown away.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// What the peer may still use.
    pub(super) fn promised(&self) -> u64 {
        self.limit - self.received
    }

    /// Bytes that count as received but not as consumed: what the application has yet to read, and gaps.
    pub(super) fn held(&self) -> u64 {
        self.received - self.consumed
    }
}

/// While there is plenty, it is looked so often in a window whether more credit is worth a frame.
const LOOKS_PER_WINDOW: u64 = 64;

/// With each new limit the window is at least this part of what it was.
const SHRINKS_BY: u64 = 4;

/// Part of the window over all streams that bulk leaves to the first bytes of streams, and once more that lower levels
/// leave to higher ones, if there are any: a sixteenth each. Without it streams that nobody reads could use all of it
/// up, and new ones and urgent ones would wait for their readers.
pub const RESERVE_PART: u64 = 16;

/// First bytes of a stream for which there is always credit, if there are as many as this at least: else the window is
/// too small for so many streams, and nothing is kept for them.
pub const FIRST_MIN: u64 = 16;

/// What a sender keeps of the credit over all streams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reserve {
    /// For the first bytes of streams.
    pub(super) firsts: u64,
    /// The first bytes of each: all streams that may exist at once can use theirs together.
    pub(super) first: u64,
    /// For higher levels.
    pub(super) levels: u64,
}

impl Reserve {
    /// From the peer's window, and how many streams the two may create.
    pub(super) fn new(window: u64, streams: u64) -> Reserve {
        let part = window / RESERVE_PART;
        let first = part / streams;
        let firsts = if first < FIRST_MIN { Reserve::default() } else { Reserve { firsts: part, first, levels: 0 } };
        Reserve { levels: part, ..firsts }
    }

    /// All that is kept.
    pub(super) fn all(&self) -> u64 {
        self.firsts + self.levels
    }
}

/// What the peer lets us send over all streams together.
#[derive(Clone, Debug)]
pub(super) struct PeerCredit {
    /// The peer's limit.
    pub(super) limit: u64,
    /// Bytes sent, each counted once.
    pub(super) sent: u64,
}

impl PeerCredit {
    /// Bytes that may be sent now.
    pub(super) fn room(&self) -> u64 {
        self.limit - self.sent
    }
}

/// How many streams the peer may create.
#[derive(Clone, Debug)]
pub(super) struct CreateCredit {
    window: u64,
    limit: u64,
    ended: u64,
}

impl CreateCredit {
    pub(super) fn new(window: u64) -> CreateCredit {
        CreateCredit { window, limit: window, ended: 0 }
    }

    /// One of the peer's streams ended; answers whether the limit was raised.
    pub(super) fn end_one(&mut self) -> bool {
        self.ended += 1;
        let limit = self.ended + self.window;
        let worth = limit - self.limit >= (self.window / 2).max(1);
        if worth {
            self.limit = limit;
        }
        worth
    }

    /// The limit now granted: counters of the peer's streams lie below it.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: u64 = 1_000;
    const MOST: u64 = 64_000;

    /// Nobody may hold more than this beyond what is held.
    fn allowance(spare: i64, unread: i64) -> Allowance {
        Allowance { spare, unread, send_min: 0 }
    }

    /// So many bytes came, and as many of them were read.
    fn used(credit: &mut HostCredit, received: u64, consumed: u64) {
        credit.charge(received).expect("within the limit");
        credit.consume(consumed);
        assert!(credit.raise(), "it is worth a frame");
    }

    #[test]
    fn a_window_grows_by_two_bytes_for_each_that_is_read_to_what_there_is_at_most() {
        let mut credit = HostCredit::new(FIRST, MOST);
        credit.allow(allowance(i64::MAX, 0));
        used(&mut credit, FIRST, FIRST);
        assert_eq!((credit.told(), credit.limit()), (3 * FIRST, 4 * FIRST));
        used(&mut credit, 3 * FIRST, 3 * FIRST);
        assert_eq!((credit.told(), credit.limit()), (9 * FIRST, 13 * FIRST));
        used(&mut credit, 9 * FIRST, 9 * FIRST);
        used(&mut credit, 27 * FIRST, 27 * FIRST);
        assert_eq!((credit.told(), credit.limit()), (MOST, 40 * FIRST + MOST));
    }

    #[test]
    fn an_allowance_counts_from_what_the_readers_have_not_taken_of_the_limit() {
        // 1,000 have been read of a limit of 4,000: what may be held is 3,000 and what is spare.
        for (spare, window) in [(2_000, 5_000), (500, 3_500), (0, 3_000), (-1_000, 2_000)] {
            let mut credit = HostCredit::new(FIRST, MOST);
            used(&mut credit, FIRST, FIRST);
            credit.allow(allowance(spare, i64::MIN));
            credit.charge(3 * FIRST).expect("within the limit");
            credit.consume(3 * FIRST);
            assert!(credit.raise());
            assert_eq!((credit.told(), credit.limit()), (window, 4 * FIRST + window), "{spare} spare");
        }
        // Control: 9,000 without one.
        let mut credit = HostCredit::new(FIRST, MOST);
        used(&mut credit, FIRST, FIRST);
        used(&mut credit, 3 * FIRST, 3 * FIRST);
        assert_eq!(credit.told(), 9 * FIRST);
    }

    #[test]
    fn a_window_grows_for_bytes_that_nobody_reads_only_as_far_as_these_are_allowed_for() {
        for (unread, window) in [(i64::MAX, 3 * FIRST), (500, 1_500)] {
            let mut credit = HostCredit::new(FIRST, MOST);
            credit.allow(allowance(i64::MAX, unread));
            used(&mut credit, FIRST, 0);
            assert_eq!((credit.told(), credit.limit()), (window, window), "{unread} for the unread");
        }
        let mut credit = HostCredit::new(FIRST, MOST);
        credit.allow(allowance(i64::MAX, 0));
        credit.charge(FIRST).expect("within the limit");
        assert!(!credit.raise(), "control: no more where nothing is");
        assert_eq!((credit.limit(), credit.unread_max()), (FIRST, FIRST));
        credit.allow(allowance(0, 5_000));
        assert_eq!(credit.unread_max(), FIRST + 5_000);
        credit.allow(allowance(0, i64::MAX));
        assert_eq!(credit.unread_max(), MOST);
    }

    #[test]
    fn a_window_shrinks_to_a_quarter_with_each_limit_and_never_below_the_first() {
        let mut credit = HostCredit::new(FIRST, MOST);
        for _ in 0..4 {
            let all = credit.promised();
            used(&mut credit, all, all);
        }
        assert_eq!(credit.told(), MOST, "{credit:?}");
        for window in [MOST / 4, MOST / 16, MOST / 64, FIRST] {
            credit.allow(allowance(i64::MIN, i64::MIN));
            let all = credit.promised();
            used(&mut credit, all, all);
            assert_eq!(credit.told(), window.max(FIRST));
            assert_eq!(credit.promised(), credit.told());
        }
    }

    #[test]
    fn a_limit_is_raised_when_the_gain_is_half_of_what_can_be_used_without_the_reserve() {
        // A window that does not grow: of 1,600 a sixteenth is kept twice, 1,400 can be used.
        let raises = |consumed: u64| {
            let mut credit = HostCredit::new(1_600, 1_600);
            credit.charge(1_600).expect("within the limit");
            credit.consume(1_600);
            assert!(credit.raise());
            credit.charge(consumed).expect("within the limit");
            credit.consume(consumed);
            credit.raise()
        };
        assert!(!raises(699) && raises(700));
        assert!(!raises(0));
    }

    #[test]
    fn it_is_looked_64_times_in_a_window_and_always_below_a_quarter_whether_a_limit_is_worth_raising() {
        // After so many have come, one that is read is worth a frame if as many as that were before, less one.
        let looked = |received: u64, read_before: u64| {
            let mut credit = HostCredit::new(6_400, 6_400);
            credit.charge(received).expect("within the limit");
            assert!(!credit.raise());
            credit.consume(read_before);
            assert!(!credit.raise());
            credit
        };
        let mut credit = looked(4_800, 750);
        credit.consume(99);
        assert!(!credit.raise(), "worth it, and not looked: 99 of 100 bytes");
        credit.consume(1);
        assert!(credit.raise());
        let mut credit = looked(4_801, 798);
        credit.consume(1);
        assert!(credit.raise(), "the peer has less than a quarter left");
        // Where nothing was moved it is not looked.
        let mut credit = HostCredit::new(FIRST, MOST);
        credit.allow(allowance(i64::MAX, 0));
        credit.charge(FIRST).expect("within the limit");
        assert!(!credit.raise());
        credit.allow(Allowance::UNBOUNDED);
        assert!(!credit.raise());
        credit.consume(1);
        assert!(credit.raise(), "control: worth it");
    }

    #[test]
    fn more_than_the_limit_is_a_violation_and_changes_nothing() {
        let mut credit = HostCredit::new(FIRST, MOST);
        assert_eq!(credit.charge(FIRST + 1), Err(violation::FLOW_HOST));
        assert_eq!((credit.held(), credit.promised()), (0, FIRST));
        credit.charge(FIRST - 1).expect("within the limit");
        credit.consume(10);
        assert_eq!((credit.held(), credit.promised(), credit.consumed()), (FIRST - 11, 1, 10));
        assert_eq!(credit.charge(2), Err(violation::FLOW_HOST));
        assert_eq!(credit.charge(1), Ok(()));
    }

    #[test]
    fn a_reserve_is_a_sixteenth_for_levels_and_one_for_first_bytes_that_are_worth_keeping() {
        let Reserve { firsts, first, levels } = Reserve::new(16_000, 10);
        assert_eq!((firsts, first, levels), (1_000, 100, 1_000));
        let Reserve { firsts, first, levels } = Reserve::new(16 * 16 * FIRST_MIN, 16);
        assert_eq!((firsts, first, levels), (16 * FIRST_MIN, FIRST_MIN, 16 * FIRST_MIN));
        let Reserve { firsts, first, levels } = Reserve::new(16 * 16 * FIRST_MIN, 17);
        assert_eq!((firsts, first, levels), (0, 0, 16 * FIRST_MIN));
    }

    #[test]
    fn leave_for_streams_is_raised_when_half_of_the_window_has_ended() {
        let mut streams = CreateCredit::new(5);
        assert_eq!((streams.limit(), streams.end_one(), streams.limit()), (5, false, 5));
        assert_eq!((streams.end_one(), streams.limit()), (true, 7));
        assert_eq!((streams.end_one(), streams.end_one(), streams.limit()), (false, true, 9));
        let mut one = CreateCredit::new(1);
        assert_eq!((one.end_one(), one.limit()), (true, 2));
        assert_eq!(PeerCredit { limit: 9, sent: 7 }.room(), 2);
    }
}
