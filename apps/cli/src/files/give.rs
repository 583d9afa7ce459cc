//! The serving side: one request, one answer.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tng_base::Eid;
use tng_services::files::{
    Answer, Fault, FaultCode, Fetch, FetchError, Fragment, Have, Index, LEFT_OUT_MAX, Look, Meta, Over, Request,
    SafePath, Stored, Terms,
};
use tng_wire::{Reader, Repr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::beneath::Linked;
use super::blocks::{tell, told};
use super::draft::{Care, Draft, DraftError, Outcome};
use super::hashing::Hasher;
use super::root::NAME_COST;
use super::root::meta;
use super::sink::{Count, Sink, SinkError, drain};
use super::source::{opened, pour, within, write};
use super::{Account, Buffers, Destination, FRAME_MAX, Found, Held, Quota, Ration, Root, Target, Walk, put};

/// A listing is sent in pieces of about this many bytes.
const LISTING_PIECE: usize = 16 * 1024;
/// Listings whose next piece is looked for at once, for all peers together. One that waits for its peer to read is not
/// among them.
pub const LISTINGS_MAX: usize = 16;
/// Listings made for one peer at once, from their beginning to when all of it is read.
pub const LISTINGS_PER_PEER_MAX: usize = 4;
/// A peer that takes nothing, or says nothing when it is its turn, for so long is given up.
pub const STALL_TIME: Duration = Duration::from_secs(60);

/// How often a file that another request is still writing is tried again.
pub const TAKE_OVER_TRIES: u32 = 20;
/// The pause between two tries.
pub const TAKE_OVER_PAUSE: Duration = Duration::from_millis(50);

/// Permissions of a taken file that this host has in any case: it hands it out, and goes on with it.
const FILE_MODE_MIN: u16 = 0o600;

/// What is served, and how.
#[derive(Debug)]
pub struct Service {
    /// The folder or file.
    pub root: Root,
    /// What peers may bring; `None`: nothing.
    pub uploads: Option<Uploads>,
    /// How long a peer may stand still.
    pub stall: Duration,
    /// How much is hashed of what peers say they have.
    pub hashing: Ration,
    /// How much files on their way may hold.
    pub buffers: Arc<Buffers>,
    pub(super) listings: Arc<Semaphore>,
    writing: Mutex<BTreeMap<(Eid, SafePath), oneshot::Sender<()>>>,
}

/// What peers may bring.
#[derive(Clone, Debug)]
pub struct Uploads {
    /// Bytes, all files and peers together.
    pub quota: Arc<Quota>,
    /// What is done about files that are there, where a peer asks for as much.
    pub over: Over,
    /// They may remove files and folders.
    pub remove: bool,
    /// A file is safe on the disk before its peer is told that it is there.
    pub sync: bool,
}

impl Uploads {
    /// What is done about a file that is there, where a peer asks for that much.
    fn over(&self, asked: Over) -> Over {
        match self.replaces_less(asked) {
            true => Over::Refuse,
            false if self.over.backs_up() => asked.backing_up(),
            false => asked,
        }
    }

    /// Whether nothing is replaced though a peer asks for that.
    const fn replaces_less(&self, asked: Over) -> bool {
        asked.may_replace() && !self.over.may_replace()
    }

    /// Whether what is there is kept, and that is no failure, unless it is older: though none is replaced.
    const fn keeps_newer(&self, asked: Over) -> bool {
        matches!(asked, Over::Update { .. }) && self.replaces_less(asked)
    }

    /// What a peer that asked for that much is told: what is there stays at this server's word, but for what would have
    /// stayed in any case.
    fn told(&self, fault: Fault, asked: Over, is_older: impl FnOnce() -> bool) -> Result<Stored, Fault> {
        match fault.code == FaultCode::Exists && self.replaces_less(asked) {
            true if self.keeps_newer(asked) && !is_older() => Ok(Stored::Kept),
            true => Err(Fault::new(
                FaultCode::NotAllowed,
                "this server replaces no files; it was started without --replace or --backup",
            )),
            false => Err(fault),
        }
    }
}

impl Service {
    /// Hands out what is at `root`, and takes what `uploads` allows.
    pub fn new(root: Root, uploads: Option<Uploads>, hashing: Ration, buffers: Buffers) -> Service {
        let (listings, writing) = (Arc::new(Semaphore::new(LISTINGS_MAX)), Mutex::default());
        Service { root, uploads, stall: STALL_TIME, hashing, buffers: Arc::new(buffers), listings, writing }
    }

    /// Notes that `peer` writes `path` on another stream from now on. What it wrote there before is given up: the peer
    /// may have lost the connection that this host still waits on.
    fn takes_over(&self, peer: Eid, path: &SafePath) -> oneshot::Receiver<()> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are over need no entry, so there are never more than requests.
        writing.retain(|_, other| !other.is_closed());
        let (stop, stopped) = oneshot::channel();
        writing.insert((peer, path.clone()), stop);
        stopped
    }
}

