//! System calls that nobody has wrapped for us: all the unsafe code of this crate.
#![expect(
    unsafe_code,
    reason = "TUNSETIFF, addresses of packet sockets, sched_setscheduler and TCP_INFO have no safe wrapper among our \
              dependencies"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::net::TcpStream;
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

/// Makes a TUN device in the namespace of the calling thread; it is there until the file is closed. Reads and writes
/// are whole IP packets, and do not block.
///
/// # Errors
/// No `/dev/net/tun`, no permission, a name that is taken or too long.
pub fn open_tun(name: &str) -> io::Result<File> {
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
    // SAFETY: the file is open, and the kernel reads and writes exactly one `struct ifreq` at the pointer, which is
    // what `InterfaceRequest` is: 40 bytes, all of them initialised, living until the call returns.
    unsafe { tun_set_interface(tun.as_raw_fd(), &mut request) }?;
    Ok(tun)
}

const _: () = assert!(core::mem::size_of::<InterfaceRequest>() == core::mem::size_of::<libc::ifreq>());

/// Binds a packet socket to all protocols of a device, given by its number.
///
/// # Errors
/// No such device.
pub(crate) fn bind_device(socket: &impl AsRawFd, index: u32) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sockaddr_ll`, a struct of integers.
    let mut address: libc::sockaddr_ll = unsafe { core::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as libc::c_ushort;
    address.sll_protocol = (libc::ETH_P_ALL as libc::c_ushort).to_be();
    address.sll_ifindex = index as libc::c_int;
    let len = core::mem::size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the call reads the `len` bytes of a live value.
    match unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), len) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets the calling thread run before all ordinary ones, and before those with a lower `priority`, from 1.
///
/// # Errors
/// No permission.
pub(crate) fn run_first(priority: i32) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sched_param`, a struct of integers.
    let mut parameters: libc::sched_param = unsafe { core::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: the pointer is to a live value for the length of the call, which only reads it.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What a TCP connection says of itself.
pub(crate) struct TcpInfo {
    /// Smoothed round-trip time.
    pub(crate) rtt_us: u32,
    /// The smallest.
    pub(crate) rtt_min_us: u32,
    /// Segments sent again.
    pub(crate) retransmitted: u32,
}

/// Bytes of the kernel's `struct tcp_info` up to `tcpi_min_rtt`.
const TCP_INFO_BYTES: usize = 152;

/// Asks a TCP connection for its figures.
///
/// # Errors
/// The kernel does not tell, or not all.
pub(crate) fn tcp_info(stream: &TcpStream) -> io::Result<TcpInfo> {
    let mut info = [0_u8; TCP_INFO_BYTES];
    let mut len = TCP_INFO_BYTES as libc::socklen_t;
    // SAFETY: the descriptor is open, `info` is valid for writes of the `len` bytes that the kernel writes at most, and
    // both live until the call returns.
    let result = unsafe {
        libc::getsockopt(stream.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, info.as_mut_ptr().cast(), &mut len)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if (len as usize) < TCP_INFO_BYTES {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    // Offsets of `tcpi_rtt`, `tcpi_min_rtt` and `tcpi_total_retrans` in linux/tcp.h.
    let field = |at: usize| u32::from_ne_bytes([info[at], info[at + 1], info[at + 2], info[at + 3]]);
    Ok(TcpInfo { rtt_us: field(68), rtt_min_us: field(148), retransmitted: field(100) })
}
