//! Datagrams (SST 2.2, 4.3.5): one sentence a test.

use super::*;
use tng_wire::Repr;
use wire::{DatagramHead, Frame};

fn calm() -> Pair {
    Pair::new(1, Pipe::default(), Config::default())
}

fn datagram(len: usize, salt: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + salt * 13 + at / 256) as u8).collect()
}

/// A DATAGRAM frame as a peer may write it.
fn piece(parent: StreamId, id: u64, offset: usize, data: &[u8], last: bool) -> Vec<u8> {
    let head = DatagramHead { parent, id, offset, last, len: Some(data.len()) };
    let mut bytes = vec![0; 40 + data.len()];
    let mut writer = tng_wire::Writer::new(&mut bytes);
    Frame::Datagram { head, data }.emit(&mut writer).expect("room");
    writer.written().to_vec()
}

fn deliver(pair: &mut Pair, payload: &[u8]) -> Result<Taken, tng_base::Violation> {
    pair.ends[1].handle_payload(pair.now, payload)
}

#[test]
fn a_datagram_arrives_whole_whatever_its_size_and_leaves_nothing() {
    let mut pair = calm();
    let parent = pair.stream();
    pair.events(1);
    for len in [0, 1, 1000, 1200, 5_000, 60_000, DATAGRAM_MAX, DATAGRAM_MAX + 1, 700_000] {
        let bytes = datagram(len, len);
        assert_eq!(pair.ends[0].send_datagram(parent, &bytes, None), Ok(()));
        pair.run();
        assert!(pair.events(1).contains(&StreamEvent::ChildIncoming { parent }), "{len}");
        assert_eq!(pair.ends[1].recv_datagram(parent), Some(bytes), "{len}");
        assert_eq!(pair.ends[1].recv_datagram(parent), None);
        pair.run();
        assert_eq!((pair.ends[0].stats().streams, pair.ends[1].stats().streams), (1, 1), "{len}");
        assert_eq!((pair.events(0), pair.ends[1].stats().datagram_bytes_held), (Vec::new(), 0), "{len}");
    }
    assert_eq!((pair.ends[0].stats().datagrams_sent, pair.ends[1].stats().datagrams_received), (9, 9));
    for end in 0..2 {
        pair.ends[end].reset(parent, 0);
    }
    pair.run();
    for end in 0..2 {
        pair.events(end);
    }
    pair.assert_clean("after the parent");
}

#[test]
fn a_datagram_accepted_as_a_stream_reads_like_one_however_it_travelled_and_cannot_be_answered() {
    let mut pair = calm();
    let parent = pair.stream();
    for len in [300, 100_000] {
        pair.ends[0].send_datagram(parent, &datagram(len, 1), None).expect("room");
        pair.run();
        let child = pair.ends[1].accept_child(parent).expect("arrived");
        assert_eq!(pair.ends[1].parent(child), Some(parent));
        assert_eq!(pair.ends[1].write(child, b"re"), Err(WriteError::Stopped(EPHEMERAL)));
        let mut events = pair.events(1);
        assert!(!events.contains(&StreamEvent::Readable(child)), "it is read when it is accepted: {len}: {events:?}");
        assert_eq!(pair.read(1, child), (datagram(len, 1), Ok(Read::Finished)));
        assert_eq!(pair.ends[1].open_child(child), Err(OpenError::NoParent));
        assert_eq!(pair.ends[1].send_datagram(child, b"", None), Err(SendDatagramError::NoParent));
        events.extend(pair.events(1));
        assert!(events.contains(&StreamEvent::Stopped { id: child, code: EPHEMERAL }), "{len}: {events:?}");
        pair.run();
        pair.events(1);
        assert_eq!(pair.ends[1].read(child, &mut [0]), Err(ReadError::Unknown), "{len}");
    }
    assert_eq!(pair.ends[1].accept_child(parent), None);
}

