//! `--transport`: which transports a command offers, or runs for those who ask.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use tng::registry::Found;
use tng::stp::TransportOffer;
use tng::{
    Builder, Carrier, CodeHash, ConnectError, Connection, Eid, Endpoint, GuestConnection, Pipe, PipeError, Settled,
    Stream, TRANSPORTS_MAX, Target,
};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Regulator;
use super::congestion::CongestionArgs;
use super::place::PlaceArgs;
use super::supply::{Supply, is_wanted, prefers};
use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, Lost};
use crate::location::Location;
use crate::path::{Dialing, Path};
use crate::peer;
use crate::talk::Talk;
use crate::via::Words;

/// How to open the stream that carries a pipe on whose guest has ended too early.
pub type Instead = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

/// How long a command stays, when it is done, for code that a peer has asked for.
pub const CODE_STAYS: Duration = Duration::from_secs(20);

/// Pipes by transports that a command for files has at once: a peer gives no more than
/// [`GUESTS_OF_PEER_MAX`](tng::GUESTS_OF_PEER_MAX) to one, those that take their leave included.
pub const PIPES_MAX: usize = 8;

/// When a guest has given way to a stream, or has failed, nothing is offered to that host for so long: the next one
/// would fail alike.
pub const RESTS_FOR: Duration = Duration::from_secs(60);

/// Hosts to which nothing is offered for that while; of more, those that were noted first are offered something again.
pub const RESTING_MAX: usize = 256;

/// Arguments of who connects.
#[derive(Args, Clone, Debug, Default)]
pub struct OfferArgs {
    /// Offer these guest transports, preferred first, by name or hash (`tng stp list`). If the peer runs one too, it
    /// carries the bytes; else structured streams do [default: what the policy prefers]
    #[arg(long, value_name = "NAME|HASH", value_delimiter = ',')]
    transport: Vec<String>,
    #[command(flatten)]
    congestion: CongestionArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

impl OfferArgs {
    /// What they name, ready to run, for a command of this name; what the policy prefers if they name nothing.
    ///
    /// # Errors
    /// If one of them is not there, carries no streams, or they are too many for an offer; or the policy cannot be
    /// read.
    pub async fn chosen(&self, command: &str, talk: Talk) -> Result<Option<Chosen>, Failure> {
        match &self.transport[..] {
            [] if prefers(&self.place)? => {
                Ok(Some(Chosen::over(Supply::open(command, &self.place, talk)?, Codes::Preferred).await))
            }
            [] => Ok(None),
            names => named(command, names, &self.place, talk).await.map(Some),
        }
    }

    /// What regulates what this side sends by streams, if it is named.
    ///
    /// # Errors
    /// As [`Regulator::named`].
    pub fn regulator(&self, command: &'static str, talk: Talk) -> Result<Option<Regulator>, Failure> {
        self.congestion.regulator(command, &self.place, talk)
    }
}

/// The transports of these names, for an offer.
async fn named(command: &str, names: &[String], place: &PlaceArgs, talk: Talk) -> Result<Chosen, Failure> {
    if names.len() > TRANSPORTS_MAX {
        let why = format!("an offer has {TRANSPORTS_MAX} at most");
        return Err(Failure::usage("offering transports", why));
    }
    Chosen::of(command, names, place, talk).await
}

/// Arguments of who is connected to.
#[derive(Args, Clone, Debug, Default)]
pub struct RunArgs {
    /// Accept these guest transports, by name or hash, or all that are here if none is named. Those in the store (`tng
    /// stp install`) run by the policy without this
    #[arg(long = "transport", value_name = "NAME|HASH", num_args = 0..=1, value_delimiter = ',')]
    transport: Option<Vec<String>>,
    #[command(flatten)]
    congestion: CongestionArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

impl RunArgs {
    /// What they name, ready to run; nothing if they name nothing and there is no store.
    ///
    /// # Errors
    /// If one of them is not there, or carries no streams.
    pub async fn chosen(&self, command: &str, talk: Talk) -> Result<Option<Chosen>, Failure> {
        match &self.transport {
            Some(names) => Chosen::of(command, names, &self.place, talk).await.map(Some),
            None if is_wanted(&self.place) => Chosen::of(command, &[], &self.place, talk).await.map(Some),
            None => Ok(None),
        }
    }

