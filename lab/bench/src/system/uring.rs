//! A UDP socket through io_uring: one receive that goes on and on into buffers that the kernel chooses, and sends.
//!
//! What the kernel is told addresses of (buffers, headers of messages) is never freed: a process has one such socket,
//! for as long as it runs.
#![expect(unsafe_code, reason = "io_uring is told addresses; no wrapper has multishot receive with control messages")]

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use io_uring::types::{BufRingEntry, Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use nix::libc;

/// Buffers that are provided; few, so that they stay in the cache.
const BUFFERS: u16 = 8;

/// Before the payload in a buffer: the kernel's `io_uring_recvmsg_out`, the address, and control messages.
const OUT_LEN: usize = 16;
const NAME_LEN: usize = 16;
const CONTROL_LEN: usize = 128;
const HEAD_LEN: usize = OUT_LEN + NAME_LEN + CONTROL_LEN;

/// Bytes of a buffer: a whole coalesced batch, and what stands before it.
const BUFFER_LEN: usize = (1 << 16) + HEAD_LEN;

/// Sends under way at most.
const SENDS: usize = 64;

/// Sends that are handed over together.
const SUBMIT_AFTER: usize = 4;

const ENTRIES: u32 = 256;
const GROUP: u16 = 0;
const PAGE: usize = 4_096;

/// What completions of the receive are known by; sends are known by their place.
const RECEIVE: u64 = u64::MAX;

/// What the kernel is told of one send.
struct Sending {
    header: libc::msghdr,
    part: libc::iovec,
    name: libc::sockaddr_in,
    /// One control message: `UDP_SEGMENT`.
    control: [u64; 3],
    bytes: Vec<u8>,
}

/// The socket.
pub struct Uring {
    ring: IoUring,
    socket: UdpSocket,
    zerocopy: bool,
    /// The ring of provided buffers; its first entry has the tail.
    provided: *mut BufRingEntry,
    tail: u16,
    /// The buffers.
    buffers: *mut u8,
    /// What the receive is told.
    header: *const libc::msghdr,
    armed: bool,
    arrived: VecDeque<cqueue::Entry>,
    sends: Vec<&'static mut Sending>,
    free: Vec<usize>,
    spare: Vec<Vec<u8>>,
    unsubmitted: usize,
}

/// Memory for ever, zeroed, from a page on.
fn for_ever(len: usize) -> io::Result<*mut u8> {
    let layout = Layout::from_size_align(len, PAGE).map_err(io::Error::other)?;
    // SAFETY: the layout is not empty: all lengths are constants above 0.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout)
    }
    Ok(memory)
}

impl Uring {
    /// Takes a socket over.
    ///
    /// # Errors
    /// If the kernel lacks what it takes.
    pub fn new(socket: UdpSocket, zerocopy: bool) -> io::Result<Uring> {
        let ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(ENTRIES)?;
        let provided = for_ever(usize::from(BUFFERS) * size_of::<BufRingEntry>())?.cast::<BufRingEntry>();
        // SAFETY: that many zeroed entries lie there, page-aligned and for ever.
        unsafe { ring.submitter().register_buf_ring_with_flags(provided as u64, BUFFERS, GROUP, 0)? };
        // SAFETY: all zeros are a message header without anything.
        let mut header: libc::msghdr = unsafe { core::mem::zeroed() };
        header.msg_namelen = NAME_LEN as libc::socklen_t;
        header.msg_controllen = CONTROL_LEN as _;
        let mut uring = Uring {
            ring,
            socket,
            zerocopy,
            provided,
            tail: 0,
            buffers: for_ever(usize::from(BUFFERS) * BUFFER_LEN)?,
            header: Box::leak(Box::new(header)),
            armed: false,
            arrived: VecDeque::new(),
            sends: Vec::new(),
            free: Vec::new(),
            spare: Vec::new(),
            unsubmitted: 0,
        };
        (0..BUFFERS).for_each(|id| uring.provide(id));
        Ok(uring)
    }

