//! Packets, credit, loss: one sentence a test.

use super::*;
use bytes::{Buf, Bytes};
use tng_wire::{Reader, Repr};
use wire::{DataHead, Frame, Marks};

fn calm() -> Pair {
    Pair::new(1, Pipe::default(), Config::default())
}

/// The next packet of `end`, not sent.
fn packet(pair: &mut Pair, end: usize, number: u64, size: usize) -> Vec<u8> {
    let mut buf = vec![0; size];
    let len = pair.ends[end].poll_packet(pair.now, CHANNEL, number, &mut buf).map_or(0, |filled| filled.len);
    buf.truncate(len);
    buf
}

fn deliver(pair: &mut Pair, end: usize, payload: &[u8]) -> Result<Taken, tng_base::Violation> {
    pair.ends[end].handle_payload(pair.now, payload)
}

fn frames(payload: &[u8]) -> Vec<Frame<'_>> {
    let mut reader = Reader::new(payload);
    core::iter::from_fn(|| (!reader.is_empty()).then(|| Frame::parse(&mut reader).expect("a frame"))).collect()
}

fn heads(payload: &[u8]) -> Vec<DataHead> {
    frames(payload)
        .into_iter()
        .filter_map(|frame| if let Frame::Data { head, .. } = frame { Some(head) } else { None })
        .collect()
}

#[test]
fn packets_of_a_bulk_transfer_are_full_to_the_byte_however_many_streams_share_them() {
    for streams in [1, 2, 7, 30] {
        let mut pair = calm();
        let ids: Vec<_> = (0..streams).map(|_| pair.stream()).collect();
        for (i, &id) in ids.iter().enumerate() {
            pair.ends[0].write(id, &vec![i as u8; 20_000 + 61 * i]).expect("room");
        }
        let total: usize = (0..streams).map(|i| 20_000 + 61 * i).sum();
        let mut seen = 0;
        for number in 1000.. {
            let sent = packet(&mut pair, 0, number, 1177);
            seen += frames(&sent)
                .iter()
                .map(|f| if let Frame::Data { data, .. } = f { data.len() } else { 0 })
                .sum::<usize>();
            if seen == total {
                break;
            }
            assert_eq!(sent.len(), 1177, "with {streams} streams after {seen} of {total} bytes");
        }
        assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL));
    }
}

#[test]
fn a_full_packet_of_the_first_stream_spends_two_bytes_and_those_of_its_offset_on_its_frame() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[9; 100_000]).expect("room");
    let mut room = (1000..).map(|number| {
        let sent = packet(&mut pair, 0, number, 1200);
        let [Frame::Data { head, data }] = frames(&sent)[..] else { panic!("one frame") };
        assert_eq!(head.len, None);
        (head.offset, data.len())
    });
    assert_eq!(room.next(), Some((0, 1198)));
    assert_eq!(room.next(), Some((1198, 1196)));
    assert_eq!(room.find(|(offset, _)| *offset > 0xffff).map(|(_, len)| len), Some(1195));
}

#[test]
fn data_that_arrives_before_the_opening_is_kept_and_shown_with_it() {
    let mut pair = calm();
    let id = pair.ends[0].open("www", "http").expect("credit");
    pair.ends[0].write(id, &[5; 2000]).expect("room");
    pair.ends[0].finish(id).expect("open");
    let (first, second) = (packet(&mut pair, 0, 0, 1200), packet(&mut pair, 0, 1, 1200));
    assert_eq!(deliver(&mut pair, 1, &second), Ok(Taken::All));
    assert_eq!((pair.events(1), pair.ends[1].accept()), (Vec::new(), None));
    assert_eq!(deliver(&mut pair, 1, &first), Ok(Taken::All));
    assert_eq!(pair.ends[1].accept().expect("arrived").id, id);
    assert_eq!(pair.read(1, id), (vec![5; 2000], Ok(Read::Finished)));
}

