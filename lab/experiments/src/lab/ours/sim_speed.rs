//! How fast the simulator is: packets in a second of the clock on the wall.

use core::time::Duration;
use std::time;

use serde_json::json;
use tng_base::{Ecn, Input, Instant, Transmit};
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::{A, B, Pair, pair};
use tng_sim::{App, Link, MachineNode, Node, Outbox, PORT};
use tng_stack::structured::{ReadChunk, ServiceOptions, StreamEvent};
use tng_stack::{Access, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Packets in a second of wall time.
pub static SIM_SPEED: Experiment = Experiment {
    name: "ours/sim-speed",
    title: "How fast the simulator is",
    source: "ours",
    claim: "one core simulates at least 300,000 full-size tng packets in a second, both ends, their ciphers and the digest included",
    about: "Two hosts with default settings on a link; one sends a stream to the other, and every packet is sealed, queued, carried, \
            opened, acknowledged and read. Beside it, packets of the same size between nodes without a protocol: what the network \
            alone costs. Each with and without a digest of everything that happens. The seconds are those of one processor, which \
            are the wall's where nothing else runs; of several runs the fastest counts. Build with --release.",
    params: &[
        Param::rate("rate", "100mbit", "of the link"),
        Param::time("delay", "10ms", "of the link, each way"),
        Param::count("queue", "250", (20, 100_000), "packets that may wait before it"),
        Param::size("size", "150MB", "sent in each run"),
        Param::count("runs", "3", (1, 100), "of each kind, of which the fastest counts"),
    ],
    worlds: Worlds::Real,
    run: measure,
};

const GOAL: Goal = Goal::AtLeast(300_000.0);

const SERVICE: (&str, &str) = ("speed", "speed/1");

/// Bytes of a datagram without a protocol: as of those of tng on this link.
const PAYLOAD: usize = 1_472;

/// Datagrams without a protocol that are sent at once.
const BATCH: usize = 20;

/// Datagrams without a protocol that may be under way.
const WINDOW: usize = 200;

/// Bytes that are written at once.
const PIECE: usize = 64 * 1024;

/// What moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bare,
    Tng,
}

/// What one run came to.
#[derive(Clone, Copy)]
struct Speed {
    packets: u64,
    /// Time on the wall, and of the processor.
    wall: Duration,
    core: Duration,
}

impl Speed {
    fn per_s(self, time: Duration) -> f64 {
        self.packets as f64 / time.as_secs_f64()
    }
}

fn measure(context: &Context<'_>) -> Result<Outcome, RunError> {
    let queue = QueueConfig::DropTail(Limit::Packets(context.count("queue") as usize));
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue);
    let (bytes, runs) = (context.size("size"), context.count("runs"));
    let mut table = Table::new(&["what moves", "digest", "packets", "packets/s", "ns a packet", "by the wall"]);
    let (mut results, mut points, mut with_digest) = (Vec::new(), Vec::new(), f64::NAN);
    for (place, (kind, digest)) in
        [(Kind::Bare, false), (Kind::Bare, true), (Kind::Tng, false), (Kind::Tng, true)].into_iter().enumerate()
    {
        let name = if kind == Kind::Bare { "no protocol" } else { "tng" };
        let mut best: Option<Speed> = None;
        for run in 0..runs {
            context.progress(format_args!("{name}, run {} of {runs}", run + 1));
            let speed = match kind {
                Kind::Bare => bare(context.seed_of(run), &link, bytes, digest),
                Kind::Tng => tng(context.seed_of(run), &link, bytes, digest)?,
            };
            let speed = speed.ok_or_else(|| RunError::broken(format_args!("{name} stands still")))?;
            best = best.filter(|best| best.per_s(best.core) >= speed.per_s(speed.core)).or(Some(speed));
        }
        let best = best.ok_or_else(|| RunError::broken("there was no run"))?;
        let (per_s, wall_per_s) = (best.per_s(best.core), best.per_s(best.wall));
        let on = if digest { "on" } else { "off" };
        let figures = [
            best.packets.to_string(),
            format!("{per_s:.0}"),
            format!("{:.0}", 1e9 / per_s),
            format!("{wall_per_s:.0}"),
        ];
        table.row([name.to_owned(), on.to_owned()].into_iter().chain(figures).collect());
        points.push((place as f64, per_s));
        results.push(json!({
            "what": name, "digest": digest, "packets": best.packets, "packets_per_s": per_s,
            "packets_per_wall_s": wall_per_s,
        }));
        if (kind, digest) == (Kind::Tng, true) {
            with_digest = per_s;
        }
    }
    let axis = "no protocol, with digest, tng, with digest";
    let plot = Plot::new("Packets simulated in a second", Axis::new(axis, ""), Axis::new("packets", "1/s"));
    Ok(Outcome::new(json!({ "speeds": results }))
        .table(table)
        .plot(plot.series(Series::points("the fastest run", points)))
        .check(Check::new("tng packets in a second, with digest", with_digest, "1/s", GOAL))
        .note("packets are those of data, at the receiver; their acknowledgments come on top"))
}

