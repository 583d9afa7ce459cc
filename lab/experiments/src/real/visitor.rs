//! Clients in the process of the lab, each on a socket of its own, of servers that are processes of their own: over
//! Trickles, whose client is the machine that everybody has, and over the kernel's TCP, by HTTP. All of a thread have
//! one runtime, and are where the thread is.

use core::cell::Cell;
use core::fmt::Display;
use core::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tng::Identity;
use tng::trickles::{ClientConfig, Policy};
use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, Output, Rng};
use tng_emulator::Network;
use tng_emulator::transfer::Origin;
use tng_services::files::SafePath;
use tng_services::stateless::{Asking, What};
use tng_trickles::client::{Client, ClientStats, Event, ObjectId, Options, Read, Replicas};
use tng_trickles::set_up::{AddressToken, Call};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::task::LocalSet;
use tokio::time;

use super::RealError;

/// Bytes of the most that a client sends at once.
const BATCH_MAX: usize = 24_000;
/// Most bytes of a datagram that comes.
const DATAGRAM_MAX: usize = 2_048;
/// Bytes that are read at once.
const PIECE: usize = 8 << 10;
/// Bytes of the longest head of an answer.
const HEAD_MAX: usize = 4_096;
/// A client that has nothing to wait for looks around so often.
const REST: Duration = Duration::from_secs(10);

/// Does something on a node with a runtime of one thread, which is there, and waits for it.
///
/// # Errors
/// No more threads.
pub(crate) fn inside<T: Send, F: Future<Output = T>>(
    network: &Network,
    node: usize,
    act: impl FnOnce() -> F + Send,
) -> Result<T, RealError> {
    let ran = network.run(node, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(LocalSet::new().block_on(&runtime, act()))
    });
    ran.and_then(|ran| ran).map_err(RealError::System)
}

/// From whom files are fetched, and how.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Servers that keep nothing.
    Stateless(Keepless),
    /// An HTTP server.
    Http(SocketAddr),
}

/// Servers that keep nothing, and how clients turn to them.
#[derive(Clone, Debug)]
pub(crate) struct Keepless {
    pub(crate) eid: Eid,
    pub(crate) places: Vec<SocketAddr>,
    pub(crate) policy: Policy,
    /// What clients are set to.
    pub(crate) config: ClientConfig,
    /// Whether what is asked for rides in the first datagram. If not, it waits for the connection.
    pub(crate) first_data: bool,
    /// What has shown the address of a client in its last connection, and does in the next: of one client alone.
    pub(crate) token: Arc<Mutex<Option<AddressToken>>>,
}

impl Keepless {
    /// Those at these places, for a client of its own: asked in the first datagram, as by default.
    pub(crate) fn new((eid, places): (Eid, Vec<SocketAddr>), config: ClientConfig) -> Keepless {
        Keepless { eid, places, policy: Policy::Stay, config, first_data: true, token: Arc::default() }
    }
}

/// A file that is fetched.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// What it is called.
    pub(crate) name: String,
    /// What has to come.
    pub(crate) bytes: Arc<[u8]>,
    /// How much a client holds at most that nobody has read; what the kernel or the library have by default if it is
    /// none.
    pub(crate) buffer: Option<u32>,
    /// How many bytes a second are read at most; all that come if it is none.
    pub(crate) pace: Option<u64>,
}

impl Wanted {
    /// How long it takes at its pace.
    pub(crate) fn takes(&self) -> Option<Duration> {
        self.due(self.bytes.len())
    }

    /// How long after the beginning so many bytes are read, at its pace.
    fn due(&self, bytes: usize) -> Option<Duration> {
        self.pace.map(|pace| Duration::from_secs_f64(bytes as f64 / pace.max(1) as f64))
    }
}

/// A client under way.
pub(crate) struct Visitor {
    carrier: Carrier,
    wanted: Wanted,
    /// How much was read.
    at: usize,
    /// Bytes that have come, in whatever order, for others to look at. The kernel tells of those in order alone.
    came: Rc<Cell<u64>>,
}

enum Carrier {
    Stateless(Box<Stateless>),
    Http(Http),
}

