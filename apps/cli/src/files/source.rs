//! A file of this host on its way into a stream.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::Duration;

use tng_services::files::{Answer, DATA_MAX, Fault, FaultCode, Fragment, Have, Index, Meta, Supply};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::blocks::Delta;
use super::hashing::Hasher;
use super::root::{fault, meta};
use super::{LIMITED_READ_MAX, Limit, put};

/// Room for what stands around the bytes of a piece.
const AROUND: usize = 128;

/// A file being read, and the messages that carry it.
#[derive(Debug)]
pub(super) struct Source {
    file: File,
    stamp: Stamp,
    offset: u64,
    state: State,
    /// Bytes that are read at once: few before the other side has taken any, since it may not want them.
    piece: usize,
    /// What the other side has of it, if it told blocks.
    delta: Option<Delta>,
    /// Bytes of the file that were read to be sent.
    pub(super) sent: u64,
}

#[derive(Debug)]
enum State {
    /// Nothing was said yet.
    Begun(Supply),
    Reading(Supply),
    Over(Result<[u8; 32], Fault>),
}

/// Size and the rest of a file when it was opened.
type Stamp = (u64, Meta);

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), meta(metadata))
}

impl Source {
    /// A file whose first bytes are `read`, for a client that has them already, or something else.
    fn new(mut file: File, stamp: Stamp, have: Option<Have>, read: Fragment) -> Result<Source, Fault> {
        let supply = Supply::new(stamp.0, have, read);
        file.seek(SeekFrom::Start(supply.offset())).map_err(|error| fault(&error))?;
        let offset = supply.offset();
        Ok(Source { file, stamp, offset, state: State::Begun(supply), piece: DATA_MAX, delta: None, sent: 0 })
    }

    pub(super) const fn size(&self) -> u64 {
        self.stamp.0
    }

    /// Where sending begins.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of it that the other side was told to copy.
    pub(super) fn copied(&self) -> u64 {
        self.delta.as_ref().map_or(0, |delta| delta.copied)
    }

    /// Bytes that the next piece costs beyond those that are sent.
    fn cost(&self) -> u64 {
        self.delta.as_ref().map_or(0, Delta::cost)
    }

