//! The same with processes: what they have in memory, and what the kernel has for TCP.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::transfer::Origin;
use tokio::task::JoinSet;
use tokio::time;

use super::super::testbed::{LAN_RTT, RATE_BPS};
use super::super::twins::{Over, Standing, Twin, address_of, begins, lan};
use super::super::visits::{self, Manner};
use super::{NOT_BELOW, OBJECT_BYTES, PAPER_TCP_CLIENTS_MAX};
use crate::lab::causes::Causes;
use crate::lab::{Check, Context, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::real::used::{self, TcpHeld};
use crate::real::visitor::{Visitor, Wanted, inside};

/// Processes of nginx.
const PROCESSES: u32 = 4;
/// Most that the server of Trickles has more with clients than without, MiB: the project's own number.
const MORE_MIB: Goal = Goal::AtMost(2.0);
/// Files of clients on loopback that came whole in the end, of those that were read to their end.
const WHOLE: Goal = Goal::AtLeast(1.0);
const MIB: f64 = 1_048_576.0;
/// How often it is looked what is held.
const LOOKS: u32 = 10;

/// Bytes that a silent client has room for; of so many it has read half.
const ROOM: u32 = 4_000;
/// Silent clients that begin at once.
const AT_ONCE: u64 = 50;
/// Until what one has asked for is there.
const FALLS_SILENT: Duration = Duration::from_millis(10);
/// One silent client in so many reads on to its end.
const READS_ON_ONE_IN: u64 = 1_000;

/// What a server came to.
struct Load {
    over: Over,
    clients: u64,
    aggregate_bps: f64,
    whole: u64,
    failed: Causes,
    held: Held,
}

/// What was held at most.
#[derive(Clone, Copy, Default)]
struct Held {
    /// By the server's processes, before and with clients.
    before: u64,
    resident: u64,
    /// By the kernel for TCP, beyond what it had before.
    tcp: TcpHeld,
}

impl Held {
    fn look(&mut self, standing: &Standing, idle: TcpHeld) -> Result<(), RunError> {
        let tcp = tcp_held(standing)?;
        self.resident = self.resident.max(used::resident(&standing.pids()));
        self.tcp.buffers = self.tcp.buffers.max(tcp.buffers.saturating_sub(idle.buffers));
        self.tcp.connections = self.tcp.connections.max(tcp.connections.saturating_sub(idle.connections));
        Ok(())
    }

    /// Of the kernel for TCP: buffers, and structures of sockets.
    fn kernel(&self) -> f64 {
        let structures = used::tcp_structures().unwrap_or(0) * self.tcp.connections;
        (self.tcp.buffers + structures) as f64
    }

    /// Beyond what the server had before anybody came.
    fn more(&self) -> f64 {
        self.resident as f64 - self.before as f64
    }
}

fn tcp_held(standing: &Standing) -> Result<TcpHeld, RunError> {
    standing.network.run(standing.server, used::tcp_held).map_err(RunError::broken)
}

/// So many clients over the link, each again and again.
fn load(context: &Context<'_>, over: Over, clients: u64) -> Result<Load, RunError> {
    let link = Some(lan(context, RATE_BPS, LAN_RTT));
    let (seed, time) = (context.seed, context.time("real-time"));
    let twin = Twin { seed, link, over, processes: PROCESSES, more: &[], bytes: OBJECT_BYTES, clients };
    let standing = context.world(twin).begin()?;
    let (idle, standing) = (tcp_held(&standing)?, &standing);
    inside(&standing.network, standing.clients, || async move {
        let mut rng = Rng::from_u64(seed);
        let mut held = Held { before: used::resident(&standing.pids()), ..Held::default() };
        let visits = visits::begin(standing, clients, Manner::Greedy, &mut rng);
        time::sleep(begins(clients) + time / 4).await;
        let (origin, before, span) = (Origin::now(), visits.came.get(), time * 3 / 4);
        for _ in 0..LOOKS {
            time::sleep(span / LOOKS).await;
            held.look(standing, idle)?;
        }
        let came = visits.came.get() - before;
        let aggregate_bps = came as f64 * 8.0 / origin.elapsed().as_secs_f64();
        let (whole, failed) = (visits.whole.get(), visits.failed.take());
        Ok(Load { over, clients, aggregate_bps, whole, failed, held })
    })
    .map_err(fault)?
}

/// Clients on the server's own host, each in the middle of its file and silent.
struct Silent {
    clients: u64,
    held: Held,
    took: Duration,
    /// Files that the process of the clients has open, sockets among them.
    open_files: u64,
}

/// What the server holds with so many silent clients, one number after the other, and how many of those that read on
/// to the end had it whole.
fn silent(context: &Context<'_>, over: Over, numbers: &[u64]) -> Result<(Vec<Silent>, f64), RunError> {
    let (seed, most) = (context.seed, numbers.iter().copied().max().unwrap_or(0));
    let twin = Twin { seed, link: None, over, processes: PROCESSES, more: &[], bytes: OBJECT_BYTES, clients: most };
    let standing = context.world(twin).begin()?;
    let (idle, standing) = (tcp_held(&standing)?, &standing);
    inside(&standing.network, standing.clients, || async move {
        let (mut rng, wanted) = (Rng::from_u64(seed), Wanted { buffer: Some(ROOM), ..standing.wanted() });
        // What a server has in the first moment it has for all of them.
        read_on(begin(standing, &wanted, 0, &mut rng).await?).await?;
        let (origin, before) = (Origin::now(), used::resident(&standing.pids()));
        let (mut all, mut rows) = (Vec::new(), Vec::new());
        for number in numbers {
            while (all.len() as u64) < *number {
                time::sleep(origin.until(begins(all.len() as u64))).await;
                let first = all.len() as u64;
                let mut beginning = JoinSet::new();
                for nth in first..(first + AT_ONCE).min(*number) {
                    let (source, wanted, mut rng) = (standing.source(), wanted.clone(), rng.fork());
                    beginning.spawn_local(async move {
                        let mut visitor = Visitor::begin(&source, wanted, address_of(nth), 0, &mut rng).await?;
                        while visitor.at() < ROOM as usize / 2 {
                            visitor.read().await?;
                        }
                        visitor.rest(FALLS_SILENT).await?;
                        visitor.leave();
                        Ok::<_, String>(visitor)
                    });
                }
                while let Some(begun) = beginning.join_next().await {
                    all.push(begun.map_err(RunError::broken)?.map_err(RunError::broken)?);
                }
            }
            let mut held = Held { before, ..Held::default() };
            held.look(standing, idle)?;
            // Both ends of each are there.
            held.tcp.connections /= 2;
            let (took, open_files) = (origin.elapsed(), used::open_files());
            rows.push(Silent { clients: *number, held, took, open_files });
        }
        let (mut reading, mut whole) = (0_u32, 0_u32);
        for visitor in all.into_iter().step_by(READS_ON_ONE_IN as usize) {
            reading += 1;
            whole += u32::from(read_on(visitor).await.is_ok());
        }
        Ok((rows, f64::from(whole) / f64::from(reading)))
    })
    .map_err(fault)?
}

async fn begin(standing: &Standing, wanted: &Wanted, nth: u64, rng: &mut Rng) -> Result<Visitor, RunError> {
    let begun = Visitor::begin(&standing.source(), wanted.clone(), address_of(nth), 0, rng).await;
    begun.map_err(RunError::broken)
}

async fn read_on(mut visitor: Visitor) -> Result<(), RunError> {
    while visitor.read().await.map_err(RunError::broken)? > 0 {}
    visitor.end();
    Ok(())
}

pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut loads = Vec::new();
    for clients in context.counts("real-clients") {
        for over in Over::BOTH {
            context.progress(format_args!("{clients} clients over {over}"));
            loads.push(load(context, over, clients)?);
        }
    }
    let numbers = context.counts("silent");
    context.progress(format_args!("{numbers:?} silent clients over Trickles"));
    let (kept, whole) = silent(context, Over::Trickles, &numbers)?;
    let numbers = context.counts("silent-tcp");
    context.progress(format_args!("{numbers:?} silent clients over the kernel's TCP"));
    let (kept_tcp, _) = silent(context, Over::Tcp, &numbers)?;
    Ok(told(&loads, [&kept_tcp, &kept], whole))
}

