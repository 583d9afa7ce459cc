//! Swarms of evil helpers (docs/attacks.md, 20): whatever they do, what arrives is what was sent.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_attack::Deed;
use tng_base::{Instant, Rng};
use tng_queue::{Limit, QueueConfig};
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::{BLOCKED_FOR, DELAY_PERIOD, EventKind};

use crate::apps::{SERVICE, pattern};
use crate::world::{Evil, Setting};

/// Time for everything to arrive by whatever way.
const LIMIT: Duration = Duration::from_secs(300);

fn deed(rng: &mut Rng) -> Deed {
    let share = 0.01 + rng.unit() * rng.unit() * 0.6;
    match rng.below(14) {
        0 => Deed::Drop(share),
        1 => Deed::Reorder(share),
        2 => Deed::Duplicate(share),
        3 => Deed::Corrupt(share),
        4 => Deed::Replay(share),
        5 => Deed::Redirect(share, ([A, B][rng.below(2) as usize], PORT).into()),
        6 => Deed::Delay(Duration::from_millis(rng.below(300))),
        7 => Deed::Swallow,
        8 => Deed::AckAndDrop,
        9 => Deed::Hold,
        10 => Deed::Close,
        11 => Deed::Lie(rng.u64() as u16, [1_024, 1_200, u16::MAX][rng.below(3) as usize]),
        12 => Deed::Strip,
        _ => Deed::DeclineAndReset,
    }
}

fn setting(seed: u64) -> Setting {
    let mut rng = Rng::from_u64(seed ^ 0xe71);
    let helpers = 1 + rng.below(5) as usize;
    let mut setting = Setting::new(seed, helpers);
    (setting.len, setting.reply) = (20_000 + rng.below(400_000), rng.below(100_000));
    let first = rng.below(helpers as u64) as usize;
    for at in 0..helpers {
        if at == first || rng.chance(0.3) {
            let deeds = (0..1 + rng.below(3)).map(|_| deed(&mut rng)).collect();
            let from = Instant::from_millis([0, rng.below(500)][rng.below(2) as usize]);
            setting.rogues.push(Evil { at, deeds, from });
        }
    }
    for link in &mut setting.links {
        *link = link.clone().rate(10_000_000 + rng.below(90_000_000)).delay(Duration::from_millis(1 + rng.below(15)));
    }
    setting
}

/// Whether `haystack` shows something that only the two ends should know.
fn shows(haystack: &[u8], secrets: &[Vec<u8>]) -> bool {
    secrets.iter().any(|secret| haystack.windows(secret.len()).any(|window| window == secret))
}

