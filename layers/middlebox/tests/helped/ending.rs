//! How a helped flow ends.

use core::time::Duration;

use tng_base::Instant;
use tng_sim::{Carrier, Loss};
use tng_stack::{CloseCause, EventKind};

use crate::world::{Run, Setting};

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// The helpers hold nothing any more.
fn assert_forgotten(run: &Run) {
    for at in 0..run.helpers.len() {
        let helper = run.helper(at);
        assert!(helper.is_empty(), "seed {}, helper {at}: {:?}", run.setting.seed, helper.stats());
    }
}

fn closed_by_peer(events: &[EventKind]) -> Option<u64> {
    events.iter().find_map(|event| match event {
        EventKind::Closed(CloseCause::Peer { code, .. }) => Some(*code),
        _ => None,
    })
}

#[test]
fn whoever_closes_is_heard_at_the_other_end_of_three_helpers_and_is_forgotten() {
    for (seed, client_closes) in [(31, true), (32, false)] {
        let mut setting = Setting::new(seed, 3);
        // In the middle of it, with queues that hold something.
        setting.len = 20_000_000;
        setting.links[3] = setting.links[3].clone().rate(10_000_000);
        setting.close_at[usize::from(!client_closes)] = Some((at_ms(1_000), 77));
        let mut run = setting.start();
        run.world.run_until(at_ms(2_500));
        let heard = match client_closes {
            true => closed_by_peer(&run.sink().app.ended),
            false => {
                let events: Vec<_> = run.sender().app.events.iter().map(|(_, event)| event.clone()).collect();
                closed_by_peer(&events)
            }
        };
        assert_eq!(heard, Some(77), "seed {seed}");
        run.world.run_until(at_ms(20_000));
        assert_forgotten(&run);
    }
}

#[test]
fn a_section_that_is_blocked_delays_the_end_by_a_second_at_each_helper_at_most() {
    let mut setting = Setting::new(33, 2);
    setting.len = 20_000_000;
    setting.close_at[0] = Some((at_ms(1_000), 78));
    let mut run = setting.start();
    run.world.run_until(at_ms(900));
    let lanes = run.links[2].lanes();
    for lane in lanes {
        run.world.set_carrier(lane, Carrier::Drops);
    }
    let waiting = |run: &Run| [0, 1].map(|at| run.helper(at).stats().queued_bytes > 0);
    run.world.run_until(at_ms(1_500));
    assert_eq!(waiting(&run), [true, true]);
    // The first helper ends it a second after the client's word, and says so to the second.
    run.world.run_until(at_ms(2_150));
    assert_eq!(waiting(&run), [false, true]);
    run.world.run_until(at_ms(3_300));
    assert_eq!(waiting(&run), [false, false]);
    for lane in lanes {
        run.world.set_carrier(lane, Carrier::Up);
    }
    run.world.run_until(at_ms(60_000));
    assert_forgotten(&run);
}

#[test]
fn a_farewell_that_is_lost_is_said_again_to_whoever_goes_on() {
    let mut heard = 0;
    for seed in 40..48 {
        let mut setting = Setting::new(seed, 2);
        setting.len = 20_000_000;
        setting.links = setting.links.into_iter().map(|link| link.loss(Loss::Independent(0.1))).collect();
        setting.close_at[1] = Some((at_ms(2_000), 79));
        let mut run = setting.start();
        run.world.run_until(at_ms(8_000));
        let events: Vec<_> = run.sender().app.events.iter().map(|(_, event)| event.clone()).collect();
        heard += usize::from(closed_by_peer(&events) == Some(79));
    }
    assert!(heard >= 7, "{heard} of 8");
}
