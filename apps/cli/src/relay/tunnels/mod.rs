//! `[[tunnel]]`: flows of unmodified programs between two relays (docs/relay.md, "Tunnels").
//!
//! * [`config`]: what a file says.
//! * [`end`]: a TUN device or a UDP port, had before the process gives up the rest.
//! * [`packets`]: which flow an IP packet is of, and what its sender is told if it is too large.
//! * [`asking`]: the capability for the tunnel, and its renewal.
//! * [`look_ups`]: the addresses of names, at the start.
//! * [`oversize`]: datagrams that are too large.
//! * `condition`: whether it is up, and if not why.

pub mod asking;
mod condition;
pub mod config;
pub mod end;
pub mod look_ups;
pub mod oversize;
pub mod packets;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tng::Endpoint;
use tng::relay::{
    ClientTag, HelperEvent, NotTaken, Relay, RelayEvent, RelayId, RelayTunnel, Tunnel, TunnelEnd, tunnel_named,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use self::asking::Far;
use self::condition::{Condition, lost_there};
use self::end::{End, OpenEnd};
use self::oversize::{Notes, Oversize};
use super::status;
use crate::clock;
use crate::daemon::locked;
use crate::talk::Talk;

/// A tunnel as its configuration names it, and the end of it here.
#[derive(Debug)]
pub struct Post {
    name: String,
    role: Role,
    end: End,
    /// The machine's tunnel, if there is one.
    current: Mutex<Option<Tunnel>>,
    counts: Counts,
    oversize: Mutex<Notes>,
    talk: Talk,
    condition: Condition,
}

/// Which of the two relays this one is.
#[derive(Clone, Debug)]
pub enum Role {
    /// The one that asks the other.
    Asking(Far),
    /// The one that is asked, by this client.
    Asked {
        /// As the configuration calls it.
        client: String,
        /// What the helper knows it by.
        tag: ClientTag,
    },
}

/// What did not go on.
#[derive(Debug, Default)]
struct Counts {
    /// Larger than the tunnel carries: the sender was told, if it could be.
    too_large: AtomicU64,
    /// Without a tunnel, or without room in it.
    not_taken: AtomicU64,
    /// Brought, and not taken by the device or the socket.
    not_given: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The tunnels of a relay.
#[derive(Clone, Debug, Default)]
pub struct Tunnels(Arc<[Arc<Post>]>);

/// Clients that were reported for asking for a tunnel that nobody has, at most.
pub const UNKNOWN_TOLD_MAX: usize = 64;

/// Puts the tunnels to use. `called` is what the configuration calls a client.
///
/// # Errors
/// If the runtime takes a device or a socket not.
pub fn begin(
    endpoint: &Endpoint,
    relay: &Relay,
    ends: Vec<OpenEnd>,
    called: impl Fn(ClientTag) -> String + Send + Sync + 'static,
    talk: Talk,
) -> std::io::Result<Tunnels> {
    let post = |open: OpenEnd| -> std::io::Result<Arc<Post>> {
        let (name, role, end) = open.register()?;
        let (current, counts, oversize) = Default::default();
        let condition = Condition::new(&name, talk);
        Ok(Arc::new(Post { name, role, end, current, counts, oversize, talk, condition }))
    };
    let posts: Arc<[Arc<Post>]> = ends.into_iter().map(post).collect::<std::io::Result<Vec<_>>>()?.into();
    for post in posts.iter() {
        tokio::spawn(Arc::clone(post).take_in());
        if let Role::Asking(far) = &post.role {
            let asking = asking::ask_on(endpoint.clone(), relay.clone(), relay.events(), Arc::clone(post), far.clone());
            tokio::spawn(asking);
        }
    }
    // Also where none is named: a client may ask for one.
    tokio::spawn(receive_those_asked(relay.clone(), relay.events(), Arc::clone(&posts), called, talk));
    Ok(Tunnels(posts))
}

impl Post {
    /// Moves what comes to the end here into the tunnel, for as long as the process runs.
    async fn take_in(self: Arc<Post>) {
        let send = |flow, datagram: &[u8]| {
            // The handle is taken out of its lock: that of the machine is another.
            let tunnel = locked(&self.current).clone();
            let sent = tunnel.ok_or(NotTaken::Unknown).and_then(|tunnel| tunnel.send(flow, datagram));
            match sent {
                Ok(()) => {}
                Err(NotTaken::TooLarge { max }) => {
                    count(&self.counts.too_large);
                    self.note_oversize(datagram.len(), max);
                }
                Err(NotTaken::Unknown | NotTaken::Full) => count(&self.counts.not_taken),
            }
            sent
        };
        self.end.read(send).await;
    }

    /// Says that a datagram is too large, if nobody else does and it was not said of late.
    fn note_oversize(&self, bytes: usize, max: usize) {
        if self.end.tells_senders() {
            return;
        }
        let told = locked(&self.oversize).note(clock::now(), bytes, max);
        if let Some(Oversize { bytes, max }) = told {
            // What any flow may send, whatever it is called: some may send a few bytes more.
            let tunnel = locked(&self.current).clone();
            let max = tunnel.as_ref().and_then(Tunnel::status).map_or(max, |status| status.datagram_max);
            let mtu = Oversize { bytes, max }.wireguard_mtu();
            let words = format!(
                "tunnel {:?} loses datagrams of up to {bytes} bytes, as it carries {max} at most: have the program \
                 send smaller ones; of WireGuard, MTU = {mtu} at both ends",
                self.name
            );
            let fields = json!({ "name": self.name, "bytes": bytes, "max": max, "wireguard_mtu": mtu });
            self.talk.note(words, "tunnel_too_large", &fields);
        }
    }

    /// Moves what the tunnel brings to the end here, until there is no such tunnel. One that there was before is
    /// closed.
    fn take_out(self: &Arc<Post>, tunnel: Tunnel) {
        if let Some(before) = locked(&self.current).replace(tunnel.clone()) {
            before.close();
        }
        let post = Arc::clone(self);
        tokio::spawn(async move {
            let mut batch = Vec::new();
            while tunnel.receive(&mut batch).await.is_ok() {
                for (_, datagram) in batch.drain(..) {
                    if post.end.write(&datagram).await.is_err() {
                        count(&post.counts.not_given);
                    }
                }
            }
        });
    }

    /// The relay at the other end, as the configuration calls it.
    fn of(&self) -> &str {
        match &self.role {
            Role::Asking(far) => &far.shown,
            Role::Asked { client, .. } => client,
        }
    }

    fn is_asked(&self) -> bool {
        matches!(self.role, Role::Asked { .. })
    }

    fn is_of(&self, client: ClientTag) -> bool {
        matches!(self.role, Role::Asked { tag, .. } if tag == client)
    }

    fn is_asked_by(&self, client: ClientTag, to: std::net::SocketAddr) -> bool {
        self.is_of(client) && tunnel_named(&self.name) == to
    }

    fn has(&self, thread: usize, id: RelayId) -> bool {
        locked(&self.current).as_ref().is_some_and(|tunnel| (tunnel.thread(), tunnel.id()) == (thread, id))
    }
}

/// Takes the tunnels that others have asked for and been heard of: each belongs to the configuration that has its name
/// and its client, and the newest of a name is the one that counts. What belongs to none is closed, which is said once
/// of a client.
async fn receive_those_asked(
    relay: Relay,
    mut events: Receiver<RelayEvent>,
    posts: Arc<[Arc<Post>]>,
    called: impl Fn(ClientTag) -> String + Send + Sync,
    talk: Talk,
) {
    let mut told: BTreeSet<ClientTag> = BTreeSet::new();
    let mut take = |thread: usize, id: RelayId, client: ClientTag, to| {
        let Some(tunnel) = relay.tunnel(thread, id) else { return };
        match posts.iter().find(|post| post.is_asked_by(client, to)) {
            Some(post) if post.has(thread, id) => {}
            Some(post) => {
                post.take_out(tunnel);
                post.condition.note_up(post.of());
            }
            None => {
                tunnel.close();
                if told.len() < UNKNOWN_TOLD_MAX && told.insert(client) {
                    let (of, named) = (called(client), posts.iter().any(|post| post.is_of(client)));
                    let words = match named {
                        true => format!(
                            "client {of:?} asks for a tunnel of a name that no [[tunnel]] from it has; compare the \
                             names"
                        ),
                        false => format!(
                            "client {of:?} asks for a tunnel, and there is no [[tunnel]] from it; add one, and restart"
                        ),
                    };
                    talk.note(words, "tunnel_unknown", &json!({ "of": of }));
                }
            }
        }
    };
    let take_all = |take: &mut dyn FnMut(usize, RelayId, ClientTag, std::net::SocketAddr)| {
        for RelayTunnel { thread, status } in relay.tunnels() {
            if let TunnelEnd::Asked { client, heard: true, .. } = status.end {
                take(thread, status.tunnel, client, status.to);
            }
        }
    };
    // Those that came before anybody listened.
    take_all(&mut take);
    loop {
        match events.recv().await {
            Ok(RelayEvent { thread, event: HelperEvent::Tunnel { tunnel, client, to }, .. })
                if client != ClientTag(u64::MAX) =>
            {
                take(thread, tunnel, client, to);
            }
            Ok(RelayEvent { thread, event: HelperEvent::Left { relay, because, served: None }, .. }) => {
                // One that has taken its place is another.
                let post = posts.iter().find(|post| post.is_asked() && post.has(thread, relay));
                if let Some(post) = post {
                    post.condition.note_down(lost_there(because));
                }
            }
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => take_all(&mut take),
            Err(RecvError::Closed) => return,
        }
    }
}

impl Tunnels {
    /// What they are at this moment.
    pub fn status(&self) -> Vec<Value> {
        self.0.iter().map(|post| post.status()).collect()
    }
}

impl Post {
    fn status(&self) -> Value {
        let tunnel = locked(&self.current).clone();
        let status = tunnel.as_ref().and_then(Tunnel::status);
        let (end, untold) = match &self.role {
            Role::Asking(_) => ("asking", "it is being asked for"),
            Role::Asked { .. } => ("asked", "the other relay has not asked for it since this one began"),
        };
        let up = status.as_ref().is_some_and(|status| status.section.is_some());
        let why = self.condition.why().or_else(|| (!up).then(|| untold.to_owned()));
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        json!({
            "name": self.name,
            "end": end,
            "of": self.of(),
            "at": self.end.shown(),
            "up": up,
            "section": status.as_ref().and_then(|it| it.section.as_ref()).map(status::section),
            "datagram_max": status.as_ref().map(|it| it.datagram_max),
            "flows": status.as_ref().map_or(0, |it| it.flows),
            "waiting_flows": status.as_ref().map_or(0, |it| it.waiting_flows),
            "waiting_bytes": status.as_ref().map_or(0, |it| it.waiting_bytes),
            "dropped": status.as_ref().map_or(0, |it| it.dropped),
            "repaired": status.as_ref().map_or(0, |it| it.repaired),
            "too_large": read(&self.counts.too_large),
            "not_taken": read(&self.counts.not_taken),
            "not_given": read(&self.counts.not_given),
            "failure": why,
        })
    }
}
