//! Fetches marked images, in each of the three ways.

use std::collections::VecDeque;

use clap::ValueEnum;
use tng::trickles::ObjectOptions;
use tng::{ObjectReadError, ObjectStream};
use tng_services::files::SafePath;
use tng_services::watermark::wire::{Asking, Head, What};
use tng_services::watermark::{Joiner, PIECE_MCUS};
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
    /// Bit alignments: the server makes all of it once before it sends the first byte
    Alignments,
    /// Pieces with markers that say how many bits to skip: it does not
    Skips,
    /// Numbers of MCUs: nor does it, and nothing is sent in vain
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
            let head = fetching.head().await?;
            let (mut joiner, mut waiting) = (Joiner::default(), Vec::new());
            let object = fetching.ask(What::Skips { of: head.of })?;
            fetching.join(object, &mut joiner, &mut waiting).await?;
            fetching.end(&joiner, &head).await?;
        }
        By::Mcus => {
            let head = fetching.head().await?;
            let (mut joiner, mut waiting) = (Joiner::default(), Vec::new());
            let mut firsts = (0..head.mcus).step_by(MCUS_PER_ASKING as usize);
            let mut asked = VecDeque::new();
            loop {
                while asked.len() < ASKED_AT_ONCE_MAX
                    && let Some(first) = firsts.next()
                {
                    asked.push_back(fetching.ask(What::Mcus { of: head.of, first, count: MCUS_PER_ASKING })?);
                }
                let Some(object) = asked.pop_front() else { break };
                fetching.join(object, &mut joiner, &mut waiting).await?;
            }
            fetching.end(&joiner, &head).await?;
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
        let asked = self.host.client().ask(bytes, ObjectOptions::default());
        asked.map_err(|error| Failure::new(Exit::Connect, self.what(), error))
    }

    fn heard<T>(&self, read: Result<T, ObjectReadError>) -> Result<T, Failure> {
        read.map_err(|error| self.host.failure(self.what(), error))
    }

    fn malformed(&self, why: impl std::fmt::Display) -> Failure {
        Failure::new(Exit::Protocol, self.what(), why).or_try("update the older of the two programs")
    }

    async fn head(&mut self) -> Result<Head, Failure> {
        let mut object = self.ask(What::Head)?;
        let (mut all, mut piece) = (Vec::new(), vec![0; READ_MAX]);
        loop {
            match self.heard(object.read(&mut piece).await)? {
                0 => break,
                len => all.extend_from_slice(&piece[..len]),
            }
            if all.len() > Head::LEN_MAX {
                return Err(self.malformed("the head of the image is longer than it may be"));
            }
        }
        let head = Head::parse(&all).map_err(|_| self.malformed("the head of the image is none"))?;
        self.write(&head.head).await?;
        Ok(head)
    }

    /// Joins the pieces of an object to those before.
    async fn join(
        &mut self,
        mut object: ObjectStream,
        joiner: &mut Joiner,
        waiting: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let mut piece = vec![0; READ_MAX];
        loop {
            match self.heard(object.read(&mut piece).await)? {
                0 => break,
                len => waiting.extend_from_slice(&piece[..len]),
            }
            let taken = joiner.join(waiting).map_err(|error| self.malformed(error))?;
            waiting.drain(..taken);
            let joined = joiner.take();
            self.write(&joined).await?;
        }
        if waiting.is_empty() { Ok(()) } else { Err(self.malformed("half a piece of the image came")) }
    }

    async fn end(&mut self, joiner: &Joiner, head: &Head) -> Result<(), Failure> {
        if !joiner.is_over() {
            return Err(self.malformed("the image has no end"));
        }
        self.write(&head.tail).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.len += bytes.len() as u64;
        self.out.write_all(bytes).await.map_err(|error| Failure::write("writing the image", &error))
    }
}
