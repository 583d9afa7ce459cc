use super::*;

#[test]
fn the_examples_of_the_rfc_hold() {
    // RFC 9000 appendices A.2 and A.3.
    assert_eq!(recover(0xa82f_30eb, 0x9b32, 2), 0xa82f_9b32);
    assert_eq!(truncated_len(0xac5c02, Some(0xabe8b3)), 2);
    assert_eq!(truncated_len(0xace8fe, Some(0xabe8b3)), 3);
}

#[test]
fn a_number_is_recovered_wherever_the_receiver_stands() {
    let mut rng = Rng::from_u64(1);
    for _ in 0..100_000 {
        let (size, window) = ([8, 16, 32, 60][rng.below(4) as usize], rng.below(17));
        let acked = rng.below(1 << size);
        let number = acked + 1 + rng.below(1 << window);
        let len = truncated_len(number, Some(acked));
        let truncated = (number & ((1 << (8 * len)) - 1)) as u32;
        // The receiver has seen at least `acked`, and perhaps packets that overtook this one.
        let expected = acked + 1 + rng.below(number - acked + 20_000);
        assert_eq!(recover(expected, truncated, len), number, "expected {expected}, {len} bytes");
    }
}

fn holds(numbers: &Numbers, range: Range<u64>) -> bool {
    numbers.hold_unsent([range].into_iter())
}

#[test]
fn one_unsent_number_in_any_of_many_ranges_is_seen() {
    for seed in 0..100 {
        let mut rng = Rng::from_u64(seed);
        let mut numbers = Numbers::new(rng.fork());
        let mut sent = Vec::new();
        for _ in 0..2_000 {
            sent.push(numbers.peek().0);
            numbers.take(0);
        }
        // Ranges of what was sent, without those that were lost.
        sent.retain(|_| rng.chance(0.95));
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for number in sent.into_iter().rev() {
            match ranges.last_mut() {
                Some(range) if range.start == number + 1 => range.start = number,
                _ => ranges.push(number..number + 1),
            }
        }
        assert!(!numbers.hold_unsent(ranges.iter().cloned()), "seed {seed}");
        let skip = numbers.skipped[rng.below(numbers.skipped.len() as u64) as usize];
        let at = ranges.partition_point(|range| range.start > skip);
        ranges.insert(at, skip..skip + 1);
        assert!(numbers.hold_unsent(ranges.iter().cloned()), "seed {seed}");
    }
}

#[test]
fn numbers_rise_and_skip_now_and_then() {
    for (outstanding, rarest) in [(0, 96), (1_000, 1_500), (1_000_000, 12_288)] {
        let mut numbers = Numbers::new(Rng::from_u64(2));
        let (mut last, mut since, mut skips) = (0, 0, 0);
        for i in 0..100_000 {
            let (number, skip) = numbers.peek();
            assert_eq!(number, last + 1 + u64::from(skip));
            assert_eq!(skip, holds(&numbers, last + 1..number), "what is skipped is unsent even before it is known");
            numbers.take(outstanding);
            assert!(!holds(&numbers, number..number + 1));
            assert!(holds(&numbers, number..number + 2));
            assert_eq!(holds(&numbers, last + 1..number + 1), skip);
            since += 1;
            // The first distance was drawn when nothing was outstanding.
            if skip {
                assert!(i < 100 || since <= rarest, "{since} numbers without a skip");
                (since, skips) = (0, skips + 1);
            }
            last = number;
        }
        assert!(skips > 5, "{outstanding} outstanding, {skips} skips");
    }
}
