//! UDP sockets as the driver sees them: readiness, and whole batches in and out.
//!
//! [`Socket`] is what a driver needs of a socket; [`UdpSocket`] is the kernel's, with segmentation offload both ways
//! (GSO, GRO), ECN and the local address of every datagram. Addresses are canonical everywhere above this file: an
//! IPv4-mapped IPv6 address never leaves it.

mod errors;
mod polled;
mod steer;

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};

use quinn_udp::{EcnCodepoint, RecvMeta, UdpSockRef, UdpSocketState};
use tng_base::{CarrierNews, Ecn, Transmit, Unreachable};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use errors::Errors;
pub use polled::PolledSocket;

/// Bytes of receive buffer per message: the longest UDP payload, so that a coalesced batch is never cut.
pub const RECEIVE_BUFFER: usize = 64 * 1024;

/// Most messages taken by one call of [`Socket::try_receive`]. Each holds up to [`RECEIVE_BUFFER`] bytes of datagrams.
pub const RECEIVE_BATCH: usize = 8;

/// Most bytes in one send: the longest IPv4 UDP payload. Longer batches fail with `EMSGSIZE`, whatever their segments.
pub const SEND_MAX: usize = 65_507;

/// Socket buffers asked of the kernel, each way; it may grant less.
pub const SOCKET_BUFFER: usize = 4 * 1024 * 1024;

/// What is known of one received message: one datagram, or several of one source that the kernel coalesced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Where it came from.
    pub remote: SocketAddr,
    /// The local address it was sent to, with the port of the socket.
    pub local: Option<SocketAddr>,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// Bytes in its buffer.
    pub len: usize,
    /// Every datagram has this length except the last, which may be shorter.
    pub segment_size: usize,
}

impl Default for Received {
    fn default() -> Received {
        let remote = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0);
        Received { remote, local: None, ecn: Ecn::NotEct, len: 0, segment_size: 0 }
    }
}

/// A datagram socket that a driver can wait for and move batches through.
///
/// One task at a time waits for each direction. Nothing here blocks. After a call has answered `WouldBlock`, waiting is
/// pending until the system has news.
pub trait Socket: Send + Sync + fmt::Debug {
    /// The address it is bound to.
    ///
    /// # Errors
    /// What the system answers.
    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Most datagrams that [`try_send`](Socket::try_send) takes at once. 1 if the system cannot segment.
    fn segments_max(&self) -> usize;

    /// Ready when a receive may succeed.
    ///
    /// # Errors
    /// Only when waiting is no longer possible, because the runtime is shutting down.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Ready when a send may succeed.
    ///
    /// # Errors
    /// Only when waiting is no longer possible, because the runtime is shutting down.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Sends one batch: `payload`, of `transmit.len` bytes, cut at `transmit.segment_size`. All of it is sent, or
    /// nothing.
    ///
    /// # Errors
    /// `WouldBlock` if the caller should try again when it is writable; anything else is for the caller to judge.
    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()>;

    /// Receives up to `received.len()` messages. Message `i` stands at `i * RECEIVE_BUFFER` in `buffer`, which has
    /// room for all of them. Answers how many there are, at least one.
    ///
    /// # Errors
    /// `WouldBlock` if there is nothing; anything else concerns some datagram sent earlier.
    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize>;

    /// As [`try_receive`](Socket::try_receive), but asks the system itself, whether or not waiting has said that there
    /// is something: for drivers that do not sleep.
    ///
    /// # Errors
    /// As there.
    fn receive_unasked(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.try_receive(buffer, received)
    }

    /// What has become of a way that is none of UDP, to tell the machine: at an address of the peer's. Who waits for
    /// the socket to be readable is woken for it.
    fn take_news(&self) -> Option<(IpAddr, CarrierNews)> {
        None
    }

    /// What the system, or somebody on the path, says of a datagram that was sent and does not arrive. Who waits for
    /// the socket to be readable is woken for it.
    fn take_unreachable(&self) -> Option<Unreachable> {
        None
    }
}

/// What stands between an endpoint and its sockets, and knows other ways to its peers.
pub(crate) trait Underlay: Send + Sync + fmt::Debug {
    /// A socket that uses these ways, and `socket`, for this thread of the endpoint.
    fn wrap(&self, thread: usize, socket: Arc<dyn Socket>) -> Arc<dyn Socket>;

    /// Adds the addresses at which machines find a peer by these ways that has `addresses`.
    fn add_addresses(&self, addresses: &mut Vec<SocketAddr>);

