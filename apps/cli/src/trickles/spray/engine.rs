//! The sockets of a sprayer: one that clients send to; one for each client, from which its datagrams go on, so that
//! what replicas answer is known to be for it; and one for each replica, for pings. All are driven by one thread, which
//! shares nothing with others but figures.

use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tng::relay::Network;
use tng::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, SEND_MAX, Socket, UdpSocket};
use tng_base::{Instant, Transmit};
use tng_trickles::InstanceName;
use tng_trickles::wire::{Denial, INIT, PLAIN_RESPONSE, RESPONSE, ResponseHeader};
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, spawn_local};

use super::table::Table;
use super::turns::{Asker, Turns};
use crate::clock;
use crate::daemon::lines::shown;
use crate::talk::Talk;
use crate::trickles::journal::Journal;

/// How often each replica is pinged: so long it takes at most until one that was killed is known to be gone, or back.
pub const PING_EVERY: Duration = Duration::from_millis(50);
/// Buffers, of half a MiB each, that are in use at once: where a link takes nothing more, further clients' datagrams
/// wait in the system's.
pub const BUFFERS_MAX: usize = 32;
/// How often it is looked who has been silent for too long.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// A ping: nobody reads this first byte, and a port says so (docs/wire.md, UNSERVED).
const PING: [u8; 2] = [0xdf, 0];
/// Where a response that is a denial differs from all others, in clear.
const INDEX_AT: usize = 1 + 4 + InstanceName::LEN + 4;

/// What a sprayer does.
#[derive(Clone, Debug)]
pub struct SprayConfig {
    /// Where clients send to.
    pub listen: SocketAddr,
    /// The replicas.
    pub to: Vec<SocketAddr>,
    /// Clients at once.
    pub clients: usize,
    /// After so much silence a client is forgotten.
    pub idle: Duration,
    /// Networks of the clients that are served; none: all.
    pub allow: Vec<Network>,
}

/// Figures of a replica.
#[derive(Debug, Default)]
pub struct ReplicaFigures {
    /// Datagrams that went there.
    pub sent: AtomicU64,
    /// Datagrams that came from there.
    pub answered: AtomicU64,
    /// How often it was passed over.
    pub passed_over: AtomicU64,
    /// Whether it is.
    pub is_passed_over: AtomicBool,
}

/// Figures of a sprayer.
#[derive(Debug, Default)]
pub struct Figures {
    /// Clients that are there.
    pub clients: AtomicU64,
    /// All that ever were.
    pub clients_all: AtomicU64,
    /// Those that made room for others.
    pub made_room: AtomicU64,
    /// Datagrams of those for whom there was no room, or no socket.
    pub no_room: AtomicU64,
    /// Datagrams of those who are not allowed.
    pub not_allowed: AtomicU64,
    /// Datagrams that could not be sent on.
    pub unsent: AtomicU64,
    /// Datagrams at a client's socket that no replica sent.
    pub strange: AtomicU64,
    /// Responses that were denials.
    pub denials: AtomicU64,
    /// Bytes to replicas, and back.
    pub bytes: [AtomicU64; 2],
    /// By replica.
    pub replicas: Vec<ReplicaFigures>,
}

impl Figures {
    /// Of so many replicas.
    pub fn new(replicas: usize) -> Figures {
        Figures { replicas: (0..replicas).map(|_| ReplicaFigures::default()).collect(), ..Figures::default() }
    }
}

fn add(to: &AtomicU64, more: usize) {
    to.fetch_add(more as u64, Ordering::Relaxed);
}

