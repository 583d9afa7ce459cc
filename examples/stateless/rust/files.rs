//! A server of files that keeps nothing of its clients: `tng trickles get` fetches from it. The same in C is
//! `examples/stateless/c/files.c`.
//!
//! `cargo run -p tng --example stateless_files -- FOLDER ADDRESS STATE` prints a ticket. STATE is a folder for the
//! server's own key and the secret of its epochs. Kill it in the middle of a download and start it again: the download
//! goes on.
//!
//! What it would have kept of a download (which file, and where in it) it seals, and the client comes back with it.
use std::error::Error;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tng::trickles::{Answer, Application, Asked, Bytes, EpochSecret, Fault, Wall};
use tng::{Access, Endpoint, Identity, Secret32, StatelessService};
use tng_services::files::{Answer as Message, FaultCode, Meta, Mtime, SafePath};
use tng_services::stateless::{ASKING_MAX, Asking, What, fault_code};
use tng_wire::{Repr, Writer};

type Failure = Box<dyn Error + Send + Sync>;

/// What is sealed of a file: all that tells whether it is still the same, and which of its bytes stands at the first
/// place for which the state is good.
#[derive(Clone, PartialEq)]
struct Given {
    at: u64,
    inode: u64,
    size: u64,
    s: i64,
    ns: i64,
    path: SafePath,
}

