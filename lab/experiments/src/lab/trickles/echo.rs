//! What a server that keeps nothing costs beside one that does nothing.

use core::cell::Cell;
use core::future::poll_fn;
use core::time::Duration;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::mpsc;

use serde_json::json;
use tng::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, Socket, UdpSocket};
use tng_base::{Ecn, Rng, Transmit};
use tng_emulator::Topology;
use tng_emulator::transfer::Origin;
use tng_sim::{Link, topology};
use tokio::sync::oneshot;
use tokio::time;

use super::twins::{Over, Serving, Standing, Twin, address_of, addresses, begins};
use super::visits::{self, Manner, Span};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;
use crate::peers::transport::trickles::{Usage, client_config};
use crate::peers::trial::network;
use crate::real::used;
use crate::real::visitor::inside;
use crate::settings::{Configured, Settings};

/// Beside an echo.
pub static ECHO: Experiment = Experiment {
    name: "trickles/echo",
    title: "What keeping nothing costs beside doing nothing",
    source: "ours, after Trickles 6.1",
    claim: "a server of Trickles, which opens, proves, computes and encrypts, brings three quarters of the bytes for a \
            second of its processor that a server brings which answers with as many datagrams and does nothing else",
    about: "On one host, without a link: clients fetch a file again and again from tng trickles serve; and as many \
            clients ask an echo, whose requests are as long, and which answers each with as many datagrams of the same \
            size, by one call, out of a buffer that does not change. How many answer a request is what the server of \
            Trickles has answered one with. Bytes that came, for each second of the server's processor; tng-bench \
            stateless measures the same with more peers.",
    params: &[
        Param::count("clients", "64", (1, 1_000), "at the same time"),
        Param::size("size", "10MB", "of the file"),
        Param::span("settle", "2s", "that is not counted"),
        Param::span("time", "10s", "that is"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 1 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Bytes of a server of Trickles for a second of its processor, of those of an echo: the project's own number.
const OF_ECHO: Goal = Goal::AtLeast(0.75);
/// Bytes of a request, as those of Trickles have on the average.
const REQUEST_LEN: usize = 160;
/// Bytes of a file in the largest packet of Trickles: a datagram of the echo counts for as many.
const CARRIED: u64 = 1_397;
/// Requests of a client of the echo under way at once.
const UNDER_WAY: u64 = 8;
/// One to whom nothing comes for so long asks again: something was lost.
const AGAIN_AFTER: Duration = Duration::from_millis(20);
/// Where the echo listens.
const PORT: u16 = 4_860;
/// Bytes of the most that comes in one datagram.
const DATAGRAM_MAX: usize = 2_048;

/// What a server came to.
struct Answered {
    bytes: u64,
    seconds: f64,
    process: Duration,
    /// Datagrams for each request.
    granted: f64,
}

impl Answered {
    fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.process.as_secs_f64()
    }
}

fn trickles(context: &Context<'_>) -> Result<Answered, RunError> {
    let (seed, clients, settle, span) =
        (context.seed, context.count("clients"), context.time("settle"), context.time("time"));
    let twin =
        Twin { seed, link: None, over: Over::Trickles, processes: 1, more: &[], bytes: context.size("size"), clients };
    let mut standing = context.world(twin).begin()?;
    let stands = &standing;
    let ran = inside(&stands.network, stands.clients, || async move {
        let mut rng = Rng::from_u64(seed);
        let visits = visits::begin(stands, clients, Manner::Greedy, &mut rng);
        time::sleep(begins(clients) + settle).await;
        let Span { seconds, bytes, process } = visits.measure(&stands.pids(), span).await;
        let failed = visits.failed.take();
        match failed.count() {
            1.. => Err(RunError::broken(failed)),
            0 => Ok(Answered { bytes, seconds, process, granted: f64::NAN }),
        }
    });
    let answered = ran.map_err(fault)??;
    let Standing { serving: Serving::Trickles(fleet), .. } = &mut standing else {
        return Err(RunError::broken("it is of another kind"));
    };
    let served = fleet.end(0).map_err(fault)?;
    let count = |key: &str| served[key].as_f64().unwrap_or(f64::NAN);
    Ok(Answered { granted: count("packets") / count("requests"), ..answered })
}

/// For a page.
struct Echoes {
    clients: u64,
    granted: usize,
}

impl Configured for Echoes {
    fn tell(&self, settings: &mut Settings) {
        let Echoes { clients, granted } = self;
        settings.set("echo", "clients", clients);
        settings.set("echo", "bytes of a request", REQUEST_LEN);
        settings.set("echo", "requests of each under way", UNDER_WAY);
        settings.set("echo", "datagrams that answer one", granted);
        settings.set("echo", "bytes of each", datagram_len());
    }
}

fn datagram_len() -> usize {
    client_config(Usage::USUAL).datagram_len
}

fn echo(context: &Context<'_>, granted: usize) -> Result<Answered, RunError> {
    let (clients, settle, span) = (context.count("clients"), context.time("settle"), context.time("time"));
    let Echoes { clients, granted } = context.world(Echoes { clients, granted });
    let mut plan = Topology::pair(context.seed, &Link::new());
    let own = topology::ipv4(0xff);
    plan.nodes[0].addresses = [own].into_iter().chain(addresses()).collect();
    let (network, server) = (network(&plan)?, SocketAddr::new(own, PORT));
    let (say, told) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    std::thread::scope(|scope| {
        let network = &network;
        let serving = scope.spawn(move || {
            inside(network, 0, || async move {
                let socket = UdpSocket::bind(server).map_err(RunError::broken)?;
                let thread = std::fs::read_link("/proc/thread-self").map_err(RunError::broken)?;
                let _ = say.send(thread);
                tokio::select! {
                    answered = answer(&socket, granted) => answered.map_err(RunError::broken),
                    _ = stopped => Ok(()),
                }
            })
        });
        let answered = match told.recv() {
            Ok(thread) => inside(network, 0, || async move {
                let came: Rc<Cell<u64>> = Rc::default();
                for number in 0..clients {
                    tokio::task::spawn_local(ask(address_of(number), server, granted as u64, Rc::clone(&came)));
                }
                time::sleep(settle).await;
                let (origin, before, process) = (Origin::now(), came.get(), used::thread(&thread));
                time::sleep(span).await;
                let (seconds, datagrams) = (origin.elapsed().as_secs_f64(), came.get() - before);
                let process = used::thread(&thread).saturating_sub(process);
                Answered { bytes: datagrams * CARRIED, seconds, process, granted: granted as f64 }
            })
            .map_err(fault),
            Err(_) => Err(RunError::broken("the echo does not begin")),
        };
        // Whether or not it still waits for that.
        let _ = stop.send(());
        let served = serving.join().map_err(|_| RunError::broken("the echo panicked"))?;
        served.map_err(fault)??;
        answered
    })
}

/// Answers each request with so many datagrams.
async fn answer(socket: &UdpSocket, granted: usize) -> std::io::Result<()> {
    let len = datagram_len();
    let (mut inbox, out) = (vec![0; RECEIVE_BATCH * RECEIVE_BUFFER], vec![7; granted * len]);
    let mut received = [Received::default(); RECEIVE_BATCH];
    loop {
        poll_fn(|cx| socket.poll_readable(cx)).await?;
        let Ok(count) = socket.try_receive(&mut inbox, &mut received) else { continue };
        for one in &received[..count] {
            for _ in 0..one.len.div_ceil(one.segment_size.max(1)) {
                let answer =
                    Transmit { remote: one.remote, local: None, ecn: Ecn::NotEct, len: out.len(), segment_size: len };
                // What there is no room for is lost, as it would be on the way.
                let _ = socket.try_send(&answer, &out);
            }
        }
    }
}

/// Asks again and again.
async fn ask(from: IpAddr, server: SocketAddr, granted: u64, came: Rc<Cell<u64>>) -> std::io::Result<()> {
    let socket = tokio::net::UdpSocket::bind((from, 0)).await?;
    socket.connect(server).await?;
    socket.writable().await?;
    let (request, mut inbox) = ([1; REQUEST_LEN], [0; DATAGRAM_MAX]);
    let mut owed = 0_u64;
    loop {
        while owed < UNDER_WAY * granted {
            let _ = socket.try_send(&request);
            owed += granted;
        }
        if time::timeout(AGAIN_AFTER, socket.readable()).await.is_err() {
            owed = 0;
            continue;
        }
        while socket.try_recv(&mut inbox).is_ok() {
            came.set(came.get() + 1);
            owed = owed.saturating_sub(1);
        }
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    context.progress("Trickles");
    let own = trickles(context)?;
    let granted = own.granted.round().max(1.0) as usize;
    context.progress("echo");
    let echo = echo(context, granted)?;
    let mut table =
        Table::new(&["", "bytes for a second of the server's processor", "datagrams for a request", "rate"]);
    for (name, answered) in [("Trickles", &own), ("echo", &echo)] {
        table.row(vec![
            name.to_owned(),
            format!("{:.1} MB", answered.bytes_per_s() / 1e6),
            format!("{:.2}", answered.granted),
            format!("{:.1} Mbit/s", answered.bytes as f64 * 8e-6 / answered.seconds),
        ]);
    }
    let share = own.bytes_per_s() / echo.bytes_per_s();
    let us_each = |one: &Answered| CARRIED as f64 / one.bytes_per_s() * 1e6;
    let why = format!(
        "a packet costs {:.2} µs of the server's processor, and one of the echo {:.2} µs",
        us_each(&own),
        us_each(&echo)
    );
    let results = json!({
        "trickles_bytes_per_s": own.bytes_per_s(), "echo_bytes_per_s": echo.bytes_per_s(), "granted": own.granted,
        "trickles_bps": own.bytes as f64 * 8.0 / own.seconds, "echo_bps": echo.bytes as f64 * 8.0 / echo.seconds,
    });
    let check = Check::new("Trickles by an echo: bytes for a second of the server's processor", share, "", OF_ECHO);
    Ok(Outcome::new(results).table(table).check(check.because(why)).note(format!(
        "A datagram of the echo counts for {CARRIED} bytes, as many as a packet of Trickles has of a file. Clients of \
             both are in one thread of the lab's process and send each request by a call of its own, so that a server \
             finds few of them together: what a call costs weighs more than with clients of the library, which send \
             several at once (docs/performance.md)."
    )))
}
