//! A registry with many hosts: renewals by some of them, and look-ups beside, over each store.
//!
//! The registry is a process of its own on one processor, the hosts and who looks them up another. All hosts are put
//! into the store beforehand; those that renew have connections.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use serde_json::{Value, json};
use tng::registry::{DeskConfig, Policy, Put, Record, RegistryTarget, Statement, Word};
use tng::{Access, Endpoint, Identity, Ticket};
use tng_base::Eid;
use tng_cli::etcd::members::Members;
use tng_cli::registry::store::StorePlace;
use tng_cli::talk::Talk;
use tng_services::registry::{Answer, Ask, Entry, PROTOCOL, SERVICE};
use tng_wire::{Reader, Repr};
use tokio::task::JoinSet;

use crate::Failure;
use crate::process::{Usage, cpus, files_max, pin};

/// Hosts that are put into the store at the same time.
const PUT_AT_ONCE: usize = 1_024;
/// How long the hosts of the store are there.
const STAY: Duration = Duration::from_secs(3_600);
/// Members of a cluster of etcd.
const MEMBERS: usize = 3;

/// What is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Asked {
    /// Where the registry keeps hosts
    #[arg(long = "store", value_enum, value_delimiter = ',', default_value = "memory,file,etcd")]
    stores: Vec<Kind>,
    /// Hosts in the store
    #[arg(long, default_value_t = 100_000)]
    hosts: u64,
    /// Renewals in a second
    #[arg(long, default_value_t = 1_000)]
    renewals: u64,
    /// Look-ups in a second, of any of the hosts
    #[arg(long, default_value_t = 1_000)]
    lookups: u64,
    /// Hosts that renew, each with a connection
    #[arg(long, default_value_t = 250)]
    connections: u64,
    /// How long, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

/// A store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// The registry's memory.
    Memory,
    /// A file.
    File,
    /// Three members of etcd on this machine.
    Etcd,
}

fn host(n: u64) -> Identity {
    let mut seed = [0x5a; 32];
    seed[..8].copy_from_slice(&n.to_le_bytes());
    Identity::from_seed(seed)
}

fn unix() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

fn statement(n: u64, number: u64) -> Statement {
    let addresses = vec![([203, 0, 113, n as u8], 4_860).into()];
    Statement::new(&host(n), Word::Here(Record { number, expires_s: (unix() + STAY).as_secs(), addresses }))
}

/// The registry: puts all hosts into its store, prints a ticket and how long that took, and serves until it is killed.
///
/// # Errors
/// If it cannot.
pub fn serve(store: &StorePlace, hosts: u64, cpu: Option<usize>) -> Result<(), Failure> {
    if let Some(cpu) = cpu {
        pin(cpu)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        // All are of one network, which has no more of the room than is left.
        let hosts_max = hosts as usize * 2 + 10_000;
        let kept = store.open(hosts_max, unix().as_millis() as u64, Talk::default()).map_err(|f| f.to_string())?;
        let began = Instant::now();
        let mut puts = JoinSet::new();
        for n in 0..hosts {
            let kept = Arc::clone(&kept);
            puts.spawn(async move {
                let now_ms = unix().as_millis() as u64;
                let until_ms = now_ms + STAY.as_millis() as u64;
                let entry = Entry { statement: statement(n, 1), policy: Policy::Public, attended: None, until_ms };
                // etcd has no leader for a moment when it begins.
                loop {
                    match kept.put(now_ms, entry.clone()).await {
                        Ok(Put::New | Put::Renewed) => return,
                        Ok(put) => panic!("{put:?}"),
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
            });
            while puts.len() >= PUT_AT_ONCE {
                puts.join_next().await;
            }
        }
        while puts.join_next().await.is_some() {}
        let put_s = began.elapsed().as_secs_f64();
        let address = "127.0.0.1:0".parse().map_err(|_| "no loopback")?;
        let builder = Endpoint::builder().bind(address).access(Access::Public);
        let endpoint = builder.configure(|config| config.connections_max = 20_000).build().await?;
        // All that asks is at one address.
        let desk = DeskConfig {
            per_peer_s: 100_000,
            per_peer_burst: 100_000,
            per_network_s: 1_000_000,
            per_network_burst: 1_000_000,
            ..DeskConfig::default()
        };
        endpoint.serve_registry(desk, &[endpoint.local_addr()], kept)?;
        println!("{}", json!({ "ticket": endpoint.ticket()?.to_string(), "put_s": put_s }));
        std::io::stdout().flush()?;
        core::future::pending::<()>().await;
        Ok(())
    })
}

/// A registry that runs, until this is dropped.
struct Running {
    child: Child,
    target: RegistryTarget,
    put_s: f64,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(store: &str, hosts: u64, cpu: Option<usize>) -> Result<Running, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["registry-server", "--store", store, "--hosts", &hosts.to_string()]);
        command.args(cpu.map(|cpu| format!("--cpu={cpu}")));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("it has no stdout")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line).map_err(|_| "the registry has not begun: stderr says why")?;
        let ticket: Ticket = said["ticket"].as_str().unwrap_or_default().parse()?;
        Ok(Running { child, target: (&ticket).into(), put_s: said["put_s"].as_f64().unwrap_or(f64::NAN) })
    }
}

