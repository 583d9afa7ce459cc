//! System calls that nobody has wrapped safely for us: all the unsafe code of the bench. Only variants of the floor use
//! it.

pub mod uring;

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use nix::libc;

/// Lets the socket send with `MSG_ZEROCOPY`.
///
/// # Errors
/// If the kernel cannot.
#[expect(unsafe_code, reason = "SO_ZEROCOPY is an option that neither nix nor socket2 has")]
pub fn zerocopy_on(socket: &UdpSocket) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the kernel reads as many bytes as `on` has.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ZEROCOPY,
            (&raw const on).cast(),
            core::mem::size_of_val(&on) as libc::socklen_t,
        )
    };
    checked(done.into()).map(drop)
}

/// What a call answered, or what went wrong.
fn checked(answer: i64) -> io::Result<i64> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
