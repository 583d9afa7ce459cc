//! `tng serve`: hands out a folder or a file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tng::{CloseCause, Connection, Incoming, IncomingStream};
use tng_base::Eid;
use tng_services::{files, ping};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;
use crate::files::{GivenKind, REQUESTS_MAX, Root, answer};
use crate::host::{Door, DoorArgs, attend};
use crate::location::{SCHEME, escape};
use crate::streams::echo;
use crate::talk::{Talk, bytes};

/// Connections served at once; more are refused.
pub const CONNECTIONS_MAX: usize = 256;

/// Shown before everything else in `tng serve --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng serve photos                     hand out a folder to whoever has the ticket that this prints
  tng serve movie.mkv --public         hand out one file to everybody
  tng serve photos --allow EID EID     only to these hosts; `tng id` prints a host's EID";

/// Arguments of `tng serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The folder, or the file
    path: PathBuf,
    #[command(flatten)]
    door: DoorArgs,
}

/// Serves until a signal ends it, which is its usual end.
///
/// # Errors
/// If there is nothing to serve or no way to listen.
pub async fn run(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let root = Root::new(&args.path)?;
    let name = [b"files:", root.path().as_os_str().as_encoded_bytes()].concat();
    let services = [(files::SERVICE, files::PROTOCOL), (ping::SERVICE, ping::PROTOCOL)];
    let door = args.door.open(&name, &services).await?;
    announce(&door, &root, talk);
    let server = Arc::new(Server { root: Arc::new(root), talk });
    let ended = attend(&door.endpoint, async {
        let (mut budgets, room) = (Budgets::default(), Arc::new(Semaphore::new(CONNECTIONS_MAX)));
        while let Some(incoming) = door.endpoint.accept().await {
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                incoming.refuse("too many connections, try again later");
                continue;
            };
            let (server, budget) = (Arc::clone(&server), budgets.of(incoming.eid()));
            tokio::spawn(async move {
                server.welcome(incoming, budget).await;
                drop(place);
            });
        }
        Ok(())
    });
    match ended.await {
        Err(failure) if failure.exit == crate::exit::Exit::Interrupted => {
            talk.say("stopped");
            Ok(())
        }
        ended => ended,
    }
}

/// Says how to fetch, the ticket last.
fn announce(door: &Door, root: &Root, talk: Talk) {
    let (flags, path) = match root.only() {
        Some(only) => (String::new(), escape(only)),
        None => {
            let name = root.path().file_name().map_or_else(|| "fetched".into(), |n| n.to_string_lossy().into_owned());
            (format!(" -r -o {}", quoted(&name)), String::new())
        }
    };
    let url = format!("{SCHEME}{}/{path}", door.ticket);
    talk.say(format_args!("serving {} to {}, at {}", root.path().display(), door.open_to, door.endpoint.local_addr()));
    talk.say(format_args!("\nfetch it with:\n  tng get{flags} {}\n\nor by its ticket:\n{}", quoted(&url), door.ticket));
    let addresses: Vec<String> = door.ticket.addresses().iter().map(ToString::to_string).collect();
    talk.event(
        "serving",
        &json!({
            "eid": door.ticket.eid().to_string(),
            "ticket": door.ticket.to_string(),
            "url": url,
            "addresses": addresses,
            "path": root.path().to_string_lossy(),
        }),
    );
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~:@%+,=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What each peer may still ask for at once, over all its connections.
#[derive(Default)]
struct Budgets(BTreeMap<Eid, Arc<Semaphore>>);

impl Budgets {
    fn of(&mut self, eid: Eid) -> Arc<Semaphore> {
        // A peer without connections needs no entry, so there are never more entries than connections.
        self.0.retain(|_, budget| Arc::strong_count(budget) > 1);
        Arc::clone(self.0.entry(eid).or_insert_with(|| Arc::new(Semaphore::new(REQUESTS_MAX))))
    }
}

struct Server {
    root: Arc<Root>,
    talk: Talk,
}

impl Server {
    /// Lets a peer in, and stays with it until it leaves.
    async fn welcome(self: &Arc<Server>, incoming: Incoming, budget: Arc<Semaphore>) {
        let (eid, remote) = (incoming.eid().to_string(), incoming.remote_address().to_string());
        let connection = match incoming.accept().await {
            Ok(connection) => connection,
            Err(error) => return tracing::info!(%eid, %remote, %error, "did not come in"),
        };
        self.talk.say(format_args!("{eid} came from {remote}"));
        self.talk.event("accepted", &json!({ "peer": eid, "address": remote }));
        let cause = self.entertain(&connection, budget).await;
        self.talk.say(format_args!("{eid} left: {cause}"));
        self.talk.event("closed", &json!({ "peer": eid, "address": remote, "why": cause.to_string() }));
    }

    /// Answers what the peer asks for until the connection is over.
    async fn entertain(self: &Arc<Server>, connection: &Connection, budget: Arc<Semaphore>) -> CloseCause {
        // The semaphore is never closed.
        while let Ok(permit) = Arc::clone(&budget).acquire_owned().await {
            let Ok(incoming) = connection.accept().await else { break };
            let server = Arc::clone(self);
            let peer = connection.peer();
            tokio::spawn(async move { server.give(peer, incoming, permit).await });
        }
        connection.closed().await
    }

    async fn give(&self, peer: Eid, incoming: IncomingStream, _permit: OwnedSemaphorePermit) {
        let (send, recv) = incoming.stream.split();
        if incoming.service == ping::SERVICE {
            let echoed = echo(recv, send).await;
            tracing::info!(%peer, ?echoed, "ping");
            return;
        }
        match answer(Arc::clone(&self.root), recv, send).await {
            Ok(given) => {
                let what = match given.kind {
                    GivenKind::List => format!("{} entries", given.sent),
                    GivenKind::Get => bytes(given.sent),
                    GivenKind::Nonsense => "nothing".to_owned(),
                };
                let path = given.path.as_str();
                match given.fault {
                    None => tracing::info!(%peer, path, "gave {what}"),
                    Some(fault) => tracing::info!(%peer, path, %fault, "gave {what}, not all"),
                }
            }
            Err(error) => tracing::info!(%peer, %error, "a request ended early"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_has_one_budget_over_all_its_connections_and_none_when_it_has_left() {
        let (mut budgets, [a, b]) = (Budgets::default(), [1, 2].map(|n| Eid::from_bytes([n; 32])));
        let (first, second) = (budgets.of(a), budgets.of(a));
        let _held = first.try_acquire_many(REQUESTS_MAX as u32).expect("all of it");
        assert_eq!(second.available_permits(), 0);
        let other = budgets.of(b);
        assert_eq!((other.available_permits(), budgets.0.len()), (REQUESTS_MAX, 2));
        drop(other);
        budgets.of(a);
        assert_eq!(budgets.0.len(), 1);
    }

    #[test]
    fn a_word_for_a_shell_is_quoted_if_it_needs_to_be() {
        assert_eq!(quoted("tng://tng1abc/a%20b"), "tng://tng1abc/a%20b");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
