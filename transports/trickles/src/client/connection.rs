//! A connection: a book of what came, requests under way, and the times at which something is done about it.

mod stuck;

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Ecn, Instant, Transmit};
use tng_wire::{Reader, Repr, Writer};

use super::book::{Arrival, Asking, Book, Held, Worth};
use super::keeper::{Keeper, Secret};
use super::objects::{Capacity, ObjectId, Objects};
use super::pacer::{Pace, Pacer};
use super::reordering::{PATIENCE_AT_FIRST, Reordering};
use super::replicas::Replicas;
use super::reverse::ReverseLoss;
use super::rtt::{RoundTrip, RoundTrips};
use super::sent::{List, Request, Sent};
use super::settings::{ClientConfig, ClientStats};
use super::slow_start::SlowStart;
use super::timeouts::{Closing, Timeouts};
use crate::seal_len::{BLAKE3_TAG_LEN, TAG_LEN};
use crate::wire::{
    Armor, Ask, DATAGRAM_LEN_MIN, Demand, Denial, Fault, Given, Kind, RequestHeader, ResponseHeader, Tell, UNASKED,
};
use crate::{
    ClientNetwork, ConnectionId, Continuation, EPOCH, Proof, Puzzle, Release, Renewal, Rtt, Solution, Stamp, Story,
    release_foreseen,
};
use stuck::Stuck;

/// Numbers that are tried for a puzzle before the client looks to other things: about a millisecond.
pub const PUZZLE_TRIES_PER_SLICE: u64 = 8_192;
/// Bytes by which a request is made longer, at most, so that it can leave with the one before.
pub const PADDING_MAX: usize = 32;
/// Bytes of what it gives that are told where its tags are not those that a client foresees; and where another server
/// has given it out than the one before. They are as many.
const TAGS: usize = 8;
const ISSUER: usize = 8;
/// Bytes by which a continuation that is told whole is longer than the one before: its numbers are larger.
const GROWTH: usize = 4;
/// A secret as old as this is renewed: keys of the epoch before the present one are known, and none before.
const SECRET_AGE_MAX: Duration = Duration::from_secs(EPOCH.as_secs() / 2);
/// If the epoch is still the same, it is asked again so much later.
const SECRET_AGAIN: Duration = Duration::from_secs(30);
/// The request that a client is taken to have sent for what follows a REPLY unasked. Its own count from 1.
const FIRST: u32 = 0;

/// Whether what follows a REPLY unasked is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unasked {
    Until(Instant),
    No,
}

/// A puzzle that is being solved for a continuation.
#[derive(Clone, Copy, Debug)]
struct Solving {
    object: ObjectId,
    puzzle: Puzzle,
    seal: [u8; BLAKE3_TAG_LEN],
    progress: Progress,
}

#[derive(Clone, Copy, Debug)]
enum Progress {
    /// Numbers below that do not solve it.
    Tried(u64),
    Solved(Solution),
}

/// What a connection is polled with.
pub(super) struct Context<'a> {
    pub(super) now: Instant,
    pub(super) config: &'a ClientConfig,
    pub(super) objects: &'a mut Objects,
    pub(super) replicas: &'a mut Replicas,
    pub(super) stats: &'a mut ClientStats,
    /// As long as that is a request that is little shorter.
    pub(super) pad_to: usize,
}

#[derive(Debug)]
pub(super) struct Connection {
    id: ConnectionId,
    armor: Armor,
    secret: Secret,
    /// That of the epoch before, for what is under way.
    before: Option<Secret>,
    renew_at: Instant,
    renewal: Option<Renewal>,
    /// Where continuations are good, and the server that sees this client there.
    place: (ClientNetwork, SocketAddr),
    /// Of the next request.
    count: u32,
    /// Which line the book is of, and the last that was asked for.
    strand: u32,
    strands: u32,
    book: Book,
    sent: Sent,
    unasked: Unasked,
    rtt: RoundTrips,
    reordering: Reordering,
    reverse: ReverseLoss,
    slow_start: SlowStart,
    pacer: Pacer,
    proof: Proof,
    timeouts: Timeouts,
    solving: Option<Solving>,
    /// The last request, and how often to send it again.
    last: Vec<u8>,
    last_to: Option<SocketAddr>,
    again: u32,
    closing: Closing,
    /// A request was answered.
    was_answered: bool,
    /// Whether nothing is spent before there is another line.
    stuck: Option<Stuck>,
    /// What a server said last of its clock, and when.
    clock: Option<(Stamp, Instant)>,
    /// Several servers answer, or one that was started again.
    has_several_issuers: bool,
}

