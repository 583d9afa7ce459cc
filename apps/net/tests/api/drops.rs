//! What is lost when handles are dropped: nothing that was confirmed, and nothing silently.

use std::future::Future;
use std::task::{Context, Poll, Waker};

use tng::{ReadError, SendStream};

use crate::hosts::{builder, pair, pattern, public, target, within};

const LEN: usize = 300_000;

/// Has a stream finished without waiting for the confirmation.
fn begin_to_finish(mut stream: SendStream) {
    let finish = std::pin::pin!(stream.finish());
    assert!(matches!(finish.poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
}

#[tokio::test]
async fn what_was_confirmed_is_read_whatever_the_sender_drops() {
    let (_server, there, client, here) = pair().await;
    let mut stream = here.open("plain", "bytes").await.unwrap();
    stream.write_all(&pattern(LEN, 1)).await.unwrap();
    within("confirmation", stream.finish()).await.unwrap();
    drop((stream, here, client));
    // The connection is over before anybody has asked for the stream.
    within("end", there.closed()).await;
    let mut incoming = there.accept().await.unwrap();
    assert!(incoming.stream.read_to_end(LEN).await.unwrap() == pattern(LEN, 1));
}

#[tokio::test]
async fn what_was_finished_is_delivered_after_every_handle_is_dropped() {
    let (_server, there, client, here) = pair().await;
    let (mut send, recv) = here.open("plain", "bytes").await.unwrap().split();
    send.write_all(&pattern(LEN, 2)).await.unwrap();
    begin_to_finish(send);
    drop((recv, here, client));
    let mut incoming = within("accept", there.accept()).await.unwrap();
    assert!(within("read", incoming.stream.read_to_end(LEN)).await.unwrap() == pattern(LEN, 2));
}

#[tokio::test]
async fn what_was_finished_before_the_connection_was_there_is_delivered_too() {
    let server = public().build().await.unwrap();
    let client = builder().build().await.unwrap();
    let connecting = client.dial(target(&server)).unwrap();
    let (mut send, recv) = connecting.connection().open("plain", "bytes").await.unwrap().split();
    send.write_all(&pattern(LEN, 3)).await.unwrap();
    begin_to_finish(send);
    drop((recv, connecting, client));
    let there = within("ask", server.accept()).await.unwrap().accept().await.unwrap();
    let mut incoming = within("accept", there.accept()).await.unwrap();
    assert!(within("read", incoming.stream.read_to_end(LEN)).await.unwrap() == pattern(LEN, 3));
}

#[tokio::test]
async fn what_was_not_finished_never_looks_whole() {
    let (_server, there, _client, here) = pair().await;
    // Dropped at many places of a transfer.
    for part in 0..8 {
        let mut stream = here.open("plain", "bytes").await.unwrap();
        stream.write_all(&pattern(LEN / 8 * part, 4)).await.unwrap();
        let mut incoming = within("accept", there.accept()).await.unwrap();
        drop(stream);
        let end = within("read", incoming.stream.read_to_end(LEN)).await;
        assert_eq!(end, Err(ReadError::Reset(0)), "after {part} parts");
    }
}

#[tokio::test]
async fn a_reader_that_is_dropped_is_no_confirmation() {
    let (_server, there, _client, here) = pair().await;
    let mut stream = here.open("plain", "bytes").await.unwrap();
    stream.write_all(&pattern(LEN, 5)).await.unwrap();
    drop(within("accept", there.accept()).await.unwrap());
    let rest = async {
        loop {
            stream.write_all(&[1; 1_000]).await?;
        }
    };
    let told: Result<(), _> = within("stop", rest).await;
    assert_eq!(told, Err(tng::WriteError::Stopped(0)));
    assert_eq!(within("finish", stream.finish()).await, Err(tng::WriteError::Stopped(0)));
}
