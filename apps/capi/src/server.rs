//! A server that keeps nothing of its clients, and its minisockets.

use core::convert::Infallible;
use core::mem::MaybeUninit;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, RawFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::uio::pread;
use tng::trickles::{Bytes, EpochSecrets, Fault, KeysError, ServerStats, Wall};
use tng::{Access, TIME_TOLD_EVERY, Ticket, TicketFull, random_seed, told_addresses};
use tng_base::Instant;
use tng_endpoint::Port;
use tng_trickles::minisocket::{Answer, Application, Asked, Event as Happened, InstallError, Minisocket};
use tng_trickles::server::{Beginnings, QUEUE_MAX, Server as Machine};
use tng_trickles::{Keys, STATE_LEN_MAX, WallClock};

use crate::errno::{Told, of_system};
use crate::events::{Ask, Event, MSK_WANT};
use crate::handles::{HandleError, Handles};
use crate::keys::{self, KeyFileError};
use crate::settings;
use crate::turns::{Taker, Turns};

/// Minisockets that a program may have detached, at most: beyond it msk_detach fails.
pub const DETACHED_MAX: usize = 1_024;

/// Largest place in a client's row of bytes.
const PLACE_MAX: u64 = (1 << 62) - 1;

/// Why a server is not opened.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// A file with a secret.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// Caller: the secrets are not of this time.
    #[error("{0}")]
    Keys(#[from] KeysError),
    /// Caller: what opens the door is too long.
    #[error("{0}")]
    Capability(TicketFull),
    /// Environment: no socket can be bound there.
    #[error("{0}: {1}; another address or port may be free")]
    Bind(SocketAddr, io::Error),
    /// Environment: the system has no random numbers.
    #[error("drawing random numbers: {0}")]
    Random(io::Error),
}

impl Told for ListenError {
    fn errno(&self) -> Errno {
        match self {
            ListenError::File(error) => error.errno(),
            ListenError::Keys(_) => Errno::EKEYREJECTED,
            ListenError::Capability(_) => Errno::EINVAL,
            ListenError::Bind(_, error) | ListenError::Random(error) => of_system(error),
        }
    }
}

/// Why something is not told to a client.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The handle.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// Caller: more than the client may be sent. Nothing was sent, and the minisocket is as it was.
    #[error(
        "{asked} bytes from place {place} on are more than the {granted} that may be sent there: msk_grant says so"
    )]
    Grant {
        /// Where they begin.
        place: u64,
        /// How many they are.
        asked: u64,
        /// How many may be sent.
        granted: u64,
    },
    /// Caller: nothing is asked for that these bytes could be.
    #[error("no place is named, and nothing is asked for: name one")]
    NoPlace,
    /// Caller: no bytes have such places.
    #[error("objects, places and lengths are below 2^62, and a range begins before it ends")]
    BadRange,
    /// Environment: the file cannot be read. What was read before is in the answer.
    #[error("reading the file: {0}; tell the client with msk_fault, and send")]
    File(io::Error),
    /// Environment: the file is shorter. What was read before is in the answer.
    #[error("the file ends before the bytes that were to be sent: tell the client with msk_fault, and send")]
    Ended,
    /// Caller: a state that is too long.
    #[error("a state has {STATE_LEN_MAX} bytes at most, this has {0}")]
    State(usize),
    /// Caller: a code that is the protocol's.
    #[error("{0} is no code of a fault: codes from 64 on are the program's, and MSK_OVERLOADED and MSK_NOT_YET")]
    Code(u64),
    /// There is no room in the answer: what was told before has taken it.
    #[error("the answer has no room for it: send the answer, and the client asks for the rest again")]
    NoRoom,
}

impl Told for SendError {
    fn errno(&self) -> Errno {
        match self {
            SendError::Handle(error) => error.errno(),
            SendError::Grant { .. } | SendError::State(_) => Errno::EMSGSIZE,
            SendError::NoPlace | SendError::BadRange | SendError::Code(_) => Errno::EINVAL,
            SendError::File(error) => of_system(error),
            SendError::Ended => Errno::ENODATA,
            SendError::NoRoom => Errno::ENOBUFS,
        }
    }
}

