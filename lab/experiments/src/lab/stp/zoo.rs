//! Guests that mean harm, beside those that do not, on one host and real sockets: a question of our own.

use core::time::Duration;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tng::{Access, Connection, Endpoint, GuestConnection, ServiceOptions, Stream, Ticket};
use tng_base::Semantic;
use tng_stp_host::{Code, End, Life, Quotas};
use tng_stp_sandbox::{Engine, Module, built_in};
use tokio::runtime::Runtime;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::ends::wall;
use crate::lab::sst::table2::root;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::guests::{self, Guest};
use crate::real::used;
use crate::settings::{Configured, Settings};

/// The zoo.
pub static ZOO: Experiment = Experiment {
    name: "stp/zoo",
    title: "Guests that mean harm",
    source: "ours",
    claim: "whatever a guest does, its host needs no more memory than the guest's quota and 1 MiB, what others send \
            arrives at 0.9 of its rate at least, and their requests take at most twice as long, by the worst \
            hundredth; both applications are told why it ended",
    about: "One endpoint runs, over the loopback interface, an honest guest (NewReno, a module) and streams, which two \
            peers fill at a rate, and answers requests of two others. Beside them one of the zoo at a time, as the \
            endpoint's end of a connection whose other end is an honest NewReno, or the same guest at both ends where \
            two of them could act in concert; both applications write at the same rate as the others, \
            and a peer whose connection has ended comes back after a while. Before each a spell without it; the \
            control is an honest NewReno in its place. The endpoint has a thread, and so have all peers together. \
            Memory is the process's: what it had more at most than when the connection began; beside it what the \
            endpoint itself knows to be held for the guest.",
    params: &[
        Param::rate("rate", "20mbit", "of the honest guest, of the streams, and of a bad guest's applications"),
        Param::span("every", "5ms", "from one request of a peer to the next"),
        Param::span("again", "1s", "from the end of a bad connection to the next"),
        Param::span("time", "3s", "of each spell"),
        Param::text(
            "source",
            "",
            "folder of the sources; unless given, the one around the current folder, or where this was built",
        ),
    ],
    worlds: Worlds::Real(Needs { root: false, minutes: 3 }),
    seeds: 1,
    vary: &[],
    run,
};

/// The project's own numbers.
const RATE: Goal = Goal::AtLeast(0.9);
const P99: Goal = Goal::AtMost(2.0);
/// Beyond the quota of each end.
const MEMORY: u64 = 1 << 20;

/// Where modules are.
const MODULES: &str = "transports/stp/guests/modules";
/// Each by the name of its file.
const ALL: [&str; 21] = [
    "ack-flooder",
    "ack-liar",
    "answerer",
    "busy",
    "ce-concealer",
    "colluding-receiver",
    "endless-loop",
    "limit-ignorer",
    "log-bomb",
    "memory-declared",
    "memory-hog",
    "outsider",
    "pointer",
    "re-enter",
    "recursion",
    "segment-forger",
    "sleeper",
    "starter",
    "table-bomb",
    "timer-bomb",
    "trap",
];
/// Those that two could do in concert.
const IN_CONCERT: [&str; 5] = ["ack-liar", "answerer", "ce-concealer", "colluding-receiver", "sleeper"];
/// An honest NewReno in their place.
const CONTROL: &str = "control";
/// The honest guest, and services.
const HONEST: &str = "newreno";
const SINK: (&str, &str) = ("sink", "zoo/1");
const ECHO: (&str, &str) = ("echo", "zoo/1");
/// Bytes of a request and of its answer.
const REQUEST: usize = 100;
/// How often memory is looked at, and how often those write who write at a rate.
const LOOK: Duration = Duration::from_millis(5);
const WRITES: Duration = Duration::from_millis(2);
/// So long a write that fails waits for what a read is told, which says more.
const GRACE: Duration = Duration::from_millis(200);
/// Peers that ask.
const ASKERS: usize = 2;
/// Left out at the beginning.
const WARM: Duration = Duration::from_secs(3);
/// After it a connection is given up that does not come to be.
const PATIENCE: Duration = Duration::from_secs(5);

/// What others have had in a spell.
#[derive(Clone, Debug, Default)]
struct Spell {
    guest_bps: f64,
    streams_bps: f64,
    p99_s: f64,
    requests: usize,
    memory: u64,
}

