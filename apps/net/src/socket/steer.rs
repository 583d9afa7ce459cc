//! Several sockets at one address, and which of them the kernel brings a packet to.

use std::io;
use std::net::UdpSocket;

/// Whether this system has sockets that share an address, and divides packets among them.
pub(super) const SHARES: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Lets others of this process join the address of a socket.
///
/// # Errors
/// If the system has no such thing.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn share(socket: &impl std::os::fd::AsFd) -> io::Result<()> {
    Ok(nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::ReusePort, &true)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn share<S>(_: &S) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has the kernel bring packets to the socket that they name by the rule of
/// [`IdSpace::named_in`](tng_endpoint::IdSpace::named_in), in the order in which the sockets were bound; what names
/// none goes by the addresses. Answers whether it does.
#[cfg(target_os = "linux")]
pub(super) fn steer(socket: &UdpSocket, of: u8) -> bool {
    use nix::libc::{BPF_ABS, BPF_ALU, BPF_AND, BPF_B, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_MOD, BPF_RET};
    use nix::libc::{sock_filter, sock_fprog};
    use nix::sys::socket::{setsockopt, sockopt::AttachReusePortCbpf};
    use tng_endpoint::{BEGINNINGS, HINT_AT, PLAIN_BIT, REQUEST_BYTE, REQUEST_HINT_AT};

    /// The accumulator, which libc has no name for.
    const BPF_A: u32 = 0x10;
    let op = |code: u32, k: u32, jt: u8, jf: u8| sock_filter { code: code as u16, jt, jf, k };
    let at_least = |first: u32, jt: u8, jf: u8| op(BPF_JMP | BPF_JGE | BPF_K, first, jt, jf);
    // Beyond any socket: by the addresses.
    let nobody = u32::MAX;
    let [init, join] = BEGINNINGS;
    // What begins behind the UDP header, byte by byte. Jumps count from the next line.
    let mut program = [
        op(BPF_LD | BPF_B | BPF_ABS, 0, 0, 0),
        at_least(0xc0, 13, 0), // nobody
        at_least(0xa0, 7, 0),  // perhaps a request
        at_least(0x40, 3, 0),  // by its id
        at_least(0x10, 10, 0), // nobody
        op(BPF_JMP | BPF_JEQ | BPF_K, init.into(), 9, 0),
        op(BPF_JMP | BPF_JEQ | BPF_K, join.into(), 8, 0),
        // By its id, which stands behind the first byte.
        op(BPF_LD | BPF_B | BPF_ABS, 1 + HINT_AT as u32, 0, 0),
        op(BPF_ALU | BPF_MOD | BPF_K, of.into(), 0, 0),
        op(BPF_RET | BPF_A, 0, 0, 0),
        // A request by the id of its connection, sealed or not.
        op(BPF_ALU | BPF_AND | BPF_K, (!PLAIN_BIT).into(), 0, 0),
        op(BPF_JMP | BPF_JEQ | BPF_K, REQUEST_BYTE.into(), 0, 3),
        op(BPF_LD | BPF_B | BPF_ABS, REQUEST_HINT_AT as u32, 0, 0),
        op(BPF_ALU | BPF_MOD | BPF_K, of.into(), 0, 0),
        op(BPF_RET | BPF_A, 0, 0, 0),
        // Nobody.
        op(BPF_RET | BPF_K, nobody, 0, 0),
    ];
    let program = sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    setsockopt(socket, AttachReusePortCbpf, &program).is_ok()
}

/// Elsewhere the threads hand packets to each other.
#[cfg(not(target_os = "linux"))]
pub(super) fn steer(_: &UdpSocket, _: u8) -> bool {
    false
}
