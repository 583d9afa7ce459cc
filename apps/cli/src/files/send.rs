//! The sending side of a PUT.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tng_services::files::{
    Answer, BLOCKS_FILE_MIN, Decoder, Fault, FaultCode, Have, Index, Kind, Meta, Over, Piece, Request, SafePath,
    Stored, Terms,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::fetch::{fault_failure, persist, shown};
use super::hashing::Hasher;
use super::sink::Count;
use super::source::{Source, opened, pour, write};
use super::{
    Dial, Errand, Fetched, Known, LIMITED_READ_MAX, Lanes, LinkJob, Opened, Opener, Outcome, PIECE_MAX, Root,
    SMALL_MAX, SameJob, Spool, Standing, is_fatal, put, run_all,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::peer::stream_failure;
use crate::talk::{Progress, text_of};

/// A file of this host to be sent.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// Where its bytes are.
    pub from: Origin,
    /// Its place on the server.
    pub to: SafePath,
    /// What was known of it when it was looked at.
    pub known: Known,
    /// Where that is, for people.
    pub shown: PathBuf,
    /// What the server has there, if it was asked for that: a file, or something else.
    pub there: Option<There>,
}

/// Where the bytes of a file are that is sent.
#[derive(Clone, Debug)]
pub enum Origin {
    /// In a folder, at a path.
    Folder(Arc<Root>, SafePath),
    /// They have come on stdin.
    Stdin(Arc<Spool>),
}

impl Origin {
    fn open(&self) -> Result<File, Fault> {
        match self {
            Origin::Folder(root, path) => root.file(path),
            Origin::Stdin(spool) => spool.open(),
        }
    }
}

/// What a server has in the place of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum There {
    /// A file.
    File(Known),
    /// Something else.
    Else,
}

/// How files are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sending {
    /// What is done about others that are there.
    pub over: Over,
    /// Those that are there are compared by their bytes, and not by size and time.
    pub checksum: bool,
}

/// Permissions that servers have for all files that they take.
const SERVERS_MIN: u16 = 0o600;

impl Parcel {
    /// What stands where it goes, as far as is known.
    pub fn standing(&self, Sending { over, checksum }: Sending) -> Standing {
        let there = match self.there {
            None => return Standing::Nothing,
            Some(There::Else) if over == Over::Keep => return Standing::Kept,
            Some(There::Else) => return Standing::Other { surely: true },
            Some(There::File(there)) => there,
        };
        let mode = |meta: Meta| meta.mode.map(|mode| (mode | SERVERS_MIN) & 0o777);
        match Standing::of(self.known, there, over, checksum) {
            // Its mode is another.
            Standing::Unchanged if over.may_replace() && mode(self.known.meta) != mode(there.meta) => {
                Standing::Other { surely: false }
            }
            standing => standing,
        }
    }
}

impl Errand for Parcel {
    fn path(&self) -> &SafePath {
        &self.to
    }

    fn here(&self) -> String {
        text_of(&self.shown)
    }

    fn size(&self) -> u64 {
        self.known.size
    }
}

/// Sends many files; see [`run_all`].
///
/// # Errors
/// The first failure, if there was one.
pub async fn send_all(
    opener: &impl Opener,
    parcels: Vec<Parcel>,
    sending: Sending,
    lanes: Lanes,
    progress: &Arc<Progress>,
    each: impl FnMut(&Parcel, &Result<Fetched, Failure>),
) -> Result<(), Failure> {
    let work = |parcel: Parcel, dial: Arc<Dial>| {
        let (opener, progress) = (opener.clone(), Arc::clone(progress));
        async move {
            let ended = send(&opener, &parcel, sending, &dial, &progress).await;
            (parcel, ended)
        }
    };
    run_all(parcels, lanes.under(progress.limit.as_ref()), work, each).await
}

/// Folders, or links, that a server is asked to make at the same time.
pub const ASKED_MAX: usize = 32;

/// Has the server make folders, each after the one that it is in. One that is there already is given its time alone.
///
/// # Errors
/// The first failure, if there was one. The others are made as far as they can be.
pub async fn make_all(opener: &impl Opener, folders: &[(SafePath, Meta)]) -> Result<(), Failure> {
    let depth = |path: &SafePath| path.as_str().matches('/').count();
    let mut folders = folders.to_vec();
    folders.sort_by_key(|(path, _)| depth(path));
    let mut first = Ok(());
    for level in folders.chunk_by(|(a, _), (b, _)| depth(a) == depth(b)) {
        let requests = level.iter().cloned().map(|(path, meta)| Request::Make { path, meta });
        let asked = ask_all(opener, requests.collect(), |_, _| {}).await;
        if asked.as_ref().is_err_and(is_fatal) {
            return asked;
        }
        first = first.and(asked);
    }
    first
}

