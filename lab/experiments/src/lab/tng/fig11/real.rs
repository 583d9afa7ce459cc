//! Figure 11 in real time.

use core::time::Duration;

use serde_json::json;

use super::{AROUND_S, BEHIND, CASES, COARSER, Case, NEW_ADDRESS, PROBE_TIMEOUTS, ROUND_TRIPS, STALL, Sender, setting};
use crate::lab::{Check, Context, Curve, Outcome, RunError, Table};
use crate::page::{Axis, Plot};
use crate::peers::helped::real::{Act, Moment, Staging, Way};

/// Moves the client to its other address once.
struct Mover {
    due: Duration,
    /// Helped or not before; when it moved, in seconds; and what a stall may last, in seconds.
    moved: Option<(bool, f64, f64)>,
    failure: Option<String>,
}

impl Act for Mover {
    fn act(&mut self, moment: Moment<'_>) {
        let (Some((client, connection)), Some(helped)) = (moment.over, moment.helped) else { return };
        if self.moved.is_some() || moment.at < self.due {
            return;
        }
        let Some(stats) = connection.stats() else { return };
        let seconds = |time: Duration| time.as_secs_f64();
        let allowed_s = PROBE_TIMEOUTS * seconds(stats.pto) + ROUND_TRIPS * seconds(stats.rtt);
        // The old socket is closed with this: nothing comes by the old address any more.
        let moved = moment.sockets.first().map(|socket| client.rebind_to(socket.clone()));
        self.failure = moved.and_then(Result::err).map(|error| error.to_string());
        self.moved = Some((helped, seconds(moment.at), allowed_s));
    }
}

struct Moved {
    curve: Curve,
    stall_s: f64,
    allowed_s: f64,
}

fn measure(context: &Context<'_>, case: Case) -> Result<Moved, RunError> {
    context.progress(case.name);
    let addresses = vec![usize::from(NEW_ADDRESS)];
    let staging = context.world(Staging { addresses, ..Staging::new(setting(context, case), Way::Tng) });
    let due = context.time("before");
    let (ran, mover) = staging.run(due + BEHIND, || Mover { due, moved: None, failure: None })?;
    let failed = |why: &str| RunError::broken(format_args!("{}: {why}", case.name));
    if let Some(why) = mover.failure {
        return Err(failed(&why));
    }
    let (helped, at_s, allowed_s) = mover.moved.ok_or_else(|| failed("it did not move"))?;
    if helped != (case.helpers > 0) {
        return Err(failed("the connection went another way"));
    }
    let stall_s = ran.curve.longest_gap_s((at_s, at_s + AROUND_S), (due + BEHIND).as_secs_f64());
    Ok(Moved { curve: ran.curve, stall_s, allowed_s })
}

/// Senders that began the connection and change their address without notice.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["", "round trips and probe timeouts allowed", "stall"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for case in CASES.into_iter().filter(|case| case.sender == Sender::Client && !case.notice) {
        let Moved { curve, stall_s, allowed_s } = measure(context, case)?;
        let ms = |time_s: f64| format!("{:.0} ms", time_s * 1e3);
        table.row(vec![case.name.to_owned(), ms(allowed_s), ms(stall_s)]);
        plot.series.push(curve.coarser(COARSER).series());
        figures.push(json!({ "name": case.name, "stall_s": stall_s, "allowed_s": allowed_s }));
        let name = format!("{}: stall, of 3 PTO and 4 round trips", case.name);
        checks
            .push(Check::new(name, 100.0 * stall_s / allowed_s, "%", STALL).paper("a few round trips after the stall"));
    }
    let moved_s = context.time("before").as_secs_f64();
    let outcome = Outcome::new(json!({ "cases": figures, "moved_s": moved_s }));
    let outcome = outcome.table(table).plot(plot.mark(moved_s, "another address"));
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "tng/fig11 in virtual time is the same setting, and the page beside this one; what it has more, senders that \
         did not begin the connection and such that know of the change before, is not done here. The host moves to a \
         socket at its other address; its old one is closed. TCP has nothing to go on with: its connections end with \
         their address, and so do those that haproxy passes on. The lab's QUIC stays on one socket here.",
    ))
}
