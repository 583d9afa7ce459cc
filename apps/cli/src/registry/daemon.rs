//! The process of `tng registry run`.

use std::fmt;
use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::{Value, json};
use tng::registry::{DeskConfig, Registry};
use tng::{Access, Endpoint, Identity, Ticket, UdpSocket, place_of};

use super::store::StorePlace;
use super::{REGISTRY, status};
use crate::clock;
use crate::daemon::control::Control;
use crate::daemon::process::{self, Signals, starting};
use crate::daemon::sandbox::{self, Allowed, Sandboxed};
use crate::daemon::{Daemon, Kind, Life, metrics};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{bind_failure, farewell, observed};
use crate::pings;
use crate::talk::Talk;

/// Connections at once, beside those that are attended to.
pub const CONNECTIONS_SPARE: usize = 4_096;

/// What a registry is told of itself and its process.
#[derive(Debug)]
pub struct RunConfig {
    /// Who it is.
    pub identity: Identity,
    /// What tells it from others of that identity.
    pub own_place: String,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where hosts find it; none: at the addresses of this host.
    pub addresses: Vec<SocketAddr>,
    /// Who may ask.
    pub access: Access,
    /// Where it keeps what hosts say.
    pub store: StorePlace,
    /// Hosts that are registered, at most, where the store has a bound.
    pub hosts_max: usize,
    /// What it does for whom.
    pub desk: DeskConfig,
    /// The socket by which it is asked.
    pub control: Option<PathBuf>,
    /// Where Prometheus asks.
    pub http: Option<SocketAddr>,
    /// Whether it gives up what it does not need.
    pub sandbox: bool,
}

/// A registry that runs.
#[derive(Debug)]
pub struct Running {
    /// Its endpoint.
    pub endpoint: Endpoint,
    /// What it does.
    pub registry: Registry,
    /// Where it keeps what hosts say.
    pub store: StorePlace,
    life: Life,
}

impl Daemon for Running {
    const KIND: Kind = REGISTRY;

    fn life(&self) -> &Life {
        &self.life
    }

    fn is_running(&self) -> bool {
        self.endpoint.is_running()
    }

    fn status(&self) -> Value {
        status::of(self)
    }

    fn told(&self) -> Value {
        json!([])
    }

    /// It has no file of its own.
    fn reload(&self) -> Result<(), Failure> {
        self.life.note(Ok(()))
    }

    fn measure(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        status::measure_registry(&self.registry, "", to)
    }
}

/// Runs a registry until a signal ends it. To be called while the process has one thread.
///
/// # Errors
/// If something that it needs is not to be had.
pub fn run(config: RunConfig, talk: Talk) -> Result<(), Failure> {
    let http = config.http.map(|address| metrics::listen(address, "--http")).transpose()?;
    let control = config.control.as_deref().map(|path| Control::bind(REGISTRY, path)).transpose()?;
    let mut write: Vec<PathBuf> = config.control.iter().map(|path| sandbox::folder_of(path)).collect();
    if let StorePlace::File(path) = &config.store {
        write.push(sandbox::folder_of(path));
    }
    let allowed =
        Allowed { read: vec!["/etc/machine-id".into()], write, log: Vec::new(), connects: config.store.connects() };
    let sandboxed = config.sandbox.then(|| sandbox::enter(&allowed));
    let runtime = process::runtime(process::ASKERS_THREADS)?;
    let ended = runtime.block_on(async {
        let mut signals = Signals::heed(false).map_err(|error| starting(&error))?;
        let running = Arc::new(begin(&config, talk).await?);
        process::answer(&running, control.as_ref(), http, talk)?;
        greet(&running, &config, sandboxed.as_ref(), talk)?;
        process::ready();
        let ended = process::attend(&*running, &mut signals, talk, pending()).await;
        farewell(&running.endpoint).await;
        talk.say("stopped");
        talk.event("ended", &json!({}));
        ended
    });
    runtime.shutdown_background();
    ended
}

async fn begin(config: &RunConfig, talk: Talk) -> Result<Running, Failure> {
    let RunConfig { identity, own_place, listen, access, store, hosts_max, desk, .. } = config;
    let kept = store.open(*hosts_max, clock::since_1970().as_millis() as u64, talk)?;
    let socket =
        UdpSocket::bind(*listen).map_err(|source| bind_failure(tng::BindError::Address { addr: *listen, source }))?;
    let bound = tng::Socket::local_addr(&socket).map_err(|error| bind_failure(tng::BindError::System(error)))?;
    let place = [place_of(bound), format!(" {own_place}").into_bytes()].concat();
    let mut builder = Endpoint::builder().identity(identity.duplicate()).access(access.clone()).place(place);
    builder = match crate::host::Drive::get().threads {
        0 | 1 => builder.socket(Arc::new(socket)),
        _ => {
            drop(socket);
            builder.bind(bound)
        }
    };
    let connections = desk.attending_max + CONNECTIONS_SPARE;
    let builder = builder.configure(|config| config.connections_max = connections);
    let serve = |endpoint: &Endpoint| {
        let addresses = if config.addresses.is_empty() { endpoint.local_addresses() } else { config.addresses.clone() };
        endpoint.serve_registry(desk.clone(), &addresses, kept)
    };
    let (endpoint, registry) = observed(builder)?.build_serving(serve).await.map_err(bind_failure)?;
    pings::answer(&endpoint)?;
    Ok(Running { endpoint, registry, store: store.clone(), life: Life::begin() })
}

/// Says where it is, and how it is asked.
fn greet(running: &Running, config: &RunConfig, sandboxed: Option<&Sandboxed>, talk: Talk) -> Result<(), Failure> {
    let endpoint = &running.endpoint;
    let mut addresses = config.addresses.clone();
    if addresses.is_empty() {
        addresses = tng::told_addresses(endpoint.local_addr());
    }
    addresses.truncate(Ticket::ADDRESSES_MAX);
    let ticket = Ticket::new(endpoint.eid(), addresses.clone(), Vec::new())
        .map_err(|error| Failure::new(Exit::Handshake, "making the ticket", error))?;
    let store = &running.store;
    talk.say(format_args!("registry {} at {}, kept in {store}", endpoint.eid(), endpoint.local_addr()));
    match &config.control {
        Some(control) => talk.say(format_args!("socket: {}", control.display())),
        None => talk.say("no socket, by which `tng registry status` asks: --control names one"),
    }
    if let Some(sandboxed) = sandboxed {
        sandboxed.say(talk);
    }
    talk.say(format_args!(
        "\nregister and look up with:\n  tng serve --register {ticket} PATH\n  tng get --registry {ticket} \
         tng://EID/PATH"
    ));
    let event = json!({
        "eid": endpoint.eid().to_string(),
        "ticket": ticket.to_string(),
        "addresses": addresses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "store": store.to_string(),
        "control": config.control,
        "sandbox": sandboxed.map(Sandboxed::to_json),
    });
    talk.event("ready", &event);
    Ok(())
}
