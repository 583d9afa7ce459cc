//! A guest that burns all of the processor that it may have, and sends nothing for it.

use core::time::Duration;

use tng_base::Instant;

/// A guest that has something to send, burns what fuel it may have, and sends nothing for so long, is stopped: before
/// its application has to ask whether anything happens.
pub const TOIL_MAX: Duration = Duration::from_secs(2);

/// Since when a guest has been out of fuel, and has sent nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Toil {
    /// It has fuel, or nothing to send.
    #[default]
    None,
    /// It had burnt so much fuel by then, and had sent so many segments.
    Since { at: Instant, fuel: u64, sent: u64 },
}

impl Toil {
    /// It is out of fuel, and has something to send.
    pub(crate) fn begin(&mut self, at: Instant, fuel: u64, sent: u64) {
        match *self {
            Toil::Since { sent: had, .. } if had == sent => {}
            Toil::None | Toil::Since { .. } => *self = Toil::Since { at, fuel, sent },
        }
    }

    /// Whether it has lasted for too long. Who was out of fuel since its host has waited for it, and has burnt little
    /// itself, has more time.
    pub(crate) fn is_over(&mut self, now: Instant, fuel: u64, sent: u64, per_sec: u64) -> bool {
        let Toil::Since { at, fuel: before, sent: had } = *self else { return false };
        if had == sent && now < at + TOIL_MAX {
            return false;
        }
        *self = Toil::None;
        had == sent && fuel - before >= per_sec.saturating_mul(TOIL_MAX.as_secs()) / 2
    }

    /// When it will have lasted for too long.
    pub(crate) fn until(self) -> Option<Instant> {
        match self {
            Toil::None => None,
            Toil::Since { at, .. } => Some(at + TOIL_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PER_SEC: u64 = 1_000;

    #[test]
    fn it_is_over_for_who_burns_what_there_is_and_sends_nothing_and_for_nobody_else() {
        let (first, later) = (Instant::from_secs(1), Instant::from_secs(1) + TOIL_MAX);
        let over = |now, fuel, sent| {
            let mut toil = Toil::default();
            toil.begin(first, 500, 7);
            assert_eq!(toil.until(), Some(later));
            toil.is_over(now, fuel, sent, PER_SEC)
        };
        assert!(over(later, 500 + PER_SEC, 7));
        assert!(!over(later, 500 + PER_SEC, 8), "it has sent");
        assert!(!over(later, 500 + PER_SEC - 1, 7), "its host has waited");
        assert!(!over(later - Duration::from_millis(1), 5_000, 7), "it has its time");
        assert!(!Toil::default().is_over(later, 5_000, 0, PER_SEC));
    }

    #[test]
    fn it_begins_anew_with_each_segment() {
        let mut toil = Toil::default();
        toil.begin(Instant::from_secs(1), 0, 0);
        toil.begin(Instant::from_secs(2), 9, 0);
        assert_eq!(toil.until(), Some(Instant::from_secs(1) + TOIL_MAX), "it is the same");
        toil.begin(Instant::from_secs(2), 9, 1);
        assert_eq!(toil.until(), Some(Instant::from_secs(2) + TOIL_MAX));
    }
}
