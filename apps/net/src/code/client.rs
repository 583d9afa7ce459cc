//! The side that asks, or brings code of its own accord.

use core::time::Duration;
use std::sync::Arc;

use tng_base::CodeHash;
use tng_crypto::code_hash;
use tng_services::code::{
    Answer, Code, Declined, Fetch, FetchError, Form, MANIFEST_MAX, PRIORITY, PROTOCOL, Packed, Part, Push, Pushed,
    Request, SERVICE, Step,
};
use tng_wire::{Reader, Repr};
use tokio::time::timeout;

use super::error::CodeError;
use crate::connection::Connection;
use crate::error::RequestError;
use crate::request::Requesting;

/// How long code may take to come.
pub const FETCH_WITHIN: Duration = Duration::from_secs(600);
/// How long a peer may take to answer a piece of code.
pub const PUSH_WITHIN: Duration = Duration::from_secs(120);

/// Bytes of an answer that are looked at at once.
const CHUNK: usize = 64 << 10;
/// Longest answer to a piece of code.
const ANSWER_MAX: usize = 64;

/// Asks a peer that [serves code](crate::Endpoint::serve_code) for a module, at the lowest priority: what else goes
/// over the connection hardly feels it. The hash is checked; that the manifest is true, is not.
///
/// `part` is what is there already. When the transfer is cut, also by dropping the future, what has come is there; the
/// next, of this or another connection, goes on from there. What is found out as wrong is dropped.
///
/// # Errors
/// See [`CodeError`].
pub async fn fetch_code(connection: &Connection, hash: CodeHash, part: &mut Option<Part>) -> Result<Code, CodeError> {
    fetch(connection, hash, Form::Binary, part).await
}

/// As [`fetch_code`], the module's text form: for people, since nothing but the peer's word says that it is this
/// module's. `part` is one of a text.
///
/// # Errors
/// See [`CodeError`].
pub async fn fetch_text(connection: &Connection, hash: CodeHash, part: &mut Option<Part>) -> Result<Code, CodeError> {
    fetch(connection, hash, Form::Text, part).await
}

/// Brings a module to a peer, at the lowest priority; `manifest` has at most [`MANIFEST_MAX`] bytes. Whether it is
/// wanted, the peer says. When it is cut, the next push goes on where the peer is, for a minute at least.
///
/// # Errors
/// See [`CodeError`].
pub async fn push_code(connection: &Connection, module: Arc<[u8]>, manifest: Vec<u8>) -> Result<(), CodeError> {
    if manifest.len() > MANIFEST_MAX {
        return Err(CodeError::ManifestTooLong(manifest.len()));
    }
    let packing = aside(move || (code_hash(&module), Packed::new(&module)));
    let (hash, packed) = packing.await;
    let packed = packed?;
    match push_packed(connection, Push::new(hash, packed.clone(), manifest.clone())).await {
        // Another push of it came whole meanwhile, or took this one's place.
        Err(CodeError::Declined(Declined::NotOffered)) => {
            push_packed(connection, Push::new(hash, packed, manifest)).await
        }
        pushed => pushed,
    }
}

async fn push_packed(connection: &Connection, mut push: Push) -> Result<(), CodeError> {
    loop {
        let asked = requesting(connection, &push.request()).answer_max(ANSWER_MAX).deadline(PUSH_WITHIN);
        let answer = asked.await?;
        let mut reader = Reader::new(&answer);
        let answer = Answer::parse(&mut reader).ok().filter(|_| reader.is_empty());
        let answer = answer.ok_or(FetchError::Malformed("an answer cannot be read"))?;
        if push.heard(&answer)? == Pushed::Taken {
            return Ok(());
        }
    }
}

fn requesting(connection: &Connection, request: &Request) -> Requesting {
    connection.request(SERVICE, request.to_vec()).protocol(PROTOCOL).priority(PRIORITY)
}

/// Does what takes its time where nobody waits for it. A panic goes on here.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and what runs on it with it.
            Err(_) => core::future::pending().await,
        },
    }
}

/// A transfer whose beginning is kept when it is over.
struct Kept<'a> {
    fetch: Option<Fetch>,
    part: &'a mut Option<Part>,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(fetch) = self.fetch.take() {
            *self.part = fetch.into_part();
        }
    }
}

async fn fetch(
    connection: &Connection,
    hash: CodeHash,
    form: Form,
    part: &mut Option<Part>,
) -> Result<Code, CodeError> {
    let fetch = Fetch::new(hash, form, part.take());
    let asked = requesting(connection, &Request::Ask(fetch.ask()));
    let mut kept = Kept { fetch: Some(fetch), part };
    let fetch = kept.fetch.as_mut().ok_or(FetchError::Cut { at: 0, of: 0 })?;
    let came = timeout(FETCH_WITHIN, take(asked, fetch)).await.unwrap_or(Err(CodeError::TooSlow(FETCH_WITHIN)));
    match came {
        Ok(()) => match kept.fetch.take() {
            Some(fetch) => Ok(aside(move || fetch.open()).await?),
            None => Err(FetchError::Cut { at: 0, of: 0 }.into()),
        },
        Err(error) => {
            if let CodeError::Fetch(FetchError::Malformed(_) | FetchError::Endless(_)) = error {
                kept.fetch = None;
            }
            Err(error)
        }
    }
}

/// Takes an answer until everything is there.
async fn take(asked: Requesting, fetch: &mut Fetch) -> Result<(), CodeError> {
    let mut answer = asked.into_stream().await?;
    while let Some(chunk) = answer.read_chunk(CHUNK).await.map_err(RequestError::from)? {
        let mut input = &chunk[..];
        while let Some(step) = fetch.step(&mut input)? {
            if step == Step::Whole {
                return Ok(());
            }
        }
    }
    Ok(fetch.ended()?)
}
