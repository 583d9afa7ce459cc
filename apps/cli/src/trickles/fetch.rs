//! Fetches files from servers that keep nothing: what `tng get` asks of a file service is translated, request by
//! request, to objects (docs/wire.md section 6.1). Files in the making, hashes and exit codes are so those
//! of `tng get`.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tng::trickles::{AskError, ClientConfig, ClientError, DialError, OBJECTS_MAX, ObjectError, ObjectOptions, Policy};
use tng::{Endpoint, Identity, ObjectReadError, ObjectStream, StatelessClient};
use tng_services::files::{
    Answer, DATA_MAX, Entry, Fault, FaultCode, Have, Kind, LEFT_OUT_MAX, LeftOut, Listed, Listing, ListingError, Look,
    MESSAGE_MAX, Meta, Request, SafePath,
};
use tng_services::stateless::{Asking, BadAsking, FAULT_BASE, PATH_TOO_LONG, What};
use tng_wire::{Reader, Repr};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::LISTING_LEN_MAX;
use super::listings::put;
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Opened, Opener, READ_MAX, fault_failure};
use crate::host::{bind_failure, observed};
use crate::location::Location;

/// How often a hash is asked for again that is not computed yet: each time the client itself has asked for a minute.
pub const HASH_TRIES_MAX: u32 = 60;
/// Requests that are answered at once, at most: more wait. Each asks for a file and its hash at most at the same time.
pub const ANSWERED_AT_ONCE_MAX: usize = OBJECTS_MAX / 2;
/// From here on codes are those of other applications than files.
const CODES_OF_OTHERS: u64 = PATH_TOO_LONG + 1;
/// The pause between two tries.
const HASH_PAUSE: Duration = Duration::from_secs(1);
/// Longest object that is told in one piece.
const TOLD_MAX: usize = 256;
/// Bytes that are reserved for an object that is told in one piece.
const TOLD_RESERVED: u64 = 1_024;

/// A server of files that keeps nothing. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stateless {
    client: StatelessClient,
    /// Where it is, for people.
    what: Arc<str>,
    /// So many more requests may be answered now.
    places: Arc<Semaphore>,
    /// Why it does not answer any more.
    ended: Arc<Mutex<Option<ClientError>>>,
}

/// Why a request is not answered to its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// This is said to who has asked.
    Fault(Fault),
    /// Nothing can be said: the client has ended, or nobody listens.
    Gone,
}

impl Stateless {
    /// A client of the servers of a location, which turns to them by this policy.
    ///
    /// # Errors
    /// If the location has no address, or the system gives no socket.
    pub async fn connect(
        identity: Identity,
        host: &Location,
        policy: Policy,
        config: ClientConfig,
    ) -> Result<Stateless, Failure> {
        let places: Vec<String> = host.places.iter().map(ToString::to_string).collect();
        let what = format!("connecting to {} at {}", host.eid, places.join(", "));
        let client = observed(Endpoint::builder().identity(identity))?.stateless(host.target().await?, policy, config);
        let client = client.map_err(bind_failure)?;
        let places = Arc::new(Semaphore::new(ANSWERED_AT_ONCE_MAX));
        Ok(Stateless { client, what: what.into(), places, ended: Arc::default() })
    }

    /// As [`connect`](Stateless::connect); waits for a first answer if there is a limit to the time for that, else the
    /// first request does.
    ///
    /// # Errors
    /// As `connect`; and if there is a limit, that nobody answers within it, or does not let this client in.
    pub async fn reach(
        identity: Identity,
        host: &Location,
        config: ClientConfig,
        time: TimeArgs,
    ) -> Result<Stateless, Failure> {
        let client = Stateless::connect(identity, host, Policy::Stay, config).await?;
        if time.limits_connecting() {
            time.connecting(async { if client.is_there().await? { Ok(()) } else { Err(client.why()) } }).await?;
        }
        Ok(client)
    }

    /// What asks for the objects.
    pub const fn client(&self) -> &StatelessClient {
        &self.client
    }

    /// Whether there is such a server at all: another says that it serves nobody so, or says nothing.
    ///
    /// # Errors
    /// If there is one that does not let this client in.
    pub async fn is_there(&self) -> Result<bool, Failure> {
        let _place = self.place().await;
        match self.about(&SafePath::root()).await {
            // Whatever it says of the folder.
            Ok(_) | Err(Stop::Fault(_)) => Ok(true),
            Err(Stop::Gone) if self.client.ended().as_ref().is_some_and(is_absence) => Ok(false),
            Err(Stop::Gone) => Err(self.why()),
        }
    }

