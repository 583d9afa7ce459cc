//! Machines in memory, each in its seat, and what is on its way between them: what the driver does between a machine
//! and its socket, with the network left out.

use core::net::SocketAddr;
use std::collections::VecDeque;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Transmit};

/// Batches that a machine may write in one turn, as with the driver.
const SEND_BATCHES: usize = 4;

/// Batches that there are.
const BATCHES: usize = 256;

/// A batch of datagrams of one length, the last perhaps shorter, from or to `remote`.
struct Batch {
    remote: SocketAddr,
    buffer: Box<[u8]>,
    len: usize,
    segment_size: usize,
    ecn: Ecn,
}

/// What has come for a machine.
pub struct Inbox {
    at: SocketAddr,
    batches: VecDeque<Batch>,
}

/// A machine, and what it has received.
pub struct Seat<M: Machine> {
    /// What sits there.
    pub machine: M,
    /// Its address.
    pub at: SocketAddr,
    /// When it wants to be called.
    pub deadline: Option<Instant>,
    /// It has more to say than there was room for, or something has touched it.
    more: bool,
    inbox: Inbox,
    events: Vec<M::Event>,
}

impl<M: Machine> Seat<M> {
    /// A machine that has received nothing.
    pub fn new(machine: M, at: SocketAddr) -> Seat<M> {
        let inbox = Inbox { at, batches: VecDeque::with_capacity(BATCHES) };
        Seat { machine, at, deadline: None, more: true, inbox, events: Vec::new() }
    }

    /// Whether there is anything for it to do.
    pub fn has_work(&self, now: Instant) -> bool {
        self.more || !self.inbox.batches.is_empty() || self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Where what is sent to it goes.
    pub const fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    /// What the driver does when the machine is woken: hands over all that has come, and polls.
    pub fn turn(&mut self, now: Instant, air: &mut Air) {
        while let Some(mut batch) = self.inbox.batches.pop_front() {
            let Batch { remote, segment_size, ecn, .. } = batch;
            let payload = &mut batch.buffer[..batch.len];
            let datagram = Datagram { remote, local: None, ecn, segment_size, payload };
            self.machine.handle_input(now, Input::Datagram(datagram));
            air.spare.push(batch);
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.machine.handle_timeout(now);
        }
        self.poll(now, air);
    }

    /// Its application hears what it has said, and touches it.
    pub fn hear(&mut self, mut app: impl FnMut(&mut M, M::Event)) {
        for event in self.events.drain(..) {
            app(&mut self.machine, event);
            self.more = true;
        }
    }

    fn poll(&mut self, now: Instant, air: &mut Air) {
        self.more = true;
        while air.sent.len() < SEND_BATCHES {
            let Some(batch) = air.spare.last_mut() else { return };
            match self.machine.poll_output(now, &mut batch.buffer) {
                Output::Transmit(Transmit { remote, len, segment_size, ecn, .. }) => {
                    (batch.remote, batch.len, batch.segment_size, batch.ecn) = (remote, len, segment_size, ecn);
                    air.sent.extend(air.spare.pop());
                }
                Output::Event(event) => self.events.push(event),
                // The same each time: what is counted is not to depend on luck.
                Output::NeedsEntropy => self.machine.handle_input(now, Input::Entropy(&mut [33; 32])),
                Output::Timeout(deadline) => {
                    (self.deadline, self.more) = (deadline, false);
                    return;
                }
            }
        }
    }
}

/// What is on its way.
pub struct Air {
    sent: Vec<Batch>,
    spare: Vec<Batch>,
}

impl Default for Air {
    /// Nothing.
    fn default() -> Air {
        let batch = || Batch {
            remote: SocketAddr::from(([0; 4], 0)),
            buffer: vec![0; 65_536].into_boxed_slice(),
            len: 0,
            segment_size: 0,
            ecn: Ecn::default(),
        };
        Air { sent: Vec::with_capacity(SEND_BATCHES), spare: core::iter::repeat_with(batch).take(BATCHES).collect() }
    }
}

impl Air {
    /// Datagrams on their way to that address.
    pub fn sent_to(&self, to: SocketAddr) -> u64 {
        let batches = self.sent.iter().filter(|batch| batch.remote == to);
        batches.map(|batch| batch.len.div_ceil(batch.segment_size) as u64).sum()
    }

    /// What the machine at `from` has sent arrives. Buffers change hands: what the kernel copies is not counted.
    pub fn deliver(&mut self, from: SocketAddr, inboxes: &mut [&mut Inbox]) {
        for batch in self.sent.drain(..) {
            match inboxes.iter_mut().find(|inbox| inbox.at == batch.remote) {
                Some(inbox) => inbox.batches.push_back(Batch { remote: from, ..batch }),
                None => self.spare.push(batch),
            }
        }
    }

    /// What was sent is lost.
    pub fn lose(&mut self) {
        self.spare.append(&mut self.sent);
    }
}
