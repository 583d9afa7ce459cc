use tng_queue::{Limit, QueueConfig};
use tng_sim::Loss;

use super::*;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// A slow line and a fast core behind it, a helper between them, and a party.
fn setting(seed: u64, party: Party) -> Setting {
    let line = Link::new().rate(2_000_000).delay(MS(10));
    // A short queue, so that nobody waits long for what was lost there.
    let core = Link::new().rate(20_000_000).delay(MS(30)).queue(QueueConfig::DropTail(Limit::Packets(60)));
    let mut setting = Setting::new(seed, vec![line.into(), core.into()]);
    setting.helpers.push(Post::at(1).elsewhere("newreno").toward(0, "vegas"));
    setting.parties.push(party);
    setting
}

fn party(direction: Direction) -> Party {
    Party::tng("flow", (0, 2), direction, ["vegas", "newreno"])
}

#[test]
fn a_transfer_by_way_of_a_helper_is_helped_and_a_direct_one_is_not() {
    for (direction, via) in
        [(Direction::Up, 0..1), (Direction::Down, 0..1), (Direction::Up, 0..0), (Direction::Down, 0..0)]
    {
        let party = party(direction).via(&via.clone().collect::<Vec<_>>()).bytes(500_000).ping(MS(100));
        let mut run = setting(1, party).begin();
        let took = run.finish(0, Duration::from_secs(20)).unwrap_or_else(|error| panic!("{direction:?}: {error}"));
        assert!(took < MS(4_500), "{direction:?}, {via:?}: {took:?}");
        assert_eq!(run.helper_stats(0).joins, via.len() as u64);
        assert_eq!(run.samples(0)[0].helped, !via.is_empty(), "{direction:?}");
        let tally = run.tally(0);
        let least = tally.round_trip.iter().map(|delay| delay.took).min().expect("pings");
        assert!(least >= MS(80) && least < MS(95), "{direction:?}, {via:?}: {least:?}");
        let one_way = tally.one_way.iter().map(|delay| delay.took).min().expect("pings");
        assert!(one_way >= MS(40) && one_way < MS(55), "{direction:?}, {via:?}: {one_way:?}");
    }
}

#[test]
fn tcp_and_tng_share_the_chain_and_a_party_stops_when_it_is_told_to() {
    let mut setting = setting(2, party(Direction::Up).via(&[0]));
    let tcp = Party::tcp("cross", (1, 2), Direction::Up, "newreno").start(Duration::from_secs(3));
    setting.parties.push(Party { stop: Some(Duration::from_secs(6)), ..tcp });
    let stops = Party { stop: Some(Duration::from_secs(2)), ..party(Direction::Down) };
    setting.parties.push(stops);
    let mut run = setting.begin();
    run.run_until(Duration::from_secs(9));
    let bytes = |party: usize| run.samples(party).iter().map(|sample| sample.bytes > 0).collect::<Vec<_>>();
    assert_eq!(bytes(0), [true; 9]);
    assert_eq!(bytes(1), [false, false, false, true, true, true, false, false, false]);
    assert_eq!(bytes(2)[..4], [true, true, false, false]);
    assert!((0..3).all(|party| run.tally(party).failure.is_none()), "{:?}", run.tally(2).failure);
}

#[test]
fn a_transfer_survives_its_helper_and_the_same_seed_gives_the_same_again() {
    let measured = |seed| {
        let mut setting = setting(seed, party(Direction::Up).via(&[0]).bytes(400_000));
        setting.links[1].forth = setting.links[1].forth.clone().loss(Loss::Independent(0.01));
        let mut run = setting.begin();
        run.run_until(MS(700));
        run.stop_helper(0);
        run.run_until(MS(900));
        run.restart_helper(0);
        let took = run.finish(0, Duration::from_secs(60)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        (took, run.samples(0).to_vec())
    };
    assert_eq!(measured(3), measured(3));
    assert_ne!(measured(3).0, measured(4).0);
}
