//! The functions that C programs call. Each turns pointers into slices, and a failure into `errno` and a text; what
//! they do is elsewhere, in safe code.
//!
//! All of them return a value that no success has (-1, 0 or NULL) when they fail, set `errno`, and keep a text that
//! says what to do ([`msk_strerror`]).
#![expect(unsafe_code, reason = "C programs pass pointers, and call by name")]

use core::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::sys::uio::pread;
use tng_trickles::minisocket::InstallError;

use crate::client::Client;
use crate::errno::{self, Failure, Told, of_system};
use crate::events::Event;
use crate::open::{self, Party};
use crate::server::{Continuation, Opening, Piece, Server};
use crate::settings::{ADDRESS_DEFAULT, Settings};

/// A client for as long as one of its requests is answered; 0 is none. A handle is never given twice: one that is kept
/// for too long is refused with EBADF.
pub type Minisock = u64;

/// An object that a client has asked for; 0 is none. As a minisock, it is never given twice.
pub type Object = u64;

/// For msk_setucont: how to ask for bytes of an object.
pub const MSK_OUTPUT: u32 = 1;
/// For msk_setucont: how to go on with what asks for an object.
pub const MSK_INPUT: u32 = 2;

/// What a state is for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ucont {
    /// MSK_OUTPUT or MSK_INPUT.
    pub kind: u32,
    /// The object, as the client calls it.
    pub object: u64,
    /// MSK_OUTPUT: the places that the state is good for.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// MSK_INPUT: how much of what asks for the object has been taken.
    pub taken: u64,
    /// MSK_INPUT: where the next part should end; 0: anywhere.
    pub until: u64,
}

/// Bytes in memory, and where they belong in the client's row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// The place of the first.
    pub place: u64,
    /// The bytes.
    pub base: *const c_void,
    /// How many.
    pub len: usize,
}

/// In the place of a file's descriptor: the bytes are in memory.
pub const MSK_MEMORY: c_int = -2;

/// Bytes in a file or in memory, and where they belong in the client's row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FileBytes {
    /// The place of the first.
    pub place: u64,
    /// Descriptor of the file, whose position is neither used nor changed; or MSK_MEMORY.
    pub file: c_int,
    /// Where they begin in the file.
    pub offset: u64,
    /// How many.
    pub len: u64,
    /// With MSK_MEMORY: the bytes. It must stay as it is until the call returns.
    pub base: *const c_void,
}

impl FileBytes {
    /// What it says.
    ///
    /// # Safety
    /// With [`MSK_MEMORY`], `base` points to so many bytes; else the file is open.
    unsafe fn piece<'a>(&self) -> Result<Piece<'a>, ArgumentError> {
        match self.file {
            MSK_MEMORY => {
                let len = usize::try_from(self.len).map_err(|_| ArgumentError::Count("len"))?;
                // SAFETY: the caller promises it.
                let bytes = unsafe { things("base", self.base.cast::<u8>(), len)? };
                Ok(Piece::Bytes { place: Some(self.place), bytes })
            }
            ..0 => Err(ArgumentError::File),
            number => {
                // SAFETY: it is not negative, and open as the caller promises; a number that is none is told by the
                // system when it is read from, and by nothing worse.
                let file = unsafe { BorrowedFd::borrow_raw(number) };
                Ok(Piece::File { place: self.place, file, offset: self.offset, len: self.len })
            }
        }
    }
}

/// One answer of several.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Desc {
    /// Who is answered.
    pub msk: Minisock,
    /// With these bytes, as msk_send does.
    pub base: *const c_void,
    /// How many.
    pub len: usize,
    /// 0 if they were sent; else what errno would be.
    pub error: c_int,
}

/// What a server has done.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Connections that it has granted.
    pub opened: u64,
    /// Requests that it has answered.
    pub answered: u64,
    /// Packets that it has sent in answer.
    pub packets: u64,
    /// Requests that were spent before.
    pub spent: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Requests that were dropped because the program was behind.
    pub dropped: u64,
}

