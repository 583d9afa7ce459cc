//! Less for each when a server has too much to do (Trickles 2.2, "it can throttle the rate of continuations that each
//! connection can acquire", and 7.1, low parallelism under load).

use core::ops::Range;

use tng_base::Instant;
use tng_crypto::SipKey;

use crate::ClientNetwork;

/// The largest window, in packets, of a server whose load is just above half.
pub const WINDOW_LOADED_MAX: u64 = 2_048;

/// The largest window, in packets, of a server under full load.
pub const WINDOW_LOADED_MIN: u64 = 2;

/// The largest window, in packets, of a server whose queue stands however small windows are: with less a client that
/// loses a packet waits for its timeout, and asks in vain meanwhile.
pub const WINDOW_STANDING_MIN: u64 = 8;

/// Packets that a place may be sent in a second by a server whose load is just above half.
pub const PLACE_PACKETS_PER_SECOND_MAX: u64 = 32_768;

/// Packets that a place may be sent in a second by a server under full load.
pub const PLACE_PACKETS_PER_SECOND_MIN: u64 = 32;

/// The difficulty of puzzles for expensive requests under full load, in bits.
pub const DIFFICULTY_LOADED_MAX: u8 = 20;

/// Up to half of the load there is no bound; from there on bounds come in so many steps, each half of the one before.
const STEPS: u32 = 11;
const _: () = assert!(WINDOW_LOADED_MAX >> (STEPS - 1) == WINDOW_LOADED_MIN);
/// So many of them are for a queue that stands.
pub(crate) const STANDING_STEPS: u32 = 9;
const _: () = assert!(WINDOW_LOADED_MAX >> (STANDING_STEPS - 1) == WINDOW_STANDING_MIN);
const _: () = assert!(PLACE_PACKETS_PER_SECOND_MAX >> (STEPS - 1) == PLACE_PACKETS_PER_SECOND_MIN);

/// Counters of a row.
const COUNTERS_PER: usize = 1 << 12;

/// What a server grants by its load. The owner says what the load is: the share of its time that it works, or of its
/// line that is taken. A server that [sheds load](crate::server::ServerConfig::sheds_load) says itself how full its
/// queue is, and that the queue stands: that bounds windows, and nothing else.
///
/// No window is bounded by force: each follows from numbers that are already with the client. A release that goes
/// beyond a bound is cut short; the client sees packets lost, and halves its window as at any bottleneck.
///
/// Clients with many connections, or many lines of one, are bounded by their place. Packets are counted for a second,
/// in two counters for each place, and the lower one counts (Cormode and Muthukrishnan, "count-min"). A place that
/// meets others in both may be bounded early.
pub struct Throttle {
    key: SipKey,
    load: f64,
    /// How full the queue is, from 0 to 1.
    fullness: f64,
    /// Of [`STEPS`]: 0 up to half of the load.
    step: u32,
    /// Of [`STEPS`], for a queue that stands.
    standing: u32,
    second: u64,
    rows: [Box<[u32; COUNTERS_PER]>; 2],
}

impl core::fmt::Debug for Throttle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Throttle").field("load", &self.load).field("second", &self.second).finish_non_exhaustive()
    }
}

impl Throttle {
    /// That of a server without load. `key` is drawn for it alone, or somebody would look for places that meet.
    pub fn new(key: SipKey) -> Throttle {
        let row = || Box::new([0; COUNTERS_PER]);
        Throttle { key, step: 0, standing: 0, load: 0.0, fullness: 0.0, second: 0, rows: [row(), row()] }
    }

    /// The load is `load`: 0 is idle, 1 is as much as can be done. What is no number changes nothing.
    pub fn set_load(&mut self, load: f64) {
        if !load.is_nan() {
            self.load = load.clamp(0.0, 1.0);
            self.follow();
        }
    }

    /// So many requests wait, of so many that may.
    pub fn set_waiting(&mut self, waiting: usize, most: usize) {
        self.fullness = (waiting as f64 / most.max(1) as f64).min(1.0);
        self.follow();
    }

