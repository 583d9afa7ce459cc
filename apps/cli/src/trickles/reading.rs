//! Files and folders of a server read in parts, by whichever way there is to it.

use std::ops::Range;

use crate::http::About;
use bytes::BytesMut;
use tng::ObjectStream;
use tng_services::files::{
    Answer, DATA_MAX, Decoder, Entry, Fault, FaultCode, Listed, Look, Meta, Mtime, Piece, Request, SafePath,
};
use tng_wire::{Repr, Writer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::Stateless;
use super::fetch::Stop;
use super::ways::{Way, Ways};
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::files::{Answering, Opened, Opener, READ_MAX, list};

/// Bytes of a file that wait to be passed on, at most: who reads slowly has no more here.
pub const BODY_BUFFER: u64 = 1 << 20;

const _: () = assert!(DATA_MAX <= READ_MAX, "a piece of an answer fits into what is read at once");

/// Why something is not read to its end.
#[derive(Clone, Debug)]
pub(super) enum Unread {
    /// The server says why.
    Fault(Fault),
    /// Nobody is there any more, or never was.
    Lost(Failure),
}

/// Bytes of a file, as they come.
pub(super) enum Bytes {
    Object(Stateless, ObjectStream),
    Answered(Answered),
}

/// The answer to a request for a whole file, whose first part may not be wanted.
pub(super) struct Answered {
    recv: Answering,
    decoder: Decoder,
    buf: BytesMut,
    /// So many bytes are thrown away first.
    skip: u64,
}

impl Stateless {
    fn unread(&self, stop: Stop) -> Unread {
        match stop {
            Stop::Fault(fault) => Unread::Fault(fault),
            Stop::Gone => Unread::Lost(self.why()),
        }
    }
}

/// What a server knows of a file.
fn about(len: u64, meta: Meta) -> About {
    About { len, modified_ms: meta.modified.and_then(Mtime::ms) }
}

impl Ways {
    /// What is known of a file.
    pub(super) async fn about(&self, path: &SafePath) -> Result<About, Unread> {
        match self.way().await {
            Way::Trickles(way) => {
                way.about(path).await.map(|(len, meta)| about(len, meta)).map_err(|stop| way.unread(stop))
            }
            Way::Streams(way) => begin(&way, path).await.map(|(about, _)| about),
            Way::Plain(way) => begin(&way, path).await.map(|(about, _)| about),
            Way::None(failure) => Err(Unread::Lost(failure)),
        }
    }

    /// Bytes of a file that is the one that `known` tells of, from `range`. Structured streams and plain TCP bring
    /// files from their first byte on; what lies before the range is thrown away.
    pub(super) async fn bytes(&self, path: &SafePath, known: &About, range: Range<u64>) -> Result<Bytes, Unread> {
        let (found, mut answered) = match self.way().await {
            Way::Trickles(way) => {
                let asked = way.bytes(path, known.len, range, BODY_BUFFER);
                return asked.map(|object| Bytes::Object(way.clone(), object)).map_err(|stop| way.unread(stop));
            }
            Way::Streams(way) => begin(&way, path).await?,
            Way::Plain(way) => begin(&way, path).await?,
            Way::None(failure) => return Err(Unread::Lost(failure)),
        };
        if found != *known {
            return Err(Unread::Fault(Fault::new(FaultCode::Changed, "")));
        }
        answered.skip = range.start;
        Ok(Bytes::Answered(answered))
    }

    /// What is in a folder, not in the folders in it.
    pub(super) async fn folder(&self, path: &SafePath) -> Result<Vec<Entry>, Unread> {
        let listed: Result<Listed, Failure> = match self.way().await {
            Way::Trickles(way) => {
                let listed = way.folder(path).await;
                return listed.map(|listed| listed.entries).map_err(|stop| way.unread(stop));
            }
            Way::Streams(way) => list(&way, path, Look::default()).await,
            Way::Plain(_) => {
                let why = "over plain TCP files are fetched by their names, and no more";
                return Err(Unread::Fault(Fault::new(FaultCode::NotAllowed, why)));
            }
            Way::None(failure) => Err(failure),
        };
        let listed = listed.map_err(|failure| match failure.exit {
            Exit::NotFound => Unread::Fault(Fault::new(FaultCode::NotFound, "")),
            Exit::Denied => Unread::Fault(Fault::new(FaultCode::NotAllowed, "")),
            _ => Unread::Lost(failure),
        })?;
        Ok(listed.entries.into_iter().filter(|entry| !entry.path.as_str().contains('/')).collect())
    }
}

/// Asks for a whole file by streams.
async fn begin<O: Opener>(opener: &O, path: &SafePath) -> Result<(About, Answered), Unread> {
    let Opened { mut send, recv, .. } = opener.open().await.map_err(Unread::Lost)?;
    let request = Request::Get { path: path.clone(), have: None, blocks: false };
    let mut bytes = vec![0; request.wire_len()];
    request.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
    // What the server makes of it shows in the answer.
    if send.write_all(&bytes).await.is_ok() {
        let _ = send.shutdown().await;
    }
    let (recv, decoder, buf) = (Box::new(recv), Decoder::new(), BytesMut::new());
    let mut answered = Answered { recv, decoder, buf, skip: 0 };
    match answered.message().await? {
        Answer::File { size, meta, .. } => Ok((about(size, meta), answered)),
        Answer::Fault(fault) => Err(Unread::Fault(fault)),
        _ => Err(malformed()),
    }
}

fn malformed() -> Unread {
    Unread::Fault(Fault::new(FaultCode::Other, "what the server answers is none"))
}

impl Answered {
    /// The message that stands before the data.
    async fn message(&mut self) -> Result<Answer, Unread> {
        loop {
            let mut input = &self.buf[..];
            let piece = self.decoder.next(&mut input).map_err(|_| malformed())?;
            let (used, found) = (
                self.buf.len() - input.len(),
                match piece {
                    Some(Piece::Answer(answer)) => Some(answer),
                    Some(Piece::Data(_)) => return Err(malformed()),
                    None => None,
                },
            );
            let _ = self.buf.split_to(used);
            match found {
                Some(answer) => return Ok(answer),
                None => self.fill().await?,
            }
        }
    }

    /// More of the answer.
    async fn fill(&mut self) -> Result<(), Unread> {
        let lost = |why: String| Unread::Lost(Failure::new(Exit::Receive, "reading a file", why));
        self.buf.reserve(READ_MAX);
        match self.recv.read_buf(&mut self.buf).await {
            Ok(0) => Err(lost("the answer is cut off".to_owned())),
            Ok(_) => Ok(()),
            Err(error) => Err(lost(reason(&error))),
        }
    }

    async fn read(&mut self, out: &mut [u8]) -> Result<usize, Unread> {
        loop {
            let (mut input, mut len) = (&self.buf[..], None);
            let before = input.len();
            match self.decoder.next(&mut input).map_err(|_| malformed())? {
                Some(Piece::Data(data)) => {
                    let skipped = data.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
                    self.skip -= skipped as u64;
                    let data = &data[skipped..];
                    out[..data.len()].copy_from_slice(data);
                    len = Some(data.len());
                }
                Some(Piece::Answer(Answer::End { .. })) => return Ok(0),
                Some(Piece::Answer(Answer::Fault(fault))) => return Err(Unread::Fault(fault)),
                Some(Piece::Answer(_)) => return Err(malformed()),
                None => {}
            }
            let used = before - input.len();
            let _ = self.buf.split_to(used);
            match len {
                Some(1..) => return Ok(len.unwrap_or_default()),
                Some(0) => {}
                None => self.fill().await?,
            }
        }
    }
}

impl Bytes {
    /// What came next, `out` being [`READ_MAX`] bytes at least; 0 at the end.
    pub(super) async fn read(&mut self, out: &mut [u8]) -> Result<usize, Unread> {
        match self {
            Bytes::Object(way, object) => {
                let read = object.read(out).await;
                way.heard(read).map_err(|stop| way.unread(stop))
            }
            Bytes::Answered(answered) => answered.read(out).await,
        }
    }
}
