//! How much one relay carries, by how many flows it has.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde_json::{Value, json};
use tng::{Access, Connection, Endpoint, HostConfig, PathTaken, ServiceOptions, Target, UdpSocket};
use tng_emulator::transfer::Origin;
use tng_emulator::{Network, Topology};
use tng_sim::{Link, topology};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::peers::trial::network;
use crate::real::{Daemon, Proxy, tng::runtime, used};
use crate::settings::{Configured, Settings};

/// One relay, from one flow to many.
pub static CAPACITY: Experiment = Experiment {
    name: "tng/capacity",
    title: "What one relay carries",
    source: "ours, after Tng 4.2",
    claim: "a relay of one thread carries ten thousand flows at no less for each second of its processor than ten, and \
            needs no more memory for them than 100 MB beside what waits in its queues",
    about: "A process of `tng relay run`, and clients and a server in the process of the lab, all on one host that the \
            others have none of: what passes is bounded by processors alone. So many flows by way of the relay, each \
            of which carries a little at first; once all are there, those that are busy send without end; beside them \
            as many connections of the kernel's TCP by way of haproxy, all of them busy. Bytes that arrive are \
            counted, and the processor time and memory of the relay, and of haproxy. Neither end judges whether it \
            would be better off without the relay: it is the relay that is measured, and where all share processors, \
            most would be. Many flows on few processors: --set flows=10,10000 --set busy=10.",
    params: &[
        Param::list("flows", "1,10,100,1000,10000", &Kind::Count(1, 16_000), "at once, one after the other"),
        Param::count("busy", "16000", (1, 16_000), "of them at most; the others are silent"),
        Param::time("settle", "3s", "left out once all are there"),
        Param::span("time", "5s", "measured"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 3 }),
    seeds: 1,
    vary: &[],
    run,
};

/// With how many flows others are compared.
const COMPARED: u64 = 10;
/// Bytes for each second of the relay's processor, of those with ten flows: the project's own number.
const OF_TEN: Goal = Goal::AtLeast(0.9);
/// Memory beyond that with one flow and what waits, MB: the project's own number.
const MEMORY: Goal = Goal::AtMost(100.0);
/// Flows that lead by way of the relay, percent.
const HELPED: Goal = Goal::AtLeast(100.0);
/// Connections of one client, as a server takes them.
const PER_CLIENT: u64 = 200;
/// Set-ups at once.
const AT_ONCE: usize = 64;
/// What a stream may hold that is not sent: as much for many flows as for few.
const UNSENT_MAX: u64 = 32 << 10;
const SERVICE: (&str, &str) = ("sink", "bytes");
const CHUNK: usize = 16 << 10;
/// Connections beyond which haproxy and this process need more files than they may have here.
const PROXIED_MAX: u64 = 4_000;
/// How long all may take to begin.
const PATIENCE: Duration = Duration::from_secs(180);
/// A tick of `/proc/PID/stat`.
const TICK_S: f64 = 0.01;

/// The addresses of the one host behind that of the relay or proxy.
const SERVER: usize = 1;
const CLIENTS: usize = 2;
const PORT: u16 = 4_860;

/// What passed in a span of time, and what it took.
struct Passed {
    flows: u64,
    mbits: f64,
    /// Processor time of the relay or proxy, of the time that passed.
    busy: f64,
    /// What it has in memory, and of that what waits in queues that it tells of, bytes.
    resident: u64,
    queued: u64,
    /// Flows that lead by way of it at the end, of all, and when all were there.
    helped: f64,
    joined: f64,
    /// How long it took until all were there.
    set_up_s: f64,
}

impl Passed {
    /// Megabits for each second of processor time.
    fn mbits_per_busy_s(&self) -> f64 {
        self.mbits / self.busy
    }
}

/// For a page.
struct OneHost;

impl Configured for OneHost {
    fn tell(&self, settings: &mut Settings) {
        settings.set("the host", "link", "its loopback device");
        settings.set("relay", "kind", "tng relay run with default settings, for anyone, with 16,384 flows for each");
        settings.set("clients", "connections of each", PER_CLIENT);
        settings.set("clients and server", "streams.unsent_max", UNSENT_MAX);
        settings.set("clients and server", "judge", "none");
        settings.set("haproxy", "mode", "tcp, one process");
    }
}

