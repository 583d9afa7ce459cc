//! Transfers by the kernel's TCP.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::network::Network;
use crate::system;
use crate::transfer::{Amount, Origin, Span, Tally, Transfer, TransferFigures};

/// Where the first receiver listens; each of the others one port further.
pub const PORT: u16 = 5_000;
/// Bytes that are written and read at once.
const CHUNK: usize = 128 * 1024;
/// What a sender may have written that the kernel has not sent yet: as much as keeps it busy, so that a transfer that
/// is over soon has arrived.
const UNSENT_MAX: u32 = 256 * 1024;
/// A receiver looks at the clock at least so often.
const LOOK: Duration = Duration::from_millis(50);

/// A receiver that listens, before the run begins.
#[derive(Debug)]
pub struct Receiver {
    transfer: Transfer,
    listener: Socket,
    address: SocketAddr,
    /// Where its sender connects, if that is not where it listens.
    by_way_of: Option<SocketAddr>,
}

/// The controllers that the kernel has.
pub fn controllers() -> Vec<String> {
    let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    known.split_whitespace().map(str::to_owned).collect()
}

/// What the kernel calls a controller of ours; its default if none is named is not ours to say, so it is cubic.
pub fn kernel_name(controller: Option<&str>) -> &str {
    match controller {
        None => "cubic",
        Some("newreno") => "reno",
        Some(name) => name,
    }
}

/// Listens for transfers.
///
/// # Errors
/// A node has no address, or the kernel no such controller.
pub fn listen(network: &Network, transfers: &[Transfer]) -> io::Result<Vec<Receiver>> {
    let known = controllers();
    let listen = |(number, transfer): (usize, &Transfer)| {
        let controller = kernel_name(transfer.controller.as_deref());
        if !known.iter().any(|known| known == controller) {
            let known = known.join(", ");
            let why = format!("the kernel has no congestion controller {controller:?}; it has {known}");
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let node = &network.topology().nodes[transfer.to];
        let nowhere = || io::Error::new(io::ErrorKind::AddrNotAvailable, format!("{:?} is a router", node.name));
        let ip = *node.addresses.first().ok_or_else(nowhere)?;
        let address = SocketAddr::new(ip, PORT + number as u16);
        let listener = network.run(transfer.to, || {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
            socket.set_reuse_address(true)?;
            socket.bind(&SockAddr::from(address))?;
            socket.listen(1)?;
            // For accept.
            socket.set_read_timeout(Some(LOOK))?;
            Ok::<_, io::Error>(socket)
        })??;
        Ok(Receiver { transfer: transfer.clone(), listener, address, by_way_of: None })
    };
    transfers.iter().enumerate().map(listen).collect()
}

impl Receiver {
    /// With a sender that connects elsewhere, to somebody who passes on what it sends.
    #[must_use]
    pub fn by_way_of(self, address: SocketAddr) -> Receiver {
        Receiver { by_way_of: Some(address), ..self }
    }

    /// Runs the transfer: what came of it.
    pub fn run(self, network: &Network, origin: Origin, span: Span) -> TransferFigures {
        let (sender, mut tally) = (OnceLock::new(), Tally::new(origin, span, self.transfer.start));
        let result = std::thread::scope(|scope| {
            let sending = scope.spawn(|| self.send(network, origin, span, &sender));
            let received = self.receive(&mut tally);
            let info = sender.get().and_then(|stream| system::tcp_info(stream).ok());
            // A sender that still writes or waits finds out.
            if let Some(stream) = sender.get() {
                let _ = stream.shutdown(Shutdown::Both);
            }
            let sent = sending.join().unwrap_or_else(|_| Err(io::Error::other("the sender panicked")));
            (info, received.map(|whole| if whole { Ok(()) } else { sent.map(|_| ()) }))
        });
        let mut figures = tally.figures();
        figures.controller = kernel_name(self.transfer.controller.as_deref()).to_owned();
        if let (Some(info), _) = &result {
            figures.rtt_smoothed_us = Some(f64::from(info.rtt_us));
            figures.rtt_min_us = Some(f64::from(info.rtt_min_us));
            figures.retransmitted = Some(u64::from(info.retransmitted));
        }
        // A transfer that is cut off in the end has not failed, if it had begun.
        let cut = origin.elapsed() >= span.limit && (figures.bytes > 0 || self.transfer.start >= span.limit);
        figures.failure = match result.1 {
            Ok(Ok(())) => None,
            Ok(Err(error)) | Err(error) => (!cut).then(|| error.to_string()),
        };
        figures
    }

    /// Connects when the time has come, and writes.
    fn send(&self, network: &Network, origin: Origin, span: Span, shared: &OnceLock<TcpStream>) -> io::Result<()> {
        network.namespace(self.transfer.from).enter()?;
        origin.rest_until(self.transfer.start.min(span.limit));
        let socket = Socket::new(Domain::for_address(self.address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_tcp_congestion(kernel_name(self.transfer.controller.as_deref()).as_bytes())?;
        socket.set_tcp_notsent_lowat(UNSENT_MAX)?;
        let address = self.by_way_of.unwrap_or(self.address);
        socket.connect_timeout(&SockAddr::from(address), origin.until(span.limit).max(LOOK))?;
        let mut stream: TcpStream = socket.into();
        let _ = shared.set(stream.try_clone()?);
        let chunk = vec![0x5a; CHUNK];
        let end = match self.transfer.amount {
            Amount::For(time) => (self.transfer.start + time).min(span.limit),
            Amount::Bytes(_) | Amount::Forever => span.limit,
        };
        let mut left = match self.transfer.amount {
            Amount::Bytes(bytes) => bytes,
            Amount::For(_) | Amount::Forever => u64::MAX,
        };
        while left > 0 && !origin.until(end).is_zero() {
            let now = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            left -= stream.write(&chunk[..now])? as u64;
        }
        stream.shutdown(Shutdown::Write)?;
        // The figures of the connection are wanted until all has arrived.
        stream.read(&mut [0]).map(drop)
    }

    /// Reads until the end or the limit: whether it was the end.
    fn receive(&self, tally: &mut Tally) -> io::Result<bool> {
        let mut stream = loop {
            match self.listener.accept() {
                Ok((socket, _)) => break TcpStream::from(socket),
                Err(error) if waits(&error) && !tally.left().is_zero() => {}
                Err(error) if waits(&error) => return Ok(false),
                Err(error) => return Err(error),
            }
        };
        stream.set_read_timeout(Some(LOOK))?;
        let mut chunk = vec![0; CHUNK];
        while !tally.left().is_zero() {
            match stream.read(&mut chunk) {
                Ok(0) => {
                    tally.end();
                    return Ok(true);
                }
                Ok(bytes) => tally.count(bytes),
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