/// How a connection began.
pub(super) struct Beginning {
    pub(super) id: ConnectionId,
    /// The last byte of the key epoch that the secret is of.
    pub(super) epoch: u8,
    /// Who has the secret.
    pub(super) keeper: Keeper,
    /// Where the server sees this client.
    pub(super) place: ClientNetwork,
    /// What the REPLY has brought.
    pub(super) rest: Vec<u8>,
    /// The server: which it is, and its address.
    pub(super) from: (u16, SocketAddr),
    /// What the INIT asked for.
    pub(super) asked: List,
    /// The last bytes of the INIT.
    pub(super) init_seal: [u8; TAG_LEN],
    /// How long the REPLY took, if the INIT was sent once.
    pub(super) rtt: Option<Duration>,
    /// Whether the server may have believed that the client is where it is: more packets follow then, unasked.
    pub(super) has_shown_address: bool,
    /// Whether the INIT went out again, since nothing came of it.
    pub(super) was_lost: bool,
    /// Whether anything is sealed.
    pub(super) armor: Armor,
}

impl Connection {
    /// One that a server has granted. Nothing if what its REPLY brought is malformed.
    pub(super) fn new(now: Instant, beginning: Beginning, objects: &mut Objects) -> Option<Connection> {
        let Beginning {
            id,
            epoch,
            keeper,
            place,
            rest,
            from: (server, from),
            asked,
            init_seal,
            rtt: measured,
            has_shown_address,
            was_lost,
            armor,
        } = beginning;
        let mut reader = Reader::new(&rest);
        let given = Given::parse(armor, &mut reader, None).ok()?;
        if !given.continuation.is_seed() {
            return None;
        }
        let seed = given.continuation;
        let release = release_foreseen(&seed, Story::WHOLE).ok()?;
        let mut rtt = RoundTrips::default();
        measured.into_iter().for_each(|measured| rtt.sample(server, measured));
        let asking = Asking { request: FIRST, server, sent: now };
        let wait = rtt.to(server).smoothed().unwrap_or(super::rtt::RTO_FIRST) / 2;
        let is_answered_unasked = has_shown_address && asked.has_any();
        let mut connection = Connection {
            id,
            armor,
            secret: Secret { epoch, keeper },
            before: None,
            renew_at: now + SECRET_AGE_MAX,
            renewal: None,
            place: (place, from),
            count: FIRST + 1,
            strand: 0,
            strands: 0,
            book: Book::with_seed(now, &given, asking),
            sent: Sent::default(),
            unasked: if is_answered_unasked { Unasked::Until(now + wait) } else { Unasked::No },
            rtt,
            reordering: Reordering::new(now),
            reverse: ReverseLoss::default(),
            slow_start: SlowStart::default(),
            pacer: Pacer::default(),
            proof: Proof::with_room(),
            timeouts: Timeouts::default(),
            solving: None,
            last: Vec::new(),
            last_to: None,
            again: 0,
            closing: Closing::No,
            was_answered: false,
            // The path is full, as far as anything is known of it: it begins with one packet (RFC 5681, section 3.1).
            stuck: (was_lost && !is_answered_unasked).then_some(Stuck::SetUpLost),
            clock: None,
            has_several_issuers: false,
        };
        let mut first = Request::new(asking, epoch, &seed, release);
        (first.seal, first.asked) = (init_seal, asked);
        connection.sent.push(first);
        connection.tell(now, &mut reader, objects, FIRST, &mut || false);
        if !is_answered_unasked {
            connection.sent.give_up(|asked| objects.over(asked));
        }
        Some(connection)
    }

