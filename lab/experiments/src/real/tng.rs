//! Transfers by tng itself: the driver, the sockets and the hosts that everybody uses.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tng::help::HelperTarget;
use tng::{Access, Connection, Endpoint, HostConfig, ReadError, ServiceOptions, Target, Ticket, UdpSocket, Via};
use tng_congestion::UnknownController;
use tng_emulator::Network;
use tng_emulator::transfer::{Amount, Origin, Span, Tally, Transfer, TransferFigures};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Made, Ready, RealError, Row};
use crate::peers::transport::tell;
use crate::settings::Settings;

/// Where hosts listen, and where those without encryption do.
const PORT: u16 = 4860;
const WEAK_PORT: u16 = 4861;
/// The service and protocol of every stream.
const SERVICE: (&str, &str) = ("transfer", "bytes");
/// Bytes that are written and read at once.
pub(crate) const CHUNK: usize = 128 * 1024;
/// How often it is looked whether all has been read.
const LOOK: Duration = Duration::from_millis(1);
/// What each stream begins with: the number of its transfer.
const NUMBER_BYTES: usize = 4;

/// tng on the sockets of the system.
pub(super) static ROW: Row = Row {
    name: "tng",
    ready: |network, transfers| Hosts::start(network, transfers, false),
    tell: |settings, part, controller| tell(settings, part, controller, false),
};
/// The same with a checksum in place of encryption.
pub(super) static WEAK: Row = Row {
    name: "tng-weak",
    ready: |network, transfers| Hosts::start(network, transfers, true),
    tell: |settings, part, controller| tell(settings, part, controller, true),
};

/// What a host is with a controller of this name; `weak`: with a checksum in place of encryption.
fn config(controller: &str, weak: bool) -> Result<HostConfig, RealError> {
    let controller = controller.parse().map_err(|error: UnknownController| RealError::Host(error.to_string()))?;
    Ok(HostConfig { controller, danger_weak: weak, auto_accept: false, ..HostConfig::new(Access::Public) })
}

fn tell(settings: &mut Settings, part: &str, controller: &str, weak: bool) {
    config(controller, weak).iter().for_each(|config| tell::host(settings, part, config));
}

/// Hosts that are ready, each on its node, and what they are to transfer.
struct Hosts {
    runtime: Runtime,
    hosts: BTreeMap<usize, Host>,
    transfers: Vec<Transfer>,
    /// The helpers that they go by way of.
    via: Vec<Via>,
    watch: Watch,
}

struct Host {
    endpoint: Endpoint,
    ticket: Ticket,
    controller: String,
}

/// What receivers have, by number of the transfer.
type Tallies = Arc<Vec<Mutex<Tally>>>;

/// The connection of a transfer that goes by way of relays, for those who look at it while it lasts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<Option<(Endpoint, Connection)>>>);

impl Watch {
    /// The connection and its client, once it has begun.
    pub(crate) fn look(&self) -> Option<(Endpoint, Connection)> {
        lock(&self.0).clone()
    }
}

/// A host of a transfer from one node to another: what it is set to, where it is and on which socket.
pub(crate) struct Seat {
    pub(crate) config: HostConfig,
    pub(crate) node: usize,
    pub(crate) socket: Arc<UdpSocket>,
}

/// A socket of a host at the address of a node of that place among its own.
///
/// # Errors
/// If the system refuses it.
pub(crate) fn socket(
    network: &Network,
    runtime: &Runtime,
    node: usize,
    address: usize,
) -> Result<Arc<UdpSocket>, RealError> {
    let place = &network.topology().nodes[node];
    let ip = *place.addresses.get(address).ok_or_else(|| RealError::Router(place.name.clone()))?;
    bind(network, runtime, node, SocketAddr::new(ip, PORT))
}

/// A socket of a host at whatever addresses a node has, now and later.
///
/// # Errors
/// If the system refuses it.
pub(crate) fn socket_anywhere(network: &Network, runtime: &Runtime, node: usize) -> Result<Arc<UdpSocket>, RealError> {
    bind(network, runtime, node, SocketAddr::from(([0; 4], PORT)))
}

/// What the hosts of a transfer run on.
///
/// # Errors
/// If the system refuses threads.
pub(crate) fn runtime() -> Result<Runtime, RealError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().map_err(RealError::System)
}

/// One transfer between two hosts, by way of these helpers. What they give it is asked for before it begins.
///
/// # Errors
/// If a host cannot be made, or a helper gives nothing.
pub(crate) fn helped(
    runtime: Runtime,
    transfer: Transfer,
    seats: [Seat; 2],
    helpers: &[HelperTarget],
    watch: &Watch,
) -> Result<Box<dyn Ready>, RealError> {
    let mut hosts = BTreeMap::new();
    for Seat { config, node, socket } in seats {
        hosts.insert(node, Host::on(&runtime, HostConfig { auto_accept: false, ..config }, socket)?);
    }
    let endpoint = &hosts[&transfer.from].endpoint;
    let ask = async |helper: &HelperTarget| {
        endpoint.via(helper).await.map_err(|error| RealError::Host(format!("asking {} for help: {error}", helper.eid)))
    };
    let mut via = Vec::new();
    for helper in helpers {
        via.push(runtime.block_on(ask(helper))?);
    }
    let transfers = vec![transfer];
    Ok(Box::new(Hosts { runtime, hosts, transfers, via, watch: watch.clone() }))
}

