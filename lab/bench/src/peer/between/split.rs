//! haproxy in TCP mode: it ends each connection, and opens another one to the server.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::peer::LOOPBACK;
use crate::process::{self, Usage};
use crate::server::Post;
use crate::work::{Hello, Work};

/// How long it may take to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// Files that it has open beside two for each flow, and some to spare.
const FILES: u64 = 100;

/// Why it cannot do this work here, if it cannot.
pub fn obstacle(work: &Work) -> Option<String> {
    let installed = Command::new("haproxy").arg("-v").output().is_ok_and(|said| said.status.success());
    let (files, most) = (2 * work.flows() + FILES, process::files_limit().ok()?);
    if !installed {
        Some("haproxy is not installed: apt-get install haproxy".to_owned())
    } else if files > most {
        Some(format!("haproxy needs {files} open files for so many flows, and {most} are permitted (ulimit -Hn)"))
    } else {
        None
    }
}

/// haproxy; it ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Stands there for ever.
pub fn stand(work: &Work) -> Result<(), Failure> {
    let server = super::server()?;
    // A free port, which it may have.
    let addr = TcpListener::bind(LOOPBACK)?.local_addr()?;
    let file = std::env::temp_dir().join(format!("tng-bench-haproxy-{}", std::process::id()));
    std::fs::File::create(&file)?.write_all(config(work, addr, server.addr).as_bytes())?;
    // In the foreground it is one process with one thread, on the processor that this one is pinned to.
    let mut command = Command::new("haproxy");
    command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null()).stdout(Stdio::null());
    let mut running = Running(command.spawn().map_err(|error| format!("haproxy: {error}"))?);
    let listens = wait(&mut running, addr);
    std::fs::remove_file(&file)?;
    listens?;
    let pid = running.0.id();
    let usage = move || {
        let _running = &running;
        Usage::of(pid)
    };
    Post.hello_with(Hello { addr, ..server }, usage)?;
    loop {
        std::thread::park();
    }
}

fn config(work: &Work, at: SocketAddr, server: SocketAddr) -> String {
    let most = work.flows() + 16;
    format!(
        "global\n  nbthread 1\n  maxconn {most}\n\
         defaults\n  mode tcp\n  timeout connect 10s\n  timeout client 1h\n  timeout server 1h\n  maxconn {most}\n\
         listen split\n  bind {at} backlog 1024\n  server server {server}\n"
    )
}

fn wait(running: &mut Running, addr: SocketAddr) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(addr).is_err() {
        if let Some(status) = running.0.try_wait()? {
            return Err(format!("haproxy ended with {status}").into());
        }
        if Instant::now() > until {
            return Err("haproxy does not listen".into());
        }
        sleep(Duration::from_millis(10));
    }
    Ok(())
}
