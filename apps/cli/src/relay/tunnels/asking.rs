//! The capability for a tunnel that is asked for, and its renewal at half of its life.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tng::help::{Ask, Token};
use tng::relay::{HelperEvent, LeftBecause, Relay, RelayEvent, tunnel_named};
use tng::{Capability, Endpoint, Stop, Target};
use tng_crypto::Zeroizing;
use tng_services::help::{Answer, BODY_MAX, HEAD_LEN, PROTOCOL, SERVICE};
use tng_wire::{Reader, Repr};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{Post, locked};

/// How long the other relay may take to give a capability.
pub const ASK_WITHIN: Duration = Duration::from_secs(5);
/// The pause after an attempt to get one that failed; doubles.
pub const ASK_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such pause.
pub const ASK_AGAIN_MAX: Duration = Duration::from_secs(60);

/// The relay at the other end.
#[derive(Clone, Debug)]
pub struct Far {
    /// Who it is, and where.
    pub target: Target,
    /// What shows that this relay is its client, where its EID alone does not.
    pub token: Option<Token>,
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
    let connection = endpoint.connect(far.target.clone()).await.map_err(|error| error.to_string())?;
    let body = Ask { life_s: 0, flows: 0, tunnels: true, token: far.token.clone() };
    let body = Bytes::from_owner(Zeroizing::new(body.to_vec()));
    let asked = connection.request(SERVICE, body).protocol(PROTOCOL).answer_max(HEAD_LEN + BODY_MAX);
    let answer = asked.deadline(ASK_WITHIN).await;
    let at = connection.remote_address();
    connection.close(0, "");
    let answer = Zeroizing::new(Vec::from(answer.map_err(|error| error.to_string())?));
    let mut reader = Reader::new(&answer);
    match Answer::parse(&mut reader).ok().filter(|_| reader.is_empty()) {
        Some(Answer::Granted(terms)) if !terms.tunnels => {
            Err("the relay there grants no tunnels; its operator writes tunnels = true for this client".to_owned())
        }
        Some(Answer::Granted(terms)) => Ok(Granted {
            capability: terms.capability(),
            life: Duration::from_secs(terms.life_s.into()),
            at: at.ok_or("the connection has no address")?,
        }),
        Some(Answer::Denied(denied)) => Err(denied.to_string()),
        None => Err("what answers there is no relay, or one of another version".to_owned()),
    }
}