/// What came of a run.
#[derive(Default)]
struct Counted {
    renewed: AtomicU64,
    refused: AtomicU64,
}

/// Asks once in `every`, from `first` on: an answer that is late makes none later.
async fn renew(
    endpoint: Endpoint,
    target: RegistryTarget,
    n: u64,
    every: Duration,
    until: Instant,
    counted: Arc<Counted>,
) {
    let target = tng::Target { eid: target.eid, addresses: target.addresses, capability: target.door, via: Vec::new() };
    let Ok(connection) = endpoint.connect(target).await else { return };
    // A renewal says what was said before, to the letter.
    let body = Ask::Register { lease_s: 3_600, policy: Policy::Public, statement: statement(n, 2) }.to_vec();
    let mut ticks =
        tokio::time::interval_at(tokio::time::Instant::now() + every.mul_f64((n as f64 * 0.618_034) % 1.0), every);
    loop {
        let tick = tokio::time::timeout_at(until.into(), ticks.tick());
        if tick.await.is_err() {
            return;
        }
        let answer = connection.request(SERVICE, body.clone()).protocol(PROTOCOL).await;
        let kept = answer
            .ok()
            .is_some_and(|bytes| matches!(Answer::parse(&mut Reader::new(&bytes)), Ok(Answer::Registered { .. })));
        if kept { &counted.renewed } else { &counted.refused }.fetch_add(1, Ordering::Relaxed);
    }
}

/// Looks up so many in a second; each look-up's time, from when it was due.
async fn look_up(endpoint: Endpoint, asked: Asked, until: Instant) -> Result<(Vec<Duration>, u64), Failure> {
    let every = Duration::from_secs_f64(1.0 / asked.lookups as f64);
    let (mut ticks, mut answers, mut n) = (tokio::time::interval(every), JoinSet::new(), 0u64);
    while Instant::now() < until {
        let due = ticks.tick().await;
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let eid: Eid = host((n >> 33) % asked.hosts).eid();
        let endpoint = endpoint.clone();
        answers.spawn(async move { endpoint.look_up(eid).await.map(|_| due.elapsed()) });
    }
    let (mut times, mut missed) = (Vec::new(), 0);
    while let Some(answer) = answers.join_next().await {
        match answer? {
            Ok(time) => times.push(time),
            Err(error) => {
                if missed == 0 {
                    eprintln!("a look-up was not answered: {error}");
                }
                missed += 1;
            }
        }
    }
    times.sort_unstable();
    Ok((times, missed))
}

