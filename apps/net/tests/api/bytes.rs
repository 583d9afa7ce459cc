//! Bytes without copies, and messages.

use bytes::Bytes;
use tng::ReadError;

use crate::hosts::{builder, join, pair, pattern, public, within};

#[tokio::test]
async fn chunks_outlive_their_stream_and_their_connection() {
    let (server, there, client, here) = pair().await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    let data = pattern(50_000, 3);
    let writing = async {
        ours.write_all(&data).await.unwrap();
        ours.finish().await.unwrap();
    };
    let reading = async {
        let mut stream = there.accept().await.unwrap().stream;
        let (mut chunks, mut max) = (Vec::new(), 1);
        while let Some(chunk) = stream.read_chunk(max).await.unwrap() {
            assert!((1..=max).contains(&chunk.len()), "{} of {max}", chunk.len());
            chunks.push(chunk);
            max = max * 3 % 10_007;
        }
        assert_eq!(stream.read_chunk(max).await, Ok(None));
        chunks
    };
    let ((), chunks) = within("chunks", async { tokio::join!(writing, reading) }).await;
    drop((server, there, client, here, ours));
    assert_eq!(chunks.concat(), data);
}

#[tokio::test]
async fn a_chunk_is_all_that_is_there_and_chunks_are_the_same_without_a_copy() {
    let (_server, there, _client, here) = pair().await;
    let data = pattern(100_000, 3);
    for together in [true, false] {
        let mut ours = here.open("plain", "bytes").await.unwrap();
        ours.write_all(&data).await.unwrap();
        ours.finish().await.unwrap();
        let mut stream = within("accept", there.accept()).await.unwrap().stream;
        if together {
            let mut got = stream.read_chunk(10_000).await.unwrap().unwrap().to_vec();
            assert_eq!(got.len(), 10_000, "more than a page is one piece");
            // All has come: the peer has heard so.
            got.extend(stream.read_chunk(usize::MAX).await.unwrap().unwrap());
            assert!(got == data, "{} bytes", got.len());
            assert_eq!(stream.read_chunk(usize::MAX).await, Ok(None));
            assert_eq!(stream.read_chunk(usize::MAX).await, Ok(None));
        } else {
            let (mut got, mut chunks) = (Vec::new(), vec![Bytes::new(); 7]);
            assert_eq!(stream.read_chunks(&mut []).await, Ok(Some(0)));
            while let Some(count) = within("chunks", stream.read_chunks(&mut chunks)).await.unwrap() {
                assert!((1..=7).contains(&count), "{count}");
                got.extend(chunks[..count].concat());
            }
            assert!(got == data, "{} bytes", got.len());
            assert_eq!(stream.read_chunks(&mut chunks).await, Ok(None));
        }
    }
}

#[tokio::test]
async fn bytes_that_are_given_away_arrive_beside_those_that_are_written() {
    let small = public().stream_window(50_000).connection_window(100_000);
    let (_server, there, _client, here) = join(small, builder().unsent_max(30_000)).await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    let data = Bytes::from(pattern(400_000, 3));
    let writing = async {
        let mut at = 0;
        for len in [100_000, 3, 5_000, 10, 120_000, 4_096, 170_891] {
            match len {
                3 | 4_096 => ours.write_all(&data[at..at + len]).await.unwrap(),
                _ => ours.write_bytes(data.slice(at..at + len)).await.unwrap(),
            }
            at += len;
        }
        ours.write_bytes(Bytes::new()).await.unwrap();
        assert_eq!(at, data.len());
        ours.finish().await.unwrap();
    };
    let reading = async { there.accept().await.unwrap().stream.read_to_end(500_000).await.unwrap() };
    let ((), read) = within("bytes", async { tokio::join!(writing, reading) }).await;
    assert!(read == data);
    drop(ours);
    assert!(data.is_unique(), "nothing holds them when they are acknowledged");
}

#[tokio::test]
async fn an_end_that_nobody_waits_for_is_an_end_also_when_the_handle_is_dropped() {
    let (_server, there, _client, here) = pair().await;
    let (mut ours, theirs) = here.open("plain", "bytes").await.unwrap().split();
    ours.write_all(&pattern(100_000, 1)).await.unwrap();
    ours.end().unwrap();
    ours.end().unwrap();
    drop((ours, theirs));
    let mut stream = within("accept", there.accept()).await.unwrap().stream;
    assert!(within("read", stream.read_to_end(200_000)).await.unwrap() == pattern(100_000, 1));
}