    /// Takes a datagram that a server sent from there. Answers whether it was the server's.
    pub(super) fn handle(&mut self, from: SocketAddr, datagram: &mut [u8], context: Context<'_>) -> bool {
        let Context { now, objects, stats, config, replicas, pad_to: _ } = context;
        let Ok(header) = ResponseHeader::parse(&mut Reader::new(datagram)) else { return false };
        if header.armor != self.armor {
            return false;
        }
        let count = match header.count {
            UNASKED => FIRST,
            FIRST => return false,
            count => count,
        };
        if header.handle != self.id.0[..4] {
            return false;
        }
        let Some(request) = self.sent.get_mut(count) else { return false };
        let secrets = [Some(&self.secret), self.before.as_ref()];
        let Some(secret) = secrets.into_iter().flatten().find(|secret| secret.epoch == request.epoch) else {
            return false;
        };
        let len = datagram.len();
        let text = match self.armor {
            Armor::Sealed => {
                let Ok(text) = secret.open(&header, &request.seal, datagram) else { return false };
                text
            }
            Armor::Plain => &datagram[ResponseHeader::LEN..],
        };
        self.was_answered |= count != FIRST;
        let index = header.index;
        if index == Denial::INDEX {
            let Ok((denial, clock)) = Denial::parse(text) else { return false };
            self.clock = Some((clock, now));
            // It does not take what others have given out, or goes by another time than they.
            let is_apart = matches!(denial, Denial::BeforeStart | Denial::Old | Denial::Untimely);
            replicas.denied(from, is_apart.then_some(now));
            self.denied(now, count, denial, objects);
            return true;
        }
        let mut reader = Reader::new(text);
        let foreseen = request.release.foresee(&request.spent, request.keying, index);
        let Ok(given) = Given::parse(self.armor, &mut reader, Some(&foreseen)) else { return false };
        stats.packets += 1;
        replicas.answered(from);
        if request.is_answered_too(header.instance) {
            self.reverse.answered_twice();
        }
        let is_measured = !request.is_repeated && !request.is_answered() && count != FIRST;
        let measured = is_measured.then(|| (request.server, now.since(request.sent), request.spent));
        let is_first = self.arrive(now, (from, len, count, index), &given, (config, objects, stats));
        if let Some((server, rtt, spent)) = measured {
            self.measure(server, rtt, &spent);
        }
        // What is told counts once, however often a packet comes.
        if is_first {
            let mut differs = false;
            self.tell(now, &mut reader, objects, count, &mut || {
                differs = true;
                replicas.is_of_other_version(from, now)
            });
            // What is wrong stands in the first packet of a response.
            if index == 0 && !differs {
                replicas.agrees(from);
            }
        }
        if let Some(toll) = self.sent.settle(count, |asked| objects.over(asked)) {
            self.reverse.note(toll.released, toll.lost);
        }
        self.judge(now, objects, stats, config);
        self.sent.forget(now);
        self.book.settle(self.sent.shown_from(self.strand));
        true
    }

    /// A request that spent that was answered by that server after that time.
    fn measure(&mut self, server: u16, rtt: Duration, spent: &Continuation) {
        self.rtt.sample(server, rtt);
        if !self.book.is_in_first_slow_start() {
            self.slow_start = SlowStart::Over;
        }
        let shortest = self.rtt.all().least().unwrap_or(rtt);
        self.slow_start.sample(rtt, shortest, || spent.root.growth.window(*spent.numbers().end()));
    }

