use super::*;
use tng_base::Rng;

const MTU: u64 = 1_200;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn paced(rate: u64) -> Pacer {
    let mut pacer = Pacer::new(MTU as u16);
    pacer.set_rate(Instant::ZERO, Some(rate), ms(50));
    pacer
}

/// Sends as much as the pacer lets out until `end`, waking when it says plus what `late` answers; answers times and
/// sizes of batches.
fn blast(pacer: &mut Pacer, end: Instant, mut late: impl FnMut() -> Duration) -> Vec<(Instant, u64)> {
    let (mut now, mut batches) = (Instant::ZERO, vec![(Instant::ZERO, 0)]);
    loop {
        match pacer.release(now, MTU) {
            Ok(()) => {
                pacer.handle_sent(now, MTU);
                match batches.last_mut() {
                    Some((at, bytes)) if *at == now => *bytes += MTU,
                    _ => batches.push((now, MTU)),
                }
            }
            Err(at) if at > end => return batches,
            Err(at) => now = at + late(),
        }
    }
}

fn total(batches: &[(Instant, u64)]) -> u64 {
    batches.iter().map(|&(_, bytes)| bytes).sum()
}

#[test]
fn the_start_burst_is_ten_packets() {
    let batches = blast(&mut paced(1_000_000), Instant::from_millis(1), || Duration::ZERO);
    assert_eq!(batches, [(Instant::ZERO, 12_000)]);
}

#[test]
fn the_rate_is_kept_exactly_over_time() {
    for rate in [999, 123_457, 1_000_003, 12_500_000, 1_250_000_000] {
        let seconds = (100_000_000 / rate).clamp(1, 1_000);
        let batches = blast(&mut paced(rate), Instant::from_secs(seconds), || Duration::ZERO);
        let (sent, due) = (total(&batches), rate * seconds);
        // Beyond the start burst at most what one more batch holds is missing.
        let batch = (rate / 1_000).clamp(2 * MTU, MAX_BATCH);
        assert!(sent <= due + 12_000 && sent + batch >= due, "{rate} B/s for {seconds} s: {sent} of {due}");
    }
}

#[test]
fn whole_batches_are_released() {
    for (rate, batch) in [(100_000, 2_400), (12_500_000, 12_500), (100_000_000, 65_536), (1_250_000_000, 65_536)] {
        let batches = blast(&mut paced(rate), Instant::from_millis(200), || Duration::ZERO);
        for &(at, bytes) in &batches[1..] {
            assert!(bytes + MTU > batch && bytes < batch + MTU, "{bytes} bytes at {at:?}, a batch has {batch}");
        }
    }
}

#[test]
fn a_dry_pacer_that_is_asked_early_still_waits_for_a_whole_batch() {
    let mut pacer = paced(12_500_000);
    let mut releases = Vec::new();
    for us in 0..20_000 {
        let now = Instant::from_micros(us);
        while pacer.release(now, MTU).is_ok() {
            pacer.handle_sent(now, MTU);
            releases.push(us);
        }
    }
    releases.dedup();
    assert!((18..=22).contains(&releases.len()), "one a millisecond: {releases:?}");
}

#[test]
fn a_start_burst_is_not_taken_away_by_time() {
    let mut pacer = paced(1_000_000);
    pacer.release(Instant::from_millis(1), MTU).ok();
    assert_eq!(pacer.credit(), 12_000);
}

#[test]
fn timers_up_to_a_batch_time_late_cost_no_rate() {
    for rate in [1_000_000, 12_500_000, 250_000_000, 1_250_000_000] {
        let mut rng = Rng::from_u64(rate);
        let batches = blast(&mut paced(rate), Instant::from_secs(1), || Duration::from_micros(rng.below(900)));
        let sent = total(&batches);
        assert!(sent + 2 * MAX_BATCH >= rate, "{sent} of {rate}");
    }
}

#[test]
fn asking_often_loses_no_credit() {
    let mut rng = Rng::from_u64(5);
    let (mut often, mut once) = (paced(7_654_321), paced(7_654_321));
    for pacer in [&mut often, &mut once] {
        pacer.handle_sent(Instant::ZERO, 20_000);
    }
    let mut now = Instant::ZERO;
    for _ in 0..5_000 {
        now += Duration::from_nanos(rng.below(700));
        often.release(now, MTU).ok();
    }
    once.release(now, MTU).ok();
    assert_eq!(often.credit, once.credit);
    assert_eq!(i128::from(once.credit), 7_654_321 * i128::from(now.as_nanos()) - 8_000 * i128::from(BYTE));
}

#[test]
fn a_changed_rate_keeps_what_was_earned() {
    let mut pacer = paced(1_000_000);
    pacer.handle_sent(Instant::ZERO, 12_000);
    pacer.set_rate(Instant::from_millis(1), Some(2_000_000), ms(50));
    pacer.release(Instant::from_millis(2), MTU).ok();
    assert_eq!(pacer.credit(), 1_000 + 2_000);
}

#[test]
fn credit_does_not_pile_up_while_nothing_is_sent() {
    let mut pacer = paced(12_500_000);
    let second = Instant::from_secs(1);
    pacer.handle_sent(Instant::ZERO, 12_000);
    assert_eq!(pacer.release(second, MTU), Ok(()));
    assert_eq!(pacer.credit(), 25_000, "two batches");
}

#[test]
fn after_a_silent_round_trip_a_start_burst_may_leave_again_but_not_before() {
    let after = |silence| {
        let mut pacer = paced(400_000);
        let sent_at = Instant::from_secs(1);
        pacer.handle_sent(sent_at, 12_000);
        pacer.release(sent_at + silence, MTU).ok();
        pacer.credit()
    };
    assert_eq!(after(ms(49)), 4 * MTU);
    assert_eq!(after(ms(50)), 10 * MTU);
}

#[test]
fn probes_beyond_the_credit_are_paid_back() {
    let mut pacer = paced(1_000_000);
    pacer.handle_sent(Instant::ZERO, 12_000 + 3 * MTU);
    // Three packets owed, two more make a batch.
    assert_eq!(pacer.release(Instant::ZERO, MTU), Err(Instant::from_millis(6)));
    pacer.handle_sent(Instant::ZERO, u64::MAX);
    assert!(pacer.release(Instant::ZERO, MTU).unwrap_err() < Instant::from_millis(100));
}

#[test]
fn a_packet_larger_than_a_batch_waits_for_a_batch_only() {
    let mut pacer = paced(1_000_000);
    pacer.handle_sent(Instant::ZERO, 12_000);
    let at = pacer.release(Instant::ZERO, 60_000).unwrap_err();
    assert_eq!(pacer.release(at, 60_000), Ok(()));
}

#[test]
fn without_a_rate_nothing_is_held_back() {
    let mut pacer = Pacer::new(MTU as u16);
    for _ in 0..1_000 {
        assert_eq!(pacer.release(Instant::ZERO, 1 << 40), Ok(()));
        pacer.handle_sent(Instant::ZERO, 1 << 40);
    }
    assert_eq!(pacer.credit(), u64::MAX);
    pacer.set_rate(Instant::ZERO, Some(1_000_000), ms(50));
    assert_eq!(pacer.credit(), 12_000, "the start burst is still there when a rate comes");
}
