//! Carriers over the kernel's TCP: nft blocks UDP between network namespaces.

#![expect(clippy::disallowed_methods, reason = "what is measured is real time")]

use core::net::SocketAddr;
use core::time::Duration;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Instant;

use serde_json::json;
use tng::carrier::{CARRIER_PORT, CarrierDial, CarrierListen};
use tng::{Access, Connection, Endpoint, Identity, PathTaken, ServiceOptions, Stream, Target};
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, PORT, topology};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::punch::real::tool;
use super::{BACK, FROM, GAP, OF_TCP, WRONG};
use crate::lab::{Check, Context, Outcome, RunError, Table};
use crate::peers::trial::network;
use crate::real::tng::{CHUNK, PATTERN_LEN, pattern};

const GIVER: usize = 0;
const GETTER: usize = 1;
const SERVICE: (&str, &str) = ("give", "lab/1");
/// Where the kernel's TCP is listened for.
const TCP_PORT: u16 = 5_001;
/// How often it is looked which way a connection goes.
const LOOK: Duration = Duration::from_millis(5);
/// Left out of rates, at the start.
const SETTLE: Duration = Duration::from_secs(2);
/// In which rates are measured.
const MEASURED: Duration = Duration::from_secs(10);

fn broken(error: impl std::fmt::Display) -> RunError {
    RunError::broken(error)
}

fn at(node: usize, port: u16) -> SocketAddr {
    SocketAddr::new(topology::ipv4(node as u16 + 1), port)
}

fn standing(context: &Context<'_>) -> Topology {
    let node = |name: &str, number: usize| TopologyNode {
        name: name.to_owned(),
        addresses: vec![at(number, 0).ip()],
        nat: None,
    };
    let rate = context.rate("real-rate");
    let bytes = (rate as f64 / 8.0 * context.time("queue").as_secs_f64()) as u64;
    let queue = QueueConfig::DropTail(Limit::Bytes(bytes));
    let link = Link::new().rate(rate).delay(context.time("real-delay")).queue(queue);
    Topology {
        seed: context.seed,
        nodes: vec![node("giver", GIVER), node("getter", GETTER)],
        links: vec![TopologyLink { name: "link".to_owned(), a: GIVER, b: GETTER, forth: link.clone(), back: link }],
    }
}

/// Neither end hears anything by UDP, or both do again.
fn block(network: &Network, blocked: bool) -> Result<(), RunError> {
    let rules = match blocked {
        true => {
            "table inet lab {\n\
             chain in { type filter hook input priority filter; meta l4proto udp drop; }\n\
             }\n"
        }
        false => "delete table inet lab\n",
    };
    [GIVER, GETTER].into_iter().try_for_each(|node| tool(network, node, "nft", &["-f", "-"], rules))
}

/// A runtime of one thread, which stays on the node where it is made.
fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(broken)
}

/// Gives everybody who asks, without end, until it is told to stop.
async fn give(ready: &mpsc::Sender<Target>, stop: oneshot::Receiver<()>) -> Result<(), RunError> {
    let listen = CarrierListen::bind(at(GIVER, CARRIER_PORT)).map_err(broken)?;
    let builder = Endpoint::builder().identity(Identity::from_seed([1; 32])).access(Access::Public);
    let endpoint = builder.bind(at(GIVER, PORT)).carrier_listen(listen).build().await.map_err(broken)?;
    endpoint.listen(SERVICE.0, SERVICE.1, ServiceOptions::default()).map_err(broken)?;
    let addresses = vec![endpoint.local_addr()];
    let _ = ready.send(Target { eid: endpoint.eid(), addresses, capability: None, via: Vec::new() });
    let giver = endpoint.clone();
    tokio::spawn(async move {
        while let Some(incoming) = giver.accept().await {
            tokio::spawn(async move {
                let Ok(connection) = incoming.accept().await else { return };
                while let Ok(incoming) = connection.accept().await {
                    tokio::spawn(write(incoming.stream));
                }
            });
        }
    });
    // Either way it is over.
    let _ = stop.await;
    endpoint.close().await;
    Ok(())
}

async fn write(mut stream: Stream) {
    let (pattern, mut at) = (pattern(), 0);
    while stream.write_all(&pattern[at..at + CHUNK]).await.is_ok() {
        at = (at + CHUNK) % PATTERN_LEN;
    }
}

/// A download under way.
struct Download {
    endpoint: Endpoint,
    connection: Connection,
    stream: Stream,
    pattern: Vec<u8>,
    got: Got,
}

