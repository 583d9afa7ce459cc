//! What twins of figures in real time have in common: a server, which is a process of the tool or nginx, and clients of
//! it in the process of the lab, over a link of the emulator or on one host.

use core::fmt;
use core::time::Duration;
use std::net::IpAddr;
use std::sync::Arc;

use tng::trickles::ClientConfig;
use tng_base::Rng;
use tng_emulator::{Network, Topology, open_many};
use tng_sim::{Link, topology};

use crate::lab::Context;
use crate::lab::RunError;
use crate::peers::helped::real::fault;
use crate::peers::transport::tell;
use crate::peers::transport::trickles::{Usage, client_config};
use crate::peers::trial::network;
use crate::real::visitor::{Keepless, Source, Wanted};
use crate::real::{FILE, Fleet, Nginx};
use crate::settings::{Configured, Settings};

/// The number of the server's address; those of clients are from one on.
const SERVER_ADDRESS: u16 = 200;
/// Addresses that clients have: a server has a bound for what one of them may begin in a second.
pub(in crate::lab) const ADDRESSES: u16 = 16;
/// Clients that begin in a second, at most: no server refuses one for that.
pub(in crate::lab) const BEGIN_PER_S: u64 = 1_000;
/// Files that this process may have open beside a socket for each client.
const FILES_BESIDE: u64 = 1_000;

/// Over what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::lab) enum Over {
    /// The kernel's TCP: HTTP, and nginx.
    Tcp,
    /// Trickles, and `tng trickles serve`.
    Trickles,
}

impl Over {
    /// The one that the other is held against comes first.
    pub(in crate::lab) const BOTH: [Over; 2] = [Over::Tcp, Over::Trickles];
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Over::Tcp => "the kernel's TCP",
            Over::Trickles => "Trickles",
        })
    }
}

/// A server and its clients.
#[derive(Clone, Debug)]
pub(in crate::lab) struct Twin {
    pub(in crate::lab) seed: u64,
    /// Between them, both ways; none if both are on one host.
    pub(in crate::lab) link: Option<Link>,
    pub(in crate::lab) over: Over,
    /// Of nginx.
    pub(in crate::lab) processes: u32,
    /// What the command of `tng trickles serve` says beside.
    pub(in crate::lab) more: &'static [&'static str],
    /// Of the file.
    pub(in crate::lab) bytes: u64,
    /// At once, at most.
    pub(in crate::lab) clients: u64,
}

impl Configured for Twin {
    fn tell(&self, settings: &mut Settings) {
        let Twin { seed: _, link, over, processes, more, bytes, clients } = self;
        match link {
            Some(link) => tell::link(settings, "link, both ways", link),
            None => settings.set("link", "kind", "the loopback device of one host"),
        }
        settings.set("file", "bytes", bytes);
        match over {
            Over::Tcp => {
                settings.set("over the kernel's TCP", "server", format_args!("nginx, {processes} processes of it"));
                settings.set("over the kernel's TCP", "everything else", "as the kernel has it in a new namespace");
                settings.set("over the kernel's TCP", "clients", clients);
            }
            Over::Trickles => {
                let words =
                    ["tng trickles serve", "--public"].iter().chain(*more).copied().collect::<Vec<_>>().join(" ");
                settings.set("over Trickles", "server", words);
                settings.set("over Trickles", "clients", clients);
                let (own, usual) = (client_config(Usage::USUAL), ClientConfig::default());
                let part = "clients over Trickles";
                settings.configure(part, "client of Trickles", &["datagram_len"], &own, &usual);
            }
        }
    }
}

/// One that stands.
pub(in crate::lab) struct Standing {
    pub(in crate::lab) network: Network,
    /// The nodes of the clients and of the server: the same on one host.
    pub(in crate::lab) clients: usize,
    pub(in crate::lab) server: usize,
    pub(in crate::lab) serving: Serving,
    pub(in crate::lab) file: Arc<[u8]>,
}

/// The server.
pub(in crate::lab) enum Serving {
    Tcp(Nginx),
    Trickles(Fleet),
}

