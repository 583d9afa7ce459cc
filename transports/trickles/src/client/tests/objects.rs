use core::time::Duration;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, PeerText, Rng};
use tng_wire::{Reader, Writer};

use super::world::*;
use crate::client::objects::ObjectEvent;
use crate::client::objects::{Capacity, Objects};
use crate::client::sent::List;
use crate::client::{ClientConfig, Event, MAKING_MAX, ObjectError, Options, Read};
use crate::wire::{Ask, Fault, Tell};

#[test]
fn an_object_comes_whole_over_a_path_that_loses_nothing() {
    let mut world = World::new(1);
    let id = world.ask(50_000);
    let took = world.finish(ms(5_000));
    assert!(world.has_finished(id) && world.got[&id] == 50_000);
    // Set-up, and slow start from ten packets on.
    assert!(took < ms(120), "{took:?}");
    assert_eq!((world.stats().timeouts, world.stats().lost), (0, 0));
}

/// What a machine has to say now: batches, and how long their datagrams are.
fn said<E>(machine: &mut impl Machine<Event = E>, now: Instant, entropy: &mut Rng) -> Vec<(usize, Vec<u8>)> {
    let (mut batches, mut buf) = (Vec::new(), vec![0; 65_536]);
    loop {
        match machine.poll_output(now, &mut buf) {
            Output::Transmit(transmit) => batches.push((transmit.segment_size, buf[..transmit.len].to_vec())),
            Output::NeedsEntropy => machine.handle_input(now, Input::Entropy(&mut entropy.bytes())),
            Output::Event(_) => {}
            Output::Timeout(_) => return batches,
        }
    }
}

#[test]
fn requests_of_one_instant_leave_together_and_what_they_ask_for_fills_its_packets() {
    let mut world = World::new(1);
    let id = world.ask_with(1_000_000, Options { reserve: 1 << 30, ..Options::default() });
    let (client_at, mut entropy) = (world.client_at, Rng::from_u64(1));
    let (mut batches, mut full, mut packets, mut out) = (0, 0, 0, [0; 65_536]);
    for _ in 0..200 {
        world.now += ms(5);
        let now = world.now;
        world.client.handle_timeout(now);
        for (segment_size, mut payload) in said(&mut world.client, now, &mut entropy) {
            batches += 1;
            let (local, ecn, payload) = (None, Ecn::NotEct, &mut payload[..]);
            let datagram = Datagram { remote: client_at, local, ecn, segment_size, payload };
            world.server(0).handle_input(now, Input::Datagram(datagram));
        }
        for (segment_size, mut payload) in said(world.server(0), now, &mut entropy) {
            let datagrams = payload.chunks(segment_size).map(<[u8]>::len);
            packets += datagrams.len();
            full += datagrams.filter(|len| *len == ClientConfig::default().datagram_len).count();
            let (local, ecn, payload) = (None, Ecn::NotEct, &mut payload[..]);
            let datagram = Datagram { remote: server_at(0), local, ecn, segment_size, payload };
            world.client.handle_input(now, Input::Datagram(datagram));
        }
        while let Read::Bytes(_) = world.client.read(id, &mut out) {}
    }
    let stats = world.stats();
    assert_eq!(world.client.end(id), None, "it is read to its end, and forgotten");
    assert!(4 * batches < stats.requests, "{batches} batches of {} requests", stats.requests);
    assert!(10 * full > 9 * packets, "{full} of {packets} packets are full");
}

#[test]
fn a_path_is_filled() {
    for (rtt, rate) in [(10, 2_000_000), (50, 1_000_000), (200, 1_000_000)] {
        let mut world = World::with(2, Plan { rtt: ms(rtt), ..Plan::default() });
        world.down.rate = Some((rate, rate * 2 * rtt / 1_000));
        let id = world.ask_with(20_000_000, Options { reserve: 1 << 30, ..Options::default() });
        let took = world.finish(ms(100_000));
        let share = 20_000_000.0 / took.as_secs_f64() / rate as f64;
        println!("{rtt} ms: {share} {:?}", world.stats());
        assert!(world.has_finished(id) && share > 0.85, "{rtt} ms: {share} {:?}", world.stats());
    }
}