/// What is wrong with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
enum ArgumentError {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is negative, or larger than memory")]
    Count(&'static str),
    #[error("{0} is no text in UTF-8")]
    Text(&'static str),
    #[error("settings.size is no size of this library's settings: set it to sizeof(struct msk_settings)")]
    Size,
    #[error("the address is none: write \"IP:PORT\", such as \"127.0.0.1:4860\" or \"[::]:4860\"")]
    Address,
    #[error("kind is neither MSK_OUTPUT nor MSK_INPUT")]
    Kind,
    #[error("the buffer is too short: it takes {0} bytes")]
    Short(usize),
    #[error("file is no descriptor")]
    File,
}

impl Told for ArgumentError {
    fn errno(&self) -> Errno {
        match self {
            ArgumentError::Null(_) => Errno::EFAULT,
            ArgumentError::Short(_) => Errno::ERANGE,
            ArgumentError::File => Errno::EBADF,
            _ => Errno::EINVAL,
        }
    }
}

/// Runs a call, and tells the program why it has failed if it has.
fn answer<R>(fd: c_int, failed: R, call: impl FnOnce() -> Result<R, Failure>) -> R {
    match std::panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(done)) => done,
        Ok(Err(failure)) => {
            errno::set(failure);
            failed
        }
        Err(_) => {
            open::abandon(fd);
            let text = "a fault in this library, and the descriptor is closed: please report it".to_owned();
            errno::set(Failure { errno: Errno::ENOTRECOVERABLE, text });
            failed
        }
    }
}

fn system(error: &io::Error) -> Failure {
    Failure { errno: of_system(error), text: error.to_string() }
}

fn count(what: &'static str, count: c_int) -> Result<usize, ArgumentError> {
    usize::try_from(count).map_err(|_| ArgumentError::Count(what))
}

/// So many things that C has.
///
/// # Safety
/// If it is not null, `base` points to that many, and nobody changes them while the slice is there.
unsafe fn things<'a, T>(what: &'static str, base: *const T, count: usize) -> Result<&'a [T], ArgumentError> {
    if count == 0 {
        return Ok(&[]);
    }
    if base.is_null() {
        return Err(ArgumentError::Null(what));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(ArgumentError::Count(what));
    }
    // SAFETY: it is neither null nor too long, and the caller promises the rest.
    Ok(unsafe { core::slice::from_raw_parts(base, count) })
}

/// So much room that C has.
///
/// # Safety
/// If it is not null, `base` points to room for that many, which nobody else uses while the slice is there.
unsafe fn room<'a, T>(
    what: &'static str,
    base: *mut T,
    count: usize,
) -> Result<&'a mut [MaybeUninit<T>], ArgumentError> {
    if count == 0 {
        return Ok(&mut []);
    }
    if base.is_null() {
        return Err(ArgumentError::Null(what));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(ArgumentError::Count(what));
    }
    // SAFETY: it is neither null nor too long, what it holds need not be anything, and the caller promises the rest.
    Ok(unsafe { core::slice::from_raw_parts_mut(base.cast(), count) })
}

/// Room for bytes, whatever they were before.
///
/// # Safety
/// As [`room`].
unsafe fn byte_room<'a>(what: &'static str, base: *mut c_void, len: usize) -> Result<&'a mut [u8], ArgumentError> {
    // SAFETY: the caller promises the same.
    let room = unsafe { room(what, base.cast::<u8>(), len)? };
    room.fill(MaybeUninit::new(0));
    // SAFETY: all of it was just written.
    Ok(unsafe { &mut *(core::ptr::from_mut(room) as *mut [u8]) })
}

/// A text of C's; nothing if it is null.
///
/// # Safety
/// If it is not null, it points to a text that ends with a zero, and nobody changes it while the slice is there.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: it is not null, and the caller promises the rest.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

fn path<'a>(what: &'static str, path: Option<&'a CStr>) -> Result<&'a Path, ArgumentError> {
    Ok(Path::new(OsStr::from_bytes(path.ok_or(ArgumentError::Null(what))?.to_bytes())))
}

