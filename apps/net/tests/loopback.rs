//! The API over real sockets on the loopback.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tng::{
    AcceptError, Access, Builder, CloseCause, ConnectError, Connection, ConnectionError, Eid, Endpoint, FirstData,
    Identity, PeerText, ReadError, Received, ServiceOptions, Socket, Target, Transmit, UdpSocket, WriteError,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

/// A test that hangs says so.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.unwrap_or_else(|_| panic!("{what}: nothing for 60 s"))
}

fn identity(n: u8) -> Identity {
    Identity::from_seed([n; 32])
}

fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

fn builder() -> Builder {
    Endpoint::builder().bind(loopback())
}

fn target(server: &Endpoint) -> Target {
    Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() }
}

fn public() -> Builder {
    builder()
        .access(Access::Public)
        .listen("echo", "bytes", ServiceOptions { substreams: true, ..ServiceOptions::default() })
        .listen("early", "bytes", ServiceOptions { first_data: FirstData::Unproven, ..ServiceOptions::default() })
        .listen("sink", "bytes", ServiceOptions::default())
}

/// Accepts everybody and echoes every stream and all its descendants.
fn echo(server: &Endpoint) {
    let server = server.clone();
    tokio::spawn(async move {
        while let Some(incoming) = server.accept().await {
            let Ok(connection) = incoming.accept().await else { continue };
            tokio::spawn(async move {
                while let Ok(incoming) = connection.accept().await {
                    tokio::spawn(echo_stream(incoming.stream));
                }
            });
        }
    });
}

fn echo_stream(stream: tng::Stream) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let (connection, id) = (stream.connection(), stream.id());
        let (mut send, mut recv) = stream.split();
        let back = async move {
            if tokio::io::copy(&mut recv, &mut send).await.is_ok() {
                let _ = send.finish().await;
            }
        };
        let children = async {
            while let Ok(child) = connection.accept_substream(id).await {
                tokio::spawn(echo_stream(child));
            }
        };
        tokio::select! { () = back => {} () = children => {} }
    })
}

async fn pair() -> (Endpoint, Connection, Endpoint, Connection) {
    let server = public().identity(identity(1)).build().await.unwrap();
    let client = builder().identity(identity(2)).build().await.unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (there, here) = within("pair", async { tokio::join!(accepting, client.connect(target(&server))) }).await;
    (server, there, client, here.unwrap())
}

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + seed * 7 + i / 251) as u8).collect()
}

async fn round_trip(connection: &Connection, data: Vec<u8>) -> Vec<u8> {
    let (mut send, mut recv) = connection.open("echo", "bytes").await.unwrap().split();
    let len = data.len();
    let writing = async move {
        send.write_all(&data).await.unwrap();
        send.finish().await.unwrap();
    };
    let (back, ()) = within("round trip", async { tokio::join!(recv.read_to_end(len), writing) }).await;
    back.unwrap()
}

