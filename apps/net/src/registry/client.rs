//! What hosts ask of registries: where another is, what became of its key, and an introduction.

use core::fmt;
use core::future::Future;
use core::time::Duration;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use tng_base::{Eid, PathCondition};
use tng_crypto::Zeroizing;
use tng_services::help::Token;
use tng_services::registry::{
    Answer, Ask, Attended, BODY_MAX, Denied, Flaw, HEAD_LEN, Introduced, NONCE_LEN, PROTOCOL, Policy, Record, Role,
    SERVICE, Statement, Word,
};
use tng_stack::{CloseCause, ConnectError, Target};
use tng_wire::{Reader, Repr};
use tokio::task::{AbortHandle, JoinSet};

use super::error::RegistryError;
use super::registration::{Stay, WITHDRAWN_WITHIN};
use super::seen::{self, Seen, Sight};
use crate::connection::Connection;
use crate::endpoint::{Endpoint, random_seed, time_of_day, unix};
use crate::error::{ConnectionError, RequestError};
use crate::events::{ConnectionEvent, Events};
use crate::request::AnswerStream;
use crate::ticket::Ticket;

/// Registries of an endpoint, at most.
pub const REGISTRIES_MAX: usize = 8;
/// How long a registry may take to answer.
pub const ASK_WITHIN: Duration = Duration::from_secs(5);
/// A registry that has not answered for so long is still waited for, and the next one is asked as well.
pub const HEDGE_AFTER: Duration = Duration::from_millis(500);
/// Keys that follow each other, at most, from the one that is asked for to the one that is found.
const SUCCESSIONS_MAX: usize = 4;

/// A registry as its clients know it: who, and where.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryTarget {
    /// Who it is.
    pub eid: Eid,
    /// Where it is, the likeliest first.
    pub addresses: Vec<SocketAddr>,
    /// What opens its door, if its access asks for it: the capability of its ticket.
    pub door: Option<Vec<u8>>,
}

impl From<&Ticket> for RegistryTarget {
    fn from(ticket: &Ticket) -> RegistryTarget {
        let door = Some(ticket.capability().to_vec()).filter(|door| !door.is_empty());
        RegistryTarget { eid: ticket.eid(), addresses: ticket.addresses().to_vec(), door }
    }
}

impl fmt::Debug for RegistryTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryTarget")
            .field("eid", &self.eid)
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

/// `EID@IP:PORT,IP:PORT`, as it is written on command lines.
impl fmt::Display for RegistryTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.eid)?;
        let mut between = "@";
        for address in &self.addresses {
            write!(f, "{between}{address}")?;
            between = ",";
        }
        Ok(())
    }
}

/// Where a host is, as registries say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Who it is now.
    pub eid: Eid,
    /// Where it says that it is.
    pub record: Record,
    /// Where the registry sees it, which the host has not signed.
    pub attended: Option<Attended>,
    /// Who was asked for, if that key was replaced by this one: users want to know.
    pub succeeded: Option<Eid>,
    /// What was shown to find it, and is shown whenever it is looked for or introduced.
    pub token: Option<Token>,
}

impl Found {
    /// The addresses at which it may answer who asks directly: where the registry sees it, if that is none of its own,
    /// then its own.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let own = &self.record.addresses;
        let observed = self.attended.as_ref().map(|attended| attended.observed).filter(|at| !own.contains(at));
        observed.iter().chain(own).copied().collect()
    }

    /// The host, to be connected to.
    pub fn target(&self) -> Target {
        Target { eid: self.eid, addresses: self.addresses(), capability: None, via: Vec::new() }
    }
}

/// Two hosts are told of each other at about the same time, by a registry that both have a connection to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Introduction {
    /// The other.
    pub peer: Eid,
    /// Which side this host is.
    pub role: Role,
    /// From where the registry sees the other.
    pub observed: SocketAddr,
    /// What names the introduction, the same on both sides. The registry knows it.
    pub nonce: [u8; NONCE_LEN],
    /// So long after this was told the other side has been told, too.
    pub begin_in: Duration,
}

