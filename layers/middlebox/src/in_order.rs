//! Datagrams of legacy flows put back into the order in which they left, where the section that brings them is
//! repaired: a sender that cannot tell late from lost would take each repair for a loss.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::Instant;
use tng_channel::{ReplayWindow, Seen};

use crate::HELD_OVERHEAD;
use crate::tunnel::{FlowId, TUNNEL_FLOWS_MAX};

/// Bytes that wait for datagrams before them, at most; beyond it the oldest is not waited for any more.
pub const REORDERED_BYTES_MAX: usize = 4 << 20;

/// Datagrams, the last ones of a tunnel, that are each known to have come or not: those of the longest repair at 65,000
/// a second.
pub const TUNNEL_KNOWN_MAX: u64 = 1 << 18;

/// So many entries stay in the list of those that wait, however few of them still do.
const DUE_KEPT: usize = 64;

/// Where a datagram stands among those of its tunnel and of its flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    /// How many datagrams of its tunnel left before it.
    pub number: u64,
    /// How many datagrams ago the one before it of its flow left; 0: none to wait for.
    pub back: u16,
}

#[derive(Debug)]
struct Early {
    datagram: Vec<u8>,
    /// The one before it of its flow.
    before: u64,
}

/// What waits for what left before it.
#[derive(Debug)]
pub(crate) struct InOrder {
    time_max: Duration,
    /// Numbers that have come: what is sent again for safety, or was only late, comes again.
    came: ReplayWindow,
    /// By flow: the latest that went on.
    latest: BTreeMap<FlowId, u64>,
    held: BTreeMap<(FlowId, u64), Early>,
    /// Those that wait, and others that did, by when they have waited long enough.
    due: VecDeque<(Instant, (FlowId, u64))>,
    bytes: usize,
}

impl InOrder {
    /// Waits for nothing longer than this: so late is the latest repair.
    pub(crate) fn new(now: Instant, time_max: Duration) -> InOrder {
        let came = ReplayWindow::new(TUNNEL_KNOWN_MAX, TUNNEL_KNOWN_MAX, now);
        InOrder { time_max, came, latest: BTreeMap::new(), held: BTreeMap::new(), due: VecDeque::new(), bytes: 0 }
    }