    /// Waits until what was sent by these ways has left, or has had its time to.
    fn flushed(&self) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The kernel's UDP socket, waited for by tokio.
///
/// It is waited for until it can be read. A socket that is also waited for until it can be written has news after
/// every send, when the system is done with what was sent: each would wake the driver for nothing.
pub struct UdpSocket {
    io: AsyncFd<std::net::UdpSocket>,
    /// The same socket by another descriptor, to wait for until it can be written.
    other: Arc<std::net::UdpSocket>,
    /// It takes no more now, and that wait goes on.
    full: Mutex<Option<AsyncFd<Arc<std::net::UdpSocket>>>>,
    batches: Batches,
    errors: Errors,
}

impl UdpSocket {
    /// Binds to `addr`. The unspecified IPv6 address serves IPv4 too, and becomes the unspecified IPv4 address where
    /// the system has no IPv6. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// What the system answers: the address is taken, is not local, is not allowed.
    pub fn bind(addr: SocketAddr) -> io::Result<UdpSocket> {
        UdpSocket::from_std(bind_either(addr)?)
    }

    /// Binds as many sockets to one address, on systems that divide what arrives among them; on others one. Answers
    /// whether the system, if it is `asked`, brings a packet to the socket that its id names.
    ///
    /// # Errors
    /// As [`bind`](UdpSocket::bind).
    pub(crate) fn bind_several(
        addr: SocketAddr,
        of: usize,
        asked: bool,
    ) -> io::Result<(Vec<std::net::UdpSocket>, bool)> {
        let first = bind_either(addr)?;
        // It was bound alone: an address that somebody else has is an error, whatever they allow.
        if of <= 1 || !steer::SHARES || steer::share(&first).is_err() {
            return Ok((vec![first], false));
        }
        let bound = first.local_addr()?;
        let mut sockets = vec![first];
        for _ in 1..of {
            sockets.push(bind_std(bound, true)?);
        }
        let steered = asked && u8::try_from(of).is_ok_and(|of| steer::steer(&sockets[0], of));
        Ok((sockets, steered))
    }

    /// Takes a socket that is bound already, from a service manager for instance. Must be called within a tokio
    /// runtime.
    ///
    /// # Errors
    /// What the system answers when the socket's options are set.
    pub fn from_std(socket: std::net::UdpSocket) -> io::Result<UdpSocket> {
        let batches = Batches::new(&socket)?;
        let other = Arc::new(socket.try_clone()?);
        let errors = Errors::of(&other);
        Ok(UdpSocket { io: watched(socket, Interest::READABLE)?, other, full: Mutex::new(None), batches, errors })
    }
}

/// Binds to `addr`, or to all IPv4 addresses where all of both kinds are meant and there is no IPv6.
fn bind_either(addr: SocketAddr) -> io::Result<std::net::UdpSocket> {
    match bind_std(addr, false) {
        Err(error) if addr.ip() == Ipv6Addr::UNSPECIFIED && no_ipv6(&error) => {
            bind_std(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), addr.port()), false)
        }
        bound => bound,
    }
}

fn bind_std(addr: SocketAddr, shared: bool) -> io::Result<std::net::UdpSocket> {
    let socket =
        socket2::Socket::new(socket2::Domain::for_address(addr), socket2::Type::DGRAM, Some(socket2::Protocol::UDP))?;
    if addr.is_ipv6() {
        socket.set_only_v6(addr.ip() != Ipv6Addr::UNSPECIFIED)?;
    }
    // The system may cap these or refuse; a smaller buffer only loses more in a burst.
    let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
    let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
    socket.set_nonblocking(true)?;
    if shared {
        steer::share(&socket)?;
    }
    socket.bind(&addr.into())?;
    Ok(socket.into())
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let segments_max = self.batches.segments_max;
        f.debug_struct("UdpSocket").field("io", &self.io).field("segments_max", &segments_max).finish()
    }
}

