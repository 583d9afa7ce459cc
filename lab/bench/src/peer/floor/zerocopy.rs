//! The socket of the floor, sent to with `MSG_ZEROCOPY`: the kernel takes the pages themselves, and tells on the error
//! queue when it is done with them. On loopback, and wherever a socket of the same machine receives, it copies them
//! after all.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::net::{SocketAddr, SocketAddrV4};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, sendmsg};

use super::Side;
use super::udp::Udp;
use crate::{Failure, system};

/// Bytes that a buffer holds.
const BUFFER: usize = 1 << 16;

/// What the kernel says in `ee_origin` and `ee_code` (linux/errqueue.h).
const ORIGIN_ZEROCOPY: u8 = 5;
const CODE_COPIED: u8 = 1;

/// The socket, and the buffers that the kernel has.
pub struct Pipe {
    udp: Udp,
    /// The oldest first. Each is a number from the one before on; completions name numbers.
    lent: VecDeque<Vec<u8>>,
    /// The number of the oldest, and whether those after it are done with.
    first: u32,
    done: VecDeque<bool>,
    spare: Vec<Vec<u8>>,
    sent: u64,
    copied: u64,
}

impl Pipe {
    /// Takes back what the kernel is done with.
    fn reap(&mut self) -> Result<(), Failure> {
        loop {
            let mut space = nix::cmsg_space!([u8; 64]);
            let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
            let message = match recvmsg::<()>(self.udp.socket.as_raw_fd(), &mut [], Some(&mut space), flags) {
                Ok(message) => message,
                Err(Errno::EAGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            for told in message.cmsgs()? {
                let ControlMessageOwned::Ipv4RecvErr(told, _) = told else { continue };
                if told.ee_origin != ORIGIN_ZEROCOPY {
                    return Err(format!("the socket has failed with {}", told.ee_errno).into());
                }
                let (from, to) = (told.ee_info.wrapping_sub(self.first), told.ee_data.wrapping_sub(self.first));
                for at in from..=to {
                    if let Some(done) = self.done.get_mut(at as usize) {
                        *done = true;
                        self.copied += u64::from(told.ee_code & CODE_COPIED);
                    }
                }
            }
            while self.done.pop_front_if(|done| *done).is_some() {
                self.first = self.first.wrapping_add(1);
                self.spare.extend(self.lent.pop_front());
            }
        }
    }
}

impl super::Pipe for Pipe {
    fn open(at: SocketAddr, side: Side) -> Result<Pipe, Failure> {
        let udp = Udp::open(at, side)?;
        system::zerocopy_on(&udp.socket)?;
        Ok(Pipe { udp, lent: VecDeque::new(), first: 0, done: VecDeque::new(), spare: Vec::new(), sent: 0, copied: 0 })
    }

    fn addr(&self) -> Result<SocketAddr, Failure> {
        Ok(self.udp.socket.local_addr()?)
    }

    fn packets_max(&self) -> usize {
        self.udp.packets_max()
    }

    fn send(&mut self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure> {
        let SocketAddr::V4(to) = to else { return Err("the floor is of IPv4".into()) };
        self.reap()?;
        let segment = u16::try_from(segment)?;
        let cuts = [ControlMessage::UdpGsoSegments(&segment)];
        let cuts = if usize::from(segment) < packets.len() { &cuts[..] } else { &[] };
        loop {
            let parts = [IoSlice::new(packets)];
            let flags = MsgFlags::from_bits_retain(libc::MSG_ZEROCOPY);
            match sendmsg(self.udp.socket.as_raw_fd(), &parts, cuts, flags, Some(&sockaddr(to))) {
                Ok(_) => break,
                // So much is under way that it cannot note more.
                Err(Errno::ENOBUFS) => self.reap()?,
                Err(error) => return Err(error.into()),
            }
        }
        self.sent += 1;
        let mut empty = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BUFFER));
        empty.clear();
        self.lent.push_back(std::mem::replace(packets, empty));
        self.done.push_back(false);
        Ok(())
    }

    fn receive(&mut self, each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        self.udp.receive(each)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.udp.settings();
        settings.push(("the kernel copied after all", format!("{} of {} batches", self.copied, self.sent)));
        settings
    }
}

fn sockaddr(to: SocketAddrV4) -> SockaddrIn {
    SockaddrIn::from(to)
}
