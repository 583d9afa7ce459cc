//! A program that knows of no tunnel, in one between two relays over a long and lossy way.

use core::time::Duration;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tng_emulator::transfer::{Amount, Origin, Span, Transfer};
use tng_emulator::{Network, Topology};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};

use super::super::fig10::real::{noted, there_are};
use crate::lab::{Check, Context, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::{Way, fault};
use crate::peers::transport::tell;
use crate::peers::trial::network;
use crate::real::{self, Daemon, Real};
use crate::settings::{Configured, Settings};

/// How long a tunnel may take to be up, and a program to begin and end.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(50);
/// Of the rate of the way, what the relays lease: a little less than it carries, with all headers.
const LEASED: f64 = 0.9;
/// How late what is lost may leave again.
const REPAIR: &str = "2s";
/// What waits for the way at the relay, and what ACKs behind a repair need.
const QUEUE_TIME: &str = "1s";
/// The addresses of both ends of the tunnel.
const ENDS: [&str; 2] = ["10.200.0.1", "10.200.0.2"];
/// Steps of QUIC's series.
const STEP: Duration = Duration::from_millis(100);

const CUBIC: &str = "kernel cubic";
const BBR: &str = "kernel bbr";
const TUNNEL: &str = "in the tunnel, kernel cubic";
const TUNNEL_BBR: &str = "in the tunnel, kernel bbr";

/// Times what the kernel's cubic gets from end to end: the project's own number.
const TIMES: Goal = Goal::AtLeast(5.0);
/// Tunnels that are as they were when the measurement ends.
const UP: Goal = Goal::AtLeast(2.0);

/// The way, for a page.
struct LongWay {
    link: Link,
    lease_bps: u64,
}

impl Configured for LongWay {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "the way, both ways", &self.link);
        let part = "both relays, toward each other";
        settings.set(part, "lease", format_args!("{} bit/s", self.lease_bps));
        settings.set(part, "repair", REPAIR);
        settings.set(part, "queue", "droptail");
        settings.set(part, "queue_time", QUEUE_TIME);
        settings.set("tunnel", "ends", "TUN devices, with the MTU that relays give them by default");
        settings.set("programs", "kind", "iperf3, one TCP connection");
    }
}

struct Row {
    name: &'static str,
    mbits: f64,
    retransmitted: Option<u64>,
}

/// A program that ends with this value.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn missing(why: impl core::fmt::Display) -> RunError {
    RunError::Environment {
        problem: format!("iperf3: {why}"),
        remedy: "apt-get install iperf3; on a machine that does nothing else".to_owned(),
    }
}