/// Why a minisocket is not detached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DetachError {
    /// The handle.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// Caller: too many are.
    #[error("{DETACHED_MAX} minisockets are detached already: answer or drop some of them")]
    TooMany,
}

impl Told for DetachError {
    fn errno(&self) -> Errno {
        match self {
            DetachError::Handle(error) => error.errno(),
            DetachError::TooMany => Errno::EMFILE,
        }
    }
}

/// Why a minisocket is not extracted. It is as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExtractError {
    /// The handle.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// Caller: it belongs to a set-up.
    #[error("it is of MSK_OPEN, whose answer this server alone can seal: answer it here")]
    SetUp,
    /// Caller: it does not fit.
    #[error("the buffer has no room for it: it takes up to {0} bytes more")]
    NoRoom(usize),
}

impl Told for ExtractError {
    fn errno(&self) -> Errno {
        match self {
            ExtractError::Handle(error) => error.errno(),
            ExtractError::SetUp => Errno::EOPNOTSUPP,
            ExtractError::NoRoom(_) => Errno::ENOSPC,
        }
    }
}

/// Bytes on their way to a client.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// From memory; without a place they are those that are asked for first.
    Bytes {
        /// Where they belong in the client's row.
        place: Option<u64>,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// From a file.
    File {
        /// Where they belong in the client's row.
        place: u64,
        /// The file.
        file: BorrowedFd<'a>,
        /// Where they stand in it.
        offset: u64,
        /// How many.
        len: u64,
    },
}

impl Piece<'_> {
    fn range(&self, first: Option<u64>) -> Result<Bytes, SendError> {
        let (start, len) = match self {
            Piece::Bytes { bytes: [], .. } => (0, 0),
            Piece::Bytes { place, bytes } => (place.or(first).ok_or(SendError::NoPlace)?, bytes.len() as u64),
            Piece::File { place, len, .. } => (*place, *len),
        };
        checked(start, start.saturating_add(len))
    }

    fn tell(&self, range: Bytes, answer: &mut Answer<'_>) -> Result<(), SendError> {
        match *self {
            Piece::Bytes { bytes, .. } => _ = answer.send(range.start, bytes),
            Piece::File { file, offset, .. } => {
                let start = range.start;
                answer.send_with(range, |place, buf| read_at(file, offset + (place - start), buf))?;
            }
        }
        Ok(())
    }
}

fn checked(start: u64, end: u64) -> Result<Bytes, SendError> {
    if start <= end && end <= PLACE_MAX { Ok(start..end) } else { Err(SendError::BadRange) }
}

fn number(number: u64) -> Result<u64, SendError> {
    if number <= PLACE_MAX { Ok(number) } else { Err(SendError::BadRange) }
}

/// Reads all of `buf`.
fn read_at(file: BorrowedFd<'_>, offset: u64, mut buf: &mut [u8]) -> Result<(), SendError> {
    let mut offset = i64::try_from(offset).map_err(|_| SendError::Ended)?;
    while !buf.is_empty() {
        match pread(file, buf, offset) {
            Ok(0) => return Err(SendError::Ended),
            Ok(len) => (buf, offset) = (&mut buf[len..], offset.saturating_add(len as i64)),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(SendError::File(error.into())),
        }
    }
    Ok(())
}

/// How a client is to ask for something.
#[derive(Clone, Debug)]
pub enum Continuation {
    /// For bytes of an object.
    Output {
        /// Those that the state is good for.
        valid: Bytes,
    },
    /// With the rest of what asks for an object.
    Input {
        /// How much of it has been taken.
        taken: u64,
        /// Where the next part should end, if that matters.
        until: Option<u64>,
    },
}

/// In the place of an application, which is a C program.
#[derive(Debug)]
struct Version(u16);

impl Application for Version {
    fn version(&self) -> u16 {
        self.0
    }

    /// Events are kept, and the program answers them.
    fn handle(&mut self, _: Asked<'_>, _: &mut Answer<'_>) {}
}

type Sole = Port<(Machine<Version>,)>;

/// Leaves events where they are.
struct Queue;

impl Taker<Sole> for Queue {
    fn take(&mut self, _: Infallible) {}

    fn has_some(&self, machine: &Sole) -> bool {
        machine.tenants().0.events().len() > 0
    }
}