    /// Waits until one more request may be answered.
    async fn place(&self) -> SemaphorePermit<'_> {
        self.places.acquire().await.expect("it is never closed")
    }

    /// Answers one request, as a file service would; `absent` is told if nobody is there to answer it.
    async fn answer(
        self,
        mut recv: ReadHalf<DuplexStream>,
        mut send: WriteHalf<DuplexStream>,
        absent: Arc<OnceLock<ClientError>>,
    ) {
        let mut request = Vec::new();
        let most = MESSAGE_MAX as u64 + 16;
        if (&mut recv).take(most).read_to_end(&mut request).await.is_err() {
            return;
        }
        let _place = self.place().await;
        let done = match Request::parse(&mut Reader::new(&request)) {
            Ok(Request::Get { path, have, .. }) => self.get(path, have, &mut send).await,
            Ok(Request::List { path, look: Look { follow: false, shallow: false } }) => {
                self.list(path, &mut send).await
            }
            Ok(Request::List { .. }) => {
                let why = "a server without state follows no links in what it lists";
                Err(Stop::Fault(Fault::new(FaultCode::NotAllowed, why)))
            }
            _ => Err(Stop::Fault(Fault::new(FaultCode::NotAllowed, "a server without state takes no files"))),
        };
        let done = match done {
            Err(Stop::Fault(fault)) => say(&Answer::Fault(fault), &mut send).await,
            done => done,
        };
        if done.is_ok() {
            let _ = send.shutdown().await;
        } else if let Some(error) = self.client.ended().filter(is_absence) {
            _ = absent.set(error);
        }
    }

    async fn get(&self, path: SafePath, have: Option<Have>, send: &mut (impl AsyncWrite + Unpin)) -> Result<(), Stop> {
        let (size, meta) = self.about(&path).await?;
        let hash = self.ask_file(What::Hash, 0, &path, told())?;
        let offset = match have {
            Some(have) if have.len.get() <= size => match self.hash(&path, have.len.get(), None).await? {
                hash if hash == have.hash => have.len.get(),
                _ => 0,
            },
            _ => 0,
        };
        say(&Answer::File { size, offset, meta }, send).await?;
        if offset < size {
            let mut file = self.bytes(&path, size, offset..size, ObjectOptions::default().buffer)?;
            let (mut left, mut piece) = (size - offset, vec![0; DATA_MAX]);
            while left > 0 {
                let len = match self.heard(file.read(&mut piece).await)? {
                    0 => return Err(Stop::Fault(Fault::new(FaultCode::Changed, "it has become shorter"))),
                    len => left.min(len as u64) as usize,
                };
                let mut head = [0; Answer::DATA_HEAD_MAX];
                send.write_all(Answer::data_head(len, &mut head)).await?;
                send.write_all(&piece[..len]).await?;
                left -= len as u64;
            }
        }
        let hash = self.hash(&path, 0, Some(hash)).await?;
        say(&Answer::End { hash }, send).await
    }

    /// What is in a folder, not in the folders in it.
    pub(super) async fn folder(&self, path: &SafePath) -> Result<Listed, Stop> {
        let mut object = self.ask_file(What::Listing, 0, path, ObjectOptions::default())?;
        let (mut listing, mut piece, mut len) = (Listing::new(), vec![0; READ_MAX], 0);
        loop {
            let n = self.heard(object.read(&mut piece).await)?;
            len += n;
            if n == 0 {
                return listing.ended().map_err(unlisted);
            }
            if len > LISTING_LEN_MAX + MESSAGE_MAX {
                return Err(malformed("a listing is longer than it may be"));
            }
            listing.take(&piece[..n]).map_err(unlisted)?;
        }
    }

    /// Everything below a folder, each folder before what is in it.
    async fn list(&self, path: SafePath, send: &mut (impl AsyncWrite + Unpin)) -> Result<(), Stop> {
        let (mut folders, mut entries, mut skipped, mut named) = (vec![SafePath::root()], 0, 0, 0);
        let mut folder = Meta::default();
        while let Some(below) = folders.pop() {
            let whole = joined(&path, &below)?;
            let listed = self.folder(&whole).await?;
            skipped += listed.skipped;
            if below.is_root() {
                folder = listed.folder;
            }
            for left in listed.left_out {
                named += 1;
                if named <= LEFT_OUT_MAX {
                    let place = [below.as_str(), left.path().exact()].join(if below.is_root() { "" } else { "/" });
                    say(&Answer::LeftOut(LeftOut::new(left.why, &place)), send).await?;
                }
            }
            let first = folders.len();
            for entry in listed.entries {
                let path = joined(&below, &entry.path)?;
                if entry.kind == Kind::Folder {
                    folders.push(path.clone());
                }
                entries += 1;
                say(&Answer::Entry(Entry { path, ..entry }), send).await?;
            }
            // The first comes first.
            folders[first..].reverse();
        }
        say(&Answer::Listed { entries, skipped, folder }, send).await
    }

    /// Bytes of a file of `size` bytes; at most `buffer` of them wait to be read.
    pub(super) fn bytes(
        &self,
        path: &SafePath,
        size: u64,
        range: Range<u64>,
        buffer: u64,
    ) -> Result<ObjectStream, Stop> {
        let (from, until) = (range.start, Some(range.end));
        let options = ObjectOptions { reserve: size + 1, buffer, from, until, ..ObjectOptions::default() };
        self.ask_file(What::File, from, path, options)
    }

    /// The size of a file, and what else is known of it.
    pub(super) async fn about(&self, path: &SafePath) -> Result<(u64, Meta), Stop> {
        let mut object = self.ask_file(What::About, 0, path, told())?;
        let text = self.text(&mut object).await?;
        match Answer::parse(&mut Reader::new(&text)) {
            Ok(Answer::File { size, meta, .. }) => Ok((size, meta)),
            _ => Err(malformed("what is told about a file is not")),
        }
    }

    /// The hash of the first `len` bytes of a file, of all if that is 0; `asked` if it has been asked for. A server
    /// takes its time for a large file.
    async fn hash(&self, path: &SafePath, len: u64, asked: Option<ObjectStream>) -> Result<[u8; 32], Stop> {
        let mut asked = asked;
        for _ in 0..HASH_TRIES_MAX {
            let mut object = match asked.take() {
                Some(object) => object,
                None => self.ask_file(What::Hash, len, path, told())?,
            };
            let text = match read_all(&mut object).await {
                Err(ObjectReadError::Object(ObjectError::Busy)) => {
                    tokio::time::sleep(HASH_PAUSE).await;
                    continue;
                }
                read => self.heard(read)?,
            };
            let mut reader = Reader::new(&text);
            return match (Answer::parse(&mut reader), Answer::parse(&mut reader)) {
                (Ok(Answer::File { .. }), Ok(Answer::End { hash })) => Ok(hash),
                _ => Err(malformed("what is told of a hash is not one")),
            };
        }
        Err(Stop::Fault(Fault::new(FaultCode::Busy, "the server does not come to hash it")))
    }

    async fn text(&self, object: &mut ObjectStream) -> Result<Vec<u8>, Stop> {
        let read = read_all(object).await;
        self.heard(read)
    }

    fn ask_file(&self, what: What, start: u64, path: &SafePath, options: ObjectOptions) -> Result<ObjectStream, Stop> {
        let asking = Asking { what, start, path: path.clone() };
        let bytes =
            asking.to_bytes().map_err(|bad| Stop::Fault(Fault::new(FaultCode::BadRequest, &bad.to_string())))?;
        self.client.ask(bytes, options).map_err(|error| match error {
            AskError::TooMany => Stop::Fault(Fault::new(FaultCode::Busy, &error.to_string())),
            AskError::Ended => self.gone(self.client.ended()),
        })
    }

    /// What an object brought, or what that means for who has asked.
    pub(super) fn heard<T>(&self, read: Result<T, ObjectReadError>) -> Result<T, Stop> {
        read.map_err(|error| match error {
            ObjectReadError::Object(error) => Stop::Fault(fault(error)),
            ObjectReadError::Client(error) => self.gone(Some(error)),
            ObjectReadError::Stopped => self.gone(None),
        })
    }

    fn gone(&self, error: Option<ClientError>) -> Stop {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = error;
        Stop::Gone
    }

    /// Asks the server's application for an object by these bytes; `what` is what is done, for people. A client that
    /// has ended meanwhile says why.
    ///
    /// # Errors
    /// If nothing can be asked for.
    pub(super) fn ask(&self, what: &str, bytes: Vec<u8>) -> Result<ObjectStream, Failure> {
        self.client.ask(bytes, ObjectOptions::default()).map_err(|error| match error {
            AskError::Ended => {
                self.gone(self.client.ended());
                self.why()
            }
            AskError::TooMany => Failure::new(Exit::Connect, what, error),
        })
    }

    /// What an object's error means for who has asked for it.
    pub(super) fn failure(&self, what: String, error: ObjectReadError) -> Failure {
        match error {
            ObjectReadError::Object(ObjectError::Application { code, text }) if code >= CODES_OF_OTHERS => {
                Failure::new(Exit::Denied, what, text)
            }
            ObjectReadError::Object(error) => match fault_failure(what, &fault(error)) {
                // There are no listings to look at.
                failure if failure.exit == Exit::NotFound => failure.or_try(""),
                failure => failure,
            },
            ObjectReadError::Client(error) => {
                self.gone(Some(error));
                self.why()
            }
            ObjectReadError::Stopped => self.why(),
        }
    }

    /// Why nobody answers.
    pub fn why(&self) -> Failure {
        let known = self.known_why();
        known.unwrap_or_else(|| Failure::new(Exit::Connect, &*self.what, "the client has ended"))
    }

    /// The same, if it is known.
    fn known_why(&self) -> Option<Failure> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let what = self.what.to_string();
        Some(match &ended {
            ClientError::Dial(error) => dial_failure(what, error),
            ClientError::Call(_) => Failure::new(Exit::Usage, what, &ended),
            ClientError::Silence | ClientError::Closed => Failure::told(Exit::Connect, what, &ended),
        })
    }
}