#[test]
fn the_first_slow_start_ends_before_it_loses_much_and_waits_for_no_further_part_of_the_row() {
    for rtt in [50, 100, 200] {
        let mut world = World::with(2, Plan { rtt: ms(rtt), ..Plan::default() });
        // A queue of one round trip.
        let rate = 5_000_000;
        world.down.rate = Some((rate, rate * rtt / 1_000));
        // As many bytes as forty round trips bring.
        let len = 40 * rate * rtt / 1_000;
        let id = world.ask(len);
        let took = world.finish(ms(100_000));
        let (share, stats) = (len as f64 / took.as_secs_f64() / rate as f64, world.stats());
        println!("{rtt} ms: {share} {stats:?}");
        assert!(world.has_finished(id) && share > 0.7, "{rtt} ms: {share} {stats:?}");
        // It would lose about half a window. What it tells lost came.
        assert!(stats.lost <= stats.window / 10, "{rtt} ms: {stats:?}");
        assert_eq!((stats.cuts, stats.timeouts), (1, 0), "{rtt} ms: {stats:?}");
    }
}

#[test]
fn what_is_longer_than_was_reserved_comes_all_the_same() {
    for len in [79_999, 80_000, 80_001, 399_999, 400_000, 400_001, 3_000_000] {
        let mut world = World::new(3);
        let id = world.ask(len);
        let took = world.finish(ms(20_000));
        assert!(world.has_finished(id) && world.got[&id] == len, "{len} {:?}", world.events);
        assert_eq!(world.stats().timeouts, 0, "{len} {took:?}");
    }
}

#[test]
fn many_objects_come_at_once_over_one_connection() {
    let mut world = World::new(4);
    let ids: Vec<_> = (0..100).map(|which| world.ask(1_000 * which)).collect();
    let took = world.finish(ms(20_000));
    assert!(ids.iter().all(|id| world.has_finished(*id)), "{:?}", world.events);
    println!("{took:?} {:?}", world.stats());
    assert_eq!((world.stats().connections, world.stats().timeouts), (1, 0));
}

#[test]
fn objects_of_which_the_next_part_finds_no_room_in_a_request_go_on_where_they_were() {
    for moves_at in [Some(70), Some(90), Some(110), Some(130), None] {
        let mut world = World::new(19);
        // Twenty come to the end of what was reserved at once: more are due than one request has room for.
        let reserve = |which: u64| Options { reserve: 2_000 + which, ..Options::default() };
        let ids: Vec<_> = (0..20).map(|which| world.ask_with(30_000, reserve(which))).collect();
        if let Some(at) = moves_at {
            // Over another connection all is asked for anew, but for what came.
            world.run(ms(at));
            world.kill(0);
            world.run(ms(30_000));
            world.start(0, Files::default());
        }
        world.finish(ms(60_000));
        assert_eq!(world.stats().connections, 1 + u64::from(moves_at.is_some()));
        assert!(ids.iter().all(|id| world.has_finished(*id) && world.got[id] == 30_000), "{:?}", world.events);
    }
}

/// Puts what is due of the only object. Answers what the request asks for, the input continuation that it shows, and
/// where what is reserved begins.
fn put(objects: &mut Objects, now: Instant) -> (List, Vec<u8>, u64) {
    let (mut buf, mut asked) = ([0; 1_200], List::default());
    objects.wants(now);
    let mut writer = Writer::new(&mut buf);
    objects.write(now, &mut writer, Capacity { packets: 10, each: 1_000, following: 0 }, None, &mut asked);
    let len = writer.position();
    let asks = Ask::parse(&mut Reader::new(&buf[..len]));
    let Ok(Ask::Put { input, reserved, .. }) = asks else { panic!("nothing is put: {asks:?}") };
    (asked, input.to_vec(), reserved.start)
}

/// How long an object waits each time that it is answered with that fault, until it fails.
fn pauses(fault: Fault) -> (Vec<Duration>, Option<ObjectError>) {
    let (mut objects, mut now, mut pauses) = (Objects::new(0), Instant::from_secs(1), Vec::new());
    objects.ask(b"it".to_vec(), Options::default()).unwrap();
    loop {
        let (asked, _, _) = put(&mut objects, now);
        objects.tell(now, &Tell::Fault { object: 0, fault, text: PeerText::new("why") }, &asked);
        asked.iter().for_each(|asked| objects.over(asked));
        match objects.poll_event() {
            Some((_, ObjectEvent::Failed(error))) => return (pauses, Some(error)),
            event => assert_eq!(event, None),
        }
        assert!(!objects.wants(now), "it is asked for at once");
        let at = objects.deadline(now).expect("it is asked for again");
        pauses.push(at.since(now));
        now = at;
    }
}

