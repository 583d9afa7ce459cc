//! Endpoints that move, and what is told of it.

use crate::hosts::{pair, pattern, within};
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

#[tokio::test]
async fn an_address_that_cannot_be_bound_leaves_the_endpoint_where_it_was() {
    let (server, there, client, here) = pair().await;
    let before = client.local_addr();
    client.rebind(server.local_addr()).unwrap_err();
    assert_eq!(client.local_addr(), before);
    here.open("plain", "bytes").await.unwrap();
    within("accept", there.accept()).await.unwrap();
}
