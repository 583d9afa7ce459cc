//! What a guest is tried on before anybody runs it: does it keep to the border, to its quotas, and to what TCP would
//! have. All of it in virtual time, so that it says the same again.

mod carry;
mod page;
mod watched;

use core::time::Duration;
use std::sync::Arc;

use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};
use tng_stp_abi::{Sample, SampleEvent, SocketKind};
use tng_stp_host::{Advisor, Cap, Quotas};
pub use tng_stp_sandbox::MODULE_MAX;
use tng_stp_sandbox::{Engine, Module, SandboxedController};

use super::{Guest, GuestRun, Ran};
use crate::peers::contest::{Contest, Party, Transport};
use crate::settings::Settings;
use carry::{Carried, Carrying};
pub use page::page;
use watched::{Record, answers, watch};

/// What a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The border: it loads, answers, and carries what it is given.
    Conformance,
    /// What it may use of this machine.
    Quotas,
    /// What it may use of the network.
    Policing,
}

impl Part {
    /// As a word.
    pub const fn word(self) -> &'static str {
        match self {
            Part::Conformance => "conformance",
            Part::Quotas => "quotas",
            Part::Policing => "policing",
        }
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What it is about.
    pub part: Part,
    /// What was tried.
    pub what: String,
    /// Whether it holds.
    pub holds: bool,
    /// What was seen.
    pub why: String,
}

impl Row {
    fn new(part: Part, what: impl Into<String>, holds: bool, why: impl Into<String>) -> Row {
        Row { part, what: what.into(), holds, why: why.into() }
    }
}

/// What came of trying a module.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The findings.
    pub rows: Vec<Row>,
    /// What the worlds were made of in which it was tried, if there were any.
    pub settings: Settings,
}

impl Trial {
    fn without_worlds(rows: Vec<Row>) -> Trial {
        Trial { rows, settings: Settings::default() }
    }

    /// The findings that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.holds)
    }
}

/// Bits per second of the line on which a guest is beside TCP.
const LINE_BPS: u64 = 10_000_000;
/// One way.
const LINE_DELAY: Duration = Duration::from_millis(20);
/// Packets that wait before it.
const LINE_QUEUE: usize = 50;
/// Of packets, where the policer's cap is held against what TCP gets.
const LINE_LOSS: f64 = 0.01;
/// Left out at the beginning, and then measured.
const SETTLE: Duration = Duration::from_secs(15);
const MEASURED: Duration = Duration::from_secs(45);
/// What a flow of TCP keeps beside a guest, of what two flows of TCP have.
const KEPT: f64 = 0.4;
/// What a guest has at most of what TCP has alone: what the policer lets leave at a send.
const OF_TCP: f64 = 1.3;
const SEED: u64 = 1;

/// Tries a module, and tells what is being tried. One that is not loaded has one row, with the reason.
pub fn try_out(bytes: &[u8], mut doing: impl FnMut(&str)) -> Trial {
    let quotas = Quotas::default();
    let loaded = Engine::new(quotas).map_err(|error| error.to_string());
    let loaded = loaded.and_then(|engine| Module::new(&engine, bytes).map_err(|error| error.to_string()));
    let module = match loaded {
        Ok(module) => module,
        Err(why) => return Trial::without_worlds(vec![Row::new(Part::Conformance, "loads", false, why)]),
    };
    let Some(code) = module.code("guest") else {
        return Trial::without_worlds(controller(&module, quotas));
    };
    let socket = code.socket();
    let kind = match socket {
        SocketKind::Stream => "a transport with streams",
        SocketKind::Message => "a transport with messages",
    };
    let (record, mut settings) = (Arc::new(Record::default()), Settings::default());
    let code = watch(code, &record);
    let mut rows = vec![Row::new(Part::Conformance, "loads", true, format!("{kind}, {} bytes", bytes.len()))];
    doing("every callback");
    rows.push(match answers(&module, socket) {
        Ok(()) => Row::new(Part::Conformance, "answers every callback", true, "at both ends"),
        Err(why) => Row::new(Part::Conformance, "answers every callback", false, why),
    });
    for (line, loss, least) in [("a clean line", 0.0, 1.0), ("a line that loses 2 %", 0.02, carry::LEAST_OF_LOSSY)] {
        doing(line);
        let carrying = Carrying { code: &code, loss };
        settings.add(&Settings::of(&carrying));
        rows.push(carried(line, carrying.run(), least, &record));
    }
    doing("beside TCP");
    let run = GuestRun { guest: Guest::given(code), ran: Ran::Policed, cap: Cap::default() };
    rows.extend(policing(run, &record, &mut settings));
    // All that was tried counts.
    let at = rows.iter().position(|row| row.part == Part::Policing).unwrap_or(rows.len());
    rows.splice(at..at, record.rows(&quotas));
    Trial { rows, settings }
}

