//! An honest host that looks in while others attack.

use std::time::Duration;

use tng::trickles::{ClientConfig, Policy};
use tng::{Connection, Endpoint};
use tng_attack::Attack;
use tng_services::files::{self, Kind, Listing, Look, PROTOCOL, Request, SERVICE, SafePath};
use tng_wire::Repr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::registries::Registered;
use super::relays::Helped;
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Opened, Opener};
use crate::key::KeyArgs;
use crate::location::Location;
use crate::peer;
use crate::talk::Talk;
use crate::trickles::Stateless;

/// Longest wait for the word that a target serves those who keep everything themselves.
pub const ASKED_MAX: Duration = Duration::from_secs(3);

/// The honest host's pause after an attempt that failed.
pub const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Longest wait for the listing of what a target hands out.
pub const LISTING_MAX: Duration = Duration::from_secs(10);

/// Bytes read at once.
const PIECE: usize = 16 * 1024;

/// The type of the message that begins a file (docs/wire.md, section 6).
const FILE: u8 = 0x10;

/// An honest host, and what it wants.
#[derive(Clone, Debug)]
pub struct Witness {
    way: Way,
    target: Location,
    wish: Wish,
    /// What it is to the target, if that is a relay.
    helped: Option<Helped>,
    /// The same if that is a registry.
    registered: Option<Registered>,
}

/// How an honest host comes to a target.
#[derive(Clone, Debug)]
enum Way {
    /// By structured streams.
    Streams(Endpoint),
    /// As a client of a server that keeps nothing.
    Trickles(KeyArgs),
    /// By way of the target, to somebody else.
    Helped(Box<Helped>),
    /// To somebody else whom the target knows.
    Registered(Box<Registered>),
}

/// What an honest host wants.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wish {
    /// To connect, and no more.
    Connect,
    /// The beginning of a file: the smallest that the target hands out.
    File(SafePath),
    /// All that the target hands out, listed.
    Listing,
}

/// What a target hands out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Served {
    smallest: SafePath,
    /// The largest file, and its size in bytes.
    pub largest: (SafePath, u64),
}

impl Witness {
    /// Somebody who wants to connect, and no more: as a client of a server that keeps nothing if the target is one, and
    /// else by structured streams, as `endpoint`.
    ///
    /// # Errors
    /// Why the target does not let an honest host in, as every client is told.
    pub async fn new(key: &KeyArgs, endpoint: Endpoint, target: Location) -> Result<Witness, Failure> {
        let config = ClientConfig { set_up_timeout: ASKED_MAX, ..ClientConfig::default() };
        let client = Stateless::connect(key.load_or_create()?, &target, Policy::Stay, config).await?;
        if client.is_there().await? {
            return Ok(Witness {
                way: Way::Trickles(key.clone()),
                target,
                wish: Wish::Connect,
                helped: None,
                registered: None,
            });
        }
        peer::connect(&endpoint, &target, SILENT).await?.close(0, "");
        Ok(Witness { way: Way::Streams(endpoint), target, wish: Wish::Connect, helped: None, registered: None })
    }

    /// Whether the target keeps nothing of its clients.
    pub const fn target_is_stateless(&self) -> bool {
        matches!(self.way, Way::Trickles(_))
    }

    /// Is a client of the target, too, for attacks that would keep others from being helped.
    pub fn be_helped(&mut self, helped: Helped) {
        self.helped = Some(helped);
    }

    /// Finds others by the target, too, for attacks that would keep them from being found.
    pub fn be_registered(&mut self, registered: Registered) {
        self.registered = Some(registered);
    }

    /// The files that the target hands out, if it does. From now on the smallest is asked for.
    pub async fn explore(&mut self) -> Option<Served> {
        let listing = async { listed(&self.connect().await.ok()?).await };
        let served = tokio::time::timeout(LISTING_MAX, listing).await.ok()??;
        self.wish = Wish::File(served.smallest.clone());
        Some(served)
    }

    /// The same, which wants what `attack` would keep from it.
    pub fn of(&self, attack: &Attack) -> Witness {
        let wish = match self.wish {
            Wish::File(_) if attack.is_about_listings() => Wish::Listing,
            _ => self.wish.clone(),
        };
        let way = match (&self.helped, &self.registered) {
            (Some(helped), _) if attack.is_on_relays() => Way::Helped(Box::new(helped.clone())),
            (_, Some(registered)) if attack.is_on_registries() => Way::Registered(Box::new(registered.clone())),
            _ => self.way.clone(),
        };
        Witness { way, wish, ..self.clone() }
    }

