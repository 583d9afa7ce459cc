use super::world::*;
use crate::client::{ClientConfig, ClientError, Event, ObjectError, Options, Policy, TIMEOUTS_UNANSWERED_MAX};
use crate::server::ServerConfig;
use crate::set_up::DialError;
use core::time::Duration;
use tng_base::{Input, Instant, Machine, PathChange};
use tng_endpoint::Rate;
use tng_isolation::{Refusal, RefusalCode};

fn whole(reserve: u64) -> Options {
    Options { reserve, ..Options::default() }
}

#[test]
fn a_server_that_is_killed_and_started_again_is_a_pause() {
    for outage in [0, 50, 200, 1_000] {
        let mut world = World::new(outage);
        world.down.rate = Some((1_000_000, 50_000));
        let id = world.ask_with(6_000_000, whole(1 << 24));
        world.run(ms(2_000));
        world.kill(0);
        world.run(ms(outage));
        world.start(0, Files::default());
        let took = world.finish(ms(30_000));
        let stats = world.stats();
        println!("{outage} ms: {took:?} {stats:?}");
        assert!(world.has_finished(id) && stats.connections == 1, "{stats:?}");
        assert!(took < ms(4_400 + 1_500), "{outage} ms: {took:?} {stats:?}");
    }
}

#[test]
fn a_server_that_was_started_again_says_at_once_what_it_does_not_know() {
    let took = |kills: bool| {
        let mut world = World::with(6, Plan { rtt: ms(20), ..Plan::default() });
        world.down.rate = Some((1_000_000, 50_000));
        let id = world.ask(2_000_000);
        world.run(ms(1_000));
        if kills {
            world.kill(0);
            world.start(0, Files::default());
        }
        let took = world.finish(ms(30_000));
        assert!(world.has_finished(id) && world.stats().timeouts == u64::from(kills), "{:?}", world.stats());
        took
    };
    // What was in its queue is asked for again, from the initial window; nobody waits out the 200 ms of a timeout.
    let (whole, killed) = (took(false), took(true));
    assert!(killed < whole + ms(120), "{whole:?} {killed:?}");
}

#[test]
fn a_client_that_may_ask_for_no_further_timeout_in_this_second_waits_for_the_next() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        world.down.rate = Some((12_500_000, 5_000_000));
        let id = world.ask_with(1_000_000, whole(1 << 24));
        // More often than it may ask; a world in which time stands still ends.
        for _ in 0..40 {
            world.run(ms(90));
            world.kill(0);
            world.run(ms(10));
            world.start(0, Files::default());
        }
        world.finish(ms(60_000));
        assert!(world.has_finished(id) && world.stats().connections == 1, "{:?}", world.stats());
    }
}

#[test]
fn a_server_that_is_killed_again_and_again_loses_no_byte() {
    let mut world = World::new(3);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(4_000_000);
    for _ in 0..20 {
        world.run(ms(700));
        world.kill(0);
        world.run(ms(20));
        world.start(0, Files::default());
    }
    world.finish(ms(60_000));
    assert!(world.has_finished(id), "{:?}", world.stats());
}

#[test]
fn a_replica_goes_on_where_a_killed_one_has_stopped() {
    let mut world = World::with(4, Plan { servers: 2, ..Plan::default() });
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(3_000_000);
    world.run(ms(1_000));
    let which = usize::from(world.server(0).stats().answered == 0);
    world.kill(which);
    let took = world.finish(ms(30_000));
    assert!(world.has_finished(id) && world.stats().connections == 1 && took < ms(4_000), "{took:?}");
    assert!(world.server(1 - which).stats().answered > 100);
}

#[test]
fn of_several_servers_the_nearest_answers_if_all_are_asked_first() {
    let answered = |policy| {
        let mut world = World::with(4, Plan { servers: 3, policy, ..Plan::default() });
        world.farther = ms(40);
        let id = world.ask(300_000);
        world.finish(ms(30_000));
        assert!(world.has_finished(id) && world.stats().connections == 1, "{:?}", world.stats());
        [0, 1, 2].map(|which| (world.server(which).stats().opened, world.server(which).stats().answered))
    };
    let [farthest, far, near] = answered(Policy::Nearest);
    assert!(near.0 == 1 && near.1 > 50, "{near:?}");
    assert_eq!([far, farthest], [(1, 0); 2], "they are asked, and left alone");
    // Control: who asks one at a time stays with the first that there is.
    let [first, others @ ..] = answered(Policy::Stay);
    assert!(first.0 == 1 && first.1 > 50, "{first:?}");
    assert_eq!(others, [(0, 0); 2]);
}

