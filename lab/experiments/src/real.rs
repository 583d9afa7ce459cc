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
//! let figures = real::run(&network, &[(Real::KERNEL_TCP, transfer.clone()), (Real::TNG, transfer)], span)?;
//! println!("side by side, TCP had {} bit/s, tng {}", figures[0].goodput_bps, figures[1].goodput_bps);
//! # Ok::<_, real::RealError>(())
//! ```

pub(crate) mod breakdown;
mod bulk;
mod daemon;
mod fleet;
mod kernel;
mod listening;
mod machine;
mod nginx;
mod proxy;
mod script;
pub(crate) mod tng;
pub(crate) mod used;
pub(crate) mod visitor;

use core::fmt;
use std::io;
use std::net::SocketAddr;

use tng_emulator::transfer::{Origin, STEPS_MAX, Span, TRANSFERS_MAX, Transfer, TransferFigures};
use tng_emulator::{Network, NetworkError, Topology, TopologyLink, TopologyNat, TopologyNode};

use crate::scenario::{NodeKind, Scenario};
use crate::settings::Settings;

pub(crate) use daemon::{Daemon, configuration, tool};
pub(crate) use fleet::{FILE, Fetched, Fleet};
pub use machine::{Stage, Staged, drive};
pub(crate) use nginx::Nginx;
pub(crate) use proxy::Proxy;
pub use script::{RealReport, check, run_scenario};

/// What can carry a transfer in real time.
///
/// It is a row of a table: [`Real::ALL`] has them all, and a new one is a `Row` and a line there.
#[derive(Clone, Copy)]
pub struct Real(&'static Row);

/// In what one differs from the others.
pub(crate) struct Row {
    /// Its name, by which it is told from the others.
    pub(crate) name: &'static str,
    /// Makes ready what these transfers need, all of them over it and at least one.
    pub(crate) ready: fn(&Network, Vec<Transfer>) -> Made,
    /// Tells a page what hosts it makes ready with a controller of this name.
    pub(crate) tell: fn(&mut Settings, part: &str, controller: &str),
}

/// Transfers whose hosts are ready, or why they cannot be.
pub(crate) type Made = Result<Box<dyn Ready>, RealError>;

/// Transfers whose hosts are ready.
pub(crate) trait Ready: Send {
    /// Runs them: what came of each, in their order.
    fn run(self: Box<Self>, network: &Network, origin: Origin, span: Span) -> Vec<TransferFigures>;
}

impl Real {
    /// The kernel's TCP.
    pub const KERNEL_TCP: Real = Real(&kernel::ROW);
    /// tng on the sockets of the system; transfers between the same two nodes are streams of one connection for each
    /// direction.
    pub const TNG: Real = Real(&tng::ROW);
    /// The same with a checksum in place of encryption, by hosts of their own.
    pub const TNG_WEAK: Real = Real(&tng::WEAK);

    /// QUIC, as quinn has it: the machine of simulated worlds, on the sockets of the system.
    pub const QUIC: Real = Real(&bulk::QUIC);

    /// Every row.
    pub const ALL: &[Real] = &[Real::KERNEL_TCP, Real::TNG, Real::TNG_WEAK, Real::QUIC];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Hosts for these transfers, all of them over it and at least one.
    pub(crate) fn ready(self, network: &Network, transfers: Vec<Transfer>) -> Made {
        (self.0.ready)(network, transfers)
    }

    /// Tells a page what the hosts are of a transfer with a controller of this name. Of a name that it does not have,
    /// nothing: the transfer says so.
    pub(crate) fn tell(self, settings: &mut Settings, controller: &str) {
        (self.0.tell)(settings, &format!("{} in real time", self.name()), controller);
    }
}

/// Names are unique.
impl PartialEq for Real {
    fn eq(&self, other: &Real) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Real {}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
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
    /// A program that a run needs is not there, does not begin, or says what it should not.
    #[error("{0}")]
    Program(String),
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
    // By row: the places of its transfers, and their hosts.
    let mut rows = Vec::new();
    for real in Real::ALL {
        let places: Vec<usize> = (0..transfers.len()).filter(|place| transfers[*place].0 == *real).collect();
        if !places.is_empty() {
            let own = places.iter().map(|place| transfers[*place].1.clone()).collect();
            rows.push((places, real.ready(network, own)?));
        }
    }
    run_ready(network, rows, span, begun)
}

/// A transfer by the kernel's TCP whose sender connects to a [`Proxy`] at this address.
pub(crate) fn proxied(network: &Network, transfer: Transfer, proxy: SocketAddr) -> Made {
    kernel::by_way_of(network, transfer, proxy)
}

/// The same of hosts that are ready, each with the places of its transfers among all.
pub(crate) fn run_ready<T>(
    network: &Network,
    rows: Vec<(Vec<usize>, Box<dyn Ready>)>,
    span: Span,
    begun: impl FnOnce(Origin) -> T,
) -> Result<(Origin, Vec<TransferFigures>, T), RealError> {
    if span.limit.as_nanos() / span.interval.as_nanos().max(1) >= STEPS_MAX as u128 {
        return Err(RealError::TooLong);
    }
    let origin = Origin::now();
    let begun = begun(origin);
    let failed = || TransferFigures { failure: Some("it panicked".to_owned()), ..TransferFigures::default() };
    let count = rows.iter().map(|(places, _)| places.len()).sum();
    let mut figures: Vec<TransferFigures> = (0..count).map(|_| failed()).collect();
    std::thread::scope(|scope| {
        let run = |(places, ready): (Vec<usize>, Box<dyn Ready>)| {
            (places, scope.spawn(move || ready.run(network, origin, span)))
        };
        let running: Vec<_> = rows.into_iter().map(run).collect();
        for (places, running) in running {
            let done = running.join().unwrap_or_default();
            places.into_iter().zip(done).for_each(|(place, of)| figures[place] = of);
        }
    });
    Ok((origin, figures, begun))
}

impl Scenario {
    /// The network alone, for the emulator. What runs on its nodes is not in it, such as the relay of a helper.
    pub fn topology(&self) -> Topology {
        let nodes = self.nodes.iter().map(|node| TopologyNode {
            name: node.name.clone(),
            addresses: node.kind.addresses().to_vec(),
            nat: match &node.kind {
                NodeKind::Nat { config, inside } => {
                    Some(TopologyNat { config: config.clone(), inside: inside.clone() })
                }
                _ => None,
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