/// How a bad guest's connections went.
#[derive(Clone, Debug, Default)]
struct Told {
    /// What the application of the host was told, and of the peer; how often.
    host: BTreeMap<String, u64>,
    peer: BTreeMap<String, u64>,
    connections: u64,
}

/// One of the zoo, as it was seen.
struct Seen {
    name: &'static str,
    both: bool,
    spell: Spell,
    /// Bytes that the process had more, and those that the host held for the guest.
    more: u64,
    held: u64,
    told: Told,
}

/// Counts that tasks share.
#[derive(Default)]
struct Counts {
    guest: AtomicU64,
    streams: AtomicU64,
    took: Mutex<Vec<Duration>>,
    told: Mutex<Told>,
    over: AtomicBool,
    /// Most bytes that the host has held for a bad guest.
    held: AtomicU64,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the page is told of.
struct Setting<'a> {
    quotas: &'a Quotas,
    rate_bps: u64,
}

impl Configured for Setting<'_> {
    fn tell(&self, settings: &mut Settings) {
        settings.set("path", "kind", "the loopback interface");
        settings.configure("guests of the host", "guest", &["memory", "fuel"], self.quotas, &Quotas::default());
        settings.set("endpoints", "everything", "as by default of `Endpoint::builder`");
        settings.set("honest guest and streams", "bits per second, each", self.rate_bps);
        settings.set("requests", "bytes", REQUEST);
        settings.set("requests", "peers", ASKERS);
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let folder = root(&context.text("source"))?.join(MODULES);
    let quotas = Quotas::default();
    context.world(Setting { quotas: &quotas, rate_bps: context.rate("rate") });
    let engine = Engine::new(quotas).map_err(RunError::broken)?;
    let mut codes = vec![built_in_code(&engine, HONEST)?, built_in_code(&engine, &file(CONTROL))?];
    let mut refused = BTreeMap::new();
    for name in ALL {
        match load(&engine, &folder, name)? {
            Ok(code) => codes.push(code),
            Err(why) => drop(refused.insert(name, why)),
        }
    }
    let counts = Arc::new(Counts::default());
    let (host, peers) = (runtime()?, runtime()?);
    let piece = vec![0x5a; (context.rate("rate") as f64 / 8.0 * WRITES.as_secs_f64()) as usize];
    let (endpoint, ticket) = host.block_on(serve(&codes, piece.clone(), &counts))?;
    peers.block_on(crowd(&ticket, &piece, context.time("every"), &codes[0], &counts))?;
    let (time, mut calm) = (context.time("time"), Vec::new());
    counts.watch(WARM);
    let cases: Vec<(&'static str, bool)> = [CONTROL]
        .into_iter()
        .chain(ALL)
        .flat_map(|name| [false, true].map(|both| (name, both)))
        .filter(|(name, both)| !both || IN_CONCERT.contains(name))
        .collect();
    let mut seen = Vec::new();
    for (place, (name, both)) in cases.iter().copied().enumerate() {
        let left = time * 2 * (cases.len() - place) as u32;
        context.progress_with(format_args!("{name}{}", if both { ", both ends" } else { "" }), left);
        calm.push(counts.watch(time));
        counts.over.store(false, Ordering::Relaxed);
        *lock(&counts.told) = Told::default();
        let theirs = match both {
            true => load(&Engine::new(quotas).map_err(RunError::broken)?, &folder, name)?.map_err(RunError::broken)?,
            false => Code::native::<stp_guest_newreno::NewReno>(&file(name)),
        };
        counts.held.store(0, Ordering::Relaxed);
        let before = resident();
        let bad =
            peers.spawn(attack(ticket.clone(), theirs, piece.clone(), context.time("again"), Arc::clone(&counts)));
        let spell = counts.watch(time);
        counts.over.store(true, Ordering::Relaxed);
        peers
            .block_on(async { timeout(PATIENCE, bad).await })
            .map_err(|_| RunError::broken("a peer does not end"))?
            .map_err(|error| RunError::broken(format_args!("a peer panicked: {error}")))?;
        let told = lock(&counts.told).clone();
        let (more, held) = (spell.memory.saturating_sub(before), counts.held.load(Ordering::Relaxed));
        seen.push(Seen { name, both, spell, more, held, told });
    }
    calm.push(counts.watch(time));
    host.block_on(endpoint.close());
    peers.shutdown_background();
    host.shutdown_background();
    Ok(page(&quotas, &refused, &calm, &seen))
}

/// What came of it.
fn page(quotas: &Quotas, refused: &BTreeMap<&str, String>, calm: &[Spell], seen: &[Seen]) -> Outcome {
    let middle = |of: fn(&Spell) -> f64| {
        let mut values: Vec<f64> = calm.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let usual = [middle(|it| it.guest_bps), middle(|it| it.streams_bps), middle(|it| it.p99_s)];
    let head = ["guest", "verdict", "guest beside it", "streams", "p99", "more memory", "held for it", "holds"];
    let mut table = Table::new(&head).titled("The zoo, one by one");
    let mut words =
        Table::new(&["guest", "connections", "the host's application", "the peer's"]).titled("What was told");
    let mut results = Vec::new();
    let mut worst = [
        Worst::new(|than, value| value < than, f64::INFINITY),
        Worst::new(|than, value| value > than, f64::NEG_INFINITY),
        Worst::new(|than, value| value > than, f64::NEG_INFINITY),
    ];
    let mut untold = Vec::new();
    for Seen { name, both, spell, more, held, told } in seen {
        let ends = if *both { 2 } else { 1 };
        let who = format!("{name}{}", if *both { ", both ends" } else { "" });
        let rates = [spell.guest_bps / usual[0], spell.streams_bps / usual[1]];
        let (rate, slower) = (rates[0].min(rates[1]), spell.p99_s / usual[2]);
        let by_quota = *more as f64 / (ends * quotas.memory + MEMORY) as f64;
        if *name != CONTROL {
            for (worst, value) in worst.iter_mut().zip([rate, slower, by_quota]) {
                worst.see(value, &who);
            }
        }
        let holds = RATE.holds(rate) && P99.holds(slower) && by_quota <= 1.0;
        let host = match refused.get(name) {
            Some(why) => format!("not loaded: {why}"),
            None => Told::words(&told.host),
        };
        let verdict = match (refused.contains_key(name), told.host.is_empty()) {
            (true, _) => "refused when it is loaded",
            (false, true) => "runs on, and is held",
            (false, false) => "ended",
        };
        if verdict != "runs on, and is held" && told.peer.is_empty() {
            untold.push(who.clone());
        }
        table.row(vec![
            who.clone(),
            verdict.to_owned(),
            format!("{:.3}", rates[0]),
            format!("{:.3}", rates[1]),
            format!("{slower:.2}"),
            mib(*more),
            mib(*held),
            if holds { "yes" } else { "NO" }.to_owned(),
        ]);
        words.row(vec![who.clone(), told.connections.to_string(), host.clone(), Told::words(&told.peer)]);
        results.push(json!({
            "guest": name, "both_ends": both, "verdict": verdict, "guest_by_calm": rates[0],
            "streams_by_calm": rates[1], "p99_by_calm": slower, "more_bytes": more, "held_bytes": held,
            "requests": spell.requests, "connections": told.connections, "host_told": host,
            "peer_told": Told::words(&told.peer), "holds": holds,
        }));
    }
    let [rate, slower, memory] = worst;
    let spread = calm.iter().map(|it| it.p99_s / usual[2]).fold(0.0, f64::max);
    let outcome = Outcome::new(json!({
        "zoo": results, "calm_guest_bps": usual[0], "calm_streams_bps": usual[1], "calm_p99_s": usual[2],
        "calm_p99_worst_by_middle": spread,
    }));
    let outcome = outcome.table(table).table(words);
    let outcome = outcome
        .check(Check::new("others' rate by calm, worst of the zoo", rate.value, "", RATE).because(rate.who))
        .check(
            Check::new("p99 of others' requests by calm, worst of the zoo", slower.value, "", P99).because(slower.who),
        )
        .check(
            Check::new("memory by quota and 1 MiB, worst of the zoo", memory.value, "", Goal::AtMost(1.0))
                .because(memory.who),
        )
        .check(
            Check::new("ended without a word to the peer's application", untold.len() as f64, "", Goal::AtMost(0.0))
                .because(untold.join(", ")),
        );
    outcome.note(format!(
        "Calm is the spell in the middle of {}: the honest guest {:.2} Mbit/s, streams {:.2} Mbit/s, the worst \
         hundredth of requests {:.3} ms; the calm spell with the slowest requests had {spread:.2} times that.",
        calm.len(),
        usual[0] / 1e6,
        usual[1] / 1e6,
        usual[2] * 1e3
    ))
}

fn mib(bytes: u64) -> String {
    format!("{:.2} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The worst value, and whose it is.
struct Worst {
    is_worse: fn(f64, f64) -> bool,
    value: f64,
    who: String,
}

impl Worst {
    fn new(is_worse: fn(f64, f64) -> bool, value: f64) -> Worst {
        Worst { is_worse, value, who: String::new() }
    }

    fn see(&mut self, value: f64, who: &str) {
        if (self.is_worse)(self.value, value) {
            (self.value, self.who) = (value, who.to_owned());
        }
    }
}

impl Told {
    /// In words, the most frequent first.
    fn words(of: &BTreeMap<String, u64>) -> String {
        let mut all: Vec<(&String, &u64)> = of.iter().collect();
        all.sort_by_key(|(_, count)| core::cmp::Reverse(**count));
        match all.is_empty() {
            true => "nothing: it runs on".to_owned(),
            false => all.iter().map(|(what, count)| format!("{what} ({count})")).collect::<Vec<_>>().join("; "),
        }
    }
}

impl Counts {
    /// What others have in a time.
    fn watch(&self, time: Duration) -> Spell {
        let read = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let (guest, streams) = (read(&self.guest), read(&self.streams));
        lock(&self.took).clear();
        let (began, mut memory) = (wall(), resident());
        while began.elapsed() < time {
            pause(LOOK);
            memory = memory.max(resident());
        }
        let seconds = began.elapsed().as_secs_f64();
        let mut took = core::mem::take(&mut *lock(&self.took));
        took.sort_unstable();
        let p99 = took.get(took.len() * 99 / 100).copied();
        let rate = |bytes: u64| bytes as f64 * 8.0 / seconds;
        Spell {
            guest_bps: rate(read(&self.guest) - guest),
            streams_bps: rate(read(&self.streams) - streams),
            p99_s: p99.map_or(f64::NAN, |took| took.as_secs_f64()),
            requests: took.len(),
            memory,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "measures in real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Bytes of memory that this process has.
fn resident() -> u64 {
    used::resident(&[std::process::id()])
}

/// A thread for tasks.
fn runtime() -> Result<Runtime, RunError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().map_err(|error| RunError::broken(format_args!("no thread: {error}")))
}

/// NewReno under a name.
fn built_in_code(engine: &Engine, name: &str) -> Result<Code, RunError> {
    let bytes = built_in(HONEST).ok_or_else(|| RunError::broken("newreno is not built in"))?.bytes;
    let module = Module::new(engine, bytes).map_err(RunError::broken)?;
    module.code(name).ok_or_else(|| RunError::broken("newreno is no transport"))
}

/// What one is called.
fn file(name: &str) -> String {
    format!("zoo-{name}")
}

/// One of the zoo, or why it is not loaded.
fn load(engine: &Engine, folder: &Path, name: &str) -> Result<Result<Code, String>, RunError> {
    let file = file(name);
    let path = folder.join(&file).with_extension("wasm");
    let bytes =
        std::fs::read(&path).map_err(|error| RunError::broken(format_args!("reading {}: {error}", path.display())))?;
    Ok(match Module::new(engine, &bytes) {
        Ok(module) => module.code(&file).ok_or_else(|| "it is no transport".to_owned()),
        Err(error) => Err(error.to_string()),
    })
}

/// One of the zoo for worlds in virtual time, compiled once for all of them.
pub(super) fn guest(name: &str) -> Result<Guest, RunError> {
    static KEPT: Mutex<BTreeMap<String, Guest>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(guest) = kept.get(name) {
        return Ok(*guest);
    }
    let folder = root("")?.join(MODULES);
    let engine = Engine::new(guests::quotas()).map_err(RunError::broken)?;
    let guest = Guest::given(load(&engine, &folder, name)?.map_err(RunError::broken)?);
    kept.insert(name.to_owned(), guest);
    Ok(guest)
}

/// The host, and its applications.
async fn serve(codes: &[Code], piece: Vec<u8>, counts: &Arc<Counts>) -> Result<(Endpoint, Ticket), RunError> {
    let at = "127.0.0.1:0".parse().map_err(RunError::broken)?;
    let mut builder = Endpoint::builder().bind(at).access(Access::Public);
    for code in codes {
        builder = builder.transport(code.clone());
    }
    for (service, protocol) in [SINK, ECHO] {
        builder = builder.listen(service, protocol, ServiceOptions::default());
    }
    let endpoint = builder.build().await.map_err(RunError::broken)?;
    let ticket = endpoint.ticket().map_err(RunError::broken)?;
    let (accepting, counts) = (endpoint.clone(), Arc::clone(counts));
    let honest = codes[0].protocol();
    tokio::spawn(async move {
        while let Some(incoming) = accepting.accept().await {
            let Ok(connection) = incoming.accept().await else { continue };
            let counts = Arc::clone(&counts);
            match connection.guest() {
                Ok(guest) if connection.protocol().is_some_and(|name| name == honest) => {
                    tokio::spawn(sink_guest(guest, counts));
                }
                Ok(guest) => drop(tokio::spawn(beside(guest, counts, piece.clone(), true))),
                Err(_) => drop(tokio::spawn(streams(connection, counts))),
            }
        }
    });
    Ok((endpoint, ticket))
}

async fn sink_guest(mut guest: GuestConnection, counts: Arc<Counts>) {
    let mut room = vec![0; 64 << 10];
    while let Ok(len @ 1..) = guest.read(&mut room).await {
        counts.guest.fetch_add(len as u64, Ordering::Relaxed);
    }
}

async fn streams(connection: Connection, counts: Arc<Counts>) {
    while let Ok(incoming) = connection.accept().await {
        let (counts, echoes) = (Arc::clone(&counts), *incoming.service == *ECHO.0);
        let mut stream = incoming.stream;
        tokio::spawn(async move {
            while let Ok(Some(bytes)) = stream.read_chunk(64 << 10).await {
                match echoes {
                    true if stream.write_all(&bytes).await.is_err() => return,
                    true => {}
                    false => drop(counts.streams.fetch_add(bytes.len() as u64, Ordering::Relaxed)),
                }
            }
        });
    }
}

/// Writes and reads at one end of a bad guest's connection, until that is over, and keeps what it was told.
async fn beside(guest: GuestConnection, counts: Arc<Counts>, piece: Vec<u8>, at_host: bool) {
    let (mut reading, mut writing) = (guest.clone(), guest.clone());
    let read = async {
        let mut room = vec![0; 64 << 10];
        loop {
            match reading.read(&mut room).await {
                Ok(1..) => {}
                Ok(0) => break "the end of the stream".to_owned(),
                Err(error) => break error.to_string(),
            }
        }
    };
    let write = async {
        let mut ticks = ticks(WRITES);
        loop {
            ticks.tick().await;
            if let Err(error) = writing.write_all(&piece).await {
                sleep(GRACE).await;
                break error.to_string();
            }
        }
    };
    let over = async {
        while !counts.over.load(Ordering::Relaxed) {
            if let (true, Ok(held)) = (at_host, guest.with(|it| it.bytes_held())) {
                counts.held.fetch_max(held, Ordering::Relaxed);
            }
            sleep(LOOK).await;
        }
    };
    let why = tokio::select! {
        why = read => why,
        why = write => why,
        () = over => return,
    };
    if counts.over.load(Ordering::Relaxed) {
        // The spell is over, and its end is no doing of the guest's.
        return;
    }
    // The guest's own end says more than that of its connection.
    let life = guest.with(|it| match it.life() {
        Life::Ended(End::Stopped(fault)) => Some(fault.to_string()),
        _ => None,
    });
    let why = life.ok().flatten().unwrap_or(why);
    let mut told = lock(&counts.told);
    *if at_host { &mut told.host } else { &mut told.peer }.entry(why).or_default() += 1;
}

/// Peers that mean no harm.
async fn crowd(
    ticket: &Ticket,
    piece: &[u8],
    every: Duration,
    code: &Code,
    counts: &Arc<Counts>,
) -> Result<(), RunError> {
    let client = Endpoint::builder().transport(code.clone()).build().await.map_err(RunError::broken)?;
    let mut guest = client.connect_transport(ticket, HONEST).await.map_err(RunError::broken)?;
    let [bytes, piece] = [piece.to_vec(), piece.to_vec()];
    tokio::spawn(async move {
        let (_client, mut ticks) = (client, ticks(WRITES));
        loop {
            ticks.tick().await;
            if guest.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
    let client = Endpoint::builder().build().await.map_err(RunError::broken)?;
    let connection = client.connect(ticket).await.map_err(RunError::broken)?;
    let mut stream = connection.open(SINK.0, SINK.1).await.map_err(RunError::broken)?;
    tokio::spawn(async move {
        let (_client, mut ticks) = (client, ticks(WRITES));
        loop {
            ticks.tick().await;
            if stream.write_all(&piece).await.is_err() {
                return;
            }
        }
    });
    for _ in 0..ASKERS {
        let client = Endpoint::builder().build().await.map_err(RunError::broken)?;
        let connection = client.connect(ticket).await.map_err(RunError::broken)?;
        let stream = connection.open(ECHO.0, ECHO.1).await.map_err(RunError::broken)?;
        let counts = Arc::clone(counts);
        tokio::spawn(async move {
            let _client = client;
            ask(stream, every, &counts).await;
        });
    }
    Ok(())
}

fn ticks(every: Duration) -> tokio::time::Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    ticks
}

/// Asks again and again, and counts how long answers take.
async fn ask(mut stream: Stream, every: Duration, counts: &Counts) {
    let mut ticks = ticks(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let began = wall();
        if stream.write_all(&[7; REQUEST]).await.is_err() {
            return;
        }
        let mut left = REQUEST;
        while left > 0 {
            match stream.read_chunk(left).await {
                Ok(Some(bytes)) => left -= bytes.len(),
                Ok(None) | Err(_) => return,
            }
        }
        lock(&counts.took).push(began.elapsed());
    }
}

/// Connects by a bad guest, and again whenever that has ended.
async fn attack(ticket: Ticket, code: Code, piece: Vec<u8>, again: Duration, counts: Arc<Counts>) {
    let name = code.name().to_owned();
    let Ok(client) = Endpoint::builder().transport(code).build().await else { return };
    while !counts.over.load(Ordering::Relaxed) {
        lock(&counts.told).connections += 1;
        match timeout(PATIENCE, client.connect_transport(&ticket, &name)).await {
            Ok(Ok(guest)) => beside(guest, Arc::clone(&counts), piece.clone(), false).await,
            Ok(Err(error)) => *lock(&counts.told).peer.entry(error.to_string()).or_default() += 1,
            Err(_) => *lock(&counts.told).peer.entry("no answer".to_owned()).or_default() += 1,
        }
        let began = wall();
        while began.elapsed() < again && !counts.over.load(Ordering::Relaxed) {
            sleep(LOOK).await;
        }
    }
    client.close().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_zoo_is_there_and_those_that_no_host_can_run_are_not_loaded() {
        let folder = root("").expect("sources").join(MODULES);
        let engine = Engine::new(Quotas::default()).expect("an engine");
        let refused: Vec<&str> =
            ALL.into_iter().filter(|name| load(&engine, &folder, name).expect("a module").is_err()).collect();
        assert_eq!(refused, ["memory-declared", "outsider", "starter", "table-bomb"]);
        let files = std::fs::read_dir(folder).expect("modules").filter_map(Result::ok);
        let zoo = files.filter(|file| {
            let name = file.file_name().into_string().unwrap_or_default();
            name.starts_with("zoo-") && name.ends_with(".wasm")
        });
        assert_eq!(zoo.count(), ALL.len());
    }

    #[test]
    fn the_worst_is_kept_with_its_name() {
        let mut worst = Worst::new(|than, value| value > than, f64::NEG_INFINITY);
        for (value, who) in [(1.0, "a"), (3.0, "b"), (2.0, "c")] {
            worst.see(value, who);
        }
        assert_eq!((worst.value, worst.who.as_str()), (3.0, "b"));
    }
}