#[test]
fn a_client_turns_to_a_server_that_has_become_nearer_and_begins_slowly_if_that_is_elsewhere() {
    for (policy, site) in [(Policy::Nearest, 0), (Policy::Nearest, 2), (Policy::Stay, 2)] {
        let mut world = World::with(5, Plan { servers: 2, policy, rtt: ms(20), ..Plan::default() });
        // Who stays is with the first.
        let other = usize::from(policy == Policy::Stay);
        (world.farther, world.is_other_way_round) = (ms(60), policy == Policy::Stay);
        world.config.site = crate::Site(site);
        let now = core::mem::replace(&mut world.now, EARLIER);
        world.start(other, Files::default());
        world.now = now;
        world.down.rate = Some((2_000_000, 60_000));
        let id = world.ask_with(120_000_000, whole(1 << 27));
        world.run(ms(20_000));
        let (asked, had) = (world.server(other).stats().answered, world.got[&id]);
        assert_eq!(asked, 0, "the first is nearer");
        world.is_other_way_round = !world.is_other_way_round;
        world.run(ms(20_000));
        let (asked, stats) = (world.server(other).stats().answered, world.stats());
        println!("{policy:?}, site {site}: {asked} requests, {} bytes in 20 s, {stats:?}", world.got[&id] - had);
        assert_eq!(asked > 1_000, policy == Policy::Nearest, "control: one that stays does not look");
        assert!(stats.connections == 1 && stats.timeouts <= 1, "{stats:?}");
        world.finish(ms(300_000));
        assert!(world.has_finished(id));
    }
}

#[test]
fn the_nearest_of_several_servers_may_be_gone_and_the_next_answers() {
    let mut world = World::with(4, Plan { servers: 2, policy: Policy::Nearest, ..Plan::default() });
    world.farther = ms(40);
    let id = world.ask(2_000_000);
    world.down.rate = Some((1_000_000, 50_000));
    world.run(ms(1_000));
    assert!(world.server(1).stats().answered > 100 && world.server(0).stats().answered == 0);
    world.kill(1);
    world.finish(ms(30_000));
    assert!(world.has_finished(id) && world.stats().connections == 1, "{:?}", world.stats());
}

#[test]
fn a_cookie_goes_back_to_the_server_that_made_it_and_to_no_other() {
    for policy in [Policy::Stay, Policy::Spray, Policy::Nearest] {
        let mut world = World::with(5, Plan { servers: 3, policy, rtt: ms(20), ..Plan::default() });
        world.config.set_up.exchanges.unproven = Rate { per_s: 0, burst: 0 };
        world.now = EARLIER;
        (0..3).for_each(|which| world.start(which, Files::default()));
        world.now = Instant::from_secs(1_000);
        // With the last COOKIE the INIT becomes another, while the REPLY to what it was is still on its way.
        world.farther = ms(4);
        let id = world.ask(20_000);
        let took = world.finish(ms(30_000));
        let stats = world.stats();
        assert!(world.has_finished(id) && took < ms(150), "{policy:?}: {took:?} {stats:?}");
        assert_eq!((stats.connections, stats.timeouts), (1, 0), "{policy:?}");
        world.run(ms(100));
        let asked = if policy == Policy::Nearest { 3 } else { 1 };
        let cookies: u64 = (0..3).map(|which| world.server(which).stats().not_opened).sum();
        let opened: u64 = (0..3).map(|which| world.server(which).stats().opened).sum();
        assert_eq!((cookies, opened), (asked, asked), "{policy:?}: each of them makes one, and knows it again");
    }
}

#[test]
fn a_set_up_goes_on_though_more_cookies_were_asked_for_than_one_init_takes() {
    let config = ClientConfig { set_up_timeout: Duration::from_secs(600), ..ClientConfig::default() };
    let mut world = World::with(5, Plan { config, ..Plan::default() });
    world.config.set_up.exchanges.unproven = Rate { per_s: 0, burst: 0 };
    for _ in 0..20 {
        // It does not know the cookies of the one before.
        world.start(0, Files::default());
        let end = world.now + ms(30_000);
        assert!(world.run_until(end, |world| world.server(0).stats().not_opened > 0));
    }
    let id = world.ask(20_000);
    let took = world.finish(ms(60_000));
    assert!(world.has_finished(id) && took < ms(20_000), "{took:?}");
}

