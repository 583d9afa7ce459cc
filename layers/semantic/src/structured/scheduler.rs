//! Which stream may write next (SST 5.6).

mod leaves;

use super::heap::{Heap, OUT};
use super::lazy::Empty;
use super::ring::Ring;
use leaves::{Bits, Leaf, Leaves};

/// Weight of a stream that was given none, and of a parent's own bytes beside its children.
pub const WEIGHT: u8 = 16;

/// Groups of streams within each other; what descends deeper stands beside its ancestors instead.
pub const DEPTH_MAX: u8 = 8;

/// New bytes of more urgent streams that may pass lost ones by; then one piece of what was lost goes.
pub const PASS_MAX: usize = 16 << 10;

/// Virtual time that a byte of the least weight takes.
const SLOWEST: u64 = 1 << 12;

/// What a stream's bytes are worth beside those of others.
///
/// Streams of a higher level go first, always. A stream without a level of its own shares what its parent gets, with
/// the parent and the parent's other children; so do its own children with it. Among those who share, each gets its
/// part by weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Priority {
    /// Higher is more urgent. `None`: its parent's; 0 for a stream without one.
    pub level: Option<i8>,
    /// From 1 to 255; 0 counts as 1.
    pub weight: u8,
}

impl Default for Priority {
    fn default() -> Priority {
        Priority { level: None, weight: WEIGHT }
    }
}

/// What the next piece of a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// Bytes of this stream that were lost.
    Again(u32),
    /// Bytes of this stream that were never sent.
    Fresh(u32),
}

/// The tree of streams: levels, in each of them groups within groups, the streams as leaves.
///
/// ```text
///   level 1 ── c            a has the child b; c, a child of b, was given a level of its own
///   level 0 ─┬ group of a ─┬ a itself
///            │             └ b
///            └ d
/// ```
///
/// Members of a group share it by start-time fair queueing (Goyal, Vin and Cheng, 1996), in bytes: the one whose next
/// byte has the least virtual time goes, so who was idle waits for no round, and has saved nothing up. Choosing and
/// charging cost the depth times the logarithm of the members.
///
/// Who has nothing to send rests: its leaf takes no memory if there is nothing to say of it, which is when it has no
/// relatives here, nobody gave it a priority, and its next byte would have the virtual time of anybody's. For that it
/// has to wait until the others have had as much, or have nothing to send either.
///
/// A group is there while it has two members. When a parent is over its children go on sharing what was its; the last
/// of them takes its place.
///
/// Lost bytes go before new ones of the same level or a lower one: they were once paid for, they are bounded by what
/// was sent, and someone waits for them. New ones of a higher level pass them by, but not for ever, see [`PASS_MAX`].
#[derive(Debug, Default)]
pub(super) struct Tree {
    leaves: Leaves,
    /// Leaves that will rest when the others have had as much.
    ahead: Ring,
    groups: Vec<Group>,
    unused: Vec<u32>,
    /// The groups that are levels, by urgency.
    levels: Vec<(u8, u32)>,
    /// Levels that have new bytes to send, as bits.
    active: [u64; 4],
    again: Heap,
    /// Some of the keys in `again` may tell of a level that is not the stream's any more.
    moved: bool,
    ticket: u64,
    passed: usize,
}

/// A leaf or a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Member(u32);

impl Member {
    const fn leaf(slot: u32) -> Member {
        Member(slot << 1)
    }

    const fn group(group: u32) -> Member {
        Member(group << 1 | 1)
    }

    const fn is_group(self) -> bool {
        self.0 & 1 == 1
    }

    const fn index(self) -> u32 {
        self.0 >> 1
    }
}

/// A member's place in its group.
#[derive(Clone, Copy, Debug, Default)]
struct GroupSlot {
    up: u32,
    /// Position in the group's heap.
    at: u32,
    /// Virtual time of its next byte.
    start: u64,
}

#[derive(Debug, Default)]
struct Group {
    place: GroupSlot,
    weight: u8,
    active: Heap,
    /// Virtual time: that of the last byte chosen.
    now: u64,
    /// The last virtual time of any member's next byte.
    latest: u64,
    members: u32,
    /// Of all members, exclusive or: of the last one, itself.
    mix: u32,
    /// No less than the groups that stand within each other below.
    height: u8,
    /// If it is a level, which.
    level: Option<u8>,
}

impl Group {
    fn join(&mut self, member: Member) {
        self.members += 1;
        self.mix ^= member.0;
    }

