//! What the books take for proven, and what for lost.

use core::time::Duration;
use std::collections::BTreeSet;

use tng_base::{Instant, Rng};
use tng_crypto::Secret32;
use tng_nonce::{Chain, Direction, NonceKey, Purpose, Unproven};
use tng_stp_abi::Refused;

use super::{Books, PROVEN_BEHIND};
use crate::policer::tests::seeds;
use crate::{Policer, PolicerConfig, SEGMENT_ADDED, State};

const RTT: Duration = Duration::from_millis(50);

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn key() -> NonceKey {
    NonceKey::derive(&Secret32::from_bytes([9; 32]))
}

fn chain(key: &NonceKey) -> Chain<'_> {
    key.chain(&[3; 16], Direction::Outward, Purpose::Policer)
}

struct Both {
    books: Books,
    policer: Policer,
    key: NonceKey,
}

impl Both {
    fn new() -> Both {
        let policer = Policer::new(PolicerConfig::default(), ms(0));
        Both { books: Books::new(4_096), policer, key: key() }
    }

    fn send(&mut self, at: Instant, segments: u64) {
        for _ in 0..segments {
            self.policer.handle_sent(at, 1_000);
            self.books.handle_sent(at, 1_000);
        }
    }

    fn prove(&mut self, at: Instant, range: core::ops::Range<u64>) -> Result<(), Unproven> {
        let chain = chain(&self.key);
        let sum = chain.fold(range.start, range.end);
        self.books.handle_proof(at, range, sum, Duration::ZERO, &chain, &mut self.policer)
    }

    /// Loss events per segment, in billionths.
    fn loss(&self) -> u64 {
        self.policer.figures().loss_billionths
    }
}

#[test]
fn they_agree_with_a_list_of_all_segments_whatever_happens() {
    for seed in 0..seeds(150) {
        let mut rng = Rng::from_u64(seed);
        let mut both = Both::new();
        let (mut now, mut sent_at) = (ms(1), Vec::new());
        let (mut proven, mut lost) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..300 {
            now += Duration::from_micros(rng.below(20_000));
            let next = sent_at.len() as u64;
            match rng.below(10) {
                0..4 => {
                    let segments = 1 + rng.below(12);
                    both.send(now, segments);
                    sent_at.extend((0..segments).map(|_| now));
                }
                4..8 if next > 0 => {
                    let start = next.saturating_sub(1 + rng.below(40)).max(rng.below(next));
                    let end = (start + 1 + rng.below(10)).min(next);
                    both.prove(now, start..end).expect("it is true");
                    proven.extend(start..end);
                }
                8 if next > 0 => {
                    let number = rng.below(next + 2);
                    let open = number < next && !proven.contains(&number) && !lost.contains(&number);
                    let answer = both.books.handle_nack(now, number, &mut both.policer);
                    assert_eq!(answer, if open { Ok(()) } else { Err(Refused::NotThere) }, "seed {seed}");
                    if open {
                        lost.extend((0..=number).filter(|number| !proven.contains(number)));
                    }
                }
                _ => {
                    let timeout = both.policer.timeout();
                    both.books.handle_timeout(now, &mut both.policer);
                    let old = |number: &u64| sent_at[*number as usize] + timeout <= now;
                    lost.extend((0..next).filter(old).filter(|number| !proven.contains(number)));
                }
            }
            let third = proven.iter().rev().nth(PROVEN_BEHIND as usize - 1).copied().unwrap_or(0);
            lost.extend((0..third).filter(|number| !proven.contains(number)));
            lost.retain(|number| !proven.contains(number));
            let next = sent_at.len();
            assert_eq!(both.books.next(), next as u64);
            assert_eq!(both.books.outstanding() as usize, next - proven.len() - lost.len(), "seed {seed}");
        }
        // All is given back in the end.
        for _ in 0..20 {
            now += Duration::from_secs(200);
            both.books.handle_timeout(now, &mut both.policer);
        }
        assert_eq!((both.books.outstanding(), both.books.poll_timeout(&both.policer)), (0, None));
        assert!(both.books.held() <= 2_048, "seed {seed}: {}", both.books.held());
    }
}