#[test]
fn without_delta_encoding_packets_have_less_room_and_all_else_is_the_same() {
    // Of the servers and of the client.
    let packets = |delta_encoding: [bool; 2]| {
        let config = ClientConfig { delta_encoding: delta_encoding[1], ..ClientConfig::default() };
        let mut world = World::with(4, Plan { config, ..Plan::default() });
        world.config.delta_encoding = delta_encoding[0];
        world.start(0, Files::default());
        let id = world.ask(1_000_000);
        world.finish(ms(30_000));
        assert!(world.has_finished(id) && world.stats().connections == 1, "{:?}", world.stats());
        world.down_count as f64
    };
    let (with, without) = (packets([true; 2]), packets([false; 2]));
    assert!((1.01..1.05).contains(&(without / with)), "{with}, {without}");
    // Who expects more room than there is asks again for what did not fit.
    assert!(packets([false, true]) > without);
}

#[test]
fn replicas_answer_by_turns_also_when_their_clocks_differ() {
    for skew in [0, 4_000] {
        let plan = Plan { servers: 3, policy: Policy::Spray, skew: ms(skew), ..Plan::default() };
        let mut world = World::with(5, plan);
        let id = world.ask_with(3_000_000, whole(1 << 24));
        let took = world.finish(ms(30_000));
        assert!(world.has_finished(id), "{:?}", world.stats());
        for which in 0..3 {
            let stats = *world.server(which).stats();
            assert!(stats.answered > 150 && stats.refused == 0, "{skew} ms, server {which}: {stats:?}");
        }
        println!("{skew}: {took:?} {:?}", world.stats());
    }
}

#[test]
fn a_client_learns_the_time_of_a_server_whose_clock_is_set_and_goes_on_with_the_same_connection() {
    let mut world = World::new(5);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(2_000_000);
    world.run(ms(500));
    let clock = crate::WallClock::set(world.now, crate::Wall::from_millis(START).after(ms(120_000)));
    world.hosts[0].server.as_mut().expect("it runs").set_clock(clock);
    let took = world.finish(ms(30_000));
    let (stats, server) = (world.stats(), *world.server(0).stats());
    assert!(world.has_finished(id) && stats.connections == 1 && took < ms(5_000), "{took:?} {stats:?} {server:?}");
    assert_eq!(server.last_refused, Some(crate::server::Refused::Old), "which told it the time");
    // While it is idle nothing tells it.
    world.run(ms(20_000));
    let clock = crate::WallClock::set(world.now, crate::Wall::from_millis(START).after(ms(240_000)));
    world.hosts[0].server.as_mut().expect("it runs").set_clock(clock);
    let id = world.ask(20_000);
    let took = world.finish(ms(30_000));
    let (stats, server) = (world.stats(), *world.server(0).stats());
    assert!(world.has_finished(id) && stats.connections == 1 && took < ms(1_000), "{took:?} {stats:?} {server:?}");
    assert_eq!(server.last_refused, Some(crate::server::Refused::Untimely));
}

#[test]
fn who_asks_servers_by_turns_goes_on_with_those_that_live() {
    let plan = Plan { servers: 2, policy: Policy::Spray, rtt: ms(20), ..Plan::default() };
    let mut world = World::with(5, plan);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask_with(4_000_000, whole(1 << 23));
    world.run(ms(1_000));
    world.kill(1);
    let took = world.finish(ms(20_000));
    let stats = world.stats();
    assert!(world.has_finished(id) && took < ms(5_000) && stats.connections == 1, "{took:?} {stats:?}");
    // It is asked again, and answers.
    world.start(1, Files::default());
    world.run(ms(6_000));
    let id = world.ask_with(2_000_000, whole(1 << 22));
    world.finish(ms(20_000));
    assert!(world.has_finished(id) && world.server(1).stats().answered > 100, "{:?}", world.server(1).stats());
}