impl Socket for UdpSocket {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.other.local_addr().map(canonical)
    }

    fn segments_max(&self) -> usize {
        self.batches.segments_max
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.io.poll_read_ready(cx).map_ok(drop);
        if ready.is_pending() {
            self.errors.poll(cx);
        }
        ready
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        if full.is_none() {
            *full = watched(self.other.clone(), Interest::WRITABLE).ok();
        }
        let ready = match &*full {
            Some(full) => ready!(full.poll_write_ready(cx)).map(drop),
            None => {
                // The system has no room for another wait: the socket itself is asked again.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        };
        *full = None;
        Poll::Ready(ready)
    }

    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        let send = || self.batches.send((&*self.other).into(), transmit, payload);
        match send() {
            // It may tell of a datagram that was sent earlier: then this one has not been tried.
            Err(error) if self.errors.note(&error) => send(),
            sent => sent,
        }
    }

    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let mut count = 0;
        let room = received.len().min(RECEIVE_BATCH);
        let result = self.io.try_io(Interest::READABLE, |socket| {
            count = self.batches.receive(socket.into(), buffer, received)?;
            // A call that comes back short has found the queue empty. Saying so now spares a call that finds nothing.
            if cfg!(target_os = "linux") && count < room { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        match result {
            Err(error) if count == 0 => {
                self.errors.note(&error);
                Err(error)
            }
            _ => Ok(count),
        }
    }

    fn receive_unasked(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let came = self.batches.receive((&*self.other).into(), buffer, received);
        if let Err(error) = &came {
            self.errors.note(error);
        }
        came
    }

    fn take_unreachable(&self) -> Option<Unreachable> {
        self.errors.take()
    }
}

/// Whole batches through a socket of the kernel's, whichever runtime waits for it.
#[derive(Debug)]
struct Batches {
    state: UdpSocketState,
    /// Segments per send that the kernel announced at the start. Whether it keeps its word is the sender's business.
    segments_max: usize,
    /// An IPv6 socket names IPv4 hosts by mapped addresses.
    v6: bool,
    /// The port that it is bound to.
    port: u16,
}

impl Batches {
    /// Sets the options of a socket that is bound.
    fn new(socket: &std::net::UdpSocket) -> io::Result<Batches> {
        let state = UdpSocketState::new(socket.into())?;
        without_timestamps(socket)?;
        let bound = socket.local_addr()?;
        Ok(Batches { segments_max: state.max_gso_segments(), state, v6: bound.is_ipv6(), port: bound.port() })
    }

    /// Makes one call of the system's.
    fn send(&self, socket: UdpSockRef<'_>, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        let destination = match transmit.remote {
            SocketAddr::V4(v4) if self.v6 => SocketAddr::new(v4.ip().to_ipv6_mapped().into(), v4.port()),
            remote => remote,
        };
        let out = quinn_udp::Transmit {
            destination,
            ecn: EcnCodepoint::from_bits(transmit.ecn as u8),
            contents: payload,
            segment_size: (transmit.segment_size < payload.len()).then_some(transmit.segment_size),
            src_ip: transmit.local.map(|local| local.ip()),
        };
        self.state.try_send(socket, &out)
    }

    /// Makes one call of the system's.
    fn receive(&self, socket: UdpSockRef<'_>, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        let mut metas = [RecvMeta::default(); RECEIVE_BATCH];
        let room = received.len().min(RECEIVE_BATCH);
        let mut parts = buffer.chunks_mut(RECEIVE_BUFFER);
        let mut slices: [IoSliceMut<'_>; RECEIVE_BATCH] =
            core::array::from_fn(|_| IoSliceMut::new(parts.next().unwrap_or_default()));
        let count = self.state.recv(socket, &mut slices[..room], &mut metas[..room])?;
        for (meta, out) in metas[..count].iter().zip(&mut *received) {
            *out = Received {
                remote: canonical(meta.addr),
                local: meta.dst_ip.map(|ip| SocketAddr::new(ip.to_canonical(), self.port)),
                ecn: meta.ecn.map_or(Ecn::NotEct, |e| Ecn::from_bits(e as u8)),
                len: meta.len,
                segment_size: meta.stride,
            };
        }
        Ok(count)
    }
}

/// A socket whose descriptor the runtime watches.
#[expect(
    deprecated,
    reason = "its successor is unsafe; a socket is its descriptor's owner, and always of the same one"
)]
fn watched<S: AsRawFd>(socket: S, interest: Interest) -> io::Result<AsyncFd<S>> {
    AsyncFd::with_interest(socket, interest)
}

/// Switches off the arrival times that quinn-udp asks for. With them, the control messages of a coalesced receive
/// outgrow quinn-udp's buffer, and the one that the kernel drops holds the ECN bits (the same in noq#774).
#[cfg(any(target_os = "linux", target_os = "android"))]
fn without_timestamps(socket: &std::net::UdpSocket) -> io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt::ReceiveTimestampns};
    Ok(setsockopt(socket, ReceiveTimestampns, &false)?)
}

/// Other systems send no arrival times.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn without_timestamps(_: &std::net::UdpSocket) -> io::Result<()> {
    Ok(())
}

/// The address with an IPv4-mapped IPv6 address written as the IPv4 address that it is.
pub(crate) fn canonical(addr: SocketAddr) -> SocketAddr {
    match addr {
        // Flow label and scope stay as they are: a link-local address is nothing without its scope.
        SocketAddr::V6(v6) => v6.ip().to_ipv4_mapped().map_or(addr, |v4| SocketAddr::new(v4.into(), v6.port())),
        SocketAddr::V4(_) => addr,
    }
}

/// Whether binding failed because the system has no IPv6 at all.
fn no_ipv6(error: &io::Error) -> bool {
    // EAFNOSUPPORT has no kind of its own; AddrNotAvailable is what a system with IPv6 switched off answers.
    error.kind() == io::ErrorKind::AddrNotAvailable
        || error.kind() == io::ErrorKind::Unsupported
        || cfg!(target_os = "linux") && error.raw_os_error() == Some(97)
}

#[cfg(test)]
mod tests;
