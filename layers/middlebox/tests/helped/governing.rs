//! Settings that change while flows go on, and helpers that are shut down.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_flow::wire::Refusal;
use tng_middlebox::{ClientTag, HelperConfig, HelperEvent, LeftBecause, Network, Onward, RelayId, Served};
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::B;

use crate::world::{Run, Setting, leads_directly, received};

const LIMIT: Duration = Duration::from_secs(60);

fn long(seed: u64, helpers: usize) -> Setting {
    let mut setting = Setting::new(seed, helpers);
    setting.len = 20_000_000;
    setting
}

/// Other settings for the first helper, from now on.
fn change(run: &mut Run, change: impl FnOnce(&mut HelperConfig)) {
    let now = run.world.now();
    run.with_helper(0, |helper| {
        let mut config = helper.config().clone();
        change(&mut config);
        helper.set_config(now, config);
    });
}

/// What governs the two sections of the first flow, and the bounds in time of its queues, in milliseconds.
fn governed(run: &Run) -> ([String; 2], [u128; 2]) {
    let status = run.helper(0).flow_status(run.helper(0).flow_ids()[0]).expect("it is there");
    let far = status.far.expect("a section");
    let bounds = [&status.outward, &status.homeward].map(|queue| queue.time_max.as_millis());
    ([status.near.controller, far.controller], bounds)
}

/// What the first flow was that ended for this reason.
fn left(run: &Run, why: LeftBecause) -> Served {
    let served = |event: &HelperEvent| match event {
        HelperEvent::Left { because, served, .. } if *because == why => *served,
        _ => None,
    };
    run.helper_events(0).iter().find_map(|(_, event)| served(event)).expect("a flow has ended so")
}

#[test]
fn a_controller_and_a_queue_change_under_a_flow_that_loses_nothing() {
    for seed in 0..3 {
        let mut run = long(seed, 1).start();
        run.world.run_until(Instant::from_millis(1_000));
        assert_eq!(governed(&run), (["cubic", "cubic"].map(str::to_owned), [100, 100]), "seed {seed}");
        change(&mut run, |config| {
            config.elsewhere.controller = "vegas".parse().expect("a controller");
            config.elsewhere.queue_time = Duration::from_millis(30);
        });
        assert_eq!(governed(&run), (["vegas", "vegas"].map(str::to_owned), [30, 30]), "seed {seed}");
        run.world.run_until(Instant::from_millis(1_500));
        change(&mut run, |config| {
            config.elsewhere.discipline = Some(QueueConfig::DropTail(Limit::Packets(1_000)));
            let toward = config.elsewhere.clone();
            config.elsewhere.controller = "newreno".parse().expect("a controller");
            config.neighbourhoods.push((Network::only(B), toward));
        });
        assert_eq!(governed(&run).0, ["newreno", "vegas"], "seed {seed}: toward the server it stays");
        let done = run.finish(LIMIT);
        assert!(done < Duration::from_secs(5), "seed {seed}: {done:?}");
        assert_eq!(run.helper(0).stats().joins, 1, "seed {seed}: one flow all the way");
    }
}

#[test]
fn a_thousand_changes_of_settings_do_not_slow_a_flow() {
    let finish = |changes: u64| {
        let mut run = long(5, 1).start();
        for at in 0..changes {
            run.world.run_until(Instant::from_millis(500 + at));
            change(&mut run, |config| config.elsewhere.queue_time = Duration::from_millis(90 + at % 20));
        }
        run.finish(LIMIT).as_millis()
    };
    let (changed, control) = (finish(1_000), finish(0));
    assert!(changed * 10 <= control * 11, "{changed} ms, and {control} ms without a change");
}

