//! Transfers by the kernel's TCP.

use std::io;
use std::net::SocketAddr;
use std::thread;

use tng_emulator::transfer::{Origin, Span, Transfer, TransferFigures};
use tng_emulator::{Network, tcp};

use super::{Made, Ready, RealError, Row};
use crate::settings::Settings;

/// The kernel's TCP.
pub(super) static ROW: Row = Row { name: "kernel-tcp", ready, tell };

fn tell(settings: &mut Settings, part: &str, controller: &str) {
    settings.set(part, "kind", "the kernel's TCP");
    settings.set(part, "controller", controller);
    settings.set(part, "everything else", "as the kernel has it in a new network namespace");
}

/// One transfer whose sender connects to this address.
///
/// # Errors
/// As those of the row.
pub(super) fn by_way_of(network: &Network, transfer: Transfer, address: SocketAddr) -> Made {
    let receivers = listen(network, &[transfer])?;
    Ok(Box::new(Receivers(receivers.into_iter().map(|one| one.by_way_of(address)).collect())))
}

fn listen(network: &Network, transfers: &[Transfer]) -> Result<Vec<tcp::Receiver>, RealError> {
    tcp::listen(network, transfers).map_err(|error| match error.kind() {
        io::ErrorKind::Unsupported => RealError::Host(error.to_string()),
        _ => RealError::System(error),
    })
}

fn ready(network: &Network, transfers: Vec<Transfer>) -> Made {
    Ok(Box::new(Receivers(listen(network, &transfers)?)))
}

struct Receivers(Vec<tcp::Receiver>);

impl Ready for Receivers {
    fn run(self: Box<Self>, network: &Network, origin: Origin, span: Span) -> Vec<TransferFigures> {
        let failed = || TransferFigures { failure: Some("it panicked".to_owned()), ..TransferFigures::default() };
        thread::scope(|scope| {
            let run = |receiver: tcp::Receiver| scope.spawn(move || receiver.run(network, origin, span));
            let running: Vec<_> = self.0.into_iter().map(run).collect();
            running.into_iter().map(|one| one.join().unwrap_or_else(|_| failed())).collect()
        })
    }
}