/// One host alone; the other end of its link is nobody's.
fn stand(context: &Context<'_>) -> Result<Network, RunError> {
    let mut topology = Topology::pair(context.seed, &Link::new());
    topology.nodes[0].addresses = (1..=3).map(|number| topology::ipv4(number + 100)).collect();
    network(&topology)
}

fn address(network: &Network, place: usize) -> IpAddr {
    network.topology().nodes[0].addresses[place]
}

/// Seconds of processor time that a process has had.
fn busy_s(pid: u32) -> f64 {
    used::ticks(&[pid]).iter().sum::<u64>() as f64 * TICK_S
}

/// Bytes counted over `time` once `settle` is over, and the processor time of a process meanwhile: both by the second.
fn measure(context: &Context<'_>, arrived: &AtomicU64, pid: u32) -> (f64, f64) {
    let rest = |time| {
        let began = Origin::now();
        began.rest_until(time);
    };
    rest(context.time("settle"));
    let (began, before, busy) = (Origin::now(), arrived.load(Ordering::Relaxed), busy_s(pid));
    began.rest_until(context.time("time"));
    let seconds = began.elapsed().as_secs_f64();
    let bytes = arrived.load(Ordering::Relaxed) - before;
    (bytes as f64 * 8e-6 / seconds, (busy_s(pid) - busy) / seconds)
}

fn config(access: Access) -> HostConfig {
    let mut config = HostConfig { auto_accept: true, ..HostConfig::new(access) };
    (config.streams.unsent_max, config.judge) = (UNSENT_MAX, None);
    for limit in [&mut config.exchanges.unproven, &mut config.exchanges.per_network, &mut config.exchanges.in_all] {
        (limit.per_s, limit.burst) = (100_000, 100_000);
    }
    (config.half_open_max, config.half_open_per_network, config.memory_max) = (16_384, 16_384, 4 << 30);
    config
}

/// An endpoint on the host.
async fn endpoint(socket: Arc<UdpSocket>, access: Access) -> Result<Endpoint, String> {
    let builder = Endpoint::builder().socket(socket).configure(|usual| *usual = config(access));
    let builder = builder.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    builder.build().await.map_err(|error| error.to_string())
}

/// Takes everything from everybody.
async fn sink(endpoint: Endpoint, arrived: Arc<AtomicU64>) {
    while let Some(incoming) = endpoint.accept().await {
        let arrived = Arc::clone(&arrived);
        tokio::spawn(async move {
            let Ok(connection) = incoming.accept().await else { return };
            while let Ok(mut incoming) = connection.accept().await {
                let arrived = Arc::clone(&arrived);
                tokio::spawn(async move {
                    while let Ok(Some(chunk)) = incoming.stream.read_chunk(CHUNK).await {
                        arrived.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    }
                });
            }
        });
    }
}

/// A connection by way of the relay that sends a little, and for ever from when on it is said to.
async fn send(client: Endpoint, to: Target, mut said: watch::Receiver<bool>) -> Result<Connection, String> {
    let connection = client.connect(to).await.map_err(|error| error.to_string())?;
    let mut stream = connection.open(SERVICE.0, SERVICE.1).await.map_err(|error| error.to_string())?;
    tokio::spawn(async move {
        let chunk = vec![0x5a; CHUNK];
        while stream.write_all(&chunk).await.is_ok() && said.wait_for(|said| *said).await.is_ok() {}
    });
    Ok(connection)
}

