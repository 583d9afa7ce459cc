//! A network that goes away.

use std::io;
use std::time::Duration;

use serde_json::json;
use tng_emulator::control::{self, Answer, Request};
use tng_emulator::run_dir::{ProcessId, StateNode};
use tng_emulator::{Namespace, Standing, State};

use super::{permitted, run_dir, standing, tell};
use crate::clock;
use crate::commands::link::{DownArgs, NAME_DEFAULT};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::Talk;

/// How long programs and the process that carries packets may take to end when they are asked to.
pub const ENDING_MAX: Duration = Duration::from_secs(5);

/// Programs that a refusal names; of more it says how many.
const NAMED_MAX: usize = 10;

/// Takes a network away, or what is left of it. While programs run on its nodes it stays as it is, unless the caller
/// has them ended.
///
/// # Errors
/// There is none, programs run on it, or the system does not let go of something.
pub fn down(args: &DownArgs, talk: Talk) -> Result<(), Failure> {
    let name = &args.network.name;
    let what = format!("taking {name} down");
    permitted(&what)?;
    let dir = run_dir(&what, name)?;
    let (state, carried) = match dir.standing().map_err(|error| Failure::read(&what, &error))? {
        Standing::Up(state) => (state, true),
        Standing::Left(state) => (state, false),
        Standing::Not => return standing(&what, name).map(drop),
    };
    // Those that were started with it end with it.
    end(&state.relay);
    let mut running = programs(&state).map_err(|(node, error)| {
        let why = format!("what runs on {node} cannot be told, so it stands as before: {}", reason(&error));
        Failure::new(Exit::Read, &*what, why).or_try("the same command again")
    })?;
    if args.kill {
        end(&running.iter().map(|(_, program)| *program).collect::<Vec<_>>());
        running.retain(|(_, program)| program.runs());
    }
    if !running.is_empty() {
        return Err(occupied(&what, args, &running));
    }
    if !carried {
        talk.say(format_args!("{name} had ended without being taken down; what it has left goes away now"));
    } else if let Ok(Answer::Status(status)) = control::ask(&dir.control_path(), &Request::Down) {
        tell(&status, talk);
    }
    if let Some(process) = state.process {
        end(&[process]);
    }
    let stuck = dir.clear(&state).map_err(|error| Failure::write(&what, &error))?;
    talk.event("down", &json!({ "name": name }));
    match stuck.first() {
        None => Ok(()),
        Some(why) => Err(Failure::new(Exit::Write, what, why).or_try("the same command again")),
    }
}

/// Why a network stays: programs run there.
fn occupied(what: &str, args: &DownArgs, running: &[(String, ProcessId)]) -> Failure {
    let named = |(node, program): &(String, ProcessId)| format!("{} ({}) on {node}", program.pid, program.program());
    let mut list = running.iter().take(NAMED_MAX).map(named).collect::<Vec<_>>().join(", ");
    if let Some(more) = running.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        list.push_str(&format!(" and {more} more"));
    }
    let (still, remedy) = match (args.kill, &args.network.name[..]) {
        (true, _) => ("programs do not end", "the same command again".to_owned()),
        (false, NAME_DEFAULT) => ("programs run there", "tng link down --kill, which ends them".to_owned()),
        (false, name) => ("programs run there", format!("tng link down --name {name} --kill, which ends them")),
    };
    Failure::new(Exit::Busy, what, format!("{still}, so it stands as before: {list}")).or_try(remedy)
}

/// The processes on the nodes of a network, each with the name of its node.
///
/// # Errors
/// The name of a node whose namespace is there and cannot be read. One that is gone has none.
fn programs(state: &State) -> Result<Vec<(String, ProcessId)>, (String, io::Error)> {
    let mut programs = Vec::new();
    for StateNode { name, namespace, .. } in &state.node {
        match Namespace::named(namespace).and_then(|namespace| namespace.processes()) {
            Ok(inside) => programs.extend(inside.into_iter().map(|program| (name.clone(), program))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err((name.clone(), error)),
        }
    }
    Ok(programs)
}

/// Asks processes to end, and ends those that do not.
pub(super) fn end(processes: &[ProcessId]) {
    for force in [false, true] {
        processes.iter().filter(|process| process.runs()).for_each(|process| process.end(force));
        let asked = clock::now();
        while processes.iter().any(|process| process.runs()) && asked.elapsed() < ENDING_MAX {
            clock::rest(Duration::from_millis(10));
        }
    }
}