#[test]
fn what_is_being_made_is_asked_for_again_every_second_for_a_minute_and_what_has_no_room_less_and_less_often() {
    let (soon, error) = pauses(Fault::NotYet);
    assert_eq!(error, Some(ObjectError::Busy));
    assert_eq!(soon[..5], [125, 250, 500, 1_000, 1_000].map(ms));
    assert!(soon[3..].iter().all(|pause| *pause == ms(1_000)));
    assert!((MAKING_MAX..MAKING_MAX + ms(1_000)).contains(&soon.iter().sum()), "{soon:?}");
    let (later, error) = pauses(Fault::Overloaded);
    assert_eq!(
        (later, error),
        (vec![ms(1_000), ms(2_000), ms(4_000), ms(8_000), ms(16_000), ms(32_000)], Some(ObjectError::Busy))
    );
}

#[test]
fn a_late_answer_to_an_earlier_part_does_not_say_how_to_go_on() {
    let mut objects = Objects::new(0);
    objects.ask(b"it".to_vec(), Options { reserve: 2_000, ..Options::default() }).unwrap();
    let now = Instant::from_secs(1);
    let tell = |objects: &mut Objects, tell: Tell<'_>, asked: &List| objects.tell(now, &tell, asked);
    let goes_on = |input| Tell::Input { object: 0, taken: 2, until: None, input };
    let (first, _, start) = put(&mut objects, now);
    let begins = Tell::Output { object: 0, valid: start..start + 2_000, output: b"output" };
    tell(&mut objects, begins.clone(), &first);
    tell(&mut objects, goes_on(b"at 2,000"), &first);
    let (second, input, behind) = put(&mut objects, now);
    assert_eq!(input, b"at 2,000");
    // The same again, because the request went out twice, or to two replicas: before the answer to the second...
    tell(&mut objects, begins.clone(), &first);
    tell(&mut objects, goes_on(b"at 2,000"), &first);
    tell(&mut objects, Tell::Output { object: 0, valid: behind..behind + 4_000, output: b"output" }, &second);
    tell(&mut objects, goes_on(b"at 6,000"), &second);
    // ...and after it.
    tell(&mut objects, begins, &first);
    tell(&mut objects, goes_on(b"at 2,000"), &first);
    let (_, input, _) = put(&mut objects, now);
    assert_eq!(input, b"at 6,000", "bytes from 2,000 on would take the place of others");
}

#[test]
fn no_further_part_is_asked_for_before_it_is_known_how_to_ask_for_the_bytes_of_this_one() {
    let (mut objects, now) = (Objects::new(0), Instant::from_secs(1));
    objects.ask(b"it".to_vec(), Options { reserve: 2_000, ..Options::default() }).unwrap();
    let (first, _, start) = put(&mut objects, now);
    objects.tell(now, &Tell::Input { object: 0, taken: 2, until: None, input: b"at 2,000" }, &first);
    assert!(
        !objects.wants(now),
        "the packet that says how may be lost, and who says it again is asked for the last part"
    );
    objects.tell(now, &Tell::Output { object: 0, valid: start..start + 2_000, output: b"output" }, &first);
    let (_, input, _) = put(&mut objects, now);
    assert_eq!(input, b"at 2,000");
}

#[test]
fn what_asks_for_an_object_goes_in_parts_that_the_server_chooses() {
    for part in [None, Some(100), Some(1_000)] {
        let mut world = World::new(5);
        world.start(0, Files { part, ..Files::default() });
        let ids: Vec<_> = (0..3)
            .map(|which| {
                let upload = format!("{:<len$}", 1_000 * which, len = 5_000);
                let id = world.client.ask(upload, Options::default()).unwrap();
                world.got.insert(id, 0);
                id
            })
            .collect();
        world.finish(ms(20_000));
        assert!(ids.iter().all(|id| world.has_finished(*id)), "{part:?} {:?}", world.events);
        // What asks has 5,000 bytes; the first part is as long as the client likes.
        let Files { puts, parts_as_wanted, .. } = *world.server(0).application();
        let due = part.map_or(0, |part| 3 * (5_000 / part as u32 - 1));
        assert!(puts >= 15 && parts_as_wanted >= due, "{part:?}: {parts_as_wanted} of {puts}, {due} are due");
    }
}

