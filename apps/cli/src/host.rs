//! This host on the network: its socket, who may connect to it, how it leaves.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::future::Future;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tng::registry::{LISTED_MAX, Policy, Registering, Registration, Standing, TokenHash};
use tng::{
    Access, BindError, Builder, Endpoint, HostConfig, Identity, ServiceOptions, Socket, Ticket, TicketId, Tickets,
    UdpSocket, place_of, told_addresses,
};
use tng_base::Eid;

#[cfg(feature = "carrier")]
use crate::carrier;
use crate::config::{Config, InPath};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::{KeyArgs, folder_of_configuration};
use crate::location::DEFAULT_PORT;
use crate::notes;
use crate::output;
use crate::registry::known;
use crate::registry::token::NamedToken;
use crate::scope::scoped;
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, shown};
use crate::tickets::{self, FIRST, Issued, Store};

/// After this much silence a client sends something, so that a server that has forgotten it can say so, and NATs
/// remember it.
pub const KEEP_ALIVE: Duration = Duration::from_secs(3);
/// How long a peer may be silent when ICMP says that nobody listens there any more. Servers are not behind NATs that
/// forget them, so it is less than the library's default: what asks for a file is to know soon.
pub const UNREACHABLE_AFTER: Duration = Duration::from_secs(3);
/// After this much silence an end of a pipe sends something: who waits at it is to learn within 5 s that the other end
/// was killed. It costs 63 bytes a second.
pub const PIPE_KEEP_ALIVE: Duration = Duration::from_secs(1);
/// Peers at most that a server of the tool has not heard of again since their first message: fewer than the library's
/// default, since its places are fewer.
pub const HALF_OPEN_MAX: usize = 256;
/// Of them, those that may be there before strangers must show their address.
pub const COOKIE_ABOVE: usize = 64;
/// Of them, those that may be of one network once strangers must show their address.
pub const HALF_OPEN_PER_NETWORK: usize = 64;
/// How long saying goodbye may take.
pub const FAREWELL_MAX: Duration = Duration::from_secs(1);

/// How the endpoints of this process are driven, as the command line says.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    /// On how many threads.
    pub threads: usize,
    /// For how long they stay awake after a packet.
    pub busy_poll: Duration,
    /// Whose offers they take of helpers in the path, if that is said.
    pub in_path: Option<InPath>,
}

static DRIVE: OnceLock<Drive> = OnceLock::new();

impl Drive {
    /// Has it hold from now on; only the first time.
    pub fn set(self) {
        let _ = DRIVE.set(self);
    }

    /// What holds: one thread that sleeps, if nothing was said.
    pub fn get() -> Drive {
        DRIVE.get().copied().unwrap_or(Drive { threads: 1, busy_poll: Duration::ZERO, in_path: None })
    }
}

/// Reads a time below a second: a number and `us` or `ms`.
///
/// # Errors
/// If it is another.
pub fn short_time(text: &str) -> Result<Duration, String> {
    let bad = || "a number of microseconds or milliseconds below a second, such as 50us or 1ms".to_owned();
    let (digits, unit) = text.split_at_checked(text.len().saturating_sub(2)).ok_or_else(bad)?;
    let us = match unit {
        "us" => 1,
        "ms" => 1_000,
        _ => return Err(bad()),
    };
    let time = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(us)).map(Duration::from_micros);
    time.filter(|time| *time < Duration::from_secs(1)).ok_or_else(bad)
}

/// How long the other end of a pipe is waited for.
#[derive(Args, Clone, Copy, Debug)]
pub struct PatienceArgs {
    /// Give up on the other end when nothing has come from it for this long: 30s, 10m, 12h [default: 90s; 3s if its
    /// host says that nobody listens there any more]
    #[arg(long, value_name = "TIME", value_parser = tickets::lifetime)]
    dead_after: Option<Duration>,
}

