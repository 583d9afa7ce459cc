//! Requests clock the server's packets: they are spread over the round trip.

use core::time::Duration;

use tng_base::Instant;

/// Packets that may be asked for at once, in one burst, however slowly they leave otherwise.
pub const BURST_MAX: u64 = 10;

/// What leaves in this time may be asked for at once, too: timers come so late, and on a fast path fewer datagrams at
/// once cost both ends more.
pub const BURST_TIME: Duration = Duration::from_millis(1);

/// What a window is spread by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Packets of a round trip.
    pub(super) window: u64,
    /// In slow start they double from one round trip to the next: spread over all of it, they would take two.
    pub(super) doubles: bool,
}

/// When the next request may go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacer {
    /// When as many packets have been asked for as are due.
    due: Instant,
}

impl Pacer {
    /// A request for `packets` goes out: a window of them takes four fifths of a round trip so that nothing waits for
    /// long, and half of one in slow start.
    pub(super) fn sent(&mut self, now: Instant, packets: u64, rtt: Option<Duration>, pace: Pace) {
        let Some(each) = each(rtt, pace) else { return };
        let earliest = Instant::from_nanos(now.as_nanos().saturating_sub(burst(each)));
        let took = Duration::from_nanos(each.saturating_mul(packets));
        self.due = self.due.max(earliest) + took;
    }

    /// When the next may go.
    pub(super) const fn next(&self) -> Instant {
        self.due
    }
}

fn each(rtt: Option<Duration>, Pace { window, doubles }: Pace) -> Option<u64> {
    let rtt = u64::try_from(rtt?.as_nanos()).ok()?;
    let share = if doubles { rtt / 2 } else { rtt * 4 / 5 };
    Some(share / window.max(1))
}

fn burst(each: u64) -> u64 {
    each.saturating_mul(BURST_MAX).max(BURST_TIME.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_burst_a_window_takes_four_fifths_of_a_round_trip() {
        let (mut pacer, rtt) = (Pacer::default(), Some(Duration::from_millis(100)));
        let mut now = Instant::from_secs(1);
        let (mut burst, mut sent) = (0, 0);
        while sent < 200 {
            if pacer.next() > now {
                burst = if burst == 0 { sent } else { burst };
                now = pacer.next();
            }
            pacer.sent(now, 2, rtt, Pace { window: 100, doubles: false });
            sent += 2;
        }
        assert!((BURST_MAX..=BURST_MAX + 2).contains(&burst), "{burst}");
        let took = now.since(Instant::from_secs(1));
        assert!((Duration::from_millis(145)..=Duration::from_millis(160)).contains(&took), "{took:?}");
        // A path so fast that a burst of that kind is over before any timer comes.
        let (mut pacer, rtt, mut sent) = (Pacer::default(), Some(Duration::from_millis(10)), 0);
        while pacer.next() <= now {
            pacer.sent(now, 2, rtt, Pace { window: 1_000, doubles: false });
            sent += 2;
        }
        assert!((125..=127).contains(&sent), "{sent} packets of 8 us");
        let mut pacer = Pacer::default();
        pacer.sent(now, 1_000, None, Pace { window: 1, doubles: false });
        assert!(pacer.next() <= now + Duration::from_millis(2), "what was never measured is not paced");
    }
}