/// What was done for a request, for the server's own record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// What was asked for.
    pub kind: GivenKind,
    /// Its path.
    pub path: SafePath,
    /// What has moved.
    pub moved: u64,
    /// Why not all, if not all.
    pub fault: Option<Fault>,
}

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenKind {
    /// A listing.
    List,
    /// A file.
    Get,
    /// To take a file.
    Put,
    /// A folder.
    Make,
    /// A symbolic link, or a further name of a file.
    Link,
    /// To remove something.
    Remove,
    /// Something that made no sense.
    Nonsense,
}

impl GivenKind {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            GivenKind::List => "list",
            GivenKind::Get => "get",
            GivenKind::Put => "put",
            GivenKind::Make => "make",
            GivenKind::Link => "link",
            GivenKind::Remove => "remove",
            GivenKind::Nonsense => "nonsense",
        }
    }
}

/// The stream failed.
#[derive(Debug, thiserror::Error)]
pub enum GiveError {
    /// While the request was read.
    #[error("what was asked did not arrive: {0}")]
    Receive(io::Error),
    /// While the answer to it was written, or a file that it brings was read.
    #[error("cut off: {0}")]
    Send(io::Error, (GivenKind, SafePath)),
}

/// Where an answer goes.
pub trait Taker: AsyncWrite + Unpin + Send {
    /// Waits until the peer wants no answer any more: it said so, or is gone.
    fn gone(&self) -> impl Future<Output = ()> + Send;
}

