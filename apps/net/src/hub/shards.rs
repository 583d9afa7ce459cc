//! An endpoint of several threads: what its shards share, and what one does for the others
//! (docs/decisions/0023-a-thread-has-a-host-of-its-own.md).
//!
//! A shard is a hub with a host, a driver and a socket of its own; a connection stays in one. What is here is touched
//! when a connection is set up or ends, once in a turn of a driver to compare figures, and by packets that the system
//! brought to another thread than their id names.

mod answered;
mod board;
mod peers;
mod sessions;

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use core::task::Waker;
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::Arc;

use tng_base::{Datagram, Ecn, Input, Instant, Machine};
use tng_endpoint::{Punch, Reached};
use tng_flow::Origin;
use tng_stack::{Elsewhere, GivesWay, IdSpace, Word};

use super::Hub;
use crate::handover::{HandedOver, Handover};
use answered::Answered;
use board::Board;
use peers::PeerParts;
use sessions::Sessions;

/// Bytes that may wait to be taken by another thread; what is beyond is lost, as in a socket that is full.
pub const HANDED_OVER_MAX: usize = 4 * 1024 * 1024;

/// What an item takes up in the queue beside its bytes.
const ITEM_COST: usize = 128;

/// The others are told of memory in this part of what there may be, so that they need not look at each change.
const MEMORY_STEPS: u64 = 256;

/// What the shards of an endpoint share.
#[derive(Debug)]
pub(crate) struct Shards {
    queues: Box<[Handover<Handed>]>,
    figures: Box<[Figures]>,
    sessions: Sessions,
    peers: Board<PeerParts>,
    answered: Answered,
    handed: AtomicU64,
    dropped: AtomicU64,
}

/// What a shard holds, on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Figures {
    residents: AtomicUsize,
    half_open: AtomicUsize,
    sessions: AtomicUsize,
    memory: AtomicU64,
    kept: AtomicUsize,
    gives_way: AtomicU64,
    /// When it said so, in microseconds.
    said_at_us: AtomicU64,
    wants_room: AtomicBool,
}

impl Figures {
    fn new() -> Figures {
        Figures {
            residents: AtomicUsize::new(0),
            half_open: AtomicUsize::new(0),
            sessions: AtomicUsize::new(0),
            memory: AtomicU64::new(0),
            kept: AtomicUsize::new(0),
            gives_way: AtomicU64::new(GivesWay::NOBODY.0),
            said_at_us: AtomicU64::new(0),
            wants_room: AtomicBool::new(false),
        }
    }
}

/// What a thread says of who gives way counts for so long: one that stands still is left out.
pub const SAID_FOR: Duration = Duration::from_millis(250);

/// What one thread hands to another.
#[derive(Debug)]
enum Handed {
    Packets {
        remote: SocketAddr,
        local: Option<SocketAddr>,
        ecn: Ecn,
        segment_size: usize,
        bytes: Vec<u8>,
    },
    /// The end of a packet that nobody knows there: it may reset a channel here, or a section of a flow.
    Token([u8; 16]),
    /// A PUNCH that names no introduction there.
    Punch(Origin, Punch),
    /// A host that was introduced there was heard of.
    Reached(Reached),
}

impl Handed {
    fn cost(&self) -> usize {
        ITEM_COST + if let Handed::Packets { bytes, .. } = self { bytes.len() } else { 0 }
    }
}

/// Packets that one thread of an endpoint has handed to another, because their ids name that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HandedCounters {
    /// Batches that were taken.
    pub handed: u64,
    /// Batches that were lost, since the other thread had too many.
    pub dropped: u64,
}

impl Shards {
    /// For so many, who share so much memory.
    pub(crate) fn new(of: u8, memory_max: u64) -> Arc<Shards> {
        Arc::new(Shards {
            queues: (0..of).map(|_| Handover::new(HANDED_OVER_MAX)).collect(),
            figures: (0..of).map(|_| Figures::new()).collect(),
            sessions: Sessions::default(),
            peers: Board::new(PeerParts::new(of, memory_max), of),
            answered: Answered::new(),
            handed: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        })
    }

    /// What was handed over.
    pub(crate) fn counters(&self) -> HandedCounters {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        HandedCounters { handed: read(&self.handed), dropped: read(&self.dropped) }
    }

