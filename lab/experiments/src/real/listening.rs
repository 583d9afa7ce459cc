//! Whether a program of others listens on a node.

use std::fs;
use std::process::Child;
use std::time::Duration;

use tng_emulator::Network;
use tng_emulator::transfer::Origin;

/// How long it may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it does.
const LOOK: Duration = Duration::from_millis(2);

/// Whether somebody listens at a port of a node. Who connected might be passed on.
pub(super) fn listens(network: &Network, (node, port): (usize, u16)) -> bool {
    network.run(node, || is_listened_at(port)).unwrap_or(false)
}

/// In the namespace of the thread.
fn is_listened_at(port: u16) -> bool {
    let sockets = fs::read_to_string("/proc/thread-self/net/tcp").unwrap_or_default();
    let port = format!(":{port:04X}");
    let is_it = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().is_some_and(|local| local.ends_with(&port)) && words.nth(1) == Some("0A")
    };
    sockets.lines().any(is_it)
}

/// Waits until somebody listens at a port of a node. Answers false if this process ends before, or takes too long.
pub(super) fn comes_to_listen(network: &Network, place: (usize, u16), child: &mut Child) -> bool {
    let began = Origin::now();
    while !listens(network, place) {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) || began.elapsed() > PATIENCE {
            return false;
        }
        began.rest_until(began.elapsed() + LOOK);
    }
    true
}