    /// For a queue that stands there are so many steps of windows.
    pub const fn set_standing(&mut self, steps: u32) {
        self.standing = if steps < STANDING_STEPS { steps } else { STANDING_STEPS };
    }

    fn follow(&mut self) {
        let load = self.load.max(self.fullness);
        self.step = ((load - 0.5) * 2.0 * f64::from(STEPS)).ceil().max(0.0) as u32;
    }

    /// Bytes that it holds, whatever places are counted.
    pub const fn held(&self) -> usize {
        self.rows.len() * COUNTERS_PER * size_of::<u32>()
    }

    /// The window that a release may grow to, in packets; none if the load is half or less, and no queue stands.
    pub const fn window_max(&self) -> Option<u64> {
        match if self.step > self.standing { self.step } else { self.standing } {
            0 => None,
            step => Some(WINDOW_LOADED_MAX >> (step - 1)),
        }
    }

    /// The window that a new line begins with, when it would begin with `initial` packets.
    pub fn initial_window(&self, initial: u64) -> u64 {
        self.window_max().map_or(initial, |most| initial.min(most))
    }

    /// Zero bits that a puzzle for an expensive request asks for now; 0 asks for none.
    pub const fn difficulty(&self) -> u8 {
        (DIFFICULTY_LOADED_MAX as u32 * self.step / STEPS) as u8
    }

