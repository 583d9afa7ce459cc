//! Two endpoints on the loopback.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use tng::{Access, Builder, Connection, Endpoint, Identity, ServiceOptions, Target};

/// A test that hangs says so.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.unwrap_or_else(|_| panic!("{what}: nothing for 60 s"))
}

pub fn identity(n: u8) -> Identity {
    Identity::from_seed([n; 32])
}

pub fn builder() -> Builder {
    let loopback: SocketAddr = "127.0.0.1:0".parse().unwrap();
    Endpoint::builder().bind(loopback)
}

pub fn public() -> Builder {
    builder()
        .access(Access::Public)
        .listen("tree", "bytes", ServiceOptions { substreams: true, ..ServiceOptions::default() })
        .listen("plain", "bytes", ServiceOptions::default())
}

pub fn target(server: &Endpoint) -> Target {
    Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() }
}

/// A server, its side of a connection, a client, and its side.
pub async fn pair() -> (Endpoint, Connection, Endpoint, Connection) {
    join(public().identity(identity(1)), builder().identity(identity(2))).await
}

/// As [`pair`], of these two.
pub async fn join(server: Builder, client: Builder) -> (Endpoint, Connection, Endpoint, Connection) {
    let server = server.build().await.unwrap();
    let client = client.build().await.unwrap();
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (there, here) = within("pair", async { tokio::join!(accepting, client.connect(target(&server))) }).await;
    (server, there, client, here.unwrap())
}

pub fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + seed * 7 + i / 251) as u8).collect()
}
