//! What a queue holds, lets go, drops, and tells the section that feeds it.

use super::*;

/// A queue with buffers of its own.
struct Alone(SharedQueue, Spares);

impl Alone {
    fn repairing(self, time_max: Duration) -> Alone {
        Alone(self.0.repairing(Some(time_max)), self.1)
    }

    fn offer(&mut self, now: Instant, from: (u64, Ecn), payload: &[u8], bytes_max: u64) -> bool {
        self.0.offer(now, from, payload, bytes_max, &mut self.1)
    }

    fn take(&mut self, now: Instant, number: u64, buf: &mut [u8]) -> Option<usize> {
        self.0.take(now, number, buf, &mut self.1)
    }

    fn handle_fates(&mut self, now: Instant, numbers: Range<u64>, fate: Fate) {
        self.0.handle_fates(now, numbers, fate, &mut self.1);
    }

    fn end(&mut self, now: Instant, room: usize) -> Vec<u8> {
        self.0.end(now, room, &mut self.1)
    }

    fn recall(&mut self, now: Instant) {
        self.0.recall(now, &mut self.1);
    }
}

impl core::ops::Deref for Alone {
    type Target = SharedQueue;

    fn deref(&self) -> &SharedQueue {
        &self.0
    }
}

impl core::ops::DerefMut for Alone {
    fn deref_mut(&mut self) -> &mut SharedQueue {
        &mut self.0
    }
}

fn queue(controller: &str) -> Alone {
    let discipline = discipline_for(&controller.parse().expect("a controller"));
    Alone(SharedQueue::new(&discipline, QUEUE_TIME, Rng::from_u64(1)), Spares::default())
}

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

#[test]
fn a_packet_is_settled_when_it_leaves_and_not_before() {
    let mut queue = queue("vegas");
    assert!(queue.offer(at_ms(0), (7, Ecn::Ect0), b"seven", 0));
    assert!(queue.offer(at_ms(0), (9, Ecn::NotEct), b"nine", 0));
    assert_eq!(queue.pop_settled(), None);
    let mut buf = [0; 100];
    assert_eq!(queue.take(at_ms(1), 0, &mut buf[..4]), None, "too little room");
    assert_eq!((queue.packets(), queue.pop_settled()), (2, None), "and so it waits");
    assert_eq!(queue.take(at_ms(1), 0, &mut buf), Some(5));
    assert_eq!(&buf[..5], b"seven");
    assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipts: 7..8, ecn: Ecn::Ect0 }));
    assert_eq!(queue.take(at_ms(1), 0, &mut buf), Some(4));
    assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipts: 9..10, ecn: Ecn::NotEct }));
    assert_eq!((queue.take(at_ms(1), 0, &mut buf), queue.packets(), queue.bytes()), (None, 0, 0));
}

