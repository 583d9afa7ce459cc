//! A UDP socket with the kernel's segmentation and coalescing, by calls that wait, or that do not.

use std::io::{ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

use super::Side;
use crate::Failure;
use crate::peer::{self, SOCKET_BUFFER};

/// A socket.
pub struct Udp {
    /// It.
    pub socket: UdpSocket,
    /// What it can do.
    pub state: UdpSocketState,
    inbox: Vec<u8>,
}

impl Udp {
    /// At that address, waiting at most as long as that side does.
    pub fn open(at: SocketAddr, side: Side) -> Result<Udp, Failure> {
        let socket = peer::udp_socket_at(at)?;
        let state = UdpSocketState::new((&socket).into())?;
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(side.patience())?;
        Ok(Udp { socket, state, inbox: vec![0; 1 << 16] })
    }

    /// Packets that the kernel cuts one call's bytes into.
    pub fn packets_max(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// Sends by a copy.
    pub fn send(&self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure> {
        let segment_size = (segment < packets.len()).then_some(segment);
        let transmit = Transmit { destination: to, ecn: None, contents: packets, segment_size, src_ip: None };
        self.state.try_send((&self.socket).into(), &transmit)?;
        packets.clear();
        Ok(())
    }

    /// What one call brings.
    pub fn receive(
        &mut self,
        mut each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut metas = [RecvMeta::default()];
        // One buffer: with more, a blocking call waits until all are full.
        let mut bufs = [IoSliceMut::new(&mut self.inbox)];
        if self.state.recv((&self.socket).into(), &mut bufs, &mut metas)? == 0 {
            return Ok(());
        }
        let [meta] = metas;
        self.inbox[..meta.len].chunks_mut(meta.stride).try_for_each(|packet| each(meta.addr, packet))
    }

    /// How it is set up.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("socket buffers", SOCKET_BUFFER.to_string())]
    }
}

/// By calls that wait.
pub struct Waiting(Udp);

impl super::Pipe for Waiting {
    fn open(at: SocketAddr, side: Side) -> Result<Waiting, Failure> {
        Udp::open(at, side).map(Waiting)
    }

    fn addr(&self) -> Result<SocketAddr, Failure> {
        Ok(self.0.socket.local_addr()?)
    }

    fn packets_max(&self) -> usize {
        self.0.packets_max()
    }

    fn send(&mut self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure> {
        self.0.send(to, packets, segment)
    }

    fn receive(&mut self, each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        self.0.receive(each)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        self.0.settings()
    }
}

/// By calls that do not wait, one after another.
pub struct Spinning {
    udp: Udp,
    side: Side,
}

impl super::Pipe for Spinning {
    fn open(at: SocketAddr, side: Side) -> Result<Spinning, Failure> {
        let udp = Udp::open(at, side)?;
        udp.socket.set_nonblocking(true)?;
        Ok(Spinning { udp, side })
    }

    fn addr(&self) -> Result<SocketAddr, Failure> {
        Ok(self.udp.socket.local_addr()?)
    }

    fn packets_max(&self) -> usize {
        self.udp.packets_max()
    }

    fn send(&mut self, to: SocketAddr, packets: &mut Vec<u8>, segment: usize) -> Result<(), Failure> {
        self.udp.send(to, packets, segment)
    }

    fn receive(&mut self, mut each: impl FnMut(SocketAddr, &mut [u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        let began = Instant::now();
        loop {
            match self.udp.receive(&mut each) {
                Err(error) if is_nothing_there(&error) => {
                    if self.side.patience().is_some_and(|patience| began.elapsed() > patience) {
                        return Err(error);
                    }
                    std::hint::spin_loop();
                }
                done => return done,
            }
        }
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        self.udp.settings()
    }
}

fn is_nothing_there(error: &Failure) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::WouldBlock)
}
