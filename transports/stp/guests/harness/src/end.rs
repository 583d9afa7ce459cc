//! What runs a guest.

use tng_stp_abi::{Arrived, Guest, SocketKind, UserRequest};

use crate::Mock;

/// A call of the host's.
#[derive(Clone, Copy, Debug)]
pub enum Callback<'a> {
    /// See [`Guest::connect`].
    Connect,
    /// See [`Guest::accept`].
    Accept,
    /// See [`Guest::input`].
    Input(&'a [Arrived]),
    /// See [`Guest::timer`].
    Timer(u32),
    /// See [`Guest::usrreq`].
    Request(UserRequest),
}

/// A guest at one end: compiled in, or a module.
pub trait End: Sized {
    /// What its socket is.
    const KIND: SocketKind;

    /// A connection begins.
    fn begin(host: &mut Mock) -> Self;

    /// The host calls.
    fn call(&mut self, host: &mut Mock, callback: Callback<'_>);
}

impl<G: Guest> End for G {
    const KIND: SocketKind = G::SOCKET;

    fn begin(host: &mut Mock) -> G {
        G::attach(host)
    }

    fn call(&mut self, host: &mut Mock, callback: Callback<'_>) {
        match callback {
            Callback::Connect => self.connect(host),
            Callback::Accept => self.accept(host),
            Callback::Input(arrived) => self.input(host, arrived),
            Callback::Timer(id) => self.timer(host, id),
            Callback::Request(request) => self.usrreq(host, request),
        }
    }
}
