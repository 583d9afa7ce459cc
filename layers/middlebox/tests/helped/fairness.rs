//! What clients, and then flows, have of a helper.

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::Share;
use tng_middlebox::{ClientTag, HelperEvent, Neighbourhood, Network};
use tng_sim::Link;
use tng_sim::topology::B;
use tng_stack::Wishes;

use crate::world::{Run, Setting};

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// Client 1 with `greedy` flows and client 2 with one, over a helper whose far link is narrow.
fn crowd(seed: u64, greedy: usize) -> Setting {
    let mut setting = Setting::new(seed, 1);
    setting.len = 200_000_000;
    setting.links[1] = Link::new().rate(10_000_000).delay(Duration::from_millis(10));
    setting.others = vec![(ClientTag(1), at_ms(0), None); greedy - 1];
    setting.others.push((ClientTag(2), at_ms(0), None));
    setting
}

/// What each flow got from `from` to `to`, in bytes.
fn got(run: &mut Run, from: u64, to: u64) -> Vec<u64> {
    run.world.run_until(at_ms(from));
    let before = run.acked();
    run.world.run_until(at_ms(to));
    run.acked().iter().zip(before).map(|(after, before)| after - before).collect()
}

#[test]
fn a_client_with_many_flows_has_no_more_than_one_with_a_single_flow() {
    let mut run = crowd(70, 4).start();
    let got = got(&mut run, 4_000, 14_000);
    let (one, many) = (got[4], got[..4].iter().sum::<u64>());
    assert!(one * 100 >= (one + many) * 37, "the single flow has {one} of {}: {got:?}", one + many);
    let (least, most) = (got[..4].iter().min(), got[..4].iter().max());
    assert!(least.zip(most).is_some_and(|(least, most)| least * 2 > *most), "flows of one client: {got:?}");
}

#[test]
fn a_client_that_wishes_otherwise_for_each_flow_has_no_more_than_one_with_a_single_flow() {
    let mut setting = crowd(73, 4);
    let names = ["vegas", "newreno", "cubic"];
    setting.helpers[0].elsewhere.offers.controllers = names.map(|name| name.parse().expect("a controller")).to_vec();
    setting.wishes = names.map(|name| Wishes { controller: Some(name.to_owned()), queue_time: None }).to_vec();
    let mut run = setting.start();
    let got = got(&mut run, 4_000, 14_000);
    let (one, many) = (got[4], got[..4].iter().sum::<u64>());
    assert!(one * 100 >= (one + many) * 37, "the single flow has {one} of {}: {got:?}", one + many);
    let granted = run.helper_events(0).iter().filter_map(|(_, event)| match event {
        HelperEvent::Joined { relay, .. } => run.helper(0).near_choice(*relay),
        _ => None,
    });
    assert_eq!(granted.filter(|choice| choice.controller_asked).count(), 3, "control: it has what it wished for");
}

#[test]
fn flows_of_a_client_with_a_rate_have_turns_at_it() {
    for (seed, flows) in [(74, 2), (75, 3), (76, 8)] {
        let mut setting = Setting::new(seed, 1);
        setting.len = 200_000_000;
        setting.others = vec![(ClientTag(1), at_ms(0), None); flows - 1];
        setting.helpers[0].limits.get_or_insert_default().rate_max = Some(1_250_000);
        let mut run = setting.start();
        let got = got(&mut run, 4_000, 14_000);
        let (all, even) = (got.iter().sum::<u64>(), 12_500_000 / flows as u64);
        assert!((11_000_000..=12_600_000).contains(&all), "{all} bytes in 10 s at 1.25 MB/s: {got:?}");
        assert!(got.iter().all(|bytes| bytes * 100 >= even * 70), "seed {seed}: {got:?} of {even} each");
        let left = run.helper_events(0).iter().any(|(_, event)| matches!(event, HelperEvent::Left { .. }));
        assert!(!left, "seed {seed}: none goes another way");
    }
}

#[test]
fn a_flow_that_ends_while_it_waits_for_its_turn_leaves_the_rate_to_the_others() {
    let mut setting = Setting::new(77, 1);
    setting.len = 200_000_000;
    setting.others = vec![(ClientTag(1), at_ms(0), Some((at_ms(2_000), 0))); 3];
    setting.helpers[0].limits.get_or_insert_default().rate_max = Some(1_250_000);
    let mut run = setting.start();
    run.world.run_until(at_ms(2_500));
    run.others.clear();
    let alone = got(&mut run, 4_000, 8_000);
    assert!(alone[0] > 4_000_000, "{alone:?} of 5 MB");
}

#[test]
fn when_a_helper_holds_too_much_the_client_with_the_most_gives_way() {
    let mut setting = crowd(71, 4);
    // Queues that would hold a second each.
    setting.helpers[0].elsewhere.queue_time = Duration::from_secs(1);
    setting.helpers[0].elsewhere.controller = "vegas".parse().expect("a controller");
    setting.helpers[0].held_bytes_max = 100_000;
    let mut run = setting.start();
    let mut most = 0;
    for ms in (2_000..4_000).step_by(10) {
        run.world.run_until(at_ms(ms));
        most = most.max(run.helper(0).stats().queued_bytes);
    }
    assert!(most <= 100_000 && most > 50_000, "{most}");
    let got = got(&mut run, 4_000, 14_000);
    let (one, many) = (got[4], got[..4].iter().sum::<u64>());
    assert!(one * 100 >= (one + many) * 35, "the single flow has {one} of {}: {got:?}", one + many);
    assert!(run.helper(0).stats().dropped > 0);
}

#[test]
fn a_leased_link_is_divided_among_the_flows_as_they_come_and_go() {
    let mut setting = Setting::new(72, 1);
    setting.len = 200_000_000;
    let lease = Some(Share { rate: 1_000_000, window: None });
    setting.helpers[0].neighbourhoods.push((Network::only(B), Neighbourhood { lease, ..Neighbourhood::default() }));
    setting.others = vec![(ClientTag(2), at_ms(5_000), Some((at_ms(10_500), 0))), (ClientTag(3), at_ms(5_000), None)];
    let mut run = setting.start();
    let part = |bytes: u64, ms: u64, rate: u64| bytes * 100 * 1_000 / ms / rate;
    let alone = got(&mut run, 2_000, 4_500);
    assert!((90..=102).contains(&part(alone[0], 2_500, 1_000_000)), "{alone:?}");
    let three = got(&mut run, 7_000, 10_000);
    for bytes in &three {
        assert!((85..=105).contains(&part(*bytes, 3_000, 333_333)), "{three:?}");
    }
    run.others.remove(0);
    let two = got(&mut run, 13_000, 16_000);
    for bytes in &two {
        assert!((85..=105).contains(&part(*bytes, 3_000, 500_000)), "{two:?}");
    }
}
