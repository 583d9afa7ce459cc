//! The program of a test as the process of a guest.

use std::process::ExitCode;

use tng::stp::process::{Program, serve};

/// This program, which serves as a guest's process when it runs [one test](serves_as_the_process_of_a_guest).
pub fn this() -> Program {
    Program::this(["child::serves_as_the_process_of_a_guest", "--exact", "--test-threads=1"])
}

/// Does nothing where nobody has started it as one.
#[test]
fn serves_as_the_process_of_a_guest() {
    if std::env::vars_os().next().is_none() {
        std::process::exit(if serve() == ExitCode::SUCCESS { 0 } else { 1 });
    }
}