#[test]
fn a_clock_that_is_set_back_costs_a_new_connection_and_no_byte() {
    let mut world = World::new(5);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(2_000_000);
    world.run(ms(500));
    let back = crate::Wall::from_millis(START - 60_000).after(world.now.since(EARLIER));
    let clock = crate::WallClock::set(world.now, back);
    world.hosts[0].server.as_mut().expect("it runs").set_clock(clock);
    let took = world.finish(ms(120_000));
    let (stats, server) = (world.stats(), *world.server(0).stats());
    assert!(world.has_finished(id) && stats.connections == 2, "{took:?} {stats:?} {server:?}");
    // As long as timeouts go without an answer; what it gave out before is of the future, and it says nothing of that.
    assert!(took < ms(60_000) && server.last_refused == Some(crate::server::Refused::Future), "{took:?} {server:?}");
}

#[test]
fn a_download_goes_on_from_another_site_without_a_pause_or_a_timeout() {
    // In slow start, and in avoidance after some loss.
    for (loss, after, site) in [(0.0, 90, 2), (0.0, 130, 2), (0.01, 1_500, 2), (0.01, 1_500, 0)] {
        let mut world = World::with(5, Plan { rtt: ms(40), ..Plan::default() });
        world.down.rate = Some((5_000_000, 500_000));
        world.down.loss = loss;
        let id = world.ask_with(10_000_000, whole(1 << 24));
        world.run(ms(after));
        let (window, timeouts) = (world.stats().window, world.stats().timeouts);
        world.put_in_place(0, ServerConfig { site: crate::Site(site), ..ServerConfig::default() });
        world.run(ms(60));
        let (here, there) = (world.stats(), *world.server(0).stats());
        println!("{loss} {after} ms, site {site}: window {window}, then {here:?} {there:?}");
        if site == 0 {
            // Control: at the same site the window stays.
            assert!(here.window >= window / 2, "{window}: {here:?}");
        } else {
            assert!(here.window < 4 * crate::INITIAL_WINDOW && here.window >= 10, "{window}: {here:?}");
        }
        world.finish(ms(30_000));
        assert!(world.has_finished(id) && world.stats().connections == 1);
        assert_eq!(here.timeouts, timeouts, "it goes on at once: {there:?}");
    }
}

#[test]
fn who_is_refused_by_a_server_that_was_started_again_grows_as_before_and_at_another_site_to_half_of_it() {
    for site in [0, 2] {
        grows_again(site);
    }
}

fn grows_again(site: u16) {
    let mut world = World::with(5, Plan { rtt: ms(40), ..Plan::default() });
    world.down.rate = Some((5_000_000, 500_000));
    let id = world.ask_with(30_000_000, whole(1 << 25));
    world.run(ms(2_000));
    let before = world.stats();
    world.kill(0);
    world.config.site = crate::Site(site);
    world.start(0, Files::default());
    world.run(ms(500));
    let after = world.stats();
    // Slow start from ten packets: five round trips to three hundred.
    let grows_to = after.window as f64 / before.window as f64;
    assert!(after.timeouts_granted == 1, "{after:?}");
    assert!(if site == 0 { grows_to > 0.9 } else { (0.4..0.7).contains(&grows_to) }, "{before:?} {after:?}");
    assert_eq!(after.cuts, before.cuts, "nothing of the path was cut");
    world.finish(ms(30_000));
    assert!(world.has_finished(id));
}

#[test]
fn one_of_several_servers_that_was_just_started_does_not_end_the_line() {
    let plan = Plan { servers: 3, policy: Policy::Spray, rtt: ms(20), ..Plan::default() };
    let mut world = World::with(5, plan);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(6_000_000);
    world.run(ms(1_000));
    world.kill(0);
    world.start(0, Files::default());
    let took = world.finish(ms(30_000));
    let stats = world.stats();
    assert!(world.has_finished(id) && took < ms(12_000) && stats.repeated < 100, "{took:?} {stats:?}");
    assert_eq!(world.server(0).stats().last_refused, Some(crate::server::Refused::BeforeStart));
}

#[test]
fn of_servers_that_are_asked_in_turn_one_that_is_killed_costs_a_timeout_and_not_the_connection() {
    for seed in 0..4 {
        let plan = Plan { servers: 2, policy: Policy::Spray, rtt: ms(1), ..Plan::default() };
        let mut world = World::with(seed, plan);
        world.down.rate = Some((50_000_000, 2_000_000));
        world.farther = Duration::from_micros(100 * seed);
        let id = world.ask_with(30_000_000, whole(1 << 26));
        world.run(ms(200 + 40 * seed));
        world.kill(0);
        let took = world.finish(ms(60_000));
        let (stats, server) = (world.stats(), *world.server(1).stats());
        println!("{seed}: {took:?} {stats:?} {server:?}");
        assert!(world.has_finished(id) && stats.connections == 1, "{seed}: {took:?} {stats:?} {server:?}");
        assert!(took < ms(1_500), "{seed}: {took:?} {stats:?} {server:?}");
    }
}