/// Packets that came together, each `len` bytes of its number, but the last `last` bytes.
fn together(numbers: Range<u64>, (len, last): (usize, usize), offer: impl FnOnce(&Arrivals<'_>) -> usize) -> usize {
    const STRIDE: usize = 100;
    let mut bytes: Vec<u8> = numbers.clone().flat_map(|number| [number as u8; STRIDE]).collect();
    bytes.truncate(bytes.len() - STRIDE + last);
    offer(&Arrivals { numbers, ecn: Ecn::Ect0, bytes: &bytes, stride: STRIDE, len })
}

#[test]
fn packets_that_came_together_leave_one_after_the_other_in_as_many_batches_as_there_is_room_for() {
    let mut queue = queue("vegas");
    let Alone(shared, spares) = &mut queue;
    assert_eq!(together(5..10, (80, 30), |run| shared.offer_run(at_ms(0), run, u64::MAX, spares)), 5);
    assert_eq!((shared.packets(), shared.bytes()), (5, 350));
    let mut buf = [0; 300];
    let mut train = Train::new(0, &mut buf, 2, 100, 90);
    shared.take_train(at_ms(1), &mut train, 0, spares);
    assert_eq!((train.packets(), train.last()), (1, 80), "the first that is short ends a train");
    assert_eq!(shared.take(at_ms(1), 1, &mut buf, spares), Some(80));
    assert_eq!((buf[79], shared.packets(), shared.bytes()), (6, 3, 190));
    let mut train = Train::new(2, &mut buf, 3, 100, 80);
    shared.take_train(at_ms(1), &mut train, 30, spares);
    assert_eq!((train.packets(), train.last()), (2, 80), "a last one that is small is to stay");
    assert_eq!([buf[0], buf[79], buf[100]], [7, 7, 8]);
    assert_eq!((shared.take(at_ms(1), 4, &mut buf, spares), buf[29]), (Some(30), 9));
    let all = Settled::Departed { receipts: 5..10, ecn: Ecn::Ect0 };
    assert_eq!((shared.unsettled(), shared.pop_settled(), shared.pop_settled()), (5, Some(all), None));
    assert_eq!((shared.packets(), shared.bytes(), shared.held_bytes()), (0, 0, 0));
}

#[test]
fn of_packets_that_came_together_those_wait_for_which_there_is_room() {
    let mut queue = queue("vegas");
    let Alone(shared, spares) = &mut queue;
    assert_eq!(together(0..30, (100, 100), |run| shared.offer_run(at_ms(0), run, 2_500, spares)), 25);
    assert_eq!(together(30..33, (9, 9), |run| shared.offer_run(at_ms(0), run, 2_500, spares)), 0);
    assert_eq!((shared.packets(), shared.dropped()), (25, 8));
    shared.recall(at_ms(0), spares);
    assert_eq!((shared.packets(), shared.bytes(), shared.dropped()), (26, 2_509, 7), "the last is there again");
}

#[test]
fn a_buffer_counts_whole_until_the_last_that_came_in_it_has_gone() {
    let mut queue = queue("vegas");
    let Alone(shared, spares) = &mut queue;
    together(0..30, (100, 100), |run| shared.offer_run(at_ms(0), run, u64::MAX, spares));
    for left in (1..30).rev() {
        assert!(shared.give_way(at_ms(0), spares));
        assert_eq!(shared.held_bytes(), (3_072 + left * HELD_OVERHEAD) as u64);
    }
    assert!(shared.give_way(at_ms(0), spares) && !shared.give_way(at_ms(0), spares));
    assert_eq!((shared.held_bytes(), shared.dropped()), (0, 30));
}

#[test]
fn what_a_discipline_marks_or_drops_of_packets_that_came_together_is_the_first() {
    for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
        let mut queue = queue("cubic");
        let Alone(shared, spares) = &mut queue;
        let (mut numbers, mut left) = (Vec::new(), Vec::new());
        for ms in 0..2_000 {
            let run = 4 * ms..4 * ms + 4;
            let offer =
                |run: &Arrivals<'_>| shared.offer_run(at_ms(ms), &Arrivals { ecn, ..run.clone() }, 1_000_000, spares);
            assert_eq!(together(run, (100, 100), offer), 4);
            let mut buf = [0; 400];
            let mut train = Train::new(4 * ms, &mut buf, if ms < 50 { 0 } else { 4 }, 100, 100);
            shared.take_train(at_ms(ms), &mut train, 0, spares);
            let packets = train.packets();
            left.extend(buf.chunks(100).take(packets).map(|packet| packet[0]));
            while let Some(settled) = shared.pop_settled() {
                match settled {
                    Settled::Departed { receipts, ecn } => {
                        numbers.extend(receipts.map(|number| (number, Some(ecn == Ecn::Ce))));
                    }
                    Settled::Dropped { receipt } => numbers.push((receipt, None)),
                }
            }
        }
        assert!(numbers.iter().map(|(number, _)| *number).eq(0..numbers.len() as u64), "in their order");
        let gone = numbers.iter().filter(|(_, how)| how.is_some()).map(|(number, _)| *number as u8);
        assert!(left.iter().copied().eq(gone), "and what left is what was settled so");
        let hit: Vec<u64> = numbers.iter().filter(|(_, how)| *how != Some(false)).map(|(number, _)| *number).collect();
        assert!(hit.len() > 5 && hit.iter().all(|number| number % 4 == 0), "{hit:?}");
        assert_eq!((shared.marks() > 0, shared.dropped() > 0), (marked, !marked));
    }
}

