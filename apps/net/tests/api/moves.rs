//! Endpoints that move, and what is told of it.

use crate::hosts::{builder, identity, join, pair, pattern, public, within};
use tng::ConnectionEvent;

#[tokio::test]
async fn a_transfer_survives_its_endpoints_moves_in_either_direction() {
    const LEN: usize = 4_000_000;
    let (server, there, client, here) = pair().await;
    let (mut told, first) = (there.events(), client.local_addr());
    let mut up = here.open("plain", "bytes").await.unwrap();
    up.write_all(b"go").await.unwrap();
    let mut down = within("accept", there.accept()).await.unwrap().stream;
    let data = pattern(LEN, 1);
    let sending = async {
        for chunk in data.chunks(LEN / 4) {
            up.write_all(chunk).await.unwrap();
            client.rebind("127.0.0.1:0".parse().unwrap()).unwrap();
        }
        up.finish().await.unwrap();
    };
    let receiving = async {
        assert_eq!(down.read_to_end(LEN + 2).await.unwrap()[2..], data);
    };
    within("transfer", async { tokio::join!(sending, receiving) }).await;
    assert_ne!(client.local_addr(), first);
    let moved = within("moved", async {
        loop {
            match told.next().await {
                Some(ConnectionEvent::Moved { remote, .. }) if remote == client.local_addr() => break remote,
                Some(_) => {}
                None => panic!("the connection is over: {}", there.closed().await),
            }
        }
    });
    assert_eq!(moved.await, there.remote_address().unwrap());
    // The other one moves too, and speaks first.
    server.rebind("127.0.0.1:0".parse().unwrap()).unwrap();
    down.write_all(b"here now").await.unwrap();
    let mut buf = [0; 8];
    within("after the move", async {
        let mut got = 0;
        while got < buf.len() {
            got += up.read(&mut buf[got..]).await.unwrap();
        }
    })
    .await;
    assert_eq!(&buf, b"here now");
    here.close(0, "");
    assert_eq!(within("end", async { while told.next().await.is_some() {} }).await, ());
    assert_eq!(there.events().next().await, None);
}

/// All of 127.0.0.0/8 is the loopback's on Linux.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_connection_goes_on_from_a_further_address_that_it_is_told_of() {
    let (_server, there, client, here) =
        join(public().identity(identity(1)), builder().bind("0.0.0.0:0".parse().unwrap())).await;
    let mut told = there.events();
    let mut up = here.open("plain", "bytes").await.unwrap();
    up.write_all(b"from the one").await.unwrap();
    let mut down = within("accept", there.accept()).await.unwrap().stream;
    client.note_address("127.0.0.2".parse().unwrap());
    let further = std::net::SocketAddr::new("127.0.0.2".parse().unwrap(), client.local_addr().port());
    let added = async {
        loop {
            match told.next().await {
                Some(ConnectionEvent::PathAdded { remote, .. }) if remote == further => break,
                Some(ConnectionEvent::Moved { .. }) => panic!("the old path is left in peace"),
                Some(_) => {}
                None => panic!("the connection is over: {}", there.closed().await),
            }
        }
    };
    within("a path from there", added).await;
    up.write_all(b" and the other").await.unwrap();
    up.finish().await.unwrap();
    assert_eq!(within("all", down.read_to_end(100)).await.unwrap(), b"from the one and the other");
    assert_eq!(there.remote_address(), Some(further));
}

#[tokio::test]
async fn an_address_that_cannot_be_bound_leaves_the_endpoint_where_it_was() {
    let (server, there, client, here) = pair().await;
    let before = client.local_addr();
    client.rebind(server.local_addr()).unwrap_err();
    assert_eq!(client.local_addr(), before);
    here.open("plain", "bytes").await.unwrap();
    within("accept", there.accept()).await.unwrap();
}
