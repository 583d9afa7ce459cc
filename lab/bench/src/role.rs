//! One process of a measurement: a server or a client of one peer.

use std::io::stdin;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::peer::{between, echo, floor, guest, quinn, s2n, tls, tng, trickles};
use crate::process::{Usage, files_max, pin};
use crate::server::Post;
use crate::work::{Hello, Measured, PeerName, Settings, Work};
use crate::{Failure, client};

/// Which end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Role {
    /// Answers.
    Server,
    /// Asks, and measures.
    Client,
    /// Stands between the two.
    Between,
}

/// What a process tells the bench, a line of JSON each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The server: where it is. What stands between: how to get there.
    Hello(Hello),
    /// The server, and what stands between: what it has used up.
    Usage(Usage),
    /// The client: waits. Where flows are passed on, all of them are there and quiet the first time; else, and the
    /// second time, it is warm.
    Ready,
    /// The client: what it measured, what it used up meanwhile in seconds of processor time, and how it was set up.
    Done {
        /// By name, with the unit.
        measured: Measured,
        /// In seconds.
        cpu_s: f64,
        /// Beside the figures.
        settings: Settings,
    },
}

/// What the bench tells a process, a line of JSON each. A process ends when there are no more.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A client, and what stands before the server: here it is.
    Server(Hello),
    /// A client: begin.
    Go,
    /// A server, and what stands between: what have you used up?
    Usage,
}

/// What the bench says next.
///
/// # Errors
/// If it has gone away.
pub fn next() -> Result<Asked, Failure> {
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Plays a role to its end.
///
/// # Errors
/// Whatever goes wrong.
pub fn play(role: Role, peer: PeerName, work: &str, cpu: Option<usize>) -> Result<(), Failure> {
    let work: Work = serde_json::from_str(work)?;
    if let Some(cpu) = cpu {
        pin(cpu)?;
    }
    files_max()?;
    if role == Role::Between && peer != PeerName::Relay {
        return match peer {
            PeerName::Forward => between::forward::stand(),
            _ => between::split::stand(&work),
        };
    }
    let peer = if role == Role::Between { peer } else { peer.ends() };
    if peer.is_floor() {
        return match role {
            Role::Server => floor::serve(&work, peer, Post),
            _ => floor::client(&work, peer),
        };
    }
    if peer.is_echo() {
        return match role {
            Role::Server => echo::serve(peer, Post),
            _ => echo::client(&work),
        };
    }
    if let (Work::Downloads { clients }, Role::Client) = (&work, role) {
        return trickles::downloads::client(*clients);
    }
    let runtime = match (&work, role) {
        (Work::Cores { .. }, Role::Server) => {
            tokio::runtime::Builder::new_multi_thread().worker_threads(work.threads()).enable_all().build()?
        }
        (Work::Cores { .. }, Role::Client) => tokio::runtime::Builder::new_multi_thread().enable_all().build()?,
        // One processor a side: more threads would only change places on it.
        _ => tokio::runtime::Builder::new_current_thread().enable_all().build()?,
    };
    let result = runtime.block_on(async {
        match (role, peer) {
            (Role::Between, _) => between::relay::stand(work).await,
            (Role::Server, name) if name.is_guest() => guest::serve(work, name, Post).await,
            (Role::Client, name) if name.is_guest() => client::run::<guest::Client>(work, name).await,
            (Role::Server, PeerName::TngTrickles) => trickles::serve(work, Post).await,
            (Role::Client, PeerName::TngTrickles) => client::run::<trickles::Client>(work, peer).await,
            (Role::Server, name) if name.is_tng() => tng::serve(work, name, Post).await,
            (Role::Server, PeerName::Quinn | PeerName::QuinnRpk | PeerName::QuinnResumed) => {
                quinn::serve(work, peer, Post).await
            }
            (Role::Server, PeerName::S2n) => s2n::serve(work, Post).await,
            (Role::Server, _) => tls::serve(work, Post).await,
            (Role::Client, name) if name.is_tng() => client::run::<tng::Client>(work, name).await,
            (Role::Client, PeerName::Quinn | PeerName::QuinnRpk | PeerName::QuinnResumed) => {
                client::run::<quinn::Client>(work, peer).await
            }
            (Role::Client, PeerName::S2n) => client::run::<s2n::Client>(work, peer).await,
            (Role::Client, _) => client::run::<tls::Client>(work, peer).await,
        }
    });
    // What is still under way is nobody's business any more.
    runtime.shutdown_background();
    result
}