/// Why nothing comes any more, in words.
pub(crate) type Failure = String;

fn told(error: impl Display) -> Failure {
    error.to_string()
}

impl Visitor {
    /// Begins to fetch a file from its byte `at` on, from an address of the node, on a connection of its own.
    ///
    /// # Errors
    /// If there is no socket, or nobody to connect to.
    pub(crate) async fn begin(
        source: &Source,
        wanted: Wanted,
        from: IpAddr,
        at: usize,
        rng: &mut Rng,
    ) -> Result<Visitor, Failure> {
        let carrier = match source {
            Source::Stateless(servers) => {
                Carrier::Stateless(Box::new(Stateless::begin(servers, &wanted, from, at, rng).await?))
            }
            Source::Http(to) => Carrier::Http(Http::begin(*to, &wanted, from, at).await?),
        };
        Ok(Visitor { carrier, wanted, at, came: Rc::default() })
    }

    /// Reads what has come, and compares it: how much it was; 0 at the end.
    ///
    /// # Errors
    /// If nothing comes any more, or a byte is another.
    pub(crate) async fn read(&mut self) -> Result<usize, Failure> {
        let mut piece = [0; PIECE];
        let room = match self.wanted.buffer {
            Some(buffer) => PIECE.min(buffer as usize / 2),
            None => PIECE,
        };
        let count = match &mut self.carrier {
            Carrier::Stateless(stateless) => stateless.read(&mut piece[..room], &self.came).await?,
            Carrier::Http(http) => {
                let count = http.read(&mut piece[..room]).await?;
                add(&self.came, count as u64);
                count
            }
        };
        match self.wanted.bytes.get(self.at..self.at + count) {
            Some(right) if right == &piece[..count] => self.at += count,
            Some(_) => return Err(format!("a byte is another; from {} on", self.at)),
            None => return Err("it is longer than it should be".to_owned()),
        }
        match count {
            0 if self.at < self.wanted.bytes.len() => Err(format!("it ends too soon; at {}", self.at)),
            count => Ok(count),
        }
    }

    /// Goes on for so long with what it has asked for, and reads nothing.
    ///
    /// # Errors
    /// If it cannot go on.
    pub(crate) async fn rest(&mut self, time: Duration) -> Result<(), Failure> {
        match &mut self.carrier {
            Carrier::Stateless(stateless) => stateless.rest(time, &self.came).await,
            Carrier::Http(_) => {
                time::sleep(time).await;
                Ok(())
            }
        }
    }

    /// Leaves its socket to others until it reads again: then its server sees it at another port. One of TCP keeps it.
    pub(crate) fn leave(&mut self) {
        if let Carrier::Stateless(stateless) = &mut self.carrier {
            stateless.socket = None;
        }
    }

    /// How much was read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What its machine has done, if it has one.
    pub(crate) fn stats(&self) -> Option<ClientStats> {
        match &self.carrier {
            Carrier::Stateless(stateless) => Some(stateless.client.stats()),
            Carrier::Http(_) => None,
        }
    }

    /// Says that it has all, where a server wants to know that.
    pub(crate) fn end(self) {
        if let Carrier::Stateless(mut stateless) = self.carrier {
            *stateless.token.lock().unwrap_or_else(PoisonError::into_inner) = stateless.client.token();
            stateless.client.close();
            // Only a hint.
            let _ = stateless.pump();
        }
    }
}

fn add(came: &Cell<u64>, bytes: u64) {
    came.set(came.get() + bytes);
}

/// Fetches a whole file on a connection of its own, at its pace; what comes is counted when it comes: a hole that fills
/// would have all that waits behind it count at once otherwise.
///
/// # Errors
/// As those of [`Visitor::read`].
pub(crate) async fn fetch(
    source: &Source,
    wanted: Wanted,
    from: IpAddr,
    rng: &mut Rng,
    came: &Rc<Cell<u64>>,
) -> Result<(), Failure> {
    let (mut visitor, began) = (Visitor::begin(source, wanted, from, 0, rng).await?, Origin::now());
    visitor.came = Rc::clone(came);
    while visitor.read().await? > 0 {
        if let Some(due) = visitor.wanted.due(visitor.at) {
            visitor.rest(due.saturating_sub(began.elapsed())).await?;
        }
    }
    visitor.end();
    Ok(())
}