    /// When nobody has anything to send, nobody is ahead of the others any more.
    fn lull(&mut self) {
        if self.active.is_empty() {
            self.now = self.now.max(self.latest);
        }
    }
}

impl Empty for Tree {
    const EMPTY: &'static Tree = &Tree {
        leaves: Leaves::EMPTY,
        ahead: Ring::EMPTY,
        groups: Vec::new(),
        unused: Vec::new(),
        levels: Vec::new(),
        active: [0; 4],
        again: Heap::EMPTY,
        moved: false,
        ticket: 0,
        passed: 0,
    };
}

/// The group that is level 0: it was the first, and it stays.
const ROOT: u32 = 0;

/// More is more urgent.
const fn urgency(level: i8) -> u8 {
    level as u8 ^ 0x80
}

impl Tree {
    /// A new stream, without anything to send, of the default priority and without a parent.
    pub(super) fn enter(&mut self, slot: u32) {
        if self.groups.is_empty() {
            self.level(urgency(0));
        }
        self.leaves.enter(slot);
        self.groups[ROOT as usize].join(Member::leaf(slot));
    }

    /// A stream has got a parent: unless it has a level of its own it stands with that from now on.
    pub(super) fn hang(&mut self, slot: u32, parent: u32) {
        if self.leaves[slot].level.is_none() {
            let subject = self.subject(slot);
            let to = self.group_below(parent, self.height(subject));
            self.shift(subject, to);
        }
    }

    /// Gives a stream, and with it all that descends from it, another priority. `parent` is the slot of its parent, if
    /// that is still there.
    pub(super) fn prioritize(&mut self, slot: u32, priority: Priority, parent: Option<u32>) {
        let before = core::mem::replace(&mut self.leaves[slot].level, priority.level);
        let subject = self.subject(slot);
        *self.weight_mut(subject) = priority.weight.max(1);
        match (priority.level, parent) {
            (level, _) if level == before => {}
            (None, Some(parent)) => self.hang(slot, parent),
            (level, _) => {
                let to = self.level(urgency(level.unwrap_or(0)));
                self.shift(subject, to);
            }
        }
        self.shrink(slot);
    }

    /// A stream's priority as it stands: who took an ancestor's place has its weight.
    pub(super) fn priority(&self, slot: u32) -> Priority {
        Priority { level: self.leaves[slot].level, weight: self.weight(self.subject(slot)) }
    }

    /// States what a stream has to send.
    pub(super) fn set(&mut self, slot: u32, again: bool, fresh: bool) {
        if self.leaves[slot].state.has(Bits::FRESH) != fresh {
            self.leaves[slot].state.set(Bits::FRESH, fresh);
            let member = Member::leaf(slot);
            if fresh { self.enqueue(member) } else { self.dequeue(member) }
        }
        let at = self.leaves[slot].again;
        if again && at == OUT {
            let key = self.lost_key(slot);
            self.again.push(key, slot, &mut |slot, at| self.leaves[slot].again = at);
        } else if !again && at != OUT {
            self.again.remove(at, &mut |slot, at| self.leaves[slot].again = at);
        }
        if self.again.is_empty() {
            self.passed = 0;
        }
        if !again && !fresh {
            self.shrink(slot);
        }
    }

    /// The stream is gone, its slot will be another's.
    pub(super) fn forget(&mut self, slot: u32) {
        self.set(slot, false, false);
        let group = self.detach(Member::leaf(slot));
        self.settle(group);
        self.leaves.forget(slot);
        if slot.is_multiple_of(2) {
            self.ahead.set(slot / 2, false);
        }
    }

    /// Whether it is in nothing different from one that never had a stream.
    pub(super) fn is_as_new(&self) -> bool {
        let bare = self.groups.len() <= 1 && self.groups.iter().all(|root| root.members == 0);
        bare && self.ahead.is_as_new() && self.again.is_empty()
    }

    /// Whether there is nothing to say of a stream: it stands at the level of most, alone, and has had no more than
    /// others.
    #[inline]
    pub(super) fn rests(&self, slot: u32) -> bool {
        self.leaves.rests(slot)
    }

    /// Whether some stream has lost bytes to send.
    pub(super) fn has_again(&self) -> bool {
        !self.again.is_empty()
    }

    /// Whether some stream has new bytes to send, one that [rests](Self::rests) if not others; then whether there are
    /// streams, silent ones, of higher levels.
    pub(super) fn fresh(&self, has_resting: bool) -> Option<Below> {
        let level = self.urgent_beside(has_resting)?;
        let mut higher = self.levels.iter().rev().take_while(|&&(other, _)| other > level);
        let others = higher.any(|&(_, group)| self.groups[group as usize].members > 0);
        Some(if others { Below::Others } else { Below::None })
    }

