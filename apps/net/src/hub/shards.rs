//! An endpoint of several threads: what its shards share, and what one does for the others
//! (docs/decisions/0023-a-thread-has-a-host-of-its-own.md).
//!
//! A shard is a hub with a host, a driver and a socket of its own; a connection stays in one. What is here is touched
//! when a connection is set up or ends, once in a turn of a driver to compare figures, and by packets that the system
//! brought to another thread than their id names.

mod peers;

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use core::task::Waker;
use core::time::Duration;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, SessionId};
use tng_stack::{Elsewhere, GivesWay, IdSpace, Word};

use super::Hub;
use crate::handover::{HandedOver, Handover};
use crate::sync::Mutex;
use peers::Peers;

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
    /// Who has which session. Its lock is taken under that of a shard, and nothing is locked under it.
    sessions: Mutex<BTreeMap<(Eid, SessionId), u8>>,
    peers: Mutex<Peers>,
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
    /// There is something for it about peers.
    news: AtomicBool,
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
            news: AtomicBool::new(false),
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
    /// The end of a packet that nobody knows there: it may reset a channel here.
    Token([u8; 16]),
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
            sessions: Mutex::default(),
            peers: Mutex::new(Peers::new(of, memory_max)),
            handed: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        })
    }

    /// What was handed over.
    pub(crate) fn counters(&self) -> HandedCounters {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        HandedCounters { handed: read(&self.handed), dropped: read(&self.dropped) }
    }

    fn has_session(&self, session: &(Eid, SessionId)) -> Option<u8> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(session).copied()
    }

    /// What all but one hold.
    fn elsewhere(&self, here: u8, now: Instant) -> Elsewhere {
        let others = self.figures.iter().enumerate().filter(|(at, _)| *at != usize::from(here));
        others.fold(Elsewhere::default(), |sum, (_, figures)| {
            let said = Instant::ZERO + Duration::from_micros(figures.said_at_us.load(Ordering::Relaxed));
            let gives_way = GivesWay(figures.gives_way.load(Ordering::Relaxed));
            let gives_way = if now < said + SAID_FOR { gives_way } else { GivesWay::NOBODY };
            let kept = figures.kept.load(Ordering::Relaxed);
            Elsewhere {
                residents: sum.residents + figures.residents.load(Ordering::Relaxed),
                half_open: sum.half_open + figures.half_open.load(Ordering::Relaxed),
                sessions: sum.sessions + figures.sessions.load(Ordering::Relaxed),
                memory: sum.memory + figures.memory.load(Ordering::Relaxed),
                kept: sum.kept + kept,
                kept_most: sum.kept_most.max(kept),
                gives_way: sum.gives_way.min(gives_way),
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
}

impl Shard {
    pub(crate) fn new(space: IdSpace, shared: &Arc<Shards>) -> Shard {
        Shard { space, shared: Arc::clone(shared), handed: Vec::new(), called_for_kept: false }
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
            Handed::Token(token) => self.host_mut().handle_token(now, &token),
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
    pub(super) fn begin_shard_turn(&mut self, now: Instant) {
        let Some(shard) = &mut self.shard else { return };
        let (here, shared, mut handed) = (shard.space.shard(), &shard.shared, core::mem::take(&mut shard.handed));
        let host = &mut self.port.tenants_mut().0;
        if shared.figures[usize::from(here)].news.swap(false, Ordering::Relaxed) {
            shared.peers.lock().unwrap_or_else(PoisonError::into_inner).tell(here, now, host);
        }
        host.handle_elsewhere(now, shared.elsewhere(here, now));
        for item in handed.drain(..) {
            self.take_item(now, item);
        }
        if let Some(shard) = &mut self.shard {
            shard.handed = handed;
        }
    }

    /// A turn ends: tells the others what there is to tell. Answers whether the host is to be polled again.
    pub(super) fn end_shard_turn(&mut self, now: Instant, wakers: &mut Vec<Waker>) -> bool {
        let Some(shard) = &mut self.shard else { return false };
        let (here, shared, host) = (shard.space.shard(), &shard.shared, &mut self.port.tenants_mut().0);
        let mut again = false;
        while let Some(word) = host.poll_word() {
            match word {
                Word::Peer(peer, bytes) => {
                    let held = host.held_of(peer);
                    let mut peers = shared.peers.lock().unwrap_or_else(PoisonError::into_inner);
                    host.set_peer_elsewhere(peer, peers.change(here, peer, bytes, held, &shared.figures));
                }
                Word::Welcome(peer) => {
                    let most = host.config().connections_per_peer;
                    let mut peers = shared.peers.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(crowded) = peers.welcome(peer, most) {
                        shared.figures[usize::from(crowded)].news.store(true, Ordering::Relaxed);
                        // It may be this one.
                        wakers.extend(shared.queues[usize::from(crowded)].call());
                    }
                }
                Word::Session(peer, session) => {
                    let mut sessions = shared.sessions.lock().unwrap_or_else(PoisonError::into_inner);
                    sessions.insert((peer, session), here);
                }
                Word::Over(peer, session) => {
                    let mut sessions = shared.sessions.lock().unwrap_or_else(PoisonError::into_inner);
                    sessions.remove(&(peer, session));
                }
                Word::Stray(stray) => match shared.has_session(&stray.session()).filter(|other| *other != here) {
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
            }
        }
        let (mut held, step) = (host.held(), (host.config().memory_max / MEMORY_STEPS).max(1));
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
        shard.shared.peers.lock().unwrap_or_else(PoisonError::into_inner).leave(here);
        shard.shared.sessions.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, shard| *shard != here);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use tng_stack::Target;

    use super::*;
    use crate::builder::Builder;
    use crate::connection::Connection;
    use crate::endpoint::Endpoint;
    use crate::serve::Request;
    use crate::threads::limits::{Writer, each, server, within};

    const MEMORY: u64 = 64 << 20;

    fn thread_of(before: &[usize], server: &Endpoint) -> usize {
        let now = residents(server);
        (0..now.len()).find(|at| now[*at] > before[*at]).expect("it came to one of them")
    }

    fn residents(server: &Endpoint) -> Vec<usize> {
        each(server).iter().map(|held| held.residents).collect()
    }

    /// A client whose connection is at another thread than `but`, and that thread.
    async fn elsewhere(server: &Endpoint, but: usize) -> (Writer, usize) {
        for who in 10.. {
            let before = residents(server);
            let writer = Writer::begin(server, who, true).await;
            let at = thread_of(&before, server);
            if at != but {
                return (writer, at);
            }
            writer.connection.close(0, "");
            within("its end", writer.connection.closed()).await;
            while residents(server)[at] > before[at] {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        unreachable!("addresses differ")
    }

    async fn asks(server: &Endpoint) -> (Endpoint, Connection) {
        let client = Endpoint::builder().bind(SocketAddr::from(([127, 0, 0, 1], 0))).build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
        let connection = within("a connection", client.connect(to)).await.expect("connected");
        (client, connection)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_left_alone_at_an_idle_thread_gives_way_before_what_is_in_use_at_another_though_a_third_stalls() {
        for threads in [3, 8] {
            let config = |builder: Builder| builder.memory_max(MEMORY).idle_timeout(Some(Duration::from_millis(300)));
            let server = server(threads, config).await;
            server.serve("echo", async |request: Request| request.into_body()).expect("a service");
            let none = residents(&server);
            let (_client, in_use) = asks(&server).await;
            assert_eq!(within("an answer", in_use.request("echo", "on")).await.expect("answered"), "on");
            let busy = thread_of(&none, &server);
            let (left, idle) = elsewhere(&server, busy).await;
            left.fall_silent();
            while each(&server)[idle].kept == 0 {
                assert_eq!(within("an answer", in_use.request("echo", "on")).await.expect("answered"), "on");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            // A third thread holds all that there may be, says that one of its own would go first, and then nothing.
            let third = (0..threads).find(|at| *at != busy && *at != idle).expect("there are three");
            let (begin, begun) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            let lock = Arc::clone(&server.shards()[third]);
            let stall = thread::spawn(move || {
                let hub = lock.lock();
                let shared = Arc::clone(&hub.shard.as_ref().expect("it has others").shared);
                begin.send(shared).expect("told");
                let _ = ended.recv();
                drop(hub);
            });
            let shared = begun.recv().expect("it stalls");
            let says = Elsewhere { memory: MEMORY, gives_way: GivesWay(0), ..Elsewhere::default() };
            shared.publish(third as u8, server.shards()[busy].clock().now(), says);
            let held = |at: usize| server.shards()[at].lock().host().accounting();
            let until = std::time::Instant::now() + Duration::from_secs(10);
            while held(idle).kept > 0 {
                assert_eq!(within("an answer", in_use.request("echo", "on")).await.expect("answered"), "on");
                assert!(std::time::Instant::now() < until, "nothing gives way");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            // It is all that does: who holds less than its part keeps what is in use.
            for _ in 0..30 {
                tokio::time::sleep(Duration::from_millis(10)).await;
                assert_eq!(within("an answer", in_use.request("echo", "on")).await.expect("answered"), "on");
            }
            end.send(()).expect("told");
            stall.join().expect("it ends");
            assert_eq!(within("an answer", in_use.request("echo", "on")).await.expect("answered"), "on");
        }
    }
}