/// Why a server grants no connection.
pub fn dial_failure(what: String, error: &DialError) -> Failure {
    match error {
        DialError::Refused(_) => Failure::new(Exit::Denied, what, error)
            .or_try("a new ticket, or have the server run with --allow and the EID that `tng id` prints"),
        DialError::SealsDiffer { plain_here } => Failure::told(Exit::Denied, what, error).or_try(match plain_here {
            true => "without --danger-plain here, or, on a wire that is trusted, with it at the server as well",
            false => "with --danger-plain here as well, if the wire is trusted, or without it at the server",
        }),
        DialError::WrongKey(_) => Failure::told(Exit::WrongPeer, what, error),
        _ => Failure::told(Exit::Connect, what, error),
    }
}

/// What is read of a server's answer. Its end is an error if nobody is there to answer.
#[derive(Debug)]
pub struct Answered {
    recv: ReadHalf<DuplexStream>,
    absent: Arc<OnceLock<ClientError>>,
}

impl AsyncRead for Answered {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.recv).poll_read(cx, buf))?;
        match self.absent.get() {
            Some(error) if buf.filled().len() == before => Poll::Ready(Err(io::Error::other(error.clone()))),
            _ => Poll::Ready(Ok(())),
        }
    }
}

/// Whether a client ended because nobody answers as a Trickles server does.
pub fn is_absence(error: &ClientError) -> bool {
    matches!(error, ClientError::Dial(DialError::Unserved | DialError::Silence) | ClientError::Silence)
}

