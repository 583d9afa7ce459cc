//! Hosts in virtual time between which transports travel: what one offers and the other lacks is asked for, goes there
//! by the service `code` beside what the connection is for, is compiled, and runs from the next connection on (STP
//! 3.3.1, 5.4; docs/stp.md, "Shipping").
//!
//! * [`Town`]: a world of such hosts, two on a line or any number around a router.
//! * [`Courier`]: what an application there does: it makes [`Visit`]s, and serves those of others.
//! * [`Visited`]: what came of one.

mod serving;
mod visit;

use core::cell::RefCell;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tng_base::{CodeHash, Eid, Instant};
use tng_crypto::{Secret32, code_hash};
use tng_services::code::{self, Code, Declined, FetchError, Offer, Shelf};
use tng_sim::topology::{ipv4, ipv6};
use tng_sim::{App, LaneId, Link, MachineNode, NodeId, PORT, World, fork};
use tng_stack::structured::{Priority, ServiceOptions, StreamEvent};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};
use tng_stp_host::{Quotas, Workshop};

use crate::peers::guests::modules;
use crate::peers::guests::quotas;
use crate::peers::guests::repertoire::{Acceptance, Repertoire};
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

use serving::Serving;
use visit::Underway;
pub use visit::{Visit, Visited};

/// A service that sends as many bytes as are asked for.
pub const FILES: (&str, &str) = ("files", "test/1");
/// Bytes of a manifest: as many as one of a signature has, about.
const MANIFEST_BYTES: usize = 300;

/// How the hosts of a town are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Two of them, on one link.
    Line,
    /// Each by a link of its own to a router.
    Star,
}

/// A host of a town.
#[derive(Clone, Debug)]
pub struct Resident {
    /// What it lets run.
    pub accepts: Acceptance,
    /// Modules that it has from the beginning.
    pub has: Vec<Arc<[u8]>>,
    /// What it would rather run than what it is offered. Code that comes it would, too.
    pub prefers: Option<CodeHash>,
}

/// A world of hosts between which code travels.
#[derive(Clone, Debug)]
pub struct Town {
    /// Decides every lot.
    pub seed: u64,
    /// How they are joined.
    pub ground: Ground,
    /// Each link, both ways.
    pub link: Link,
    /// What compiling a module takes, one at a time, beside everything else.
    pub compiling: Duration,
    /// Who is there.
    pub residents: Vec<Resident>,
}

impl Configured for Town {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "each link, both ways", &self.link);
        settings.set("each link, both ways", "joins", format_args!("{:?}", self.ground));
        tell::host(settings, "hosts", &HostConfig::new(Access::Public));
        settings.set("hosts", "how many", self.residents.len());
        settings.set("hosts", "compile a module in", format_args!("{:?}", self.compiling));
        settings.configure("transports, as modules", "guest", &[], &quotas(), &Quotas::default());
    }
}

/// A town that stands.
pub struct Standing {
    /// Its world.
    pub world: World<MachineNode<Host, Courier>>,
    /// Its hosts.
    pub hosts: Vec<NodeId>,
    /// Where each is found.
    pub targets: Vec<Target>,
    /// By which packets leave hosts.
    lanes: Vec<LaneId>,
}