/// Why a client gets nothing.
struct Wrong(FaultCode, &'static str);

const GIVEN: u8 = 1;
const PART: u8 = 2;

impl Given {
    fn seal(&self) -> Vec<u8> {
        let numbers = [self.at, self.inode, self.size, self.s.cast_unsigned(), self.ns.cast_unsigned()];
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        [&[GIVEN], &numbers[..], self.path.as_str().as_bytes()].concat()
    }

    fn unseal(state: &[u8]) -> Option<Given> {
        let mut rest = state.strip_prefix(&[GIVEN])?;
        let mut number = || {
            let (first, others) = rest.split_first_chunk()?;
            rest = others;
            Some(u64::from_be_bytes(*first))
        };
        let (at, inode, size) = (number()?, number()?, number()?);
        let (s, ns) = (number()?.cast_signed(), number()?.cast_signed());
        let path = SafePath::parse(std::str::from_utf8(rest).ok()?).ok()?;
        Some(Given { at, inode, size, s, ns, path })
    }
}

/// A hash that is computed beside, by a thread: a large file takes a while, in which others are answered. It may be
/// forgotten at any moment; then it is computed again.
#[derive(Default)]
enum Beside {
    #[default]
    Idle,
    UnderWay,
    /// Of this file, and so many of its bytes.
    Done(Given, u64, [u8; 32]),
}

/// A file that is no longer is hashed at once.
const HASHED_AT_ONCE_MAX: u64 = 1 << 20;

fn hash_of(file: &File, len: u64) -> std::io::Result<[u8; 32]> {
    Ok(*blake3::Hasher::new().update_reader(file.take(len))?.finalize().as_bytes())
}

struct Files {
    folder: PathBuf,
    beside: Arc<Mutex<Beside>>,
}

impl Files {
    /// Opens a file, and says what it is now.
    fn open(&self, at: u64, path: &SafePath) -> Result<(File, Given), Wrong> {
        let opened = File::open(self.folder.join(path.as_str()));
        let opened = opened.and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Wrong(FaultCode::NotFound, "there is no such file"),
            _ => Wrong(FaultCode::NotAllowed, "it cannot be opened"),
        })?;
        if !metadata.is_file() {
            return Err(Wrong(FaultCode::NotFound, "there is no such file"));
        }
        let (inode, size, s, ns) = (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        Ok((file, Given { at, inode, size, s, ns, path: path.clone() }))
    }

    /// Part of what asks for something has come.
    fn put(&self, asked: Asked<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Asked::Put { object, state, offset, is_end, reserved, data } = asked else { return Ok(()) };
        let taken = offset + data.len() as u64;
        if let Some(given) = state.and_then(Given::unseal) {
            // The further places of a file.
            let (file, given) = self.open(given.at, &given.path)?;
            return Files::begin(object, &file, &given, given.at, (taken, reserved), answer);
        }
        let asking = [state.and_then(|state| state.strip_prefix(&[PART])).unwrap_or_default(), data].concat();
        if asking.len() > ASKING_MAX {
            return Err(Wrong(FaultCode::BadRequest, "it is too long"));
        }
        if !is_end {
            answer.input(object, taken, None, &[&[PART], &asking[..]].concat());
            return Ok(());
        }
        let bad = |_| Wrong(FaultCode::BadRequest, "it asks for nothing that is known here");
        let Asking { what, start, path } = Asking::parse(&asking).map_err(bad)?;
        if what == What::Listing {
            return Err(Wrong(FaultCode::NotAllowed, "this server lists nothing: name a file"));
        }
        let (file, given) = self.open(0, &path)?;
        match what {
            What::File => Files::begin(object, &file, &given, start, (taken, reserved), answer),
            What::Hash => self.tell(object, &file, &given, Some(start), &reserved, answer),
            _ => self.tell(object, &file, &given, None, &reserved, answer),
        }
    }

    /// Says how to ask for the bytes of a file that belong to the reserved places, and sends those from byte `from` on.
    fn begin(
        object: u64,
        file: &File,
        given: &Given,
        from: u64,
        (taken, reserved): (u64, Bytes),
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        let (left, room) = (given.size.saturating_sub(given.at), reserved.end - reserved.start);
        let valid = reserved.start..reserved.start + left.min(room);
        if !valid.is_empty() && !answer.output(object, valid.clone(), &given.seal()) {
            // There is no room: the client asks again.
            return Ok(());
        }
        if left < room {
            // Here it ends.
            answer.skip(valid.end..reserved.end);
        } else {
            // It goes on in further places, for which the client comes back.
            answer.input(object, taken, None, &Given { at: given.at + room, ..given.clone() }.seal());
        }
        let place = valid.start.saturating_add(from.saturating_sub(given.at));
        if place < valid.end { Files::send(file, given, valid.start, place..valid.end, answer) } else { Ok(()) }
    }

    /// Sends bytes of a file, as many as there is room for.
    fn send(file: &File, given: &Given, valid_start: u64, range: Bytes, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let sent = answer.send_with(range, |place, buf| file.read_exact_at(buf, given.at + (place - valid_start)));
        sent.map(|_| ()).map_err(|_| Wrong(FaultCode::Changed, "it cannot be read"))
    }

    /// Tells size and time of a file and, if it is asked for, the hash of its first bytes, in one piece.
    fn tell(
        &self,
        object: u64,
        file: &File,
        given: &Given,
        hashed: Option<u64>,
        reserved: &Bytes,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        let modified = u32::try_from(given.ns).ok().and_then(|ns| Mtime::new(given.s, ns));
        let meta = Meta { mode: None, modified, holes: false };
        let mut messages = vec![Message::File { size: given.size, offset: 0, meta }];
        if let Some(hashed) = hashed {
            let len = if hashed == 0 { given.size } else { hashed.min(given.size) };
            let Some(hash) = self.hash(object, file, given, len, answer)? else { return Ok(()) };
            messages.push(Message::End { hash });
        }
        let mut text = [0; 128];
        let mut writer = Writer::new(&mut text);
        messages.iter().try_for_each(|message| message.emit(&mut writer)).expect("they are short");
        let len = writer.position();
        let end = reserved.start + len as u64;
        if end < reserved.end && answer.room() >= len + 64 {
            answer.send(reserved.start, &text[..len]);
            answer.skip(end..reserved.end);
        }
        Ok(())
    }

    /// The hash of so many bytes of a file; nothing if the client is told to ask again.
    fn hash(
        &self,
        object: u64,
        file: &File,
        given: &Given,
        len: u64,
        answer: &mut Answer<'_>,
    ) -> Result<Option<[u8; 32]>, Wrong> {
        let unreadable = |_| Wrong(FaultCode::Changed, "it cannot be read");
        let is_small = len <= HASHED_AT_ONCE_MAX;
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        match &*beside {
            Beside::Done(of, of_len, hash) if of == given && *of_len == len => return Ok(Some(*hash)),
            Beside::UnderWay if !is_small => {
                answer.fault(object, Fault::NotYet, "a hash is being computed: ask again");
                return Ok(None);
            }
            _ => {}
        }
        if !answer.may_compute(object, given.path.as_str().as_bytes(), &(0..0), 2) {
            return Ok(None);
        }
        if is_small {
            return hash_of(file, len).map(Some).map_err(unreadable);
        }
        let (file, given, place) = (file.try_clone().map_err(unreadable)?, given.clone(), Arc::clone(&self.beside));
        *beside = Beside::UnderWay;
        std::thread::spawn(move || {
            let done = hash_of(&file, len).map_or(Beside::Idle, |hash| Beside::Done(given, len, hash));
            *place.lock().unwrap_or_else(PoisonError::into_inner) = done;
        });
        answer.fault(object, Fault::NotYet, "the hash is being computed: ask again");
        Ok(None)
    }

    /// Bytes of a file are wanted.
    fn want(&self, asked: Asked<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Asked::Want { state, valid, ranges, .. } = asked else { return Ok(()) };
        let sealed = Given::unseal(state).ok_or(Wrong(FaultCode::BadRequest, "it is no state of a file"))?;
        let (file, given) = self.open(sealed.at, &sealed.path)?;
        if given != sealed {
            return Err(Wrong(FaultCode::Changed, "it was changed meanwhile"));
        }
        ranges.iter().try_for_each(|range| Files::send(&file, &given, valid.start, range, answer))
    }
}

