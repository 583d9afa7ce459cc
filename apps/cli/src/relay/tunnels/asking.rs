//! The capability for a tunnel that is asked for, and its renewal at half of its life.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tng::help::{self, ASK_WITHIN, HelperTarget, Wanted};
use tng::relay::{HelperEvent, LeftBecause, Relay, RelayEvent, tunnel_named};
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

/// Keeps a tunnel asked for, as long as the process runs.
pub(super) async fn ask_on(
    endpoint: Endpoint,
    relay: Relay,
    mut events: Receiver<RelayEvent>,
    post: Arc<Post>,
    far: Far,
) {
    let granted = granted(&endpoint, &post, &far).await;
    let (mut life, stop) = (granted.life, Stop::new(granted.at, granted.capability));
    let tunnel = match relay.open_tunnel(stop, tunnel_named(&post.name)) {
        Ok(tunnel) => tunnel,
        Err(error) => {
            *locked(&post.failure) = Some(error.to_string());
            return;
        }
    };
    post.take_out(tunnel.clone());
    loop {
        let declined = async {
            loop {
                let declined = match events.recv().await {
                    Ok(RelayEvent { thread, event: HelperEvent::Left { relay, because, .. }, .. }) => {
                        (thread, relay) == (tunnel.thread(), tunnel.id())
                            && matches!(because, LeftBecause::Declined(_) | LeftBecause::CapabilityEnded)
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => false,
                    Err(RecvError::Closed) => std::future::pending().await,
                };
                if declined {
                    return;
                }
            }
        };
        tokio::select! {
            () = tokio::time::sleep(life / 2) => {}
            // The secret there has changed, perhaps. What is asked for too often is not given.
            () = declined => tokio::time::sleep(ASK_AGAIN_FIRST).await,
        }
        let granted = self::granted(&endpoint, &post, &far).await;
        life = granted.life;
        if tunnel.renew(&granted.capability).is_err() {
            return;
        }
    }
}

/// A capability, asked for until it is given.
async fn granted(endpoint: &Endpoint, post: &Post, far: &Far) -> Granted {
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
