//! Datagrams that are too large for a tunnel between UDP ports: nobody tells who has sent them, so that it is said
//! here.

use std::time::{Duration, Instant};

/// From one line of datagrams that are too large for a tunnel to the next, at least.
pub const OVERSIZE_TOLD_EVERY: Duration = Duration::from_secs(600);

/// For how long the same is the most that a tunnel carries before that is told: it grows while the section looks for
/// its packet size.
pub const OVERSIZE_TOLD_AFTER: Duration = Duration::from_secs(5);

/// What WireGuard adds to a packet: its header, and a tag.
const WIREGUARD_BYTES: usize = 32;

/// Datagrams that did not fit, as they are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Oversize {
    /// The largest of them, in bytes.
    pub bytes: usize,
    /// What the tunnel carries at most, in bytes.
    pub max: usize,
}

impl Oversize {
    /// The largest MTU of a WireGuard interface all of whose packets fit.
    pub fn wireguard_mtu(&self) -> usize {
        // What it pads its packets with stays within the MTU.
        self.max.saturating_sub(WIREGUARD_BYTES) & !3
    }
}

/// When it is told that some do not fit.
#[derive(Debug, Default)]
pub struct Notes {
    /// What the tunnel carried when one did not fit last, since when, and the largest that did not.
    last: Option<(Oversize, Instant)>,
    told_at: Option<Instant>,
}

impl Notes {
    /// Notes one that does not fit. Some if the relay should tell of it now.
    pub fn note(&mut self, now: Instant, bytes: usize, max: usize) -> Option<Oversize> {
        let (mut seen, since) = match self.last {
            Some((seen, since)) if seen.max == max => (seen, since),
            _ => (Oversize { bytes, max }, now),
        };
        seen.bytes = seen.bytes.max(bytes);
        self.last = Some((seen, since));
        let is_told = self.told_at.is_some_and(|told_at| now - told_at < OVERSIZE_TOLD_EVERY);
        if is_told || now - since < OVERSIZE_TOLD_AFTER {
            return None;
        }
        self.told_at = Some(now);
        Some(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn it_is_told_once_what_a_tunnel_carries_when_that_is_known_and_seldom_again() {
        let (mut notes, began) = (Notes::default(), clock::now());
        let at = |ms: u64| began + Duration::from_millis(ms);
        assert_eq!(notes.note(at(0), 1_452, 1_173), None, "it may grow");
        assert_eq!(notes.note(at(4_900), 1_452, 1_445), None, "it has");
        assert_eq!(notes.note(at(9_000), 1_460, 1_445), None);
        let told = notes.note(at(10_000), 1_452, 1_445).expect("it stays");
        assert_eq!((told, told.wireguard_mtu()), (Oversize { bytes: 1_460, max: 1_445 }, 1_412));
        assert_eq!(notes.note(at(609_000), 1_452, 1_445), None);
        assert!(notes.note(at(610_000), 1_452, 1_445).is_some());
    }

    #[test]
    fn the_mtu_that_is_advised_fits_and_the_next_larger_multiple_of_four_does_not() {
        for max in 1_280..1_500 {
            let mtu = Oversize { bytes: 2_000, max }.wireguard_mtu();
            assert!(mtu + WIREGUARD_BYTES <= max && mtu + 4 + WIREGUARD_BYTES > max);
        }
    }
}