/// A minisocket that the program knows.
#[derive(Debug)]
struct Held {
    minisocket: Box<Minisocket>,
    /// What it asks for: the program has been given where this lies.
    asks: Vec<Ask>,
    is_detached: bool,
}

/// A server.
#[derive(Debug)]
pub struct Server {
    turns: Turns<Sole>,
    held: Handles<Held>,
    /// Given out since the last poll.
    attached: Vec<u64>,
    detached: usize,
    /// Kept for their memory.
    spare: Vec<Vec<Ask>>,
    /// When the machine was told the time of day.
    told_at: Instant,
    ticket: Ticket,
    epochs: PathBuf,
}

#[expect(clippy::disallowed_methods, reason = "a server on a socket goes by its host's clock")]
fn wall() -> Wall {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Wall::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// What a server is opened with.
#[derive(Debug)]
pub struct Opening<'a> {
    /// Where it listens.
    pub address: SocketAddr,
    /// File of its identity.
    pub key: &'a Path,
    /// File of its fleet's secrets.
    pub epochs: &'a Path,
    /// What opens its door; empty: everybody comes in.
    pub capability: &'a [u8],
    /// Whether others have the same secrets.
    pub is_one_of_several: bool,
    /// Of what the program seals.
    pub version: u16,
}

impl Server {
    /// Opens a server.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn listen(opening: &Opening<'_>) -> Result<Server, ListenError> {
        let Opening { address, key, epochs, capability, is_one_of_several, version } = *opening;
        let identity = keys::identity(key)?;
        let secrets: EpochSecrets = keys::epochs(epochs)?;
        let clock = WallClock::set(Instant::ZERO, wall());
        let keys = Keys::new(secrets, clock.at(Instant::ZERO))?;
        let access = match capability {
            [] => Access::Public,
            capability => Access::Capability(capability.to_vec()),
        };
        // Who is let in by a secret is asked for it again when the keys of the connection are over.
        let renews = capability.is_empty();
        let config = tng_trickles::server::ServerConfig { renews, ..settings::config(is_one_of_several) };
        let eid = identity.eid();
        let entropy = *random_seed().map_err(ListenError::Random)?.expose();
        let access = Box::new(move |peer, shown: Option<&[u8]>| access.admits(peer, shown));
        let beginnings = Beginnings { identity, keys, access, clock, entropy };
        let mut machine = Machine::new(config, beginnings, Version(version), Instant::ZERO);
        machine.keep_events(true);
        let bind = |error| ListenError::Bind(address, error);
        let turns = Turns::new(address, || Port::new((machine,))).map_err(bind)?;
        let addresses = told_addresses(turns.local_addr().map_err(bind)?);
        let ticket = Ticket::new(eid, addresses, capability.to_vec()).map_err(ListenError::Capability)?;
        Ok(Server {
            turns,
            held: Handles::new(QUEUE_MAX + DETACHED_MAX),
            attached: Vec::new(),
            detached: 0,
            spare: Vec::new(),
            told_at: Instant::ZERO,
            ticket,
            epochs: epochs.to_owned(),
        })
    }

    /// The descriptor to wait for.
    pub fn number(&self) -> RawFd {
        self.turns.number()
    }

    /// What clients need to reach it.
    pub fn ticket(&self) -> String {
        self.ticket.to_string()
    }

    /// What it has done.
    pub fn stats(&self) -> ServerStats {
        *self.turns.machine().tenants().0.stats()
    }

    fn machine(&mut self) -> &mut Machine<Version> {
        &mut self.turns.machine_mut().tenants_mut().0
    }

    /// Reads the file of the fleet's secrets again.
    ///
    /// # Errors
    /// A [`ListenError`]; the server goes by what it had.
    pub fn rekey(&mut self) -> Result<(), ListenError> {
        let (secrets, now) = (keys::epochs(&self.epochs)?, self.turns.now());
        Ok(self.machine().set_secrets(now, secrets)?)
    }

    /// Lets go what was given out before and neither answered nor detached, sends what was answered, and waits so long
    /// (`None`: as long as it takes) for something to happen. Answers how many events there are.
    ///
    /// # Errors
    /// What the system answers; `Interrupted` if a signal came.
    pub fn poll(&mut self, out: &mut [MaybeUninit<Event>], timeout: Option<Duration>) -> io::Result<usize> {
        while let Some(handle) = self.attached.pop() {
            if self.held.get(handle).is_ok_and(|held| !held.is_detached) {
                // It is there.
                let _ = self.let_go(handle);
            }
        }
        let now = self.turns.now();
        if now.since(self.told_at) >= TIME_TOLD_EVERY {
            self.told_at = now;
            self.machine().set_clock(WallClock::set(now, wall()));
        }
        self.turns.run(timeout, &mut Queue)?;
        let most = self.turns.machine().tenants().0.events().len().min(out.len());
        let mut count = 0;
        for _ in 0..most {
            if let Some(minisocket) = self.machine().detach(0)
                && let Some(event) = self.hold(minisocket)
            {
                out[count].write(event);
                count += 1;
            }
        }
        Ok(count)
    }

    /// Gives a minisocket out.
    fn hold(&mut self, mut minisocket: Box<Minisocket>) -> Option<Event> {
        let now = self.turns.now();
        let mut asks = self.spare.pop().unwrap_or_default();
        asks.clear();
        let mut closes = false;
        let machine = &mut self.turns.machine_mut().tenants_mut().0;
        machine.hear(now, &mut minisocket, |asked| closes |= Ask::add(&asked, &mut asks));
        let (_, answer) = machine.converse(now, &mut minisocket);
        let mut rehearsal = answer.rehearse();
        for ask in asks.iter_mut().filter(|ask| ask.kind == MSK_WANT) {
            ask.end = rehearsal.send(ask.start..ask.end);
        }
        let (client, room) = (*minisocket.client(), minisocket.room());
        let lies = Held { minisocket, asks, is_detached: false };
        // As many are given out at once as wait at most, and more are not detached than there is room for.
        let handle = self.held.insert(lies).ok()?;
        self.attached.push(handle);
        let held = self.held.get(handle).ok()?;
        Some(Event::of_server(&client, handle, &held.asks, room, closes))
    }

    /// A minisocket is not the program's any more.
    fn take(&mut self, msk: u64) -> Result<Box<Minisocket>, HandleError> {
        let Held { minisocket, asks, is_detached } = self.held.take(msk)?;
        self.detached -= usize::from(is_detached);
        self.spare.push(asks);
        Ok(minisocket)
    }

    fn answer<'a>(&'a mut self, msk: u64) -> Result<Answer<'a>, HandleError> {
        let now = self.turns.now();
        let held = self.held.get(msk)?;
        let machine = &mut self.turns.machine_mut().tenants_mut().0;
        Ok(machine.converse(now, &mut held.minisocket).1)
    }

    /// Sends these, after all that was told before; the minisocket is gone then. Answers how many bytes they are.
    ///
    /// # Errors
    /// [`SendError`]: nothing was sent, and the minisocket is there.
    pub fn send<'p>(&mut self, msk: u64, pieces: impl Iterator<Item = Piece<'p>> + Clone) -> Result<u64, SendError> {
        let first = self.held.get(msk)?.asks.first().map(|ask| ask.start);
        let mut answer = self.answer(msk)?;
        let (mut rehearsal, mut sum) = (answer.rehearse(), 0);
        for piece in pieces.clone() {
            let Bytes { start, end } = piece.range(first)?;
            let granted = rehearsal.send(start..end);
            if granted < end {
                return Err(SendError::Grant { place: start, asked: end - start, granted: granted - start });
            }
            sum += end - start;
        }
        for piece in pieces {
            piece.tell(piece.range(first)?, &mut answer)?;
        }
        let minisocket = self.take(msk)?;
        self.machine().send(minisocket);
        Ok(sum)
    }

    /// How many bytes may be sent from this place on.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn grant(&mut self, msk: u64, place: u64) -> Result<u64, SendError> {
        let range = checked(place, PLACE_MAX)?;
        Ok(self.answer(msk)?.rehearse().send(range) - place)
    }

    /// Tells how the client is to ask for something.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn set_continuation(
        &mut self,
        msk: u64,
        object: u64,
        how: Continuation,
        state: &[u8],
    ) -> Result<(), SendError> {
        if state.len() > STATE_LEN_MAX {
            return Err(SendError::State(state.len()));
        }
        let object = number(object)?;
        let mut answer = self.answer(msk)?;
        let is_told = match how {
            Continuation::Output { valid } => answer.output(object, checked(valid.start, valid.end)?, state),
            Continuation::Input { taken, until } => {
                answer.input(object, number(taken)?, until.map(number).transpose()?, state)
            }
        };
        if is_told { Ok(()) } else { Err(SendError::NoRoom) }
    }

    /// Says that nothing comes for these bytes.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn skip(&mut self, msk: u64, bytes: Bytes) -> Result<(), SendError> {
        let bytes = checked(bytes.start, bytes.end)?;
        let mut answer = self.answer(msk)?;
        if bytes.is_empty() || answer.skip(bytes) { Ok(()) } else { Err(SendError::NoRoom) }
    }

    /// Says that an object does not come.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn fault(&mut self, msk: u64, object: u64, code: u64, text: &str) -> Result<(), SendError> {
        let fault = match code {
            MSK_OVERLOADED => Fault::Overloaded,
            MSK_NOT_YET => Fault::NotYet,
            Fault::APPLICATION..=PLACE_MAX => Fault::Application(code),
            _ => return Err(SendError::Code(code)),
        };
        let object = number(object)?;
        if self.answer(msk)?.fault(object, fault, text) { Ok(()) } else { Err(SendError::NoRoom) }
    }

    /// Whether something expensive may be computed; if not, the client is told in the answer.
    ///
    /// # Errors
    /// [`SendError`].
    pub fn may_compute(&mut self, msk: u64, object: u64, name: &[u8], retries: u8) -> Result<bool, SendError> {
        let object = number(object)?;
        Ok(self.answer(msk)?.may_compute(object, name, &(0..0), retries))
    }

    /// Lets a minisocket go: its client sees packets lost.
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn let_go(&mut self, msk: u64) -> Result<(), HandleError> {
        let minisocket = self.take(msk)?;
        self.machine().drop_minisocket(minisocket);
        Ok(())
    }

    /// Keeps a minisocket beyond the next poll.
    ///
    /// # Errors
    /// [`DetachError`].
    pub fn detach(&mut self, msk: u64) -> Result<(), DetachError> {
        let held = self.held.get(msk)?;
        if !held.is_detached {
            if self.detached >= DETACHED_MAX {
                return Err(DetachError::TooMany);
            }
            held.is_detached = true;
            self.detached += 1;
        }
        Ok(())
    }

    /// Puts what another server can install of a minisocket into `out`, and answers how long it is. The minisocket is
    /// gone then.
    ///
    /// # Errors
    /// [`ExtractError`].
    pub fn extract(&mut self, msk: u64, out: &mut [u8]) -> Result<usize, ExtractError> {
        let now = self.turns.now();
        let held = self.held.get(msk)?;
        if matches!(held.minisocket.client().event, Happened::Open { .. }) {
            return Err(ExtractError::SetUp);
        }
        let most = LENGTH + held.minisocket.extracted_len_max();
        if most > out.len() {
            return Err(ExtractError::NoRoom(most));
        }
        let minisocket = self.take(msk)?;
        let extracted = self.machine().extract(now, minisocket).ok_or(ExtractError::SetUp)?;
        let (length, rest) = out.split_at_mut(LENGTH);
        length.copy_from_slice(&(extracted.len() as u32).to_be_bytes());
        rest[..extracted.len()].copy_from_slice(&extracted);
        Ok(LENGTH + extracted.len())
    }

    /// Puts the first minisocket of a collection into the queue. Answers how long it was.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn install(&mut self, collection: &[u8]) -> Result<usize, InstallError> {
        let now = self.turns.now();
        let (length, rest) = collection.split_first_chunk::<LENGTH>().ok_or(InstallError::Malformed)?;
        let len = u32::from_be_bytes(*length) as usize;
        let extracted = rest.get(..len).ok_or(InstallError::Malformed)?;
        self.machine().install(now, extracted)?;
        Ok(LENGTH + len)
    }
}

/// Bytes that say how long a minisocket of a collection is.
const LENGTH: usize = 4;

/// For msk_fault: the server has no room for it now, and the client asks again later.
pub const MSK_OVERLOADED: u64 = 5;
/// For msk_fault: the object is being made, and the client asks again soon.
pub const MSK_NOT_YET: u64 = 6;
