//! Streams that outlive their channels: outages, moves of both ends, several paths, resumption.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{Instant, PathCondition};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{Link, Loss, PORT};
use tng_stack::structured::{ReadError, StreamId};
use tng_stack::{AttachError, CloseCause, ConnectionId, EventKind, Host};

use crate::apps::SERVICE;
use crate::world::{A2, Run, Setting};

const SECOND: Duration = Duration::from_secs(1);

fn at(seconds: u64) -> Instant {
    Instant::from_secs(seconds)
}

/// Asks for a block of `len` bytes, outside of the client application's own list.
fn ask(host: &mut Host, id: ConnectionId, len: u64) -> StreamId {
    let streams = host.streams(id).expect("the connection is there");
    let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
    streams.write(stream, &len.to_be_bytes()).expect("room");
    streams.finish(stream).expect("open");
    stream
}

impl Run {
    fn id(&self) -> ConnectionId {
        self.client().connection.expect("connected")
    }

    /// The only connection of the server.
    fn id_at_server(&self) -> ConnectionId {
        self.world.node(self.b).machine.connections().next().expect("a connection")
    }

    /// Asks for another block through the application, so that every byte of it is checked.
    fn ask_more(&mut self, len: u64) {
        let a = self.a;
        match &mut self.world.node_mut(a).app {
            crate::world::Side::Client(client) => client.ask(len),
            crate::world::Side::Server(_) => unreachable!("A is the client"),
        }
    }

    fn told(&self, kind: impl Fn(&EventKind) -> bool) -> usize {
        self.client().events.iter().filter(|(_, event)| kind(&event.kind)).count()
    }
}

#[test]
fn streams_outlive_an_outage_longer_than_the_idle_timeout() {
    let mut setting = Setting::new(1);
    setting.sizes = vec![20_000_000, 1_000];
    let mut run = setting.start();
    run.world.outage(run.link, at(1), at(46));
    let took = run.finish(200 * SECOND);
    assert!(took > 46 * SECOND && took < 57 * SECOND, "{took:?}");
    assert_eq!(run.told(|kind| matches!(kind, EventKind::Away)), 1);
    assert_eq!(run.told(|kind| matches!(kind, EventKind::Back)), 1);
    assert!(run.told(|kind| matches!(kind, EventKind::PathAdded { .. })) >= 1);
}

#[test]
fn after_an_outage_shorter_than_the_idle_timeout_a_new_channel_does_not_wait_for_the_old_ones_probes() {
    let mut setting = Setting::new(2);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.outage(run.link, at(1), at(21));
    let took = run.finish(200 * SECOND);
    // The probes of the old channel are 12 s apart by then; INITs are never more than 5 s apart.
    assert!(took > 21 * SECOND && took < 30 * SECOND, "{took:?}");
}

#[test]
fn streams_are_given_up_after_the_time_that_they_are_kept() {
    let mut setting = Setting::new(3);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.outage(run.link, at(1), at(1_000));
    run.world.run_until(at(200));
    assert_eq!(run.client().ended(), Some(&EventKind::Closed(CloseCause::Idle)));
    let (away, closed) = (
        run.client().events.iter().find(|(_, event)| event.kind == EventKind::Away).expect("told").0,
        run.client().events.last().expect("told").0,
    );
    assert_eq!(closed.since(away), 60 * SECOND);
    assert_eq!(run.client().failed.len(), 1, "the block that was under way");
}

#[test]
fn a_day_offline_is_survived_on_request_and_costs_few_packets() {
    let mut setting = Setting::new(4);
    setting.sizes = vec![20_000_000];
    setting.client.keep.time = None;
    let mut run = setting.start();
    run.world.run_until(at(1));
    // The other end is asked by its application, for this connection alone.
    let (b, there) = (run.b, run.id_at_server());
    run.host(b).set_keep(there, None);
    let day = 24 * 3600;
    run.world.outage(run.link, at(1), at(1 + day));
    run.world.run_until(at(day));
    let offered = run.world.stats(run.link.forth()).offered;
    let took = run.finish((day + 600) as u32 * SECOND);
    assert!(took < (day + 90) as u32 * SECOND, "{took:?}");
    let minutes = day / 60;
    assert!(offered < 10_000 + 6 * minutes, "{offered} packets in {minutes} minutes without anybody there");
}