    /// How it ended, if it has: the hash of the whole file, or what the other side was told instead.
    pub(super) const fn outcome(&self) -> Option<&Result<[u8; 32], Fault>> {
        match &self.state {
            State::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether its bytes are what they were, as far as size and time tell.
    fn is_as(&self, (size, meta): Stamp) -> bool {
        (size, meta.modified) == (self.stamp.0, self.stamp.1.modified)
    }

    /// Puts the next messages, a piece of them, in the place of what is in `out`.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>) {
        out.clear();
        let over = State::Over(Err(Fault::new(FaultCode::Io, "")));
        let (supply, end) = match std::mem::replace(&mut self.state, over) {
            State::Begun(supply) => {
                put(&supply.head(self.stamp.1), out);
                // To look for what the other side has is a cost that waits for its turn.
                if self.delta.is_some() && supply.left() > 0 { (supply, None) } else { self.read(supply, out) }
            }
            State::Reading(supply) => self.read(supply, out),
            State::Over(outcome) => {
                self.state = State::Over(outcome);
                return;
            }
        };
        let Some(end) = end else {
            self.state = State::Reading(supply);
            return;
        };
        let end = end.map_or_else(Answer::Fault, |unchanged| supply.end(unchanged));
        put(&end, out);
        self.state = State::Over(match end {
            Answer::End { hash } => Ok(hash),
            Answer::Fault(fault) => Err(fault),
            _ => Err(Fault::new(FaultCode::Other, "")),
        });
    }

    /// Reads a piece. At the end: whether the file is what it was.
    fn read(&mut self, mut supply: Supply, out: &mut Vec<u8>) -> (Supply, Option<Result<bool, Fault>>) {
        let wanted = usize::try_from(supply.left()).unwrap_or(usize::MAX).min(self.piece);
        out.reserve_exact(wanted + AROUND);
        let at = self.stamp.0 - supply.left();
        if let Some(delta) = &mut self.delta
            && supply.left() > 0
            && let Err(error) = delta.look(&self.file, at, self.stamp.0)
        {
            return (supply, Some(Err(fault(&error))));
        }
        while supply.left() > 0 && out.len() < self.piece {
            let mut room = supply.left().min(DATA_MAX.min(self.piece) as u64);
            if let Some(delta) = &mut self.delta {
                match delta.copies(&mut self.file, &mut supply, out) {
                    // The next piece looks further.
                    Ok(0) => break,
                    Ok(data) => room = room.min(data),
                    Err(error) => return (supply, Some(Err(fault(&error)))),
                }
            }
            // The head is put right before the data once its length is known.
            let at = out.len();
            out.resize(at + Answer::DATA_HEAD_MAX, 0);
            let data = at + Answer::DATA_HEAD_MAX;
            let n = match (&mut self.file).take(room).read_to_end(out) {
                Ok(n) => n,
                Err(error) => {
                    out.truncate(at);
                    return (supply, Some(Err(fault(&error))));
                }
            };
            if n == 0 {
                out.truncate(at);
                return (supply, Some(Ok(false)));
            }
            let mut buf = [0; Answer::DATA_HEAD_MAX];
            let head = supply.data(&out[data..], &mut buf);
            let gap = Answer::DATA_HEAD_MAX - head.len();
            out[at..at + head.len()].copy_from_slice(head);
            if gap > 0 {
                out.copy_within(data.., data - gap);
                out.truncate(out.len() - gap);
            }
            self.sent += n as u64;
            if let Some(delta) = &mut self.delta {
                delta.sent(n as u64);
            }
        }
        if supply.left() > 0 {
            return (supply, None);
        }
        let end = self.file.metadata().map(|after| self.is_as(stamp(&after))).map_err(|error| fault(&error));
        (supply, Some(end))
    }
}

/// Opens a file on a thread for disks, sees whether the other side has its beginning, and reads its first piece right
/// away: for a small file that is all of it. `index` has what else the other side has.
pub(super) async fn opened(
    find: impl FnOnce() -> Result<File, Fault> + Send + 'static,
    have: Option<Have>,
    index: Option<Index>,
    hasher: Hasher<'_>,
) -> Result<(Source, Vec<u8>), Fault> {
    let begin = move |file, stamp: Stamp, read, index: Option<Index>| {
        let mut source = Source::new(file, stamp, have, read)?;
        source.delta = index.and_then(Delta::new);
        let mut piece = Vec::with_capacity(stamp.0.min(DATA_MAX as u64) as usize + AROUND);
        source.fill(&mut piece);
        Ok((source, piece))
    };
    let (file, stamp, index) = match blocking(move || {
        let file = find()?;
        let stamp = stamp(&file.metadata().map_err(|error| fault(&error))?);
        if Supply::to_check(stamp.0, have) > 0 {
            return Ok(Err((file, stamp, index)));
        }
        begin(file, stamp, Fragment::new(), index).map(Ok)
    })
    .await?
    {
        Ok(begun) => return Ok(begun),
        Err(to_check) => to_check,
    };
    let checked = hasher.front(file, Supply::to_check(stamp.0, have)).await;
    let (file, read) = checked.map_err(|error| fault(&error))?;
    blocking(move || begin(file, stamp, read, index)).await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Fault> + Send + 'static) -> Result<T, Fault> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(Fault::new(FaultCode::Io, &error.to_string())))
}

/// Writes all messages to `send`; reads one piece ahead, but for the first: the other side may not want more. Pieces
/// have at most the bytes that `piece_max` says when they are read, and go no faster than `limit`. Calls `each` with
/// the bytes of the file that have been taken. What is read beyond them waits for the turns of `hasher`.
///
/// # Errors
/// If the stream fails, or takes nothing for as long as `stall`.
pub(super) async fn pour(
    (source, piece): (Source, Vec<u8>),
    hasher: Hasher<'_>,
    send: &mut (impl AsyncWrite + Unpin),
    stall: Option<Duration>,
    mut piece_max: impl FnMut() -> usize,
    mut each: impl FnMut(u64),
    limit: Option<&Limit>,
) -> io::Result<Source> {
    let (mut source, mut piece, mut spare, mut told) = (source, piece, Vec::new(), 0);
    loop {
        let upto = source.sent;
        if source.outcome().is_some() {
            paced(send, &piece, stall, limit).await?;
            each(upto - told);
            return Ok(source);
        }
        let begun = told > 0;
        if !begun {
            paced(send, &piece, stall, limit).await?;
        }
        source.piece = piece_max();
        if spare.capacity() > source.piece + AROUND {
            spare = Vec::new();
        }
        let reading = async move {
            let turn = hasher.turn(source.cost()).await;
            let reading: JoinHandle<(Source, Vec<u8>)> = spawn_blocking(move || {
                source.fill(&mut spare);
                drop(turn);
                (source, spare)
            });
            reading.await.map_err(io::Error::other)
        };
        let writing = async {
            if begun {
                paced(send, &piece, stall, limit).await?;
            }
            each(upto - told);
            Ok(())
        };
        let ((), read) = tokio::try_join!(writing, reading)?;
        told = upto;
        spare = piece;
        (source, piece) = read;
    }
}

/// Writes all of `bytes`, each part of them when it may go.
async fn paced(
    send: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    stall: Option<Duration>,
    limit: Option<&Limit>,
) -> io::Result<()> {
    let Some(limit) = limit else { return write(send, bytes, stall).await };
    for part in bytes.chunks(LIMITED_READ_MAX) {
        limit.pay(part.len()).await;
        write(send, part, stall).await?;
    }
    Ok(())
}

/// Writes all of `bytes`.
///
/// # Errors
/// If the stream fails, or takes nothing for as long as `stall`.
pub(super) async fn write(
    send: &mut (impl AsyncWrite + Unpin),
    mut bytes: &[u8],
    stall: Option<Duration>,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match within(stall, send.write(bytes)).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => bytes = &bytes[n..],
        }
    }
    Ok(())
}

/// Waits no longer than `stall`.
///
/// # Errors
/// As `work`, or that nothing moved.
pub(super) async fn within<T>(stall: Option<Duration>, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match stall {
        None => work.await,
        Some(stall) => timeout(stall, work)
            .await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "nothing moved for too long"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_limited_is_paid_for_before_it_goes() {
        let (limit, mut out) = (Limit::new(1), Vec::new());
        let going = paced(&mut out, &[0; 100], None, Some(&limit));
        assert!(timeout(Duration::from_millis(10), going).await.is_err(), "it takes 100 s");
        assert_eq!(out.len(), 0);
        paced(&mut out, &[0; 100], None, Some(&Limit::new(1_000_000))).await.expect("written");
        assert_eq!(out.len(), 100);
    }
}
