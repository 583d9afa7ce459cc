//! Lab machines on the sockets of the system, by the driver that endpoints have.

use core::convert::Infallible;
use core::net::SocketAddr;
use core::task::Waker;
use std::sync::Arc;

use tng::{Driven, Driver, Shared, UdpSocket};
use tng_base::{Input, Instant, Machine, Output};
use tng_emulator::Network;
use tng_sim::App;
use tokio::runtime::Runtime;

use super::RealError;

/// A machine and its application as one machine without events: what a node of a simulated world is, for a driver.
#[derive(Debug)]
pub struct Staged<M, A> {
    /// The protocol party.
    pub machine: M,
    /// What uses it.
    pub app: A,
    /// When the machine wants to be called.
    deadline: Option<Instant>,
}

impl<M: Machine, A: App<M>> Staged<M, A> {
    /// Joins the two.
    pub fn new(machine: M, app: A) -> Staged<M, A> {
        Staged { machine, app, deadline: None }
    }
}

impl<M: Machine, A: App<M>> Machine for Staged<M, A> {
    type Event = Infallible;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.machine.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        // The time may be the application's.
        if self.deadline.is_some_and(|at| at <= now) {
            self.machine.handle_timeout(now);
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Infallible> {
        let mut wanted = None;
        loop {
            match self.machine.poll_output(now, buf) {
                Output::Transmit(transmit) => return Output::Transmit(transmit),
                Output::NeedsEntropy => return Output::NeedsEntropy,
                Output::Event(event) => {
                    self.app.handle_event(now, &mut self.machine, event);
                    wanted = None;
                }
                // The application had its turn, and the machine has nothing to say about it.
                Output::Timeout(at) if let Some(app) = wanted => {
                    self.deadline = at;
                    return Output::Timeout([at, app].into_iter().flatten().min());
                }
                Output::Timeout(_) => wanted = Some(self.app.poll(now, &mut self.machine)),
            }
        }
    }
}

/// A [`Staged`] machine behind the driver's lock.
#[derive(Debug)]
pub struct Stage<M, A>(pub Staged<M, A>);

impl<M: Machine + Send + 'static, A: App<M> + Send + 'static> Driven for Stage<M, A> {
    type Machine = Staged<M, A>;

    fn machine(&mut self) -> &mut Staged<M, A> {
        &mut self.0
    }

    fn handle_event(&mut self, _: Instant, event: Infallible, _: &mut Vec<Waker>) -> usize {
        match event {}
    }

    fn handle_stop(&mut self, _: &mut Vec<Waker>) {}

    fn is_finished(&self) -> bool {
        false
    }
}

/// Has any machine driven on a node of a network, at its first address and this port, as long as the runtime lasts.
///
/// # Errors
/// The node is a router, or the system refuses a socket.
pub fn drive<M: Machine + Send + 'static, A: App<M> + Send + 'static>(
    network: &Network,
    runtime: &Runtime,
    (node, port): (usize, u16),
    staged: Staged<M, A>,
) -> Result<Arc<Shared<Stage<M, A>>>, RealError> {
    let place = &network.topology().nodes[node];
    let ip = *place.addresses.first().ok_or_else(|| RealError::Router(place.name.clone()))?;
    let bound = network.run(node, || {
        let _inside = runtime.enter();
        UdpSocket::bind(SocketAddr::new(ip, port))
    });
    let socket = bound.and_then(|socket| socket).map_err(RealError::System)?;
    let shared = Arc::new(Shared::new(Stage(staged)));
    let _inside = runtime.enter();
    runtime.spawn(Driver::new(Arc::clone(&shared), Arc::new(socket)));
    Ok(shared)
}
