//! Limits are those of the endpoint, however many threads it has.

use core::future::Future;
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tng_stack::{Access, Accounting, Identity, Keep, MemoryShares, Target};

use tokio::net::UdpSocket;

use crate::builder::Builder;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::serve::Request;
use crate::stream::Stream;

const MIB: u64 = 1 << 20;

pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.unwrap_or_else(|_| panic!("{what} takes too long"))
}

pub(crate) async fn until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    within(what, wait).await;
}

pub(crate) fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// Lets everybody in, and reads nothing.
pub(crate) async fn server(threads: usize, change: impl FnOnce(Builder) -> Builder) -> Endpoint {
    let builder = Endpoint::builder().bind(loopback()).access(Access::Public).threads(threads);
    let builder = change(builder.listen("sink", "bytes", tng_stack::structured::ServiceOptions::default()));
    let server = builder.build().await.expect("bound");
    let accepting = server.clone();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Some(incoming) = accepting.accept().await {
            held.extend(incoming.accept().await);
        }
    });
    server
}

/// One of somebody's connections, which writes as much as it may.
pub(crate) struct Writer {
    client: Endpoint,
    /// Held open.
    pub(crate) connection: Connection,
    task: tokio::task::JoinHandle<()>,
}

impl Writer {
    pub(crate) async fn begin(server: &Endpoint, who: u8, keep_alive: bool) -> Writer {
        let builder = Endpoint::builder().bind(loopback()).identity(Identity::from_seed([who; 32]));
        let client = builder.keep_alive(keep_alive.then_some(Duration::from_millis(200))).build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
        let connection = within("a connection", client.connect(to)).await.expect("connected");
        let mut streams = Vec::new();
        for _ in 0..4 {
            streams.push(within("a stream", connection.open("sink", "bytes")).await.expect("opened"));
        }
        let write = async |mut stream: Stream| while stream.write_all(&[7; 65_536]).await.is_ok() {};
        let task = tokio::spawn(async move {
            let writers: Vec<_> = streams.into_iter().map(|stream| tokio::spawn(write(stream))).collect();
            for writer in writers {
                let _ = writer.await;
            }
        });
        Writer { client, connection, task }
    }

    /// Says nothing any more, not even that it goes.
    pub(crate) fn fall_silent(&self) {
        for shared in self.client.shards() {
            shared.lock().rebind(Arc::new(super::tests::Trap));
        }
    }
}

pub(crate) fn each(server: &Endpoint) -> Vec<Accounting> {
    server.shards().iter().map(|shared| shared.lock().host().accounting()).collect()
}

fn memory(server: &Endpoint) -> u64 {
    each(server).iter().map(|held| held.memory.0).sum()
}

fn kept(server: &Endpoint) -> usize {
    each(server).iter().map(|held| held.kept_bytes).sum()
}

/// Waits until what is held has been the same for a while.
async fn settled(server: &Endpoint) -> u64 {
    let mut before = (memory(server), 0);
    while before.1 < 15 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let held = memory(server);
        before = if held == before.0 { (held, before.1 + 1) } else { (held, 0) };
    }
    before.0
}

