//! The peers, each driven as its own documentation would have it, with the same bytes and the same checks.

pub mod between;
pub mod echo;
pub mod floor;
pub mod guest;
mod messages;
pub mod quinn;
pub mod s2n;
mod secrets;
pub mod tls;
pub mod tng;
pub mod trickles;

use std::future::Future;
use std::net::UdpSocket;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::Failure;
use crate::work::{Hello, PeerName, Settings, Work};

/// Where everything listens, and connects from: any port of loopback.
pub const LOOPBACK: std::net::SocketAddr =
    std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

/// Bytes that a UDP socket may queue each way: what the kernel grants without privileges on the usual system, and tng's
/// default.
pub const SOCKET_BUFFER: usize = 4 << 20;

/// The host name in certificates.
pub const HOST: &str = "localhost";

/// The client's side of a peer.
pub trait Client: Send + Sync + Sized + 'static {
    /// What requests are made on, one at a time.
    type Line: Line;
    /// A connection that is kept.
    type Held: Send;

    /// Gets ready to connect, under one of the peer's names.
    fn start(work: &Work, name: PeerName, hello: &Hello) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// A new connection, and so many lines on it.
    fn apart(&self, lines: u64) -> impl Future<Output = Result<Vec<Self::Line>, Failure>> + Send;

    /// A line more. All share one connection if the peer has streams, else each has a connection.
    fn line(&self) -> impl Future<Output = Result<Self::Line, Failure>> + Send;

    /// Makes a new connection.
    fn connect(&self) -> impl Future<Output = Result<Self::Held, Failure>> + Send;

    /// Ends a connection, and tells the peer.
    fn close(held: Self::Held) -> impl Future<Output = ()> + Send;

    /// How the peer is set up.
    fn settings(&self) -> Settings;
}

/// What one request after another is made on.
pub trait Line: Send + 'static {
    /// A stream that is kept.
    type Idle: Send;

    /// Sends the first `len` bytes of the payload, and waits for the `answer` bytes that follow: the server sends them
    /// when it has seen and compared all of the former.
    fn exchange(&mut self, len: u64, answer: u64) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Datagrams that its connection has sent and received so far, where the peer counts them.
    fn datagrams(&self) -> Option<u64>;

    /// Opens a stream by its first byte.
    fn open(&mut self) -> impl Future<Output = Result<Self::Idle, Failure>> + Send;
}

/// A UDP socket with [`SOCKET_BUFFER`], at an address, which it may share. A port that the kernel chooses is its own:
/// the kernel gives one port to several sockets that say before they are bound that they share it, whatever they are
/// for.
fn udp_socket_at(addr: std::net::SocketAddr) -> Result<UdpSocket, Failure> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_recv_buffer_size(SOCKET_BUFFER)?;
    socket.set_send_buffer_size(SOCKET_BUFFER)?;
    socket.set_reuse_port(addr.port() != 0)?;
    socket.bind(&SockAddr::from(addr))?;
    socket.set_reuse_port(true)?;
    Ok(socket.into())
}

/// The version of a dependency, as it was built in.
fn version(package: &str) -> String {
    let lock = include_str!("../../../../Cargo.lock");
    let entry = lock.split_once(&format!("name = \"{package}\"\nversion = \""));
    entry.and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_the_kernel_chooses_belongs_to_one_socket_until_others_ask_for_it() {
        let sockets: Vec<UdpSocket> = (0..500).map(|_| udp_socket_at(LOOPBACK).expect("a socket")).collect();
        let address = |socket: &UdpSocket| socket.local_addr().expect("an address");
        let ports: std::collections::BTreeSet<u16> = sockets.iter().map(|socket| address(socket).port()).collect();
        assert_eq!(ports.len(), sockets.len());
        udp_socket_at(address(&sockets[0])).expect("who names the port shares it");
    }
}