#[test]
fn a_swarm_of_evil_helpers_changes_no_byte_and_learns_none() {
    let seeds: u64 = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(60);
    let from: u64 = std::env::var("TNG_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    let mut secrets: Vec<Vec<u8>> = (0..8).map(|at| (at * 2_000..at * 2_000 + 16).map(pattern).collect()).collect();
    secrets.push(SERVICE.1.as_bytes().to_vec());
    // There is always a direct path, and nobody does evil on it: whatever helpers do, no connection ends for it.
    let mut failed = Vec::new();
    for seed in from..from + seeds {
        let setting = setting(seed);
        let rogues = setting.rogues.clone();
        let mut run = setting.start();
        let shown = Rc::new(RefCell::new(0u64));
        for lane in run.links.iter().flat_map(|link| link.lanes()).collect::<Vec<_>>() {
            let (shown, secrets) = (Rc::clone(&shown), secrets.clone());
            run.world.intercept(lane, move |_, packet| {
                *shown.borrow_mut() += u64::from(shows(&packet.payload, &secrets));
                true
            });
        }
        let a = run.a;
        let over = run.world.wait_until(Instant::ZERO + LIMIT, |world| crate::world::is_over(world, a));
        let app = &run.sender().app;
        let error =
            app.events.iter().any(|(_, kind)| matches!(kind, EventKind::Closed(_) | EventKind::ConnectFailed(_)));
        assert!(over, "seed {seed}, {rogues:?}: {} bytes there, {:?}", run.received(), app.events);
        if app.done_at.is_none() {
            assert!(error, "seed {seed}, {rogues:?}: {:?}", app.events);
            failed.push((seed, rogues.clone(), app.events.clone()));
        }
        assert_eq!(*shown.borrow(), 0, "seed {seed}, {rogues:?}: something could be read on the way");
        // All goes to rest, and is forgotten.
        let now = run.world.now();
        run.close(now);
        run.world.run_until(now + Duration::from_secs(30));
        run.repent();
        run.world.run_until(now + Duration::from_secs(400));
        assert_eq!(run.held(), (true, true), "seed {seed}, {rogues:?}");
        for at in 0..run.helpers.len() {
            assert!(
                run.helper(at).is_empty(),
                "seed {seed}, {rogues:?}: helper {at} holds {:?}",
                run.helper(at).stats()
            );
        }
    }
    println!("{} of {seeds} flows ended with an error", failed.len());
    assert!(failed.is_empty(), "{} of {seeds} flows ended with an error: {failed:#?}", failed.len());
}

/// How long a deed may go on until the client leads its data another way: detection within three probe timeouts, four
/// round trips for what follows, and for what is no silence as long as its rule says.
#[derive(Clone, Copy)]
enum Within {
    /// The set-up comes to nothing, or is revoked: so many round trips.
    RoundTrips(u32),
    /// Three probe timeouts and four round trips, and so much more.
    Silence(Duration),
}

/// Deeds from the set-up on and deeds in the middle, all of one helper on the path.
#[test]
fn every_deed_is_done_without_in_its_time() {
    let none = Duration::ZERO;
    let second = Duration::from_secs(1);
    let lie = Deed::Lie(u16::MAX, u16::MAX);
    let cases: [(&[Deed], u64, Within); 10] = [
        (&[Deed::Strip], 0, Within::RoundTrips(4)),
        (&[Deed::DeclineAndReset], 0, Within::RoundTrips(4)),
        // Two until it is closed, one for the direct one.
        (&[Deed::Close], 0, Within::RoundTrips(4)),
        (&[Deed::AckAndDrop], 0, Within::Silence(none)),
        // A declared repair is waited for four round trips at most, each time.
        (&[lie, Deed::AckAndDrop], 0, Within::Silence(Duration::from_millis(3 * 160))),
        // Two seconds of that, and an alternative that is set up after one.
        (&[Deed::Hold], 0, Within::Silence(BLOCKED_FOR + second)),
        (&[lie, Deed::Hold], 0, Within::Silence(BLOCKED_FOR + second + Duration::from_millis(3 * 160))),
        (&[Deed::Swallow], 1_500, Within::Silence(none)),
        (&[Deed::Drop(1.0)], 2_300, Within::Silence(none)),
        (&[Deed::Delay(Duration::from_millis(120))], 1_500, Within::Silence(DELAY_PERIOD * 3)),
    ];
    for (case, (deeds, from_ms, within)) in cases.into_iter().enumerate() {
        for seed in 0..3 {
            let seed = 100 * case as u64 + seed;
            let mut setting = Setting::new(seed, 1);
            setting.len = 40_000_000;
            let from = Instant::from_millis(from_ms);
            setting.rogues = vec![Evil { at: 0, deeds: deeds.to_vec(), from }];
            for link in &mut setting.links {
                *link = link.clone().rate(20_000_000).queue(QueueConfig::DropTail(Limit::Bytes(50_000)));
            }
            let round_trip = Duration::from_millis(40);
            let mut run = setting.start();
            run.world.run_until(from);
            let (a, mut last) = (run.a, None);
            while !crate::world::leads_directly(&run.world, a) {
                let sender = run.sender();
                last = sender.app.connection.and_then(|id| sender.machine.stats(id)).or(last);
                let at = run.world.now() + Duration::from_millis(1);
                assert!(at < from + LIMIT, "{deeds:?}, seed {seed}: {:?}", run.sender().app.events);
                run.world.run_until(at);
            }
            let took = run.world.now().since(from);
            let most = match (within, last) {
                (Within::RoundTrips(round_trips), _) => round_trip * round_trips,
                (Within::Silence(more), Some(stats)) => stats.pto * 3 + stats.rtt * 4 + round_trip + more,
                (Within::Silence(_), None) => panic!("{deeds:?}, seed {seed}: it was never helped"),
            };
            println!("{deeds:?}, seed {seed}: {took:?} of {most:?}");
            assert!(took <= most, "{deeds:?}, seed {seed}: {took:?} of {most:?}, {last:?}");
            let ended = |kind: &EventKind| matches!(kind, EventKind::Closed(_) | EventKind::ConnectFailed(_));
            run.world.run_until(run.world.now() + Duration::from_secs(3));
            let ended = run.sender().app.events.iter().any(|(_, kind)| ended(kind)) || !run.sink().app.ended.is_empty();
            assert!(!ended, "{deeds:?}, seed {seed}: {:?}", run.sender().app.events);
        }
    }
}

/// What a lie about repair and sizes alone costs is time where something is lost, and nothing else.
#[test]
fn whoever_lies_about_repair_and_sizes_keeps_the_flow_and_harms_it_little() {
    for seed in 0..3 {
        let mut took = Vec::new();
        for deeds in [vec![], vec![Deed::Lie(u16::MAX, u16::MAX)], vec![Deed::Lie(0, 1_024)]] {
            let mut setting = Setting::new(seed, 1);
            setting.len = 5_000_000;
            setting.rogues = vec![Evil { at: 0, deeds, from: Instant::ZERO }];
            for link in &mut setting.links {
                *link = link.clone().rate(20_000_000).queue(QueueConfig::DropTail(Limit::Bytes(50_000)));
            }
            took.push(setting.start().finish(LIMIT));
        }
        assert!(took.iter().all(|time| *time < took[0] * 2), "seed {seed}: {took:?}");
    }
}

/// What the test above looks for can be seen: without armor it is there.
#[test]
fn what_is_looked_for_on_the_way_would_be_found() {
    let secrets = [(0..16).map(pattern).collect::<Vec<u8>>()];
    let plain: Vec<u8> = b"header".iter().copied().chain((0..1_000).map(pattern)).collect();
    assert!(shows(&plain, &secrets));
}
