//! Positions in a game: datagrams of any size, with lifetimes, and one that is read as a stream.
//!
//! Shows that a datagram is a substream in one call: whole or not at all, in no order, up to megabytes; that one which
//! is too old to matter is not sent; and that the receiver chooses how to take it and cannot tell how it travelled.
//!
//! `cargo run -p tng --example datagrams`
use std::error::Error;
use std::time::Duration;

use tng::{Access, Endpoint, ServiceOptions, WriteError};

type Failure = Box<dyn Error + Send + Sync>;

/// Positions sent at once.
const FLOOD: usize = 900;

/// Both ends in one process. Answers what happened.
pub async fn run() -> Result<Vec<String>, Failure> {
    // The service takes substreams, and so datagrams, from the first packet on.
    let options = ServiceOptions { substreams: true, ..ServiceOptions::default() };
    let server = Endpoint::builder().access(Access::Public).listen("game", "positions", options).build().await?;
    let ticket = server.ticket()?;
    let client = Endpoint::builder().build().await?;
    let (ours, theirs) = tokio::join!(client.connect(&ticket), async {
        Ok::<_, Failure>(server.accept().await.ok_or("closed")?.accept().await?)
    });
    let (ours, theirs) = (ours?, theirs?);
    let mut log = Vec::new();

    let game = ours.open("game", "positions").await?;
    let world = theirs.accept().await?.stream;

    // More at once than the network takes at once: what has not left when its lifetime is over is dropped. Without a
    // lifetime a datagram waits for its turn.
    for _ in 0..FLOOD {
        game.send_datagram(&[7; 1_000], Some(Duration::ZERO))?;
    }
    game.send_datagram(b"here I am", None)?;
    let (mut arrived, mut last) = (0, world.recv_datagram().await?);
    while last != b"here I am".as_slice() {
        arrived += 1;
        last = world.recv_datagram().await?;
    }
    let dropped = ours.stream_stats().ok_or("no connection")?.datagrams_expired;
    log.push(format!("{arrived} left in time, {dropped} were dropped, and then: {}", String::from_utf8_lossy(&last)));

    // A position, the sound of an explosion, a map: nobody has to cut anything to size.
    for len in [12, 20_000, 2_000_000] {
        game.send_datagram(&vec![7; len], None)?;
        log.push(format!("{} bytes in one piece", world.recv_datagram().await?.len()));
    }

    // The receiver may as well read it as the stream that it is. Nobody listens to an answer.
    game.send_datagram(b"a datagram", None)?;
    let mut stream = world.accept_substream().await?;
    log.push(format!("{} as a stream", String::from_utf8(stream.read_to_end(100).await?)?));
    match stream.write_all(b"thanks").await {
        Err(WriteError::Stopped(_)) => log.push("no answer is taken".into()),
        other => return Err(format!("an answer was taken: {other:?}").into()),
    }
    Ok(log)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    run().await?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
