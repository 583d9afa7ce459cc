//! Priorities on the wire (SST 5.6): one sentence a test. How the tree shares: `scheduler`'s own tests.

use super::*;
use tng_wire::{Reader, Repr};
use wire::Frame;

fn level(level: i8) -> Priority {
    Priority { level: Some(level), ..Priority::default() }
}

/// The streams whose data the next `count` packets of the responder carry; the packets reach nobody.
fn carried(pair: &mut Pair, count: usize) -> Vec<StreamId> {
    let mut carried = Vec::new();
    let mut buf = [0; 1200];
    for _ in 0..count {
        let number = pair.numbers[1];
        pair.numbers[1] += 1;
        let Some(filled) = pair.ends[1].poll_packet(pair.now, CHANNEL, number, &mut buf) else { break };
        let mut reader = Reader::new(&buf[..filled.len]);
        while !reader.is_empty() {
            if let Frame::Data { head, .. } = Frame::parse(&mut reader).expect("a frame") {
                carried.push(head.id);
            }
        }
    }
    carried
}

/// Streams on which the responder writes, accepted by it, and some bytes of each written.
fn answering<const N: usize>(pair: &mut Pair) -> [StreamId; N] {
    let ids = core::array::from_fn(|_| pair.stream());
    for id in ids {
        pair.ends[1].write(id, &[7; 300_000]).expect("room");
    }
    ids
}

fn calm() -> Pair {
    Pair::new(1, Pipe::default(), Config::default())
}

#[test]
fn a_priority_change_takes_effect_with_the_next_packet() {
    let mut pair = calm();
    let [a, b] = answering(&mut pair);
    assert!(carried(&mut pair, 10).contains(&a));
    pair.ends[1].set_priority(b, level(1));
    assert_eq!(carried(&mut pair, 10), [b; 10]);
    pair.ends[1].set_priority(a, level(2));
    assert_eq!(carried(&mut pair, 10), [a; 10]);
    assert_eq!(pair.ends[1].priority(a), Some(level(2)));
}

#[test]
fn a_stream_that_waits_with_little_to_send_changes_its_level_at_once() {
    let mut pair = calm();
    let [bulk, raised, lowered, last] = [0; 4].map(|_| pair.stream());
    pair.ends[1].set_priority(bulk, level(1));
    pair.ends[1].write(bulk, &[7; 300_000]).expect("room");
    for id in [lowered, raised, last] {
        pair.ends[1].write(id, &[7; 1_000]).expect("room");
    }
    assert_eq!(carried(&mut pair, 3), [bulk; 3], "control: they wait");
    pair.ends[1].set_priority(raised, level(2));
    pair.ends[1].set_priority(lowered, level(-1));
    assert_eq!(carried(&mut pair, 2)[..2], [raised, bulk]);
    pair.ends[1].set_priority(bulk, level(-2));
    let mut order = carried(&mut pair, 3);
    order.dedup();
    assert_eq!(order, [last, lowered, bulk]);
}

#[test]
fn more_weight_or_a_parent_makes_nobody_wait_for_those_that_came_later_with_as_little() {
    let mut pair = calm();
    let [parent, heavy] = [0; 2].map(|_| pair.stream());
    pair.ends[1].listen_children(parent);
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.run();
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    pair.ends[1].set_priority(heavy, Priority { weight: 255, ..Priority::default() });
    let many = [0; 50].map(|_| pair.stream());
    assert_eq!(carried(&mut pair, 1), []);
    for id in many {
        pair.ends[1].write(id, &[7; 1_000]).expect("room");
    }
    assert_eq!(carried(&mut pair, 2)[0], many[0], "control: those that come first go first");
    pair.ends[1].write(heavy, &[7; 1_000]).expect("room");
    pair.ends[1].write(child, &[7; 1_000]).expect("room");
    let next = carried(&mut pair, 4);
    assert!(next.contains(&heavy) && next.contains(&child), "{next:?}");
}

#[test]
fn the_reader_changes_what_the_writer_sends_first_by_one_packet() {
    let mut pair = calm();
    let [a, b] = answering(&mut pair);
    pair.ends[0].request_priority(b, level(3));
    assert_eq!(pair.ends[0].priority(b), Some(Priority::default()), "its own half goes as it went");
    assert_eq!(pair.send(0, 9), 1);
    pair.step();
    assert_eq!(pair.ends[1].priority(b), Some(level(3)));
    assert_eq!(carried(&mut pair, 10), [b; 10]);
    pair.ends[0].request_priority(b, Priority::default());
    pair.ends[0].request_priority(a, Priority { weight: 255, ..Priority::default() });
    pair.send(0, 9);
    pair.step();
    pair.step();
    let carried = carried(&mut pair, 170);
    assert_eq!(carried.iter().filter(|&&id| id == b).count(), 10, "shares are as asked for");
}

