//! Lanes without a world do what those of a world do.

use core::time::Duration;

use tng_base::{Ecn, Instant};
use tng_queue::{CoDelConfig, Limit, QueueConfig};

use super::parties::{Party, TO_B, number};
use crate::topology::pair;
use crate::{Carrier, DATAGRAM_OVERHEAD, DeliveryTrace, DropCause, LaneStats, Link, LiveLane, Loss};

const MS: Duration = Duration::from_millis(1);
const COUNT: u64 = 5_000;
const BYTES: usize = 1_000;

/// Everything that a lane can do, all at once.
fn trouble() -> Link {
    let mut link = Link::new()
        .rate(7_500_000)
        .delay(20 * MS)
        .jitter_reordering(3 * MS)
        .queue(QueueConfig::CoDel(CoDelConfig::default()))
        .loss(Loss::bursts(0.02, 1..=3))
        .reorder(0.01, 5 * MS)
        .duplicate(0.01)
        .ecn_mark(0.1);
    link.notices = true;
    link
}

/// What comes out of a lane that gets the packets of [`Party::steady`], one each millisecond, and looks at its clock
/// only every `look`.
fn live(seed: u64, link: &Link, look: Duration) -> (LiveLane, Vec<(Instant, u64, Ecn)>) {
    let (mut lane, mut came) = (LiveLane::new(seed, 0, link.clone()), Vec::new());
    let mut packet = [0; BYTES + DATAGRAM_OVERHEAD];
    let mut looked = Instant::ZERO;
    let mut now = Instant::ZERO;
    for n in 0..COUNT {
        while looked + look <= now {
            looked += look;
            lane.advance(looked, |time, ecn, packet| came.push((time, number(packet), ecn)));
        }
        // What is due by then would otherwise happen after what follows.
        lane.advance(now, |time, ecn, packet| came.push((time, number(packet), ecn)));
        packet[..8].copy_from_slice(&n.to_le_bytes());
        lane.offer(now, Ecn::Ect0, &packet);
        now += MS;
    }
    lane.advance(now + 1_000 * MS, |time, ecn, packet| came.push((time, number(packet), ecn)));
    (lane, came)
}

#[test]
fn a_lane_on_a_live_clock_does_what_the_same_lane_does_in_a_world() {
    let seed = 3;
    let source = Party { ecn: Ecn::Ect0, ..Party::steady(TO_B, COUNT, BYTES, MS) };
    let mut pair = pair(seed, &trouble(), source, Party::default());
    assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
    let world: Vec<_> = pair.world.node(pair.b).received.iter().map(|r| (r.at, number(&r.payload), r.ecn)).collect();
    for look in [MS / 10, 7 * MS] {
        let (lane, came) = live(seed, &trouble(), look);
        assert!(came == world, "seed {seed}, looking every {look:?}");
        let (stats, expected) = (lane.stats(), pair.world.stats(pair.link.forth()));
        assert!(stats.dropped_for(DropCause::Queue) > 0 && stats.dropped_for(DropCause::Loss) > 0, "{stats:?}");
        let counts =
            |stats: &LaneStats| (stats.offered, stats.delivered, stats.dropped(), stats.marked, stats.duplicated);
        assert_eq!(counts(&stats), counts(&expected));
    }
}

#[test]
fn a_lane_on_a_live_clock_follows_a_trace_as_that_of_a_world_does_however_late_it_is_looked_at() {
    let mut times: Vec<u32> = (0..400).map(|number| number * 7 / 5 + number % 3 * 20).collect();
    times.sort_unstable();
    let link = trouble().trace(DeliveryTrace::new(times).expect("a trace"));
    let source = Party { ecn: Ecn::Ect0, ..Party::steady(TO_B, COUNT, BYTES, MS) };
    let mut pair = pair(3, &link, source, Party::default());
    assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
    let world: Vec<_> = pair.world.node(pair.b).received.iter().map(|r| (r.at, number(&r.payload), r.ecn)).collect();
    assert!(world.len() > 3_000, "{} came", world.len());
    for look in [MS / 10, 40 * MS] {
        assert!(live(3, &link, look).1 == world, "looking every {look:?}");
    }
}

#[test]
fn a_caller_that_is_late_delivers_late_and_the_rate_stays() {
    let link = Link::new().rate(8_000_000).queue(QueueConfig::DropTail(Limit::Packets(100)));
    let mut lane = LiveLane::new(0, 0, link);
    for _ in 0..50 {
        lane.offer(Instant::ZERO, Ecn::NotEct, &[0; 1_000]);
    }
    let mut due = Vec::new();
    lane.advance(Instant::from_millis(30), |time, _, _| due.push(time));
    assert_eq!(due, (1..=30).map(Instant::from_millis).collect::<Vec<_>>());
    assert_eq!(lane.next(), Some(Instant::from_millis(31)));
}

#[test]
fn a_live_lane_is_cut_off_and_changed_like_any_other() {
    let mut lane = LiveLane::new(0, 0, Link::new().rate(8_000_000));
    for _ in 0..3 {
        lane.offer(Instant::ZERO, Ecn::NotEct, &[0; 1_000]);
    }
    lane.set_carrier(Instant::ZERO, Carrier::Drops);
    let mut due = Vec::new();
    lane.advance(Instant::from_millis(10), |time, _, _| due.push(time));
    assert_eq!(due, [Instant::from_millis(1)], "what was on the wire arrives");
    assert_eq!(lane.stats().dropped_for(DropCause::Outage), 2);
    lane.set_carrier(Instant::from_millis(10), Carrier::Up);
    lane.change(Instant::from_millis(10), Link::new().delay(5 * MS));
    lane.offer(Instant::from_millis(10), Ecn::NotEct, &[0; 1_000]);
    lane.advance(Instant::from_millis(20), |time, _, _| due.push(time));
    assert_eq!(due[1..], [Instant::from_millis(15)]);
}
