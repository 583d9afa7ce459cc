//! Substreams, datagrams and priorities, over real sockets on the loopback.

use std::time::Duration;

use crate::hosts::{builder, identity, join, pair, pattern, public, within};
use tng::{OpenError, Priority, SendDatagramError, Stream, SubstreamError, WriteError};

/// A stream with both of its ends, which both take substreams.
async fn parent(here: &tng::Connection, there: &tng::Connection) -> (Stream, Stream) {
    let stream = here.open("tree", "bytes").await.unwrap();
    stream.listen_substreams().unwrap();
    (stream, within("accept", there.accept()).await.unwrap().stream)
}

#[tokio::test]
async fn datagrams_of_every_size_arrive_whole() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = parent(&here, &there).await;
    for len in [0, 1, 1_000, 20_000, 60_000, 300_000, 3_000_000] {
        for (from, to) in [(&ours, &theirs), (&theirs, &ours)] {
            let sent = pattern(len, len);
            from.send_datagram(&sent, None).unwrap();
            let arrived = within("datagram", to.recv_datagram()).await.unwrap();
            assert!(arrived == sent, "{len} bytes, {} arrived", arrived.len());
        }
    }
}

#[tokio::test]
async fn a_datagram_can_be_accepted_as_a_stream_that_takes_no_answer() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = parent(&here, &there).await;
    // One that is sent once, one that travels as a stream.
    for len in [100, 300_000] {
        ours.send_datagram(&pattern(len, 1), None).unwrap();
        let mut stream = within("accept", theirs.accept_substream()).await.unwrap();
        assert_eq!(within("read", stream.read_to_end(len)).await.unwrap(), pattern(len, 1));
        let error = within("stop", async {
            loop {
                if let Err(error) = stream.write_all(b"thanks").await {
                    break error;
                }
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(error.await, WriteError::Stopped(0), "{len} bytes");
    }
}

#[tokio::test]
async fn a_datagram_flood_is_told_to_wait_and_an_outlived_datagram_is_dropped() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = parent(&here, &there).await;
    let outcome = (0..10_000).try_for_each(|_| ours.send_datagram(&[1; 1_000], None));
    assert_eq!(outcome, Err(SendDatagramError::Full));
    let first = within("datagram", theirs.recv_datagram()).await.unwrap();
    assert_eq!(first, [1; 1_000].as_slice());
    // The lifetime of what has not left is over before anything can leave.
    ours.send_datagram(b"late", Some(Duration::ZERO)).unwrap();
    let got = async {
        while let Ok(datagram) = theirs.recv_datagram().await {
            assert_ne!(datagram, b"late".as_slice());
        }
    };
    assert!(tokio::time::timeout(Duration::from_millis(300), got).await.is_err());
}

#[tokio::test]
async fn who_waits_for_room_sends_any_number_of_datagrams() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = parent(&here, &there).await;
    // More than wait at once: of those that are queued, and of those that travel as streams.
    for (len, count) in [(1_000_usize, 3_000_usize), (200_000, 150)] {
        let sending = async {
            for _ in 0..count {
                ours.send_datagram_wait(&pattern(len, 1), None).await.unwrap();
            }
        };
        let receiving = async {
            let mut arrived = 0;
            while arrived < count {
                let datagram = theirs.recv_datagram().await.unwrap();
                // Small ones of before may still be there.
                if datagram.len() == len {
                    assert!(datagram == pattern(len, 1), "number {arrived} of {len} bytes");
                    arrived += 1;
                }
            }
        };
        // The large ones travel reliably; of the small ones some may be lost where nobody reads for long.
        if len > 100_000 {
            within("all of them", async { tokio::join!(sending, receiving) }).await;
        } else {
            within("sent", async {
                tokio::select! { () = sending => {} () = receiving => {} }
            })
            .await;
        }
    }
    here.close(0, "");
    let waiting = ours.send_datagram_wait(&[0; 1_000], None);
    assert!(matches!(within("end", waiting).await, Err(SendDatagramError::Connection(_))));
}

#[tokio::test]
async fn a_waiting_acceptor_hears_that_the_parent_is_over() {
    let (_server, there, _client, here) = pair().await;
    let (mut ours, mut theirs) = parent(&here, &there).await;
    let waiting = tokio::spawn({
        let (there, id) = (there.clone(), theirs.id());
        async move { there.accept_substream(id).await.map(|stream| stream.id()) }
    });
    let ending = async {
        ours.finish().await.unwrap();
        ours.read_to_end(0).await.unwrap();
    };
    let answering = async {
        theirs.read_to_end(0).await.unwrap();
        theirs.finish().await.unwrap();
    };
    within("end", async { tokio::join!(ending, answering) }).await;
    assert_eq!(within("over", waiting).await.unwrap(), Err(SubstreamError::ParentOver));
    drop(theirs);
    assert_eq!(there.recv_datagram(ours.id()).await, Err(SubstreamError::ParentOver));
}

#[tokio::test]
async fn priorities_are_told_changed_and_asked_for() {
    let (_server, there, _client, here) = pair().await;
    let (ours, theirs) = parent(&here, &there).await;
    assert_eq!(ours.priority(), Some(Priority::default()));
    let urgent = Priority { level: Some(3), weight: 7 };
    ours.set_priority(urgent);
    assert_eq!(ours.priority(), Some(urgent));
    let wish = Priority { level: Some(-2), weight: 200 };
    ours.request_priority(wish);
    within("wish", async {
        while theirs.priority() != Some(wish) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    assert_eq!(ours.priority(), Some(urgent));
}

#[tokio::test]
async fn a_datagram_larger_than_the_receiver_takes_is_dropped_and_counted_and_the_next_arrives() {
    let (_server, there, _client, here) = pair().await;
    let mut ours = here.open("plain", "bytes").await.unwrap();
    ours.write_all(b"a parent").await.unwrap();
    let theirs = there.accept().await.unwrap().stream;
    let large = pattern(17 << 20, 1);
    ours.send_datagram_wait(&large, None).await.unwrap();
    ours.send_datagram_wait(b"the next", None).await.unwrap();
    let got = within("the next datagram", theirs.recv_datagram()).await.unwrap();
    assert_eq!(got, b"the next".as_slice());
    let count = async {
        while there.stream_stats().unwrap().datagrams_dropped.too_large == 0 {
            let _ = tokio::time::timeout(core::time::Duration::from_millis(20), theirs.recv_datagram()).await;
        }
    };
    within("the count", count).await;
}

#[tokio::test]
async fn who_waits_to_open_a_stream_is_not_forgotten_when_another_wait_ends_in_an_error() {
    let server = public().identity(identity(1)).configure(|config| config.streams.streams_max = 16);
    let (_server, there, _client, here) = join(server, builder().identity(identity(2))).await;
    let (ours, theirs) = parent(&here, &there).await;
    let id = ours.id();
    let mut streams = vec![ours, theirs];
    for _ in 1..16 {
        let (ours, theirs) = parent(&here, &there).await;
        streams.extend([ours, theirs]);
    }
    // Both wait for the room that is made when all of these end; the first in the queue has no use for it.
    let ending = async {
        tokio::task::yield_now().await;
        for stream in &mut streams {
            stream.reset(0);
            stream.stop(0);
        }
    };
    let waiting = async { tokio::join!(here.open_substream(id), here.open("tree", "bytes"), ending) };
    let (child, stream, ()) = within("room", waiting).await;
    assert_eq!(child.err(), Some(OpenError::NoParent));
    assert!(stream.is_ok(), "{stream:?}");
}