#[test]
fn an_idle_connection_sleeps_and_either_end_wakes_it_with_its_first_data() {
    for client_wakes in [true, false] {
        let mut setting = Setting::new(5);
        setting.client.keep.time = None;
        setting.server.keep.time = None;
        let mut run = setting.start();
        run.finish(60 * SECOND);
        assert!(run.world.run_until_idle(at(200)), "asleep, there is nothing to do");
        assert_eq!(run.client().ended(), None);
        let before = run.world.stats(run.link.forth()).offered + run.world.stats(run.link.back()).offered;
        let began = run.world.now() + SECOND;
        run.world.run_until(began);
        if client_wakes {
            run.ask_more(1_000);
            run.world.run_until(began + Duration::from_millis(51));
            assert!(run.client().is_done(), "one round trip: the request rode in the INIT, the answer in the REPLY");
        } else {
            let (b, id) = (run.b, run.id_at_server());
            let stream = ask(run.host(b), id, 1);
            run.world.run_until(began + SECOND);
            let refused = run.host(b).streams(id).expect("there").read(stream, &mut [0; 8]);
            assert_eq!(refused, Err(ReadError::Unknown), "the client offers no service, so it has refused by now");
        }
        run.world.run_until(began + 2 * SECOND);
        let after = run.world.stats(run.link.forth()).offered + run.world.stats(run.link.back()).offered;
        assert!(after - before < 20, "{} packets", after - before);
    }
}

#[test]
fn both_ends_move_in_an_outage_and_one_is_told_where_the_other_is() {
    for server_is_told in [false, true] {
        // In this one what the client said last is lost to the outage. Else it would not miss an answer before its
        // keep-alive, for it only receives.
        let mut setting = Setting::new(7);
        setting.sizes = vec![20_000_000];
        let mut run = setting.start();
        run.world.outage(run.link, at(1), at(12));
        run.world.run_until(at(5));
        let (a, b) = (run.a, run.b);
        let (new_a, new_b): (IpAddr, IpAddr) = (ipv4(70), ipv4(71));
        run.world.change_address(a, A, Some(new_a));
        run.world.change_address(b, B, Some(new_b));
        run.world.run_until(at(14));
        assert!(!run.client().is_done());
        if server_is_told {
            let id = run.id_at_server();
            run.host(b).reach(at(14), id, vec![(new_a, PORT).into()]);
        } else {
            let id = run.id();
            run.host(a).reach(at(14), id, vec![(new_b, PORT).into()]);
        }
        let took = run.finish(120 * SECOND);
        assert!(took < 20 * SECOND, "server told: {server_is_told}, {took:?}");
    }
}

#[test]
fn a_server_that_has_lost_the_streams_says_so_in_one_round_trip() {
    let mut setting = Setting::new(7);
    setting.client.keep_alive = Some(SECOND);
    let mut run = setting.start();
    run.finish(60 * SECOND);
    run.world.stop(run.b);
    let fresh = run.setting.server_node(1);
    run.world.start(run.b, fresh);
    let now = run.world.now();
    run.world.run_until(now + 2 * SECOND);
    assert_eq!(run.client().ended(), Some(&EventKind::Closed(CloseCause::Reset)));
}

#[test]
fn a_stream_is_balanced_over_two_paths_each_with_its_own_controller() {
    let link = Link::new().rate(10_000_000).delay(Duration::from_millis(10));
    let other = Link::new().rate(5_000_000).delay(Duration::from_millis(30));
    let took = |attach: bool| {
        let mut setting = Setting::new(8);
        setting.link = link.clone();
        setting.sizes = vec![15_000_000];
        let (mut run, _) = setting.start_with_two_paths(&other);
        run.world.run_until(Instant::from_millis(100));
        if attach {
            let (a, id, now) = (run.a, run.id(), run.world.now());
            run.host(a).attach(now, id, Some(A2), &[]).expect("a second channel");
            run.world.run_until(Instant::from_millis(300));
            let b = run.b;
            let there = run.id_at_server();
            let paths = run.host(b).paths(there);
            assert_eq!(paths.iter().map(|path| path.remote.ip()).collect::<Vec<_>>(), [A, A2]);
            assert_ne!(paths[0].stats.regulation.rtt, paths[1].stats.regulation.rtt);
        }
        run.finish(60 * SECOND)
    };
    let (alone, both) = (took(false), took(true));
    println!("15 MB over 10 Mbit/s: {alone:?}; with 5 Mbit/s beside it: {both:?}");
    assert!(both.as_secs_f64() < 0.75 * alone.as_secs_f64(), "{alone:?} alone, {both:?} over both");
}

