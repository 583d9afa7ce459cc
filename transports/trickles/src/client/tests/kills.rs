use super::world::*;
use crate::client::Options;
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
