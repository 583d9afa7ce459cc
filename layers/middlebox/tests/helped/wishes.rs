//! What a client asks for of the section with its helper, and what that brings.

use core::time::Duration;

use tng_base::Instant;
use tng_flow::End;
use tng_middlebox::{HelperEvent, RelayId};
use tng_queue::{Limit, QueueConfig};
use tng_stack::Wishes;

use crate::world::{Run, Setting};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn wishes(controller: Option<&str>, queue_time: Option<Duration>) -> Wishes {
    Wishes { controller: controller.map(str::to_owned), queue_time }
}

fn flows(run: &Run, at: usize) -> Vec<RelayId> {
    let joined = |(_, event): &(Instant, HelperEvent)| match event {
        HelperEvent::Joined { relay, .. } => Some(*relay),
        _ => None,
    };
    run.helper_events(at).iter().filter_map(joined).collect()
}

/// What governs the client's sending, and the two sections of the first flow at each helper.
fn governing(wished: &str, offered: &[&str]) -> (&'static str, Vec<[&'static str; 2]>) {
    let mut setting = Setting::new(90, 2);
    setting.len = 20_000_000;
    setting.wishes = vec![wishes(Some(wished), None)];
    for helper in &mut setting.helpers {
        helper.elsewhere.offers.controllers = offered.iter().map(|name| name.parse().expect("a controller")).collect();
    }
    let mut run = setting.start();
    run.world.run_until(Instant::ZERO + MS(300));
    let of_helper = |at| {
        let flow = flows(&run, at)[0];
        [End::Near, End::Far].map(|end| run.helper(at).regulation(flow, end).expect("joined").controller_name())
    };
    let helpers = (0..2).map(of_helper).collect();
    let node = run.sender();
    let stats = node.machine.stats(node.app.connection.expect("connected")).expect("a channel");
    let client = stats.regulation.controller;
    run.set_controller("newreno");
    let node = run.sender();
    let stats = node.machine.stats(node.app.connection.expect("connected")).expect("a channel");
    assert_eq!(stats.regulation.controller, if client == "cubic" { "newreno" } else { client }, "a wish stays");
    (client, helpers)
}

#[test]
fn a_controller_that_is_offered_governs_the_section_that_leads_to_the_helper_at_both_ends() {
    // The second helper was asked, too: it is granted at its own end of the section with the first.
    assert_eq!(governing("vegas", &["vegas"]), ("vegas", vec![["vegas", "cubic"]; 2]));
    assert_eq!(governing("vegas", &["newreno"]), ("vegas", vec![["cubic"; 2]; 2]), "this end is the client's own");
    assert_eq!(governing("no-such", &["newreno"]), ("cubic", vec![["cubic"; 2]; 2]));
}

/// Bytes that wait in drop-tail queues at most, which the client asks to be bounded so, of a transfer whose second
/// section is narrow.
fn waiting(down: bool, queue_time: Option<Duration>) -> u64 {
    let mut setting = Setting::new(91, 1);
    let narrow = setting.links[1].clone().rate(10_000_000).queue(QueueConfig::DropTail(Limit::Packets(20)));
    setting.links[usize::from(!down)] = narrow;
    (setting.len, setting.reply) = if down { (1, 10_000_000) } else { (10_000_000, 0) };
    let elsewhere = &mut setting.helpers[0].elsewhere;
    elsewhere.discipline = Some(QueueConfig::DropTail(Limit::Packets(1_000)));
    elsewhere.offers.queue_time_max = Some(MS(50));
    setting.wishes = vec![wishes(None, queue_time)];
    let mut run = setting.start();
    let sampled = (100..500).map(|hundredth| {
        run.world.run_until(Instant::ZERO + MS(10 * hundredth));
        run.helper(0).stats().queued_bytes
    });
    sampled.max().unwrap_or_default()
}

#[test]
fn a_queue_time_that_is_offered_bounds_the_queues_on_both_sides_of_the_section() {
    for down in [false, true] {
        let (without, short) = (waiting(down, None), waiting(down, Some(MS(5))));
        assert!(short * 2 < without, "down {down}: {short} and {without} bytes");
        assert_eq!(waiting(down, Some(MS(51))), without, "down {down}: longer than what is offered");
    }
}

/// The mean round trip of what a host under cubic sends over a narrow access link with a deep buffer.
fn round_trip_ms(wished: Option<&str>) -> f64 {
    let mut setting = Setting::new(92, 1);
    setting.links[0] = setting.links[0].clone().rate(2_000_000).queue(QueueConfig::DropTail(Limit::Bytes(64_000)));
    setting.len = 1_000_000_000;
    setting.helpers[0].elsewhere.offers.controllers = vec!["vegas".parse().expect("a controller")];
    setting.wishes = vec![wishes(wished, None)];
    let mut run = setting.start();
    run.mean_rtt_ms()
}

#[test]
fn who_asks_for_vegas_on_its_access_link_has_low_delay_there_though_its_host_is_under_another() {
    let (vegas, cubic) = (round_trip_ms(Some("vegas")), round_trip_ms(None));
    assert!(vegas < 60.0 && cubic > 2.0 * vegas, "{vegas:.1} ms and {cubic:.1} ms");
}