fn carried(line: &str, carried: Carried, least: f64, record: &Record) -> Row {
    let what = format!("carries {} over {line}", carried.what());
    let fault = record.fault().map(|(callback, fault)| format!("; in `{callback}`: {fault}")).unwrap_or_default();
    Row::new(Part::Conformance, what, carried.holds(least), format!("{carried}{fault}"))
}

fn line(loss: f64, parties: Vec<Party>) -> Contest {
    let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
    let queue = QueueConfig::DropTail(Limit::Packets(LINE_QUEUE));
    let bottleneck = Link::new().rate(LINE_BPS).delay(LINE_DELAY).queue(queue);
    // A packet's time, so that nobody is in step with the queue.
    let jitter = Duration::from_nanos(1_500 * 8 * 1_000_000_000 / LINE_BPS);
    Contest { seed: SEED, bottleneck, loss, jitter, parties }
}

fn policing(run: GuestRun, record: &Record, settings: &mut Settings) -> [Row; 3] {
    let mut rates = |loss, parties| {
        let contest = line(loss, parties);
        settings.add(&Settings::of(&contest));
        contest.rates_bps(SETTLE, SETTLE + MEASURED)
    };
    let party = |transport| Party::new(transport, "newreno");
    let (tcp, guest) = (party(Transport::Tcp), party(Transport::Stp(run)));
    let late = |party: &Party| Party { start: Duration::from_secs(5), ..party.clone() };
    let beside = rates(0.0, vec![tcp.clone(), late(&guest)]);
    let fair = rates(0.0, vec![tcp.clone(), late(&tcp)]);
    let kept = beside[0] / (fair[0] + fair[1]);
    let (alone, most) = (rates(LINE_LOSS, vec![guest])[0], rates(LINE_LOSS, vec![tcp])[0]);
    let gets = alone / most;
    let stopped = record.fault().map(|(callback, fault)| format!("; in `{callback}`: {fault}")).unwrap_or_default();
    [
        // A guest that sends nothing takes nothing from others either.
        Row::new(
            Part::Policing,
            "goes on sending for a minute",
            beside[1] > 0.0 && alone > 0.0,
            format!(
                "{:.2} Mbit/s beside TCP, {:.2} Mbit/s alone; denied {}{stopped}",
                beside[1] / 1e6,
                alone / 1e6,
                record.denied()
            ),
        ),
        Row::new(
            Part::Policing,
            format!("leaves a flow of TCP at least {KEPT} of what two have"),
            kept >= KEPT,
            format!("{kept:.2}: {:.2} Mbit/s, beside {:.2} Mbit/s of its own", beside[0] / 1e6, beside[1] / 1e6),
        ),
        Row::new(
            Part::Policing,
            format!("has at most {OF_TCP} of what TCP has at {} % of loss", LINE_LOSS * 100.0),
            gets <= OF_TCP,
            format!("{gets:.2}: {:.2} Mbit/s, TCP {:.2} Mbit/s", alone / 1e6, most / 1e6),
        ),
    ]
}

/// A controller is told of a thousand acknowledgments, and of a loss after each hundred.
fn controller(module: &Module, quotas: Quotas) -> Vec<Row> {
    let mut rows = vec![Row::new(Part::Conformance, "loads", true, "a congestion controller")];
    let started = SandboxedController::new(module, quotas);
    let (mut most, mut answers) = (0, 0);
    let told = started.and_then(|mut controller| {
        for n in 1..=SAMPLES {
            let before = controller.usage().fuel;
            answers += u32::from(controller.handle(&sample(n))?.is_some());
            most = most.max(controller.usage().fuel - before);
        }
        Ok(controller.usage())
    });
    let what = format!("answers {SAMPLES} samples");
    match told {
        Ok(usage) => {
            rows.push(Row::new(Part::Conformance, what, answers > 0, format!("{answers} windows")));
            let why = format!("{most} of {} of fuel at most, {} bytes of memory", quotas.fuel, usage.memory);
            rows.push(Row::new(Part::Quotas, "stays within its quotas", true, why));
        }
        Err(fault) => rows.push(Row::new(Part::Conformance, what, false, fault.to_string())),
    }
    rows
}

/// Samples that a controller is told.
const SAMPLES: u64 = 1_000;

fn sample(n: u64) -> Sample {
    const RTT_NS: u64 = 40_000_000;
    const PACKET: u64 = 1_200;
    let event = if n.is_multiple_of(100) { SampleEvent::Lost } else { SampleEvent::Acked };
    let now_ns = RTT_NS + n * 1_000_000;
    Sample {
        event: event as u64,
        now_ns,
        bytes: PACKET,
        sent_ns: now_ns - RTT_NS,
        first_sent_ns: now_ns - RTT_NS,
        sent_in_flight: 10 * PACKET,
        rtt_ns: RTT_NS,
        smoothed_ns: RTT_NS,
        min_ns: RTT_NS,
        latest_ns: RTT_NS,
        in_flight: 10 * PACKET,
        delivered: n * PACKET,
        delivered_ns: now_ns,
        rate_bytes: 10 * PACKET,
        rate_ns: RTT_NS,
        ..Sample::default()
    }
}