/// Reads what a peer wants of a file from `recv`, answers it on `send` with what it has `held` for that, and finishes
/// `send`. What is done for it ends when the peer wants it no more.
///
/// # Errors
/// If the stream fails. What is wrong with the request or the file goes to the peer and into [`Given`].
pub async fn answer<R, W>(
    service: Arc<Service>,
    account: Arc<Account>,
    mut held: Held,
    mut recv: R,
    mut send: W,
) -> Result<Given, GiveError>
where
    R: AsyncRead + Unpin,
    W: Taker,
{
    let stall = Some(service.stall);
    let (request, ahead) = asked(&mut recv, stall).await.map_err(GiveError::Receive)?;
    let (kind, path, done) = match request {
        Some(Request::Get { path, have, blocks }) => {
            let index = match blocks {
                true => told(&mut held, ahead, &mut recv, stall).await.map_err(GiveError::Receive)?.map(Some),
                false => Ok(None),
            };
            let done = match index {
                Ok(index) => get(&service, &account, &mut held, (path.clone(), have, index), &mut send).await,
                Err(fault) => Ok(Err(fault)),
            };
            (GivenKind::Get, path, done)
        }
        Some(Request::Put { path, terms }) => {
            let stopped = service.takes_over(account.eid, &path);
            let storing = store(&service, &account, held.piece(), (path.clone(), terms), &ahead, &mut recv, &mut send);
            let done = tokio::select! {
                biased;
                _ = stopped => Err(io::Error::other("its peer writes it on another stream")),
                done = storing => done,
            };
            (GivenKind::Put, path, done)
        }
        Some(Request::Make { path, meta }) => {
            let at = path.clone();
            let made = move |root: &Root, uploads: &Uploads| {
                root.folder(&at, meta, &uploads.quota, uploads.sync).map(|_| Stored::New)
            };
            (GivenKind::Make, path, change(&service, made, &mut send).await)
        }
        Some(Request::Link { path, target, meta, over }) => {
            let at = path.clone();
            let made = move |root: &Root, uploads: &Uploads| {
                let (Uploads { quota, sync, .. }, allowed) = (uploads, uploads.over(over));
                let linked = root.link(&at, (&target, meta), allowed, quota, *sync);
                linked.map(stored).or_else(|fault| uploads.told(fault, over, || root.is_older(&at, meta)))
            };
            (GivenKind::Link, path, change(&service, made, &mut send).await)
        }
        Some(Request::Same { path, of, over }) => {
            let at = path.clone();
            let made = move |root: &Root, uploads: &Uploads| {
                let linked = root.same(&at, &of, uploads.over(over), &uploads.quota, uploads.sync);
                let is_older = || root.look(&of).is_ok_and(|file| root.is_older(&at, meta(&file)));
                linked.map(stored).or_else(|fault| uploads.told(fault, over, is_older))
            };
            (GivenKind::Link, path, change(&service, made, &mut send).await)
        }
        Some(Request::Remove { path, is_folder }) => {
            let at = path.clone();
            let removed = move |root: &Root, uploads: &Uploads| match uploads.remove {
                true => root.remove(&at, is_folder, uploads.sync).map(|gone| match gone {
                    true => Stored::New,
                    false => Stored::Kept,
                }),
                false => Err(Fault::new(
                    FaultCode::NotAllowed,
                    "this server removes no files; it was started without --delete",
                )),
            };
            (GivenKind::Remove, path, change(&service, removed, &mut send).await)
        }
        Some(Request::List { .. }) | None => nonsense(
            "a stream of files is for a GET, a PUT, a MAKE, a LINK, a SAME or a REMOVE, of a path below the served \
             folder",
        ),
    };
    conclude(kind, path, done, send, stall).await
}

/// Answers a request for a listing on `send`, with what it has `held` for that, and finishes it.
///
/// # Errors
/// If the answer is not taken. What is wrong with the request goes to the peer and into [`Given`].
pub async fn answer_listing(
    service: Arc<Service>,
    account: Arc<Account>,
    held: Held,
    request: &[u8],
    mut send: impl Taker,
) -> Result<Given, GiveError> {
    let mut reader = Reader::new(request);
    let (kind, path, done) = match Request::parse(&mut reader) {
        Ok(Request::List { path, look }) if reader.is_empty() => {
            (GivenKind::List, path.clone(), list(&service, &account, held, (path, look), &mut send).await)
        }
        _ => nonsense("what is asked for by a request is a LIST, of a path below the served folder"),
    };
    let stall = Some(service.stall);
    conclude(kind, path, done, send, stall).await
}

fn nonsense(why: &str) -> (GivenKind, SafePath, Done) {
    (GivenKind::Nonsense, SafePath::root(), Ok(Err(Fault::new(FaultCode::BadRequest, why))))
}

/// Says why an answer is not whole, if it is not, and finishes it.
async fn conclude(
    kind: GivenKind,
    path: SafePath,
    done: Done,
    mut send: impl Taker,
    stall: Option<Duration>,
) -> Result<Given, GiveError> {
    let failed = |error| GiveError::Send(error, (kind, path.clone()));
    let (moved, fault) = match done.map_err(failed)? {
        Ok(Moved { bytes, told }) => (bytes, told),
        Err(fault) => {
            let mut message = Vec::new();
            put(&Answer::Fault(fault.clone()), &mut message);
            write(&mut send, &message, stall).await.map_err(failed)?;
            (0, Some(fault))
        }
    };
    within(stall, send.shutdown()).await.map_err(failed)?;
    Ok(Given { kind, path, moved, fault })
}

