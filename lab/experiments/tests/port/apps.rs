//! What uses the tenants of a port, the same in virtual time and over sockets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tng_base::{Input, Instant, Machine, Output};
use tng_endpoint::{Claim, OneOf, Port, Tenant};
use tng_middlebox::{Helper, HelperEvent};
use tng_sim::App;
use tng_stack::structured::{Read, ServiceOptions, StreamEvent, StreamId, Streams};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use super::toy::Toy;

pub const SERVICE: (&str, &str) = ("echo", "bytes");

/// A host of this number that echoes what comes.
pub fn host(number: u8) -> Host {
    host_with(HostConfig::new(Access::Public), number, [number; 32])
}

/// The same with settings and a seed.
pub fn host_with(config: HostConfig, number: u8, seed: [u8; 32]) -> Host {
    let mut host = Host::new(config, identity(number), seed);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    host
}

pub fn identity(number: u8) -> Identity {
    Identity::from_seed([number; 32])
}

/// What is sent, of this number.
pub fn pattern(len: usize, number: u8) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + usize::from(number) * 7 + at / 251) as u8).collect()
}

/// What an application has found out.
#[derive(Debug)]
pub struct Book<T>(Arc<Mutex<T>>);

impl<T> Clone for Book<T> {
    fn clone(&self) -> Book<T> {
        Book(Arc::clone(&self.0))
    }
}

impl<T: Default> Default for Book<T> {
    fn default() -> Book<T> {
        Book(Arc::default())
    }
}

impl<T> Book<T> {
    pub fn open(&self) -> MutexGuard<'_, T> {
        self.0.lock().expect("nobody panics while it is open")
    }
}

/// Sends every stream's bytes back.
#[derive(Default)]
pub struct Echo {
    /// What waits to be sent back, and whether that is all.
    streams: BTreeMap<(ConnectionId, StreamId), (Vec<u8>, bool)>,
    /// Where peers came from.
    pub peers: Book<Vec<core::net::SocketAddr>>,
}

impl Echo {
    fn copy(streams: &mut Streams, id: StreamId, (waits, ended): &mut (Vec<u8>, bool)) {
        let mut buf = [0; 16 * 1024];
        while !*ended {
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(len)) => waits.extend(&buf[..len]),
                Ok(Read::Blocked) => break,
                Ok(Read::Finished) | Err(_) => *ended = true,
            }
        }
        while !waits.is_empty()
            && let Ok(written @ 1..) = streams.write(id, waits)
        {
            waits.drain(..written);
        }
        if *ended && waits.is_empty() {
            let _ = streams.finish(id);
        }
    }
}

impl App<Host> for Echo {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        if matches!(event.kind, EventKind::Accepted { .. }) {
            self.peers.open().extend(host.remote_address(connection));
        }
        let Some(streams) = host.streams(connection) else { return };
        while let Some(incoming) = streams.accept() {
            self.streams.insert((connection, incoming.id), (Vec::new(), false));
        }
        for ((_, id), state) in self.streams.iter_mut().filter(|((owner, _), _)| *owner == connection) {
            Echo::copy(streams, *id, state);
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

/// A host that lets others believe something else of its claims, and counts the losses that links tell it of.
pub struct Masked {
    host: Host,
    mask: fn(Claim) -> Claim,
    pub losses: Book<usize>,
}

impl Masked {
    pub fn new(host: Host, mask: fn(Claim) -> Claim) -> Masked {
        Masked { host, mask, losses: Book::default() }
    }
}

impl Machine for Masked {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        *self.losses.open() += usize::from(matches!(input, Input::LinkLoss(_)));
        self.host.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        self.host.poll_output(now, buf)
    }
}

impl Tenant for Masked {
    fn reads(&self, first: u8) -> bool {
        self.host.reads(first)
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        (self.mask)(self.host.claim(packet))
    }
}

impl App<Masked> for Echo {
    fn handle_event(&mut self, now: Instant, masked: &mut Masked, event: HostEvent) {
        self.handle_event(now, &mut masked.host, event);
    }

