//! A registry whose hosts come and go for long.

use core::cell::{Cell, RefCell};
use core::time::Duration;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};
use tng::registry::{Registering, RegistryTarget};
use tng::{Access, Endpoint, Identity, Request, UdpSocket};
use tng_base::{Eid, Rng};
use tng_emulator::transfer::Origin;
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_sim::{Link, topology};
use tokio::time;

use super::crowd::{FAILED, causes};
use super::memory::{Memory, SAMPLE};
use super::relay::settled_from;
use crate::lab::causes::Causes;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;
use crate::peers::transport::tell;
use crate::peers::trial::network;
use crate::real::visitor::inside;
use crate::real::{Daemon, used};
use crate::settings::{Configured, Settings};

/// A registry for long.
pub static REGISTRY: Experiment = Experiment {
    name: "soak/registry",
    title: "A registry whose hosts come and go",
    source: "ours",
    claim: "a registry that runs for long needs no more memory than at first, whoever registers, moves, asks, leaves \
            or vanishes, and every host that is there is found",
    about: "Hosts and `tng registry run`, each in a network namespace of its own: the registry is a process of the \
            tool, the hosts are endpoints of the lab's. So many at once register and renew. Every now and then each \
            moves to another of its addresses, finds another one by its EID and asks it something, has itself \
            introduced to one, or watches one. Each stays for some time, then leaves; one in five vanishes and says \
            nothing; another one, with a key of its own, comes for each that has gone. The registry's memory is looked \
            at every second; the first third does not count, nor what comes before a host that has vanished is \
            forgotten for the first time. For two hours: tng lab run soak/registry --real --set time=2h.",
    params: &[
        Param::span("time", "180s", "hosts come"),
        Param::count("hosts", "40", (2, 1_000), "at once"),
        Param::span("stay", "12s", "for which a host stays, in the mean"),
        Param::time("pause", "400ms", "between two things that a host does, in the mean"),
        Param::span("lease", "10s", "that hosts ask for"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Nodes.
const ROUTER: usize = 0;
const OF_REGISTRY: usize = 1;
const OF_HOSTS: usize = 2;
/// Addresses among which hosts move.
const ADDRESSES: u16 = 4;
/// One host in so many vanishes.
const VANISHES_ONE_IN: u64 = 5;
/// A host comes again so long after it could not.
const AGAIN_AFTER: Duration = Duration::from_millis(100);
/// How long a host is watched.
const WATCHED_FOR: Duration = Duration::from_millis(500);
/// What is asked of a host, and answered.
const WORD: &str = "there?";
const SOME: Goal = Goal::AtLeast(1.0);
/// What a registry counts of requests, as its status has it.
const ASKED: [&str; 5] = ["registrations", "found", "absent", "hidden", "introductions"];

/// The registry on a link of its own, and all hosts on another.
struct Star {
    seed: u64,
    link: Link,
}

impl Configured for Star {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "each node to the router, both ways", &self.link);
        settings.set(
            "processes",
            "kind",
            "the tool, with default settings; the registry keeps what it knows in memory",
        );
    }
}

fn stand(context: &Context<'_>) -> Result<Network, RunError> {
    let link = Link::new().rate(100_000_000).delay(Duration::from_millis(2));
    let Star { seed, link } = context.world(Star { seed: context.seed, link });
    let node = |name: &str, addresses: Vec<IpAddr>| TopologyNode { name: name.to_owned(), addresses, nat: None };
    let spoke = |name: &str, b: usize| TopologyLink {
        name: format!("to-{name}"),
        a: ROUTER,
        b,
        forth: link.clone(),
        back: link.clone(),
    };
    let hosts = (0..ADDRESSES).map(|number| topology::ipv4(0x100 + number)).collect();
    let nodes = vec![node("router", Vec::new()), node("registry", vec![topology::ipv4(1)]), node("hosts", hosts)];
    network(&Topology { seed, nodes, links: vec![spoke("registry", OF_REGISTRY), spoke("hosts", OF_HOSTS)] })
}

/// What hosts have done.
#[derive(Debug, Default)]
struct Doings {
    came: Cell<u64>,
    vanished: Cell<u64>,
    moved: Cell<u64>,
    found: Cell<u64>,
    introduced: Cell<u64>,
    watched: Cell<u64>,
    failed: RefCell<Causes>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

/// Everything that hosts share.
struct World {
    registry: RegistryTarget,
    addresses: Vec<IpAddr>,
    stay: Duration,
    pause: Duration,
    lease: Duration,
    /// Who is there and has not moved since it was seen.
    there: RefCell<BTreeMap<Eid, u64>>,
    doings: Doings,
}

/// A time around a mean: between nothing and twice that.
fn around(mean: Duration, rng: &mut Rng) -> Duration {
    Duration::from_micros(rng.below(2 * mean.as_micros() as u64 + 1))
}

impl World {
    fn socket(&self, rng: &mut Rng) -> Result<Arc<UdpSocket>, String> {
        let address = self.addresses[rng.below(self.addresses.len() as u64) as usize];
        UdpSocket::bind(SocketAddr::new(address, 0)).map(Arc::new).map_err(|error| error.to_string())
    }

    /// Another host that is there, and how often it has moved.
    fn another(&self, own: Eid, rng: &mut Rng) -> Option<(Eid, u64)> {
        let there = self.there.borrow();
        let others: Vec<_> = there.iter().filter(|(eid, _)| **eid != own).map(|(eid, moves)| (*eid, *moves)).collect();
        others.get(rng.below(others.len().max(1) as u64) as usize).copied()
    }

    /// Whether it was there all the time, at the same place: only then it has to be found.
    fn stayed(&self, (eid, moves): (Eid, u64)) -> bool {
        self.there.borrow().get(&eid) == Some(&moves)
    }

    /// A host comes, does this and that, and goes.
    async fn live(&self, rng: &mut Rng) -> Result<(), String> {
        let seed = tng::random_seed().map_err(|error| error.to_string())?;
        let builder = Endpoint::builder().identity(Identity::from_seed(seed)).access(Access::Public);
        let endpoint = builder.socket(self.socket(rng)?).registry(self.registry.clone()).build().await;
        let endpoint = endpoint.map_err(|error| error.to_string())?;
        endpoint.serve("word", async |request: Request| request.into_body()).map_err(|error| error.to_string())?;
        let what = Registering { lease: Some(self.lease), ..Registering::default() };
        let registration = endpoint.register(&self.registry, what).await.map_err(|error| error.to_string())?;
        count(&self.doings.came);
        let (own, began, stay) = (endpoint.eid(), Origin::now(), around(self.stay, rng));
        self.there.borrow_mut().insert(own, 0);
        while began.elapsed() < stay {
            time::sleep(around(self.pause, rng)).await;
            let another = self.another(own, rng);
            let did = match (rng.below(8), another) {
                (0, _) => self.moves(&endpoint, rng),
                (1..4, Some(another)) => self.find(&endpoint, another).await,
                (4..6, Some(another)) => self.introduce(&endpoint, another).await,
                (_, Some(another)) => self.watch(&endpoint, another).await,
                (_, None) => Ok(()),
            };
            did.unwrap_or_else(|why| self.doings.failed.borrow_mut().note(1, &why));
        }
        self.there.borrow_mut().remove(&own);
        if rng.below(VANISHES_ONE_IN) == 0 {
            // From there nothing gets out.
            let nowhere = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).map_err(|error| error.to_string())?;
            endpoint.rebind_to(Arc::new(nowhere)).map_err(|error| error.to_string())?;
            count(&self.doings.vanished);
        }
        drop(registration);
        endpoint.close().await;
        Ok(())
    }

    fn moves(&self, endpoint: &Endpoint, rng: &mut Rng) -> Result<(), String> {
        self.there.borrow_mut().entry(endpoint.eid()).and_modify(|moves| *moves += 1);
        endpoint.rebind_to(self.socket(rng)?).map_err(|error| error.to_string())?;
        count(&self.doings.moved);
        Ok(())
    }

    /// What failed of a host that has gone or moved meanwhile is no failure.
    fn judged<T, E: core::fmt::Display>(
        &self,
        whom: (Eid, u64),
        what: &str,
        done: Result<T, E>,
    ) -> Result<Option<T>, String> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if self.stayed(whom) => Err(format!("{what}: {error}")),
            Err(_) => Ok(None),
        }
    }

    async fn find(&self, endpoint: &Endpoint, whom: (Eid, u64)) -> Result<(), String> {
        let Some(connection) = self.judged(whom, "connecting", endpoint.connect(whom.0).await)? else { return Ok(()) };
        let answer = self.judged(whom, "asking", connection.request("word", WORD).await)?;
        if answer.is_some_and(|answer| *answer == *WORD.as_bytes()) {
            count(&self.doings.found);
        }
        connection.close(0, "");
        Ok(())
    }

    async fn introduce(&self, endpoint: &Endpoint, whom: (Eid, u64)) -> Result<(), String> {
        let Some(found) = self.judged(whom, "looking up", endpoint.look_up(whom.0).await)? else { return Ok(()) };
        // Who is introduced to many is told of some: that is no failure.
        if endpoint.introduce(&found).await.is_ok() {
            count(&self.doings.introduced);
        }
        Ok(())
    }

    async fn watch(&self, endpoint: &Endpoint, whom: (Eid, u64)) -> Result<(), String> {
        let watching = self.judged(whom, "watching", endpoint.watch(whom.0, None).await)?;
        let Some(mut watching) = watching else { return Ok(()) };
        if let Some(Ok(_)) = time::timeout(WATCHED_FOR, watching.next()).await.unwrap_or_default() {
            count(&self.doings.watched);
        }
        time::sleep(WATCHED_FOR).await;
        Ok(())
    }
}