impl Town {
    /// Makes it stand.
    pub fn stand(&self) -> Standing {
        let mut world = World::new(self.seed);
        let (mut hosts, mut targets) = (Vec::new(), Vec::new());
        for (number, resident) in (0..).zip(&self.residents) {
            let mut rng = fork(self.seed, u64::from(number));
            let identity = Identity::from_seed(rng.bytes::<32>());
            let address = (ipv4(number), PORT).into();
            targets.push(Target { eid: identity.eid(), addresses: vec![address], capability: None, via: Vec::new() });
            let mut workshop = Workshop::new(&Secret32::from_bytes(rng.bytes()), rng.bytes());
            workshop.quotas = quotas();
            let repertoire = Arc::new(Repertoire::new(resident.accepts.clone(), workshop));
            let mut host = Host::new(HostConfig::new(Access::Public), identity, rng.bytes::<32>());
            host.set_transports(Arc::clone(&repertoire) as _);
            host.listen(code::SERVICE, code::PROTOCOL, ServiceOptions::default());
            host.listen(FILES.0, FILES.1, ServiceOptions::default());
            resident.prefers.into_iter().for_each(|hash| repertoire.prefer(hash));
            let courier = Courier::new(repertoire, &resident.has, self.compiling);
            let node = MachineNode::new(host, courier);
            hosts.push(world.host(&format!("host-{number}"), &[ipv4(number), ipv6(number)], node));
        }
        let lanes = match self.ground {
            Ground::Line => {
                let link = world.connect(hosts[0], hosts[1], &self.link);
                vec![link.forth(), link.back()]
            }
            Ground::Star => {
                let router = world.router("router");
                hosts.iter().map(|host| world.connect(*host, router, &self.link).forth()).collect()
            }
        };
        Standing { world, hosts, targets, lanes }
    }
}

impl Standing {
    /// Bytes that hosts have sent, heads of packets included.
    pub fn bytes_sent(&self) -> u64 {
        self.lanes.iter().map(|lane| self.world.stats(*lane).offered_bytes).sum()
    }

    /// The application of a host.
    pub fn courier(&self, host: usize) -> &Courier {
        &self.world.node(self.hosts[host]).app
    }

    /// The same, to change.
    pub fn courier_mut(&mut self, host: usize) -> &mut Courier {
        &mut self.world.node_mut(self.hosts[host]).app
    }
}

/// The modules of a host, as peers may have and bring them.
struct Kept {
    repertoire: Arc<Repertoire>,
    modules: RefCell<BTreeMap<CodeHash, Arc<[u8]>>>,
    /// What a peer has brought, until it is looked at.
    arrived: RefCell<Vec<Code>>,
}

impl Shelf for Kept {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.modules.borrow().get(&hash).cloned()
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        Some(vec![1; MANIFEST_BYTES])
    }

    fn wants(&self, _: Eid, hash: CodeHash, _: &Offer) -> Result<(), Declined> {
        match self.repertoire.accepts().allows(&hash) {
            false => Err(Declined::NotAllowed),
            true if self.modules.borrow().contains_key(&hash) => Err(Declined::NotWanted),
            true => Ok(()),
        }
    }

    fn take(&self, _: Eid, code: Code) -> Result<(), Declined> {
        self.arrived.borrow_mut().push(code);
        Ok(())
    }
}

/// What a host's transports have cost it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spent {
    /// Modules that it has compiled.
    pub compiled: u64,
    /// Fuel of its guests, about an instruction each, and their calls.
    pub fuel: u64,
    /// The same.
    pub calls: u64,
}

impl Spent {
    /// With what another host has.
    #[must_use]
    pub fn plus(self, other: Spent) -> Spent {
        Spent {
            compiled: self.compiled + other.compiled,
            fuel: self.fuel + other.fuel,
            calls: self.calls + other.calls,
        }
    }
}

/// What came of code that was asked for, and when.
pub type Came = (Instant, Result<Code, FetchError>);

/// The application of a host in a town.
pub struct Courier {
    repertoire: Arc<Repertoire>,
    kept: Kept,
    serving: Serving,
    /// Of the streams that code goes by, at this end.
    pub priority: Priority,
    compiling: Duration,
    /// What is compiled, and when it is ready.
    bench: VecDeque<(Instant, CodeHash)>,
    planned: VecDeque<Visit>,
    underway: BTreeMap<ConnectionId, Underway>,
    /// What came of its visits so far, in the order in which they began.
    pub visits: Vec<Visited>,
    /// Code that came and can run, and since when.
    pub ready: Vec<(CodeHash, Instant)>,
    /// What came of the code that was asked for by a visit of its own.
    pub came: Option<Came>,
    /// What guests have cost.
    pub spent: Spent,
}

