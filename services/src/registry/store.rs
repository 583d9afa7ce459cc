//! Where a registry keeps what hosts say.

use core::future::Future;
use core::pin::Pin;
use std::sync::Arc;

use tng_base::Eid;
use tng_stack::Network;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::wire::{emit_optional, optional};
use super::{Attended, Order, Policy, Statement};

/// What is kept of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it says of itself.
    pub statement: Statement,
    /// Who may know.
    pub policy: Policy,
    /// Where it is attended to.
    pub attended: Option<Attended>,
    /// Until when its lease lasts, in milliseconds since 1970.
    pub until_ms: u64,
}

/// What became of an entry that was put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Put {
    /// It is kept, and says something new.
    New,
    /// It says what was kept before, for longer.
    Renewed,
    /// What is kept is newer, or says something else under the same number.
    Older(Order),
    /// What is kept names another key that takes the place of the host's: the first one stays.
    OtherHeir,
    /// There is no room.
    Full,
}

/// What has changed in a store, by whatever registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// What is kept of this host.
    Of(Eid),
    /// Nobody knows what.
    Any,
}

/// Why a store does not answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// The answer of a store, when it comes.
pub type Waits<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What is called at each change. It must not wait, nor call the store.
pub type Heard = Arc<dyn Fn(Change) + Send + Sync>;

/// Keeps the newest entry of each host until its lease ends. The time of day, in milliseconds since 1970, is told with
/// each call.
pub trait Store: Send + Sync + 'static {
    /// Keeps the entry if it is newer than what is kept of its host, or the same for longer; see
    /// [`Entry::against`]. When it answers, a crash does not undo it any more, as far as the store outlives any.
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put>;

    /// What is kept of a host.
    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>>;

    /// Forgets those whose lease has ended.
    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()>;

    /// How many hosts something is kept of, as far as it knows without asking. Those whose lease has ended may be among
    /// them until they are [removed](Store::remove_expired).
    fn count(&self, now_ms: u64) -> usize;

    /// Has every change told from now on, also those that others make. Of what expires nothing is told.
    fn watch(&self, heard: Heard);

    /// What keeps it from all that it should do, although it may answer from what it has.
    fn trouble(&self) -> Option<StoreError> {
        None
    }
}

impl Entry {
    /// The network that it counts for: where its host was seen. What was published of a key counts for none.
    pub fn network(&self) -> Option<Network> {
        self.attended.as_ref().map(|attended| Network::of(attended.observed.ip()))
    }

    /// Whether both say by which key the host goes, and not by the same.
    fn names_another_heir_than(&self, kept: &Entry) -> bool {
        let heirs = kept.statement.word.heir().zip(self.statement.word.heir());
        heirs.is_some_and(|(first, other)| first != other)
    }

    /// Whether its lease lasts.
    pub const fn lasts(&self, now_ms: u64) -> bool {
        now_ms < self.until_ms
    }

    /// What becomes of it where `kept` is what is kept of its host: the rule of every store.
    pub fn against(&self, kept: Option<&Entry>, now_ms: u64) -> Put {
        match kept.filter(|kept| kept.lasts(now_ms)) {
            None => Put::New,
            Some(kept) if kept.statement == self.statement => {
                let same = kept.attended == self.attended && kept.policy == self.policy;
                if same { Put::Renewed } else { Put::New }
            }
            Some(kept) if self.names_another_heir_than(kept) => Put::OtherHeir,
            Some(kept) if kept.statement.order() < self.statement.order() => Put::New,
            Some(kept) => Put::Older(kept.statement.order()),
        }
    }
}

impl Repr<'_> for Entry {
    fn parse(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
        let (until_ms, policy, statement) = (reader.u64()?, Policy::parse(reader)?, Statement::parse(reader)?);
        Ok(Entry { statement, policy, attended: optional(reader, Attended::parse)?, until_ms })
    }

    fn wire_len(&self) -> usize {
        let attended = self.attended.as_ref().map_or(0, Repr::wire_len);
        8 + self.policy.wire_len() + self.statement.wire_len() + 1 + attended
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u64(self.until_ms)?;
        self.policy.emit(writer)?;
        self.statement.emit(writer)?;
        emit_optional(writer, self.attended.as_ref())
    }
}
