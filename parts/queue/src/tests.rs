//! Behaviour of each discipline; all of them also pass the battery.

use core::time::Duration;

use tng_base::{Ecn, Instant, Rng};

use crate::battery::{self, Probe};
use crate::*;

fn probe(id: u64, bytes: usize, ecn: Ecn) -> Probe {
    Probe { id, bytes, ecn }
}

fn full_size(id: u64) -> Probe {
    probe(id, 1500, Ecn::NotEct)
}

fn none_dropped(probe: Probe) {
    panic!("dropped {probe:?}");
}

mod every_discipline {
    use super::*;

    fn passes(packets_max: usize, config: QueueConfig) {
        battery::discipline(packets_max, |rng| config.build(rng));
    }

    #[test]
    fn droptail_by_packets_passes_the_battery() {
        passes(7, QueueConfig::DropTail(Limit::Packets(7)));
    }

    #[test]
    fn droptail_by_bytes_passes_the_battery() {
        passes(20_000 / 40, QueueConfig::DropTail(Limit::Bytes(20_000)));
    }

    #[test]
    fn droptail_by_time_passes_the_battery() {
        passes(QUEUE_PACKETS_MAX, QueueConfig::DropTail(Limit::Time(Duration::from_millis(10))));
    }

    #[test]
    fn red_passes_the_battery() {
        for (gentle, ecn) in [(false, false), (true, false), (true, true)] {
            let config = RedConfig { weight: 0.02, gentle, ecn, limit_packets: 25, ..RedConfig::default() };
            passes(25, QueueConfig::Red(config));
        }
    }

    #[test]
    fn codel_passes_the_battery() {
        for ecn in [false, true] {
            passes(60, QueueConfig::CoDel(CoDelConfig { ecn, limit_packets: 60, ..CoDelConfig::default() }));
        }
    }

    #[test]
    fn the_threshold_marker_passes_the_battery() {
        passes(30, QueueConfig::Threshold(ThresholdConfig { mark_packets: 5, limit_packets: 30 }));
    }

    #[test]
    #[should_panic(expected = "out of order")]
    fn the_battery_finds_a_stack() {
        struct Stack(Vec<Probe>);
        impl Discipline<Probe> for Stack {
            fn enqueue(&mut self, _: Instant, item: Probe) -> Verdict<Probe> {
                self.0.push(item);
                Verdict::Queued
            }
            fn dequeue(&mut self, _: Instant, _: &mut dyn FnMut(Probe)) -> Option<Probe> {
                self.0.pop()
            }
            fn packets(&self) -> usize {
                self.0.len()
            }
            fn bytes(&self) -> u64 {
                self.0.iter().map(|p| p.bytes as u64).sum()
            }
            fn marks(&self) -> u64 {
                0
            }
        }
        battery::discipline(usize::MAX, |_| Box::new(Stack(Vec::new())));
    }
}

mod droptail {
    use super::*;

    #[test]
    fn a_packet_larger_than_the_byte_limit_fits_into_an_empty_queue_only() {
        let mut queue = DropTail::new(Limit::Bytes(1000));
        assert_eq!(queue.enqueue(Instant::ZERO, full_size(0)), Verdict::Queued);
        let small = probe(1, 1, Ecn::NotEct);
        assert_eq!(queue.enqueue(Instant::ZERO, small), Verdict::Dropped(small));
    }

    #[test]
    fn a_packet_that_waited_exactly_the_time_limit_leaves_and_an_older_one_is_dropped() {
        let mut queue = DropTail::new(Limit::Time(Duration::from_millis(10)));
        for id in 0..3 {
            assert_eq!(queue.enqueue(Instant::from_millis(id), full_size(id)), Verdict::Queued);
        }
        let mut gone = Vec::new();
        let out = queue.dequeue(Instant::from_millis(11), &mut |p| gone.push(p.id));
        assert_eq!((out.map(|p| p.id), gone), (Some(1), vec![0]));
    }
}