#[test]
fn of_servers_that_are_asked_in_turn_those_that_were_just_started_are_passed_over() {
    // How many of two are started in the middle, and how long the rest of the download may take.
    for (started, most) in [(0, 2_500), (1, 2_800), (2, 3_000)] {
        let plan = Plan { servers: 2, policy: Policy::Spray, rtt: ms(20), ..Plan::default() };
        let mut world = World::with(5, plan);
        world.down.rate = Some((2_500_000, 100_000));
        let id = world.ask(6_000_000);
        world.run(ms(500));
        for which in 0..started {
            world.kill(which);
            world.start(which, Files::default());
        }
        let took = world.finish(ms(30_000));
        let stats = world.stats();
        println!("{started}: {took:?} {stats:?}");
        assert!(world.has_finished(id) && took < ms(most), "{started}: {took:?} {stats:?}");
        assert!(stats.connections == 1 && stats.timeouts <= 4, "{started}: {stats:?}");
        // It has its turn again.
        world.run(ms(6_000));
        let before = world.server(0).stats().answered;
        let id = world.ask(5_000_000);
        world.finish(ms(30_000));
        assert!(world.has_finished(id) && world.server(0).stats().answered > before + 200, "{started}");
    }
}

#[test]
fn an_object_is_begun_anew_when_a_server_of_another_version_answers() {
    let mut world = World::new(7);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(2_000_000);
    world.run(ms(1_000));
    world.start(0, Files { version: 2, ..Files::default() });
    world.finish(ms(30_000));
    assert!(world.has_finished(id) && world.stats().connections == 1);
    // Servers that disagree for good behind one address are told of.
    let mut world = World::with(8, Plan { servers: 2, ..Plan::default() });
    world.is_spread = true;
    let now = core::mem::replace(&mut world.now, EARLIER);
    world.start(1, Files { version: 2, ..Files::default() });
    world.now = now;
    let id = world.ask(2_000_000);
    world.finish(ms(60_000));
    assert!(world.events.contains(&Event::Failed(id, ObjectError::Anew)), "{:?}", world.events);
}

#[test]
fn a_fleet_of_two_versions_serves_a_whole_download_to_who_asks_all_of_it() {
    let mut world = World::with(5, Plan { servers: 3, policy: Policy::Spray, rtt: ms(20), ..Plan::default() });
    world.down.rate = Some((1_000_000, 50_000));
    let other = || Files { version: 2, ..Files::default() };
    let now = core::mem::replace(&mut world.now, EARLIER);
    world.start(1, other());
    world.now = now;
    let id = world.ask_with(8_000_000, whole(1 << 23));
    let took = world.finish(ms(60_000));
    let (stats, asked) = (world.stats(), [0, 1, 2].map(|which| world.server(which).stats().answered));
    println!("{took:?}, asked {asked:?}: {stats:?}");
    assert!(world.has_finished(id) && stats.connections == 1 && took < ms(10_000), "{took:?} {stats:?}");
    assert!(asked[1] < asked[0] / 10 && asked[0] > 500 && asked[2] > 500, "{asked:?}");
    // One by one the others become of that version, too: in the end the object is begun anew, once.
    let id = world.ask_with(8_000_000, whole(1 << 23));
    for which in [0, 2] {
        world.run(ms(2_500));
        world.kill(which);
        world.start(which, other());
    }
    let puts =
        |world: &mut World| [0, 1, 2].map(|which| world.server(which).application_mut().puts).iter().sum::<u32>();
    world.finish(ms(60_000));
    println!("{} puts, {:?}", puts(&mut world), world.stats());
    assert!(world.has_finished(id) && world.stats().connections == 1);
}