#[tokio::test]
async fn messages_keep_their_bounds_whatever_the_windows() {
    let small = public().stream_window(5_000).connection_window(10_000);
    let (_server, there, _client, here) = join(small, builder().unsent_max(1_000)).await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    let sizes = [1, 700, 3, 40_000, 2, 9_999];
    let writing = async {
        for size in sizes {
            ours.write_message(&pattern(size, size)).await.unwrap();
        }
        ours.write_all(b"and a last one without a mark").await.unwrap();
        ours.finish().await.unwrap();
    };
    let reading = async {
        let mut stream = there.accept().await.unwrap().stream;
        for size in sizes {
            assert_eq!(stream.read_message(40_000).await.unwrap().unwrap(), pattern(size, size), "{size} bytes");
        }
        assert_eq!(stream.read_message(100).await.unwrap().unwrap(), b"and a last one without a mark".as_slice());
        assert_eq!(stream.read_message(100).await, Ok(None));
    };
    within("messages", async { tokio::join!(writing, reading) }).await;
}

#[tokio::test]
async fn a_message_that_is_too_long_can_be_had_in_other_ways() {
    let (_server, there, _client, here) = pair().await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    for _ in 0..3 {
        ours.write_message(&pattern(1_000, 1)).await.unwrap();
    }
    let mut stream = within("accept", there.accept()).await.unwrap().stream;
    assert_eq!(within("first", stream.read_message(999)).await, Err(ReadError::TooLong(999)));
    assert_eq!(within("first", stream.read_message(10)).await, Err(ReadError::TooLong(10)));
    assert_eq!(within("first", stream.read_message(1_000)).await.unwrap().unwrap(), pattern(1_000, 1));
    assert_eq!(within("second", stream.read_message(500)).await, Err(ReadError::TooLong(500)));
    let (mut got, mut buf) = (Vec::new(), [0; 300]);
    while got.len() < 800 {
        let n = within("second", stream.read(&mut buf)).await.unwrap();
        got.extend_from_slice(&buf[..n]);
    }
    while got.len() < 1_000 {
        got.extend(within("second", stream.read_chunk(100)).await.unwrap().unwrap());
    }
    assert!(got == pattern(1_000, 1), "{} bytes", got.len());
    assert_eq!(within("third", stream.read_message(1_000)).await.unwrap().unwrap(), pattern(1_000, 1));
}

#[tokio::test]
async fn a_reader_that_gives_up_waiting_loses_nothing_of_a_message() {
    let (_server, there, _client, here) = pair().await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    ours.write_all(&pattern(500, 2)).await.unwrap();
    let mut stream = within("accept", there.accept()).await.unwrap().stream;
    // Part of the message is here, and taken; the wait for the rest is given up.
    for _ in 0..50 {
        tokio::select! {
            biased;
            message = stream.read_message(1_000) => panic!("{message:?} before its end"),
            () = tokio::task::yield_now() => {}
        }
    }
    ours.write_message(&pattern(300, 4)).await.unwrap();
    let message = within("message", stream.read_message(1_000)).await.unwrap().unwrap();
    assert_eq!(message, [pattern(500, 2), pattern(300, 4)].concat());
}

#[tokio::test]
async fn credit_that_a_late_reader_gives_back_is_told_at_once() {
    let (_server, there, _client, here) = pair().await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    let data = pattern(20_000_000, 5);
    let expected = data.clone();
    let writing = tokio::spawn(async move {
        ours.write_all(&data).await.unwrap();
        ours.finish().await.unwrap();
    });
    // By now the writer has used its credit and everything is acknowledged: nothing but the reader can set it going
    // again.
    let mut stream = there.accept().await.unwrap().stream;
    tokio::time::sleep(core::time::Duration::from_millis(500)).await;
    // A window is read at a time, with nobody waiting in between.
    let mut received: Vec<u8> = Vec::new();
    while received.len() < expected.len() {
        let mut part = vec![0; 64 << 10];
        // Sooner than a keep-alive would wake the two.
        let read = tokio::time::timeout(core::time::Duration::from_secs(10), stream.read(&mut part)).await;
        let n = read.unwrap_or_else(|_| panic!("nothing after {} bytes", received.len())).unwrap();
        assert!(n > 0, "after {} bytes", received.len());
        received.extend(&part[..n]);
    }
    assert_eq!(stream.read(&mut [0]).await, Ok(0));
    assert_eq!(received, expected);
    writing.await.unwrap();
}
