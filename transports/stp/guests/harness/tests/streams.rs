//! NewReno and SACK: streams arrive as they were, whatever the link does.

use stp_guest_harness::{Facts, LinkConfig, Rng, Run, World, pattern, whole};
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng_stp_abi::Guest;

const SECOND: u64 = 1_000_000;

fn lossy(loss: f64) -> LinkConfig {
    LinkConfig { loss, held: 0.02, doubled: 0.01, ..LinkConfig::default() }
}

fn at_any_loss<G: Guest>() {
    for loss in [0.0, 0.001, 0.01, 0.05, 0.1, 0.2] {
        for seed in 0..6 {
            whole::<G, G>([200_000, 0], lossy(loss), lossy(loss), seed);
            whole::<G, G>([60_000, 90_000], lossy(loss), lossy(loss), 100 + seed);
        }
    }
}

#[test]
fn streams_of_newreno_arrive_whole_one_way_and_both_at_any_loss() {
    at_any_loss::<NewReno>();
}

#[test]
fn streams_of_sack_arrive_whole_one_way_and_both_at_any_loss() {
    at_any_loss::<Sack>();
}

fn without_loss<G: Guest>() {
    let slow = LinkConfig { queue: 400_000, ..LinkConfig::default() };
    let (took, facts) = whole::<G, G>([2_000_000, 0], slow.clone(), slow, 1);
    assert_eq!(facts.resent, 0);
    let rate = 2_000_000 * SECOND / took;
    assert!(rate > 1_000_000, "{rate} of 1,250,000 bytes a second");
}

#[test]
fn a_line_without_loss_is_filled_and_nothing_is_sent_twice() {
    without_loss::<NewReno>();
    without_loss::<Sack>();
}

#[test]
fn an_empty_stream_ends() {
    whole::<NewReno, NewReno>([0, 0], LinkConfig::default(), LinkConfig::default(), 1);
    whole::<Sack, Sack>([1, 0], LinkConfig::default(), LinkConfig::default(), 1);
}

#[test]
fn sack_is_faster_than_newreno_where_two_to_four_in_a_row_are_lost() {
    // WAN 1 of the paper: 2 Mbit/s, 100 ms.
    let bursts = Some((100, 2, 4));
    let there = LinkConfig { delay_us: 50_000, rate: 250_000, queue: 64_000, bursts, ..LinkConfig::default() };
    let back = LinkConfig { delay_us: 50_000, ..LinkConfig::default() };
    let mean = |runs: fn([usize; 2], LinkConfig, LinkConfig, u64) -> (u64, Facts)| {
        (0..20).map(|seed| runs([1_000_000, 0], there.clone(), back.clone(), seed).0).sum::<u64>() / 20
    };
    let (newreno, sack) = (mean(whole::<NewReno, NewReno>), mean(whole::<Sack, Sack>));
    println!("newreno {newreno} us, sack {sack} us");
    assert!(10 * sack < 9 * newreno, "newreno {newreno}, sack {sack}");
}

fn late<G: Guest>() {
    let mut run: Run<G> = Run::new(LinkConfig::default(), LinkConfig::default(), 3);
    run.world.begin_a();
    run.world.write_a(&pattern(50_000, 3));
    run.world.close_a();
    run.world.run_ms(4_000);
    assert_eq!(run.world.b.facts, Facts::default());
    run.world.begin_b();
    run.left[1] = pattern(50_000, 4).into();
    run.finish(60 * SECOND);
    assert_eq!((run.got[1].len(), run.got[0].len()), (50_000, 50_000));
}

#[test]
fn a_peer_whose_guest_is_attached_seconds_later_gets_everything() {
    late::<NewReno>();
    late::<Sack>();
}

fn closed_window<G: Guest>() {
    let mut run: Run<G> = Run::new(lossy(0.05), lossy(0.05), 9);
    run.world.b.receive_buffer = 20_000;
    run.world.begin();
    let bytes = pattern(100_000, 9);
    run.world.write_a(&bytes);
    run.world.close_a();
    run.world.close_b();
    let mut got = Vec::new();
    // The application sleeps for long, and reads then.
    for _ in 0..400 {
        run.world.run_ms(10_000);
        assert!(run.world.b.unread() <= 20_000);
        got.extend(run.world.read_b().concat());
        if run.world.b.ended && run.world.b.unread() == 0 {
            break;
        }
    }
    assert!(got == bytes, "{} of {}: {:?}", got.len(), bytes.len(), run.world.a.facts);
}

#[test]
fn a_closed_window_is_probed_until_it_opens() {
    closed_window::<NewReno>();
    closed_window::<Sack>();
}

fn policed<G: Guest>() {
    let mut run: Run<G> = Run::new(lossy(0.01), lossy(0.01), 5);
    run.world.a.rate = Some(30_000);
    run.left[0] = pattern(300_000, 5).into();
    run.world.begin();
    let took = run.finish(60 * SECOND);
    assert!(run.got[1] == pattern(300_000, 5));
    let facts = run.world.a.facts;
    assert!((9 * SECOND..14 * SECOND).contains(&took), "{took}");
    assert!(facts.blocked <= facts.numbered + 5, "it asks once for each segment: {facts:?}");
}

#[test]
fn who_is_refused_waits_for_the_policers_call() {
    policed::<NewReno>();
    policed::<Sack>();
}