/// Opens a server, and answers its descriptor, which msk_close closes. It is readable when msk_poll has something to
/// do, so it may stand in poll, select or epoll. A server belongs to the thread that opens it; the library has none.
///
/// # Safety
/// `settings` is NULL or points to settings whose texts end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_listen(settings: *const Settings) -> c_int {
    answer(-1, -1, || {
        // SAFETY: the caller promises it.
        let settings = unsafe { settings.as_ref() }.ok_or(ArgumentError::Null("settings"))?;
        if settings.size != size_of::<Settings>() {
            return Err(ArgumentError::Size.into());
        }
        // SAFETY: the caller promises it for each text.
        let texts =
            unsafe { [text(settings.address), text(settings.key), text(settings.epochs), text(settings.capability)] };
        let [address, key, epochs, capability] = texts;
        let address = address.map_or(Ok(ADDRESS_DEFAULT), CStr::to_str).map_err(|_| ArgumentError::Address)?;
        let opening = Opening {
            address: address.parse::<SocketAddr>().map_err(|_| ArgumentError::Address)?,
            key: path("settings.key", key)?,
            epochs: path("settings.epochs", epochs)?,
            capability: capability.map_or(&[], CStr::to_bytes),
            is_one_of_several: settings.fleet != 0,
            version: settings.version,
        };
        let server = Server::listen(&opening)?;
        open::insert(server.number(), Party::Server(Box::new(server)))
    })
}

/// Opens a client of the servers that a ticket names, and answers its descriptor, as msk_listen does. `key` is the file
/// of its identity; with NULL it has a new one.
///
/// # Safety
/// Both are NULL or texts that end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_connect(ticket: *const c_char, key: *const c_char) -> c_int {
    answer(-1, -1, || {
        // SAFETY: the caller promises it.
        let (ticket, key) = unsafe { (text(ticket), text(key)) };
        let ticket =
            ticket.ok_or(ArgumentError::Null("ticket"))?.to_str().map_err(|_| ArgumentError::Text("ticket"))?;
        let client = Client::connect(ticket, key.map(|key| path("key", Some(key))).transpose()?)?;
        open::insert(client.number(), Party::Client(Box::new(client)))
    })
}

/// Closes a server or a client: its minisockets and objects are gone, and so is the descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn msk_close(fd: c_int) -> c_int {
    answer(fd, -1, || open::close(fd).map(|()| 0))
}

/// Writes the ticket of a server, with a zero behind it, and answers its length. ERANGE if it does not fit: 1,024 bytes
/// are enough.
///
/// # Safety
/// `out` is NULL or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_ticket(fd: c_int, out: *mut c_char, size: usize) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let room = unsafe { byte_room("out", out.cast(), size)? };
        open::with_server(fd, |server| {
            let ticket = server.ticket();
            let (text, rest) = room.split_at_mut_checked(ticket.len()).ok_or(ArgumentError::Short(ticket.len() + 1))?;
            *rest.first_mut().ok_or(ArgumentError::Short(ticket.len() + 1))? = 0;
            text.copy_from_slice(ticket.as_bytes());
            Ok(ticket.len() as c_int)
        })
    })
}

/// Reads the file of epochs again, which may have been rotated. What is bad changes nothing.
#[unsafe(no_mangle)]
pub extern "C" fn msk_rekey(fd: c_int) -> c_int {
    answer(fd, -1, || open::with_server(fd, |server| Ok(server.rekey().map(|()| 0)?)))
}

/// Sends what was answered, and waits for something to happen: for `timeout_ms` at most, not at all if that is 0, as
/// long as it takes if it is negative. Writes up to `max` events, and answers how many. EINTR if a signal came.
///
/// Of a server: minisockets of earlier events that were neither answered nor detached are dropped first.
///
/// # Safety
/// `events` is NULL or has room for `max` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_poll(fd: c_int, events: *mut Event, max: c_int, timeout_ms: c_int) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let out = unsafe { room("events", events, count("max", max)?)? };
        if out.is_empty() {
            return Err(ArgumentError::Count("max").into());
        }
        let timeout = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
        let polled = open::with(fd, |party| {
            Ok(match party {
                Party::Server(server) => server.poll(out, timeout),
                Party::Client(client) => client.poll(out, timeout),
            })
        })?;
        polled.map(|count| count as c_int).map_err(|error| system(&error))
    })
}

