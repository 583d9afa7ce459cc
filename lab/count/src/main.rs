//! Counts the instructions that the stack executes for each packet sent or received, each request, and so on. A count
//! does not depend on what else the machine does, so that it can be a condition for a change, which a time cannot. See
//! docs/performance.md.
#![forbid(unsafe_code)]

mod callgrind;
mod forgetful;
mod guest;
mod hostile;
mod limits;
mod pair;
mod part;
mod policed;
mod quinn;
mod relay;
mod renewal;
mod seat;
mod trickles;
mod turns;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::callgrind::Count;
use crate::guest::Share;
use crate::limits::{Limits, Verdict};
use crate::part::Part;

/// What went wrong. The text is all that anybody needs of it.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The counts that a change is held to.
const LIMITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/limits.toml");

/// Count the instructions that tng executes for each packet sent or received, each request, and so on.
///
/// Two hosts in memory do the work under valgrind's callgrind, without sockets, clock or chance: what is counted is the
/// same in every run of one build. Build with --release.
///
/// Works that quinn can do in the same way are counted of quinn as well, and told in percent of it: all instructions,
/// the crypto library's included. Quinn's parts have no limits: --check and --write leave them out.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    before_help = "Examples:\n  cargo run --release -p tng-count                       # every part\n  \
                   cargo run --release -p tng-count -- bulk-send --top 20 # and where they are spent\n  \
                   cargo run --release -p tng-count -- --check            # against lab/count/limits.toml\n  \
                   cargo run --release -p tng-count -- --write            # after a change that is meant to be"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Task>,
    /// What to count; all if nothing is named
    parts: Vec<Part>,
    /// Fail if a part costs more than limits.toml allows
    #[arg(long)]
    check: bool,
    /// Write what was counted to limits.toml
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Print the functions in which the most are spent
    #[arg(long, value_name = "N", default_value_t = 0)]
    top: usize,
    /// Print one JSON object and no table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Task {
    /// Count what each message costs a host at its worst, against the resource model (docs/resources.md); fail if one
    /// costs more
    Hostile {
        /// Attacks that drive rows of the model; all if nothing is named
        names: Vec<String>,
        /// Write what was counted to lab/attack/src/work.rs, from which the bounds are made
        #[arg(long, conflicts_with = "names")]
        write: bool,
        /// Print one JSON object and no table
        #[arg(long)]
        json: bool,
    },
    /// Make one attack and print how many datagrams of it are counted; what callgrind runs
    #[command(hide = true)]
    AttackOnce {
        /// Which
        name: String,
        /// Count turns with packets of channels alone
        #[arg(action = clap::ArgAction::Set)]
        packets: bool,
    },
    /// Do one part's work and print how many units of it are counted; what callgrind runs
    #[command(hide = true)]
    Run {
        /// Which
        part: Part,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Some(Task::Run { part }) => part.run().map(|units| println!("{units}")).map_err(Failure::from),
        Some(Task::Hostile { names, write, json }) => hostile(names, *write, *json),
        Some(Task::AttackOnce { name, packets }) => match tng_attack::find(name) {
            Some(attack) => {
                println!("{}", hostile::run(attack, *packets));
                Ok(())
            }
            None => Err(format!("there is no attack {name}; see `tng attack list`").into()),
        },
        None => count(&cli),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tng-count: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts what drives the rows of the resource model, and holds it to their bounds.
fn hostile(names: &[String], write: bool, json: bool) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err("counts of an unoptimized build say nothing; build with --release".into());
    }
    let mut rows = hostile::rows();
    rows.retain(|(_, attack)| names.is_empty() || names.iter().any(|name| *name == attack.name));
    let (tolls, built_for) = (hostile::count_all(&rows)?, limits::built_for());
    if json {
        let row = |toll: &hostile::Toll| {
            let value = serde_json::json!({
                "message": toll.row.message, "most": toll.most, "mean": toll.mean, "bound": toll.row.work_max(),
                "passes": toll.passes(),
            });
            (toll.attack.name.to_owned(), value)
        };
        println!("{}", serde_json::Value::Object(tolls.iter().map(row).collect()));
    } else {
        println!("{:<20}{:<38}{:>12}{:>12}{:>12}", "attack", "message", "dearest", "mean", "bound");
        for toll in &tolls {
            let (row, verdict) = (toll.row, if toll.passes() { "" } else { "  TOO MUCH" });
            let bound = row.work_max().map_or("none".to_owned(), |bound| bound.to_string());
            println!(
                "{:<20}{:<38}{:>12}{:>12}{bound:>12}{verdict}",
                toll.attack.name, row.message, toll.most, toll.mean
            );
        }
    }
    if write {
        return Ok(hostile::write(&tolls, &built_for)?);
    }
    if tng_attack::COUNTED_FOR != built_for {
        eprintln!(
            "tng-count: nothing is checked: lab/attack/src/work.rs is for {}, this is {built_for}; write it anew with \
             --write, from a state that was checked",
            tng_attack::COUNTED_FOR
        );
        return Ok(());
    }
    let failed: Vec<&str> = tolls.iter().filter(|toll| !toll.passes()).map(|toll| toll.attack.name).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("more instructions than docs/resources.md allows: {}", failed.join(", ")).into()),
    }
}