/// Lets a world run until it is `done`, and looks at the clock on the wall.
fn timed<N: Node>(mut pair: Pair<N>, digest: bool, done: impl Fn(&N) -> bool) -> Option<Speed> {
    if digest {
        pair.world.record_digest();
    }
    #[expect(clippy::disallowed_methods, reason = "measures the simulator itself")]
    let began = time::Instant::now();
    let core_began = core_time()?;
    let ended = pair.world.wait_until(Instant::FAR_FUTURE, |world| done(world.node(pair.b)));
    let (wall, core) = (began.elapsed(), core_time()? - core_began);
    ended.then(|| Speed { packets: pair.world.stats(pair.link.forth()).delivered, wall, core })
}

/// Time for which a processor has worked on this thread.
fn core_time() -> Option<Duration> {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
}

fn bare(seed: u64, link: &Link, bytes: u64, digest: bool) -> Option<Speed> {
    let packets = bytes.div_ceil(PAYLOAD as u64);
    let (source, sink) = (Bare::Source { credit: WINDOW }, Bare::Sink { received: 0 });
    timed(
        pair(seed, link, source, sink),
        digest,
        |sink| matches!(sink, Bare::Sink { received } if *received >= packets),
    )
}

/// A node that sends a batch for so many acknowledgments, or acknowledges every second packet.
enum Bare {
    Source { credit: usize },
    Sink { received: u64 },
}

impl Node for Bare {
    fn handle_input(&mut self, _: Instant, _: Input<'_>) {
        match self {
            Bare::Source { credit } => *credit += 2,
            Bare::Sink { received } => *received += 1,
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, _: Instant, outbox: &mut Outbox) -> Option<Instant> {
        let (remote, len, segment_size) = match self {
            Bare::Source { credit } if *credit >= BATCH => {
                *credit -= BATCH;
                ((B, PORT).into(), BATCH * PAYLOAD, PAYLOAD)
            }
            Bare::Sink { received } if *received > 0 && received.is_multiple_of(2) => ((A, PORT).into(), 40, 40),
            _ => return None,
        };
        outbox.send(Transmit { remote, local: None, ecn: Ecn::Ect0, len, segment_size });
        None
    }
}

fn tng(seed: u64, link: &Link, bytes: u64, digest: bool) -> Result<Option<Speed>, RunError> {
    let [near, far] = [1, 2].map(|end| Identity::from_seed([end; 32]));
    let target = Target { eid: far.eid(), addresses: vec![(B, PORT).into()], capability: None };
    let mut sender = Host::new(HostConfig::new(Access::Nobody), near, [3; 32]);
    sender.connect(Instant::ZERO, target).map_err(RunError::broken)?;
    let mut receiver = Host::new(HostConfig::new(Access::Public), far, [4; 32]);
    receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    let sender = MachineNode::new(sender, Bulk::Sender { piece: vec![7; PIECE] });
    let receiver = MachineNode::new(receiver, Bulk::Receiver { received: 0 });
    Ok(timed(
        pair(seed, link, sender, receiver),
        digest,
        |receiver| matches!(receiver.app, Bulk::Receiver { received } if received >= bytes),
    ))
}

/// An application that writes one stream for ever, or reads it.
enum Bulk {
    Sender { piece: Vec<u8> },
    Receiver { received: u64 },
}

impl App<Host> for Bulk {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        let Some(streams) = host.streams(event.connection) else { return };
        let stream = match event.kind {
            EventKind::Connected => streams.open(SERVICE.0, SERVICE.1).ok(),
            EventKind::Stream(StreamEvent::Incoming) => streams.accept().map(|incoming| incoming.id),
            EventKind::Stream(StreamEvent::Writable(id) | StreamEvent::Readable(id)) => Some(id),
            _ => None,
        };
        let Some(id) = stream else { return };
        match self {
            Bulk::Sender { piece } => while streams.write(id, piece).is_ok() {},
            Bulk::Receiver { received } => {
                while let Ok(ReadChunk::Bytes(chunk)) = streams.read_chunk(id, PIECE) {
                    *received += chunk.len() as u64;
                    streams.recycle(chunk);
                }
            }
        }
    }

    fn poll(&mut self, _: Instant, _: &mut Host) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_moves_what_was_asked_for_in_full_packets_with_and_without_a_digest() {
        let link = Link::new().rate(100_000_000).delay(Duration::from_millis(10));
        let bytes = 2_000_000;
        for digest in [false, true] {
            let speeds = [bare(1, &link, bytes, digest), tng(1, &link, bytes, digest).expect("it connects")];
            for speed in speeds.map(|speed| speed.expect("it ends")) {
                let each = bytes as f64 / speed.packets as f64;
                assert!((1_250.0..=1_472.0).contains(&each) && speed.per_s(speed.wall) > 0.0, "{each} bytes a packet");
            }
        }
    }
}
