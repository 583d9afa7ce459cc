//! How a transport spreads: STP 1 and 2, "Self-spreading Transport Protocols".

mod meetings;
mod packets;

use serde_json::{Value, json};
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

/// One share of hosts that refuse.
struct Level {
    refused: f64,
    /// Hosts that do not refuse.
    willing: usize,
    meetings: usize,
    met: Met,
    /// How many have it after each meeting of the model, by the same lots.
    bare: Vec<usize>,
    /// The curve of the many.
    many: Vec<(f64, f64)>,
}

impl Level {
    fn hold(context: &Context<'_>, number: u64, refused: f64) -> Result<Level, RunError> {
        let hosts = context.count("hosts") as usize;
        let mut rng = Rng::from_u64(context.seed_of(number));
        let refuses = refusing(hosts, refused, &mut rng);
        let lots: Vec<[usize; 2]> =
            (0..context.count("meetings")).map(|_| Acquaintance::Everybody(hosts).meet(&mut rng)).collect();
        let every = context.time("every");
        let met = Meeting { refuses: &refuses, lots: &lots, every, bytes: context.size("bytes") }.hold(context)?;
        let willing = refuses.iter().filter(|refuses| !**refuses).count();
        let bare = alone(&refuses, &lots);
        Ok(Level { refused, willing, meetings: lots.len(), met, bare, many: many(context, refused, &mut rng) })
    }

    fn percent(&self) -> String {
        format!("{} %", self.refused * 100.0)
    }

    /// Meetings until half of those that do not refuse have it: of the hosts, and of the model.
    fn until_half(&self) -> [Option<usize>; 2] {
        [&self.met.had, &self.bare].map(|had| until(had, self.half()))
    }

    fn half(&self) -> usize {
        self.willing.div_ceil(2)
    }

    fn bytes(&self) -> u64 {
        self.met.sent.last().copied().unwrap_or(0)
    }
}

/// What is told of all of them.
struct Report<'a> {
    context: &'a Context<'a>,
    hosts: usize,
    /// Bytes of the module as it travels.
    packed: u64,
    table: Table,
    costs: Table,
    model: Table,
    plot: Plot,
    of_many: Plot,
    results: Vec<Value>,
    /// Meetings until half have it by those of the model, where nobody refuses.
    ratio: f64,
    /// Percent of hosts by which a curve is apart from its model's.
    worst: f64,
    failed: u64,
    why: Option<String>,
    unwilling: u64,
}

