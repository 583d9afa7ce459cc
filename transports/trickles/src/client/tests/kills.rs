use super::world::*;
use crate::client::{Options, Policy};
use tng_base::Rng;

/// How many kills: 300 in the full count.
fn kills_due() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20)
}

/// A download of 2 MB over 8 Mbit/s and 20 ms, while a server is killed every 50 to 2,000 ms, and started again after
/// up to a second. Answers how often it was, how many connections the client needed, and the longest time in which no
/// byte came.
fn download(seed: u64, servers: usize, is_same_secret: bool) -> (u64, u64, u64) {
    let mut rng = Rng::from_u64(seed);
    let mut world = World::with(seed, Plan { servers, ..Plan::default() });
    world.down.rate = Some((1_000_000, 20_000));
    let id = world.ask_with(2_000_000, Options { reserve: 1 << 22, ..Options::default() });
    let (mut kills, mut longest, mut had, mut since) = (0, 0, 0, world.now);
    let mut go_on = |world: &mut World, time: u64| {
        let end = world.now + ms(time);
        world.run_until(end, |world| {
            if world.got[&id] > had {
                longest = longest.max(world.now.since(since).as_millis() as u64);
                (had, since) = (world.got[&id], world.now);
            }
            world.has_finished(id)
        })
    };
    loop {
        if go_on(&mut world, 50 + rng.below(1_951)) {
            return (kills, world.stats().connections, longest);
        }
        assert!(kills < 200, "{:?}", world.stats());
        let which = rng.below(servers as u64) as usize;
        world.kill(which);
        kills += 1;
        go_on(&mut world, rng.below(1_001));
        if !is_same_secret {
            world.secret += 1;
        }
        world.start(which, Files::default());
    }
}

#[test]
fn however_often_servers_are_killed_each_download_has_all_its_bytes_and_goes_on_over_its_connection() {
    for servers in [1, 2] {
        let (mut kills, mut seed, mut longest, mut again) = (0, 0, 0, 0);
        while kills < kills_due() {
            let (more, connections, waited) = download(seed, servers, true);
            // Six requests for a timeout in a row, over more than twelve seconds, and each time no server was there.
            assert!(
                connections == 1 || servers == 1 && waited > 12_000,
                "seed {seed}: {connections} after {waited} ms"
            );
            (kills, seed, longest) = (kills + more, seed + 1, longest.max(waited));
            again += connections - 1;
        }
        println!(
            "{servers} servers: {kills} kills in {seed} downloads; {longest} ms without a byte at most, {again} anew"
        );
        assert!(longest < if servers == 1 { 15_000 } else { 3_000 }, "{longest} ms");
    }
}

#[test]
fn a_server_that_comes_back_with_another_secret_costs_a_connection() {
    let connections: Vec<u64> = (0..4).map(|seed| download(seed, 1, false).1).collect();
    assert!(connections.iter().any(|count| *count > 1), "control: {connections:?}");
}

/// A download of 32 MB over 50 Mbit/s and 20 ms from two servers. One and then the other is killed every second, and is
/// there again after so many milliseconds; with `None` neither is. How long it took, in milliseconds.
fn by_turns(policy: Policy, again: Option<u64>) -> u64 {
    let mut world = World::with(3, Plan { servers: 2, policy, rtt: ms(20), ..Plan::default() });
    world.down.rate = Some((6_250_000, 312_500));
    let began = world.now;
    let id = world.ask_with(32_000_000, Options { reserve: 1 << 25, ..Options::default() });
    for which in [0, 1].into_iter().cycle().take(200) {
        let go_on = |world: &mut World, time| {
            let end = world.now + ms(time);
            world.run_until(end, |world| world.has_finished(id))
        };
        if go_on(&mut world, 1_000 - again.unwrap_or(0)) {
            break;
        }
        let Some(again) = again else { continue };
        world.kill(which);
        let is_over = go_on(&mut world, again);
        world.start(which, Files::default());
        if is_over {
            break;
        }
    }
    let stats = world.stats();
    assert!(world.has_finished(id) && stats.connections == 1, "{policy:?}, {again:?}: {stats:?}");
    println!("{policy:?}, away for {again:?} ms: {:?}, {stats:?}", world.now.since(began));
    world.now.since(began).as_millis() as u64
}

#[test]
fn one_of_two_servers_killed_each_second_by_turns_leaves_a_download_seven_tenths_of_its_rate() {
    for policy in [Policy::Stay, Policy::Nearest, Policy::Spray] {
        let undisturbed = by_turns(policy, None);
        for again in [10, 100] {
            let share = undisturbed as f64 / by_turns(policy, Some(again)) as f64;
            println!("{policy:?}, away for {again} ms: {share:.3}");
            assert!(policy == Policy::Spray || share > 0.7, "{policy:?} {again}: {share}");
        }
    }
    // Control: with servers that are away for most of the time.
    assert!(by_turns(Policy::Stay, None) as f64 / (by_turns(Policy::Stay, Some(900)) as f64) < 0.7);
}
