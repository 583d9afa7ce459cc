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

use crate::engine::report::Spread;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// Packets in a second of wall time.
pub static SIM_SPEED: Experiment = Experiment {
    name: "ours/sim-speed",
    title: "How fast the simulator is",
    source: "ours",
    claim: "one core simulates at least 300,000 full-size tng packets in a second, both ends, their ciphers and the \
            digest included",
    about: "Two hosts with default settings on a link; one sends a stream to the other, and every packet is sealed, \
            queued, carried, opened, acknowledged and read. Beside it, packets of the same size between nodes without \
            a protocol: what the network alone costs. Each with and without a digest of everything that happens. The \
            seconds are those of the clock on the wall; whatever else the machine does makes them more, so that of \
            several runs the fastest counts, and the one in the middle stands beside it. A release build alone is \
            measured.",
    params: &[
        Param::rate("rate", "100mbit", "of the link"),
        Param::time("delay", "10ms", "of the link, each way"),
        Param::count("queue", "250", (20, 100_000), "packets that may wait before it"),
        Param::size("size", "150MB", "sent in each run"),
        Param::count("runs", "15", (1, 100), "of each kind, in turn, of which the fastest counts"),
    ],
    worlds: Worlds::Real(Needs { root: false, minutes: 1 }),
    seeds: 1,
    vary: &[],
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

/// Everything that is measured, with a digest and without.
const KINDS: [(Kind, bool); 4] = [(Kind::Bare, false), (Kind::Bare, true), (Kind::Tng, false), (Kind::Tng, true)];

/// What is simulated.
struct Simulated<'l> {
    kind: Kind,
    link: &'l Link,
}

impl Configured for Simulated<'_> {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "link, each way", self.link);
        match self.kind {
            Kind::Bare => settings.set("no protocol", "window, packets", WINDOW),
            Kind::Tng => {
                tell::host(settings, "sender", &HostConfig::new(Access::Nobody));
                tell::host(settings, "receiver", &HostConfig::new(Access::Public));
            }
        }
    }
}

/// What one run came to.
#[derive(Clone, Copy)]
struct Speed {
    packets: u64,
    took: Duration,
}

impl Speed {
    fn per_s(self) -> f64 {
        self.packets as f64 / self.took.as_secs_f64()
    }
}

fn measure(context: &Context<'_>) -> Result<Outcome, RunError> {
    if cfg!(debug_assertions) {
        return Err(RunError::Environment {
            problem: "a debug build is several times slower than what is claimed".to_owned(),
            remedy: "cargo run --release -p tng-cli -- lab run ours/sim-speed --real".to_owned(),
        });
    }
    let queue = QueueConfig::DropTail(Limit::Packets(context.count("queue") as usize));
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue);
    let (bytes, runs) = (context.size("size"), context.count("runs"));
    let mut speeds = KINDS.map(|_| Vec::new());
    for run in 0..runs {
        context.progress(format_args!("run {} of {runs}", run + 1));
        for ((kind, digest), speeds) in KINDS.into_iter().zip(&mut speeds) {
            context.world(Simulated { kind, link: &link });
            let speed = match kind {
                Kind::Bare => bare(context.seed_of(run), &link, bytes, digest),
                Kind::Tng => tng(context.seed_of(run), &link, bytes, digest)?,
            };
            speeds.push(speed.ok_or_else(|| RunError::broken("the world stands still"))?);
        }
    }
    let mut table =
        Table::new(&["what moves", "digest", "packets", "best packets/s", "median packets/s", "best ns a packet"]);
    let (mut results, mut best, mut middle, mut with_digest) = (Vec::new(), Vec::new(), Vec::new(), f64::NAN);
    for (place, ((kind, digest), speeds)) in KINDS.into_iter().zip(speeds).enumerate() {
        let packets = speeds[0].packets;
        let all: Vec<f64> = speeds.into_iter().map(Speed::per_s).collect();
        let spread = Spread::of(all.clone()).ok_or_else(|| RunError::broken("there was no run"))?;
        let name = if kind == Kind::Bare { "no protocol" } else { "tng" };
        table.row(vec![
            name.to_owned(),
            if digest { "on" } else { "off" }.to_owned(),
            packets.to_string(),
            format!("{:.0}", spread.max),
            format!("{:.0}", spread.p50),
            format!("{:.0}", 1e9 / spread.max),
        ]);
        best.push((place as f64, spread.max));
        middle.push((place as f64, spread.p50));
        results.push(json!({
            "what": name, "digest": digest, "packets": packets, "best_per_s": spread.max, "median_per_s": spread.p50,
            "each_per_s": all,
        }));
        if (kind, digest) == (Kind::Tng, true) {
            with_digest = spread.max;
        }
    }
    let axis = "no protocol, with digest, tng, with digest";
    let plot = Plot::new("Packets simulated in a second", Axis::new(axis, ""), Axis::new("packets", "1/s"));
    let plot =
        plot.series(Series::points("the fastest run", best)).series(Series::points("the run in the middle", middle));
    Ok(Outcome::new(json!({ "speeds": results }))
        .table(table)
        .plot(plot)
        .check(Check::new("tng packets in a second of wall time, with digest, best run", with_digest, "1/s", GOAL))
        .note("packets are those of data, at the receiver; their acknowledgments come on top"))
}

/// Lets a world run until it is `done`, and looks at the clock on the wall.
fn timed<N: Node>(mut pair: Pair<N>, digest: bool, done: impl Fn(&N) -> bool) -> Option<Speed> {
    if digest {
        pair.world.record_digest();
    }
    #[expect(clippy::disallowed_methods, reason = "measures the simulator itself")]
    let began = time::Instant::now();
    let ended = pair.world.wait_until(Instant::FAR_FUTURE, |world| done(world.node(pair.b)));
    let took = began.elapsed();
    ended.then(|| Speed { packets: pair.world.stats(pair.link.forth()).delivered, took })
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
    let target = Target { eid: far.eid(), addresses: vec![(B, PORT).into()], capability: None, via: Vec::new() };
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
                assert!((1_250.0..=1_472.0).contains(&each) && speed.per_s() > 0.0, "{each} bytes a packet");
            }
        }
    }
}
