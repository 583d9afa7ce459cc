//! What a builder is told, and what comes of it.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::hosts::{builder, join, pattern, public, target, within};
use tng::{Access, Cipher, CloseCause, ConnectError, Identity, Received, Socket, Ticket, Tickets, Transmit, UdpSocket};

/// Looks for some bytes in what is sent.
#[derive(Debug)]
struct Wiretap {
    socket: UdpSocket,
    wanted: Vec<u8>,
    seen: AtomicBool,
}

impl Socket for Wiretap {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
    fn segments_max(&self) -> usize {
        self.socket.segments_max()
    }
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_readable(cx)
    }
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_writable(cx)
    }
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        if payload.windows(self.wanted.len()).any(|part| part == self.wanted) {
            self.seen.store(true, Ordering::Relaxed);
        }
        self.socket.try_send(transmit, payload)
    }
    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.socket.try_receive(buffer, received)
    }
}

#[tokio::test]
async fn danger_weak_of_one_side_is_encrypted_and_of_both_can_be_read() {
    for (client_weak, server_weak) in [(false, true), (true, false), (true, true)] {
        let socket = UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let tap = Arc::new(Wiretap { socket, wanted: pattern(200, 5), seen: AtomicBool::new(false) });
        let client = builder().socket(tap.clone()).danger_weak(client_weak);
        let (_server, there, _client, here) = join(public().danger_weak(server_weak), client).await;
        let mut ours = here.open("plain", "bytes").await.unwrap();
        ours.write_all(&tap.wanted).await.unwrap();
        let theirs = async {
            let mut stream = there.accept().await.unwrap().stream;
            stream.read_to_end(tap.wanted.len()).await.unwrap()
        };
        let (arrived, finished) = within("message", async { tokio::join!(theirs, ours.finish()) }).await;
        finished.unwrap();
        assert_eq!(arrived, tap.wanted);
        let both = client_weak && server_weak;
        for connection in [&here, &there] {
            assert_eq!(connection.stats().unwrap().cipher == Cipher::WeakChecksum, both);
        }
        assert_eq!(tap.seen.load(Ordering::Relaxed), both, "client {client_weak}, server {server_weak}");
    }
}

#[tokio::test]
async fn a_peer_beyond_the_limit_of_connections_is_refused_and_comes_in_when_there_is_room() {
    let server = public().connections_max(1).build().await.unwrap();
    let accepting = tokio::spawn({
        let server = server.clone();
        async move {
            let mut held = Vec::new();
            while let Some(incoming) = server.accept().await {
                held.push(incoming.accept().await.unwrap());
            }
        }
    });
    let client = builder().build().await.unwrap();
    let first = within("first", client.connect(target(&server))).await.unwrap();
    let refused = within("second", client.connect(target(&server))).await.unwrap_err();
    assert!(
        matches!(&refused, ConnectError::Refused { reason, .. } if reason.exact().contains("as many")),
        "{refused}"
    );
    assert_eq!(io::Error::from(refused).kind(), io::ErrorKind::ConnectionRefused);
    first.close(0, "");
    within("third", async {
        while client.connect(target(&server)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    accepting.abort();
}

#[tokio::test]
async fn a_writer_fills_the_windows_of_an_idle_reader_and_no_more() {
    const WINDOW: u64 = 8_192;
    let server = public().stream_window(WINDOW).connection_window(2 * WINDOW);
    let (_server, there, _client, here) = join(server, builder().unsent_max(1)).await;
    // Three streams use up the credit of all; at most two of them use up their own, too.
    let taken = Arc::new(Mutex::new([0_u64; 3]));
    let mut writers = Vec::new();
    for i in 0..3 {
        let (here, taken) = (here.clone(), Arc::clone(&taken));
        writers.push(tokio::spawn(async move {
            let (mut send, _recv) = here.open("plain", "bytes").await.unwrap().split();
            loop {
                let n = send.write(&[7; 1_000]).await.unwrap();
                taken.lock().unwrap()[i] += n as u64;
            }
        }));
    }
    let total = || taken.lock().unwrap().iter().sum::<u64>();
    within("full", async {
        while total() < 2 * WINDOW {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    // One byte of each stream may wait to be sent.
    assert!(total() <= 2 * WINDOW + 3, "{taken:?}");
    assert!(taken.lock().unwrap().iter().all(|taken| *taken <= WINDOW + 1), "{taken:?}");
    drop(there);
    writers.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_ticket_opens_the_door_that_it_was_made_for() {
    let server = public().access(Access::Capability(vec![7; 16])).build().await.unwrap();
    let client = builder().build().await.unwrap();
    let ticket: Ticket = server.ticket().unwrap().to_string().parse().unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (there, here) = within("ticket", async { tokio::join!(accepting, client.connect(&ticket)) }).await;
    assert_eq!((there.peer(), here.unwrap().peer()), (client.eid(), server.eid()));
    let too_long = public().access(Access::Capability(vec![7; 65])).build().await.unwrap();
    too_long.ticket().unwrap_err();
}

#[tokio::test]
async fn tickets_are_issued_for_a_time_and_taken_back() {
    let identity = Identity::from_seed([3; 32]);
    let tickets = Tickets::new(&identity, b"door");
    let server = public().identity(identity).access(Access::Tickets(tickets)).build().await.unwrap();
    let client = builder().build().await.unwrap();
    let accepting = server.clone();
    tokio::spawn(async move {
        while let Some(incoming) = accepting.accept().await {
            let connection = incoming.accept().await.unwrap();
            // Held until it is over.
            tokio::spawn(async move { connection.closed().await });
        }
    });
    let words = |refused: ConnectError| match refused {
        ConnectError::Refused { code: 2, reason } => reason.to_string(),
        other => panic!("{other}"),
    };
    let (standing, issued) = (server.ticket().unwrap(), server.issue(None).unwrap());
    assert_eq!(server.ticket().unwrap(), standing, "the same each time");
    let mut here = Vec::new();
    for ticket in [&standing, &issued] {
        here.push(within("control: both are let in", client.connect(ticket)).await.unwrap());
    }
    assert!(server.revoke(&issued) && !server.revoke(&issued));
    let closed = within("shown out", here[1].closed()).await;
    assert!(matches!(closed, CloseCause::Peer { code: 7, .. }), "{closed}");
    assert!(words(within("refused", client.connect(&issued)).await.unwrap_err()).contains("revoked"));
    assert!(server.revoke(&standing) && server.ticket().unwrap() != standing);
    assert!(words(within("refused", client.connect(&standing)).await.unwrap_err()).contains("made anew"));
    let past = server.issue(Some(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1))).unwrap();
    assert!(words(within("refused", client.connect(&past)).await.unwrap_err()).contains("expired"));
    public().build().await.unwrap().issue(None).unwrap_err();
}