#[test]
fn when_one_of_two_paths_dies_the_other_takes_over_and_no_byte_is_lost() {
    let mut setting = Setting::new(9);
    setting.sizes = vec![20_000_000];
    let other = setting.link.clone();
    let (mut run, _) = setting.start_with_two_paths(&other);
    run.world.run_until(Instant::from_millis(100));
    let (a, id, now) = (run.a, run.id(), run.world.now());
    run.host(a).attach(now, id, Some(A2), &[]).expect("a second channel");
    run.world.outage(run.link, at(1), at(300));
    let took = run.finish(60 * SECOND);
    assert!(took < 5 * SECOND, "{took:?}");
    assert_eq!(run.told(|kind| matches!(kind, EventKind::Away)), 0);
    // The idle timeout of the path that died, not yet that of the other.
    run.world.run_until(Instant::from_millis(31_300));
    assert_eq!(run.told(|kind| matches!(kind, EventKind::PathLost { .. })), 1);
    assert_eq!(run.host(a).paths(id).len(), 1);
}

#[test]
fn a_path_that_is_detached_hands_its_data_to_the_others() {
    let mut setting = Setting::new(10);
    setting.sizes = vec![10_000_000];
    let other = setting.link.clone();
    let (mut run, _) = setting.start_with_two_paths(&other);
    run.world.run_until(Instant::from_millis(100));
    let (a, id, now) = (run.a, run.id(), run.world.now());
    run.host(a).attach(now, id, Some(A2), &[]).expect("a second channel");
    run.world.run_until(Instant::from_millis(600));
    let first = run.host(a).paths(id)[0].path;
    let now = run.world.now();
    run.host(a).detach(now, id, Some(first));
    run.finish(60 * SECOND);
    let lost = |kind: &EventKind| matches!(kind, EventKind::PathLost { cause: CloseCause::Replaced, .. });
    assert!(run.server().events.iter().any(|event| lost(&event.kind)), "the peer was told: {:?}", run.server().events);
}

#[test]
fn a_connection_without_any_channel_at_its_own_wish_comes_back_when_it_has_something_to_say() {
    let mut run = Setting::new(11).start();
    run.finish(60 * SECOND);
    let (a, id, now) = (run.a, run.id(), run.world.now());
    run.host(a).detach(now, id, None);
    run.world.run_until(now + SECOND);
    assert!(run.host(a).paths(id).is_empty());
    let (b, there) = (run.b, run.id_at_server());
    assert!(run.host(b).paths(there).is_empty());
    run.ask_more(100_000);
    run.world.run_until(now + 3 * SECOND);
    assert!(run.client().is_done());
}

#[test]
fn a_connection_of_which_nothing_is_heard_first_but_that_its_channel_ends_stands() {
    let run = Setting::new(11).start();
    let (mut run, lossy) = (run, std::rc::Rc::new(core::cell::Cell::new(true)));
    let (forth, losing) = (run.link.forth(), lossy.clone());
    // Of the client there is the INIT, and nothing of what it says on its channel.
    run.world.intercept(forth, move |_, packet| packet.payload.first() == Some(&1) || !losing.get());
    while run.told(|kind| matches!(kind, EventKind::Connected)) == 0 {
        let now = run.world.now();
        assert!(now < Instant::ZERO + SECOND, "it connects");
        run.world.run_until(now + Duration::from_micros(100));
    }
    let (a, id, now) = (run.a, run.id(), run.world.now());
    lossy.set(false);
    run.host(a).detach(now, id, None);
    run.finish(60 * SECOND);
    assert_eq!(run.told(|kind| matches!(kind, EventKind::Closed(_))), 0);
    let of_server = &run.server().events;
    let accepted = of_server.iter().filter(|event| matches!(event.kind, EventKind::Accepted { .. })).count();
    assert_eq!(accepted, 1, "{of_server:?}");
}

#[test]
fn a_session_is_not_attached_to_for_another_identity() {
    let mut run = Setting::new(12).start();
    run.finish(60 * SECOND);
    let (a, b, id) = (run.a, run.b, run.id());
    let there = run.id_at_server();
    let usid = run.host(a).usid(id, StreamId::FIRST).expect("there");
    let eid = run.setting.client_eid();
    assert_eq!(run.host(b).find(eid, usid), Some((there, StreamId::FIRST)));
    let thief = tng_stack::Identity::from_seed([0x99; 32]).eid();
    assert_eq!(run.host(b).find(thief, usid), None);
}