    /// What all but one hold.
    fn elsewhere(&self, here: u8, now: Instant) -> Elsewhere {
        let others = self.figures.iter().enumerate().filter(|(at, _)| *at != usize::from(here));
        others.fold(Elsewhere::default(), |sum, (_, figures)| {
            let said = Instant::ZERO + Duration::from_micros(figures.said_at_us.load(Ordering::Relaxed));
            let gives_way = GivesWay(figures.gives_way.load(Ordering::Relaxed));
            let lately = now < said + SAID_FOR;
            let gives_way = if lately { gives_way } else { GivesWay::NOBODY };
            let kept = figures.kept.load(Ordering::Relaxed);
            Elsewhere {
                residents: sum.residents + figures.residents.load(Ordering::Relaxed),
                half_open: sum.half_open + figures.half_open.load(Ordering::Relaxed),
                sessions: sum.sessions + figures.sessions.load(Ordering::Relaxed),
                memory: sum.memory + figures.memory.load(Ordering::Relaxed),
                kept: sum.kept + kept,
                kept_most: sum.kept_most.max(kept),
                gives_way: sum.gives_way.min(gives_way),
                wants_room: sum.wants_room || lately && figures.wants_room.load(Ordering::Relaxed),
            }
        })
    }

    fn publish(&self, here: u8, now: Instant, held: Elsewhere) {
        let figures = &self.figures[usize::from(here)];
        figures.residents.store(held.residents, Ordering::Relaxed);
        figures.half_open.store(held.half_open, Ordering::Relaxed);
        figures.sessions.store(held.sessions, Ordering::Relaxed);
        figures.memory.store(held.memory, Ordering::Relaxed);
        figures.kept.store(held.kept, Ordering::Relaxed);
        figures.gives_way.store(held.gives_way.0, Ordering::Relaxed);
        figures.wants_room.store(held.wants_room, Ordering::Relaxed);
        figures.said_at_us.store(now.since(Instant::ZERO).as_micros() as u64, Ordering::Relaxed);
    }

    /// All others are to have a turn.
    fn call_others(&self, here: u8, wakers: &mut Vec<Waker>) {
        let others = self.queues.iter().enumerate().filter(|(at, _)| *at != usize::from(here));
        wakers.extend(others.filter_map(|(_, queue)| queue.call()));
    }

    /// Hands something over; gives it back if the other is gone.
    fn push(&self, to: u8, item: Handed, wakers: &mut Vec<Waker>) -> Option<Handed> {
        let cost = item.cost();
        match self.queues[usize::from(to)].push(item, cost) {
            HandedOver::Taken(driver) => {
                self.handed.fetch_add(1, Ordering::Relaxed);
                wakers.extend(driver);
            }
            HandedOver::Full => drop(self.dropped.fetch_add(1, Ordering::Relaxed)),
            HandedOver::Gone(item) => return Some(item),
        }
        None
    }
}

/// One shard's part.
#[derive(Debug)]
pub(crate) struct Shard {
    space: IdSpace,
    shared: Arc<Shards>,
    /// What was taken from the queue. Kept for its memory.
    handed: Vec<Handed>,
    /// The others were called to look at what all hold without a channel.
    called_for_kept: bool,
    /// How many answered INITs its host knows, of those of all threads.
    answered: u64,
}

impl Shard {
    pub(crate) fn new(space: IdSpace, shared: &Arc<Shards>) -> Shard {
        Shard { space, shared: Arc::clone(shared), handed: Vec::new(), called_for_kept: false, answered: 0 }
    }
}

impl Hub {
    /// Takes packets, or hands them to the shard that their ids name.
    pub(super) fn take_packets(&mut self, now: Instant, datagram: Datagram<'_>, wakers: &mut Vec<Waker>) {
        let Some(shard) = &self.shard else { return self.port.handle_input(now, Input::Datagram(datagram)) };
        let (space, shared) = (shard.space, Arc::clone(&shard.shared));
        let Datagram { remote, local, ecn, segment_size, payload: mut rest } = datagram;
        let segment_size = segment_size.max(1);
        let owner = |rest: &[u8]| space.named_in(&rest[..segment_size.min(rest.len())]).unwrap_or(space.shard());
        while !rest.is_empty() {
            // What goes to the same in a row stays together.
            let (to, mut end) = (owner(rest), segment_size.min(rest.len()));
            while end < rest.len() && owner(&rest[end..]) == to {
                end = (end + segment_size).min(rest.len());
            }
            let (payload, others) = rest.split_at_mut(end);
            rest = others;
            if to == space.shard() {
                let datagram = Datagram { remote, local, ecn, segment_size, payload };
                self.port.handle_input(now, Input::Datagram(datagram));
                continue;
            }
            let item = Handed::Packets { remote, local, ecn, segment_size, bytes: payload.to_vec() };
            // Its peers learn here that it is gone.
            if let Some(item) = shared.push(to, item, wakers) {
                self.take_item(now, item);
            }
        }
    }

    fn take_item(&mut self, now: Instant, item: Handed) {
        match item {
            Handed::Packets { remote, local, ecn, segment_size, mut bytes } => {
                let datagram = Datagram { remote, local, ecn, segment_size, payload: &mut bytes };
                self.port.handle_input(now, Input::Datagram(datagram));
            }
            Handed::Token(token) => {
                self.host_mut().handle_token(now, &token);
                if let Some(helper) = self.relay_mut() {
                    helper.handle_token(now, &token);
                }
            }
            Handed::Punch(origin, punch) => self.host_mut().handle_punch_for(now, origin, &punch),
            Handed::Reached(reached) => self.host_mut().handle_reached(now, &reached),
        }
    }

