//! A server that would have its clients run other code than they want: a client of this program, with a store and a
//! policy of its own, dials it.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use tng::stp::manager::{
    Arrived, ByHand, Manager, Manifest, Origin, Policy, PublisherPair, Question, SignedManifest, Version, Wants,
};
use tng::stp::shipping;
use tng::stp::{Asked, Cap, Kind, Quotas, Signal, TransportAnswer, TransportOffer, built_in, code_hash};
use tng::{
    Access, CodeHash, Confinement, Connection, Eid, Endpoint, Identity, IncomingStream, Repertoire, ServiceOptions,
    Terms, TransportPolicy,
};
use tng_attack::Attack;
use tng_services::code::{Answer, Packed, REQUEST_MAX};
use tng_services::pipe;
use tng_wire::Repr;

use super::dialers::Dialer;
use super::outcome::Outcome;
use super::siege::secret;
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::modules::{engine, module};
use crate::guests::supply::store_failure;
use crate::host::bind_failure;

/// The transport that travels, and what clients offer.
const NAME: &str = "newreno";

/// A version of a transport, as its publisher gives it out.
struct Edition {
    bytes: Vec<u8>,
    hash: CodeHash,
    manifest: Vec<u8>,
}

impl Edition {
    /// The same code each time, under another hash.
    fn of(publisher: &PublisherPair, minor: u32) -> Result<Edition, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(Exit::Read, "signing a transport", error);
        let mut bytes = built_in(NAME).ok_or_else(|| failed(&"it is not built in"))?.bytes.to_vec();
        // A custom section (WebAssembly 5.5.3) with a name of a byte.
        bytes.extend([0, 2, 1, b'a' + (minor % 26) as u8]);
        let hash = code_hash(&bytes);
        let mut signed = SignedManifest::unsigned(Manifest {
            name: "rolled".parse().map_err(|error| failed(&error))?,
            version: Version([1, minor, 0]),
            hash,
            kind: Kind::Transport,
            abi: tng_stp_abi::ABI_VERSION,
            wants: Wants::default(),
            expires_unix_s: None,
        });
        signed.sign(publisher).map_err(|error| failed(&error))?;
        Ok(Edition { bytes, hash, manifest: signed.to_vec() })
    }
}

/// Would rather run this, whatever is offered.
#[derive(Debug)]
struct Insists(CodeHash);

impl TransportPolicy for Insists {
    fn answer(&self, _: Eid, _: &TransportOffer, _: &dyn Fn(&CodeHash, Confinement) -> bool) -> TransportAnswer {
        TransportAnswer::Use(self.0)
    }

    fn follows(&self, _: Eid, _: &TransportOffer, _: CodeHash, _: &dyn Fn(&CodeHash, Confinement) -> bool) -> bool {
        false
    }

    fn limits(&self, _: &Asked<'_>, _: &mut Quotas) -> Option<Terms> {
        Some(Terms { cap: Cap::default(), signal: Signal::default(), place: Confinement::Here })
    }
}

/// What a client dials that is told to run code of one hash, and is given some code.
struct Trial<'a> {
    what: &'static str,
    told: CodeHash,
    given: &'a Edition,
    /// Whether the client is to have what it was told of afterwards.
    is_good: bool,
}

/// Makes an attack by code.
///
/// # Errors
/// If this host has no room for a file, a socket or a process.
pub(super) async fn attack(attack: &'static Attack, folder: &TempDir) -> Result<Outcome, Failure> {
    let publisher = PublisherPair::from_seed(secret()?);
    let [old, current, new] = [0, 1, 2].map(|minor| Edition::of(&publisher, minor));
    let (old, current, new) = (old?, current?, new?);
    let places = Places::furnish(folder, &publisher, &current)?;
    let good = Trial { what: "a newer version", told: new.hash, given: &new, is_good: true };
    let trials = match attack.name {
        "stp-swap" => {
            // Each well signed; what is told is not what comes.
            let swapped = |what, given| Trial { what, told: new.hash, given, is_good: false };
            vec![swapped("an older one in its place", &old), swapped("what is here in its place", &current), good]
        }
        _ => vec![Trial { what: "an older version", told: old.hash, given: &old, is_good: false }, good],
    };
    let mut outcome = Outcome::of(attack);
    for trial in trials {
        let asked = dial(&places, &trial, &mut outcome).await?;
        let here = places.here()?;
        let (has_told, has_given) = (here.contains(&trial.told), here.contains(&trial.given.hash));
        let verdict = match (trial.is_good, has_told) {
            (true, true) => "taken, as it may be",
            (true, false) => "not taken",
            (false, false) if !has_given || trial.given.hash == current.hash => "refused",
            (false, _) => "TAKEN",
        };
        outcome.dialled.push(format!("{}: asked for {asked} times, {verdict}", trial.what));
        match verdict {
            "TAKEN" => outcome.faults.push(format!("{} was taken", trial.what)),
            "not taken" => outcome.untried = Some("not even what may be taken was".to_owned()),
            _ if asked == 0 => outcome.untried = Some("the client asked for no code".to_owned()),
            _ => {}
        }
    }
    Ok(outcome)
}

/// Where the client has its store and its policy.
struct Places {
    folder: PathBuf,
    store: PathBuf,
    policy: PathBuf,
}

