//! What passing datagrams costs, and nothing else: a server that answers each request with as many datagrams as it is
//! asked for, out of a buffer that does not change. Requests and datagrams have the sizes that `tng-trickles` has; how
//! many answer a request is told.

use std::io::{ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};
use std::os::fd::AsFd;

use crate::Failure;
use crate::client::Bench;
use crate::peer::{self, LOOPBACK};
use crate::process::{Served, Usage};
use crate::role::{Asked, Said, next};
use crate::server::{Post, say};
use crate::work::{ASKING_LEN, Hello, PeerName, Settings, Work};

/// Bytes of a request, as those of `tng-trickles` have on the average.
const REQUEST_LEN: usize = 160;
/// Bytes of each.
const DATAGRAM_LEN: usize = 1_472;
/// Bytes of an object in a packet of `tng-trickles` that is so long: those of the same object need as many datagrams.
const CARRIED: u64 = 1_397;
/// Requests of a client under way at once.
const UNDER_WAY: u64 = 32;

/// Messages that one call brings, each of one datagram or several: as many as a driver of tng takes.
const BATCH: usize = tng::RECEIVE_BATCH;
/// The largest of them.
const BATCH_MAX: usize = 1 << 16;
/// Most datagrams that one call sends.
const SEGMENTS_MAX: usize = 44;
/// Sockets that one wait tells of.
const TOLD_MAX: usize = 64;
/// Nothing takes so long on loopback: something was lost.
const LOST_AFTER: Duration = Duration::from_secs(2);

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static PACKETS: AtomicU64 = AtomicU64::new(0);
static SENDS: AtomicU64 = AtomicU64::new(0);

/// A socket with the kernel's segmentation and coalescing.
struct Udp {
    socket: UdpSocket,
    state: UdpSocketState,
}

