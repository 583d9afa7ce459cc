//! A transfer whose sender changes its address in the middle.
//!
//! Shows that a connection belongs to two keys and not to two addresses. First the endpoint goes on with another socket
//! on another port, as when a laptop leaves its network; then it adds a path over another network before it gives up
//! the first one. The stream does not notice, its peer is told.
//!
//! `cargo run -p tng --example move_host`
use std::error::Error;
use std::net::{Ipv6Addr, SocketAddr};

use tng::{Access, ConnectionEvent, Endpoint, ServiceOptions, Target};

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes to transfer.
const LEN: usize = 8_000_000;

fn data() -> impl Iterator<Item = u8> {
    (0..LEN).map(|i| (i ^ i >> 9) as u8)
}

/// Both ends in one process. Answers what happened.
pub async fn run() -> Result<Vec<String>, Failure> {
    let server =
        Endpoint::builder().access(Access::Public).listen("backup", "bytes", ServiceOptions::default()).build().await?;
    let laptop = Endpoint::builder().build().await?;
    // The two networks of this example: IPv4 and IPv6 of the loopback. It begins on the first.
    let mut networks: Vec<SocketAddr> = server.local_addresses();
    networks.retain(|address| address.ip().is_loopback());
    let target = Target { eid: server.eid(), addresses: networks[..1].to_vec(), capability: None, via: Vec::new() };
    let (ours, theirs) = tokio::join!(laptop.connect(target), async {
        Ok::<_, Failure>(server.accept().await.ok_or("closed")?.accept().await?)
    });
    let (ours, theirs) = (ours?, theirs?);
    let (first, mut events) = (ours.paths(), theirs.events());

    let sending = async {
        let mut stream = ours.open("backup", "bytes").await?;
        let bytes: Vec<u8> = data().collect();
        let parts: Vec<&[u8]> = bytes.chunks(LEN / 3 + 1).collect();
        stream.write_all(parts[0]).await?;
        // Another socket, another port, and the old one gone without a word.
        laptop.rebind((Ipv6Addr::UNSPECIFIED, 0).into())?;
        stream.write_all(parts[1]).await?;
        // Another network: the new path first, then the old one is given up.
        if let [_, second] = networks[..] {
            ours.add_path(None, &[second]).await?;
            ours.detach(first.first().map(|path| path.path));
        }
        stream.write_all(parts[2]).await?;
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
    ours.close(0, "");
    while let Some(event) = events.next().await {
        match event {
            ConnectionEvent::Moved { .. } => log.push("the laptop moved".into()),
            ConnectionEvent::PathAdded { .. } => log.push("it has a second path".into()),
            ConnectionEvent::PathLost { .. } => log.push("the first path is gone".into()),
            _ => {}
        }
    }
    Ok(log)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    run().await?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