/// What is kept for a client.
struct Upstream {
    socket: Rc<UdpSocket>,
    /// The address that it has asked, from which it is answered.
    local: Option<SocketAddr>,
    asker: Asker,
    /// Bytes to replicas and back.
    bytes: [u64; 2],
    reader: AbortHandle,
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// The place of a client.
enum Placed {
    /// It had it.
    Before(usize),
    /// It was given it now, and this socket with it.
    Now(usize, Rc<UdpSocket>),
}

/// All that the tasks of the engine share, on its thread.
struct Core {
    config: SprayConfig,
    origin: std::time::Instant,
    listen: UdpSocket,
    table: RefCell<Table<Upstream>>,
    turns: RefCell<Turns>,
    /// Buffers that nobody uses now, and how many more may be in use.
    buffers: RefCell<Vec<Box<[u8]>>>,
    buffers_left: Semaphore,
    figures: Arc<Figures>,
    journal: Option<Journal>,
    talk: Talk,
}

/// An engine that is ready.
#[derive(Clone)]
pub struct Engine(Rc<Core>);

impl Engine {
    /// Listens. Must be called on the thread that [runs](Engine::run) it, in its runtime.
    ///
    /// # Errors
    /// What the system says of the address.
    pub fn bind(
        config: SprayConfig,
        figures: Arc<Figures>,
        journal: Option<Journal>,
        talk: Talk,
    ) -> io::Result<Engine> {
        let listen = UdpSocket::bind(config.listen)?;
        let (table, turns) = (RefCell::new(Table::new(config.clients)), RefCell::new(Turns::new(config.to.len())));
        let (origin, buffers, buffers_left) = (clock::now(), RefCell::default(), Semaphore::new(BUFFERS_MAX));
        let core = Core { config, origin, listen, table, turns, buffers, buffers_left, figures, journal, talk };
        Ok(Engine(Rc::new(core)))
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.listen.local_addr()
    }

    /// Sprays, for ever. To be called within a `LocalSet`.
    ///
    /// # Errors
    /// If nothing can be waited for any more.
    pub async fn run(self) -> io::Result<()> {
        for which in 0..self.0.config.to.len() {
            spawn_local(self.clone().ping(which));
        }
        spawn_local(self.clone().sweep());
        let mut received = [Received::default(); RECEIVE_BATCH];
        let mut buffer = self.0.buffer();
        loop {
            std::future::poll_fn(|cx| self.0.listen.poll_readable(cx)).await?;
            // What is wrong with a client's port, which is what else can be told here, is that client's matter.
            while let Ok(count) = self.0.listen.try_receive(&mut buffer, &mut received) {
                let now = self.0.now();
                for (received, bytes) in received[..count].iter().zip(buffer.chunks(RECEIVE_BUFFER)) {
                    self.forward(now, received, &bytes[..received.len]).await;
                }
            }
        }
    }

    /// Has what a client sent go on, each datagram to the replica whose turn it is.
    async fn forward(&self, now: Instant, received: &Received, bytes: &[u8]) {
        let (core, size) = (&self.0, received.segment_size.max(1));
        let (place, fresh) = match self.place(now, received) {
            Some(Placed::Before(place)) => (place, None),
            Some(Placed::Now(place, socket)) => (place, Some(socket)),
            None => return,
        };
        if let Some(socket) = fresh {
            // One that was just made has not been told yet that it can send.
            let _ = std::future::poll_fn(|cx| socket.poll_writable(cx)).await;
        }
        let (mut table, mut turns) = (core.table.borrow_mut(), core.turns.borrow_mut());
        let Some(held) = table.at(place) else { return };
        (held.last, held.kept.local) = (now, received.local);
        for datagram in bytes.chunks(size) {
            let which = match datagram.first() {
                Some(&INIT) => turns.home(place, now),
                _ => turns.next(now, &mut held.kept.asker),
            };
            let len = datagram.len();
            let remote = core.config.to[which];
            let transmit = Transmit { remote, local: None, ecn: received.ecn, len, segment_size: len };
            match held.kept.socket.try_send(&transmit, datagram) {
                Ok(()) => add(&core.figures.replicas[which].sent, 1),
                Err(_) => add(&core.figures.unsent, 1),
            }
            held.kept.bytes[0] += len as u64;
            add(&core.figures.bytes[0], len);
            if turns.falls_silent(which, now) {
                core.tell(which, true);
            }
        }
    }

