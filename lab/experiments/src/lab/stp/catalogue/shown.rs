//! What the host has, and no guest: shown by what guests get of it.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tng_queue::{QueueConfig, ThresholdConfig};
use tng_sim::Loss;
use tng_stp_host::{Cap, Code, Native};

use super::bulk::Bulk;
use super::talk::Talk;
use super::{Bench, Figure, policed, speaks};
use crate::lab::{Goal, RunError};
use crate::peers::contest::{Contest, Party, Transport};
use crate::peers::guests::{Guest, GuestRun, Ran};

fn figure(what: &str, unit: &'static str, baseline: f64, with: f64, goal: Goal) -> Figure {
    Figure { what: what.to_owned(), unit, baseline, with, gain: with / baseline, goal }
}

/// A guest's connection goes on when its host has another address.
pub(super) fn migration(bench: &Bench<'_>) -> Result<Figure, RunError> {
    let stays = Talk::new(10_000_000, 40, 400, 400, 50);
    let moves = Talk { moves: Some(Duration::from_secs(8)), ..stays.clone() };
    let within = Duration::from_secs(5);
    let [stays, moves] = [stays, moves].map(|talk| talk.in_time(bench, policed(Guest::Sack), within));
    Ok(figure("messages that arrive, with a move and without", "", stays?, moves?, Goal::AtLeast(0.99)))
}

/// Marks are for the host's own streams: a guest's packets are not ECN-capable, so that it has none to hide.
pub(super) fn ecn(bench: &Bench<'_>) -> Result<Figure, RunError> {
    let marked = |transport| {
        bench.mean(|seed| {
            let bulk = Bulk::new(10_000_000, 40);
            let queue = QueueConfig::Threshold(ThresholdConfig { mark_packets: 20, limit_packets: 100 });
            let contest = Contest {
                seed,
                bottleneck: tng_sim::Link::new().rate(bulk.rate_bps).delay(Duration::from_millis(20)).queue(queue),
                loss: Loss::None,
                jitter: Duration::from_millis(1),
                parties: vec![Party::new(transport, "newreno")],
            };
            let mut arena = bench.context.world(contest).begin();
            arena.run_until(Duration::from_secs(20));
            Ok(arena.bottleneck().marked as f64)
        })
    };
    let (streams, guest) = (marked(Transport::Tng)?, marked(speaks(Guest::Sack))?);
    if streams == 0.0 {
        return Err(RunError::broken("the line marks nothing"));
    }
    Ok(figure("packets marked: of a guest, and of the host's streams", "", streams, guest, Goal::AtMost(0.0)))
}

/// A receiver that proves what it has not got earns nothing: nonces are the host's.
pub(super) fn nonce(bench: &Bench<'_>) -> Result<Figure, RunError> {
    let bulk = Bulk { loss: Loss::Independent(0.01), ..Bulk::new(10_000_000, 50) };
    let honest = bulk.of(bench, Guest::NewReno)?;
    let liar = super::super::zoo::guest("colluding-receiver")?;
    let lies = bulk.of(bench, liar)?;
    Ok(figure(
        "rate of two that lie about what came, and of two that do not",
        "Mbit/s",
        honest,
        lies,
        Goal::AtMost(1.3),
    ))
}

/// Guests that send to one peer have one budget together.
pub(super) fn congestion_manager(bench: &Bench<'_>) -> Result<Figure, RunError> {
    let bulk = Bulk { loss: Loss::Independent(0.01), ..Bulk::new(20_000_000, 50) };
    let together = |connections| {
        let party = Party { connections, ..Party::new(speaks(Guest::Flood), "newreno") };
        bench.mean(|seed| Ok(bulk.rates(bench, seed, vec![party.clone()])[0] / 1e6))
    };
    let (one, four) = (together(1)?, together(4)?);
    Ok(figure("rate of four floods to one peer, and of one", "Mbit/s", one, four, Goal::Within(0.7, 1.3)))
}