    /// A packet came: enters it into the book it belongs to. Answers whether it is the first of its request and index.
    fn arrive(
        &mut self,
        now: Instant,
        (from, len, count, index): (SocketAddr, usize, u32, u8),
        given: &Given,
        context: (&ClientConfig, &mut Objects, &mut ClientStats),
    ) -> bool {
        let (config, objects, stats) = context;
        let Some(request) = self.sent.get_mut(count) else { return false };
        let foreseen = request.release.numbers.start + u64::from(index);
        let continuation = &given.continuation;
        self.has_several_issuers |= !request.spent.is_seed() && request.spent.issuer != continuation.issuer;
        let root = continuation.root;
        let is_foreseen = continuation.numbers().contains(&foreseen);
        let number = match is_foreseen {
            true => foreseen,
            false => continuation.first + u64::from(continuation.is_pair && index % 2 == 1),
        };
        let is_asked_for = request.strand > self.strand && self.timeouts.is_wanted;
        // What a server of another site begins lies behind what was spent, and is of no line that the client knows.
        let is_other = root != request.release.root && root.growth.base() > *request.spent.numbers().end();
        let is_moved = !is_foreseen && request.strand == self.strand && is_other;
        // A line that this packet does not belong to is not begun: nothing could be told of it.
        let is_new_line = (is_asked_for || is_moved) && Release::of_line(root).numbers.contains(&number);
        if is_new_line {
            // Another line: one that was asked for, or one that a server of another site has begun.
            request.release = Release::of_line(root);
            if !is_asked_for {
                self.strands += 1;
                request.strand = self.strands;
            }
            self.strand = request.strand;
            let (cuts, back) = (self.book.cuts_counted, self.book.cuts_taken_back);
            self.book = Book::new(&request.release, request.asking());
            (self.book.cuts_counted, self.book.cuts_taken_back) = (cuts, back);
            stats.timeouts_granted += u64::from(is_asked_for);
            // If that is another place, it is told beside.
            self.place.1 = from;
            (self.timeouts.has_moved, self.stuck) = (false, None);
            self.sent.give_up_but(count, |asked| objects.over(asked));
        }
        if self.sent.is_late(count) {
            self.reverse.was_late();
        }
        let Some(request) = self.sent.get_mut(count) else { return false };
        if request.strand != self.strand {
            return self.sent.came(count, index);
        }
        if count == FIRST && matches!(self.unasked, Unasked::Until(_)) {
            // The server has spent the seed.
            self.unasked = Unasked::No;
            self.book.spend(&request.release, request.asking());
        }
        let is_first = self.sent.came(count, index);
        if let Some(gap) = self.book.pair(now, number, continuation)
            && len >= config.datagram_len / 2
        {
            // What is small says little of the time that large packets take, and nothing is told by an outage.
            self.reordering.spaced(gap.min(self.rtt.all().smoothed().unwrap_or_default() + PATIENCE_AT_FIRST));
        }
        match self.book.receive(now, number, given, &mut self.reordering) {
            Arrival::New => self.timeouts.answered(now),
            Arrival::Late => stats.late += 1,
            Arrival::Known => {}
        }
        is_first
    }

    /// Reads what is told, up to what is malformed. `asks_others` is called where the server is of another version of
    /// the application than the one that sealed what it was shown, and answers whether others are asked instead.
    fn tell(
        &mut self,
        now: Instant,
        reader: &mut Reader<'_>,
        objects: &mut Objects,
        count: u32,
        asks_others: &mut dyn FnMut() -> bool,
    ) {
        while !reader.is_empty() {
            match Tell::parse(reader) {
                Ok(Tell::Secret { epoch, secret }) => self.renew(now, epoch, secret),
                Ok(Tell::ClientNetwork(place)) => {
                    // Continuations of other lines are good elsewhere.
                    if self.sent.get_mut(count).is_some_and(|request| request.strand == self.strand) {
                        self.place.0 = place;
                    }
                }
                // What was asked for and did not come is asked for again.
                Ok(Tell::Fault { fault: Fault::Version, .. }) if asks_others() => {}
                Ok(tell) => {
                    let asked = self.sent.get_mut(count).map(|request| &request.asked);
                    objects.tell(now, &tell, asked.unwrap_or(&List::default()));
                }
                Err(_) => return,
            }
        }
    }

    /// The secret of an epoch: if it is a later one, requests are sealed with it, and nonces are of that epoch from the
    /// next number on. One renewal is told before there is another.
    fn renew(&mut self, now: Instant, epoch: u8, secret: &[u8; 32]) {
        // Epochs are counted in a byte.
        let is_later = epoch.wrapping_sub(self.secret.epoch).cast_signed() > 0;
        if !is_later || self.renewal.is_some() {
            self.renew_at = now + SECRET_AGAIN;
            return;
        }
        let Some(secret) = self.secret.renewed(epoch, secret) else { return };
        self.before = Some(core::mem::replace(&mut self.secret, secret));
        self.renew_at = now + SECRET_AGE_MAX;
        self.renewal = Some(Renewal { from: self.book.end(), epoch });
    }

    /// Takes for lost what is.
    fn judge(&mut self, now: Instant, objects: &mut Objects, stats: &mut ClientStats, config: &ClientConfig) {
        self.reordering.age(now, self.rtt.all());
        let learned = self.reordering;
        let reordering = if config.learns_reordering { learned } else { learned.fixed(config.reordering_packets) };
        let (sent, reverse) = (&mut self.sent, &mut self.reverse);
        self.book.advance(now, &reordering, &self.rtt, |count| {
            stats.lost += 1;
            sent.lost(count);
            if let Some(toll) = sent.settle(count, |asked| objects.over(asked)) {
                reverse.note(toll.released, toll.lost);
            }
        });
        if !self.timeouts.is_wanted {
            // The answer to a timeout is not taken where the line before went on, and its losses are not judged.
            let wait = self.awaited().timeout();
            self.sent.give_up_strays(self.strand, now, wait, |asked| objects.over(asked));
        }
    }

