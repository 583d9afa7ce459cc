//! Opening, accepting, ending: one sentence a test.

use super::*;

fn calm() -> Pair {
    Pair::new(1, Pipe::default(), Config::default())
}

#[test]
fn a_stream_opened_with_data_needs_one_packet_and_its_answer_one() {
    let mut pair = calm();
    pair.sent = Some(Default::default());
    let id = pair.ends[0].open("www", "http").expect("credit");
    pair.ends[0].write(id, b"GET /").expect("room");
    pair.ends[0].finish(id).expect("open");
    assert!(pair.ends[0].tell_finished(id));
    pair.run();
    assert_eq!(pair.sent.as_ref().expect("kept")[0].len(), 1);
    assert_eq!(pair.events(1), [StreamEvent::Incoming]);
    let incoming = pair.ends[1].accept().expect("arrived");
    assert_eq!((&*incoming.service, &*incoming.protocol, incoming.early), ("www", "http", false));
    assert_eq!(pair.events(1), [], "who accepts looks by itself");
    assert_eq!(pair.read(1, id), (b"GET /".to_vec(), Ok(Read::Finished)));
    assert_eq!(pair.events(0), [StreamEvent::Finished(id)]);
    pair.ends[1].write(id, b"200").expect("room");
    pair.ends[1].finish(id).expect("open");
    assert!(pair.ends[1].tell_finished(id));
    pair.run();
    assert_eq!(pair.sent.as_ref().expect("kept")[1].len(), 1);
    assert_eq!(pair.events(0), [StreamEvent::Readable(id)]);
    assert_eq!(pair.read(0, id), (b"200".to_vec(), Ok(Read::Finished)));
    assert_eq!(pair.events(1), [StreamEvent::Finished(id)]);
    pair.assert_clean("after both ends finished");
    assert_eq!(pair.ends[0].read(id, &mut [0]), Err(ReadError::Unknown));
    assert_eq!(pair.ends[0].write(id, b"x"), Err(WriteError::Unknown));
}

#[test]
fn an_initiator_may_send_before_it_has_the_responders_setup_within_what_it_may_assume() {
    let mut pair = Pair::before_setup(3, Pipe::default(), Config::default());
    pair.deliver_setup(1);
    let id = pair.ends[0].open("www", "http").expect("credit");
    assert_eq!(pair.ends[0].write(id, &[7; 10_000]), Ok(10_000));
    pair.run();
    assert_eq!(pair.ends[1].accept().expect("arrived").id, id);
    assert_eq!(pair.read(1, id).0.len(), 4096);
    pair.deliver_setup(0);
    pair.run();
    assert_eq!(pair.read(1, id).0.len(), 10_000 - 4096);
}

#[test]
fn a_stream_is_visible_to_its_acceptor_before_anything_is_written() {
    let mut pair = calm();
    let id = pair.ends[0].open("mail", "smtp").expect("credit");
    pair.run();
    assert_eq!(pair.events(1), [StreamEvent::Incoming]);
    assert_eq!(pair.ends[1].accept().expect("arrived").id, id);
    pair.ends[1].write(id, b"220").expect("the acceptor may speak first");
    pair.run();
    assert_eq!(pair.read(0, id), (b"220".to_vec(), Ok(Read::Blocked)));
}

#[test]
fn a_child_conveys_its_parent_is_opened_by_either_side_and_outlives_its_parent() {
    let mut pair = calm();
    let parent = pair.stream();
    pair.ends[0].listen_children(parent);
    let down = pair.ends[0].open_child(parent).expect("credit");
    let up = pair.ends[1].open_child(parent).expect("credit");
    assert_eq!((down.creator(), up.creator()), (Role::Initiator, Role::Responder));
    pair.run();
    assert!(pair.events(1).contains(&StreamEvent::ChildIncoming { parent }));
    assert!(pair.events(0).contains(&StreamEvent::ChildIncoming { parent }));
    assert_eq!((pair.ends[1].accept_child(parent), pair.ends[1].accept_child(parent)), (Some(down), None));
    assert_eq!(pair.ends[0].accept_child(parent), Some(up));
    assert_eq!(pair.ends[1].parent(down), Some(parent));
    assert_eq!(pair.ends[1].accept(), None, "a child is no top-level stream");
    for end in 0..2 {
        pair.ends[end].finish(parent).expect("open");
    }
    pair.run();
    for end in 0..2 {
        assert_eq!(pair.read(end, parent).1, Ok(Read::Finished));
        pair.events(end);
    }
    assert_eq!(pair.ends[0].parent(parent), None);
    assert_eq!(pair.ends[0].stats().streams, 2, "the parent is gone");
    pair.ends[0].write(down, b"still here").expect("room");
    pair.run();
    assert_eq!(pair.read(1, down).0, b"still here");
    assert_eq!(pair.ends[0].open_child(parent), Err(OpenError::NoParent));
}

