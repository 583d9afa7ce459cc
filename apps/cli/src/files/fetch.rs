//! The fetching side: ask, receive, put in place.

use std::future::ready;
use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use serde_json::json;
use tng_services::files::{
    Fault, FaultCode, Fetch, FetchError, Listed, Listing, ListingError, Look, Request, SafePath,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::spawn_blocking;

use super::blocks::{Old, tell};
use super::draft::{Care, Draft, DraftError};
use super::hashing::Hasher;
use super::lanes::{Dial, Knob, Lanes, run_all};
use super::sink::{Count, Sink, SinkError, drain};
use super::{Fetched, Job, Outcome, PIECE_MAX, READ_MAX, Standing, Target, put};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer::stream_failure;
use crate::talk::{Progress, short};

/// An answer as it comes.
pub type Answering = Box<dyn AsyncRead + Send + Unpin>;

/// Opens streams to a file service.
pub trait Opener: Clone + Send + Sync + 'static {
    /// The half that is written.
    type Send: AsyncWrite + Unpin + Send + 'static;
    /// The half that is read.
    type Recv: AsyncRead + Unpin + Send + 'static;

    /// A stream for one request, and what changes how urgent it is.
    fn open(&self) -> impl Future<Output = Result<Opened<Self>, Failure>> + Send;

    /// Asks for a listing, and answers where it comes from.
    fn ask_for_listing(&self, request: Vec<u8>) -> impl Future<Output = Result<Answering, Failure>> + Send {
        async move {
            let Opened { mut send, recv, .. } = self.open().await?;
            // What the server makes of it shows in the answer.
            if send.write_all(&request).await.is_ok() {
                let _ = send.shutdown().await;
            }
            Ok(Box::new(recv) as Answering)
        }
    }

    /// Waits for the server to answer anything, for a request that cannot be made twice.
    fn settle(&self) -> impl Future<Output = Result<(), Failure>> + Send {
        ready(Ok(()))
    }

    /// Finds the way to the server again after `failure`, by which it was lost. Gives the failure back if that cannot
    /// be.
    fn renew(&self, failure: Failure) -> impl Future<Output = Result<(), Failure>> + Send {
        ready(Err(failure))
    }

    /// Whether a server may be told of blocks.
    fn takes_blocks(&self) -> bool {
        true
    }

    /// A failure of a request, with what is known of its cause.
    fn explain(&self, failure: Failure) -> impl Future<Output = Failure> + Send {
        ready(failure)
    }
}

/// A stream for one request.
pub struct Opened<O: Opener> {
    /// Where the request goes.
    pub send: O::Send,
    /// Where the answer comes from.
    pub recv: O::Recv,
    /// Changes how urgent the answer is to the server.
    pub asking: Knob,
    /// Changes how urgent it is here what goes there.
    pub sending: Knob,
}

/// Makes attempts until one ends otherwise than by a lost connection, or guest, that can be done without.
pub(super) async fn persist<T, F>(opener: &impl Opener, mut attempt: impl FnMut() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    loop {
        match attempt().await {
            Err(failure) if failure.lost.is_something() => opener.renew(failure).await?,
            Err(failure) => return Err(opener.explain(failure).await),
            ended => return ended,
        }
    }
}

/// What is below `path`, as far as `look` says, and what the server left out.
///
/// # Errors
/// If the stream fails or the server refuses.
pub async fn list(opener: &impl Opener, path: &SafePath, look: Look) -> Result<Listed, Failure> {
    persist(opener, || list_once(opener, path, look)).await
}

async fn list_once(opener: &impl Opener, path: &SafePath, look: Look) -> Result<Listed, Failure> {
    let what = || format!("listing {}", shown(path));
    let mut request = Vec::new();
    put(&Request::List { path: path.clone(), look }, &mut request);
    let mut recv = opener.ask_for_listing(request).await?;
    let mut listing = Listing::new();
    let mut buf = BytesMut::with_capacity(READ_MAX);
    loop {
        buf.clear();
        match recv.read_buf(&mut buf).await {
            Ok(0) => break,
            Ok(_) => listing.take(&buf).map_err(|error| listing_failure(what(), error))?,
            Err(error) => return Err(receive_failure(what(), &error, false)),
        };
    }
    listing.ended().map_err(|error| listing_failure(what(), error))
}