/// How many bytes may be sent from this place on, beside what was told before; -1 if that fails.
#[unsafe(no_mangle)]
pub extern "C" fn msk_grant(fd: c_int, msk: Minisock, place: u64) -> i64 {
    answer(fd, -1, || open::with_server(fd, |server| Ok(server.grant(msk, place)? as i64)))
}

/// Answers with these bytes, which are those that are asked for first, and with what was told before. The minisocket is
/// gone then. Answers how many bytes; EMSGSIZE, and nothing is sent, if they are more than may be.
///
/// # Safety
/// `buf` is NULL or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_send(fd: c_int, msk: Minisock, buf: *const c_void, len: usize) -> i64 {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let bytes = unsafe { things("buf", buf.cast::<u8>(), len)? };
        open::with_server(fd, |server| {
            let pieces = core::iter::once(Piece::Bytes { place: None, bytes });
            Ok(server.send(msk, pieces)? as i64)
        })
    })
}

/// Answers with bytes of several places, as msk_send does with those of one.
///
/// # Safety
/// `pieces` is NULL or points to `count` of them, and each of those to its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_sendv(fd: c_int, msk: Minisock, pieces: *const Bytes, count: c_int) -> i64 {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let pieces = unsafe { things("pieces", pieces, self::count("count", count)?)? };
        // SAFETY: the caller promises it of each.
        let bytes = |piece: &Bytes| unsafe { things("base", piece.base.cast::<u8>(), piece.len) };
        for piece in pieces {
            bytes(piece)?;
        }
        let piece = |piece: &Bytes| Some(Piece::Bytes { place: Some(piece.place), bytes: bytes(piece).ok()? });
        open::with_server(fd, |server| Ok(server.send(msk, pieces.iter().filter_map(piece))? as i64))
    })
}

/// Answers with bytes of files, which are read into the packets, and of memory.
///
/// # Safety
/// `pieces` is NULL or points to `count` of them, whose files stay open meanwhile, and which point to their bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_sendfilev(fd: c_int, msk: Minisock, pieces: *const FileBytes, count: c_int) -> i64 {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let pieces = unsafe { things("pieces", pieces, self::count("count", count)?)? };
        // SAFETY: the caller promises it of each.
        let piece = |piece: &FileBytes| unsafe { piece.piece() };
        for each in pieces {
            piece(each)?;
        }
        open::with_server(fd, |server| Ok(server.send(msk, pieces.iter().filter_map(|each| piece(each).ok()))? as i64))
    })
}

/// Seals a state of the program's, at most 512 bytes, for the client to come back with. It leaves with the answer.
///
/// # Safety
/// `how` and `state` are NULL or point to what they are named for, `state` to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_setucont(
    fd: c_int,
    msk: Minisock,
    how: *const Ucont,
    state: *const c_void,
    len: usize,
) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let (how, state) = unsafe { (how.as_ref(), things("state", state.cast::<u8>(), len)?) };
        let how = how.ok_or(ArgumentError::Null("how"))?;
        let continuation = match how.kind {
            MSK_OUTPUT => Continuation::Output { valid: how.start..how.end },
            MSK_INPUT => Continuation::Input { taken: how.taken, until: Some(how.until).filter(|until| *until > 0) },
            _ => return Err(ArgumentError::Kind.into()),
        };
        open::with_server(fd, |server| Ok(server.set_continuation(msk, how.object, continuation, state).map(|()| 0)?))
    })
}

/// Tells the client that nothing comes for these places: the object has ended before them. It leaves with the answer.
#[unsafe(no_mangle)]
pub extern "C" fn msk_skip(fd: c_int, msk: Minisock, start: u64, end: u64) -> c_int {
    answer(fd, -1, || open::with_server(fd, |server| Ok(server.skip(msk, start..end).map(|()| 0)?)))
}

/// Tells the client that an object does not come, and why: by a code of the program's, from 64 on, or MSK_OVERLOADED or
/// MSK_NOT_YET; and by a text for people. It leaves with the answer.
///
/// # Safety
/// `text` is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_fault(fd: c_int, msk: Minisock, object: u64, code: u64, text: *const c_char) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let text = unsafe { self::text(text) }.unwrap_or_default().to_string_lossy();
        open::with_server(fd, |server| Ok(server.fault(msk, object, code, &text).map(|()| 0)?))
    })
}

