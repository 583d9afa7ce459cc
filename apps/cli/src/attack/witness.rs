//! An honest host that looks in while others attack.

use std::time::Duration;

use tng::{Connection, Endpoint};
use tng_attack::Attack;
use tng_services::files::{Kind, Listing, PROTOCOL, Request, SERVICE, SafePath};
use tng_wire::Repr;

use crate::clock;
use crate::failure::Failure;
use crate::location::Location;
use crate::peer;
use crate::talk::Talk;

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
    endpoint: Endpoint,
    target: Location,
    wish: Wish,
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
    /// Somebody who wants to connect, and no more.
    pub fn new(endpoint: Endpoint, target: Location) -> Witness {
        Witness { endpoint, target, wish: Wish::Connect }
    }

    /// Connects once.
    ///
    /// # Errors
    /// Why the target does not let an honest host in, as every client is told.
    pub async fn knock(&self) -> Result<(), Failure> {
        self.connect().await.map(|connection| connection.close(0, ""))
    }

    /// The files that the target hands out, if it does. From now on the smallest is asked for.
    pub async fn explore(&mut self) -> Option<Served> {
        let listing = async {
            let connection = self.connect().await.ok()?;
            let served = listed(&connection).await;
            connection.close(0, "");
            served
        };
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
        Witness { wish, ..self.clone() }
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
        let connection = self.connect().await.ok()?;
        let served = match &self.wish {
            Wish::Connect => Some(()),
            Wish::File(path) => begun(&connection, path.clone()).await,
            Wish::Listing => listed(&connection).await.map(drop),
        };
        connection.close(0, "");
        served
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let silent = Talk { json: false, quiet: true, no_progress: true };
        peer::connect(&self.endpoint, &self.target, silent).await
    }
}

/// Reads the answer to one request until `take` has seen enough.
async fn ask<T>(
    connection: &Connection,
    request: Request,
    mut take: impl FnMut(&[u8]) -> Option<Option<T>>,
) -> Option<T> {
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
async fn begun(connection: &Connection, path: SafePath) -> Option<()> {
    let request = Request::Get { path, have: None };
    ask(connection, request, |piece| piece.first().map(|kind| (*kind == FILE).then_some(()))).await
}

async fn listed(connection: &Connection) -> Option<Served> {
    let mut listing = Some(Listing::new());
    let whole =
        ask(connection, Request::List { path: SafePath::root() }, |piece| match listing.as_mut()?.take(piece) {
            Ok(false) => None,
            Ok(true) => Some(listing.take()?.ended().ok()),
            Err(_) => Some(None),
        });
    let entries = whole.await?.entries;
    let files = || entries.iter().filter(|entry| entry.kind == Kind::File);
    let (smallest, largest) = (files().min_by_key(|file| file.size)?, files().max_by_key(|file| file.size)?);
    Some(Served { smallest: smallest.path.clone(), largest: (largest.path.clone(), largest.size) })
}