    /// Who connects: what they name; what the policy prefers if they name nothing.
    ///
    /// # Errors
    /// As [`OfferArgs::chosen`].
    pub async fn offered(&self, command: &str, talk: Talk) -> Result<Option<Chosen>, Failure> {
        let (transport, place) = (self.transport.clone().unwrap_or_default(), self.place.clone());
        OfferArgs { transport, congestion: CongestionArgs::default(), place }.chosen(command, talk).await
    }

    /// Who connects: what they name, whatever the policy prefers; nothing if they name nothing.
    ///
    /// # Errors
    /// As [`OfferArgs::chosen`].
    pub async fn named(&self, command: &str, talk: Talk) -> Result<Option<Chosen>, Failure> {
        match self.names() {
            [] => Ok(None),
            names => named(command, names, &self.place, talk).await.map(Some),
        }
    }

    /// What regulates what this side sends by streams, if it is named.
    ///
    /// # Errors
    /// As [`Regulator::named`].
    pub fn regulator(&self, command: &'static str, talk: Talk) -> Result<Option<Regulator>, Failure> {
        self.congestion.regulator(command, &self.place, talk)
    }

    /// Whether that is named.
    pub const fn has_regulator(&self) -> bool {
        self.congestion.is_given()
    }

    /// What they name.
    pub fn names(&self) -> &[String] {
        self.transport.as_deref().unwrap_or_default()
    }

    /// Whether they are there at all.
    pub const fn are_given(&self) -> bool {
        self.transport.is_some()
    }

    /// How the other end offers one of them.
    pub fn offered_by(&self) -> String {
        let Some(names) = &self.transport else { return String::new() };
        format!("--transport {} ", names.first().map_or("newreno", String::as_str))
    }
}

/// Whether this side has guests, of whatever kind.
pub fn has_guests(chosen: Option<&Chosen>, regulator: Option<&Regulator>) -> bool {
    chosen.is_some() || regulator.is_some_and(Regulator::has_guests)
}

/// Has an endpoint run what was chosen, if anything was.
pub fn run_by(builder: Builder, chosen: Option<&Chosen>) -> Builder {
    match chosen {
        Some(chosen) => chosen.supply.run_by(builder),
        None => builder,
    }
}

/// Has an endpoint that accepts give code to peers and take it from them, by the policy, if transports were chosen.
///
/// # Errors
/// If the service is there already.
pub fn serve_code(endpoint: &Endpoint, chosen: Option<&Chosen>, talk: Talk) -> Result<(), Failure> {
    let Some(Chosen { supply, .. }) = chosen else { return Ok(()) };
    supply.note_port(endpoint.local_addr().port());
    supply.attend(endpoint, talk);
    supply.serve(endpoint)
}

/// Transports that a command can run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Chosen {
    supply: Supply,
    codes: Codes,
    /// Code that is on its way to peers that have asked for it, or from them.
    shipping: Arc<Mutex<JoinSet<()>>>,
    /// Code that is not offered, as was told.
    left_out: Arc<LeftOut>,
    /// Hosts with which a guest has given way to a stream.
    resting: Arc<std::sync::Mutex<Resting>>,
    places: Arc<Semaphore>,
}

/// Code whose user was told that it is not offered: once each.
#[derive(Debug, Default)]
pub struct LeftOut(std::sync::Mutex<BTreeSet<CodeHash>>);

impl LeftOut {
    /// Whether nobody has been told of it.
    pub fn is_news(&self, code: CodeHash) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(code)
    }
}

/// Hosts with which a guest has given way to a stream, and when; the newest last.
#[derive(Debug, Default)]
struct Resting(VecDeque<(Eid, Instant)>);

impl Resting {
    /// Whether a guest has given way of late with this host.
    fn has(&self, host: Eid, now: Instant) -> bool {
        self.0.iter().any(|(resting, at)| *resting == host && now < *at + RESTS_FOR)
    }

    /// A guest has given way; answers whether that is news.
    fn note(&mut self, host: Eid, now: Instant) -> bool {
        if self.has(host, now) {
            return false;
        }
        self.0.retain(|(resting, _)| *resting != host);
        if self.0.len() == RESTING_MAX {
            self.0.pop_front();
        }
        self.0.push_back((host, now));
        true
    }
}

/// What is offered.
#[derive(Clone, Debug)]
enum Codes {
    /// These, in this order.
    Named(Vec<CodeHash>),
    /// What the policy prefers for the host and the service.
    Preferred,
}