#[test]
fn a_flow_that_leads_where_nothing_may_go_any_more_ends_at_the_helper_and_goes_on_directly() {
    for seed in 0..3 {
        let mut run = long(seed, 1).start();
        run.world.run_until(Instant::from_millis(1_500));
        change(&mut run, |config| config.onward = Onward::Listed(Vec::new()));
        let (before, at, b) = (run.received(), run.world.now(), run.b);
        assert!(run.world.wait_until(at + LIMIT, |world| received(world, b) > before + 100_000));
        let gap = run.world.now().since(at);
        assert!(gap < Duration::from_millis(500), "seed {seed}: {gap:?}");
        let served = left(&run, LeftBecause::Forbidden);
        assert!(served.client == ClientTag(1) && served.outward_bytes > 1_000_000, "seed {seed}: {served:?}");
        run.finish(LIMIT);
        assert!(leads_directly(&run.world, run.a), "seed {seed}");
        assert!(run.helper(0).stats().refused > 0, "seed {seed}: it asked again, and may not come back");
    }
}

#[test]
fn a_client_that_is_struck_from_the_settings_is_helped_no_more_whatever_its_capability_says() {
    for seed in 0..3 {
        let mut run = long(seed, 1).start();
        run.world.run_until(Instant::from_millis(1_500));
        change(&mut run, |config| config.limits = None);
        run.finish(LIMIT);
        assert_eq!(left(&run, LeftBecause::Forbidden).client, ClientTag(1), "seed {seed}");
        assert!(leads_directly(&run.world, run.a) && run.helper(0).stats().joins == 1, "seed {seed}");
        assert!(run.helper(0).stats().refused > 0, "seed {seed}: it asked again, and may not come back");
    }
}

#[test]
fn a_neighbour_that_moves_to_where_nothing_may_be_passed_on_to_is_not_followed() {
    let new = IpAddr::from([10, 200, 0, 1]);
    let leads_to_new = |bits| {
        let mut setting = long(7, 1);
        setting.helpers[0].onward = Onward::Listed(vec![Network { address: B, bits }]);
        let mut run = setting.start();
        run.world.run_until(Instant::from_millis(1_500));
        run.world.change_address(run.b, B, Some(new));
        let mut any = false;
        for ms in (1_500..4_000).step_by(20) {
            run.world.run_until(Instant::from_millis(ms));
            let helper = run.helper(0);
            let far = |id| helper.flow_status(id).and_then(|status| status.far.ok());
            any |= helper.flow_ids().into_iter().filter_map(far).any(|far| far.neighbour.ip() == new);
        }
        run.finish(LIMIT);
        any
    };
    assert!(!leads_to_new(24), "it is in none of the networks");
    assert!(leads_to_new(8), "it is in one");
}

#[test]
fn a_helper_that_is_shut_down_tells_all_and_takes_nobody_and_nothing_is_lost() {
    for seed in 0..3 {
        let mut run = long(seed, 1).start();
        run.world.run_until(Instant::from_millis(1_500));
        let at = run.world.now();
        run.with_helper(0, |helper| helper.drain(at));
        run.world.run_until(at + Duration::from_millis(50));
        assert!(run.helper(0).stats().relays == 0 && run.helper(0).is_draining(), "seed {seed}");
        let served = left(&run, LeftBecause::Draining);
        assert!(served.client == ClientTag(1) && served.outward_bytes > 1_000_000, "seed {seed}: {served:?}");
        run.finish(LIMIT);
        assert!(leads_directly(&run.world, run.a) && run.helper(0).stats().joins == 1, "seed {seed}");
        assert!(run.helper(0).stats().refused > 0, "seed {seed}: it asked again, and was told {}", Refusal::Draining);
    }
}