/// A socket of a host on a node, at this address.
///
/// # Errors
/// If the system refuses it.
pub(crate) fn bind(
    network: &Network,
    runtime: &Runtime,
    node: usize,
    address: SocketAddr,
) -> Result<Arc<UdpSocket>, RealError> {
    let socket = network.run(node, || {
        let _inside = runtime.enter();
        UdpSocket::bind(address)
    });
    socket.and_then(|socket| socket).map(Arc::new).map_err(RealError::System)
}

impl Hosts {
    /// A host on every node that transfers need; `weak`: with a checksum in place of encryption.
    fn start(network: &Network, transfers: Vec<Transfer>, weak: bool) -> Made {
        let runtime = runtime()?;
        let mut hosts = BTreeMap::new();
        for node in transfers.iter().flat_map(|transfer| [transfer.from, transfer.to]) {
            if hosts.contains_key(&node) {
                continue;
            }
            let named = transfers.iter().filter(|transfer| transfer.from == node);
            let controller = named.filter_map(|transfer| transfer.controller.as_deref()).next().unwrap_or("cubic");
            let place = &network.topology().nodes[node];
            let ip = *place.addresses.first().ok_or_else(|| RealError::Router(place.name.clone()))?;
            let address = SocketAddr::new(ip, if weak { WEAK_PORT } else { PORT });
            let socket = bind(network, &runtime, node, address)?;
            hosts.insert(node, Host::on(&runtime, config(controller, weak)?, socket)?);
        }
        Ok(Box::new(Hosts { runtime, hosts, transfers, via: Vec::new(), watch: Watch::default() }))
    }
}

impl Ready for Hosts {
    fn run(self: Box<Self>, _: &Network, origin: Origin, span: Span) -> Vec<TransferFigures> {
        let figures = self.runtime.block_on(self.carry(origin, span));
        let Hosts { runtime, hosts, .. } = *self;
        drop(hosts);
        runtime.shutdown_background();
        figures
    }
}

impl Host {
    fn on(runtime: &Runtime, config: HostConfig, socket: Arc<UdpSocket>) -> Result<Host, RealError> {
        let controller = config.controller.to_string();
        let builder = Endpoint::builder().socket(socket).configure(|usual| *usual = config).listen(
            SERVICE.0,
            SERVICE.1,
            ServiceOptions::default(),
        );
        let endpoint = runtime.block_on(builder.build()).map_err(|error| RealError::Host(error.to_string()))?;
        let ticket = endpoint.ticket().map_err(|error| RealError::Host(error.to_string()))?;
        Ok(Host { endpoint, ticket, controller })
    }
}

impl Hosts {
    async fn carry(&self, origin: Origin, span: Span) -> Vec<TransferFigures> {
        let Hosts { hosts, transfers, via, watch, .. } = self;
        let tally = |transfer: &Transfer| Mutex::new(Tally::new(origin, span, transfer.start));
        let tallies: Tallies = Arc::new(transfers.iter().map(tally).collect());
        let mut receivers = JoinSet::new();
        for host in hosts.values() {
            receivers.spawn(accept(host.endpoint.clone(), Arc::clone(&tallies)));
        }
        let connections: BTreeMap<(usize, usize), OnceCell<Connection>> =
            transfers.iter().map(|transfer| ((transfer.from, transfer.to), OnceCell::new())).collect();
        let connections = Arc::new(connections);
        let mut senders = JoinSet::new();
        for (number, transfer) in transfers.iter().enumerate() {
            let from = hosts[&transfer.from].endpoint.clone();
            let to = Target { via: via.clone(), ..Target::from(&hosts[&transfer.to].ticket) };
            let watch = watch.clone();
            let (transfer, connections) = (transfer.clone(), Arc::clone(&connections));
            senders.spawn(async move {
                let sending = send(number, &transfer, &connections, &from, &to, origin, &watch);
                // At the limit everything ends, and that is no failure.
                let sent = timeout(origin.until(span.limit), sending).await.unwrap_or(Ok(()));
                let connection = connections.get(&(transfer.from, transfer.to)).and_then(OnceCell::get);
                (number, sent.err(), connection.and_then(Connection::stats))
            });
        }
        let mut ended = Vec::new();
        while let Some(sent) = senders.join_next().await {
            // A sender that panicked has no figures; the receiver's stand.
            ended.extend(sent);
        }
        // A sender is done when the other host has everything; its application may still have to read it.
        let sent = |ended: &(usize, Option<String>, _)| ended.1.is_none();
        let unread = || ended.iter().filter(|one| sent(one)).any(|(number, ..)| !lock(&tallies[*number]).has_ended());
        while unread() && !origin.until(span.limit).is_zero() {
            tokio::time::sleep(LOOK).await;
        }
        receivers.shutdown().await;
        let mut figures: Vec<TransferFigures> = tallies.iter().map(|tally| lock(tally).figures()).collect();
        for (one, transfer) in figures.iter_mut().zip(transfers) {
            one.controller.clone_from(&hosts[&transfer.from].controller);
        }
        for (number, failure, stats) in ended {
            let one = &mut figures[number];
            one.failure = failure;
            if let Some(stats) = stats {
                let us = |time: Duration| Some(time.as_nanos() as f64 / 1e3);
                one.rtt_smoothed_us = us(stats.regulation.rtt.smoothed());
                one.rtt_min_us = us(stats.regulation.rtt.min());
                one.retransmitted = Some(stats.channel.lost);
            }
        }
        figures
    }
}

