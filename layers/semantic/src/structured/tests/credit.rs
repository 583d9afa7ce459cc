//! Credit over all streams, and what is kept of it: one sentence a test.

use super::*;

const UNREAD: usize = 1_000;

fn config() -> Config {
    Config { stream_window: 1 << 20, host_window: 4 << 20, backlog_max: 2 * UNREAD, ..Config::default() }
}

/// A thousand streams that nobody reads have as much as they get of the credit over all streams.
fn eaten(reserve: bool, each: usize) -> (Pair, Vec<StreamId>) {
    let mut pair = Pair::new(1, Pipe::default(), config());
    if !reserve {
        pair.ends[0].reserve = super::super::credit::Reserve::default();
    }
    let ids: Vec<StreamId> = (0..UNREAD).map(|_| pair.ends[0].open("www", "http").expect("credit")).collect();
    for &id in &ids {
        pair.ends[0].write(id, &vec![1; each]).expect("room");
    }
    pair.run();
    for _ in 0..UNREAD {
        pair.ends[1].accept().expect("arrived");
    }
    (pair, ids)
}

#[test]
fn a_thousand_unread_streams_do_not_keep_the_first_bytes_of_the_next_waiting() {
    for (reserve, expected) in [(false, 0), (true, 100)] {
        let (mut pair, ids) = eaten(reserve, 6_000);
        let sent = pair.ends[0].stats().bytes_sent;
        let window = 4u64 << 20;
        let left = window / RESERVE_PART;
        assert_eq!(sent, if reserve { window - left } else { window }, "they ate it all");
        let next = pair.ends[0].open("www", "http").expect("credit");
        pair.ends[0].write(next, &[2; 100]).expect("room");
        pair.ends[0].finish(next).expect("open");
        pair.run();
        assert_eq!(pair.ends[1].accept().expect("openings need no credit").id, next);
        assert_eq!(pair.read(1, next).0.len(), expected);
        // Control needs no credit at all.
        let urgent = Priority { level: Some(5), weight: 200 };
        pair.ends[0].request_priority(ids[7], urgent);
        pair.ends[1].set_priority(ids[8], urgent);
        pair.run();
        assert_eq!(pair.ends[1].priority(ids[7]), Some(urgent));
        pair.ends[1].stop(ids[3], 9);
        pair.run();
        assert!(pair.events(0).contains(&StreamEvent::Stopped { id: ids[3], code: 9 }));
    }
}

#[test]
fn every_stream_that_may_exist_can_send_its_first_bytes_however_little_is_read() {
    let (mut pair, _) = eaten(true, 6_000);
    let first = pair.ends[0].reserve.first;
    assert_eq!(first, (4 << 20) / RESERVE_PART / 2_048);
    for answer in 0..24 {
        let id = pair.ends[0].open("www", "http").expect("credit");
        pair.ends[0].write(id, &[answer; 6_000]).expect("room");
        pair.run();
        pair.ends[1].accept().expect("arrived");
        let (bytes, _) = pair.read(1, id);
        assert!(bytes.len() as u64 >= first, "{answer}: {}", bytes.len());
    }
    assert_eq!(pair.ends[0].open("www", "http"), Err(OpenError::Blocked), "that was the last of 1,024");
}

#[test]
fn small_reads_of_one_stream_bring_credit_although_all_others_are_left_unread() {
    let (window, left) = (4 << 20, 20_000);
    let (mut pair, _) = eaten(true, (window - window / RESERVE_PART as usize - left) / UNREAD);
    let id = pair.ends[0].open("www", "http").expect("credit");
    let total = 300_000;
    pair.ends[0].write(id, &vec![3; total]).expect("room");
    pair.run();
    pair.ends[1].accept().expect("arrived");
    let mut read = 0;
    for _ in 0..40_000 {
        read += pair.read(1, id).0.len();
        if read == total {
            return;
        }
        pair.run();
    }
    panic!("stuck at {read}");
}

#[test]
fn a_slow_reader_and_a_fast_one_of_one_peer_each_get_their_pace() {
    let config = Config { stream_window: 64 << 10, host_window: 1 << 20, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let (slow, fast) = (pair.stream(), pair.stream());
    let (mut at_slow, mut at_fast) = (0, 0);
    for _ in 0..400 {
        for id in [slow, fast] {
            while pair.ends[0].write(id, &[5; 8_000]).is_ok() {}
        }
        pair.send(0, 64);
        pair.send(1, 64);
        pair.step();
        let mut out = [0; 20_000];
        if let Ok(Read::Bytes(n)) = pair.ends[1].read(slow, &mut out[..20]) {
            at_slow += n;
        }
        if let Ok(Read::Bytes(n)) = pair.ends[1].read(fast, &mut out) {
            at_fast += n;
        }
    }
    assert!((4_000..=8_000).contains(&at_slow), "{at_slow}: what its reader takes");
    assert!(at_fast > 10 * at_slow, "{at_fast} beside {at_slow}");
    assert!(pair.ends[1].stats().bytes_unread <= 256 << 10);
}
