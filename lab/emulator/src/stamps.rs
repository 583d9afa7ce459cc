//! When packets came to a device, by the kernel's word.
//!
//! A thread that sleeps has to be woken before it can read a packet, which takes tens of microseconds, and more on a
//! machine that is busy. A link's delay counts from when the packet came all the same.

use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use socket2::{Domain, SockFilter, Socket, Type};

use crate::{clock, system};

/// Bytes of packets, as the kernel counts them, whose times wait to be read: those that come while a thread wakes up.
const STAMPS_BYTES: usize = 64 << 10;

/// No packet has waited for longer to be read.
const AGE_MAX: Duration = Duration::from_millis(100);

/// Accepts one byte of what leaves by the device, and nothing of what comes from it: the type of the packet
/// (`SKF_AD_PKTTYPE`) is compared with `PACKET_OUTGOING`.
const OUTGOING: [SockFilter; 4] = [
    SockFilter::new(0x20, 0, 0, 0xffff_f004),
    SockFilter::new(0x15, 0, 1, 4),
    SockFilter::new(0x06, 0, 0, 1),
    SockFilter::new(0x06, 0, 0, 0),
];

/// The times at which packets came to a device, in their order. Those of packets beyond [`STAMPS_BYTES`] are missing.
#[derive(Debug)]
pub(crate) struct Stamps {
    socket: Socket,
    control: Vec<u8>,
}

impl Stamps {
    /// Of a device in the namespace of the calling thread, from now on.
    ///
    /// # Errors
    /// The system permits no packet sockets.
    pub(crate) fn open(device: &str) -> io::Result<Stamps> {
        // Without a protocol it hears nothing until it is bound, and by then it hears what it should.
        let socket = Socket::new(Domain::PACKET, Type::DGRAM, None)?;
        socket.attach_filter(&OUTGOING)?;
        setsockopt(&socket, sockopt::RcvBuf, &STAMPS_BYTES)?;
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
        system::bind_device(&socket, nix::net::if_::if_nametoindex(device)?)?;
        Ok(Stamps { socket, control: nix::cmsg_space!(nix::sys::time::TimeSpec) })
    }

    /// When the next packet came, since 1970. Does not wait.
    ///
    /// # Errors
    /// None has, or it is not known when.
    pub(crate) fn came(&mut self) -> io::Result<Duration> {
        next(&self.socket, &mut [0], &mut self.control, MsgFlags::MSG_DONTWAIT)
    }

    /// How long ago the next packet came, if that is known. The clock may have been set since; what it says then is no
    /// longer than [`AGE_MAX`].
    pub(crate) fn age(&mut self) -> Option<Duration> {
        self.came().ok().map(|came| clock::since_1970().saturating_sub(came).min(AGE_MAX))
    }

    /// Forgets the packets that have come so far.
    pub(crate) fn forget(&mut self) {
        while self.came().is_ok() {}
    }
}

/// When the next packet of a socket came, since 1970, and what it begins with.
///
/// # Errors
/// There is none, or the kernel does not say.
pub(crate) fn next(
    socket: &impl AsRawFd,
    packet: &mut [u8],
    control: &mut [u8],
    flags: MsgFlags,
) -> io::Result<Duration> {
    let mut buffers = [IoSliceMut::new(packet)];
    let received = recvmsg::<()>(socket.as_raw_fd(), &mut buffers, Some(control), flags)?;
    let time = received.cmsgs()?.find_map(|message| match message {
        ControlMessageOwned::ScmTimestampns(time) => Some(Duration::from(time)),
        _ => None,
    });
    time.ok_or_else(|| io::Error::other("the kernel does not say when packets come"))
}
