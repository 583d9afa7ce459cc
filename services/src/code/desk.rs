//! The side that is asked: it gives code, and takes what is pushed.

use core::time::Duration;
use std::sync::Arc;

use tng_base::{CodeHash, Eid, Instant};
use tng_crypto::code_hash;

use super::{
    Allowance, Answer, Ask, Code, Declined, Direction, Fetch, FetchError, Form, Give, MANIFEST_MAX, Offer, PIECE_MAX,
    Packed, Request, Reserved, Step, UnpackError,
};

/// Pushes of all peers that have not come whole.
pub const PUSHES_MAX: usize = 8;
/// The same of one peer; another takes the place of the one that was heard of least lately.
pub const PUSHES_OF_PEER_MAX: usize = 2;
/// A push that nothing was heard of for so long gives way to another.
pub const PUSH_IDLE_MAX: Duration = Duration::from_secs(60);

/// Where code is, and who may have and bring it. It may read files: who calls a [`Desk`] does it where nobody waits.
pub trait Shelf {
    /// The module of this hash, at most [`MODULE_MAX`](super::MODULE_MAX) bytes. One with another hash is not given.
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>>;

    /// Its manifest, at most [`MANIFEST_MAX`] bytes.
    fn manifest(&self, hash: CodeHash) -> Option<Vec<u8>>;

    /// Its text form, at most [`MODULE_MAX`](super::MODULE_MAX) bytes.
    fn text(&self, _: CodeHash) -> Option<Arc<[u8]>> {
        None
    }

    /// Whether this peer may have it.
    fn gives(&self, _peer: Eid, _hash: CodeHash) -> bool {
        true
    }

    /// Whether what a peer offers is wanted.
    ///
    /// # Errors
    /// Why it is not.
    fn wants(&self, _peer: Eid, _hash: CodeHash, _offer: &Offer) -> Result<(), Declined> {
        Err(Declined::NotAllowed)
    }

    /// Takes what a peer has pushed.
    ///
    /// # Errors
    /// Why it cannot.
    fn take(&self, _peer: Eid, _code: Code) -> Result<(), Declined> {
        Err(Declined::NotAllowed)
    }
}

/// Answers requests of peers, one after the other.
#[derive(Debug, Default)]
pub struct Desk {
    allowance: Allowance,
    arriving: Vec<Arriving>,
}

/// What a peer pushes.
#[derive(Debug)]
struct Arriving {
    peer: Eid,
    hash: CodeHash,
    fetch: Fetch,
    reserved: Reserved,
    /// When it was heard of last.
    heard: Instant,
}

/// What is answered.
#[derive(Debug)]
pub enum Reply {
    /// This, and no more.
    Answer(Answer),
    /// [`Supply::head`], then [`Supply::rest`].
    Supply(Supply),
}

/// Code on its way to a peer. Hand it back with [`Desk::sent`].
#[derive(Debug)]
pub struct Supply {
    packed: Packed,
    offset: u32,
    manifest: Vec<u8>,
    reserved: Reserved,
}

impl Supply {
    /// The first message.
    pub fn head(&self) -> Answer {
        Answer::Sends { offset: self.offset, offer: self.packed.offer(self.manifest.clone()) }
    }

    /// The packed form, and where in it begins what follows the first message.
    pub fn rest(&self) -> (&Arc<[u8]>, usize) {
        (self.packed.as_bytes(), self.offset as usize)
    }
}

impl From<FetchError> for Declined {
    fn from(error: FetchError) -> Declined {
        match error {
            FetchError::WrongHash => Declined::WrongHash,
            FetchError::Unpack(UnpackError::Bomb(_)) => Declined::Bomb,
            FetchError::Declined(declined) => declined,
            FetchError::Unpack(UnpackError::Damaged)
            | FetchError::Malformed(_)
            | FetchError::Endless(_)
            | FetchError::Cut { .. } => Declined::Malformed,
        }
    }
}

impl Desk {
    /// A desk within these limits.
    pub fn new(allowance: Allowance) -> Desk {
        Desk { allowance, ..Desk::default() }
    }

    /// What its peers have used.
    pub const fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Answers what a peer asks. It may pack or unpack a module, and the shelf may read files.
    pub fn answer(&mut self, shelf: &(impl Shelf + ?Sized), now: Instant, peer: Eid, request: Request) -> Reply {
        let answered = match request {
            Request::Ask(ask) => self.asked(shelf, now, peer, &ask).map(Reply::Supply),
            Request::Push { hash, offer } => self.pushed(shelf, now, peer, (hash, offer)).map(Reply::Answer),
            Request::Give(give) => self.given(shelf, now, peer, &give).map(Reply::Answer),
        };
        answered.unwrap_or_else(|declined| Reply::Answer(Answer::Declined(declined)))
    }