#[test]
fn names_and_keying_material_are_the_same_at_both_ends_and_stay_so_on_later_channels() {
    let mut run = Setting::new(13).start();
    run.finish(60 * SECOND);
    let (a, b, id, there) = (run.a, run.b, run.id(), run.id_at_server());
    let material = |run: &mut Run| {
        [(a, id), (b, there)].map(|(node, id)| {
            let (mut out, host) = ([0; 48], run.host(node));
            assert!(host.export(id, b"test", b"context", &mut out));
            (host.usid(id, StreamId::FIRST).expect("there"), out)
        })
    };
    let [ours, theirs] = material(&mut run);
    assert_eq!(ours, theirs);
    let mut other = [0; 48];
    assert!(run.host(a).export(id, b"testcontext", b"", &mut other));
    assert_ne!(other, ours.1, "label and context are kept apart");
    assert!(!run.host(a).export(id, b"test", b"", &mut vec![0; 9_000]), "longer than can be derived");
    let now = run.world.now();
    run.host(a).detach(now, id, None);
    run.ask_more(10);
    run.world.run_until(now + SECOND);
    assert!(run.client().is_done());
    assert_eq!(material(&mut run), [ours, theirs]);
}

#[test]
fn a_replayed_request_for_a_channel_is_dropped() {
    let mut run = Setting::new(14).start();
    run.finish(60 * SECOND);
    let (a, b, id, there) = (run.a, run.b, run.id(), run.id_at_server());
    let inits = std::rc::Rc::new(core::cell::RefCell::new(Vec::new()));
    let heard = inits.clone();
    let forth = run.link.forth();
    run.world.intercept(forth, move |_, packet| {
        if packet.payload.first() == Some(&1) {
            heard.borrow_mut().push(packet.payload.to_vec());
        }
        true
    });
    for _ in 0..2 {
        let now = run.world.now();
        run.host(a).detach(now, id, None);
        run.ask_more(10);
        run.world.run_until(now + SECOND);
        assert!(run.client().is_done());
    }
    let inits = inits.borrow().clone();
    assert_eq!(inits.len(), 2);
    let before = run.host(b).half_open();
    let from = (ipv4(99), PORT).into();
    let to = (B, PORT).into();
    for init in &inits {
        run.world.inject(forth, from, to, tng_base::Ecn::NotEct, init);
        run.world.run_until(run.world.now() + SECOND);
        assert_eq!((before, run.host(b).half_open()), (0, 0), "it has brought a channel before");
    }
    run.ask_more(100_000);
    run.world.run_until(run.world.now() + 15 * SECOND);
    assert!(run.client().is_done());
    assert_eq!((run.host(b).half_open(), run.host(b).paths(there).len()), (0, 1));
}

#[test]
fn a_connection_has_at_most_eight_channels() {
    let setting = Setting::new(15);
    let other = setting.link.clone();
    let (mut run, _) = setting.start_with_two_paths(&other);
    run.finish(60 * SECOND);
    let (a, id, now) = (run.a, run.id(), run.world.now());
    let attached = (0..10).map(|_| run.host(a).attach(now, id, Some(A2), &[])).filter(Result::is_ok).count();
    assert_eq!(attached, 7, "beside the first");
    assert_eq!(run.host(a).attach(now, id, Some(A2), &[]), Err(AttachError::TooMany));
    run.world.run_until(now + SECOND);
    assert_eq!(run.host(a).paths(id).len(), 8);
}

#[test]
fn requests_from_both_ends_at_once_leave_channels_that_work() {
    for seed in 16..36 {
        let mut setting = Setting::new(seed);
        setting.sizes = vec![2_000_000];
        setting.link = setting.link.loss(Loss::Independent(0.05));
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(400));
        let (a, b, id) = (run.a, run.b, run.id());
        let Some(there) = run.host(b).connections().next() else { continue };
        let now = run.world.now();
        run.host(a).detach(now, id, None);
        run.host(b).detach(now, there, None);
        let (to_a, to_b) = (vec![(A, PORT).into()], vec![(B, PORT).into()]);
        run.host(a).reach(now, id, to_b);
        run.host(b).reach(now, there, to_a);
        run.finish(100 * SECOND);
        run.world.run_until(run.world.now() + 20 * SECOND);
        let (here, there) = (run.host(a).paths(id).len(), run.host(b).paths(there).len());
        assert!(here == there && (1..=2).contains(&here), "seed {seed}: {here} and {there} channels");
    }
}