#[test]
fn what_was_dropped_is_settled_also_while_what_has_left_is_not() {
    let mut queue = queue("vegas");
    for receipt in 0..4 {
        queue.offer(at_ms(0), (receipt, Ecn::NotEct), &[0; 10], 0);
    }
    queue.take(at_ms(1), 0, &mut [0; 100]);
    let Alone(shared, spares) = &mut queue;
    assert!(shared.give_way(at_ms(1), spares) && shared.give_way(at_ms(1), spares));
    queue.take(at_ms(1), 1, &mut [0; 100]);
    let mut forfeited = Vec::new();
    assert_eq!(queue.unsettled(), 4);
    queue.take_forfeited(|receipt| forfeited.push(receipt));
    assert_eq!((&forfeited[..], queue.unsettled()), (&[1, 2][..], 2));
    let left = |receipt| Some(Settled::Departed { receipts: receipt..receipt + 1, ecn: Ecn::NotEct });
    assert_eq!([queue.pop_settled(), queue.pop_settled(), queue.pop_settled()], [left(0), left(3), None]);
}

#[test]
fn it_holds_what_leaves_in_its_time_and_no_more() {
    let [mut queue, mut idle] = [queue("vegas"), queue("vegas")];
    let bytes_max = queue.bytes_in_time(Some(1_250_000));
    let taken = (0..1_000).filter(|i| queue.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], bytes_max)).count();
    assert_eq!(taken, 125, "100 ms of 10 Mbit/s");
    assert_eq!(queue.dropped(), 875);
    let taken = (0..100).filter(|i| idle.offer(at_ms(0), (*i, Ecn::NotEct), &[0; 1_000], 0)).count();
    assert_eq!(taken as u64, QUEUE_PACKETS_MIN, "what is not known to leave at any rate");
}

#[test]
fn small_packets_hold_no_more_memory_than_large_ones_and_what_cannot_leave_is_not_taken() {
    let mut queue = queue("vegas");
    let taken = (0..400_000).filter(|i| queue.offer(at_ms(0), (*i, Ecn::NotEct), &[0], u64::MAX)).count();
    assert!(taken * HELD_OVERHEAD <= QUEUE_BYTES_MAX as usize, "{taken}");
    assert!(queue.held_bytes() >= (taken * HELD_OVERHEAD) as u64 && queue.held_bytes() <= QUEUE_BYTES_MAX);
    let mut queue = self::queue("vegas");
    queue.set_payload_max(1_200);
    assert!(!queue.offer(at_ms(0), (1, Ecn::NotEct), &[0; 1_201], 0));
    assert!(queue.offer(at_ms(0), (2, Ecn::NotEct), &[0; 1_200], 0));
}

#[test]
fn what_ends_gives_the_last_packet_that_fits_and_keeps_nothing() {
    let mut queue = queue("vegas").repairing(Duration::from_secs(1));
    for (receipt, len) in [(0, 10), (1, 20), (2, 30), (3, 90)] {
        queue.offer(at_ms(0), (receipt, Ecn::NotEct), &vec![receipt as u8; len], 0);
    }
    assert_eq!(queue.take(at_ms(0), 70, &mut [0; 100]), Some(10));
    assert_eq!(queue.end(at_ms(1), 40), [2; 30]);
    assert_eq!((queue.packets(), queue.held_bytes(), queue.dropped(), queue.pop_settled()), (0, 0, 2, None));
}

