//! A socket that fails as told.

use core::fmt;
use core::task::{Context, Poll, Waker};
use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;

use tng_base::Transmit;

use crate::socket::{Received, Socket, UdpSocket};

/// What to do with one send: `None` lets it pass.
type FaultRule = Box<dyn Fn(&Attempt) -> Option<io::Error> + Send + Sync>;

/// One call of `try_send`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attempt {
    /// How many calls came before it.
    pub(crate) index: usize,
    pub(crate) segments: usize,
    pub(crate) len: usize,
    pub(crate) remote: SocketAddr,
}

/// A real socket behind a gate and a judge.
pub(crate) struct Faulty {
    inner: UdpSocket,
    judge: FaultRule,
    /// Every send that was tried, and whether it passed.
    pub(crate) attempts: Mutex<Vec<(Attempt, bool)>>,
    gate: Mutex<Gate>,
    /// Receive calls that still fail.
    pub(crate) receive_errors: Mutex<u32>,
}

#[derive(Default)]
struct Gate {
    closed: bool,
    waker: Option<Waker>,
}

impl Faulty {
    pub(crate) fn new(
        inner: UdpSocket,
        judge: impl Fn(&Attempt) -> Option<io::Error> + Send + Sync + 'static,
    ) -> Faulty {
        Faulty {
            inner,
            judge: Box::new(judge),
            attempts: Mutex::default(),
            gate: Mutex::default(),
            receive_errors: Mutex::new(0),
        }
    }

    /// Closed, the socket takes nothing and is not writable.
    pub(crate) fn close_gate(&self) {
        self.gate.lock().unwrap().closed = true;
    }

    pub(crate) fn open_gate(&self) {
        let mut gate = self.gate.lock().unwrap();
        gate.closed = false;
        if let Some(waker) = gate.waker.take() {
            waker.wake();
        }
    }

    /// Segments of each send that was tried.
    pub(crate) fn segments(&self) -> Vec<usize> {
        self.attempts.lock().unwrap().iter().map(|(attempt, _)| attempt.segments).collect()
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl Socket for Faulty {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn segments_max(&self) -> usize {
        self.inner.segments_max()
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_readable(cx)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut gate = self.gate.lock().unwrap();
        if gate.closed {
            gate.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        self.inner.poll_writable(cx)
    }

    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        assert_eq!(transmit.len, payload.len());
        if self.gate.lock().unwrap().closed {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut attempts = self.attempts.lock().unwrap();
        let segments = payload.len().div_ceil(transmit.segment_size);
        let attempt = Attempt { index: attempts.len(), segments, len: payload.len(), remote: transmit.remote };
        let result = match (self.judge)(&attempt) {
            Some(error) => Err(error),
            None => self.inner.try_send(transmit, payload),
        };
        attempts.push((attempt, result.is_ok()));
        result
    }

    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let mut errors = self.receive_errors.lock().unwrap();
        if *errors > 0 {
            *errors -= 1;
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        self.inner.try_receive(buffer, received)
    }
}