/// The threads that have a connection.
fn threads_in_use(server: &Endpoint) -> usize {
    each(server).iter().filter(|held| held.connections > 0).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_of_whom_nothing_is_read_holds_no_more_of_several_threads_than_of_one() {
    let (most, connections) = (64 * MIB, 16);
    let shares = MemoryShares::of(most, 64 + 64);
    for threads in [1, 2, 3, 8] {
        let config = |builder: Builder| {
            builder.memory_max(most).connections_max(64).configure(|config| config.half_open_max = 64)
        };
        let server = server(threads, config).await;
        let mut writers = Vec::new();
        for _ in 0..connections {
            writers.push(Writer::begin(&server, 1, true).await);
        }
        let held = settled(&server).await;
        assert!(threads == 1 || threads_in_use(&server) > 1, "by their addresses");
        // What each is guaranteed comes on top, and what threads tell each other a little late.
        let slack = connections as u64 * (2 * shares.guaranteed + tng_stack::CONNECTION_COST) + 2 * MIB;
        let bound = shares.unread_max + slack;
        assert!(held <= bound, "{threads} threads hold {held} of one peer, {bound} are allowed");
        assert!(held > shares.unread_max / 2, "{threads} threads: {held}, it gets what it may");
        for writer in &writers {
            writer.task.abort();
        }
        within("its end", server.close()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_kept_of_peers_that_are_gone_is_bounded_for_all_threads_together() {
    let most = 2 * MIB as usize;
    for threads in [2, 3, 8] {
        let keep = Keep { bytes_max: most, bytes_per_peer: most, ..Keep::default() };
        let config = |builder: Builder| {
            builder.keep(keep).idle_timeout(Some(Duration::from_millis(400))).stream_window(256 << 10)
        };
        let server = server(threads, config).await;
        let mut writers = Vec::new();
        for who in 0..12 {
            writers.push(Writer::begin(&server, who, true).await);
        }
        let held = settled(&server).await;
        assert!(held > 2 * most as u64 && threads_in_use(&server) > 1, "{threads} threads hold {held}");
        for writer in &writers {
            writer.fall_silent();
        }
        let (mut longest, mut largest) = (0, 0);
        for _ in 0..60 {
            tokio::time::sleep(Duration::from_millis(25)).await;
            (longest, largest) =
                (longest.max(each(&server).iter().map(|held| held.kept).sum()), largest.max(kept(&server)));
        }
        assert!(longest > 1, "some are kept");
        let left = kept(&server);
        assert!(left <= most, "{threads} threads keep {left} of {largest}, {most} are allowed");
        assert!(left > most / 4, "{threads} threads: {left}, no more are given up than must");
    }
}

/// Passes one client's datagrams on, and keeps its first.
async fn listening_relay(server: SocketAddr) -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
    let (front, back) =
        (UdpSocket::bind(loopback()).await.expect("bound"), UdpSocket::bind(loopback()).await.expect("bound"));
    let (addr, first) = (front.local_addr().expect("bound"), Arc::<Mutex<Vec<u8>>>::default());
    let kept = Arc::clone(&first);
    tokio::spawn(async move {
        let (mut there, mut here, mut client) = (vec![0; 65_536], vec![0; 65_536], None);
        loop {
            tokio::select! {
                Ok((len, from)) = front.recv_from(&mut there) => {
                    if client.replace(from).is_none() {
                        *kept.lock().expect("nobody panics") = there[..len].to_vec();
                    }
                    let _ = back.send_to(&there[..len], server).await;
                }
                Ok((len, _)) = back.recv_from(&mut here) => {
                    if let Some(client) = client {
                        let _ = front.send_to(&here[..len], client).await;
                    }
                }
            }
        }
    });
    (addr, first)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_of_an_init_that_was_answered_begin_nothing_at_any_thread() {
    for threads in [2, 3, 8] {
        let server = server(threads, |builder| builder).await;
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
        let (addr, init) = listening_relay(server.local_addr()).await;
        let client = Endpoint::builder().bind(loopback()).build().await.expect("bound");
        let to = Target { eid: server.eid(), addresses: vec![addr], capability: None, via: Vec::new() };
        let connection = within("a connection", client.connect(to)).await.expect("connected");
        assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        let exchanges = || server.shards().iter().map(|shared| shared.lock().host().exchanges()).sum::<u64>();
        let init = init.lock().expect("nobody panics").clone();
        assert_eq!((init[0], exchanges()), (1, 1));
        for _ in 0..32 {
            // From a port of its own, and so to whatever thread.
            let copier = std::net::UdpSocket::bind(loopback()).expect("bound");
            copier.send_to(&init, server.local_addr()).expect("sent");
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        let half_open: usize = each(&server).iter().map(|held| held.half_open).sum();
        assert_eq!((half_open, exchanges()), (0, 1), "{threads} threads");
        within("its end", server.close()).await;
    }
}