    /// The place of a client, a new one if it has none and there is room.
    fn place(&self, now: Instant, received: &Received) -> Option<Placed> {
        let (core, client) = (&self.0, received.remote);
        let mut table = core.table.borrow_mut();
        if let Some(place) = table.find(client) {
            return Some(Placed::Before(place));
        }
        let datagrams = received.len.div_ceil(received.segment_size.max(1));
        let allow = &core.config.allow;
        if !allow.is_empty() && !allow.iter().any(|network| network.contains(client.ip())) {
            add(&core.figures.not_allowed, datagrams);
            return None;
        }
        let Some((place, gone)) = table.room(now) else {
            add(&core.figures.no_room, datagrams);
            return None;
        };
        if let Some(gone) = gone {
            add(&core.figures.made_room, 1);
            core.note(gone.client, "made_room", gone.kept.bytes);
        }
        let Ok(socket) = core.upstream().map(Rc::new) else {
            table.give_back(place);
            add(&core.figures.no_room, datagrams);
            core.figures.clients.store(table.len() as u64, Ordering::Relaxed);
            return None;
        };
        let reader = spawn_local(self.clone().read(place, client, Rc::clone(&socket))).abort_handle();
        let (asker, fresh) = (Asker::default(), Rc::clone(&socket));
        let kept = Upstream { socket, local: received.local, asker, bytes: [0; 2], reader };
        table.enter(place, client, now, kept);
        add(&core.figures.clients_all, 1);
        core.figures.clients.store(table.len() as u64, Ordering::Relaxed);
        core.note(client, "begun", [0; 2]);
        Some(Placed::Now(place, fresh))
    }

    /// Brings a client what replicas answer, in the batches in which it comes.
    async fn read(self, place: usize, client: SocketAddr, socket: Rc<UdpSocket>) {
        let core = &self.0;
        let mut received = [Received::default(); RECEIVE_BATCH];
        loop {
            if std::future::poll_fn(|cx| socket.poll_readable(cx)).await.is_err() {
                return;
            }
            // Never closed.
            let Ok(_permit) = core.buffers_left.acquire().await else { return };
            let mut buffer = core.buffer();
            while let Ok(count) = socket.try_receive(&mut buffer, &mut received) {
                let now = core.now();
                for (received, bytes) in received[..count].iter().zip(buffer.chunks(RECEIVE_BUFFER)) {
                    if let Some(local) = self.heard(now, place, received, &bytes[..received.len]) {
                        core.answer((client, local), received, &bytes[..received.len]).await;
                    }
                }
            }
            core.buffers.borrow_mut().push(buffer);
        }
    }

    /// Takes note of what came for a client. The address to answer it from; nothing if no replica has sent that.
    fn heard(&self, now: Instant, place: usize, received: &Received, bytes: &[u8]) -> Option<Option<SocketAddr>> {
        let core = &self.0;
        let Some(which) = core.config.to.iter().position(|replica| *replica == received.remote) else {
            add(&core.figures.strange, 1);
            return None;
        };
        if core.turns.borrow_mut().answered(which, false) {
            core.tell(which, false);
        }
        let mut table = core.table.borrow_mut();
        let held = table.at(place)?;
        held.last = now;
        held.kept.bytes[1] += bytes.len() as u64;
        let (mut datagrams, mut denials) = (0, 0);
        for datagram in bytes.chunks(received.segment_size.max(1)) {
            datagrams += 1;
            if !matches!(datagram.first(), Some(&(RESPONSE | PLAIN_RESPONSE))) || datagram.len() < ResponseHeader::LEN {
                continue;
            }
            // Somebody asked for it who could open the REPLY.
            held.is_proven = true;
            match datagram[INDEX_AT] {
                Denial::INDEX => {
                    denials += 1;
                    held.kept.asker.denied(which, now);
                }
                _ => held.kept.asker.granted(which),
            }
        }
        add(&core.figures.replicas[which].answered, datagrams);
        add(&core.figures.denials, denials);
        add(&core.figures.bytes[1], bytes.len());
        Some(held.kept.local)
    }

