//! What guests take of a line, and how their packets look on it.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use stp_guest_flood::{CALL_FILL, Flood};
use tng_base::{Ecn, Instant};
use tng_sim::Link;
use tng_sim::topology::{Dumbbell, dumbbell, ipv4};
use tng_stp_abi::Role;
use tng_stp_host::{Code, Transport};

use crate::world::{Any, Says, Setting, node_mut_of, node_of, register, seeds};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Packets of each channel by codepoint, by the id in front.
type Seen = Arc<Mutex<BTreeMap<[u8; 6], [u64; 4]>>>;

#[test]
fn every_packet_of_a_guest_leaves_not_ect_beside_streams_that_use_ect() {
    for seed in seeds(3) {
        let says = Says { amount: 1 << 30, message: 500, every: 5 * MS, ..Says::default() };
        let mut run = Setting::new(seed).saying(says).start();
        let mut seen: Vec<Seen> = Vec::new();
        for lane in run.links[0].lanes() {
            let marks = Seen::default();
            let note = Arc::clone(&marks);
            run.world.intercept(lane, move |_, packet| {
                if let (0x40..0x80, Some(id)) = (packet.payload[0], packet.payload[1..].first_chunk()) {
                    note.lock().expect("one thread").entry(*id).or_default()[packet.ecn as usize] += 1;
                }
                true
            });
            seen.push(marks);
        }
        run.connect(&Code::native::<Flood>("flood"));
        run.pass(SECOND);
        let guests: Vec<Vec<[u8; 6]>> =
            seen.iter().map(|marks| marks.lock().expect("one thread").keys().copied().collect()).collect();
        assert!(guests.iter().all(|ids| ids.len() == 1), "one channel, and nothing else: {guests:?}");
        run.stream();
        run.pass(3 * SECOND);
        for (marks, guest) in seen.iter().zip(guests) {
            for (id, counts) in marks.lock().expect("one thread").iter() {
                let (not_ect, ect) = (counts[Ecn::NotEct as usize], counts[Ecn::Ect0 as usize]);
                if guest.contains(id) {
                    assert!(not_ect > 500 && ect == 0, "seed {seed}: {counts:?}");
                } else {
                    assert!(ect > 500 && not_ect < ect / 50, "seed {seed}: {counts:?}");
                }
            }
        }
    }
}

/// Bytes that came in half a minute, of the guests, of the pair's stream, and of another pair's stream.
fn shares(seed: u64, policed: bool) -> [u64; 3] {
    let setting = Setting { policed, ..Setting::new(seed) };
    let access = Link::new().rate(100_000_000).delay(MS);
    let line = Link::new().rate(10_000_000).delay(20 * MS);
    let pairs = [(0, 1), (2, 3)].map(|(left, right)| (setting.node(left), setting.node(right)));
    let mut there = dumbbell(seed, &access, &line, pairs.into());
    let (world, left, right) = (&mut there.world, &there.left, &there.right);
    let code = Code::native::<Flood>("flood");
    let [near, far] = [0, 1].map(|at| setting.workshop(at));
    register(&mut node_mut_of(world, right[0]).machine, &far, &code);
    let target = |at: usize| setting.target(2 * at as u8 + 1, ipv4(2 * at as u16 + 1));
    for (at, id) in left.iter().enumerate() {
        let now = world.now();
        node_mut_of(world, *id).machine.connect(now, target(at)).expect("an address");
    }
    world.run_until(Instant::from_secs(2));
    for _ in 0..2 {
        let now = world.now();
        let guest = near.transport(&code, Role::Initiator).expect("room");
        let host = &mut node_mut_of(world, left[0]).machine;
        let id = host.connect_speaking(now, target(0), &code.protocol(), Box::new(guest)).expect("an address");
        world.run_until(now + 500 * MS);
        let guest: &mut Transport = node_mut_of(world, left[0]).machine.protocol_as(id).expect("it is there");
        guest.call_guest(CALL_FILL, &[1]).expect("flood fills");
    }
    world.run_until(Instant::from_secs(10));
    let before = came(&there);
    there.world.run_until(Instant::from_secs(40));
    let after = came(&there);
    core::array::from_fn(|at| after[at] - before[at])
}

/// Bytes that have come over the line: what floods sent, and what streams brought.
fn came(there: &Dumbbell<Any>) -> [u64; 3] {
    let streamed = [0, 1].map(|at| node_of(&there.world, there.right[at]).app.streamed);
    let all = there.world.stats(there.access_right[0].back()).delivered_bytes;
    [all.saturating_sub(streamed[0]), streamed[0], streamed[1]]
}

#[test]
fn guests_and_streams_to_one_host_have_one_share_of_a_line() {
    let (mut pair, mut streamed, mut runs) = (0.0, 0.0, 0.0);
    for seed in seeds(3) {
        let [guests, streams, others] = shares(seed, true).map(|bytes| bytes as f64);
        println!("guests {guests}, streams {streams}, the other pair {others}");
        let (part, of_it) = ((guests + streams) / (guests + streams + others), streams / (guests + streams));
        assert!(part < 0.66 && of_it > 0.2, "seed {seed}: {part} of the line, {of_it} of it for streams");
        (pair, streamed, runs) = (pair + part, streamed + of_it, runs + 1.0);
    }
    assert!(pair / runs < 0.62 && streamed / runs > 0.25, "in the mean {} and {}", pair / runs, streamed / runs);
}

#[test]
fn without_the_policer_guests_take_a_line_for_themselves() {
    for seed in seeds(1) {
        let [guests, streams, others] = shares(seed, false);
        assert!(guests > 9 * (streams + others), "{guests}, {streams}, {others}");
    }
}