#[test]
fn the_last_of_several_requests_counts_even_if_another_overtakes_it_or_it_is_lost() {
    let mut pair = calm();
    let id = pair.stream();
    let mut packets = Vec::new();
    for (number, wish) in [(100, 1), (101, 2), (102, 3)] {
        let mut buf = [0; 1200];
        pair.ends[0].request_priority(id, level(wish));
        let filled = pair.ends[0].poll_packet(pair.now, CHANNEL, number, &mut buf).expect("the request");
        packets.push(buf[..filled.len].to_vec());
    }
    for at in [1, 0] {
        pair.ends[1].handle_payload(pair.now, &packets[at]).expect("no violation");
        assert_eq!(pair.ends[1].priority(id), Some(level(2)));
    }
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Lost);
    pair.ends[0].handle_fates(pair.now, CHANNEL, 101..102, Fate::Acked);
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL), "old requests are of no use");
    pair.ends[0].handle_fates(pair.now, CHANNEL, 102..103, Fate::Lost);
    pair.numbers[0] = 200;
    pair.run();
    assert_eq!(pair.ends[1].priority(id), Some(level(3)));
}

#[test]
fn a_request_goes_with_the_opening_of_its_stream_and_may_be_replayed_like_it() {
    let mut pair = calm();
    let id = pair.ends[0].open("www", "http").expect("credit");
    pair.ends[0].request_priority(id, level(-5));
    pair.ends[0].write(id, b"GET /").expect("room");
    let mut buf = [0; 1200];
    let filled = pair.ends[0].poll_packet(pair.now, CHANNEL, 0, &mut buf).expect("the opening");
    assert!(pair.ends[1].replay_safe(&buf[..filled.len]));
    pair.ends[1].handle_payload(pair.now, &buf[..filled.len]).expect("no violation");
    assert_eq!(pair.ends[1].accept().expect("arrived").id, id);
    assert_eq!(pair.ends[1].priority(id), Some(level(-5)));
}

#[test]
fn children_share_what_their_parent_gets_at_both_ends() {
    let mut pair = calm();
    let [parent, other] = answering(&mut pair);
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.run();
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    for end in 0..2 {
        for id in [parent, other, child] {
            pair.ends[end].write(id, &[7; 300_000]).expect("room");
        }
    }
    let carried = carried(&mut pair, 400);
    let share = |id| carried.iter().filter(|&&carried| carried == id).count();
    assert!(share(other).abs_diff(200) <= 4 && share(child).abs_diff(100) <= 4, "{} {}", share(other), share(child));
}

