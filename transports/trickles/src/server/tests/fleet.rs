//! Servers that take over from each other: of other sites, with other clocks, started again.

use super::*;
use crate::replay::{BloomSize, HandedError};
use crate::server::FilterConfig;
use crate::{Growth, Site};

#[test]
fn what_a_server_of_another_site_gave_out_begins_a_line_once_a_second() {
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    let spent = client.held[0].0;
    let mut elsewhere = Host::earlier(2, ServerConfig { site: Site(1), ..ServerConfig::default() });
    let asked: Vec<_> = (0..4).map(|at| client.request(client.held[at], Kind::Spend, b"")).collect();
    let answers = elsewhere.ask(home(), &asked[0].0);
    assert_eq!(answers.len(), 10, "the initial window");
    assert_eq!(elsewhere.ask(home(), &asked[1].0).len(), 0);
    assert_eq!(elsewhere.server.stats().last_refused, Some(Refused::Burnt(Burnt::Spent)), "its second is used up");
    assert_eq!(elsewhere.ask(home(), &asked[0].0).len(), 0, "it is spent");
    elsewhere.now += Duration::from_secs(1);
    assert_eq!(elsewhere.ask(home(), &asked[2].0).len(), 10);
    // The line lies behind all numbers of the one before. It says where it is from, and goes on as any other.
    let release = release_after_timeout(&spent, window_after_timeout(0), spent.tag);
    client.held.clear();
    client.receipts = Receipts::new(release.root.growth.base());
    client.hear(&answers, 1, &asked[0].1, &spent, &release);
    let begun = client.held[0].0;
    assert_eq!((begun.site, begun.root.growth), (Site(1), Growth::new(2 + 2 * 12, 10, 10)));
    assert_ne!(begun.root.tag, spent.root.tag);
    assert_eq!(client.spend(&mut elsewhere, b""), 2, "what it covers, for its threshold is 10");
    // Control: at another server of the same site the line goes on.
    let mut near = Host::earlier(3, ServerConfig::default());
    assert_eq!(near.ask(home(), &asked[3].0).len(), 4);
}

#[test]
fn a_server_whose_clock_was_behind_when_it_started_does_not_act_on_what_may_have_been_spent_before() {
    let answers = |knows_its_start: bool| {
        let mut host = Host::new(1, ServerConfig::default());
        let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
        let (datagram, seal) = client.request(client.held[0], Kind::Spend, b"");
        let mut replica = Host::earlier(2, ServerConfig::default());
        assert_eq!(replica.ask(home(), &datagram).len(), 10);
        // The replica is started again. Its clock is behind by a minute at first; then somebody sets it.
        let now = host.now + Duration::from_millis(40);
        let behind = WallClock::set(now, wall(Duration::ZERO));
        let mut again = Host::started(3, ServerConfig::default(), now, behind);
        let started = again.server.gate.horizon.started;
        assert_eq!(again.ask(home(), &datagram).len(), 0);
        assert_eq!(again.server.stats().last_refused, Some(Refused::Future));
        again.server.set_clock(WallClock::set(now, wall(Duration::from_millis(60_040))));
        if !knows_its_start {
            again.server.gate.horizon.started = started;
        }
        let answers = again.ask(home(), &datagram);
        if answers.len() == 1 {
            assert_eq!(client.denied(&answers, &seal), Denial::BeforeStart);
        }
        answers.len()
    };
    assert_eq!(answers(true), 1, "a denial");
    // Control: one that goes by what its clock said at the start acts once more.
    assert_eq!(answers(false), 10);
}

#[test]
fn the_round_trip_has_the_time_in_it_that_a_server_took_and_not_what_its_client_waited() {
    let ms = Duration::from_millis;
    let mut host = Host::new(1, ServerConfig::default());
    let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
    client.spend(&mut host, b"");
    host.server.keep_events(true);
    // A request waits for its application for 50 ms. Its answer is on the way for 20, and is kept for 300 and so is
    // that to the next; which says so.
    let mut times = Vec::new();
    for _ in 0..2 {
        let (held, kept) = (client.held.remove(0), if times.is_empty() { ms(0) } else { ms(300) });
        let proof = {
            let (from, high) = (held.0.shown_from, *held.0.numbers().end());
            let mut proof = Proof::with_room();
            let fold = client.receipts.fold(from..high + 1);
            proof.set((from, high), core::iter::once(from..high + 1), fold, None).unwrap();
            proof
        };
        let demand = Demand { held: Rtt::of(kept), ..Demand::new(Kind::Spend, held.0, held.1) };
        let (datagram, seal) = client.sealed(&demand, &proof, b"");
        assert!(host.ask(home(), &datagram).is_empty());
        times.push(host.server.events().next().expect("it was granted").client().rtt.time());
        host.now += ms(50);
        host.server.serve_all(host.now);
        let answers: Vec<_> = host.poll().into_iter().map(|(_, datagram)| datagram).collect();
        let release = release_foreseen(&held.0, Story::WHOLE).unwrap();
        client.held.clear();
        client.hear(&answers, client.count - 1, &seal, &held.0, &release);
        host.now += ms(20 + 300);
    }
    assert_eq!(times, [ms(0), ms(70)]);
    // Another server measures nothing by the clock of the first: it is behind it by a second.
    let mut other = Host::earlier(2, ServerConfig::default());
    other.now = host.now;
    other.server.set_clock(WallClock::set(host.now, host.server.gate.wall(host.now).after(ms(1_000))));
    other.server.keep_events(true);
    let (datagram, _) = client.request(client.held[0], Kind::Spend, b"");
    assert!(other.ask(home(), &datagram).is_empty());
    assert_eq!(other.server.events().next().expect("it was granted").client().rtt, client.held[0].0.rtt);
}