    /// Takes a datagram; it, and those that have waited for it, go to `on` as soon as they are in order. One that comes
    /// again goes nowhere, nor does one so late that nobody knows whether it does.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        (flow, position): (FlowId, Position),
        datagram: &[u8],
        mut on: impl FnMut(FlowId, Vec<u8>),
    ) {
        if self.came.check(position.number) != Seen::New {
            return;
        }
        self.came.commit(position.number, now);
        let before = position.number.saturating_sub(position.back.into());
        let waits = position.back > 0 && self.latest.get(&flow).is_some_and(|latest| *latest < before);
        if !waits {
            on(flow, datagram.to_vec());
            self.pass(flow, position.number, &mut on);
            return self.forget_gone();
        }
        self.bytes += datagram.len() + HELD_OVERHEAD;
        let key = (flow, position.number);
        self.held.insert(key, Early { datagram: datagram.to_vec(), before });
        self.due.push_back((now + self.time_max, key));
        while self.bytes > REORDERED_BYTES_MAX
            && let Some((_, oldest)) = self.due.pop_front()
        {
            self.give_up(oldest, &mut on);
        }
        self.forget_gone();
    }

    /// Bytes of memory that what waits takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the one that has waited longest.
    pub(crate) fn drop_oldest(&mut self) {
        if let Some((_, key)) = self.due.pop_front() {
            self.let_go(key, &mut |_, _| {});
        }
        self.forget_gone();
    }

    fn forget_gone(&mut self) {
        while self.due.front().is_some_and(|(_, key)| !self.held.contains_key(key)) {
            self.due.pop_front();
        }
        if self.due.len() > DUE_KEPT.max(2 * self.held.len()) {
            self.due.retain(|(_, key)| self.held.contains_key(key));
            self.due.shrink_to(2 * self.due.len());
        }
    }

    /// The first of a flow that waits.
    fn first_of(&self, flow: FlowId) -> Option<(u64, u64)> {
        let (key, held) = self.held.range((flow, 0)..=(flow, u64::MAX)).next()?;
        Some((key.1, held.before))
    }

    fn let_go(&mut self, key: (FlowId, u64), on: &mut impl FnMut(FlowId, Vec<u8>)) {
        if let Some(held) = self.held.remove(&key) {
            self.bytes -= held.datagram.len() + HELD_OVERHEAD;
            on(key.0, held.datagram);
        }
    }

    /// One of a flow has gone on: so do those after it that have waited for it alone.
    fn pass(&mut self, flow: FlowId, number: u64, on: &mut impl FnMut(FlowId, Vec<u8>)) {
        if self.latest.len() >= TUNNEL_FLOWS_MAX
            && !self.latest.contains_key(&flow)
            && let Some(stale) = self.latest.iter().min_by_key(|(_, latest)| **latest).map(|(flow, _)| *flow)
        {
            self.latest.remove(&stale);
        }
        let mut latest = self.latest.get(&flow).map_or(number, |latest| number.max(*latest));
        while let Some((number, _)) = self.first_of(flow).filter(|(_, before)| *before <= latest) {
            self.let_go((flow, number), on);
            latest = latest.max(number);
        }
        self.latest.insert(flow, latest);
    }

    /// What is before this one, if it still waits, is waited for no longer.
    fn give_up(&mut self, (flow, number): (FlowId, u64), on: &mut impl FnMut(FlowId, Vec<u8>)) {
        if !self.held.contains_key(&(flow, number)) {
            return;
        }
        while let Some((first, _)) = self.first_of(flow).filter(|(first, _)| *first <= number) {
            self.let_go((flow, first), on);
        }
        self.pass(flow, number, on);
    }

    /// Lets go on all that waits: what it waits for never comes.
    pub(crate) fn release(mut self, mut on: impl FnMut(FlowId, Vec<u8>)) {
        while let Some((_, key)) = self.due.pop_front() {
            self.give_up(key, &mut on);
        }
    }

    /// Lets go on what has waited long enough.
    pub(crate) fn handle_timeout(&mut self, now: Instant, mut on: impl FnMut(FlowId, Vec<u8>)) {
        while let Some((_, key)) = self.due.pop_front_if(|(due, _)| *due <= now) {
            self.give_up(key, &mut on);
        }
        self.forget_gone();
    }

    /// When the first of those that wait has waited long enough.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        self.due.front().map(|(due, _)| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_millis(500);
    const FLOW: FlowId = FlowId(3);

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn order() -> InOrder {
        InOrder::new(Instant::ZERO, TIME)
    }

    /// What goes on when these come: numbers, and how far back the one before is.
    fn take(order: &mut InOrder, ms: u64, flow: FlowId, (number, back): (u64, u16)) -> Vec<u8> {
        let mut gone = Vec::new();
        let position = Position { number, back };
        order.take(at_ms(ms), (flow, position), &[number as u8], |_, datagram| gone.extend(datagram));
        gone
    }

    #[test]
    fn what_comes_early_waits_for_what_left_before_it_and_other_flows_do_not() {
        let mut order = order();
        assert_eq!(take(&mut order, 0, FLOW, (1, 0)), [1]);
        assert!(take(&mut order, 1, FLOW, (4, 1)).is_empty(), "3 is missing");
        assert_eq!(take(&mut order, 1, FlowId(9), (5, 3)), [5], "the first that is known of another flow");
        assert!(take(&mut order, 2, FLOW, (6, 2)).is_empty());
        assert_eq!(take(&mut order, 3, FLOW, (3, 2)), [3, 4, 6]);
        assert_eq!((order.poll_timeout(), order.bytes), (None, 0));
        assert_eq!(take(&mut order, 3, FLOW, (7, 1)), [7]);
    }

    #[test]
    fn what_comes_again_goes_nowhere_whether_the_first_has_gone_on_or_waits() {
        let mut order = order();
        assert_eq!(take(&mut order, 0, FLOW, (1, 0)), [1]);
        assert!(take(&mut order, 1, FLOW, (1, 0)).is_empty(), "it has gone on");
        assert!(take(&mut order, 2, FLOW, (3, 1)).is_empty(), "2 is missing");
        assert!(take(&mut order, 3, FLOW, (3, 1)).is_empty(), "it waits");
        assert_eq!(take(&mut order, 4, FLOW, (2, 1)), [2, 3]);
        assert!(take(&mut order, 5, FLOW, (2, 1)).is_empty() && take(&mut order, 5, FLOW, (3, 1)).is_empty());
        let (far, held) = (TUNNEL_KNOWN_MAX * 4, (order.held.len(), order.bytes));
        assert_eq!(take(&mut order, 6, FLOW, (far, 0)).len(), 1);
        assert!(take(&mut order, 6, FLOW, (4, 0)).is_empty(), "nobody knows any more");
        assert_eq!((order.held.len(), order.bytes), held);
        assert_eq!(take(&mut order, 6, FLOW, (far - 1, 0)).len(), 1, "control: what is late comes all the same");
    }

    #[test]
    fn what_never_comes_is_waited_for_as_long_as_repair_lasts() {
        let mut order = order();
        take(&mut order, 0, FLOW, (1, 0));
        for (ms, number) in [(10, 3), (20, 4), (30, 6)] {
            assert!(
                take(&mut order, ms, FLOW, (number, if number == 4 { 1 } else { 2 - u16::from(number == 3) }))
                    .is_empty()
            );
        }
        assert_eq!(order.poll_timeout(), Some(at_ms(510)));
        let mut gone = Vec::new();
        order.handle_timeout(at_ms(509), |_, datagram| gone.extend(datagram));
        assert!(gone.is_empty());
        order.handle_timeout(at_ms(510), |_, datagram| gone.extend(datagram));
        assert_eq!(gone, [3, 4, 6]);
        assert_eq!((order.poll_timeout(), order.bytes), (None, 0));
    }

    #[test]
    fn those_that_have_gone_on_are_forgotten_also_while_one_before_them_waits() {
        let mut order = order();
        take(&mut order, 0, FLOW, (1, 0));
        assert!(take(&mut order, 0, FLOW, (3, 1)).is_empty(), "2 is missing");
        take(&mut order, 0, FlowId(9), (10, 0));
        for number in (11..20_000).step_by(2) {
            assert!(take(&mut order, 1, FlowId(9), (number + 1, 1)).is_empty());
            assert_eq!(take(&mut order, 1, FlowId(9), (number, 1)).len(), 2);
        }
        assert!(order.held.len() == 1 && order.due.len() <= DUE_KEPT && order.due.capacity() <= 4 * DUE_KEPT);
        assert_eq!(order.poll_timeout(), Some(at_ms(500)));
    }

    #[test]
    fn what_waits_and_whose_order_is_known_is_bounded() {
        let mut order = order();
        let mut gone = 0;
        for flow in 0..2 * TUNNEL_FLOWS_MAX as u32 {
            take(&mut order, 0, FlowId(flow), (u64::from(flow), 0));
        }
        for number in 1_003..21_000 {
            let position = Position { number, back: if number == 1_003 { 1 } else { 2 } };
            let flow = FlowId(500 + (number % 2) as u32);
            order.take(at_ms(0), (flow, position), &[0; 1_000], |_, _| gone += 1);
            assert!(order.bytes <= REORDERED_BYTES_MAX && order.latest.len() <= TUNNEL_FLOWS_MAX);
        }
        assert!(gone > 10_000, "{gone}");
    }
}
