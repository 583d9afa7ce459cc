//! A network that goes away.

use std::time::Duration;

use serde_json::json;
use tng_emulator::control::{self, Answer, Request};
use tng_emulator::run_dir::ProcessId;
use tng_emulator::{Namespace, Standing};

use super::{permitted, run_dir, standing, tell};
use crate::clock;
use crate::commands::link::DownArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::talk::Talk;

/// How long programs and the process that carries packets may take to end when they are asked to.
pub const ENDING_MAX: Duration = Duration::from_secs(5);

/// Takes a network away, or what is left of it.
///
/// # Errors
/// There is none, or the system does not let go of something.
pub fn down(args: &DownArgs, talk: Talk) -> Result<(), Failure> {
    let name = &args.network.name;
    let what = format!("taking {name} down");
    permitted(&what)?;
    let dir = run_dir(&what, name)?;
    let state = match dir.standing().map_err(|error| Failure::read(&what, &error))? {
        Standing::Up(state) => {
            if let Ok(Answer::Status(status)) = control::ask(&dir.control_path(), &Request::Down) {
                tell(&status, talk);
            }
            state
        }
        Standing::Left(state) => {
            talk.say(format_args!("{name} had ended without being taken down; what it has left goes away now"));
            state
        }
        Standing::Not => return standing(&what, name).map(drop),
    };
    if let Some(process) = state.process {
        end(&[process]);
    }
    let mut running = Vec::new();
    for node in &state.node {
        running.extend(programs(&node.namespace).into_iter().map(|program| (&node.name, program)));
    }
    if args.kill {
        end(&running.iter().map(|(_, program)| *program).collect::<Vec<_>>());
        running.retain(|(_, program)| program.runs());
    }
    for (node, program) in &running {
        talk.warn(format_args!(
            "process {} still runs on {node}, which has no links any more; tng link down --kill ends such",
            program.pid
        ));
    }
    let stuck = dir.clear(&state).map_err(|error| Failure::write(&what, &error))?;
    talk.event(
        "down",
        &json!({ "name": name, "still_running": running.iter().map(|(_, it)| it.pid).collect::<Vec<_>>() }),
    );
    match stuck.first() {
        None => Ok(()),
        Some(why) => Err(Failure::new(Exit::Write, what, why).or_try("the same command again")),
    }
}

/// Processes in a namespace.
fn programs(namespace: &str) -> Vec<ProcessId> {
    Namespace::named(namespace).and_then(|namespace| namespace.processes()).unwrap_or_default()
}

/// Asks processes to end, and ends those that do not.
fn end(processes: &[ProcessId]) {
    for force in [false, true] {
        processes.iter().filter(|process| process.runs()).for_each(|process| process.end(force));
        let asked = clock::now();
        while processes.iter().any(|process| process.runs()) && asked.elapsed() < ENDING_MAX {
            clock::rest(Duration::from_millis(10));
        }
    }
}