/// Fetches one file into its place.
///
/// What arrived stays in the scratch file when this fails, or is given up; the next fetch builds on it, and so does the
/// next attempt if the connection is lost and renewed. If what is there turns out wrong the whole file is fetched
/// again, once.
///
/// # Errors
/// If the stream fails, the server refuses, or this host cannot write.
pub async fn fetch(
    opener: &impl Opener,
    job: &Job,
    care: Care,
    dial: &Dial,
    progress: &Arc<Progress>,
) -> Result<Fetched, Failure> {
    let looking = job.clone();
    let standing = spawn_blocking(move || {
        let standing = looking.standing(care);
        if standing == Standing::Unchanged {
            looking.restamp();
        }
        standing
    });
    match standing.await.map_err(|error| Failure::new(Exit::Write, "looking at files here", error))? {
        Standing::Unchanged => return Ok(settled(job, Outcome::Unchanged, progress)),
        Standing::Kept => return Ok(settled(job, Outcome::Kept, progress)),
        Standing::Nothing | Standing::Other { .. } => {}
    }
    match attempts(opener, job, (care, opener.takes_blocks()), dial, progress).await? {
        Ended::Fetched(fetched) => Ok(fetched),
        Ended::WrongHash => match attempts(opener, job, (care, false), dial, progress).await? {
            Ended::Fetched(fetched) => Ok(fetched),
            Ended::WrongHash => Err(Failure::new(
                Exit::Receive,
                format!("fetching {}", shown(&job.path)),
                "the hash of what arrived is wrong, twice",
            )
            .or_try("look at the server's disk and memory")),
        },
    }
}

/// Fetches many files; see [`run_all`].
///
/// # Errors
/// The first failure, if there was one.
pub async fn fetch_all(
    opener: &impl Opener,
    jobs: Vec<Job>,
    care: Care,
    lanes: Lanes,
    progress: &Arc<Progress>,
    each: impl FnMut(&Job, &Result<Fetched, Failure>),
) -> Result<(), Failure> {
    let work = |job: Job, dial: Arc<Dial>| {
        let (opener, progress) = (opener.clone(), Arc::clone(progress));
        async move {
            let ended = fetch(&opener, &job, care, &dial, &progress).await;
            (job, ended)
        }
    };
    run_all(jobs, lanes.under(progress.limit.as_ref()), work, each).await
}

/// A file that need not be asked for.
fn settled(job: &Job, outcome: Outcome, progress: &Arc<Progress>) -> Fetched {
    let mut count = Count::new(progress, job.size);
    count.begin(job.size, job.size);
    count.done();
    Fetched { outcome, size: job.size, moved: 0, copied: 0, discarded: 0, hash: None }
}

/// How an attempt ended that met no failure.
enum Ended {
    Fetched(Fetched),
    /// The scratch file is gone.
    WrongHash,
}

async fn attempts(
    opener: &impl Opener,
    job: &Job,
    how: (Care, bool),
    dial: &Dial,
    progress: &Arc<Progress>,
) -> Result<Ended, Failure> {
    match job.target {
        Target::Destination(_) => persist(opener, || attempt(opener, job, how, dial, progress)).await,
        // What was written there cannot be taken back or built upon.
        Target::Outlet(_) => {
            opener.settle().await?;
            match attempt(opener, job, how, dial, progress).await {
                Err(failure) => Err(opener.explain(failure).await),
                ended => ended,
            }
        }
    }
}

