//! The template: messages arrive in order, once, whatever the link does.

use stp_guest_harness::{LinkConfig, Rng, World};
use stp_guest_template::StopAndWait;

#[test]
fn messages_arrive_in_order_and_once_both_ways_at_any_loss() {
    for (seed, loss) in [0.0, 0.05, 0.2, 0.5].into_iter().enumerate() {
        let link = LinkConfig { loss, held: 0.1, doubled: 0.1, delay_us: 5_000, ..LinkConfig::default() };
        let mut world: World<StopAndWait, StopAndWait> = World::new(link.clone(), link, seed as u64);
        world.begin();
        let sent: Vec<Vec<u8>> = (0..200).map(|number| vec![number; 1 + 5 * usize::from(number)]).collect();
        for message in &sent {
            world.write_a(message);
            world.write_b(message);
        }
        world.close_a();
        let (mut at_a, mut at_b) = (Vec::new(), Vec::new());
        for _ in 0..1_000 {
            world.run_ms(1_000);
            at_a.extend(world.read_a());
            at_b.extend(world.read_b());
        }
        assert!(at_a == sent && at_b == sent, "at a loss of {loss}");
        assert!(world.a.done && !world.b.done);
        assert_eq!((world.a.facts.unproven, world.a.facts.refused), (0, 0));
    }
}

#[test]
fn segments_cut_off_and_made_up_do_not_panic() {
    let mut rng = Rng(5);
    let mut world: World<StopAndWait, StopAndWait> = World::new(LinkConfig::default(), LinkConfig::default(), 1);
    world.begin();
    for _ in 0..2_000 {
        world.write_a(&[1; 30]);
        world.run_ms(20);
        world.forge(|bytes| {
            let bit = rng.below(8 * bytes.len() as u64) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes.truncate(rng.below(40) as usize);
            rng.chance(0.3)
        });
        world.read_b();
    }
}