/// Has the server make links; `each` is told what became of each.
///
/// # Errors
/// The first failure, if there was one. The others are made as far as they can be.
pub async fn link_all(
    opener: &impl Opener,
    links: &[LinkJob],
    over: Over,
    mut each: impl FnMut(&LinkJob, &Result<Stored, Failure>),
) -> Result<(), Failure> {
    let request = |LinkJob { path, target, meta }: LinkJob| Request::Link { path, target, meta, over };
    let requests = links.iter().cloned().map(request).collect();
    ask_all(opener, requests, |which, asked| each(&links[which], asked)).await
}

/// Has the server give files that it has further names; `each` is told what became of each.
///
/// # Errors
/// The first failure, if there was one. The others are made as far as they can be.
pub async fn same_all(
    opener: &impl Opener,
    same: &[SameJob],
    over: Over,
    mut each: impl FnMut(usize, &Result<Stored, Failure>),
) -> Result<(), Failure> {
    let request = |SameJob { path, of }: SameJob| Request::Same { path, of, over };
    let requests = same.iter().cloned().map(request).collect();
    ask_all(opener, requests, |which, asked| each(which, asked)).await
}

/// Has the server remove things: first all that are no folders, then the folders, each after what is in it. One in
/// which something is left stays. `each` is told of what is gone.
///
/// # Errors
/// The first failure, if there was one. The others are removed as far as they can be.
pub async fn remove_all(
    opener: &impl Opener,
    extra: &[(SafePath, Kind)],
    mut each: impl FnMut(&SafePath),
) -> Result<(), Failure> {
    let depth = |(path, kind): &(SafePath, Kind)| match kind {
        Kind::Folder => Some(std::cmp::Reverse(path.as_str().matches('/').count())),
        _ => None,
    };
    let mut extra = extra.to_vec();
    extra.sort_by_key(depth);
    let mut first = Ok(());
    for level in extra.chunk_by(|a, b| depth(a) == depth(b)) {
        let request =
            |(path, kind): &(SafePath, Kind)| Request::Remove { path: path.clone(), is_folder: *kind == Kind::Folder };
        let told = |which: usize, asked: &Result<Stored, Failure>| {
            if matches!(asked, Ok(Stored::New)) {
                each(&level[which].0);
            }
        };
        let asked = ask_all(opener, level.iter().map(request).collect(), told).await;
        if asked.as_ref().is_err_and(is_fatal) {
            return asked;
        }
        first = first.and(asked);
    }
    first
}

/// Asks for what is answered by STORED, [`ASKED_MAX`] at a time.
async fn ask_all(
    opener: &impl Opener,
    requests: Vec<Request>,
    mut each: impl FnMut(usize, &Result<Stored, Failure>),
) -> Result<(), Failure> {
    let (mut requests, mut asking) = (requests.into_iter().enumerate(), JoinSet::new());
    let mut first = Ok(());
    loop {
        for (which, request) in requests.by_ref().take(ASKED_MAX - asking.len()) {
            let opener = opener.clone();
            asking.spawn(async move { (which, ask(&opener, &request).await) });
        }
        let Some(asked) = asking.join_next().await else { return first };
        let (which, asked) = asked.map_err(|error| Failure::new(Exit::Send, "asking the server", error))?;
        each(which, &asked);
        match asked {
            Err(failure) if is_fatal(&failure) => return Err(failure),
            asked => first = first.and(asked.map(drop)),
        }
    }
}

/// Has the server make a folder.
///
/// # Errors
/// If the stream fails or the server refuses.
pub async fn make(opener: &impl Opener, path: &SafePath, meta: Meta) -> Result<(), Failure> {
    ask(opener, &Request::Make { path: path.clone(), meta }).await.map(drop)
}

