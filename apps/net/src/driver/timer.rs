//! When the machine wants to be called.

use core::future::Future;
use core::pin::Pin;
use core::task::Context;
use core::time::Duration;

use tng_base::Instant;
use tokio::time::Sleep;

use crate::lock::Clock;

/// A deadline that is nearer than this has a timer of the system's: tokio's come up to a millisecond late.
pub(super) const FINE_BELOW: Duration = Duration::from_millis(2);

/// A timer that is moved only to fire earlier. When it fires too early, it is set anew: deadlines mostly move away.
pub(super) struct Timer {
    clock: Clock,
    sleep: Pin<Box<Sleep>>,
    /// What the sleep is set to, until it has fired.
    armed: Option<Instant>,
    /// Made when it is wanted first; `None` if the system has none.
    fine: Option<Option<Fine>>,
}

impl Timer {
    pub(super) fn new(clock: Clock) -> Timer {
        let sleep = Box::pin(tokio::time::sleep_until(clock.to_tokio(Instant::ZERO)));
        Timer { clock, sleep, armed: None, fine: None }
    }

    /// Whether `at` has come, which was `near` when it was set. If not, the task is woken then.
    pub(super) fn poll_due(&mut self, cx: &mut Context<'_>, at: Option<Instant>, near: bool) -> bool {
        let Some(at) = at else { return false };
        if near && let Some(fine) = self.fine.get_or_insert_with(Fine::new) {
            return fine.poll_due(cx, self.clock, at);
        }
        loop {
            if self.armed.is_none_or(|armed| armed > at) {
                self.sleep.as_mut().reset(self.clock.to_tokio(at));
                self.armed = Some(at);
            }
            if self.sleep.as_mut().poll(cx).is_pending() {
                return false;
            }
            if self.armed.take() == Some(at) {
                return true;
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod fine {
    use core::task::{Context, Poll};
    use core::time::Duration;
    use std::os::fd::AsFd;

    use nix::sys::time::TimeSpec;
    use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
    use tng_base::Instant;
    use tokio::net::unix::pipe::Receiver;

    use crate::lock::Clock;

    /// A timer of the system's, to the microsecond. It costs a call each time that it is set.
    pub(super) struct Fine {
        timer: TimerFd,
        /// The same to tokio, which waits for a pipe as it would for a timer: until there is something to read.
        fires: Receiver,
        /// What it is set to, until it has fired.
        armed: Option<Instant>,
    }

    impl Fine {
        /// `None` if the system has none left.
        pub(super) fn new() -> Option<Fine> {
            let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
            let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags).ok()?;
            let fires = Receiver::from_owned_fd_unchecked(timer.as_fd().try_clone_to_owned().ok()?).ok()?;
            Some(Fine { timer, fires, armed: None })
        }

        /// As [`Timer::poll_due`](super::Timer::poll_due).
        pub(super) fn poll_due(&mut self, cx: &mut Context<'_>, clock: Clock, at: Instant) -> bool {
            loop {
                if self.armed.is_none_or(|armed| armed > at) {
                    let wait = at.since(clock.now());
                    if wait.is_zero() {
                        return true;
                    }
                    let wait = TimeSpec::from_duration(wait.max(Duration::from_micros(1)));
                    if self.timer.set(Expiration::OneShot(wait), TimerSetTimeFlags::empty()).is_err() {
                        return true;
                    }
                    self.armed = Some(at);
                }
                match self.fires.poll_read_ready(cx) {
                    Poll::Pending | Poll::Ready(Err(_)) => return false,
                    Poll::Ready(Ok(())) => {}
                }
                // How often it has fired.
                if self.fires.try_read(&mut [0; 8]).is_ok() && self.armed.take() == Some(at) {
                    return true;
                }
            }
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod fine {
    use core::convert::Infallible;
    use core::task::Context;

    use tng_base::Instant;

    use crate::lock::Clock;

    /// Other systems have none that tokio can wait for.
    pub(super) struct Fine(Infallible);

    impl Fine {
        pub(super) fn new() -> Option<Fine> {
            None
        }

        pub(super) fn poll_due(&mut self, _: &mut Context<'_>, _: Clock, _: Instant) -> bool {
            match self.0 {}
        }
    }
}

use fine::Fine;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_timer_of_the_systems_is_made_when_one_is_wanted() {
        let mut timer = Timer::new(Clock::start());
        let at = Instant::ZERO + Duration::from_secs(3_600);
        core::future::poll_fn(|cx| {
            assert!(!timer.poll_due(cx, Some(at), false) && timer.fine.is_none());
            assert!(!timer.poll_due(cx, Some(at), true) && timer.fine.is_some());
            core::task::Poll::Ready(())
        })
        .await;
    }
}
