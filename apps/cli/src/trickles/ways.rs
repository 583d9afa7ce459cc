//! The way to files: Trickles; structured streams, if no Trickles server answers; and plain TCP, if nobody answers at
//! all and there is leave to do without protection.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::json;
use tng::trickles::{ClientConfig, ClientStats, Policy};
use tng::{Endpoint, Identity, StatelessClient};
use tokio::io::AsyncWrite;
use tokio::sync::{Mutex, OnceCell};

use super::{Plain, PlainUrl, Stateless};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Answering, Opened, Opener};
use crate::host::{client, farewell};
use crate::location::Location;
use crate::peer::Peer;
use crate::talk::Talk;

/// If no Trickles server has answered for so long, structured streams are tried beside.
pub const BESIDE_AFTER: Duration = Duration::from_millis(1_500);

/// What is there beside Trickles, for all hosts together.
#[derive(Debug)]
pub struct Spare {
    /// Who this host is.
    pub identity: Identity,
    /// How often a lost connection of structured streams is sought again.
    pub retries: u32,
    /// Where the files are over plain TCP, if they may come so.
    pub plain: Option<PlainUrl>,
    /// To which of several Trickles servers requests go.
    pub policy: Policy,
    /// Whom this is told.
    pub talk: Talk,
    endpoint: OnceCell<Endpoint>,
    /// For what the endpoint writes down of them.
    clients: std::sync::Mutex<Vec<StatelessClient>>,
}

impl Spare {
    /// Nothing of it is begun before it is needed.
    pub fn new(identity: Identity, retries: u32, plain: Option<PlainUrl>, policy: Policy, talk: Talk) -> Spare {
        let clients = std::sync::Mutex::default();
        Spare { identity, retries, plain, policy, talk, endpoint: OnceCell::new(), clients }
    }

    /// Leaves politely, tells programs what connections there were without state, and has what was to be written down
    /// reach its place.
    pub async fn close(&self) {
        let clients: Vec<_> = self.clients.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        let stats: Vec<_> = clients.iter().map(StatelessClient::stats).collect();
        let sum = |of: fn(&ClientStats) -> u64| stats.iter().map(of).sum::<u64>();
        self.talk.event(
            "stateless",
            &json!({
                "connections": sum(|stats| stats.connections),
                "requests": sum(|stats| stats.requests),
                "packets": sum(|stats| stats.packets),
                "lost": sum(|stats| stats.lost),
                "timeouts": sum(|stats| stats.timeouts),
            }),
        );
        for client in clients {
            if let Some(error) = client.take_observer_failure() {
                tracing::warn!("what was to be written down is not whole: {error}");
            }
        }
        if let Some(endpoint) = self.endpoint.get() {
            farewell(endpoint).await;
        }
    }

    async fn connect(&self, host: &Location) -> Result<Peer, Failure> {
        let endpoint = self.endpoint.get_or_try_init(|| client(self.identity.duplicate())).await?;
        Peer::connect(endpoint, host, self.retries, self.talk).await
    }
}

/// The way to the files of one host. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ways {
    host: Arc<Location>,
    spare: Arc<Spare>,
    way: Arc<Mutex<Way>>,
}

/// The way as it is now.
#[derive(Clone, Debug)]
pub(super) enum Way {
    Trickles(Stateless),
    Streams(Peer),
    Plain(Plain),
    /// There is none.
    None(Failure),
}

impl Ways {
    /// Begins with Trickles.
    ///
    /// # Errors
    /// If the location has no address, or the system gives no socket.
    pub async fn begin(spare: &Arc<Spare>, host: &Location) -> Result<Ways, Failure> {
        Ways::begin_with(spare, host, ClientConfig::default()).await
    }

    /// The same with other settings.
    ///
    /// # Errors
    /// As [`begin`](Ways::begin).
    pub async fn begin_with(spare: &Arc<Spare>, host: &Location, config: ClientConfig) -> Result<Ways, Failure> {
        let identity = spare.identity.duplicate();
        let stateless = Stateless::connect(identity, host, spare.policy, config).await?;
        spare.clients.lock().unwrap_or_else(PoisonError::into_inner).push(stateless.client().clone());
        let way = Way::Trickles(stateless);
        Ok(Ways { host: Arc::new(host.clone()), spare: Arc::clone(spare), way: Arc::new(Mutex::new(way)) })
    }

    /// Whether another is a clone of it.
    pub(super) fn is(&self, other: &Ways) -> bool {
        Arc::ptr_eq(&self.way, &other.way)
    }

    /// Ends it, for all clones of it.
    pub(super) async fn leave(&self) {
        if let Way::Trickles(way) = self.way().await {
            way.client().close();
        }
    }

