//! Connections on several paths, and on none.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tng::{
    AddPathError, CloseCause, ConnectError, Connection, ConnectionError, ConnectionEvent, Endpoint, Events, Keep,
    ReadError, Received, Socket, Stream, Target, Transmit, UdpSocket,
};

use crate::hosts::{builder, identity, join, pair, pattern, public, within};

/// Says that it sends, and hears nothing.
#[derive(Debug)]
struct Cut(UdpSocket);

impl Socket for Cut {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
    fn segments_max(&self) -> usize {
        1
    }
    fn poll_readable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn try_send(&self, _: &Transmit, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
    fn try_receive(&self, _: &mut [u8], _: &mut [Received]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

async fn until(events: &mut Events, what: &str, wanted: impl Fn(&ConnectionEvent) -> bool) -> ConnectionEvent {
    within(what, async {
        loop {
            let event = events.next().await.unwrap_or_else(|| panic!("over before {what}"));
            if wanted(&event) {
                return event;
            }
        }
    })
    .await
}

async fn stream(here: &Connection, there: &Connection) -> (Stream, Stream) {
    let mut ours = here.open("plain", "bytes").await.unwrap();
    ours.write_all(b"x").await.unwrap();
    let mut theirs = within("accept", there.accept()).await.unwrap().stream;
    assert_eq!(within("read", theirs.read(&mut [0; 2])).await, Ok(1));
    (ours, theirs)
}

/// Two hosts of two addresses each, `127.0.0.1` and `::1`, connected over the first. `None` where there is no IPv6.
async fn on_two_networks() -> Option<(Endpoint, Connection, Endpoint, Connection, SocketAddr)> {
    let anywhere: SocketAddr = "[::]:0".parse().unwrap();
    let server = public().bind(anywhere).build().await.unwrap();
    let client = builder().bind(anywhere).build().await.unwrap();
    let at = |v6| server.local_addresses().into_iter().find(|addr| addr.ip().is_loopback() && addr.is_ipv6() == v6);
    let (v4, v6) = (at(false)?, at(true)?);
    let target = Target { eid: server.eid(), addresses: vec![v4], capability: None, via: Vec::new() };
    let accepting = async { server.accept().await.unwrap().accept().await.unwrap() };
    let (there, here) = within("pair", async { tokio::join!(accepting, client.connect(target)) }).await;
    Some((server, there, client, here.unwrap(), v6))
}

#[tokio::test]
async fn a_path_is_added_before_the_old_one_is_given_up() {
    const LEN: usize = 2_000_000;
    let Some((_server, there, _client, here, v6)) = on_two_networks().await else { return };
    let (mut ours, mut theirs) = stream(&here, &there).await;
    let (old, mut told) = (here.paths()[0].path, there.events());
    let data = pattern(LEN, 6);
    let sending = async {
        ours.write_all(&data[..LEN / 2]).await.unwrap();
        let new = here.add_path(None, &[v6]).await.unwrap();
        let mut paths: Vec<_> = here.paths().iter().map(|path| path.path).collect();
        paths.sort_unstable();
        assert_eq!(paths, [old, new]);
        here.detach(Some(old));
        ours.write_all(&data[LEN / 2..]).await.unwrap();
        ours.finish().await.unwrap();
    };
    let receiving = async { assert!(theirs.read_to_end(LEN).await.unwrap() == data) };
    within("transfer", async { tokio::join!(sending, receiving) }).await;
    until(
        &mut told,
        "the new path",
        |event| matches!(event, ConnectionEvent::PathAdded { remote, .. } if remote.is_ipv6()),
    )
    .await;
    until(&mut told, "the old path's end", |event| matches!(event, ConnectionEvent::PathLost { .. })).await;
    assert_eq!(here.remote_address(), Some(v6));
    assert_eq!(there.paths().len(), 1);
}

#[tokio::test]
async fn who_is_away_is_found_again_when_there_is_something_to_say() {
    let (_server, there, _client, here) = pair().await;
    let (mut ours, mut theirs) = stream(&here, &there).await;
    let (mut told_here, mut told_there) = (here.events(), there.events());
    here.keep_for(None);
    here.detach(None);
    until(&mut told_here, "away", |event| *event == ConnectionEvent::Away).await;
    until(&mut told_there, "away, there", |event| *event == ConnectionEvent::Away).await;
    ours.write_all(b"hello again").await.unwrap();
    let mut buf = [0; 11];
    within("read", tokio::io::AsyncReadExt::read_exact(&mut theirs, &mut buf)).await.unwrap();
    assert_eq!(&buf, b"hello again");
    until(&mut told_here, "back", |event| *event == ConnectionEvent::Back).await;
    until(&mut told_there, "back, there", |event| *event == ConnectionEvent::Back).await;
}

#[tokio::test]
async fn who_is_away_for_too_long_is_given_up_and_the_reader_is_told() {
    let short = Duration::from_millis(500);
    let server = public().idle_timeout(Some(short)).keep(Keep { time: Some(short), ..Keep::default() });
    let (_server, there, client, here) = join(server, builder()).await;
    let (_ours, mut theirs) = stream(&here, &there).await;
    let mut told = there.events();
    // The client goes where nobody hears it.
    client.rebind_to(Arc::new(Cut(UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap()))).unwrap();
    until(&mut told, "away", |event| *event == ConnectionEvent::Away).await;
    let cause = within("end", there.closed()).await;
    let error = within("read", theirs.read(&mut [0; 1])).await.unwrap_err();
    assert_eq!(error, ReadError::Connection(ConnectionError::Ended(cause.clone())));
    assert_eq!(told.next().await, None);
    assert_eq!(cause, CloseCause::Idle);
}

#[tokio::test]
async fn a_path_to_nowhere_harms_nobody() {
    let timeout = Duration::from_millis(300);
    let (_server, there, _client, here) = join(public(), builder().set_up_timeout(timeout)).await;
    let (mut ours, mut theirs) = stream(&here, &there).await;
    let nowhere = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let failed = within("path", here.add_path(None, &[nowhere.local_addr().unwrap()])).await;
    assert!(matches!(failed, Err(AddPathError::Failed(_))), "{failed:?}");
    assert_eq!(here.paths().len(), 1);
    ours.write_all(b"still").await.unwrap();
    assert_eq!(within("read", theirs.read(&mut [0; 8])).await, Ok(5));
    here.close(0, "");
    within("end", there.closed()).await;
    assert_eq!(there.add_path(None, &[]).await, Err(AddPathError::NotConnected));
}

#[tokio::test]
async fn a_peer_that_must_come_again_shows_that_it_receives() {
    let server = public().build().await.unwrap();
    let client = builder().identity(identity(2)).build().await.unwrap();
    let target = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
    let accepting = async {
        let first = server.accept().await.unwrap();
        assert!(!first.is_validated());
        first.retry();
        let second = server.accept().await.unwrap();
        assert!(second.is_validated());
        assert_eq!(second.eid(), identity(2).eid());
        second.accept().await.unwrap()
    };
    let (there, here) = within("retry", async { tokio::join!(accepting, client.connect(target)) }).await;
    stream(&here.unwrap(), &there).await;
}

#[tokio::test]
async fn who_is_accepted_and_dropped_at_once_is_not_left_waiting() {
    let server = public().build().await.unwrap();
    let client = builder().build().await.unwrap();
    let target = Target { eid: server.eid(), addresses: vec![server.local_addr()], capability: None, via: Vec::new() };
    let dropping = async { drop(server.accept().await.unwrap().accept().await.unwrap()) };
    let ((), here) = within("answer", async { tokio::join!(dropping, client.connect(target)) }).await;
    assert!(matches!(here, Err(ConnectError::Refused { .. })), "{here:?}");
}

#[tokio::test]
async fn both_ends_export_the_same_secret_and_name_a_stream_alike() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = stream(&here, &there).await;
    let export = |connection: &Connection, label: &[u8], context: &[u8]| {
        let mut out = [0; 48];
        connection.export_keying_material(label, context, &mut out).map(|()| out)
    };
    let secret = export(&here, b"chat", b"room 1").unwrap();
    assert_eq!(export(&there, b"chat", b"room 1"), Ok(secret));
    assert_ne!(secret, [0; 48]);
    for (label, context) in [(b"chat", b"room 2"), (b"chas", b"room 1")] {
        assert_ne!(export(&there, label, context), Ok(secret));
    }
    assert_eq!(ours.usid(), theirs.usid());
    let name = ours.usid().unwrap();
    // It is the connection's, whatever the path.
    here.detach(None);
    until(&mut there.events(), "away", |event| *event == ConnectionEvent::Away).await;
    assert_eq!(export(&here, b"chat", b"room 1"), Ok(secret));
    assert_eq!(ours.usid(), Some(name));
    there.close(0, "");
    here.close(0, "");
    within("end", here.closed()).await;
    assert_eq!(here.events().next().await, None);
}