impl Twin {
    /// Makes it stand: the server serves.
    ///
    /// # Errors
    /// If there can be no networks here, or the server does not begin.
    pub(in crate::lab) fn begin(&self) -> Result<Standing, RunError> {
        let Twin { seed, link, over, processes, more, bytes, clients } = self;
        let beside = |error| RunError::Environment {
            problem: format!("this process may not have so many sockets: {error}"),
            remedy: "as root, or fewer clients".to_owned(),
        };
        // Over Trickles the silent ones on one host have none.
        let sockets = if link.is_none() && *over == Over::Trickles { 0 } else { *clients };
        open_many(sockets + FILES_BESIDE).map_err(beside)?;
        let own = topology::ipv4(SERVER_ADDRESS);
        let theirs: Vec<IpAddr> = addresses().collect();
        let mut plan = Topology::pair(*seed, &link.clone().unwrap_or_default());
        let server = match link {
            Some(_) => {
                (plan.nodes[0].addresses, plan.nodes[1].addresses) = (theirs, vec![own]);
                1
            }
            None => {
                // The other end of its link is nobody's.
                plan.nodes[0].addresses = [own].into_iter().chain(theirs).collect();
                0
            }
        };
        let (network, mut rng) = (network(&plan)?, Rng::from_u64(*seed));
        let (serving, file) = match over {
            Over::Trickles => {
                let fleet = Fleet::alone(&network, server, more, (*bytes, &mut rng)).map_err(fault)?;
                let file = fleet.file();
                (Serving::Trickles(fleet), file)
            }
            Over::Tcp => {
                let mut file = vec![0; *bytes as usize];
                rng.fill(&mut file);
                let nginx = Nginx::start(&network, server, &[(FILE, &file)], *processes).map_err(fault)?;
                (Serving::Tcp(nginx), file.into())
            }
        };
        Ok(Standing { network, clients: 0, server, serving, file })
    }
}

impl Serving {
    /// Hands out another file, too.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::lab) fn add(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        match self {
            Serving::Tcp(nginx) => nginx.add(name, bytes),
            Serving::Trickles(fleet) => fleet.add(name, bytes),
        }
        .map_err(fault)
    }
}

/// The addresses of clients.
pub(in crate::lab) fn addresses() -> impl Iterator<Item = IpAddr> {
    (1..=ADDRESSES).map(topology::ipv4)
}

/// The address of a client of that number.
pub(in crate::lab) fn address_of(number: u64) -> IpAddr {
    topology::ipv4(1 + (number % u64::from(ADDRESSES)) as u16)
}

/// When a client of that number begins.
pub(in crate::lab) fn begins(number: u64) -> Duration {
    Duration::from_secs(1) * number as u32 / BEGIN_PER_S as u32
}

impl Standing {
    /// Where its file comes from: for one client.
    pub(in crate::lab) fn source(&self) -> Source {
        match &self.serving {
            Serving::Tcp(nginx) => Source::Http(nginx.address()),
            Serving::Trickles(fleet) => {
                Source::Stateless(Keepless::new(fleet.places(&[0]), client_config(Usage::USUAL)))
            }
        }
    }

    /// The file.
    pub(in crate::lab) fn wanted(&self) -> Wanted {
        Wanted { name: FILE.to_owned(), bytes: Arc::clone(&self.file), buffer: None, pace: None }
    }

    /// The server's processes.
    pub(in crate::lab) fn pids(&self) -> Vec<u32> {
        match &self.serving {
            Serving::Tcp(nginx) => nginx.pids(),
            Serving::Trickles(fleet) => fleet.pid(0).into_iter().collect(),
        }
    }
}

/// A link of the virtual twin's.
pub(in crate::lab) fn lan(context: &Context<'_>, rate_bps: u64, rtt: Duration) -> Link {
    let testbed = super::testbed::Testbed { rate_bps, ..super::testbed::Testbed::default().rtt(rtt) };
    testbed.crowd(context.seed, Vec::new(), Vec::new()).down
}
