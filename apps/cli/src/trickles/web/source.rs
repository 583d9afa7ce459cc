//! Servers whose files are handed on: a few connections to them, found again when they are lost.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::http::About;
use serde_json::json;
use tng::Identity;
use tng::trickles::{ClientConfig, Policy};
use tng_services::files::{Entry, Fault, FaultCode, SafePath};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::super::PlainUrl;
use super::super::reading::{Bytes, Unread};
use super::super::ways::{Spare, Way, Ways};
use super::figures::{Figures, add};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Opener, READ_MAX};
use crate::location::Location;
use crate::talk::Talk;

/// Connections to the servers of one name, at most. A further one is begun when the others are full.
pub const LANES_MAX: usize = 4;
/// Requests that one of them carries at once, at most.
pub const VISITS_PER_LANE_MAX: usize = 120;
/// How long a request waits for others to end.
pub const PLACE_TIME: Duration = Duration::from_secs(10);
/// How long servers may be silent before another connection, or another way, is tried.
pub const SERVER_SILENCE_MAX: Duration = Duration::from_secs(15);
/// How long servers may take to say what a file or a folder is.
pub const ABOUT_TIME: Duration = Duration::from_secs(30);
/// How long a body waits for servers that have gone away, before its client is given up.
pub const BODY_PATIENCE: Duration = Duration::from_secs(90);
/// A body that takes longer is checked in the end: keys that its bytes were asked for with may be erased, and another
/// file in its place then goes on in the middle.
pub const CHECKED_AFTER: Duration = Duration::from_secs(60);
/// How long a program may take nothing of an answer.
pub const STALL_TIME: Duration = Duration::from_secs(60);
/// After so long another way is left for Trickles, if that is there again.
pub const RETURN_AFTER: Duration = Duration::from_secs(60);
/// So long servers that did not answer are left alone.
const DOWN_TIME: Duration = Duration::from_secs(2);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(250);

/// The servers of one name.
#[derive(Debug)]
pub struct Source {
    host: Location,
    identity: Identity,
    settings: Settings,
    figures: Arc<Figures>,
    talk: Talk,
    lanes: [Lane; LANES_MAX],
}

/// How servers are asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// If all else fails, the place of a web server, without protection.
    pub plain: Option<PlainUrl>,
    /// Which of several servers.
    pub policy: Policy,
    /// Whether seals are left out.
    pub danger_plain: bool,
}

/// How things stand with the servers of one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// By which way files come, or why none do.
    pub(super) way: Result<&'static str, String>,
    /// Requests that are being answered.
    pub(super) visits: usize,
}

/// One connection.
#[derive(Debug)]
struct Lane {
    places: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Untried,
    Up { ways: Ways, spare: Arc<Spare>, since: Instant },
    Down { failure: Failure, at: Instant },
}

/// A request that is being answered.
pub(super) struct Visit<'a> {
    source: &'a Source,
    lane: &'a Lane,
    _place: SemaphorePermit<'a>,
}

/// Why bytes did not all arrive.
#[derive(Debug)]
pub(super) enum Broken {
    /// Who asked takes no more.
    Client(io::Error),
    /// The servers do not bring them.
    Server(Unread),
}

impl From<Unread> for Broken {
    fn from(unread: Unread) -> Broken {
        Broken::Server(unread)
    }
}

impl Source {
    /// Servers at a location, as this identity. Nothing is asked before somebody asks here.
    pub fn new(host: Location, identity: Identity, settings: Settings, figures: Arc<Figures>, talk: Talk) -> Source {
        let lanes = core::array::from_fn(|_| Lane {
            places: Semaphore::new(VISITS_PER_LANE_MAX),
            state: Mutex::new(State::Untried),
        });
        Source { host, identity, settings, figures, talk, lanes }
    }

    /// Whether these servers are asked like that already.
    pub(super) fn is(&self, host: &Location, settings: &Settings) -> bool {
        self.host == *host && self.settings == *settings
    }

    /// Where they are.
    pub(super) const fn host(&self) -> &Location {
        &self.host
    }

