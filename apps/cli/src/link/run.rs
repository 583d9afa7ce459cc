//! A scenario in real time.

use serde_json::json;
use tng_experiments::real::{self, RealError};
use tng_experiments::{Scenario, page};

use super::{permitted, refused};
use crate::commands::link::RunArgs;
use crate::commands::sim::read_text;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::talk::Talk;

/// Runs a scenario and prints what came of it, and how punctual its links were.
///
/// # Errors
/// No root, a scenario that makes no sense or has what is there in virtual time only, or a flow failed.
pub fn run(args: &RunArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("running {}", args.file.display());
    let text = read_text(&args.file)?;
    let mut scenario = Scenario::parse_with(&text, &args.set)
        .map_err(|error| Failure::usage(format!("reading {}", args.file.display()), error))?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    real::check(&scenario).map_err(|error| Failure::usage(&what, error))?;
    permitted(&what)?;
    args.report.as_deref().map_or(Ok(()), output::try_file)?;
    talk.say(format_args!("seed {}, at most {:?} of real time", scenario.seed, scenario.duration));
    let ran = real::run_scenario(&scenario).map_err(|error| match error {
        RealError::Network(error) => refused(&what, &error),
        RealError::System(_) => Failure::new(Exit::Read, &what, error),
        error => Failure::usage(&what, error),
    })?;
    if let Some(path) = &args.report {
        std::fs::write(path, page::of_report(&ran.report))
            .map_err(|error| Failure::write(format!("writing {}", path.display()), &error))?;
        talk.say(format_args!("the page is in {}", path.display()));
    }
    talk.payload(format_args!("{}\n{}", ran.report, ran.links.to_string().trim_end()));
    talk.event("report", &json!({ "report": ran.report, "links": ran.links }));
    match ran.report.flows.iter().find_map(|flow| Some((&flow.name, flow.failure.as_ref()?))) {
        Some((name, why)) => Err(Failure::new(Exit::Partial, format!("flow {name}"), why)),
        None => Ok(()),
    }
}