impl PatienceArgs {
    /// Has an endpoint of one pipe wait for so long.
    pub fn hold(self, builder: Builder) -> Builder {
        let builder = builder.keep_alive(Some(PIPE_KEEP_ALIVE)).unreachable_after(Some(UNREACHABLE_AFTER));
        let Some(after) = self.dead_after else { return builder };
        builder.unreachable_after(Some(after.min(UNREACHABLE_AFTER))).configure(|config| {
            // A third of it for the path, the rest for another.
            let idle = config.idle_timeout.map_or(after / 3, |idle| idle.min(after / 3));
            (config.idle_timeout, config.keep.time) = (Some(idle), Some(after - idle));
        })
    }
}

/// Where to listen, and for whom.
#[derive(Args, Clone, Debug)]
pub struct DoorArgs {
    /// Address to listen on: IP:PORT, IP, or :PORT; a link-local IP with its interface, [fe80::1%eth0]:PORT
    /// [default: every address; port 4860, or a free one if that is taken]
    #[arg(long, value_name = "ADDR", value_parser = bind_address)]
    pub bind: Option<SocketAddr>,
    /// Let everybody in. Without --public or --allow, only holders of a ticket get in
    #[arg(long, conflicts_with = "allow")]
    pub public: bool,
    /// Let in only these hosts: EIDs, as `tng id` prints them there
    #[arg(long, value_name = "EID", num_args = 1.., value_delimiter = ',')]
    pub allow: Vec<Eid>,
    /// Do not answer anyone who does not know this host's key: port scans find nothing. Peers notice a restart some
    /// seconds later
    #[arg(long)]
    pub silent: bool,
    /// Name for this copy of the key, if several hosts share one and their folders cannot hold it [default: drawn once,
    /// and kept beside the key in FILE.place]
    #[arg(long, value_name = "WORDS")]
    pub place: Option<String>,
    /// Register with this registry, so that others find this host by its EID alone: a ticket, EID@host:port, @FILE, or
    /// a name from ~/.config/tng/config.toml. May be given more than once. With --allow only those hosts find it
    #[arg(long, value_name = "REGISTRY")]
    pub register: Vec<String>,
    /// Let only holders of this token find this host at the registry: @FILE, or the token itself (visible to everybody
    /// who lists processes). They pass it as --registry-token
    #[arg(long, value_name = "TOKEN", requires = "register", conflicts_with = "allow")]
    pub register_token: Option<NamedToken>,
    /// Lifetime of the printed ticket: 90s, 30m, 12h, 7d [default: until `tng ticket revoke`]
    #[arg(long, value_name = "TIME", value_parser = tickets::lifetime)]
    pub expires: Option<Duration>,
    /// Which identity to use.
    #[command(flatten)]
    pub key: KeyArgs,
}

/// An endpoint that listens, and the ticket that leads to it.
#[derive(Debug)]
pub struct Door {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Its ticket.
    pub ticket: Ticket,
    /// Where the ticket stands as well, for this user alone, if it is a secret.
    pub file: Option<PathBuf>,
    /// Who may come in, for people.
    pub open_to: String,
    /// Where it is registered, for as long as this is there.
    pub registrations: Vec<Registration>,
}