/// iperf3 from the first node to this address of the second, under a controller: bits per second that arrive, and
/// segments that were sent again.
fn iperf(
    network: &Network,
    to: &str,
    controller: &str,
    (settle, time): (Duration, Duration),
) -> Result<(f64, Option<u64>), RunError> {
    let mut server = Command::new("iperf3");
    server.args(["-s", "-1", "-B", to]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = network.run(1, || server.spawn()).and_then(|child| child).map_err(missing)?;
    let _server = Ends(server);
    let (omit, seconds) = (settle.as_secs().to_string(), time.as_secs().max(1).to_string());
    let patience = PATIENCE.as_millis().to_string();
    let mut client = Command::new("iperf3");
    client.args(["-c", to, "-J", "-C", controller, "-O", &omit, "-t", &seconds, "--connect-timeout", &patience]);
    client.stdin(Stdio::null()).stderr(Stdio::null());
    let began = Origin::now();
    loop {
        let output = network.run(0, || client.output()).and_then(|output| output).map_err(missing)?;
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let received = told["end"]["sum_received"]["bits_per_second"].as_f64();
        match (received, told["error"].as_str()) {
            (Some(bps), None) => return Ok((bps, told["end"]["sum_sent"]["retransmits"].as_u64())),
            // Its server may not listen yet.
            (_, Some(why)) if why.contains("refused") && began.elapsed() < PATIENCE => {
                began.rest_until(began.elapsed() + LOOK);
            }
            (_, why) => return Err(missing(why.unwrap_or("it tells no rate"))),
        }
    }
}

/// A relay's file: the way is leased and repaired, and one tunnel ends here.
fn config(lease_bps: u64, device: &str, rest: &str) -> String {
    format!(
        "onward = [\"10.0.0.0/8\"]\n[elsewhere]\nlease = {{ rate = \"{lease_bps}bit\" }}\nrepair = \"{REPAIR}\"\n\
         queue = \"droptail\"\nqueue_time = \"{QUEUE_TIME}\"\n{rest}\n[[tunnel]]\nname = \"long\"\n\
         device = \"tng0\"\naddresses = [\"{device}/30\"]\n"
    )
}

/// Two relays with a tunnel between them that is up.
fn tunnel(network: &Network, lease_bps: u64) -> Result<[Daemon; 2], RunError> {
    let mut relays = [Daemon::new(network, 0).map_err(fault)?, Daemon::new(network, 1).map_err(fault)?];
    let (asks, to) = (relays[0].eid(), relays[1].place());
    let asked = config(lease_bps, ENDS[1], &format!("[[client]]\nname = \"site\"\neid = \"{asks}\"\ntunnels = true"));
    relays[1].begin(network, &format!("{asked}from = \"site\"\n")).map_err(fault)?;
    let asking = config(lease_bps, ENDS[0], "");
    relays[0].begin(network, &format!("{asking}to = \"{to}\"\n")).map_err(fault)?;
    let began = Origin::now();
    while up(&relays) < relays.len() {
        if began.elapsed() > PATIENCE {
            let told = relays[0].status().map_err(fault)?;
            return Err(RunError::broken(format_args!("the tunnel is not up: {}", told["tunnels"])));
        }
        began.rest_until(began.elapsed() + LOOK);
    }
    Ok(relays)
}

fn up(relays: &[Daemon]) -> usize {
    let is_up = |relay: &&Daemon| relay.status().is_ok_and(|status| status["tunnels"][0]["up"] == true);
    relays.iter().filter(is_up).count()
}

/// QUIC from the first node to the second: bits per second.
fn quic(network: &Network, (settle, time): (Duration, Duration)) -> Result<f64, RunError> {
    let controller = Some("cubic".to_owned());
    let transfer = Transfer { from: 0, to: 1, controller, start: Duration::ZERO, amount: Amount::Forever };
    let span = Span { limit: settle + time, interval: STEP };
    let figures = real::run(network, &[(Real::QUIC, transfer)], span).map_err(fault)?;
    let steps = |time: Duration| (time.as_nanos() / STEP.as_nanos()) as usize;
    let bytes = figures.iter().flat_map(|one| one.bytes_per_interval.iter().skip(steps(settle)));
    Ok(bytes.sum::<u64>() as f64 * 8.0 / time.as_secs_f64())
}

/// The way through a tunnel, and without it.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, delay, time) = (context.rate("long-rate"), context.time("long-delay"), context.time("long-time"));
    let queue_bytes = (rate as f64 / 8.0 * 2.0 * delay.as_secs_f64()) as u64;
    let queue = QueueConfig::DropTail(Limit::Bytes(queue_bytes.max(30_000)));
    let link = Link::new().rate(rate).delay(delay).queue(queue).loss(Loss::Independent(context.share("long-loss")));
    let lease_bps = (rate as f64 * LEASED) as u64;
    let way = context.world(LongWay { link, lease_bps });
    let stand = || network(&Topology::pair(context.seed, &way.link));
    let times = (context.time("long-settle"), time);
    let takes = times.0 + time + Duration::from_secs(3);
    let (direct, away) = there_are(&[(CUBIC, Way::Kernel("cubic")), (BBR, Way::Kernel("bbr"))]);
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    for (name, controller) in [(TUNNEL, "cubic"), (TUNNEL_BBR, "bbr")] {
        if controller == "bbr" && away.contains(&BBR) {
            continue;
        }
        context.progress_with(name, takes * 5);
        let own = stand()?;
        let relays = tunnel(&own, way.lease_bps)?;
        let (bps, retransmitted) = iperf(&own, ENDS[1], controller, times)?;
        ends.push(up(&relays));
        rows.push(Row { name, mbits: bps / 1e6, retransmitted });
    }
    for (name, way) in direct {
        context.progress_with(name, takes * 2);
        let Way::Kernel(controller) = way else { continue };
        let (bps, retransmitted) = iperf(&stand()?, "10.0.0.2", controller, times)?;
        rows.push(Row { name, mbits: bps / 1e6, retransmitted });
    }
    context.progress_with("QUIC cubic", takes);
    rows.push(Row { name: "QUIC cubic", mbits: quic(&stand()?, times)? / 1e6, retransmitted: None });
    let up = ends.into_iter().min().unwrap_or(0);
    Ok(noted(outcome(&rows, up), &away))
}

fn outcome(rows: &[Row], up: usize) -> Outcome {
    let mut table = Table::new(&["", "arrives", "segments sent again"]).titled("One connection over the long way");
    for Row { name, mbits, retransmitted } in rows {
        let again = retransmitted.map_or("–".to_owned(), |again| again.to_string());
        table.row(vec![(*name).to_owned(), format!("{mbits:.2} Mbit/s"), again]);
    }
    let mbits = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.mbits);
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let points = rows.iter().enumerate().map(|(at, row)| (at as f64, row.mbits)).collect();
    let plot = Plot::new("What arrives", Axis::names(&names), Axis::new("rate", "Mbit/s"));
    let figure = |row: &Row| json!({ "name": row.name, "mbits": row.mbits, "retransmitted": row.retransmitted });
    let own = rows[0].mbits;
    let outcome = Outcome::new(json!({ "rows": rows.iter().map(figure).collect::<Vec<_>>(), "up": up }))
        .table(table)
        .plot(plot.series(Series::bars("one connection", points)))
        .check(Check::new(
            "in the tunnel: times what the kernel's cubic gets from end to end",
            own / mbits(CUBIC).unwrap_or(f64::NAN),
            "",
            TIMES,
        ));
    outcome.check(Check::new("ends of the tunnel that are up in the end", up as f64, "", UP).ours()).note(
        "Of whoever sends in the tunnel the controller is its own host's; nobody sets anything there. Rates are those \
         that iperf3's receiver tells; QUIC is quinn's machine, from end to end. The lease is nine tenths of the rate. \
         haproxy has no place on such a way: one proxy at either end leaves the long way to the kernel's TCP as it is, \
         and tng/satellite has that.",
    )
}