#[test]
fn a_small_datagram_that_is_lost_stays_lost_and_a_large_one_arrives() {
    let mut pair = calm();
    let parent = pair.stream();
    for at in 0..50 {
        pair.ends[0].send_datagram(parent, &datagram(1000, at), None).expect("room");
    }
    pair.pipe.loss = 1.0;
    pair.run();
    assert_eq!(pair.ends[1].recv_datagram(parent), None);
    assert!(pair.ends[0].is_idle(), "nothing is sent again");
    pair.pipe.loss = 0.3;
    pair.ends[0].send_datagram(parent, &datagram(5_000, 0), None).expect("room");
    pair.run();
    assert_eq!(
        pair.ends[1].recv_datagram(parent),
        Some(datagram(5_000, 0)),
        "it went as a stream, for packets get lost"
    );
    assert!(pair.ends[0].stats().streams > 1 || pair.ends[0].stats().bytes_sent == 5_000);
}

#[test]
fn without_loss_a_large_datagram_needs_no_stream_and_lets_others_between_its_fragments() {
    let mut pair = calm();
    let (parent, other) = (pair.stream(), pair.stream());
    for _ in 0..200 {
        pair.ends[0].write(other, b"warm up").expect("room");
        pair.run();
    }
    pair.drain(1, other);
    pair.sent = Some(Default::default());
    pair.ends[0].send_datagram(parent, &datagram(20_000, 0), None).expect("room");
    pair.ends[0].write(other, &[1; 20_000]).expect("room");
    pair.run();
    assert_eq!(pair.ends[0].stats().streams, 2, "no stream was opened for it");
    let kinds: Vec<_> = pair.sent.as_ref().expect("kept")[0].iter().map(|packet| packet[0] >= 0x48).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes > 8, "a few packets of each in turn: {kinds:?}");
    assert_eq!(pair.ends[1].recv_datagram(parent), Some(datagram(20_000, 0)));
}

#[test]
fn a_datagram_that_did_not_leave_in_time_is_dropped_and_counted() {
    let mut pair = calm();
    let parent = pair.stream();
    pair.now += Duration::from_secs(5);
    let lifetime = Some(Duration::from_millis(20));
    pair.ends[0].send_datagram(parent, b"late", lifetime).expect("room");
    pair.ends[0].send_datagram(parent, &datagram(DATAGRAM_MAX + 1, 0), lifetime).expect("room");
    pair.ends[0].send_datagram(parent, b"patient", None).expect("room");
    for after in [0, 19, 1] {
        pair.now += Duration::from_millis(after);
        assert!(pair.ends[0].poll_timeout().expect("a deadline") <= pair.now + Duration::from_millis(20));
        assert_eq!(pair.ends[0].stats().datagrams_expired, 0);
        pair.ends[0].handle_timeout(pair.now);
    }
    assert_eq!((pair.ends[0].stats().datagrams_expired, pair.ends[0].poll_timeout()), (2, None));
    pair.run();
    assert_eq!(pair.ends[1].recv_datagram(parent), Some(b"patient".to_vec()));
    assert_eq!(pair.ends[1].recv_datagram(parent), None);
    pair.run();
    assert_eq!((pair.ends[0].stats().streams, pair.ends[1].stats().streams), (1, 1));
}

