//! What a hostile peer may try, and what it costs: one sentence a test.

use super::*;
use tng_wire::{Repr, Writer};
use wire::{DataHead, DatagramHead, Frame, Marks, Names, Origin};

/// The responder alone; the test writes the packets.
fn target(config: Config) -> Streams {
    let mut streams = Streams::new(Role::Responder, config, services());
    let item = Streams::new(Role::Initiator, Config::default(), services()).setup_item();
    streams.set_peer_setup(&item).expect("good");
    streams
}

fn bytes(frame: Frame<'_>) -> Vec<u8> {
    let mut out = vec![0; frame.wire_len()];
    frame.emit(&mut Writer::new(&mut out)).expect("room");
    out
}

fn stream(counter: u64) -> StreamId {
    StreamId::new(counter, Role::Initiator)
}

fn init(counter: u64) -> Vec<u8> {
    bytes(Frame::Init { id: stream(counter), origin: Origin::Service(Names::encoded(b"\x03www\x04http")) })
}

fn child(counter: u64, parent: u64) -> Vec<u8> {
    bytes(Frame::Init { id: stream(counter), origin: Origin::Parent(stream(parent)) })
}

fn data(counter: u64, offset: u64, len: usize) -> Vec<u8> {
    let bytes_of = vec![7; len];
    let head = DataHead { id: stream(counter), offset, marks: Marks::default(), len: Some(len) };
    bytes(Frame::Data { head, data: &bytes_of })
}

/// Answers the code to close the channel with, if any.
fn deliver(streams: &mut Streams, payload: &[u8]) -> Option<u64> {
    streams.handle_payload(Instant::ZERO, payload).err().map(|violation| violation.code)
}

fn events(streams: &mut Streams) -> usize {
    core::iter::from_fn(|| streams.poll_event()).count()
}

#[test]
fn a_stream_bomb_fills_the_table_that_was_granted_and_no_more() {
    for max in [16, 1_000] {
        let mut streams = target(Config { streams_max: max, ..Config::default() });
        for counter in 0..max {
            assert_eq!(deliver(&mut streams, &[init(counter), data(counter, 0, 1)].concat()), None);
        }
        assert_eq!(streams.stats().streams as u64, max);
        assert!(streams.backlog.len() <= Config::default().backlog_max, "the others are refused as busy");
        assert_eq!(deliver(&mut streams, &init(max)), Some(3), "one more than granted");
        assert!(events(&mut streams) < 3);
    }
}

#[test]
fn ids_far_apart_and_backwards_cost_what_streams_cost() {
    let mut streams = target(Config::default());
    for counter in (0..1_024).step_by(2).chain((1..1_024).rev().step_by(2)) {
        assert_eq!(deliver(&mut streams, &data(counter, 5, 1)), None);
    }
    assert_eq!((streams.stats().streams, streams.unseen.count()), (1_024, 0));
    assert!(streams.stats().pages_held <= 1_024);
    assert_eq!(events(&mut streams), 0, "none was opened");
}

#[test]
fn a_depth_bomb_of_children_is_taken_level_by_level_and_shares_no_deeper_than_the_bound() {
    let mut streams = target(Config::default());
    assert_eq!(deliver(&mut streams, &init(0)), None);
    for counter in 1..1_000 {
        assert_eq!(deliver(&mut streams, &child(counter, counter - 1)), None);
    }
    let mut at = streams.accept().expect("arrived").id;
    for _ in 1..1_000 {
        streams.write(at, b"answer").expect("room");
        at = streams.accept_child(at).expect("each has one");
    }
    assert!(streams.scheduler.depth_of(stream_leaf(streams.known(at).expect("open"))) <= DEPTH_MAX);
    let mut buf = [0; 1_200];
    let mut count = 0;
    while streams.poll_packet(Instant::ZERO, CHANNEL, count, &mut buf).is_some() {
        count += 1;
    }
    assert!(count < 20, "{count} packets for 999 answers");
}

#[test]
fn a_depth_bomb_that_arrives_from_its_end_waits_for_its_root_and_falls_into_place_at_once() {
    let mut streams = target(Config::default());
    for counter in (1..1_000).rev() {
        assert_eq!(deliver(&mut streams, &child(counter, counter - 1)), None);
    }
    assert_eq!((streams.accept().is_none(), streams.orphans.len()), (true, 999));
    assert_eq!(deliver(&mut streams, &init(0)), None);
    assert_eq!(streams.orphans.len(), 0);
    let mut at = streams.accept().expect("arrived").id;
    for _ in 1..1_000 {
        at = streams.accept_child(at).expect("each has one");
    }
}

#[test]
fn an_id_used_again_is_that_of_the_stream_that_had_it() {
    let mut streams = target(Config::default());
    deliver(&mut streams, &[init(0), init(1), child(2, 0)].concat());
    assert_eq!(
        deliver(&mut streams, &[child(0, 1), init(2), child(2, 1)].concat()),
        None,
        "what it says now is ignored"
    );
    let (first, second) = (streams.accept().expect("0").id, streams.accept().expect("1").id);
    assert_eq!((first, second, streams.accept()), (stream(0), stream(1), None));
    assert_eq!((streams.accept_child(first), streams.accept_child(second)), (Some(stream(2)), None));
    assert_eq!(streams.parent(stream(2)), Some(first));
    // Over, and opened again.
    let mut finished = data(1, 0, 3);
    finished[0] |= 1;
    deliver(&mut streams, &finished);
    streams.read(second, &mut [0; 9]).expect("three bytes");
    assert_eq!(streams.read(second, &mut [0; 9]), Ok(Read::Finished));
    streams.finish(second).expect("open");
    let mut buf = [0; 1_200];
    for number in 0.. {
        if streams.poll_packet(Instant::ZERO, CHANNEL, number, &mut buf).is_none() {
            break;
        }
        streams.handle_fates(Instant::ZERO, CHANNEL, number..number + 1, Fate::Acked);
    }
    events(&mut streams);
    assert_eq!(streams.read(second, &mut [0]), Err(ReadError::Unknown), "it is over");
    let before = streams.stats().streams;
    assert_eq!(deliver(&mut streams, &[init(1), data(1, 0, 10)].concat()), None);
    assert_eq!((streams.accept(), streams.stats().streams), (None, before), "and stays so");
}