#[test]
fn a_child_whose_parents_opening_is_late_waits_for_it() {
    let mut pair = calm();
    let parent = pair.ends[0].open("www", "http").expect("credit");
    let first = packet(&mut pair, 0, 0, 1200);
    let child = pair.ends[0].open_child(parent).expect("credit");
    let second = packet(&mut pair, 0, 1, 1200);
    let grandchild = pair.ends[0].open_child(child).expect("credit");
    let third = packet(&mut pair, 0, 2, 1200);
    for payload in [&third, &second] {
        assert_eq!(deliver(&mut pair, 1, payload), Ok(Taken::All));
        assert_eq!(pair.events(1), []);
    }
    assert_eq!(deliver(&mut pair, 1, &first), Ok(Taken::All));
    assert_eq!(pair.ends[1].accept().expect("arrived").id, parent);
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    assert_eq!(pair.ends[1].accept_child(child), Some(grandchild));
}

#[test]
fn a_writer_stops_at_the_streams_credit_and_half_a_window_read_brings_more() {
    let config = Config { stream_window: 20_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 100_000]).expect("room");
    pair.run();
    assert_eq!(pair.ends[0].stats().bytes_sent, 20_000);
    assert_eq!(pair.ends[1].read(id, &mut [0; 9_999]), Ok(Read::Bytes(9_999)));
    assert!(!pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL), "less than half a window is not worth a packet");
    assert_eq!(pair.ends[1].read(id, &mut [0; 1]), Ok(Read::Bytes(1)));
    assert!(pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL));
    pair.run();
    assert_eq!(pair.ends[0].stats().bytes_sent, 30_000);
}

#[test]
fn streams_together_stop_at_the_host_credit_and_an_unread_stream_does_not_take_anothers_own() {
    let config = Config { stream_window: 8_000, host_window: 20_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let ids = [pair.stream(), pair.stream(), pair.stream()];
    for id in ids {
        pair.ends[0].write(id, &[1; 50_000]).expect("room");
    }
    pair.run();
    assert_eq!(pair.ends[0].stats().bytes_sent, 20_000);
    let mut read = 0;
    for _ in 0..20 {
        read += pair.read(1, ids[1]).0.len();
        pair.run();
    }
    assert_eq!(read, 50_000, "two unread streams hold what is theirs, the third goes on");
}

#[test]
fn host_credit_returns_whole_however_streams_end() {
    let config = Config { stream_window: 8_000, host_window: 20_000, streams_max: 16, ..Config::default() };
    let pipe = Pipe { loss: 0.1, ack_loss: 0.1, delay_us: (500, 3_000), ..Pipe::default() };
    let mut pair = Pair::new(5, pipe, config);
    for round in 0..200 {
        let id = pair.ends[0].open(if round % 5 == 0 { "nothing" } else { "www" }, "http").expect("credit");
        pair.ends[0].write(id, &[1; 7_000]).expect("room");
        pair.send(0, 3);
        pair.step();
        if round % 5 == 1 {
            pair.ends[0].reset(id, 1);
        }
        pair.run();
        if let Some(incoming) = pair.ends[1].accept() {
            match round % 5 {
                2 => pair.ends[1].stop(id, 2),
                3 => pair.ends[1].refuse(incoming.id, 3, ""),
                _ => {}
            }
            pair.ends[1].reset(id, 1);
        }
        pair.ends[1].stop(id, 4);
        pair.run();
        pair.events(0);
        pair.events(1);
        pair.run();
    }
    pair.assert_clean("after 200 endings");
}

#[test]
fn creation_stops_at_its_credit_and_can_open_says_when_it_goes_on() {
    let config = Config { streams_max: 16, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let ids: Vec<_> = (0..16).map(|_| pair.stream()).collect();
    assert_eq!(pair.ends[0].open("www", "http"), Err(OpenError::Blocked));
    assert_eq!(pair.ends[0].open_child(ids[0]), Err(OpenError::Blocked));
    for (ended, &id) in ids.iter().enumerate().take(8) {
        assert_eq!(pair.events(0), [], "{ended} streams ended");
        pair.ends[0].reset(id, 0);
        pair.ends[1].reset(id, 0);
        pair.run();
        pair.events(1);
        let events = pair.events(0);
        assert!(!events.contains(&StreamEvent::CanOpen), "not before the acceptor is rid of the stream");
        pair.run();
    }
    assert_eq!(pair.events(0), [StreamEvent::CanOpen]);
    for _ in 0..8 {
        pair.ends[0].open("www", "http").expect("credit is back");
    }
    assert_eq!(pair.ends[0].open("www", "http"), Err(OpenError::Blocked));
}

#[test]
fn a_lost_credit_is_sent_again_with_its_newest_value() {
    let config = Config { stream_window: 10_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 10_000]).expect("room");
    pair.run();
    pair.ends[1].read(id, &mut [0; 5_000]).expect("data");
    let first = packet(&mut pair, 1, 100, 1200);
    assert_eq!(frames(&first), [Frame::Credit { id, limit: 15_000 }]);
    pair.ends[1].read(id, &mut [0; 5_000]).expect("data");
    let second = packet(&mut pair, 1, 101, 1200);
    assert_eq!(frames(&second), [Frame::Credit { id, limit: 20_000 }]);
    pair.ends[1].handle_fates(pair.now, CHANNEL, 100..101, Fate::Lost);
    assert!(!pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL), "a newer value is on its way");
    pair.ends[1].handle_fates(pair.now, CHANNEL, 101..102, Fate::Lost);
    assert_eq!(frames(&packet(&mut pair, 1, 102, 1200)), [Frame::Credit { id, limit: 20_000 }]);
}