fn mib(bytes: f64) -> String {
    format!("{:.2} MiB", bytes / MIB)
}

fn told(loads: &[Load], silents: [&[Silent]; 2], whole: f64) -> Outcome {
    let head =
        ["clients", "over", "together", "files", "failed", "server's processes", "more", "connections", "kernel"];
    let mut table = Table::new(&head).titled("Over a link of 100 Mbit/s");
    let mut results = Vec::new();
    for Load { over, clients, aggregate_bps, whole, failed, held } in loads {
        table.row(vec![
            clients.to_string(),
            over.to_string(),
            format!("{:.2} Mbit/s", aggregate_bps / 1e6),
            whole.to_string(),
            failed.count().to_string(),
            mib(held.resident as f64),
            mib(held.more()),
            held.tcp.connections.to_string(),
            if *over == Over::Tcp { mib(held.kernel()) } else { "–".to_owned() },
        ]);
        results.push(json!({
            "clients": clients, "over": over.to_string(), "aggregate_bps": aggregate_bps, "whole": whole,
            "failed": failed.count(), "failed_by_cause": failed.to_json(),
            "before_bytes": held.before, "resident_bytes": held.resident,
            "connections": held.tcp.connections, "tcp_buffers_bytes": held.tcp.buffers,
            "tcp_bytes": held.kernel(),
        }));
    }
    let head = [
        "silent clients",
        "over",
        "server's processes with none",
        "with these",
        "more",
        "connections",
        "kernel",
        "a client",
        "open files",
        "begun in",
    ];
    let mut quiet = Table::new(&head).titled("On the server's own host, each in the middle of its file");
    let mut plot =
        Plot::new("What is held by silent clients", Axis::new("clients", "").log(), Axis::new("held", "MiB"));
    let mut silent_results = Vec::new();
    for (over, rows) in Over::BOTH.into_iter().zip(silents) {
        let mut points = Vec::new();
        for Silent { clients, held, took, open_files } in rows {
            let all = match over {
                Over::Tcp => held.more() + held.kernel(),
                Over::Trickles => held.more(),
            };
            points.push((*clients as f64, all / MIB));
            quiet.row(vec![
                clients.to_string(),
                over.to_string(),
                mib(held.before as f64),
                mib(held.resident as f64),
                mib(held.more()),
                held.tcp.connections.to_string(),
                if over == Over::Tcp { mib(held.kernel()) } else { "–".to_owned() },
                format!("{:.0} B", all / *clients as f64),
                open_files.to_string(),
                format!("{:.1} s", took.as_secs_f64()),
            ]);
            silent_results.push(json!({
                "clients": clients, "over": over.to_string(), "before_bytes": held.before,
                "resident_bytes": held.resident, "connections": held.tcp.connections,
                "tcp_buffers_bytes": held.tcp.buffers, "tcp_bytes": held.kernel(), "took_s": took.as_secs_f64(),
                "open_files": open_files,
            }));
        }
        plot = plot.series(Series::line(&over.to_string(), points));
    }
    let more = silents[1].iter().map(|silent| silent.held.more() / MIB).fold(f64::NAN, f64::max);
    let mut outcome = Outcome::new(json!({ "loads": results, "silent": silent_results }))
        .table(table)
        .table(quiet)
        .plot(plot)
        .check(
            Check::new(
                "Trickles: the server's memory with all silent clients, less that with none",
                more,
                "MiB",
                MORE_MIB,
            )
            .paper("nothing by client"),
        )
        .check(Check::new(
            "Trickles: silent clients that had the file whole in the end, of those asked",
            whole,
            "",
            WHOLE,
        ));
    for pair in loads.chunks(Over::BOTH.len()) {
        let [tcp, trickles] = pair else { continue };
        let name = format!("{} clients: Trickles by the kernel's TCP", tcp.clients);
        let check = Check::new(name, trickles.aggregate_bps / tcp.aggregate_bps, "", NOT_BELOW);
        let check = check.paper("at most a tenth below TCP");
        outcome = outcome.check(check.because(trickles.failed.to_string()));
    }
    outcome
        .note(
            "The server's processes are one of tng trickles serve, or all of nginx; more is what they have beyond what \
             they had before anybody came. The kernel's is mem of /proc/net/sockstat beyond what it was before, of \
             all TCP of the machine, clients' ends and the emulator's nothing among it: clients read at once, so that \
             hardly anything waits at theirs; and for each connection of the server what /proc/slabinfo has for a \
             socket, its inode and its file. The most of ten looks. Clients begin one after the other, a thousand a \
             second, and rates are those of three quarters of the time after the last has begun.",
        )
        .note(format!(
            "A silent client over Trickles is a machine without a socket, which it has again when it reads on, at \
             another port: open files are those of the process that has all clients. The paper's TCP server was out \
             of memory with more than {PAPER_TCP_CLIENTS_MAX} clients. \
             Silent clients over TCP are on the same host as the server: of what the kernel holds some waits at the \
             clients' ends, which have room for {ROOM} bytes, as those over Trickles have; what is sent to them waits \
             in the server's buffers, which grow with what a connection could carry. Of so much as one holds there, {} \
             could stand at once: then all TCP of this machine has what the kernel lets it have (tcp_mem), everybody \
             else's, too, which is why there are no more here: --set silent-tcp=N.",
            room_for(silents[0]).map_or("no one knows how many".to_owned(), |clients| clients.to_string()),
        ))
}

/// With how many clients the kernel would have no more for TCP, as much as each had of the most that there were.
fn room_for(silent: &[Silent]) -> Option<u64> {
    let most = silent.iter().max_by_key(|silent| silent.clients)?;
    let each = most.held.tcp.buffers.checked_div(most.clients)?;
    used::tcp_most()?.checked_div(each)
}