#[test]
fn datagrams_need_no_credit_and_too_many_are_not_taken() {
    let config = Config { host_window: 4096, stream_window: 4096, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let parent = pair.stream();
    pair.ends[0].write(parent, &[1; 10_000]).expect("room");
    pair.run();
    pair.ends[0].send_datagram(parent, b"past them", None).expect("room");
    pair.run();
    assert_eq!(pair.ends[1].recv_datagram(parent), Some(b"past them".to_vec()));
    let mut taken = 0;
    while pair.ends[0].send_datagram(parent, &[0; 936], None).is_ok() {
        taken += 1;
    }
    assert_eq!(taken, QUEUED_MAX / 1000);
    assert_eq!(pair.ends[0].send_datagram(parent, &[0; 936], None), Err(SendDatagramError::Full));
    pair.run();
    let received = core::iter::from_fn(|| pair.ends[1].recv_datagram(parent)).count();
    assert!(received <= HELD_MAX / 1000 && received > HELD_MAX / 1100, "{received}");
    let mut pair = calm();
    let parent = pair.stream();
    let mut large = 0;
    while pair.ends[0].send_datagram(parent, &[0; DATAGRAM_MAX + 1], None).is_ok() {
        large += 1;
    }
    assert_eq!(large, EPHEMERAL_MAX);
    assert_eq!(pair.ends[0].send_datagram(parent, &[0; DATAGRAM_MAX + 1], None), Err(SendDatagramError::Full));
}

#[test]
fn who_was_told_full_is_told_once_when_there_is_room() {
    for len in [936, DATAGRAM_MAX + 1] {
        let mut pair = calm();
        let parent = pair.stream();
        let bytes = vec![0; len];
        while pair.ends[0].send_datagram(parent, &bytes, None).is_ok() {}
        assert!(!pair.events(0).contains(&StreamEvent::CanSendDatagram), "{len} bytes: not before anything has left");
        for _ in 0..3 {
            pair.run();
            while pair.ends[1].recv_datagram(parent).is_some() {}
        }
        let told = pair.events(0).iter().filter(|event| **event == StreamEvent::CanSendDatagram).count();
        assert_eq!(told, 1, "{len} bytes");
        pair.ends[0].send_datagram(parent, &bytes, None).expect("room");
    }
}

fn windows() -> Config {
    Config { stream_window: 64 << 10, host_window: 1 << 20, datagram_max: 400 << 10, ..Config::default() }
}

#[test]
fn a_datagram_larger_than_the_streams_window_arrives_whole_as_far_as_the_receiver_allows() {
    let mut pair = Pair::new(1, Pipe { loss: 0.05, ..Pipe::default() }, windows());
    let parent = pair.stream();
    for (len, arrives) in [(65 << 10, true), (100_000, true), (400 << 10, true), ((400 << 10) + 1, false)] {
        let bytes = datagram(len, len);
        assert_eq!(pair.ends[0].send_datagram(parent, &bytes, None), Ok(()));
        let before = pair.ends[1].stats().datagrams_dropped;
        pair.run();
        let got = pair.ends[1].recv_datagram(parent);
        pair.run();
        let got = got.or_else(|| pair.ends[1].recv_datagram(parent));
        assert!(got == arrives.then_some(bytes), "{len}");
        let dropped = Dropped { too_large: before.too_large + u64::from(!arrives), ..before };
        assert_eq!(pair.ends[1].stats().datagrams_dropped, dropped, "{len}");
        pair.run();
        assert_eq!((pair.ends[0].stats().streams, pair.ends[1].stats().streams), (1, 1), "{len}");
        assert_eq!(pair.ends[1].stats().bytes_unread, 0, "{len}: its credit came back");
    }
}

#[test]
fn a_datagram_of_any_size_is_read_as_a_stream_through_the_window() {
    let mut pair = Pair::new(1, Pipe::default(), windows());
    let parent = pair.stream();
    let bytes = datagram(5 << 20, 3);
    assert_eq!(pair.ends[0].send_datagram(parent, &bytes, None), Ok(()));
    assert_eq!(
        pair.ends[0].send_datagram(parent, &datagram(70_000, 0), None),
        Err(SendDatagramError::Full),
        "one such is enough at once"
    );
    pair.run();
    let child = pair.ends[1].accept_child(parent).expect("there before it is whole");
    let mut got = Vec::new();
    loop {
        let (more, then) = pair.read(1, child);
        got.extend(more);
        pair.run();
        assert!(pair.ends[1].stats().pages_held * PAGE <= (64 << 10) + PAGE);
        if then == Ok(Read::Finished) {
            break;
        }
    }
    assert!(got == bytes);
}

#[test]
fn a_datagram_goes_as_a_stream_from_the_loss_on_at_which_a_piece_would_probably_be_missing() {
    // Of 10 pieces one is missing with a probability of 0.1 if 1 - 0.9^(1/10) = 1.05 % of the packets are lost.
    for (loss, streams) in [(0.0100, 1), (0.0110, 2)] {
        for (len, as_stream) in [(1_000, false), (10 * 1_100, true)] {
            let mut pair = calm();
            let parent = pair.stream();
            pair.ends[0].outbox.loss = loss;
            pair.ends[0].send_datagram(parent, &datagram(len, 0), None).expect("room");
            let expected = if as_stream { streams } else { 1 };
            assert_eq!(pair.ends[0].stats().streams, expected, "{len} bytes at a loss of {loss}");
            pair.run();
            assert_eq!(pair.ends[1].recv_datagram(parent), Some(datagram(len, 0)));
        }
    }
}

#[test]
fn the_measured_loss_follows_what_packets_meet() {
    let mut pair = calm();
    let parent = pair.stream();
    pair.pipe.loss = 0.3;
    for at in 0..300 {
        pair.ends[0].send_datagram(parent, &datagram(1_000, at), None).expect("room");
        pair.run();
        pair.ends[1].recv_datagram(parent);
    }
    let loss = pair.ends[0].outbox.loss;
    assert!((0.15..0.45).contains(&loss), "{loss}");
    assert!(pair.ends[0].stats().datagram_pieces_lost > 50);
}

#[test]
fn a_datagram_that_overtakes_its_parents_opening_waits_for_it() {
    for (service, protocol, kept) in [("www", "http", true), ("mail", "smtp", false), ("nothing", "", false)] {
        let mut pair = calm();
        let parent = pair.ends[0].open(service, protocol).expect("credit");
        deliver(&mut pair, &piece(parent, 0, 0, b"early", true)).expect("no violation");
        assert_eq!(pair.ends[1].stats().datagrams_dropped, Dropped::default());
        pair.run();
        let accepted = pair.ends[1].accept();
        assert_eq!(accepted.is_some(), service != "nothing");
        if kept {
            assert!(pair.events(1).contains(&StreamEvent::ChildIncoming { parent }));
        }
        assert_eq!(pair.ends[1].recv_datagram(parent), kept.then(|| b"early".to_vec()), "{service}");
        assert_eq!(pair.ends[1].stats().datagrams_dropped.unwanted, u64::from(!kept), "{service}");
        assert_eq!(pair.ends[1].stats().datagram_bytes_held, 0, "{service}");
    }
}

/// How often the acceptor is told of children.
fn told(pair: &mut Pair, parent: StreamId) -> usize {
    pair.events(1).iter().filter(|event| **event == StreamEvent::ChildIncoming { parent }).count()
}

#[test]
fn children_are_told_once_to_who_had_none_however_they_travel() {
    for len in [300, 100_000] {
        let mut pair = calm();
        let parent = pair.stream();
        let send = |pair: &mut Pair| {
            pair.ends[0].send_datagram(parent, &datagram(len, 0), None).expect("room");
            let mut count = 0;
            for _ in 0..200 {
                pair.send(0, 1);
                pair.send(1, 1);
                pair.step();
                count += told(pair, parent);
            }
            count
        };
        assert_eq!(send(&mut pair), 1, "the first child: {len}");
        assert!(pair.ends[1].accept_child(parent).is_some());
        assert_eq!(pair.ends[1].accept_child(parent), None);
        assert_eq!((send(&mut pair), send(&mut pair)), (1, 0), "who has not looked is not told again: {len}");
        while pair.ends[1].recv_datagram(parent).is_some() {}
        assert_eq!(send(&mut pair), 1, "{len}");
        assert_eq!(pair.ends[1].recv_datagram(parent), Some(datagram(len, 0)), "told when it can be taken: {len}");
    }
}

#[test]
fn what_was_dropped_is_counted_by_reason() {
    let mut pair = calm();
    let parent = pair.stream();
    deliver(&mut pair, &piece(parent, 1, 0, b"half", false)).expect("no violation");
    pair.now += PARTIAL_AGE_MAX;
    pair.ends[1].handle_timeout(pair.now);
    pair.ends[0].send_datagram(parent, &datagram(DATAGRAM_MAX + 1, 0), Some(Duration::ZERO)).expect("room");
    pair.send(0, 3);
    pair.ends[0].handle_timeout(pair.now);
    pair.run();
    assert_eq!(pair.ends[1].recv_datagram(parent), None);
    deliver(&mut pair, &piece(parent, 9, 0, b"for nobody", true)).expect("no violation");
    pair.ends[0].reset(parent, 0);
    pair.run();
    pair.ends[1].reset(parent, 0);
    pair.run();
    for end in 0..2 {
        pair.events(end);
    }
    pair.run();
    let expected = Dropped { late: 1, given_up: 1, unwanted: 1, ..Dropped::default() };
    assert_eq!(pair.ends[1].stats().datagrams_dropped, expected);
    assert_eq!(pair.ends[0].stats().datagrams_expired, 1);
}

#[test]
fn pieces_cost_what_arrived_of_them_and_the_oldest_go_first() {
    let mut pair = calm();
    let parent = pair.stream();
    for id in 0..2 * PARTIALS_MAX as u64 {
        let payload = piece(parent, id, DATAGRAM_MAX - 1, &[1], true);
        assert_eq!(deliver(&mut pair, &payload), Ok(Taken::All));
    }
    let stats = pair.ends[1].stats();
    assert_eq!(stats.datagram_bytes_held, PARTIALS_MAX * (1 + OVERHEAD));
    assert_eq!(stats.datagrams_dropped.crowded, PARTIALS_MAX as u64);
    for id in 1000..3000 {
        deliver(&mut pair, &piece(parent, id, 0, &[1; 1000], false)).expect("no violation");
        deliver(&mut pair, &piece(parent, id, 2000, &[1; 1000], false)).expect("no violation");
        deliver(&mut pair, &piece(parent, id + 10_000, 0, &[1; 1000], true)).expect("no violation");
        assert!(pair.ends[1].stats().datagram_bytes_held <= HELD_MAX);
    }
    while pair.ends[1].recv_datagram(parent).is_some() {}
    deliver(&mut pair, &piece(parent, 50_000, 0, &[1; 1000], false)).expect("no violation");
    let at = pair.ends[1].poll_timeout().expect("one is incomplete");
    assert_eq!(at, pair.now + PARTIAL_AGE_MAX);
    pair.ends[1].handle_timeout(at);
    while pair.ends[1].recv_datagram(parent).is_some() {}
    assert_eq!((pair.ends[1].stats().datagram_bytes_held, pair.ends[1].poll_timeout()), (0, None));
}

#[test]
fn pieces_in_any_order_make_a_datagram_and_contradictory_ones_make_none() {
    let mut pair = calm();
    let (parent, other) = (pair.stream(), pair.stream());
    for (id, order) in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]].into_iter().enumerate() {
        for at in order {
            let payload = piece(parent, id as u64, at * 2, &[at as u8; 2], at == 2);
            deliver(&mut pair, &payload).expect("no violation");
        }
        assert_eq!(pair.ends[1].recv_datagram(parent), Some(vec![0, 0, 1, 1, 2, 2]), "{order:?}");
    }
    type Piece = (StreamId, usize, &'static [u8], bool);
    let torn: [&[Piece]; 5] = [
        &[(parent, 0, b"abc", false), (parent, 2, b"cd", true)],
        &[(parent, 0, b"ab", false), (parent, 0, b"xy", false), (parent, 4, b"z", true)],
        &[(parent, 4, b"ef", true), (parent, 0, b"abcd", true)],
        &[(parent, 2, b"cd", true), (parent, 4, b"ef", false), (parent, 0, b"a", false)],
        &[(parent, 0, b"ab", false), (other, 2, b"cd", true)],
    ];
    for (id, pieces) in torn.into_iter().enumerate() {
        for &(of, offset, data, last) in pieces {
            let whole = last && offset == 0;
            if !whole {
                deliver(&mut pair, &piece(of, 100 + id as u64, offset, data, last)).expect("no violation");
            }
        }
        assert_eq!((pair.ends[1].recv_datagram(parent), pair.ends[1].recv_datagram(other)), (None, None), "{pieces:?}");
    }
}

