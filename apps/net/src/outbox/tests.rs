use core::future::poll_fn;
use tng_base::Ecn;

use super::*;
use crate::faulty::{Attempt, Faulty};
use crate::socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, UdpSocket};

/// A send that the system refuses for a reason of its own.
fn refused(_: &Attempt) -> Option<io::Error> {
    Some(io::Error::other("refused"))
}

/// Systems that cannot segment answer this.
fn no_batches(attempt: &Attempt) -> Option<io::Error> {
    (attempt.segments > 1).then(|| io::Error::from_raw_os_error(5))
}

struct Bench {
    outbox: Outbox,
    socket: Faulty,
    sink: UdpSocket,
}

impl Bench {
    async fn new(judge: impl Fn(&Attempt) -> Option<io::Error> + Send + Sync + 'static) -> Bench {
        let bind = || UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let bench = Bench { outbox: Outbox::new(), socket: Faulty::new(bind(), judge), sink: bind() };
        poll_fn(|cx| bench.socket.poll_writable(cx)).await.unwrap();
        bench
    }

    /// Queues a batch of datagrams of 1000 bytes, the last of 500, each filled with its number from `first` on.
    fn push(&mut self, first: u8, datagrams: usize) {
        let buffer = self.outbox.vacant().unwrap();
        let len = datagrams * 1000 - 500;
        for (i, part) in buffer[..len].chunks_mut(1000).enumerate() {
            part.fill(first + i as u8);
        }
        let remote = self.sink.local_addr().unwrap();
        self.outbox.push(Transmit { remote, local: None, ecn: Ecn::Ect0, len, segment_size: 1000 });
    }

    async fn flush(&mut self) {
        poll_fn(|cx| self.outbox.poll_flush(&self.socket, cx)).await.unwrap();
    }

    /// First byte and length of every datagram that arrived.
    async fn arrived(&self, count: usize) -> Vec<(u8, usize)> {
        let mut buffer = vec![0; RECEIVE_BATCH * RECEIVE_BUFFER];
        let mut received = [Received::default(); RECEIVE_BATCH];
        let mut all = Vec::new();
        while all.len() < count {
            poll_fn(|cx| self.sink.poll_readable(cx)).await.unwrap();
            let Ok(n) = self.sink.try_receive(&mut buffer, &mut received) else { continue };
            for (part, meta) in buffer.chunks(RECEIVE_BUFFER).zip(&received[..n]) {
                all.extend(part[..meta.len].chunks(meta.segment_size).map(|datagram| (datagram[0], datagram.len())));
            }
        }
        all
    }
}

fn expected(datagrams: usize) -> Vec<(u8, usize)> {
    (0..datagrams).map(|i| (i as u8, if i + 1 == datagrams { 500 } else { 1000 })).collect()
}

#[tokio::test]
async fn a_batch_leaves_in_one_call() {
    let mut bench = Bench::new(|_| None).await;
    bench.push(0, 40);
    bench.flush().await;
    assert_eq!(bench.arrived(40).await, expected(40));
    assert_eq!(bench.socket.segments(), [40]);
    let counters = bench.outbox.counters();
    assert_eq!((counters.sends, counters.datagrams, counters.bytes), (1, 40, 39_500));
}

#[tokio::test]
async fn a_batch_of_more_datagrams_than_the_system_takes_is_cut() {
    let mut bench = Bench::new(|_| None).await;
    let remote = bench.sink.local_addr().unwrap();
    bench.outbox.vacant().unwrap()[..3000].fill(7);
    bench.outbox.push(Transmit { remote, local: None, ecn: Ecn::Ect0, len: 3000, segment_size: 30 });
    bench.flush().await;
    assert_eq!(bench.socket.segments(), [64, 36]);
    assert_eq!(bench.arrived(100).await.len(), 100);
}

#[tokio::test]
async fn a_batch_stays_below_the_longest_udp_payload() {
    assert!(Outbox::new().vacant().unwrap().len() <= 65_507);
}