    /// Says that nothing more will be asked for, if it can.
    pub(super) const fn close(&mut self) {
        self.closing.begin();
    }

    /// Whether a server has answered more than its set-up.
    pub(super) const fn was_answered(&self) -> bool {
        self.was_answered
    }

    /// Whether that was said.
    pub(super) const fn is_closing(&self) -> bool {
        self.closing.has_begun()
    }

    /// Time has passed: goes on with a puzzle.
    pub(super) fn handle_timeout(&mut self) {
        if let Some(Solving { puzzle, seal, progress, .. }) = &mut self.solving
            && let Progress::Tried(from) = *progress
        {
            *progress = match puzzle.solve(seal, from, PUZZLE_TRIES_PER_SLICE) {
                Ok(solution) => Progress::Solved(solution),
                Err(next) => Progress::Tried(next),
            };
        }
    }

    /// The next datagram to send, and whether it is the last.
    pub(super) fn transmit(&mut self, buf: &mut [u8], mut context: Context<'_>) -> (Option<Transmit>, bool) {
        if !self.is_closing() {
            return (self.next(buf, &mut context), false);
        }
        if self.book.spendable().is_some() {
            return (self.spend(buf, &mut context, true), true);
        }
        // All is under way: the next packet brings something to say it with.
        let is_over = self.closing.is_over(context.now, self.awaited().timeout());
        (None, is_over || !self.sent.is_waiting())
    }

    fn next(&mut self, buf: &mut [u8], context: &mut Context<'_>) -> Option<Transmit> {
        let now = context.now;
        if let Some(to) = self.last_to.filter(|_| self.again > 0) {
            self.again -= 1;
            context.stats.repeated += 1;
            buf[..self.last.len()].copy_from_slice(&self.last);
            return Some(transmit(to, self.last.len()));
        }
        if let Unasked::Until(until) = self.unasked {
            if now < until {
                return None;
            }
            self.unasked = Unasked::No;
            self.sent.give_up(|asked| context.objects.over(asked));
        }
        self.judge(now, context.objects, context.stats, context.config);
        if context.objects.is_done() {
            self.timeouts.armed = None;
            return None;
        }
        let wants = context.objects.wants(now);
        if !(wants || self.sent.is_waiting()) {
            self.timeouts.armed = None;
            return None;
        }
        let armed = *self.timeouts.armed.get_or_insert(now);
        if self.needs_line(now, wants) && !self.timeouts.is_wanted {
            return self.time_out(buf, context);
        }
        if self.may_spend(now, wants)
            && self.pacer.next() <= now
            && let Some(transmit) = self.spend(buf, context, false)
        {
            return Some(transmit);
        }
        if !self.timeouts.is_probed && now >= armed + self.awaited().probe() && self.sent.is_waiting() {
            self.timeouts.is_probed = true;
            if self.may_spend(now, true) {
                // There is something to ask with: the tail is asked for again, and what is lost of it shows.
                self.sent.give_up(|asked| context.objects.over(asked));
                context.objects.wants(now);
                self.timeouts.armed = Some(now);
                return self.spend(buf, context, false);
            }
            // A connection that began with packets that nobody asked for may have sent no request yet.
            if self.last_to.is_some() {
                self.again = 1;
                if let Some(last) = self.sent.last_mut() {
                    last.is_repeated = true;
                }
                return self.next(buf, context);
            }
        }
        if now >= self.timeouts.at(armed, self.awaited()) {
            if self.timeouts.unanswered > 0 {
                // A server that was started again is there at once; its list may tell other ways to it alone.
                context.replicas.move_on();
            }
            return self.time_out(buf, context);
        }
        None
    }

    /// The round trip to the server whose answer is waited for longest.
    fn awaited(&self) -> &RoundTrip {
        self.sent.waits_for().map_or(self.rtt.all(), |request| self.rtt.to(request.server))
    }