/// What moved, or why nothing did; outside, that the stream failed.
type Done = io::Result<Result<Moved, Fault>>;

/// What of an answer has gone.
#[derive(Default)]
struct Moved {
    /// Bytes of the file, or entries.
    bytes: u64,
    /// Why that is not all, as the peer was told in place of the end.
    told: Option<Fault>,
}

impl From<u64> for Moved {
    fn from(bytes: u64) -> Moved {
        Moved { bytes, told: None }
    }
}

/// The request, and what came after it. `None` for what is none, and for one with something after it where nothing may
/// be.
async fn asked(recv: &mut (impl AsyncRead + Unpin), stall: Option<Duration>) -> io::Result<(Option<Request>, Vec<u8>)> {
    let mut bytes = Vec::with_capacity(512);
    loop {
        let mut reader = Reader::new(&bytes);
        match Request::parse(&mut reader) {
            Ok(request @ (Request::Put { .. } | Request::Get { blocks: true, .. })) => {
                let at = reader.position();
                return Ok((Some(request), bytes.split_off(at)));
            }
            Ok(_) if !reader.is_empty() => return Ok((None, Vec::new())),
            // The end must follow.
            Ok(_) | Err(_) if bytes.len() > FRAME_MAX => return Ok((None, Vec::new())),
            Ok(request) => match within(stall, recv.read_buf(&mut bytes)).await? {
                0 => return Ok((Some(request), Vec::new())),
                _ => return Ok((None, Vec::new())),
            },
            Err(_) => {
                bytes.reserve(FRAME_MAX);
                if within(stall, recv.read_buf(&mut bytes)).await? == 0 {
                    return Ok((None, Vec::new()));
                }
            }
        }
    }
}

/// Does `work` unless the peer goes away before it is done.
async fn while_wanted<T>(send: &impl Taker, work: impl Future<Output = T>) -> io::Result<T> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        () = send.gone() => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the peer wants no answer any more")),
    }
}

/// A listing that is being made.
struct Making {
    walk: Walk,
    entries: u64,
    skipped: u64,
    folder: Meta,
    over: bool,
}

impl Making {
    /// The next piece of it.
    fn piece(&mut self) -> Result<Vec<u8>, Fault> {
        let mut piece = Vec::with_capacity(LISTING_PIECE + FRAME_MAX);
        while piece.len() < LISTING_PIECE {
            match self.walk.next().transpose()? {
                Some(Found::Entry(entry)) => {
                    self.entries += 1;
                    put(&Answer::Entry(entry), &mut piece);
                }
                Some(Found::LeftOut(left)) => {
                    self.skipped += 1;
                    if self.skipped <= LEFT_OUT_MAX as u64 {
                        put(&Answer::LeftOut(left), &mut piece);
                    }
                }
                None => {
                    let (entries, skipped, folder) = (self.entries, self.skipped, self.folder);
                    put(&Answer::Listed { entries, skipped, folder }, &mut piece);
                    self.over = true;
                    break;
                }
            }
        }
        self.walk.rest();
        Ok(piece)
    }
}

/// Has disks looked through for a listing, when it is its turn. The turn lasts as long as the work, and no longer: not
/// while the peer reads what was found.
async fn in_turn<T: Send + 'static>(
    service: &Service,
    send: &impl Taker,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    // Never closed.
    let turn = while_wanted(send, Arc::clone(&service.listings).acquire_owned()).await?;
    let working = spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    working.await.map_err(io::Error::other)
}

