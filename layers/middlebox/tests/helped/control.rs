//! What sections tell each other: how large packets may be, and fresh capabilities.

use core::time::Duration;

use tng_base::{Instant, Rng};
use tng_middlebox::{ClientTag, HelperEvent, LeftBecause};
use tng_stack::EventKind;

use crate::world::{Run, Setting};

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// The largest end-to-end packet that the client sends now.
fn payload_max(run: &Run) -> usize {
    let sender = run.sender();
    let connection = sender.app.connection.expect("connected");
    sender.machine.stats(connection).expect("a channel").payload_max
}

#[test]
fn packets_are_as_large_as_every_section_carries_and_shrink_at_once_when_one_does_not() {
    let mut setting = Setting::new(60, 3);
    setting.len = 5_000_000;
    setting.links = setting.links.into_iter().map(|link| link.rate(10_000_000)).collect();
    let mut run = setting.start();
    run.world.run_until(at_ms(1_500));
    assert_eq!(payload_max(&run), 1_472 - 19, "what Ethernet carries, less the section's header");
    // The way between the helpers gets narrower, and says nothing.
    for lane in run.links[1].lanes() {
        run.world.change(lane, |link| link.mtu = 1_300);
    }
    run.world.run_until(at_ms(3_500));
    assert!(payload_max(&run) <= 1_300 - 28 - 19, "{}", payload_max(&run));
    let moved =
        |events: &[(Instant, EventKind)]| events.iter().any(|(_, event)| matches!(event, EventKind::PathLost { .. }));
    assert!(!moved(&run.sender().app.events), "the channel is the same: {:?}", run.sender().app.events);
    run.finish(Duration::from_secs(30));
}

/// A flow whose capabilities for two helpers end after two seconds; `renew` gives the one for a helper, by its number
/// and what it would give out, before that.
fn outlives(seed: u64, renew: impl Fn(&mut Run, usize)) -> Vec<Option<LeftBecause>> {
    let mut setting = Setting::new(seed, 2);
    setting.len = 6_000_000;
    setting.links = setting.links.into_iter().map(|link| link.rate(10_000_000)).collect();
    setting.life = Duration::from_secs(2);
    let mut run = setting.start();
    run.world.run_until(at_ms(1_000));
    for at in 0..2 {
        renew(&mut run, at);
    }
    run.world.run_until(at_ms(4_000));
    let left = |at| {
        run.helper_events(at).iter().find_map(|(_, event)| match event {
            HelperEvent::Left { because, .. } => Some(*because),
            _ => None,
        })
    };
    (0..2).map(left).collect()
}

fn fresh(run: &Run, at: usize, client: u64, seed: u64) -> tng_stack::Capability {
    let life = (Duration::from_secs(60), 16);
    run.helper(at).office().issue(run.world.now(), ClientTag(client), life, Rng::from_u64(seed).bytes::<32>())
}

#[test]
fn a_flow_ends_with_its_capability_unless_that_is_renewed_at_every_helper() {
    assert_eq!(outlives(61, |_, _| {})[0], Some(LeftBecause::CapabilityEnded));
    let renewed = outlives(62, |run, at| {
        let capability = fresh(run, at, 1, 5);
        run.renew(at, &capability);
    });
    assert_eq!(renewed, [None, None]);
}

#[test]
fn a_capability_that_was_copied_changed_or_is_of_another_client_renews_nothing() {
    let copied = outlives(63, |run, at| {
        // Its words can be read on the way, its key cannot.
        let key = tng_stack::CapabilityKey::from_bytes([7; 16]);
        let capability = tng_stack::Capability { key, ..fresh(run, at, 1, 6) };
        run.renew(at, &capability);
    });
    assert_eq!(copied[0], Some(LeftBecause::CapabilityEnded));
    let foreign = outlives(64, |run, at| {
        let capability = fresh(run, at, 2, 7);
        run.renew(at, &capability);
    });
    assert_eq!(foreign[0], Some(LeftBecause::CapabilityEnded));
    let other_helpers = outlives(65, |run, at| {
        let capability = fresh(run, 1 - at, 1, 8);
        run.renew(at, &capability);
    });
    assert_eq!(other_helpers[0], Some(LeftBecause::CapabilityEnded));
}
