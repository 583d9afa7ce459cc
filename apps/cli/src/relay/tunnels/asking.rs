//! The capability for a tunnel that is asked for, and its renewal at half of its life.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tng::help::{self, ASK_WITHIN, HelperTarget, Wanted};
use tng::relay::{HelperEvent, LeftBecause, Relay, RelayEvent, Tunnel, tunnel_named};
use tng::{Capability, Endpoint, Stop};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::time::Sleep;

use super::Post;
use super::condition::lost_here;

/// The pause after an attempt to get one that failed; doubles.
pub const ASK_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such pause.
pub const ASK_AGAIN_MAX: Duration = Duration::from_secs(60);
/// How long a tunnel is there before it is said to be up: one that the other relay does not know it closes at once.
pub const SETTLED_AFTER: Duration = Duration::from_secs(1);

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
    let (life, mut at) = (granted.life, granted.at);
    let Some(mut tunnel) = open(&relay, &post, granted) else { return };
    let (mut renewal, mut settling, mut pause) = (after(life / 2), None, ASK_AGAIN_FIRST);
    loop {
        let event = tokio::select! {
            () = due(&mut renewal) => {
                let granted = self::granted(&endpoint, &post, &far).await;
                renewal = after(granted.life / 2);
                if granted.at == at {
                    if tunnel.renew(&granted.capability).is_err() {
                        return;
                    }
                } else {
                    at = granted.at;
                    let Some(elsewhere) = open(&relay, &post, granted) else { return };
                    tunnel = elsewhere;
                }
                continue;
            }
            () = due(&mut settling) => {
                (settling, pause) = (None, ASK_AGAIN_FIRST);
                post.condition.note_up(&far.shown);
                continue;
            }
            event = events.recv() => event,
        };
        let named = (tunnel.thread(), tunnel.id());
        match event {
            Ok(RelayEvent { thread, event: HelperEvent::Tunnel { tunnel, .. }, .. }) if (thread, tunnel) == named => {
                settling = after(SETTLED_AFTER);
            }
            Ok(RelayEvent { thread, event: HelperEvent::Left { relay, because, .. }, .. })
                if (thread, relay) == named =>
            {
                let settled = post.condition.is_up();
                post.condition.note_down(lost_here(because, settled));
                settling = None;
                // Who this relay is there has changed, perhaps, or where the other is. What is asked for too often is
                // not given.
                if because != LeftBecause::Closed || !settled {
                    renewal = after(pause);
                    pause = (pause * 2).min(ASK_AGAIN_MAX);
                }
            }
            Err(RecvError::Lagged(_)) if tunnel.status().is_some_and(|it| it.section.is_some()) => {
                settling = after(SETTLED_AFTER);
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            // The relay ends.
            Err(RecvError::Closed) => return,
        }
    }
}

/// Asks for the tunnel where the capability was given. None if this relay has no room for it, which is said.
fn open(relay: &Relay, post: &Arc<Post>, granted: Granted) -> Option<Tunnel> {
    match relay.open_tunnel(Stop::new(granted.at, granted.capability), tunnel_named(&post.name)) {
        Ok(tunnel) => {
            post.take_out(tunnel.clone());
            Some(tunnel)
        }
        Err(error) => {
            post.condition.note_down(error);
            None
        }
    }
}

/// Something that is done later, perhaps.
type Later = Option<Pin<Box<Sleep>>>;

fn after(time: Duration) -> Later {
    Some(Box::pin(tokio::time::sleep(time)))
}

async fn due(later: &mut Later) {
    match later {
        Some(sleep) => sleep.await,
        None => std::future::pending().await,
    }
}

/// A capability, asked for until it is given.
async fn granted(endpoint: &Endpoint, post: &Post, far: &Far) -> Granted {
    let mut pause = ASK_AGAIN_FIRST;
    loop {
        let asked = tokio::time::timeout(ASK_WITHIN * 2, ask(endpoint, far)).await;
        let failure = match asked {
            Ok(Ok(granted)) => {
                post.condition.note_granted();
                return granted;
            }
            Ok(Err(why)) => why,
            Err(_) => "the relay there does not answer; check its address and the way to it".to_owned(),
        };
        post.condition.note_denied(failure);
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