/// A place that hosts take one after the other.
async fn seat(world: Rc<World>, mut rng: Rng) {
    // Not all at once.
    time::sleep(around(world.stay / 2, &mut rng)).await;
    loop {
        if let Err(why) = world.live(&mut rng).await {
            world.doings.failed.borrow_mut().note(1, &why);
            time::sleep(AGAIN_AFTER).await;
        }
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let network = stand(context)?;
    let registry = Daemon::registry(&network, OF_REGISTRY).map_err(fault)?;
    let watched = registry.pid().ok_or_else(|| RunError::broken("the registry does not run"))?;
    let (lasts, hosts) = (context.time("time"), context.count("hosts"));
    let [stay, pause, lease] = ["stay", "pause", "lease"].map(|name| context.time(name));
    let (target, addresses) = (registry.registry_target(), network.topology().nodes[OF_HOSTS].addresses.clone());
    let seed = context.seed;
    let ran = inside(&network, OF_HOSTS, || async move {
        let (mut rng, origin, mut memory) = (Rng::from_u64(seed), Origin::now(), Vec::new());
        let world = Rc::new(World {
            registry: target,
            addresses,
            stay,
            pause,
            lease,
            there: RefCell::default(),
            doings: Doings::default(),
        });
        for _ in 0..hosts {
            tokio::task::spawn_local(seat(Rc::clone(&world), rng.fork()));
        }
        while origin.elapsed() < lasts {
            memory.extend(used::resident_of(watched).map(|bytes| (origin.elapsed().as_secs_f64(), bytes as f64)));
            time::sleep(SAMPLE.min(lasts / 10)).await;
        }
        let Doings { came, vanished, moved, found, introduced, watched, failed } = &world.doings;
        let doings = [
            ("hosts that came", came),
            ("hosts that vanished", vanished),
            ("moves", moved),
            ("hosts found, which answered", found),
            ("introductions", introduced),
            ("hosts watched", watched),
        ];
        (doings.map(|(name, count)| (name, count.get())), failed.take(), memory)
    });
    let (doings, failed, memory) = ran.map_err(fault)?;
    let (status, worked) = (registry.status().map_err(fault)?, used::processor(&[watched]));
    Ok(told(doings, &failed, &memory, settled_from(lasts), (&status, worked)))
}

fn told(
    doings: [(&str, u64); 6],
    failed: &Causes,
    memory: &[(f64, f64)],
    settled_from: Duration,
    (status, worked): (&Value, Duration),
) -> Outcome {
    let memory = Memory::of("the registry", memory, settled_from);
    let counts = &status["counts"];
    let denied = counts["denied"].as_object().into_iter().flat_map(|by| by.values());
    let asked: u64 = ASKED.iter().map(|key| &counts[*key]).chain(denied).filter_map(Value::as_u64).sum();
    let work_us = worked.as_secs_f64() * 1e6 / asked.max(1) as f64;
    let mut table = Table::new(&["", ""]).titled("Hosts, and memory");
    let doings_rows = doings.iter().map(|(name, count)| (*name, count.to_string()));
    let failures = [("what failed of hosts that were there", failed.count().to_string())];
    let work = [
        ("requests of hosts", asked.to_string()),
        ("the registry's processor time for each, connections and all", format!("{work_us:.0} us")),
    ];
    for (name, value) in doings_rows.chain(failures).chain(work).chain(memory.rows()) {
        table.row(vec![name.to_owned(), value]);
    }
    let mut results = json!({
        "failed": failed.count(), "failed_by_cause": failed.to_json(), "status": status, "work_us": work_us,
    });
    for (name, count) in doings {
        results[name.replace([' ', ','], "_")] = json!(count);
    }
    memory.note(&mut results);
    let outcome = Outcome::new(results).table(table);
    let outcome = if failed.count() > 0 { outcome.table(causes(failed, "hosts")) } else { outcome };
    let outcome = outcome.plot(memory.plot()).check(memory.check()).check(
        Check::new("what failed of hosts that were there", failed.count() as f64, "", FAILED)
            .because(failed.to_string()),
    );
    let some = |outcome: Outcome, (name, count): &(&str, u64)| {
        outcome.check(Check::new(*name, *count as f64, "", SOME).ours())
    };
    doings.iter().fold(outcome, some).note(
        "What hosts do is counted where it has come to an end. Of one that has gone or moved while it was looked for, \
         nothing is said. Connections of hosts that vanished stay with the registry until they are found silent.",
    )
}