#[test]
fn the_status_of_a_flow_tells_neighbours_round_trips_and_what_waits() {
    let mut setting = long(1, 1);
    setting.links[1] = setting.links[1].clone().rate(10_000_000);
    let mut run = setting.start();
    let mut status = || {
        let at = run.world.now().max(Instant::from_millis(2_500)) + Duration::from_millis(1);
        run.world.run_until(at);
        run.helper(0).flow_status(run.helper(0).flow_ids()[0]).expect("it is there")
    };
    // Its discipline keeps the queue short, and lets it be empty now and then.
    let status = (0..500).map(|_| status()).find(|status| status.outward.packets > 0).expect("something waits");
    let far = status.far.expect("a section");
    assert_eq!((status.relay, status.client.0, far.neighbour.ip()), (RelayId(1), 1, B));
    let rtt_ms = [&status.near, &far].map(|section| section.rtt_min.expect("a sample").as_millis());
    assert!(rtt_ms.iter().all(|ms| (20..60).contains(ms)), "{rtt_ms:?}");
    assert!(status.outward.bytes > 0 && status.homeward.bytes == 0);
    let waits = status.outward.time.expect("the rate is known");
    assert!((1..=150).contains(&waits.as_millis()), "{waits:?}");
    assert!(status.outward.marked > 0, "a fast section feeds a slow one: {:?}", status.outward);
    assert!(far.bytes_sent > 1_000_000 && status.near.bytes_received >= far.bytes_sent, "{far:?}");
}

#[test]
fn a_client_with_a_rate_has_that_rate_and_no_more_also_when_it_changes() {
    let mut setting = long(3, 1);
    setting.len = 6_000_000;
    setting.helpers[0].limits.get_or_insert_default().rate_max = Some(1_000_000);
    let mut run = setting.start();
    let passed = |run: &mut Run, until_ms| {
        let before = run.received();
        run.world.run_until(Instant::from_millis(until_ms));
        run.received() - before
    };
    passed(&mut run, 1_000);
    let slow = passed(&mut run, 3_000);
    assert!((1_700_000..=2_020_000).contains(&slow), "{slow} bytes in two seconds at 1 MB/s");
    change(&mut run, |config| config.limits.get_or_insert_default().rate_max = Some(2_000_000));
    let faster = passed(&mut run, 4_000);
    assert!((1_600_000..=2_040_000).contains(&faster), "{faster} bytes in a second at 2 MB/s");
    change(&mut run, |config| config.limits.get_or_insert_default().rate_max = None);
    let done = run.finish(LIMIT);
    assert!(done < Duration::from_secs(5), "{done:?}");
}

#[test]
fn of_one_client_no_more_waits_than_its_limit_and_the_transfer_ends_all_the_same() {
    let most = |limit: Option<u64>| {
        let mut setting = long(4, 1);
        setting.len = 3_000_000;
        setting.links[1] = setting.links[1].clone().rate(10_000_000);
        setting.helpers[0].elsewhere.discipline = Some(QueueConfig::DropTail(Limit::Packets(1_000)));
        setting.helpers[0].limits.get_or_insert_default().held_bytes_max = limit;
        let mut run = setting.start();
        let mut most = 0;
        for ms in (100..3_000).step_by(10) {
            run.world.run_until(Instant::from_millis(ms));
            most = most.max(run.helper(0).stats().queued_bytes);
        }
        run.finish(LIMIT);
        most
    };
    let (bounded, control) = (most(Some(30_000)), most(None));
    assert!(bounded <= 30_000 && control > 60_000, "{bounded} and {control} bytes");
}

#[test]
fn what_a_client_has_asked_for_and_was_granted_outlives_changes_of_the_rest() {
    let mut setting = long(6, 1);
    let vegas: tng_congestion::SectionChoice = "vegas".parse().expect("a controller");
    setting.helpers[0].elsewhere.offers.controllers = vec![vegas];
    setting.wishes = vec![tng_stack::Wishes { controller: Some("vegas".into()), queue_time: None }];
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(1_000));
    assert_eq!(governed(&run).0, ["vegas", "cubic"]);
    change(&mut run, |config| config.elsewhere.controller = "newreno".parse().expect("a controller"));
    assert_eq!(governed(&run).0, ["vegas", "newreno"], "it has asked for one");
    change(&mut run, |config| config.elsewhere.offers.controllers.clear());
    assert_eq!(governed(&run).0, ["vegas", "newreno"], "it was agreed on");
    run.finish(LIMIT);
}
