//! Figure 24: what a server's processor does for its clients.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tokio::time;

use super::testbed::LAN_RTT;
use super::twins::{Over, Twin, begins, lan};
use super::visits::{self, Manner, Span};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;
use crate::real::breakdown::{Breakdown, Purpose, look};
use crate::real::visitor::inside;

/// Figure 24.
pub static FIG24: Experiment = Experiment {
    name: "trickles/fig24",
    title: "What a server's processor does",
    source: "Trickles 6.1, Figure 24",
    claim: "a server that keeps nothing has more to do than one of TCP, as it verifies and computes what it does not \
            keep: half of that is cryptography, half the protocol; and it is nearly as fast",
    about: "Six clients fetch a large file again and again over a switched LAN: from nginx over the kernel's TCP, and \
            from tng trickles serve, without caches. For each megabyte that comes: the processor time of the server's \
            process; that of the kernel for packets which come to it, measured where the emulator hands them over, \
            with all that they make the kernel send; and of the process, by the functions in which perf finds it, what \
            it is spent on. The paper's link is 1 Gbit/s, between machines.",
    params: &[
        Param::count("clients", "6", (1, 100), "at the same time"),
        Param::rate("rate", "200mbit", "of the link"),
        Param::size("size", "100MB", "of the file"),
        Param::span("settle", "3s", "that is not counted"),
        Param::span("time", "10s", "that is; and as long again under perf"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 2 }),
    seeds: 1,
    vary: &[],
    run,
};

/// The servers: what they are called, over what, and what their commands say beside. A server with caches is a row
/// more, with the words that turn them on.
const SERVERS: [(&str, Over, &[&str]); 2] =
    [("the kernel's TCP", Over::Tcp, &[]), ("Trickles, no caches", Over::Trickles, &[])];
/// What clients of Trickles have together of what those of TCP have: the paper's 881 of 947 Mbit/s, and the bytes of
/// a packet that are not the file's on a link that both fill.
const NOT_BELOW: Goal = Goal::AtLeast(0.9);
/// What the paper has.
const PAPER_MBITS: [u64; 2] = [947, 881];
/// The lane from the clients to the server.
const TO_SERVER: usize = 0;

/// What a server came to.
struct Spent {
    name: &'static str,
    rate_bps: f64,
    /// Seconds of its process for each megabyte.
    process_s: f64,
    /// The same of the kernel for what comes in.
    incoming_s: f64,
    breakdown: Breakdown,
}

impl Spent {
    fn all_s(&self) -> f64 {
        self.process_s + self.incoming_s
    }
}

