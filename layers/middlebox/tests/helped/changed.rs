//! Somebody on a section's path changes what the section's MAC does not cover (docs/attacks.md, 41): what is carried
//! has its own seal, and does not get through. It is as if the packets had been dropped, and judged like that.

use core::time::Duration;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_flow::{HOP_COVERED_LEN, HOP_TAG_LEN};
use tng_sim::Loss;
use tng_stack::{EventKind, Sign};

use crate::judged::{left, stays};
use crate::world::{Run, Setting, helper_ip, is_direct};

const LIMIT: Duration = Duration::from_secs(120);

/// Header, acknowledgment and control blocks are shorter than this here.
const BLOCKS_LEN_MAX: usize = 300;

/// What is done to a packet by somebody on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Harm {
    /// A byte is changed that has no MAC but the seal of what is carried.
    Changed,
    /// A byte that the MAC of the section covers.
    ChangedHeader,
    /// All of it is gone.
    Dropped,
}

/// Full packets of data on the section from the client to the helper, a share of them harmed.
fn harmed(setting: Setting, (harm, share): (Harm, f64)) -> (Run, Rc<Cell<u64>>) {
    let mut rng = Rng::from_u64(setting.seed ^ 0xc4a);
    let mut run = setting.start();
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    run.world.intercept(run.links[0].forth(), move |_, packet| {
        let bytes = &mut packet.payload;
        let is_data = bytes.first().is_some_and(|first| first & 0xe0 == 0x80) && bytes.len() > 2 * BLOCKS_LEN_MAX;
        if !is_data || !rng.chance(share) {
            return true;
        }
        counted.set(counted.get() + 1);
        let open = BLOCKS_LEN_MAX + HOP_COVERED_LEN..bytes.len() - HOP_TAG_LEN;
        let at = match harm {
            Harm::Changed => open.start + rng.below(open.len() as u64) as usize,
            Harm::ChangedHeader => rng.below(9 + HOP_COVERED_LEN as u64) as usize,
            Harm::Dropped => return false,
        };
        bytes[at] ^= 1 << rng.below(8);
        true
    });
    (run, count)
}

/// Packets of the end-to-end channel that the server found forged.
fn forged(run: &Run) -> u64 {
    let server = &run.sink().machine;
    server.connections().flat_map(|id| server.paths(id)).map(|path| path.stats.channel.forged).sum()
}

fn setting(seed: u64, len: u64) -> Setting {
    let mut setting = Setting::new(seed, 1);
    setting.len = len;
    for link in &mut setting.links {
        *link = link.clone().rate(20_000_000);
    }
    setting
}

#[test]
fn what_a_section_does_not_cover_is_found_changed_at_the_end_and_no_byte_of_it_gets_through() {
    for seed in 0..4 {
        // The sink asserts every byte.
        let (mut run, changed) = harmed(setting(seed, 1_000_000), (Harm::Changed, 0.02));
        run.finish(LIMIT);
        assert!(changed.get() > 5, "seed {seed}: {}", changed.get());
        assert_eq!(forged(&run), changed.get(), "seed {seed}: each at the end, and nothing else");
        assert!(stays(&run), "seed {seed}: {:?}", run.sender().app.events);
        // Control: what the section covers comes no further than to the helper.
        let (mut run, changed) = harmed(setting(seed, 1_000_000), (Harm::ChangedHeader, 0.02));
        run.finish(LIMIT);
        assert!(changed.get() > 5 && forged(&run) == 0, "seed {seed}: {} of {}", forged(&run), changed.get());
    }
}

#[test]
fn a_path_whose_packets_are_changed_is_left_like_one_whose_packets_are_dropped() {
    for seed in 0..3 {
        for harm in [Harm::Changed, Harm::Dropped] {
            let (mut run, harmed) = harmed(setting(seed, 60_000_000), (harm, 0.3));
            run.world.wait_until(Instant::from_secs(60), |world| is_direct(world, run.a));
            let at = run.world.now();
            run.world.run_until(at + Duration::from_secs(4));
            let (_, sign) = left(&run).unwrap_or_else(|| panic!("seed {seed}, {harm:?}: {} harmed", harmed.get()));
            assert!([Sign::Loss, Sign::Silent].contains(&sign), "seed {seed}, {harm:?}: {sign:?}");
            assert!(at < Instant::from_secs(30), "seed {seed}, {harm:?}: {sign:?} after {at:?}");
            let closed = |kind: &EventKind| matches!(kind, EventKind::Closed(_));
            assert!(!run.sender().app.events.iter().any(|(_, kind)| closed(kind)), "seed {seed}, {harm:?}");
        }
    }
}