impl DoorArgs {
    /// Listens for `services`, each by its name, protocol and options. Who may come in is what the arguments say, how
    /// many at once is `places`; `name`, the same for the same door, decides which capability opens it; `change` is for
    /// whatever else the endpoint has.
    ///
    /// # Errors
    /// If the key file or the address is not to be had.
    pub async fn open_with(
        &self,
        name: &[u8],
        services: &[(&str, &str, ServiceOptions)],
        places: usize,
        change: impl FnOnce(Builder) -> Builder,
    ) -> Result<Door, Failure> {
        let identity = self.key.load_or_create()?;
        let label = label(name);
        let (none, store) = (Tickets::new(&identity, label.as_bytes()), Store::beside(&self.key.path()?));
        let mut first = None;
        let (access, open_to) = if self.public {
            (Access::Public, "everybody".to_owned())
        } else if self.allow.is_empty() {
            let (door, issued) = self.first_ticket(&store, &label)?;
            let tickets = door.tickets(&none);
            first = tickets.capability(TicketId(issued.id));
            (Access::Tickets(tickets), "anyone who has the ticket".to_owned())
        } else {
            let listed: BTreeSet<Eid> = self.allow.iter().copied().collect();
            let open_to = format!("{} listed host{}", listed.len(), if listed.len() == 1 { "" } else { "s" });
            (Access::Listed(listed), open_to)
        };
        if self.expires.is_some() && first.is_none() {
            return Err(Failure::usage("serving", "--expires is for tickets, and none is needed"));
        }
        let socket = self.socket()?;
        let place = self.place(&socket)?;
        let mut builder = Endpoint::builder().identity(identity).access(access).place(place);
        builder = builder.helpers(Config::load()?.helpers);
        builder = if Drive::get().threads > 1 {
            // Each thread binds one of its own to the address that this has found, and gives free.
            let bound = socket.local_addr().map_err(|error| bind_failure(BindError::System(error)))?;
            drop(socket);
            builder.bind(bound)
        } else {
            builder.socket(Arc::new(socket))
        };
        for (service, protocol, options) in services {
            builder = builder.listen(service, protocol, *options);
        }
        let builder = builder.configure(|config| {
            (config.connections_max, config.half_open_max, config.cookie_above) = (places, HALF_OPEN_MAX, COOKIE_ABOVE);
            config.half_open_per_network = HALF_OPEN_PER_NETWORK;
            config.silent = self.silent;
        });
        #[cfg(feature = "carrier")]
        let builder = carrier::serving(builder, !self.register.is_empty())?;
        let endpoint = observed(change(builder))?.build().await.map_err(bind_failure)?;
        #[cfg(feature = "carrier")]
        carrier::follow(&endpoint);
        tracing::info!(threads = endpoint.threads(), steered = endpoint.is_steered(), "listening");
        let addresses = told_addresses(endpoint.local_addr());
        if endpoint.local_addr().ip().is_unspecified() && addresses.iter().all(|at| at.ip().is_loopback()) {
            tracing::warn!(
                "no other host can reach this one: it has no address but those of the loopback; bring a network up, \
                 and start again for a ticket with its address"
            );
        }
        let secret = first.is_some();
        let ticket = Ticket::new(endpoint.eid(), addresses.clone(), first.unwrap_or_default())
            .map_err(|error| Failure::new(Exit::Handshake, "making the ticket", error))?;
        let file = if secret {
            store.change(|book| {
                book.doors.entry(label.clone()).or_default().addresses = addresses;
                Ok(())
            })?;
            let file = store.write_ticket(&file_name(&label), &ticket.to_string())?;
            tokio::spawn(store.follow(label, none, endpoint.clone()));
            Some(file)
        } else {
            None
        };
        let registrations = self.register(&endpoint).await?;
        Ok(Door { endpoint, ticket, file, open_to, registrations })
    }

    /// Who finds this host: who shows the token, if there is one; those whom it lets in, if they are listed.
    fn look_up_policy(&self) -> Result<Policy, Failure> {
        if let Some(named) = &self.register_token {
            return Ok(Policy::Token(TokenHash::of(&named.token()?)));
        }
        match self.allow.len() {
            0 => Ok(Policy::Public),
            1..=LISTED_MAX => Ok(Policy::Listed(self.allow.clone())),
            many => {
                Err(Failure::usage("registering", format!("{many} hosts are allowed; a registry lists {LISTED_MAX}"))
                    .or_try("tickets in the place of --allow, or no --register"))
            }
        }
    }

    /// Registers wherever that is asked for. A registry that does not answer is asked again for as long as the endpoint
    /// is there.
    async fn register(&self, endpoint: &Endpoint) -> Result<Vec<Registration>, Failure> {
        let mut registrations = Vec::new();
        if self.register.is_empty() {
            return Ok(registrations);
        }
        let policy = self.look_up_policy()?;
        for text in &self.register {
            let (target, policy) = (known::target(text).await?, policy.clone());
            registrations.push(endpoint.keep_registered(&target, Registering { policy, ..Registering::default() }));
        }
        Ok(registrations)
    }