#[test]
fn a_parent_that_does_not_listen_refuses_children() {
    let mut pair = calm();
    let parent = pair.ends[0].open("mail", "smtp").expect("credit");
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.run();
    assert_eq!(pair.ends[1].accept().expect("arrived").id, parent);
    let reason = "parent takes no children".into();
    assert_eq!(pair.events(0), [StreamEvent::Refused { id: child, code: refusal::NOT_ACCEPTED, reason }]);
    pair.ends[1].listen_children(parent);
    let second = pair.ends[0].open_child(parent).expect("credit");
    pair.run();
    assert_eq!(pair.ends[1].accept_child(parent), Some(second));
}

#[test]
fn children_of_a_child_are_taken_because_its_parent_listens() {
    let mut pair = calm();
    let parent = pair.stream();
    let child = pair.ends[0].open_child(parent).expect("credit");
    let grandchild = pair.ends[0].open_child(child).expect("credit");
    pair.run();
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    assert_eq!(pair.ends[1].accept_child(child), Some(grandchild));
}

#[test]
fn children_that_nobody_accepted_are_refused_when_their_parent_ends() {
    let mut pair = calm();
    let parent = pair.stream();
    let child = pair.ends[0].open_child(parent).expect("credit");
    for end in 0..2 {
        pair.ends[end].finish(parent).expect("open");
    }
    pair.run();
    for end in [1, 0] {
        pair.drain(end, parent);
        pair.events(end);
    }
    pair.run();
    let reason = "parent is over".into();
    assert_eq!(pair.events(0), [StreamEvent::Refused { id: child, code: refusal::NOT_ACCEPTED, reason }]);
    pair.assert_clean("after the refusal");
}

#[test]
fn what_is_not_offered_is_refused_with_its_reason_and_data_sent_along_costs_no_credit() {
    let config = Config { backlog_max: 1, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    for (service, protocol, code) in [
        ("nothing", "http", refusal::NO_SERVICE),
        ("www", "gopher", refusal::NO_PROTOCOL),
        ("www", "http", 0),
        ("www", "http", refusal::BUSY),
    ] {
        let id = pair.ends[0].open(service, protocol).expect("credit");
        pair.ends[0].write(id, &[1; 5000]).expect("room");
        pair.run();
        match pair.events(0).first() {
            Some(StreamEvent::Refused { id: refused, code: why, .. }) => assert_eq!((*refused, *why), (id, code)),
            other => assert_eq!((other, code), (None, 0)),
        }
    }
    let accepted = pair.ends[1].accept().expect("the one in the backlog").id;
    pair.ends[1].refuse(accepted, 99, "not today");
    pair.run();
    let refused = StreamEvent::Refused { id: accepted, code: 99, reason: "not today".into() };
    assert_eq!(pair.events(0), [refused]);
    pair.assert_clean("after five refusals");
}

#[test]
fn a_refused_stream_answers_reads_and_writes_with_the_code_until_the_event_is_taken() {
    let mut pair = calm();
    let id = pair.ends[0].open("nothing", "x").expect("credit");
    pair.run();
    assert_eq!(pair.ends[0].write(id, b"x"), Err(WriteError::Refused(refusal::NO_SERVICE)));
    assert_eq!(pair.ends[0].finish(id), Err(WriteError::Refused(refusal::NO_SERVICE)));
    assert_eq!(pair.ends[0].read(id, &mut [0]), Err(ReadError::Refused(refusal::NO_SERVICE)));
    pair.events(0);
    assert_eq!(pair.ends[0].write(id, b"x"), Err(WriteError::Unknown));
}

#[test]
fn refusing_what_was_answered_already_resets_and_stops_it() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, b"question").expect("room");
    pair.ends[1].write(id, b"half an ans").expect("room");
    pair.run();
    pair.ends[1].refuse(id, 5, "changed my mind");
    pair.run();
    let events = pair.events(0);
    assert!(events.contains(&StreamEvent::Reset { id, code: 5 }), "{events:?}");
    assert!(events.contains(&StreamEvent::Stopped { id, code: 5 }), "{events:?}");
    pair.assert_clean("after the change of mind");
}

