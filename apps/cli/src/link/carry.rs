//! The process behind a network that stands.

use std::io::Write;
use std::os::unix::net::UnixListener;

use tng_emulator::control::{self, Answer, Request};
use tng_emulator::run_dir::ProcessId;
use tng_emulator::{Names, Network, State, Status};
use tng_experiments::Scenario;
use tng_experiments::scenario::LinkPatch;

use super::up::READY;
use super::{refused, run_dir};
use crate::commands::link::UpArgs;
use crate::commands::sim::read_text;
use crate::failure::Failure;

/// Makes a network, says so, and carries its packets until it is told to end.
///
/// # Errors
/// The system does not let it stand.
pub fn carry(args: &UpArgs) -> Result<(), Failure> {
    let what = "the network";
    let name = &args.network.name;
    let dir = run_dir(what, name)?;
    let scenario = Scenario::parse_network(&read_text(&args.file)?, &args.set)
        .map_err(|error| Failure::usage("reading the topology", error))?;
    let topology = scenario.topology();
    let network = Network::start(&topology, &Names::Public(name.clone())).map_err(|error| refused(what, &error))?;
    let write = |error: std::io::Error| Failure::write(format!("writing to {}", dir.state_path().display()), &error);
    let listener = UnixListener::bind(dir.control_path()).map_err(write)?;
    dir.write(&State { process: ProcessId::own(), ..State::of(name, &topology) }).map_err(write)?;
    // Who started us waits for this word, or does not wait any more.
    let _ = writeln!(std::io::stdout(), "{READY}");
    control::serve(&listener, |request| answer(&network, request)).map_err(write)
}

fn answer(network: &Network, request: &Request) -> Answer {
    if let Request::Change { link, lanes, words } = request {
        let patch = match LinkPatch::netem(words) {
            Ok(patch) => patch,
            Err(problem) => return Answer::Refused(problem),
        };
        let figures = network.figures();
        let mut changed = Vec::new();
        for (lane, _) in [2 * link, 2 * link + 1].into_iter().zip(lanes).filter(|(_, changes)| **changes) {
            let Some(figures) = figures.get(lane) else { return Answer::Refused(format!("there is no link {link}")) };
            match patch.changed(&figures.link) {
                Ok(link) => changed.push((lane, link)),
                Err(problem) => return Answer::Refused(problem),
            }
        }
        // All of it or nothing.
        changed.into_iter().for_each(|(lane, link)| network.emulator().change(lane, link));
    }
    Answer::Status(Status::of(network))
}