impl From<Introduced> for Introduction {
    fn from(introduced: Introduced) -> Introduction {
        let Introduced { peer, role, nonce, begin_ms, observed } = introduced;
        Introduction { peer, role, observed, nonce, begin_in: Duration::from_millis(begin_ms.into()) }
    }
}

/// A registry, and the connection to it for as long as there is one.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) target: RegistryTarget,
    connection: Mutex<Option<Connection>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The registries of an endpoint, what was seen of hosts, and where it is registered itself.
#[derive(Debug, Default)]
pub(crate) struct Registries {
    known: Vec<Arc<Known>>,
    /// What is shown to find hosts.
    tokens: BTreeMap<Eid, Token>,
    file: Option<PathBuf>,
    /// Read from the file when it is first needed.
    seen: Mutex<Option<Seen>>,
    /// Why the last that was seen is not in the file, if it is not.
    failure: Mutex<Option<RegistryError>>,
    /// What this endpoint has said of itself last.
    said: Mutex<Option<Statement>>,
    /// Where this endpoint is attended to, by the registry.
    stays: Mutex<BTreeMap<Eid, Weak<Stay>>>,
    /// Registries that this endpoint does not know, and that attend to hosts that it looks for, the latest last.
    others: Mutex<Vec<Arc<Known>>>,
    /// What renews registrations and looks after connections to hosts that were found, which ends with the endpoint.
    tasks: Mutex<Vec<AbortHandle>>,
}

impl Drop for Registries {
    fn drop(&mut self) {
        for task in locked(&self.tasks).drain(..) {
            task.abort();
        }
    }
}