#[test]
fn names_longer_than_255_bytes_are_not_opened() {
    let mut pair = calm();
    let name = "n".repeat(256);
    assert_eq!(pair.ends[0].open(&name, "http"), Err(OpenError::NameTooLong(256)));
    assert_eq!(pair.ends[0].open("www", &name), Err(OpenError::NameTooLong(256)));
    assert!(pair.ends[0].open(&name[1..], &name[1..]).is_ok());
    pair.run();
    assert!(matches!(pair.events(0)[..], [StreamEvent::Refused { .. }]));
}

#[test]
fn one_direction_ends_and_the_other_goes_on() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].finish(id).expect("open");
    assert!(pair.ends[0].tell_finished(id));
    pair.run();
    assert_eq!(pair.read(1, id), (Vec::new(), Ok(Read::Finished)));
    assert_eq!(pair.events(0), [StreamEvent::Finished(id)]);
    assert_eq!(pair.ends[0].write(id, b"x"), Err(WriteError::Finished));
    pair.ends[1].write(id, b"more").expect("room");
    pair.run();
    assert_eq!(pair.read(0, id), (b"more".to_vec(), Ok(Read::Blocked)));
}

#[test]
fn finished_is_told_only_when_everything_and_the_end_are_acknowledged() {
    let mut pair = calm();
    let id = pair.stream();
    let mut buf = [0; 600];
    pair.ends[0].write(id, &[1; 1000]).expect("room");
    pair.ends[0].finish(id).expect("open");
    assert!(pair.ends[0].tell_finished(id));
    for number in [100, 101] {
        pair.ends[0].poll_packet(pair.now, CHANNEL, number, &mut buf).expect("data");
    }
    assert!(!pair.ends[0].wants_to_send(Instant::ZERO, CHANNEL));
    pair.ends[0].handle_fates(pair.now, CHANNEL, 101..102, Fate::Acked);
    assert_eq!(pair.events(0), [], "the end is there, the beginning is not");
    pair.ends[0].handle_fates(pair.now, CHANNEL, 100..101, Fate::Acked);
    assert_eq!(pair.events(0), [StreamEvent::Finished(id)]);
}

#[test]
fn a_reset_throws_away_what_was_not_read_and_tells_its_code() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 50_000]).expect("room");
    pair.run();
    pair.ends[1].read(id, &mut [0; 100]).expect("data");
    pair.ends[0].reset(id, 42);
    assert_eq!(pair.ends[0].write(id, b"x"), Err(WriteError::Reset));
    pair.run();
    assert!(pair.events(1).contains(&StreamEvent::Reset { id, code: 42 }));
    assert_eq!(pair.ends[1].read(id, &mut [0; 100]), Err(ReadError::Reset(42)));
    assert_eq!(pair.ends[1].stats().pages_held, 0);
    pair.ends[1].reset(id, 43);
    pair.run();
    pair.events(0);
    pair.assert_clean("after both resets");
}

#[test]
fn a_stop_tells_the_writer_to_give_up_and_returns_the_credit_of_what_was_not_read() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 50_000]).expect("room");
    pair.run();
    pair.ends[1].stop(id, 17);
    assert_eq!(pair.ends[1].read(id, &mut [0; 100]), Err(ReadError::Stopped));
    pair.run();
    assert_eq!(pair.events(0), [StreamEvent::Stopped { id, code: 17 }]);
    assert_eq!(pair.ends[0].stats().pages_held, 0);
    pair.ends[1].finish(id).expect("the other direction is open");
    pair.run();
    assert_eq!(pair.read(0, id).1, Ok(Read::Finished));
    pair.events(1);
    pair.assert_clean("after the stop");
}