    /// How long it takes to connect, and to have the beginning of a file if there are any, or the listing of them all,
    /// tried again for `limit` at most.
    pub async fn look(&self, limit: Duration) -> Option<Duration> {
        let began = clock::now();
        let attempts = async {
            while self.attempt().await.is_none() {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        };
        tokio::time::timeout(limit, attempts).await.ok()?;
        Some(began.elapsed())
    }

    async fn attempt(&self) -> Option<()> {
        match &self.way {
            Way::Helped(helped) => return helped.attempt().await,
            Way::Registered(registered) => return registered.attempt().await,
            Way::Streams(_) | Way::Trickles(_) => {}
        }
        let met = self.connect().await.ok()?;
        match &self.wish {
            Wish::Connect => met.is_there().await,
            Wish::File(path) => begun(&met, path.clone()).await,
            Wish::Listing => listed(&met).await.map(drop),
        }
    }

    async fn connect(&self) -> Result<Met, Failure> {
        match &self.way {
            Way::Helped(_) | Way::Registered(_) => {
                Err(Failure::new(Exit::Connect, "connecting", "it is a client and no peer"))
            }
            Way::Streams(endpoint) => peer::connect(endpoint, &self.target, SILENT).await.map(Met::Peer),
            Way::Trickles(key) => {
                let (identity, config) = (key.load_or_create()?, ClientConfig::default());
                Stateless::connect(identity, &self.target, Policy::Stay, config).await.map(Met::Server)
            }
        }
    }
}

/// What an honest host tells of what it does.
const SILENT: Talk = Talk { json: false, quiet: true, no_progress: true };

/// Whom an honest host has reached, for as long as it asks.
enum Met {
    Peer(Connection),
    Server(Stateless),
}

impl Met {
    async fn is_there(&self) -> Option<()> {
        match self {
            Met::Peer(_) => Some(()),
            Met::Server(server) => server.is_there().await.ok()?.then_some(()),
        }
    }
}

impl Drop for Met {
    fn drop(&mut self) {
        if let Met::Peer(connection) = self {
            connection.close(0, "");
        }
    }
}

/// Reads the answer to one request until `take` has seen enough.
async fn ask<T>(met: &Met, request: Request, mut take: impl FnMut(&[u8]) -> Option<Option<T>>) -> Option<T> {
    let connection = match met {
        Met::Peer(connection) => connection,
        Met::Server(server) => {
            let Opened { mut send, mut recv, .. } = server.open().await.ok()?;
            send.write_all(&request.to_vec()).await.ok()?;
            send.shutdown().await.ok()?;
            let mut piece = vec![0; PIECE];
            loop {
                let len = recv.read(&mut piece).await.ok()?;
                if let Some(done) = take(&piece[..len]) {
                    return done;
                }
                (len > 0).then_some(())?;
            }
        }
    };
    let control = connection.open(SERVICE, PROTOCOL).await.ok()?;
    let (mut send, mut recv) = control.open_substream().await.ok()?.split();
    send.write_all(&request.to_vec()).await.ok()?;
    // That it has arrived is seen by the answer.
    let (finished, answered) = tokio::join!(send.finish(), async {
        loop {
            let piece = recv.read_chunk(PIECE).await.ok()?;
            if let Some(done) = take(piece.as_deref().unwrap_or_default()) {
                return done;
            }
            piece?;
        }
    });
    finished.ok()?;
    answered
}

/// Whether the file begins to come.
async fn begun(met: &Met, path: SafePath) -> Option<()> {
    let request = Request::Get { path, have: None, blocks: false };
    ask(met, request, |piece| piece.first().map(|kind| (*kind == FILE).then_some(()))).await
}

async fn listed(met: &Met) -> Option<Served> {
    let request = Request::List { path: SafePath::root(), look: Look::default() };
    let whole = match met {
        Met::Peer(connection) => {
            let answer = connection.request(SERVICE, request.to_vec()).answer_max(files::LISTING_MAX).await.ok()?;
            let mut listing = Listing::new();
            listing.take(&answer).ok()?;
            listing.ended().ok()?
        }
        Met::Server(_) => {
            let mut listing = Some(Listing::new());
            let take = |piece: &[u8]| match listing.as_mut()?.take(piece) {
                Ok(false) => None,
                Ok(true) => Some(listing.take()?.ended().ok()),
                Err(_) => Some(None),
            };
            ask(met, request, take).await?
        }
    };
    let entries = whole.entries;
    let files = || entries.iter().filter(|entry| entry.kind == Kind::File);
    let (smallest, largest) = (files().min_by_key(|file| file.size)?, files().max_by_key(|file| file.size)?);
    Some(Served { smallest: smallest.path.clone(), largest: (largest.path.clone(), largest.size) })
}