    /// Takes what others have handed over; the driver is woken by what they do from now on. Answers whether there is
    /// some.
    pub(super) fn take_handed_over(&mut self, driver: &Waker) -> bool {
        let Some(shard) = &mut self.shard else { return false };
        let called = shard.shared.queues[usize::from(shard.space.shard())].take(driver, &mut shard.handed);
        called || !shard.handed.is_empty()
    }

    /// A turn begins: looks at what others hold, and does what they have handed over.
    pub(super) fn begin_shard_turn(&mut self, now: Instant, wakers: &mut Vec<Waker>) {
        let Some(shard) = &mut self.shard else { return };
        let (here, shared, mut handed) = (shard.space.shard(), &shard.shared, core::mem::take(&mut shard.handed));
        let host = &mut self.port.tenants_mut().0;
        let told = shared.peers.take(here.into(), |peers, news| peers.tell(here, now, host, news));
        for other in told.into_iter().flatten() {
            wakers.extend(shared.queues[other].call());
        }
        shared.answered.catch_up(&mut shard.answered, |init| host.handle_answered(init));
        host.handle_elsewhere(now, shared.elsewhere(here, now));
        for item in handed.drain(..) {
            self.take_item(now, item);
        }
        if let Some(shard) = &mut self.shard {
            shard.handed = handed;
        }
    }

    /// A turn ends: tells the others what there is to tell. Answers whether to poll the host again.
    pub(super) fn end_shard_turn(&mut self, now: Instant, wakers: &mut Vec<Waker>) -> bool {
        let Some(shard) = &mut self.shard else { return false };
        let (here, shared, host) = (shard.space.shard(), &shard.shared, &mut self.port.tenants_mut().0);
        let mut again = false;
        while let Some(word) = host.poll_word() {
            match word {
                Word::Peer(peer, bytes) => {
                    let held = host.held_of(peer);
                    let elsewhere = shared.peers.write(|peers, news| peers.change(here, peer, bytes, held, news));
                    host.set_peer_elsewhere(peer, elsewhere);
                }
                Word::Answered(init) => shared.answered.note(init),
                Word::Welcome(peer) => {
                    let most = host.config().connections_per_peer;
                    if let Some(crowded) = shared.peers.write(|peers, news| peers.welcome(peer, most, news)) {
                        // It may be this one.
                        wakers.extend(shared.queues[crowded].call());
                    }
                }
                Word::Session(peer, session) => shared.sessions.enter((peer, session), here),
                Word::Over(peer, session) => shared.sessions.leave((peer, session), here),
                Word::Stray(stray) => match shared.sessions.elsewhere(stray.session(), here) {
                    Some(other) => {
                        let origin = stray.origin();
                        let bytes = stray.into_packet();
                        let (remote, local, ecn, segment_size) = (origin.remote, origin.local, origin.ecn, bytes.len());
                        shared.push(other, Handed::Packets { remote, local, ecn, segment_size, bytes }, wakers);
                    }
                    None => {
                        host.decline_stray(now, *stray);
                        again = true;
                    }
                },
                Word::Token(token) => {
                    for other in (0..shard.space.of()).filter(|other| *other != here) {
                        shared.push(other, Handed::Token(token), wakers);
                    }
                }
                Word::Punch(origin, punch) => {
                    for other in (0..shard.space.of()).filter(|other| *other != here) {
                        shared.push(other, Handed::Punch(origin, punch), wakers);
                    }
                }
                Word::Reached(reached) => {
                    for other in (0..shard.space.of()).filter(|other| *other != here) {
                        shared.push(other, Handed::Reached(reached), wakers);
                    }
                }
            }
        }
        let (mut held, step) = (host.held(now), (host.config().memory_max / MEMORY_STEPS).max(1));
        held.memory = held.memory.div_ceil(step) * step;
        shared.publish(here, now, held);
        let too_much_kept = held.kept + shared.elsewhere(here, now).kept > host.config().keep.bytes_max;
        let calls = too_much_kept && !shard.called_for_kept;
        shard.called_for_kept = too_much_kept;
        if host.calls_siblings() || calls {
            shared.call_others(here, wakers);
        }
        again
    }

    /// The driver is gone: what is handed to it comes back, and it holds nothing.
    pub(super) fn leave_shards(&mut self) {
        let Some(shard) = &self.shard else { return };
        let here = shard.space.shard();
        shard.shared.queues[usize::from(here)].close();
        shard.shared.publish(here, Instant::ZERO, Elsewhere::default());
        shard.shared.peers.write(|peers, news| peers.leave(here, news));
        shard.shared.sessions.leave_all(here);
    }
}

#[cfg(test)]
mod tests;