impl Places {
    /// A client that trusts this publisher and has this edition.
    fn furnish(folder: &TempDir, publisher: &PublisherPair, edition: &Edition) -> Result<Places, Failure> {
        let at = |name: &str| folder.path().join(name);
        let places = Places { folder: folder.path().to_owned(), store: at("store"), policy: at("stp.toml") };
        let policy = format!("[publishers.rolling]\nkey = \"{}\"\n", publisher.public());
        fs::write(&places.policy, policy).map_err(|error| Failure::write("writing a client's policy", &error))?;
        let Edition { bytes, manifest, .. } = edition;
        let arrived =
            Arrived { bytes, kind: Kind::Transport, manifest: Some(manifest), origin: &Origin::File(String::new()) };
        let installed = places.manager()?.install_by_hand(
            &arrived,
            ByHand::default(),
            &Question::default(),
            clock::seconds_since_1970(),
        );
        installed.map_err(|error| Failure::told(Exit::Read, "installing a transport", &error))?;
        Ok(places)
    }

    fn manager(&self) -> Result<Manager, Failure> {
        let what = "opening a client's store";
        let text = fs::read_to_string(&self.policy).map_err(|error| Failure::read(what, &error))?;
        let policy = Policy::parse(&text).map_err(|error| Failure::new(Exit::Read, what, error))?;
        let opened = Manager::open(&self.store, policy, Vec::new(), secret()?);
        Ok(opened.map_err(|error| store_failure(what, &error))?.0)
    }

    /// What it has in its store.
    fn here(&self) -> Result<Vec<CodeHash>, Failure> {
        Ok(self.manager()?.look(|_, known| known.index.modules().map(|(hash, _)| *hash).collect()))
    }
}

/// Has a client dial a server of this trial; answers how often it asked for code.
async fn dial(places: &Places, trial: &Trial<'_>, outcome: &mut Outcome) -> Result<u64, Failure> {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let repertoire = Arc::new(Repertoire::new(Insists(trial.told)));
    // Who tells a client to run code has some: it waits for the client's first packet by either.
    let engine = engine()?;
    let code = built_in(NAME).map(|guest| module(&engine, guest)).transpose()?.and_then(|module| module.code(NAME));
    repertoire
        .add(trial.told, code.ok_or_else(|| Failure::new(Exit::NotRunnable, "loading a transport", "it is none"))?);
    let builder = Endpoint::builder().identity(Identity::from_seed(secret()?)).access(Access::Public).bind(any);
    let builder = builder.repertoire(repertoire).listen(pipe::SERVICE, pipe::PROTOCOL, ServiceOptions::default());
    let builder = builder.listen(shipping::SERVICE, shipping::PROTOCOL, ServiceOptions::default());
    let endpoint = builder.build().await.map_err(bind_failure)?;
    let target = format!("{}@{}", endpoint.eid(), endpoint.local_addr());
    let variables = [("TNG_STORE", &*places.store), ("TNG_POLICY", &*places.policy)];
    let args = ["connect", "--no-input", "--transport", NAME, "-v", &target];
    let mut dialer = Dialer::start_with(&places.folder, "client.key", &args, &variables)?;
    let mut asked = 0;
    let (ended, how) = tokio::select! {
        ended = dialer.end() => ended,
        () = serve(&endpoint, trial.given, &mut asked, outcome) => (None, "was cut off".to_owned()),
    };
    if ended != Some(0) {
        let said = dialer.said();
        outcome.faults.push(format!("a client that was told to run {} {how}: {said}", trial.what));
    }
    Ok(asked)
}

/// Gives code to every client that asks for some, and takes what comes by a pipe.
async fn serve(endpoint: &Endpoint, given: &Edition, asked: &mut u64, outcome: &mut Outcome) {
    while let Some(incoming) = endpoint.accept().await {
        let Ok(connection) = incoming.accept().await else { continue };
        outcome.tally.connections += 1;
        // Until it is settled what runs there is nothing to take.
        let _ = connection.negotiation().await;
        while let Ok(stream) = connection.accept().await {
            *asked += u64::from(&*stream.service == shipping::SERVICE);
            answer(stream, given).await;
            note(&connection, outcome);
        }
    }
}

/// Books what was sent on the connection that sent the most.
fn note(connection: &Connection, outcome: &mut Outcome) {
    if let Some(stats) = connection.stats() {
        let tally = &mut outcome.tally;
        tally.sent = tally.sent.max(stats.channel.packets_sent);
        tally.sent_bytes = tally.sent_bytes.max(stats.channel.bytes_sent);
    }
}

/// What is sent to a client need not arrive.
async fn answer(incoming: IncomingStream, given: &Edition) {
    let is_asked = &*incoming.service == shipping::SERVICE;
    let mut stream = incoming.stream;
    let _ = stream.read_to_end(REQUEST_MAX).await;
    if let Ok(packed) = Packed::new(&given.bytes)
        && is_asked
    {
        let head = Answer::Sends { offset: 0, offer: packed.offer(given.manifest.clone()) }.to_vec();
        let _ = stream.write_all(&[&head, &packed.as_bytes()[..]].concat()).await;
    }
    let _ = stream.finish().await;
}
