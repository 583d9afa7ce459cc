//! A peer, and the way to it, found again when it is lost.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::json;
use tng::registry::Found;
use tng::{
    CloseCause, ConnectError, Connection, ConnectionError, Endpoint, GuestError, NoStream, OpenError, PathTaken, Pipe,
    PipeRecv, PipeSend, Priority, ReadError, RequestError, Stream, StreamId, Target, WriteError, on_every_link,
    shown_address,
};
use tng_base::Hindrance;
use tng_services::files::{PROTOCOL, SERVICE};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, Lost, reason};
use crate::files::{Answering, Opened, Opener, Urgency};
use crate::guests::offer::{Chosen, tell, transport_of};
use crate::location::Location;
use crate::path::{Dialing, Path};
use crate::registry::lookup;
use crate::route;
use crate::talk::{Progress, Talk};
use crate::trickles::is_absence;
use crate::via::{self, Words, tells_carried};

/// How often a lost connection is sought again unless `--retry` says otherwise.
pub const RETRIES: u32 = 5;
/// How long one of these times lasts, unless the peer's host says at once that nobody listens there.
pub const RETRY_TIME: Duration = Duration::from_secs(10);
/// The pause after an attempt that failed; between two retries twice as long as before the last.
pub const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// How long the reason of a refusal is waited for; it was on its way before.
pub const EXPLAIN_TIME: Duration = Duration::from_secs(1);

/// The file service of a peer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peer {
    endpoint: Endpoint,
    host: Arc<Location>,
    talk: Talk,
    way: Arc<Mutex<Way>>,
    /// Retries after something has moved.
    retries: u32,
    /// What has moved.
    progress: Arc<Progress>,
    /// Transports that are offered for each file.
    offered: Option<Chosen>,
    /// The peer runs none of them.
    declined: Arc<AtomicBool>,
    /// What the one is called that has begun last, as was told.
    runs: Arc<std::sync::Mutex<Option<String>>>,
}

/// The way to the peer as it is now.
#[derive(Debug)]
struct Way {
    connection: Connection,
    /// The parent of all requests.
    control: Stream,
    retries_left: u32,
    /// Bytes that had moved when the last retry was taken.
    moved: u64,
}

impl Way {
    /// The stream that requests are children of, and its connection.
    fn parent(&self) -> (Connection, StreamId) {
        (self.connection.clone(), self.control.id())
    }
}

impl Peer {
    /// Connects. `retries` is how often the connection may be sought again later.
    ///
    /// # Errors
    /// If nobody answers, somebody else does, or the peer refuses.
    pub async fn connect(endpoint: &Endpoint, host: &Location, retries: u32, talk: Talk) -> Result<Peer, Failure> {
        let connection = connect(endpoint, host, talk).await?;
        let control = control(&connection).await?;
        if !host.via.is_empty() {
            talk.say(format_args!("path: {}", Words::of(host).word(connection.path().as_ref())));
        }
        let way = Way { connection, control, retries_left: retries, moved: 0 };
        let (host, way) = (Arc::new(host.clone()), Arc::new(Mutex::new(way)));
        Ok(Peer {
            endpoint: endpoint.clone(),
            host,
            talk,
            way,
            retries,
            progress: Arc::default(),
            offered: None,
            declined: Arc::default(),
            runs: Arc::default(),
        })
    }

    /// Retries count anew when more has moved.
    pub fn watching(self, progress: &Arc<Progress>) -> Peer {
        Peer { progress: Arc::clone(progress), ..self }
    }

    /// Files come and go by one of these transports if the peer runs one.
    pub fn offering(self, offered: Option<Chosen>) -> Peer {
        Peer { offered, ..self }
    }
}

/// Opens the parent of all requests.
async fn control(connection: &Connection) -> Result<Stream, Failure> {
    connection.open(SERVICE, PROTOCOL).await.map_err(|error| open_failure("asking for files", error))
}

/// Connects to the host of a location.
///
/// # Errors
/// If nobody answers, somebody else does, or the peer refuses.
pub async fn connect(endpoint: &Endpoint, host: &Location, talk: Talk) -> Result<Connection, Failure> {
    let (mut target, found) = target(endpoint, host, talk).await?;
    target.addresses = on_every_link(target.addresses);
    // By a helper there may be a way all the same.
    let is_direct = found.is_none() && target.via.is_empty();
    if is_direct && let Some(failure) = route::missing(&target.addresses, || connecting_to(host)) {
        return Err(failure);
    }
    dial(endpoint, host, (target, found), (talk, Dialing::First)).await.map_err(|(failure, _)| failure)
}