async fn list(
    service: &Arc<Service>,
    account: &Account,
    held: Held,
    (path, look): (SafePath, Look),
    send: &mut impl Taker,
) -> Done {
    // Never closed.
    let _own = while_wanted(send, account.listings.acquire()).await?;
    let maker = Arc::clone(service);
    let mut making =
        match in_turn(service, send, move || Ok((maker.root.walk(&path)?, meta(&maker.root.look(&path)?)))).await? {
            Ok((walk, folder)) => {
                let walk = if look.shallow { walk.shallow() } else { walk };
                let walk = walk.following(look.follow).counted(held, LISTING_PIECE + FRAME_MAX);
                Making { walk, entries: 0, skipped: 0, folder, over: false }
            }
            Err(fault) => return Ok(Err(fault)),
        };
    while !making.over {
        let piece;
        (making, piece) = in_turn(service, send, move || {
            let piece = making.piece();
            (making, piece)
        })
        .await?;
        match piece {
            Ok(piece) => write(send, &piece, Some(service.stall)).await?,
            Err(fault) => return Ok(Err(fault)),
        }
    }
    Ok(Ok(making.entries.into()))
}

async fn get(
    service: &Arc<Service>,
    account: &Account,
    held: &mut Held,
    (path, have, index): (SafePath, Option<Have>, Option<Index>),
    send: &mut impl Taker,
) -> Done {
    let finder = Arc::clone(service);
    let hasher = Hasher::Rationed(&service.hashing, account);
    let found = while_wanted(send, opened(move || finder.root.file(&path), have, index, hasher)).await?;
    let (source, piece) = match found {
        Ok(opened) => opened,
        Err(fault) => return Ok(Err(fault)),
    };
    let source = pour((source, piece), hasher, send, Some(service.stall), || held.piece(), |_| {}, None).await?;
    let told = source.outcome().and_then(|outcome| outcome.as_ref().err()).cloned();
    Ok(Ok(Moved { bytes: source.sent, told }))
}

/// Has something changed that comes without bytes, and says what became of it.
async fn change(
    service: &Arc<Service>,
    work: impl FnOnce(&Root, &Uploads) -> Result<Stored, Fault> + Send + 'static,
    send: &mut impl Taker,
) -> Done {
    let Some(uploads) = service.uploads.clone() else { return Ok(Err(read_only())) };
    let changer = Arc::clone(service);
    match spawn_blocking(move || work(&changer.root, &uploads)).await.map_err(io::Error::other)? {
        Ok(stored) => say(send, &Answer::Stored(stored), service.stall).await.map(|()| Ok(Moved::default())),
        Err(fault) => Ok(Err(fault)),
    }
}

const fn stored(linked: Linked) -> Stored {
    match linked {
        Linked::Made => Stored::New,
        Linked::Unchanged => Stored::Unchanged,
        Linked::Kept => Stored::Kept,
    }
}

fn read_only() -> Fault {
    Fault::new(FaultCode::NotAllowed, "this server takes no files; it was started without --writable")
}

async fn say(send: &mut impl Taker, answer: &Answer, stall: Duration) -> io::Result<()> {
    let mut message = Vec::new();
    put(answer, &mut message);
    write(send, &message, Some(stall)).await
}

