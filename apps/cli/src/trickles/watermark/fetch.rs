//! Fetches marked images, in each of the three ways.

use std::collections::VecDeque;

use clap::ValueEnum;
use tng::{ObjectReadError, ObjectStream};
use tng_services::files::SafePath;
use tng_services::watermark::wire::{Asking, Head, What};
use tng_services::watermark::{Assembler, PIECE_MCUS, Unassembled};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::super::Stateless;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::READ_MAX;

/// MCUs asked for at once, where they are asked for by their numbers: what is lost of them has all coded again.
pub const MCUS_PER_ASKING: u32 = PIECE_MCUS;
/// So many such parts of an image are asked for at the same time.
pub const ASKED_AT_ONCE_MAX: usize = 64;

/// By what an image is made again from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum By {
    /// Bit alignments: the server encodes the whole image before it sends the first byte
    Alignments,
    /// Pieces with markers that say how many bits to skip; sent as they are made
    Skips,
    /// Ranges of MCUs (blocks of the JPEG); sent as they are made, with no byte wasted
    Mcus,
}

/// Fetches an image, and writes it. Answers how long it is.
///
/// # Errors
/// It does not come, or is not what a server may send, or cannot be written.
pub async fn fetch(
    host: &Stateless,
    path: &SafePath,
    by: By,
    out: &mut (impl AsyncWrite + Unpin),
) -> Result<u64, Failure> {
    let mut fetching = Fetching { host, path, out, len: 0 };
    match by {
        By::Alignments => {
            let mut object = fetching.ask(What::File { start: 0 })?;
            let mut piece = vec![0; READ_MAX];
            loop {
                match fetching.heard(object.read(&mut piece).await)? {
                    0 => break,
                    len => fetching.write(&piece[..len]).await?,
                }
            }
        }
        By::Skips => {
            let (mut assembler, (of, _)) = fetching.head().await?;
            let object = fetching.ask(What::Skips { of })?;
            fetching.bring(object, &mut assembler).await?;
            fetching.end(assembler).await?;
        }
        By::Mcus => {
            let (mut assembler, (of, mcus)) = fetching.head().await?;
            let mut firsts = (0..mcus).step_by(MCUS_PER_ASKING as usize);
            let mut asked = VecDeque::new();
            loop {
                while asked.len() < ASKED_AT_ONCE_MAX
                    && let Some(first) = firsts.next()
                {
                    asked.push_back(fetching.ask(What::Mcus { of, first, count: MCUS_PER_ASKING })?);
                }
                let Some(object) = asked.pop_front() else { break };
                fetching.bring(object, &mut assembler).await?;
            }
            fetching.end(assembler).await?;
        }
    }
    let Fetching { out, len, .. } = fetching;
    out.flush().await.map_err(|error| Failure::write("writing the image", &error))?;
    Ok(len)
}

struct Fetching<'a, W> {
    host: &'a Stateless,
    path: &'a SafePath,
    out: &'a mut W,
    len: u64,
}

impl<W: AsyncWrite + Unpin> Fetching<'_, W> {
    fn what(&self) -> String {
        format!("fetching {}", self.path)
    }

    fn ask(&self, what: What) -> Result<ObjectStream, Failure> {
        let asking = Asking { what, path: self.path.clone() };
        let bytes = asking.to_bytes().map_err(|bad| Failure::usage(self.what(), bad))?;
        self.host.ask(&self.what(), bytes)
    }

    fn heard<T>(&self, read: Result<T, ObjectReadError>) -> Result<T, Failure> {
        read.map_err(|error| match self.host.failure(self.what(), error) {
            failure if failure.exit == Exit::Denied && failure.remedy.is_empty() => {
                failure.or_try("ask who runs the server")
            }
            failure => failure,
        })
    }

    fn malformed(&self, why: Unassembled) -> Failure {
        Failure::new(Exit::Protocol, self.what(), why).or_try("update the older of the two programs")
    }

    /// Brings the head, and answers by which version and how many MCUs pieces are asked for.
    async fn head(&mut self) -> Result<(Assembler, (u64, u32)), Failure> {
        let mut assembler = Assembler::new(Head::LEN_MAX);
        let object = self.ask(What::Head)?;
        self.bring(object, &mut assembler).await?;
        let head = assembler.head().ok_or_else(|| self.malformed(Unassembled::NoHead))?;
        Ok((assembler, head))
    }

    /// Brings an object.
    async fn bring(&mut self, mut object: ObjectStream, assembler: &mut Assembler) -> Result<(), Failure> {
        let mut piece = vec![0; READ_MAX];
        loop {
            let len = self.heard(object.read(&mut piece).await)?;
            let whole = if len == 0 { assembler.end_object() } else { assembler.take(&piece[..len]) };
            let whole = whole.map_err(|why| self.malformed(why))?;
            self.write(&whole).await?;
            if len == 0 {
                return Ok(());
            }
        }
    }

    async fn end(&mut self, assembler: Assembler) -> Result<(), Failure> {
        let tail = assembler.finish().map_err(|why| self.malformed(why))?;
        self.write(&tail).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.len += bytes.len() as u64;
        self.out.write_all(bytes).await.map_err(|error| Failure::write("writing the image", &error))
    }
}
