use tng_wire::battery;

use super::*;

#[test]
fn a_history_is_read_as_it_was_written_and_damage_or_another_version_is_named() {
    let mut history = History::default();
    for (at, what) in Violation::ALL.into_iter().enumerate() {
        history.add(hash(at as u8 % 3), what, NOW + at as u64);
    }
    battery::round_trip(&history);
    let file = history.to_file();
    assert_eq!(History::read(&file), Ok(history));
    for bit in 0..file.len() * 8 {
        let mut bad = file.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(History::read(&bad), Err(HistoryError::Damaged), "bit {bit}");
    }
    for len in 0..file.len() {
        assert_eq!(History::read(&file[..len]), Err(HistoryError::Damaged), "{len} bytes");
    }
    let newer = crate::wire::checked(b"whatever", *b"tngh", 2);
    assert_eq!(History::read(&newer), Err(HistoryError::Version(2)));
}

#[test]
fn violations_age_and_what_lies_in_the_future_does_not_forgive() {
    let mut history = History::default();
    for days in [10, 5, 1] {
        history.add(hash(1), Violation::Trapped, NOW - days * DAY);
    }
    let record = history.of(&hash(1)).expect("known");
    assert_eq!((record.within(2 * DAY, NOW), record.within(7 * DAY, NOW), record.within(30 * DAY, NOW)), (1, 2, 3));
    assert_eq!(record.within(0, NOW - 20 * DAY), 3, "the clock was set back");
    assert!(history.forgive(&hash(1)) && history.of(&hash(1)).is_none() && !history.forgive(&hash(1)));
}

#[test]
fn a_history_is_bounded_and_says_what_it_forgot() {
    let mut history = History::default();
    for _ in 0..100 {
        history.add(hash(1), Violation::Cpu, NOW);
    }
    let record = history.of(&hash(1)).expect("known");
    assert_eq!((record.total, record.recent().len()), (100, VIOLATIONS_KEPT_MAX));
    for n in 0..2 * VIOLATORS_MAX as u32 {
        history.add(code_hash(&n.to_be_bytes()), Violation::Cpu, NOW);
    }
    assert_eq!((history.all().count(), history.forgotten), (VIOLATORS_MAX, VIOLATORS_MAX as u64 + 1));
    assert!(history.of(&hash(1)).is_some(), "who did most is not flushed out by others");
    assert!(History::read(&history.to_file()).is_ok(), "a full one can be read");
}
