//! In real time: the links of a scenario between network namespaces, the kernel's TCP and tng itself over them.
//!
//! ```no_run
//! use std::time::Duration;
//! use tng_emulator::transfer::{Amount, Span, Transfer};
//! use tng_emulator::{Names, Network, Topology};
//! use tng_experiments::real::{self, Real};
//!
//! let link = tng_sim::Link::new().rate(20_000_000).delay(Duration::from_millis(25));
//! let network = Network::start(&Topology::pair(1, &link), &Names::Private)?;
//! let controller = Some("cubic".to_owned());
//! let transfer = Transfer { from: 0, to: 1, controller, start: Duration::ZERO, amount: Amount::Forever };
//! let span = Span { limit: Duration::from_secs(10), interval: Duration::from_millis(100) };
//! let figures = real::run(&network, &[(Real::KernelTcp, transfer.clone()), (Real::Tng, transfer)], span)?;
//! println!("side by side, TCP had {} bit/s, tng {}", figures[0].goodput_bps, figures[1].goodput_bps);
//! # Ok::<_, real::RealError>(())
//! ```

mod script;
mod tng;

use std::io;

use tng_emulator::transfer::{Origin, STEPS_MAX, Span, TRANSFERS_MAX, Transfer, TransferFigures};
use tng_emulator::{Network, NetworkError, Topology, TopologyLink, TopologyNode, tcp};

use crate::scenario::{NodeKind, Scenario};

pub use script::{RealReport, check, run_scenario};

/// What can carry a transfer in real time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Real {
    /// The kernel's TCP.
    KernelTcp,
    /// tng on the sockets of the system; transfers between the same two nodes are streams of one connection for each
    /// direction.
    Tng,
    /// The same with a checksum in place of encryption, by hosts of their own.
    TngWeak,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum RealError {
    /// No network: no root, or something of the environment's.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The caller's fault: more than there may be.
    #[error("{count} transfers in one run; there may be {TRANSFERS_MAX}")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The caller's fault: the series would be too long.
    #[error("the run would have more than {STEPS_MAX} intervals; make the interval longer")]
    TooLong,
    /// The caller's fault: a scenario has something that is there in virtual time only.
    #[error("{0}, and in real time that is not there; `tng sim run` runs the same file in virtual time")]
    Virtual(String),
    /// The caller's fault: this node is a router and cannot send or receive.
    #[error("{0:?} is a router; transfers are between hosts")]
    Router(String),
    /// The caller's fault: an unknown controller, or an address that cannot be used.
    #[error("{0}")]
    Host(String),
    /// The environment's: the system refuses something.
    #[error("the system refuses: {0}")]
    System(#[source] io::Error),
}

/// Runs transfers over a network that stands, all at once: what came of each, in their order.
///
/// # Errors
/// See [`RealError`]. What goes wrong with one transfer stands in its figures.
pub fn run(network: &Network, transfers: &[(Real, Transfer)], span: Span) -> Result<Vec<TransferFigures>, RealError> {
    run_from(network, transfers, span, drop).map(|(_, figures, ())| figures)
}

/// The same; `begun` is told when it begins, and what it answers is handed out in the end.
fn run_from<T>(
    network: &Network,
    transfers: &[(Real, Transfer)],
    span: Span,
    begun: impl FnOnce(Origin) -> T,
) -> Result<(Origin, Vec<TransferFigures>, T), RealError> {
    if transfers.len() > TRANSFERS_MAX {
        return Err(RealError::TooMany { count: transfers.len() });
    }
    if span.limit.as_nanos() / span.interval.as_nanos().max(1) >= STEPS_MAX as u128 {
        return Err(RealError::TooLong);
    }
    let of = |real: Real| -> Vec<Transfer> {
        transfers.iter().filter(|(by, _)| *by == real).map(|(_, transfer)| transfer.clone()).collect()
    };
    let [tcp, tng, weak] = [Real::KernelTcp, Real::Tng, Real::TngWeak].map(of);
    let receivers = tcp::listen(network, &tcp).map_err(|error| match error.kind() {
        io::ErrorKind::Unsupported => RealError::Host(error.to_string()),
        _ => RealError::System(error),
    })?;
    let hosts = |transfers: &[Transfer], weak| match transfers {
        [] => Ok(None),
        some => tng::Hosts::start(network, some, weak).map(Some),
    };
    let (hosts, weak_hosts) = (hosts(&tng, false)?, hosts(&weak, true)?);
    let origin = Origin::now();
    let begun = begun(origin);
    let (by_tcp, by_tng, by_weak) = std::thread::scope(|scope| {
        let running: Vec<_> =
            receivers.into_iter().map(|receiver| scope.spawn(|| receiver.run(network, origin, span))).collect();
        let run_weak = || weak_hosts.map_or(Vec::new(), |hosts| hosts.run(&weak, origin, span));
        let running_weak = scope.spawn(run_weak);
        let by_tng = hosts.map_or(Vec::new(), |hosts| hosts.run(&tng, origin, span));
        let failed = || TransferFigures { failure: Some("it panicked".to_owned()), ..TransferFigures::default() };
        let by_tcp: Vec<_> = running.into_iter().map(|one| one.join().unwrap_or_else(|_| failed())).collect();
        let by_weak = running_weak.join().unwrap_or_else(|_| weak.iter().map(|_| failed()).collect());
        (by_tcp, by_tng, by_weak)
    });
    let [mut by_tcp, mut by_tng, mut by_weak] = [by_tcp, by_tng, by_weak].map(Vec::into_iter);
    let next = |(real, _): &(Real, Transfer)| match real {
        Real::KernelTcp => by_tcp.next(),
        Real::Tng => by_tng.next(),
        Real::TngWeak => by_weak.next(),
    };
    Ok((origin, transfers.iter().filter_map(next).collect(), begun))
}

impl Scenario {
    /// The network alone, for the emulator.
    pub fn topology(&self) -> Topology {
        let nodes = self.nodes.iter().map(|node| TopologyNode {
            name: node.name.clone(),
            addresses: match &node.kind {
                NodeKind::Host { addresses, .. } => addresses.clone(),
                NodeKind::Router => Vec::new(),
            },
        });
        let links = self.links.iter().map(|link| TopologyLink {
            name: link.name.clone(),
            a: link.a,
            b: link.b,
            forth: link.forth.clone(),
            back: link.back.clone(),
        });
        Topology { seed: self.seed, nodes: nodes.collect(), links: links.collect() }
    }
}
