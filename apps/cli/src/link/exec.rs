//! A program on a node.

use std::convert::Infallible;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use tng_emulator::Namespace;

use super::{gone, place, standing};
use crate::commands::link::ExecArgs;
use crate::exit::Exit;
use crate::failure::{Failure, reason};

/// Becomes the program, on that node: exit codes, signals, input and output are its own.
///
/// # Errors
/// No such network or node, or the program cannot be started.
pub fn exec(args: &ExecArgs) -> Result<(), Failure> {
    match become_program(args) {
        Ok(never) => match never {},
        Err(failure) => Err(failure),
    }
}

fn become_program(args: &ExecArgs) -> Result<Infallible, Failure> {
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failure::usage("running a program", "none is named"));
    };
    let shown = program.to_string_lossy();
    let what = format!("running {shown} on {}", args.node);
    let (dir, state) = standing(&what, &args.network.name)?;
    let node = place(&what, "node", &args.node, state.node.iter().map(|node| node.name.as_str()))?;
    if !Namespace::exists(&state.node[node].namespace) {
        let remedy = format!("tng link down --name {}, and up again", args.network.name);
        return Err(Failure::new(Exit::Read, what, gone(&state.node[node])).or_try(remedy));
    }
    let entered = Namespace::named(&state.node[node].namespace)
        .and_then(|namespace| namespace.enter())
        .and_then(|()| Namespace::dress(&dir.hosts_path()));
    entered.map_err(|error| Failure::read(&what, &error))?;
    let error = Command::new(program).args(arguments).env("TNG_NODE", &args.node).exec();
    let exit = match error.kind() {
        io::ErrorKind::NotFound => Exit::NoProgram,
        _ => Exit::NotRunnable,
    };
    Err(Failure::new(exit, what, reason(&error)))
}
