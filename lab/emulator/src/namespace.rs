//! Network namespaces.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use nix::sched::{CloneFlags, setns, unshare};

/// Where `ip netns` keeps the names of namespaces.
const NAMED: &str = "/run/netns";

/// A network namespace: devices, addresses, routes and ports of its own. A private one is gone with the last that uses it; nothing of
/// it is ever left behind.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// A new one that has no name.
    ///
    /// # Errors
    /// No permission.
    pub fn private() -> io::Result<Namespace> {
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net").map(Namespace)
        })?
    }

    /// The one that `ip netns` knows by this name.
    ///
    /// # Errors
    /// There is none, or no permission.
    pub fn named(name: &str) -> io::Result<Namespace> {
        File::open(Path::new(NAMED).join(name)).map(Namespace)
    }

    /// Whether `ip netns` knows a namespace by this name.
    pub fn exists(name: &str) -> bool {
        Path::new(NAMED).join(name).exists()
    }

    /// Takes the calling thread into the namespace: what it and the processes that it starts do from now on happens there. Sockets
    /// that exist stay where they are.
    ///
    /// # Errors
    /// No permission.
    pub fn enter(&self) -> io::Result<()> {
        setns(self.0.as_fd(), CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
    }

    /// Does something in the namespace, on a thread of its own, and waits for it.
    ///
    /// # Errors
    /// No permission, or no more threads.
    pub fn run<T: Send>(&self, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_a_thread(|| self.enter().map(|()| act()))?
    }
}

/// The namespace of a thread is its own; this one keeps its.
fn on_a_thread<T: Send>(act: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, act)?;
        thread.join().map_err(|panic| std::panic::resume_unwind(panic))
    })
}
