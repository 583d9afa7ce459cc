//! UDP Flood: messages, once each, as fast as they may.

use stp_guest_flood::{CALL_FILL, Flood};
use stp_guest_harness::{LinkConfig, Rng, World};
use tng_stp_abi::{Guest, Refused};

#[test]
fn messages_arrive_as_they_were_at_most_once_and_lost_ones_never() {
    let there = LinkConfig { loss: 0.1, held: 0.1, doubled: 0.05, ..LinkConfig::default() };
    let mut world: World<Flood, Flood> = World::new(there, LinkConfig::default(), 1);
    world.a.rate = Some(100_000);
    world.begin();
    let mut got = Vec::new();
    for number in 0..1_000u16 {
        world.write_a(&[number.to_le_bytes().as_slice(), &vec![7; usize::from(number)]].concat());
        world.run_ms(7);
        got.extend(world.read_b());
    }
    world.run_ms(10_000);
    got.extend(world.read_b());
    let mut numbers: Vec<u16> = Vec::new();
    for message in got {
        let number = u16::from_le_bytes([message[0], message[1]]);
        assert_eq!(message.len(), 2 + usize::from(number));
        numbers.push(number);
    }
    let lost = world.links[0].lost as usize;
    assert_eq!(numbers.len() + lost, 1_000);
    numbers.sort_unstable();
    assert!(lost > 50 && numbers.is_sorted_by(|a, b| a < b));
    assert_eq!(
        (world.a.facts.unproven, world.a.facts.refused, world.b.facts.refused),
        (0, 0, 0),
        "{:?}",
        world.b.facts
    );
    assert!(world.b.facts.acknowledgments >= 400 && world.a.sending.1.is_empty());
    world.close_a();
    assert!(world.a.done);
}

#[test]
fn a_message_that_no_segment_holds_is_dropped_and_told_to_people() {
    let mut world: World<Flood, Flood> = World::new(LinkConfig::default(), LinkConfig::default(), 1);
    world.begin();
    world.write_a(&[1; 1_199]);
    world.write_a(&[2; 1_198]);
    world.run_ms(1_000);
    assert_eq!((world.read_b(), world.a.lines.len()), (vec![vec![2; 1_198]], 1));
}

#[test]
fn who_is_told_to_fill_the_line_does_so_as_fast_as_the_policer_lets_it_until_told_otherwise() {
    let mut world: World<Flood, Flood> = World::new(LinkConfig::default(), LinkConfig::default(), 1);
    world.a.rate = Some(100_000);
    world.begin();
    let call = |world: &mut World<Flood, Flood>, said: u8| {
        let mut answer = Err(Refused::Closed);
        world.with_a(|guest, host| answer = guest.call(host, CALL_FILL, &mut [said], 1));
        answer
    };
    assert_eq!(call(&mut world, 1), Ok(0));
    world.run_ms(10_000);
    let sent = world.a.facts.numbered * 1_200;
    assert!((990_000..1_010_000).contains(&sent), "{sent}");
    assert_eq!((world.a.facts.unproven, world.b.unread()), (0, 0));
    assert_eq!(call(&mut world, 2), Err(Refused::NotThere));
    assert_eq!(call(&mut world, 0), Ok(0));
    let facts = world.a.facts;
    world.run_ms(10_000);
    assert_eq!(world.a.facts.numbered, facts.numbered);
}

#[test]
fn segments_cut_off_flipped_and_made_up_do_not_panic() {
    let mut rng = Rng(3);
    let mut world: World<Flood, Flood> = World::new(LinkConfig::default(), LinkConfig::default(), 1);
    world.begin();
    for _ in 0..500 {
        world.write_a(&[1; 100]);
        world.write_b(&[1; 100]);
        world.run_ms(1);
        world.forge(|bytes| {
            let bit = rng.below(8 * bytes.len() as u64) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
            if rng.chance(0.3) {
                bytes.truncate(rng.below(40) as usize);
            }
            rng.chance(0.3)
        });
        world.read_a();
        world.read_b();
    }
}
