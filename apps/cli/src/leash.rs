//! Processes of this program that this program starts: they end when it does, even if it is killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, io, thread};

use crate::exit::Exit;

/// The variable that tells a process of its leash: the folder that was made for it and others like it, and goes with
/// them. It is not for people.
const LEASH: &str = "TNG_LEASH";

/// How often the folder is removed, if something is still writing in it.
const CLEANINGS_MAX: usize = 500;
/// The time between.
const CLEANING_PAUSE: Duration = Duration::from_millis(20);

/// Ties the process that a command starts to this one. Nothing is ever written to its stdin, which ends with this
/// process: so the child that is started has to be kept with its stdin.
pub fn tie(command: &mut Command, folder: &Path) {
    command.env(LEASH, folder).stdin(Stdio::piped());
}

/// If this process is tied to another, waits beside everything else for the end of that one, ends, and leaves no
/// folder.
///
/// # Errors
/// If the system has no thread left.
#[expect(clippy::disallowed_methods, reason = "a thread of a real process, whose parent is gone")]
pub fn heed() -> io::Result<()> {
    let Some(folder) = env::var_os(LEASH) else { return Ok(()) };
    let wait = move || {
        // Whether it ends or fails, nobody holds the other end any more.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        for _ in 0..CLEANINGS_MAX {
            match fs::remove_dir_all(&folder) {
                // Another thread or process may be writing there: it ends, or finds the folder gone.
                Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(CLEANING_PAUSE),
                _ => break,
            }
        }
        std::process::exit(Exit::Interrupted.code().into());
    };
    thread::Builder::new().name("leash".to_owned()).spawn(wait).map(drop)
}
