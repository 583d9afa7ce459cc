//! The threads of an endpoint, each with a driver, a socket and a runtime of its own.

use core::convert::Infallible;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

use crate::builder::THREADS_MAX;
use crate::driver::Driver;
use crate::hub::Hub;
use crate::lock::Shared;
use crate::socket::{Socket, UdpSocket};

/// A runtime that waits for its thread. It may be dropped anywhere.
pub(crate) struct Lane(Option<Runtime>);

impl Lane {
    pub(crate) fn new() -> io::Result<Lane> {
        Builder::new_current_thread().enable_all().build().map(|runtime| Lane(Some(runtime)))
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0.as_ref().expect("until its thread begins").handle().clone()
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Binds a socket for each of these runtimes to one address. Answers whether the system, if it is `asked`, brings
/// packets to the socket that their ids name.
pub(crate) fn bind_for(addr: SocketAddr, lanes: &[Handle], asked: bool) -> io::Result<(Vec<Arc<dyn Socket>>, bool)> {
    let (sockets, steered) = UdpSocket::bind_several(addr, lanes.len(), asked)?;
    Ok((register_all(sockets, lanes)?, steered))
}

/// Has each of these runtimes wait for one of these sockets.
pub(crate) fn register_all(sockets: Vec<std::net::UdpSocket>, lanes: &[Handle]) -> io::Result<Vec<Arc<dyn Socket>>> {
    sockets.into_iter().zip(lanes).map(|(socket, lane)| register(socket, lane)).collect()
}

/// Sockets at one address, for an endpoint that is made of them later: by a process that gives up, once it has them,
/// what it bound them with, or is handed them by the process that started it.
#[derive(Debug)]
pub struct Bound {
    pub(crate) sockets: Vec<std::net::UdpSocket>,
    pub(crate) steered: bool,
}

impl Bound {
    /// Binds one for each of so many threads. Where the system does not divide an address among sockets there is one.
    ///
    /// # Errors
    /// If the address is not to be had.
    pub fn new(addr: SocketAddr, threads: usize) -> io::Result<Bound> {
        let (sockets, steered) = UdpSocket::bind_several(addr, threads.clamp(1, THREADS_MAX), true)?;
        Ok(Bound { sockets, steered })
    }

    /// Takes a socket that is bound already, for one thread.
    ///
    /// # Errors
    /// If the system does not let it be used without waiting.
    pub fn given(socket: std::net::UdpSocket) -> io::Result<Bound> {
        socket.set_nonblocking(true)?;
        Ok(Bound { sockets: vec![socket], steered: false })
    }

    /// Where they are bound.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.sockets[0].local_addr()
    }

    /// How many there are.
    pub fn threads(&self) -> usize {
        self.sockets.len()
    }
}

/// Has a runtime wait for a socket. That of a thread that is gone cannot any more.
pub(crate) fn register(socket: std::net::UdpSocket, lane: &Handle) -> io::Result<Arc<dyn Socket>> {
    let _registers_there = lane.enter();
    Ok(Arc::new(UdpSocket::from_std(socket)?))
}

/// What a thread is to do.
pub(crate) struct Work {
    pub(crate) lane: Lane,
    pub(crate) shared: Arc<Shared<Hub>>,
    pub(crate) socket: Arc<dyn Socket>,
    pub(crate) busy_poll: Duration,
}

/// Starts the threads. A driver ends when it is finished, or with the runtime `of`.
pub(crate) fn start(works: Vec<Work>, of: &Handle) -> io::Result<()> {
    let (mut stops, mut ends) = (Vec::new(), Vec::new());
    for (number, work) in works.into_iter().enumerate() {
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let (ended, end) = oneshot::channel::<Infallible>();
        thread::Builder::new().name(format!("tng-{number}")).spawn(move || {
            // However it ends.
            let _ended = ended;
            drive(work, stopped);
        })?;
        stops.push(stop);
        ends.push(end);
    }
    of.spawn(async move {
        let _until_then = stops;
        for end in ends {
            let _ = end.await;
        }
    });
    Ok(())
}

fn drive(mut work: Work, stopped: oneshot::Receiver<Infallible>) {
    let Some(runtime) = work.lane.0.take() else { return };
    runtime.block_on(async move {
        let driver = Driver::new(work.shared, work.socket).busy_poll(work.busy_poll);
        let (mut driver, mut stopped) = (pin!(driver), pin!(stopped));
        poll_fn(|cx| match stopped.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => driver.as_mut().poll(cx),
        })
        .await;
    });
}