#[tokio::test]
async fn what_goes_out_on_a_stream_comes_back() {
    let server = public().build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    let connection = within("connect", client.connect(target(&server))).await.unwrap();
    assert_eq!(connection.peer(), server.eid());
    assert_eq!(connection.remote_address(), Some(server.local_addr()));
    for len in [0, 1, 1_000, 100_000, 3_000_000] {
        assert_eq!(round_trip(&connection, pattern(len, len)).await, pattern(len, len), "{len} bytes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_streams_at_once() {
    let server = public().build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    let connection = client.connect(target(&server)).await.unwrap();
    let mut streams = JoinSet::new();
    for i in 0..10 {
        let connection = connection.clone();
        streams.spawn(async move {
            assert_eq!(round_trip(&connection, pattern(500_000 + i, i)).await, pattern(500_000 + i, i));
        });
    }
    while let Some(done) = streams.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn more_streams_than_the_peer_allows_at_once_take_turns() {
    let server = public().configure(|config| config.streams.streams_max = 16).build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    let connection = client.connect(target(&server)).await.unwrap();
    let mut streams = JoinSet::new();
    for i in 0..100 {
        let connection = connection.clone();
        streams.spawn(async move {
            assert_eq!(round_trip(&connection, pattern(100, i)).await, pattern(100, i));
        });
    }
    while let Some(done) = streams.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn streams_fork_into_children_from_either_side() {
    let (_server, there, _client, here) = pair().await;
    let mut parent = here.open("echo", "bytes").await.unwrap();
    parent.listen_substreams().unwrap();
    parent.write_all(b"p").await.unwrap();
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    assert_eq!((theirs.id(), theirs.connection().peer()), (parent.id(), identity(2).eid()));
    // One opened here, one opened there, and a grandchild.
    let mut child = parent.open_substream().await.unwrap();
    child.write_all(b"down").await.unwrap();
    let mut their_child = within("child", theirs.accept_substream()).await.unwrap();
    let mut up = theirs.open_substream().await.unwrap();
    up.write_all(b"up").await.unwrap();
    let mut our_child = within("child", parent.accept_substream()).await.unwrap();
    let mut grandchild = their_child.open_substream().await.unwrap();
    grandchild.write_all(b"grand").await.unwrap();
    child.listen_substreams().unwrap();
    let mut buf = [0; 16];
    assert_eq!(within("read", their_child.read(&mut buf)).await, Ok(4));
    assert_eq!(&buf[..4], b"down");
    assert_eq!(within("read", our_child.read(&mut buf)).await, Ok(2));
    assert_eq!(within("read", theirs.read(&mut buf)).await, Ok(1));
    // A child outlives its parent.
    parent.finish().await.unwrap();
    drop(parent);
    child.write_all(b"still").await.unwrap();
    assert_eq!(within("read", their_child.read(&mut buf)).await, Ok(5));
}

#[tokio::test]
async fn a_refused_peer_is_told_why() {
    let server = public().build().await.unwrap();
    let client = builder().identity(identity(2)).build().await.unwrap();
    let refusing = async {
        let incoming = server.accept().await.unwrap();
        assert_eq!((incoming.eid(), incoming.remote_address()), (identity(2).eid(), client.local_addr()));
        incoming.refuse("not today");
    };
    let (refused, ()) = within("refuse", async { tokio::join!(client.connect(target(&server)), refusing) }).await;
    match refused.unwrap_err() {
        ConnectError::Refused { code: 6, reason } => assert_eq!(reason.exact(), "not today"),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_dropped_question_is_a_refusal() {
    let server = public().build().await.unwrap();
    let client = builder().build().await.unwrap();
    let asking = async { drop(server.accept().await.unwrap()) };
    let (refused, ()) = within("drop", async { tokio::join!(client.connect(target(&server)), asking) }).await;
    assert!(matches!(refused, Err(ConnectError::Refused { .. })));
}

/// Sends, and never hears anything.
#[derive(Debug)]
struct Deaf(UdpSocket);

impl Socket for Deaf {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
    fn segments_max(&self) -> usize {
        self.0.segments_max()
    }
    fn poll_readable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_writable(cx)
    }
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        self.0.try_send(transmit, payload)
    }
    fn try_receive(&self, _: &mut [u8], _: &mut [Received]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

#[tokio::test]
async fn a_peer_that_never_proves_itself_holds_nobody_up() {
    let timeout = Duration::from_millis(300);
    let server = public().configure(|config| config.set_up_timeout = timeout).build().await.unwrap();
    let socket = Deaf(UdpSocket::bind(loopback()).unwrap());
    let deaf = builder().socket(Arc::new(socket)).build().await.unwrap();
    let whom = target(&server);
    let _dialing = tokio::spawn(async move { deaf.connect(whom).await });
    let never = within("accept", server.accept()).await.unwrap().accept().await.unwrap();
    let cause = within("end", never.accept()).await.unwrap_err();
    assert_eq!(cause, ConnectionError::Ended(CloseCause::NotConnected(ConnectError::TimedOut)));
}

#[tokio::test]
async fn an_answer_that_comes_too_late_says_so() {
    let timeout = Duration::from_millis(100);
    let server = public().configure(|config| config.set_up_timeout = timeout).build().await.unwrap();
    let client = builder().build().await.unwrap();
    let ask = tokio::spawn({
        let (client, target) = (client.clone(), target(&server));
        async move { client.connect(target).await }
    });
    let incoming = within("ask", server.accept()).await.unwrap();
    tokio::time::sleep(3 * timeout).await;
    assert_eq!(incoming.accept().await.unwrap_err(), AcceptError::Gone);
    ask.abort();
}

#[tokio::test]
async fn a_wrong_key_names_both() {
    let server = public().identity(identity(1)).build().await.unwrap();
    let client = builder().build().await.unwrap();
    let expected = identity(9).eid();
    let wrong = Target { eid: expected, ..target(&server) };
    let error = within("connect", client.connect(wrong)).await.unwrap_err();
    assert_eq!(error, ConnectError::WrongPeer { expected, seen: identity(1).eid() });
}

#[tokio::test]
async fn a_capability_opens_the_door_and_nothing_else_does() {
    let capability = vec![7; 16];
    let access = Access::Capability(capability.clone());
    let server = builder().access(access).listen("echo", "bytes", ServiceOptions::default()).build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    for shown in [None, Some(vec![8; 16])] {
        let refused = within("refuse", client.connect(Target { capability: shown, ..target(&server) })).await;
        assert!(matches!(refused, Err(ConnectError::Refused { code: 2, .. })), "{refused:?}");
    }
    let right = Target { capability: Some(capability), ..target(&server) };
    let connection = within("connect", client.connect(right)).await.unwrap();
    assert_eq!(round_trip(&connection, vec![1; 10]).await, [1; 10]);
}

#[tokio::test]
async fn only_listed_peers_get_in() {
    let listed: BTreeSet<Eid> = [identity(2).eid()].into();
    let server = public().access(Access::Listed(listed)).build().await.unwrap();
    echo(&server);
    let known = builder().identity(identity(2)).build().await.unwrap();
    let stranger = builder().identity(identity(3)).build().await.unwrap();
    within("connect", known.connect(target(&server))).await.unwrap();
    let refused = within("refuse", stranger.connect(target(&server))).await;
    assert!(matches!(refused, Err(ConnectError::Refused { code: 1, .. })), "{refused:?}");
}

#[tokio::test]
async fn an_unknown_service_is_refused_by_name() {
    let (_server, _there, _client, here) = pair().await;
    for (service, protocol, code) in [("attic", "bytes", 1), ("echo", "morse", 2)] {
        let mut stream = here.open(service, protocol).await.unwrap();
        let refused = within("refuse", stream.read(&mut [0; 1])).await;
        assert!(matches!(refused, Err(ReadError::Refused { code: c, .. }) if c == code), "{refused:?}");
        let refused = within("refuse", stream.write_all(b"x")).await;
        assert!(matches!(refused, Err(WriteError::Refused { code: c, .. }) if c == code), "{refused:?}");
    }
    // The connection is none the worse for it.
    assert!(here.open("echo", "bytes").await.is_ok());
}

#[tokio::test]
async fn a_stream_can_be_refused_by_the_application() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("echo", "bytes").await.unwrap();
    stream.write_all(b"please").await.unwrap();
    within("accept", there.accept()).await.unwrap().refuse(4, "closed on Sundays");
    match within("refuse", stream.read(&mut [0; 1])).await {
        Err(ReadError::Refused { code: 4, reason }) => assert_eq!(reason.exact(), "closed on Sundays"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn finish_resolves_when_the_peer_has_everything() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("sink", "bytes").await.unwrap();
    let data = pattern(200_000, 1);
    stream.write_all(&data).await.unwrap();
    // Nobody over there has read, or even accepted, and yet the peer has it.
    within("finish", stream.finish()).await.unwrap();
    assert_eq!(within("again", stream.finish()).await, Ok(()));
    assert_eq!(stream.write_all(b"more").await, Err(WriteError::Ended));
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    assert_eq!(within("read", theirs.read_to_end(data.len())).await.unwrap(), data);
}

#[tokio::test]
async fn what_was_finished_arrives_although_every_handle_is_dropped() {
    let server = public().build().await.unwrap();
    let data = pattern(1_000_000, 3);
    {
        let client = builder().build().await.unwrap();
        let connecting = client.dial(target(&server)).unwrap();
        let mut stream = connecting.connection().open("sink", "bytes").await.unwrap();
        let (expected, server) = (data.clone(), server.clone());
        let reading = tokio::spawn(async move {
            let there = server.accept().await.unwrap().accept().await.unwrap();
            let mut theirs = there.accept().await.unwrap().stream;
            assert!(theirs.read_to_end(expected.len()).await.unwrap() == expected);
            there.closed().await
        });
        within("write", stream.write_all(&data)).await.unwrap();
        // Begins to finish, and does not wait for it.
        tokio::select! { biased; _ = stream.finish() => {} () = std::future::ready(()) => {} }
        drop((stream, connecting, client));
        let cause = within("reading", reading).await.unwrap();
        assert!(matches!(cause, CloseCause::Peer { code: 0, .. }), "{cause:?}");
    }
}

#[tokio::test]
async fn what_has_arrived_can_be_read_after_the_peer_has_closed() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("sink", "bytes").await.unwrap();
    let data = pattern(300_000, 5);
    stream.write_all(&data).await.unwrap();
    within("finish", stream.finish()).await.unwrap();
    here.close(77, "done");
    let cause = within("closed", there.closed()).await;
    assert_eq!(cause, CloseCause::Peer { code: 77, reason: "done".into() });
    // Long after, when the host has forgotten the connection.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    assert!(within("read", theirs.read_to_end(data.len())).await.unwrap() == data);
    assert_eq!(there.accept().await.unwrap_err(), ConnectionError::Ended(cause));
}

#[tokio::test]
async fn an_unfinished_stream_that_is_dropped_is_reset() {
    let (_server, there, _client, here) = pair().await;
    let (mut send, mut recv) = here.open("sink", "bytes").await.unwrap().split();
    send.write_all(b"half a").await.unwrap();
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    drop(send);
    let mut buf = [0; 100];
    let end = within("reset", async {
        loop {
            match theirs.read(&mut buf).await {
                Ok(0) => panic!("an end that looks like a whole"),
                Ok(_) => {}
                Err(error) => return error,
            }
        }
    });
    assert_eq!(end.await, ReadError::Reset(0));
    // The other direction is untouched.
    theirs.write_all(b"why?").await.unwrap();
    assert_eq!(within("read", recv.read(&mut buf)).await, Ok(4));
}

#[tokio::test]
async fn a_dropped_reader_stops_the_writer() {
    let (_server, there, _client, here) = pair().await;
    let (mut send, recv) = here.open("sink", "bytes").await.unwrap().split();
    send.write_all(b"x").await.unwrap();
    let (their_send, mut their_recv) = within("accept", there.accept()).await.unwrap().stream.split();
    their_recv.stop(5);
    assert_eq!(within("stopped", send.stopped()).await, Ok(Some(5)));
    assert_eq!(send.write_all(b"y").await, Err(WriteError::Stopped(5)));
    drop(recv);
    assert_eq!(within("stopped", their_send.stopped()).await, Ok(Some(0)));
}

#[tokio::test]
async fn reset_and_stop_carry_codes() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("sink", "bytes").await.unwrap();
    stream.write_all(b"x").await.unwrap();
    let (mut their_send, mut their_recv) = within("accept", there.accept()).await.unwrap().stream.split();
    their_send.reset(1234);
    assert_eq!(within("reset", stream.read(&mut [0; 1])).await, Err(ReadError::Reset(1234)));
    assert_eq!(within("read", their_recv.read(&mut [0; 1])).await, Ok(1));
    their_recv.stop(99);
    assert_eq!(their_recv.read(&mut [0; 1]).await, Err(ReadError::Stopped));
    let error = within("stop", async {
        loop {
            if let Err(error) = stream.write_all(&[0; 1000]).await {
                return error;
            }
        }
    });
    assert_eq!(error.await, WriteError::Stopped(99));
}

#[tokio::test]
async fn data_written_before_the_connection_is_there_travels_in_the_first_packet() {
    let server = public().build().await.unwrap();
    let client = builder().build().await.unwrap();
    let connecting = client.dial(target(&server)).unwrap();
    let mut stream = connecting.connection().open("early", "bytes").await.unwrap();
    stream.write_all(b"at once").await.unwrap();
    let (got, connection) = within("early", async {
        tokio::join!(
            async {
                let there = server.accept().await.unwrap().accept().await.unwrap();
                let mut incoming = there.accept().await.unwrap();
                let mut buf = [0; 7];
                incoming.stream.read_exact(&mut buf).await.unwrap();
                (there, incoming, buf)
            },
            connecting
        )
    })
    .await;
    assert_eq!(&got.2, b"at once");
    assert!(got.1.early, "it came before the peer had proven anything");
    connection.unwrap();
}

#[tokio::test]
async fn early_data_for_a_service_that_is_not_replay_safe_waits_for_the_proof() {
    let server = public().build().await.unwrap();
    let client = builder().build().await.unwrap();
    let connecting = client.dial(target(&server)).unwrap();
    let mut stream = connecting.connection().open("sink", "bytes").await.unwrap();
    stream.write_all(b"later").await.unwrap();
    let (incoming, _connection) = within("early", async {
        tokio::join!(
            async {
                let there = server.accept().await.unwrap().accept().await.unwrap();
                (there.accept().await.unwrap(), there)
            },
            connecting
        )
    })
    .await;
    let mut incoming = incoming.0;
    assert!(!incoming.early);
    let mut buf = [0; 5];
    within("read", incoming.stream.read_exact(&mut buf)).await.unwrap();
    assert_eq!(&buf, b"later");
}

#[tokio::test]
async fn a_restarted_server_resets_its_old_connections() {
    // Its runtime, and with it its socket, dies without a word.
    let (tell_target, learn_target) = tokio::sync::oneshot::channel();
    let (die, death) = tokio::sync::oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = public().identity(identity(1)).build().await.unwrap();
            echo(&server);
            tell_target.send(target(&server)).unwrap();
            let _ = death.await;
        });
        runtime.shutdown_background();
    });
    let target = within("start", learn_target).await.unwrap();
    let client = builder().build().await.unwrap();
    let connection = within("connect", client.connect(target.clone())).await.unwrap();
    assert_eq!(round_trip(&connection, vec![1; 100]).await, [1; 100]);
    die.send(()).unwrap();
    tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap();
    let reborn = public().identity(identity(1)).bind(target.addresses[0]).build().await.unwrap();
    echo(&reborn);
    let mut stream = connection.open("echo", "bytes").await.unwrap();
    stream.write_all(b"are you there?").await.unwrap();
    assert_eq!(within("reset", connection.closed()).await, CloseCause::Reset);
    let connection = within("connect", client.connect(target)).await.unwrap();
    assert_eq!(round_trip(&connection, vec![2; 100]).await, [2; 100]);
}

#[tokio::test]
async fn ipv6_loopback_works() {
    let Ok(server) = public().bind("[::1]:0".parse().unwrap()).build().await else {
        println!("skipped: this system has no IPv6 loopback");
        return;
    };
    echo(&server);
    let client = Endpoint::builder().bind("[::1]:0".parse().unwrap()).build().await.unwrap();
    let connection = within("connect", client.connect(target(&server))).await.unwrap();
    assert_eq!(round_trip(&connection, pattern(100_000, 6)).await, pattern(100_000, 6));
}

#[tokio::test]
async fn an_endpoint_of_both_families_is_reached_at_each_of_its_addresses() {
    let server = public().bind("[::]:0".parse().unwrap()).build().await.unwrap();
    echo(&server);
    let client = Endpoint::builder().build().await.unwrap();
    for addr in server.local_addresses() {
        let target = Target { eid: server.eid(), addresses: vec![addr], capability: None, via: Vec::new() };
        let connection = within("connect", client.connect(target)).await.unwrap_or_else(|e| panic!("{addr}: {e}"));
        assert_eq!(connection.remote_address(), Some(addr));
        assert_eq!(round_trip(&connection, vec![1; 10]).await, [1; 10]);
    }
}

#[tokio::test]
async fn a_dead_address_is_passed_over_for_a_live_one() {
    let server = public().build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    let dead = std::net::UdpSocket::bind(loopback()).unwrap();
    let addresses = vec![dead.local_addr().unwrap(), server.local_addr()];
    let connection = within("connect", client.connect(Target { addresses, ..target(&server) })).await.unwrap();
    assert_eq!(connection.remote_address(), Some(server.local_addr()));
}

#[tokio::test]
async fn closing_an_endpoint_tells_its_peers() {
    let (server, there, _client, here) = pair().await;
    within("close", server.close()).await;
    assert_eq!(within("closed", here.closed()).await, CloseCause::Peer { code: 0, reason: PeerText::default() });
    assert_eq!(there.closed().await, CloseCause::Local);
    assert!(server.accept().await.is_none());
    assert!(server.connect(target(&server)).await.is_err());
}

#[tokio::test]
async fn dropping_every_handle_closes_the_connection_and_frees_the_port() {
    let (server, there, client, here) = pair().await;
    let port = client.local_addr();
    drop((client, here));
    assert!(matches!(within("closed", there.closed()).await, CloseCause::Peer { code: 0, .. }));
    within("port", async {
        while std::net::UdpSocket::bind(port).is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    drop(server);
}

#[tokio::test]
async fn errors_turn_into_io_errors() {
    use std::io::ErrorKind;
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("attic", "bytes").await.unwrap();
    let error = within("refuse", AsyncReadExt::read(&mut stream, &mut [0; 1])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    let mut stream = here.open("sink", "bytes").await.unwrap();
    AsyncWriteExt::write_all(&mut stream, b"x").await.unwrap();
    there.close(0, "");
    let error = within("close", AsyncReadExt::read(&mut stream, &mut [0; 1])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionAborted);
    let busy = builder().bind(here.remote_address().unwrap()).build().await.unwrap_err();
    assert_eq!(std::io::Error::from(busy).kind(), ErrorKind::AddrInUse);
    assert!(builder().controller("cubik").build().await.unwrap_err().to_string().contains("cubic"));
}

#[tokio::test]
async fn a_program_brings_a_controller_of_its_own() {
    use tng::congestion::{Controllers, Fixed};
    let mut controllers = Controllers::default();
    controllers.register("own", "at most so much", |mtu| Box::new(Fixed::new(mtu, None))).unwrap();
    let asked = |name| builder().controllers(controllers.clone()).controller(name).build();
    asked("eln:own").await.unwrap();
    assert!(asked("owm").await.unwrap_err().to_string().contains("the nearest name is \"own\""));
    let server = public().identity(identity(1)).build().await.unwrap();
    let client = asked("own").await.unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (_there, here) = within("pair", async { tokio::join!(accepting, client.connect(target(&server))) }).await;
    assert_eq!(here.unwrap().stats().unwrap().regulation.controller, "fixed", "it is what the program has made");
}

#[tokio::test]
async fn a_reader_sets_the_limit() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("sink", "bytes").await.unwrap();
    stream.write_all(&[1; 1000]).await.unwrap();
    stream.finish().await.unwrap();
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    assert_eq!(within("read", theirs.read_to_end(999)).await, Err(ReadError::TooLong(999)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_closes_after_reading_everything_confirms_everything() {
    for round in 0..30 {
        let (server, there, client, here) = pair().await;
        let reading = tokio::spawn(async move {
            let mut stream = there.accept().await.unwrap().stream;
            let data = stream.read_to_end(100_000).await.unwrap();
            // Every handle goes at once.
            drop((stream, there));
            data.len()
        });
        let mut stream = here.open("sink", "bytes").await.unwrap();
        stream.write_all(&pattern(100_000, round)).await.unwrap();
        assert_eq!(within("finish", stream.finish()).await, Ok(()), "round {round}");
        assert_eq!(within("read", reading).await.unwrap(), 100_000);
        drop((server, client));
    }
}

#[tokio::test]
async fn what_has_arrived_can_be_read_when_even_the_endpoint_is_gone() {
    let (server, there, _client, here) = pair().await;
    let mut stream = here.open("sink", "bytes").await.unwrap();
    stream.write_all(b"last words").await.unwrap();
    within("finish", stream.finish()).await.unwrap();
    here.close(0, "");
    within("closed", there.closed()).await;
    drop(server);
    // Long enough for the driver to end.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut theirs = there.accept().await.unwrap().stream;
    assert_eq!(theirs.read_to_end(100).await.unwrap(), b"last words");
    assert!(theirs.write_all(b"x").await.is_err());
}

#[tokio::test]
async fn when_the_runtime_of_an_endpoint_ends_its_users_hear_of_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = public().build().await.unwrap();
    echo(&server);
    let target = target(&server);
    let connecting = runtime.spawn(async move {
        let client = builder().build().await.unwrap();
        let connection = client.connect(target).await.unwrap();
        (client, connection)
    });
    let (client, connection) = within("connect", connecting).await.unwrap();
    let mut stream = connection.open("echo", "bytes").await.unwrap();
    let reading = tokio::spawn(async move { stream.read(&mut [0; 1]).await });
    tokio::task::yield_now().await;
    runtime.shutdown_background();
    assert_eq!(within("read", reading).await.unwrap(), Err(ReadError::Connection(ConnectionError::Stopped)));
    assert_eq!(connection.accept().await.unwrap_err(), ConnectionError::Stopped);
    assert!(client.accept().await.is_none());
    within("close", client.close()).await;
}

/// A socket on a bad path: every so many receive calls, what came is lost; and the system cannot segment.
#[derive(Debug)]
struct Bad {
    inner: UdpSocket,
    received: AtomicU32,
    lose_every: u32,
}

impl Socket for Bad {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
    fn segments_max(&self) -> usize {
        self.inner.segments_max()
    }
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_readable(cx)
    }
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_writable(cx)
    }
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        if transmit.segment_size < payload.len() {
            return Err(io::Error::from_raw_os_error(5));
        }
        self.inner.try_send(transmit, payload)
    }
    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let n = self.inner.try_receive(buffer, received)?;
        let lost = self.received.fetch_add(1, Ordering::Relaxed) % self.lose_every == self.lose_every - 1;
        if lost { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok(n) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_loses_and_a_system_that_cannot_segment_cost_no_byte() {
    let bad = |lose_every| {
        let inner = UdpSocket::bind(loopback()).unwrap();
        Arc::new(Bad { inner, received: AtomicU32::new(0), lose_every })
    };
    let server = public().socket(bad(20)).build().await.unwrap();
    echo(&server);
    let client = builder().socket(bad(17)).build().await.unwrap();
    let connection = within("connect", client.connect(target(&server))).await.unwrap();
    for i in 0..5 {
        assert!(round_trip(&connection, pattern(200_000, i)).await == pattern(200_000, i));
    }
    let stats = connection.stats().unwrap();
    assert!(stats.channel.lost > 0, "{stats:?}");
    assert!(client.sent().resent_batches > 0, "{:?}", client.sent());
}

#[tokio::test]
async fn noise_on_the_port_harms_nobody() {
    let server = public().build().await.unwrap();
    echo(&server);
    let client = builder().build().await.unwrap();
    let connection = within("connect", client.connect(target(&server))).await.unwrap();
    let noise = std::net::UdpSocket::bind(loopback()).unwrap();
    for i in 0..2000_usize {
        noise.send_to(&pattern(i % 1400, i), server.local_addr()).unwrap();
        noise.send_to(&pattern(i % 1400, i + 3), client.local_addr()).unwrap();
    }
    assert_eq!(round_trip(&connection, pattern(10_000, 1)).await, pattern(10_000, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_peers_at_once() {
    let server = public().build().await.unwrap();
    echo(&server);
    let mut peers = JoinSet::new();
    for i in 0..50 {
        let target = target(&server);
        peers.spawn(async move {
            let client = builder().build().await.unwrap();
            let connection = within("connect", client.connect(target)).await.unwrap();
            assert!(round_trip(&connection, pattern(20_000, i)).await == pattern(20_000, i));
            client.close().await;
        });
    }
    while let Some(done) = peers.join_next().await {
        done.unwrap();
    }
}

/// The token with which a host resets a channel that it does not know.
async fn reset_token(host: &Endpoint) -> Vec<u8> {
    let socket = tokio::net::UdpSocket::bind(loopback()).await.unwrap();
    socket.send_to(&[0x55; 60], host.local_addr()).await.unwrap();
    let mut reset = [0; 100];
    let len = within("reset", socket.recv(&mut reset)).await.unwrap();
    reset[len - 16..len].to_vec()
}

#[tokio::test]
async fn reset_tokens_are_those_of_one_place_and_outlive_a_restart_there() {
    let [here, there] = [public().identity(identity(1)), public().identity(identity(1))];
    let (here, there) = (here.build().await.unwrap(), there.build().await.unwrap());
    let token = reset_token(&here).await;
    assert_ne!(token, reset_token(&there).await, "two listeners with one key");
    let at = here.local_addr();
    within("close", here.close()).await;
    drop(here);
    let again = loop {
        // The driver lets the socket go a moment later.
        match public().identity(identity(1)).bind(at).build().await {
            Ok(again) => break again,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    assert_eq!(reset_token(&again).await, token, "after a restart");
    let named = |place: &str| public().identity(identity(1)).place(place).build();
    let (one, other) = (named("one").await.unwrap(), named("one").await.unwrap());
    assert_eq!(reset_token(&one).await, reset_token(&other).await, "control: that is what they would be without");
}