    /// The ticket that the server itself makes, and its door: the same as the last time, unless it has expired or was
    /// revoked.
    fn first_ticket(&self, store: &Store, label: &str) -> Result<(tickets::Door, Issued), Failure> {
        let mut issued = Issued::new(tickets::expires_s(self.expires))?;
        store.change(|book| {
            let door = book.doors.entry(label.to_owned()).or_default();
            let good = |before: &&Issued| !before.is_over();
            if let Some(before) = door.tickets.get(FIRST).filter(good) {
                issued = Issued { expires_s: issued.expires_s.or(before.expires_s), ..*before };
            }
            door.tickets.insert(FIRST.to_owned(), issued);
            Ok((door.clone(), issued))
        })
    }

    /// Where this host is, for nobody else of its key to answer for it: the address and the machine, and what tells it
    /// from other machines that have no name, or the same.
    fn place(&self, socket: &UdpSocket) -> Result<Vec<u8>, Failure> {
        let addr = socket.local_addr().map_err(|error| bind_failure(BindError::System(error)))?;
        let own = match &self.place {
            Some(words) => words.clone(),
            None => self.key.place().unwrap_or_else(|failure| {
                tracing::warn!("{failure}; say --place WORDS, others on each host, if several hosts have this key");
                String::new()
            }),
        };
        Ok([place_of(addr), format!(" {own}").into_bytes()].concat())
    }

    fn socket(&self) -> Result<UdpSocket, Failure> {
        let any = |port| SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port);
        let addr = self.bind.unwrap_or(any(DEFAULT_PORT));
        match UdpSocket::bind(addr) {
            Err(error) if self.bind.is_none() && error.kind() == io::ErrorKind::AddrInUse => UdpSocket::bind(any(0)),
            bound => bound,
        }
        .map_err(|source| bind_failure(BindError::Address { addr, source }))
    }
}

impl Door {
    /// The ticket as it stands on command lines: everybody on a host sees those, so that a secret is read from its
    /// file.
    pub fn target(&self) -> String {
        self.file.as_ref().map_or_else(|| self.ticket.to_string(), |file| format!("@{}", shown(file)))
    }

    /// Says how it stands with its registrations, at first and at each change.
    pub fn tell_registrations(&self, talk: Talk) {
        for registration in &self.registrations {
            tokio::spawn(tell_registration(registration.clone(), talk));
        }
    }

    /// What programs are told of it.
    pub fn to_json(&self) -> Value {
        json!({
            "eid": self.ticket.eid().to_string(),
            "ticket": self.ticket.to_string(),
            "addresses": self.ticket.addresses().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "carrier_addresses": carried_at(&self.endpoint),
            "threads": self.endpoint.threads(),
        })
    }

    /// Shows the ticket itself, alone on a line.
    pub fn show(&self, talk: Talk) {
        match self.file {
            Some(_) => talk.say(format_args!(
                "\nOn another host, run the same with - in place of @..., and paste this ticket when\nasked \
                 (anyone who has it gets in):\n{}",
                self.ticket
            )),
            None => talk.say(format_args!("\nor by its ticket:\n{}", self.ticket)),
        }
    }
}

/// Where an endpoint takes carriers, by TCP (docs/carrier.md).
pub fn carried_at(endpoint: &Endpoint) -> Vec<String> {
    #[cfg(feature = "carrier")]
    let carriers = endpoint.carriers();
    #[cfg(feature = "carrier")]
    let listening = carriers.iter().flat_map(|carriers| carriers.listening());
    #[cfg(not(feature = "carrier"))]
    let listening = std::iter::empty::<SocketAddr>();
    listening.map(ToString::to_string).collect()
}