#[test]
fn lost_data_is_sent_again_in_whatever_sizes_fit_and_a_late_acknowledgment_stops_that() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 4_000]).expect("room");
    for number in 100..104 {
        packet(&mut pair, 0, number, 1200);
    }
    pair.ends[0].handle_fates(pair.now, CHANNEL, 101..102, Fate::Lost);
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Lost);
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Acked);
    let again = heads(&packet(&mut pair, 0, 104, 700));
    assert_eq!((again.len(), again[0].offset), (1, 1198), "the first packet spent no bytes on an offset");
    let rest = heads(&packet(&mut pair, 0, 105, 1200));
    assert_eq!((rest.len(), rest[0].offset), (1, 1198 + 696));
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL));
    pair.ends[0].handle_fates(pair.now, CHANNEL, 101..102, Fate::Acked);
    for number in [102, 103] {
        pair.ends[0].handle_fates(pair.now, CHANNEL, number..number + 1, Fate::Acked);
    }
    assert_eq!(pair.ends[0].in_flight, 0);
    assert_eq!(pair.ends[0].stats().pages_held, 0);
}

#[test]
fn doubtful_content_is_sent_once_more_and_not_again_when_its_packet_is_lost() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, b"tail").expect("room");
    let first = packet(&mut pair, 0, 100, 1200);
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Doubtful);
    assert_eq!(packet(&mut pair, 0, 101, 1200), first);
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Lost);
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL));
    pair.ends[0].handle_fates(pair.now, CHANNEL, 101..102, Fate::Lost);
    assert_eq!(packet(&mut pair, 0, 102, 1200), first);
}

#[test]
fn when_a_channel_goes_everything_outstanding_on_it_goes_out_again() {
    let mut pair = calm();
    let id = pair.ends[0].open("www", "http").expect("credit");
    pair.ends[0].write(id, &[3; 3_000]).expect("room");
    pair.ends[0].finish(id).expect("open");
    for number in 0..3 {
        packet(&mut pair, 0, number, 1200);
    }
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL));
    pair.ends[0].handle_detach(pair.now, CHANNEL);
    pair.ends[0].handle_attach(pair.now, CHANNEL);
    pair.run();
    assert_eq!(pair.ends[1].accept().expect("arrived").id, id);
    assert_eq!(pair.read(1, id), (vec![3; 3_000], Ok(Read::Finished)));
}