/// As [`connect`], to a host that was reached before: where the system has no way to it now, one may come meanwhile.
///
/// # Errors
/// As `connect`.
pub async fn connect_again(endpoint: &Endpoint, host: &Location, talk: Talk) -> Result<Connection, Failure> {
    seek(endpoint, host, talk).await.map_err(|(failure, _)| failure)
}

/// The same; with a failure, whether the host itself says that nobody listens there.
async fn seek(endpoint: &Endpoint, host: &Location, talk: Talk) -> Result<Connection, (Failure, bool)> {
    let found = target(endpoint, host, talk).await.map_err(|failure| (failure, false))?;
    dial(endpoint, host, found, (talk, Dialing::Again)).await
}

async fn dial(
    endpoint: &Endpoint,
    host: &Location,
    (target, found): (Target, Option<Found>),
    (talk, dialing): (Talk, Dialing),
) -> Result<Connection, (Failure, bool)> {
    let failed = |error: ConnectError| {
        let is_refused = matches!(error, ConnectError::Unreachable { why: Hindrance::Port, .. });
        (connect_failure(host, error), is_refused)
    };
    let helpers = target.via.iter().filter(|via| !via.only_to_reach).count();
    let (connecting, words) = (endpoint.dial(target).map_err(failed)?, Words::of(host));
    if let Some(found) = found {
        endpoint.meet(connecting.connection(), found);
    }
    let told = Path::follow(connecting.connection().events(), words.clone(), (talk, dialing));
    let connection = connecting.await.map_err(failed)?;
    if helpers > 0 && matches!(connection.path(), Some(PathTaken::Direct { .. })) {
        told.note_direct();
        talk.say("the path is direct: no helper is on it now");
    }
    if matches!(connection.path(), Some(PathTaken::Carried { .. })) {
        told.note_direct();
        talk.say(tells_carried());
    }
    let remote = connection.remote_address().map(shown_address);
    let mut fields = words.fields(&connection);
    fields.insert("peer".to_owned(), connection.peer().to_string().into());
    fields.insert("address".to_owned(), remote.into());
    talk.event("connected", &fields.into());
    Ok(connection)
}

/// Where to ask a host: as its location says, else as a registry does; and what that has said, for
/// [`Endpoint::meet`].
///
/// # Errors
/// If it has no address, or a helper gives no leave.
pub async fn target(endpoint: &Endpoint, host: &Location, talk: Talk) -> Result<(Target, Option<Found>), Failure> {
    let found = match host.places.is_empty() {
        true => Some(lookup::find(endpoint, host.eid, talk).await?),
        false => None,
    };
    let target = match &found {
        None => host.target().await?,
        Some(found) if host.via.is_empty() => endpoint.way_to(found).await,
        Some(found) => found.target(),
    };
    let capability = Some(host.capability.clone()).filter(|c| !c.is_empty());
    // Helpers that the user has named are not left for a relay.
    let via = if host.via.is_empty() { target.via } else { via::ways(endpoint, &host.via, talk).await? };
    Ok((Target { capability, via, ..target }, found))
}

fn connecting_to(host: &Location) -> String {
    let places: Vec<String> = host.places.iter().map(ToString::to_string).collect();
    match places.is_empty() {
        true => format!("connecting to {}", host.eid),
        false => format!("connecting to {} at {}", host.eid, places.join(", ")),
    }
}

/// That there is no connection to a host.
pub fn connect_failure(host: &Location, error: ConnectError) -> Failure {
    let what = connecting_to(host);
    match error {
        ConnectError::WrongPeer { expected, seen } => {
            Failure::new(Exit::WrongPeer, what, format!("wrong peer key: expected {expected}, seen {seen}"))
                .or_try("check the address, or ask for a new ticket")
        }
        // docs/wire.md, "Refusal codes". An application that refuses says what to do, if anything.
        ConnectError::Refused { code: 6, .. } => Failure::new(Exit::Denied, what, error),
        ConnectError::Refused { code: 1 | 2, .. } => Failure::new(Exit::Denied, what, error)
            .or_try("a new ticket, or have the server run with --allow and the EID that `tng id` prints"),
        ConnectError::Refused { code: 3 | 4 | 7, .. } => Failure::new(Exit::Handshake, what, error),
        ConnectError::Version { .. } => Failure::told(Exit::Handshake, what, error),
        ConnectError::Broken | ConnectError::Rejected(_) => Failure::told(Exit::Protocol, what, error),
        ConnectError::Ended(ref cause) if matches!(**cause, CloseCause::Violation(_)) => {
            Failure::new(Exit::Protocol, what, error)
        }
        ConnectError::CapabilityTooLong | ConnectError::InvalidEid => Failure::told(Exit::Usage, what, error),
        ConnectError::NoAddress => Failure::told(Exit::Resolve, what, error),
        ConnectError::TimedOut | ConnectError::Unreachable { .. } => Failure::told(Exit::Connect, what, error),
        // A peer may have written it.
        _ => Failure::new(Exit::Connect, what, error),
    }
}

