//! Networks in real time, by name: what `tng link` does with them.

pub mod carry;
pub mod check;
pub mod down;
pub mod exec;
pub mod relays;
pub mod run;
pub mod up;

use serde_json::json;
use tng_emulator::control::{self, Answer, Request};
use tng_emulator::run_dir::StateNode;
use tng_emulator::{Namespace, NetworkError, RunDir, Standing, State, Status, hindrance};
use tng_experiments::scenario::LinkPatch;
use tng_settings::nearest;

use crate::commands::link::{ChangeArgs, NAME_DEFAULT, NameArgs};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::talk::Talk;

/// Why there is no network, for people.
pub(crate) fn refused(what: &str, error: &NetworkError) -> Failure {
    let exit = match error {
        NetworkError::Topology(_) => Exit::Usage,
        NetworkError::NotRoot => Exit::Denied,
        NetworkError::Taken(_) => Exit::Exists,
        _ => Exit::Read,
    };
    let text = error.to_string();
    // Errors of the environment say behind a semicolon what to do about them.
    match (error, text.split_once("; ")) {
        (NetworkError::Tool { .. } | NetworkError::System { .. }, _) | (_, None) => Failure::new(exit, what, text),
        (_, Some((why, remedy))) => Failure::new(exit, what, why).or_try(remedy),
    }
}

/// Only root sees networks.
fn permitted(what: &str) -> Result<(), Failure> {
    hindrance().map_err(|error| refused(what, &error))
}

fn run_dir(what: &str, name: &str) -> Result<RunDir, Failure> {
    RunDir::of(name).ok_or_else(|| {
        Failure::usage(what, format!("{name:?} cannot name a network; use letters, digits, and - _ . inside"))
    })
}

/// The network of this name, if it stands.
fn standing(what: &str, name: &str) -> Result<(RunDir, State), Failure> {
    permitted(what)?;
    let dir = run_dir(what, name)?;
    match dir.standing().map_err(|error| Failure::read(what, &error))? {
        Standing::Up(state) => Ok((dir, state)),
        Standing::Left(_) => Err(left(what, name)),
        Standing::Not => {
            let others = RunDir::all();
            let remedy = match &others[..] {
                [] => "tng link up TOPOLOGY.toml".to_owned(),
                names => format!("--name {}", names.join(", or --name ")),
            };
            Err(Failure::usage(what, format!("no network {name:?} stands")).or_try(remedy))
        }
    }
}

fn left(what: &str, name: &str) -> Failure {
    Failure::new(
        Exit::Read,
        what,
        format!("of the network {name:?} only leftovers are there: it ended without being taken down"),
    )
    .or_try(format!("tng link down --name {name}, which removes them"))
}

fn ask(what: &str, dir: &RunDir, request: &Request) -> Result<Status, Failure> {
    match control::ask(&dir.control_path(), request) {
        Ok(Answer::Status(status)) => Ok(status),
        Ok(Answer::Refused(why)) => Err(Failure::usage(what, why)),
        Err(error) => {
            Err(Failure::new(Exit::Timeout, what, format!("the network does not answer: {}", reason(&error)))
                .or_try("tng link down, and up again"))
        }
    }
}

/// The place of a name among others.
fn place<'a>(
    what: &str,
    kind: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, Failure> {
    names.clone().position(|known| known == name).ok_or_else(|| {
        let remedy = match nearest(name, names.clone()) {
            Some(nearest) => format!("{nearest:?}"),
            None => names.collect::<Vec<_>>().join(", "),
        };
        Failure::usage(what, format!("there is no {kind} {name:?}")).or_try(remedy)
    })
}

/// Changes a link of a network that stands.
///
/// # Errors
/// No such network or link, words that netem does not know.
pub fn change(args: &ChangeArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("changing {}", args.link);
    let words = args.words.join(" ");
    LinkPatch::netem(&words).map_err(|problem| Failure::usage(&what, problem))?;
    let (dir, state) = standing(&what, &args.network.name)?;
    let link = place(&what, "link", &args.link, state.link.iter().map(|link| link.name.as_str()))?;
    let lanes = [!args.back, !args.forth];
    let status = ask(&what, &dir, &Request::Change { link, lanes, words })?;
    tell(&status, talk);
    Ok(())
}

/// Tells how a network is.
///
/// # Errors
/// There is none of that name.
pub fn status(args: &NameArgs, talk: Talk) -> Result<(), Failure> {
    let what = "asking the network";
    if args.name == NAME_DEFAULT {
        others(talk);
    }
    let (dir, state) = standing(what, &args.name)?;
    for node in state.node.iter().filter(|node| !Namespace::exists(&node.namespace)) {
        talk.warn(gone(node));
    }
    tell(&ask(what, &dir, &Request::Status)?, talk);
    Ok(())
}

/// Names the networks that have other names, and says which of them have ended without being taken down.
fn others(talk: Talk) {
    for name in RunDir::all().into_iter().filter(|name| name != NAME_DEFAULT) {
        match RunDir::of(&name).map(|dir| dir.standing()) {
            Some(Ok(Standing::Up(_))) => {
                talk.say(format_args!("another network stands: tng link status --name {name}"));
            }
            Some(Ok(Standing::Left(_))) => {
                talk.warn(format_args!("of the network {name} only leftovers are there: tng link down --name {name}"));
            }
            _ => {}
        }
    }
}

/// That somebody else has removed the namespace of a node.
fn gone(node: &StateNode) -> String {
    format!("the node {:?} is gone: somebody has removed the namespace {}", node.name, node.namespace)
}

fn tell(status: &Status, talk: Talk) {
    talk.payload(status.to_string().trim_end());
    talk.event("status", &json!(status));
}