    /// The most urgent level with new bytes, if a stream that rests may have some.
    fn urgent_beside(&self, has_resting: bool) -> Option<u8> {
        let resting = has_resting.then_some(urgency(0));
        self.urgent().max(resting)
    }

    /// Whose turn it is. `fresh_allowed` says whether the credit over all streams admits new bytes, and `resting` is a
    /// stream that [rests](Self::rests) and has some: it goes before those of its level that have had more, and after
    /// those that have had as little.
    pub(super) fn next(&mut self, fresh_allowed: bool, resting: Option<u32>) -> Option<Turn> {
        if core::mem::take(&mut self.moved) {
            self.rank_lost();
        }
        let fresh = self.urgent_beside(resting.is_some()).filter(|_| fresh_allowed);
        if let Some(slot) = self.again.first()
            && fresh.is_none_or(|level| level <= self.level_of(slot) || self.passed >= PASS_MAX)
        {
            return Some(Turn::Again(slot));
        }
        let level = fresh?;
        if let Some(slot) = resting.filter(|_| level == urgency(0) && !self.owes()) {
            return Some(Turn::Fresh(slot));
        }
        let mut group = self.level_group(level)?;
        loop {
            let member = Member(self.groups[group as usize].active.first()?);
            if !member.is_group() {
                return Some(Turn::Fresh(member.index()));
            }
            group = member.index();
        }
    }

    /// Whether someone of the level of most has something to send and has had no more than one that rests.
    fn owes(&self) -> bool {
        let root = &self.groups[ROOT as usize];
        root.active.first().is_some_and(|first| self.place(Member(first)).start <= root.now)
    }

    /// Whether nobody else of the most urgent level has new bytes to send but whose turn it is.
    pub(super) fn is_alone(&self) -> bool {
        let mut group = self.urgent().and_then(|level| self.level_group(level));
        while let Some(at) = group {
            let active = &self.groups[at as usize].active;
            let Some(first) = active.first().map(Member).filter(|_| active.len() == 1) else { return false };
            group = first.is_group().then(|| first.index());
        }
        true
    }

    /// The stream whose turn it was wrote `bytes`, and may have nothing more to send.
    pub(super) fn charge(&mut self, turn: Turn, bytes: usize) {
        match turn {
            Turn::Again(slot) => {
                self.passed = 0;
                let key = self.lost_key(slot);
                let at = self.leaves[slot].again;
                if at != OUT {
                    self.again.rekey(at, key, &mut |slot, at| self.leaves[slot].again = at);
                }
            }
            Turn::Fresh(slot) => {
                if self.has_again() {
                    self.passed += bytes;
                }
                if self.leaves.rests(slot) && self.groups[ROOT as usize].active.is_empty() {
                    return;
                }
                let mut member = Member::leaf(slot);
                loop {
                    let cost = bytes as u64 * SLOWEST / u64::from(self.weight(member));
                    let GroupSlot { up, at, start } = *self.place(member);
                    // Who has nothing more to send may have fallen behind meanwhile.
                    let began = if at == OUT { start.max(self.groups[up as usize].now) } else { start };
                    let place = self.place_mut(member);
                    place.start = began.saturating_add(cost);
                    let start = place.start;
                    let group = &mut self.groups[up as usize];
                    group.now = group.now.max(began);
                    group.latest = group.latest.max(start);
                    group.lull();
                    if at != OUT {
                        self.with_heap(up, |heap, moved| heap.rekey(at, start, moved));
                    }
                    if self.groups[up as usize].level.is_some() {
                        break;
                    }
                    member = Member::group(up);
                }
                self.shrink(slot);
            }
        }
    }

    /// Forgets a leaf that has nothing to remember, now or as soon as the others have had as much.
    fn shrink(&mut self, leaf: u32) {
        if self.leaves.is_plain(leaf) {
            self.ahead.set(leaf / 2, true);
        }
        while let Some(slot) = self.ahead.front() {
            let leaf = slot * 2;
            if self.leaves.is_plain(leaf) {
                if self.is_ahead(leaf) {
                    break;
                }
                self.leaves.shrink(leaf);
            }
            self.ahead.set(slot, false);
        }
    }

    /// Whether some of those who have something to send have not had as much.
    fn is_ahead(&self, leaf: u32) -> bool {
        let root = &self.groups[ROOT as usize];
        !root.active.is_empty() && self.leaves[leaf].place.start >= root.now
    }