    fn poll(&mut self, now: Instant, masked: &mut Masked) -> Option<Instant> {
        self.poll(now, &mut masked.host)
    }
}

/// What an [`Asker`] has found out.
#[derive(Debug, Default)]
pub struct Found {
    /// What came back.
    pub back: Vec<u8>,
    /// When all of it had.
    pub done_at: Option<Instant>,
    /// What its host told of the connection.
    pub told: Vec<(Instant, EventKind)>,
}

/// Connects, sends so many bytes, and reads what comes back.
pub struct Asker {
    target: Option<Target>,
    to_send: Vec<u8>,
    opened: Option<(ConnectionId, StreamId)>,
    pub found: Book<Found>,
}

impl Asker {
    pub fn new(target: Target, to_send: Vec<u8>) -> Asker {
        Asker { target: Some(target), to_send, opened: None, found: Book::default() }
    }
}

impl App<Host> for Asker {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let mut found = self.found.open();
        if !matches!(event.kind, EventKind::Stream(StreamEvent::Readable(_) | StreamEvent::Writable(_))) {
            found.told.push((now, event.kind));
        }
        let Some((connection, id)) = self.opened else { return };
        let Some(streams) = host.streams(connection) else { return };
        while !self.to_send.is_empty()
            && let Ok(written @ 1..) = streams.write(id, &self.to_send)
        {
            self.to_send.drain(..written);
            if self.to_send.is_empty() {
                let _ = streams.finish(id);
            }
        }
        let mut buf = [0; 16 * 1024];
        loop {
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(len)) => found.back.extend(&buf[..len]),
                Ok(Read::Finished) => {
                    found.done_at.get_or_insert(now);
                    return;
                }
                Ok(Read::Blocked) | Err(_) => return,
            }
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(target) = self.target.take() {
            let connection = host.connect(now, target).expect("the target has an address");
            let streams = host.streams(connection).expect("it has just begun");
            let id = streams.open(SERVICE.0, SERVICE.1).expect("it is the first");
            let written = streams.write(id, &self.to_send).expect("it is open");
            self.to_send.drain(..written);
            if self.to_send.is_empty() {
                let _ = streams.finish(id);
            }
            self.opened = Some((connection, id));
        }
        None
    }
}

/// What a helper, or a toy, has told.
pub struct Log<E>(pub Book<Vec<E>>);

impl<E> Default for Log<E> {
    fn default() -> Log<E> {
        Log(Book::default())
    }
}

impl App<Helper> for Log<HelperEvent> {
    fn handle_event(&mut self, _: Instant, _: &mut Helper, event: HelperEvent) {
        self.0.open().push(event);
    }

    fn poll(&mut self, _: Instant, _: &mut Helper) -> Option<Instant> {
        None
    }
}

impl App<Toy> for Log<u8> {
    fn handle_event(&mut self, _: Instant, _: &mut Toy, answered: u8) {
        self.0.open().push(answered);
    }

    fn poll(&mut self, _: Instant, _: &mut Toy) -> Option<Instant> {
        None
    }
}

/// An application for a tenant that has a port alone.
pub struct Alone<A>(pub A);

impl<M: Tenant, A: App<M>> App<Port<(M,)>> for Alone<A> {
    fn handle_event(&mut self, now: Instant, port: &mut Port<(M,)>, event: M::Event) {
        self.0.handle_event(now, port.sole_mut(), event);
    }

    fn poll(&mut self, now: Instant, port: &mut Port<(M,)>) -> Option<Instant> {
        self.0.poll(now, port.sole_mut())
    }
}

/// An application for each of two tenants.
pub struct Both<A, B>(pub A, pub B);

impl<M: Tenant, N: Tenant, A: App<M>, B: App<N>> App<Port<(M, N)>> for Both<A, B> {
    fn handle_event(&mut self, now: Instant, port: &mut Port<(M, N)>, event: <Port<(M, N)> as Machine>::Event) {
        let (m, n) = port.tenants_mut();
        match event {
            OneOf::First(event) => self.0.handle_event(now, m, event),
            OneOf::Second(event) => self.1.handle_event(now, n, event),
            OneOf::Third(never) => match never {},
        }
    }

    fn poll(&mut self, now: Instant, port: &mut Port<(M, N)>) -> Option<Instant> {
        let (m, n) = port.tenants_mut();
        [self.0.poll(now, m), self.1.poll(now, n)].into_iter().flatten().min()
    }
}
