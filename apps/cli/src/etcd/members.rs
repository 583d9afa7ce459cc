//! Processes of etcd on the loopback, for tests and measurements: they are killed and started again.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use crate::clock;

/// How long members have to answer when they are started.
const PATIENCE: Duration = Duration::from_secs(60);
/// Where ports are looked for: below those that Linux hands out to who asks for any.
const PORTS: Range<u16> = 10_000..20_000;

/// A cluster in a folder that goes with it.
#[derive(Debug)]
pub struct Members {
    folder: tempfile::TempDir,
    /// Where each answers clients and the others.
    ports: Vec<(u16, u16)>,
    running: Vec<Option<Child>>,
}

/// A port that is free, and that nobody is given who asks the system for any: another one each time.
fn free_port() -> u16 {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    loop {
        let given = GIVEN.fetch_add(1, Ordering::Relaxed);
        // Who runs tests beside begins elsewhere.
        let begin = (std::process::id() as u16).wrapping_mul(37);
        let port = PORTS.start + begin.wrapping_add(given) % (PORTS.end - PORTS.start);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

impl Members {
    /// So many members that have found each other; nothing, and says so, if there is no etcd here.
    ///
    /// # Panics
    /// If there is none and `TNG_NEED_ETCD` is set, or they do not begin.
    pub fn start(count: usize) -> Option<Members> {
        let there = Command::new("etcd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if there.is_err() {
            assert!(std::env::var_os("TNG_NEED_ETCD").is_none(), "etcd is missing: install etcd-server");
            println!("skipped: there is no etcd");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder for etcd");
        let ports = (0..count).map(|_| (free_port(), free_port())).collect();
        let mut members = Members { folder, ports, running: (0..count).map(|_| None).collect() };
        (0..count).for_each(|which| members.restart(which));
        (0..count).for_each(|which| members.wait_for(which));
        Some(members)
    }

    /// Where they answer clients.
    pub fn clients(&self) -> Vec<SocketAddr> {
        self.ports.iter().map(|(client, _)| (Ipv4Addr::LOCALHOST, *client).into()).collect()
    }

    /// What a command line names them by.
    pub fn place(&self, prefix: &str) -> String {
        let members: Vec<String> = self.clients().iter().map(ToString::to_string).collect();
        format!("etcd://{}/{prefix}", members.join(","))
    }

    /// Starts one that does not run, with what it had.
    ///
    /// # Panics
    /// If there is no etcd.
    pub fn restart(&mut self, which: usize) {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let named = |(which, (_, peer)): (usize, &(u16, u16))| format!("m{which}={}", url(*peer));
        let cluster: Vec<String> = self.ports.iter().enumerate().map(named).collect();
        let (client, peer) = self.ports[which];
        let mut command = Command::new("etcd");
        command.args(["--name", &format!("m{which}"), "--data-dir"]).arg(self.folder.path().join(which.to_string()));
        command.args(["--listen-client-urls", &url(client), "--advertise-client-urls", &url(client)]);
        command.args(["--listen-peer-urls", &url(peer), "--initial-advertise-peer-urls", &url(peer)]);
        command.args([
            "--initial-cluster",
            &cluster.join(","),
            "--initial-cluster-token",
            "tng",
            "--log-level",
            "error",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.running[which] = Some(command.spawn().expect("etcd starts"));
    }

    /// Waits until one answers clients.
    ///
    /// # Panics
    /// If it takes a minute.
    pub fn wait_for(&self, which: usize) {
        let began = clock::now();
        let address = self.clients()[which];
        while !self.agrees(address) {
            assert!(began.elapsed() < PATIENCE, "etcd does not answer at {address}");
            clock::rest(Duration::from_millis(50));
        }
    }

    /// Whether one answers, and the others with it.
    fn agrees(&self, address: SocketAddr) -> bool {
        let asked = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async { super::Etcd::new(&[address]).get_agreed(b"tng").await.is_ok() })
        });
        asked.join().unwrap_or(false)
    }

    /// Ends one without a word.
    ///
    /// # Panics
    /// If the system does not let it be ended.
    pub fn kill(&mut self, which: usize) {
        if let Some(mut child) = self.running[which].take() {
            child.kill().expect("it is ours");
            child.wait().expect("it ends");
        }
    }

    /// The processes that run.
    pub fn ids(&self) -> Vec<u32> {
        self.running.iter().flatten().map(Child::id).collect()
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            // They may have ended by themselves.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