impl<'a> Report<'a> {
    fn new(context: &'a Context<'a>, packed: u64) -> Report<'a> {
        let hosts = context.count("hosts") as usize;
        let table = Table::new(&[
            "refuse",
            "meetings until half of the others have it",
            "by meetings alone",
            "in the mean of all lots",
            "have it in the end",
            "by meetings alone",
            "apart at most",
        ]);
        let costs = Table::new(&[
            "refuse",
            "sent",
            "of it code",
            "by a meeting",
            "carried by it",
            "compiled",
            "fuel of guests",
            "a call",
        ]);
        let model = ["refuse", "meetings of a host until half of the others have it", "have it in the end"];
        Report {
            context,
            hosts,
            packed,
            table: table.titled(&format!("{hosts} hosts that send packets")),
            costs: costs.titled("What it costs all of them"),
            model: Table::new(&model).titled(&format!("{} hosts of the model", context.count("many"))),
            plot: Plot::new("Who has it", Axis::new("time", "s"), Axis::new("of hosts", "%")),
            of_many: Plot::new("The many", Axis::new("meetings of a host", ""), Axis::new("of hosts", "%")),
            results: Vec::new(),
            ratio: f64::NAN,
            worst: 0.0,
            failed: 0,
            why: None,
            unwilling: 0,
        }
    }

    fn percent_of_hosts(&self, count: usize) -> f64 {
        count as f64 * 100.0 / self.hosts as f64
    }

    fn add(self, level: &Level) -> Report<'a> {
        let apart = level.met.had.iter().zip(&level.bare);
        let apart = apart.map(|(one, other)| self.percent_of_hosts(one.abs_diff(*other))).fold(0.0, f64::max);
        self.judge(level, apart).tell_costs(level).draw(level).record(level, apart)
    }

    fn judge(mut self, level: &Level, apart: f64) -> Report<'a> {
        let [of_packets, of_model] = level.until_half();
        if level.refused == 0.0 {
            let count = |meetings: Option<usize>| meetings.map_or(f64::NAN, |count| count as f64);
            self.ratio = count(of_packets) / count(of_model);
        }
        self.worst = self.worst.max(apart);
        self.failed += level.met.failed;
        self.unwilling += level.met.unwilling;
        self.why = self.why.or_else(|| level.met.why.clone());
        let last = |had: &[usize]| had.last().copied().unwrap_or(0);
        self.table.row(vec![
            level.percent(),
            or_never(of_packets),
            or_never(of_model),
            format!("{:.0}", expected(self.hosts, level.willing, level.half())),
            last(&level.met.had).to_string(),
            last(&level.bare).to_string(),
            format!("{apart:.1} % of hosts"),
        ]);
        let at_half = level.many.iter().find(|(_, share)| *share >= (1.0 - level.refused) / 2.0);
        self.model.row(vec![
            level.percent(),
            at_half.map_or("never".to_owned(), |(meetings, _)| format!("{meetings:.1}")),
            format!("{:.1} %", level.many.last().map_or(f64::NAN, |(_, share)| *share) * 100.0),
        ]);
        self
    }

    fn tell_costs(mut self, level: &Level) -> Report<'a> {
        let (bytes, spent) = (level.bytes(), &level.met.spent);
        let compiling_s = self.context.time("compiling").as_secs_f64();
        self.costs.row(vec![
            level.percent(),
            format!("{:.1} MB", bytes as f64 / 1e6),
            format!("{:.2} MB", (spent.compiled * self.packed) as f64 / 1e6),
            format!("{:.1} kB", bytes as f64 / 1e3 / level.meetings as f64),
            format!("{} of {}", level.met.by_it, level.meetings),
            format!("{} times, {:.1} s", spent.compiled, spent.compiled as f64 * compiling_s),
            format!("{:.1} M", spent.fuel as f64 / 1e6),
            format!("{:.0}", spent.fuel as f64 / spent.calls.max(1) as f64),
        ]);
        self
    }

    fn draw(mut self, level: &Level) -> Report<'a> {
        let every_s = self.context.time("every").as_secs_f64();
        let points = |had: &[usize]| {
            let at = |(number, count): (usize, &usize)| (every_s * number as f64, self.percent_of_hosts(*count));
            had.iter().enumerate().map(at).collect::<Vec<_>>()
        };
        let (met, bare) = (points(&level.met.had), points(&level.bare));
        let name = format!("{} refuse", level.percent());
        self.plot = self.plot.series(Series::line(&name, met));
        if self.results.is_empty() {
            self.plot = self.plot.series(Series::line(&format!("{name}, by meetings alone"), bare));
        }
        let shown = level.many.iter().map(|(meetings, share)| (*meetings, share * 100.0)).collect();
        self.of_many = self.of_many.series(Series::line(&name, shown));
        self
    }

    fn record(mut self, level: &Level, apart: f64) -> Report<'a> {
        let ([of_packets, of_model], Level { met, .. }) = (level.until_half(), level);
        self.results.push(json!({
            "refusing": level.refused, "had": met.had, "had_by_model": level.bare, "sent_bytes": met.sent,
            "compiled": met.spent.compiled, "fuel": met.spent.fuel, "calls": met.spent.calls,
            "carried_by_it": met.by_it, "apart_percent": apart, "meetings_until_half": of_packets,
            "meetings_until_half_by_model": of_model,
            "meetings_until_half_expected": expected(self.hosts, level.willing, level.half()), "many": level.many,
        }));
        self
    }

    fn outcome(self) -> Outcome {
        let nothing = Check::new("meetings that came to nothing", self.failed as f64, "", Goal::AtMost(0.0));
        let apart = Check::new("curves of packets and of meetings alone apart, of hosts", self.worst, "%", APART);
        let unwilling = Check::new("hosts that refuse it and have it", self.unwilling as f64, "", Goal::AtMost(0.0));
        Outcome::new(json!({ "levels": self.results, "packed_bytes": self.packed }))
            .table(self.table)
            .table(self.costs)
            .table(self.model)
            .plot(self.plot)
            .plot(self.of_many)
            .check(Check::new(
                "meetings until half have it, by those that the epidemic without loss needs",
                self.ratio,
                "",
                HALF,
            ))
            .check(apart.ours())
            .check(nothing.because(self.why.unwrap_or_default()).ours())
            .check(unwilling.ours())
            .note(
                "Fuel is about an instruction of WebAssembly each: what guests did at both ends of all meetings, \
                 NewReno and the transport that spreads alike. Compiling takes what a parameter says, at each host \
                 once. The model knows neither packets nor time: where both curves are one, losses, what code takes to \
                 come, and compiling cost the spread nothing.",
            )
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let packed = Packed::new(&packets::module()).map_err(RunError::broken)?.as_bytes().len() as u64;
    let mut report = Report::new(context, packed);
    for (number, refused) in context.shares("refusing").into_iter().enumerate() {
        context.progress(format_args!("{} % refuse", refused * 100.0));
        report = report.add(&Level::hold(context, number as u64, refused)?);
    }
    Ok(report.outcome())
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
