//! The serving side: one request, one answer.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;
use tng_services::files::{Answer, DATA_MAX, Fault, FaultCode, Fragment, Have, Request, SafePath, Supply};
use tng_wire::{Reader, Repr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use super::root::{fault, modified_ms};
use super::{FRAME_MAX, PIECES_MAX, Root, put};

/// A listing is sent in pieces of about this many bytes.
const LISTING_PIECE: usize = 16 * 1024;

/// What was given, for the server's own record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// What was asked for.
    pub kind: GivenKind,
    /// Of which path.
    pub path: SafePath,
    /// Bytes of the file, or entries, that were sent.
    pub sent: u64,
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
    /// Something that made no sense.
    Nonsense,
}

/// The stream failed.
#[derive(Debug, thiserror::Error)]
pub enum GiveError {
    /// While the request was read.
    #[error("the request did not arrive: {0}")]
    Receive(io::Error),
    /// While the answer was written.
    #[error("the answer was not taken: {0}")]
    Send(io::Error),
}

/// Reads one request from `recv`, answers it on `send`, and finishes `send`.
///
/// # Errors
/// If the stream fails. What is wrong with the request or the file goes to the peer and into [`Given`].
pub async fn answer<R, W>(root: Arc<Root>, recv: R, mut send: W) -> Result<Given, GiveError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut bytes = Vec::new();
    recv.take(FRAME_MAX as u64 + 1).read_to_end(&mut bytes).await.map_err(GiveError::Receive)?;
    let mut reader = Reader::new(&bytes);
    let request = Request::parse(&mut reader).ok().filter(|_| reader.is_empty());

    let (pieces, mut queue) = mpsc::channel(PIECES_MAX);
    let making = tokio::task::spawn_blocking(move || make(&root, request, &Out { pieces, sent: 0.into() }));
    while let Some(piece) = queue.recv().await {
        send.write_all(&piece).await.map_err(GiveError::Send)?;
    }
    let given = making.await.map_err(|error| GiveError::Send(io::Error::other(error)))?;
    send.shutdown().await.map_err(GiveError::Send)?;
    Ok(given)
}

/// Where the answer goes, on the way from the disk to the stream.
struct Out {
    pieces: mpsc::Sender<Bytes>,
    sent: std::cell::Cell<u64>,
}

impl Out {
    fn piece(&self, piece: impl Into<Bytes>) -> Result<(), Fault> {
        self.pieces.blocking_send(piece.into()).map_err(|_| Fault::new(FaultCode::Io, "the peer went away"))
    }

    fn message(&self, answer: &Answer) -> Result<(), Fault> {
        let mut piece = Vec::new();
        put(answer, &mut piece);
        self.piece(piece)
    }

    fn count(&self, sent: u64) {
        self.sent.set(self.sent.get() + sent);
    }
}

fn make(root: &Root, request: Option<Request>, out: &Out) -> Given {
    let (kind, path, made) = match request {
        Some(Request::List { path }) => {
            let made = list(root, &path, out);
            (GivenKind::List, path, made)
        }
        Some(Request::Get { path, have }) => {
            let made = get(root, &path, have, out);
            (GivenKind::Get, path, made)
        }
        None => {
            let why =
                Fault::new(FaultCode::BadRequest, "a request is a LIST or a GET, of a path below the served folder");
            (GivenKind::Nonsense, SafePath::root(), Err(why))
        }
    };
    // If the peer went away there is nobody to tell.
    let fault = made.err().inspect(|fault| drop(out.message(&Answer::Fault(fault.clone()))));
    Given { kind, path, sent: out.sent.get(), fault }
}

fn list(root: &Root, path: &SafePath, out: &Out) -> Result<(), Fault> {
    let mut piece = Vec::new();
    let skipped = root.walk(path, |entry| {
        put(&Answer::Entry(entry), &mut piece);
        out.count(1);
        if piece.len() < LISTING_PIECE { Ok(()) } else { out.piece(std::mem::take(&mut piece)) }
    })?;
    put(&Answer::Listed { entries: out.sent.get(), skipped }, &mut piece);
    out.piece(piece)
}

fn get(root: &Root, path: &SafePath, have: Option<Have>, out: &Out) -> Result<(), Fault> {
    // Where only one file is served, the root is that file.
    let path = root.only().filter(|_| path.is_root()).unwrap_or(path);
    let (full, metadata) = root.find(path)?;
    if metadata.is_dir() {
        return Err(Fault::new(FaultCode::IsFolder, ""));
    }
    // Opening a pipe or a device could block, or worse.
    if !metadata.is_file() {
        return Err(Fault::new(FaultCode::NotAllowed, "it is not a regular file"));
    }
    let mut file = File::open(full).map_err(|error| fault(&error))?;
    let before = file.metadata().map_err(|error| fault(&error))?;
    let size = before.len();
    let check = Supply::to_check(size, have);
    let read = hash_front(&mut file, check).map_err(|error| fault(&error))?;
    let mut supply = Supply::new(size, have, read);
    file.seek(SeekFrom::Start(supply.offset())).map_err(|error| fault(&error))?;
    out.message(&supply.head(modified_ms(&before)))?;
    while supply.left() > 0 {
        let room = supply.left().min(DATA_MAX as u64);
        // The head is put right before the data once its length is known.
        let mut piece = Vec::with_capacity(Answer::DATA_HEAD_MAX + DATA_MAX);
        piece.resize(Answer::DATA_HEAD_MAX, 0);
        let n = (&mut file).take(room).read_to_end(&mut piece).map_err(|error| fault(&error))?;
        if n == 0 {
            break;
        }
        let mut buf = [0; Answer::DATA_HEAD_MAX];
        let head = supply.data(&piece[Answer::DATA_HEAD_MAX..], &mut buf);
        let from = Answer::DATA_HEAD_MAX - head.len();
        piece[from..Answer::DATA_HEAD_MAX].copy_from_slice(head);
        out.piece(Bytes::from(piece).slice(from..))?;
        out.count(n as u64);
    }
    let after = file.metadata().map_err(|error| fault(&error))?;
    let unchanged = after.len() == size && modified_ms(&after) == modified_ms(&before);
    match supply.end(unchanged) {
        Answer::Fault(fault) => Err(fault),
        end => out.message(&end),
    }
}

/// Reads and hashes the first `len` bytes of `file`; fewer if it is shorter.
pub(super) fn hash_front(file: &mut File, len: u64) -> io::Result<Fragment> {
    let mut fragment = Fragment::new();
    let mut front = file.take(len);
    let mut buf = vec![0; DATA_MAX];
    loop {
        match front.read(&mut buf)? {
            0 => return Ok(fragment),
            n => fragment.update(&buf[..n]),
        }
    }
}