/// So many flows by way of a relay.
fn relayed(context: &Context<'_>, flows: u64) -> Result<Passed, RunError> {
    let network = stand(context)?;
    let text = "onward = [\"10.0.0.0/8\"]\n[terms]\nanyone = true\nflows = 16384\n";
    let relay = Daemon::start(&network, 0, text).map_err(fault)?;
    let pid = relay.pid().ok_or_else(|| RunError::broken("the relay does not run"))?;
    let runtime = runtime().map_err(fault)?;
    let bind = |place: usize, port: u16| {
        let address = SocketAddr::new(address(&network, place), port);
        let bound = network.run(0, || {
            let _inside = runtime.enter();
            UdpSocket::bind(address)
        });
        bound.and_then(|socket| socket).map(Arc::new).map_err(RunError::broken)
    };
    let arrived: Arc<AtomicU64> = Arc::default();
    let server = runtime.block_on(endpoint(bind(SERVER, PORT)?, Access::Public)).map_err(RunError::broken)?;
    let ticket = server.ticket().map_err(RunError::broken)?;
    runtime.spawn(sink(server, Arc::clone(&arrived)));
    let (began, (say, said), (silence, silent)) = (Origin::now(), watch::channel(false), watch::channel(false));
    let busy = context.count("busy");
    let sockets = (0..flows.div_ceil(PER_CLIENT)).map(|_| bind(CLIENTS, 0)).collect::<Result<Vec<_>, _>>()?;
    let begun = async {
        let (gate, mut begun) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        for (nth, socket) in (0..).zip(sockets) {
            let client = endpoint(socket, Access::Nobody).await?;
            let via = client.via(&relay.target()).await.map_err(|error| error.to_string())?;
            for number in nth * PER_CLIENT..flows.min((nth + 1) * PER_CLIENT) {
                // As many of each client.
                let said = if number * busy % flows < busy { said.clone() } else { silent.clone() };
                let (client, gate) = (client.clone(), Arc::clone(&gate));
                let to = Target { via: vec![via.clone()], ..Target::from(&ticket) };
                begun.spawn(async move {
                    // Never closed.
                    let _place = gate.acquire_owned().await;
                    send(client, to, said).await
                });
            }
        }
        let mut connections = Vec::new();
        while let Some(one) = begun.join_next().await {
            connections.push(one.map_err(|error| error.to_string())??);
        }
        Ok::<_, String>(connections)
    };
    let begun = runtime.block_on(async { tokio::time::timeout(PATIENCE, begun).await });
    let connections = begun.map_err(|_| RunError::broken("flows do not begin"))?.map_err(RunError::broken)?;
    let set_up_s = began.elapsed().as_secs_f64();
    let led = |connection: &&Connection| matches!(connection.path(), Some(PathTaken::Helped { .. }));
    let helped = || connections.iter().filter(led).count() as f64 / flows as f64;
    let joined = helped();
    // Somebody hears it: all of them hold a receiver.
    let _ = say.send(true);
    let (mbits, busy) = measure(context, &arrived, pid);
    let helped = helped();
    // Before it is asked for its status, which takes some.
    let resident = used::resident(&[pid]);
    let status = relay.status().map_err(fault)?;
    let queued = status["counts"]["queued_bytes"].as_u64().unwrap_or(0);
    drop((connections, silence));
    runtime.shutdown_background();
    Ok(Passed { flows, mbits, busy, resident, queued, helped, joined, set_up_s })
}

/// As many connections of the kernel's TCP by way of haproxy.
fn proxied(context: &Context<'_>, flows: u64) -> Result<Passed, RunError> {
    let network = stand(context)?;
    let onward = SocketAddr::new(address(&network, SERVER), PORT);
    let proxy = Proxy::start(&network, 0, onward, "cubic").map_err(fault)?;
    let (pid, to, runtime) = (proxy.pid(), proxy.address(), runtime().map_err(fault)?);
    let arrived: Arc<AtomicU64> = Arc::default();
    // Sockets belong to the host whose thread makes them.
    let began = Origin::now();
    let made = network.run(0, || {
        let _inside = runtime.enter();
        let listening = TcpSocket::new_v4()?;
        listening.bind(onward)?;
        let sockets = (0..flows).map(|_| TcpSocket::new_v4()).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, std::io::Error>((listening.listen(16_384)?, sockets))
    });
    let (listener, sockets) = made.and_then(|made| made).map_err(RunError::broken)?;
    runtime.spawn(take(listener, Arc::clone(&arrived)));
    let connect = async {
        let mut begun = JoinSet::new();
        let gate = Arc::new(Semaphore::new(AT_ONCE));
        for socket in sockets {
            let gate = Arc::clone(&gate);
            begun.spawn(async move {
                let _place = gate.acquire_owned().await;
                let mut stream = socket.connect(to).await?;
                tokio::spawn(async move {
                    let chunk = vec![0x5a; CHUNK];
                    while stream.write_all(&chunk).await.is_ok() {}
                });
                Ok::<_, std::io::Error>(())
            });
        }
        while let Some(one) = begun.join_next().await {
            one.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        }
        Ok::<_, String>(())
    };
    runtime.block_on(connect).map_err(RunError::broken)?;
    let set_up_s = began.elapsed().as_secs_f64();
    let (mbits, busy) = measure(context, &arrived, pid);
    let resident = used::resident(&[pid]);
    runtime.shutdown_background();
    Ok(Passed { flows, mbits, busy, resident, queued: 0, helped: 1.0, joined: 1.0, set_up_s })
}