impl Application for Files {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let (object, done) = match asked {
            Asked::Put { object, .. } => (object, self.put(asked, answer)),
            Asked::Want { object, .. } => (object, self.want(asked, answer)),
            Asked::Close | Asked::Bad { .. } => return,
        };
        if let Err(Wrong(code, why)) = done {
            answer.fault(object, Fault::Application(fault_code(code)), why);
        }
    }
}

/// What stays from one run to the next: the number of this epoch when it was made, and a secret.
fn kept(path: &Path) -> Result<EpochSecret, Failure> {
    if !path.exists() {
        #[allow(clippy::disallowed_methods, reason = "a program goes by its host's clock")]
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let number = EpochSecret::number_at(Wall::from_millis(since_1970.as_millis() as u64));
        let bytes = [&number.to_be_bytes()[..], tng::random_seed()?.expose()].concat();
        File::options().write(true).create_new(true).mode(0o600).open(path)?.write_all(&bytes)?;
    }
    let bytes = fs::read(path)?;
    let (number, secret) = bytes.split_first_chunk().ok_or("the file is too short")?;
    Ok(EpochSecret::new(u64::from_be_bytes(*number), Secret32::from_bytes(secret.try_into()?)))
}

/// Serves a folder until the endpoint is closed.
///
/// # Errors
/// If there is no address, or no place for what stays.
pub async fn serve(folder: &Path, address: &str, state: &Path) -> Result<Endpoint, Failure> {
    let folder = folder.to_owned();
    let service = StatelessService::new(kept(&state.join("epoch"))?, move || Files {
        folder: folder.clone(),
        beside: Arc::default(),
    });
    let identity = Identity::from_seed(*kept(&state.join("identity"))?.expose());
    let builder = Endpoint::builder().bind(address.parse()?).access(Access::Public).identity(identity).threads(1);
    Ok(builder.serve_stateless(service).build().await?)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, address, state] = arguments.as_slice() else { return Err("FOLDER ADDRESS STATE".into()) };
    let endpoint = serve(folder.as_ref(), address, state.as_ref()).await?;
    println!("{}", endpoint.ticket()?);
    tokio::signal::ctrl_c().await?;
    endpoint.close().await;
    Ok(())
}