/// An attacker that drops a packet takes more: the section slows down, besides.
#[test]
fn changing_packets_harms_a_transfer_less_than_dropping_as_many() {
    for (seed, share) in [(0, 0.05), (1, 0.1), (2, 0.3)] {
        let received = [Harm::Changed, Harm::Dropped].map(|harm| {
            let (mut run, _) = harmed(setting(seed, 60_000_000), (harm, share));
            run.world.run_until(Instant::from_secs(3));
            run.received()
        });
        assert!(received[0] > received[1], "seed {seed}: {received:?}");
    }
}

/// Somebody who sees packets on their way to the helper, and sends a changed copy of some that comes before the packet
/// itself: the run so far, and how many copies.
fn raced(setting: Setting, covered: bool, share: f64, until: Instant) -> (Run, u64) {
    let mut rng = Rng::from_u64(setting.seed ^ 0xace);
    let mut run = setting.start();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sees = Rc::clone(&seen);
    let (first, router) = run.world.ends(run.links[0].forth());
    assert_eq!(first, run.a);
    let last = run.world.route(router, helper_ip(0)).expect("the helper is beside the router");
    run.world.intercept(run.links[0].forth(), move |_, packet| {
        if packet.payload.first().is_some_and(|first| first & 0xe8 == 0x80) && packet.payload.len() > 2 * BLOCKS_LEN_MAX
        {
            sees.borrow_mut().push(packet.clone());
        }
        true
    });
    let mut copies = 0;
    while run.sender().app.done_at.is_none() && run.world.now() < until && run.world.step().is_some() {
        for mut packet in seen.borrow_mut().drain(..).filter(|_| rng.chance(share)) {
            let at = if covered { 10 } else { packet.payload.len() - HOP_TAG_LEN - 1 };
            packet.payload[at] ^= 1;
            run.world.inject(last, packet.src, packet.dst, packet.ecn, &packet.payload);
            copies += 1;
        }
    }
    (run, copies)
}

#[test]
fn who_sees_packets_and_is_faster_than_the_path_has_them_lost_and_gets_nothing_else() {
    for seed in 0..3 {
        // The sink asserts every byte.
        let (mut run, copies) = raced(setting(seed, 1_000_000), false, 0.02, Instant::from_secs(60));
        run.finish(LIMIT);
        assert!(copies > 5 && forged(&run) == copies, "seed {seed}: {} of {copies}", forged(&run));
        assert!(stays(&run), "seed {seed}: {:?}", run.sender().app.events);
        // Control: a copy that is changed where the section's MAC covers it takes no packet's place.
        let (mut run, copies) = raced(setting(seed, 1_000_000), true, 0.02, Instant::from_secs(60));
        let took = run.finish(LIMIT);
        assert!(copies > 5 && forged(&run) == 0, "seed {seed}: {} of {copies}", forged(&run));
        let alone = setting(seed, 1_000_000).start().finish(LIMIT);
        assert!(took.abs_diff(alone) < Duration::from_millis(1), "seed {seed}: {took:?}, without anybody {alone:?}");
    }
    // Who does it to many is left, as one that drops them is.
    let (mut run, copies) = raced(setting(4, 60_000_000), false, 0.3, Instant::from_secs(20));
    run.world.run_until(Instant::from_secs(30));
    let sign = left(&run).map(|(_, sign)| sign);
    assert!(sign.is_some_and(|sign| [Sign::Loss, Sign::Silent].contains(&sign)), "{sign:?} after {copies} copies");
}

/// The control of those before: what the judge forgives in packets that are lost it forgives in changed ones.
#[test]
fn a_few_changed_packets_are_no_more_reason_to_leave_than_as_many_lost_ones() {
    for (seed, share) in [(0, 0.01), (1, 0.03)] {
        let slow = |seed| {
            let mut setting = setting(seed, 3_000_000);
            for link in &mut setting.links {
                *link = link.clone().rate(1_500_000);
            }
            setting
        };
        let (mut run, changed) = harmed(slow(seed), (Harm::Changed, share));
        let took = run.finish(LIMIT);
        assert!(took > Duration::from_secs(16) && changed.get() > 10, "seed {seed}: {took:?}, {}", changed.get());
        assert!(stays(&run), "seed {seed}: {:?}", run.sender().app.events);
        let mut lossy = slow(seed);
        lossy.links[0] = lossy.links[0].clone().loss(Loss::Independent(share));
        let mut run = lossy.start();
        run.finish(LIMIT);
        assert!(stays(&run), "seed {seed}, lost: {:?}", run.sender().app.events);
    }
}
