//! Local repair on a long and lossy section.

use core::time::Duration;

use tng_middlebox::{Neighbourhood, Network};
use tng_sim::{Link, Loss};

use crate::world::{Run, Setting, helper_ip};

/// Two helpers at the ends of a satellite hop: 600 ms there and back, 1 % loss.
fn satellite(seed: u64, repair: Option<Duration>) -> Setting {
    let mut setting = Setting::new(seed, 2);
    setting.len = 2_000_000;
    setting.links[0] = Link::new().rate(4_000_000).delay(Duration::from_millis(10));
    setting.links[1] = Link::new().rate(10_000_000).delay(Duration::from_millis(300)).loss(Loss::Independent(0.01));
    for at in 0..2 {
        let over_it = Neighbourhood {
            controller: "unlimited".parse().expect("a controller"),
            repair,
            ..Neighbourhood::default()
        };
        setting.helpers[at].neighbourhoods.push((Network::only(helper_ip(1 - at)), over_it));
    }
    setting
}

/// What the sender's end-to-end channel sent, sent again, and sent again in vain.
fn finish(mut run: Run) -> (Duration, [u64; 3]) {
    let took = run.finish(Duration::from_secs(60));
    let sender = run.sender();
    let connection = sender.app.connection.expect("connected");
    let stats = sender.machine.stats(connection).expect("a channel").channel;
    (took, [stats.packets_sent, stats.lost, stats.spurious])
}

#[test]
fn with_local_repair_neither_end_misses_what_a_satellite_hop_loses() {
    let (mut lost_without, mut lost_with, mut sent_twice) = (0, 0, 0);
    for seed in 50..53 {
        let (_, [_, lost, _]) = finish(satellite(seed, None).start());
        lost_without += lost;
        let (_, [_, lost, spurious]) = finish(satellite(seed, Some(Duration::from_millis(1_800))).start());
        lost_with += lost;
        sent_twice += spurious;
    }
    assert!(lost_without > 25, "the hop loses something: {lost_without}");
    assert!(lost_with * 20 <= lost_without, "{lost_with} of {lost_without} are repaired from end to end all the same");
    assert!(sent_twice * 20 <= lost_without, "{sent_twice} arrived twice");
}