/// `TNG_SEEDS=10000 cargo test --release -p tng-stp-host invented` tells 10^7 lies.
#[test]
fn of_all_invented_proofs_none_is_accepted() {
    let (mut believed, mut by_a_byte) = (0, 0);
    for seed in 0..seeds(200) {
        let mut rng = Rng::from_u64(seed);
        let mut both = Both::new();
        both.send(ms(1), 64);
        // Of what arrived, the receiver knows every nonce.
        let arrived: Vec<bool> = (0..64).map(|_| rng.chance(0.7)).collect();
        for _ in 0..1_000 {
            // A range that did not arrive whole.
            let (start, end) = loop {
                let start = rng.below(64);
                let end = start + 1 + rng.below(64 - start);
                if !(start..end).all(|number| arrived[number as usize]) {
                    break (start, end);
                }
            };
            let chain = chain(&both.key);
            let known = |range: core::ops::Range<u64>| {
                range.filter(|x| arrived[*x as usize]).map(|x| chain.nonce(x)).fold(0, |a, b| a ^ b)
            };
            let sum = match rng.below(5) {
                0 => rng.u64(),
                1 => known(start..end),
                2 => known(0..64) ^ known(start..end),
                3 => known(start..end) ^ 1 << rng.below(64),
                _ => known(start..end) ^ known(rng.below(32)..32 + rng.below(33)),
            };
            by_a_byte += u64::from((sum ^ chain.fold(start, end)) & 0xff == 0);
            let answer = both.books.handle_proof(ms(60), start..end, sum, Duration::ZERO, &chain, &mut both.policer);
            believed += u64::from(answer.is_ok());
        }
        assert_eq!((both.policer.state(), both.books.outstanding()), (State::Init, 64), "seed {seed}");
    }
    assert_eq!(believed, 0);
    // Control: with sums of a byte, one in 256 would be.
    assert!(by_a_byte > seeds(200) / 2, "{by_a_byte}");
}

#[test]
fn what_was_not_sent_and_what_another_connection_got_proves_nothing() {
    let mut both = Both::new();
    both.send(ms(1), 10);
    assert_eq!(both.prove(ms(60), 5..11), Err(Unproven::Outside { at: 0 }));
    assert_eq!(both.prove(ms(60), 5..5), Err(Unproven::Empty { at: 0 }));
    let other = both.key.chain(&[4; 16], Direction::Outward, Purpose::Policer).fold(0, 10);
    let chain = chain(&both.key);
    let answer = both.books.handle_proof(ms(60), 0..10, other, Duration::ZERO, &chain, &mut both.policer);
    assert_eq!(answer, Err(Unproven::Invented { at: 0 }));
    assert_eq!(both.books.outstanding(), 10);
}

#[test]
fn what_is_proven_again_counts_once() {
    let mut both = Both::new();
    both.send(ms(1), 10);
    for _ in 0..5 {
        both.prove(ms(51), 0..10).expect("it is true");
    }
    // Twice what was proven may leave, and that is ten.
    let budget = both.policer.limit();
    assert_eq!(budget, 20 * (1_000 + SEGMENT_ADDED));
    both.prove(ms(52), 3..6).expect("it is true");
    assert_eq!(both.policer.limit(), budget);
}

#[test]
fn a_gap_of_several_round_trips_is_several_loss_events() {
    let losses = |gap_ms: u64| {
        let mut both = Both::new();
        both.send(ms(1), 10);
        both.prove(ms(51), 0..10).expect("it is true");
        let mut now = 51;
        // A segment a millisecond; those of some time are lost.
        for segment in 0..600 {
            both.send(ms(now), 1);
            now += 1;
            if segment >= 50 && (segment - 50 < 100 || segment - 50 >= 100 + gap_ms) {
                both.prove(ms(now), 10 + segment - 50..11 + segment - 50).expect("it is true");
            }
        }
        both.loss()
    };
    let [none, one, several] = [0, 40, 240].map(losses);
    assert!(none == 0 && one > 0 && several > 2 * one, "{none} {one} {several}");
}

#[test]
fn losses_are_found_without_the_guests_help() {
    // By three proven ones behind, and not by two.
    let mut both = Both::new();
    both.send(ms(1), 10);
    both.prove(ms(51), 0..1).expect("it is true");
    both.prove(ms(51), 2..4).expect("it is true");
    assert_eq!((both.policer.state(), both.books.outstanding()), (State::SlowStart, 7));
    both.prove(ms(51), 4..5).expect("it is true");
    assert_eq!((both.policer.state(), both.books.outstanding()), (State::SteadyState, 5));
    // By time alone.
    let mut both = Both::new();
    both.send(ms(1), 10);
    both.prove(ms(51), 0..5).expect("it is true");
    let deadline = both.books.poll_timeout(&both.policer).expect("something is outstanding");
    assert_eq!(deadline, ms(1_001));
    both.books.handle_timeout(deadline - Duration::from_nanos(1), &mut both.policer);
    assert_eq!(both.books.outstanding(), 5);
    both.books.handle_timeout(deadline, &mut both.policer);
    assert_eq!((both.policer.state(), both.books.outstanding()), (State::SteadyState, 0));
}