/// That a stream could not be opened.
pub fn open_failure(what: &str, error: OpenError) -> Failure {
    let lost = lost_if(matches!(error, OpenError::Connection(_)));
    Failure { lost, ..Failure::new(Exit::Send, what, error) }
}

/// That a stream failed; `exit` unless the error says more.
pub fn stream_failure(what: &str, error: &io::Error, exit: Exit) -> Failure {
    let exit = match error.kind() {
        io::ErrorKind::TimedOut => Exit::Timeout,
        io::ErrorKind::ConnectionRefused => Exit::Connect,
        _ => exit,
    };
    Failure { lost: lost(error), ..Failure::new(exit, what, reason(error)) }
}

/// What a stream failed with, if not by the peer's will or fault alone: its whole connection, or its guest.
pub fn lost(error: &io::Error) -> Lost {
    let Some(inner) = error.get_ref() else { return Lost::Nothing };
    if let Some(NoStream { error, .. }) = inner.downcast_ref() {
        return lost(error);
    }
    if matches!(inner.downcast_ref(), Some(GuestError::Ended(_) | GuestError::Connection(_))) {
        return Lost::Guest;
    }
    lost_if(
        matches!(inner.downcast_ref(), Some(RequestError::Connection(_)))
            || matches!(inner.downcast_ref(), Some(ReadError::Connection(_)))
            || matches!(inner.downcast_ref(), Some(WriteError::Connection(_)))
            || matches!(inner.downcast_ref(), Some(OpenError::Connection(_)))
            || inner.is::<ConnectionError>()
            || inner.downcast_ref().is_some_and(is_absence),
    )
}

/// A connection, if one is gone.
const fn lost_if(is_gone: bool) -> Lost {
    if is_gone { Lost::Connection } else { Lost::Nothing }
}

impl Peer {
    /// A stream by a transport that both ends run; nothing if there is none, and streams have to do.
    async fn open_by_transport(&self) -> Result<Option<Opened<Peer>>, Failure> {
        let Some(offered) = self.offered.as_ref().filter(|_| !self.declined.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        // Many small files are on their way at once; instances are few. Those beyond go by streams.
        let Some(place) = offered.place() else { return Ok(None) };
        let way = Arc::clone(&self.way);
        let instead = Box::pin(async move {
            let (connection, control) = way.lock().await.parent();
            Ok(connection.open_substream(control).await?)
        });
        let asked = (SERVICE, PROTOCOL);
        let piped = offered.pipe(&self.endpoint, &self.host, asked, Some(instead), self.talk).await?;
        let Some(pipe) = piped else { return Ok(None) };
        if pipe.guest().is_none() {
            if !self.declined.swap(true, Ordering::Relaxed) {
                tell(&pipe.connection(), self.talk).await;
            }
            return Ok(None);
        }
        let name = transport_of(Some(offered), &pipe.connection()).await;
        let before = self.runs.lock().unwrap_or_else(PoisonError::into_inner).replace(name.clone());
        if before.as_ref() != Some(&name) {
            tell(&pipe.connection(), self.talk).await;
        }
        let (send, recv) = pipe.split();
        // It has a connection to itself: nothing goes before it there.
        let held = move |_: Urgency| {
            let _ = &place;
        };
        Ok(Some(Opened { send, recv, asking: Box::new(held), sending: Box::new(|_| {}) }))
    }
}

impl Peer {
    /// A guest has failed: what has not come goes by streams, which are there. Of guests that fail together the first
    /// counts as a lost connection, and it alone needs a retry that is left.
    fn do_without_guest(&self, way: &mut Way, failure: Failure) -> Result<(), Failure> {
        let Some(offered) = &self.offered else { return Err(failure) };
        let is_first = offered.rest(self.host.eid);
        let Some(retries_left) = left_after_guest(way.retries_left, is_first) else { return Err(failure) };
        way.retries_left = retries_left;
        if is_first {
            let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let (name, why) = (runs.as_deref().unwrap_or("the guest"), &failure.why);
            self.talk.say(format_args!("{name} has failed ({why}); structured streams go on with what has come"));
            let fields = json!({ "settled": "failed", "name": name, "why": why, "retries_left": way.retries_left });
            self.talk.event("transport", &fields);
        }
        Ok(())
    }
}

/// Retries that are left where a guest has failed, the first of those that fail together or a later one; nothing if
/// there was none for it.
const fn left_after_guest(retries_left: u32, is_first: bool) -> Option<u32> {
    if is_first { retries_left.checked_sub(1) } else { Some(retries_left) }
}

impl Opener for Peer {
    type Send = PipeSend;
    type Recv = PipeRecv;