#[test]
fn datagrams_for_parents_that_take_no_children_are_dropped_and_those_for_none_end_the_channel() {
    let mut pair = calm();
    let parent = pair.ends[0].open("mail", "smtp").expect("credit");
    pair.ends[0].send_datagram(parent, b"unwanted", None).expect("room");
    pair.run();
    pair.ends[1].accept().expect("arrived");
    assert_eq!((pair.ends[1].recv_datagram(parent), pair.ends[1].stats().datagrams_dropped.unwanted), (None, 1));
    pair.ends[0].send_datagram(parent, &datagram(DATAGRAM_MAX + 1, 0), None).expect("room");
    pair.run();
    assert_eq!((pair.ends[1].recv_datagram(parent), pair.ends[1].stats().datagrams_dropped.unwanted), (None, 2));
    assert_eq!((pair.ends[0].stats().streams, pair.ends[1].stats().streams), (1, 1), "nothing stays of it");
    assert_eq!((pair.events(0), pair.ends[1].stats().bytes_unread), (Vec::new(), 0));
    assert_eq!(pair.ends[0].send_datagram(StreamId(99), b"", None), Err(SendDatagramError::NoParent));
    for (code, payload) in [
        (1, piece(StreamId(1), 0, 0, b"x", true)),
        (3, piece(StreamId(2 * 1024), 0, 0, b"x", true)),
        (1, piece(parent, 0, DATAGRAM_MAX, b"x", true)),
        (1, piece(parent, 0, usize::MAX >> 2, b"x", true)),
    ] {
        assert_eq!(deliver(&mut pair, &payload).map_err(|violation| violation.code), Err(code));
    }
    assert!(!pair.ends[1].replay_safe(&piece(parent, 0, 0, b"x", true)));
}