#[test]
fn a_feeding_section_that_sees_losses_alone_is_marked_or_dropped_when_the_queue_stands() {
    for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
        let mut queue = queue("cubic");
        let (mut settled, mut buf) = (Vec::new(), [0; 2_000]);
        for ms in 0..2_000 {
            queue.offer(at_ms(ms), (ms, ecn), &[0; 1_000], 1_000_000);
            if ms >= 50 {
                queue.take(at_ms(ms), ms, &mut buf);
            }
            settled.extend(core::iter::from_fn(|| queue.pop_settled()));
        }
        let marks = settled.iter().filter(|it| matches!(it, Settled::Departed { ecn: Ecn::Ce, .. })).count();
        let drops = settled.iter().filter(|it| matches!(it, Settled::Dropped { .. })).count();
        assert_eq!((marks > 0, drops > 0), (marked, !marked), "{marks} marks, {drops} drops");
        assert_eq!(marks as u64, queue.marks());
    }
}

#[test]
fn what_a_repaired_section_loses_leaves_again_first_and_is_settled_once() {
    let mut queue = queue("vegas").repairing(Duration::from_secs(1));
    let mut buf = [0; 100];
    for receipt in 0..3 {
        queue.offer(at_ms(0), (receipt, Ecn::NotEct), &[receipt as u8; 10], 0);
    }
    assert_eq!((queue.take(at_ms(1), 70, &mut buf), queue.take(at_ms(1), 71, &mut buf)), (Some(10), Some(10)));
    assert_eq!(queue.pop_settled(), Some(Settled::Departed { receipts: 0..2, ecn: Ecn::NotEct }));
    queue.handle_fates(at_ms(2), 71..72, Fate::Acked);
    queue.handle_fates(at_ms(2), 70..71, Fate::Lost);
    assert_eq!((queue.packets(), queue.bytes()), (2, 20));
    assert_eq!((queue.take(at_ms(2), 72, &mut buf), buf[0]), (Some(10), 0), "again, and before what waits");
    assert_eq!(queue.pop_settled(), None);
    queue.handle_fates(at_ms(400), 72..73, Fate::Lost);
    assert_eq!((queue.take(at_ms(900), 73, &mut buf), buf[0]), (Some(10), 0), "as often as there is time");
    queue.handle_fates(at_ms(900), 73..74, Fate::Lost);
    assert_eq!((queue.take(at_ms(1_100), 74, &mut buf), buf[0]), (Some(10), 2), "it is too late for the first");
}

#[test]
fn the_last_try_is_made_twice() {
    let mut queue = queue("vegas").repairing(Duration::from_secs(1));
    let mut buf = [0; 100];
    queue.offer(at_ms(0), (1, Ecn::NotEct), b"packet", 0);
    let mut take = |queue: &mut Alone, ms: u64, number| queue.take(at_ms(ms), number, &mut buf);
    take(&mut queue, 0, 50);
    queue.handle_fates(at_ms(600), 50..51, Fate::Lost);
    assert_eq!([51, 52, 53].map(|number| take(&mut queue, 600, number)), [Some(6), Some(6), None]);
    // Of the two the later one counts.
    queue.handle_fates(at_ms(650), 51..52, Fate::Lost);
    assert_eq!(queue.packets(), 0);
    queue.handle_fates(at_ms(650), 52..53, Fate::Lost);
    assert_eq!(queue.packets(), 1);
}

#[test]
fn the_last_packet_of_a_section_has_room_whatever_waits() {
    let mut queue = queue("vegas");
    let offered = (0..30).map(|i| queue.offer(at_ms(i), (i, Ecn::NotEct), &[i as u8; 10], 0)).collect::<Vec<_>>();
    assert!(!offered[29]);
    queue.recall(at_ms(30));
    assert_eq!(queue.packets() as u64, QUEUE_PACKETS_MIN, "it was not the one");
    queue.recall(at_ms(29));
    queue.recall(at_ms(29));
    assert_eq!((queue.packets() as u64, queue.dropped()), (QUEUE_PACKETS_MIN + 1, 9));
    let (mut buf, mut last) = ([0; 100], 0);
    while queue.take(at_ms(40), 0, &mut buf).is_some() {
        last = buf[0];
    }
    assert_eq!(last, 29);
}