#[test]
fn offsets_beyond_credit_and_contradictory_ends_close_the_channel() {
    let window = Config::default().stream_window;
    let finished = |counter, offset, len| {
        let mut frame = data(counter, offset, len);
        frame[0] |= 1;
        frame
    };
    let reset = |final_offset| bytes(Frame::Reset { id: stream(0), code: 0, final_offset });
    for (what, packets, code) in [
        ("beyond the window", vec![data(0, window, 1)], 2),
        ("up to the window", vec![data(0, window - 1, 1)], 0),
        ("a reset beyond the window", vec![reset(window + 1)], 2),
        ("two ends", vec![finished(0, 0, 9), finished(0, 0, 8)], 1),
        ("an end twice", vec![finished(0, 0, 9), finished(0, 4, 5)], 0),
        ("more behind the end", vec![finished(0, 0, 9), data(0, 9, 1)], 1),
        ("an end before what came", vec![data(0, 9, 9), finished(0, 0, 9)], 1),
        ("a reset before the end", vec![finished(0, 0, 9), reset(8)], 1),
        ("a reset behind the end", vec![finished(0, 0, 9), reset(10)], 1),
    ] {
        let mut streams = target(Config::default());
        deliver(&mut streams, &init(0));
        let last = packets.iter().map(|packet| deliver(&mut streams, packet)).last().expect("one at least");
        assert_eq!(last.unwrap_or(0), code, "{what}");
    }
}

#[test]
fn a_flood_of_priorities_moves_streams_and_grows_nothing() {
    let mut streams = target(Config::default());
    deliver(&mut streams, &init(0));
    for counter in 1..100 {
        deliver(&mut streams, &child(counter, counter / 2));
    }
    let before = streams.scheduler.footprint();
    for count in 1..=2_000u32 {
        let counter = u64::from(count) % 100;
        let priority = Priority { level: Some((count % 250) as u8 as i8), weight: 1 + (count % 255) as u8 };
        let frame = bytes(Frame::Priority { id: stream(counter), count, priority });
        assert_eq!(deliver(&mut streams, &frame), None);
    }
    let after = streams.scheduler.footprint();
    assert!(after <= before + 300 * 200, "{before} bytes, then {after}: a level for each of the streams at most");
    assert_eq!(streams.stats().streams, 100);
}

#[test]
fn datagrams_larger_than_memory_allows_are_refused_dropped_or_held_back_by_credit() {
    let config = Config { stream_window: 64 << 10, host_window: 1 << 20, datagram_max: 200_000, ..Config::default() };
    let mut streams = target(config);
    deliver(&mut streams, &init(0));
    let parent = streams.accept().expect("arrived").id;
    assert_eq!(streams.recv_datagram(parent), None);
    // In pieces: none beyond the largest, and no more of them than there is room for.
    let head = DatagramHead { parent, id: 1, offset: DATAGRAM_MAX, last: false, len: Some(1) };
    assert_eq!(deliver(&mut streams, &bytes(Frame::Datagram { head, data: &[1] })), Some(1));
    for id in 0..5_000 {
        let head = DatagramHead { parent, id, offset: 0, last: true, len: Some(1_000) };
        assert_eq!(deliver(&mut streams, &bytes(Frame::Datagram { head, data: &[1; 1_000] })), None);
    }
    assert!(streams.stats().datagram_bytes_held <= HELD_MAX);
    assert!(streams.stats().datagrams_dropped.crowded > 3_000);
    while streams.recv_datagram(parent).is_some() {}
    // As streams: what never ends is dropped at the largest size; many at once share the credit over all streams.
    let (mut offset, mut dropped) = (0, 0);
    let large = |counter| bytes(Frame::Init { id: stream(counter), origin: Origin::Datagram(stream(0)) });
    deliver(&mut streams, &large(1));
    while dropped == 0 {
        assert_eq!(deliver(&mut streams, &data(1, offset, 1_000)), None, "at {offset}");
        offset += 1_000;
        dropped = streams.stats().datagrams_dropped.too_large;
    }
    assert_eq!((offset, streams.stats().pages_held, streams.stats().bytes_unread), (200_000, 0, 0));
    let mut code = None;
    'all: for counter in 2..1_000 {
        deliver(&mut streams, &large(counter));
        for at in 0..60 {
            code = deliver(&mut streams, &data(counter, at * 1_000, 1_000));
            if code.is_some() {
                break 'all;
            }
            assert_eq!(streams.recv_datagram(parent), None);
        }
    }
    assert_eq!(code, Some(2), "the credit over all streams is used up");
    assert!(streams.stats().bytes_unread <= 1 << 20);
    assert!(streams.stats().pages_held * PAGE <= (1 << 20) + 1_000 * PAGE);
}