#[test]
fn streams_opened_while_the_early_mark_is_set_say_so() {
    let mut pair = calm();
    pair.ends[1].set_early(true);
    pair.ends[0].open("www", "http").expect("credit");
    pair.run();
    pair.ends[1].set_early(false);
    pair.ends[0].open("www", "http").expect("credit");
    pair.run();
    assert!(pair.ends[1].accept().expect("arrived").early);
    assert!(!pair.ends[1].accept().expect("arrived").early);
}

#[test]
fn only_openings_of_replay_safe_services_and_their_data_are_replay_safe() {
    let payload = |services: &[&str], reset: bool| {
        let mut pair = calm();
        for service in services {
            let protocol = if *service == "www" { "http" } else { "smtp" };
            let id = pair.ends[0].open(service, protocol).expect("credit");
            let child = pair.ends[0].open_child(id).expect("credit");
            pair.ends[0].write(child, b"hello").expect("room");
            if reset {
                pair.ends[0].reset(id, 0);
            }
        }
        let mut buf = [0; 1200];
        let filled = pair.ends[0].poll_packet(pair.now, CHANNEL, 0, &mut buf).expect("something");
        pair.ends[1].replay_safe(&buf[..filled.len])
    };
    assert!(payload(&["www"], false));
    assert!(payload(&["www", "www"], false));
    assert!(!payload(&["mail"], false));
    assert!(!payload(&["www", "mail"], false));
    assert!(!payload(&["www"], true));
    let pair = calm();
    assert!(!pair.ends[1].replay_safe(&[0x40, 0, 1]), "data without an opening");
    assert!(!pair.ends[1].replay_safe(&[0xff]), "no frame");
    assert!(!pair.ends[1].replay_safe(&[0x00]), "no opening, so nothing to hurry for");
}

#[test]
fn children_that_name_each_other_as_parents_wait_in_vain_and_do_no_harm() {
    // INIT 0 with parent 2, INIT 2 with parent 0; then a ring of three.
    for ring in [&[0u8, 2][..], &[4, 6, 8]] {
        let mut pair = calm();
        let next = ring.iter().cycle().skip(1);
        let payload: Vec<u8> = ring.iter().zip(next).flat_map(|(&id, &parent)| [0x10, id, parent + 1]).collect();
        assert_eq!(pair.ends[1].handle_payload(pair.now, &payload), Ok(Taken::All));
        assert_eq!(pair.events(1), []);
        assert_eq!(pair.ends[1].stats().streams, ring.len());
    }
}

#[test]
fn when_the_connection_is_lost_what_arrived_can_be_read_and_all_else_fails() {
    let mut pair = calm();
    let (id, other) = (pair.stream(), pair.stream());
    pair.ends[0].write(id, b"last words").expect("room");
    pair.ends[0].finish(id).expect("open");
    pair.ends[0].write(other, b"cut sh").expect("room");
    pair.run();
    for end in 0..2 {
        pair.ends[end].handle_closed();
        assert!(!pair.ends[end].wants_to_send(Instant::ZERO, CHANNEL) && pair.ends[end].is_idle());
        assert_eq!(pair.ends[end].open("www", "http"), Err(OpenError::ConnectionLost));
        assert_eq!(pair.ends[end].write(id, b"x"), Err(WriteError::ConnectionLost));
        assert_eq!(pair.ends[end].finish(id), Err(WriteError::ConnectionLost));
    }
    assert_eq!(pair.read(1, id), (b"last words".to_vec(), Ok(Read::Finished)));
    assert_eq!(pair.read(1, other), (b"cut sh".to_vec(), Err(ReadError::ConnectionLost)));
    assert_eq!(pair.read(0, other), (Vec::new(), Err(ReadError::ConnectionLost)));
    assert_eq!(pair.ends[0].stats().pages_held, 0);
}

