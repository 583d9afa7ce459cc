//! Each transport of messages carries them, and does what it is for.

use stp_guest_datagrams::{
    CALL_CCID, CALL_DEADLINE, Dccp, LOST_BEHIND, Media, Rap, STREAMS, Sctp, Tfrc, ThreeWay, Ttcp,
};
use stp_guest_harness::{LinkConfig, Rng, World, mix};
use tng_stp_abi::{Guest, Refused};

/// A line of 250 kB/s and 100 ms.
fn line() -> LinkConfig {
    LinkConfig { delay_us: 50_000, rate: 250_000, queue: 100_000, ..LinkConfig::default() }
}

fn lossy(loss: f64) -> LinkConfig {
    LinkConfig { loss, held: 0.02, doubled: 0.01, ..line() }
}

fn message(number: u64, len: usize) -> Vec<u8> {
    let rest = (8..len as u64).map(|at| mix(number + at) as u8);
    number.to_le_bytes().into_iter().chain(rest).collect()
}

/// Messages, one in `every_ms`: those that came, in their order, with the millisecond in which each did.
fn carry<G: Guest>(world: &mut World<G, G>, count: u64, len: usize, every_ms: u64) -> Vec<(u64, u64)> {
    let mut came = Vec::new();
    let mut read = |world: &mut World<G, G>| {
        for bytes in world.read_b() {
            let number = bytes.first_chunk().map_or(u64::MAX, |number| u64::from_le_bytes(*number));
            assert!(bytes == message(number, len), "message {number} is another one");
            came.push((number, world.now / 1_000));
        }
    };
    for number in 0..count {
        world.write_a(&message(number, len));
        for _ in 0..every_ms {
            world.run_ms(1);
            read(world);
        }
    }
    for _ in 0..60_000 {
        world.run_ms(1);
        read(world);
    }
    came
}

fn world<G: Guest>(there: LinkConfig, seed: u64) -> World<G, G> {
    let mut world = World::new(there, lossy(0.0), seed);
    world.begin();
    world
}

/// All numbers that came, each once.
fn numbers(came: &[(u64, u64)]) -> Vec<u64> {
    let mut numbers: Vec<u64> = came.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    let before = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), before, "a message came twice");
    numbers
}

fn once<G: Guest>() {
    for (loss, least) in [(0.0, 500), (0.02, 450)] {
        let mut world: World<G, G> = world(lossy(loss), 1);
        let came = numbers(&carry(&mut world, 500, 400, 20)).len();
        assert!(came >= least && world.a.facts.unproven == 0 && world.a.error.is_none(), "{came} of {loss}");
        world.close_a();
        world.run_ms(5_000);
        assert!(world.a.done, "it takes its leave");
    }
}

#[test]
fn tfrc_rap_and_dccp_send_a_message_once() {
    once::<Tfrc>();
    once::<Rap>();
    once::<Dccp>();
}

fn always<G: Guest>() {
    for loss in [0.0, 0.05, 0.2] {
        for seed in 0..4 {
            let mut world: World<G, G> = world(lossy(loss), seed);
            let came = numbers(&carry(&mut world, 100, 400, 300));
            assert_eq!(came, (0..100).collect::<Vec<_>>(), "loss {loss}, seed {seed}: {:?}", world.a.facts);
            assert_eq!((world.a.facts.unproven, world.b.kept()), (0, 0));
        }
    }
}

#[test]
fn sctp_and_t_tcp_send_a_message_until_it_has_come() {
    always::<Sctp>();
    always::<Ttcp>();
    always::<ThreeWay>();
}

/// Keeps the line full for half a minute; bytes that arrive a second.
fn full<G: Guest>(there: LinkConfig, ccid: Option<u8>) -> u64 {
    let mut world: World<G, G> = world(there, 3);
    if let Some(ccid) = ccid {
        world.with_a(|guest, host| {
            let mut bytes = [ccid; 1];
            assert_eq!(guest.call(host, CALL_CCID, &mut bytes, 1), Ok(0));
        });
    }
    let mut bytes = 0;
    for number in 0..6_000 {
        for part in 0..8 {
            if world.a.sending.1.len() < 60_000 {
                world.write_a(&message(8 * number + part, 1_000));
            }
        }
        world.run_ms(5);
        bytes += world.read_b().iter().map(|it| it.len() as u64).sum::<u64>();
    }
    bytes / 30
}

#[test]
fn what_controls_congestion_fills_a_line_and_gives_way_to_losses() {
    let clean = LinkConfig { queue: 30_000, ..line() };
    let noisy = LinkConfig { loss: 0.05, ..line() };
    let run = |link: &LinkConfig| {
        [
            full::<Tfrc>(link.clone(), None),
            full::<Rap>(link.clone(), None),
            full::<Dccp>(link.clone(), Some(2)),
            full::<Dccp>(link.clone(), Some(3)),
        ]
    };
    let (clean, noisy) = (run(&clean), run(&noisy));
    println!("clean {clean:?}, noisy {noisy:?}");
    assert!(clean.iter().all(|rate| *rate > 120_000) && noisy.iter().all(|rate| (10_000..110_000).contains(rate)));
}

#[test]
fn dccp_has_no_ccid_but_two_and_three() {
    let mut world: World<Dccp, Dccp> = world(line(), 1);
    world.with_a(|guest, host| {
        for ccid in (0..=255).filter(|ccid| ![2, 3].contains(ccid)) {
            assert_eq!(guest.call(host, CALL_CCID, &mut [ccid], 1), Err(Refused::NotThere));
        }
        assert_eq!(guest.call(host, 9, &mut [2], 1), Err(Refused::NotThere));
    });
}

