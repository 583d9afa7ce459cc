//! A setting in real time: its chain on the emulator, its helpers as processes of the tool beside the same routers,
//! and one party, over tng or over what it is compared with.

use core::net::IpAddr;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::Arc;

use tng::{Connection, Endpoint, PathTaken, UdpSocket};
use tng_emulator::transfer::{Amount, Origin, Span as RunSpan, Transfer, TransferFigures};
use tng_emulator::{LaneFigures, Network, Topology, TopologyLink, TopologyNode, tcp};
use tng_sim::{DropCause, Link};
use tng_stack::PathStats;

use super::build::{FIRST_HOST, at_router, beside, coming};
use super::{Direction, Setting, Span, Speaks};
use crate::lab::{Curve, RunError};
use crate::peers::trial::network;
use crate::real::{self, Daemon, Proxy, Real, RealError, tng as hosts};
use crate::settings::{Configured, Settings};

/// How often the run looks at what happens, and does what is due.
const LOOK: Duration = Duration::from_millis(20);
/// Networks on which a party is tried, at most. Of one that is disturbed nothing counts.
const NETWORKS_MAX: usize = 3;

/// One packet that this machine loses counts for nothing beside so many that links lose as they are to.
const MISSED_ONE_IN: u64 = 100;

/// By what the party goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// tng, as the setting has it: by way of its relays, if it names any.
    Tng,
    /// The kernel's TCP from end to end, under a controller.
    Kernel(&'static str),
    /// QUIC from end to end, under a controller.
    Quic(&'static str),
    /// The kernel's TCP, ended and begun anew by haproxy wherever the setting has a helper; all under a controller.
    Proxied(&'static str),
}

/// A party of a setting that is to run in real time.
#[derive(Clone, Debug)]
pub(crate) struct Staging {
    /// With one party, whose data flows up.
    pub(crate) setting: Setting,
    pub(crate) way: Way,
    /// Further addresses that the client has from the start, by their numbers at its router.
    pub(crate) addresses: Vec<usize>,
    /// The client's socket is at all its addresses, so that it can go on from another.
    pub(crate) anywhere: bool,
}

impl Configured for Staging {
    fn tell(&self, settings: &mut Settings) {
        let Staging { setting, way, addresses: _, anywhere: _ } = self;
        let ends = Setting { helpers: Vec::new(), parties: Vec::new(), ..setting.clone() };
        match way {
            Way::Tng => setting.tell(settings),
            Way::Kernel(controller) => {
                ends.tell(settings);
                Real::KERNEL_TCP.tell(settings, controller);
            }
            Way::Quic(controller) => {
                ends.tell(settings);
                Real::QUIC.tell(settings, controller);
            }
            Way::Proxied(controller) => {
                ends.tell(settings);
                let routers: Vec<usize> = setting.helpers.iter().map(|post| post.router).collect();
                settings.set("haproxy", "mode", "tcp");
                settings.set("haproxy", "beside routers", format_args!("{routers:?}"));
                settings.set("haproxy", "controller", controller);
            }
        }
    }
}

/// A moment of a run, as an [`Act`] sees it.
pub(crate) struct Moment<'r> {
    /// Since the beginning.
    pub(crate) at: Duration,
    /// Links have the numbers of the setting's.
    pub(crate) network: &'r Network,
    /// In the order of the setting's helpers; none if they are not used.
    pub(crate) daemons: &'r mut [Daemon],
    /// Client and connection of a party over tng.
    pub(crate) over: Option<(Endpoint, Connection)>,
    /// Whether it leads by way of helpers; nothing while there is no path.
    pub(crate) helped: Option<bool>,
    /// Further sockets of the client, one at each further address, unless its socket is at all of them.
    pub(crate) sockets: &'r [Arc<UdpSocket>],
    /// The client's node.
    pub(crate) client: usize,
}

/// Something that acts in a run.
pub(crate) trait Act: Send {
    /// Does what is due now, if anything is.
    fn act(&mut self, moment: Moment<'_>);
}

impl<F: FnMut(Moment<'_>) + Send> Act for F {
    fn act(&mut self, moment: Moment<'_>) {
        self(moment);
    }
}

/// Nothing is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle;

impl Act for Idle {
    fn act(&mut self, _: Moment<'_>) {}
}

/// What came of it.
pub(crate) struct Ran {
    pub(crate) figures: TransferFigures,
    pub(crate) curve: Curve,
    /// Looks at which it led by way of helpers, percent of all from the first at which it led anywhere.
    pub(crate) helped_percent: f64,
    /// The client's channels when it was last looked; of tng alone.
    pub(crate) paths: Vec<PathStats>,
    /// By lane of the setting's links: that of a link forth, then the one back.
    pub(crate) lanes: Vec<LaneFigures>,
    /// What each relay told of itself in the end.
    pub(crate) status: Vec<serde_json::Value>,
    /// Networks before this one that do not count, since this machine lost packets there.
    pub(crate) disturbed: usize,
}

impl Ran {
    /// The channel that carried the data: the helped one, or the only one.
    ///
    /// # Errors
    /// If there was none.
    pub(crate) fn path(&self, helped: bool) -> Result<&PathStats, RunError> {
        let found = self.paths.iter().find(|path| (path.stats.helpers > 0) == helped);
        found.ok_or_else(|| RunError::broken(format_args!("{}: it went another way", self.curve.name)))
    }
}

impl Staging {
    /// The setting's party by this way.
    pub(crate) fn new(setting: Setting, way: Way) -> Staging {
        Staging { setting, way, addresses: Vec::new(), anywhere: false }
    }

    /// Runs it until it is complete, or `limit` is over; `act` is called again and again. On a network that lost
    /// packets which no link was to lose, and more than a hundredth of those that links lost, it is begun anew, with an
    /// `act` of its own.
    ///
    /// # Errors
    /// If there can be no network, or something of it does not begin, or the transfer fails.
    pub(crate) fn run<A: Act>(&self, limit: Duration, mut act: impl FnMut() -> A) -> Result<(Ran, A), RunError> {
        let mut missed = 0;
        for disturbed in 0..NETWORKS_MAX {
            let stand = Stand::start(self)?;
            let mut act = act();
            let ran = stand.run(limit, &mut act)?;
            missed = stand.missed();
            if missed * MISSED_ONE_IN <= stand.lost() {
                return Ok((Ran { disturbed, ..ran }, act));
            }
        }
        Err(RunError::Environment {
            problem: format!("this machine lost {missed} packets on their way to or from the emulator, each time some"),
            remedy: "again, on a machine that does nothing else".to_owned(),
        })
    }
}

/// Everything that stands: nodes are the routers, then the helpers, then client and server.
struct Stand<'s> {
    staging: &'s Staging,
    network: Network,
}

impl<'s> Stand<'s> {
    fn start(staging: &'s Staging) -> Result<Stand<'s>, RunError> {
        let setting = &staging.setting;
        let [party] = &setting.parties[..] else { return Err(RunError::broken("a setting of one party")) };
        if party.direction == Direction::Down || party.connections != 1 {
            return Err(RunError::broken("in real time one connection sends from client to server"));
        }
        let node = |name: String, addresses: Vec<IpAddr>| TopologyNode { name, addresses, nat: None };
        let link = |name: String, (a, b): (usize, usize), forth: &Link, back: &Link| TopologyLink {
            name,
            a,
            b,
            forth: forth.clone(),
            back: back.clone(),
        };
        let routers = setting.links.len() + 1;
        let mut nodes: Vec<_> = (0..routers).map(|n| node(format!("router-{n}"), Vec::new())).collect();
        let chain = setting.links.iter().enumerate();
        let chain = chain.map(|(n, Span { forth, back })| link(format!("chain-{n}"), (n, n + 1), forth, back));
        let mut links: Vec<_> = chain.collect();
        for (place, post) in setting.helpers.iter().enumerate() {
            let name = format!("helper-{place}");
            links.push(link(name.clone(), (post.router, nodes.len()), &beside(), &beside()));
            nodes.push(node(name, vec![at_router(post.router, place)]));
        }
        let further = staging.addresses.iter().map(|number| at_router(party.between.0, *number));
        let client = [at_router(party.between.0, FIRST_HOST)].into_iter().chain(further).collect();
        let server = vec![at_router(party.between.1, FIRST_HOST + 1)];
        for (name, addresses, router) in [("client", client, party.between.0), ("server", server, party.between.1)] {
            links.push(link(name.to_owned(), (nodes.len(), router), &setting.leaving(), &coming()));
            nodes.push(node(name.to_owned(), addresses));
        }
        let network = network(&Topology { seed: setting.seed, nodes, links })?;
        Ok(Stand { staging, network })
    }

    fn helper(&self, place: usize) -> usize {
        self.staging.setting.links.len() + 1 + place
    }

    fn ends(&self) -> (usize, usize) {
        let client = self.helper(self.staging.setting.helpers.len());
        (client, client + 1)
    }

    /// Packets that were lost and that no link was to lose.
    fn missed(&self) -> u64 {
        self.network.unseen().iter().sum::<u64>() + self.network.figures().iter().map(|lane| lane.refused).sum::<u64>()
    }

    /// Packets that links have lost as they are to.
    fn lost(&self) -> u64 {
        self.network.figures().iter().map(|lane| lane.stats.dropped_for(DropCause::Loss)).sum()
    }

    fn run(&self, limit: Duration, act: &mut dyn Act) -> Result<Ran, RunError> {
        let Staging { setting, way, addresses, anywhere } = self.staging;
        let (party, (from, to)) = (&setting.parties[0], self.ends());
        let amount = party.bytes.map_or(Amount::Forever, Amount::Bytes);
        let transfer = |controller: Option<&str>| Transfer {
            from,
            to,
            controller: controller.map(str::to_owned),
            start: party.start,
            amount,
        };
        let (watch, mut daemons, mut sockets, mut proxies) =
            (hosts::Watch::default(), Vec::new(), Vec::new(), Vec::new());
        let ready = match (way, &party.speaks) {
            (Way::Kernel(controller), _) => Real::KERNEL_TCP.ready(&self.network, vec![transfer(Some(*controller))]),
            (Way::Quic(controller), _) => Real::QUIC.ready(&self.network, vec![transfer(Some(*controller))]),
            (Way::Proxied(controller), _) => {
                let mut onward = SocketAddr::new(at_router(party.between.1, FIRST_HOST + 1), tcp::PORT);
                for place in (0..setting.helpers.len()).rev() {
                    let proxy = Proxy::start(&self.network, self.helper(place), onward, controller).map_err(fault)?;
                    onward = proxy.address();
                    proxies.push(proxy);
                }
                real::proxied(&self.network, transfer(Some(*controller)), onward)
            }
            (Way::Tng, Speaks::Tng { client, server, via, .. }) => {
                if !via.is_empty() {
                    for place in 0..setting.helpers.len() {
                        let text = real::configuration(&setting.helper_config(place)).map_err(fault)?;
                        daemons.push(Daemon::start(&self.network, self.helper(place), &text).map_err(fault)?);
                    }
                }
                let helpers: Vec<_> = via.iter().map(|place| daemons[*place].target()).collect();
                let runtime = hosts::runtime().map_err(fault)?;
                let seat = |node, config: &tng_stack::HostConfig| {
                    let socket = match *anywhere && node == from {
                        true => hosts::socket_anywhere(&self.network, &runtime, node)?,
                        false => hosts::socket(&self.network, &runtime, node, 0)?,
                    };
                    Ok::<_, RealError>(hosts::Seat { config: config.clone(), node, socket })
                };
                let seats = [seat(from, client).map_err(fault)?, seat(to, server).map_err(fault)?];
                // Where one is at all addresses there is no room for others.
                for place in (1..=addresses.len()).filter(|_| !anywhere) {
                    sockets.push(hosts::socket(&self.network, &runtime, from, place).map_err(fault)?);
                }
                hosts::helped(runtime, transfer(None), seats, &helpers, &watch)
            }
            (Way::Tng, Speaks::Tcp { .. }) => return Err(RunError::broken("the party speaks TCP")),
        };
        let (rows, span) = (vec![(vec![0], ready.map_err(fault)?)], RunSpan { limit, interval: setting.step });
        let ended = AtomicBool::new(false);
        let mut looks = Looks::default();
        let network = &self.network;
        let figures = std::thread::scope(|scope| {
            let looking = |origin: Origin| {
                let (ended, watch, looks, daemons, sockets) = (&ended, &watch, &mut looks, &mut daemons, &sockets);
                scope.spawn(move || {
                    while !ended.load(Ordering::Relaxed) {
                        let over = watch.look();
                        let helped = looks.look(over.as_ref().map(|(_, connection)| connection));
                        act.act(Moment { at: origin.elapsed(), network, daemons, over, helped, sockets, client: from });
                        origin.rest_until(origin.elapsed() + LOOK);
                    }
                })
            };
            let ran = real::run_ready(network, rows, span, looking);
            ended.store(true, Ordering::Relaxed);
            let (_, figures, looking) = ran.map_err(fault)?;
            looking.join().map_err(|_| RunError::broken("what acts on the run panicked"))?;
            Ok::<_, RunError>(figures)
        })?;
        let figures = figures.into_iter().next().ok_or_else(|| RunError::broken("no figures"))?;
        if let Some(why) = &figures.failure {
            return Err(RunError::broken(format_args!("{}: {why}", party.name)));
        }
        let step_s = setting.step.as_secs_f64();
        let curve = Curve { name: party.name.clone(), step_s, bytes: figures.bytes_per_interval.clone() };
        let mut lanes = network.figures();
        lanes.truncate(2 * setting.links.len());
        let status = daemons.iter().map(|daemon| daemon.status().unwrap_or_default()).collect();
        let helped_percent = looks.helped_percent();
        Ok(Ran { figures, curve, helped_percent, paths: looks.paths, lanes, status, disturbed: 0 })
    }
}

/// What was seen of a connection.
#[derive(Default)]
struct Looks {
    helped: u64,
    all: u64,
    paths: Vec<PathStats>,
}

impl Looks {
    fn look(&mut self, connection: Option<&Connection>) -> Option<bool> {
        let connection = connection?;
        let helped = connection.path().map(|path| matches!(path, PathTaken::Helped { .. }));
        if let Some(helped) = helped {
            self.all += 1;
            self.helped += u64::from(helped);
        }
        let paths = connection.paths();
        if !paths.is_empty() {
            self.paths = paths;
        }
        helped
    }

    fn helped_percent(&self) -> f64 {
        100.0 * self.helped as f64 / self.all as f64
    }
}

/// By whose fault there is no outcome.
pub(crate) fn fault(error: RealError) -> RunError {
    match error {
        RealError::Program(why) => {
            let (problem, remedy) =
                why.split_once("; ").unwrap_or((&why, "again, on a machine that does nothing else"));
            RunError::Environment { problem: problem.to_owned(), remedy: remedy.to_owned() }
        }
        error => RunError::broken(error),
    }
}
