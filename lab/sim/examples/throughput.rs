//! How many full-size datagrams a second of wall time the simulator delivers between trivial nodes:
//! `cargo run --release -p tng-sim --example throughput`.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{Ecn, Input, Instant, Transmit};
use tng_sim::topology::{B, pair};
use tng_sim::{Link, Node, Outbox, PORT};

const PAYLOAD_BYTES: usize = 1472;
const BATCH: usize = 40;

/// Sends a batch for every so many acknowledgments, or takes packets and acknowledges every second one.
enum Party {
    Source { to: SocketAddr, credit: usize, left: u64 },
    Sink { from: SocketAddr, received: u64, owed: usize },
}

impl Node for Party {
    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return };
        match self {
            Party::Source { credit, .. } => *credit += 2,
            Party::Sink { from, received, owed } => {
                *from = datagram.remote;
                *received += 1;
                *owed += 1;
            }
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, _: Instant, outbox: &mut Outbox) -> Option<Instant> {
        match self {
            Party::Source { to, credit, left } => {
                while *credit >= BATCH && *left > 0 {
                    *credit -= BATCH;
                    *left = left.saturating_sub(BATCH as u64);
                    outbox.send(Transmit {
                        remote: *to,
                        local: None,
                        ecn: Ecn::Ect0,
                        len: BATCH * PAYLOAD_BYTES,
                        segment_size: PAYLOAD_BYTES,
                    });
                }
            }
            Party::Sink { from, owed, .. } => {
                if *owed >= 2 {
                    *owed -= 2;
                    outbox.send(Transmit { remote: *from, local: None, ecn: Ecn::NotEct, len: 40, segment_size: 40 });
                }
            }
        }
        None
    }
}

#[expect(clippy::disallowed_methods, reason = "measures the simulator itself")]
fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5_000_000);
    for digest in [false, true] {
        let link = Link::new().rate(1_000_000_000).delay(Duration::from_millis(5));
        let source = Party::Source { to: (B, PORT).into(), credit: 800, left: count };
        let sink = Party::Sink { from: (B, PORT).into(), received: 0, owed: 0 };
        let mut pair = pair(1, &link, source, sink);
        if digest {
            pair.world.record_digest();
        }
        let start = std::time::Instant::now();
        assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
        let elapsed = start.elapsed();
        let delivered = pair.world.stats(pair.link.forth()).delivered;
        println!(
            "digest {digest}: {delivered} datagrams of {PAYLOAD_BYTES} bytes and {} acknowledgments in {elapsed:.2?}: {:.2} M datagrams/s",
            pair.world.stats(pair.link.back()).delivered,
            delivered as f64 / elapsed.as_secs_f64() / 1e6
        );
    }
}
