//! The fetching side: ask, receive, put in place.

use std::future::{Future, ready};
use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tng_services::files::{Entry, Fault, FaultCode, Fetch, FetchError, Listing, ListingError, Request, SafePath, Step};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};

use super::draft::Draft;
use super::{Fetched, Job, PIECES_MAX, READ_MAX, Target, put};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer::stream_failure;
use crate::talk::Progress;

/// Opens streams to a file service.
pub trait Opener: Clone + Send + Sync + 'static {
    /// The half that is written.
    type Send: AsyncWrite + Unpin + Send + 'static;
    /// The half that is read.
    type Recv: AsyncRead + Unpin + Send + 'static;

    /// A new stream.
    fn open(&self) -> impl Future<Output = Result<(Self::Send, Self::Recv), Failure>> + Send;

    /// Finds the way to the server again after `failure`, by which it was lost. Gives the failure back if that cannot be.
    fn renew(&self, failure: Failure) -> impl Future<Output = Result<(), Failure>> + Send {
        ready(Err(failure))
    }
}

/// Makes attempts until one ends otherwise than by a lost connection that can be renewed.
async fn persist<T, F>(opener: &impl Opener, attempt: impl Fn() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    loop {
        match attempt().await {
            Err(failure) if failure.lost => opener.renew(failure).await?,
            ended => return ended,
        }
    }
}

/// Everything below `path`, and how many things the server left out.
///
/// # Errors
/// If the stream fails or the server refuses.
pub async fn list(opener: &impl Opener, path: &SafePath) -> Result<(Vec<Entry>, u64), Failure> {
    persist(opener, || list_once(opener, path)).await
}

async fn list_once(opener: &impl Opener, path: &SafePath) -> Result<(Vec<Entry>, u64), Failure> {
    let what = || format!("listing {}", shown(path));
    let (send, mut recv) = opener.open().await?;
    let refused = ask(send, &Request::List { path: path.clone() }).await;
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
    listing.ended().map_err(|error| match refused {
        Err(refused) => stream_failure(&what(), &refused, Exit::Send),
        Ok(()) => listing_failure(what(), error),
    })
}