#[test]
fn events_are_told_once_and_again_only_after_a_call_was_blocked() {
    let mut pair = calm();
    let id = pair.stream();
    assert_eq!(pair.events(1), [StreamEvent::Incoming]);
    for _ in 0..3 {
        pair.ends[0].write(id, b"abc").expect("room");
        pair.run();
    }
    assert_eq!(pair.events(1), [StreamEvent::Readable(id)], "three arrivals, one event");
    pair.ends[1].read(id, &mut [0; 4]).expect("data");
    pair.ends[0].write(id, b"abc").expect("room");
    pair.run();
    assert_eq!(pair.events(1), [], "the reader has not met the end yet");
    assert_eq!(pair.read(1, id).1, Ok(Read::Blocked));
    pair.ends[0].write(id, b"abc").expect("room");
    pair.run();
    assert_eq!(pair.events(1), [StreamEvent::Readable(id)]);
    assert_eq!(pair.events(0), [], "no writer was blocked");
}

#[test]
fn a_writer_is_turned_away_when_too_much_is_unsent_and_called_when_half_of_it_is_gone() {
    let config = Config { unsent_max: 10_000, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let id = pair.stream();
    assert_eq!(pair.ends[0].write(id, &[1; 20_000]), Ok(10_000));
    assert_eq!(pair.ends[0].write(id, &[1; 20_000]), Err(WriteError::Blocked));
    pair.send(0, 4);
    assert_eq!(pair.events(0), []);
    pair.send(0, 1);
    assert_eq!(pair.events(0), [StreamEvent::Writable(id)]);
}

#[test]
fn a_stream_is_not_confirmed_as_finished_when_its_refusal_comes_with_the_acknowledgment() {
    let mut pair = calm();
    let id = pair.ends[0].open("nothing", "x").expect("credit");
    pair.ends[0].write(id, b"hello").expect("room");
    pair.ends[0].finish(id).expect("open");
    pair.run();
    assert_eq!(pair.ends[0].write(id, b"more"), Err(WriteError::Refused(refusal::NO_SERVICE)));
    assert!(matches!(pair.events(0)[..], [StreamEvent::Refused { .. }]));
    pair.assert_clean("after the refusal");
}

#[test]
fn a_stop_is_not_repeated_when_the_writer_has_given_up_by_itself() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, &[1; 100]).expect("room");
    pair.run();
    pair.ends[1].stop(id, 1);
    let mut buf = [0; 1200];
    pair.ends[1].poll_packet(pair.now, CHANNEL, 100, &mut buf).expect("the STOP");
    pair.ends[0].reset(id, 2);
    pair.run();
    pair.ends[1].handle_fates(pair.now, CHANNEL, 100..101, Fate::Lost);
    assert!(!pair.ends[1].wants_to_send(Instant::ZERO, CHANNEL));
    assert_eq!(pair.events(0), [], "the writer heard of no STOP");
}

#[test]
fn only_the_peer_of_who_opened_a_child_accepts_it_and_only_below_its_parent() {
    let mut pair = calm();
    let (parent, other) = (pair.stream(), pair.stream());
    for end in 0..2 {
        pair.ends[end].listen_children(parent);
        pair.ends[end].listen_children(other);
    }
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.run();
    assert_eq!((pair.ends[0].accept_child(parent), pair.ends[0].accept()), (None, None), "not who opened it");
    assert_eq!((pair.ends[1].accept_child(other), pair.ends[1].accept()), (None, None), "not below another");
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    assert_eq!(pair.ends[1].accept_child(parent), None, "and once");
}

#[test]
fn a_parent_goes_on_although_nobody_reads_its_children() {
    let config = Config { stream_window: 10_000, host_window: 200_000, blocked_all_max: u64::MAX, ..Config::default() };
    let mut pair = Pair::new(1, Pipe::default(), config);
    let parent = pair.stream();
    let children: Vec<StreamId> = (0..10).map(|_| pair.ends[0].open_child(parent).expect("credit")).collect();
    for &child in &children {
        pair.ends[0].write(child, &[1; 50_000]).expect("room");
    }
    let mut read = 0;
    pair.ends[0].write(parent, &[2; 300_000]).expect("room");
    for _ in 0..200 {
        pair.run();
        read += pair.read(1, parent).0.len();
    }
    assert_eq!(read, 300_000);
    assert_eq!(pair.ends[1].stats().bytes_unread, 100_000, "each child has used its own window, and waits");
    assert_eq!(pair.ends[1].accept_child(parent), Some(children[0]), "they are still there");
}

