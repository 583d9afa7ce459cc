//! Where messages end, and pushes: one sentence a test.

use super::*;
use tng_wire::{Repr, Writer};
use wire::{DataHead, Frame, Marks};

fn calm() -> Pair {
    Pair::new(1, Pipe::default(), Config::default())
}

/// Reads whole messages until none is; `partial` holds the beginning of the next one.
fn messages(pair: &mut Pair, end: usize, id: StreamId, partial: &mut Vec<u8>) -> (Vec<Vec<u8>>, bool) {
    let mut all = Vec::new();
    loop {
        match pair.ends[end].read_message(id, partial, usize::MAX).expect("open") {
            ReadMessage::Whole => all.push(core::mem::take(partial)),
            ReadMessage::Finished => return (all, true),
            ReadMessage::Blocked => return (all, false),
            ReadMessage::TooLarge => unreachable!("nothing is"),
        }
    }
}

fn data(id: StreamId, offset: u64, len: usize, message: bool) -> Vec<u8> {
    let bytes = vec![7; len];
    let head = DataHead { id, offset, marks: Marks { last: false, message }, len: Some(len) };
    let frame = Frame::Data { head, data: &bytes };
    let mut out = vec![0; frame.wire_len()];
    frame.emit(&mut Writer::new(&mut out)).expect("room");
    out
}

