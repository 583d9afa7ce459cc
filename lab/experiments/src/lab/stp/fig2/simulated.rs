//! In virtual time.

use core::time::Duration;
use std::sync::Arc;

use tng_base::Instant;
use tng_crypto::code_hash;
use tng_sim::Link;
use tng_stack::Settled;

use super::{NAMES, STEPS, Told};
use crate::lab::{Check, Context, Goal, RunError};
use crate::peers::guests::modules::somebody_elses;
use crate::peers::guests::repertoire::Acceptance;
use crate::peers::shipping::{Ground, Resident, Standing, Town, Visit};

/// Between connections that are not to meet.
const LATER: Duration = Duration::from_secs(5);
/// Round trips until a connection is there.
const ROUNDS: Goal = Goal::AtMost(1.1);
/// What a file takes beside code on its way, by what it takes alone.
const BESIDE: Goal = Goal::AtMost(1.05);

/// The second connection.
const MEANWHILE: Goal = Goal::AtLeast(1.0);

/// When each connection of the story begins.
fn begins(context: &Context<'_>, place: usize) -> Instant {
    match place {
        0 => Instant::ZERO,
        1 => Instant::ZERO + context.time("second"),
        _ => Instant::ZERO + LATER * place as u32,
    }
}

fn stand(context: &Context<'_>, module: &Arc<[u8]>) -> Standing {
    let resident = |host: usize| Resident {
        accepts: Acceptance::Any,
        has: if host == 0 { vec![Arc::clone(module)] } else { Vec::new() },
        prefers: None,
    };
    let town = Town {
        seed: context.seed,
        ground: Ground::Star,
        link: Link::new().rate(context.rate("rate")).delay(context.time("delay")),
        compiling: context.time("compiling"),
        residents: (0..NAMES.len()).map(resident).collect(),
    };
    context.world(town).stand()
}

pub(super) fn tell(context: &Context<'_>) -> Result<(Vec<Told>, Vec<Check>), RunError> {
    let module: Arc<[u8]> = somebody_elses("mine").into();
    let hash = code_hash(&module);
    let (mut standing, bytes) = (stand(context, &module), context.size("size"));
    for (place, step) in STEPS.iter().enumerate() {
        let [from, to] = step.ends;
        let to = standing.targets[to].clone();
        let at = begins(context, place);
        standing.courier_mut(from).plan(Visit { at, to, offers: vec![hash], bytes, asks: None });
    }
    standing.world.run_until(begins(context, STEPS.len()) + LATER);
    // The same files on connections that offer nothing.
    let mut plain = stand(context, &module);
    for place in 0..2 {
        let (at, to) = (begins(context, place), plain.targets[1].clone());
        plain.courier_mut(0).plan(Visit { at, to, offers: Vec::new(), bytes, asks: None });
    }
    plain.world.run_until(Instant::ZERO + LATER);
    let alone: Vec<f64> = plain.courier(0).visits.iter().filter_map(|visit| Some(visit.whole?.as_secs_f64())).collect();

    let mut next = [0; NAMES.len()];
    let mut told = Vec::new();
    let round = context.time("delay").as_secs_f64() * 4.0;
    let (mut rounds, mut beside) = (0.0_f64, 0.0_f64);
    for (place, step) in STEPS.iter().enumerate() {
        let from = step.ends[0];
        let visit = standing.courier(from).visits.get(next[from]);
        let visit = visit.ok_or_else(|| RunError::broken("a connection did not begin"))?;
        next[from] += 1;
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let (connected_s, whole_s) = (seconds(visit.connected), seconds(visit.whole));
        rounds = rounds.max(connected_s.map_or(f64::INFINITY, |time| time / round));
        if let Some(alone) = alone.get(place) {
            beside = beside.max(whole_s.map_or(f64::INFINITY, |time| time / alone));
        }
        let settled = match visit.settled {
            Some(Settled::Runs(_)) => "runs",
            Some(Settled::SendMe(_)) => "sendme",
            Some(Settled::No) => "no",
            Some(Settled::Declined(_)) => "declined",
            Some(Settled::Asked(_)) | None => "nothing",
        };
        told.push(Told { settled: settled.to_owned(), connected_s, whole_s });
    }
    let meanwhile = f64::from(u8::from(told[1].settled == "sendme"));
    let checks = vec![
        Check::new("round trips until a connection is there, at most", rounds, "", ROUNDS),
        Check::new("files beside code on its way, by what they take on plain connections, at most", beside, "", BESIDE)
            .ours(),
        Check::new("connections that begin while code is on its way and do not wait", meanwhile, "", MEANWHILE).ours(),
    ];
    Ok((told, checks))
}
