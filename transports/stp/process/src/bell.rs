//! What wakes a thread that waits for lines to close.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Where the system does not let it wait, so long passes before it tries again.
const PAUSE: Duration = Duration::from_millis(100);

/// Rung by any thread, heard by one.
#[derive(Debug)]
pub(crate) struct Bell {
    rung: UnixStream,
    heard: UnixStream,
}

impl Bell {
    pub(crate) fn new() -> io::Result<Bell> {
        let (rung, heard) = UnixStream::pair()?;
        rung.set_nonblocking(true)?;
        heard.set_nonblocking(true)?;
        Ok(Bell { rung, heard })
    }

    /// Wakes who waits, or will wait next.
    pub(crate) fn ring(&self) {
        // Where there is no room for another ring, there is one to be heard.
        let _ = (&self.rung).write(&[0]);
    }

    /// Waits until it rings, for so long at most, or until one of these lines is closed or says something; answers
    /// which do.
    #[expect(clippy::disallowed_methods, reason = "a thread of its own, which the system cannot have wait just now")]
    pub(crate) fn wait(&self, lines: &[(u32, OwnedFd)], most: Option<Duration>) -> Vec<u32> {
        let all = core::iter::once(self.heard.as_fd()).chain(lines.iter().map(|(_, line)| line.as_fd()));
        let mut polled: Vec<PollFd<'_>> = all.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        let most = most.map_or(PollTimeout::NONE, |most| {
            // Whole milliseconds, and none too few.
            PollTimeout::try_from(most + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
        });
        match poll(&mut polled, most) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Vec::new(),
            Err(_) => {
                std::thread::sleep(PAUSE);
                return Vec::new();
            }
        }
        while matches!((&self.heard).read(&mut [0; 64]), Ok(1..)) {}
        let happened = |polled: &PollFd<'_>| polled.revents().is_some_and(|what| !what.is_empty());
        let lines = lines.iter().zip(&polled[1..]).filter(|(_, polled)| happened(polled));
        lines.map(|((id, _), _)| *id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Option<Duration> = Some(Duration::from_secs(60));

    #[test]
    fn who_waits_is_woken_by_a_ring_before_or_meanwhile_and_by_a_line_that_closes() {
        let bell = Bell::new().unwrap();
        bell.ring();
        bell.ring();
        assert_eq!(bell.wait(&[], LONG), []);
        assert_eq!(bell.wait(&[], Some(Duration::from_millis(1))), [], "control: it was heard");
        let (open, closed) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        let lines = [(1, OwnedFd::from(open.0)), (2, OwnedFd::from(closed.0))];
        drop(closed.1);
        assert_eq!(bell.wait(&lines, LONG), [2]);
    }
}
