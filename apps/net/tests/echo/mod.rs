//! Two endpoints on sockets: one gives back what comes by pipe, whatever carries it.

use std::sync::Arc;

use tng::{Access, Connection, Endpoint, Pipe, Repertoire, ServiceOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

/// What pipes are to: a service, and what its streams speak.
pub const SERVICE: (&str, &str) = ("echo", "bytes/1");

/// Who opens pipes.
pub async fn client(repertoire: Arc<Repertoire>) -> Endpoint {
    let local = "127.0.0.1:0".parse().expect("an address");
    Endpoint::builder().bind(local).repertoire(repertoire).build().await.expect("a socket")
}

/// Who gives back what comes, piece by piece.
pub async fn server(repertoire: Arc<Repertoire>) -> Endpoint {
    let local = "127.0.0.1:0".parse().expect("an address");
    let server = Endpoint::builder().bind(local).access(Access::Public).repertoire(repertoire);
    let server = server.listen(SERVICE.0, SERVICE.1, ServiceOptions::default()).build().await.expect("a socket");
    let serving = server.clone();
    tokio::spawn(async move {
        while let Some(incoming) = serving.accept().await {
            if let Ok(connection) = incoming.accept().await {
                tokio::spawn(gives_back(connection));
            }
        }
    });
    server
}

async fn gives_back(connection: Connection) {
    let _ = connection.negotiation().await;
    let pipe: Pipe = match connection.guest() {
        Ok(guest) => guest.into(),
        Err(_) => match connection.accept().await {
            Ok(incoming) => incoming.stream.into(),
            Err(_) => return,
        },
    };
    let (mut send, mut recv) = pipe.split();
    // Whatever has come is taken, so that who writes before it reads need not wait.
    let (taken, mut given) = mpsc::unbounded_channel();
    let taking = async move {
        let mut bytes = [0; 4_096];
        loop {
            match recv.read(&mut bytes).await {
                Ok(0) => return true,
                Ok(len) => drop(taken.send(bytes[..len].to_vec())),
                Err(_) => return false,
            }
        }
    };
    let giving = async {
        while let Some(piece) = given.recv().await {
            if send.write_all(&piece).await.is_err() {
                return false;
            }
        }
        true
    };
    if tokio::join!(taking, giving) == (true, true) {
        let _ = send.finish().await;
    }
    connection.closed().await;
}