    /// A word for the way as it is now, without waiting for anything.
    pub(super) fn word(&self) -> &'static str {
        match self.way.try_lock().as_deref() {
            Ok(Way::Trickles(_)) => "trickles",
            Ok(Way::Streams(_)) => "streams",
            Ok(Way::Plain(_)) => "tcp",
            Ok(Way::None(_)) => "none",
            Err(_) => "connecting",
        }
    }

    /// The way as it is now.
    pub(super) async fn way(&self) -> Way {
        self.way.lock().await.clone()
    }

    /// Finds another way than Trickles, since nobody answers as a server of that does: structured streams, if that
    /// connects.
    async fn fall_back(
        &self,
        failure: Failure,
        streams: impl Future<Output = Result<Peer, Failure>>,
    ) -> Result<(), Failure> {
        let mut way = self.way.lock().await;
        match &*way {
            Way::Trickles(_) => {}
            Way::None(failure) => return Err(failure.clone()),
            // Somebody else has found it.
            Way::Streams(_) | Way::Plain(_) => return Ok(()),
        }
        let talk = self.spare.talk;
        talk.say(format_args!("{}; trying structured streams", failure.why));
        let found = match (streams.await, &self.spare.plain) {
            (Ok(peer), _) => {
                talk.say("fetching by structured streams, as `tng get` does: such a server remembers its clients");
                talk.event("fallback", &json!({ "to": "streams", "why": failure.why }));
                Ok(Way::Streams(peer))
            }
            // Somebody is there, and says why not.
            (Err(streams), _) if streams.exit != Exit::Connect => Err(streams),
            (Err(streams), Some(url)) => {
                let words = format!("UNPROTECTED: fetching from {url} over plain TCP, as --fallback-tcp asks");
                talk.warn(format_args!("by structured streams: {}\n{words}", streams.why));
                talk.event("fallback", &json!({ "to": "tcp", "url": url.to_string(), "why": streams.why }));
                Ok(Way::Plain(Plain::new(url.clone())))
            }
            (Err(streams), None) => {
                tracing::debug!("by structured streams: {streams}");
                Err(Failure { why: format!("{}; nor is there any by structured streams", failure.why), ..failure })
            }
        };
        *way = found.clone().unwrap_or_else(Way::None);
        found.map(|_| ())
    }
}

/// A stream of any of the ways.
fn boxed<O: Opener>(opened: Opened<O>) -> Opened<Ways> {
    let Opened { send, recv, asking, sending } = opened;
    Opened { send: Box::new(send), recv: Box::new(recv), asking, sending }
}

impl Opener for Ways {
    type Send = Box<dyn AsyncWrite + Send + Unpin>;
    type Recv = Answering;

    fn takes_blocks(&self) -> bool {
        false
    }

    async fn open(&self) -> Result<Opened<Ways>, Failure> {
        match self.way().await {
            Way::Trickles(way) => way.open().await.map(boxed),
            Way::Streams(way) => way.open().await.map(boxed),
            Way::Plain(way) => way.open().await.map(boxed),
            Way::None(failure) => Err(failure),
        }
    }

    async fn ask_for_listing(&self, request: Vec<u8>) -> Result<Answering, Failure> {
        match self.way().await {
            Way::Trickles(way) => way.ask_for_listing(request).await,
            Way::Streams(way) => way.ask_for_listing(request).await,
            Way::Plain(way) => way.ask_for_listing(request).await,
            Way::None(failure) => Err(failure),
        }
    }

    async fn settle(&self) -> Result<(), Failure> {
        let Way::Trickles(way) = self.way().await else { return Ok(()) };
        // Where nobody answers, one waits for both together, and not for one after the other.
        let mut streams = pin!(async {
            tokio::time::sleep(BESIDE_AFTER).await;
            self.spare.connect(&self.host).await
        });
        let mut there = pin!(way.is_there());
        let refused = tokio::select! {
            is_there = &mut there => return if is_there? { Ok(()) } else { self.fall_back(way.why(), streams).await },
            found = &mut streams => match found {
                // That is another server, or a path on which the messages of Trickles do not pass.
                Ok(peer) => {
                    let silent = Failure::new(Exit::Connect, "connecting", "no Trickles server has answered so far");
                    return self.fall_back(silent, ready(Ok(peer))).await;
                }
                Err(failure) => failure,
            },
        };
        if there.await? { Ok(()) } else { self.fall_back(way.why(), ready(Err(refused))).await }
    }

    async fn renew(&self, failure: Failure) -> Result<(), Failure> {
        match self.way().await {
            Way::Trickles(way) => self.fall_back(way.explain(failure).await, self.spare.connect(&self.host)).await,
            Way::Streams(way) => way.renew(failure).await,
            Way::Plain(_) => Err(failure),
            Way::None(failure) => Err(failure),
        }
    }

    async fn explain(&self, failure: Failure) -> Failure {
        match self.way().await {
            Way::Trickles(way) => way.explain(failure).await,
            Way::Streams(way) => way.explain(failure).await,
            Way::Plain(_) | Way::None(_) => failure,
        }
    }
}