#[test]
fn either_side_may_reset_what_it_writes_and_stop_what_it_reads_and_the_other_half_goes_on() {
    for opener in 0..2 {
        for actor in 0..2 {
            let mut pair = calm();
            let root = pair.stream();
            pair.ends[0].listen_children(root);
            let id = pair.ends[opener].open_child(root).expect("credit");
            pair.run();
            assert_eq!(pair.ends[1 - opener].accept_child(root), Some(id));
            let other = 1 - actor;
            pair.ends[actor].reset(id, 11);
            pair.run();
            assert!(pair.events(other).contains(&StreamEvent::Reset { id, code: 11 }), "{opener} {actor}");
            assert_eq!(pair.ends[other].read(id, &mut [0]), Err(ReadError::Reset(11)));
            assert_eq!(pair.ends[actor].write(id, b"x"), Err(WriteError::Reset));
            pair.ends[other].write(id, b"the other way").expect("room");
            pair.run();
            assert_eq!(pair.read(actor, id).0, b"the other way", "{opener} {actor}");
            pair.ends[actor].stop(id, 12);
            pair.run();
            assert!(pair.events(other).contains(&StreamEvent::Stopped { id, code: 12 }), "{opener} {actor}");
            pair.run();
            pair.events(actor);
            assert_eq!((pair.ends[0].stats().streams, pair.ends[1].stats().streams), (1, 1), "{opener} {actor}");
        }
    }
}

#[test]
fn a_stream_that_was_let_go_of_is_ended_told_of_no_more_and_takes_no_children() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, b"something").expect("room");
    pair.run();
    assert_eq!(pair.events(1), [StreamEvent::Incoming, StreamEvent::Readable(id)]);
    pair.ends[1].release(id);
    assert_eq!(pair.ends[1].read(id, &mut [0]), Err(ReadError::Unknown));
    assert_eq!(pair.ends[1].write(id, b"x"), Err(WriteError::Unknown));
    let child = pair.ends[0].open_child(id).expect("credit");
    pair.run();
    let refused =
        StreamEvent::Refused { id: child, code: refusal::NOT_ACCEPTED, reason: "parent takes no children".into() };
    let told = pair.events(0);
    assert_eq!(told, [StreamEvent::Reset { id, code: 0 }, refused, StreamEvent::Stopped { id, code: 0 }]);
    assert_eq!(pair.events(1), []);
    pair.run();
    pair.assert_clean("after it was let go of");
}

#[test]
fn what_was_finished_arrives_after_its_writer_has_let_go_of_it() {
    let mut pair = calm();
    let id = pair.stream();
    pair.ends[0].write(id, b"the last words").expect("room");
    pair.ends[0].finish(id).expect("open");
    pair.ends[0].release(id);
    pair.run();
    assert_eq!(pair.read(1, id), (b"the last words".to_vec(), Ok(Read::Finished)));
    pair.ends[1].finish(id).ok();
    pair.events(1);
    pair.run();
    pair.events(1);
    assert_eq!(pair.events(0), []);
    pair.assert_clean("after it has arrived");
}

#[test]
fn a_child_that_its_opener_lets_go_of_before_it_is_announced_is_no_datagram() {
    let mut pair = calm();
    let parent = pair.stream();
    let child = pair.ends[0].open_child(parent).expect("credit");
    pair.ends[0].write(child, b"whole").expect("room");
    pair.ends[0].finish(child).expect("open");
    pair.ends[0].release(child);
    pair.run();
    assert_eq!(pair.ends[1].accept_child(parent), Some(child));
    pair.ends[1].open_child(child).expect("it is a stream, not a datagram: it may have children");
}
