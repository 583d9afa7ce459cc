//! The tickets of this host: a file beside its key that says which of them are good. It holds no secrets: what opens a
//! door is made from the key, and is worth nothing unless it is listed here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tng::{Access, Endpoint, ListedTicket, TicketId, Tickets};

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{folder_of, make_private_folder, write_over};
use crate::talk::shown;

/// Longest file of tickets that is read, in bytes.
pub const TICKETS_FILE_MAX: u64 = 4 << 20;
/// How often a server looks whether the file of tickets has changed.
pub const TICKETS_READ_EVERY: Duration = Duration::from_millis(250);
/// The ticket that a server makes by itself.
pub const FIRST: &str = "first";

/// What stands in the file.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Book {
    /// What is served with this key, by a name that says what.
    pub doors: BTreeMap<String, Door>,
}

/// Something that is served, or was.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Door {
    /// Where, the last time.
    pub addresses: Vec<std::net::SocketAddr>,
    /// The tickets that are good, by the names of those who have them.
    pub tickets: BTreeMap<String, Issued>,
}

/// A ticket that is good.
#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub struct Issued {
    /// Its number.
    pub id: u64,
    /// How often it was made anew.
    pub generation: u32,
    /// When it expires, in seconds since 1970.
    pub expires_s: Option<u64>,
}

impl Issued {
    /// A new ticket.
    ///
    /// # Errors
    /// If the system gives no randomness.
    pub fn new(expires_s: Option<u64>) -> Result<Issued, Failure> {
        let seed = tng::random_seed().map_err(|error| Failure::read("drawing the number of a ticket", &error))?;
        Ok(Issued { id: u64::from_be_bytes(core::array::from_fn(|i| seed.expose()[i])), generation: 1, expires_s })
    }

    /// Whether it has expired.
    pub fn is_over(&self) -> bool {
        self.expires_s.is_some_and(|expires| expires <= clock::seconds_since_1970())
    }
}

impl Door {
    /// What opens it: `none` with these tickets listed.
    pub fn tickets(&self, none: &Tickets) -> Tickets {
        let mut tickets = none.clone();
        for issued in self.tickets.values() {
            tickets
                .list(TicketId(issued.id), ListedTicket { generation: issued.generation, expires_s: issued.expires_s });
        }
        tickets
    }
}

/// Where the file is.
#[derive(Clone, Debug)]
pub struct Store {
    key: PathBuf,
}

impl Store {
    /// Beside a key file.
    pub fn beside(key: &Path) -> Store {
        Store { key: key.to_owned() }
    }

    fn place(&self, end: &str) -> PathBuf {
        let mut name: OsString = self.key.as_os_str().to_owned();
        name.push(end);
        name.into()
    }

    fn book(&self) -> PathBuf {
        self.place(".tickets")
    }

    /// Waits until servers that run have seen what was changed.
    pub fn settle() {
        clock::rest(TICKETS_READ_EVERY * 2);
    }

    /// What is in the file; nothing if there is none.
    ///
    /// # Errors
    /// If it cannot be read or understood.
    pub fn read(&self) -> Result<Book, Failure> {
        let (path, what) = (self.book(), || format!("reading the tickets in {}", shown(&self.book())));
        let text = File::open(&path).and_then(|file| io::read_to_string(io::Read::take(file, TICKETS_FILE_MAX)));
        match text {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                let failure = Failure::new(Exit::Read, what(), format!("it is no list of tickets: {error}"));
                failure.or_try("move it away: the tickets in it are void then, and new ones are made")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Book::default()),
            Err(error) => Err(Failure::read(what(), &error)),
        }
    }

    /// Changes what is in the file; other processes wait meanwhile.
    ///
    /// # Errors
    /// As `change`, or if the file cannot be read or written. Then it stays as it was.
    pub fn change<T>(&self, change: impl FnOnce(&mut Book) -> Result<T, Failure>) -> Result<T, Failure> {
        let failed =
            |error: io::Error| Failure::write(format!("writing the tickets to {}", shown(&self.book())), &error);
        make_private_folder(folder_of(&self.key)).map_err(failed)?;
        let lock = private(OpenOptions::new().write(true).create(true).truncate(false), &self.place(".tickets.lock"))
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut book = self.read()?;
        let changed = change(&mut book)?;
        let text = serde_json::to_string_pretty(&book).expect("names and numbers are JSON");
        write_over(&self.book(), &text).map_err(failed)?;
        Ok(changed)
    }

    /// Writes a ticket to a file of its own, for `@FILE`, and answers where.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_ticket(&self, name: &str, ticket: &str) -> Result<PathBuf, Failure> {
        let path = self.place(&format!(".{name}.ticket"));
        write_over(&path, ticket)
            .map_err(|error| Failure::write(format!("writing the ticket to {}", shown(&path)), &error))?;
        Ok(path)
    }

    /// What changes when the file does.
    fn stamp(&self) -> Option<(u64, i64, i64, u64)> {
        let found = fs::metadata(self.book()).ok()?;
        Some((found.ino(), found.mtime(), found.mtime_nsec(), found.len()))
    }

    /// Reads the file again whenever it has changed, for as long as the endpoint is open: who comes in from then on,
    /// and who stays, is what it says of `door`. If it cannot be read, what it said before counts.
    pub async fn follow(self, door: String, none: Tickets, endpoint: Endpoint) {
        // Looked at before it is read: what changes in between is seen the next time.
        let mut seen = None;
        loop {
            let stamp = self.stamp();
            if stamp != seen {
                match self.read() {
                    Ok(book) => {
                        let tickets = book.doors.get(&door).map_or_else(|| none.clone(), |door| door.tickets(&none));
                        endpoint.set_access(Access::Tickets(tickets));
                    }
                    Err(failure) => tracing::warn!("{failure}"),
                }
                seen = stamp;
            }
            tokio::time::sleep(TICKETS_READ_EVERY).await;
        }
    }
}

fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).open(path)
}

/// Reads how long a ticket is good: `90s`, `30m`, `12h`, `7d`.
///
/// # Errors
/// If that is no time.
pub fn lifetime(text: &str) -> Result<Duration, String> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let parsed = units.iter().find_map(|(unit, s)| Some((text.strip_suffix(*unit)?.parse::<u64>().ok()?, s)));
    let seconds =
        parsed.and_then(|(number, s)| number.checked_mul(*s)).filter(|s| (1..=u64::from(u32::MAX)).contains(s));
    seconds.map(Duration::from_secs).ok_or_else(|| "write a time such as 90s, 30m, 12h or 7d".to_owned())
}

/// When a ticket expires that is good for so long from now on.
pub fn expires_s(lifetime: Option<Duration>) -> Option<u64> {
    lifetime.map(|lifetime| clock::seconds_since_1970() + lifetime.as_secs())
}

/// How long a ticket is good, for people.
pub fn left(expires_s: Option<u64>) -> String {
    let Some(expires) = expires_s else { return "does not expire".to_owned() };
    match expires.saturating_sub(clock::seconds_since_1970()) {
        0 => "has expired".to_owned(),
        s @ 1..120 => format!("expires in {s} s"),
        s @ 120..7200 => format!("expires in {} min", s / 60),
        s @ 7200..172_800 => format!("expires in {} h", s / 3600),
        // To the nearest: one that was made for a week lasts seven days.
        s => format!("expires in {} days", (s + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_for_its_owner_alone_and_survives_being_changed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::beside(&folder.path().join("a/key"));
        assert!(store.read().expect("none is no failure").doors.is_empty());
        let issued = Issued::new(Some(7)).expect("a number");
        let add = |book: &mut Book| {
            book.doors.entry("files:/x".to_owned()).or_default().tickets.insert("alice".to_owned(), issued);
            Ok(())
        };
        store.change(add).expect("written");
        let refused = store.change(|book| {
            book.doors.clear();
            Err::<(), _>(Failure::usage("changing", "no"))
        });
        assert!(refused.is_err());
        let read = store.read().expect("read");
        assert_eq!(read.doors["files:/x"].tickets["alice"].id, issued.id);
        assert!(read.doors["files:/x"].tickets["alice"].is_over());
        let ticket = store.write_ticket("photos", "tng1abc").expect("written");
        for path in [store.book(), ticket] {
            assert_eq!(fs::metadata(path).expect("there").mode() & 0o777, 0o600);
        }
        fs::write(store.book(), "nonsense").expect("written");
        assert!(store.read().is_err() && store.change(|_| Ok(())).is_err(), "and it is left as it is");
    }

    #[test]
    fn a_lifetime_is_a_number_with_a_unit() {
        assert_eq!(lifetime("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!((lifetime("90s"), lifetime("2h")), (Ok(Duration::from_secs(90)), Ok(Duration::from_secs(7200))));
        for text in ["", "7", "d", "0s", "-1d", "7 d", "99999999999d", "ß"] {
            assert!(lifetime(text).is_err(), "{text}");
        }
    }
}