/// Whether something expensive may be computed for a client: bytes of what `name` stands for. A connection has it
/// computed once and `retries` times more in 15 s, and under load solves a puzzle before. 1 if so; 0 if not, and the
/// client is told with the answer.
///
/// # Safety
/// `name` is NULL or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_may_compute(
    fd: c_int,
    msk: Minisock,
    object: u64,
    name: *const c_void,
    len: usize,
    retries: c_uchar,
) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let name = unsafe { things("name", name.cast::<u8>(), len)? };
        open::with_server(fd, |server| Ok(server.may_compute(msk, object, name, retries)?.into()))
    })
}

/// Answers several, each with its bytes. Answers how many were sent; each of the others says why not.
///
/// # Safety
/// `answers` is NULL or points to `count` of them, and each of those to its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_sendbulk(fd: c_int, answers: *mut Desc, count: c_int) -> c_int {
    answer(fd, -1, || {
        let count = self::count("count", count)?;
        if count > 0 && answers.is_null() {
            return Err(ArgumentError::Null("answers").into());
        }
        // An answer that fails sets errno for itself: whether there is a server is told first.
        open::with_server(fd, |_| Ok(()))?;
        let mut sent = 0;
        for at in 0..count {
            // SAFETY: the caller promises that there are so many.
            let answer = unsafe { &mut *answers.add(at) };
            // SAFETY: the caller promises it of each.
            let is_sent = unsafe { msk_send(fd, answer.msk, answer.base, answer.len) } >= 0;
            answer.error = if is_sent { 0 } else { Errno::last_raw() };
            sent += c_int::from(is_sent);
        }
        Ok(sent)
    })
}

/// Lets a minisocket go unanswered: its client sees packets lost.
#[unsafe(no_mangle)]
pub extern "C" fn msk_drop(fd: c_int, msk: Minisock) -> c_int {
    answer(fd, -1, || open::with_server(fd, |server| Ok(server.let_go(msk).map(|()| 0)?)))
}

/// Keeps a minisocket, and what its event points at, beyond the next msk_poll, until it is answered, dropped or
/// extracted. 1,024 at most are kept. Its client asks anew after a while.
#[unsafe(no_mangle)]
pub extern "C" fn msk_detach(fd: c_int, msk: Minisock) -> c_int {
    answer(fd, -1, || open::with_server(fd, |server| Ok(server.detach(msk).map(|()| 0)?)))
}

/// Seals minisockets for another server of the fleet, which can install them within 10 s, and writes them into `out`,
/// which has room for `*outlen` bytes; `*outlen` says then how many were written. Answers how many minisockets were
/// extracted, and are gone; if that is not all of them, errno is of the one behind the last. Those of MSK_OPEN stay.
///
/// # Safety
/// `in` is NULL or points to `inlen` handles, `outlen` to a size, `out` to so much room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_extract_events(
    fd: c_int,
    r#in: *const Minisock,
    inlen: c_int,
    out: *mut c_void,
    outlen: *mut usize,
) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let minisockets = unsafe { things("in", r#in, count("inlen", inlen)?)? };
        // SAFETY: the caller promises it.
        let outlen = unsafe { outlen.as_mut() }.ok_or(ArgumentError::Null("outlen"))?;
        // SAFETY: the caller promises it.
        let mut room = unsafe { byte_room("out", out, core::mem::take(outlen))? };
        let mut extracted = 0;
        for msk in minisockets {
            match open::with_server(fd, |server| Ok(server.extract(*msk, room)?)) {
                Ok(len) => (room, *outlen, extracted) = (&mut room[len..], *outlen + len, extracted + 1),
                Err(failure) if extracted == 0 => return Err(failure),
                Err(failure) => {
                    errno::set(failure);
                    break;
                }
            }
        }
        Ok(extracted)
    })
}