#[test]
fn a_part_of_an_object_comes_alone() {
    let mut world = World::new(6);
    let id = world.ask_with(1_000_000, Options { from: 300_000, until: Some(400_000), ..Options::default() });
    world.finish(ms(20_000));
    assert_eq!(world.got[&id], 400_000);
    assert!(world.stats().packets < 130, "{:?}", world.stats());
}

#[test]
fn scattered_parts_of_an_object_come_and_what_lies_between_does_not() {
    // One reservation for all; far beyond what is reserved at first and what is held, by further parts of the row.
    for (reserve, buffer) in [(2_000_000, 1 << 22), (10_000, 1 << 22), (2_000_000, 50_000)] {
        for loss in [0.0, 0.05] {
            let mut world = World::new(20);
            world.down.loss = loss;
            let holes = vec![800_100..900_000, 1_000..500_000, 510_000..520_000, 520_000..800_000];
            let options = Options { from: 300, until: Some(950_000), holes, reserve, buffer };
            let id = world.ask_with(1_000_000, options);
            world.finish(ms(60_000));
            assert!(world.has_finished(id), "{reserve} {buffer} {loss} {:?}", world.events);
            // Parts of 700, 10,000, 100 and 50,000 bytes: 61 kB of 950.
            assert_eq!(world.got[&id], 950_000);
            let packets = world.stats().packets;
            let most = if reserve > 1 << 20 { 110 } else { 400 };
            assert!(packets < most, "{reserve} {buffer} {loss}: {packets}");
        }
    }
}

#[test]
fn no_byte_comes_that_is_not_wanted_though_its_packet_has_room_for_it() {
    for (from, until) in [(0, 1), (0, 1_500), (700, 1_500), (99_000, 99_999), (99_000, 200_000)] {
        let mut world = World::new(18);
        let id = world.ask_with(100_000, Options { from, until: Some(until), ..Options::default() });
        world.finish(ms(20_000));
        assert_eq!(world.got[&id], until.min(100_000), "{from}..{until}");
    }
}

#[test]
fn an_application_that_does_not_read_is_sent_no_more_than_it_has_room_for() {
    let mut world = World::new(7);
    let id = world.client.ask("1000000", Options { buffer: 50_000, reserve: 1 << 21, ..Options::default() }).unwrap();
    world.is_reading = false;
    world.run(ms(5_000));
    let before = world.stats();
    assert!(before.packets < 70 && before.timeouts == 0, "{before:?}");
    // Continuations are too old by now: it goes on with a timeout.
    world.run(ms(20_000));
    (world.is_reading, _) = (true, world.got.insert(id, 0));
    world.read(id);
    assert_eq!(world.got[&id], 50_000);
    world.finish(ms(20_000));
    assert_eq!(world.got[&id], 1_000_000);
    assert!(world.stats().connections == 1 && world.stats().timeouts_granted == 1, "{:?}", world.stats());
}

#[test]
fn an_application_without_room_is_not_told_of_the_end_before_it_has_read_the_rest() {
    let mut world = World::new(7);
    let id = world.ask(30_000);
    world.is_reading = false;
    world.run(ms(5_000));
    assert!(world.has_finished(id), "all of it came");
    assert_eq!(world.client.read(id, &mut []), Read::Blocked);
    world.read(id);
    assert_eq!(world.got[&id], 30_000);
    assert_eq!(world.client.read(id, &mut []), Read::Unknown, "its end was read");
}

#[test]
fn what_the_server_says_of_an_object_ends_it_and_nothing_else() {
    let mut world = World::new(8);
    let (good, bad) = (world.ask(100_000), world.ask(404));
    world.finish(ms(20_000));
    let error = ObjectError::Application { code: 404, text: "no such object".into() };
    assert!(world.has_finished(good) && world.events.contains(&Event::Failed(bad, error)), "{:?}", world.events);
}

