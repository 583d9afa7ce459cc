//! When the datagrams of a group leave.

use tng_base::Instant;

use crate::engine::gate::Gate;
use crate::engine::ledger::times;
use crate::engine::plan::Plan;

/// A group on its way out.
#[derive(Debug)]
pub(crate) struct Timetable {
    group: usize,
    /// When its first was sent.
    began: Instant,
    /// The next one's number.
    next: u64,
    gate: Option<Gate>,
}

/// What comes after a departure.
pub(crate) enum Next {
    /// Another, then.
    At(Instant),
    /// None; those under way are waited for until then.
    Over(Instant),
}

impl Timetable {
    pub(crate) fn new(plan: &Plan, group: usize, now: Instant) -> Timetable {
        Timetable { group, began: now, next: 0, gate: plan.gate_of_group(group) }
    }

    /// The number of the next one.
    pub(crate) fn number(&self) -> u64 {
        self.next
    }

    /// When the next one leaves.
    pub(crate) fn due(&mut self, plan: &Plan) -> Instant {
        let after = times(plan.groups[self.group].spec.interval, self.next);
        self.began + self.gate.as_mut().map_or(after, |gate| gate.when_open_for(after))
    }

    /// The one that was due has left, or was refused.
    pub(crate) fn depart(&mut self, plan: &Plan, now: Instant) -> Next {
        self.next += 1;
        let group = &plan.groups[self.group];
        if group.spec.count == Some(self.next) { Next::Over(now + group.patience()) } else { Next::At(self.due(plan)) }
    }
}