#[test]
fn ten_thousand_streams_of_which_a_hundred_have_something_to_say_resume_as_fast_as_a_hundred() {
    let resume = |open: usize| {
        let mut setting = Setting::new(40);
        setting.sizes = Vec::new();
        setting.server.streams.streams_max = 20_000;
        setting.server.streams.backlog_max = 20_000;
        let mut run = setting.start();
        run.world.run_until(at(1));
        let (a, id) = (run.a, run.id());
        let streams = run.host(a).streams(id).expect("there");
        let ids: Vec<StreamId> = (0..open)
            .map(|_| {
                let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
                streams.write(stream, &[0]).expect("room");
                stream
            })
            .collect();
        run.world.run_until(at(20));
        let now = run.world.now();
        run.host(a).detach(now, id, None);
        run.world.run_until(at(25));
        let before = run.world.stats(run.link.forth());
        let streams = run.host(a).streams(id).expect("there");
        for stream in ids.iter().rev().take(100) {
            streams.write(*stream, &[7; 500]).expect("room");
        }
        let done = run.world.wait_until(at(40), |world| {
            world.node(a).machine.peek_streams(id).is_some_and(|streams| streams.is_idle())
        });
        assert!(done, "{open} streams");
        let after = run.world.stats(run.link.forth());
        (run.world.now().since(at(25)), after.offered - before.offered, after.offered_bytes - before.offered_bytes)
    };
    let (few, many) = (resume(100), resume(10_000));
    println!("100 active of 100: {few:?}; of 10,000: {many:?} (time, packets, bytes)");
    assert!(many.0 <= few.0 + Duration::from_millis(1), "{few:?} and {many:?}");
    assert!(many.1 <= few.1 + 2 && many.2 <= few.2 + few.2 / 10, "{few:?} and {many:?}");
}

#[test]
fn when_all_unreachable_peers_hold_too_much_the_costliest_goes_first() {
    let mut setting = Setting::new(41);
    setting.sizes = vec![30_000_000, 1_000];
    setting.server.keep.bytes_max = 100_000;
    let mut run = setting.start();
    run.world.run_until(at(1));
    run.world.outage(run.link, at(1), at(1_000));
    run.world.run_until(at(33));
    let closed = run.server().events.iter().any(|event| matches!(event.kind, EventKind::Closed(CloseCause::Idle)));
    assert!(closed, "given up long before the time is over: {:?}", run.server().events);
    let b = run.b;
    assert_eq!(run.host(b).connections().count(), 0);
}

#[test]
fn a_stalled_path_is_told_and_looked_past_while_it_lasts() {
    let mut setting = Setting::new(42);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.outage(run.link, at(1), at(10));
    run.finish(60 * SECOND);
    let stalled = |kind: &EventKind| {
        matches!(kind, EventKind::Condition { condition: PathCondition::Stalled | PathCondition::Failed, .. })
    };
    let told = run.told(stalled) + run.server().events.iter().filter(|event| stalled(&event.kind)).count();
    assert!(told > 0);
}

#[test]
fn a_peer_can_be_made_to_prove_its_address_before_the_application_decides() {
    let mut setting = Setting::new(43);
    setting.server.auto_accept = false;
    setting.sizes = vec![1_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(30));
    let incoming = |run: &Run| {
        run.server().events.iter().rev().find_map(|event| match event.kind {
            EventKind::Incoming { validated, .. } => Some((event.connection, validated)),
            _ => None,
        })
    };
    let (id, validated) = incoming(&run).expect("told");
    assert!(!validated);
    let (b, now) = (run.b, run.world.now());
    run.host(b).retry(now, id);
    assert_eq!(run.host(b).half_open(), 0, "nothing is kept");
    run.world.run_until(now + Duration::from_millis(60));
    let (id, validated) = incoming(&run).expect("told again");
    assert!(validated);
    let now = run.world.now();
    run.host(b).accept(now, id);
    run.finish(10 * SECOND);
}

#[test]
fn a_client_that_is_killed_and_begun_anew_again_and_again_is_always_answered() {
    let mut setting = Setting::new(60);
    setting.sizes = vec![1_000];
    let target = setting.target();
    let mut run = setting.start();
    for life in 0..300u32 {
        let done = run.world.now() + Duration::from_millis(300);
        run.world.run_until(done);
        assert!(run.client().is_done(), "life {life}: {:?} {:?}", run.client().ended(), run.client().failed);
        run.world.stop(run.a);
        let fresh = run.setting.client_in_life(target.clone(), life + 1);
        run.world.start(run.a, fresh);
    }
}