    /// What is sent of `released`, that a request for `covered` packets releases, whose window is then `window`: all of
    /// it, or no more than it covers, so that nothing grows, or nothing.
    ///
    /// Nothing grows in a window that is as large as may be, and in a place that was sent as much in this second as may
    /// be; and nothing is sent to a place that was sent twice as much.
    pub fn allow(
        &mut self,
        now: Instant,
        place: &ClientNetwork,
        window: u64,
        covered: u64,
        released: Range<u64>,
    ) -> Range<u64> {
        let second = now.as_nanos() / 1_000_000_000;
        if second != self.second {
            self.second = second;
            self.rows.iter_mut().for_each(|row| row.fill(0));
        }
        let hash = u64::from_be_bytes(self.key.tag(&[place.as_bytes()]));
        let at = [hash as usize % COUNTERS_PER, (hash >> 32) as usize % COUNTERS_PER];
        let sent = u64::from(self.rows[0][at[0]].min(self.rows[1][at[1]]));
        let mut count = released.end.saturating_sub(released.start);
        if self.window_max().is_some_and(|window_max| window > window_max) {
            count = count.min(covered);
        }
        if self.step > 0 {
            let place_max = PLACE_PACKETS_PER_SECOND_MAX >> (self.step - 1);
            if sent >= place_max {
                count = count.min(covered);
            }
            count = count.min((2 * place_max).saturating_sub(sent));
        }
        for (row, at) in self.rows.iter_mut().zip(at) {
            row[at] = row[at].saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        }
        released.start..released.start + count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Growth;
    use std::collections::VecDeque;

    fn throttle(load: f64) -> Throttle {
        let mut throttle = Throttle::new(SipKey::from_bytes([2; 16]));
        throttle.set_load(load);
        throttle
    }

    fn place(n: u8) -> ClientNetwork {
        ClientNetwork::of([192, 0, 2, n].into())
    }

    #[test]
    fn up_to_half_of_the_load_there_is_no_bound_and_from_there_on_bounds_halve_and_puzzles_get_harder() {
        for load in [-1.0, 0.0, 0.3, 0.5, f64::NEG_INFINITY] {
            let mut throttle = throttle(load);
            assert_eq!((throttle.window_max(), throttle.difficulty()), (None, 0), "{load}");
            assert_eq!(throttle.initial_window(10), 10);
            assert_eq!(throttle.allow(Instant::ZERO, &place(1), u64::MAX, 1, 5..1_000_000), 5..1_000_000);
        }
        let at = |load| (throttle(load).window_max(), throttle(load).difficulty());
        assert_eq!(at(0.500_1), (Some(WINDOW_LOADED_MAX), 1));
        assert_eq!(at(0.75), (Some(64), 10));
        assert_eq!([at(1.0), at(7.0), at(f64::INFINITY)], [(Some(WINDOW_LOADED_MIN), DIFFICULTY_LOADED_MAX); 3]);
        let mut last = (u64::MAX, 0);
        for step in 0..=1_000 {
            let throttle = throttle(f64::from(step) / 1_000.0);
            let (window, difficulty) = (throttle.window_max().unwrap_or(u64::MAX), throttle.difficulty());
            assert!(window <= last.0 && difficulty >= last.1, "{step}");
            last = (window, difficulty);
        }
        let mut kept = throttle(0.75);
        kept.set_load(f64::NAN);
        assert_eq!((kept.load, kept.initial_window(10), kept.initial_window(100)), (0.75, 10, 64));
    }

    /// Packets that a client is sent in each of 300 round trips of 200 ms, and its largest window. It halves its window
    /// when packets are missing. `is_on`: under a load of 3/4.
    fn downloads(is_on: bool) -> (Vec<u64>, u64) {
        let mut throttle = throttle(if is_on { 0.75 } else { 0.0 });
        let (mut growth, mut under_way) = (Growth::new(0, 10, 1_000), (1..=10).collect::<VecDeque<u64>>());
        let (mut sent, mut largest, mut recovered) = (Vec::new(), 0, 0);
        for round in 0..300 {
            let now = Instant::from_millis(200 * round);
            let mut of_round = 0;
            for number in core::mem::take(&mut under_way) {
                if number <= recovered {
                    continue;
                }
                let released = growth.released(number, number);
                let window = growth.window(number);
                largest = largest.max(window);
                let allowed = throttle.allow(now, &place(1), window, 1, released.clone());
                of_round += allowed.end - allowed.start;
                if allowed != released {
                    let half = (window / 2).max(2);
                    recovered = number + window;
                    growth = Growth::new(recovered, half, half);
                    under_way = (recovered + 1..=recovered + half).collect();
                    break;
                }
                under_way.extend(allowed);
            }
            sent.push(of_round);
        }
        (sent, largest)
    }

    #[test]
    fn under_load_the_window_swings_below_its_bound_and_a_client_goes_on() {
        let bound = throttle(0.75).window_max().unwrap();
        let (sent, largest) = downloads(true);
        assert_eq!(largest, bound + 1, "the first packet beyond it is not sent");
        assert!(sent[20..].iter().all(|sent| (1..=bound + 1).contains(sent)), "{sent:?}");
        let mean = sent[20..].iter().sum::<u64>() as f64 / 280.0;
        assert!((0.5..=1.0).contains(&(mean / bound as f64)), "{mean} of {bound}");
    }

    #[test]
    fn without_load_the_same_client_grows_beyond_any_bound() {
        assert!(downloads(false).1 > 1_000);
    }

    #[test]
    fn however_many_connections_a_place_has_it_is_sent_twice_its_share_at_most_and_others_get_theirs() {
        for (load, is_bound) in [(1.0, true), (0.0, false)] {
            let mut throttle = throttle(load);
            let (mut greedy, mut modest) = (0, 0);
            for second in 0..10 {
                // A thousand connections against one.
                for request in 0..1_000 {
                    let now = Instant::from_millis(1_000 * second + request);
                    let allowed = throttle.allow(now, &place(1), 2, 1, 0..2);
                    greedy += allowed.end - allowed.start;
                    if request % 100 == 0 {
                        let allowed = throttle.allow(now, &place(2), 2, 1, 0..1);
                        modest += allowed.end - allowed.start;
                    }
                }
            }
            assert_eq!(greedy, if is_bound { 10 * 2 * PLACE_PACKETS_PER_SECOND_MIN } else { 20_000 });
            assert_eq!(modest, 100);
        }
    }
}