    /// The most urgent level with new bytes.
    fn urgent(&self) -> Option<u8> {
        let word = (0..4).rev().find(|&word| self.active[word] != 0)?;
        Some((word as u32 * 64 + 63 - self.active[word].leading_zeros()) as u8)
    }

    fn level_group(&self, level: u8) -> Option<u32> {
        let at = self.levels.binary_search_by_key(&level, |&(level, _)| level).ok()?;
        Some(self.levels[at].1)
    }

    /// The group that is a level.
    fn level(&mut self, level: u8) -> u32 {
        match self.levels.binary_search_by_key(&level, |&(level, _)| level) {
            Ok(at) => self.levels[at].1,
            Err(at) => {
                let group = self.new_group();
                self.groups[group as usize].level = Some(level);
                self.levels.insert(at, (level, group));
                group
            }
        }
    }

    fn level_of(&self, slot: u32) -> u8 {
        let mut group = self.leaves[slot].place.up;
        loop {
            let Group { level, place, .. } = &self.groups[group as usize];
            match level {
                Some(level) => return *level,
                None => group = place.up,
            }
        }
    }

    /// Those with lost bytes go by level, then in turn.
    fn lost_key(&mut self, slot: u32) -> u64 {
        self.ticket += 1;
        u64::from(u8::MAX - self.level_of(slot)) << 56 | self.ticket
    }

    fn rank_lost(&mut self) {
        let mut again = core::mem::take(&mut self.again);
        again.rekey_all(|key, slot| u64::from(u8::MAX - self.level_of(slot)) << 56 | key & (u64::MAX >> 8));
        again.positions(&mut |slot, at| self.leaves[slot].again = at);
        self.again = again;
    }