/// A client of servers that keep nothing.
struct Stateless {
    /// None while it is silent and has left its socket to others.
    socket: Option<UdpSocket>,
    from: IpAddr,
    client: Client,
    /// What it asks for when it is connected.
    asks: Option<(Vec<u8>, Options)>,
    object: Option<ObjectId>,
    /// Where it leaves what shows its address.
    token: Arc<Mutex<Option<AddressToken>>>,
    began: Origin,
    rng: Rng,
}

impl Stateless {
    async fn begin(
        servers: &Keepless,
        wanted: &Wanted,
        from: IpAddr,
        at: usize,
        rng: &mut Rng,
    ) -> Result<Stateless, Failure> {
        let Keepless { eid, places, policy, config, first_data, token } = servers;
        let mut rng = rng.fork();
        let (identity, seed) = (Identity::from_seed(rng.bytes::<32>()), rng.bytes::<32>());
        let replicas = Replicas::new(places.clone(), *policy).ok_or("nobody to turn to")?;
        let known = *token.lock().unwrap_or_else(PoisonError::into_inner);
        let call = Call { token: known, ..Call::new(*eid) };
        let client = Client::connect(config.clone(), identity, call, replicas, seed, Instant::ZERO);
        let path = SafePath::parse(&wanted.name).map_err(told)?;
        let asking = Asking { what: What::File, start: at as u64, path }.to_bytes().map_err(told)?;
        let (size, usual) = (wanted.bytes.len() as u64, Options::default());
        let buffer = wanted.buffer.map_or(usual.buffer, u64::from);
        // Its end stands in it, too.
        let options = Options { reserve: size + 1, buffer, from: at as u64, ..usual };
        let (asks, began) = (Some((asking, options)), Origin::now());
        let token = Arc::clone(token);
        let mut stateless = Stateless { socket: None, from, client, asks, object: None, token, began, rng };
        stateless.come_back().await?;
        if *first_data {
            stateless.ask()?;
        }
        Ok(stateless)
    }

    /// Has a socket, if it has not.
    async fn come_back(&mut self) -> Result<(), Failure> {
        if self.socket.is_none() {
            let socket = std::net::UdpSocket::bind((self.from, 0)).map_err(told)?;
            socket.set_nonblocking(true).map_err(told)?;
            let socket = UdpSocket::from_std(socket).map_err(told)?;
            // Before that a send says that it would have to wait.
            socket.writable().await.map_err(told)?;
            self.socket = Some(socket);
        }
        Ok(())
    }