/// Asks for what is answered by STORED.
async fn ask(opener: &impl Opener, request: &Request) -> Result<Stored, Failure> {
    persist(opener, || async move {
        let what = || match request {
            Request::Link { path, .. } | Request::Same { path, .. } => format!("making the link {}", shown(path)),
            Request::Make { path, .. } => format!("making the folder {}", shown(path)),
            Request::Remove { path, .. } => format!("removing {}", shown(path)),
            Request::List { path, .. } | Request::Get { path, .. } | Request::Put { path, .. } => shown(path),
        };
        let Opened { mut send, mut recv, .. } = opener.open().await?;
        let mut bytes = Vec::new();
        put(request, &mut bytes);
        let asked = async {
            send.write_all(&bytes).await?;
            send.shutdown().await
        };
        let asked = asked.await;
        let answered = Replies::new(&mut recv).next().await;
        match answered.map_err(|error| stream_failure(&what(), &asked.err().unwrap_or(error), Exit::Receive))? {
            Answer::Stored(stored) => Ok(stored),
            Answer::Fault(fault) => Err(fault_failure(what(), &fault)),
            _ => Err(out_of_turn(what())),
        }
    })
    .await
}

async fn send(
    opener: &impl Opener,
    parcel: &Parcel,
    sending: Sending,
    dial: &Dial,
    progress: &Arc<Progress>,
) -> Result<Fetched, Failure> {
    let may_be_same = match parcel.standing(sending) {
        Standing::Unchanged => return Ok(settled(parcel, Outcome::Unchanged, progress)),
        Standing::Kept => return Ok(settled(parcel, Outcome::Kept, progress)),
        Standing::Other { surely: true } if sending.over == Over::Refuse => {
            return Err(fault_failure(sending_of(parcel), &Fault::new(FaultCode::Exists, "")));
        }
        Standing::Other { surely } => !surely,
        Standing::Nothing => false,
    };
    // To hear first what the server has costs a round trip, and saves what it has.
    let mut resume = parcel.known.size > SMALL_MAX || may_be_same;
    let mut blocks = opener.takes_blocks() && sending.over.may_replace() && parcel.known.size >= BLOCKS_FILE_MIN;
    loop {
        let sent = persist(opener, || {
            let terms = Terms { resume: std::mem::replace(&mut resume, true), blocks, over: sending.over };
            attempt(opener, parcel, terms, dial, progress)
        });
        match sent.await? {
            Some(sent) => return Ok(sent),
            None => blocks = false,
        }
    }
}

fn sending_of(parcel: &Parcel) -> String {
    format!("sending {}", shown(&parcel.to))
}

/// A file that need not be sent.
fn settled(parcel: &Parcel, outcome: Outcome, progress: &Arc<Progress>) -> Fetched {
    let size = parcel.known.size;
    let mut count = Count::new(progress, size);
    count.begin(size, size);
    count.done();
    Fetched { outcome, size, moved: 0, copied: 0, discarded: 0, hash: None }
}

