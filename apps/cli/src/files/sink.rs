//! A file out of a stream, on its way to the disk.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tng_services::files::{FaultCode, Fetch, FetchError, Step};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, sleep_until};

use super::draft::{Draft, DraftError};
use super::source::within;
use super::{Fetched, LIMITED_READ_MAX, LOOK_TIME};
use crate::clock;
use crate::talk::Progress;

/// What has arrived is written to the disk at the latest after this time, however little it is.
pub const WRITE_DELAY: Duration = Duration::from_millis(200);
/// What has arrived is written to the disk when it is this many bytes.
pub const WRITE_MIN: usize = 64 << 10;

/// A write that takes longer than this is told of.
pub const WRITE_TOLD_AFTER: Duration = Duration::from_secs(1);

/// Room for the messages around the data of a file.
const AROUND: usize = 256;

/// Bytes that may still be written, all files together.
#[derive(Debug)]
pub struct Quota(AtomicU64);

impl Quota {
    /// So many bytes.
    pub const fn new(bytes: u64) -> Quota {
        Quota(AtomicU64::new(bytes))
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes some; nothing if there are not so many.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// Gives back what was taken, and was not used.
    pub(super) fn give_back(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Why a file did not get to its place.
#[derive(Debug)]
pub(super) enum SinkError {
    /// The stream failed.
    Stream {
        /// How.
        error: io::Error,
        /// Something had arrived.
        some: bool,
    },
    /// What came is not what should have come.
    There(FetchError),
    /// This host cannot write it.
    Here(DraftError),
    /// This host takes no more.
    Quota,
}

/// A file being taken.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) fetch: Fetch,
    pub(super) draft: Draft,
    /// What limits it, for files of others.
    pub(super) quota: Option<Arc<Quota>>,
    pub(super) count: Count,
    pub(super) done: Option<Fetched>,
}

impl Sink {
    /// Takes some bytes of the stream, on a thread for disks.
    fn feed(&mut self, mut input: &[u8]) -> Result<(), SinkError> {
        loop {
            // Before the next step, when all that has the hash is written.
            self.look()?;
            let step = match self.fetch.step(&mut input) {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(()),
                Err(error) => {
                    if self.is_in_vain(&error) {
                        self.draft.discard().map_err(SinkError::Here)?;
                    }
                    return Err(SinkError::There(error));
                }
            };
            if let Some(quota) = &self.quota {
                let fits = match &step {
                    // Told before it is sent in vain; what counts is what is written, and what was here already is
                    // written too if it has to be copied.
                    Step::Begin { size, offset, .. } => {
                        let copied = self.draft.copies(&step);
                        (size - offset).saturating_add(copied) <= quota.left() && quota.take(copied)
                    }
                    Step::Write(data) => quota.take(data.len() as u64),
                    Step::Copy { len, .. } => quota.take(*len),
                    Step::Done { .. } => true,
                };
                if !fits {
                    return Err(SinkError::Quota);
                }
            }
            if matches!(step, Step::Done { .. }) {
                self.trust(true)?;
            }
            if let Step::Copy { from, len } = step {
                let fetch = &mut self.fetch;
                self.draft.copy_old(from, len, |bytes| fetch.copied(bytes)).map_err(SinkError::Here)?;
            }
            let taken = self.draft.take(&step);
            self.done = self.unless_spoilt(taken)?.or(self.done);
            self.count.step(&step);
        }
    }

    /// Sees that the draft is still there.
    fn look(&mut self) -> Result<(), SinkError> {
        self.trust(false)
    }

    fn trust(&mut self, is_last: bool) -> Result<(), SinkError> {
        let trusted = self.draft.trust(is_last, || self.fetch.have());
        self.unless_spoilt(trusted)
    }

    /// Throws the draft away if nobody can go on with it.
    fn unless_spoilt<T>(&mut self, done: Result<T, DraftError>) -> Result<T, SinkError> {
        if self.is_of_others() && done.as_ref().is_err_and(Draft::is_spoilt) {
            self.draft.discard().map_err(SinkError::Here)?;
        }
        done.map_err(SinkError::Here)
    }

    /// Whether a peer brings it: nobody here comes back for it, and nobody else knows that it is there.
    fn is_of_others(&self) -> bool {
        self.quota.is_some()
    }

    /// Whether what has come is of no use after this.
    fn is_in_vain(&self, error: &FetchError) -> bool {
        match error {
            FetchError::WrongHash => true,
            FetchError::Fault(fault) => self.is_of_others() && fault.code == FaultCode::Changed,
            FetchError::Protocol(_) | FetchError::Cut { .. } => false,
        }
    }

    fn ended(&self) -> Result<Fetched, SinkError> {
        self.fetch.ended().map_err(SinkError::There)?;
        self.done.ok_or(SinkError::There(FetchError::Cut { at: 0, size: 0 }))
    }
}

type Written = (Sink, Vec<u8>, Result<(), SinkError>);

/// Nobody waits for a draft any more when this is dropped.
struct Waiter(Arc<AtomicBool>);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Takes a file out of the bytes `ahead` and, behind them, `recv`, until the stream ends, with two pieces of at most
/// `piece` bytes. Reads on while the disk is written to. `slow` is told, once, what a write waits for that takes longer
/// than [`WRITE_TOLD_AFTER`].
///
/// # Errors
/// See [`SinkError`]; silence for as long as `stall` is a failure of the stream.
pub(super) async fn drain(
    sink: Sink,
    ahead: &[u8],
    recv: &mut (impl AsyncRead + Unpin),
    stall: Option<Duration>,
    piece: usize,
    slow: impl FnOnce(String),
) -> Result<Fetched, SinkError> {
    let _waiter = Waiter(Arc::clone(&sink.draft.given_up));
    let (waits_for, mut slow) = (sink.draft.waits_for(), Some(slow));
    let failed = |error| SinkError::Stream { error, some: false };
    // For a small file, room for all of it and the messages around it.
    let room = usize::try_from(sink.count.planned).unwrap_or(0).saturating_add(ahead.len() + AROUND);
    let room = if sink.count.planned > 0 { room.min(piece) } else { piece }.max(ahead.len() + AROUND);
    let mut buf = vec![0; room];
    let mut len = ahead.len();
    buf[..len].copy_from_slice(ahead);
    let (mut idle, mut writing): (_, Option<JoinHandle<Written>>) = (Some((sink, Vec::new())), None);
    // When the first byte of what waits has come; how the stream has ended.
    let (mut since, mut ended) = ((len > 0).then(clock::now), None);
    let mut told_at = clock::ticks();
    let progress = idle.as_ref().map(|(sink, _)| Arc::clone(&sink.count.progress)).unwrap_or_default();
    // When more may be read; when the draft is looked at though nothing comes.
    let (mut free_at, mut look_at) = (told_at, told_at + LOOK_TIME);
    loop {
        let waited = since.map_or(Duration::ZERO, |since| clock::now().duration_since(since));
        let ripe = len >= WRITE_MIN
            || (len > 0 && len == buf.len())
            || (len > 0 && (ended.is_some() || waited >= WRITE_DELAY));
        if ripe && let Some((mut sink, mut spare)) = idle.take() {
            if spare.is_empty() && ended.is_none() {
                spare = vec![0; room];
            }
            let full = std::mem::replace(&mut buf, spare);
            let n = std::mem::take(&mut len);
            since = None;
            told_at = clock::ticks() + WRITE_TOLD_AFTER;
            writing = Some(spawn_blocking(move || {
                let fed = sink.feed(&full[..n]);
                (sink, full, fed)
            }));
        } else if look_at <= clock::ticks()
            && let Some((mut sink, spare)) = idle.take()
        {
            told_at = clock::ticks() + WRITE_TOLD_AFTER;
            writing = Some(spawn_blocking(move || {
                let looked = sink.look();
                (sink, spare, looked)
            }));
        }
        let written = async {
            match writing.as_mut() {
                Some(writing) => writing.await,
                None => std::future::pending().await,
            }
        };
        let is_free = free_at <= clock::ticks();
        let upto = if progress.limit.is_some() { buf.len().min(len + LIMITED_READ_MAX) } else { buf.len() };
        tokio::select! {
            biased;
            written = written => {
                writing = None;
                let (sink, spare, fed) = written.map_err(|error| failed(io::Error::other(error)))?;
                if fed.is_err() {
                    sink.count.take_back();
                }
                fed?;
                look_at = clock::ticks() + LOOK_TIME;
                idle = Some((sink, spare));
            }
            () = sleep_until(look_at), if idle.is_some() => {}
            () = sleep_until(free_at), if free_at > clock::ticks() => {}
            read = within(stall, recv.read(&mut buf[len..upto])), if is_free && ended.is_none() && len < upto => match read {
                Ok(0) => ended = Some(Ok(())),
                Ok(n) => {
                    len += n;
                    free_at = progress.limit.as_ref().map_or(free_at, |limit| limit.take(n));
                    since = since.or_else(|| Some(clock::now()));
                }
                Err(error) => ended = Some(Err(error)),
            },
            () = sleep(WRITE_DELAY.saturating_sub(waited)), if since.is_some() && idle.is_some() => {}
            () = sleep_until(told_at), if idle.is_none() && slow.is_some() => {
                if let Some(slow) = slow.take() {
                    slow(waits_for.clone());
                }
            }
        }
        if len == 0
            && let (Some((sink, _)), Some(how)) = (&idle, &mut ended)
        {
            let outcome = match (sink.ended(), std::mem::replace(how, Ok(()))) {
                (Ok(fetched), _) => Ok(fetched),
                // Why it was cut off is more interesting than that it was.
                (Err(SinkError::There(FetchError::Cut { at, .. })), Err(error)) => {
                    Err(SinkError::Stream { error, some: at > 0 })
                }
                (Err(error), _) => Err(error),
            };
            if outcome.is_err() {
                sink.count.take_back();
            }
            return outcome;
        }
    }
}

/// What an attempt has added to the progress.
#[derive(Debug, Default)]
pub(super) struct Count {
    progress: Arc<Progress>,
    planned: u64,
    bytes: u64,
    total: u64,
}

impl Count {
    /// For a file that was counted with `planned` bytes.
    pub(super) fn new(progress: &Arc<Progress>, planned: u64) -> Count {
        Count { progress: Arc::clone(progress), planned, bytes: 0, total: 0 }
    }

    fn step(&mut self, step: &Step<'_>) {
        match step {
            Step::Begin { size, offset, .. } => self.begin(*size, *offset),
            Step::Write(data) => self.moved(data.len() as u64),
            Step::Copy { len, .. } => self.add(*len),
            Step::Done { .. } => self.done(),
        }
    }

    /// A file of `size` bytes begins; the first `offset` need not move.
    pub(super) fn begin(&mut self, size: u64, offset: u64) {
        // The size was counted as it was known when the job was planned.
        self.total = size.saturating_sub(self.planned);
        Progress::add(&self.progress.bytes_total, self.total);
        self.add(offset);
    }

    /// Bytes that have come or gone.
    pub(super) fn moved(&mut self, bytes: u64) {
        Progress::add(&self.progress.moved, bytes);
        self.add(bytes);
    }

    /// Bytes that are in place.
    pub(super) fn add(&mut self, bytes: u64) {
        Progress::add(&self.progress.bytes, bytes);
        self.bytes += bytes;
    }

    /// The file is in place.
    pub(super) fn done(&self) {
        Progress::add(&self.progress.files, 1);
    }

    /// The attempt has failed.
    pub(super) fn take_back(&self) {
        Progress::sub(&self.progress.bytes, self.bytes);
        Progress::sub(&self.progress.bytes_total, self.total);
    }
}
