//! The kernel's UDP socket for programs that wait for its descriptor themselves, without tokio.

use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};

use tng_base::Transmit;

use super::{Batches, RECEIVE_BATCH, Received, Socket, bind_either, canonical};

/// A UDP socket that nobody waits for but the program that has it: it asks the system, with `poll` or `epoll`, and
/// passes on what it was [told](PolledSocket::told). Batches go in and out as through [`UdpSocket`](super::UdpSocket).
#[derive(Debug)]
pub struct PolledSocket {
    socket: std::net::UdpSocket,
    batches: Batches,
    /// What the system said last, and no call has found otherwise.
    readable: AtomicBool,
    writable: AtomicBool,
}

impl PolledSocket {
    /// Binds to `addr`, as [`UdpSocket::bind`](super::UdpSocket::bind) does.
    ///
    /// # Errors
    /// What the system answers: the address is taken, is not local, is not allowed.
    pub fn bind(addr: SocketAddr) -> io::Result<PolledSocket> {
        let socket = bind_either(addr)?;
        let batches = Batches::new(&socket)?;
        Ok(PolledSocket { socket, batches, readable: AtomicBool::new(true), writable: AtomicBool::new(true) })
    }

    /// The system says that a receive may succeed, or a send.
    pub fn told(&self, readable: bool, writable: bool) {
        self.readable.fetch_or(readable, Ordering::Relaxed);
        self.writable.fetch_or(writable, Ordering::Relaxed);
    }

    /// Whether a send has found no room, since the system last said that there is some.
    pub fn is_full(&self) -> bool {
        !self.writable.load(Ordering::Relaxed)
    }
}

impl AsFd for PolledSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn ready(flag: &AtomicBool) -> Poll<io::Result<()>> {
    if flag.load(Ordering::Relaxed) { Poll::Ready(Ok(())) } else { Poll::Pending }
}

fn is_block(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

impl Socket for PolledSocket {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr().map(canonical)
    }

    fn segments_max(&self) -> usize {
        self.batches.segments_max
    }

    fn poll_readable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready(&self.readable)
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready(&self.writable)
    }

    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        let sent = self.batches.send((&self.socket).into(), transmit, payload);
        if sent.as_ref().is_err_and(is_block) {
            self.writable.store(false, Ordering::Relaxed);
        }
        sent
    }

    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let room = received.len().min(RECEIVE_BATCH);
        let count = self.batches.receive((&self.socket).into(), buffer, received);
        // A call that comes back short has found the queue empty, as in `UdpSocket`.
        if count.as_ref().map_or_else(is_block, |count| cfg!(target_os = "linux") && *count < room) {
            self.readable.store(false, Ordering::Relaxed);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use core::task::Waker;

    use tng_base::Ecn;

    use super::*;
    use crate::socket::RECEIVE_BUFFER;

    #[test]
    fn a_socket_that_was_found_empty_is_not_readable_until_the_system_says_so() {
        let addr = "127.0.0.1:0".parse().expect("an address");
        let (one, other) = (PolledSocket::bind(addr).expect("bound"), PolledSocket::bind(addr).expect("bound"));
        let cx = &mut Context::from_waker(Waker::noop());
        let (mut buffer, mut received) = (vec![0; RECEIVE_BUFFER], [Received::default()]);
        assert!(other.poll_readable(cx).is_ready(), "nobody has looked");
        assert!(other.try_receive(&mut buffer, &mut received).is_err_and(|error| is_block(&error)));
        assert!(other.poll_readable(cx).is_pending());
        let remote = other.local_addr().expect("bound");
        let transmit = Transmit { remote, local: None, ecn: Ecn::NotEct, len: 5, segment_size: 5 };
        one.try_send(&transmit, b"hello").expect("sent");
        assert!(!one.is_full());
        other.told(true, false);
        assert_eq!(other.try_receive(&mut buffer, &mut received).expect("it came"), 1);
        assert_eq!((&buffer[..received[0].len], received[0].remote), (&b"hello"[..], one.local_addr().expect("bound")));
    }
}
