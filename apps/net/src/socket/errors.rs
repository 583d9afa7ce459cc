//! What the system says of datagrams that were sent and do not arrive: ICMP errors, and its own.
//!
//! It keeps them in a queue beside what arrives, which is looked at when it says that there is something: the driver's
//! calls cost nothing more while there is not. The kernel gives to a socket what quotes its port; whether the rest of
//! what is quoted was sent by this host is for the machine to judge (decision 62).

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use core::sync::atomic::{AtomicBool, Ordering};
    use core::task::Context;
    use std::io::{self, IoSliceMut};
    use std::net::{SocketAddr, UdpSocket};
    use std::os::fd::{AsFd, AsRawFd};
    use std::sync::{Arc, Mutex, PoisonError};

    use nix::libc;
    use nix::sys::socket::sockopt::{Ipv4RecvErr, Ipv6RecvErr};
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt};
    use tng_base::{Hindrance, Unreachable};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use crate::socket::{canonical, watched};

    /// Bytes of what was sent that are looked at: enough for the header of every packet of ours.
    const QUOTED_MAX: usize = 64;
    /// Errors that say nothing of use and are looked at in one call at most.
    const LOOKED_AT_MAX: usize = 64;

    /// The errors of one socket.
    #[derive(Debug)]
    pub(in super::super) struct Errors {
        /// The socket by a descriptor of its own: it is waited for beside the others. Nothing if the system keeps no
        /// errors.
        socket: Option<Arc<UdpSocket>>,
        waits: Mutex<Option<AsyncFd<Arc<UdpSocket>>>>,
        /// Whether the system has said that there are some, and they were not all taken.
        some: AtomicBool,
    }

    impl Errors {
        /// Asks the system to keep the errors of this socket.
        pub(in super::super) fn of(socket: &UdpSocket) -> Errors {
            let socket = ask(socket).and_then(|()| socket.try_clone()).ok().map(Arc::new);
            Errors { socket, waits: Mutex::new(None), some: AtomicBool::new(false) }
        }

        /// Has who waits woken when there are some.
        pub(in super::super) fn poll(&self, cx: &mut Context<'_>) {
            let Some(socket) = &self.socket else { return };
            if self.some.load(Ordering::Relaxed) {
                return cx.waker().wake_by_ref();
            }
            let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
            if waits.is_none() {
                *waits = watched(Arc::clone(socket), Interest::PRIORITY).ok();
            }
            // The runtime takes an error for an end of writing, which lasts: each is waited for anew.
            if waits.as_ref().is_some_and(|waits| waits.poll_write_ready(cx).is_ready()) {
                *waits = None;
                self.some.store(true, Ordering::Relaxed);
                cx.waker().wake_by_ref();
            }
        }

        /// A call on the socket has failed. Answers whether that may be by an error that waits in the queue, which
        /// takes room of what arrives: a driver that never sleeps hears of it by this alone.
        pub(in super::super) fn note(&self, error: &io::Error) -> bool {
            let may_be = self.socket.is_some() && error.kind() != io::ErrorKind::WouldBlock;
            if may_be {
                self.some.store(true, Ordering::Relaxed);
            }
            may_be
        }

        /// The next one, if there is one.
        pub(in super::super) fn take(&self) -> Option<Unreachable> {
            let socket = self.socket.as_ref().filter(|_| self.some.load(Ordering::Relaxed))?;
            for _ in 0..LOOKED_AT_MAX {
                match receive(socket) {
                    None => {
                        self.some.store(false, Ordering::Relaxed);
                        return None;
                    }
                    Some(Some(told)) => return Some(told),
                    Some(None) => {}
                }
            }
            None
        }
    }

    /// Has the system keep errors for this socket.
    fn ask(socket: &UdpSocket) -> io::Result<()> {
        let v6 = socket.local_addr()?.is_ipv6();
        if v6 {
            setsockopt(&socket.as_fd(), Ipv6RecvErr, &true)?;
        }
        // One that serves IPv4 as well has them by both.
        match setsockopt(&socket.as_fd(), Ipv4RecvErr, &true) {
            Err(error) if !v6 => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The next error, and what it says if that is of use. Nothing if there is none.
    fn receive(socket: &UdpSocket) -> Option<Option<Unreachable>> {
        let mut quoted = [0; QUOTED_MAX];
        let mut control = nix::cmsg_space!(libc::sock_extended_err, libc::sockaddr_in6, [u64; 8]);
        let mut parts = [IoSliceMut::new(&mut quoted)];
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let message = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut parts, Some(&mut control), flags).ok()?;
        let remote = message.address.as_ref().and_then(address);
        // What was cut off is not read: then there are none.
        let said = message.cmsgs().ok().and_then(|mut all| {
            all.find_map(|one| match one {
                ControlMessageOwned::Ipv4RecvErr(said, _) | ControlMessageOwned::Ipv6RecvErr(said, _) => Some(said),
                _ => None,
            })
        });
        let len = message.bytes.min(QUOTED_MAX);
        Some(remote.zip(said).and_then(|(remote, said)| told(remote, &said, &quoted[..len])))
    }

    fn address(from: &SockaddrStorage) -> Option<SocketAddr> {
        let v4 = from.as_sockaddr_in().map(|v4| SocketAddr::V4((*v4).into()));
        v4.or_else(|| from.as_sockaddr_in6().map(|v6| canonical(SocketAddr::V6((*v6).into()))))
    }

    /// What the system says of a datagram that was sent to `remote` and began like this.
    pub(super) fn told(remote: SocketAddr, said: &libc::sock_extended_err, quoted: &[u8]) -> Option<Unreachable> {
        let why = match (said.ee_origin, said.ee_type, said.ee_code) {
            (libc::SO_EE_ORIGIN_ICMP, 3, 4) | (libc::SO_EE_ORIGIN_ICMP6, 2, _) => {
                Hindrance::TooBig { mtu: said.ee_info }
            }
            (libc::SO_EE_ORIGIN_ICMP, 3, 2 | 3) | (libc::SO_EE_ORIGIN_ICMP6, 1, 4) => Hindrance::Port,
            (libc::SO_EE_ORIGIN_ICMP, 3, 9 | 10 | 13) | (libc::SO_EE_ORIGIN_ICMP6, 1, 1 | 5 | 6) => {
                Hindrance::Prohibited
            }
            (libc::SO_EE_ORIGIN_ICMP, 3, _) | (libc::SO_EE_ORIGIN_ICMP6, 1, _) => Hindrance::Host,
            (libc::SO_EE_ORIGIN_LOCAL, ..) if said.ee_errno == libc::EMSGSIZE as u32 => {
                Hindrance::TooBig { mtu: said.ee_info }
            }
            // Hops that ran out are a loop that may end, and the rest is none of this.
            _ => return None,
        };
        let by_system = said.ee_origin == libc::SO_EE_ORIGIN_LOCAL;
        Some(Unreachable { remote, why, quoted: quoted.to_vec(), by_system })
    }
}

/// Other systems say nothing: silence tells.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod elsewhere {
    use core::task::Context;
    use std::net::UdpSocket;

    use tng_base::Unreachable;

    #[derive(Debug)]
    pub(in super::super) struct Errors;

    impl Errors {
        pub(in super::super) fn of(_: &UdpSocket) -> Errors {
            Errors
        }

        pub(in super::super) fn poll(&self, _: &mut Context<'_>) {}

        pub(in super::super) fn note(&self, _: &std::io::Error) -> bool {
            false
        }

        pub(in super::super) fn take(&self) -> Option<Unreachable> {
            None
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use elsewhere::Errors;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use linux::Errors;

#[cfg(all(test, target_os = "linux"))]
mod tests;