#[tokio::test]
async fn the_datagrams_of_a_refused_batch_are_sent_again_one_by_one() {
    let mut bench = Bench::new(no_batches).await;
    bench.push(0, 5);
    bench.flush().await;
    assert_eq!(bench.arrived(5).await, expected(5));
    assert_eq!(bench.socket.segments(), [5, 1, 1, 1, 1, 1]);
    assert_eq!(bench.outbox.counters().resent_batches, 1);
    assert_eq!(bench.outbox.counters().refused_datagrams, 0);
}

#[tokio::test]
async fn segmentation_that_keeps_failing_is_switched_off() {
    let mut bench = Bench::new(no_batches).await;
    for _ in 0..SEGMENTATION_STRIKES {
        bench.push(0, 3);
        bench.flush().await;
    }
    let before = bench.socket.segments().len();
    bench.push(0, 3);
    bench.flush().await;
    assert_eq!(bench.socket.segments()[before..], [1, 1, 1]);
    assert_eq!(bench.arrived(12).await.len(), 12);
}

#[tokio::test]
async fn segmentation_that_fails_now_and_then_stays_on() {
    let mut bench =
        Bench::new(|attempt| (attempt.segments > 1 && attempt.index % 10 < 8).then(|| refused(attempt).unwrap())).await;
    for _ in 0..40 {
        bench.push(0, 3);
        bench.flush().await;
    }
    // Of every ten calls, two batches may pass: strikes never come three in a row.
    assert!(bench.socket.segments()[60..].contains(&3), "{:?}", bench.socket.segments());
}

#[tokio::test]
async fn a_destination_that_refuses_everything_costs_few_calls_and_no_strike() {
    let mut bench = Bench::new(refused).await;
    for _ in 0..10 {
        bench.push(0, 40);
        bench.flush().await;
    }
    assert_eq!(bench.socket.segments(), [40, 1, 1].repeat(10));
    let counters = bench.outbox.counters();
    assert_eq!((counters.sends, counters.refused_datagrams), (0, 400));
}

#[tokio::test]
async fn an_oversize_datagram_is_lost_and_the_next_one_passes() {
    let mut bench = Bench::new(|attempt| (attempt.len > 1400).then(|| io::Error::from_raw_os_error(90))).await;
    let remote = bench.sink.local_addr().unwrap();
    for len in [9000, 10] {
        bench.outbox.vacant().unwrap()[..len].fill(1);
        bench.outbox.push(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len });
    }
    bench.flush().await;
    assert_eq!(bench.arrived(1).await, [(1, 10)]);
    assert_eq!(bench.outbox.counters().refused_datagrams, 1);
}

#[tokio::test]
async fn a_blocked_socket_keeps_what_it_did_not_take() {
    let mut bench = Bench::new(no_batches).await;
    bench.push(0, 3);
    bench.push(10, 3);
    bench.socket.close_gate();
    let blocked = poll_fn(|cx| Poll::Ready(bench.outbox.poll_flush(&bench.socket, cx).is_pending())).await;
    assert!(blocked && bench.socket.segments().is_empty());
    bench.socket.open_gate();
    bench.flush().await;
    let all: Vec<u8> = bench.arrived(6).await.iter().map(|(first, _)| *first).collect();
    assert_eq!(all, [0, 1, 2, 10, 11, 12]);
}

#[tokio::test]
async fn a_socket_that_blocks_between_the_datagrams_of_a_batch_repeats_none() {
    let mut bench = Bench::new(|attempt| match attempt {
        Attempt { segments: 2.., .. } => Some(io::Error::from_raw_os_error(22)),
        Attempt { index, .. } => (index % 2 == 1).then(|| io::ErrorKind::WouldBlock.into()),
    })
    .await;
    bench.push(0, 4);
    bench.flush().await;
    assert_eq!(bench.arrived(4).await, expected(4));
}

#[tokio::test]
async fn a_full_outbox_has_no_vacancy_until_it_was_flushed() {
    let mut bench = Bench::new(|_| None).await;
    for i in 0..SEND_BATCHES {
        bench.push(i as u8, 1);
    }
    assert!(bench.outbox.vacant().is_none());
    bench.flush().await;
    assert!(bench.outbox.vacant().is_some());
}