#[test]
fn an_object_that_is_cancelled_says_no_more_and_others_go_on() {
    let mut world = World::new(9);
    let (gone, kept) = (world.ask(5_000_000), world.ask(300_000));
    world.run(ms(100));
    world.client.cancel(gone);
    world.got.remove(&gone);
    world.events.clear();
    world.finish(ms(20_000));
    assert!(world.has_finished(kept) && !world.has_finished(gone));
}

#[test]
fn a_client_that_has_all_sends_nothing_and_goes_on_when_it_is_asked() {
    let mut world = World::new(10);
    world.ask(100_000);
    world.finish(ms(20_000));
    world.run(ms(1_000));
    let before = world.up_count;
    world.run(ms(100_000));
    assert_eq!(world.up_count, before, "an idle client is silent");
    let id = world.ask(100_000);
    let took = world.finish(ms(20_000));
    assert!(world.has_finished(id) && took < ms(200), "{took:?}");
    let stats = world.stats();
    assert!(stats.connections == 1 && stats.timeouts == 1, "its continuations are too old: {stats:?}");
}

#[test]
fn a_client_that_closes_tells_the_server() {
    let mut world = World::new(11);
    world.ask(10_000);
    world.finish(ms(20_000));
    world.client.close();
    world.run(ms(1_000));
    assert_eq!(world.server(0).application().closed, 1);
    assert!(matches!(world.events.last(), Some(Event::Ended(_))), "{:?}", world.events);
}

#[test]
fn expensive_objects_cost_the_client_work_when_the_server_is_loaded() {
    let puzzled = |bits| {
        let config = ClientConfig { puzzle_bits_max: bits, ..ClientConfig::default() };
        let mut world = World::with(12, Plan { config, ..Plan::default() });
        world.start(0, Files { is_expensive: true, ..Files::default() });
        world.server(0).set_load(0.8);
        let id = world.ask(30_000);
        world.finish(ms(60_000));
        (world.has_finished(id), world.events)
    };
    let (has_finished, events) = puzzled(20);
    assert!(has_finished, "{events:?}");
    let (has_finished, events) = puzzled(5);
    let refused = |event: &Event| matches!(event, Event::Failed(_, ObjectError::Puzzle(bits)) if *bits > 5);
    assert!(!has_finished && events.iter().any(refused), "{events:?}");
}

#[test]
fn a_window_that_an_application_cannot_use_does_not_stop_it() {
    let mut world = World::with(7, Plan { rtt: ms(1), ..Plan::default() });
    // Nothing is lost, and no queue grows: slow start would go on for ever.
    let id = world.ask_with(60_000_000, Options { reserve: 1 << 24, buffer: 200_000, ..Options::default() });
    let took = world.finish(ms(10_000));
    let stats = world.stats();
    assert!(world.has_finished(id) && stats.timeouts == 0 && took < ms(1_000), "{took:?} {stats:?}");
}

#[test]
fn of_objects_that_are_asked_for_beside_each_other_each_takes_little_more_than_two_round_trips() {
    let (rtt, depth, count) = (ms(10), 10, 200);
    let mut world = World::with(7, Plan { rtt, ..Plan::default() });
    world.down.rate = Some((50_000_000, 1_000_000));
    let start = world.now;
    (0..depth).for_each(|_| _ = world.ask(20_000));
    for finished in 1..=count {
        let is_so = |world: &mut World| {
            world.events.iter().filter(|event| matches!(event, Event::Finished(_))).count() >= finished
        };
        let end = world.now + ms(1_000);
        assert!(world.run_until(end, is_so), "{:?}", world.stats());
        world.ask(20_000);
    }
    let rounds = world.now.since(start).as_secs_f64() / rtt.as_secs_f64() / (count / depth) as f64;
    // One that is put beside others, and that the answer has no room for, is put again, a round trip later.
    assert!(rounds < 2.5, "{rounds} {:?}", world.stats());
}

#[test]
fn many_small_objects_are_asked_for_in_few_requests_while_there_are_few_continuations() {
    let mut world = World::with(7, Plan { rtt: ms(100), ..Plan::default() });
    let ids: Vec<_> = (0..64).map(|_| world.ask(20)).collect();
    let took = world.finish(ms(5_000));
    assert!(ids.iter().all(|id| world.has_finished(*id)) && took < ms(450), "{took:?} {:?}", world.stats());
}