    /// Pings a replica, and hears whether it is there.
    async fn ping(self, which: usize) {
        let core = &self.0;
        let mut ticks = tokio::time::interval(PING_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut buf = [0; 64];
        loop {
            // Of a socket that is connected the system says when nobody is there.
            let socket = match core.connected(which).await {
                Ok(socket) => socket,
                Err(error) => {
                    tracing::warn!(replica = %core.config.to[which], "no socket for pings: {error}");
                    ticks.tick().await;
                    continue;
                }
            };
            loop {
                tokio::select! {
                    _ = ticks.tick() => {
                        let now = core.now();
                        if socket.send(&PING).await.is_err_and(|error| is_refusal(&error)) {
                            core.refused(which);
                        }
                        let mut turns = core.turns.borrow_mut();
                        turns.pinged(which, now);
                        if turns.falls_silent(which, now) {
                            core.tell(which, true);
                        }
                    }
                    heard = socket.recv(&mut buf) => match heard {
                        Ok(_) if core.turns.borrow_mut().answered(which, true) => core.tell(which, false),
                        Ok(_) => {}
                        Err(error) if is_refusal(&error) => core.refused(which),
                        // The network has changed, perhaps: another socket.
                        Err(_) => break,
                    },
                }
            }
            ticks.tick().await;
        }
    }

    /// Forgets clients that have been silent for too long.
    async fn sweep(self) {
        let core = &self.0;
        loop {
            tokio::time::sleep(SWEEP_EVERY.min(core.config.idle)).await;
            let mut table = core.table.borrow_mut();
            table.sweep(core.now(), core.config.idle, |gone| core.note(gone.client, "ended", gone.kept.bytes));
            core.figures.clients.store(table.len() as u64, Ordering::Relaxed);
        }
    }
}

impl Core {
    fn now(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn buffer(&self) -> Box<[u8]> {
        let kept = self.buffers.borrow_mut().pop();
        kept.unwrap_or_else(|| vec![0; RECEIVE_BATCH * RECEIVE_BUFFER].into_boxed_slice())
    }

    /// Any address of this host, from which all replicas are reached.
    fn anywhere(&self) -> SocketAddr {
        match self.config.to.iter().any(SocketAddr::is_ipv6) {
            true => SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), 0),
            false => SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0),
        }
    }

    fn upstream(&self) -> io::Result<UdpSocket> {
        UdpSocket::bind(self.anywhere())
    }

    async fn connected(&self, which: usize) -> io::Result<tokio::net::UdpSocket> {
        let replica = self.config.to[which];
        let any = match replica {
            SocketAddr::V4(_) => SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0),
            SocketAddr::V6(_) => SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), 0),
        };
        let socket = tokio::net::UdpSocket::bind(any).await?;
        socket.connect(replica).await?;
        Ok(socket)
    }

    fn refused(&self, which: usize) {
        if self.turns.borrow_mut().refused(which, self.now()) {
            self.tell(which, true);
        }
    }

    /// Sends a client a batch, in pieces as large as the system takes.
    async fn answer(&self, (remote, local): (SocketAddr, Option<SocketAddr>), received: &Received, bytes: &[u8]) {
        let size = received.segment_size.max(1);
        let most = (SEND_MAX / size).clamp(1, self.listen.segments_max().max(1));
        for piece in bytes.chunks(size * most) {
            let transmit = Transmit { remote, local, ecn: received.ecn, len: piece.len(), segment_size: size };
            if self.send(&transmit, piece).await {
                continue;
            }
            // A link that takes no batches.
            for datagram in piece.chunks(size).filter(|_| piece.len() > size) {
                let len = datagram.len();
                if !self.send(&Transmit { len, segment_size: len, ..transmit }, datagram).await {
                    add(&self.figures.unsent, 1);
                }
            }
        }
    }

    async fn send(&self, transmit: &Transmit, bytes: &[u8]) -> bool {
        loop {
            match self.listen.try_send(transmit, bytes) {
                Ok(()) => return true,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if std::future::poll_fn(|cx| self.listen.poll_writable(cx)).await.is_err() {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
    }

    /// Says that a replica is passed over from now on, or is there again.
    fn tell(&self, which: usize, is_passed_over: bool) {
        let (figures, replica) = (&self.figures.replicas[which], self.config.to[which]);
        figures.is_passed_over.store(is_passed_over, Ordering::Relaxed);
        let (words, name) = match is_passed_over {
            true => {
                add(&figures.passed_over, 1);
                ("does not answer, and is passed over", "passed_over")
            }
            false => ("is there again", "back"),
        };
        self.talk.note(format_args!("{replica} {words}"), name, &json!({ "replica": replica.to_string() }));
    }

    fn note(&self, client: SocketAddr, event: &str, bytes: [u64; 2]) {
        if let Some(journal) = &self.journal {
            let [to, back] = bytes;
            journal.note(json!({ "event": event, "client": shown(client), "bytes_to": to, "bytes_back": back }));
        }
    }
}

fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}
