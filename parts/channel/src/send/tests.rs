use std::collections::BTreeMap;
use std::time::Duration;

use tng_base::Rng;

use super::*;

fn sent(ms: u64, state: State) -> Sent {
    let at = Instant::from_millis(ms);
    let stamp = SendStamp {
        sent_at: at,
        first_sent_at: at,
        delivered: 0,
        delivered_at: at,
        lost: 0,
        in_flight: 0,
        app_limited: false,
    };
    Sent { stamp, ack_end: 0, size: 100, state, counted: true, ect0: false, payload: true, control: false, timed: true }
}

#[test]
fn agrees_with_a_plain_map_under_random_operations() {
    for seed in 0..100 {
        let mut rng = Rng::from_u64(seed);
        let mut books = SentPackets::default();
        let mut model: BTreeMap<u64, State> = BTreeMap::new();
        let mut acked_end = 0;
        for step in 0..400u64 {
            let next = model.len() as u64;
            match rng.below(5) {
                0..=1 => {
                    let state = [State::Flight, State::Flight, State::Quiet, State::Skipped][rng.below(4) as usize];
                    books.push(sent(step, state));
                    model.insert(next, state);
                }
                2..=3 => {
                    let start = rng.below(next + 1);
                    let range = start..(start + 1 + rng.below(20)).min(next);
                    let mut newly = Vec::new();
                    books.acknowledge(range.clone(), |number, sent| newly.push((number, sent.state)));
                    assert!(newly.windows(2).all(|w| w[0].0 > w[1].0), "highest first");
                    for (number, state) in newly {
                        assert_eq!(model.insert(number, State::Acked { run: 1 }), Some(state), "seed {seed}");
                        assert!(range.contains(&number), "seed {seed}");
                        acked_end = acked_end.max(number + 1);
                    }
                    for number in range {
                        let settled = books.get_mut(number).is_none();
                        let acked = matches!(model[&number], State::Acked { .. });
                        assert!(acked || settled, "seed {seed}: {number} was left out");
                    }
                }
                _ => {
                    let upto = rng.below(next + 1);
                    books.walk_lost(upto, |number, sent| {
                        if sent.state == State::Flight && number % 3 == 0 {
                            assert_eq!(model.insert(number, State::Lost), Some(State::Flight), "seed {seed}");
                            return true;
                        }
                        sent.state != State::Flight
                    });
                    books.settle(acked_end, Instant::from_millis(step.saturating_sub(40)));
                }
            }
            let flight: Vec<u64> = model.iter().filter(|(_, s)| **s == State::Flight).map(|(n, _)| *n).collect();
            assert_eq!(books.outstanding(), flight.len(), "seed {seed}, step {step}");
            assert_eq!(books.oldest().map(|(n, _)| n), flight.first().copied(), "seed {seed}, step {step}");
            assert_eq!(books.flight(0).map(|(n, _)| n).collect::<Vec<_>>(), flight, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn a_long_window_behind_a_hole_is_stepped_over() {
    // One packet is missing; each acknowledgment covers all the others once more. If each were looked at each time,
    // this would take 5 * 10^9 steps.
    const PACKETS: u64 = 100_000;
    let mut books = SentPackets::default();
    for number in 0..PACKETS {
        books.push(sent(number, State::Flight));
    }
    let mut newly = 0;
    for upto in 2..=PACKETS {
        books.acknowledge(1..upto, |_, _| newly += 1);
        books.settle(upto, Instant::ZERO);
    }
    assert_eq!((newly, books.outstanding()), (PACKETS - 1, 1));
}

#[test]
fn the_oldest_in_flight_is_found_at_once_among_many_that_nobody_waits_for() {
    // If it were looked for among all of them each time, this would take 10^10 steps.
    const PACKETS: u64 = 100_000;
    let mut books = SentPackets::default();
    for number in 0..PACKETS {
        books.push(sent(number, State::Quiet));
    }
    books.push(sent(PACKETS, State::Flight));
    for _ in 0..PACKETS {
        assert_eq!(books.oldest().map(|(number, _)| number), Some(PACKETS));
    }
}

#[test]
fn the_books_have_a_bound() {
    let mut books = SentPackets::default();
    let fill = |books: &mut SentPackets| {
        let mut count = 0;
        while books.room(SENT_MAX) >= 2 {
            books.push(sent(0, State::Flight));
            count += 1;
        }
        count
    };
    assert_eq!(fill(&mut books), SENT_UNACKED_MAX - 1, "room for a packet and a skipped number before it");
    books.acknowledge(0..1_000, |_, _| {});
    books.settle(1_000, Instant::ZERO);
    assert_eq!(fill(&mut books), 5 * 1_000, "what was acknowledged has gone, and is worth four times as much");
    books.acknowledge(1_000..40_000, |_, _| {});
    books.settle(40_000, Instant::ZERO);
    assert!(fill(&mut books) > 0);
    books.acknowledge(0..1 << 40, |_, _| {});
    books.settle(1 << 40, Instant::ZERO);
    while fill(&mut books) + 1 < SENT_MAX {
        books.acknowledge(0..1 << 40, |_, _| {});
        books.settle(1 << 40, Instant::ZERO);
    }
    // All lost: they may be struck off at once when there is need.
    books.walk_lost(u64::MAX, |_, _| true);
    books.settle(0, Instant::ZERO);
    assert!(!books.room(SENT_MAX) >= 2);
    books.settle(0, Instant::ZERO + Duration::from_secs(1));
    assert!(books.room(SENT_MAX) >= 2);
    assert!(books.ring.capacity() <= 2 * SENT_KEPT, "memory is given back");
    while books.room(SENT_MAX) >= 2 {
        books.push(sent(0, State::Flight));
    }
    let (base, end) = (books.base(), books.base() + books.ring.len() as u64);
    assert!(books.ring.capacity() >= SENT_MAX - 1);
    books.acknowledge(base..end - 1, |_, _| {});
    books.settle(end - 1, Instant::ZERO);
    assert_eq!(books.outstanding(), 1);
    assert!(books.ring.capacity() <= 2 * SENT_KEPT, "also while one is in flight");
}

/// The shortest of 50 tries of a work that is done 20 times, with so many packets on the books: what else runs makes
/// none shorter.
#[expect(clippy::disallowed_methods, reason = "it compares how long two things take")]
fn shortest(packets: u64, mut work: impl FnMut(&mut SentPackets)) -> Duration {
    let mut books = SentPackets::default();
    for number in 0..packets {
        books.push(sent(number, State::Flight));
    }
    let one = |_| {
        let begin = std::time::Instant::now();
        for _ in 0..20 {
            work(&mut books);
        }
        begin.elapsed()
    };
    (0..50).map(one).min().expect("tries")
}

#[test]
fn packets_leave_the_books_at_once_however_many_there_are() {
    const FEW: u64 = 100;
    const MANY: u64 = 100_000;
    let leave = |books: &mut SentPackets| {
        books.push(sent(MANY, State::Flight));
        assert!(books.uncount() >= 100);
    };
    let look_at_each = |books: &mut SentPackets| {
        std::hint::black_box(books.flight(0).map(|(_, sent)| sent.booked()).sum::<u64>());
    };
    let [few, many] = [FEW, MANY].map(|packets| shortest(packets, leave));
    assert!(many < 50 * few, "{few:?} with {FEW} packets, {many:?} with {MANY}");
    let [few, many] = [FEW, MANY].map(|packets| shortest(packets, look_at_each));
    assert!(many > 100 * few, "control: if each is looked at, {few:?} with {FEW} packets, {many:?} with {MANY}");

    let mut books = SentPackets::default();
    for number in 0..MANY {
        books.push(sent(number, State::Flight));
    }
    assert_eq!((books.uncount(), books.booked()), (100 * MANY, 0));
    books.push(sent(MANY, State::Flight));
    let mut counted = 0;
    books.acknowledge(0..3 * MANY, |_, sent| counted += u64::from(sent.counted || sent.timed));
    assert_eq!((counted, books.booked()), (1, 0), "only what left since says anything of the path");
}

#[test]
#[should_panic(expected = "is not the first")]
#[cfg(debug_assertions)]
fn what_is_booked_anew_before_others_of_other_books_is_noticed_in_development() {
    let mut books = SentPackets::default();
    books.push(Sent { counted: false, ..sent(0, State::Quiet) });
    books.push(sent(1, State::Flight));
    books.uncount();
    books.rebook(0, sent(2, State::Flight));
}

#[test]
fn what_is_booked_anew_after_a_move_is_in_the_new_books() {
    let mut books = SentPackets::default();
    books.push(Sent { counted: false, ..sent(0, State::Quiet) });
    assert_eq!(books.uncount(), 0, "another path before anything was in flight");
    books.rebook(0, sent(1, State::Flight));
    assert_eq!(books.booked(), 100);
    let mut counted = Vec::new();
    books.acknowledge(0..1, |_, sent| counted.push(sent.counted));
    assert_eq!((counted, books.booked()), (vec![true], 0));
}