/// Puts minisockets that another server of the fleet has extracted into the queue of this one: events bring them.
/// Answers how many; if that is not all of them, errno is of the one behind the last. Clients take
/// answers from the servers that their tickets name.
///
/// # Safety
/// `collection` is NULL or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_install_events(fd: c_int, collection: *const c_void, len: usize) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let mut rest = unsafe { things("collection", collection.cast::<u8>(), len)? };
        if rest.is_empty() {
            return Err(InstallError::Malformed.into());
        }
        let mut installed = 0;
        while !rest.is_empty() {
            match open::with_server(fd, |server| Ok(server.install(rest)?)) {
                Ok(len) => (rest, installed) = (&rest[len..], installed + 1),
                Err(failure) if installed == 0 => return Err(failure),
                Err(failure) => {
                    errno::set(failure);
                    break;
                }
            }
        }
        Ok(installed)
    })
}

/// What a server has done.
///
/// # Safety
/// `out` is NULL or has room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_stats(fd: c_int, out: *mut Stats) -> c_int {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let room = unsafe { room("out", out, 1)? };
        open::with_server(fd, |server| {
            let stats = server.stats();
            room[0].write(Stats {
                opened: stats.opened,
                answered: stats.answered,
                packets: stats.packets,
                spent: stats.spent,
                refused: stats.refused,
                dropped: stats.dropped,
            });
            Ok(0)
        })
    })
}

/// Asks for an object: `request` is for the server's application, which may be asked twice. So many bytes of the row
/// are reserved for it at first; 0 for as many as usual. 256 objects at most are asked for at a time. 0 if it fails.
///
/// # Safety
/// `request` is NULL or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_request(fd: c_int, request: *const c_void, len: usize, reserve: u64) -> Object {
    answer(fd, 0, || {
        // SAFETY: the caller promises it.
        let request = unsafe { things("request", request.cast::<u8>(), len)? };
        open::with_client(fd, |client| Ok(client.request(request, reserve)?))
    })
}

/// Reads bytes of an object, in order. Answers how many, 0 at its end. EAGAIN if none have come: msk_poll says when.
/// After the end, and after another error, the handle is gone.
///
/// # Safety
/// `buf` is NULL or has room for `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_recv(fd: c_int, object: Object, buf: *mut c_void, len: usize) -> i64 {
    answer(fd, -1, || {
        // SAFETY: the caller promises it.
        let out = unsafe { byte_room("buf", buf, len)? };
        if out.is_empty() {
            return Err(ArgumentError::Count("len").into());
        }
        open::with_client(fd, |client| Ok(client.receive(object, out)? as i64))
    })
}

/// Gives an object up.
#[unsafe(no_mangle)]
pub extern "C" fn msk_cancel(fd: c_int, object: Object) -> c_int {
    answer(fd, -1, || open::with_client(fd, |client| Ok(client.cancel(object).map(|()| 0)?)))
}

/// The BLAKE3 hash of the first `len` bytes of a file, 0 for all: 32 bytes. It takes a second a gigabyte or so, in
/// which nobody is answered.
///
/// # Safety
/// `hash` is NULL or has room for 32 bytes; `file` stays open meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msk_hash(file: c_int, len: u64, hash: *mut c_uchar) -> c_int {
    answer(-1, -1, || {
        // SAFETY: the caller promises it.
        let out = unsafe { byte_room("hash", hash.cast(), blake3::OUT_LEN)? };
        if file < 0 {
            return Err(ArgumentError::File.into());
        }
        // SAFETY: it is not negative, and stays open as the caller promises; see msk_sendfilev.
        let file = unsafe { BorrowedFd::borrow_raw(file) };
        let (mut hasher, mut piece, mut at) = (blake3::Hasher::new(), vec![0; 1 << 16], 0_u64);
        let end = if len == 0 { u64::MAX } else { len };
        while at < end {
            let most = piece.len().min(usize::try_from(end - at).unwrap_or(usize::MAX));
            match pread(file, &mut piece[..most], at as i64) {
                Ok(0) => break,
                Ok(len) => {
                    hasher.update(&piece[..len]);
                    at += len as u64;
                }
                Err(Errno::EINTR) => {}
                Err(error) => return Err(system(&error.into())),
            }
        }
        out.copy_from_slice(hasher.finalize().as_bytes());
        Ok(0)
    })
}

/// Why this thread's last call that failed did so, and what to do, as a text. It is good until the next call fails.
#[unsafe(no_mangle)]
pub extern "C" fn msk_strerror() -> *const c_char {
    errno::text()
}
