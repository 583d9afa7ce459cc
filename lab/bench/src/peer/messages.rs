//! Requests and answers one after another on a connection that is one stream of bytes: each is its length and its
//! bytes.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::Failure;
use crate::payload::{self, Checker};
use crate::work::Work;

/// Bytes that are read at once.
const READ_MAX: usize = 256 * 1024;

/// Before each message: how long it is, in bytes.
const LENGTH_LEN: usize = 8;

/// Answers what is asked on a connection, until it ends.
///
/// # Errors
/// If it ends, or something else arrives than what was sent.
pub async fn answer_all(mut stream: impl AsyncRead + AsyncWrite + Unpin, work: &Work) -> Result<(), Failure> {
    let mut buf = Vec::new();
    loop {
        let mut checker = Checker::default();
        // Nothing is allocated before there is something to read, as with the others.
        let mut length = [0; LENGTH_LEN];
        stream.read_exact(&mut length).await?;
        let length = u64::from_le_bytes(length);
        buf.resize(work.read_max().min(READ_MAX).min(length as usize), 0);
        read(&mut stream, &mut checker, &mut buf, length).await?;
        write(&mut stream, checker.checked(), work.answer(checker.checked())).await?;
    }
}

async fn read(
    from: &mut (impl AsyncRead + Unpin),
    checker: &mut Checker,
    buf: &mut [u8],
    len: u64,
) -> Result<(), Failure> {
    let end = checker.checked() + len;
    while checker.checked() < end {
        let most = (end - checker.checked()).min(buf.len() as u64) as usize;
        match from.read(&mut buf[..most]).await? {
            0 => return Err("the connection ended in the middle of a message".into()),
            n => checker.check(&buf[..n])?,
        }
    }
    Ok(())
}

async fn write(to: &mut (impl AsyncWrite + Unpin), from: u64, len: u64) -> Result<(), Failure> {
    let mut at = from;
    let first = payload::at(at, len);
    if len == first.len() as u64 {
        // In one record, where it fits.
        to.write_all(&[&len.to_le_bytes(), first].concat()).await?;
    } else {
        to.write_all(&len.to_le_bytes()).await?;
        while at < from + len {
            let piece = payload::at(at, from + len - at);
            to.write_all(piece).await?;
            at += piece.len() as u64;
        }
    }
    Ok(to.flush().await?)
}

/// The asking end of such a connection.
pub struct Messages<S> {
    stream: S,
    buf: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Messages<S> {
    /// On a connection on which nothing was asked yet.
    pub fn new(stream: S) -> Messages<S> {
        Messages { stream, buf: vec![0; READ_MAX] }
    }

    /// See [`Line::exchange`](super::Line::exchange).
    ///
    /// # Errors
    /// If the connection ends, or something else arrives than what was sent.
    pub async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        write(&mut self.stream, 0, len).await?;
        let mut length = [0; LENGTH_LEN];
        self.stream.read_exact(&mut length).await?;
        let mut checker = Checker::from(len);
        read(&mut self.stream, &mut checker, &mut self.buf, u64::from_le_bytes(length)).await?;
        checker.expect(len + answer)
    }

    /// The connection.
    pub fn stream(&self) -> &S {
        &self.stream
    }
}
