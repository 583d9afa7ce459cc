//! How a transport spreads: STP 1 and 2, "Self-spreading Transport Protocols".

mod meetings;
mod packets;

use serde_json::json;
use tng_base::Rng;
use tng_services::code::Packed;

use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};

use meetings::{Acquaintance, Epidemic, expected, refusing};
use packets::{Meeting, Met};

/// An epidemic of a transport.
pub static SPREAD: Experiment = Experiment {
    name: "stp/spread",
    title: "How a transport spreads",
    source: "ours, after STP 1 and 2",
    claim: "a transport that one host has spreads as an epidemic does: half of a hundred hosts have it after as many \
            meetings as one without loss and without delay needs, and a tenth more",
    about: "A hundred hosts around a router, each with NewReno and one with another transport besides. Two that are \
            drawn by lot meet every second: the one visits the other and fetches a few bytes, offering the transport \
            if it has it. Who is offered what it lacks asks for it; who visits somebody that would rather run it \
            fetches it; some refuse, and run NewReno or streams. The hosts are real, in virtual time, and so is every \
            packet. Beside it a model in which two meet, by the same lots, and the transport has gone over: its curve \
            must be that of the packets. The same model then for a million hosts, whose numbers of acquaintances \
            follow a power law.",
    params: &[
        Param::count("hosts", "100", (10, 1_000), "that send packets"),
        Param::count("meetings", "600", (1, 100_000), "of them"),
        Param::span("every", "1s", "two of them meet"),
        Param::size("bytes", "20kB", "that a meeting is for"),
        Param::rate("rate", "2mbit", "of each host's line"),
        Param::time("delay", "25ms", "of each host's line, each way"),
        Param::share("loss", "0.25%", "of packets on each line"),
        Param::time("compiling", "100ms", "what compiling takes"),
        Param::list("refusing", "0%,10%,25%,50%", &Kind::Share, "of hosts"),
        Param::count("many", "1000000", (100, 10_000_000), "hosts of the model"),
        Param::word("exponent", "2.5", &["2.1", "2.5", "3"], "of the power law"),
        Param::count("least", "2", (1, 100), "acquaintances of a host of the model"),
        Param::count("each", "24", (1, 1_000), "meetings of a host of the model, in the mean"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Meetings until half have it, by those that the epidemic without loss needs.
const HALF: Goal = Goal::AtMost(1.1);
/// How far apart the curves of packets and of the model may be: a share of all hosts, in per cent.
const APART: Goal = Goal::AtMost(5.0);
/// Points of a curve of the many.
const POINTS: usize = 120;

/// How many have it when each meeting begins, and in the end.
fn alone(refuses: &[bool], lots: &[[usize; 2]]) -> Vec<usize> {
    let mut epidemic = Epidemic::new(refuses);
    let mut had = vec![1];
    for lot in lots {
        epidemic.meet(*lot);
        had.push(epidemic.count());
    }
    had
}

/// Meetings until so many have it.
fn until(had: &[usize], count: usize) -> Option<usize> {
    had.iter().position(|have| *have >= count)
}

fn or_never(meetings: Option<usize>) -> String {
    meetings.map_or("never".to_owned(), |meetings| meetings.to_string())
}

/// The curve of many hosts: meetings of a host, and the share that has it.
fn many(context: &Context<'_>, refused: f64, rng: &mut Rng) -> Vec<(f64, f64)> {
    let hosts = context.count("many") as usize;
    let exponent = context.word("exponent").parse().expect("one of the parameter's words");
    let acquaintance = Acquaintance::by_power_law(hosts, exponent, context.count("least") as u32, rng);
    let refuses = refusing(hosts, refused, rng);
    let mut epidemic = Epidemic::new(&refuses);
    // A meeting is one of two hosts.
    let step = (hosts as f64 * context.count("each") as f64 / 2.0 / POINTS as f64).ceil() as usize;
    let mut curve = vec![(0.0, 1.0 / hosts as f64)];
    for point in 1..=POINTS {
        (0..step).for_each(|_| epidemic.meet(acquaintance.meet(rng)));
        curve.push(((point * step) as f64 * 2.0 / hosts as f64, epidemic.count() as f64 / hosts as f64));
    }
    curve
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (hosts, every) = (context.count("hosts") as usize, context.time("every"));
    let head = [
        "refuse",
        "meetings until half of the others have it",
        "by meetings alone",
        "in the mean of all lots",
        "have it in the end",
        "by meetings alone",
        "apart at most",
    ];
    let mut table = Table::new(&head).titled(&format!("{hosts} hosts that send packets"));
    let head =
        ["refuse", "sent", "of it code", "by a meeting", "carried by it", "compiled", "fuel of guests", "a call"];
    let mut costs = Table::new(&head).titled("What it costs all of them");
    let head = ["refuse", "meetings of a host until half of the others have it", "have it in the end"];
    let mut model = Table::new(&head).titled(&format!("{} hosts of the model", context.count("many")));
    let mut plot = Plot::new("Who has it", Axis::new("time", "s"), Axis::new("of hosts", "%"));
    let mut of_many = Plot::new("The many", Axis::new("meetings of a host", ""), Axis::new("of hosts", "%"));
    let (mut results, mut ratio, mut worst, mut failed, mut unwilling) = (Vec::new(), f64::NAN, 0.0_f64, 0, 0);
    let mut why = None;
    let packed = Packed::new(&packets::module()).map_err(RunError::broken)?.as_bytes().len() as u64;
    for (level, refused) in context.shares("refusing").into_iter().enumerate() {
        let percent = format!("{} %", refused * 100.0);
        context.progress(format_args!("{percent} refuse"));
        let mut rng = Rng::from_u64(context.seed_of(level as u64));
        let refuses = refusing(hosts, refused, &mut rng);
        let lots: Vec<[usize; 2]> =
            (0..context.count("meetings")).map(|_| Acquaintance::Everybody(hosts).meet(&mut rng)).collect();
        let meeting = Meeting { refuses: &refuses, lots: &lots, every, bytes: context.size("bytes") };
        let Met { had, sent, spent, by_it, failed: broken, why: first, unwilling: wrong } = meeting.hold(context)?;
        let (bare, willing) = (alone(&refuses, &lots), refuses.iter().filter(|refuses| !**refuses).count());
        let half = willing.div_ceil(2);
        let [of_packets, of_model] = [&had, &bare].map(|had| until(had, half));
        let share = |count: usize| count as f64 * 100.0 / hosts as f64;
        let apart = had.iter().zip(&bare).map(|(one, other)| share(one.abs_diff(*other))).fold(0.0, f64::max);
        if refused == 0.0 {
            let count = |meetings: Option<usize>| meetings.map_or(f64::NAN, |count| count as f64);
            ratio = count(of_packets) / count(of_model);
        }
        (worst, failed, unwilling) = (worst.max(apart), failed + broken, unwilling + wrong);
        why = why.or(first);
        let last = |had: &[usize]| had.last().copied().unwrap_or(0);
        table.row(vec![
            percent.clone(),
            or_never(of_packets),
            or_never(of_model),
            format!("{:.0}", expected(hosts, willing, half)),
            last(&had).to_string(),
            last(&bare).to_string(),
            format!("{apart:.1} % of hosts"),
        ]);
        let (bytes, installed) = (sent.last().copied().unwrap_or(0), spent.compiled);
        costs.row(vec![
            percent.clone(),
            format!("{:.1} MB", bytes as f64 / 1e6),
            format!("{:.2} MB", (installed * packed) as f64 / 1e6),
            format!("{:.1} kB", bytes as f64 / 1e3 / lots.len() as f64),
            format!("{by_it} of {}", lots.len()),
            format!("{installed} times, {:.1} s", installed as f64 * context.time("compiling").as_secs_f64()),
            format!("{:.1} M", spent.fuel as f64 / 1e6),
            format!("{:.0}", spent.fuel as f64 / spent.calls.max(1) as f64),
        ]);
        let points = |had: &[usize]| {
            had.iter().enumerate().map(|(number, count)| (every.as_secs_f64() * number as f64, share(*count))).collect()
        };
        plot = plot.series(Series::line(&format!("{percent} refuse"), points(&had)));
        if level == 0 {
            plot = plot.series(Series::line(&format!("{percent}, by meetings alone"), points(&bare)));
        }
        let curve = many(context, refused, &mut rng);
        let at_half = curve.iter().find(|(_, share)| *share >= (1.0 - refused) / 2.0).map(|(meetings, _)| *meetings);
        let in_the_end = curve.last().map_or(f64::NAN, |(_, share)| *share);
        model.row(vec![
            percent.clone(),
            at_half.map_or("never".to_owned(), |meetings| format!("{meetings:.1}")),
            format!("{:.1} %", in_the_end * 100.0),
        ]);
        let shown = curve.iter().map(|(meetings, share)| (*meetings, share * 100.0)).collect();
        of_many = of_many.series(Series::line(&format!("{percent} refuse"), shown));
        results.push(json!({
            "refusing": refused, "had": had, "had_by_model": bare, "sent_bytes": sent, "compiled": installed,
            "fuel": spent.fuel, "calls": spent.calls, "carried_by_it": by_it, "apart_percent": apart,
            "meetings_until_half": of_packets, "meetings_until_half_by_model": of_model,
            "meetings_until_half_expected": expected(hosts, willing, half), "many": curve,
        }));
    }
    let outcome = Outcome::new(json!({ "levels": results, "packed_bytes": packed }));
    let outcome = outcome.table(table).table(costs).table(model).plot(plot).plot(of_many);
    Ok(outcome
        .check(Check::new(
            "meetings until half have it, by those that the epidemic without loss needs",
            ratio,
            "",
            HALF,
        ))
        .check(Check::new("curves of packets and of meetings alone apart, of hosts", worst, "%", APART).ours())
        .check(
            Check::new("meetings that came to nothing", failed as f64, "", Goal::AtMost(0.0))
                .because(why.unwrap_or_default())
                .ours(),
        )
        .check(Check::new("hosts that refuse it and have it", unwilling as f64, "", Goal::AtMost(0.0)).ours())
        .note(
            "Fuel is about an instruction of WebAssembly each: what guests did at both ends of all meetings, NewReno \
             and the transport that spreads alike. Compiling takes what a parameter says, at each host once. The model \
             knows neither packets nor time: where both curves are one, losses, what code takes to come, and compiling \
             cost the spread nothing.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const FEW: [&str; 4] = ["hosts=20", "meetings=90", "refusing=0%,50%", "many=2000"];

    #[test]
    fn a_transport_spreads_as_an_epidemic_does_and_where_code_takes_long_it_does_not() {
        let record = measured(&SPREAD, 1, &FEW);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        let record = measured(&SPREAD, 1, &[&FEW[..], &["compiling=30s"]].concat());
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().any(|name| name.contains("meetings until half")), "{record}");
    }
}
