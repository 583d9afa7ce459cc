//! The one descriptor that a program waits for: readable when there is something to do, for whatever reason.

use core::time::Duration;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

/// A set of two: the socket, and a timer.
#[derive(Debug)]
pub struct Descriptor {
    epoll: Epoll,
    timer: TimerFd,
    /// The timer has fired, and nobody has set it since.
    is_ready: bool,
    /// Whether it waits for room to send in, too.
    for_room: bool,
}

impl Descriptor {
    /// One for this socket.
    ///
    /// # Errors
    /// What the system answers.
    pub fn new(socket: impl AsFd) -> io::Result<Descriptor> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        epoll.add(socket, EpollEvent::new(EpollFlags::EPOLLIN, 0))?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, 1))?;
        Ok(Descriptor { epoll, timer, is_ready: false, for_room: false })
    }

    /// Its number.
    pub fn number(&self) -> RawFd {
        self.epoll.0.as_raw_fd()
    }

    /// Makes it readable now. Costs a call of the system's only if it was set since.
    ///
    /// # Errors
    /// What the system answers.
    pub fn make_ready(&mut self) -> io::Result<()> {
        if !self.is_ready {
            self.set(Duration::ZERO)?;
            self.is_ready = true;
        }
        Ok(())
    }

    /// Makes it readable after this time, when the socket is, and, if `for_room`, when that takes more.
    ///
    /// # Errors
    /// What the system answers.
    pub fn settle(&mut self, after: Option<Duration>, socket: impl AsFd, for_room: bool) -> io::Result<()> {
        match after {
            Some(after) => self.set(after)?,
            None => self.timer.unset()?,
        }
        self.is_ready = false;
        if for_room != self.for_room {
            let room = if for_room { EpollFlags::EPOLLOUT } else { EpollFlags::empty() };
            self.epoll.modify(socket, &mut EpollEvent::new(EpollFlags::EPOLLIN | room, 0))?;
            self.for_room = for_room;
        }
        Ok(())
    }

    fn set(&self, after: Duration) -> io::Result<()> {
        // Nothing would unset it.
        let after = TimeSpec::from_duration(after.max(Duration::from_nanos(1)));
        Ok(self.timer.set(Expiration::OneShot(after), TimerSetTimeFlags::empty())?)
    }
}