    /// How things stand, without waiting for anything.
    pub(super) fn standing(&self) -> Standing {
        let visits = self.lanes.iter().map(|lane| VISITS_PER_LANE_MAX - lane.places.available_permits()).sum();
        // The first lane is the first to be used.
        let way = match self.lanes[0].state.try_lock().as_deref() {
            Ok(State::Up { ways, .. }) => Ok(ways.word()),
            Ok(State::Down { failure, .. }) => Err(failure.why.clone()),
            Ok(State::Untried) => Ok("untried"),
            Err(_) => Ok("connecting"),
        };
        Standing { way, visits }
    }

    /// Connects for the first time.
    ///
    /// # Errors
    /// If there is nobody, by any way, or they do not let this host in.
    pub async fn prepare(&self) -> Result<(), Failure> {
        self.ways(&self.lanes[0]).await.map(|_| ())
    }

    /// The path of something, below what the location names.
    pub(super) fn path(&self, below: &SafePath) -> Option<SafePath> {
        let names = below.as_str().split('/').filter(|name| !name.is_empty());
        names.into_iter().try_fold(self.host.path.clone(), |path, name| path.child(name)).ok()
    }

    /// A place for one more request; nothing if there is none for long.
    pub(super) async fn visit(&self) -> Option<Visit<'_>> {
        let visit = |lane, place| Visit { source: self, lane, _place: place };
        for lane in &self.lanes {
            if let Ok(place) = lane.places.try_acquire() {
                return Some(visit(lane, place));
            }
        }
        let lane = &self.lanes[0];
        timeout(PLACE_TIME, lane.places.acquire()).await.ok()?.ok().map(|place| visit(lane, place))
    }

    /// The way there. Those who wait for an attempt share its outcome.
    async fn ways(&self, lane: &Lane) -> Result<Ways, Failure> {
        let asked = clock::now();
        let mut state = lane.state.lock().await;
        match &*state {
            State::Up { ways, since, .. } if asked < *since + RETURN_AFTER || is_trickles(ways).await => {
                return Ok(ways.clone());
            }
            State::Down { failure, at } if asked < *at + DOWN_TIME => return Err(failure.clone()),
            // A request that is under way by it goes on.
            _ => *state = State::Untried,
        }
        let Settings { plain, policy, danger_plain } = self.settings.clone();
        let spare = Arc::new(Spare::new(self.identity.duplicate(), 0, plain, policy, self.talk));
        let config = ClientConfig { silence_max: SERVER_SILENCE_MAX, danger_plain, ..ClientConfig::default() };
        let found = match Ways::begin_with(&spare, &self.host, config).await {
            Ok(ways) => ways.settle().await.map(|()| ways),
            Err(failure) => Err(failure),
        };
        let at = clock::now();
        match found {
            Ok(ways) => {
                *state = State::Up { ways: ways.clone(), spare, since: at };
                Ok(ways)
            }
            Err(failure) => {
                spare.close().await;
                *state = State::Down { failure: failure.clone(), at };
                Err(failure)
            }
        }
    }
}

async fn is_trickles(ways: &Ways) -> bool {
    matches!(ways.way().await, Way::Trickles(_))
}

impl State {
    async fn leave(&mut self) {
        if let State::Up { ways, spare, .. } = core::mem::replace(self, State::Untried) {
            ways.leave().await;
            spare.close().await;
        }
    }
}