/// `None`: what the server had did not fit, so it is sent once more without.
async fn attempt(
    opener: &impl Opener,
    parcel: &Parcel,
    terms: Terms,
    dial: &Dial,
    progress: &Arc<Progress>,
) -> Result<Option<Fetched>, Failure> {
    let what = || sending_of(parcel);
    let failed = |error: &io::Error| stream_failure(&what(), error, Exit::Send);
    let Opened { mut send, mut recv, sending, .. } = opener.open().await?;
    dial.attach(sending);
    let mut message = Vec::new();
    put(&Request::Put { path: parcel.to.clone(), terms }, &mut message);
    let mut replies = Replies::new(&mut recv);
    let mut index = Index::new();
    let have = if terms.resume {
        // A server that refuses at once stops this too, and says why.
        let asked = write(&mut send, &message, None).await;
        message.clear();
        loop {
            match replies.next().await {
                Ok(Answer::Blocks(blocks)) if terms.blocks => {
                    index.take(&blocks, true).map_err(|error| Failure::new(Exit::Protocol, what(), error))?;
                }
                Ok(Answer::Have(have)) => break have,
                Ok(Answer::Stored(Stored::Kept)) => return Ok(Some(settled(parcel, Outcome::Kept, progress))),
                Ok(Answer::Fault(fault)) => return Err(fault_failure(what(), &fault)),
                Ok(_) => return Err(out_of_turn(what())),
                Err(error) => return Err(failed(&asked.err().unwrap_or(error))),
            }
        }
    } else {
        None
    };
    let from = parcel.from.clone();
    let by_blocks = !index.is_empty();
    let opening = opened(move || from.open(), have, Some(index), Hasher::Own);
    let (source, piece) = opening.await.map_err(|fault| unreadable(what(), &fault))?;
    let mut count = Count::new(progress, parcel.known.size);
    let (size, kept) = (source.size(), have.map_or(0, |have| have.len.get()).min(source.offset()));
    count.begin(size, kept);
    message.extend_from_slice(&piece);
    let limit = progress.limit.as_ref();
    let piece_max = if limit.is_some() { LIMITED_READ_MAX } else { PIECE_MAX };
    let (answer, source) = {
        let delivered = async {
            let source =
                pour((source, message), Hasher::Own, &mut send, None, || piece_max, |n| count.moved(n), limit).await?;
            send.shutdown().await?;
            Ok::<Source, io::Error>(source)
        };
        let mut delivered = std::pin::pin!(delivered);
        let mut source = None;
        let answer = loop {
            tokio::select! {
                biased;
                answer = replies.next() => break answer,
                // When sending fails because the server wants no more, it has said why, or will.
                ended = &mut delivered, if source.is_none() => source = Some(ended),
            }
        };
        if matches!(answer, Ok(Answer::Stored(Stored::New | Stored::Unchanged))) && source.is_none() {
            source = Some(delivered.await);
        }
        (answer, source)
    };
    let local = source.as_ref().and_then(|ended| ended.as_ref().ok()).and_then(Source::outcome).cloned();
    if let Ok(Answer::Stored(Stored::Kept)) = answer {
        count.take_back();
        return Ok(Some(settled(parcel, Outcome::Kept, progress)));
    }
    let copied = source.as_ref().and_then(|ended| ended.as_ref().ok()).map_or(0, Source::copied);
    let ended = match (answer, local) {
        (_, Some(Err(fault))) => Err(unreadable(what(), &fault)),
        (Ok(Answer::Stored(stored)), Some(Ok(hash))) => {
            let outcome = match kept {
                _ if stored == Stored::Unchanged => Outcome::Unchanged,
                0 => Outcome::Fetched,
                _ => Outcome::Resumed,
            };
            let discarded = have.map_or(0, |have: Have| have.len.get()).saturating_sub(kept);
            count.add(copied);
            Ok(Some(Fetched { outcome, size, moved: size - kept - copied, copied, discarded, hash: Some(hash) }))
        }
        (Ok(Answer::Fault(fault)), _) if by_blocks && fault.code == FaultCode::WrongHash => Ok(None),
        (Ok(Answer::Fault(fault)), _) => Err(fault_failure(what(), &fault)),
        (Ok(_), _) => Err(out_of_turn(what())),
        (Err(error), _) => Err(failed(&source.and_then(Result::err).unwrap_or(error))),
    };
    match &ended {
        Ok(Some(_)) => count.done(),
        Ok(None) | Err(_) => count.take_back(),
    }
    ended
}

fn out_of_turn(what: String) -> Failure {
    Failure::new(Exit::Protocol, what, "the server does not keep to the protocol: a message came out of turn")
}

/// A file of this host that cannot be read, or that changes while it is read.
fn unreadable(what: String, fault: &Fault) -> Failure {
    match fault.code {
        FaultCode::Changed => Failure::new(Exit::Partial, what, fault).or_try("send it again when it is at rest"),
        _ => Failure::new(Exit::Read, what, fault),
    }
}

/// What the server says.
struct Replies<'a, R> {
    recv: &'a mut R,
    decoder: Decoder,
    buf: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Replies<'_, R> {
    fn new(recv: &mut R) -> Replies<'_, R> {
        Replies { recv, decoder: Decoder::new(), buf: Vec::with_capacity(512) }
    }

    /// The next message. Nothing that has arrived is lost if this is dropped before it is ready.
    async fn next(&mut self) -> io::Result<Answer> {
        loop {
            let mut input = &self.buf[..];
            let piece = self.decoder.next(&mut input).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            let answer = match piece {
                Some(Piece::Answer(answer)) => Some(answer),
                Some(Piece::Data(_)) => return Err(io::ErrorKind::InvalidData.into()),
                None => None,
            };
            let left = input.len();
            self.buf.drain(..self.buf.len() - left);
            if let Some(answer) = answer {
                return Ok(answer);
            }
            if self.recv.read_buf(&mut self.buf).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}
