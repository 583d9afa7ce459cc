//! What is open, by descriptor. Each thread has its own, so that nothing is locked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::fd::RawFd;

use nix::errno::Errno;

use crate::client::Client;
use crate::errno::{Failure, Told};
use crate::server::Server;

/// Who has a descriptor.
#[derive(Debug)]
pub enum Party {
    /// A server.
    Server(Box<Server>),
    /// A client.
    Client(Box<Client>),
}

/// Why a descriptor is of no use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DescriptorError {
    /// Caller: this thread has none.
    #[error(
        "descriptor {0} is none of msk_listen or msk_connect in this thread, or was closed: each thread opens its own"
    )]
    NotOpen(RawFd),
    /// Caller: it is for something else.
    #[error("descriptor {0} is a client's, and this is for servers: those of msk_listen")]
    NoServer(RawFd),
    /// Caller: it is for something else.
    #[error("descriptor {0} is a server's, and this is for clients: those of msk_connect")]
    NoClient(RawFd),
    /// Caller: called in the midst of another call, by a signal handler.
    #[error("another call is under way in this thread: a signal handler may not call")]
    InTheMidst,
}

impl Told for DescriptorError {
    fn errno(&self) -> Errno {
        match self {
            DescriptorError::NotOpen(_) => Errno::EBADF,
            DescriptorError::NoServer(_) | DescriptorError::NoClient(_) => Errno::EOPNOTSUPP,
            DescriptorError::InTheMidst => Errno::EDEADLK,
        }
    }
}

thread_local! {
    static OPEN: RefCell<BTreeMap<RawFd, Party>> = const { RefCell::new(BTreeMap::new()) };
}

fn with_all<R>(call: impl FnOnce(&mut BTreeMap<RawFd, Party>) -> Result<R, Failure>) -> Result<R, Failure> {
    OPEN.try_with(|open| match open.try_borrow_mut() {
        Ok(mut open) => call(&mut open),
        Err(_) => Err(DescriptorError::InTheMidst.into()),
    })
    .unwrap_or_else(|_| Err(DescriptorError::InTheMidst.into()))
}

/// Keeps who has this descriptor.
///
/// # Errors
/// [`DescriptorError`].
pub fn insert(number: RawFd, party: Party) -> Result<RawFd, Failure> {
    with_all(|open| {
        open.insert(number, party);
        Ok(number)
    })
}

/// Who has this descriptor.
///
/// # Errors
/// [`DescriptorError`], and what `call` answers.
pub fn with<R>(number: RawFd, call: impl FnOnce(&mut Party) -> Result<R, Failure>) -> Result<R, Failure> {
    with_all(|open| call(open.get_mut(&number).ok_or(DescriptorError::NotOpen(number))?))
}

/// The server that has it.
///
/// # Errors
/// [`DescriptorError`], and what `call` answers.
pub fn with_server<R>(number: RawFd, call: impl FnOnce(&mut Server) -> Result<R, Failure>) -> Result<R, Failure> {
    with(number, |party| match party {
        Party::Server(server) => call(server),
        Party::Client(_) => Err(DescriptorError::NoServer(number).into()),
    })
}

/// The client that has it.
///
/// # Errors
/// [`DescriptorError`], and what `call` answers.
pub fn with_client<R>(number: RawFd, call: impl FnOnce(&mut Client) -> Result<R, Failure>) -> Result<R, Failure> {
    with(number, |party| match party {
        Party::Client(client) => call(client),
        Party::Server(_) => Err(DescriptorError::NoClient(number).into()),
    })
}

/// Closes it: minisockets, objects and the descriptor are gone.
///
/// # Errors
/// [`DescriptorError`].
pub fn close(number: RawFd) -> Result<(), Failure> {
    let party = with_all(|open| open.remove(&number).ok_or_else(|| DescriptorError::NotOpen(number).into()))?;
    if let Party::Client(mut client) = party {
        client.close();
    }
    Ok(())
}

/// Forgets it after a fault in this library.
pub fn abandon(number: RawFd) {
    let _ = with_all(|open| Ok(open.remove(&number)));
}