impl Registries {
    pub(crate) fn new(targets: Vec<RegistryTarget>, tokens: BTreeMap<Eid, Token>, file: Option<PathBuf>) -> Registries {
        let known = |target| Arc::new(Known { target, connection: Mutex::new(None) });
        let mut registries = Registries::default();
        registries.known = targets.into_iter().map(known).collect();
        (registries.tokens, registries.file) = (tokens, file);
        registries
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What this host says of itself from now on, by what it said before.
    pub(super) fn say(&self, next: impl FnOnce(Option<Statement>) -> Statement) -> Statement {
        let mut said = locked(&self.said);
        let statement = next(said.take());
        *said = Some(statement.clone());
        statement
    }

    /// Whether one of the registries at which this endpoint is registered is on this host: what it says is the same at
    /// all.
    pub(super) fn is_any_near(&self) -> bool {
        let stays: Vec<Arc<Stay>> = locked(&self.stays).values().filter_map(Weak::upgrade).collect();
        stays.iter().any(|stay| stay.is_near())
    }

    /// Notes a stay, and what renews it.
    pub(super) fn note_stay(&self, stay: &Arc<Stay>, task: AbortHandle) {
        let mut stays = locked(&self.stays);
        stays.retain(|_, stay| stay.strong_count() > 0);
        stays.insert(stay.registry(), Arc::downgrade(stay));
        drop(stays);
        self.note_task(task);
    }

    /// Has nobody find this endpoint any more where it is registered.
    pub(crate) async fn withdraw(&self) {
        let Some(said) = locked(&self.said).take() else { return };
        let stays: Vec<Arc<Stay>> = locked(&self.stays).values().filter_map(Weak::upgrade).collect();
        let told: JoinSet<()> = stays
            .into_iter()
            .map(|stay| {
                let said = said.clone();
                async move { stay.withdraw(said).await }
            })
            .collect();
        let _ = tokio::time::timeout(WITHDRAWN_WITHIN, told.join_all()).await;
    }

    /// Notes a task that ends with the endpoint.
    pub(super) fn note_task(&self, task: AbortHandle) {
        let mut tasks = locked(&self.tasks);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    /// The registry that attends to a host: as this endpoint knows it, else as was told.
    pub(super) fn target_of(&self, attended: &Attended) -> RegistryTarget {
        let own = self.known.iter().find(|known| known.target.eid == attended.registry);
        own.map_or_else(
            || RegistryTarget { eid: attended.registry, addresses: attended.addresses.clone(), door: None },
            |known| known.target.clone(),
        )
    }

    /// The same, and the connection to it.
    fn attending(&self, attended: &Attended) -> Arc<Known> {
        let target = self.target_of(attended);
        let mut others = locked(&self.others);
        let mut all = self.known.iter().chain(others.iter());
        if let Some(known) = all.find(|known| known.target == target) {
            return Arc::clone(known);
        }
        others.retain(|known| known.target.eid != target.eid);
        let oldest = (others.len() >= REGISTRIES_MAX).then(|| others.remove(0));
        let known = Arc::new(Known { target, connection: Mutex::new(None) });
        others.push(Arc::clone(&known));
        drop((others, oldest));
        known
    }

    fn file_error(&self, fault: super::SeenFault) -> RegistryError {
        RegistryError::Seen { path: self.file.clone().unwrap_or_default(), fault }
    }

    fn sight(&self, eid: Eid) -> Result<Option<Sight>, RegistryError> {
        let mut seen = locked(&self.seen);
        if seen.is_none() {
            let read = self.file.as_ref().map(|path| seen::read(path)).transpose();
            *seen = Some(read.map_err(|fault| self.file_error(fault))?.unwrap_or_default());
        }
        Ok(seen.as_ref().and_then(|seen| seen.of(eid)))
    }

    /// Whether this host believes what a registry says of another.
    fn believe(&self, registry: Eid, of: Eid, statement: &Statement) -> Result<(), RegistryError> {
        statement.check(of, unix(time_of_day()).as_secs()).map_err(|flaw| match flaw {
            Flaw::Expired { ago_s } => RegistryError::Expired { registry, of, ago_s },
            flaw => RegistryError::Lie { registry, of, flaw },
        })?;
        let (has, Some(before)) = (Sight::of(statement), self.sight(of)?) else { return Ok(()) };
        if has.order < before.order {
            return Err(RegistryError::Behind { registry, of, has: has.order, seen: before.order });
        }
        match (before.heir, has.heir) {
            (Some(first), Some(seen)) if first != seen => Err(RegistryError::OtherHeir { of, first, seen }),
            _ => Ok(()),
        }
    }

    async fn remember(&self, statement: &Statement) {
        let (eid, sight) = (statement.eid, Sight::of(statement));
        if !locked(&self.seen).get_or_insert_default().note(eid, sight) {
            return;
        }
        if let Some(path) = self.file.clone() {
            let written = seen::write(path, eid, sight).await;
            *locked(&self.failure) = written.err().map(|fault| self.file_error(fault));
        }
    }
}

impl Known {
    /// The connection, made if there is none; and whether it was.
    fn connection(&self, endpoint: &Endpoint) -> Result<(Connection, bool), RegistryError> {
        let mut held = locked(&self.connection);
        if let Some(connection) = held.as_ref().filter(|connection| !connection.is_over()) {
            return Ok((connection.clone(), false));
        }
        let connection = dial(endpoint, &self.target)?;
        *held = Some(connection.clone());
        Ok((connection, true))
    }

    fn forget(&self) {
        *locked(&self.connection) = None;
    }

    async fn ask(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Answer, RegistryError> {
        loop {
            let (connection, is_new) = self.connection(endpoint)?;
            let answer = request(&self.target, &connection, ask).await;
            if let Err(RegistryError::NotReached { .. } | RegistryError::NoAnswer { .. }) = &answer {
                self.forget();
                // It may have been over since the last time.
                if !is_new && connection.is_over() {
                    continue;
                }
            }
            return answer;
        }
    }
}

/// Begins to connect to a registry. What is asked on it goes with the first packet.
pub(super) fn dial(endpoint: &Endpoint, registry: &RegistryTarget) -> Result<Connection, RegistryError> {
    let RegistryTarget { eid, addresses, door } = registry.clone();
    let target = Target { eid, addresses, capability: door, via: Vec::new() };
    let connecting = endpoint.dial(target).map_err(|error| RegistryError::not_reached(registry, error))?;
    Ok(connecting.connection().clone())
}

fn body(ask: &Ask) -> Bytes {
    Bytes::from_owner(Zeroizing::new(ask.to_vec()))
}

fn failed(registry: &RegistryTarget, error: RequestError) -> RegistryError {
    match error {
        RequestError::Connection(ConnectionError::Ended(CloseCause::NotConnected(error))) => {
            RegistryError::not_reached(registry, error)
        }
        error @ (RequestError::Refused { .. } | RequestError::TooLong(_)) => RegistryError::NoRegistry(error),
        error => RegistryError::NoAnswer { registry: Box::new(registry.clone()), error },
    }
}

/// Reads an answer.
pub(super) fn read(bytes: &[u8]) -> Result<Answer, RegistryError> {
    let mut reader = Reader::new(bytes);
    match Answer::parse(&mut reader).ok().filter(|_| reader.is_empty()) {
        Some(Answer::Denied(denied)) => Err(denied.into()),
        Some(answer) => Ok(answer),
        None => Err(RegistryError::Malformed),
    }
}

/// Asks a registry, and waits for its answer.
pub(super) async fn request(
    registry: &RegistryTarget,
    connection: &Connection,
    ask: &Ask,
) -> Result<Answer, RegistryError> {
    let asked = connection.request(SERVICE, body(ask)).protocol(PROTOCOL).answer_max(HEAD_LEN + BODY_MAX);
    read(&asked.deadline(ASK_WITHIN).await.map_err(|error| failed(registry, error))?)
}

/// Asks a registry for what goes on, and waits for the first of it.
pub(super) async fn follow(
    registry: &RegistryTarget,
    connection: &Connection,
    ask: &Ask,
) -> Result<(AnswerStream, Answer), RegistryError> {
    let begun = async {
        let asked = connection.request(SERVICE, body(ask)).protocol(PROTOCOL);
        let mut answers = asked.into_stream().await.map_err(|error| failed(registry, error))?;
        let first = next(registry, &mut answers).await?;
        Ok((answers, first.ok_or(RegistryError::Malformed)?))
    };
    let late = |_| failed(registry, RequestError::TimedOut(ASK_WITHIN));
    tokio::time::timeout(ASK_WITHIN, begun).await.map_err(late)?
}

/// Reads the next of what goes on; nothing when it has ended.
pub(super) async fn next(
    registry: &RegistryTarget,
    answers: &mut AnswerStream,
) -> Result<Option<Answer>, RegistryError> {
    let message = answers.read_message(HEAD_LEN + BODY_MAX).await;
    let message = message.map_err(|error| failed(registry, error.into()))?;
    message.map(|bytes| read(&bytes)).transpose()
}

/// What a registry says of a host, if it can be believed.
async fn look_up_at(
    endpoint: Endpoint,
    known: Arc<Known>,
    (eid, token): (Eid, Option<Token>),
) -> Result<(Statement, Option<Attended>), RegistryError> {
    match known.ask(&endpoint, &Ask::LookUp { eid, token }).await? {
        Answer::Found { statement, attended } => {
            endpoint.registries().believe(known.target.eid, eid, &statement)?;
            Ok((statement, attended))
        }
        Answer::Absent => Err(RegistryError::Absent(eid)),
        _ => Err(RegistryError::Malformed),
    }
}

impl Endpoint {
    /// Asks the [registries](crate::Builder::registry) where a host is: one after the other, and the next as well when
    /// one does not answer soon. What none of them says in the host's name is believed unless the host has signed it,
    /// and no number that is lower than one that was seen before, which
    /// [a file](crate::Builder::registry_memory) keeps. A key that was replaced leads to the one that replaces it.
    ///
    /// # Errors
    /// See [`RegistryError`]; of several the gravest.
    pub async fn look_up(&self, eid: Eid) -> Result<Found, RegistryError> {
        let token = self.registries().tokens.get(&eid).cloned();
        self.look_up_with(eid, token).await
    }

    /// The same, with this token shown, and no [other](crate::Builder::registry_token).
    ///
    /// # Errors
    /// As there.
    pub async fn look_up_with(&self, eid: Eid, token: Option<Token>) -> Result<Found, RegistryError> {
        let mut asked = eid;
        for _ in 0..=SUCCESSIONS_MAX {
            let found = self.first_answer(|known| look_up_at(self.clone(), known, (asked, token.clone()))).await;
            let (statement, attended) = match found {
                // What it has said of its heir stands.
                Err(RegistryError::Absent(absent)) => {
                    match self.registries().sight(asked)?.and_then(|sight| sight.heir) {
                        Some(heir) => {
                            asked = heir;
                            continue;
                        }
                        None => return Err(RegistryError::Absent(absent)),
                    }
                }
                found => found?,
            };
            self.registries().remember(&statement).await;
            match statement.word {
                Word::Here(record) => {
                    let succeeded = (asked != eid).then_some(eid);
                    return Ok(Found { eid: asked, record, attended, succeeded, token });
                }
                Word::Succeeded(succession) => asked = succession.heir,
                Word::Revoked { .. } => return Err(RegistryError::Revoked(asked)),
            }
        }
        Err(RegistryError::Absent(asked))
    }

    /// The first good answer of a registry.
    async fn first_answer<T, F>(&self, ask: impl Fn(Arc<Known>) -> F) -> Result<T, RegistryError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, RegistryError>> + Send + 'static,
    {
        let (mut asked, mut gravest) = (JoinSet::new(), None::<RegistryError>);
        let mut left = self.registries().known.iter();
        loop {
            match left.next() {
                Some(known) => drop(asked.spawn_on(ask(Arc::clone(known)), &self.runtime())),
                None if asked.is_empty() => return Err(gravest.unwrap_or(RegistryError::NoneKnown)),
                None => {}
            }
            let answered = tokio::select! {
                answered = asked.join_next() => answered,
                () = tokio::time::sleep(HEDGE_AFTER), if left.len() > 0 => None,
            };
            match answered {
                Some(Ok(Ok(answer))) => return Ok(answer),
                Some(Ok(Err(error))) if gravest.as_ref().is_none_or(|before| before.weight() < error.weight()) => {
                    gravest = Some(error);
                }
                // No answer yet, or none that says more; or its task was ended from outside.
                _ => {}
            }
        }
    }

    /// Where a target is that has no address, if registries are known; and what they have said.
    pub(crate) async fn located(&self, target: Target) -> Result<(Target, Option<Found>), ConnectError> {
        if !target.addresses.is_empty() || self.registries().is_empty() {
            return Ok((target, None));
        }
        let found = self.look_up(target.eid).await.map_err(|error| ConnectError::NotLocated(error.to_string()))?;
        let way = match target.via.is_empty() {
            true => self.way_to(&found).await,
            // Helpers that the user has named are not left for a relay.
            false => Target { via: target.via, ..found.target() },
        };
        Ok((Target { capability: target.capability, ..way }, Some(found)))
    }

    /// Follows what the first of the [registries](crate::Builder::registry) that answers says of a host, which is shown
    /// this token.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub async fn watch(&self, eid: Eid, token: Option<Token>) -> Result<Watching, RegistryError> {
        let begin = |known: Arc<Known>| {
            let (endpoint, token) = (self.clone(), token.clone());
            async move {
                let connection = dial(&endpoint, &known.target)?;
                let (answers, first) = follow(&known.target, &connection, &Ask::Watch { eid, token }).await?;
                let (registry, said, is_over) = (known.target.clone(), Some(first), false);
                let events = connection.events();
                Ok(Watching { endpoint, registry, eid, answers, events, said, is_over, _connection: connection })
            }
        };
        self.first_answer(begin).await
    }

    /// Has the registry that attends to a host introduce this one to it, and it to this one. This endpoint need not be
    /// [registered](Endpoint::register): it is introduced from where the registry sees it asking. The token that found
    /// the host is shown again.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub async fn introduce(&self, found: &Found) -> Result<Introduction, RegistryError> {
        let attended = found.attended.as_ref().ok_or(RegistryError::Denied(Denied::NotAttended))?;
        let registry = self.registries().attending(attended);
        let no_entropy = |_| RegistryError::not_reached(&registry.target, ConnectError::NoEntropy);
        let seed = random_seed().map_err(no_entropy)?;
        let nonce = core::array::from_fn(|at| seed.expose()[at]);
        let token = found.token.clone();
        match registry.ask(self, &Ask::Introduce { eid: found.eid, nonce, token }).await? {
            Answer::Introduced(introduced) if introduced.peer == found.eid && introduced.nonce == nonce => {
                Ok(introduced.into())
            }
            Answer::Absent => Err(RegistryError::Absent(found.eid)),
            _ => Err(RegistryError::Malformed),
        }
    }

    /// The registries that are asked, in their order.
    pub fn registries_asked(&self) -> Vec<RegistryTarget> {
        self.registries().known.iter().map(|known| known.target.clone()).collect()
    }

    /// Why the last that was seen of hosts is not in the [file](crate::Builder::registry_memory), once.
    pub fn take_registry_failure(&self) -> Option<RegistryError> {
        locked(&self.registries().failure).take()
    }
}

/// Publishes a statement of a host at a registry: that its key was replaced, or is revoked. Anybody may who has it.
/// Answers for how long the registry keeps it.
///
/// # Errors
/// See [`RegistryError`].
pub async fn publish(
    endpoint: &Endpoint,
    registry: &RegistryTarget,
    statement: Statement,
) -> Result<Duration, RegistryError> {
    let connection = dial(endpoint, registry)?;
    let ask = Ask::Register { lease_s: 0, policy: Policy::Public, statement };
    let answer = request(registry, &connection, &ask).await;
    connection.close(0, "");
    match answer? {
        Answer::Registered { lease_s, .. } => Ok(Duration::from_secs(lease_s.into())),
        _ => Err(RegistryError::Malformed),
    }
}

/// Waits until the peer of a connection does not answer.
async fn silent(events: &mut Events) {
    while let Some(event) = events.next().await {
        if matches!(event, ConnectionEvent::Away | ConnectionEvent::Condition { condition: PathCondition::Stalled, .. })
        {
            return;
        }
    }
    // It is over: why, who reads is told.
    core::future::pending().await
}

/// What a registry says of a host from now on, from [`Endpoint::watch`].
#[derive(Debug)]
pub struct Watching {
    endpoint: Endpoint,
    registry: RegistryTarget,
    eid: Eid,
    answers: AnswerStream,
    /// What becomes of the connection.
    events: Events,
    /// What it says and nobody has been told: who gives up waiting loses nothing.
    said: Option<Answer>,
    /// What came is no answer, or nothing comes any more.
    is_over: bool,
    /// The stream is its; it goes with this.
    _connection: Connection,
}

impl Watching {
    /// The registry that is followed.
    pub fn registry(&self) -> Eid {
        self.registry.eid
    }

