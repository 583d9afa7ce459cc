//! What came of a line of packets, what is taken for lost, and the continuations that may be spent.

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Instant, RangeSet};
use tng_nonce::{NotTaken, PROOF_RANGES_MAX, Receipts};

use super::reordering::{LATER_PACKETS_MAX, Reordering};
use super::rtt::RoundTrips;
use crate::plan::first_gaps;
use crate::seal_len::BLAKE3_TAG_LEN;
use crate::window::WINDOW_MAX;
use crate::wire::Given;
use crate::{AGE_MAX, Continuation, Growth, Proof, Release, TooScattered, release_foreseen};

/// Packets that are under way or not settled, at most: no more is asked for.
pub const NUMBERS_HELD_MAX: usize = 1 << 15;
/// Packets that came and are not spent, at most: beyond, the window is cut. An application that takes less than the
/// path brings would have it grow without end.
pub const UNSPENT_MAX: u64 = NUMBERS_HELD_MAX as u64 / 4;
/// Packets that came after they were told lost, and whose nonces are kept.
pub const LATE_MAX: usize = 1 << 10;
/// Ranges of a proof that the packets of a loss's own window take, at most.
pub const RANGES_IN_WINDOW_MAX: usize = PROOF_RANGES_MAX * 3 / 4;
/// Cuts that are remembered, with whether they were taken back.
const CUTS_MAX: usize = 4;
/// Continuations that may be spent at once, as far as they are counted.
const FOLLOWING_MAX: usize = 16;
/// A continuation is not spent in the last of its age: the request takes time, and clocks of servers differ a little.
const AGE_MARGIN: Duration = Duration::from_secs(1);

/// A continuation that a packet brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) continuation: Continuation,
    pub(super) seal: [u8; BLAKE3_TAG_LEN],
    /// When it came.
    pub(super) since: Instant,
}

impl Held {
    pub(super) const fn last(&self) -> u64 {
        *self.continuation.numbers().end()
    }

    fn is_fresh(&self, now: Instant) -> bool {
        now.since(self.since) < AGE_MAX - AGE_MARGIN
    }
}

/// How a packet was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Asking {
    /// By that request,
    pub(super) request: u32,
    /// of that server,
    pub(super) server: u16,
    /// then.
    pub(super) sent: Instant,
}

/// What is known of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    /// It was asked for, and nothing came that its server was asked for later.
    Expected {
        request: u32,
        server: u16,
        sent: Instant,
    },
    /// Something that its server was asked for later came at that time.
    Missing {
        request: u32,
        server: u16,
        since: Instant,
    },
    Came(u16),
    /// That server was asked for it, and it is taken for lost.
    Lost(u16),
}

/// What came of one server's packets.
#[derive(Clone, Copy, Default, Debug)]
struct Answers {
    /// The highest.
    highest: u64,
    /// How many from where the book is judged on.
    beyond: u64,
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrival {
    /// It counts.
    New,
    /// It was told lost already: what it tells is good, and it may take a cut back.
    Late,
    /// It came before, or is not of this line.
    Known,
}

/// What the first continuation that may be spent is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Worth {
    Packets(Release),
    /// Its trickle ends.
    Nothing,
    /// What came cannot be told: a new line is needed.
    Untold,
}

/// Whether a cut was taken back.
#[derive(Clone, Copy, Debug)]
struct Cut {
    base: u64,
    loss: u64,
    late: Option<u64>,
}

/// What came of the packets since the last line that was begun.
#[derive(Debug)]
pub(super) struct Book {
    receipts: Receipts,
    /// The number of the first slot.
    first: u64,
    slots: VecDeque<Slot>,
    /// All below came or is taken for lost.
    judged: u64,
    /// How many came from there on.
    beyond: u64,
    /// The same of each server, as the client counts them.
    answers: Vec<Answers>,
    /// When what is missing first will be taken for lost, if no packet says more.
    judge_at: Option<Instant>,
    /// In the order of their numbers.
    pending: VecDeque<Held>,
    /// All below are spent, or cannot be.
    spent_below: u64,
    /// What proofs say that came. Packets of the half of a window that ends are told lost with those that were: it is
    /// one gap then, and they release nothing anyway.
    shown: RangeSet,
    newest: Option<Held>,
    /// What was spent last: what was told with it goes into a proof.
    spent: Option<Held>,
    /// The first packet of a pair that came last, and when.
    opened: Option<(u64, Instant)>,
    late: VecDeque<(u64, u64)>,
    cuts: VecDeque<Cut>,
    last_loss: u64,
    pub(super) cuts_counted: u64,
    pub(super) cuts_taken_back: u64,
}

