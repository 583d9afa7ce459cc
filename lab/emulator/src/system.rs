//! System calls that nobody has wrapped for us: all the unsafe code of this crate.
#![expect(unsafe_code, reason = "TUNSETIFF and sched_setscheduler have no safe wrapper among our dependencies")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use nix::libc;

/// `struct ifreq` as `TUNSETIFF` uses it.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    /// The rest of the union that the flags lie in.
    rest: [u8; 22],
}

nix::ioctl_readwrite_bad!(
    tun_set_interface,
    nix::request_code_write!(b'T', 202, core::mem::size_of::<libc::c_int>()),
    InterfaceRequest
);

/// Makes a TUN device in the namespace of the calling thread; it is there until the file is closed. Reads and writes are whole IP
/// packets, and do not block.
///
/// # Errors
/// No `/dev/net/tun`, no permission, a name that is taken or too long.
pub(crate) fn open_tun(name: &str) -> io::Result<File> {
    let mut request = InterfaceRequest {
        name: [0; libc::IFNAMSIZ],
        flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short,
        rest: [0; 22],
    };
    if name.len() >= request.name.len() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is too long for a device")));
    }
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    let tun = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    // SAFETY: the file is open, and the kernel reads and writes exactly one `struct ifreq` at the pointer, which is what
    // `InterfaceRequest` is: 40 bytes, all of them initialised, living until the call returns.
    unsafe { tun_set_interface(tun.as_raw_fd(), &mut request) }?;
    Ok(tun)
}

const _: () = assert!(core::mem::size_of::<InterfaceRequest>() == core::mem::size_of::<libc::ifreq>());

/// Lets the calling thread run before all ordinary ones.
///
/// # Errors
/// No permission.
pub(crate) fn run_first() -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sched_param`, a struct of integers.
    let mut parameters: libc::sched_param = unsafe { core::mem::zeroed() };
    parameters.sched_priority = 1;
    // SAFETY: the pointer is to a live value for the length of the call, which only reads it.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
