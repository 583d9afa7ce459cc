//! How a host takes leave of a process.

use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::sync::Arc;

use crate::nursery::Shared;
use crate::process::{Ending, Process};

fn started(script: &str) -> Child {
    Command::new("sh").args(["-c", script]).spawn().unwrap()
}

#[test]
fn who_closes_its_end_and_lives_on_is_not_waited_for_here() {
    let home = Shared::of_one();
    let (here, _) = UnixStream::pair().unwrap();
    let process = Process::with(here, Some(started("exec sleep 60")), Arc::clone(&home));
    assert_eq!(process.end(), Ending::LivesOn, "nobody else has ended it");
    assert_eq!(home.graves(), 1, "the thread that started it kills it, and waits for that");
    home.dig();
    assert_eq!(home.graves(), 0);
}

#[test]
fn what_has_ended_a_process_is_told() {
    for (script, signal) in [("kill -SEGV $$", Some(11)), ("exit 3", None)] {
        let home = Shared::of_one();
        let (here, _) = UnixStream::pair().unwrap();
        let mut process = Process::with(here, Some(started(script)), Arc::clone(&home));
        while process.is_there().is_ok() {
            std::thread::yield_now();
        }
        assert_eq!(process.end(), Ending::Ended { signal }, "{script}");
        home.dig();
    }
}
