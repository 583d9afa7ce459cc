//! A relay in the path: packets of others that the system hands over on their way, looked at and passed on (Linux,
//! docs/relay.md, "In the path").

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tng_crypto::Secret32;
use tng_middlebox::InPath;
pub use tng_middlebox::{InPathConfig, InPathStats, OfferKey};

use crate::endpoint::{random_seed, time_of_day, unix};
use crate::lock::Clock;

/// Why packets of others cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum PassingError {
    /// The system is another.
    #[error("only Linux hands packets of others over (TPROXY); run this relay without [in_path]")]
    System,
    /// It takes rights that this process does not have.
    #[error("packets of others are for root, and for who has CAP_NET_RAW; run it as root, or grant that")]
    NotPermitted,
    /// The kernel knows no transparent sockets.
    #[error("this kernel has no transparent sockets: {0}; load nf_tproxy_ipv4 and nf_tproxy_ipv6")]
    Kernel(io::Error),
    /// The port is taken, or there is no memory.
    #[error("no socket for packets of others: {0}; write another port under [in_path]")]
    Socket(io::Error),
}

/// Sockets for packets of others: to take them, and to pass them on as who has sent them.
#[derive(Debug)]
pub struct Passing {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are none"))]
    families: Vec<system::Family>,
}

/// What passes is watched by threads of its own until the process ends.
#[derive(Clone, Debug)]
pub struct Watching {
    in_path: Arc<Mutex<InPath>>,
    troubles: Vec<Arc<Trouble>>,
}

/// The pause after packets could not be taken the first time; doubles.
const TAKEN_AGAIN_FIRST: Duration = Duration::from_millis(1);
/// The longest such pause.
pub const TAKEN_AGAIN_MAX: Duration = Duration::from_secs(1);

/// Why packets cannot be taken now, of one family of addresses, if they cannot.
#[derive(Debug, Default)]
struct Trouble(Mutex<Option<(String, Duration)>>);

impl Trouble {
    fn locked(&self) -> MutexGuard<'_, Option<(String, Duration)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes why not, and answers after which pause to try again.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is taken"))]
    fn note(&self, error: &io::Error) -> Duration {
        let mut trouble = self.locked();
        let pause = trouble.as_ref().map_or(TAKEN_AGAIN_FIRST, |(_, pause)| (*pause * 2).min(TAKEN_AGAIN_MAX));
        *trouble = Some((error.to_string(), pause));
        pause
    }

    /// They can again.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is taken"))]
    fn is_over(&self) {
        *self.locked() = None;
    }
}

impl Passing {
    /// Opens the sockets; the system hands over what its rules lead to this port.
    ///
    /// # Errors
    /// See [`PassingError`].
    pub fn bind(port: u16) -> Result<Passing, PassingError> {
        system::bind(port).map(|families| Passing { families })
    }

    /// Watches what passes, and offers the help of the helper with this secret.
    ///
    /// # Errors
    /// If the system has no entropy, or no thread.
    pub fn watch(self, config: InPathConfig, secret: &Secret32) -> io::Result<Watching> {
        let (clock, epoch_ms) = (Clock::start(), unix(time_of_day()).as_millis() as u64);
        let in_path = Arc::new(Mutex::new(InPath::new(config, secret, epoch_ms, random_seed()?)));
        let mut troubles = Vec::new();
        for family in self.families {
            let (watched, trouble) = (Arc::clone(&in_path), Arc::<Trouble>::default());
            troubles.push(Arc::clone(&trouble));
            let watch = move || {
                system::watch(&family, &trouble, |from, to, datagram| {
                    let mut in_path = watched.lock().unwrap_or_else(PoisonError::into_inner);
                    in_path.pass(clock.now(), from, to, datagram)
                })
            };
            let _detached: JoinHandle<()> = thread::Builder::new().name("in path".to_owned()).spawn(watch)?;
        }
        Ok(Watching { in_path, troubles })
    }
}

