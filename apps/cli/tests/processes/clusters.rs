//! Registries and servers without state that share a cluster of etcd, whose members are killed. Where there is no etcd
//! the tests say so and check nothing; with `TNG_NEED_ETCD` set they fail instead.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tng::registry::{Registering, Registration, RegistryTarget};
use tng::{Access, Endpoint, Identity};
use tng_base::{Eid, Rng};
use tng_cli::etcd::members::Members;

use crate::bench::{Bench, Ended, Serving, free_port, rest, same, wait};

/// How often something is killed: what `TNG_SEEDS` says, else as often as takes no long time.
fn kills() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(6)
}

/// Registries over one cluster, each with a key, a port and a socket of its own.
struct Registries {
    bench: Bench,
    store: String,
    ports: Vec<u16>,
    running: Vec<Option<Serving>>,
}

impl Registries {
    fn new(count: usize, store: String) -> Registries {
        let ports = (0..count).map(|_| free_port()).collect();
        let mut registries = Registries { bench: Bench::new(), store, ports, running: Vec::new() };
        registries.running.resize_with(count, || None);
        (0..count).for_each(|which| registries.run(which));
        registries
    }

    fn run(&mut self, which: usize) {
        let bind = format!("127.0.0.1:{}", self.ports[which]);
        let (key, control) = (format!("registry{which}.key"), self.control(which));
        let mut args = vec!["registry", "run", "--bind", &bind, "--address", &bind, "--control", &control, "--json"];
        // Many hosts of this test are at one address.
        args.extend(["--per-address", "10000", "--per-host", "1000"]);
        self.store.split(' ').for_each(|store| args.extend(["--store", store]));
        self.running[which] = Some(self.bench.run(self.bench.tng(&key, &args)));
    }

    fn control(&self, which: usize) -> String {
        format!("{which}.sock")
    }

    fn kill(&mut self, which: usize) {
        self.running[which].take().expect("it runs").kill();
    }

    fn target(&self, which: usize) -> RegistryTarget {
        let ticket = &self.running[which].as_ref().expect("it runs").ticket;
        (&ticket.parse::<tng::Ticket>().expect("a ticket")).into()
    }

