//! A timer that is moved often and goes off seldom.

use tng_stp_abi::Host;

const NEVER: u64 = u64::MAX;

/// The host is asked only for an earlier time: one that was put off goes off in vain, and is set again then. So a
/// segment that puts the timeout off costs no call.
#[derive(Clone, Debug)]
pub struct Alarm {
    id: u32,
    due: u64,
    armed: u64,
}

impl Alarm {
    /// One that is not set, of the host's timer `id`.
    pub const fn new(id: u32) -> Alarm {
        Alarm { id, due: NEVER, armed: NEVER }
    }

    /// Has it go off in so many milliseconds.
    pub fn set(&mut self, host: &mut impl Host, now: u64, in_ms: u64) {
        self.due = now.saturating_add(in_ms);
        self.arm(host, now);
    }

    /// Has it not go off.
    pub fn clear(&mut self) {
        self.due = NEVER;
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.due != NEVER
    }

    /// The host's timer went off; answers whether this one does.
    pub fn handle_timer(&mut self, host: &mut impl Host, now: u64) -> bool {
        self.armed = NEVER;
        if now < self.due {
            self.arm(host, now);
            return false;
        }
        self.due = NEVER;
        true
    }

    fn arm(&mut self, host: &mut impl Host, now: u64) {
        let in_ms = u32::try_from(self.due.saturating_sub(now)).unwrap_or(u32::MAX);
        if self.due < self.armed && host.timer_reset(self.id, in_ms).is_ok() {
            self.armed = self.due;
        }
    }
}