#[cfg(test)]
mod faults;
#[cfg(test)]
pub(crate) mod limits;

#[cfg(test)]
mod tests {
    use core::task::Context;

    use tng_base::{Instant, Transmit};
    use tng_stack::{Access, Target};
    use tokio::sync::Notify;

    use super::limits::{each, loopback, within};
    use super::*;
    use crate::connection::Connection;
    use crate::endpoint::Endpoint;
    use crate::lock::Clock;
    use crate::serve::{Answer, Request, ServeOptions};
    use crate::socket::Received;

    /// A task that waits for it panics.
    #[derive(Debug)]
    pub(super) struct Trap;

    impl Socket for Trap {
        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(SocketAddr::from(([127, 0, 0, 1], 9)))
        }
        fn segments_max(&self) -> usize {
            1
        }
        fn poll_readable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            panic!("a trap, as the test wants it")
        }
        fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
        fn try_send(&self, _: &Transmit, _: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::WouldBlock.into())
        }
        fn try_receive(&self, _: &mut [u8], _: &mut [Received]) -> io::Result<usize> {
            Err(io::ErrorKind::WouldBlock.into())
        }
    }

    fn serve(server: &Endpoint) {
        server.serve("echo", async |request: Request| request.into_body()).expect("a service");
    }

    /// A server of one thread, a client of three, and two connections on each of those.
    async fn six() -> (Endpoint, Endpoint, Vec<Connection>) {
        let server = Endpoint::builder().bind(loopback()).access(Access::Public).build().await.expect("bound");
        serve(&server);
        let client = Endpoint::builder().bind(loopback()).threads(3).build().await.expect("bound");
        let mut held = Vec::new();
        for _ in 0..6 {
            held.push(within("a connection", client.connect(target(&server))).await.expect("connected"));
        }
        (server, client, held)
    }

    fn target(server: &Endpoint) -> Target {
        Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() }
    }

    fn is_on(connection: &Connection, shared: &Arc<Shared<Hub>>) -> bool {
        Arc::ptr_eq(&connection.tie.shared, shared)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_thread_that_stalls_holds_up_its_own_connections_and_no_others() {
        let (_server, client, held) = six().await;
        let stalled = Arc::clone(&client.shards()[1]);
        let (begin, begun) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let lock = Arc::clone(&stalled);
        let stall = thread::spawn(move || {
            let hub = lock.lock();
            begin.send(()).expect("told");
            let _ = ended.recv();
            drop(hub);
        });
        begun.recv().expect("it stalls");
        let others = held.iter().filter(|connection| !is_on(connection, &stalled));
        for (i, connection) in others.enumerate() {
            assert!(i < 4);
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
        end.send(()).expect("told");
        stall.join().expect("it ends");
        for connection in &held {
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_thread_that_panics_ends_its_own_connections_and_no_others() {
        let (server, client, held) = six().await;
        let dead = Arc::clone(&client.shards()[1]);
        dead.lock().rebind(Arc::new(Trap));
        for connection in &held {
            if is_on(connection, &dead) {
                within("its end", connection.closed()).await;
            } else {
                assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
            }
        }
        // The others begin new ones.
        for _ in 0..6 {
            let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
            assert!(!is_on(&connection, &dead));
        }
        // And move.
        let socket: Arc<dyn Socket> = Arc::new(Trap);
        dead.lock().rebind(Arc::clone(&socket));
        assert_eq!(Arc::strong_count(&socket), 1, "nobody keeps what nobody will read");
        client.rebind(loopback()).expect("moved");
        for connection in held.iter().filter(|connection| !is_on(connection, &dead)) {
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
        }
        within("the end", client.close()).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_endpoint_that_moves_after_a_thread_is_gone_takes_all_peers_at_the_others() {
        for dead in 0..3 {
            let server = Endpoint::builder().bind(loopback()).access(Access::Public).threads(3);
            let server = server.build().await.expect("bound");
            serve(&server);
            server.shards()[dead].lock().rebind(Arc::new(Trap));
            while !server.shards()[dead].lock().is_stopped() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let before = server.local_addr();
            server.rebind(loopback()).expect("moved");
            assert_ne!(server.local_addr(), before);
            for _ in 0..12 {
                // Each from an address of its own, and so to whatever socket.
                let client = Endpoint::builder().bind(loopback()).build().await.expect("bound");
                let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
                assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn requests_that_are_not_answered_when_their_thread_dies_make_room_for_those_of_others() {
        let server = Endpoint::builder().bind(loopback()).access(Access::Public).threads(2);
        let server = server.build().await.expect("bound");
        let options = ServeOptions { requests_max: 1, ..ServeOptions::default() };
        let taken = Arc::new(Notify::new());
        let tells = Arc::clone(&taken);
        let handler = move |request: Request| {
            let tells = Arc::clone(&tells);
            async move {
                match &request.body()[..] {
                    // Who writes goes on, however the thread ends.
                    b"stay" => Answer::written(async move |_| {
                        tells.notify_one();
                        core::future::pending().await
                    }),
                    _ => request.into_body().into(),
                }
            }
        };
        server.serve_with("echo", options, handler).expect("a service");
        let residents = |at: usize| each(&server)[at].residents;
        let (mut held, mut more) = ([None::<(Endpoint, Connection)>, None], Vec::new());
        while held.iter().any(Option::is_none) {
            let before = residents(1);
            let client = Endpoint::builder().bind(loopback()).build().await.expect("bound");
            let connection = within("a connection", client.connect(target(&server))).await.expect("connected");
            assert_eq!(within("an answer", connection.request("echo", "in")).await.expect("answered"), "in");
            let at = usize::from(residents(1) > before);
            more.extend(held[at].replace((client, connection)));
        }
        let [Some((_, stays)), Some((_, asks))] = &held else { unreachable!("just found") };
        let staying = tokio::spawn(stays.request("echo", "stay").into_future());
        within("it", taken.notified()).await;
        within("an answer", asks.request("echo", "on")).await.expect_err("there is room for one");
        server.shards()[0].lock().rebind(Arc::new(Trap));
        within("room", async { while asks.request("echo", "on").await.is_err() {} }).await;
        staying.abort();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_resets_of_a_restarted_server_find_the_threads_of_their_connections() {
        let server = |addr| {
            let identity = tng_stack::Identity::from_seed([9; 32]);
            Endpoint::builder().identity(identity).place("here").bind(addr).access(Access::Public).threads(3)
        };
        let old = server(loopback()).build().await.expect("bound");
        serve(&old);
        let (to, addr) = (target(&old), old.local_addr());
        let client = Endpoint::builder().bind(loopback()).threads(3).build().await.expect("bound");
        let mut held = Vec::new();
        for _ in 0..3 {
            let connection = within("a connection", client.connect(to.clone())).await.expect("connected");
            assert_eq!(within("an answer", connection.request("echo", "on")).await.expect("answered"), "on");
            held.push(connection);
        }
        // It dies, and says nothing.
        for shared in old.shards() {
            shared.lock().rebind(Arc::new(Trap));
        }
        while !old.shards().iter().all(|shared| shared.lock().is_stopped()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let _new = server(addr).build().await.expect("bound again");
        let started = Clock::start();
        for connection in &held {
            let asked = connection.request("echo", "still there?");
            let _ = tokio::time::timeout(Duration::from_millis(100), asked).await;
            // Its streams are lost with it.
            within("the reset", connection.closed()).await;
        }
        assert!(started.now() < Instant::ZERO + Duration::from_secs(10), "told, and not found out");
    }

    #[test]
    fn the_end_of_the_runtime_is_the_end_of_its_endpoint_s_threads() {
        let runtime = Runtime::new().expect("a runtime");
        let endpoint =
            runtime.block_on(async { Endpoint::builder().bind(loopback()).threads(2).build().await.expect("bound") });
        runtime.shutdown_background();
        while !endpoint.shards().iter().all(|shared| shared.lock().is_stopped()) {
            thread::yield_now();
        }
    }
}