impl Book {
    /// That of a line whose first packets were asked for like that.
    pub(super) fn new(release: &Release, asking: Asking) -> Book {
        let mut book = Book::empty(release.numbers.start);
        book.expect(release.numbers.clone(), asking);
        book
    }

    /// That of a connection, which begins with a seed.
    pub(super) fn with_seed(now: Instant, given: &Given, asking: Asking) -> Book {
        let seed = given.continuation;
        let mut book = Book::empty(seed.first);
        book.expect(seed.first..seed.first + 1, asking);
        let mut reordering = Reordering::new(now);
        book.receive(now, seed.first, given, &mut reordering);
        book.advance(now, &reordering, &RoundTrips::default(), |_| {});
        book
    }

    fn empty(first: u64) -> Book {
        Book {
            receipts: Receipts::new(first),
            first,
            slots: VecDeque::new(),
            judged: first,
            beyond: 0,
            answers: Vec::new(),
            judge_at: None,
            pending: VecDeque::new(),
            spent_below: first,
            shown: RangeSet::new(),
            newest: None,
            spent: None,
            opened: None,
            late: VecDeque::new(),
            cuts: VecDeque::new(),
            last_loss: 0,
            cuts_counted: 0,
            cuts_taken_back: 0,
        }
    }

    /// Behind all that was asked for.
    pub(super) fn end(&self) -> u64 {
        self.first + self.slots.len() as u64
    }

    /// The window, in packets, as the newest continuation has it.
    pub(super) fn window(&self) -> u64 {
        self.newest.map_or(1, |held| held.continuation.root.growth.window(held.last()))
    }

    /// Whether any packet of it brought a continuation.
    pub(super) const fn has_continuation(&self) -> bool {
        self.newest.is_some()
    }

    /// Whether the window grows by a packet for each that comes.
    pub(super) fn is_in_slow_start(&self) -> bool {
        self.newest.is_some_and(|held| self.window() < held.continuation.root.growth.threshold())
    }

    /// When to look again whether something is lost.
    pub(super) const fn judge_at(&self) -> Option<Instant> {
        self.judge_at
    }

    /// Packets that were asked for, and that nothing is known of.
    pub(super) fn under_way(&self) -> u64 {
        self.end() - self.judged - self.beyond
    }

    /// Packets that something is known of and whose continuations are not spent.
    pub(super) fn unspent(&self) -> u64 {
        self.judged.saturating_sub(self.spent_below) + self.beyond
    }

    /// Whether the window doubles until a loss is told, and none was.
    pub(super) fn is_in_first_slow_start(&self) -> bool {
        self.cuts_counted == 0
            && self.newest.is_some_and(|held| held.continuation.root.growth.threshold() == WINDOW_MAX)
    }