    /// Asks, if it has not.
    fn ask(&mut self) -> Result<(), Failure> {
        if let Some((asking, options)) = self.asks.take() {
            self.object = Some(self.client.ask(asking, options).map_err(told)?);
        }
        Ok(())
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    async fn read(&mut self, out: &mut [u8], came: &Cell<u64>) -> Result<usize, Failure> {
        self.come_back().await?;
        loop {
            match self.object.map(|object| self.client.read(object, out)) {
                Some(Read::Bytes(count)) => return Ok(count),
                Some(Read::End) => return Ok(0),
                Some(Read::Unknown) => return Err("the file is not known any more".to_owned()),
                Some(Read::Blocked) | None => {}
            }
            let deadline = self.pump()?;
            self.wait(deadline.unwrap_or_else(|| self.began.elapsed() + REST), came).await;
        }
    }

    async fn rest(&mut self, time: Duration, came: &Cell<u64>) -> Result<(), Failure> {
        let until = self.began.elapsed() + time;
        while self.began.elapsed() < until {
            let deadline = self.pump()?;
            self.wait(deadline.map_or(until, |at| at.min(until)), came).await;
        }
        Ok(())
    }

    /// Has the machine say what it has to say: when it wants to be asked again, after it began.
    fn pump(&mut self) -> Result<Option<Duration>, Failure> {
        let mut buf = [0; BATCH_MAX];
        loop {
            match self.client.poll_output(self.now(), &mut buf) {
                Output::Transmit(transmit) => {
                    for datagram in buf[..transmit.len].chunks(transmit.segment_size) {
                        // What the socket has no room for is lost, as it would be on the way. A server that is gone
                        // is told of by ICMP.
                        let _ = self.socket.as_ref().map(|socket| socket.try_send_to(datagram, transmit.remote));
                    }
                }
                Output::NeedsEntropy => {
                    let (now, mut entropy) = (self.now(), self.rng.bytes());
                    self.client.handle_input(now, Input::Entropy(&mut entropy));
                }
                Output::Event(Event::Failed(_, error)) => return Err(told(error)),
                Output::Event(Event::Ended(error)) => return Err(told(error)),
                Output::Event(Event::Connected) => self.ask()?,
                Output::Event(_) => {}
                Output::Timeout(deadline) => return Ok(deadline.map(|at| at.since(Instant::ZERO))),
            }
        }
    }

    /// Waits for what comes, or until then, and has the machine hear of it.
    async fn wait(&mut self, until: Duration, came: &Cell<u64>) {
        tokio::select! {
            biased;
            // Of a server that is gone it is told as well.
            _ = readable(self.socket.as_ref()) => self.take(came),
            () = time::sleep(self.began.until(until)) => self.client.handle_timeout(self.now()),
        }
    }

    fn take(&mut self, came: &Cell<u64>) {
        let (mut inbox, before) = ([0; DATAGRAM_MAX], self.client.stats().bytes);
        while let Some(Ok((len, remote))) = self.socket.as_ref().map(|socket| socket.try_recv_from(&mut inbox)) {
            let payload = &mut inbox[..len];
            let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size: len, payload };
            self.client.handle_input(self.now(), Input::Datagram(datagram));
        }
        add(came, self.client.stats().bytes - before);
    }
}

/// When something may have come; never without a socket.
async fn readable(socket: Option<&UdpSocket>) {
    match socket {
        Some(socket) => _ = socket.readable().await,
        None => core::future::pending().await,
    }
}

/// A client of an HTTP server.
struct Http {
    stream: TcpStream,
    /// What has come of the answer's head, and of what is behind it.
    head: Option<Vec<u8>>,
}

impl Http {
    async fn begin(to: SocketAddr, wanted: &Wanted, from: IpAddr, at: usize) -> Result<Http, Failure> {
        let socket = TcpSocket::new_v4().map_err(told)?;
        if let Some(buffer) = wanted.buffer {
            socket.set_recv_buffer_size(buffer).map_err(told)?;
        }
        socket.bind(SocketAddr::new(from, 0)).map_err(told)?;
        let mut stream = socket.connect(to).await.map_err(told)?;
        let range = if at > 0 { format!("Range: bytes={at}-\r\n") } else { String::new() };
        let asks = format!("GET /{} HTTP/1.1\r\nHost: server\r\n{range}Connection: close\r\n\r\n", wanted.name);
        stream.write_all(asks.as_bytes()).await.map_err(told)?;
        Ok(Http { stream, head: Some(Vec::new()) })
    }

    async fn read(&mut self, out: &mut [u8]) -> Result<usize, Failure> {
        while let Some(head) = &mut self.head {
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                let good = [&b"HTTP/1.1 200"[..], b"HTTP/1.1 206"].iter().any(|good| head.starts_with(good));
                if !good {
                    return Err(String::from_utf8_lossy(head).lines().next().unwrap_or_default().to_owned());
                }
                let rest = head.split_off(end + 4);
                self.head = None;
                if !rest.is_empty() {
                    out[..rest.len()].copy_from_slice(&rest);
                    return Ok(rest.len());
                }
                break;
            }
            let mut piece = [0; 512];
            // No more than there is room for, with what it has.
            let room = piece.len().min(out.len());
            match self.stream.read(&mut piece[..room]).await.map_err(told)? {
                0 => return Err("it ends before its head does".to_owned()),
                count => head.extend_from_slice(&piece[..count]),
            }
            if head.len() > HEAD_MAX {
                return Err("its head has no end".to_owned());
            }
        }
        self.stream.read(out).await.map_err(told)
    }
}
