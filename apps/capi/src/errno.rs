//! What a C program is told when a call fails: a number in `errno`, and a text that says what to do.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::io;
use std::ptr;

use nix::errno::Errno;
use tng_trickles::client::{AskError, ClientError, ObjectError};
use tng_trickles::minisocket::InstallError;

use crate::handles::HandleError;

/// An error that C programs are told.
pub trait Told: core::fmt::Display {
    /// Its number.
    fn errno(&self) -> Errno;
}

/// Why a call has failed.
#[derive(Debug)]
pub struct Failure {
    /// The number.
    pub errno: Errno,
    /// The same for people, with what to do.
    pub text: String,
}

impl<E: Told> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure { errno: error.errno(), text: error.to_string() }
    }
}

/// The number of a failed call of the system's.
pub fn of_system(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

impl Told for HandleError {
    fn errno(&self) -> Errno {
        Errno::EBADF
    }
}

impl Told for InstallError {
    fn errno(&self) -> Errno {
        match self {
            InstallError::Malformed | InstallError::Unsealed => Errno::EBADMSG,
            InstallError::Stale => Errno::ESTALE,
            InstallError::Again => Errno::EALREADY,
            InstallError::Overloaded => Errno::ENOBUFS,
        }
    }
}

impl Told for AskError {
    fn errno(&self) -> Errno {
        match self {
            AskError::TooMany => Errno::EMFILE,
            AskError::Ended => Errno::ENOTCONN,
        }
    }
}

impl Told for ObjectError {
    fn errno(&self) -> Errno {
        match self {
            ObjectError::Application { .. } => Errno::EREMOTEIO,
            ObjectError::Busy => Errno::EBUSY,
            ObjectError::Anew | ObjectError::OutOfRange | ObjectError::Vain | ObjectError::Puzzle(_) => Errno::EPROTO,
        }
    }
}

impl Told for ClientError {
    fn errno(&self) -> Errno {
        match self {
            ClientError::Closed => Errno::ENOTCONN,
            ClientError::Silence => Errno::ETIMEDOUT,
            ClientError::Dial(_) | ClientError::Call(_) => Errno::ECONNREFUSED,
        }
    }
}

thread_local! {
    /// Of this thread's last call that failed.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Sets `errno`, and keeps the text.
pub fn set(failure: Failure) {
    let text = failure.text.replace('\0', "?");
    LAST.with_borrow_mut(|last| *last = CString::new(text).ok());
    failure.errno.set();
}

/// The text of this thread's last call that failed, good until the next one fails.
pub fn text() -> *const core::ffi::c_char {
    const NOTHING: &CStr = c"no call of this thread has failed";
    LAST.try_with(|last| last.borrow().as_ref().map_or(NOTHING.as_ptr(), |text| text.as_ptr())).unwrap_or(ptr::null())
}
