//! The socket of the floor through io_uring.

use std::net::SocketAddr;

use super::Side;
use super::udp::Udp;
use crate::Failure;
use crate::system::uring::Uring;

/// With a copy on sending.
pub type Copying = Pipe<false>;

/// Without.
pub type Zerocopy = Pipe<true>;

/// The socket.
pub struct Pipe<const ZEROCOPY: bool> {
    uring: Uring,
    side: Side,
    packets_max: usize,
}

impl<const ZEROCOPY: bool> super::Pipe for Pipe<ZEROCOPY> {
    fn open(at: SocketAddr, side: Side) -> Result<Pipe<ZEROCOPY>, Failure> {
        let udp = Udp::open(at, side)?;
        let packets_max = udp.packets_max();
        let uring = Uring::new(udp.socket, ZEROCOPY).map_err(|error| format!("io_uring: {error}"))?;
        Ok(Pipe { uring, side, packets_max })
    }

    fn addr(&self) -> Result<SocketAddr, Failure> {
        Ok(self.uring.socket().local_addr()?)
    }

    fn packets_max(&self) -> usize {
        self.packets_max
    }

    fn send(&mut self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure> {
        let SocketAddr::V4(to) = to else { return Err("the floor is of IPv4".into()) };
        let segment = if segment < packets.len() { Some(u16::try_from(segment)?) } else { None };
        *packets = self.uring.send(to, std::mem::take(packets), segment)?;
        Ok(())
    }

    fn receive(&mut self, mut each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        self.uring.receive(self.side.patience(), |from, packets, stride| {
            packets.chunks_mut(stride).try_for_each(|packet| each(from.into(), packet))
        })
    }
}