    fn status(&self, which: usize) -> Value {
        let args = ["registry", "status", "--control", &self.control(which), "--json"];
        let asked = Ended(self.bench.tng("unused", &args).output().expect("it runs")).expect(0);
        serde_json::from_slice(&asked.0.stdout).expect("JSON")
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

async fn endpoint(n: u8) -> Endpoint {
    let builder = Endpoint::builder().identity(Identity::from_seed([n; 32])).access(Access::Public);
    builder.bind("127.0.0.1:0".parse().expect("an address")).build().await.expect("bound")
}

/// A host that stays registered at all of them.
async fn host(n: u8, at: &[RegistryTarget]) -> (Eid, Endpoint, Vec<Registration>) {
    let host = endpoint(n).await;
    let mut stays = Vec::new();
    for target in at {
        stays.push(host.register(target, Registering::default()).await.expect("registered"));
    }
    (host.eid(), host, stays)
}

/// Looks hosts up until told to end; each time two registries are named, another first. Answers how often, the longest
/// time, and whom it did not find.
async fn look_up_until(
    ended: tokio::sync::watch::Receiver<bool>,
    at: Vec<RegistryTarget>,
    hosts: Vec<Eid>,
    n: u8,
) -> (u64, Duration, Vec<String>) {
    let which = usize::from(n) % at.len();
    let two = [at[which].clone(), at[(which + 1) % at.len()].clone()];
    let [first, second] = two;
    let builder = Endpoint::builder().identity(Identity::from_seed([n; 32])).registry(first).registry(second);
    let client = builder.bind("127.0.0.1:0".parse().expect("an address")).build().await.expect("bound");
    let (mut count, mut longest, mut missed) = (0, Duration::ZERO, Vec::new());
    while !*ended.borrow() {
        for eid in &hosts {
            let began = now();
            match client.look_up(*eid).await {
                Ok(_) => longest = longest.max(began.elapsed()),
                Err(error) => missed.push(format!("after {count} of client {n}: {error}")),
            }
            count += 1;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (count, longest, missed)
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn now() -> Instant {
    Instant::now()
}

/// `TNG_SEEDS=100 cargo test --workspace --test processes while_members -- --nocapture` kills as often as is claimed.
#[test]
fn each_look_up_is_answered_at_the_second_registry_at_the_latest_while_members_and_registries_are_killed() {
    let Some(mut members) = Members::start(3) else { return };
    let mut registries = Registries::new(3, members.place("tng"));
    let at: Vec<RegistryTarget> = (0..3).map(|which| registries.target(which)).collect();
    let runtime = runtime();
    let _entered = runtime.enter();
    let hosts = runtime.block_on(async {
        let mut hosts = Vec::new();
        for n in 1..=4 {
            hosts.push(host(n, &at).await);
        }
        hosts
    });
    let eids: Vec<Eid> = hosts.iter().map(|(eid, ..)| *eid).collect();
    let (end, ended) = tokio::sync::watch::channel(false);
    let clients: Vec<_> =
        (0..3).map(|n| tokio::spawn(look_up_until(ended.clone(), at.clone(), eids.clone(), 100 + n))).collect();
    let mut rng = Rng::from_u64(kills());
    let mut draw = || rng.below(3) as usize;
    for _ in 0..kills() {
        let (member, registry) = (draw(), draw());
        members.kill(member);
        registries.kill(registry);
        rest(500);
        members.restart(member);
        registries.run(registry);
        rest(1_500);
    }
    end.send(true).expect("somebody listens");
    let (mut count, mut longest, mut missed) = (0, Duration::ZERO, Vec::new());
    for client in clients {
        let (looked, most, not) = runtime.block_on(client).expect("no panic");
        (count, longest) = (count + looked, longest.max(most));
        missed.extend(not);
    }
    println!("{} kills of each: {count} look-ups, {} missed, the longest took {longest:?}", kills(), missed.len());
    assert!(count > kills() * 4, "control: {count}");
    assert_eq!(missed, Vec::<String>::new());
    // All are registered still, at all of them.
    wait("all to be registered", || hosts.iter().all(|(.., stays)| stays.iter().all(|stay| stay.observed().is_some())));
    drop(hosts);
}

#[test]
fn registries_go_on_without_etcd_say_so_and_find_it_again() {
    let Some(mut members) = Members::start(1) else { return };
    let mut registries = Registries::new(2, members.place("tng"));
    let (runtime, at) = (runtime(), [registries.target(0), registries.target(1)]);
    let _entered = runtime.enter();
    let (eid, _host, _stays) = runtime.block_on(host(1, &at[..1]));
    let look_up = |which: usize, eid: Eid| {
        let at = at[which].clone();
        runtime.block_on(async move {
            let client = Endpoint::builder().registry(at).build().await.expect("bound");
            client.look_up(eid).await.map(|found| found.attended.map(|attended| attended.registry))
        })
    };
    // The other hears of it, and says who attends to it.
    wait("the other to hear", || look_up(1, eid).is_ok());
    assert_eq!(look_up(1, eid).expect("it is there"), Some(at[0].eid));
    members.kill(0);
    wait("it to be said", || registries.status(1)["store_failure"].is_string());
    assert!(registries.status(1)["store_failure"].as_str().is_some_and(|why| why.contains("etcd does not answer")));
    for which in [0, 1] {
        assert_eq!(look_up(which, eid).expect("from memory"), Some(at[0].eid));
    }
    members.restart(0);
    wait("etcd to be found", || (0..2).all(|which| registries.status(which)["store_failure"].is_null()));
    let (later, _later, _stays) = runtime.block_on(host(2, &at[1..]));
    wait("the first to hear", || look_up(0, later).is_ok());
    // What it said to programs meanwhile.
    let said = registries.running[1].take().expect("it runs").end("TERM");
    let told: Vec<&str> = said.iter().filter_map(|event| event["event"].as_str()).collect();
    assert!(told.starts_with(&["store_silent", "store_answers"]), "{told:?}");
}

#[test]
fn clusters_that_are_named_one_by_one_share_the_hosts() {
    let (Some(one), Some(two)) = (Members::start(1), Members::start(1)) else { return };
    let registries = Registries::new(2, format!("{} {}", one.place("tng"), two.place("tng")));
    let (runtime, at) = (runtime(), [registries.target(0), registries.target(1)]);
    let _entered = runtime.enter();
    let hosts: Vec<_> = (1..=12).map(|n| runtime.block_on(host(n, &at[..1]))).collect();
    let other = runtime.block_on(async { Endpoint::builder().registry(at[1].clone()).build().await.expect("bound") });
    for (eid, ..) in &hosts {
        wait("the other to hear", || runtime.block_on(other.look_up(*eid)).is_ok());
    }
    let kept = |members: &Members| {
        let etcd = tng_cli::etcd::Etcd::new(&members.clients());
        let page = runtime.block_on(etcd.page((b"tng/hosts/", b"tng/hosts0"), 0)).expect("it answers");
        page.found.len()
    };
    let counts = [kept(&one), kept(&two)];
    assert!(counts[0] + counts[1] == 12 && counts.iter().all(|count| *count > 0), "{counts:?}");
    assert_eq!(registries.status(0)["store"], registries.store.as_str());
}

const LARGE: usize = 20_000_000;

fn keys(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("server.key", &[&["trickles", "keys"], args].concat()).output().expect("it runs"))
}

fn fleet(bench: &Bench, control: &str) -> Value {
    let asked = bench.tng("unused", &["--json", "trickles", "status", "--control", control]).output().expect("it runs");
    let status: Value = serde_json::from_slice(&Ended(asked).expect(0).0.stdout).expect("JSON");
    status["fleet"].clone()
}

fn server(bench: &Bench, place: &str, control: &str) -> Command {
    let bind = format!("127.0.0.1:{}", free_port());
    let args = ["trickles", "serve", "tree", "--public", "--json", "--keys", place, "--control", control];
    bench.tng("server.key", &[&args[..], &["--bind", &bind]].concat())
}

#[test]
fn a_rotation_in_etcd_reaches_every_replica_and_without_etcd_they_go_on_with_what_they_have_and_say_so() {
    let Some(mut members) = Members::start(1) else { return };
    let (bench, place) = (Bench::new(), members.place("fleets/photos"));
    let large = bench.write("tree/large", LARGE, 1);
    let missing = keys(&bench, &["show", &place]).expect(26);
    assert!(missing.stderr().contains("there are none"), "{}", missing.stderr());
    keys(&bench, &["new", &place]).expect(0);
    let again = keys(&bench, &["new", &place]);
    assert!(again.code() != Some(0) && again.stderr().contains("there already"), "{}", again.stderr());
    let replicas = ["one.sock", "two.sock"].map(|control| (bench.run(server(&bench, &place, control)), control));
    let rotations = |count: u64| {
        wait("a rotation to reach all", || {
            replicas.iter().all(|(_, control)| fleet(&bench, control)["rotations"] == count)
        });
    };
    rotations(0);
    let rotated = keys(&bench, &["rotate", &place]).expect(0);
    assert!(rotated.stderr().contains("take it up by themselves"), "{}", rotated.stderr());
    // Ten minutes and more before it holds.
    rotations(1);
    members.kill(0);
    let failed = |is_so: bool| {
        wait("it to be said", || {
            replicas.iter().all(|(_, control)| fleet(&bench, control)["error"].is_string() == is_so)
        });
    };
    failed(true);
    let addresses = replicas.each_ref().map(|(server, _)| server.address.clone()).join(",");
    let url = format!("tng://{}@{addresses}/large", replicas[0].0.eid);
    let got = bench.tng("client.key", &["trickles", "get", "--pick", "spray", "-o", "copy", &url]).output();
    Ended(got.expect("it runs")).expect(0);
    assert!(same(&large, &bench.path("copy")));
    let down = keys(&bench, &["rotate", &place]).expect(26);
    assert!(down.stderr().contains("etcd does not answer"), "{}", down.stderr());
    members.restart(0);
    failed(false);
    keys(&bench, &["rotate", "--at-once", &place]).expect(0);
    rotations(2);
    // A replica that begins later takes what there is.
    let third = bench.run(server(&bench, &place, "three.sock"));
    assert_eq!(third.said["rotations"], 2);
}
