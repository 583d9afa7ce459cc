//! The client's side of every work, whatever the peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

use crate::Failure;
use crate::peer::{Client, Line};
use crate::process::Usage;
use crate::role::{Asked, Said, next};
use crate::server::say;
use crate::work::{ASKING_LEN, MANY_SIZE, Measured, PeerName, Work};

/// What a bulk transfer carries before it is measured: enough for the packet size and the window to be found.
pub const WARM_UP_BYTES: u64 = 128_000_000;

/// How long requests are made before they are measured.
pub const WARM_UP: Duration = Duration::from_millis(200);

/// A transfer that takes longer than this, and than [`SLOWEST`] would take, has stalled.
const STALLED_AFTER: Duration = Duration::from_secs(30);

/// Bytes per second.
const SLOWEST: u64 = 10_000_000;

/// Idle flows that are made at once.
const FLOWS_AT_ONCE: u64 = 8;

/// Objects that are fetched before others are measured.
const OBJECTS_WARM_UP: u64 = 500;

/// How long connections and streams are left alone before the memory for them is read.
const SETTLE: Duration = Duration::from_secs(1);

/// Does the work, and tells the bench.
///
/// # Errors
/// Whatever goes wrong.
pub async fn run<C: Client>(work: Work, name: PeerName) -> Result<(), Failure> {
    let Asked::Server(hello) = asked().await? else { return Err("no server".into()) };
    let client = Arc::new(C::start(&work, name, &hello).await?);
    match work {
        Work::Bulk { bytes, .. } | Work::Guest { bytes, .. } => {
            let mut line = client.line().await?;
            transfer(&mut line, bytes.min(WARM_UP_BYTES), &work).await?;
            let bench = Bench::start().await?;
            transfer(&mut line, bytes, &work).await?;
            bench.done([("elapsed_s", bench.elapsed_s()), ("bytes", bytes as f64)].into(), &*client)?;
        }
        Work::Rr { size, concurrency, seconds } => {
            let mut lines = Vec::new();
            for _ in 0..concurrency {
                lines.push(client.line().await?);
            }
            let time = Duration::try_from_secs_f64(seconds)?;
            let (lines, _) = requests(lines, size, WARM_UP.min(time)).await?;
            let bench = Bench::start().await?;
            let (_, times) = requests(lines, size, time).await?;
            bench.done(latencies(times, bench.elapsed_s()), &*client)?;
        }
        Work::Handshakes { count, concurrency } => {
            // The first connection finds nothing in the caches.
            C::close(client.connect().await?).await;
            let bench = Bench::start().await?;
            let times = handshakes(&client, count, concurrency).await?;
            bench.done(latencies(times, bench.elapsed_s()), &*client)?;
        }
        Work::Idle { connections } => {
            let first = client.connect().await?;
            let bench = Bench::start().await?;
            let mut held = vec![first];
            for _ in 0..connections {
                held.push(client.connect().await?);
            }
            sleep(SETTLE).await;
            bench.done([("connections", connections as f64)].into(), &*client)?;
            ended().await;
            drop(held);
        }
        Work::Many { connections, active, seconds } => {
            let (mut lines, mut witnesses, mut idle) = (Vec::new(), Vec::new(), Vec::new());
            let busy = connections.min(active);
            for at in 0..connections {
                // Those with requests are spread evenly among the others.
                let before = at * busy / connections;
                if (at + 1) * busy / connections == before {
                    idle.extend(client.apart(1).await?);
                    continue;
                }
                let mut of_one = client.apart(1 + active / busy + u64::from(before < active % busy)).await?;
                witnesses.extend(of_one.pop());
                lines.extend(of_one);
            }
            let datagrams = |witnesses: &[C::Line]| witnesses.iter().map(Line::datagrams).sum::<Option<u64>>();
            let time = Duration::try_from_secs_f64(seconds)?;
            let (lines, _) = requests(lines, MANY_SIZE, WARM_UP.min(time)).await?;
            let (bench, before) = (Bench::start().await?, datagrams(&witnesses));
            let (_lines, times) = requests(lines, MANY_SIZE, time).await?;
            let mut measured = latencies(times, bench.elapsed_s());
            if let (Some(before), Some(after)) = (before, datagrams(&witnesses)) {
                measured.push(("datagrams", (after - before) as f64));
            }
            bench.done(measured, &*client)?;
        }
        Work::Cores { connections, bytes, .. } => {
            let mut lines = Vec::new();
            for _ in 0..connections {
                lines.extend(client.apart(1).await?);
            }
            let each = bytes.div_ceil(connections);
            let lines = transfers(lines, each.min(WARM_UP_BYTES / connections), &work).await?;
            let bench = Bench::start().await?;
            let _lines = transfers(lines, each, &work).await?;
            bench.done([("elapsed_s", bench.elapsed_s()), ("bytes", (each * connections) as f64)].into(), &*client)?;
        }
        Work::Relay { flows, bytes, .. } => {
            let busy = work.sockets_of_one();
            let lines = flows_of(&client, busy, 1, &work).await?;
            let idle = flows_of(&client, flows - busy, FLOWS_AT_ONCE, &work).await?;
            sleep(SETTLE).await;
            // All flows are there, and quiet.
            Bench::start().await?;
            let each = bytes.div_ceil(busy);
            let lines = transfers(lines, each.min(WARM_UP_BYTES / busy), &work).await?;
            let bench = Bench::start().await?;
            let _lines = transfers(lines, each, &work).await?;
            bench.done([("elapsed_s", bench.elapsed_s()), ("bytes", (each * busy) as f64)].into(), &*client)?;
            ended().await;
            drop(idle);
        }
        Work::Stateless { clients, size: None, .. } => {
            let mut lines = Vec::new();
            for _ in 0..clients {
                lines.extend(client.apart(1).await?);
            }
            let lines = transfers(lines, ASKING_LEN, &work).await?;
            let bench = Bench::start().await?;
            let _lines = transfers(lines, ASKING_LEN, &work).await?;
            let bytes = clients * work.answer(ASKING_LEN);
            bench.done([("elapsed_s", bench.elapsed_s()), ("bytes", bytes as f64)].into(), &*client)?;
        }
        Work::Stateless { clients, size: Some(size), count, .. } => {
            objects(&client, count.min(OBJECTS_WARM_UP), clients, &work).await?;
            let bench = Bench::start().await?;
            let times = objects(&client, count, clients, &work).await?;
            let mut measured = latencies(times, bench.elapsed_s());
            measured.push(("bytes", (count * size) as f64));
            bench.done(measured, &*client)?;
        }
        // Its clients are more than tasks.
        Work::Downloads { .. } => return Err("not by this client".into()),
        Work::Streams { count } => {
            // The connection counts with its streams, and with whatever it keeps for those that are permitted.
            let _warm = client.connect().await?;
            let bench = Bench::start().await?;
            let mut line = client.line().await?;
            let mut held = Vec::new();
            for _ in 0..count {
                held.push(line.open().await?);
            }
            sleep(SETTLE).await;
            bench.done([("streams", count as f64)].into(), &*client)?;
            ended().await;
            drop(held);
        }
    }
    Ok(())
}