impl Opener for Stateless {
    type Send = WriteHalf<DuplexStream>;
    type Recv = Answered;

    fn takes_blocks(&self) -> bool {
        false
    }

    async fn open(&self) -> Result<Opened<Stateless>, Failure> {
        let (here, there) = duplex(READ_MAX);
        let ((recv, send), (asked, answer)) = (split(here), split(there));
        let absent = Arc::new(OnceLock::new());
        let recv = Answered { recv, absent: Arc::clone(&absent) };
        tokio::spawn(self.clone().answer(asked, answer, absent));
        Ok(Opened { send, recv, asking: Box::new(|_| {}), sending: Box::new(|_| {}) })
    }

    async fn renew(&self, failure: Failure) -> Result<(), Failure> {
        Err(self.explain(failure).await)
    }

    async fn explain(&self, failure: Failure) -> Failure {
        match self.known_why() {
            // What arrived is kept.
            Some(why) if failure.exit == Exit::Partial && self.client.stats().connections > 0 => {
                Failure { why: why.why, ..failure }
            }
            Some(why) => why,
            None => failure,
        }
    }
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::Gone
    }
}

/// For an object that is told in one piece.
fn told() -> ObjectOptions {
    ObjectOptions { reserve: TOLD_RESERVED, ..ObjectOptions::default() }
}

