//! How many use a flow.

use core::time::Duration;

use tng_base::Instant;

/// Who has used a flow within the last so long, or two round trips if these are longer, counts; and up to twice as long
/// ago, as time is cut into spans.
pub const PARTIES_LOOK: Duration = Duration::from_millis(100);

/// Counts of the span under way, and of the one before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parties {
    span: u64,
    began: Instant,
    now: usize,
    before: usize,
}

/// The last span in which a share counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Seen(u64);

impl Parties {
    pub(super) fn new(now: Instant) -> Parties {
        Parties { span: 1, began: now, now: 0, before: 0 }
    }

    /// A share uses the flow.
    pub(super) fn note(&mut self, seen: &mut Seen) {
        if seen.0 != self.span {
            *seen = Seen(self.span);
            self.now += 1;
        }
    }

    /// How many do, if somebody has asked of late.
    pub(super) fn known(&self, now: Instant, look: Duration) -> Option<usize> {
        (now.since(self.began) < 2 * look).then_some(self.now.max(self.before))
    }

    /// How many do, including the one that asks; asking does not make it a party to the others.
    pub(super) fn count(&mut self, now: Instant, look: Duration, asking: Seen) -> usize {
        let passed = now.since(self.began);
        if passed >= look {
            self.before = if passed >= 2 * look { 0 } else { self.now };
            (self.span, self.began, self.now) = (self.span + 1, now, 0);
        }
        let behind = self.span.saturating_sub(asking.0);
        (self.now + usize::from(behind > 0)).max(self.before + usize::from(behind > 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Duration = Duration::from_millis(100);

    #[test]
    fn who_has_used_the_flow_of_late_counts_once() {
        let at = Instant::from_millis;
        let mut parties = Parties::new(at(0));
        let [mut guest, mut streams, mut other] = [Seen::default(); 3];
        let idle = Seen::default();
        assert_eq!((parties.count(at(0), LOOK, guest), parties.count(at(0), LOOK, idle)), (1, 1));
        parties.note(&mut guest);
        for _ in 0..5 {
            parties.note(&mut streams);
        }
        parties.note(&mut other);
        assert_eq!((parties.count(at(50), LOOK, guest), parties.count(at(99), LOOK, guest)), (3, 3));
        assert_eq!(parties.count(at(99), LOOK, idle), 4, "it counts itself, and is no party to the others");
        assert_eq!(parties.count(at(100), LOOK, guest), 3, "those of the span before");
        parties.note(&mut guest);
        parties.note(&mut streams);
        assert_eq!((parties.count(at(210), LOOK, guest), parties.count(at(310), LOOK, guest)), (2, 1));
        parties.note(&mut other);
        assert_eq!(parties.count(at(9_000), LOOK, guest), 1, "that was long ago");
    }
}