async fn attempt(
    opener: &impl Opener,
    job: &Job,
    (care, by_blocks): (Care, bool),
    dial: &Dial,
    progress: &Arc<Progress>,
) -> Result<Ended, Failure> {
    let Job { path, target, size: planned, .. } = job;
    let what = || format!("fetching {}", shown(path));
    let wait = |why: String| {
        progress.talk.say(&why);
        progress.talk.event("waiting", &json!({ "why": why }));
    };
    let (mut draft, fragment) = Draft::open(target.clone(), care, Hasher::Own, wait).await?;
    let old = if by_blocks { draft.old() } else { None };
    let fetch = Fetch::new(fragment);
    let Opened { send, mut recv, asking, .. } = opener.open().await?;
    dial.attach(asking);
    let asked = ask(send, &fetch.request(path.clone(), old.is_some()), old).await;
    let fetch = fetch.with_blocks_of(asked.as_ref().map_or(0, |told| *told));
    let sink = Sink { fetch, draft, quota: None, count: Count::new(progress, *planned), done: None };
    match drain(sink, &[], &mut recv, None, PIECE_MAX, wait).await {
        Ok(fetched) => Ok(Ended::Fetched(fetched)),
        Err(SinkError::Here(DraftError::Kept(_))) => Ok(Ended::Fetched(settled(job, Outcome::Kept, progress))),
        Err(SinkError::Here(error)) => Err(error.into()),
        Err(SinkError::Quota) => Err(Failure::new(Exit::Write, what(), "the quota is used up")),
        Err(SinkError::There(FetchError::WrongHash)) if matches!(target, Target::Destination(_)) => {
            Ok(Ended::WrongHash)
        }
        Err(SinkError::Stream { error, some }) => Err(receive_failure(what(), &error, some)),
        Err(SinkError::There(FetchError::Cut { at: 0, size: 0 })) if let Err(error) = asked => {
            Err(stream_failure(&what(), &error, Exit::Send))
        }
        Err(SinkError::There(error)) => Err(fetch_failure(what(), error)),
    }
}

/// Writes the request, and the blocks of `old`, and finishes; answers how many bytes those have. A server that refuses
/// early may make this fail; what it says is more interesting.
async fn ask(mut send: impl AsyncWrite + Unpin, request: &Request, old: Option<&Old>) -> io::Result<u64> {
    let mut bytes = Vec::new();
    put(request, &mut bytes);
    send.write_all(&bytes).await?;
    let told = match old {
        Some(old) => tell(old, Hasher::Own, &mut send, None).await?,
        None => 0,
    };
    send.shutdown().await?;
    Ok(told)
}

pub(super) fn shown(path: &SafePath) -> String {
    if path.is_root() { "the served folder".to_owned() } else { short(path.as_str()) }
}

/// The remedy of an interrupted fetch.
pub const AGAIN: &str = "run the same command again: what arrived is kept";

fn receive_failure(what: String, error: &io::Error, partial: bool) -> Failure {
    let failure = stream_failure(&what, error, Exit::Receive);
    if partial { Failure { exit: Exit::Partial, ..failure }.or_try(AGAIN) } else { failure }
}

fn fetch_failure(what: String, error: FetchError) -> Failure {
    match error {
        FetchError::Fault(fault) => fault_failure(what, &fault),
        FetchError::Protocol(_) => Failure::new(Exit::Protocol, what, error),
        FetchError::WrongHash => Failure::new(Exit::Receive, what, error),
        FetchError::Cut { .. } => Failure::new(Exit::Partial, what, error).or_try(AGAIN),
    }
}

fn listing_failure(what: String, error: ListingError) -> Failure {
    match error {
        ListingError::Fault(fault) => fault_failure(what, &fault),
        ListingError::Protocol(_) | ListingError::TooLarge => Failure::new(Exit::Protocol, what, error),
        ListingError::Cut(_) => Failure::new(Exit::Partial, what, error),
    }
}

/// What to do about what is in the way at a server.
const OVER_THERE: &str = "--update, --replace or --backup, if the server allows it; --no-clobber to leave it";

pub(crate) fn fault_failure(what: String, fault: &Fault) -> Failure {
    let (exit, remedy) = match fault.code {
        FaultCode::NotFound => (Exit::NotFound, "tng ls shows what there is"),
        FaultCode::IsFolder => (Exit::NotFound, "add -r to fetch the folder"),
        FaultCode::NotFolder => (Exit::NotFound, "leave -r away"),
        FaultCode::NotAllowed => (Exit::Denied, "ask who runs the server"),
        FaultCode::Changed => (Exit::Partial, "fetch it again when it is at rest"),
        FaultCode::Io => (Exit::NotFound, ""),
        FaultCode::Busy => (Exit::Denied, "try again later"),
        FaultCode::Exists => (Exit::Exists, OVER_THERE),
        FaultCode::NoRoom => (Exit::RemoteFull, "make room there, then run the same command again"),
        FaultCode::Write => (Exit::RemoteFull, "run the same command again"),
        FaultCode::WrongHash => (Exit::Send, "look at the disks and the memory of both hosts"),
        FaultCode::BadRequest | FaultCode::Other => {
            (Exit::Protocol, "the address of a server that hands out files, or update the older of the two programs")
        }
    };
    Failure::new(exit, what, fault).or_try(remedy)
}