#[test]
fn messages_end_where_the_writer_said_and_the_end_of_the_stream_ends_the_last() {
    let mut pair = calm();
    let id = pair.stream();
    let streams = &mut pair.ends[0];
    assert_eq!(streams.write_message(id, b"one"), Ok(3));
    assert_eq!(streams.write(id, b"t"), Ok(1));
    assert_eq!(streams.write_message(id, b"wo"), Ok(2));
    assert_eq!(streams.write_message(id, b""), Ok(0), "marks nothing");
    assert_eq!(streams.write(id, b"three"), Ok(5));
    streams.finish(id).expect("open");
    pair.run();
    let (all, finished) = messages(&mut pair, 1, id, &mut Vec::new());
    assert_eq!(all, [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    assert!(finished);
}

#[test]
fn a_chunk_ends_with_its_message_and_a_plain_read_goes_on_behind_it() {
    let mut pair = calm();
    let id = pair.stream();
    for message in [&b"one"[..], b"two", b"three"] {
        pair.ends[0].write_message(id, message).expect("room");
    }
    pair.run();
    let ReadChunk::Bytes(chunk) = pair.ends[1].read_chunk(id, 2).expect("open") else { panic!("nothing there") };
    assert_eq!((&*chunk, chunk.ends_message()), (&b"on"[..], false));
    let ReadChunk::Bytes(chunk) = pair.ends[1].read_chunk(id, 99).expect("open") else { panic!("nothing there") };
    assert_eq!((&*chunk, chunk.ends_message()), (&b"e"[..], true));
    assert_eq!(pair.read(1, id), (b"twothree".to_vec(), Ok(Read::Blocked)));
}

#[test]
fn a_message_larger_than_the_reader_allows_is_left_to_be_read() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write_message(id, b"twelve bytes").expect("room");
    pair.run();
    let mut partial = Vec::new();
    assert_eq!(pair.ends[1].read_message(id, &mut partial, 11), Ok(ReadMessage::TooLarge));
    assert_eq!(partial, b"twelve byte");
    assert_eq!(pair.ends[1].read_message(id, &mut partial, 12), Ok(ReadMessage::Whole));
    assert_eq!(partial, b"twelve bytes");
    assert_eq!(pair.ends[1].read_message(id, &mut Vec::new(), 12), Ok(ReadMessage::Blocked));
}

#[test]
fn a_message_larger_than_the_window_flows_through_it() {
    let config = Config { stream_window: 5_000, host_window: 6_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    pair.ends[0].write_message(id, &[1; 100_000]).expect("room");
    pair.ends[0].write_message(id, &[2; 10]).expect("room");
    let (mut partial, mut all) = (Vec::new(), Vec::new());
    while all.len() < 2 {
        pair.run();
        all.extend(messages(&mut pair, 1, id, &mut partial).0);
    }
    assert_eq!(all, [vec![1; 100_000], vec![2; 10]]);
}

#[test]
fn ends_of_messages_survive_loss_doubt_reordering_and_other_packet_sizes() {
    for seed in 0..30 {
        let pipe = Pipe { loss: 0.15, ack_loss: 0.1, doubt: 0.1, delay_us: (1000, 9000), packet: 600 };
        let config = Config { stream_window: 20_000, ..Config::default() };
        let mut pair = Pair::new(seed, pipe, config);
        let mut rng = Rng::from_u64(seed);
        let id = pair.stream();
        let bits: Vec<u64> = (0..200).map(|_| 1 + rng.below(11)).collect();
        let lens: Vec<usize> = bits.iter().map(|bits| 1 + rng.below(1 << bits) as usize).collect();
        let written: Vec<Vec<u8>> = lens.iter().enumerate().map(|(n, &len)| vec![n as u8; len]).collect();
        for message in &written {
            assert_eq!(pair.ends[0].write_message(id, message), Ok(message.len()), "seed {seed}");
        }
        pair.ends[0].finish(id).expect("open");
        let (mut all, mut partial) = (Vec::new(), Vec::new());
        for round in 0.. {
            pair.pipe.packet = 100 + rng.below(1400) as usize;
            for end in 0..2 {
                pair.send(end, 3);
            }
            pair.step();
            let (more, finished) = messages(&mut pair, 1, id, &mut partial);
            all.extend(more);
            if finished {
                break;
            }
            assert!(round < 100_000, "seed {seed}: stuck after {} messages", all.len());
        }
        assert!(all == written, "seed {seed}");
        pair.ends[1].finish(id).expect("open");
        pair.run();
        pair.drain(0, id);
        for end in 0..2 {
            pair.events(end);
        }
        pair.assert_clean(&format!("seed {seed}"));
    }
}

#[test]
fn a_writer_of_many_tiny_messages_waits_for_its_reader_and_goes_on() {
    let mut pair = calm();
    let id = pair.stream();
    let (mut written, mut seen, mut partial) = (0, 0, Vec::new());
    let total = 3 * MESSAGES_MAX;
    while seen < total {
        let before = seen;
        while written < total && pair.ends[0].write_message(id, &[written as u8]).is_ok() {
            written += 1;
        }
        assert!(written - seen <= MESSAGES_MAX, "{written} written, {seen} read");
        pair.run();
        for message in messages(&mut pair, 1, id, &mut partial).0 {
            assert_eq!(message, [seen as u8]);
            seen += 1;
        }
        pair.run();
        assert!(seen > before, "stuck at {seen}");
        if written < total {
            assert!(pair.events(0).contains(&StreamEvent::Writable(id)));
        }
    }
}

#[test]
fn a_peer_that_sends_more_ends_of_messages_than_allowed_breaks_the_rules() {
    let mut pair = calm();
    let id = pair.stream();
    let mut deliver =
        |offset, len, message| pair.ends[1].handle_payload(Instant::ZERO, &data(id, offset, len, message)).map(|_| ());
    for n in 0..MESSAGES_MAX as u64 {
        assert_eq!(deliver(2 * n, 1, true), Ok(()), "as many as a stream holds apart, or all in order: {n}");
        assert_eq!(deliver(2 * n + 1, 1, false), Ok(()));
        assert_eq!(deliver(2 * n, 1, true), Ok(()), "again is no news");
    }
    let violation = deliver(2 * MESSAGES_MAX as u64, 1, true).expect_err("one too many");
    assert_eq!((violation.code, violation.reason), (2, "too many messages unread"));
    let violation = deliver(5, 0, true).expect_err("no byte");
    assert_eq!(violation.code, 1);
}

#[test]
fn a_stream_without_messages_holds_nothing_for_them_and_one_that_had_some_lets_go() {
    let mut pair = calm();
    let id = pair.stream();
    for _ in 0..MESSAGES_MAX {
        pair.ends[0].write_message(id, b"m").expect("room");
    }
    pair.run();
    messages(&mut pair, 1, id, &mut Vec::new());
    pair.run();
    // The next byte brings the news of what was read.
    let (send, recv) = (pair.ends[0].table.find(id).expect("open"), pair.ends[1].table.find(id).expect("open"));
    let shown = (format!("{:?}", pair.ends[0].table[send].send), format!("{:?}", pair.ends[1].table[recv].recv));
    assert!(shown.0.starts_with("AllAcknowledged"), "{}", shown.0);
    assert!(shown.1.starts_with("InOrder") && shown.1.contains("messages: 0"), "{}", shown.1);
}

#[test]
fn a_pushed_short_segment_uses_the_last_of_the_credit_and_what_follows_it_waits() {
    let config = Config { stream_window: 4_096, ..Config::default() };
    for (push, fits) in [(false, 0), (true, 40)] {
        let mut pair = Pair::new(1, Pipe::default(), config.clone());
        let id = pair.stream();
        pair.ends[0].write(id, &[1; 4_000]).expect("room");
        pair.send(0, 64);
        // 96 bytes of credit are left, and something is in flight that may bring more.
        pair.ends[0].write(id, &[2; 40]).expect("room");
        if push {
            pair.ends[0].push(id);
        }
        pair.ends[0].write(id, &[3; 1_000]).expect("room");
        let before = pair.ends[0].stats().bytes_sent;
        pair.send(0, 64);
        let sent = pair.ends[0].stats().bytes_sent - before;
        assert!(if push { (fits..=96).contains(&sent) } else { sent == 0 }, "{push}: {sent}");
    }
}

#[test]
fn a_child_whose_opener_wants_no_answer_is_no_datagram_and_keeps_its_messages() {
    let config = Config { stream_window: 16 << 10, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let parent = pair.stream();
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.ends[0].stop(child, EPHEMERAL);
    for _ in 0..MESSAGES_MAX {
        pair.ends[0].write_message(child, b"a message").expect("room");
    }
    assert_eq!(pair.ends[0].write_message(child, b"one too many"), Err(WriteError::Blocked));
    pair.run();
    assert_eq!(pair.ends[1].recv_datagram(parent), None);
    pair.run();
    assert_eq!(pair.ends[1].stats().bytes_unread, 16 << 10, "its credit is that of any stream");
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    let (mut seen, mut partial) = (0, Vec::new());
    while seen < MESSAGES_MAX {
        let all = messages(&mut pair, 1, child, &mut partial).0;
        assert!(!all.is_empty(), "stuck at {seen}");
        seen += all.len();
        pair.run();
    }
}