/// Takes everything from everybody.
async fn take(listener: TcpListener, arrived: Arc<AtomicU64>) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let arrived = Arc::clone(&arrived);
        tokio::spawn(async move {
            let mut chunk = vec![0; CHUNK];
            while let Ok(bytes @ 1..) = stream.read(&mut chunk).await {
                arrived.fetch_add(bytes as u64, Ordering::Relaxed);
            }
        });
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let OneHost = context.world(OneHost);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for flows in context.counts("flows") {
        context.progress(format_args!("{flows} flows by way of the relay"));
        own.push(relayed(context, flows)?);
        if flows <= PROXIED_MAX {
            context.progress(format_args!("{flows} connections by way of haproxy"));
            others.push(proxied(context, flows)?);
        }
    }
    let head = ["", "flows", "arrives", "busy", "for each busy second", "in memory", "waits", "all there after"];
    let mut table = Table::new(&head).titled("What passes, and what it takes");
    let mut plot =
        Plot::new("For each second of processor time", Axis::new("flows", "").log(), Axis::new("rate", "Mbit"));
    for (name, rows) in [("relay", &own), ("haproxy", &others)] {
        for passed in rows {
            table.row(vec![
                name.to_owned(),
                passed.flows.to_string(),
                format!("{:.0} Mbit/s", passed.mbits),
                format!("{:.0} %", passed.busy * 100.0),
                format!("{:.0} Mbit", passed.mbits_per_busy_s()),
                format!("{:.1} MB", passed.resident as f64 / 1e6),
                format!("{:.1} MB", passed.queued as f64 / 1e6),
                format!("{:.2} s", passed.set_up_s),
            ]);
        }
        let points = rows.iter().map(|passed| (passed.flows as f64, passed.mbits_per_busy_s())).collect();
        plot = plot.series(Series::points(name, points));
    }
    let figure = |passed: &Passed| -> Value {
        json!({
            "flows": passed.flows, "mbits": passed.mbits, "busy": passed.busy, "resident_bytes": passed.resident,
            "queued_bytes": passed.queued, "helped": passed.helped, "joined": passed.joined,
            "set_up_s": passed.set_up_s,
        })
    };
    let figures = |rows: &[Passed]| rows.iter().map(figure).collect::<Vec<_>>();
    let results = json!({ "relay": figures(&own), "haproxy": figures(&others) });
    let with = |flows: u64| own.iter().find(|passed| passed.flows == flows);
    let most = own.iter().max_by_key(|passed| passed.flows).ok_or_else(|| RunError::Params("no flows".to_owned()))?;
    let least = own.iter().min_by_key(|passed| passed.flows).unwrap_or(most);
    let of_ten = with(COMPARED).map_or(f64::NAN, |ten| most.mbits_per_busy_s() / ten.mbits_per_busy_s());
    let memory = most.resident.saturating_sub(most.queued).saturating_sub(least.resident) as f64 / 1e6;
    let helped = own.iter().map(|passed| passed.helped).fold(1.0, f64::min);
    let outcome = Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(Check::new("most flows: bytes for each busy second, of those with 10", of_ten, "", OF_TEN))
        .check(Check::new("most flows: memory beyond that of the fewest and what waits", memory, "MB", MEMORY))
        .check(Check::new("flows that lead by way of the relay", helped * 100.0, "%", HELPED).ours());
    Ok(outcome.note(format!(
        "Clients and server share the processors with what is measured, so what arrives says little, and what arrives \
         for each second of the relay's own processor time says more: tng-bench relay has that beside a plain \
         forwarder. haproxy is not asked for more than {PROXIED_MAX} connections: it and the lab would need more files \
         than a process is usually permitted."
    )))
}