/// What has come.
struct Got {
    bytes: u64,
    /// Where it is not what was given.
    wrong: Option<u64>,
    last_at: Instant,
    gap: Duration,
    /// When it was last seen that it goes by a carrier.
    carried_at: Option<Instant>,
}

impl Download {
    async fn begin(target: Target, dial: Option<CarrierDial>) -> Result<Download, RunError> {
        let builder = Endpoint::builder().identity(Identity::from_seed([2; 32])).bind(at(GETTER, 0));
        let builder = dial.into_iter().fold(builder, tng::Builder::carrier);
        let endpoint = builder.build().await.map_err(broken)?;
        let connection = endpoint.connect(target).await.map_err(broken)?;
        let mut stream = connection.open(SERVICE.0, SERVICE.1).await.map_err(broken)?;
        stream.write_all(&[0]).await.map_err(broken)?;
        let (last_at, gap) = (Instant::now(), Duration::ZERO);
        let got = Got { bytes: 0, wrong: None, last_at, gap, carried_at: None };
        Ok(Download { endpoint, connection, stream, pattern: pattern(), got })
    }

    async fn until(&mut self, end: Instant) -> Result<(), RunError> {
        while Instant::now() < end {
            let read = timeout(LOOK, self.stream.read_chunk(CHUNK)).await;
            let now = Instant::now();
            if let Ok(chunk) = read {
                let chunk = chunk.map_err(broken)?.ok_or_else(|| broken("what has no end has ended"))?;
                let at = (self.got.bytes % PATTERN_LEN as u64) as usize;
                if chunk[..] != self.pattern[at..at + chunk.len()] {
                    self.got.wrong.get_or_insert(self.got.bytes);
                }
                self.got.bytes += chunk.len() as u64;
                self.got.last_at = now;
            }
            self.got.gap = self.got.gap.max(now - self.got.last_at);
            if matches!(self.connection.path(), Some(PathTaken::Carried { .. })) {
                self.got.carried_at = Some(now);
            }
        }
        Ok(())
    }

    async fn end(self) {
        self.connection.close(0, "");
        self.endpoint.close().await;
    }
}

fn mbits(bytes: u64) -> f64 {
    bytes as f64 * 8e-6 / MEASURED.as_secs_f64()
}

/// Mbit/s of a download.
async fn rate(target: Target, dial: Option<CarrierDial>) -> Result<f64, RunError> {
    let mut download = Download::begin(target, dial).await?;
    download.until(Instant::now() + SETTLE).await?;
    let before = download.got.bytes;
    download.until(Instant::now() + MEASURED).await?;
    let came = download.got.bytes - before;
    if let Some(at) = download.got.wrong {
        return Err(broken(format_args!("byte {at} is not what was given")));
    }
    download.end().await;
    Ok(mbits(came))
}

/// Mbit/s of the kernel's TCP, with its own controller.
fn kernel(network: &Network) -> Result<f64, RunError> {
    let listener = network.run(GIVER, || TcpListener::bind(at(GIVER, TCP_PORT))).flatten().map_err(broken)?;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let chunk = vec![7; CHUNK];
            while stream.write_all(&chunk).is_ok() {}
        });
        let mut stream = network.run(GETTER, || TcpStream::connect(at(GIVER, TCP_PORT))).flatten().map_err(broken)?;
        let (mut chunk, mut came) = (vec![0; CHUNK], 0);
        let begun = Instant::now();
        while begun.elapsed() < SETTLE + MEASURED {
            let len = stream.read(&mut chunk).map_err(broken)?;
            if begun.elapsed() >= SETTLE {
                came += len as u64;
            }
        }
        Ok(mbits(came))
    })
}

/// What came of UDP that comes and goes.
struct Toggled {
    got: Got,
    mbits: f64,
    /// Times in which no data went by a carrier.
    missed: u64,
    /// From when UDP passed again, each time.
    back: Vec<Duration>,
}

/// How often UDP is blocked, for how long, and how long it passes behind that.
#[derive(Clone, Copy)]
struct Plan {
    times: u32,
    blocked: Duration,
    open: Duration,
}

async fn toggled(plan: Plan, network: &Network, target: Target) -> Result<Toggled, RunError> {
    let Plan { times, blocked, open } = plan;
    let mut download = Download::begin(target, Some(CarrierDial::default())).await?;
    let (begun, mut missed, mut back) = (Instant::now(), 0, Vec::new());
    let mut at = begun + FROM;
    for _ in 0..times {
        download.until(at).await?;
        block(network, true)?;
        let before = Instant::now();
        download.until(at + blocked).await?;
        missed += u64::from(download.got.carried_at.is_none_or(|carried| carried < before));
        block(network, false)?;
        let unblocked = Instant::now();
        at += blocked + open;
        download.until(at).await?;
        back.push(
            download.got.carried_at.map_or(Duration::ZERO, |carried| carried.saturating_duration_since(unblocked)),
        );
    }
    let mbits = download.got.bytes as f64 * 8e-6 / begun.elapsed().as_secs_f64();
    let Download { endpoint, got, .. } = download;
    endpoint.close().await;
    Ok(Toggled { got, mbits, missed, back })
}