impl Watching {
    /// Counts since it began.
    pub fn stats(&self) -> InPathStats {
        self.in_path.lock().unwrap_or_else(PoisonError::into_inner).stats()
    }

    /// Why packets of others are not taken now, if they are not: they are tried again.
    pub fn trouble(&self) -> Option<String> {
        self.troubles.iter().find_map(|trouble| trouble.locked().as_ref().map(|(why, _)| why.clone()))
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io::{self, IoSliceMut};
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
    use std::os::fd::AsRawFd;

    use nix::errno::Errno;
    use nix::libc;
    use nix::sys::socket::sockopt::{Ipv4OrigDstAddr, Ipv4RecvTtl, Ipv6OrigDstAddr, Ipv6RecvHopLimit};
    use nix::sys::socket::{
        ControlMessageOwned, MsgFlags, SockaddrIn, SockaddrIn6, SockaddrStorage, recvmsg, setsockopt,
    };
    use socket2::{Domain, Protocol, Socket, Type};

    use std::thread;

    use super::{PassingError, Trouble};

    /// A packet is no longer than a link carries.
    const PACKET_MAX: usize = 65_535;
    /// Bytes of an IPv4 header without options, of one of IPv6, and of one of UDP.
    const IPV4_LEN: usize = 20;
    const IPV6_LEN: usize = 40;
    const UDP_LEN: usize = 8;
    const UDP: u8 = 17;

    /// The sockets of one family of addresses.
    #[derive(Debug)]
    pub struct Family {
        takes: Socket,
        /// It sends packets with their headers, whosever addresses stand there.
        passes: Socket,
    }

    pub fn bind(port: u16) -> Result<Vec<Family>, PassingError> {
        let v4 = family(Domain::IPV4, SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port))?;
        let v6 = family(Domain::IPV6, SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port));
        // A system without IPv6 passes none on.
        Ok([Some(v4), v6.ok()].into_iter().flatten().collect())
    }

    fn family(domain: Domain, at: SocketAddr) -> Result<Family, PassingError> {
        let told = |error: io::Error| match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EPERM | Errno::EACCES) => PassingError::NotPermitted,
            Some(Errno::ENOPROTOOPT | Errno::EOPNOTSUPP) => PassingError::Kernel(error),
            _ => PassingError::Socket(error),
        };
        let passes = Socket::new(domain, Type::RAW, Some(Protocol::from(libc::IPPROTO_RAW))).map_err(told)?;
        let takes = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP)).map_err(told)?;
        let options = || {
            if at.is_ipv4() {
                takes.set_ip_transparent_v4(true)?;
                setsockopt(&takes, Ipv4OrigDstAddr, &true)?;
                setsockopt(&takes, Ipv4RecvTtl, &true)?;
            } else {
                takes.set_only_v6(true)?;
                takes.set_ip_transparent_v6(true)?;
                setsockopt(&takes, Ipv6OrigDstAddr, &true)?;
                setsockopt(&takes, Ipv6RecvHopLimit, &true)?;
            }
            takes.bind(&at.into())
        };
        options().map_err(told)?;
        Ok(Family { takes, passes })
    }

    /// A packet that was on its way.
    struct Taken {
        from: SocketAddr,
        to: SocketAddr,
        /// How many further hops it has.
        hops: u8,
        len: usize,
    }

    /// Passes every packet on at once, and behind it what `said` of it, as if from where it came.
    #[expect(clippy::disallowed_methods, reason = "a thread that waits for the system, by the system's clock")]
    pub fn watch(family: &Family, trouble: &Trouble, said: impl Fn(SocketAddr, SocketAddr, &[u8]) -> Option<Vec<u8>>) {
        let (mut buffer, mut fails) = (vec![0; PACKET_MAX], false);
        loop {
            let taken = match take(&family.takes, &mut buffer) {
                Ok(taken) => taken,
                // Again, and not at once: one that goes on would take a processor.
                Err(error) => {
                    fails = true;
                    thread::sleep(trouble.note(&error));
                    continue;
                }
            };
            if core::mem::take(&mut fails) {
                trouble.is_over();
            }
            let Some(Taken { from, to, hops, len }) = taken else { continue };
            // As a router: a packet that goes in circles comes to an end.
            let Some(hops) = hops.checked_sub(1).filter(|hops| *hops > 0) else { continue };
            let datagram = &buffer[..len];
            // What cannot be passed on is lost, as in any router.
            let _ = pass(&family.passes, (from, to), hops, datagram);
            if let Some(offer) = said(from, to, datagram) {
                let _ = pass(&family.passes, (from, to), hops, &offer);
            }
        }
    }

    fn take(socket: &Socket, buffer: &mut [u8]) -> io::Result<Option<Taken>> {
        let mut space = nix::cmsg_space!(libc::sockaddr_in6, libc::c_int);
        let mut parts = [IoSliceMut::new(buffer)];
        let message = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty())?;
        let (mut to, mut hops) = (None, None);
        for control in message.cmsgs()? {
            match control {
                ControlMessageOwned::Ipv4OrigDstAddr(at) => to = Some(SocketAddrV4::from(SockaddrIn::from(at)).into()),
                ControlMessageOwned::Ipv6OrigDstAddr(at) => to = Some(SocketAddrV6::from(SockaddrIn6::from(at)).into()),
                ControlMessageOwned::Ipv4Ttl(left) | ControlMessageOwned::Ipv6HopLimit(left) => {
                    hops = u8::try_from(left).ok();
                }
                _ => {}
            }
        }
        let from = message.address.and_then(|from| {
            let v4 = from.as_sockaddr_in().map(|at| SocketAddrV4::from(*at).into());
            v4.or_else(|| from.as_sockaddr_in6().map(|at| SocketAddrV6::from(*at).into()))
        });
        let len = message.bytes;
        Ok(from.zip(to).zip(hops).map(|((from, to), hops)| Taken { from, to, hops, len }))
    }

    fn pass(socket: &Socket, (from, to): (SocketAddr, SocketAddr), hops: u8, datagram: &[u8]) -> io::Result<()> {
        let Some(packet) = packet((from, to), hops, datagram) else { return Err(io::ErrorKind::InvalidInput.into()) };
        // The port is no part of where a bare packet goes.
        socket.send_to(&packet, &SocketAddr::new(to.ip(), 0).into()).map(drop)
    }

    /// A datagram with its headers.
    pub(super) fn packet((from, to): (SocketAddr, SocketAddr), hops: u8, datagram: &[u8]) -> Option<Vec<u8>> {
        let udp_len = u16::try_from(UDP_LEN + datagram.len()).ok()?;
        let (mut packet, pseudo) = match (from.ip(), to.ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let len = u16::try_from(IPV4_LEN).ok()?.checked_add(udp_len)?;
                // The system fills in the identification and the checksum.
                let mut header = vec![0x45, 0, 0, 0, 0, 0, 0, 0, hops, UDP, 0, 0];
                header[2..4].copy_from_slice(&len.to_be_bytes());
                header.extend([from.octets(), to.octets()].concat());
                (header, sum(&[&from.octets(), &to.octets()]))
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let mut header = vec![0x60, 0, 0, 0, 0, 0, UDP, hops];
                header[4..6].copy_from_slice(&udp_len.to_be_bytes());
                header.extend([from.octets(), to.octets()].concat());
                debug_assert_eq!(header.len(), IPV6_LEN);
                (header, sum(&[&from.octets(), &to.octets()]))
            }
            _ => return None,
        };
        let head = [from.port().to_be_bytes(), to.port().to_be_bytes(), udp_len.to_be_bytes()].concat();
        let all = pseudo + u64::from(UDP) + u64::from(udp_len) + sum(&[&head, datagram]);
        let checksum = match !folded(all) {
            // Zero would say that there is none (RFC 768).
            0 => u16::MAX,
            checksum => checksum,
        };
        packet.extend(head);
        packet.extend(checksum.to_be_bytes());
        packet.extend(datagram);
        Some(packet)
    }

    /// The sum of 16-bit words (RFC 1071), each part from a whole word on.
    fn sum(parts: &[&[u8]]) -> u64 {
        let word = |pair: &[u8]| u64::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
        parts.iter().flat_map(|part| part.chunks(2)).map(word).sum()
    }

    fn folded(mut sum: u64) -> u16 {
        while sum > u64::from(u16::MAX) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The sum over a packet with its pseudo header is all ones where the checksum is right (RFC 768).
        fn verifies(packet: &[u8], addresses: core::ops::Range<usize>, udp_at: usize) -> bool {
            let udp = &packet[udp_at..];
            folded(sum(&[&packet[addresses], udp]) + u64::from(UDP) + udp.len() as u64) == u16::MAX
        }

        #[test]
        fn a_packet_that_is_passed_on_has_its_ends_its_hops_and_a_checksum_that_is_right() {
            let ends = |from: &str, to: &str| (from.parse().expect("an address"), to.parse().expect("an address"));
            for len in [0, 1, 2, 1_199, 1_200] {
                let datagram = vec![0xa7; len];
                let v4 = packet(ends("192.0.2.1:5000", "198.51.100.2:4860"), 9, &datagram).expect("it fits");
                assert_eq!((v4[0], v4[8], v4[9], v4.len()), (0x45, 9, UDP, IPV4_LEN + UDP_LEN + len));
                assert_eq!((&v4[12..16], &v4[16..20]), (&[192, 0, 2, 1][..], &[198, 51, 100, 2][..]));
                assert_eq!((&v4[20..24], &v4[28..]), (&[0x13, 0x88, 0x12, 0xfc][..], &datagram[..]));
                assert!(verifies(&v4, 12..20, IPV4_LEN), "{len}");
                let v6 = packet(ends("[2001:db8::1]:5000", "[2001:db8::2]:4860"), 9, &datagram).expect("it fits");
                assert_eq!((v6[0], v6[6], v6[7], v6.len()), (0x60, UDP, 9, IPV6_LEN + UDP_LEN + len));
                assert!(verifies(&v6, 8..40, IPV6_LEN), "{len}");
                let mut damaged = v4.clone();
                damaged[21] ^= 1;
                assert!(!verifies(&damaged, 12..20, IPV4_LEN), "control");
            }
            assert_eq!(packet(ends("192.0.2.1:1", "[2001:db8::2]:1"), 9, &[]), None, "of two families");
            assert_eq!(packet(ends("192.0.2.1:1", "192.0.2.2:1"), 9, &vec![0; 65_535]), None, "too long for any");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::net::SocketAddr;

    use super::{PassingError, Trouble};

    #[derive(Debug)]
    pub enum Family {}

    pub fn bind(_: u16) -> Result<Vec<Family>, PassingError> {
        Err(PassingError::System)
    }

    pub fn watch(family: &Family, _: &Trouble, _: impl Fn(SocketAddr, SocketAddr, &[u8]) -> Option<Vec<u8>>) {
        match *family {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_take_packets_tries_more_and_more_rarely_and_says_so_until_it_can() {
        let trouble = Arc::<Trouble>::default();
        let error = io::Error::from(io::ErrorKind::OutOfMemory);
        let pauses: Vec<Duration> = (0..12).map(|_| trouble.note(&error)).collect();
        assert_eq!((pauses[0], pauses[1]), (TAKEN_AGAIN_FIRST, TAKEN_AGAIN_FIRST * 2));
        assert_eq!(pauses[11], TAKEN_AGAIN_MAX);
        assert_eq!(trouble.locked().as_ref().map(|(why, _)| why.clone()), Some(error.to_string()));
        trouble.is_over();
        assert!(trouble.locked().is_none() && trouble.note(&error) == TAKEN_AGAIN_FIRST);
    }
}