#[test]
fn of_bytes_that_had_arrived_by_a_channel_that_went_only_the_first_go_out_again() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[3; 9_000]).expect("room");
    for number in 100..105 {
        let payload = packet(&mut pair, 0, number, 1200);
        deliver(&mut pair, 1, &payload).expect("a good packet");
    }
    let arrived = heads(&packet(&mut pair, 0, 105, 1200))[0].offset;
    pair.ends[0].handle_detach(pair.now, CHANNEL);
    pair.ends[0].handle_attach(pair.now, CHANNEL);
    let again = packet(&mut pair, 0, 200, 1200);
    assert!(heads(&again)[0].offset < arrived, "nobody has told of it");
    deliver(&mut pair, 1, &again).expect("a good packet");
    let word = packet(&mut pair, 1, 300, 1200);
    assert!(frames(&word).contains(&Frame::Received { id, offset: arrived }), "{:?}", frames(&word));
    deliver(&mut pair, 0, &word).expect("a good packet");
    let lost = packet(&mut pair, 0, 201, 1200);
    assert_eq!(heads(&lost)[0].offset, arrived, "what was lost with the channel");
    deliver(&mut pair, 1, &lost).expect("a good packet");
    deliver(&mut pair, 0, &word).expect("it may come twice");
    assert!(!pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL), "it is said once");
    pair.ends[0].handle_fates(pair.now, CHANNEL, 200..202, Fate::Acked);
    pair.run();
    assert_eq!(pair.read(1, id).0.len(), 9_000);
    assert_eq!(pair.ends[0].in_flight, 0);
}

#[test]
fn who_sends_the_same_bytes_again_and_again_is_answered_once_a_packet_and_not_at_all_when_the_stream_is_over() {
    let mut pair = calm();
    let id = pair.stream();
    let again = data(id, 0, 1, false).repeat(200);
    let word = |pair: &mut Pair, number| {
        let payload = packet(pair, 1, number, 1200);
        frames(&payload).iter().filter(|frame| matches!(frame, Frame::Received { .. })).count()
    };
    for number in 300..310 {
        deliver(&mut pair, 1, &again).expect("bytes within credit");
        assert_eq!(word(&mut pair, number), 1);
    }
    pair.drain(1, id);
    deliver(&mut pair, 1, &again).expect("bytes within credit");
    assert_eq!(word(&mut pair, 310), 1, "however much of it was read");
    pair.ends[1].stop(id, 7);
    deliver(&mut pair, 1, &again).expect("bytes within credit");
    assert_eq!(word(&mut pair, 311), 0);
}

#[test]
fn credit_for_less_than_a_packet_is_left_until_it_is_needed() {
    let config = Config { stream_window: 5_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 9_000]).expect("room");
    for number in 100..104 {
        assert_eq!(packet(&mut pair, 0, number, 1200).len(), 1200);
    }
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL), "a fragment for the last of the credit can wait");
    for number in 100..104 {
        pair.ends[0].handle_fates(pair.now, CHANNEL, number..number + 1, Fate::Acked);
    }
    let fragment = packet(&mut pair, 0, 104, 1200);
    assert!(!fragment.is_empty() && fragment.len() < 300, "nothing is in flight, so waiting would be for nothing");
}

#[test]
fn two_bulk_streams_get_equal_shares_and_a_short_one_does_not_wait_behind_them() {
    let mut pair = calm();
    let (a, b, short) = (pair.stream(), pair.stream(), pair.stream());
    pair.ends[0].write(a, &[1; 400_000]).expect("room");
    pair.ends[0].write(b, &[2; 400_000]).expect("room");
    let mut sent = BTreeMap::new();
    for number in 1000..1200 {
        if number == 1100 {
            pair.ends[0].write(short, b"hello").expect("room");
        }
        for frame in frames(&packet(&mut pair, 0, number, 1200)) {
            if let Frame::Data { head, data } = frame {
                *sent.entry(head.id).or_insert(0) += data.len();
                assert!(head.id != short || number < 1110, "the short one waited until {number}");
            }
        }
    }
    assert!(sent[&a].abs_diff(sent[&b]) <= 2400, "{sent:?}");
    assert_eq!(sent[&short], 5);
}