fn count(cli: &Cli) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err("counts of an unoptimized build say nothing; build with --release".into());
    }
    let parts = parts(cli);
    let mut limits = Limits::read(Path::new(LIMITS))?;
    let counts = parts.into_iter().map(callgrind::count).collect::<Result<Vec<Count>, _>>()?;
    let built_for = limits::built_for();
    let judged = |count: &Count| (count.part, limits.judge(count.part, count.cost(), &built_for));
    let verdicts: Vec<(Part, Verdict)> = counts.iter().map(judged).collect();
    if cli.json {
        print_json(&counts);
    } else {
        print_table(&counts, &verdicts, cli.top);
    }
    if cli.write {
        limits.adopt(&counts, &built_for);
        return limits.write(Path::new(LIMITS));
    }
    if cli.check && limits.built_for != built_for {
        eprintln!(
            "tng-count: nothing is checked: limits.toml is for {}, this is {built_for}; write it anew with --write, \
             from a state that was checked",
            limits.built_for
        );
    }
    let failed: Vec<String> =
        verdicts.iter().filter(|(_, verdict)| !verdict.passes()).map(|(part, _)| part.to_string()).collect();
    match cli.check && !failed.is_empty() {
        true => Err(format!(
            "more instructions than lab/count/limits.toml allows: {}. See where: tng-count PART --top 30, before and \
             after the change. If the growth is worth it: tng-count --write, and say why",
            failed.join(", ")
        )
        .into()),
        false => Ok(()),
    }
}

/// What there is to count: what is named, and the same work by quinn, if it is to compare and not to hold to limits.
fn parts(cli: &Cli) -> Vec<Part> {
    let held = cli.check || cli.write;
    let mut parts = match cli.parts.is_empty() {
        true => Part::ALL.iter().copied().filter(|part| !held || part.has_limit()).collect(),
        false => cli.parts.clone(),
    };
    for index in 0..if held { 0 } else { parts.len() } {
        parts.extend(parts[index].by_quinn().filter(|quinns| !parts.contains(quinns)));
    }
    parts
}

/// What a part costs in percent of quinn's, the crypto libraries' share included, if that was counted.
fn percent_of_quinn(count: &Count, counts: &[Count]) -> Option<f64> {
    let quinns = count.part.by_quinn()?;
    let quinns = counts.iter().find(|count| count.part == quinns)?;
    Some(count.cost().together() / quinns.cost().together() * 100.0)
}

fn print_table(counts: &[Count], verdicts: &[(Part, Verdict)], top: usize) {
    println!(
        "{:<21}{:>11}{:>12}{:>12}{:>10}{:>13}  {:<12}against limits.toml",
        "", "own", "cipher", "together", "of quinn", "allocations", "for each"
    );
    for (count, (_, verdict)) in counts.iter().zip(verdicts) {
        let (cost, part) = (count.cost(), count.part);
        let of_quinn = percent_of_quinn(count, counts).map_or(String::new(), |percent| format!("{percent:.1} %"));
        println!(
            "{:<21}{:>11.1}{:>12.1}{:>12.1}{of_quinn:>10}{:>13.2}  {:<12}{verdict}",
            part.to_string(),
            cost.own,
            cost.cipher,
            cost.together(),
            cost.allocations,
            part.unit()
        );
    }
    if counts.iter().any(|count| count.part.is_quinns()) {
        println!("\n\"of quinn\" is of own and cipher together; quinn's packets are sealed by {}", quinn::cipher());
    }
    let guests: Vec<&Count> = counts.iter().filter(|count| count.part.guest().is_some()).collect();
    if !guests.is_empty() {
        println!("\n{:<21}{}", "of that in", Share::ALL.map(|share| format!("{:>11}", share.name())).concat());
    }
    for count in guests {
        println!("{:<21}{}", count.part.to_string(), shares(count).map(|(_, each)| format!("{each:>11.1}")).concat());
    }
    for count in counts.iter().filter(|_| top > 0) {
        println!("\n{}: instructions for each {}, spent in", count.part, count.part.unit());
        for (name, spent) in count.profile.functions.iter().take(top) {
            println!("{:>12.1}  {name}", *spent as f64 / count.units as f64);
        }
    }
}

/// In what the instructions of a guest's packet are spent, for each.
fn shares(count: &Count) -> [(Share, f64); 5] {
    Share::ALL.map(|share| {
        let functions = count.profile.functions.iter().filter(|(name, _)| Share::of(name) == share);
        (share, functions.map(|(_, spent)| *spent as f64).sum::<f64>() / count.units as f64)
    })
}

fn print_json(counts: &[Count]) {
    let part = |count: &Count| {
        let cost = count.cost();
        let functions: serde_json::Map<String, serde_json::Value> =
            count.profile.functions.iter().map(|(name, spent)| (name.clone(), (*spent).into())).collect();
        let shares: serde_json::Map<String, serde_json::Value> = match count.part.guest() {
            Some(_) => shares(count).into_iter().map(|(share, each)| (share.name().to_owned(), each.into())).collect(),
            None => serde_json::Map::new(),
        };
        let value = serde_json::json!({
            "unit": count.part.unit(), "units": count.units, "own": cost.own, "cipher": cost.cipher,
            "allocations": cost.allocations, "percent_of_quinn": percent_of_quinn(count, counts),
            "functions": functions, "shares": shares,
        });
        (count.part.to_string(), value)
    };
    println!("{}", serde_json::Value::Object(counts.iter().map(part).collect()));
}