/// Starts when the time has come, and writes; ends when everything has arrived.
async fn send(
    number: usize,
    transfer: &Transfer,
    connections: &BTreeMap<(usize, usize), OnceCell<Connection>>,
    from: &Endpoint,
    to: &Target,
    origin: Origin,
    watch: &Watch,
) -> Result<(), String> {
    tokio::time::sleep(origin.until(transfer.start)).await;
    let connection = connections[&(transfer.from, transfer.to)]
        .get_or_try_init(|| async {
            let dialled = from.dial(to.clone()).map_err(|error| error.to_string())?;
            let connection = dialled.connection().clone();
            *lock(&watch.0) = Some((from.clone(), connection.clone()));
            // What becomes of it, streams see.
            tokio::spawn(async move { dialled.await.map(drop) });
            Ok::<_, String>(connection)
        })
        .await?;
    let mut stream = connection.open(SERVICE.0, SERVICE.1).await.map_err(|error| error.to_string())?;
    let failed = |error: tng::WriteError| error.to_string();
    stream.write_all(&(number as u32).to_le_bytes()).await.map_err(failed)?;
    let pattern = pattern();
    let write = async |stream: &mut tng::Stream, bytes: u64| {
        let mut written = 0;
        while written < bytes {
            let at = (written % PATTERN_LEN as u64) as usize;
            let now = CHUNK.min(usize::try_from(bytes - written).unwrap_or(usize::MAX));
            stream.write_all(&pattern[at..at + now]).await?;
            written += now as u64;
        }
        Ok::<_, tng::WriteError>(())
    };
    match transfer.amount {
        Amount::Bytes(bytes) => write(&mut stream, bytes).await.map_err(failed)?,
        Amount::Forever => write(&mut stream, u64::MAX).await.map_err(failed)?,
        Amount::For(time) => {
            let writing = timeout(origin.until(transfer.start + time), write(&mut stream, u64::MAX));
            writing.await.unwrap_or(Ok(())).map_err(failed)?;
        }
    }
    stream.finish().await.map_err(failed)
}

/// Bytes after which what is sent begins anew: a prime, so that no packet, page or chunk is as long.
pub(crate) const PATTERN_LEN: usize = 65_537;

/// What is sent, and a chunk more of it from the start.
pub(crate) fn pattern() -> Vec<u8> {
    let byte = |at: usize| ((at % PATTERN_LEN) as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0];
    (0..PATTERN_LEN + CHUNK).map(byte).collect()
}

/// Lets everybody in, and counts what they send.
async fn accept(endpoint: Endpoint, tallies: Tallies) {
    let mut connections = JoinSet::new();
    while let Some(incoming) = endpoint.accept().await {
        let tallies = Arc::clone(&tallies);
        connections.spawn(async move {
            let Ok(connection) = incoming.accept().await else { return };
            let mut streams = JoinSet::new();
            while let Ok(incoming) = connection.accept().await {
                streams.spawn(receive(incoming.stream, Arc::clone(&tallies)));
            }
        });
    }
}

async fn receive(mut stream: tng::Stream, tallies: Tallies) -> Result<(), ReadError> {
    let mut number = [0; NUMBER_BYTES];
    let mut have = 0;
    while have < NUMBER_BYTES {
        match stream.read(&mut number[have..]).await? {
            0 => return Ok(()),
            bytes => have += bytes,
        }
    }
    let Some(tally) = tallies.get(u32::from_le_bytes(number) as usize) else { return Ok(()) };
    let (pattern, mut at) = (pattern(), 0);
    while let Some(chunk) = stream.read_chunk(CHUNK).await? {
        // What is not what was sent does not count, nor what follows.
        if chunk[..] != pattern[at..at + chunk.len()] {
            return Ok(());
        }
        at = (at + chunk.len()) % PATTERN_LEN;
        lock(tally).count(chunk.len());
    }
    lock(tally).end();
    Ok(())
}

/// Nobody panics while counting.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
