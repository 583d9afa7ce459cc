//! The usual node: a machine and its application.

use tng_base::{Input, Instant, Machine, Output};

use crate::node::{Node, Outbox};

/// Application logic beside a machine: it hears the machine's events and calls the machine's own interface.
pub trait App<M: Machine> {
    /// The machine tells something.
    fn handle_event(&mut self, now: Instant, machine: &mut M, event: M::Event);

    /// Called whenever the machine has nothing more to say: does what the application wants to do now, and answers when
    /// it wants to be called again at the latest.
    fn poll(&mut self, now: Instant, machine: &mut M) -> Option<Instant>;
}

/// An application that does nothing; a test drives the machine itself.
impl<M: Machine> App<M> for () {
    fn handle_event(&mut self, _: Instant, _: &mut M, _: M::Event) {}

    fn poll(&mut self, _: Instant, _: &mut M) -> Option<Instant> {
        None
    }
}

/// A [`Machine`] and an [`App`] on one host.
#[derive(Debug)]
pub struct MachineNode<M, A> {
    /// The protocol party.
    pub machine: M,
    /// What uses it.
    pub app: A,
}

impl<M: Machine, A: App<M>> MachineNode<M, A> {
    /// Joins the two.
    pub fn new(machine: M, app: A) -> MachineNode<M, A> {
        MachineNode { machine, app }
    }

    /// Polls the machine until it only waits: its timeout, and whether it had anything to say before.
    fn drain(&mut self, now: Instant, outbox: &mut Outbox) -> (Option<Instant>, bool) {
        let mut said = false;
        loop {
            match self.machine.poll_output(now, outbox.buffer()) {
                Output::Transmit(transmit) => outbox.send(transmit),
                Output::Event(event) => self.app.handle_event(now, &mut self.machine, event),
                Output::NeedsEntropy => self.machine.handle_input(now, Input::Entropy(&mut outbox.entropy())),
                Output::Timeout(timeout) => return (timeout, said),
            }
            said = true;
        }
    }
}

impl<M: Machine, A: App<M>> Node for MachineNode<M, A> {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.machine.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.machine.handle_timeout(now);
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        self.drain(now, outbox);
        loop {
            let app = self.app.poll(now, &mut self.machine);
            // Whatever the application did, the machine may have something to say about it; then the application may
            // again.
            let (machine, said) = self.drain(now, outbox);
            if !said {
                return [app, machine].into_iter().flatten().min();
            }
        }
    }
}