impl Visit<'_> {
    /// Has `ask` done until it succeeds or is refused; if nobody is there, for so long.
    async fn persist<T, F>(&self, patience: Duration, ask: impl Fn(Ways) -> F) -> Result<T, Unread>
    where
        F: Future<Output = Result<T, Unread>>,
    {
        let began = clock::now();
        loop {
            let failure = match self.source.ways(self.lane).await {
                Ok(ways) => match ask(ways.clone()).await {
                    Err(Unread::Lost(failure)) => {
                        self.lost(&ways).await;
                        failure
                    }
                    done => return done,
                },
                Err(failure) => failure,
            };
            if !may_pass(&failure) || began.elapsed() >= patience {
                return Err(Unread::Lost(failure));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Leaves a connection, unless somebody else has.
    async fn lost(&self, ways: &Ways) {
        let mut state = self.lane.state.lock().await;
        if matches!(&*state, State::Up { ways: present, .. } if present.is(ways)) {
            state.leave().await;
        }
    }

    /// As [`persist`](Self::persist), for something that is told before anything is answered.
    async fn told<T, F>(&self, ask: impl Fn(Ways) -> F) -> Result<T, Unread>
    where
        F: Future<Output = Result<T, Unread>>,
    {
        // A connection may turn out to be over only when it is used: then it is asked for once more.
        let told = self.persist(DOWN_TIME, ask);
        timeout(ABOUT_TIME, told).await.unwrap_or_else(|_| {
            let failure = Failure::new(Exit::Timeout, "asking for a file", "the servers do not answer");
            Err(Unread::Lost(failure.or_try("later, when one of them runs again")))
        })
    }

    /// What is known of a file.
    pub(super) async fn about(&self, path: &SafePath) -> Result<About, Unread> {
        self.told(|ways| {
            let path = path.clone();
            async move { ways.about(&path).await }
        })
        .await
    }

    /// What is in a folder, not in the folders in it.
    pub(super) async fn folder(&self, path: &SafePath) -> Result<Vec<Entry>, Unread> {
        self.told(|ways| {
            let path = path.clone();
            async move { ways.folder(&path).await }
        })
        .await
    }

    /// Brings bytes of a file that is the one that `known` tells of; over another connection, or by another way, if
    /// the one at hand is lost. Counts them in `sent`.
    pub(super) async fn bring(
        &self,
        path: &SafePath,
        known: &About,
        range: Range<u64>,
        tcp: &mut TcpStream,
        sent: &mut u64,
    ) -> Result<(), Broken> {
        let (began, mut at) = (clock::now(), range.start);
        let mut is_doubtful = false;
        let mut piece = vec![0; READ_MAX];
        while at < range.end {
            let opened = self.persist(BODY_PATIENCE, |ways| {
                let (path, known, rest) = (path.clone(), *known, at..range.end);
                async move {
                    if is_doubtful && ways.about(&path).await? != known {
                        return Err(changed());
                    }
                    let bytes = ways.bytes(&path, &known, rest).await?;
                    Ok((ways, bytes))
                }
            });
            let (ways, mut bytes): (Ways, Bytes) = opened.await?;
            let failure = loop {
                let len = match bytes.read(&mut piece).await {
                    Ok(0) => return Err(changed().into()),
                    Ok(len) => len.min(usize::try_from(range.end - at).unwrap_or(usize::MAX)),
                    Err(Unread::Lost(failure)) => break failure,
                    Err(fault) => return Err(fault.into()),
                };
                // The last bytes are kept until it is sure that they are of the same file as the first.
                let is_last = at + len as u64 == range.end;
                if is_last && (is_doubtful || began.elapsed() > CHECKED_AFTER) && self.about(path).await? != *known {
                    return Err(changed().into());
                }
                put(tcp, &piece[..len]).await.map_err(Broken::Client)?;
                at += len as u64;
                *sent += len as u64;
                add(&self.source.figures.bytes, len as u64);
                if is_last {
                    return Ok(());
                }
            };
            self.lost(&ways).await;
            if !may_pass(&failure) {
                return Err(Unread::Lost(failure).into());
            }
            let words = format_args!("{path}: going on at byte {at} over another connection: {}", failure.why);
            let resumed = json!({ "path": path.as_str(), "at": at, "why": failure.why });
            self.source.talk.note(words, "resumed", &resumed);
            add(&self.source.figures.resumed, 1);
            is_doubtful = true;
        }
        Ok(())
    }
}

/// Writes all of these, as long as any of them are taken.
pub(super) async fn put(tcp: &mut TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let len = timeout(STALL_TIME, tcp.write(bytes)).await.map_err(|_| io::ErrorKind::TimedOut)??;
        if len == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[len..];
    }
    Ok(())
}

/// Whether the same may succeed later.
pub(super) const fn may_pass(failure: &Failure) -> bool {
    !matches!(failure.exit, Exit::Denied | Exit::WrongPeer | Exit::Usage | Exit::Protocol | Exit::Read)
}

fn changed() -> Unread {
    Unread::Fault(Fault::new(FaultCode::Changed, "ask for it anew"))
}