/// Where an endpoint listens, for people.
pub fn listens_at(endpoint: &Endpoint) -> String {
    let by_tcp = carried_at(endpoint).into_iter().map(|at| format!(", and by TCP at {at}"));
    std::iter::once(endpoint.local_addr().to_string()).chain(by_tcp).collect()
}

/// Says how it stands with a registration, at each change, for as long as the process serves.
async fn tell_registration(mut registration: Registration, talk: Talk) {
    let registry = registration.registry();
    loop {
        let standing = registration.changed().await;
        match standing {
            Standing::Registered { lease, observed } => {
                let observed = tng::shown_address(observed);
                talk.remark(format_args!("registered at {registry}, which sees this host at {observed}"));
                let fields = json!({
                    "registry": registry.to_string(),
                    "observed": observed,
                    "lease_s": lease.as_secs(),
                });
                talk.event("registered", &fields);
            }
            Standing::Failing(why) => {
                talk.warn(format_args!("not registered at {registry}, and tries again: {why}"));
                talk.event("unregistered", &json!({ "registry": registry.to_string(), "why": why }));
            }
            _ => {}
        }
    }
}

/// What is served, as text: other bytes than UTF-8, which paths may have, are escaped.
fn label(name: &[u8]) -> String {
    String::from_utf8(name.to_vec()).unwrap_or_else(|_| name.escape_ascii().to_string())
}

/// The name of the file of a ticket to what is served: its last part, and what tells it from others of that name.
fn file_name(label: &str) -> String {
    let last = label.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or("served");
    let plain: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(40).collect();
    let hash = tng_crypto::sha256(&[label.as_bytes()]);
    format!("{plain}-{:02x}{:02x}", hash[0], hash[1])
}

/// Reads `IP:PORT`, `IP` or `:PORT`; the IP of a link-local address with its interface, `fe80::1%eth0`.
pub(crate) fn bind_address(text: &str) -> Result<SocketAddr, String> {
    let ip = |text: &str| text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let address = if let Some(address) = scoped(text, DEFAULT_PORT) {
        address.map_err(|error| error.to_string())
    } else if let Ok(address) = text.parse() {
        Ok(address)
    } else if let Ok(ip) = ip(text) {
        Ok(SocketAddr::new(ip, DEFAULT_PORT))
    } else if let Some(Ok(port)) = text.strip_prefix(':').map(str::parse) {
        Ok(SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port))
    } else {
        Err("write IP:PORT, IP or :PORT; IPv6 addresses with a port stand in brackets".to_owned())
    }?;
    match address {
        SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() && v6.scope_id() == 0 => Err(format!(
            "{} is an address of each link, and it is not said of which: write it with its interface, [{0}%eth0]:{}",
            v6.ip(),
            v6.port()
        )),
        _ => Ok(address),
    }
}

/// An endpoint that only connects.
///
/// # Errors
/// If the key file or a socket is not to be had.
pub async fn client(identity: Identity) -> Result<Endpoint, Failure> {
    client_with(identity, |_| {}).await
}

/// As [`client`], with changes of the configuration.
///
/// # Errors
/// As `client`.
pub async fn client_with(identity: Identity, change: impl FnOnce(&mut HostConfig)) -> Result<Endpoint, Failure> {
    client_of(identity, |builder| builder.configure(change)).await
}

/// As [`client`], with changes of the endpoint.
///
/// # Errors
/// As `client`.
pub async fn client_of(identity: Identity, change: impl FnOnce(Builder) -> Builder) -> Result<Endpoint, Failure> {
    let in_path = Config::load()?.in_path(Drive::get().in_path);
    let mut builder = Endpoint::builder().identity(identity).access(Access::Nobody).keep_alive(Some(KEEP_ALIVE));
    builder = builder.unreachable_after(Some(UNREACHABLE_AFTER));
    builder = builder.configure(|config| config.in_path = in_path);
    if let Some(folder) = folder_of_configuration() {
        builder = builder.capabilities(folder.join("capabilities"));
    }
    builder = known::asked(builder).await?;
    #[cfg(feature = "carrier")]
    let builder = carrier::dialing(change(builder))?;
    #[cfg(not(feature = "carrier"))]
    let builder = change(builder);
    let endpoint = observed(builder)?.build().await.map_err(bind_failure)?;
    #[cfg(feature = "carrier")]
    carrier::follow(&endpoint);
    Ok(endpoint)
}