async fn read_all(object: &mut ObjectStream) -> Result<Vec<u8>, ObjectReadError> {
    let (mut all, mut piece) = (Vec::new(), [0; TOLD_MAX]);
    while all.len() < TOLD_MAX {
        match object.read(&mut piece).await? {
            0 => break,
            n => all.extend_from_slice(&piece[..n]),
        }
    }
    Ok(all)
}

/// What an object's error is called where files are asked for.
fn fault(error: ObjectError) -> Fault {
    match error {
        ObjectError::Application { code: PATH_TOO_LONG, .. } => {
            Fault::new(FaultCode::BadRequest, &BadAsking::TooLong.to_string())
        }
        // Not a matter of files: an image that takes no mark.
        ObjectError::Application { code, text } if code >= CODES_OF_OTHERS => Fault::new(FaultCode::NotAllowed, &text),
        ObjectError::Application { code, text } => {
            let code = FaultCode::from_u64(code.saturating_sub(FAULT_BASE));
            // The text says the kind, too.
            let kind = Fault::new(code, "").to_string();
            let reason = text.strip_prefix(&kind).map_or(&text[..], |rest| rest.trim_start_matches(": "));
            Fault::new(code, reason)
        }
        ObjectError::Busy | ObjectError::Puzzle(_) => Fault::new(FaultCode::Busy, &error.to_string()),
        error => Fault::new(FaultCode::Other, &error.to_string()),
    }
}

fn unlisted(error: ListingError) -> Stop {
    match error {
        ListingError::Fault(fault) => Stop::Fault(fault),
        error => malformed(&error.to_string()),
    }
}

fn malformed(why: &str) -> Stop {
    Stop::Fault(Fault::new(FaultCode::Other, why))
}

fn joined(above: &SafePath, below: &SafePath) -> Result<SafePath, Stop> {
    let names = below.as_str().split('/').filter(|name| !name.is_empty());
    let joined = names.into_iter().try_fold(above.clone(), |path, name| path.child(name));
    joined.map_err(|error| Stop::Fault(Fault::new(FaultCode::BadRequest, &error.to_string())))
}

async fn say(answer: &Answer, send: &mut (impl AsyncWrite + Unpin)) -> Result<(), Stop> {
    let mut bytes = Vec::new();
    put(answer, &mut bytes);
    Ok(send.write_all(&bytes).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_matter_of_files_is_told_in_the_words_of_the_server_and_denied() {
        let text = "it is damaged: no end; put a whole copy in its place".to_owned();
        let failure = fault_failure("fetching a.jpg".to_owned(), &fault(ObjectError::Application { code: 119, text }));
        assert!(failure.exit == Exit::Denied && !failure.remedy.is_empty(), "{failure}");
        assert!(failure.why.contains("it is damaged: no end"), "{failure}");
    }

    #[test]
    fn why_there_is_no_connection_is_told_once_and_so_is_what_to_try() {
        let silent = dial_failure("connecting".to_owned(), &DialError::Silence);
        let told = "connecting: no answer in time\n  try: check the address, that the server runs, and that UDP passes";
        assert_eq!((silent.exit, silent.to_string()), (Exit::Connect, told.to_owned()));
        let eid = tng::Identity::from_seed([1; 32]).eid();
        for (error, exit, remedy) in [
            (DialError::WrongKey(eid), Exit::WrongPeer, "ask for a new ticket"),
            (DialError::SealsDiffer { plain_here: true }, Exit::Denied, "without --danger-plain here"),
            (DialError::Unserved, Exit::Connect, "connect by structured streams"),
            (DialError::Version(vec![7]), Exit::Connect, "update one of the two"),
        ] {
            let failure = dial_failure("connecting".to_owned(), &error);
            assert!(failure.exit == exit && failure.remedy.contains(remedy), "{failure}");
            assert!(!failure.why.contains("; "), "{failure}");
        }
    }
}
