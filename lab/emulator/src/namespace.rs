//! Network namespaces.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};

use crate::run_dir::ProcessId;

/// Where `ip netns` keeps the names of namespaces.
const NAMED: &str = "/run/netns";

/// A network namespace: devices, addresses, routes and ports of its own. A private one is gone with the last that uses
/// it; nothing of it is ever left behind.
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

    /// Takes the calling thread into the namespace: what it and the processes that it starts do from now on happens
    /// there. Sockets that exist stay where they are.
    ///
    /// # Errors
    /// No permission.
    pub fn enter(&self) -> io::Result<()> {
        setns(self.0.as_fd(), CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
    }

    /// Lets the calling process, and those that it starts, see another `/etc/hosts`, and devices as its namespace has
    /// them in `/sys`. Nobody else sees anything of it. What a system does not permit of it is left out: programs run
    /// without.
    ///
    /// # Errors
    /// The process may not have mounts of its own, for instance since it has several threads.
    pub fn dress(hosts: &Path) -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let none: Option<&str> = None;
        mount(none, "/", none, MsFlags::MS_SLAVE | MsFlags::MS_REC, none)?;
        let _ = mount(Some(hosts), "/etc/hosts", none, MsFlags::MS_BIND, none);
        let _ = mount(Some("sysfs"), "/sys", Some("sysfs"), MsFlags::MS_RDONLY, none);
        Ok(())
    }

    /// The processes that are in it.
    ///
    /// # Errors
    /// `/proc` cannot be read.
    pub fn processes(&self) -> io::Result<Vec<ProcessId>> {
        let own = self.0.metadata()?.ino();
        let numbers =
            std::fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // Processes end while we look.
        let inside = |pid: &u32| std::fs::metadata(format!("/proc/{pid}/ns/net")).is_ok_and(|it| it.ino() == own);
        Ok(numbers.filter(inside).filter_map(ProcessId::of).collect())
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