    /// Whether a continuation can be spent now, but for the pace.
    fn may_spend(&self, now: Instant, wants: bool) -> bool {
        let may_ask = wants && !self.needs_line(now, wants) && self.sent.has_room();
        may_ask && self.slow_start.lets(self.book.under_way()) && self.book.spendable().is_some()
    }

    /// When there is something to do, if nothing comes.
    pub(super) fn deadline(&self, now: Instant, objects: &mut Objects) -> Option<Instant> {
        if self.is_closing() {
            return self.closing.due(now);
        }
        if self.again > 0 || self.solving.is_some_and(|solving| matches!(solving.progress, Progress::Tried(_))) {
            return Some(now);
        }
        if let Unasked::Until(until) = self.unasked {
            return Some(until);
        }
        if objects.is_done() {
            return None;
        }
        let wants = objects.wants(now);
        let paced = self.may_spend(now, wants).then(|| self.pacer.next());
        let is_due = (wants || self.sent.is_waiting()) && self.needs_line(now, wants);
        let line = (is_due && !self.timeouts.is_wanted).then(|| self.timeouts.next_at().map_or(now, |at| at.max(now)));
        let armed = self.timeouts.armed.filter(|_| wants || self.sent.is_waiting());
        // While a line is needed nothing else is done but to ask for it.
        let probe = armed
            .filter(|_| line.is_none() && !self.timeouts.is_probed && self.sent.is_waiting())
            .map(|armed| armed + self.awaited().probe());
        let timeout = armed.map(|armed| self.timeouts.at(armed, self.awaited()));
        [paced, line, probe, timeout, self.book.judge_at(), objects.deadline(now)].into_iter().flatten().min()
    }

    /// Spends the next continuation.
    fn spend(&mut self, buf: &mut [u8], context: &mut Context<'_>, is_last: bool) -> Option<Transmit> {
        let now = context.now;
        if self.slow_start.ends(self.book.unspent()) || self.book.is_idle_in_part() {
            self.book.cut();
        }
        let (held, release) = loop {
            match self.book.prove(&mut self.proof)? {
                (_, Worth::Nothing) => self.book.let_go(),
                (_, Worth::Untold) => {
                    self.stuck = Some(Stuck::Untold);
                    return if self.timeouts.is_wanted { None } else { self.time_out(buf, context) };
                }
                (held, Worth::Packets(release)) => break (held, release),
            }
        };
        let solved = match context.objects.puzzle(now) {
            Some((object, puzzle)) => Some((object, self.solution(object, puzzle, &held)?)),
            None => None,
        };
        if self.renewal.is_some_and(|renewal| renewal.epoch == held.continuation.keying.epoch) {
            self.renewal = None;
        }
        let released = release.numbers.end - release.numbers.start;
        // A loss alone gives tags that only servers know.
        let foresees_tags = release.root.growth == held.continuation.root.growth && self.proof.story().lost.is_empty();
        let capacity = self.capacity(released, &held, foresees_tags, context);
        let capacity = Capacity { following: self.book.following(), ..capacity };
        let (server, to) = context.replicas.next(now);
        let asking = Asking { request: self.count, server, sent: now };
        let mut request = Request::new(asking, self.secret.epoch, &held.continuation, release);
        request.strand = self.strand;
        let len = self.write(buf, (&held, Kind::Spend), &mut request, context, |objects, writer, asked| {
            objects.write(now, writer, capacity, solved, asked);
            if is_last {
                let _ = Ask::Close.emit(writer);
            }
        })?;
        self.solving = None;
        let (released, is_twice) =
            (request.released(), context.config.repeats_requests && self.reverse.next_is_twice());
        request.is_twice = is_twice;
        self.book.spend(&request.release, asking);
        self.sent.push(request);
        self.book.settle(self.sent.shown_from(self.strand));
        let pace = Pace { window: self.book.window(), doubles: self.book.is_in_slow_start() };
        self.pacer.sent(now, released, self.rtt.all().smoothed(), pace);
        self.again = u32::from(is_twice);
        self.keep(buf, len, to);
        Some(transmit(to, len))
    }