/// Nobody has a guest made who has not shown that he is where he says: by a cookie where many are half open. The guest
/// hears nothing of it.
pub(super) fn cookies(bench: &Bench<'_>) -> Result<Figure, RunError> {
    let made = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&made);
    let accepts = Code::new("counted", tng_stp_abi::SocketKind::Stream, move |shim| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Native::<stp_guest_newreno::NewReno>::new(shim)))
    });
    let guest = Guest::between(Code::native::<stp_guest_newreno::NewReno>("counted"), accepts);
    let talk = Talk { spoofed: 1_000, ..Talk::new(10_000_000, 40, 20, 200, 50) };
    let heard = talk.in_time(bench, policed(guest), Duration::from_secs(5))?;
    let each = made.load(Ordering::Relaxed) as f64 / bench.worlds as f64;
    let what = "guests made of one opening that 1,000 others repeat, by the messages that arrive all the same";
    Ok(figure(what, "", heard, each, Goal::Within(1.0, 1.0)))
}

/// One that is not TCP-friendly is held: by how much it gains where nothing holds it, and behind the policer.
pub(super) fn held(bench: &Bench<'_>, guest: Guest) -> Result<[f64; 3], RunError> {
    let bulk = Bulk { loss: Loss::Independent(0.02), ..Bulk::new(10_000_000, 60) };
    let tcp = bulk.rate(bench, Transport::Tcp)?;
    let run = |ran| Transport::Stp(GuestRun { guest, ran, cap: Cap::Equation });
    Ok([tcp, bulk.rate(bench, run(Ran::Free))?, bulk.rate(bench, run(Ran::Policed))?])
}

fn held_figure(bench: &Bench<'_>, name: &str, guest: Guest) -> Result<Figure, RunError> {
    let [tcp, free, policed] = held(bench, guest)?;
    if free < 1.3 * tcp {
        return Err(RunError::broken(format_args!("{name} gains nothing that could be held: {free} of {tcp} Mbit/s")));
    }
    let what = format!("rate behind the policer, and of TCP; with nothing that holds it {:.2} of TCP's", free / tcp);
    Ok(figure(&what, "Mbit/s", tcp, policed, Goal::AtMost(1.3)))
}

/// One that is not TCP-friendly, over a line whose router marks and whose radio loses one in a hundred: TCP's rate, its
/// own where every loss counts, and its own where policy trusts what the receiver's host says of marks (STP 3.4).
fn trusted(bench: &Bench<'_>, guest: Guest) -> Result<[f64; 3], RunError> {
    let bulk = Bulk { loss: Loss::Independent(0.01), marks_at: Some(20), ..Bulk::new(10_000_000, 60) };
    let run = |ran| Transport::Stp(GuestRun { guest, ran, cap: Cap::Equation });
    Ok([bulk.rate(bench, Transport::Tcp)?, bulk.rate(bench, run(Ran::Policed))?, bulk.rate(bench, run(Ran::Trusting))?])
}

fn trusted_figure(bench: &Bench<'_>, guest: Guest) -> Result<Figure, RunError> {
    let [tcp, policed, trusting] = trusted(bench, guest)?;
    if policed > 1.3 * tcp {
        return Err(RunError::broken(format_args!("it is not held: {policed} Mbit/s, and TCP has {tcp}")));
    }
    let what = format!(
        "rate where the receiver is trusted, and where it is not; that is {:.2} of TCP's, with trust {:.2}",
        policed / tcp,
        trusting / tcp
    );
    Ok(figure(&what, "Mbit/s", policed, trusting, Goal::AtLeast(1.5)))
}

fn of_wtcp() -> Guest {
    Guest::given(Code::native::<stp_guest_variants::Wtcp>("wtcp"))
}

fn of_westwood() -> Guest {
    Guest::given(Code::native::<stp_guest_variants::Westwood>("westwood"))
}

/// WTCP is held.
pub(super) fn wtcp(bench: &Bench<'_>) -> Result<Figure, RunError> {
    held_figure(bench, "wtcp", of_wtcp())
}

/// WTCP with a receiver that is trusted.
pub(super) fn wtcp_trusted(bench: &Bench<'_>) -> Result<Figure, RunError> {
    trusted_figure(bench, of_wtcp())
}

/// TCP Westwood is held.
pub(super) fn westwood(bench: &Bench<'_>) -> Result<Figure, RunError> {
    held_figure(bench, "westwood", of_westwood())
}

/// TCP Westwood with a receiver that is trusted.
pub(super) fn westwood_trusted(bench: &Bench<'_>) -> Result<Figure, RunError> {
    trusted_figure(bench, of_westwood())
}