#[test]
fn a_download_outlives_the_keys_that_it_began_with() {
    let mut world = World::new(9);
    world.down.rate = Some((12_000, 12_000));
    let id = world.ask_with(24_000_000, whole(1 << 25));
    let took = world.finish(ms(4_000_000));
    let stats = world.stats();
    println!("{took:?} {stats:?} {:?}", world.server(0).stats());
    assert!(world.has_finished(id) && took > ms(3 * EPOCH_MS), "{took:?} {:?}", world.events.last());
    assert_eq!(stats.connections, 1, "{stats:?}");
}

#[test]
fn at_a_server_that_renews_no_secrets_a_client_sets_up_other_connections_until_it_is_not_let_in() {
    let mut world = World::new(9);
    world.config.renews = false;
    world.start(0, Files::default());
    let fetch = |world: &mut World| {
        let id = world.ask(20_000);
        let took = world.finish(ms(60_000));
        world.run(ms(30_000));
        (world.has_finished(id), took)
    };
    let began = world.now;
    // The epoch has nine minutes to go, and its keys are there for another one.
    while world.now.since(began) < ms(2 * EPOCH_MS - 100_000) {
        let (has_come, took) = fetch(&mut world);
        assert!(has_come && took < ms(500) && world.stats().connections == 1, "{took:?} {:?}", world.stats());
    }
    let longest = (0..4).map(|_| fetch(&mut world)).filter(|(has_come, _)| *has_come).map(|(_, took)| took).max();
    let stats = world.stats();
    assert!(stats.connections == 2 && longest.is_some_and(|took| took < ms(2_000)), "{longest:?} {stats:?}");
    // Its ticket is taken back: it goes on to the end of the keys, and no further.
    world.server(0).set_access(Box::new(|_, _: Option<&[u8]>| {
        Err(Refusal { code: RefusalCode::NotAllowed, reason: "taken back".into() })
    }));
    let began = world.now;
    let refused = loop {
        world.ask(20_000);
        world.run(ms(30_000));
        match world.events.last() {
            Some(Event::Ended(error)) => break error.clone(),
            _ => assert!(world.now.since(began) < ms(2 * EPOCH_MS), "{:?}", world.stats()),
        }
    };
    println!(
        "{longest:?} for the first over another connection, {:?} after the ticket: {refused}",
        world.now.since(began)
    );
    assert!(matches!(refused, ClientError::Dial(DialError::Refused(_))), "{refused}");
}

#[test]
fn another_port_changes_nothing() {
    let mut world = World::new(10);
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(2_000_000);
    world.run(ms(500));
    world.client_at.set_port(777);
    world.finish(ms(30_000));
    let stats = world.stats();
    assert!(world.has_finished(id) && stats.connections == 1 && stats.timeouts < 2, "{stats:?}");
}

#[test]
fn a_client_that_moves_goes_on_with_the_same_connection_whether_it_knows_or_not() {
    for (knows, datagram_len) in [(true, 1_200), (true, 9_000), (false, 1_200)] {
        let config = ClientConfig { datagram_len, ..ClientConfig::default() };
        let mut world = World::with(11, Plan { config, ..Plan::default() });
        world.down.rate = Some((1_000_000, 50_000));
        let id = world.ask(2_000_000);
        world.run(ms(500));
        world.client_at = "10.9.9.9:5000".parse().unwrap();
        if knows {
            // Nobody says where it was: a server has told it.
            let change = PathChange::LocalAddress { old: None, new: Some(world.client_at.ip()) };
            world.client.handle_input(world.now, Input::PathChange(change));
        }
        let took = world.finish(ms(60_000));
        let stats = world.stats();
        println!("{knows} {took:?} {stats:?}");
        assert!(world.has_finished(id) && stats.connections == 1, "{stats:?}");
        assert!(took < ms(if knows { 3_000 } else { 4_000 }), "{took:?}");
        // It was told where it is now.
        world.client_at = "10.0.0.1:5000".parse().unwrap();
        let id = world.ask(200_000);
        world.finish(ms(60_000));
        assert!(world.has_finished(id) && world.stats().connections == 1, "{:?}", world.stats());
    }
}

