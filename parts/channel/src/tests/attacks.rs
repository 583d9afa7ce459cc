//! What an attacker tries, with keys and without. Each defence is tested against its absence, too, where it can be
//! taken away.

use crate::wire::{ACK_RANGES_MAX, FirstByte, NUMBER_AT};
use crate::{Discard, RANGES_MAX, UNSENT_ACKNOWLEDGED};
use tng_base::{Ecn, RangeSet, Rng};

use super::world::{MTU, Pipe, Verdict, World, ack_of, at, first, forge, ms};

#[test]
fn forged_and_repeated_packets_change_nothing() {
    let mut world = World::new(1, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.ends[0].copies = Some(Vec::new());
    world.ends[0].toy.send(0..5);
    world.flush();
    // One of five packets arrives by a quicker way.
    let honest = world.ends[0].copies.take().unwrap().remove(2);
    world.deliver(1, Ecn::NotEct, &honest).unwrap();
    world.flush();
    let mut rng = Rng::from_u64(1);
    let before = world.ends[1].channel.poll_timeout(None);
    for i in 0..20_000u64 {
        let mut packet = honest.clone();
        match i % 3 {
            // A repeated packet.
            0 => {}
            // Any number at all.
            1 => rng.fill(&mut packet[NUMBER_AT..NUMBER_AT + 4]),
            // Anything at all, addressed to this channel.
            _ => {
                packet.truncate(7 + rng.below(60) as usize);
                rng.fill(&mut packet[7..]);
            }
        }
        let end = &mut world.ends[1];
        let result = end.channel.handle_packet(world.now, Ecn::Ce, &mut packet, None, &mut end.toy);
        assert!(
            matches!(result, Err(Discard::Forged | Discard::Replayed | Discard::TooOld | Discard::TooShort)),
            "{i}: {result:?}"
        );
    }
    assert_eq!(world.ends[1].channel.poll_timeout(None), before);
    assert_eq!(world.ends[1].channel.stats().marks_received, 0);
    // Those in the pipe are all accepted, the copy of the one is not.
    let received = world.ends[1].channel.stats().packets_received;
    world.run(at(2_010));
    assert_eq!(world.ends[1].channel.stats().packets_received - received, 4);
    assert!(world.run(at(5_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 5);
}

#[test]
fn only_the_window_stands_between_a_copy_and_its_effect() {
    let mut world = World::new(9, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.ends[1].toy.verdict = Verdict::Ignore;
    let packet = forge(&world, 0, 40, first(false, false), &[1; 8]);
    assert!(world.deliver(1, Ecn::NotEct, &packet).is_ok());
    assert_eq!(world.deliver(1, Ecn::NotEct, &packet), Err(Discard::Replayed));
    world.ends[1].channel.forget_received(at(2_000));
    assert!(world.deliver(1, Ecn::NotEct, &packet).is_ok(), "with the window gone, the same copy passes");
}

#[test]
fn a_packet_below_the_window_is_too_old() {
    let mut world = World::new(2, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    for (number, ok) in [(20_000, true), (19_000, true), (19_000, false), (12_000, true), (11_700, false), (50, false)]
    {
        let packet = forge(&world, 0, number, first(false, false), &[1; 8]);
        let result = world.deliver(1, Ecn::NotEct, &packet);
        assert_eq!(result.is_ok(), ok, "{number}: {result:?}");
    }
    assert_eq!(world.ends[1].discards, [Discard::Replayed, Discard::TooOld, Discard::TooOld]);
}

#[test]
fn an_acknowledgment_of_an_unsent_packet_closes() {
    let mut world = World::new(3, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    let next = world.ends[1].sent.last().map_or(1, |(_, s)| s.number + 1);
    for (upto, ok) in [(next, true), (next + 1, false)] {
        let mut set = RangeSet::new();
        set.insert(0..upto);
        let packet = forge(&world, 0, 100 + upto, first(true, false), &ack_of(&set));
        match world.deliver(1, Ecn::NotEct, &packet) {
            Err(Discard::Violation(v)) => assert!(!ok && v.code == UNSENT_ACKNOWLEDGED, "{v:?}"),
            other => assert!(ok, "{upto}: {other:?}"),
        }
    }
}

/// How many seeds: what is asked for by `TNG_SEEDS`, else as many as take no time.
fn seeds(usual: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// What came of a peer that acknowledges everything as soon as it can.
struct Optimist {
    /// Packets sent until it was caught, or none within 1000.
    caught: Option<usize>,
    /// The largest window over that of an honest receiver's sender, packet for packet.
    gain: f64,
}

/// The peer sees nothing, and acknowledges everything up to the newest number, guessing at the numbers. Beside it, in
/// the same steps, somebody acknowledges what was sent and nothing else.
fn optimist(seed: u64, controller: &str, skips: bool) -> Optimist {
    let begin = || {
        let mut world = World::new(seed, Pipe::perfect(ms(10)));
        world.run(at(2_000));
        world.ends[0].regulation = super::world::regulation(controller);
        world.ends[0].pipe.loss = 1.0;
        world.ends[0].toy.send(0..100_000);
        let before = world.ends[0].sent.len();
        (world, before)
    };
    let ((mut world, before), (mut honest, _)) = (begin(), begin());
    if !skips {
        world.ends[0].channel.stop_skipping();
    }
    let window = |world: &World| world.ends[0].regulation.as_ref().map_or(0, |regulation| regulation.window());
    let mut gain = 0.0_f64;
    for guess in 0.. {
        for which in [&mut world, &mut honest] {
            which.flush();
            which.now += ms(10);
        }
        let sent = world.ends[0].sent.len() - before;
        if sent > 1_000 {
            return Optimist { caught: None, gain };
        }
        let mut set = RangeSet::new();
        for (_, sealed) in &honest.ends[0].sent {
            set.insert(sealed.number..sealed.number + 1);
        }
        let packet = forge(&honest, 1, 1_000 + guess, first(true, false), &ack_of(&set));
        assert!(honest.deliver(0, Ecn::NotEct, &packet).is_ok(), "seed {seed}: the honest one is believed");
        let mut set = RangeSet::new();
        set.insert(0..world.ends[0].sent.last().map_or(0, |(_, sealed)| sealed.number) + 1);
        let packet = forge(&world, 1, 1_000 + guess, first(true, false), &ack_of(&set));
        match world.deliver(0, Ecn::NotEct, &packet) {
            Err(Discard::Violation(v)) if v.code == UNSENT_ACKNOWLEDGED => {
                return Optimist { caught: Some(sent), gain };
            }
            other => assert!(other.is_ok(), "seed {seed}: {other:?}"),
        }
        gain = gain.max(window(&world) as f64 / window(&honest) as f64);
    }
    Optimist { caught: None, gain }
}

/// The full count is `TNG_SEEDS=1000` with each controller.
#[test]
fn whoever_acknowledges_what_did_not_arrive_is_caught() {
    for controller in ["newreno", "cubic"] {
        for seed in 0..seeds(20) {
            let Optimist { caught, gain } = optimist(seed, controller, true);
            assert!(caught.is_some_and(|packets| packets <= 500), "{controller}, seed {seed}: caught after {caught:?}");
            assert!(gain <= 1.1, "{controller}, seed {seed}: {gain} times an honest receiver's window");
        }
        let control = optimist(0, controller, false);
        assert_eq!(control.caught, None, "{controller}: without skipped numbers nobody would notice");
    }
}

/// A million by `TNG_SEEDS=1000000`: numbers up to the largest that four bytes can name beyond what was received.
#[test]
fn a_forged_number_far_ahead_moves_nothing_and_a_true_one_everything() {
    let mut world = World::new(10, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.ends[1].toy.verdict = Verdict::Ignore;
    let mut rng = Rng::from_u64(10);
    for i in 0..seeds(20_000) {
        let number = 100 + rng.below(1 << 31);
        let mut packet = forge(&world, 0, number, first(false, false), &[1; 8]);
        let last = packet.len() - 1;
        packet[last - rng.below(16) as usize] ^= 1 << rng.below(8);
        let result = world.deliver(1, Ecn::NotEct, &packet);
        // A bit of the sample leads the number astray, too.
        assert!(
            matches!(result, Err(Discard::Forged | Discard::TooOld | Discard::Replayed)),
            "{i}: number {number}: {result:?}"
        );
        world.ends[1].discards.clear();
    }
    let honest = forge(&world, 0, 50, first(false, false), &[1; 8]);
    assert!(world.deliver(1, Ecn::NotEct, &honest).is_ok());
    // Control: with the keys, one such number closes the window to all that is behind it.
    let far = forge(&world, 0, 1 << 30, first(false, false), &[1; 8]);
    assert!(world.deliver(1, Ecn::NotEct, &far).is_ok());
    let honest = forge(&world, 0, 51, first(false, false), &[1; 8]);
    assert_ne!(world.deliver(1, Ecn::NotEct, &honest).map(|_| ()), Ok(()));
}

#[test]
fn an_honest_receiver_is_never_accused() {
    let mut world = World::new(4, Pipe::perfect(ms(10)));
    world.ends[0].toy.send(0..5_000);
    assert!(world.run(at(60_000)));
    let sent = &world.ends[0].sent;
    let skipped = sent.windows(2).filter(|w| w[1].1.number != w[0].1.number + 1).count();
    assert!(skipped > 5, "{skipped} numbers were skipped");
    assert!(world.ends.iter().all(|end| end.discards.is_empty()));
}

#[test]
fn a_bomb_of_gaps_stays_within_the_bound_of_ranges() {
    let mut world = World::new(5, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    let mut longest = 0;
    let mut buf = vec![0; MTU];
    for i in 0..20_000u64 {
        let packet = forge(&world, 0, 100 + 2 * i, first(false, false), &[1; 8]);
        world.deliver(1, Ecn::NotEct, &packet).unwrap();
        if i % 8 == 0 {
            let end = &mut world.ends[1];
            let poll = end.channel.poll_packet(world.now, end.regulation.as_mut(), &mut buf, &mut end.toy);
            let crate::Poll::Packet(sealed) = poll else { panic!("gaps are acknowledged at once") };
            longest = longest.max(sealed.len);
        }
    }
    assert!(longest <= NUMBER_AT + 4 + 16 + 10 + 2 * RANGES_MAX, "{longest}");
    assert!(longest > 2 * (ACK_RANGES_MAX - 1), "the bound was reached");
}

#[test]
fn whatever_an_authentic_packet_holds_is_taken_or_refused_with_a_reason() {
    let mut world = World::new(6, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.ends[1].toy.verdict = Verdict::Ignore;
    let mut rng = Rng::from_u64(6);
    let (mut taken, mut refused) = (0, 0);
    for number in 100..20_000u64 {
        let mut content = vec![0; rng.below(80) as usize];
        rng.fill(&mut content);
        // Small bytes make likelier frames.
        if rng.chance(0.7) {
            content.iter_mut().for_each(|b| *b &= 0x1f);
        }
        let packet = forge(&world, 0, number, FirstByte { ..first(rng.chance(0.5), rng.chance(0.5)) }, &content);
        match world.deliver(1, Ecn::NotEct, &packet) {
            Ok(_) => taken += 1,
            Err(Discard::Violation(v)) => {
                assert!([1, UNSENT_ACKNOWLEDGED].contains(&v.code));
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
        world.flush();
    }
    assert!(taken > 1_000 && refused > 1_000, "{taken} {refused}");
}

#[test]
fn what_is_not_a_channel_packet_is_foreign() {
    let mut world = World::new(7, Pipe::perfect(ms(10)));
    for byte in [0x00, 0x0f, 0x80, 0xc0, 0xff] {
        assert_eq!(world.deliver(1, Ecn::NotEct, &[byte; 100]), Err(Discard::Foreign));
    }
    assert_eq!(world.deliver(1, Ecn::NotEct, &[]), Err(Discard::TooShort));
    assert_eq!(world.deliver(1, Ecn::NotEct, &[0x40; 20]), Err(Discard::TooShort));
}

#[test]
fn the_window_grows_with_the_pace_only() {
    for (pace_us, remembered) in [(1_000, false), (10, true)] {
        let mut world = World::new(8, Pipe::perfect(ms(10)));
        world.run(at(2_000));
        for number in 100..50_000u64 {
            world.now += std::time::Duration::from_micros(pace_us);
            let packet = forge(&world, 0, number, first(false, false), &[1; 8]);
            world.deliver(1, Ecn::NotEct, &packet).unwrap();
            world.flush();
        }
        let packet = forge(&world, 0, 30_000, first(false, false), &[1; 8]);
        let wanted = if remembered { Discard::Replayed } else { Discard::TooOld };
        assert_eq!(world.deliver(1, Ecn::NotEct, &packet), Err(wanted), "{pace_us} us between packets");
    }
}