    /// What the packets have room for that are released with `held`. If all of what fits is asked for, and no more,
    /// they are of one length, and leave together.
    fn capacity(&self, packets: u64, held: &Held, foresees_tags: bool, context: &Context<'_>) -> Capacity {
        let Context { config, objects, .. } = context;
        let given = match config.delta_encoding {
            true => {
                let (tags, issuer) =
                    (if foresees_tags { 0 } else { TAGS }, if self.has_several_issuers { ISSUER } else { 0 });
                Given::LEN + tags + issuer
            }
            false => Given::whole_len(&held.continuation) + GROWTH,
        };
        let len = config.datagram_len;
        let around =
            ResponseHeader::LEN + self.armor.tag_len() + given - (Armor::Sealed.proof_len() - self.armor.proof_len());
        let each = len - around - Tell::data_overhead(objects.reach(packets * len as u64), len);
        Capacity { packets, each: each as u64, following: 0 }
    }

    /// Writes a request that presents `held`, seals it, and answers how long it is.
    fn write(
        &mut self,
        buf: &mut [u8],
        (held, kind): (&Held, Kind),
        request: &mut Request,
        context: &mut Context<'_>,
        ask: impl FnOnce(&mut Objects, &mut Writer<'_>, &mut List),
    ) -> Option<usize> {
        let now = context.now;
        let (armor, tag_len) = (self.armor, self.armor.tag_len());
        let header = RequestHeader { armor, epoch: self.secret.epoch, id: self.id, count: self.count };
        let most = context.config.datagram_len.min(buf.len());
        let mut writer = Writer::new(&mut buf[..most - tag_len]);
        header.emit(&mut writer).ok()?;
        let renewal = self.renewal.filter(|renewal| renewal.from > held.last());
        request.keying = held.continuation.keying.renewed(renewal);
        let names_place = matches!(kind, Kind::Timeout { moved_from: Some(_), .. });
        let demand = Demand {
            kind,
            renewal,
            wants_secret: self.secret.is_here() && now >= self.renew_at && self.renewal.is_none(),
            datagram_len: if names_place { DATAGRAM_LEN_MIN } else { context.config.datagram_len },
            held: Rtt::of(now.since(held.since)),
            continuation: held.continuation,
            seal: held.seal,
        };
        demand.emit(armor, &self.proof, &mut writer).ok()?;
        ask(context.objects, &mut writer, &mut request.asked);
        if names_place {
            // To a new address a server sends three bytes for each that came, in datagrams of that length.
            pad(&mut writer, DATAGRAM_LEN_MIN - tag_len);
        } else if writer.position() + tag_len + PADDING_MAX >= context.pad_to {
            pad(&mut writer, context.pad_to.saturating_sub(tag_len));
        }
        let len = writer.position() + tag_len;
        request.seal = match armor {
            Armor::Sealed => self.secret.seal(&header, &mut buf[..len]),
            Armor::Plain => [0; TAG_LEN],
        };
        self.count += 1;
        context.stats.requests += 1;
        Some(len)
    }

    fn keep(&mut self, buf: &[u8], len: usize, to: SocketAddr) {
        self.last.clear();
        self.last.extend_from_slice(&buf[..len]);
        self.last_to = Some(to);
    }

    /// The solution of a puzzle for a continuation, if there is one: otherwise it is looked for.
    fn solution(&mut self, object: ObjectId, puzzle: Puzzle, held: &Held) -> Option<Solution> {
        let known = self
            .solving
            .filter(|solving| (solving.object, solving.puzzle, solving.seal) == (object, puzzle, held.seal));
        let solving = known.unwrap_or(Solving { object, puzzle, seal: held.seal, progress: Progress::Tried(0) });
        self.solving = Some(solving);
        if let Progress::Solved(solution) = solving.progress { Some(solution) } else { None }
    }

    /// What there is to say of it.
    pub(super) fn fill(&self, stats: &mut ClientStats) {
        stats.window = self.book.window();
        stats.rtt = self.rtt.all().smoothed().unwrap_or_default();
        stats.rtt_min = self.rtt.all().least().unwrap_or_default();
        stats.cuts = self.book.cuts_counted;
        stats.cuts_taken_back = self.book.cuts_taken_back;
        stats.reverse_loss = self.reverse.share();
        stats.reordering_packets = self.reordering.threshold();
    }
}

/// Makes what is written as long as that, if there is room. A server takes zeros for the end of what is asked.
fn pad(writer: &mut Writer<'_>, to: usize) {
    while writer.position() < to && writer.u8(0).is_ok() {}
}

fn transmit(remote: SocketAddr, len: usize) -> Transmit {
    Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len }
}
