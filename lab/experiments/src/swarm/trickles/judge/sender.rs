//! A sender that remembers all: TCP Reno, by counting packets. It has nothing of the closed form, nor of what a server
//! computes of losses.

use core::ops::Range;
use std::collections::BTreeSet;

/// The smallest threshold after a loss, in packets (RFC 5681, equation 4).
const THRESHOLD_MIN: u64 = 2;

/// The window of a loss, in which nothing grows: one cut a window.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    /// The packet that was lost, and the last of its window.
    first: u64,
    last: u64,
    /// What the window is halved to, and how many packets of this half at the end came: each sends one.
    half: u64,
    survivors: u64,
}

/// A line of numbers: one window, from the packets that it begins with on.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    window: u64,
    threshold: u64,
    /// Packets acknowledged since the window grew last, in congestion avoidance.
    counted: u64,
    recovery: Option<Recovery>,
    /// All packets up to this number are acknowledged, or known to be lost.
    known: u64,
    /// Packets beyond it that were sent.
    sent: BTreeSet<u64>,
}

impl Sender {
    /// One that has sent the first `window` packets behind `base`.
    pub fn new(base: u64, window: u64, threshold: u64) -> Sender {
        Sender {
            window,
            threshold: threshold.max(window),
            counted: 0,
            recovery: None,
            known: base,
            sent: (base + 1..=base + window).collect(),
        }
    }

    /// Packets that may be under way: while it recovers as many as when the loss was found.
    pub const fn window(&self) -> u64 {
        self.window
    }

    /// A client tells what became of all packets up to `high`. `undone`: all that was lost of the first window behind
    /// that number came late.
    pub fn hear(&mut self, high: u64, lost: &[Range<u64>], undone: Option<u64>) {
        for number in self.known + 1..=high {
            let is_lost = lost.iter().any(|range| range.contains(&number));
            self.step(number, is_lost, lost, undone);
        }
        self.known = self.known.max(high);
        self.sent = self.sent.split_off(&(self.known + 1));
    }

    fn step(&mut self, number: u64, is_lost: bool, lost: &[Range<u64>], undone: Option<u64>) {
        if let Some(recovery) = &mut self.recovery {
            if number <= recovery.last {
                recovery.survivors += u64::from(!is_lost && number + recovery.half > recovery.last);
                return;
            }
            // The first that is lost of the line that the client tells of.
            let first = undone
                .and_then(|base| lost.iter().find(|range| range.end > base + 1).map(|range| range.start.max(base + 1)));
            // The cut was a mistake: slow start goes as far as without it.
            let threshold = match first == Some(recovery.first) {
                true => self.window.max(self.threshold),
                false => recovery.half,
            };
            (self.window, self.threshold, self.counted) = (recovery.survivors, threshold, 0);
            self.recovery = None;
        }
        if is_lost {
            let half = (self.window / 2).max(THRESHOLD_MIN);
            // The lost packet is the first of its window: what is under way now.
            let last = number + self.window.saturating_sub(1);
            self.recovery = Some(Recovery { first: number, last, half, survivors: 0 });
        } else if self.window < self.threshold {
            self.window += 1;
        } else {
            self.counted += 1;
            if self.counted >= self.window {
                (self.window, self.counted) = (self.window + 1, 0);
            }
        }
    }

    /// Those are sent. Answers how many are under way.
    pub fn send(&mut self, numbers: Range<u64>) -> u64 {
        self.sent.extend(numbers.filter(|number| *number > self.known));
        self.sent.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_by_packets_and_is_cut_once_a_window_to_what_came_of_its_second_half() {
        let mut sender = Sender::new(0, 10, 12);
        let window = |sender: &mut Sender, high, lost: &[Range<u64>]| {
            sender.hear(high, lost, None);
            sender.window()
        };
        // Two of slow start, then one for each window.
        assert_eq!([1, 2, 13, 14, 26].map(|high| window(&mut sender, high, &[])), [11, 12, 12, 13, 13]);
        // 13 are under way from the lost 27 on, up to 39; of the last six, 34 to 39, four come.
        let (first, more) = (27..28, 35..37);
        let lost = [first, more];
        assert_eq!(window(&mut sender, 39, &lost), 13);
        assert_eq!([40, 41, 45].map(|high| window(&mut sender, high, &lost)), [5, 6, 6]);
        // The same, taken back.
        let mut sender = Sender::new(0, 10, 12);
        sender.hear(26, &[], None);
        sender.hear(45, &lost, Some(0));
        assert_eq!(sender.window(), 10);
    }

    #[test]
    fn what_is_under_way_is_what_was_sent_behind_all_that_is_known() {
        let mut sender = Sender::new(100, 4, 100);
        assert_eq!(sender.send(105..105), 4);
        sender.hear(102, &[], None);
        assert_eq!((sender.send(105..109), sender.window()), (6, 6));
        assert_eq!(sender.send(105..109), 6, "copies are not counted");
        assert_eq!(sender.send(109..110), 7, "one too many shows");
    }
}
