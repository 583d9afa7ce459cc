//! The capability for a tunnel that is asked for, and its renewal at half of its life.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tng::help::{self, ASK_WITHIN, HelperTarget, Wanted};
use tng::relay::{HelperEvent, Relay, RelayEvent, Tunnel, tunnel_named};
use tng::{Capability, Endpoint, Stop};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::Post;
use crate::relay::locked;

/// The pause after an attempt to get one that failed; doubles.
pub const ASK_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such pause.
pub const ASK_AGAIN_MAX: Duration = Duration::from_secs(60);

/// The relay at the other end.
#[derive(Clone, Debug)]
pub struct Far {
    /// Who it is, where, and what shows that this relay is its client.
    pub helper: HelperTarget,
    /// As the configuration names it.
    pub shown: String,
}

/// What it gives: the capability, for how long it is good, and where it was given.
struct Granted {
    capability: Capability,
    life: Duration,
    at: SocketAddr,
}

/// Keeps a tunnel asked for, as long as the process runs: where the capability was given last, unless it is there
/// already.
pub(super) async fn ask_on(
    endpoint: Endpoint,
    relay: Relay,
    mut events: Receiver<RelayEvent>,
    post: Arc<Post>,
    far: Far,
) {
    let mut granted = ask_until_granted(&endpoint, &post, &far).await;
    loop {
        let (at, mut life) = (granted.at, granted.life);
        let tunnel = match relay.open_tunnel(Stop::new(at, granted.capability), tunnel_named(&post.name)) {
            Ok(tunnel) => tunnel,
            Err(error) => {
                *locked(&post.failure) = Some(error.to_string());
                return;
            }
        };
        post.take_out(tunnel.clone());
        granted = loop {
            tokio::select! {
                () = tokio::time::sleep(life / 2) => {}
                // The secret there has changed, perhaps, or the address. What is asked for too often is not given.
                () = lost(&mut events, &tunnel) => tokio::time::sleep(ASK_AGAIN_FIRST).await,
            }
            let fresh = ask_until_granted(&endpoint, &post, &far).await;
            let is_up = tunnel.status().is_some_and(|status| status.section.is_some());
            if fresh.at != at && !is_up {
                break fresh;
            }
            life = fresh.life;
            if tunnel.renew(&fresh.capability).is_err() {
                return;
            }
        };
    }
}

/// Waits until a tunnel is lost, or declined.
async fn lost(events: &mut Receiver<RelayEvent>, tunnel: &Tunnel) {
    loop {
        match events.recv().await {
            Ok(RelayEvent { thread, event: HelperEvent::Left { relay, .. }, .. })
                if (thread, relay) == (tunnel.thread(), tunnel.id()) =>
            {
                return;
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// A capability, asked for until it is given.
async fn ask_until_granted(endpoint: &Endpoint, post: &Post, far: &Far) -> Granted {
    let mut pause = ASK_AGAIN_FIRST;
    loop {
        let asked = tokio::time::timeout(ASK_WITHIN * 2, ask(endpoint, far)).await;
        let failure = match asked {
            Ok(Ok(granted)) => {
                *locked(&post.failure) = None;
                return granted;
            }
            Ok(Err(why)) => why,
            Err(_) => "the relay there does not answer; check its address and the way to it".to_owned(),
        };
        tracing::warn!("tunnel {}: no capability: {failure}", post.name);
        *locked(&post.failure) = Some(failure);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(ASK_AGAIN_MAX);
    }
}

async fn ask(endpoint: &Endpoint, far: &Far) -> Result<Granted, String> {
    let (terms, at) = help::ask(endpoint, &far.helper, Wanted { tunnels: true, ..Wanted::default() })
        .await
        .map_err(|error| error.to_string())?;
    if !terms.tunnels {
        return Err("the relay there grants no tunnels; its operator writes tunnels = true for this client".to_owned());
    }
    Ok(Granted {
        capability: terms.capability(),
        life: Duration::from_secs(terms.life_s.into()),
        at: at.ok_or("the connection has no address")?,
    })
}