/// Milliseconds until a request has its answer, of the second transaction.
fn transaction<G: Guest>() -> u64 {
    let mut world: World<G, G> = world(line(), 1);
    let mut took = 0;
    for number in 0..2 {
        let began = world.now;
        world.write_a(&message(number, 100));
        let (mut asked, mut answered) = (false, false);
        while !answered {
            world.run_ms(1);
            if !world.read_b().is_empty() && !core::mem::replace(&mut asked, true) {
                world.write_b(&message(number, 50));
            }
            answered = !world.read_a().is_empty();
        }
        took = (world.now - began) / 1_000;
        world.run_ms(1_000);
    }
    took
}

#[test]
fn a_transaction_of_t_tcp_takes_a_round_trip_less_than_one_with_a_handshake() {
    let (t_tcp, three_way) = (transaction::<Ttcp>(), transaction::<ThreeWay>());
    println!("t/tcp {t_tcp} ms, three-way {three_way} ms");
    assert!((100..130).contains(&t_tcp) && (200..240).contains(&three_way));
}

/// One in which a segment is lost.
fn world_of<G: Guest>(lost: u64) -> World<G, G> {
    world(LinkConfig { lost: vec![lost], ..line() }, 1)
}

#[test]
fn a_message_of_sctp_waits_for_its_own_stream_alone() {
    let mut world: World<Sctp, Sctp> = world_of(20);
    let came = carry(&mut world, 60, 400, 30);
    let late: Vec<u64> = came.iter().filter(|(number, at)| at - 30 * number > 80).map(|(number, _)| *number).collect();
    assert_eq!(late, [20], "those of the other {} streams do not wait for it", STREAMS - 1);
    // In one stream they do.
    let mut world: World<Sctp, Sctp> = world_of(20);
    let mut came = Vec::new();
    for number in 0..60 {
        world.write_a(&message(STREAMS as u64 * number, 400));
        for _ in 0..30 {
            world.run_ms(1);
            came.extend(
                world.read_b().iter().map(|bytes| (u64::from(bytes[0]) | u64::from(bytes[1]) << 8, world.now / 1_000)),
            );
        }
    }
    assert!(came.is_sorted_by_key(|(number, _)| *number) && came.len() > 55);
    let late = came.iter().filter(|(number, at)| at - 30 * (number / STREAMS as u64) > 80).count();
    assert!(late >= 3, "{late}");
}

#[test]
fn what_sctp_has_on_a_path_that_goes_away_leaves_again_on_the_next() {
    let mut world: World<Sctp, Sctp> = world(line(), 1);
    world.links[0].config.loss = 1.0;
    for number in 0..5 {
        world.write_a(&message(number, 400));
    }
    world.run_ms(20);
    world.links[0].config.loss = 0.0;
    world.with_a(|guest, host| guest.path_changed(host));
    world.run_ms(120);
    assert_eq!(world.read_b().len(), 5, "within a round trip, and no timer");
}

#[test]
fn media_makes_up_for_one_of_a_group_and_drops_what_is_too_late() {
    let parity = |lost: &[u64]| {
        let mut world: World<Media, Media> = world(LinkConfig { lost: lost.to_vec(), ..line() }, 1);
        let came = carry(&mut world, 40, 200, 20);
        let slow = came.iter().map(|(number, at)| at - 20 * number).max().unwrap_or(0);
        (numbers(&came).len(), slow)
    };
    // Segments are four messages and their parity.
    let (one, slow) = parity(&[11]);
    assert!(one == 40 && slow < 200, "{one} came, the slowest after {slow} ms");
    assert_eq!(parity(&[11, 12]).0, 38, "two of a group are gone");
    let mut world: World<Media, Media> = world(LinkConfig::default(), 1);
    world.with_a(|guest, host| {
        assert_eq!(guest.call(host, CALL_DEADLINE, &mut [50, 0], 2), Ok(0));
    });
    world.a.rate = Some(2_000);
    for number in 0..40 {
        world.write_a(&message(number, 500));
    }
    world.run_ms(20_000);
    let came = world.read_b().len();
    assert!((1..10).contains(&came), "{came} in time");
}

#[test]
fn segments_cut_off_flipped_and_made_up_do_not_panic() {
    fn run<G: Guest>() {
        let mut rng = Rng(7);
        for seed in 0..20 {
            let mut world: World<G, G> = world(lossy(0.02), seed);
            for number in 0..40 {
                world.write_a(&message(number, 300));
                world.write_b(&message(number, 300));
                world.run_ms(10);
                world.forge(|bytes| {
                    match rng.below(3) {
                        0 => bytes.truncate(rng.below(bytes.len() as u64) as usize),
                        1 => bytes.iter_mut().take(100).for_each(|byte| *byte = rng.draw() as u8),
                        _ => {
                            let bit = rng.below(8 * bytes.len().min(96) as u64);
                            bytes[bit as usize / 8] ^= 1 << (bit % 8);
                        }
                    }
                    rng.chance(0.3)
                });
            }
        }
    }
    run::<Tfrc>();
    run::<Rap>();
    run::<Dccp>();
    run::<Sctp>();
    run::<Ttcp>();
    run::<Media>();
    assert_eq!(LOST_BEHIND, 3);
}