impl Chosen {
    async fn of(command: &str, names: &[String], place: &PlaceArgs, talk: Talk) -> Result<Chosen, Failure> {
        let supply = Supply::open(command, place, talk)?;
        let codes = Codes::Named(supply.prepare(names).await?);
        Ok(Chosen::over(supply, codes).await)
    }

    async fn over(supply: Supply, codes: Codes) -> Chosen {
        // The other end may rather run another one that is here.
        supply.prepare_vouched().await;
        let (shipping, left_out, resting) = (Arc::default(), Arc::default(), Arc::default());
        Chosen { supply, codes, shipping, left_out, resting, places: Arc::new(Semaphore::new(PIPES_MAX)) }
    }

    /// Offers nothing to a host for a while, where a guest has failed. Answers whether that is news.
    pub fn rest(&self, host: Eid) -> bool {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner).note(host, clock::now())
    }

    /// Tells that a guest has given way to a stream, if it does; once for those of a host that do so together.
    fn follow(&self, carrier: Carrier, talk: Talk) {
        let (chosen, host) = (self.clone(), carrier.connection().peer());
        tokio::spawn(async move {
            let Some(why) = carrier.gave_way().await else { return };
            if chosen.rest(host) {
                let told = json!({ "settled": "gave-way", "why": &*why });
                talk.note(format_args!("structured streams carry on: {why}"), "transport", &told);
            }
        });
    }

    /// The place at which a host is asked, and what is offered to it for a service, ready to run; nothing if the policy
    /// prefers nothing there.
    async fn offer(
        &self,
        endpoint: &Endpoint,
        host: &Location,
        service: &str,
        talk: Talk,
    ) -> Result<Option<(Target, Option<Found>, TransportOffer)>, Failure> {
        self.supply.attend(endpoint, talk);
        host.places.first().into_iter().for_each(|place| self.supply.note_host_port(host.eid, place.port()));
        let codes = match &self.codes {
            Codes::Named(codes) => codes.clone(),
            Codes::Preferred => self.supply.preferred(host.eid, service).await,
        };
        let codes = self.supply.offerable((host.eid, service), &codes, &self.left_out, talk);
        if codes.is_empty() {
            return Ok(None);
        }
        let (target, found) = peer::target(endpoint, host, talk).await?;
        Ok(Some((target, found, TransportOffer { service: service.to_owned(), codes })))
    }

    /// Connects to a host and opens a pipe to a service, by one of them if the host runs it too; nothing if nothing is
    /// offered there. Code that is missing at one of the ends goes there meanwhile. A guest that ends too early gives
    /// way to the stream of `instead`, or else to one of another connection.
    ///
    /// # Errors
    /// As [`peer::connect`], and if there is no stream to the service.
    pub async fn pipe(
        &self,
        endpoint: &Endpoint,
        host: &Location,
        (service, protocol): (&str, &str),
        instead: Option<Instead>,
        talk: Talk,
    ) -> Result<Option<Pipe>, Failure> {
        if self.resting.lock().unwrap_or_else(PoisonError::into_inner).has(host.eid, clock::now()) {
            return Ok(None);
        }
        let Some((target, found, offer)) = self.offer(endpoint, host, service, talk).await? else { return Ok(None) };
        let piped = endpoint.pipe(target, offer, protocol).await;
        let pipe = piped.map_err(|error| match error {
            PipeError::Connect(error) => peer::connect_failure(host, error),
            PipeError::Open(error) => peer::open_failure("opening the pipe", error),
            error => Failure { lost: Lost::Connection, ..Failure::new(Exit::Connect, "opening the pipe", error) },
        })?;
        if let Some(found) = found {
            endpoint.meet(&pipe.connection(), found);
        }
        self.begun(&pipe.connection(), pipe.guest().is_some(), host, talk).await;
        let pipe = if let Some(instead) = instead { pipe.or_else(instead) } else { pipe };
        self.follow(pipe.carrier(), talk);
        Ok(Some(pipe))
    }

    /// Connects to a host by one of them, for a service whose application does without a pipe; nothing if the host runs
    /// none of them, which is told.
    ///
    /// # Errors
    /// As [`peer::connect`].
    pub async fn guest(
        &self,
        endpoint: &Endpoint,
        host: &Location,
        service: &str,
        talk: Talk,
    ) -> Result<Option<GuestConnection>, Failure> {
        let Some((target, found, offer)) = self.offer(endpoint, host, service, talk).await? else { return Ok(None) };
        let connected = endpoint.connect_offering(target, offer).await;
        let connection = connected.map_err(|error: ConnectError| peer::connect_failure(host, error))?;
        if let Some(found) = found {
            endpoint.meet(&connection, found);
        }
        let guest = connection.guest().ok();
        if guest.is_none() {
            tell(&connection, talk).await;
        }
        self.begun(&connection, guest.is_some(), host, talk).await;
        Ok(guest)
    }

    /// A connection is there. What was missing for it to be a guest's goes where it is missing.
    async fn begun(&self, connection: &Connection, by_guest: bool, host: &Location, talk: Talk) {
        Path::follow(connection.events(), Words::of(host), (talk, Dialing::First));
        if !by_guest {
            let (supply, connection) = (self.supply.clone(), connection.clone());
            self.shipping.lock().await.spawn(async move { supply.follow_up(&connection, talk).await });
        }
    }

    /// What the transport that runs on a connection is called here.
    pub async fn name(&self, connection: &Connection) -> Option<String> {
        match connection.negotiation().await {
            Ok(Some(negotiation)) => match negotiation.settled {
                Settled::Runs(code) => Some(self.supply.name(code)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A place for a pipe among those that this command has at once, if there is one.
    pub fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Waits for code that is on its way, but not for long.
    pub async fn stay(&self) {
        let mut shipping = self.shipping.lock().await;
        let _ = timeout(CODE_STAYS, async { while shipping.join_next().await.is_some() {} }).await;
    }
}

/// What the guest of a connection is called, at an end that runs these.
pub async fn transport_of(chosen: Option<&Chosen>, connection: &Connection) -> String {
    let named = match chosen {
        Some(chosen) => chosen.name(connection).await,
        None => None,
    };
    named.unwrap_or_else(|| "a guest".to_owned())
}

/// Tells what came of an offer; nothing if there was none.
pub async fn tell(connection: &Connection, talk: Talk) {
    let Ok(Some(negotiation)) = connection.negotiation().await else { return };
    let (word, code) = match negotiation.settled {
        Settled::Runs(code) => ("runs", Some(code)),
        Settled::No => ("no", None),
        Settled::SendMe(code) => ("sendme", Some(code)),
        Settled::Declined(code) => ("declined", Some(code)),
        Settled::Asked(code) => ("asked", Some(code)),
    };
    let short = code.map(|code| code.short()).unwrap_or_default();
    let words = match negotiation.settled {
        Settled::Runs(_) => format!("the transport {short} runs"),
        Settled::No => "structured streams run: the other end runs none of the transports offered".to_owned(),
        Settled::SendMe(_) => format!("structured streams run: the other end asks for {short} first"),
        Settled::Declined(_) => format!("structured streams run: the other end would rather run {short}"),
        Settled::Asked(_) => format!("{short} was asked for, and nothing is settled"),
    };
    talk.note(words, "transport", &json!({ "settled": word, "code": code.map(|code| code.to_string()) }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eid(n: u16) -> Eid {
        Eid::from_bytes([(n >> 8) as u8, n as u8].repeat(16).try_into().expect("32 bytes"))
    }

    #[test]
    fn a_guest_that_gives_way_has_transports_rest_with_its_host_alone_and_for_a_while() {
        let (mut resting, now) = (Resting::default(), clock::now());
        assert!(resting.note(eid(1), now) && !resting.note(eid(1), now), "it is told once");
        assert!(resting.has(eid(1), now) && !resting.has(eid(2), now));
        assert!(resting.note(eid(2), now + RESTS_FOR / 2));
        let later = now + RESTS_FOR;
        assert!(!resting.has(eid(1), later) && resting.has(eid(2), later));
        assert!(resting.note(eid(1), later), "it is news again");
    }

    #[test]
    fn of_many_hosts_those_that_rest_longest_are_forgotten() {
        let (mut resting, now) = (Resting::default(), clock::now());
        let most = RESTING_MAX as u16;
        assert!((0..=most).all(|n| resting.note(eid(n), now)));
        assert_eq!([0, 1, most].map(|n| resting.has(eid(n), now)), [false, true, true]);
        assert_eq!(resting.0.len(), RESTING_MAX);
    }
}