/// What the environment asks to be written down: traces in the folder `TNG_TRACE`, keys in the file `TNG_KEYS`, a
/// capture in the file `TNG_PCAPNG` (docs/observing.md). Files with keys are for this user alone.
///
/// # Errors
/// If one of them cannot be opened.
pub fn observed(mut builder: Builder) -> Result<Builder, Failure> {
    let Drive { threads, busy_poll, .. } = Drive::get();
    builder = builder.threads(threads).busy_poll(busy_poll);
    if let Some(folder) = std::env::var_os("TNG_TRACE") {
        builder = builder.trace(folder);
    }
    let open = |path: OsString, options: &mut OpenOptions| output::open_private(Path::new(&path), options);
    if let Some(path) = std::env::var_os("TNG_KEYS") {
        builder = builder.key_log(open(path, OpenOptions::new().append(true))?);
    }
    if let Some(path) = std::env::var_os("TNG_PCAPNG") {
        builder = builder.capture(CaptureFile::open(|| open(path, OpenOptions::new().truncate(true)))?);
    }
    Ok(builder)
}

/// The file of captures, of all endpoints of this process: each write to it is a block that is good wherever it stands,
/// and the file begins anew with the first of them.
#[derive(Clone)]
struct CaptureFile(Arc<Mutex<BufWriter<File>>>);

impl CaptureFile {
    fn open(open: impl FnOnce() -> Result<File, Failure>) -> Result<CaptureFile, Failure> {
        static FILE: Mutex<Option<CaptureFile>> = Mutex::new(None);
        let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
        match &*file {
            Some(file) => Ok(file.clone()),
            None => Ok(file.insert(CaptureFile(Arc::new(Mutex::new(BufWriter::new(open()?))))).clone()),
        }
    }
}

impl Write for CaptureFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whole, or it would not be a block.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

/// That an endpoint could not be begun.
pub fn bind_failure(error: BindError) -> Failure {
    match error {
        BindError::Address { addr, source } => {
            Failure::new(Exit::Connect, format!("listening on {addr}"), crate::failure::reason(&source))
                .or_try("another --bind address, or end the program that holds it")
        }
        BindError::Observe(error) => Failure::write("beginning what TNG_TRACE and TNG_PCAPNG ask for", &error),
        BindError::Controller(_) => Failure::usage("choosing the congestion controller", error),
        BindError::Keys(_) => Failure::new(Exit::Read, "taking the keys of the fleet", error),
        error => Failure::new(Exit::Connect, "opening a socket", error),
    }
}

/// Does `work`, unless a signal ends it; then leaves politely: peers are told that this host goes.
///
/// # Errors
/// As `work`, or that it was stopped.
pub async fn attend<T>(endpoint: &Endpoint, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let ended = tokio::select! {
        ended = work => ended,
        () = stopped() => Err(stopped_failure()),
    };
    farewell(endpoint).await;
    ended
}

/// Tells peers that this host goes, and has what was said and written down reach its place.
pub async fn farewell(endpoint: &Endpoint) {
    // A goodbye that cannot be said is no failure: the peer will notice by itself.
    let _ = tokio::time::timeout(FAREWELL_MAX, endpoint.close()).await;
    notes::flush();
    if let Some(error) = endpoint.take_observer_failure() {
        tracing::warn!("what was to be written down is not whole: {error}");
    }
}