mod threshold {
    use super::*;

    #[test]
    fn marks_what_finds_the_threshold_reached_and_only_if_capable() {
        let mut queue = Threshold::new(ThresholdConfig { mark_packets: 2, limit_packets: 4 });
        for (id, ecn) in [Ecn::Ect0, Ecn::Ect0, Ecn::Ect0, Ecn::NotEct].into_iter().enumerate() {
            assert_eq!(queue.enqueue(Instant::ZERO, probe(id as u64, 100, ecn)), Verdict::Queued);
        }
        assert!(matches!(queue.enqueue(Instant::ZERO, full_size(4)), Verdict::Dropped(_)));
        let out: Vec<Ecn> =
            core::iter::from_fn(|| queue.dequeue(Instant::ZERO, &mut none_dropped)).map(|p| p.ecn).collect();
        assert_eq!(out, [Ecn::Ect0, Ecn::Ect0, Ecn::Ce, Ecn::NotEct]);
        assert_eq!(queue.marks(), 1);
    }
}

mod red {
    use super::*;

    /// Share of packets dropped or marked with the length held at `length` (so that the average is exactly that).
    fn notified(config: RedConfig, length: usize, ecn: Ecn, seed: u64) -> (f64, f64) {
        let mut queue = Red::new(RedConfig { weight: 1.0, limit_packets: 1000, ..config }, Rng::from_u64(seed));
        let (now, mut id, mut drops) = (Instant::ZERO, 0, 0u32);
        while queue.packets() < length {
            let _ = queue.enqueue(now, probe(id, 1500, Ecn::NotEct));
            id += 1;
        }
        let (marks_before, offered) = (queue.marks(), 40_000);
        for _ in 0..offered {
            match queue.enqueue(now, probe(id, 1500, ecn)) {
                Verdict::Dropped(_) => drops += 1,
                Verdict::Queued => drop(queue.dequeue(now, &mut none_dropped)),
            }
            id += 1;
        }
        let share = |count: f64| count / f64::from(offered);
        (share(f64::from(drops)), share((queue.marks() - marks_before) as f64))
    }

    /// One over the mean gap between notifications: gaps are uniform, each of `1, 2, ...` has probability `p` while
    /// that is left, and the next one has the rest.
    fn spread_out(p: f64) -> f64 {
        let whole = (1.0 / p + 1e-9).floor();
        1.0 / (p * whole * (whole + 1.0) / 2.0 + (1.0 - p * whole) * (whole + 1.0))
    }

    #[test]
    fn the_drop_probability_follows_the_papers_curve() {
        let config = RedConfig { min_packets: 5.0, max_packets: 15.0, drop_max: 0.1, ..RedConfig::default() };
        for (length, base) in [(4, 0.0), (7, 0.02), (10, 0.05), (14, 0.09), (15, 0.1), (20, 0.4), (25, 0.7), (30, 1.0)]
        {
            let (drops, _) = notified(config.clone(), length, Ecn::NotEct, length as u64);
            let expected = if base == 0.0 { 0.0 } else { spread_out(base) };
            // Gaps of spread p/(2 sqrt 3): three sigma of their count, generously.
            let tolerance = 3.0 * (expected / 3.0 / 40_000.0).sqrt() + 0.01 * expected;
            assert!((drops - expected).abs() <= tolerance, "length {length}: {drops} dropped, expected {expected}");
        }
    }

    #[test]
    fn without_gentleness_everything_is_dropped_above_the_maximum() {
        let (drops, _) = notified(RedConfig { gentle: false, ..RedConfig::default() }, 15, Ecn::NotEct, 1);
        assert_eq!(drops, 1.0);
    }

    #[test]
    fn marks_capable_packets_below_the_maximum_and_drops_them_above() {
        let config = RedConfig { ecn: true, ..RedConfig::default() };
        let (drops, marks) = notified(config.clone(), 10, Ecn::Ect0, 3);
        assert!(drops == 0.0 && (marks - spread_out(0.05)).abs() < 0.003, "{drops} {marks}");
        let (drops, marks) = notified(config, 20, Ecn::Ect0, 3);
        assert!(marks == 0.0 && drops > 0.3, "{drops} {marks}");
    }