#[test]
fn a_peer_that_breaks_the_rules_is_told_which() {
    type Make = fn(StreamId) -> Vec<u8>;
    let cases: [(&str, u64, Make); 17] = [
        ("unknown type", 1, |_| vec![0x3f]),
        ("truncated", 1, |_| vec![0x12, 0, 1]),
        ("data beyond the stream's credit", 2, |id| data(id, 8 << 20, 1, false)),
        ("data beyond every offset", 2, |id| data(id, tng_wire::VARINT_MAX, 1, false)),
        ("the arrival of bytes that were never sent", 1, |id| vec![0x1a, id.0 as u8, 1]),
        ("a stream beyond the creation credit", 3, |_| data(StreamId(2 * 1024), 0, 1, false)),
        ("a parent beyond the creation credit", 3, |_| vec![0x10, 2, 0x48, 0x01]),
        ("a stream of ours that we never created", 1, |_| data(StreamId(1), 0, 1, false)),
        ("an INIT for a stream of ours", 1, |_| vec![0x10, 1, 0, 0, 0]),
        ("a child of itself", 1, |_| vec![0x10, 2, 3]),
        ("a REFUSE of a stream of its own", 1, |_| vec![0x11, 0, 1, 0]),
        ("a level that there is not", 1, |id| vec![0x17, id.0 as u8, 1, 0x41, 0x01, 16]),
        ("a weight of nothing", 1, |id| vec![0x17, id.0 as u8, 1, 0, 0]),
        ("a priority for a stream never created", 1, |_| vec![0x17, 1, 1, 0, 16]),
        ("an end before what was sent", 1, |id| [data(id, 100, 50, false), data(id, 100, 49, true)].concat()),
        ("two ends", 1, |id| [data(id, 100, 50, true), data(id, 100, 51, false)].concat()),
        ("a reset before what was sent", 1, |id| [data(id, 0, 50, false), vec![0x12, id.0 as u8, 0, 49]].concat()),
    ];
    for (what, code, make) in cases {
        let mut pair = calm();
        let id = pair.stream();
        let got = deliver(&mut pair, 1, &make(id)).map_err(|violation| violation.code);
        assert_eq!(got, Err(code), "{what}");
    }
    let mut pair = Pair::new(1, Pipe::default(), Config { host_window: 4_096, ..Config::default() });
    let payload = [data(StreamId(0), 0, 4_000, false), data(StreamId(2), 0, 97, false)].concat();
    assert_eq!(deliver(&mut pair, 1, &payload).map_err(|violation| violation.code), Err(2), "host credit");
    for item in [vec![], vec![0x50, 0x00, 0x4f, 0xff, 16], vec![0x50, 0x00, 0x50, 0x00, 15]] {
        assert_eq!(pair.ends[0].set_peer_setup(&item).map_err(|violation| violation.code), Err(1), "{item:?}");
    }
}

fn data(id: StreamId, offset: u64, len: usize, last: bool) -> Vec<u8> {
    let bytes = vec![0; len];
    let frame = Frame::Data {
        head: DataHead { id, offset, marks: Marks { last, message: false }, len: Some(len) },
        data: &bytes,
    };
    let mut out = vec![0; frame.wire_len()];
    frame.emit(&mut tng_wire::Writer::new(&mut out)).expect("room");
    out
}

