//! Two ends and the ways between them.

use tng_stp_abi::{Role, TIMER_SEND, TIMERS_MAX, UserRequest};

use crate::link::Flying;
use crate::{Callback, End, Link, LinkConfig, Mock, mix};

/// Two guests, and what is between them. Time moves from event to event.
#[derive(Debug)]
pub struct World<A, B> {
    /// Microseconds.
    pub now: u64,
    /// The end that began.
    pub a: Mock,
    /// The end that accepted.
    pub b: Mock,
    /// From `a` to `b`, and back.
    pub links: [Link; 2],
    guest_a: Option<A>,
    guest_b: Option<B>,
}

impl<A: End, B: End> World<A, B> {
    /// Nobody is attached yet. The way back only delays, unless it is changed.
    pub fn new(there: LinkConfig, back: LinkConfig, seed: u64) -> World<A, B> {
        World {
            now: 0,
            a: Mock::new(Role::Initiator, A::KIND, mix(seed + 1)),
            b: Mock::new(Role::Responder, B::KIND, mix(seed + 2)),
            links: [Link::new(there, mix(seed + 3)), Link::new(back, mix(seed + 4))],
            guest_a: None,
            guest_b: None,
        }
    }

    /// Both ends are attached, and the path is there.
    pub fn begin(&mut self) {
        self.begin_a();
        self.begin_b();
    }

    /// One is.
    pub fn begin_a(&mut self) {
        let mut guest = A::begin(&mut self.a);
        guest.call(&mut self.a, Callback::Connect);
        self.guest_a = Some(guest);
        self.send();
    }

    /// The other is.
    pub fn begin_b(&mut self) {
        let mut guest = B::begin(&mut self.b);
        guest.call(&mut self.b, Callback::Accept);
        self.guest_b = Some(guest);
        self.send();
    }

    /// The host calls one of them.
    pub fn with_a(&mut self, call: impl FnOnce(&mut A, &mut Mock)) {
        if let Some(guest) = &mut self.guest_a {
            call(guest, &mut self.a);
        }
        self.send();
    }

    /// The host calls the other.
    pub fn with_b(&mut self, call: impl FnOnce(&mut B, &mut Mock)) {
        if let Some(guest) = &mut self.guest_b {
            call(guest, &mut self.b);
        }
        self.send();
    }

    /// The application writes.
    pub fn write_a(&mut self, bytes: &[u8]) {
        self.with_a(|guest, host| write(guest, host, bytes));
    }

    /// The other does.
    pub fn write_b(&mut self, bytes: &[u8]) {
        self.with_b(|guest, host| write(guest, host, bytes));
    }

    /// The application has written the last.
    pub fn close_a(&mut self) {
        self.with_a(close);
    }

    /// The other has.
    pub fn close_b(&mut self) {
        self.with_b(close);
    }

    /// The application takes all that there is.
    pub fn read_a(&mut self) -> Vec<Vec<u8>> {
        let mut read = Vec::new();
        self.with_a(|guest, host| read = take(guest, host));
        read
    }

    /// The other does.
    pub fn read_b(&mut self) -> Vec<Vec<u8>> {
        let mut read = Vec::new();
        self.with_b(|guest, host| read = take(guest, host));
        read
    }

    fn send(&mut self) {
        let [there, back] = &mut self.links;
        for (mock, link) in [(&mut self.a, there), (&mut self.b, back)] {
            for segment in mock.leave() {
                link.send(self.now, segment);
            }
        }
    }

    /// To the next event; false if there is none, or only behind `until`.
    pub fn step(&mut self, until: u64) -> bool {
        let links = self.links.iter().filter_map(Link::next);
        let timers = [&self.a, &self.b].into_iter().flat_map(|mock| mock.timers.iter().flatten().chain(&mock.leave_at));
        let Some(next) = links.chain(timers.copied()).min().filter(|next| *next <= until) else {
            self.clock(until.max(self.now));
            return false;
        };
        self.clock(next.max(self.now));
        let (to_b, to_a) = (self.links[0].arrive(self.now), self.links[1].arrive(self.now));
        arrive(&mut self.guest_a, &mut self.a, to_a.into());
        arrive(&mut self.guest_b, &mut self.b, to_b.into());
        timers_of(&mut self.guest_a, &mut self.a);
        timers_of(&mut self.guest_b, &mut self.b);
        self.send();
        true
    }

    fn clock(&mut self, now: u64) {
        (self.now, self.a.now, self.b.now) = (now, now, now);
    }

    /// See [`Link::forge`].
    pub fn forge(&mut self, mut change: impl FnMut(&mut Vec<u8>) -> bool) {
        for link in &mut self.links {
            link.forge(&mut change);
        }
    }

    /// The guest at the end that began, if it has.
    pub fn guest_a(&self) -> Option<&A> {
        self.guest_a.as_ref()
    }

    /// So many milliseconds pass, with whatever happens in them.
    pub fn run_ms(&mut self, ms: u64) {
        let until = self.now + 1_000 * ms;
        while self.step(until) {}
    }
}

fn write<G: End>(guest: &mut G, host: &mut Mock, bytes: &[u8]) {
    host.sending.1.extend(bytes);
    let until = host.sending.0 + host.sending.1.len() as u64;
    guest.call(host, Callback::Request(UserRequest::Send { until }));
}

fn close<G: End>(guest: &mut G, host: &mut Mock) {
    host.disconnecting = true;
    guest.call(host, Callback::Request(UserRequest::Disconnect));
}

fn take<G: End>(guest: &mut G, host: &mut Mock) -> Vec<Vec<u8>> {
    let read: Vec<Vec<u8>> = host.received.drain(..).collect();
    if !read.is_empty() {
        host.taken += read.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
        let until = host.taken;
        guest.call(host, Callback::Request(UserRequest::Received { until }));
    }
    read
}

fn arrive<G: End>(guest: &mut Option<G>, host: &mut Mock, segments: Vec<Flying>) {
    // A guest that is not attached hears nothing.
    let Some(guest) = guest else { return };
    let arrived: Vec<_> = segments.into_iter().map(|segment| host.arrive(segment)).collect();
    if !arrived.is_empty() {
        guest.call(host, Callback::Input(&arrived));
        host.take_back();
    }
}

fn timers_of<G: End>(guest: &mut Option<G>, host: &mut Mock) {
    let Some(guest) = guest else { return };
    for id in 0..TIMERS_MAX {
        if host.timers[id as usize].is_some_and(|at| at <= host.now) {
            host.timers[id as usize] = None;
            guest.call(host, Callback::Timer(id));
        }
    }
    if host.leave_at.is_some_and(|at| at <= host.now) {
        host.leave_at = None;
        guest.call(host, Callback::Timer(TIMER_SEND));
    }
}
