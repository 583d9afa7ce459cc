//! Answers requests out of a folder.

use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

use tng::trickles::{Answer, Application, Asked, Bytes, Client, ClientNetwork, Event, Fault, Kept, Ranges};
use tng_services::files::{Answer as Message, Meta, Mtime, SafePath};
use tng_services::stateless::{ASKING_MAX, Asking, BadAsking, What};

use super::descriptors::Descriptors;
use super::gather::{Objects, Sealed, Wanted, begin, handle, tell_whole};
use super::given::{Given, Stamp};
use super::hashes::{HASHED_AT_ONCE_MAX, Hashes, Key};
use super::jobs::Known;
use super::journal::Journal;
use super::listings::{Listings, put};
use super::{Wrong, changed};
use crate::failure::Failure;
use crate::files::Root;

/// The version of what is sealed ([`Given`]).
const VERSION: u16 = 1;
/// How often more than once a connection has the same computed in a while.
const RETRIES: u8 = 2;
/// So many bytes may be hashed in the task that answers requests before as many are sent; what goes beyond waits for
/// the thread. Who is sent a file and asks for its hash finds it at once, and who asks for hashes alone stops nobody.
const CREDIT_MAX: u64 = 16 << 20;
/// A file counts for so many bytes at least: it is opened, too.
const HASH_COST_MIN: u64 = 1 << 12;
/// A folder for clients that keep everything themselves. What it holds between requests can be dropped at any moment:
/// descriptors, listings, hashes.
pub struct Files {
    root: Root,
    descriptors: Descriptors,
    listings: Listings,
    hashes: Arc<Hashes>,
    /// Bytes that may be hashed at once: as many as were sent, and at most [`CREDIT_MAX`].
    hash_credit: u64,
    /// Where it is written down who asks for what.
    journal: Option<Journal>,
    /// What the request at hand asks for, as far as it is known.
    asked: Option<(What, String)>,
}

impl Files {
    /// Serves what is at `root`, and remembers so many bytes of hashes.
    ///
    /// # Errors
    /// If the system has no thread for hashing.
    pub fn new(root: Root, bytes: usize) -> Result<Files, Failure> {
        let hashes =
            Hashes::start(bytes).map_err(|error| Failure::read("starting a thread that hashes files", &error))?;
        Ok(Files::beside(root, Arc::new(hashes)))
    }

    /// One for another thread: of the same folder, and with the same hashes.
    pub fn another(&self) -> Files {
        Files { journal: self.journal.clone(), ..Files::beside(self.root.clone(), Arc::clone(&self.hashes)) }
    }

    /// The same, with who asks for what written down.
    pub fn noted(self, journal: Journal) -> Files {
        Files { journal: Some(journal), ..self }
    }

    fn beside(root: Root, hashes: Arc<Hashes>) -> Files {
        Files {
            root,
            descriptors: Descriptors::default(),
            listings: Listings::default(),
            hashes,
            hash_credit: CREDIT_MAX,
            journal: None,
            asked: None,
        }
    }

    /// Says how to ask for the bytes of an object, and tells those from `from` on.
    fn begin(&mut self, given: Given, from: u64, wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let seal = |at| Given { at, ..given.clone() }.write();
        let now = begin(wanted, (given.at, from, given.stamp.len), seal, answer);
        if now.is_empty() { Ok(()) } else { self.send(&given, wanted.reserved.start, now, wanted.object, answer) }
    }

    /// Sends bytes of an object for a range of the row, as many as there is room for; its byte `given.at` stands at
    /// `start`.
    fn send(
        &mut self,
        given: &Given,
        start: u64,
        range: Bytes,
        object: u64,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        // The byte of the object for a place in the row.
        let byte = |place: u64| given.at + (place - start);
        match given.what {
            What::Listing => {
                if self.listings.find(&given.path, given.stamp).is_none() {
                    match answer.remembered(&listing_name(&given.path, given.stamp)) {
                        Some(kept) => _ = self.listings.keep(&given.path, given.stamp, kept.bytes().to_vec()),
                        None if !may_list(object, &given.path, answer) => return Ok(()),
                        None => _ = list(&mut self.listings, &self.root, &given.path, answer)?,
                    }
                }
                let text = self.listings.find(&given.path, given.stamp).ok_or_else(changed)?;
                let bytes = text.get(byte(range.start) as usize..byte(range.end) as usize).ok_or_else(changed)?;
                answer.send(range.start, bytes);
                Ok(())
            }
            _ => {
                let (file, stamp) = self.descriptors.open(&self.root, &given.path)?;
                if stamp != given.stamp {
                    return Err(changed());
                }
                let sent = answer.send_with(range, |place, buf| file.read_exact_at(buf, byte(place)));
                self.hash_credit = CREDIT_MAX.min(self.hash_credit + sent.as_ref().copied().unwrap_or(0));
                match sent {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(changed()),
                    sent => Ok(sent.map(|_| ())?),
                }
            }
        }
    }