#[test]
fn frames_for_a_stream_that_is_over_are_taken_and_answered_with_nothing() {
    let mut pair = calm();
    let id = pair.stream();
    for end in 0..2 {
        pair.ends[end].reset(id, 0);
    }
    pair.run();
    for end in 0..2 {
        pair.events(end);
    }
    pair.assert_clean("after the resets");
    let raw = id.0 as u8;
    let late = [vec![0x12, raw, 0, 0, 0x13, raw, 0, 0x14, raw, 5], data(id, 0, 100, true)].concat();
    for end in 0..2 {
        assert_eq!(deliver(&mut pair, end, &late), Ok(Taken::All));
        assert!(!pair.ends[end].wants_to_send(Instant::ZERO, CHANNEL));
    }
    assert_eq!(deliver(&mut pair, 1, &[0x10, raw, 0, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p']), Ok(Taken::All));
    assert_eq!(pair.ends[1].accept(), None, "an id is never used again");
}

#[test]
fn single_bytes_far_apart_cost_no_more_than_twice_the_window() {
    let window = 1 << 20;
    let config = Config { stream_window: window, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    let mut refused = 0;
    for i in 0..window / 2 {
        // Every second byte, the far ones first.
        let offset = (i * 7919 % (window / 2)) * 2 + 1;
        match deliver(&mut pair, 1, &data(id, offset, 1, false)) {
            Ok(Taken::All) => {}
            Ok(Taken::Refused) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, window as usize / 2 - RANGES_MAX);
    let held = pair.ends[1].stats().pages_held * PAGE;
    assert!(held <= window as usize + PAGE, "{held} bytes held");
    assert_eq!(deliver(&mut pair, 1, &data(id, 0, 1, false)), Ok(Taken::All), "what is next in order is always taken");
}

#[test]
fn a_claim_costs_nothing_and_an_open_stream_holds_no_page() {
    let mut pair = calm();
    let id = pair.stream();
    assert_eq!(deliver(&mut pair, 1, &data(id, (8 << 20) - 1, 1, false)), Ok(Taken::All));
    assert_eq!(pair.ends[1].stats().pages_held, 1);
    let other = pair.stream();
    pair.ends[0].write(other, &[1; 10_000]).expect("room");
    pair.run();
    pair.drain(1, other);
    assert_eq!((pair.ends[0].stats().pages_held, pair.ends[1].stats().pages_held), (0, 1));
}

/// Reads everything that is there in chunks of at most `max` bytes, and gives each back if `recycle` says so.
fn chunks(pair: &mut Pair, end: usize, id: StreamId, max: usize, recycle: bool) -> (Vec<usize>, Vec<u8>, bool) {
    let (mut lens, mut all) = (Vec::new(), Vec::new());
    loop {
        match pair.ends[end].read_chunk(id, max).expect("an open stream") {
            ReadChunk::Bytes(chunk) => {
                lens.push(chunk.len());
                all.extend_from_slice(&chunk);
                if recycle {
                    pair.ends[end].recycle(chunk);
                }
            }
            ReadChunk::Blocked => return (lens, all, false),
            ReadChunk::Finished => return (lens, all, true),
        }
    }
}

#[test]
fn chunks_are_the_pages_that_bytes_arrived_in_and_the_same_bytes() {
    let mut pair = calm();
    let id = pair.stream();
    let bytes: Vec<u8> = (0..3 * PAGE + 700).map(|i| (i * 7 % 251) as u8).collect();
    assert_eq!(pair.ends[0].write(id, &bytes), Ok(bytes.len()));
    pair.ends[0].finish(id).expect("open");
    pair.run();
    let free = pair.ends[1].stats().pages_free;
    let (lens, all, finished) = chunks(&mut pair, 1, id, usize::MAX, false);
    assert_eq!((lens, finished), (vec![PAGE, PAGE, PAGE, 700], true));
    assert!(all == bytes);
    let stats = pair.ends[1].stats();
    assert_eq!(
        (stats.pages_held, stats.pages_free, stats.bytes_unread),
        (0, free + 1, 0),
        "the pages went with the chunks, that of the last few bytes apart"
    );
}

#[test]
fn a_reader_who_keeps_small_slices_of_large_buffers_holds_four_times_their_bytes_at_most() {
    let mut pair = calm();
    let id = pair.stream();
    let (mut kept, mut bytes) = (Vec::new(), 0);
    for round in 0..300 {
        pair.ends[0].write(id, &vec![round as u8; 3 * PAGE]).expect("room");
        pair.run();
        // One slice of each is kept, of whatever size; the rest is read and thrown away.
        let len = 1 + round * 13 % PAGE;
        let Ok(ReadChunk::Bytes(chunk)) = pair.ends[1].read_chunk(id, len) else { panic!("there is something") };
        assert!(chunk.iter().all(|&byte| byte == round as u8));
        bytes += chunk.len();
        kept.push(chunk);
        pair.drain(1, id);
        assert_eq!(pair.ends[1].stats().pages_held, 0, "what is not kept is free");
    }
    pair.now += Duration::from_secs(3_600);
    pair.run();
    let held: usize = kept.iter().map(Chunk::footprint).sum();
    assert!(held <= 4 * bytes, "{held} bytes for {bytes}");
    assert!(kept.iter().any(|chunk| chunk.footprint() == PAGE) && kept.iter().any(|chunk| chunk.footprint() < 100));
}

#[test]
fn bytes_that_are_given_away_are_the_same_bytes_and_are_held_until_they_are_acknowledged() {
    let mut pair = calm();
    let id = pair.stream();
    let all: Vec<u8> = (0..60_000).map(|at| (at * 31 % 253) as u8).collect();
    let given = Bytes::from(all.clone());
    let (mut first, mut few, mut second) = (given.slice(..20_000), given.slice(20_000..20_010), given.slice(20_010..));
    for piece in [&mut first, &mut few] {
        let len = piece.len();
        assert_eq!(pair.ends[0].write_bytes(id, piece), Ok(len));
        assert!(piece.is_empty(), "it was taken");
    }
    assert_eq!(pair.ends[0].write(id, &all[20_010..25_000]), Ok(4_990));
    second.advance(4_990);
    assert_eq!(pair.ends[0].write_bytes(id, &mut second), Ok(35_000));
    pair.ends[0].finish(id).expect("open");
    let holdings = pair.ends[0].holdings();
    assert_eq!((holdings.given_bytes, holdings.page_bytes), (55_000, 3 * PAGE), "the few are copied");
    assert_eq!(pair.ends[0].bytes_held(), 55_000 + 3 * PAGE);
    pair.run();
    let (read, end) = pair.read(1, id);
    assert!(read == all && end == Ok(Read::Finished));
    pair.run();
    assert_eq!((pair.ends[0].holdings().given_bytes, pair.ends[0].bytes_held()), (0, 0));
    drop((first, few, second));
    assert!(given.is_unique(), "nobody else holds the buffer");
}

#[test]
fn chunks_and_copies_mix_in_any_sizes_and_over_gaps() {
    for seed in 0..20 {
        let pipe = Pipe { loss: 0.2, delay_us: (1000, 9000), packet: 300, ..Pipe::default() };
        let mut pair = Pair::new(seed, pipe, Config::default());
        let id = pair.stream();
        let bytes: Vec<u8> = (0..40_000).map(|i| (i * 13 % 251) as u8).collect();
        assert_eq!(pair.ends[0].write(id, &bytes), Ok(bytes.len()));
        pair.ends[0].finish(id).expect("open");
        let (mut all, mut over, mut rng) = (Vec::new(), false, Rng::from_u64(seed));
        while !over {
            pair.send(0, 64);
            pair.send(1, 64);
            let unread = pair.ends[1].stats().bytes_unread;
            assert!(pair.step() || unread > 0, "seed {seed}: stuck at {}", all.len());
            let max = rng.below(5_000) as usize;
            if rng.chance(0.3) {
                let mut out = vec![0; max.max(1)];
                match pair.ends[1].read(id, &mut out).expect("open") {
                    Read::Bytes(n) => all.extend_from_slice(&out[..n]),
                    Read::Blocked => {}
                    Read::Finished => over = true,
                }
            } else {
                let (_, more, finished) = chunks(&mut pair, 1, id, max, rng.chance(0.5));
                all.extend(more);
                over = finished;
            }
        }
        assert!(all == bytes, "seed {seed}");
    }
}

#[test]
fn recycled_chunks_do_not_make_the_store_larger_than_its_bound() {
    let mut pair = calm();
    let id = pair.stream();
    for _ in 0..4 * FREE_PAGES_KEPT {
        pair.ends[0].write(id, &[7; PAGE]).expect("room");
        pair.run();
        let (_, all, _) = chunks(&mut pair, 1, id, usize::MAX, true);
        assert_eq!(all.len(), PAGE);
        assert!(pair.ends[1].stats().pages_free <= FREE_PAGES_KEPT + 1);
    }
}
