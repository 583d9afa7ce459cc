//! Figure 11 in real time.

use core::net::IpAddr;
use core::time::Duration;
use std::io;
use std::process::{Command, Stdio};

use serde_json::json;
use tng_emulator::Network;

use super::{AROUND_S, BEHIND, CASES, COARSER, Case, NEW_ADDRESS, PROBE_TIMEOUTS, ROUND_TRIPS, Sender, setting};
use crate::lab::{Context, Curve, Goal, Outcome, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::real::{Act, Moment, Staging, Way};

/// Milliseconds without data, with notice: what the new flow's slow start loses, where the queue of 50 ms overflows, is
/// there again after a round trip of 40 ms and the queue.
const PAUSE: Goal = Goal::AtMost(100.0);

/// Moves the client to its other address once.
struct Mover {
    due: Duration,
    /// How long before it is told of the other address, if it is.
    notice: Option<Duration>,
    told: bool,
    /// Helped or not before; when it moved, in seconds; and what a stall may last, in seconds.
    moved: Option<(bool, f64, f64)>,
    failure: Option<String>,
}

impl Act for Mover {
    fn act(&mut self, moment: Moment<'_>) {
        let (Some((client, connection)), Some(helped)) = (moment.over, moment.helped) else { return };
        if self.moved.is_some() {
            return;
        }
        let [old, new] = [0, 1].map(|at| moment.network.topology().nodes[moment.client].addresses[at]);
        if !self.told && self.notice.is_some_and(|notice| moment.at + notice >= self.due) {
            client.note_address(new);
            self.told = true;
        }
        if moment.at < self.due {
            return;
        }
        let Some(stats) = connection.stats() else { return };
        let seconds = |time: Duration| time.as_secs_f64();
        let allowed_s = PROBE_TIMEOUTS * seconds(stats.pto) + ROUND_TRIPS * seconds(stats.rtt);
        self.failure = match self.notice {
            Some(_) => take_away(moment.network, moment.client, [old, new]).err().map(|error| error.to_string()),
            // The old socket is closed with this: nothing comes by the old address any more.
            None => {
                let moved = moment.sockets.first().map(|socket| client.rebind_to(socket.clone()));
                moved.and_then(Result::err).map(|error| error.to_string())
            }
        };
        self.moved = Some((helped, seconds(moment.at), allowed_s));
    }
}

/// Takes an address from a node, whose routes go on from another.
fn take_away(network: &Network, node: usize, [address, instead]: [IpAddr; 2]) -> io::Result<()> {
    let ip = |args: &[&str]| {
        let output = Command::new("ip").args(args).stdin(Stdio::null()).output()?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    };
    network.run(node, || {
        // The system takes a route away with the address that it names.
        let [address, instead] = [address, instead].map(|ip| ip.to_string());
        for route in ip(&["route", "show"])?.lines() {
            let words = route.split_whitespace().map(|word| if word == address { &*instead } else { word });
            ip(&["route", "replace"].into_iter().chain(words).collect::<Vec<_>>())?;
        }
        let shown = ip(&["-o", "address", "show"])?;
        let is_it = |with_bits: &str| with_bits.split('/').next() == Some(&*address);
        let found = shown.lines().find_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [_, device, _, with_bits, ..] if is_it(with_bits) => Some([with_bits, device]),
            _ => None,
        });
        let [with_bits, device] = found.ok_or_else(|| io::Error::other(format!("the node has no {address}")))?;
        ip(&["address", "delete", with_bits, "dev", device]).map(drop)
    })?
}

struct Moved {
    curve: Curve,
    stall_s: f64,
    allowed_s: f64,
}

fn measure(context: &Context<'_>, case: Case) -> Result<Moved, RunError> {
    context.progress(case.name);
    let addresses = vec![usize::from(NEW_ADDRESS)];
    let notice = case.notice.then(|| context.time("notice"));
    let plain = Staging::new(setting(context, case), Way::Tng);
    let staging = context.world(Staging { addresses, anywhere: case.notice, ..plain });
    let due = context.time("before");
    let (ran, mover) = staging.run(due + BEHIND, || Mover { due, notice, told: false, moved: None, failure: None })?;
    let failed = |why: &str| RunError::broken(format_args!("{}: {why}", case.name));
    if let Some(why) = mover.failure {
        return Err(failed(&why));
    }
    let (helped, at_s, allowed_s) = mover.moved.ok_or_else(|| failed("it did not move"))?;
    if helped != (case.helpers > 0) {
        return Err(failed("the connection went another way"));
    }
    // A host that knows before begins its new flow when it has the new address.
    let from_s = at_s - notice.unwrap_or_default().as_secs_f64();
    let stall_s = ran.curve.longest_gap_s((from_s, at_s + AROUND_S), (due + BEHIND).as_secs_f64());
    Ok(Moved { curve: ran.curve, stall_s, allowed_s })
}

/// Senders that began the connection and change their address, with notice and without.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["", "round trips and probe timeouts allowed", "stall"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Curve::axis());
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for case in CASES.into_iter().filter(|case| case.sender == Sender::Client) {
        let Moved { curve, stall_s, allowed_s } = measure(context, case)?;
        let ms = |time_s: f64| format!("{:.0} ms", time_s * 1e3);
        table.row(vec![case.name.to_owned(), ms(allowed_s), ms(stall_s)]);
        plot.series.push(curve.coarser(COARSER).series());
        figures.push(json!({ "name": case.name, "stall_s": stall_s, "allowed_s": allowed_s }));
        checks.push(case.check((stall_s, allowed_s), PAUSE));
    }
    let moved_s = context.time("before").as_secs_f64();
    let outcome = Outcome::new(json!({ "cases": figures, "moved_s": moved_s }));
    let outcome = outcome.table(table).plot(plot.mark(moved_s, "another address"));
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "tng/fig11 in virtual time is the same setting, and the page beside this one; what it has more, senders that \
         did not begin the connection, is not done here. Without notice the host moves to a socket at its other \
         address, and its old one is closed; with notice its socket is at all its addresses, it is told of the other \
         one, and later the system takes the old one away. Where 75 to 80 ms are without data with notice, the queue \
         dropped a packet of the new flow's slow start, 0.4 s after it began: in virtual time vegas stops before. TCP \
         has nothing to go on with: its connections end with their address, and so do those that haproxy passes on. \
         The lab's QUIC stays on one socket here.",
    ))
}
