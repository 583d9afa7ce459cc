//! What stands between two ends: this project's helper, a forwarder that looks at nothing, and haproxy.

use std::collections::HashMap;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tng::relay::{ClientTag, FLOWS_MAX, HelperConfig, Network, Onward, RelayService, Terms};
use tng::{Access, Endpoint, Ticket};

use crate::Failure;
use crate::peer::floor::Forwarding;
use crate::peer::{LOOPBACK, udp_socket_at};
use crate::role::{Asked, next};
use crate::server::Post;
use crate::work::{Hello, Helper, PeerName};

/// How long haproxy may take to listen.
const PROXY_BEGINS: Duration = Duration::from_secs(5);

/// How long a capability is good: longer than any measurement.
const LIFE: Duration = Duration::from_secs(3_600);

/// Stands in the middle for ever.
///
/// # Errors
/// If it cannot begin.
pub fn stand(peer: PeerName, post: Post) -> Result<(), Failure> {
    let Asked::Server(hello) = next()? else { return Err("no server".into()) };
    match peer {
        PeerName::Relay => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(relay(hello, post))
        }
        PeerName::Forward => forward(hello, post),
        _ => split(hello, post),
    }
}

async fn relay(hello: Hello, post: Post) -> Result<(), Failure> {
    let loopback = Network { address: IpAddr::V4(Ipv4Addr::LOCALHOST), bits: 8 };
    let config = HelperConfig { onward: Onward::Listed(vec![loopback]), ..HelperConfig::default() };
    let service = RelayService::new(tng::random_seed()?, config);
    let endpoint = Endpoint::builder().bind(LOOPBACK).access(Access::Nobody).relay(service).build().await?;
    let relay = endpoint.relay().ok_or("an endpoint without its helper")?;
    let terms = Terms { life: LIFE, flows_max: FLOWS_MAX, tunnels: false };
    let capability = relay.issue(ClientTag(1), terms)?.ok_or("a helper that gives nothing out")?;
    let via = Helper {
        addr: endpoint.local_addr(),
        eid: endpoint.eid().to_string(),
        shown: capability.shown.clone(),
        key: *capability.key.expose(),
    };
    post.hello(Hello { via: Some(via), ..hello })?;
    std::future::pending().await
}

/// Passes on what comes from each address by a socket of its own, and what comes back to that address.
fn forward(hello: Hello, post: Post) -> Result<(), Failure> {
    let near = Arc::new(Forwarding::new(udp_socket_at(LOOPBACK)?)?);
    let addr = near.local_addr()?;
    let ticket: Ticket = hello.ticket.parse()?;
    let by_way = Ticket::new(ticket.eid(), vec![addr], ticket.capability().to_vec())?;
    post.hello(Hello { addr, ticket: by_way.to_string(), ..hello })?;
    let mut sockets: HashMap<SocketAddr, Arc<Forwarding>> = HashMap::new();
    let mut batch = near.batch();
    loop {
        let Some(from) = near.receive(&mut batch)? else { continue };
        let far = match sockets.get(&from) {
            Some(far) => Arc::clone(far),
            None => {
                let far = Arc::new(Forwarding::new(udp_socket_at(LOOPBACK)?)?);
                sockets.insert(from, Arc::clone(&far));
                let (near, back) = (Arc::clone(&near), Arc::clone(&far));
                std::thread::spawn(move || {
                    let mut batch = back.batch();
                    // It ends with the process.
                    while let Ok(came) = back.receive(&mut batch) {
                        if came.is_some() && near.send(from, &batch).is_err() {
                            return;
                        }
                    }
                });
                far
            }
        };
        far.send(hello_addr(&ticket)?, &batch)?;
    }
}

fn hello_addr(ticket: &Ticket) -> Result<SocketAddr, Failure> {
    ticket.addresses().first().copied().ok_or_else(|| "a server without an address".into())
}

/// A proxy, which ends with this value.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn split(hello: Hello, post: Post) -> Result<(), Failure> {
    let port = std::net::TcpListener::bind(LOOPBACK)?.local_addr()?.port();
    let addr = SocketAddr::new(LOOPBACK.ip(), port);
    let config = format!(
        "global\n  maxconn 40000\n  nbthread 1\ndefaults\n  mode tcp\n  maxconn 40000\n  timeout connect 10s\n  timeout client 1h\n  timeout \
         server 1h\nlisten bench\n  bind {addr}\n  server end {}\n",
        hello.addr
    );
    let file = std::env::temp_dir().join(format!("tng-bench-{}.cfg", std::process::id()));
    std::fs::File::create(&file)?.write_all(config.as_bytes())?;
    let mut command = Command::new("haproxy");
    // In the foreground, as one process.
    let started = command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let proxy = Proxy(started.map_err(|error| format!("haproxy, which Debian has under that name: {error}"))?);
    let began = Instant::now();
    while std::net::TcpStream::connect(addr).is_err() {
        if began.elapsed() > PROXY_BEGINS {
            return Err("haproxy does not listen".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::remove_file(&file)?;
    post.hello_of(Hello { addr, ..hello }, proxy.0.id(), move || drop(proxy))?;
    loop {
        std::thread::park();
    }
}