    fn slot_mut(&mut self, number: u64) -> Option<&mut Slot> {
        self.slots.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn expect(&mut self, numbers: Range<u64>, asking: Asking) {
        let Asking { request, server, sent } = asking;
        if self.answers.len() <= usize::from(server) {
            self.answers.resize(usize::from(server) + 1, Answers::default());
        }
        // Between lines there may be numbers that nobody sends.
        while self.end() < numbers.start && self.slots.len() < NUMBERS_HELD_MAX {
            self.slots.push_back(Slot::Lost(server));
        }
        while self.end() < numbers.end && self.slots.len() < 2 * NUMBERS_HELD_MAX {
            self.slots.push_back(Slot::Expected { request, server, sent });
        }
    }

    /// A packet came. If it is the second of a pair, and the first came before it: how long before.
    pub(super) fn pair(&mut self, now: Instant, number: u64, continuation: &Continuation) -> Option<Duration> {
        let is_first = continuation.is_pair && number == continuation.first;
        let opened = if is_first { self.opened.replace((number, now)) } else { self.opened.take() };
        opened.filter(|(first, _)| number == first + 1).map(|(_, at)| now.since(at))
    }

    /// A packet came.
    pub(super) fn receive(&mut self, now: Instant, number: u64, given: &Given, reordering: &mut Reordering) -> Arrival {
        let (server, was_lost) = match self.slot_mut(number).map(|slot| *slot) {
            None | Some(Slot::Came(_)) => return Arrival::Known,
            Some(Slot::Expected { server, .. } | Slot::Missing { server, .. }) => (server, false),
            Some(Slot::Lost(server)) => (server, true),
        };
        let highest = self.answers[usize::from(server)].highest;
        if number < highest {
            let later = (number - self.first + 1) as usize..=(highest - self.first) as usize;
            let later = self.slots.range(later).filter(|slot| **slot == Slot::Came(server));
            let later = later.take(LATER_PACKETS_MAX as usize).count();
            if later > 0 {
                reordering.seen(now, later as u64, was_lost);
            }
        }
        match self.receipts.receive(number, given.nonce) {
            Ok(()) => {}
            Err(NotTaken::Closed) => {
                if self.late.len() < LATE_MAX && self.late.iter().all(|(late, _)| *late != number) {
                    self.late.push_back((number, given.nonce));
                }
                return Arrival::Late;
            }
            Err(_) => return Arrival::Known,
        }
        *self.slot_mut(number).expect("it was looked at") = Slot::Came(server);
        let answers = &mut self.answers[usize::from(server)];
        answers.highest = highest.max(number);
        // A number between lines is lost from the first, and may come all the same.
        if number >= self.judged {
            self.beyond += 1;
            answers.beyond += 1;
        }
        let continuation = &given.continuation;
        // Both of a pair went out together.
        let is_first = continuation.is_pair && number == continuation.first;
        for number in self.judged.max(highest + 1)..number + 1 + u64::from(is_first) {
            self.miss(now, number, server);
        }
        self.hold(Held { continuation: *continuation, seal: given.seal, since: now });
        Arrival::New
    }

    /// That server does not grant what would release that: none of it comes.
    pub(super) fn denied(&mut self, now: Instant, release: &Release, by: u16) {
        release.numbers.clone().for_each(|number| self.miss(now, number, by));
    }

    fn miss(&mut self, now: Instant, number: u64, by: u16) {
        if let Some(slot) = self.slot_mut(number)
            && let Slot::Expected { request, server, .. } = *slot
            && server == by
        {
            *slot = Slot::Missing { request, server, since: now };
        }
    }

    fn hold(&mut self, held: Held) {
        let first = held.continuation.first;
        if self.newest.is_none_or(|newest| newest.continuation.first < first) {
            self.newest = Some(held);
        }
        if held.last() < self.spent_below || held.continuation.shown_from < self.receipts.first() {
            return;
        }
        let at = self.pending.partition_point(|pending| pending.continuation.first < first);
        if self.pending.get(at).is_none_or(|pending| pending.continuation.first != first) {
            self.pending.insert(at, held);
        }
    }

    /// Takes for lost what is, and tells by which request it was asked for.
    pub(super) fn advance(
        &mut self,
        now: Instant,
        reordering: &Reordering,
        rtt: &RoundTrips,
        mut lost: impl FnMut(u32),
    ) {
        self.judge_at = None;
        loop {
            let at = (self.judged - self.first) as usize;
            let (request, server, due) = match self.slots.get(at).copied() {
                Some(Slot::Came(server)) => {
                    self.beyond -= 1;
                    self.answers[usize::from(server)].beyond -= 1;
                    self.judged += 1;
                    continue;
                }
                Some(Slot::Lost(_)) => {
                    self.judged += 1;
                    continue;
                }
                Some(Slot::Missing { request, server, since }) => {
                    let is_overtaken = self.answers[usize::from(server)].beyond >= reordering.threshold();
                    let due = since + reordering.patience(rtt.to(server), self.window());
                    (request, server, if is_overtaken { now } else { due })
                }
                // Others have answered what was asked for later.
                Some(Slot::Expected { request, server, sent }) if self.beyond > 0 => {
                    (request, server, sent + reordering.overdue(rtt.to(server), self.window()))
                }
                Some(Slot::Expected { .. }) | None => return,
            };
            if now < due {
                self.judge_at = Some(due);
                return;
            }
            self.slots[at] = Slot::Lost(server);
            lost(request);
            self.judged += 1;
        }
    }

    /// The first continuation that may be spent: all before its packets is known, and both of them.
    pub(super) fn spendable(&self) -> Option<&Held> {
        self.pending.front().filter(|held| held.last() < self.judged && self.slots.len() < NUMBERS_HELD_MAX)
    }

    /// How many may be spent behind it, as far as that matters to anybody.
    pub(super) fn following(&self) -> u64 {
        let is_spendable = |held: &&Held| held.last() < self.judged;
        self.pending.iter().skip(1).take(FOLLOWING_MAX).take_while(is_spendable).count() as u64
    }

    /// Whether that continuation has become too old: a new line is needed.
    pub(super) fn is_stale(&self, now: Instant) -> bool {
        self.pending.front().is_some_and(|held| !held.is_fresh(now))
    }

    /// What the first continuation that may be spent is worth; the proof that goes with it is written to `proof`.
    pub(super) fn prove(&mut self, proof: &mut Proof) -> Option<(Held, Worth)> {
        let held = *self.spendable()?;
        let own = held.continuation.first..held.last() + 1;
        self.receipts.received(own.clone()).for_each(|range| _ = self.shown.insert(range));
        let mut worth = self.worth(&held.continuation, proof);
        let told = |range: &Range<u64>| range.end > held.continuation.shown_from;
        if worth == Worth::Untold && self.shown.iter().filter(told).count() > PROOF_RANGES_MAX / 2 {
            // One range too many: this packet is told lost, too.
            worth = Worth::Nothing;
        }
        if worth == Worth::Nothing {
            self.shown.remove(own);
        }
        Some((held, worth))
    }

    /// The newest continuation, spent or not, that goes with a proof, and what is shown with it in a request for a
    /// timeout. What was told before is told again: of another story the newest was not released.
    pub(super) fn prove_newest(&mut self, proof: &mut Proof) -> Option<Held> {
        let held = self.newest?;
        let own = held.continuation.first..held.last() + 1;
        // All that came; or, in fewer ranges, nothing of what is not spent but the newest.
        for behind in [self.spent_below.min(own.start), own.start] {
            let mut shown = self.shown.clone();
            self.receipts.received(behind..own.end).for_each(|range| _ = shown.insert(range));
            if self.story(&shown, &held.continuation, proof).is_ok() {
                return Some(held);
            }
        }
        let spent = self.spent?;
        let shown = core::mem::take(&mut self.shown);
        let told = self.story(&shown, &spent.continuation, proof);
        self.shown = shown;
        told.is_ok().then_some(spent)
    }

    fn show(
        &self,
        shown: &RangeSet,
        continuation: &Continuation,
        proof: &mut Proof,
        late: Option<u64>,
    ) -> Result<(), TooScattered> {
        let (from, high) = (continuation.shown_from, *continuation.numbers().end());
        let came = || {
            let cut = move |range: Range<u64>| range.start.max(from)..range.end.min(high + 1);
            shown.iter().map(cut).filter(|range| range.start < range.end)
        };
        proof.set((from, high), came(), came().fold(0, |fold, range| fold ^ self.receipts.fold(range)), late)
    }

    /// Shows what came, and what came late if that takes a cut back. Answers the first loss of the root line, and
    /// whether the continuation is from behind its window.
    fn story(
        &mut self,
        shown: &RangeSet,
        continuation: &Continuation,
        proof: &mut Proof,
    ) -> Result<Option<(u64, bool)>, TooScattered> {
        self.show(shown, continuation, proof, None)?;
        let growth = &continuation.root.growth;
        let Some(loss) = first_gaps(growth, proof.lost()).next().map(|gap| gap.start) else { return Ok(None) };
        let is_behind = loss + growth.window(loss - 1) <= *continuation.numbers().end();
        if is_behind && let Some(late) = self.taken_back(growth, loss, proof.lost()) {
            self.show(shown, continuation, proof, Some(late))?;
        }
        Ok(Some((loss, is_behind)))
    }

    fn worth(&mut self, continuation: &Continuation, proof: &mut Proof) -> Worth {
        let shown = core::mem::take(&mut self.shown);
        let story = self.story(&shown, continuation, proof);
        self.shown = shown;
        let Ok(story) = story else { return Worth::Untold };
        if let Some((loss, is_behind)) = story {
            if loss > self.last_loss {
                (self.last_loss, self.cuts_counted) = (loss, self.cuts_counted + 1);
            }
            // In the window of a loss packets that would begin one range too many are told lost: fewer go on, and there
            // is room for what follows. What this proof leaves out takes no room in it.
            let begins = !self.shown.contains(continuation.first.wrapping_sub(1));
            if !is_behind && begins && proof.came().len() > RANGES_IN_WINDOW_MAX {
                return Worth::Nothing;
            }
        }
        match release_foreseen(continuation, proof.story()) {
            Ok(release) if release.numbers.is_empty() => Worth::Nothing,
            Ok(release) => Worth::Packets(release),
            Err(_) => Worth::Untold,
        }
    }

    /// The nonces of what was told lost of a window, if all of it came before anything from behind the window was asked
    /// for. Every later request tells the same.
    fn taken_back(&mut self, growth: &Growth, loss: u64, lost: &[Range<u64>]) -> Option<u64> {
        let base = growth.base();
        if let Some(cut) = self.cuts.iter().find(|cut| (cut.base, cut.loss) == (base, loss)) {
            return cut.late;
        }
        // Some of it came in time, and was told lost because it is the same.
        let nonce = |number| match self.receipts.received(number..number + 1).next() {
            Some(came) => Some(self.receipts.fold(came)),
            None => self.late.iter().find(|(late, _)| *late == number).map(|(_, nonce)| *nonce),
        };
        let mut numbers = first_gaps(growth, lost).flatten();
        let late = numbers.try_fold(0, |fold, number| nonce(number).map(|nonce| fold ^ nonce));
        self.cuts_taken_back += u64::from(late.is_some());
        self.note(Cut { base, loss, late });
        late
    }

    fn note(&mut self, cut: Cut) {
        if self.cuts.len() == CUTS_MAX {
            self.cuts.pop_front();
        }
        self.cuts.push_back(cut);
    }

    /// Whether more came than will be spent soon: the window has grown far beyond what the application takes.
    pub(super) fn is_idle_in_part(&self) -> bool {
        self.unspent() > UNSPENT_MAX
    }

    /// The packets of the first continuation that may be spent are told lost, though they came: that cuts the window,
    /// and the cut is not taken back.
    pub(super) fn cut(&mut self) {
        if let Some(held) = self.spendable() {
            let (base, loss) = (held.continuation.root.growth.base(), held.continuation.first);
            self.note(Cut { base, loss, late: None });
            self.let_go();
        }
    }

    /// The first continuation that may be spent is spent, for that.
    pub(super) fn spend(&mut self, release: &Release, asking: Asking) {
        self.spent = self.pending.front().copied();
        self.let_go();
        self.expect(release.numbers.clone(), asking);
    }

    /// The first continuation that may be spent is not worth anything.
    pub(super) fn let_go(&mut self) {
        if let Some(held) = self.pending.pop_front() {
            self.spent_below = held.last() + 1;
            self.receipts.close(self.spent_below);
        }
    }

    /// Forgets what no proof will show: `under_way` is where proofs begin of what is still to come.
    pub(super) fn settle(&mut self, under_way: Option<u64>) {
        let shown = self.pending.front().map(|held| held.continuation.shown_from);
        let kept = [self.newest, self.spent].map(|held| Some(held?.continuation.shown_from));
        let Some(settled) = [under_way, shown, kept[0], kept[1]].into_iter().flatten().min() else { return };
        if settled <= self.receipts.first() {
            return;
        }
        self.receipts.settle(settled);
        self.shown.remove(0..settled);
        let forgotten = settled.min(self.judged);
        self.slots.drain(..(forgotten.saturating_sub(self.first) as usize).min(self.slots.len()));
        self.first = self.first.max(forgotten);
        self.late.retain(|(number, _)| *number >= settled);
    }
}
