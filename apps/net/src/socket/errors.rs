//! What the system says of datagrams that were sent and do not arrive: ICMP errors, and its own.
//!
//! A socket that was asked to ([`Errors::watch`]) keeps them in a queue beside what arrives. A task of its own waits for
//! them, so that the driver's calls cost nothing more. The kernel gives to a socket what quotes its port; whether the
//! rest of what is quoted was sent by this host is for the machine to judge (decision 61).

use core::sync::atomic::{AtomicBool, Ordering};
use core::task::Waker;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::Unreachable;

/// What the system has said and the driver has not taken, at most; what comes beyond is forgotten.
pub const UNREACHABLES_WAITING_MAX: usize = 64;

/// What waits for the driver.
#[derive(Debug, Default)]
struct Queue {
    /// Whether there is something, to be looked at without the lock.
    some: AtomicBool,
    said: Mutex<(VecDeque<Unreachable>, Option<Waker>)>,
}

impl Queue {
    fn push(&self, told: Unreachable) {
        let waker = {
            let (waiting, waker) = &mut *self.said.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() < UNREACHABLES_WAITING_MAX {
                waiting.push_back(told);
            }
            self.some.store(true, Ordering::Release);
            waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The errors of one socket.
#[derive(Debug)]
pub(super) struct Errors {
    queue: Arc<Queue>,
    task: Option<tokio::task::AbortHandle>,
}

impl Errors {
    /// Has the driver woken when there are some.
    pub(super) fn register(&self, driver: &Waker) {
        let (waiting, waker) = &mut *self.queue.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.is_empty() {
            driver.wake_by_ref();
        }
        if waker.as_ref().is_none_or(|waker| !waker.will_wake(driver)) {
            *waker = Some(driver.clone());
        }
    }

    /// The next one, if there is one.
    pub(super) fn take(&self) -> Option<Unreachable> {
        if !self.queue.some.load(Ordering::Acquire) {
            return None;
        }
        let (waiting, _) = &mut *self.queue.said.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.pop_front();
        self.queue.some.store(!waiting.is_empty(), Ordering::Release);
        next
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use std::io::{self, IoSliceMut};
    use std::net::{SocketAddr, UdpSocket};
    use std::os::fd::{AsFd, AsRawFd};
    use std::sync::Arc;

    use nix::libc;
    use nix::sys::socket::sockopt::{Ipv4RecvErr, Ipv6RecvErr};
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt};
    use tng_base::{Hindrance, Unreachable};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{Errors, Queue};
    use crate::socket::{canonical, watched};

    /// Bytes of what was sent that are looked at: enough for the header of every packet of ours.
    const QUOTED_MAX: usize = 64;

    impl Errors {
        /// Asks the system for the errors of this socket, and waits for them. Where it gives none, nothing is said. Must
        /// be called within a tokio runtime.
        pub(in super::super) fn watch(socket: &Arc<UdpSocket>) -> Errors {
            let queue = Arc::new(Queue::default());
            let task = ask(socket).and_then(|()| watched(Arc::clone(socket), Interest::PRIORITY)).ok();
            let task = task.map(|socket| tokio::spawn(pass_on(socket, Arc::clone(&queue))).abort_handle());
            Errors { queue, task }
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

    /// Takes the errors of a socket for as long as it lasts.
    async fn pass_on(socket: AsyncFd<Arc<UdpSocket>>, queue: Arc<Queue>) {
        while let Ok(mut ready) = socket.ready(Interest::ERROR).await {
            while let Some(said) = receive(socket.get_ref()) {
                if let Some(told) = said {
                    queue.push(told);
                }
                // Who is flooded with them does other things, too.
                tokio::task::consume_budget().await;
            }
            ready.clear_ready();
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

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Errors {
    /// Other systems say nothing: silence tells.
    pub(super) fn watch(_: &Arc<std::net::UdpSocket>) -> Errors {
        Errors { queue: Arc::default(), task: None }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