/// So many connections, made `at_once` at a time; each has carried something.
async fn flows_of<C: Client>(client: &Arc<C>, count: u64, at_once: u64, work: &Work) -> Result<Vec<C::Line>, Failure> {
    let left = Arc::new(AtomicU64::new(count));
    let mut tasks = JoinSet::new();
    for _ in 0..at_once {
        let (client, left, work) = (Arc::clone(client), Arc::clone(&left), work.clone());
        tasks.spawn(async move {
            let mut lines = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                for mut line in client.apart(1).await? {
                    transfer(&mut line, 1, &work).await?;
                    lines.push(line);
                }
            }
            Ok::<_, Failure>(lines)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        all.extend(ended??);
    }
    Ok(all)
}

async fn asked() -> Result<Asked, Failure> {
    // The connection must not stand still while the bench thinks.
    spawn_blocking(next).await?
}

/// The bench has read what it wants.
async fn ended() {
    // Any answer, and the lack of one, is the end.
    let _ = asked().await;
}

/// A measurement under way.
pub struct Bench {
    began: Instant,
    cpu_s: f64,
}

impl Bench {
    /// Waits for the bench to say so, and starts the clocks.
    async fn start() -> Result<Bench, Failure> {
        say(&Said::Ready)?;
        let Asked::Go = asked().await? else { return Err("told something else than to go".into()) };
        Bench::started()
    }

    /// The clocks are started.
    ///
    /// # Errors
    /// If the system does not tell what this process has used up.
    pub fn started() -> Result<Bench, Failure> {
        Ok(Bench { cpu_s: Usage::now(0)?.cpu_s, began: Instant::now() })
    }

    /// Since then, in seconds.
    pub fn elapsed_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn done(&self, measured: Vec<(&str, f64)>, client: &impl Client) -> Result<(), Failure> {
        self.tell(measured, client.settings())
    }

    /// Tells the bench what was measured.
    ///
    /// # Errors
    /// If it has gone away.
    pub fn tell(&self, measured: Vec<(&str, f64)>, settings: crate::work::Settings) -> Result<(), Failure> {
        let cpu_s = Usage::now(0)?.cpu_s - self.cpu_s;
        let measured: Measured = measured.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        say(&Said::Done { measured, cpu_s, settings })
    }
}

async fn transfer(line: &mut impl Line, bytes: u64, work: &Work) -> Result<(), Failure> {
    let longest = STALLED_AFTER.max(Duration::from_secs((bytes + work.answer(bytes)) / SLOWEST));
    match timeout(longest, line.exchange(bytes, work.answer(bytes))).await {
        Ok(done) => done,
        Err(_) => {
            Err(format!("{bytes} bytes did not get through in {} s: the transfer has stalled", longest.as_secs())
                .into())
        }
    }
}

/// `bytes` on every line at once.
async fn transfers<L: Line>(lines: Vec<L>, bytes: u64, work: &Work) -> Result<Vec<L>, Failure> {
    let mut tasks = JoinSet::new();
    for mut line in lines {
        let work = work.clone();
        tasks.spawn(async move {
            transfer(&mut line, bytes, &work).await?;
            Ok::<_, Failure>(line)
        });
    }
    let mut lines = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        lines.push(ended??);
    }
    Ok(lines)
}