/// Rates, and UDP that comes and goes.
fn measure(context: &Context<'_>, network: &Network, target: &Target) -> Result<([f64; 3], Toggled), RunError> {
    let plan =
        Plan { times: context.count("times") as u32, blocked: context.time("blocked"), open: context.time("open") };
    let toggling = FROM + (plan.blocked + plan.open) * plan.times;
    context.progress_with("the kernel's TCP", (SETTLE + MEASURED) * 3 + toggling);
    let tcp = kernel(network)?;
    context.progress_with("by UDP, by a carrier, and UDP that comes and goes", (SETTLE + MEASURED) * 2 + toggling);
    network
        .run(GETTER, || {
            runtime()?.block_on(async {
                let udp = rate(target.clone(), None).await?;
                block(network, true)?;
                let carried = rate(target.clone(), Some(CarrierDial::default())).await?;
                block(network, false)?;
                Ok(([tcp, udp, carried], toggled(plan, network, target.clone()).await?))
            })
        })
        .map_err(broken)?
}

pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let network = network(&standing(context))?;
    let (ready, giving) = mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let (rates, toggled) = std::thread::scope(|scope| {
        let giver = scope.spawn(|| {
            let ready = ready;
            network.run(GIVER, || runtime()?.block_on(give(&ready, stopped))).map_err(broken)?
        });
        let measured = match giving.recv() {
            Ok(target) => measure(context, &network, &target),
            Err(_) => Err(broken("who gives has ended")),
        };
        // It may have ended by itself, and then says why.
        let _ = stop.send(());
        let given = giver.join().unwrap_or_else(|_| Err(broken("who gives has ended")));
        given.and(measured)
    })?;
    let [tcp, udp, carried] = rates;
    let mut table = Table::new(&["", "Mbit/s", "of the kernel's TCP"]).titled("One download, alone");
    for (name, mbits) in [("the kernel's TCP", tcp), ("by UDP", udp), ("by a carrier, UDP blocked", carried)] {
        table.row(vec![name.to_owned(), format!("{mbits:.2}"), format!("{:.3}", mbits / tcp)]);
    }
    let Toggled { got, mbits, missed, mut back } = toggled;
    back.sort_unstable();
    let (longest, median) = (back.last().copied().unwrap_or_default(), back[back.len() / 2]);
    let mut times = Table::new(&["", ""]).titled("UDP comes and goes");
    for (name, value) in [
        ("bytes", got.bytes.to_string()),
        ("wrong from", got.wrong.map_or("–".to_owned(), |at| at.to_string())),
        ("of the kernel's TCP", format!("{:.0} %", 100.0 * mbits / tcp)),
        ("back on UDP after, median", format!("{:.2} s", median.as_secs_f64())),
        ("back on UDP after, longest", format!("{:.2} s", longest.as_secs_f64())),
        ("longest time without a byte", format!("{:.2} s", got.gap.as_secs_f64())),
    ] {
        times.row(vec![name.to_owned(), value]);
    }
    let wrong = f64::from(u8::from(got.wrong.is_some()));
    let results = json!({
        "tcp_mbits": tcp, "udp_mbits": udp, "carried_mbits": carried, "toggled_mbits": mbits,
        "bytes": got.bytes, "wrong_from": got.wrong, "missed": missed,
        "back_s": back.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(), "gap_s": got.gap.as_secs_f64(),
    });
    let back = "UDP passes again: seconds until nothing goes by a carrier";
    Ok(Outcome::new(results)
        .table(table)
        .table(times)
        .check(Check::new("by a carrier, of the rate of the kernel's TCP", carried / tcp, "", OF_TCP))
        .check(Check::new("downloads with a byte lost or wrong", wrong, "", WRONG))
        .check(Check::new("blocked times without data by a carrier", missed as f64, "", WRONG))
        .check(Check::new(back, longest.as_secs_f64(), "s", BACK))
        .check(Check::new("longest time without a byte, UDP coming and going", got.gap.as_secs_f64(), "s", GAP))
        .note(
            "Both ends stand in network namespaces; nft has them hear nothing by UDP. TCP is the kernel's, with its \
             own controller, and TLS 1.3 around what a carrier carries.",
        ))
}