impl Udp {
    fn open() -> Result<Udp, Failure> {
        let socket = peer::udp_socket_at(LOOPBACK)?;
        // Which sets the socket to not wait.
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Udp { socket, state })
    }

    fn receive(&self, inbox: &mut [u8], metas: &mut [RecvMeta; BATCH]) -> Result<usize, Failure> {
        let mut parts = inbox.chunks_mut(BATCH_MAX);
        let mut slices: [IoSliceMut<'_>; BATCH] =
            core::array::from_fn(|_| IoSliceMut::new(parts.next().unwrap_or_default()));
        match self.state.recv((&self.socket).into(), &mut slices, metas) {
            Ok(n) => Ok(n),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&self, to: SocketAddr, contents: &[u8], segment: usize) -> Result<(), Failure> {
        let segment_size = (segment < contents.len()).then_some(segment);
        let transmit = Transmit { destination: to, ecn: None, contents, segment_size, src_ip: None };
        Ok(self.state.try_send((&self.socket).into(), &transmit)?)
    }
}

/// Serves for ever.
pub fn serve(name: PeerName, post: Post) -> Result<(), Failure> {
    let (udp, gathers) = (Udp::open()?, name == PeerName::EchoGathered);
    let served = || Served {
        requests: REQUESTS.load(Ordering::Relaxed),
        packets: PACKETS.load(Ordering::Relaxed),
        sends: SENDS.load(Ordering::Relaxed),
    };
    let hello = Hello { addr: udp.socket.local_addr()?, proof: None, ticket: String::new(), relay: None };
    post.hello_with(hello, move || Ok(Usage { served: Some(served()), ..Usage::now(0)? }))?;
    let (mut inbox, out) = (vec![0; BATCH * BATCH_MAX], vec![7; SEGMENTS_MAX * DATAGRAM_LEN]);
    let mut metas = [RecvMeta::default(); BATCH];
    let answer = |to, packets: usize| {
        PACKETS.fetch_add(packets as u64, Ordering::Relaxed);
        SENDS.fetch_add(1, Ordering::Relaxed);
        udp.send(to, &out[..packets * DATAGRAM_LEN], DATAGRAM_LEN)
    };
    loop {
        let n = udp.receive(&mut inbox, &mut metas)?;
        if n == 0 {
            poll(&mut [PollFd::new(udp.socket.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE)?;
        }
        let mut owed: Option<(SocketAddr, usize)> = None;
        for (meta, inbox) in metas[..n].iter().zip(inbox.chunks(BATCH_MAX)) {
            for request in inbox[..meta.len].chunks(meta.stride) {
                REQUESTS.fetch_add(1, Ordering::Relaxed);
                let granted = usize::from(request[0]);
                owed = match owed {
                    Some((to, packets)) if gathers && to == meta.addr && packets + granted <= SEGMENTS_MAX => {
                        Some((to, packets + granted))
                    }
                    before => {
                        before.map_or(Ok(()), |(to, packets)| answer(to, packets))?;
                        Some((meta.addr, granted))
                    }
                };
            }
        }
        owed.map_or(Ok(()), |(to, packets)| answer(to, packets))?;
    }
}

/// One client.
struct Flow {
    udp: Udp,
    requested: u64,
    received: u64,
}

impl Flow {
    /// Asks for what there is room for, up to so many packets in all.
    fn ask(&mut self, server: SocketAddr, packets: u64, out: &[u8]) -> Result<(), Failure> {
        let granted = u64::from(out[0]);
        let (answered, most) = (self.received / granted, packets.div_ceil(granted));
        let requests = most.min(answered + UNDER_WAY) - self.requested;
        if requests > 0 {
            self.udp.send(server, &out[..requests as usize * REQUEST_LEN], REQUEST_LEN)?;
            self.requested += requests;
        }
        Ok(())
    }
}

/// Has so many packets, of each client in all, come by each, `granted` for each request.
fn fetch(flows: &mut [Flow], epoll: &Epoll, server: SocketAddr, (packets, granted): (u64, u64)) -> Result<(), Failure> {
    let out = vec![granted as u8; UNDER_WAY as usize * REQUEST_LEN];
    let (mut inbox, mut metas) = (vec![0; BATCH * BATCH_MAX], [RecvMeta::default(); BATCH]);
    let mut told = [EpollEvent::empty(); TOLD_MAX];
    let wait = EpollTimeout::try_from(LOST_AFTER)?;
    flows.iter_mut().try_for_each(|flow| flow.ask(server, packets, &out))?;
    while flows.iter().any(|flow| flow.received < packets) {
        let n = epoll.wait(&mut told, wait)?;
        if n == 0 {
            return Err("something was lost on loopback".into());
        }
        for event in &told[..n] {
            let flow = &mut flows[event.data() as usize];
            let n = flow.udp.receive(&mut inbox, &mut metas)?;
            flow.received += metas[..n].iter().map(|meta| meta.len.div_ceil(meta.stride) as u64).sum::<u64>();
            flow.ask(server, packets, &out)?;
        }
    }
    Ok(())
}

/// All clients at once, in one thread.
pub fn client(work: &Work) -> Result<(), Failure> {
    let Asked::Server(hello) = next()? else { return Err("no server".into()) };
    let (clients, epoll) = (work.sockets_of_one(), Epoll::new(EpollCreateFlags::empty())?);
    let mut flows = Vec::new();
    for at in 0..clients {
        let udp = Udp::open()?;
        epoll.add(&udp.socket, EpollEvent::new(EpollFlags::EPOLLIN, at))?;
        flows.push(Flow { udp, requested: 0, received: 0 });
    }
    let granted = work.granted();
    let packets = work.answer(ASKING_LEN).div_ceil(CARRIED * granted) * granted;
    fetch(&mut flows, &epoll, hello.addr, (packets, granted))?;
    say(&Said::Ready)?;
    let Asked::Go = next()? else { return Err("told something else than to go".into()) };
    let bench = Bench::started()?;
    fetch(&mut flows, &epoll, hello.addr, (2 * packets, granted))?;
    let bytes = clients * work.answer(ASKING_LEN);
    let settings = Settings::from([
        ("requests".into(), format!("{REQUEST_LEN} bytes, {UNDER_WAY} of a client under way at once")),
        ("each answered with".into(), format!("{granted} datagrams of {DATAGRAM_LEN} bytes")),
        ("each counts for".into(), format!("{CARRIED} bytes, what such a packet of tng-trickles carries")),
    ]);
    bench.tell(vec![("elapsed_s", bench.elapsed_s()), ("bytes", bytes as f64)], settings)
}