#[test]
fn a_client_goes_on_with_another_server_that_sees_it_at_another_address_and_back() {
    let mut world = World::with(4, Plan { servers: 2, ..Plan::default() });
    world.translated = Some((1, "[2001:db8::7]:5000".parse().unwrap()));
    world.down.rate = Some((1_000_000, 50_000));
    let id = world.ask(3_000_000);
    world.run(ms(1_000));
    let answered = |world: &mut World, which: usize| world.server(which).stats().answered;
    assert_eq!(answered(&mut world, 1), 0);
    world.kill(0);
    world.run(ms(3_000));
    assert!(answered(&mut world, 1) > 100, "{:?} {:?}", world.stats(), world.server(1).stats());
    world.start(0, Files::default());
    world.kill(1);
    let took = world.finish(ms(30_000));
    let stats = world.stats();
    assert!(world.has_finished(id) && stats.connections == 1 && took < ms(3_000), "{took:?} {stats:?}");
    assert!(stats.timeouts <= 6, "{stats:?}");
    assert_ne!(world.server(0).stats().last_refused, Some(crate::server::Refused::Unsealed));
}

#[test]
fn who_was_there_lately_is_sent_the_first_window_at_once() {
    let mut world = World::new(12);
    world.ask(1);
    world.finish(ms(1_000));
    let mut took = Vec::new();
    for token in [None, world.client.token()] {
        let mut world = World::with(13, Plan { token, rtt: ms(100), ..Plan::default() });
        let id = world.ask(8_000);
        took.push(world.finish(ms(10_000)));
        assert!(world.has_finished(id));
        assert_eq!(world.stats().timeouts, 0);
    }
    assert!(took[1] + ms(90) < took[0], "{took:?}");
    // Who has not asked for anything yet is sent the seed alone, and the first window when it asks.
    let mut world = World::with(13, Plan { token: world.client.token(), rtt: ms(100), ..Plan::default() });
    world.run(ms(500));
    assert!(world.events == [Event::Connected] && world.down_count == 1, "{:?}", world.events);
    world.ask(8_000);
    let took = world.finish(ms(10_000));
    assert!(took < ms(110) && world.stats().timeouts == 0 && world.down_count == 11, "{took:?} {}", world.down_count);
}

#[test]
fn a_token_that_is_not_believed_costs_half_a_round_trip() {
    let token = crate::set_up::AddressToken([7; crate::set_up::AddressToken::LEN]);
    let mut world = World::with(14, Plan { token: Some(token), rtt: ms(100), ..Plan::default() });
    let id = world.ask(8_000);
    let took = world.finish(ms(10_000));
    assert!(world.has_finished(id) && took < ms(300) && world.stats().timeouts == 0, "{took:?}");
}

#[test]
fn a_client_that_nobody_answers_says_so() {
    let mut world = World::new(15);
    world.kill(0);
    world.ask(1_000);
    world.run(ms(20_000));
    assert_eq!(world.events, [Event::Ended(ClientError::Dial(DialError::Silence))]);
    let mut world = World::new(16);
    world.ask(3_000_000);
    world.run(ms(100));
    world.kill(0);
    world.run(ms(100_000));
    assert_eq!(world.events.last(), Some(&Event::Ended(ClientError::Silence)), "{:?}", world.stats());
    let before = world.up_count;
    world.run(ms(100_000));
    assert_eq!(world.up_count, before, "and is silent");
}

#[test]
fn where_set_ups_pass_and_requests_do_not_a_client_ends_and_does_not_begin_for_ever() {
    let mut world = World::new(18);
    world.filtered = Some(crate::wire::REQUEST);
    world.ask(3_000_000);
    let began = world.now;
    let ended = |world: &mut World| world.events.last() == Some(&Event::Ended(ClientError::Silence));
    assert!(world.run_until(began + ms(200_000), ended), "{:?} {:?}", world.events, world.stats());
    println!("after {:?}: {:?}", world.now.since(began), world.stats());
    assert!(world.now.since(began) < ms(120_000) && world.stats().connections > 2, "{:?}", world.stats());
    // Control: a filter that goes away in time ends nothing.
    let mut world = World::new(18);
    world.filtered = Some(crate::wire::REQUEST);
    let id = world.ask(3_000_000);
    world.run(ms(50_000));
    world.filtered = None;
    world.finish(ms(60_000));
    assert!(world.has_finished(id), "{:?}", world.stats());
}

