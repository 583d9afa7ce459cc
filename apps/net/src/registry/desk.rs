//! The registry's side of registration: a desk, a store behind it, and the hosts that have a connection here.

use core::array;
use core::time::Duration;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tng_base::Eid;
use tng_services::help::Token;
use tng_services::registry::{
    Answer, Ask, BODY_MAX, Caller, Change, Denied, Desk, DeskConfig, Entry, HEAD_LEN, Introduced, Order, PROTOCOL,
    Push, Put, SERVICE, Store, StoreError,
};
use tng_wire::{Reader, Repr};
use tokio::sync::{Notify, mpsc};

use crate::endpoint::{Endpoint, time_of_day, unix};
use crate::error::BindError;
use crate::events::{ConnectionEvent, Events};
use crate::lock::Clock;
use crate::serve::{self, Request, ServeOptions};
use crate::stream::SendStream;

/// How often those are forgotten whose lease has ended.
pub const SWEEP_EVERY: Duration = Duration::from_secs(10);
/// Introductions that wait to be told to one host; further ones are not told.
pub const TOLD_KEPT: usize = 16;
/// Requests that are worked on, beside those that attend or watch.
const REQUESTS_MAX: usize = 4_096;
/// Requests of one connection that are worked on: it attends once, and watches some hosts.
const REQUESTS_PER_CONNECTION_MAX: usize = 64;

/// Code of a request that is no [`Ask`].
const MALFORMED: u64 = 1;

/// What a registry has done, and holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RegistryStats {
    /// Hosts that are registered, in all of the store as far as this registry knows it.
    pub registered: usize,
    /// Hosts that have a connection here.
    pub attending: usize,
    /// Hosts that are watched.
    pub watched: usize,
    /// Statements that were kept, or kept for longer.
    pub registrations: u64,
    /// Look-ups that found a host.
    pub found: u64,
    /// Look-ups of hosts that nobody has registered.
    pub absent: u64,
    /// Look-ups of hosts whose policy keeps them from the asker, who is told what is told of those that are absent.
    pub hidden: u64,
    /// Introductions.
    pub introductions: u64,
    /// Requests that were denied.
    pub denied: RegistryDenials,
    /// How often the store did not answer.
    pub store_failures: u64,
}

/// Requests that a registry has denied, by the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RegistryDenials([u64; REASONS.len()]);

/// Why a registry denies something, in a word.
const REASONS: [&str; 10] = [
    "too_often",
    "full",
    "not_signed",
    "expired",
    "older",
    "succeeded",
    "revoked",
    "other_heir",
    "not_attended",
    "unavailable",
];

/// The word. What is older than a word of the key itself is not behind: the key is not in use any more.
const fn reason(denied: Denied) -> &'static str {
    match denied {
        Denied::TooOften => "too_often",
        Denied::Full => "full",
        Denied::NotSigned => "not_signed",
        Denied::Expired => "expired",
        Denied::Older(Order { rank: 0, .. }) => "older",
        Denied::Older(Order { rank: 1, .. }) => "succeeded",
        Denied::Older(_) => "revoked",
        Denied::OtherHeir => "other_heir",
        Denied::NotAttended => "not_attended",
        Denied::Unavailable => "unavailable",
    }
}

impl RegistryDenials {
    fn note(&mut self, denied: Denied) {
        if let Some(at) = REASONS.iter().position(|word| *word == reason(denied)) {
            self.0[at] += 1;
        }
    }

    /// How many there were, by a word for why.
    pub fn by_reason(&self) -> [(&'static str, u64); REASONS.len()] {
        array::from_fn(|at| (REASONS[at], self.0[at]))
    }
}

/// A registry at work, from [`Endpoint::serve_registry`].
#[derive(Clone)]
pub struct Registry {
    state: Arc<State>,
}

struct State {
    desk: Mutex<Desk<mpsc::Sender<Introduced>>>,
    store: Arc<dyn Store>,
    clock: Clock,
    stats: Mutex<RegistryStats>,
    /// Why the store did not answer the last time, if it did not.
    failure: Mutex<Option<StoreError>>,
    /// Those who wait for a change, by the host.
    watched: Arc<Watched>,
}

impl core::fmt::Debug for Registry {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Registry").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// Those who wait for a change.
#[derive(Default)]
struct Watched(Mutex<BTreeMap<Eid, Weak<Notify>>>);

impl Watched {
    /// What tells of changes of a host, as long as it is held.
    fn of(&self, eid: Eid) -> Arc<Notify> {
        let mut watched = locked(&self.0);
        if let Some(notify) = watched.get(&eid).and_then(Weak::upgrade) {
            return notify;
        }
        let notify = Arc::<Notify>::default();
        watched.insert(eid, Arc::downgrade(&notify));
        notify
    }

