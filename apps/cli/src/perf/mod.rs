//! `tng perf`: both sides of a test, and how its figures are shown.
//!
//! [`Engine`](engine::Engine) moves the bytes and counts them, the same on both sides; [`client`] and [`server`] agree
//! on what it does; [`Report`](report::Report) shows what it counts, as iperf3's [tables](table) or its
//! [JSON](document).

pub mod client;
pub mod control;
pub mod cpu;
pub mod document;
pub mod engine;
pub mod figures;
pub mod lane;
pub mod report;
pub mod server;
pub mod table;
pub mod units;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tng::Connection;
use tng_services::perf::{Fault, FaultCode};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer;

/// The side of a test that a process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It asked for the test.
    Client,
    /// It takes part in it.
    Server,
}

/// How long the other side may take to answer before and after a test, and be silent within it.
pub const ANSWER_TIME: Duration = Duration::from_secs(10);

/// That the control stream failed, or that nothing came on it in time.
fn control_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::InvalidData => Failure::new(Exit::Protocol, "measuring", error),
        io::ErrorKind::UnexpectedEof => Failure::new(Exit::Receive, "measuring", "the other side went away"),
        _ => peer::stream_failure("measuring", error, Exit::Receive),
    }
}

/// That the other side says no.
fn fault_failure(fault: &Fault) -> Failure {
    let (exit, remedy) = match fault.code {
        FaultCode::Busy => (Exit::Denied, "again in a moment"),
        FaultCode::NotAllowed => (Exit::Denied, "a smaller test"),
        FaultCode::BadRequest => (Exit::Protocol, ""),
        FaultCode::Exceeded => (Exit::Partial, "a smaller test"),
        FaultCode::Other => (Exit::Denied, ""),
    };
    Failure::new(exit, "measuring", fault).or_try(remedy)
}

/// The addresses that a connection runs between. The local one is what the system would send from.
fn ends(connection: &Connection, bound: SocketAddr) -> (SocketAddr, SocketAddr) {
    let remote = connection.remote_address().unwrap_or(bound);
    let asked = std::net::UdpSocket::bind((bound.ip(), 0)).and_then(|socket| {
        // Nothing is sent by this.
        socket.connect(remote)?;
        socket.local_addr()
    });
    let ip = asked.map_or(bound.ip(), |local| local.ip());
    (SocketAddr::new(ip.to_canonical(), bound.port()), SocketAddr::new(remote.ip().to_canonical(), remote.port()))
}