    /// Waits for the next that it says: first what is known now, then each change. `None` when the registry has ended
    /// it or does not answer any more, or nothing more can be read; begin again then. Cancel safe. That a registry does
    /// not answer shows soon if this host [keeps its connections alive](crate::Builder::keep_alive).
    ///
    /// # Errors
    /// See [`RegistryError`]; [`Absent`](RegistryError::Absent) is no end: the host may come back.
    pub async fn next(&mut self) -> Option<Result<(Statement, Option<Attended>), RegistryError>> {
        if self.is_over {
            return None;
        }
        if self.said.is_none() {
            let read = tokio::select! {
                biased;
                read = next(&self.registry, &mut self.answers) => read,
                () = silent(&mut self.events) => {
                    Err(RegistryError::not_reached(&self.registry, ConnectError::TimedOut))
                }
            };
            match read {
                Ok(Some(answer)) => self.said = Some(answer),
                Err(error @ RegistryError::Denied(_)) => return Some(Err(error)),
                ended => {
                    self.is_over = true;
                    return ended.err().map(Err);
                }
            }
        }
        if let Some(Answer::Found { statement, .. }) = &self.said {
            match self.endpoint.registries().believe(self.registry.eid, self.eid, statement) {
                Ok(()) => self.endpoint.registries().remember(statement).await,
                Err(error) => {
                    self.said = None;
                    return Some(Err(error));
                }
            }
        }
        Some(match self.said.take()? {
            Answer::Found { statement, attended } => Ok((statement, attended)),
            Answer::Absent => Err(RegistryError::Absent(self.eid)),
            _ => Err(RegistryError::Malformed),
        })
    }
}