/// Fetches one file into its place.
///
/// What arrived stays in the scratch file when this fails, or is given up; the next fetch builds on it, and so does the
/// next attempt if the connection is lost and renewed. If what is there turns out wrong the whole file is fetched again, once.
///
/// # Errors
/// If the stream fails, the server refuses, or this host cannot write.
pub async fn fetch(opener: &impl Opener, job: &Job, progress: &Arc<Progress>) -> Result<Fetched, Failure> {
    match attempts(opener, job, progress).await? {
        Ended::Fetched(fetched) => Ok(fetched),
        Ended::WrongHash => match attempts(opener, job, progress).await? {
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

/// Fetches many files, up to `at_once` at a time; tells `each` how every one ended, in the order in which they end.
/// A file that the server has not or does not hand out does not stop the others; everything else does.
///
/// # Errors
/// The first failure, if there was one.
pub async fn fetch_all(
    opener: &impl Opener,
    jobs: Vec<Job>,
    at_once: usize,
    progress: &Arc<Progress>,
    mut each: impl FnMut(&Job, &Result<Fetched, Failure>),
) -> Result<(), Failure> {
    let mut running = JoinSet::new();
    let mut waiting = jobs.into_iter();
    let mut first = Ok(());
    loop {
        while running.len() < at_once.max(1)
            && let Some(job) = waiting.next()
        {
            let (opener, progress) = (opener.clone(), Arc::clone(progress));
            running.spawn(async move {
                let ended = fetch(&opener, &job, &progress).await;
                (job, ended)
            });
        }
        let Some(ended) = running.join_next().await else {
            return first;
        };
        let (job, ended) = ended.map_err(|error| Failure::new(Exit::Receive, "fetching", error))?;
        each(&job, &ended);
        if let Err(failure) = ended {
            let fatal = !matches!(failure.exit, Exit::NotFound | Exit::Denied);
            first = first.and(Err(failure));
            if fatal {
                // Dropping the set stops the others where they are; their scratch files stay.
                return first;
            }
        }
    }
}

/// How an attempt ended that met no failure.
enum Ended {
    Fetched(Fetched),
    /// The scratch file is gone.
    WrongHash,
}

async fn attempts(opener: &impl Opener, job: &Job, progress: &Arc<Progress>) -> Result<Ended, Failure> {
    match job.target {
        Target::Place { .. } => persist(opener, || attempt(opener, job, progress)).await,
        // What was written there cannot be taken back or built upon.
        Target::Stdout => attempt(opener, job, progress).await,
    }
}

async fn attempt(opener: &impl Opener, job: &Job, progress: &Arc<Progress>) -> Result<Ended, Failure> {
    let Job { path, target, size: planned } = job;
    let what = || format!("fetching {}", shown(path));
    let died = |error| Failure::new(Exit::Write, what(), error);
    let opened = target.clone();
    let (draft, fragment) = spawn_blocking(move || Draft::open(opened)).await.map_err(died)??;
    let fetch = Fetch::new(fragment);
    let (send, mut recv) = opener.open().await?;
    let asked = ask(send, &fetch.request(path.clone())).await;

    let (pieces, queue) = mpsc::channel(PIECES_MAX);
    let mut count = Count { progress: Arc::clone(progress), planned: *planned, bytes: 0, total: 0 };
    let writing = spawn_blocking(move || {
        let written = write(fetch, draft, queue, &mut count);
        if written.is_err() {
            count.take_back();
        }
        written
    });
    let received = loop {
        let mut buf = BytesMut::with_capacity(READ_MAX);
        match recv.read_buf(&mut buf).await {
            Ok(0) => break asked.map_err(|error| (Exit::Send, error)),
            Ok(_) if pieces.send(buf.freeze()).await.is_err() => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err((Exit::Receive, error)),
        }
    };
    drop(pieces);
    match (writing.await.map_err(died)?, received) {
        (Ok(fetched), _) => Ok(Ended::Fetched(fetched)),
        (Err(WriteError::Here(failure)), _) => Err(failure),
        (Err(WriteError::There(FetchError::WrongHash)), _) if matches!(target, Target::Place { .. }) => {
            Ok(Ended::WrongHash)
        }
        (Err(WriteError::There(FetchError::Cut { at, .. })), Err((Exit::Receive, error))) => {
            Err(receive_failure(what(), &error, at > 0))
        }
        (Err(WriteError::There(FetchError::Cut { at: 0, size: 0 })), Err((_, error))) => {
            Err(stream_failure(&what(), &error, Exit::Send))
        }
        (Err(WriteError::There(error)), _) => Err(fetch_failure(what(), error)),
    }
}

enum WriteError {
    There(FetchError),
    Here(Failure),
}

/// What an attempt has added to the progress.
struct Count {
    progress: Arc<Progress>,
    planned: u64,
    bytes: u64,
    total: u64,
}

impl Count {
    fn step(&mut self, step: &Step<'_>) {
        let added = match step {
            Step::Begin { size, offset, .. } => {
                // The size was counted as it was known when the job was planned.
                self.total = size.saturating_sub(self.planned);
                Progress::add(&self.progress.bytes_total, self.total);
                *offset
            }
            Step::Write(data) => data.len() as u64,
            Step::Done { .. } => {
                Progress::add(&self.progress.files, 1);
                0
            }
        };
        Progress::add(&self.progress.bytes, added);
        self.bytes += added;
    }

    fn take_back(&self) {
        Progress::sub(&self.progress.bytes, self.bytes);
        Progress::sub(&self.progress.bytes_total, self.total);
    }
}

/// Takes what arrives, on a thread of its own, and puts it in place.
fn write(
    mut fetch: Fetch,
    mut draft: Draft,
    mut queue: mpsc::Receiver<Bytes>,
    count: &mut Count,
) -> Result<Fetched, WriteError> {
    let mut done = None;
    while let Some(piece) = queue.blocking_recv() {
        let mut input = &piece[..];
        loop {
            let step = match fetch.step(&mut input) {
                Ok(Some(step)) => step,
                Ok(None) => break,
                Err(error) => {
                    if error == FetchError::WrongHash {
                        draft.discard().map_err(WriteError::Here)?;
                    }
                    return Err(WriteError::There(error));
                }
            };
            done = draft.take(&step).map_err(WriteError::Here)?.or(done);
            count.step(&step);
        }
    }
    fetch.ended().map_err(WriteError::There)?;
    done.ok_or(WriteError::There(FetchError::Cut { at: 0, size: 0 }))
}

/// Writes the request and finishes. A server that refuses early may make this fail; what it says is more interesting.
async fn ask(mut send: impl AsyncWrite + Unpin, request: &Request) -> io::Result<()> {
    let mut bytes = Vec::new();
    put(request, &mut bytes);
    send.write_all(&bytes).await?;
    send.shutdown().await
}

fn shown(path: &SafePath) -> String {
    if path.is_root() { "the served folder".to_owned() } else { path.to_string() }
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

fn fault_failure(what: String, fault: &Fault) -> Failure {
    let (exit, remedy) = match fault.code {
        FaultCode::NotFound => (Exit::NotFound, "-r on the folder shows what there is"),
        FaultCode::IsFolder => (Exit::NotFound, "add -r to fetch the folder"),
        FaultCode::NotFolder => (Exit::NotFound, "leave -r away"),
        FaultCode::NotAllowed => (Exit::Denied, ""),
        FaultCode::Changed => (Exit::Partial, ""),
        FaultCode::Io => (Exit::NotFound, ""),
        FaultCode::Busy => (Exit::Denied, "try again later"),
        FaultCode::BadRequest | FaultCode::Other => (Exit::Protocol, "update the older of the two programs"),
    };
    Failure::new(exit, what, fault).or_try(remedy)
}