fn spent(
    context: &Context<'_>,
    (name, over, more): (&'static str, Over, &'static [&'static str]),
) -> Result<Spent, RunError> {
    context.progress(name);
    let (seed, clients, span) = (context.seed, context.count("clients"), context.time("time"));
    let (link, settle) = (Some(lan(context, context.rate("rate"), LAN_RTT)), context.time("settle"));
    let twin = Twin { seed, link, over, processes: 1, more, bytes: context.size("size"), clients };
    let standing = &context.world(twin).begin()?;
    let writing = || standing.network.figures().get(TO_SERVER).map(|lane| lane.writing).unwrap_or_default();
    let pids = standing.pids();
    let ran = inside(&standing.network, standing.clients, || async move {
        let mut rng = Rng::from_u64(seed);
        let visits = visits::begin(standing, clients, Manner::Greedy, &mut rng);
        time::sleep(begins(clients) + settle).await;
        let before = writing();
        let Span { seconds, bytes, process } = visits.measure(&pids, span).await;
        let incoming = writing() - before;
        // It waits for a process, and so may not stand in the way of clients.
        let looked = tokio::task::spawn_blocking(move || look(&pids, span)).await.map_err(RunError::broken)?;
        let failed = visits.failed.take();
        if failed.count() > 0 {
            return Err(RunError::broken(format_args!("{name}: {failed}")));
        }
        let each = |time: Duration| time.as_secs_f64() / (bytes as f64 / 1e6);
        Ok(Spent {
            name,
            rate_bps: bytes as f64 * 8.0 / seconds,
            process_s: each(process),
            incoming_s: each(incoming),
            breakdown: looked,
        })
    });
    ran.map_err(fault)?
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let servers = SERVERS.into_iter().map(|server| spent(context, server)).collect::<Result<Vec<_>, _>>()?;
    let us = |seconds: f64| format!("{:.0} µs", seconds * 1e6);
    let names = servers.iter().map(|server| server.name);
    let mut table = Table::new(&["for each megabyte"].into_iter().chain(names).collect::<Vec<_>>());
    let mut row = |name: &str, of: &dyn Fn(&Spent) -> String| {
        table.row([name.to_owned()].into_iter().chain(servers.iter().map(of)).collect());
    };
    let sampled = |server: &Spent, place: usize| match &server.breakdown {
        Breakdown::Sampled(shares, _) => us(server.process_s * shares[place]),
        Breakdown::Ticks(_) => "–".to_owned(),
    };
    let ticks = |server: &Spent, place: usize| match &server.breakdown {
        Breakdown::Sampled(..) => "–".to_owned(),
        Breakdown::Ticks(shares) => us(server.process_s * shares[place]),
    };
    for (place, purpose) in Purpose::ALL.into_iter().enumerate() {
        row(purpose.name(), &|server| sampled(server, place));
    }
    if servers.iter().any(|server| matches!(server.breakdown, Breakdown::Ticks(_))) {
        row("the process itself", &|server| ticks(server, 0));
        row("the kernel for it", &|server| ticks(server, 1));
    }
    row("of the process, all", &|server| us(server.process_s));
    row("packets that come in, and what they make the kernel send", &|server| us(server.incoming_s));
    row("all", &|server| us(server.all_s()));
    row("all, by that of TCP", &|server| format!("{:.2}", server.all_s() / servers[0].all_s()));
    row("of one processor, at this rate", &|server| format!("{:.1} %", 100.0 * server.all_s() * server.rate_bps / 8e6));
    row("rate", &|server| format!("{:.2} Mbit/s", server.rate_bps / 1e6));
    row("samples of perf", &|server| match &server.breakdown {
        Breakdown::Sampled(_, samples) => samples.to_string(),
        Breakdown::Ticks(_) => "no perf here".to_owned(),
    });
    let results: Vec<_> = servers
        .iter()
        .map(|server| {
            let shares = match &server.breakdown {
                Breakdown::Sampled(shares, samples) => json!({
                    "samples": samples,
                    "shares": Purpose::ALL.iter().zip(shares).map(|(it, share)| (it.name(), share)).collect::<Vec<_>>(),
                }),
                Breakdown::Ticks(shares) => json!({ "own": shares[0], "kernel": shares[1] }),
            };
            json!({
                "name": server.name, "rate_bps": server.rate_bps, "process_s_per_mb": server.process_s,
                "incoming_s_per_mb": server.incoming_s, "process": shares,
            })
        })
        .collect();
    let [tcp, own] = PAPER_MBITS;
    let by = servers[1].rate_bps / servers[0].rate_bps;
    let check = Check::new("Trickles by the kernel's TCP: rate", by, "", NOT_BELOW);
    let check = check.paper(format!("{own} of {tcp} Mbit/s, {:.2}", own as f64 / tcp as f64));
    Ok(Outcome::new(json!({ "servers": results })).table(table).check(check).note(
        "Times of the process are its threads' own, of /proc/PID/task/TID/schedstat, in a span without perf; shares \
         are those of perf's samples in a span after it, told apart by the names of functions: what was compiled into \
         another function counts with that. Where there is no perf, utime and stime of /proc/PID/stat stand instead. \
         What comes in is handled by the kernel while the emulator writes it to the server's device: acknowledgments, \
         and the segments that they let TCP send, or requests, which wait for the process. That time is the emulator's \
         clock around each write, and has the cost of the write itself in it, for both. There is no segmentation or \
         checksum by a device here: the kernel does both. nginx sends files without copying them into its process, and \
         encrypts nothing; tng trickles serve reads, encrypts and proves. The paper's TCP copied, and its Trickles did \
         not encrypt what it sent.",
    ))
}