    async fn open(&self) -> Result<Opened<Peer>, Failure> {
        if let Some(opened) = self.open_by_transport().await? {
            return Ok(opened);
        }
        let (connection, control) = self.way.lock().await.parent();
        let stream = connection.open_substream(control).await;
        let stream = stream.map_err(|error| match error {
            // The peer has refused it already; see `explain`.
            OpenError::NoParent => Failure::new(Exit::Connect, "asking for files", error),
            error => open_failure("asking for files", error),
        })?;
        let id = stream.id();
        let (send, recv) = Pipe::from(stream).split();
        let other = connection.clone();
        let priority = |urgency: Urgency| Priority { level: Some(urgency.level()), ..Priority::default() };
        Ok(Opened {
            send,
            recv,
            asking: Box::new(move |urgency| connection.request_priority(id, priority(urgency))),
            sending: Box::new(move |urgency| other.set_priority(id, priority(urgency))),
        })
    }

    async fn ask_for_listing(&self, request: Vec<u8>) -> Result<Answering, Failure> {
        let connection = self.way.lock().await.connection.clone();
        let asked = connection.request(SERVICE, request).into_stream().await;
        asked.map(|answer| Box::new(answer) as Answering).map_err(|error| {
            let lost = lost_if(matches!(error, RequestError::Connection(_)));
            Failure { lost, ..Failure::new(Exit::Send, "asking for files", error) }
        })
    }

    async fn explain(&self, failure: Failure) -> Failure {
        if failure.exit != Exit::Connect {
            return failure;
        }
        // A request is refused with its parent; the parent was told why.
        let mut way = self.way.lock().await;
        match timeout(EXPLAIN_TIME, way.control.read(&mut [0; 1])).await {
            Ok(Err(error @ ReadError::Refused { .. })) => Failure { why: error.to_string(), ..failure },
            _ => failure,
        }
    }

    async fn renew(&self, failure: Failure) -> Result<(), Failure> {
        let mut way = self.way.lock().await;
        if failure.lost == Lost::Guest {
            return self.do_without_guest(&mut way, failure);
        }
        let cause = tokio::select! {
            biased;
            cause = way.connection.closed() => cause,
            // Somebody else has found the new way.
            () = std::future::ready(()) => return Ok(()),
        };
        let moved = self.progress.moved.load(Ordering::Relaxed);
        if moved > way.moved {
            (way.moved, way.retries_left) = (moved, self.retries);
        }
        let (mut last, mut pause) = (None, RETRY_PAUSE);
        while way.retries_left > 0 {
            way.retries_left -= 1;
            let tries = match way.retries_left {
                0 => "for the last time".to_owned(),
                1 => "1 more try".to_owned(),
                n => format!("{n} more tries"),
            };
            self.talk.say(format_args!("connection lost ({cause}); connecting again, {tries}"));
            self.talk.event("reconnecting", &json!({ "why": cause.to_string(), "retries_left": way.retries_left }));
            let until = clock::now() + RETRY_TIME;
            loop {
                let is_refused = match seek(&self.endpoint, &self.host, self.talk).await {
                    Ok(connection) => {
                        way.control = control(&connection).await?;
                        way.connection = connection;
                        return Ok(());
                    }
                    Err((error, is_refused)) if matches!(error.exit, Exit::Connect | Exit::Resolve) => {
                        last = Some(error);
                        is_refused
                    }
                    Err((error, _)) => return Err(error),
                };
                if is_refused || clock::now() >= until {
                    break;
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            if way.retries_left > 0 {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        }
        Err(match last {
            Some(error) => Failure { why: format!("{}; then {error}", failure.why), ..failure },
            None => failure,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_that_fail_together_take_one_retry_and_those_behind_the_last_go_on() {
        let first = left_after_guest(1, true);
        assert_eq!(first, Some(0));
        assert_eq!(left_after_guest(0, false), first, "the second has streams, too");
        assert_eq!(left_after_guest(0, true), None, "one that fails later has no retry");
    }
}