    /// The socket.
    pub const fn socket(&self) -> &UdpSocket {
        &self.socket
    }

    fn buffer(&self, id: u16) -> *mut u8 {
        // Within the memory of all buffers, as ids are below their number.
        self.buffers.wrapping_add(usize::from(id % BUFFERS) * BUFFER_LEN)
    }

    /// The kernel may have that buffer.
    fn provide(&mut self, id: u16) {
        let at = self.provided.wrapping_add(usize::from(self.tail % BUFFERS));
        // SAFETY: the entry is one of those that were allocated, and the kernel reads it only behind the tail.
        let entry = unsafe { &mut *at };
        entry.set_addr(self.buffer(id) as u64);
        entry.set_len(BUFFER_LEN as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the first entry of the ring has the tail, which is aligned as it is; both sides access it whole.
        let tail = unsafe { AtomicU16::from_ptr(BufRingEntry::tail(self.provided).cast_mut()) };
        tail.store(self.tail, Ordering::Release);
    }

    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: whatever the entry names is never freed, and stays as it is until its completion.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
            self.submit()?;
        }
        self.unsubmitted += 1;
        Ok(())
    }

    fn submit(&mut self) -> io::Result<()> {
        self.unsubmitted = 0;
        self.ring.submit().map(drop)
    }

    /// Hands over what there is, and waits for a completion.
    fn wait(&mut self, patience: Option<Duration>) -> io::Result<()> {
        self.unsubmitted = 0;
        let time = patience.map(Timespec::from);
        let mut args = SubmitArgs::new();
        if let Some(time) = &time {
            args = args.timespec(time);
        }
        match self.ring.submitter().submit_with_args(1, &args) {
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            done => drop(done?),
        }
        self.sort()
    }

    /// Sees what has been completed.
    fn sort(&mut self) -> io::Result<()> {
        for entry in self.ring.completion() {
            if entry.user_data() == RECEIVE {
                self.armed &= cqueue::more(entry.flags());
                self.arrived.push_back(entry);
                continue;
            }
            if entry.result() < 0 && !cqueue::notif(entry.flags()) {
                return Err(io::Error::from_raw_os_error(-entry.result()));
            }
            if !cqueue::more(entry.flags()) {
                let place = entry.user_data() as usize;
                let mut bytes = core::mem::take(&mut self.sends[place].bytes);
                bytes.clear();
                self.spare.push(bytes);
                self.free.push(place);
            }
        }
        Ok(())
    }

    /// Sends bytes, cut into packets of `segment` if that is given, and answers an empty buffer in their place.
    ///
    /// # Errors
    /// If the kernel refuses this or an earlier one.
    pub fn send(&mut self, to: SocketAddrV4, bytes: Vec<u8>, segment: Option<u16>) -> io::Result<Vec<u8>> {
        let place = loop {
            if let Some(place) = self.free.pop() {
                break place;
            }
            if self.sends.len() < SENDS {
                // SAFETY: all zeros are a message header, a part, an address and control bytes without anything.
                let (header, part, name) = unsafe { core::mem::zeroed() };
                self.sends.push(Box::leak(Box::new(Sending {
                    header,
                    part,
                    name,
                    control: [0; 3],
                    bytes: Vec::new(),
                })));
                break self.sends.len() - 1;
            }
            self.wait(None)?;
        };
        let sending: &mut Sending = self.sends[place];
        sending.bytes = bytes;
        sending.part.iov_base = sending.bytes.as_mut_ptr().cast();
        sending.part.iov_len = sending.bytes.len();
        sending.name.sin_family = libc::AF_INET as libc::sa_family_t;
        sending.name.sin_port = to.port().to_be();
        sending.name.sin_addr.s_addr = u32::from_ne_bytes(to.ip().octets());
        sending.header.msg_name = (&raw mut sending.name).cast();
        sending.header.msg_namelen = NAME_LEN as libc::socklen_t;
        sending.header.msg_iov = &raw mut sending.part;
        sending.header.msg_iovlen = 1;
        (sending.header.msg_control, sending.header.msg_controllen) = (ptr::null_mut(), 0);
        if let Some(segment) = segment {
            // A `cmsghdr` (its length, level, type) and the bytes of the segment.
            let kind = (libc::UDP_SEGMENT as u64) << 32 | libc::SOL_UDP as u64;
            sending.control = [18, kind, u64::from(segment)];
            sending.header.msg_control = sending.control.as_mut_ptr().cast();
            sending.header.msg_controllen = size_of_val(&sending.control) as _;
        }
        let (fd, header) = (Fd(self.socket.as_raw_fd()), &raw const sending.header);
        let entry = match self.zerocopy {
            true => opcode::SendMsgZc::new(fd, header).build(),
            false => opcode::SendMsg::new(fd, header).build(),
        };
        self.push(&entry.user_data(place as u64))?;
        if self.unsubmitted >= SUBMIT_AFTER {
            self.submit()?;
            self.sort()?;
        }
        Ok(self.spare.pop().unwrap_or_default())
    }

    /// Waits for packets, at most for `patience`, and hands over what there is: where it is from, bytes, and the length
    /// of each packet in them.
    ///
    /// # Errors
    /// If the kernel fails, or nothing comes.
    pub fn receive<E: From<io::Error>>(
        &mut self,
        patience: Option<Duration>,
        mut each: impl FnMut(SocketAddrV4, &mut [u8], usize) -> Result<(), E>,
    ) -> Result<(), E> {
        while self.arrived.is_empty() {
            if !self.armed {
                let receive = opcode::RecvMsgMulti::new(Fd(self.socket.as_raw_fd()), self.header, GROUP).build();
                self.push(&receive.user_data(RECEIVE))?;
                self.armed = true;
            }
            self.wait(patience)?;
        }
        if self.unsubmitted > 0 {
            self.submit()?;
        }
        while let Some(entry) = self.arrived.pop_front() {
            // Without a buffer: they were all taken, and the receive ended.
            let Some(id) = cqueue::buffer_select(entry.flags()) else {
                match -entry.result() {
                    error if error <= 0 || error == libc::ENOBUFS => continue,
                    error => return Err(io::Error::from_raw_os_error(error).into()),
                }
            };
            let len = usize::try_from(entry.result()).unwrap_or(0).min(BUFFER_LEN);
            // SAFETY: the kernel has given this buffer back, and has it again only after `provide`.
            let buffer = unsafe { core::slice::from_raw_parts_mut(self.buffer(id), len) };
            let done = match buffer.split_at_mut_checked(HEAD_LEN) {
                Some((head, payload)) => {
                    let (from, segment) = read_head(head);
                    let stride = segment.unwrap_or(payload.len()).max(1);
                    each(from, payload, stride)
                }
                None => Err(io::Error::other("a message without its head").into()),
            };
            self.provide(id);
            done?;
        }
        Ok(())
    }
}

/// Where a message is from, and the length of the packets that were put together, if it is more than one.
fn read_head(head: &[u8]) -> (SocketAddrV4, Option<usize>) {
    let word = |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let name = OUT_LEN;
    let port = u16::from_be_bytes([head[name + 2], head[name + 3]]);
    let address = Ipv4Addr::new(head[name + 4], head[name + 5], head[name + 6], head[name + 7]);
    // Control messages: a `cmsghdr` each (length, level, type), and what it is about, in steps of eight bytes.
    let mut at = OUT_LEN + NAME_LEN;
    let end = (at + word(4) as usize).min(HEAD_LEN);
    let mut segment = None;
    while at + 20 <= end {
        if word(at + 8) == libc::SOL_UDP as u32 && word(at + 12) == libc::UDP_GRO as u32 {
            segment = Some(word(at + 16) as usize);
        }
        at += (word(at) as usize).next_multiple_of(8).max(16);
    }
    (SocketAddrV4::new(address, port), segment)
}