    fn tell(&self, change: Change) {
        let watched = locked(&self.0);
        let tell = |notify: &Weak<Notify>| {
            if let Some(notify) = notify.upgrade() {
                notify.notify_waiters();
            }
        };
        match change {
            Change::Of(eid) => watched.get(&eid).into_iter().for_each(tell),
            Change::Any => watched.values().for_each(tell),
        }
    }

    /// Forgets those for whom nobody waits any more.
    fn sweep(&self) {
        locked(&self.0).retain(|_, notify| notify.strong_count() > 0);
    }

    /// How many hosts somebody waits for.
    fn count(&self) -> usize {
        locked(&self.0).values().filter(|notify| notify.strong_count() > 0).count()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unix_ms() -> u64 {
    unix(time_of_day()).as_millis() as u64
}

impl Registry {
    /// What it has done, and holds.
    pub fn stats(&self) -> RegistryStats {
        let (registered, watched) = (self.state.store.count(unix_ms()), self.state.watched.count());
        let attending = locked(&self.state.desk).attending();
        RegistryStats { registered, attending, watched, ..*locked(&self.state.stats) }
    }

    /// What keeps the store from all that it should do, or why it did not answer the last time that it was asked.
    pub fn store_failure(&self) -> Option<StoreError> {
        self.state.store.trouble().or_else(|| locked(&self.state.failure).clone())
    }
}

/// A host that is attended to, until this is dropped.
struct Attending {
    state: Arc<State>,
    eid: Eid,
    stay: u64,
}

impl Drop for Attending {
    fn drop(&mut self) {
        locked(&self.state.desk).leave(self.eid, self.stay);
    }
}

impl State {
    fn count(&self, count: impl FnOnce(&mut RegistryStats)) {
        count(&mut locked(&self.stats));
    }

    /// What the store answers; that it does not is noted.
    fn heard<T>(&self, answer: Result<T, StoreError>) -> Result<T, Denied> {
        let failed = answer.as_ref().err().cloned();
        if failed.is_some() {
            self.count(|stats| stats.store_failures += 1);
        }
        *locked(&self.failure) = failed;
        answer.map_err(|_| Denied::Unavailable)
    }

    async fn get(&self, eid: Eid) -> Result<Option<Entry>, Denied> {
        self.heard(self.store.get(unix_ms(), eid).await)
    }

    /// What the caller is told at once.
    async fn answer(&self, caller: &Caller, ask: Ask) -> Result<Answer, Denied> {
        locked(&self.desk).admit(self.clock.now(), caller, &ask)?;
        match ask {
            Ask::Register { lease_s, policy, statement } => {
                let entry = locked(&self.desk).entry(unix_ms(), caller, (lease_s, policy), statement);
                let (entry, lease_s) = entry?;
                match self.heard(self.store.put(unix_ms(), entry).await)? {
                    Put::New | Put::Renewed => {
                        locked(&self.desk).note_registered(caller);
                        self.count(|stats| stats.registrations += 1);
                        Ok(Answer::Registered { lease_s, observed: caller.observed })
                    }
                    Put::Older(order) => Err(Denied::Older(order)),
                    Put::OtherHeir => Err(Denied::OtherHeir),
                    Put::Full => Err(Denied::Full),
                }
            }
            Ask::LookUp { eid, token } | Ask::Watch { eid, token } => self.found(caller, eid, token.as_ref()).await,
            Ask::Introduce { eid, nonce, token } => {
                let entry = self.get(eid).await?;
                let now = self.clock.now();
                let introduced = locked(&self.desk).introduce(now, caller, (nonce, token.as_ref()), entry.as_ref())?;
                let (answer, push) = introduced;
                if let Some(Push { to, introduced }) = push {
                    // A host that does not read is told later of others.
                    to.try_send(introduced).map_err(|_| Denied::NotAttended)?;
                    self.count(|stats| stats.introductions += 1);
                }
                Ok(answer)
            }
            Ask::Attend => Ok(Answer::Attended),
        }
    }

    async fn found(&self, caller: &Caller, eid: Eid, token: Option<&Token>) -> Result<Answer, Denied> {
        let entry = self.get(eid).await?;
        let is_there = entry.is_some();
        let answer = locked(&self.desk).found(caller.eid, token, entry);
        self.count(|stats| match answer {
            Answer::Found { .. } => stats.found += 1,
            _ if is_there => stats.hidden += 1,
            _ => stats.absent += 1,
        });
        Ok(answer)
    }

    fn denied(&self, denied: Denied) -> Answer {
        self.count(|stats| stats.denied.note(denied));
        Answer::Denied(denied)
    }

    /// A host that is attended to is seen elsewhere now: who looks it up, or watches it, hears of that at once.
    async fn note_moved(&self, caller: &Caller) {
        locked(&self.desk).note_registered(caller);
        // If the store does not answer, the host's next renewal says the same.
        let Ok(Some(entry)) = self.get(caller.eid).await else { return };
        let moved = locked(&self.desk).moved(caller, entry);
        if let Some(moved) = moved {
            let _ = self.heard(self.store.put(unix_ms(), moved).await);
        }
    }

    /// Tells of introductions for as long as somebody listens.
    async fn attend(self: Arc<State>, (mut caller, mut events): (Caller, Events), mut send: SendStream) {
        let (way, mut introduced) = mpsc::channel(TOLD_KEPT);
        let attended = locked(&self.desk).attend(&caller, way);
        let first = match &attended {
            Ok(_) => Answer::Attended,
            Err(denied) => self.denied(*denied),
        };
        let attending =
            attended.map(|stay| Attending { state: Arc::clone(&self), eid: caller.eid, stay }).map_err(drop);
        let mut goes_on = tell(&mut send, &first).await && attending.is_ok();
        while goes_on {
            let next = tokio::select! {
                next = introduced.recv() => next,
                event = events.next() => {
                    let seen = match event {
                        Some(ConnectionEvent::Moved { remote, .. }) => Some(remote),
                        Some(ConnectionEvent::PathAdded { remote, helped: false, .. }) => Some(remote),
                        Some(_) => None,
                        None => break,
                    };
                    if let Some(seen) = seen {
                        caller.observed = seen;
                        self.note_moved(&caller).await;
                    }
                    continue;
                }
                _ = send.stopped() => None,
            };
            goes_on = match next {
                Some(introduced) => tell(&mut send, &Answer::Introduced(introduced)).await,
                // It attends anew elsewhere, or is gone.
                None => false,
            };
        }
        let _ = send.finish().await;
    }

    /// Tells where a host is at each change, for as long as somebody listens.
    async fn watch(self: Arc<State>, caller: Caller, (eid, token): (Eid, Option<Token>), mut send: SendStream) {
        let changes = self.watched.of(eid);
        let mut last = None;
        loop {
            // Made before looking, so that no change is missed.
            let mut changed = core::pin::pin!(changes.notified());
            changed.as_mut().enable();
            let entry = self.get(eid).await;
            let until_ms = entry.as_ref().ok().and_then(|entry| entry.as_ref().map(|entry| entry.until_ms));
            let answer = match entry {
                Ok(entry) => locked(&self.desk).found(caller.eid, token.as_ref(), entry),
                Err(denied) => self.denied(denied),
            };
            if last.as_ref() != Some(&answer) {
                if !tell(&mut send, &answer).await {
                    return;
                }
                last = Some(answer);
            }
            let lease_ends = until_ms.map_or(SWEEP_EVERY, |until_ms| {
                Duration::from_millis(until_ms.saturating_sub(unix_ms())).max(Duration::from_millis(1))
            });
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(lease_ends) => {}
                _ = send.stopped() => return,
            }
        }
    }
}

/// Writes an answer; whether somebody may still want another.
async fn tell(send: &mut SendStream, answer: &Answer) -> bool {
    send.write_message(&answer.to_vec()).await.is_ok()
}

/// Forgets whose lease has ended, for as long as the registry is there.
async fn sweep(state: Weak<State>) {
    loop {
        let Some(state) = state.upgrade() else { return };
        // What is noted of a failure is all that is done about it.
        let _ = state.heard(state.store.remove_expired(unix_ms()).await);
        state.watched.sweep();
        drop(state);
        tokio::time::sleep(SWEEP_EVERY).await;
    }
}

impl Endpoint {
    /// Is a registry from now on, by the service `registry`, that is found at `addresses`: what hosts say is kept in
    /// `store`. Who may ask is who may come in.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::sync::Arc;
    /// use tng::registry::{DeskConfig, Memory, Registering, RegistryTarget};
    ///
    /// let address = "127.0.0.1:0".parse()?;
    /// let registry = tng::Endpoint::builder().bind(address).access(tng::Access::Public).build().await?;
    /// registry.serve_registry(DeskConfig::default(), &registry.local_addresses(), Arc::new(Memory::new(1_000)))?;
    /// let known = RegistryTarget::from(&registry.ticket()?);
    ///
    /// let server = tng::Endpoint::builder().bind(address).access(tng::Access::Public).build().await?;
    /// server.serve("shout", async |request: tng::Request| request.body().to_ascii_uppercase())?;
    /// let _registered = server.register(&known, Registering::default()).await?;
    ///
    /// let client = tng::Endpoint::builder().registry(known).build().await?;
    /// let connection = client.connect(server.eid()).await?;
    /// assert_eq!(connection.request("shout", "hello").await?, "HELLO");
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Runtime::new().unwrap().block_on(example()).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the service is there already.
    pub fn serve_registry(
        &self,
        config: DeskConfig,
        addresses: &[SocketAddr],
        store: Arc<dyn Store>,
    ) -> Result<Registry, BindError> {
        let requests_max = config.attending_max.saturating_mul(2).saturating_add(REQUESTS_MAX);
        let options = ServeOptions {
            protocol: PROTOCOL,
            request_max: HEAD_LEN + BODY_MAX,
            requests_max,
            requests_per_connection_max: REQUESTS_PER_CONNECTION_MAX,
            request_within: Duration::from_secs(10),
            ..ServeOptions::default()
        };
        let watched = Arc::<Watched>::default();
        let state = Arc::new(State {
            desk: Mutex::new(Desk::new(config, self.eid(), addresses)),
            store,
            clock: Clock::start(),
            stats: Mutex::default(),
            failure: Mutex::default(),
            watched: Arc::clone(&watched),
        });
        let told = Arc::downgrade(&watched);
        state.store.watch(Arc::new(move |change| {
            if let Some(watched) = told.upgrade() {
                watched.tell(change);
            }
        }));
        self.runtime().spawn(sweep(Arc::downgrade(&state)));
        let serving = Arc::clone(&state);
        self.serve_with(SERVICE, options, move |request: Request| {
            let state = Arc::clone(&serving);
            async move { handle(state, request).await }
        })?;
        Ok(Registry { state })
    }
}

async fn handle(state: Arc<State>, request: Request) -> serve::Answer {
    let mut reader = Reader::new(request.body());
    let ask = Ask::parse(&mut reader).ok().filter(|_| reader.is_empty());
    // Who is gone is not answered.
    let (Some(ask), Some(observed)) = (ask, request.proven_address()) else {
        return serve::Answer::from(Err::<Vec<u8>, u64>(MALFORMED));
    };
    let caller = Caller { eid: request.peer(), observed, rtt: request.rtt().unwrap_or_default() };
    let events = request.events();
    let goes_on = match &ask {
        Ask::Attend => Some(None),
        Ask::Watch { eid, token } => Some(Some((*eid, token.clone()))),
        _ => None,
    };
    let Some(goes_on) = goes_on else {
        let answer = state.answer(&caller, ask).await.unwrap_or_else(|denied| state.denied(denied));
        return serve::Answer::from(answer.to_vec());
    };
    let admitted = locked(&state.desk).admit(state.clock.now(), &caller, &ask);
    match admitted {
        Err(denied) => serve::Answer::from(state.denied(denied).to_vec()),
        Ok(()) => serve::Answer::written(move |send| async move {
            match goes_on {
                None => state.attend((caller, events), send).await,
                Some(host) => state.watch(caller, host, send).await,
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_is_counted_by_its_reason_and_each_reason_has_a_word() {
        let mut denials = RegistryDenials::default();
        let older = [0, 1, 2].map(|rank| Denied::Older(Order { rank, number: 9 }));
        for denied in [Denied::TooOften, Denied::TooOften, Denied::Full, Denied::Unavailable].into_iter().chain(older) {
            denials.note(denied);
        }
        let some: Vec<_> = denials.by_reason().into_iter().filter(|(_, count)| *count > 0).collect();
        let (of_records, of_keys) = ([("too_often", 2), ("full", 1), ("older", 1)], [("succeeded", 1), ("revoked", 1)]);
        assert_eq!(some, [&of_records[..], &of_keys, &[("unavailable", 1)]].concat());
    }
}