impl Courier {
    fn new(repertoire: Arc<Repertoire>, has: &[Arc<[u8]>], compiling: Duration) -> Courier {
        let mut modules = BTreeMap::new();
        for module in has {
            let hash = code_hash(module);
            if let Ok(code) = modules::compiled(module, &hash.short()) {
                repertoire.add(hash, code);
            }
            modules.insert(hash, Arc::clone(module));
        }
        let arrived = RefCell::default();
        let kept = Kept { repertoire: Arc::clone(&repertoire), modules: RefCell::new(modules), arrived };
        Courier {
            repertoire,
            kept,
            serving: Serving::default(),
            priority: code::PRIORITY,
            compiling,
            bench: VecDeque::new(),
            planned: VecDeque::new(),
            underway: BTreeMap::new(),
            visits: Vec::new(),
            ready: Vec::new(),
            came: None,
            spent: Spent::default(),
        }
    }

    /// Has it make another visit, which begins no earlier than those that it was told of before.
    pub fn plan(&mut self, visit: Visit) {
        self.planned.push_back(visit);
    }

    /// Whether a transport can run here.
    pub fn has(&self, hash: &CodeHash) -> bool {
        self.repertoire.has(hash)
    }

    /// What has come of code that a visit asks for, and is not whole yet.
    pub fn fetching(&mut self) -> Option<code::Fetch> {
        self.underway.values_mut().find_map(Underway::take_fetch)
    }

    /// Takes code that has come: it is compiled, in its turn.
    fn take(&mut self, now: Instant, code: Code) {
        self.kept.modules.borrow_mut().insert(code.hash, code.module.into());
        let begins = self.bench.back().map_or(now, |(until, _)| now.max(*until));
        self.bench.push_back((begins + self.compiling, code.hash));
    }

    /// What was compiled can run.
    fn put_to_use(&mut self, now: Instant) {
        while let Some((_, hash)) = self.bench.pop_front_if(|(at, _)| *at <= now) {
            let Some(module) = self.kept.module(hash) else { continue };
            self.spent.compiled += 1;
            if let Ok(code) = modules::compiled(&module, &hash.short()) {
                self.repertoire.add(hash, code);
                self.repertoire.prefer(hash);
                self.ready.push((hash, now));
            }
        }
    }

    fn take_arrived(&mut self, now: Instant) {
        let arrived = core::mem::take(&mut *self.kept.arrived.borrow_mut());
        arrived.into_iter().for_each(|code| self.take(now, code));
    }
}

impl App<Host> for Courier {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        if self.underway.contains_key(&connection) {
            self.go_on(now, host, connection, event.kind);
            return;
        }
        match event.kind {
            EventKind::Accepted { .. } | EventKind::Notice => self.serving.speak(host, connection, &mut self.spent),
            EventKind::Stream(StreamEvent::Incoming) => {
                self.serving.accept(now, host, connection, (&self.kept, self.priority));
            }
            EventKind::Stream(StreamEvent::Readable(id) | StreamEvent::Writable(id)) => {
                self.serving.advance(now, host, (connection, id), (&self.kept, self.priority));
            }
            EventKind::Closed(_) => self.serving.forget(connection),
            _ => {}
        }
        self.take_arrived(now);
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        self.put_to_use(now);
        while let Some(visit) = self.planned.pop_front_if(|visit| visit.at <= now) {
            self.begin(now, host, visit);
        }
        let asking: Vec<ConnectionId> = self
            .underway
            .iter()
            .filter(|(_, it)| it.asks_at().is_some_and(|at| at <= now))
            .map(|(id, _)| *id)
            .collect();
        asking.into_iter().for_each(|id| self.advance(now, host, id));
        let next = self.underway.values().filter_map(Underway::asks_at).filter(|at| *at > now).min();
        let next = [next, self.bench.front().map(|(at, _)| *at), self.planned.front().map(|visit| visit.at)];
        next.into_iter().flatten().min()
    }
}