#[test]
fn who_gives_up_what_it_asked_for_in_an_outage_asks_for_nothing_and_can_close() {
    for closes in [true, false] {
        let mut world = World::new(19);
        let id = world.ask(3_000_000);
        world.run(ms(100));
        world.kill(0);
        let all_but_lost = |world: &mut World| world.stats().timeouts == u64::from(TIMEOUTS_UNANSWERED_MAX);
        assert!(world.run_until(world.now + ms(60_000), all_but_lost), "{:?}", world.stats());
        world.client.cancel(id);
        world.run(ms(10));
        let (before, connections) = (world.up_count, world.stats().connections);
        if closes {
            world.client.close();
        }
        world.run(ms(200_000));
        if closes {
            assert_eq!(world.events.last(), Some(&Event::Ended(ClientError::Closed)), "{:?}", world.stats());
            assert!(world.up_count <= before + 1, "at most a last word");
        } else {
            assert!(!world.events.iter().any(|event| matches!(event, Event::Ended(_))), "{:?}", world.events);
            assert_eq!((world.up_count, world.stats().connections), (before, connections), "nothing is wanted");
            world.start(0, Files::default());
            world.got.clear();
            let id = world.ask(100_000);
            world.finish(ms(30_000));
            assert!(world.has_finished(id), "{:?}", world.stats());
        }
    }
}

#[test]
fn a_client_knows_that_nobody_serves_it_when_each_server_was_asked() {
    for (policy, most) in [(Policy::Nearest, 1_500), (Policy::Stay, 7_500)] {
        let mut world = World::with(20, Plan { servers: 3, policy, ..Plan::default() });
        world.identity = 3;
        (0..3).for_each(|which| world.start(which, Files::default()));
        world.ask(1_000);
        let (began, ended) = (world.now, |world: &mut World| matches!(world.events.last(), Some(Event::Ended(_))));
        assert!(world.run_until(began + ms(most), ended), "{policy:?}: {:?}", world.events);
        assert!(matches!(world.events[..], [Event::Ended(ClientError::Dial(DialError::WrongKey(_)))]), "{policy:?}");
        println!("{policy:?}: after {:?}", world.now.since(began));
        assert!(world.now.since(began) >= ms(900), "an answer of the right one may come late");
    }
}

#[test]
fn nothing_is_sent_before_there_is_entropy() {
    let mut world = World::new(17);
    world.entropy_is_there = false;
    world.ask(1_000);
    world.run(ms(5_000));
    assert_eq!(world.up_count, 0);
    assert!(!world.events.contains(&Event::Connected));
    let mut entropy = [9; 32];
    world.client.handle_input(world.now, Input::Entropy(&mut entropy));
    world.finish(ms(5_000));
}

#[test]
fn servers_whose_clocks_are_apart_by_more_than_the_bound_refuse_each_other_by_name_until_one_is_set() {
    // Within the bound that all are told nothing is refused, beyond it what the one that is ahead has stamped.
    for (bound, is_refused) in [(5_000, true), (30_000, false)] {
        let plan = Plan { servers: 2, policy: Policy::Spray, skew: ms(20_000), ..Plan::default() };
        let mut world = World::with(5, plan);
        for which in 0..2 {
            let config = ServerConfig { skew_max: ms(bound), ..ServerConfig::default() };
            world.put_in_place(which, config);
        }
        // Both have run for longer than clocks may differ.
        world.run(ms(40_000));
        world.down.rate = Some((1_000_000, 50_000));
        let id = world.ask_with(1_000_000, whole(1 << 22));
        let took = world.finish(ms(120_000));
        let [behind, ahead] = [0, 1].map(|which| *world.server(which).stats());
        println!("bound {bound} ms: {took:?}, {behind:?}, {ahead:?}");
        assert!(world.has_finished(id), "{bound}: {:?}", world.stats());
        assert_eq!((behind.ahead > 0, ahead.ahead), (is_refused, 0), "{behind:?}");
        // It is set, and the fleet is whole again.
        let clock = crate::WallClock::set(world.now, crate::Wall::from_millis(START).after(world.now.since(EARLIER)));
        world.hosts[1].server.as_mut().expect("it runs").set_clock(clock);
        world.run(ms(25_000));
        let before = world.server(0).stats().ahead;
        let id = world.ask_with(1_000_000, whole(1 << 22));
        let took = world.finish(ms(60_000));
        let (behind, now) = (*world.server(0).stats(), *world.server(1).stats());
        println!("set: {took:?}, {behind:?}, {now:?}");
        assert!(world.has_finished(id) && now.answered > ahead.answered, "{now:?}");
        assert_eq!(behind.ahead, before, "{behind:?}");
    }
}
