//! Passes datagrams on and reads nothing of them: what the kernel has put together (GRO) leaves as it came (GSO). Each
//! address that packets come from has a socket toward the server, as behind a NAT.

use std::collections::HashMap;
use std::io::{ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

use crate::Failure;
use crate::peer::{self, LOOPBACK};
use crate::process::Usage;
use crate::server::Post;
use crate::work::Hello;

/// Batches taken from one socket before the others have their turn.
const BATCHES: usize = 16;

/// Sockets that one wait tells of.
const TOLD_MAX: usize = 64;

/// The largest batch.
const BATCH_MAX: usize = 1 << 16;

static ADDRESSES: AtomicU64 = AtomicU64::new(0);
static PASSED: AtomicU64 = AtomicU64::new(0);

/// A socket, and where what it receives goes.
struct Leg {
    socket: UdpSocket,
    state: UdpSocketState,
    /// The client whose packets leave here; none of the socket that all clients send to.
    client: Option<SocketAddr>,
}

impl Leg {
    fn open(client: Option<SocketAddr>) -> Result<Leg, Failure> {
        let socket = peer::udp_socket_at(LOOPBACK)?;
        // Which sets the socket to not wait.
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Leg { socket, state, client })
    }

    /// A batch, if there is one.
    fn receive(&self, inbox: &mut [u8]) -> Result<Option<RecvMeta>, Failure> {
        let mut metas = [RecvMeta::default()];
        match self.state.recv((&self.socket).into(), &mut [IoSliceMut::new(inbox)], &mut metas) {
            Ok(n) => Ok(metas.into_iter().next().filter(|meta| n > 0 && meta.len > 0)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&self, to: SocketAddr, meta: &RecvMeta, contents: &[u8]) -> Result<(), Failure> {
        let segment_size = (meta.stride < meta.len).then_some(meta.stride);
        let transmit = Transmit { destination: to, ecn: meta.ecn, contents, segment_size, src_ip: None };
        match self.state.try_send((&self.socket).into(), &transmit) {
            Ok(()) => {
                PASSED.fetch_add(contents.len() as u64, Ordering::Relaxed);
                Ok(())
            }
            // There is no queue: it is lost, and the ends see to it.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Stands there for ever.
pub fn stand() -> Result<(), Failure> {
    let server = super::server()?;
    let epoll = Epoll::new(EpollCreateFlags::empty())?;
    let watch = |leg: &Leg, at: usize| epoll.add(&leg.socket, EpollEvent::new(EpollFlags::EPOLLIN, at as u64));
    let mut legs = vec![Leg::open(None)?];
    watch(&legs[0], 0)?;
    let hello = Hello { addr: legs[0].socket.local_addr()?, ..server.clone() };
    Post.hello_with(hello, || {
        let passed = Some(PASSED.load(Ordering::Relaxed));
        Ok(Usage { passed, ..Usage::now(ADDRESSES.load(Ordering::Relaxed))? })
    })?;
    let (mut by_client, mut inbox) = (HashMap::new(), vec![0; BATCH_MAX]);
    let mut told = [EpollEvent::empty(); TOLD_MAX];
    loop {
        let n = match epoll.wait(&mut told, EpollTimeout::NONE) {
            Err(nix::errno::Errno::EINTR) => continue,
            n => n?,
        };
        for event in &told[..n] {
            let at = event.data() as usize;
            for _ in 0..BATCHES {
                let Some(meta) = legs[at].receive(&mut inbox)? else { break };
                let contents = &inbox[..meta.len];
                if let Some(client) = legs[at].client {
                    legs[0].send(client, &meta, contents)?;
                    continue;
                }
                let onward = match by_client.get(&meta.addr) {
                    Some(&onward) => onward,
                    None => {
                        let leg = Leg::open(Some(meta.addr))?;
                        watch(&leg, legs.len())?;
                        legs.push(leg);
                        by_client.insert(meta.addr, legs.len() - 1);
                        ADDRESSES.store(by_client.len() as u64, Ordering::Relaxed);
                        legs.len() - 1
                    }
                };
                legs[onward].send(server.addr, &meta, contents)?;
            }
        }
    }
}