    /// A supply is over: so many bytes of its [`rest`](Supply::rest) were sent.
    pub fn sent(&mut self, supply: &Supply, bytes: usize) {
        let unsent = supply.packed.as_bytes().len() - supply.offset as usize;
        self.allowance.give_back(supply.reserved, unsent.saturating_sub(bytes) as u64);
    }

    fn asked(&mut self, shelf: &(impl Shelf + ?Sized), now: Instant, peer: Eid, ask: &Ask) -> Result<Supply, Declined> {
        self.allowance.begin(now, peer, Direction::Given)?;
        if !shelf.gives(peer, ask.hash) {
            return Err(Declined::NotAllowed);
        }
        let code = match ask.form {
            // A damaged one is nobody's.
            Form::Binary => shelf.module(ask.hash).filter(|module| code_hash(module) == ask.hash),
            Form::Text => shelf.text(ask.hash),
        };
        let packed = Packed::new(&code.ok_or(Declined::NotHere)?).map_err(|_| Declined::TooLarge)?;
        let manifest = shelf.manifest(ask.hash).unwrap_or_default();
        if manifest.len() > MANIFEST_MAX {
            return Err(Declined::TooLarge);
        }
        let size = packed.as_bytes().len() as u32;
        let right = ask.have.filter(|have| have.len <= size && have.packed_hash == *packed.hash());
        let offset = right.map_or(0, |have| have.len);
        let reserved = self.allowance.reserve(now, peer, Direction::Given, u64::from(size - offset))?;
        Ok(Supply { packed, offset, manifest, reserved })
    }

    fn pushed(
        &mut self,
        shelf: &(impl Shelf + ?Sized),
        now: Instant,
        peer: Eid,
        (hash, offer): (CodeHash, Offer),
    ) -> Result<Answer, Declined> {
        self.allowance.begin(now, peer, Direction::Taken)?;
        shelf.wants(peer, hash, &offer)?;
        let part = match self.arriving.iter().position(|it| it.peer == peer && it.hash == hash) {
            Some(at) => self.give_up(at).into_part(),
            None => None,
        };
        self.make_room(now, peer)?;
        let fetch = Fetch::offered(hash, offer.clone(), part);
        let offset = fetch.offset();
        let left = u64::from(offer.packed_size - offset);
        let reserved = self.allowance.reserve(now, peer, Direction::Taken, left)?;
        self.arriving.push(Arriving { peer, hash, fetch, reserved, heard: now });
        Ok(Answer::Take { offset })
    }

    /// Ends a push: what has come of it counts.
    fn give_up(&mut self, at: usize) -> Fetch {
        let Arriving { fetch, reserved, .. } = self.arriving.remove(at);
        let left = fetch.offer().map_or(0, |offer| offer.packed_size - fetch.offset());
        self.allowance.give_back(reserved, left.into());
        fetch
    }

    fn make_room(&mut self, now: Instant, peer: Eid) -> Result<(), Declined> {
        while let Some(at) = self.arriving.iter().position(|it| now.since(it.heard) >= PUSH_IDLE_MAX) {
            self.give_up(at);
        }
        let own = || self.arriving.iter().enumerate().filter(|(_, it)| it.peer == peer);
        if own().count() >= PUSHES_OF_PEER_MAX
            && let Some((at, _)) = own().min_by_key(|(_, it)| it.heard)
        {
            self.give_up(at);
        }
        if self.arriving.len() < PUSHES_MAX { Ok(()) } else { Err(Declined::Busy) }
    }

    fn given(
        &mut self,
        shelf: &(impl Shelf + ?Sized),
        now: Instant,
        peer: Eid,
        give: &Give,
    ) -> Result<Answer, Declined> {
        let known = self.arriving.iter().position(|it| it.peer == peer && it.hash == give.hash);
        let at = known.ok_or(Declined::NotOffered)?;
        let Arriving { fetch, heard, .. } = &mut self.arriving[at];
        *heard = now;
        let offset = fetch.offset();
        if give.offset != offset {
            return Ok(Answer::Take { offset });
        }
        let left = fetch.offer().map_or(0, |offer| (offer.packed_size - offset) as usize);
        // Many small pieces are as many requests.
        if give.piece.len() != left.min(PIECE_MAX) {
            self.give_up(at);
            return Err(Declined::Malformed);
        }
        match fetch.step(&mut give.piece.as_slice())? {
            Some(Step::Whole) => {
                let code = self.give_up(at).open()?;
                shelf.take(peer, code)?;
                Ok(Answer::Taken)
            }
            Some(Step::Begin { .. }) | None => Ok(Answer::Take { offset: fetch.offset() }),
        }
    }
}
