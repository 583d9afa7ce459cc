//! What guessing ports would take.

use core::net::SocketAddr;
use std::collections::BTreeSet;

use serde_json::{Value, json};
use tng_base::Instant;
use tng_sim::topology::ipv4;
use tng_sim::{IpProtocol, Nat, NatConfig, NatMapping, NatPorts, fork};

use crate::lab::{Check, Goal, Table};
use crate::page::{Axis, Plot, Series};

/// Trials of each.
const TRIALS: u64 = 200;
/// Sockets that the end behind the NAT opens.
const SOCKETS: [u16; 4] = [1, 16, 256, 512];
/// Ports that the other end sends to.
const GUESSES: [usize; 5] = [16, 64, 256, 512, 1_024];
/// Ports that the NAT chooses from.
const PORTS: f64 = 64_512.0;
const PORT_FIRST: u64 = 1_024;

pub(super) struct Guessed {
    pub(super) figures: Vec<Value>,
    pub(super) table: Table,
    pub(super) plot: Plot,
    pub(super) check: Check,
}

/// Whether one of `guesses` ports is one that the NAT has given to one of `sockets`.
fn hits(seed: u64, trial: u64, sockets: u16, guesses: usize) -> bool {
    let lots = |kind: u64| fork(seed, kind << 48 | u64::from(sockets) << 32 | (guesses as u64) << 16 | trial);
    let config = NatConfig { ports: NatPorts::Random, mapping: NatMapping::Each, ..NatConfig::new(vec![ipv4(301)]) };
    let (mut nat, peer) = (Nat::new(config, lots(1)), SocketAddr::new(ipv4(302), 4_860));
    let open: BTreeSet<u16> = (0..sockets)
        .filter_map(|socket| {
            let from = SocketAddr::new(ipv4(1), 5_000 + socket);
            nat.leave(Instant::ZERO, IpProtocol::Udp, from, peer).map(|seen| seen.port())
        })
        .collect();
    let (mut lots, mut guessed) = (lots(2), BTreeSet::new());
    while guessed.len() < guesses {
        guessed.insert((PORT_FIRST + lots.below(PORTS as u64)) as u16);
    }
    !open.is_disjoint(&guessed)
}

pub(super) fn run(seed: u64) -> Guessed {
    let heads: Vec<String> = GUESSES.iter().map(|guesses| format!("{guesses} guesses")).collect();
    let heads: Vec<&str> = ["sockets"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let mut table = Table::new(&heads).titled("Trials in which a port was found by guessing, and what is expected");
    let mut plot = Plot::new("Guessing ports", Axis::new("guesses", "").log(), Axis::new("found", "%"));
    let (mut figures, mut off) = (Vec::new(), 0.0_f64);
    for sockets in SOCKETS {
        let (mut cells, mut points) = (vec![sockets.to_string()], Vec::new());
        for guesses in GUESSES {
            let found = (0..TRIALS).filter(|trial| hits(seed, *trial, sockets, guesses)).count();
            let percent = 100.0 * found as f64 / TRIALS as f64;
            let expected = 100.0 * (1.0 - (1.0 - f64::from(sockets) / PORTS).powf(guesses as f64));
            off = off.max((percent - expected).abs());
            cells.push(format!("{percent:.1} % ({expected:.1} %)"));
            points.push((guesses as f64, percent));
            figures.push(json!({ "sockets": sockets, "guesses": guesses, "found_percent": percent }));
        }
        table.row(cells);
        plot.series.push(Series::line(&format!("{sockets} sockets"), points));
    }
    // Five standard errors of so many trials at most.
    let most = 5.0 * 50.0 / (TRIALS as f64).sqrt();
    let check = Check::new("guesses: off from what is expected", off, "points", Goal::AtMost(most)).ours();
    Guessed { figures, table, plot, check }
}