fn one(kind: Kind, asked: &Asked) -> Result<Value, Failure> {
    let folder = std::env::temp_dir().join(format!("tng-bench-registry-{}", std::process::id()));
    let members = match kind {
        Kind::Etcd => Some(Members::start(MEMBERS).ok_or("there is no etcd: install etcd-server")?),
        _ => None,
    };
    let store = match (kind, &members) {
        (Kind::File, _) => {
            std::fs::create_dir_all(&folder)?;
            format!("file:{}", folder.join("hosts.db").display())
        }
        (_, Some(members)) => members.place("bench"),
        _ => "memory".to_owned(),
    };
    let cpus = cpus();
    let apart = cpus.len() > 1;
    let running = Running::start(&store, asked.hosts, cpus.first().copied().filter(|_| apart))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let counted = Arc::<Counted>::default();
    let usage = |ids: &[u32]| ids.iter().map(|id| Usage::of(*id)).collect::<Result<Vec<_>, _>>();
    let id = running.child.id();
    let measured = runtime.block_on(async {
        let every = Duration::from_secs_f64(asked.connections as f64 / asked.renewals as f64);
        let mut endpoints = Vec::new();
        for n in 0..asked.connections {
            let address = "127.0.0.1:0".parse().map_err(|_| "no loopback")?;
            endpoints.push((n, Endpoint::builder().identity(host(n)).bind(address).build().await?));
        }
        let address = "127.0.0.1:0".parse().map_err(|_| "no loopback")?;
        let asks = Endpoint::builder().bind(address).registry(running.target.clone()).build().await?;
        // Its connection is there before others come: all are of one network, which has so many exchanges a second.
        asks.look_up(host(0).eid()).await?;
        let before = (usage(&[id])?, usage(&members.as_ref().map_or_else(Vec::new, Members::ids))?);
        let began = Instant::now();
        let until = began + Duration::from_secs(asked.seconds);
        let mut renewing = JoinSet::new();
        for (n, endpoint) in endpoints {
            renewing.spawn(renew(endpoint, running.target.clone(), n, every, until, Arc::clone(&counted)));
        }
        let (times, missed) = look_up(asks, asked.clone(), until).await?;
        while renewing.join_next().await.is_some() {}
        let took_s = began.elapsed().as_secs_f64();
        let after = (usage(&[id])?, usage(&members.as_ref().map_or_else(Vec::new, Members::ids))?);
        Ok::<_, Failure>((times, missed, took_s, before, after))
    });
    let (times, missed, took_s, before, after) = measured?;
    let cpu = |before: &[Usage], after: &[Usage]| -> f64 {
        after.iter().zip(before).map(|(after, before)| after.cpu_s - before.cpu_s).sum::<f64>() / took_s
    };
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).map_or(f64::NAN, |t| t.as_secs_f64() * 1e3);
    let _ = std::fs::remove_dir_all(&folder);
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Ok(json!({
        "store": format!("{kind:?}").to_lowercase(),
        "put_s": running.put_s,
        "put_per_s": asked.hosts as f64 / running.put_s,
        "renewed_per_s": count(&counted.renewed) as f64 / took_s,
        "not_renewed": count(&counted.refused),
        "looked_up_per_s": times.len() as f64 / took_s,
        "missed": missed,
        "look_up_ms": { "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "most": at(0.999_999) },
        "registry_cpus": cpu(&before.0, &after.0),
        "registry_bytes": after.0[0].rss,
        "etcd_cpus": cpu(&before.1, &after.1),
        "etcd_bytes": after.1.iter().map(|usage| usage.rss).sum::<u64>(),
    }))
}

/// Measures it over each store, and prints a line for each, or one JSON object.
///
/// # Errors
/// If a registry does not begin, or there is no etcd.
pub fn run(asked: &Asked, json: bool) -> Result<(), Failure> {
    files_max()?;
    let mut figures = Vec::new();
    for kind in &asked.stores {
        let one = one(*kind, asked)?;
        if !json {
            let ms = &one["look_up_ms"];
            println!(
                "{}: {:.0} hosts put in a second; {:.0} renewals and {:.0} look-ups a second ({} and {} not answered), \
                 look-ups p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms; {:.2} processors and {:.0} MiB; etcd {:.2} and \
                 {:.0} MiB",
                one["store"].as_str().unwrap_or_default(),
                one["put_per_s"].as_f64().unwrap_or(f64::NAN),
                one["renewed_per_s"].as_f64().unwrap_or(f64::NAN),
                one["looked_up_per_s"].as_f64().unwrap_or(f64::NAN),
                one["not_renewed"],
                one["missed"],
                ms["p50"].as_f64().unwrap_or(f64::NAN),
                ms["p99"].as_f64().unwrap_or(f64::NAN),
                ms["p999"].as_f64().unwrap_or(f64::NAN),
                one["registry_cpus"].as_f64().unwrap_or(f64::NAN),
                one["registry_bytes"].as_f64().unwrap_or(f64::NAN) / f64::from(1 << 20),
                one["etcd_cpus"].as_f64().unwrap_or(f64::NAN),
                one["etcd_bytes"].as_f64().unwrap_or(f64::NAN) / f64::from(1 << 20),
            );
        }
        figures.push(one);
    }
    if json {
        let params = json!({
            "hosts": asked.hosts, "renewals": asked.renewals, "lookups": asked.lookups,
            "connections": asked.connections, "seconds": asked.seconds,
        });
        println!("{}", json!({ "work": "registry", "params": params, "figures": figures }));
    }
    Ok(())
}
