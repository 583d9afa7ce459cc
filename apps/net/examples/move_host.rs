//! A transfer whose sender changes its address in the middle.
//!
//! Shows that a connection belongs to two keys and not to two addresses: the endpoint goes on with another socket on another
//! port, as when a laptop leaves its network, and the streams on it do not notice. The peer is told where it went.
//!
//! `cargo run -p tng --example move_host`
use std::error::Error;

use tng::{Access, ConnectionEvent, Endpoint, ServiceOptions, Target};

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes to transfer.
const LEN: usize = 8_000_000;

fn data() -> impl Iterator<Item = u8> {
    (0..LEN).map(|i| (i ^ i >> 9) as u8)
}

/// Both ends in one process. Answers what happened.
pub async fn run() -> Result<Vec<String>, Failure> {
    let loopback = "127.0.0.1:0".parse()?;
    let server = Endpoint::builder()
        .bind(loopback)
        .access(Access::Public)
        .listen("backup", "bytes", ServiceOptions::default())
        .build()
        .await?;
    let target = Target { eid: server.eid(), addresses: server.local_addresses(), capability: None };
    let laptop = Endpoint::builder().bind(loopback).build().await?;
    let (ours, theirs) = tokio::join!(laptop.connect(target), async {
        Ok::<_, Failure>(server.accept().await.ok_or("closed")?.accept().await?)
    });
    let (ours, theirs) = (ours?, theirs?);
    let (before, mut events) = (laptop.local_addr(), theirs.events());

    let sending = async {
        let mut stream = ours.open("backup", "bytes").await?;
        let bytes: Vec<u8> = data().collect();
        stream.write_all(&bytes[..LEN / 2]).await?;
        laptop.rebind(loopback)?;
        stream.write_all(&bytes[LEN / 2..]).await?;
        stream.finish().await?;
        Ok::<_, Failure>(())
    };
    let receiving = async {
        let bytes = theirs.accept().await?.stream.read_to_end(LEN).await?;
        Ok::<_, Failure>(bytes.into_iter().eq(data()))
    };
    let (sent, same) = tokio::join!(sending, receiving);
    sent?;

    let mut log = vec![format!("{LEN} bytes, {}", if same? { "every one as it was" } else { "and some are wrong" })];
    while let Some(event) = events.next().await {
        if let ConnectionEvent::Moved { remote: to, .. } = event {
            log.push(format!("the peer saw a move: {}", to == laptop.local_addr() && to != before));
            break;
        }
    }
    Ok(log)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    run().await?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