#[test]
fn datagrams_share_what_their_parent_gets() {
    let is_datagram = |kind: u8| (0x20..0x28).contains(&kind);
    let mut pair = calm();
    let (parent, other) = (pair.stream(), pair.stream());
    for id in [parent, other] {
        pair.ends[0].write(id, &[1; 400_000]).expect("room");
    }
    for _ in 0..400 {
        pair.ends[0].send_datagram(parent, &[2; 1100], None).expect("room");
    }
    let mut count = [0usize; 2];
    let mut buf = [0; 1200];
    for number in 1000..1200 {
        let filled = pair.ends[0].poll_packet(pair.now, CHANNEL, number, &mut buf).expect("data");
        count[usize::from(is_datagram(buf[0]))] += 1;
        assert!(filled.len > 1000);
    }
    assert!(count[1].abs_diff(50) <= 6, "{count:?}");
    pair.ends[0].set_priority(parent, Priority { level: Some(1), ..Priority::default() });
    let mut urgent = 0usize;
    for number in 1200..1300 {
        pair.ends[0].poll_packet(pair.now, CHANNEL, number, &mut buf).expect("data");
        urgent += usize::from(is_datagram(buf[0]));
    }
    assert!(urgent.abs_diff(50) <= 4, "{urgent}: half of all, with their parent");
}

#[test]
fn when_the_connection_is_lost_no_datagram_is_taken_and_none_is_kept() {
    let mut pair = calm();
    let parent = pair.stream();
    pair.ends[0].send_datagram(parent, b"x", Some(Duration::ZERO)).expect("room");
    pair.ends[0].send_datagram(parent, &datagram(DATAGRAM_MAX + 1, 0), None).expect("room");
    pair.ends[0].handle_closed();
    assert!(pair.ends[0].is_idle() && pair.ends[0].poll_timeout().is_none());
    assert_eq!(pair.ends[0].send_datagram(parent, b"x", None), Err(SendDatagramError::ConnectionLost));
}
