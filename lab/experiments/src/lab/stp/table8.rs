//! What input and output take at both ends: STP 5.5, Table 8, and the memory of 5.5.

use core::mem::size_of;
use core::time::Duration;

use serde_json::json;
use tng_base::Instant;
use tng_stp_host::{Books, Native, Policer, PolicerConfig, Proven, SEGMENT_ADDED, Shim, Verdict};

use super::ends::{COLUMNS, Column, Paced, told, wall};
use super::table7::{CELLS, medians};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};

/// Input and output.
pub static TABLE8: Experiment = Experiment {
    name: "stp/table8",
    title: "What input and output take",
    source: "STP 5.5, Table 8",
    claim: "input and output of a guest take at most as much more than those of the same source natively as the \
            paper's; the policer takes less of a packet than the paper's 492 and 650 cycles; a segment that is not \
            proven yet takes 16 bytes, a socket no more than 32 kB beside the module's memory",
    about: "One flow of 95 Mbit/s over the loopback interface in packets of 1,472 bytes, each end on a thread of its \
            own: what a datagram takes in the host's input and in its output, and what of that the guest's callbacks \
            do. Cycles are nanoseconds by the clock rate that the machine tells. The policer alone: the questions and \
            answers of a million packets, half as many proofs, in a row.",
    params: &[
        Param::count("runs", "5", (1, 100), "of each column, in turn"),
        Param::span("settle", "1s", "left out at the beginning"),
        Param::span("time", "3s", "measured"),
        Param::count("packets", "1000000", (1_000, 100_000_000), "of the policer alone"),
    ],
    worlds: Worlds::Real(Needs { root: false, minutes: 2 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Cycles of FreeBSD, STP-C and STP-Cyclone.
const PAPER: [(&str, [f64; 3]); 4] = [
    ("sender, input", [10_665.0, 13_320.0, 20_016.0]),
    ("sender, output", [3_800.0, 4_646.0, 6_774.0]),
    ("receiver, input", [10_108.0, 10_224.0, 16_109.0]),
    ("receiver, output", [2_096.0, 2_103.0, 3_907.0]),
];
/// Cycles of the paper's policer, in output and in input.
const PAPER_POLICER: [f64; 2] = [492.0, 650.0];
/// Bytes of the paper's scoreboard for a packet, and of a socket.
const PAPER_ENTRY: f64 = 16.0;
const PAPER_SOCKET: f64 = 32.0 * 1024.0 + 196.0;

/// What all calls take, by the packet of data: of it the run in the middle is the one in the middle.
fn all(ran: &Paced) -> f64 {
    let ns = ran.sender.input_ns + ran.sender.output_ns + ran.receiver.input_ns + ran.receiver.output_ns;
    ns as f64 / ran.sender.packets_out as f64
}

/// Nanoseconds of one kind.
type Figure = fn(&Paced) -> f64;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let runs = medians(context, &CELLS[1], true, all)?;
    let mhz = clock_mhz();
    let figures: [(&str, Figure); 4] = [
        ("sender, input", |ran| ran.sender.input()),
        ("sender, output", |ran| ran.sender.output()),
        ("receiver, input", |ran| ran.receiver.input()),
        ("receiver, output", |ran| ran.receiver.output()),
    ];
    let head = ["", "streams", "native", "policed", "guest", "policed by native", "guest by it", "guest, cycles"];
    let mut table = Table::new(&head).titled("Nanoseconds of a datagram");
    let mut paper =
        Table::new(&["cycles", "FreeBSD", "STP-C", "STP-Cyclone"]).titled("The paper's Table 8, on 850 MHz");
    let mut row = |name: &str, each: [f64; 4]| {
        let [_, native, policed, guest] = each;
        let cells = each.map(|ns| format!("{ns:.0}"));
        let last = [format!("{:.2}", policed / native), format!("{:.2}", guest / native), cycles(guest, mhz)];
        table.row([name.to_owned()].into_iter().chain(cells).chain(last).collect());
    };
    let (mut results, mut checks) = (Vec::new(), Vec::new());
    for ((name, of), (_, [bsd, c, cyclone])) in figures.into_iter().zip(PAPER) {
        let each = runs.each_ref().map(of);
        row(name, each);
        paper.row(vec![
            name.to_owned(),
            format!("{bsd:.0}"),
            format!("{c:.0} ({:.2})", c / bsd),
            format!("{cyclone:.0} ({:.2})", cyclone / bsd),
        ]);
        let [_, native, policed, guest] = each;
        let ratio = |what: &str, value: f64, most: f64| {
            Check::new(format!("{name}: {what} by native"), value / native, "", Goal::AtMost(most))
                .paper(format!("{most:.2}"))
        };
        // Where the paper's own policer cost nothing, a hundredth is none either.
        checks.push(ratio("policed", policed, (c / bsd).max(1.01)));
        checks.push(ratio("guest", guest, cyclone / bsd));
        results.push(json!({ "what": name, "ns": each }));
    }
    row("both ends, by a datagram sent", runs.each_ref().map(all));
    row(
        "sender, callbacks, by a datagram sent",
        runs.each_ref().map(|ran| ran.sender.callbacks_ns as f64 / ran.sender.packets_out as f64),
    );
    row(
        "receiver, callbacks, by a datagram that came",
        runs.each_ref().map(|ran| ran.receiver.callbacks_ns as f64 / ran.receiver.packets_in as f64),
    );
    let [asked, proven] = policer_ns(context.count("packets"));
    let mut alone = Table::new(&["the policer alone", "ns", "cycles", "the paper's cycles"]);
    for (name, ns, paper) in [("output", asked, PAPER_POLICER[0]), ("input", proven, PAPER_POLICER[1])] {
        alone.row(vec![name.to_owned(), format!("{ns:.0}"), cycles(ns, mhz), format!("{paper:.0}")]);
        let name = format!("policer's {name}");
        checks
            .push(Check::new(name, ns * mhz / 1e3, "cycles", Goal::AtMost(paper)).paper(format!("{paper:.0} cycles")));
    }
    let (entry, socket) = (entry_bytes(), socket_bytes());
    let mut memory = Table::new(&["bytes", "now", "the paper's"]);
    memory.row(vec!["of a segment that is not proven".to_owned(), format!("{entry:.1}"), format!("{PAPER_ENTRY:.0}")]);
    memory.row(vec![
        "of a socket, natively, nothing under way".to_owned(),
        format!("{socket}"),
        format!("{PAPER_SOCKET:.0}, with 2,048 packets under way"),
    ]);
    checks.push(Check::new("bytes of a segment not proven", entry, "B", Goal::AtMost(PAPER_ENTRY + 1.0)).paper("16 B"));
    checks
        .push(Check::new("bytes of a socket", socket as f64, "B", Goal::AtMost(PAPER_SOCKET)).paper("32 kB and 196 B"));
    let outcome = Outcome::new(json!({
        "figures": results, "clock_mhz": mhz, "policer_output_ns": asked, "policer_input_ns": proven,
        "entry_bytes": entry, "socket_bytes": socket,
        "runs": Column::ALL.iter().zip(&runs).map(|(column, ran)| json!({
            "column": column.name(), "run": told(ran),
        })).collect::<Vec<_>>(),
    }));
    let outcome = outcome.table(table).table(paper).table(alone).table(memory);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(COLUMNS).note(
        "Input is what the host does with a datagram that comes: it is opened, and its segment put where the guest \
         finds it. Output is all else: a guest is called when the host is polled, once for what came together, so \
         that its own input is in the output here; by a datagram sent both ends together say more. Clocks are read \
         twice a call, some 50 ns that are in every column.",
    ))
}

fn cycles(ns: f64, mhz: f64) -> String {
    format!("{:.0}", ns * mhz / 1e3)
}

/// The rate of the processor's clock, in MHz; not a number where nobody tells.
fn clock_mhz() -> f64 {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = told.lines().find(|line| line.starts_with("cpu MHz"));
    line.and_then(|line| line.split(':').nth(1)?.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// Nanoseconds of the policer for a segment that leaves, and for a proof of two.
fn policer_ns(packets: u64) -> [f64; 2] {
    const SIZE: u64 = 1_200;
    const RTT: Duration = Duration::from_millis(1);
    let mut policer = Policer::new(PolicerConfig::default(), Instant::ZERO);
    let (mut now, mut position, mut left) = (Instant::ZERO, 0, packets);
    let (mut sending, mut proving, mut proofs) = (Duration::ZERO, Duration::ZERO, 0);
    while left > 0 {
        let began = wall();
        let mut sent = 0;
        while sent < left.min(64) && policer.check(now, SIZE) == Verdict::Now {
            policer.handle_sent(now, SIZE);
            sent += 1;
        }
        sending += began.elapsed();
        let newest_sent_at = now;
        now += RTT;
        let began = wall();
        for _ in 0..sent.div_ceil(2) {
            let bytes = 2 * (SIZE + SEGMENT_ADDED);
            position += bytes;
            let proven = Proven { bytes, newest_sent_at, position, rtt: Some(RTT), delay: Duration::ZERO };
            policer.handle_proven(now, proven);
        }
        proving += began.elapsed();
        (left, proofs) = (left - sent, proofs + sent.div_ceil(2));
    }
    [sending.as_nanos() as f64 / packets as f64, proving.as_nanos() as f64 / proofs as f64]
}

/// Bytes of the books for a segment that has not met its fate.
fn entry_bytes() -> f64 {
    const SEGMENTS: u64 = 4_096;
    let mut books = Books::new(SEGMENTS as usize);
    let before = books.held();
    for _ in 0..SEGMENTS {
        books.handle_sent(Instant::ZERO, 1_200);
    }
    (books.held() - before) as f64 / SEGMENTS as f64
}

/// Bytes of one end of a connection beside its host's own: shim, policer, books, guest and ring.
fn socket_bytes() -> usize {
    let ring = tng_stp_abi::RING_ENTRIES * size_of::<tng_stp_abi::Arrived>();
    size_of::<tng_stp_host::Transport>() + size_of::<Shim>() + size_of::<Native<stp_guest_newreno::NewReno>>() + ring
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policer_is_asked_for_every_packet_and_a_book_has_an_entry_for_each() {
        let [asked, proven] = policer_ns(10_000);
        assert!(asked > 0.0 && proven > 0.0, "{asked} {proven}");
        assert!((16.0..40.0).contains(&entry_bytes()), "{}", entry_bytes());
    }
}