    /// Bytes that the tree takes for streams without anything to send.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.leaves.footprint()
            + self.ahead.footprint()
            + self.groups.capacity() * size_of::<Group>()
            + self.groups.iter().map(|group| group.active.footprint()).sum::<usize>()
            + self.again.footprint()
    }

    /// Groups that a stream stands in, within each other.
    #[cfg(test)]
    pub(super) fn depth_of(&self, slot: u32) -> u8 {
        self.depth(self.leaves[slot].place.up)
    }

    /// Steps that were taken to keep order.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.groups.iter().map(|group| group.active.steps).sum::<u64>() + self.again.steps + self.ahead.steps()
    }

    /// What has to be moved to move a stream: it, or the group that it heads.
    fn subject(&self, slot: u32) -> Member {
        let leaf = &self.leaves[slot];
        if leaf.state.has(Bits::HEADS) { Member::group(leaf.place.up) } else { Member::leaf(slot) }
    }

    #[inline]
    fn place(&self, member: Member) -> &GroupSlot {
        let at = member.index();
        if member.is_group() { &self.groups[at as usize].place } else { &self.leaves[at].place }
    }

    #[inline]
    fn place_mut(&mut self, member: Member) -> &mut GroupSlot {
        let at = member.index();
        if member.is_group() { &mut self.groups[at as usize].place } else { &mut self.leaves[at].place }
    }

    #[inline]
    fn weight(&self, member: Member) -> u8 {
        let at = member.index();
        if member.is_group() { self.groups[at as usize].weight } else { self.leaves[at].weight }
    }

    #[inline]
    fn weight_mut(&mut self, member: Member) -> &mut u8 {
        let at = member.index();
        if member.is_group() { &mut self.groups[at as usize].weight } else { &mut self.leaves[at].weight }
    }

    fn height(&self, member: Member) -> u8 {
        if member.is_group() { self.groups[member.index() as usize].height } else { 0 }
    }

    fn depth(&self, mut group: u32) -> u8 {
        let mut depth = 0;
        while self.groups[group as usize].level.is_none() {
            group = self.groups[group as usize].place.up;
            depth += 1;
        }
        depth
    }

    /// The group of a stream's children, for one of that height: its own, or where that would be too deep, the nearest
    /// above.
    fn group_below(&mut self, parent: u32, height: u8) -> u32 {
        let Leaf { place, state, .. } = self.leaves[parent];
        let mut group = place.up;
        if !state.has(Bits::HEADS) && self.depth(group) + 2 + height <= DEPTH_MAX {
            return self.wrap(parent);
        }
        while self.groups[group as usize].level.is_none() && self.depth(group) + 1 + height > DEPTH_MAX {
            group = self.groups[group as usize].place.up;
        }
        group
    }

    /// Puts a group in a leaf's place, and the leaf into it as its head.
    fn wrap(&mut self, slot: u32) -> u32 {
        let leaf = Member::leaf(slot);
        let (weight, start) = (self.weight(leaf), self.place(leaf).start);
        let up = self.detach(leaf);
        let group = self.new_group();
        self.groups[group as usize].weight = weight;
        self.attach(Member::group(group), up, start);
        *self.weight_mut(leaf) = WEIGHT;
        self.leaves[slot].state.set(Bits::HEADS, true);
        self.attach(leaf, group, 0);
        group
    }

    fn shift(&mut self, member: Member, to: u32) {
        if self.place(member).up != to {
            let from = self.detach(member);
            self.attach(member, to, 0);
            self.settle(from);
            self.moved = true;
        }
    }

    fn attach(&mut self, member: Member, to: u32, start: u64) {
        let place = self.place_mut(member);
        (place.up, place.at, place.start) = (to, OUT, start);
        self.groups[to as usize].join(member);
        let (mut up, mut height) = (to, self.height(member) + 1);
        while self.groups[up as usize].level.is_none() && self.groups[up as usize].height < height {
            self.groups[up as usize].height = height;
            height += 1;
            up = self.groups[up as usize].place.up;
        }
        let at = member.index();
        if if member.is_group() {
            !self.groups[at as usize].active.is_empty()
        } else {
            self.leaves[at].state.has(Bits::FRESH)
        } {
            self.enqueue(member);
        }
    }

    /// Takes a member out of its group, which the caller settles.
    fn detach(&mut self, member: Member) -> u32 {
        self.dequeue(member);
        let up = self.place(member).up;
        let group = &mut self.groups[up as usize];
        group.members -= 1;
        group.mix ^= member.0;
        up
    }

    /// A group with one member gives it its place; an empty level goes.
    fn settle(&mut self, group: u32) {
        let Group { level, members, mix, place, weight, .. } = self.groups[group as usize];
        match (level, members) {
            (Some(level), 0) if group != ROOT => {
                self.levels.retain(|&(other, _)| other != level);
                self.unused.push(group);
            }
            (None, 1) => {
                let last = Member(mix);
                self.detach(last);
                self.detach(Member::group(group));
                self.unused.push(group);
                if !last.is_group() {
                    self.leaves[last.index()].state.set(Bits::HEADS, false);
                }
                *self.weight_mut(last) = weight;
                self.attach(last, place.up, place.start);
                if !last.is_group() {
                    self.shrink(last.index());
                }
            }
            _ => {}
        }
    }

    fn new_group(&mut self) -> u32 {
        let group = self.unused.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() as u32 - 1
        });
        let Group { active, .. } = core::mem::take(&mut self.groups[group as usize]);
        self.groups[group as usize] =
            Group { active, place: GroupSlot { at: OUT, ..GroupSlot::default() }, ..Group::default() };
        group
    }

    /// A member has new bytes to send, so all that it stands in have.
    fn enqueue(&mut self, mut member: Member) {
        loop {
            let up = self.place(member).up;
            let now = self.groups[up as usize].now;
            let place = self.place_mut(member);
            place.start = place.start.max(now);
            let start = place.start;
            self.with_heap(up, |heap, moved| heap.push(start, member.0, moved));
            let group = &self.groups[up as usize];
            if let Some(level) = group.level {
                self.active[usize::from(level / 64)] |= 1 << (level % 64);
                return;
            }
            if group.place.at != OUT {
                return;
            }
            member = Member::group(up);
        }
    }

    /// A member has no new bytes to send.
    fn dequeue(&mut self, mut member: Member) {
        loop {
            let GroupSlot { up, at, .. } = *self.place(member);
            if at == OUT {
                return;
            }
            self.with_heap(up, |heap, moved| heap.remove(at, moved));
            let group = &mut self.groups[up as usize];
            group.lull();
            if !group.active.is_empty() {
                return;
            }
            if let Some(level) = group.level {
                self.active[usize::from(level / 64)] &= !(1 << (level % 64));
                return;
            }
            member = Member::group(up);
        }
    }

    fn with_heap(&mut self, group: u32, change: impl FnOnce(&mut Heap, &mut dyn FnMut(u32, u32))) {
        let mut heap = core::mem::take(&mut self.groups[group as usize].active);
        change(&mut heap, &mut |member, at| self.place_mut(Member(member)).at = at);
        self.groups[group as usize].active = heap;
    }
}

/// What stands above the stream whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Below {
    /// No stream of a higher level.
    None,
    /// Streams of higher levels, with nothing to send now.
    Others,
}

#[cfg(test)]
#[path = "scheduler_tests.rs"]
mod tests;
