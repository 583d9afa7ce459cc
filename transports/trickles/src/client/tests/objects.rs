use super::world::*;
use crate::client::{ClientConfig, Event, ObjectError, Options};

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
fn what_is_longer_than_was_reserved_comes_all_the_same() {
    for len in [79_999, 80_000, 80_001, 239_999, 240_000, 240_001, 3_000_000] {
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
        assert!(world.server(0).application().puts >= 15, "{part:?}");
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