/// As [`attend`], for what works until a signal ends it: that is its usual end.
///
/// # Errors
/// As `work`.
pub async fn attend_until_stopped(
    endpoint: &Endpoint,
    talk: Talk,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    match attend(endpoint, work).await {
        Err(failure) if failure.exit == Exit::Interrupted => {
            talk.say("stopped");
            Ok(())
        }
        ended => ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_has_a_unit_and_is_below_a_second() {
        assert_eq!(short_time("50us"), Ok(Duration::from_micros(50)));
        assert_eq!(short_time("1ms"), Ok(Duration::from_millis(1)));
        for text in ["", "s", "50", "1s", "1000ms", "-1us", "us", "99999999999999999999us", "\u{e9}"] {
            assert!(short_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_to_listen_on_may_leave_out_the_ip_or_the_port() {
        for (text, expected) in [
            ("127.0.0.1:99", "127.0.0.1:99"),
            ("127.0.0.1", "127.0.0.1:4860"),
            ("::1", "[::1]:4860"),
            ("[::1]:99", "[::1]:99"),
            (":99", "[::]:99"),
        ] {
            assert_eq!(bind_address(text).map(|a| a.to_string()).as_deref(), Ok(expected), "{text}");
        }
        let link_local = bind_address("[fe80::1%lo]:0").expect("an address");
        assert!(matches!(link_local, SocketAddr::V6(v6) if v6.scope_id() > 0), "{link_local}");
        assert!(bind_address("[fe80::1%nowhere0]:0").is_err_and(|why| why.contains("\"nowhere0\"")));
        for lacking in ["[fe80::1]:0", "fe80::1"] {
            assert!(bind_address(lacking).is_err_and(|why| why.contains("[fe80::1%eth0]:")), "{lacking}");
        }
        for text in ["", "x", "localhost:99", ":x", ":70000"] {
            assert!(bind_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_that_allows_more_than_a_registry_lists_is_not_shown_to_everybody() {
        let policy = |count: usize| {
            let allow = (0..count).map(|n| Eid::from_bytes([n as u8; 32])).collect();
            let key = KeyArgs { key: None };
            let (bind, public, silent, place, expires) = (None, false, false, None, None);
            let (register, register_token) = (Vec::new(), None);
            DoorArgs { bind, public, allow, silent, place, register, register_token, expires, key }.look_up_policy()
        };
        assert_eq!(policy(0).expect("everybody"), Policy::Public);
        assert!(matches!(policy(LISTED_MAX), Ok(Policy::Listed(listed)) if listed.len() == LISTED_MAX));
        assert_eq!(policy(LISTED_MAX + 1).expect_err("too many").exit, Exit::Usage);
    }

    /// The same address on two machines, as far as they can be told apart.
    #[tokio::test]
    async fn two_hosts_with_one_key_have_two_places_and_each_has_its_own_again_after_a_restart() {
        let (one, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let door = |folder: &tempfile::TempDir, place: Option<&str>| DoorArgs {
            bind: None,
            public: true,
            allow: Vec::new(),
            silent: false,
            place: place.map(str::to_owned),
            register: Vec::new(),
            register_token: None,
            expires: None,
            key: KeyArgs { key: Some(folder.path().join("identity")) },
        };
        let socket = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("bound");
        let place = |door: DoorArgs| door.place(&socket).expect("a place");
        let here = place(door(&one, None));
        assert_eq!(place(door(&one, None)), here, "after a restart");
        assert_ne!(place(door(&other, None)), here);
        // Control: so they were, and so they are where nothing can be kept and nothing is said.
        let nowhere = tempfile::tempdir().expect("a folder");
        std::fs::write(nowhere.path().join("file"), b"").expect("written");
        let lost = |place| DoorArgs {
            key: KeyArgs { key: Some(nowhere.path().join("file/identity")) },
            ..door(&nowhere, place)
        };
        assert_eq!(place(lost(None)), [&place_of(socket.local_addr().expect("bound"))[..], b" "].concat());
        assert_ne!(place(lost(Some("one"))), place(lost(Some("other"))));
        assert_ne!(place(door(&one, Some("elsewhere"))), here);
    }
}
