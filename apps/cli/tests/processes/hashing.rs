//! Peers that say they have the files already: what it costs the server to find out, and others beside them.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tng::{Connection, Endpoint, Received, Socket, Ticket, Transmit, UdpSocket};
use tng_services::files::{Have, PROTOCOL, Request, SERVICE, SafePath};
use tng_wire::Repr;

use crate::bench::{Bench, Serving};

/// The file that is asked for: so large that to hash it takes long.
const LARGE: u64 = 1 << 30;

/// Sends, and never hears anything: who puts another address on what it sends hears as much.
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

/// Asks for `large` so many times, each time with another beginning of it that it pretends to have.
async fn ask(connection: &Connection, requests: u64) -> Vec<tng::Stream> {
    let mut streams = vec![connection.open(SERVICE, PROTOCOL).await.expect("opened")];
    let path = SafePath::parse("large").expect("a path");
    for i in 0..requests {
        let mut stream = connection.open_substream(streams[0].id()).await.expect("opened");
        let have = NonZeroU64::new(LARGE - i).map(|len| Have { len, hash: [0; 32] });
        stream.write_all(&Request::Get { path: path.clone(), have, blocks: false }.to_vec()).await.expect("written");
        // Not waited for: nobody may hear of it.
        let _ = tokio::time::timeout(Duration::ZERO, stream.finish()).await;
        streams.push(stream);
    }
    streams
}

fn served(bench: &Bench) -> Serving {
    bench.write("tree/small", 1_000_000, 1);
    // Without bytes on the disk, but with as many to hash.
    fs::File::create(bench.path("tree/large")).and_then(|file| file.set_len(LARGE)).expect("made");
    bench.serve(&["tree", "--bind", "127.0.0.1:0"])
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn fetch(bench: &Bench, server: &Serving, to: &str) -> Duration {
    let began = Instant::now();
    bench.get(&["-o", to, &server.url_of("small")]).expect(0);
    began.elapsed()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// Processors that a server keeps busy, on the average of about such a time: who watches may wake up late.
#[expect(clippy::disallowed_methods, reason = "a real process is watched for a while")]
fn busy_over(server: &Serving, time: Duration) -> f64 {
    let (before, began) = (server.cpu(), Instant::now());
    std::thread::sleep(time);
    server.cpu().saturating_sub(before).as_secs_f64() / began.elapsed().as_secs_f64()
}

#[test]
fn an_honest_fetch_beside_forty_requests_to_hash_comes_and_the_work_ends_with_its_peer() {
    let bench = Bench::new();
    let server = served(&bench);
    let alone = (0..3).map(|i| fetch(&bench, &server, &format!("alone{i}"))).min().expect("three");
    let ticket: Ticket = server.ticket.parse().expect("a ticket");
    let runtime = runtime();
    let rogue =
        runtime.block_on(async { Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).build().await });
    let rogue = rogue.expect("bound");
    let (connection, streams) = runtime.block_on(async {
        let connection = rogue.connect(&ticket).await.expect("connected");
        let streams = ask(&connection, 40).await;
        // On their way.
        tokio::time::sleep(Duration::from_millis(100)).await;
        (connection, streams)
    });
    let beside = (0..3).map(|i| fetch(&bench, &server, &format!("beside{i}"))).max().expect("three");
    let flooded = busy_over(&server, Duration::from_millis(500));
    connection.close(0, "");
    drop((streams, connection));
    runtime.block_on(rogue.close());
    let before = server.cpu();
    // To hash all that was asked for takes longer than this may.
    crate::bench::wait("the work to end with its peer", || busy_over(&server, Duration::from_millis(500)) < 0.1);
    let left = server.cpu().saturating_sub(before);
    println!(
        "alone {alone:?}, beside the flood {beside:?}; processors: {flooded:.2} with the flood; {left:?} of one when \
         it is gone"
    );
    assert!(left < Duration::from_secs(1), "the work ends with its peer: {left:?}");
    // One thread at most hashes, whatever is asked for; the rest is the driver's, and this machine's other work.
    assert!(flooded < 1.8, "{flooded:?}");
}

#[test]
fn a_first_packet_from_an_address_that_hears_nothing_makes_the_server_hash_nothing() {
    let bench = Bench::new();
    let server = served(&bench);
    let ticket: Ticket = server.ticket.parse().expect("a ticket");
    let runtime = runtime();
    let before = server.cpu();
    runtime.block_on(async {
        let socket = UdpSocket::bind("127.0.0.1:0".parse().expect("an address")).expect("bound");
        let deaf = Endpoint::builder().socket(Arc::new(Deaf(socket))).build().await.expect("built");
        let dialing = deaf.dial(&ticket).expect("begun");
        let streams = ask(dialing.connection(), 8).await;
        let _ = tokio::time::timeout(Duration::from_millis(800), dialing).await;
        drop(streams);
    });
    let spent = server.cpu().saturating_sub(before);
    println!("CPU for a first packet with 8 requests: {spent:?}");
    assert!(spent < Duration::from_millis(300), "{spent:?}");
    // Control: who is heard and hears gets its eight, and that costs.
    runtime.block_on(async {
        let endpoint =
            Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).build().await.expect("built");
        let dialing = endpoint.dial(&ticket).expect("begun");
        let streams = ask(dialing.connection(), 8).await;
        let connection = dialing.await.expect("connected");
        crate::bench::wait("the server to hash", || {
            server.cpu().saturating_sub(before + spent) > Duration::from_millis(300)
        });
        drop((streams, connection));
    });
}