    #[test]
    fn the_average_ages_while_the_queue_is_empty() {
        let config = RedConfig { weight: 0.5, service: Duration::from_millis(1), ..RedConfig::default() };
        let mut queue = Red::new(config, Rng::from_u64(1));
        for id in 0..5 {
            assert_eq!(queue.enqueue(Instant::ZERO, full_size(id)), Verdict::Queued);
        }
        let before = queue.average();
        while queue.dequeue(Instant::ZERO, &mut none_dropped).is_some() {}
        assert_eq!(queue.enqueue(Instant::from_millis(3), full_size(9)), Verdict::Queued);
        assert!((queue.average() - before / 8.0).abs() < 1e-9, "{before} became {}", queue.average());
    }
}

mod codel {
    use super::*;

    /// A link that sends one packet every millisecond, offered `load` packets per millisecond, whatever it drops.
    struct Bottleneck {
        queue: CoDel<Probe>,
        offered: f64,
        dropped: Vec<Instant>,
        /// Sojourn of what left, by tick.
        sojourn: Vec<Duration>,
    }

    impl Bottleneck {
        fn new(config: CoDelConfig) -> Bottleneck {
            Bottleneck { queue: CoDel::new(config), offered: 0.0, dropped: Vec::new(), sojourn: Vec::new() }
        }

        /// One millisecond with so many arrivals at its start. A packet's id is its time of arrival.
        fn tick(&mut self, now: Instant, load: f64, ecn: Ecn) -> Option<Probe> {
            self.offered += load;
            while self.offered >= 1.0 {
                self.offered -= 1.0;
                let _ = self.queue.enqueue(now, probe(now.as_nanos(), 1500, ecn));
            }
            let dropped = &mut self.dropped;
            let out = self.queue.dequeue(now, &mut |_| dropped.push(now))?;
            self.sojourn.push(now.since(Instant::from_nanos(out.id)));
            Some(out)
        }
    }

    fn ms(at: u64) -> Instant {
        Instant::from_millis(at)
    }

    #[test]
    fn a_burst_that_drains_within_an_interval_loses_nothing() {
        let mut link = Bottleneck::new(CoDelConfig::default());
        for at in 0..200 {
            link.tick(ms(at), if at == 10 { 80.0 } else { 0.0 }, Ecn::NotEct);
        }
        assert_eq!(link.sojourn.len(), 80);
        assert!(link.dropped.is_empty());
    }

    #[test]
    fn senders_that_are_near_are_told_after_ten_of_their_round_trips() {
        // Known, or not, and what ten of them are: but no less than hosts stand still, and no more than usual.
        let round_trips = [(None, 100), (Some(400), 100), (Some(10), 100), (Some(3), 30), (Some(1), 10), (Some(0), 4)];
        for (rtt_ms, interval_ms) in round_trips {
            let mut link = Bottleneck::new(CoDelConfig::default());
            rtt_ms.into_iter().for_each(|rtt_ms| link.queue.set_round_trip(Duration::from_millis(rtt_ms)));
            for at in 0..200 {
                link.tick(ms(at), if at == 0 { 50.0 } else { 1.0 }, Ecn::NotEct);
            }
            // The delay is above the target when what came with the first packets has waited for so long.
            let target_ms = interval_ms / 20;
            let first = link.dropped[0].since(ms(0)).as_millis() as u64;
            assert!((interval_ms + target_ms..=interval_ms + target_ms + 1).contains(&first), "{rtt_ms:?}: {first} ms");
        }
    }

