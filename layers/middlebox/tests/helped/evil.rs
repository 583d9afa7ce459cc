//! Swarms of evil helpers (docs/attacks.md, 20): whatever they do, what arrives is what was sent.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_attack::Deed;
use tng_base::{Instant, Rng};
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::EventKind;

use crate::apps::{SERVICE, pattern};
use crate::world::{Evil, Setting};

/// Time for everything to arrive by whatever way.
const LIMIT: Duration = Duration::from_secs(300);

fn deed(rng: &mut Rng) -> Deed {
    let share = 0.01 + rng.unit() * rng.unit() * 0.6;
    match rng.below(9) {
        0 => Deed::Drop(share),
        1 => Deed::Reorder(share),
        2 => Deed::Duplicate(share),
        3 => Deed::Corrupt(share),
        4 => Deed::Replay(share),
        5 => Deed::Redirect(share, ([A, B][rng.below(2) as usize], PORT).into()),
        6 => Deed::Delay(Duration::from_millis(rng.below(300))),
        7 => Deed::Swallow,
        _ => Deed::AckAndDrop,
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
        assert!(app.done_at.is_some() || error, "seed {seed}, {rogues:?}: {:?}", app.events);
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
}

/// What the test above looks for can be seen: without armor it is there.
#[test]
fn what_is_looked_for_on_the_way_would_be_found() {
    let secrets = [(0..16).map(pattern).collect::<Vec<u8>>()];
    let plain: Vec<u8> = b"header".iter().copied().chain((0..1_000).map(pattern)).collect();
    assert!(shows(&plain, &secrets));
}