/// One request after another on every line, for `time`. Gives the lines back, and how long each request took, in ns.
async fn requests<L: Line>(lines: Vec<L>, size: u64, time: Duration) -> Result<(Vec<L>, Vec<u32>), Failure> {
    let until = Instant::now() + time;
    let mut tasks = JoinSet::new();
    for mut line in lines {
        tasks.spawn(async move {
            let mut times = Vec::new();
            let mut now = Instant::now();
            while now < until {
                line.exchange(size, size).await?;
                let then = std::mem::replace(&mut now, Instant::now());
                times.push(nanos(now - then));
            }
            Ok::<_, Failure>((line, times))
        });
    }
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    while let Some(ended) = tasks.join_next().await {
        let (line, times) = ended??;
        lines.push(line);
        all.extend(times);
    }
    Ok((lines, all))
}

/// So many objects, each on a fresh connection, `at_once` of them at a time. How long each took, in ns.
async fn objects<C: Client>(client: &Arc<C>, count: u64, at_once: u64, work: &Work) -> Result<Vec<u32>, Failure> {
    let left = Arc::new(AtomicU64::new(count));
    let mut tasks = JoinSet::new();
    for _ in 0..at_once {
        let (client, left, work) = (Arc::clone(client), Arc::clone(&left), work.clone());
        tasks.spawn(async move {
            let mut times = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                let began = Instant::now();
                for mut line in client.apart(1).await? {
                    transfer(&mut line, ASKING_LEN, &work).await?;
                }
                times.push(nanos(began.elapsed()));
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        all.extend(ended??);
    }
    Ok(all)
}

async fn handshakes<C: Client>(client: &Arc<C>, count: u64, concurrency: u64) -> Result<Vec<u32>, Failure> {
    let left = Arc::new(AtomicU64::new(count));
    let mut tasks = JoinSet::new();
    for _ in 0..concurrency {
        let (client, left) = (Arc::clone(client), Arc::clone(&left));
        tasks.spawn(async move {
            let mut times = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                let began = Instant::now();
                let held = client.connect().await?;
                times.push(nanos(began.elapsed()));
                C::close(held).await;
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        all.extend(ended??);
    }
    Ok(all)
}

/// A time in ns, or the longest that can be told (4 s).
pub fn nanos(time: Duration) -> u32 {
    u32::try_from(time.as_nanos()).unwrap_or(u32::MAX)
}

/// What to tell of requests that took `times`, in ns.
pub fn latencies(mut times: Vec<u32>, elapsed_s: f64) -> Vec<(&'static str, f64)> {
    times.sort_unstable();
    let part = |p: f64| times.get((times.len() as f64 * p) as usize).map_or(f64::NAN, |&ns| f64::from(ns) / 1_000.0);
    vec![
        ("elapsed_s", elapsed_s),
        ("count", times.len() as f64),
        ("p50_us", part(0.5)),
        ("p90_us", part(0.9)),
        ("p99_us", part(0.99)),
    ]
}