    #[test]
    fn drops_come_at_intervals_that_shrink_with_the_square_root_of_their_count() {
        let mut link = Bottleneck::new(CoDelConfig::default());
        for at in 0..1000 {
            // A standing queue of 50 packets: always refilled.
            link.tick(
                ms(at),
                if at == 0 { 50.0 } else { 1.0 + if link.queue.packets() < 50 { 1.0 } else { 0.0 } },
                Ecn::NotEct,
            );
        }
        let gaps: Vec<u64> = link.dropped.windows(2).map(|w| w[1].since(w[0]).as_millis() as u64).collect();
        let law: Vec<u64> = (1..=gaps.len()).map(|n| (100.0 / (n as f64).sqrt()) as u64).collect();
        assert!(gaps.len() > 10 && gaps.iter().zip(&law).all(|(gap, law)| gap.abs_diff(*law) <= 1), "{gaps:?} {law:?}");
        let first = link.dropped[0];
        assert!((ms(104)..=ms(106)).contains(&first), "one interval after the delay passed the target, not {first:?}");
    }

    #[test]
    fn a_load_that_backs_off_at_each_drop_is_held_near_the_target() {
        let mut link = Bottleneck::new(CoDelConfig::default());
        let (mut load, mut seen) = (1.3f64, 0);
        for at in 0..20_000 {
            link.tick(ms(at), load, Ecn::NotEct);
            if link.dropped.len() > seen {
                seen = link.dropped.len();
                load *= 0.7;
            }
            load = (load + 0.0005).min(3.0);
        }
        let late = &link.sojourn[link.sojourn.len() / 2..];
        let mean_ms = late.iter().sum::<Duration>().as_secs_f64() * 1e3 / late.len() as f64;
        assert!((1.0..20.0).contains(&mean_ms), "mean sojourn {mean_ms} ms against a target of 5");
        assert!(link.sojourn.len() > 18_000, "the link was kept busy: {}", link.sojourn.len());
    }

    #[test]
    fn an_unresponsive_overload_is_cut_harder_and_harder_until_the_queue_shrinks() {
        let mut link = Bottleneck::new(CoDelConfig { limit_packets: 100_000, ..CoDelConfig::default() });
        for at in 0..60_000 {
            link.tick(ms(at), 1.2, Ecn::NotEct);
        }
        let peak = link.sojourn.iter().max().expect("packets left");
        // The count grows until 200 a second are dropped, four seconds in, with 400 packets waiting: the head came 333
        // ms ago. Then the queue drains.
        assert!((310..360).contains(&peak.as_millis()), "{peak:?}");
        let late = &link.sojourn[30_000..];
        let mean = late.iter().sum::<Duration>() / late.len() as u32;
        assert!(mean < *peak / 2, "{mean:?} on average long after a peak of {peak:?}");
        assert!(late.iter().any(|s| *s < Duration::from_millis(5)), "the target was reached again");
    }

    #[test]
    fn capable_packets_are_marked_and_pass() {
        let mut link = Bottleneck::new(CoDelConfig { ecn: true, ..CoDelConfig::default() });
        let marked = (0..1000)
            .filter_map(|at| link.tick(ms(at), if at == 0 { 50.0 } else { 1.0 }, Ecn::Ect0))
            .filter(|p| p.ecn == Ecn::Ce)
            .count();
        assert!(link.dropped.is_empty() && marked > 10, "{marked} marked, {} dropped", link.dropped.len());
        assert_eq!(link.queue.marks(), marked as u64);
    }

    #[test]
    fn never_drops_the_last_packet_worth_of_bytes() {
        let mut link = Bottleneck::new(CoDelConfig::default());
        for at in 0..5_000 {
            // One packet every 20 ms on a link that was stuck: long sojourn, but nothing behind it.
            let _ = link.queue.enqueue(ms(at * 20), probe(ms(at * 20).as_nanos(), 1500, Ecn::NotEct));
            let dropped = &mut link.dropped;
            let out = link.queue.dequeue(ms(at * 20 + 19), &mut |_| dropped.push(ms(at)));
            assert!(out.is_some());
        }
        assert!(link.dropped.is_empty());
    }
}