/// Both kinds of filters.
fn filters() -> [ServerConfig; 2] {
    let exact = FilterConfig::Serials(1 << 16);
    let by_packet = FilterConfig::Filters(BloomSize::PAPER, 0.000_2);
    [exact, by_packet].map(|filter| ServerConfig { filter, ..ServerConfig::default() })
}

#[test]
fn a_server_that_is_handed_what_is_spent_acts_on_it_once_and_takes_nothing_for_too_old() {
    for config in filters() {
        // One that has just begun, too.
        for (is_young, is_handed) in [(false, true), (false, false), (true, true)] {
            let begin = if is_young { Host::new } else { Host::earlier };
            let mut host = begin(1, config.clone());
            let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
            client.spend(&mut host, b"");
            let asked: Vec<_> = (0..3).map(|at| client.request(client.held[at], Kind::Spend, b"")).collect();
            assert!(host.ask(home(), &asked[0].0).len() > 1);
            let handed = host.server.retire(host.now);
            assert_eq!(host.ask(home(), &asked[1].0).len(), 0, "it judges nothing any more");
            let now = host.now + Duration::from_millis(300);
            let clock = WallClock::set(host.now, wall(Duration::from_secs(60)));
            let mut next = Host::started(2, config.clone(), now, clock);
            if is_handed {
                next.server.take_over(now, &handed).expect("it is whole");
            }
            // Again and again, as by a driver.
            next.server.set_clock(clock);
            let (copies, fresh) = (next.ask(home(), &asked[0].0).len(), next.ask(home(), &asked[1].0).len());
            let stats = *next.server.stats();
            match is_handed {
                true => assert_eq!((copies, fresh > 1, stats.spent, stats.before_start), (0, true, 1, 0), "{stats:?}"),
                // Control: after a crash both are told to ask for a timeout.
                false => assert_eq!((copies, fresh, stats.spent, stats.before_start), (1, 1, 0, 2), "{stats:?}"),
            }
            // What it takes over it hands on.
            if is_handed {
                let handed = next.server.retire(now);
                let mut third = Host::started(3, config.clone(), now, clock);
                third.server.take_over(now, &handed).expect("it is whole");
                assert_eq!([0, 1].map(|at: usize| third.ask(home(), &asked[at].0).len()), [0, 0]);
                assert!(third.ask(home(), &asked[2].0).len() > 1);
            }
        }
    }
}

#[test]
fn what_was_handed_over_and_is_damaged_of_another_filter_or_of_a_time_to_come_is_refused_by_name_and_changes_nothing() {
    let [exact, by_packet] = filters();
    for (config, other) in [(&exact, &by_packet), (&by_packet, &exact)] {
        let mut host = Host::earlier(1, config.clone());
        let mut client = ByHand::new(&mut host, 1, put(4, "100000"));
        client.spend(&mut host, b"");
        let (datagram, _) = client.request(client.held[0], Kind::Spend, b"");
        let handed = host.server.retire(host.now);
        println!("{} bytes", handed.len());
        let clock = WallClock::set(host.now, wall(Duration::from_secs(60)));
        let mut next = Host::started(2, config.clone(), host.now, clock);
        let cuts = (0..handed.len()).filter(|cut| *cut < 200 || cut % 997 == 0);
        for cut in cuts {
            assert_eq!(next.server.take_over(host.now, &handed[..cut]), Err(HandedError::Malformed), "{cut}");
        }
        let longer = [&handed[..], &[0]].concat();
        assert_eq!(next.server.take_over(host.now, &longer), Err(HandedError::Malformed));
        let mut another = Host::started(2, other.clone(), host.now, clock);
        assert_eq!(another.server.take_over(host.now, &handed), Err(HandedError::OtherFilter));
        let mut behind = Host::started(2, config.clone(), host.now, WallClock::set(host.now, wall(Duration::ZERO)));
        assert_eq!(behind.server.take_over(host.now, &handed), Err(HandedError::Future));
        assert_eq!(next.ask(home(), &datagram).len(), 1, "a denial");
        assert_eq!(next.server.take_over(host.now, &handed), Ok(()));
        assert!(next.ask(home(), &datagram).len() > 1, "control");
    }
    let smaller = ServerConfig { filter: FilterConfig::Serials(1 << 10), ..ServerConfig::default() };
    let (mut host, mut next) = (Host::earlier(1, exact), Host::earlier(2, smaller));
    assert_eq!(next.server.take_over(next.now, &host.server.retire(host.now)), Err(HandedError::OtherFilter));
}