    /// Tells what is known of a file in one piece, with the hash of so many of its first bytes; 0 stands for all.
    fn tell(
        &mut self,
        hashed: Option<u64>,
        path: SafePath,
        wanted: &Wanted,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        let (file, stamp) = self.descriptors.open(&self.root, &path)?;
        let mode = file.metadata().map_err(|_| changed())?.mode();
        let meta = Meta {
            mode: Some((mode & 0o7777) as u16),
            modified: Mtime::new(stamp.modified.0, stamp.modified.1),
            holes: false,
        };
        let mut text = Vec::new();
        put(&Message::File { size: stamp.len, offset: 0, meta }, &mut text);
        if let Some(len) = hashed {
            let len = if len == 0 { stamp.len } else { len.min(stamp.len) };
            let Some(hash) = self.hash(wanted.object, Key { path, stamp, len }, answer)? else { return Ok(()) };
            put(&Message::End { hash }, &mut text);
        }
        tell_whole(wanted, &text, answer)
    }

    /// The hash of a file; `None` if the client has been told to ask again, or what to do before.
    fn hash(&mut self, object: u64, key: Key, answer: &mut Answer<'_>) -> Result<Option<[u8; 32]>, Wrong> {
        match self.hashes.look(&key) {
            Known::Done(hash) => return Ok(Some(hash)),
            Known::UnderWay => return Err(not_yet()),
            Known::No => {}
        }
        let (place, cost) = (ClientNetwork::of(answer.client().remote.ip()), key.len.max(HASH_COST_MIN));
        let is_at_once = key.len <= HASHED_AT_ONCE_MAX && cost <= self.hash_credit;
        if !is_at_once && !self.hashes.has_room(&place) {
            return Err(too_many());
        }
        // Whatever length the client chooses.
        if !answer.may_compute(object, &name(What::Hash, &key.path), &(0..0), RETRIES) {
            return Ok(None);
        }
        // Opened anew, so that it has a place of its own.
        let file = self.root.file(&key.path)?;
        if is_at_once {
            self.hash_credit -= cost;
            return Ok(Some(self.hashes.compute(key, file).map_err(|_| changed())?));
        }
        if self.hashes.request(key, place, file) { Err(not_yet()) } else { Err(too_many()) }
    }
}

fn too_many() -> Wrong {
    let text = "too many files wait to be hashed: ask again later".to_owned();
    Wrong { fault: Fault::Overloaded, text }
}

fn not_yet() -> Wrong {
    Wrong { fault: Fault::NotYet, text: "the hash is being computed: ask again".to_owned() }
}

fn may_list(object: u64, path: &SafePath, answer: &mut Answer<'_>) -> bool {
    answer.may_compute(object, &name(What::Listing, path), &(0..0), RETRIES)
}

/// Makes the listing of a folder, and has the server remember it beside those that are kept here.
fn list(listings: &mut Listings, root: &Root, path: &SafePath, answer: &mut Answer<'_>) -> Result<Stamp, Wrong> {
    let (stamp, text) = listings.make(root, path)?;
    // Each entry was looked at. There is no less to make it of than itself.
    answer.remember(&listing_name(path, stamp), text.len() as u64 / ENTRY_LEN, Kept::Output(text.into()));
    Ok(stamp)
}

/// Bytes of an entry of a listing, as they mostly are.
const ENTRY_LEN: u64 = 32;

fn listing_name(path: &SafePath, stamp: Stamp) -> Vec<u8> {
    [&stamp.fingerprint().to_be_bytes(), path.as_str().as_bytes()].concat()
}

/// What is computed, so that it is told from all else.
fn name(what: What, path: &SafePath) -> Vec<u8> {
    [&[what.number()], path.as_str().as_bytes()].concat()
}

impl Application for Files {
    fn version(&self) -> u16 {
        VERSION
    }

    fn open(&mut self, client: &Client) {
        if let (Some(journal), Event::Open { peer }) = (&self.journal, &client.event) {
            journal.opened(client, &peer.to_string());
        }
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        handle(self, asked, answer);
    }
}

impl Objects for Files {
    const ASKING_MAX: usize = ASKING_MAX;

    fn find(&mut self, asking: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Asking { what, start, path } = Asking::parse(asking)?;
        self.asked = self.journal.as_ref().map(|_| (what, path.as_str().to_owned()));
        let stamp = match what {
            What::File => self.descriptors.open(&self.root, &path)?.1,
            What::Listing => match may_list(wanted.object, &path, answer) {
                true => list(&mut self.listings, &self.root, &path, answer)?,
                false => return Ok(()),
            },
            What::Hash => return self.tell(Some(start), path, wanted, answer),
            What::About => return self.tell(None, path, wanted, answer),
        };
        self.begin(Given { what, at: 0, stamp, path }, start, wanted, answer)
    }

    fn go_on(&mut self, state: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        let from = given.at;
        self.begin(given, from, wanted, answer)
    }

    fn want(&mut self, by: Sealed<'_>, ranges: Ranges<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Sealed { object, state, valid } = by;
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        ranges.iter().try_for_each(|range| self.send(&given, valid.start, range, object, answer))
    }

    fn note(&mut self, done: Result<(), &Wrong>, answer: &Answer<'_>) {
        if let (Some(journal), Some((what, path))) = (&self.journal, self.asked.take()) {
            journal.asked(answer.client(), what, &path, done.err().map(|wrong| &*wrong.text));
        }
    }
}

#[cfg(test)]
mod tests;