#[test]
fn an_urgent_stream_without_credit_of_its_own_stalls_nobody() {
    let config = Config { stream_window: 50_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let (urgent, other) = (pair.stream(), pair.stream());
    pair.ends[0].set_priority(urgent, level(9));
    for id in [urgent, other] {
        pair.ends[0].write(id, &[7; 200_000]).expect("room");
    }
    let mut read = 0;
    for _ in 0..20 {
        pair.run();
        read += pair.read(1, other).0.len();
    }
    assert_eq!(read, 200_000, "the urgent one is not read");
    assert_eq!(pair.read(1, urgent).0.len(), 50_000);
}

#[test]
fn unread_streams_of_a_lower_level_do_not_keep_an_urgent_one_waiting_for_credit_over_all_streams() {
    let config = Config { stream_window: 1 << 20, host_window: 160_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let bulk = [pair.stream(), pair.stream(), pair.stream()];
    let urgent = pair.stream();
    pair.ends[0].set_priority(urgent, level(1));
    for id in bulk {
        pair.ends[0].write(id, &[7; 200_000]).expect("room");
    }
    pair.run();
    assert_eq!(pair.ends[0].stats().bytes_sent, 150_000, "a sixteenth is left");
    for round in 0..50 {
        pair.ends[0].write(urgent, &[round; 5_000]).expect("room");
        pair.run();
        assert_eq!(pair.read(1, urgent).0, [round; 5_000], "round {round}");
    }
    let mut read = 0;
    for _ in 0..40 {
        bulk.iter().for_each(|&id| read += pair.read(1, id).0.len());
        pair.run();
    }
    assert_eq!(read, 600_000, "and when they are read they all arrive");
}

#[test]
fn what_a_low_stream_lost_arrives_although_an_urgent_one_never_pauses() {
    let mut pair = calm();
    let [low, urgent] = answering(&mut pair);
    pair.ends[1].set_priority(low, level(-1));
    pair.ends[1].set_priority(urgent, level(-2));
    let first = pair.numbers[1];
    assert_eq!(carried(&mut pair, 5), [low; 5]);
    pair.ends[1].set_priority(urgent, level(1));
    (first..first + 5).for_each(|number| pair.ends[1].handle_fates(pair.now, CHANNEL, number..number + 1, Fate::Lost));
    let carried = carried(&mut pair, 100);
    assert_eq!(carried[..10], [urgent; 10], "the urgent one goes first");
    assert_eq!(carried.iter().filter(|&&id| id == low).count(), 5, "and lets every lost packet through");
}

#[test]
fn a_flood_of_requests_leaves_nothing_but_the_last() {
    let mut pair = calm();
    let ids: Vec<_> = (0..200).map(|_| pair.stream()).collect();
    for count in 1..=100u32 {
        let mut buf = [0; 4096];
        let mut writer = tng_wire::Writer::new(&mut buf);
        for &id in &ids {
            Frame::Priority { id, count, priority: level((count % 256) as u8 as i8) }.emit(&mut writer).expect("room");
        }
        let payload = writer.written().to_vec();
        assert_eq!(pair.ends[1].handle_payload(pair.now, &payload), Ok(Taken::All));
    }
    assert!(ids.iter().all(|&id| pair.ends[1].priority(id) == Some(level(100))));
    assert!(!pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL) && pair.events(1) == [StreamEvent::Incoming]);
    for &id in &ids {
        for end in 0..2 {
            pair.ends[end].reset(id, 0);
        }
    }
    pair.run();
    for end in 0..2 {
        pair.events(end);
    }
    pair.assert_clean("after the flood");
}

#[test]
fn who_has_little_to_send_goes_first_until_it_has_had_as_much_as_the_others() {
    let mut pair = calm();
    let brief: [StreamId; 2] = core::array::from_fn(|_| pair.stream());
    let [bulk] = answering(&mut pair);
    carried(&mut pair, 20);
    let mut had = BTreeMap::new();
    for packet in 0..200 {
        // It writes again whatever it was sent, and never more than a packet holds.
        let _ = pair.ends[1].write(brief[0], &[1; 900]);
        if packet == 100 {
            pair.ends[1].write(brief[1], &[2; 500]).expect("room");
        }
        let (number, mut buf) = (pair.numbers[1], [0; 1200]);
        pair.numbers[1] += 1;
        let filled = pair.ends[1].poll_packet(pair.now, CHANNEL, number, &mut buf).expect("there is enough");
        let mut reader = Reader::new(&buf[..filled.len]);
        while !reader.is_empty() {
            if let Frame::Data { head, data } = Frame::parse(&mut reader).expect("a frame") {
                *had.entry(head.id).or_insert(0) += data.len();
                assert!(head.id != brief[1] || packet <= 101, "it waited until {packet}");
            }
        }
    }
    assert_eq!(had[&brief[1]], 500, "one that comes late goes first");
    assert!(had[&bulk].abs_diff(had[&brief[0]]) < 5_000, "{had:?}");
}

#[test]
fn who_has_little_to_send_waits_for_a_more_urgent_one_and_for_what_was_lost() {
    let mut pair = calm();
    let (brief, another) = (pair.stream(), pair.stream());
    let ids: [StreamId; 3] = answering(&mut pair);
    pair.ends[1].set_priority(ids[0], level(1));
    pair.ends[1].write(brief, b"hello").expect("room");
    assert!(!carried(&mut pair, 50).contains(&brief), "an urgent one goes first");
    pair.ends[1].set_priority(ids[0], level(-1));
    // Those that have had nothing yet go as early.
    assert!(carried(&mut pair, 3).contains(&brief));
    // The packets of the last two calls, and what is written now.
    let lost = pair.numbers[1] - 2..pair.numbers[1];
    pair.ends[1].handle_fates(pair.now, CHANNEL, lost, Fate::Lost);
    pair.ends[1].write(another, b"hello").expect("room");
    assert_ne!(carried(&mut pair, 1)[0], another, "what was lost goes first");
    assert!(carried(&mut pair, 3).contains(&another));
}