async fn store(
    service: &Arc<Service>,
    account: &Account,
    piece: usize,
    (path, terms): (SafePath, Terms),
    ahead: &[u8],
    recv: &mut (impl AsyncRead + Unpin),
    send: &mut impl Taker,
) -> Done {
    let Some(uploads) = service.uploads.clone() else { return Ok(Err(read_only())) };
    let over = uploads.over(terms.over);
    // What is no older is not refused.
    let refused = |error: DraftError| Ok(uploads.told(error.into(), terms.over, || true).map(|_| Moved::default()));
    let Uploads { quota, sync, .. } = uploads.clone();
    let (opener, budget) = (Arc::clone(service), Arc::clone(&quota));
    let restamp = over.may_replace();
    let keeps_newer = uploads.keeps_newer(terms.over);
    let care = Care { resume: terms.resume, over, keeps_newer, checksum: true, restamp, sync, mode_min: FILE_MODE_MIN };
    let placing = spawn_blocking(move || opener.root.place(&path, &budget, sync));
    // Held to the end: a name that nothing has come to have is given back.
    let (place, _paid) = match placing.await.map_err(io::Error::other)? {
        Ok(placed) => placed,
        Err(fault) => return Ok(Err(fault)),
    };
    let is_there = place.there().is_some();
    if is_there && over == Over::Keep {
        return say(send, &Answer::Stored(Stored::Kept), service.stall).await.map(|()| Ok(Moved::default()));
    }
    // A backup has a name of its own.
    let backs_up = is_there && over.backs_up();
    if backs_up && quota.left() < NAME_COST {
        return Ok(Err(Fault::new(FaultCode::NoRoom, "")));
    }
    let (mut draft, fragment) = match while_wanted(send, take_over(service, account, place, care)).await? {
        Ok(opened) => opened,
        Err(error) => return refused(error),
    };
    let told = match if terms.blocks { draft.old() } else { None } {
        Some(old) => tell(old, Hasher::Rationed(&service.hashing, account), send, Some(service.stall)).await?,
        None => 0,
    };
    let fetch = Fetch::new(fragment).with_blocks_of(told);
    if terms.resume {
        say(send, &Answer::Have(fetch.have()), service.stall).await?;
    }
    let sink = Sink { fetch, draft, quota: Some(Arc::clone(&quota)), count: Count::default(), done: None };
    match drain(sink, ahead, recv, Some(service.stall), piece, |_| {}).await {
        Ok(file) => {
            let stored = match file.outcome {
                Outcome::Unchanged => Stored::Unchanged,
                Outcome::Kept => Stored::Kept,
                Outcome::Fetched | Outcome::Resumed => Stored::New,
            };
            if backs_up && stored == Stored::New {
                // What others took meanwhile was there before.
                let _ = quota.take(NAME_COST);
            }
            say(send, &Answer::Stored(stored), service.stall).await?;
            Ok(Ok(file.moved.into()))
        }
        Err(SinkError::Here(DraftError::Kept(_))) => {
            say(send, &Answer::Stored(Stored::Kept), service.stall).await.map(|()| Ok(Moved::default()))
        }
        Err(SinkError::Stream { error, .. }) => Err(error),
        Err(SinkError::Here(error)) => refused(error),
        Err(SinkError::Quota) => Ok(Err(Fault::new(FaultCode::NoRoom, "the server takes no more than it was told to"))),
        Err(SinkError::There(FetchError::WrongHash)) => Ok(Err(Fault::new(FaultCode::WrongHash, ""))),
        // In the server's record it stands beside what the server says itself.
        Err(SinkError::There(FetchError::Fault(fault))) => {
            let said = match fault.reason().is_empty() {
                true => "its peer says so".to_owned(),
                false => format!("its peer says: {}", fault.reason()),
            };
            Ok(Err(Fault::new(fault.code, &said)))
        }
        Err(SinkError::There(FetchError::Cut { .. })) => Err(io::ErrorKind::UnexpectedEof.into()),
        Err(SinkError::There(error)) => Ok(Err(Fault::new(FaultCode::BadRequest, &error.to_string()))),
    }
}

/// The draft of a place, which the same peer's earlier request may be about to let go.
async fn take_over(
    service: &Service,
    account: &Account,
    place: Destination,
    care: Care,
) -> Result<(Draft, Fragment), DraftError> {
    let mut tries = TAKE_OVER_TRIES;
    loop {
        let hasher = Hasher::Rationed(&service.hashing, account);
        match Draft::open(Target::Destination(place.clone()), care, hasher, |_| {}).await {
            Err(DraftError::Locked(_)) if tries > 0 => tries -= 1,
            opened => return opened,
        }
        tokio::time::sleep(TAKE_OVER_PAUSE).await;
    }
}