fn many_small<G: Guest>() {
    let mut world: World<G, G> = World::new(lossy(0.01), lossy(0.01), 2);
    world.begin();
    let bytes = pattern(20_000, 2);
    let mut got = Vec::new();
    for byte in bytes.chunks(1) {
        world.write_a(byte);
        world.run_ms(u64::from(byte[0] == 0));
        got.extend(world.read_b().concat());
    }
    world.run_ms(60_000);
    got.extend(world.read_b().concat());
    assert!(got == bytes);
    assert!(world.a.facts.numbered < 2_000, "{:?}", world.a.facts);
}

#[test]
fn an_application_that_writes_a_byte_at_a_time_does_not_fill_the_line_with_heads() {
    many_small::<NewReno>();
    many_small::<Sack>();
}

fn no_room<G: Guest>() {
    let mut run: Run<G> = Run::new(LinkConfig::default(), LinkConfig::default(), 5);
    run.left[0] = pattern(300_000, 5).into();
    run.world.a.queued_max = 5_000;
    run.world.begin();
    run.finish(600 * SECOND);
    let facts = run.world.a.facts;
    assert!(run.got[1] == pattern(300_000, 5) && facts.refused < facts.numbered, "{facts:?}");
}

#[test]
fn a_host_without_room_is_not_asked_all_the_time() {
    no_room::<NewReno>();
    no_room::<Sack>();
}

fn grows<G: Guest>() {
    let mut run: Run<G> = Run::new(LinkConfig::default(), LinkConfig::default(), 5);
    run.left[0] = pattern(1_000_000, 5).into();
    run.world.begin();
    for segment_max in [8_000, 1_000, 4_000] {
        for _ in 0..200 {
            run.write();
            run.world.step(600 * SECOND);
            run.got[1].extend(run.world.read_b().concat());
        }
        (run.world.a.segment_max, run.world.b.segment_max) = (segment_max, segment_max);
    }
    run.finish(600 * SECOND);
    assert!(run.got[1] == pattern(1_000_000, 5));
    assert!(run.world.a.facts.numbered < 800, "{:?}", run.world.a.facts);
    assert!(run.world.a.facts.refused <= 2, "{:?}", run.world.a.facts);
}

#[test]
fn segments_grow_and_shrink_with_what_the_host_learns_of_the_path() {
    grows::<NewReno>();
    grows::<Sack>();
}

fn gives_up<G: Guest>() {
    let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
    let mut world: World<G, G> = World::new(dead, LinkConfig::default(), 1);
    world.begin();
    world.write_a(&pattern(10_000, 1));
    world.run_ms(1_000_000);
    assert_eq!((world.a.error, world.a.done), (Some(stp_guest_tcp::ERROR_TIMED_OUT), true));
    assert!(world.a.facts.numbered < 30);
}

#[test]
fn a_peer_that_never_answers_ends_the_connection() {
    gives_up::<NewReno>();
    gives_up::<Sack>();
}

fn moves<G: Guest>() {
    let mut run: Run<G> = Run::new(lossy(0.01), lossy(0.01), 7);
    run.left = [pattern(400_000, 7).into(), pattern(100_000, 8).into()];
    run.world.begin();
    for (ms, segment_max) in [(300, 600), (700, 1_400), (1_100, 100), (1_500, 1_200)] {
        while run.world.now < 1_000 * ms && run.world.step(1_000 * ms) {
            run.write();
            run.got[1].extend(run.world.read_b().concat());
            run.got[0].extend(run.world.read_a().concat());
        }
        (run.world.a.segment_max, run.world.b.segment_max) = (segment_max, segment_max);
        run.world.with_a(|guest, host| guest.path_changed(host));
        run.world.with_b(|guest, host| guest.path_changed(host));
    }
    run.finish(600 * SECOND);
    assert!(run.got[1] == pattern(400_000, 7) && run.got[0] == pattern(100_000, 8));
    assert_eq!((run.world.a.facts.refused, run.world.b.facts.refused), (0, 0));
}

#[test]
fn streams_survive_moves_to_paths_with_other_sizes() {
    moves::<NewReno>();
    moves::<Sack>();
}

fn shut_down<G: Guest>() {
    let mut world: World<G, G> = World::new(LinkConfig::default(), LinkConfig::default(), 1);
    world.begin();
    world.write_a(&pattern(5_000, 1));
    world.with_a(|guest, host| guest.shutdown(host, 2_000));
    assert!(!world.a.done, "the peer does not have it yet");
    world.run_ms(1_000);
    assert!(world.a.done && world.read_b().concat().len() == 5_000);
    world.with_b(|guest, host| guest.shutdown(host, 2_000));
    assert!(world.b.done);
}

#[test]
fn who_is_shut_down_is_done_when_all_is_acknowledged() {
    shut_down::<NewReno>();
    shut_down::<Sack>();
}

fn bad_segments<G: Guest>() {
    let mut rng = Rng(11);
    for seed in 0..40 {
        let mut world: World<G, G> = World::new(lossy(0.02), lossy(0.02), seed);
        world.begin();
        world.write_a(&pattern(40_000, 1));
        world.write_b(&pattern(40_000, 2));
        for _ in 0..60 {
            world.run_ms(10);
            world.forge(|bytes| {
                match rng.below(4) {
                    0 => bytes.truncate(rng.below(bytes.len() as u64) as usize),
                    1 => bytes.iter_mut().take(100).for_each(|byte| *byte = rng.draw() as u8),
                    2 => bytes
                        .iter_mut()
                        .take(24)
                        .skip(2)
                        .for_each(|byte| *byte = if rng.chance(0.5) { 0xff } else { 0 }),
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

#[test]
fn segments_cut_off_flipped_and_made_up_do_not_panic() {
    bad_segments::<NewReno>();
    bad_segments::<Sack>();
}