#[test]
fn what_arrives_after_all_was_not_lost() {
    let mut both = Both::new();
    both.send(ms(1), 10);
    both.prove(ms(51), 0..2).expect("it is true");
    both.prove(ms(51), 4..10).expect("it is true");
    assert_eq!(both.policer.state(), State::SteadyState);
    both.prove(ms(60), 2..3).expect("it is true");
    assert_eq!(both.policer.state(), State::SteadyState, "one is still lost");
    both.prove(ms(60), 0..10).expect("it is true");
    assert_eq!(both.policer.state(), State::SlowStart);
    assert_eq!(both.books.outstanding(), 0);
}

#[test]
fn who_says_that_the_newest_is_lost_does_not_hide_those_before() {
    // A loss in each round trip of ten segments. The guest names the newest segment lost, again and again, so that
    // the event would begin there, and what was lost before would be of it.
    let loss = |nacks: bool| {
        let mut both = Both::new();
        both.send(ms(1), 10);
        both.prove(ms(51), 0..10).expect("it is true");
        let mut now = 51;
        for round in 0..40 {
            let first = both.books.next();
            for segment in 0..10 {
                both.send(ms(now), 1);
                now += 5;
                if nacks && segment == 9 && round % 2 == 0 {
                    both.books.handle_nack(ms(now), first + 9, &mut both.policer).expect("it is there");
                }
            }
            now += 50;
            both.prove(ms(now), first..first + 3).expect("it is true");
            both.prove(ms(now), first + 4..first + 10).expect("it is true");
        }
        both.loss()
    };
    assert!(loss(true) >= loss(false) / 20 * 19, "{} {}", loss(true), loss(false));
}

#[test]
fn a_receiver_cannot_have_waited_longer_than_the_sender_did() {
    let smoothed = |spacing_us: u64| {
        let mut both = Both::new();
        let mut now = ms(1);
        for number in 0..400 {
            both.send(now, 1);
            now += Duration::from_micros(spacing_us);
            if number >= 20 {
                let (rtt, proven) = (RTT + Duration::from_millis(if number == 20 { 0 } else { 30 }), number - 20);
                let chain = chain(&both.key);
                let sum = chain.fold(proven, proven + 1);
                let at = Instant::from_micros(1_000 + proven * spacing_us) + rtt;
                let delay = Duration::from_millis(25);
                let range = proven..proven + 1;
                both.books.handle_proof(at, range, sum, delay, &chain, &mut both.policer).expect("it is true");
            }
        }
        both.policer.rtt().smoothed().as_millis()
    };
    // Where the next segment comes after 30 ms, the 25 ms are believed; where it comes at once, they are not.
    assert!((54..=56).contains(&smoothed(30_000)), "{}", smoothed(30_000));
    assert!((78..=80).contains(&smoothed(1_000)), "{}", smoothed(1_000));
}

#[test]
fn there_is_room_for_so_many_and_lost_ones_make_way() {
    let mut both = Both::new();
    both.books = Books::new(100);
    for _ in 0..100 {
        assert!(both.books.has_room());
        both.send(ms(1), 1);
    }
    assert!(!both.books.has_room());
    both.prove(ms(51), 97..100).expect("it is true");
    assert!(both.books.has_room(), "97 are lost");
    both.send(ms(52), 50);
    assert!(both.books.held() <= 128 * 16 + 1_024, "{}", both.books.held());
    // Those that made way are beyond taking back, and do no harm.
    both.prove(ms(60), 0..97).expect("it is true");
    assert_eq!((both.policer.state(), both.books.outstanding()), (State::SteadyState, 50));
}

#[test]
fn who_gives_up_all_that_left_and_hears_nothing_may_go_on_after_a_timeout() {
    let mut both = Both::new();
    let mut now = ms(0);
    both.send(now, 10);
    now += RTT;
    both.prove(now, 0..10).expect("they have come");
    // Each is given up before it is late, and nothing is proven.
    while !both.policer.is_blocked() {
        now += 4 * RTT;
        if both.policer.check(now, 1_000) == crate::Verdict::Now {
            both.send(now, 1);
            both.books.handle_nack(now, both.books.next() - 1, &mut both.policer).expect("it was sent");
        }
        assert!(now < ms(600_000), "it is held in the end");
    }
    assert_eq!((both.books.outstanding(), both.policer.check(now, 1_000)), (0, crate::Verdict::Blocked));
    let pace = both.policer.pace();
    let until = now + Duration::from_secs(60);
    while both.policer.is_blocked() {
        now = both.books.poll_timeout(&both.policer).expect("it is not held for ever");
        both.books.handle_timeout(now, &mut both.policer);
        assert!(now < until);
    }
    assert!(both.policer.pace() <= pace / 2, "that is a silence like any other");
}
