//! Data through helpers.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use tng_base::Instant;
use tng_stack::structured::FirstData;

use crate::world::Setting;

#[test]
fn a_transfer_through_one_helper_arrives_and_is_helped() {
    let mut run = Setting::new(1, 1).start();
    let took = run.finish(Duration::from_secs(20));
    let stats = run.helper(0).stats();
    assert_eq!(stats.joins, 1, "{stats:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    let (a, sender) = (run.a, run.sender());
    let connection = sender.app.connection.expect("connected");
    let remote = sender.machine.remote_address(connection).expect("a channel");
    assert_ne!(remote.ip(), tng_sim::topology::B, "node {a:?} talks to the helper");
}

#[test]
fn set_up_through_helpers_takes_one_round_trip_from_end_to_end() {
    for helpers in 0..=5 {
        let mut setting = Setting::new(2, helpers);
        (setting.len, setting.service.first_data) = (100, FirstData::Unproven);
        let mut run = setting.start();
        run.finish(Duration::from_secs(20));
        let first = run.sender().app.first_byte_at.expect("an answer").since(Instant::ZERO);
        let round_trip = Duration::from_millis(20) * (helpers as u32 + 1);
        let slack = Duration::from_millis(4) * (helpers as u32 + 1);
        assert!(first >= round_trip && first < round_trip + slack, "{helpers} helpers: {first:?}");
    }
}

#[test]
fn whatever_is_lost_on_any_section_arrives_in_the_end() {
    for (seed, helpers) in (10..22).zip([1, 2, 3, 5].into_iter().cycle()) {
        let mut setting = Setting::new(seed, helpers);
        for link in &mut setting.links {
            *link = link
                .clone()
                .loss(tng_sim::Loss::Independent(0.02))
                .reorder(0.05, Duration::from_millis(3))
                .duplicate(0.01);
        }
        let mut run = setting.start();
        run.finish(Duration::from_secs(60));
        for at in 0..helpers {
            assert!(run.helper(at).stats().joins >= 1, "seed {seed}");
        }
    }
}

#[test]
fn a_helper_that_is_gone_from_the_start_is_done_without() {
    let mut run = Setting::new(3, 2).start();
    run.world.stop(run.helpers[1]);
    let took = run.finish(Duration::from_secs(20));
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn packets_that_are_damaged_anywhere_are_packets_that_are_lost() {
    for seed in 90..94 {
        let mut setting = Setting::new(seed, 2);
        setting.len = 300_000;
        let mut run = setting.start();
        let mut rng = tng_base::Rng::from_u64(seed);
        let links = run.links.clone();
        for lane in links.iter().flat_map(|link| link.lanes()) {
            let mut dice = rng.fork();
            run.world.intercept(lane, move |_, packet| {
                if dice.chance(0.03) {
                    let bit = dice.below(packet.payload.len() as u64 * 8) as usize;
                    packet.payload[bit / 8] ^= 1 << (bit % 8);
                }
                true
            });
        }
        run.finish(Duration::from_secs(60));
        let events = &run.sender().app.events;
        let ended = events.iter().any(|(_, event)| matches!(event, tng_stack::EventKind::Closed(_)));
        assert!(!ended, "seed {seed}: {events:?}");
    }
}

#[test]
fn a_helped_packet_has_at_most_sixty_bytes_that_are_not_data() {
    let mut setting = Setting::new(95, 2);
    setting.len = 3_000_000;
    let mut run = setting.start();
    let (last, under_way) = (run.links[2].forth(), Rc::new(RefCell::new(VecDeque::new())));
    let tap = under_way.clone();
    run.world.intercept(last, move |_, packet| {
        tap.borrow_mut().push_back((packet.payload[0], packet.payload.len()));
        true
    });
    // What the server reads when a packet arrives is what was in it: nothing is lost, and so nothing overtaken.
    let (mut delivered, mut received, mut headers) = (0, 0, Vec::new());
    while run.sender().app.done_at.is_none() && run.world.now() < Instant::from_secs(20) {
        run.world.step();
        let before = (delivered, received);
        (delivered, received) = (run.world.stats(last).delivered, run.received());
        let arrived: Vec<_> = under_way.borrow_mut().drain(..(delivered - before.0) as usize).collect();
        if let ([(first, len)], data @ 1..) = (&arrived[..], received - before.1)
            // A section's, without an acknowledgment of the section, which would else be a packet of its own.
            && first & 0xf0 == 0x80
            && *len > 1_000
            // What came before it was not read at once.
            && data < *len as u64
        {
            headers.push(*len as u64 + 8 - data);
        }
    }
    headers.sort_unstable();
    assert!(headers.len() > 2_000, "{} packets", headers.len());
    // One in a hundred may carry control besides: sizes, credit, names.
    let p99 = headers[headers.len() * 99 / 100];
    assert!((50..=60).contains(&p99), "{p99} B, at most {:?}", headers.last());
}
