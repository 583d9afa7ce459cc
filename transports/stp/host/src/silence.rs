//! A guest that has something to send, and sends nothing.

use core::time::Duration;

use tng_base::Instant;

/// A guest has so long to send its first segment once there is something to send: three probe timeouts of a path whose
/// round trip nobody knows. An application whose guest does nothing at all is told then.
pub const SILENT_MAX: Duration = Duration::from_secs(3);

/// How long a guest that has sent nothing yet has had something to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Silence {
    /// There was nothing to send.
    #[default]
    Idle,
    /// There has been something since then.
    Since(Instant),
    /// It has sent something.
    Broken,
}

impl Silence {
    /// There is something to send.
    pub(crate) fn begin(&mut self, now: Instant) {
        if *self == Silence::Idle {
            *self = Silence::Since(now);
        }
    }

    /// The guest was called: whether it has sent something since, or was told to wait.
    pub(crate) fn note(&mut self, now: Instant, sent: bool, held_back: bool) {
        *self = match *self {
            _ if sent => Silence::Broken,
            Silence::Since(_) if held_back => Silence::Since(now),
            silence => silence,
        };
    }

    /// When it has lasted for too long.
    pub(crate) fn until(self) -> Option<Instant> {
        match self {
            Silence::Since(since) => Some(since + SILENT_MAX),
            Silence::Idle | Silence::Broken => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lasts_from_when_there_is_something_to_send_until_something_is_sent() {
        let (first, later) = (Instant::from_secs(1), Instant::from_secs(2));
        let mut silence = Silence::default();
        silence.note(first, false, false);
        assert_eq!(silence.until(), None, "there is nothing to send");
        silence.begin(first);
        silence.begin(later);
        silence.note(later, false, false);
        assert_eq!(silence.until(), Some(first + SILENT_MAX));
        silence.note(later, false, true);
        assert_eq!(silence.until(), Some(later + SILENT_MAX), "who was told to wait waits");
        silence.note(later, true, false);
        silence.begin(later);
        assert_eq!(silence.until(), None);
    }
}
